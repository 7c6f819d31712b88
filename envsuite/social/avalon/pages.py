"""Avalon's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When, listed
from envsuite.social.avalon.view import MINION, ROLES

PAGE = Page(
    role=(
        "You are {own_a}, on the side of {side}. Of {players} players, {evil} are evil and the others good. The roles "
        "were dealt by lot: {cast}."
    ),
    goal=(
        "If your side wins, you get +1, otherwise -1. Evil wins when three quests have failed. When three have "
        "succeeded, the assassin names a player: if this is Merlin, evil wins, otherwise good."
    ),
    rules=(
        (
            When("mordred", "Merlin is shown who is evil, except Mordred.", "Merlin is shown who is evil."),
            When(
                "oberon",
                "The evil players are shown each other, except Oberon: they are not shown it, and it is shown nobody.",
                "The evil players are shown each other.",
            ),
            When("percival", When("morgana", "Percival is shown Merlin and Morgana, but not which is which.",
                                  "Percival is shown Merlin.")),
        ),
        (
            "A leader is drawn by lot; later, the next player leads. The leader picks the members of a quest, maybe "
            "itself.",
            When("discussion", "Then all speak one at a time, in {discussion:round}, from the leader on. Nobody has to "
                 "speak the truth."),
            "Then all approve or reject the team, all at once and openly. If more than half approve, the team goes. "
            "Otherwise the next leader picks a team.",
            Case(
                "fifth",
                {
                    "forced": "The fifth team for a quest goes without talk and vote.",
                    "lost": "If the fifth team for a quest is rejected too, evil wins.",
                },
            ),
        ),
        (
            "The members of a quest play success or fail, all at once and in secret; good ones can only play success. "
            "One fail makes a quest fail.",
            When("two_fails", "Only the fourth quest needs two."),
            "The five quests have {sizes} members.",
        ),
    ),
    sees="All see the teams, the votes, and the number of fails in a quest, but not who played them.",
    acts={
        "pick {PLAYER}": "put this player into your team, as the leader",
        ("accuse {PLAYER}", "defend {PLAYER}"): When("discussion", "say this of another player"),
        ("claim servant", "claim Merlin"): When("discussion", "claim to be this"),
        "claim Percival": When("claimable", "claim to be Percival"),
        "silent": When("discussion", "say nothing"),
        ("approve", "reject"): "vote on the team",
        "succeed": "play success on a quest",
        "fail": Case("side", {"evil": "play fail on a quest"}),
        "name {PLAYER}": Case("own", {"assassin": "name the one that you take for Merlin, at the end"}),
    },
    ends="It is over when a side has won.",
    constants={
        "1": "the reward",
        "three": "quests that decide",
        "five": "quests",
        "half": "of the votes",
        "two": "fails that the fourth quest needs",
    },
)  # fmt: skip


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    counts = [int(count) for count in s.params.counts]
    cast = [f"{count} {role.name}{'s' * (count > 1)}" if role.name in ("servant", "minion") else role.a
            for role, count in zip(ROLES, counts) if count]  # fmt: skip
    own = int(s.roles[agent])
    return {
        "own": ROLES[own].name,
        "own_a": ROLES[own].a,
        "side": "evil" if own >= MINION else "good",
        "evil": sum(counts[MINION:]),
        "cast": listed(cast),
        "sizes": listed([int(size) for size in s.params.sizes]),
        "two_fails": len(world.agents) >= 7,
        "claimable": world.parameters["percival"] and world.parameters["discussion"],
    }
