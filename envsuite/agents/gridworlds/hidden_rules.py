"""Baselines of HiddenRules: a clone that knows all rules, and a learner of what happens to a cell and its neighbors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between, World
from envsuite.gridworlds.hidden_rules import CHOOSE, COLUMNS, EXPLORE, OPTIONS, ROWS, kernels

ID = "envsuite/HiddenRules-v0"

#: The most actions of a plan.
PLAN = 16
#: Entries of the learner's table, and how often an entry must have been right before a surprise counts.
TABLE, SURE = 8192, 4

PREDICTING, PLANNING, DETECTING = range(3)


@kernel
def task_of(observation, mask):
    """The task, in a test before a choice."""
    if mask[kernels.LEFT] == 0:
        return PREDICTING
    for k in range(observation.goal.size):
        if observation.goal.flat[k] != kernels.HIDDEN:
            return PLANNING
    return DETECTING


@kernel
def first_extra(observation):
    """The number of the action `reset`."""
    return kernels.CLICK + observation.frame.size


@kernel
def right_option(frame, observation):
    """The option that has most cells as this frame has them."""
    best, most = 0, -1
    for option in range(OPTIONS):
        same = 0
        for y in range(ROWS):
            for x in range(COLUMNS):
                cell = frame[observation.window[0] + y, observation.window[1] + x]
                same += cell == observation.options[option, y, x]
        if same > most:
            best, most = option, same
    return best


@kernel
def choose(observation, frame, found):
    """The last actions of a test: the best option, or `submit` of the frame before a change was seen."""
    if has_options(observation):
        return first_extra(observation) + 2 + right_option(frame, observation)
    wanted = min(max(found - 1, 0), observation.number[1])
    if observation.number[0] != wanted:
        return first_extra(observation) + 4 + wanted
    return first_extra(observation) + 3


@kernel
def has_options(observation):
    """Whether this is the choice of `predict`; its options differ, so some cell is not empty."""
    for k in range(observation.options.size):
        if observation.options.flat[k] != 0:
            return True
    return False


# The clone. Its memory is a small world, so the kernels of the rules run on it.


def clone_variables(world: World) -> Mapping[str, Any]:
    """A small world, and a plan."""
    size = int(world.parameters["size"])
    room, cells = size * size, np.zeros((size, size), np.uint8)
    kinds = limited(np.zeros(room, np.uint8), 0, kernels.MOST_KINDS)
    marks = limited(np.zeros(room, np.uint8), 0, kernels.MARKS - 1)
    places = limited(np.zeros(room, np.int64), -kernels.BOUND, kernels.BOUND)
    numbers = limited(np.zeros(2, np.int64), -kernels.BOUND, kernels.BOUND)
    actions = limited(np.zeros(PLAN, np.int64), 0, kernels.CLICK + room - 1)
    return {
        "things": limited(0, 0, room), "kind": kinds, "x": places, "y": places, "mark": marks, "var": numbers,
        "uses": limited(0, 0, kernels.EVENTS), "fuse": limited(0, 0, kernels.EVENTS), "fired": limited(0, 0, 1),
        "frame": limited(cells, 0, kernels.HIDDEN), "taken": limited(cells, 0, 1), "near": limited(cells, 0, 8),
        "rule": limited(-1, -1, len(kernels.RULES) - 1),  # that fits the start; -1 for none
        "last": limited(0, 0, kernels.CLICK + room - 1),  # the action before
        "found": limited(0, 0, 200),  # number of the frame that is not the clone's
        # The world from which a plan is searched, the plan, a new one, and how much of the plan is done.
        "kept_things": limited(0, 0, room), "kept_kind": kinds, "kept_x": places, "kept_y": places, "kept_mark": marks,
        "kept_var": numbers, "plan": actions, "next_plan": actions, "planned": limited(0, 0, PLAN),
        "next_planned": limited(0, 0, PLAN), "done": limited(0, 0, PLAN),
    }  # fmt: skip


@kernel
def shows(memory, rule, kind, mark, x, y, frame):
    """Whether a frame shows a thing whose first cell is (x, y), and none of its cells is another thing's."""
    shape = kernels.SHAPE[rule, kind]
    for i in range(kernels.LENGTH[shape]):
        column = x + kernels.CELLS[shape, i, 0] - kernels.CELLS[shape, 0, 0]
        row = y + kernels.CELLS[shape, i, 1] - kernels.CELLS[shape, 0, 1]
        if not kernels.inside(memory, column, row) or memory.taken[row, column] != 0:
            return False
        if frame[row, column] != kernels.COLOR[rule, kind, mark]:
            return False
    return True


