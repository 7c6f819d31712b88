"""Crafter: survive in an open world, gather, craft tools, and unlock 22 achievements.

**Rules.** Every episode has a new map of grassland, lakes, beaches, mountains, caves and tunnels. A player walks on
grass, sand and paths. It faces the direction in which it walked or tried to walk, and acts on the cell that it faces:

- It cuts trees, mines stone and ores with the right pickaxe, and drinks water.
- It digs for saplings in grass, places what it carries, and hits creatures.
- It makes tools beside a table; tools of iron also need a furnace beside it.

Food, drink and energy run down. While one of them is at 0, health falls; otherwise it recovers. A sleeping player
regains energy. It sleeps until its energy is full or it is hurt. Lava kills.

Cows wander. Zombies appear in the grass, most of them at night. They hit players that are near, and hit sleeping
players harder. Skeletons live in tunnels and shoot arrows, which also destroy tables and furnaces. Creatures appear and
vanish slowly in each chunk of 12 x 12 cells, depending on light and ground. A plant ripens if no creature is beside it.

| | needs | uses |
|---|---|---|
| collect wood, drink, sapling | | a sapling is found with probability `sapling` |
| collect stone, coal | wood pickaxe | |
| collect iron | stone pickaxe | |
| collect diamond | iron pickaxe | |
| place stone, on grass, sand, path, water or lava | | 1 stone |
| place table, on grass, sand or path | | 2 wood |
| place furnace, on grass, sand or path | | 4 stone |
| place plant, on grass | | 1 sapling |
| make wood pickaxe, wood sword | table | 1 wood |
| make stone pickaxe, stone sword | table | 1 wood, 1 stone |
| make iron pickaxe, iron sword | table, furnace | 1 wood, 1 coal, 1 iron |

A hit takes 1 health; with a sword of wood 2, of stone 3, of iron 5. A cow has 3 health, a zombie 5, a skeleton 3. A cow
gives 6 food, and a ripe plant 4.

**Agents.** `player_0`, or 1 to 8 players. Several players start side by side and move in an order that is drawn at
every step. They block each other. Each has its own inventory and achievements. They cannot hurt each other except by
luring arrows. Creatures follow the nearest player. If a creature falls in a step, every player that hits it in that
step has defeated or eaten it.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| materials | Box (7, 9) uint8 | the ground around the player, which is at row 3, column 4; north is up |
| objects | Box (7, 9) uint8 | what stands on the ground |
| inventory | Box (16,) uint8 | counts up to 9, see below |
| facing | Discrete (4) | 0 east, 1 south, 2 west, 3 north |
| sleeping | Discrete (2) | 1 while asleep |
| daylight | Box (1,) float32 | 1 at noon, 0 in the darkest part of the night |

The inventory lists health, food, drink, energy, sapling, wood, stone, coal, iron and diamond, then pickaxes and swords
of wood, stone and iron.

| material | code | object | code |
|---|---|---|---|
| outside of the map | 0 | none | 0 |
| water | 1 | cow | 1 |
| grass | 2 | zombie | 2 |
| stone | 3 | skeleton | 3 |
| path | 4 | plant | 4 |
| sand | 5 | ripe plant | 5 |
| tree | 6 | arrow that flies in direction f | 6 + f |
| lava | 7 | the player itself | 10 |
| coal | 8 | `player_k` facing f; f is 4 if it sleeps | 11 + 5 k + f |
| iron | 9 | | |
| diamond | 10 | | |
| table | 11 | | |
| furnace | 12 | | |

**Actions.** Discrete (17), all of them always legal. While a player sleeps, they have no effect.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `move_left`, `move_right`, `move_up`, `move_down` | turns there, and walks if the cell is free |
| 5 | `do` | collects, hits, eats or drinks what is in front |
| 6 | `sleep` | falls asleep, unless energy is full |
| 7-10 | `place_stone`, `place_table`, `place_furnace`, `place_plant` | in front |
| 11-13 | `make_wood_pickaxe`, `make_stone_pickaxe`, `make_iron_pickaxe` | |
| 14-16 | `make_wood_sword`, `make_stone_sword`, `make_iron_sword` | |

**Window.** The arrow keys move the player, space is `do`, tab sleeps, and the key . does nothing. The keys r, t, f and
p place stone, table, furnace and plant. The keys 1 to 3 make pickaxes of wood, stone and iron; 4 to 6 make swords.

**Rewards.** +1 in a step that unlocks achievements; each achievement is unlocked once per episode. +0.1 for each point
of health gained, -0.1 for each lost.

**Ends.** A player whose health is 0 is terminated and leaves the map. Truncated after `length` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 1 | number of players, from 1 to 8 |
| `size` | 64 | cells on a side of the map, from 16 to 128 |
| `length` | 10000 | steps until truncation, from 1 to 1,000,000 |
| `creatures` | True | whether there are creatures |
| `night` | True | whether there is night; without it, it is always noon |
| `sapling` | 0.1 | probability of finding a sapling, from 0 to 1 |
| `ripening` | 300 | a plant is ripe after `ripening` + 1 steps, from 0 to 1,000,000 |
| `hunger` | 25 | food falls by one after `hunger` + 1 steps awake, from 1 to 1,000,000 |
| `thirst` | 20 | drink falls by one after `thirst` + 1 steps awake, from 1 to 1,000,000 |
| `fatigue` | 30 | energy falls by one after `fatigue` + 1 steps awake, from 1 to 1,000,000 |
| `spawn` | (0.3, 0.1, 0.01) | probabilities from 0 to 1 that zombies, skeletons and cows appear, see below |
| `despawn` | (0.4, 0.1, 0.1) | probabilities from 0 to 1 that they vanish, see below |

Every 10 steps, creatures appear in chunks with too few of their kind, and vanish in chunks with too many.

**Level.** The whole state as data: ``{"map": [rows of letters], "clock": 0, "players": [...], "objects": [...]}``. All
parts except the map may be left out, as in levels of the generator `terrain`: then players are new, in the middle of
the map. The clock is the step of the day, which has 300 steps.

| letter | ground | letter | ground |
|---|---|---|---|
| ``~`` | water | ``%`` | lava |
| ``.`` | grass | ``c`` | coal |
| ``#`` | stone | ``i`` | iron |
| ``_`` | path | ``d`` | diamond |
| ``:`` | sand | ``t`` | table |
| ``T`` | tree | ``f`` | furnace |

A player has "x", "y", "facing", "sleeping", "inventory" and "achievements" (counts by name), "hunger", "thirst",
"fatigue", "recovery" and "health_before". An object has "type" (cow, zombie, skeleton, plant or arrow), "x", "y" and
"health". A zombie also has "cooldown", a skeleton "reload", a plant "grown" and an arrow "facing". Parts that are left
out are as in a new player or object.

`symbols(record)` returns the running state in this form, and `set_symbols(record, symbols)` writes it. A model of the
world can thus be compared with it, and any situation can be set up.

**Known values.** Random play, in percent of episodes that unlock an achievement:

| | published, 29,784 episodes | here, 8,000 |
|---|---|---|
| wake up | 93.6 | 93.9 |
| collect sapling, place plant | 50.2, 44.6 | 51.4, 45.8 |
| collect wood, place table | 24.4, 4.4 | 23.9, 4.6 |
| collect drink | 9.3 | 8.9 |
| eat cow, defeat zombie | 0.38, 0.14 | 0.40, 0.09 |
| wood pickaxe, wood sword | 0.32, 0.32 | 0.27, 0.30 |
| score, exp(mean log(1 + rate)) - 1 | 1.55 | 1.54 |
| steps, return | 167.9, 1.38 | 168.4, 1.38 |

Percent of the cells of 6,000 maps, and of the reference's 1,600:

| | here | reference |
|---|---|---|
| grass | 42.7 | 43.2 |
| water | 21.6 | 21.3 |
| stone | 14.2 | 14.2 |
| path | 8.8 | 8.5 |
| sand | 5.5 | 5.7 |
| tree | 4.6 | 4.7 |
| coal | 1.26 | 1.24 |
| lava | 0.81 | 0.76 |
| iron | 0.47 | 0.44 |
| diamond | 0.08 | 0.08 |

**Differences.** From `crafter` 1.8.3. With the same level, actions and random draws, the whole state is the same at
every step, creatures included, except as listed.

- Creatures are balanced in every chunk; there only in chunks that an object has been in.
- Symbols replace pixels, and the night hides nothing.
- Maps follow its rules, with a different noise of the same spread and correlation.
- There are never more than `size`^2 / 16 objects. At that number, none is added, and a sapling stays in the hand.
- Quirks are kept. Nothing can be made in the westernmost column and the northernmost row. A creature without health
  acts once more before it leaves. Two achievements in one step give +1.

**Source.** Hafner, "Benchmarking the Spectrum of Agent Capabilities", ICLR 2022; `crafter` 1.8.3. Symbolic objects as
in Crafter-OO (Khan et al., "One Life to Learn", 2025).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import fill
from envsuite.core.elementary import cos_turns
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle, uniform
from envsuite.core.ranges import below, flag, limited, within
from envsuite.core.record import as_views
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.generators import terrain
from envsuite.gridworlds.crafter import pages
from envsuite.gridworlds.crafter import view as pictures
from envsuite.kit.grid import DX, DY, EAST, NORTH, SOUTH, WEST, steps
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene

ACTIONS = (
    "noop", "move_left", "move_right", "move_up", "move_down", "do", "sleep",
    "place_stone", "place_table", "place_furnace", "place_plant",
    "make_wood_pickaxe", "make_stone_pickaxe", "make_iron_pickaxe",
    "make_wood_sword", "make_stone_sword", "make_iron_sword",
)  # fmt: skip
(
    NOOP, MOVE_LEFT, MOVE_RIGHT, MOVE_UP, MOVE_DOWN, DO, SLEEP, PLACE_STONE, PLACE_TABLE, PLACE_FURNACE, PLACE_PLANT,
    MAKE_WOOD_PICKAXE, _, _, _, _, MAKE_IRON_SWORD,
) = range(17)  # fmt: skip

#: The inventory of a player: first its vitals, then things.
ITEMS = (
    "health", "food", "drink", "energy", "sapling", "wood", "stone", "coal", "iron", "diamond",
    "wood_pickaxe", "stone_pickaxe", "iron_pickaxe", "wood_sword", "stone_sword", "iron_sword",
)  # fmt: skip
(
    HEALTH, FOOD, DRINK, ENERGY, SAPLING, WOOD, STONES, COALS, IRONS, DIAMONDS,
    WOOD_PICKAXE, STONE_PICKAXE, IRON_PICKAXE, WOOD_SWORD, STONE_SWORD, IRON_SWORD,
) = range(16)  # fmt: skip
#: The largest count of an item; vitals start with it.
MOST = 9

ACHIEVEMENTS = (
    "collect_coal", "collect_diamond", "collect_drink", "collect_iron", "collect_sapling", "collect_stone",
    "collect_wood", "defeat_skeleton", "defeat_zombie", "eat_cow", "eat_plant", "make_iron_pickaxe", "make_iron_sword",
    "make_stone_pickaxe", "make_stone_sword", "make_wood_pickaxe", "make_wood_sword", "place_furnace", "place_plant",
    "place_stone", "place_table", "wake_up",
)  # fmt: skip
(
    COLLECT_COAL, COLLECT_DIAMOND, COLLECT_DRINK, COLLECT_IRON, COLLECT_SAPLING, COLLECT_STONE,
    COLLECT_WOOD, DEFEAT_SKELETON, DEFEAT_ZOMBIE, EAT_COW, EAT_PLANT, MAKE_IRON_PICKAXE, _,
    _, _, _, _, PLACED_FURNACE, PLACED_PLANT, PLACED_STONE, PLACED_TABLE, WAKE_UP,
) = range(22)  # fmt: skip
#: The achievements of the six actions that make tools.
_MADE = np.array([ACHIEVEMENTS.index(name) for name in ACTIONS[MAKE_WOOD_PICKAXE:]])

# Kinds of objects. Their codes in a view are these, plus an arrow's facing, or plus one for a ripe plant.
GONE, COW, ZOMBIE, SKELETON, PLANT, RIPE, ARROW = range(7)
SELF, PLAYER = 10, 11
ASLEEP = 4
KINDS = {"cow": COW, "zombie": ZOMBIE, "skeleton": SKELETON, "plant": PLANT, "arrow": ARROW}
_BORN = np.array([0, 3, 5, 3, 1, 0, 0])  # their health
_STRONGEST = 1000  # the most health that a level can give them
#: The meaning of an object's timer.
TIMERS = {ZOMBIE: "cooldown", SKELETON: "reload", PLANT: "grown"}

#: The view is ROWS x COLUMNS cells around the player.
ROWS, COLUMNS = 7, 9
_MARGIN = COLUMNS // 2
_UP, _LEFT = ROWS // 2, COLUMNS // 2
_CHUNK = 12
_DAY = 300
#: Objects are updated if a player is nearer than this.
_AWAKE = 2 * max(ROWS, COLUMNS)
_MOST_PLAYERS = 8

# Sets of materials, as bits. (For plain integers, Numba would compile each function that takes them once for each.)
_LAND = np.int64(1 << terrain.GRASS | 1 << terrain.SAND | 1 << terrain.PATH)
_WALKABLE = _LAND | 1 << terrain.LAVA
_OPEN = _LAND | 1 << terrain.WATER | 1 << terrain.LAVA
_BUILDABLE = np.array([_OPEN, _LAND, _LAND])

_FACINGS = np.array([0, WEST, EAST, NORTH, SOUTH])  # of the four moves
_ANY = np.array([WEST, EAST, NORTH, SOUTH])
_BUILT = np.array([terrain.STONE, terrain.TABLE, terrain.FURNACE])
_PRICE_ITEM = np.array([STONES, WOOD, STONES])
_PRICE = np.array([1, 2, 4])

# For each material: the item that collecting it needs, the item that it gives, and the ground that it leaves.
_NEEDS, _GIVES, _LEAVES, _COLLECTED = (np.full(len(terrain.MATERIALS), -1) for _ in range(4))
for _material, _need, _give, _leave, _achievement in (
    (terrain.TREE, HEALTH, WOOD, terrain.GRASS, COLLECT_WOOD),
    (terrain.STONE, WOOD_PICKAXE, STONES, terrain.PATH, COLLECT_STONE),
    (terrain.COAL, WOOD_PICKAXE, COALS, terrain.PATH, COLLECT_COAL),
    (terrain.IRON, STONE_PICKAXE, IRONS, terrain.PATH, COLLECT_IRON),
    (terrain.DIAMOND, IRON_PICKAXE, DIAMONDS, terrain.PATH, COLLECT_DIAMOND),
    (terrain.WATER, -1, DRINK, terrain.WATER, COLLECT_DRINK),
    (terrain.GRASS, -1, SAPLING, terrain.GRASS, COLLECT_SAPLING),
):
    _NEEDS[_material], _GIVES[_material], _LEAVES[_material] = _need, _give, _leave
    _COLLECTED[_material] = _achievement
_NEEDS[terrain.TREE] = -1

#: Daylight by step of the day.
_COSINE = np.array([abs(cos_turns((step / _DAY + 0.3) / 2)) for step in range(_DAY)])
DAYLIGHT = 1.0 - _COSINE * _COSINE * _COSINE

#: More than a count of steps or of achievements gets to.
_MANY = 2**30


def fields(size: int, players: int) -> list[tuple]:
    """The record of a map of `size` x `size` cells."""
    half_steps, vital = within(np.int64, -_MANY, _MANY), below(np.int64, MOST + 1)
    an_object = np.dtype(
        [
            ("kind", below(np.uint8, ARROW + 1)),  # GONE, COW, ZOMBIE, SKELETON, PLANT or ARROW
            ("facing", below(np.uint8, 4)),  # an arrow's
            ("x", below(np.int16, size)),
            ("y", below(np.int16, size)),
            ("health", within(np.int16, -1, _STRONGEST)),
            ("timer", within(np.int32, 0, _MANY)),  # steps: see TIMERS
        ],
        align=True,
    )
    player = np.dtype(
        [
            ("x", below(np.int64, size)),
            ("y", below(np.int64, size)),
            ("facing", below(np.int64, 4)),
            ("hunger", half_steps),  # this and the next three: half steps, so that they are whole
            ("thirst", half_steps),
            ("fatigue", half_steps),
            ("recovery", half_steps),
            ("health_before", vital),  # after its last move: what has hurt it since wakes it up
            ("health_rewarded", vital),  # at the end of the last step
            ("sleeping", flag()),  # whether it is
            ("unlocked", flag()),  # whether it unlocked an achievement in this step
            ("inventory", below(np.int8, MOST + 1), (len(ITEMS),)),
            ("achievements", within(np.int32, 0, _MANY), (len(ACHIEVEMENTS),)),  # how often
        ],
        align=True,
    )
    most = size * size // 16
    wide = size + 2 * _MARGIN
    chunks = (-(-size // _CHUNK)) ** 2
    count, cells = within(np.int64, 0, most), within(np.int16, 0, _CHUNK**2)
    ground, things = (
        within(np.uint8, np.pad(np.full((size, size), low), _MARGIN), np.pad(np.full((size, size), high), _MARGIN))
        for low, high in ((terrain.WATER, terrain.FURNACE), (0, PLAYER + 5 * players - 1))
    )
    level = [
        ("map", within(np.uint8, terrain.WATER, terrain.FURNACE), (size, size)),  # materials
        ("clock", below(np.int64, _DAY)),  # the step of the day at the start
        ("count", count),  # objects
        ("objects", an_object, (most,)),
        ("players", player, (players,)),
    ]
    return [
        ("players", player, (players,)),
        ("order", below(np.int64, players), (players,)),  # in which they act in this step
        ("clock", below(np.int64, _DAY)),
        ("count", count),
        ("gone", below(np.int64, 1)),  # objects removed in this step
        ("objects", an_object, (most,)),  # the oldest first
        ("ground", ground, (wide, wide)),  # materials, with a margin as wide as a view reaches
        ("things", things, (wide, wide)),  # what stands there, as codes of the view
        ("space", cells, (chunks, 2)),  # cells of grass and path
        ("census", cells, (chunks, 4)),  # creatures by kind; used in `balance`
        ("table", within(np.uint8, 0, 255), (256,)),  # this and the columns are room for the generator to work in
        ("columns", within(np.float64, -_MANY, _MANY), (4, size)),
        ("level", np.dtype(level, align=True)),
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        generate(s)
    lay(s, s.level.map)
    s.clock = s.level.clock
    s.gone = 0
    s.count = s.level.count
    for k in range(s.count):
        s.objects[k] = s.level.objects[k]
        show(s, s.objects[k])
    for a in range(s.players.shape[0]):
        s.players[a] = s.level.players[a]
        s.players[a].unlocked = 0
        s.players[a].health_rewarded = s.players[a].inventory[HEALTH]
        show_player(s, a)


@kernel
def lay(s, ground):
    """Make an empty map of this ground."""
    size, _width = ground.shape[0], s.ground.shape[0]
    fill(s.ground, 0)
    fill(s.things, 0)
    for k in range(s.space.shape[0]):
        s.space[k, 0] = 0
        s.space[k, 1] = 0
    for y in range(size):
        for x in range(size):
            pave(s, x, y, np.int64(ground[y, x]))


@large_kernel
def generate(s):
    """A new map with its creatures, and new players in its middle."""
    terrain.terrain(s, s.level.map, s.table, s.columns)
    s.level.clock = 0
    s.level.count = 0
    size = s.level.map.shape[0]
    for x in range(size):
        for y in range(size):
            material = np.int64(s.level.map[y, x])
            if material == terrain.TUNNEL:
                s.level.map[y, x] = terrain.PATH
            if s.params.creatures and (material == terrain.TUNNEL or _LAND >> material & 1):
                populate(s, x, y, material)
    for a in range(s.level.players.shape[0]):
        new_player(s.level.players[a], a, size)


@kernel
def populate(s, x, y, material):
    """Put a creature on this cell of a new map, by chance."""
    middle = s.level.map.shape[0] // 2
    squared = (x - middle) * (x - middle) + (y - middle) * (y - middle)
    kind = GONE
    if squared > 9 and material == terrain.GRASS and uniform(s) > 0.985:
        kind = COW
    elif squared > 100 and uniform(s) > 0.993:
        kind = ZOMBIE
    elif material == terrain.TUNNEL and uniform(s) > 0.95:
        kind = SKELETON
    if kind != GONE and s.level.count < s.level.objects.shape[0]:
        born(s.level.objects[s.level.count], kind, x, y)
        s.level.count += 1


@kernel
def born(o, kind, x, y):
    o.kind = kind
    o.facing = 0
    o.x = x
    o.y = y
    o.health = _BORN[kind]
    o.timer = 0


@kernel
def new_player(p, a, size):
    """A player at the start of its life, in the middle of the map or around it."""
    place = 4 if a == 0 else a - 1 if a < 5 else a  # of the nine cells in the middle
    p.x = size // 2 + place % 3 - 1
    p.y = size // 2 + place // 3 - 1
    p.facing = SOUTH
    p.hunger = 0
    p.thirst = 0
    p.fatigue = 0
    p.recovery = 0
    p.health_before = MOST
    p.health_rewarded = MOST
    p.sleeping = 0
    p.unlocked = 0
    for k in range(len(ITEMS)):
        p.inventory[k] = MOST if k <= ENERGY else 0
    for k in range(len(ACHIEVEMENTS)):
        p.achievements[k] = 0


# The map.


@kernel
def material_at(s, x, y):
    return np.int64(s.ground[np.uint64(y + _MARGIN), np.uint64(x + _MARGIN)])


@kernel
def thing_at(s, x, y):
    return np.int64(s.things[np.uint64(y + _MARGIN), np.uint64(x + _MARGIN)])


@kernel
def put_thing(s, x, y, code):
    s.things[np.uint64(y + _MARGIN), np.uint64(x + _MARGIN)] = code


@kernel
def chunk(s, x, y):
    """The number of a cell's chunk, column by column."""
    return x // _CHUNK * ((s.level.map.shape[0] + _CHUNK - 1) // _CHUNK) + y // _CHUNK


