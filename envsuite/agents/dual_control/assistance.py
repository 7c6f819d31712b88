"""Baselines of the assistance game. In the other role, a robot is a rational human, and a human a robot that waits.

What is exact and what is not: the belief of "bayes" is Bayes' rule applied to all that the human has done, exactly, for
a human like "boltzmann" with the noise that the robot is told ("rational" if none). Its planning is QMDP (Littman,
Cassandra and Kaelbling, 1995): the best action by its belief, as if the wanted kind were known from the next step on,
and then both went from one nearest wanted thing to the next, the human as slowly as his noise makes him. The page of
the world tells how far this is from the best robot. A robot whose prior is certain plans so with full information.

A human's action values are those of one who, alone, wants the next thing of the wanted kind: with V = discount ** d,
where d is the distance to the nearest one (0 without one), a move or to wait is worth discount V of the cell where it
ends, to take a wanted thing 1, and to take any other discount V - harm. "rational" takes one of the best actions, all
of them equally likely, "boltzmann" an action with probability proportional to exp(value / beta).
"""

from __future__ import annotations

import math

import numpy as np

from envsuite.agents.dual_control.off_switch_grid import CELLS, FAR, flood
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.random import categorical
from envsuite.dual_control.assistance import EAST, HUMAN, MOST_KINDS, MOST_THINGS, NORTH, TAKE, THING, WAIT
from envsuite.kit.grid import DX, DY
from envsuite.kit.powers import power

ID = "envsuite/Assistance-v0"

#: Actions whose values differ by less are equally good: to a human, and to a robot, whose first of them is done.
_EQUAL = 1e-12
_TIE = 1e-6

#: The things at the start, their cells and kinds, and which of them are left; steps to each of them from all cells.
CHART = {
    "count": 0,
    "width": 0,
    "place": np.zeros(MOST_THINGS, bool),
    "kind": np.zeros(MOST_THINGS, bool),
    "left": np.zeros(MOST_THINGS, bool),
    "way": np.zeros((MOST_THINGS, CELLS), bool),
    "queue": np.zeros(CELLS, bool),
    "chances": np.zeros(TAKE + 1),
}

#: The belief: how likely each kind is to be the wanted one. Where the human was a step ago, what he could do there, and
#: how likely who wants each kind would have done what he did.
BELIEF = {
    **CHART,
    "belief": np.zeros(MOST_KINDS),
    "human": 0,
    "allowed": np.zeros(TAKE + 1, bool),
    "likelihood": np.zeros(MOST_KINDS),
}

#: For planning: how fast the human nears what he wants, by kind; and which things are wanted and left.
PLAN = {**BELIEF, "pace": np.zeros(MOST_KINDS), "open": np.zeros(MOST_THINGS, bool)}

#: The least pace that a robot counts on.
_SLOWEST = 0.01


