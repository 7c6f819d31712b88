"""The command that makes a library of machine code, for wheels."""

from __future__ import annotations

import multiprocessing
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.filesize import decimal
from rich.text import Text

from envsuite import registry
from envsuite.cli.common import Ids, app, err, examples, out, progress, to_write
from envsuite.core.children import settle, starting
from envsuite.core.errors import EnvsuiteError
from envsuite.core.files import drafted

if TYPE_CHECKING:
    from envsuite.compile.bound import Bound

    #: A template and arguments to compile it for, when asked for.
    Order = Callable[[], tuple[Bound, tuple[Any, ...]]]


@app.command(epilog=examples("envsuite build native.so", "envsuite build native.so ConnectFour Harvest"))
def build(
    path: Annotated[str, typer.Argument(metavar="FILE", help="The library to write.", callback=to_write)],
    ids: Ids = None,
) -> None:
    """Make a library of machine code; worlds then run without a compiler (Linux on x86-64).

    It holds the rules and policies with default parameters and, unless worlds are named, all level generators. To use
    it, set ENVSUITE_NATIVE=FILE; `make wheel` puts it into a wheel.
    """
    if shutil.which(os.environ.get("CC", "cc")) is None:
        raise EnvsuiteError("a library is linked with a C compiler, and there is no cc; set CC to one")
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise EnvsuiteError(f"libraries are made for Linux on x86-64, not for {sys.platform} on {platform.machine()}")
    orders = _orders([registry.spec(id).id for id in ids or registry.ids()], levels=not ids)
    with tempfile.TemporaryDirectory(prefix="envsuite-") as scratch:
        number = _compiled(orders, Path(scratch))
        with drafted(path) as draft:
            link(Path(scratch), draft)
    out.print(Text(f"{path}: {number} functions, {decimal(Path(path).stat().st_size)}"), soft_wrap=True)


def link(folder: Path, path: Path) -> None:
    """Make a library of the object files in a folder."""
    from envsuite.compile.native import SOURCE, seal

    listed = folder / "objects"
    listed.write_text("\n".join(map(str, sorted(folder.glob("*.o")))))
    flags = ["-shared", "-fPIC", "-O2", "-s", "-Wl,-O1", "-Wl,--gc-sections", "-Wl,--no-undefined"]
    command = [os.environ.get("CC", "cc"), *flags, "-o", str(path), str(SOURCE), f"@{listed}", "-lm"]
    linked = subprocess.run(command, capture_output=True, text=True)
    if linked.returncode:
        raise EnvsuiteError(f"the library could not be linked:\n{linked.stderr}")
    seal(path)


def _compiled(orders: dict[str, tuple[str, Order]], folder: Path) -> int:
    """Write object files for all orders, in as many processes as there are cores; for how many that could be done."""
    # The code is for a kind of processor, not for this one.
    os.environ.update(NUMBA_CPU_NAME="x86-64", NUMBA_CPU_FEATURES="")
    cores, fine = len(os.sched_getaffinity(0)), 0
    with (
        ProcessPoolExecutor(cores, multiprocessing.get_context("spawn"), settle) as pool,
        progress(len(orders), "") as advance,
    ):
        with starting():
            running = {pool.submit(_compile, folder, name, order): label for name, (label, order) in orders.items()}
        for done in as_completed(running):
            advance(running[done])
            problem = done.result()
            fine += not problem
            if problem:
                err.print(Text(f"{running[done]} is left out: {problem}"), soft_wrap=True)
    return fine


def _compile(folder: Path, name: str, order: Order) -> str:
    """Write the object files of an order, or say why that cannot be."""
    from envsuite.compile.numba_.objects import UnfitError, objects

    try:
        for level, code in objects(*order()).items():
            (folder / f"{name}.{level}.o").write_bytes(code)
    except UnfitError as problem:
        return str(problem)
    return ""


def _orders(ids: list[str], levels: bool) -> dict[str, tuple[str, Order]]:
    """What worlds need and, with `levels`, generators: by the names of the functions, with what each is for."""
    found: dict[str, tuple[str, Order]] = {}
    for label, order in _all_orders(ids, levels):
        bound, arguments = order()
        found.setdefault(bound.symbol(arguments), (label, order))
    return found


def _all_orders(ids: list[str], levels: bool) -> Iterator[tuple[str, Order]]:
    from envsuite.core.policy import policies
    from envsuite.generators import KINDS
    from envsuite.generators.base import generator

    for id in ids:
        yield f"{id}: rules", partial(_rules, id)
        for name in policies(id):
            yield f"{id}: {name}", partial(_policy, id, name)
        for num in (1, 2):
            yield "sums", partial(_sums, id, num)
    for kind in KINDS if levels else ():
        for name in ("make", "change"):
            if getattr(type(generator(kind)), name) is not None:
                yield f"{kind}: {name}", partial(_generator, kind, name)


def _rules(id: str) -> tuple[Bound, tuple[Any, ...]]:
    from envsuite.core.batch import Batch

    return Batch(registry.build(id), 1).loop


def _policy(id: str, name: str) -> tuple[Bound, tuple[Any, ...]]:
    from envsuite.core.batch import Batch
    from envsuite.core.policy import CompiledPolicy, make_policy

    world = registry.build(id)
    batch, policy = Batch(world, 1), make_policy(name, world)
    assert isinstance(policy, CompiledPolicy)
    policy.reset(0)
    return policy.compiled, (*policy.looks_at(batch.observations, batch.masks), batch.acting, batch.actions, 0, 1)


def _sums(id: str, num: int) -> tuple[Bound, tuple[Any, ...]]:
    import numpy as np

    from envsuite.core.batch import Batch
    from envsuite.core.policy import CompiledPolicy, make_policy
    from envsuite.core.rollout import TALLY, compiled_tally, outcomes
    from envsuite.core.table import as_bytes

    world = registry.build(id)
    batch, policy = Batch(world, num), make_policy("random", world)
    assert isinstance(policy, CompiledPolicy)
    policy.reset(0, num)
    sums = np.zeros((4, num, len(world.agents)))
    arrays = outcomes(batch, policy, *sums, np.zeros(num, TALLY))
    return compiled_tally(), (*arrays, 0, num, as_bytes(policy.first_memory))


def _generator(kind: str, name: str) -> tuple[Bound, tuple[Any, ...]]:
    import numpy as np

    from envsuite.generators.base import generator, over_records

    made = generator(kind)
    arguments = made.records(1), np.ones(1, np.bool_), 0, 1
    return over_records(made, getattr(type(made), name), name), arguments
