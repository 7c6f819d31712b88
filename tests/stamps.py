"""Cases are skipped while nothing that they reach has changed since they passed.

This applies to runs with the option ``--unchanged``, which `.ci/run` and the longer targets of the Makefile give;
``--all`` runs all. The stamp of a case is a
hash of its file's source, of the sources and data that it reaches, and of the versions of Python and of the packages
that these import. A world's id in the name of a case, such as ``test_world[sight-envsuite/Hanabi-v0]``, narrows that
to this world, its policies and what all worlds share. The stamps of cases that passed are kept beside compiled code,
in the folder ``passed``: a file for each file of tests.
"""

import ast
import hashlib
import importlib.metadata
import json
import os
import platform
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import kit
import pytest

from envsuite import registry
from envsuite.compile import switches
from envsuite.compile.cache import cache_folder

#: Tests in these folders reach what they import or name; those in the others reach everything.
PRECISE = ("worlds", "solvers", "generators", "episodes")

_PACKAGES = {"envsuite.render": kit.ROOT / "render", "envsuite": kit.ROOT / "envsuite"}

#: Folders of worlds, and packages of which every file counts.
FAMILIES = [kit.ROOT / "envsuite" / name for name in ("games", "gridworlds", "social", "dual_control")]
WHOLE = [kit.ROOT / "envsuite" / "compile"]

ID = re.compile(r"envsuite/\w+-v\d+")


@cache
def everything() -> frozenset[Path]:
    """The files of the package, of its tests, documentation and examples."""
    folders = ("envsuite", "render", "tests", "docs", "examples", "benchmarks")
    found = [path for name in folders for path in (kit.ROOT / name).rglob("*")]
    return frozenset(filter(is_source, [*found, *kit.ROOT.glob("*.*")]))


@cache
def module_file(name: str, beside: Path) -> Path | None:
    """The file of one of our modules, as a file in the folder `beside` imports it."""
    package = next((package for package in _PACKAGES if f"{name}.".startswith(f"{package}.")), None)
    if package:
        path = _PACKAGES[package].joinpath(*name.split(".")[package.count(".") + 1 :])
    else:
        path = (beside if (beside / f"{name}.py").exists() else kit.ROOT / "tests").joinpath(*name.split("."))
    return next((file for file in (path.with_name(path.name + ".py"), path / "__init__.py") if file.is_file()), None)


def imported(name: str, beside: Path) -> set[Path]:
    """The files that an import of this module runs: its own and those of the packages around it."""
    parts = name.split(".")
    return {file for k in range(len(parts)) if (file := module_file(".".join(parts[: k + 1]), beside))}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imports(nodes: Iterable[ast.AST]) -> set[str]:
    """The names of modules that a source imports anywhere; of names from a package, some are no modules."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@cache
def package_files(package: Path) -> frozenset[Path]:
    """The files in the folder of a package that does more than hold modules: it may look them up by name.

    Of a world and of the compiler, those in folders below too.
    """
    folder = package.parent
    if folder in _PACKAGES.values() or not (folder in WHOLE or len(parsed(package).body) > 1):
        return frozenset()
    deep = folder in WHOLE or folder.parent in FAMILIES
    return frozenset(path for path in (folder.rglob if deep else folder.glob)("*") if is_source(path))


def is_source(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


@cache
def direct(path: Path) -> tuple[frozenset[Path], frozenset[str], bool]:
    """The files that a source imports or names, the foreign packages that it imports, and if it reaches all worlds."""
    nodes = list(ast.walk(parsed(path)))
    files, packages = set(), set()
    for name in imports(nodes):
        found = imported(name, path.parent)
        packages.add(name.partition(".")[0])
        whole = [file for file in found if file.parent in WHOLE or file == module_file(name, path.parent)]
        files |= found.union(*(package_files(file) for file in whole if file.name == "__init__.py"))
    if path == kit.ROOT / "envsuite" / "registry.py":
        return frozenset(files), frozenset(packages), False
    everyone = False
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            files |= named(node.value, path)
        everyone |= isinstance(node, ast.Attribute) and node.attr == "ids"
    files |= policies_of(path)
    return frozenset(files - {path}), frozenset(packages), everyone and path.is_relative_to(kit.ROOT / "tests")


@cache
def world_files(id: str) -> frozenset[Path]:
    """The files of a world itself and of its policies."""
    spec = registry.spec(id)
    names = [spec.entry_point.partition(":")[0], *filter(None, [spec.policies])]
    found = {file for name in names for file in imported(name, kit.ROOT)}
    mains = [module_file(name, kit.ROOT) for name in names]
    return frozenset(found.union(*(package_files(file) for file in mains if file and file.name == "__init__.py")))


@cache
def policies_by_world() -> dict[Path, set[Path]]:
    """By the file of a world, those of its policies, which are looked up by name."""
    found: dict[Path, set[Path]] = {}
    for spec in map(registry.spec, registry.ids()):
        file = module_file(spec.entry_point.partition(":")[0], kit.ROOT)
        if file and spec.policies:
            found.setdefault(file, set()).update(imported(spec.policies, kit.ROOT))
    return found


def policies_of(path: Path) -> set[Path]:
    return policies_by_world().get(path, set())


def named(text: str, path: Path) -> set[Path]:
    """The files that a text in a source means: a module, a world's id, test data, or what lies beside the source."""
    if re.fullmatch(r"envsuite(\.\w+)+(:\w+)?", text):
        return imported(text.partition(":")[0], path.parent)
    if text in registry.ids():
        return set(world_files(text))
    if not re.fullmatch(r"\w[\w.-]*", text):
        return set()
    return {file for file in (path.with_name(text), *data_files().get(text, ())) if file.is_file()}


