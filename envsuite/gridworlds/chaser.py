"""Chaser: eat all orbs of a maze while enemies chase the agent; power orbs turn the tables for a while.

**Rules.** A maze of `size` x `size` cells without dead ends holds orbs, power orbs and the eggs of enemies. Places are
given in sixteenths of a cell; the middle of the top left cell is (8, 8). The agent and the enemies are as large as a
cell. In each step:

1. The enemies move by their speeds.
2. The agent moves, in four parts of 2 sixteenths. A direction that the action names sets the speed along its axis. The
   agent keeps a speed until walls block it in all four parts. With a speed along both axes, it moves up or down first
   if the action names one of these directions, left or right first if the action names one of those alone, and
   otherwise in a random order.
3. An enemy whose square overlaps the agent's catches it. If enemies can be eaten, it is eaten instead.
4. A power orb whose middle is within 14 sixteenths of the agent's along both axes is eaten. From here on, until the
   end of the 74th step after this one, enemies can be eaten.
5. An egg hatches 50 steps after it was laid.
6. An enemy in the middle of a cell, or one that does not move yet, chooses a free neighboring cell, but not the one
   that it comes from. It moves there by 8 sixteenths in a step, or by 4 if enemies can be eaten when it chooses.
7. If there are fewer than `enemies` eggs and enemies, one more egg is laid in a random free cell.
8. An orb in the agent's cell is eaten. On the border between two cells, the agent is in the right or the upper one.

In each step, with probability 1/2, enemies choose only among the cells nearest to the agent, counted in moves without
walls, or farthest from it if enemies can be eaten. One random number decides this and all other choices of the step: an
enemy with n cells to choose from, in the order left, down, up, right, takes number r modulo n.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| `map` | Box (size, size) uint8 | codes of the cells, see below; row 0 is the top row |
| `agent` | Box (4,) int16 | its place x, y, and the directions of its speed to the right and down: -1, 0 or 1 |
| `enemies` | Box (enemies, 6) int16 | for each: kind, x, y, speeds to the right and down, steps until it hatches |
| `edible` | Box (1,) int16 | the number of steps, this one included, in which enemies can be eaten |

| code | cell |
|---|---|
| 0 | wall |
| 1 | free |
| 2 | orb |
| 3 | power orb |

The kind of an enemy is 0 for none, 1 for an egg and 2 for an enemy.

**Actions.** Discrete (9), all of them always legal.

| action | name |
|---|---|
| 0 | `noop` |
| 1 .. 4 | `left`, `right`, `up`, `down` |
| 5, 6 | `left up`, `left down` |
| 7, 8 | `right up`, `right down` |

**Window.** The arrow keys set the direction; the key `.` keeps it.

**Rewards.** 0.04 for each orb and power orb, and 10 for the last orb.

**Ends.** Terminates when the agent is caught or has eaten all orbs; power orbs may be left. Truncated after `horizon`
actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 11 | side of the maze, odd, from 5 to 25 |
| `enemies` | 3 | number of enemies, from 1 to 8 |
| `extra` | 0 | power orbs of a random quarter, from -1 to 1, besides the one of each quarter |
| `horizon` | 1000 | actions until truncation, from 1 to 1,000,000 |

Procgen's modes easy, hard and extreme have the sizes 11, 13 and 19, 3, 3 and 5 enemies, and `extra` 0, -1 and 1.

**Level.** ``{"map": ["@....", ".#.#.", "..o..", ".#.#.", "e..._"]}``: rows of walls `#`, orbs `.`, power orbs `o`, free
cells `_`, eggs `e` on an orb, and the agent `@` on an orb. Levels may have dead ends, in which enemies turn back, and
fewer eggs than `enemies`.

**Known values.** Levels of Procgen have 73 to 79 orbs in the mode easy and 103 to 110 in the mode hard. The best return
is 10 plus the rewards of all orbs and power orbs. In Procgen, random play of its 15 actions, 7 of which do nothing,
earned 0.67 +- 0.01 in easy and 0.64 +- 0.01 in hard.

**Differences.** From Procgen's game `chaser`:

- The observation has places and codes; there it is a picture, which does not show speeds and times.
- Of the 15 actions, those that repeat `noop` are left out.
- The episode is truncated after 1,000 steps; there it terminates.
- An enemy in a dead end turns back. There are no dead ends there.

**Source.** Cobbe et al., "Leveraging Procedural Generation to Benchmark Reinforcement Learning", ICML 2020;
openai/procgen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page
from envsuite.core.random import randint
from envsuite.core.ranges import below, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import grids
from envsuite.kit import procgen
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Polygon, Rect, Scene, Shape, footer

#: The codes of cells; the last two are those of starts, on an orb.
WALL, FREE, ORB, POWER, EGG_START, START = range(6)
LEGEND = "#_.oe@"
#: Columns of `enemies`, and the kinds in the first one.
KIND, X, Y, RIGHT, DOWN, TIMER = range(6)
NONE, EGG, ENEMY = range(3)

SMALLEST, LARGEST, MOST = 5, 25, 8
#: Sixteenths of a cell, half of them, the agent's way in a quarter of a step, and an enemy's in a step.
CELL, HALF, PART, SPEED = 16, 8, 2, 8
#: The greatest distance along an axis at which a power orb is eaten; steps until an egg hatches; edible steps.
REACH, HATCH, EDIBLE = 14, 50, 75
#: The random number of a step is below this.
WORDS = 1_000_000

NAMES = (*procgen.MOVES, "left up", "left down", "right up", "right down")
DX = np.array([0, -1, 1, 0, 0, -1, -1, 1, 1])
DY = np.array([0, 0, 0, -1, 1, -1, 1, -1, 1])
#: Neighbors in the order in which enemies choose: left, down, up, right.
NEAR_X = np.array([-1, 0, 0, 1])
NEAR_Y = np.array([0, 1, -1, 0])


def fields(size: int, enemies: int) -> list[tuple]:
    """The record."""
    place = within(np.int64, HALF, CELL * size - HALF)
    low, high = [NONE, HALF, HALF, -SPEED, -SPEED, 0], [ENEMY, *[CELL * size - HALF] * 2, SPEED, SPEED, HATCH]
    return [
        ("map", below(np.uint8, START + 1), (size, size)),  # codes at the start
        ("cells", below(np.uint8, POWER + 1), (size, size)),
        ("x", place),  # of the agent, in sixteenths
        ("y", place),
        ("right", within(np.int64, -1, 1)),  # the directions of its speed
        ("down", within(np.int64, -1, 1)),
        ("enemies", within(np.int16, np.array(low), np.array(high)), (enemies, 6)),
        ("edible", within(np.int64, 0, EDIBLE)),  # steps, with the last one, in which enemies can be eaten
        ("left", within(np.int64, 0, size * size)),  # orbs
        *procgen.maze_fields(size),
    ]


# A level is made in `map`; numbers of cells count from the bottom row on, each row from the left.


@kernel
def code_at(s, cell):
    """The code of the cell with a number."""
    size = s.map.shape[0]
    return np.int64(s.map[np.uint64(size - 1 - cell // size), np.uint64(cell % size)])


@kernel
def paint(s, cell, code):
    """Change the cell with a number."""
    size = s.map.shape[0]
    s.map[np.uint64(size - 1 - cell // size), np.uint64(cell % size)] = code


@kernel
def beside(cell, k, size):
    """The number of a neighbor, or -1 outside of the maze."""
    x, y = cell % size + NEAR_X[k], cell // size - NEAR_Y[k]
    return np.int64(y * size + x) if 0 <= x < size and 0 <= y < size else np.int64(-1)


@kernel
def count_beside(s, cell, code):
    """The number of neighbors with a code."""
    count = np.int64(0)
    for k in range(4):
        near = beside(cell, k, s.map.shape[0])
        count += np.int64(near >= 0 and code_at(s, near) == code)
    return count


@kernel
def open_dead_end(s, cell):
    """Open a random wall beside a cell."""
    left = np.int64(randint(s, count_beside(s, cell, WALL)))
    for k in range(4):
        near = beside(cell, k, s.map.shape[0])
        if near >= 0 and code_at(s, near) == WALL:
            if left == 0:
                paint(s, near, FREE)
            left -= 1


@kernel
def carve(s):
    """Make a maze without dead ends."""
    size = s.map.shape[0]
    for k in range(s.map.size):
        s.map.flat[k] = WALL
    count = procgen.kruskal(s, s.parent, s.queue, np.int64(size))
    for k in range(count):
        paint(s, np.int64(s.queue[np.uint64(procgen.walls_in(size) + k)]), FREE)
    for cell in range(size * size):
        if code_at(s, np.int64(cell)) == FREE and count_beside(s, np.int64(cell), FREE) == 1:
            open_dead_end(s, np.int64(cell))


@kernel
def list_quarter(s, quarter):
    """Fill the queue with the free cells of a quarter of the maze, column by column; return their number."""
    size = s.map.shape[0]
    half, count = (size + 1) // 2, np.int64(0)
    for x in range(half if quarter > 1 else 0, size if quarter > 1 else half):
        for y in range(half if quarter & 1 else 0, size if quarter & 1 else half):
            if code_at(s, np.int64(y * size + x)) != WALL:
                count = procgen.append(s.queue, count, y * size + x)
    return count


@kernel
def put_random(s, count, code):
    """Put something on a random free cell of the first `count` in the queue."""
    while True:
        cell = np.int64(s.queue[np.uint64(randint(s, count))])
        if code_at(s, cell) == FREE:
            paint(s, cell, code)
            return


@large_kernel
def make(s):
    """A new level."""
    size = s.map.shape[0]
    carve(s)
    special = np.int64(randint(s, 4))
    for quarter in range(4):
        count = list_quarter(s, quarter)
        for _ in range(1 + (s.params.extra if quarter == special else 0)):
            put_random(s, count, POWER)
    count = np.int64(0)
    for cell in range(size * size):
        if code_at(s, np.int64(cell)) == FREE:
            count = procgen.append(s.queue, count, cell)
    for k in range(1 + s.enemies.shape[0]):
        put_random(s, count, EGG_START if k else START)
    for cell in range(size * size):
        if code_at(s, np.int64(cell)) == FREE:
            paint(s, np.int64(cell), ORB)
    procgen.tidy(s.parent, s.queue)


@kernel
def lay_egg(s, k, x, y):
    """Lay an egg in the middle of a cell."""
    s.enemies[k, KIND], s.enemies[k, TIMER] = EGG, HATCH
    s.enemies[k, X], s.enemies[k, Y] = CELL * x + HALF, CELL * y + HALF
    s.enemies[k, RIGHT] = s.enemies[k, DOWN] = 0


@kernel
def clear(s, k):
    """Forget an enemy."""
    for column in range(s.enemies.shape[1]):
        s.enemies[k, column] = HALF if column == X or column == Y else 0


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    s.right = s.down = s.edible = s.left = 0
    eggs = 0
    for k in range(s.enemies.shape[0]):
        clear(s, k)
    for y in range(s.map.shape[0]):
        for x in range(s.map.shape[1]):
            code = np.int64(s.map[y, x])
            s.cells[y, x] = ORB if code > POWER else code
            s.left += np.int64(s.cells[y, x] == ORB)
            if code == START:
                s.x, s.y = CELL * x + HALF, CELL * y + HALF
            if code == EGG_START and eggs < s.enemies.shape[0]:
                lay_egg(s, eggs, x, y)
                eggs += 1


@kernel
def is_wall(s, x, y):
    """Whether a cell is a wall or outside."""
    size = s.cells.shape[0]
    return not (0 <= x < size and 0 <= y < size) or s.cells[np.uint64(y), np.uint64(x)] == WALL


@kernel
def fits(s, x, y):
    """Whether the agent's square has room at a place."""
    left, right, top, bottom = (x - HALF) >> 4, (x + HALF - 1) >> 4, (y - HALF) >> 4, (y + HALF - 1) >> 4
    above = is_wall(s, left, top) or is_wall(s, right, top)
    return not (above or is_wall(s, left, bottom) or is_wall(s, right, bottom))


