"""The rules of XLand: actions, production rules, goals, maps and what players see. The world is in `xland.py`."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.gridworlds.xland import levels
from envsuite.gridworlds.xland.levels import HOLD
from envsuite.kit.grid import DX, DY, NORTH
from envsuite.kit.sight import in_line

ACTIONS = ("forward", "right", "left", "pick up", "put down", "toggle")
FORWARD, RIGHT, LEFT, PICK_UP, PUT_DOWN, TOGGLE = range(6)

#: The view is VIEW x VIEW cells; the player stands in the middle of the nearest row.
VIEW, MIDDLE = 5, 2
#: Cells of nothing around the map; views and rules reach no farther.
MARGIN = VIEW - 1

# Sets of kinds, as bits.
WALKABLE = 1 << levels.FLOOR | 1 << levels.GOAL | 1 << levels.OPEN
PORTABLE = sum(1 << int(kind) for kind in levels.THINGS if kind != levels.GOAL)
OPAQUE = 1 << levels.WALL | 1 << levels.LOCKED | 1 << levels.CLOSED


@kernel
def row_length(s):
    """The number of cells in a row, the margin included."""
    return s.params.size + 2 * MARGIN


@kernel
def stride(s, facing):
    """The offset of the next cell in a direction."""
    return DX[facing & 3] + DY[facing & 3] * row_length(s)


@kernel
def at(s, cell):
    """The tile in a cell."""
    return np.int64(s.grid[np.uint64(cell)])


@kernel
def put(s, cell, tile):
    """Put a tile into a cell."""
    s.grid[np.uint64(cell)] = tile


@kernel
def side(way):
    """The direction above, right, below or left of something."""
    return (NORTH + way) & 3


@kernel
def darken(s, cell):
    """Note whether a cell blocks sight. Only doors ever change that."""
    length = row_length(s)
    s.dark[np.uint64(cell // length), np.uint64(cell % length)] = OPAQUE >> (at(s, cell) & levels.KIND) & 1


# Actions.


@kernel
def front(s, k):
    """The cell in front of a player."""
    return s.cell[k] + stride(s, s.facing[k])


@kernel
def act(s, k, action, free):
    """Carry out an action, if its cell is `free`; return the cell that rules and goals look at.

    That is the cell ahead for the last three actions, whether they have an effect or not, and the own cell for others.
    """
    if action == RIGHT or action == LEFT:
        s.facing[k] = (s.facing[k] + (1 if action == RIGHT else 3)) & 3
        return np.int64(s.cell[k])
    ahead = front(s, k)
    tile = at(s, ahead)
    kind = tile & levels.KIND
    if action == FORWARD:
        if free and WALKABLE >> kind & 1:
            s.cell[k] = ahead
        return np.int64(s.cell[k])
    if not free:
        return np.int64(ahead)
    if action == PICK_UP:
        if PORTABLE >> kind & 1 and s.pocket[k] == levels.EMPTY:
            s.pocket[k] = tile
            put(s, ahead, levels.BLACK_FLOOR)
    elif action == PUT_DOWN:
        if kind == levels.FLOOR and s.pocket[k] != levels.EMPTY:
            put(s, ahead, s.pocket[k])
            s.pocket[k] = levels.EMPTY
    elif kind == levels.CLOSED or (kind == levels.LOCKED and s.pocket[k] == tile - levels.LOCKED + levels.KEY):
        put(s, ahead, tile - kind + levels.OPEN)
        darken(s, ahead)
    elif kind == levels.OPEN:
        put(s, ahead, tile - levels.OPEN + levels.CLOSED)
        darken(s, ahead)
    return np.int64(ahead)


@kernel
def wanted(s, k, actions):
    """The cell that a player's action is about: the one ahead, or its own for turns."""
    turns = actions[k] == RIGHT or actions[k] == LEFT
    return np.int64(s.cell[k]) if turns else np.int64(front(s, k))


@kernel
def act_all(s, actions):
    """All players act at once: an action has no effect in a cell that another one stands in, or acts on too."""
    players = s.cell.shape[0]
    for k in range(players):
        s.at[k] = wanted(s, k, actions)
        s.stood[k] = s.cell[k]
    for k in range(players):
        free = True
        for other in range(players):
            if other != k and (s.stood[other] == s.at[k] or wanted_by(s, other, actions) == s.at[k]):
                free = False
        s.free[k] = free
    for k in range(players):
        s.at[k] = act(s, k, actions[k], s.free[k] != 0)


@kernel
def wanted_by(s, other, actions):
    """The cell that an action is about, before anybody has acted; turns are about none."""
    return np.int64(-1) if actions[other] == RIGHT or actions[other] == LEFT else np.int64(s.at[other])


