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
                "squares": "A power that wins is paid 1 and the others 0. If nobody has won at the end, each power is "
                "paid c x c / S, where c is the number of its centers and S is the sum of c x c over all powers.",
                "winner": "A power that wins is paid 1 and the others 0. If nobody has won at the end, all powers with "
                "centers share 1 equally.",
            },
        ),
    ),
    rules=(
        "Armies{and_fleets} stand in provinces, at most one unit in each.{walks} A year has spring moves, spring "
        "retreats, autumn moves, autumn retreats and winter; a phase in which nobody has a choice is skipped. In a "
        "phase all powers order their units one after another, unseen by the others. Then all orders are carried out "
        "at once.",
        (
            "Moves: A unit moves with strength 1, and 1 more for each support. A move succeeds if it is stronger than "
            "the unit that stays in the province and than every other move there. Units cannot swap places{by_sea}; "
            "three or more can move in a circle. A unit can support a unit of any power. An attack by another power "
            "cuts a support, unless it comes from the province against which the support is given. Dislodged units do "
            "not support{or_convoy}. A power does not dislodge its own units, nor help others to do so.",
            When(
                "sea",
                "The support of a move to a province with two coasts counts for either coast. Fleets at sea convoy an "
                "army of any power from coast to coast; if one that it needs is dislodged, the army stays. An army "
                "that is ordered to go by convoy to a neighboring province goes by land if no fleets are ordered to "
                "convoy it. Where the success of a convoy depends on itself, it fails.",
            ),
        ),
        "Retreats: A dislodged unit retreats to a province that it reaches or is disbanded. It cannot go to a province "
        "with a unit, to the one that its attacker came from{unless}, or where units kept one another out. Units that "
        "retreat to the same province are disbanded. After the autumn retreats, units take the centers on which they "
        "stand.",
        "Winter: A power with more centers than units builds units in home centers that it owns and that are empty. "
        "One with more units than centers disbands units. A power with neither is out.",
        When(
            "press",
            "Before the moves of spring and autumn, all write messages, in {press:round}. In a round you write at most "
            "one to each other power, which reads it when all have finished the round; nobody else does. Nothing that "
            "is said binds anybody. What is accepted in a later round is a promise about the next moves only. Peace: "
            "both give no order against a unit or a center of the other. Alliance: the same, and no support{convoys} "
            "for units of the enemy. To demilitarize: both make no move into the province and help none. To move: the "
            "unit does so. To support: the unit does so, and the supported one goes there or stays. Powers that send "
            "each other the same proposal of peace, of an alliance or to demilitarize have agreed on it.",
        ),
        "{atlas}",
    ),
    sees=(
        "You see all units and centers, and after moves the orders of all with their results.",
        When("press", "You see how many promises to you each power has kept and broken."),
    ),
    acts={
        "hold": "the unit stays; after `support`, the supported unit stays",
        "to {PROVINCE}": "the unit moves or retreats there; after `support`{or_convoy_act}, that unit goes there",
        "to {PROVINCE} by convoy": When("sea", "the army moves there by convoy"),
        "support {PROVINCE}": "support the unit there; your next action says what it does",
        "convoy {PROVINCE}": When("sea", "convoy the army there; your next action says where it goes"),
        "disband {PROVINCE}": "disband the unit there",
        ("build army {PROVINCE}", "build fleet {PROVINCE}"): When("sea", "build a unit there"),
        "build army {CENTER}": When("sea", "", "build an army there"),
        "waive": "build nothing for one unit; or leave all disbands to the rules: the units farthest from home go "
        "first{fleets_first}, then in alphabetical order",
        "propose peace to {POWER}": When("press", "propose peace"),
        "ally with {POWER} against {ENEMY}": When("many", "propose an alliance"),
        "ask {POWER} to demilitarize": When("press", "propose that both keep out of a province"),
        "ask {POWER} to move": When("press", "ask it to move one of its units"),
        "ask {POWER} to support": When("press", "ask it to support one of your units"),
        "name {PROVINCE}": When("press", "after `ask`: the province, or that of the unit; then say where it goes"),
        ("accept proposal of {POWER}", "reject proposal of {POWER}"): When("press", "answer its newest open proposal"),
        "warn {POWER}": When("press", "send a warning, which promises nothing"),
        "say no more": When("press", "finish the round"),
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
        "or_convoy_act": " or `convoy`" if sea else "",
        "fleets_first": ", fleets before armies" if sea else "",
        "convoys": " or convoy" if sea else "",
        "unless": " (unless by convoy)" if sea else "",
        "many": world.press and len(world.agents) > 2,
        "atlas": map_words(land.rows),
    }