@kernel
def stopped(place, direction):
    """Where a wall stops the agent that would be at this place along an axis."""
    if direction > 0:
        return ((place + HALF) >> 4) * CELL - HALF
    return ((place - HALF + CELL - 1) >> 4) * CELL + HALF


@kernel
def move_right(s):
    """Move along the horizontal axis by a part of a step; whether that was not blocked."""
    x = s.x + PART * s.right
    free = s.right == 0 or fits(s, x, s.y)
    s.x = x if free else stopped(x, s.right)
    return free


@kernel
def move_down(s):
    """Move along the vertical axis by a part of a step; whether that was not blocked."""
    y = s.y + PART * s.down
    free = s.down == 0 or fits(s, s.x, y)
    s.y = y if free else stopped(y, s.down)
    return free


@kernel
def move_agent(s, action, word):
    """Move the agent; a speed that is blocked in all parts of the step ends."""
    if DX[action] != 0:
        s.right = DX[action]
    if DY[action] != 0:
        s.down = DY[action]
    across_first = DY[action] == 0 and (DX[action] != 0 or word & 1 == 0)
    moved_x, moved_y = False, False
    for _ in range(4):
        free_x = move_right(s) if across_first else False
        free_y = move_down(s)
        if not across_first:
            free_x = move_right(s)
        moved_x, moved_y = moved_x or free_x, moved_y or free_y
    if not moved_x:
        s.right = 0
    if not moved_y:
        s.down = 0


