"""Columns: what rows of a data set hold, made by playing recorded episodes again, many at a time.

A row is an agent at a step where it acts, and each agent at the end of its episode: the last observation, without an
action. A row's reward is the sum of the agent's rewards from that step until its next row, and `terminated` and
`truncated` say whether its episode is over there. So no reward is lost where agents take turns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, DataError, ParameterError, suggest
from envsuite.core.world import World, heard
from envsuite.data.solved import Judge, judge_of
from envsuite.data.store import Block, Starts
from envsuite.episodes.replay import Moment, checksum
from envsuite.talk.delivery import plain
from envsuite.talk.words import Line, Words

#: Columns that every exported row has.
BASE = ("episode", "step", "agent", "policy", "action", "reward", "terminated", "truncated", "acting")

#: Columns on request, besides "observation", "state" and labels.
OPTIONAL = (
    "mask", "vector_reward", "return_to_go", "grade", "score", "action_name", "text", "prompt", "reply", "message",
    "said", "heard", "value", "best_action", "best", "regret",
)  # fmt: skip

_SOLVED = {"value": np.float32, "best_action": np.int16, "best": np.bool_, "regret": np.float32}
#: The types of columns of labels, by the kinds of what verifiers return.
_LABELS = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64, "U": object}

_KNOWN = (*BASE, "observation", "state", *OPTIONAL, "label.NAME=module:function")


@dataclass(frozen=True)
class Column:
    """The type of a column: the dtype and shape of an entry, and notes such as the solver that made it."""

    dtype: np.dtype
    shape: tuple[int, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


class Sight(NamedTuple):
    """Some running episodes at one step: E of the N worlds of a batch, and their places among P positions.

    Attributes:
        batch: before the step.
        step: transitions so far.
        rows: (E,) the worlds that have not ended, or end here.
        at: (E,) their positions.
        actions: (E, A) the next actions, -1 at an episode's end.
        returns: (N, A) the rewards so far.
        seeds: (N,) of the episodes.
        episodes: (N,) their numbers in the data set.
    """

    batch: Batch
    step: int
    rows: np.ndarray
    at: np.ndarray
    actions: np.ndarray
    returns: np.ndarray
    seeds: np.ndarray
    episodes: np.ndarray

    def decisions(self) -> tuple[np.ndarray, np.ndarray]:
        """The agents that act: an index into `rows`, and the agent's number."""
        k, agents = np.nonzero((self.batch.acting[self.rows] != 0) & (self.actions >= 0))
        return k, agents


class _Part:
    """Something that is noted at every step; a subclass has `columns` and notes arrays (P, A, ...) in `found`."""

    columns: dict[str, Column]

    def begin(self, positions: int, agents: int) -> None:
        """Make room."""
        self.found = {}
        for name, column in self.columns.items():
            empty = "" if column.dtype == object else np.nan if column.dtype.kind == "f" else 0
            self.found[name] = np.full((positions, agents, *column.shape), empty, column.dtype)

    def see(self, sight: Sight) -> None:
        """Note a step."""
        raise NotImplementedError

    def after(self, moved: np.ndarray, at: np.ndarray, batch: Batch) -> None:
        """Note the results of the transitions of worlds `moved`, from positions `at`."""


class _Buffers(_Part):
    """Copies of a batch's buffers: masks, observations."""

    def __init__(self, columns: dict[str, Column], takes: dict[str, Callable[[Batch], np.ndarray]]):
        self.columns, self.takes = columns, takes

    def see(self, sight: Sight) -> None:
        for name, take in self.takes.items():
            self.found[name][sight.at] = take(sight.batch)[sight.rows]


class _States(_Part):
    """`World.state`, the same for all agents."""

    def __init__(self, world: World):
        self.world = world
        batch = Batch(world, 1)
        batch.start(0)
        self.columns = {name: Column(part.dtype, part.shape[1:]) for name, part in self._parts(batch).items()}

    def _parts(self, batch: Batch) -> dict[str, np.ndarray]:
        found = self.world.state(batch.records, batch.observations)
        if isinstance(found, Mapping):
            return {f"state.{name}": np.asarray(part) for name, part in found.items()}
        return {"state": np.asarray(found)}

    def see(self, sight: Sight) -> None:
        for name, part in self._parts(sight.batch).items():
            self.found[name][sight.at] = part[sight.rows, None]


