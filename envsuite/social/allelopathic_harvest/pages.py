"""AllelopathicHarvest's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.kit.avatar_pages import BEAM, BEAM_CONSTANTS, CROWD, SEES, WALKS, nexts, percent, slots

PAGE = Page(
    role=(
        "You are one of {players} gatherers on a field of red, green and blue berries. You like {favorite} berries "
        "best."
    ),
    goal=(
        "A {favorite} berry that you eat pays you 2, any other berry 1.",
        When("penalty", "Each second hit by a zap, see below, costs you {penalty}."),
    ),
    rules=(
        (
            "You eat a ripe berry by stepping on it, and an unripe one of its color grows in its place. All berries "
            "are unripe at the start. In each turn an unripe berry ripens with a chance of {ripening} times the "
            "number of all berries of its color, ripe or not.",
            When(
                "rest",
                "It does not ripen in the first {rest:turn} after it was eaten or planted, or after the start.",
            ),
            "A berry that ripens under a player is eaten.",
        ),
        (
            "When you plant a color, a beam goes up to {beam:cell} straight ahead and ends at the first player or "
            "berry. If there is an unripe berry of another color, even under the player, it takes yours, unless it was "
            "eaten or planted in this turn. Then others see this color on you, until you plant another one. Each time "
            "you eat, you lose it with a chance equal to the share of berries that do not have the most frequent "
            "color.",
            When("plant_rest", "After planting you cannot plant in the {next_plant_rest}."),
        ),
        (
            "A zap hits others.",
            BEAM,
            "After it you cannot zap in the {next_zap_cooldown}. A player that is hit is marked for {marked:turn}.",
            When("frozen", "For {frozen:turn} it can neither walk nor turn."),
            When("silent", "For {silent:turn} it cannot zap, but it can plant."),
            "If it is hit again while it is marked, it loses {penalty} and is out: it loses its {next_out} and comes "
            "back at a random starting place, without its mark and its color. Several zaps in one turn count one by "
            "one.",
        ),
        (
            CROWD,
            "Within a turn, berries ripen first, then you walk, then all beams go off. The field has no edge: what "
            "leaves it on one side comes in on the other. Players block the way, and walls, if there are any; "
            "berries do not.",
        ),
    ),
    sees=(
        SEES,
        "You see who shows a color and who is marked, but not what the others like best. Each turn tells whether you "
        "can zap, but not whether you can plant.",
        When("green", "{red} of you like red best, and {green} green.", "All of you like red best."),
    ),
    acts={
        **WALKS,
        "zap": "fire at others",
        "plant {COLOR}": "fire a beam that gives a berry this color",
    },
    ends="It is over after {horizon:turn}.",
    constants={"2": "for the favorite berry", "1": "for another berry", **BEAM_CONSTANTS},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    params = s.params
    red = int((params.favourite == 0).sum())
    return {
        **slots(world, s),
        **nexts(zap_cooldown=s.params.zap_cooldown, out=s.params.zap_away + 2),
        **nexts(plant_rest=s.params.plant_cooldown - 1),
        "favorite": ("red", "green", "blue")[int(params.favourite[agent])],
        "red": red,
        "green": len(world.agents) - red,
        "ripening": percent(params.ripening),
        "rest": max(int(params.ripening_delay) - 1, 0),
        "beam": 3,
        "marked": max(int(params.recovery) - 1, 0),
        "frozen": max(int(params.freeze) - 1, 0),
        "plant_rest": int(params.plant_cooldown) - 1,
        "silent": int(params.freeze + params.zap_cooldown) if params.freeze else 0,
    }
