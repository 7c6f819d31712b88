"""Models against each other and against the policies of a world: all seats, Elo with intervals.

found = versus("TicTacToe", [Chat("a"), Chat("b")], episodes=20)
for row in found.tournament.standings():
    print(row.name, row.rating)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from envsuite import registry
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import to_json
from envsuite.core.policy import policies_of
from envsuite.core.world import World
from envsuite.evaluation.matches import Result
from envsuite.evaluation.matches import play as match
from envsuite.evaluation.tournaments import Tournament, paired, seatings_of
from envsuite.interfaces.single import as_world
from envsuite.models.answers import Answers, Budget, Limits
from envsuite.models.client import Model
from envsuite.models.harness import Game, Played, play, tokens_of
from envsuite.models.protocol import Protocol
from envsuite.models.treatments import treated


@dataclass(frozen=True)
class Versus:
    """The results of matches.

    Attributes:
        tournament: standings, Elo and payoffs of all pairs whose episodes are finished.
        protocol: how models were asked.
        played: the episodes with models.
        stopped: why not all of them were finished; None if nothing stopped them.
    """

    tournament: Tournament
    protocol: Protocol
    played: Sequence[Played]
    stopped: str | None

    @property
    def unfinished(self) -> int:
        """Episodes that could not be finished."""
        return sum(one.problem is not None for one in self.played)

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens of requests and of answers."""
        return tokens_of(self.played)

    def plain(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = self.tournament
        standings = [
            {
                "name": row.name,
                "games": row.games,
                "value": row.value._asdict(),
                "won": row.shares[0],
                "drawn": row.shares[1],
                "lost": row.shares[2],
                "elo": None if row.rating is None else row.rating._asdict(),
            }
            for row in found.standings()
        ]
        return {
            "world": found.id,
            "envsuite": registry.__version__,
            "protocol": self.protocol.plain(),
            "episodes": found.episodes,
            "standings": standings,
            "pairings": [one.plain() for one in found.pairings],
            "tokens": list(self.tokens),
            "unfinished": self.unfinished,
        }


def versus(
    world: World | str,
    models: Sequence[Model],
    episodes: int = 10,
    seed: int = 0,
    *,
    policies: Sequence[str] | None = None,
    protocol: Protocol = Protocol(),  # noqa: B008
    limits: Limits = Limits(),  # noqa: B008
    budget: Budget = Budget(),  # noqa: B008
    path: str | os.PathLike[str] | None = None,
    progress: Callable[[Played], None] | None = None,
) -> Versus:
    """Let every model and policy meet every other one in all seats, on the same seeds.

    Args:
        world: a world or its id, of two agents or more.
        models: the models, with different names.
        episodes: of each seating of a pair, two at least.
        seed: of the first episode of each.
        policies: the policies among which the models play; all of the world by default.
        protocol: how models are asked.
        limits: on requests.
        budget: of the ledger.
        path: a ledger of answers, from which interrupted matches resume.
        progress: called with each episode of a model that ends.
    """
    world = treated(as_world(world, {}), protocol.treatments)
    if len(world.agents) < 2:
        raise ParameterError(f"{world.id} has one agent: matches need two")
    if episodes < 2:
        raise ParameterError(f"episodes={episodes!r} must be at least 2")
    known = {model.name: model for model in models}
    others = list(policies_of(world)) if policies is None else list(policies)
    names = [*known, *others]
    if len(set(names)) < len(models) + len(others) or len(names) < 2:
        raise ParameterError(f"matches need two players or more with different names, not {', '.join(names) or 'none'}")
    common = {
        "kind": "versus", "world": world.id, "params": to_json(world.parameters, str), "version": registry.__version__,
        "protocol": protocol.plain(), "models": {name: model.settings() for name, model in sorted(known.items())},
    }  # fmt: skip
    answers = Answers(path, common, limits, budget)
    pairs = [(min(pair), max(pair)) for pair in combinations(names, 2)]
    games = [game for pair in pairs for game in _games(world, pair, known, episodes, seed)]
    played = play(games, answers, protocol, progress)
    finished = {(one.game.task, one.game.seed): one for one in played if one.problem is None}
    pairings = []
    for pair in pairs:
        result = _result(world, pair, known, episodes, seed, finished)
        if result is not None:
            pairings.append(paired(world, episodes, pair, result))
    found = Tournament(world.id, world.utility, tuple(names), episodes, tuple(pairings), world.return_range)
    return Versus(found, protocol, played, answers.stopped)


def _task(pair: Sequence[str], row: np.ndarray) -> str:
    """The name of the games of a pair in one seating."""
    return f"{' vs '.join(pair)}, seating {''.join(map(str, row))}"


def _games(world: World, pair: Sequence[str], models: dict[str, Model], episodes: int, seed: int) -> list[Game]:
    """The games of a pair, if one of them is a model."""
    if not set(pair) & set(models):
        return []
    found = []
    for row in seatings_of(world):
        players = [pair[k] for k in row]
        asked = {a: models[name] for a, name in enumerate(players) if name in models}
        others = {a: name for a, name in enumerate(players) if name not in models}
        found += [Game(_task(pair, row), world, seed + k, asked, others) for k in range(episodes)]
    return found


def _result(
    world: World, pair: tuple[str, str], models: dict[str, Model], episodes: int, seed: int, finished: dict[Any, Played]
) -> Result | None:
    """The results of a pair in all seatings; None if some episodes are not finished."""
    table, returns, lengths = seatings_of(world), [], []
    for row in table:
        if set(pair) & set(models):
            part = [finished.get((_task(pair, row), seed + k)) for k in range(episodes)]
            if None in part:
                return None
            returns += [one.returns for one in part if one is not None]
            lengths += [one.length for one in part if one is not None]
        else:
            found = match(world, [pair[k] for k in row], episodes, seed)
            returns += list(found.returns)
            lengths += found.lengths.tolist()
    return Result.of(world, np.array(returns), np.array(lengths))
