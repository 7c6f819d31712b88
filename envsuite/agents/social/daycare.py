"""Children that try bananas in turn, or stay at one; parents that eat, that bring fruit, or that see what is wanted.

The page of the world has their returns.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import BLOCKED, GOAL, OPEN, SEARCH, go_act, seen_at, wander
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.core.world import Between
from envsuite.kit import avatars
from envsuite.social.daycare import CHILD, EAT, GRASP
from envsuite.social.daycare.view import HANDS, HANGING_APPLE, HANGING_BANANA, PICKED_APPLE, PICKED_BANANA

_ID = "envsuite/Daycare-v0"

#: The agent's own row in its view.
_ROW = avatars.VIEW - 1 - avatars.BEHIND

_PICKED = PICKED_APPLE | PICKED_BANANA

#: Rows below and columns to the right of a child of the cell that it faces, by its facing.
_DOWN = np.array([-1, 0, 1, 0])
_RIGHT = np.array([0, 1, 0, -1])

#: Steps for which a parent heeds a hand that it saw; for which it holds a fruit out, and carries one to the child.
_HEEDS, _WAITS, _BRINGS = 3, 12, 40

#: Steps for which a child turns to other bananas.
_STROLL = 25

_LONG = 10**9

_MEMORY = {
    **SEARCH,
    "pressed": limited(0, 0, 1),  # whether the last action was to grasp
    "tries": limited(0, 0, _LONG),  # of a child at this plant
    "stroll": limited(0, 0, _STROLL),  # steps for which a child takes no notice of bananas
    "since": limited(0, 0, _LONG),  # steps since a parent last served the child
    "heed": limited(0, 0, _HEEDS),  # steps for which a parent heeds the child's hand
    "serve": limited(0, 0, _BRINGS),  # steps for which what a parent holds is for the child
}


@large_kernel
def _look(memory, observation, goal, hands):
    """Classify the places of the view for `way`: fruit with one of the bits in `goal`, without one of these hands."""
    view, food = observation["view"], observation["food"]
    for i in range(avatars.VIEW):
        for j in range(avatars.VIEW):
            kind = OPEN if seen_at(view, i, j) == avatars.FLOOR else BLOCKED
            if kind == OPEN and food[i, j] & goal and food[i, j] & hands == 0:
                kind = GOAL
            memory.ground[i * avatars.VIEW + j] = kind


@kernel
def _press(memory, action):
    """The action, but a rest in place of a second grasp in a row."""
    if action == GRASP and memory.pressed:
        action = np.int64(avatars.NOOP)
    memory.pressed = action == GRASP
    return action


@kernel
def _has(memory, observation):
    """Whether an agent seems to hold a fruit: its hand is out to a picked one."""
    ahead = observation["food"][_ROW - 1, avatars.MIDDLE]
    return ahead & HANDS[0 if memory.agent == CHILD else 1] > 0 and ahead & _PICKED > 0


@large_kernel
def _child(memory, observation, patience):
    """Go to the nearest banana and grasp until it is there; after `patience` tries, stroll."""
    if _has(memory, observation):
        memory.tries = 0
        return _press(memory, np.int64(EAT))
    if memory.stroll > 0:
        memory.stroll -= 1
        _look(memory, observation, 0, 0)
        return _press(memory, wander(memory, observation["view"]))
    _look(memory, observation, HANGING_BANANA | PICKED_BANANA, 0)
    action = _press(memory, go_act(memory, observation["view"], GRASP))
    if action == GRASP:
        memory.tries += 1
        if memory.tries > patience:
            memory.tries = 0
            memory.stroll = _STROLL
    elif action != avatars.NOOP:
        memory.tries = 0
    return action


@kernel
def _forage(memory, observation):
    """A parent goes to the nearest fruit."""
    _look(memory, observation, HANGING_APPLE | PICKED_APPLE, HANDS[0])
    return _press(memory, go_act(memory, observation["view"], GRASP))


@kernel
def _find(view):
    """Where the child is in a parent's view, row * VIEW + column, or -1."""
    for i in range(avatars.VIEW):
        for j in range(avatars.VIEW):
            if avatars.PLAYER <= seen_at(view, i, j) < avatars.PLAYER + 4:
                return i * avatars.VIEW + j
    return -1


