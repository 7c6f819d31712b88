"""Matches: many episodes at once between policies, any in any seat; focal and background populations; held-out levels.

    result = play("ConnectFour", ["tactical", "random"], 10_000)
    result.outcomes()  # shares won, drawn and lost, by agent

Episode k of a match is the one that a single environment and its policies play from ``seed + k``, whatever else is
played. Matches with equal seeds therefore share their chance: compare policies on the same seeds.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import operator
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from envsuite import registry
from envsuite.compile import tiers
from envsuite.compile.cache import source_hash
from envsuite.core.batch import Batch, compiled_run
from envsuite.core.cast import Cast, checked, seated
from envsuite.core.errors import ParameterError, ScaleError
from envsuite.core.notebook import table
from envsuite.core.parameters import is_integer, to_json
from envsuite.core.policy import CompiledPolicy, FunctionPolicy, Policy
from envsuite.core.world import World
from envsuite.evaluation.metrics import normalised
from envsuite.evaluation.statistics import Interval, mean_interval
from envsuite.interfaces.gym import seat_number
from envsuite.interfaces.single import as_world, check_seed
from envsuite.scale import Executor, Job, Part, run
from envsuite.scale.job import digest

#: Bytes of records, observations and masks that are held at once, about.
BLOCK = 2**23

#: Episodes of a block, at least and at most. They do not depend on the policies, so neither does any of their seeds.
BLOCK_EPISODES = (32, 4096)


class _Result(NamedTuple):
    returns: np.ndarray
    lengths: np.ndarray


class Result(_Result):
    """The results of N episodes: a tuple of returns and lengths.

    Attributes:
        returns: (N, A) float64, the agents' total rewards.
        lengths: (N,) int64, transitions.
        possible: the bounds of a return.
        performances: (N, A) float64, the agents' hidden performance; None in a world that has none.
    """

    possible: tuple[float, float] = (-np.inf, np.inf)
    performances: np.ndarray | None = None

    @classmethod
    def of(
        cls, world: World, returns: np.ndarray, lengths: np.ndarray, performances: np.ndarray | None = None
    ) -> Result:
        """The results of episodes of a world."""
        result = cls(returns, lengths)
        result.possible, result.performances = world.return_range, performances
        return result

    def __repr__(self) -> str:
        means = ", ".join(map(str, self.means())) if len(self.returns) > 1 else self.returns[0].tolist()
        return f"Result({len(self.returns)} episodes, {self.lengths.mean():.4g} steps each; mean returns {means})"

    def _repr_html_(self) -> str:
        head = ["agent", "mean return", "won", "drawn", "lost"]
        rows = enumerate(zip(self.means(), self.outcomes().tolist()))
        return table(head, [[a, mean, *(f"{share:.0%}" for share in shares)] for a, (mean, shares) in rows])

    def outcomes(self) -> np.ndarray:
        """(A, 3) shares of the episodes that each agent won, drew and lost.

        The agent with the largest return wins; shared largest returns are draws. Meaningful where returns are
        compared, as in zero-sum games.
        """
        best = self.returns == self.returns.max(axis=1, keepdims=True)
        alone = best.sum(axis=1, keepdims=True) == 1
        return np.stack([(best & alone).mean(0), (best & ~alone).mean(0), (~best).mean(0)], axis=1)

    def means(self, confidence: float = 0.95) -> list[Interval]:
        """Each agent's mean return, with Student's interval within what is possible."""
        return [mean_interval(column, confidence).within(*self.possible) for column in self.returns.T]


def play(
    world: World | str,
    policies: Any,
    episodes: int,
    seed: int = 0,
    *,
    seating: np.ndarray | None = None,
    steps: int | None = None,
    levels: Sequence[Mapping[str, Any]] | None = None,
    workers: int | str | Executor = 1,
    path: str | os.PathLike[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Play episodes, as many of them at once as fit into a processor's cache.

    Args:
        world: a world or its id; `envsuite.registry.build` makes one with parameters.
        policies: the policies, as `Cast` takes them: a name ("tactical:connect=3") or a `Policy` for all agents, or one
            for each. Policies in Python work too, at their own speed.
        episodes: the number of episodes.
        seed: of the first episode; the others follow.
        seating: (episodes, A) the policy of each agent in each episode, as an index into a sequence of policies, which
            then may have any length; without it policy a plays agent a.
        steps: maximum transitions per episode.
        levels: the levels from which the episodes start, in turn.
        workers: the number of processes, "ray" or "ray://host:port"; see `envsuite.scale.run`.
        path: a ledger, from which an interrupted match resumes; see `envsuite.scale.run`.
        progress: called with the number of episodes that have just ended.
    """
    world = as_world(world, {})
    count = len(world.agents)
    if seating is None:
        seats = Cast(world, policies).seats
        policies, seating = [seats[a] for a in range(count)], np.arange(count)
    elif np.shape(seating) != (episodes, count):
        raise ParameterError(
            f"seating of shape {np.shape(seating)} must be of shape {(episodes, count)}, an entry for each episode and "
            "agent"
        )
    return run(Play(world, policies, seating, episodes, seed, steps, levels), workers, path, progress=progress)


