"""Tournaments of policies: payoffs, standings and Elo, kept in a file and resumed from it.

    found = tournament("ConnectFour", ["random", "tactical"], 100, path="four.jsonl")
    save_png(found.scene(), "four.png")

Two entrants meet in *seatings*. With two agents, each entrant plays each seat. With more, each entrant in turn plays
one agent, in every seat, and the other entrant plays the rest. All seatings of all pairings are played on the same
seeds, so chance is the same for all. A pairing's result depends neither on the other pairings nor on when it is played.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from envsuite import registry
from envsuite.core.cast import seated
from envsuite.core.errors import ParameterError, ResultsError
from envsuite.core.parameters import to_json
from envsuite.core.policy import Policy
from envsuite.core.world import World
from envsuite.evaluation.matches import Play, Result, code_of, play
from envsuite.evaluation.ratings import elo
from envsuite.evaluation.statistics import Interval, mean_interval, standard_error
from envsuite.interfaces.gym import seat_number
from envsuite.interfaces.single import as_world, check_seed
from envsuite.render.scene import Drawn
from envsuite.scale import Executor, Ledger, executor, run_all

if TYPE_CHECKING:
    from envsuite.render.scene import Scene


#: Maximum episodes of a seating.
MOST_EPISODES = 10_000_000

#: Bootstrap samples behind the intervals of Elo.
RESAMPLES = 400


# Pairings.


@dataclass(frozen=True)
class Pairing:
    """The results of two entrants against each other on N seeds, or of one against itself.

    Attributes:
        policies: their names, in alphabetical order.
        returns: (2, N) each entrant's return where it is the one agent that differs (or the first of two), a mean over
            such seatings.
        won, drawn: (N,) the number of seatings in which the first entrant's return (its mean return, where it plays
            several agents) was larger than the other's, and equal to it.
        seatings: the number of seatings.
        length: mean transitions of an episode.
    """

    policies: tuple[str, str]
    returns: np.ndarray
    won: np.ndarray
    drawn: np.ndarray
    seatings: int
    length: float

    @property
    def points(self) -> float:
        """The share of the points that the first one got: a whole one for a win, half a one for a draw."""
        return float((self.won + self.drawn / 2).mean()) / self.seatings

    def plain(self) -> dict[str, Any]:
        """The plain data that `read` takes."""
        return {
            "policies": list(self.policies),
            "returns": self.returns.tolist(),
            "won": self.won.tolist(),
            "drawn": self.drawn.tolist(),
            "seatings": self.seatings,
            "length": self.length,
        }

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> Pairing:
        """A pairing from plain data."""
        first, second = found["policies"]
        returns = np.array(found["returns"], np.float64)
        won, drawn = (np.array(found[name], np.int64) for name in ("won", "drawn"))
        seatings, length = int(found["seatings"]), float(found["length"])
        if returns.shape != (2, *won.shape) or won.shape != drawn.shape or won.ndim != 1:
            raise ValueError("returns and games do not fit each other")
        if min(won.min(), drawn.min(), (seatings - won - drawn).min(), length) < 0:
            raise ValueError("more games are won or drawn than were played")
        if not (np.isfinite(returns).all() and math.isfinite(length)):
            raise ValueError("a return or the length is not a finite number")
        if not (isinstance(first, str) and isinstance(second, str) and first <= second):
            raise ValueError("the policies are no two names in alphabetical order")
        return cls((first, second), returns, won, drawn, seatings, length)


def seatings_of(world: World) -> np.ndarray:
    """(S, A) the entrant in each seat, 0 or 1: both orders of two, or each entrant in turn alone in every seat."""
    count = len(world.agents)
    alone = np.eye(count, dtype=np.int64)
    return 1 - alone if count == 2 else np.concatenate([1 - alone, alone])


def _table(world: World, names: tuple[str, str]) -> np.ndarray:
    """(S, A) the seatings of two entrants, or of one with itself."""
    return np.zeros((1, len(world.agents)), np.int64) if names[0] == names[1] else seatings_of(world)


def pairing_job(
    world: World,
    names: tuple[str, str],
    policies: Sequence[Policy],
    episodes: int,
    seed: int = 0,
    steps: int | None = None,
) -> Play:
    """All seatings of two entrants, `episodes` each, on the same seeds; an entrant with itself has one seating."""
    return Play(world, policies, _table(world, names)[:, None], episodes, seed, steps)


def paired(world: World, episodes: int, names: tuple[str, str], result: Result) -> Pairing:
    """The pairing whose seatings have been played one after the other, `episodes` each, with these results."""
    table = _table(world, names)
    returns = result.returns.reshape(len(table), episodes, -1)
    length = float(np.mean([part.mean() for part in result.lengths.reshape(len(table), -1)]))
    if names[0] == names[1]:
        none = np.zeros(episodes, np.int64)
        mean = result.returns.mean(axis=1)
        return Pairing(names, np.stack([mean, mean]), none, none + 1, 1, length)
    groups = np.array([[part[:, row == mine].mean(axis=1) for row, part in zip(table, returns)] for mine in (0, 1)])
    alone = [(table == mine).sum(axis=1) == 1 for mine in (0, 1)]
    means = np.stack([groups[mine, alone[mine]].mean(axis=0) for mine in (0, 1)])
    won, drawn = (groups[0] > groups[1]).sum(axis=0), (groups[0] == groups[1]).sum(axis=0)
    return Pairing(names, means, won, drawn, len(table), length)


# Results on file.


def configuration(world: World, episodes: int, seed: int, steps: int | None) -> dict[str, Any]:
    """The data that all results of a file must have in common, as plain data."""
    return {
        "world": world.id,
        "version": registry.__version__,
        "params": to_json(world.parameters, str),
        "steps": steps,
        "episodes": episodes,
        "seed": seed,
    }


class _File:
    """Pairings by name, in memory and, if there is a path, in a ledger."""

    def __init__(self, path: str | os.PathLike[str] | None, common: Mapping[str, Any], codes: Callable[..., str]):
        self.codes = codes
        self.found: dict[tuple[str, str], tuple[str, Pairing]] = {}
        self._ledger = Ledger(path, common, self._take, "a pairing of a tournament")

    def _take(self, data: dict[str, Any], where: str) -> None:
        code, pairing = data["code"], Pairing.read(data)
        if len(pairing.won) != data["episodes"]:
            raise ResultsError(f"{where}: {len(pairing.won)} results are not those of {data['episodes']} episodes")
        self.found.setdefault(pairing.policies, (code, pairing))

    def get(self, names: tuple[str, str]) -> Pairing | None:
        """The pairing, if it is there; `ResultsError` if it was played with other code."""
        if names not in self.found:
            return None
        code, pairing = self.found[names]
        if code != self.codes(*names):
            raise ResultsError(
                f"{self._ledger.path}: {' and '.join(names)} were played before the code of the world or of these "
                "policies changed; give another file"
            )
        return pairing

    def add(self, pairing: Pairing) -> None:
        """Keep a pairing."""
        code = self.codes(*pairing.policies)
        self.found[pairing.policies] = (code, pairing)
        self._ledger.add({"code": code, **pairing.plain()})


# Tournaments.


@dataclass(frozen=True)
class Standing:
    """An entrant's place.

    Attributes:
        name: the entrant.
        games: episodes against others.
        value: the mean return against the entrants that it met, all with equal weight.
        shares: of the games won, drawn, lost.
        rating: Elo; None where the agents' rewards are identical.
    """

    name: str
    games: int
    value: Interval
    shares: tuple[float, float, float]
    rating: Interval | None


@dataclass(frozen=True, repr=False)
class Tournament(Drawn):
    """Results of a tournament.

    Attributes:
        id: of the world.
        utility: of the world.
        names: the entrants.
        episodes: of each seating of a pairing.
        pairings: those played, in order.
        possible: the bounds of a return.
    """

    id: str
    utility: str
    names: tuple[str, ...]
    episodes: int
    pairings: tuple[Pairing, ...]
    possible: tuple[float, float] = (-np.inf, np.inf)

    def __repr__(self) -> str:
        played = f"{len(self.pairings)} pairings of {self.episodes} episodes"
        return f"Tournament({self.id}: {', '.join(self.names)}; {played})"

    def _by_seed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(E, E, N) returns of the row against the column, nan where they did not meet; games won; games drawn."""
        count = len(self.names)
        returns = np.full((count, count, self.episodes), np.nan)
        won, drawn = np.zeros((2, count, count, self.episodes))
        for one in self.pairings:
            i, j = (self.names.index(name) for name in one.policies)
            returns[i, j], returns[j, i] = one.returns
            if i != j:
                won[i, j], won[j, i] = one.won, one.seatings - one.won - one.drawn
                drawn[i, j] = drawn[j, i] = one.drawn
        return returns, won, drawn

    def payoffs(self) -> tuple[np.ndarray, np.ndarray]:
        """(E, E) mean return of the row against the column, and its standard error; nan where they did not meet.

        Among more than two agents it is that of one agent of the row when all others are of the column. On the diagonal
        all agents are of one entrant.
        """
        returns, *_ = self._by_seed()
        return returns.mean(axis=2), standard_error(returns, axis=2)

    def ratings(self, confidence: float = 0.95, seed: int = 0) -> list[Interval]:
        """Elo of every entrant (see `elo`) with the wider of two intervals.

        One is the percentile interval of a bootstrap over seeds, in all pairings at once, because games on one seed are
        correlated. The other follows from the curvature of the likelihood: an entrant that has always won may still
        lose.
        """
        _, won, drawn = self._by_seed()
        middle, error = elo(won.sum(axis=2), drawn.sum(axis=2))
        chances = np.full(self.episodes, 1 / self.episodes)
        weights = np.random.default_rng(seed).multinomial(self.episodes, chances, RESAMPLES).T.astype(np.float64)
        again, _ = elo(*(np.moveaxis(part @ weights, 2, 0) for part in (won, drawn)))
        ends = np.quantile(again, [0.5 - confidence / 2, 0.5 + confidence / 2], axis=0)
        reach = NormalDist().inv_cdf(0.5 + confidence / 2) * error
        low, high = np.minimum(ends[0], middle - reach), np.maximum(ends[1], middle + reach)
        return [Interval(float(m), float(a), float(b)) for m, a, b in zip(middle, low, high)]

    def standings(self, confidence: float = 0.95) -> list[Standing]:
        """The entrants by mean return, from the first to the last, with confidence intervals over seeds."""
        returns, won, drawn = self._by_seed()
        apart = ~np.eye(len(self.names), dtype=bool)
        met = ~np.isnan(returns[:, :, 0]) & apart
        ratings = None if self.utility == "identical" else self.ratings(confidence)
        rows = []
        for i, name in enumerate(self.names):
            if not met[i].any():
                continue  # a single entrant, or one that had a bye in the only round
            games = int(
                sum(one.seatings for one in self.pairings if name in one.policies and len(set(one.policies)) == 2)
            )
            games *= self.episodes
            wins, draws = float(won[i].sum()) / games, float(drawn[i].sum()) / games
            value = mean_interval(returns[i, met[i]].mean(axis=0), confidence).within(*self.possible)
            shares = (wins, draws, 1.0 - wins - draws)
            rows.append(Standing(name, games, value, shares, None if ratings is None else ratings[i]))
        return sorted(rows, key=lambda row: -row.value.value)

    def scene(self) -> Scene:
        """The payoff matrix as a picture, in the order of the standings."""
        standings = self.standings()
        order = [self.names.index(row.name) for row in standings] or list(range(len(self.names)))
        payoffs, errors = self.payoffs()
        names = [self.names[i] for i in order]
        at = np.ix_(order, order)
        notes: list[tuple[str, list[str]]] = [("mean", [_short(row.value.value) for row in standings])]
        if self.utility != "identical":
            notes.append(("Elo", [f"{row.rating.value:+.0f}" for row in standings if row.rating]))
        return matrix_scene(
            self.id,
            f"mean return of the row against the column; {self.episodes} episodes in each seating",
            names,
            names,
            payoffs[at],
            errors[at],
            notes=notes if standings else [],
            centered=self.utility == "zero-sum",
        )


