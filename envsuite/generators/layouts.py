"""Rooms with doors as a kind of level: the layouts of worlds, one more layout, small changes, and a solver."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.random import bernoulli, randint
from envsuite.generators.base import Generator
from envsuite.gridworlds import door_key, four_rooms, key_corridor, multi_room, unlock, unlock_pickup
from envsuite.kit import builder
from envsuite.kit.grid import DX, DY
from envsuite.kit.rooms import (
    BALL,
    BOX,
    CLOSED,
    COLOR,
    DOOR,
    EMPTY,
    ENCODE,
    FLOOR,
    GOAL,
    GREEN,
    GREY_WALL,
    KEY,
    KIND,
    LOCKED,
    WALL,
    arrow,
    enclosed,
    level_fields,
    plan,
    read_level,
    write_level,
)
from envsuite.render.scene import Scene


@large_kernel
def bsp(s):
    """A hall, split again and again by a wall with a closed door; the agent and the goal are anywhere.

    A random cell chooses the room to split, so large rooms are split first. At least `room_size` cells remain on each
    side.
    """
    grid = s.level.grid
    height, width = grid.shape
    least = s.params.room_size
    builder.hall(s)
    count = 1
    for _ in range(100 * s.params.rooms):
        if count >= s.params.rooms:
            break
        left, top = 1 + randint(s, width - 2), 1 + randint(s, height - 2)
        if grid[top, left] != EMPTY:
            continue
        right, bottom = left, top
        while grid[top, left - 1] == EMPTY:
            left -= 1
        while grid[top, right + 1] == EMPTY:
            right += 1
        while grid[top - 1, left] == EMPTY:
            top -= 1
        while grid[bottom + 1, left] == EMPTY:
            bottom += 1
        w, h = right - left + 1, bottom - top + 1
        upright = w > h or (w == h and bernoulli(s, 0.5))
        if max(w, h) < 2 * least + 1:
            continue
        at = least + randint(s, max(w, h) - 2 * least)
        # A wall must not end at a door.
        if upright:
            at += left
            if grid[top - 1, at] & KIND == WALL and grid[bottom + 1, at] & KIND == WALL:
                builder.wall(s, at, top, 1, h)
                builder.door(s, CLOSED, builder.any_color(s), at, top + randint(s, h))
                count += 1
        else:
            at += top
            if grid[at, left - 1] & KIND == WALL and grid[at, right + 1] & KIND == WALL:
                builder.wall(s, left, at, w, 1)
                builder.door(s, CLOSED, builder.any_color(s), left + randint(s, w), at)
                count += 1
    builder.place_agent(s, 0, 0, width, height)
    builder.place(s, GREEN | GOAL, 0, 0, width, height)


@kernel
def _lonely(s, x, y):
    """Whether the eight cells around a cell are empty and do not hold the agent."""
    for j in range(y - 1, y + 2):
        for i in range(x - 1, x + 2):
            if (i != x or j != y) and not builder.vacant(s, i, j):
                return False
    return True


@kernel
def _shift(s, x, y):
    """Move an object to a random cell beside it, if that is empty; return whether it was."""
    grid, target = s.level.grid, s.level.target
    side = randint(s, 4)
    i, j = x + DX[side], y + DY[side]
    if not builder.vacant(s, i, j):
        return False
    grid[j, i] = grid[y, x]
    grid[y, x] = EMPTY
    if target[0] == x and target[1] == y:
        builder.aim(s, i, j)
    return True


@large_kernel
def change(s):
    """Add or remove a pillar, open or close a door, move the goal or an object by one cell, or turn the agent.

    None of these can block a path: pillars stand alone, and objects move only away from where they have been.
    """
    grid, agent = s.level.grid, s.level.agent
    height, width = grid.shape
    for _ in range(10_000):
        x, y = 1 + randint(s, width - 2), 1 + randint(s, height - 2)
        kind = grid[y, x] & KIND
        if x == agent[0] and y == agent[1]:
            s.level.direction = (s.level.direction + 1 + randint(s, 3)) & 3
            break
        if (kind == EMPTY or kind == WALL) and _lonely(s, x, y):
            grid[y, x] = GREY_WALL if kind == EMPTY else EMPTY
            break
        if (kind == DOOR or kind == CLOSED) and not (s.level.target[0] == x and s.level.target[1] == y):
            builder.door(s, CLOSED if kind == DOOR else DOOR, grid[y, x] & COLOR, x, y)
            break
        if kind >= KEY and kind <= GOAL and _shift(s, x, y):
            break


Layout = Literal["door_key", "four_rooms", "multi_room", "bsp", "unlock", "unlock_pickup", "key_corridor"]

_DOORS, _THINGS = (DOOR, CLOSED, LOCKED), (KEY, BALL, BOX)


class Rooms(Generator):
    """Rooms with doors. A parameter that is None takes the layout's own value, or does not apply to it.

    Args:
        layout: the parameters of each layout:

            - "door_key" and "four_rooms": `width` and `height`
            - "multi_room": also `rooms`, each of at most `room_size` (fewer rooms if they do not fit)
            - "bsp": also `rooms`, each of at least `room_size`, walls not counted
            - "unlock" and "unlock_pickup": `room_size`
            - "key_corridor": rows of `rooms`, and `room_size`
        width, height: cells of the level, walls included.
        rooms: number of rooms, or of rows of rooms.
        room_size: cells of a room's side, walls included.

    A level is ``{"grid", "agent", "direction"}`` as worlds of rooms take it; in the last three layouts, with "target".
    """

    #: The layout's parameters: the layout's own value, and the least value.
    sizes: ClassVar[Mapping[str, tuple[int, int]]] = {}
    change = change

    def __new__(cls, layout: str = "", **_: Any) -> Any:
        """The layout's own class, so that only one layout is compiled."""
        made = super().__new__(_LAYOUTS.get(layout, cls))
        made.kind = "rooms"
        return made

    def __init__(
        self,
        layout: Layout = "multi_room",
        width: Annotated[int | None, Between(5, 63)] = None,
        height: Annotated[int | None, Between(5, 63)] = None,
        rooms: Annotated[int | None, Between(1, 60)] = None,
        room_size: Annotated[int | None, Between(2, 20)] = None,
    ):
        given = {"width": width, "height": height, "rooms": rooms, "room_size": room_size}
        for parameter, value in given.items():
            if value is not None and parameter not in self.sizes:
                raise ParameterError(f"rooms: layout={layout!r} has no {parameter}, only {', '.join(self.sizes)}")
            if value is not None and value < self.sizes[parameter][1]:
                raise ParameterError(f"rooms: {parameter}={value} must be at least {self.sizes[parameter][1]}")
        self.lay_out(**{key: given[key] or own for key, (own, _) in self.sizes.items()})

    def lay_out(self, width: int, height: int, **params: int) -> None:
        """Define the generator for levels of `width` x `height` cells."""
        self.define(level=level_fields(width, height, ["target"]), params=params)

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        made = cls("door_key")
        height, width = np.shape(level["grid"])[:2]
        made.lay_out(width, height)
        return made

    def decode(self, s: Any) -> dict[str, Any]:
        return write_level(s.level, ["target"] if s.level.target.any() else [])

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.target[:] = 0
        read_level(s.level, level, {"target": (*_DOORS, *_THINGS)} if "target" in level else {}, "rooms")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the "path" in cells walked, "dead_ends", "doors" and "locks".

        The path is that of `solve`; the difficulty is its number of actions without turns. Both are None if there is no
        path. "solvable" is None if the search is given up.
        """
        codes = _codes(level)
        kinds = codes & KIND
        free = enclosed(codes, level["agent"])
        around = sum(np.roll(free, step, axis).astype(int) for step in (1, -1) for axis in (0, 1))
        found = solve(level)
        return {
            "size": [int(number) for number in codes.shape],
            "solvable": None if found is None else found.solved,
            "difficulty": found.steps + found.handled if found and found.solved else None,
            "path": found.steps if found and found.solved else None,
            "dead_ends": int((free & (around == 1)).sum()),
            "doors": int(np.isin(kinds, _DOORS).sum()),
            "locks": int((kinds == LOCKED).sum()),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The level from above."""
        codes = _codes(level)
        scene = Scene(codes.shape[1], codes.shape[0])
        x, y = level["agent"]
        scene.add(*plan(codes, level["agent"]), arrow(x, y, level["direction"]))
        return scene


