"""Daycare's pages for players: what the child and the parent mistake, they do not read here either."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, Pattern, Text, When
from envsuite.kit.avatar_pages import CROWD, SEES, WALKS, percent, slots

_RULES: tuple[Text, ...] = (
    (
        "You walk a map with trees and shrubs. Each of these plants bears one fruit, an apple or a banana. Plants "
        "and fruit do not block the way; walls and the other do. A fruit that was eaten hangs on its plant again "
        "after {regrown:turn}."
    ),
    (
        "With a grasp you reach into the cell ahead of you. You try to pick the fruit that hangs there. If there is "
        "none, or you fail, you take the picked fruit that lies there, or that the other holds there. You hold it "
        "until you eat it, drop it, or the other takes it. Your next grasp drops it, but not onto a plant. A grasp "
        "in the turn after another grasp does nothing."
    ),
    (
        "A fruit that you hold is in the cell ahead of you and moves with you. If another picked fruit is in its "
        "way, you do not walk; if you turn, the fruit stays where it is."
    ),
    (
        "If the child eats no banana for {hungry:turn}, it goes away, and what it holds is lost. After {gone:turn} "
        "it comes back, fed, beside the parent."
    ),
    (
        CROWD,
        "Within a turn, what is held is eaten first; then fruit grow, you walk, and hands reach out in random order.",
    ),
)

_SEES = (SEES, "Things may look different to the other.")
_ENDS = "It is over after {horizon:turn}."

_ACTS: Mapping[Pattern, Text] = {
    **WALKS,
    "eat": "eat the fruit that you hold",
    "grasp": "take the fruit ahead of you, or drop the one that you hold",
}

PAGES = {
    "child": Page(
        role="You are the child. The other is your parent.",
        goal="A banana that you eat pays you 1, an apple nothing.",
        rules=(
            *_RULES,
            (
                When(
                    "never", "You cannot pick fruit of shrubs,", "You pick a fruit of a shrub with a chance of {grasp},"
                ),
                When("never", "nor of trees.", "and never one of a tree."),
                "Your parent can pick all. While you are away, you do nothing.",
            ),
        ),
        sees=_SEES,
        acts=_ACTS,
        ends=_ENDS,
        constants={"1": "the reward for a banana"},
    ),
    "parent": Page(
        role="You are the parent. The other is your child.",
        goal="Each fruit that you eat pays you 1, but nothing while the child is away.",
        rules=(
            *_RULES,
            "You never fail to pick. The child cannot pick fruit of trees, and may fail to pick those of shrubs.",
        ),
        sees=_SEES,
        acts=_ACTS,
        ends=_ENDS,
        constants={"1": "the reward for a fruit"},
    ),
}


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    params = s.params
    return {
        **slots(world, s),
        "regrown": int(params.regrowth) + 1,
        "gone": int(params.respawn) + 1,
        "grasp": percent(params.grasp),
        "never": params.grasp == 0,
    }
