"""Baselines of the assistance game. A robot's policy plays the human as "rational"; a human's plays a robot that waits.

The belief of "bayes" is exact: Bayes' rule applied to all actions of the human. It assumes a human like "boltzmann"
with the noise stated to the robot ("rational" without noise). Its planning is not exact. It is QMDP (Littman, Cassandra
and Kaelbling, 1995): the best action by its belief, as if the wanted kind were known from the next step on. From then
on, both agents are assumed to go from one nearest wanted thing to the next, the human as slowly as its noise makes it.
The page of the world shows how far this is from the best robot. A robot whose prior is certain plans in this way with
full information.

After a demonstration, there is nothing more to learn. The robot goes from one thing to the next, each time to the one
whose expected worth, discounted, is largest.

A human's action values are those of a human that is alone and wants the next thing of the wanted kind. Let V be
discount ** d, where d is the distance to the nearest such thing, and 0 if there is none.

- A move, or to wait, is worth discount V of the cell where it ends.
- To take a wanted thing is worth 1.
- To take any other thing is worth discount V - harm.

"rational" takes one of the best actions, each with equal probability. "boltzmann" takes an action with probability
proportional to exp(value / beta).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.agents.dual_control.off_switch_grid import CELLS, FAR, flood
from envsuite.core.elementary import exp, power, real_power
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.random import categorical
from envsuite.core.ranges import limited, scratch
from envsuite.core.record import field_names
from envsuite.dual_control.assistance import EAST, HUMAN, MOST_KINDS, MOST_THINGS, NORTH, TAKE, THING, WAIT
from envsuite.dual_control.off_switch_grid import LARGEST_SIDE
from envsuite.kit.grid import DX, DY

ID = "envsuite/Assistance-v0"

#: Actions whose values differ by less are equally good, to a human and to a robot. A robot takes the first of them.
_EQUAL = 1e-12
_TIE = 1e-6

#: Both agents work; the human demonstrates; the robot works alone after that.
TOGETHER, WATCHED, ALONE = range(3)

#: The phase. The things at the start of the map: their cells and kinds, which of them are left, and the steps to each
#: from all cells.
CHART = {
    "phase": limited(TOGETHER, TOGETHER, ALONE),
    "count": limited(0, 0, MOST_THINGS),
    "width": limited(0, 0, LARGEST_SIDE),
    "place": limited(np.zeros(MOST_THINGS, np.uint8), 0, CELLS - 1),
    "kind": limited(np.zeros(MOST_THINGS, np.uint8), 0, MOST_KINDS - 1),
    "left": np.zeros(MOST_THINGS, bool),
    "way": limited(np.zeros((MOST_THINGS, CELLS), np.uint8), 0, FAR),
    "queue": scratch(CELLS, np.uint8),
    "chances": np.zeros(TAKE + 1),
}

#: The belief: the probability that each kind is the wanted one. Also the human's cell one step ago, the actions that
#: were legal there, and the likelihood of the human's action for each wanted kind.
BELIEF = {
    **CHART,
    "belief": np.zeros(MOST_KINDS),
    "human": limited(0, 0, CELLS - 1),
    "allowed": np.zeros(TAKE + 1, bool),
    "likelihood": np.zeros(MOST_KINDS),
}

#: For planning: the pace at which the human approaches its goal, by kind, and the things that are wanted and left.
PLAN = {**BELIEF, "pace": np.zeros(MOST_KINDS), "open": np.zeros(MOST_THINGS, bool)}


def contradiction(memory: Any, world: Any) -> str | None:
    """The chart must be of a map of this size, and nothing but walls at its edges."""
    height, width = world.observation_spaces[0]["map"].shape
    if memory.width == 0:
        return None
    if memory.width != width:
        return f"width is {memory.width}, not {width}"
    cells = {"human": memory.human} if "belief" in (field_names(memory) or ()) else {}
    cells |= {f"place[{k}]": memory.place[k] for k in range(memory.count)}
    for name, cell in cells.items():
        if not (0 < cell // width < height - 1 and 0 < cell % width < width - 1):
            return f"{name} is {cell}, which is not inside the map"
    return None


#: The lowest pace that a robot assumes.
_SLOWEST = 0.01


@large_kernel
def chart(memory, cells):
    """List the things and the distances to them, from the map at the start."""
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
    """Note which things are left. Before the first step, and after a demonstration, chart the map."""
    follows = memory.phase == WATCHED and observation.to_watch == 0
    if memory.width == 0 or follows:
        chart(memory, observation["map"])
    if observation.to_watch > 0:
        memory.phase = WATCHED
    elif follows:
        memory.phase = ALONE
    for k in range(memory.count):
        cell = np.int64(memory.place[k])
        memory.left[k] = observation["map"][cell // memory.width, cell % memory.width] >= THING


@kernel
def cell_of(memory, place):
    """The number of a cell given by row and column."""
    return np.int64(place[0]) * memory.width + np.int64(place[1])


@kernel
def after(memory, cell, action):
    """The cell to which an action leads from a cell."""
    if EAST <= action <= NORTH:
        return cell + DX[action - EAST] + DY[action - EAST] * memory.width
    return cell


@kernel
def nearest(memory, cell, kind):
    """The nearest thing of a kind, of those that are left, or -1."""
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
    """Fill `chances`: the probability of each legal action of a human in this cell that wants this kind."""
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
            memory.chances[action] = exp((memory.chances[action] - best) / beta)
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
    """Bayes' rule: fill `likelihood` with the belief times the likelihood of this action, scaled to a sum of 1.

    It is the belief itself if no human would do this. The human's cell and legal actions are those of one step ago.
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
    """Update the belief with the human's last action, and note where the human is now."""
    seen = memory.width > 0 and observation.did <= TAKE
    if seen:
        weigh(memory, observation, observation.did)
    for kind in range(observation.prior.shape[0]):
        memory.belief[kind] = memory.likelihood[kind] if seen else observation.prior[kind]
    look(memory, observation)
    memory.human = cell_of(memory, observation.human)
    for action in range(TAKE + 1):
        cell = after(memory, memory.human, action)
        code = observation["map"][cell // memory.width, cell % memory.width]
        memory.allowed[action] = code >= THING if action == TAKE else code != 0
        if memory.phase == ALONE and action != WAIT:
            memory.allowed[action] = False


@kernel
def reckon_pace(memory, observation):
    """Fill `pace`, from 0 to 1: the expected approach, in this step, of a human that wants each kind."""
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
    """A rough value of what both get if this kind is wanted and known to be wanted, starting after the robot's step.

    Each agent goes from one nearest wanted thing to the next, the human at its pace. The robot leaves the human's next
    thing to the human, unless the robot is there first.
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
        total += real_power(discount, done - 1.0)
        memory.open[second] = 0


@kernel
def expected(memory, observation, k):
    """What a thing is worth by the belief."""
    chance = memory.belief[memory.kind[k]]
    return chance - observation.parameters[1] * (1.0 - chance)


@kernel
def gather(memory, observation, robot):
    """A rough value of working alone, starting after the robot's step, with nothing more to learn.

    The robot goes from one thing to the next, each time to the one whose discounted worth is largest.
    """
    for k in range(memory.count):
        memory.open[k] = memory.left[k]
    discount, time, total = observation.parameters[0], 1, 0.0
    while True:
        found, best = -1, 0.0
        for k in range(memory.count):
            way = np.int64(memory.way[k, robot])
            if memory.open[k] and time + way + 1 <= observation.steps_left:
                value = power(discount, way) * expected(memory, observation, k)
                if value > best:
                    found, best = k, value
        if found < 0:
            return total
        time += np.int64(memory.way[found, robot]) + 1
        total += power(discount, time - 1) * expected(memory, observation, found)
        robot = np.int64(memory.place[found])
        memory.open[found] = 0


@kernel
def assist(memory, observation, mask):
    """The robot's action with the highest expected value.

    It is as if the wanted kind were known after the action, unless the robot works alone.
    """
    robot, here = cell_of(memory, observation.robot), -1
    for k in range(memory.count):
        if memory.left[k] and memory.place[k] == robot:
            here = k
    reckon_pace(memory, observation)
    best, found = -np.inf, WAIT
    for action in range(TAKE + 1):
        if mask[action] and (action != TAKE or here >= 0):
            if action == TAKE:
                memory.left[here] = 0
            value = expected(memory, observation, here) if action == TAKE else 0.0
            if memory.phase == ALONE:
                value += gather(memory, observation, after(memory, robot, action))
            else:
                for kind in range(observation.prior.shape[0]):
                    gain = harvest(memory, observation, after(memory, robot, action), kind)
                    value += memory.belief[kind] * gain
            if action == TAKE:
                memory.left[here] = 1
            if value > best + _TIE:
                best, found = value, action
    return found


@policy(ID, "bayes", variables=PLAN, contradiction=contradiction)
def bayes(memory, observation, mask):
    """Robot: infers exactly what is wanted from all actions of the human, and plans with this belief."""
    if memory.agent == HUMAN:
        return want(memory, observation, mask, 0.0)
    believe(memory, observation)
    return assist(memory, observation, mask)


@policy(ID, "prior", variables=PLAN, contradiction=contradiction)
def prior(memory, observation, mask):
    """Robot: plans with its prior only, and ignores the human's actions."""
    if memory.agent == HUMAN:
        return want(memory, observation, mask, 0.0)
    believe(memory, observation)
    for kind in range(observation.prior.shape[0]):
        memory.belief[kind] = observation.prior[kind]
    return assist(memory, observation, mask)


@policy(ID, "rational", variables=CHART, contradiction=contradiction)
def rational(memory, observation, mask):
    """Human: goes to the nearest thing of the wanted kind and takes it."""
    return want(memory, observation, mask, 0.0) if memory.agent == HUMAN else WAIT


@policy(ID, "boltzmann", variables=CHART, contradiction=contradiction, beta=Between(-1, 1e9).at(-1.0))
def boltzmann(memory, observation, mask):
    """Human: prefers better actions, by Boltzmann's rule; a negative beta means the noise stated to the robot."""
    if memory.agent != HUMAN:
        return WAIT
    return want(memory, observation, mask, memory.beta if memory.beta >= 0.0 else observation.parameters[2])


@policy(
    ID,
    "pedagogic",
    {**BELIEF, "shown": np.zeros(TAKE + 1)},
    contradiction,
    emphasis=Between(0, 1000).at(1.0),
)
def pedagogic(memory, observation, mask):
    """Human: like "boltzmann", but prefers actions that show a robot like "bayes" what is wanted.

    The probability of an action is multiplied by the robot's belief in the truth after it, to the power `emphasis`.
    """
    if memory.agent != HUMAN:
        return WAIT
    believe(memory, observation)
    for action in range(TAKE + 1):
        memory.shown[action] = 0.0
        if mask[action]:
            weigh(memory, observation, action)
            memory.shown[action] = real_power(memory.likelihood[observation.wanted], memory.emphasis)
    conduct(memory, observation, memory.human, mask, observation.wanted, observation.parameters[2])
    for action in range(TAKE + 1):
        memory.shown[action] *= memory.chances[action]
    return categorical(memory, memory.shown, TAKE + 1)