class _Objectives(_Part):
    """The parts of a vector reward of the transition that follows."""

    def __init__(self, world: World):
        if not world.objectives:
            raise ParameterError(f"{world.id} has no vector reward")
        self.columns = {
            "vector_reward": Column(np.dtype(np.float32), (len(world.objectives),), {"parts": list(world.objectives)})
        }

    def begin(self, positions: int, agents: int) -> None:
        self.found = {"vector_reward": np.zeros((positions, agents, *self.columns["vector_reward"].shape))}

    def see(self, sight: Sight) -> None:
        pass

    def after(self, moved: np.ndarray, at: np.ndarray, batch: Batch) -> None:
        self.found["vector_reward"][at] = batch.vector_rewards[moved]


class _Words(_Part):
    """What a language agent reads: `World.text`, `prompt` or `reply`."""

    def __init__(self, world: World, names: Sequence[str]):
        self.columns = {name: Column(np.dtype(object)) for name in names}
        self.methods = {name: getattr(world, name) for name in names}

    def see(self, sight: Sight) -> None:
        wanted = (sight.batch.acting[sight.rows] != 0) | (sight.actions < 0)
        for k, agent in zip(*np.nonzero(wanted)):
            record = sight.batch.record(sight.rows[k])
            for name, method in self.methods.items():
                self.found[name][sight.at[k], agent] = method(record, int(agent))


class _Messages(_Part):
    """The words that an agent says by its action; several messages of one agent are lines."""

    def __init__(self, world: World):
        self.world = world
        self.columns = {"message": Column(np.dtype(object))}

    def see(self, sight: Sight) -> None:
        if sight.step == 0:
            self._said = [self.world.messages(sight.batch.record(i)) for i in range(sight.batch.num)]

    def after(self, moved: np.ndarray, at: np.ndarray, batch: Batch) -> None:
        for i, position in zip(moved, at):
            said = self.world.messages(batch.record(i))
            for speaker, words in heard(self._said[i], said):
                held = self.found["message"][position, speaker]
                self.found["message"][position, speaker] = f"{held}\n{words}" if held else words
            self._said[i] = said


class _Talk(_Part):
    """Words of agents' own, as lists in JSON: those said since the agent's last action, and those heard."""

    def __init__(self, plan: Plan, names: Sequence[str]):
        self.plan = plan
        self.columns = {name: Column(np.dtype(object)) for name in names}

    def begin(self, positions: int, agents: int) -> None:
        self.found = {name: np.full((positions, agents), "[]", object) for name in self.columns}
        self._words: dict[int, Words] = {}  # by world, those that agents can hear by now
        self._since: dict[tuple[str, int, int], list[Line]] = {}  # by column, world and agent: since its last action

    def see(self, sight: Sight) -> None:
        world, spoken = self.plan.world, self.plan.words
        ends: list[bool] = np.all(sight.actions < 0, axis=1).tolist()
        for i, at, end in zip(sight.rows.tolist(), sight.at.tolist(), ends):
            words = spoken[sight.episodes[i]] if spoken else None
            if not words:
                continue
            record, own = sight.batch.record(i), self._words.setdefault(i, Words(words.agents))
            hearing = partial(world.hearing, record)
            own.release(hearing)
            lines = words.at(sight.step)
            for line in lines:  # those of a round of talk are heard before the actions of their step
                own.say(line, hearing if line.act else None)
            for a in range(words.agents):
                for name, new in (("said", [line for line in lines if line.agent == a]), ("heard", own.new(a))):
                    since = self._since.setdefault((name, i, a), [])
                    since += new
                    if name in self.columns and (end or sight.batch.acting[i, a]):
                        told = [plain(line, world.agents) for line in since]
                        self.found[name][at, a] = json.dumps(told, ensure_ascii=False)
                        since.clear()


class _Label(_Part):
    """A verifier's label: a function of a `Moment` that returns a value, or one for each agent."""

    def __init__(self, world: World, name: str, place: str, starts: Starts):
        self.name, self.place, self.function = name, place, registry.loaded(place)
        batch = Batch(world, 1)
        starts.start(batch, 0)
        first = self._called(batch, 0, np.zeros(len(world.agents)), np.where(batch.acting[0] != 0, 0, -1), 0)
        self.columns = {name: Column(np.dtype(_LABELS[first.dtype.kind]), (), {"function": place})}

    def _called(self, batch: Batch, step: int, returns: np.ndarray, actions: np.ndarray, i: int) -> np.ndarray:
        found = np.asarray(self.function(Moment.of(batch, step, returns.copy(), actions.copy(), i)))
        if found.shape not in ((), returns.shape) or found.dtype.kind not in _LABELS:
            raise ParameterError(
                f"{self.place} must return a number, a truth value or a text, or {len(returns)} of them in an array"
            )
        return found

    def see(self, sight: Sight) -> None:
        column = self.columns[self.name].dtype
        for k in np.flatnonzero((sight.actions >= 0).any(axis=1)):
            i = sight.rows[k]
            values = self._called(sight.batch, sight.step, sight.returns[i], sight.actions[k].astype(np.int64), i)
            if _LABELS[values.dtype.kind] != column:
                raise ParameterError(f"{self.place} returned {values.dtype}, and {column} for the first moment")
            self.found[self.name][sight.at[k]] = values


