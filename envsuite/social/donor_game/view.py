"""DonorGame in words, and its picture."""

from __future__ import annotations

from math import ceil, floor, hypot, log10
from typing import Any, Literal

import numpy as np

from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color, text_on

#: No recipient: the agent does not donate in the round.
NOBODY = -1

#: The numbers of a strategy, and the lower ends of their ranges.
STRATEGY = ("trust", "base", "last", "second", "wealth")
LOW = np.array([0.0, -1.0, -1.0, -1.0, -1.0])

#: The height of an agent's row in the picture, and the width of its card.
ROW = 1.08
CARD = 6.0


def trace(world: Any, s: Any, agent: int) -> list[tuple[int, int, int, int]]:
    """What a donor knows of its recipient, newest first: round, donor, steps given, recipient."""
    seen = world.observation(s, agent)
    partners = [other for other in seen.partners if other != NOBODY]
    donors = [seen.recipient[0], *partners]
    return [(s.turn - 1 - k, donors[k], s.gave[s.turn - 1 - k, donors[k]], other) for k, other in enumerate(partners)]


def deed(s: Any, steps: int) -> str:
    """The deed in words, to be followed by its object."""
    part = f"{100 * abs(steps) / s.params.steps:.3g}%"
    return f"gave {part} of what it had to" if steps >= 0 else f"spent {part} of what it had on punishing"


def text(world: Any, s: Any, agent: int) -> str:
    if s.terminated.all():
        return f"It is over after {len(s.welfare)} generations. You have {s.balance[agent]:.6g} units."
    past = f"You have survived {s.age[agent]}." if s.age[agent] else "You are new."
    numbers = ", ".join(f"{name} {value:.2f}" for name, value in zip(STRATEGY, s.strategy[agent]))
    lines = [
        f"Generation {s.generation + 1} of {len(s.welfare)}, round {s.turn + 1} of {len(s.recipient)}. {past}",
        f"Your advice: {numbers}.",
        f"You have {s.balance[agent]:.6g} units.",
    ]
    recipient = world.observation(s, agent).recipient[0]
    if recipient == NOBODY:
        return "\n".join([*lines, "You are a recipient in this round."])
    lines.append(f"You are a donor. Your recipient, player_{recipient}, has {s.balance[recipient]:.6g} units.")
    known = trace(world, s, agent)
    if not known:
        lines.append(f"You know nothing of what player_{recipient} did before.")
    for number, who, gave, other in known:
        to = "you" if other == agent else f"player_{other}"
        subject = "you" if who == agent else f"player_{who}"
        done = deed(s, gave).replace("it had", "you had") if who == agent else deed(s, gave)
        lines.append(f"- In round {number + 1} {subject} {done} {to}.")
    return "\n".join(lines)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The half that donates first on the left, the other on the right, the last round's gifts between them."""
    recipient = NOBODY if agent is None else int(world.observation(s, agent).recipient[0])
    gifts = [] if agent is None else trace(world, s, agent)
    rounds, players = s.recipient.shape
    over = bool(s.terminated.all())
    rows = players // 2
    bottom = 2.5 + ROW * rows
    scene = Scene(20, bottom + (4.3 if agent is None else 3.6))
    scene.add(Label(0.6, 0.85, "Donor game", 0.65, align="left", bold=True))
    moment = "over" if over else f"round {s.turn + 1} of {rounds}"
    scene.add(Label(19.4, 0.85, f"generation {s.generation + 1} of {len(s.welfare)} · {moment}", 0.5, "muted", "right"))
    for side in (0, 1):
        donates = not over and s.turn % 2 == side
        title = "" if over else "donors now" if donates else "recipients now"
        x = CARD / 2 + 0.5 if side == 0 else 20 - CARD / 2 - 0.5
        scene.add(Label(x, 1.8, title, 0.42, "ink" if donates else "muted", bold=donates))
    known = met = set(range(players))  # known: the agents whose balance is shown
    if agent is not None:
        known = {agent, recipient}
        met = known | {other for *_, other in gifts}
    places: dict[int, tuple[int, float]] = {}
    for side in (0, 1):
        present = [who for who in range(players) if who in met and (s.recipient[0, who] >= 0) == (side == 0)]
        places |= {who: (side, 2.4 + ROW * (row + 0.5)) for row, who in enumerate(present)}
    _draw_pairs(scene, s, agent, places, gifts)
    most = max(1e-9, *(float(s.balance[who]) for who in known if who >= 0))
    for who, (side, y) in places.items():
        _draw_agent(scene, s, who, side, y, most, who in known, agent in (None, who))
    if agent is None:
        _draw_strategies(scene, s, 0.5, bottom + 0.2)
        _draw_generations(scene, s, 10.2, bottom + 0.2)
    else:
        _draw_knowledge(scene, s, agent, recipient, gifts, bottom + 0.2)
    return scene


