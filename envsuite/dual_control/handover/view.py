"""What Handover shows: texts, and the picture of the hall, the plan and the talk."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.record import copied
from envsuite.dual_control.handover import levels as repair
from envsuite.dual_control.handover import terms
from envsuite.dual_control.handover.levels import BOTH, FLOOR, STORE, WALL
from envsuite.generators.grids import wall_shapes
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, text_width
from envsuite.render.theme import agent_color


def _knows(world: Any, s: Any, agent: int | None) -> bool:
    return agent != terms.WORKER or s.params.mode == terms.ORACLE_PLAN


def _touches(world: Any, s: Any, agent: int | None, thing: int) -> bool:
    return agent is None or bool(world.observation(s, agent).rights[thing] & 1)


def text(world: Any, s: Any, agent: int) -> str:
    size, parts = len(s.level.map), len(s.level.operation)
    other = world.agents[1 - agent] if not world.alone else ""
    rows = [list(row) for row in repair.write(s.level)["map"]]
    for row in rows:
        row[:] = ["." if letter in "GW" else letter for letter in row]
    for a, name in enumerate(world.agents):
        rows[s.at[a] // size][s.at[a] % size] = name[0].upper()
    legend = "# wall, . floor, digits parts, S store, G guide" + ("" if world.alone else ", W worker")
    lines = [f"You are the {world.agents[agent]}.", "", f"Map ({legend}):"]
    lines += ["  " + "".join(row) for row in rows]
    lines.append("")
    for k in range(0 if s.level.rights[0] else 1, parts + 1):
        lines.append(_part_line(world, s, agent, k))
    for a in [agent] if world.alone else [agent, 1 - agent]:
        who = "You are" if a == agent else f"The {other} is"
        hand = "a spare in hand" if s.held[a] else "empty hands"
        beside = int(s.beside[s.at[a]])
        near = f", beside {_thing(beside - 1)}" if beside else ""
        lines.append(f"{who} in row {s.at[a] // size}, column {s.at[a] % size}{near}, with {hand}.")
    if _knows(world, s, agent):
        lines += ["", "The plan:", *(f"  {line}" for line in plan_lines(s))]
    said = messages(world, s)
    if said:
        lines += ["", "Said last:"]
        lines += [f"  {'you' if a == agent else 'the ' + world.agents[a]}: {word}" for a, word in said]
    if s.result[agent]:
        lines.append(f"Your operation was {'right' if s.result[agent] == terms.RIGHT else 'an error'}.")
    lines.append(f"Step {s.t} of {s.params.max_steps}; {s.errors} of {s.params.max_errors} errors.")
    if s.repaired == s.goal:
        lines.append("The machine is repaired.")
    elif s.errors >= s.params.max_errors:
        lines.append("The machine is broken: there were too many errors.")
    return "\n".join(lines)


def messages(world: Any, s: Any) -> list[tuple[int, str]]:
    return [((int(code) - 1) % 2, word_name((int(code) - 1) // 2)) for code in s.log[::-1] if code]


def speech(world: Any, s: Any, agent: int, action: int) -> tuple[int, ...] | None:
    """The other agent hears all words."""
    return (1 - agent,) if action >= terms.SPEAK and not world.alone else None


def unspoken(world: Any, s: Any) -> Any:
    """Nothing of what was said, for no word binds."""
    quiet = copied(s)
    quiet.talk[:] = quiet.log[:] = 0
    return quiet


def _part_line(world: Any, s: Any, agent: int, thing: int) -> str:
    """What an agent knows of a part or the store."""
    if world.alone:
        who = "you"
    else:
        bits = int(s.level.rights[thing])
        who = "both of you" if bits == BOTH else "you" if bits >> agent & 1 else f"the {world.agents[1 - agent]}"
    verb = "may" if thing else "may take spares from"
    if thing == 0:
        return f"Store: {who} {verb} it."
    lamp = "lamp not seen"
    if _touches(world, s, agent, thing):
        lamp = "repaired" if int(s.repaired) >> (thing - 1) & 1 else "not repaired"
    return f"Part {thing}: {who} {verb} touch it; {lamp}."


# The picture: the hall, the plan beside it, and what was said.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The hall, the plan and the talk; for an agent, only what it knows."""
    size = len(s.level.map)
    panel = 6.4
    scene = Scene(size + panel + 1.2, max(size, 9) + 0.8)
    top = (scene.height - size) / 2
    scene.add(Rect(_LEFT, top, size, size, "floor"))
    for y in range(1, size - 1):
        for x in range(1, size - 1):
            if (x + y) % 2:
                scene.add(Rect(_LEFT + x, top + y, 1, 1, "paper@0.6"))
    for shape in wall_shapes((s.level.map >= WALL).tolist()):
        scene.add(Rect(_LEFT + shape.x, top + shape.y, shape.width, shape.height, "wall"))
    for y, x in np.argwhere(s.level.map >= STORE):
        _draw_thing(world, scene, s, agent, int(s.level.map[y, x]) - STORE, _LEFT + x + 0.5, top + y + 0.5)
    for a in range(len(world.agents)):
        x, y = _LEFT + s.at[a] % size + 0.5, top + s.at[a] // size + 0.5
        scene.add(*_body(x, y, a, bool(s.held[a]), int(s.result[a])))
    for a in range(len(world.agents)):
        if s.talk[a, 0]:
            x, y = _LEFT + s.at[a] % size + 0.5, top + s.at[a] // size + 0.5
            scene.add(*_bubble(x, y, short(int(s.talk[a, 0]) - 1), agent_color(a), _LEFT + size))
    left = _LEFT + size + 0.4
    below = _draw_plan(world, scene, s, agent, left, panel)
    if not world.alone:
        _draw_talk(world, scene, s, left, below + 0.3, panel)
    status, color = f"step {s.t} of {s.params.max_steps}", "muted"
    if s.repaired == s.goal:
        status, color = "repaired", "good"
    elif s.errors >= s.params.max_errors:
        status, color = "broken", "bad"
    scene.add(Label(left + 0.1, scene.height - 0.65, status, 0.44, color, "left", bold=color != "muted"))
    scene.add(
        Label(left + panel - 0.1, scene.height - 0.65, f"errors {s.errors} of {s.params.max_errors}", 0.44,
              "bad" if s.errors else "muted", "right")
    )  # fmt: skip
    return scene


