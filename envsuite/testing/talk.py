"""What a world says of its acts of speech holds in play."""

from __future__ import annotations

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.record import array_of
from envsuite.core.world import World
from envsuite.talk.table import REACHED, speaks
from envsuite.talk.voice import sentences
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
    batch, rng, found = Batch(world, 1), np.random.default_rng(case.seed), False
    batch.start(np.array([case.seed]))
    for _ in range(max(case.steps, 12)):
        if batch.finished[0]:
            batch.start(rng.integers(2**31, size=1))
        for a in np.flatnonzero(batch.acting[0]).tolist():
            found |= _speakers(batch, a)
        batch.step(random_moves(world, batch.masks, rng))
    usual = repr(world) == world.id  # other parameters may take speech away
    demand(found or not usual or case.steps < 100, f"`speech` has named nobody in {case.steps} steps of random play")


def _rounds(case: Case) -> None:
    """Check who talks in rounds of talk, and when, in each state of random play."""
    world, rng, times = case.world, np.random.default_rng(case.seed), set[str]()
    batch, agents = Batch(world, 1), set(range(len(world.agents)))
    batch.start(np.array([case.seed]))
    for _ in range(max(case.steps, 12)):
        s = batch.record()
        seats, teams, open = list(world.talk_seats(s)), [*map(list, world.talk_teams(s))], list(world.talk_times(s))
        members = [a for team in teams for a in team]
        over = {a for a in agents if s.terminated[a] or s.truncated[a]}
        for name, found in (("talk_seats", seats), ("talk_teams", members)):
            demand(set(found) <= agents and len(set(found)) == len(found), f"`{name}` gives {found}, not agents once")
        demand(batch.finished[0] or not set(seats) & over, f"`talk_seats` has {seats}, of whom some are out")
        demand(set(open) <= set(REACHED), f"`talk_times` gives {open}, which are not among {', '.join(REACHED)}")
        times |= set(open)
        batch.step(random_moves(world, batch.masks, rng))
        if batch.finished[0]:
            batch.start(rng.integers(2**31, size=1))
    named = type(world).talk_times is not World.talk_times
    demand(not named or bool(times) or case.steps < 100, f"`talk_times` has opened nothing in {case.steps} steps")


def _speakers(batch: Batch, agent: int) -> bool:
    """Check the acts of speech of an agent that acts, and what it reads in free talk; whether there are any."""
    world, s = batch.world, batch.record()
    names, found = world.action_names[agent], False
    for action in np.flatnonzero(batch.masks[0, agent]).tolist():
        to = world.speech(s, agent, action)
        if to is None:
            demand(
                names[action] != world.neutral, f"{world.neutral!r} is the neutral act, and `speech` does not take it"
            )
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
    if name == world.neutral:
        demand(not given, f"the neutral act {name!r} has sentences, though it says nothing")
    else:
        different = len(set(given))
        demand(different >= _SENTENCES, f"{name!r} has {different} different sentences in `phrases`, not {_SENTENCES}")
