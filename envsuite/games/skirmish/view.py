"""Skirmish in words and pictures: the field for spectators, and what one agent observes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from envsuite.games.skirmish import units
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, footer, moved
from envsuite.render.theme import agent_sign, text_on

if TYPE_CHECKING:
    from envsuite.games.skirmish import Skirmish

#: The letters of the kinds, the colors of the sides.
_LETTERS = "mMsZzh"
_COLORS = ("blue", "red", "grey")

#: The side of units whose side an agent does not observe.
_UNKNOWN = 2

#: How far pictures show the outside of the field; the distance of lines on it; the least width of a picture.
_FRAME, _LINES, _LEAST = 1.0, 4, 16.0

#: The width of all pictures.
_WIDE = 20.0


class Window(NamedTuple):
    """The square part of the field that a picture shows, from its south west corner."""

    left: float
    bottom: float
    side: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The point of the picture that shows a place on the field."""
        return float(x) - self.left, self.bottom + self.side - float(y)


class Seen(NamedTuple):
    """A living unit as an agent observes it; `dx` and `dy` are relative to the agent."""

    side: int
    number: int
    kind: int
    share: float
    dx: float
    dy: float
    cooldown: float

    @property
    def name(self) -> str:
        return "unit" if self.side == _UNKNOWN else f"{('ally', 'enemy')[self.side]}_{self.number}"


def _side(world: Skirmish, agent: int) -> tuple[int, int]:
    """The side of an agent and its number there."""
    side = int(agent >= world.allies)
    return side, agent - side * world.allies


def _units(world: Skirmish, agent: int, seen: Any) -> Iterator[Seen]:
    """The units that an agent sees, friends first; or by sector, of sides that it does not know."""
    side, own = _side(world, agent)
    sight = units.SIGHT[int(np.argmax(seen.own[4:]))]
    if world.parameters["observation"] == "conic":
        for row in np.asarray(seen.sectors, np.float64).reshape(-1, seen.sectors.shape[-1]):
            if row[0] > 0.0:
                kind = int(np.argmax(row[7:]))
                yield Seen(_UNKNOWN, 0, kind, row[0], row[1] * sight, row[2] * sight, row[6])
        return
    for team, rows in ((side, seen.friends), (1 - side, seen.foes)):
        for k, row in enumerate(np.asarray(rows, np.float64)):
            if row[0] > 0.0:
                number = k + (team == side and k >= own)
                kind = int(np.argmax(row[7:]))
                yield Seen(team, int(number), kind, row[0], row[1] * sight, row[2] * sight, row[6])


# Words.


def text(world: Skirmish, s: Any, agent: int) -> str:
    seen, name = world.observation(s, agent), world.agents[agent]
    over = f"{s.t} of {s.params.horizon} steps are over."
    if seen.own[0] <= 0.0:
        return f"You are {name}. You are dead; your side can still win. {over}"
    kind = int(np.argmax(seen.own[4:]))
    left = float(seen.own[3]) * units.COOLDOWN[kind]
    lines = [
        f"You are {name}, a {units.KINDS[kind]} with {seen.own[0] * units.HEALTH[kind]:.0f} of "
        f"{units.HEALTH[kind]:.0f} health at x = {units.SIZE * seen.own[1]:.1f}, y = {units.SIZE * seen.own[2]:.1f} "
        "of 32 x 32; x grows to the east, y to the north.",
        f"Your range is {units.RANGE[kind]:g} and your sight {units.SIGHT[kind]:g}. "
        + (f"Your weapon is ready in {left:.2f} s." if left > 0 else "Your weapon is ready."),
    ]
    for unit in _units(world, agent, seen):
        foe, known = unit.side == 1 - _side(world, agent)[0], unit.side != _UNKNOWN
        legs = [
            f"{abs(far):.1f} {words[int(far < 0)]}"
            for far, words in ((unit.dx, ("east", "west")), (unit.dy, ("north", "south")))
            if abs(far) >= 0.05
        ]
        apart = float(np.sqrt(unit.dx**2 + unit.dy**2))
        reach = f": attack {unit.number}" if foe and apart < units.RANGE[kind] else ""
        who = f"{'Enemy' if foe else 'Friend'} {unit.name}" if known else "Unit"
        lines.append(
            f"{who}, {units.KINDS[unit.kind]}, health {unit.share * units.HEALTH[unit.kind]:.0f}, "
            f"{' and '.join(legs) or 'here'}, distance {apart:.1f}{reach}."
        )
    return "\n".join([*lines, over])


# Pictures.


