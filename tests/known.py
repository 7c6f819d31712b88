"""What pages of worlds say under Known values of random play, measured again: a page outside of its interval fails.

    python tests/known.py                 # all worlds; make known W=Harvest for one
    python tests/known.py Harvest Coins

The rows of a world stand in ``data/<World>/known.json``:

| key | content |
|---|---|
| says | the words of the page with the number |
| value | the number as the page writes it, or what a formula of the page is for these parameters |
| formula | where the page has a formula: how `value` follows from it |
| measure | one of `MEASURES`, with its argument after a space, and "percent" before it for percentages |
| params | of the world |
| policy | of all agents, or a list with one for each; "random" if not given |
| steps | maximum transitions per episode |
| error | standard error of the page's number |
| games | episodes of which the page's number is the mean, where it gives no standard error |
| episodes | to play |

A number without `error` and `games` is exact: an integer or a fraction, or else a decimal up to its last digit.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from math import hypot, inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.cast import Cast
from envsuite.core.world import World
from envsuite.evaluation.matches import Result, block_size, play_batch

DATA = Path(__file__).parent / "data"

#: The seed of the first episode: far from those with which the pages were written.
SEED = 1_000_000

#: Standard errors, of both numbers together, by which a page may differ.
APART = 4.0


@dataclass(frozen=True)
class Row:
    """A number of a page, and how to measure it."""

    world: str
    says: str
    value: str
    measure: str
    episodes: int
    formula: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    policy: Any = "random"
    steps: int | None = None
    error: float | None = None
    games: int | None = None

    @property
    def number(self) -> float:
        return float(Fraction(self.value))

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit; integers are not rounded."""
        return 0.5 * 10.0 ** -len(self.value.partition(".")[2]) if "." in self.value else 0.0

    @property
    def game(self) -> str:
        """What is played: rows in which this is the same share their episodes."""
        return json.dumps([self.params, self.policy, self.steps])


#: By name, a number (N,) of each episode from the records at its end, its result, and the argument of the measure.
MEASURES: dict[str, Callable[[np.ndarray, Result, str], np.ndarray]] = {
    "sum": lambda records, result, agents: result.returns[:, chosen(agents)].sum(axis=1),
    "mean": lambda records, result, agents: result.returns[:, chosen(agents)].mean(axis=1),
    "return": lambda records, result, agent: result.returns[:, int(agent)],
    "success": lambda records, result, agents: result.returns[:, chosen(agents)].sum(axis=1) > 0,
    "least": lambda records, result, least: result.returns.sum(axis=1) >= float(least),
    "won": lambda records, result, agent: best(result)[:, int(agent)] & (best(result).sum(axis=1) == 1),
    "drawn": lambda records, result, _: best(result).sum(axis=1) > 1,
    "length": lambda records, result, _: result.lengths,
    "within": lambda records, result, steps: (result.returns.sum(axis=1) > 0) & (result.lengths <= int(steps)),
    "performance": lambda records, result, _: records["performance"][:, 0],
    "field": lambda records, result, path: part(records, path),
    "has": lambda records, result, path: part(records, path) > 0,
    "is": lambda records, result, path: part(records, path.partition(" ")[2]) == int(path.partition(" ")[0]),
}


def chosen(agents: str) -> slice:
    """The agents "3" or "3:5", or all."""
    if not agents:
        return slice(None)
    start, _, end = agents.partition(":")
    return slice(int(start), int(end) if end else int(start) + 1)


def best(result: Result) -> np.ndarray:
    """Whether each agent has the largest return (N, A)."""
    return result.returns == result.returns.max(axis=1, keepdims=True)


def part(records: np.ndarray, path: str) -> np.ndarray:
    """A field of records, or an entry of it: "scores 0 2"."""
    for step in path.split():
        records = records[:, int(step)] if step.isdigit() else records[step]
    return records