@large_kernel
def pave(s, x, y, material):
    """Change the ground of a cell, and the count of grass and paths in its chunk."""
    old = material_at(s, x, y)
    here = chunk(s, x, y)
    if old == terrain.GRASS or old == terrain.PATH:
        s.space[here, np.int64(old == terrain.PATH)] -= 1
    if material == terrain.GRASS or material == terrain.PATH:
        s.space[here, np.int64(material == terrain.PATH)] += 1
    s.ground[np.uint64(y + _MARGIN), np.uint64(x + _MARGIN)] = material


@kernel
def free(s, x, y, materials):
    """Whether nothing stands on a cell and its ground is in this set."""
    return thing_at(s, x, y) == 0 and materials >> material_at(s, x, y) & 1 != 0


@large_kernel
def show(s, o):
    """Draw an object on the map."""
    code = np.int64(o.kind)
    if code == ARROW:
        code += o.facing
    elif code == PLANT and o.timer > s.params.ripening:
        code = RIPE
    put_thing(s, o.x, o.y, code)


@large_kernel
def show_player(s, a):
    p = s.players[a]
    put_thing(s, p.x, p.y, PLAYER + 5 * a + (ASLEEP if p.sleeping else p.facing))


@large_kernel
def find(s, x, y):
    """The index of the object at a cell that has one."""
    for k in range(s.count):
        o = s.objects[k]
        if o.x == x and o.y == y and o.kind != GONE:
            return k
    return 0


