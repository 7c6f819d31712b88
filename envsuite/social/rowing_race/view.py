"""Words and pictures of RowingRace, and the codes that they share with its rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, OUTSIDE, OWN, PLAYER, SELF, WALL
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape, apple, avatar, footer
from envsuite.render.theme import agent_color

if TYPE_CHECKING:
    from envsuite.social.rowing_race import RowingRace

#: Codes of cells in addition to those of `envsuite.kit.avatars`.
APPLE, WATER, LANE, SEAT = 3, 4, 6, 7
HULL, AFLOAT, LANE_APPLE, GATE, OPEN_GATE, RED, YELLOW, GREEN = range(OWN, OWN + 8)

THINGS = {
    APPLE: "Apples",
    WATER: "Deep water",
    LANE: "Water of lanes",
    SEAT: "Free seats",
    HULL: "Boats on land",
    AFLOAT: "Boats on water",
    LANE_APPLE: "Apples in lanes",
    GATE: "Closed gates",
    OPEN_GATE: "Open gates",
    RED: "Red lights",
    YELLOW: "Yellow lights",
    GREEN: "Green lights",
}

_LIGHTS = {RED: "red", YELLOW: "yellow", GREEN: "green"}
_LETTERS = {
    OUTSIDE: " ",
    WALL: "#",
    FLOOR: ".",
    SELF: "@",
    APPLE: "a",
    WATER: "~",
    LANE: ",",
    SEAT: "u",
    HULL: "=",
    AFLOAT: "-",
    LANE_APPLE: "o",
    GATE: "x",
    OPEN_GATE: ":",
    RED: "R",
    YELLOW: "Y",
    GREEN: "G",
}
_KEY = (
    "@ you, 0 to 5 players, # wall, . floor, a apple, ~ deep water, comma water of a lane, o apple there, u free seat, "
    "= bow or stern of a boat on land, - the same over water, x closed gate, : open gate, R, Y and G lights"
)
_FACES = ("as you do", "to your right", "the other way", "to your left")
_OARS = ("", ", in a boat", ", in a boat with its oar up")


def words(world: RowingRace, s: Any, agent: int) -> str:
    """What an agent sees and knows of itself."""
    found = world.observation(s, agent)
    view, oars = np.asarray(found["view"]).astype(int), found["oars"]
    rest, others, own = int(s.cooldown[agent]), [], avatars.own_row(len(view))
    if oars[agent]:
        doing = f"You sit in a boat, your oar is {'up' if oars[agent] == 2 else 'down'}."
    else:
        doing = "You are ashore."
    if rest:
        doing += f" A row has no effect in the next {rest} turns in a boat."
    for i, j in np.argwhere((view >= PLAYER) & (view < OWN)).tolist():
        number, turned = divmod(view[i, j] - PLAYER, 4)
        where = avatars.place_in_words(own - i, j - avatars.MIDDLE)
        others.append(f"{world.agents[number]} {where}, facing {_FACES[turned]}{_OARS[oars[number]]}")
    rows = ["".join(_letter(code) for code in row) for row in view]
    return "\n".join(
        [
            doing,
            f"Others: {'; '.join(others) if others else 'none in view'}.",
            f"Your view, the farthest row first ({_KEY}):",
            *rows,
        ]
    )


def _letter(code: int) -> str:
    return str((code - PLAYER) >> 2) if PLAYER <= code < OWN else _LETTERS[code]


def _thing(x: int, y: int, code: int) -> list[Shape]:
    """What is on a cell, over the floor."""
    if code in (WALL, OUTSIDE):
        return [Rect(x, y, 1, 1, "wall" if code == WALL else "shadow")]
    if code in (LANE, LANE_APPLE):
        shapes: list[Shape] = [Rect(x, y, 1, 1, "water", glyph=",")]
        return shapes + (apple(x + 0.5, y + 0.5) if code == LANE_APPLE else [])
    if code == APPLE:
        return apple(x + 0.5, y + 0.5)
    if code == WATER:
        waves = [Line([(x + i, y + j), (x + i + 0.3, y + j)], "water@0.5", 0.06) for i, j in ((0.1, 0.3), (0.6, 0.7))]
        return [Rect(x, y, 1, 1, "deep", glyph="~"), *waves]
    if code in (HULL, AFLOAT):
        plank = Line([(x + 0.2, y + 0.5), (x + 0.8, y + 0.5)], "soil", 0.06)
        return [Rect(x, y, 1, 1, "brown", glyph=_LETTERS[code]), plank]
    if code == SEAT:
        return [Rect(x, y, 1, 1, "brown", glyph="u"), Rect(x + 0.15, y + 0.3, 0.7, 0.4, "soil", radius=0.1, glyph="")]
    if code == GATE:
        bars = [Line([(x + i, y + 0.1), (x + i, y + 0.9)], "brown", 0.12) for i in (0.2, 0.5, 0.8)]
        return [Rect(x, y, 1, 1, "square", glyph="x"), *bars, Line([(x, y + 0.5), (x + 1, y + 0.5)], "brown", 0.12)]
    if code == OPEN_GATE:
        return [Rect(x, y + i, 1, 0.14, "square", glyph=":" if i else "") for i in (0.0, 0.86)]
    color = _LIGHTS[code]
    mark = Label(x + 0.5, y + 0.5, color[0].upper(), 0.5, "black" if code == YELLOW else "white", terminal=False)
    return [Rect(x, y, 1, 1, "shadow", glyph=""), Circle(x + 0.5, y + 0.5, 0.4, color, glyph=color[0].upper()), mark]


def _oar(grid: np.ndarray, x: int, y: int, up: bool) -> list[Shape]:
    """The oar of an agent in a boat, over the deep water beside it: across if it is up, else along the boat."""
    height, width = grid.shape
    for i, j in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        if 0 <= x + i < width and 0 <= y + j < height and grid[y + j, x + i] == WATER:
            grip = (x + 0.5 + 0.35 * i, y + 0.5 + 0.35 * j)
            along, across = (0.15, 0.6) if not up else (0.8, 0.0)
            blade = (grip[0] + along * i + across * abs(j), grip[1] + along * j + across * abs(i))
            return [Line([grip, blade], "gold", 0.12), Circle(*blade, 0.14, "gold", glyph="")]
    return []


def scene(world: RowingRace, s: Any, agent: int | None = None) -> Scene:
    """The map, or an agent's view, turned as it is observed; what is beyond the map is dark."""
    places = world.in_picture(s, agent)
    if agent is None:
        grid = avatars.ground_of(s).reshape(s.map.shape[0] + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER].copy()
        oars = [int(s.doing[a] == 1) + int(s.oar[a] > 0) for a in range(world.players)]
    else:
        found = world.observation(s, agent)
        grid, oars = np.asarray(found["view"]).copy(), found["oars"]
        for a, (x, y, _) in places.items():
            grid[y, x] = SEAT if oars[a] else FLOOR
    height, width = grid.shape
    canvas = Scene(width, height, background="floor")
    for y, x in np.ndindex(height, width):
        if grid[y, x] != FLOOR:
            canvas.add(*_thing(x, y, int(grid[y, x])))
    for a, (x, y, facing) in places.items():
        if oars[a]:
            canvas.add(*_oar(grid, x, y, oars[a] == 2))
        canvas.add(*avatar(x + 0.5, y + 0.5, facing, agent_color(a), text=str(a)))
    if agent is None:
        footer(canvas, f"{s.t} / {s.params.horizon}", _state(s))
    elif not places:
        canvas.add(Label(width / 2, height / 2, "out", color="white"))
    return canvas


def _state(s: Any) -> str:
    """The race in a line, for spectators."""
    light = tuple(_LIGHTS.values())[s.light]
    return f"to the {('north', 'south')[s.heading]}, {light} {s.clock}"


def text(world: Any, s: Any, agent: int) -> str:
    if s.away[agent]:
        return "You are out, because you had not landed when the race was over."
    return words(world, s, agent)
