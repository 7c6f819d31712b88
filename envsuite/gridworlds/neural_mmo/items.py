"""Items of NeuralMMO: bags, equipment, harvests and loot.

The kernels here run where the record has the fields of `fields`, and do nothing elsewhere. Those of professions need
the fields of `craft_fields` too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle, uniform
from envsuite.core.ranges import MANY, below, flag, within
from envsuite.gridworlds.neural_mmo import tasks
from envsuite.gridworlds.neural_mmo.levels import CRYSTAL, FISH, HERB, ORE, TREE
from envsuite.gridworlds.neural_mmo.tasks import note

#: The kinds of items by number; 0 is an empty place in a bag.
KINDS = (
    "", "hat", "top", "bottom", "spear", "bow", "wand", "rod", "gloves", "pickaxe", "axe", "chisel",
    "whetstone", "arrow", "runes", "ration", "potion",
)  # fmt: skip
(
    NOTHING, HAT, TOP, BOTTOM, SPEAR, BOW, WAND, ROD, GLOVES, PICKAXE, AXE, CHISEL,
    WHETSTONE, ARROW, RUNES, RATION, POTION,
) = range(17)  # fmt: skip
#: Places in a bag; others, by their rows, to whom an item can be given.
BAG, NEAR = 12, 4
#: The grades that items can have: creatures have levels up to 15.
TOP_GRADE = 15
MOST_GOLD = 1_000_000_000

#: Professions, each with the ground and the tool that it needs.
CRAFTS = ("fishing", "herbalism", "prospecting", "carving", "alchemy")
_GROUNDS = np.array([FISH, HERB, ORE, TREE, CRYSTAL])
_TOOLS = np.array([ROD, GLOVES, PICKAXE, AXE, CHISEL])
_YIELDS = np.array([RATION, POTION, WHETSTONE, ARROW, RUNES])
_WEAPONS = np.array([NOTHING, NOTHING, WAND, SPEAR, BOW])
_POINTS = np.array([30, 30, 15, 15, 15])
#: Probabilities that used ground is as before in the next step, by profession.
_RETURNS = np.array([0.02, 0.02, 0.1, 0.105, 0.1])
_WEAPON_CHANCE, _TOP_LEVEL = 0.025, 10
THRESHOLDS = np.array([0, 90, 217, 373, 553, 754, 974, 1212, 1467, 1737])

#: Defense of tools, and per grade of armor; offense of weapons and ammunition: a base, and more per grade.
_TOOL, _ARMOR, _BASE, _WEAPON, _AMMUNITION = 15, 3, 5, 5, 10
_RESTORED, _MORE, _FULL = 50, 5, 100
#: Steps in which a fight keeps a player from using and trading items, with the step of the fight itself.
ENGAGED = 4

REST, USE, DESTROY, GIVE, SELL, BUY, PAY = range(7)
ACTIONS = (
    *(f"use {k}" for k in range(1, BAG + 1)),
    *(f"destroy {k}" for k in range(1, BAG + 1)),
    *(f"give {k} to {row}" for k in range(1, BAG + 1) for row in range(1, NEAR + 1)),
)


def fields(players: int, everyone: int) -> list[tuple]:
    """What a world with items adds to the record. An item is in one place of a bag until it leaves the bag."""
    places, own = (players, BAG), (players,)
    return [
        ("item", below(np.uint8, len(KINDS)), places),
        ("grade", within(np.uint8, 0, TOP_GRADE), places),
        ("amount", within(np.int64, 0, MANY), places),
        ("worn", flag(), places),
        ("engaged", within(np.int64, 0, ENGAGED), own),  # steps, with this one, until a player can use items
        ("deed", below(np.int64, PAY + 1), own),  # with an item or gold, in the last step
        ("place", below(np.int64, BAG), own),  # of the item
        ("partner", within(np.int64, 0, everyone), own),  # who gets it: a number plus 1
        ("price", within(np.int64, 0, MANY), own),  # asked or paid
        ("offer", within(np.int64, 0, players * BAG), own),  # bought: the seller's number * 12 + the place + 1
        ("drops", below(np.uint8, len(KINDS)), (everyone, 2)),  # armor and tool of a creature
        ("loot", below(np.int64, BAG), (BAG,)),  # used only within `fall`
    ]


def craft_fields(players: int, size: int, width: int) -> list[tuple]:
    """What a world with professions adds to the record."""
    return [
        ("craft", within(np.int64, 0, MANY), (players, len(CRAFTS))),  # experience
        ("craft_skill", below(np.int64, _TOP_LEVEL + 1), (players, len(CRAFTS))),  # levels
        ("used", below(np.uint32, width * width), (size * size,)),  # the cells with used ground, in no order
        ("used_count", within(np.int64, 0, size * size)),
    ]


def where(field: str) -> Callable[[Callable], Any]:
    """Makes a kernel that runs the decorated function where a record has a field, and is 0 elsewhere."""

    def nothing(s, *_):
        return 0

    return lambda function: by_fields(lambda names: field in names, function, nothing)


# Places in bags.


@kernel
def stacks(kind):
    """Whether items of a kind and grade are in one place: ammunition."""
    return WHETSTONE <= kind <= RUNES


@kernel
def slot(kind):
    """The part of the body for an item: 1 to 3 armor, 4 the hand, 5 ammunition; 0 for what cannot be worn."""
    if kind <= BOTTOM:
        return np.int64(kind)
    return np.int64(4 if kind <= CHISEL else 5 if kind <= RUNES else 0)


@kernel
def free_place(s, a):
    """The first empty place of a bag, or -1."""
    for k in range(BAG):
        if s.item[a, k] == NOTHING:
            return k
    return -1


@kernel
def stack_of(s, a, kind, grade):
    """The place with the same ammunition, or -1."""
    if stacks(kind):
        for k in range(BAG):
            if s.item[a, k] == kind and s.grade[a, k] == grade:
                return k
    return -1


@kernel
def fits(s, a, kind, grade):
    """Whether a bag has room for an item."""
    return free_place(s, a) >= 0 or stack_of(s, a, kind, grade) >= 0


@kernel
def put(s, a, kind, grade, amount):
    """Put an item into a bag; without room for it, it is gone."""
    k = stack_of(s, a, kind, grade)
    if k < 0:
        k = free_place(s, a)
    if k >= 0:
        s.item[a, k] = kind
        s.grade[a, k] = grade
        s.amount[a, k] += amount


@kernel
def take(s, a, k):
    """Empty a place. What its owner was going to do with it is off."""
    s.item[a, k] = NOTHING
    s.grade[a, k] = s.amount[a, k] = s.worn[a, k] = 0
    unlist(s, a, k)
    if s.place[a] == k and DESTROY <= s.deed[a] <= SELL:
        s.deed[a] = REST


@where("asked")
def unlist(s, a, k):
    """Take an item off the market."""
    s.asked[a, k] = 0
    s.left[a, k] = 0
    return 0


@where("asked")
def listed(s, a, k):
    """The price at which an item is on the market, or 0."""
    return s.asked[a, k]


@kernel
def hand_over(s, a, k, b):
    """Move an item from one bag to another; return whether it is in a place of its own there."""
    kind, grade, amount = s.item[a, k], s.grade[a, k], s.amount[a, k]
    alone = stack_of(s, b, kind, grade) < 0 and free_place(s, b) >= 0
    take(s, a, k)
    put(s, b, kind, grade, amount)
    return alone


# What items are worth in a fight.


@kernel
def worn_attack(s, a, style):
    """What worn items add to the offense of a style: weapon and ammunition."""
    total = np.int64(0)
    for k in range(BAG):
        if s.worn[a, k]:
            if s.item[a, k] == SPEAR + style:
                total += _BASE + _WEAPON * s.grade[a, k]
            elif s.item[a, k] == WHETSTONE + style:
                total += _BASE + _AMMUNITION * s.grade[a, k]
    return total


@kernel
def worn_defense(s, a):
    """What worn items add to the defense: armor and tool."""
    total = np.int64(0)
    for k in range(BAG):
        if s.worn[a, k]:
            if s.item[a, k] <= BOTTOM:
                total += _ARMOR * s.grade[a, k]
            elif ROD <= s.item[a, k] <= CHISEL:
                total += _TOOL
    return total


@kernel
def worn_level(s, a):
    """The sum of the grades of worn items."""
    total = np.int64(0)
    for k in range(BAG):
        if s.worn[a, k]:
            total += s.grade[a, k]
    return total


@where("item")
def extra_attack(s, e, style):
    """What a player's items add to its offense."""
    return worn_attack(s, e, style) if e < s.item.shape[0] and s.params.equipped else np.int64(0)


