"""Microgrid's pages for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When, listed

_RULES = (
    (
        "{buildings:building} {share_grid} one connection to the grid for {days:day} of 24 hours. Each has a load and "
        "solar power in each hour, from panels of up to {panels} kW, and a battery of {capacity} kWh, which is empty "
        "at first. In each hour, all choose at once to which of {levels} levels, evenly spaced from empty to full, "
        "they charge or discharge it, up to {reach:level} up or down.",
        "To charge it by x kWh takes x / {efficiency} kWh, and to discharge it by x kWh gives x times {efficiency} "
        "kWh.",
        "A building draws its load, less its solar power, plus what its battery takes. The import is the sum of what "
        "all buildings draw; below 0 it is fed into the grid.",
    ),
    When(
        "attacker",
        Case(
            "attack",
            {
                "loads": (
                    "An attacker may, up to {budget:time}, move the share {share} of all loads of an hour to the next "
                    "one, except in the last hour. Buildings are not told."
                ),
                "reports": (
                    "An attacker may, up to {budget:time}, have all loads that the buildings see in the next hour be "
                    "too low or too high by the share {share}, except in the last hour; the loads themselves stay.",
                ),
            },
        ),
    ),
    "Costs of an hour. The bill is the price times the import; energy that is fed in is paid {feed_in} times the "
    "price. The peak is the kWh by which the import exceeds the largest one so far, which is 0 at first. The ramp is "
    "the size of the change of the import since the last hour, and 0 in the first hour. The carbon is that of a kWh "
    "times the import, and 0 if the import is below 0. The costs are added up with weights: {weights_words}.",
)
_AHEAD = When("foresight", "and the next {foresight:hour}.", "only.")
_IMPORT = "You also learn the import of the last hour and the largest one so far."
_ENDS = "It is over after {days:day}."
_CONSTANTS = {"24": "hours of a day", "0": "no import"}

PAGES = {
    "building": Page(
        role="You manage the battery of a building.",
        goal=When(
            "team",
            "Each building pays the costs of all, which are told below.",
            "You pay your part of the costs that are told below: of bill and carbon the part of what you draw, at the "
            "rates of the import, and of peak and ramp an equal share. If you feed in while the import is above 0, "
            "you are paid the full price, and the carbon counts for you.",
        ),
        rules=_RULES,
        sees=(
            "You know your own load and solar power, and price and carbon of a kWh, of this hour",
            _AHEAD,
            _IMPORT,
            "You do not see the loads and batteries of other buildings.",
        ),
        acts={"charge {PERCENT}": "charge or discharge your battery to this level"},
        ends=_ENDS,
        constants=_CONSTANTS,
    ),
    "attacker": Page(
        role="You are the attacker.",
        goal="You gain what all buildings pay, as told below.",
        rules=_RULES,
        sees=(
            "You know the loads and the solar power of all buildings together, and price and carbon of a kWh, of this "
            "hour",
            _AHEAD,
            _IMPORT,
        ),
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
    parts = [f"{float(weight):g} for the {name}" for name, weight in zip(world.objectives, s.params.weights)]
    alone = world.parameters["buildings"] == 1
    return {"weights_words": listed(parts), "share_grid": "has" if alone else "share"}
