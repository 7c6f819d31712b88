"""Slow tests are skipped while nothing that they reach has changed since they passed.

This applies to a run of whole files with ``-m slow``. The stamp of a test file is a hash of its own source, of the
sources and data that it reaches, and of the versions of Python and of the packages that these import. The stamps of
files whose slow tests have all passed are kept beside compiled code, in the folder ``passed``. ``--all`` runs all.
"""

import ast
import hashlib
import importlib.metadata
import platform
import re
from functools import cache
from pathlib import Path

import kit
import pytest

from envsuite import registry
from envsuite.core import switches
from envsuite.core.kernel import cache_folder

#: Tests in these folders reach what they import or name; those in the others reach everything.
PRECISE = ("worlds", "solvers", "generators", "episodes")

_PACKAGES = {"envsuite.render": kit.ROOT / "render", "envsuite": kit.ROOT / "envsuite"}


@cache
def everything() -> frozenset[Path]:
    """The files of the package, of its tests, documentation and examples."""
    folders = ("envsuite", "render", "tests", "docs", "examples", "benchmarks")
    found = [path for name in folders for path in (kit.ROOT / name).rglob("*") if "__pycache__" not in path.parts]
    return frozenset(path for path in [*found, *kit.ROOT.glob("*.*")] if path.is_file())


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


def imports(tree: ast.AST) -> set[str]:
    """The names of modules that a source imports anywhere; of names from a package, some are no modules."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@cache
def direct(path: Path) -> tuple[frozenset[Path], frozenset[str]]:
    """The files that a source imports or names, and the foreign packages that it imports."""
    tree = ast.parse(path.read_text())
    files, packages = set(), set()
    for name in imports(tree):
        files |= imported(name, path.parent)
        packages.add(name.partition(".")[0])
        package = module_file(name, path.parent)
        if (
            package
            and package.name == "__init__.py"
            and name not in _PACKAGES
            and len(ast.parse(package.read_text()).body) > 1
        ):
            files |= set(package.parent.glob("*.py"))  # which it may look up by name
    if path == kit.ROOT / "envsuite" / "registry.py":
        return frozenset(files), frozenset(packages)
    ours = path.is_relative_to(kit.ROOT / "tests")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            files |= named(node.value, path)
        elif ours and isinstance(node, ast.Attribute) and node.attr == "ids":  # all worlds
            files |= everything()
    for spec in map(registry.spec, registry.ids()):
        if module_file(spec.entry_point.partition(":")[0], path.parent) == path and spec.policies:
            files |= imported(spec.policies, path.parent)
    return frozenset(files - {path}), frozenset(packages)


def named(text: str, path: Path) -> set[Path]:
    """The files that a text in a source means: a module, a world's id, test data, or what lies beside the source."""
    if re.fullmatch(r"envsuite(\.\w+)+(:\w+)?", text):
        return imported(text.partition(":")[0], path.parent)
    if text in registry.ids():
        return imported(registry.spec(text).entry_point.partition(":")[0], path.parent)
    if not re.fullmatch(r"\w[\w.-]*", text):
        return set()
    data = kit.DATA / text
    return {file for file in (path.with_name(text), data, *data.rglob("*")) if file.is_file()}


def reached(test: Path) -> tuple[set[Path], set[str]]:
    """All files that a test file reaches, and the foreign packages that these import."""
    files, packages, todo = set(), set(), {test}
    if test.relative_to(kit.ROOT / "tests").parts[0] not in PRECISE:
        todo |= everything()
    while todo:
        path = todo.pop()
        files.add(path)
        if path.suffix == ".py":
            more, names = direct(path)
            packages |= names
            todo |= more - files
    return files, packages


@cache
def content(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


@cache
def distributions() -> dict[str, list[str]]:
    """The installed packages, by the modules that they hold."""
    return dict(importlib.metadata.packages_distributions())


def stamp(test: Path) -> str:
    """The stamp of a test file, which begins with the file's name."""
    files, packages = reached(test)
    needed = {
        name for package in {*packages, "numba", "llvmlite"} - {"envsuite"} for name in distributions().get(package, ())
    }
    parts = [
        *(f"{path.relative_to(kit.ROOT)} {content(path)}" for path in sorted(files)),
        *(f"{name} {importlib.metadata.version(name)}" for name in sorted(needed)),
        f"{platform.python_version()} {platform.machine()}",
        f"{switches.BOUNDSCHECK} {switches.PYTHON}",
    ]
    return f"{test.stem}-{hashlib.blake2b(chr(10).join(parts).encode(), digest_size=16).hexdigest()}"


def folder() -> Path:
    return cache_folder() / "passed"


class Stamps:
    """The plugin. Workers collect and select; the process that they report to keeps the stamps and says it all."""

    def __init__(self, config):
        self.config = config
        self.unchanged: set[str] = set()  # test files
        self.expected: dict[str, tuple[str, int]] = {}  # by test file: its stamp, and how many slow tests it has
        self.passed: dict[str, int] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        files: dict[Path, list[pytest.Item]] = {}
        for item in items:
            files.setdefault(item.path, []).append(item)
        for path, tests in files.items():
            made, name = stamp(path), str(path.relative_to(kit.ROOT))
            if (folder() / made).exists() and not self.config.option.all:
                self.unchanged.add(name)
                self.config.hook.pytest_deselected(items=tests)
            else:
                self.expected[name] = made, len(tests)
        items[:] = [item for item in items if str(item.path.relative_to(kit.ROOT)) in self.expected]
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["stamps"] = sorted(self.unchanged), self.expected

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        unchanged, expected = getattr(node, "workeroutput", {}).get("stamps", ((), {}))
        self.unchanged |= set(unchanged)
        self.expected |= expected

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.partition("::")[0]
        if report.when == "call" and report.outcome == "passed":
            self.passed[name] = self.passed.get(name, 0) + 1
        elif report.outcome != "passed":
            self.failed.add(name)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if hasattr(self.config, "workeroutput"):
            return
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.unchanged:
            session.exitstatus = pytest.ExitCode.OK
        for name, (made, tests) in self.expected.items():
            if self.passed.get(name) == tests and name not in self.failed:
                folder().mkdir(exist_ok=True)
                (folder() / made).touch()

    def pytest_terminal_summary(self, terminalreporter):
        if self.unchanged:
            names = ", ".join(sorted(name.removeprefix("tests/") for name in self.unchanged))
            terminalreporter.write_line(f"skipped, unchanged since they passed: {len(self.unchanged)} files: {names}")


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="run slow tests of unchanged files too")


def pytest_configure(config):
    option = config.option
    if option.markexpr == "slow" and not option.keyword and not any("::" in text for text in config.args):
        config.pluginmanager.register(Stamps(config))