class _Judged(_Part):
    """The values of a solver at the decisions."""

    def __init__(self, names: Sequence[str], judge: Judge):
        self.names, self.judge = names, judge
        self.columns = {name: Column(np.dtype(_SOLVED[name]), (), {"solver": judge.name}) for name in names}

    def see(self, sight: Sight) -> None:
        k, agents = sight.decisions()
        if sight.step == 0:
            self.judge.begin(sight.batch.num)
        if not len(k):
            return
        rows, actions = sight.rows[k], sight.actions[k, agents]
        values, best = self.judge.judge(sight.batch, rows, agents, actions, sight.seeds[rows], sight.step)
        most = np.take_along_axis(values, best[:, None], 1)[:, 0]
        regret = np.maximum(most - np.take_along_axis(values, actions[:, None], 1)[:, 0], 0.0)
        regret[actions == best] = 0.0
        same = regret <= 1e-9 * np.maximum(np.abs(most), 1e-3)
        for name, found in zip(_SOLVED, (most, best, same, regret)):
            if name in self.names:
                self.found[name][sight.at[k], agents] = found


class Plan:
    """The columns that were asked for, resolved for a data set.

    Args:
        world: its world.
        names: columns; "observation" and "state" stand for all their parts.
        labels: the policy of each agent, in episodes that take them in turn.
        grades, scores: of the data set; the grade of episode k is number k modulo their number.
        starts: where its episodes start.
        solver: see `judge_of`.

    Attributes:
        columns: the types, by name, in the order in which they were asked for.
        words: what was said in each episode; none where nobody had words.
    """

    def __init__(
        self,
        world: World,
        names: Sequence[str],
        labels: Sequence[Sequence[str]],
        grades: Sequence[float],
        scores: Mapping[float, float | None],
        starts: Starts,
        solver: str = "auto",
    ):
        self.world, self.starts = world, starts
        self.labels = np.array(labels, object)
        self.words: Sequence[Words | None] = ()
        self.grades = np.array(grades, np.float32)
        known = (scores.get(grade) for grade in grades)
        self.scores = np.array([np.nan if score is None else score for score in known], np.float32)
        self.columns: dict[str, Column] = {}
        self.parts: list[_Part] = []
        words = [name for name in names if name in ("text", "prompt", "reply")]
        solved = [name for name in names if name in _SOLVED]
        talked = [name for name in names if name in ("said", "heard")]
        for name in dict.fromkeys(names):
            if name in self.columns:
                continue
            if name in words:
                self._add(_Words(world, words))
            elif name in talked:
                self._add(_Talk(self, talked))
            elif name in solved:
                self._add(_Judged(solved, judge_of(world, solver)))
            else:
                self._resolve(name)
        self.columns = {name: self.columns[name] for name in self._order(names)}

    def _add(self, part: _Part) -> None:
        self.parts.append(part)
        self.columns |= part.columns

    def _resolve(self, name: str) -> None:
        """Add a column, or all parts of one."""
        world = self.world
        plain = {
            "episode": np.int64, "step": np.int32, "agent": np.int16, "policy": object, "action": np.int16,
            "reward": np.float32, "terminated": np.bool_, "truncated": np.bool_, "acting": np.bool_,
            "return_to_go": np.float32, "grade": np.float32, "score": np.float32, "action_name": object,
        }  # fmt: skip
        label, _, place = name.partition("=")
        if name in plain:
            notes = {"agents": list(world.agents)} if name == "agent" else {}
            dtype = np.int32 if name == "action" and world.num_actions > 2**15 else plain[name]
            self.columns[name] = Column(np.dtype(dtype), (), notes)
        elif name == "mask":
            self._add(_Buffers({name: Column(np.dtype(np.int8), (world.num_actions,))}, {name: lambda b: b.masks}))
        elif name == "observation":
            self._add(_observations(world))
        elif name == "state":
            self._add(_States(world))
        elif name == "vector_reward":
            self._add(_Objectives(world))
        elif name == "message":
            self._add(_Messages(world))
        elif label.startswith("label.") and place:
            self._add(_Label(world, label, place, self.starts))
        else:
            near = suggest(name, _KNOWN) or f"; known: {', '.join(_KNOWN)}"
            raise ParameterError(f"there is no column {name!r}{near}")

    def _order(self, names: Sequence[str]) -> list[str]:
        """The columns in the order of the names that they were asked for by."""

        def place(column: str) -> int:
            asked = (name.partition("=")[0] for name in names)
            return min(k for k, name in enumerate(asked) if column == name or column.startswith(f"{name}."))

        return sorted(self.columns, key=place)

    @property
    def row_bytes(self) -> int:
        """The memory of a row while it is made, about."""
        sizes = (column.dtype.itemsize * int(np.prod(column.shape)) for column in self.columns.values())
        return 64 + sum(sizes)


