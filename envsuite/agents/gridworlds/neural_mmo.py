"""Players of NeuralMMO: one that lives on foliage and water, one that also fights, and one that also trades.

With items, all three wear what is useful to them, and consume rations and potions; with professions, they harvest when
they need nothing; with a market, they buy what they can use. Without a market, the trader is the forager.

Means over 64 episodes with default parameters, by player:

| players | return | age at the end | alive after 512 steps | kills |
|---|---|---|---|---|
| 8 random | -0.84 | 31 | 0.00 | 0.1 |
| 8 forager | 4.11 | 430 | 0.80 | 0.0 |
| 8 fighter | 2.69 | 292 | 0.42 | 2.4 |
| 4 forager, against 4 fighter | 2.45 | 306 | 0.38 | 0.0 |
| 4 fighter, against 4 forager | 3.53 | 352 | 0.57 | 2.8 |

Means over 32 episodes with items, professions and a market, by player:

| players | return | gold gained |
|---|---|---|
| 8 random | -0.86 | |
| 8 forager | 3.62 | |
| 8 fighter | 2.14 | |
| 8 trader | 3.44 | 0.0 |
| 4 trader, against 4 forager | 3.37 | 0.5 |
| 4 forager, against 4 trader | 3.67 | -0.5 |
| 4 fighter, against 4 forager | 3.13 | 5.1 |
| 4 forager, against 4 fighter | 1.91 | 0.0 |
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.gridworlds.neural_mmo import items, market, rules
from envsuite.gridworlds.neural_mmo.levels import CRYSTAL, FISH, FOLIAGE, HERB, ORE, TREE, WATER

_ID = "envsuite/NeuralMMO-v0"

_CELLS = rules.VIEW * rules.VIEW
#: No goal, and the kinds of goals; both is foliage beside water.
_FOOD, _DRINK, _BOTH, _HARVEST = range(4)


@kernel
def _walkable(ground, y, x):
    return 0 <= y < rules.VIEW and 0 <= x < rules.VIEW and rules.walkable(ground[y, x])


@kernel
def _beside(ground, y, x, code):
    """Whether a kind of ground is beside a cell, as far as can be seen."""
    for k in range(rules.STAY):
        j, i = y + rules.DOWN[k], x + rules.RIGHT[k]
        if 0 <= j < rules.VIEW and 0 <= i < rules.VIEW and ground[j, i] == code:
            return True
    return False


@kernel
def _fits(ground, y, x, goal):
    """Whether a cell is a goal of this kind."""
    code = ground[y, x]
    if goal == _HARVEST:
        return code == ORE or code == TREE or code == CRYSTAL or code == HERB or _beside(ground, y, x, FISH)
    if goal == _FOOD:
        return code == FOLIAGE
    return _beside(ground, y, x, WATER) and (goal == _DRINK or code == FOLIAGE)


@large_kernel
def _spread(memory, ground):
    """Steps from the middle to each cell in view; -1 without a way. The queue then has the cells by steps."""
    for k in range(_CELLS):
        memory.steps[k] = -1
    memory.steps[rules.SIGHT * rules.VIEW + rules.SIGHT] = 0
    memory.queue[0] = rules.SIGHT * rules.VIEW + rules.SIGHT
    head, tail = 0, 1
    while head < tail:
        cell = memory.queue[head]
        head += 1
        for k in range(rules.STAY):
            y, x = cell // rules.VIEW + rules.DOWN[k], cell % rules.VIEW + rules.RIGHT[k]
            if _walkable(ground, y, x) and memory.steps[y * rules.VIEW + x] < 0:
                memory.steps[y * rules.VIEW + x] = memory.steps[cell] + 1
                memory.queue[tail] = y * rules.VIEW + x
                tail += 1
    return tail


@large_kernel
def _nearest(memory, ground, tail, goal):
    """The nearest goal of a kind, or -1."""
    for k in range(tail):
        cell = memory.queue[k]
        if _fits(ground, cell // rules.VIEW, cell % rules.VIEW, goal):
            return cell
    return -1


@large_kernel
def _toward(memory, cell):
    """The first move of a shortest way to a cell that `_spread` reached."""
    move = rules.STAY
    while memory.steps[cell] > 0:
        before = cell
        for k in range(rules.STAY):
            y, x = cell // rules.VIEW - rules.DOWN[k], cell % rules.VIEW - rules.RIGHT[k]
            if (
                0 <= y < rules.VIEW
                and 0 <= x < rules.VIEW
                and memory.steps[y * rules.VIEW + x] == memory.steps[cell] - 1
            ):
                before, move = y * rules.VIEW + x, k
                break
        if before == cell:
            return rules.STAY
        cell = before
    return move


@kernel
def _roam(memory, ground):
    """Walk straight ahead, and turn now and then or where the way is blocked."""
    if bernoulli(memory, 0.05):
        memory.heading = randint(memory, rules.STAY)
    for _ in range(8):
        if _walkable(ground, rules.SIGHT + rules.DOWN[memory.heading], rules.SIGHT + rules.RIGHT[memory.heading]):
            return memory.heading
        memory.heading = randint(memory, rules.STAY)
    return rules.STAY


def _harvest_nearest(observation, memory, tail):
    cell = _nearest(memory, observation.ground, tail, _HARVEST)
    return _toward(memory, cell) if cell >= 0 else _roam(memory, observation.ground)


def _harvest_nothing(observation, memory, tail):
    return _roam(memory, observation.ground)


_harvest = by_fields(lambda names: "crafts" in names, _harvest_nearest, _harvest_nothing)


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
        if drink >= 0 and eat >= 0 and memory.steps[drink] + memory.steps[eat] <= rules.SIGHT:
            return _toward(memory, drink)
        return _harvest(observation, memory, tail)
    if goal < 0:
        goal = other if need <= memory.enough else -1
    return _roam(memory, ground) if goal < 0 else _toward(memory, goal)


# Items.


@kernel
def _best_style(own):
    """The style of highest level, and then of most experience."""
    best = 0
    for k in range(1, 3):
        if own[8 + k] > own[8 + best] or (own[8 + k] == own[8 + best] and own[5 + k] > own[5 + best]):
            best = k
    return best


@kernel
def _worth(kind, grade, style, armed):
    """The use of an item to wear: 0 for none. The armed prefer the weapon of their style, others tools."""
    if kind <= items.BOTTOM:
        return 1 + grade
    if kind == items.SPEAR + style or kind == items.WHETSTONE + style:
        return (20 + grade) * armed
    if items.ROD <= kind <= items.CHISEL:
        return 10 + grade * (1 - armed)
    return 0 * grade


@kernel
def _worn(observation, part, style, armed):
    """The worth of what is worn on a part of the body."""
    best = np.int64(0)
    for k in range(items.BAG):
        row = observation.bag[k]
        if row[3] and items.slot(row[0]) == part:
            best = max(best, 1 + _worth(np.int64(row[0]), np.int64(row[1]), style, armed))
    return best


@kernel
def _improves(observation, kind, grade, style, armed):
    """Whether an item is better than what is worn in its place."""
    worth = _worth(kind, grade, style, armed)
    return worth > 0 and items.slot(kind) > 0 and 1 + worth > _worn(observation, items.slot(kind), style, armed)


def _use_items(observation, mask, armed):
    own, style = observation.own, _best_style(observation.own)
    for k in range(items.BAG):
        kind, grade = np.int64(observation.bag[k, 0]), np.int64(observation.bag[k, 1])
        if mask[len(rules.ACTIONS) + k] == 0:
            continue
        hungry = kind == items.RATION and min(own[3], own[4]) <= 40
        if hungry or (kind == items.POTION and own[2] <= 50):
            return len(rules.ACTIONS) + k
        if observation.bag[k, 3] == 0 and _improves(observation, kind, grade, style, armed):
            return len(rules.ACTIONS) + k
    return -1


def _no_action(observation, mask, armed):
    return -1


#: The use of an item that helps now, or -1.
_use = by_fields(lambda names: "bag" in names, _use_items, _no_action)


@kernel
def _held(observation, kind):
    """How many of a kind are in the bag."""
    total = np.int64(0)
    for k in range(items.BAG):
        if observation.bag[k, 0] == kind:
            total += observation.bag[k, 2]
    return total


@kernel
def _wanted(observation, kind, grade, style, armed):
    """Whether to buy an item: it can be worn and improves on what is worn, or the supplies are few."""
    own = observation.own
    if kind >= items.RATION:
        return _held(observation, kind) < 2
    level = max(max(own[8], own[9]), own[10])
    if items.SPEAR <= kind <= items.WAND:
        level = own[8 + kind - items.SPEAR]
    return grade <= level and kind < items.WHETSTONE and _improves(observation, kind, grade, style, armed)


@kernel
def _price(grade):
    """What a trader asks: the number of a price."""
    return 0 if grade <= 1 else 1 if grade <= 3 else 2


def _buy_items(observation, mask, armed):
    style = _best_style(observation.own)
    first = len(rules.ACTIONS) + len(items.ACTIONS) + items.BAG * len(market.PRICES)
    for row in range(market.OFFERS):
        kind, grade = np.int64(row // 2 + 1), np.int64(observation.market[row, 0])
        if mask[first + row] and _wanted(observation, kind, grade, style, armed):
            return first + row
    return -1


def _sell_items(observation, mask, armed):
    style, first = _best_style(observation.own), len(rules.ACTIONS) + len(items.ACTIONS)
    for k in range(items.BAG):
        kind, grade = np.int64(observation.bag[k, 0]), np.int64(observation.bag[k, 1])
        action = first + len(market.PRICES) * k + _price(grade)
        spare = _held(observation, kind) > 2 if kind >= items.RATION else True
        if mask[action] and spare and not _improves(observation, kind, grade, style, armed):
            return action
    return -1


#: A purchase, and a sale; -1 without one.
_buy = by_fields(lambda names: "market" in names, _buy_items, _no_action)
_sell = by_fields(lambda names: "market" in names, _sell_items, _no_action)


def _add_attack(observation, style):
    return np.int64(observation.gear[style])


def _add_defense(observation):
    return np.int64(observation.gear[3])


def _add_nothing(observation, *_):
    return 0


_attack_worn = by_fields(lambda names: "gear" in names, _add_attack, _add_nothing)
_defense_worn = by_fields(lambda names: "gear" in names, _add_defense, _add_nothing)


@policy(
    _ID,
    "forager",
    variables={"heading": limited(0, 0, rules.STAY - 1), "steps": scratch(_CELLS), "queue": scratch(_CELLS)},
    enough=Between(0, 100).at(60.0),
)
def forager(memory, observation, mask):
    """Goes to foliage and water in time, best to foliage beside water; roams if it has more than `enough` of both."""
    action = _use(observation, mask, 0)
    if action < 0:
        action = _buy(observation, mask, 0)
    return action if action >= 0 else _forage(memory, observation)


@policy(
    _ID,
    "trader",
    variables={"heading": limited(0, 0, rules.STAY - 1), "steps": scratch(_CELLS), "queue": scratch(_CELLS)},
    enough=Between(0, 100).at(60.0),
)
def trader(memory, observation, mask):
    """Forages, and sells what it cannot use while it has more than `enough` of food and water."""
    action = _use(observation, mask, 0)
    if action < 0:
        action = _buy(observation, mask, 0)
    if action < 0 and min(observation.own[3], observation.own[4]) > memory.enough:
        action = _sell(observation, mask, 0)
    return action if action >= 0 else _forage(memory, observation)


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
def _loss(offense, defense):
    """The damage of a hit."""
    return max(max(offense - defense, offense // 4), 1)


@large_kernel
def _attack(observation, mask, courage):
    """The attack that wins in the fewest hits, of fights that should be won with `courage`; -1 without one."""
    own, found, fewest = observation.own, -1, 1000
    shield = 5 * own[_top(own, 8)] + _defense_worn(observation)
    for k in range(rules.SEEN):
        if mask[len(rules.MOVES) + k] == 0:
            continue
        row = observation.others[k]
        is_player, best = row[0] == rules.PLAYER, _top(row, 7)
        top = np.int64(row[best])
        threat = _loss(10 + 5 * top, shield) if is_player else _loss(8 * top, shield)
        survives = 1000 if row[0] == rules.PASSIVE else _hits(np.int64(own[2]), threat)
        for style in range(3):
            # The style of highest level may not be the one of most experience, but mostly is.
            known = not (row[7] == row[8] and row[8] == row[9])
            offense = 10 + 5 * np.int64(own[8 + style]) + _attack_worn(observation, style)
            strong = offense * 3 // 2 if known and (best - 7 + 2) % 3 == style else offense
            need = _hits(np.int64(row[4]), _loss(strong, 5 * top if is_player else 8 * top))
            # Of styles as good, the one of most experience.
            better = need < fewest or (
                need == fewest and found % rules.SEEN == k and own[5 + style] > own[5 + found // rules.SEEN]
            )
            if need <= courage * survives and better:
                found, fewest = style * rules.SEEN + k, need
    return found


@policy(
    _ID,
    "fighter",
    variables={"heading": limited(0, 0, rules.STAY - 1), "steps": scratch(_CELLS), "queue": scratch(_CELLS)},
    enough=Between(0, 100).at(60.0),
    courage=Between(0, 10).at(0.9),
    reserve=Between(0, 100).at(30.0),
)
def fighter(memory, observation, mask):
    """Forages, and fights what it should beat while it has more than `reserve` of food and water.

    It expects to beat an other if it needs at most `courage` times as many hits.
    """
    action = _use(observation, mask, 1)
    if action < 0:
        action = _buy(observation, mask, 1)
    if action >= 0:
        return action
    needs = min(observation.own[3], observation.own[4])
    if mask.shape[0] > len(rules.MOVES) and needs > memory.reserve:
        attack = _attack(observation, mask, memory.courage)
        if attack >= 0:
            return len(rules.MOVES) + attack
    return _forage(memory, observation)