@where("item")
def extra_defense(s, e):
    """What a player's items add to its defense."""
    return worn_defense(s, e) if e < s.item.shape[0] and s.params.equipped else np.int64(0)


@where("item")
def fire(s, e, style):
    """An attack uses one piece of the ammunition of its style."""
    if e < s.item.shape[0] and s.params.equipped:
        for k in range(BAG):
            if s.worn[e, k] and s.item[e, k] == WHETSTONE + style:
                note(s, e, tasks.FIRE)
                s.amount[e, k] -= 1
                if s.amount[e, k] == 0:
                    take(s, e, k)
    return 0


@where("item")
def engage(s, e):
    """Note that a player fights."""
    if e < s.item.shape[0]:
        s.engaged[e] = ENGAGED
    return 0


@where("craft")
def top_craft(s, a):
    """The highest level of a profession."""
    best = np.int64(0)
    for k in range(len(CRAFTS)):
        best = max(best, s.craft_skill[a, k])
    return best


# Start, death and loot.


@where("item")
def forget(s, e):
    """Everything about the items of a player or creature as at its start."""
    s.drops[e, 0] = s.drops[e, 1] = NOTHING
    if e < s.item.shape[0]:
        for k in range(BAG):
            take(s, e, k)
        s.engaged[e] = s.deed[e] = s.place[e] = s.partner[e] = s.price[e] = s.offer[e] = 0
        learn(s, e)
    keep_gold(s, e, 0)
    return 0