def _draw_pairs(
    scene: Scene,
    s: Any,
    agent: int | None,
    places: dict[int, tuple[int, float]],
    gifts: list[tuple[int, int, int, int]],
) -> None:
    """Thin lines for the pairs of this round; arrows for those of the last, as thick as the part given."""

    def edge(who: int, away: float = 0.0) -> tuple[float, float]:
        side, y = places[who]
        return (CARD + 0.75 + away if side == 0 else 19.25 - CARD - away), y

    if s.turn < len(s.recipient):
        for donor in np.flatnonzero(s.recipient[s.turn] >= 0).tolist():
            if agent in (None, donor):
                scene.add(Line([edge(donor), edge(int(s.recipient[s.turn, donor]))], "line", 0.05))
    if agent is None:
        last = s.turn - 1
        donors = np.flatnonzero(s.recipient[last] >= 0).tolist() if s.turn else []
        gifts = [(last, donor, int(s.gave[last, donor]), int(s.recipient[last, donor])) for donor in donors]
    wide = 1.1
    donors = [donor for _, donor, _, _ in gifts]
    for _, donor, gave, recipient in gifts:
        (x0, y0), (x1, y1) = edge(donor, wide), edge(recipient, wide if recipient in donors else 0.0)
        part = abs(gave) / s.params.steps
        color = "bad" if gave < 0 else "good" if gave > 0 else "muted"
        length = hypot(x1 - x0, y1 - y0)
        ahead = ((x1 - x0) / length, (y1 - y0) / length)
        tip = 0.3 + 0.25 * part
        neck, wing = (x1 - tip * ahead[0], y1 - tip * ahead[1]), 0.6 * tip
        scene.add(Line([(x0, y0), neck], color, 0.06 + 0.2 * part))
        head = [(neck[0] - k * wing * ahead[1], neck[1] + k * wing * ahead[0]) for k in (1, -1)]
        scene.add(Polygon([(x1, y1), *head], color))
        x = edge(donor, wide / 2)[0]
        scene.add(Rect(x - wide / 2, y0 - 0.26, wide, 0.52, "white", color, 0.04, 0.24))
        scene.add(Label(x, y0, f"{100 * part:.3g}%", 0.36, color, bold=True))


def _draw_agent(scene: Scene, s: Any, who: int, side: int, y: float, most: float, known: bool, aged: bool) -> None:
    """A card: number, name, age, and a bar for the balance that grows away from the middle of the picture."""
    left = 0.5 if side == 0 else 20 - 0.5 - CARD
    disc = left + CARD - 0.5 if side == 0 else left + 0.5
    color = agent_color(who)
    scene.add(Rect(left, y - 0.46, CARD, 0.92, "panel", radius=0.2))
    scene.add(Circle(disc, y, 0.34, color), Label(disc, y, str(who), 0.36, text_on(color), bold=True))
    edge = left + 0.25 if side == 0 else left + CARD - 0.25
    inner: Literal["left", "right"] = "right" if side == 0 else "left"
    outer: Literal["left", "right"] = "left" if side == 0 else "right"
    if not known:
        scene.add(Label(edge, y, "?", 0.42, "muted", outer))
        return
    room, away = CARD - 1.3, -1 if side == 0 else 1
    start = disc + away * 0.55
    long = room * float(s.balance[who]) / most
    scene.add(Rect(start - room if side == 0 else start, y + 0.08, room, 0.24, "white", radius=0.08))
    if long > 0.02:
        scene.add(Rect(start - long if side == 0 else start, y + 0.08, long, 0.24, color, radius=0.08))
    years = "" if s.generation == 0 or not aged else " · new" if s.age[who] == 0 else f" · age {s.age[who]}"
    scene.add(Label(start, y - 0.17, f"player_{who}{years}", 0.34, "ink", inner))
    scene.add(Label(edge, y - 0.17, f"{s.balance[who]:.5g}", 0.4, "ink", outer, bold=True))