@kernel
def count(memory, kind):
    """The number of things of a kind."""
    found = 0
    for k in range(memory.things):
        found += memory.kind[k] == kind
    return found


@kernel
def take(memory, rule, x, y, frame):
    """Add the thing of this rule whose first cell is (x, y); whether there is one."""
    for kind in range(kernels.KINDS[rule]):
        for mark in range(kernels.MARKS):
            wrong_row = rule == kernels.PLUG and (kind >= kernels.VESSEL_BUTTON) != (y == 0)
            if kernels.GIVEN[rule, kind, mark] and not wrong_row and count(memory, kind) < kernels.MOST[rule, kind]:
                if shows(memory, rule, kind, mark, x, y, frame):
                    shape = kernels.SHAPE[rule, kind]
                    left, top = x - kernels.CELLS[shape, 0, 0], y - kernels.CELLS[shape, 0, 1]
                    kernels.add(memory, kind, left, top, mark)
                    for i in range(kernels.LENGTH[shape]):
                        memory.taken[top + kernels.CELLS[shape, i, 1], left + kernels.CELLS[shape, i, 0]] = 1
                    return True
    return False


@large_kernel
def fits_rule(memory, rule, frame):
    """Make the memory the start of a rule that looks like this frame; whether there is one."""
    size = frame.shape[0]
    memory.things = 0
    fill(memory.taken, 0)
    for y in range(size):
        for x in range(size):
            if frame[y, x] != 0 and memory.taken[y, x] == 0 and not take(memory, rule, x, y, frame):
                return False
    for kind in range(kernels.KINDS[rule]):
        if count(memory, kind) < kernels.LEAST[rule, kind]:
            return False
    kernels.begin(memory, rule)
    return True


@kernel
def read(memory, frame):
    """Find the rule of a start."""
    memory.rule = -1
    memory.last = kernels.NOOP
    memory.found = 0
    memory.planned = 0
    memory.done = 0
    for rule in range(len(kernels.RULES)):
        if memory.rule < 0 and fits_rule(memory, rule, frame):
            memory.rule = rule


@kernel
def follow(memory, action, frame):
    """Make the step that the world has made; where food has dropped is seen in the frame."""
    if memory.rule == kernels.ANTS and action >= kernels.CLICK:
        kernels.advance(memory, memory, memory.rule, kernels.NOOP)
        for y in range(frame.shape[0]):
            for x in range(frame.shape[0]):
                if (
                    frame[y, x] == kernels.COLOR[kernels.ANTS, kernels.FOOD, 0]
                    and kernels.at(memory, kernels.FOOD, x, y) < 0
                ):
                    kernels.add(memory, kernels.FOOD, x, y, 0)
        kernels.render(memory, kernels.ANTS)
    else:
        kernels.advance(memory, memory, memory.rule, action)


@kernel
def mismatch(memory, goal):
    """The number of cells that are not as the goal has them."""
    wrong = 0
    for k in range(goal.size):
        wrong += goal.flat[k] != kernels.HIDDEN and goal.flat[k] != memory.frame.flat[k]
    return wrong


@kernel
def keep(memory):
    """Note the world from which plans are tried."""
    memory.kept_things = memory.things
    for k in range(memory.things):
        memory.kept_kind[k] = memory.kind[k]
        memory.kept_x[k] = memory.x[k]
        memory.kept_y[k] = memory.y[k]
        memory.kept_mark[k] = memory.mark[k]
    for k in range(2):
        memory.kept_var[k] = memory.var[k]


@kernel
def restore(memory):
    """Go back to that world."""
    memory.things = memory.kept_things
    for k in range(memory.things):
        memory.kind[k] = memory.kept_kind[k]
        memory.x[k] = memory.kept_x[k]
        memory.y[k] = memory.kept_y[k]
        memory.mark[k] = memory.kept_mark[k]
    for k in range(2):
        memory.var[k] = memory.kept_var[k]
    kernels.render(memory, memory.rule)


@kernel
def idea(memory, goal):
    """An action to try: a lively one, or a click on a cell of the goal; none that drops food, whose place is random."""
    if memory.rule == kernels.ANTS:
        return np.int64(kernels.NOOP)
    if randint(memory, 3) > 0:
        return kernels.lively(memory, memory, memory.rule)
    cells = 0
    for k in range(goal.size):
        cells += goal.flat[k] != kernels.HIDDEN
    chosen = randint(memory, max(cells, 1))
    for k in range(goal.size):
        if goal.flat[k] != kernels.HIDDEN:
            if chosen == 0:
                return np.int64(kernels.CLICK + k)
            chosen -= 1
    return np.int64(kernels.NOOP)


