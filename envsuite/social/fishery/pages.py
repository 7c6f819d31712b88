"""Fishery's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When
from envsuite.social.fishery.rules import ARRIVAL
from envsuite.social.fishery.view import SKINS

PAGE = Page(
    role="You are one of {players} {people} who share {place}.",
    goal="{unit} pays you 1 point. Get as many points as you can over the whole time.",
    rules=(
        (
            "At the start of a month all say at once, unseen by the others, how much they want. If they want more than "
            "there is,",
            Case(
                "rationing",
                {
                    "stochastic": "it is given out unit by unit, each to a random one of those who still want more.",
                    "proportional": (
                        "it is shared out in proportion to the requests, rounded down; what is then left over is given "
                        "out by lot."
                    ),
                },
            ),
        ),
        When(
            "language",
            (
                "After the harvest you meet.",
                When("public_catch", "The {moderator} first reads out what each one got."),
                "Then you speak one at a time, {first} first, until somebody ends the meeting or "
                "{speeches:speech/speeches} have been made. A player that is asked or accused speaks next; otherwise "
                "the next one in order does. The last limit that was proposed is on the table: its proposer "
                "supports it, and so do those whose last word on it was to agree. If more than half of those "
                "present support it at the end of the meeting, it is the limit agreed on, until there is "
                "another. Nobody is forced to keep to it.",
            ),
            "You cannot talk to each other.",
        ),
        "At the end of the month the rest is counted. {collapse_rule} {growth_rule}",
        When("newcomer", "{last} comes later, in month {arrival}, and does not learn what happened before."),
    ),
    sees=(
        "You see how much there is, and after a harvest what you got",
        When("public_catch", "and what the others got.", "but not what the others got."),
        When("universalization", "You are told what nobody may exceed if the stock is to grow back."),
    ),
    acts={
        "{verb} {N}": "ask for N {units}, in a harvest",
        "propose limit {N}": When("language", "propose that nobody asks for more than N {units} a month"),
        ("agree", "object"): When("language", "support the limit on the table, or take your support back"),
        ("ask {PLAYER}", "accuse {PLAYER}"): When("language", "give the word to another player"),
        "pass": When("language", "say nothing"),
        "end meeting": When("language", "close the meeting"),
    },
    ends="It is over after {months:month}, or as soon as too little is left.",
    unsaid={
        "stock": "the first turn shows it",
        "max_utterances": "told as the number of speeches",
        "horizon": "months",
    },
    constants={"1": "reward for a unit", "half": "of the votes"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    params, skin = s.params, SKINS[world.parameters["skin"]]
    amounts = {"growth": params.growth, "capacity": params.capacity, "collapse": params.collapse}
    return {
        "people": skin.people,
        "place": skin.place,
        "moderator": skin.moderator,
        "verb": skin.verb,
        "unit": skin.unit,
        "units": skin.caught.rpartition(" ")[2],
        "growth_rule": skin.growth.format(**amounts) + (" Fractions are dropped." if params.growth % 1 else ""),
        "collapse_rule": skin.collapse.format(**amounts),
        "first": world.agents[0],
        "last": world.agents[-1],
        "months": len(s.history),
        "arrival": ARRIVAL + 1,
        "speeches": len(s.messages) - int(params.public_catch),
    }


#: What policies say in free talk.
PHRASES = {
    "agree": ("Fine with me.", "I agree.", "Yes, let us do that.", "That sounds fair.", "You have my word."),
    "object": ("I do not agree.", "No, not that.", "That is not right for me.", "I cannot go along with it.", "No."),
    "end meeting": (
        "Let us go home.",
        "I think we are done here.",
        "That is all for today.",
        "Let us end the meeting.",
        "Nothing more to discuss.",
    ),
    "ask {}": (
        "{0}, what do you think?",
        "I would like to hear {0}.",
        "What does {0} say?",
        "{0}, what is your view?",
        "Your turn, {0}.",
    ),
    "accuse {}": (
        "{0} takes too much.",
        "{0}, you take more than your share.",
        "I am not happy with what {0} takes.",
        "The problem is {0}.",
        "{0} does not think of the rest of us.",
    ),
    "propose limit {}": (
        "Let us take at most {0} each.",
        "How about {0} for each of us?",
        "I suggest a limit of {0} each.",
        "If nobody takes more than {0}, we will be fine.",
        "My proposal is {0} per person.",
    ),
}
