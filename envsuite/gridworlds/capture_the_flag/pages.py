"""CaptureTheFlag's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role="You play for {own}, {team:player} against {team} of {foe}. You take the enemy's flag and bring it home.",
    goal="A capture by your team pays each of you 1, a capture by the enemy pays each of you -1.",
    rules=(
        (
            "The map is a cave of {width} x {height} cells; north is up. One half of it is your team's, the other the "
            "enemy's; a column in the middle may belong to nobody. Each team has a base in its half, where its flag is "
            "at home. You begin near your base. Any number of players can be in one cell."
        ),
        (
            (
                "All choose at once, and a turn has five parts. First, tags: you can tag an enemy that is in your cell "
                "or one of the four cells beside it, and in your half."
            ),
            Case("carriers", {"anywhere": "An enemy with your flag can be tagged anywhere."}),
            (
                "Of several you tag the one with the flag, otherwise the nearest. The tagged player drops the flag "
                "where it is, does nothing more in this turn,"
            ),
            When("penalty", "is out for {penalty:turn} after it, and is then at its base.", "and is then at its base."),
            When("rest", "You cannot tag again for {rest:turn} after it."),
        ),
        (
            "Second, moves; a flag moves with the player that carries it. Third, a dropped flag returns home if a "
            "player of its own team is in its cell. Fourth, a flag that nobody carries is taken by an enemy in its "
            "cell. Fifth, a player with the enemy's flag at its own base scores a capture if its own flag is at home; "
            "the captured flag returns home."
        ),
    ),
    sees=(
        "You see the cells up to {sight:row or column/rows or columns} away that no wall hides. You do not see what "
        "your team mates see. All know the score, where the bases are, whether flags are at home, carried or dropped, "
        "and how many players are out."
    ),
    acts={
        ("east", "south", "west", "north"): "move one cell; into a wall, you stay",
        "stay": "stay where you are",
        "tag": "tag an enemy near you",
    },
    ends=When(
        "captures",
        "It is over when a team has {captures:capture}, or after {horizon:turn}.",
        "It is over after {horizon:turn}.",
    ),
    unsaid={"walls": "what the cave looks like is to be seen"},
    constants={"1": "for a capture", "four": "cells beside one", "five": "parts of a turn", "half": "of the map"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    names = ("red", "blue")
    own = agent // world.team
    return {"own": names[own], "foe": names[1 - own]}
