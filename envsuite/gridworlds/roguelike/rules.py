"""Roguelike's rules: what is on a map, what the hero does, what monsters do, and what the hero sees and remembers."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, flag, within
from envsuite.kit.figures import DOWN as DY
from envsuite.kit.figures import MOVES
from envsuite.kit.figures import RIGHT as DX
from envsuite.kit.sight import in_line

#: Rows and columns of a map at most; smaller ones are at its top left.
HEIGHT, WIDTH = 21, 79
#: Monsters at most.
MOST = 12

# The ground. Codes from HIDDEN_DOOR on look like others until they are found.
(
    UNSEEN, ROCK, WALL, FLOOR, CORRIDOR, DOORWAY, OPEN, CLOSED, LOCKED, WATER, ICE, LAVA, STAIRS, TREE, CLOUD, PIT,
    DART, SNARE, TELEPORT, HIDDEN_DOOR, HIDDEN_CORRIDOR, HIDDEN_DART, HIDDEN_SNARE, HIDDEN_TELEPORT, DECOY,
) = range(25)  # fmt: skip
GROUNDS = (
    "unseen", "rock", "wall", "floor", "corridor", "doorway", "open door", "closed door", "locked door", "water", "ice",
    "lava", "stairs", "tree", "cloud", "pit", "dart trap", "snare", "teleporter",
)  # fmt: skip
#: The letters of the ground in levels and texts.
LETTERS = "?_#.:'/+L~=%>T*^dnpHhDNP<"

NOTHING, BOULDER, KEY, APPLE, POTION, WAND = range(6)
THINGS = ("nothing", "boulder", "key", "apple", "potion", "wand")
NONE, RAT, BAT, GOBLIN, OGRE, MINOTAUR = range(6)
MONSTERS = ("none", "rat", "bat", "goblin", "ogre", "minotaur")

# In observations: grounds, then things, the hero, and monsters.
THING_GLYPH, HERO = 18, 24
MONSTER_GLYPH = HERO
GLYPHS = MONSTER_GLYPH + len(MONSTERS)
GLYPH_LETTERS = "?_#.:'/+L~=%>T*^dnpOkaiw@rbgoM"

#: What each ground looks like, and what it is once it has been found.
LOOK = np.array([*range(HIDDEN_DOOR), WALL, ROCK, FLOOR, FLOOR, FLOOR, STAIRS])
FOUND = np.array([*range(HIDDEN_DOOR), CLOSED, CORRIDOR, DART, SNARE, TELEPORT, DECOY])


def _bits(*codes: int) -> np.int64:
    return np.int64(sum(1 << code for code in codes))


_TRAPS = (DART, SNARE, TELEPORT, HIDDEN_DART, HIDDEN_SNARE, HIDDEN_TELEPORT)
#: Sets of grounds: where monsters and the hero walk, where boulders roll or sink, what ends sight, what ends a ray.
SAFE = _bits(FLOOR, CORRIDOR, DOORWAY, OPEN, ICE, STAIRS, CLOUD, DECOY, *_TRAPS)
WALKABLE = SAFE | _bits(LAVA, PIT)
ROLLS = _bits(FLOOR, CORRIDOR, DOORWAY, ICE, WATER, LAVA, PIT)
SOLID = _bits(ROCK, WALL, CLOSED, LOCKED, TREE, HIDDEN_DOOR, HIDDEN_CORRIDOR)
OPAQUE = SOLID | _bits(CLOUD)
DEADLY = _bits(WATER, LAVA, PIT)

# The monsters' health, speed, chance to hit, and damage at most.
HEALTH = np.array([0, 3, 4, 5, 20, 40])
SPEED = np.array([0, 10, 22, 9, 10, 15])
ACCURACY = np.array([0.0, 0.5, 0.5, 0.5, 0.6, 0.9])
DAMAGE = np.array([0, 3, 4, 6, 10, 20])

#: The hero's health, speed, chance to hit, and damage at most; of kicks as well.
HERO_HEALTH, HERO_SPEED, HERO_ACCURACY, HERO_DAMAGE = 16, 12, 0.8, 8
KICK_ACCURACY, KICK_DAMAGE, BREAK = 0.6, 4, 0.35
#: Chance to find each hidden thing beside the hero by a search, and of a boulder to fill lava.
FIND, FILL = 1 / 7, 0.9
#: Turns of levitation, charges of a wand, cells that its ray reaches, its damage, turns for a point of health.
FLIGHT, CHARGES, RAY, COLD, HEALING = 40, 4, 8, 20, 15
#: Turns in a snare and damage of a dart, at most.
SNARED, DARTED = 5, 4

ACTIONS = (*MOVES, "search", "kick", "take", "apply", "eat", "quaff", "zap")
SEARCH, KICK, TAKE, APPLY, EAT, QUAFF, ZAP = range(8, 15)

#: The observation's statistics.
STATS = (
    "health", "levitation", "stuck", "keys", "apples", "potions", "charges", "facing", "ground", "thing", "row",
    "column",
)  # fmt: skip
#: Radius of the view.
REACH = 4

_MANY = 2**20


def _inside(most: int, edge: int) -> np.ndarray:
    return np.pad(np.full((HEIGHT - 2, WIDTH - 2), most), 1, constant_values=edge)


def level_type() -> np.dtype:
    """A level: the ground never lets anything walk to the edge of the array."""
    monster = np.dtype(
        [
            ("kind", below(np.uint8, len(MONSTERS))),  # NONE for no monster
            ("y", within(np.int16, 0, HEIGHT - 2)),
            ("x", within(np.int16, 0, WIDTH - 2)),
        ],
        align=True,
    )
    return np.dtype(
        [
            ("ground", within(np.uint8, ROCK, _inside(DECOY, WALL)), (HEIGHT, WIDTH)),
            ("things", within(np.uint8, 0, _inside(WAND, 0)), (HEIGHT, WIDTH)),
            ("lit", flag(), (HEIGHT, WIDTH)),
            ("height", within(np.int64, 3, HEIGHT)),
            ("width", within(np.int64, 3, WIDTH)),
            ("y", within(np.int64, 1, HEIGHT - 2)),  # of the hero
            ("x", within(np.int64, 1, WIDTH - 2)),
            ("monsters", monster, (MOST,)),
        ],
        align=True,
    )


def fields() -> list[tuple]:
    """The record, without what generators need."""
    monster = np.dtype(
        [
            ("kind", below(np.int64, len(MONSTERS))),  # NONE for a dead one
            ("y", within(np.int64, 0, HEIGHT - 2)),
            ("x", within(np.int64, 0, WIDTH - 2)),
            ("health", within(np.int64, 0, int(HEALTH.max()))),
            ("energy", within(np.int64, 0, HERO_SPEED - 1)),  # a move costs HERO_SPEED
            ("hunts", flag(np.int64)),  # whether it has seen the hero, and is on its way to where that was
            ("goal_y", below(np.int64, HEIGHT)),
            ("goal_x", below(np.int64, WIDTH)),
            ("shown", flag(np.int64)),  # whether the hero sees it
        ],
        align=True,
    )
    count = within(np.int64, 0, HEIGHT * WIDTH)
    return [
        ("level", level_type()),
        ("ground", within(np.uint8, ROCK, _inside(DECOY, WALL)), (HEIGHT, WIDTH)),
        ("things", within(np.uint8, 0, _inside(WAND, 0)), (HEIGHT, WIDTH)),
        ("opaque", flag(), (HEIGHT, WIDTH)),  # whether a cell ends sight: follows from ground and things
        ("seen", below(np.uint8, HERO), (HEIGHT, WIDTH)),  # ground or thing, as last seen
        ("y", within(np.int64, 1, HEIGHT - 2)),
        ("x", within(np.int64, 1, WIDTH - 2)),
        ("facing", below(np.int64, 8)),
        ("health", within(np.int64, 0, HERO_HEALTH)),
        ("turns", within(np.int64, 0, _MANY)),  # that have passed; less than transitions
        ("levitation", within(np.int64, 0, _MANY)),  # turns left
        ("stuck", within(np.int64, 0, SNARED)),  # turns left in a snare
        ("keys", count),
        ("apples", count),
        ("potions", count),
        ("charges", within(np.int64, 0, CHARGES * HEIGHT * WIDTH)),
        ("pits", count),  # left
        ("square", flag(np.int64)),  # the level has pits: boulders are not pushed diagonally
        ("monsters", monster, (MOST,)),
    ]


# The map.


@kernel
def at(grid, y, x):
    """What is in a cell, as an integer."""
    return np.int64(grid[np.uint64(y), np.uint64(x)])


@kernel
def among(codes, code):
    """Whether a code is in a set."""
    return codes >> code & 1 != 0


@large_kernel
def change(s, y, x, code, thing):
    """Set the ground and the thing of a cell."""
    s.ground[np.uint64(y), np.uint64(x)] = code
    s.things[np.uint64(y), np.uint64(x)] = thing
    s.opaque[np.uint64(y), np.uint64(x)] = among(OPAQUE, np.int64(code)) or thing == BOULDER


@large_kernel
def monster_at(s, y, x):
    """The number of the monster in a cell, or -1."""
    for k in range(MOST):
        if s.monsters[k].kind != NONE and s.monsters[k].y == y and s.monsters[k].x == x:
            return k
    return -1


@kernel
def through_door(s, y, x, to_y, to_x):
    """Whether a step is diagonal and begins or ends in an open door."""
    if y == to_y or x == to_x:
        return False
    return at(s.ground, y, x) == OPEN or at(s.ground, to_y, to_x) == OPEN


@kernel
def reveal(s, y, x):
    """Find what is hidden in a cell."""
    change(s, y, x, FOUND[at(s.ground, y, x)], at(s.things, y, x))


# The hero.


@kernel
def strike(s, k, accuracy, damage):
    """Hit a monster, perhaps."""
    if bernoulli(s, accuracy):
        hurt(s, k, 1 + randint(s, damage))


@kernel
def hurt(s, k, damage):
    """Take health from a monster."""
    s.monsters[k].health = max(0, s.monsters[k].health - damage)
    if s.monsters[k].health == 0:
        s.monsters[k].kind = NONE


@kernel
def push(s, y, x, direction):
    """Push the boulder in a cell if possible; whether it moved."""
    to_y, to_x = y + DY[direction], x + DX[direction]
    code = at(s.ground, to_y, to_x)
    blocked = not among(ROLLS, code) or at(s.things, to_y, to_x) != NOTHING or monster_at(s, to_y, to_x) >= 0
    if blocked or (s.square and direction & 1):
        return False
    change(s, y, x, at(s.ground, y, x), NOTHING)
    if not among(DEADLY, code):
        change(s, to_y, to_x, code, BOULDER)
    elif code != LAVA or bernoulli(s, FILL):
        change(s, to_y, to_x, FLOOR, NOTHING)
        s.pits -= code == PIT
    return True


@kernel
def relocate(s):
    """Move the hero to a random free cell of floor, if there is one."""
    count = np.int64(0)
    for draw in range(2):
        left = randint(s, count) if draw and count else np.int64(-1)
        for y in range(1, s.level.height - 1):
            for x in range(1, s.level.width - 1):
                if at(s.ground, y, x) == FLOOR and at(s.things, y, x) != BOULDER and monster_at(s, y, x) < 0:
                    count += 1 - draw
                    if left == 0:
                        s.y, s.x = y, x
                    left -= draw


@large_kernel
def touch_ground(s):
    """What happens to the hero where it stands, unless it levitates."""
    code = FOUND[at(s.ground, s.y, s.x)]
    if s.levitation > 0:
        return
    if among(DEADLY, code):
        s.health = 0
    elif DART <= code <= TELEPORT:
        reveal(s, s.y, s.x)
        if code == DART:
            s.health = max(0, s.health - 1 - randint(s, DARTED))
        elif code == SNARE:
            s.stuck = 1 + randint(s, SNARED)
        else:
            relocate(s)


@large_kernel
def move(s, direction):
    """Attack, open a door, push or walk; whether that took time."""
    s.facing = direction
    y, x = s.y + DY[direction], s.x + DX[direction]
    k = monster_at(s, y, x)
    if k >= 0:
        strike(s, k, HERO_ACCURACY, HERO_DAMAGE)
        return True
    if s.stuck > 0:
        s.stuck -= 1
        return True
    code = at(s.ground, y, x)
    if code == CLOSED and direction & 1 == 0:
        change(s, y, x, OPEN, NOTHING)
        return True
    if not (among(WALKABLE, code) or (code == WATER and s.levitation > 0)) or through_door(s, s.y, s.x, y, x):
        return False
    if at(s.things, y, x) == BOULDER and (s.levitation > 0 or not push(s, y, x, direction)):
        return False
    s.y, s.x = y, x
    touch_ground(s)
    return True


@kernel
def search(s):
    """Look for what is hidden in the eight cells around the hero."""
    for direction in range(8):
        y, x = s.y + DY[direction], s.x + DX[direction]
        code = at(s.ground, y, x)
        if FOUND[code] != code and bernoulli(s, FIND):
            reveal(s, y, x)


@kernel
def kick(s):
    """Kick what the hero faces: a monster, or a door that may break."""
    y, x = s.y + DY[s.facing], s.x + DX[s.facing]
    code, k = at(s.ground, y, x), monster_at(s, y, x)
    if k >= 0:
        strike(s, k, KICK_ACCURACY, KICK_DAMAGE)
    elif (code == CLOSED or code == LOCKED) and bernoulli(s, BREAK):
        change(s, y, x, DOORWAY, NOTHING)


@kernel
def take(s):
    """Pick up what lies in the hero's cell."""
    thing = at(s.things, s.y, s.x)
    s.keys += thing == KEY
    s.apples += thing == APPLE
    s.potions += thing == POTION
    s.charges += CHARGES * (thing == WAND)
    change(s, s.y, s.x, at(s.ground, s.y, s.x), NOTHING)


