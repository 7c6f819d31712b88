"""Territory's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.kit.avatar_pages import CROWD, ENDS, SEES, WALKS, nexts, percent, slots

PAGE = Page(
    role="You are one of {everyone} painters on a map with walls and resources.",
    goal="Each time a resource of yours pays, you get 1.",
    rules=(
        (
            "A resource belongs to the player that painted it last. Once it has been yours for {drying:turn}, it "
            "pays in each turn with a chance of {payout}. When it pays for the first time, its paint becomes visibly "
            "dry. In each turn you paint the resource ahead of you, if there is one, whatever you do. A claim also "
            "flings paint up to {beam:cell} straight ahead, through resources and players."
        ),
        (
            "A zap hits others. Its beam has three columns of up to {beam:cell}: the middle one begins with the cell "
            "ahead of you, the others with the cells to your left and right. Each ends at the first wall, player or "
            "whole resource. A whole resource is damaged by it. A damaged one is destroyed for good, and the beam "
            "goes on; but after {mending_delay:turn}, a damaged resource mends with a chance of {mending} in each "
            "turn. After a zap you cannot zap in the {next_zap_cooldown}."
        ),
        (
            "A player that is hit is marked for {marked:turn}.",
            When("frozen", "For {frozen:turn} it can neither walk nor turn."),
            "For {silent:turn} it cannot zap, but it can paint.",
            "If it is hit again while it is marked, it is out for good, and its paint comes off within a few turns. "
            "Several zaps in one turn count one by one.",
        ),
        (
            CROWD,
            "Within a turn, owners are paid first; then all walk, then zaps go off, then all paint what is ahead of "
            "them, and then claims go off. Walls, resources and other players block the way.",
            When("torus", "The map has no edge: what leaves it on one side comes in on the other."),
        ),
    ),
    sees=(
        SEES,
        "You see the owners of resources, whether they are damaged and whether they are dry, and who is marked.",
    ),
    acts={**WALKS, "zap": "fire at others and at resources", "claim": "fling paint ahead"},
    ends=(ENDS, "For a player it is over as soon as it is out."),
    unsaid={"form": "players see the map as they walk"},
    constants={"1": "what a resource pays", "three": "columns of a beam"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    params = s.params
    return {
        **slots(world, s),
        **nexts(zap_cooldown=int(params.zap_cooldown)),
        "payout": percent(params.payout),
        "mending": percent(params.mending),
        "beam": 2,
        "marked": int(params.recovery) - 1,
        "frozen": int(params.freeze) - 1,
        "silent": int(params.freeze + params.zap_cooldown),
        "torus": world.torus,
    }