SCHEDULES = ("round_robin", "swiss")


def tournament(
    world: World | str,
    entrants: Mapping[str, str | Policy] | Sequence[str],
    episodes: int = 100,
    seed: int = 0,
    *,
    schedule: Literal["round_robin", "swiss"] = "round_robin",
    rounds: int | None = None,
    steps: int | None = None,
    path: str | os.PathLike[str] | None = None,
    workers: int | str | Executor = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Tournament:
    """Play a tournament, or resume one.

    Args:
        world: a world or its id, of two agents or more.
        entrants: names of policies; or names with a policy each.
        episodes: of each seating of a pairing, two at least.
        seed: of the first episode of each.
        schedule: "round_robin", where every entrant meets every entrant and itself; or "swiss", where each round pairs
            entrants that have done equally well so far and have not met.
        rounds: of Swiss; by default the logarithm to base 2 of the number of entrants, and at most half of it.
        steps: maximum transitions per episode.
        path: a file to which each pairing is added as soon as it is played, as a line of JSON. Pairings that are
            already in it are not played again; the outcome is the same, bit for bit. `ResultsError` if a line does not
            have its digest, or is of another configuration or of other code. Of policies in Python, the names and the
            files of their classes are compared.
        workers: the number of processes, "ray" or "ray://host:port"; see `envsuite.scale.run`.
        progress: called with the episodes played and their total number.
    """
    world = as_world(world, {})
    named = dict(entrants) if isinstance(entrants, Mapping) else {name: name for name in entrants}
    seed = check_seed(seed)
    if len(world.agents) < 2:
        raise ParameterError(f"{world.id} has one agent: a tournament needs two; `play` compares policies")
    if len(named) < 2:
        raise ParameterError("a tournament needs two entrants or more, with different names")
    if not 2 <= episodes <= MOST_EPISODES:
        raise ParameterError(f"episodes={episodes!r} must be from 2 to {MOST_EPISODES:,}")
    if schedule not in SCHEDULES:
        raise ParameterError(f"schedule={schedule!r} must be one of {', '.join(SCHEDULES)}")
    names = list(named)
    policies = dict(zip(names, seated(world, list(named.values()))))
    file = _File(
        path,
        configuration(world, episodes, seed, steps),
        lambda *pair: code_of(world, [policies[name] for name in dict.fromkeys(pair)]),
    )
    games = len(seatings_of(world)) * episodes
    played: list[Pairing] = []
    done = 0

    def meet(pairs: Sequence[tuple[str, str]], pool: Executor, total: int) -> None:
        pairs = [(min(pair), max(pair)) for pair in pairs]

        def advance(count: int) -> None:
            nonlocal done
            done += count
            if progress is not None:
                progress(done, total)

        missing = [pair for pair in pairs if file.get(pair) is None]
        advance(sum(episodes if first == second else games for first, second in set(pairs) - set(missing)))
        jobs = [pairing_job(world, pair, [policies[name] for name in pair], episodes, seed, steps) for pair in missing]
        for number, result in run_all(jobs, pool, progress=advance):
            file.add(paired(world, episodes, missing[number], result))
        played.extend(filter(None, map(file.get, pairs)))

    def so_far() -> Tournament:
        return Tournament(world.id, world.utility, tuple(names), episodes, tuple(played), world.return_range)

    if schedule == "round_robin":
        pairs = list(combinations_with_replacement(names, 2))
        with executor(workers) as pool:
            meet(pairs, pool, sum(episodes if a == b else games for a, b in pairs))
        return so_far()
    places = len(names) + len(names) % 2
    most = places // 2
    rounds = min(math.ceil(math.log2(len(names))), most) if rounds is None else rounds
    if not 1 <= rounds <= most:
        raise ParameterError(
            f"rounds={rounds} must be from 1 to {most}, so that {len(names)} entrants need not meet twice"
        )
    total = rounds * (len(names) // 2) * games
    with executor(workers) as pool:
        for _ in range(rounds):
            meet(swiss_round(names, _merits(so_far()), [one.policies for one in played]), pool, total)
    return so_far()


def _merits(found: Tournament) -> dict[str, float]:
    """The score by which a Swiss tournament pairs: an entrant's mean return so far; if it has none, the mean of all."""
    got: dict[str, list[float]] = {name: [] for name in found.names}
    for one in found.pairings:
        for name, value in zip(one.policies, one.returns.mean(axis=1)):
            got[name].append(float(value))
    known = [value for values in got.values() for value in values]
    middle = float(np.mean(known)) if known else 0.0
    return {name: float(np.mean(values)) if values else middle for name, values in got.items()}


def swiss_round(
    names: Sequence[str], merits: Mapping[str, float], met: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The pairings of the next round: from the best down, each with the next best that it has not met.

    With an odd number of entrants, one has no opponent: the worst entrant that has had one in every round so far.
    """
    by_merit = sorted(names, key=lambda name: -merits[name])
    ranked: list[str | None] = [*by_merit]
    before: set[frozenset[str | None]] = {frozenset(pair) for pair in met}
    if len(names) % 2:
        met_by = {name: sum(name in pair for pair in met) for name in names}
        before |= {frozenset((name, None)) for name in names if met_by[name] < max(met_by.values())}
        ranked.append(None)

    def pair(left: list[str | None]) -> list[tuple[str | None, str | None]] | None:
        if not left:
            return []
        first, *rest = left
        for k, second in enumerate(rest):
            if frozenset((first, second)) not in before:
                others = pair(rest[:k] + rest[k + 1 :])
                if others is not None:
                    return [(first, second), *others]
        return None

    found = pair(ranked)
    if found is None:
        raise ParameterError("every pair has already played")
    return [(first, second) for first, second in found if first is not None and second is not None]


# Cross-play.


@dataclass(frozen=True)
class CrossPlay(Drawn):
    """Mean returns of pairs of policies in fixed seats.

    Attributes:
        id: of the world.
        rows, columns: names; the rows' policies play `seats`, the columns' all others.
        seats, agents: some of the agents, and all of them.
        means, errors: (R, C, A) mean return of each agent, and its standard error.
    """

    id: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    seats: tuple[str, ...]
    agents: tuple[str, ...]
    means: np.ndarray
    errors: np.ndarray

    def scene(self, agent: str | None = None) -> Scene:
        """An agent's mean returns as a picture; of the first agent that the rows play by default."""
        a = self.agents.index(agent or self.seats[0])
        caption = f"mean return of {self.agents[a]}; rows play {', '.join(self.seats)}, columns the others"
        return matrix_scene(
            self.id, caption, self.rows, self.columns, self.means[:, :, a], self.errors[:, :, a], numbered=False
        )


def cross_play(
    world: World | str,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    episodes: int = 100,
    seed: int = 0,
    *,
    seats: Sequence[str] | None = None,
    steps: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> CrossPlay:
    """Play every policy of the rows with every policy of the columns, on the same seeds.

    For roles (an assistant and customers, customers and shops) and for partners (Hanabi, Overcooked). No policy changes
    its seat, in contrast to a tournament.

    Args:
        world: a world or its id, of two agents or more.
        rows, columns: names of policies; the columns are by default the same as the rows.
        episodes: of each pair.
        seed: of the first episode.
        seats: the agents that the rows play; the first one by default.
        steps: maximum transitions per episode.
        progress: called with the number of episodes that have just ended.
    """
    world = as_world(world, {})
    columns = rows if columns is None else columns
    chosen = tuple(seats or world.agents[:1])
    row = np.ones(len(world.agents), np.int64)
    row[[seat_number(world, seat) for seat in chosen]] = 0
    if row.all() or not row.any():
        raise ParameterError(f"{world.id}: some agents must be played by the rows and some by the columns")
    seating = np.tile(row, (episodes, 1))
    shape = (len(rows), len(columns), len(world.agents))
    means, errors = np.zeros(shape), np.zeros(shape)
    for i, first in enumerate(rows):
        for j, second in enumerate(columns):
            result = play(world, [first, second], episodes, seed, seating=seating, steps=steps, progress=progress)
            means[i, j], errors[i, j] = result.returns.mean(axis=0), standard_error(result.returns)
    return CrossPlay(world.id, tuple(rows), tuple(columns), chosen, world.agents, means, errors)


# Pictures.


def _short(value: float) -> str:
    """A number of about three digits; nothing for nan."""
    if math.isnan(value):
        return ""
    if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)):
        return str(round(value))
    digits = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def matrix_scene(
    title: str,
    caption: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: np.ndarray,
    errors: np.ndarray | None = None,
    *,
    notes: Sequence[tuple[str, Sequence[str]]] = (),
    centered: bool = False,
    numbered: bool = True,
) -> Scene:
    """A matrix as a picture.

    Args:
        title, caption: above it.
        rows, columns: names.
        values: (R, C); nan leaves a cell empty.
        errors: (R, C) standard errors, or None.
        notes: columns of text to its right: a heading, and a text for each row.
        centered: whether 0 is the middle of the colors, as in zero-sum games.
        numbered: whether columns are named by the numbers of the rows, which are the same.
    """
    from envsuite.render.scene import Label, Rect, Scene, text_width

    cell, high, gap = 1.9, 1.15, 0.06
    heads = [str(k) for k in range(1, len(columns) + 1)] if numbered else list(columns)
    indent = 0.7 + (text_width(str(len(rows))) + 0.4 if numbered else 0.0)
    left = indent + max(text_width(name) for name in rows) + 0.5
    cell = max(cell, *(text_width(head, 0.46) + 0.3 for head in heads))
    side = 2.0
    top = 3.1
    right = left + cell * len(columns)
    width = max(right + side * len(notes) + 0.7, text_width(title, 0.72) + 1.6, text_width(caption, 0.46) + 1.6)
    scene = Scene(width, top + high * len(rows) + 0.8)
    scene.add(Label(0.7, 0.85, title, 0.72, align="left", bold=True))
    scene.add(Label(0.7, 1.6, caption, 0.46, "muted", align="left"))
    for j, head in enumerate(heads):
        scene.add(Label(left + (j + 0.5) * cell, top - 0.42, head, 0.46, "muted"))
    for k, (head, _) in enumerate(notes):
        scene.add(Label(right + (k + 0.6) * side, top - 0.42, head, 0.46, "muted"))
    known = values[~np.isnan(values)]
    low, most = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    reach = max(abs(low), abs(most)) or 1.0
    for i, name in enumerate(rows):
        y = top + (i + 0.5) * high
        scene.add(Label(indent, y, name, align="left"))
        if numbered:
            scene.add(Label(indent - 0.4, y, str(i + 1), color="muted", align="right"))
        for j in range(len(columns)):
            value, x = float(values[i, j]), left + j * cell
            if math.isnan(value):
                fill = "panel"
            elif centered:
                fill = f"{'blue' if value >= 0 else 'orange'}@{0.06 + 0.84 * abs(value) / reach:.3f}"
            else:
                fill = f"green@{0.06 + 0.84 * (value - low) / ((most - low) or 1.0):.3f}"
            scene.add(Rect(x + gap / 2, y - high / 2 + gap / 2, cell - gap, high - gap, fill, radius=0.12))
            dark = "@" in fill and float(fill.partition("@")[2]) > (0.75 if fill.startswith("green") else 0.5)
            ink = "white" if dark else "ink"
            text = _short(value)
            error = _short(float(errors[i, j])) if errors is not None and text and errors[i, j] > 0 else ""
            shift = 0.2 if error else 0.0
            scene.add(Label(x + cell / 2, y - shift, text, 0.5, ink))
            if error:
                scene.add(Label(x + cell / 2, y + 0.28, f"± {error}", 0.32, f"{ink}@0.75", terminal=False))
        for k, (_, texts) in enumerate(notes):
            scene.add(Label(right + (k + 0.6) * side, y, texts[i], 0.5, "ink", bold=k == 0))
    return scene