def _field(world: Skirmish, window: Window) -> Scene:
    """The empty field; its outside is red where its edge kills."""
    drawn = Scene(window.side, window.side)
    west, south = max(window.left, 0.0), max(window.bottom, 0.0)
    east, north = (min(low + window.side, units.SIZE) for low in (window.left, window.bottom))
    outside = "red" if world.parameters["deadly_walls"] else "wall"
    drawn.add(Rect(0, 0, window.side, window.side, outside, glyph=""))
    drawn.add(Rect(*window.at(west, north), east - west, north - south, "soil"))
    for k in range(_LINES, int(units.SIZE), _LINES):
        if west < k < east:
            drawn.add(Line([window.at(k, south), window.at(k, north)], "seam", 0.06))
        if south < k < north:
            drawn.add(Line([window.at(west, k), window.at(east, k)], "seam", 0.06))
    return drawn


def _enlarged(drawn: Scene) -> Scene:
    """The picture in the width of all pictures, which stays the same while windows change."""
    size = _WIDE / drawn.width
    return Scene(_WIDE, _WIDE, [moved(shape, 0.0, 0.0, size) for shape in drawn.shapes])


def _unit(drawn: Scene, window: Window, unit: Seen, x: float, y: float, own: bool = False) -> None:
    """A unit at a place: its disc with the letter of its kind."""
    (x, y), color, radius = window.at(x, y), _COLORS[unit.side], float(units.RADIUS[unit.kind])
    if own:
        drawn.add(Circle(x, y, radius + 0.12, None, "highlight", 0.16, glyph=""))
    glyph = "@" if own else "u" if unit.side == _UNKNOWN else "ae"[unit.side] + agent_sign(unit.number)
    drawn.add(Circle(x, y, radius, color, "black", 0.06, glyph=glyph))
    drawn.add(Label(x, y, _LETTERS[unit.kind], 1.5 * radius, text_on(color), bold=True, terminal=False))


def _bar(drawn: Scene, window: Window, unit: Seen, x: float, y: float) -> None:
    """The bar of a unit's health, above it."""
    x, y = window.at(x, y)
    top, wide = y - float(units.RADIUS[unit.kind]) - 0.2, 0.8
    drawn.add(
        Rect(x - wide / 2, top, wide, 0.13, "black", glyph=""),
        Rect(x - wide / 2, top, wide * float(unit.share), 0.13, "green" if unit.share > 0.35 else "gold", glyph=""),
    )


def _around(places: np.ndarray) -> Window:
    """A window with some margin around all of these places, which moves and grows by whole distances of lines."""
    low, high = (_LINES * np.floor((end + shift) / _LINES) for end, shift in (
        (places.min(axis=0), -1.0), (places.max(axis=0), 1.0 + _LINES)))  # fmt: skip
    side = min(max(_LEAST, float((high - low).max())), units.SIZE + 2 * _FRAME)
    left, bottom = (min(max(float(x), -_FRAME), units.SIZE + _FRAME - side) for x in (low + high - side) / 2)
    return Window(left, bottom, side)


def whole_scene(world: Skirmish, s: Any) -> Scene:
    """The part of the field where units live; a line shows an attack, a cross a dead unit."""
    allies, alive, places = world.allies, np.asarray(s.health) > 0.0, np.asarray(s.position)
    window = _around(places[alive] if alive.any() else places)
    drawn = _field(world, window)
    for unit in np.flatnonzero(~alive).tolist():
        x, y = window.at(*places[unit])
        if 0.5 < x < window.side - 0.5 and 0.5 < y < window.side - 0.5:
            for tilt in (-0.25, 0.25):
                drawn.add(Line([(x - 0.25, y - tilt), (x + 0.25, y + tilt)], _COLORS[unit >= allies] + "@0.5", 0.1))
    for unit in np.flatnonzero(alive & (np.asarray(s.orders) >= units.ATTACK)).tolist():
        target = int(s.orders[unit]) - units.ATTACK + (allies if unit < allies else 0)
        if np.linalg.norm(places[unit] - places[target]) < units.RANGE[int(s.kinds[unit])]:
            ends = [window.at(*places[one]) for one in (unit, target)]
            drawn.add(Line(ends, _COLORS[unit >= allies] + "@0.5", 0.1))
    living = np.flatnonzero(alive).tolist()
    for draw in (_unit, _bar):
        for unit in living:
            kind, side = int(s.kinds[unit]), int(unit >= allies)
            share = float(s.health[unit]) / units.HEALTH[kind]
            draw(drawn, window, Seen(side, unit - side * allies, kind, share, 0.0, 0.0, 0.0), *places[unit])
    drawn = _enlarged(drawn)
    _strengths(drawn, s, allies)
    left = [int(part.sum()) for part in np.split(alive, [allies])]
    counts = f"allies {left[0]} of {allies}, enemies {left[1]} of {len(alive) - allies}"
    footer(drawn, f"{s.t} / {s.params.horizon}", counts)
    return drawn


