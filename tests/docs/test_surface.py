"""The public interface: a table of names, each imported when it is first used."""

import ast
import importlib.util
import inspect
import json
import re
import subprocess
import sys
from types import ModuleType

import pytest
from kit import ROOT

import envsuite

#: Public modules: those of worlds, and adapters to the libraries after which they are named.
MODULES = re.compile(
    r"envsuite\.(games|gridworlds|social|dual_control)\.\w+|envsuite\.interfaces\.(sb3|rllib|benchmarl)"
)

#: Imports of examples that show how internal parts work together.
INTERNAL = {
    ("examples/demo.py", "envsuite.cli.gallery"),
    ("examples/demo.py", "envsuite.cli.common"),
    ("examples/demo.py", "envsuite:registry"),
}


def source_of(place):
    """The tree of the module in which a public name is defined."""
    path = importlib.util.find_spec(place.partition(":")[0]).origin
    with open(path, encoding="utf-8") as file:
        return ast.parse(file.read())


@pytest.mark.parametrize("name, place", envsuite.PUBLIC.items())
def test_a_public_name_resolves_and_has_a_docstring(name, place):
    """Read from its module, since the libraries that some modules need may be missing; resolved if they are there."""
    tree, defined = source_of(place), place.partition(":")[2]
    if defined:
        assert defined == name
        (tree,) = (node for node in tree.body if getattr(node, "name", None) == defined)
    assert ast.get_docstring(tree)
    try:
        found = getattr(envsuite, name)
    except ModuleNotFoundError as error:
        assert error.name.partition(".")[0] == "torch"
    else:
        assert inspect.getdoc(found) and isinstance(found, ModuleType) == (not defined)
        assert vars(envsuite)[name] is found, "it is looked up once"


def test_public_names_are_listed_and_hide_no_package():
    assert set(envsuite.PUBLIC) < set(envsuite.__all__) <= set(dir(envsuite))
    assert len(set(envsuite.__all__)) == len(envsuite.__all__)
    packages = {path.name for path in (ROOT / "envsuite").iterdir()} | {"render", "registry"}
    assert not packages & set(envsuite.__all__)


def test_an_unknown_name_is_an_error_with_a_suggestion():
    with pytest.raises(AttributeError, match="has no attribute 'CFRplus'; did you mean 'CFRPlus'"):
        envsuite.CFRplus  # noqa: B018


def test_names_are_imported_when_they_are_used():
    code = (
        "import sys, envsuite\n"
        "dir(envsuite)\n"
        "heavy = {'numba', 'pygame', 'torch', 'rich', 'envsuite.core.world', 'envsuite.solvers.cfr'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "assert envsuite.CFRPlus.__name__ == 'CFRPlus' and 'envsuite.solvers.cfr' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def sources():
    """The Python code of pages and examples, by file."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for path in pages:
        yield path, "\n".join(re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL))
    cells = json.loads((ROOT / "docs" / "tutorial.ipynb").read_text("utf-8"))["cells"]
    code = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    yield ROOT / "docs" / "tutorial.ipynb", "\n".join(code)
    for path in (ROOT / "examples").glob("*.py"):
        yield path, path.read_text("utf-8")


def imported(code):
    """The modules of ours, and the names in the package, that code imports."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module == "envsuite":
            yield from (f"envsuite:{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("envsuite."):
            yield from (
                f"{node.module}.{alias.name}" if node.module.count(".") == 1 else node.module for alias in node.names
            )
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("envsuite."))


def test_pages_and_examples_use_the_public_interface():
    public = {f"envsuite:{name}" for name in envsuite.__all__} | set(envsuite.PUBLIC.values())
    wrong = {
        (path.relative_to(ROOT).as_posix(), name)
        for path, code in sources()
        for name in imported(code)
        if name not in public and not MODULES.match(name)
    }
    assert wrong == INTERNAL
