"""Words and pictures of Paintball, and the codes that they share with its rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.gridworlds.paintball.levels import mode_of
from envsuite.kit import avatars
from envsuite.kit.avatars import BEHIND, BORDER, MIDDLE, OUTSIDE, OWN, PLAYER, VIEW, WALL
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, avatar, footer

if TYPE_CHECKING:
    from envsuite.gridworlds.paintball import Paintball

#: Codes of cells in addition to those of `envsuite.kit.avatars`.
BARRIER, DAMAGED, RUBBLE, SIGN = 3, 4, 6, 7

#: What a cell of `floor` adds up, as an agent sees it.
OWN_PAINT, OTHER_PAINT, MARK, OWN_FLAG, OTHER_FLAG, OWN_BEAM, OTHER_BEAM = 1, 2, 4, 8, 16, 32, 64

NAMES = ("red", "blue")
_BRIGHT, _DARK, _SIGN_COLORS = ("red", "blue"), ("red@0.38", "blue@0.38"), ("red", "blue", "purple", "shadow")

_SIGN_LETTERS = "RB=-"

#: What signs say to an agent that sees 1, 2 and so on.
SIGNS = {
    "flags": (
        "The sign says: only your flag is at its base.",
        "The sign says: only the other team's flag is at its base.",
        "The sign says: both flags are at their bases.",
        "The sign says: no flag is at its base.",
    ),
    "hill": (
        "The sign says: your team holds the hill.",
        "The sign says: the other team holds the hill.",
        "The sign says: nobody holds the hill.",
    ),
}

#: Letters of cells of the floor: no paint, own paint, the other's; the same where the hill is.
_LETTERS = ".+x", "_PX"


def words(world: Paintball, mode: str, seen: Any) -> list[str]:
    """What an agent sees beside the things in its view."""
    codes = np.unique(np.asarray(seen["view"]).astype(int))
    others = (codes[(codes >= PLAYER) & (codes < OWN)] - PLAYER) >> 2
    health, carries, floor = (np.asarray(seen[part]).astype(int) for part in ("health", "carries", "floor"))
    states = [f"{world.agents[a]} health {health[a]}{' and a flag' if carries[a] else ''}" for a in others]
    lines = [f"They have: {'; '.join(states) if states else 'nobody in view'}."]
    if seen["sign"][0]:
        lines.append(SIGNS[mode][int(seen["sign"][0]) - 1])
    if mode == "flags":
        for bit, what in ((MARK, "Bases"), (OWN_FLAG, "Your flag lies"), (OTHER_FLAG, "Their flag lies")):
            places = np.argwhere(floor & bit).tolist()
            found = avatars.places_in_words((VIEW - 1 - BEHIND - i, j - MIDDLE) for i, j in places)
            lines.append(f"{what}: {'; '.join(found) if found else 'none in view'}.")
    hill = ", and on the hill _ none, P yours, X theirs" if mode == "hill" else ""
    lines.append(f"The floor of your view, the farthest row first: . no paint, + yours, x theirs{hill}.")
    marks = (floor & MARK > 0) & (mode == "hill")
    lines += ["".join(_LETTERS[int(m)][c & 3] for c, m in zip(row, mark)) for row, mark in zip(floor, marks)]
    for bit, whose in ((OWN_BEAM, "your team"), (OTHER_BEAM, "the other team")):
        if count := int((floor & bit > 0).sum()):
            lines.append(f"Beams of {whose} went over {count} of these cells, on which its paint is new.")
    return lines


def flag(x: float, y: float, team: int, size: float = 1.0, sign: bool = True) -> list[Shape]:
    """A flag in the cell with this top left corner: a pennant of red, a square of blue."""

    def at(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x + size * across, y + size * down) for across, down in points]

    pennant, square = [(0.3, 0.1), (0.86, 0.34), (0.3, 0.58)], [(0.3, 0.1), (0.82, 0.1), (0.82, 0.54), (0.3, 0.54)]
    return [
        Line(at((0.3, 0.08), (0.3, 0.94)), "black", 0.08 * size),
        Polygon(
            at(*(square if team else pennant)), _BRIGHT[team], "white", 0.05 * size, glyph="Ff"[team] if sign else ""
        ),
    ]


def _paint(x: int, y: int, team: int) -> list[Shape]:
    """Paint on a cell: stripes of red, dots of blue."""
    shapes: list[Shape] = [Rect(x, y, 1, 1, _DARK[team], glyph=":;"[team])]
    if team == 0:
        shapes += [Line([(x + a, y + 0.9), (x + a + 0.3, y + 0.1)], "red@0.5", 0.06) for a in (0.1, 0.55)]
    else:
        shapes += [Circle(x + a, y + b, 0.08, "blue@0.5", glyph="") for a, b in ((0.25, 0.25), (0.75, 0.75))]
    return shapes


def _thing(x: int, y: int, code: int, shown: int) -> list[Shape]:
    """A barrier, rubble or a sign; `shown` is what the sign says, 0 red, 1 blue, 2 purple, 3 neither."""
    if code == SIGN:
        letter = _SIGN_LETTERS[shown]
        return [
            Rect(x + 0.12, y + 0.12, 0.76, 0.76, _SIGN_COLORS[shown], "ink", 0.08, 0.1, glyph=letter),
            Label(x + 0.5, y + 0.5, letter, 0.5, "white", bold=True, terminal=False),
        ]
    if code == RUBBLE:
        rocks = ((0.3, 0.35, 0.11), (0.68, 0.3, 0.08), (0.55, 0.68, 0.13), (0.22, 0.74, 0.07))
        return [Circle(x + a, y + b, r, "grey", glyph="," if k == 0 else "") for k, (a, b, r) in enumerate(rocks)]
    shapes: list[Shape] = [Rect(x, y, 1, 1, "brown", "shadow", 0.04, glyph="%/"[code == DAMAGED])]
    shapes += [Line([(x, y + a), (x + 1, y + a)], "shadow", 0.04) for a in (0.33, 0.66)]
    for a, b in ((0.5, 0.0), (0.25, 0.33), (0.7, 0.66)):
        shapes.append(Line([(x + a, y + b), (x + a, y + b + 0.33)], "shadow", 0.04))
    if code == DAMAGED:
        crack = [(x + 0.15, y + 0.1), (x + 0.45, y + 0.4), (x + 0.35, y + 0.6), (x + 0.8, y + 0.92)]
        shapes.append(Line(crack, "white", 0.1))
    return shapes


def _figure(world: Paintball, a: int, x: float, y: float, facing: int, health: int, carries: bool) -> list[Shape]:
    """An agent: disc with a point of red, with a square of blue; a dot for each health; the flag that it carries."""
    team, number = divmod(a, world.team)
    nose, _, label = avatar(x, y, facing, _BRIGHT[team], text=str(number))
    # In terminals, red agents have letters and blue ones numbers.
    sign = "▶▼◀▲"[facing] + (chr(ord("A") + number) if team == 0 else str(number))
    shapes: list[Shape] = [nose]
    if team == 0:
        shapes.append(Circle(x, y, 0.33, "red", "white", 0.05, sign))
    else:
        shapes.append(Rect(x - 0.31, y - 0.31, 0.62, 0.62, "blue", "white", 0.05, 0.08, sign))
    shapes.append(label)
    for k in range(3):
        color = "good" if k < health else "shadow"
        shapes.append(Circle(x - 0.2 + 0.2 * k, y + 0.41, 0.08, color, "white", 0.02, ""))
    if carries:
        shapes += flag(x - 0.02, y - 0.6, 1 - team, 0.62, sign=False)
    return shapes


def scene(world: Paintball, s: Any, agent: int | None = None) -> Scene:
    """The map, or an agent's view, turned as it is observed; what is beyond the map is dark."""
    places, hill = world.in_picture(s, agent), bool(s.hill_count)
    own = 0 if agent is None else agent // world.team
    if agent is None:
        grid = _inside(avatars.ground_of(s), s)
        floor = _inside(np.asarray(world.as_seen()[0][s.paint]), s).astype(int)
        for f in range(2):
            if s.carrier[f] < 0 and not hill and not s.gone:
                y, x = divmod(int(s.flag[f]), int(avatars.stride(s)))
                floor[y - BORDER, x - BORDER] += (OWN_FLAG, OTHER_FLAG)[f]
        health, carries, shown = s.health, [a in list(s.carrier) for a in range(world.players)], world.sign_of(s, 0)
    else:
        seen = world.observation(s, agent)
        grid, floor = np.asarray(seen["view"]).copy(), np.asarray(seen["floor"]).astype(int)
        health, carries, shown = seen["health"], seen["carries"], int(seen["sign"][0])
        for a, (x, y, _) in places.items():
            grid[y, x] = avatars.FLOOR if s.under[a] == SIGN and a != agent else s.under[a]
    height, width = grid.shape
    canvas = Scene(width, height, background="floor")
    # The colors of a sign, by what it shows to this team.
    color = (own, 1 - own, 2, 3)[shown - 1] if shown else 2
    for y, x in np.ndindex(height, width):
        code, below = int(grid[y, x]), int(floor[y, x])
        if code in (WALL, OUTSIDE):
            canvas.add(Rect(x, y, 1, 1, "wall" if code == WALL else "shadow"))
            continue
        if below & MARK:
            if hill:
                canvas.add(Rect(x, y, 1, 1, "square", "ink@0.3", 0.03, glyph="_"))
            else:
                canvas.add(Rect(x + 0.06, y + 0.06, 0.88, 0.88, "gold@0.25", "gold", 0.1, 0.1, glyph="n"))
        if below & (OWN_PAINT | OTHER_PAINT):
            canvas.add(*_paint(x, y, own if below & OWN_PAINT else 1 - own))
        if code not in (avatars.FLOOR, avatars.SELF) and code < PLAYER:
            canvas.add(*_thing(x, y, code, color))
        for bit, team in ((OWN_BEAM, own), (OTHER_BEAM, 1 - own)):
            if below & bit:
                left = x + 0.08 + 0.44 * team
                canvas.add(Rect(left, y + 0.08, 0.4, 0.84, f"{_BRIGHT[team]}@0.75", "beam", 0.06, glyph="!"))
        for bit, team in ((OWN_FLAG, own), (OTHER_FLAG, 1 - own)):
            if below & bit:
                canvas.add(*flag(x, y, team))
    for a, (x, y, facing) in places.items():
        canvas.add(*_figure(world, a, x + 0.5, y + 0.5, facing, int(health[a]), bool(carries[a])))
    if shown and (agent is None or not s.away[agent]):
        _edge(canvas, grid, color)
    if agent is not None:
        if not places:
            canvas.add(Label(width / 2, height / 2, "away", color="white"))
        return canvas
    footer(canvas, f"{s.t} / {s.params.horizon}", _state(world, s))
    return canvas


