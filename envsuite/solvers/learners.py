"""Tabular learners for any world: Q-learning and SARSA, and with several agents independent learners.

A state is an agent's observation: the 64-bit hash of its bytes. The values are kept in an open-addressing hash table,
with one value for each action in each row. Choosing and learning are one compiled loop over a batch; it sees only
bytes, so it is compiled once for all worlds. Let r_1 ... r_k be the rewards from an agent's decision in state x to its
next one in y (k = 1 where all act at once; more where agents take turns). Then a decision for action u updates

    Q(x, u) += rate n^-power (r_1 + discount r_2 + ... + discount^(k-1) r_k + discount^k V(y) - Q(x, u))

where n counts the updates of Q(x, u), and V(y) is

- Q-learning: max_v Q(y, v) over the actions legal in y (Watkins, "Learning from Delayed Rewards", 1989),
- SARSA: Q(y, v) of the action v that is taken in y (Rummery and Niranjan, "On-Line Q-Learning Using Connectionist
  Systems", 1994),
- 0 where the agent's episode has terminated; where it was cut off, max_v Q(y, v) of the last observation.

Decisions that last several transitions are those of a semi-Markov process (Bradtke and Duff, "Reinforcement Learning
Methods for Continuous-Time Markov Decision Problems", 1994). Several agents each learn by themselves, as if the others
were a part of the world (Tan, "Multi-Agent Reinforcement Learning: Independent vs. Cooperative Agents", 1993).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from envsuite.compile.bound import bind
from envsuite.core import random, snapshot
from envsuite.core.batch import Batch, stream_starts
from envsuite.core.cast import Cast
from envsuite.core.errors import EnvsuiteError, ParameterError, SnapshotError
from envsuite.core.files import drafted
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between, Checked
from envsuite.core.policy import Policy, choose_legal, single
from envsuite.core.table import data_bytes, find, hash_bytes
from envsuite.core.world import World

#: The data that a learner's loop reads and keeps besides its tables.
_NUMBERS = np.dtype(
    [
        ("rng", np.uint64),
        ("states", np.int64),
        ("episodes", np.int64),
        ("sarsa", np.int64),
        ("discount", np.float64),
        ("rate", np.float64),
        ("power", np.float64),
        ("initial", np.float64),
        ("epsilon", np.float64),
    ]
)

#: A decision whose update is pending: its row, or -1, its action, the rewards so far, the weight of the next reward.
_PENDING = np.dtype([("row", np.int64), ("action", np.int64), ("reward", np.float64), ("weight", np.float64)])


class TableFullError(EnvsuiteError, RuntimeError):
    """A learner has met more states than its table can hold."""


@kernel
def _best(row):
    """The largest value of a row; -inf where no action has been legal."""
    found = -np.inf
    for k in range(row.shape[0]):
        found = max(found, row[k])
    return found


@kernel
def _greedy(s, row, mask):
    """A legal action of the largest value, by even chance where there are several."""
    best, ties, action = -np.inf, 0, 0
    for k in range(row.shape[0]):
        if mask[k] != 0 and row[k] >= best:
            ties = ties + 1 if row[k] == best else 1
            best = row[k]
            if ties == 1 or random.randint(s, ties) == 0:
                action = k
    return action


def _advance(
    numbers, keys, values, visits, pending, observations, columns, masks, acting, actions, rewards, terminations,
    truncations, finished, learns, returns, sums,
):  # fmt: skip
    """Learn from the last transition and choose the next actions of the agents that learn.

    Stops with False before it would fill the table.
    """
    s = numbers[0]
    limit = keys.shape[0] - keys.shape[0] // 8  # a fuller table would be slow
    for i in range(np.uint64(0), np.uint64(observations.shape[0])):
        for a in range(np.uint64(0), np.uint64(observations.shape[1])):
            returns[i, a] += rewards[i, a]
            if finished[i]:
                sums[a] += returns[i, a]
                returns[i, a] = 0.0
            if not learns[a]:
                continue
            held = pending[i, a]
            if held.row >= 0:
                held.reward += held.weight * rewards[i, a]
                held.weight *= s.discount
            value, place, action = 0.0, np.uint64(0), 0
            if acting[i, a] or (truncations[i, a] and not terminations[i, a] and held.row >= 0):
                key = hash_bytes(observations[i, a], columns, np.uint64(a))
                place = find(keys, key)
            if acting[i, a]:
                row, mask = values[place], masks[i, a]
                if keys[place] == 0:
                    if s.states >= limit:
                        return False
                    s.states += 1
                    keys[place] = key
                    for k in range(row.shape[0]):
                        row[k] = -np.inf
                for k in range(row.shape[0]):
                    if mask[k] != 0 and row[k] == -np.inf:
                        row[k] = s.initial
                if random.uniform(s) < s.epsilon:
                    action = choose_legal(s, mask)
                else:
                    action = _greedy(s, row, mask)
                if held.row >= 0:
                    value = row[np.uint64(action)] if s.sarsa != 0 else _best(row)
            elif truncations[i, a] and not terminations[i, a]:
                if held.row >= 0:
                    value = _best(values[place]) if keys[place] != 0 else s.initial
            elif not terminations[i, a]:
                continue  # others move
            if held.row >= 0:
                at, taken = np.uint64(held.row), np.uint64(held.action)
                visits[at, taken] += 1
                rate = s.rate if s.power == 0.0 else s.rate * np.float64(visits[at, taken]) ** -s.power
                values[at, taken] += rate * (held.reward + held.weight * value - values[at, taken])
            held.row = -1
            if acting[i, a]:
                held.row, held.action, held.reward, held.weight = np.int64(place), action, 0.0, 1.0
                actions[i, a] = action
        s.episodes += finished[i]
    return True


def _look_up(memory, keys, values, observations, columns, masks, agents, actions):
    """The actions (N, S) of largest value; in unknown states any legal one."""
    s = memory[0]
    for i in range(np.uint64(0), np.uint64(observations.shape[0])):
        for k in range(np.uint64(0), np.uint64(observations.shape[1])):
            place = find(keys, hash_bytes(observations[i, k], columns, np.uint64(agents[k])))
            if keys[place] != 0:
                actions[i, k] = _greedy(s, values[place], masks[i, k])
            else:
                actions[i, k] = choose_legal(s, masks[i, k])


def _place(keys, row, columns, agent):
    """The position of a state in a table, or the position where it would be."""
    return find(keys, hash_bytes(row, columns, np.uint64(agent)))


def _enter(keys, new, places):
    """Put keys that are not there into a table, and note where."""
    for k in range(new.shape[0]):
        place = find(keys, new[k])
        keys[place] = new[k]
        places[k] = place


@cache
def _compiled(template: Any) -> Any:
    return bind(template, f"tabular.{template.__name__}")


def _bytes(observations: np.ndarray) -> np.ndarray:
    """(N, S, ...) of any dtype as (N, S, B) uint8."""
    return np.ascontiguousarray(observations).reshape(*observations.shape[:2], -1).view(np.uint8)


class GreedyPolicy(Policy):
    """Takes the action of largest value in a learner's table; in states that are not in it, any legal one."""

    name = "greedy"

    def __init__(self, world: World, keys: np.ndarray, values: np.ndarray):
        self.world, self.keys, self.values = world, keys, values
        self._memory = np.zeros(1, _NUMBERS)

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        """Restart the stream that breaks ties."""
        fresh = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)
        self._memory["rng"] = stream_starts([fresh % 2**64])

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> int:
        return int(self.act_batch(*single(self.world, observation, mask, agent), [agent])[0, 0])

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        actions = np.zeros(masks.shape[:2], np.int64)
        numbers = np.asarray(agents, np.int64)
        seen, allowed = _bytes(observations), np.ascontiguousarray(masks, np.int8)
        columns = data_bytes(self.world.slot, seen.shape[2])
        _compiled(_look_up)(self._memory, self.keys, self.values, seen, columns, allowed, numbers, actions)
        return actions

    def get_state(self) -> bytes:
        return self._memory.tobytes()

    def set_state(self, state: bytes) -> None:
        self._memory = np.frombuffer(state, _NUMBERS).copy()


