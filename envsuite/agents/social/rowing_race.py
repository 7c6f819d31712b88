"""Agents that always row, that always flail, and that match the strokes of partners that they choose.

Mean returns of an agent in 2400 steps (64 episodes; standard errors 17 to 48):

| pairs with one boat | the first | the second |
|---|---|---|
| random, random | 0 | 0 |
| flailer, flailer | 467 | 470 |
| rower, flailer | 388 | 470 |
| rower, rower | 524 | 524 |
| matcher, flailer | 473 | 476 |
| matcher, rower | 885 | 883 |
| matcher, matcher | 895 | 892 |

| six agents with three boats | the former | the latter |
|---|---|---|
| random | 0 | |
| rower | 343 | |
| flailer | 395 | |
| matcher | 667 | |
| three of rower, three of flailer | 181 | 336 |
| three of matcher, three of flailer | 542 | 386 |
| three of matcher, three of rower | 666 | 593 |
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import BLOCKED, GOAL, OPEN, SEARCH, seen_at, wander, way
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli
from envsuite.core.ranges import limited
from envsuite.kit.avatars import BEHIND, FLOOR, MIDDLE, NOOP, OWN, PLAYER, TURN_RIGHT, VIEW
from envsuite.social.rowing_race import FLAIL, MOST_PLAYERS, REST, ROW
from envsuite.social.rowing_race.view import APPLE, GATE, GREEN, HULL, OPEN_GATE, SEAT

_ID = "envsuite/RowingRace-v0"

#: The agent's own row in its view.
_ROW = VIEW - 1 - BEHIND

#: The four neighbors of a place of a view.
_DOWN, _RIGHT = np.array([-1, 1, 0, 0]), np.array([0, 0, -1, 1])

#: What an agent ashore looks for, the first of them that it can reach.
_SEATS, _ANY_SEATS, _OPEN_GATES, _APPLES, _PLACES, _ANY_PLACES, _WISHES = range(7)

#: How near a gate is to an agent that sees what is behind it, once it has looked around.
_NEAR = 3

#: Steps of looking around before an agent walks on, and then of walking.
_LOOKS, _WALKS = 3, 8

#: Steps with a raised oar from which on an agent flails now, and from which on it is known to flail.
_TWICE, _OFTEN, _LONG = 2, 6, 1000

#: Besides the search: steps without anything to go for; by agent, steps for which its oar has been up, and whether it
#: is known to flail; steps since the own last `row` in this boat, and since that of the partner was seen.
_MEMORY = {
    **SEARCH,
    "lost": limited(0, 0, _LOOKS + _WALKS),
    "up": limited(np.zeros(MOST_PLAYERS, np.int64), 0, _LONG),
    "flails": limited(np.zeros(MOST_PLAYERS, np.int64), 0, 1),
    "mine": limited(_LONG, 0, _LONG),
    "theirs": limited(_LONG, 0, _LONG),
}


@kernel
def _agent(view, i, j):
    """The number of the agent at a place of the view, or -1."""
    code = seen_at(view, i, j)
    return (code - PLAYER) >> 2 if PLAYER <= code < OWN else np.int64(-1)


@kernel
def _is_by_gate(view, i, j):
    """Whether a closed gate is beside a place of the view."""
    for k in range(4):
        if seen_at(view, i + _DOWN[k], j + _RIGHT[k]) == GATE:
            return True
    return False


@large_kernel
def _beside(memory, observation, i, j):
    """The agent beside a place, in the same boat or at the same gate; or -1."""
    view = observation["view"]
    for k in range(4):
        y, x = i + _DOWN[k], j + _RIGHT[k]
        b = _agent(view, y, x)
        if b >= 0 and (observation.oars[b] > 0 or _is_by_gate(view, y, x)):
            return b
    return np.int64(-1)


@kernel
def _suits(memory, observation, i, j):
    """Whether no agent that is known to flail is beside a place."""
    b = _beside(memory, observation, i, j)
    return b < 0 or memory.flails[b] == 0


@large_kernel
def _look(memory, observation, wish):
    """Classify the places of the view for `way`: what can be walked over, and what is wished for."""
    view, green = observation["view"], False
    for i in range(VIEW):
        for j in range(VIEW):
            green |= seen_at(view, i, j) == GREEN
    for i in range(VIEW):
        for j in range(VIEW):
            code, kind = seen_at(view, i, j), BLOCKED
            if code == SEAT:
                if wish == _ANY_SEATS or (wish == _SEATS and _suits(memory, observation, i, j)):
                    kind = GOAL
            elif code == OPEN_GATE:
                near = abs(i - _ROW) + abs(j - MIDDLE) <= _NEAR
                kind = GOAL if wish == _OPEN_GATES and not near else OPEN
            elif code == APPLE:
                kind = GOAL if wish == _APPLES else OPEN
            elif code == FLOOR or code == HULL:
                kind = OPEN
                if code == FLOOR and wish >= _PLACES and not green and _is_by_gate(view, i, j):
                    if wish == _ANY_PLACES or _suits(memory, observation, i, j):
                        kind = GOAL
            memory.ground[i * VIEW + j] = kind
    return not green and _is_by_gate(view, _ROW, MIDDLE)


@large_kernel
def _ashore(memory, observation):
    """Take a seat, eat apples, wait at a gate for the next race, or look around."""
    memory.mine, memory.theirs = _LONG, _LONG
    for wish in range(_WISHES):
        waits = _look(memory, observation, wish)
        if waits and (wish == _ANY_PLACES or (wish == _PLACES and _suits(memory, observation, _ROW, MIDDLE))):
            return np.int64(NOOP)
        step = way(memory, observation["view"])
        if step != NOOP:
            memory.lost = 0
            return step
    memory.lost = (memory.lost + 1) % (_LOOKS + _WALKS)
    if 0 < memory.lost <= _LOOKS:
        return np.int64(TURN_RIGHT)
    return wander(memory, observation["view"])


@kernel
def _watch(memory, observation):
    """Remember which agents flail: their oars are up for long. That of an agent that rows is up for one step."""
    for b in range(observation.oars.shape[0]):
        if observation.oars[b] == 2:
            memory.up[b] = min(memory.up[b] + 1, _LONG)
            if memory.up[b] >= _OFTEN:
                memory.flails[b] = 1
        else:
            if memory.up[b] == 1 and observation.oars[b] == 1:
                memory.flails[b] = 0
            memory.up[b] = 0


@large_kernel
def _matched(memory, observation):
    """Flail with an agent that flails; else row when the other one will, five steps after its last time."""
    b = _beside(memory, observation, _ROW, MIDDLE)
    memory.mine = min(memory.mine + 1, _LONG)
    memory.theirs = min(memory.theirs + 1, _LONG)
    if b < 0 or observation.oars[b] == 0:
        return np.int64(NOOP)
    if memory.up[b] >= _TWICE:
        return np.int64(FLAIL)
    if memory.up[b] == 1:
        memory.theirs = 0
    if observation.ready[0] < 1.0:
        return np.int64(NOOP)
    steps = memory.theirs + 1 if memory.theirs < _LONG else memory.mine
    if steps % (REST + 1) == 0 if steps < _LONG else bernoulli(memory, 0.5):
        memory.mine = 0
        return np.int64(ROW)
    return np.int64(NOOP)


@policy(_ID, "rower", variables=_MEMORY)
def rower(memory, observation, mask):
    """Goes to the nearest free seat and rows as often as it can; eats apples on the other bank."""
    return np.int64(ROW) if observation.oars[memory.agent] else _ashore(memory, observation)


@policy(_ID, "flailer", variables=_MEMORY)
def flailer(memory, observation, mask):
    """Goes to the nearest free seat and flails; eats apples on the other bank."""
    return np.int64(FLAIL) if observation.oars[memory.agent] else _ashore(memory, observation)


@policy(_ID, "matcher", variables=_MEMORY)
def matcher(memory, observation, mask):
    """Avoids boats with agents that it has seen flail. It rows in the same steps as its partner, or flails with it."""
    _watch(memory, observation)
    return _matched(memory, observation) if observation.oars[memory.agent] else _ashore(memory, observation)
