"""Merge's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When

PAGE = Page(
    role=When(
        "joins",
        "You drive a car on a ramp and join a motorway.",
        "You drive a car on a motorway, which another car joins from a ramp.",
    ),
    goal=(
        "Each turn pays you (r + 1.5) / 1.8, where r is the sum of: -1 if you are a wreck; 0.1 x the number of your "
        "lane; 0.02 x your speed above 20 m/s; -0.05 if you chose left or right; and -0.5 x the share of its wanted "
        "speed that a car on the ramp beside the road lacks."
    ),
    rules=(
        (
            "The motorway runs from x = 0 to 460 m. Lane 0 is at y = 0 and lane 1, to the right of it, at y = 4 m. A "
            "ramp comes nearer, runs beside the road at y = 8 m from x = 230 m on, and ends at x = 310 m, where an "
            "obstacle stands. Beside the road the ramp counts as lane 2, before that as lane 0. Cars are 5 m long and "
            "2 m wide. They may change between neighboring lanes, but not onto the ramp."
        ),
        (
            (
                "A turn is a second. Your wanted speed is 20, 25 or 30 m/s, and you accelerate by (wanted - speed) / "
                "0.6 m/s2. Your car steers by itself toward the middle of its wanted lane."
            ),
            When(
                "joins",
                "You start on the ramp at x = 110 m with 20 m/s.",
                "You start in lane 1 at x = 30 m with 30 m/s.",
            ),
            "Three other cars start near x = 5, 70 and 90 m in random lanes, with 29 to 31.5 m/s.",
            When(
                "several",
                When(
                    "joins",
                    "Another player starts in lane 1 at x = 30 m with 30 m/s.",
                    "Another player starts on the ramp at x = 110 m with 20 m/s.",
                ),
                "The car on the ramp starts at x = 110 m with 20 m/s.",
            ),
        ),
        (
            (
                "Other cars want 20 m/s at most, keep their distance from the car ahead, and change lanes if that lets "
                "them drive faster and does not make the car behind brake by more than 2 m/s2."
            ),
            When(
                "connected",
                "They see cars ahead on the next and previous sections of the road too.",
                "They see cars ahead on their own section of the road only; sections meet at x = 230 and 310 m.",
            ),
            "Cars that touch are wrecks.",
        ),
    ),
    sees="You see the nearest few of the cars and the obstacle within 200 m, except those 10 m or more behind you.",
    acts={
        ("left", "right"): "choose the lane beside your wanted lane, if there is one that is not the ramp",
        ("faster", "slower"): "choose the wanted speed above or below the one that is nearest to your speed",
        "idle": "keep lane and wanted speed",
    },
    ends="It is over when a player is a wreck, or when all players are beyond x = 370 m.",
    unsaid={"players": "told as another player, or none"},
    constants=dict.fromkeys(
        (
            "0",
            "0.02",
            "0.05",
            "0.1",
            "0.5",
            "0.6",
            "1",
            "1.5",
            "1.8",
            "2",
            "4",
            "5",
            "8",
            "10",
            "20",
            "25",
            "29",
            "30",
            "31.5",
            "70",
            "90",
            "110",
            "200",
            "230",
            "310",
            "370",
            "460",
        ),
        "of the road, the cars or the pay",
    ),
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"joins": agent == 1, "several": len(world.agents) > 1}
