"""Heist: steal the gem from a maze with up to three locked doors, each with its own key.

**Rules.** A square of `size` x `size` cells holds a maze with walls, doors, keys and a gem. The agent moves to
neighboring cells. It takes the key or the gem in a cell that it enters. A door of a color blocks it until it has the
key of this color; the door then opens when the agent enters its cell, and stays open. A move into a wall, a locked door
or out of the square takes time but changes nothing else.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| `map` | Box (size, size) uint8 | codes of the cells; row 0 is the top row |
| `keys` | Box (3,) uint8 | 1 for each key that the agent has |

If `view` is not 0, `map` is Box (view, view) uint8 with the cells around the agent.

| code | cell |
|---|---|
| 0 | wall, or outside of the square |
| 1 | free |
| 2, 3, 4 | door A, B, C |
| 5, 6, 7 | key a, b, c |
| 8 | the gem |
| 9 | the agent |

**Actions.** Discrete (5), all of them always legal.

| action | name |
|---|---|
| 0 | `noop` |
| 1 | `left` |
| 2 | `right` |
| 3 | `up` |
| 4 | `down` |

**Window.** The arrow keys move the agent; the key `.` waits. A click on a cell beside the agent moves it there.

**Rewards.** 10 for the gem, 0 otherwise.

**Ends.** Terminates with the gem; truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 9 | side of the square, odd, from 5 to 23 |
| `doors` | "graded" | "graded": larger mazes have more doors; "any": 0 to 3 doors in every maze |
| `view` | 0 | side of the agent's view, odd, from 3 to 25; 0: the whole square |
| `horizon` | 1000 | actions until truncation, from 1 to 1,000,000 |

The side of a maze is 5 + 2 d, where d is random, from 0 to as much as fits; so is the place of the maze. "graded" wants
d or d + 1 doors, at most 3; "any" wants 0 to 3. A maze with fewer junctions has fewer doors. Procgen's modes easy and
hard have the sizes 9 and 13. Its mode memory has the size 23, doors "any", and a view of 8 cells, which is not odd
here.

**Level.** ``{"map": ["@.A.G", "a####", "#####", "#####", "#####"]}``: rows of walls `#`, free cells `.`, doors `A` to
`C`, keys `a` to `c`, the gem `G` and the agent `@`. There is at most one key of each color.

**Known values.** All generated levels can be solved. In 1,000 levels of Procgen, 176, 300, 362 and 162 had 0 to 3 doors
in the mode easy, and 101, 215, 198 and 486 in the mode hard. The shortest ways had 19.09 moves on average in easy, at
most 71, and 32.24 in hard, at most 134.

**Differences.** From Procgen's game `heist`:

- There, the agent has a place and a speed, which are continuous. Here it steps from cell to cell.
- The observation has codes; there it is a picture.
- Of the 15 actions, those that are no move along one axis are left out.
- The episode is truncated after 1,000 steps; there it terminates.

**Source.** Cobbe et al., "Leveraging Procedural Generation to Benchmark Reinforcement Learning", ICML 2020;
openai/procgen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, When
from envsuite.core.random import randint
from envsuite.core.ranges import below, flag, limited, within
from envsuite.core.world import Between, Kernels
from envsuite.generators import grids
from envsuite.kit import avatars, procgen
from envsuite.kit.procgen import DX, DY
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, Shape, footer, key

#: The codes of cells; doors and keys have one for each color.
WALL, FREE, DOOR, KEY, GEM, AGENT = 0, 1, 2, 5, 8, 9
LEGEND = "#.ABCabcG@"
#: While a level is made: a door that has no color yet.
PLAIN = 10
COLORS = 3
PAINT = ("blue", "red", "gold")
SMALLEST, LARGEST = 5, 23

# While doors and keys are placed, `map` marks cells that have been reached: earlier, for this key, in this round of a
# search, in the next round.
_NEW, _OLD, _OURS, _ROUND, _NEXT = range(5)


def fields(size: int, border: int) -> list[tuple]:
    """The record."""
    side = size + 2 * border
    return [
        ("map", below(np.uint8, AGENT + 1), (size, size)),  # codes at the start
        ("cells", within(np.uint8, 0, np.pad(np.full((size, size), AGENT), border)), (side, side)),  # walls around them
        ("x", within(np.int64, border, border + size - 1)),  # of the agent, in `cells`
        ("y", within(np.int64, border, border + size - 1)),
        ("keys", flag(), (COLORS,)),  # that the agent has
        *procgen.maze_fields(size),
    ]


# A maze is made in `cells` from row 1 and column 1 on, upside down, with walls around it.


@kernel
def code_at(s, cell, side):
    """The code of a cell of the maze."""
    return np.int64(s.cells[np.uint64(cell // side + 1), np.uint64(cell % side + 1)])


@kernel
def paint(s, cell, side, code):
    """Change a cell of the maze."""
    s.cells[np.uint64(cell // side + 1), np.uint64(cell % side + 1)] = code


@kernel
def mark_at(s, cell):
    """Whether a cell of the maze has been reached, and how."""
    return np.int64(s.map.flat[np.uint64(cell)])


@kernel
def mark(s, cell, how):
    """Mark a cell of the maze."""
    s.map.flat[np.uint64(cell)] = how


@kernel
def beside(cell, direction, side):
    """The neighbor of a cell to the left, below, above or to the right, or -1 outside of the maze."""
    x, y = cell % side + (direction == 3) - (direction == 0), cell // side + (direction == 2) - (direction == 1)
    return np.int64(y * side + x) if 0 <= x < side and 0 <= y < side else np.int64(-1)


@kernel
def count_beside(s, cell, side, code):
    """The number of neighbors with a code."""
    count = np.int64(0)
    for direction in range(4):
        near = beside(cell, direction, side)
        count += np.int64(near >= 0 and code_at(s, near, side) == code)
    return count


@kernel
def carve(s, side):
    """Make a maze without doors."""
    fill(s.cells, WALL)
    count = procgen.kruskal(s, s.parent, s.queue, side)
    for k in range(count):
        paint(s, np.int64(s.queue[np.uint64(procgen.walls_in(side) + k)]), side, FREE)


@kernel
def list_free(s, side, least):
    """Fill the queue with the free cells that have at least this many free neighbors; return their number."""
    count = np.int64(0)
    for cell in range(side * side):
        if code_at(s, cell, side) == FREE and count_beside(s, cell, side, FREE) >= least:
            count = procgen.append(s.queue, count, cell)
    return count


@kernel
def lock(s, side, wanted):
    """Put doors on random junctions, or on all of them if there are not enough; return their number."""
    count = list_free(s, side, 3)
    doors = min(wanted, count)
    for _ in range(doors):
        chosen = np.int64(randint(s, count)) if wanted <= count else np.int64(0)
        count -= 1
        wanted -= 1
        paint(s, np.int64(s.queue[np.uint64(chosen)]), side, PLAIN)
        for k in range(chosen, count):
            s.queue[np.uint64(k)] = s.queue[np.uint64(k + 1)]
    return doors


@kernel
def place_agent(s, side):
    """Put the agent on a random free cell without a door beside it; return the cell."""
    count = list_free(s, side, 0)
    while True:
        cell = np.int64(s.queue[np.uint64(randint(s, count))])
        if count_beside(s, cell, side, PLAIN) == 0:
            paint(s, cell, side, AGENT)
            return cell


@kernel
def reach(s, cell, side):
    """Mark the free neighbors of a cell for the next round; return the door beside it, or -1.

    There is one at most: doors are in rooms, and a passage has two neighbors, by one of which it was reached.
    """
    door = np.int64(-1)
    for direction in range(4):
        near = beside(cell, direction, side)
        if near >= 0 and code_at(s, near, side) == PLAIN:
            door = near
        if near >= 0 and code_at(s, near, side) == FREE and mark_at(s, near) == _NEW:
            mark(s, near, _NEXT)
    return door


@kernel
def find_door(s, side):
    """Search in rounds from the cells that were reached earlier; return the first door, or -1 if there is none."""
    now, going = _OLD, True
    while going:
        for cell in range(side * side):
            if mark_at(s, cell) == now:
                door = reach(s, np.int64(cell), side)
                if door >= 0:
                    return door
        now, going = _ROUND, False
        for cell in range(side * side):
            if mark_at(s, cell) == _ROUND:
                mark(s, cell, _OURS)
            elif mark_at(s, cell) == _NEXT:
                mark(s, cell, _ROUND)
                going = True
    return np.int64(-1)


@kernel
def spread(s, side):
    """Mark all free cells that can be reached; count those that were not reached for an earlier key."""
    going = True
    while going:
        going, count = False, np.int64(0)
        for cell in range(side * side):
            how = mark_at(s, cell)
            if how == _NEW and code_at(s, cell, side) == FREE:
                for direction in range(4):
                    near = beside(cell, direction, side)
                    if near >= 0 and mark_at(s, near) != _NEW:
                        how = _OURS
                if how == _OURS:
                    mark(s, cell, _OURS)
                    going = True
            count += np.int64(how >= _OURS)
    return count


@kernel
def hide(s, side, count, code):
    """Put a key or the gem on a random one of the cells that were reached now."""
    left = np.int64(randint(s, count))
    for cell in range(side * side):
        if mark_at(s, cell) >= _OURS:
            if left == 0:
                paint(s, cell, side, code)
            left -= 1
            mark(s, cell, _OLD)


@kernel
def move_maze(s, side):
    """Draw the place of the maze in the square, and copy it there from `cells`."""
    size = s.map.shape[0]
    off_x, off_y = np.int64(randint(s, size - side + 1)), np.int64(randint(s, size - side + 1))
    for y in range(size):
        for x in range(size):
            s.map[y, x] = WALL
    for cell in range(side * side):
        y, x = size - 1 - (off_y + cell // side), off_x + cell % side
        s.map[np.uint64(y), np.uint64(x)] = code_at(s, cell, side)


@large_kernel
def make(s):
    """A new level."""
    grade = np.int64(randint(s, (s.map.shape[0] - SMALLEST) // 2 + 1))
    wanted = np.int64(randint(s, 4)) if s.params.any_doors else min(grade + randint(s, 2), COLORS)
    side = 2 * grade + SMALLEST
    carve(s, side)
    fill(s.map, _NEW)
    doors = lock(s, side, wanted)
    mark(s, place_agent(s, side), _OLD)
    for color in range(doors + 1):
        door = find_door(s, side) if color < doors else np.int64(-1)
        if door >= 0:
            paint(s, door, side, DOOR + color)
        hide(s, side, spread(s, side), KEY + color if color < doors else GEM)
        if door >= 0:
            mark(s, door, _OLD)
    move_maze(s, side)
    procgen.tidy(s.parent, s.queue)


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    procgen.lay(s, WALL)
    fill(s.keys, 0)
    for y in range(s.cells.shape[0]):
        for x in range(s.cells.shape[1]):
            if s.cells[y, x] == AGENT:
                s.y, s.x = y, x


@kernel
def step(s, actions, rewards):
    move = actions[0]
    y, x = s.y + DY[move], s.x + DX[move]
    code = np.int64(s.cells[np.uint64(y), np.uint64(x)])
    blocked = code == WALL
    if DOOR <= code < KEY:
        blocked = s.keys[np.uint64(code - DOOR)] == 0
    elif KEY <= code < GEM:
        s.keys[np.uint64(code - KEY)] = 1
    if not blocked:
        s.cells[np.uint64(s.y), np.uint64(s.x)] = FREE
        s.cells[np.uint64(y), np.uint64(x)] = AGENT
        s.y, s.x = y, x
    if code == GEM:
        rewards[0] = 10.0
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    procgen.show(s, out.map)
    for color in range(COLORS):
        out.keys[color] = s.keys[color]


PAGE = Page(
    role="You are a thief in a maze and want to steal a gem.",
    goal="The gem pays 10 points; nothing else pays.",
    rules=(
        "The maze lies in a square of {size} x {size} cells. Some of its cells may be locked doors of the colors A, B "
        "and C, and for each door there is a key of its color: a, b or c.",
        "You move from cell to cell. You take the key or the gem of a cell that you enter, and you keep all keys. You "
        "can enter the cell of a door only with the key of its color; then the door is gone. A move against a wall or "
        "a locked door, or out of the square, has no effect.",
    ),
    sees=(procgen.SIGHT, When("view", "Cells outside the square look like walls."), "You see which keys you have."),
    acts={("left", "right", "up", "down"): "move by one cell", "noop": "stay where you are"},
    ends="The game is over when you have the gem, or after {horizon:step}.",
    unsaid={"doors": "how many doors there are is for the player to see"},
    constants={"10": "the gem"},
)


class Heist(procgen.Viewed):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE
    paid_at_end = True
    kind = ("arcade", "puzzles")
    verified = "levels recorded from Procgen, cell by cell; shortest ways"
    variants = (dict(size=13, view=5, doors="any", horizon=80),)
    level_fields = {"map": ("map", LEGEND)}

    def __init__(
        self,
        size: Annotated[int, Between(SMALLEST, LARGEST)] = 9,
        doors: Literal["graded", "any"] = "graded",
        view: Annotated[int, Between(0, 25)] = 0,
        horizon: Annotated[int, Between(1, 1_000_000)] = 1000,
    ):
        if size % 2 == 0:
            raise ParameterError(f"Heist: size={size} must be odd")
        keys = {"keys": Box(0, 1, (COLORS,), np.uint8)}
        params = {"any_doors": limited(int(doors == "any"), 0, 1), "horizon": horizon}
        self.define_map(size, view, AGENT, fields, keys, **params)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        procgen.need_one(s.map, [AGENT], "agent", self.id)
        procgen.need_one(s.map, [GEM], "gem", self.id)
        for color in range(COLORS):
            if np.count_nonzero(s.map == KEY + color) > 1:
                raise LevelError(f"{self.id}: the level's map has more than one key {LEGEND[KEY + color]!r}")

    def contradiction(self, s: Any) -> str | None:
        if s.cells[s.y, s.x] != AGENT or np.count_nonzero(s.cells == AGENT) != 1:
            return "the agent is not where the cells show it"
        if np.count_nonzero(s.map == AGENT) != 1:
            return "map must show one agent"
        if np.count_nonzero(s.cells == GEM) != 1 - s.terminated[0]:
            return "the gem is there until it is taken"
        return None

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        lines = ["The maze:" if procgen.is_whole(s, seen["map"]) else "What you see around you:"]
        lines += ["  " + " ".join(row) for row in avatars.write_map(seen["map"], LEGEND)]
        lines.append("# wall, . free, A B C doors, a b c their keys, G gem, @ you.")
        has = [LEGEND[KEY + color] for color in range(COLORS) if seen["keys"][color]]
        lines.append(f"Your keys: {', '.join(has) or 'none'}. Steps so far: {s.t} of {s.params.horizon}.")
        if s.terminated[0]:
            lines.append("You have the gem.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        whole, border = np.asarray(s.cells), procgen.margin(s)
        codes = whole[border:-border, border:-border] if agent is None else self.observation(s, agent)["map"]
        side = len(codes)
        scene = Scene(side, side)
        scene.add(Rect(0, 0, side, side, "floor"), *grids.wall_shapes((codes == WALL).tolist()))
        for y, x in np.argwhere(codes > FREE).tolist():
            scene.add(*shapes(int(codes[y, x]), x, y))
        if agent is None and border > 1:
            scene.add(procgen.frame(s, "orange"))
        y = footer(scene, f"{s.t} / {s.params.horizon}")
        for color in np.flatnonzero(s.keys).tolist():
            scene.add(*key(side - (3 - color) * side / 14, y, PAINT[color], side / 22))
        return scene


def shapes(code: int, x: float, y: float) -> list[Shape]:
    """What is in a cell, the square from (x, y)."""
    if code == AGENT:
        return [Circle(x + 0.5, y + 0.5, 0.36, "orange", "white", 0.08, glyph="@")]
    if code == GEM:
        corners = [(x + 0.5, y + 0.12), (x + 0.86, y + 0.45), (x + 0.5, y + 0.88), (x + 0.14, y + 0.45)]
        half = [corners[0], corners[1], (x + 0.5, y + 0.45)]
        return [Polygon(corners, "green", glyph="G"), Polygon(half, "white@0.5", glyph="")]
    if code >= KEY:
        return list(key(x + 0.5, y + 0.5, PAINT[code - KEY]))
    return [
        Rect(x + 0.06, y + 0.06, 0.88, 0.88, PAINT[code - DOOR], radius=0.1, glyph=LEGEND[code]),
        Circle(x + 0.5, y + 0.4, 0.13, "black", glyph=""),
        Line([(x + 0.5, y + 0.4), (x + 0.5, y + 0.74)], "black", 0.12),
    ]


env, raw_env, parallel_env = pettingzoo_forms(Heist)
