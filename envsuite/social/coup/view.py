"""Texts and pictures of Coup: hands, coins, claims and the last events."""

from __future__ import annotations

from collections.abc import Collection
from math import hypot
from typing import Any

from envsuite.core.page import counted, listed
from envsuite.kit.deduction import CENTER, SIZE, draw_panel, draw_table, seat_at
from envsuite.render.scene import Circle, Label, Rect, Scene, text_width
from envsuite.render.theme import agent_color, text_on

ROLES = ("Duke", "Assassin", "Captain", "Ambassador", "Contessa")
DUKE, ASSASSIN, CAPTAIN, AMBASSADOR, CONTESSA = range(5)
COLORS = ("purple", "black", "sky", "green", "red")

#: No role, no act; nobody is `deduction.NOBODY`.
NONE = -1

#: Phases; CONTEST is the challenge of a block, RETURN the choice of cards in an exchange.
ACT, CHALLENGE, BLOCK, CONTEST, LOSE, RETURN = range(6)

INCOME, FOREIGN_AID, TAX, EXCHANGE, COUP, ASSASSINATE, STEAL = range(7)
ACT_WORDS = ("takes income", "asks for foreign aid", "taxes as Duke", "exchanges as Ambassador", "makes a coup",
             "assassinates as Assassin", "steals as Captain")  # fmt: skip

#: Number of kinds of events: actions, those aimed at a player once, and a show of each role.
EVENTS = 28

#: The first action that is aimed at a player: a coup against player_0. Assassinations and thefts follow.
FIRST_AIMED = 20


def event(kind: int, target: int) -> str:
    """An event in words, without its player."""
    if kind < 4:
        return ACT_WORDS[kind]
    if kind == 5:
        return "challenges"
    if kind < 10:
        return f"blocks as {ROLES[(DUKE, CAPTAIN, AMBASSADOR, CONTESSA)[kind - 6]]}"
    if kind < 20:
        return f"loses {ROLES[(kind - 10) % 5]}"
    if kind < 23:
        words = ("makes a coup against", "as Assassin assassinates", "as Captain steals from")[kind - 20]
        return f"{words} player_{target}"
    return f"shows {ROLES[kind - 23]}, and draws"


def events(world: Any, s: Any) -> list[tuple[int, str, int]]:
    """The last events: the player, words, the number of the event."""
    return [(int(a), event(int(kind), int(b)), int(kind)) for a, kind, b in s.log if a >= 0]


def cards(world: Any, s: Any, a: int, agent: int | None) -> list[tuple[int, bool]]:
    """A player's cards as an agent, or None for spectators, sees them: roles or NONE, and whether they are lost."""
    sees = agent is None or agent == a or s.winner >= 0
    hand = [(int(role) if sees else NONE, False) for role in s.hand[a, : s.held[a]]]
    return hand + [(int(role), True) for role in s.lost[a] if role != NONE]


# Talk and text.


def hearers(world: Any, s: Any, agent: int, action: int) -> Collection[int] | None:
    """All players hear acts, challenges and blocks, which the log shows; passing and choosing a card say nothing."""
    speaks = s.mover == agent and s.phase not in (LOSE, RETURN) and world.action_names[agent][action] != "pass"
    return range(len(world.agents)) if speaks else None


def text(world: Any, s: Any, agent: int) -> str:
    lines = [f"You are player_{agent}."]
    for a in range(len(world.agents)):
        own, held = "your cards are " if a == agent else "", cards(world, s, a, agent)
        hidden = [ROLES[role] if role != NONE else "a hidden card" for role, lost in held if not lost]
        face_up = [ROLES[role] for role, lost in held if lost]
        words = f"player_{a}: {own}{listed(hidden) or 'out'}, {counted(s.coins[a], 'coin')}"
        if face_up:
            words += f"; lost {listed(face_up)}"
        claims = [f"{ROLES[role]} ({n})" for role, n in enumerate(s.claims[a]) if n]
        if claims:
            words += f"; has claimed {', '.join(claims)}"
        lines.append(words + ".")
    told = events(world, s)
    if told:
        lines += ["Last events:", *(f"- player_{a} {words}." for a, words, _ in told)]
    lines.append(moment(world, s))
    if s.winner >= 0:
        return "\n".join(lines)
    if world.legal_actions(s, agent):
        return "\n".join([*lines, "You are to move."])
    return "\n".join([*lines, f"player_{s.mover} is to move."])