def _draw_thing(world: Any, scene: Scene, s: Any, agent: int | None, thing: int, x: float, y: float) -> None:
    bits = BOTH if world.alone else int(s.level.rights[thing])
    colors = [agent_color(a) for a in range(len(world.agents)) if bits >> a & 1]
    if thing == 0:
        scene.add(*_store(x, y, colors))
        return
    lamp = int(s.repaired) >> (thing - 1) & 1 if _touches(world, s, agent, thing) else None
    scene.add(*_part(x, y, thing, colors, lamp))


def _draw_plan(world: Any, scene: Scene, s: Any, agent: int | None, left: float, width: float) -> float:
    """Draw the clipboard with the plan; return its lower edge."""
    plan = repair.write(s.level)["plan"]
    knows = _knows(world, s, agent)
    end = 1.75 + 0.66 * (len(plan) if knows else 2)
    scene.add(Rect(left + 0.05, 0.48, width, end - 0.4, "shadow@0.15", radius=0.2))
    scene.add(Rect(left, 0.4, width, end - 0.4, "white", "line", 0.04, 0.2))
    scene.add(Rect(left + width / 2 - 0.7, 0.26, 1.4, 0.32, "wall", radius=0.12, glyph=""))
    who = "plan" if world.alone or s.params.mode == terms.ORACLE_PLAN else "the guide's plan"
    scene.add(Label(left + 0.4, 1.0, who, 0.46, "muted", "left"))
    if not knows:
        scene.add(Label(left + width / 2, 1.75 + 0.4, "only the guide knows", 0.46, "muted"))
        return end
    for k, entry in enumerate(plan):
        y, part = 1.75 + 0.66 * k, entry["part"]
        seen = _touches(world, s, agent, part)
        done = seen and int(s.repaired) >> (part - 1) & 1
        scene.add(Rect(left + 0.35, y - 0.21, 0.42, 0.42, "good" if done else "white", "line", 0.03, 0.08, glyph=""))
        if done:
            tick = [(left + 0.43, y), (left + 0.53, y + 0.11), (left + 0.7, y - 0.13)]
            scene.add(Line(tick, "white", 0.07))
        elif not seen:
            scene.add(Label(left + 0.56, y, "?", 0.32, "muted", bold=True))
        bits = BOTH if world.alone else int(s.level.rights[part])
        scene.add(*_tag(left + 1.25, y, part, [agent_color(a) for a in range(len(world.agents)) if bits >> a & 1]))
        scene.add(Label(left + 1.75, y, entry["operation"], 0.46, "muted" if done else "black", "left", bold=not done))
        if entry["needs"]:
            scene.add(Label(left + width - 0.35, y, f"after {entry['needs']}", 0.42, "muted", "right"))
    return end


