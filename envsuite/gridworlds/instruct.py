"""Instruct: follow an instruction such as "pick up the red ball, then open a door on your left".

PAGE
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import is_integer
from envsuite.core.ranges import below, fixed, flag, free, limited, within
from envsuite.core.world import Between, Kernels
from envsuite.gridworlds import instruct_levels
from envsuite.gridworlds.instruct_language import (
    AFTER,
    GO_TO,
    LONGEST,
    NO_VERB,
    OBJECT,
    OPEN,
    PICK_UP,
    PLACES,
    PUT_NEXT,
    SINGLE,
    WORDS,
    in_words,
    read_mission,
    write_mission,
)
from envsuite.gridworlds.instruct_levels import LEVELS, MOST, MOST_BOXES, Row, fits
from envsuite.kit import rooms
from envsuite.kit.grid import DX, DY
from envsuite.kit.rooms import BALL, BOX, CLOSED, COLORS, DOOR, DROP, EMPTY, ENCODE, GREY, KEY, KIND, LOCKED, PICKUP, TOGGLE, WALL
from envsuite.registry import pettingzoo_forms

#: The number of all things that were in boxes; no description matches them.
UNBOXED = MOST + 1
#: What verification finds.
OPEN_STILL, DONE, FAILED = range(3)

_THINGS = 1 << DOOR | 1 << KEY | 1 << BALL | 1 << BOX | 1 << CLOSED | 1 << LOCKED


def level_fields(width: int, height: int) -> list[tuple]:
    """The fields of `s.level` in addition to those of rooms."""
    return [
        ("shape", below(np.int64, 3)),  # SINGLE, THEN or AFTER
        # Clauses in the order in which they are to be done: two of the first part, two of the second.
        ("verbs", below(np.int64, 5), (4,)),
        ("strict", flag(), (4,)),  # whether the wrong door or thing ends the episode
        # The kind of each description (0 for no description), its color + 1 (0 for any), and its place.
        ("named", within(np.int64, 0, (OBJECT, 6, 4)), (4, 2, 3)),
        ("carrying", within(np.int64, 0, (width - 2, height - 2)), (2,)),  # the thing that begins in hand, or zeros
        # Boxes that hold something: column, row, and the code of what is in it; zeros for none.
        ("boxes", within(np.int64, 0, (width - 2, height - 2, GREY | BOX)), (MOST_BOXES, 3)),
    ]


def fields(width: int, height: int) -> list[tuple]:
    """The fields of the record in addition to those of rooms."""
    cells = width * (height + 2 * rooms.MARGIN)
    number = within(np.uint8, 0, UNBOXED)
    return [
        ("limit", within(np.int64, 1, 10_000_000)),  # actions until truncation
        ("count", within(np.int64, 0, MOST)),  # of objects, doors included; they have numbers from 1
        ("number", number, (cells,)),  # of the object at each cell, 0 for none
        ("recalled", number, (cells,)),  # the same at the start or after the last `drop`
        ("at", within(np.int64, 0, cells - 1), (UNBOXED + 1,)),  # the cell of each object, 0 for none
        ("was_at", within(np.int64, 0, cells - 1), (UNBOXED + 1,)),  # the same at the start or after the last `drop`
        ("inside", below(np.uint8, 128), (UNBOXED + 1,)),  # the code of what each box holds, 0 for nothing
        ("hand", number),  # the object that the agent carries
        ("matches", free(np.int64), (4, 2)),  # the objects of each description, as bits
        ("alone", flag(), (4, 2)),  # whether each description is worded for one object
        ("before", number, (4,)),  # the object in hand when each clause was last verified
        ("done", flag(), (4,)),  # clauses
        ("stage", below(np.int64, 2)),  # the part to be done
        ("words", below(np.uint8, len(WORDS)), (LONGEST,)),  # the mission
        # Used while a level is made: cells in rows, as bits, and numbers of colors.
        ("reached", free(np.int64), (height,)),
        ("colors", below(np.int64, 6), (6,)),
    ]


@kernel
def reset(s):
    if not s.level_given:
        instruct_levels.make(s)
    begin(s)


@large_kernel
def begin(s):
    """Number the objects of the level, find the matches of the mission, and put the agent there."""
    height, width = s.level.grid.shape
    rooms.begin(s)
    s.count = 0
    for cell in range(s.number.shape[0]):
        s.number[cell] = 0
    for k in range(UNBOXED + 1):
        s.at[k] = 0
        s.inside[k] = 0
    for clause in range(4):
        s.before[clause] = 0
        s.done[clause] = 0
        for which in range(2):
            s.matches[clause, which] = 0
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            if _THINGS >> (s.level.grid[y, x] & KIND) & 1 and s.count < MOST:
                enter(s, x, y)
    for cell in range(s.number.shape[0]):
        s.recalled[cell] = s.number[cell]
    for k in range(UNBOXED + 1):
        s.was_at[k] = s.at[k]
    s.hand = 0
    if s.level.carrying[0] > 0:
        take(s, rooms.cell_of(s, s.level.carrying))
    s.stage = 0
    s.limit = time_limit(s)
    for clause in range(4):
        for which in range(2):
            s.alone[clause, which] = alone(s, clause, which)
    write_mission(s)
    for y in range(height):
        s.reached[y] = 0
    for k in range(6):
        s.colors[k] = 0


@kernel
def enter(s, x, y):
    """Give the object at a cell of the level its number, and note the descriptions that it matches."""
    s.count += 1
    cell = (y + rooms.MARGIN) * rooms.row_length(s) + x
    s.number[cell] = s.count
    s.at[s.count] = cell
    for clause in range(4):
        for which in range(2):
            if s.level.named[clause, which, 0] and fits(s, x, y, clause, which):
                s.matches[clause, which] |= np.int64(1) << s.count
    for k in range(MOST_BOXES):
        if s.level.boxes[k, 2] and s.level.boxes[k, 0] == x and s.level.boxes[k, 1] == y:
            s.inside[s.count] = s.level.boxes[k, 2]


@kernel
def take(s, cell):
    """Move the object at a cell into the agent's hand; its code is in the hand, and the cell is empty."""
    s.hand = s.number[cell]
    s.carrying = s.grid[cell] if s.carrying == EMPTY else s.carrying
    s.grid[cell] = EMPTY
    s.number[cell] = 0
    s.at[s.hand] = 0


