"""The text and the picture of SocialGoals."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from envsuite.core.record import copied
from envsuite.render.scene import Circle, Label, Rect, Scene
from envsuite.render.theme import agent_color, text_on
from envsuite.social.social_goals.levels import CLOSEST, FACTS, ISSUES, PURPOSES, WORTH

#: The first of four acts that ask, and the act of the parameter `say`, which changes nothing.
ASK, SAY = 14, 27

#: The letters of options.
LETTERS = "abcd"

#: What acts without an argument are in words, from `thank` on.
MANNERS = ("thanks", "complains", "threatens", "makes small talk", "leaves", "says something")

#: The table of issues: its left, top and height, and the width of an option; the left of the talk.
LEFT, TOP, TALL, WIDE, TALK = 0.5, 1.7, 9.3, 3.4, 14.7

#: The acts that the picture shows at most.
SHOWN = 9


def in_words(s: Any, player: int, action: int) -> str:
    """An act of a player in this situation."""
    issues = list(ISSUES[s.level.situation].items())
    if action < 12:
        name, (options, *_) = issues[action // 4]
        return f"proposes {name}: {options[action % 4]}"
    if action < 14:
        return ("accepts", "rejects")[action - 12]
    if action < 22:
        k, asks = (action - ASK) % 4, action < ASK + 4
        if k == 3:
            return "asks for a fact" if asks else f"says: {FACTS[s.level.situation][s.level.facts[player]][:-1]}"
        if asks:
            return f"asks about {issues[k][0]}"
        return f"reveals {issues[k][0]}: {' '.join(map(str, s.level.worth[player, k]))}"
    return MANNERS[action - 22]


def hearers(world: Any, s: Any, agent: int, action: int) -> Collection[int] | None:
    """Both hear every act."""
    return range(2) if s.player == agent else None


def unspoken(world: Any, s: Any) -> Any:
    """Questions look as the act that says nothing; all other acts change what both know."""
    quiet = copied(s)
    quiet.log[(quiet.log >= ASK) & (quiet.log < ASK + 4)] = SAY
    return quiet


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one player."""
    seen, other = world.observation(s, agent), 1 - agent
    facts = FACTS[s.level.situation]
    lines = [f"The relation is {s.relation:+d}."]
    secret = "It is a secret" if seen.secret[0] else "It is no secret"
    known = " and you have revealed it" if seen.revealed[3] else ""
    lines.append(f"The fact about you: {facts[seen.facts[0]]} {secret}{known}.")
    if seen.facts[1] >= 0:
        lines.append(f"player_{other} said: {facts[seen.facts[1]]}")
    for k, (name, (options, *_)) in enumerate(ISSUES[s.level.situation].items()):
        worth = ", ".join(f"{LETTERS[j]}: {option} = {seen.worth[k, j]}" for j, option in enumerate(options))
        line = f"{k + 1}. {name}, worth to you: {worth}."
        if seen.other[k, 0] >= 0:
            line += f" To player_{other}: {', '.join(map(str, seen.other[k]))}."
        if seen.settled[k] >= 0:
            line += f" Settled: {options[seen.settled[k]]}."
        elif seen.revealed[k]:
            line += " You have revealed it."
        lines.append(line)
    if s.by >= 0:
        who = "Your proposal" if s.by == agent else f"The proposal of player_{other}"
        lines.append(f"{who} stands: {s.issue + 1} {LETTERS[s.option]}.")
    for a in (agent, other):
        if (act := seen.last[int(a != agent)]) >= 0:
            who = f"player_{a} (you)" if a == agent else f"player_{a}"
            lines.append(f"Last, {who} {in_words(s, a, int(act))}.")
    if s.terminated[0]:
        names = world.objectives
        scores = ", ".join(f"{name} {score:.3g}" for name, score in zip(names, s.objectives[agent]))
        return "\n".join([*lines, f"It is over. Your scores: {scores}."])
    turn = "It is your turn" if s.player == agent else f"It is the turn of player_{other}"
    return "\n".join([*lines, f"{turn}; {seen.left[0]} of {s.params.turns} acts are left."])