def _draw_talk(world: Any, scene: Scene, s: Any, left: float, top: float, width: float) -> None:
    """Draw what was said: the guide's words on the left, the worker's on the right, the newest at the bottom."""
    bottom = scene.height - 1.15
    scene.add(Rect(left, top, width, bottom - top, "panel", radius=0.2))
    said = messages(world, s)
    room = max(1, int((bottom - top - 0.2) / 0.68))
    if not said:
        scene.add(Label(left + width / 2, (top + bottom) / 2, "nothing said yet", 0.42, "muted"))
    for k, (a, word) in enumerate(said[-room:]):
        y = top + 0.46 + 0.68 * k
        wide = text_width(word, 0.42) + 0.5
        x = left + 0.2 if a == terms.GUIDE else left + width - 0.2 - wide
        scene.add(Rect(x, y - 0.27, wide, 0.54, "white", agent_color(a), 0.05, 0.25))
        scene.add(Label(x + wide / 2, y, word, 0.42, "black"))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """A click on a part or the store points at it; a click on a floor cell beside the agent moves there."""
    size = len(s.level.map)
    top = (max(size, 9) + 0.8 - size) / 2
    column, row = int((x - _LEFT) // 1), int((y - top) // 1)
    if not (0 <= column < size and 0 <= row < size):
        return None
    code = int(s.level.map[row, column])
    for direction in range(terms.NORTH, terms.TAKE):
        if code == FLOOR and row * size + column == s.at[agent] + terms.DY[direction] * size + terms.DX[direction]:
            return direction
    return terms.SPEAK + terms.POINT + code - STORE if code >= STORE and not world.alone else None


def _thing(thing: int) -> str:
    return f"part {thing}" if thing else "the store"


def word_name(word: int) -> str:
    """A word by its number."""
    return terms.WORDS[word] if word < len(terms.WORDS) else f"point: part {word - terms.POINT}"


def short(word: int) -> str:
    """A word, short enough for a bubble."""
    name = word_name(word).partition(": ")[2] or word_name(word)
    return {"not understood": "??", "confirm": "yes", "ask": "what now?"}.get(name, name)


def plan_lines(s: Any) -> list[str]:
    """The plan, with a line for each repair."""
    return [
        f"part {entry['part']}: {entry['operation']}" + (f", after part {entry['needs']}" if entry["needs"] else "")
        for entry in repair.write(s.level)["plan"]
    ]


# Drawing. (x, y) is the middle of a cell. The guide may touch blue parts, the worker orange ones.

_LEFT = 0.4


def _frame(x: float, y: float, colors: list[str], size: float, radius: float) -> list[Shape]:
    """A square in the colours of the agents that may touch it, one above the other."""
    half = size / 2
    shapes: list[Shape] = [Rect(x - half, y - half, size, size, colors[0], radius=radius, glyph="")]
    if len(colors) > 1:
        shapes.append(Rect(x - half, y, size, half, colors[1], radius=radius, glyph=""))
        shapes.append(Rect(x - half, y, size, half / 2, colors[1], glyph=""))
    return shapes


def _part(x: float, y: float, number: int, colors: list[str], lamp: int | None) -> list[Shape]:
    """A part of the machine, with its number and lamp."""
    light = {0: "wall", 1: "good", None: "line"}[lamp]
    shapes: list[Shape] = [
        *_frame(x, y, colors, 0.92, 0.14),
        Rect(x - 0.34, y - 0.34, 0.68, 0.68, "white", radius=0.08, glyph=str(number)),
        Rect(x - 0.34, y - 0.34, 0.68, 0.68, "good@0.2" if lamp else None, radius=0.08),
        Label(x - 0.08, y + 0.05, str(number), 0.5, "black", bold=True, terminal=False),
        Circle(x + 0.19, y - 0.19, 0.13, light, "shadow@0.35", 0.025, glyph=""),
    ]
    if lamp is None:
        shapes.append(Label(x + 0.19, y - 0.19, "?", 0.2, "muted", bold=True, terminal=False))
    return shapes


def _tag(x: float, y: float, number: int, colors: list[str]) -> list[Shape]:
    """A part's number on its colour."""
    return [
        *_frame(x, y, colors, 0.54, 0.1),
        Rect(x - 0.19, y - 0.19, 0.38, 0.38, "white", radius=0.05, glyph=""),
        Label(x, y, str(number), 0.34, "black", bold=True),
    ]


def _spare(x: float, y: float, size: float = 1.0) -> list[Shape]:
    """A spare: a gold fuse with two caps."""
    wide, high = 0.34 * size, 0.15 * size
    return [
        Rect(x - wide / 2, y - high / 2, wide, high, "gold", "brown", 0.02 * size, 0.04 * size, glyph=""),
        Rect(
            x - wide / 2 - 0.03 * size, y - 0.1 * size, 0.09 * size, 0.2 * size, "brown", radius=0.03 * size, glyph=""
        ),
        Rect(
            x + wide / 2 - 0.06 * size, y - 0.1 * size, 0.09 * size, 0.2 * size, "brown", radius=0.03 * size, glyph=""
        ),
    ]


def _store(x: float, y: float, colors: list[str]) -> list[Shape]:
    """The store: an open crate of spares."""
    shapes = [
        *_frame(x, y, colors, 0.92, 0.14),
        Rect(x - 0.34, y - 0.34, 0.68, 0.68, "soil", radius=0.06, glyph="S"),
    ]
    for k in range(3):
        shapes += _spare(x, y + 0.21 * (k - 1), 1.15)
    return shapes


def _body(x: float, y: float, agent: int, held: bool, result: int) -> list[Shape]:
    """An agent in its helmet, seen from above, with its spare in front; a ring shows the result of its operation."""
    color = agent_color(agent)
    shapes: list[Shape] = []
    if result:
        shapes.append(Circle(x, y, 0.47, "good@0.4" if result == terms.RIGHT else "bad@0.5", glyph=""))
    shapes += [
        Circle(x, y + 0.04, 0.37, "shadow@0.2", glyph=""),
        Circle(x, y, 0.36, color, "shadow@0.35", 0.025, glyph="GW"[agent]),
        Label(x, y, "GW"[agent], 0.36, "white", bold=True, terminal=False),
    ]
    return [*shapes, *_spare(x + 0.14, y + 0.3, 1.1)] if held else shapes


def _bubble(x: float, y: float, words: str, color: str, right: float) -> list[Shape]:
    """What an agent says now, above its head, or below if there is no room above."""
    wide = text_width(words, 0.36) + 0.4
    up = -1 if y > 1.6 else 1
    middle = min(max(x, _LEFT + wide / 2), right - wide / 2)
    cy = y + 0.78 * up
    return [
        Polygon([(x - 0.12, cy), (x + 0.12, cy), (x, y + 0.38 * up)], color),
        Rect(middle - wide / 2, cy - 0.26, wide, 0.52, "white", color, 0.05, 0.22),
        Label(middle, cy, words, 0.36, "black", bold=True),
    ]
