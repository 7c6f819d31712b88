"""How CollaborativeMaze appears: texts, and the picture of both halves and the dialogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envsuite.core.record import copied
from envsuite.generators import grids
from envsuite.gridworlds.collaborative_maze import terms
from envsuite.kit.grid import DX, DY
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, text_width
from envsuite.render.theme import agent_color


def written(world: Any, size: int, row: int, column: int, seat: int) -> str:
    """The two numbers that a seat writes for a row and a column."""
    pair = [(number + world.shifted * seat) % (size + world.shifted) for number in (row, column)]
    return " ".join(map(str, pair[::-1] if world.transposed and seat else pair))


# What was said and where the walker went, from the log.

#: What stands in the log of `unspoken` for a message.
UNKNOWN = 2**16 - 1


def hearers(world: Any, s: Any, agent: int, action: int) -> list[int] | None:
    """Who hears a message: the agents of the other seat."""
    return None if world.alone else [a for a in range(len(world.agents)) if hears(world, s, a, agent)]


def unspoken(world: Any, s: Any) -> Any:
    """Proposals bind, so the one that stands is known, and where the walker is."""
    if world.alone:
        return s
    quiet = copied(s)
    quiet.log[:] = UNKNOWN
    quiet.told[:] = quiet.said[:] = terms.HIDDEN
    return quiet


def dialogue(world: Any, s: Any) -> list[tuple[int, int]]:
    """The messages that are known, each with the number of the agent that sent it."""
    spoken = [int(action) for action in s.log[: s.t]]
    if world.alone:
        return [(0, action) for action in spoken]
    leader = 2 * int(s.params.handover) if len(world.agents) == 3 else 0
    by = [2 if k < leader and k % 2 == 0 else int(s.first + k) % 2 for k in range(len(spoken))]
    return [(a, action) for a, action in zip(by, spoken) if action != UNKNOWN]


def messages(world: Any, s: Any) -> list[tuple[int, str]]:
    return [(a, world.action_names[a][action]) for a, action in dialogue(world, s)]


def hears(world: Any, s: Any, agent: int, who: int) -> bool:
    """Whether an agent observes another agent's messages; agents in the same seat do not."""
    return agent == who or terms.seat_of(s, agent) != terms.seat_of(s, who)


