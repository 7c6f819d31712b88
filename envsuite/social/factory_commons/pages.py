"""FactoryCommons' page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.kit.avatar_pages import CROWD, ENDS, SEES, WALKS, slots

PAGE = Page(
    role=When("rivals", "You are one of {players} workers in a factory.", "You are the worker in a factory."),
    goal="An apple that you eat pays you 1.",
    rules=(
        (
            "A grasp takes the apple on the cell ahead of you, or else the cube. If you hold something, it lets go of "
            "that. Nobody can take what another holds. What you hold moves with you, and a turn swings it to your new "
            "front. You walk only if both have room; if a turn has no room for what you hold, it stays."
        ),
        (
            "A cube needs a cell without another cube, a player, a wall or a dispenser. You cannot walk onto cubes, "
            "hoppers, dispensers, walls and players. Apples are never in the way, but two do not fit on one cell. You "
            "eat an apple when you come onto it, even if another holds it, and when it comes onto your cell."
        ),
        (
            "For a cube, {renewers:machine gives/machines give} the cube back and an apple, and {doublers:gives/give} "
            "two apples instead. Cubes come from nowhere else. On a machine, the mouth and a belt lie side by side, "
            "with a hopper behind the mouth and a dispenser behind the belt. In front of the belt are two spots, one "
            "after the other. In the turn after a cube came to an open mouth, the hopper swallows it, even out of "
            "hands. For 4 more turns the mouth stays open, and a further cube is lost; then it is closed. The machine "
            "is ready again 18 turns after it has swallowed. It gives the cube on the first spot after 11 turns and "
            "the apple on the second after 13, or one apple on each after 11. A product waits until its spot has "
            "room; if the next one comes first, one is lost."
        ),
        (
            "Your stamina is 18 at first and at most. Each walk costs 1, even if something is in the way; any other "
            "act restores 1. After a walk that leaves less than 7 you are tired for 2 turns, and for 6 if it leaves "
            "0. Then your stamina does not change, and you can neither walk nor turn; you can grasp, and a turn "
            "swings what you hold to that side."
        ),
        (
            CROWD,
            "Within a turn, hands grasp first, then machines work, then you walk, and then you turn.",
        ),
    ),
    sees=(
        SEES,
        "You see what the others in view hold and their stamina, from {fresh} on only that it is {fresh} or more. "
        "What moves by itself cannot be taken yet.",
    ),
    acts={
        **WALKS,
        "noop": "do nothing, and rest",
        "grasp": "take the thing ahead of you, or let go of what you hold",
    },
    ends=ENDS,
    constants={
        **dict.fromkeys(("4", "11", "13", "18"), "turns of a machine, and the largest stamina"),
        **dict.fromkeys(("0", "2", "6", "7"), "when and for how long players are tired"),
        "1": "the reward for an apple, and the cost of a walk",
        "two": "apples and spots",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    doublers = int(s.doubles[: s.machines].sum())
    return {**slots(world, s), "doublers": doublers, "renewers": int(s.machines) - doublers, "fresh": 13}
