"""Policies for Roguelike: one that maps what it sees and plans, and one that walks straight on."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.roguelike import rules
from envsuite.kit.figures import DOWN as DY
from envsuite.kit.figures import RIGHT as DX

ID = "envsuite/Roguelike-v0"

#: The map in the memory: rows of SIDE cells, joined to a ring, so that every cell has neighbors.
SIDE, CELLS = 128, 4096
NONE = -1
#: How many more searches the end of a corridor gets than other cells.
DEAD_END = 60

_PLAIN = np.int64(
    sum(
        1 << code
        for code in (
            rules.FLOOR,
            rules.CORRIDOR,
            rules.DOORWAY,
            rules.OPEN,
            rules.CLOSED,
            rules.ICE,
            rules.STAIRS,
            rules.CLOUD,
        )
    )
)
_DEADLY = np.int64(1 << rules.WATER | 1 << rules.LAVA | 1 << rules.PIT)
_TRAPS = np.int64(sum(1 << code for code in range(rules.DART, rules.TELEPORT + 1)))
_SOLID = np.int64(
    sum(1 << code for code in (rules.UNSEEN, rules.ROCK, rules.WALL, rules.CLOSED, rules.LOCKED, rules.TREE))
)
_BOULDER = rules.THING_GLYPH + rules.BOULDER

MEMORY = {
    "map": limited(np.zeros(CELLS, np.uint8), 0, rules.GLYPHS - 1),  # grounds and things as last seen
    "tried": limited(np.zeros(CELLS, np.uint8), 0, 1),  # things that cannot be taken
    "searched": limited(np.zeros(CELLS, np.uint8), 0, 255),  # searches in a cell
    "first": scratch(CELLS, np.uint8),  # the first move on a shortest way to a cell, plus one
    "queue": scratch(CELLS),  # the cells that can be reached, the nearest first
    "count": scratch(()),
}


@kernel
def step_from(cell, move):
    """The cell to which a move leads."""
    return cell + DX[move] + DY[move] * SIDE & CELLS - 1


@kernel
def code_in(memory, cell):
    """What the map shows in a cell."""
    return np.int64(memory.map[np.uint64(cell & CELLS - 1)])


@kernel
def note(memory, cell, code):
    """Write a code to the map. Monsters do not belong there; what is under one that has never been seen is floor."""
    if code == rules.UNSEEN:
        return
    if code >= rules.HERO:
        code = rules.FLOOR if code_in(memory, cell) == rules.UNSEEN else code_in(memory, cell)
    memory.map[np.uint64(cell & CELLS - 1)] = code


@kernel
def read_map(observation, memory):
    """Copy the whole map."""
    for y in range(observation.map.shape[0]):
        for x in range(observation.map.shape[1]):
            note(memory, y * SIDE + x, np.int64(observation.map[y, x]))


@kernel
def read_view(observation, memory):
    """Copy the view."""
    top, left = np.int64(observation.stats[10]) - rules.REACH, np.int64(observation.stats[11]) - rules.REACH
    for y in range(observation.crop.shape[0]):
        for x in range(observation.crop.shape[1]):
            note(memory, (top + y) * SIDE + left + x, np.int64(observation.crop[y, x]))


read = by_fields(lambda names: "map" in names, read_map, read_view)


@kernel
def passable(code, floats, careless):
    """Whether a way may lead through a code."""
    if rules.among(_PLAIN, code):
        return True
    if code > rules.THING_GLYPH and code < rules.HERO:
        return code != _BOULDER
    return (floats and rules.among(_DEADLY | _TRAPS, code)) or (careless and rules.among(_TRAPS, code))


@kernel
def is_door(code):
    """Whether nothing passes here diagonally."""
    return code == rules.OPEN or code == rules.CLOSED


@kernel
def beast(observation, move):
    """The code of the monster beside the hero in this direction, or 0."""
    code = np.int64(observation.crop[np.uint64(rules.REACH + DY[move]), np.uint64(rules.REACH + DX[move])])
    return code if code > rules.MONSTER_GLYPH else np.int64(0)


@large_kernel
def survey(memory, observation, cell, careless):
    """Find shortest ways to all cells that can be reached."""
    floats = observation.stats[1] > 1
    for k in range(CELLS):
        memory.first[k] = 0
    memory.first[np.uint64(cell)] = 9
    memory.queue[0] = cell
    head, tail = np.int64(0), np.int64(1)
    while head < tail:
        here = np.int64(memory.queue[np.uint64(head)])
        head += 1
        for way in range(8):
            move = 2 * way % 8 + way // 4  # straight moves first
            near = step_from(here, move)
            if memory.first[np.uint64(near)] or not passable(code_in(memory, near), floats, careless):
                continue
            if move & 1 and (is_door(code_in(memory, here)) or is_door(code_in(memory, near))):
                continue
            if head == 1 and beast(observation, move):
                continue
            memory.first[np.uint64(near)] = move + 1 if head == 1 else memory.first[np.uint64(here)]
            memory.queue[np.uint64(tail)] = near
            tail += 1
    memory.count = tail


@kernel
def way_to(memory, cell):
    """The first move of the way to a cell; NONE if it cannot be reached, or is here."""
    first = np.int64(memory.first[np.uint64(cell & CELLS - 1)])
    return first - 1 if 0 < first < 9 else np.int64(NONE)


@kernel
def beside(memory, cell, code, straight):
    """The direction of a neighbor with this code, or NONE; with `straight`, no diagonal one."""
    found = np.int64(NONE)
    for move in range(8):
        if code_in(memory, step_from(cell, move)) == code and not (straight and move & 1):
            found = np.int64(move)
    return found


@large_kernel
def nearest(memory, code):
    """The first move to the nearest cell with a code, or with things, or next to what has not been seen; else NONE."""
    for k in range(1, memory.count):
        cell = np.int64(memory.queue[np.uint64(k)])
        shown = code_in(memory, cell)
        if code == rules.UNSEEN:
            wanted = beside(memory, cell, rules.UNSEEN, False) != NONE
        elif code == rules.THING_GLYPH:
            wanted = shown > rules.THING_GLYPH and memory.tried[np.uint64(cell)] == 0
        else:
            wanted = shown == code
        if wanted:
            return way_to(memory, cell)
    return np.int64(NONE)


@kernel
def nearest_to(memory, code, straight):
    """The first move to the nearest cell beside one with this code, or NONE."""
    for k in range(1, memory.count):
        if beside(memory, np.int64(memory.queue[np.uint64(k)]), code, straight) != NONE:
            return way_to(memory, np.int64(memory.queue[np.uint64(k)]))
    return np.int64(NONE)


@kernel
def fight(observation):
    """The move that attacks a rat, a bat or a goblin beside the hero, or NONE."""
    found = np.int64(NONE)
    for move in range(8):
        code = beast(observation, move)
        if 0 < code <= rules.MONSTER_GLYPH + rules.GOBLIN:
            found = np.int64(move)
    return found


@kernel
def at_locked_door(memory, observation, mask, cell):
    """What to do at a locked door: open it with a key, turn to it, or kick it; else go to one; NONE without one."""
    if mask[rules.APPLY]:
        return (
            np.int64(rules.APPLY)
            if beside(memory, cell, rules.LOCKED, False) != NONE
            else nearest_to(memory, rules.LOCKED, False)
        )
    if mask[rules.KICK] == 0:
        return np.int64(NONE)
    there = beside(memory, cell, rules.LOCKED, True)
    if there == NONE:
        return nearest_to(memory, rules.LOCKED, True)
    return np.int64(rules.KICK) if observation.stats[7] == there else there


@kernel
def cold_ahead(memory, cell, move):
    """Whether a ray in this direction reaches lava or water."""
    for _ in range(rules.RAY):
        cell = step_from(cell, move)
        code = code_in(memory, cell)
        if rules.among(_SOLID, code):
            return False
        if code == rules.LAVA or code == rules.WATER:
            return True
    return False


@large_kernel
def use_wand(memory, observation, mask, cell):
    """Zap at lava, or a move after which that is possible, or NONE."""
    if mask[rules.ZAP] == 0:
        return np.int64(NONE)
    if cold_ahead(memory, cell, np.int64(observation.stats[7])):
        return np.int64(rules.ZAP)
    found, count = np.int64(NONE), np.int64(0)
    for move in range(8):
        near = step_from(cell, move)
        if way_to(memory, near) == move:
            if cold_ahead(memory, near, move):
                return np.int64(move)
            count += 1
            if randint(memory, count) == 0:
                found = np.int64(move)
    return found


@kernel
def is_bank(memory, cell):
    """Whether boulders can be pushed north and south here."""
    free = True
    for k in range(-1, 2):
        code = code_in(memory, cell + k * SIDE)
        free = free and rules.among(_PLAIN, code) | (code == _BOULDER)
    return free


@large_kernel
def find_boulder(memory):
    """The easternmost boulder, or NONE."""
    found = np.int64(NONE)
    for cell in range(CELLS):
        if code_in(memory, cell) == _BOULDER and (found == NONE or cell % SIDE > found % SIDE):
            found = np.int64(cell)
    return found


@large_kernel
def find_gap(memory, boulder):
    """What a boulder should fill next: the easternmost cell of water, a pit or lava behind a free one, or NONE."""
    found, best = np.int64(NONE), np.int64(0)
    for cell in range(1, CELLS):
        code = code_in(memory, cell)
        if rules.among(_DEADLY, code) and (cell - 1 == boulder or rules.among(_PLAIN, code_in(memory, cell - 1))):
            row, last = cell // SIDE, last_bank(memory, cell)
            rank = 256 * (cell % SIDE) + 64 * (code != rules.LAVA) - abs(row - boulder // SIDE)
            if last != NONE and rank > best:
                found, best = np.int64(cell), rank
    return found


@kernel
def last_bank(memory, cell):
    """The easternmost cell of a bank in this row to the west of a cell, or NONE."""
    for k in range(1, cell % SIDE):
        if is_bank(memory, cell - k):
            return np.int64(cell - k)
    return np.int64(NONE)


@large_kernel
def fill_gaps(memory, cell):
    """Push a boulder to the east, along the bank to the row of the gap, and into it; NONE if that is not possible."""
    boulder = find_boulder(memory)
    gap = find_gap(memory, boulder) if boulder != NONE else np.int64(NONE)
    if gap == NONE:
        return np.int64(NONE)
    move = np.int64(2)
    if boulder // SIDE != gap // SIDE and boulder % SIDE >= last_bank(memory, gap) % SIDE:
        move = np.int64(4) if boulder < gap else np.int64(0)
    behind = step_from(boulder, (move + 4) % 8)
    return move if cell == behind else way_to(memory, behind)


@kernel
def is_end(memory, cell):
    """Whether a corridor ends here: there is one way on at most."""
    ways = 0
    for move in range(8):
        ways += passable(code_in(memory, step_from(cell, move)), False, True)
    return ways <= 1


@large_kernel
def seek(memory, mask, cell):
    """Search here, or go where there have been fewer searches; NONE where searches are not possible."""
    if mask[rules.SEARCH] == 0:
        return np.int64(NONE)
    best, least = cell, np.int64(2**20)
    for k in range(memory.count):
        other = np.int64(memory.queue[np.uint64(k)])
        edge = beside(memory, other, rules.WALL, True) != NONE or beside(memory, other, rules.ROCK, True) != NONE
        effort = np.int64(memory.searched[np.uint64(other)]) + 10 * (other != cell) - DEAD_END * is_end(memory, other)
        if edge and effort < least:
            best, least = other, effort
    if best == cell:
        for move in range(8):
            near = np.uint64(step_from(cell, move))
            memory.searched[near] = min(255, np.int64(memory.searched[near]) + 1)
        memory.searched[np.uint64(cell)] = min(255, np.int64(memory.searched[np.uint64(cell)]) + 1)
        return np.int64(rules.SEARCH)
    return way_to(memory, best)


@large_kernel
def plan(memory, observation, mask, cell):
    """The next action on the best way that the map shows, or NONE."""
    action = nearest(memory, np.int64(rules.THING_GLYPH))
    if action == NONE:
        action = nearest(memory, np.int64(rules.STAIRS))
    if action == NONE and mask[rules.APPLY]:
        action = at_locked_door(memory, observation, mask, cell)
    if action == NONE:
        action = nearest(memory, np.int64(rules.UNSEEN))
    if action == NONE:
        action = at_locked_door(memory, observation, mask, cell)
    if action == NONE and mask[rules.QUAFF] and observation.stats[1] == 0:
        action = np.int64(rules.QUAFF)
    if action == NONE:
        action = use_wand(memory, observation, mask, cell)
    if action == NONE:
        action = fill_gaps(memory, cell)
    return action


@policy(ID, "explorer", variables=MEMORY)
def explorer(memory, observation, mask):
    """Maps what it sees. Takes things, goes to stairs, else to what it has not seen; then doors, potions and boulders.

    It fights what is beside it and small, avoids traps while it can, and searches at last. With ``map=True`` and
    ``mapped=True``, its ways are shortest ways on the whole map.
    """
    cell = np.int64(observation.stats[10]) * SIDE + np.int64(observation.stats[11])
    read(observation, memory)
    memory.map[np.uint64(cell)] = max(rules.ROCK, observation.stats[8])
    action = fight(observation)
    if action != NONE:
        return action
    if mask[rules.TAKE] or mask[rules.EAT]:
        return np.int64(rules.TAKE if mask[rules.TAKE] else rules.EAT)
    if observation.stats[9]:
        memory.tried[np.uint64(cell)] = 1
        memory.map[np.uint64(cell)] = rules.THING_GLYPH + observation.stats[9]
    for careless in range(2):
        if action == NONE:
            survey(memory, observation, cell, careless)
            action = plan(memory, observation, mask, cell)
    if action == NONE:
        action = seek(memory, mask, cell)
    if action == NONE:
        action = np.int64(wade(memory, observation, cell))
    return action if mask[np.uint64(action)] else np.int64(choose_legal(memory, mask))


@kernel
def wade(memory, observation, cell):
    """A random move that does not lead into what kills, if there is one."""
    found, count = np.int64(0), np.int64(0)
    for move in range(8):
        if passable(code_in(memory, step_from(cell, move)), False, True) or beast(observation, move):
            count += 1
            if randint(memory, count) == 0:
                found = np.int64(move)
    return found


@policy(ID, "wanderer", variables={"last": limited(0, 0, 7)})
def wanderer(memory, observation, mask):
    """Walks straight on, and turns at random where it cannot; it avoids what kills, and takes and uses what it can."""
    for action in range(rules.TAKE, rules.ZAP + 1):
        if mask[action]:
            return np.int64(action)
    stairs = np.int64(NONE)
    found, count = np.int64(NONE), np.int64(0)
    for move in range(8):
        code = np.int64(observation.crop[np.uint64(rules.REACH + DY[move]), np.uint64(rules.REACH + DX[move])])
        if code == rules.STAIRS:
            stairs = np.int64(move)
        if passable(code, observation.stats[1] > 1, True) or code > rules.MONSTER_GLYPH or code == _BOULDER:
            count += 1
            if randint(memory, count) == 0:
                found = np.int64(move)
    ahead = np.int64(
        observation.crop[np.uint64(rules.REACH + DY[memory.last]), np.uint64(rules.REACH + DX[memory.last])]
    )
    straight = passable(ahead, False, True) and not (is_door(ahead) and memory.last & 1) and randint(memory, 8)
    if stairs != NONE:
        memory.last = stairs
    elif not straight and found != NONE:
        memory.last = found
    return memory.last