def way(world: Any, s: Any) -> list[tuple[int, int]]:
    """The cells (column, row) that the walker was on."""
    width = len(s.owner) + 2
    cell, direction = int(s.level.start), 0
    cells = [cell]
    for _, action in dialogue(world, s):
        if terms.PROPOSE <= action < terms.TELL:
            direction = action - terms.PROPOSE
        if action == terms.ACCEPT or (world.alone and terms.PROPOSE <= action < terms.TELL):
            near = cell + int(DX[direction] + DY[direction] * width)
            if s.level.grid[near // width, near % width] == grids.FREE:
                cell = near
                cells.append(cell)
    return [(cell % width - 1, cell // width - 1) for cell in cells]


def text(world: Any, s: Any, agent: int) -> str:
    return _told(world, s, agent, "Dialogue", dialogue(world, s))


def reply(world: Any, s: Any, agent: int) -> str:
    """The text with the messages alone that came after the agent's last one."""
    said = dialogue(world, s)
    own = [k for k, (who, _) in enumerate(said) if who == agent]
    return _told(world, s, agent, "Since your last message", said[own[-1] + 1 :]) if own else text(world, s, agent)


def _told(world: Any, s: Any, agent: int, heading: str, said: Sequence[tuple[int, int]]) -> str:
    """The maze, where the walker is, and messages, each with the number of the agent that sent it."""
    seat, width = int(terms.seat_of(s, agent)), len(s.owner) + 2
    other = f"agent_{1 - seat}"
    y, x = int(s.cell) // width - 1, int(s.cell) % width - 1
    lines = ["The maze (@ walker, S start, G goal, # wall, . free, ? not seen" + _legend(world, s, other) + "):"]
    told = None if world.alone else s.told[seat]
    lines += _drawing(world, s, seat, told)
    if world.alone and s.params.halves:
        lines += ["", "The other half:", *_drawing(world, s, 1, None)]
    lines += ["", f"The walker is in {_place(world, y, x, seat)}."]
    if s.proposer != terms.NOBODY:
        whose = "Your proposal" if s.proposer == seat else f"{other}'s proposal"
        lines.append(f"{whose} to go {terms.DIRECTIONS[s.proposal]} stands.")
    if said and not world.alone:
        lines += ["", f"{heading}:"]
        for who, action in said:
            speaker = "you" if who == agent else world.agents[who]
            words = world.action_names[who][action] if hears(world, s, agent, who) else "speaks in your place"
            lines.append(f"  {speaker}: {words}")
    lines += ["", f"{s.t} of {s.params.horizon} {'steps' if world.alone else 'messages'} are used."]
    if s.outcome != terms.RUNNING:
        lines.append(_ending(world, s))
    elif s.mover == agent:
        lines.append("It is your turn.")
    else:
        lines.append(f"It is the turn of {world.agents[s.mover]}.")
    return "\n".join(lines)


def _place(world: Any, row: int, column: int, seat: int) -> str:
    base = int(world.shifted and seat)
    return f"row {row + base}, column {column + base}"


def _legend(world: Any, s: Any, other: str) -> str:
    return "" if world.alone else f"; f free and w wall as {other} told you, by your reading"


def _drawing(world: Any, s: Any, seat: int, told: Any) -> list[str]:
    """A seat's map in letters, with the numbers of its rows and columns."""
    size, base = len(s.owner), int(world.shifted and seat)
    rows = [["?.#SG"[code] for code in row] for row in s.views[seat]]
    for y in range(size):
        for x in range(size):
            if told is not None and rows[y][x] == "?" and told[y, x]:
                rows[y][x] = " fw"[told[y, x]]
    rows[int(s.cell) // (size + 2) - 1][int(s.cell) % (size + 2) - 1] = "@"
    lines = ["     " + "".join(f"{x + base:3}" for x in range(size))]
    return lines + [f"  {y + base:2} " + "".join(f"{letter:>3}" for letter in row) for y, row in enumerate(rows)]


def _ending(world: Any, s: Any) -> str:
    return {
        terms.ARRIVED: "The walker is at the goal.",
        terms.HIT_WALL: "The walker went into a wall: the run is over.",
        terms.GAVE_UP: "The run was given up.",
        terms.OUT_OF_TURNS: "The run is over: there are no messages left.",
    }[int(s.outcome)]


# The picture: for each seat, what it sees and was told, side by side; then the dialogue.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """Both halves, the path and the dialogue, wrong claims in red; for an agent, only its own half."""
    size = len(s.owner)
    if world.alone:
        seats = [0, 1] if s.params.halves else [0]
    else:
        seats = [0, 1] if agent is None else [int(terms.seat_of(s, agent))]
    talk = 0.0 if world.alone else 7.8
    scene = Scene(0.5 + len(seats) * (size + 1.5) + talk, max(size + 3.1, 8.0))
    for k, seat in enumerate(seats):
        _draw_half(world, scene, s, seat, 1.3 + k * (size + 1.5), 2.0, agent is None)
    left = 1.3
    status = f"{s.t} / {s.params.horizon}" if s.outcome == terms.RUNNING else _ending(world, s)
    color = {terms.RUNNING: "muted", terms.ARRIVED: "good"}.get(int(s.outcome), "bad")
    scene.add(Label(left, size + 2.55, status, 0.46, color, "left", width=len(seats) * (size + 1.5) - 1))
    if talk:
        _draw_dialogue(world, scene, s, scene.width - talk + 0.1, talk - 0.5, agent)
    return scene


def _draw_half(world: Any, scene: Scene, s: Any, seat: int, left: float, top: float, everything: bool) -> None:
    """The cells that a seat sees, and the claims that it was told about the others."""
    size, base = len(s.owner), int(world.shifted and seat)
    color = agent_color(seat)
    turn = not world.alone and s.outcome == terms.RUNNING and s.seat == seat
    if turn:
        scene.add(Rect(left - 0.14, top - 0.14, size + 0.28, size + 0.28, "highlight", radius=0.16))
    name = ("one half", "the other half")[seat] if world.alone and s.params.halves else f"agent_{seat}"
    if turn and s.mover == 2:
        name += " (leader)"
    scene.add(Circle(left + 0.25, 0.68, 0.2, color, glyph=""), Label(left + 0.65, 0.68, name, 0.5, "ink", "left", True))
    if world.transposed or world.shifted:
        order = "column row" if world.transposed and seat else "row column"
        scene.add(Label(left + size, 0.68, f"{order}, from {base}", 0.34, "muted", "right", terminal=False))
    for k in range(size):
        scene.add(Label(left + k + 0.5, 1.5, str(k + base), 0.36, "muted"))
        scene.add(Label(left - 0.48, top + k + 0.5, str(k + base), 0.36, "muted"))
    scene.add(Rect(left, top, size, size, "white"))
    views = s.views[seat]
    for y in range(size):
        for x in range(size):
            if views[y, x] == terms.HIDDEN:
                claim = terms.HIDDEN if world.alone else int(s.told[seat, y, x])
                truth = terms.WALL if s.level.grid[y + 1, x + 1] == grids.WALL else terms.FREE
                scene.add(*_hidden_cell(left + x, top + y, claim, everything and claim != truth))
    for k in range(1, size):
        scene.add(Line([(left + k, top), (left + k, top + size)], "seam", 0.03))
        scene.add(Line([(left, top + k), (left + size, top + k)], "seam", 0.03))
    for shape in grids.wall_shapes((views == terms.WALL).tolist()):
        scene.add(Rect(left + shape.x, top + shape.y, shape.width, shape.height, "wall"))
    for code, mark in ((terms.START, grids.start_shapes), (terms.GOAL, grids.goal_shapes)):
        y, x = (int(k[0]) for k in np.nonzero(views == code))
        scene.add(*mark(left + x, top + y))
    scene.add(Rect(left, top, size, size, None, "wall", 0.1))
    path = way(world, s)
    scene.add(*grids.way_shapes([(left + x, top + y) for x, y in path], "purple@0.45"))
    at = left + path[-1][0] + 0.5, top + path[-1][1] + 0.5
    if s.outcome == terms.HIT_WALL:
        dx, dy = int(DX[s.proposal]), int(DY[s.proposal])
        scene.add(*_cross(at[0] + 0.8 * dx, at[1] + 0.8 * dy))
    elif s.proposer != terms.NOBODY:
        scene.add(*_arrow(*at, int(s.proposal), agent_color(int(s.proposer))))
    scene.add(Circle(*at, 0.29, "purple", "white", 0.08, glyph="@"))


def _draw_dialogue(world: Any, scene: Scene, s: Any, left: float, width: float, agent: int | None) -> None:
    """The last messages, those of agent_0 on the left and of agent_1 on the right."""
    bottom = scene.height - 0.45
    scene.add(Rect(left, 0.3, width, bottom - 0.3, "panel", radius=0.25))
    room = int((bottom - 0.6) / 0.78)
    said = dialogue(world, s)
    if not said:
        scene.add(Label(left + width / 2, scene.height / 2, "nothing said yet", 0.42, "muted"))
    for k, (who, action) in enumerate(said[-room:]):
        seat = int(terms.seat_of(s, who))
        y = 0.86 + 0.78 * k
        words = sentence(world, action, who) if agent is None or hears(world, s, agent, who) else "in your place"
        long = min(text_width(words, 0.42) + 0.5, width - 0.6)
        x = left + 0.3 if seat == 0 else left + width - 0.3 - long
        color = agent_color(seat)
        scene.add(Rect(x, y - 0.33, long, 0.66, "white", color, 0.05 if who != 2 else 0.1, 0.28))
        scene.add(Label(x + long / 2, y, words, 0.42, "black", width=long - 0.2))


def sentence(world: Any, action: int, agent: int) -> str:
    """A message in words."""
    name = world.action_names[agent][action]
    kind, *rest = name.split()
    if kind == "tell":
        return f"{rest[0]} {rest[1]} is {'a wall' if rest[2] == 'wall' else 'free'}"
    if kind == "ask":
        return f"what is {rest[0]} {rest[1]}?"
    if kind == "propose":
        return f"let us go {rest[0]}"
    return {"accept": "yes", "reject": "no", "pass": "...", "done": "I am done"}[kind]


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """A cell beside the walker: propose that step. Any other cell: state what it is, or ask about it."""
    size, seat = len(s.owner), int(terms.seat_of(s, agent))
    for left in (1.3, 1.3 + size + 1.5):
        column, row = int((x - left) // 1), int((y - 2.0) // 1)
        if 0 <= column < size and 0 <= row < size:
            at = (int(s.cell) % (size + 2) - 1, int(s.cell) // (size + 2) - 1)
            for direction in range(4):
                if (column, row) == (at[0] + DX[direction], at[1] + DY[direction]):
                    return terms.PROPOSE + direction
            if world.alone:
                return None
            side = s.told.shape[1]
            code = s.views[seat, row, column]
            kind = 2 if code == terms.HIDDEN else 1 if code == terms.WALL else 0
            return terms.TELL + (kind * side + row) * side + column
    return None


def _hidden_cell(x: float, y: float, claim: int, wrong: bool) -> list[Shape]:
    """An unseen cell, with the claim about it; (x, y) is its top left corner."""
    shapes: list[Shape] = [Rect(x, y, 1, 1, "seam@0.75")]
    if claim == terms.HIDDEN:
        return [*shapes, Label(x + 0.5, y + 0.5, "?", 0.42, "muted")]
    wrong_color = "bad" if wrong else None
    if claim == terms.WALL:
        shapes.append(Rect(x + 0.17, y + 0.17, 0.66, 0.66, "wall@0.75", wrong_color, 0.09, 0.1, glyph="w"))
    else:
        shapes.append(Rect(x + 0.17, y + 0.17, 0.66, 0.66, "white@0.9", wrong_color, 0.09, 0.1, glyph="f"))
    return shapes


def _arrow(x: float, y: float, direction: int, color: str) -> list[Shape]:
    """A proposed step, from the middle of a cell into the next."""
    dx, dy = float(DX[direction]), float(DY[direction])
    tip, neck = (x + 1.02 * dx, y + 1.02 * dy), (x + 0.68 * dx, y + 0.68 * dy)
    return [
        Line([(x, y), neck], color, 0.15),
        Polygon([tip, (neck[0] - 0.24 * dy, neck[1] + 0.24 * dx), (neck[0] + 0.24 * dy, neck[1] - 0.24 * dx)], color),
    ]


def _cross(x: float, y: float) -> list[Shape]:
    """The mark of a step into a wall."""
    return [
        Line([(x - 0.2, y - 0.2), (x + 0.2, y + 0.2)], "bad", 0.13),
        Line([(x - 0.2, y + 0.2), (x + 0.2, y - 0.2)], "bad", 0.13),
    ]
