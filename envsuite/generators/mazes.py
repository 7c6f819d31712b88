"""Mazes by seven algorithms, perfect or with loops.

Cells of the maze are the cells of the grid with odd x and y. Between them are walls and passages. A maze without loops
is perfect: a spanning tree of its cells. The algorithms differ in the probabilities of trees.

| algorithm | method | appearance |
|---|---|---|
| backtracker | walks at random, goes back where it is stuck | long winding paths, few dead ends |
| prim | adds a random edge that leaves the tree | many short dead ends around the middle |
| kruskal | takes edges in random order unless they close a loop | many short dead ends |
| wilson | loop-erased random walks | all spanning trees equally likely |
| eller | row by row, each edge with probability 1/2 | as Kruskal's, with a bias from the top down |
| division | splits rectangles with walls that have one gap | long straight walls |
| procgen | Kruskal's, of random size, as Procgen draws them; the rest of the grid is wall | see `kit.procgen` |

A maze of "procgen" has a side from 3 cells of the grid to as many as fit, and is in the middle of the grid. So its
cells may have even x and y. The start is its bottom left corner, and the goal is another random free cell.

Wilson, "Generating random spanning trees more quickly than the cover time", 1996. The others are folklore: Buck, "Mazes
for Programmers", 2015.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.world import Between
from envsuite.generators import grids
from envsuite.generators.grids import FREE, LARGEST, WALL, Ends, Walled
from envsuite.kit import procgen
from envsuite.kit.grid import DX, DY, EAST, SOUTH

Algorithm = Literal["backtracker", "prim", "kruskal", "wilson", "eller", "division", "mixed", "procgen"]
ALGORITHMS = ("backtracker", "prim", "kruskal", "wilson", "eller", "division", "mixed", "procgen")
BACKTRACKER, PRIM, KRUSKAL, WILSON, ELLER, DIVISION, MIXED, PROCGEN = range(8)

# The cells of the maze are numbered row by row. A cell's mark says whether, or how, it is in the tree.
_OUT, _IN, _WALK = range(3)  # _WALK + direction: the direction in which a random walk last left it


@kernel
def rooms(s):
    """Rows and columns of the maze's cells."""
    height, width = s.level.grid.shape
    return height // 2, width // 2


@kernel
def beside(s, cell, direction):
    """The next cell of the maze in a direction, or -1 outside."""
    rows, columns = rooms(s)
    y, x = cell // columns + DY[direction], cell % columns + DX[direction]
    if 0 <= y < rows and 0 <= x < columns:
        return y * columns + x
    return np.int64(-1)


