"""Chemistry: agents that eat what they find, and agents that also bring molecules together."""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import BLOCKED, GOAL, OPEN, SEARCH, wander, way
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli
from envsuite.core.ranges import scratch
from envsuite.core.world import Between
from envsuite.kit.avatars import BEHIND, FLOOR, MIDDLE, NOOP, SELF, VIEW
from envsuite.social.chemistry import SWAP
from envsuite.social.chemistry.levels import BUSY, EMPTY, LETTERS, MOST_PARTS, MOST_REACTIONS

_ID = "envsuite/Chemistry-v0"

#: The agent's own row in its view.
_ROW = VIEW - 1 - BEHIND

#: How well two molecules go together: they react to something, or their reaction pays.
_USEFUL, _PAYS = 1, 2

_MEMORY = {
    **SEARCH,
    "bond": scratch(LETTERS * LETTERS),
    "eat": scratch(LETTERS, np.float64),
    "seen": scratch(LETTERS),
}

#: The neighbors of a place in a view.
_NEXT = np.array([(-1, 0), (0, -1), (0, 1), (1, 0)])


@large_kernel
def _study(memory, observation, least):
    """What molecules pay alone, if it is as much as `least`, how well two go together, and which are in view."""
    reactants, products = observation["reactants"], observation["products"]
    for m in range(LETTERS):
        memory.eat[m] = 0.0
        memory.seen[m] = 0
    for k in range(LETTERS * LETTERS):
        memory.bond[k] = 0
    for k in range(MOST_REACTIONS):
        first = reactants[k, 0]
        if first == 0:
            break
        if reactants[k, 1] == 0 and observation.pays[k] >= least:
            memory.eat[first] = max(memory.eat[first], np.float64(observation.pays[k]))
        made = False
        for i in range(MOST_PARTS):
            made |= products[k, i] > EMPTY
        if made or observation.pays[k] > 0:
            _link(memory, reactants, k, _PAYS if observation.pays[k] > 0 else _USEFUL)
    for i in range(VIEW):
        for j in range(VIEW):
            m = np.int64(observation["molecules"][i, j])
            if m < LETTERS:
                memory.seen[m] += 1


@kernel
def _link(memory, reactants, k, value):
    """Note that the reactants of a reaction go together."""
    for i in range(MOST_PARTS):
        for j in range(MOST_PARTS):
            one, other = np.int64(reactants[k, i]), np.int64(reactants[k, j])
            if i != j and one > EMPTY and other > EMPTY:
                at = one * LETTERS + other
                memory.bond[at] = max(memory.bond[at], value)


@kernel
def _ground(observation, i, j):
    """The molecule at a place of the view."""
    return np.int64(observation["molecules"][i, j]) if 0 <= i < VIEW and 0 <= j < VIEW else np.int64(0)


@kernel
def _partners(memory, observation, m, i, j, least):
    """How many molecules beside a place go together with this one."""
    count = 0
    for k in range(4):
        n = _ground(observation, i + _NEXT[k, 0], j + _NEXT[k, 1])
        count += n < LETTERS and memory.bond[m * LETTERS + n] >= least
    return count


@kernel
def _in_view(memory, m, least):
    """Whether a molecule that goes together with this one is in view."""
    found = False
    for n in range(LETTERS):
        found |= memory.bond[m * LETTERS + n] >= least and memory.seen[n] > (m == n)
    return found


@large_kernel
def _worth(memory, observation, held, i, j, build):
    """How much an agent wants to be at a place of its view, to swap or to wait there; 0 for not at all."""
    m = _ground(observation, i, j)
    if m == 0 or m == BUSY:
        return 0
    if held == EMPTY:
        if memory.eat[m] > 0.0:
            return 4
        if not build or m == EMPTY:
            return 0
        if _in_view(memory, m, _PAYS) and _partners(memory, observation, m, i, j, _PAYS) == 0:
            return 3
        return 2 if _in_view(memory, m, _USEFUL) and _partners(memory, observation, m, i, j, _USEFUL) == 0 else 0
    if _partners(memory, observation, held, i, j, _PAYS) > 0:
        return 4
    if m != EMPTY:
        return 0
    return min(_partners(memory, observation, held, i, j, _USEFUL), 3)


@large_kernel
def _go(memory, observation, held, build):
    """A step to the best place in view, SWAP or NOOP at it, or wander."""
    view, best = observation["view"], 0
    for i in range(VIEW):
        for j in range(VIEW):
            if view[i, j] == FLOOR or view[i, j] == SELF:
                best = max(best, _worth(memory, observation, held, i, j, build))
    if best > 0 and _worth(memory, observation, held, _ROW, MIDDLE, build) == best:
        waits = held != EMPTY and _partners(memory, observation, held, _ROW, MIDDLE, _PAYS) > 0
        return np.int64(NOOP if waits else SWAP)
    for i in range(VIEW):
        for j in range(VIEW):
            kind = OPEN if view[i, j] == FLOOR or view[i, j] == SELF else BLOCKED
            if kind == OPEN and best > 0 and _worth(memory, observation, held, i, j, build) == best:
                kind = GOAL
            memory.ground[i * VIEW + j] = kind
    step = way(memory, view) if best > 0 else np.int64(NOOP)
    return step if step != NOOP else wander(memory, view)


@policy(_ID, "grazer", variables=_MEMORY)
def grazer(memory, observation, mask):
    """Takes the nearest molecule that pays alone, and waits until it has reacted; else wanders."""
    _study(memory, observation, 0.0)
    held = np.int64(observation.carried[memory.agent])
    if held == BUSY or memory.eat[held] > 0.0:
        return np.int64(NOOP)
    if held != EMPTY and _ground(observation, _ROW, MIDDLE) == EMPTY:
        return np.int64(SWAP)
    return _go(memory, observation, np.int64(EMPTY), False)


@policy(_ID, "carrier", variables=_MEMORY, least=Between(0, 10).at(0.5), drop=Between(0, 1).at(0.02))
def carrier(memory, observation, mask):
    """Eats, and brings molecules that react with each other side by side.

    It reads the reactions. With empty hands it takes a molecule that pays `least` or more alone, then one whose
    reaction with another one in view pays, then one that makes something with another one in view but does not lie
    beside such a molecule. It lays it down beside a partner. Where the reaction pays, it waits there with it. Without
    a partner in view it wanders, and lays the molecule down with probability `drop` in a step.
    """
    _study(memory, observation, memory.least)
    held = np.int64(observation.carried[memory.agent])
    if held == BUSY or memory.eat[held] > 0.0:
        return np.int64(NOOP)
    if held != EMPTY and _ground(observation, _ROW, MIDDLE) == EMPTY:
        useless = True
        for n in range(LETTERS):
            useless &= memory.bond[held * LETTERS + n] == 0
        if useless or bernoulli(memory, memory.drop):
            return np.int64(SWAP)
    return _go(memory, observation, held, True)
