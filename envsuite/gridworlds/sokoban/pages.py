"""Sokoban's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When

PAGE = Page(
    role="You push boxes onto targets in a room.",
    goal=(
        "Each action pays {penalty_for_step}, a push of a box onto a target {reward_box_on_target}, and a push of one "
        "off a target {penalty_box_off_target}. When all boxes are on targets, {reward_finished} is paid."
    ),
    rules=(
        "The room has {height} x {width} cells and walls around it. There are as many targets as boxes; any box can go "
        "to any target. You move to a cell beside yours. If a box is there, you push it one cell further, where "
        "neither a wall nor another box may be. Boxes cannot be pulled. An impossible action changes nothing, but it "
        "counts."
    ),
    sees="You see the whole room.",
    acts={
        ("up", "down", "left", "right"): When("nine", "", "move this way, and push a box that is there"),
        ("push up", "push down", "push left", "push right"): When(
            "nine", "move this way, and push a box that is there"
        ),
        ("move up", "move down", "move left", "move right"): When("nine", "move this way, if no box is there"),
        "noop": When("nine", "do nothing"),
    },
    ends="It is over when all boxes are on targets, or after {horizon:action}.",
    unsaid={
        **dict.fromkeys(("boxes", "pulls", "carving"), "the room is to be seen"),
        "masked": "each turn lists what can be chosen",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"nine": world.parameters["actions"] == "nine"}