def _draw_strategies(scene: Scene, s: Any, left: float, top: float) -> None:
    """A line for each number of the strategies: a dot for each agent between the ends of its range."""
    scene.add(Rect(left, top, 9.3, 3.7, "panel", radius=0.25))
    scene.add(Label(left + 0.3, top + 0.5, "strategies", 0.38, "muted", "left"))
    zero, half = left + 5.7, 3.2
    for part, (name, low) in enumerate(zip(STRATEGY, LOW.tolist())):
        y = top + 1.0 + 0.55 * part
        scene.add(Label(left + 0.3, y, name, 0.36, align="left"))
        scene.add(Line([(zero + half * low, y), (zero + half, y)], "line", 0.05))
        scene.add(Line([(zero, y - 0.15), (zero, y + 0.15)], "line", 0.05))
        for who in range(len(s.balance)):
            at = zero + half * float(s.strategy[who, part])
            scene.add(Circle(at, y, 0.13, f"{agent_color(who)}@0.8", glyph=""))
    for value in (-1, 0, 1):
        scene.add(Label(zero + half * value, top + 0.5, str(value), 0.32, "muted"))


def _draw_generations(scene: Scene, s: Any, left: float, top: float) -> None:
    """The mean balance at the end of each generation, on a logarithmic scale; of this one so far."""
    scene.add(Rect(left, top, 9.3, 3.7, "panel", radius=0.25))
    scene.add(Label(left + 0.3, top + 0.5, "mean balance at the end of each generation", 0.38, "muted", "left"))
    over = bool(s.terminated.all())
    done = s.generation + over
    values = [float(value) for value in s.welfare[:done]]
    present = float(s.balance.mean())
    levels = [log10(max(value, 0.001)) for value in [*values, present, float(s.params.endowment)]]
    low = floor(min(levels))
    high = max(ceil(max(levels)), low + 1)
    x0, y0, across, down = left + 1.4, top + 3.2, 7.5, 2.1

    def point(k: int, value: float) -> tuple[float, float]:
        place = k / max(len(s.welfare) - 1, 1)
        level = (log10(max(value, 0.001)) - low) / (high - low)
        return x0 + 0.3 + (across - 0.6) * place, y0 - down * level

    for power in range(low, high + 1, max(1, (high - low + 3) // 4)):
        y = point(0, 10.0**power)[1]
        scene.add(Line([(x0, y), (x0 + across, y)], "line", 0.03))
        scene.add(Label(x0 - 0.15, y, f"{10.0**power:g}", 0.32, "muted", "right"))
    path = [point(k, value) for k, value in enumerate(values)]
    if len(path) > 1:
        scene.add(Line(path, "deep", 0.08))
    for place in path if len(s.welfare) <= 40 else path[-1:]:
        scene.add(Circle(*place, 0.12, "deep"))
    if not over:
        scene.add(Circle(*point(done, present), 0.12, "paper", "deep", 0.05, glyph="○"))


def _draw_knowledge(
    scene: Scene, s: Any, agent: int, recipient: int, gifts: list[tuple[int, int, int, int]], top: float
) -> None:
    """What one agent knows: its strategy, and what its recipient and those before it did."""
    scene.add(Rect(0.5, top, 19, 3.0, "panel", radius=0.25))
    numbers = " · ".join(f"{name} {value:.2f}" for name, value in zip(STRATEGY, s.strategy[agent]))
    scene.add(Label(0.9, top + 0.5, f"player_{agent}'s strategy: {numbers}", 0.4, align="left"))
    if not gifts:
        told = "nothing is known of the recipient" if recipient >= 0 else "it is not the donor now"
        scene.add(Label(0.9, top + 1.1, told, 0.4, "muted", "left"))
    for k, (number, who, gave, other) in enumerate(gifts):
        sentence = f"round {number + 1}: player_{who} {deed(s, gave)} player_{other}"
        scene.add(Label(0.9, top + 1.1 + 0.6 * k, sentence, 0.4, "bad" if gave < 0 else "ink", "left"))