def _observations(world: World) -> _Part:
    slot = world.slot
    if slot.names is None:
        column = Column(slot, world.slot_shape)
        return _Buffers({"observation": column}, {"observation": lambda batch: batch.observations})
    columns = {f"observation.{name}": Column(slot[name].base, slot[name].shape) for name in slot.names}
    return _Buffers(columns, {f"observation.{name}": partial(_observed, name) for name in slot.names})


def _observed(name: str, batch: Batch) -> np.ndarray:
    return batch.observations[name]


class Played(NamedTuple):
    """Episodes played again: E of them, of A agents, together P moments; the parts of the plan hold the rest.

    Attributes:
        starts: (E + 1,) where each episode's moments begin.
        acting, actions: (P, A); -1 for an agent that does not act.
        rewards: (P, A) float64, of the transition from a moment.
        ends: (2, P, A) bool, terminations and truncations.
        records: (E,) the last records.
    """

    starts: np.ndarray
    acting: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    ends: np.ndarray
    records: np.ndarray


def play_again(plan: Plan, block: Block, first: int, last: int, where: str) -> Played:
    """Replay episodes `first` to ``last - 1`` of a block.

    Raises `DataError`, prefixed by `where`, if they differ.
    """
    world, lengths = plan.world, block.lengths[first:last]
    agents, count = len(world.agents), last - first
    starts = np.concatenate([[0], np.cumsum(lengths + 1)])
    positions = int(starts[-1])
    acting, ends = np.zeros((positions, agents), bool), np.zeros((2, positions, agents), bool)
    actions, rewards = np.full((positions, agents), -1, np.int64), np.zeros((positions, agents))
    number = block.first + first
    seeds, episodes = plan.starts.seeds(number, count), np.arange(number, number + count)
    batch, returns = Batch(world, count), np.zeros((count, agents))
    plan.starts.start(batch, number)
    for part in plan.parts:
        part.begin(positions, agents)

    def differs(i: int, why: str) -> DataError:
        return DataError(f"{where}: episode {number + i} does not play as it was recorded: {why}")

    for step in range(int(lengths.max()) + 1):
        wrong = batch.finished != (lengths <= step)
        if wrong.any():
            i = int(wrong.argmax())
            raise differs(i, f"it has {lengths[i]} steps, and is{'' if batch.finished[i] else ' not'} over at {step}")
        rows, moving = np.flatnonzero(lengths >= step), np.flatnonzero(lengths > step)
        at, going = starts[rows] + step, starts[moving] + step
        batch.actions[moving] = block.actions[block.starts[first + moving] + step]
        acting[at], ends[0, at], ends[1, at] = batch.acting[rows], batch.terminations[rows], batch.truncations[rows]
        actions[going] = np.where(acting[going], batch.actions[moving], -1)
        sight = Sight(batch, step, rows, at, actions[at], returns, seeds, episodes)
        for part in plan.parts:
            part.see(sight)
        if not len(moving):
            break
        try:
            batch.step(where=moving)
        except ActionError as problem:
            raise DataError(f"{where}: the episodes from {number} on do not play as recorded: {problem}") from None
        rewards[going] = batch.rewards[moving]
        returns += batch.rewards
        for part in plan.parts:
            part.after(moving, going, batch)
    wrong = (returns != block.returns[first:last]).any(axis=1)
    if wrong.any():
        i = int(wrong.argmax())
        raise differs(i, f"its returns are {returns[i].tolist()}, not {block.returns[first + i].tolist()}")
    for i, expected in enumerate(block.checksums[first:last]):
        if checksum(batch.records[i : i + 1]) != expected:
            raise differs(i, "it ends in another state")
    return Played(starts, acting, actions, rewards, ends, batch.records)