def _codes(level: Mapping[str, Any]) -> np.ndarray:
    return ENCODE[tuple(np.moveaxis(np.asarray(level["grid"]), 2, 0))]


class _DoorKey(Rooms):
    make = door_key.layout
    sizes = {"width": (8, 5), "height": (8, 5)}


class _FourRooms(Rooms):
    make = four_rooms.layout
    sizes = {"width": (19, 5), "height": (19, 5)}

    def lay_out(self, width: int, height: int, **params: int) -> None:
        if width % 2 == 0 or height % 2 == 0:
            raise ParameterError(f"rooms: width={width} and height={height} must be odd in four_rooms")
        super().lay_out(width, height)


class _MultiRoom(Rooms):
    make = multi_room.layout
    sizes = {"width": (25, 5), "height": (25, 5), "rooms": (6, 1), "room_size": (10, 4)}

    def lay_out(self, width: int, height: int, rooms: int, room_size: int) -> None:  # type: ignore[override]
        if rooms > multi_room.LONGEST:
            raise ParameterError(f"rooms: rooms={rooms} must be at most {multi_room.LONGEST} in multi_room")
        super().lay_out(width, height, min_rooms=rooms, max_rooms=rooms, max_room_size=room_size)


class _BSP(Rooms):
    make = bsp
    sizes = {"width": (19, 5), "height": (19, 5), "rooms": (8, 1), "room_size": (3, 2)}


