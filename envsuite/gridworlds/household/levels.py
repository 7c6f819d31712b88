"""Homes: one or two rooms with furniture and objects for an activity, of which all can be reached.

Furniture and objects have uniformly random places, but a home is drawn again unless the floor is in one piece, each
object lies beside a cell where an agent can stand, and so do as many cells of each piece of furniture as the activity
needs. See `envsuite.gridworlds.household.activities` for the activities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from envsuite import registry
from envsuite.core.arrays import fill
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import below, fixed, free, limited, within
from envsuite.core.record import as_views
from envsuite.generators.base import Generator
from envsuite.gridworlds.household import activities
from envsuite.kit.grid import DX, DY

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Size = Literal[6, 8, 10, 16]
Choice = Literal["any"] | activities.Name

#: What the ground of a cell is: floor, 1 + the number of a piece of furniture, a wall, or a doorway.
BARE, WALLED, DOORWAY = 0, activities.FURNITURE + 1, activities.FURNITURE + 2

#: The most draws of a home, and of a place of one thing.
TRIES, PLACES = 2000, 60


def number_of(activity: str) -> int:
    """0 for any activity, or 1 + its number."""
    return 0 if activity == "any" else 1 + activities.NAMES.index(activity)


def width_of(activity: str, size: int) -> int:
    """The number of columns of homes for an activity, or for any."""
    return size if activity != "any" and activities.ROOMS[activities.NAMES.index(activity)] == 1 else 2 * size - 1


@kernel
def draw_ground(ground, level, size):
    """Fill a grid with the walls, the doorway and the furniture of a level."""
    height, width = ground.shape
    rooms = activities.ROOMS[level.activity]
    right = rooms * (size - 1)
    for y in range(height):
        for x in range(width):
            wall = y == 0 or y == height - 1 or x == 0 or x >= right or (x == size - 1 and y != level.door)
            ground[y, x] = WALLED if wall else BARE
    if rooms == 2:
        ground[level.door, size - 1] = DOORWAY
    for f in range(activities.PIECE_COUNT[level.activity]):
        draw_piece(ground, level, f)


@kernel
def draw_piece(ground, level, f):
    """Write a piece of furniture into a grid."""
    for y in range(level.corner[f, 1], level.corner[f, 1] + activities.PIECES[level.activity, f, 2]):
        for x in range(level.corner[f, 0], level.corner[f, 0] + activities.PIECES[level.activity, f, 1]):
            ground[y, x] = f + 1


@kernel
def passable(activity, ground):
    """Whether an agent can walk over ground on which nothing lies."""
    if ground == BARE or ground == DOORWAY:
        return True
    return ground <= activities.FURNITURE and activities.KIND_OF[activity, ground - 1] == activities.BED


@large_kernel
def make(s):
    """Draw an activity and a home for it."""
    activity = s.params.activity
    if activity == 0:
        activity = 1 + randint(s, activities.LEAST.shape[0])
        while activities.LEAST[activity - 1] > s.params.size:
            activity = 1 + randint(s, activities.LEAST.shape[0])
    s.level.activity = activity - 1
    for _ in range(TRIES):
        if furnish(s) and place_objects(s) and sound(s) and not done_already(s):
            break
    place_agent(s)
    height, width = s.scratch.ground.shape
    for y in range(height):
        for x in range(width):
            s.scratch.ground[y, x] = 0
            s.scratch.used[y, x] = 0
            s.scratch.mark[y, x] = 0
            s.scratch.queue[y * width + x] = 0


@large_kernel
def furnish(s):
    """Draw the places of door and furniture; whether all of it has found one."""
    activity, size = s.level.activity, s.params.size
    ground = s.scratch.ground
    s.level.door = 1 + randint(s, size - 2) if activities.ROOMS[activity] == 2 else 0
    for f in range(activities.FURNITURE):
        s.level.corner[f, 0] = 0
        s.level.corner[f, 1] = 0
        s.level.piece_bits[f] = activities.PIECES[activity, f, 5]
    for y in range(ground.shape[0]):
        for x in range(ground.shape[1]):
            ground[y, x] = BARE
    for f in range(activities.PIECE_COUNT[activity]):
        piece = activities.PIECES[activity, f]
        wide, high, room = piece[1], piece[2], piece[3]
        placed = False
        for _ in range(PLACES):
            if not placed:
                x, y = 1 + room * (size - 1) + randint(s, size - 1 - wide), 1 + randint(s, size - 1 - high)
                placed = vacant(ground, x, y, wide, high)
                if placed:
                    s.level.corner[f, 0] = x
                    s.level.corner[f, 1] = y
                    draw_piece(ground, s.level, f)
        if not placed:
            return False
    draw_ground(ground, s.level, size)
    return True


@kernel
def vacant(ground, left, top, wide, high):
    """Whether a rectangle is bare."""
    for y in range(top, top + high):
        for x in range(left, left + wide):
            if ground[y, x] != BARE:
                return False
    return True


@kernel
def walkable(s, x, y):
    """Whether an agent can stand in a cell, of the map that is drawn."""
    return s.scratch.used[y, x] == 0 and passable(s.level.activity, np.int64(s.scratch.ground[y, x]))


@kernel
def reachable(s, x, y):
    """Whether an agent can stand beside a cell."""
    for k in range(4):
        if walkable(s, x + DX[k], y + DY[k]):
            return True
    return False


@large_kernel
def place_objects(s):
    """Draw the places of objects; whether all of them have found one."""
    activity = s.level.activity
    height, width = s.scratch.ground.shape
    fill(s.scratch.used, 0)
    for k in range(activities.OBJECTS):
        for part in range(3):
            s.level.place[k, part] = 0
        s.level.object_bits[k] = activities.STARTS[activity, k, 4]
    for k in range(activities.OBJECT_COUNT[activity]):
        if not place_object(s, k, activities.STARTS[activity, k, 1], activities.STARTS[activity, k, 2]):
            return False
    return True


@large_kernel
def place_object(s, k, way, where):
    """Draw the place of an object; whether it has found one."""
    size = s.params.size
    left, top, wide, high = 1 + where * (size - 1), 1, size - 2, size - 2
    if way == activities.AT:
        left, top = np.int64(s.level.corner[where, 0]), np.int64(s.level.corner[where, 1])
        wide, high = activities.PIECES[s.level.activity, where, 1], activities.PIECES[s.level.activity, where, 2]
    s.level.place[k, 2] = activities.STARTS[s.level.activity, k, 3]
    if way == activities.ABOVE:
        s.level.place[k, 0] = s.level.place[where, 0]
        s.level.place[k, 1] = s.level.place[where, 1]
        return True
    wanted = where + 1 if way == activities.AT else BARE
    for _ in range(PLACES):
        x, y = left + randint(s, wide), top + randint(s, high)
        if s.scratch.ground[y, x] == wanted and s.scratch.used[y, x] == 0 and reachable(s, x, y):
            s.level.place[k, 0] = x
            s.level.place[k, 1] = y
            s.scratch.used[y, x] = 1
            return True
    return False


@large_kernel
def sound(s):
    """Whether the floor is in one piece, and all that is needed can be reached."""
    activity = s.level.activity
    ground, used, mark, queue = s.scratch.ground, s.scratch.used, s.scratch.mark, s.scratch.queue
    height, width = ground.shape
    floor, tail = 0, 0
    for y in range(height):
        for x in range(width):
            mark[y, x] = 0
            if ground[y, x] == BARE and used[y, x] == 0:
                floor += 1
                queue[0] = y * width + x
                tail = 1
    if tail == 0:
        return False
    mark[queue[0] // width, queue[0] % width] = 1
    head = 0
    while head < tail:
        y, x = queue[head] // width, queue[head] % width
        head += 1
        floor -= ground[y, x] == BARE
        for k in range(4):
            i, j = y + DY[k], x + DX[k]
            if mark[i, j] == 0 and walkable(s, j, i):
                mark[i, j] = 1
                queue[tail] = i * width + j
                tail += 1
    if floor != 0:
        return False
    for k in range(activities.OBJECT_COUNT[activity]):
        if not reachable(s, np.int64(s.level.place[k, 0]), np.int64(s.level.place[k, 1])):
            return False
    for f in range(activities.PIECE_COUNT[activity]):
        found = 0
        for y in range(height):
            for x in range(width):
                found += ground[y, x] == f + 1 and reachable(s, x, y)
        if found < activities.PIECES[activity, f, 4]:
            return False
    return True


@kernel
def done_already(s):
    """Whether the objects satisfy a goal that only asks for objects next to each other."""
    activity = s.level.activity
    for c in range(activities.GOAL_COUNT[activity]):
        k, found = activities.GOALS[activity, c, 1] - activities.FURNITURE, False
        things = activities.GOALS[activity, c, 3] >> activities.FURNITURE
        for other in range(activities.OBJECTS):
            if things >> other & 1 and activities.GOALS[activity, c, 0] == activities.BESIDE:
                across = abs(s.level.place[k, 0] - s.level.place[other, 0])
                found = found or across + abs(s.level.place[k, 1] - s.level.place[other, 1]) == 1
        if not found:
            return False
    return True


@large_kernel
def place_agent(s):
    """Put the agent on a random free cell of the floor, in a random direction."""
    height, width = s.scratch.ground.shape
    count = 0
    for y in range(height):
        for x in range(width):
            if s.scratch.ground[y, x] == BARE and s.scratch.used[y, x] == 0:
                count += 1
                if randint(s, count) == 0:
                    s.level.agent[0] = x
                    s.level.agent[1] = y
    s.level.agent[2] = randint(s, 4)


class Homes(Generator):
    """Homes.

    Args:
        activity: its name, or "any" for one that is drawn among those that fit the size.
        size: cells on a side of a room, walls included.
    """

    make = make

    def __init__(self, activity: Choice = "any", size: Size = 8):
        if activity != "any" and size < (least := int(activities.LEAST[activities.NAMES.index(activity)])):
            raise ParameterError(f"activity {activity!r} needs a size of at least {least}, not {size}")
        width = width_of(activity, size)
        states = within(np.uint8, 0, 255)
        self.define(
            level=[
                ("activity", below(np.int64, len(activities.ACTIVITIES))),
                ("door", within(np.int64, 0, size - 2)),  # the row of the doorway; 0 for none
                ("corner", within(np.int64, 0, width - 2), (activities.FURNITURE, 2)),  # x and y of the upper left cell
                ("piece_bits", states, (activities.FURNITURE,)),  # states of furniture
                (
                    "place",
                    within(np.int64, 0, [width - 2, size - 2, activities.LAYERS - 1]),
                    (activities.OBJECTS, 3),
                ),  # x, y, layer
                ("object_bits", states, (activities.OBJECTS,)),  # states of objects
                ("agent", within(np.int64, [1, 1, 0], [width - 2, size - 2, 3]), (3,)),  # x, y, direction
            ],
            params={"activity": limited(number_of(activity), 0, len(activities.NAMES)), "size": fixed(size)},
            scratch=[
                ("ground", below(np.uint8, DOORWAY + 1), (size, width)),
                ("used", below(np.uint8, 2), (size, width)),
                ("mark", below(np.uint8, 2), (size, width)),
                ("queue", free(np.int64), (size * width,)),
            ],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(*sort_of(level, "homes"))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_home(s.level, int(s.params.size))

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_home(s.level, level, int(s.params.activity), s.scratch.ground.shape, "homes")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures. The difficulty is the number of conditions of the goal.

        A level counts as solvable if it fulfills what homes of the generator fulfill.
        """
        activity, size = sort_of(level, "homes")
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        draw_ground(s.scratch.ground, s.level, size)
        for k in range(activities.OBJECT_COUNT[s.level.activity]):
            s.scratch.used[s.level.place[k, 1], s.level.place[k, 0]] = 1
        return {
            "size": [size, width_of(activity, size)],
            "solvable": bool(sound(s)),
            "difficulty": len(activities.ACTIVITIES[activities.NAMES.index(activity)].goal),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The home at the start."""
        params = {"activity": level["activity"], "size": level["size"]}
        world: Any = registry.build("envsuite/Household-v0", params)
        batch = Batch(world, 1, compiled=False)
        batch.start(0, [level])
        return world.scene(batch.record())


def sort_of(level: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    """The activity and the size of a level, or a `LevelError` that begins with this name."""
    activity, size = level.get("activity"), level.get("size")
    if activity not in activities.NAMES:
        raise LevelError(f"{name}: 'activity' must be one of {', '.join(activities.NAMES)}, not {activity!r:.40}")
    if size not in (6, 8, 10, 16) or not is_integer(size):
        raise LevelError(f"{name}: 'size' must be 6, 8, 10 or 16, not {size!r:.40}")
    least = activities.LEAST[activities.NAMES.index(activity)]
    if size < least:
        raise LevelError(f"{name}: {activity} needs a size of at least {least}, not {size}")
    return activity, size


def write_home(part: Any, size: int) -> dict[str, Any]:
    """A level's record as plain data."""
    activity = int(part.activity)
    pieces, objects = range(activities.PIECE_COUNT[activity]), range(activities.OBJECT_COUNT[activity])
    return {
        "activity": activities.NAMES[activity],
        "size": size,
        **({"door": int(part.door)} if activities.ROOMS[activity] == 2 else {}),
        "furniture": [
            [activities.thing_name(activity, f), *part.corner[f].tolist(), in_words(int(part.piece_bits[f]))]
            for f in pieces
        ],
        "objects": [
            [
                activities.thing_name(activity, activities.FURNITURE + k),
                *part.place[k].tolist(),
                in_words(int(part.object_bits[k])),
            ]
            for k in objects
        ],
        "agent": part.agent.tolist(),
    }


def in_words(bits: int) -> str:
    """States as words."""
    return " ".join(state for state in activities.STATES if bits & activities.BIT[state])


def read_home(part: Any, level: Mapping[str, Any], wanted: int, shape: tuple[int, int], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name.

    Args:
        wanted: 0 for any activity, or 1 + its number.
        shape: rows and columns of the map.
    """
    size = shape[0]
    known = ("kind", "activity", "size", "door", "furniture", "objects", "agent")
    if unknown := [given for given in level if given not in known]:
        raise LevelError(f"{name}: unknown part {unknown[0]!r:.40}; {', '.join(known[1:])} are known")
    chosen, given_size = sort_of(level, name)
    activity = activities.NAMES.index(chosen)
    if wanted not in (0, activity + 1):
        raise LevelError(f"{name}: the level is for activity {chosen}, not {activities.NAMES[wanted - 1]}")
    if given_size != size:
        raise LevelError(f"{name}: the level has size {given_size}, not {size}")
    part.activity, part.door = activity, 0
    if activities.ROOMS[activity] == 2:
        if not is_integer(level["door"]) or not 1 <= level["door"] <= size - 2:
            raise LevelError(f"{name}: 'door' must be a row from 1 to {size - 2}, not {level['door']!r:.40}")
        part.door = level["door"]
    elif "door" in level:
        raise LevelError(f"{name}: {chosen} has one room, so there is no 'door'")
    for array in (part.corner, part.piece_bits, part.place, part.object_bits):
        array[...] = 0
    most = activities.ROOMS[activity] * (size - 1) - 1, size - 2
    for f, row in enumerate(_rows(level, "furniture", activity, 0, int(activities.PIECE_COUNT[activity]), name)):
        _, x, y, states = _checked(row, 4, name)
        part.piece_bits[f] = _read_states(states, activity, f, name)
        wide, high = activities.PIECES[activity, f, 1:3].tolist()
        if not (1 <= x <= most[0] - wide + 1 and 1 <= y <= most[1] - high + 1):
            raise LevelError(f"{name}: {activities.thing_name(activity, f)} at {x}, {y} is not within the walls")
        part.corner[f] = x, y
    ground = ground_of(part, *shape)
    if (fault := faulty_ground(ground, activity)) is not None:
        raise LevelError(f"{name}: {fault}")
    for k, row in enumerate(
        _rows(level, "objects", activity, activities.FURNITURE, int(activities.OBJECT_COUNT[activity]), name)
    ):
        _, x, y, layer, states = _checked(row, 5, name)
        if not (1 <= x <= most[0] and 1 <= y <= most[1] and 0 <= layer < activities.LAYERS):
            thing = activities.thing_name(activity, activities.FURNITURE + k)
            raise LevelError(f"{name}: {thing} at {x}, {y}, {layer} is not in the home")
        part.place[k] = x, y, layer
        part.object_bits[k] = _read_states(states, activity, activities.FURNITURE + k, name)
    x, y, facing = _checked(level["agent"], 3, name)
    if not (1 <= x <= most[0] and 1 <= y <= most[1] and 0 <= facing < 4):
        raise LevelError(f"{name}: 'agent' must be a column, a row and a direction from 0 to 3, not {level['agent']}")
    part.agent[:] = x, y, facing
    if (fault := faulty_start(part, ground)) is not None:
        raise LevelError(f"{name}: {fault}")


def _rows(
    level: Mapping[str, Any], what: str, activity: int, first: int, count: int, name: str
) -> Sequence[Sequence[Any]]:
    """The rows of things of a level, which must be those of the activity in their order."""
    rows, names = level[what], [activities.thing_name(activity, first + k) for k in range(count)]
    if not isinstance(rows, Sequence) or [row[0] for row in rows] != names:
        raise LevelError(
            f"{name}: {what!r} must have a row for each of {', '.join(names) or 'no thing'}, in this order"
        )
    return rows


def _checked(row: Sequence[Any], length: int, name: str) -> Sequence[Any]:
    """A row of this length in which all but texts are integers."""
    if len(row) != length or not all(isinstance(part, str) or is_integer(part) for part in row):
        raise LevelError(f"{name}: {row!r:.60} must have {length} parts, and its numbers must be integers")
    if any(isinstance(part, str) != (length > 3 and k in (0, length - 1)) for k, part in enumerate(row)):
        raise LevelError(f"{name}: {row!r:.60} has a text in place of a number, or a number in place of a text")
    return row


def _read_states(text: str, activity: int, thing: int, name: str) -> int:
    """States as bits; those that a thing cannot have are refused."""
    able = int(activities.ABLE[activities.KIND_OF[activity, thing]]) & ~activities.FROZEN | (
        activities.INSIDE if thing >= activities.FURNITURE else 0
    )
    for state in text.split():
        if state not in activities.BIT or not activities.BIT[state] & able:
            raise LevelError(
                f"{name}: {activities.thing_name(activity, thing)} cannot be {state:.40}; {in_words(able)} are possible"
            )
    return activities.bits_of(text)


def ground_of(part: Any, size: int, width: int) -> np.ndarray:
    """The (size, width) map of a level's ground."""
    ground = np.zeros((size, width), np.uint8)
    draw_ground(ground, part, size)
    return ground


def faulty_ground(ground: np.ndarray, activity: int) -> str | None:
    """What is wrong with the furniture, or None: where pieces overlap, the later one hides a part of the other."""
    for f in range(activities.PIECE_COUNT[activity]):
        if (ground == f + 1).sum() != activities.PIECES[activity, f, 1] * activities.PIECES[activity, f, 2]:
            return f"{activities.thing_name(activity, f)} overlaps other furniture"
    if activities.ROOMS[activity] == 2 and (ground[:, len(ground) - 1] < WALLED).any():
        return "furniture is in a wall"
    return None


def faulty_start(part: Any, ground: np.ndarray) -> str | None:
    """What is wrong with the places of objects and of the agent, or None."""
    activity, taken = int(part.activity), set()
    for k in range(activities.OBJECT_COUNT[activity]):
        x, y, layer = part.place[k].tolist()
        here, name = int(ground[y, x]), activities.thing_name(activity, activities.FURNITURE + k)
        if here >= WALLED:
            return f"{name} is in a wall or a doorway"
        if (x, y, layer) in taken:
            return f"{name} is where another object is"
        taken.add((x, y, layer))
        holds = int(activities.HOLDS[activities.KIND_OF[activity, here - 1]]) if here else 0
        if part.object_bits[k] & activities.INSIDE and not holds >> layer & 1:
            return f"{name} is inside of nothing"
    x, y, _ = part.agent.tolist()
    if not passable(activity, int(ground[y, x])) or any(place[:2] == (x, y) for place in taken):
        return "the agent is where it cannot stand"
    return None