def measured(measure: str, records: np.ndarray, result: Result) -> np.ndarray:
    """The numbers (N,) of episodes."""
    percent = measure.startswith("percent ")
    name, _, argument = measure.removeprefix("percent ").partition(" ")
    return np.asarray(MEASURES[name](records, result, argument), float) * (100 if percent else 1)


def rows(world: str) -> list[Row]:
    """The rows of a world, by its short name."""
    file = DATA / world / "known.json"
    return [Row(world, **row) for row in json.loads(file.read_text())] if file.exists() else []


def worlds() -> list[str]:
    """The worlds that have rows."""
    return sorted(file.parent.name for file in DATA.glob("*/known.json"))


def games(every: list[Row]) -> Iterator[list[Row]]:
    """Rows that share their episodes."""
    for _, group in groupby(sorted(every, key=lambda row: (row.world, row.game)), lambda row: (row.world, row.game)):
        yield list(group)


@dataclass(frozen=True)
class Found:
    """The mean of a row's number and its standard error, now, and how many standard errors the page is away."""

    row: Row
    mean: float
    error: float
    apart: float


def found(row: Row, numbers: np.ndarray) -> Found:
    mean, spread = float(numbers.mean()), float(numbers.std(ddof=1))
    error = spread / sqrt(len(numbers))
    page = spread / sqrt(row.games) if row.games else row.error or 0.0
    distance, both = max(0.0, abs(mean - row.number) - row.rounding - 1e-9), hypot(page, error)
    return Found(row, mean, error, distance / both if both else inf if distance else 0.0)


def play(group: list[Row], progress: Callable[[int], None]) -> list[Found]:
    """Play the episodes of rows that share them."""
    world = registry.build(group[0].world, group[0].params)
    episodes, size = max(row.episodes for row in group), block_size(world)
    parts = [
        numbers(world, group, SEED + first, min(size, episodes - first), progress) for first in range(0, episodes, size)
    ]
    return [found(row, np.concatenate(each)) for row, each in zip(group, zip(*parts))]


def numbers(world: World, group: list[Row], seed: int, count: int, progress: Callable[[int], None]) -> list[np.ndarray]:
    """The numbers of each row in a block of episodes."""
    cast, batch = Cast(world, group[0].policy), Batch(world, count)
    batch.start(seed)
    players = list(cast.policies)
    seats = np.array([players.index(cast.seats[a]) for a in range(len(world.agents))])
    who = np.broadcast_to(seats, (count, len(seats)))
    result = play_batch(batch, players, who, seed, group[0].steps, progress)
    return [measured(row.measure, batch.records, result) for row in group]


def table(every: list[Found]) -> Table:
    shown = Table("world", "page says", "measured", "page", "now", "standard error", "apart")
    for one in every:
        row, style = one.row, "red" if one.apart > APART else ""
        policy = row.policy if isinstance(row.policy, str) else ", ".join(row.policy)
        played = f"{row.measure}: {', '.join([policy, *(f'{name}={value}' for name, value in row.params.items())])}"
        numbers = (row.value, f"{one.mean:.6g}", f"{one.error:.2g}", f"{one.apart:.1f}")
        shown.add_row(row.world, row.says, played, *numbers, style=style)
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("worlds", nargs="*", help="all that have rows, if none is named")
    names = [registry.short_name(registry.spec(name).id) for name in parser.parse_args().worlds] or worlds()
    if without := [name for name in names if not rows(name)]:
        parser.error(f"no rows are stored of {', '.join(without)}")
    groups = [group for name in names for group in games(rows(name))]
    every: list[Found] = []
    console = Console(stderr=True)
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("", total=sum(max(row.episodes for row in group) for group in groups))
        for group in groups:
            progress.update(bar, description=group[0].world)
            every += play(group, lambda ended: progress.advance(bar, ended))
    Console(width=None if sys.stdout.isatty() else 160).print(table(every))
    outside = [one for one in every if one.apart > APART]
    print(f"{len(every)} numbers of {len(names)} pages, {len(outside)} more than {APART:g} standard errors away")
    sys.exit(1 if outside else 0)


if __name__ == "__main__":
    main()