@cache
def data_files() -> dict[str, list[Path]]:
    """The files of test data by their names; those of a world lie in a folder of its name."""
    found: dict[str, list[Path]] = {}
    for path in kit.DATA.rglob("*.*"):
        found.setdefault(path.name, []).append(path)
    return found


@cache
def same_data() -> frozenset[Path]:
    """The test data that many worlds have under one name, such as their golden episodes."""
    return frozenset(path for paths in data_files().values() if len(paths) > 1 for path in paths)


def own_data(id: str) -> frozenset[Path]:
    return frozenset(path for path in (kit.DATA / registry.short_name(id)).rglob("*") if path.is_file())


@cache
def foreign_to(id: str) -> frozenset[Path]:
    """What belongs to other worlds alone: their files, policies and data, and the tests of worlds."""
    ids = [other for other in registry.ids() if other != id]
    others = {file for other in ids for file in (*world_files(other), *own_data(other))}
    shared = {file for file in everything() if file.name == "__init__.py" and not package_files(file)}
    tests = {file for file in everything() if file.parent.parent == kit.ROOT / "tests" / "worlds"}
    return frozenset((others | tests) - shared - closure(world_files(id))[0])


@cache
def closure(start: frozenset[Path], narrowed: bool = True) -> tuple[frozenset[Path], frozenset[str]]:
    """All files that some files reach, and the foreign packages that these import; `narrowed` not to all worlds."""
    files, packages, todo = set(), set(), set(start)
    while todo:
        path = todo.pop()
        files.add(path)
        if path.suffix == ".py":
            more, names, everyone = direct(path)
            packages |= names
            todo |= (more | (everything() if everyone and not narrowed else frozenset())) - files
    return frozenset(files), frozenset(packages)


@cache
def parts(test: Path, ids: frozenset[str] = frozenset()) -> tuple[tuple[frozenset[Path], frozenset[str]], ...]:
    """What cases of a test file reach whose names have these ids: parts that many cases share."""
    precise = test.relative_to(kit.ROOT / "tests").parts[0] in PRECISE
    if not ids:
        return (closure(frozenset({test}) if precise else everything(), narrowed=False),)
    worlds = [closure(world_files(id)) if precise else (everything() - foreign_to(id), frozenset()) for id in ids]
    own = [((files - same_data()) | own_data(id), packages) for id, (files, packages) in zip(ids, worlds)]
    files, packages = closure(frozenset({test}))
    return (files - same_data(), packages), *own


def reached(test: Path, ids: frozenset[str] = frozenset()) -> tuple[frozenset[Path], frozenset[str]]:
    """All files that these cases reach, and the foreign packages that these import."""
    files, packages = zip(*parts(test, ids))
    return frozenset().union(*files), frozenset().union(*packages)


@cache
def content(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


@cache
def distributions() -> dict[str, list[str]]:
    """The installed packages, by the modules that they hold."""
    return dict(importlib.metadata.packages_distributions())


version = cache(importlib.metadata.version)


def digest(lines: Iterable[str]) -> str:
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=12).hexdigest()


