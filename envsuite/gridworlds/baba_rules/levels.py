"""Rooms with rules made of words: things, and blocks with words that are pushed together to sentences.

A level is ``{"map": rows}``, with a text for each row and a word for each cell:

    # #    #   # # #     # #
    # BALL IS WIN . .     . #
    # .    .   . . baba  . #
    # .    .   . . wall+red-ball . #
    # BABA IS YOU . .     . #
    # #    #   # # #     # #

Blocks are written in capitals and things in small letters, `#` is border and `.` nothing. A thing has a color before
it, unless it is its usual one, and may have a facing: ``blue-ball:left``; otherwise it faces right. Pieces in one cell
are joined by `+`, the lowest first. The edge is border.

The tasks, what they place where, and the words for them are those of Baba Is AI, in which a task's full name is
`task` and `distractors` together, such as "make_win-distr_obj".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.core.ranges import limited, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.gridworlds.baba_rules import pieces
from envsuite.gridworlds.baba_rules.laws import figures

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Task = Literal[
    "you_win",
    "you_win-fixed_you",
    "goto_win",
    "make_win",
    "two_room-goto_win",
    "two_room-maybe_break_stop-goto_win",
    "two_room-break_stop-goto_win",
    "two_room-make_win",
    "two_room-break_stop-make_win",
    "two_room-make_you",
    "two_room-make_you-make_win",
    "two_room-make_wall_win",
]
Distractors = Literal["none", "obj", "rule", "obj_rule", "obj-irrelevant_rule", "win_rule"]
Winners = Literal["any", "ball", "no_ball"]

# What is built; where the things are; which sentences lack a block.
CELL, ROOM, ROOMS, TWIN, WALLED = range(5)
LEFT, RIGHT, ANYWHERE = range(3)

#: For each task: what is built, where the things are, whether "stop" and "win" are broken.
TASKS: dict[str, tuple[int, int, int, int]] = {
    "you_win": (CELL, ANYWHERE, 0, 0),
    "you_win-fixed_you": (CELL, LEFT, 0, 0),
    "goto_win": (ROOM, ANYWHERE, 0, 0),
    "make_win": (ROOM, ANYWHERE, 0, 1),
    "two_room-goto_win": (ROOMS, LEFT, 1, 0),
    "two_room-maybe_break_stop-goto_win": (ROOMS, ANYWHERE, 0, 0),
    "two_room-break_stop-goto_win": (ROOMS, RIGHT, 0, 0),
    "two_room-make_win": (ROOMS, LEFT, 1, 1),
    "two_room-break_stop-make_win": (ROOMS, RIGHT, 0, 1),
    "two_room-make_you": (TWIN, RIGHT, 0, 0),
    "two_room-make_you-make_win": (TWIN, RIGHT, 0, 1),
    "two_room-make_wall_win": (WALLED, RIGHT, 0, 1),
}
#: Width and height of what is built.
SIZES = {CELL: (6, 6), ROOM: (8, 8), ROOMS: (13, 9), TWIN: (13, 9), WALLED: (13, 9)}
WIDTH, HEIGHT = SIZES[ROOMS]
MIDDLE = WIDTH // 2

#: The kinds and the colors of the things of the tasks.
_NAMES = np.array([pieces.BALL, pieces.KEY, pieces.DOOR])
_SHADES = np.array([0, 2, 1])

#: Columns and rows from which a block cannot be pushed to where it helps, in one room and in the right one of two.
_RIM = np.array([
    (4, 6), (5, 6), (6, 6), (4, 1), (5, 1), (6, 1), (6, 1), (6, 2), (6, 3), (6, 4), (6, 5), (6, 6),
])  # fmt: skip
_EDGE = np.array([(11, 2), (11, 3), (11, 4), (11, 5), (11, 6), (11, 7), (10, 7), (9, 7), (8, 7)])


@kernel
def put(s, x, y, piece):
    """Put a piece on top of a cell."""
    depth = 0
    while s.level.pieces[y, x, depth] != pieces.NOTHING:
        depth += 1
    s.level.pieces[y, x, depth] = piece


@kernel
def take(s, x, y):
    """Remove the only piece of a cell, and return it."""
    piece = np.int64(s.level.pieces[y, x, 0])
    s.level.pieces[y, x, 0] = pieces.NOTHING
    return piece


@kernel
def write(s, x, y, kind, word):
    """Put the blocks of "kind is word" in a row."""
    put(s, x, y, pieces.BLOCK + kind)
    put(s, x + 1, y, pieces.BLOCK + pieces.IS)
    put(s, x + 2, y, pieces.BLOCK + word)


@large_kernel
def place(s, piece, x, y, width, height):
    """Put a piece into a random empty cell of a rectangle; the edge of the map is never empty."""
    to_x, to_y = min(x + width, s.level.pieces.shape[1]), min(y + height, s.level.pieces.shape[0])
    count = 0
    for j in range(y, to_y):
        for i in range(x, to_x):
            count += s.level.pieces[j, i, 0] == pieces.NOTHING
    left = randint(s, count)
    for j in range(y, to_y):
        for i in range(x, to_x):
            if s.level.pieces[j, i, 0] == pieces.NOTHING:
                if left == 0:
                    s.level.pieces[j, i, 0] = piece
                left -= 1


@kernel
def enclose(s, width, height):
    """An empty room at the top left of the map; the rest is border."""
    for y in range(s.level.pieces.shape[0]):
        for x in range(s.level.pieces.shape[1]):
            inside = 0 < x < width - 1 and 0 < y < height - 1
            for depth in range(pieces.DEPTH):
                s.level.pieces[y, x, depth] = pieces.BORDER if depth == 0 and not inside else pieces.NOTHING


@kernel
def draw_kinds(s):
    """Three different kinds, of which the first may win."""
    first = 0 if s.params.ball else 1 + randint(s, 2) if s.params.no_ball else randint(s, 3)
    second = (first + 1 + randint(s, 2)) % 3
    return _NAMES[first], _NAMES[second], _NAMES[3 - first - second]


@kernel
def colored(s, kind):
    """A thing of a kind in a random color."""
    return pieces.THING + pieces.SHADES * kind + _SHADES[randint(s, 3)]


@large_kernel
def make_cell(s):
    """Four things in a square; two sentences with colors say which is "you" and which, beside it, is "win"."""
    enclose(s, 6, 6)
    for y in range(3, 5):
        put(s, 1, y, pieces.BORDER)
        put(s, 4, y, pieces.BORDER)
    corner = randint(s, 4) if s.params.side == ANYWHERE else 0
    win = corner ^ (1 + randint(s, 2))  # a neighbor in the square
    taken = np.int64(0)
    for k in range(4):
        spot = corner if k == 0 else win if k == 1 else corner ^ 3 if k == 2 else win ^ 3
        while True:
            number = randint(s, 9)
            if taken >> number & 1 == 0:
                break
        taken |= np.int64(1) << number
        kind, color = _NAMES[number // 3], _SHADES[number % 3]
        put(s, 2 + (spot & 1), 3 + (spot >> 1), pieces.THING + pieces.SHADES * kind + color)
        if k < 2:
            put(s, 1, 1 + k, pieces.BLOCK + pieces.COLOR + color)
            write(s, 2, 1 + k, kind, pieces.PROPERTY + (pieces.YOU if k == 0 else pieces.WIN))


@large_kernel
def make_room(s):
    """One room with "baba is you" and a sentence that makes a thing win, or would if it were complete."""
    enclose(s, 8, 8)
    first, second, third = draw_kinds(s)
    write(s, 1, 6, pieces.BABA, pieces.PROPERTY + pieces.YOU)
    write(s, 1, 1, first, pieces.PROPERTY + pieces.WIN)
    if s.params.broken_win:
        place(s, take(s, 1, 1), 2, 2, 4, 4)
    if s.params.block:
        spot = randint(s, _RIM.shape[0])
        put(s, _RIM[spot, 0], _RIM[spot, 1], pieces.BLOCK + (third if s.params.irrelevant else second))
    place(s, pieces.THING + pieces.SHADES * pieces.BABA + pieces.USUAL[pieces.BABA], 1, 2, 6, 6)
    place(s, colored(s, first), 1, 2, 6, 6)
    if s.params.thing:
        place(s, colored(s, second), 1, 2, 6, 6)
    if s.params.win_rule:
        write(s, 4, 4, third, pieces.PROPERTY + pieces.WIN)


@kernel
def part(s):
    """Two rooms with a wall of things between them."""
    enclose(s, WIDTH, HEIGHT)
    for y in range(1, HEIGHT - 1):
        put(s, MIDDLE, y, pieces.THING + pieces.SHADES * pieces.WALL + pieces.USUAL[pieces.WALL])


@kernel
def place_things(s, first, second, thing):
    """Place the thing that can win, and perhaps another one, on the side of the task."""
    side = s.params.side
    for k in range(2):
        piece = colored(s, first if k == 0 else second)
        if k == 0 or thing:
            x = MIDDLE + 1 if side == RIGHT else 1
            place(s, piece, x, 1 if side == LEFT else 2, WIDTH - 2 if side == ANYWHERE else MIDDLE - 2, HEIGHT - 2)


@large_kernel
def make_rooms(s):
    """Two rooms, baba in the left one; "wall is stop" and the sentence about "win" may lack a block."""
    part(s)
    first, second, third = draw_kinds(s)
    write(s, 1, HEIGHT - 2, pieces.BABA, pieces.PROPERTY + pieces.YOU)
    write(s, 1, 2, pieces.WALL, pieces.PROPERTY + pieces.STOP)
    write(s, WIDTH - 4, 1, first, pieces.PROPERTY + pieces.WIN)
    if s.params.block:
        if s.params.thing and not s.params.irrelevant:
            spot = randint(s, _EDGE.shape[0])
            put(s, _EDGE[spot, 0], _EDGE[spot, 1], pieces.BLOCK + second)
        else:
            place(s, pieces.BLOCK + (third if s.params.irrelevant else second), MIDDLE + 1, 3, MIDDLE - 2, HEIGHT - 6)
    if s.params.broken_stop:
        place(s, take(s, 2 + randint(s, 2), 2), 2, 3, MIDDLE - 2, HEIGHT - 6)
    if s.params.broken_win:
        place(s, take(s, WIDTH - 4, 1), MIDDLE + 1, 3, MIDDLE - 2, HEIGHT - 6)
    place(s, pieces.THING + pieces.SHADES * pieces.BABA + pieces.USUAL[pieces.BABA], 2, 3, MIDDLE - 2, HEIGHT - 6)
    place_things(s, first, second, s.params.thing)
    if s.params.win_rule:
        write(s, WIDTH - 4, 4, third, pieces.PROPERTY + pieces.WIN)


@large_kernel
def make_twin(s):
    """Two rooms; the right one can only be reached as another thing, which a block in the left room names."""
    part(s)
    first, second, _ = draw_kinds(s)
    write(s, 1, HEIGHT - 3, pieces.BABA, pieces.PROPERTY + pieces.YOU)
    write(s, 1, 1, pieces.WALL, pieces.PROPERTY + pieces.STOP)
    write(s, WIDTH - 4, 1, first, pieces.PROPERTY + pieces.WIN)
    place(s, pieces.BLOCK + second, 2, 3, MIDDLE - 3, HEIGHT - 6)
    if s.params.broken_win:
        place(s, take(s, WIDTH - 4, 1), MIDDLE + 2, 3, MIDDLE - 3, HEIGHT - 6)
    place(s, pieces.THING + pieces.SHADES * pieces.BABA + pieces.USUAL[pieces.BABA], 2, 3, MIDDLE - 3, HEIGHT - 6)
    place_things(s, first, second, True)


@large_kernel
def make_walled(s):
    """Two rooms; no thing but the wall can be made to win."""
    part(s)
    first, second, third = draw_kinds(s)
    write(s, 1, HEIGHT - 2, pieces.BABA, pieces.PROPERTY + pieces.YOU)
    write(s, 2, 2, pieces.WALL, pieces.PROPERTY + pieces.STOP)
    write(s, WIDTH - 4, 1, first, pieces.PROPERTY + pieces.WIN)
    place(s, pieces.BLOCK + third, MIDDLE + 2, 3, MIDDLE - 3, HEIGHT - 6)
    spot = randint(s, _EDGE.shape[0])
    put(s, _EDGE[spot, 0], _EDGE[spot, 1], take(s, WIDTH - 4, 1))
    place(s, pieces.THING + pieces.SHADES * pieces.BABA + pieces.USUAL[pieces.BABA], 2, 3, MIDDLE - 3, HEIGHT - 6)
    place_things(s, first, second, True)


@large_kernel
def make(s):
    """A level of the task."""
    built = s.params.built
    if built == CELL:
        make_cell(s)
    elif built == ROOM:
        make_room(s)
    elif built == ROOMS:
        make_rooms(s)
    elif built == TWIN:
        make_twin(s)
    else:
        make_walled(s)


class RuleRooms(Generator):
    """Rooms of a task.

    Args:
        task: what is to be done.
        distractors: what is there besides, in the tasks from "goto_win" to "two_room-break_stop-make_win".
        winners: which things win, in the same tasks with one room.
        width, height: cells of the map; None: those of the task's rooms.
    """

    make = make

    def __init__(
        self,
        task: Task = "make_win",
        distractors: Distractors = "none",
        winners: Winners = "any",
        width: Annotated[int | None, Between(pieces.SMALLEST, pieces.LARGEST)] = None,
        height: Annotated[int | None, Between(pieces.SMALLEST, pieces.LARGEST)] = None,
    ):
        built, side, broken_stop, broken_win = TASKS[task]
        if built not in (ROOM, ROOMS) and distractors != "none":
            raise ParameterError(f"the task {task!r} has no distractors {distractors!r}, only 'none'")
        if built != ROOM and winners != "any":
            raise ParameterError(f"the task {task!r} has no winners {winners!r}, only 'any'")
        least = SIZES[built]
        size = width or least[0], height or least[1]
        if size[0] < least[0] or size[1] < least[1]:
            raise ParameterError(
                f"the task {task!r} needs a map of {least[0]} x {least[1]} cells or more, not of {size[0]} x {size[1]}"
            )
        shape = size[1], size[0]
        flags = dict(
            broken_stop=broken_stop,
            broken_win=broken_win,
            thing=distractors not in ("none", "rule"),
            block=distractors not in ("none", "obj"),
            irrelevant=distractors == "obj-irrelevant_rule",
            win_rule=distractors == "win_rule",
            ball=winners == "ball",
            no_ball=winners == "no_ball",
        )
        self.define(
            level=[
                ("pieces", within(np.uint8, *pieces.piece_bounds(*shape, 4 * pieces.TURN - 1)), (*shape, pieces.DEPTH))
            ],
            params={
                "built": limited(built, CELL, WALLED),
                "side": limited(side, LEFT, ANYWHERE),
                **{name: limited(int(value), 0, 1) for name, value in flags.items()},
            },
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        height, width = _read(level).shape[:2]
        return cls("you_win", width=width, height=height)

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": pieces.write_map(s.level.pieces)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.pieces[:] = _read(level)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures.

        The difficulty is 1, and 1 more if no thing on the map is "win", and if "you" cannot reach all other things
        before a sentence changes. In the tasks of each difficulty, solutions by the policy `planner` have 2, 15 and 19
        moves on average. Whether the level can be solved is not searched for.
        """
        found = _read(level)
        wins, reaches = figures(found)
        return {"size": list(found.shape[:2]), "solvable": None, "difficulty": 1 + (not wins) + (not reaches)}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The map."""
        height, width, _ = _read(level).shape
        world: Any = registry.build("envsuite/BabaRules-v0", {"task": "you_win", "height": height, "width": width})
        batch = Batch(world, 1, compiled=False)
        batch.start(0, [level])
        return world.scene(batch.record())


def _read(level: Mapping[str, Any]) -> np.ndarray:
    """The pieces of a level of this kind."""
    return pieces.read_map(level, "rule_rooms", pieces.SMALLEST)
