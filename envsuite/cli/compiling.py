"""Commands for compiled code: warmup, and cache with info, prune and export."""

from __future__ import annotations

import time
from concurrent.futures import as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from envsuite import registry
from envsuite.cli.common import Commands, Ids, app, examples, make, number_option, out, policy_specs, progress, table
from envsuite.core.errors import ParameterError

if TYPE_CHECKING:
    from envsuite.compile.cache import Entry

cache = typer.Typer(cls=Commands, rich_markup_mode="rich", context_settings=app.info.context_settings)
app.add_typer(
    cache,
    name="cache",
    help="Show, clean or copy the folder of compiled code.",
    epilog=examples("envsuite cache info", "envsuite cache prune --days 30", "envsuite cache export code.tar.gz"),
)


@app.command(epilog=examples("envsuite warmup", "envsuite warmup ConnectFour Harvest"))
def warmup(ids: Ids = None) -> None:
    """Compile worlds and their policies now, on all cores, so that their first use is quick. Default parameters."""
    from envsuite.compile.cache import cache_folder
    from envsuite.interfaces.warmup import compiling

    worlds = [make(id) for id in ids or registry.ids()]
    rows = table("world", ">rules, s", ">policies, s", ">total, s")
    begin = time.perf_counter()
    with progress(len(worlds), "Compiling") as advance, compiling([(one, policy_specs(one)) for one in worlds]) as made:
        at = dict(zip(made, worlds))
        for done in as_completed(made):
            done.result()
            advance(f"{at[done].id} is compiled")
    for world, done in zip(worlds, made):
        rules, policies = done.result()
        rows.add_row(Text(world.id, "bold"), f"{rules:.1f}", f"{policies:.1f}", f"{rules + policies:.1f}")
    out.print(rows)
    out.print(Text(f"{time.perf_counter() - begin:.1f} s; compiled code is in {cache_folder()}", "dim"), soft_wrap=True)


@cache.command(epilog=examples("envsuite cache info"))
def info() -> None:
    """Show the folder of compiled code: how many files it holds, how large, and which this version can use here."""
    from envsuite.compile.cache import cache_folder, entries

    files = entries()
    rows = table("compiled code", ">files", ">size")
    for title, chosen in (
        ("of this version, for this machine", [one for one in files if one.current and one.here]),
        ("of this version, for other machines, Pythons or options", [one for one in files if one.current > one.here]),
        ("of other versions", [one for one in files if not one.current]),
        ("in all", files),
    ):
        rows.add_row(title, str(len(chosen)), _size(chosen))
    out.print(Text(str(cache_folder()), "bold"), soft_wrap=True)
    out.print(rows)


@cache.command(epilog=examples("envsuite cache prune", "envsuite cache prune --days 30"))
def prune(
    days: Annotated[
        float | None,
        number_option("Also remove code that was last used more than N days ago. Default: keep it.", 0, None, "N"),
    ] = None,
) -> None:
    """Remove compiled code that is out of date because its source has changed."""
    from envsuite.compile.cache import prune

    out.print(f"Removed {_amount(prune(days))}.")


@cache.command(epilog=examples("envsuite cache export code.tar.gz", "envsuite cache export /media/stick/envsuite"))
def export(
    target: Annotated[
        str,
        typer.Argument(metavar="FOLDER|ARCHIVE", help="A folder, or an archive that ends in .zip, .tar or .tar.gz."),
    ],
) -> None:
    """Copy the compiled code of this version, for a machine with the same processor, Python and Numba.

    On that machine, set ENVSUITE_CACHE to the copy, or copy its files to the folder that `envsuite cache info` shows.
    """
    from envsuite.compile.cache import export

    try:
        files = export(Path(target))
    except ValueError as problem:  # no name of a file
        raise ParameterError(f"{target!r} cannot be written: {problem}") from None
    out.print(Text.assemble("Wrote ", (target, "bold"), f", {_amount(files)}"), soft_wrap=True)


def _amount(files: list[Entry]) -> str:
    """How many files these are, and their size."""
    return f"{len(files)} file{'s' * (len(files) != 1)}, {_size(files)}"


def _size(files: list[Entry]) -> str:
    return f"{sum(one.size for one in files) / 1e6:.1f} MB"
