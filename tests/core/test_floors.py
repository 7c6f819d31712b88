"""The floors of the house: an import runs down only, no files import each other, and a file name stands once."""

import ast
import re
import tomllib
from collections import Counter

from kit import ROOT

#: From the ground up. A module is on the floor that names it, or the package nearest to it.
FLOORS = (
    ("core.errors", "render.theme", "render.scene"),  # data
    ("core", "registry"),
    ("scale",),  # jobs of blocks, of which the floors above make kinds
    ("kit",),
    ("generators",),  # below the worlds, which draw their levels with them
    ("games", "gridworlds", "social", "dual_control"),
    ("generators.layouts",),  # a kind of level that takes the layouts of worlds
    ("render",),  # drawing, and a window that shows what it is given
    ("interfaces",),
    ("agents",),
    ("solvers",),
    ("learn",),
    ("episodes",),
    ("evaluation",),
    ("learn.tasks", "learn.adversary"),  # measure what was trained
    ("data",),
    ("render.viewer", "render.player", "serve"),  # windows on episodes, and seats in browsers
    ("models",),  # language models, which are evaluated
    ("testing",),
    ("",),  # `import envsuite`
    ("cli",),
)
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}

#: Where a name "module:object" is looked up that stands on a higher floor: ids, planners, the window that follows, and
#: the report of a desk.
DOORWAYS = {"registry", "core.policy", "interfaces.single", "kit.desk"}

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


TREES = {name: list(nodes(ast.parse(path.read_text()))) for name, path in FILES.items()}
ARROWS = {
    name: {to for node in tree if isinstance(node, (ast.Import, ast.ImportFrom)) for to in imported(node)}
    for name, tree in TREES.items()
}


def test_arrows_run_down():
    assert len(FILES) > 200
    up = [f"{name} imports {to}" for name, found in ARROWS.items() for to in found if floor(to) > floor(name)]
    assert not up, up


def test_only_doorways_name_what_is_above_them():
    found = {
        name
        for name, tree in TREES.items()
        for node in tree
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (match := re.fullmatch(r"envsuite\.([\w.]+):\w+", node.value)) and floor(match[1]) > floor(name)
    }
    assert found == DOORWAYS


def test_no_circles():
    left = {name: set(found) for name, found in ARROWS.items()}
    while ends := [name for name in left if not left[name] or not any(name in found for found in left.values())]:
        for name in ends:
            del left[name]
        left = {name: found & left.keys() for name, found in left.items()}
    assert not left, left


def test_scenes_are_data():
    assert ARROWS["render.scene"] | ARROWS["render.theme"] <= {"core.errors", "render.theme"}


def test_a_file_name_stands_once():
    """Baselines excepted, which stand in the folder of their world's family under its name."""
    worlds = {name for name in FILES if name.split(".")[0] in ("games", "gridworlds", "social", "dual_control")}
    counted = [name for name in FILES if name.removeprefix("agents.") not in worlds or name in worlds]
    names = Counter(FILES[name].stem for name in counted)
    assert [name for name, times in names.items() if times > 1 and not name.startswith("__")] == []
    tests = Counter(path.name for path in (ROOT / "tests").rglob("*.py"))
    assert max(tests.values()) == 1, tests.most_common(3)


def test_every_folder_is_installed():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {path.parent.relative_to(ROOT).as_posix().replace("/", ".") for path in FILES.values()}
    assert set(listed) == {"envsuite.render" if name == "render" else name for name in folders}
