"""Miner: dig for all diamonds without being hit by a falling rock, and leave by the exit.

**Rules.** A mine of `size` x `size` cells holds dirt, boulders, diamonds and an exit; it is surrounded by rock. At the
start, every cell without one of these holds dirt, except the agent's and the exit's. In each step:

1. The agent moves to a neighboring cell, unless there is a boulder or rock.
2. If the agent is at the exit and no diamond was left at the end of the last step, it has won.
3. If a resting boulder blocks a move to the left or right, and the cell behind it is empty, the agent pushes the
   boulder there and follows.
4. The agent takes a resting diamond that is in its cell, and digs away dirt.
5. Boulders and diamonds fall or roll, one after another: from the bottom row to the top row, each from left to right.

In 5, the first of these rules that applies decides what a boulder or a diamond does:

- The cell below is empty: it falls by one cell, and is falling now.
- It is falling, and the agent is below: the agent is dead.
- A boulder or a diamond is below, and the cells to the left and below left are empty: it rolls to the left, and rests.
- The same is true to the right: it rolls to the right, and rests. As the next in the row, it may fall at once.
- Otherwise, it rests.

A cell with the agent is not empty. A falling diamond does not block a move; the agent cannot take it before it rests.

**Agents.** One, `agent`.

**Observation.** Box (size, size) uint8 with the codes of the cells; row 0 is the top row. If `view` is not 0, Box
(view, view) uint8 with the cells around the agent. A code is the sum of the following:

| code | cell |
|---|---|
| 0 | empty |
| 1 | dirt |
| 2 | boulder |
| 3 | diamond |
| 4 | falling boulder |
| 5 | falling diamond |
| 6 | rock, outside of the mine |
| + 8 | the exit is there |
| + 16 | the agent is there |

**Actions.** Discrete (5), all of them always legal.

| action | name |
|---|---|
| 0 | `noop` |
| 1 | `left` |
| 2 | `right` |
| 3 | `up` |
| 4 | `down` |

**Window.** The arrow keys move the agent; the key `.` waits. A click on a cell beside the agent moves it there.

**Rewards.** 1 for each diamond, 10 for winning, 0 otherwise.

**Ends.** Terminates when the agent wins or dies; truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 10 | side of the mine, from 5 to 35 |
| `view` | 0 | side of the agent's view, odd, from 3 to 25; 0: the whole mine |
| `horizon` | 1000 | actions until truncation, from 1 to 1,000,000 |

Procgen's modes easy and hard have the sizes 10 and 20; its mode memory has the size 35 and a view of 8 cells, which is
not odd here.

**Level.** ``{"map": ["*:o::", ":o@::", "::::*", ":oo:E", ":::::"]}``: rows of empty cells `.`, dirt `:`, boulders `o`,
diamonds `*`, the exit `E` and the agent `@`, or `&` for both in one cell.

**Known values.** A generated mine of n cells has 0.03 n diamonds and at first 0.2 n boulders, both rounded down.
Boulders in the 3 x 3 cells around the agent are removed. The best return is 10 plus the number of diamonds. Not every
mine can be solved. In Procgen, random play of its 15 actions, 7 of which wait, earned 1.25 +- 0.11 in the mode easy and
1.11 +- 0.06 in the mode hard.

**Differences.** From Procgen's game `miner`:

- There, the count of diamonds in the first step is 0, or that of the last episode's end. An agent that is at the exit
  in the first step can thus win at once. Here it must take the diamonds.
- The observation has codes, which also show what is falling; there it is a picture.
- Of the 15 actions, those that are no move or repeat one are left out.
- The episode is truncated after 1,000 steps; there it terminates.

**Source.** Cobbe et al., "Leveraging Procedural Generation to Benchmark Reinforcement Learning", ICML 2020;
openai/procgen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import exact_parts, read_letters, write_letters
from envsuite.core.page import Page
from envsuite.core.random import randint
from envsuite.core.ranges import flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import procgen
from envsuite.kit.procgen import DX, DY, LEFT, RIGHT
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, Shape, footer

EMPTY, DIRT, BOULDER, DIAMOND, FALLING_BOULDER, FALLING_DIAMOND, ROCK = range(7)
#: From a code of a thing at rest to that of one that falls.
FALLING = FALLING_BOULDER - BOULDER
#: Bits of a code: what is in the cell, the exit, the agent.
THING, EXIT, AGENT = 7, 8, 16
LARGEST = 35

#: The letters of a level, and their codes; and those of texts, by thing.
LEGEND = ".:o*E@&"
CODES = np.array([EMPTY, DIRT, BOULDER, DIAMOND, EXIT, AGENT, EXIT | AGENT], np.uint8)
LETTERS = ".:o*O+#"


def fields(size: int, border: int) -> list[tuple]:
    """The record."""
    side = size + 2 * border
    inside = np.pad(np.full((size, size), THING | EXIT | AGENT), border, constant_values=ROCK)
    rock = np.pad(np.zeros((size, size), np.int64), border, constant_values=ROCK)
    return [
        ("map", within(np.uint8, 0, EXIT | AGENT), (size, size)),  # codes at the start
        ("cells", within(np.uint8, rock, inside), (side, side)),  # codes, rock around them
        ("x", within(np.int64, border, border + size - 1)),  # of the agent, in `cells`
        ("y", within(np.int64, border, border + size - 1)),
        ("left", within(np.int64, 0, size * size)),  # diamonds
        ("won", flag()),
    ]


@kernel
def thing(cells, y, x):
    """What is in a cell; unsigned indices avoid code for negative ones."""
    return np.int64(cells[np.uint64(y), np.uint64(x)] & THING)


@kernel
def put(cells, y, x, what):
    """Change what is in a cell."""
    cells[np.uint64(y), np.uint64(x)] = cells[np.uint64(y), np.uint64(x)] & (EXIT | AGENT) | what


@kernel
def is_free(cells, y, x):
    """Whether a cell is empty, without the agent."""
    return cells[np.uint64(y), np.uint64(x)] & (THING | AGENT) == 0


@kernel
def settle(cells, y, x):
    """Let a boulder or a diamond fall, roll or rest; whether it kills the agent."""
    what = thing(cells, y, x)
    falls = what >= FALLING_BOULDER
    at_rest = what - FALLING if falls else what
    if is_free(cells, y + 1, x):
        put(cells, y, x, EMPTY)
        put(cells, y + 1, x, at_rest + FALLING)
        return False
    if falls and cells[np.uint64(y + 1), np.uint64(x)] & AGENT:
        return True
    put(cells, y, x, at_rest)
    if BOULDER <= thing(cells, y + 1, x) <= FALLING_DIAMOND:
        for side in range(-1, 2, 2):
            if is_free(cells, y, x + side) and is_free(cells, y + 1, x + side):
                put(cells, y, x, EMPTY)
                put(cells, y, x + side, at_rest)
                return False
    return False


@large_kernel
def fall(cells, border, size):
    """Let all boulders and diamonds fall or roll; whether the agent is dead."""
    dead = False
    for y in range(border + size - 1, border - 1, -1):
        for x in range(border, border + size):
            if BOULDER <= thing(cells, y, x) <= FALLING_DIAMOND and settle(cells, y, x):
                dead = True
    return dead


@kernel
def is_blocked(what):
    """Whether a thing blocks the agent's move."""
    return what == BOULDER or what == FALLING_BOULDER or what == ROCK


