"""WebForms' page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.games.web_forms.rules import Task

PAGE = Page(
    role="You carry out an instruction on a web page.",
    goal=(
        "At the end you are paid 1 if everything is done, and -1 otherwise.",
        When(
            "boxes",
            "If you submit other boxes than those wanted, you are paid the mean of 1 for each box that is as "
            "wanted and -1 for each other one.",
        ),
        When("decay", "A pay above 0 is multiplied by 1 - n / {max_steps}, where n is the number of your steps."),
    ),
    rules=(
        (
            When(
                "many",
                "The instruction names {number} tasks, each in a form of its own, and their order. A form that has "
                "been done correctly leaves the page, apart from the last one.",
                "The instruction names one task.",
            ),
            "In a form with a button Submit, the task ends with a click on it, and the form must then hold what is "
            "wanted and nothing else. In any other form, the task ends with the first click on a button, a link or a "
            "cell{but}.",
        ),
        "A click on a box checks it or unchecks it. A click on a section opens it and closes the others, or closes it. "
        "A click on an option, a tab or an entry of a menu selects it instead of the others beside it. A click on "
        "a list opens or closes it, and a click on an item chooses it; at first the first item is chosen. A click on a "
        "field gives it the focus, and any other click takes the focus away. What you type goes into the field with "
        "the focus and replaces what it holds.",
        When(
            "search",
            "A search shows results, on several tabs; result 1 is the first one on the first tab, and they "
            "are counted on from tab to tab. Typing closes the results.",
        ),
        When(
            "grid",
            "The cells of a grid are listed row by row from the top. On it, x goes from {low} in the leftmost "
            "column to {high}, and y from {low} in the lowest row to {high}.",
        ),
    ),
    sees="You see the instruction with its words, and all elements of the page that are open.",
    acts={
        "click {K}": "click the element with the number K",
        "type {K}": "type word number K of the instruction into the field with the focus",
        "enter": "press the key, which does nothing",
    },
    ends=(
        When(
            "many",
            "It is over with an error, with a task that you do before its turn, or when all tasks are done,",
            "It is over when the task ends,",
        ),
        "and in any case after {max_steps:step}.",
    ),
    unsaid=dict.fromkeys(("tasks", "order"), "each turn shows the instruction"),
    constants={"1": "success, and the first result", "0": "no pay"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    tasks = s.tasks[: s.number].tolist()
    return {
        "number": len(tasks),
        "many": len(tasks) > 1,
        "boxes": tasks == [Task.CHECKBOXES],
        "search": Task.SEARCH in tasks,
        "but": ", other than the button Search" if Task.SEARCH in tasks else "",
        "grid": Task.GRID in tasks,
        "low": -2,
        "high": 2,
    }