@large_kernel
def add(s, kind, x, y):
    """Put a new object on a free cell; its index, or -1 if there are too many."""
    k = s.count
    if k >= s.objects.shape[0]:
        return -1
    born(s.objects[k], kind, x, y)
    show(s, s.objects[k])
    s.count = k + 1
    return k


@kernel
def remove(s, o):
    """Take an object off the map; its place in the list is freed by `tidy`."""
    put_thing(s, o.x, o.y, 0)
    o.kind = GONE
    s.gone += 1


@kernel
def tidy(s):
    """Close the gaps in the list of objects, keeping its order."""
    kept = 0
    for k in range(s.count):
        if s.objects[k].kind != GONE:
            if kept < k:
                s.objects[kept] = s.objects[k]
            kept += 1
    s.count = kept
    s.gone = 0


@large_kernel
def nearest(s, x, y):
    """The nearest living player and its distance along the axes."""
    best, least = 0, 1_000_000
    for a in range(s.players.shape[0]):
        if s.terminated[a] == 0:
            distance = abs(s.players[a].x - x) + abs(s.players[a].y - y)
            if distance < least:
                best, least = a, distance
    return best, least


@kernel
def daylight(s):
    return DAYLIGHT[(s.clock + s.t) % _DAY] if s.params.night else 1.0


