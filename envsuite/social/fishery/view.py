"""Fishery in the words of its skins, and its picture."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin, sqrt
from typing import Any

from envsuite.core.record import copied
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color, text_on
from envsuite.social.fishery import rules

#: The place on the left of the picture: x, y, width, height; and the ends of the scale of requests.
PLACE = (0.5, 1.4, 11.3, 7.0)
SCALE = (2.3, 19.1)

#: Acts of speech in words, to be followed by a full stop.
SAID = (
    "passes", "agrees", "objects", "ends the meeting", "asks player_{}", "accuses player_{}", "proposes limit {}"
)  # fmt: skip


@dataclass(frozen=True)
class Skin:
    """The words of a skin."""

    title: str
    people: str
    place: str
    stock: str
    verb: str
    unit: str
    caught: str  # what a villager did, {n} units
    growth: str
    collapse: str
    moderator: str


SKINS = {
    "fishery": Skin(
        title="Fishery",
        people="fishers",
        place="a lake",
        stock="There are {n} tons of fish in the lake.",
        verb="catch",
        unit="Each ton of fish that you catch",
        caught="caught {n} tons",
        growth="The fish that are left grow by a factor of {growth:g} a month, up to {capacity} tons.",
        collapse="If fewer than {collapse} tons are left, the fish die out and it is over.",
        moderator="mayor",
    ),
    "pasture": Skin(
        title="Pasture",
        people="shepherds",
        place="a common pasture",
        stock="There are {n} hectares of grass on the pasture.",
        verb="graze",
        unit="Each flock that you graze",
        caught="grazed {n} flocks",
        growth=(
            "A flock eats one hectare. What is left grows by a factor of {growth:g} a month, up to {capacity} hectares."
        ),
        collapse="If fewer than {collapse} hectares are left, the pasture turns to dust and it is over.",
        moderator="elder",
    ),
    "pollution": Skin(
        title="River",
        people="factory owners",
        place="a river",
        stock="Of {capacity} parts of the river's water, {n} are clean.",
        verb="make",
        unit="Each pallet that you make",
        caught="made {n} pallets",
        growth=(
            "A pallet fouls one part. What is left clean grows by a factor of {growth:g} a month, up to {capacity} "
            "parts."
        ),
        collapse="If fewer than {collapse} parts are left, the river dies and it is over.",
        moderator="warden",
    ),
}


# Words.


def sentence(world: Any, message: Any) -> str:
    """One utterance in words."""
    speaker, act, argument = message
    if act == rules.ANNOUNCE:
        return f"The {world.skin.moderator} reads out the catches."
    return f"player_{speaker} {SAID[act].format(argument)}."


def hearers(world: Any, s: Any, agent: int, action: int) -> range | None:
    """Who hears an act of speech: those who are there."""
    return range(rules.attendance(s)) if s.phase == rules.MEETING and s.speaker == agent else None


def seats(world: Any, s: Any) -> range:
    """Who can talk in rounds of talk: those who are there."""
    return range(rules.attendance(s))


def unspoken(world: Any, s: Any) -> Any:
    """No utterance but the moderator's, and no limit that was agreed on."""
    quiet = copied(s)
    quiet.utterances = int(s.params.public_catch != 0 and s.utterances > 0)
    quiet.messages[quiet.utterances :] = -1
    quiet.norm = -1
    return quiet


def messages(world: Any, s: Any) -> list[tuple[int, str]]:
    return [(said[0], sentence(world, said)) for said in s.messages[: s.utterances] if said[1] != rules.ANNOUNCE]


def text(world: Any, s: Any, agent: int) -> str:
    skin, seen, over = world.skin, world.observation(s, agent), bool(s.terminated.all())
    if agent >= rules.attendance(s):
        when = f"You come to {skin.place} in month {rules.ARRIVAL + 1}"
        return f"You are player_{agent}. You are away. {when}; this is month {s.month + 1}."
    lines = [
        f"It is over after {s.month} months." if over else f"Month {s.month + 1} of {len(s.history)}.",
        skin.stock.format(n=s.stock, capacity=s.params.capacity),
    ]
    if s.params.universalization and s.phase == rules.HARVEST:
        lines.append(f"If everyone takes more than {rules.threshold(s)}, there will be less next month.")
    if s.catches[agent] >= 0:
        lines.append(
            f"At the last harvest you asked for {s.requests[agent]} and {skin.caught.format(n=s.catches[agent])}."
        )
    known = [f"player_{a} {skin.caught.format(n=got)}" for a, got in enumerate(seen.catches) if a != agent and got >= 0]
    if known:
        lines.append("Of the others, " + ", ".join(known) + ".")
    if seen.norm[0] >= 0:
        lines.append(f"The limit agreed on is {seen.norm[0]} each.")
    said = [f"- {sentence(world, message)}" for message in seen.messages if message[1] >= 0]
    if said:
        lines += ["In this meeting:" if s.phase == rules.MEETING else "In the last meeting:", *said]
    if s.phase == rules.MEETING and not over:
        lines += ["", "You speak." if s.speaker == agent else f"player_{s.speaker} speaks."]
    return "\n".join(lines)


