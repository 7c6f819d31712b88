"""Skirmish in words and pictures: the field for spectators, and what one agent observes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from envsuite.games.skirmish_units import (
    ATTACK,
    COOLDOWN,
    HEALTH,
    KINDS,
    RADIUS,
    RANGE,
    SIGHT,
    SIZE,
    STOP,
    heading,
)
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, footer
from envsuite.render.theme import agent_sign, text_on

if TYPE_CHECKING:
    from envsuite.games.skirmish import Skirmish

#: The field's frame in its units, and the letters of the kinds.
_FRAME = 1.0
_LETTERS = "mMsZzh"
_COLORS = ("blue", "red")


def _at(x: float, y: float) -> tuple[float, float]:
    """The point of the picture that shows a place on the field."""
    return _FRAME + float(x), _FRAME + SIZE - float(y)


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
        return f"{('ally', 'enemy')[self.side]}_{self.number}"


def _side(world: Skirmish, agent: int) -> tuple[int, int]:
    """The side of an agent and its number there."""
    side = int(agent >= world.allies)
    return side, agent - side * world.allies


def _units(world: Skirmish, agent: int, seen: Any) -> Iterator[Seen]:
    """The units that an agent sees, friends first."""
    side, own = _side(world, agent)
    sight = SIGHT[int(np.argmax(seen.own[4:]))]
    for team, rows in ((side, seen.friends), (1 - side, seen.foes)):
        for k, row in enumerate(np.asarray(rows, np.float64)):
            if row[0] > 0.0:
                number = k + (team == side and k >= own)
                kind = int(np.argmax(row[7:]))
                yield Seen(team, int(number), kind, row[0], row[1] * sight, row[2] * sight, row[6])


# Words.


def agent_text(world: Skirmish, s: Any, agent: int) -> str:
    seen, name = world.observation(s, agent), world.agents[agent]
    over = f"{s.t} of {s.params.horizon} steps are over."
    if seen.own[0] <= 0.0:
        return f"You are {name}. You are dead; your side can still win. {over}"
    kind = int(np.argmax(seen.own[4:]))
    left = float(seen.own[3]) * COOLDOWN[kind]
    lines = [
        f"You are {name}, a {KINDS[kind]} with {seen.own[0] * HEALTH[kind]:.0f} of {HEALTH[kind]:.0f} health at "
        f"x = {SIZE * seen.own[1]:.1f}, y = {SIZE * seen.own[2]:.1f} of 32 x 32; x grows to the east, y to the north.",
        f"Your range is {RANGE[kind]:g} and your sight {SIGHT[kind]:g}. "
        + (f"Your weapon is ready in {left:.2f} s." if left > 0 else "Your weapon is ready."),
    ]
    for unit in _units(world, agent, seen):
        foe = unit.side != _side(world, agent)[0]
        legs = [
            f"{abs(far):.1f} {words[int(far < 0)]}"
            for far, words in ((unit.dx, ("east", "west")), (unit.dy, ("north", "south")))
            if abs(far) >= 0.05
        ]
        apart = float(np.sqrt(unit.dx**2 + unit.dy**2))
        reach = f": attack {unit.number}" if foe and apart < RANGE[kind] else ""
        lines.append(
            f"{'Enemy' if foe else 'Friend'} {unit.name}, {KINDS[unit.kind]}, "
            f"health {unit.share * HEALTH[unit.kind]:.0f}, {' and '.join(legs) or 'here'}, distance {apart:.1f}{reach}."
        )
    return "\n".join([*lines, over])


# Pictures.


def _field(world: Skirmish) -> Scene:
    """The empty field; its edge is red where it kills."""
    side = SIZE + 2 * _FRAME
    drawn = Scene(side, side)
    edge = "red" if world.parameters["deadly_walls"] else "wall"
    drawn.add(Rect(0, 0, side, side, edge, radius=0.5, glyph=""), Rect(_FRAME, _FRAME, SIZE, SIZE, "soil"))
    for k in range(4, 32, 4):
        drawn.add(Line([_at(k, 0), _at(k, 32)], "seam", 0.08), Line([_at(0, k), _at(32, k)], "seam", 0.08))
    return drawn


def _unit(drawn: Scene, unit: Seen, x: float, y: float, own: bool = False) -> None:
    """A unit at a place: its disc with the letter of its kind, and a bar of its health."""
    color, radius = _COLORS[unit.side], float(RADIUS[unit.kind])
    x, y = _at(x, y)
    if own:
        drawn.add(Circle(x, y, radius + 0.35, None, "highlight", 0.25, glyph=""))
    glyph = "@" if own else "ae"[unit.side] + agent_sign(unit.number)
    drawn.add(Circle(x, y, radius, color, "black", 0.06, glyph=glyph))
    drawn.add(Label(x, y, _LETTERS[unit.kind], 1.5 * radius, text_on(color), bold=True, terminal=False))
    top, wide = y - radius - 0.42, 1.3
    drawn.add(
        Rect(x - wide / 2, top, wide, 0.26, "black", glyph=""),
        Rect(x - wide / 2, top, wide * float(unit.share), 0.26, "green" if unit.share > 0.35 else "gold", glyph=""),
    )


def scene(world: Skirmish, s: Any) -> Scene:
    """All units; a line shows an attack, a cross a dead unit."""
    drawn, allies = _field(world), world.allies
    alive = np.asarray(s.health) > 0.0
    for unit in np.flatnonzero(~alive).tolist():
        x, y = _at(*s.position[unit])
        for tilt in (-0.3, 0.3):
            drawn.add(Line([(x - 0.3, y - tilt), (x + 0.3, y + tilt)], _COLORS[unit >= allies] + "@0.5", 0.12))
    for unit in np.flatnonzero(alive & (np.asarray(s.orders) >= ATTACK)).tolist():
        target = int(s.orders[unit]) - ATTACK + (allies if unit < allies else 0)
        apart = np.linalg.norm(np.asarray(s.position[unit]) - np.asarray(s.position[target]))
        if apart < RANGE[int(s.kinds[unit])]:
            drawn.add(Line([_at(*s.position[unit]), _at(*s.position[target])], _COLORS[unit >= allies] + "@0.6", 0.12))
    for unit in np.flatnonzero(alive).tolist():
        kind, side = int(s.kinds[unit]), int(unit >= allies)
        share = float(s.health[unit]) / HEALTH[kind]
        _unit(drawn, Seen(side, unit - side * allies, kind, share, 0, 0, 0), *s.position[unit])
    _strengths(drawn, s, allies)
    left = [int(part.sum()) for part in np.split(alive, [allies])]
    footer(
        drawn, f"{s.t} / {s.params.horizon}", f"allies {left[0]} of {allies}, enemies {left[1]} of {len(alive) - allies}"
    )
    return drawn


def _strengths(drawn: Scene, s: Any, allies: int) -> None:
    """A bar below the field: the health of all allies from the left, and that of all enemies from the right."""
    half, full = drawn.width / 2, HEALTH[s.kinds]
    ours, theirs = (float(part.sum()) for part in np.split(np.asarray(s.health), [allies]))
    total = [float(part.sum()) for part in np.split(full, [allies])]
    wide = half * theirs / total[1]
    drawn.add(
        Rect(0, drawn.height + 0.3, drawn.width, 0.8, "panel"),
        Rect(0, drawn.height + 0.3, half * ours / total[0], 0.8, _COLORS[0]),
        Rect(drawn.width - wide, drawn.height + 0.3, wide, 0.8, _COLORS[1]),
    )
    drawn.height += 1.1


def agent_scene(world: Skirmish, s: Any, agent: int) -> Scene:
    """The field with what one agent sees: its sight is bright, its range has a line."""
    seen, drawn = world.observation(s, agent), _field(world)
    side, number = _side(world, agent)
    if seen.own[0] <= 0.0:
        drawn.add(Rect(_FRAME, _FRAME, SIZE, SIZE, "shadow@0.55"))
        footer(drawn, f"{s.t} / {s.params.horizon}", f"{world.agents[agent]}: dead")
        return drawn
    kind = int(np.argmax(seen.own[4:]))
    x, y = SIZE * float(seen.own[1]), SIZE * float(seen.own[2])
    drawn.add(
        Circle(*_at(x, y), SIGHT[kind], "white@0.35", "ink", 0.06, glyph=""),
        Circle(*_at(x, y), RANGE[kind], None, "orange@0.8", 0.1, glyph=""),
    )
    for unit in _units(world, agent, seen):
        _unit(drawn, unit, x + unit.dx, y + unit.dy)
        if unit.side != side:
            px, py = _at(x + unit.dx, y + unit.dy)
            drawn.add(Label(px, py + 1.1, str(unit.number), 0.8, "black", terminal=False))
    _unit(drawn, Seen(side, number, kind, float(seen.own[0]), 0, 0, 0), x, y, own=True)
    health = f"health {seen.own[0] * HEALTH[kind]:.0f} of {HEALTH[kind]:.0f}"
    footer(drawn, f"{s.t} / {s.params.horizon}", f"{world.agents[agent]}: {health}")
    return drawn


def aimed(world: Skirmish, s: Any, agent: int, x: float, y: float) -> int | None:
    """The action that a click means: the attack on the enemy there if it is legal, or else a move towards the point."""
    seen = world.observation(s, agent)
    if seen.own[0] <= 0.0:
        return STOP
    px, py = _at(SIZE * float(seen.own[1]), SIZE * float(seen.own[2]))
    east, north, legal = x - px, py - y, world.legal_actions(s, agent)
    for unit in _units(world, agent, seen):
        near = max(float(RADIUS[unit.kind]), 0.5)
        action = ATTACK + unit.number
        if unit.side != _side(world, agent)[0] and action in legal:
            if (unit.dx - east) ** 2 + (unit.dy - north) ** 2 <= near**2:
                return action
    if east * east + north * north <= float(RADIUS[int(np.argmax(seen.own[4:]))]) ** 2:
        return STOP
    return int(heading(east, north))
