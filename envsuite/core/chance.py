"""Exact chance: all outcomes of starts and transitions with their probabilities, for worlds small enough.

`Explorer` carries out a transition with an ordinary record first. If that drew a random number, which the record's
stream shows, it is done again with records that carry a tape (see `envsuite.core.random`), once for every outcome.
Nothing here knows the rules: whatever a world draws is enumerated, and a transition without chance costs one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.errors import EnvsuiteError
from envsuite.core.random import TAPE, TAPE_LENGTH
from envsuite.core.table import as_words
from envsuite.core.world import World


class ChanceError(EnvsuiteError, ValueError):
    """The chance of this world cannot be enumerated."""


class Outcome(NamedTuple):
    """One outcome: its probability, the record after it (structured, shape ()), and rewards (A,) float64."""

    probability: float
    record: Any
    rewards: np.ndarray


class Outcomes(NamedTuple):
    """Outcomes of many transitions.

    Attributes:
        parents: (O,) int64, the number of the transition.
        probabilities: (O,) float64; those of one transition sum to 1.
        records: (O,) structured, the records after it.
        rewards: (O, A) float64.
    """

    parents: np.ndarray
    probabilities: np.ndarray
    records: np.ndarray
    rewards: np.ndarray


class View(NamedTuple):
    """The observations of all agents in a record, (A, ...) as in a batch; for N records (N, A, ...)."""

    observations: np.ndarray
    masks: np.ndarray
    acting: np.ndarray
    over: Any


class Explorer:
    """Enumerates the chance of one world. Records hold no random stream here, so equal states are equal bytes.

    Args:
        world: the world.
        num: the number of transitions carried out at once.
    """

    def __init__(self, world: World, num: int = 1):
        world.require_actions("enumerating chance")
        self.world = world
        self.batch = Batch(world, num)

    # Many transitions at once.

    def begin(self, level: Mapping[str, Any] | None = None) -> Iterator[Outcomes]:
        """All starts of an episode, or of an episode with this level."""
        blank = np.zeros(1, self.world.record)
        self.world.fill(blank)
        as_words(self.batch.records)[0] = as_words(blank)[0]
        if level is not None:
            self.batch.set_level(0, level)
        return self._all(as_words(self.batch.records)[:1].copy(), np.zeros(1, np.int64), None, None)

    def expand(
        self, records: np.ndarray, masks: np.ndarray, parents: np.ndarray, actions: np.ndarray
    ) -> Iterator[Outcomes]:
        """All outcomes of transitions, in parts.

        Args:
            records: (N,) structured.
            masks: (N, A, K) int8, their masks.
            parents: (R,) indices of the records in which the transitions start.
            actions: (R, A) the actions; entries of agents that do not act are ignored.
        """
        return self._all(as_words(np.ascontiguousarray(records)), parents, actions, masks)

    def _all(
        self, words: np.ndarray, parents: np.ndarray, actions: np.ndarray | None, masks: np.ndarray | None
    ) -> Iterator[Outcomes]:
        batch = self.batch
        for first in range(0, len(parents), batch.num):
            rows = np.arange(first, min(first + batch.num, len(parents)))
            target = as_words(batch.records)
            self._carry_out(batch, target, words, parents, actions, masks, rows)
            drawn = batch.records["rng"][: len(rows)] != 0
            settled = np.flatnonzero(~drawn)
            if len(settled):
                yield self._found(batch, target, rows[settled], settled, np.ones(len(settled)))
            if len(settled) < len(rows):
                yield from self._enumerate(words, parents, actions, masks, rows[drawn])

    def _enumerate(self, words: Any, parents: Any, actions: Any, masks: Any, rows: np.ndarray) -> Iterator[Outcomes]:
        """All outcomes of the transitions `rows`; a run with a tape shows which other outcomes branch off from it."""
        batch = self._exact
        target = as_words(batch.records)[:, -self.world.record.itemsize // 8 :]  # behind the tape
        stack = [(rows, np.zeros(len(rows), np.int64), np.zeros((len(rows), 0), np.int64))]
        while stack:
            rows, given, outcomes = stack.pop()
            if len(rows) > batch.num:
                stack.append((rows[batch.num :], given[batch.num :], outcomes[batch.num :]))
                rows, given, outcomes = rows[: batch.num], given[: batch.num], outcomes[: batch.num]
            tape = batch.records["tape"][: len(rows)]
            tape["probability"], tape["cursor"], tape["given"], tape["continuous"] = 1.0, 0, given, 0
            tape["outcomes"][:, : outcomes.shape[1]] = outcomes
            self._carry_out(batch, target, words, parents, actions, masks, rows)
            used = tape["cursor"]
            if tape["continuous"].any():
                raise ChanceError(f"{self.world.id} draws from a continuous distribution, which cannot be enumerated")
            if (longest := int(used.max())) > TAPE_LENGTH:
                raise ChanceError(
                    f"{self.world.id} draws {longest} times in one transition; {TAPE_LENGTH} is the limit"
                )
            found = self._found(batch, target, rows, np.arange(len(rows)), tape["probability"].copy())
            places = np.arange(longest)
            free = (places >= given[:, None]) & (places < used[:, None])
            others = np.where(free, tape["sizes"][:, :longest] - 1, 0)
            run, place = np.nonzero(others)
            count = others[run, place]
            if len(run):
                # Every run and place, once for each of the outcomes 1, 2, ... that were not taken there.
                outcome = 1 + np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
                run, place = np.repeat(run, count), np.repeat(place, count)
                branches = tape["outcomes"][run, :longest]
                branches[np.arange(len(run)), place] = outcome
                stack.append((rows[run], place + 1, branches))
            yield found

    @cached_property
    def _exact(self) -> Batch:
        batch = Batch(self.world, self.batch.num, exact=True)
        assert batch.records.itemsize == TAPE.itemsize + self.world.record.itemsize
        return batch

    @staticmethod
    def _carry_out(
        batch: Batch, target: np.ndarray, words: Any, parents: Any, actions: Any, masks: Any, rows: np.ndarray
    ) -> None:
        num, of = len(rows), parents[rows]
        target[:num] = words[of]
        if actions is None:
            batch.start(where=slice(num))
            return
        batch.actions[:num] = actions[rows]
        batch.masks[:num] = masks[of]
        batch.acting[:num] = batch.masks[:num].any(axis=2)
        batch.step(where=slice(num))

    def _found(self, batch: Batch, target: np.ndarray, rows: Any, where: Any, probabilities: np.ndarray) -> Outcomes:
        records = np.ascontiguousarray(target[where]).view(self.world.record)[:, 0]
        return Outcomes(rows, probabilities, records, batch.rewards[where])

    def view(self, records: np.ndarray) -> View:
        """Observations, masks and ends of N records (N,)."""
        batch, words = self.batch, as_words(np.ascontiguousarray(records))
        parts = []
        for first in range(0, len(words), batch.num):
            part = words[first : first + batch.num]
            as_words(batch.records)[: len(part)] = part
            batch.observe(slice(len(part)))
            seen = (batch.observations, batch.masks, batch.acting != 0, batch.finished)
            parts.append([array[: len(part)].copy() for array in seen])
        return View(*map(np.concatenate, zip(*parts)))

    # One at a time.

    def starts(self) -> list[Outcome]:
        """All starts of an episode."""
        return _listed(self.begin())

    def successors(self, record: Any, actions: Sequence[int]) -> list[Outcome]:
        """All outcomes of one transition; `actions` (A,), entries of agents that do not act are ignored."""
        masks = self.look(record).masks[None]  # by which the actions are checked
        one = np.zeros(1, self.world.record)
        one[0] = record
        return _listed(self.expand(one, masks, np.zeros(1, np.int64), np.asarray(actions)[None]))

    def look(self, record: Any) -> View:
        """Observations, masks and end of a record."""
        batch = self.batch
        batch.records[0] = record
        batch.observe(slice(1))
        return View(batch.observations[0].copy(), batch.masks[0].copy(), batch.acting[0] != 0, bool(batch.finished[0]))


def _listed(parts: Iterator[Outcomes]) -> list[Outcome]:
    return [
        Outcome(float(probability), record, rewards)
        for part in parts
        for probability, record, rewards in zip(part.probabilities, part.records, part.rewards)
    ]
