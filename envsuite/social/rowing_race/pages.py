"""RowingRace's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.kit.avatar_pages import CROWD, SEES, WALKS, percent, slots

PAGE = Page(
    role="You are one of {players} players who race in boats over a river, with {boats:boat} of two seats.",
    goal=(
        "An apple that you eat pays you 1.",
        When("fine", "Each time you row while the other in your boat flails, you pay {fine}."),
    ),
    rules=(
        (
            "Each boat has a lane between two docks, one on each bank. A race leads from one bank to the other, the "
            "next one back. Before the first race, lights are red for {first:turn}, and before later ones for "
            "{later:turn}; then they are yellow for {yellow:turn}, and green for {green:turn}. When they become "
            "green, the gates of the bank where the race begins open and those of the other bank close. Players that "
            "have not landed on the other bank when lights become red again are out for good."
        ),
        (
            "Boats lie behind the gates. If you walk onto a free seat, you sit down, and can neither walk nor turn "
            "until you land. If both players of a boat row in the same turn,",
            When("window", "or one up to {window:turn} after the other,"),
            "the boat moves one cell. After a row, another one has no effect in the next {rest} turns. If at least "
            "one of them flails, the boat moves one cell with a chance of {flail}; you can flail in every turn. "
            "Neither has an effect while a seat is free. At the other dock, you land on the bank beside it, or wait "
            "until the cell there is free.",
        ),
        (
            "Apples grow on the bank to which the race leads, and all of them are there when the lights before a "
            "race have become red. You eat an apple by walking onto it. An empty site there grows an apple in a turn "
            "with a chance of {regrowth}, which a player on it eats. There are apples in the lanes too; a boat that "
            "comes to them feeds the player on that side. These come again only for the next race. A boat stays "
            "where it is after a race, and can be used when it lies at the bank where a race begins."
        ),
        (
            CROWD,
            "Within a turn, you row or flail first, then you walk, then boats move, and then apples grow. Walls, "
            "water, closed gates and other players block the way.",
        ),
    ),
    sees=(SEES, "You see who in view sits in a boat, and who has just moved an oar."),
    acts={
        **WALKS,
        "row": "row, in a boat; the boat moves if the other rows too",
        "flail": "flail, in a boat; the boat moves by chance",
    },
    ends="It is over after {horizon:turn}, and for a player as soon as it is out.",
    unsaid={"choice": "told by how long lights are red", "race": "told by how long they are green"},
    constants={"1": "the reward for an apple", "two": "seats, and docks"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    params = s.params
    return {
        **slots(world, s),
        "boats": int(s.boats),
        "first": int(params.choice) - 10,
        "later": int(params.choice) - 8,
        "yellow": 6,
        "green": int(params.race) + 1,
        "window": int(params.window) - 1,
        "rest": 4,
        "flail": percent(params.flail),
        "regrowth": percent(params.regrowth[0]),
    }