@kernel
def unlock(s):
    """Open the first locked door around the hero; whether there is one."""
    for direction in range(8):
        y, x = s.y + DY[direction], s.x + DX[direction]
        if at(s.ground, y, x) == LOCKED:
            change(s, y, x, OPEN, NOTHING)
            s.facing = direction
            return True
    return False


@kernel
def eat(s):
    """Eat the apple in the hero's cell, or one that it carries."""
    if at(s.things, s.y, s.x) == APPLE and s.levitation == 0:
        change(s, s.y, s.x, at(s.ground, s.y, s.x), NOTHING)
    else:
        s.apples -= 1


@kernel
def zap(s):
    """Send a ray of cold: water and lava freeze, and monsters are hurt, up to the first solid cell."""
    s.charges -= 1
    y, x = s.y, s.x
    for _ in range(RAY):
        y, x = y + DY[s.facing], x + DX[s.facing]
        code, k = at(s.ground, y, x), monster_at(s, y, x)
        if among(SOLID, code):
            return
        if code == WATER or code == LAVA:
            change(s, y, x, ICE if code == WATER else FLOOR, at(s.things, y, x))
        if k >= 0:
            hurt(s, k, COLD)


@large_kernel
def act(s, action):
    """Carry out an action; whether it took time."""
    spent = True
    if action < SEARCH:
        spent = move(s, action)
    elif action == SEARCH:
        search(s)
    elif action == KICK:
        kick(s)
    elif action == TAKE:
        take(s)
    elif action == APPLY:
        spent = unlock(s)
    elif action == EAT:
        eat(s)
    elif action == QUAFF:
        s.potions -= 1
        s.levitation += FLIGHT
    else:
        zap(s)
    return spent