# Production rules.


@kernel
def near_rule(s, k, first, last, tile, made):
    """Tiles in some directions from a player become another tile."""
    for way in range(first, last):
        there = s.cell[k] + stride(s, side(way))
        if at(s, there) == tile:
            put(s, there, made)


@kernel
def pair_rule(s, here, first, last, a, b, made):
    """If one of two tiles is `here` and the other one beside it, that one becomes `made` and `here` becomes floor.

    With `first` and `last`, tile b lies in one of these directions from tile a.
    """
    tile = at(s, here)
    if tile != a and tile != b:
        return
    for way in range(4):
        there = here + stride(s, side(way))
        other = at(s, there)
        ahead, behind = first <= way < last, first <= (way + 2) % 4 < last
        if (ahead and tile == a and other == b) or (behind and tile == b and other == a):
            put(s, there, made)
            put(s, here, levels.BLACK_FLOOR)


@kernel
def apply_rules(s, k, action, here):
    """Apply the rules in their order to what a player has done."""
    for n in range(s.level.rules.shape[0]):
        rule = s.level.rules[n]
        kind, a, b, made = np.int64(rule[0]), np.int64(rule[1]), np.int64(rule[2]), np.int64(rule[3])
        if kind == HOLD:
            if action == PICK_UP and s.pocket[k] == a:
                s.pocket[k] = made
        elif kind == levels.NEAR:
            if action == FORWARD:
                near_rule(s, k, 0, 4, a, made)
        elif kind >= levels.NEAR_WAY:
            if action == FORWARD or action == PUT_DOWN:
                near_rule(s, k, kind - levels.NEAR_WAY, kind - levels.NEAR_WAY + 1, a, made)
        elif kind != 0 and action == PUT_DOWN:
            first = 0 if kind == levels.PAIR else kind - levels.PAIR_WAY
            pair_rule(s, here, first, 4 if kind == levels.PAIR else first + 1, a, b, made)


# Goals.


@kernel
def beside(s, cell, first, last, tile):
    """Whether a tile lies in one of some directions from a cell."""
    found = False
    for way in range(first, last):
        found = found or at(s, cell + stride(s, side(way))) == tile
    return found


@kernel
def paired(s, here, first, last, a, b):
    """Whether one of two tiles is `here` and the other one beside it: b in one of the directions from a."""
    tile, found = at(s, here), False
    for way in range(first, last):
        found = found or (tile == a and at(s, here + stride(s, side(way))) == b)
        found = found or (tile == b and at(s, here - stride(s, side(way))) == a)
    return found


