"""What a world says of its acts of speech holds in play."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.record import array_of
from envsuite.core.world import World
from envsuite.talk.table import REACHED, speaks
from envsuite.talk.voice import is_neutral, sentences
from envsuite.testing.case import Case, content, demand, random_moves

#: The methods of a world that rounds of talk ask.
_ROUNDS = ("talk_seats", "talk_teams", "talk_times")

#: Sentences for each act of speech but the neutral one.
_SENTENCES = 5


def check_talk(case: Case) -> None:
    """Acts of speech have hearers and sentences; the neutral act is one; free talk changes no record.

    At each step of random play: `speech` names agents, or None; an act of speech that is not neutral has at least five
    different sentences, and a neutral act has none, for it is silence. `unspoken` leaves the record as it is, and gives
    one that can be read and drawn. Rounds of talk have agents, disjoint teams, and channels that there are.
    """
    world = case.world
    if any(getattr(type(world), name) is not getattr(World, name) for name in _ROUNDS):
        _rounds(case)
    if not speaks(world):
        told = "`neutral` and `phrases` are of acts of speech, and `speech` has none"
        demand(type(world).speech is not World.speech or not world.neutral and not world.phrases, told)
        return
    found = False
    for batch in _played(case):
        for a in np.flatnonzero(batch.acting[0]).tolist():
            found |= _speakers(batch, a)
    usual = repr(world) == world.id  # other parameters may take speech away
    demand(found or not usual or case.steps < 100, f"`speech` has named nobody in {case.steps} steps of random play")


def _played(case: Case) -> Iterator[Batch]:
    """A batch in each state of random play, in which somebody acts."""
    batch, rng = Batch(case.world, 1), np.random.default_rng(case.seed)
    batch.start(np.array([case.seed]))
    for _ in range(max(case.steps, 12)):
        yield batch
        batch.step(random_moves(case.world, batch.masks, rng))
        if batch.finished[0]:
            batch.start(rng.integers(2**31, size=1))


def _rounds(case: Case) -> None:
    """Check who talks in rounds of talk, and when, in each state of random play."""
    world, times = case.world, set[str]()
    agents = set(range(len(world.agents)))
    for batch in _played(case):
        s = batch.record()
        seats, times_now = list(world.talk_seats(s)), list(world.talk_times(s))
        members = [a for team in world.talk_teams(s) for a in team]
        over = {a for a in agents if s.terminated[a] or s.truncated[a]}
        for name, found in (("talk_seats", seats), ("talk_teams", members)):
            demand(set(found) <= agents and len(set(found)) == len(found), f"`{name}` gives {found}, not agents once")
        demand(not set(seats) & over, f"`talk_seats` has {seats}, of whom some are out")
        demand(set(times_now) <= set(REACHED), f"`talk_times` gives {times_now}, not some of {', '.join(REACHED)}")
        times |= set(times_now)
    named = type(world).talk_times is not World.talk_times
    demand(not named or bool(times) or case.steps < 100, f"`talk_times` has opened nothing in {case.steps} steps")


def _speakers(batch: Batch, agent: int) -> bool:
    """Check the acts of speech of an agent that acts, and what it reads in free talk; whether there are any."""
    world, s = batch.world, batch.record()
    names, found = world.action_names[agent], False
    for action in np.flatnonzero(batch.masks[0, agent]).tolist():
        to = world.speech(s, agent, action)
        if to is None:
            neutral = is_neutral(world, names[action])
            demand(not neutral, f"{world.neutral!r} is the neutral act, and `speech` does not take it")
            continue
        found = True
        demand(set(to) <= set(range(len(world.agents))), f"{names[action]!r} is heard by {list(to)}, not by agents")
        _sentences(world, names[action])
    if found:
        before = content(array_of(s))
        quiet = world.unspoken(s)
        demand(bool(world.reply(quiet, agent)), "in free talk an agent gets an empty text")
        world.scene(quiet, agent)
        demand(content(array_of(s)) == before, "`unspoken` changes the record that it is given")
    return found


def _sentences(world: World, name: str) -> None:
    given = sentences(world, name)
    if is_neutral(world, name):
        demand(not given, f"the neutral act {name!r} has sentences, though it says nothing")
    else:
        different = len(set(given))
        demand(different >= _SENTENCES, f"{name!r} has {different} different sentences in `phrases`, not {_SENTENCES}")
