"""The pages for players of Particles' eight scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, Pattern, Text, When, listed

MOTION = (
    "Everything is a disc in a plane. x grows to the right and y grows up; at the start all are between -{side:g} and "
    "{side:g}, and nothing stops you there. In each step all act at once. Your place first moves by {time:g} times "
    "your velocity. Then your velocity becomes {kept:g} times what it was, plus {time:g} times your push, whose force "
    "is {force:g}.",
    When("most", "Your speed is never above {most:g}."),
    "{sizes}",
    When("collides", "Discs that touch push each other apart{but}."),
)
HEARD = "What is said in a step can be heard from the next step on."
RELATIVE = "Places are told relative to you."
OUT = (
    "For each of your coordinates, a step costs you {edge}E, where a is the coordinate without its sign: E "
    "is 0 for a below 0.9, then 10 x (a - 0.9) up to 1, and beyond it e to the power of 2 a - 2, but 10 at the most."
)
OUT_NUMBERS = {
    "0": "no cost",
    "0.9": "where the cost begins",
    "10": "the slope, and the highest cost",
    "1": "where the cost grows faster",
    "2": "of the exponent",
}
PUSHES: Mapping[Pattern, Text] = {
    "noop": Case("form", {"moves": "do not push", "numbers": When("walks", "does nothing")}),
    ("left", "right", "down", "up"): Case(
        "form",
        {
            "moves": "push to this side",
            "numbers": When("walks", "how much you push to this side, from 0 to 1; opposite sides are subtracted"),
        },
    ),
    "say {WORD}": Case(
        "form",
        {
            "words": "say this word, one of {words}",
            "numbers": When("speaks", "a number from 0 to 1 that is heard for this word, one of {words}"),
        },
    ),
    "{MOVE}, say {WORD}": Case(
        "form",
        {"both": "push to one side ({moves}) or not (noop), and say a word, one of {words}, as in `left, say a`"},
    ),
}
UNSAID = {
    "scenario": "told by the task",
    "controls": "told by the actions",
    "agents": "told by the names",
    "adversaries": "told by the names",
}
END = "It is over after {horizon:step}"


def _page(role: Text, goal: Text, sees: Text, *, talk: bool = False, still: bool = False, more: Text = "",
          ends: Text = END + ".", constants: Mapping[str, str] | None = None) -> Page:  # fmt: skip
    """A page; `talk` for scenarios with words, `still` for agents that do not move, `more` for further rules."""
    return Page(
        role=role,
        goal=goal,
        rules=tuple(part for part in ("" if still else MOTION, more, HEARD if talk else "") if part),
        sees=sees,
        acts=PUSHES,
        ends=ends,
        unsaid=UNSAID,
        constants={"0": "no push", "1": "the full push", **(constants or {})},
    )


CRYPTO = Case(
    "form",
    {
        "numbers": "The error is the sum of the squares of the differences between the numbers for the {count} words "
        "and those of the secret, 1 for its word and 0 for the others. The error of a player that says only 0 is 0.",
    },
    "The error is 0 for the word of the secret and 2 for any other word.",
)
SECRET = (
    "Alice and Bob know a key, one of {words}, and Alice also a secret, one of {words}. Alice says a word in each "
    "step, which Bob and Eve hear. Both say what the secret is."
)
SECRET_NUMBERS = {"0": "no error", "1": "the number for a word", "2": "the error of a wrong word"}
FORESTS = (
    "Landmark 0 is an obstacle, 1 and 2 are food, and 3 and 4 are forests. A player in a forest is seen by those in "
    "the same forest and by leadadversary_0. The others see it as if it were at their own place and at rest, and it "
    "sees those outside in the same way. The lead adversary says a word in each step, which all adversaries hear."
)
FOREST_NUMBERS = dict.fromkeys("01234", "number of a landmark")
CATCH = (
    "Each step pays every adversary {caught:g} for each pair of an adversary and a prey that touch, and costs you "
    "{near:g} times your distance to the nearest prey."
)
SEES_ALL = "You see your place and your velocity, and where the landmarks and the others are. " + RELATIVE

PAGES = {
    "spread agent": _page(
        When(
            "others",
            "You and {others} are to cover {landmarks:landmark} without touching each other.",
            "You are to cover {landmarks:landmark}.",
        ),
        "For each landmark, a step costs you {shared:g} times its distance to the nearest of you. Each other player "
        "that touches you costs you {local:g} in a step.",
        SEES_ALL,
        ends=(
            When(
                "until_success",
                END + ", or as soon as each landmark has one of you within {covered:g}.",
                END + ".",
            ),
        ),
    ),
    "adversary adversary": _page(
        "You look for a goal that {others} {know} and you do not. It is {choice}.",
        "Each step costs you your distance to the goal.",
        "You see where the landmarks and the others are. " + RELATIVE,
    ),
    "adversary agent": _page(
        (
            When("mates", "You and {mates} know the goal,", "You know the goal,"),
            "{choice}. adversary_0 looks for it, too, and does not know it.",
        ),
        (
            "Each step pays you the distance of adversary_0 to the goal, less",
            When("mates", "the distance of the nearest of you to it.", "your own distance to it."),
        ),
        "You see where the goal, the landmarks and the others are. " + RELATIVE,
        constants={"0": "in a name"},
    ),
    "push adversary": _page(
        "You keep {others} away from its goal, {choice}. You do not know which.",
        "Each step pays you the distance of {others} to the goal, less your own distance to it.",
        "You see your velocity, and where the landmarks and the other player are. " + RELATIVE,
    ),
    "push agent": _page(
        "You go to a goal, {choice}. {others} does not know which, and keeps you away from it.",
        "Each step costs you your distance to the goal.",
        "You see your velocity, and where the goal, the landmarks and the other player are. " + RELATIVE,
    ),
    "tag adversary": _page(
        "{pack} the prey: {prey}.",
        "Each step pays every adversary {caught:g} for each pair of an adversary and a prey that touch.",
        SEES_ALL + " You see the velocity of the prey, too.",
        ends=(When("until_success", END + ", or as soon as every prey is touched.", END + "."),),
    ),
    "tag agent": _page(
        "You are prey. {bad:adversary chases/adversaries chase} all prey.",
        ("Each step costs you {caught:g} for each adversary that touches you.", OUT),
        SEES_ALL,
        ends=(When("until_success", END + ", or as soon as every prey is touched.", END + "."),),
        constants=OUT_NUMBERS,
    ),
    "speaker_listener speaker": _page(
        "You tell listener_0 where to go, but you cannot move. Its goal is {choice}.",
        "Each step costs both of you the square of the distance from listener_0 to the goal.",
        "You know which landmark is the goal, and you see nothing else.",
        talk=True,
        still=True,
        constants={"0": "in a name"},
    ),
    "speaker_listener listener": _page(
        "You go to a goal, {choice}. Only speaker_0 knows which, and tells you something.",
        "Each step costs both of you the square of your distance to the goal.",
        "You see your velocity and where the landmarks are, and you hear what speaker_0 says. " + RELATIVE,
        talk=True,
        constants={"0": "in a name"},
    ),
    "reference agent": _page(
        "You and {others} each go to a goal, {choice}. Each of you knows only the goal of the other.",
        "Each step costs you {local:g} times the distance of {others} to its goal, and {shared:g} times the mean of "
        "the distances of both of you to your goals.",
        "You see your velocity, where the landmarks are, and the goal of {others}, and you hear what it says. You do "
        "not see where it is. " + RELATIVE,
        talk=True,
    ),
    "crypto alice": _page(
        "You are Alice. You tell Bob a secret that Eve must not learn.",
        ("Each step pays you Eve's error less Bob's.", CRYPTO),
        "You see the secret and the key.",
        talk=True,
        still=True,
        more=SECRET,
        constants=SECRET_NUMBERS,
    ),
    "crypto bob": _page(
        "You are Bob. You find out the secret that Alice tells you.",
        ("Each step pays you Eve's error less your own.", CRYPTO),
        "You see the key, and you hear what Alice says.",
        talk=True,
        still=True,
        more=SECRET,
        constants=SECRET_NUMBERS,
    ),
    "crypto eve": _page(
        "You are Eve. You find out the secret that Alice tells Bob.",
        ("Each step costs you your error.", CRYPTO),
        "You hear what Alice says. You do not see the key.",
        talk=True,
        still=True,
        more=SECRET,
        constants=SECRET_NUMBERS,
    ),
    "world_comm leadadversary": _page(
        "{pack} the prey: {prey}. You lead the adversaries.",
        CATCH,
        SEES_ALL + " You see the velocity of the prey, too, and forests hide nobody from you.",
        talk=True,
        more=FORESTS,
        constants=FOREST_NUMBERS,
    ),
    "world_comm adversary": _page(
        "{pack} the prey: {prey}.",
        CATCH,
        SEES_ALL + " You see the velocity of the prey, too, and you hear leadadversary_0.",
        talk=True,
        more=FORESTS,
        constants=FOREST_NUMBERS,
    ),
    "world_comm agent": _page(
        "You are prey, and look for food. {bad:adversary chases/adversaries chase} all prey.",
        (
            "Each step pays you {food:g} for each piece of food that you touch, and costs you {caught:g} for each "
            "adversary that touches you and {far:g} times your distance to the nearest food.",
            OUT,
        ),
        SEES_ALL + " You do not hear the adversaries.",
        talk=True,
        more=FORESTS,
        constants=OUT_NUMBERS | FOREST_NUMBERS,
    ),
}


def page_role(world: Any, s: Any, agent: int) -> str:
    return f"{world.scenario} {world.agents[agent].rpartition('_')[0]}"


def sizes(world: Any) -> str:
    """The radii of players and landmarks."""
    it, chase, count = world.setup, world.scenario in ("tag", "world_comm"), len(world.agents)
    names = ["obstacles", "food", "food", "forests", "forests"] if chase else ["landmarks"] * it.landmarks
    players = [("adversaries" if a < it.adversaries else "prey") if chase else "players" for a in range(count)]
    names = players + (["obstacles"] * 2 if world.scenario == "tag" else names)
    sizes = dict(zip(names, it.radius))
    return f"The radius is {listed([f'{size:g} for {name}' for name, size in sizes.items()])}."
