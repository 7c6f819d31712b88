"""Reference scores: the score of every baseline in every world, in tables that come with the package.

    python -m envsuite.evaluation.reference            # measures what is missing, or whose code has changed
    score = measure(world, MyPolicy(), others="tactical")

A policy is measured in all seats at once. With two agents or more it is also measured in one seat, each in turn, while
the world's first scripted policy plays all others: the *others* of that row. Every baseline plays every role; the
world's page describes its actions in roles that are not its own.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from envsuite import registry
from envsuite.core.cast import seated
from envsuite.core.digits import whole
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import to_json
from envsuite.core.policy import Policy, policies_of
from envsuite.core.world import World
from envsuite.evaluation import stored
from envsuite.evaluation.matches import Play, code_of, play
from envsuite.evaluation.statistics import Interval, standard_error
from envsuite.interfaces.single import as_world
from envsuite.scale import Executor, Job, Part, executor, run, run_all
from envsuite.scale.job import packed, unpacked

#: The section of a world's file that holds its scores.
SECTION = "reference"

#: The seed of every row's first episode.
SEED = 0

#: The agent-steps that are played for a row, about, in a world of `World.cost` 1.
BUDGET = 500_000

#: Episodes of a row in which one policy plays all seats; those of a row with others are as many for all seats together.
EPISODES = (20, 10_000)

#: Significant digits of numbers in the table. Fewer than a float64 has: the last may differ between processors.
DIGITS = 12


@dataclass(frozen=True)
class Score:
    """The score of a policy.

    Attributes:
        world: its id.
        policy: its name.
        others: the policy of all other seats while this one had one seat; None where it had all seats.
        params: the world's parameters.
        episodes: the number of episodes; for each seat, where there are others.
        seed: of the first one.
        mean: the mean return of an agent (of the one that the policy played); all seats have equal weight.
        error: its standard error, of means over the seats on different seeds.
        returns, errors: the same for each seat.
        length: mean transitions of an episode.
        version: of envsuite.
        code: a stamp of the sources of the world and its policies.
        performance: the mean hidden performance of an agent; None in a world that has none.
    """

    world: str
    policy: str
    others: str | None
    params: dict[str, Any]
    episodes: int
    seed: int
    mean: float
    error: float
    returns: tuple[float, ...]
    errors: tuple[float, ...]
    length: float
    version: str
    code: str
    performance: float | None = None

    def interval(self, confidence: float = 0.95) -> Interval:
        """The mean with Student's interval."""
        if self.episodes < 2:
            return Interval(self.mean, math.nan, math.nan)
        reach = float(stdtrit(self.episodes - 1, 0.5 + confidence / 2)) * self.error
        return Interval(self.mean, self.mean - reach, self.mean + reach)


def rounded(value: float) -> float:
    """A number as tables have it."""
    return float(f"{value:.{DIGITS}g}")