@where("craft")
def learn(s, a):
    """Professions as at the start."""
    for k in range(len(CRAFTS)):
        s.craft[a, k] = 0
        s.craft_skill[a, k] = s.params.progression
    return 0


@where("gold")
def keep_gold(s, e, amount):
    """Set what a player or creature has."""
    s.gold[e] = amount
    return 0


@where("gold")
def move_gold(s, e, other):
    """All gold goes to another."""
    if s.gold[e]:
        note(s, other, tasks.COLLECT)
    s.gold[other] += s.gold[e]
    s.gold[e] = 0
    return 0


@where("item")
def outfit(s, e, level):
    """What a new creature has: gold by its level, armor if creatures have equipment, and perhaps a tool."""
    keep_gold(s, e, level)
    if s.params.equipped:
        s.drops[e, 0] = HAT + randint(s, 3)
    outfit_tool(s, e)
    return 0


@where("craft")
def outfit_tool(s, e):
    """The tool of a new creature."""
    s.drops[e, 1] = ROD + randint(s, len(CRAFTS))
    return 0


@where("item")
def fall(s, e, killer):
    """What the killer gets: gold, and the items if it is a player; the rest is gone."""
    players = s.item.shape[0]
    move_gold(s, e, killer)
    if e >= players:
        level = max(max(s.skill[e, 0], s.skill[e, 1]), s.skill[e, 2])
        for k in range(2):
            if s.drops[e, k] and killer < players and free_place(s, killer) >= 0:
                put(s, killer, s.drops[e, k], level, 1)
                note(s, killer, tasks.LOOT)
            s.drops[e, k] = NOTHING
        return 0
    for k in range(BAG):
        s.loot[k] = k
    mix_loot(s, e)
    for j in range(BAG):
        k = s.loot[j]
        if s.item[e, k]:
            if killer >= players:
                take(s, e, k)
            elif hand_over(s, e, k, killer):
                note(s, killer, tasks.LOOT)
        s.loot[j] = 0
    return 0


@kernel
def mix_loot(s, e):
    """The order in which a bag is emptied."""
    shuffle(s, s.loot, BAG)


@where("item")
def bury(s, a):
    """A dead player has nothing."""
    for k in range(BAG):
        if s.item[a, k]:
            take(s, a, k)
    keep_gold(s, a, 0)
    return 0


# Professions.


@where("craft")
def start_crafts(s):
    """No ground is used."""
    fill(s.used, 0)
    s.used_count = 0
    return 0


