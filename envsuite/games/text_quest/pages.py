"""TextQuest's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When
from envsuite.games.text_quest import terms, view

PAGE = Page(
    role="You are the player of a text adventure. {goal}",
    goal=(
        Case(
            "rewards",
            {
                "goal": "You are paid 1 when you reach it, otherwise 0.",
                "steps": (
                    "Each of the steps toward it, such as opening a lock, pays you an equal share of 1, and the last "
                    "one pays what is left of it."
                ),
            },
        ),
        When("treasure", "One other thing ends the game if you take it."),
    ),
    rules=(
        "Rooms have exits to the north, east, south and west. A closed door must be opened, and a locked one unlocked "
        "with its key, which may lie anywhere. Containers can be closed and locked too. You can carry any number of "
        "things.",
        When(
            "cooking",
            "You read the recipe by examining the cookbook. It says for each ingredient whether it is fried on the "
            "stove, roasted in the oven or grilled on the grill, and whether it is sliced, diced or chopped. Food that "
            "is cooked twice burns. The game ends if you eat an ingredient, burn an ingredient or the meal, or cook or "
            "cut an ingredient in another way than the recipe says.",
        ),
    ),
    sees="You see what is in your room, and in and on its furniture unless it is closed.",
    acts={
        "go {DIRECTION}": "leave the room by an exit",
        "look": "see the room again",
        "inventory": "see what you carry",
        "examine {THING}": "look at a thing closely",
        ("take {THING}", "drop {THING}"): "take a thing, or put one that you carry on the floor",
        (
            "put {THING} on {PLACE}",
            "insert {THING} into {PLACE}",
        ): "put a thing that you carry on furniture or into something open",
        ("open {THING}", "close {THING}"): "open or close a door or a container",
        (
            "lock {THING} with {KEY}",
            "unlock {THING} with {KEY}",
        ): "lock or unlock it with its key, which you must carry",
        "eat {FOOD}": "eat a food that you carry",
        "cook {FOOD} with {PLACE}": "cook a food that you carry, with a stove, oven or grill in your room",
        (
            "slice {FOOD} with knife",
            "dice {FOOD} with knife",
            "chop {FOOD} with knife",
        ): "cut a food; you must carry both",
        "prepare meal": When(
            "cooking", "make the meal, in the kitchen, with all ingredients as the recipe says in your hands"
        ),
    },
    ends=(
        "It is over when you reach the goal,",
        When("risky", "when you make a mistake that ends the game,"),
        "or after {max_steps:command}.",
    ),
    unsaid={
        **dict.fromkeys(("quest_length", "rooms", "things", "obstacles"), "the house is to be explored"),
        **dict.fromkeys(("ingredients", "preparation"), "the cookbook tells the recipe"),
    },
    constants={"1": "the reward of the goal", "0": "the reward without it", "twice": "what burns food"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    seen = world.observation(s, 0)
    cooking, treasure = seen.task == terms.COOKING, seen.task == terms.TREASURE
    return {
        "goal": view.task_text(world, seen),
        "cooking": cooking,
        "treasure": treasure,
        "risky": cooking or treasure,
    }
