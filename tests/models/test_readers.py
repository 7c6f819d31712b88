"""Readers of talk: the act that they find in words, what the speaker is told, and what they leave out."""

import asyncio
import json
from collections import Counter

import numpy as np
import pytest
from kit import ROOT

from envsuite import registry
from envsuite.core.errors import ParameterError
from envsuite.models import harness
from envsuite.models.answers import Answers
from envsuite.models.client import SPEAK, Answer, Function, Scripted
from envsuite.models.driver import Driver
from envsuite.models.harness import Game, play
from envsuite.models.protocol import Protocol
from envsuite.models.training import TextEnv
from envsuite.talk.grammar import grammar_of
from envsuite.talk.table import Talk, speaks
from envsuite.talk.voice import sentences

SENTENCES = json.loads((ROOT / "tests/data/talk/sentences.json").read_text("utf-8"))

#: In these worlds some sentences belong to several acts: policies do not say what they ask, vote or order.
SHARED = {"RedTeam": "", "Voting": "", "Marketplace": "inquire"}


def build(name, **params):
    return registry.build(f"envsuite/{name}-v0", params)


def talkers():
    for id in registry.ids():
        if speaks(registry.build(id)):
            says = registry.build(id).parameters.get("say") is False
            yield id, {"say": True} if says else {}


def spoken(world, agent):
    """The numbers of the acts that policies have sentences for."""
    return [k for k, name in enumerate(world.action_names[agent]) if sentences(world, name)]


@pytest.mark.parametrize(("id", "params"), list(talkers()), ids=str)
def test_the_grammar_reads_all_that_policies_say(id, params):
    world = registry.build(id, params)
    shared = SHARED.get(id.split("/")[1].partition("-")[0])
    for names in {world.action_names[a]: a for a in range(len(world.agents))}.items():
        names, agent = names
        acts, grammar = spoken(world, agent), grammar_of(world, agent)
        for action in acts:
            if shared is not None and names[action].startswith(shared):
                continue
            for text in sentences(world, names[action]):
                assert grammar.act(text, acts) == action, text
                assert grammar.act(f"Hello. {text}", acts) == action, text


@pytest.mark.parametrize(
    ("name", "agent", "right"), [("Werewolf", 0, 7), ("SimpleNegotiation", 1, 15), ("Fishery", 0, 7)]
)
def test_prose_is_seldom_taken_for_another_act(name, agent, right):
    """On forty sentences that were written before the grammar, it may miss acts, and takes at most two for others."""
    world = build(name)
    names, grammar = world.action_names[agent], grammar_of(world, agent)
    legal, found = [*spoken(world, agent), names.index(world.neutral)], Counter()
    for text, act in SENTENCES[name]:
        action = grammar.act(text, legal)
        read = world.neutral if action is None else names[action]
        found["right" if read == act else "missed" if read == world.neutral else "wrong"] += 1
    assert found.total() == 40 and found["wrong"] <= 2 and found["right"] >= right


@pytest.mark.parametrize(
    ("name", "text", "act"),
    [
        ("Fishery", "Propose limit ten, please.", "propose limit 10"),
        ("Fishery", "Yes!", "agree"),
        ("Fishery", "No, not with me.", "object"),
        ("Fishery", "Yes, but 8 each.", None),
        ("Fishery", "Yes?", None),
        ("Fishery", "If you agree, so be it.", None),
        ("Fishery", "player_2, do you agree?", None),
        ("Fishery", "I agree with player_2.", None),
        ("Fishery", "Agree. Object.", None),
        ("SimpleNegotiation", "Okay, fine.", "accept"),
        ("SimpleNegotiation", "I offer you three wood for two gold.", "offer 3 wood for 2 gold"),
        ("Werewolf", "Yes.", None),
        ("Werewolf", "", None),
    ],
)
def test_what_has_a_form_is_read(name, text, act):
    world = build(name)
    action = grammar_of(world, 0).act(text, spoken(world, 0))
    assert (None if action is None else world.action_names[0][action]) == act


def test_an_illegal_act_is_none():
    world = build("Fishery")
    names = world.action_names[0]
    assert grammar_of(world, 0).act("agree", [names.index("object")]) is None


def at_meeting(**protocol):
    """Fishery at its first meeting, and the agent that speaks."""
    driver = Driver(build("Fishery"), range(5), {}, Protocol(**protocol), 0)
    while driver.batch.record().speaker < 0:
        for a in driver.waiting():
            if "tools" in protocol.values():
                seat = Scripted("norm_follower").seated(driver.batch, a, 0)
                driver.give(a, asyncio.run(seat.ask(driver.request(a))))
            else:
                driver.give(a, Answer("Action: catch 5"))
        driver.advance()
    (a,) = driver.waiting()
    return driver, a


