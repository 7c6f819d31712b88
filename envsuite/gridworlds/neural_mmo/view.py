"""The text and the pictures of NeuralMMO."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.page import counted
from envsuite.gridworlds.neural_mmo.items import CRAFTS
from envsuite.gridworlds.neural_mmo.items import KINDS as ITEMS
from envsuite.gridworlds.neural_mmo.levels import LEGEND, NAMES, ORE, ground_shapes
from envsuite.gridworlds.neural_mmo.rules import DOWN, MOVES, REACH, RIGHT, SIGHT, is_immune
from envsuite.gridworlds.neural_mmo.tasks import WORDS
from envsuite.kit.grid import steps
from envsuite.kit.grid_pictures import spots
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, footer
from envsuite.render.theme import agent_color, text_on

KINDS = ("", "player", "passive creature", "neutral creature", "hostile creature")
_LETTERS = ("", "@", "p", "n", "h")
_STYLES = ("melee", "range", "mage")
#: Colors of creatures by kind, and their number of horns.
_CREATURES = {2: ("white", 0), 3: ("gold", 1), 4: ("red", 2)}
#: What an observation says of a place that the fog never reaches.
LONGEST = 32_000
#: Cells that a picture of the whole map shows in a row at most; a larger map is shown in samples.
_SIDE = 64


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one agent."""
    seen = world.observation(s, agent)
    own, middle = np.asarray(seen.own).tolist(), len(seen.ground) // 2
    if s.terminated[agent]:
        return f"You are {world.agents[agent]}. You died at the age of {own[13]} steps."
    progression = bool(s.params.progression)
    lines = [f"You are {world.agents[agent]}. Health {own[2]}, food {own[3]}, water {own[4]}, of 100 each."]
    if progression:
        levels = ", ".join(f"{name} {own[8 + k]} ({own[5 + k]} points)" for k, name in enumerate(_STYLES))
        lines.append(f"Levels: {levels}.")
    if own[11]:
        nobody = "by the fog" if world.parameters["fog"] else "by someone unknown"
        by = nobody if own[12] == 0 else f"by {_name(world, own[12] - 1)}"
        lines.append(f"You were hit in the last step: {own[11]} damage, {by}.")
    lines.append(
        f"You are in column {own[0]}, row {own[1]}; age {own[13]} steps, {own[14]} kills, {own[15]} foliage eaten, "
        f"{own[16]} steps with water, {own[17]} cells from the border at most."
    )
    lines += systems(world, seen)
    rows = [[LEGEND[code].replace(" ", "x") for code in row] for row in np.asarray(seen.ground).tolist()]
    others = [row for row in np.asarray(seen.others).tolist() if row[0]]
    for row in reversed(others):
        rows[middle + row[3]][middle + row[2]] = _LETTERS[row[0]] if row[0] > 1 else "P"
    rows[middle][middle] = "@"
    lines.append(
        f"You see {middle} cells in each direction (@ you, P player; p passive, n neutral, h hostile creature; "
        f"~ water, . grass, f foliage, ',' scrub, # stone, x outside; {_resources(world)}north is up):"
    )
    lines += ["  " + " ".join(row) for row in rows]
    lines.append(f"You stand on {NAMES[int(seen.ground[middle, middle])]}. Others, the nearest first:")
    for k, row in enumerate(others):
        lines.append(f"  {k + 1}: {_other(world, row, progression, bool(s.params.combat))}{_extras(world, seen, k)}")
    if not others:
        lines.append("  nobody in view")
    return "\n".join(lines)


def _name(world: Any, number: int) -> str:
    players = len(world.agents)
    return world.agents[number] if number < players else f"creature {number - players}"


