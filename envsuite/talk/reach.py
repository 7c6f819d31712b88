"""Whom words reach, and the lines that they become."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.page import listed
from envsuite.core.world import World
from envsuite.talk.table import Talk
from envsuite.talk.voice import phrase
from envsuite.talk.words import Line, Words


class Reach(NamedTuple):
    """Whom words reach: by which of `words.CHANNELS`, and the numbers of the agents."""

    channel: str
    to: tuple[int, ...]


class Spoken(NamedTuple):
    """Words as they are heard."""

    text: str
    reach: Reach

    def line(self, step: int, agent: int, act: str, by: str) -> Line:
        """The line of an agent that says them; see `Line`."""
        return Line(step, agent, self.reach.to, self.text, act, by, self.reach.channel)


def hearers(world: World, s: Any, agent: int, action: Any, talk: Talk) -> tuple[int, ...] | None:
    """The numbers of those who hear what an agent says with an action; None if it cannot say any words with it."""
    if talk.words_with == "turn":
        return tuple(a for a in range(len(world.agents)) if a != agent)
    to = world.speech(s, agent, action)
    return None if to is None else tuple(sorted(int(a) for a in to if a != agent))


def acts_of(batch: Batch, agent: int, talk: Talk, i: int = 0) -> dict[int, tuple[int, ...]]:
    """The legal actions of an agent that words go with, and the numbers of those who hear it."""
    legal = np.flatnonzero(batch.masks[i, agent]).tolist()
    found = {action: hearers(batch.world, batch.record(i), agent, action, talk) for action in legal}
    return {action: to for action, to in found.items() if to is not None}


def in_words(world: World, to: Collection[int]) -> str:
    """Some hearers by name; "all" for all that there can be, and "nobody" for none."""
    names = [world.agents[a] for a in sorted(to)]
    return "all" if len(names) == len(world.agents) - 1 > 1 else listed(names) or "nobody"


def reach_with(world: World, s: Any, agent: int, action: Any, talk: Talk) -> dict[str, Reach]:
    """Whom words reach that an agent says with an action, by the name that they are said to; empty if nobody hears."""
    to = hearers(world, s, agent, action, talk)
    if to is None:
        return {}
    if len(to) == 1:
        return dict.fromkeys(("", world.agents[to[0]]), Reach("public", to))
    alone = {world.agents[a]: Reach("private", (a,)) for a in to} if "private" in talk.channels else {}
    return {"": Reach("public", to), **alone}


def reach_in_round(world: World, s: Any, agent: int, channels: Collection[str]) -> dict[str, Reach]:
    """Whom words of an agent in a round of talk reach, by the name that they are said to.

    "" is for words to nobody by name: they reach all at the table, or the agent's team if only teams talk.
    """
    seats = [int(a) for a in world.talk_seats(s)]
    others = tuple(sorted(a for a in seats if a != agent)) if agent in seats else ()
    mates = tuple(sorted({int(a) for team in world.talk_teams(s) if agent in team for a in team if a != agent}))
    found: dict[str, Reach] = {}
    if "public" in channels and others:
        found[""] = Reach("table", others)
    if "team" in channels and mates:
        found["team"] = Reach("team", mates)
        found.setdefault("", found["team"])
    if "private" in channels:
        found |= {world.agents[a]: Reach("private", (a,)) for a in others}
    return found


def phrased(world: World, s: Any, agent: int, action: Any, talk: Talk, seed: int, step: int) -> list[Line]:
    """What a policy says with an action in a record: one line, or none unless the action is an act of speech."""
    to = hearers(world, s, agent, action, talk) if talk.words_with == "speech" else None
    if to is None:
        return []
    said = Spoken(phrase(world, s, agent, int(action), seed, step), Reach("public", to))
    return [said.line(step, agent, world.described(agent, action), "policy")]


def say_with(words: Words, lines: Iterable[Line], world: World, s: Any, talk: Talk) -> None:
    """Add lines that go with actions in a record; words with acts of speech are held until `World.hearing` changes."""
    key = partial(world.hearing, s) if talk.words_with == "speech" else None
    for line in lines:
        words.say(line, key)
