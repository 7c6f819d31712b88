"""Shared by mazes, caves and obstacles: a walled grid with a start and a goal, its kernels, solver and picture.

A level is ``{"map": ["#####", "#S.G#", "#####"]}``: walls `#`, free cells `.`, the start `S` and the goal `G`. In the
record, it is `s.level`: `grid` (height, width) of WALL and FREE, and `start` and `goal`, cells numbered row by row.
Moves lead to the four neighbors. `s.scratch` has `marks` and a `queue`, each with an entry for every cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.elementary import log2
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_letters
from envsuite.core.random import randint
from envsuite.core.ranges import below, within
from envsuite.generators.base import Generator
from envsuite.kit.grid import DX, DY
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, Shape

WALL, FREE = range(2)

#: Places of start and goal: the free cells nearest to the top left and the bottom right corner; two random cells;
#: the ends of a longest path (in a perfect maze) or of a long one (elsewhere).
Ends = Literal["corners", "random", "farthest"]
CORNERS, RANDOM, FARTHEST = range(3)
ENDS = ("corners", "random", "farthest")

#: The largest side: cells and distances are uint16.
LARGEST = 255

#: The number of random changes that are tried until one keeps a level sound.
_TRIES = 64


@kernel
def cell_at(s, cell):
    """The code of a cell of the level."""
    width = s.level.grid.shape[1]
    return s.level.grid[np.uint64(cell // width), np.uint64(cell % width)]


@kernel
def put(s, cell, code):
    """Make a cell of the level wall or free."""
    width = s.level.grid.shape[1]
    s.level.grid[np.uint64(cell // width), np.uint64(cell % width)] = code


@kernel
def unmark(s):
    """Set all marks to zero."""
    fill(s.scratch.marks, 0)


@kernel
def tidy(s):
    """Leave the scratch as it was found."""
    for k in range(s.scratch.marks.shape[0]):
        s.scratch.marks[k] = 0
        s.scratch.queue[k] = 0


@large_kernel
def flood(s, source, reached):
    """Reach all connected cells from a free cell, nearest first; append them to the `reached` entries of the queue.

    A reached cell's mark is its distance from `source` plus one. Marked cells are not entered. Returns the new number
    of entries.
    """
    marks, queue = s.scratch.marks, s.scratch.queue
    width = s.level.grid.shape[1]
    marks[np.uint64(source)] = 1
    queue[np.uint64(reached)] = source
    head, tail = np.uint64(reached), np.uint64(reached + 1)
    while head < tail:
        cell = np.int64(queue[head])
        head += np.uint64(1)
        distance = np.int64(marks[np.uint64(cell)]) + 1
        for direction in range(4):  # the border is wall: no neighbor of a free cell is outside
            near = cell + DX[direction] + DY[direction] * width
            if marks[np.uint64(near)] == 0 and cell_at(s, near) == FREE:
                marks[np.uint64(near)] = distance
                queue[tail] = near
                tail += np.uint64(1)
    return np.int64(tail)


@kernel
def explore(s, source):
    """Flood from a cell, with nothing marked before; return the number of cells reached."""
    unmark(s)
    return flood(s, np.int64(source), np.int64(0))


@large_kernel
def gather(s, source, first, last):
    """Put agents `first` to `last` - 1 on the free cells nearest to a cell, one on each while there are enough."""
    reached, width = explore(s, source), s.level.grid.shape[1]
    for a in range(first, last):
        cell = np.int64(s.scratch.queue[np.uint64((a - first) % reached)])
        s.x[a] = s.from_x[a] = cell % width
        s.y[a] = s.from_y[a] = cell // width


@large_kernel
def random_free(s, other):
    """A random free cell other than `other`, or `other` if there is none."""
    count = np.int64(0)
    for cell in range(s.level.grid.size):
        count += np.int64(cell_at(s, cell) == FREE and cell != other)
    if count == 0:
        return np.int64(other)
    left = np.int64(randint(s, count))
    for cell in range(s.level.grid.size):
        if cell_at(s, cell) == FREE and cell != other:
            if left == 0:
                return np.int64(cell)
            left -= 1
    return np.int64(other)


@large_kernel
def largest_region(s):
    """A cell of the largest region of connected free cells; of the first if several are largest."""
    unmark(s)
    reached, largest, found = np.int64(0), np.int64(0), np.int64(0)
    for cell in range(s.level.grid.size):
        if cell_at(s, cell) == FREE and s.scratch.marks[np.uint64(cell)] == 0:
            before = reached
            reached = flood(s, np.int64(cell), reached)
            if reached - before > largest:
                largest, found = reached - before, np.int64(cell)
    return found


@large_kernel
def corner_cell(s, last):
    """The free cell nearest to the top left corner, or to the bottom right one; the first by rows if several are."""
    height, width = s.level.grid.shape
    nearest, found = height + width, np.int64(0)
    for cell in range(s.level.grid.size):
        if cell_at(s, cell) == FREE:
            distance = cell // width + cell % width
            if last:
                distance = height + width - 2 - distance
            if distance < nearest:
                nearest, found = distance, np.int64(cell)
    return found


@large_kernel
def place_ends(s):
    """Choose start and goal, two of the free cells."""
    if s.params.ends == CORNERS:
        s.level.start = corner_cell(s, np.int64(0))
        s.level.goal = corner_cell(s, np.int64(1))
    elif s.params.ends == RANDOM:
        s.level.start = random_free(s, np.int64(-1))
        s.level.goal = random_free(s, s.level.start)
    else:
        source = largest_region(s)
        for _ in range(2):
            s.level.start = source
            reached = explore(s, source)
            source = np.int64(s.scratch.queue[np.uint64(reached - 1)])
        s.level.goal = source
    if s.level.goal == s.level.start:
        s.level.goal = random_free(s, s.level.start)


@large_kernel
def open_way(s):
    """If the goal cannot be reached from the start, remove the walls on a path that crosses the fewest of them.

    Breadth first in rounds: round k reaches the cells that need k walls removed. A cell's mark is the direction in
    which it was entered, plus one. Walls wait at the end of the queue for the next round.
    """
    marks, queue = s.scratch.marks, s.scratch.queue
    height, width = s.level.grid.shape
    unmark(s)
    marks[np.uint64(s.level.start)] = 1
    queue[0] = s.level.start
    head, tail, waiting = 0, 1, s.level.grid.size
    while marks[np.uint64(s.level.goal)] == 0:
        if head == tail:
            while waiting < s.level.grid.size:
                queue[np.uint64(tail)] = queue[np.uint64(waiting)]
                tail += 1
                waiting += 1
        cell = np.int64(queue[np.uint64(head)])
        head += 1
        for direction in range(4):
            near = cell + DX[direction] + DY[direction] * width
            x, y = near % width, near // width
            if marks[np.uint64(near)] == 0 and 0 < x < width - 1 and 0 < y < height - 1:
                marks[np.uint64(near)] = direction + 1
                if cell_at(s, near) == FREE:
                    queue[np.uint64(tail)] = near
                    tail += 1
                else:
                    waiting -= 1
                    queue[np.uint64(waiting)] = near
    cell = np.int64(s.level.goal)
    while cell != s.level.start:
        put(s, cell, FREE)
        direction = np.int64(marks[np.uint64(cell)]) - 1
        cell -= DX[direction] + DY[direction] * width


@large_kernel
def move_end(s):
    """Move the start or the goal to a random cell from which the other can be reached."""
    kept, moved = np.int64(s.level.goal), np.int64(s.level.start)
    if randint(s, 2):
        kept, moved = moved, kept
    reached = explore(s, kept)
    if reached > 2:
        to = np.int64(s.scratch.queue[np.uint64(1 + randint(s, reached - 2))])
        if to == moved:  # the last cell replaces it: all others are equally likely
            to = np.int64(s.scratch.queue[np.uint64(reached - 1)])
        if kept == s.level.goal:
            s.level.start = to
        else:
            s.level.goal = to


@large_kernel
def toggle(s, whole):
    """Turn a random cell into wall or free, with a path still open; with `whole`, between all free cells."""
    height, width = s.level.grid.shape
    for _ in range(_TRIES):
        cell = np.int64((1 + randint(s, height - 2)) * width + 1 + randint(s, width - 2))
        if cell != s.level.start and cell != s.level.goal:
            put(s, cell, FREE + WALL - cell_at(s, cell))
            reached = explore(s, s.level.start)
            sound = s.scratch.marks[np.uint64(s.level.goal)] != 0
            if whole:
                free = np.int64(0)
                for k in range(s.level.grid.size):
                    free += np.int64(cell_at(s, k) == FREE)
                sound = reached == free
            if sound:
                return
            put(s, cell, FREE + WALL - cell_at(s, cell))


# In plain Python: the solver shares nothing with the kernels above.


def solve(rows: Sequence[str]) -> dict[str, Any]:
    """Breadth first from `S` over a map's letters: the figures of `describe`, and the "way", cells (x, y), or None.

    The "difficulty" is in bits: minus the logarithm of the probability that a random walker takes a shortest path. The
    walker never turns back, and at every junction it takes each way forward with the same probability.
    """
    free = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"}
    ends = {row[x]: (x, y) for y, row in enumerate(rows) for x in range(len(row)) if row[x] in "SG"}
    near = {(x, y): [c for c in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)) if c in free] for x, y in free}
    distance, chance, before = {ends["S"]: 0}, {ends["S"]: 1.0}, {}
    front = [ends["S"]]
    for cell in front:  # the list grows during the loop
        ways = len(near[cell]) - (cell != ends["S"])
        for beside in near[cell]:
            if beside not in distance:
                distance[beside], chance[beside], before[beside] = distance[cell] + 1, 0.0, cell
                front.append(beside)
            if distance[beside] == distance[cell] + 1:
                chance[beside] += chance[cell] / ways
    way = None
    if ends["G"] in distance:
        way = [ends["G"]]
        while way[-1] != ends["S"]:
            way.append(before[way[-1]])
        way.reverse()
    return {
        "size": [len(rows), len(rows[0])],
        "solvable": way is not None,
        "path": len(way) - 1 if way else None,
        "dead_ends": sum(len(cells) == 1 for cells in near.values()),
        "junctions": sum(len(cells) > 2 for cells in near.values()),
        "free": len(free),
        "reached": len(distance),
        "difficulty": round(-log2(chance[ends["G"]]), 6) + 0.0 if way else None,
        "way": way,
    }


# Levels as plain data.


def write_map(level: Any, others: str = "") -> list[str]:
    """The rows of a record's level; `others` are the letters of codes after FREE."""
    rows = [[f"#.{others}"[code] for code in row] for row in level.grid.tolist()]
    for cell, letter in ((level.start, "S"), (level.goal, "G")):
        rows[cell // len(rows[0])][cell % len(rows[0])] = letter
    return ["".join(row) for row in rows]


def read_map(target: Any, level: Mapping[str, Any], name: str, others: str = "") -> None:
    """Fill a record's level from ``{"map": [...]}``, or raise `LevelError`, whose message begins with `name`.

    `others` are the letters of codes after FREE.
    """
    known_parts(name, level, {"kind", "map"})
    what, letters = f"{name}: the level's map", f"#.{others}SG"
    grid = read_letters(level["map"], what, target.grid.shape, letters)
    for end in ("start", "goal"):
        cells = np.flatnonzero(grid == letters.index(end[0].upper()))
        if len(cells) != 1:
            raise LevelError(f"{what} must have one {end} {end[0].upper()!r}, not {len(cells)}")
        grid.flat[cells], target[end] = FREE, cells[0]
    if (grid[[0, -1]] != WALL).any() or (grid[:, [0, -1]] != WALL).any():
        raise LevelError(f"{what} must have walls ('#') all around")
    target.grid[:] = grid


def inside(height: int, width: int, highest: int) -> np.dtype:
    """The field of a map with walls all around and codes up to this one inside."""
    return within(np.uint8, WALL, np.pad(np.full((height - 2, width - 2), highest), 1, constant_values=WALL))


class Walled(Generator):
    """A kind of level that is a walled grid with a start and a goal."""

    def lay_out(self, height: int, width: int, ends: str, **params: Any) -> None:
        """Define the generator for grids of this size."""
        cell = below(np.int64, height * width)
        self.define(
            level=[("grid", inside(height, width, FREE), (height, width)), ("start", cell), ("goal", cell)],
            params={"ends": ENDS.index(ends), **params},
            scratch=[(name, below(np.uint16, 1), (height * width,)) for name in ("queue", "marks")],  # see `tidy`
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(height=len(level["map"]), width=len(level["map"][0]))

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": write_map(s.level)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_map(s.level, level, self.kind)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "path", "dead_ends", "junctions", "free" and "reached" cells; difficulty in bits."""
        return {name: value for name, value in solve(level["map"]).items() if name != "way"}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The map with a shortest path."""
        rows = level["map"]
        ends = {row[x]: (x, y) for y, row in enumerate(rows) for x in range(len(row)) if row[x] in "SG"}
        scene = Scene(len(rows[0]), len(rows))
        scene.add(Rect(0, 0, scene.width, scene.height, "white"))
        scene.add(*way_shapes(solve(rows)["way"] or ()))
        scene.add(*start_shapes(*ends["S"]), *goal_shapes(*ends["G"]))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene


# Pictures; a cell (x, y) is the unit square from (x, y).


def wall_shapes(walls: Sequence[Sequence[Any]], color: str = "wall") -> list[Rect]:
    """Walls, as few rectangles: rows of wall cells, and columns of the remaining ones."""
    height, width = len(walls), len(walls[0])
    shapes = []
    left = {(x, y) for y in range(height) for x in range(width) if walls[y][x]}
    for y in range(height):
        for x, length in _runs(walls[y]):
            if length > 1:
                shapes.append(Rect(x, y, length, 1, color))
                left -= {(x + k, y) for k in range(length)}
    for x in range(width):
        for y, length in _runs([(x, y) in left for y in range(height)]):
            shapes.append(Rect(x, y, 1, length, color))
    return shapes


def _runs(flags: Sequence[Any]) -> Iterable[tuple[int, int]]:
    """The first index and the length of each run of true flags."""
    start = None
    for k, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = k
        elif not flag and start is not None:
            yield start, k - start
            start = None


def way_shapes(way: Sequence[tuple[float, float]], color: str = "gold") -> list[Shape]:
    """A line through cells, with rounded corners."""
    turns = [c for b, c, d in zip(way, way[1:], way[2:]) if b[0] != d[0] and b[1] != d[1]]
    points = [(x + 0.5, y + 0.5) for x, y in (*way[:1], *turns, *way[1:][-1:])]
    joints: list[Shape] = [Circle(x, y, 0.11, color, glyph="") for x, y in points]
    return [Line(points, color, 0.22), *joints] if len(points) > 1 else []


def start_shapes(x: float, y: float) -> list[Shape]:
    """The mark of a start."""
    return [Circle(x + 0.5, y + 0.5, 0.3, "white", "blue", 0.14, glyph="S")]


def goal_shapes(x: float, y: float) -> list[Shape]:
    """The flag of a goal."""
    return [
        Rect(x + 0.06, y + 0.06, 0.88, 0.88, "green", radius=0.14, glyph="G"),
        Line([(x + 0.36, y + 0.2), (x + 0.36, y + 0.8)], "white", 0.09),
        Polygon([(x + 0.38, y + 0.2), (x + 0.78, y + 0.36), (x + 0.38, y + 0.53)], "white"),
    ]
