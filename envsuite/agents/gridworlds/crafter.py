"""A settler for Crafter: it maps what it sees and makes the tools in order.

Percent of the settler's 1,000 episodes, from seed 0, that unlocked an achievement (for random play, see the world):

| | | | | | |
|---|---|---|---|---|---|
| collect wood | 100 | place table | 99.9 | wake up | 95.3 |
| collect drink | 98.0 | wood pickaxe, sword | 99.7, 99.7 | eat cow | 91.8 |
| collect sapling | 98.8 | stone pickaxe, sword | 95.4, 94.9 | eat plant | 0.1 |
| collect stone | 97.6 | iron pickaxe, sword | 38.7, 38.0 | defeat zombie | 98.7 |
| collect coal | 70.9 | place stone | 96.7 | defeat skeleton | 41.7 |
| collect iron | 53.6 | place furnace | 85.3 | collect diamond | 17.5 |
| place plant | 98.8 | steps | 357 | return | 16.2 |

The benchmark's score is 61.9 for the settler, 1.5 for random play, and 50.5 for human experts (Hafner, 2021).
"""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited, scratch
from envsuite.generators.terrain import COAL, DIAMOND, FURNACE, GRASS, IRON, PATH, SAND, STONE, TABLE, TREE, WATER
from envsuite.gridworlds.crafter import rules
from envsuite.kit.grid import DX, DY

_ID = "envsuite/Crafter-v0"

#: The map: one code per cell in rows of SIDE, joined to a ring. Wherever the player starts, nothing leaves the map.
#: A code is the material (15 outside the world) and, in the higher bits, what stands there: 1 cow,
#: 2 zombie, 3 skeleton, 4 plant, 5 ripe plant, 6 anything else.
SIDE = 128
CELLS = SIDE * SIDE
_OUTSIDE, _THING = 15, 4
#: The most cells that wait in a search at once; a power of two.
_QUEUE = 2048
_UP, _LEFT = rules.ROWS // 2, rules.COLUMNS // 2
_LAND = 1 << GRASS | 1 << SAND | 1 << PATH
_MOVES = np.array([rules.MOVE_RIGHT, rules.MOVE_DOWN, rules.MOVE_LEFT, rules.MOVE_UP])
_SEARCHING = 1 << 20  # among wanted materials: unknown cells


@kernel
def _beside(cell, facing):
    """The next cell of the map in a direction."""
    x, y = cell % SIDE, cell // SIDE
    return (y + DY[facing] & SIDE - 1) * SIDE + (x + DX[facing] & SIDE - 1)


@kernel
def _place(cell, i, j):
    """The cell of the map at a place of the view."""
    x, y = cell % SIDE, cell // SIDE
    return (y + i - _UP & SIDE - 1) * SIDE + (x + j - _LEFT & SIDE - 1)


@kernel
def _mismatches(memory, materials, cell):
    """The number of cells in the view that differ from the map if the player stands on this cell."""
    count = 0
    for i in range(rules.ROWS):
        for j in range(rules.COLUMNS):
            known = np.int64(memory.map[_place(cell, i, j)]) & 15
            count += known != 0 and known != _OUTSIDE and known != materials[i, j]
    return count


@large_kernel
def _look(memory, observation):
    """Find out whether the last move succeeded, and write the view to the map."""
    if memory.walked >= 0:
        there = _beside(memory.cell, memory.walked)
        if _mismatches(memory, observation.materials, there) <= _mismatches(memory, observation.materials, memory.cell):
            memory.cell = there
    for i in range(rules.ROWS):
        for j in range(rules.COLUMNS):
            material, thing = np.int64(observation.materials[i, j]), np.int64(observation.objects[i, j])
            if i == _UP and j == _LEFT:
                thing = 0
            code = (material if material else _OUTSIDE) | min(thing, rules.RIPE + 1) << _THING
            memory.map[_place(memory.cell, i, j)] = code