@kernel
def move_enemies(s):
    """Move the enemies by their speeds, within the maze."""
    most = CELL * s.cells.shape[0] - HALF
    for k in range(s.enemies.shape[0]):
        for axis in range(2):
            place = np.int64(s.enemies[k, X + axis]) + np.int64(s.enemies[k, RIGHT + axis])
            s.enemies[k, X + axis] = min(max(place, HALF), most)


@kernel
def meet(s):
    """Eat the enemies that the agent touches, or be caught."""
    for k in range(s.enemies.shape[0]):
        if s.enemies[k, KIND] == ENEMY and abs(s.enemies[k, X] - s.x) < CELL and abs(s.enemies[k, Y] - s.y) < CELL:
            if s.edible > 0:
                clear(s, k)
            else:
                s.terminated[0] = 1


@kernel
def eat_power(s):
    """Eat the power orbs in reach; return their number."""
    count, size = np.int64(0), s.cells.shape[0]
    for y in range(max((s.y >> 4) - 1, 0), min((s.y >> 4) + 2, size)):
        for x in range(max((s.x >> 4) - 1, 0), min((s.x >> 4) + 2, size)):
            near = abs(CELL * x + HALF - s.x) <= REACH and abs(CELL * y + HALF - s.y) <= REACH
            if near and s.cells[np.uint64(y), np.uint64(x)] == POWER:
                s.cells[np.uint64(y), np.uint64(x)] = FREE
                s.edible = EDIBLE
                count += 1
    return count


