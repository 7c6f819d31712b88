"""Crafter's rules: the map, players and their actions, creatures."""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.elementary import cos_turns
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, uniform
from envsuite.generators import terrain
from envsuite.kit.grid import DX, DY, EAST, NORTH, SOUTH, WEST

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
STRONGEST = 1000  # the most health that a level can give them
#: The meaning of an object's timer.
TIMERS = {ZOMBIE: "cooldown", SKELETON: "reload", PLANT: "grown"}

#: The view is ROWS x COLUMNS cells around the player.
ROWS, COLUMNS = 7, 9
MARGIN = COLUMNS // 2
UP, LEFT = ROWS // 2, COLUMNS // 2
CHUNK = 12
DAY = 300
#: Objects are updated if a player is nearer than this.
_AWAKE = 2 * max(ROWS, COLUMNS)

# Sets of materials, as bits. (For plain integers, Numba would compile each function that takes them once for each.)
LAND = np.int64(1 << terrain.GRASS | 1 << terrain.SAND | 1 << terrain.PATH)
WALKABLE = LAND | 1 << terrain.LAVA
OPEN = LAND | 1 << terrain.WATER | 1 << terrain.LAVA
_BUILDABLE = np.array([OPEN, LAND, LAND])

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
_COSINE = np.array([abs(cos_turns((step / DAY + 0.3) / 2)) for step in range(DAY)])
DAYLIGHT = 1.0 - _COSINE * _COSINE * _COSINE


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
            if s.params.creatures and (material == terrain.TUNNEL or LAND >> material & 1):
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
    return np.int64(s.ground[np.uint64(y + MARGIN), np.uint64(x + MARGIN)])


@kernel
def thing_at(s, x, y):
    return np.int64(s.things[np.uint64(y + MARGIN), np.uint64(x + MARGIN)])


@kernel
def put_thing(s, x, y, code):
    s.things[np.uint64(y + MARGIN), np.uint64(x + MARGIN)] = code


@kernel
def chunk(s, x, y):
    """The number of a cell's chunk, column by column."""
    return x // CHUNK * ((s.level.map.shape[0] + CHUNK - 1) // CHUNK) + y // CHUNK


@large_kernel
def pave(s, x, y, material):
    """Change the ground of a cell, and the count of grass and paths in its chunk."""
    old = material_at(s, x, y)
    here = chunk(s, x, y)
    if old == terrain.GRASS or old == terrain.PATH:
        s.space[here, np.int64(old == terrain.PATH)] -= 1
    if material == terrain.GRASS or material == terrain.PATH:
        s.space[here, np.int64(material == terrain.PATH)] += 1
    s.ground[np.uint64(y + MARGIN), np.uint64(x + MARGIN)] = material


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
    return DAYLIGHT[(s.clock + s.t) % DAY] if s.params.night else 1.0


# Players.


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
    if free(s, x, y, WALKABLE):
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
        go(s, o, _ANY[randint(s, 4)], LAND)


@kernel
def hurt(p, damage):
    p.inventory[HEALTH] = max(0, p.inventory[HEALTH] - damage)


@kernel
def zombie(s, o, p, distance):
    if o.health <= 0:
        remove(s, o)
    if distance <= 8 and bernoulli(s, 0.9):
        go(s, o, toward(o, p, bernoulli(s, 0.8)), LAND)
    else:
        go(s, o, _ANY[randint(s, 4)], LAND)
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
    if distance <= 3 and go(s, o, back(toward(o, p, bernoulli(s, 0.6))), LAND):
        return
    if distance <= 5 and bernoulli(s, 0.5):
        shoot(s, o, toward(o, p, True))
    elif distance <= 8 and bernoulli(s, 0.3):
        go(s, o, toward(o, p, bernoulli(s, 0.6)), LAND)
    elif bernoulli(s, 0.2):
        go(s, o, _ANY[randint(s, 4)], LAND)


@kernel
def shoot(s, o, facing):
    x, y = o.x + DX[facing & 3], o.y + DY[facing & 3]
    if o.timer == 0 and facing >= 0 and free(s, x, y, OPEN):
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
    if thing == 0 and OPEN >> material & 1:
        go(s, o, np.int64(o.facing), OPEN)
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
    side = (size + CHUNK - 1) // CHUNK
    left, top = k // side * CHUNK, k % side * CHUNK
    for x in range(left, min(left + CHUNK, size)):
        for y in range(top, min(top + CHUNK, size)):
            if material_at(s, x, y) == ground:
                if pick == 0:
                    if thing_at(s, x, y) == 0 and nearest(s, x, y)[1] >= far:
                        add(s, kind, x, y)
                    return
                pick -= 1
