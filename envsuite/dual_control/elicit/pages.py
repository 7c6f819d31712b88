"""Elicit's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When, listed

PAGE = Page(
    role="You assist a user who has wishes and has not said them.",
    goal=When(
        "intention",
        "For a question, you earn 0.4, 0.7 or 1 for the most important wish that the user then names for the first "
        "time, by its importance, which is 1, 2 or 3. Each further wish that it names takes 0.2 off, down to 0.",
        "Each wish that the user names because you asked pays you 0.2, and each search that finds offers pays 0.2. "
        "Recommending the best offer pays 1, another one that meets all wishes 0.8, any other 0. The best offer is the "
        "cheapest one that meets all wishes.",
    ),
    rules=(
        When(
            "intention",
            "The task has {topics:topic}, and the user has a wish for {details} of them: one of three choices each. "
            "You may ask about several topics at once; the user names its wishes in all of them. It never starts by "
            "itself.",
            "The user plans a journey: {aspects}. Each part has {topics:topic}. For some of them, the user has a wish: "
            "one of three choices.",
        ),
        When(
            "starts",
            "A step is idle if you chat or ask about a topic for which the user has no wish. After {patience:idle "
            "step} without a wish named in between, the user names one of its hidden wishes, chosen by lot, which "
            "pays you nothing.",
        ),
        When(
            "intention",
            "",
            "A search shows {offers:offer} for a part of the journey, but of each {failures} searches that you make, "
            "the last one finds nothing. For each part you can recommend one offer. The part is then closed, and the "
            "user says whether it was the best, or met all wishes, or did not.",
        ),
    ),
    sees=When(
        "intention",
        "You see what the user has said. Its wishes are hidden until it names them.",
        "You see what the user has said, and the offers that you have found. Wishes are hidden until they are named.",
    ),
    acts={
        "ask {TOPIC}": When("intention", "ask for the wishes in these topics", "ask for the wish in this topic"),
        "search {PART}": When("intention", "", "look for offers for a part that has none yet"),
        "recommend {PART} {N}": When("intention", "", "recommend this offer, and close the part"),
        "chat": "say nothing in particular",
        "finish": "end the talk",
    },
    ends=(
        "It is over when you finish,",
        When("intention", "when all wishes are known,", "when all parts are closed,"),
        "and after {steps:step}.",
    ),
    constants={
        **dict.fromkeys(("0.4", "0.7", "0.8", "0.2"), "pay"),
        "1": "pay, and an importance",
        "0": "pay",
        "2": "an importance",
        "3": "an importance",
        "three": "choices in each topic",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    intention = bool(s.params.intention)
    parts = [f"{name} ({count} wishes)" for name, count in zip(world.words, s.params.wishes)]
    return {"intention": intention, "starts": s.params.patience and not intention, "aspects": listed(parts)}