# Players.


@large_kernel
def step(s, actions, rewards):
    players = s.players.shape[0]
    before = s.count
    for a in range(players):
        s.order[a] = a
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.terminated[a] == 0:
            act(s, a, actions[a])
    live(s, before)
    if s.gone:
        tidy(s)
    if s.params.creatures and (s.clock + s.t) % 10 == 0:
        balance(s)
        if s.gone:
            tidy(s)
    for a in range(players):
        p = s.players[a]
        if s.terminated[a]:
            continue
        health = np.int64(p.inventory[HEALTH])
        rewards[a] = (health - p.health_rewarded) / 10 + (1.0 if p.unlocked else 0.0)
        p.health_rewarded = health
        p.unlocked = 0
        if health <= 0:
            s.terminated[a] = 1
            put_thing(s, p.x, p.y, 0)
        elif s.t >= s.params.length:
            s.truncated[a] = 1


@large_kernel
def act(s, a, action):
    """A player's turn: its action, then its body."""
    p = s.players[a]
    inventory = p.inventory
    if p.sleeping:
        if inventory[ENERGY] < MOST:
            action = SLEEP
        else:
            p.sleeping = 0
            achieve(p, WAKE_UP)
    if MOVE_LEFT <= action <= MOVE_DOWN:
        walk(s, p, _FACINGS[action])
    elif action == SLEEP:
        if inventory[ENERGY] < MOST:
            p.sleeping = 1
    elif action >= MAKE_WOOD_PICKAXE:
        make(s, p, action - MAKE_WOOD_PICKAXE)
    elif action >= DO:
        x, y = p.x + DX[p.facing], p.y + DY[p.facing]
        thing = thing_at(s, x, y)
        if action != DO:
            if thing == 0:
                place(s, p, x, y, action - PLACE_STONE)
        elif thing == 0:
            collect(s, p, x, y)
        elif thing < ARROW:
            hit(s, p, s.objects[find(s, x, y)])
    age(s, p)
    for k in range(len(ITEMS)):
        inventory[k] = max(0, min(inventory[k], MOST))
    if inventory[HEALTH] < p.health_before:
        p.sleeping = 0
    p.health_before = inventory[HEALTH]
    show_player(s, a)


@kernel
def achieve(p, k):
    if p.achievements[k] == 0:
        p.unlocked = 1
    p.achievements[k] += 1


@kernel
def walk(s, p, facing):
    p.facing = facing
    x, y = p.x + DX[facing], p.y + DY[facing]
    if free(s, x, y, _WALKABLE):
        put_thing(s, p.x, p.y, 0)
        p.x = x
        p.y = y
    if material_at(s, p.x, p.y) == terrain.LAVA:
        p.inventory[HEALTH] = 0


@kernel
def collect(s, p, x, y):
    """Collect the material of the ground."""
    material = material_at(s, x, y)
    item = _GIVES[material]
    if material == terrain.WATER:
        p.thirst = 0
    if item < 0 or (_NEEDS[material] >= 0 and p.inventory[_NEEDS[material]] < 1):
        return
    if _LEAVES[material] != material:
        pave(s, x, y, _LEAVES[material])
    if bernoulli(s, s.params.sapling if material == terrain.GRASS else 1.0):
        p.inventory[item] += 1
        achieve(p, _COLLECTED[material])


@kernel
def hit(s, p, o):
    """Strike a creature, or eat a ripe plant."""
    damage = 1
    if p.inventory[IRON_SWORD]:
        damage = 5
    elif p.inventory[STONE_SWORD]:
        damage = 3
    elif p.inventory[WOOD_SWORD]:
        damage = 2
    if o.kind == PLANT:
        if o.timer > s.params.ripening:
            o.timer = 0
            show(s, o)
            p.inventory[FOOD] += 4
            achieve(p, EAT_PLANT)
        return
    o.health = max(0, o.health - damage)
    if o.health == 0:
        if o.kind == COW:
            p.inventory[FOOD] += 6
            p.hunger = 0
            achieve(p, EAT_COW)
        else:
            achieve(p, DEFEAT_ZOMBIE if o.kind == ZOMBIE else DEFEAT_SKELETON)


@kernel
def place(s, p, x, y, which):
    """Build stone, table or furnace on a cell, or plant a sapling."""
    material = material_at(s, x, y)
    if which == 3:
        if material == terrain.GRASS and p.inventory[SAPLING] >= 1 and add(s, PLANT, x, y) >= 0:
            p.inventory[SAPLING] -= 1
            achieve(p, PLACED_PLANT)
    elif _BUILDABLE[which] >> material & 1 and p.inventory[_PRICE_ITEM[which]] >= _PRICE[which]:
        p.inventory[_PRICE_ITEM[which]] -= _PRICE[which]
        pave(s, x, y, _BUILT[which])
        achieve(p, PLACED_STONE if which == 0 else PLACED_TABLE if which == 1 else PLACED_FURNACE)


