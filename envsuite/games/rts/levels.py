"""Maps for RTS: the same for both players when they are turned by half a circle, with walls and deposits.

`player_0` has its base in the north west, a worker beside it, and its deposits as near to the base as they fit. What
belongs to `player_1` is the image of all that. Walls stand at random places, in pairs. A wall or deposit is left out
where it would cut off a cell: every open cell can be reached from every other, and every deposit from one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite import registry
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_integer, read_letters, write_letters
from envsuite.core.random import randint
from envsuite.core.ranges import within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.maps import places, steps_from
from envsuite.kit.grid import DX, DY

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: The codes of cells. From BASE to WALL - 1 they are units of `player_0`; those of `player_1` are larger by OTHER.
NOTHING, DEPOSIT, BASE, WORKER, WALL, OTHER = 0, 1, 2, 4, 8, 7
LEGEND = ".*BKWLHA#bkwlha"

#: The least and largest number of rows, and the largest stock of a deposit and purse at the start.
SMALLEST, LARGEST, MOST_STOCK, MOST_FUNDS = 6, 32, 255, 1000

#: The number of random changes that are tried until one keeps a map sound.
_TRIES = 64


@kernel
def is_open(s, cell):
    """Whether a cell has neither a wall nor a deposit."""
    size = s.level.map.shape[0]
    code = s.level.map[cell // size, cell % size]
    return code != WALL and code != DEPOSIT


@kernel
def put(s, cell, code, image):
    """Put codes on a cell and on its image."""
    size = s.level.map.shape[0]
    other = size * size - 1 - cell
    s.level.map[cell // size, cell % size] = code
    s.level.map[other // size, other % size] = image


@kernel
def beside(s, cell, way):
    """The cell beside a cell; -1 beyond the edge."""
    size = s.level.map.shape[0]
    y, x = cell // size + DY[way], cell % size + DX[way]
    return y * size + x if 0 <= y < size and 0 <= x < size else -1


@large_kernel
def sound(s):
    """Whether all open cells are connected, and every deposit is beside one of them."""
    size = s.level.map.shape[0]
    marks, queue = s.scratch.marks, s.scratch.queue
    count, tail = 0, 0
    for cell in range(size * size):
        marks[cell] = 0
        if is_open(s, cell):
            if count == 0:
                marks[cell] = 1
                queue[0] = cell
                tail = 1
            count += 1
    head = 0
    while head < tail:
        cell = np.int64(queue[head])
        head += 1
        for way in range(4):
            near = beside(s, cell, way)
            if near >= 0 and marks[near] == 0:
                marks[near] = 1  # deposits are marked too, but not passed
                if is_open(s, near):
                    queue[tail] = near
                    tail += 1
    for cell in range(size * size):
        if s.level.map[cell // size, cell % size] == DEPOSIT and marks[cell] == 0:
            return False
    return tail == count


@kernel
def tidy(s):
    """Leave the scratch as it was found."""
    for k in range(s.scratch.marks.shape[0]):
        s.scratch.marks[k] = 0
        s.scratch.queue[k] = 0
        s.scratch.order[k] = 0


@kernel
def shuffle(s):
    """All cells in a random order."""
    order = s.scratch.order
    for k in range(order.shape[0]):
        order[k] = k
    for k in range(order.shape[0] - 1, 0, -1):
        j = randint(s, k + 1)
        kept = order[k]
        order[k] = order[j]
        order[j] = kept


@kernel
def try_pair(s, cell, code):
    """Put a code on a free cell and on its image if the map stays sound; whether it was put."""
    size = s.level.map.shape[0]
    if s.level.map[cell // size, cell % size] != NOTHING or 2 * cell == size * size - 1:
        return False
    put(s, cell, code, code)
    if sound(s):
        return True
    put(s, cell, NOTHING, NOTHING)
    return False


@large_kernel
def make(s):
    """A map by the parameters."""
    size = s.level.map.shape[0]
    for y in range(size):
        for x in range(size):
            s.level.map[y, x] = NOTHING
    s.level.stock = s.params.stock
    s.level.funds = s.params.purse
    y, x = 1 + randint(s, size // 4), 1 + randint(s, size // 4)
    put(s, y * size + x, BASE, BASE + OTHER)
    put(s, beside(s, y * size + x, randint(s, 4)), WORKER, WORKER + OTHER)
    shuffle(s)
    left = np.int64(s.params.deposits)
    for far in range(1, 2 * size):  # the nearest cells first
        for k in range(size * size):
            cell = np.int64(s.scratch.order[k])
            if left > 0 and abs(cell // size - y) + abs(cell % size - x) == far and try_pair(s, cell, DEPOSIT):
                left -= 1
    pairs = np.int64(s.params.walls * (size * size // 2) + 0.5)
    for k in range(size * size):
        if pairs > 0 and try_pair(s, np.int64(s.scratch.order[k]), WALL):
            pairs -= 1
    tidy(s)


@large_kernel
def change(s):
    """Two walls more or less, with all open cells still connected."""
    size = s.level.map.shape[0]
    for _ in range(_TRIES):
        cell = randint(s, size * size)
        if s.level.map[cell // size, cell % size] == WALL:
            other = size * size - 1 - cell
            image = s.level.map[other // size, other % size]
            if image == WALL:
                put(s, cell, NOTHING, NOTHING)
                if sound(s):
                    break
                put(s, cell, WALL, WALL)
        else:
            other = size * size - 1 - cell
            if s.level.map[other // size, other % size] == NOTHING and try_pair(s, cell, WALL):
                break
    tidy(s)


def read(level: Mapping[str, Any], size: int, what: str) -> tuple[np.ndarray, int, int]:
    """The codes of a level, (size, size) uint8, its stock and its purse; `LevelError` says what is wrong."""
    known_parts(what, level, {"kind", "map", "stock", "purse"})
    codes = read_letters(level["map"], f"{what}: the level's map", (size, size), LEGEND)
    stock = read_integer(level["stock"], f"{what}: the level's stock", 1, MOST_STOCK)
    funds = read_integer(level["purse"], f"{what}: the level's purse", 0, MOST_FUNDS)
    for player, own in enumerate((range(BASE, WALL), range(WALL + 1, len(LEGEND)))):
        if not np.isin(codes, own).any():
            raise LevelError(f"{what}: player_{player} has no unit on the level's map")
    return codes, stock, funds


def write(codes: np.ndarray, stock: int, funds: int) -> dict[str, Any]:
    """The level with these codes."""
    return {"map": write_letters(codes, LEGEND), "stock": stock, "purse": funds}


def way(rows: list[str]) -> int | None:
    """Steps from a unit of `player_0` to the nearest unit of `player_1`, past walls and deposits; None if cut off."""
    steps = steps_from(places(rows, LEGEND[BASE:WALL]), rows, "#*")
    return min((steps[cell] for cell in places(rows, LEGEND[WALL + 1 :]) if cell in steps), default=None)


class Battlegrounds(Generator):
    """Maps for two players, each the image of itself when it is turned by half a circle.

    Args:
        size: rows and columns.
        walls: share of cells that are walls; fewer where more would cut off a cell.
        deposits: how many each player has.
        stock: resources of a deposit.
        purse: what each player has at the start.
    """

    make = make
    change = change

    def __init__(
        self,
        size: Annotated[int, Between(SMALLEST, LARGEST)] = 8,
        walls: Annotated[float, Between(0, 0.5)] = 0.15,
        deposits: Annotated[int, Between(1, 3)] = 1,
        stock: Annotated[int, Between(1, MOST_STOCK)] = 20,
        purse: Annotated[int, Between(0, MOST_FUNDS)] = 5,
    ):
        self.define(
            level=[
                ("map", within(np.uint8, 0, len(LEGEND) - 1), (size, size)),
                ("stock", within(np.int64, 1, MOST_STOCK)),
                ("funds", within(np.int64, 0, MOST_FUNDS)),
            ],
            params={"walls": float(walls), "deposits": deposits, "stock": stock, "purse": purse},
            scratch=[(name, np.uint16, (size * size,)) for name in ("marks", "queue", "order")],
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return write(np.asarray(s.level.map), int(s.level.stock), int(s.level.funds))

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.map[:], s.level.stock, s.level.funds = read(level, len(s.level.map), "battlegrounds")

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Battlegrounds:
        return cls(len(level["map"]))

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of "walls" and "deposits".

        A map is solvable if units of the two players can meet without a harvest. Its difficulty is the number of steps
        between the nearest two, 0 where they cannot.
        """
        rows = level["map"]
        found, letters = way(rows), "".join(rows)
        return {
            "size": [len(rows), len(rows)],
            "solvable": found is not None,
            "difficulty": float(found or 0),
            "walls": letters.count("#"),
            "deposits": letters.count("*"),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        world: Any = registry.build("envsuite/RTS-v0", {"size": len(level["map"])})
        return world.layout(level)