class _Unlock(Rooms):
    make = unlock.layout
    sizes = {"room_size": (6, 4)}

    def lay_out(self, room_size: int) -> None:  # type: ignore[override]
        super().lay_out(2 * room_size - 1, room_size)


class _UnlockPickup(_Unlock):
    make = unlock_pickup.layout


class _KeyCorridor(Rooms):
    make = key_corridor.layout
    sizes = {"rooms": (3, 1), "room_size": (6, 3)}

    def lay_out(self, rooms: int, room_size: int) -> None:  # type: ignore[override]
        if rooms > 20:
            raise ParameterError(f"rooms: rooms={rooms} must be at most 20 in key_corridor, which has three in a row")
        super().lay_out(3 * room_size - 2, rooms * (room_size - 1) + 1, object=BALL)


_LAYOUTS: dict[str, type[Rooms]] = {
    "door_key": _DoorKey,
    "four_rooms": _FourRooms,
    "multi_room": _MultiRoom,
    "bsp": _BSP,
    "unlock": _Unlock,
    "unlock_pickup": _UnlockPickup,
    "key_corridor": _KeyCorridor,
}

# A solver in plain Python; it shares nothing with the kernels.


class Found(NamedTuple):
    """The result of `solve`: whether there is a path, the cells walked on it, and its other actions except turns."""

    solved: bool
    steps: int = 0
    handled: int = 0


class _State(NamedTuple):
    """The state of a plan: the agent's cell, what it holds (a code or EMPTY), the objects around, the locked doors."""

    cell: tuple[int, int]
    held: int
    things: frozenset[tuple[tuple[int, int], int]]
    locked: frozenset[tuple[int, int]]


#: States that `solve` looks at before it gives up.
PATIENCE = 300_000


def solve(level: Mapping[str, Any]) -> Found | None:
    """A path to the target, or to a goal if there is none: with the fewest drops, then the fewest cells walked.

    None if it is not found within `PATIENCE` states. Objects are put down right before others are taken, and elsewhere
    only if there is no other way. Each walk through a door that was closed at the start counts as opening it.
    """
    codes = _codes(level)
    start = tuple(level["agent"])
    target = tuple(level["target"]) if "target" in level else None
    cells = {(x, y): int(codes[y, x]) for y, x in np.argwhere(enclosed(codes, start)).tolist()}
    things = frozenset((cell, code) for cell, code in cells.items() if code & KIND in _THINGS)
    locked = frozenset(
        cell for cell, code in cells.items() if code & KIND == LOCKED or (code & KIND in _DOORS and cell == target)
    )
    looked = 0
    if target is not None and target not in cells:
        return Found(False)
    for anywhere in (False, True):
        order = count()
        queue = [(0, 0, 0, next(order), _State(start, EMPTY, things, locked))]
        seen = set()
        while queue:
            put, steps, handled, _, s = heapq.heappop(queue)
            if s in seen:
                continue
            seen.add(s)
            looked += 1
            if looked > PATIENCE:
                return None
            if target is None:
                solved = cells[s.cell] & KIND == GOAL
            else:
                solved = target not in s.locked and target not in dict(s.things)
            if solved:
                return Found(True, steps, handled)
            for more_put, more_steps, more_handled, after in _moves(s, cells, anywhere):
                if after not in seen:
                    entry = (put + more_put, steps + more_steps, handled + more_handled, next(order), after)
                    heapq.heappush(queue, entry)
    return Found(False)


def _moves(s: _State, cells: Mapping[tuple[int, int], int], anywhere: bool) -> Iterator[tuple[int, int, int, _State]]:
    """The possible next steps: objects put down, cells walked, other actions, and the state after them."""
    things = dict(s.things)
    around = [(s.cell[0] + int(dx), s.cell[1] + int(dy)) for dx, dy in zip(DX, DY)]
    for cell in around:
        code = cells.get(cell, GREY_WALL)
        kind = code & KIND
        if cell in things:
            if s.held == EMPTY:
                yield 0, 0, 1, s._replace(held=things[cell], things=s.things - {(cell, things[cell])})
        elif cell in s.locked:
            if kind != LOCKED or s.held == code & COLOR | KEY:
                yield 0, 0, 1, s._replace(locked=s.locked - {cell})
        else:
            if kind in (EMPTY, FLOOR, GOAL, *_DOORS, *_THINGS):
                yield 0, 1, int(kind == CLOSED), s._replace(cell=cell)
            if kind in (EMPTY, *_THINGS) and s.held != EMPTY and (anywhere or any(other in things for other in around)):
                yield 1, 0, 1, s._replace(held=EMPTY, things=s.things | {(cell, s.held)})
