"""CollaborativeMaze's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When
from envsuite.gridworlds.collaborative_maze import terms

PAGE = Page(
    role=(
        "A walker is to go from the start S to the goal G of a maze.",
        When("alone", "You lead it.", "You and {other} lead it together."),
        When(
            "leads",
            (
                "You speak in the place of {led}: you send the first {handover:message} of its turns, and then it goes "
                "on alone."
            ),
            When("leader", "The first {handover:message} of {led} are sent by {leader}."),
        ),
    ),
    goal=(
        When("alone", "", "All are paid the same."),
        Case(
            "reward",
            {
                "success": "You are paid 1 at the end if the walker is at the goal, otherwise 0.",
                "graded": (
                    "At the end you are paid 1 - d / D, where d is the length of the shortest way to the goal from the "
                    "walker, and D from the start."
                ),
            },
        ),
        When("strict", "", "Each step into a wall costs {penalty}."),
    ),
    rules=(
        (
            "The maze has {size} x {size} cells, with walls around them. Each cell is free or a wall. The walker goes "
            "one cell east, south, west or north; north is up."
        ),
        When(
            "alone",
            When("split", "You are given one half of the map as yours and the other half as what you were told."),
            (
                (
                    "Both of you see the start and the goal, but each of the other cells is seen by only one of you, "
                    "by lot. You speak in turn, one message each; {opens} begins. The walker takes a step when one of "
                    "you proposes it and the other accepts. A proposal stands until it is accepted, rejected or "
                    "replaced by another."
                ),
                When(
                    "truthful",
                    "You can only say what you see, as it is, and ask about cells that you do not see.",
                    "You may say anything about any cell.",
                ),
                "You write a cell as two numbers, {order}, both counted from {base} at the top left.",
            ),
        ),
        When("strict", "", "A step into a wall or out of the maze leaves the walker where it is."),
    ),
    sees=When(
        "alone",
        "You see the maze and where the walker is.",
        "You see your part of the maze, where the walker is, and what was said.",
    ),
    acts={
        ("propose east", "propose south", "propose west", "propose north"): When(
            "alone", "take this step", "propose this step"
        ),
        ("accept", "reject"): When("alone", "", "take the step that {other} proposed, or refuse it"),
        ("tell {CELL} free", "tell {CELL} wall"): When("alone", "", "say that this cell is free, or a wall"),
        "ask {CELL}": When("alone", "", "ask what this cell is"),
        "pass": When("alone", "", "say nothing"),
        "done": When("alone", "give up, or stop", "say that you are done"),
    },
    ends=(
        "It is over at the goal,",
        When("strict", "after a step into a wall or out of the maze,"),
        When("alone", "when you say done,", "when both of you say done one after the other,"),
        When("alone", "or after {horizon:action}.", "or after {horizon:message} in all."),
    ),
    unsaid={
        "penalty": "told where a step into a wall does not end all",
        "density": "the maze is to be found out",
        "ends": "where start and goal are is to be seen",
        "shortest": "the maze is to be found out",
        "mode": "told by the others that there are",
        "first": "told as who begins",
        "convention": "how the other one writes cells is to be found out",
    },
    constants={
        "1": "at the goal",
        "0": "elsewhere",
        "two": "numbers of a cell",
        "half": "of the map",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    seat, opens = int(terms.seat_of(s, agent)), int(s.first)
    three = len(world.agents) == 3
    return {
        "alone": world.alone,
        "split": bool(s.params.halves),
        "other": "" if world.alone else world.agents[1 - seat],
        "leads": three and agent == 2,
        "leader": "leader" if three else "",
        "led": world.agents[opens],
        "handover": int(s.params.handover),
        "opens": world.agents[2 if three and s.params.handover else opens],
        "order": "its column, then its row" if world.transposed and seat else "its row, then its column",
        "base": int(world.shifted and seat),
        "horizon": int(s.params.horizon),
    }


#: What policies say in free talk.
PHRASES = {
    "accept": ("Yes, let us do that.", "Fine, go ahead.", "Agreed.", "That works from what I see.", "Yes, do it."),
    "reject": ("No, not that way.", "I would not do that.", "Better not.", "No, let us try something else.", "No."),
    "done": ("I think we are done.", "Let us stop here.", "I would end it here.", "That is it for me.", "We are done."),
    "propose {}": (
        "Shall we go {0}?",
        "I suggest that we go {0}.",
        "How about {0}?",
        "Let us try one step {0}.",
        "My idea is to go {0}.",
    ),
    "tell {} {} {}": (
        "On my side, {0} {1} is {2}.",
        "I see that {0} {1} is {2}.",
        "My map says {2} at {0} {1}.",
        "{0} {1}: {2}.",
        "The cell {0} {1} is {2}.",
    ),
    "ask {} {}": (
        "What is at {0} {1}?",
        "Can you see {0} {1}?",
        "Is {0} {1} free?",
        "Please tell me about {0} {1}.",
        "I cannot see {0} {1}. Can you?",
    ),
}