@cache
def stamp_of_part(files: frozenset[Path], packages: frozenset[str]) -> str:
    needed = {*packages, "numba", "llvmlite"} - {"envsuite"}
    names = {name for package in needed for name in distributions().get(package, ())}
    sources = (f"{path.as_posix().removeprefix(kit.ROOT.as_posix())} {content(path)}" for path in files)
    return digest([*sorted(sources), *(f"{name} {version(name)}" for name in sorted(names))])


@cache
def stamp(test: Path, ids: frozenset[str] = frozenset()) -> str:
    """The stamp of the cases of a test file whose names have these ids."""
    system = f"{platform.python_version()} {platform.machine()} {switches.BOUNDSCHECK} {switches.PYTHON}"
    return digest([system, *sorted(stamp_of_part(*part) for part in parts(test, ids))])


def stamp_of(nodeid: str) -> str:
    file, _, case = nodeid.partition("::")
    known = frozenset(ID.findall(case)) & frozenset(registry.ids())
    return stamp(kit.ROOT / file, known)


# What passed. A run as Python, as machine code and with bounds checks has files of its own.


def kept(file: str) -> Path:
    mode = "python" if switches.PYTHON else "bounds" if switches.BOUNDSCHECK else "machine"
    name = file.removeprefix("tests/").removesuffix(".py").replace("/", ".")
    return cache_folder() / "passed" / f"{name}.{mode}.json"


def passed(file: str) -> dict[str, str]:
    """By case, the stamps with which the cases of a file passed."""
    try:
        return dict(json.loads(kept(file).read_text()))
    except (OSError, ValueError):
        return {}


def keep(file: str, found: dict[str, str]) -> None:
    """Add to what passed. Of two runs that write at once one is lost, and its cases run again."""
    path = kept(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(passed(file) | found))
    part.replace(path)


#: After how many cases a run keeps what has passed.
OFTEN = 100


class Stamps:
    """The plugin. Workers collect and select; the process that they report to keeps the stamps and says it all."""

    def __init__(self, config):
        self.config = config
        self.unchanged: set[str] = set()  # cases
        self.passed: dict[str, dict[str, str]] = {}  # by file and case, the stamps
        self.calls: set[str] = set()  # cases that passed but for their teardown
        self.failed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        known: dict[str, dict[str, str]] = {}
        for item in items:
            file, _, case = item.nodeid.partition("::")
            if file not in known:
                known[file] = passed(file)
            if case in known[file] and known[file][case] == stamp_of(item.nodeid):
                self.unchanged.add(item.nodeid)
        self.config.hook.pytest_deselected(items=[item for item in items if item.nodeid in self.unchanged])
        items[:] = [item for item in items if item.nodeid not in self.unchanged]
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["unchanged"] = len(self.unchanged)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.skipped = getattr(node, "workeroutput", {}).get("unchanged", 0)

    def pytest_runtest_logreport(self, report):
        if report.outcome != "passed":
            self.failed.add(report.nodeid)
        elif report.when == "call":
            self.calls.add(report.nodeid)
        elif report.when == "teardown" and report.nodeid in self.calls - self.failed:
            file, _, case = report.nodeid.partition("::")
            self.passed.setdefault(file, {})[case] = report.nodeid
            if sum(map(len, self.passed.values())) == OFTEN:
                self.keep()

    def keep(self):
        """Keep what has passed so far: a run that is stopped continues there."""
        if not hasattr(self.config, "workeroutput"):
            for file, cases in self.passed.items():
                keep(file, {case: stamp_of(name) for case, name in cases.items()})
            self.passed.clear()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if hasattr(self.config, "workeroutput"):
            return
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.count():
            session.exitstatus = pytest.ExitCode.OK
        self.keep()

    def count(self):
        return len(self.unchanged) or getattr(self, "skipped", 0)

    def pytest_terminal_summary(self, terminalreporter):
        if self.count():
            terminalreporter.write_line(f"{self.count():,} cases skipped, unchanged since they passed; --all runs them")


def pytest_addoption(parser):
    parser.addoption("--unchanged", action="store_true", help="skip cases that reach nothing changed since they passed")
    parser.addoption("--all", action="store_true", help="run unchanged cases too")


def pytest_configure(config):
    if config.option.unchanged and not config.option.all:
        config.pluginmanager.register(Stamps(config))