# The picture.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The place, its past and the talk; for an agent what it knows of them, nothing while it is away."""
    present, share, spoken = rules.attendance(s), rules.threshold(s), s.utterances
    if agent is not None:
        if agent >= present:
            return _absence(world, s, text(world, s, agent))
        share, spoken = world.observation(s, agent).threshold[0], s.utterances if rules.witnessed(s, agent) else 0
        s = _known(world, s, agent)
    talk = [sentence(world, message) for message in s.messages[:spoken]]
    return _picture(s, world.skin, present, int(share), talk)


def _known(world: Any, s: Any, agent: int) -> Any:
    """A copy of the record with what a present agent knows; the rest is negative."""
    known, seen = copied(s), world.observation(s, agent)
    known.norm = seen.norm[0]
    known.history[: rules.arrival(s, agent)] = -1
    if not (world.parameters["language"] or s.params.public_catch):  # it sees the stock only after it has grown
        known.history[:, 1] = -1
    for a in range(len(world.agents)):
        if a != agent:
            known.catches[a] = known.requests[a] = seen.catches[a]
            known.gains[a] = s.gains[a] if s.params.public_catch and rules.arrival(s, agent) == 0 else -1
    return known


def _absence(world: Any, s: Any, text: str) -> Scene:
    """The picture of an agent that is away: only this message."""
    scene = Scene(20, 10.3 + 2.1 * (1 if len(s.catches) <= 10 else 2))
    title = Label(0.5, 0.75, world.skin.title, 0.7, bold=True, align="left")
    scene.add(title, Label(0.5, 2.0, text, 0.5, align="left"))
    return scene


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """On the scale of requests: an amount, or in a meeting a limit. On a card: ask its agent."""
    count = len(world.agents)
    for a in range(count):
        left, top, width, height = card(a, count)
        if s.phase == rules.MEETING and left <= x <= left + width and top <= y <= top + height:
            return world.first_word + rules.ASK + a if a != agent and a < rules.attendance(s) else None
    left, right = SCALE
    if y < scale_y(count) - 0.5 or not left - 0.3 <= x <= right + 0.3:
        return None
    amount = round((x - left) / (right - left) * s.params.capacity)
    if s.phase == rules.HARVEST:
        return min(max(amount, 0), s.stock)
    return world.first_limit + min(max(amount, 0), world.num_actions - world.first_limit - 1)


def _picture(s: Any, skin: Skin, present: int, share: int, talk: list[str]) -> Scene:
    """The place on the left, chart and talk on the right, below a card per agent and the scale of requests.

    Args:
        present: the number of villagers that are there, the first ones.
        share: the sustainable share of the stock.
        talk: what has been said, in words.
    """
    harvests, over = s.phase == rules.HARVEST, bool(s.terminated.all())
    count = len(s.catches)
    scene = Scene(20, 10.3 + 2.1 * (1 if count <= 10 else 2))
    title = f"{skin.title} · month {s.month if over else s.month + 1} of {len(s.history)}"
    scene.add(Label(0.5, 0.75, title, 0.7, bold=True, align="left"))
    if over:
        ended = "collapsed" if s.stock < s.params.collapse else "survived"
        phase = f"over: {ended} after {s.month} months"
    else:
        phase = "harvest: all ask at once" if harvests else f"meeting: player_{s.speaker} speaks"
    norm = f"norm: {s.norm} each" if s.norm >= 0 else "no norm"
    scene.add(Label(19.5, 0.75, f"{phase} · {norm}", 0.5, "muted", "right"))
    {"Fishery": _draw_lake, "Pasture": _draw_pasture, "River": _draw_river}[skin.title](scene, s, present)
    _draw_gauge(scene, s)
    _draw_chart(scene, s)
    _draw_talk(scene, talk)
    for a in range(count):
        from_month = rules.ARRIVAL + 1 if a >= present else 0
        _draw_card(scene, s, a, card(a, count), from_month, not harvests and s.speaker == a)
    _draw_scale(scene, s, skin.verb, harvests, share if not over else None)
    return scene