@kernel
def own_cell(s):
    """The column and row of the agent's cell."""
    return s.x >> 4, (s.y - 1) >> 4


@kernel
def value(s, x, y, word):
    """How much an enemy wants to go to a cell; smaller is better. All cells are equal if the word is odd."""
    if word & 1:
        return np.int64(0)
    own_x, own_y = own_cell(s)
    distance = abs(x - own_x) + abs(y - own_y)
    return -distance if s.edible > 0 else distance


@kernel
def may_enter(s, k, direction):
    """Whether an enemy may go in a direction: to a free cell that it does not come from."""
    x, y = (s.enemies[k, X] >> 4) + NEAR_X[direction], (s.enemies[k, Y] >> 4) + NEAR_Y[direction]
    ahead = NEAR_X[direction] * s.enemies[k, RIGHT] + NEAR_Y[direction] * s.enemies[k, DOWN]
    return ahead >= 0 and not is_wall(s, x, y)


@kernel
def choose(s, k, word):
    """Let an enemy choose where to go; it turns back if there is no other way."""
    x, y = np.int64(s.enemies[k, X] >> 4), np.int64(s.enemies[k, Y] >> 4)
    best, count = np.int64(CELL * CELL), np.int64(0)
    for direction in range(4):
        if may_enter(s, k, direction):
            wish = value(s, x + NEAR_X[direction], y + NEAR_Y[direction], word)
            count = 1 if wish < best else count + (wish == best)
            best = min(best, wish)
    if count == 0:
        s.enemies[k, RIGHT], s.enemies[k, DOWN] = -s.enemies[k, RIGHT], -s.enemies[k, DOWN]
        return
    left = np.int64(word % count)
    speed = SPEED // 2 if s.edible > 0 else SPEED
    chosen = np.int64(0)
    for direction in range(4):
        if may_enter(s, k, direction) and value(s, x + NEAR_X[direction], y + NEAR_Y[direction], word) == best:
            if left == 0:
                chosen = np.int64(direction)
            left -= 1
    s.enemies[k, RIGHT], s.enemies[k, DOWN] = NEAR_X[chosen] * speed, NEAR_Y[chosen] * speed