@kernel
def between(s, cell, direction):
    """The cell of the grid between a cell of the maze and its neighbor."""
    height, width = s.level.grid.shape
    y, x = 2 * (cell // (width // 2)) + 1, 2 * (cell % (width // 2)) + 1
    return (y + DY[direction]) * width + x + DX[direction]


@kernel
def carve(s, cell, direction):
    """Open the passage between a cell and its neighbor."""
    grids.put(s, between(s, cell, direction), FREE)


@kernel
def draw(s, bits):
    """A random one of the directions whose bit is set."""
    count = (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1) + (bits >> 3)
    left = np.int64(randint(s, count))
    for direction in range(4):
        if bits >> direction & 1:
            if left == 0:
                return np.int64(direction)
            left -= 1
    return np.int64(0)


@kernel
def outside(s, cell):
    """The directions, as bits, of a cell's neighbors that are not in the tree."""
    bits = np.int64(0)
    for direction in range(4):
        near = beside(s, cell, direction)
        if near >= 0 and s.scratch.marks[np.uint64(near)] == _OUT:
            bits |= 1 << direction
    return bits


@large_kernel
def backtracker(s):
    """A depth-first walk."""
    rows, columns = rooms(s)
    marks, stack = s.scratch.marks, s.scratch.queue
    cell, depth = np.int64(randint(s, rows * columns)), 0
    marks[np.uint64(cell)] = _IN
    while True:
        bits = outside(s, cell)
        if bits:
            stack[np.uint64(depth)] = cell
            depth += 1
            direction = draw(s, bits)
            carve(s, cell, direction)
            cell = beside(s, cell, direction)
            marks[np.uint64(cell)] = _IN
        elif depth:
            depth -= 1
            cell = np.int64(stack[np.uint64(depth)])
        else:
            return


@large_kernel
def prim(s):
    """Growth by random edges."""
    rows, columns = rooms(s)
    marks, edges = s.scratch.marks, s.scratch.queue
    cell, count = np.int64(randint(s, rows * columns)), 0
    for _ in range(rows * columns - 1):
        marks[np.uint64(cell)] = _IN
        bits = outside(s, cell)
        for direction in range(4):
            if bits >> direction & 1:
                edges[np.uint64(count)] = 4 * cell + direction
                count += 1
        reached = False
        while not reached:  # edges whose far cell has been reached meanwhile are dropped
            chosen = np.uint64(randint(s, count))
            edge = np.int64(edges[chosen])
            count -= 1
            edges[chosen] = edges[np.uint64(count)]
            cell = beside(s, edge // 4, edge % 4)
            if marks[np.uint64(cell)] == _OUT:
                carve(s, edge // 4, edge % 4)
                reached = True


@kernel
def find(s, cell):
    """The representative of a cell's set; marks are parents."""
    marks = s.scratch.marks
    while marks[np.uint64(cell)] != cell:
        marks[np.uint64(cell)] = marks[np.uint64(marks[np.uint64(cell)])]
        cell = np.int64(marks[np.uint64(cell)])
    return cell


@kernel
def apart(s):
    """Put every cell into its own set."""
    rows, columns = rooms(s)
    for cell in range(rows * columns):
        s.scratch.marks[np.uint64(cell)] = cell


@large_kernel
def kruskal(s):
    """All edges in random order."""
    rows, columns = rooms(s)
    apart(s)
    count = 0
    for cell in range(rows * columns):
        for direction in range(EAST, SOUTH + 1):
            if beside(s, cell, direction) >= 0:
                s.scratch.queue[np.uint64(count)] = 4 * cell + direction
                count += 1
    left = rows * columns - 1
    while left:
        chosen = np.uint64(randint(s, count))
        edge = np.int64(s.scratch.queue[chosen])
        count -= 1
        s.scratch.queue[chosen] = s.scratch.queue[np.uint64(count)]
        here, there = find(s, edge // 4), find(s, beside(s, edge // 4, edge % 4))
        if here != there:
            s.scratch.marks[np.uint64(here)] = there
            carve(s, edge // 4, edge % 4)
            left -= 1


@large_kernel
def wilson(s):
    """Random walks to the tree, less their loops."""
    rows, columns = rooms(s)
    marks = s.scratch.marks
    marks[np.uint64(randint(s, rows * columns))] = _IN
    for first in range(rows * columns):
        cell = np.int64(first)
        while marks[np.uint64(cell)] != _IN:
            direction = np.int64(randint(s, 4))
            near = beside(s, cell, direction)
            if near >= 0:
                marks[np.uint64(cell)] = _WALK + direction
                cell = near
        cell = np.int64(first)
        while marks[np.uint64(cell)] != _IN:  # the last exits are the walk without its loops
            direction = np.int64(marks[np.uint64(cell)]) - _WALK
            marks[np.uint64(cell)] = _IN
            carve(s, cell, direction)
            cell = beside(s, cell, direction)


@large_kernel
def eller(s):
    """Row by row: joins neighbors of different sets with probability 1/2, and continues each set down at least once."""
    rows, columns = rooms(s)
    left = s.scratch.queue  # of a set: the number of its cells still to come in this row; 0 once it continues down
    apart(s)
    for row in range(rows):
        first = np.int64(row * columns)
        for cell in range(first, first + columns - 1):
            here, there = find(s, np.int64(cell)), find(s, np.int64(cell + 1))
            if here != there and (row == rows - 1 or bernoulli(s, 0.5)):
                s.scratch.marks[np.uint64(there)] = here
                carve(s, np.int64(cell), EAST)
        if row == rows - 1:
            return
        for cell in range(first, first + columns):
            left[np.uint64(find(s, np.int64(cell)))] = 0
        for cell in range(first, first + columns):
            left[np.uint64(find(s, np.int64(cell)))] += 1
        for cell in range(first, first + columns):
            root = find(s, np.int64(cell))
            coming = np.int64(left[np.uint64(root)])
            chosen = coming > 0 and randint(s, coming) == 0  # uniform among the cells of the set
            if coming > 0:
                left[np.uint64(root)] = 0 if chosen else coming - 1
            if chosen or bernoulli(s, 0.5):
                s.scratch.marks[np.uint64(cell + columns)] = root
                carve(s, np.int64(cell), SOUTH)


@large_kernel
def division(s):
    """Splits the longer side of open rectangles, until each is one cell wide."""
    height, width = s.level.grid.shape
    stack = s.scratch.queue  # rectangles of maze cells: top, left, rows, columns
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            s.level.grid[np.uint64(y), np.uint64(x)] = FREE
    rows, columns = rooms(s)
    stack[0], stack[1], stack[2], stack[3] = 0, 0, rows, columns
    depth = 4
    while depth:
        depth -= 4
        top, left = np.int64(stack[np.uint64(depth)]), np.int64(stack[np.uint64(depth + 1)])
        rows, columns = np.int64(stack[np.uint64(depth + 2)]), np.int64(stack[np.uint64(depth + 3)])
        if rows < 2 or columns < 2:
            continue
        across = rows > columns or (rows == columns and bernoulli(s, 0.5))
        if across:
            cut, gap = 1 + randint(s, rows - 1), randint(s, columns)
            for x in range(2 * left + 1, 2 * (left + columns)):
                if x != 2 * (left + gap) + 1:
                    s.level.grid[np.uint64(2 * (top + cut)), np.uint64(x)] = WALL
            depth = push(stack, depth, top, left, cut, columns)
            depth = push(stack, depth, top + cut, left, rows - cut, columns)
        else:
            cut, gap = 1 + randint(s, columns - 1), randint(s, rows)
            for y in range(2 * top + 1, 2 * (top + rows)):
                if y != 2 * (top + gap) + 1:
                    s.level.grid[np.uint64(y), np.uint64(2 * (left + cut))] = WALL
            depth = push(stack, depth, top, left, rows, cut)
            depth = push(stack, depth, top, left + cut, rows, columns - cut)


@kernel
def push(stack, depth, top, left, rows, columns):
    """Put a rectangle on the stack; return the new depth."""
    stack[np.uint64(depth)] = top
    stack[np.uint64(depth + 1)] = left
    stack[np.uint64(depth + 2)] = rows
    stack[np.uint64(depth + 3)] = columns
    return depth + 4


@kernel
def exits(s, cell):
    """The directions, as bits, that are open from a cell."""
    bits = np.int64(0)
    for direction in range(4):
        bits |= np.int64(grids.cell_at(s, between(s, cell, direction)) == FREE) << direction
    return bits


@kernel
def is_dead_end(bits):
    """Whether one direction is open."""
    return bits & bits - 1 == 0


@large_kernel
def braid(s, share):
    """Open dead ends, in random order, until this share of them is gone (or one more, if two meet)."""
    rows, columns = rooms(s)
    count = np.int64(0)
    for cell in range(rows * columns):
        if is_dead_end(exits(s, np.int64(cell))):
            s.scratch.queue[np.uint64(count)] = cell
            count += 1
    shuffle(s, s.scratch.queue, count)
    wanted = np.int64(share * count + 0.5)
    for k in range(count):
        cell = np.int64(s.scratch.queue[np.uint64(k)])
        bits = exits(s, cell)
        if wanted > 0 and is_dead_end(bits):
            closed = np.int64(0)
            for direction in range(4):
                if bits >> direction & 1 == 0 and beside(s, cell, direction) >= 0:
                    closed |= 1 << direction
            direction = draw(s, closed)  # in a maze of at least 2 x 2 cells, a cell has two neighbors
            wanted -= 1 + np.int64(is_dead_end(exits(s, beside(s, cell, direction))))
            carve(s, cell, direction)


@large_kernel
def small_maze(s):
    """A maze of random size in the middle of the grid, with start and goal, as Procgen draws them."""
    height, width = s.level.grid.shape
    fill(s.level.grid, WALL)
    side = 2 * np.int64(randint(s, (min(height, width) - 3) // 2)) + 3
    bottom, left = (height + side) // 2 - 1, (width - side) // 2
    count = procgen.kruskal(s, s.scratch.marks, s.scratch.queue, side)
    first = procgen.walls_in(side)
    for k in range(count):
        cell = np.int64(s.scratch.queue[np.uint64(first + k)])
        grids.put(s, (bottom - cell // side) * width + left + cell % side, FREE)
    cell = np.int64(0)
    while cell == 0:  # the corner with the start
        cell = np.int64(s.scratch.queue[np.uint64(first + randint(s, count))])
    s.level.start = bottom * width + left
    s.level.goal = (bottom - cell // side) * width + left + cell % side


@large_kernel
def make(s):
    """A maze by the algorithm of the parameters."""
    if s.params.algorithm == PROCGEN:
        small_maze(s)
        grids.tidy(s)
        return
    height, width = s.level.grid.shape
    for y in range(height):
        for x in range(width):
            s.level.grid[y, x] = FREE if x & y & 1 else WALL
    grids.unmark(s)
    algorithm = s.params.algorithm
    if algorithm == MIXED:
        algorithm = np.int64(randint(s, MIXED))
    if algorithm == BACKTRACKER:
        backtracker(s)
    elif algorithm == PRIM:
        prim(s)
    elif algorithm == KRUSKAL:
        kruskal(s)
    elif algorithm == WILSON:
        wilson(s)
    elif algorithm == ELLER:
        eller(s)
    else:
        division(s)
    if s.params.braid > 0.0:
        braid(s, s.params.braid)
    grids.place_ends(s)
    grids.tidy(s)


@large_kernel
def rewire(s):
    """Open a random wall between two cells, and close a random passage of the loop that it creates."""
    height, width = s.level.grid.shape
    rows, columns = rooms(s)
    for _ in range(grids._TRIES):
        cell, direction = np.int64(randint(s, rows * columns)), np.int64(randint(s, 4))
        far = beside(s, cell, direction)
        wall = between(s, cell, direction)
        if far < 0 or grids.cell_at(s, wall) == FREE:
            continue
        source = (2 * (cell // columns) + 1) * width + 2 * (cell % columns) + 1
        step = (2 * (far // columns) + 1) * width + 2 * (far % columns) + 1
        grids.explore(s, source)
        distance = np.int64(s.scratch.marks[np.uint64(step)])  # odd, as between any two neighbors in the maze
        closed = 1 + 2 * np.int64(randint(s, distance // 2))  # passages are at even distances, marked odd plus one
        while distance > closed + 1:  # down a shortest path
            for k in range(4):
                near = step + DX[k] + DY[k] * width
                if s.scratch.marks[np.uint64(near)] == distance - 1:
                    step = near
                    break
            distance -= 1
        if step != s.level.start and step != s.level.goal:
            grids.put(s, step, WALL)
            grids.put(s, wall, FREE)
            return


@kernel
def change(s):
    """Rewire the maze once, which keeps a perfect maze perfect; or move the start or the goal.

    Mazes that do not fill the grid are not rewired.
    """
    height, width = s.level.grid.shape
    if randint(s, 4) == 0 or s.level.grid[1, 1] != FREE or s.level.grid[height - 2, width - 2] != FREE:
        grids.move_end(s)
    else:
        rewire(s)
    grids.tidy(s)


class Maze(Walled):
    """Mazes; every cell can be reached from every other.

    Args:
        height, width: cells of the grid, walls included; odd.
        algorithm: how the maze is made; "mixed" draws one of the six for each maze.
        braid: share of dead ends that are opened, which makes loops; 0 for perfect mazes.
        ends: where start and goal are; "procgen" has its own.
    """

    make = make
    change = change

    def __init__(
        self,
        height: Annotated[int, Between(5, LARGEST)] = 21,
        width: Annotated[int, Between(5, LARGEST)] = 21,
        algorithm: Algorithm = "backtracker",
        braid: Annotated[float, Between(0, 1)] = 0.0,
        ends: Ends = "corners",
    ):
        for name, value in (("height", height), ("width", width)):
            if value % 2 == 0:
                raise ParameterError(f"maze: {name}={value} must be odd: walls and cells alternate")
        if algorithm == "procgen" and braid:
            raise ParameterError(f'maze: braid={braid} must be 0 with algorithm="procgen"')
        self.lay_out(height, width, ends, algorithm=ALGORITHMS.index(algorithm), braid=float(braid))

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        super().encode(s, level)
        y, x = (np.flatnonzero(np.asarray(s.level.grid == FREE).any(axis)) for axis in (1, 0))
        inner = s.level.grid[y[0] : y[-1] + 1, x[0] : x[-1] + 1] if len(y) else s.level.grid
        if (inner[::2, ::2] != FREE).any() or (inner[1::2, 1::2] != WALL).any():
            raise LevelError("maze: cells with odd x and y must be free, and those with even x and y walls")
