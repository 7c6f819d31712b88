"""The named levels of Instruct, by family."""

from __future__ import annotations

from typing import NamedTuple

from envsuite.core.errors import ParameterError
from envsuite.gridworlds.instruct.language import GO_TO, NO_VERB, OPEN, PICK_UP, PUT_NEXT

#: The most objects of a level, doors included, and the most boxes that hold something.
MOST, MOST_BOXES = 60, 8

# Families of levels.
(
    SCATTERED, RED_BALL, RED_OR_BLUE, LOCKED_ROOM, FOUR_DOORS, COLORED_DOORS, TWO_DOORS, ORDERED_DOORS, RED_DOOR,
    ONE_OF_SOME, ABOVE, HIDDEN, CORRIDOR, ONE_BALL, TWO_SIDES, LOCAL_LOCK, BOXED_KEY, BEHIND_LOCK, BLOCKED_LOCK,
    TWO_LOCKS, GRAMMAR,
) = range(21)  # fmt: skip

# Variants of a family.
UNIQUE, REACHABLE, OBSTRUCTED, OPENED = 1, 2, 4, 8  # SCATTERED: bits
GO_BEHIND = 1  # LOCKED_ROOM: the object behind the locked door is the goal, and not the door
DOORS_ONLY, ANY_LOCK, ANY_VERB = 0, 1, 2  # FOUR_DOORS: without things; with some; closed doors and two verbs
BY_EITHER, BY_COLOR, BY_PLACE = 0, 1, 2  # COLORED_DOORS: how the mission names the door
RED_BLUE = 1  # TWO_DOORS: the first is red, the second blue
GREYED = 1  # RED_BALL: all other things are grey
PUT, CARRY, SWAP = 0, 1, 2  # TWO_SIDES: put next; with the object in hand; one in each direction


class Row(NamedTuple):
    """A named level: its family, rooms and objects; the other fields as `instruct_families` uses them."""

    family: int
    size: int = 8
    rows: int = 1
    columns: int = 1
    things: int = 0
    variant: int = 0
    verb: int = NO_VERB
    strict: bool = False
    horizon: int = 0  # 0: by the mission
    locked: float = 0.0  # the probability of a locked room
    verbs: int = 0b1111  # GRAMMAR: the verbs, as bits from GO_TO
    shapes: int = 0b111  # GRAMMAR: one clause, two, two parts, as bits
    places: bool = True  # GRAMMAR: whether missions name places
    spared: bool = True  # GRAMMAR: things need not be reachable, and no clause is about a key of a locked door
    beyond: bool = True  # GRAMMAR: whether all matches may be in the locked room


def _scattered(verb: int, size: int = 8, things: int = 18, rooms: int = 3, variant: int = REACHABLE) -> Row:
    return Row(SCATTERED, size, rooms, rooms, things, variant, verb)


def _local(verb: int, size: int, things: int, variant: int = REACHABLE) -> Row:
    return _scattered(verb, size, things, 1, variant)


def _middle(family: int, size: int, things: int = 0, variant: int = 0, strict: bool = False, horizon: int = 0) -> Row:
    return Row(family, size, 3, 3, things, variant, strict=strict, horizon=horizon)


