"""Recorders: episodes of any environment noted while it is used, and written as replays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.core.batch import OBSERVE, RESET, SKIP, STEP, Batch, taken
from envsuite.core.errors import EnvsuiteError, ParameterError, ReplayError
from envsuite.core.files import writable
from envsuite.episodes.oversight import batch_of, inner_of
from envsuite.episodes.replay import EVERY, Replay, Start, action_type, checksum, plain, set_out
from envsuite.interfaces.single import agent_number
from envsuite.talk.delivery import Delivery
from envsuite.talk.table import Talk, speaks
from envsuite.talk.words import Words


class Recorder:
    """Records the episodes of an environment during normal use, and writes them to files.

    Each episode is one replay. It starts at a reset (or at the state that the environment was set to or is in) and ends
    with the episode or at the next reset. Episodes without a transition are dropped. An environment without a recorder
    pays nothing.

    Args:
        env: an environment of any interface, wrapped or not; also a `Batch`.
        path: the file to write. The first episode goes to "game.replay", the next to "game-2.replay" and so on. Each is
            written when it ends, or when the recorder is closed. `ParameterError` if it cannot be written.
        worlds: the worlds of a vector to record.
        players: the players, by agent, for viewers of the replay.

    Attributes:
        replays: the episodes so far, in the order in which they ended. The running ones join them when it is closed.
    """

    def __init__(
        self,
        env: Any,
        path: str | PathLike[str] | None = None,
        worlds: Sequence[int] = (0,),
        players: Mapping[str, str] | None = None,
    ):
        inner, batch = inner_of(env), batch_of(env)
        if "run" in vars(batch):
            raise ReplayError(f"this environment of {batch.world.id} has a recorder already")
        if batch.records.dtype != batch.world.record:
            raise ReplayError(f"a batch of {batch.world.id} that enumerates chance cannot be recorded")
        for i in worlds:
            if not 0 <= i < batch.num:
                raise ParameterError(f"worlds={list(worlds)} must be from 0 to {batch.num - 1}")
        plain(batch.world.parameters, f"the parameters of {batch.world.id}")
        self.batch, self.path = batch, None if path is None else writable(path)
        self.interface = getattr(inner, "kind", type(inner).__name__.lower())
        self.players = dict(players or {})
        self.replays: list[Replay] = []
        self._tracks = {int(i): _Track(batch, int(i)) for i in worlds}
        self._written = count(1)
        self._run, self._set_level = batch.run, batch.set_level
        batch.run, batch.set_level = self._recorded_run, self._noted_level  # type: ignore[method-assign]

    def _noted_level(self, i: int, level: Any) -> None:
        self._set_level(i, level)
        if i in self._tracks:
            self._tracks[i].level = plain(level, "the level")

    def _recorded_run(self) -> None:
        commands = {i: int(self.batch.commands[i]) for i in self._tracks}
        held = {i: self.batch.records[i : i + 1].copy() for i, command in commands.items() if command == RESET}
        for i, command in commands.items():
            track = self._tracks[i]
            track.hold()
            if command == RESET:
                self._finish(track)
                track.clean()
            elif command != SKIP and track.moved():
                self._finish(track)
                track.start = Start(None, state=track.row.tobytes())
                track.begin()
            track.acting = self.batch.acting[i] != 0
        try:
            self._run()
        except EnvsuiteError:  # nothing has happened, and nothing is to have changed
            for i, record in held.items():
                self.batch.records[i : i + 1] = record
                self._tracks[i].last = b""
            raise
        for i, command in commands.items():
            self._tracks[i].ran(command)

    def _finish(self, track: _Track) -> None:
        """Keep the track's episode if it has any transitions, and write it."""
        if track.steps:
            self.replays.append(track.replay(self.interface, self.players))
            track.steps = 0
            if self.path is not None:
                path = numbered(self.path, next(self._written))
                self.replays[-1].save(path)
                self.replays[-1].path = str(path)

    def say(self, agent: str, text: str, to: str | Collection[str] = "all", world: int = 0) -> str:
        """Say words with an agent's next act of speech, or in a world without such acts with its next action.

        The replay keeps them as `Replay.words`. Where the environment has `say`, this is the same.

        Args:
            agent: the name of the speaker.
            text: the words.
            to: "all" for all whom the act reaches, or the names of some of them.
            world: the number of the world in a vector.

        Returns:
            The words as they are kept: on one line, clean, and cut where they are too many.

        Raises:
            ActionError: the agent cannot speak now, or not to these agents, or has no words left.
            AgentError: there is no such agent.
            ParameterError: the world has one agent, or this one of a vector is not recorded.
        """
        if world not in self._tracks:
            raise ParameterError(f"world={world!r:.60} is not recorded: {', '.join(map(str, self._tracks))}")
        return self._tracks[world].speaking().say(agent_number(self.batch.world, agent), text, to)

    def running(self, world: int = 0) -> Replay:
        """The running episode of a world so far; its last one when that is over."""
        track = self._tracks[world]
        if track.start is None:
            raise ReplayError(f"{self.batch.world.id}: no episode has started yet")
        return track.replay(self.interface, self.players)

    def close(self) -> None:
        """Keep and write the running episodes, and release the environment."""
        if vars(self.batch).get("run") == self._recorded_run:
            del self.batch.run, self.batch.set_level
            for track in self._tracks.values():
                self._finish(track)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Track:
    """The notes of a recorder on one world."""

    def __init__(self, batch: Batch, i: int):
        self.batch, self.i = batch, i
        self.row = batch.records[i : i + 1]  # an array: of a single record, padding is not defined
        self.dtype = action_type(batch.world)
        self.level: dict[str, Any] | None = None
        self.start: Start | None = None
        self.last = b""  # the record's bytes after the last call
        self.acting = np.zeros(0, np.bool_)
        self.steps = 0
        self.over = False
        self.talk: Delivery | None = getattr(batch, "talk", None)
        self._own = False  # whether the environment knows nothing of it

    def speaking(self) -> Delivery:
        """What agents say, also where the environment has no words for them."""
        if self.talk is None:
            when = "speech" if speaks(self.batch.world) else "turn"
            self.talk, self._own = (
                Delivery(self.batch, Talk("beside", when, channels=("public", "private")), i=self.i),
                True,
            )
        return self.talk

    def hold(self) -> None:
        """Before a call: keep what words need after it."""
        self._held = self.talk.hold() if self.talk is not None and self._own else None

    def moved(self) -> bool:
        """Whether something else than a call has changed the record, or none has started yet."""
        return self.start is None or self.row.tobytes() != self.last

    def clean(self) -> None:
        """Before a reset: note the start, and clear everything else in the record.

        A reset may leave values of the last episode in fields that are not read. Checksums must not depend on them.
        After earlier episodes of a lifetime, no seed leads here, and the replay starts from the state after the reset.
        """
        record = self.batch.records[self.i]
        tuned, filled = {}, np.zeros(1, self.batch.world.record)
        self.batch.world.fill(filled)
        for name in record["params"].dtype.names:
            if not np.array_equal(record["params"][name], filled["params"][name][0]):
                tuned[name] = record["params"][name].tolist()
        lived = any(record[name].any() for name in self.batch.world.ranges.lifetime)
        if lived or (record["level_given"] and self.level is None):  # of earlier episodes, or before the recorder came
            self.start = None
            return
        level = self.level if record["level_given"] else None
        self.start = Start(_seed_of(int(record["rng"])), level, tuned)
        set_out(self.batch, self.i, self.start)

    def begin(self) -> None:
        """Start to note an episode, whose record is there."""
        self.actions, self.checksums = bytearray(), [checksum(self.row)]
        self.overseen: dict[int, np.ndarray] = {}  # by step, the agents' and the overseers' actions
        self.returns = np.zeros(len(self.batch.world.agents))
        self.words = Words(len(self.batch.world.agents))
        self.steps, self.over, self.last = 0, False, self.row.tobytes()

    def ran(self, command: int) -> None:
        """After a call that had this command."""
        batch, i = self.batch, self.i
        if command == RESET:
            if self.start is None:
                self.start = Start(None, state=self.row.tobytes())
            self.level = None
            self.begin()
            if self.talk is not None and self._own:
                self.talk.begin()
        elif command in (SKIP, OBSERVE):
            return
        now = self.row.tobytes()
        forfeits = batch.on_illegal == "forfeit" and bool((self.acting & (batch.actions[i] == -1)).any())
        if command == STEP and (forfeits or now != self.last):
            self.actions += taken(batch.actions[i], self.acting).astype(self.dtype).tobytes()
            if batch.oversight is not None:
                pairs = np.stack([batch.oversight.proposed[i], batch.oversight.preferred[i]])
                known = [len(names) for names in batch.world.action_names]
                self.overseen[self.steps] = np.where(self.acting & (pairs >= 0) & (pairs < known), pairs, -1)
            self.returns += batch.rewards[i]
            self._hear()
            self.steps += 1
            if self.steps % EVERY == 0:
                self.checksums.append(checksum(self.row))
        self.over, self.last = bool(batch.finished[i]), now

    def _hear(self) -> None:
        """Note what was said in a transition."""
        if self.talk is None:
            return
        if self._held is not None:
            self.talk.deliver(self._held, self.steps)
        for line in self.talk.last:
            self.words.say(line._replace(step=self.steps))

    def replay(self, interface: str, players: Mapping[str, str]) -> Replay:
        """The notes as a replay."""
        assert self.start is not None
        world = self.batch.world
        last = checksum(np.frombuffer(self.last, world.record))
        checksums = [*self.checksums, last] if self.steps % EVERY else self.checksums
        actions = np.frombuffer(bytes(self.actions), self.dtype).reshape(-1, *self.batch.actions.shape[1:])
        overseen = None
        if self.overseen:
            overseen = np.full((len(actions), 2, len(world.agents)), -1, self.dtype)
            overseen[list(self.overseen)] = list(self.overseen.values())
        return Replay(
            world, self.start, actions, tuple(checksums), self.returns.copy(), self.over, interface, self.i,
            dict(players), overseen=overseen, words=Words(len(world.agents), self.words.lines) if self.words else None,
        )  # fmt: skip


def numbered(path: Path, number: int) -> Path:
    """Where the episode of this number goes: the first to the path itself, the second to "name-2.suffix" and so on."""
    return path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")


def _seed_of(rng: int) -> int:
    """The seed whose stream starts with this word: `stream_starts` undone."""
    word, most = rng, 2**64 - 1
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        unmixed = word
        for _ in range(64 // shift):
            unmixed = word ^ (unmixed >> shift)
        word = unmixed * pow(factor, -1, 2**64) & most
    return word