@large_kernel
def chart(memory, cells):
    """Fill the things and the ways to them, by the map at the start."""
    height, width = cells.shape
    memory.width = width
    memory.count = 0
    for cell in range(height * width):
        code = np.int64(cells[cell // width, cell % width])
        if code >= THING:
            k = memory.count
            memory.count += 1
            memory.place[k] = cell
            memory.kind[k] = code - THING
            memory.left[k] = 1
            flood(memory.way[k], memory.queue, cells, np.int64(cell))


@kernel
def look(memory, observation):
    """Note which things are left; before the first step, chart the map."""
    if memory.width == 0:
        chart(memory, observation["map"])
    for k in range(memory.count):
        cell = np.int64(memory.place[k])
        memory.left[k] = observation["map"][cell // memory.width, cell % memory.width] >= THING


@kernel
def cell_of(memory, place):
    """The number of a cell given by row and column."""
    return np.int64(place[0]) * memory.width + np.int64(place[1])


@kernel
def after(memory, cell, action):
    """Where a move from a cell leads."""
    if EAST <= action <= NORTH:
        return cell + DX[action - EAST] + DY[action - EAST] * memory.width
    return cell


@kernel
def nearest(memory, cell, kind):
    """The nearest thing of a kind that is left, or -1."""
    found, least = -1, FAR
    for k in range(memory.count):
        if memory.left[k] and memory.kind[k] == kind and memory.way[k, cell] < least:
            found, least = k, np.int64(memory.way[k, cell])
    return found


@kernel
def worth(memory, cell, kind, discount):
    """V: discount to the power of the distance to the nearest thing of a kind."""
    found = nearest(memory, cell, kind)
    return power(discount, memory.way[found, cell]) if found >= 0 else 0.0


@kernel
def conduct(memory, observation, cell, mask, kind, beta):
    """Fill `chances`: how likely a human in a cell who wants this kind does each of the legal actions."""
    discount, harm = observation.parameters[0], observation.parameters[1]
    here = -1
    for k in range(memory.count):
        if memory.left[k] and memory.place[k] == cell:
            here = k
    best = -np.inf
    for action in range(TAKE + 1):
        if mask[action]:
            value = discount * worth(memory, after(memory, cell, action), kind, discount)
            if action == TAKE:
                value = 1.0 if memory.kind[here] == kind else value - harm
            memory.chances[action] = value
            best = max(best, value)
    total = 0.0
    for action in range(TAKE + 1):
        if not mask[action]:
            memory.chances[action] = 0.0
        elif beta > 0.0:
            memory.chances[action] = math.exp((memory.chances[action] - best) / beta)
        else:
            memory.chances[action] = memory.chances[action] >= best - _EQUAL
        total += memory.chances[action]
    for action in range(TAKE + 1):
        memory.chances[action] /= total


@kernel
def want(memory, observation, mask, beta):
    """A human's action."""
    look(memory, observation)
    conduct(memory, observation, cell_of(memory, observation.human), mask, observation.wanted, beta)
    return categorical(memory, memory.chances, TAKE + 1)


@kernel
def weigh(memory, observation, action):
    """Bayes' rule, in `likelihood`: the belief times how likely the human then does this, scaled to a sum of 1.

    The belief itself, where nobody would do it. The human is where he was, and does what he could, a step ago.
    """
    kinds = observation.prior.shape[0]
    total = 0.0
    for kind in range(kinds):
        conduct(memory, observation, memory.human, memory.allowed, kind, observation.parameters[2])
        memory.likelihood[kind] = memory.belief[kind] * memory.chances[action]
        total += memory.likelihood[kind]
    for kind in range(kinds):
        memory.likelihood[kind] = memory.likelihood[kind] / total if total > 0.0 else memory.belief[kind]


@kernel
def believe(memory, observation):
    """Bring the belief up to date by what the human has just done, and look where he is now."""
    if memory.width > 0:
        weigh(memory, observation, observation.did)
    for kind in range(observation.prior.shape[0]):
        memory.belief[kind] = memory.likelihood[kind] if memory.width > 0 else observation.prior[kind]
    look(memory, observation)
    memory.human = cell_of(memory, observation.human)
    for action in range(TAKE + 1):
        cell = after(memory, memory.human, action)
        code = observation["map"][cell // memory.width, cell % memory.width]
        memory.allowed[action] = code >= THING if action == TAKE else code != 0


@kernel
def reckon_pace(memory, observation):
    """Fill `pace`, from 0 to 1: by how much who wants each kind is expected to near such a thing in this step."""
    for kind in range(observation.prior.shape[0]):
        memory.pace[kind] = _SLOWEST
        target = nearest(memory, memory.human, kind)
        if target >= 0:
            conduct(memory, observation, memory.human, memory.allowed, kind, observation.parameters[2])
            way = np.int64(memory.way[target, memory.human])
            pace = memory.chances[TAKE] if way == 0 else 0.0
            for action in range(EAST, NORTH + 1):
                if memory.allowed[action]:
                    then = np.int64(memory.way[target, after(memory, memory.human, action)])
                    pace += memory.chances[action] * (way - then)
            memory.pace[kind] = max(pace, _SLOWEST)


@kernel
def harvest(memory, observation, robot, kind):
    """What the two get if this kind is wanted and known to be, from one step of the robot later on, roughly.

    Each goes from one nearest wanted thing to the next, the human at his pace; what he is about to fetch, the robot
    leaves to him unless it is there first.
    """
    for k in range(memory.count):
        memory.open[k] = memory.left[k] and memory.kind[k] == kind
    discount, left, pace = observation.parameters[0], observation.steps_left, memory.pace[kind]
    human, human_time, robot_time, total = memory.human, 0.0, 1, 0.0
    while True:
        first, least = -1, FAR
        for k in range(memory.count):
            if memory.open[k] and memory.way[k, human] < least:
                first, least = k, np.int64(memory.way[k, human])
        if first < 0:
            return total
        human_done = human_time + (least + 1) / pace
        second, least = -1, FAR
        for k in range(memory.count):
            way = np.int64(memory.way[k, robot])
            if memory.open[k] and way < least and (k != first or robot_time + way + 1 < human_done):
                second, least = k, way
        robot_done = robot_time + least + 1
        if second >= 0 and robot_done <= human_done:
            robot, robot_time, done = np.int64(memory.place[second]), robot_done, np.float64(robot_done)
        else:
            second = first
            human, human_time, done = np.int64(memory.place[first]), human_done, human_done
        if done > left:
            return total
        total += discount ** (done - 1.0)
        memory.open[second] = 0


@kernel
def assist(memory, observation, mask):
    """The robot's action of the highest value expected by its belief, as if the wanted kind were known from then on."""
    robot, harm = cell_of(memory, observation.robot), observation.parameters[1]
    here = -1
    for k in range(memory.count):
        if memory.left[k] and memory.place[k] == robot:
            here = k
    reckon_pace(memory, observation)
    best, found = -np.inf, WAIT
    for action in range(TAKE + 1):
        if mask[action] and (action != TAKE or here >= 0):
            if action == TAKE:
                memory.left[here] = 0
            value = 0.0
            for kind in range(observation.prior.shape[0]):
                gain = harvest(memory, observation, after(memory, robot, action), kind)
                if action == TAKE:
                    gain += 1.0 if memory.kind[here] == kind else -harm
                value += memory.belief[kind] * gain
            if action == TAKE:
                memory.left[here] = 1
            if value > best + _TIE:
                best, found = value, action
    return found


@policy(ID, "bayes", variables=PLAN)
def bayes(memory, observation, mask):
    """Robot: infers what is wanted from all that the human does, exactly, and plans by it."""
    if memory.agent == HUMAN:
        return want(memory, observation, mask, 0.0)
    believe(memory, observation)
    return assist(memory, observation, mask)


@policy(ID, "prior", variables=PLAN)
def prior(memory, observation, mask):
    """Robot: plans by what it knew before the start, whatever the human does."""
    if memory.agent == HUMAN:
        return want(memory, observation, mask, 0.0)
    believe(memory, observation)
    for kind in range(observation.prior.shape[0]):
        memory.belief[kind] = observation.prior[kind]
    return assist(memory, observation, mask)


@policy(ID, "rational", variables=CHART)
def rational(memory, observation, mask):
    """Human: goes for the nearest thing of the wanted kind."""
    return want(memory, observation, mask, 0.0) if memory.agent == HUMAN else WAIT


@policy(ID, "boltzmann", variables=CHART, beta=Between(-1, 1e9).at(-1.0))
def boltzmann(memory, observation, mask):
    """Human: likely does what is good, by Boltzmann's rule; a negative beta means the one that the robot is told."""
    if memory.agent != HUMAN:
        return WAIT
    return want(memory, observation, mask, memory.beta if memory.beta >= 0.0 else observation.parameters[2])


@policy(ID, "pedagogic", variables={**BELIEF, "shown": np.zeros(TAKE + 1)}, emphasis=Between(0, 1000).at(1.0))
def pedagogic(memory, observation, mask):
    """Human: as "boltzmann", but prefers what tells a robot like "bayes" what is wanted.

    The probability of an action is multiplied by the robot's belief in the truth after it, to the power `emphasis`.
    """
    if memory.agent != HUMAN:
        return WAIT
    believe(memory, observation)
    for action in range(TAKE + 1):
        memory.shown[action] = 0.0
        if mask[action]:
            weigh(memory, observation, action)
            memory.shown[action] = memory.likelihood[observation.wanted] ** memory.emphasis
    conduct(memory, observation, memory.human, mask, observation.wanted, observation.parameters[2])
    for action in range(TAKE + 1):
        memory.shown[action] *= memory.chances[action]
    return categorical(memory, memory.shown, TAKE + 1)
