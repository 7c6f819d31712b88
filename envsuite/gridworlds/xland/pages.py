"""XLand's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When
from envsuite.gridworlds.xland.rules import VIEW

PAGE = Page(
    role=When(
        "several",
        "You are one of {players} players in rooms with things in them.",
        "You walk through rooms with things in them.",
    ),
    goal=When(
        "several",
        "You have a goal, which may be about others too. You are paid 1 for each turn after which it is true.",
        "Reaching your goal with action number t{of_trial} pays you 1 - 0.9 x t / {steps}.",
    ),
    rules=(
        (
            "The map has {size} x {size} cells, walls included, and {rooms:room}{doors}. Balls, squares, pyramids, "
            "keys, hexes and stars of several colors lie about, and flat goal tiles. You walk on floor, goal tiles and "
            "open doors. You can hold one thing."
        ),
        When(
            "ruled",
            (
                "Things turn into others by production rules,",
                Case(
                    "told",
                    {
                        "rules": "which you are told.",
                        "goal": "which you are not told.",
                        "nothing": "which you are not told.",
                    },
                ),
                (
                    "They have these forms. Hold a makes c: if you hold a after `pick up`, it becomes c. A beside "
                    "player makes c: after `forward`, every a in the four cells beside you becomes c. A above player "
                    "makes c: after `forward` and `put down`, an a in the cell above you becomes c. B beside a makes "
                    "c: after `put down`, if a or b is in the cell ahead, each one of the other kind in the four cells "
                    "beside it becomes c, and the cell ahead becomes floor. B above a makes c: likewise, but only if b "
                    "is above a. The same goes for right of, below and left of. Above is north, whatever you face. The "
                    "rules are applied in their order, each to what the earlier ones have left, also if the action had "
                    "no effect."
                ),
            ),
        ),
        When(
            "several",
            (
                (
                    "A goal has up to three clauses of up to three statements. It is true if all statements of one "
                    "clause are. X near y: x is in one of the four cells beside y. X on a: player x stands on goal "
                    "tile a. X holds a: player x holds a. X sees y: y is in the view of player x, with no wall or "
                    "closed door between them."
                ),
                Case(
                    "goals",
                    {
                        "random": "Each player has a goal of its own.",
                        "common": "All players have the same goal.",
                        "opposed": "The goal of {seconds} is the opposite of that of {firsts}.",
                    },
                ),
                (
                    "All act at once. An action has no effect in a cell in which another player stands, or on which "
                    "another player acts too. Then the rules are applied to the actions in the order of the players' "
                    "numbers."
                ),
            ),
            (
                (
                    When(
                        "ruled",
                        (
                            "A goal has a form like those of rules, and is tested after them, only after the actions "
                            "of that form."
                        ),
                        (
                            "A goal has one of these forms. Hold a: you hold a after `pick up`. A beside player: an a "
                            "is in one of the four cells beside you after `forward`. A above player: an a is in the "
                            "cell above you after `forward` or `put down`. B beside a: after `put down`, one of the "
                            "two is in the cell ahead and the other one beside it. B above a: likewise, with b above "
                            "a. The same goes for right of, below and left of. Above is north, whatever you face."
                        ),
                    ),
                    "Not every goal can be reached.",
                )
            ),
        ),
        When(
            "more",
            (
                "There are {trials} trials. In each the goal, the rules and the first things are the same, but the "
                "map, the doors and all places are new."
            ),
        ),
    ),
    sees=(
        (
            "You see {view} x {view} cells: those ahead, from your own cell in the middle of the nearest row. Walls "
            "hide nothing."
        ),
        Case("told", {"nothing": "You are not told your goal."}),
        When("pocket", "", "You do not see what you hold."),
    ),
    acts={
        "forward": "walk to the cell ahead",
        ("right", "left"): "turn",
        "pick up": "take the thing ahead, if you hold nothing; not a goal tile",
        "put down": "put what you hold onto the floor ahead",
        "toggle": "open or close the door ahead; a locked one opens if you hold the key of its color, which you keep",
    },
    ends=When(
        "several",
        When(
            "more",
            "A trial ends after {steps:turn}, and all is over after the last one.",
            "It is over after {steps:turn}.",
        ),
        When(
            "more",
            "A trial ends at the goal or after {steps:action}, and all is over after the last one.",
            "It is over at the goal, or after {steps:action}.",
        ),
    ),
    unsaid={"difficulty": "how many rules there are is told with them, or to be found out"},
    constants={
        "1": "for the goal",
        "0.9": "of the reward for time",
        "four": "cells beside one",
        "two": "things of a rule",
        "three": "clauses and statements at the most",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    on = world.parameters
    return {
        "several": on["players"] > 1,
        "ruled": on["difficulty"] != "trivial",
        "doors": " with closed doors between them" if on["rooms"] > 1 else "",
        "more": on["trials"] > 1,
        "of_trial": " of a trial" if on["trials"] > 1 else "",
        "firsts": list(world.agents[::2]),
        "seconds": list(world.agents[1::2]),
        "steps": int(s.params.steps),
        "view": VIEW,
    }
