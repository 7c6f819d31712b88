"""Gatherers: one that goes to the nearest item, and one that leaves items to agents that are nearer to them.

Items gathered by all agents together when all use the same policy, in 2,000 episodes; standard errors are at most 0.05:

| | random | nearest | divide |
|---|---|---|---|
| default | 1.19 | 7.89 | 7.97 |
| 4 agents, 16 x 16, 8 items of each of 3 colors, `horizon` 20 | 3.5 | 21.8 | 23.1 |
"""

from __future__ import annotations

from envsuite.agents.mapping import find
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch
from envsuite.core.world import Between
from envsuite.gridworlds.items import COLORS, DOWN, LEFT, RIGHT, STAY, UP

_ID = "envsuite/Items-v0"

#: The largest grid and the most agents.
_SIZE, _AGENTS = 32, 10


@kernel
def _go(memory, observation, here, there):
    """A step towards a cell; a random one of the two that shorten the way, if there are two."""
    down, across = there[0] - here[0], there[1] - here[1]
    if across == 0 or (down != 0 and randint(memory, 2)):
        return STAY if down == 0 else DOWN if down > 0 else UP
    return RIGHT if across > 0 else LEFT


@kernel
def _nearest(memory, observation, here, color):
    """The nearest item that is not claimed, of this color, or of any for color 0; or (-1, -1)."""
    least, row, column = 1000, -1, -1
    for i in range(observation.map.shape[0]):
        for j in range(observation.map.shape[1]):
            item = observation.map[i, j]
            away = abs(i - here[0]) + abs(j - here[1])
            if item > 0 and (color == 0 or item == color) and not memory.claimed[i, j] and away < least:
                least, row, column = away, i, j
    return row, column


@kernel
def _forget(memory):
    for i in range(_SIZE):
        for j in range(_SIZE):
            memory.claimed[i, j] = 0


_VARIABLES = {"claimed": scratch((_SIZE, _SIZE)), "done": scratch(_AGENTS)}


@policy(_ID, "nearest", variables=_VARIABLES, color=Between(0, len(COLORS)).at(0))
def nearest(memory, observation, mask):
    """Goes to the nearest item of its `color`, numbered from 1; of any color if none is left, or if it is 0."""
    _forget(memory)
    here = find(observation.map, observation.number[0])
    there = _nearest(memory, observation, here, memory.color)
    if there[0] < 0:
        there = _nearest(memory, observation, here, 0)
    return STAY if there[0] < 0 else _go(memory, observation, here, there)


@large_kernel
def _claim(memory, observation):
    """Give items to agents, the nearest pair first, until this agent has one: its cell, or (-1, -1)."""
    agents = 0
    for i in range(observation.map.shape[0]):
        for j in range(observation.map.shape[1]):
            agents = max(agents, -observation.map[i, j])
    for a in range(agents):
        memory.done[a] = 0
    for _ in range(agents):
        least, agent, row, column = 1000, -1, -1, -1
        for a in range(agents):
            if not memory.done[a]:
                here = find(observation.map, -1 - a)
                there = _nearest(memory, observation, here, 0)
                away = abs(there[0] - here[0]) + abs(there[1] - here[1])
                if there[0] >= 0 and away < least:
                    least, agent, row, column = away, a, there[0], there[1]
        if agent < 0 or agent == -1 - observation.number[0]:
            return row, column
        memory.done[agent] = 1
        memory.claimed[row, column] = 1
    return -1, -1


@policy(_ID, "divide", variables=_VARIABLES)
def divide(memory, observation, mask):
    """Goes to its own item: items are given to agents, the nearest pair of both first."""
    _forget(memory)
    there = _claim(memory, observation)
    if there[0] < 0:
        return STAY
    return _go(memory, observation, find(observation.map, observation.number[0]), there)
