"""Exact chance: all outcomes of a start or a transition with their probabilities, for worlds small enough.

`Explorer` runs a world whose records carry a tape (see `envsuite.core.random`) and turns through all tapes like an
odometer. Nothing here knows the rules: whatever a world draws is enumerated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from envsuite.core.batch import STEP, Batch
from envsuite.core.errors import EnvsuiteError
from envsuite.core.random import TAPE, TAPE_LENGTH
from envsuite.core.world import World


class ChanceError(EnvsuiteError, ValueError):
    """The chance of this world cannot be enumerated."""


class Outcome(NamedTuple):
    """One outcome: its probability, the record after it (structured, shape ()), and rewards (A,) float64."""

    probability: float
    record: np.ndarray
    rewards: np.ndarray


class View(NamedTuple):
    """What the agents have before them in a record: all of them (A, ...), as in a batch of one."""

    observations: np.ndarray
    masks: np.ndarray
    acting: np.ndarray
    over: bool


class Explorer:
    """Enumerates the chance of one world. Records hold no random stream here, so equal states are equal bytes."""

    def __init__(self, world: World):
        self.world = world
        self.batch = Batch(world, 1, exact=True)

    def starts(self) -> list[Outcome]:
        """All ways in which an episode can start."""
        blank = np.zeros(1, self.batch.records.dtype)
        self.world.fill(blank)
        return self._all(blank[0], self.batch.reset)

    def successors(self, record: np.ndarray, actions: Sequence[int]) -> list[Outcome]:
        """All ways in which one transition can go; `actions` (A,), entries of agents that do not act are ignored."""
        self.look(record)  # fills the masks by which the actions are checked
        self.batch.actions[0] = actions
        return self._all(record, self._step)

    def look(self, record: np.ndarray) -> View:
        """Observations, masks and end of a record."""
        batch = self.batch
        batch.records[0] = record
        batch.observe()
        return View(batch.observations[0].copy(), batch.masks[0].copy(), batch.acting[0] != 0, bool(batch.over()[0]))

    def _step(self) -> None:
        # The tape changes nothing before the step, and the outputs of the last outcome are not read.
        self.batch.masks[0], self.batch.acting[0] = self._masks, self._acting
        self.batch.commands[:] = STEP
        self.batch.run()

    def _all(self, record: np.ndarray, transition: Callable[[], None]) -> list[Outcome]:
        batch, given = self.batch, []  # type: ignore[var-annotated]
        self._masks, self._acting = batch.masks[0].copy(), batch.acting[0].copy()
        found: list[Outcome] = []
        while True:
            batch.records[0] = record
            tape = batch.records["tape"]
            tape["probability"], tape["cursor"], tape["given"] = 1.0, 0, len(given)
            tape["outcomes"][0, : len(given)] = given
            transition()
            used = int(tape["cursor"][0])
            if tape["continuous"][0]:
                raise ChanceError(f"{self.world.id} draws from a continuous distribution, which cannot be enumerated")
            if used > TAPE_LENGTH:
                raise ChanceError(f"{self.world.id} draws {used} times in one transition; {TAPE_LENGTH} is the limit")
            outcomes, sizes = tape["outcomes"][0, :used].tolist(), tape["sizes"][0, :used].tolist()
            probability = float(tape["probability"][0])
            tape[...] = np.zeros((), TAPE)
            # Through bytes: a NumPy copy of a record leaves its padding undefined.
            after = np.frombuffer(batch.records.tobytes(), batch.records.dtype)[0]
            found.append(Outcome(probability, after, batch.rewards[0].copy()))
            while outcomes and outcomes[-1] == sizes[len(outcomes) - 1] - 1:
                outcomes.pop()
            if not outcomes:
                return found
            outcomes[-1] += 1
            given = outcomes
