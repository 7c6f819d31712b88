"""Microgrid's pages for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

_RULES = (
    (
        "{buildings:building} {share_grid} one connection to the grid for {days:day} of 24 hours. Each has a load and "
        "solar power in each hour, from panels of up to {panels} kW, and a battery of {capacity} kWh, which is empty "
        "at first. In each hour, all choose at once to which of {levels} levels, evenly spaced from empty to full, "
        "they charge or discharge it, up to {reach:level} up or down.",
        "To charge by x takes x / {efficiency} kWh, and to discharge by x gives x times {efficiency}.",
        "A building draws its load, less its solar power, plus what its battery takes. The import is the sum of that; "
        "below 0 it is fed into the grid.",
    ),
    When(
        "attacker",
        Case(
            "attack",
            {
                "loads": (
                    "An attacker may, up to {budget:time}, move the share {share} of all loads of an hour to the next "
                    "one."
                ),
                "reports": (
                    "An attacker may, up to {budget:time}, have all loads that the buildings see in the next hour be "
                    "too low or too high by the share {share}; the loads themselves stay.",
                ),
            },
        ),
    ),
    "Costs. The bill is the price times the import; energy that is fed in is paid {feed_in} times the price. The peak "
    "is the kWh by which the import exceeds the largest one so far. The ramp is the size of the change of the import "
    "since the last hour. The carbon is that of the import, if it is above 0. They count {weights_words}.",
)
_SEES = "You know loads, solar power, prices and carbon of this hour and the next {foresight:hour}"
_ENDS = "It is over after {days:day}."
_CONSTANTS = {"24": "hours of a day", "0": "no import"}

PAGES = {
    "building": Page(
        role="You manage the battery of a building.",
        goal=When(
            "team",
            "Each building pays the costs of all, which are told below.",
            "You pay your part of the costs that are told below: of bill and carbon what you draw, at the rates of "
            "the import, and of peak and ramp an equal share. If you feed in while others import, you are paid the "
            "full price.",
        ),
        rules=_RULES,
        sees=(_SEES + ", of your own building.",),
        acts={"charge {PERCENT}": "charge or discharge your battery to this level"},
        ends=_ENDS,
        constants=_CONSTANTS,
    ),
    "attacker": Page(
        role="You are the attacker.",
        goal="You gain what all buildings pay, as told below.",
        rules=_RULES,
        sees=(_SEES + ", of all buildings together.",),
        acts={
            "wait": "do nothing in this hour",
            "delay loads": Case("attack", {"loads": "move a part of all loads to the next hour"}),
            ("report less", "report more"): Case(
                "attack", {"reports": "have the loads of the next hour look too low, or too high"}
            ),
        },
        ends=_ENDS,
        constants=_CONSTANTS,
    ),
}


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    parts = [f"{float(weight):g} times for the {name}" for name, weight in zip(world.objectives, s.params.weights)]
    alone = world.parameters["buildings"] == 1
    return {"weights_words": ", ".join(parts), "share_grid": "has" if alone else "share"}
