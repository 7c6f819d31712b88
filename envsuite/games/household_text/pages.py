"""HouseholdText's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.games.household_text import terms
from envsuite.games.household_text.levels import chore_in_words
from envsuite.kit.things import ROOM

PAGE = Page(
    role=(
        "You do a chore in a house: {chore}.",
        When("looking", "It is done while you hold the object and a lamp is lit where you are."),
    ),
    goal="You are paid 1 when it is done, otherwise 0.",
    rules=(
        "Objects are in or on receptacles. You are at one receptacle at a time, at first at none, and you can only do "
        "something where you are. A receptacle that is closed must be opened before you can see what is in it, take "
        "something out or put something in. Your hands hold one object at most, and not every object may be put "
        "everywhere.",
        "What is in your hands can be cleaned at the sink, heated at the microwave and cooled at the fridge; these "
        "need not be opened for that. Clean, hot and cold objects stay so, but heating makes a cold object hot, and "
        "cooling makes a hot object cold. Not every object can be cleaned, heated, cooled or sliced.",
        "The receptacles: {places}.",
    ),
    sees=When(
        "known",
        "You know from the start where everything is.",
        "You see what is in or on a receptacle only when you are there.",
    ),
    acts={
        "go to {PLACE}": "go to a receptacle",
        ("open {PLACE}", "close {PLACE}"): "open or close the receptacle where you are",
        "take {OBJECT}": "take an object from the receptacle where you are",
        (
            "put {OBJECT} in {PLACE}",
            "put {OBJECT} on {PLACE}",
        ): "put the object that you hold into or onto the receptacle where you are",
        (
            "clean {OBJECT}",
            "heat {OBJECT}",
            "cool {OBJECT}",
        ): "clean, heat or cool the object that you hold, at the sink, the microwave or the fridge",
        "slice {OBJECT}": "slice an object where you are, with a knife in your hands",
        "use {LAMP}": "switch a lamp where you are on or off",
        (
            "examine {THING}",
            "look",
            "inventory",
        ): "look at a thing, at what is here, or at what you hold; each counts as a command",
    },
    ends="It is over when the chore is done, or after {horizon:command}.",
    unsaid={"objects": "which objects there are is to be found out"},
    constants={"1": "the reward", "0": "the reward without the goal"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    seen = world.observation(s, 0)
    places = [name for k, name in enumerate(terms.NAMES[: terms.PLACES]) if seen.places[k] == ROOM]
    return {"chore": chore_in_words(s.level), "looking": s.level.task == terms.LOOKED, "places": places}
