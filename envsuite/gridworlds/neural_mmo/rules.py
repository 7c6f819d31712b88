"""The rules of NeuralMMO (see `envsuite.gridworlds.neural_mmo`): the record, and kernels for players and creatures."""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import geometric, randint, shuffle, uniform
from envsuite.core.ranges import MANY, below, within
from envsuite.gridworlds.neural_mmo import items, market, nearby, tasks
from envsuite.gridworlds.neural_mmo import levels as wilds
from envsuite.gridworlds.neural_mmo.items import THRESHOLDS, where
from envsuite.gridworlds.neural_mmo.levels import FOLIAGE, GRASS, HERB, ORE, SCRUB, VOID, WATER, make
from envsuite.gridworlds.neural_mmo.tasks import note
from envsuite.kit.grid import sprout_anywhere

MOVES = ("north", "south", "east", "west", "stay")
NORTH, SOUTH, EAST, WEST, STAY = range(5)
DOWN, RIGHT = np.array([-1, 1, 0, 0, 0]), np.array([0, 0, 1, -1, 0])
STYLES = ("melee", "range", "mage")

#: The others that an agent sees, and how far it sees, which is also the border around the map; the reach of attacks.
SEEN, SIGHT, REACH = 15, 7, 3
VIEW = 2 * SIGHT + 1
ACTIONS = (*MOVES, *(f"{style} {k}" for style in STYLES for k in range(1, SEEN + 1)))

NONE, PLAYER, PASSIVE, NEUTRAL, HOSTILE = range(5)
SURVIVE, FORAGE, FIGHT, EXPLORE, EARN = range(5)
OBJECTIVES = ("survive", "forage", "fight", "explore", "earn", "task")

MOST = 100
_DRAIN, _STARVE, _HEAL, _WELL = 5, 10, 10, 50
_BASE, _PER_LEVEL, _HIT_POINTS = 10, 5, 6
_NEUTRAL_FROM, _HOSTILE_FROM, _POWER, TOP_LEVEL = 0.5, 0.8, 8, 15
ATTEMPTS = 25
LARGEST_HIT = 400

MOST_PLAYERS, LONGEST, MOST_SHOWN = 1024, 32_000, 1_000_000_000
#: The order in which ways of equal length are preferred, and directions are tried by wanderers.
_WAYS, _TRIES = np.array([NORTH, WEST, SOUTH, EAST]), np.array([NORTH, SOUTH, WEST, EAST])
ORDERS = ("random", "number")
_RANDOM = 0
WEIGHT = 1_000_000.0
MOST_TOKENS = 127


