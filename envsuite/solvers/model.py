"""The tabular model of a small world: all its states, and the outcomes of every action, under exact chance.

model = extract("envsuite/FrozenLake-v0", ignore=["t"])     # without the step limit
best = value_iteration(model, horizon=100)                  # see envsuite.solvers.planning
model.start @ best.values

A state is a record without its random stream. The model lists *choices* and not a table of states by actions. A choice
is a state with one joint action of the agents that act there. So masks, agents that take turns and agents that move at
once need no rules of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from envsuite import registry
from envsuite.compile.bound import bind
from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer, Outcomes
from envsuite.core.errors import EnvsuiteError, ParameterError, suggest
from envsuite.core.table import as_words, data_bytes
from envsuite.core.world import World

#: The number of transitions carried out at once.
_CHUNK = 2048

#: Fields of a record without an effect on the future: the stream, and fields that every transition overwrites.
_FLEETING = frozenset({"rng", "objectives"})

#: The maximum number of transitions, as a multiple of the maximum number of states.
_PER_STATE = 32


class TooLargeError(EnvsuiteError, ValueError):
    """A world has more states or transitions than may be listed."""


def _intern(rows, mask, table, known, count, add, found):
    """Number rows by the known rows that equal them in the bits of `mask`; unknown rows are added, or get -1.

    `table` is a hash table of 2**k entries with linear probing, -1 where it is free. Returns the number known now.
    """
    last = np.uint64(len(table) - 1)
    width = rows.shape[1]
    for i in range(rows.shape[0]):
        key = np.uint64(0)
        for k in range(width):
            key = (key ^ (rows[i, k] & mask[k])) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
        while True:
            place = key & last
            other = table[place]
            if other < 0:
                if add:
                    for k in range(width):
                        known[count, k] = rows[i, k]
                    table[place] = count
                    other = count
                    count += 1
                break
            same = True
            for k in range(width):
                if (known[other, k] ^ rows[i, k]) & mask[k] != np.uint64(0):
                    same = False
                    break
            if same:
                break
            key = place + np.uint64(1)
        found[i] = other
    return count


class Index:
    """Numbers rows of words in the order in which they are first seen.

    Args:
        mask: (W,) uint64, the bits in which rows must agree to get the same number.

    Attributes:
        rows: (N, W) uint64, the first row of each number.
    """

    def __init__(self, mask: np.ndarray):
        self.mask = mask
        self.count = 0
        self._known = np.zeros((1024, len(mask)), np.uint64)
        self._table = np.full(4096, -1)
        self._compiled = bind(_intern, "tabular.intern")

    @property
    def rows(self) -> np.ndarray:
        return self._known[: self.count]

    def add(self, rows: np.ndarray) -> np.ndarray:
        """The numbers (N,) of rows (N, W); those not seen before get new ones."""
        if self.count + len(rows) > len(self._known):
            size = 2 * len(self._known)
            while size < self.count + len(rows):
                size *= 2
            self._known = _enlarged(self._known, size)
            self._table = np.full(4 * size, -1)
            self._call(self.rows.copy(), 0, True)
        numbers, self.count = self._call(rows, self.count, True)
        return numbers

    def find(self, rows: np.ndarray) -> np.ndarray:
        """The numbers (N,) of rows (N, W), -1 where they have none."""
        return self._call(rows, self.count, False)[0]

    def _call(self, rows: np.ndarray, count: int, add: bool) -> tuple[np.ndarray, int]:
        found = np.empty(len(rows), np.int64)
        return found, self._compiled(np.ascontiguousarray(rows), self.mask, self._table, self._known, count, add, found)


def _enlarged(array: np.ndarray, size: int) -> np.ndarray:
    larger = np.zeros((size, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _mask(record: np.dtype, ignored: AbstractSet[str]) -> np.ndarray:
    """(W,) uint64: the bits of a record in which two of the same state agree."""
    found = np.zeros(record.itemsize, np.uint8)
    found[data_bytes(record, record.itemsize)] = 255
    for name in ignored & record.fields.keys():  # type: ignore[union-attr]
        part, offset, *_ = record.fields[name]  # type: ignore[index]
        found[offset : offset + part.itemsize] = 0
    return found.view(np.uint64)


@dataclass(frozen=True)
class Model:
    """States, choices and their outcomes: a Markov decision process, or a game of several agents.

    S states, R choices, A agents. A choice is a state with an action of each agent that acts there. A distribution
    over the choices of every state, (R,) float64, is a policy.

    Attributes:
        first: (S + 1,) int64: choices `first[s]` to `first[s + 1]` are those of state `s`; none where it is over.
        actions: (R, A) int64, -1 for agents that do not act.
        transitions: (R, S) sparse, the probabilities of the next state.
        rewards: (R, A) float64, expected.
        start: (S,) float64, the probabilities of the first state.
        records: (S,) the states' records; of a model that was not extracted, None.
        world: the world; of a model that was not extracted, None.
    """

    first: np.ndarray
    actions: np.ndarray
    transitions: csr_array
    rewards: np.ndarray
    start: np.ndarray
    records: np.ndarray | None = None
    world: World | None = None
    _index: Index | None = field(default=None, repr=False)

    @property
    def num_states(self) -> int:
        """S."""
        return len(self.first) - 1

    @cached_property
    def states(self) -> np.ndarray:
        """(R,) int64, the state of each choice."""
        return np.repeat(np.arange(self.num_states), np.diff(self.first))

    @cached_property
    def terminal(self) -> np.ndarray:
        """(S,) bool, where the episode is over."""
        return np.diff(self.first) == 0

    @cached_property
    def mover(self) -> np.ndarray:
        """(S,) int64: the only agent that acts; -1 where none does, -2 where several do."""
        acting = self.actions >= 0
        alone = np.where(acting.sum(axis=1) == 1, acting.argmax(axis=1), np.where(acting.any(axis=1), -2, -1))
        found = np.full(self.num_states, -1)
        found[self.states] = alone
        return found

    @property
    def deterministic(self) -> bool:
        """Whether no choice leaves anything to chance; the start may."""
        return bool((np.diff(self.transitions.indptr) == 1).all())

    def find(self, records: np.ndarray) -> np.ndarray:
        """The states (N,) int64 of records (N,), -1 for those that the model does not have."""
        if self._index is None:
            raise ParameterError("this model was not extracted from a world, so it has no records to find")
        return self._index.find(as_words(np.ascontiguousarray(records)))

    def table(self, values: np.ndarray) -> np.ndarray:
        """Numbers of choices (R,), such as Q-values, as (S, K) by state and action of the only agent that acts.

        nan for illegal actions, and in states where none or several act.
        """
        mover = self.mover[self.states]
        rows = np.flatnonzero(mover >= 0)
        found = np.full((self.num_states, int(self.actions.max()) + 1), np.nan)
        found[self.states[rows], self.actions[rows, mover[rows]]] = values[rows]
        return found


def choices(masks: np.ndarray, over: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The possible choices: the states' numbers (R,) and actions (R, A), from masks (N, A, K) and ends (N,)."""
    legal = masks.sum(axis=2, dtype=np.int64)
    radix = np.maximum(legal, 1)
    count = np.where(over, 0, radix.prod(axis=1))
    states = np.repeat(np.arange(len(masks)), count)
    left = np.arange(len(states)) - np.repeat(np.cumsum(count) - count, count)
    order = np.argsort(-masks, axis=2, kind="stable")  # legal actions first
    actions = np.full((len(states), masks.shape[1]), -1)
    for agent in reversed(range(masks.shape[1])):
        base = radix[states, agent]
        acts = legal[states, agent] > 0
        actions[acts, agent] = order[states[acts], agent, (left % base)[acts]]
        left //= base
    return states, actions


