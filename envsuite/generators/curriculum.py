"""Curricula of levels, for any world that takes levels: uniform, robust prioritized replay, and editing.

    curriculum = Accel("maze", num_envs=1024, split="train")
    over = np.ones(1024, bool)
    while training:
        envs.reset(options={"level": curriculum.sample(over), "reset_mask": over})
        ...                                     # play until worlds are over; learn from curriculum.trains only
        curriculum.update(over, regrets)        # one score for each world that is over

Curricula do not depend on the learner. A score says how much there is to learn from a level, such as a regret estimate.

Jiang et al., "Prioritized Level Replay", ICML 2021, and "Replay-Guided Adversarial Environment Design", NeurIPS 2021
(robust replay: new levels are only scored, not learned from); Parker-Holder et al., "Evolving Curricula with
Regret-Based Environment Design", ICML 2022 (ACCEL).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from envsuite.core.errors import ParameterError
from envsuite.core.random import mix
from envsuite.generators.base import Split, generate_many, mutate, split_of

Level = Mapping[str, Any]

#: The number of attempts to edit a level so that the result is in the wanted split.
_TRIES = 16


#: The distance between the numbers of two words of SplitMix64.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class ByEpisode:
    """The levels of all episodes of N worlds, each chosen by the seed of its episode. `Vector` makes it.

    The seed of a world's first episode is the one that the world was reset with. Every later seed follows from the one
    before it, so a level depends on neither N nor the number of threads.

    Args:
        given: levels, of which number ``seed % len(given)`` is taken, or a function of a seed that makes a level. None
            in place of a level leaves it to the world.
        num: N.

    Attributes:
        seeds: (N,) uint64, of the episodes that run.
    """

    def __init__(self, given: Sequence[Level | None] | Callable[[int], Level | None], num: int):
        if not callable(given) and not (isinstance(given, (list, tuple)) and given):
            raise ParameterError(
                f"curriculum={given!r:.60} must be a list of levels or a function of an episode's seed"
            )
        self.given = given if callable(given) else list(given)
        self.seeds = np.zeros(num, np.uint64)

    def advance(self, rows: np.ndarray, seeds: Sequence[int] | None = None) -> None:
        """The seeds of the next episodes of these worlds: those at their numbers, or those that follow."""
        following = mix(self.seeds[rows] + _GOLDEN) if seeds is None else np.asarray(seeds, np.uint64)[rows]
        self.seeds[rows] = following

    def level(self, world: int) -> Level | None:
        """The level of this world's episode."""
        seed = int(self.seeds[world])
        return self.given(seed) if callable(self.given) else self.given[seed % len(self.given)]


class Curriculum:
    """Uniform: a new level for every episode. The base of the others.

    Args:
        levels: a kind of level or a world's id, as `generate` takes it, or a function from a list of seeds to the same
            number of levels.
        num_envs: worlds of the batch, N.
        seed: seed of all draws.
        split, params: as `generate` takes them, unless `levels` is a function.

    Attributes:
        levels: the N levels that the worlds play.
        trains: (N,) bool, whether to learn from the episode that a world plays.
    """

    def __init__(
        self,
        levels: str | Callable[[Sequence[int]], Sequence[Level]],
        num_envs: int,
        *,
        seed: int = 0,
        split: Split = None,
        **params: Any,
    ):
        if callable(levels) and (split or params):
            raise ParameterError("split and params belong to a kind of level, not to a function that makes levels")
        self._source, self._split, self._params = levels, split, params
        self.rng = np.random.default_rng(seed)
        self.levels: list[Any] = [None] * num_envs
        self.trains = np.ones(num_envs, np.bool_)

    def fresh(self, count: int) -> list[Level]:
        """New levels."""
        first = int(self.rng.integers(2**62))
        if callable(self._source):
            return list(self._source(range(first, first + count)))
        return list(generate_many(self._source, count, first, self._split, **self._params)) if count else []

    def sample(self, where: np.ndarray) -> list[Level | None]:
        """The next levels for the worlds marked in (N,) bool, None for the others: a reset's ``options["level"]``."""
        chosen = np.flatnonzero(where)
        for i, level in zip(chosen, self._choose(chosen)):
            self.levels[i] = level
        return [self.levels[i] if where[i] else None for i in range(len(self.levels))]

    def _choose(self, worlds: np.ndarray) -> list[Level]:
        """A level for each of these worlds; sets `trains`."""
        return self.fresh(len(worlds))

    def update(self, where: np.ndarray, scores: np.ndarray) -> None:
        """Report the scores (N,) of the finished episodes, which are marked in (N,) bool."""


