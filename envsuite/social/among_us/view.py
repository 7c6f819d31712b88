"""AmongUs in words and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, hypot
from typing import Any

import numpy as np

from envsuite.core.page import counted, listed
from envsuite.kit import deduction
from envsuite.kit.deduction import SIZE, RoundTable
from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import agent_color, text_on
from envsuite.social.among_us import rules


def text(world: Any, s: Any, agent: int) -> str:
    over, phase = bool(s.terminated.all()), world.phases[s.phase].name
    lines = [f"You are player_{agent}, {world.roles[s.roles[agent]].a}.", ""]
    now = f"Tick {s.clock} of {s.params.ticks}" + ("." if s.phase == rules.ROOMS else f", meeting {s.day}: {phase}.")
    lines.append(f"The game is over: the {world.winners(s)} wins." if over else now)
    lives = s.alive if over else s.lives[agent]
    lines.append("Alive, as far as you know: " + ", ".join(f"player_{a}" for a in np.flatnonzero(lives)) + ".")
    for d, (reporter, body, room) in enumerate(s.reports):
        if reporter >= 0:
            lines.append(f"Meeting {d + 1}: player_{reporter} found player_{body} dead in room {rules.LETTERS[room]}.")
        votes = [f"{count} for " + (f"player_{a}" if a < len(s.roles) else "nobody")
                 for a, count in enumerate(s.tallies[d]) if count]  # fmt: skip
        if votes:
            out = f"player_{s.removed[d]} was" if s.removed[d] >= 0 else "nobody was"
            lines.append(f"Votes: {', '.join(votes)}; {out} voted out.")
    if over:
        return "\n".join([*lines, f"player_{int(s.roles.argmax())} was the imposter."])
    if not s.alive[agent]:
        return "\n".join([*lines, "You are out and only watch; your team's result is yours.", "", "You wait."])
    if s.phase == rules.ROOMS:
        looks = s.activity[agent] <= rules.WAITING
        lines.append(f"You are in room {rules.LETTERS[s.room[agent]]}; {sights(world, s, agent)}." if looks
                     else f"You are busy: player_{agent} {doing(world, s, agent)}.")  # fmt: skip
    ago = {b: int(s.clock - s.seen_at[agent, b]) for b in np.flatnonzero(s.seen[agent] >= 0)}
    seen = [f"player_{b} in room {rules.LETTERS[s.seen[agent, b]]} {_ago(k)}" for b, k in ago.items() if k]
    lines += ["You last saw " + listed(seen) + "."] if seen else []
    lines += [f"You saw player_{b} kill." for b in np.flatnonzero(s.witnessed[agent])]
    if s.roles[agent] == rules.CREW:
        left = [rules.LETTERS[room] for room, done in zip(s.tasks[agent], s.done[agent]) if not done]
        lines.append(f"Your tasks left: {', '.join(left)}." if left else "Your tasks are done.")
    elif s.phase == rules.ROOMS:
        lines.append(f"Ticks until you may kill: {s.cooldown}." if s.cooldown else "You may kill who is in sight.")
    if s.said:
        lines.append("Said in the last meeting:" if s.phase == rules.ROOMS else "Said in this meeting:")
        lines += [f"- {sentence(world, message)}" for message in s.messages[: s.said]]
    if s.phase == rules.SURVEY:
        lines.append("Whom do you suspect most? Nobody else will know.")
    return "\n".join([*lines, "", world.ask(s, agent)])


def sentence(world: Any, message: Sequence[int]) -> str:
    words = RoundTable.sentence(world, message)
    if message[0] == message[2]:  # of itself
        words = words.replace(f"saw player_{message[2]} in", "was in")
    return words


def fates(world: Any, s: Any) -> list[tuple[int, str]]:
    found = []
    for (_, body, room), removed in zip(s.reports, s.removed):
        found += [(int(body), f"found dead in room {rules.LETTERS[room]}")] if body >= 0 else []
        found += [(int(removed), "voted out")] if removed >= 0 else []
    told = {a for a, _ in found}
    missing = [a for a in range(len(s.roles)) if not s.alive[a] and s.room[a] < 0 and a not in told]
    return found + [(a, "missing") for a in missing]


def sights(world: Any, s: Any, agent: int) -> str:
    """What an agent saw when it last looked."""
    where = ("", "player_{} is here", "player_{} comes from room {}", "player_{} leaves to room {}",
             "the body of player_{} lies here")  # fmt: skip
    found = [where[sight].format(b, rules.LETTERS[s.via[agent, b]]) for b, sight in enumerate(s.sight[agent]) if sight]
    return listed(found) or "nobody else is here"


def doing(world: Any, s: Any, agent: int) -> str:
    """What an agent does."""
    words = ("free in room {}", "waits in room {}", "walks to room {}", "works in room {}", "reports in room {}")
    return words[s.activity[agent]].format(rules.LETTERS[s.room[agent]])


def _ago(ticks: int) -> str:
    return f"{counted(ticks, 'tick')} ago"


# The picture: the rooms, or in a meeting the table. On the right: what players do, and those that are gone.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    if s.phase != rules.ROOMS:
        return RoundTable.scene(world, s, agent)
    scene, over = Scene(*SIZE), bool(s.terminated.all())
    viewer = None if over else agent
    scene.add(Label(0.6, 0.85, world.title, 0.75, bold=True, align="left"))
    when = f"over: {world.winners(s)} win" if over else f"tick {s.clock}"
    scene.add(Label(12.4, 0.85, when, 0.55, "muted", "right"))
    _draw_rooms(world, scene, s, viewer)
    for b, (x, y) in places(world, s, viewer).items():
        _draw_player(world, scene, s, b, x, y, agent, viewer)
    known = s.roles if viewer is None else s.minds[viewer].roles
    entries = [
        (b, _status(world, s, b, viewer), "bad" if known[b] == rules.IMPOSTER else "ink") for b in range(len(s.roles))
    ]
    deduction.draw_panel(scene, 0.45, 7.55, "players", entries)
    deduction.draw_panel(scene, 8.2, 4.75, "gone", [(a, fate, "ink") for a, fate in fates(world, s)])
    return scene


def _status(world: Any, s: Any, b: int, viewer: int | None) -> str:
    """The text of a player in the list of players."""
    if not (s.alive[b] if viewer in (None, b) else s.lives[viewer, b]):
        return "dead" if b not in s.removed else "ejected"
    if viewer in (None, b):
        done = f"{s.done[b].sum()}/{s.done.shape[1]} tasks"
        wait = f"kills in {s.cooldown}" if s.cooldown else "may kill"
        return f"{doing(world, s, b)} · {done if s.roles[b] == rules.CREW else wait}"
    if s.seen[viewer, b] < 0:
        return "not seen yet"
    ago = int(s.clock - s.seen_at[viewer, b])
    return f"in room {rules.LETTERS[s.seen[viewer, b]]}" + (f" {_ago(ago)}" if ago else "")


def room_at(world: Any, s: Any, room: int) -> tuple[float, float, float, float]:
    """The middle of a room and half of its sides, walls included."""
    width, height = int(s.params.width), int(s.params.height)
    across, down = min(5.9, 11.8 / width), min(5.6, 11.2 / height)
    x = 6.5 + across * (room % width - (width - 1) / 2)
    y = 7.2 + down * (room // width - (height - 1) / 2)
    return x, y, across / 2, down / 2


def _slot(world: Any, s: Any) -> tuple[int, int, float]:
    """The columns and rows of players in a room, and the side of their squares."""
    columns = ceil(len(world.agents) ** 0.5)
    rows = ceil(len(world.agents) / columns)
    _, _, across, down = room_at(world, s, 0)
    return columns, rows, min(1.7 * across / columns, 1.3 * down / rows, 1.5)


def places(world: Any, s: Any, viewer: int | None) -> dict[int, tuple[float, float]]:
    """The place of each visible player. A player that walks is halfway, beside others on the same way."""
    found, walkers = {}, dict[frozenset, int]()
    columns, rows, side = _slot(world, s)
    looks = viewer is not None and s.alive[viewer] and s.activity[viewer] <= rules.WAITING
    for b in range(len(s.roles)):
        room, origin = s.room[b], s.origin[b]
        if viewer not in (None, b):  # what it sees, not what is
            sight, here, via = s.sight[viewer, b], s.room[viewer], s.via[viewer, b]
            room = -1 if not looks or sight == rules.UNSEEN else via if sight == rules.LEAVING else here
            origin = via if sight == rules.COMING else here
        if room < 0:
            continue
        x, y, _, down = room_at(world, s, int(room))
        if origin == room:
            x += side * (b % columns - (columns - 1) / 2)
            y += side * (b // columns - (rows - 1) / 2) + 0.1 * down
        else:
            other, way = room_at(world, s, int(origin)), frozenset((int(room), int(origin)))
            rank = walkers[way] = walkers.get(way, -1) + 1
            aside = 0.85 * side * ((rank + 1) // 2) * (-1) ** rank
            x, y = (x + other[0]) / 2, (y + other[1]) / 2
            x, y = (x + aside, y) if x == other[0] else (x, y + aside)
        found[b] = (x, y)
    return found


def _draw_rooms(world: Any, scene: Scene, s: Any, viewer: int | None) -> None:
    width, count = int(s.params.width), int(s.params.width * s.params.height)
    for room in range(count):
        x, y, across, down = room_at(world, s, room)
        scene.add(Rect(x - across, y - down, 2 * across, 2 * down, "wall"))
    for room in range(count):
        x, y, across, down = room_at(world, s, room)
        lit = viewer is None or room == s.room[viewer]
        inner = (x - across + 0.12, y - down + 0.12, 2 * across - 0.24, 2 * down - 0.24)
        scene.add(Rect(*inner, "floor" if lit else "seam"))
        if room % width < width - 1:
            scene.add(Rect(x + across - 0.14, y - 0.45 * down, 0.28, 0.9 * down, "floor"))
        if room + width < count:
            scene.add(Rect(x - 0.45 * across, y + down - 0.14, 0.9 * across, 0.28, "floor"))
        scene.add(Label(x - across + 0.5, y - down + 0.55, rules.LETTERS[room], 0.55, "muted", bold=True))
        tasks = [(b, done) for b in range(len(s.roles)) if viewer in (None, b) and s.alive[b]
                 for place, done in zip(s.tasks[b], s.done[b]) if place == room]  # fmt: skip
        size = min(0.5, (2 * across - 1.3) / max(len(tasks), 1))
        for k, (b, done) in enumerate(tasks):
            left, side, color = x - across + 1.0 + size * k, 0.8 * size, agent_color(b)
            fill, outline = (f"{color}@0.25", None) if done else (color, "white")
            scene.add(Rect(left, y - down + 0.55 - side / 2, side, side, fill, outline, 0.04, 0.06))


def _draw_player(
    world: Any, scene: Scene, s: Any, b: int, x: float, y: float, agent: int | None, viewer: int | None
) -> None:
    radius = 0.4 * _slot(world, s)[2]
    if not s.alive[b] if viewer in (None, b) else s.sight[viewer, b] == rules.BODY:
        scene.add(Circle(x, y, radius, "line", agent_color(b), 0.1, glyph=f"x{b}"))
        for sign in (-1, 1):
            d = 0.55 * radius
            scene.add(Line([(x - d, y - sign * d), (x + d, y + sign * d)], "bad", 0.2 * radius))
        return
    scene.add(Circle(x + 0.03, y + 0.06, radius, "shadow@0.2", glyph=""))
    scene.add(Circle(x, y, radius, agent_color(b), "black" if b == agent else "white", 0.08, glyph=str(b)))
    scene.add(Label(x, y, str(b), 1.05 * radius, text_on(agent_color(b)), bold=True, terminal=False))
    if s.activity[b] == rules.WORKING and viewer in (None, b):
        scene.add(Circle(x + 0.8 * radius, y - 0.8 * radius, 0.34 * radius, "good", "white", 0.05, glyph=""))


def arrows(world: Any, s: Any, agent: int | None) -> list[tuple[str, int, int]]:
    """After a survey the beliefs that the agent may know, before it the talk; for spectators the last votes."""
    if s.outcome != rules.UNDECIDED:
        votes = enumerate(s.votes[s.day - 1])
        return [("ink", a, int(target)) for a, target in votes if agent is None and 0 <= target < len(s.votes[0])]
    if s.phase == rules.SURVEY or not s.params.survey:
        return RoundTable._arrows(world, s, agent)
    beliefs = enumerate(s.beliefs)
    return [("purple", a, int(target)) for a, target in beliefs if agent in (None, a) and target >= 0]


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """A seat in a meeting. In the rooms a player, to kill or report it, or a room, to walk there."""
    if s.phase != rules.ROOMS:
        return RoundTable.click(world, s, agent, x, y)
    legal, players = world.legal_actions(s, agent), len(world.agents)
    for b, place in places(world, s, agent).items():
        if hypot(x - place[0], y - place[1]) <= 0.4 * _slot(world, s)[2]:
            return next((k for k in legal if deduction.target_of(k, rules.PLAIN, players) == b), None)
    width, here = int(s.params.width), int(s.room[agent])
    for action, way in ((rules.NORTH, -width), (rules.WEST, -1), (rules.EAST, 1), (rules.SOUTH, width)):
        if action in legal:
            middle = room_at(world, s, here + way)
            if abs(x - middle[0]) <= middle[2] and abs(y - middle[1]) <= middle[3]:
                return action
    return None