# Monsters.


@kernel
def open_to(s, y, x, to_y, to_x):
    """Whether a monster can step from a cell to a neighbor."""
    if not among(SAFE, at(s.ground, to_y, to_x)) or at(s.things, to_y, to_x) == BOULDER:
        return False
    taken = (to_y == s.y and to_x == s.x) or monster_at(s, to_y, to_x) >= 0
    return not taken and not through_door(s, y, x, to_y, to_x)


@kernel
def distance(y, x, to_y, to_x):
    """The square of the distance between two cells."""
    return (to_y - y) * (to_y - y) + (to_x - x) * (to_x - x)


@kernel
def chase(s, m):
    """Step to the free neighbor that is nearest to where the hero was last seen, if it is nearer than here."""
    y, x, best = m.y, m.x, distance(m.y, m.x, m.goal_y, m.goal_x)
    from_y, from_x = m.y, m.x
    for direction in range(8):
        to_y, to_x = from_y + DY[direction], from_x + DX[direction]
        far = distance(to_y, to_x, m.goal_y, m.goal_x)
        if far < best and open_to(s, from_y, from_x, to_y, to_x):
            y, x, best = to_y, to_x, far
    m.y, m.x = y, x


@kernel
def wander(s, m):
    """Step in a random direction, if that is possible."""
    direction = randint(s, 8)
    y, x = m.y + DY[direction], m.x + DX[direction]
    if open_to(s, m.y, m.x, y, x):
        m.y, m.x = y, x


