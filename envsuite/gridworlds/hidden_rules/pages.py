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
                    "The test shows a video of this world: {shown:frame}, numbered from 0, each with the action that "
                    "led to it. Frame 0 is the world's start. In the last 6 frames a window of 5 rows and 7 columns is "
                    "hidden. After the video you choose which of six options the window shows in the last frame. "
                    "Before that, you can watch the video again."
                ),
                "plan": (
                    "In the test the world is at its start again, and you are shown what a window of 5 rows and 7 "
                    "columns shall look like. Act until it does."
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
            {"predict": When("explore", "wait, or see the next frame of the video", "see the next frame of the video")},
            "wait",
        ),
        ("left", "right", "up", "down"): When("acts", "press an arrow key"),
        "click {COLUMN} {ROW}": When("acts", "click on the cell in this column and row"),
        "reset": Case(
            "task",
            {
                "predict": When(
                    "explore", "take the world, or the video, back to its start", "take the video back to its start"
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
                "detect": "It is over when you have submitted a frame, when the test has {shown:frame},",
            },
        ),
        "or after {steps:step} in all.",
    ),
    unsaid={
        "rule": "it is to be found out",
        "frames": "told as the frames of a video or test",
        "walk": "how far the goal is is to be found out",
    },
    constants={
        "1": "for the test",
        "0.2": "for a very late frame",
        "0": "the first column and row",
        "5": "rows of the window",
        "7": "columns of the window",
        "6": "frames of a video with a hidden window",
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
        "shown": frames or (100 if task == "detect" else 31),
    }
