"""The fights and walks of MiniGames: marines, their enemies, beacons and shards, and the fog."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.random import bernoulli, uniform
from envsuite.core.ranges import below, flag, free, within
from envsuite.kit.plane import part

#: Kinds of things, with their numbers; 0 is nothing.
KINDS = ("nothing", "marine", "roach", "zergling", "baneling", "shard", "beacon")
NOTHING, MARINE, ROACH, ZERGLING, BANELING, SHARD, BEACON = range(7)
HEALTH = np.array([0, 45, 145, 35, 30, 0, 0])
ARMOR = np.array([0, 0, 1, 0, 0, 0, 0])
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

#: The side of the field with fog in cells, and the side of a cell of the minimap in these.
WIDE, COARSE = 32, 2

#: Ticks of a step, seconds of a tick, and steps of a second.
TICKS, TICK, STEPS = 2, 1.0 / 16.0, 8

MAPS = (
    "MoveToBeacon", "CollectMineralShards", "DefeatRoaches", "DefeatZerglingsAndBanelings", "FindAndDefeatZerglings",
)  # fmt: skip
BEACONS, SHARDS, ROACHES, BANELINGS, FIND = range(5)
#: Of each map: marines at the start, marines that join, places for marines, kinds of the others.
FIRST, JOIN, PLACES = np.array([1, 2, 9, 9, 3]), np.array([0, 0, 5, 4, 0]), (1, 2, 40, 40, 3)
OTHERS = ((BEACON,), (SHARD,) * 20, (ROACH,) * 4, (ZERGLING,) * 6 + (BANELING,) * 4, (ZERGLING,) * 25)

#: Orders of marines.
IDLE, MOVING, CHARGING, HUNTING, HOLDING = range(5)

#: Actions; those with cells have CELLS * CELLS each.
NOOP, ALL, NEXT, QUARTER, HOLD, MOVE = 0, 1, 2, 3, 7, 8
ATTACK = MOVE + CELLS * CELLS
CAMERA = ATTACK + CELLS * CELLS
QUARTERS = ("north west", "north east", "south west", "south east")
NAMES = (
    "noop", "select all", "select next", *(f"select {name}" for name in QUARTERS), "hold",
    *(f"{verb} {k % CELLS} {k // CELLS}" for verb in ("move", "attack", "camera") for k in range(CELLS * CELLS)),
)  # fmt: skip

#: Codes of fog: never seen, seen before, seen now.
DARK, DIM, LIT = range(3)


def fields(marines: int, others: int, fog: bool) -> list[tuple]:
    """The record; units are numbered from the marines on."""
    units = marines + others
    place = within(np.float64, 0.0, CELL * WIDE if fog else SIZE)
    seen = [
        ("camera", below(np.int64, WIDE - CELLS + 1), (2,)),  # column and row of the field in the screen's corner
        ("fog", below(np.uint8, 3), (WIDE, WIDE)),  # of each cell of the field, after the step
    ]
    return [
        *(seen if fog else ()),
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


# What the map with fog has, and others do not; the type of the record decides.


def has_fog(names: Any) -> bool:
    return "fog" in names


def _nothing(s, *_):
    pass


def _zero(s):
    return 0


def _yes(s, unit):
    return True


def _field(s):
    return CELL * WIDE


def _screen(s):
    return SIZE


def _column(s):
    return s.camera[0]


def _row(s):
    return s.camera[1]


def _in_sight(s, unit):
    for marine in range(s.params.places):
        if s.kind[marine] == MARINE and squared(s, marine, unit) <= SIGHT[MARINE] * SIGHT[MARINE]:
            return True
    return False


def _one(s, kind):
    return 1.0 if kind == ZERGLING else -1.0


def _worth(s, kind):
    return WORTH[kind]


#: The side of the field; the cell in the corner of the screen; whether the player sees a thing; the reward for a loss.
side, first_column, first_row = (
    by_fields(has_fog, *two) for two in ((_field, _screen), (_column, _zero), (_row, _zero))
)
is_seen = by_fields(has_fog, _in_sight, _yes)
worth = by_fields(has_fog, _one, _worth)


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
def is_clear(s, unit):
    """Whether a new zergling may be where it is: away from earlier ones, and from the middle or all marines."""
    places = s.params.places
    x, y = s.place[unit, 0] - 0.5 * CELL * WIDE, s.place[unit, 1] - 0.5 * CELL * WIDE
    far, started = x * x + y * y, s.renewals == 0
    if started and (far < 7.5 * 7.5 or far > 9.5 * 9.5) and unit < places + 2:
        return False
    if started and far < 10.5 * 10.5 and unit >= places + 2:
        return False
    for other in range(unit):
        least = 5.0 if other >= places else 9.0
        if (other >= places or (s.kind[other] == MARINE and not started)) and squared(s, unit, other) < least * least:
            return False
    return True


@large_kernel
def scatter(s):
    """Zerglings stand anywhere, the first two near the middle at the start; then marines stand in the middle."""
    places, middle = s.params.places, 0.5 * CELL * WIDE
    for marine in range(places):
        if s.renewals == 0:
            s.place[marine, 0] = middle
            s.place[marine, 1] = middle + 1.0 * (marine - 1)
    for unit in range(places, s.kind.shape[0]):
        forget(s, unit)
        for _ in range(1000):
            s.place[unit, 0] = 1.0 + (CELL * WIDE - 2.0) * uniform(s)
            s.place[unit, 1] = 1.0 + (CELL * WIDE - 2.0) * uniform(s)
            if is_clear(s, unit):
                break


def _scatter(s):
    scatter(s)


scatter_if_fog = by_fields(has_fog, _scatter, _nothing)


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
    if s.params.map == ROACHES or s.params.map == BANELINGS:
        line_up(s)
    scatter_if_fog(s)


@kernel
def is_lit(s, marine, column, row):
    """Whether a marine sees the middle of a cell of the field."""
    x, y = s.place[marine, 0] - CELL * (column + 0.5), s.place[marine, 1] - CELL * (row + 0.5)
    return x * x + y * y <= SIGHT[MARINE] * SIGHT[MARINE]


@large_kernel
def paint(s, code):
    """Write a code of fog into all cells that marines see."""
    for marine in range(s.params.places):
        if s.kind[marine] == MARINE:
            x, y, sight = s.place[marine, 0], s.place[marine, 1], SIGHT[MARINE]
            last_row = min(np.int64((y + sight) / CELL), WIDE - 1)
            last_column = min(np.int64((x + sight) / CELL), WIDE - 1)
            for row in range(max(np.int64((y - sight) / CELL), 0), last_row + 1):
                for column in range(max(np.int64((x - sight) / CELL), 0), last_column + 1):
                    if is_lit(s, marine, column, row):
                        s.fog[row, column] = code


def _fade(s):
    paint(s, DIM)


def _light(s):
    paint(s, LIT)


def _darken(s):
    s.camera[0] = (WIDE - CELLS) // 2
    s.camera[1] = (WIDE - CELLS) // 2
    for row in range(WIDE):
        for column in range(WIDE):
            s.fog[row, column] = DARK


fade, light, darken = (by_fields(has_fog, change, _nothing) for change in (_fade, _light, _darken))


def _point(s, cell):
    """The screen shows the part of the field around a cell of the minimap."""
    s.camera[0] = min(max(COARSE * (cell % CELLS) + COARSE // 2 - CELLS // 2, 0), WIDE - CELLS)
    s.camera[1] = min(max(COARSE * (cell // CELLS) + COARSE // 2 - CELLS // 2, 0), WIDE - CELLS)


point = by_fields(has_fog, _point, _nothing)


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
    darken(s)
    light(s)


# Commands.


@kernel
def quarter(s, marine):
    """The quarter of the screen where a marine is; -9 if it is not on the screen."""
    cell = cell_of(s, marine)
    if cell < 0:
        return -9
    return (cell % CELLS >= CELLS // 2) + 2 * (cell // CELLS >= CELLS // 2)


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
    """The living enemy that the player sees in a cell and that is nearest to its center; -1 if none."""
    found, best = -1, 1e9
    x, y = CELL * (first_column(s) + cell % CELLS + 0.5), CELL * (first_row(s) + cell // CELLS + 0.5)
    for unit in range(s.params.places, s.kind.shape[0]):
        if ROACH <= s.kind[unit] <= BANELING and cell_of(s, unit) == cell and is_seen(s, unit):
            far = (s.place[unit, 0] - x) * (s.place[unit, 0] - x) + (s.place[unit, 1] - y) * (s.place[unit, 1] - y)
            if far < best:
                found, best = unit, far
    return found


@kernel
def cell_of(s, unit):
    """The number of the cell of the screen where a thing is; -1 if it is not on the screen."""
    last = np.int64(side(s) / CELL) - 1
    column = min(np.int64(s.place[unit, 0] / CELL), last) - first_column(s)
    row = min(np.int64(s.place[unit, 1] / CELL), last) - first_row(s)
    if column < 0 or row < 0 or column >= CELLS or row >= CELLS:
        return -1
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
                s.goal[marine, 0] = CELL * (first_column(s) + cell % CELLS + 0.5)
                s.goal[marine, 1] = CELL * (first_row(s) + cell // CELLS + 0.5)
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
                s.hurt[target] += DAMAGE[kind] - ARMOR[s.kind[target]]
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
            gained += worth(s, s.kind[unit])
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
        s.place[unit, 0] = min(max(s.place[unit, 0] + s.shift[unit, 0], 0.0), side(s))
        s.place[unit, 1] = min(max(s.place[unit, 1] + s.shift[unit, 1], 0.0), side(s))


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
    elif action >= CAMERA:
        point(s, action - CAMERA)
    elif action >= HOLD:
        command(s, action)
    fade(s)
    for _ in range(TICKS):
        aim(s)
        walk(s)
        rewards[0] += suffer(s)
        push_apart(s)
        rewards[0] += collect(s)
        if count(s, 0, places) > 0 and count(s, places, units) == 0:
            s.renewals = min(s.renewals + 1, 100_000)
            renew(s, 5.0 if s.params.map == BEACONS else 2.0)
    light(s)
    s.terminated[0] = count(s, 0, places) == 0
    s.truncated[0] = s.terminated[0] == 0 and s.t >= s.params.seconds * STEPS


# What the player sees and may do.


@kernel
def draw(s, unit, out):
    """Add a thing to its cell of the screen."""
    cell, kind, marine = cell_of(s, unit), s.kind[unit], unit < s.params.places
    row, column = cell // CELLS, cell % CELLS
    if out.screen[row, column, 2] == 0:
        out.screen[row, column, 0] = kind
        out.screen[row, column, 1] = 1 if marine else 2 if kind <= BANELING else 0
    out.screen[row, column, 2] += 1
    out.screen[row, column, 3] = min(out.screen[row, column, 3] + s.health[unit], 255)
    if marine:
        out.screen[row, column, 4] += s.selected[unit]


def _far(s, out):
    """What the player sees through fog, and the minimap."""
    for row in range(CELLS):
        for column in range(CELLS):
            out.screen[row, column, 5] = s.fog[s.camera[1] + row, s.camera[0] + column]
            lit = DARK
            for k in range(COARSE * COARSE):
                lit = max(lit, s.fog[COARSE * row + k // COARSE, COARSE * column + k % COARSE])
            out.minimap[row, column, 0] = lit
            out.minimap[row, column, 1] = 0
            out.minimap[row, column, 2] = 0
    for unit in range(s.kind.shape[0]):
        if s.kind[unit] != NOTHING and is_seen(s, unit):
            row = min(np.int64(s.place[unit, 1] / (COARSE * CELL)), CELLS - 1)
            column = min(np.int64(s.place[unit, 0] / (COARSE * CELL)), CELLS - 1)
            out.minimap[row, column, 1 if unit < s.params.places else 2] += 1
    out.numbers[2] = s.camera[0]
    out.numbers[3] = s.camera[1]


far = by_fields(has_fog, _far, _nothing)


@large_kernel
def observe(s, agent, out):
    places, units = s.params.places, s.kind.shape[0]
    for row in range(CELLS):
        for column in range(CELLS):
            for code in range(5):
                out.screen[row, column, code] = 0
    for unit in range(units):
        marine = unit < places
        if marine:
            for column in range(6):
                out.marines[unit, column] = 0.0
        else:
            for column in range(4):
                out.others[unit - places, column] = 0.0
        if s.kind[unit] == NOTHING:
            continue
        shown = cell_of(s, unit) >= 0 and is_seen(s, unit)
        if shown:
            draw(s, unit, out)
        if marine:
            out.marines[unit, 0] = s.place[unit, 0]
            out.marines[unit, 1] = s.place[unit, 1]
            out.marines[unit, 2] = s.health[unit]
            out.marines[unit, 3] = s.cool[unit]
            out.marines[unit, 4] = s.selected[unit]
            out.marines[unit, 5] = s.order[unit]
        elif shown:
            out.others[unit - places, 0] = s.kind[unit]
            out.others[unit - places, 1] = s.place[unit, 0]
            out.others[unit - places, 2] = s.place[unit, 1]
            out.others[unit - places, 3] = s.health[unit]
    out.numbers[0] = max(s.params.seconds * STEPS - s.t, 0)
    out.numbers[1] = s.renewals
    far(s, out)


@kernel
def legal(s, agent, mask):
    mask[NOOP], mask[ALL], mask[NEXT] = 1, 1, 1
    chosen = False
    for marine in range(s.params.places):
        if s.kind[marine] == MARINE:
            if quarter(s, marine) >= 0:
                mask[QUARTER + quarter(s, marine)] = 1
            chosen = chosen or s.selected[marine] != 0
    if chosen:
        for action in range(HOLD, CAMERA):
            mask[action] = 1
    for action in range(CAMERA, mask.shape[0]):
        mask[action] = 1
