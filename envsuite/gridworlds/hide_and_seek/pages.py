"""HideAndSeek's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When

PAGE = Page(
    role=(
        "{hiders:hider} and {seekers:seeker} are in a house.",
        When("seeks", "You are a seeker and look for hiders.", "You are a hider and keep out of the seekers' sight."),
    ),
    goal=When(
        "seeks",
        "Each turn pays you 1 if a seeker sees a hider at its end, otherwise -1.",
        "Each turn pays you -1 if a seeker sees a hider at its end, otherwise 1.",
    ),
    rules=(
        When(
            "preparation",
            "At first the seekers are blind and wait for {preparation:turn}, and nothing is paid. Then all can act.",
        ),
        (
            "The house has {width} x {height} cells, walls included;",
            When("boxes", "there are up to {boxes:box/boxes}.", "there are no boxes."),
            "North is up. Any number of players can be in one cell, but not with a box.",
        ),
        (
            "All choose at once, and actions happen one after the other, in an order that is drawn in each turn. You "
            "move to a cell beside yours, but not into a wall. A move into a box pushes it one cell further, unless a "
            "wall, a box or a player is there, or the box is locked; then you stay. Nobody can push a locked box, and "
            "only the team that locked it can unlock it."
        ),
    ),
    sees=(
        "You see the cells up to {sight:row or column/rows or columns} away, if the straight line between the middles "
        "of the cells crosses no wall and no box. If you see a player, it sees you. You do not see what your team "
        "mates see."
    ),
    acts={
        ("east", "south", "west", "north"): "move one cell, and push a box that is there",
        "stay": "stay where you are",
        "interact": (
            "lock all unlocked boxes in the four cells beside yours; if there are none, unlock those there that your "
            "team has locked"
        ),
    },
    ends="It is over after {horizon:turn}.",
    unsaid={"rooms": "the house is to be seen"},
    constants={"1": "for a turn", "four": "cells beside one"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"seeks": agent >= world.hiders}