def moment(world: Any, s: Any) -> str:
    """What happens now."""
    if s.winner >= 0:
        return f"The game is over: player_{s.winner} wins."
    act = ACT_WORDS[s.act] if s.act != NONE else "has the turn"
    words = f"player_{s.actor} {act}" + (f", against player_{s.target}" if s.target >= 0 else "")
    if s.blocker >= 0:
        words += f"; player_{s.blocker} blocks as {ROLES[s.block]}"
    if s.phase in (CHALLENGE, BLOCK, CONTEST):
        words += f"; player_{s.mover} is asked"
    if s.phase == LOSE:
        words += f"; player_{s.mover} loses a card"
    if s.phase == RETURN:
        words += "; it returns two cards"
    return words + "."


def messages(world: Any, s: Any) -> list[tuple[int, str]]:
    return [(a, words) for a, words, _ in events(world, s)]


# The picture.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    scene, players = Scene(*SIZE), len(world.agents)
    scene.add(Label(0.6, 0.85, "Coup", 0.75, bold=True, align="left"))
    draw_table(scene, night=False)
    x, y = CENTER
    for k, words in enumerate(moment(world, s).rstrip(".").replace(", ", "; ").split("; ")):
        wide = min(6.4, text_width(words, 0.48)) + 0.4
        scene.add(Rect(x - wide / 2, y + 0.75 * k - 0.35, wide, 0.7, "felt", radius=0.3))
        scene.add(Label(x, y + 0.75 * k, words, 0.48, "white", bold=k == 0, width=6.4))
    scene.add(Label(x, y - 1.0, f"court: {int(s.court.sum())} cards", 0.4, "white"))
    for a in range(players):
        draw_seat(world, scene, s, a, seat_at(a, players), agent)
    draw_panel(
        scene,
        0.45,
        7.6,
        "last events",
        [(a, words.replace("player_", ""), "ink") for a, words, _ in events(world, s)],
    )
    claims = []
    for a in range(players):
        claimed = [f"{ROLES[role]} {n}" for role, n in enumerate(s.claims[a]) if n]
        claims.append((a, ", ".join(claimed) or "none", "ink"))
    draw_panel(scene, 8.25, 4.7, "claims not challenged", claims)
    return scene


def draw_seat(world: Any, scene: Scene, s: Any, a: int, place: tuple[float, float], agent: int | None) -> None:
    """A player: its number, coins and cards."""
    x, y = place
    if s.mover == a and s.winner < 0:
        scene.add(Circle(x, y, 0.78, "highlight", glyph=""))
    scene.add(Circle(x, y, 0.58, agent_color(a) if s.held[a] else "line", "ink" if a == agent else "white", 0.08))
    scene.add(Label(x, y, str(a), 0.62, text_on(agent_color(a)) if s.held[a] else "ink", bold=True))
    scene.add(Circle(x + 0.85, y - 0.4, 0.3, "gold", "white", 0.05, glyph=""))
    scene.add(Label(x + 0.85, y - 0.4, str(int(s.coins[a])), 0.36, text_on("gold"), bold=True))
    held = cards(world, s, a, agent)
    for k, (role, lost) in enumerate(held):
        name = ROLES[role] if role != NONE else "?"
        color = "grey" if role == NONE else COLORS[role]
        wide, middle = 1.75, x + 1.85 * (k % 2) - 0.925 * (min(len(held), 2) - 1)
        top = y + 0.72 + 0.55 * (k // 2)
        scene.add(Rect(middle - wide / 2, top, wide, 0.5, f"{color}@0.35" if lost else color, radius=0.15))
        ink = "ink" if lost else text_on(color)
        scene.add(Label(middle, top + 0.25, name, 0.3, ink, width=wide))
        if lost:
            scene.add(Rect(middle - wide / 2 + 0.1, top + 0.23, wide - 0.2, 0.04, "bad"))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """On a player: a coup; on its coins: a theft; on its cards: an assassination."""
    players, legal = len(world.agents), world.legal_actions(s, agent)
    for a in range(players):
        left, top = seat_at(a, players)
        if hypot(x - left - 0.85, y - top + 0.4) <= 0.3:
            action = FIRST_AIMED + 2 * players + a
        elif hypot(x - left, y - top) <= 0.6:
            action = FIRST_AIMED + a
        elif abs(x - left) <= 1.85 and 0.72 <= y - top <= 1.22:
            action = FIRST_AIMED + players + a
        else:
            continue
        return action if action in legal else None
    return None
