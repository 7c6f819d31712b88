"""Baselines of Planning: they search with their world's operators, one greedily and one for a shortest plan."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.random import mix
from envsuite.core.ranges import limited, scratch
from envsuite.kit.facts import clear, has, holds, put, words_for
from envsuite.kit.strips import applicable, apply

ID = "envsuite/Planning-v0"

#: The states that a search sees at most, and the slots to find them by their hashes: a power of two above that.
GREEDY, GREEDY_SLOTS = 3_000, 4_096
OPTIMAL, OPTIMAL_SLOTS = 12_000, 16_384

#: The longest plan that is followed, and the numbers of buckets of states by their promise.
LONGEST, BUCKETS = 500, 1024

#: How much `greedy` prefers states near the goal to states near the start.
WEIGHT = 3

#: The cost of a fact that cannot be reached.
NEVER = 30_000


def memory_of(most: int, slots: int, world: Any) -> dict[str, Any]:
    """The memory of a search over up to `most` states."""
    facts, words = len(world.task.facts), words_for(len(world.task.facts))
    first, literals = world.task.tables
    return {
        "first": first,
        "literals": literals,
        "goal": scratch(words, np.uint64),
        "state": scratch(words, np.uint64),
        "costs": scratch(facts),
        # Of each state: the state before and the operator between them, its depth, its estimated distance.
        "states": scratch((most, words), np.uint64),
        "before": scratch(most, np.int32),
        "by": scratch(most, np.int16),
        "depth": scratch(most, np.int16),
        "distance": scratch(most, np.int16),
        "closed": scratch(most, np.uint8),
        "slots": scratch(slots, np.int32),
        # Entries of buckets: a state, its depth then, and the next entry; a state may have several.
        "entry": scratch(2 * most, np.int32),
        "entered": scratch(2 * most, np.int16),
        "following": scratch(2 * most, np.int32),
        "buckets": scratch(BUCKETS, np.int32),
        "seen": limited(0, 0, most),
        "entries": limited(0, 0, 2 * most),
        "plan": limited(np.zeros(LONGEST, int), 0, len(world.task.operators) - 1),
        "planned": limited(0, 0, LONGEST),
        "done": limited(0, 0, LONGEST),
        "stuck": False,
    }


@large_kernel
def estimate(memory, state, additive):
    """The cost of the goal if nothing is deleted.

    The cost of several facts is the sum of theirs (additive), or the largest, which is never above the true distance.
    """
    costs = memory.costs
    for fact in range(costs.shape[0]):
        costs[fact] = 0 if has(state, fact) else NEVER
    changed = True
    while changed:
        changed = False
        for operator in range((memory.first.shape[0] - 1) // 3):
            cost = np.int64(0)
            for k in range(memory.first[3 * operator], memory.first[3 * operator + 1]):
                one = costs[np.uint64(memory.literals[k])]
                cost = cost + one if additive else max(cost, one)
            cost += 1
            for k in range(memory.first[3 * operator + 2], memory.first[3 * operator + 3]):
                fact = np.uint64(memory.literals[k])
                if cost < costs[fact]:
                    costs[fact] = cost
                    changed = True
    total = np.int64(0)
    for fact in range(costs.shape[0]):
        if has(memory.goal, fact):
            total = total + costs[np.uint64(fact)] if additive else max(total, costs[np.uint64(fact)])
    return min(total, NEVER)


@kernel
def same(one, other):
    """Whether two states are equal."""
    for k in range(one.shape[0]):
        if one[k] != other[k]:
            return False
    return True


@large_kernel
def place_of(memory, state):
    """The slot of a state, or the free one where it would be."""
    key = np.uint64(1)
    for k in range(state.shape[0]):
        key = mix(key ^ state[k])
    last = np.uint64(memory.slots.shape[0] - 1)
    slot = key & last
    while memory.slots[slot] != 0 and not same(memory.states[np.uint64(memory.slots[slot] - 1)], state):
        slot = slot + np.uint64(1) & last
    return slot


@large_kernel
def enter(memory, node, additive):
    """Put a state into a bucket."""
    if memory.entries < memory.entry.shape[0]:
        promise = np.int64(memory.distance[np.uint64(node)])
        promise = promise * (WEIGHT if additive else 1) + memory.depth[np.uint64(node)]
        bucket = np.uint64(min(promise, BUCKETS - 1))
        entry = np.uint64(memory.entries)
        memory.entry[entry] = node
        memory.entered[entry] = memory.depth[np.uint64(node)]
        memory.following[entry] = memory.buckets[bucket]
        memory.entries += 1
        memory.buckets[bucket] = memory.entries
        return np.int64(bucket)
    return np.int64(BUCKETS)


@large_kernel
def reach(memory, before, operator, additive):
    """Note that an operator leads from a state to `memory.state`; return the bucket of the new state, if it is new."""
    depth = 0 if before < 0 else memory.depth[np.uint64(before)] + 1
    slot = place_of(memory, memory.state)
    if memory.slots[slot] == 0:
        if memory.seen == memory.states.shape[0] or depth > LONGEST:
            return np.int64(BUCKETS)
        node = np.int64(memory.seen)
        memory.seen += 1
        memory.slots[slot] = node + 1
        for k in range(memory.state.shape[0]):
            memory.states[np.uint64(node), k] = memory.state[k]
        memory.closed[np.uint64(node)] = 0
        memory.distance[np.uint64(node)] = estimate(memory, memory.state, additive)
    else:
        node = np.int64(memory.slots[slot]) - 1
        if additive or depth >= memory.depth[np.uint64(node)]:
            return np.int64(BUCKETS)
    memory.before[np.uint64(node)] = before
    memory.by[np.uint64(node)] = operator
    memory.depth[np.uint64(node)] = depth
    if memory.distance[np.uint64(node)] == NEVER:
        return np.int64(BUCKETS)
    return enter(memory, node, additive)


@large_kernel
def expand(memory, node, additive):
    """Reach all states after a state; return the best of their buckets."""
    best = np.int64(BUCKETS)
    memory.closed[np.uint64(node)] = 1
    for operator in range((memory.first.shape[0] - 1) // 3):
        if applicable(memory.states[np.uint64(node)], memory.first, memory.literals, operator):
            for k in range(memory.state.shape[0]):
                memory.state[k] = memory.states[np.uint64(node), k]
            apply(memory.state, memory.first, memory.literals, operator)
            best = min(best, reach(memory, node, operator, additive))
    return best


@large_kernel
def search(memory, additive):
    """Plan from `memory.state` to the goal, or to the state that looks nearest to it; return the plan's length."""
    fill(memory.slots, 0)
    for k in range(BUCKETS):
        memory.buckets[k] = 0
    memory.seen, memory.entries = 0, 0
    bucket = reach(memory, -1, 0, additive)
    nearest = np.int64(0)
    while bucket < BUCKETS and memory.seen < memory.states.shape[0]:
        entry = np.int64(memory.buckets[np.uint64(bucket)]) - 1
        if entry < 0:
            bucket += 1
            continue
        memory.buckets[np.uint64(bucket)] = memory.following[np.uint64(entry)]
        node = np.int64(memory.entry[np.uint64(entry)])
        fresh = memory.entered[np.uint64(entry)] == memory.depth[np.uint64(node)]
        if fresh and memory.closed[np.uint64(node)] == 0:
            if memory.distance[np.uint64(node)] < memory.distance[np.uint64(nearest)]:
                nearest = node
            if holds(memory.states[np.uint64(node)], memory.goal):
                nearest = node
                break
            bucket = min(bucket, expand(memory, node, additive))
    count = np.int64(memory.depth[np.uint64(nearest)])
    for k in range(count):
        memory.plan[np.uint64(count - 1 - k)] = memory.by[np.uint64(nearest)]
        nearest = np.int64(memory.before[np.uint64(nearest)])
    return count


