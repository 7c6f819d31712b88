"""The command that makes levels."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any

import typer
from rich.text import Text

from envsuite.cli import common
from envsuite.cli.common import table
from envsuite.core.errors import ParameterError
from envsuite.core.files import replace
from envsuite.generators import KINDS

#: Levels that are described at most, and pictures of a sheet.
SHOWN, SHEET = 20, 100


@common.app.command(
    epilog=common.examples(
        "envsuite generate maze -n 9 --png sheet.png",
        "envsuite generate caves --seed 4 -p width=60 -p height=30",
        "envsuite generate obstacles -n 1000 --split train --json train.json",
        "envsuite generate Voting -n 1000 --split test -p voters=7 --json test.json",
        f"The kinds are {', '.join(KINDS)}. The id of a world stands for the levels that it draws itself.",
    )
)
def generate(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="The kind of level, such as maze (listed below), or a world.")
    ],
    n: Annotated[
        int,
        typer.Option("-n", min=1, max=common.MOST, metavar="N", help="Number of levels; seeds count up from --seed."),
    ] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first level; the same seed repeats it.")] = 0,
    split: Annotated[
        str | None, typer.Option(metavar="SPLIT", help="train or test: sets without a common level. Default: both.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "-p",
            "--param",
            metavar="NAME=VALUE",
            help="A parameter of the generator or world. May be given several times.",
        ),
    ] = None,
    png: Annotated[str | None, common.file_option(f"Write a picture of the levels, at most {SHEET}, as a PNG.")] = None,
    json_file: Annotated[
        str | None, common.file_option("Write the levels as a JSON list, as the worlds' `reset` takes them.", "--json")
    ] = None,
    workers: common.Workers = "1",
    file: common.Results = None,
) -> None:
    """Generate levels: describe them, and write them as a picture or as JSON."""
    from envsuite.generators import base
    from envsuite.render.frames import save_png
    from envsuite.scale import run

    params = common.given(base.source_class(kind), param)
    if png and n > SHEET:
        raise ParameterError(f"-n {n}: a sheet holds at most {SHEET} pictures")
    job = base.Levels(kind, n, seed, split, params)  # type: ignore[arg-type]
    with common.resumable(file), common.progress(n, "Generating") as advance:
        levels = run(job, workers, file, progress=lambda count: advance(steps=count))
    if png:
        save_png(_sheet(_pictures(job.source, levels)), png)
    if json_file:
        replace(json_file, json.dumps(levels))
    for path in filter(None, (png, json_file)):
        common.out.print(Text.assemble("Wrote ", (path, "bold"), f", {n} level{'s' * (n > 1)}"), soft_wrap=True)
    if not (png or json_file) and n == 1 and "map" in levels[0]:
        common.out.print(Text("\n".join(map(str, levels[0]["map"]))), soft_wrap=True)
    if isinstance(job.source, base.Generator):
        _print_levels([base.describe(level) for level in levels[:SHOWN]], seed, n)
    elif not (png or json_file):
        common.out.print(Text("\n".join(map(json.dumps, levels))), soft_wrap=True)


def _pictures(source: Any, levels: list[dict[str, Any]]) -> list[Any]:
    """The scenes of levels; of a world's own levels, those of the episodes that start from them."""
    from envsuite.core.batch import Batch
    from envsuite.generators import base

    if isinstance(source, base.Generator):
        return [base.picture(level) for level in levels]
    batch = Batch(source, len(levels))
    batch.start(0, levels)
    return [source.scene(batch.record(k)) for k in range(batch.num)]


def _print_levels(figures: list[dict[str, Any]], seed: int, n: int) -> None:
    """A table of what `describe` says of levels with consecutive seeds."""
    sizes = {" x ".join(map(str, found["size"])) for found in figures}
    hidden = {"kind", *(["size"] if len(sizes) == 1 else [])}
    names = [name for name, value in figures[0].items() if name not in hidden and not isinstance(value, dict)]
    title = f"{figures[0]['kind']}, {sizes.pop()}" if len(sizes) == 1 else figures[0]["kind"]
    rows = table(">seed", *(f">{name.replace('_', ' ')}" for name in names), title=title)
    for k, found in enumerate(figures):
        cells = []
        for name in names:
            value = found.get(name)
            if isinstance(value, bool):
                cells.append("yes" if value else "no")
            elif isinstance(value, float):
                cells.append(f"{value:.4g}")
            else:
                cells.append(" x ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
        rows.add_row(str(seed + k), *cells)
    common.out.print(rows)
    if n > len(figures):
        common.out.print(Text(f"and {n - len(figures)} more", "dim"))


def _sheet(scenes: list[Any], tile: int = 480, gap: int = 16) -> Any:
    """The pictures of scenes in a square as nearly as it goes; an array as `draw` makes it."""
    import numpy as np

    from envsuite.render.frames import draw

    columns = math.ceil(math.sqrt(len(scenes)))
    rows = math.ceil(len(scenes) / columns)
    side = tile + gap
    sheet = np.full((rows * side + gap, columns * side + gap, 3), 255, np.uint8)
    for k, scene in enumerate(scenes):
        picture = draw(scene, tile)
        height, width = picture.shape[:2]
        top = gap + k // columns * side + (tile - height) // 2
        left = gap + k % columns * side + (tile - width) // 2
        sheet[top : top + height, left : left + width] = picture
    return sheet
