"""NeuralMMO's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When, listed
from envsuite.gridworlds.neural_mmo import items, rules

PAGE = Page(
    role="You live on wild land{company}.",
    goal=(
        "You are paid {survive} for your death,",
        When("resource", "{forage} per point of food or water gained,"),
        When("combat", "{fight} per point of health taken from others,"),
        When("exchange", "{earn} per gold gained, {lose} per gold spent (at most {earn_most} a turn),"),
        When("tasks", "{task} for your task,"),
        "and {explore:.4g} per cell farther from the border than ever before.",
    ),
    rules=(
        (
            "The map has {size} x {size} cells; north is up. You cannot enter water or stone; a cell has room for all. "
            "Moves come last."
        ),
        When(
            "resource",
            (
                "Food, water and health are 100 at most. Each turn you gain 10 health if food and water are above 50, "
                "and lose 10 for each that is 0. Then both fall by 5; beside water, water is 100; on foliage, which "
                "becomes scrub, food is 100. Scrub regrows with a chance of {regrowth}."
            ),
            "You need neither food nor water.",
        ),
        When(
            "combat",
            (
                "Attacks reach {reach} rows and columns.",
                Case(
                    "order", {"random": "Players attack in random order,", "number": "Players attack by their numbers,"}
                ),
                When("creatures", "then creatures; the dead do nothing more.", "and the dead do nothing more."),
                When("immunity", "Players cannot attack one younger than {immunity:turn}."),
                "Damage, rounded down, is m x offense - defense, at least offense / 4.",
                When(
                    "progression",
                    (
                        (
                            "m is 1.5 if your style beats that in which the target has most experience, else 1: mage "
                            "beats melee, melee range, range mage. Your offense is 10 + 5 x your level in the style, "
                            "your defense 5 x your best level."
                        ),
                        When(
                            "items",
                            "Attacks give levels.",
                            "An attack gives 6 points in its style; levels 1 to 10 need {levels} points.",
                        ),
                    ),
                    "Here m is 1, your offense 10 and your defense 0.",
                ),
            ),
            "Nobody can attack.",
        ),
        When(
            "creatures",
            (
                (
                    "Creatures begin with 100 health and gain 1 per turn; dead ones are replaced. Passive ones, near "
                    "the border, wander; neutral ones go for attackers; hostile ones, in the middle, for players "
                    "within {sight} cells."
                ),
                When(
                    "equipped",
                    When(
                        "progression",
                        "Levels rise to {creature_level} in the middle; offense and defense are up to 8 x level.",
                        "Their offense and defense are 0.",
                    ),
                    "Their offense is 10, their defense 0.",
                ),
            ),
        ),
        When(
            "items",
            (
                (
                    "Your bag has {bag} places. You wear a hat, a top, a bottom, one thing in the hand and one "
                    "ammunition, which attacks use up."
                ),
                When("equipped", "Worn things add offense or defense by grade."),
                (
                    "They need a level of their grade. For 3 turns after a fight you cannot deal with items. Killers "
                    "get items of players{loot}."
                ),
            ),
        ),
        When(
            "professions",
            (
                "Fish beside you and herb, ore, tree or crystal under you become rations, potions, whetstones, arrows "
                "or runes, grade 1, or 1 above your rod, gloves, pickaxe, axe or chisel. It gives levels too."
            ),
        ),
        When("exchange", "You begin with 1 gold; killers get that of the dead. Offers stand for 3 turns."),
        When(
            "fog",
            (
                "In turn t fog takes t - {fog} - d health, if positive, d cells from the border, but none up to "
                "{fog_core:cell} from the middle."
            ),
        ),
    ),
    sees=(
        When(
            "tokens",
            "You see {sight} cells around you and the {seen} nearest others there, with what each said last.",
            "You see {sight} cells in each direction, and the {seen} nearest others there.",
        ),
    ),
    acts={
        ("north", "south", "east", "west", "stay"): "move or not",
        ("melee {N}", "range {N}", "mage {N}"): When("combat", "attack number N of the others"),
        "use {N}": When("items", "wear, take off or consume item N"),
        ("destroy {N}", "give {N} to {M}"): When("items", "if not worn; M is one of the others"),
        "sell {N} for {PRICE}": When("exchange", "offer item N"),
        ("buy cheap {KIND}", "buy fine {KIND}"): When("exchange", "the cheapest or best on offer"),
        "pay {GOLD} to {M}": When("exchange", "to one of the others"),
        "say {N}": When("tokens", "all near you hear it"),
    },
    ends="It ends when your health is 0, and after {horizon:turn}.",
    unsaid={
        "players": "told as the number of others",
        "scattered": "what the land looks like is to be seen",
        "weights": "told as what each thing pays",
    },
    constants={
        "0": "an empty store, no defense",
        "1": "the lowest level, a creature's recovery, the first gold",
        "3": "turns after a fight, turns of an offer",
        "4": "a part of the offense that always counts",
        "5": "what a turn uses, and offense and defense per level and grade",
        "6": "points of an attack",
        "8": "power of creatures per level",
        "1.5": "a style that beats another",
        "10": "offense, recovery, levels",
        "50": "enough food and water",
        "100": "the most of food, water and health",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    on, size = world.parameters, int(world.parameters["size"])
    given = list(on["weights"])
    paid = [name for name in rules.OBJECTIVES if {"earn": on["exchange"], "task": on["tasks"]}.get(name, True)]
    weights = dict.fromkeys(rules.OBJECTIVES, 0.0) | dict(zip(paid, given + given[-1:] * len(paid)))
    left = ["clothes"] * bool(on["equipped"]) + ["tools"] * bool(on["professions"])
    others = [(len(world.agents) - 1, "other player"), (on["creatures"], "creature")]
    company = [f"{count} {name}{'s' * (count > 1)}" for count, name in others if count]
    return {
        "company": f" with {listed(company)}" if company else "",
        "survive": 0.0 - weights["survive"],
        "forage": weights["forage"] / rules.MOST,
        "fight": weights["fight"] / rules.MOST,
        "explore": weights["explore"] / ((size - 1) // 2),
        "earn": weights["earn"] / 100,
        "lose": 0.0 - weights["earn"] / 100,
        "earn_most": weights["earn"],
        "task": weights["task"],
        "sight": rules.SIGHT,
        "reach": rules.REACH,
        "seen": rules.SEEN,
        "bag": items.BAG,
        "levels": items.THRESHOLDS.tolist(),
        "loot": f", and {' and '.join(left)} of creatures" if left else "",
    }
