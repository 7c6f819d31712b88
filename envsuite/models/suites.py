"""Suites by name: worlds with fixed parameters, seeds, seats and opponents, and the scores of their policies.

    python -m envsuite.models.suites       # measures the scores that are missing, or whose code has changed

In each episode of a task the model plays one agent, each in turn; policies play the others. Scores are normalized so
that 0 is the mean return of random play and 1 that of the best policy of the world, in the same seats among the same
others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from envsuite import registry
from envsuite.core.errors import ParameterError, UnknownIdError, suggest
from envsuite.core.policy import policies_of
from envsuite.core.seeds import EVALUATION
from envsuite.core.world import World
from envsuite.evaluation import stored
from envsuite.evaluation.matches import play as match
from envsuite.evaluation.reference import code_among, rounded
from envsuite.evaluation.statistics import standard_error
from envsuite.models.answers import Answers, Budget, Limits
from envsuite.models.client import Model
from envsuite.models.harness import Game, Played, play
from envsuite.models.protocol import Protocol
from envsuite.models.results import Results, Row, row_of
from envsuite.models.treatments import params_under

#: The section of a world's file that holds the scores of policies in its tasks.
SECTION = "suites"

#: The seed of the first episode of every task, and the episodes of a policy's score.
SEED, EPISODES = EVALUATION.start, 2_000

#: Episodes of a task.
SIZES = {"small": 8, "full": 64}


@dataclass(frozen=True)
class Task:
    """A world as it is played in a suite.

    Attributes:
        id: of the world, in short.
        others: the policy of all agents but the model's; "" in a world of one agent.
        seats: the agents that the model plays, in turn; all by default.
        params: of the world.
    """

    id: str
    others: str = ""
    seats: tuple[str, ...] = ()
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def world(self) -> World:
        """The world."""
        return registry.build(self.id, self.params)

    def under(self, treatments: Sequence[str]) -> Task:
        """The task under treatments of its world."""
        return replace(self, params={**self.params, **params_under(self.world, treatments)}) if treatments else self

    def chosen(self, world: World) -> list[int]:
        """The numbers of the agents that the model plays, in turn."""
        return [world.agents.index(agent) for agent in self.seats or world.agents]


@dataclass(frozen=True)
class Suite:
    """Tasks under a name."""

    name: str
    about: str
    tasks: tuple[Task, ...]


_DESK = ("assistant",)

SUITES = {
    suite.name: suite
    for suite in (
        Suite(
            "strategic",
            "games of two players: boards, bids, bargaining, repeated dilemmas",
            (
                Task("TicTacToe", "tactical"),
                Task("ConnectFour", "tactical"),
                Task("LiarsDice", "odds"),
                Task("Goofspiel", "matching", params={"cards": 6}),
                Task("SimpleNegotiation", "trader"),
                Task("RepeatedGame", "tit_for_tat", params={"rounds": 20}),
                Task("TrustAndSplit", "honest"),
                Task("SocialGoals", "haggler"),
            ),
        ),
        Suite(
            "commons",
            "common goods, trust and reputation among policies",
            (
                Task("Fishery", "norm_follower"),
                Task("PublicGoods", "conditional"),
                Task("TrustGame", "reputation"),
                Task("DonorGame", "standing", params={"generations": 1}),
                Task("RouteChoice", "selfish"),
                Task("GraphGames", "conditional", params={"agents": 8, "first": 4, "rounds": 20}),
            ),
        ),
        Suite(
            "dual-control",
            "help desks and assistants that share control with a person",
            (
                Task("Telecom", "persona", _DESK),
                Task("Retail", "persona", _DESK),
                Task("Airline", "persona", _DESK),
                Task("CollaborativeMaze", "sharer"),
                Task("Assistance", "bayes"),
                Task("Elicit"),
            ),
        ),
        Suite(
            "deduction",
            "hidden roles, sabotage, unreliable sources",
            (
                Task("Werewolf", "honest"),
                Task("AmongUs", "task_first"),
                Task("InjectAndRepair", "climber"),
                Task("RedTeam", "naive"),
                Task("SourceReliability"),
                Task("Investigation"),
            ),
        ),
        Suite(
            "exploration",
            "worlds that must be found out: hidden rooms, switches, preferences",
            (
                Task("Memory"),
                Task("MultiRoom"),
                Task("KeyCorridor"),
                Task("TurnOnLights"),
                Task("Preferences", params={"rounds": 30}),
                Task("DynamicObstacles"),
            ),
        ),
        Suite(
            "planning",
            "worlds in which a plan is needed before the first move",
            (
                Task("Maze"),
                Task("Sokoban"),
                Task("DoorKey"),
                Task("FrozenLake"),
                Task("LightsOut"),
                Task("TravelPlanner"),
            ),
        ),
    )
}


def suite(name: str) -> Suite:
    """A suite by its name."""
    if name not in SUITES:
        raise UnknownIdError(f"there is no suite {name!r}{suggest(name, SUITES)}")
    return SUITES[name]


def evaluate(
    chosen: Suite,
    model: Model,
    size: str = "small",
    protocol: Protocol = Protocol(),  # noqa: B008
    limits: Limits = Limits(),  # noqa: B008
    budget: Budget = Budget(),  # noqa: B008
    path: str | os.PathLike[str] | None = None,
    progress: Callable[[Played], None] | None = None,
    trials: int = 1,
) -> Results:
    """Play a suite with a model.

    Args:
        chosen: the suite.
        model: the model.
        size: "small" or "full", see `SIZES`; the episodes of the small one are the first of the full one.
        protocol: how the model is asked.
        limits: on requests.
        budget: of the ledger.
        path: a ledger of answers, from which an interrupted evaluation resumes. One ledger serves both sizes and any
            number of trials.
        progress: called with each episode that ends.
        trials: how often the model plays each episode. With several, the results have pass^k.
    """
    if size not in SIZES:
        raise ParameterError(f"size={size!r} must be one of {', '.join(SIZES)}")
    if trials < 1:
        raise ParameterError(f"trials={trials!r} must be at least 1")
    common = {
        "kind": "evaluate", "suite": chosen.name, "version": registry.__version__, "model": model.settings(),
        "protocol": protocol.plain(),
    }  # fmt: skip
    answers = Answers(path, common, limits, budget)
    tasks = [task.under(protocol.treatments) for task in chosen.tasks]
    games = [game for task in tasks for game in games_of(task, model, SIZES[size], trials)]
    played = play(games, answers, protocol, progress)
    rows, count = [], SIZES[size] * trials
    for k, task in enumerate(tasks):
        rows.append(_row(task, played[k * count : (k + 1) * count], trials))
    return Results(chosen.name, size, model.settings(), protocol, rows, played, budget, answers.stopped)


def games_of(task: Task, model: Model, episodes: int, trials: int = 1) -> list[Game]:
    """The episodes of a task, each with its trials after each other."""
    world = task.world
    seats, everyone = task.chosen(world), range(len(world.agents))
    found = []
    for k in range(episodes):
        mine = seats[k % len(seats)]
        others = {a: task.others for a in everyone if a != mine}
        found += [Game(task.id, world, SEED + k, {mine: model}, others, trial=trial) for trial in range(trials)]
    return found


def _row(task: Task, played: Sequence[Played], trials: int) -> Row:
    random, best = reference(task)
    return row_of(task.id, played, random.mean, best.mean, best.policy, trials)


# The scores of policies.


@dataclass(frozen=True)
class Reference:
    """The score of a policy in a task: mean return and its standard error over `EPISODES` episodes.

    `code` is a stamp of the sources of the world and of the policies.
    """

    task: str
    others: str
    seats: tuple[str, ...]
    params: dict[str, Any]
    policy: str
    mean: float
    error: float
    code: str

    def of(self, task: Task) -> bool:
        """Whether this is a score in a task."""
        return (self.task, self.others, self.seats, self.params) == (task.id, task.others, task.seats, task.params)


def measured(task: Task, policy: str) -> Reference:
    """Play a policy in a task."""
    world = task.world
    seats, count = task.chosen(world), len(world.agents)
    mine = np.array([seats[k % len(seats)] for k in range(EPISODES)])
    seating = np.ones((EPISODES, count), np.int64)
    seating[np.arange(EPISODES), mine] = 0
    players = [policy, task.others or policy]
    returns = match(world, players, EPISODES, SEED, seating=seating).returns[np.arange(EPISODES), mine]
    mean, error = rounded(returns.mean()), rounded(float(standard_error(returns)))
    return Reference(task.id, task.others, task.seats, task.params, policy, mean, error, _code(task, world, policy))


def _code(task: Task, world: World, policy: str) -> str:
    return code_among(world, policy, task.others or None)


@cache
def _scores(id: str) -> tuple[Reference, ...]:
    """The stored scores of all tasks in a world."""
    return tuple(Reference(**{**row, "seats": tuple(row["seats"])}) for row in stored.rows(id, SECTION))


def reference(task: Task) -> tuple[Reference, Reference]:
    """The scores of random play and of the best policy; measured now if the table does not have the task."""
    rows = [row for row in _scores(task.id) if row.of(task)]
    rows = rows or [measured(task, policy) for policy in policies_of(task.world)]
    random = next(row for row in rows if row.policy == "random")
    best = max(rows, key=lambda row: row.mean)
    if not best.mean > random.mean:
        raise ParameterError(f"{task.id}: no policy is better than random play, so scores cannot be normalized")
    return random, best


def update() -> int:
    """Bring the tables up to date, written after each task; the number of rows that were measured."""
    tasks: dict[str, list[Task]] = {}
    for task in (task for one in SUITES.values() for task in one.tasks):
        tasks.setdefault(task.id, []).append(task)
    count = 0
    for id, listed in tasks.items():
        rows = []
        for task in listed:
            for policy in policies_of(task.world):
                row, fresh = _measured_unless_known(task, policy)
                count += fresh
                rows.append(row)
        stored.write(id, SECTION, map(asdict, rows))
    _scores.cache_clear()
    return count


def _measured_unless_known(task: Task, policy: str) -> tuple[Reference, bool]:
    """A policy's score in a task, and whether it was measured now: it was not stored, or the code has changed."""
    known = next((row for row in _scores(task.id) if row.policy == policy and row.of(task)), None)
    if known is not None and known.code == _code(task, task.world, policy):
        return known, False
    row = measured(task, policy)
    print(f"{task.id} {policy} {row.mean:.4g} +- {row.error:.2g}", flush=True)
    return row, True


if __name__ == "__main__":
    print(f"{update()} rows measured")