def _strengths(drawn: Scene, s: Any, allies: int) -> None:
    """A bar below the field: the health of all allies from the left, and that of all enemies from the right."""
    health, full = np.asarray(s.health), units.HEALTH[np.asarray(s.kinds)]
    ours, theirs = (float(part.sum() / whole.sum()) for part, whole in zip(
        np.split(health, [allies]), np.split(full, [allies])))  # fmt: skip
    half, height = drawn.width / 2, drawn.width / 40
    drawn.add(
        Rect(0, drawn.height, drawn.width, height, "panel"),
        Rect(0, drawn.height, half * ours, height, _COLORS[0]),
        Rect(drawn.width - half * theirs, drawn.height, half * theirs, height, _COLORS[1]),
    )
    drawn.height += height


def _view(seen: Any) -> Window:
    """The part of the field that a living agent sees."""
    reach = units.SIGHT[int(np.argmax(seen.own[4:]))] + 0.5
    return Window(units.SIZE * float(seen.own[1]) - reach, units.SIZE * float(seen.own[2]) - reach, 2 * reach)


def agent_scene(world: Skirmish, s: Any, agent: int) -> Scene:
    """What one agent sees, around it: a bright disc is its sight, a circle its range."""
    seen, (side, number) = world.observation(s, agent), _side(world, agent)
    steps = f"{s.t} / {s.params.horizon}"
    if seen.own[0] <= 0.0:
        drawn = Scene(_WIDE, _WIDE)
        drawn.add(Rect(0, 0, _WIDE, _WIDE, "shadow"), Label(_WIDE / 2, _WIDE / 2, "dead", 1.0, "muted"))
        footer(drawn, steps, f"{world.agents[agent]}: dead")
        return drawn
    window, kind = _view(seen), int(np.argmax(seen.own[4:]))
    drawn, x, y = _field(world, window), units.SIZE * float(seen.own[1]), units.SIZE * float(seen.own[2])
    drawn.add(
        Circle(*window.at(x, y), units.SIGHT[kind], "white@0.4", glyph=""),
        Circle(*window.at(x, y), units.RANGE[kind], None, "orange@0.8", 0.08, glyph=""),
    )
    for unit in _units(world, agent, seen):
        _unit(drawn, window, unit, x + unit.dx, y + unit.dy)
        if unit.side == 1 - side:
            east, south = window.at(x + unit.dx, y + unit.dy)
            drawn.add(
                Label(east + units.RADIUS[unit.kind] + 0.2, south, str(unit.number), 0.5, "black", terminal=False)
            )
    share = float(seen.own[0])
    own = Seen(side, number, kind, share, 0.0, 0.0, 0.0)
    _unit(drawn, window, own, x, y, own=True)
    for unit in (*_units(world, agent, seen), own):
        _bar(drawn, window, unit, x + unit.dx, y + unit.dy)
    drawn = _enlarged(drawn)
    footer(drawn, steps, f"{world.agents[agent]}: health {share * units.HEALTH[kind]:.0f} of {units.HEALTH[kind]:.0f}")
    return drawn


def click(world: Skirmish, s: Any, agent: int, x: float, y: float) -> int | None:
    """The action that a click means: the attack on the enemy there if it is legal, or else a move towards the point."""
    seen, side = world.observation(s, agent), _side(world, agent)[0]
    if seen.own[0] <= 0.0:
        return units.STOP
    wide, legal = _view(seen).side, world.legal_actions(s, agent)
    east, north = wide * (x / _WIDE - 0.5), wide * (0.5 - y / _WIDE)
    for unit in _units(world, agent, seen):
        near = (unit.dx - east) ** 2 + (unit.dy - north) ** 2 <= max(units.RADIUS[unit.kind], 0.5) ** 2
        if near and unit.side == 1 - side and units.ATTACK + unit.number in legal:
            return units.ATTACK + unit.number
    if east * east + north * north <= units.RADIUS[int(np.argmax(seen.own[4:]))] ** 2:
        return units.STOP
    return int(units.heading(east, north))


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    return whole_scene(world, s) if agent is None else agent_scene(world, s, agent)
