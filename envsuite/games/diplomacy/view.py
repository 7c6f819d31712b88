"""Texts and pictures of Diplomacy."""

from __future__ import annotations

from functools import cache
from math import dist
from typing import Any

import numpy as np

from envsuite.core.page import counted
from envsuite.core.record import as_views
from envsuite.games.diplomacy import orders
from envsuite.games.diplomacy.actions import AUTUMN, FROM, SPRING, WAIVE, observe_orders
from envsuite.games.diplomacy.map import Map
from envsuite.games.diplomacy.press import WARN, observe_press
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, moved, wrap
from envsuite.render.theme import agent_color, text_on

PHASES = ("spring moves", "spring retreats", "autumn moves", "autumn retreats", "winter")
RESULTS = ("", "succeeds", "fails", "is dislodged")

#: The size of the map in pictures, the width of the panel beside it, and of the messages beside that.
WIDTH, HEIGHT, PANEL, TALK = 20.0, 16.0, 6.2, 8.0

#: Answers to proposals.
ANSWERS = ("", " (agreed)", " (rejected)")


def order_words(land: Map, unit: int, spot: int, order: int, helped: tuple[int, int] | None, target: int) -> str:
    """An order in words: ``A PAR - BUR``. `helped` is the unit that is supported or convoyed, and its location."""
    codes = land.codes
    own = f"{' AF'[unit]} {codes[spot]}"
    other = f"{' AF'[helped[0]]} {codes[helped[1]]}" if helped else ""
    there = codes[target] if target >= 0 else ""
    stays = helped is not None and land.province(helped[1]) == target
    match order:
        case 2:
            return f"{own} - {there}"
        case 3:
            return f"{own} - {there} by convoy"
        case 4:
            return f"{own} S {other}" if stays else f"{own} S {other} - {there}"
        case 5:
            return f"{own} C {other} - {there}"
        case 6:
            return f"{own} disbands"
        case 7 | 8:
            return f"build {' AF'[order - 6]} {there}"
        case _:
            return f"{own} H"


@cache
def cells(rows: str) -> list[list[tuple[float, float]]]:
    """The area of each province in pictures: what is nearer to its place than to those of others."""
    from scipy.spatial import Voronoi  # takes longer to import than the world to start

    land = Map(rows, {}, 0)
    at = np.array(land.places[: len(land.provinces)])
    flips = [at, at * [-1, 1], at * [1, -1], at * [-1, 1] + [2 * WIDTH, 0], at * [1, -1] + [0, 2 * HEIGHT]]
    found = Voronoi(np.concatenate(flips))
    regions = [found.regions[found.point_region[k]] for k in range(len(at))]
    return [[(float(x), float(y)) for x, y in found.vertices[region]] for region in regions]


@cache
def bases(rows: str) -> list[Polygon]:
    """The areas in the colors of land and sea."""
    kinds = Map(rows, {}, 0).kinds
    return [Polygon(cell, "deep" if kinds[k] == "sea" else "floor", "seam", 0.03) for k, cell in enumerate(cells(rows))]


@cache
def borders(rows: str) -> list[Line]:
    """A line for each pair of neighboring provinces."""
    land = Map(rows, {}, 0)
    pairs = set()
    for k in range(len(land.codes)):
        for kind in (1, 2):
            pairs |= {tuple(sorted((land.province(k), land.province(to)))) for to in land.reached(kind, k)}
    return [Line([land.places[a], land.places[b]], "shadow@0.3", 0.04) for a, b in sorted(pairs)]


@cache
def map_words(rows: str) -> str:
    """A map in words."""
    land, lines = Map(rows, {}, 0), ["The map: provinces with their kinds, and where armies and fleets can move."]
    for k, (code, name) in enumerate(zip(land.codes, land.names)):
        kind = f" ({land.kinds[k]}{', center' * (k in land.centers)})" if k < len(land.provinces) else ""
        ways = [
            f"{unit} {' '.join(land.codes[to] for to in land.reached(number, k))}"
            for number, unit in ((1, "armies"), (2, "fleets"))
            if land.reached(number, k)
        ]
        lines.append(f"{code} {name}{kind}: {'; '.join(ways)}")
    return "\n".join(lines)