def measure(
    world: World | str,
    policy: str | Policy,
    others: str | Policy | None = None,
    episodes: int | None = None,
    seed: int = SEED,
    *,
    workers: int | str | Executor = 1,
    path: str | os.PathLike[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Score:
    """Play a policy in all seats, or in one seat after the other among others.

    Args:
        world: a world or its id.
        policy: by name, or a `Policy`.
        others: the policy of the other seats; without it, the measured policy.
        episodes: the number of episodes, for each seat where there are others; by default the rule of the table.
        seed: of the first episode.
        workers: the number of processes, "ray" or "ray://host:port"; see `envsuite.scale.run`.
        path: a ledger, from which an interrupted measurement resumes; see `envsuite.scale.run`.
        progress: called with the number of episodes that have just ended.
    """
    world = as_world(world, {})
    count = len(world.agents)
    if others is not None and count == 1:
        raise ParameterError(f"{world.id} has one agent: there are no others")
    players = seated(world, [policy] if others is None else [policy, others])
    episodes = usual_episodes(world, players[0], others is not None) if episodes is None else episodes
    # With others, each seating has the measured policy in one seat.
    seatings = np.zeros((1, count), np.int64) if others is None else 1 - np.eye(count, dtype=np.int64)
    job = Play(world, players, seatings[:, None], episodes, seed)
    result = run(job, workers, path, progress=progress)
    (returns, lengths), performances = result, result.performances
    if others is not None:
        at = [(slice(a * episodes, (a + 1) * episodes), a) for a in range(count)]
        returns = np.stack([returns[place] for place in at], axis=1)
        performances = None if performances is None else np.stack([performances[place] for place in at], axis=1)
    by_seed = returns.mean(axis=1)
    return Score(
        world.id,
        policy if isinstance(policy, str) else policy.name,
        others.name if isinstance(others, Policy) else others,
        to_json(world.parameters, str),
        episodes,
        seed,
        rounded(by_seed.mean()),
        rounded(float(standard_error(by_seed))),
        tuple(map(rounded, returns.mean(axis=0))),
        tuple(map(rounded, standard_error(returns))),
        rounded(lengths.mean()),
        registry.__version__,
        code_of(world, players),
        None if performances is None else rounded(performances.mean()),
    )


def usual_episodes(world: World, policy: str | Policy, among_others: bool = False) -> int:
    """How many episodes a row has: as many as the budget allows, a round number."""
    count = len(world.agents)
    length = play(world, policy, 4, SEED).lengths.mean()
    wanted = BUDGET / world.cost / (length * count)
    wanted = float(np.clip(wanted, *EPISODES)) / (count if among_others else 1)
    step = 10 ** math.floor(math.log10(max(wanted, 2)))
    return max(2, max(int(k * step) for k in (1, 2, 5) if k * step <= max(wanted, 2)))


def usual_others(world: World) -> str | None:
    """The others of a world's rows: its first scripted policy, or "random"; None where there are no other agents."""
    if len(world.agents) == 1:
        return None
    known = policies_of(world)
    return next((name for name in known if name != "random"), "random")


# The tables.


def _row(data: dict[str, Any]) -> Score:
    return Score(**{**data, "returns": tuple(data["returns"]), "errors": tuple(data["errors"])})


def _read(world: str, folder: Path) -> list[Score]:
    """The rows in the file of a world; also those of its other versions, which share it."""
    return [_row(row) for row in stored.rows(world, SECTION, folder)]


def _write(world: str, rows: Iterable[Score], folder: Path) -> None:
    """Write the rows of a world's file."""
    ordered = sorted(rows, key=lambda row: (row.world, row.others or "", row.policy))
    found = (
        {name: value for name, value in asdict(row).items() if (name, value) != ("performance", None)}
        for row in ordered
    )
    stored.write(world, SECTION, found, folder)


@cache
def scores_of(id: str) -> tuple[Score, ...]:
    """The reference scores of one world."""
    return tuple(row for row in _read(id, stored.FOLDER) if row.world == id)


def table() -> tuple[Score, ...]:
    """All reference scores, by world and policy."""
    return tuple(_row(row) for row in stored.all_rows(SECTION))


def wanted_rows(world: World) -> list[tuple[str, str | None]]:
    """The policies that are measured in a world, each with the others of its row."""
    others = usual_others(world)
    kinds = [None] if others is None else [None, others]
    return [(name, kind) for kind in kinds for name in policies_of(world)]


def reference_scores(world: World | str, others: str | None = None) -> list[Score]:
    """The rows of a world with such others, from the best; none if the world has parameters that were not measured."""
    world = as_world(world, {})
    params = to_json(world.parameters, str)
    rows = [row for row in scores_of(world.id) if row.others == others and row.params == params]
    return sorted(rows, key=lambda row: -row.mean)


class Rows(Job):
    """Rows of the table as a job, each a block; its result are the scores.

    Args:
        rows: of each, the world's id, the policy and the others.
    """

    kind = "reference"

    def __init__(self, rows: Sequence[tuple[str, str, str | None]]):
        self.rows, self.blocks = rows, len(rows)

    def header(self) -> dict[str, Any]:
        return {"kind": self.kind, "version": registry.__version__}

    def key(self, k: int) -> dict[str, Any]:
        return dict(zip(("world", "policy", "others"), self.rows[k]))

    def code(self) -> str:
        return " ".join(code_among(registry.build(id), policy, others) for id, policy, others in self.rows)

    def units(self, k: int) -> int:
        return 1

    def work(self, k: int, progress: Callable[[int], None] | None = None) -> Part:
        if progress is not None:
            progress(1)
        return {"score": packed(asdict(measure(*self.rows[k])))}

    def fits(self, k: int, part: Part) -> bool:
        return set(part) == {"score"}

    def reduce(self, parts: Sequence[Part]) -> list[Score]:
        return [_row(unpacked(part["score"])) for part in parts]


def code_among(world: World, policy: str, others: str | None) -> str:
    """The stamp of the sources of a world, of a policy and of the policy of the others, if there are any."""
    return code_of(world, seated(world, [policy, *([] if others is None else [others])]))


def update(
    folder: Path = stored.FOLDER,
    ids: Sequence[str] | None = None,
    *,
    workers: int | str | Executor = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Score]:
    """Bring the tables up to date: measure rows that are missing, or whose world, policies or parameters have changed.

    Written after each row, so that an interrupt costs little.

    Args:
        folder: of the worlds' files.
        ids: of the worlds to look at; all by default, and rows of worlds that are no more then go.
        workers: the number of processes, "ray" or "ray://host:port"; see `envsuite.scale.run`.
        progress: called with the rows that are done and the number of those to measure.

    Returns:
        The rows that were measured.
    """
    wanted: list[tuple[str, str, str | None]] = []
    for id in registry.ids() if ids is None else ids:
        wanted += _lacking(registry.build(id), folder, ids is None)
    measured = []
    for number, (row,) in run_all([Rows([key]) for key in wanted], workers) if wanted else ():
        measured.append(row)
        others = (old for old in _read(row.world, folder) if _key(old) != wanted[number])
        _write(row.world, [*others, row], folder)
        if progress is not None:
            progress(len(measured), len(wanted))
    if ids is None:
        for gone in set(stored.worlds(folder)) - {registry.short_name(id) for id in registry.ids()}:
            _write(gone, (), folder)
    scores_of.cache_clear()
    return measured


def _key(row: Score) -> tuple[str, str, str | None]:
    return row.world, row.policy, row.others


def _lacking(world: World, folder: Path, clean: bool) -> list[tuple[str, str, str | None]]:
    """What is to be measured in a world; where its file is to be cleaned, rows of policies that are no more go."""
    wanted, params = [(world.id, *pair) for pair in wanted_rows(world)], to_json(world.parameters, str)
    rows = _read(world.id, folder)
    found = {_key(row): row for row in rows}
    if clean and any(row.world == world.id and _key(row) not in wanted for row in rows):
        _write(world.id, [row for row in rows if row.world != world.id or _key(row) in wanted], folder)

    def holds(key: tuple[str, str, str | None]) -> bool:
        row = found.get(key)
        return row is not None and row.params == params and row.code == code_among(world, *key[1:])

    return [key for key in wanted if not holds(key)]


def main() -> None:
    """Bring the tables up to date, with a progress bar; for the worlds that are named, or all."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="ids of worlds. Default: all")
    parser.add_argument("--workers", default="1", metavar="N", help="a number of processes, ray or ray://host:port")
    arguments = parser.parse_args()
    number = whole(arguments.workers, 5)
    workers = arguments.workers if number is None else number
    try:
        executor(workers)
    except ParameterError as problem:
        parser.error(str(problem))
    start = time.perf_counter()
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    with Progress(*columns, transient=True) as bar:
        task = bar.add_task("Measuring")
        chosen = [registry.spec(id).id for id in arguments.ids] or None
        show = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
        measured = update(ids=chosen, workers=workers, progress=show)
    print(f"{len(measured)} rows measured in {time.perf_counter() - start:.0f} s, {len(table())} in {stored.FOLDER}")


if __name__ == "__main__":
    main()