class _Extraction:
    """The states found so far, and their data."""

    def __init__(self, world: World, ignore: Sequence[str], limit: int):
        fields = world.record.names or ()
        for name in ignore:
            if name not in fields:
                raise ParameterError(f"{world.id}: a record has no field {name!r}{suggest(name, fields)}")
        self.world, self.ignored, self.limit = world, tuple(ignore), limit
        self.timeless = "t" in ignore
        self.explorer = Explorer(world, _CHUNK)
        self.index = Index(_mask(world.record, {*_FLEETING, *ignore}))
        self.whole = _mask(world.record, {*_FLEETING, "t"} if self.timeless else _FLEETING)
        self.others: dict[int, np.ndarray] = {}  # by state, another record of it
        self.transitions: list[csr_array] = []
        self.actions: list[np.ndarray] = []
        self.rewards: list[np.ndarray] = []
        self.counts: list[np.ndarray] = []
        self.num_outcomes = 0
        self.begun = False

    @property
    def records(self) -> np.ndarray:
        """(S,) the states' records."""
        return self.index.rows.view(self.world.record)[:, 0]

    def add(self, outcomes: Outcomes) -> np.ndarray:
        """The states (O,) of outcomes."""
        if self.timeless:
            outcomes.records["t"] = 0
        words = as_words(outcomes.records)
        states = self.index.add(words)
        if len(self.ignored) > self.timeless:
            differ = ((words ^ self.index.rows[states]) & self.whole).any(axis=1)
            self.others.update(zip(states[differ].tolist(), words[differ].copy()))
        self.num_outcomes += len(states)
        self._limit("states", self.index.count, self.limit)
        self._limit("transitions", self.num_outcomes, _PER_STATE * self.limit)
        return states

    def _limit(self, what: str, count: float, most: int) -> None:
        if count > most:
            raise TooLargeError(
                f"{self.world.id} is too large: it has {count:,.0f} {what} or more, and limit={self.limit:,} allows "
                f"{most:,}; "
                + (
                    f"{sum(map(len, self.counts)):,} of {self.index.count:,} states had been tried out"
                    if self.begun
                    else "it can start in too many ways, which a level or a seed would change"
                )
            )

    def begin(self, parts: Iterable[Outcomes]) -> np.ndarray:
        """The probabilities of the first states."""
        found = [(self.add(part), part.probabilities) for part in parts]
        self.begun = True
        states, probabilities = (np.concatenate(column) for column in zip(*found))
        return np.bincount(states, probabilities)

    def try_all(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, csr_array]:
        """All that can be done in records (N,): whose choice it is (R,), actions and rewards (R, A), transitions."""
        view = self.explorer.view(records)
        possible = np.maximum(view.masks.sum(axis=2), 1).prod(axis=1, dtype=float)[~view.over].sum()
        self._limit("transitions", self.num_outcomes + possible, _PER_STATE * self.limit)
        parents, actions = choices(view.masks, view.over)
        rewards = np.zeros(actions.shape)
        found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
        for part in self.explorer.expand(records, view.masks, parents, actions):
            found.append((part.parents, self.add(part), part.probabilities))
            np.add.at(rewards, part.parents, part.probabilities[:, None] * part.rewards)
        choice, state, probability = (np.concatenate(column) for column in zip(*found))
        return (
            parents,
            actions,
            rewards,
            csr_array((probability, (choice, state)), shape=(len(parents), self.index.count)),
        )

    def expand(self, first: int, last: int) -> None:
        """Try all that can be done in states first .. last - 1."""
        parents, actions, rewards, transitions = self.try_all(self.records[first:last])
        self.transitions.append(transitions)
        self.actions.append(actions)
        self.rewards.append(rewards)
        self.counts.append(np.bincount(parents, minlength=last - first))

    def model(self, start: np.ndarray) -> Model:
        count = self.index.count
        for part in self.transitions:
            part.resize(part.shape[0], count)
        return Model(
            first=np.concatenate([[0], np.cumsum(np.concatenate(self.counts))]),
            actions=np.concatenate(self.actions),
            transitions=vstack(self.transitions, format="csr"),
            rewards=np.concatenate(self.rewards),
            start=np.pad(start, (0, count - len(start))),
            records=self.records,
            world=self.world,
            _index=self.index,
        )

    def check(self, model: Model) -> None:
        """Try all choices in other records of the same states, or raise `ParameterError` if anything differs."""
        count, rng = model.num_states, np.random.default_rng(0)
        self.num_outcomes = 0
        rows = self.index.rows.copy()
        for state, row in self.others.items():
            rows[state] = row
        records = rows.view(self.world.record)[:, 0]
        varied = np.zeros(count, bool)
        varied[list(self.others)] = True
        if self.timeless:
            # Any time at which the step limit does not cut, as far as the parameters show.
            names = self.world.record["params"].names or ()
            most = records["params"]["horizon"] - 1 if "horizon" in names else np.full(count, 2)
            records["t"] = rng.integers(0, np.maximum(most, 1))
            varied |= records["t"] > 0
        varied &= ~model.terminal
        checked = np.flatnonzero(varied)
        for at in range(0, len(checked), _CHUNK):
            states = checked[at : at + _CHUNK]
            _, actions, rewards, transitions = self.try_all(rows[states].view(self.world.record)[:, 0])
            choices = np.concatenate([np.arange(*model.first[s : s + 2]) for s in states])
            if not np.array_equal(actions, model.actions[choices]):
                raise self._matters("what is legal")
            if self.index.count > count or abs(transitions - model.transitions[choices]).max() > 1e-12:
                raise self._matters("the next state")
            if (abs(rewards - model.rewards[choices]) > 1e-12).any():
                raise self._matters("the reward")

    def _matters(self, what: str) -> ParameterError:
        return ParameterError(
            f"{self.world.id}: {' and '.join(map(repr, self.ignored))} cannot be ignored: {what} depends on it"
        )