@pytest.mark.parametrize(
    ("answer", "said", "act"),
    [
        ("Say: Let us say propose limit 10.", "Let us say propose limit 10.", "propose limit 10"),
        ("I think we should propose limit 10.", "I think we should propose limit 10.", "propose limit 10"),
        ("Say: What a day.", "What a day.", "pass"),
        ("Say: What a day.\nAction: propose limit 8", "What a day.", "pass"),
        ("Action: propose limit 8", "", "pass"),
        ("Say: nothing", "", "pass"),
    ],
)
def test_a_reader_finds_the_act_and_the_speaker_is_told(answer, said, act):
    driver, a = at_meeting(talk=Talk("free", reader="grammar"))
    text = driver.request(a).messages[-1]["content"]
    assert "propose limit" not in text.partition("You can speak")[2] and "Your legal actions" not in text
    outcome = driver.give(a, Answer(answer))
    assert (outcome.action, driver.seats[a].turns[-1].said, outcome.problem) == (act, said, None)
    assert driver.seats[a].counts["not understood"] == (act == "pass" and said != "")
    driver.advance()
    while a not in driver.waiting():
        for b in driver.waiting():
            driver.give(b, Answer("Say: nothing"))
        driver.advance()
    assert (f"Understood as: {act}." in driver.request(a).messages[-1]["content"]) == bool(said)


def test_with_functions_a_reader_hides_those_of_speech():
    driver, a = at_meeting(talk=Talk("free", reader="grammar"), actions="tools")
    assert [one["function"]["name"] for one in driver.request(a).tools] == [SPEAK]
    driver, a = at_meeting(talk="free", actions="tools")
    assert len(driver.request(a).tools) > 1


def test_an_action_that_is_no_speech_is_named_as_always():
    driver = Driver(build("Retail", say=True), (0, 1), {}, Protocol(talk=Talk("free", reader="grammar")), 0)
    while driver.length < 12 and not driver.done:
        for a in driver.waiting():
            names = driver.world.action_names[a]
            legal = [names[k] for k in np.flatnonzero(driver.batch.masks[0, a])]
            quiet = [
                name
                for name in legal
                if driver.seats[a]._floor and names.index(name) not in driver.seats[a]._floor.speech
            ]
            if quiet:
                assert driver.give(a, Answer(f"Action: {quiet[0]}")).action == quiet[0]
                return
            driver.give(a, Answer("Say: Hello." if "say" in legal else f"Action: {legal[0]}"))
        driver.advance()
    raise AssertionError("no action beside speech")


@pytest.mark.parametrize(
    ("name", "policy"), [("Werewolf", "honest"), ("Fishery", "norm_follower"), ("Traitors", "bayesian")]
)
def test_policies_that_answer_as_models_are_understood(name, policy):
    world, actions = build(name), []
    for reader in ("own", "grammar"):
        driver = Driver(world, range(len(world.agents)), {}, Protocol(talk=Talk("free", reader=reader)), 2)
        seats = [Scripted(policy).seated(driver.batch, a, 2) for a in driver.seats]
        while not driver.done and driver.length < 20:
            for a in driver.waiting():
                assert driver.give(a, asyncio.run(seats[a].ask(driver.request(a)))).own
            driver.advance()
        actions.append(driver.replay({}).actions)
        assert len(driver.words) > 0 and not any(seat.counts["not understood"] for seat in driver.seats.values())
    assert np.array_equal(*actions)


def test_a_model_reads_and_its_answers_are_kept(tmp_path, monkeypatch):
    asked = []

    def reader(messages):
        asked.append(messages[-1]["content"])
        return "Action: propose limit 7" if "seven" in messages[-1]["content"] else "no idea"

    monkeypatch.setattr(harness, "make_model", lambda name: Function(reader, name))
    talk = Talk("free", reader="model:judge")
    words = "Say: seven for each of us"
    players = {
        a: Function(lambda messages, a=a: _villager(messages, words if a else "Say: Hm."), f"m{a}") for a in range(5)
    }
    game = Game("one", build("Fishery"), 0, players, steps=4)
    (whole,) = play([game], Answers(tmp_path / "whole", {}), Protocol(talk=talk))
    assert {line.act for line in whole.replay.words.lines} == {"pass", "propose limit 7"}
    assert whole.counts["not understood"] == sum("Hm." in text for text in asked) == 1
    assert all("propose limit" in text and 'says: "' in text for text in asked)
    ledger = (tmp_path / "whole").read_text().splitlines(keepends=True)
    keys = [json.loads(line)["key"] for line in ledger]
    assert sum("reader" in key for key in keys) == len(asked)
    for k in range(1, len(ledger), 2):
        (tmp_path / "part").write_text("".join(ledger[:k]))
        (again,) = play([game], Answers(tmp_path / "part", {}), Protocol(talk=talk))
        assert again.replay.to_bytes() == whole.replay.to_bytes()
        assert sorted((tmp_path / "part").read_text().splitlines()) == sorted("".join(ledger).splitlines())


def _villager(messages, words):
    return "Action: catch 3" if "Your legal actions" in messages[-1]["content"] else words


def test_readers_that_cannot_be_are_refused():
    with pytest.raises(ParameterError, match="reader="):
        Talk("free", reader="oracle")
    with pytest.raises(ParameterError, match="reader="):
        Talk("free", reader="model:")
    with pytest.raises(ParameterError, match="no act that says nothing"):
        Talk("beside", reader="grammar").demand(build("DealOrNoDeal"))
    with pytest.raises(ParameterError, match="no act to leave unsaid"):
        Talk("beside", when="turn", reader="grammar").demand(build("Fishery"))
    with pytest.raises(ParameterError, match="no other one reads"):
        TextEnv("Fishery", protocol=Protocol(talk=Talk("free", reader="model:judge")))