class PrioritisedReplay(Curriculum):
    """Robust prioritized level replay: new levels are scored, and levels with the highest scores are learned from.

    Once the buffer is filled to the share `warm`, a level is replayed with probability `replay`. The level is drawn by
    score, with probability proportional to rank ** (-1 / temperature). This is mixed with the share `staleness` of a
    probability proportional to the time since the level was last played.

    Args:
        levels, num_envs, seed, split, params: as in `Curriculum`.
        capacity: levels of the buffer; a higher score replaces the lowest one.
        replay, temperature, staleness, warm: see above.
        robust: without it, new levels are learned from too.

    Attributes:
        replayed: (N,) bool, whether a world plays a level of the buffer.
        buffer, scores: the levels to replay, and the score of each.
    """

    def __init__(
        self,
        levels: str | Callable[[Sequence[int]], Sequence[Level]],
        num_envs: int,
        *,
        seed: int = 0,
        split: Split = None,
        capacity: int = 4000,
        replay: float = 0.5,
        temperature: float = 0.3,
        staleness: float = 0.3,
        warm: float = 0.5,
        robust: bool = True,
        **params: Any,
    ):
        super().__init__(levels, num_envs, seed=seed, split=split, **params)
        for name, value in (("replay", replay), ("staleness", staleness), ("warm", warm)):
            if not 0 <= value <= 1:
                raise ParameterError(f"{name}={value!r} must be from 0 to 1")
        if not temperature > 0 or capacity < 1:
            raise ParameterError(f"temperature={temperature!r} and capacity={capacity!r} must be positive")
        self.capacity, self.replay, self.temperature = capacity, replay, temperature
        self.staleness, self.warm, self.robust = staleness, warm, robust
        self.buffer: list[Level] = []
        self.scores, self.played = np.zeros(capacity), np.zeros(capacity, np.int64)
        self.replayed = np.zeros(num_envs, np.bool_)
        self.episodes = 0
        self._places: dict[str, int] = {}  # of the buffer, by content

    def probabilities(self) -> np.ndarray:
        """The probability of each level of the buffer to be replayed next."""
        count = len(self.buffer)
        order = np.argsort(-self.scores[:count], kind="stable")
        ranks = np.empty(count)
        ranks[order] = np.arange(1, count + 1)
        by_score = ranks ** (-1 / self.temperature)
        by_age = (self.episodes - self.played[:count]).astype(float)
        chances = by_score / by_score.sum()
        if by_age.sum() > 0:
            chances = (1 - self.staleness) * chances + self.staleness * by_age / by_age.sum()
        return chances

    def _choose(self, worlds: np.ndarray) -> list[Level]:
        ready = self.buffer and len(self.buffer) >= self.warm * self.capacity
        again = (self.rng.random(len(worlds)) < self.replay) if ready else np.zeros(len(worlds), np.bool_)
        self.replayed[worlds] = again
        self.trains[worlds] = again | (not self.robust)
        new = iter(self.fresh(int((~again).sum())))
        places = np.full(len(worlds), -1)
        if again.any():
            places[again] = self.rng.choice(len(self.buffer), int(again.sum()), p=self.probabilities())
        chosen = []
        for place in places:
            self.episodes += 1
            if place >= 0:
                self.played[place] = self.episodes
            chosen.append(self.buffer[place] if place >= 0 else next(new))
        return chosen

    def update(self, where: np.ndarray, scores: np.ndarray) -> None:
        for i in np.flatnonzero(where):
            self.put(self.levels[i], float(scores[i]))

    def put(self, level: Level, score: float) -> None:
        """Note the score of a level; it enters the buffer if there is room or a lower score."""
        key = json.dumps(level, sort_keys=True)
        place = self._places.get(key)
        if place is None:
            if len(self.buffer) < self.capacity:
                place = len(self.buffer)
                self.buffer.append(level)
            else:
                place = int(self.scores.argmin())
                if score <= self.scores[place]:
                    return
                del self._places[json.dumps(self.buffer[place], sort_keys=True)]
                self.buffer[place] = level
            self._places[key] = place
            self.played[place] = self.episodes
        self.scores[place] = score


class Accel(PrioritisedReplay):
    """ACCEL: prioritized replay, in which each replayed level is edited; the edited level is scored next.

    Args:
        levels, num_envs, seed, split, capacity, replay, temperature, staleness, warm, robust, params: as in
            `PrioritisedReplay`.
        edits: small changes of a level from one generation to the next.
        edit: a function of a level and a seed that makes a small change; `envsuite.generators.mutate` by default.
    """

    def __init__(
        self,
        levels: str | Callable[[Sequence[int]], Sequence[Level]],
        num_envs: int,
        *,
        edits: int = 5,
        edit: Callable[[Level, int], Level] = mutate,
        **options: Any,
    ):
        super().__init__(levels, num_envs, **options)
        if edits < 1:
            raise ParameterError(f"edits={edits!r} must be a positive integer")
        self.edits, self.edit = edits, edit
        self._parents: list[Level | None] = [None] * num_envs

    def _choose(self, worlds: np.ndarray) -> list[Level]:
        parents = [self._parents[i] for i in worlds]
        edited = np.array([parent is not None for parent in parents], np.bool_)
        self.replayed[worlds[edited]] = False
        self.trains[worlds[edited]] = not self.robust
        self.episodes += int(edited.sum())
        others = iter(super()._choose(worlds[~edited]))
        for i in worlds:
            self._parents[i] = None
        return [next(others) if parent is None else self._child(parent) for parent in parents]

    def _child(self, level: Level) -> Level:
        """An edited level of the same split, or a new one if all attempts lead out of the split."""
        for _ in range(_TRIES):
            child = level
            for seed in self.rng.integers(2**62, size=self.edits):
                child = self.edit(child, int(seed))
            if self._split is None or split_of(child) == self._split:
                return child
        return self.fresh(1)[0]

    def update(self, where: np.ndarray, scores: np.ndarray) -> None:
        super().update(where, scores)
        for i in np.flatnonzero(where & self.replayed):
            self._parents[i] = self.levels[i]