@kernel
def vary(memory, goal):
    """A new plan: that so far with an action changed, added or left out."""
    length, place = memory.planned, randint(memory, memory.planned + 1)
    how = randint(memory, 3)
    if length == 0 or (how == 1 and length < PLAN):
        for k in range(place):
            memory.next_plan[k] = memory.plan[k]
        memory.next_plan[place] = idea(memory, goal)
        for k in range(place, length):
            memory.next_plan[k + 1] = memory.plan[k]
        memory.next_planned = length + 1
        return
    place = min(place, length - 1)
    for k in range(length):
        memory.next_plan[k] = memory.plan[k]
    memory.next_planned = length
    if how == 2:
        for k in range(place, length - 1):
            memory.next_plan[k] = memory.plan[k + 1]
        memory.next_planned = length - 1
    else:
        memory.next_plan[place] = idea(memory, goal)


@kernel
def try_plan(memory, goal):
    """Cut a new plan after the step that is nearest to the goal; how many cells are wrong then."""
    restore(memory)
    least, length = mismatch(memory, goal) + 1, 0
    for k in range(memory.next_planned):
        kernels.advance(memory, memory, memory.rule, memory.next_plan[k])
        wrong = mismatch(memory, goal)
        if wrong < least:
            least, length = wrong, k + 1
    memory.next_planned = max(length, min(memory.next_planned, 1))
    return least