class TabularLearner(metaclass=Checked):
    """Learns a table of action values by playing N copies of a world at once.

    Two states are the same if their observations are equal. For all practical purposes different states have different
    hashes: among a million states, the chance of two equal hashes is 5e-8.

    Args:
        world: the world to learn.
        rule: "q-learning" or "sarsa", see the module.
        opponents: policies, or their names, of agents that do not learn; all others do, each with values of its own.
        num: N; the copies share the table and are updated in order.
        discount: of a reward one transition later, 0 to 1.
        rate: the share of the difference to its target by which a value is corrected, above 0, at most 1.
        power: with a power above 0, rates fall as n^-power in the number n of a value's updates; between 1/2 and 1
            values then converge where chance is involved (Even-Dar and Mansour, "Learning Rates for Q-learning", 2003).
        initial: the value of actions that have not been tried; high values make the learner try all.
        capacity: the number of states that the table can hold; with K actions each takes 8 to 16 (1.5 K + 1) bytes.
        seed: of the episodes and the exploration.

    Attributes:
        transitions: transitions of the N worlds so far.
    """

    def __init__(
        self,
        world: World,
        rule: Literal["q-learning", "sarsa"] = "q-learning",
        *,
        opponents: Mapping[str, str | Policy] | None = None,
        num: int = 64,
        discount: Annotated[float, Between(0, 1)] = 0.99,
        rate: Annotated[float, Between(1e-12, 1)] = 0.1,
        power: Annotated[float, Between(0, 1)] = 0.0,
        initial: float = 0.0,
        capacity: Annotated[int, Between(1, 2**32)] = 100_000,
        seed: int = 0,
    ):
        world.require_actions("tabular learning")
        self.world, self.rule, self.batch = world, rule, Batch(world, num)
        self.transitions = 0
        self._opponents = Cast(world, opponents or {}, idle=range(len(world.agents)))
        self._capacity = capacity
        size = 1 << max(4, (capacity * 8 // 7).bit_length())
        shape = (num, len(world.agents))
        self._keys = np.zeros(size, np.uint64)
        self._values = np.zeros((size, world.num_actions))
        self._visits = np.zeros((size, world.num_actions), np.uint32)
        self._numbers = numbers = np.zeros(1, _NUMBERS)
        numbers["sarsa"], numbers["discount"], numbers["rate"] = rule == "sarsa", discount, rate
        numbers["power"], numbers["initial"] = power, initial
        self._learns = np.array([a not in self._opponents.seats for a in range(shape[1])])
        self._pending = np.zeros(shape, _PENDING)
        self._returns, self._sums = np.zeros(shape), np.zeros(shape[1])
        streams = stream_starts([(seed + k) % 2**64 for k in range(2)])
        numbers["rng"] = streams[0]
        self._opponents.reset(seed, num)
        self._begin(int(streams[1]))

    def _begin(self, seed: int | None = None) -> None:
        """New episodes in all copies."""
        self.batch.start(seed)
        self._pending["row"] = -1
        self._returns[:] = 0.0
        self._opponents.refresh(np.ones(self.batch.num, np.bool_))

    @property
    def states(self) -> int:
        """How many states the table holds, those of all agents together."""
        return int(self._numbers["states"][0])

    def learn(self, transitions: int, epsilon: float | tuple[float, float] = 0.1) -> np.ndarray:
        """Play and learn; episodes continue from where the last call left them.

        Args:
            transitions: the number for all N worlds together, rounded up to a multiple of N.
            epsilon: the probability that an agent takes a random action. A pair makes it change from the first to the
                second value in even steps over this call.

        Returns:
            (A,) each agent's mean return in the episodes that ended in this call, nan where none did.

        Raises:
            TableFullError: if it has met more states than the table can hold; `learn` cannot continue then.
        """
        batch, numbers = self.batch, self._numbers
        first, last = epsilon if isinstance(epsilon, tuple) else (epsilon, epsilon)
        if not (0 <= first <= 1 and 0 <= last <= 1):
            raise ParameterError(f"epsilon={epsilon!r} must be a probability, or two")
        steps = -(-transitions // batch.num)
        numbers["episodes"], self._sums[:] = 0, 0.0
        seen = _bytes(batch.observations)
        columns = data_bytes(self.world.slot, seen.shape[2])
        arguments = (
            numbers, self._keys, self._values, self._visits, self._pending, seen, columns, batch.masks, batch.acting,
            batch.actions, batch.rewards, batch.terminations, batch.truncations, batch.finished, self._learns,
            self._returns, self._sums,
        )  # fmt: skip
        advance = _compiled(_advance).entry(*arguments)
        for k in range(steps):
            numbers["epsilon"] = first + (last - first) * k / max(steps - 1, 1)
            self._choose(advance, arguments)
            batch.step()
            self.transitions += batch.num
        return self._sums / numbers["episodes"] if numbers["episodes"][0] else np.full_like(self._sums, np.nan)

    def _choose(self, advance: Any, arguments: tuple) -> None:
        batch = self.batch
        if not advance(*arguments):
            raise TableFullError(f"{self.world.id}: more than {self._capacity} states; give a larger capacity")
        over = batch.finished
        if over.any():
            self._opponents.refresh(over)
        self._opponents.choose(batch)

    def policy(self) -> GreedyPolicy:
        """The greedy policy of the present values, for all agents that learn; later learning does not change it."""
        return GreedyPolicy(self.world, self._keys.copy(), self._values.copy())

    def action_values(self, observation: np.ndarray, agent: int = 0) -> np.ndarray:
        """(K,) the values of an agent's observation, a slot (...) of a batch's observations; -inf where never legal.

        All nan in a state that is not in the table.
        """
        row = _bytes(np.asarray(observation).reshape(1, 1, *self.world.slot_shape))[0, 0]
        place = _compiled(_place)(self._keys, row, data_bytes(self.world.slot, len(row)), agent)
        return self._values[place].copy() if self._keys[place] else np.full(self.world.num_actions, np.nan)

    def save(self, path: str | Path) -> None:
        """Write the table to a file, in NumPy's .npz format."""
        rows = np.flatnonzero(self._keys)
        identity = json.dumps({**snapshot.identity(self.world, "table"), "rule": self.rule})
        with drafted(path) as draft, open(draft, "wb") as file:
            np.savez_compressed(
                file,
                identity=np.array(identity),
                keys=self._keys[rows],
                values=self._values[rows],
                visits=self._visits[rows],
                transitions=np.array(self.transitions),
            )

    def load(self, path: str | Path) -> None:
        """Continue from a table that `save` wrote; episodes and exploration start again.

        Raises:
            SnapshotError: if the table is of another world or another rule.
            TableFullError: if it has more states than this learner's table can hold.
        """
        with np.load(path, allow_pickle=False) as saved:
            theirs = json.loads(str(saved["identity"]))
            for name, own in {**snapshot.identity(self.world, "table"), "rule": self.rule}.items():
                if theirs.get(name) != own:
                    raise SnapshotError(f"the table has {name} {theirs.get(name)!r}, this learner {own!r}")
            keys = saved["keys"]
            if len(keys) > len(self._keys) - len(self._keys) // 8:
                raise TableFullError(f"{self.world.id}: {len(keys)} states are more than {self._capacity}")
            self._keys[:] = 0
            places = np.zeros(len(keys), np.int64)
            _compiled(_enter)(self._keys, keys, places)
            self._values[places], self._visits[places] = saved["values"], saved["visits"]
            self._numbers["states"] = len(keys)
            self.transitions = int(saved["transitions"])
        self._begin()
