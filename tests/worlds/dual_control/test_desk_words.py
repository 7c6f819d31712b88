"""In free talk, a scripted customer says what it reports: the words that typed talk has for it, and nothing else."""

import kit
import numpy as np
import pytest

from envsuite.core.record import array_of
from envsuite.models.client import Answer
from envsuite.models.driver import Driver
from envsuite.models.protocol import Protocol
from envsuite.registry import build
from envsuite.talk.voice import phrase
from envsuite.testing import random_actions

TELLS = ("report: ", "state: ", "second choice")


@pytest.mark.parametrize("name", ["Telecom", "Retail", "Airline"])
def test_what_a_customer_tells_is_its_typed_message(name):
    """In random play; `told` leaves the record as it is."""
    batch, rng, found = kit.started(f"envsuite/{name}-v0", seed=3), np.random.default_rng(0), set()
    for _ in range(60):
        actions = random_actions(batch.masks, rng)
        agent = int(np.flatnonzero(batch.acting[0])[0])
        act, before = batch.world.action_names[agent][actions[0, agent]], array_of(batch.record()).tobytes()
        told = batch.world.told(batch.record(), agent, int(actions[0, agent]))
        assert array_of(batch.record()).tobytes() == before
        batch.step(actions)
        if act.startswith(TELLS):
            found.add(act)
            assert told == batch.world.messages(batch.record())[-1][1]
        else:
            assert told == ""
        if batch.over().all():
            batch.start(int(rng.integers(1000)))
    assert len(found) > 3


def test_a_sentence_goes_before_what_is_told():
    batch = kit.started("envsuite/Telecom-v0")
    world, s = batch.world, batch.record()
    action = world.action_names[1].index("report: location")
    found = {phrase(world, s, 1, action, seed, 0) for seed in range(50)}
    assert found == {f"{text} I am at home." for text in world.phrases["report: location"]}
    assert phrase(world, s, 1, world.action_names[1].index("done"), 0, 0) in world.phrases["done"]


@pytest.mark.parametrize("name, order", [("Retail", "order"), ("Airline", "reservation"), ("Telecom", "")])
def test_an_assistant_hears_what_a_customer_wants(name, order):
    """A model that reads words alone learns what the call is about."""
    driver = Driver(build(name, {"say": True}), {0}, "easy", Protocol(talk="free"), seed=1)
    while not driver.waiting():
        driver.advance()
    heard = driver.request(0).messages[-1]["content"]
    assert heard.startswith("Turn 1.\nYou hear:\ncustomer: ") and order in heard.split("It is your turn")[0]
    assert driver.words.lines[0].text in heard
    assert driver.give(0, Answer("Action: close")).own
