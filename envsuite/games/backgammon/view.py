"""The texts and pictures of Backgammon, and what a drag on its picture means."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from envsuite.core.page import counted
from envsuite.kit import board
from envsuite.kit.dice import die
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, Shape, side, stone

OFF, BAR = 0, 25
SIDES = ("white", "black")
SIGNS = "OX"
WINS = ("", "", ", a gammon", ", a backgammon")

# The picture: the top left corner of the field, a column a unit wide, and the distance of checkers on a point.
LEFT, TOP, DEEP, PITCH = 0.5, 1.0, 10.6, 0.86
BAR_COLUMN, TRAY = 6, 13.25


def pips(checkers: np.ndarray) -> int:
    """The number of points that a player's checkers must still move."""
    return int((np.arange(BAR + 1) * checkers).sum())


def must_pass(s: Any) -> bool:
    """Whether the player to move can move no checker."""
    return not (s.sources[0] or s.sources[1])


def seen_at(place: int) -> tuple[int, bool]:
    """The column of a place that the viewer numbers, and whether it is in the upper half."""
    if place == BAR:
        return BAR_COLUMN, True
    across = 12 - place if place <= 12 else place - 13
    return across + (across >= BAR_COLUMN), place > 12


def text(world: Any, s: Any, agent: int) -> str:
    winner = None if not s.terminated[0] else int(s.mover) if s.value else -1
    rows = s.checkers[agent], s.checkers[1 - agent]
    lines = [f"You are {SIDES[agent]}."]
    for who, row, turned in (("Your", rows[0], False), ("The other player's", rows[1], True)):
        places = [(BAR - k if turned else k, row[k]) for k in range(1, BAR) if row[k]]
        points = ", ".join(f"{count} on {place}" for place, count in sorted(places, reverse=True))
        lines.append(f"{who} checkers: {points or 'none on points'}; {row[BAR]} on the bar, {row[OFF]} off.")
    lines.append(f"Pips left to move: you {pips(rows[0])}, the other player {pips(rows[1])}.")
    if winner is None:
        whose, dice = ("You" if s.player == agent else "The other player"), " and ".join(map(str, s.dice))
        left = [str(number) for number, uses in zip(s.dice, s.uses) for _ in range(uses)]
        lines.append(f"{whose} rolled {dice}; left to use: {', '.join(left)}.")
        lines.append(f"The game is a draw after {counted(int(s.params.max_turns - s.turns), 'more turn')}.")
    lines.append(board.turn(s, agent, winner) + (f" The win counts {s.value}." if s.value > 1 else ""))
    if winner is None and s.player == agent and must_pass(s):
        lines[-1] += " No checker can move: you must pass."
    return "\n".join(lines)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The board from the agent's side, the dice, the checkers that can move, and where the last one went."""
    viewer = agent or 0
    scene = Scene(15.2, TOP + DEEP + 2.0)
    scene.add(*_ground())
    movable = 0 if s.terminated[0] else int(s.sources[0] | s.sources[1])
    target = -1 if s.last < 0 or s.last == 6 * BAR else max(int(s.last) // 6 - int(s.last) % 6, OFF)
    for player in range(2):
        for place in range(1, BAR + 1):
            marks = (s.player == player and movable >> place & 1 == 1, s.mover == player and place == target)
            scene.add(*_stack(player, viewer, place, int(s.checkers[player, place]), *marks))
        scene.add(*_tray(player, viewer, int(s.checkers[player, OFF]), s.mover == player and target == OFF))
        x = LEFT + 6.5 + (player - 0.5) * 6
        piece = stone(x - 0.4, scene.height - 0.5, SIDES[player], 0.7, SIGNS[player])
        going = not s.terminated[0] and s.player == player
        scene.add(*side(x, scene.height - 0.5, piece, pips(s.checkers[player]), going))
        scene.add(Label(x + 1.15, scene.height - 0.5, "pips", 0.36, "muted", align="left"))
    if s.terminated[0]:
        said = f"{SIDES[s.mover]} wins{WINS[s.value]}" if s.value else "draw"
        scene.add(Label(LEFT + 6.5, TOP + DEEP / 2, said, 0.6, "white", bold=True))
    else:
        scene.add(*_dice(s, viewer))
    return scene


def drag(world: Any, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
    """The legal move from one place to another; of the numbers that bear a checker off, the smallest one.

    If the agent must pass, it means the pass.
    """
    if s.player != agent or s.terminated[0]:
        return None
    if must_pass(s):
        return 6 * BAR
    origin, target = place_at(*start), place_at(*end)
    if origin is None or target is None:
        return None
    for k in (1, 0):
        if s.sources[k] >> origin & 1 and max(origin - s.dice[k], OFF) == target:
            return int(6 * (origin - 1) + s.dice[k] - 1)
    return None


def place_at(x: float, y: float) -> int | None:
    """The place at a point of a picture, as its viewer numbers it; OFF is the tray."""
    column, upper = math.floor(x - LEFT), y < TOP + DEEP / 2
    if not TOP <= y <= TOP + DEEP:
        return None
    if x >= LEFT + TRAY:
        return OFF if x < LEFT + TRAY + 1 else None
    if not 0 <= column < 13:
        return None
    if column == BAR_COLUMN:
        return BAR
    across = column - (column > BAR_COLUMN)
    return 13 + across if upper else 12 - across


def _ground() -> list[Shape]:
    """The board without checkers."""
    shapes: list[Shape] = [
        Rect(LEFT - 0.2, TOP - 0.2, TRAY + 1.4, DEEP + 0.4, "brown", radius=0.15),
        Rect(LEFT, TOP, 6, DEEP, "felt"),
        Rect(LEFT + 7, TOP, 6, DEEP, "felt"),
        Rect(LEFT + TRAY, TOP, 1, DEEP / 2 - 0.1, "shadow@0.35"),
        Rect(LEFT + TRAY, TOP + DEEP / 2 + 0.1, 1, DEEP / 2 - 0.1, "shadow@0.35"),
    ]
    for place in range(1, BAR):
        column, upper = seen_at(place)
        x, edge = LEFT + column, TOP if upper else TOP + DEEP
        tip = edge + (4.5 if upper else -4.5)
        shapes.append(Polygon([(x + 0.06, edge), (x + 0.94, edge), (x + 0.5, tip)], ("floor", "square")[place % 2]))
        shapes.append(Label(x + 0.5, edge + (-0.5 if upper else 0.5), str(place), 0.4, "muted"))
    return shapes


def _stack(player: int, viewer: int, place: int, count: int, movable: bool, last: bool) -> list[Shape]:
    """A player's checkers on a place; from six on, the last one that is drawn shows their number."""
    shapes: list[Shape] = []
    own = player == viewer
    column, upper = seen_at(place if own or place == BAR else BAR - place)
    upper = own if place == BAR else upper
    x, most = LEFT + column + 0.5, 4 if place == BAR else 5
    for k in range(min(count, most)):
        deep = 0.45 + PITCH * k
        y = TOP + deep if upper else TOP + DEEP - deep
        top = k == min(count, most) - 1
        if movable and top:
            shapes.append(Circle(x, y, 0.47, "highlight", glyph=""))
        shapes += stone(x, y, SIDES[player], glyph=SIGNS[player])
        if count > most and top:
            shapes.append(Label(x, y, str(count), 0.42, ("black", "white")[player], bold=True, terminal=False))
        elif last and top:
            shapes.append(Circle(x, y, 0.12, "red", glyph=""))
    if count > most:
        y = TOP + 0.45 + PITCH * most if upper else TOP + DEEP - 0.45 - PITCH * most
        shapes.append(Circle(x, y, 0.1, None, glyph=f"{count}"))
    return shapes


def _tray(player: int, viewer: int, count: int, last: bool) -> list[Shape]:
    """The checkers that a player has borne off, seen from their edges."""
    shapes: list[Shape] = []
    for k in range(count):
        y = TOP + DEEP - 0.34 - 0.31 * k if player == viewer else TOP + 0.06 + 0.31 * k
        line = "red" if last and k == count - 1 else "shadow@0.5"
        shapes.append(Rect(LEFT + TRAY + 0.08, y, 0.84, 0.27, SIDES[player], line, 0.03, 0.06))
    if count:
        y = TOP + DEEP - 0.5 if player == viewer else TOP + 0.5
        shapes.append(Circle(LEFT + TRAY + 0.5, y, 0.1, None, glyph=str(count)))
    return shapes


def _dice(s: Any, viewer: int) -> list[Shape]:
    """The dice, in the right half if they are the viewer's; used ones are pale."""
    shapes: list[Shape] = []
    if s.dice[0] == s.dice[1]:
        faces = [(int(s.dice[0]), k < s.uses[0]) for k in range(4)]
    else:
        faces = [(int(face), uses > 0) for face, uses in zip(s.dice, s.uses)]
    x, y = LEFT + (10 if s.player == viewer else 3), TOP + DEEP / 2
    for k, (face, usable) in enumerate(faces):
        place = x + 1.0 * (k - (len(faces) - 1) / 2)
        shapes += die(place, y, face, size=0.8)
        if not usable:
            shapes.append(Rect(place - 0.42, y - 0.42, 0.84, 0.86, "felt@0.75", radius=0.14))
    return shapes
