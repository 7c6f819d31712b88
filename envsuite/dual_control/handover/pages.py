"""Handover's pages for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, Pattern, Text, When, listed

_GOAL: Text = (
    Case(
        "reward",
        {
            "success": "When all repairs of the plan are done, {both} 1.",
            "progress": "Each repair pays an equal share of 1, {to}.",
        },
    ),
    When("penalty", When("alone", "Each error costs you {penalty}.", "Each error costs both of you {penalty}.")),
)
_RULES: Text = (
    (
        "A hall of {size} by {size} cells, walls included, has {parts:numbered part} of a machine. A plan lists the "
        "{length:part} to repair and for each the operation: {operations}. Some repairs also need another part to be "
        "repaired before. No cell is beside two parts.",
        When("alone", "You may touch all parts.", "A tag on each part says who may touch it: guide, worker, or both."),
    ),
    (
        "You operate on the part beside you. It is repaired if this is its operation in the plan, and the part that "
        "it needs was repaired in an earlier step. Any other operation is an error, which changes nothing.",
        When(
            "handover",
            (
                "To fit a part you need a spare, which is then used up; you can hold one, and still do everything "
                "else. Spares come from the store.",
                When("alone", "", "Only one of you may take from it, and must give the other what it needs."),
            ),
        ),
    ),
    When(
        "alone",
        "",
        "You both act at the same time. All operations come first{spares}; then the guide moves, then the worker. You "
        "cannot enter a cell where the other stands. Speaking takes a step too, and the other hears it after that "
        "step. You decide together what words mean.",
    ),
)
_ACTS: Mapping[Pattern, Text] = {
    ("north", "south", "east", "west"): "move by one cell; north is up",
    "noop": "do nothing",
    ("turn", "press", "pull"): "operate on the part beside you, if you may touch it and it is not repaired",
    "fit": When("handover", "operate so with a spare"),
    "take": When("handover", "take a spare, beside the store"),
    "give": When("gives", "give your spare to the other, beside it, if it holds none"),
    ("name: {OPERATION}", "confirm", "ask", "done", "not understood"): When("alone", "", "say this"),
    ("point: part {N}", "point: store"): When("gives", "point at it, in any place of the hall"),
    "point: part {K}": When("pointless", "point at it, in any place of the hall"),
    "say": When("says", "speak; by itself it tells nothing"),
}
_ENDS = "It is over when all repairs of the plan are done, after {max_errors:error}, and after {max_steps:step}."
_UNSAID = {
    "common": "the tags show it",
    "ordered": "the plan shows it",
    "pillars": "the map shows it",
}
_CONSTANTS = {"1": "the reward of success", "0": "the first row and column", "two": "parts"}
_PLACES = "In texts, rows and columns are counted from 0 at the top left."

PAGES = {
    "guide": Page(
        role=When(
            "alone", "You repair a machine, and know how.", "You are the guide. You and the worker repair a machine."
        ),
        goal=_GOAL,
        rules=_RULES,
        sees=(
            "You know the plan.",
            When(
                "alone",
                "",
                (
                    When("oracle", "So does the worker.", "The worker does not."),
                    "A lamp shows that a part is repaired; you see those of the parts that you may touch.",
                ),
            ),
            _PLACES,
        ),
        acts=_ACTS,
        ends=_ENDS,
        unsaid=_UNSAID,
        constants=_CONSTANTS,
    ),
    "worker": Page(
        role="You are the worker. You and the guide repair a machine.",
        goal=_GOAL,
        rules=_RULES,
        sees=(
            When("oracle", "You both know the plan.", "Only the guide knows the plan."),
            "A lamp shows that a part is repaired; you see those of the parts that you may touch.",
            _PLACES,
        ),
        acts=_ACTS,
        ends=_ENDS,
        unsaid=_UNSAID,
        constants=_CONSTANTS,
    ),
}


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    handover = world.parameters["handover"]
    return {
        "alone": world.alone,
        "says": world.neutral,
        "oracle": world.parameters["mode"] == "oracle_plan",
        "both": "you get" if world.alone else "both of you get",
        "to": "to you" if world.alone else "to both of you",
        "operations": listed(("turn", "press", "pull", "fit")[: 4 if handover else 3], "or"),
        "spares": "; then spares are given, then taken" if handover else "",
        "gives": not world.alone and handover,
        "pointless": not world.alone and not handover,
    }


#: What policies say in free talk.
PHRASES = {
    "name: {}": (
        "The operation is {0}.",
        "What I mean is {0}.",
        "It needs this: {0}.",
        "The word for it is {0}.",
        "I am talking about {0}.",
    ),
    "confirm": ("Yes.", "That is right.", "Exactly.", "Yes, I agree.", "Right, like that."),
    "ask": (
        "What now?",
        "What should I do next?",
        "I have a question: what comes now?",
        "Can you tell me more?",
        "What do you need from me?",
    ),
    "done": ("Done.", "That is finished.", "I have done it.", "Ready with that.", "It is done now."),
    "not understood": (
        "I did not understand that.",
        "Say that again, please?",
        "What do you mean?",
        "I do not follow.",
        "Sorry, that was not clear to me.",
    ),
    "point: store": (
        "Look at the store.",
        "I mean the store over there.",
        "It is about the store.",
        "The store, please.",
        "I am pointing at the store.",
    ),
    "point: {}": (
        "Look at {0}.",
        "I mean {0} over there.",
        "It is about {0}.",
        "That one: {0}.",
        "I am pointing at {0}.",
    ),
}