@where("craft")
def work(s, a):
    """A player harvests: fish on all four sides, anything else in its own cell."""
    y, x = s.y[a], s.x[a]
    fish = use_ground(s, y - 1, x, FISH) + use_ground(s, y + 1, x, FISH)
    fish += use_ground(s, y, x - 1, FISH) + use_ground(s, y, x + 1, FISH)
    if fish:
        gain(s, a, 0)
    for craft in range(1, len(CRAFTS)):
        if use_ground(s, y, x, _GROUNDS[craft]):
            gain(s, a, craft)
    return 0


@kernel
def use_ground(s, y, x, code):
    """Use the ground of a cell if it is of this kind."""
    if s.ground[y, x] != code:
        return 0
    s.ground[y, x] = code - 1
    s.used[s.used_count] = y * s.ground.shape[0] + x
    s.used_count += 1
    return 1


@large_kernel
def gain(s, a, craft):
    """The items and the experience of a harvest."""
    grade = np.int64(1)
    for k in range(BAG):
        if s.worn[a, k] and s.item[a, k] == _TOOLS[craft]:
            grade = min(1 + s.grade[a, k], _TOP_LEVEL)
    if free_place(s, a) >= 0:
        put(s, a, _YIELDS[craft], grade, 1)
        note(s, a, tasks.HARVEST)
    if s.params.equipped and _WEAPONS[craft] and finds_weapon(s) and free_place(s, a) >= 0:
        put(s, a, _WEAPONS[craft], grade, 1)
        note(s, a, tasks.HARVEST)
    if s.params.progression:
        s.craft[a, craft] += _POINTS[craft]
        while s.craft_skill[a, craft] < _TOP_LEVEL and s.craft[a, craft] >= THRESHOLDS[s.craft_skill[a, craft]]:
            s.craft_skill[a, craft] += 1
            note(s, a, tasks.LEVEL)


@kernel
def finds_weapon(s):
    """Whether a harvest yields a weapon too."""
    return bernoulli(s, _WEAPON_CHANCE)


@where("craft")
def regrow(s):
    """Some used ground is as before."""
    width = s.ground.shape[0]
    for k in range(s.used_count - 1, -1, -1):
        cell = np.int64(s.used[k])
        y, x = cell // width, cell % width
        for craft in range(len(CRAFTS)):
            if s.ground[y, x] == _GROUNDS[craft] - 1 and uniform(s) < _RETURNS[craft]:
                s.ground[y, x] = _GROUNDS[craft]
                s.used_count -= 1
                s.used[k] = s.used[s.used_count]
                s.used[s.used_count] = 0
                break
    return 0


# What players do with items.


@where("item")
def plan(s, a, action):
    """What a player is going to do with items; `action` counts from the first of these actions."""
    s.deed[a] = REST
    if action < 0:
        return 0
    if action < 2 * BAG:
        s.deed[a] = USE + action // BAG
        s.place[a] = action % BAG
    elif action < len(ACTIONS):
        s.deed[a] = GIVE
        s.place[a] = (action - 2 * BAG) // NEAR
        s.partner[a] = s.near[a, (action - 2 * BAG) % NEAR]
    return 0


@kernel
def level_for(s, a, kind):
    """The level that decides whether a player can use an item."""
    if SPEAR <= kind <= WAND:
        return s.skill[a, kind - SPEAR]
    if WHETSTONE <= kind <= RUNES:
        return s.skill[a, kind - WHETSTONE]
    if ROD <= kind <= CHISEL:
        return max(craft_level(s, a, kind - ROD), np.int64(s.params.progression))
    return max(max(max(s.skill[a, 0], s.skill[a, 1]), s.skill[a, 2]), top_craft(s, a))


@where("craft")
def craft_level(s, a, craft):
    """The level of a profession; 0 without professions."""
    return s.craft_skill[a, craft]


@kernel
def usable(s, a, k):
    """Whether a player can use what is in a place of its bag."""
    kind = s.item[a, k]
    return kind != NOTHING and listed(s, a, k) == 0 and s.grade[a, k] <= level_for(s, a, kind)


@kernel
def movable(s, a, k):
    """Whether an item can be given or sold."""
    return s.item[a, k] != NOTHING and s.worn[a, k] == 0 and listed(s, a, k) == 0


@kernel
def destructible(s, a, k):
    """Whether an item can be destroyed."""
    return s.item[a, k] != NOTHING and s.worn[a, k] == 0


@kernel
def may_deal(s, a):
    """Whether a player lives and is in no fight."""
    return s.health[a] > 0 and s.engaged[a] == 0