def fields(
    players: int, creatures: int, size: int, bags: bool, professions: bool, exchange: bool, tokens: int, goals: int
) -> list[tuple]:
    """The record. Players are 0, 1, ...; creatures follow. Places include a border of void around the map."""
    everyone, width = players + creatures, size + 2 * SIGHT
    own, both = (players,), (everyone,)
    place, somebody = within(np.int64, SIGHT, SIGHT + size - 1), within(np.int64, 0, everyone)
    vital, count = within(np.int64, 0, MOST), within(np.int64, 0, MANY)
    return [
        ("ground", below(np.uint8, wilds.codes(professions)), (width, width)),
        ("scrub", below(np.uint32, width * width), (size * size,)),  # the cells with scrub, row after row
        ("scrub_count", within(np.int64, 0, size * size)),
        ("gap", within(np.int64, 0, 2**62)),  # cells of scrub before the next one that grows
        ("x", place, both),
        ("y", place, both),
        ("kind", below(np.uint8, HOSTILE + 1), both),  # 0 for a creature that has not appeared yet
        ("health", vital, both),
        ("food", vital, own),
        ("water", vital, own),
        ("age", within(np.int64, 0, MANY), both),
        ("experience", within(np.int64, 0, MANY), (everyone, len(STYLES))),
        ("skill", below(np.int64, TOP_LEVEL + 1), (everyone, len(STYLES))),  # levels
        ("style", below(np.int64, len(STYLES)), both),  # of the attack in the last step; of a creature, always
        ("power", within(np.int64, 0, _POWER * TOP_LEVEL), both),  # of a creature
        ("depth", within(np.int64, -1, size // 2), both),  # a creature's first distance to the border; -1 if unknown
        ("target", somebody, both),  # a creature's, as all numbers below plus 1
        ("attacker", somebody, both),
        ("hurt", within(np.int64, 0, LARGEST_HIT), both),  # by the last hit in the last step
        ("farthest", within(np.int64, 0, size // 2), own),
        ("kills", count, own),
        ("eaten", count, own),
        ("drunk", count, own),
        ("move", below(np.int64, len(MOVES)), both),  # in the last step
        ("aim", somebody, both),  # whom they attack in the last step
        ("order", below(np.int64, players), own),  # of players in the last step
        # Room to search for ways.
        ("steps", within(np.int64, -1, VIEW * VIEW), (VIEW, VIEW)),
        ("queue", below(np.int64, VIEW * VIEW), (VIEW * VIEW,)),
        *nearby.fields(players, everyone, width, SEEN),
        *(items.fields(players, everyone) if bags else ()),
        *(items.craft_fields(players, size, width) if professions else ()),
        *(market.fields(players, everyone) if exchange else ()),
        *(tasks.fields(players, goals) if goals else ()),
        *([("word", within(np.int64, 0, tokens), own)] if tokens else ()),  # the last token of a player
    ]


@kernel
def side(s):
    """Cells on a side of the map."""
    return s.level.map.shape[0]


@kernel
def count(s):
    """The number of players."""
    return s.food.shape[0]


@large_kernel
def reset(s):
    if not s.level_given:
        make(s)
    lay(s)
    for e in range(s.x.shape[0]):
        clear(s, e)
        s.x[e] = s.y[e] = SIGHT
        s.kind[e] = NONE
        s.health[e] = 0
    items.start_crafts(s)
    market.start(s)
    hush(s)
    appear(s)
    refill(s)
    nearby.clear(s)
    for k in range(VIEW * VIEW):
        s.queue[k] = 0
        s.steps[k // VIEW, k % VIEW] = -1
    nearby.watch(s, SIGHT)


@large_kernel
def lay(s):
    """Copy the map into its border of void."""
    width = s.ground.shape[0]
    for y in range(width):
        for x in range(width):
            inside = SIGHT <= x < width - SIGHT and SIGHT <= y < width - SIGHT
            s.ground[y, x] = s.level.map[y - SIGHT, x - SIGHT] if inside else VOID
    fill(s.scrub, 0)
    s.scrub_count = 0
    s.gap = geometric(s, s.params.regrowth)


@kernel
def clear(s, e):
    """Everything about a player or creature as at its start, but for its place and kind."""
    s.health[e] = MOST
    s.age[e] = 0
    s.style[e] = 0
    s.power[e] = 0
    s.depth[e] = -1
    s.target[e] = 0
    s.attacker[e] = 0
    s.hurt[e] = 0
    s.move[e] = STAY
    s.aim[e] = 0
    for k in range(3):
        s.experience[e, k] = 0
        s.skill[e, k] = 0
    items.forget(s, e)


@large_kernel
def appear(s):
    """Players on random outermost cells, each on a different one while there are enough."""
    last, found = side(s) - 1, 0
    for k in range(4 * last):
        y, x = outermost(last, k)
        if walkable(s.level.map[y, x]):
            s.scrub[found] = k
            found += 1
    shuffle(s, s.scrub, found)
    for a in range(count(s)):
        y, x = outermost(last, np.int64(s.scrub[np.uint64(a % found)]))
        s.y[a], s.x[a] = SIGHT + y, SIGHT + x
        s.kind[a] = PLAYER
        s.health[a] = s.food[a] = s.water[a] = MOST
        s.farthest[a] = s.kills[a] = s.eaten[a] = s.drunk[a] = 0
        s.order[a] = a
        for k in range(3):
            s.skill[a, k] = s.params.progression
        tasks.draw(s, a, deeds_with_items(s), has_crafts(s), deeds_with_gold(s))
    for k in range(found):
        s.scrub[k] = 0


@kernel
def outermost(last, k):
    """Row and column of an outermost cell by its number, clockwise."""
    part, along = k // last, k % last
    if part == 0:
        return np.int64(0), along
    if part == 1:
        return along, last
    if part == 2:
        return last, last - along
    return last - along, np.int64(0)


@kernel
def walkable(code):
    """Whether one can stand on this ground: not on water, stone and fish."""
    return GRASS <= code <= FOLIAGE or ORE - 1 <= code <= HERB


@kernel
def depth(s, y, x):
    """The distance of a place to the outermost cells."""
    y, x, last = y - SIGHT, x - SIGHT, side(s) - 1
    return min(min(y, last - y), min(x, last - x))


@large_kernel
def refill(s):
    """Up to 25 attempts to replace dead creatures."""
    attempts = ATTEMPTS
    for e in range(count(s), s.x.shape[0]):
        while s.health[e] == 0 and attempts > 0:
            attempts -= 1
            spawn(s, e)


@large_kernel
def spawn(s, e):
    """Try to replace a creature."""
    size = side(s)
    if s.depth[e] >= 0:
        away, part = np.int64(s.depth[e]), randint(s, 4)
        along, across = away + randint(s, size - 2 * away), away if part < 2 else size - 1 - away
        y, x = (along, across) if part % 2 else (across, along)
    else:
        y, x = randint(s, size), randint(s, size)
    s.depth[e] = -1
    y, x = y + SIGHT, x + SIGHT
    if not walkable(s.ground[y, x]):
        return
    clear(s, e)
    s.y[e], s.x[e] = y, x
    s.depth[e] = depth(s, y, x)
    danger = 2.0 * s.depth[e] / size
    s.kind[e] = HOSTILE if danger >= _HOSTILE_FROM else NEUTRAL if danger >= _NEUTRAL_FROM else PASSIVE
    s.style[e] = randint(s, 3)
    if s.params.progression:
        level = np.int64(1.0 + danger * (s.params.creature_level - 1))
        s.skill[e, s.style[e]] = level
        s.experience[e, s.style[e]] = 1
        s.power[e] = np.int64(_POWER * (level - uniform(s)))
    items.outfit(s, e, s.skill[e, s.style[e]])


@large_kernel
def step(s, actions, rewards):
    plan(s, actions)
    decide(s)
    advance(s)
    nearby.watch(s, SIGHT)
    finish(s)


@kernel
def plan(s, actions):
    """What players are going to do: rows of others mean those of the last observation."""
    first = first_deed(s)
    for a in range(count(s)):
        s.move[a] = STAY
        s.aim[a] = 0
        tasks.start(s, a)
        if s.health[a] > 0:
            if actions[a] < len(MOVES):
                s.move[a] = actions[a]
            elif actions[a] < first:
                k = actions[a] - len(MOVES)
                s.style[a] = k // SEEN
                s.aim[a] = s.near[a, k % SEEN]
            items.plan(s, a, actions[a] - first)
            market.plan(s, a, actions[a] - first)
            speak(s, a, actions[a] - first)


@kernel
def first_deed(s):
    """The number of the first action after moves and attacks."""
    return len(ACTIONS) if s.params.combat else len(MOVES)


@where("word")
def speak(s, a, action):
    """Say a token."""
    action -= deeds_with_items(s) + deeds_with_gold(s)
    if action >= 0:
        s.word[a] = action + 1
    return 0


@where("item")
def deeds_with_items(s):
    return len(items.ACTIONS)


@where("gold")
def deeds_with_gold(s):
    return len(market.ACTIONS)


@where("craft")
def has_crafts(s):
    return 1


@where("word")
def hush(s):
    """Nobody has said anything."""
    for a in range(count(s)):
        s.word[a] = 0
    return 0


@large_kernel
def advance(s):
    """All of a step after the choices."""
    players, everyone = count(s), s.x.shape[0]
    for a in range(players):
        s.order[a] = a
    if s.params.order == _RANDOM:
        shuffle(s, s.order, players)
    for k in range(players):
        live(s, s.order[k])
    for e in range(players, everyone):
        live(s, e)
    deal(s)
    for k in range(players):
        strike(s, s.order[k])
    for e in range(players, everyone):
        strike(s, e)
    for e in range(everyone):
        walk(s, e)
    close(s)
    refill(s)
    grow(s)


@where("item")
def deal(s):
    """What players do with items before they fight."""
    players = count(s)
    for k in range(players):
        items.use(s, s.order[k])
    market.trade(s)
    for k in range(players):
        items.give(s, s.order[k], SIGHT)
        market.pay(s, s.order[k], SIGHT)
    for k in range(players):
        items.destroy(s, s.order[k])
    return 0


@where("item")
def close(s):
    """Sales, deaths, and offers that lapse."""
    for a in range(count(s)):
        market.sell(s, a)
    items.settle(s)
    market.lapse(s)
    return 0


@kernel
def live(s, e):
    """An agent is one step older, and a player eats and drinks."""
    if s.health[e] == 0:
        return
    if s.hurt[e] == 0:
        s.attacker[e] = 0
    s.hurt[e] = 0
    s.age[e] += 1
    if e >= count(s):
        s.health[e] = min(s.health[e] + 1, MOST)
        return
    choke(s.params, s, e)
    if s.health[e] > 0:
        if s.params.resource:
            sustain(s, e)
        items.work(s, e)


@kernel
def fog(s, a, t):
    """The damage of the fog in a player's cell in step t, or minus the steps until it is there."""
    away, middle = from_edge(s, s.y[a], s.x[a]), (side(s) - 1) // 2
    return -LONGEST if middle - away <= s.params.fog_core else t - s.params.fog - away


@kernel
def from_edge(s, y, x):
    """How far the fog has to come to a place."""
    return depth(s, y, x)


@where("fog")
def choke(params, s, a):
    """The fog takes health."""
    damage = fog(s, a, s.t)
    if damage > 0 and s.t > params.fog:
        s.hurt[a] = min(damage, LARGEST_HIT)
        s.health[a] = max(s.health[a] - damage, 0)
        if s.health[a] == 0:
            items.bury(s, a)
    return 0


@kernel
def sustain(s, a):
    """Health by food and water; then food and water by the ground."""
    if s.food[a] > _WELL and s.water[a] > _WELL:
        s.health[a] = min(s.health[a] + _HEAL, MOST)
    lost = _STARVE * (np.int64(s.food[a] == 0) + np.int64(s.water[a] == 0))
    s.health[a] = max(s.health[a] - lost, 0)
    s.water[a] = max(s.water[a] - _DRAIN, 0)
    s.food[a] = max(s.food[a] - _DRAIN, 0)
    y, x = s.y[a], s.x[a]
    for k in range(STAY):
        if s.ground[y + DOWN[k], x + RIGHT[k]] == WATER:
            s.objectives[a, FORAGE] += (MOST - s.water[a]) / MOST
            s.water[a] = MOST
            s.drunk[a] += 1
            note(s, a, tasks.DRINK)
            break
    if s.ground[y, x] == FOLIAGE:
        s.objectives[a, FORAGE] += (MOST - s.food[a]) / MOST
        s.food[a] = MOST
        s.eaten[a] += 1
        note(s, a, tasks.EAT)
        s.ground[y, x] = SCRUB
        s.scrub[s.scrub_count] = y * s.ground.shape[0] + x
        s.scrub_count += 1


@kernel
def strike(s, e):
    """An attack, if it was chosen and is possible now."""
    if s.aim[e] == 0 or s.health[e] == 0:
        return
    other = s.aim[e] - 1
    if other == e or s.health[other] == 0 or not reaches(s, e, other):
        return
    players = count(s)
    if e < players and other < players and s.age[other] < s.params.immunity:
        return
    damage = harm(s, e, other)
    if e < players and s.params.progression:
        train(s, e)
    taken = min(damage, s.health[other])
    s.health[other] -= taken
    s.hurt[other] = damage
    s.attacker[other] = e + 1
    if s.health[other] == 0:
        items.fall(s, other, e)
    items.engage(s, e)
    items.engage(s, other)
    if e < players:
        s.objectives[e, FIGHT] += taken / MOST
        s.kills[e] += s.health[other] == 0
        note(s, e, tasks.HIT)
        if s.health[other] == 0:
            note(s, e, tasks.KILL)


@kernel
def reaches(s, e, other):
    """Whether two are near enough for an attack."""
    return max(abs(s.y[e] - s.y[other]), abs(s.x[e] - s.x[other])) <= REACH


@kernel
def harm(s, e, other):
    """The damage of an attack."""
    players, style = count(s), s.style[e]
    offense, defense = np.int64(_BASE), np.int64(0)
    if e < players:
        offense += _PER_LEVEL * s.skill[e, style] + items.extra_attack(s, e, style)
    elif s.params.equipped:
        offense = s.power[e]
    if other < players:
        top = max(max(s.skill[other, 0], s.skill[other, 1]), s.skill[other, 2])
        defense += _PER_LEVEL * max(top, items.top_craft(s, other)) + items.extra_defense(s, other)
    elif s.params.equipped:
        defense = s.power[other]
    items.fire(s, e, style)
    factor = 1.5 if style == beaten_by(s, other) else 1.0
    return np.int64(max(factor * offense - defense, 0.25 * offense))


@kernel
def beaten_by(s, e):
    """The style that beats that of most experience; -1 if all experience is equal."""
    melee, ranged, mage = s.experience[e, 0], s.experience[e, 1], s.experience[e, 2]
    if melee == ranged and ranged == mage:
        return -1
    best = 0 if melee >= max(ranged, mage) else 1 if ranged >= mage else 2
    return (best + 2) % 3


@kernel
def train(s, a):
    """Experience of an attack."""
    style = s.style[a]
    s.experience[a, style] += _HIT_POINTS
    while s.skill[a, style] < THRESHOLDS.shape[0] and s.experience[a, style] >= THRESHOLDS[s.skill[a, style]]:
        s.skill[a, style] += 1
        note(s, a, tasks.LEVEL)


@kernel
def walk(s, e):
    """A move, if the way is free."""
    y, x = s.y[e] + DOWN[s.move[e]], s.x[e] + RIGHT[s.move[e]]
    if s.health[e] == 0 or not walkable(s.ground[y, x]):
        return
    s.y[e], s.x[e] = y, x
    if e < count(s):
        away = depth(s, y, x)
        if away > s.farthest[e]:
            s.objectives[e, EXPLORE] += (away - s.farthest[e]) / ((side(s) - 1) // 2)
            s.farthest[e] = away
            note(s, e, tasks.EXPLORE)


@kernel
def grow(s):
    """Some scrub becomes foliage."""
    before, width = s.scrub_count, s.ground.shape[0]
    found = sprout_anywhere(s, before, s.params.regrowth)
    while found >= 0:
        # From the end, so that what takes a free place has been drawn already.
        k = before - 1 - found
        cell = np.int64(s.scrub[k])
        s.ground[cell // width, cell % width] = FOLIAGE
        s.scrub_count -= 1
        s.scrub[k] = s.scrub[s.scrub_count]
        s.scrub[s.scrub_count] = 0
        found = sprout_anywhere(s, before, s.params.regrowth)
    items.regrow(s)


@kernel
def finish(s):
    """Deaths and ends."""
    for a in range(count(s)):
        paid_in_gold(s, a)
        tasks.pay(s, a)
        if s.health[a] == 0 and s.terminated[a] == 0:
            s.terminated[a] = 1
            s.objectives[a, SURVIVE] -= 1.0
    if s.t >= s.params.horizon:
        for a in range(count(s)):
            s.truncated[a] = 1 - s.terminated[a]


@where("gold")
def paid_in_gold(s, a):
    """The objective of a market."""
    s.objectives[a, EARN] += market.earn(s, a)
    return 0


# Creatures.


@large_kernel
def decide(s):
    """What creatures are going to do."""
    nearby.link(s)
    for e in range(count(s), s.x.shape[0]):
        s.move[e] = STAY
        s.aim[e] = 0
        if s.health[e] > 0:
            choose_target(s, e)
            if s.target[e] == 0:
                wander(s, e)
            else:
                other = s.target[e] - 1
                s.move[e] = way(s, e, s.y[other], s.x[other])
                s.aim[e] = s.target[e] if reaches(s, e, other) else 0
    nearby.unlink(s)


@large_kernel
def choose_target(s, e):
    """Keep, drop or find a target."""
    if s.kind[e] == PASSIVE:
        s.target[e] = 0
        return
    other = s.target[e] - 1
    if other >= 0 and (s.health[other] == 0 or max(abs(s.y[e] - s.y[other]), abs(s.x[e] - s.x[other])) > SIGHT):
        s.target[e] = 0
    if s.target[e] == 0:
        s.target[e] = s.attacker[e]
    if s.target[e] == 0 and s.kind[e] == HOSTILE:
        s.target[e] = nearby.nearest(s, e, SIGHT)


@kernel
def wander(s, e):
    """The first free direction from a random one on; north if there is none."""
    s.move[e] = NORTH
    start = randint(s, 4)
    for k in range(4):
        move = _TRIES[(start + k) & 3]
        if walkable(s.ground[s.y[e] + DOWN[move], s.x[e] + RIGHT[move]]):
            s.move[e] = move
            break


@large_kernel
def way(s, e, goal_y, goal_x):
    """The first step of a shortest way to a place in view, else of one that looks shorter."""
    top, left = s.y[e] - SIGHT, s.x[e] - SIGHT
    y, x = goal_y - top, goal_x - left
    if not (0 <= y < VIEW and 0 <= x < VIEW) or (y == SIGHT and x == SIGHT):
        return STAY
    for k in range(VIEW * VIEW):
        s.steps[k // VIEW, k % VIEW] = -1
    s.steps[y, x] = 0
    s.queue[0] = y * VIEW + x
    head, tail = 0, 1
    while head < tail and s.steps[SIGHT, SIGHT] < 0:
        cell = s.queue[head]
        head += 1
        for k in range(4):
            j, i = cell // VIEW + DOWN[k], cell % VIEW + RIGHT[k]
            inside = 0 <= j < VIEW and 0 <= i < VIEW
            if inside and s.steps[j, i] < 0 and walkable(s.ground[top + j, left + i]):
                s.steps[j, i] = s.steps[cell // VIEW, cell % VIEW] + 1
                s.queue[tail] = j * VIEW + i
                tail += 1
    here = s.steps[SIGHT, SIGHT]
    for k in range(4):
        j, i = SIGHT + DOWN[_WAYS[k]], SIGHT + RIGHT[_WAYS[k]]
        nearer = abs(j - y) + abs(i - x) < abs(SIGHT - y) + abs(SIGHT - x)
        if here > 0 and s.steps[j, i] == here - 1:
            return _WAYS[k]
        if here < 0 and nearer and walkable(s.ground[top + j, left + i]):
            return _WAYS[k]
    return STAY


# What players see.


@kernel
def is_immune(s, e):
    """Whether players cannot attack a player or creature in the next step."""
    return e < count(s) and s.age[e] + 1 < s.params.immunity


@large_kernel
def observe(s, agent, out):
    top, left = s.y[agent] - SIGHT, s.x[agent] - SIGHT
    for j in range(VIEW):
        for i in range(VIEW):
            out.ground[j, i] = s.ground[top + j, left + i]
    for k in range(SEEN):
        row = out.others[k]
        e = s.near[agent, k] - 1
        if e < 0:
            fill(row, 0)
        else:
            describe(s, agent, e, row)
    own = out.own
    own[0], own[1] = s.x[agent] - SIGHT, s.y[agent] - SIGHT
    own[2], own[3], own[4] = s.health[agent], s.food[agent], s.water[agent]
    for k in range(3):
        own[5 + k] = min(s.experience[agent, k], MOST_SHOWN)
        own[8 + k] = s.skill[agent, k]
    own[11], own[12] = s.hurt[agent], s.attacker[agent]
    own[13] = min(s.age[agent], MOST_SHOWN)
    own[14] = min(s.kills[agent], MOST_SHOWN)
    own[15] = min(s.eaten[agent], MOST_SHOWN)
    own[16] = min(s.drunk[agent], MOST_SHOWN)
    own[17] = s.farthest[agent]
    items.see(s, agent, out)
    items.see_crafts(s, agent, out)
    market.see(s, agent, out)
    hear(s, agent, out)
    tasks.see(s, agent, out)
    see_fog(s.params, s, agent, out)


@where("word")
def hear(s, agent, out):
    """The last tokens of the others."""
    for k in range(SEEN):
        e = s.near[agent, k] - 1
        out.words[k] = s.word[e] if 0 <= e < count(s) else 0
    return 0


@where("fog")
def see_fog(params, s, agent, out):
    """The fog in the own cell in the next step."""
    out.fog[0] = fog(s, agent, s.t + 1)
    return 0


@kernel
def describe(s, agent, e, row):
    """A row of others."""
    row[0], row[1] = s.kind[e], e
    row[2], row[3] = s.x[e] - s.x[agent], s.y[e] - s.y[agent]
    row[4] = s.health[e]
    row[5] = s.food[e] if e < count(s) else 0
    row[6] = s.water[e] if e < count(s) else 0
    for k in range(3):
        row[7 + k] = s.skill[e, k]
    row[10] = s.hurt[e]
    row[11] = is_immune(s, e)


@kernel
def legal(s, agent, mask):
    for action in range(len(MOVES)):
        mask[action] = 1
    if s.params.combat:
        for k in range(SEEN):
            e = s.near[agent, k] - 1
            possible = e >= 0 and reaches(s, agent, e) and not is_immune(s, e)
            for style in range(3):
                mask[len(MOVES) + style * SEEN + k] = possible
    first = first_deed(s)
    items.mask(s, agent, mask, first)
    market.mask(s, agent, mask, first)
    for action in range(first + deeds_with_items(s) + deeds_with_gold(s), mask.shape[0]):
        mask[action] = 1
