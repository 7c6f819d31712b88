"""Intersection's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When

PAGE = Page(
    role="You drive a car through an intersection without lights{with_others}.",
    goal=(
        (
            "Each turn pays you {wreck} if you are a wreck and have not arrived, {fast} x (speed - 7) / 2 until you "
            "have arrived, where the fraction is from 0 to 1, and {there} once you have arrived: 25 m into your exit."
        ),
        When("mean", "Every player gets the mean of what all would be paid."),
    ),
    rules=(
        (
            "Four arms of 100 m meet: south, west, north and east. Cars drive on the right, in lanes of 4 m, along "
            "fixed paths: an approach, a crossing (22 m straight ahead, a right turn of radius 9 m, or a left turn of "
            "radius 13 m) and an exit. You begin on your approach, about 35 m before the crossing, with 10 m/s."
        ),
        (
            "A turn is a second. You choose your wanted speed among 0, 4.5 and 9 m/s, and accelerate by (wanted - "
            "speed) / 0.6 m/s2. You never steer, and never have to yield."
        ),
        (
            "Other cars keep a distance to the car ahead in their lane, also to cars that cross it.",
            When(
                "connected",
                "They see cars ahead on the next lane and the previous one too.",
                "They see cars on the next lane only in the last 2.5 m of theirs.",
            ),
            (
                "Every 7 / 15 of a second they look 2.75 s ahead at constant speeds. Of two cars that would meet, the "
                "one on the lane of lower priority stops, and of equal ones the one behind. The priorities, from the "
                "highest: straight ahead or right from west or east; left from there; straight ahead or right from "
                "south or north; left from there."
            ),
            When("drivers", "{drivers}"),
        ),
        (
            (
                "Cars are 5 m long and 2 m wide. Cars that touch are wrecks.",
                When(
                    "cars", "At the start there {are} up to {cars:other car}.", "At the start there are no other cars."
                ),
                When(
                    "spawn",
                    (
                        "After each turn a car arrives with a chance of {spawn}, on a random approach, for a random "
                        "exit, if there is room."
                    ),
                ),
            )
        ),
    ),
    sees=(
        "You see cars within 200 m, except those 10 m or more behind you: where they are, their speed and their "
        "direction. Of other players you also know where they come from and go, and their wanted speed."
    ),
    acts={
        ("slower", "faster"): "choose the wanted speed below or above the one that is nearest to your speed",
        "idle": "keep your wanted speed",
    },
    ends="It is over when a player is a wreck, when all have arrived, or after {duration:turn}.",
    unsaid={
        "destination": "every turn tells it",
        "pays": "told if there are others",
        "weights": "told as what is paid",
        "humans": "told as the shares of drivers",
        "players": "told as the number of others",
    },
    constants={
        "0": "the least speed",
        "1": "the most of the reward for speed",
        "2": "meters per second, and meters",
        "2.5": "meters",
        "2.75": "seconds that drivers look ahead",
        "4": "meters of a lane",
        "4.5": "meters per second",
        "5": "meters of a car",
        "7": "meters per second, and ticks between looks",
        "9": "meters, and meters per second",
        "10": "meters, and meters per second",
        "13": "meters",
        "15": "ticks of a second",
        "22": "meters",
        "25": "meters",
        "35": "meters",
        "100": "meters",
        "200": "meters",
        "0.6": "seconds",
        "two": "cars",
    },
)

_DRIVERS = (
    "are normal",
    "are hasty: they keep shorter distances and do not yield",
    "are careful: they keep longer distances and change their speed gently",
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    on, rest = world.parameters, len(world.agents) - 1
    wreck, fast, there = on["weights"]
    shares = [share / sum(on["humans"]) for share in on["humans"]]
    kinds = [f"{share:.0%} {kind}" for share, kind in zip(shares, _DRIVERS) if share]
    return {
        "with_others": f", as {rest} other player{'s do' if rest > 1 else ' does'}" if rest else "",
        "wreck": 0.0 - wreck,
        "fast": fast,
        "there": there,
        "mean": on["pays"] == "mean" and rest,
        "drivers": f"Of the drivers {'; '.join(kinds)}." if shares[0] < 1 else "",
        "are": "is" if on["cars"] == 1 else "are",
    }