def _other(world: Any, row: list[int], progression: bool, combat: bool) -> str:
    """A row of others in words."""
    place = " ".join(steps(row[3], row[2])) or "in your cell"
    words = [f"{_name(world, row[1])}{'' if row[0] == 1 else f' ({KINDS[row[0]]})'}, {place}, health {row[4]}"]
    if row[0] == 1:
        words.append(f"food {row[5]}, water {row[6]}")
    if progression:
        words.append(", ".join(f"{name} {row[7 + k]}" for k, name in enumerate(_STYLES) if row[7 + k]))
    if row[10]:
        words.append(f"hit for {row[10]}")
    if row[11] and combat:
        words.append("immune")
    return ", ".join(words)


def _resources(world: Any) -> str:
    """The signs of resources on a map."""
    if not world.parameters["professions"]:
        return ""
    return ", ".join(f"{LEGEND[code]} {NAMES[code]}" for code in range(ORE - 1, len(NAMES))) + "; "


def _extras(world: Any, seen: Any, k: int) -> str:
    """What else is seen of one of the others."""
    armed = int(seen.armed[k]) if world.parameters["items"] else 0
    word = int(seen.words[k]) if world.parameters["tokens"] else 0
    return (f", wears grades {armed}" if armed else "") + (f", last said {word}" if word else "")


def systems(world: Any, seen: Any) -> list[str]:
    """Items, professions, gold, the market and the fog in words."""
    lines, on = [], world.parameters
    if on["items"]:
        found = [_item(k, row) for k, row in enumerate(np.asarray(seen.bag).tolist(), 1) if row[0]]
        lines.append(f"Your bag: {'; '.join(found) if found else 'empty'}.")
        attack = ", ".join(f"{int(seen.gear[k])} in {name}" for k, name in enumerate(_STYLES))
        lines.append(f"What you wear adds to your offence {attack}, and {int(seen.gear[3])} to your defence.")
        if seen.gear[4]:
            left = int(seen.gear[4])
            lines.append(f"You fought: for {counted(left, 'more step')} you cannot use or trade items.")
    if on["professions"]:
        crafts = np.asarray(seen.crafts).tolist()
        words = [f"{name} {crafts[5 + k]} ({crafts[k]} points)" for k, name in enumerate(CRAFTS)]
        lines.append(f"Professions: {', '.join(words)}.")
    if on["exchange"]:
        lines.append(f"You have {int(seen.gold[0])} gold. On the market:")
        for k, row in enumerate(np.asarray(seen.market).tolist()):
            if row[2]:
                seller = world.agents[row[3] - 1]
                amount = f", {row[1]} pieces" if row[1] > 1 else ""
                lines.append(
                    f"  {('cheap', 'fine')[k % 2]} {ITEMS[k // 2 + 1]}: grade {row[0]}{amount}, for {row[2]} gold, "
                    f"by {seller}, {counted(row[4], 'more step')}"
                )
        if not np.asarray(seen.market).any():
            lines.append("  nothing")
    if on["tasks"]:
        task, times, done = np.asarray(seen.task).tolist()
        lines.append(f"Your task: {WORDS[task]}, {counted(times, 'time')}. Done: {done}.")
    if on["fog"]:
        lines.append(fog_words(int(seen.fog[0])))
    return lines


def fog_words(fog: int) -> str:
    """The fog in an agent's cell."""
    if fog > 0:
        return f"You are in the fog: it takes {fog} health in the next step."
    if fog <= -LONGEST:
        return "The fog never comes to your cell."
    return f"The fog takes health in your cell in {2 - fog} steps."


def _item(k: int, row: list[int]) -> str:
    """A place of a bag in words."""
    kind, grade, amount, worn, asked, left = row
    notes = [f"grade {grade}"]
    if amount > 1:
        notes.append(f"{amount} pieces")
    if worn:
        notes.append("worn")
    if asked:
        notes.append(f"on the market for {asked} gold, {counted(left, 'more step')}")
    return f"{k} {ITEMS[kind]} ({', '.join(notes)})"


# Pictures.


