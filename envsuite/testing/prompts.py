"""What players of a world read: the page for each role, and the questions of an episode of random play."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from envsuite.core.world import World
from envsuite.models.client import Scripted
from envsuite.models.driver import Driver

#: The transitions in which agents have their turns, at most.
STEPS = 400


class Prompts(NamedTuple):
    """What the first agent of a role reads.

    Attributes:
        agent: its name.
        page: its page.
        questions: those of its turns, with the legal actions; none if it has no turn.
    """

    agent: str
    page: str
    questions: Sequence[str]

    @property
    def first(self) -> str:
        """The question of its first turn, "" if it has none."""
        return self.questions[0] if self.questions else ""

    @property
    def middle(self) -> str:
        """The question in the middle of its turns, "" if it has none."""
        return self.questions[len(self.questions) // 2] if self.questions else ""


def prompts_of(world: World, turns: int, seed: int = 1) -> list[Prompts]:
    """What the first agent of each role reads in its first turns of an episode in which all play at random."""
    driver = Driver(world, range(len(world.agents)), {}, seed=seed)
    players = {a: Scripted("random").seated(driver.batch, a, seed) for a in driver.seats}
    record = driver.batch.record()
    roles: dict[str, int] = {}
    for a in driver.seats:
        roles.setdefault(_common(world, world.prompt(record, a)), a)
    pages = {a: world.prompt(record, a) for a in roles.values()}
    seats = {a: driver.seats[a] for a in pages}
    while not driver.done and driver.length < STEPS and any(len(seat.turns) < turns for seat in seats.values()):
        for a in driver.waiting():
            driver.give(a, players[a].answer(driver.request(a)))
        driver.advance()
    asked = {a: [turn.question for turn in seat.turns[:turns]] for a, seat in seats.items()}
    return [Prompts(world.agents[a], page, asked[a]) for a, page in pages.items()]


def _common(world: World, page: str) -> str:
    """What agents of one role have in common in their pages: all but names of agents and numbers."""
    return re.sub(rf"\b(?:{'|'.join(map(re.escape, world.agents))})\b|\d[\d.,]*", "", page)
