"""AmongUs' page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When
from envsuite.kit import deduction
from envsuite.kit.deduction import RoundTable
from envsuite.social.among_us.rules import LETTERS


def _of(role: str, text: str) -> Case:
    """A text for players of one role."""
    return Case("own", {role: text})


PAGE = Page(
    role="You are {own_a}. There are {players} players; one, drawn by lot, is the imposter, and the others are crew.",
    goal=(
        "If your team wins, you get +1, otherwise -1, dead or alive. The crew wins when the imposter is ejected, or "
        "when all tasks of the living crew are done. The imposter wins when only one of the crew is left.",
        When("shaping", "A task, a report, a kill, and a vote of crew for the imposter pay {shaping} each."),
        When(
            "speaking",
            "A speaker gets {speaking} for each of the living crew that suspects the imposter after it spoke and did "
            "not before, and loses that for each that no longer does; the imposter gets the opposite.",
        ),
    ),
    rules=(
        (
            "The rooms, north at the top: {rooms}. You can walk between rooms that are next to each other. All start "
            "in room {start}. Each of the crew has {tasks:task} in certain rooms. Time passes in ticks; you are asked "
            "whenever you are free. A walk or a task takes {busy:tick}; a walker is in both rooms until then.",
            "Only the imposter kills: a player that it saw when it was asked, even if that player has just left. The "
            "body lies in the room of the imposter. It may first kill {cooldown:tick} after the start, after each "
            "meeting and after each kill.",
            "In a tick, walks and tasks end, then all act, then a kill happens, then a report is made. Each word, "
            "suspicion and vote of a meeting counts one tick.",
        ),
        (
            "Crew that see a body may report it, which calls all to a meeting, unless the reporter is killed in that "
            "tick.",
            When(
                "discussion",
                "There, all speak one after the other, in {discussion:round}, in an order drawn by lot. Nobody has "
                "to speak the truth.",
            ),
            When(
                "survey",
                When(
                    "discussion",
                    "Before the first word and after each, all say in secret whom they suspect.",
                    "First all say in secret whom they suspect.",
                ),
            ),
            "Then all vote in secret to eject a living player or nobody. The one with most votes is ejected; in a "
            "tie, or if most skip, nobody is. The counts are shown. Then all are back in room {start}.",
        ),
    ),
    sees=(
        "While you are free, you see the players in your room, who comes and who leaves, and bodies. While you walk "
        "or do a task, you see nothing, except that a walker sees a kill in the room where it comes from or goes. Who "
        "sees a kill sees the killer. Meetings show who is alive.",
    ),
    acts={
        ("go north", "go west", "go east", "go south"): "walk to the next room",
        "do task": _of("crew", "do one of your tasks in this room"),
        "wait": (
            "be asked again after three ticks,",
            _of("imposter", "or after one while you may not kill,"),
            "or when what you see changes",
        ),
        "kill {PLAYER}": _of("imposter", "kill one in sight"),
        "report {PLAYER}": _of("crew", "report this body"),
        ("accuse {PLAYER}", "defend {PLAYER}", "saw {PLAYER} kill", "saw {PLAYER} in {ROOM}"): When(
            "discussion", "say this in a meeting"
        ),
        "silent": When("discussion", "say nothing"),
        "suspect {PLAYER}": When("survey", "name in secret whom you suspect most"),
        ("vote for {PLAYER}", "skip"): "vote to eject one, or nobody",
    },
    ends="It is over when a team has won, or without a winner after {ticks:tick}. A player that is out stays out.",
    constants={"1": "the reward", "three": "ticks of a wait"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    width, height, duration = (world.parameters[name] for name in ("width", "height", "duration"))
    rooms = LETTERS[: width * height]
    return {
        **RoundTable.page_slots(world, s, agent),
        "rooms": " / ".join(rooms[k : k + width] for k in range(0, len(rooms), width)),
        "start": LETTERS[(width - 1) // 2],
        "busy": duration + 2,
    }


#: What policies say in free talk.
PHRASES = {
    **deduction.PHRASES,
    "saw {} kill": (
        "I saw {0} kill.",
        "It was {0}, I watched it happen.",
        "{0} did it before my eyes.",
        "I am a witness: {0} killed.",
        "There is no doubt, I saw {0} do it.",
    ),
    "saw {} in {}": (
        "I saw {0} in room {1}.",
        "{0} was in room {1}.",
        "When I looked, {0} was in room {1}.",
        "In room {1} there was {0}.",
        "I remember {0} in room {1}.",
    ),
}