@kernel
def guide(s, word):
    """Hatch eggs, and let enemies choose in the middle of cells; return the number of both."""
    count = np.int64(0)
    for k in range(s.enemies.shape[0]):
        count += np.int64(s.enemies[k, KIND] != NONE)
        if s.enemies[k, KIND] == EGG:
            s.enemies[k, TIMER] = max(s.enemies[k, TIMER] - 1, 0)
            if s.enemies[k, TIMER] == 0:
                s.enemies[k, KIND] = ENEMY
        elif s.enemies[k, KIND] == ENEMY:
            rests = s.enemies[k, RIGHT] == 0 and s.enemies[k, DOWN] == 0
            if rests or (s.enemies[k, X] % CELL == HALF and s.enemies[k, Y] % CELL == HALF):
                choose(s, k, word)
    return count


@kernel
def lay_new_egg(s, word):
    """Lay an egg in a random free cell in the place of the first enemy that is missing."""
    size, free = s.cells.shape[0], np.int64(0)
    for cell in range(s.cells.size):
        free += np.int64(s.cells.flat[cell] != WALL)
    left = np.int64(word % max(free, 1))
    k = np.int64(0)
    while s.enemies[np.uint64(k), KIND] != NONE:
        k += 1
    for y in range(size - 1, -1, -1):
        for x in range(size):
            if s.cells[y, x] != WALL:
                if left == 0:
                    lay_egg(s, np.uint64(k), x, y)
                left -= 1


@kernel
def step(s, actions, rewards):
    word = np.int64(randint(s, WORDS))
    s.edible = max(s.edible - 1, 0)
    move_enemies(s)
    move_agent(s, actions[0], word)
    meet(s)
    eaten = eat_power(s)
    if guide(s, word) < s.enemies.shape[0]:
        lay_new_egg(s, word)
    x, y = own_cell(s)
    if s.cells[np.uint64(y), np.uint64(x)] == ORB:
        s.cells[np.uint64(y), np.uint64(x)] = FREE
        s.left -= 1
        eaten += 1
    rewards[0] = 0.04 * eaten
    if s.left == 0:
        rewards[0] += 10.0
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    for y in range(s.cells.shape[0]):
        for x in range(s.cells.shape[1]):
            out.map[y, x] = s.cells[y, x]
    out.agent[0], out.agent[1], out.agent[2], out.agent[3] = s.x, s.y, s.right, s.down
    for k in range(s.enemies.shape[0]):
        for column in range(s.enemies.shape[1]):
            out.enemies[k, column] = s.enemies[k, column]
    out.edible[0] = s.edible


