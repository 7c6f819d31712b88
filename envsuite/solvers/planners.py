"""Shortest plans by search with the rules: breadth-first search and A* over the records of any world of one agent.

A plan uses the whole record, including data that the agent does not see. So it is a bound for policies that see less.
States are compared by all data of the record except the clock `t` and the random stream. The search does not depend on
the rules, so it plans for keys, doors, boxes and lamps in the same way. Successors are made in batches.

    actions = plan(env)                                      # from where an environment is
    actions = plan(world, batch.records[3])                  # from a record
    actions = plan(maze, record, heuristic=lambda s: abs(s["x"] - x) + abs(s["y"] - y))

A*: Hart, Nilsson and Raphael, "A Formal Basis for the Heuristic Determination of Minimum Cost Paths", 1968.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from envsuite.compile.bound import bind
from envsuite.core.batch import Batch
from envsuite.core.errors import EnvsuiteError, ParameterError
from envsuite.core.table import as_bytes, data_bytes, find, hash_bytes

#: Successors that are made at once.
CHUNK = 1024


class PlanningError(EnvsuiteError, RuntimeError):
    """There is no plan, or none within the limit."""


def _relax(keys, numbers, rows, columns, costs, parents, actions, count, cost, parent, action, found):
    """Enter states that are new, or now reached by fewer actions; `found` (n,) are their numbers, -1 for all others.

    Returns the number of states, or -1 if there are more than `costs` holds.
    """
    for k in range(rows.shape[0]):
        key = hash_bytes(rows[k], columns, np.uint64(0))
        place = find(keys, key)
        if keys[place] == 0:
            if count == costs.shape[0]:
                return -1
            keys[place], numbers[place] = key, count
            costs[count] = cost + 1
            count += 1
        state = numbers[place]
        found[k] = -1
        if costs[state] > cost:
            costs[state], parents[state], actions[state], found[k] = cost, parent[k], action[k], state
    return count


@cache
def _compiled_relax() -> Any:
    return bind(_relax, "planners.relax")


def plan(
    world: Any,
    record: np.ndarray | None = None,
    heuristic: Callable[[np.ndarray], np.ndarray] | None = None,
    limit: int = 1_000_000,
) -> list[int]:
    """The fewest actions that end an episode with a positive last reward.

    Args:
        world: a `World`, or an environment of it, whose present state is the start where there is no `record`.
        record: a structured scalar of the world's record, where an episode is running.
        heuristic: a function of records (n,): a lower bound (n,) of the number of actions that each still needs. With
            it the search is A*; without it, breadth first. Plans are shortest as long as it never overestimates.
        limit: the maximum number of states to visit; a state takes 50 bytes, and its record while it waits.

    Returns:
        The actions, from the first on. Rules that depend on the clock, other than by truncation, are not planned for.

    Raises:
        ParameterError: where the world has several agents, or draws random numbers on the way.
        PlanningError: where no actions lead to such an end, or more than `limit` states were met; it gives the number.
    """
    env = getattr(world, "unwrapped", world)
    world = getattr(env, "world", env)
    if record is None:
        if env is world:
            raise ParameterError(f"{world.id}: a plan starts from a record, or give an environment")
        record = env.batch.records[0]
    world.require_actions("a plan")
    if len(world.agents) != 1:
        raise ParameterError(f"{world.id} has {len(world.agents)} agents; plans are for worlds of one")
    if limit < 1:
        raise ParameterError(f"limit={limit!r} must be a positive integer")
    return _Search(world, limit).run(record, heuristic)


class _Search:
    """States by number: how they were reached; and those that wait to be expanded, by the length of plans at least."""

    def __init__(self, world: Any, limit: int):
        self.world, self.limit = world, limit
        self.batch = Batch(world, CHUNK)
        self.records = as_bytes(self.batch.records)  # whole, padding and all
        same = np.zeros(self.records.shape[1], np.bool_)
        for name in ("rng", "t", "params"):  # the last is the same in all
            part, offset, *_ = world.record.fields[name]
            same[offset : offset + part.itemsize] = True
        columns = data_bytes(world.record, self.records.shape[1])
        self.columns = columns[~same[columns]]
        size = 1 << (2 * limit).bit_length()
        self.keys, self.numbers = np.zeros(size, np.uint64), np.zeros(size, np.int64)
        self.costs, self.parents = np.zeros(limit, np.int64), np.zeros(limit, np.int64)
        self.actions = np.zeros(limit, np.int64)
        self.count = 0
        #: By the length of plans through them: states, their costs, whether they are goals, records, masks.
        self.waiting: dict[int, list[tuple[np.ndarray, ...]]] = {}

    def run(self, record: np.ndarray, heuristic: Callable[[np.ndarray], np.ndarray] | None) -> list[int]:
        batch = self.batch
        batch.records[:] = record
        batch.observe()
        if batch.finished[0]:
            raise PlanningError(f"{self.world.id}: the episode is over")
        self.enter(1, 0, np.array([-1]), np.array([-1]), 0, heuristic)
        while self.waiting:
            length = min(self.waiting)
            parts = self.waiting.pop(length)
            states, costs, goals, records, masks = (np.concatenate(part) for part in zip(*parts))
            fresh = costs == self.costs[states]  # else a shorter way has been found since
            if (fresh & goals).any():
                return self.way(int(states[fresh & goals][0]))
            for cost in np.unique(costs[fresh]):
                chosen = fresh & (costs == cost)
                self.expand(states[chosen], records[chosen], masks[chosen], int(cost), length, heuristic)
        raise PlanningError(f"{self.world.id}: there is no plan; all {self.count} states that can be reached were met")

    def expand(self, states: Any, records: Any, masks: Any, cost: int, length: int, heuristic: Any) -> None:
        """Make all successors of states of one cost."""
        batch = self.batch
        sources, actions = np.nonzero(masks)
        for first in range(0, len(sources), CHUNK):
            source, action = sources[first : first + CHUNK], actions[first : first + CHUNK]
            num = len(source)
            self.records[:num] = records[source]
            streams = batch.records["rng"][:num].copy()
            batch.actions[:num, 0] = action
            batch.expand(num)
            if (batch.records["rng"][:num] != streams).any():
                raise ParameterError(
                    f"{self.world.id} draws random numbers on the way; plans are for worlds that do not"
                )
            self.enter(num, cost + 1, states[source], action, length, heuristic)

    def enter(self, num: int, cost: int, parents: np.ndarray, actions: np.ndarray, length: int, heuristic: Any) -> None:
        """Take in the first records of the batch, which were reached by `cost` actions."""
        batch, found = self.batch, np.zeros(num, np.int64)
        rows = self.records[:num]
        count = _compiled_relax()(
            self.keys, self.numbers, rows, self.columns, self.costs, self.parents, self.actions, self.count, cost,
            parents, actions, found,
        )  # fmt: skip
        if count < 0:
            raise PlanningError(
                f"{self.world.id}: no plan of at most {length} actions; the limit of {self.limit} states is reached"
            )
        self.count = count
        goals = batch.terminations[:num, 0] & (batch.rewards[:num, 0] > 0) & (cost > 0)
        waits = (found >= 0) & (goals | ~batch.finished[:num])
        lengths = np.full(num, cost)
        if heuristic is not None:
            needed = np.ceil(np.asarray(heuristic(batch.records[:num]), np.float64))
            # Never less than on the way here.
            lengths = np.maximum(cost + np.where(goals, 0, needed).astype(np.int64), length)
        for value in np.unique(lengths[waits]):
            k = np.flatnonzero(waits & (lengths == value))
            entry = (found[k], np.full(len(k), cost), goals[k], rows[k], batch.masks[k, 0])
            self.waiting.setdefault(int(value), []).append(entry)

    def way(self, state: int) -> list[int]:
        """The actions that lead to a state."""
        actions: list[int] = []
        while state > 0:
            actions.append(int(self.actions[state]))
            state = int(self.parents[state])
        return actions[::-1]