@large_kernel
def beside(s, p, material):
    """Whether this ground is within one cell, diagonals included."""
    if p.x == 0 or p.y == 0:  # the reference's window is empty there
        return False
    for y in range(p.y - 1, p.y + 2):
        for x in range(p.x - 1, p.x + 2):
            if material_at(s, x, y) == material:
                return True
    return False


@kernel
def make(s, p, which):
    """Make a tool: three pickaxes, then three swords; of wood, stone and iron."""
    tier = which % 3
    inventory = p.inventory
    if inventory[WOOD] < 1 or (tier == 1 and inventory[STONES] < 1):
        return
    if tier == 2 and (inventory[COALS] < 1 or inventory[IRONS] < 1):
        return
    if not beside(s, p, np.int64(terrain.TABLE)) or (tier == 2 and not beside(s, p, np.int64(terrain.FURNACE))):
        return
    inventory[WOOD] -= 1
    inventory[STONES] -= tier == 1
    inventory[COALS] -= tier == 2
    inventory[IRONS] -= tier == 2
    inventory[WOOD_PICKAXE + which] += 1
    achieve(p, _MADE[which])


@kernel
def age(s, p):
    """Advance hunger, thirst and fatigue, and their effects on health."""
    inventory, asleep = p.inventory, np.int64(p.sleeping)
    p.hunger += 2 - asleep
    if p.hunger > 2 * s.params.hunger:
        p.hunger = 0
        inventory[FOOD] -= 1
    p.thirst += 2 - asleep
    if p.thirst > 2 * s.params.thirst:
        p.thirst = 0
        inventory[DRINK] -= 1
    p.fatigue = min(p.fatigue - 2, 0) if asleep else p.fatigue + 2
    if p.fatigue < -20:
        p.fatigue = 0
        inventory[ENERGY] += 1
    if p.fatigue > 2 * s.params.fatigue:
        p.fatigue = 0
        inventory[ENERGY] -= 1
    if inventory[FOOD] > 0 and inventory[DRINK] > 0 and (inventory[ENERGY] > 0 or asleep):
        p.recovery += 4 if asleep else 2
    else:
        p.recovery -= 1 if asleep else 2
    if p.recovery > 50:
        p.recovery = 0
        inventory[HEALTH] += 1
    if p.recovery < -30:
        p.recovery = 0
        inventory[HEALTH] = max(0, inventory[HEALTH] - 1)


# Creatures, arrows and plants.


@large_kernel
def live(s, count):
    """All objects near a player take their turns, except those created in this step, which are not among `count`."""
    for k in range(count):
        o = s.objects[k]
        target, distance = nearest(s, np.int64(o.x), np.int64(o.y))
        if distance >= _AWAKE:
            continue
        kind = np.int64(o.kind)
        if kind == COW:
            cow(s, o)
        elif kind == ZOMBIE:
            zombie(s, o, s.players[target], distance)
        elif kind == SKELETON:
            skeleton(s, o, s.players[target], distance)
        elif kind == PLANT:
            plant(s, o)
        else:
            arrow(s, o)


@large_kernel
def go(s, o, facing, materials):
    """Move an object, if it can; an object that was just removed does not move, but counts as moved."""
    x, y = np.int64(o.x), np.int64(o.y)
    if facing >= 0:
        x, y = x + DX[facing], y + DY[facing]
    if not free(s, x, y, materials):
        return False
    if o.kind != GONE:
        put_thing(s, o.x, o.y, 0)
        o.x = x
        o.y = y
        show(s, o)
    return True


@kernel
def toward(o, p, long_axis):
    """The facing from an object to a player along the longer or the shorter axis; -1 if they are level on it."""
    dx, dy = p.x - o.x, p.y - o.y
    if (abs(dx) > abs(dy)) == long_axis:
        return EAST if dx > 0 else WEST if dx < 0 else -1
    return SOUTH if dy > 0 else NORTH if dy < 0 else -1


@kernel
def back(facing):
    return facing ^ 2 if facing >= 0 else -1


@kernel
def cow(s, o):
    if o.health <= 0:
        remove(s, o)
    if bernoulli(s, 0.5):
        go(s, o, _ANY[randint(s, 4)], _LAND)


@kernel
def hurt(p, damage):
    p.inventory[HEALTH] = max(0, p.inventory[HEALTH] - damage)


@kernel
def zombie(s, o, p, distance):
    if o.health <= 0:
        remove(s, o)
    if distance <= 8 and bernoulli(s, 0.9):
        go(s, o, toward(o, p, bernoulli(s, 0.8)), _LAND)
    else:
        go(s, o, _ANY[randint(s, 4)], _LAND)
    if abs(p.x - o.x) + abs(p.y - o.y) <= 1:
        if o.timer:
            o.timer -= 1
        else:
            hurt(p, 7 if p.sleeping else 2)
            o.timer = 5


@kernel
def skeleton(s, o, p, distance):
    if o.health <= 0:
        remove(s, o)
    o.timer = max(0, o.timer - 1)
    if distance <= 3 and go(s, o, back(toward(o, p, bernoulli(s, 0.6))), _LAND):
        return
    if distance <= 5 and bernoulli(s, 0.5):
        shoot(s, o, toward(o, p, True))
    elif distance <= 8 and bernoulli(s, 0.3):
        go(s, o, toward(o, p, bernoulli(s, 0.6)), _LAND)
    elif bernoulli(s, 0.2):
        go(s, o, _ANY[randint(s, 4)], _LAND)


@kernel
def shoot(s, o, facing):
    x, y = o.x + DX[facing & 3], o.y + DY[facing & 3]
    if o.timer == 0 and facing >= 0 and free(s, x, y, _OPEN):
        k = add(s, ARROW, x, y)
        if k >= 0:
            s.objects[k].facing = facing
            show(s, s.objects[k])
            o.timer = 4


