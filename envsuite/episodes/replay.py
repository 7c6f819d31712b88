"""Replays: episodes as small files that play again exactly, step by step, and can be compared.

    with Recorder(env, "game.replay"):                  # any environment: AEC, parallel, a seat, a vector
        ...                                             # play as usual
    replay = Replay.load("game.replay")
    replay.verify()
    for moment in replay.play():
        print(moment.step, moment.returns)
    replay.at(1200).record                              # any step, at once

A replay holds where an episode started (a seed, a level and tuned parameters, or a state) and the actions of all agents
as the world took them, so playing it needs no policy. Worlds are exact, so nothing else is needed; checksums of the
record at intervals verify this.

**File.** It begins with two lines of text, ``envsuite replay`` and a header in JSON, which `head -n 2` shows. Then come
the state, if it starts from one, and the actions (T, A), or controls (T, A, D), compressed with zlib. A BLAKE2b digest
of everything before it ends the file. That is format 1. Format 2 has named parts after the actions, each compressed by
itself; the header says how long they are. The part ``by`` says who chose each action, if not policies alone did; the
part ``words`` holds what was said beside the actions, as JSON.
Nothing in a file is executed, and it names no module to load. But a state and tuned numbers go to compiled code as they
are, as with snapshots, so play only files that you trust. A file plays with the version of envsuite and of the world
that wrote it; others refuse it.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from os import PathLike
from typing import Any

import numpy as np

from envsuite import registry
from envsuite.core import snapshot
from envsuite.core.batch import Batch, stream_starts
from envsuite.core.errors import ActionError, LevelError, ParameterError, ReplayError, SnapshotError, UnknownIdError
from envsuite.core.files import replace, writable
from envsuite.core.parameters import to_json
from envsuite.core.record import array_of, as_views
from envsuite.core.world import World
from envsuite.talk.words import Words

#: Steps between two checksums.
EVERY = 100

#: Steps between two keyframes, and the maximum number of keyframes before the distance between them grows.
_KEYFRAMES, _MOST_KEYFRAMES = 32, 1000

#: Maximum bytes of a file, of the state and actions unpacked from it, and of its header: 40 million steps.
_MOST_BYTES, _MOST_HEADER = 2**28, 2**23

_FIRST_LINE = b"envsuite replay\n"
_DIGEST = 16

#: Who can choose an action, in the order of their numbers in a file. "" means that nobody chose, or that it is unknown.
#: A "fallback" is the policy that acts if a language model gives no action; a "clock" acts for a person who is late.
BY = ("", "person", "policy", "model", "fallback", "clock")


@dataclass(frozen=True)
class Start:
    """Where an episode starts: from a seed, with a level and tuned parameters if there are any, or from a state.

    Attributes:
        seed: the seed for a reset with this start; None with a state.
        level: the level given to the reset, or None for a generated one.
        tuned: entries of `s.params` that differ from the world's, by name.
        state: the bytes of the record from which an episode continues, or b"".
    """

    seed: int | None
    level: dict[str, Any] | None = None
    tuned: dict[str, Any] = field(default_factory=dict)
    state: bytes = b""


@dataclass(frozen=True)
class Moment:
    """An episode at one step. All arrays are its own.

    Attributes:
        step: transitions so far.
        record: the state, with fields as attributes, as a world's `scene` and `text` take it.
        observations: (A, ...) as in `Batch`.
        masks: (A, K) int8, 1 where an action is legal.
        acting: (A,) bool, the agents that act now.
        rewards: (A,) float64 of the transition that led here.
        returns: (A,) float64, the sum of all rewards so far.
        terminations, truncations: (A,) bool.
        actions: (A,) int64, the next actions, -1 for an agent that forfeits; or controls (A, D) float32; None at the
            replay's end.
    """

    step: int
    record: Any
    observations: np.ndarray
    masks: np.ndarray
    acting: np.ndarray
    rewards: np.ndarray
    returns: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray
    actions: np.ndarray | None

    @classmethod
    def of(cls, batch: Batch, step: int, returns: np.ndarray, actions: np.ndarray | None, i: int = 0) -> Moment:
        """The moment that world `i` of a batch is at."""
        return cls(
            step, as_views(batch.records[i : i + 1].copy())[0], batch.observations[i].copy(), batch.masks[i].copy(),
            batch.acting[i] != 0, batch.rewards[i].copy(), returns, batch.terminations[i].copy(),
            batch.truncations[i].copy(), actions,
        )  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """A first difference between two replays.

    Attributes:
        step: the step of the difference.
        agent: the agent whose action differs; None for a field of the record.
        field: the field of the record with its index, "action", or "end".
        first, second: the value in the first and in the second replay.
    """

    step: int
    agent: str | None
    field: str
    first: Any
    second: Any

    def __str__(self) -> str:
        what = f"{self.agent}: {self.field}" if self.agent else self.field
        return f"step {self.step}, {what}: {self.first} and {self.second}"


@dataclass(eq=False, repr=False)
class Replay:
    """One recorded episode of one world, whole or a part of it.

    Attributes:
        world: its world.
        start: where it starts.
        actions: (T, A) integers, as the world took them: 0 for an agent that did not act, -1 for one that forfeited. In
            a world with controls, (T, A, D) float32.
        checksums: of the records at steps 0, `EVERY`, 2 `EVERY` ..., and of the last one.
        returns: (A,) float64, the sum of each agent's rewards.
        over: whether the episode is over at the end.
        interface: the kind of environment in which it was recorded; `index` is the number of the world there.
        players: the players, by agent, as far as the recorder knew them.
        path: the file that it was read from or written to, if any.
        overseen: (T, 2, A) integers, the actions that the agents proposed and those that their overseers preferred, -1
            where an agent did not act or had no overseer; None without `Oversight`. The overseer took over where
            `actions` are not what the agent proposed.
        by: (T, A) words of `BY`, who chose each action; None where policies chose all of them, or it is not known.
        words: what agents said in words of their own; None for nothing.
    """

    world: World
    start: Start
    actions: np.ndarray
    checksums: tuple[str, ...]
    returns: np.ndarray
    over: bool
    interface: str = ""
    index: int = 0
    players: dict[str, str] = field(default_factory=dict)
    path: str | None = None
    overseen: np.ndarray | None = None
    by: np.ndarray | None = None
    words: Words | None = None

    def __post_init__(self) -> None:
        self._batch: Batch | None = None
        self._step = 0
        self._returns = np.zeros(len(self.world.agents))
        self._keyframes: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self._apart = max(_KEYFRAMES, -(-len(self.actions) // _MOST_KEYFRAMES))

    def __len__(self) -> int:
        """Transitions; moments are one more."""
        return len(self.actions)

    def __repr__(self) -> str:
        start = "a state" if self.start.seed is None else f"seed {self.start.seed}"
        return f"<Replay of {self.world.id} from {start}: {len(self)} steps, returns {self.returns.tolist()}>"

    # Playing.

    def play(self) -> Iterator[Moment]:
        """All moments, from step 0 to the last."""
        return (self.at(step) for step in range(len(self) + 1))

    def at(self, step: int) -> Moment:
        """The moment at a step, exactly; negative ones count from the end.

        The next step costs one transition. Any other step costs at most the distance between two keyframes, which are
        kept in memory as they are passed. Raises `ReplayError` where the world departs from the recording.
        """
        wanted = len(self) + 1 + step if step < 0 else step
        taken = np.float32 if self.world.control_spaces else np.int64
        actions = self.actions[wanted].astype(taken) if 0 <= wanted < len(self) else None
        return Moment.of(self.batch_at(wanted), wanted, self._returns.copy(), actions)

    def batch_at(self, wanted: int) -> Batch:
        """The replay's own batch of one world, brought to a step from 0 on; see `at`."""
        if not 0 <= wanted <= len(self):
            raise ReplayError(f"{self._name} has no step {wanted}: its steps are 0 to {len(self)}")
        batch = self._batch or self._begin()
        nearest = max(step for step in self._keyframes if step <= wanted)
        if not nearest <= self._step <= wanted:
            records, rewards, returns = self._keyframes[nearest]
            batch.records[:] = records
            batch.observe()
            batch.rewards[0] = rewards
            self._step, self._returns = nearest, returns
        while self._step < wanted:
            self._advance(batch)
        return batch

    def verify(self) -> None:
        """Play all of it, or raise `ReplayError` at the first checksum that differs."""
        self._batch = None
        self.at(len(self))
        if not np.array_equal(self._returns, self.returns):
            raise ReplayError(f"{self._name}: returns come to {self._returns.tolist()}, not {self.returns.tolist()}")

    def _begin(self) -> Batch:
        """The batch at step 0."""
        self._batch = batch = Batch(self.world, 1, background=True)
        try:
            begin(batch, self.start)
        except (LevelError, TypeError, ValueError, OverflowError) as problem:
            self._batch = None
            raise ReplayError(f"{self._name}: its starting state cannot be restored: {problem}") from None
        self._step, self._returns, self._keyframes = 0, np.zeros(len(self.world.agents)), {}
        self._arrived(batch)
        return batch

    def _advance(self, batch: Batch) -> None:
        """One transition."""
        row = self.actions[self._step]
        try:
            if batch.finished[0]:
                raise ReplayError(f"{self._name}: the episode is over at step {self._step}, and was not when recorded")
            gone = (batch.acting != 0) & (row == -1 if row.ndim == 1 else False)
            batch.forfeit(gone) if gone.any() else batch.step(row)
        except ActionError as problem:
            self._batch = None
            raise ReplayError(f"{self._name} does not play as it was recorded: step {self._step}: {problem}") from None
        self._step += 1
        self._returns = self._returns + batch.rewards[0]
        self._arrived(batch)

    def _arrived(self, batch: Batch) -> None:
        """Keep a keyframe, and look at the checksum, where this step has one."""
        step = self._step
        if step % self._apart == 0:
            self._keyframes[step] = batch.records.copy(), batch.rewards[0].copy(), self._returns
        if step % EVERY == 0 or step == len(self):
            k = -(-step // EVERY)
            if checksum(batch.records) != self.checksums[k]:
                self._batch = None
                since = f"between steps {EVERY * (k - 1)} and {step}" if k else "from its start"
                raise ReplayError(f"{self._name} does not play as it was recorded: the record differs {since}")

    @property
    def _name(self) -> str:
        return self.path or f"the replay of {self.world.id}"

    # Files.

    def header(self) -> dict[str, Any]:
        """The header of the file, as plain data."""
        start = self.start
        return {
            "format": 1,
            "envsuite": registry.__version__,
            "id": self.world.id,
            "parameters": plain(self.world.parameters, f"the parameters of {self.world.id}"),
            "agents": list(self.world.agents),
            "interface": self.interface,
            "index": self.index,
            "players": self.players,
            "seed": start.seed,
            "level": start.level,
            "tuned": start.tuned,
            "steps": len(self),
            "over": self.over,
            "returns": self.returns.tolist(),
            "layout": snapshot.identity(self.world, "replay")["layout"],
            "state_bytes": len(start.state),
            "actions": self.actions.dtype.newbyteorder("<").str,
            "checksums": list(self.checksums),
            **({} if self.overseen is None else {"overseen": True}),
        }

    def to_bytes(self) -> bytes:
        """The content of a file; `ReplayError` if the episode is longer than a file may be."""
        both = self.actions if self.overseen is None else np.concatenate([self.actions[:, None], self.overseen], axis=1)
        little = both.astype(self.actions.dtype.newbyteorder("<"))
        parts = self._parts()
        packed = {name: zlib.compress(content, 9) for name, content in parts.items()}
        told = self.header()
        if parts:
            told |= {"format": 2, "parts": {name: [len(packed[name]), len(parts[name])] for name in parts}}
        header = json.dumps(told, separators=(",", ":")).encode()
        size = len(self.start.state) + little.nbytes + sum(map(len, parts.values()))
        if size > _MOST_BYTES or len(header) > _MOST_HEADER:
            raise ReplayError(f"{self._name}: {len(self)} steps are more than a file can hold")
        first = zlib.compress(self.start.state + little.tobytes(), 9)
        data = b"".join([_FIRST_LINE, header, b"\n", first, *packed.values()])
        return data + _digest(data, _DIGEST)

    def _parts(self) -> dict[str, bytes]:
        """What follows the actions in a file, by name."""
        found: dict[str, bytes] = {}
        if self.by is not None:
            found["by"] = self._by_bytes(self.by)
        if self.words:
            found["words"] = self.words.to_bytes()
        return found

    def _by_bytes(self, by: np.ndarray) -> bytes:
        """The part that says who chose each action."""
        if by.shape != (len(self), len(self.world.agents)) or not np.isin(by, BY).all():
            raise ReplayError(f"{self._name}: `by` must have one of {BY} for each of {len(self)} steps and each agent")
        return sum(np.uint8(k) * (by == word) for k, word in enumerate(BY)).astype(np.uint8).tobytes()

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file."""
        replace(writable(path), self.to_bytes())

    @classmethod
    def load(cls, path: str | PathLike[str], world: World | None = None) -> Replay:
        """The replay in a file, or `ReplayError` that says why it cannot be played here.

        Args:
            path: the file.
            world: the world, where it is not registered.
        """
        return cls.from_bytes(_read(path), world, str(path))

    @classmethod
    def from_bytes(cls, data: bytes, world: World | None = None, name: str = "the replay") -> Replay:
        """As `load`, from the content of a file."""
        header, body = read_header(data, name)
        body, parts = _divided(header, body, name)
        written, own = header["envsuite"], registry.__version__
        if written != own:
            raise ReplayError(
                f"{name} was written by envsuite {written}, this is {own}, in which worlds may behave differently: "
                f"install envsuite=={written} to play it"
            )
        world = world or _world_of(header, name)
        if (world.id, list(world.agents)) != (header["id"], header["agents"]):
            raise ReplayError(f"{name} is of {header['id']} with {', '.join(header['agents'])}, not of {world.id}")
        if snapshot.identity(world, "replay")["layout"] != header["layout"]:
            raise ReplayError(f"{name}: the records of {world.id} have changed since it was written")
        shape: tuple[int, ...] = header["steps"], 3 if header.get("overseen") else 1, len(world.agents)
        if bool(world.control_spaces) != (header["actions"] == "<f4") or (world.control_spaces and shape[1] != 1):
            raise ReplayError(f"{name}: its actions are {header['actions']}, which {world.id} does not have")
        if world.control_spaces:
            shape = *shape, world.num_actions
        dtype = np.dtype(header["actions"])
        sizes = header["state_bytes"], math.prod(shape) * dtype.itemsize
        # All of these checks come before anything is unpacked: they bound the cost of unpacking.
        if len(header["checksums"]) != 1 + -(-shape[0] // EVERY):
            raise ReplayError(f"{name}: {len(header['checksums'])} checksums do not go with {shape[0]} steps")
        if (header["seed"] is None) != bool(sizes[0]) or sizes[0] not in (0, world.record.itemsize):
            raise ReplayError(f"{name}: its header contradicts itself (seed, state_bytes)")
        if sum(sizes) > _MOST_BYTES:
            raise ReplayError(f"{name}: {sum(sizes)} bytes of actions are more than the {_MOST_BYTES} that are read")
        content = _unpacked(body, sum(sizes), "the actions", name)
        if len(content) != sum(sizes):
            raise ReplayError(f"{name}: state and actions should have {sizes[0]} and {sizes[1]} bytes, and do not")
        if sizes[0]:
            try:
                world.admit(np.frombuffer(content, world.record, 1))
            except SnapshotError as problem:
                raise ReplayError(f"{name}: {problem}") from None
        actions = np.frombuffer(content, dtype, offset=sizes[0]).reshape(shape)
        if world.control_spaces:
            low, high = world.bounds
        else:
            low, high = np.array(-1), np.array([len(names) - 1 for names in world.action_names])
        if not ((actions >= low) & (actions <= high)).all():
            raise ReplayError(f"{name}: it has actions that {world.id} does not have")
        start = Start(header["seed"], header["level"], header["tuned"], content[: sizes[0]])
        returns = np.array(header["returns"], np.float64)
        actions = actions.astype(dtype.newbyteorder("="))
        return cls(
            world, start, actions[:, 0], tuple(header["checksums"]), returns, header["over"], header["interface"],
            header["index"], header["players"], name, actions[:, 1:] if header.get("overseen") else None,
            _read_by(header, parts, name), _read_words(header, parts, name),
        )  # fmt: skip

    def _repr_html_(self) -> str:
        from envsuite.render.page import frame

        return frame(self)


def begin(batch: Batch, start: Start) -> None:
    """Begin an episode in the only world of a batch."""
    set_out(batch, 0, start)
    if start.state:
        batch.observe()
    else:
        batch.start()


def set_out(batch: Batch, i: int, start: Start) -> None:
    """Make record `i` ready to start an episode there, with nothing left in it of the last one."""
    batch.records[i : i + 1].view(np.uint8)[:] = 0
    if start.state:
        batch.records[i : i + 1] = np.frombuffer(start.state, batch.records.dtype)
        return
    batch.world.fill(batch.records[i : i + 1])
    for name, value in start.tuned.items():
        if name not in (batch.records.dtype["params"].names or ()):
            raise ReplayError(f"{batch.world.id} has no number {name!r} to tune")
        batch.records["params"][name][i] = value
    problem = batch.world.ranges.outside(batch.records[i : i + 1], "params")
    if problem is not None:
        raise ReplayError(f"{batch.world.id}: {problem[1]}")
    batch.records["rng"][i] = stream_starts([start.seed or 0])[0]
    if start.level is not None:
        batch.set_level(i, start.level)


def differences(first: Replay, second: Replay) -> list[Difference]:
    """The first step at which two replays diverge: nothing if they are the same.

    Where agents act differently, their actions come first and then the fields of the record that differ after them;
    otherwise these fields alone. A differing random stream alone is reported but does not stop the comparison. It is a
    difference too if one episode continues where the other has ended. Raises `ReplayError` if the ids, the
    agents or the records of the two worlds differ.
    """
    for name in ("id", "agents", "record"):
        values = [getattr(replay.world, name) for replay in (first, second)]
        if values[0] != values[1]:
            raise ReplayError(f"replays of different worlds cannot be compared: {name} {values[0]} and {values[1]}")
    agents = first.world.agents
    found: list[Difference] = []
    drawn = 0  # the number of them that are of the random stream
    for step in range(min(len(first), len(second)) + 1):
        one, two = first.at(step), second.at(step)
        parted = len(found) > drawn
        fields = _fields(step, array_of(one.record), array_of(two.record))
        if parted or any(difference.field != "rng" for difference in fields):
            return [*found, *(difference for difference in fields if not drawn or difference.field != "rng")]
        if fields and not drawn:
            found, drawn = fields, 1
        if one.actions is None or two.actions is None:
            break
        apart = (one.actions != two.actions).reshape(len(agents), -1).any(axis=1)
        for a in np.flatnonzero(one.acting & apart).tolist():
            words = [first.world.described(a, action) for action in (one.actions[a], two.actions[a])]
            chosen = [word if word == "forfeits" else repr(word) for word in words]
            found.append(Difference(step, agents[a], "action", *chosen))
    if len(first) != len(second):
        tells = [f"{len(replay)} steps" for replay in (first, second)]
        found.append(Difference(min(len(first), len(second)), None, "end", *tells))
    return found


def _fields(step: int, one: Any, two: Any, inside: str = "") -> list[Difference]:
    """The entries of two records that differ, the first of each field."""
    found: list[Difference] = []
    for name in one.dtype.names:
        a, b = np.asarray(one[name]), np.asarray(two[name])
        if a.tobytes() == b.tobytes():
            continue
        if a.dtype.names is None:
            different = (a != b) & ~((a != a) & (b != b))
            if not different.any():  # zeros of different signs, or padding
                continue
            at = tuple(int(k) for k in np.argwhere(different)[0])
            index = f"[{', '.join(map(str, at))}]" if at else ""
            found.append(Difference(step, None, f"{inside}{name}{index}", a[at].item(), b[at].item()))
        elif a.shape == ():
            found += _fields(step, a[()], b[()], f"{inside}{name}.")
        else:
            for at in np.ndindex(a.shape):
                index = ", ".join(map(str, at))
                nested = _fields(step, a[at], b[at], f"{inside}{name}[{index}].")
                if nested:
                    found += nested
                    break
    return found


def action_type(world: World) -> np.dtype:
    """The type of actions in a replay: the smallest integers, or the float32 of controls."""
    return np.dtype(np.float32) if world.control_spaces else np.min_scalar_type(-world.num_actions)


@cache
def _solid(dtype: np.dtype) -> np.ndarray:
    """Which bytes of a record belong to its fields, and not to the padding between them."""

    def fill(dtype: np.dtype, at: int) -> None:
        if dtype.subdtype is not None:
            base, shape = dtype.subdtype
            for k in range(int(np.prod(shape)) if base.names else 0):
                fill(base, at + k * base.itemsize)
            if not base.names:
                solid[at : at + dtype.itemsize] = True
        elif dtype.names is not None:
            for part, offset, *_ in (dtype.fields or {}).values():
                fill(part, at + offset)
        else:
            solid[at : at + dtype.itemsize] = True

    solid = np.zeros(dtype.itemsize, np.bool_)
    fill(dtype, 0)
    return solid


def checksum(row: np.ndarray) -> str:
    """A short digest of the fields of a record, given as an array (1,)."""
    return _digest(row.view(np.uint8)[_solid(row.dtype)].tobytes(), 8).hex()


def _digest(data: bytes, size: int) -> bytes:
    return hashlib.blake2b(data, digest_size=size).digest()


def plain(value: Any, what: str) -> Any:
    """Data as JSON gives them back, or `ReplayError`."""
    try:
        return to_json(value)
    except (TypeError, ValueError) as problem:
        raise ReplayError(f"{what} cannot be written to a replay, since they are not plain data: {problem}") from None


#: The fields of a header and their types.
_HEADER: dict[str, tuple[type, ...]] = {
    "format": (int,), "envsuite": (str,), "id": (str,), "parameters": (dict,), "agents": (list,), "interface": (str,),
    "index": (int,), "players": (dict,), "seed": (int, type(None)), "level": (dict, type(None)), "tuned": (dict,),
    "steps": (int,), "over": (bool,), "returns": (list,), "layout": (str,), "state_bytes": (int,), "actions": (str,),
    "checksums": (list,),
}  # fmt: skip


def read_header(data: bytes, name: str = "the replay") -> tuple[dict[str, Any], bytes]:
    """The header of a file's content, and the rest to unpack; `ReplayError` names the fault."""
    if not data.startswith(_FIRST_LINE):
        raise ReplayError(f"{name} is not a replay of envsuite")
    end = data.find(b"\n", len(_FIRST_LINE))
    if end < 0 or _digest(data[:-_DIGEST], _DIGEST) != data[-_DIGEST:]:
        raise ReplayError(f"{name} is truncated or has been changed: its digest differs")
    if end > _MOST_HEADER + len(_FIRST_LINE):
        raise ReplayError(f"{name}: the header is longer than {_MOST_HEADER} bytes")
    try:
        header = json.loads(data[len(_FIRST_LINE) : end])
    except (ValueError, RecursionError) as problem:
        raise ReplayError(f"{name}: the header is not JSON: {problem}") from None
    if not isinstance(header, dict) or header.get("format") not in (1, 2):
        found = header.get("format") if isinstance(header, dict) else None
        raise ReplayError(f"{name} has format {found!r}; this version of envsuite reads formats 1 and 2")
    for key, types in (_HEADER if header["format"] == 1 else {**_HEADER, "parts": (dict,)}).items():
        if key not in header:
            raise ReplayError(f"{name}: the header lacks {key!r}")
        if not isinstance(header[key], types) or (type(header[key]) is bool and bool not in types):
            raise _odd(header, key, name)
    for key, kinds in (("agents", {str}), ("checksums", {str}), ("players", {str}), ("returns", {int, float})):
        parts = header[key].values() if key == "players" else header[key]
        if not all(type(part) in kinds for part in parts):
            raise _odd(header, key, name)
    for key in ("steps", "state_bytes", "index", "seed"):
        if not 0 <= (header[key] or 0) < 2**64:
            raise ReplayError(f"{name}: {key!r} in the header must be a positive integer of 64 bits")
    for text in (header["envsuite"], header["id"], header["interface"], *header["agents"]):
        if not text.isprintable():
            raise ReplayError(f"{name}: {text!r:.60} in the header is no name")
    if not all(abs(part) <= sys.float_info.max for part in header["returns"]):
        raise _odd(header, "returns", name)
    if not len(set(header["agents"])) == len(header["agents"]) == len(header["returns"]) > 0:
        raise ReplayError(f"{name}: the agents and returns in its header do not fit each other")
    if header["actions"] not in ("|i1", "<i2", "<i4", "<i8", "<f4"):
        raise ReplayError(f"{name}: 'actions' in the header is {header['actions']!r:.60}, no integer type, nor float32")
    return header, data[end + 1 : -_DIGEST]


def _divided(header: Mapping[str, Any], body: bytes, name: str) -> tuple[bytes, dict[str, tuple[bytes, int]]]:
    """The packed actions, and each part as it is packed with the number of its bytes."""
    if header["format"] == 1:
        return body, {}
    parts = header["parts"]
    for part, sizes in parts.items():
        if part not in ("by", "words"):
            raise ReplayError(f"{name} has a part {part!r:.60}, which this version of envsuite does not know")
        if not (isinstance(sizes, list) and len(sizes) == 2 and all(type(n) is int and n > 0 for n in sizes)):
            raise _odd(header, "parts", name)
    at = len(body) - sum(packed for packed, _ in parts.values())
    if at < 0 or not parts:
        raise _odd(header, "parts", name)
    body, rest = body[:at], body[at:]
    found = {}
    for part, (packed, size) in parts.items():
        found[part], rest = (rest[:packed], size), rest[packed:]
    return body, found


def _unpacked(packed: bytes, size: int, what: str, name: str) -> bytes:
    """At most one byte more than there should be."""
    try:
        return zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error as problem:
        raise ReplayError(f"{name}: {what} cannot be unpacked: {problem}") from None


def _read_by(header: Mapping[str, Any], parts: Mapping[str, tuple[bytes, int]], name: str) -> np.ndarray | None:
    if "by" not in parts:
        return None
    packed, size = parts["by"]
    shape = header["steps"], len(header["agents"])
    if size != math.prod(shape) or size > _MOST_BYTES:
        raise ReplayError(f"{name}: its part 'by' has {size} bytes, which do not go with {shape[0]} steps")
    codes = np.frombuffer(_unpacked(packed, size, "its part 'by'", name), np.uint8)
    if len(codes) != size or (codes >= len(BY)).any():
        raise ReplayError(f"{name}: its part 'by' is not one of {len(BY)} numbers for each step and agent")
    return np.array(BY)[codes.reshape(shape)]


def _read_words(header: Mapping[str, Any], parts: Mapping[str, tuple[bytes, int]], name: str) -> Words | None:
    if "words" not in parts:
        return None
    packed, size = parts["words"]
    if size > _MOST_BYTES:
        raise ReplayError(f"{name}: its part 'words' has {size} bytes, more than the {_MOST_BYTES} that are read")
    data = _unpacked(packed, size, "its part 'words'", name)
    if len(data) != size:
        raise ReplayError(f"{name}: its part 'words' does not have {size} bytes")
    return Words.from_bytes(data, len(header["agents"]), header["steps"], name)


def parts_of(path: str | PathLike[str]) -> tuple[np.ndarray | None, Words | None]:
    """`Replay.by` and `Replay.words` of a file, also of one that cannot be played here."""
    name = str(path)
    header, body = read_header(_read(path), name)
    parts = _divided(header, body, name)[1]
    return _read_by(header, parts, name), _read_words(header, parts, name)


def _odd(header: Mapping[str, Any], key: str, name: str) -> ReplayError:
    return ReplayError(f"{name}: {key!r} in the header is {header[key]!r:.60}")


def header_of(path: str | PathLike[str]) -> dict[str, Any]:
    """The header of a file, also of one that cannot be played here; see `Replay.header`."""
    return read_header(_read(path), str(path))[0]


def _read(path: str | PathLike[str]) -> bytes:
    """The content of a file, if it begins as a replay does."""
    try:
        with open(path, "rb") as file:
            data = file.read(len(_FIRST_LINE))
            if data == _FIRST_LINE:
                data += file.read(_MOST_BYTES)
                if file.read(1):
                    raise ReplayError(f"{path} is longer than the {_MOST_BYTES} bytes that are read")
    except (OSError, ValueError) as problem:
        raise ReplayError(f"{path} cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    return data


def _world_of(header: Mapping[str, Any], name: str) -> World:
    """The registered world that a header names."""
    id = header["id"]
    try:
        cls = registry.spec(id).load() if id in registry.ids() else None
    except ImportError as problem:
        raise ReplayError(f"{name}: {id} cannot be loaded: {problem}") from None
    if cls is None:
        other = [known for known in registry.ids() if known.rpartition("-v")[0] == id.rpartition("-v")[0]]
        here = f"here it is {other[0]}, whose rules differ" if other else "which is not registered here"
        raise ReplayError(f"{name} is of {id}; {here}")
    try:
        return registry.build(id, header["parameters"])
    except (ParameterError, LevelError, UnknownIdError) as problem:
        raise ReplayError(f"{name}: its world cannot be made: {problem}") from None