@kernel
def follow(memory, observation, mask, additive):
    """The next action of the plan; a new plan where there is none or it does not fit, a random action without one."""
    if memory.done < memory.planned and mask[np.uint64(memory.plan[np.uint64(memory.done)])] == 0:
        memory.planned = 0  # the state is not the expected one
    if memory.done >= memory.planned and not memory.stuck:
        clear(memory.goal)
        clear(memory.state)
        for fact in range(observation.facts.shape[0]):
            if observation.facts[fact] != 0:
                put(memory.state, fact)
            if observation.goal[fact] != 0:
                put(memory.goal, fact)
        memory.planned = search(memory, additive)
        memory.done = 0
        memory.stuck = memory.planned == 0
    if memory.done < memory.planned:
        action = memory.plan[np.uint64(memory.done)]
        if mask[np.uint64(action)] != 0:
            memory.done += 1
            return action
    return choose_legal(memory, mask)


@policy(ID, "greedy", variables=partial(memory_of, GREEDY, GREEDY_SLOTS))
def greedy(memory, observation, mask):
    """Searches for a plan greedily and follows it: by three times the cost of the goal's facts plus the steps so far.

    The cost of a fact is that without deletions, and that of several facts is their sum (h_add). A search sees up to
    3,000 states. If it finds no plan, the policy goes to the state with the least cost and searches again.
    """
    return follow(memory, observation, mask, True)


@policy(ID, "optimal", variables=partial(memory_of, OPTIMAL, OPTIMAL_SLOTS))
def optimal(memory, observation, mask):
    """Finds a shortest plan by A* and follows it: the cost of several facts is the largest of theirs (h_max).

    A search sees up to 12,000 states; in larger problems the policy goes to the state with the least estimated distance
    and searches again.
    """
    return follow(memory, observation, mask, False)