#: The named levels of BabyAI.
LEVELS: dict[str, Row] = {
    "GoToRedBallGrey": Row(RED_BALL, things=7, variant=GREYED),
    "GoToRedBall": Row(RED_BALL, things=7),
    "GoToRedBallNoDists": Row(RED_BALL),
    "GoToObj": _local(GO_TO, 8, 1),
    "GoToObjS4": _local(GO_TO, 4, 1),
    "GoToObjS6": _local(GO_TO, 6, 1),
    "GoToLocal": _local(GO_TO, 8, 8),
    **{
        f"GoToLocalS{size}N{things}": _local(GO_TO, size, things)
        for size, several in ((5, (2,)), (6, (2, 3, 4)), (7, (4, 5)), (8, (2, 3, 4, 5, 6, 7)))
        for things in several
    },
    "GoTo": _scattered(GO_TO),
    "GoToOpen": _scattered(GO_TO, variant=REACHABLE | OPENED),
    "GoToObjMaze": _scattered(GO_TO, things=1),
    "GoToObjMazeOpen": _scattered(GO_TO, things=1, variant=REACHABLE | OPENED),
    "GoToObjMazeS4R2": _scattered(GO_TO, 4, 1, 2),
    **{f"GoToObjMazeS{size}": _scattered(GO_TO, size, 1) for size in (4, 5, 6, 7)},
    "GoToImpUnlock": _middle(LOCKED_ROOM, 8, 2, GO_BEHIND),
    "GoToSeq": Row(GRAMMAR, 8, 3, 3, 18, verbs=0b1, places=False, spared=False),
    "GoToSeqS5R2": Row(GRAMMAR, 5, 2, 2, 4, verbs=0b1, places=False, spared=False),
    "GoToRedBlueBall": Row(RED_OR_BLUE, things=7),
    "GoToDoor": _middle(FOUR_DOORS, 7, variant=DOORS_ONLY),
    "GoToObjDoor": _middle(FOUR_DOORS, 8, 8, ANY_LOCK),
    "Open": _scattered(OPEN),
    "OpenRedDoor": Row(RED_DOOR, 5, 1, 2),
    "OpenDoor": _middle(COLORED_DOORS, 8),
    "OpenDoorDebug": _middle(COLORED_DOORS, 8, strict=True),
    "OpenDoorColor": _middle(COLORED_DOORS, 8, variant=BY_COLOR),
    "OpenDoorLoc": _middle(COLORED_DOORS, 8, variant=BY_PLACE),
    "OpenTwoDoors": _middle(TWO_DOORS, 6, horizon=720),
    "OpenRedBlueDoors": _middle(TWO_DOORS, 6, variant=RED_BLUE, horizon=720),
    "OpenRedBlueDoorsDebug": _middle(TWO_DOORS, 6, variant=RED_BLUE, strict=True, horizon=720),
    "OpenDoorsOrderN2": _middle(ORDERED_DOORS, 6, 2, horizon=720),
    "OpenDoorsOrderN4": _middle(ORDERED_DOORS, 6, 4, horizon=720),
    "OpenDoorsOrderN2Debug": _middle(ORDERED_DOORS, 6, 2, strict=True, horizon=720),
    "OpenDoorsOrderN4Debug": _middle(ORDERED_DOORS, 6, 4, strict=True, horizon=720),
    "Pickup": _scattered(PICK_UP),
    "UnblockPickup": _scattered(PICK_UP, things=20, variant=OBSTRUCTED),
    "PickupLoc": Row(GRAMMAR, things=8, verbs=0b10, shapes=0b1, spared=False),
    "PickupDist": Row(ONE_OF_SOME, 7, things=5),
    "PickupDistDebug": Row(ONE_OF_SOME, 7, things=5, strict=True),
    "PickupAbove": _middle(ABOVE, 6, horizon=288),
    "PutNextLocal": _local(PUT_NEXT, 8, 8, UNIQUE | REACHABLE),
    "PutNextLocalS5N3": _local(PUT_NEXT, 5, 3, UNIQUE | REACHABLE),
    "PutNextLocalS6N4": _local(PUT_NEXT, 6, 4, UNIQUE | REACHABLE),
    **{
        f"PutNextS{size}N{things}{'Carrying' * variant}": Row(
            TWO_SIDES, size, 1, 2, things, variant, horizon=8 * size**2
        )
        for variant, several in ((PUT, ((4, 1), (5, 2), (5, 1), (6, 3), (7, 4))), (CARRY, ((5, 2), (6, 3), (7, 4))))
        for size, things in several
    },
    "Unlock": _middle(LOCKED_ROOM, 8, 3),
    "UnlockLocal": _middle(LOCAL_LOCK, 8),
    "UnlockLocalDist": _middle(LOCAL_LOCK, 8, 3),
    "KeyInBox": _middle(BOXED_KEY, 8),
    "UnlockPickup": Row(BEHIND_LOCK, 6, 1, 2),
    "UnlockPickupDist": Row(BEHIND_LOCK, 6, 1, 2, 4),
    "BlockedUnlockPickup": Row(BLOCKED_LOCK, 6, 1, 2, horizon=576),
    "UnlockToUnlock": Row(TWO_LOCKS, 6, 1, 3, horizon=1080),
    "ActionObjDoor": _middle(FOUR_DOORS, 7, 5, ANY_VERB),
    **{f"FindObjS{size}": _middle(HIDDEN, size, horizon=20 * size**2) for size in (5, 6, 7)},
    "KeyCorridor": Row(CORRIDOR, 6, 3, 3, horizon=1080),
    **{
        f"KeyCorridorS{size}R{rows}": Row(CORRIDOR, size, rows, 3, horizon=30 * size**2)
        for size, rows in ((3, 1), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3))
    },
    **{f"OneRoomS{size}": Row(ONE_BALL, size) for size in (8, 12, 16, 20)},
    "MoveTwoAcrossS5N2": Row(TWO_SIDES, 5, 1, 2, 2, SWAP, horizon=400),
    "MoveTwoAcrossS8N9": Row(TWO_SIDES, 8, 1, 2, 9, SWAP, horizon=1024),
    "Synth": Row(GRAMMAR, 8, 3, 3, 18, locked=0.5, shapes=0b1, places=False, beyond=False),
    "SynthS5R2": Row(GRAMMAR, 5, 2, 3, 18, locked=0.5, shapes=0b1, places=False, beyond=False),
    "SynthLoc": Row(GRAMMAR, 8, 3, 3, 18, locked=0.5, shapes=0b1, beyond=False),
    "SynthSeq": Row(GRAMMAR, 8, 3, 3, 18, locked=0.5, beyond=False),
    "MiniBossLevel": Row(GRAMMAR, 5, 2, 2, 7, locked=0.25),
    "BossLevel": Row(GRAMMAR, 8, 3, 3, 18, locked=0.5),
    "BossLevelNoUnlock": Row(GRAMMAR, 8, 3, 3, 18, beyond=False),
}


