"""Dispatch's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When

PAGE = Page(
    role=(
        "You are a driver in a city of {columns:column} and {rows:row} of blocks.",
        When("rivals", "There are {drivers} drivers.", "There is no other driver."),
    ),
    goal=(
        "Your profit is the fares of the riders that you have brought to their destinations, 2 plus 1 for each block "
        "of a trip, less {cost} for each block that you drive. {pay}",
    ),
    rules=(
        "Distances are counted along the streets, across and down. An idle driver stays, moves by a block, or accepts "
        "one of the nearest waiting orders, up to {choices} of them; all choose at once. If several accept one order, "
        "the nearest driver gets it, and one drawn by lot if several are as near; the others stay.",
        (
            "With an order, you drive a block in each step toward the rider, first across, then down.",
            When("service", "The rider then needs {service:step} to get in.", "The rider gets in at once."),
            "Then you drive to the destination, where you are paid and idle again.",
        ),
        "An order that no driver has accepted is lost after {waits:step}. New orders appear by chance; how many and "
        "where changes over the day. At most 64 can wait or ride.",
    ),
    sees=(
        "You see the orders on your list, and where you are. Orders come first by distance, then by how long they "
        "have waited."
    ),
    acts={
        "stay": "wait where you are",
        ("north", "east", "south", "west"): "move by a block",
        "accept {N}": "take order N of your list",
        "drive": "go on with your order; then you can do nothing else",
    },
    ends="The day is over after {horizon:step}.",
    unsaid={
        "demand": "how many orders come is seen in the course of the day",
        "rush": "how demand changes is seen in the course of the day",
        "patience": "told as the steps until an order is lost",
    },
    constants={"2": "part of a fare", "1": "part of a fare", "64": "the most orders"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    profit, waiting, served, fairness = (float(weight) for weight in s.params.weights)
    parts = [
        f"{profit:g} times your profit" if profit else "",
        f"{-waiting:+g} in each step for the riders that wait, divided by the number of drivers" if waiting else "",
        f"{served:+g} for each rider whom you have brought" if served else "",
        f"{-fairness:+g} times the gap between the largest and the smallest profit of a driver" if fairness else "",
    ]
    told = "; ".join(filter(None, parts)) or "nothing"
    only = (profit, waiting, served, fairness) == (1, 0, 0, 0)
    return {
        "pay": "It is what you earn." if only else f"You earn: {told}.",
        "waits": int(s.params.patience) + 1,
        "rivals": len(world.agents) > 1,
    }
