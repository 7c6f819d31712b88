"""CleanUp's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.kit import ssd
from envsuite.kit.avatar_pages import (
    BEAM,
    BEAM_CONSTANTS,
    CROWD,
    ENDS,
    FINES,
    FINES_CONSTANTS,
    SEES,
    WALKS,
    fine_slots,
    nexts,
    percent,
    slots,
)

PAGE = Page(
    role="You are one of {everyone} players who share an orchard and the river that waters it.",
    goal=("An apple that you eat pays you 1.", When("fined", FINES)),
    rules=(
        (
            "You eat an apple by stepping on it. Apples grow only while the river is clean enough. If all of it is "
            "clean, an empty site in the orchard grows an apple in a turn with a chance of {growth}.",
            When(
                "depletion",
                "The chance falls in proportion to the share of the river that is dirty; if {limit} of it or more is "
                "dirty, nothing grows.",
                "If any of it is dirty, nothing grows.",
            ),
            When("fined", "No apple grows under a player.", "An apple that grows under a player is eaten."),
        ),
        (
            "Much of the river is dirty at the start.",
            When(
                "fined",
                "In each turn in which apples can grow, its clean cells are tried in random order, and each becomes "
                "dirty with a chance of {pollution}, until one of them has.",
                "From turn {dirty_from} on, one of its clean cells becomes dirty in a turn with a chance of "
                "{pollution}.",
            ),
            "A beam of yours cleans the first dirty cell in each of its columns, see below.",
            When(
                "fined",
                "It ends at walls and players, but cleans below them.",
                "It goes through players and ends at walls.",
            ),
            When("clean_cooldown", "After it you cannot clean in the {next_clean_cooldown}."),
        ),
        (
            "A zap hits others.",
            BEAM,
            "The beam with which you clean has the same columns.",
            When("zap_cooldown", "After a zap you cannot zap in the {next_zap_cooldown}."),
            When(
                "fined",
                "",
                "A player that is hit loses its {next_out} and comes back at a random starting place.",
            ),
        ),
        (
            CROWD,
            "Within a turn, all walk first; then the beams go off, apples grow, and the river gets dirty. Only walls "
            "and other players block the way.",
        ),
    ),
    sees=(
        SEES,
        "You are also told how many others have just cleaned something, wherever they are.",
        When("zap_cooldown", "Each turn tells whether you can zap, but not whether you can clean."),
    ),
    acts={**WALKS, "zap": "fire at others", "clean": "fire the beam that cleans the river"},
    ends=ENDS,
    unsaid={"rules": "the page tells the rules that hold", "compat": "told by what the averages pay"},
    constants={**BEAM_CONSTANTS, **FINES_CONSTANTS},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    params, fined = s.params, world.parameters["rules"] == "ssd"
    return {
        **slots(world, s),
        **nexts(clean_cooldown=s.params.clean_cooldown, zap_cooldown=s.params.zap_cooldown, out=s.params.zap_away + 1),
        **fine_slots(world, s),
        "fined": fined,
        "growth": percent(params.growth),
        "limit": percent(params.depletion),
        "pollution": percent(params.pollution),
        "dirty_from": int(params.clean_start) + 1,
        "beam": ssd.LENGTH if fined else 3,
        "clean_cooldown": int(params.clean_cooldown),
        "zap_cooldown": int(params.zap_cooldown),
    }
