"""ScienceLab's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page
from envsuite.games.science_lab import terms
from envsuite.games.science_lab.levels import task_in_words

PAGE = Page(
    role=(
        "You do a task of elementary science in a house with a hall, a kitchen, a laboratory, a workshop, a "
        "greenhouse and a garden."
    ),
    goal=(
        "Your task: {task} Doing it is worth {last} points. Two steps toward it are worth {points} points, each once "
        "and in any order. Each point pays you 0.01."
    ),
    rules=(
        "Each command takes one step of time. You can carry any number of things. Substances are in vessels: pour "
        "them into another vessel, or carry the vessel. Water runs into the sink while it is on, if there is no water "
        "elsewhere.",
        "Heat: it is {stove} degrees on the stove and {furnace} in the furnace while they are on, {freezer} in the "
        "freezer while it is closed, and {air} elsewhere. In each step the temperature of a substance moves by an "
        "eighth of the difference toward that of the place where its vessel is.",
        "Electricity: a thing has two contacts, each for one end of a wire. The things at the two ends of a wire must "
        "lie in the same place; what you carry cannot be connected. Current flows in a ring with the battery if "
        "everything in it conducts. A switch conducts while it is on. A connected wire and what it is connected to "
        "cannot be taken.",
        "Plants: a seed grows in the flower pot while it has soil, is wet and stands in the greenhouse or the garden. "
        "Water keeps the pot wet for {wet:step}.",
        "Paints: some pairs of paints in one vessel can be mixed to another paint, which uses both up; the paint chart "
        "says which.",
    ),
    sees="You see what is in your room, unless it is in something closed.",
    acts={
        "go to {ROOM}": "go to a room next to yours",
        ("look", "inventory", "wait"): "see your room, see what you carry, or let a step pass",
        "read paint chart": "read which paints can be mixed",
        ("open {X}", "close {X}", "turn on {X}", "turn off {X}"): "change something in your room",
        ("take {X}", "put {X} in {Y}", "put {X} on {Y}"): "take a thing, or put it into or onto furniture or a box",
        "plant {SEED} in flower pot": "plant a seed that you carry",
        "pour {X} into {VESSEL}": "pour a substance; the flower pot takes only water and soil",
        "mix {VESSEL}": "stir what is in a vessel",
        ("connect {WIRE} to {X}", "disconnect {WIRE}"): "connect a free end of a wire, or take both ends off",
        "measure {X}": "measure the temperature of a substance, with the thermometer in your hands",
        "focus on {X}": "point out a thing that the task is about",
    },
    ends=(
        "It is over when the task is done, after {horizon:command}, and as soon as you give a wrong answer or focus on "
        "a thing that the task does not ask for."
    ),
    unsaid={"tasks": "one of them is the task", "difficulty": "how the things are scattered is to be found out"},
    constants={
        "0.01": "the reward of a point",
        "two": "contacts of things and ends of wires",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    heat = {"stove": terms.STOVE_HEAT, "furnace": terms.FURNACE_HEAT, "freezer": terms.FREEZER_COLD, "air": terms.AIR}
    return {
        **heat,
        "task": task_in_words(s.level),
        "points": terms.POINTS[:-1].tolist(),
        "last": terms.POINTS[-1],
        "wet": terms.WET_STEPS,
    }
