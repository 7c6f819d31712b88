"""TrafficLights' page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When

PAGE = Page(
    role=When(
        "rest",
        (
            "You switch the lights of an intersection in a town. {rest:other player} {switch} those of the other "
            "{intersections}."
        ),
        "You switch the lights of an intersection.",
    ),
    goal=(
        "In each turn you are paid, after the cars have moved:",
        "{pay}.",
    ),
    rules=(
        (
            When("rest", "The town has {rows} x {columns} intersections."),
            "Roads have a lane of {length} cells in each direction. A lane ends at a stop line with a light.",
            When(
                "closed",
                "A road that leaves the town on one side enters it on the other; no cars arrive or leave.",
                "Cars arrive from outside and leave the town at its edge.",
            ),
        ),
        (
            (
                "In each turn you first keep or switch your lights. Green is for the lanes from north and south, or "
                "for those from east and west."
            ),
            When("all_red", "After a switch all your lights are red for {all_red:turn}, the present one included."),
            When("min_green", "You can switch again after {min_green:turn} of green."),
        ),
        (
            "Then each car speeds up by 1, to at most {v_max:cell} a turn. It slows down to the number of free cells "
            "ahead, so that it hits no car and runs no red light, and then slows down by 1 with a chance of {brake}. "
            "Then all move. A car that crosses the stop line is on the next lane at once."
        ),
        (
            "At the next light a car turns left with a chance of {left} and right with {right}. The first car of a "
            "lane that turns left only crosses if no car from the opposite lane crosses in this turn, or if that one "
            "turns left too."
        ),
        (
            When(
                "closed",
                "",
                (
                    "A car arrives at each lane from outside with a chance per turn that is fixed for the lane, from "
                    "{least} to {most}. It waits until the first cell is free; at most one enters a lane per turn."
                ),
            ),
            (
                "At the start each cell has a car with a chance of {density}, and each light is green for a random "
                "direction and may be switched at once."
            ),
        ),
    ),
    sees=(
        "You see the cars on the four lanes that come to you, how many wait outside, and how many are on the lanes "
        "that leave you."
    ),
    acts={"keep": "leave your lights as they are", "switch": "give green to the other direction"},
    ends="It is over after {horizon:turn}.",
    unsaid={"inflow": "told as the chances of arrival", "weights": "told as what is paid"},
    constants={"1": "a step of speed", "four": "lanes"},
)

_PAID = (
    "for each car that stands on your lanes or waits outside of them",
    "x (1 - speed / {v_max}) for each car on your lanes or waiting outside of them",
    "for a switch",
    "for each car that crossed your stop lines",
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    on, rest = world.parameters, len(world.agents) - 1
    signs = (-1, -1, -1, 1)
    paid = [
        f"{sign * weight:g} {what.format(v_max=on['v_max'])}"
        for weight, sign, what in zip(on["weights"], signs, _PAID)
        if weight
    ]
    least, most = on["inflow"]
    return {
        "rest": rest,
        "switch": "switches" if rest == 1 else "switch",
        "intersections": "intersection" if rest == 1 else "intersections",
        "pay": "; ".join(paid) or "0",
        "least": least,
        "most": most,
    }
