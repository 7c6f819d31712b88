"""Sokoban levels by reverse play: boxes that are pulled away from the targets can be pushed back.

A random walk carves the room. The boxes stand on the targets, and a player pulls them: again and again, it takes a box
that it can pull, in a possible direction, and continues for a while. Of the positions in which no box is on a target,
the position is kept in which the boxes are farthest from their targets, by the sum of rows and columns. The same path
back solves it.

A level is ``{"map": ["#######", "#@ $ .#", "#######"]}`` in the letters of the XSB format: walls `#`, the player `@`,
boxes `$`, targets `.`, a box on a target `*`, the player on a target `+`, floor ` `, also written `-` or `_`. In the
record it is `s.level.grid` (height, width), the sum of WALL, TARGET, BOX and PLAYER in each cell.

Rooms by random walks, and boxes by reverse play: Racanière et al., "Imagination-Augmented Agents for Deep Reinforcement
Learning", 2017, and Schrader, gym-sokoban, 2018; reverse play: Taylor and Parberry, "Procedural Generation of Sokoban
Levels", 2011.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from envsuite.core.arrays import copy
from envsuite.core.elementary import log2
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, limited, within
from envsuite.core.record import as_views
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.kit.grid import DX, DY
from envsuite.render.scene import Circle, Line, Rect, Scene, Shape

WALL, TARGET, BOX, PLAYER = 1, 2, 4, 8
LETTERS = {
    0: " ",
    WALL: "#",
    TARGET: ".",
    BOX: "$",
    BOX | TARGET: "*",
    PLAYER: "@",
    PLAYER | TARGET: "+",
}
CODES = {letter: code for code, letter in LETTERS.items()} | {"-": 0, "_": 0}

#: The smallest and the largest side.
SMALLEST, LARGEST = 5, 32

#: Probabilities that the walk that carves a room turns, and that a box is released after each cell.
TURN, LET_GO = 0.35, 0.2

#: The numbers of rooms that are tried until boxes can be pulled away from all targets, of cells until one is suitable,
#: and of changes until one is possible.
_ROOMS, _TRIES, _CHANGES = 50, 64, 32


# The kernels. Sets of cells are numbers, one for each row: `s.scratch.floor`, `free` of it, that is without boxes, and
# `reach`, where the player gets to. The boxes are at `cells`, and stood at `homes` before they were pulled.


@kernel
def has(rows, y, x):
    """Whether a cell is in a set."""
    return rows[np.uint64(y)] >> x & 1 != 0


@kernel
def put(rows, y, x, inside):
    """Add a cell to a set, or remove it."""
    if inside:
        rows[np.uint64(y)] |= np.int64(1) << x
    else:
        rows[np.uint64(y)] &= ~(np.int64(1) << x)


@kernel
def distance(cell, other, width):
    """The distance of two cells in rows and columns."""
    return abs(cell // width - other // width) + abs(cell % width - other % width)


@large_kernel
def carve(s, steps):
    """Carve a room: a walk that turns at random and opens two or four cells at each step."""
    floor = s.scratch.floor
    height, width = s.level.grid.shape
    inside = (np.int64(1) << (width - 1)) - 2
    for y in range(height):
        floor[y] = 0
    y, x, direction = 1 + randint(s, height - 2), 1 + randint(s, width - 2), randint(s, 4)
    for _ in range(steps):
        if bernoulli(s, TURN):
            direction = randint(s, 4)
        y = min(max(y + DY[direction], 1), height - 2)
        x = min(max(x + DX[direction], 1), width - 2)
        brush = randint(s, 4)  # 2 x 1 cells, 1 x 2, or 2 x 2
        row = np.int64(1 if brush == 1 else 3) << x & inside
        floor[np.uint64(y)] |= row
        if brush > 0 and y < height - 2:
            floor[np.uint64(y + 1)] |= row


@large_kernel
def walk(s, y, x):
    """Put all cells that the player reaches from a cell without moving a box into `reach`; return their number."""
    free, reach = s.scratch.free, s.scratch.reach
    height = s.level.grid.shape[0]
    for k in range(height):
        reach[k] = 0
    reach[np.uint64(y)] = np.int64(1) << x
    grown = True
    while grown:
        grown = False
        for k in range(1, height - 1):
            row = (reach[k] | reach[k - 1] | reach[k + 1]) & free[k]
            wider = (row | row << 1 | row >> 1) & free[k]
            while wider != row:
                row = wider
                wider = (row | row << 1 | row >> 1) & free[k]
            if row != reach[k]:
                reach[k] = row
                grown = True
    count = np.int64(0)
    for k in range(1, height - 1):
        row = reach[k]
        while row != 0:
            row &= row - 1
            count += 1
    return count


@large_kernel
def draw(s, rows, count):
    """A random one of the `count` cells of a set."""
    height, width = s.level.grid.shape
    left = np.int64(randint(s, count))
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            if has(rows, y, x):
                if left == 0:
                    return np.int64(y * width + x)
                left -= 1
    return np.int64(0)


@large_kernel
def settle(s, count):
    """Let `free` be the floor without the boxes."""
    width = s.level.grid.shape[1]
    copy(s.scratch.free, s.scratch.floor)
    for k in range(count):
        cell = np.int64(s.scratch.cells[np.uint64(k)])
        put(s.scratch.free, cell // width, cell % width, False)


@large_kernel
def put_targets(s, count):
    """Place targets with boxes on them, each where a single box could be pulled, and a player; its cell, or -1."""
    floor = s.scratch.floor
    height, width = s.level.grid.shape
    placed = np.int64(0)
    settle(s, placed)
    for _ in range(_TRIES * count):
        y, x = 1 + np.int64(randint(s, height - 2)), 1 + np.int64(randint(s, width - 2))
        if placed < count and has(s.scratch.free, y, x):
            movable = False
            for direction in range(4):
                near, beside = y + DY[direction], x + DX[direction]
                movable |= has(floor, near, beside) and has(floor, near + DY[direction], beside + DX[direction])
            if movable:
                s.scratch.cells[np.uint64(placed)] = y * width + x
                put(s.scratch.free, y, x, False)
                placed += 1
    for _ in range(_TRIES):
        y, x = 1 + np.int64(randint(s, height - 2)), 1 + np.int64(randint(s, width - 2))
        if placed == count and has(s.scratch.free, y, x):
            return y * width + x
    return np.int64(-1)


@large_kernel
def pull(s, count, player, pulls):
    """Reverse play from the boxes at `cells`, which stood at `homes`; the boxes' distance in the best position, or 0.

    That position is in `best`, and the player's cell behind the boxes.
    """
    cells, best, free = s.scratch.cells, s.scratch.best, s.scratch.free
    width = s.level.grid.shape[1]
    settle(s, count)
    most = np.int64(0)
    for _ in range(pulls):
        walk(s, player // width, player % width)
        options, box, taken = np.int64(0), np.int64(-1), np.int64(0)
        for k in range(count):
            y, x = np.int64(cells[np.uint64(k)]) // width, np.int64(cells[np.uint64(k)]) % width
            for direction in range(4):
                near, beside = y + DY[direction], x + DX[direction]
                if has(s.scratch.reach, near, beside) and has(free, near + DY[direction], beside + DX[direction]):
                    options += 1
                    if randint(s, options) == 0:
                        box, taken = np.int64(k), np.int64(direction)
        if options == 0:
            break
        cell, ahead = np.int64(cells[np.uint64(box)]), DX[taken] + DY[taken] * width
        put(free, cell // width, cell % width, True)
        pulling = True
        while pulling:
            cell += ahead
            player = cell + ahead
            onward = player + ahead
            pulling = has(free, onward // width, onward % width) and not bernoulli(s, LET_GO)
        cells[np.uint64(box)] = cell
        put(free, cell // width, cell % width, False)
        travel, away = np.int64(0), True
        for k in range(count):
            cell = np.int64(cells[np.uint64(k)])
            travel += distance(cell, np.int64(s.scratch.homes[np.uint64(k)]), width)
            away &= not has(s.scratch.targets, cell // width, cell % width)
        if away and travel > most:
            most = travel
            for k in range(count):
                best[np.uint64(k)] = cells[np.uint64(k)]
            best[np.uint64(count)] = player
    return most


@large_kernel
def lines(s, count):
    """The level for sizes in which no other was found: in each of some rows, or columns, a box and then its target.

    Behind them is a path along all of these.
    """
    height, width = s.level.grid.shape
    for y in range(height):
        s.scratch.floor[y] = (np.int64(1) << (width - 1)) - 2 if 0 < y < height - 1 else 0
        s.scratch.targets[y] = 0
    upright = width > height
    rows, columns = (width, height) if upright else (height, width)
    left, player = count, 1 + np.int64(randint(s, rows - 2))
    for row in range(1, rows - 1):
        if randint(s, rows - 1 - row) < left:
            left -= 1
            from_ = 2 + np.int64(randint(s, columns - 4))
            to = from_ + 1 + np.int64(randint(s, columns - 2 - from_))
            s.scratch.best[np.uint64(left)] = from_ * width + row if upright else row * width + from_
            put(s.scratch.targets, to if upright else np.int64(row), np.int64(row) if upright else to, True)
    s.scratch.best[np.uint64(count)] = width + player if upright else player * width + 1


@large_kernel
def write(s, count):
    """Fill the level from the floor, the targets and the `best` position."""
    height, width = s.level.grid.shape
    for y in range(height):
        for x in range(width):
            code = 0 if has(s.scratch.floor, y, x) else WALL
            s.level.grid[y, x] = code | (TARGET if has(s.scratch.targets, y, x) else 0)
    for k in range(count + 1):
        cell = np.int64(s.scratch.best[np.uint64(k)])
        s.level.grid[np.uint64(cell // width), np.uint64(cell % width)] |= BOX if k < count else PLAYER


@large_kernel
def send_home(s, count):
    """Set the targets, and the homes of the boxes, to the cells of the boxes."""
    width = s.level.grid.shape[1]
    for y in range(s.scratch.targets.shape[0]):
        s.scratch.targets[y] = 0
    for k in range(count):
        cell = np.int64(s.scratch.cells[np.uint64(k)])
        s.scratch.homes[np.uint64(k)] = cell
        put(s.scratch.targets, cell // width, cell % width, True)


@large_kernel
def stroll(s, count):
    """Move the player of the `best` position to a random cell that it can reach; return whether that is another."""
    width = s.level.grid.shape[1]
    for k in range(count):
        s.scratch.cells[np.uint64(k)] = s.scratch.best[np.uint64(k)]
    settle(s, count)
    player = np.int64(s.scratch.best[np.uint64(count)])
    start = draw(s, s.scratch.reach, walk(s, player // width, player % width))
    s.scratch.best[np.uint64(count)] = start
    return start != player


@kernel
def tidy(s):
    """Leave the scratch as it was found."""
    for y in range(s.scratch.floor.shape[0]):
        s.scratch.floor[y] = 0
        s.scratch.free[y] = 0
        s.scratch.reach[y] = 0
        s.scratch.targets[y] = 0
    for k in range(s.scratch.cells.shape[0]):
        s.scratch.cells[k] = 0
        s.scratch.homes[k] = 0
        s.scratch.best[k] = 0


@large_kernel
def make(s):
    """A room by the parameters, and boxes pulled away from all of its targets."""
    count = s.params.boxes
    travel = np.int64(0)
    for k in range(_ROOMS):
        if travel == 0:
            carve(s, s.params.carving + s.params.carving * k // 4)  # more and more room
            player = put_targets(s, count)
            if player >= 0:
                send_home(s, count)
                travel = pull(s, count, player, s.params.pulls)
    if travel == 0:
        lines(s, count)
    stroll(s, count)
    write(s, count)
    tidy(s)


@large_kernel
def read(s):
    """Fill floor, targets and the `best` position from the level; return the number of boxes."""
    height, width = s.level.grid.shape
    count, player = np.int64(0), np.int64(0)
    for y in range(height):
        s.scratch.floor[y] = 0
        s.scratch.targets[y] = 0
        for x in range(width):
            code = s.level.grid[y, x]
            put(s.scratch.floor, y, x, code & WALL == 0)
            put(s.scratch.targets, y, x, code & TARGET != 0)
            if code & BOX != 0:
                s.scratch.best[np.uint64(count)] = y * width + x
                count += 1
            if code & PLAYER != 0:
                player = np.int64(y * width + x)
    s.scratch.best[np.uint64(count)] = player
    return count


@large_kernel
def turn_back(s):
    """Put the boxes onto the targets, in the order of the cells."""
    height, width = s.level.grid.shape
    count = np.int64(0)
    for y in range(height):
        for x in range(width):
            if has(s.scratch.targets, y, x):
                s.scratch.cells[np.uint64(count)] = y * width + x
                count += 1


@large_kernel
def reshape(s, count):
    """Turn a floor cell into wall and pull the boxes again, if there is such a level; return whether there is."""
    height, width = s.level.grid.shape
    turn_back(s)
    send_home(s, count)
    for _ in range(_TRIES):
        y, x = 1 + np.int64(randint(s, height - 2)), 1 + np.int64(randint(s, width - 2))
        if not has(s.scratch.floor, y, x) or has(s.scratch.targets, y, x):
            continue
        put(s.scratch.floor, y, x, False)
        settle(s, np.int64(0))
        cells = np.int64(0)
        for k in range(1, height - 1):
            for c in range(1, width - 1):
                cells += np.int64(has(s.scratch.floor, k, c))
        target = np.int64(s.scratch.homes[0])
        if walk(s, target // width, target % width) == cells and cells > count:  # the floor is connected
            settle(s, count)
            player = draw(s, s.scratch.free, cells - count)
            if pull(s, count, player, s.params.pulls) > 0:
                return True
            turn_back(s)
        put(s.scratch.floor, y, x, True)
    return False


@large_kernel
def widen(s):
    """Turn a wall beside the floor into floor, which keeps all moves possible; return whether there was one."""
    height, width = s.level.grid.shape
    floor = s.scratch.floor
    for _ in range(_TRIES):
        y, x = 1 + np.int64(randint(s, height - 2)), 1 + np.int64(randint(s, width - 2))
        near = has(floor, y, x - 1) or has(floor, y, x + 1) or has(floor, y - 1, x) or has(floor, y + 1, x)
        if near and not has(floor, y, x):
            put(floor, y, x, True)
            return True
    return False


@large_kernel
def pull_on(s, count):
    """Pull a box once more; return whether that is possible with no box on a target."""
    for k in range(count):
        s.scratch.cells[np.uint64(k)] = s.scratch.best[np.uint64(k)]
        s.scratch.homes[np.uint64(k)] = s.scratch.best[np.uint64(k)]
    return pull(s, count, np.int64(s.scratch.best[np.uint64(count)]), np.int64(1)) > 0


@large_kernel
def change(s):
    """Remove a wall; or add one and pull the boxes again; or pull a box once more; or move the player."""
    count = read(s)
    changed = False
    for _ in range(_CHANGES):
        if not changed:
            kind = randint(s, 4)
            if kind == 0:
                changed = widen(s)
            elif kind == 1:
                changed = stroll(s, count)
            elif kind == 2:
                changed = reshape(s, count)
            else:
                changed = pull_on(s, count)
    write(s, count)
    tidy(s)


# The solver, in plain Python; it shares nothing with the kernels above.


class Room:
    """A level to solve. A set of cells is a number with bit k for cell k; cells are numbered row by row."""

    def __init__(self, rows: Sequence[str]):
        self.width, letters = len(rows[0]), "".join(rows)

        def where(wanted: str) -> int:
            return sum(1 << k for k, letter in enumerate(letters) if letter in wanted)

        self.floor, self.boxes, self.targets = where(" .$*@+-_"), where("$*"), where(".*+")
        self.player = where("@+").bit_length() - 1
        self.steps = (1, self.width, -1, -self.width)
        self.alive = self._alive()

    def _alive(self) -> int:
        """The cells from which a single box in the room can be pushed to some target."""
        found = [k for k in range(self.floor.bit_length()) if self.targets >> k & 1]
        alive = self.targets
        for cell in found:  # the list grows during the loop
            for step in self.steps:
                before = cell - step
                if self.floor >> before & 1 and self.floor >> before - step & 1 and not alive >> before & 1:
                    alive |= 1 << before
                    found.append(before)
        return alive

    def reached(self, player: int, boxes: int) -> int:
        """The cells that the player reaches without pushing."""
        free, width = self.floor & ~boxes, self.width
        reach, before = 1 << player, 0
        while reach != before:
            before = reach
            reach |= (reach << 1 | reach >> 1 | reach << width | reach >> width) & free
        return reach

    def fewest_pushes(self, limit: int) -> tuple[int | None, int]:
        """The pushes of a solution with the fewest pushes, or None; and the number of positions seen until then.

        A position is the cells of the boxes and the part of the room with the player. At most `limit` positions are
        seen.
        """
        front = [(self.reached(self.player, self.boxes), self.boxes)]
        seen, pushes = set(front), 0
        while front and len(seen) < limit:
            after = []
            for reach, boxes in front:
                if boxes == self.targets:
                    return pushes, len(seen)
                blocked = ~self.alive | boxes
                for step in self.steps:
                    # Boxes with the player's part of the room behind them and a free place ahead.
                    behind = reach << step if step > 0 else reach >> -step
                    ahead = blocked >> step if step > 0 else blocked << -step
                    movable = boxes & behind & ~ahead
                    while movable:
                        box = movable.bit_length() - 1
                        movable ^= 1 << box
                        moved = boxes ^ 1 << box ^ 1 << box + step
                        position = (self.reached(box, moved), moved)
                        if position not in seen:
                            seen.add(position)
                            after.append(position)
            front = after
            pushes += 1
        return None, len(seen)

    def fewest_moves(self, limit: int) -> int | None:
        """The moves of a solution with the fewest moves, or None; at most `limit` positions are seen."""
        front = [(self.player, self.boxes)]
        seen, moves = set(front), 0
        while front and len(seen) < limit:
            after = []
            for player, boxes in front:
                if boxes == self.targets:
                    return moves
                for step in self.steps:
                    to, moved = player + step, boxes
                    if boxes >> to & 1:
                        if not self.alive >> to + step & 1 or boxes >> to + step & 1:
                            continue
                        moved ^= 1 << to ^ 1 << to + step
                    elif not self.floor >> to & 1:
                        continue
                    if (to, moved) not in seen:
                        seen.add((to, moved))
                        after.append((to, moved))
            front = after
            moves += 1
        return None


#: Positions that `describe` looks at before it gives up.
_LIMIT = 200_000


# Levels as plain data.


def write_map(grid: Any) -> list[str]:
    """The rows of a level's grid."""
    return ["".join(LETTERS[code] for code in row) for row in grid.tolist()]


