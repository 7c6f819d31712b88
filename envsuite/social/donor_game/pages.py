"""DonorGame's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role=(
        "You are one of {players} players who give to each other over {generations:generation} of {rounds:round} each."
    ),
    goal=(
        "You are paid the change of your units in each round. Each generation begins with {endowment:unit} for each "
        "player."
    ),
    rules=(
        (
            "In each round, half of the players are donors, each with a recipient in the other half; in the next "
            "round the halves change roles. A donor gives up a part of its units, and its recipient gets {multiplier} "
            "times as much.",
            When(
                "punishment",
                "Instead, a donor may spend a part of its units to destroy {removal} times as many of the "
                "recipient's, at most all of them.",
            ),
            "All donors act at once. Who meets whom is drawn for each generation; no donor has the same recipient "
            "twice in it.",
        ),
        "After the last round of a generation, the half with the most units stays; a lot decides between equal ones. "
        "The others leave, and newcomers take their seats. You play your seat through all generations, also as a "
        "newcomer.",
        (
            "You hold five numbers as advice, called base, last, second, wealth and trust; you may act otherwise. They "
            "advise you to give this part of your units: base, plus last times the part that the recipient gave last, "
            "plus second times the part that the recipient of that gift had given before, plus wealth times the "
            "recipient's share of the units of you both. In place of a part that you do not know, trust counts.",
            When("punishment", "Advice below 0 means to punish."),
            "The numbers are drawn at first. A survivor keeps them; a newcomer gets those of a random survivor",
            When("mutation", "with random changes, typically of {mutation}.", "without a change."),
        ),
    ),
    sees=(
        "A donor sees the units of its recipient",
        Case(
            "depth",
            {
                0: "but nothing of what it has done.",
                1: "and what it did as a donor in the round before, and to whom.",
            },
            "and what it did as a donor in the round before, and to whom; then what that player had done in the round "
            "before that; and so on, {depth} rounds back in all.",
        ),
        "A generation begins without such a past.",
    ),
    acts={
        "give {PART}": "give up this part of your units, in steps of {part}",
        "punish {PART}": When("punishment", "spend this part of your units to destroy some of the recipient's"),
    },
    ends="It is over after the last generation.",
    unsaid={"steps": "told as the size of a step"},
    constants={"half": "of the players", "five": "numbers", "0": "no gift", "twice": "the same recipient"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"part": f"{100 / int(s.params.steps):.6g}%", "depth": int(s.params.depth)}