@where("item")
def use(s, a):
    """Wear or take off an item, or consume it."""
    k = s.place[a]
    if s.deed[a] != USE or not may_deal(s, a) or not usable(s, a, k):
        return 0
    kind = s.item[a, k]
    part = slot(kind)
    if part == 0:
        consume(s, a, k)
        return 0
    worn = s.worn[a, k]
    for j in range(BAG):
        if s.worn[a, j] and slot(s.item[a, j]) == part:
            s.worn[a, j] = 0
    s.worn[a, k] = 1 - worn
    if not worn:
        note(s, a, tasks.EQUIP)
    return 0


@kernel
def consume(s, a, k):
    """Eat and drink a ration, or heal with a potion."""
    kind, restored = s.item[a, k], restores(s, s.grade[a, k])
    if kind == RATION:
        s.food[a] = min(s.food[a] + restored, _FULL)
        s.water[a] = min(s.water[a] + restored, _FULL)
    else:
        s.health[a] = min(s.health[a] + restored, _FULL)
    take(s, a, k)
    note(s, a, tasks.CONSUME)


@where("craft")
def restores(s, grade):
    """What an item restores; 0 without professions."""
    return _RESTORED + _MORE * grade


@where("item")
def give(s, a, sight):
    """Give an item to a player in view."""
    k, b = s.place[a], s.partner[a] - 1
    if s.deed[a] != GIVE or not may_deal(s, a) or not movable(s, a, k) or not in_view(s, a, b, sight):
        return 0
    if fits(s, b, s.item[a, k], s.grade[a, k]):
        hand_over(s, a, k, b)
        note(s, a, tasks.GIVE)
    return 0


@kernel
def in_view(s, a, b, sight):
    """Whether one can give something to another."""
    if b < 0 or b == a or b >= s.item.shape[0]:
        return False
    return s.health[b] > 0 and max(abs(s.y[a] - s.y[b]), abs(s.x[a] - s.x[b])) <= sight


@where("item")
def destroy(s, a):
    """Destroy an item."""
    k = s.place[a]
    if s.deed[a] == DESTROY and may_deal(s, a) and destructible(s, a, k):
        take(s, a, k)
        note(s, a, tasks.DESTROY)
    return 0


@where("item")
def settle(s):
    """The end of a step: the dead lose everything, and fights are longer ago."""
    for a in range(s.item.shape[0]):
        if s.health[a] == 0:
            bury(s, a)
        s.engaged[a] = max(s.engaged[a] - 1, 0)
    return 0


# What players see.


@where("item")
def see(s, agent, out):
    """The parts of an observation about items."""
    for k in range(BAG):
        row = out.bag[k]
        row[0], row[1] = s.item[agent, k], s.grade[agent, k]
        row[2], row[3] = min(s.amount[agent, k], MOST_GOLD), s.worn[agent, k]
        row[4], row[5] = listed(s, agent, k), time_left(s, agent, k)
    for style in range(3):
        out.gear[style] = worn_attack(s, agent, style)
    out.gear[3], out.gear[4] = worn_defense(s, agent), s.engaged[agent]
    for k in range(out.armed.shape[0]):
        e = s.near[agent, k] - 1
        out.armed[k] = worn_level(s, e) if 0 <= e < s.item.shape[0] else 0
    return 0


@where("asked")
def time_left(s, a, k):
    """The steps that an item stays on the market."""
    return s.left[a, k]


@where("craft")
def see_crafts(s, agent, out):
    """The part of an observation about professions."""
    for k in range(len(CRAFTS)):
        out.crafts[k] = min(s.craft[agent, k], MOST_GOLD)
        out.crafts[len(CRAFTS) + k] = s.craft_skill[agent, k]
    return 0


@where("item")
def mask(s, agent, legal, first):
    """Which of the actions with items are legal; the first of them has this number."""
    if s.engaged[agent] > 0:
        return 0
    for k in range(BAG):
        legal[first + k] = usable(s, agent, k)
        legal[first + BAG + k] = destructible(s, agent, k)
        for row in range(NEAR):
            e = s.near[agent, row] - 1
            legal[first + 2 * BAG + NEAR * k + row] = 0 <= e < s.item.shape[0] and movable(s, agent, k)
    return 0