PAGE = Page(
    role="You run through a maze and eat orbs while enemies chase you.",
    goal=(
        "Each orb and each power orb pays 0.04 points. The last orb pays 10 points more and ends the game; power orbs "
        "may be left."
    ),
    rules=(
        "The maze has {size} x {size} cells, and you and the enemies are as large as a cell. You move half a cell in a "
        "step and keep going: an action sets your direction left or right, up or down, or both, and a direction that "
        "you had along the other axis stays. With both you try to move along both; `up` and `down` are tried first if "
        "you have just chosen one of them, otherwise `left` and `right` if you have just chosen one of these, and with "
        "`noop` the order is random. A direction that walls block for a whole step is dropped.",
        "In each step the enemies move first and then you. An enemy that overlaps you catches you, and the game is "
        "over. You eat an orb when you are in its cell; halfway between cells you are in the right or the upper "
        "one. You eat a power orb as soon as you overlap its cell.",
        (
            "For {edible:step} after you have eaten a power orb, you eat the enemies that would catch you; that pays "
            "nothing."
        ),
        (
            "The number of enemies is always {enemies}. All begin as eggs, which do nothing and hatch {hatch} steps "
            "after they were laid. In the place of an enemy that was eaten a new egg is laid, in a random free cell."
        ),
        "An enemy moves from cell to cell, half a cell in a step, or a quarter if you could eat it when it started; it "
        "turns back only in a dead end. In the middle of a cell it chooses where to go: at random with a chance of one "
        "half, otherwise to the next cell that is nearest to you as if there were no walls, or farthest from you while "
        "you can eat it.",
    ),
    sees="You see the whole maze, where everything is and how it moves.",
    acts={
        ("left", "right", "up", "down"): "set one direction",
        ("left up", "left down", "right up", "right down"): "set both directions",
        "noop": "keep your directions",
    },
    ends="The game is over when you are caught, when no orb is left, or after {horizon:step}.",
    unsaid={"extra": "the maze shows the power orbs"},
    constants={
        "0.04": "an orb",
        "10": "the last orb",
        "half": "of a cell in a step; the chance of a random choice",
        "quarter": "of a cell in a step",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"edible": EDIBLE - 1, "hatch": HATCH}


class Chaser(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE
    page_slots = page_slots
    information = "perfect"
    masked = False
    kind = ("arcade",)
    verified = "games and levels recorded from Procgen, step by step and cell by cell"
    variants = (dict(size=7, enemies=2, extra=1, horizon=150),)
    shown = "collector"
    keys = procgen.KEYS
    clickable = "(?!)"
    level_fields = {"map": ("map", LEGEND)}

    def __init__(
        self,
        size: Annotated[int, Between(SMALLEST, LARGEST)] = 11,
        enemies: Annotated[int, Between(1, MOST)] = 3,
        extra: Annotated[int, Between(-1, 1)] = 0,
        horizon: Annotated[int, Between(1, 1_000_000)] = 1000,
    ):
        if size % 2 == 0:
            raise ParameterError(f"Chaser: size={size} must be odd")
        most = CELL * size - HALF
        low = np.tile(np.array([NONE, HALF, HALF, -SPEED, -SPEED, 0], np.int16), (enemies, 1))
        high = np.tile(np.array([ENEMY, most, most, SPEED, SPEED, HATCH], np.int16), (enemies, 1))
        own = np.array([HALF, HALF, -1, -1], np.int16), np.array([most, most, 1, 1], np.int16)
        self.define(
            agents=["agent"],
            actions=NAMES,
            observation=Dict({
                "map": Box(0, POWER, (size, size), np.uint8),
                "agent": Box(*own, (4,), np.int16),
                "enemies": Box(low, high, (enemies, 6), np.int16),
                "edible": Box(0, EDIBLE, (1,), np.int16),
            }),
            fields=fields(size, enemies),
            params={"extra": limited(extra, -1, 1), "horizon": horizon},
            reward_range=(0.0, 10.2),
        )  # fmt: skip

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        procgen.need_one(s.map, [START], "agent", self.id)
        if (eggs := np.count_nonzero(s.map == EGG_START)) > len(s.enemies):
            raise LevelError(f"{self.id}: the level's map has {eggs} eggs; `enemies` allows {len(s.enemies)}")

    def contradiction(self, s: Any) -> str | None:
        if np.count_nonzero(s.map == START) != 1:
            return "map must show one agent"
        if s.left != np.count_nonzero(s.cells == ORB):
            return "left does not count the orbs"
        if not fits(s, int(s.x), int(s.y)):
            return "the agent is in a wall"
        if not all(is_on_its_way(s, *row[:5]) for row in np.asarray(s.enemies).tolist() if row[KIND] != NONE):
            return "an enemy is not in the middle of a cell, or on its way from there to a free one"
        return None

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        rows = [[LEGEND[code] for code in row] for row in seen["map"].tolist()]
        edible = int(seen["edible"][0])
        lines = ["The maze, with columns and rows from 1 at the top left:"]
        others = []
        for kind, x, y, right, down, timer in seen["enemies"].tolist():
            if kind != NONE:
                rows[y >> 4][x >> 4] = "e" if kind == EGG else "m" if edible else "M"
                state = f"egg that hatches in {timer} steps" if kind == EGG else f"enemy, {heading(right, down)}"
                others.append(f"{place(x, y)}: {state}")
        x, y, right, down = seen["agent"].tolist()
        rows[y - 1 >> 4][x >> 4] = "@"
        lines += [f"{k + 1:2} {' '.join(row)}" for k, row in enumerate(rows)]
        lines.append("# wall, . orb, o power orb, _ free, e egg, M enemy, m enemy that you can eat, @ you.")
        lines.append(f"You are at {place(x, y)}, {heading(right, down)}.")
        lines += others
        if edible:
            lines.append(f"You can eat enemies for {edible - 1} more steps.")
        lines.append(f"Orbs left: {(seen['map'] == ORB).sum()}. Steps so far: {s.t} of {s.params.horizon}.")
        if s.terminated[0]:
            lines.append("You have eaten all orbs." if s.left == 0 else "An enemy has caught you.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        codes = np.asarray(s.cells)
        side = len(codes)
        scene = Scene(side, side)
        scene.add(Rect(0, 0, side, side, "shadow"), *grids.wall_shapes((codes == WALL).tolist(), "deep"))
        for y, x in np.argwhere(codes >= ORB).tolist():
            large = codes[y, x] == POWER
            radius, color = (0.3, "gold") if large else (0.13, "beam")
            scene.add(Circle(x + 0.5, y + 0.5, radius, color, glyph=LEGEND[codes[y, x]]))
        for row in np.asarray(s.enemies).tolist():
            scene.add(*enemy_shapes(row, int(s.edible)))
        own_x, own_y = int(s.x) / CELL, int(s.y) / CELL
        caught = bool(s.terminated[0]) and s.left > 0
        scene.add(Circle(own_x, own_y, 0.42, "muted" if caught else "orange", "white", 0.08, glyph="@"))
        scene.add(Circle(own_x + 0.2 * int(s.right), own_y + 0.2 * int(s.down), 0.1, "black", glyph=""))
        footer(scene, f"{s.t} / {s.params.horizon}", f"{s.left} left" + (f", {s.edible} to eat" if s.edible else ""))
        return scene


def is_on_its_way(s: Any, kind: int, x: int, y: int, right: int, down: int) -> bool:
    """Whether an egg or an enemy is where the rules lead it: on the line between the middles of two free cells."""
    speed = abs(right) + abs(down)
    if (right and down) or speed not in (0, SPEED // 2, SPEED) or (kind == EGG and speed):
        return False
    off_x, off_y = (x - HALF) % CELL, (y - HALF) % CELL
    along, across = (off_y, off_x) if down else (off_x, off_y)
    ahead_x, ahead_y = ((at + HALF * (v > 0) - (HALF + 1) * (v < 0)) >> 4 for at, v in ((x, right), (y, down)))
    if across or along % speed if speed else off_x or off_y:
        return False
    return fits(s, x, y) and not is_wall(s, ahead_x, ahead_y)


def place(x: int, y: int) -> str:
    """A place in words."""
    return f"column {(x - HALF) / CELL + 1:g}, row {(y - HALF) / CELL + 1:g}"


def heading(right: int, down: int) -> str:
    """A speed in words."""
    parts = [name for name, speed in (("left", -right), ("right", right), ("up", -down), ("down", down)) if speed > 0]
    return f"moving {' and '.join(parts)}" if parts else "at rest"


def enemy_shapes(row: list[int], edible: int) -> list[Shape]:
    """An egg or an enemy; one that can be eaten is pale."""
    x, y = row[X] / CELL, row[Y] / CELL
    if row[KIND] == NONE:
        return []
    if row[KIND] == EGG:
        return [Circle(x, y, 0.36, "white", "grey", 0.06, glyph="e"), Circle(x + 0.1, y - 0.08, 0.07, "grey", glyph="")]
    body = [(x - 0.42, y + 0.42), (x - 0.42, y - 0.1), (x - 0.2, y - 0.42), (x + 0.2, y - 0.42), (x + 0.42, y - 0.1)]
    eyes = [Circle(x + side, y - 0.08, 0.1, "white", glyph="") for side in (-0.17, 0.17)]
    fill, letter = ("sky", "m") if edible else ("red", "M")
    return [Polygon([*body, (x + 0.42, y + 0.42), (x, y + 0.24)], fill, glyph=letter), *eyes]


env, raw_env, parallel_env = pettingzoo_forms(Chaser)
