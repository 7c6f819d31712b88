"""Players of NeuralMMO: one that lives on foliage and water, and one that also fights."""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.generators.wilds import FOLIAGE, GRASS, WATER
from envsuite.gridworlds.neural_mmo import DOWN, HOSTILE, MOVES, PLAYER, RIGHT, SEEN, SIGHT, STAY, VIEW

_ID = "envsuite/NeuralMMO-v0"

_CELLS = VIEW * VIEW
#: No goal, and the kinds of goals; both is foliage beside water.
_FOOD, _DRINK, _BOTH = range(3)


@kernel
def _walkable(ground, y, x):
    return 0 <= y < VIEW and 0 <= x < VIEW and GRASS <= ground[y, x] <= FOLIAGE


@kernel
def _wet(ground, y, x):
    """Whether water is beside a cell, as far as can be seen."""
    for k in range(STAY):
        j, i = y + DOWN[k], x + RIGHT[k]
        if 0 <= j < VIEW and 0 <= i < VIEW and ground[j, i] == WATER:
            return True
    return False


@kernel
def _fits(ground, y, x, goal):
    """Whether a cell is a goal of this kind."""
    food = ground[y, x] == FOLIAGE
    if goal == _FOOD:
        return food
    return _wet(ground, y, x) and (goal == _DRINK or food)


@large_kernel
def _spread(memory, ground):
    """Steps from the middle to each cell in view; -1 without a way. The queue then has the cells by steps."""
    for k in range(_CELLS):
        memory.steps[k] = -1
    memory.steps[SIGHT * VIEW + SIGHT] = 0
    memory.queue[0] = SIGHT * VIEW + SIGHT
    head, tail = 0, 1
    while head < tail:
        cell = memory.queue[head]
        head += 1
        for k in range(STAY):
            y, x = cell // VIEW + DOWN[k], cell % VIEW + RIGHT[k]
            if _walkable(ground, y, x) and memory.steps[y * VIEW + x] < 0:
                memory.steps[y * VIEW + x] = memory.steps[cell] + 1
                memory.queue[tail] = y * VIEW + x
                tail += 1
    return tail


@large_kernel
def _nearest(memory, ground, tail, goal):
    """The nearest goal of a kind, or -1."""
    for k in range(tail):
        cell = memory.queue[k]
        if _fits(ground, cell // VIEW, cell % VIEW, goal):
            return cell
    return -1


@large_kernel
def _toward(memory, cell):
    """The first move of a shortest way to a cell that `_spread` reached."""
    move = STAY
    while memory.steps[cell] > 0:
        before = cell
        for k in range(STAY):
            y, x = cell // VIEW - DOWN[k], cell % VIEW - RIGHT[k]
            if 0 <= y < VIEW and 0 <= x < VIEW and memory.steps[y * VIEW + x] == memory.steps[cell] - 1:
                before, move = y * VIEW + x, k
                break
        if before == cell:
            return STAY
        cell = before
    return move


@kernel
def _roam(memory, ground):
    """Walk straight ahead, and turn now and then or where the way is blocked."""
    if bernoulli(memory, 0.05):
        memory.heading = randint(memory, STAY)
    for _ in range(8):
        if _walkable(ground, SIGHT + DOWN[memory.heading], SIGHT + RIGHT[memory.heading]):
            return memory.heading
        memory.heading = randint(memory, STAY)
    return STAY


@large_kernel
def _forage(memory, observation):
    """To foliage beside water if food is needed and there is some on the way; else to what is needed more."""
    ground, food, water = observation.ground, observation.own[3], observation.own[4]
    tail = _spread(memory, ground)
    drink, eat = _nearest(memory, ground, tail, _DRINK), _nearest(memory, ground, tail, _FOOD)
    both = _nearest(memory, ground, tail, _BOTH)
    # The steps until one of the two must be full again, each of which costs 5.
    if food <= memory.enough and both >= 0 and 5 * memory.steps[both] < min(food, water):
        return _toward(memory, both)
    if water <= food:
        goal, other, need = drink, eat, food
    else:
        goal, other, need = eat, drink, water
    if min(food, water) > memory.enough:
        if drink >= 0 and eat >= 0 and memory.steps[drink] + memory.steps[eat] <= SIGHT:
            return _toward(memory, drink)
        return _roam(memory, ground)
    if goal < 0:
        goal = other if need <= memory.enough else -1
    return _roam(memory, ground) if goal < 0 else _toward(memory, goal)


@policy(
    _ID,
    "forager",
    variables={"heading": limited(0, 0, STAY - 1), "steps": scratch(_CELLS), "queue": scratch(_CELLS)},
    enough=Between(0, 100).at(60.0),
)
def forager(memory, observation, mask):
    """Goes to foliage and water in time, best to foliage beside water; roams if it has more than `enough` of both."""
    return _forage(memory, observation)


@kernel
def _best(levels, first):
    """The style with the highest level in a row."""
    best = 0
    for k in range(1, 3):
        if levels[first + k] > levels[first + best]:
            best = k
    return best


@large_kernel
def _attack(observation, mask, least):
    """The attack on the other with the least health in reach, or -1; creatures only with `least` health or more."""
    found, weakest = -1, 1000
    own = observation.own
    for k in range(SEEN):
        row = observation.others[k]
        if mask[len(MOVES) + k] and row[4] < weakest and (row[0] == PLAYER or own[2] >= least):
            if row[0] == HOSTILE and max(max(row[7], row[8]), row[9]) > 3 + max(max(own[8], own[9]), own[10]):
                continue
            found, weakest = k, row[4]
    if found < 0:
        return -1
    row, mine = observation.others[found], _best(own, 8)
    counter = (_best(row, 7) + 2) % 3
    equal = row[7] == row[8] and row[8] == row[9]
    # The style that beats the other's counts half more.
    style = mine if equal or 3 * (2 + own[8 + counter]) < 2 * (2 + own[8 + mine]) else counter
    return len(MOVES) + SEEN * style + found


@policy(
    _ID,
    "fighter",
    variables={"heading": limited(0, 0, STAY - 1), "steps": scratch(_CELLS), "queue": scratch(_CELLS)},
    enough=Between(0, 100).at(60.0),
    least=Between(0, 100).at(60.0),
)
def fighter(memory, observation, mask):
    """Attacks the weakest in reach, creatures only with `least` health or more; else it forages."""
    needs = min(observation.own[3], observation.own[4])
    if mask.shape[0] > len(MOVES) and needs > 15:
        action = _attack(observation, mask, memory.least)
        if action >= 0:
            return action
    return _forage(memory, observation)