@kernel
def arrow(s, o):
    """Fly on, or end at an obstacle: hurt it, or turn a table or furnace into a path."""
    x, y = o.x + DX[o.facing & 3], o.y + DY[o.facing & 3]
    thing, material = thing_at(s, x, y), material_at(s, x, y)
    if thing == 0 and _OPEN >> material & 1:
        go(s, o, np.int64(o.facing), _OPEN)
        return
    if thing >= PLAYER:
        hurt(s.players[(thing - PLAYER) // 5], 2)
    elif thing != 0:
        other = s.objects[find(s, x, y)]
        other.health = max(0, other.health - 2)
    elif material == terrain.TABLE or material == terrain.FURNACE:
        pave(s, x, y, np.int64(terrain.PATH))
    remove(s, o)


@kernel
def plant(s, o):
    o.timer += 1
    if o.timer == s.params.ripening + 1:
        show(s, o)
    for facing in range(4):
        if COW <= thing_at(s, o.x + DX[facing], o.y + DY[facing]) <= SKELETON:
            o.health -= 1
            break
    if o.health <= 0:
        remove(s, o)


@large_kernel
def balance(s):
    """In each chunk, add or remove one zombie, one skeleton and one cow, by chance."""
    fill(s.census, 0)
    for k in range(s.count):
        o = s.objects[k]
        if o.kind <= SKELETON:
            s.census[chunk(s, np.int64(o.x), np.int64(o.y)), o.kind] += 1
    light = daylight(s)
    for k in range(s.census.shape[0]):
        grass, paths = np.int64(s.space[k, 0]), np.int64(s.space[k, 1])
        most = np.int64(3.5 - 3.0 * light)
        population(s, k, np.int64(ZOMBIE), 0 if grass < 50 else most, most, np.int64(6), np.int64(0))
        population(s, k, np.int64(SKELETON), 0 if paths < 6 else 1, np.int64(2), np.int64(7), np.int64(7))
        population(s, k, np.int64(COW), 0 if grass < 30 else 1, np.int64(1.5 + light), np.int64(5), np.int64(5))


@large_kernel
def population(s, k, kind, least, most, far_to_add, far_to_remove):
    """Add or remove a creature in chunk k, if there are too few or too many and no player is near."""
    here = np.int64(s.census[k, kind])
    rate = 0 if kind == ZOMBIE else 1 if kind == SKELETON else 2
    if here < least:
        if bernoulli(s, s.params.spawn[rate]):
            ground = np.int64(terrain.PATH if kind == SKELETON else terrain.GRASS)
            place_one(
                s, k, kind, ground, randint(s, np.int64(s.space[k, np.int64(ground == terrain.PATH)])), far_to_add
            )
    elif here > most and bernoulli(s, s.params.despawn[rate]):
        pick = randint(s, here)
        for i in range(s.count):
            o = s.objects[i]
            if o.kind == kind and chunk(s, np.int64(o.x), np.int64(o.y)) == k:
                if pick == 0:
                    if nearest(s, np.int64(o.x), np.int64(o.y))[1] >= far_to_remove:
                        remove(s, o)
                    return
                pick -= 1


@kernel
def place_one(s, k, kind, ground, pick, far):
    """Add a creature on cell number `pick` of this ground in chunk k, if it is free and far from players."""
    size = s.level.map.shape[0]
    side = (size + _CHUNK - 1) // _CHUNK
    left, top = k // side * _CHUNK, k % side * _CHUNK
    for x in range(left, min(left + _CHUNK, size)):
        for y in range(top, min(top + _CHUNK, size)):
            if material_at(s, x, y) == ground:
                if pick == 0:
                    if thing_at(s, x, y) == 0 and nearest(s, x, y)[1] >= far:
                        add(s, kind, x, y)
                    return
                pick -= 1


@large_kernel
def observe(s, agent, out):
    p = s.players[agent]
    top, left = np.uint64(p.y + _MARGIN - _UP), np.uint64(p.x + _MARGIN - _LEFT)
    for i in range(np.uint64(ROWS)):
        for j in range(np.uint64(COLUMNS)):
            out.materials[i, j] = s.ground[top + i, left + j]
            out.objects[i, j] = s.things[top + i, left + j]
    out.objects[_UP, _LEFT] = SELF
    for k in range(len(ITEMS)):
        out.inventory[k] = p.inventory[k]
    out.facing = p.facing
    out.sleeping = p.sleeping
    out.daylight[0] = daylight(s)


class Crafter(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    leaving = True
    masked = False
    kind = ("open worlds",)
    verified = "`crafter`, step by step; its published random score"
    variants = (dict(players=2, size=16),)
    keys = {
        "left": "move_left",
        "right": "move_right",
        "up": "move_up",
        "down": "move_down",
        "space": "do",
        "tab": "sleep",
        "r": "place_stone",
        "t": "place_table",
        "f": "place_furnace",
        "p": "place_plant",
        "1": "make_wood_pickaxe",
        "2": "make_stone_pickaxe",
        "3": "make_iron_pickaxe",
        "4": "make_wood_sword",
        "5": "make_stone_sword",
        "6": "make_iron_sword",
        ".": "noop",
    }
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        players: Annotated[int, Between(1, _MOST_PLAYERS)] = 1,
        size: Annotated[int, Between(16, 128)] = 64,
        length: Annotated[int, Horizon(1, 1_000_000)] = 10_000,
        creatures: bool = True,
        night: bool = True,
        sapling: Annotated[float, Between(0, 1)] = 0.1,
        ripening: Annotated[int, Between(0, 1_000_000)] = 300,
        hunger: Annotated[int, Between(1, 1_000_000)] = 25,
        thirst: Annotated[int, Between(1, 1_000_000)] = 20,
        fatigue: Annotated[int, Between(1, 1_000_000)] = 30,
        spawn: Sequence[float] = (0.3, 0.1, 0.01),
        despawn: Sequence[float] = (0.4, 0.1, 0.1),
    ):
        for name, rates in (("spawn", spawn), ("despawn", despawn)):
            if len(rates) != 3 or not all(isinstance(p, (int, float)) and 0 <= p <= 1 for p in rates):
                raise ParameterError(f"Crafter: {name}={rates!r} must be three probabilities: zombies, skeletons, cows")
        codes = PLAYER + 5 * players - 1 if players > 1 else SELF
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict(
                {
                    "materials": Box(0, terrain.FURNACE, (ROWS, COLUMNS), np.uint8),
                    "objects": Box(0, codes, (ROWS, COLUMNS), np.uint8),
                    "inventory": Box(0, MOST, (len(ITEMS),), np.uint8),
                    "facing": Discrete(4),
                    "sleeping": Discrete(2),
                    "daylight": Box(0.0, 1.0, (1,), np.float32),
                }
            ),
            fields=fields(size, players),
            params={
                "length": length,
                "creatures": creatures,
                "night": night,
                "sapling": float(sapling),
                "ripening": ripening,
                "hunger": hunger,
                "thirst": thirst,
                "fatigue": fatigue,
                "spawn": limited([float(p) for p in spawn], 0, 1),
                "despawn": limited([float(p) for p in despawn], 0, 1),
            },
            reward_range=(-0.9, 1.1),
        )

    def contradiction(self, s: Any) -> str | None:
        alive, objects = np.flatnonzero(s.terminated == 0), s.objects[: s.count]
        if not all(np.isin(part["kind"], list(_TYPES)).all() for part in (objects, s.level.objects[: s.level.count])):
            return "there is an object of no kind"
        codes = objects["kind"] + np.where(objects["kind"] == ARROW, objects["facing"], 0)
        codes[(objects["kind"] == PLANT) & (objects["timer"] > s.params.ripening)] = RIPE
        players = s.players[alive]
        facing = np.where(players["sleeping"], ASLEEP, players["facing"])
        things = np.zeros_like(s.things)
        things[objects["y"] + _MARGIN, objects["x"] + _MARGIN] = codes
        things[players["y"] + _MARGIN, players["x"] + _MARGIN] = PLAYER + 5 * alive + facing
        if (things != s.things).any() or np.count_nonzero(things) != len(objects) + len(players):
            return "things are not the objects and players, one on a cell"
        return None

    # Levels, and the state as symbols.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        state = self._read(s, level)
        for agent, player in zip(self.agents, state["players"]):
            if player["inventory"][HEALTH] == 0:
                raise LevelError(f"{self.id}: {agent} has no health; a level's players are alive")
        objects = state["objects"]
        s.level.map[:] = state["map"]
        s.level.clock, s.level.count = state["clock"], len(objects)
        s.level.objects[: len(objects)] = objects
        s.level.players[:] = state["players"]

    def get_level(self, s: Any) -> dict[str, Any]:
        level = s.level
        return _symbols(level.map, int(level.clock), level.players, level.objects[: level.count])

    def symbols(self, s: Any) -> dict[str, Any]:
        """The running state as plain data, in the form of a level; players without health are dead."""
        ground = s.ground[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
        return _symbols(ground, int((s.clock + s.t) % _DAY), s.players, s.objects[: s.count])

    def set_symbols(self, s: Any, symbols: Mapping[str, Any]) -> None:
        """Write a state in the form of a level into a running record, or raise `LevelError` and change nothing.

        `Batch.observe` then fills the observations again. The number of steps so far does not change.
        """
        try:
            state = self._read(s, symbols)
        except KeyError as missing:
            raise LevelError(f"{self.id}: the state lacks {missing}") from None
        except LevelError:
            raise
        except (TypeError, ValueError, IndexError, OverflowError, AttributeError) as problem:
            raise LevelError(f"{self.id}: the state cannot be read: {problem}") from None
        ground, objects, players = state["map"], state["objects"], state["players"]
        s.clock = (state["clock"] - s.t) % _DAY
        s.count, s.gone = len(objects), 0
        s.objects[: len(objects)] = objects
        s.players[:] = players
        s.terminated[:] = players["inventory"][:, HEALTH] == 0
        lay(s, as_views(ground))
        for k in range(s.count):
            show(s, s.objects[k])
        for a in range(len(players)):
            if not s.terminated[a]:
                show_player(s, a)

    def _read(self, s: Any, level: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of a level, checked, in the form of the record."""
        label = f"{self.id}: the level"
        if unknown := set(level) - {"kind", "map", "clock", "players", "objects"}:
            raise LevelError(f"{label} has an unknown part {min(map(str, unknown))!r}")
        if level.get("kind", "terrain") != "terrain":
            raise LevelError(f"{label} is of the kind {level['kind']!r}, not 'terrain'")
        rows, size = level["map"], len(s.level.map)
        ground = terrain.read_map(rows, size, size, label)
        clock = _whole(level.get("clock", 0), 0, _DAY - 1, f"{label}'s clock")
        listed = level.get("objects", [])
        symbols = level.get("players", [{} for _ in self.agents])
        if len(symbols) != len(self.agents):
            raise LevelError(f"{label} has {len(symbols)} players, not {len(self.agents)}")
        if len(listed) > len(s.level.objects):
            raise LevelError(f"{label} has {len(listed)} objects; at most {len(s.level.objects)} fit")
        record = self.record["level"]
        players = np.zeros(len(symbols), record["players"].base)
        objects = np.zeros(len(listed), record["objects"].base)
        taken: dict[tuple[int, int], str] = {}
        for a, symbol in enumerate(symbols):
            _read_player(as_views(players)[a], symbol, a, size, f"{label}'s {self.agents[a]}")
            if players[a]["inventory"][HEALTH]:
                _occupy(taken, ground, players[a], int(_WALKABLE), self.agents[a])
        for k, symbol in enumerate(listed):
            _read_object(as_views(objects)[k], symbol, size, f"{label}'s object {k}")
            kind = objects[k]["kind"]
            materials = 1 << terrain.GRASS if kind == PLANT else _OPEN if kind == ARROW else _LAND
            _occupy(taken, ground, objects[k], int(materials), f"object {k} ({symbol['type']})")
        return {"map": ground, "clock": clock, "players": players, "objects": objects}

    # Observations, texts and pictures.

    def state_space(self) -> Dict:
        """The whole map, with codes as in the observation, all inventories, and daylight."""
        size, players = self.parameters["size"], len(self.agents)
        return Dict(
            {
                "materials": Box(0, terrain.FURNACE, (size, size), np.uint8),
                "objects": Box(0, PLAYER + 5 * players - 1, (size, size), np.uint8),
                "inventory": Box(0, MOST, (players, len(ITEMS)), np.uint8),
                "daylight": Box(0.0, 1.0, (1,), np.float32),
            }
        )

    def state(self, records: np.ndarray, observations: np.ndarray) -> dict[str, np.ndarray]:
        inside = slice(_MARGIN, -_MARGIN)
        return {
            "materials": records["ground"][:, inside, inside].copy(),
            "objects": records["things"][:, inside, inside].copy(),
            "inventory": records["players"]["inventory"].astype(np.uint8),
            "daylight": observations["daylight"][:, 0].copy(),
        }

    def text(self, s: Any, agent: int) -> str:
        p, seen, light = s.players[agent], self.observation(s, agent), daylight(s)
        ground, things = seen.materials, seen.objects
        front = _UP + DY[p.facing], _LEFT + DX[p.facing]
        vitals = ", ".join(f"{item} {p.inventory[k]}" for k, item in enumerate(ITEMS[: ENERGY + 1]))
        held = [f"{item.replace('_', ' ')} {n}" for item, n in zip(ITEMS[SAPLING:], p.inventory[SAPLING:]) if n]
        nearby: dict[str, str] = {}
        for i, j in sorted(np.ndindex(ROWS, COLUMNS), key=lambda at: abs(at[0] - _UP) + abs(at[1] - _LEFT)):
            if (i, j) == (_UP, _LEFT) or not ground[i, j]:
                continue
            where = " ".join(reversed(steps(i - _UP, j - _LEFT)))
            if things[i, j]:
                nearby[f"{self._name(things[i, j])} {where}"] = ""
            elif terrain.MATERIALS[ground[i, j]] not in nearby:
                nearby[terrain.MATERIALS[ground[i, j]]] = f" {where}"
        ahead = self._name(things[front]) if things[front] else terrain.MATERIALS[ground[front]]
        return "\n".join(
            [
                f"You are asleep, facing {_WORDS[p.facing]}." if p.sleeping else f"You face {_WORDS[p.facing]}.",
                f"In front of you: {ahead}.",
                f"It is {'day' if light > 0.6 else 'dusk' if light > 0.3 else 'night'}.",
                f"Vitals, of {MOST}: {vitals}.",
                f"You carry: {', '.join(held) if held else 'nothing'}.",
                f"In view, the nearest of each ground: {'; '.join(a + b for a, b in nearby.items())}.",
            ]
        )

    def _name(self, thing: int) -> str:
        """A thing's code in words."""
        name, facing, a = _decoded(thing)
        if name == "player":
            return f"{self.agents[a]} ({'asleep' if facing == ASLEEP else 'facing ' + _WORDS[facing]})"
        return f"arrow flying {_WORDS[facing]}" if name == "arrow" else name

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        if agent is None and len(self.agents) == 1:
            scene = Scene(21, 14.4, background="panel")
            _panel(scene, s, 0, 0.0, 0.0, 21, 13)
            done = int((s.players[0].achievements > 0).sum())
            told = f"step {int(s.t)}   {done} of {len(ACHIEVEMENTS)} unlocked"
            scene.add(Label(20.7, 13.7, told, 0.5, "muted", align="right"))
            return scene
        shown = range(len(self.agents)) if agent is None else [agent]
        columns = int(np.ceil(np.sqrt(len(shown))))
        lines = -(-len(shown) // columns)
        scene = Scene(columns * (COLUMNS + 0.4) - 0.4, lines * (ROWS + 2.4) - 0.4, background="panel")
        for k, a in enumerate(shown):
            _panel(scene, s, a, k % columns * (COLUMNS + 0.4), k // columns * (ROWS + 2.4), COLUMNS, ROWS)
        return scene


_WORDS = ("east", "south", "west", "north")


def _decoded(thing: int) -> tuple[str, int, int]:
    """The name of a code's thing, its facing (or ASLEEP) and a player's number."""
    if thing >= PLAYER:
        a, facing = divmod(thing - PLAYER, 5)
        return "player", facing, a
    if thing >= ARROW:
        return "arrow", thing - ARROW, 0
    return ("", "cow", "zombie", "skeleton", "plant", "ripe plant")[thing], 0, 0


# Symbols: objects and players as plain data.


def _symbols(ground: np.ndarray, clock: int, players: Any, objects: Any) -> dict[str, Any]:
    return {
        "map": terrain.write_map(ground),
        "clock": clock,
        "players": [_player_symbol(p) for p in players],
        "objects": [_object_symbol(o) for o in objects],
    }


def _player_symbol(p: Any) -> dict[str, Any]:
    return {
        "x": int(p["x"]),
        "y": int(p["y"]),
        "facing": int(p["facing"]),
        "sleeping": bool(p["sleeping"]),
        "inventory": dict(zip(ITEMS, p["inventory"].tolist())),
        "achievements": dict(zip(ACHIEVEMENTS, p["achievements"].tolist())),
        **{name: int(p[name]) / 2 for name in _COUNTERS},
        "health_before": int(p["health_before"]),
    }


def _object_symbol(o: Any) -> dict[str, Any]:
    kind = int(o["kind"])
    symbol = {"type": _TYPES[kind], "x": int(o["x"]), "y": int(o["y"]), "health": int(o["health"])}
    if kind == ARROW:
        symbol["facing"] = int(o["facing"])
    else:
        symbol |= {TIMERS[kind]: int(o["timer"])} if kind in TIMERS else {}
    return symbol


_COUNTERS = ("hunger", "thirst", "fatigue", "recovery")
_TYPES = {kind: name for name, kind in KINDS.items()}


def _whole(value: Any, low: int, high: int, label: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise LevelError(f"{label} must be a whole number from {low} to {high}, not {value!r}")
    return int(value)


def _known(symbol: Any, names: Sequence[str], label: str) -> None:
    if not isinstance(symbol, Mapping):
        raise LevelError(f"{label} must be a mapping of attributes, not {symbol!r:.60}")
    if unknown := set(symbol) - set(names):
        raise LevelError(f"{label} has an unknown attribute {min(map(str, unknown))!r}; known: {', '.join(names)}")


def _read_player(p: Any, symbol: Any, a: int, size: int, label: str) -> None:
    new_player(p, a, size)
    names = ["x", "y", "facing", "sleeping", "inventory", "achievements", *_COUNTERS, "health_before"]
    _known(symbol, names, label)
    for name, most in (("x", size - 1), ("y", size - 1), ("facing", 3)):
        p[name] = _whole(symbol.get(name, int(p[name])), 0, most, f"{label}: {name}")
    if not isinstance(symbol.get("sleeping", False), (bool, np.bool_)):
        raise LevelError(f"{label}: sleeping must be true or false, not {symbol['sleeping']!r}")
    p.sleeping = symbol.get("sleeping", False)
    for part, items, most in (("inventory", ITEMS, MOST), ("achievements", ACHIEVEMENTS, 1_000_000)):
        _known(symbol.get(part, {}), items, f"{label}: {part}")
        for name, count in symbol.get(part, {}).items():
            p[part][items.index(name)] = _whole(count, 0, most, f"{label}: {part}: {name}")
    for name in _COUNTERS:
        doubled = 2 * symbol.get(name, 0)
        if doubled != int(doubled):
            raise LevelError(f"{label}: {name} counts half steps, so it cannot be {symbol[name]!r}")
        p[name] = _whole(int(doubled), -2_000_000, 2_000_000, f"{label}: twice its {name}")
    p.health_rewarded = p.inventory[HEALTH]
    p.health_before = _whole(symbol.get("health_before", int(p.health_rewarded)), 0, MOST, f"{label}: health_before")


def _read_object(o: Any, symbol: Any, size: int, label: str) -> None:
    if not isinstance(symbol, Mapping) or symbol.get("type") not in KINDS:
        raise LevelError(f"{label} must have a type: {', '.join(KINDS)}; this is {symbol!r:.60}")
    kind = KINDS[symbol["type"]]
    timer = "facing" if kind == ARROW else TIMERS.get(kind)
    _known(symbol, ["type", "x", "y", "health", *([timer] if timer else [])], label)
    born(o, kind, *(_whole(symbol[name], 0, size - 1, f"{label}: {name}") for name in ("x", "y")))
    o.health = _whole(symbol.get("health", int(o.health)), 0, _STRONGEST, f"{label}: health")
    if kind == ARROW:
        o.facing = _whole(symbol["facing"], 0, 3, f"{label}: facing")
    elif timer:
        o.timer = _whole(symbol.get(timer, 0), 0, 2_000_000, f"{label}: {timer}")


def _occupy(taken: dict, ground: np.ndarray, thing: Any, materials: int, label: str) -> None:
    """Note what stands on a cell; the cell must be free and of one of these materials."""
    x, y = int(thing["x"]), int(thing["y"])
    material = int(ground[y, x])
    if not materials >> material & 1:
        raise LevelError(f"{label} cannot be on {terrain.MATERIALS[material]}, at x={x}, y={y}")
    if (x, y) in taken:
        raise LevelError(f"{label} and {taken[x, y]} are both at x={x}, y={y}")
    taken[x, y] = label


# Pictures.


def _window(s: Any, p: Any, columns: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Ground and things around a player; 0 outside of the map."""
    left, top = int(p["x"]) - columns // 2, int(p["y"]) - rows // 2
    reach = max(columns, rows)
    inside = slice(top + reach, top + reach + rows), slice(left + reach, left + reach + columns)
    cut = slice(_MARGIN, -_MARGIN), slice(_MARGIN, -_MARGIN)
    return np.pad(s.ground[cut], reach)[inside], np.pad(s.things[cut], reach)[inside]


def _panel(scene: Scene, s: Any, agent: int, left: float, top: float, columns: int, rows: int) -> None:
    """The player's surroundings, darker at night, and its inventory below."""
    p = s.players[agent]
    ground, things = _window(s, p, columns, rows)
    scene.add(*terrain.ground_shapes(ground, left, top, (int(p.x) - columns // 2, int(p.y) - rows // 2)))
    for y, x in np.argwhere(things):
        scene.add(*pictures.thing(*_decoded(int(things[y, x])), left + x + 0.5, top + y + 0.5))
    dark = 0.62 * (1.0 - daylight(s))
    if dark > 0.01:
        scene.add(Rect(left, top, columns, rows, f"shadow@{dark:.2f}"))
    if p.sleeping:
        scene.add(Rect(left, top, columns, rows, "shadow@0.45"))
    if s.terminated[agent]:
        scene.add(Rect(left, top, columns, rows, "shadow@0.6"))
        scene.add(Label(left + columns / 2, top + rows / 2, f"{s.t} steps survived", 0.7, "white"))
    slots = [(k, int(n)) for k, n in enumerate(p.inventory) if n or k <= ENERGY]
    each = COLUMNS if columns == COLUMNS else len(ITEMS)
    for k, (item, n) in enumerate(slots):
        x, y = left + 0.95 * (k % each) + 0.5, top + rows + 0.6 + k // each * 0.9
        scene.add(*pictures.item(ITEMS[item], x, y, 0.7))
        scene.add(Label(x + 0.34, y + 0.2, str(n), 0.42, "ink" if n or item > ENERGY else "bad", bold=True))


env, raw_env, parallel_env = pettingzoo_forms(Crafter)
