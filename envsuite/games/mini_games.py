"""MiniGames: a player commands marines in small games of StarCraft II: beacons, shards, roaches, zerglings, banelings.

**Rules.** The field is 24 x 24; x grows to the east and y to the south. The player sees it as a screen of 16 x 16 cells
of 1.5 x 1.5. It selects marines and gives orders to all selected ones. A step is 1/8 s: an action, then two ticks.

| `map` | start | reward | renewal |
|---|---|---|---|
| MoveToBeacon | 1 marine, a beacon at least 4 away | +1 when the marine reaches it | at least 5 from the marine |
| CollectMineralShards | 2 marines, 20 shards at least 2 from them | +1 for each | 20 new ones when all are collected |
| DefeatRoaches | 9 marines, 4 roaches | +10 for a roach, -1 for a marine | 4 roaches and 5 more marines |
| DefeatZerglingsAndBanelings | 9 marines, 6 zerglings, 4 banelings | +5 each, -1 for a marine | the same, 4 marines |

In the fights, marines stand in a line on x = 4 or x = 20, and enemies on the other side; a fair coin decides. The line
of marines is centered, with gaps of 1, or of 22 / (n - 1) if n marines then need more than 22. Roaches stand in a line
with gaps of 2. The others stand in two columns with gaps of 1.5, zerglings first. All are put there again in each
renewal, which comes in the tick in which the last enemy dies, if a marine lives. Marines keep their health and
cooldown and lose their orders; new ones have full health and are not selected. At most 40 marines live; further ones do
not come. In fights, the first marines are selected at the start.

| kind | letter | health | armour | damage | range | speed | cooldown (ticks) | sight | radius |
|---|---|---|---|---|---|---|---|---|---|
| marine | m | 45 | 0 | 6 | 5 | 3.15 | 10 | 9 | 0.375 |
| roach | r | 145 | 1 | 16 | 4 | 3.15 | 23 | 9 | 0.625 |
| zergling | z | 35 | 0 | 5 | 0.1 | 4.13 | 8 | 8 | 0.375 |
| baneling | b | 30 | 0 | 35 | 0.25 | 3.5 | | 8 | 0.375 |

In each tick of 1/16 s, all at once:

1. Weapons cool down by one tick. Each unit that may fight keeps its target while that lives and is in range. Otherwise
   it takes the nearest enemy in range, and if there is none and it does not hold, the nearest in sight. The first in
   number is taken of several. A unit hits a target in range if its weapon is cool: the target loses the damage less its
   armour. Range is measured between the edges of the two discs, and sight between their centres. A baneling that hits
   dies instead.
2. A unit with a target in range stands still; one whose target is out of range walks to it. Other units walk to the
   point of their order. A unit goes 1/16 of its speed, in a straight line.
3. Units without health are dead. A baneling explodes when it dies, however it dies. It takes 35 from each marine whose
   centre is within 2.2 of its own.
4. Living units that overlap push each other apart, as in Skirmish. Then they are put back on the field.
5. A marine that is within 1.125 of a shard collects it, and within 1.5 of the beacon it has reached it.

Idle units, and all enemies, fight what they see. With the order `move`, a marine does not fight. With `attack` on a
cell with an enemy, it fights only the one that is nearest to the cell's centre, until one of the two is dead. With
`attack` on another cell, it walks there and fights what it sees on its way. An order to walk ends within
0.5 * sqrt(n - 1) of the cell's centre, for n selected marines. With `hold`, a marine fights what is in range and stands
still.

**Agents.** `agent`.

**Observation.** A Dict. M is 1, 2, 40 and 40 in the order of the maps, and E is 1, 20, 4 and 10.

| part | space | content |
|---|---|---|
| screen | Box (16, 16, 5) uint8 | rows from the north; a row of codes for each cell |
| marines | Box (M, 6) float32 | x, y, health, cooldown in ticks, selected, order; zeros for none |
| others | Box (E, 4) float32 | kind, x, y, health; zeros for none |
| numbers | Box (2,) int32 | steps left, renewals |

| code of a cell | content |
|---|---|
| 0 | kind: 0 nothing, 1 marine, 2 roach, 3 zergling, 4 baneling, 5 shard, 6 beacon; marines come first |
| 1 | 0 nobody's, 1 own, 2 an enemy's |
| 2 | number of things in the cell |
| 3 | sum of their health, at most 255 |
| 4 | number of selected marines |

Orders are 0 idle, 1 move, 2 attack and walk, 3 attack an enemy, 4 hold.

**Actions.** Discrete (520). Columns c and rows r are from 0 to 15, from the north west.

| action | name | legal |
|---|---|---|
| 0 | `noop` | always |
| 1 | `select all` | always |
| 2 | `select next`: only the living marine after the last selected one, or the first | always |
| 3-6 | `select north west`, `select north east`, `select south west`, `select south east` | if a marine is there |
| 7 | `hold` | while a marine is selected |
| 8 + 16r + c | `move c r` | while a marine is selected |
| 264 + 16r + c | `attack c r` | while a marine is selected |

**Window.** The space bar waits, `a` selects all, `n` the next one, 1 to 4 the quarters, and `h` holds. A click on
a cell attacks an enemy there; any other click moves there. If no marine is selected, a click selects all. Pictures show
selected marines with a capital letter in a ring.

**Rewards.** As in the table of the maps. A baneling that has exploded counts as defeated.

**Ends.** Terminates when no marine lives. Truncated after `seconds`.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `map` | "MoveToBeacon" | one of the table |
| `seconds` | 120 | seconds until truncation, from 1 to 900; a second has 8 steps |

**Level.** ``{"marines": [[4, 12]], "others": [["beacon", 20, 12]]}``: places of the marines, at most as many as at the
start of the map, and kinds and places of other things, which must be of the map and at most as many. Coordinates are
from 0 to 24. Renewals are those of the map.

**Known values.** None for these rules. Mean scores in the original engine, quoted from memory of Vinyals et al., table
1; they compare in shape only:

| map | random policy | FullyConv | grandmaster |
|---|---|---|---|
| MoveToBeacon | 1 | 26 | 28 |
| CollectMineralShards | 17 | 103 | 177 |
| DefeatRoaches | 1 | 100 | 215 |
| DefeatZerglingsAndBanelings | 23 | 62 | 727 |

**Differences.** The rules of the games are those of the documentation of `pysc2`; the engine is not open. Hence:

- The mechanics of walking, aiming and pushing, the size of the field, sight and orders are our own, as is the time of a
  step: there 1/2.8 s by default. Scores can be compared in shape only.
- Three maps are left out: FindAndDefeatZerglings (fog and a camera), and BuildMarines and CollectMineralsAndGas
  (economy). They are not built.
- Numbers of marines and zerglings are those of Skirmish, except for damage and range. A radius of 2.2 and a range of
  0.25 of the baneling, and that it explodes when it is killed, were found in descriptions of the game. The other
  numbers are from memory, for version 4 of the game; banelings deal 35 to light units, and all marines are light.
- Cooldowns are rounded to ticks (0.61 s to 10, 1.43 s to 23), and hits need no time of flight.
- The documentation does not say where lines stand, how near is "reached", or whether an exploded baneling counts.
- The documentation has no bound for the number of marines. Here it is 40, so that a record has a fixed size.
- Marines are selected by quarters of the screen instead of any rectangle. Nothing is queued.
- The layers are 16 x 16 instead of 64 x 64 or more; rows of units are added.

**Source.** Vinyals et al., "StarCraft II: A new challenge for reinforcement learning", 2017; `docs/mini_games.md` of
`pysc2`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, uniform
from envsuite.core.ranges import below, fixed, flag, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit.plane import part
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, footer, grid
from envsuite.render.theme import text_on

#: Kinds of things, with their numbers; 0 is nothing.
KINDS = ("nothing", "marine", "roach", "zergling", "baneling", "shard", "beacon")
NOTHING, MARINE, ROACH, ZERGLING, BANELING, SHARD, BEACON = range(7)
HEALTH = np.array([0, 45, 145, 35, 30, 0, 0])
ARMOUR = np.array([0, 0, 1, 0, 0, 0, 0])
DAMAGE = np.array([0, 6, 16, 5, 0, 0, 0])
RANGE = np.array([0.0, 5.0, 4.0, 0.1, 0.25, 0.0, 0.0])
SPEED = np.array([0.0, 3.15, 3.15, 4.13, 3.5, 0.0, 0.0])
COOLDOWN = np.array([0, 10, 23, 8, 0, 0, 0])
SIGHT = np.array([0.0, 9.0, 9.0, 8.0, 8.0, 0.0, 0.0])
RADIUS = np.array([0.0, 0.375, 0.625, 0.375, 0.375, 0.0, 0.0])
WORTH = np.array([0.0, -1.0, 10.0, 5.0, 5.0, 1.0, 1.0])
#: How near a marine must be to take a shard or a beacon.
REACH = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.125, 1.5])

#: The damage of an explosion and its radius.
BLAST, BLAST_RADIUS = 35, 2.2

#: The side of the field, cells of a side of the screen, and the side of a cell.
SIZE, CELLS, CELL = 24.0, 16, 1.5

#: Ticks of a step, seconds of a tick, and steps of a second.
TICKS, TICK, STEPS = 2, 1.0 / 16.0, 8

MAPS = ("MoveToBeacon", "CollectMineralShards", "DefeatRoaches", "DefeatZerglingsAndBanelings")
BEACONS, SHARDS, ROACHES, BANELINGS = range(4)
#: Of each map: marines at the start, marines that join, places for marines, kinds of the others.
FIRST, JOIN, PLACES = np.array([1, 2, 9, 9]), np.array([0, 0, 5, 4]), (1, 2, 40, 40)
OTHERS = ((BEACON,), (SHARD,) * 20, (ROACH,) * 4, (ZERGLING,) * 6 + (BANELING,) * 4)

#: Orders of marines.
IDLE, MOVING, CHARGING, HUNTING, HOLDING = range(5)

#: Actions; those with cells have CELLS * CELLS each.
NOOP, ALL, NEXT, QUARTER, HOLD, MOVE = 0, 1, 2, 3, 7, 8
ATTACK = MOVE + CELLS * CELLS
QUARTERS = ("north west", "north east", "south west", "south east")
NAMES = (
    "noop", "select all", "select next", *(f"select {name}" for name in QUARTERS), "hold",
    *(f"{verb} {k % CELLS} {k // CELLS}" for verb in ("move", "attack") for k in range(CELLS * CELLS)),
)  # fmt: skip


def fields(marines: int, others: int) -> list[tuple]:
    """The record; units are numbered from the marines on."""
    units = marines + others
    place = within(np.float64, 0.0, SIZE)
    return [
        ("started", below(np.int64, len(KINDS)), (units,)),  # the level: kinds
        ("started_at", place, (units, 2)),  # the level: places
        ("kind", below(np.int64, len(KINDS)), (units,)),  # NOTHING for the dead
        ("place", place, (units, 2)),
        ("health", within(np.int64, 0, HEALTH.max()), (units,)),
        ("cool", within(np.int64, 0, COOLDOWN.max()), (units,)),  # ticks until the weapon is ready
        ("target", within(np.int64, -1, units - 1), (units,)),  # the unit that it fights; -1 if none
        ("order", below(np.int64, 5), (units,)),  # IDLE for all but marines
        ("goal", place, (units, 2)),  # where an order leads
        ("near", within(np.float64, 0.0, 4.0), (units,)),  # how near to its goal an order ends
        ("selected", flag(), (units,)),
        ("renewals", within(np.int64, 0, 100_000)),
        ("hurt", within(np.int64, 0, 0), (units,)),  # health that hits take; within a tick
        ("shift", free(np.float64), (units, 2)),  # where units go; within a tick
    ]


# Starts and renewals.


@kernel
def others_of(s, k):
    """The kind of the k-th other thing of the map."""
    return np.int64(s.params.others[k])


@kernel
def squared(s, a, b):
    """The square of the distance of two things."""
    x, y = s.place[a, 0] - s.place[b, 0], s.place[a, 1] - s.place[b, 1]
    return x * x + y * y


@large_kernel
def put_away(s, thing, least):
    """Put a thing at a random place at least `least` away from all marines; after 1,000 tries, anywhere."""
    for _ in range(1000):
        s.place[thing, 0] = 1.0 + (SIZE - 2.0) * uniform(s)
        s.place[thing, 1] = 1.0 + (SIZE - 2.0) * uniform(s)
        clear = True
        for marine in range(s.params.places):
            if s.kind[marine] == MARINE and squared(s, marine, thing) < least * least:
                clear = False
        if clear:
            return


@kernel
def ready(s, unit, kind):
    """A new thing of a kind, at the place where it is."""
    s.kind[unit] = kind
    s.health[unit] = HEALTH[kind]
    s.cool[unit] = 0


@kernel
def forget(s, unit):
    """A unit has no order and no target."""
    s.order[unit] = IDLE
    s.target[unit] = -1
    s.near[unit] = 0.0
    s.goal[unit, 0] = 0.0
    s.goal[unit, 1] = 0.0


@large_kernel
def line_up(s):
    """Marines and enemies stand on opposite sides, and have no orders."""
    places, units = s.params.places, s.kind.shape[0]
    ours = 4.0 if bernoulli(s, 0.5) else SIZE - 4.0
    count = 0
    for marine in range(places):
        count += s.kind[marine] == MARINE
    gap, k = min(1.0, 22.0 / max(count - 1, 1)), 0
    for unit in range(units):
        forget(s, unit)
        if unit >= places:
            other, column, row, apart, rows = unit - places, 0, unit - places, 2.0, units - places
            if s.params.map == BANELINGS:
                column, row, apart, rows = other // 5, other % 5, 1.5, 5
            away = apart * column
            s.place[unit, 0] = SIZE - ours + (away if ours < 12.0 else 0.0 - away)
            s.place[unit, 1] = SIZE / 2.0 + apart * (row - 0.5 * (rows - 1))
        elif s.kind[unit] == MARINE:
            s.place[unit, 0] = ours
            s.place[unit, 1] = SIZE / 2.0 + gap * (k - 0.5 * (count - 1))
            k += 1


@large_kernel
def renew(s, least):
    """New other things; in fights, more marines, and all stand in lines."""
    places, joined = s.params.places, 0
    for unit in range(s.kind.shape[0]):
        if unit >= places:
            ready(s, unit, others_of(s, unit - places))
            if s.params.map < ROACHES:
                put_away(s, unit, least)
        elif s.kind[unit] != MARINE and joined < JOIN[s.params.map] and s.renewals > 0:
            joined += 1
            ready(s, unit, MARINE)
            s.selected[unit] = 0
    if s.params.map >= ROACHES:
        line_up(s)


@large_kernel
def reset(s):
    places, units = s.params.places, s.kind.shape[0]
    s.renewals = 0
    for unit in range(units):
        forget(s, unit)
        s.hurt[unit] = 0
        s.shift[unit, 0] = 0.0
        s.shift[unit, 1] = 0.0
    if s.level_given:
        for unit in range(units):
            ready(s, unit, s.started[unit])
            s.place[unit, 0] = s.started_at[unit, 0]
            s.place[unit, 1] = s.started_at[unit, 1]
    else:
        for unit in range(units):
            ready(s, unit, MARINE if unit < FIRST[s.params.map] else NOTHING)
            s.place[unit, 0] = 1.0 + (SIZE - 2.0) * uniform(s) if unit < places else 0.0
            s.place[unit, 1] = 1.0 + (SIZE - 2.0) * uniform(s) if unit < places else 0.0
        renew(s, 4.0 if s.params.map == BEACONS else 2.0)
        for unit in range(units):
            s.started[unit] = s.kind[unit]
            s.started_at[unit, 0] = s.place[unit, 0]
            s.started_at[unit, 1] = s.place[unit, 1]
    for unit in range(units):
        s.selected[unit] = s.kind[unit] == MARINE and s.params.map >= ROACHES


# Commands.


@kernel
def quarter(s, marine):
    """The quarter of the screen where a marine is."""
    return (s.place[marine, 0] >= SIZE / 2.0) + 2 * (s.place[marine, 1] >= SIZE / 2.0)


@large_kernel
def select(s, action):
    places, last, chosen = s.params.places, -1, -1
    for marine in range(places):
        if s.kind[marine] == MARINE and s.selected[marine] != 0:
            last = marine
    for k in range(places):
        marine = (last + 1 + k) % places
        if chosen < 0 and s.kind[marine] == MARINE:
            chosen = marine
    for marine in range(places):
        taken = action == ALL or (action == NEXT and marine == chosen) or action - QUARTER == quarter(s, marine)
        s.selected[marine] = taken and s.kind[marine] == MARINE


@kernel
def is_foe(s, a, b):
    """Whether two units of different sides live and fight."""
    places = s.params.places
    return (a < places) != (b < places) and MARINE <= s.kind[a] <= BANELING and MARINE <= s.kind[b] <= BANELING


@large_kernel
def enemy_in(s, cell):
    """The living enemy in a cell that is nearest to its centre; -1 if none."""
    found, best = -1, 1e9
    x, y = CELL * (cell % CELLS + 0.5), CELL * (cell // CELLS + 0.5)
    for unit in range(s.params.places, s.kind.shape[0]):
        if ROACH <= s.kind[unit] <= BANELING and cell_of(s, unit) == cell:
            far = (s.place[unit, 0] - x) * (s.place[unit, 0] - x) + (s.place[unit, 1] - y) * (s.place[unit, 1] - y)
            if far < best:
                found, best = unit, far
    return found


@kernel
def cell_of(s, unit):
    """The number of the cell where a thing is."""
    column, row = min(np.int64(s.place[unit, 0] / CELL), CELLS - 1), min(np.int64(s.place[unit, 1] / CELL), CELLS - 1)
    return row * CELLS + column


@large_kernel
def command(s, action):
    """Give an order to all selected marines."""
    count, target, order = 0, -1, HOLDING
    cell = (action - MOVE) % (CELLS * CELLS)
    if action >= ATTACK:
        target = enemy_in(s, cell)
        order = HUNTING if target >= 0 else CHARGING
    elif action >= MOVE:
        order = MOVING
    for marine in range(s.params.places):
        count += s.kind[marine] == MARINE and s.selected[marine] != 0
    for marine in range(s.params.places):
        if s.kind[marine] == MARINE and s.selected[marine] != 0:
            forget(s, marine)
            s.order[marine] = order
            s.target[marine] = target
            if order == MOVING or order == CHARGING:
                s.goal[marine, 0] = CELL * (cell % CELLS + 0.5)
                s.goal[marine, 1] = CELL * (cell // CELLS + 0.5)
                s.near[marine] = 0.5 * math.sqrt(count - 1.0)


# A tick.


@kernel
def in_range(s, a, b):
    """Whether unit b is in the range of unit a."""
    reach = RANGE[s.kind[a]] + RADIUS[s.kind[a]] + RADIUS[s.kind[b]]
    return squared(s, a, b) <= reach * reach


@large_kernel
def nearest(s, unit, seen):
    """The nearest enemy of a unit in range, or in sight if `seen`; -1 if none."""
    places, sight, found, best = s.params.places, SIGHT[s.kind[unit]], -1, 1e9
    first, last = (places, s.kind.shape[0]) if unit < places else (0, places)
    for other in range(first, last):
        if is_foe(s, unit, other):
            far = squared(s, unit, other)
            if far < best and (far <= sight * sight if seen else in_range(s, unit, other)):
                found, best = other, far
    return found


@large_kernel
def aim(s):
    """Units choose targets and hit those in range."""
    for unit in range(s.kind.shape[0]):
        kind, order, target = s.kind[unit], s.order[unit], s.target[unit]
        if kind < MARINE or kind > BANELING:
            s.target[unit] = -1
            continue
        s.cool[unit] = max(s.cool[unit] - 1, 0)
        alive = target >= 0 and is_foe(s, unit, target)
        if order == HUNTING and not alive:
            forget(s, unit)
            order = IDLE
        if order == MOVING:
            target = -1
        elif order != HUNTING and not (alive and in_range(s, unit, target)):
            target = nearest(s, unit, False)
            if target < 0 and order != HOLDING:
                target = nearest(s, unit, True)
        s.target[unit] = target
        if target >= 0 and s.cool[unit] == 0 and in_range(s, unit, target):
            if kind == BANELING:
                s.hurt[unit] += HEALTH[BANELING]
            else:
                s.hurt[target] += DAMAGE[kind] - ARMOUR[s.kind[target]]
                s.cool[unit] = COOLDOWN[kind]


@large_kernel
def walk(s):
    """Units go towards their targets and goals, all at once."""
    for unit in range(s.kind.shape[0]):
        kind, target, order = s.kind[unit], s.target[unit], s.order[unit]
        x, y = s.place[unit, 0], s.place[unit, 1]
        if MARINE <= kind <= BANELING:
            to_x, to_y = x, y
            if target >= 0:
                if not in_range(s, unit, target):
                    to_x, to_y = s.place[target, 0], s.place[target, 1]
            elif order == MOVING or order == CHARGING:
                to_x, to_y = s.goal[unit, 0], s.goal[unit, 1]
            far = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
            pace = SPEED[kind] * TICK
            if far <= pace + 1e-9:  # the way back of a walk must not take a tick more
                x, y, far = to_x, to_y, 0.0
            else:
                x, y, far = x + pace * (to_x - x) / far, y + pace * (to_y - y) / far, far - pace
            if target < 0 and (order == MOVING or order == CHARGING) and far <= s.near[unit]:
                s.order[unit] = IDLE
        s.shift[unit, 0] = x
        s.shift[unit, 1] = y
    for unit in range(s.kind.shape[0]):
        s.place[unit, 0] = s.shift[unit, 0]
        s.place[unit, 1] = s.shift[unit, 1]


@kernel
def lose(s, unit):
    """Take the health that a unit loses in this tick; whether it dies of it."""
    alive = MARINE <= s.kind[unit] <= BANELING
    s.health[unit] = max(s.health[unit] - s.hurt[unit], 0)
    s.hurt[unit] = 0
    return alive and s.health[unit] == 0


@large_kernel
def suffer(s):
    """Units without health die, enemies first, so that their explosions hurt marines now; the rewards."""
    places, units, gained = s.params.places, s.kind.shape[0], 0.0
    for k in range(units):
        unit = (places + k) % units
        if lose(s, unit):
            if s.kind[unit] == BANELING:
                for marine in range(places):
                    if s.kind[marine] == MARINE and squared(s, unit, marine) <= BLAST_RADIUS * BLAST_RADIUS:
                        s.hurt[marine] += BLAST
            gained += WORTH[s.kind[unit]]
            s.kind[unit] = NOTHING
            s.selected[unit] = 0
            s.cool[unit] = 0
            forget(s, unit)
    return gained


@large_kernel
def push_apart(s):
    """Push living units that overlap apart, all at once, and keep them on the field."""
    units = s.kind.shape[0]
    for unit in range(units):
        s.shift[unit, 0] = 0.0
        s.shift[unit, 1] = 0.0
    for a in range(units):
        if MARINE <= s.kind[a] <= BANELING:
            for b in range(a + 1, units):
                if MARINE <= s.kind[b] <= BANELING:
                    x, y = s.place[a, 0] - s.place[b, 0], s.place[a, 1] - s.place[b, 1]
                    part(s.shift, a, b, x, y, RADIUS[s.kind[a]] + RADIUS[s.kind[b]])
    for unit in range(units):
        s.place[unit, 0] = min(max(s.place[unit, 0] + s.shift[unit, 0], 0.0), SIZE)
        s.place[unit, 1] = min(max(s.place[unit, 1] + s.shift[unit, 1], 0.0), SIZE)


@large_kernel
def collect(s):
    """Marines take shards and beacons that are near; the rewards."""
    places, gained = s.params.places, 0.0
    for thing in range(places, s.kind.shape[0]):
        kind = s.kind[thing]
        for marine in range(places):
            if s.kind[thing] >= SHARD and s.kind[marine] == MARINE:
                if squared(s, thing, marine) <= REACH[kind] * REACH[kind]:
                    gained += WORTH[kind]
                    s.kind[thing] = NOTHING
    return gained


@kernel
def count(s, first, last):
    """How many of the units from `first` to `last` - 1 there are."""
    found = 0
    for unit in range(first, last):
        found += s.kind[unit] != NOTHING
    return found


@kernel
def step(s, actions, rewards):
    action, places, units = actions[0], s.params.places, s.kind.shape[0]
    if ALL <= action < HOLD:
        select(s, action)
    elif action >= HOLD:
        command(s, action)
    for _ in range(TICKS):
        aim(s)
        walk(s)
        rewards[0] += suffer(s)
        push_apart(s)
        rewards[0] += collect(s)
        if count(s, 0, places) > 0 and count(s, places, units) == 0:
            s.renewals = min(s.renewals + 1, 100_000)
            renew(s, 5.0 if s.params.map == BEACONS else 2.0)
    s.terminated[0] = count(s, 0, places) == 0
    s.truncated[0] = s.terminated[0] == 0 and s.t >= s.params.seconds * STEPS


# What the player sees and may do.


@large_kernel
def observe(s, agent, out):
    places, units = s.params.places, s.kind.shape[0]
    for row in range(CELLS):
        for column in range(CELLS):
            for code in range(5):
                out.screen[row, column, code] = 0
    for unit in range(units):
        kind, marine = s.kind[unit], unit < places
        if marine:
            for column in range(6):
                out.marines[unit, column] = 0.0
        else:
            for column in range(4):
                out.others[unit - places, column] = 0.0
        if kind == NOTHING:
            continue
        cell = cell_of(s, unit)
        row, column = cell // CELLS, cell % CELLS
        if out.screen[row, column, 2] == 0:
            out.screen[row, column, 0] = kind
            out.screen[row, column, 1] = 1 if marine else 2 if kind <= BANELING else 0
        out.screen[row, column, 2] += 1
        out.screen[row, column, 3] = min(out.screen[row, column, 3] + s.health[unit], 255)
        if marine:
            out.screen[row, column, 4] += s.selected[unit]
            out.marines[unit, 0] = s.place[unit, 0]
            out.marines[unit, 1] = s.place[unit, 1]
            out.marines[unit, 2] = s.health[unit]
            out.marines[unit, 3] = s.cool[unit]
            out.marines[unit, 4] = s.selected[unit]
            out.marines[unit, 5] = s.order[unit]
        else:
            out.others[unit - places, 0] = kind
            out.others[unit - places, 1] = s.place[unit, 0]
            out.others[unit - places, 2] = s.place[unit, 1]
            out.others[unit - places, 3] = s.health[unit]
    out.numbers[0] = max(s.params.seconds * STEPS - s.t, 0)
    out.numbers[1] = s.renewals


@kernel
def legal(s, agent, mask):
    mask[NOOP], mask[ALL], mask[NEXT] = 1, 1, 1
    chosen = False
    for marine in range(s.params.places):
        if s.kind[marine] == MARINE:
            mask[QUARTER + quarter(s, marine)] = 1
            chosen = chosen or s.selected[marine] != 0
    if chosen:
        for action in range(HOLD, mask.shape[0]):
            mask[action] = 1


class MiniGames(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    verified = "closed forms, a table of ticks by hand, and a second implementation in lock-step"
    variants = (
        dict(map="CollectMineralShards", seconds=10),
        dict(map="DefeatRoaches", seconds=30),
        dict(map="DefeatZerglingsAndBanelings"),
    )
    shown = "skilled"
    clickable = "move .*"
    keys = {
        "space": "noop", "a": "select all", "n": "select next", "h": "hold",
        **{str(k + 1): f"select {name}" for k, name in enumerate(QUARTERS)},
    }  # fmt: skip

    def __init__(
        self,
        map: Literal[
            "MoveToBeacon", "CollectMineralShards", "DefeatRoaches", "DefeatZerglingsAndBanelings"
        ] = "MoveToBeacon",
        seconds: Annotated[int, Between(1, 900)] = 120,
    ):
        number = MAPS.index(map)
        self.places, self.others, self.first = PLACES[number], OTHERS[number], int(FIRST[number])
        if number >= ROACHES:
            self.clickable = "(?!)"  # type: ignore[misc]  # a click moves or attacks, as the cell demands
        units = self.places + len(self.others)
        marines = np.array([SIZE, SIZE, HEALTH[MARINE], COOLDOWN[MARINE], 1, HOLDING], np.float32)
        others = np.array([BEACON, SIZE, SIZE, HEALTH.max()], np.float32)
        marines[3] = COOLDOWN.max()
        marines[2] = HEALTH.max()
        top = np.array([BEACON, 2, units, 255, self.places], np.uint8)
        most = len(self.others) * TICKS * float(WORTH[list(self.others)].max())
        self.define(
            agents=["agent"],
            actions=list(NAMES),
            observation=Dict(
                screen=Box(np.zeros((CELLS, CELLS, 5), np.uint8), np.tile(top, (CELLS, CELLS, 1)), dtype=np.uint8),
                marines=_rows(marines, self.places),
                others=_rows(others, len(self.others)),
                numbers=Box(0, 100_000, (2,), np.int32),
            ),
            fields=fields(self.places, len(self.others)),
            params={
                "map": fixed(number),
                "places": fixed(self.places),
                "others": fixed(list(self.others)),
                "seconds": seconds,
            },
            reward_range=(-float(self.places) if number >= ROACHES else 0.0, 1.0 if number == BEACONS else most),
        )

    def contradiction(self, s: Any) -> str | None:
        kinds, places = np.asarray(s.kind), self.places
        if not np.isin(kinds[:places], (NOTHING, MARINE)).all():
            return "a place for a marine has something else"
        if not np.isin(kinds[places:], (NOTHING, *self.others)).all():
            return "the map does not have things of this kind"
        if (np.asarray(s.health) > HEALTH[kinds]).any() or ((HEALTH[kinds] > 0) & (np.asarray(s.health) == 0)).any():
            return "the health of a unit is not one of its kind"
        if bool(s.terminated[0]) == bool((kinds[:places] == MARINE).any()):
            return "the end is not that of the last marine"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        if unknown := sorted(set(level) - {"marines", "others"}):
            raise LevelError(f"{self.id}: the level has an unknown part {unknown[0]!r}")
        marines, others = level["marines"], level["others"]
        for name, things, most in (("marines", marines, self.first), ("others", others, len(self.others))):
            if not isinstance(things, list | tuple) or not 1 <= len(things) <= most:
                raise LevelError(f"{self.id}: {name!r} must be a list of 1 to {most} things")
        s.started[...] = NOTHING
        s.started_at[...] = 0.0
        names = sorted({KINDS[kind] for kind in self.others})
        rows = [("marine", *_listed(place)) for place in marines] + [_listed(thing) for thing in others]
        for k, row in enumerate(rows):
            own = k < len(marines)
            if len(row) != 3 or row[0] not in (["marine"] if own else names):
                form = "[x, y]" if own else f"[kind, x, y] with one of the kinds {', '.join(names)}"
                raise LevelError(f"{self.id}: a thing of the level is {row!r:.60}, not {form}")
            if not all(type(x) in (int, float) and 0 <= x <= SIZE for x in row[1:]):
                raise LevelError(f"{self.id}: a {row[0]} is at {row[1:]!r:.60}; coordinates are numbers from 0 to 24")
            unit = k if own else self.places + k - len(marines)
            s.started[unit] = KINDS.index(row[0])
            s.started_at[unit] = row[1:]

    def get_level(self, s: Any) -> dict[str, Any]:
        kinds, places = np.asarray(s.started).tolist(), np.asarray(s.started_at).tolist()
        things = [(KINDS[kind], *place) for kind, place in zip(kinds, places) if kind != NOTHING]
        return {
            "marines": [[x, y] for kind, x, y in things if kind == "marine"],
            "others": [[kind, x, y] for kind, x, y in things if kind != "marine"],
        }

    # Text and picture: both are made of the observation.

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        lines = [f"{int(seen.numbers[0])} steps of 1/8 s are left. Renewals: {int(seen.numbers[1])}."]
        for k, (x, y, health, cool, chosen, order) in enumerate(seen.marines.tolist()):
            if health > 0:
                what = ("idle", "moves", "walks and attacks", "attacks an enemy", "holds")[int(order)]
                ready = f"ready in {int(cool)} ticks" if cool else "ready"
                lines.append(
                    f"Marine {k}{' (selected)' if chosen else ''}: cell {_cell(x, y)}, health {health:.0f}, "
                    f"weapon {ready}, {what}."
                )
        if not seen.marines[:, 2].any():
            lines.append("No marine lives.")
        for kind, x, y, health in seen.others.tolist():
            if kind:
                lines.append(
                    f"A {KINDS[int(kind)]} in cell {_cell(x, y)}" + (f", health {health:.0f}." if health else ".")
                )
        return "\n".join(lines)

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        column, row = int(x // 1), int(y // 1)
        if not (0 <= column < CELLS and 0 <= row < CELLS):
            return None
        seen = self.observation(s, agent)
        if not seen.marines[:, 4].any():
            return ALL
        foes = [cell for kind, *cell, health in seen.others.tolist() if health > 0]
        foe = (column, row) in [_at(*cell) for cell in foes]
        return (ATTACK if foe else MOVE) + CELLS * row + column

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        seen = self.observation(s, 0)
        scene = Scene(CELLS, CELLS, grid(0, 0, CELLS, CELLS, fill="soil"))
        bars = []
        for kind, x, y, health in seen.others.tolist():
            if kind:
                _draw(scene, int(kind), x / CELL, y / CELL)
                bars.append((int(kind), x / CELL, y / CELL, health))
        marines = [row for row in seen.marines.tolist() if row[2] > 0]
        for x, y, _, _, chosen, _ in marines:
            if chosen:
                scene.add(Circle(x / CELL, y / CELL, 0.36, "highlight", "ink", 0.05, glyph=""))
        for x, y, health, _, chosen, _ in marines:
            _draw(scene, MARINE, x / CELL, y / CELL, "M" if chosen else "m")
            bars.append((MARINE, x / CELL, y / CELL, health))
        for kind, x, y, health in bars:
            if health > 0:
                top, wide, share = y - float(RADIUS[kind]) / CELL - 0.22, 0.5, health / float(HEALTH[kind])
                scene.add(
                    Rect(x - wide / 2, top, wide, 0.1, "black"), Rect(x - wide / 2, top, wide * share, 0.1, "gold")
                )
        alive = len(marines)
        left = int(seen.numbers[0])
        footer(scene, f"{left / STEPS:.1f} s left", f"marines {alive}, renewals {int(seen.numbers[1])}")
        return scene


#: Colours and letters of the kinds.
_COLORS = ("", "blue", "red", "purple", "green", "sky", "orange")
_LETTERS = " mrzbsB"


def _draw(scene: Scene, kind: int, x: float, y: float, letter: str = "") -> None:
    """A thing with the letter of its kind, or with another one."""
    color, letter = _COLORS[kind], letter or _LETTERS[kind]
    if kind == SHARD:
        points = [(x, y - 0.4), (x + 0.25, y), (x, y + 0.4), (x - 0.25, y)]
        scene.add(Polygon(points, color, "ink", 0.04, glyph=letter))
        return
    radius = float(REACH[kind] if kind == BEACON else RADIUS[kind]) / CELL
    if kind == BEACON:
        scene.add(Circle(x, y, radius, color + "@0.35", color, 0.08, glyph=letter))
        scene.add(Line([(x - 0.25, y), (x + 0.25, y)], "ink", 0.07), Line([(x, y - 0.25), (x, y + 0.25)], "ink", 0.07))
        return
    scene.add(Circle(x, y, radius, color, "black", 0.04, glyph=letter))
    scene.add(Label(x, y, letter, 1.5 * radius, text_on(color), bold=True, terminal=False))


def _rows(top: np.ndarray, rows: int) -> Box:
    """A space of rows of numbers from 0 on."""
    return Box(np.zeros((rows, len(top)), np.float32), np.tile(top, (rows, 1)), dtype=np.float32)


def _listed(row: Any) -> tuple:
    return tuple(row) if isinstance(row, list | tuple) else (row,)


def _at(x: float, y: float) -> tuple[int, int]:
    """The column and row of a place."""
    return min(int(x / CELL), CELLS - 1), min(int(y / CELL), CELLS - 1)


def _cell(x: float, y: float) -> str:
    return "{} {}".format(*_at(x, y))


env, raw_env, parallel_env = pettingzoo_forms(MiniGames)