@large_kernel
def search(memory, goal, tries):
    """Search a plan: first at random, then by small changes; the world is as before."""
    keep(memory)
    memory.planned = 0
    memory.done = 0
    least = goal.size + 1
    for attempt in range(tries):
        if least > 0:
            if attempt % 8 < 2:
                memory.next_planned = 1 + randint(memory, PLAN // 2)
                for k in range(memory.next_planned):
                    memory.next_plan[k] = idea(memory, goal)
            else:
                vary(memory, goal)
            wrong = try_plan(memory, goal)
            if wrong <= least and memory.next_planned > 0:
                least = wrong
                memory.planned = memory.next_planned
                for k in range(memory.planned):
                    memory.plan[k] = memory.next_plan[k]
    restore(memory)


@kernel
def next_of_plan(memory, goal, tries):
    """The next action of a plan, which is searched if there is none."""
    if memory.done >= memory.planned:
        search(memory, goal, tries)
    action = np.int64(memory.plan[memory.done])
    memory.done = min(memory.done + 1, PLAN)
    return action


@policy(ID, "clone", variables=clone_variables, tries=Between(1, 100_000).at(2000))
def clone(memory, observation, mask):
    """Knows all rules, finds the one that fits the start, and tests at once; a plan is the best of `tries`.

    If a plan does not lead to the goal, the next ones have an eighth of the tries. It reads the starts of our layouts;
    without a rule that fits, it acts at random.
    """
    if observation.phase == EXPLORE:
        return first_extra(observation) + 1
    predicting = observation.phase != CHOOSE and mask[kernels.LEFT] == 0
    if observation.clock[0] == 0 or (predicting and observation.number[0] == 0):
        read(memory, observation.frame)
    elif memory.rule >= 0 and (predicting or has_options(observation)):
        follow(memory, np.int64(observation.took), observation.frame)
    elif memory.rule >= 0 and observation.phase != CHOOSE:
        follow(memory, np.int64(memory.last), observation.frame)
    if memory.rule < 0:
        return choose_legal(memory, mask)
    if observation.phase == CHOOSE:
        return choose(observation, memory.frame, memory.found)
    task = task_of(observation, mask)
    action = np.int64(kernels.NOOP)
    if task == PLANNING:
        tries = memory.tries if observation.clock[0] == 0 else memory.tries // 8 + 1
        action = next_of_plan(memory, observation.goal, tries)
    elif task == DETECTING:
        if memory.found == 0 and differs(memory.frame, observation.frame):
            memory.found = observation.number[0]
        if memory.found > 0 and mask[first_extra(observation) + 2]:
            return first_extra(observation) + 2
        # Clicks would break the egg, and end its events.
        action = (
            kernels.LEFT + randint(memory, 4)
            if memory.rule == kernels.EGG
            else kernels.lively(memory, memory, memory.rule)
        )
    memory.last = action
    return action


@kernel
def differs(one, other):
    """Whether two frames differ."""
    for k in range(one.size):
        if one.flat[k] != other.flat[k]:
            return True
    return False


# The learner.


def learner_variables(world: World) -> Mapping[str, Any]:
    """The table of what was learned, and what is expected."""
    size = int(world.parameters["size"])
    cells = limited(np.zeros((size, size), np.uint8), 0, kernels.HIDDEN)
    return {
        "key": scratch(TABLE),  # what an entry is about: 3 x 3 colors and what was done
        # the color of the cell in the middle after that
        "becomes": limited(np.zeros(TABLE, np.uint8), 0, kernels.HIDDEN),
        "right": limited(np.zeros(TABLE, np.uint8), 0, SURE),  # how often in a row it has become that
        "seen": cells,  # the last frame, and that which is expected next
        "expected": cells,
        "last": limited(0, 0, kernels.CLICK + size * size - 1),  # the action before
        "found": limited(0, 0, 200),  # number of the first frame with a surprise
    }


@kernel
def neighborhood(frame, x, y, action):
    """A number for the colors of a cell and its neighbors and for an action: an arrow, or a click here or elsewhere."""
    size = frame.shape[0]
    deed = action
    if action >= kernels.CLICK:
        deed = kernels.CLICK + np.int64(action == kernels.CLICK + y * size + x)
    found = 1 + deed
    for j in range(y - 1, y + 2):
        for i in range(x - 1, x + 2):
            color = kernels.HIDDEN + 1
            if 0 <= i < size and 0 <= j < size:
                color = np.int64(frame[j, i])
            found = found * 22 + color
    return found


@kernel
def learn(memory, frame):
    """Learn from a step; whether something happened that never did before."""
    surprise = False
    for y in range(frame.shape[0]):
        for x in range(frame.shape[0]):
            key = neighborhood(memory.seen, x, y, memory.last)
            entry = key % 8191
            if memory.key[entry] != key:
                memory.key[entry] = key
                memory.right[entry] = 0
            elif memory.becomes[entry] == frame[y, x]:
                memory.right[entry] = min(memory.right[entry] + 1, SURE)
            else:
                surprise = surprise or memory.right[entry] == SURE
                memory.right[entry] = 0
            memory.becomes[entry] = frame[y, x]
    return surprise


@kernel
def expect(memory, action):
    """Make the last frame what is expected after an action; a cell stays as it is if nothing is known of it."""
    for y in range(memory.seen.shape[0]):
        for x in range(memory.seen.shape[0]):
            key = neighborhood(memory.seen, x, y, action)
            entry = key % 8191
            memory.expected[y, x] = memory.becomes[entry] if memory.key[entry] == key else memory.seen[y, x]
    for k in range(memory.seen.size):
        memory.seen.flat[k] = memory.expected.flat[k]


@kernel
def look(memory, frame):
    """Note a frame."""
    for k in range(memory.seen.size):
        memory.seen.flat[k] = frame.flat[k]


@kernel
def wander(memory, frame):
    """A random action: waiting, an arrow, or a click, half of them on things."""
    size = frame.shape[0]
    drawn = randint(memory, 10)
    if drawn < 5:
        return np.int64(drawn)
    cell, things = np.int64(randint(memory, frame.size)), 0
    if drawn < 7:
        return kernels.CLICK + cell
    for k in range(frame.size):
        if frame.flat[k] != 0:
            things += 1
            if randint(memory, things) == 0:
                cell = k
    return kernels.CLICK + np.int64(cell) % (size * size)


@policy(ID, "local", variables=learner_variables)
def local(memory, observation, mask):
    """Explores at random, learns what a cell becomes from its 3 x 3 neighborhood and the action, and expects the same.

    In `predict` it chooses the option nearest to the frame that it expects. In `detect` a surprise is a change, where
    something had happened four times in a row. In `plan` it acts at random.
    """
    started = observation.clock[0] == 0
    if observation.phase == CHOOSE:
        if has_options(observation):
            expect(memory, np.int64(observation.took))
        return choose(observation, memory.seen, memory.found + 1)
    if observation.phase != EXPLORE and mask[kernels.LEFT] == 0:
        if observation.number[0] > 0 and observation.number[0] > observation.number[1] - 6:
            expect(memory, np.int64(observation.took))
        else:
            look(memory, observation.frame)
        return kernels.NOOP
    if started:
        memory.found = 0
    elif learn(memory, observation.frame) and observation.phase != EXPLORE and memory.found == 0:
        memory.found = observation.number[0]
    look(memory, observation.frame)
    if memory.found > 0 and observation.phase != EXPLORE and task_of(observation, mask) == DETECTING:
        if mask[first_extra(observation) + 2]:
            return first_extra(observation) + 2
    action = wander(memory, observation.frame)
    memory.last = action
    return action