#: What else kernels read of a row, and the highest value of each.
NUMBERS = {
    "family": GRAMMAR, "variant": 15, "verb": PUT_NEXT, "strict": 1, "verbs": 15, "shapes": 7, "places": 1, "spared": 1,
    "beyond": 1,
}  # fmt: skip


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
    if max(made.rows, made.columns) > 5:
        raise ParameterError(f"{name}: {made.rows} x {made.columns} rooms are too many")
    free_rows = row.family in (SCATTERED, GRAMMAR, LOCKED_ROOM)
    if made.rows != row.rows and not (free_rows or row.family == CORRIDOR):
        raise ParameterError(f"{name} has {row.rows} rows of rooms, which `rows` cannot change")
    if made.columns != row.columns and not free_rows:
        raise ParameterError(f"{name} has {row.columns} columns of rooms, which `columns` cannot change")
    least = 3 if row.family == CORRIDOR else 4 if free_rows or row.family == TWO_SIDES else 5
    if made.size < least:
        raise ParameterError(f"{name}: room_size must be at least {least}, not {made.size}")
    if (made.size - 1) * max(made.rows, made.columns) + 1 > 31:
        raise ParameterError(
            f"{name}: {made.rows} x {made.columns} rooms of {made.size} are too large; 31 cells on a side are the most"
        )
    if many == 1 and (row.verb == OPEN or row.locked or row.family == LOCKED_ROOM):
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
    if family == SCATTERED:
        most = min(room * many, 40 - (many > 9) * 20)
        if row.variant & OBSTRUCTED:
            return (10 if size <= 8 else 20), most
        put = row.verb == PUT_NEXT
        return (0 if row.verb == OPEN else 2 if put else 1), min(most, unique) if put else most
    if family == GRAMMAR:
        return 2, min(room * many, 40 - (many > 9) * 20)
    if family == LOCKED_ROOM:
        return 0, min(room - 1, 30 // many)
    if family == ORDERED_DOORS:
        return 2, 4
    if family == TWO_SIDES:
        return 1 + (row.variant == SWAP), min(room, 9)
    if family in (RED_BALL, RED_OR_BLUE):
        return 0, room - 1
    if family == ONE_OF_SOME:
        return 1, min(room, unique)
    if family == FOUR_DOORS and row.variant != DOORS_ONLY:
        return 0, min(room, unique)
    if family in (LOCAL_LOCK, BEHIND_LOCK):
        return 0, min(room - 1, 12)
    return 0, 0