def _ellipse(x: float, y: float, across: float, down: float, points: int = 48) -> list[tuple[float, float]]:
    turns = [2 * pi * k / points for k in range(points)]
    return [(x + across * cos(turn), y + down * sin(turn)) for turn in turns]


def _share(s: Any, total: int) -> int:
    """The number of `total` marks that show the stock: at least one if anything is left."""
    return -(-s.stock * total // s.params.capacity)


def _draw_lake(scene: Scene, s: Any, present: int) -> None:
    x, y, width, height = PLACE
    scene.add(Rect(x, y, width, height, "grass", radius=0.35))
    cx, cy, across, down = x + width / 2 - 0.35, y + height / 2, 4.35, 2.65
    scene.add(Polygon(_ellipse(cx, cy, across + 0.2, down + 0.2), "soil"))
    scene.add(Polygon(_ellipse(cx, cy, across, down), "water"))
    scene.add(Polygon(_ellipse(cx, cy, across * 0.8, down * 0.78), "sky@0.35"))
    for k in range(_share(s, 50)):  # a sunflower's pattern fills the lake evenly, from the middle
        reach, turn = 0.86 * sqrt((k + 0.5) / 50), 2.39996 * k
        fx, fy, side = cx + across * reach * cos(turn), cy + down * reach * sin(turn), 1 if k % 2 else -1
        tail = [(fx - 0.13 * side, fy), (fx - 0.3 * side, fy - 0.1), (fx - 0.3 * side, fy + 0.1)]
        scene.add(Polygon(_ellipse(fx, fy, 0.2, 0.1, 14), "deep", glyph="◂"), Polygon(tail, "deep"))
        scene.add(Circle(fx + 0.1 * side, fy - 0.02, 0.025, "white", glyph=""))
    count = len(s.catches)
    size = min(1.0, 8 / count)
    for a in range(present):
        turn = 2 * pi * (a + 0.5) / count - pi / 2
        bx, by = cx + (across + 0.1) * cos(turn), cy + (down + 0.05) * sin(turn)
        hull = [(-0.55, -0.05), (0.55, -0.05), (0.36, 0.3), (-0.36, 0.3)]
        sail = [(0.0, -0.95), (0.48, -0.18), (0.0, -0.18)]
        color = agent_color(a)
        scene.add(Line([(bx, by - 0.05 * size), (bx, by - 0.97 * size)], "wall", 0.05 * size))
        scene.add(Polygon([(bx + size * px, by + size * py) for px, py in sail], "white", color, 0.03))
        scene.add(Polygon([(bx + size * px, by + size * py) for px, py in hull], color))
        scene.add(Label(bx, by + 0.12 * size, str(a), 0.3 * size, text_on(color), bold=True))


def _draw_pasture(scene: Scene, s: Any, present: int) -> None:
    x, y, width, height = PLACE
    scene.add(Rect(x, y, width, height, "soil", radius=0.35))
    columns, rows, side = 12, 7, 0.8
    left, top = x + 0.3, y + 0.7
    green = _share(s, columns * rows)
    for k in range(columns * rows):
        cell = k * 37 % (columns * rows)  # bare patches lie scattered
        px, py = left + cell % columns * side, top + cell // columns * side
        if k >= green:
            scene.add(Rect(px, py, side, side, "brown@0.16"))
            continue
        scene.add(Rect(px, py, side, side, "grass"))
        for blade in (-0.16, 0.0, 0.16):
            bx, by = px + side / 2 + blade, py + side * 0.72
            scene.add(Polygon([(bx - 0.06, by), (bx + 0.06, by), (bx + blade / 2, by - 0.36)], "green@0.75", glyph="'"))
    count = len(s.catches)
    size = min(1.0, 9 / count)
    for a in range(present):
        turn = 2 * pi * (a + 0.5) / count - pi / 2
        sx, sy = left + columns * side * (0.5 + 0.4 * cos(turn)), top + rows * side * (0.5 + 0.38 * sin(turn))
        for leg in (-0.22, -0.1, 0.12, 0.24):
            scene.add(Line([(sx + leg * size, sy), (sx + leg * size, sy + 0.46 * size)], "black", 0.06 * size))
        for wx, wy in ((-0.3, 0.0), (-0.12, -0.16), (0.14, -0.16), (0.3, 0.0), (-0.12, 0.12), (0.14, 0.12), (0.0, 0.0)):
            scene.add(Circle(sx + wx * size, sy + wy * size, 0.24 * size, "white", glyph=""))
        scene.add(Circle(sx + 0.58 * size, sy - 0.14 * size, 0.17 * size, "black", glyph=""))
        scene.add(Circle(sx, sy - 0.02 * size, 0.25 * size, agent_color(a)))
        scene.add(Label(sx, sy - 0.02 * size, str(a), 0.3 * size, text_on(agent_color(a)), bold=True))


def _draw_river(scene: Scene, s: Any, present: int) -> None:
    x, y, width, height = PLACE
    scene.add(Rect(x, y, width, height, "floor", radius=0.35))
    middle, half = y + height / 2, 1.25

    def bank(place: float, offset: float) -> tuple[float, float]:
        return x + place * width, middle + 0.28 * sin(place * 7.5) + offset

    steps = 40
    clean = s.stock / s.params.capacity
    for k in range(steps):  # fouled from downstream, on the right
        a, b = k / steps, min((k + 1.04) / steps, 1.0)
        fouled = min(max(k + 1 - clean * steps, 0.0), 1.0)
        corners = [bank(a, -half), bank(b, -half), bank(b, half), bank(a, half)]
        scene.add(Polygon(corners, "sky"), Polygon(corners, f"brown@{0.85 * fouled:.2f}"))
    for k, offset in enumerate((-0.8, -0.3, 0.25, 0.75)):
        for start in range(4):
            first = (start + 0.23 * k) / 4.2 + 0.03
            scene.add(Line([bank(first + 0.012 * p, offset) for p in range(9)], "white@0.55", 0.05))
    count = len(s.catches)
    above = (count + 1) // 2
    for a in range(present):
        row, seat, seats = (0, a, above) if a < above else (1, a - above, count - above)
        size = min(1.0, 5.5 / above)
        fx = x + 0.1 + (width - 1.3) * (seat + 0.5) / seats
        floor = middle - half - 0.45 if row == 0 else y + height - 0.3
        color = agent_color(a)
        smoke = 0 if s.catches[a] <= 0 else min(3, 1 + s.catches[a] * 12 // s.params.capacity)
        scene.add(Rect(fx + 0.2 * size, floor - 1.15 * size, 0.26 * size, 1.1 * size, "wall"))
        for puff in range(smoke):
            scene.add(
                Circle(
                    fx + (0.38 + 0.14 * puff) * size,
                    floor - (1.25 + 0.2 * puff) * size,
                    (0.1 + 0.05 * puff) * size,
                    "grey@0.6",
                    glyph="°",
                )
            )
        roof = [(-0.62, -0.5), (-0.62, -0.8), (-0.2, -0.5), (-0.2, -0.8), (0.2, -0.5)]
        scene.add(Polygon([(fx + px * size, floor + py * size) for px, py in roof], color))
        scene.add(Rect(fx - 0.62 * size, floor - 0.52 * size, 1.24 * size, 0.52 * size, color))
        scene.add(Label(fx, floor - 0.25 * size, str(a), 0.36 * size, text_on(color), bold=True))


def _draw_gauge(scene: Scene, s: Any) -> None:
    x, y, width, height = PLACE
    left, top, tall = x + width - 0.85, y + 1.0, height - 1.5
    fill = tall * s.stock / s.params.capacity
    limit = top + tall * (1 - s.params.collapse / s.params.capacity)
    scene.add(Label(left + 0.25, y + 0.55, str(s.stock), 0.62, "black", bold=True))
    scene.add(Rect(left, top, 0.5, tall, "white", "line", radius=0.1))
    if fill:
        scene.add(
            Rect(left, top + tall - fill, 0.5, fill, "bad" if s.stock < s.params.collapse else "deep", radius=0.1)
        )
    scene.add(Line([(left - 0.12, limit), (left + 0.62, limit)], "bad", 0.05))


def _draw_chart(scene: Scene, s: Any) -> None:
    left, top, width, height = 12.1, 1.4, 7.4, 2.9
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    scene.add(Label(left + 0.3, top + 0.4, "stock by month", 0.38, "muted", "left"))
    capacity, months = s.params.capacity, len(s.history)
    x0, y0, across, down = left + 0.95, top + height - 0.55, width - 1.35, height - 1.55

    def point(month: float, stock: float) -> tuple[float, float]:
        return x0 + across * month / months, y0 - down * stock / capacity

    for stock in (0, capacity):
        scene.add(Line([point(0, stock), point(months, stock)], "line", 0.03))
        scene.add(Label(x0 - 0.12, point(0, stock)[1], str(stock), 0.32, "muted", "right"))
    scene.add(Line([point(0, s.params.collapse), point(months, s.params.collapse)], "bad@0.7", 0.03))
    for month in range(0, months + 1, max(1, months // 4)):
        scene.add(Label(point(month, 0)[0], y0 + 0.26, str(month), 0.32, "muted"))
    path = []
    for month, (before, after) in enumerate(s.history):
        if before >= 0:
            path.append(point(month, int(before)))
            if after >= 0:
                path.append(point(month + 0.5, int(after)))
    if len(path) > 1:
        scene.add(Line(path, "deep", 0.07))
    if path:
        scene.add(Circle(*path[-1], 0.11, "deep"))


def _draw_talk(scene: Scene, sentences: list[str]) -> None:
    left, top, width, height = 12.1, 4.55, 7.4, 3.85
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    shown = sentences[-10:]
    if not shown:
        scene.add(Label(left + width / 2, top + height / 2, "nothing was said", 0.38, "muted"))
    for k, sentence in enumerate(shown):
        scene.add(Label(left + 0.3, top + 0.35 + 0.35 * k, sentence, 0.34, align="left"))


def card(agent: int, count: int) -> tuple[float, float, float, float]:
    """Where an agent's card is: x, y, width, height."""
    columns = count if count <= 10 else (count + 1) // 2
    slot = min(19.2 / columns, 3.84)
    return 0.5 + slot * (agent % columns), 8.7 + 2.1 * (agent // columns), slot - 0.2, 1.95


def _draw_card(
    scene: Scene, s: Any, agent: int, place: tuple[float, float, float, float], away: int, speaks: bool
) -> None:
    """A card with what a villager asked for and got; `away` is the month from which on it is there, or 0."""
    x, y, width, height = place
    color = agent_color(agent)
    scene.add(Rect(x, y, width, height, "panel", "gold" if speaks else None, 0.08, radius=0.2))
    scene.add(Circle(x + 0.4, y + 0.42, 0.2, "grey@0.5" if away else color))
    name = f"player_{agent}" if width > 2 else str(agent)
    scene.add(Label(x + 0.72, y + 0.43, name, 0.4, "muted" if away else "ink", "left", bold=True))
    if away:
        scene.add(Label(x + 0.25, y + 1.1, f"from month {away}" if width > 2 else "away", 0.34, "muted", "left"))
        return
    if s.gains[agent] >= 0:
        scene.add(Label(x + width - 0.2, y + 1.62, f"Σ {s.gains[agent]}", 0.34, "muted", "right"))
    across = width - 0.95
    scene.add(Rect(x + 0.2, y + 0.95, across, 0.34, "white", radius=0.08))
    if s.catches[agent] < 0:
        return
    largest = max(1, int(s.requests.max()))
    asked, got = (across * int(value) / largest for value in (s.requests[agent], s.catches[agent]))
    scene.add(Rect(x + 0.2, y + 0.95, asked, 0.34, f"{color}@0.25", radius=0.08))
    scene.add(Rect(x + 0.2, y + 0.95, got, 0.34, color, radius=0.08))
    scene.add(Label(x + width - 0.2, y + 1.13, str(s.catches[agent]), 0.42, align="right", bold=True))
    if width > 3 and s.catches[agent] < s.requests[agent]:
        scene.add(Label(x + 0.2, y + 1.62, f"asked for {s.requests[agent]}", 0.32, "muted", "left"))


def scale_y(count: int) -> float:
    """Where the scale of requests is, for this number of villagers."""
    return 11.35 if count <= 10 else 13.45


def _draw_scale(scene: Scene, s: Any, verb: str, harvests: bool, share: int | None) -> None:
    left, right = SCALE
    y, capacity = scale_y(len(s.catches)), s.params.capacity

    def at(amount: float) -> float:
        return left + (right - left) * amount / capacity

    scene.add(Label(0.6, y, verb if harvests else "limit", 0.42, "muted", "left"))
    scene.add(Line([(left, y), (right, y)], "line", 0.12))
    if harvests:
        scene.add(Line([(left, y), (at(s.stock), y)], "deep", 0.12))
    for amount in range(0, capacity + 1, max(1, capacity // 10)):
        scene.add(Label(at(amount), y + 0.55, str(amount), 0.34, "muted"))
    marks = [("f", share, "good")] if harvests and share is not None and share >= 0 else []
    marks += [("norm", s.norm, "gold")] if s.norm >= 0 else []
    for k, (label, amount, color) in enumerate(marks):
        scene.add(Line([(at(amount), y - 0.28), (at(amount), y + 0.28)], color, 0.08))
        side = -1 if k == 0 and len(marks) > 1 and marks[1][1] >= amount else 1
        scene.add(Label(at(amount) + 0.14 * side, y - 0.24, label, 0.32, "ink", "right" if side < 0 else "left"))
