"""PredatorPrey's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role=When(
        "hunts",
        "You are a predator and hunt prey. {hunters:predator} and {hunted} prey are on the map.",
        "You are prey and look for food. {hunters:predator} and {hunted} prey are on the map; predators hunt prey.",
    ),
    goal=When("hunts", "Each prey that you catch pays you 1.", "An apple pays you 1, and an acorn 6 three times."),
    rules=(
        (
            "The map has 23 x 19 cells. All walk and turn at once, in random order; if several want a cell, a random "
            "one gets it. Only prey can enter tall grass, but a predator beside it can bite into its first cell."
        ),
        (
            (
                "Prey eat an apple on their cell at once, and pick up an acorn there if they carry none. Food grows "
                "again on its places, apples with a chance of {apple_rate} per turn and acorns with {acorn_rate}. To "
                "eat its acorn, a prey needs a stamina of 13 or more and lowered arms. This takes 26 turns and pays in "
                "the 11th, 16th and 21st turn after the first; one that is caught loses the rest."
            ),
            Case(
                "compat",
                {
                    "documented": "While it eats, it can neither walk nor turn.",
                    "reference": "It can walk while it eats.",
                },
            ),
            "In the five turns after an `interact` of a prey, another one has no effect.",
        ),
        (
            "A predator bites the player on the cell ahead. If that is prey, the players within {radius:cell} of it "
            "are counted, itself included: prey that do not eat, and predators, each with a stamina above 0. If there "
            "are at most as many prey as predators, the prey is caught; otherwise the counted prey raise their arms "
            "for five turns. After a catch the predator stands still for four turns and bites by itself in each of "
            "them. A bite at a predator always catches it, pays nothing and costs 4 stamina. One that is caught is "
            "away for {away:turn} and returns rested to a random start of its kind."
        ),
        (
            (
                "Stamina is from 0 to 18. Each action but `noop` costs 1, even without effect; `noop` restores 1. "
                "After an action that costs,"
            ),
            When(
                "hunts",
                (
                    "you cannot walk or turn for 6 turns if your stamina is then 0, and for 1 turn if it is 1 to 6. "
                    "You can bite even then."
                ),
                (
                    "you cannot walk or turn for 4 turns if your stamina is then 0, for 2 turns if it is 1 to 6, and "
                    "otherwise for 1 turn."
                ),
            ),
            "In these turns nothing costs or restores stamina.",
        ),
    ),
    sees=(
        "You see the cells up to 9 ahead of you, 1 behind and 5 to each side. You know your stamina, and that of "
        "others in view up to 13."
    ),
    acts={
        ("forward", "backward", "step left", "step right"): "walk one cell without turning",
        ("turn left", "turn right"): "turn",
        "interact": When("hunts", "bite", "begin to eat your acorn"),
        "noop": "rest",
    },
    ends="It is over after {horizon:turn}.",
    unsaid={
        "form": "the map is to be seen",
        "predators": "told as their number",
        "prey": "told as their number",
        "respawn": "told as the turns for which one is away",
    },
    constants={
        "0": "no stamina",
        "1": "for a prey or an apple, and a point of stamina",
        "2": "turns of a tired prey",
        "4": "turns of an exhausted prey, the cost of a bite at a predator",
        "5": "cells to a side",
        "6": "for an acorn, the end of low stamina",
        "9": "cells ahead",
        "11": "turn of a meal that pays",
        "13": "stamina for a meal",
        "16": "turn of a meal that pays",
        "18": "the most stamina",
        "19": "rows of the map",
        "21": "turn of a meal that pays",
        "23": "columns of the map",
        "26": "turns of a meal",
        "three": "times that an acorn pays",
        "four": "turns after a catch",
        "five": "turns with raised arms, and after a bite at an acorn",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {
        "hunts": agent < world.predators,
        "hunters": world.predators,
        "hunted": len(world.agents) - world.predators,
        "away": int(s.params.respawn) + 1,
    }