def rows_of(
    plan: Plan, block: Block, first: int, played: Played, chosen: np.ndarray, last_rows: bool, idle: bool
) -> dict[str, np.ndarray]:
    """The columns of a plan, for rows of episodes that were played again.

    Args:
        plan: the columns.
        block: it holds the episodes.
        first: the number of the first one within the block.
        played: the result of `play_again`.
        chosen: (E,) bool, the episodes that are wanted.
        last_rows: whether to have the rows at the ends of episodes.
        idle: whether agents have rows where they do not act.

    Rows are in the order of episodes, steps and agents.
    """
    starts, lengths = played.starts, np.diff(played.starts)
    final = np.zeros(len(played.acting), bool)
    final[starts[1:] - 1] = True
    kept = played.acting | final[:, None] | idle
    inside = np.repeat(np.arange(len(lengths)), lengths)
    wanted = chosen[inside] if last_rows else chosen[inside] & ~final
    at, agents = np.nonzero(kept & wanted[:, None])
    episodes = block.first + first + inside
    names = set(plan.columns)
    found: dict[str, Any] = {name: part for one in plan.parts for name, part in one.found.items()}
    found = {name: array[at, agents] for name, array in found.items() if name != "vector_reward"}
    actions = played.actions[at, agents]
    found |= {
        "episode": episodes[at],
        "step": (np.arange(len(inside)) - starts[inside])[at],
        "agent": agents,
        "policy": plan.labels[episodes[at] % len(plan.labels), agents],
        "action": actions,
        "acting": actions >= 0,
        "grade": plan.grades[episodes[at] % len(plan.grades)],
        "score": plan.scores[episodes[at] % len(plan.grades)],
    }
    if "reward" in names:
        found["reward"] = _until_next(played.rewards, kept, final)[at, agents]
    if "vector_reward" in names:
        dense = next(part.found["vector_reward"] for part in plan.parts if "vector_reward" in part.found)
        parts = [_until_next(dense[..., k], kept, final)[at, agents] for k in range(dense.shape[2])]
        found["vector_reward"] = np.stack(parts, axis=1)
    for name, ended in zip(("terminated", "truncated"), played.ends):
        if name in names:
            found[name] = _at_next(ended, kept, final)[at, agents]
    if "return_to_go" in names:
        found["return_to_go"] = _to_go(played.rewards, starts)[at, agents]
    if "action_name" in names:
        found["action_name"] = np.array(
            [plan.world.action_names[a][k] if k >= 0 else "" for a, k in zip(agents, actions)], object
        )
    return {name: np.asarray(found[name]).astype(column.dtype, copy=False) for name, column in plan.columns.items()}


def _until_next(numbers: np.ndarray, kept: np.ndarray, final: np.ndarray) -> np.ndarray:
    """(P, A) at kept moments the sum of an agent's numbers (P, A) from there until its next kept moment."""
    found = np.zeros_like(numbers)
    for a in range(numbers.shape[1]):
        at = np.flatnonzero(kept[:, a])
        found[at, a] = np.add.reduceat(numbers[:, a], at)
    found[final] = 0.0
    return found


def _at_next(flags: np.ndarray, kept: np.ndarray, final: np.ndarray) -> np.ndarray:
    """(P, A) at kept moments the agent's flag (P, A) at its next kept moment; at the last one, the flag there."""
    found = flags.copy()
    for a in range(flags.shape[1]):
        at = np.flatnonzero(kept[:, a])
        found[at[:-1], a] = flags[at[1:], a]
    found[final] = flags[final]
    return found


def _to_go(rewards: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(P, A) the sum of an agent's rewards from a moment to the end, added from the end."""
    found, lengths = rewards.copy(), np.diff(starts)
    for back in range(2, int(lengths.max()) + 1):
        at = starts[1:][lengths >= back] - back
        found[at] += found[at + 1]
    return found


def described(columns: Mapping[str, Column]) -> dict[str, Any]:
    """The types of columns as plain data."""
    return {
        name: {"dtype": "str" if one.dtype == object else one.dtype.str, "shape": list(one.shape), **one.notes}
        for name, one in columns.items()
    }


def notes_of(column: Column) -> dict[str, str]:
    """A column's type and notes as texts, for the metadata of a file."""
    about = described({"": column})[""]
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in about.items()}
