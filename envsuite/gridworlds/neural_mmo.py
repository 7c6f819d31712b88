"""NeuralMMO: players forage, fight and grow stronger on a map of up to 1024 x 1024 cells, among computer creatures.

**Rules.** Players start on random outermost cells of a map of grass, foliage, water and stone. Any number of players
and creatures may be in one cell. In each step:

1. Creatures choose what to do.
2. All players, one after the other, and then all creatures: an attacker that did not hit in the last step is forgotten,
   and the agent is one step older. A creature regains 1 health. A player with more than 50 food and more than 50 water
   regains 10 health; it loses 10 if its food is 0, and 10 if its water is 0. Then its water falls by 5, and is 100 if
   one of the four cells beside it is water. Its food falls by 5, and is 100 if it stands on foliage, which it eats.
   A player that starves still eats in this step, but does nothing more.
3. Players attack one after the other, then creatures. Damage counts at once, and the dead do not act.
4. Players and creatures move. Water and stone cannot be entered.
5. The dead leave. Dead creatures are replaced in up to 25 attempts, see below.
6. Eaten foliage, scrub, grows again, each cell with probability `regrowth`.

Food, water and health are from 0 to 100. Players have the same order in 2 and 3: a random one, or by number.

**Combat.** An attack has a style, melee, range or mage, and a target at most 3 rows and 3 columns away. A player whose
age in steps is below `immunity` cannot be attacked by players. The damage is the integer part of
max(m * offence - defence, offence / 4).

| | with progression | without |
|---|---|---|
| offence of a player | 10 + 5 * its level in the style | 10 |
| defence of a player | 5 * its highest level | 0 |
| offence and defence of a creature, if `equipped` | its power | 0 and 0 |
| offence and defence of a creature otherwise | 10 and 0 | 10 and 0 |

The multiplier m is 1.5 if the style beats the style in which the target has most experience, and 1 otherwise. Mage
beats melee, melee beats range, range beats mage. A target with equal experience in all styles has no such style.

An attack gives a player 6 points of experience in its style. The levels 1 to 10 need 0, 90, 217, 373, 553, 754, 974,
1212, 1467 and 1737 points.

**Creatures.** The danger of a cell is its distance to the outermost cells, divided by half of the map's size. A
creature that appears where danger is 0.8 or more is hostile, from 0.5 on neutral, and passive below. Its style is
random, its level is the integer part of 1 + danger * (`creature_level` - 1), and its power is the integer part of
8 * (level - u) with u uniform on [0, 1). It starts with 100 health.

- A passive creature wanders: it tries north, south, west and east from a random one of them on, and takes the first
  that it can.
- A neutral creature wanders, but follows who attacked it last, and attacks.
- A hostile creature follows and attacks the nearest player in view.

It keeps its target while that lives and is at most 7 rows and columns away. It walks on a shortest way within these
rows and columns, and attacks in the same step if the target is in reach. Creatures ignore `immunity`.

The game makes up to 25 attempts to replace dead creatures. An attempt draws a random cell of the map. The first attempt
for a creature draws among the cells that are as far from the border as its first cell was. An attempt fails on water
and on stone. A new map has 25 attempts too.

**Agents.** `player_0` ... `player_7`, or 1 to 1,024 players.

**Observation.** Dict. Others are the 15 players and creatures nearest to the agent, at most 7 rows and columns away,
in order of the larger of the two distances, then of their sum, then of numbers. Numbers of creatures follow those of
players.

| part | space | content |
|---|---|---|
| ground | Box (15, 15) uint8 | the ground around the agent, which is in the middle; north is up |
| others | Box (15, 12) int16 | a row for each of the others, see below; rows of zeros follow |
| own | Box (18,) int32 | see below |

Grounds are 0 void, 1 water, 2 grass, 3 scrub, 4 foliage, 5 stone. A row of others has:

| entries | content |
|---|---|
| 0, 1 | kind: 1 player, 2 passive, 3 neutral, 4 hostile; number |
| 2, 3 | columns to the east of the agent, rows to the south |
| 4-6 | health; food and water of a player |
| 7-9 | levels of melee, range and mage |
| 10 | damage of the last hit in the last step |
| 11 | 1 if players cannot attack it in the next step |

The part "own" has:

| entries | content |
|---|---|
| 0, 1 | column and row on the map |
| 2-4 | health, food, water |
| 5-7 | experience in melee, range, mage |
| 8-10 | levels |
| 11, 12 | damage of the last hit in the last step, and the attacker's number plus 1, or 0 |
| 13 | age in steps |
| 14-16 | kills, foliage eaten, steps with water to drink |
| 17 | the largest distance to the outermost cells so far |

**Actions.** Discrete (50), or 5 without combat.

| action | name | legal |
|---|---|---|
| 0-4 | `north`, `south`, `east`, `west`, `stay` | always |
| 5-19 | `melee 1` ... `melee 15`: attack this row of others | if it is in reach and not immune |
| 20-34 | `range 1` ... `range 15` | likewise |
| 35-49 | `mage 1` ... `mage 15` | likewise |

**Window.** The arrow keys move and the key . stays. The keys z, x and c attack the nearest other with melee, range and
mage. A click on a cell beside the agent moves there, one on the agent stays, and one on another attacks it with melee.

**Rewards.** The sum of four objectives, weighted by `weights`.

| objective | reward |
|---|---|
| survive | -1 at death |
| forage | food and water gained, divided by 100 |
| fight | health taken from others, divided by 100 |
| explore | 1 / m for each new largest distance to the outermost cells, where m is that of the middle |

**Ends.** A player whose health is 0 is terminated and leaves. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 8 | number of players, from 1 to 1,024 |
| `creatures` | 8 | number of creatures, from 0 to 1,024; 0 without combat |
| `size` | 32 | cells on a side of the map, from 16 to 1,024 |
| `resource` | True | whether players need food and water |
| `combat` | True | whether there are attacks |
| `progression` | True | whether there are experience and levels |
| `equipped` | True | whether creatures fight with the power of their levels |
| `order` | "random" | players in "random" order, or in that of their "number" |
| `regrowth` | 0.025 | probability that scrub becomes foliage, from 0 to 1 |
| `immunity` | 20 | age in steps from which players can attack a player, from 0 to 1,000,000 |
| `creature_level` | 10 | level of a creature at danger 1, from 1 to 15 |
| `scattered` | 0.05 | share of grass that becomes single cells of foliage or water, from 0 to 1 |
| `weights` | (1, 0.1, 0.1, 0.1) | weights of the objectives, from -1,000,000 to 1,000,000 |
| `horizon` | 512 | steps until truncation, from 1 to 32,000 |

A new map of more than about 200 cells on a side takes seconds until the rules are compiled; ``compiled=True`` compiles
them first.

**Level.** ``{"map": [rows of letters]}``: ``~`` water, ``.`` grass, ``f`` foliage, ``#`` stone. Generator: kind
"wilds".

**Known values.** A player without food and water has 0 of both after step 20, 80 health after step 21, and dies in step
25. At level 1, a hit at a player of level 1 takes 10, with the style that beats it 17. With ``order="number"``, 650
recorded steps of `nmmo` 2.1.1 with 20 or 24 players and up to 24 creatures are repeated exactly, given the moves of
creatures.

**Differences.** From `nmmo` 2.1.1:

- Left out are items, equipment of players, professions, exchange, communication, death fog, tasks and resilient
  players. Objectives replace tasks. Creatures drop nothing. A map without terrain is a level of grass.
- A player moves or attacks in a step; there, it can do both. This gives one action of 50 instead of several heads.
- The order of players is random; there, the one of numbers decides duels. Use ``order="number"`` for that.
- Others are the nearest 15; there, 100 in no order. Rows show what is used here.
- Danger is the same on all four sides. There, it is less by one cell in the south and in the east, where it can be
  negative.
- Maps have noise of two scales everywhere; there, the scales depend on the distance from the middle. There, cells
  beside the outermost ones are neither water nor stone.
- Ways of creatures are shortest within 15 x 15 cells around them, with ties in the order north, west, south, east.
  Without a way they step to where the distance in rows plus columns is shorter. There, A* stops after 100 cells and
  keeps ways in a cache.
- The number of a dead creature is that of its successor; there, numbers are never used again.
- Among nearest players, a hostile creature takes the lowest number; there, the first in the table.
- Without progression, creatures that are `equipped` have the power 0. There, it is from -7 to 0, by rounding.
- Nothing freezes: no rule of the source's systems that are here uses it.

**Source.** Suarez et al., "Neural MMO 2.0", NeurIPS 2023; github.com/NeuralMMO/environment, version 2.1.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import geometric, randint, shuffle, uniform
from envsuite.core.ranges import MANY, among, below, fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import wilds
from envsuite.generators.wilds import FOLIAGE, GRASS, LARGEST, SCRUB, SMALLEST, VOID, WATER, Wilds, make
from envsuite.gridworlds import neural_mmo_view as view
from envsuite.kit import nearby
from envsuite.kit.grid import sprout_anywhere
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene

MOVES = ("north", "south", "east", "west", "stay")
NORTH, SOUTH, EAST, WEST, STAY = range(5)
DOWN, RIGHT = np.array([-1, 1, 0, 0, 0]), np.array([0, 0, 1, -1, 0])
STYLES = ("melee", "range", "mage")

#: The others that an agent sees, and how far it sees, which is also the border around the map; the reach of attacks.
SEEN, SIGHT, REACH = 15, 7, 3
VIEW = 2 * SIGHT + 1
ACTIONS = (*MOVES, *(f"{style} {k}" for style in STYLES for k in range(1, SEEN + 1)))

NONE, PLAYER, PASSIVE, NEUTRAL, HOSTILE = range(5)
SURVIVE, FORAGE, FIGHT, EXPLORE = range(4)
OBJECTIVES = ("survive", "forage", "fight", "explore")

MOST = 100
_DRAIN, _STARVE, _HEAL, _WELL = 5, 10, 10, 50
_BASE, _PER_LEVEL, _HIT_POINTS = 10, 5, 6
#: Experience that the levels 1, 2, ... need.
THRESHOLDS = np.array([0, 90, 217, 373, 553, 754, 974, 1212, 1467, 1737])
_NEUTRAL_FROM, _HOSTILE_FROM, _POWER, _TOP_LEVEL = 0.5, 0.8, 8, 15
ATTEMPTS = 25
_LARGEST_HIT = 400

MOST_PLAYERS, LONGEST, _MOST_SHOWN = 1024, 32_000, 1_000_000_000
#: The order in which ways of equal length are preferred, and directions are tried by wanderers.
_WAYS, _TRIES = np.array([NORTH, WEST, SOUTH, EAST]), np.array([NORTH, SOUTH, WEST, EAST])
_ORDERS = ("random", "number")
_RANDOM = 0
WEIGHT = 1_000_000.0


def fields(players: int, creatures: int, size: int) -> list[tuple]:
    """The record. Players are 0, 1, ...; creatures follow. Places include a border of void around the map."""
    everyone, width = players + creatures, size + 2 * SIGHT
    own, both = (players,), (everyone,)
    place, somebody = within(np.int64, SIGHT, SIGHT + size - 1), within(np.int64, 0, everyone)
    vital, count = within(np.int64, 0, MOST), within(np.int64, 0, MANY)
    return [
        ("ground", below(np.uint8, len(wilds.NAMES)), (width, width)),
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
        ("skill", below(np.int64, _TOP_LEVEL + 1), (everyone, len(STYLES))),  # levels
        ("style", below(np.int64, len(STYLES)), both),  # of the attack in the last step; of a creature, always
        ("power", within(np.int64, 0, _POWER * _TOP_LEVEL), both),  # of a creature
        ("depth", within(np.int64, -1, size // 2), both),  # a creature's first distance to the border; -1 if unknown
        ("target", somebody, both),  # a creature's, as all numbers below plus 1
        ("attacker", somebody, both),
        ("hurt", within(np.int64, 0, _LARGEST_HIT), both),  # by the last hit in the last step
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
    for k in range(s.scrub.shape[0]):
        s.scrub[k] = 0
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
    """Whether one can stand on this ground: grass, scrub or foliage."""
    return GRASS <= code <= FOLIAGE


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
    for a in range(count(s)):
        s.move[a] = STAY
        s.aim[a] = 0
        if s.health[a] > 0:
            if actions[a] < len(MOVES):
                s.move[a] = actions[a]
            else:
                k = actions[a] - len(MOVES)
                s.style[a] = k // SEEN
                s.aim[a] = s.near[a, k % SEEN]


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
    for k in range(players):
        strike(s, s.order[k])
    for e in range(players, everyone):
        strike(s, e)
    for e in range(everyone):
        walk(s, e)
    refill(s)
    grow(s)


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
    elif s.params.resource:
        sustain(s, e)


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
            break
    if s.ground[y, x] == FOLIAGE:
        s.objectives[a, FORAGE] += (MOST - s.food[a]) / MOST
        s.food[a] = MOST
        s.eaten[a] += 1
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
    if e < players:
        s.objectives[e, FIGHT] += taken / MOST
        s.kills[e] += s.health[other] == 0


@kernel
def reaches(s, e, other):
    """Whether two are near enough for an attack."""
    return max(abs(s.y[e] - s.y[other]), abs(s.x[e] - s.x[other])) <= REACH


@kernel
def harm(s, e, other):
    """The damage of an attack."""
    players, style = count(s), s.style[e]
    offence, defence = np.int64(_BASE), np.int64(0)
    if e < players:
        offence += _PER_LEVEL * s.skill[e, style]
    elif s.params.equipped:
        offence = s.power[e]
    if other < players:
        defence += _PER_LEVEL * max(max(s.skill[other, 0], s.skill[other, 1]), s.skill[other, 2])
    elif s.params.equipped:
        defence = s.power[other]
    factor = 1.5 if style == beaten_by(s, other) else 1.0
    return np.int64(max(factor * offence - defence, 0.25 * offence))


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


@kernel
def finish(s):
    """Deaths and ends."""
    for a in range(count(s)):
        if s.health[a] == 0 and s.terminated[a] == 0:
            s.terminated[a] = 1
            s.objectives[a, SURVIVE] -= 1.0
    if s.t >= s.params.horizon:
        for a in range(count(s)):
            s.truncated[a] = 1 - s.terminated[a]


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
            for j in range(row.shape[0]):
                row[j] = 0
        else:
            describe(s, agent, e, row)
    own = out.own
    own[0], own[1] = s.x[agent] - SIGHT, s.y[agent] - SIGHT
    own[2], own[3], own[4] = s.health[agent], s.food[agent], s.water[agent]
    for k in range(3):
        own[5 + k] = min(s.experience[agent, k], _MOST_SHOWN)
        own[8 + k] = s.skill[agent, k]
    own[11], own[12] = s.hurt[agent], s.attacker[agent]
    own[13] = min(s.age[agent], _MOST_SHOWN)
    own[14] = min(s.kills[agent], _MOST_SHOWN)
    own[15] = min(s.eaten[agent], _MOST_SHOWN)
    own[16] = min(s.drunk[agent], _MOST_SHOWN)
    own[17] = s.farthest[agent]


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


class NeuralMMO(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    leaving = True
    verified = "recorded steps of nmmo 2.1.1, and an independent implementation in lock-step"
    variants = (
        dict(players=3, creatures=12, size=16, order="number", regrowth=0.5, immunity=0, horizon=80, equipped=False),
        dict(players=2, creatures=0, size=17, combat=False, progression=False, weights=(1.0, 1.0, 0.0, 1.0)),
    )
    shown = "fighter"
    clickable = "north|south|east|west|stay|melee .*"
    keys = {
        **{"up": "north", "down": "south", "right": "east", "left": "west", ".": "stay"},
        **{"z": "melee 1", "x": "range 1", "c": "mage 1"},
    }

    def __init__(
        self,
        players: Annotated[int, Between(1, MOST_PLAYERS)] = 8,
        creatures: Annotated[int, Between(0, MOST_PLAYERS)] = 8,
        size: Annotated[int, Between(SMALLEST, LARGEST)] = 32,
        resource: bool = True,
        combat: bool = True,
        progression: bool = True,
        equipped: bool = True,
        order: Literal["random", "number"] = "random",
        regrowth: Annotated[float, Between(0, 1)] = 0.025,
        immunity: Annotated[int, Between(0, 1_000_000)] = 20,
        creature_level: Annotated[int, Between(1, _TOP_LEVEL)] = 10,
        scattered: Annotated[float, Between(0, 1)] = 0.05,
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (1.0, 0.1, 0.1, 0.1),
        horizon: Annotated[int, Between(1, LONGEST)] = 512,
    ):
        if creatures and not combat:
            raise ParameterError(f"{self.id}: creatures={creatures} need combat=True")
        maps = Wilds(size, scattered)
        everyone = players + creatures
        others = np.zeros((2, SEEN, 12), np.int16)
        others[0, :, 2:4] = -SIGHT
        others[1] = [
            *(HOSTILE, everyone - 1, SIGHT, SIGHT, MOST, MOST, MOST),
            *(_TOP_LEVEL, _TOP_LEVEL, _TOP_LEVEL, _LARGEST_HIT, 1),
        ]
        own = [
            *(size - 1, size - 1, MOST, MOST, MOST, _MOST_SHOWN, _MOST_SHOWN, _MOST_SHOWN),
            *(_TOP_LEVEL, _TOP_LEVEL, _TOP_LEVEL, _LARGEST_HIT, everyone),
            *(_MOST_SHOWN, _MOST_SHOWN, _MOST_SHOWN, _MOST_SHOWN, size // 2),
        ]
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS if combat else MOVES,
            observation=Dict(
                {
                    "ground": Box(0, len(wilds.NAMES) - 1, (VIEW, VIEW), np.uint8),
                    "others": Box(others[0], others[1], dtype=np.int16),
                    "own": Box(np.zeros(18, np.int32), np.array(own, np.int32), dtype=np.int32),
                }
            ),
            fields=[*fields(players, creatures, size), *maps.fields],
            params={
                **maps.values,
                "resource": resource,
                "combat": fixed(int(combat)),
                "progression": progression,
                "equipped": equipped,
                "order": among(_ORDERS, order),
                "regrowth": float(regrowth),
                "immunity": immunity,
                "creature_level": creature_level,
                "weights": weights,
                "horizon": horizon,
            },
            objectives=dict(zip(OBJECTIVES, ((-1.0, 0.0), (0.0, 2.0), (0.0, 1.0), (0.0, 1.0)))),
        )

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.map[:] = wilds.read_map(level, len(s.level.map), self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": wilds.write_map(s.level.map)}

    def contradiction(self, s: Any) -> str | None:
        ground, first = np.asarray(s.ground), np.asarray(s.level.map)
        inner = slice(SIGHT, -SIGHT)
        expected = np.zeros_like(ground)
        expected[inner, inner] = first
        eaten = (expected == FOLIAGE) & (ground == SCRUB)
        if ((ground != expected) & ~eaten).any():
            return "the ground is not that of the map"
        if not np.array_equal(np.sort(s.scrub[: s.scrub_count]), np.flatnonzero(eaten)):
            return "scrub does not list the cells with scrub"
        ring = walkable_cells(first)
        ring[1:-1, 1:-1] = False
        if not ring.any():
            return "no player could start on the map"
        living = np.asarray(s.health) > 0
        if not walkable_cells(ground)[s.y[living], s.x[living]].all():
            return "somebody is in water or stone"
        if ((s.terminated != 0) == living[: len(self.agents)]).any():
            return "a living player is terminated, or a dead one is not"
        return None

    # Text and pictures.

    def text(self, s: Any, agent: int) -> str:
        return view.description(self, s, self.observation(s, agent), agent)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The whole map with the attacks of the last step; for an agent, what it sees."""
        return view.whole(self, s) if agent is None else view.seen(self, s, self.observation(s, agent), agent)

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        right, down = int(x // 1) - SIGHT, int(y // 1) - SIGHT
        if s.params.combat and max(abs(right), abs(down)) <= REACH:
            for k, number in enumerate(s.near[agent].tolist()):
                there = number and (s.x[number - 1] - s.x[agent], s.y[number - 1] - s.y[agent]) == (right, down)
                if there and not is_immune(s, number - 1):
                    return len(MOVES) + k
        ways = list(zip(RIGHT.tolist(), DOWN.tolist()))
        return ways.index((right, down)) if (right, down) in ways else None


def walkable_cells(codes: np.ndarray) -> np.ndarray:
    """Where one can stand."""
    return (codes >= GRASS) & (codes <= FOLIAGE)


env, raw_env, parallel_env = pettingzoo_forms(NeuralMMO)