@large_kernel
def _wanted(memory, observation):
    """Where the fruit hangs to which the child has held its hand, row * VIEW + column, or -1."""
    view, food, child = observation["view"], observation["food"], _find(observation["view"])
    memory.heed = max(memory.heed - 1, 0)
    if child < 0:
        return -1
    facing = seen_at(view, child // avatars.VIEW, child % avatars.VIEW) & 3
    i, j = child // avatars.VIEW + _DOWN[facing], child % avatars.VIEW + _RIGHT[facing]
    if not (0 <= i < avatars.VIEW and 0 <= j < avatars.VIEW) or food[i, j] & HANGING_APPLE == 0:
        return -1
    if food[i, j] & HANDS[0]:
        memory.heed = _HEEDS
    return i * avatars.VIEW + j if memory.heed > 0 else -1


@policy(_ID, "forager", variables=_MEMORY, patience=Between(1, 1_000_000).at(8))
def forager(memory, observation, mask):
    """Forages alone.

    The child goes to the nearest banana and looks elsewhere after `patience` tries in vain. The parent eats the
    nearest fruit.
    """
    if memory.agent == CHILD:
        return _child(memory, observation, memory.patience)
    if _has(memory, observation):
        return _press(memory, np.int64(EAT))
    return _forage(memory, observation)


@policy(_ID, "carer", variables=_MEMORY, patience=Between(0, 1_000_000).at(120))
def carer(memory, observation, mask):
    """The child stays at a banana with its hand out; the parent picks what it sees the child reach for.

    The child goes to the nearest banana and grasps until it has one. The parent picks that fruit and holds it out. It
    forages in between, but looks for the child where it has not served it for `patience` steps.
    """
    if memory.agent == CHILD:
        return _child(memory, observation, _LONG)
    memory.since += 1
    wanted = _wanted(memory, observation)
    if _has(memory, observation):
        if memory.serve == 0:
            return _press(memory, np.int64(EAT))
        memory.serve -= 1
        return _press(memory, np.int64(avatars.NOOP))
    if memory.serve > 0:
        memory.serve = 0
        memory.since = 0
    if wanted >= 0:
        _look(memory, observation, 0, 0)
        memory.ground[wanted] = GOAL
        action = _press(memory, go_act(memory, observation["view"], GRASP))
        if action == GRASP:
            memory.serve = _WAITS
        return action
    if memory.since > memory.patience and _find(observation["view"]) < 0:
        _look(memory, observation, 0, 0)
        return _press(memory, wander(memory, observation["view"]))
    return _forage(memory, observation)


@policy(_ID, "provider", variables=_MEMORY, patience=Between(1, 1_000_000).at(40))
def provider(memory, observation, mask):
    """The parent brings the child some fruit every `patience` steps or later, and eats it if the child does not.

    It forages in between. The child forages alone.
    """
    if memory.agent == CHILD:
        return _child(memory, observation, 8)
    memory.since += 1
    if not _has(memory, observation):
        if memory.serve > 0:
            memory.serve = 0
            memory.since = 0
        action = _forage(memory, observation)
        if action == GRASP and memory.since > memory.patience:
            memory.serve = _BRINGS
        return action
    if memory.serve == 0:
        return _press(memory, np.int64(EAT))
    memory.serve -= 1
    if memory.serve == 0:
        memory.since = 0
    _look(memory, observation, 0, 0)
    child = _find(observation["view"])
    if child >= 0:
        memory.ground[child] = GOAL
    action = go_act(memory, observation["view"], GRASP)
    return _press(memory, np.int64(avatars.NOOP) if action == GRASP else action)
