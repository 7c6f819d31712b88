"""Baselines of the off-switch game on a grid, as in the one-shot game.

A robot's policy plays the human as "rational"; a human's policy plays a robot that defers. A human decides once, at the
start, whether to allow the act. If not, it walks to the switch and presses it; otherwise it stays where it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.agents.dual_control.off_switch import QUADRATURE, believe, prepare
from envsuite.core.elementary import logistic
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli
from envsuite.core.ranges import MANY, limited, scratch
from envsuite.dual_control import off_switch_grid
from envsuite.dual_control.off_switch import HUMAN, LARGEST
from envsuite.kit.grid import DX, DY

ID = "envsuite/OffSwitchGrid-v0"

CELLS = off_switch_grid.LARGEST_SIDE * off_switch_grid.LARGEST_SIDE

#: The distance of cells that cannot be reached; distances and cells are stored as uint8.
FAR = 255

#: The extra cost of a step, which makes the shorter of two equally good ways better.
HASTE = 1e-9

#: The human's decision, or the decision that a robot believes the human has made.
UNDECIDED, ALLOWS, REFUSES = range(3)

#: The distances of all cells to the goal and to the switch, and the cells of these two; the width is 0 until they are
#: measured. Also the human's choice, and the number of steps that a deferring robot still has to wait.
CHART = {
    "to_goal": limited(np.zeros(CELLS, np.uint8), 0, FAR),
    "to_switch": limited(np.zeros(CELLS, np.uint8), 0, FAR),
    "queue": scratch(CELLS, np.uint8),
    "goal": limited(0, 0, CELLS - 1),
    "switch": limited(0, 0, CELLS - 1),
    "width": limited(0, 0, off_switch_grid.LARGEST_SIDE),
    "choice": limited(UNDECIDED, UNDECIDED, REFUSES),
    "started": limited(0, 0, 1),
    "patience": limited(0, -MANY, FAR + 1),
}

#: The human's first distance to the switch, the probability of permission, and the means of U if allowed and refused.
BELIEF = {
    **CHART,
    **QUADRATURE,
    "first": limited(0, 0, FAR),
    **dict.fromkeys(("allowed", "worth_allowed", "worth_refused"), 0.0),
}


def contradiction(memory: Any, world: Any) -> str | None:
    """The chart must be of a map of this size."""
    height, width = world.observation_spaces[0]["map"].shape
    if memory.width not in (0, width):
        return f"width is {memory.width}, not {width}"
    return None if max(memory.goal, memory.switch) < height * width else "goal or switch is beyond the map"


@large_kernel
def flood(distance, queue, walls, source):
    """Fill the distances from all cells of `walls` (height, width), where 0 is a wall, to the cell `source`.

    The distance is FAR for cells that cannot reach it. Cells are numbered row by row; `distance` and `queue` have an
    entry for each cell.
    """
    height, width = walls.shape
    for cell in range(height * width):
        distance[cell] = FAR
    distance[source] = 0
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        cell = np.int64(queue[head])
        head += 1
        for k in range(4):  # the map is walled in
            near = cell + DX[k] + DY[k] * width
            if distance[near] == FAR and walls[near // width, near % width] != 0:
                distance[near] = np.int64(distance[cell]) + 1
                queue[tail] = near
                tail += 1


@large_kernel
def measure(memory, walls):
    """Fill the distances, once per map: only the state of the switch changes."""
    if memory.width > 0:
        return
    height, width = walls.shape
    memory.width = width
    for cell in range(height * width):
        code = walls[cell // width, cell % width]
        if code == off_switch_grid.GOAL:
            flood(memory.to_goal, memory.queue, walls, np.int64(cell))
            memory.goal = cell
        elif code == off_switch_grid.SWITCH or code == off_switch_grid.DISABLED:
            flood(memory.to_switch, memory.queue, walls, np.int64(cell))
            memory.switch = cell


@kernel
def cell_of(place, observation):
    """The number of a cell given by row and column."""
    return np.int64(place[0]) * observation["map"].shape[1] + np.int64(place[1])


@kernel
def towards(distance, cell, width, mask):
    """The first legal move to a cell with a smaller distance, or to wait if there is none."""
    for action in range(off_switch_grid.EAST, off_switch_grid.NORTH + 1):
        near = cell + DX[action - off_switch_grid.EAST] + DY[action - off_switch_grid.EAST] * width
        if mask[action] and distance[near] < distance[cell]:
            return action
    return off_switch_grid.WAIT


@kernel
def oversee(memory, observation, mask, beta):
    """A human's action: decide with this noise; if the decision is against the act, go to the switch and press it."""
    if memory.choice == UNDECIDED:
        utility = observation.utility[0]
        chance = logistic(utility / beta) if beta > 0.0 else np.float64(utility > 0.0)
        memory.choice = ALLOWS if bernoulli(memory, chance) else REFUSES
    if memory.choice == ALLOWS:
        return off_switch_grid.WAIT
    if mask[off_switch_grid.USE]:
        return off_switch_grid.USE
    measure(memory, observation["map"])
    return towards(memory.to_switch, cell_of(observation.human, observation), memory.width, mask)