@large_kernel
def _way(memory, materials, things, dig):
    """The way to the nearest wanted cell: 4 + facing if it is beside the player, else the first step's facing, or -1.

    Sets of wanted materials and things are bits. With `dig`, stone counts as ground to walk on.
    """
    fill(memory.first, 0)
    memory.queue[0] = memory.cell
    memory.first[memory.cell] = 9
    head, tail = 0, 1
    while head < tail:
        cell = memory.queue[head & _QUEUE - 1]
        start = head == 0
        head += 1
        for facing in range(4):
            there = _beside(cell, facing)
            code = np.int64(memory.map[there])
            material, thing = code & 15, code >> _THING
            wanted = things >> thing & 1 != 0 if thing else materials >> material & 1 != 0
            if wanted or (code == 0 and materials & _SEARCHING):
                return 4 + facing if start else np.int64(memory.first[cell]) - 1
            ground = _LAND >> material & 1 != 0 or (dig and material == STONE)
            if ground and thing == 0 and memory.first[there] == 0 and tail - head < _QUEUE:
                memory.first[there] = facing + 1 if start else memory.first[cell]
                memory.queue[tail & _QUEUE - 1] = there
                tail += 1
    return -1


@kernel
def _towards(memory, facing, materials, things, dig):
    """The action that leads to the nearest wanted cell or uses it; else a step that explores, else a random one."""
    way = _way(memory, materials, things, dig)
    if way < 0:
        way = _way(memory, np.int64(_SEARCHING), np.int64(0), dig)
    if way < 0:
        way = randint(memory, 4)
    ahead = way & 3
    code = np.int64(memory.map[_beside(memory.cell, ahead)])
    solid = way >= 4 or code == STONE
    return rules.DO if solid and facing == ahead and code != 0 else _MOVES[ahead]


@kernel
def _near(materials, material):
    """Whether this ground is within one cell."""
    for i in range(_UP - 1, _UP + 2):
        for j in range(_LEFT - 1, _LEFT + 2):
            if materials[i, j] == material:
                return True
    return False


@kernel
def _build(memory, free, action):
    """Place something in front, or walk to a place where that is possible."""
    return action if free else _MOVES[randint(memory, 4)]


@large_kernel
def _craft(memory, observation, facing, free):
    """The next step towards all tools."""
    inventory, materials = observation.inventory, observation.materials
    wood, stone = inventory[rules.WOOD], inventory[rules.STONES]
    table, furnace = _near(materials, TABLE), _near(materials, FURNACE)
    dig = inventory[rules.WOOD_PICKAXE] > 0
    tier = 0
    if inventory[rules.WOOD_PICKAXE] and inventory[rules.WOOD_SWORD]:
        tier = 2 if inventory[rules.STONE_PICKAXE] and inventory[rules.STONE_SWORD] else 1
    if inventory[rules.IRON_PICKAXE] and inventory[rules.IRON_SWORD]:
        return _towards(memory, facing, np.int64(1 << DIAMOND), np.int64(0), True)
    which = tier if inventory[rules.WOOD_PICKAXE + tier] == 0 else tier + 3
    ready = (
        wood >= 1
        and (tier != 1 or stone >= 1)
        and (tier != 2 or (inventory[rules.COALS] >= 1 and inventory[rules.IRONS] >= 1))
    )
    if table and ready and (tier < 2 or furnace):
        return rules.MAKE_WOOD_PICKAXE + which
    if wood < (1 if table else 3) + (which < 3):
        return _towards(memory, facing, np.int64(1 << TREE), np.int64(0), dig)
    if tier >= 1 and stone < (2 if tier == 1 else 1 if furnace else 5):
        return _towards(memory, facing, np.int64(1 << STONE), np.int64(0), dig)
    if tier == 2 and not memory.furnace:
        return _build(memory, free, rules.PLACE_FURNACE)
    if tier == 2 and inventory[rules.COALS] < 1 + (which < 3):
        return _towards(memory, facing, np.int64(1 << COAL), np.int64(0), dig)
    if tier == 2 and inventory[rules.IRONS] < 1 + (which < 3):
        return _towards(memory, facing, np.int64(1 << IRON), np.int64(0), dig)
    if not table:
        return _build(memory, free, rules.PLACE_TABLE)
    return _build(memory, free, rules.PLACE_FURNACE)


