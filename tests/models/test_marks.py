"""Words of each agent with a mark of their own, over many episodes: who is told them, and what they change."""

import numpy as np
import pytest

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.world import World, heard
from envsuite.models.client import Answer
from envsuite.models.driver import Driver
from envsuite.models.protocol import Protocol
from envsuite.talk.table import Talk, speaks

SPEAKING = [id for id in registry.ids() if speaks(registry.build(id))]

#: Worlds whose texts list the acts of speech, and nothing else, as messages. Coup's tell what came of a challenge too.
WITH_MESSAGES = [
    id for id in SPEAKING if type(registry.build(id)).messages is not World.messages and id != "envsuite/Coup-v0"
]

#: How agents talk, by name: with acts, with every action, in rounds on each channel.
TALKS = {
    "acts": Talk("beside", channels=("public", "private"), total=10**5),
    "actions": Talk("beside", when="turn", total=10**5, anyway=True),
    "rounds": Talk("beside", when="before", rounds=2, total=10**5, anyway=True),
    "at once": Talk("beside", when="every:3", order="at once", rounds=2, total=10**5, anyway=True),
    "teams": Talk("beside", when="before", channels=("team",), total=10**5, anyway=True),
    "asides": Talk("beside", when="start+every:4", channels=("public", "team", "private"), total=10**5, anyway=True),
}


def possible(id, talk):
    world = registry.build(id)
    if talk.channels == ("team",):
        return type(world).talk_teams is not World.talk_teams
    return len(world.agents) > 1


CASES = [(id, name) for name, talk in TALKS.items() for id in SPEAKING if possible(id, talk)]


def marked(driver, agent, to):
    seat = driver.seats[agent]
    return f"mark-{agent}-{driver.length}-{seat.counts['rounds']}-{to or 'all'}-"


def said(driver, agent):
    """A line for each name that an agent can speak to in a round, or with its action for all and for the first."""
    seat, names = driver.seats[agent], driver.world.agents
    if seat.talks:
        return [f"Say to {to or 'all'}: {marked(driver, agent, to)}" for to in seat._floor.reach]
    if seat._floor is None:
        return []
    private = "private" in driver.protocol.talk.channels
    return [f"Say to {to}: {marked(driver, agent, to)}" for to in ("all", *(names if private else ()))]


def play(id, talk, seed, steps, outside=None, memory="chat"):
    """An episode in which agents outside mark their words; what each agent is asked, by step."""
    world, rng = registry.build(id), np.random.default_rng(seed)
    outside = range(len(world.agents)) if outside is None else outside
    others = {a: "random" for a in range(len(world.agents)) if a not in outside}
    driver = Driver(world, outside, others, Protocol(memory, talk=talk, skip_forced=False), seed)
    asked = []
    while not driver.done and driver.length < steps:
        for a in driver.waiting():
            request = driver.request(a)
            asked.append((a, request.messages[-1]["content"] if memory == "chat" else str(request.messages)))
            legal = np.flatnonzero(driver.batch.masks[0, a])
            act = f"Action: {world.action_names[a][rng.choice(legal)]}" if request.acts else ""
            assert driver.give(a, Answer("\n".join([*said(driver, a), act]))).own
        driver.advance()
    return driver, asked


def check(id, talk, seeds, steps):
    for seed in seeds:
        driver, asked = play(id, talk, seed, steps)
        for line in driver.words.lines:
            assert line.agent not in line.to
            told = [a for a, text in asked if f'"{line.text}"' in text]
            assert set(told) <= set(line.to) and len(told) == len(set(told))
        quiet, _ = play(id, Talk(), seed, steps)
        assert np.array_equal(quiet.replay({}).actions, driver.replay({}).actions)


@pytest.mark.parametrize(("id", "name"), CASES)
@pytest.mark.mostly_slow
def test_marks_are_told_to_those_that_hear(id, name):
    check(id, TALKS[name], range(1), 12)


@pytest.mark.long
@pytest.mark.parametrize(("id", "name"), CASES)
def test_marks_are_told_to_those_that_hear_in_fifty_episodes(id, name):
    check(id, TALKS[name], range(50), 60)


@pytest.mark.parametrize("id", ["envsuite/Fishery-v0", "envsuite/Werewolf-v0", "envsuite/SimpleNegotiation-v0"])
def test_complete_prompts_tell_no_more(id):
    driver, asked = play(id, TALKS["asides"], 1, 8, memory="prompt")
    assert driver.words.lines
    for line in driver.words.lines:
        told = {a for a, text in asked if f'"{line.text}"' in text}
        assert told <= {*line.to, line.agent}  # an agent reads what it has said itself


@pytest.mark.parametrize("id", SPEAKING)
def test_no_words_change_what_policies_do(id):
    world = registry.build(id)
    outside = range(0, len(world.agents), 2)
    quiet, _ = play(id, Talk(), 3, 15, outside)
    for name in ("acts", "rounds"):
        loud, _ = play(id, TALKS[name], 3, 15, outside)
        first, second = quiet.replay({}), loud.replay({})
        second.words = None
        assert first.to_bytes() == second.to_bytes()


@pytest.mark.parametrize("id", WITH_MESSAGES)
def test_those_speak_whose_acts_become_messages(id):
    """The tie of words to acts: an act has hearers exactly if the world's own list of messages grows by it."""
    world, rng, count = registry.build(id), np.random.default_rng(0), 0
    batch = Batch(world, 1)
    for seed in range(3):
        batch.start(np.array([seed]))
        for _ in range(50):
            if batch.finished[0]:
                break
            s, speakers = batch.record(), []
            before = world.messages(s)
            for a in np.flatnonzero(batch.acting[0]).tolist():
                batch.actions[0, a] = rng.choice(np.flatnonzero(batch.masks[0, a]))
                speakers += [a] if world.speech(s, a, int(batch.actions[0, a])) is not None else []
            batch.step()
            assert sorted(a for a, _ in heard(before, world.messages(s))) == speakers
            count += len(speakers)
    assert count