@kernel
def alone(s, clause, which):
    """Whether a description is worded for one object. MiniGrid counts walls as grey objects."""
    bits = s.matches[clause, which]
    named = s.level.named[clause, which]
    return bits & bits - 1 == 0 and not (named[0] == OBJECT and (named[1] << 4) - 16 == GREY)


@kernel
def time_limit(s):
    """The number of actions until truncation: given, or one search of all cells for each object to go to."""
    if s.params.horizon > 0:
        return s.params.horizon
    height, width = s.level.grid.shape
    size = s.params.size
    trips = 0
    for clause in range(4):
        if s.level.verbs[clause] != NO_VERB:
            trips += 2 if s.level.verbs[clause] == PUT_NEXT else 1
    return max(1, trips) * size * size * (height // (size - 1)) * (width // (size - 1))


@kernel
def step(s, actions, rewards):
    action = actions[0]
    act(s, action)
    if s.t >= s.limit:
        s.truncated[0] = 1
    if action == DROP:
        recall(s)
    found = verify(s, action)
    if found == DONE:
        rewards[0] = 1.0 - 0.9 * (s.t / s.limit)
    if found != OPEN_STILL:
        s.terminated[0] = 1


@kernel
def act(s, action):
    """Carry out an action, and keep the numbers of objects with them."""
    ahead = np.uint64(s.agent + rooms.stride(s, s.direction))
    held, number = s.carrying, s.number[ahead]
    rooms.act(s, action)
    if action == PICKUP:
        if held == EMPTY and s.carrying != EMPTY:
            s.hand = number
            s.number[ahead] = 0
            s.at[number] = 0
    elif action == DROP:
        if held != EMPTY and s.carrying == EMPTY:
            s.number[ahead] = s.hand
            s.at[s.hand] = ahead
            s.hand = 0
    elif action == TOGGLE and number > 0 and s.grid[ahead] == EMPTY:  # a box is opened
        s.number[ahead] = 0
        s.at[number] = 0
        if s.inside[number] > EMPTY:
            s.grid[ahead] = s.inside[number]
            s.number[ahead] = UNBOXED
            s.inside[number] = 0


@kernel
def recall(s):
    """Note where the objects are now."""
    for k in range(1, s.count + 1):
        if s.was_at[k] != s.at[k]:
            s.recalled[s.was_at[k]] = 0
    for k in range(1, s.count + 1):
        if s.was_at[k] != s.at[k]:
            s.was_at[k] = s.at[k]
            s.recalled[s.at[k]] = k
    s.recalled[0] = 0


@kernel
def verify(s, action):
    """Whether the mission is done, is still to be done, or has failed."""
    ahead = s.agent + rooms.stride(s, s.direction)
    found = OPEN_STILL
    if s.stage == 0:
        found = verify_part(s, 0, action, ahead)
        if found == DONE and s.level.shape != SINGLE:
            s.stage = 1
            return verify_part(s, 1, action, ahead)
        return found
    return verify_part(s, 1, action, ahead)


@kernel
def verify_part(s, part, action, ahead):
    """Verify those clauses of a part that are not done."""
    first = 2 * part
    single = s.level.verbs[first + 1] == NO_VERB
    for clause in range(first, first + 2):
        if s.level.verbs[clause] != NO_VERB and s.done[clause] == 0:
            found = verify_clause(s, clause, action, ahead)
            if found == DONE:
                s.done[clause] = 1
            elif found == FAILED and single:
                return FAILED
    return DONE if s.done[first] and (single or s.done[first + 1]) else OPEN_STILL


@kernel
def among(matches, number):
    """Whether an object is one of the matches."""
    return number > 0 and matches >> np.int64(number) & 1 != 0


@kernel
def verify_clause(s, clause, action, ahead):
    """Verify a clause after an action."""
    verb, matches = s.level.verbs[clause], s.matches[clause, 0]
    cell = np.uint64(ahead)
    if verb == GO_TO:
        return DONE if among(matches, s.recalled[cell]) else OPEN_STILL
    if verb == OPEN:
        if action == TOGGLE:
            kind = s.grid[cell] & KIND
            if kind == DOOR and among(matches, s.number[cell]):
                return DONE
            if s.level.strict[clause] and (kind == DOOR or kind == CLOSED or kind == LOCKED):
                return FAILED
        return OPEN_STILL
    before = s.before[clause]
    s.before[clause] = s.hand
    if verb == PICK_UP:
        if action == PICKUP:
            if before == 0 and among(matches, s.hand):
                return DONE
            if s.level.strict[clause] and s.hand > 0:
                return FAILED
        return OPEN_STILL
    if action == DROP and among(matches, before) and s.at[before] == ahead:
        for side in range(4):
            if among(s.matches[clause, 1], s.recalled[np.uint64(ahead + rooms.stride(s, side))]):
                return DONE
    return OPEN_STILL


@kernel
def observe(s, agent, out):
    rooms.observe(s, agent, out)
    for k in range(LONGEST):
        out.words[k] = s.words[k]
    for k in range(4):
        verb = s.level.verbs[k]
        out.clauses[k, 0] = 0 if verb == NO_VERB else 1 + k // 2
        out.clauses[k, 1] = verb
        for which in range(2):
            for i in range(3):
                out.clauses[k, 2 + 3 * which + i] = s.level.named[k, which, i]
        out.clauses[k, 8] = s.level.strict[k]


Level = Literal[tuple(LEVELS)]  # type: ignore[valid-type]


class Instruct(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    verified = "`minigrid`, step by step, in all of its 96 levels"
    variants = (
        dict(level="GoToLocal"),
        dict(level="KeyCorridorS3R2"),
        dict(level="PutNextS5N2Carrying"),
        dict(level="KeyInBox"),
        dict(level="OpenDoorsOrderN4Debug"),
        dict(level="BossLevel"),
    )
    shown = "bot"

    def __init__(
        self,
        level: Level = "MiniBossLevel",
        room_size: Annotated[int | None, Between(3, 25)] = None,
        rows: Annotated[int | None, Between(1, 5)] = None,
        columns: Annotated[int | None, Between(1, 5)] = None,
        things: Annotated[int | None, Between(0, 40)] = None,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        row = sized(level, room_size, rows, columns, things)
        width, height = (row.size - 1) * row.columns + 1, (row.size - 1) * row.rows + 1
        numbers = {name: fixed(np.int64(value)) for name, value in row._asdict().items() if name in _KERNEL}
        high = np.array([2, PUT_NEXT, *[OBJECT, 6, 4] * 2, 1], np.uint8)
        self.lay_out(
            width,
            height,
            horizon or row.horizon,
            parts={
                "words": Box(0, len(WORDS) - 1, (LONGEST,), np.uint8),
                "clauses": Box(0, np.tile(high, (4, 1)), dtype=np.uint8),
            },
            fields=fields(width, height),
            level=level_fields(width, height),
            params={**numbers, "locked": limited(row.locked, 0.0, 1.0)},
        )

    def limit_of(self, s: Any) -> int:
        return int(s.limit)

    def mission_of(self, s: Any) -> str:
        return in_words(s.words)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        """Take a level of rooms with "mission", and perhaps "carrying", "boxes" and "strict"."""
        super().set_level(s, level)
        height, width = s.level.grid.shape
        kinds = s.level.grid & KIND
        for y, x in np.argwhere(~np.isin(kinds, (EMPTY, WALL, DOOR, CLOSED, LOCKED, KEY, BALL, BOX))):
            raise LevelError(f"{self.id}: the level must not have {rooms.name(s.level.grid[y, x])}, at x={x}, y={y}")
        count = int(np.count_nonzero(np.isin(kinds[1:-1, 1:-1], (DOOR, CLOSED, LOCKED, KEY, BALL, BOX))))
        if count > MOST:
            raise LevelError(f"{self.id}: the level has {count} things and doors; {MOST} is the most")
        shape, parts = read_mission(level["mission"], self.id)
        s.level.shape = shape
        s.level.verbs[:] = NO_VERB
        s.level.named[:] = 0
        clauses = [(2 * n + k, clause) for n, part in enumerate(parts) for k, clause in enumerate(part)]
        for k, (verb, *named) in clauses:
            s.level.verbs[k], s.level.named[k] = verb, named
        strict = level.get("strict", [False] * len(clauses))
        if not isinstance(strict, (list, tuple)) or [type(flag) for flag in strict] != [bool] * len(clauses):
            raise LevelError(f"{self.id}: 'strict' must list {len(clauses)} times true or false, not {strict!r:.60}")
        s.level.strict[:] = 0
        for (k, (verb, *_)), flag_ in zip(clauses, strict):
            if flag_ and verb not in (OPEN, PICK_UP):
                raise LevelError(f"{self.id}: only clauses 'open' and 'pick up' can be strict")
            s.level.strict[k] = flag_
        s.level.carrying[:] = 0
        if "carrying" in level:
            s.level.carrying[:] = self._thing_at(s, level["carrying"], (KEY, BALL, BOX), "'carrying'")
        s.level.boxes[:] = 0
        boxes = level.get("boxes", [])
        if len(boxes) > MOST_BOXES:
            raise LevelError(f"{self.id}: {len(boxes)} boxes hold something; {MOST_BOXES} is the most")
        for k, (x, y, held) in enumerate(boxes):
            code = ENCODE[tuple(held)] if len(held) == 3 and min(held) >= 0 else 0
            if code & KIND not in (KEY, BALL, BOX):
                raise LevelError(f"{self.id}: a box holds a key, ball or box as [type, color, 0], not {held}")
            place = self._thing_at(s, (x, y), (BOX,), "'boxes'")
            if place in s.level.boxes[:k, :2].tolist():
                raise LevelError(f"{self.id}: 'boxes' names x={x}, y={y} twice")
            s.level.boxes[k] = *place, code
        for k, (_, *named) in clauses:
            for which, description in enumerate(named):
                if any(description) and not any(fits(s, x, y, k, which) for y, x in np.argwhere(kinds >= DOOR).tolist()):
                    raise LevelError(f"{self.id}: nothing in the level is {in_text(description)}, as the mission says")

    def _thing_at(self, s: Any, place: Any, kinds: tuple[int, ...], what: str) -> list[int]:
        """A place of a level as [column, row], where there is a thing of these kinds."""
        height, width = s.level.grid.shape
        if not (len(place) == 2 and all(is_integer(number) for number in place)):
            raise LevelError(f"{self.id}: {what} must name cells as column and row, not {place!r:.60}")
        x, y = place
        if not (0 < x < width - 1 and 0 < y < height - 1) or s.level.grid[y, x] & KIND not in kinds:
            wanted = " or a ".join(rooms.TYPES[kind] for kind in kinds)
            raise LevelError(f"{self.id}: {what} must name the cell of a {wanted}; x={x}, y={y} is not")
        return [int(x), int(y)]

    def get_level(self, s: Any) -> dict[str, Any]:
        level = super().get_level(s)
        level["mission"] = self.mission_of(s)
        if s.level.carrying[0]:
            level["carrying"] = s.level.carrying.tolist()
        boxes = [[x, y, rooms.DECODE[code].tolist()] for x, y, code in s.level.boxes.tolist() if code]
        clauses = [k for k in range(4) if s.level.verbs[k] != NO_VERB]
        strict = [bool(s.level.strict[k]) for k in clauses]
        return level | ({"boxes": boxes} if boxes else {}) | ({"strict": strict} if any(strict) else {})


def in_text(named: Any) -> str:
    """A description of one thing."""
    kind, color, place = named
    words = ["a", COLORS[color - 1] if color else "", "object" if kind == OBJECT else rooms.TYPES[kind], PLACES[place]]
    return " ".join(word for word in words if word)


#: What kernels read of a row.
_KERNEL = ("family", "size", "things", "variant", "verb", "strict", "verbs", "shapes", "places", "spared", "beyond")


def sized(level: str, size: int | None, rows: int | None, columns: int | None, things: int | None) -> Row:
    """A named level with other numbers, or a `ParameterError`."""
    row = LEVELS[level]
    made = row._replace(
        size=size or row.size,
        rows=rows or row.rows,
        columns=columns or row.columns,
        things=row.things if things is None else things,
    )
    made = made._replace(horizon=row.horizon * made.size**2 // row.size**2)
    name, many = f"Instruct: {level}", made.rows * made.columns
    free_rows = row.family in (instruct_levels.SCATTERED, instruct_levels.GRAMMAR, instruct_levels.LOCKED_ROOM)
    if made.rows != row.rows and not (free_rows or row.family == instruct_levels.CORRIDOR):
        raise ParameterError(f"{name} has {row.rows} rows of rooms, which `rows` cannot change")
    if made.columns != row.columns and not free_rows:
        raise ParameterError(f"{name} has {row.columns} columns of rooms, which `columns` cannot change")
    least = 3 if row.family == instruct_levels.CORRIDOR else 4 if free_rows or row.family == instruct_levels.TWO_SIDES else 5
    if made.size < least:
        raise ParameterError(f"{name}: room_size must be at least {least}, not {made.size}")
    if (made.size - 1) * max(made.rows, made.columns) + 1 > 31:
        raise ParameterError(
            f"{name}: {made.rows} x {made.columns} rooms of {made.size} are too large; 31 cells on a side are the most"
        )
    if many == 1 and (row.verb == OPEN or row.locked or row.family == instruct_levels.LOCKED_ROOM):
        raise ParameterError(f"{name} needs doors, so at least two rooms")
    first, last = _bounds(row, made.size, many)
    if made.things != row.things and not first <= made.things <= last:
        raise ParameterError(f"{name}: things must be from {first} to {last} with these rooms, not {made.things}")
    if made.things > max(last, 0) or made.things < first:
        raise ParameterError(f"{name}: {made.things} things do not fit into these rooms; from {first} to {last} do")
    return made


def _bounds(row: Row, size: int, many: int) -> tuple[int, int]:
    """The numbers of things that a level may have in this many rooms of this size."""
    room = (size - 2) ** 2 // 3
    family, unique = row.family, 18
    if family == instruct_levels.SCATTERED:
        most = min(room * many, 40 - (many > 9) * 20)
        if row.variant & instruct_levels.OBSTRUCTED:
            return (10 if size <= 8 else 20), most
        put = row.verb == PUT_NEXT
        return (0 if row.verb == OPEN else 2 if put else 1), min(most, unique) if put else most
    if family == instruct_levels.GRAMMAR:
        return 2, min(room * many, 40 - (many > 9) * 20)
    if family == instruct_levels.LOCKED_ROOM:
        return 0, min(room - 1, 30 // many)
    if family == instruct_levels.ORDERED_DOORS:
        return 2, 4
    if family == instruct_levels.TWO_SIDES:
        return 1 + (row.variant == instruct_levels.SWAP), min(room, 9)
    if family in (instruct_levels.RED_BALL, instruct_levels.RED_OR_BLUE):
        return 0, room - 1
    if family == instruct_levels.ONE_OF_SOME:
        return 1, min(room, unique)
    if family == instruct_levels.FOUR_DOORS and row.variant != instruct_levels.DOORS_ONLY:
        return 0, min(room, unique)
    if family in (instruct_levels.LOCAL_LOCK, instruct_levels.BEHIND_LOCK):
        return 0, min(room - 1, 12)
    return 0, 0


env, raw_env, parallel_env = pettingzoo_forms(Instruct)