def whole(world: Any, s: Any) -> Scene:
    """The map, everybody on it, and the attacks of the last step."""
    size = len(s.level.map)
    border = (len(s.ground) - size) // 2
    each = -(-size // _SIDE)
    ground = np.asarray(s.ground)[border:-border:each, border:-border:each]
    scene = Scene(len(ground), len(ground))
    scene.add(*ground_shapes(ground))
    living = [e for e in range(len(s.x)) if s.health[e] > 0]
    cells: dict[tuple[int, int], list[int]] = {}
    for e in living:
        cells.setdefault(((int(s.x[e]) - border) // each, (int(s.y[e]) - border) // each), []).append(e)
    middles, glyphs = {}, {}
    for (x, y), there in cells.items():
        places, scale = spots(x, y, len(there))
        for e, place in zip(there, places):
            middles[e] = (*place, scale)
            glyphs[e] = "" if e != there[0] else "+" if len(there) > 1 else None
    for e in living:
        other = int(s.aim[e]) - 1
        if other in middles and e in middles and s.hurt[other] and s.attacker[other] == e + 1:
            ends = [(middles[e][0], middles[e][1]), (middles[other][0], middles[other][1])]
            scene.add(Line(ends, "red", 0.1))
    for e, (across, down, scale) in middles.items():
        text = str(e) if s.kind[e] == 1 else _LETTERS[s.kind[e]]
        scene.add(*_figure(across, down, scale, int(s.kind[e]), e, text, int(s.health[e]), glyphs[e]))
    if world.parameters["fog"]:
        scene.add(*_fog(s, size, each))
    alive = sum(e < len(world.agents) for e in living)
    footer(scene, f"step {s.t}", f"{alive} players, {len(living) - alive} creatures")
    return scene


def seen(world: Any, s: Any, view: Any, agent: int) -> Scene:
    """What an agent sees, with bars for its health, food and water."""
    ground, own = np.asarray(view.ground), np.asarray(view.own).tolist()
    middle = len(ground) // 2
    scene = Scene(len(ground), len(ground))
    scene.add(*ground_shapes(ground))
    cells: dict[tuple[int, int], list[list[int]]] = {}
    if own[2]:
        cells[(middle, middle)] = [[1, agent, 0, 0, own[2]]]
    for k, row in enumerate(np.asarray(view.others).tolist()):
        if row[0]:
            cells.setdefault((middle + row[2], middle + row[3]), []).append([*row, k + 1])
    for (x, y), there in cells.items():
        places, scale = spots(x, y, len(there))
        for row, place in zip(there, places):
            mine = len(row) == 5
            text = "you" if mine else str(row[1]) if row[0] == 1 else _LETTERS[row[0]]
            glyph = "" if row is not there[0] else "+" if len(there) > 1 else None
            scene.add(*_figure(*place, scale, row[0], row[1], text, row[4], glyph))
            if not mine:
                scene.add(
                    Label(
                        place[0] + 0.36 * scale,
                        place[1] - 0.36 * scale,
                        str(row[-1]),
                        0.3 * scale,
                        "black",
                        terminal=False,
                    )
                )
    for k, (name, color) in enumerate((("health", "bad"), ("food", "leaf"), ("water", "deep"))):
        top = scene.height + 0.25
        scene.add(Rect(5 * k + 0.1, top, 4.8, 0.55, "line", radius=0.1, glyph=""))
        if own[2 + k]:
            scene.add(Rect(5 * k + 0.1, top, 4.8 * own[2 + k] / 100, 0.55, color, radius=0.1, glyph=""))
        color = text_on(color) if own[2 + k] > 60 else "ink"
        scene.add(Label(5 * k + 2.5, top + 0.28, f"{name} {own[2 + k]}", 0.45, color))
    scene.height += 0.9
    if world.parameters["items"]:
        _bag(scene, np.asarray(view.bag).tolist())
    levels = "  ".join(f"{name} {own[8 + k]}" for k, name in enumerate(_STYLES)) if s.params.progression else ""
    gold = f"{int(view.gold[0])} gold, " if world.parameters["exchange"] else ""
    fog = f"fog {int(view.fog[0])}, " if world.parameters["fog"] and view.fog[0] > -100 else ""
    footer(scene, levels, f"{gold}{fog}{world.agents[agent]}, step {own[13]}")
    return scene


def _fog(s: Any, size: int, each: int) -> list[Shape]:
    """The rings of the map in which the fog takes health in the next step."""
    middle = (size - 1) // 2
    deep = min(s.t + 1 - s.params.fog, max(middle - s.params.fog_core, 0))
    if deep <= 0:
        return []
    across, side = deep / each, size / each
    places = (
        *((0, 0, side, across), (0, side - across, side, across)),
        *((0, across, across, side - 2 * across), (side - across, across, across, side - 2 * across)),
    )
    return [Rect(x, y, width, height, "purple@0.4", glyph="") for x, y, width, height in places]


def _bag(scene: Scene, rows: list[list[int]]) -> None:
    """The places of a bag below a picture; what is worn has a thick border, and what is for sale its price."""
    width, top = scene.width / len(rows), scene.height + 0.15
    for k, (kind, grade, amount, worn, asked, _) in enumerate(rows):
        left = k * width + 0.05
        border = 0.1 if worn else 0.03
        scene.add(Rect(left, top, width - 0.1, 1.3, "panel", "ink" if worn else "line", border, radius=0.1, glyph=""))
        if kind:
            middle = left + width / 2 - 0.05
            scene.add(Label(middle, top + 0.3, ITEMS[kind][:6], 0.32, "ink"))
            scene.add(Label(middle, top + 0.7, f"{grade}" + (f" x{amount}" if amount > 1 else ""), 0.32, "ink"))
            if asked:
                scene.add(Label(middle, top + 1.08, f"for {asked}", 0.3, "ink"))
    scene.height += 1.6


def _figure(
    x: float, y: float, size: float, kind: int, number: int, text: str, health: int, glyph: str | None
) -> list[Shape]:
    """A round player with its number, or a square creature with its letter and horns; below, its health.

    A terminal shows one of a cell, with the sign + if there are more: `glyph` is "+" for that one, and "" for the rest.
    """
    sign = text if text != "you" else "@"
    sign = sign[-2:] if glyph is None else f"{sign[-1]}+" if glyph else ""
    shapes: list[Shape] = []
    if kind == 1:
        color = agent_color(number)
        shapes.append(Circle(x, y, 0.4 * size, color, "black", 0.05 * size, glyph=sign))
    else:
        color, horns = _CREATURES.get(kind, ("white", 0))
        half = 0.34 * size
        for i in ((), (0.0,), (-0.2, 0.2))[horns]:
            foot = [(x + (i + side) * size, y - half) for side in (-0.08, 0.08)]
            shapes.append(Polygon([*foot, (x + i * size, y - 1.6 * half)]))
        shapes.append(Rect(x - half, y - half, 2 * half, 2 * half, color, "black", 0.05 * size, glyph=sign))
    letter = 0.42 if len(text) < 3 else 0.3
    shapes.append(Label(x, y, text, letter * size, text_on(color), bold=True, terminal=False))
    if health < 100:
        left, top = x - 0.4 * size, y + 0.34 * size
        shapes.append(Rect(left, top, 0.8 * size, 0.12 * size, "black", glyph=""))
        color = "good" if health > 50 else "gold" if health > 25 else "bad"
        shapes.append(Rect(left, top, 0.008 * size * health, 0.12 * size, color, glyph=""))
    return shapes


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The whole map with the attacks of the last step; for an agent, what it sees."""
    return whole(world, s) if agent is None else seen(world, s, world.observation(s, agent), agent)


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    right, down = int(x // 1) - SIGHT, int(y // 1) - SIGHT
    if s.params.combat and max(abs(right), abs(down)) <= REACH:
        for k, number in enumerate(s.near[agent].tolist()):
            there = number and (s.x[number - 1] - s.x[agent], s.y[number - 1] - s.y[agent]) == (right, down)
            if there and not is_immune(s, number - 1):
                return len(MOVES) + k
    ways = list(zip(RIGHT.tolist(), DOWN.tolist()))
    return ways.index((right, down)) if (right, down) in ways else None