@large_kernel
def move_monster(s, k):
    """One move of a monster: it attacks, chases or wanders."""
    m = s.monsters[k]
    if in_line(s.opaque, 1, m.y, m.x, s.y, s.x):
        m.hunts, m.goal_y, m.goal_x = 1, s.y, s.x
    elif m.y == m.goal_y and m.x == m.goal_x:
        m.hunts = 0
    if m.kind == BAT and bernoulli(s, 1 / 3):
        wander(s, m)
    elif distance(m.y, m.x, s.y, s.x) <= 2:
        if bernoulli(s, ACCURACY[m.kind]):
            s.health = max(0, s.health - 1 - randint(s, DAMAGE[m.kind]))
    elif m.hunts:
        chase(s, m)
    else:
        wander(s, m)


@large_kernel
def pass_turn(s):
    """What a turn brings after the hero's action."""
    for k in range(MOST):
        if s.monsters[k].kind != NONE:
            s.monsters[k].energy += SPEED[s.monsters[k].kind]
            while s.monsters[k].energy >= HERO_SPEED:
                s.monsters[k].energy -= HERO_SPEED
                if s.health > 0:
                    move_monster(s, k)
    s.turns += 1
    if s.levitation > 0:
        s.levitation -= 1
        if s.levitation == 0:
            touch_ground(s)
    if s.turns % HEALING == 0 and 0 < s.health < HERO_HEALTH:
        s.health += 1


