"""Small changes of a world's kernels, one at a time: those that the world's own tests do not notice survive.

    python tests/mutants.py Harvest              # 40 changes; make mutants W=Harvest N=40
    python tests/mutants.py Harvest -n 20 --seed 1

What the quick tests do not notice is tried with the slow ones too, as machine code.

A change is a constant by one, a comparison, `and` for `or`, or plus for minus. A survivor is either no change of what
the rules do, or a rule that no test holds. The stored playthrough of the world, which notices nearly all, is left out.
"""

import argparse
import ast
import concurrent.futures
import copy
import dataclasses
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import layers
import pytest
import stamps
from rich.progress import track

from envsuite import registry

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("envsuite", "render", "tests", "examples", "docs", "benchmarks", "pyproject.toml", "README.md")

#: Tests that take longer than this multiple of their time without a change, plus these seconds, count as hanging. A
#: change that makes them hang is noticed.
PATIENCE = 4, 60

COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
OPERATED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.And: ast.Or, ast.Or: ast.And}


@dataclass(frozen=True)
class Mutant:
    """A file whose lines from `first` to `last` are a changed function, and the change in words."""

    path: Path
    first: int
    last: int
    source: str
    words: str


def mutants(path: Path) -> list[Mutant]:
    """All changes of the kernels in a file."""
    found = []
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef) and {"kernel", "large_kernel"} & {
            *map(ast.unparse, function.decorator_list)
        }:
            for k, node in enumerate(ast.walk(function)):
                found += [mutant(path, function, k, node, change) for change in changes(node)]
    return found


def changes(node: ast.AST) -> list[ast.AST]:
    """What may stand in the place of a node, apart from its place."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return [ast.Constant(node.value + 1), ast.Constant(node.value - 1)]
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        return [ast.Compare(node.left, [COMPARED[type(node.ops[0])](), *node.ops[1:]], node.comparators)]
    if isinstance(node, ast.BoolOp):
        return [ast.BoolOp(OPERATED[type(node.op)](), node.values)]
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in OPERATED:
        changed = copy.copy(node)
        changed.op = OPERATED[type(node.op)]()
        return [changed]
    return []


def mutant(path: Path, function: ast.FunctionDef, place: int, node: ast.AST, change: ast.AST) -> Mutant:
    """The function with a change in the place of the node at a place of its walk."""
    changed = copy.deepcopy(function)
    target = list(ast.walk(changed))[place]
    target.__class__ = type(change)
    target.__dict__.update({name: copy.deepcopy(value) for name, value in ast.iter_fields(change)})
    first = min(decorator.lineno for decorator in function.decorator_list)
    indent = " " * function.col_offset
    source = "".join(f"{indent}{line}\n" for line in ast.unparse(ast.fix_missing_locations(changed)).splitlines())
    words = f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}  ->  {ast.unparse(change)}"
    return Mutant(path, first, function.end_lineno, source, words)


def sources(world: str) -> list[Path]:
    """The files with the rules of a world, without what it shares with others and without its policies."""
    entry = registry.spec(world).entry_point.partition(":")[0]
    main = stamps.module_file(entry, ROOT)
    return sorted(main.parent.rglob("*.py")) if main.name == "__init__.py" else [main]


def tests_of(world: str) -> tuple[str, ...]:
    """The files of tests of a world alone."""
    files = [path for path in (layers.TESTS / "worlds").rglob("test_*.py") if layers.of_world(path, world)]
    if not files:
        sys.exit(f"{world} has no tests of its own")
    return tuple(str(path.relative_to(ROOT)) for path in sorted(files))


def copied(folder: str) -> Path:
    """A copy of the checkout in which a mutant can be tried."""
    root = Path(tempfile.mkdtemp(dir=folder))
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name)
        else:
            shutil.copy(ROOT / name, root)
    (root / "envsuite" / "render").symlink_to(root / "render")
    return root


@dataclass(frozen=True)
class Layer:
    """Tests of a world, and the seconds that they may take."""

    name: str
    files: tuple[str, ...]
    seconds: float | None = None

    def passes(self, root: Path) -> bool:
        """Whether they pass in a copy, or there are none."""
        environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
        environment |= {"ENVSUITE_PYTHON": "1"} if self.name == "quick" else {"XDG_CACHE_HOME": str(root / "cache")}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", self.name]
        try:
            done = subprocess.run(
                [*command, *self.files],
                cwd=root,
                env=environment,
                capture_output=True,
                timeout=self.seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED)

    def timed(self, root: Path) -> "Layer":
        """The layer with the seconds that it may take, by those that it takes without a change."""
        start = time.monotonic()
        if not self.passes(root):
            sys.exit(f"the {self.name} tests fail without a change")
        times, more = PATIENCE
        return dataclasses.replace(self, seconds=times * (time.monotonic() - start) + more)


def survives(mutant: Mutant, root: Path, layers: list[Layer]) -> bool:
    path = root / mutant.path.relative_to(ROOT)
    whole = path.read_text()
    lines = whole.splitlines(keepends=True)
    path.write_text("".join([*lines[: mutant.first - 1], mutant.source, *lines[mutant.last :]]))
    try:
        return all(layer.passes(root) for layer in layers)
    finally:
        path.write_text(whole)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("world")
    parser.add_argument("-n", type=int, default=40, help="changes to try")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of changes")
    options = parser.parse_args()
    every = [mutant for path in sources(options.world) for mutant in mutants(path)]
    chosen = random.Random(options.seed).sample(every, min(options.n, len(every)))
    own, survivors = threading.local(), []
    with tempfile.TemporaryDirectory() as folder:
        root, files = copied(folder), tests_of(options.world)
        both = [Layer(name, files).timed(root) for name in ("quick", "slow")]

        def tried(mutant: Mutant) -> bool:
            if not hasattr(own, "root"):
                own.root = copied(folder)
            return survives(mutant, own.root, both)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            title = f"{options.world}: {len(chosen)} of {len(every)} changes"
            for mutant, survived in zip(track(chosen, title), pool.map(tried, chosen)):
                survivors += [mutant.words] * survived
    print("\n".join(survivors))
    print(f"{options.world}: {len(chosen) - len(survivors)} of {len(chosen)} changes were noticed")


if __name__ == "__main__":
    main()
