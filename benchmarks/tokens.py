"""Tokens (o200k_base) of what language agents read: the page, a first turn and a turn in the middle, for all worlds.

    python benchmarks/tokens.py [--save]

The numbers of a world are those of the role that reads most, with default parameters, in an episode of random play; a
turn is a whole question with its legal actions. *Before* is the docstring of the world's class, the page for
researchers, which was the prompt of most worlds until they had a page for players.
"""

from __future__ import annotations

import argparse
import inspect
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bpe_openai import get_encoding
from rich.console import Console
from rich.progress import track
from rich.table import Table

from envsuite import registry
from envsuite.testing.prompts import prompts_of

#: The table that the documentation shows.
STORED = Path(__file__).parents[1] / "docs" / "tokens.json"

#: The turns of random play that are counted.
TURNS = 20

COLUMNS = ("world", "before", "page", "first turn", "middle turn", "longest turn")


def counts(id: str) -> list[int]:
    """The tokens of a world, in the order of the columns."""
    world = registry.build(id)
    found = prompts_of(world, TURNS)
    texts = [
        [inspect.getdoc(type(world)) or ""],
        [one.page for one in found],
        [one.first for one in found],
        [one.middle for one in found],
        [question for one in found for question in one.questions] or [""],
    ]
    encode = get_encoding("o200k_base").encode_ordinary
    return [max(len(encode(text)) for text in part) for part in texts]


def summary(rows: Sequence[Sequence[int]]) -> list[list[str | int]]:
    """The median, the 90 % quantile and the maximum of each column."""
    values = np.array(rows)
    parts = {"median": np.median(values, 0), "90 %": np.quantile(values, 0.9, axis=0), "most": values.max(0)}
    return [[name, *np.rint(part).astype(int).tolist()] for name, part in parts.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true", help="write the table to docs/tokens.json")
    save = parser.parse_args().save
    names = {registry.short_name(id): id for id in sorted(registry.ids())}
    found = {name: counts(id) for name, id in track(names.items(), "Counting", transient=True)}
    rows = [[name, *row] for name, row in found.items()]
    short = summary([*found.values()])
    table = Table(*COLUMNS, title=f"Tokens of {len(rows)} worlds")
    for row in [*sorted(rows, key=lambda row: -row[2]), *short]:
        table.add_row(*map(str, row))
    Console().print(table)
    if save:
        lines = ",\n".join(json.dumps(row) for row in [*short, *rows])
        STORED.write_text(f'{{"columns": {json.dumps(COLUMNS)}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
