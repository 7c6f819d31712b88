"""Which layer a case is in: each is in one, and a command runs it.

| layer | what is in it | command |
|---|---|---|
| rooms | tests of rooms that have an extra, and tests that import a package of those extras | make test-rooms |
| oracles | comparisons with other packages, which the extra `oracles` installs | make test-oracles |
| slow | what is marked slow or machine, and what `seconds.json` says is (`seconds.py` makes it) | make test-slow |
| long | what is marked long, and what `lengths.json` says is beyond the budget of its file | make test-all |
| quick | the rest, as Python: nothing imports Numba | make test |

What a case imports is found in the code of its test, of its fixtures, and of the functions of tests that these call.
"""

import ast
import dis
import functools
import importlib.util
import inspect
import json
import math
import re
import types
from pathlib import Path

TESTS = Path(__file__).resolve().parent

LAYERS = {"quick", "rooms", "oracles", "slow", "long"}

#: Folders of tests of rooms with an extra.
ROOMS = ("data_sets", "learn", "models", "scale", "serve")

#: By layer, the packages that its cases may import, as their modules are called.
PACKAGES = {
    "rooms": {
        "fastapi", "h5py", "httpx", "minari", "openai", "pyarrow", "ray", "starlette", "torch", "uvicorn",
        "websockets", "yaml",
    },
    "oracles": {
        "crafter", "imageio", "lbforaging", "magent2", "minigrid", "moviepy", "mpe2", "open_spiel", "playwright",
        "pyspiel", "reference_environment", "rware",
    },
    "slow": {"numba", "llvmlite"},
}  # fmt: skip
LAYER = {package: layer for layer, packages in PACKAGES.items() for package in packages}

#: Not installed by an extra: tests of browsers are skipped without it.
OPTIONAL = {"playwright"}

#: CPU seconds as Python: of a quick case, and of the quick cases of a file.
CASE = 0.5
BUDGETS = {"one world": 0.8, "all worlds": 60.0, "docs": 6.0, "other": 6.0}
ALL_WORLDS = {"episodes/test_golden.py", "worlds/test_worlds.py"}

#: CPU seconds of the slow cases of a file, and of those of rooms and oracles; those beyond are long. Documentation that
#: does not run is a defect of each change, so all of it runs.
LENGTHS = {"one world": 5.0, "all worlds": math.inf, "docs": math.inf, "other": 15.0}


# What a case imports.


