"""Crafter's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When

PAGE = Page(
    role=(
        "You try to survive in the wild and to do its feats.",
        When("rest", "You share it with {rest:other player}."),
    ),
    goal=(
        (
            "A turn in which you do feats for the first time pays +1. A point of health pays +0.1 if gained, -0.1 if "
            "lost. Feats are collecting wood, stone, coal, iron, diamond, a sapling and drink; placing stone, a table, "
            "a furnace and a plant; making each pickaxe and sword;"
        ),
        When("creatures", "eating a ripe plant and a cow; defeating a zombie and a skeleton;", "eating a ripe plant;"),
        "and waking up rested.",
    ),
    rules=(
        (
            (
                "The map has {size} x {size} cells; north is up. You walk on grass, sand and paths; lava kills you. "
                "You face the way you last moved or tried to, and act on the cell in front of you."
            ),
            When(
                "others",
                ("You act in random order, cannot hit each other, and keep your own things."),
            ),
        ),
        (
            "Trees give wood and stay. Stone and coal need a wood pickaxe, iron a stone pickaxe, diamond an iron "
            "pickaxe; they leave a path. Water gives 1 drink. Grass gives a sapling with a chance of {sapling}. A "
            "plant is ripe after {ripe:turn}; eaten, it gives 4 food and grows again. A creature beside it destroys "
            "it."
        ),
        (
            "Placing takes 1 stone (on grass, sand, paths, water or lava), 2 wood for a table or 4 stone for a furnace "
            "(on grass, sand or paths), or a sapling (on grass). Making needs 1 wood and a table within one cell, "
            "diagonals included; a tool of stone needs 1 stone too, and one of iron 1 coal, 1 iron and a furnace as "
            "near. In the map's first column and row nothing can be made."
        ),
        (
            "Health, food, drink and energy begin at 9, the most of each thing. Awake, food falls by 1 every "
            "{hungry:turn}, drink every {thirsty}, energy every {tired}. While they are above 0 (energy only awake), "
            "health rises by 1 every 26 turns, else it falls by 1 every 16. Asleep, energy rises by 1 every 11 turns, "
            "food, drink and health fall at half pace, and health rises at double pace. You sleep, whatever you "
            "choose, until your energy is 9 or you lose health."
        ),
        When(
            "creatures",
            (
                (
                    "A hit takes 1 health, with a sword of wood 2, stone 3, iron 5. A cow has 3 health and gives 6 "
                    "food. A zombie has 5, comes after you, and beside you takes 2, or 7 if you sleep, then waits 5 "
                    "turns. A skeleton has 3, lives in tunnels and shoots arrows, which take 2 and break tables and "
                    "furnaces."
                ),
                When("others", "They go for the nearest player. All who hit one as it falls defeat or eat it."),
                When(
                    "night",
                    "A day has 300 turns; zombies appear in grass, more in the dark.",
                    "It is always day; zombies appear in grass.",
                ),
            ),
            ("There are no creatures.", When("night", "A day has 300 turns.", "It is always day.")),
        ),
    ),
    sees="You see 7 rows of 9 cells, also by night; of each ground you are told the nearest cell.",
    acts={
        ("move_left", "move_right", "move_up", "move_down"): "turn there, and walk if the cell is free",
        "do": "collect, drink, eat or hit what is there",
        "sleep": "fall asleep, unless your energy is 9",
        "place_{WHAT}": "put stone, table, furnace or plant there",
        "make_{WHAT}": "make this tool",
        "noop": "wait",
    },
    ends=(
        "It is over after {length:turn},",
        When("rest", "and for a player whose health is 0.", "or when your health is 0."),
    ),
    unsaid={
        "spawn": "how often creatures appear is to be seen",
        "despawn": "how often creatures vanish is to be seen",
        "hunger": "told as the turns after which food falls",
        "thirst": "told as the turns after which drink falls",
        "fatigue": "told as the turns after which energy falls",
        "ripening": "told as the turns after which a plant is ripe",
    },
    constants={
        "1": "a feat, an item, a point, a hit without a sword",
        "0.1": "for a point of health",
        "0": "an empty store",
        "2": "wood for a table; hits of a wooden sword, a zombie and an arrow",
        "3": "a hit of a stone sword, health of cows and skeletons",
        "4": "food of a plant, price of a furnace",
        "5": "a hit of an iron sword, health of a zombie, turns of its rest",
        "6": "food of a cow",
        "7": "a zombie's hit on a sleeping player, and rows of the view",
        "9": "the most of each item, and columns of the view",
        "11": "turns of sleep for a point of energy",
        "16": "turns in want for a point of health",
        "26": "turns for a point of health",
        "300": "turns of a day",
        "half": "the pace of hunger and of want in sleep",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    params = s.params
    return {
        "rest": len(world.agents) - 1,
        "ripe": int(params.ripening) + 1,
        "hungry": int(params.hunger) + 1,
        "thirsty": int(params.thirst) + 1,
        "tired": int(params.fatigue) + 1,
    }