def piece(unit: int, color: str, letter: str) -> list[Shape]:
    """An army, a disc with a cross, or a fleet, a boat, around (0, 0)."""
    if unit == 1:
        mark = text_on(color)
        return [
            Circle(0, 0, 0.33, color, "black", 0.05, glyph=letter),
            Line([(-0.16, 0.0), (0.16, 0.0)], mark, 0.08),
            Line([(0.0, -0.16), (0.0, 0.16)], mark, 0.08),
        ]
    hull = [(-0.42, 0.02), (0.42, 0.02), (0.24, 0.32), (-0.24, 0.32)]
    return [
        Polygon([(-0.04, -0.4), (-0.04, -0.04), (0.32, -0.04)], "white", "black", 0.04, glyph=letter.lower()),
        Polygon(hull, color, "black", 0.05),
    ]


# Texts.


def _observed(world: Any, s: Any, agent: int) -> Any:
    """Those parts of the agent's observation that depend on the agent, as kernels see them."""
    out = as_views(np.zeros((), world.slot))
    observe_orders(s, agent, out)
    observe_press(s, agent, out)
    return out


def _unit(world: Any, unit: Any, spot: Any, k: int) -> str:
    """A unit in words."""
    return f"{' AF'[unit[k]]} {world.land.codes[spot[k]]}"


def _last_orders(world: Any, s: Any, power: int) -> str:
    """The orders of a power in the last moves, with their results."""
    last, found = s.last, []
    for k in np.flatnonzero(last.owner == power).tolist():
        j, spot = int(last.helped[k]), k
        helped = (int(last.unit[j]), j) if j >= 0 else None
        words = order_words(world.land, int(last.unit[k]), spot, int(last.order[k]), helped, int(last.target[k]))
        found.append(f"{words} {RESULTS[last.result[k]]}")
    return "; ".join(found)


def _own_orders(world: Any, s: Any, out: Any) -> list[str]:
    """The agent's orders in this phase, as it observes them."""
    retreats, found = s.phase in (1, 3), []
    for k in np.flatnonzero(out.orders[0]).tolist():
        order, j, target = (int(value) for value in out.orders[:, k])
        unit, spot = (s.beaten[k], s.beaten_spot[k]) if retreats else (s.unit[k], s.spot[k])
        helped = (int(s.unit[j]), int(s.spot[j])) if j >= 0 else None
        found.append(order_words(world.land, int(unit), int(spot), order, helped, target))
    return found


def _question(world: Any, s: Any, agent: int) -> str:
    """What the agent has to choose now."""
    if s.terminated[agent]:
        return "The game is over for you."
    if world.press and s.round < world.press:
        return _press_question(world, s, agent)
    k, due = int(s.cursor[agent]), int(s.due[agent])
    if due:
        return f"You may still build {due}." if due > 0 else f"You must still disband {-due}."
    if k < 0:
        return "You have nothing to order now."
    if s.phase in (1, 3):
        return f"{_unit(world, s.beaten, s.beaten_spot, k)} is dislodged: where does it retreat?"
    if s.picked[agent]:
        verb = "supports" if s.picked[agent] == 4 else "convoys"
        other = _unit(world, s.unit, s.spot, int(s.picked_unit[agent]))
        return f"{_unit(world, s.unit, s.spot, k)} {verb} {other}: what does that unit do?"
    return f"What does {_unit(world, s.unit, s.spot, k)} do?"


