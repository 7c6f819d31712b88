"""The results of a suite: scores with intervals, counts of failures, costs; as tables and as JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite import registry
from envsuite.evaluation.statistics import Interval, clustered_interval, mean_of_means, pass_chances
from envsuite.models.answers import Budget
from envsuite.models.harness import Played, tokens_of
from envsuite.models.protocol import KINDS, Protocol

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Row:
    """A task in the results.

    Attributes:
        task: its name.
        scores: (N,) normalized returns of the finished episodes: 0 is random play, 1 the best policy.
        starts: (N,) what these episodes start from, see `harness.start_of`.
        mean: the mean return of these episodes.
        random, best: the mean returns that are 0 and 1, and the `policy` of the latter.
        unfinished: episodes that could not be finished.
        counts: of answers and failures, see `Played`.
        tokens: of requests and of answers.
        passes: pass^1 to pass^n of n trials, see `passes_of`; empty with a single one.
    """

    task: str
    scores: np.ndarray
    starts: tuple[str, ...]
    mean: float
    random: float
    best: float
    policy: str
    unfinished: int
    counts: Counter[str]
    tokens: tuple[int, int]
    passes: tuple[Interval, ...] = ()

    @property
    def interval(self) -> Interval:
        """The mean score with an interval clustered by start; nan without finished episodes."""
        if not len(self.scores):
            return Interval(math.nan, math.nan, math.nan)
        return clustered_interval(self.scores, self.starts)

    @property
    def distinct(self) -> int:
        """The number of distinct starts."""
        return len(set(self.starts))


def passes_of(played: Sequence[Played], trials: int, least: float) -> tuple[Interval, ...]:
    """pass^1 to pass^n of n trials, clustered by start: all of k trials of an episode pass (`pass_chances`).

    Episodes with an unfinished trial are left out; empty if no others remain.

    Args:
        played: all trials of the first episode, then of the next one, each with one model.
        trials: n.
        least: the return with which a trial passes.
    """
    groups = [played[k : k + trials] for k in range(0, len(played), trials)]
    whole = [group for group in groups if all(one.problem is None for one in group)]
    counts = [sum(_own(one) >= least for one in group) for group in whole]
    starts = [group[0].start for group in whole]
    ks = range(1, trials + 1) if whole else ()
    return tuple(clustered_interval(pass_chances(counts, trials, k), starts) for k in ks)


def _own(one: Played) -> float:
    """The return of the only model in an episode."""
    (a,) = one.game.models
    return float(one.returns[a])


def row_of(task: str, played: Sequence[Played], random: float, best: float, policy: str, trials: int = 1) -> Row:
    """The row of a task that has been played, by one model in each episode; a trial passes with the return `best`."""
    done = [one for one in played if one.problem is None]
    returns = np.array(list(map(_own, done)), np.float64)
    counts = sum((one.counts for one in played), Counter[str]())
    mean = float(returns.mean()) if len(returns) else math.nan
    return Row(
        task,
        (returns - random) / (best - random),
        tuple(one.start for one in done),
        mean,
        random,
        best,
        policy,
        len(played) - len(done),
        counts,
        tokens_of(played),
        passes_of(played, trials, best) if trials > 1 else (),
    )


@dataclass(frozen=True)
class Results:
    """The results of a model in a suite.

    Attributes:
        suite, size: the suite.
        model: its settings, see `Model.settings`.
        protocol: how it was asked.
        rows: the tasks.
        played: all episodes, in the order of the tasks and seeds.
        budget: with the prices.
        stopped: why not all episodes were finished; None if nothing stopped them.
    """

    suite: str
    size: str
    model: dict[str, Any]
    protocol: Protocol
    rows: Sequence[Row]
    played: Sequence[Played]
    budget: Budget
    stopped: str | None

    @property
    def unfinished(self) -> int:
        """Episodes that could not be finished."""
        return sum(row.unfinished for row in self.rows)

    @property
    def score(self) -> Interval:
        """The mean of the tasks' scores, see `mean_of_means`, with an interval clustered by start."""
        return mean_of_means([row.scores for row in self.rows], [row.starts for row in self.rows])

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens of requests and of answers."""
        return tokens_of(self.rows)

    def plain(self) -> dict[str, Any]:
        """Plain data for JSON; the same for a resumed evaluation and for one that was never interrupted."""
        return {
            "suite": self.suite,
            "size": self.size,
            "envsuite": registry.__version__,
            "model": self.model,
            "protocol": self.protocol.plain(),
            "score": _plain(self.score),
            "unfinished": self.unfinished,
            "tokens": list(self.tokens),
            "dollars": self.budget.cost(self.tokens),
            "tasks": [
                {
                    "task": row.task, "score": _plain(row.interval), "mean": _number(row.mean), "random": row.random,
                    "best": row.best, "best_policy": row.policy, "episodes": len(row.scores), "starts": row.distinct,
                    "unfinished": row.unfinished, "counts": dict(sorted(row.counts.items())),
                    "tokens": list(row.tokens), "passes": [_plain(one) for one in row.passes],
                }
                for row in self.rows
            ],
            "episodes": [_episode(one) for one in self.played],
        }  # fmt: skip

    def tables(self) -> list[Table]:
        """The scores of the tasks; and turns, answers that could not be used, and failed requests."""
        from rich import box
        from rich.table import Table

        def table(title: str, *columns: str) -> Table:
            made = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", header_style="bold cyan")
            for k, column in enumerate(columns):
                made.add_column(column, justify="right" if k else "left")
            return made

        title = f"{self.suite} ({self.size}), {self.model['name']}: 0 is random play, 1 the best policy"
        scores = table(title, "task", "score", "from", "to", "starts", "random", "best", "best policy")
        for row in self.rows:
            ends = [_short(value, 3) for value in row.interval]
            scores.add_row(row.task, *ends, str(row.distinct), _short(row.random, 4), _short(row.best, 4), row.policy)
        scores.add_section()
        scores.add_row("all", *(_short(value, 3) for value in self.score), *[""] * 4, style="bold")
        most = max((len(row.passes) for row in self.rows), default=0)
        passed = table("All of k trials reach the best policy's mean", "task", *(f"pass^{k + 1}" for k in range(most)))
        for row in self.rows:
            passed.add_row(row.task, *(_short(one.value, 3) for one in row.passes))
        counted = table("Answers", "task", "turns", "unusable", "not its own", "failed", "tokens")
        for row in self.rows:
            failed = sum(count for kind, count in row.counts.items() if kind.startswith("failed: "))
            unusable = sum(row.counts[kind] for kind in KINDS)
            numbers = row.counts["turns"], unusable, row.counts["instead"], failed, sum(row.tokens)
            counted.add_row(row.task, *(f"{number:,}" for number in numbers))
        return [scores, *([passed] if most else []), counted]


def _episode(one: Played) -> dict[str, Any]:
    agents = one.game.world.agents
    return {
        "task": one.game.task,
        "seed": one.game.seed,
        "trial": one.game.trial,
        "start": one.start,
        "models": {agents[a]: model.name for a, model in one.game.models.items()},
        "returns": dict(zip(agents, one.returns.tolist())),
        "length": one.length,
        "actions": [turn.action for turn in one.turns],
        "by": [turn.by for turn in one.turns],
        "counts": dict(sorted(one.counts.items())),
        "tokens": list(one.tokens),
        "problem": one.problem,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _plain(interval: Interval) -> dict[str, float | None]:
    return {name: _number(value) for name, value in interval._asdict().items()}


def _short(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}g}"
