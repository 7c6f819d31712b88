"""Diplomacy's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When
from envsuite.games.diplomacy.view import map_words

PAGE = Page(
    role="You are {power}, one of {everyone} powers that fight for the supply centers of a map.",
    goal=(
        "You win as soon as you own {win} of the {centers} centers after an autumn.",
        Case(
            "reward",
            {
                "centers": "Each center that you gain pays you 1, and each that you lose costs you 1.",
                "squares": "A win pays 1, and the win of another power 0. If nobody wins, you are paid c x c / S, "
                "where c is the number of your centers and S the sum of c x c over all powers.",
                "winner": "A win pays 1, and the win of another power 0. If nobody wins, all powers with centers share "
                "1 equally.",
            },
        ),
    ),
    rules=(
        "Armies{and_fleets} stand in provinces, at most one unit in each.{walks} A year has spring moves and retreats, "
        "autumn moves and retreats, and winter; a phase in which nobody has a choice is skipped. In a phase all powers "
        "order their units one after another, unseen by the others. Then all orders are carried out at once.",
        (
            "Moves: A unit has strength 1, and 1 more for each support. It moves if it is stronger than the unit that "
            "stays there and than every other move there. Units cannot swap places{by_sea}; three or more "
            "can move in a circle. You can support units of any power. An attack by another power cuts a support, "
            "unless it comes from the province against which the support is given. Dislodged units do not "
            "support{or_convoy}. A power does not dislodge its own units, nor help others to do so.",
            When("coasts", "The support of a move to a province with two coasts counts for either."),
            When(
                "sea",
                "Fleets at sea convoy an army of any power from coast to coast; the army stays if a fleet that it "
                "needs is dislodged. Ordered to go by convoy to a neighboring province, it goes by land if no fleets "
                "are ordered to convoy it. A convoy whose success depends on itself fails.",
            ),
        ),
        "Retreats: A dislodged unit goes to a province that it reaches or is disbanded. It cannot go where a unit is, "
        "where its attacker came from{unless}, or where units kept one another out. Units that retreat to the same "
        "province are disbanded. After the autumn retreats, units take the centers on which they stand.",
        "Winter: A power with more centers than units builds as many as it lacks, in empty home centers that it owns. "
        "One with more units than centers disbands the surplus. A power with neither is out.",
        When(
            "press",
            "Before the moves of spring and autumn, all write messages in {press:round}: in each, at most one to each "
            "other power, which alone reads it after the round. Nothing said binds anybody. A proposal "
            "that is accepted in a later round is a promise about the next moves only. So is one of peace, of an "
            "alliance or to demilitarize if both powers make it to each other.",
        ),
        "{atlas}",
    ),
    sees=(
        "You see all units and centers, and after moves the orders of all with their results.",
        When("press", "You see how many promises to you each power has kept and broken."),
    ),
    acts={
        "hold": "the unit stays",
        "to {PROVINCE}": "the unit moves or retreats there",
        "to {PROVINCE} by convoy": When("sea", "the army moves there by convoy"),
        "support {PROVINCE}": "support the unit there; your next action says what it does",
        "convoy {PROVINCE}": When("sea", "convoy the army there; your next action says where it goes"),
        "disband {PROVINCE}": "disband the unit there",
        ("build army {PROVINCE}", "build fleet {PROVINCE}"): When("sea", "build a unit there"),
        "build army {CENTER}": When("sea", "", "build an army there"),
        "waive": "build nothing for one unit, or leave disbands to the rules: units farthest from home "
        "first{fleets_first}, then by the alphabet",
        "propose peace to {POWER}": When("press", "propose that neither attacks the other, or helps to do so"),
        "ally with {POWER} against {ENEMY}": When(
            "many", "propose the same, and that neither supports{convoys} units of the enemy"
        ),
        "ask {POWER} to demilitarize": When("press", "propose that neither moves into a province, or helps to do so"),
        "ask {POWER} to move": When("press", "ask it to order one of its units as you say"),
        "ask {POWER} to support": When("press", "ask it to support a unit of yours as you say"),
        "name {PROVINCE}": When("press", "after `ask`: the province, or that of the unit; then say what it does"),
        ("accept proposal of {POWER}", "reject proposal of {POWER}"): When("press", "answer its newest open proposal"),
        "warn {POWER}": When("press", "warn it, which promises nothing"),
        "say no more": When("press", "finish the round"),
        "write to {POWER}": When("letters", "write to it without any of these"),
    },
    ends="The game is over when a power has won, or after the autumn of {last_year}.",
    unsaid={"map": "told by its provinces"},
    data=("atlas",),
    constants={"1": "strength, a center, a win", "0": "those who lose", "two": "coasts", "three": "units in a circle"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    land, sea = world.land, "sea" in world.land.kinds
    return {
        "power": world.agents[agent].title(),
        "win": land.win,
        "centers": len(land.centers),
        "sea": sea,
        "and_fleets": " and fleets" if sea else "",
        "walks": " Armies move on land, fleets at sea and along coasts." if sea else "",
        "by_sea": ", except by convoy" if sea else "",
        "or_convoy": " or convoy" if sea else "",
        "coasts": any("/" in code for code in land.codes),
        "fleets_first": ", fleets before armies" if sea else "",
        "convoys": " or convoys" if sea else "",
        "unless": " (unless by convoy)" if sea else "",
        "letters": world.neutral,
        "many": world.press and len(world.agents) > 2,
        "atlas": map_words(land.rows),
    }


#: What policies say beside their messages.
PHRASES = {
    "propose peace to {}": (
        "Let there be peace between us, {0}.",
        "{0}, I would like to keep the peace with you this turn.",
        "I will leave you alone, {0}, if you leave me alone.",
        "{0}, how about a truce for these moves?",
        "We have nothing to gain from a fight, {0}.",
    ),
    "ask {} to demilitarize": (
        "{0}, there is a province that both of us should stay out of.",
        "Let us keep a buffer between us, {0}.",
        "{0}, I suggest that neither of us moves in there.",
        "I would like one province empty between us, {0}.",
        "{0}, can we agree on a province where nobody goes?",
    ),
    "ask {} to move": (
        "{0}, I have a request about one of your units.",
        "{0}, would you order a unit for me?",
        "I have an idea for one of your units, {0}.",
        "{0}, please do something with a unit of yours.",
        "May I ask you for a move, {0}?",
    ),
    "ask {} to support": (
        "{0}, I need your support for one of my units.",
        "Would you support me this turn, {0}?",
        "{0}, could one of your units help mine?",
        "I ask you for a support, {0}.",
        "{0}, back me up with one of your units, please.",
    ),
    "accept proposal of {}": (
        "Agreed, {0}.",
        "{0}, I accept what you propose.",
        "You have my word, {0}.",
        "{0}, that works for me.",
        "Yes, {0}, let us do it.",
    ),
    "reject proposal of {}": (
        "No, {0}.",
        "{0}, I cannot accept that.",
        "I have to turn that down, {0}.",
        "{0}, that does not work for me.",
        "Not this time, {0}.",
    ),
    "warn {}": (
        "{0}, be careful.",
        "I am watching you, {0}.",
        "{0}, do not try anything against me.",
        "Take this as a warning, {0}.",
        "{0}, you will regret an attack on me.",
    ),
    "ally with {} against {}": (
        "{0}, let us work together against {1}.",
        "{1} is a danger to both of us, {0}.",
        "{0}, join me against {1}.",
        "Together we can stop {1}, {0}.",
        "{0}, I propose an alliance against {1}.",
    ),
}