def text(world: Any, s: Any, agent: int) -> str:
    codes, out = world.land.codes, _observed(world, s, agent)
    lines = [f"{PHASES[s.phase].capitalize()} {s.year}. You are {world.agents[agent].title()}."]
    for power, name in enumerate(world.agents):
        centers = " ".join(codes[k] for k in np.flatnonzero(s.center == power))
        units = ", ".join(_unit(world, s.unit, s.spot, k) for k in np.flatnonzero(s.owner == power).tolist())
        count = int((s.center == power).sum())
        owned = counted(count, "center") + f" ({centers})" * bool(centers)
        lines.append(f"{name.title()}: {owned}; {units or 'no units'}.")
    free = " ".join(codes[k] for k in np.flatnonzero(s.center == -1))
    lines.append(f"Centers without an owner: {free or 'none'}.")
    for k in np.flatnonzero(s.beaten).tolist():
        unit = _unit(world, s.beaten, s.beaten_spot, k)
        origin = f"from {codes[s.beaten_from[k]]}" if s.beaten_from[k] >= 0 else "by convoy"
        lines.append(f"{world.agents[s.beaten_owner[k]].title()}'s {unit} is dislodged by an attack {origin}.")
    if s.standoff.any():
        lines.append(f"Contested: {' '.join(codes[k] for k in np.flatnonzero(s.standoff))}.")
    if s.last.unit.any():
        lines.append("Last moves:")
        for power, name in enumerate(world.agents):
            if words := _last_orders(world, s, power):
                lines.append(f"{name.title()}: {words}.")
    if own := _own_orders(world, s, out):
        lines.append(f"Your orders so far: {'; '.join(own)}.")
    if world.press:
        lines += _press_lines(world, s, agent, out)
    return "\n".join([*lines, _question(world, s, agent)])


# Press.


def _said(world: Any, message: Any) -> str:
    """A message in words."""
    kind, about, target, answer = (int(part) for part in message)
    code = world.land.codes[about] if 1 < kind < 5 else ""
    stays = about == target
    there = "" if target < 0 else world.land.codes[target]
    words = (
        "",
        "I propose peace",
        f"let us keep out of {code}",
        f"please hold in {code}" if stays else f"please move from {code} to {there}",
        f"please support {code}" + ("" if stays else f" to {there}"),
        "I accept your proposal",
        "I reject your proposal",
        "I warn you",
        f"let us ally against {world.agents[about].title()}" if kind == 8 else "",
    )[kind]
    return words + ANSWERS[answer]


def _transcript(world: Any, s: Any, agent: int | None) -> list[tuple[int, int, str, Any]]:
    """Round, number of the sender, sender and recipient in words, and message: all, or an agent's own."""
    names, found = [name.title() for name in world.agents], []
    out = None if agent is None else _observed(world, s, agent)
    for r in range(min(int(s.round) + 1, world.press)):
        for a, sender in enumerate(names):
            for b, other in enumerate(names):
                if out is None:
                    message, words = s.message[r, a, b], f"{sender} to {other}"
                elif b == agent:
                    message, words = out.heard[r, a], f"{sender} to you"
                elif a == agent:
                    message, words = out.sent[r, b], f"You to {other}"
                else:
                    continue
                if message[0]:
                    found.append((r, a, words, message))
    return found


def messages(world: Any, s: Any) -> list[tuple[int, str]]:
    """The messages that have been delivered before these moves."""
    if not world.press:
        return []
    found = [(r, a, words, message) for r, a, words, message in _transcript(world, s, None) if r < s.round]
    return [(a, f"{words.partition(' ')[2]}: {_said(world, [*message[:3], 0])}") for _, a, words, message in found]