def codes(code):
    """A code object and those of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def is_ours(thing):
    return str(getattr(thing, "__code__", thing).co_filename).startswith(str(TESTS))


@functools.cache
def of_file(name):
    """The packages that a module of the tests imports, from its source: it may be one that cannot be imported here."""
    found = set()
    for path in TESTS.rglob(f"{name}.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found & LAYER.keys()


@functools.cache
def helpers():
    return {path.stem for path in TESTS.rglob("*_reference.py")} | {"rooms_solver"}


@functools.cache
def direct(function):
    """The packages that a function imports, and the functions of tests that it may call."""
    names, packages = set(), set()
    for code in codes(function.__code__):
        names.update(code.co_names)
        if any(name.partition(".")[0] in LAYER or name in helpers() for name in code.co_names):
            for step in dis.get_instructions(code):
                if step.opname == "IMPORT_NAME":
                    package = step.argval.partition(".")[0]
                    packages |= {package} & LAYER.keys()
                    packages |= of_file(package) if package in helpers() else set()
    called = [function.__globals__.get(name) for name in names]
    for module in called:
        if isinstance(module, types.ModuleType) and str(getattr(module, "__file__", "")).startswith(str(TESTS)):
            called = [*called, *(getattr(module, name, None) for name in names)]
    called += [cell.cell_contents for cell in function.__closure__ or () if cell_is_set(cell)]
    return frozenset(packages), tuple(called)


def cell_is_set(cell):
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def functions(thing):
    """The functions of tests that something is or holds."""
    if isinstance(thing, functools.partial):
        thing = thing.func
    thing = inspect.unwrap(thing) if callable(thing) and hasattr(thing, "__wrapped__") else thing
    if isinstance(thing, types.FunctionType):
        if is_ours(thing):
            yield thing
    elif isinstance(thing, type) and str(getattr(inspect.getmodule(thing), "__file__", "")).startswith(str(TESTS)):
        for member in vars(thing).values():
            yield from functions(getattr(member, "__func__", member))


@functools.cache
def imported(function):
    """The packages that a function of tests imports, by itself or by what it calls."""
    found, seen, todo = set(), set(), [function]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            if one.__module__ == "reference_environment":
                found.add("reference_environment")
            packages, called = direct(one)
            found |= packages
            todo += [more for thing in called for more in functions(thing)]
    return frozenset(found)


def packages(item):
    """The packages, of those that only some layers have, that a case imports."""
    fixtures = [fixture.func for found in item._fixtureinfo.name2fixturedefs.values() for fixture in found]
    given = getattr(item, "callspec", None)
    things = [item.function, *fixtures, *(given.params.values() if given else ())]
    return {name for thing in things for function in functions(thing) for name in imported(function)}


def missing(item):
    """The packages that a case needs and that are not installed."""
    return {name for name in packages(item) - OPTIONAL if importlib.util.find_spec(name) is None}


# Layers.


def budget(file, of=BUDGETS):
    folder, *rest = file.split("/")
    if file in ALL_WORLDS:
        return of["all worlds"]
    if folder == "worlds" and len(rest) == 2:
        return of["one world"]
    return of["docs" if folder == "docs" else "other"]


@functools.cache
def table(name="seconds"):
    """By file, the CPU seconds of its cases; those of the short ones together are those of the case "".

    The table "seconds" is of quick and slow cases as Python, "lengths" of cases of the longer layers.
    """
    return json.loads((TESTS / f"{name}.json").read_text())


@functools.cache
def slow_cases(file):
    """The cases of a file that are slow by the table: above the limit, or the longest of a file above its budget."""
    return beyond(table().get(file, {}), CASE, budget(file))


@functools.cache
def long_cases(file):
    """The longest cases of a file whose slow ones are above their budget."""
    return beyond(table("lengths").get(file, {}), math.inf, budget(file, LENGTHS))


def beyond(seconds, most, budget):
    """The cases above `most`, and the longest of those that together are above a budget."""
    spent, found = seconds.get("", 0.0), set()
    for name, time in sorted(seconds.items(), key=lambda case: case[1]):
        if name:
            spent += time
            if time > most or spent > budget:
                found.add(name)
    return found


def file_of(item):
    return item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else item.path.name


def case_of(item):
    return item.nodeid.partition("::")[2]


def layer(item, measured=True):
    """The layer of a case, from its folder, its marks, what it imports, and what it takes if that is `measured`."""
    found = unmeasured(item)
    if measured and found == "quick" and case_of(item) in slow_cases(file_of(item)):
        found = "slow"
    if measured and found not in ("quick", "long") and case_of(item) in long_cases(file_of(item)):
        return "long"
    return found


def unmeasured(item):
    file, marks = file_of(item), {mark.name for mark in item.iter_markers()}
    if file.startswith(tuple(f"{folder}/" for folder in ROOMS)):
        return "long" if "long" in marks else "rooms"
    needed = {LAYER[name] for name in packages(item)}
    for name in ("long", "rooms", "oracles", "slow"):
        if name in marks | needed:
            return name
    return "slow" if "machine" in marks else "quick"


def is_of_machine_code(path):
    """Whether all cases of a file are."""
    return "\npytestmark = pytest.mark.machine" in path.read_text()


# Layers of one world.


def spec_of(world):
    from envsuite import registry

    return registry.spec(world)


def concerns(path, world):
    """Whether a file of tests may have a case of a world: its own tests, and files with cases of all worlds."""
    return of_world(path, world) or ".ids()" in path.read_text()


@functools.cache
def of_world(path, world):
    """Whether a file of tests is about a world: it is called after its module, or it imports that."""
    spec = spec_of(world)
    _, family, module = spec.entry_point.partition(":")[0].split(".", 2)
    if path.parent != TESTS / "worlds" / family:
        return False
    imports = rf"envsuite\.{family}\.{module}\b|from envsuite\.{family} import [^\n]*\b{module}\b|{spec.id}"
    return path.stem == f"test_{module}" or bool(re.search(imports, path.read_text()))


def is_of(item, world):
    return f"{spec_of(world).id}" in case_of(item) or of_world(item.path, world)