# Sight.


@kernel
def sees(s, y, x):
    """Whether the hero sees a cell: one beside it, or a lit one that nothing hides."""
    near = max(abs(y - s.y), abs(x - s.x)) <= 1
    return near or (s.level.lit[np.uint64(y), np.uint64(x)] != 0 and in_line(s.opaque, 1, s.y, s.x, y, x))


@kernel
def glyph(s, y, x):
    """What a cell looks like, without monsters and the hero."""
    thing = at(s.things, y, x)
    return THING_GLYPH + thing if thing else LOOK[at(s.ground, y, x)]


@large_kernel
def look(s):
    """Remember what the hero sees now."""
    for y in range(s.level.height):
        for x in range(s.level.width):
            if sees(s, y, x):
                s.seen[np.uint64(y), np.uint64(x)] = glyph(s, y, x)
    for k in range(MOST):
        m = s.monsters[k]
        m.shown = m.kind != NONE and sees(s, m.y, m.x)


@large_kernel
def begin(s):
    """Copy the level into the record."""
    s.pits = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            change(s, y, x, s.level.ground[y, x], s.level.things[y, x])
            s.pits += s.level.ground[y, x] == PIT
            s.seen[y, x] = UNSEEN
    s.square = s.pits > 0
    s.y, s.x, s.facing, s.health = s.level.y, s.level.x, 0, HERO_HEALTH
    s.turns, s.levitation, s.stuck = 0, 0, 0
    s.keys, s.apples, s.potions, s.charges = 0, 0, 0, 0
    for k in range(MOST):
        m, placed = s.monsters[k], s.level.monsters[k]
        m.kind, m.y, m.x, m.health = placed.kind, placed.y, placed.x, HEALTH[placed.kind]
        m.energy, m.hunts, m.goal_y, m.goal_x, m.shown = 0, 0, 0, 0, 0


@kernel
def show_map(s):
    """Let the hero know the whole map from the start, without what is hidden."""
    for y in range(s.level.height):
        for x in range(s.level.width):
            s.seen[y, x] = glyph(s, y, x)