def read_map(grid: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's grid from ``{"map": rows}``, or raise `LevelError`, whose message begins with `name`.

    Rows are a list, or one text with line breaks; a smaller map is placed at the top left. What is outside the room's
    walls becomes wall.
    """
    height, width = grid.shape
    rows = level["map"]
    known_parts(name, level, {"kind", "map"})
    rows = rows.strip("\r\n").splitlines() if isinstance(rows, str) else list(rows)
    if not rows or not all(isinstance(row, str) for row in rows):
        raise LevelError(f"{name}: the level's map must be rows of letters, a list or one text with line ends")
    rows = [row.rstrip() for row in rows]
    if len(rows) > height or max(map(len, rows)) > width:
        raise LevelError(
            f"{name}: the level's map has {len(rows)} rows of up to {max(map(len, rows))} letters; "
            f"here are at most {height} rows of {width}"
        )
    if wrong := sorted(set("".join(rows)) - set(CODES)):
        raise LevelError(f"{name}: the level's map has the letter {wrong[0]!r}; known: # @ + $ * . and blanks, - or _")
    codes = {(x, y): CODES[letter] for y, row in enumerate(rows) for x, letter in enumerate(row)}
    players = [cell for cell, code in codes.items() if code & PLAYER]
    if len(players) != 1:
        raise LevelError(f"{name}: the level's map must have one player ('@' or '+'), not {len(players)}")
    inside = _room(codes, players[0], name)
    for cell, code in codes.items():
        if cell not in inside and code in (BOX, TARGET):
            what = "box" if code == BOX else "target"
            raise LevelError(f"{name}: the {what} at x={cell[0]}, y={cell[1]} is not in the room of the player")
    boxes, targets = (sum(codes[cell] & code != 0 for cell in inside) for code in (BOX, TARGET))
    if boxes != targets or boxes == 0:
        raise LevelError(f"{name}: the room must have as many boxes as targets, and some, not {boxes} and {targets}")
    if all(codes[cell] != BOX for cell in inside):
        raise LevelError(f"{name}: all boxes of the level's map are on targets at the start")
    grid[:] = WALL
    for x, y in inside:
        grid[y, x] = codes[x, y]


def _room(codes: Mapping[tuple[int, int], int], player: tuple[int, int], name: str) -> set[tuple[int, int]]:
    """The cells that walls do not separate from the player."""
    inside, todo = {player}, [player]
    while todo:
        x, y = todo.pop()
        for cell in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)):
            if cell not in codes:
                raise LevelError(f"{name}: the room has no wall beside x={x}, y={y}: it must be closed all around")
            if codes[cell] != WALL and cell not in inside:
                inside.add(cell)
                todo.append(cell)
    return inside


class Sokoban(Generator):
    """Sokoban by reverse play: no box is on a target, and all can be pushed onto targets.

    Args:
        height, width: cells of the grid, the walls around it included.
        boxes: number of boxes and of targets; at most the larger side less 2.
        pulls: number of times that a box is taken and pulled in the reverse play; None: 10 times for each box.
        carving: steps of the walk that carves the room; None: 1.7 (height + width), as in gym-sokoban.

    If the boxes cannot be pulled away from all targets, larger rooms are carved. After 50 of them, the level is an open
    hall with a box and its target in each of some rows or columns.
    """

    make = make
    change = change

    def __init__(
        self,
        height: Annotated[int, Between(SMALLEST, LARGEST)] = 8,
        width: Annotated[int, Between(SMALLEST, LARGEST)] = 8,
        boxes: Annotated[int, Between(1, LARGEST - 2)] = 2,
        pulls: Annotated[int | None, Between(1, 1000)] = None,
        carving: Annotated[int | None, Between(1, 10_000)] = None,
    ):
        if boxes > max(height, width) - 2:
            raise ParameterError(
                f"sokoban: boxes={boxes} must be at most {max(height, width) - 2} in {height} x {width}"
            )
        cells = (height - 2) * (width - 2) + 1
        rows = [(name, below(np.int64, 1), (height,)) for name in ("floor", "free", "reach", "targets")]
        ends = (np.pad(np.full((height - 2, width - 2), code), 1, constant_values=WALL) for code in (0, max(LETTERS)))
        self.define(
            level=[("grid", within(np.uint8, *ends), (height, width))],
            params={
                "boxes": limited(boxes, 1, max(height, width) - 2),
                "pulls": 10 * boxes if pulls is None else pulls,
                "carving": int(1.7 * (height + width)) if carving is None else carving,
            },
            scratch=[
                *rows,
                *((name, below(np.uint16, 1), (cells,)) for name in ("cells", "homes", "best")),
            ],  # see `tidy`
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        rows = level["map"].strip("\r\n").splitlines() if isinstance(level["map"], str) else level["map"]
        return cls(max(len(rows), SMALLEST), max(SMALLEST, *map(len, rows)))

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": write_map(s.level.grid)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_map(s.level.grid, level, self.kind)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "boxes", "floor" cells, and the fewest "pushes" and the fewest "moves" of a solution.

        The difficulty is in bits: the logarithm of the number of positions that a breadth-first search for the fewest
        pushes sees. Figures that take more than 200,000 positions are None.
        """
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        room = Room(write_map(s.level.grid))
        pushes, seen = room.fewest_pushes(_LIMIT)
        moves = None if pushes is None else room.fewest_moves(_LIMIT)
        return {
            "size": [len(s.level.grid), len(s.level.grid[0])],
            "solvable": True if pushes is not None else False if seen < _LIMIT else None,
            "boxes": room.boxes.bit_count(),
            "floor": room.floor.bit_count(),
            "pushes": pushes,
            "moves": moves,
            "difficulty": None if pushes is None else round(log2(seen), 6),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        scene = Scene(*s.level.grid.shape[::-1])
        scene.add(*room_shapes(s.level.grid))
        return scene


# Pictures; a cell (x, y) is the unit square from (x, y).


def room_shapes(grid: Any) -> list[Shape]:
    """A room with its contents; only the walls that touch its floor."""
    height, width = grid.shape
    codes = {(x, y): int(grid[y, x]) for y in range(height) for x in range(width)}
    floor = [cell for cell, code in codes.items() if code != WALL]
    around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    walls = sorted({(x + i, y + j) for x, y in floor for i, j in around} - set(floor))
    shapes: list[Shape] = [shape for cell in walls for shape in wall_shapes(*cell)]
    shapes += [Rect(x, y, 1, 1, "floor") for x, y in floor]
    for x, y in floor:
        if codes[x + 1, y] != WALL:
            shapes.append(Line([(x + 1, y), (x + 1, y + 1)], "seam", 0.03))
        if codes[x, y + 1] != WALL:
            shapes.append(Line([(x, y + 1), (x + 1, y + 1)], "seam", 0.03))
        if codes[x, y - 1] == WALL:  # the wall's shade
            shapes.append(Rect(x, y, 1, 0.09, "shadow@0.16"))
    for (x, y), code in codes.items():
        if code & TARGET:
            shapes += target_shapes(x, y)
        if code & BOX:
            shapes += box_shapes(x, y, code & TARGET != 0)
        if code & PLAYER:
            shapes += player_shapes(x, y, code & TARGET != 0)
    return shapes


def wall_shapes(x: float, y: float) -> list[Shape]:
    """A wall of bricks."""
    bricks = [
        [(0.0, 0.62), (0.66, 0.34)],
        [(0.0, 0.28), (0.32, 0.68)],
    ]  # two courses: start and length of each brick
    return [
        Rect(x, y, 1, 1, "black@0.85", glyph="##"),
        *(
            Rect(x + left, y + 0.5 * k + 0.02, length, 0.46, "wall")
            for k, course in enumerate(bricks)
            for left, length in course
        ),
    ]


def target_shapes(x: float, y: float) -> list[Shape]:
    """A place for a box, marked on the floor."""
    return [
        Rect(x + 0.16, y + 0.16, 0.68, 0.68, "gold@0.22", "gold", 0.05, 0.08, glyph="."),
        Circle(x + 0.5, y + 0.5, 0.12, "gold", glyph=""),
    ]


def box_shapes(x: float, y: float, on_target: bool, size: float = 1.0) -> list[Shape]:
    """A crate of boards, its top left corner at (x, y); green on a target."""
    color, glyph = ("green", "*") if on_target else ("brown", "$")

    def board(left: float, top: float, width: float, height: float, fill: str, glyph: str = "") -> Rect:
        return Rect(x + left * size, y + top * size, width * size, height * size, fill, radius=0.05 * size, glyph=glyph)

    boards = [board(0.2, 0.2 + 0.205 * k, 0.6, 0.18, "white@0.3") for k in range(3)]
    brace = Line([(x + 0.22 * size, y + 0.78 * size), (x + 0.78 * size, y + 0.22 * size)], color, 0.13 * size)
    return [
        board(0.1, 0.14, 0.84, 0.82, "shadow@0.2"),
        board(0.07, 0.07, 0.86, 0.86, color, glyph),
        *boards,
        brace,
        *(
            Circle(x + a * size, y + b * size, 0.025 * size, "white@0.7", glyph="")
            for a in (0.135, 0.865)
            for b in (0.135, 0.865)
        ),
    ]


def player_shapes(x: float, y: float, on_target: bool) -> list[Shape]:
    """The warehouse keeper."""
    x, y = x + 0.5, y + 0.5
    eyes = [Circle(x + side, y - 0.05, radius, color, glyph="")
            for radius, color in ((0.105, "white"), (0.05, "black")) for side in (-0.14, 0.14)]  # fmt: skip
    return [
        Circle(x + 0.03, y + 0.05, 0.38, "shadow@0.2", glyph=""),
        Circle(x, y, 0.38, "blue", "white", 0.05, glyph="+" if on_target else "@"),
        *eyes,
    ]
