"""HiddenRules' page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role=When(
        "explore",
        "You find out by acting how a small world works, and then there is a test.",
        "You take a test about how a small world works.",
    ),
    goal=Case(
        "task",
        {
            "predict": "Only the test pays: 1 for the right option, -1 for a wrong one.",
            "plan": "Only the test pays: 1 for the goal.",
            "detect": (
                "Only the test pays: 1 for the first frame after the rule has changed or the frame before it, less for "
                "a later frame, down to 0.2, and -1 for an earlier frame, or if the rule has not changed yet."
            ),
        },
    ),
    rules=(
        (
            "The world is a grid of {size} x {size} colored cells. Nobody tells you its rules.",
            When(
                "explore",
                (
                    "First you explore: you act in the world and see what happens. You can take it back to its start. "
                    "The test begins when you say so, or after {explore:step} of exploring."
                ),
                "The test begins at once.",
            ),
        ),
        Case(
            "task",
            {
                "predict": (
                    "In the test you see a film of {film:frame} that begins at the start of this world. You see one "
                    "frame at a time, each with the action before it. In the last 6 frames a window of 5 x 7 cells "
                    "is hidden. After the film you choose which of six options the window shows in the last frame. You "
                    "can see the film again before that."
                ),
                "plan": (
                    "In the test the world is at its start again, and you are shown what a window of 5 x 7 cells shall "
                    "look like. Act until it does."
                ),
                "detect": (
                    "In the test the world is at its start again, and you act in it. At some moment its rule changes. "
                    "From the third step on you can say that you have found that. Then you look at the frames of the "
                    "test, and submit the one from which on the rule has changed."
                ),
            },
        ),
    ),
    sees=(
        "You see the whole grid after each step, in letters for colors. Columns and rows are counted from 0 at the top "
        "left."
    ),
    acts={
        "noop": Case(
            "task",
            {"predict": When("explore", "wait, or see the next frame of the film", "see the next frame of the film")},
            "wait",
        ),
        ("left", "right", "up", "down"): When("acts", "press an arrow key"),
        "click {COLUMN_ROW}": When("acts", "click on a cell: its column, then its row"),
        "reset": Case(
            "task",
            {
                "predict": When(
                    "explore", "take the world or the film back to its start", "take the film back to its start"
                )
            },
            When("explore", "take the world back to its start while you explore"),
        ),
        "test": When("explore", "begin the test"),
        "option {N}": When("predicts", "choose what the window shows"),
        "found": When("detects", "say that the rule has changed"),
        "frame {N}": When("detects", "look at this frame"),
        "submit": When("detects", "choose the frame that you look at"),
    },
    ends=(
        Case(
            "task",
            {
                "predict": "It is over when you have chosen,",
                "plan": "It is over at the goal,",
                "detect": "It is over when you have submitted a frame, when the test has {film:frame},",
            },
        ),
        "or after {steps:step} in all.",
    ),
    unsaid={
        "rule": "it is to be found out",
        "frames": "told as the frames of a film or test",
        "walk": "how far the goal is is to be found out",
    },
    constants={
        "1": "for the test",
        "0.2": "for a very late frame",
        "0": "the first column and row",
        "5": "rows of the window",
        "7": "columns of the window",
        "6": "frames of a film with a hidden window",
        "six": "options",
        "third": "the first step from which on a change can be reported",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    task, frames = world.parameters["task"], world.parameters["frames"]
    return {
        "predicts": task == "predict",
        "acts": task != "predict" or world.parameters["explore"],
        "detects": task == "detect",
        "film": frames or (100 if task == "detect" else 31),
    }
