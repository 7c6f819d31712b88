"""Skirmish's page for players."""

from __future__ import annotations

from envsuite.core.page import Case, Page, When
from envsuite.games.skirmish import units
from envsuite.games.skirmish.levels import KINDS

PAGE = Page(
    role=(
        "You are a unit in a fight of {sides}.",
        When("played", "", "Nobody plays the other side; it follows the rules below."),
    ),
    goal=Case(
        "rewards",
        {
            "win": "All units of your side are paid the same, the dead too: 1 if all of the other side are dead and "
            "not all of yours, -1 if it is the other way around, and otherwise 0.",
        },
        "All units of your side are paid the same, the dead too. Each step pays the parts of their full health that "
        "the units of the other side have lost in it, added up and divided by {rivals}. You get 1 more when all of the "
        "other side are dead and not all of yours.",
    ),
    rules=(
        "Units are discs on a field of {size:g} x {size:g}, where x grows to the east and y to the north. A step takes "
        "{step:g} s, and all act at once. You keep your order for the whole step. Units that overlap push each other "
        "apart.",
        (
            "{kinds}",
            "A weapon hits while both units live, their distance is below its range and it has cooled down.",
            When(
                "jitter",
                "Each time, a random part of a second from -{early:.3g} to {late:.3g} is added to its cooldown.",
            ),
            "A unit without health is dead{walls}",
        ),
        When(
            "played",
            "",
            "A unit of the other side attacks its last target while that is in range, or else the nearest one in "
            "range. If there is none, it walks towards one of those in sight, drawn by lot in each step. If it sees "
            "nobody, it walks to the point opposite to its start, with the middle of the field between them.",
        ),
    ),
    sees=Case(
        "observation",
        {
            "conic": "You see where you are and {per_sector:living unit} in sight at most in each of {sectors} equal "
            "sectors around you, with their kinds and health, but not their sides.",
        },
        "You see where you are, and the living units of both sides that are in your sight, with their kinds and "
        "health.",
    ),
    acts={
        ("north", "east", "south", "west"): "walk in this direction",
        "stop": "stand still",
        "attack {N}": "attack {foe}_N, which must be in range; you stand still",
    },
    ends="The fight is over when a side is dead, or after {horizon:step}. The dead can only stop.",
    unsaid={"scenario": "told by the numbers and kinds of units"},
    constants={"1": "the pay for a victory", "0": "neither"},
)


def told(kind: int) -> str:
    """What a kind of units can do."""
    return (
        f"A {KINDS[kind]} has {units.HEALTH[kind]:g} points of health, takes {units.DAMAGE[kind]:g} with a hit at a "
        f"range of {units.RANGE[kind]:g} every {units.COOLDOWN[kind]:g} s, sees as far as {units.SIGHT[kind]:g} and "
        f"goes {units.SPEED[kind]:g} in a second."
    )