def extract(
    world: World | str,
    *,
    level: Mapping[str, Any] | None = None,
    seed: int | None = None,
    ignore: Sequence[str] = (),
    limit: int = 500_000,
    progress: Callable[[int, int], None] | None = None,
    **params: Any,
) -> Model:
    """List all states that can be reached, breadth first, and all transitions between them.

    Args:
        world: a world, or its id with parameters.
        level: the level of all episodes; by default all that a reset can make, with their probabilities.
        seed: let all episodes start as the one with this seed, instead of enumerating the starts. Later chance is
            still enumerated.
        ignore: fields of the record that a state does not include. "t" leaves out the step limit: then the episode
            has no end, and with n steps left a horizon of n gives the values. Other fields, such as the level, record
            the origin of an episode. A field that matters for rewards, legal actions or next states is refused. To
            find out, every choice is tried once more in another record of the state, if one was found, and at a random
            time before the world's parameter `horizon`. That is a test and not a proof.
        limit: the maximum number of states; the maximum number of transitions is 32 times that.
        progress: called with the number of states found, and the number of those that are done.
        params: the parameters of a world given by id.

    Raises:
        TooLargeError: there are more; the message gives the numbers reached.
        ChanceError: the world draws from a continuous distribution, or too often in one transition.
        ParameterError: a field in `ignore` does not exist or matters.
    """
    if isinstance(world, str):
        world = registry.build(world, params)
    elif params:
        raise ParameterError(f"parameters ({', '.join(params)}) go with an id, not with a world")
    found = _Extraction(world, ignore, limit)
    start = found.begin(found.explorer.begin(level) if seed is None else _seeded(world, level, seed))
    done = 0
    while done < found.index.count:
        last = min(done + _CHUNK, found.index.count)
        found.expand(done, last)
        done = last
        if progress is not None:
            progress(found.index.count, done)
    model = found.model(start)
    if ignore:
        found.check(model)
    return model


def _seeded(world: World, level: Mapping[str, Any] | None, seed: int) -> list[Outcomes]:
    """The only start of an episode with this seed."""
    batch = Batch(world, 1)
    batch.start(seed, level)
    batch.records["rng"] = 0
    return [Outcomes(np.zeros(1, np.int64), np.ones(1), batch.records, batch.rewards)]