def hearers(world: Any, s: Any, agent: int, action: int) -> tuple[int, ...] | None:
    """The power to which a message is begun; what completes a message, or ends a round, has no words of its own."""
    started = action - FROM[s.params.map, WAIVE + 1] - 1
    powers = len(world.agents)
    if not world.press or s.round == world.press or not 0 <= started < (WARN + powers - 1) * powers:
        return None
    return (started % powers if started < WARN * powers else (started - WARN * powers) // (powers - 1),)


def hearing(world: Any, s: Any, speaker: int, hearer: int) -> int:
    """What is written in a round of press arrives when the round closes."""
    rounds = 1 + world.press
    return int((5 * s.year + s.phase) * rounds + s.round) if world.press else int(s.t)


def talk_times(world: Any, s: Any) -> tuple[str, ...]:
    """Powers talk before the first orders of moves, after the rounds of press."""
    begun = (s.order != orders.NONE).any() or (s.picked != orders.NONE).any()
    over = not world.press or s.round == world.press
    return ("public", "private") if s.phase in (SPRING, AUTUMN) and over and not begun else ()


def _press_title(world: Any, s: Any) -> str:
    """The round of press."""
    return f"Press, round {s.round + 1} of {world.press}" if s.round < world.press else "Messages before these moves"


def _press_lines(world: Any, s: Any, agent: int, out: Any) -> list[str]:
    """The agent's messages before these moves, and the promises to it."""
    lines = [f"{_press_title(world, s)}:"]
    for r, _, words, message in _transcript(world, s, agent):
        lines.append(f"Round {r + 1}. {words}: {_said(world, message)}.")
    if len(lines) == 1:
        lines = [f"{_press_title(world, s)}. No messages."]
    for power, name in enumerate(world.agents):
        kept, broken = (int(out.word[k, power]) for k in range(2))
        if kept or broken:
            lines.append(f"{name.title()} has kept {counted(kept, 'promise')} to you and broken {broken}.")
    return lines


def _press_question(world: Any, s: Any, agent: int) -> str:
    """What the agent has to say now."""
    if s.quiet[agent]:
        return "You have nothing more to say in this round."
    kind, named = int(s.saying[agent]), int(s.named[agent])
    if not kind:
        return "What do you say, and to whom?"
    other, verb = world.agents[s.hearer[agent]].title(), ("", "", "demilitarize", "move", "support")[kind]
    if kind == 2:
        return f"You ask {other} to demilitarize: which province do both of you keep out of?"
    if named < 0:
        return f"You ask {other} to {verb}: which of {'its' if kind == 3 else 'your'} units?"
    return f"You ask {other} to {verb} {_unit(world, s.unit, s.spot, named)}: what does that unit do?"


# Pictures.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The map with units and the last moves, and the powers beside it; an agent sees its own new orders only."""
    scene = Scene(WIDTH + PANEL + TALK * (world.press > 0), HEIGHT)
    _draw_map(world, scene, s)
    _draw_last_moves(world, scene, s)
    _draw_orders(world, scene, s, agent)
    _draw_units(world, scene, s, agent)
    _draw_names(world, scene, s)
    _draw_panel(world, scene, s, agent)
    if world.press:
        _draw_messages(world, scene, s, agent)
    return scene


def _draw_map(world: Any, scene: Scene, s: Any) -> None:
    """Provinces in the colors of their owners, the lines between neighbors, and the centers."""
    land, ground = world.land, cells(world.land.rows)
    for k, base in enumerate(bases(land.rows)):
        owner = int(s.center[k])
        scene.add(base)
        if owner >= 0:
            scene.add(Polygon(ground[k], f"{agent_color(owner)}@0.4", None))
    scene.add(*borders(land.rows))
    for k in land.centers:
        owned = s.center[k] >= 0
        scene.add(Circle(*land.places[k], 0.16, "white", "black", 0.05, glyph="*" if owned else "o"))
    for k in range(len(land.provinces), len(land.codes)):
        scene.add(Circle(*land.places[k], 0.1, "deep", "seam", 0.03, glyph=""))


def _draw_names(world: Any, scene: Scene, s: Any) -> None:
    """The codes of provinces and coasts."""
    land = world.land
    for k, code in enumerate(land.codes):
        x, y = land.places[k]
        sea, shore = k < len(land.provinces) and land.kinds[k] == "sea", k >= len(land.provinces)
        y += 0.24 if shore else 0.54 * (not sea or s.unit[k] != 0)
        y, size, words = min(y, HEIGHT - 0.2), 0.22 if shore else 0.27, code[4:].lower() if shore else code
        wide = size * (1.6 if shore else 2.5)
        ground, color = ("deep", "white") if sea else ("floor@0.7", "black")
        scene.add(Rect(x - wide / 2, y - 0.62 * size, wide, 1.24 * size, ground, radius=0.08, glyph=""))
        scene.add(Label(x, y, words, size, color, bold=k in land.centers, terminal=False))


def _draw_last_moves(world: Any, scene: Scene, s: Any) -> None:
    """The moves of the last move phase, red where they failed, and supports."""
    for k in np.flatnonzero(s.last.unit).tolist():
        order, target = int(s.last.order[k]), int(s.last.target[k])
        color = "black" if s.last.result[k] == 1 else "bad"
        _draw_order(scene, world.land, k, order, int(s.last.helped[k]), target, color)


def _draw_orders(world: Any, scene: Scene, s: Any, agent: int | None) -> None:
    """The orders of this phase: all for spectators, an agent's own for itself."""
    orders = np.stack([s.order, s.helped, s.target])
    if agent is not None:
        orders = np.asarray(_observed(world, s, agent).orders)
    for k in np.flatnonzero(orders[0]).tolist():
        order, helped, target = (int(value) for value in orders[:, k])
        x, y = world.land.places[k]
        if order in (1, 6):
            scene.add(Circle(x, y, 0.46, None, "bad" if order == 6 else "gold", 0.08, glyph=""))
        elif order >= 7:
            shapes = piece(order - 6, "gold", "B")
            scene.add(*(moved(shape, *world.land.places[target]) for shape in shapes))
        else:
            _draw_order(scene, world.land, k, order, helped, target, "gold")


def _draw_units(world: Any, scene: Scene, s: Any, agent: int | None) -> None:
    """The units, dislodged ones beside them, and a mark on the unit that the agent orders."""
    if agent is not None and s.cursor[agent] >= 0 and not s.terminated[agent]:
        k = int(s.cursor[agent])
        spot = int(s.beaten_spot[k]) if s.phase in (1, 3) else int(s.spot[k])
        scene.add(Circle(*world.land.places[spot], 0.55, "highlight", "black", 0.04, glyph=""))
    for k in np.flatnonzero(s.unit).tolist():
        x, y = world.land.places[int(s.spot[k])]
        shapes = piece(int(s.unit[k]), agent_color(int(s.owner[k])), world.agents[s.owner[k]][0].upper())
        scene.add(*(moved(shape, x, y) for shape in shapes))
    for k in np.flatnonzero(s.beaten).tolist():
        x, y = world.land.places[int(s.beaten_spot[k])]
        shapes = piece(int(s.beaten[k]), agent_color(int(s.beaten_owner[k])), "!")
        scene.add(Circle(x + 0.45, y - 0.4, 0.4, "bad", glyph=""))
        scene.add(*(moved(shape, x + 0.45, y - 0.4, 0.8) for shape in shapes))


def _draw_panel(world: Any, scene: Scene, s: Any, agent: int | None) -> None:
    """The date, and each power with its centers and units."""
    left = WIDTH + 0.3
    scene.add(Label(left, 0.7, f"{PHASES[s.phase].capitalize()} {s.year}", 0.5, align="left", bold=True))
    for power, name in enumerate(world.agents):
        y, color = 1.9 + 1.25 * power, agent_color(power)
        if power == agent:
            scene.add(Rect(left - 0.15, y - 0.55, PANEL - 0.3, 1.1, None, "gold", 0.08, 0.1))
        scene.add(*(moved(shape, left + 0.4, y, 0.9) for shape in piece(1, color, name[0].upper())))
        scene.add(Label(left + 1.0, y - 0.2, name.title(), 0.44, align="left", bold=power == agent))
        centers, units = int((s.center == power).sum()), int((s.owner == power).sum())
        words = "out" if not centers and not units else f"{counted(centers, 'center')}, {counted(units, 'unit')}"
        scene.add(Label(left + 1.0, y + 0.26, words, 0.34, "muted", "left"))
    if agent is not None:
        for row, line in enumerate(wrap(_question(world, s, agent), PANEL - 0.6, 0.36)):
            scene.add(Label(left, HEIGHT - 2.0 + 0.5 * row, line, 0.36, align="left"))


def _draw_messages(world: Any, scene: Scene, s: Any, agent: int | None) -> None:
    """The last messages before these moves, as far as there is room."""
    left, lines, last = WIDTH + PANEL + 0.3, [], -1
    scene.add(Rect(left - 0.25, 0.2, TALK - 0.1, HEIGHT - 0.4, "panel", radius=0.2))
    scene.add(Label(left, 0.75, _press_title(world, s), 0.44, align="left", bold=True))
    for r, a, words, message in _transcript(world, s, agent):
        if r > last:
            lines.append(("muted", f"Round {r + 1}"))
        rows = wrap(f"{words}: {_said(world, message)}", TALK - 1.1, 0.36)
        lines += [("" if k else agent_color(a), row) for k, row in enumerate(rows)]
        last = r
    for k, (color, words) in enumerate(lines[-29:]):
        y, indent = 1.5 + 0.5 * k, 0.0 if color == "muted" else 0.55
        if color not in ("", "muted"):
            scene.add(Circle(left + 0.2, y, 0.17, color, "black", 0.03, glyph=""))
        scene.add(Label(left + indent, y, words, 0.36, "ink" if indent else "muted", "left"))


def _click_on_power(world: Any, s: Any, agent: int, y: float) -> int | None:
    """On a power's row during press: accept its proposal, or else propose peace."""
    names, power = world.action_names[agent], round((y - 1.9) / 1.25)
    if 0 <= power < len(world.agents):
        for words in ("accept proposal of", "propose peace to"):
            action = names.index(f"{words} {world.agents[power].title()}")
            if action in world.legal_actions(s, agent):
                return action
    return None


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The place that is clicked: where the unit goes, or the unit itself; in winter a unit or a home."""
    if world.press and WIDTH < x < WIDTH + PANEL:
        return _click_on_power(world, s, agent, y)
    codes, names = world.land.codes, world.action_names[agent]
    found: list[tuple[float, int]] = []
    for action in world.legal_actions(s, agent):
        verb, _, code = names[action].rpartition(" ")
        if verb in ("to", "disband", "build army", "name"):
            place = codes.index(code)
            if s.phase in (1, 3) and verb == "disband":
                place = int(s.beaten_spot[place])
            elif verb == "disband":
                place = int(s.spot[place])
        elif names[action] == "hold":
            k = int(s.picked_unit[agent] if s.picked[agent] else s.cursor[agent])
            k = int(s.named[agent]) if world.press and s.round < world.press else k
            place = int(s.spot[k])
        else:
            continue
        found.append((dist((x, y), world.land.places[place]), action))
    return min(found)[1] if found and min(found)[0] < 0.6 else None


def _draw_order(scene: Scene, land: Map, k: int, order: int, helped: int, target: int, color: str) -> None:
    """A move as an arrow; a support or a convoy as a thin line to the middle of the move, or to the unit that stays."""
    (x, y), (u, v) = land.places[k], land.places[target if target >= 0 else k]
    if order in (2, 3):
        far = max(dist((x, y), (u, v)), 0.01)
        a, b = (u - x) / far, (v - y) / far
        tip = (u - 0.36 * a, v - 0.36 * b)
        back = (tip[0] - 0.3 * a, tip[1] - 0.3 * b)
        scene.add(Line([(x, y), back], color, 0.1))
        scene.add(
            Polygon([tip, (back[0] - 0.18 * b, back[1] + 0.18 * a), (back[0] + 0.18 * b, back[1] - 0.18 * a)], color)
        )
    elif order in (4, 5):
        p, q = land.places[helped]
        middle = ((p + u) / 2, (q + v) / 2)
        scene.add(Line([(x, y), middle], color, 0.05))
        scene.add(Circle(*middle, 0.09, color, glyph=""))
