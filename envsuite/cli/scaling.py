"""Commands for files of results: scale, with status."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.text import Text

from envsuite.cli.common import Commands, app, examples, out, table, to_open

scale = typer.Typer(cls=Commands, rich_markup_mode="rich", context_settings=app.info.context_settings)
app.add_typer(
    scale,
    name="scale",
    help="Show how far a run has come that keeps its results in a file.",
    epilog=examples("envsuite scale status four.jsonl"),
)


@scale.callback()
def _scale() -> None:
    """Files of results, which match, tournament, score and generate write with --out."""


@scale.command(epilog=examples("envsuite scale status four.jsonl"))
def status(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Results file written by --out.", callback=to_open)],
) -> None:
    """Show what a file of results holds, and check its lines."""
    from envsuite.scale.ledger import read

    lines, rest = read(file)
    hidden = {"results", "returns", "won", "drawn", "length", "units", "code"}
    names = [name for name in (lines[0] if lines else ()) if name not in hidden]
    rows = table("", "")
    rows.show_header = False
    for name in names:
        values = [line.get(name) for line in lines]
        if all(value == values[0] for value in values):
            rows.add_row(name, Text(values[0] if isinstance(values[0], str) else json.dumps(values[0]), "bold"))
    rows.add_row("lines", Text(str(len(lines)), "bold"))
    units = sum(line.get("units", line.get("episodes", 0) * line.get("seatings", 1)) for line in lines)
    counted = {"levels": "levels", "rollout": "transitions"}
    rows.add_row(counted.get(lines[0].get("kind", "") if lines else "", "episodes"), Text(f"{units:,}", "bold"))
    codes = len({line.get("code") for line in lines})
    out.print(rows)
    if codes > 1 and "kind" in names:
        out.print("The lines are of different code or policies.", style="dim")
    if rest:
        out.print(f"The last line is not complete ({rest} bytes); its block will be played again.", style="yellow")