def row_of(s: Any) -> float:
    """The height of an issue's row."""
    return min(4.0, TALL / len(ISSUES[s.level.situation]))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The proposal that a point of the picture means."""
    k, j = int((y - TOP) // row_of(s)), int((x - LEFT) // WIDE)
    return 4 * k + j if 0 <= k < len(ISSUES[s.level.situation]) and 0 <= j < 4 else None


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """Issues on the left, the talk on the right, the players below; an agent sees what it knows."""
    scene, over = Scene(24, 15.4), bool(s.terminated[0])
    everything = agent is None or over
    scene.add(Label(LEFT, 0.85, PURPOSES[s.level.situation], 0.6, align="left", bold=True, width=19.5))
    moment = "over" if over else f"act {s.t + 1} of {s.params.turns}"
    scene.add(Label(23.5, 0.85, moment, 0.5, "muted", "right", terminal=False))
    for k, (name, (options, *_)) in enumerate(ISSUES[s.level.situation].items()):
        y = TOP + row_of(s) * k
        scene.add(Label(LEFT, y + 0.3, f"{k + 1} {name}", 0.42, "muted", "left"))
        for j, option in enumerate(options):
            _draw_option(scene, s, k, j, option, agent, everything)
    _draw_talk(scene, s)
    for a in range(2):
        _draw_player(scene, world, s, a, agent, everything)
    return scene


def _draw_option(scene: Scene, s: Any, k: int, j: int, option: str, agent: int | None, everything: bool) -> None:
    """A tile: the option, and a bar for its worth to each player where that is known."""
    row = row_of(s)
    x, y, wide, tall = LEFT + WIDE * j, TOP + row * k + 0.6, WIDE - 0.2, row - 0.75
    settled, proposed = s.settled[k] == j, s.by >= 0 and s.issue == k and s.option == j
    frame = "good" if settled else agent_color(s.by) if proposed else "line"
    scene.add(Rect(x, y, wide, tall, "panel", frame, 0.14 if settled or proposed else 0.04, 0.2))
    open_ = settled or s.settled[k] < 0
    name = f"{LETTERS[j]}: {option}"
    scene.add(Label(x + 0.25, y + 0.45, name, 0.42, "ink" if open_ else "muted", "left", settled, width=wide - 0.4))
    for a in range(2):
        bar = 0.5 * (tall - 1.2)
        top = y + 0.9 + (bar + 0.12) * a
        known = everything or a == agent or bool(s.revealed[a, k])
        worth = int(s.level.worth[a, k, j])
        scene.add(Rect(x + 0.9, top, wide - 1.15, bar, "paper", radius=0.1))
        if known and worth:
            color = agent_color(a) if open_ else f"{agent_color(a)}@0.4"
            scene.add(Rect(x + 0.9, top, (wide - 1.15) * worth / WORTH, bar, color, radius=0.1))
        number = str(worth) if known else "?"
        scene.add(Label(x + 0.75, top + bar / 2, number, 0.4, "ink" if known else "muted", "right"))


def _draw_talk(scene: Scene, s: Any) -> None:
    """The last acts, oldest first."""
    scene.add(Rect(TALK, TOP, 23.5 - TALK, TALL, "panel", radius=0.25))
    first = max(0, int(s.t) - SHOWN)
    for row, t in enumerate(range(first, int(s.t))):
        y = TOP + 0.65 + row
        color = agent_color(t % 2)
        scene.add(Circle(TALK + 0.5, y, 0.28, color), Label(TALK + 0.5, y, str(t % 2), 0.34, text_on(color), bold=True))
        scene.add(Label(TALK + 0.95, y, in_words(s, t % 2, int(s.log[t])), 0.42, align="left", width=7.6))


def _draw_player(scene: Scene, world: Any, s: Any, a: int, agent: int | None, everything: bool) -> None:
    """A card: the fact if it is known, the score for conduct, at the end all scores; the relation between the cards."""
    left, y, color = LEFT + 13.1 * a, 11.35, agent_color(a)
    turn = s.player == a and not s.terminated[0]
    scene.add(Rect(left, y, 9.9, 3.6, "panel", "gold" if turn else None, 0.1, 0.25))
    scene.add(Circle(left + 0.7, y + 0.7, 0.4, color), Label(left + 0.7, y + 0.7, str(a), 0.45, text_on(color)))
    scene.add(Label(left + 1.3, y + 0.7, f"player_{a}", 0.45, align="left", bold=a == agent))
    own = everything or a == agent
    known = own or bool(s.revealed[a, 3])
    fact = FACTS[s.level.situation][s.level.facts[a]] if known else "a fact that is not known"
    scene.add(Label(left + 0.5, y + 1.5, fact, 0.42, "ink" if known else "muted", "left", width=9.0))
    note = "revealed" if s.revealed[a, 3] else "not revealed"
    if own:
        note = f"{'a secret' if s.level.secret[a] else 'no secret'}, {note}"
    hue = "bad" if own and s.level.secret[a] else "muted"
    scene.add(Label(left + 9.5, y + 0.7, note, 0.36, hue, "right", terminal=False))
    if s.terminated[0]:
        total = float(s.objectives[a] @ s.params.weights)
        scores = [f"{name} {score:.3g}" for name, score in zip(world.objectives, s.objectives[a])]
        scene.add(Label(left + 0.5, y + 2.2, ", ".join(scores[1:4]), 0.36, "muted", "left", width=9.2, terminal=False))
        scene.add(Label(left + 0.5, y + 2.75, ", ".join(scores[4:]), 0.36, "muted", "left", width=9.2, terminal=False))
        scene.add(Label(left + 0.5, y + 3.25, f"reward {total:.4g}", 0.4, "ink", "left", bold=True))
    elif own:
        scene.add(Label(left + 0.5, y + 2.3, f"social rules {s.conduct[a]}", 0.4, "muted", "left"))
    if a == 0:
        _draw_relation(scene, s, y)


def _draw_relation(scene: Scene, s: Any, y: float) -> None:
    """A scale from -5 to 5, the start as a line and the relation now as a disc."""
    middle, tall = 12.0, 2.4
    scene.add(Label(middle, y + 0.3, "relation", 0.36, "muted"))
    scene.add(Rect(middle - 0.12, y + 0.7, 0.24, tall, "line", radius=0.1))
    at = y + 0.7 + tall * (CLOSEST - s.relation) / (2 * CLOSEST)
    start = y + 0.7 + tall * (CLOSEST - s.level.relation) / (2 * CLOSEST)
    scene.add(Rect(middle - 0.4, start - 0.04, 0.8, 0.08, "muted"))
    color = "good" if s.relation > s.level.relation else "bad" if s.relation < s.level.relation else "grey"
    scene.add(Circle(middle, at, 0.3, color), Label(middle, at, f"{s.relation:+d}", 0.3, text_on(color), bold=True))


def messages(world: Any, s: Any) -> list[tuple[int, str]]:
    """All acts so far, in words."""
    return [(t % 2, in_words(s, t % 2, int(action))) for t, action in enumerate(s.log[: s.t])]
