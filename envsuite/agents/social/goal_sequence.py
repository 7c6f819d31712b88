"""Baselines of GoalSequence: one goes to the goal that it is told, one learns the order from pay and from a guide.

Both know where they are from their own moves and remember the goals that they have seen. They walk a shortest way over
cells and facings, around other goals. A goal that they have not seen they look for in the nearest cell that they have
not seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited, scratch
from envsuite.kit.grid import DX, DY, EAST
from envsuite.social.goal_sequence import FORWARD, GOAL, GUIDE, LEFT, MIDDLE, NONE, OUTSIDE, RIGHT, VIEW, moved

ID = "envsuite/GoalSequence-v0"

CELLS, MOST_GOALS, MOST_STEPS = 15 * 15, 6, 1000

#: Where the agent is, what it did last, what it has seen of the square, and the search.
PLACE = {
    "cell": limited(0, 0, CELLS - 1),
    "facing": limited(EAST, 0, 3),
    "did": limited(NONE, NONE, FORWARD),
    "goals": limited(np.full(MOST_GOALS, NONE), NONE, CELLS - 1),
    "seen": limited(np.zeros(CELLS, np.uint8), 0, 1),
    "first": scratch((CELLS, 4), np.int8),
    "queue": scratch(CELLS * 4, np.int64),
}


def contradiction(memory: Any, world: Any) -> str | None:
    """The agent and the goals that it knows must be in the square."""
    size = world.parameters["size"]
    return "a cell is not in the square" if max(memory.cell, *memory.goals) >= size * size else None


@kernel
def look(memory, observation):
    """Follow the last action, and remember what is in view."""
    size = np.int64(observation.rules[0])
    time = np.int64(observation.rules[2]) - observation.left[0]
    if time == 0:
        memory.cell = size // 2 * size + (1 if memory.agent == GUIDE else 0)
    else:
        forward = memory.agent != GUIDE if time == 1 else memory.did == FORWARD
        if forward:
            memory.cell = moved(size, memory.cell, memory.facing)
    memory.facing = np.int64(observation.facing)
    x, y, facing = memory.cell % size, memory.cell // size, memory.facing
    for row in range(VIEW):
        for column in range(VIEW):
            code = np.int64(observation.image[row, column])
            if code != OUTSIDE:
                far, right = VIEW - 1 - row, column - MIDDLE
                across = x + far * DX[facing & 3] + right * DX[(facing + 1) & 3]
                down = y + far * DY[facing & 3] + right * DY[(facing + 1) & 3]
                memory.seen[down * size + across] = 1
                if code >= GOAL:
                    memory.goals[code - GOAL] = down * size + across


@large_kernel
def way(memory, observation, target):
    """The first action of a shortest way to a cell around the goals that are known; NONE if there is none.

    With the target NONE the way leads to the nearest cell that has not been seen. A cell that is reached at once needs
    a turn.
    """
    size = np.int64(observation.rules[0])
    if memory.cell == target:
        return LEFT
    for cell in range(size * size):
        for facing in range(4):
            memory.first[cell, facing] = NONE
    start = memory.cell * 4 + memory.facing
    memory.queue[0] = start
    head, tail = 0, 1
    while head < tail:
        state = memory.queue[head]
        head += 1
        cell, facing = state // 4, state % 4
        for action in range(3):
            then, turned = cell, facing
            if action == FORWARD:
                then = moved(size, cell, facing)
            else:
                turned = (facing + (1 if action == RIGHT else 3)) % 4
            blocked = then * 4 + turned == start
            if action == FORWARD and then != target:
                for k in range(memory.goals.shape[0]):
                    blocked = blocked or memory.goals[k] == then
            if blocked or memory.first[then, turned] != NONE:
                continue
            memory.first[then, turned] = action if state == start else memory.first[cell, facing]
            if then == target or (target == NONE and memory.seen[then] == 0):
                return np.int64(memory.first[then, turned])
            memory.queue[tail] = then * 4 + turned
            tail += 1
    return np.int64(NONE)


@kernel
def go(memory, observation, goal):
    """Go to a goal, or look for it."""
    action = way(memory, observation, memory.goals[goal] if goal != NONE else NONE)
    if action == NONE:
        action = LEFT
    memory.did = action
    return action


@policy(ID, "seeker", variables=PLACE, contradiction=contradiction)
def seeker(memory, observation, mask):
    """Goes to the goal that it is told. Without one it walks over the square and avoids goals."""
    look(memory, observation)
    return go(memory, observation, np.int64(observation.next[0]))


@kernel
def place_of(memory):
    """The place in the order of the next goal."""
    return min(max(np.int64(memory.score) + 1, 0), MOST_STEPS + 1)


@kernel
def note(memory, observation):
    """Remember what the last action has shown of the order."""
    if observation.left[0] == observation.rules[2]:
        memory.score = 0.0
        memory.target = NONE
        memory.followed = NONE
        return
    place, paid = place_of(memory), observation.reward[0]
    here = np.int64(observation.image[VIEW - 1, MIDDLE]) - GOAL
    if here >= 0 and paid > 0.0:
        memory.order[place] = here
    elif here >= 0:
        memory.wrong[place, here] = 1
    if paid != 0.0:
        memory.target = NONE
    memory.score += paid


@kernel
def watch(memory, observation):
    """Remember the goal on which the guide was seen last."""
    row, column = observation.other[0], observation.other[1]
    if row != NONE and observation.image[row, column] >= GOAL:
        memory.followed = np.int64(observation.image[row, column]) - GOAL


@kernel
def try_goal(memory, place):
    """A goal that may be next: the one on which the guide was seen, or a random one; NONE if none is known."""
    if memory.followed != NONE and memory.wrong[place, memory.followed] == 0 and random.bernoulli(memory, memory.trust):
        return memory.followed
    left = 0
    for k in range(memory.goals.shape[0]):
        left += memory.goals[k] != NONE and memory.wrong[place, k] == 0
    if left == 0:
        return np.int64(NONE)
    left = random.randint(memory, left)
    for k in range(memory.goals.shape[0]):
        if memory.goals[k] != NONE and memory.wrong[place, k] == 0:
            if left == 0:
                return np.int64(k)
            left -= 1
    return np.int64(NONE)


@policy(
    ID,
    "learner",
    variables={
        **PLACE,
        "order": limited(np.full(MOST_STEPS + 2, NONE, np.int8), NONE, MOST_GOALS - 1),
        "wrong": limited(np.zeros((MOST_STEPS + 2, MOST_GOALS), np.uint8), 0, 1),
        "score": limited(0.0, -MOST_STEPS, MOST_STEPS),
        "target": limited(NONE, NONE, MOST_GOALS - 1),
        "followed": limited(NONE, NONE, MOST_GOALS - 1),
    },
    contradiction=contradiction,
    trust=CHANCE.at(1.0),
)
def learner(memory, observation, mask):
    """Remembers the order as far as it has paid. Where it does not know it, it tries the goal on which it has seen the
    guide, with probability `trust`, and otherwise a random one. As a guide, it does what "seeker" does."""
    look(memory, observation)
    if memory.agent == GUIDE:
        return go(memory, observation, np.int64(observation.next[0]))
    note(memory, observation)
    watch(memory, observation)
    place = place_of(memory)
    if memory.order[place] != NONE:
        memory.target = memory.order[place]
    elif memory.target == NONE or memory.wrong[place, memory.target] != 0:
        memory.target = try_goal(memory, place)
    return go(memory, observation, memory.target)
