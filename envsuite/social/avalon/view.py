"""Texts and pictures of Avalon: what each player knows, the quests, the teams and their votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.page import counted, listed
from envsuite.kit.council import Seat
from envsuite.kit.deduction import Role
from envsuite.render.scene import Circle, Label, Rect, Scene
from envsuite.render.theme import text_on

SERVANT, MERLIN, PERCIVAL, MINION, ASSASSIN, MORGANA, MORDRED, OBERON = range(8)
ROLES = (
    Role("servant", "a servant", "blue"),
    Role("Merlin", "Merlin", "purple"),
    Role("Percival", "Percival", "green"),
    Role("minion", "a minion", "red"),
    Role("assassin", "the assassin", "black"),
    Role("Morgana", "Morgana", "red"),
    Role("Mordred", "Mordred", "red"),
    Role("Oberon", "Oberon", "red"),
)

#: Sides; nothing known, nobody, not yet.
GOOD, EVIL = range(2)
NONE = -1
SIDES = ("good", "evil")

TEAM, TALK, VOTE, QUEST, ASSASSINATION = range(5)
PHASES = ("a team is picked", "talk about the team", "vote on the team", "quest", "assassination")

#: What players are shown of others, by mark: words, and the color of a tag.
MARKS = (("good", "blue"), ("evil", "red"), ("Merlin or Morgana", "purple"))


def known(world: Any, s: Any, a: int, agent: int | None) -> tuple[str, str]:
    """What an agent, or None for spectators, knows of a player, and its color; "?" if nothing."""
    if agent is None or agent == a or s.winner != NONE:
        return ROLES[s.roles[a]].name, ROLES[s.roles[a]].color
    mark = world.mark(s, agent, a)
    return MARKS[mark] if mark != NONE else ("?", "grey")


def team(world: Any, s: Any, proposal: int) -> str:
    """The members of a team in words."""
    return listed([f"player_{a}" for a in np.flatnonzero(s.teams[proposal])])


def leader(world: Any, s: Any, proposal: int) -> int:
    """The player that led a proposal."""
    return int((s.first + proposal) % len(s.roles))


# Text.


def text(world: Any, s: Any, agent: int) -> str:
    p, over = int(s.proposal), s.winner != NONE
    lines = [f"You are player_{agent}, {ROLES[s.roles[agent]].a}.", *secrets(world, s, agent), ""]
    lines += quests(world, s)
    lines += [proposal(world, s, k) for k in range(p + 1)]
    claimed = [f"player_{a} to be {ROLES[role].a}" for a, role in enumerate(s.claims) if role != NONE]
    if claimed:
        lines.append("Claims: " + ", ".join(claimed) + ".")
    lines += world.said(s)
    if over:
        lines.append(f"The game is over: {SIDES[s.winner]} wins.")
        if s.named >= 0:
            lines.append(f"The assassin named player_{s.named}.")
        shown = [f"player_{a} {ROLES[role].name}" for a, role in enumerate(s.roles)]
        return "\n".join([*lines, "Roles: " + ", ".join(shown) + "."])
    return "\n".join([*lines, f"Now: {PHASES[s.phase]}.", world.ask(s, agent)])


def secrets(world: Any, s: Any, agent: int) -> list[str]:
    """What the agent was shown at the start."""
    found = []
    for mark, words in ((EVIL, "evil"), (2, "Merlin or Morgana")):
        seen = [f"player_{a}" for a in range(len(s.roles)) if a != agent and world.mark(s, agent, a) == mark]
        if seen:
            found.append(f"You know: {listed(seen)} {'are' if len(seen) > 1 else 'is'} {words}.")
    return found


def quests(world: Any, s: Any) -> list[str]:
    """The quests in lines."""
    lines = []
    for q, (size, needed, fails) in enumerate(zip(s.params.sizes, s.params.needed, s.fails)):
        words = f"Quest {q + 1}: {size} members"
        if needed > 1:
            words += f", fails with {needed} fails"
        if fails != NONE:
            result = "failed" if fails >= needed else "succeeded"
            words += f"; {team(world, s, s.went[q])} {result}, {counted(fails, 'fail')}"
        elif q == s.quest:
            words += f"; now, {s.rejected} teams rejected"
        lines.append(words + ".")
    return lines


def proposal(world: Any, s: Any, k: int) -> str:
    """A proposal in a line."""
    members = team(world, s, k) or "nobody yet"
    words = f"Team {k + 1}, picked by player_{leader(world, s, k)}: {members}"
    ayes, noes = (listed([f"player_{a}" for a in np.flatnonzero(s.votes[k] == vote)]) for vote in (1, 0))
    if ayes or noes:
        words += f"; approved by {ayes or 'nobody'}, rejected by {noes or 'nobody'}"
    elif k in s.went.tolist():
        words += "; forced"
    return words + "."


# Picture.


def moment(world: Any, s: Any) -> list[str]:
    if s.winner != NONE:
        return [f"{SIDES[s.winner]} wins"]
    if s.speaker >= 0:
        return [f"player_{s.speaker} speaks"] + [world.sentence(m) for m in s.messages[max(s.said - 1, 0) : s.said]]
    return [PHASES[s.phase]]


def seat(world: Any, s: Any, a: int, agent: int | None) -> Seat:
    name, color = known(world, s, a, agent)
    votes, p = s.votes, int(s.proposal)
    if votes[p, a] == NONE and p > 0 and s.phase == TEAM:
        p -= 1
    marks = [("leads", "gold")] * (s.leader == a) + [("team", "black")] * bool(s.teams[s.proposal, a])
    marks += [("named", "bad")] * (s.named == a)
    claim = ROLES[s.claims[a]].name if s.claims[a] != NONE else ""
    return Seat(name, color, claim, {1: "yes", 0: "no"}.get(int(votes[p, a]), ""), marks)


def track(world: Any, scene: Scene, s: Any, agent: int | None) -> None:
    scene.add(Rect(13.0, 0.45, 6.5, 3.55, "panel", radius=0.25))
    scene.add(Label(13.35, 0.95, "quests", 0.42, "muted", "left", bold=True))
    for q, (size, needed, fails) in enumerate(zip(s.params.sizes, s.params.needed, s.fails)):
        x, y = 13.95 + 1.15 * q, 1.95
        color = "paper" if fails == NONE else "red" if fails >= needed else "blue"
        if q == s.quest and s.winner == NONE:
            scene.add(Circle(x, y, 0.56, "highlight", glyph=""))
        scene.add(Circle(x, y, 0.46, color, "line", 0.05))
        ink = "ink" if fails == NONE else text_on(color)
        scene.add(Label(x, y, str(size), 0.5, ink, bold=True))
        note = f"{counted(fails, 'fail')}" if fails != NONE else "2 needed" if needed > 1 else ""
        scene.add(Label(x, y + 0.75, note, 0.3, "muted"))
    scene.add(Label(13.35, 3.45, "teams rejected", 0.38, "muted", "left"))
    for k in range(5):
        scene.add(Circle(16.6 + 0.55 * k, 3.45, 0.19, "bad" if k < s.rejected else "paper", "line", 0.04, glyph=""))


def past(world: Any, s: Any, agent: int | None) -> list[tuple[int, str, str]]:
    found = []
    for k in range(int(s.proposal) + 1):
        team = " ".join(str(a) for a in np.flatnonzero(s.teams[k]))
        ayes = int((s.votes[k] == 1).sum())
        words = team or "picks a team"
        if k in s.went.tolist():
            q = s.went.tolist().index(k)
            words += f": quest {q + 1}"
            if s.fails[q] != NONE:
                lost = s.fails[q] >= s.params.needed[q]
                words += " failed" if lost else " succeeded"
        elif (s.votes[k] != NONE).any():
            words += f": rejected, {ayes} yes"
        found.append((leader(world, s, k), words, "ink"))
    return found
