"""Timelines: the moments of a running episode, stored exactly, so that you can rewind to any of them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from envsuite.core.batch import Batch, taken
from envsuite.core.world import World, heard
from envsuite.episodes.replay import EVERY, Moment, Replay, Start, action_type, checksum
from envsuite.talk.words import Line, Words


@dataclass(frozen=True)
class _Entry:
    """One moment: the record and the driver's memory, both compressed, and the rewards and flags of the moment."""

    record: bytes
    memory: bytes
    acting: np.ndarray
    rewards: np.ndarray
    returns: np.ndarray
    heard: int  # messages so far
    last: np.ndarray  # (A,) the step to which each agent's last action led, 0 without one


class Timeline:
    """A growing episode; the moments after a step can be cut off, to continue the episode differently.

    Attributes:
        world: the world.
        start: the start of the episode.
        actions: for each transition (A,) int64, as the world took them: 0 for an agent that did not act; or (A, D)
            float32.
        by: for each transition, who chose each agent's action, a word of `replay.BY` for each.
        messages: the step, the number of the speaker and the words of each message, in order.
        words: what agents said in words of their own.
    """

    def __init__(self, world: World, start: Start):
        self.world, self.start = world, start
        self.actions: list[np.ndarray] = []
        self.by: list[tuple[str, ...]] = []
        self.messages: list[tuple[int, int, str]] = []
        self.words = Words(len(world.agents))
        self._entries: list[_Entry] = []
        self._said: list[tuple[int, str]] = []
        self._batch = Batch(world, 1, background=True)

    @classmethod
    def of(cls, replay: Replay, memory: bytes = b"") -> Timeline:
        """The timeline of a whole replay, with this memory at each step."""
        made = cls(replay.world, replay.start)
        made.words.lines += replay.words.lines if replay.words else []
        for step in range(len(replay) + 1):
            made.add(replay.batch_at(step), memory, replay.by[step - 1] if step and replay.by is not None else ())
        return made

    def __len__(self) -> int:
        """Transitions; moments are one more."""
        return max(len(self._entries) - 1, 0)

    def add(self, batch: Batch, memory: bytes = b"", by: Iterable[str] = ()) -> None:
        """Add the present moment of the first world of `batch`.

        Args:
            batch: the batch.
            memory: kept for the caller.
            by: who chose the actions that led here, a word of `replay.BY` for each agent; none if it is not known.
        """
        rewards = returns = batch.rewards[0].copy()
        step, acted = len(self._entries), np.zeros(len(self.world.agents), np.int64)
        if self._entries:
            last = self._entries[-1]
            self.actions.append(taken(batch.actions[0], last.acting))
            self.by.append(tuple(by) or ("",) * len(self.world.agents))
            returns = last.returns + rewards
            acted = np.where(last.acting, step, last.last)
        said = self.world.messages(batch.record())
        self.messages += [(step, speaker, words) for speaker, words in heard(self._said, said)]
        self._said = said
        record, memory = (zlib.compress(part, 1) for part in (batch.records.tobytes(), memory))
        acting = batch.acting[0] != 0
        self._entries.append(_Entry(record, memory, acting, rewards, returns, len(self.messages), acted))

    def put(self, batch: Batch, step: int) -> bytes:
        """Bring the first world of `batch` to a step; the memory that was kept with it."""
        entry = self._entries[step]
        batch.records[:1] = np.frombuffer(zlib.decompress(entry.record), self.world.record)
        batch.observe()
        batch.rewards[0] = entry.rewards
        return zlib.decompress(entry.memory)

    def at(self, step: int) -> Moment:
        """The moment at a step."""
        self.put(self._batch, step)
        actions = self.actions[step].copy() if step < len(self) else None
        return Moment.of(self._batch, step, self._entries[step].returns.copy(), actions)

    def cut(self, step: int) -> None:
        """Forget all moments after a step."""
        del self._entries[step + 1 :], self.actions[step:], self.by[step:]
        del self.messages[self._entries[step].heard :]
        self._said = self.world.messages(self.at(step).record)
        self.words.lines = [line for line in self.words.lines if line.step < step]

    def arrival(self, line: Line, hearer: int) -> int | None:
        """The step at which a line reached a hearer; None if it has not yet."""
        if type(self.world).hearing is World.hearing or not line.act:
            return line.step + bool(line.act)  # words of a round of talk are heard before the actions of their step
        keys = (self.world.hearing(self.at(k).record, line.agent, hearer) for k in range(line.step, len(self) + 1))
        first = next(keys)
        return next((line.step + 1 + k for k, key in enumerate(keys) if key != first), None)

    def heard(self, agent: int, step: int) -> list[Line]:
        """The lines that have reached an agent since its last action before a step."""
        first, lines = int(self._entries[step].last[agent]), [line for line in self.words.lines if agent in line.to]
        return [line for line in lines if (when := self.arrival(line, agent)) is not None and first <= when <= step]

    def done(self, step: int) -> list[str]:
        """The name of each agent's action in the transition that led to a step, or ""."""
        if step == 0:
            return [""] * len(self.world.agents)
        rows = enumerate(zip(self.actions[step - 1].tolist(), self._entries[step - 1].acting))
        return [self.world.described(a, action) if acted else "" for a, (action, acted) in rows]

    def last_done(self, step: int) -> list[tuple[str, bool]]:
        """Each agent's last action up to a step, by its name, or ""; and whether it led to this step."""
        rows = enumerate(self._entries[step].last.tolist())
        return [(self.done(when)[a] if when else "", 0 < when == step) for a, when in rows]

    def returns(self) -> np.ndarray:
        """(T + 1, A) float64: the sum of all rewards at each moment."""
        return np.array([entry.returns for entry in self._entries])

    def replay(self, players: Mapping[str, str] | None = None) -> Replay:
        """The episode as a replay; `players` are the players, by agent."""
        sums = []
        for step in sorted({*range(0, len(self) + 1, EVERY), len(self)}):
            sums.append(checksum(np.frombuffer(zlib.decompress(self._entries[step].record), self.world.record)))
        shape = len(self), *self._batch.actions.shape[1:]
        actions = np.array(self.actions, action_type(self.world)).reshape(shape)
        self.put(self._batch, len(self))
        over, returns = bool(self._batch.finished[0]), self._entries[-1].returns.copy()
        by = np.array(self.by) if any({*row} - {"", "policy"} for row in self.by) else None
        return Replay(
            self.world, self.start, actions, tuple(sums), returns, over, "timeline", players=dict(players or {}), by=by,
            words=Words(len(self.world.agents), self.words.lines) if self.words else None,
        )  # fmt: skip