@kernel
def cell_of(s, place):
    """The cell of a goal's place."""
    return (place // levels.LARGEST + MARGIN) * row_length(s) + place % levels.LARGEST + MARGIN


@kernel
def reached(s, action, here):
    """Whether the only player has reached its goal by this action."""
    kind, a, b = np.int64(s.level.goal[0]), np.int64(s.level.goal[1]), np.int64(s.level.goal[2])
    own = np.int64(s.cell[0])
    if kind == levels.HOLD_GOAL:
        return action == PICK_UP and s.pocket[0] == a
    if kind == levels.ON_GOAL:
        return action == FORWARD and at(s, own) == a
    if kind == levels.NEAR_GOAL:
        return action == FORWARD and beside(s, own, 0, 4, a)
    if kind == levels.TILE_AT:
        return at(s, cell_of(s, b)) == a
    if kind == levels.PLAYER_AT:
        return own == cell_of(s, a)
    if kind >= levels.NEAR_WAY_GOAL:
        way = kind - levels.NEAR_WAY_GOAL
        return (action == FORWARD or action == PUT_DOWN) and beside(s, own, way, way + 1, a)
    if kind == levels.PAIR_GOAL:
        return action == PUT_DOWN and paired(s, here, 0, 4, a, b)
    way = kind - levels.PAIR_WAY_GOAL
    return kind != 0 and action == PUT_DOWN and paired(s, here, way, way + 1, a, b)


# Goals of several players.


@kernel
def is_near(s, x, y):
    """Whether a player or tile x is in a cell beside a player or tile y."""
    if x < levels.PLAYERS and y < levels.PLAYERS:
        gap = abs(s.cell[x] - s.cell[y])
        return gap == 1 or gap == row_length(s)
    if x < levels.PLAYERS:
        return beside(s, s.cell[x], 0, 4, y)
    if y < levels.PLAYERS:
        return beside(s, s.cell[y], 0, 4, x)
    found = False
    for cell in range(row_length(s), s.grid.shape[0] - row_length(s)):
        found = found or (at(s, cell) == x and beside(s, cell, 0, 4, y))
    return found


@large_kernel
def sees(s, k, thing):
    """Whether a player or tile is in a player's view and neither walls nor closed doors are in the line to it."""
    length = row_length(s)
    y, x, facing = s.cell[k] // length, s.cell[k] % length, s.facing[k]
    for far in range(VIEW):
        for aside in range(-MIDDLE, MIDDLE + 1):
            row = y + far * DY[facing & 3] + aside * DY[(facing + 1) & 3]
            column = x + far * DX[facing & 3] + aside * DX[(facing + 1) & 3]
            cell = row * length + column
            here = s.cell[thing & 3] == cell if thing < levels.PLAYERS else at(s, cell) == thing
            if here and in_line(s.dark, 1, y, x, row, column):
                return True
    return False


@kernel
def holds_true(s, literal):
    """Whether a literal is true now."""
    kind, x, y = literal[0], np.int64(literal[2]), np.int64(literal[3])
    if kind == levels.IS_NEAR:
        true = is_near(s, x, y)
    elif kind == levels.IS_ON:
        true = at(s, s.cell[x & 3]) == y
    elif kind == levels.HOLDS:
        true = s.pocket[x & 3] == y
    else:
        true = sees(s, x & 3, y)
    return true != (literal[1] != 0)


@kernel
def satisfied(s, k):
    """Whether the goal of one of several players is true now: all literals of one of its clauses."""
    for i in range(levels.CLAUSES):
        true = s.level.literals[k, i, 0, 0] != levels.NO_LITERAL
        for j in range(levels.LITERALS):
            if true and s.level.literals[k, i, j, 0] != levels.NO_LITERAL:
                true = holds_true(s, s.level.literals[k, i, j])
        if true:
            return True
    return False


# Maps.


@kernel
def place(s, x, y, tile):
    """Put a tile into a column and row of the map."""
    put(s, (y + MARGIN) * row_length(s) + x + MARGIN, tile)


@kernel
def door(s, x, y):
    """Put a closed door of one of six colors into a wall."""
    place(s, x, y, levels.CLOSED + levels.SHADE * (1 + random.randint(s, 6)))


@kernel
def wall_across(s, y, first, last):
    for x in range(first, last):
        place(s, x, y, levels.GREY_WALL)


@kernel
def wall_down(s, x, first, last):
    for y in range(first, last):
        place(s, x, y, levels.GREY_WALL)


@large_kernel
def build(s):
    """Walls and doors of 1, 2, 4, 6 or 9 rooms."""
    size, rooms = s.params.size, s.params.rooms
    half, third = size // 2, size // 3
    fill(s.grid, levels.EMPTY)
    for y in range(size):
        for x in range(size):
            edge = x == 0 or y == 0 or x == size - 1 or y == size - 1
            place(s, x, y, levels.GREY_WALL if edge else levels.BLACK_FLOOR)
    if rooms == 2 or rooms == 4:
        wall_down(s, half, 0, size)
        if rooms == 2:
            door(s, half, 1 + random.randint(s, size - 2))
    if rooms == 4:
        wall_across(s, half, 0, size)
        for k in range(2):
            door(s, k * half + 1 + random.randint(s, half - 1), half)
            door(s, half, k * half + 1 + random.randint(s, half - 1))
    if rooms == 6:
        for k in range(2):
            x = half - 2 + 4 * k
            wall_down(s, x, 0, size)
            for j in range(1, 3):
                wall_across(s, j * third, 0 if k == 0 else x, x if k == 0 else size)
            for j in range(3):
                door(s, x, half + (j - 1) * third)
    if rooms == 9:
        for k in range(1, 3):
            wall_down(s, k * third, 0, size)
            wall_across(s, k * third, 0, size)
        for k in range(1, 3):
            for j in range(3):
                door(s, k * third, j * third + 1 + random.randint(s, third - 1))
                door(s, j * third + 1 + random.randint(s, third - 1), k * third)


@kernel
def floor_cell(s, players):
    """A random cell of floor on which none of the first players stands."""
    while True:
        size = s.params.size
        place = random.randint(s, size * size)
        cell = (place // size + MARGIN) * row_length(s) + place % size + MARGIN
        free = at(s, cell) & levels.KIND == levels.FLOOR
        for k in range(players):
            free = free and s.cell[k] != cell
        if free:
            return np.int64(cell)


@kernel
def lay_out(s):
    """A new map with the objects and players in different cells of it."""
    build(s)
    for k in range(s.level.objects.shape[0]):
        if s.level.objects[k] != levels.EMPTY:
            put(s, floor_cell(s, 0), s.level.objects[k])
    for k in range(s.cell.shape[0]):
        s.cell[k] = floor_cell(s, k)
        s.facing[k] = random.randint(s, 4)