@large_kernel
def _choose(memory, observation):
    inventory, facing = observation.inventory, np.int64(observation.facing)
    front = np.int64(memory.map[_beside(memory.cell, facing)])
    for way in range(4):  # an enemy beside the player
        thing = np.int64(memory.map[_beside(memory.cell, way)]) >> _THING
        if thing == rules.ZOMBIE or thing == rules.SKELETON:
            return rules.DO if facing == way else _MOVES[way]
    dig = inventory[rules.WOOD_PICKAXE] > 0
    if inventory[rules.DRINK] <= 4:
        memory.thirsty = 1
    elif inventory[rules.DRINK] >= 9:
        memory.thirsty = 0
    if inventory[rules.FOOD] <= 4:
        memory.hungry = 1
    elif inventory[rules.FOOD] >= 7:
        memory.hungry = 0
    if memory.thirsty and inventory[rules.DRINK] <= inventory[rules.FOOD] + 2:
        return _towards(memory, facing, np.int64(1 << WATER), np.int64(0), dig)
    if memory.hungry:
        return _towards(memory, facing, np.int64(0), np.int64(1 << rules.COW | 1 << rules.RIPE), dig)
    threat = False
    for i in range(rules.ROWS):
        for j in range(rules.COLUMNS):
            threat = threat or observation.objects[i, j] == rules.ZOMBIE or observation.objects[i, j] == rules.SKELETON
    tired = inventory[rules.ENERGY] <= 2 or (inventory[rules.ENERGY] < 9 and not memory.slept)
    if tired and not threat and (observation.daylight[0] > 0.5 or inventory[rules.ENERGY] == 0):
        memory.slept = True
        return rules.SLEEP
    free = _LAND >> (front & 15) & 1 != 0 and front >> _THING == 0
    if not memory.planted:
        if inventory[rules.SAPLING]:
            if front == GRASS:
                return rules.PLACE_PLANT
        elif front == GRASS and memory.searched < 40:
            memory.searched += 1
            return rules.DO
    if inventory[rules.STONES] and not memory.walled and free:
        return rules.PLACE_STONE
    return _craft(memory, observation, facing, free)


@policy(
    _ID,
    "settler",
    variables={
        "cell": limited(CELLS // 2 + SIDE // 2, 0, CELLS - 1),
        "walked": limited(-1, -1, 3),
        "thirsty": False,
        "hungry": False,
        "slept": False,
        "planted": False,
        "walled": False,
        "furnace": False,
        "searched": limited(0, 0, 40),
        "map": limited(np.zeros(CELLS, np.uint8), 0, 255),
        "first": scratch(CELLS, np.uint8),
        "queue": scratch(_QUEUE),
    },
)
def settler(memory, observation, mask):
    """Maps what it sees, eats and drinks in time, fights enemies nearby, and makes one tool after the other."""
    _look(memory, observation)
    memory.walked = -1
    if observation.sleeping:
        return rules.NOOP
    action = _choose(memory, observation)
    if rules.MOVE_LEFT <= action <= rules.MOVE_DOWN:
        for facing in range(4):
            if _MOVES[facing] == action:
                memory.walked = facing
        code = np.int64(memory.map[_beside(memory.cell, memory.walked)])
        if _LAND >> (code & 15) & 1 == 0 or code >> _THING:
            memory.walked = -1
            if code & 15 == 7:  # lava
                return rules.NOOP
    memory.planted |= action == rules.PLACE_PLANT
    memory.walled |= action == rules.PLACE_STONE
    memory.furnace |= action == rules.PLACE_FURNACE
    return action