class Play(Job):
    """Episodes between policies as a job; its result is a `Result`.

    Args:
        world: a world.
        policies: policies, or their names.
        seating: the policy of each agent, as an index into the policies: (A,) in all episodes, (episodes, A) in each,
            or (S, 1, A) in each of S seatings, which are played one after the other on the same seeds.
        episodes: the number of episodes; of each seating, where there are several.
        seed: of the first episode; the others follow.
        steps: maximum transitions per episode.
        levels: the levels from which the episodes start, in turn.
    """

    kind = "play"

    def __init__(
        self,
        world: World,
        policies: Sequence[Any],
        seating: np.ndarray,
        episodes: int,
        seed: int = 0,
        steps: int | None = None,
        levels: Sequence[Mapping[str, Any]] | None = None,
    ):
        if not is_integer(episodes) or episodes < 1:
            raise ParameterError(f"episodes={episodes!r} must be a positive integer")
        if steps is not None and steps < 1:
            raise ParameterError(f"steps={steps!r} must be a positive integer or None")
        made = seated(world, policies)
        if not 0 <= np.min(seating) <= np.max(seating) < len(made):
            raise ParameterError(f"seating must hold numbers below {len(made)}, the number of policies")
        self.world, self.episodes, self.seed, self.steps, self.levels = world, episodes, check_seed(seed), steps, levels
        self.players = list({id(one): one for one in made}.values())
        who = np.array([next(k for k, other in enumerate(self.players) if other is one) for one in made])[seating]
        self.who = who.reshape(-1, episodes if who.ndim == 2 else 1, len(world.agents))
        self.size = block_size(world)
        self._each = -(-episodes // self.size)  # blocks of a seating
        self.blocks = len(self.who) * self._each

    def _place(self, k: int) -> tuple[np.ndarray, int, int]:
        """The seating of a block, its first episode and the number of its episodes."""
        seating, block = divmod(k, self._each)
        first = block * self.size
        return self.who[seating], first, min(self.size, self.episodes - first)

    def header(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "world": self.world.id,
            "version": registry.__version__,
            "params": to_json(self.world.parameters, str),
            "steps": self.steps,
            "seed": self.seed,
        }

    def key(self, k: int) -> dict[str, Any]:
        who, first, count = self._place(k)
        rows = who if len(who) == 1 else who[first : first + count]
        found = {
            "policies": self._names,
            "seating": rows[0].tolist() if (rows == rows[0]).all() else digest({"seating": rows}),
            "first": first,
            "episodes": count,
        }
        if self.levels is not None:
            text = json.dumps(self._levels(first, count), sort_keys=True)
            found["levels"] = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        return found

    @cached_property
    def _names(self) -> list[Any]:
        return [described(one) for one in self.players]  # before they play

    def code(self) -> str:
        return code_of(self.world, self.players)

    def units(self, k: int) -> int:
        return self._place(k)[2]

    def work(self, k: int, progress: Callable[[int], None] | None = None) -> Part:
        who, first, count = self._place(k)
        seed = (self.seed + first) % 2**64
        batch = Batch(self.world, count)
        batch.start(seed, None if self.levels is None else self._levels(first, count))
        rows = np.broadcast_to(who, (self.episodes, who.shape[1]))[first : first + count]
        result = play_batch(batch, self.players, rows, seed, self.steps, progress)
        part = {"returns": result.returns, "lengths": result.lengths}
        return part if result.performances is None else {**part, "performances": result.performances}

    def _levels(self, first: int, count: int) -> list[Mapping[str, Any]]:
        assert self.levels is not None
        return [self.levels[k % len(self.levels)] for k in range(first, first + count)]

    def fits(self, k: int, part: Part) -> bool:
        count, shapes = self.units(k), {name: array.shape for name, array in part.items()}
        each = (count, len(self.world.agents))
        hidden = {"performances": each} if self.world.performance else {}
        return shapes == {"returns": each, "lengths": (count,), **hidden}

    def reduce(self, parts: Sequence[Part]) -> Result:
        return Result.of(self.world, **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def described(policy: Policy) -> Any:
    """A policy as plain data: its name and parameters; of one in Python, a digest of its attributes too."""
    if isinstance(policy, CompiledPolicy):
        return [policy.name, to_json(policy.chosen, str)] if policy.chosen else policy.name
    try:
        state = pickle.dumps(policy)
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise ScaleError(f"policy {policy.name!r} cannot be named in a file of results: {problem}") from None
    return [policy.name, hashlib.blake2b(state, digest_size=8).hexdigest()]


def code_of(world: World, policies: Sequence[Policy]) -> str:
    """A stamp of the sources of a world and of these policies; of a policy in Python, of the file of its class."""
    compiled = [compiled_run(world)]
    compiled += [one.compiled for one in policies if isinstance(one, CompiledPolicy)]
    stamps = [one.rules for one in compiled] + [_source(one) for one in policies if not isinstance(one, CompiledPolicy)]
    return "-".join(stamp[:12] for stamp in stamps)


def _source(policy: Policy) -> str:
    """A hash of the file in which a policy in Python is written."""
    try:
        return source_hash(inspect.getfile(policy.choose if isinstance(policy, FunctionPolicy) else type(policy)))
    except (OSError, TypeError):  # a class or function without a file
        return ""


def block_size(world: World) -> int:
    """The number of episodes that are played at once; it depends on the world only."""
    slot = world.slot.itemsize * int(np.prod(world.slot_shape)) + world.num_actions + 32
    return int(np.clip(BLOCK // (world.record.itemsize + len(world.agents) * slot), *BLOCK_EPISODES))


def play_batch(
    batch: Batch,
    players: Sequence[Policy],
    who: np.ndarray,
    seed: int,
    steps: int | None,
    progress: Callable[[int], None] | None,
    before: Callable[[], None] | None = None,
) -> Result:
    """Play the episodes of a batch that has been started.

    Args:
        batch: of N worlds of A agents.
        players: different policies.
        who: (N, A) the number of the player of each agent.
        seed: of the policies' streams in the first episode; the others follow.
        steps: maximum transitions per episode, or None.
        progress: called with the number of episodes that have just ended.
        before: called before each step, when all actions are chosen; it may change them.
    """
    turns = [turn_of(batch, one, who == k, seed) for k, one in enumerate(players) if (who == k).any()]
    returns = np.zeros(who.shape)
    ended = 0
    while True:
        now = int(np.count_nonzero(batch.finished))
        if progress is not None and now > ended:
            progress(now - ended)
        ended = now
        if ended == batch.num:
            break
        for turn in turns:
            turn()
        if before is not None:
            before()
        batch.step(where=~batch.finished)
        returns += batch.rewards
        if steps is not None:
            steps -= 1
            if steps == 0:
                if progress is not None:
                    progress(batch.num - ended)
                break
    performances = batch.records["performance"].copy() if batch.world.performance else None
    return Result.of(batch.world, returns, batch.records["t"].astype(np.int64), performances)


def turn_of(batch: Batch, policy: Policy, mine: np.ndarray, seed: int) -> Callable[[], None]:
    """Start a policy; the function that writes its actions into a batch, where (N, A) bool `mine` is true."""
    policy.reset(seed, batch.num)
    if isinstance(policy, CompiledPolicy):
        acting = batch.acting if mine.all() else np.zeros_like(batch.acting)
        seen = (*policy.looks_at(batch.observations, batch.masks), acting, batch.actions)
        act = tiers.entry(policy.compiled, (*seen, 0, batch.num), join=operator.add)

        def turn() -> None:
            if acting is not batch.acting:
                np.multiply(batch.acting, mine, out=acting)
            act(*seen, 0, batch.num)

        return turn
    seats = np.flatnonzero(mine.any(axis=0)).tolist()
    at = mine[:, seats]

    def turn_in_python() -> None:
        before = batch.actions[:, seats]
        actions = checked(policy.act_in(batch, seats, at), policy, before)
        before[at] = actions[at]
        batch.actions[:, seats] = before

    return turn_in_python


def rotated(
    world: World | str,
    policies: Any,
    episodes: int,
    seed: int = 0,
    *,
    steps: int | None = None,
    levels: Sequence[Mapping[str, Any]] | None = None,
    workers: int | str | Executor = 1,
    path: str | os.PathLike[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Play with every policy in every seat: A seatings on the same seeds; each moves every policy one seat on.

    Args:
        world, policies, episodes, seed, steps, levels, workers, path, progress: as `play` takes them; `episodes` is
            for each seating.

    Returns:
        All A * episodes results, one seating after the other; returns (A * episodes, A) are by policy, not by agent.
    """
    world = as_world(world, {})
    made, count = Cast(world, policies).seats, len(world.agents)
    # Policy p plays agent (p + turn) % A.
    seatings = np.array([[[(a - turn) % count for a in range(count)]] for turn in range(count)])
    job = Play(world, [made[a] for a in range(count)], seatings, episodes, seed, steps, levels)
    result = run(job, workers, path, progress=progress)

    def turned(parts: np.ndarray) -> np.ndarray:
        return np.concatenate([np.roll(part, -turn, axis=1) for turn, part in enumerate(np.split(parts, count))])

    performances = None if result.performances is None else turned(result.performances)
    return Result.of(world, turned(result.returns), result.lengths, performances)


@dataclass(frozen=True)
class FocalScores:
    """How focal policies did among a background population.

    Attributes:
        names: the policies.
        returns: (P, N) the mean return of a focal agent in each episode.
        background: (P, N) that of the others.
    """

    names: tuple[str, ...]
    returns: np.ndarray
    background: np.ndarray

    def means(self, confidence: float = 0.95) -> dict[str, Interval]:
        """Each policy's mean focal return, with Student's interval."""
        return {name: mean_interval(row, confidence) for name, row in zip(self.names, self.returns)}

    def normalised(self, references: Sequence[str] | None = None) -> dict[str, float]:
        """Mean focal returns with 0 for the lowest and 1 for the highest of the references, by default of all.

        As Melting Pot's: (score - min) / (max - min) (Agapiou et al., "Melting Pot 2.0", 2022).
        """
        means = dict(zip(self.names, self.returns.mean(axis=1)))
        marks = [means[name] for name in (self.names if references is None else references)]
        return {name: float(normalised(mean, min(marks), max(marks))) for name, mean in means.items()}


def focal_scores(
    world: World | str,
    policies: Mapping[str, str | Policy] | Sequence[str],
    background: Sequence[str | Policy],
    episodes: int,
    seed: int = 0,
    *,
    seats: int | Sequence[str] = 1,
    steps: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> FocalScores:
    """The mean per-capita return of focal agents, all played by one policy, among a background population.

    Args:
        world: a world or its id.
        policies: the policies that are focal in turn, by name; or names with a policy each.
        background: the policies of the other seats. Each seat draws one of them for every episode; all focal policies
            meet the same ones.
        episodes: of each focal policy.
        seed: of the first episode, and of the draws.
        seats: the number of focal agents, a different set of neighbors in each episode; or their names.
        steps: maximum transitions per episode.
        progress: called with the number of episodes that have just ended.
    """
    world = as_world(world, {})
    count = len(world.agents)
    if isinstance(seats, int):
        if not 0 < seats <= count:
            raise ParameterError(f"seats={seats} must be from 1 to {count}, the agents of {world.id}")
        focal = (np.arange(count) - np.arange(episodes)[:, None]) % count < seats
    else:
        focal = np.zeros((episodes, count), bool)
        focal[:, [seat_number(world, seat) for seat in seats]] = True
    if not (len(background) or focal.all()):
        raise ParameterError(f"{world.id}: the other {count - int(focal[0].sum())} agents need a background population")
    drawn = np.random.default_rng(seed).integers(1, max(1, len(background)) + 1, (episodes, count))
    seating = np.where(focal, 0, drawn)
    entrants = policies if isinstance(policies, Mapping) else {name: name for name in policies}
    ours, theirs = [], []
    for one in entrants.values():
        result = play(world, [one, *background], episodes, seed, seating=seating, steps=steps, progress=progress)
        ours.append(np.where(focal, result.returns, 0.0).sum(axis=1) / focal.sum(axis=1))
        with np.errstate(invalid="ignore"):
            theirs.append(np.where(focal, 0.0, result.returns).sum(axis=1) / (~focal).sum(axis=1))
    return FocalScores(tuple(entrants), np.array(ours), np.array(theirs))


def held_out(
    world: World | str,
    policies: str | Policy | Sequence[str | Policy],
    training: Sequence[Mapping[str, Any]] | range,
    tests: Sequence[Mapping[str, Any]] | range,
    seed: int = 0,
    **options: Any,
) -> tuple[Result, Result]:
    """Play the levels of training, and levels that were not trained on: the difference is the generalization gap.

    Args:
        world, policies: as `play` takes them.
        training, tests: levels, one episode each, as `envsuite.generators.generate_many` makes them with ``split=``;
            or, where seeds are all that episodes differ by, a range of seeds. `ParameterError` if any is in both.
        seed: of the first episode, for levels.
        options: of `play`.
    """
    sets = [set(part) if isinstance(part, range) else {json.dumps(one, sort_keys=True) for one in part}
            for part in (training, tests)]  # fmt: skip
    shared = len(sets[0] & sets[1])
    if shared:
        raise ParameterError(f"{shared} of the {len(sets[1])} held-out levels or seeds are among those of training")
    found = []
    for part in (training, tests):
        if not len(part):
            raise ParameterError("there must be levels or seeds for training and for tests")
        if not isinstance(part, range):
            found.append(play(world, policies, len(part), seed, levels=part, **options))
        elif part.step == 1:
            found.append(play(world, policies, len(part), part.start, **options))
        else:
            raise ParameterError(f"{part} must be a range of consecutive seeds")
    return found[0], found[1]