def _inside(cells: np.ndarray, s: Any) -> np.ndarray:
    """(height, width) what `cells` has for the map."""
    return cells.reshape(s.map.shape[0] + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER].copy()


def _edge(canvas: Scene, grid: np.ndarray, shown: int) -> None:
    """What signs show, on the outer walls: those next to what is beyond the map, or at the edge of the whole map."""
    height, width = grid.shape
    whole = not (grid == OUTSIDE).any() and bool((grid[0] == WALL).all() and (grid[:, 0] == WALL).all())
    for y, x in np.argwhere(grid == WALL).tolist():
        beside = [(y + j, x + i) for j, i in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        inside = [(j, i) for j, i in beside if 0 <= j < height and 0 <= i < width]
        if any(grid[j, i] == OUTSIDE for j, i in inside) or (whole and len(inside) < 4):
            canvas.add(Rect(x + 0.28, y + 0.28, 0.44, 0.44, _SIGN_COLORS[shown], "white", 0.05, glyph=""))
            canvas.add(Label(x + 0.5, y + 0.5, _SIGN_LETTERS[shown], 0.32, "white", bold=True, terminal=False))


def _state(world: Paintball, s: Any) -> str:
    """What signs show, for spectators."""
    if s.hill_count:
        cells = np.asarray(s.paint)[np.asarray(s.hill[: s.hill_count])] & 3
        held = f"{NAMES[s.holder]} holds it" if s.holder >= 0 else "nobody holds it"
        return f"hill: red {int((cells == 1).sum())}, blue {int((cells == 2).sum())} of {int(s.hill_count)}; {held}"
    where = []
    for f in range(2):
        place = "at its base" if s.flag[f] == s.base[f] else "dropped"
        if s.carrier[f] >= 0:
            place = f"with {world.agents[s.carrier[f]]}"
        where.append(f"{NAMES[f]} flag {place}")
    return ", ".join(where)


def text(world: Any, s: Any, agent: int) -> str:
    if s.away[agent]:
        return f"You are {world.agents[agent]}. You are out. What you do has no effect until you are back."
    rest = words(world, mode_of(s), world.observation(s, agent))
    return "\n".join([avatars.AvatarWorld.text(world, s, agent), *rest])
