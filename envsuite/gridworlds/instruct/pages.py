"""Instruct's page for players; of the rules of missions, those of the mission of the episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, When
from envsuite.gridworlds.instruct import language
from envsuite.kit import rooms

PAGE = rooms.page(
    role="You carry out a mission in a building of rooms. Your mission: {mission}.",
    success="Completing the mission",
    rules=(
        (
            "{building} {size} x {size} cells, walls included. You walk onto free cells and through open doors. You "
            "carry one object at a time. Objects are keys, balls and boxes."
        ),
        (
            When("goes", "To go to something means to have it in front of you after an action."),
            When("opens", "To open a door means to toggle it so that it is open in front of you."),
            When(
                "puts",
                (
                    "To put a thing next to another means to drop it onto a cell beside the cell of the other, not "
                    "diagonally.",
                    When(
                        "parts",
                        "The first action of the game cannot do it, nor can the action that completes the first part.",
                        "The first action of the game cannot do it.",
                    ),
                ),
            ),
            When("joined", 'What is joined by "and" may be done in any order.'),
            When(
                "parts",
                (
                    Case(
                        "parts",
                        {
                            "then": 'What stands before "then" is the first part of the mission,',
                            "after": 'What follows "after you" is the first part of the mission,',
                        },
                    ),
                    (
                        "the rest is the second part. The second part counts only from the action on that completes "
                        "the first."
                    ),
                ),
            ),
        ),
        (
            '"The" says that one thing is meant, and "a" that any of several will do. Which things are meant is '
            "fixed at the start and stays so wherever they are carried; what comes out of a box is never meant.",
            When(
                "placed",
                "In front of you, behind you, on your left and on your right: this is the half of your first room, "
                "with its doors, as you see it at the start.",
            ),
            When(
                "goes",
                "A thing that you have taken away still counts as being in its old cell until you use `drop`.",
            ),
        ),
        (
            When(
                "strict_open",
                "If you toggle a door while a door is to be opened, and what is in front of you then is not the open "
                "door that is meant, the mission has failed.",
            ),
            When(
                "strict_pick",
                "If you use `pickup` while something is to be picked up, and what you carry then is not it, the "
                "mission has failed.",
            ),
            When("strict", "A mission that has failed pays nothing."),
        ),
    ),
    acts={
        "pickup": rooms.PICK_UP,
        "drop": rooms.PUT_DOWN,
        "toggle": rooms.UNLOCK
        + "; a box in front of you opens: it disappears, and what is in it, if anything, takes its "
        "place",
        "done": rooms.NO_EFFECT,
    },
    over="the mission is completed{or_failed}",
    sees=(*rooms.SIGHT_DOORS, "Each turn shows your mission again."),
    constants={"half": "of a room"},
    unsaid={
        "level": "the mission says what there is to do",
        "things": "how many things there are is for the player to see",
        "room_size": "told as the size",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    """The mission, and which of the rules of missions it needs."""
    level, size = s.level, int(s.params.size)
    height, width = level.grid.shape
    verbs, named = level.verbs.tolist(), level.named.tolist()
    alone = [verbs[k ^ 1] == language.NO_VERB for k in range(4)]
    strict = [verb for k, verb in enumerate(verbs) if level.strict[k] and alone[k]]
    described = [what for clause in named for what in clause]
    return {
        "mission": world.mission_of(s),
        "size": size,
        "building": _building((height - 1) // (size - 1), (width - 1) // (size - 1)),
        "goes": language.GO_TO in verbs,
        "opens": language.OPEN in verbs,
        "puts": language.PUT_NEXT in verbs,
        "joined": not all(alone[k] for k in range(4) if verbs[k] != language.NO_VERB),
        "parts": {language.THEN: "then", language.AFTER: "after"}.get(int(level.shape), ""),
        "placed": any(place for _, _, place in described),
        "strict": bool(strict),
        "strict_open": language.OPEN in strict,
        "strict_pick": language.PICK_UP in strict,
        "or_failed": " or has failed" if strict else "",
    }


def _building(rows: int, columns: int) -> str:
    """The beginning of the sentence about the size of the building."""
    if rows * columns == 1:
        return "The building is one room of"
    return f"The building has {rows} row{'s' * (rows > 1)} of {columns} room{'s' * (columns > 1)}, each of"
