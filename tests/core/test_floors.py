"""The floors of the house: an import runs down only, no files import each other, and a file name stands once."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache

import pytest
from kit import ROOT

#: From the ground up. A module is on the floor that names it, or the package nearest to it.
FLOORS = (
    ("core.errors", "core.digits", "render.theme", "render.scene"),  # data
    ("core.record", "core.kernel"),  # marks
    ("compile",),  # how marked functions become machine code
    ("core", "registry"),
    ("scale",),  # jobs of blocks, of which the floors above make kinds
    ("kit",),
    ("generators",),  # below the worlds, which draw their levels with them
    ("games", "gridworlds", "social", "dual_control"),
    ("generators.layouts",),  # a kind of level that takes the layouts of worlds
    ("render",),  # drawing, and a window that shows what it is given
    ("reading",),  # from a sentence to an action
    ("talk",),  # words beside an episode
    ("interfaces",),
    ("agents",),
    ("solvers",),
    ("learn",),
    ("episodes",),
    ("evaluation",),
    ("learn.tasks", "learn.adversary"),  # measure what was trained
    ("data",),
    ("models",),  # language models, which play, and are evaluated
    ("render.viewer", "render.player", "serve"),  # windows on episodes, and seats in browsers
    ("testing",),
    ("",),  # `import envsuite`
    ("cli",),
)
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}

#: Where a name "module:object" is looked up that stands on a higher floor: ids, planners, the generators of a kind of
#: level, the window that follows, and the report of a desk.
DOORWAYS = {"registry", "core.policy", "generators.kinds", "interfaces.single", "kit.desk"}

#: The names of the files of a world in several files, and ``levels_*`` where it has several generators.
PARTS = {
    "levels", "rules", "sight", "tasks", "terms", "tools", "view", "pages", "pictures", "reading",
    "actions", "activities", "barrier", "book", "crowd", "domains", "economy", "families", "fights", "hands", "items",
    "kernels", "language", "laws", "layouts", "map", "market", "nearby", "nouns", "objectives", "orders", "parts",
    "pieces", "press", "roads", "units", "words",
}  # fmt: skip

FILES = {
    ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix("__init__").rstrip("."): path
    for folder, pattern in ((ROOT / "envsuite", "**/*.py"), (ROOT, "render/*.py"))
    for path in sorted(folder.glob(pattern))
    if path.parent != ROOT / "envsuite" / "render"  # a link to the other in some checkouts
}


def floor(module):
    parts = module.split(".")
    return next(FLOOR[name] for k in range(len(parts), -1, -1) if (name := ".".join(parts[:k])) in FLOOR)


def nodes(tree):
    """All nodes but those under `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            yield node
            yield from nodes(node)


def imported(node):
    """The files of ours that an import names, as keys of FILES."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        assert node.level == 0, ast.unparse(node)
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    for name in names:
        package, _, inner = name.partition(".")
        if package == "envsuite":
            yield inner if inner in FILES else inner.rpartition(".")[0]


FAMILIES = ("games", "gridworlds", "social", "dual_control")

#: The files of worlds in several files, but for the worlds themselves, which are their packages.
PARTS_OF_WORLDS = {name for name in FILES if re.fullmatch(rf"({'|'.join(FAMILIES)})(\.\w+){{2}}", name)}


@cache
def trees():
    """The nodes of all files. Tests ask for them, so that a run of other tests parses nothing."""
    return {name: list(nodes(ast.parse(path.read_text()))) for name, path in FILES.items()}


def arrows_of(tree):
    """The files of ours that these nodes import."""
    return {to for node in tree if isinstance(node, (ast.Import, ast.ImportFrom)) for to in imported(node)}


@cache
def arrows():
    return {name: arrows_of(tree) for name, tree in trees().items()}


def test_arrows_run_down():
    assert len(FILES) > 200
    up = [f"{name} imports {to}" for name, found in arrows().items() for to in found if floor(to) > floor(name)]
    assert not up, up


def test_only_doorways_name_what_is_above_them():
    found = {
        name
        for name, tree in trees().items()
        for node in tree
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (match := re.fullmatch(r"envsuite\.([\w.]+):\w+", node.value)) and floor(match[1]) > floor(name)
    }
    assert found == DOORWAYS


def circle(between):
    """The files, of those that these arrows are between, that are part of a circle or lie between two."""
    left = dict(between)
    while ends := [name for name in left if not left[name] or not any(name in found for found in left.values())]:
        for name in ends:
            del left[name]
        left = {name: found & left.keys() for name, found in left.items()}
    return left


def test_no_circles():
    assert not circle(arrows())


def test_the_compiler_has_no_circles_of_hints():
    """Imports for type hints included."""
    names = [name for name in FILES if name.startswith("compile") or name == "core.kernel"]
    hinted = {name: ast.walk(ast.parse(FILES[name].read_text())) for name in names}
    assert not circle({name: arrows_of(tree) & hinted.keys() for name, tree in hinted.items()})


def test_scenes_are_data():
    assert arrows()["render.scene"] | arrows()["render.theme"] <= {"core.errors", "core.digits", "render.theme"}


def room(name):
    return name.partition(".")[0]


def test_a_file_name_stands_once_in_its_room():
    """A name that two rooms have, such as a world's and its baselines', means the same thing in both."""
    names = Counter((room(name), name.rpartition(".")[2]) for name in FILES if name not in PARTS_OF_WORLDS)
    assert [name for name, times in names.items() if times > 1] == []
    tests = Counter(path.name for path in (ROOT / "tests").rglob("*.py"))
    assert max(tests.values()) == 1, tests.most_common(3)


def test_the_parts_of_worlds_have_known_names():
    found = {name.rpartition(".")[2] for name in PARTS_OF_WORLDS}
    assert {name for name in found if not name.startswith("levels_")} == PARTS


def world_of(name):
    """The world that a file belongs to, of which it is a part or has the baselines; of other files, the file."""
    family, *rest = name.removeprefix("agents.").split(".")
    return f"{family}.{rest[0]}" if rest and family in FAMILIES else name


def users(piece):
    """The worlds, and the files above them, that use a piece, by themselves or by other pieces."""
    found, todo = set(), {piece}
    while todo:
        here = todo.pop()
        using = {name for name, to in arrows().items() if here in to}
        shared = {name for name in using if room(name) in ("kit", "generators")}
        todo |= shared
        found |= {world_of(name) for name in using - shared}
    return found


@pytest.mark.slow  # it parses all files
def test_what_one_world_uses_lives_with_that_world():
    found = {name: users(name) for name in FILES if name.startswith(("kit.", "generators."))}
    assert len(found) > 50 and found["kit.council"] == {"social.avalon", "social.secret_hitler"}
    assert [name for name, by in found.items() if len(by) == 1 and room(min(by)) in FAMILIES] == []


def test_numba_is_imported_in_one_place():
    """By intrinsics too, which are imported only to compile."""
    found = {
        name
        for name, tree in trees().items()
        for node in tree
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for module in [getattr(node, "module", None), *(alias.name for alias in node.names)]
        if (module or "").partition(".")[0] in ("numba", "llvmlite")
    }
    assert all(name.startswith("compile.numba_.") or name.endswith("_machine") for name in found), found


def test_recorders_import_what_there_is():
    """They run when data is recorded, and not in tests."""
    paths = sorted((ROOT / "tests" / "data" / "recorders").glob("*.py"))
    imports = [
        found for path in paths for found in re.findall(r"^ *from envsuite\.(\S+) import (.+)", path.read_text(), re.M)
    ]
    assert len(imports) > 20
    for module, names in imports:
        for name in re.findall(r"\w+", names.partition("#")[0]):
            assert f"{module}.{name}" in FILES or name in FILES[module].read_text(), (module, name)


def test_the_documentation_lists_every_room():
    rooms = {room(name) for name, path in FILES.items() if path.parent != ROOT / "envsuite"}
    text = (ROOT / "docs" / "design.md").read_text()
    assert "talk" in rooms and [name for name in sorted(rooms) if f"`{name}/" not in text] == []


def test_every_folder_is_installed():
    """setup.py finds the folders that have an `__init__.py`."""
    folders = {path.parent for path in FILES.values()}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_every_file_is_installed():
    """The files that are not Python are named by patterns in pyproject.toml, of which each matches something."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    matched = {(name, pattern): set(matches(name, pattern)) for name, patterns in data.items() for pattern in patterns}
    found = {path for top in ("envsuite", "render") for path in (ROOT / top).rglob("*.*") if path.is_file()}
    left = found - set().union(*matched.values())
    left = {path for path in left if path.suffix not in (".py", ".pyc") and path.parent != ROOT / "envsuite" / "render"}
    assert not left, "package-data lacks them"
    assert [key for key, paths in matched.items() if not paths] in ([], [("envsuite", "native.so")])


def matches(package, pattern):
    return (ROOT / package.replace("envsuite.render", "render").replace(".", "/")).glob(pattern)