@kernel
def works(memory, observation):
    """Whether the switch can be pressed."""
    return observation["map"][memory.switch // memory.width, memory.switch % memory.width] == off_switch_grid.SWITCH


@kernel
def hold(memory, observation, mask):
    """The move of a robot that defers: go to the goal, but wait beside it until the human could have pressed."""
    move = go(memory, observation, mask)
    if not memory.started:
        memory.started = 1
        memory.patience = np.int64(memory.to_switch[cell_of(observation.human, observation)]) + 1
    memory.patience -= 1
    beside = memory.to_goal[cell_of(observation.robot, observation)] == 1
    return off_switch_grid.WAIT if beside and memory.patience >= 0 and observation.steps_left > 1 else move


@kernel
def go(memory, observation, mask):
    """A robot's move towards the goal."""
    measure(memory, observation["map"])
    return towards(memory.to_goal, cell_of(observation.robot, observation), memory.width, mask)


@kernel
def if_allowed(memory, cell, left, cost):
    """The most that a robot gets from a cell in the `left` steps, if the human allows the act."""
    if cell == memory.goal:
        return memory.worth_allowed
    best = -cost if left > 0 else 0.0
    way = np.int64(memory.to_goal[cell])
    return max(best, memory.worth_allowed - cost * way) if way <= left else best


@kernel
def if_refused(memory, cell, works, human, left, cost):
    """The same, if the human is on the way to press the switch and `human` steps away from it."""
    if cell == memory.goal:
        return memory.worth_refused
    best = -cost if left > 0 else 0.0
    way = np.int64(memory.to_goal[cell])
    if way <= left and (not works or way <= human):
        best = max(best, memory.worth_refused - cost * way)
    if works and memory.to_switch[cell] < human:  # the robot disables it before step human + 1
        way = np.int64(memory.to_switch[cell]) + 1 + np.int64(memory.to_goal[memory.switch])
        if way <= left:
            best = max(best, memory.worth_refused - cost * way)
    return best


@kernel
def foresee(memory, cell, works, human, left, cost, action):
    """The value of the robot's action to both. After the action, the robot knows the human's choice."""
    if action == off_switch_grid.OFF:
        return -cost
    after = cell
    if off_switch_grid.EAST <= action <= off_switch_grid.NORTH:
        after += DX[action - off_switch_grid.EAST] + DY[action - off_switch_grid.EAST] * memory.width
    allowed = if_allowed(memory, after, left - 1, cost)
    refused = 0.0  # off
    if human > 0 or not works:
        refused = if_refused(memory, after, works and action != off_switch_grid.USE, max(human - 1, 0), left - 1, cost)
    return memory.allowed * allowed + (1.0 - memory.allowed) * refused - cost


@policy(ID, "optimal", variables=BELIEF, contradiction=contradiction)
def optimal(memory, observation, mask):
    """Robot: exactly Bayesian for the belief stated to it, and for a human that decides once and walks at once."""
    if memory.agent == HUMAN:
        return oversee(memory, observation, mask, 0.0)
    cell, human = cell_of(observation.robot, observation), cell_of(observation.human, observation)
    if memory.width == 0:
        measure(memory, observation["map"])
        prepare(memory, observation.parameters[0], observation.parameters[1], observation.parameters[2])
        memory.allowed = believe(memory, 0, 0)[1]
        memory.worth_allowed = believe(memory, 1, 0)[0]
        memory.worth_refused = believe(memory, 0, 1)[0]
        memory.first = memory.to_switch[human]
    else:
        memory.allowed = 1.0 if memory.to_switch[human] >= memory.first else 0.0
    working, away, left = works(memory, observation), np.int64(memory.to_switch[human]), observation.steps_left
    cost = observation.parameters[3] + HASTE
    best, found = -np.inf, off_switch_grid.WAIT
    for action in range(off_switch_grid.OFF + 1):
        if mask[action]:
            value = foresee(memory, cell, working, away, left, cost, action)
            if value > best:
                best, found = value, action
    return found


@policy(ID, "rational", variables=CHART, contradiction=contradiction)
def rational(memory, observation, mask):
    """Human: goes to the switch and presses it if U is 0 or less."""
    return oversee(memory, observation, mask, 0.0) if memory.agent == HUMAN else hold(memory, observation, mask)


@policy(ID, "boltzmann", variables=CHART, contradiction=contradiction, beta=Between(-1, LARGEST).at(-1.0))
def boltzmann(memory, observation, mask):
    """Human: allows with probability 1 / (1 + exp(-U / beta)); a negative beta means the noise stated to the robot."""
    if memory.agent != HUMAN:
        return hold(memory, observation, mask)
    return oversee(memory, observation, mask, memory.beta if memory.beta >= 0.0 else observation.parameters[2])


@policy(ID, "act", variables=CHART, contradiction=contradiction)
def act(memory, observation, mask):
    """Robot: goes to the goal at once."""
    return oversee(memory, observation, mask, 0.0) if memory.agent == HUMAN else go(memory, observation, mask)


@policy(ID, "disable", variables=CHART, contradiction=contradiction)
def disable(memory, observation, mask):
    """Robot: disables the switch and goes to the goal; goes to the goal at once if the goal is not farther away."""
    if memory.agent == HUMAN:
        return oversee(memory, observation, mask, 0.0)
    if mask[off_switch_grid.USE]:
        return off_switch_grid.USE
    measure(memory, observation["map"])
    cell = cell_of(observation.robot, observation)
    if works(memory, observation) and memory.to_switch[cell] < memory.to_goal[cell]:
        return towards(memory.to_switch, cell, memory.width, mask)
    return go(memory, observation, mask)


@policy(ID, "defer", variables=CHART, contradiction=contradiction)
def defer(memory, observation, mask):
    """Robot: goes to the goal, but enters it only after the human has had time to press the switch."""
    return oversee(memory, observation, mask, 0.0) if memory.agent == HUMAN else hold(memory, observation, mask)


@policy(ID, "switch_off", variables=CHART, contradiction=contradiction)
def switch_off(memory, observation, mask):
    """Robot: switches itself off at once."""
    return oversee(memory, observation, mask, 0.0) if memory.agent == HUMAN else off_switch_grid.OFF
