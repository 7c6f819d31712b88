"""One form for texts and pictures: functions of the part `view` that the class binds by name."""

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import envsuite
from envsuite import registry
from envsuite.core.world import World

ROOT = Path(envsuite.__file__).parent
HOOKS = ("text", "prompt", "reply", "messages", "scene", "click", "drag")


def views() -> dict[type[World], ModuleType]:
    """The part `view` of each world that has one."""
    found = {}
    for cls in map(registry.world_class, registry.ids()):
        if inspect.getfile(cls).endswith("__init__.py") and Path(inspect.getfile(cls)).with_name("view.py").exists():
            found[cls] = importlib.import_module(f"{cls.__module__}.view")
    return found


VIEWS = views()


@pytest.mark.parametrize("cls", VIEWS, ids=lambda cls: cls.__name__)
def test_hooks_of_a_view_are_bound_by_name(cls):
    for name in HOOKS:
        function = getattr(VIEWS[cls], name, None)
        if inspect.isfunction(function) and function.__module__ == VIEWS[cls].__name__:
            assert getattr(cls, name) is function, f"in {cls.__name__}: {name} = view.{name}"
            expected = list(inspect.signature(getattr(World, name)).parameters.values())[1:]
            shape = [(p.name, p.default) for p in list(inspect.signature(function).parameters.values())[1:]]
            assert shape == [(p.name, p.default) for p in expected], f"view.{name} of {cls.__name__}"


@pytest.mark.parametrize("cls", VIEWS, ids=lambda cls: cls.__name__)
def test_a_view_is_no_base_class(cls):
    assert VIEWS[cls].__name__ not in {base.__module__ for base in cls.__mro__}


@pytest.mark.parametrize("cls", VIEWS, ids=lambda cls: cls.__name__)
def test_no_method_only_calls_the_view(cls):
    tree = ast.parse(inspect.getsource(inspect.getmodule(cls)))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls.__name__)
    for method in (node for node in body if isinstance(node, ast.FunctionDef)):
        last = method.body[-1]
        passes = isinstance(last, ast.Return) and ast.unparse(last).startswith("return view.")
        assert not (passes and len(method.body) == 1), f"{cls.__name__}.{method.name} = a function of its view"


@pytest.mark.parametrize("cls", VIEWS, ids=lambda cls: cls.__name__)
def test_no_hook_is_written_beside_the_view(cls):
    """A base class may have hooks of its own, for all its worlds."""
    for name in HOOKS:
        module = getattr(vars(cls).get(name), "__module__", "")
        assert module != cls.__module__, f"{cls.__name__}.{name} belongs to its view"
