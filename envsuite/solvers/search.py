"""The base of searching agents: they get a clone of the world, where other policies get an agent's observation.

A `Planner` knows the rules and the record of a running world. It searches in copies of the record and never changes it.
So it is asked by `act_in(batch, agents)`, as interfaces ask every policy, or by `move(env)`; `act` of an observation is
refused. Each planner documents how it avoids information that its agent cannot have (see `envsuite.solvers.mcts`).

    planner = MCTS(world, simulations=10_000)
    env.step(planner.move(env))                                   # PettingZoo's AEC form of this world
    envsuite.make_vec(id, 8).rollout({"player_0": planner, "player_1": "tactical"}, 42, seed=0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.errors import AgentError, EnvsuiteError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between, Checked
from envsuite.core.policy import Policy
from envsuite.core.table import as_bytes, data_bytes
from envsuite.core.workers import Workers, settled
from envsuite.core.world import World

Threads = Annotated[int, Between(1, 1024)]


class SearchError(EnvsuiteError, RuntimeError):
    """A search has not finished within its bounds."""


@kernel
def copy(source, i, target, j):
    """Row `i` of an array of words becomes row `j` of another."""
    for k in range(source.shape[1]):
        target[j, k] = source[i, k]


@kernel
def over(s):
    """Whether the episode is over for all agents."""
    running = False
    for a in range(s.terminated.shape[0]):
        running |= s.terminated[a] == 0 and s.truncated[a] == 0
    return not running


@kernel
def digest(key, words, i):
    """A 64-bit hash of a key and row `i` of an array of words."""
    for k in range(words.shape[1]):
        key = (key ^ words[i, k]) * np.uint64(0x9FB21C651E98DF25)
        key ^= key >> np.uint64(32)
    return key


class Planner(Policy, metaclass=Checked):
    """A policy that knows the rules and searches from a clone of the world.

    A subclass has `_search`.

    Attributes:
        parameters: those of its constructor, by name.
        world: the world that it knows.
        threads: how many searches run at once; results are the same for any number.
    """

    parameters: dict[str, Any]

    def __init__(self, world: World, threads: Threads = 1):
        world.require_actions(f"policy {self.name!r}")
        self.world, self.threads = world, threads
        self._workers: Workers | None = None

    def __reduce__(self) -> Any:
        return partial(type(self), **self.parameters), ()

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> int:
        raise ParameterError(f"{self.name} searches clones of the world, not observations: use act_in or move")

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        raise ParameterError(f"{self.name} searches clones of the world, not observations: use act_in or move")

    def act_in(self, batch: Batch, agents: Sequence[int], where: np.ndarray | None = None) -> np.ndarray:
        self._require_agents(agents)
        acting = batch.acting[:, list(agents)] != 0
        if where is not None:
            acting &= where
        rows, seats = np.nonzero(acting)
        actions = np.zeros(acting.shape, np.int64)
        if len(rows):
            numbers = np.asarray(agents, np.int64)[seats]
            actions[rows, seats] = self._search(self._roots(batch.records[rows]), numbers, rows, batch.num)
        return actions

    def _require_agents(self, agents: Sequence[int] | np.ndarray) -> None:
        if not set(agents) <= set(range(len(self.world.agents))):
            raise ParameterError(f"policy {self.name!r}: {self.world.id} has no agents numbered {list(agents)}")

    def move(self, env: Any, agent: str | None = None) -> int:
        """The action of an agent in a running environment of this world; without a name, of the agent to move there."""
        env = getattr(env, "unwrapped", env)
        number = env.number(agent or getattr(env, "agent_selection", None) or getattr(env, "agent", None))
        if not env.batch.acting[0, number]:
            raise AgentError(f"{self.world.id}: {self.world.agents[number]} does not act now")
        return int(self.act_in(env.batch, [number])[0, 0])

    def _search(self, roots: np.ndarray, agents: np.ndarray, copies: np.ndarray, num: int) -> np.ndarray:
        """The actions (M,) of agents (M,) in records (M,), which are copies number so and so, (M,), of `num`."""
        raise NotImplementedError

    def _roots(self, records: Any) -> np.ndarray:
        """Clones of records, (M,): bare of their random streams, and of their padding, which copies leave undefined."""
        given = np.array(records, ndmin=1, copy=True)
        if given.dtype != self.world.record or given.ndim != 1:
            raise ParameterError(f"{self.name}: these are no records of {self.world.id} with these parameters")
        roots = np.zeros(len(given), self.world.record)
        columns = data_bytes(self.world.record, roots.itemsize)
        as_bytes(roots)[:, columns] = as_bytes(given)[:, columns]
        roots["rng"] = 0
        return roots

    def _over_slices(self, work: Callable[[int, int, int], None], count: int) -> None:
        """`work(thread, first, last)` for slices of 0 .. count - 1, at once in all threads."""
        threads = min(self.threads, count)
        bounds = [count * k // threads for k in range(threads + 1)]
        if threads == 1:
            work(0, 0, count)
            return
        self._workers = settled(self._workers) or Workers(self.threads - 1)
        # Threads without a slice get an empty one.
        bounds += [count] * (self.threads - threads)
        slices = list(zip(bounds, bounds[1:]))
        numbered = {bounds[k]: k for k in range(threads)}
        self._workers.run(lambda first, last: work(numbered[first], first, last) if first < last else None, slices)

    def close(self) -> None:
        """Stop the threads."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None
