"""The engine of rooms: MiniGrid's objects, actions and partial view, compiled. DoorKey and similar worlds use it.

A cell is one byte, its *code*. The low four bits are the kind of object, the next three its color, and the highest bit
is set if the cell blocks sight. Kinds are MiniGrid's object types, except that closed doors and locked doors are kinds
of their own. A code thus holds all of MiniGrid's ``(type, color, state)``, and `DECODE` returns them.

The grid is kept flat, row after row, between `MARGIN` rows of wall above and below. One step in any facing is thus one
addition, and no view leaves the grid. A view may extend over the grid's left or right edge into the next row. Nothing
there is ever seen: levels have walls all around, and walls block sight. Worlds with a view through walls also have
`MARGIN` columns of wall after each row, and use `observe_all`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from gymnasium import spaces

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, Pattern, Text
from envsuite.core.ranges import below, within
from envsuite.core.record import as_views
from envsuite.core.world import World
from envsuite.kit.grid import DX, DY, EAST, NORTH
from envsuite.render import scene as pictures
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, Shape, footer

#: MiniGrid's names by number.
TYPES = ("unseen", "empty", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent")
COLORS = ("red", "green", "blue", "purple", "yellow", "grey")
STATES: tuple[Literal["open", "closed", "locked"], ...] = ("open", "closed", "locked")

ACTIONS = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE = range(7)

# Kinds: MiniGrid's types, where DOOR is an open door, and two more.
UNSEEN, EMPTY, WALL, FLOOR, DOOR, KEY, BALL, BOX, GOAL, LAVA, AGENT = range(11)
CLOSED, LOCKED = 11, 12
KIND, COLOR, OPAQUE = 0x0F, 0x70, 0x80

RED, GREEN, BLUE, PURPLE, YELLOW, GREY = (k << 4 for k in range(6))
GREY_WALL = OPAQUE | GREY | WALL

# Sets of kinds, as bits.
_WALKABLE = 1 << EMPTY | 1 << FLOOR | 1 << DOOR | 1 << GOAL | 1 << LAVA
_PORTABLE = 1 << KEY | 1 << BALL | 1 << BOX

#: The view is VIEW x VIEW cells; the agent stands in the middle of the nearest row, cell (MIDDLE, VIEW - 1).
VIEW, MIDDLE = 7, 3
#: Rows of wall above and below the grid.
MARGIN = VIEW - 1


def _decode() -> np.ndarray:
    """(256, 3) uint8: the type, color and state of a code."""
    kind, color = np.arange(256) & KIND, (np.arange(256) & COLOR) >> 4
    closed = np.isin(kind, (CLOSED, LOCKED))
    parts = [np.where(closed, DOOR, kind), color, np.where(closed, kind - CLOSED + 1, 0)]
    return np.stack(parts, axis=1).astype(np.uint8)


def _spread() -> np.ndarray:
    """(128, 128) uint8: the cells lit by a row, as bits, from its clear cells and its lit cells.

    Light spreads along a row through clear cells to both sides. Each lit clear cell lights its neighbors in the row and
    the three cells beyond it in the next row, whose own clear cells spread it further. (MiniGrid's `process_vis`.)
    """
    clear, lit = np.meshgrid(np.arange(1 << VIEW), np.arange(1 << VIEW), indexing="ij")
    lit = lit & clear
    for _ in range(VIEW):
        lit = lit | clear & (lit << 1 | lit >> 1)
    return ((lit | lit << 1 | lit >> 1) & (1 << VIEW) - 1).astype(np.uint8)


DECODE = _decode()
SPREAD = _spread()
#: `DECODE` with a row's bytes in one word, the type lowest.
PACKED = (DECODE.astype(np.uint32) << np.array([0, 8, 16], np.uint32)).sum(axis=1, dtype=np.uint32)


def _encode() -> np.ndarray:
    """The code of each type, color and state that may be in a level, 0 for others."""
    encode = np.zeros((AGENT + 1, len(COLORS), len(STATES)), np.uint8)
    encode[EMPTY, 0, 0] = EMPTY
    for color in range(len(COLORS)):
        for kind in (WALL, FLOOR, DOOR, CLOSED, LOCKED, KEY, BALL, BOX, GOAL, LAVA):
            code = color << 4 | kind | OPAQUE * (kind in (WALL, CLOSED, LOCKED))
            encode[tuple(DECODE[code])] = code
    return encode


ENCODE = _encode()
#: Whether a number is a code that may be in a level, the highest such code, and whether it can be carried.
_KNOWN = np.isin(np.arange(256), ENCODE) & (np.arange(256) != UNSEEN)
_HIGHEST = int(_KNOWN.nonzero()[0][-1])
_CARRIED = _KNOWN & np.isin(np.arange(256) & KIND, (EMPTY, KEY, BALL, BOX))


# Pages for players.

_VIEW = "You see the 7 x 7 cells in front of you: you stand in the middle of the nearest row of them."
#: What players see, in levels without doors, with doors, and where walls do not block sight.
SIGHT = (_VIEW, "Walls hide what is behind them.")
SIGHT_DOORS = (_VIEW, "Walls and closed doors hide what is behind them.")
SIGHT_THROUGH = (_VIEW, "You also see what is behind walls.")
#: Actions with objects and doors, as pages tell them.
PICK_UP = "pick up the object in front of you, if you carry nothing"
PUT_DOWN = "put what you carry onto the cell in front of you, if that cell is empty"
OPEN_OR_CLOSE = "open or close the door in front of you"
UNLOCK = (
    "open or close the door in front of you; a locked door opens only if you carry the key of its color; you keep the "
    "key, and the door stays unlocked"
)
#: What follows `UNLOCK` in levels with boxes.
LOSE_BOX = "; a box in front of you is gone for good"
NO_EFFECT = "do nothing"


def page(
    role: str,
    success: Text,
    rules: Sequence[Text],
    acts: Mapping[Pattern, Text],
    over: str,
    sees: Text = SIGHT,
    lost: Text = (),
    constants: Mapping[str, str] | None = None,
    unsaid: Mapping[str, str] | None = None,
) -> Page:
    """A page for players of rooms.

    Args:
        role: who the player is.
        success: what pays, as the subject of a sentence.
        rules: the rules besides those of moving.
        acts: what actions do, besides turning and walking.
        over: when it is over, besides after the last action, as a clause.
        sees: `SIGHT`, `SIGHT_DOORS` or `SIGHT_THROUGH`.
        lost: what else pays or costs.
        constants: more numbers that no parameter changes.
        unsaid: parameters that players are not told.
    """
    return Page(
        role=role,
        goal=(
            success,
            "with your action number t pays 1 - 0.9 t / {horizon} points: the earlier, the more.",
            lost or "Nothing else pays.",
        ),
        rules=rules,
        sees=sees,
        acts={
            ("left", "right"): "make a quarter turn on the spot",
            "forward": "walk onto the cell in front of you, if nothing is in the way",
            **acts,
        },
        ends=f"It is over when {over}, or after {{horizon:action}}.",
        constants={
            "1": "point",
            "0.9": "what it becomes less",
            "quarter": "a turn",
            "7": "the view",
            **(constants or {}),
        },
        unsaid=unsaid or {},
    )


def level_fields(width: int, height: int, places: Collection[str] = ()) -> list[tuple]:
    """The fields of `s.level`. `places` are the cells that a level names in addition to the agent's."""
    place = within(np.int64, 0, (width - 1, height - 1))
    fields: list[tuple] = [
        ("grid", within(np.uint8, EMPTY, _HIGHEST), (height, width)),  # codes
        ("agent", place, (2,)),  # column and row, as all places
        ("direction", below(np.int64, 4)),  # a facing
    ]
    return fields + [(name, place, (2,)) for name in places]


def room_fields(
    width: int, height: int, places: Collection[str], see_through: bool, level: Sequence[tuple] = ()
) -> list[tuple]:
    """The fields of the record that all worlds of rooms have; `level` are fields of `s.level` in addition."""
    right = MARGIN if see_through else 0
    low, high = (
        np.pad(np.full((height, width), code), ((MARGIN, MARGIN), (0, right)), constant_values=GREY_WALL).reshape(-1)
        for code in (EMPTY, _HIGHEST)
    )
    row = width + right
    last = (height + MARGIN - 1) * row + width - 1
    fields: list[tuple] = [
        ("agent", within(np.int64, (1 + MARGIN) * row + 1, last - row - 1)),  # its cell of the flat grid
        ("direction", below(np.int64, 4)),  # a facing
        ("carrying", within(np.uint8, EMPTY, GREY | BOX)),  # a code, EMPTY for nothing
        ("grid", within(np.uint8, low, high), (low.size,)),  # codes, row after row
        ("level", np.dtype([*level_fields(width, height, places), *level], align=True)),
    ]
    # its cell of the flat grid, 0 once it is gone
    return fields + [("target", within(np.int64, 0, last))] * ("target" in places)


@kernel
def begin(s):
    """Copy the level into the record; the last part of every room's reset."""
    height, width = s.level.grid.shape
    fill(s.grid, GREY_WALL)
    for y in range(height):
        for x in range(width):
            s.grid[(y + MARGIN) * row_length(s) + x] = s.level.grid[y, x]
    s.agent = cell_of(s, s.level.agent)
    s.direction = s.level.direction
    s.carrying = EMPTY


@kernel
def row_length(s):
    """The number of cells in a row of the flat grid, the margin included."""
    return s.grid.shape[0] // (s.level.grid.shape[0] + 2 * MARGIN)  # shapes are compile-time constants


@kernel
def cell_of(s, place):
    """The cell of the flat grid for a column and row of the level."""
    return (place[1] + MARGIN) * row_length(s) + place[0]


@kernel
def stride(s, direction):
    """The offset in the flat grid of the next cell in a direction."""
    return DX[direction] + DY[direction] * row_length(s)


@kernel
def walkable(code):
    """Whether the agent can walk onto a cell."""
    return _WALKABLE >> (code & KIND) & 1 != 0


@kernel
def act(s, action):
    """Carry out an action; return the kind of the cell that the agent has entered, or UNSEEN if it has entered none."""
    if action == LEFT:
        s.direction = (s.direction + 3) & 3
        return UNSEEN
    if action == RIGHT:
        s.direction = (s.direction + 1) & 3
        return UNSEEN
    ahead = np.uint64(s.agent + stride(s, s.direction))
    code = np.int64(s.grid[ahead])
    kind = code & KIND
    if action == FORWARD:
        if walkable(code):
            s.agent = ahead
            return kind
    elif action == PICKUP:
        if s.carrying == EMPTY and _PORTABLE >> kind & 1:
            s.carrying = code
            s.grid[ahead] = EMPTY
    elif action == DROP:
        if kind == EMPTY:
            s.grid[ahead] = s.carrying
            s.carrying = EMPTY
    elif action == TOGGLE:
        color = code & COLOR
        if kind == CLOSED or (kind == LOCKED and s.carrying == color | KEY):
            s.grid[ahead] = color | DOOR
        elif kind == DOOR:
            s.grid[ahead] = OPAQUE | color | CLOSED
        elif kind == BOX:
            s.grid[ahead] = EMPTY
    return UNSEEN


@kernel
def succeed(s, rewards):
    """Give MiniGrid's reward for success, and terminate."""
    rewards[0] = 1.0 - 0.9 * (s.t / s.params.horizon)
    s.terminated[0] = 1


@kernel
def take_turn(s, action, rewards):
    """MiniGrid's transition: walking onto the goal is success; lava ends the episode without a reward."""
    entered = act(s, action)
    if entered == GOAL:
        succeed(s, rewards)
    if entered == LAVA:
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def step(s, actions, rewards):
    """The transition of worlds whose goal is a cell."""
    take_turn(s, actions[0], rewards)


@kernel
def begin_errand(s):
    """`begin`, and find the target's cell."""
    begin(s)
    s.target = cell_of(s, s.level.target)


def reset_by(layout: Callable, begin: Callable = begin) -> Any:
    """The reset of a world whose levels this kernel draws; `begin` or `begin_errand` is its last part."""

    @kernel
    def reset(s):
        if not s.level_given:
            layout(s)
        begin(s)

    return reset


@kernel
def step_fetch(s, actions, rewards):
    """The transition of worlds whose target must be picked up."""
    take_turn(s, actions[0], rewards)
    if s.grid[np.uint64(s.target)] == EMPTY:
        if actions[0] == PICKUP:
            succeed(s, rewards)
        s.target = 0  # toggling can remove a box; cell 0 is always a wall


@kernel
def sight(s, row, ahead, right):
    """The cells that the agent sees: bit 8 j + i is cell (i, j) of the view. `row` is the nearest row's left cell."""
    lit = 1 << MIDDLE
    seen = 0
    for j in range(VIEW - 1, -1, -1):
        clear = 0
        for i in range(VIEW):
            clear |= (s.grid[np.uint64(row + i * right)] < OPAQUE) << i
        onward = np.int64(SPREAD[clear, lit])
        seen |= (lit | onward) << (8 * j)
        lit = onward
        row += ahead
    return seen


@kernel
def observe(s, agent, out):
    """MiniGrid's partial view and the agent's direction."""
    ahead = stride(s, s.direction)
    right = stride(s, (s.direction + 1) & 3)
    nearest = s.agent - MIDDLE * right
    show(s, nearest, ahead, right, sight(s, nearest, ahead, right), out)


@kernel
def observe_all(s, agent, out):
    """`observe`, with a view through walls."""
    ahead = stride(s, s.direction)
    right = stride(s, (s.direction + 1) & 3)
    show(s, s.agent - MIDDLE * right, ahead, right, -1, out)


@kernel
def observe_fetch(s, agent, out):
    """`observe`, and the color of the object to pick up, which the mission names."""
    observe(s, agent, out)
    target = s.level.target
    out.color = (s.level.grid[np.uint64(target[1]), np.uint64(target[0])] & COLOR) >> 4


@kernel
def show(s, nearest, ahead, right, seen, out):
    """Write the cells that are `seen`, and the direction."""
    farthest = nearest + (VIEW - 1) * ahead
    for i in range(VIEW):
        for j in range(VIEW):
            # Numba wraps negative indices around unless they are unsigned.
            code = s.grid[np.uint64(farthest + i * right - j * ahead)]
            cell = PACKED[code] if seen >> (8 * j + i) & 1 else np.uint32(0)
            out.image[i, j, 0] = cell & 255
            out.image[i, j, 1] = cell >> 8 & 255
            out.image[i, j, 2] = cell >> 16
    for k in range(3):  # the agent sees what it carries where it stands
        out.image[MIDDLE, VIEW - 1, k] = DECODE[s.carrying, k]
    out.direction = s.direction


def name(code: int) -> str:
    """A code in words: ``a locked yellow door``."""
    kind, color = code & KIND, COLORS[(code & COLOR) >> 4]
    if kind in (EMPTY, UNSEEN):
        return "nothing"
    if kind in (DOOR, CLOSED, LOCKED):
        state = STATES[DECODE[code, 2]]
        return f"{'an' if state == 'open' else 'a'} {state} {color} door"
    if kind in (WALL, LAVA):
        return TYPES[kind]
    return f"a {color} {TYPES[kind]}"


def enclosed(codes: np.ndarray, place: Sequence[int]) -> np.ndarray:
    """The cells of a grid (height, width) within the walls around a place; walls that touch at corners are closed."""
    free = codes & KIND != WALL
    height, width = free.shape
    inside = np.zeros_like(free)
    inside[place[1], place[0]] = True
    while True:
        near = np.pad(inside, 1)
        grown = free & np.any([near[j : j + height, i : i + width] for j in range(3) for i in range(3)], axis=0)
        if np.array_equal(grown, inside):
            return inside
        inside = grown


# Levels as plain data. `places` are the cells that a level names in addition to the agent's, and their allowed kinds.


def read_level(level: Any, data: Mapping[str, Any], places: Mapping[str, Collection[int]], label: str) -> None:
    """Fill `s.level` from plain data, or raise a `LevelError` that says what is wrong and change nothing."""
    height, width = level.grid.shape
    grid = np.asarray(data["grid"])
    if grid.shape != (height, width, 3) or grid.dtype.kind not in "iu":
        raise LevelError(
            f"{label}: the level's grid must be {height} rows of {width} cells of three integers, "
            f"[type, colour, state]; this one is {grid.dtype} of shape {grid.shape}"
        )
    inside: np.ndarray = np.all((grid >= 0) & (grid < ENCODE.shape), axis=2)
    known = np.where(inside[..., None], grid, UNSEEN)
    codes = ENCODE[known[..., 0], known[..., 1], known[..., 2]]
    for y, x in np.argwhere(codes == 0):
        raise LevelError(f"{label}: the level has no object {grid[y, x].tolist()}, at x={x}, y={y}")
    cells = {}
    for what, kinds in {"agent": (EMPTY, FLOOR), **places}.items():
        x, y = (operator.index(number) for number in data[what])
        within = 0 <= x < width and 0 <= y < height
        if not (within and codes[y, x] & KIND in kinds):
            found = name(codes[y, x]) if within else "outside"
            wanted = " or ".join("an empty cell" if kind == EMPTY else name(kind) for kind in kinds if kind != FLOOR)
            raise LevelError(f"{label}: the level's {what} must be [x, y] of {wanted}; [{x}, {y}] is {found}")
        cells[what] = x, y
    direction = operator.index(data["direction"])
    if not EAST <= direction <= NORTH:
        raise LevelError(f"{label}: the level's direction must be 0 east, 1 south, 2 west or 3 north, not {direction}")
    edge = enclosed(codes, cells["agent"])
    edge[1:-1, 1:-1] = False
    for y, x in np.argwhere(edge):
        raise LevelError(f"{label}: the level must have walls all around, not {name(codes[y, x])} at x={x}, y={y}")
    level.grid[...] = codes
    level.direction = direction
    for what, cell in cells.items():
        level[what][:] = cell


def write_level(level: Any, places: Collection[str]) -> dict[str, Any]:
    """`s.level` as plain data."""
    cells = {what: level[what].tolist() for what in ("agent", *places)}
    return {"grid": DECODE[level.grid].tolist(), **cells, "direction": int(level.direction)}


class Rooms(World):
    """A world of rooms: MiniGrid's actions, view, levels and pictures. Subclasses add a reset, a mission and a size."""

    paid_at_end = True
    masked = False
    keys = {
        "left": "left",
        "right": "right",
        "up": "forward",
        "space": "toggle",
        "p": "pickup",
        "d": "drop",
        "return": "done",
    }
    #: The task in words; braces stand for the target, if there is one.
    mission: ClassVar[str]
    #: Whether the agent sees through walls and doors; needs `observe_all`.
    see_through: ClassVar[bool] = False
    #: Cells that a level names in addition to the agent's, such as a target, and their allowed kinds.
    places: Mapping[str, Collection[int]] = {}

    def lay_out(
        self,
        width: int,
        height: int,
        horizon: int | np.ndarray,
        *,
        actions: Sequence[str] = ACTIONS,
        parts: Mapping[str, spaces.Space] | None = None,
        fields: Sequence[tuple] = (),
        level: Sequence[tuple] = (),
        params: Mapping[str, Any] | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        """Define the world for levels of `width` x `height` cells.

        Args:
            horizon: steps until truncation.
            actions: the first of MiniGrid's actions.
            parts: parts of the observation in addition to image and direction.
            fields: fields of the record in addition to the engine's own.
            level: fields of `s.level` in addition to the engine's own.
            params: tunable numbers in addition to the horizon.
        """
        image = _codes((VIEW, VIEW), (LAVA, 5, 2))
        self.define(
            agents=["agent"],
            actions=actions,
            observation=spaces.Dict({"image": image, "direction": spaces.Discrete(4), **(parts or {})}),
            fields=[*room_fields(width, height, self.places, self.see_through, level), *fields],
            params={"horizon": horizon, **(params or {})},
            reward_range=reward_range,
        )

    def limit_of(self, s: Any) -> int:
        """The number of actions until truncation."""
        return int(s.params.horizon)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"horizon": self.limit_of(s)}

    def mission_of(self, s: Any) -> str:
        """The task of this episode in words."""
        if "target" not in self.places:
            return self.mission
        x, y = s.level.target
        return self.mission.format(name(s.level.grid[y, x]).split(" ", 1)[1])

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        """Take ``{"grid", "agent", "direction"}`` and `places`, the grid as rows of [type, color, state]."""
        read_level(s.level, level, self.places, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        """The level that this episode started from, as `set_level` takes it."""
        return write_level(s.level, self.places)

    def contradiction(self, s: Any) -> str | None:
        height, width = s.level.grid.shape
        grid = inner(s.grid, (height, width))
        y, x = divmod(int(s.agent), row_length(s))
        y -= MARGIN
        if s.t > self.limit_of(s):
            return "the last step is over"
        if not (_KNOWN[grid].all() and _KNOWN[s.level.grid].all() and _CARRIED[s.carrying]):
            return "there is a code of nothing"
        if "target" in self.places and " " not in name(int(s.level.grid[s.level.target[1], s.level.target[0]])):
            return "the level's target is no thing"
        if not 0 < x < width - 1 or not walkable(int(s.grid[s.agent])):
            return "the agent is where it cannot be"
        edge = np.ones(grid.shape, np.bool_)
        edge[1:-1, 1:-1] = False
        if (grid[edge] & KIND != WALL).any() and enclosed(grid, (x, y))[edge].any():
            return "there are no walls all around"
        return None

    def state_space(self) -> spaces.Space:
        """`grid`, MiniGrid's fully observable image with the agent in it, and `carrying`, one cell with the carried
        object.
        """
        height, width = self.record["level"]["grid"].shape
        return spaces.Dict({"grid": _codes((width, height), (AGENT, 5, 3)), "carrying": _codes((), (BOX, 5, 0))})

    def state(self, records: np.ndarray, observations: np.ndarray) -> dict[str, np.ndarray]:
        """The whole grid and the carried object, of N records."""
        grid = DECODE[inner(records["grid"], records["level"]["grid"].shape[1:]).swapaxes(-1, -2)]
        y, x = np.divmod(records["agent"], row_length(as_views(records)[0]))
        agent = [np.full(len(records), AGENT), np.zeros(len(records)), records["direction"]]
        grid[np.arange(len(records)), x, y - MARGIN] = np.stack(agent, axis=1)
        return {"grid": grid, "carrying": DECODE[records["carrying"]]}

    def view(self, s: Any) -> np.ndarray:
        """(7, 7) codes of the agent's observation, in the order of MiniGrid's image."""
        return ENCODE[tuple(np.moveaxis(self.observation(s, 0).image, 2, 0))]

    def text(self, s: Any, agent: int) -> str:
        """The mission and what the agent sees, as a list and as a map."""
        codes = self.view(s)
        codes[MIDDLE, VIEW - 1] = EMPTY
        found = []
        for j in range(VIEW - 1, -1, -1):
            for i in sorted(range(VIEW), key=lambda i: abs(i - MIDDLE)):
                if codes[i, j] & KIND not in (UNSEEN, EMPTY, WALL, FLOOR):
                    found.append(f"{name(codes[i, j])} {_where(VIEW - 1 - j, i - MIDDLE)}")
        rows = ["  " + " ".join(_GLYPHS[code & KIND] for code in row) for row in codes.T]
        rows[-1] = rows[-1][: 2 + 2 * MIDDLE] + "^" + rows[-1][3 + 2 * MIDDLE :]
        front = int(codes[MIDDLE, VIEW - 2])
        return "\n".join(
            [
                f"Mission: {self.mission_of(s)}.",
                f"You face {('east', 'south', 'west', 'north')[s.direction]} and carry {name(int(s.carrying))}.",
                f"In front of you: {name(front)}.",
                f"You see: {'; '.join(found) if found else 'no object'}.",
                "Your view (you are ^, ahead is up; # wall, . free, ? unseen):",
                *rows,
            ]
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The whole grid from above, with the agent's view lit; or the view, with ahead up and unseen cells dark."""
        if agent is not None:
            codes = self.view(s).T
            codes[VIEW - 1, MIDDLE] = EMPTY
            scene = Scene(VIEW, VIEW)
            scene.add(*plan(codes, (MIDDLE, VIEW - 1)), arrow(MIDDLE, VIEW - 1, NORTH))
            self._strip(s, scene)
            return scene
        height, width = s.level.grid.shape
        y, x = divmod(s.agent, row_length(s))
        east, south = DX[s.direction], DY[s.direction]
        lit = set()
        for i, j in np.argwhere(self.view(s) != UNSEEN).tolist():
            ahead, right = VIEW - 1 - j, i - MIDDLE
            lit.add((x + ahead * east - right * south, y - MARGIN + ahead * south + right * east))
        scene = Scene(width, height)
        scene.add(*plan(inner(s.grid, (height, width)), s.level.agent, lit))
        scene.add(arrow(x, y - MARGIN, s.direction))
        self._strip(s, scene)
        return scene

    def _strip(self, s: Any, scene: Scene) -> None:
        """The clock and the carried object, below the grid."""
        bottom = scene.height
        y = footer(scene, f"{s.t} / {self.limit_of(s)}")
        side = scene.height - bottom
        slot = Rect(scene.width - side, bottom + 0.06 * side, 0.88 * side, 0.88 * side, "panel", "line", radius=0.12)
        scene.add(slot, *_thing(int(s.carrying), scene.width - 0.56 * side, y, 0.85 * side))


def inner(grids: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The level's part (..., height, width) of flat grids (..., cells)."""
    height, width = shape
    rows = grids.reshape(*grids.shape[:-1], height + 2 * MARGIN, -1)
    return rows[..., MARGIN : MARGIN + height, :width]


def plan(codes: np.ndarray, inside: Sequence[int], lit: Collection[tuple[int, int]] = ()) -> list[Shape]:
    """A grid (height, width) from above with some cells (x, y) lit. Cells that walls separate from `inside` are blank.

    Unseen cells are dark. Worlds of rooms and their levels look like this.
    """
    height, width = codes.shape
    shapes = pictures.grid(0, 0, width, height)
    blank = (codes == EMPTY) & ~enclosed(codes, inside)
    for y, x in np.ndindex(height, width):
        code = int(codes[y, x])
        if blank[y, x]:
            shapes.append(Rect(x, y, 1, 1, "paper"))
        elif code == UNSEEN:
            shapes.append(Rect(x, y, 1, 1, "shadow"))
        elif code & KIND in (WALL, FLOOR):
            color = COLORS[(code & COLOR) >> 4]
            wall = "wall" if color == "grey" else color
            shapes.append(Rect(x, y, 1, 1, wall if code & KIND == WALL else f"{color}@0.3"))
        if (x, y) in lit:
            shapes.append(Rect(x, y, 1, 1, "white@0.12" if code & KIND == WALL else "highlight@0.3"))
        shapes.extend(_thing(code, x + 0.5, y + 0.5))
    return shapes


def arrow(x: int, y: int, direction: int) -> Shape:
    """The agent in a cell."""
    east, south = DX[direction], DY[direction]
    corners = [(x + 0.5 + a * east - b * south, y + 0.5 + a * south + b * east) for a, b in _ARROW]
    return Polygon(corners, "red", "white", 0.05, glyph="▶▼◀▲"[direction])


def _codes(shape: tuple[int, ...], high: tuple[int, int, int]) -> spaces.Box:
    """The space of cells, (..., 3) uint8: type, color and state up to `high`."""
    return spaces.Box(0, np.broadcast_to(np.array(high, np.uint8), (*shape, 3)), dtype=np.uint8)


_GLYPHS = {
    UNSEEN: "?", EMPTY: ".", WALL: "#", FLOOR: ".", DOOR: "/", KEY: "k", BALL: "o", BOX: "b", GOAL: "G", LAVA: "~",
    CLOSED: "D", LOCKED: "L",
}  # fmt: skip


def _where(ahead: int, right: int) -> str:
    """A place relative to the agent, in words."""
    side = f"{abs(right)} to the {'right' if right > 0 else 'left'}" if right else ""
    return " and ".join(part for part in (f"{ahead} ahead" if ahead else "", side) if part)


#: The agent's outline: points as cells ahead and to its right.
_ARROW = ((0.38, 0.0), (-0.3, 0.3), (-0.16, 0.0), (-0.3, -0.3))


def _thing(code: int, x: float, y: float, size: float = 1.0) -> list[Shape]:
    """The shapes of what stands in a cell, around (x, y)."""
    kind, color = code & KIND, COLORS[(code & COLOR) >> 4]
    half = size / 2
    if kind == KEY:
        return pictures.key(x, y, color if color != "yellow" else "gold", size)
    if kind in (DOOR, CLOSED, LOCKED):
        return pictures.door(x, y, color if color != "yellow" else "gold", STATES[DECODE[code, 2]], size)
    if kind == BALL:
        return [
            Circle(x, y, 0.3 * size, color, glyph="o●"),
            Circle(x - 0.1, y - 0.1, 0.07 * size, "white@0.5", glyph=""),
        ]
    if kind == BOX:
        return [
            Rect(x - 0.34 * size, y - 0.34 * size, 0.68 * size, 0.68 * size, color, radius=0.08 * size, glyph="b●"),
            Line([(x - 0.34 * size, y - 0.08 * size), (x + 0.34 * size, y - 0.08 * size)], "white@0.6", 0.06 * size),
        ]
    if kind == GOAL:
        flag = [(x - 0.06, y - 0.26), (x + 0.24, y - 0.13), (x - 0.06, y)]
        return [
            Rect(x - 0.42, y - 0.42, 0.84, 0.84, color, radius=0.1, glyph="G"),
            Line([(x - 0.1, y - 0.28), (x - 0.1, y + 0.28)], "white", 0.07),
            Polygon(flag, "white"),
        ]
    if kind == LAVA:
        rows = ([(x - 0.4 + 0.2 * k, y + down - 0.1 * (k % 2)) for k in range(5)] for down in (-0.2, 0.05, 0.3))
        return [Rect(x - half, y - half, size, size, "orange", glyph="~"), *(Line(row, "gold", 0.06) for row in rows)]
    return []
