"""Routing's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role=When(
        "others",
        "You drive one of {vehicles} vehicles that together visit {customers:customer} of a town from a depot.",
        "You drive the vehicle that visits {customers:customer} of a town from a depot.",
    ),
    goal=(
        When("others", "All vehicles are paid the same."),
        Case(
            "variant",
            {
                "hcvrp": When(
                    "others",
                    "Each unit of time costs {time:g}; what counts is the time of the vehicle that drives longest.",
                    "Each unit of time that you drive costs {time:g}.",
                )
            },
            "Each unit of time that a vehicle drives costs {time:g}; the times of all vehicles are added up.",
        ),
        When(
            "liked",
            "A visit pays {preference:g} times the preference of the customer for the vehicle, which is from 0 to 1.",
        ),
        "Each customer that has not been visited at the end costs {missed:g}.",
    ),
    rules=(
        (
            "All places lie in a square with sides of length 1. The time of a way is its length divided by the speed "
            "of the vehicle. Each customer has a demand and is visited once, by a vehicle whose load is enough for the "
            "whole demand; the load then shrinks by it. At the depot a vehicle loads up to its capacity. All start "
            "there with full loads.",
            When("refused", "Some customers refuse some of the vehicles."),
        ),
        When(
            "event",
            "The vehicles choose one at a time, always the one that is free first. Driving keeps a vehicle busy for "
            "the time of the way. A vehicle that stays is free again when all others have become free. Of vehicles "
            "that are free at the same time, the one with the fewest choices so far comes first, then the one with "
            "the lowest number.",
            (
                When(
                    "others",
                    "In each turn all vehicles choose at once where they go next, and they get there in the same turn, "
                    "however far it is. If several choose the same customer, the nearest of them goes there, of "
                    "equally near ones the one with the lowest number; the others stay where they are.",
                    "In each turn you choose where you go next, and you get there in the same turn, however far it is.",
                ),
            ),
        ),
        "When all customers are visited, or the game is over, all vehicles drive home to the depot. That way counts "
        "too.",
    ),
    sees="You see everything: all places, demands, vehicles and loads.",
    acts={
        "customer {N}": "visit customer N",
        "depot": "drive to the depot and load again",
        "stay": "stay where you are",
    },
    ends=(
        "It is over when all customers are visited, or after",
        When("event", "{horizon:choice} of all vehicles together.", "{horizon:turn}."),
    ),
    unsaid={"preferences": "each turn shows the preferences of the customers"},
    constants={"0": "the smallest preference", "1": "the largest preference, and the side of the square"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    time, preference, missed = s.params.weights.tolist()
    return {
        "time": time,
        "preference": preference,
        "missed": missed,
        "liked": bool((s.level.preference > 0).any()),
        "refused": not s.level.zone[:, 1:].all(),
        "event": bool(s.params.event),
    }