@kernel
def walk(cells, y, x, move):
    """Move the agent; return its row and column, and whether it pushed a boulder."""
    to_y, to_x = y + DY[move], x + DX[move]
    ahead, pushes = thing(cells, to_y, to_x), False
    if move == LEFT or move == RIGHT:
        pushes = ahead == BOULDER and thing(cells, to_y, to_x + DX[move]) == EMPTY
    if pushes:
        put(cells, to_y, to_x, EMPTY)
        put(cells, to_y, to_x + DX[move], BOULDER)
    elif is_blocked(ahead):
        return y, x, False
    cells[np.uint64(y), np.uint64(x)] &= THING | EXIT
    cells[np.uint64(to_y), np.uint64(to_x)] |= AGENT
    return to_y, to_x, pushes


@kernel
def dig(cells, y, x):
    """Dig away dirt or take a resting diamond in a cell; return what was there."""
    here = thing(cells, y, x)
    if here == DIAMOND or here == DIRT:
        put(cells, y, x, EMPTY)
    return here


@kernel
def number_of(s, index):
    """The row and column of a number that counts the cells from the bottom row on."""
    size = s.map.shape[0]
    return np.uint64(size - 1 - index // size), np.uint64(index % size)


@kernel
def draw_dirt(s):
    """The number of a random cell with dirt."""
    while True:
        index = np.int64(randint(s, s.map.size))
        y, x = number_of(s, index)
        if s.map[y, x] == DIRT:
            return index


@kernel
def is_near(s, index, agent):
    """Whether a cell is among the 3 x 3 cells around the agent's."""
    size = s.map.shape[0]
    return abs(index % size - agent % size) <= 1 and abs(index // size - agent // size) <= 1


@kernel
def may_exit(s, index, agent):
    """Whether the exit may be in a cell: one with dirt or the agent, below dirt or the rock around the mine."""
    y, x = number_of(s, index)
    if s.map[y, x] != DIRT and index != agent:
        return False
    if y == 0:
        return True
    above = s.map[np.uint64(y - np.uint64(1)), x]
    return above == DIRT or (above == BOULDER and is_near(s, index + s.map.shape[0], agent))


@large_kernel
def make(s):
    """A new mine."""
    cells = s.map.size
    fill(s.map, DIRT)
    agent = draw_dirt(s)
    y, x = number_of(s, agent)
    s.map[y, x] = AGENT
    diamonds = 3 * cells // 100
    for k in range(diamonds + cells // 5):
        y, x = number_of(s, draw_dirt(s))
        s.map[y, x] = DIAMOND if k < diamonds else BOULDER
    count = 0
    for index in range(cells):
        count += may_exit(s, index, agent)
    left = np.int64(randint(s, count))
    for index in range(cells):
        if may_exit(s, index, agent):
            if left == 0:
                y, x = number_of(s, index)
            left -= 1
    s.map[y, x] = s.map[y, x] & AGENT | EXIT
    for index in range(cells):
        y, x = number_of(s, index)
        if s.map[y, x] == BOULDER and is_near(s, index, agent):
            s.map[y, x] = DIRT


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    procgen.lay(s, ROCK)
    s.left = s.won = 0
    for y in range(s.cells.shape[0]):
        for x in range(s.cells.shape[1]):
            s.left += np.int64(s.cells[y, x] == DIAMOND)
            if s.cells[y, x] & AGENT:
                s.y, s.x = y, x


@kernel
def step(s, actions, rewards):
    y, x, pushes = walk(s.cells, s.y, s.x, actions[0])
    at_y, at_x = (s.y, s.x) if pushes else (y, x)
    if s.left == 0 and s.cells[np.uint64(at_y), np.uint64(at_x)] & EXIT:
        rewards[0] = 10.0
        s.won = s.terminated[0] = 1
    s.y, s.x = y, x
    if dig(s.cells, y, x) == DIAMOND:
        rewards[0] += 1.0
        s.left -= 1
    if fall(s.cells, procgen.margin(s), s.map.shape[0]):
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    procgen.show(s, out)


PAGE = Page(
    role="You dig through a mine for diamonds and leave it by the exit.",
    goal="Each diamond pays 1 point. Leaving by the exit, possible once you have all diamonds, pays 10 points more.",
    rules=(
        "The mine has {size} x {size} cells with rock all around. A cell is empty or holds dirt, a boulder or a "
        "diamond. In each step you move first, then boulders and diamonds fall.",
        "You dig away dirt and take a diamond when you enter its cell. Rock and boulders block you. You push a boulder "
        "that lies still if you move against it from the left or right and the cell behind it is empty. You can enter "
        "the cell of a falling diamond, but take it only when it lies still.",
        "Boulders and diamonds fall or roll one after another, from the bottom row to the top row and from left to "
        "right in a row. Over an empty cell, they fall by one cell. Over a boulder or a diamond, they roll to the "
        "left by one cell if the cells to the left and below left are empty, otherwise to the right if the cells to "
        "the right and below right are; a thing that has just rolled is not falling yet. All others lie still. Your "
        "cell is not empty, so nothing falls into it; but a boulder or a diamond that is already falling kills you if "
        "it is right above you when its turn comes.",
        "You leave by the exit if you are there after your move and no diamond was left after the step before. If you "
        "push a boulder off the exit to get there, that counts only from the next step on.",
    ),
    sees=(procgen.SIGHT, "You see what is falling."),
    acts={
        ("left", "right", "up", "down"): "move by one cell, dig or push",
        "noop": "stay where you are",
    },
    ends="The game is over when you have left by the exit, when you are dead, or after {horizon:step}.",
    constants={"1": "a diamond", "10": "leaving with all of them"},
)


class Miner(procgen.Viewed):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE

    kind = ("arcade", "puzzles")
    verified = "games and levels recorded from Procgen, step by step and cell by cell"
    variants = (dict(size=14, view=7, horizon=80),)
    shown = "careful"

    def __init__(
        self,
        size: Annotated[int, Between(5, LARGEST)] = 10,
        view: Annotated[int, Between(0, 25)] = 0,
        horizon: Annotated[int, Between(1, 1_000_000)] = 1000,
    ):
        self.define_map(size, view, THING | EXIT | AGENT, fields, horizon=horizon)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "map")
        s.map[:] = CODES[read_letters(level["map"], f"{self.id}: the level's map", s.map.shape, LEGEND)]
        procgen.need_one(s.map, [AGENT, AGENT | EXIT], "agent", self.id)
        procgen.need_one(s.map, [EXIT, AGENT | EXIT], "exit", self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": write_letters(np.searchsorted(CODES, s.map), LEGEND)}

    def contradiction(self, s: Any) -> str | None:
        for what, cells in (("map", s.map), ("cells", s.cells)):
            if np.count_nonzero(cells & AGENT) != 1 or np.count_nonzero(cells & EXIT) != 1:
                return f"{what} must show one agent and one exit"
        if not np.isin(s.map, CODES).all() or (inside(s) & THING >= ROCK).any():
            return "there is a code of nothing"
        if not s.cells[s.y, s.x] & AGENT or is_blocked(s.cells[s.y, s.x] & THING):
            return "the agent is not where the cells show it"
        if s.left != np.isin(s.cells & THING, [DIAMOND, FALLING_DIAMOND]).sum():
            return "left does not count the diamonds"
        return None

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        whole = procgen.is_whole(s, seen)
        names = ". empty, : dirt, o boulder, * diamond, O falling boulder, + falling diamond, E exit, @ you"
        lines = ["The mine:" if whole else "What you see around you:"]
        lines += ["  " + " ".join(letter(code) for code in row) for row in seen.tolist()]
        lines.append(names + ("." if whole else ", # rock."))
        for y, x in np.argwhere((seen & EXIT != 0) & (seen & (THING | AGENT) != 0)).tolist():
            what = "your" if seen[y, x] & AGENT else "another thing's"
            lines.append(f"The exit is in {what} cell, row {y + 1} and column {x + 1} of this map.")
        if s.won:
            lines.append("You have left the mine by the exit.")
        elif s.terminated[0]:
            lines.append("Something fell on you: you are dead.")
        else:
            left = f"Diamonds left: {s.left}. " if whole else ""
            lines.append(f"{left}Steps so far: {s.t} of {s.params.horizon}.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        seen = inside(s) if agent is None else self.observation(s, agent)
        side = len(seen)
        scene = Scene(side, side)
        scene.add(Rect(0, 0, side, side, "shadow"))
        for y, row in enumerate(seen.tolist()):
            for x, code in enumerate(row):
                scene.add(*shapes(code, x, y, bool(s.terminated[0] and not s.won)))
        if agent is None and procgen.margin(s) > 1:
            scene.add(procgen.frame(s, "white"))
        footer(scene, f"{s.t} / {s.params.horizon}", f"{s.left} left" if agent is None else "")
        return scene


def inside(s: Any) -> np.ndarray:
    """The codes of the mine without its border."""
    border, size = procgen.margin(s), s.map.shape[0]
    return np.asarray(s.cells)[border : border + size, border : border + size]


def letter(code: int) -> str:
    """The letter of a code in texts."""
    if code & AGENT:
        return "@"
    return "E" if code & (THING | EXIT) == EXIT else LETTERS[code & THING]


def shapes(code: int, x: float, y: float, dead: bool) -> list[Shape]:
    """What is in a cell, the square from (x, y)."""
    found: list[Shape] = []
    what = code & THING
    if what == DIRT:
        found.append(Rect(x, y, 1, 1, "brown", glyph=":"))
    if what == ROCK:
        found.append(Rect(x, y, 1, 1, "wall", glyph="#"))
    if code & EXIT:
        found += [
            Rect(x + 0.1, y + 0.1, 0.8, 0.8, "green", radius=0.1, glyph="E"),
            Rect(x + 0.3, y + 0.3, 0.4, 0.4, "shadow", radius=0.05, glyph=""),
        ]
    if what in (BOULDER, FALLING_BOULDER):
        found.append(Circle(x + 0.5, y + 0.5, 0.44, "grey", glyph="o"))
        found.append(Circle(x + 0.38, y + 0.36, 0.12, "white@0.35", glyph=""))
    if what in (DIAMOND, FALLING_DIAMOND):
        corners = [(x + 0.5, y + 0.1), (x + 0.88, y + 0.5), (x + 0.5, y + 0.9), (x + 0.12, y + 0.5)]
        found.append(Polygon(corners, "sky", glyph="*"))
        found.append(Polygon([corners[0], corners[1], (x + 0.5, y + 0.5)], "white@0.5", glyph=""))
    if what in (FALLING_BOULDER, FALLING_DIAMOND):
        found += [Line([(x + k, y - 0.3), (x + k, y)], "white@0.6", 0.08) for k in (0.3, 0.7)]
    if code & AGENT:
        found.append(Circle(x + 0.5, y + 0.5, 0.36, "red" if dead else "orange", "white", 0.08, glyph="@"))
    return found


env, raw_env, parallel_env = pettingzoo_forms(Miner)
