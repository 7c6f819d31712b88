"""Overcooked's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When
from envsuite.gridworlds.overcooked import levels as kitchens

PAGE = Page(
    role="You are a chef. You and {rest:other chef} cook and serve soups in a cramped kitchen.",
    goal=(
        "Each of you is paid for soups that are served: {orders}. Other soups pay 0.",
        When(
            "extra",
            (
                "You alone are paid {part} for putting an onion or tomato into a pot, and {soup} for taking a soup "
                "from a pot."
            ),
        ),
        When(
            "extra_dish",
            (
                "Taking a dish from its dispenser pays you {dish} if no dish lies on a counter and fewer dishes are in "
                "hands than pots are in use: filled in part, cooking or ready."
            ),
        ),
    ),
    rules=(
        (
            "You face north, south, east or west and carry one thing at most. All cells but the floor are counters or "
            "stations: pots, dispensers of onions, tomatoes and dishes, and serving windows. A pot holds up to three "
            "onions and tomatoes."
        ),
        (
            Case(
                "dynamics",
                {
                    "old": "A soup cooks as soon as three parts are in the pot.",
                    "new": (
                        "A soup starts to cook when a chef with empty hands interacts with a pot that holds one to "
                        "three parts."
                    ),
                },
            ),
            "It cooks for {times}. It is taken with a dish and brought to a serving window.",
        ),
        (
            "In each turn chefs first interact, in the order of their numbers. Then all move at once, and soups go on "
            "cooking. If two chefs would stand in one cell or change places, nobody moves in this turn, not even a "
            "chef far away; but all turn."
        ),
    ),
    sees="You see the whole kitchen.",
    acts={
        ("north", "south", "east", "west"): "turn that way, and walk one cell if there is floor",
        "interact": (
            "act on the cell that you face: take a thing from a dispenser or a counter, put one down on a free "
            "counter, put an onion or tomato into a pot that does not cook, take a soup that is ready with a dish, or "
            "serve it"
        ),
        "stay": "do nothing",
    },
    ends="It is over after {horizon:turn}.",
    unsaid={
        **dict.fromkeys(("layout", "width", "height", "divided", "counters"), "every turn shows the kitchen"),
        "chefs": "told as the number of others",
        "values": "told as the orders",
        "weights": "told as what is paid",
    },
    constants={"0": "for a soup that nobody ordered", "three": "parts of a soup", "two": "chefs"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    delivery, shaping = world.parameters["weights"]
    orders = [k for k in kitchens.RECIPES if s.level.values[k] > 0]
    times = {int(s.level.times[k]) for k in orders}
    each = ", ".join(f"{_turns(int(s.level.times[k]))} with {parts(k)}" for k in orders)
    return {
        "rest": len(world.agents) - 1,
        "orders": ", ".join(f"{s.level.values[k] * delivery:g} for one of {parts(k)}" for k in orders),
        "times": each if len(times) > 1 else _turns(min(times)),
        "extra": shaping,
        "extra_dish": shaping * (len(world.agents) == 2),
        "part": 3 * shaping,
        "soup": 5 * shaping,
        "dish": 3 * shaping,
    }


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def parts(recipe: int) -> str:
    """A soup's parts in words."""
    counts = ((recipe & 3, "onion"), (recipe >> 2, "tomato"))
    plural = {"onion": "onions", "tomato": "tomatoes"}
    return " and ".join(f"{count} {name if count == 1 else plural[name]}" for count, name in counts if count)
