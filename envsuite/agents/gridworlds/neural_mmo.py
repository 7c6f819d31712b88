"""Players of NeuralMMO: one that lives on foliage and water, and one that also fights.

Means over 64 episodes with default parameters, by player:

| players | return | age at the end | alive after 512 steps | kills |
|---|---|---|---|---|
| 8 random | -0.84 | 31 | 0.00 | 0.1 |
| 8 forager | 4.11 | 430 | 0.80 | 0.0 |
| 8 fighter | 2.69 | 292 | 0.42 | 2.4 |
| 4 forager, against 4 fighter | 2.45 | 306 | 0.38 | 0.0 |
| 4 fighter, against 4 forager | 3.53 | 352 | 0.57 | 2.8 |
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.generators.wilds import FOLIAGE, GRASS, WATER
from envsuite.gridworlds.neural_mmo_rules import DOWN, MOVES, PASSIVE, PLAYER, RIGHT, SEEN, SIGHT, STAY, VIEW

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
def _top(row, first):
    """The column of the highest of three levels."""
    best = first
    for k in range(first + 1, first + 3):
        if row[k] > row[best]:
            best = k
    return best


@kernel
def _hits(health, damage):
    """How many hits of this damage take this health."""
    return (health + damage - 1) // max(damage, 1)


@kernel
def _loss(offence, defence):
    """The damage of a hit."""
    return max(max(offence - defence, offence // 4), 1)


@large_kernel
def _attack(observation, mask, courage):
    """The attack that wins in the fewest hits, of fights that should be won with `courage`; -1 without one."""
    own, found, fewest = observation.own, -1, 1000
    shield = 5 * own[_top(own, 8)]
    for k in range(SEEN):
        if mask[len(MOVES) + k] == 0:
            continue
        row = observation.others[k]
        is_player, best = row[0] == PLAYER, _top(row, 7)
        top = np.int64(row[best])
        threat = _loss(10 + 5 * top, shield) if is_player else _loss(8 * top, shield)
        survives = 1000 if row[0] == PASSIVE else _hits(np.int64(own[2]), threat)
        for style in range(3):
            # The style of highest level may not be the one of most experience, but mostly is.
            known = not (row[7] == row[8] and row[8] == row[9])
            offence = 10 + 5 * np.int64(own[8 + style])
            strong = offence * 3 // 2 if known and (best - 7 + 2) % 3 == style else offence
            need = _hits(np.int64(row[4]), _loss(strong, 5 * top if is_player else 8 * top))
            # Of styles as good, the one of most experience.
            better = need < fewest or (need == fewest and found % SEEN == k and own[5 + style] > own[5 + found // SEEN])
            if need <= courage * survives and better:
                found, fewest = style * SEEN + k, need
    return found


@policy(
    _ID,
    "fighter",
    variables={"heading": limited(0, 0, STAY - 1), "steps": scratch(_CELLS), "queue": scratch(_CELLS)},
    enough=Between(0, 100).at(60.0),
    courage=Between(0, 10).at(0.9),
    reserve=Between(0, 100).at(30.0),
)
def fighter(memory, observation, mask):
    """Forages, and fights what it should beat while it has more than `reserve` of food and water.

    It expects to beat an other if it needs at most `courage` times as many hits.
    """
    needs = min(observation.own[3], observation.own[4])
    if mask.shape[0] > len(MOVES) and needs > memory.reserve:
        attack = _attack(observation, mask, memory.courage)
        if attack >= 0:
            return len(MOVES) + attack
    return _forage(memory, observation)
