"""Texts and pictures of Secret Hitler: what each player knows, the policies, governments, votes and reports."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.page import listed
from envsuite.kit.council import Council, Seat
from envsuite.kit.deduction import Role
from envsuite.render.scene import Circle, Label, Rect, Scene

#: Roles; LIBERAL and FASCIST are also the parties and the kinds of policies.
LIBERAL, FASCIST, HITLER = range(3)
ROLES = (Role("liberal", "a liberal", "blue"), Role("fascist", "a fascist", "orange"), Role("Hitler", "Hitler", "red"))
PARTIES = ("liberals", "fascists")
KINDS = ("liberal", "fascist")

#: Not known, none, not yet.
NONE = -1

(
    NOMINATE, TALK, VOTE, DISCARD, ENACT, VETO, PRESIDENT_REPORT, CHANCELLOR_REPORT, INVESTIGATE, PARTY_REPORT, ELECT,
    EXECUTE,
) = range(12)  # fmt: skip
PHASES = (
    "a chancellor is named",
    "talk",
    "vote",
    "the president discards",
    "the chancellor discards",
    "a veto is proposed",
    "the president reports",
    "the chancellor reports",
    "the president investigates",
    "the president reports a party",
    "the president chooses a candidate",
    "the president executes",
)


def role_of(world: Any, s: Any, a: int, agent: int | None) -> int:
    """What an agent, or None for spectators, knows of a player: a role, 3 for the fascist party, or NONE."""
    return int(s.roles[a] if agent is None or s.winner != NONE else s.known[agent, a])


# Text.


def text(world: Any, s: Any, agent: int) -> str:
    lines = [f"You are player_{agent}, {ROLES[s.roles[agent]].a}.", *secrets(world, s, agent), ""]
    lines.append(
        f"Enacted: {s.enacted[0]} liberal, {s.enacted[1]} fascist. Rounds in a row without a policy: {s.failed}. "
        f"Policies in the deck: {s.left}."
    )
    out = [f"player_{a}" for a in np.flatnonzero(s.alive == 0)]
    if out:
        lines.append(f"Executed: {listed(out)}.")
    lines += [round_line(world, s, r) for r in range(int(s.round) + 1)]
    for a in np.flatnonzero(s.inspectors >= 0):
        party = {0: "; it said: liberal", 1: "; it said: fascist"}.get(int(s.verdicts[a]), "")
        lines.append(f"player_{s.inspectors[a]} investigated player_{a}{party}.")
    lines += world.said(s)
    if s.winner != NONE:
        shown = [f"player_{a} {ROLES[role].name}" for a, role in enumerate(s.roles)]
        return "\n".join([*lines, f"The game is over: the {PARTIES[s.winner]} win.", f"Roles: {', '.join(shown)}."])
    barred = [f"player_{a}" for a in sorted({int(a) for a in excluded(world, s)})]
    if barred and s.phase == NOMINATE:
        lines.append(f"Excluded: {listed(barred)}.")
    return "\n".join([*lines, f"Now: {PHASES[s.phase]}.", *own(world, s, agent), ask(world, s, agent)])


def excluded(world: Any, s: Any) -> list[int]:
    """The living players that cannot be named, besides the candidate."""
    found = [int(s.excluded[1]), *[int(s.excluded[0])] * bool(s.alive.sum() > 5)]
    return [a for a in found if a >= 0 and s.alive[a] and a != s.president]


def secrets(world: Any, s: Any, agent: int) -> list[str]:
    """What the agent knows of others."""
    lines = []
    for role, words in ((FASCIST, "fascist"), (HITLER, "Hitler"), (3, "of the fascist party"), (0, "liberal")):
        seen = [f"player_{a}" for a in range(len(s.roles)) if a != agent and s.known[agent, a] == role]
        if seen:
            lines.append(f"You know: {listed(seen)} {'are' if len(seen) > 1 else 'is'} {words}.")
    return lines


def own(world: Any, s: Any, agent: int) -> list[str]:
    """What the agent holds, and what it saw in this session and when it peeked."""
    lines = []
    if (s.phase == DISCARD and agent == s.president) or (s.phase == ENACT and agent == s.chancellor):
        lines.append(f"You hold {s.hand[0]} liberal and {s.hand[1]} fascist policies.")
    for k, a in enumerate((s.president, s.chancellor)):
        if agent == a and s.saw[k] != NONE:
            lines.append(f"You got {3 - k} policies in this session, {s.saw[k]} of them fascist.")
    if agent == s.peeker:
        lines.append(f"You peeked at the next policies: {', '.join(KINDS[policy] for policy in s.peek)}.")
    return lines


def round_line(world: Any, s: Any, r: int) -> str:
    """A round in a line."""
    words = f"Round {r + 1}: president player_{s.presidents[r]}"
    if s.chancellors[r] >= 0:
        words += f", chancellor player_{s.chancellors[r]}"
    ayes, noes = (listed([f"player_{a}" for a in np.flatnonzero(s.votes[r] == vote)]) for vote in (1, 0))
    if ayes or noes:
        words += f"; yes: {ayes or 'nobody'}; no: {noes or 'nobody'}"
    if s.results[r] != NONE:
        words += "; " + ("rejected", "elected", "vetoed")[s.results[r]]
    if s.policies[r] != NONE:
        words += f"; {KINDS[s.policies[r]]} policy" + ("" if s.results[r] == 1 else " from the top of the deck")
    for k, office in enumerate(("president", "chancellor")):
        if s.reports[r, k] != NONE:
            words += f"; the {office} reported {s.reports[r, k]} fascist of {3 - k}"
    return words + "."


def ask(world: Any, s: Any, agent: int) -> str:
    if s.mover in (NONE, agent) or s.speaker >= 0 or not s.alive[agent]:
        return Council.ask(world, s, agent) if s.alive[agent] else "You are out and only watch."
    return f"player_{s.mover} is to move."


# Picture.


def moment(world: Any, s: Any) -> list[str]:
    if s.winner != NONE:
        return [f"the {PARTIES[s.winner]} win"]
    if s.speaker >= 0:
        return [f"player_{s.speaker} speaks"] + [world.sentence(m) for m in s.messages[max(s.said - 1, 0) : s.said]]
    return [PHASES[s.phase]]


def seat(world: Any, s: Any, a: int, agent: int | None) -> Seat:
    role = role_of(world, s, a, agent)
    name, color = ("?", "grey") if role == NONE else ("fascist party", "orange") if role == 3 else (
        ROLES[role].name, ROLES[role].color)  # fmt: skip
    r = int(s.round)
    if s.votes[r, a] == NONE and r > 0 and s.phase == NOMINATE:
        r -= 1
    marks = [("president", "gold")] * (s.president == a) + [("chancellor", "black")] * (s.chancellor == a)
    if s.phase == NOMINATE and s.winner == NONE and a in excluded(world, s):
        marks.append(("excluded", "grey"))
    return Seat(name, color, "", {1: "yes", 0: "no"}.get(int(s.votes[r, a]), ""), marks, not s.alive[a])


def track(world: Any, scene: Scene, s: Any, agent: int | None) -> None:
    scene.add(Rect(13.0, 0.45, 6.5, 3.55, "panel", radius=0.25))
    for kind, (most, color) in enumerate(((5, "blue"), (6, "orange"))):
        y = 1.0 + 0.85 * kind
        scene.add(Label(13.35, y, KINDS[kind], 0.4, "ink", "left", bold=True))
        for k in range(most):
            fill = color if k < s.enacted[kind] else "paper"
            scene.add(Rect(15.3 + 0.68 * k, y - 0.32, 0.56, 0.64, fill, "line", 0.04, 0.1, glyph="LF"[kind]))
    scene.add(Label(13.35, 2.7, "rounds without a policy", 0.36, "muted", "left"))
    for k in range(3):
        scene.add(Circle(17.9 + 0.55 * k, 2.7, 0.19, "bad" if k < s.failed else "paper", "line", 0.04, glyph=""))
    words = f"deck: {s.left}"
    shown = agent is None or (s.phase == DISCARD and agent == s.president)
    shown = shown or (s.phase == ENACT and agent == s.chancellor)
    if shown and s.hand.sum():
        words += f" · held: {s.hand[0]} liberal, {s.hand[1]} fascist"
    if s.peeker >= 0 and agent in (None, s.peeker):
        words += " · peeked: " + "".join("LF"[policy] for policy in s.peek)
    scene.add(Label(13.35, 3.45, words, 0.34, "muted", "left", width=5.9))


def past(world: Any, s: Any, agent: int | None) -> list[tuple[int, str, str]]:
    found = []
    for r in range(int(s.round) + 1):
        words = "names" if s.chancellors[r] < 0 else f"with {s.chancellors[r]}"
        if s.results[r] != NONE:
            words += (": rejected", "", ": vetoed")[s.results[r]]
        if s.policies[r] != NONE:
            words += f": {KINDS[s.policies[r]]}"
        told = "/".join(str(k) for k in s.reports[r] if k != NONE)
        found.append((int(s.presidents[r]), words + (f", said {told} F" if told else ""), "ink"))
    return found
