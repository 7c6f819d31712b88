"""Type hints: every function that is no kernel has them all. mypy cannot tell kernels from other functions."""

import ast

import pytest
from kit import ROOT

#: Decorators that make kernels of functions; those of the second line stand in one module each.
MARKS = {"kernel", "large_kernel", "piece", "policy", "compiled_as", "intrinsic"}
MARKS |= {"where", "_where", "_part", "_in", "reactive"}

#: Functions that make kernels of their arguments.
MAKERS = {"by_fields", "by_form", "bind", "kernel", "_chance", "_compiled", "_compiled_act"}

ROOMS = sorted(path for path in (ROOT / "envsuite").iterdir() if path.is_dir() and path.name != "__pycache__")


def called(node):
    """What a decorator or a call names."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def passed_on(tree):
    """The names in statements and decorators that make kernels."""
    for node in ast.walk(tree):
        simple = isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return))
        for part in [node] if simple else getattr(node, "decorator_list", []):
            inner = list(ast.walk(part))
            if any(isinstance(one, ast.Call) and called(one) in MAKERS for one in inner):
                yield from (one.id for one in inner if isinstance(one, ast.Name))


def functions(node, owner=None):
    """All functions, and the class or function in which each stands."""
    for child in ast.iter_child_nodes(node):
        is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function:
            yield child, owner
        yield from functions(child, child if is_function or isinstance(child, ast.ClassDef) else owner)


def lacking(function, owner):
    """The parameters without a type hint, and "return"."""
    listed = function.args
    named = [*listed.posonlyargs, *listed.args, *listed.kwonlyargs, listed.vararg, listed.kwarg]
    static = "staticmethod" in map(called, function.decorator_list)
    own = [name for name in named if name is not None][isinstance(owner, ast.ClassDef) and not static :]
    implied = function.name == "__init__" and own  # that it returns None
    return [name.arg for name in own if name.annotation is None] + ["return"] * (not function.returns and not implied)


def untyped(source):
    """The functions of a file that are no kernels and lack type hints."""
    tree = ast.parse(source)
    left = []
    for function, owner in functions(tree):
        marked = MARKS & {called(mark) for mark in function.decorator_list}
        if not marked and (missing := lacking(function, owner)):
            left.append((function.name, missing))
    kernels = set(passed_on(tree)) if left else set()
    return [f"{name}: {', '.join(missing)}" for name, missing in left if name not in kernels]


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.name)
def test_functions_have_type_hints(room):
    paths = sorted(room.rglob("*.py"))
    found = {path.name: lacks for path in paths if (lacks := untyped(path.read_text("utf-8")))}
    assert not found


@pytest.mark.parametrize(
    "source, words",
    [
        ("def f(x): ...", ["f: x, return"]),
        ("def f(x: int): ...", ["f: return"]),
        ("@kernel\ndef f(x): ...", []),
        ("@kit.kernel\ndef f(x): ...", []),
        ("@policy('A', 'b')\ndef f(x): ...", []),
        ("def f(x): ...\n@_chance(f)\ndef g() -> None: ...", []),
        ("def f(x): ...\ng = by_fields(test, f, f)", []),
        ("class A:\n  def f(self): ...", ["f: return"]),
        ("class A:\n  def __init__(self, x: int): ...\n  def g(self, *y) -> None: ...", ["g: y"]),
        ("class A:\n  def __init__(self): ...", ["__init__: return"]),
        ("class A:\n  @staticmethod\n  def f(x) -> None: ...", ["f: x"]),
        ("def f() -> None:\n  def g(x): ...", ["g: x, return"]),
    ],
)
def test_missing_hints_are_found(source, words):
    assert untyped(source) == words
