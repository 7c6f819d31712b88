"""Rounds of talk: when they are, who speaks and hears in them, and that nothing else of an episode changes."""

import asyncio
import json
from collections import Counter

import kit
import numpy as np
import pytest

from envsuite import registry
from envsuite.core.errors import ParameterError, ReplayError
from envsuite.models.answers import Answers
from envsuite.models.client import SPEAK, Answer, Function, Scripted, ToolCall
from envsuite.models.driver import Driver
from envsuite.models.harness import Game, play
from envsuite.models.protocol import Protocol
from envsuite.models.training import TextArena, TextEnv, rollouts
from envsuite.talk.reach import reach_in_round
from envsuite.talk.table import Talk
from envsuite.talk.words import Words

EVERY = ("public", "team", "private")


def build(name, **params):
    return registry.build(f"envsuite/{name}-v0", params)


def legal(driver, agent, k):
    """The name of a legal action of an agent that acts: the k-th, counted around."""
    found = np.flatnonzero(driver.batch.masks[0, agent])
    return driver.world.action_names[agent][found[k % len(found)]]


class Table:
    """An episode whose agents all answer with `say(driver, agent)` in rounds of talk, and act by a fixed rule."""

    def __init__(self, world, talk, say, seed=0, steps=6, **protocol):
        self.driver = driver = Driver(world, range(len(world.agents)), {}, Protocol(talk=talk, **protocol), seed)
        self.asked = []  # step, agent, whether it talks, question
        while not driver.done and driver.length < steps:
            for a in driver.waiting():
                request = driver.request(a)
                self.asked.append((driver.length, a, not request.acts, request.messages[-1]["content"]))
                driver.give(a, say(driver, a) if not request.acts else self.action(driver, a))
            driver.advance()

    @staticmethod
    def action(driver, a):
        return Answer(f"Action: {legal(driver, a, 7 * driver.length + a)}")

    @property
    def talked(self):
        return [(step, a) for step, a, talks, _ in self.asked if talks]

    @property
    def lines(self):
        return self.driver.words.lines


def marker(driver, agent):
    """Words that no other agent says at any other time."""
    return Answer(f"Say: mark-{agent}-{driver.length}-{driver.seats[agent].counts['rounds']}-")


@pytest.mark.parametrize(
    ("when", "steps"),
    [("before", [0, 1, 2, 3, 4, 5]), ("start", [0]), ("every:2", [0, 2, 4]), ("start+every:3", [0, 3])],
)
def test_when_there_are_rounds(when, steps):
    found = Table(build("Pursuit"), Talk("beside", when=when, rounds=2, total=10**4), marker)
    agents = len(found.driver.world.agents)
    assert found.talked == [(step, a) for step in steps for _ in range(2) for a in range(agents)]
    assert {line.step for line in found.lines} == set(steps)
    assert {(line.channel, line.act, line.by) for line in found.lines} == {("table", "", "model")}


def test_in_a_round_each_hears_those_before_it():
    found = Table(build("Pursuit"), Talk("beside", when="before", total=10**4), marker, steps=3)
    for _, a, talks, text in found.asked:
        heard = {line.agent for line in found.lines if line.text in text}
        others = set(range(len(found.driver.world.agents))) - {a}
        assert heard == {b for b in others if (b < a if talks else b > a)}


def test_all_at_once_nobody_hears_another_before_speaking():
    talk = Talk("beside", when="before", order="at once", total=10**4)
    found = Table(build("Pursuit"), talk, marker, steps=3)
    for step, _, talks, text in found.asked:
        heard = [line for line in found.lines if line.text in text]
        assert not talks or not heard
        assert talks or {line.step for line in heard} == {step}


def test_an_order_that_is_drawn_follows_from_the_seed():
    def orders(seed):
        talk = Talk("beside", when="before", order="drawn", rounds=3, total=10**4)
        talked = Table(build("Pursuit"), talk, marker, seed, 4).talked
        count = len({a for _, a in talked})
        return [tuple(a for _, a in talked[k : k + count]) for k in range(0, len(talked), count)]

    found = orders(3)
    assert found == orders(3) != orders(4)
    assert len(set(found)) > 4 and all(sorted(order) == sorted(found[0]) for order in found)


@pytest.mark.parametrize("name", ["Pursuit", "Fishery", "Werewolf", "RepeatedGame", "Avalon", "Diplomacy", "Harvest"])
def test_rounds_change_nothing_that_the_rules_know(name):
    talk = Talk("beside", when="before", channels=EVERY, total=10**4)
    loud, quiet = Table(build(name), talk, marker, 2), Table(build(name), Talk(), marker, 2)
    assert loud.lines and not quiet.talked
    first, second = loud.driver.replay({}), quiet.driver.replay({})
    first.words = None
    assert first.to_bytes() == second.to_bytes()


@pytest.mark.parametrize("channels", [("public",), ("team",), ("private",), EVERY])
@pytest.mark.parametrize("name", ["Werewolf", "Traitors", "Avalon", "SecretHitler", "AmongUs", "Fishery", "Pursuit"])
def test_words_reach_those_that_the_channel_reaches(name, channels):
    world = build(name)
    if channels == ("team",) and name in ("Fishery", "Pursuit", "SecretHitler"):
        with pytest.raises(ParameterError, match="no teams"):
            Talk("beside", when="before", channels=channels).demand(world)
        return

    def say(driver, agent):
        reach = reach_in_round(world, driver.batch.record(), agent, channels)
        mark = f"{agent}-{driver.length}-{driver.seats[agent].counts['rounds']}-"
        return Answer("\n".join(f"Say to {name or 'all'}: {name or 'all'}-{mark}" for name in reach))

    found = Table(world, Talk("beside", when="before", channels=channels, total=10**4), say, 1, 12)
    for line in found.lines:
        for a in range(len(world.agents)):
            told = [text for _, agent, _, text in found.asked if agent == a and line.text in text]
            after = [step for step, agent, *_ in found.asked if agent == a and step > line.step]
            assert len(told) <= (a in line.to)
            assert told or a not in line.to or not after


def test_a_wolf_confers_with_wolves_alone_and_only_at_night():
    world = build("Werewolf", players=9)
    talk = Talk("free", when="speech+phase", rounds=2, channels=("public", "team"))
    found = Table(world, talk, marker, 5, 25)
    roles = found.driver.batch.record().roles
    wolves = tuple(np.flatnonzero(roles == 1).tolist())
    team = [line for line in found.lines if line.channel == "team"]
    assert team and all(set(line.to) | {line.agent} <= set(wolves) for line in team)
    first = Counter(line.agent for line in team if line.step == 0)
    assert first == dict.fromkeys(wolves, 2)
    votes = {line.step for line in found.lines if line.channel == "table"}
    moves = found.driver.replay({}).actions
    assert votes and all("vote for" in world.action_names[0][moves[step].max()] for step in votes)


def test_a_dead_player_does_not_talk():
    found = Table(build("Werewolf"), Talk("beside", when="before"), marker, 1, 12)
    record = found.driver.batch.record()
    dead = set(np.flatnonzero(record.alive == 0).tolist())
    last = {line.agent: line.step for line in found.lines}
    assert dead and all(last.get(a, 0) < found.driver.length - 1 for a in dead)


def test_a_name_that_cannot_hear_is_refused_and_only_the_words_are_lost():
    say = "Say to player_9: hello there\nSay to player 1: only you"
    talk = Talk("beside", when="start", channels=("public", "private"), rounds=2)
    found = Table(build("Avalon"), talk, lambda *_: Answer(say), 0, 1)
    assert {line.text for line in found.lines} == {"only you"}
    assert {(line.to, line.channel) for line in found.lines} == {((1,), "private")}
    assert found.driver.seats[2].spent == 8
    second = [text for step, a, talks, text in found.asked if a == 2 and talks][1]
    assert "Nobody heard your words to player_9: you can speak to player_0, player_1" in second


def test_without_a_channel_to_all_words_need_a_name():
    talk = Talk("beside", when="start", channels=("private",))
    found = Table(build("Fishery"), talk, lambda *_: Answer("Say: hello"), 0, 1)
    assert not found.lines
    assert any("Nobody heard your words to all" in text for *_, text in found.asked)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("Say: Hello."), "Hello."),
        (Answer("Let us all be careful."), "Let us all be careful."),
        (Answer("<think>what to say</think>Let us be careful.\nAction: catch 5"), "Let us be careful."),
        (Answer("<think>what to say"), ""),
        (Answer("I think that we", finish="length"), ""),
        (Answer("Say: I am done.\nAnd then", finish="length"), "I am done."),
        (Answer("Say: nothing"), ""),
        (Answer(""), ""),
        (Answer('{"say": "Hello."}'), "Hello."),
        (Answer('{"action": "catch 5"}'), ""),
        (Answer("", refusal="I will not."), ""),
        (Answer(calls=(ToolCall(SPEAK, '{"text": "Hello."}', "1"),)), "Hello."),
        (Answer(calls=(ToolCall("catch", '{"amount": 5}', "1"),)), ""),
    ],
)
def test_an_answer_in_a_round_is_words_and_no_action(answer, words):
    found = Table(build("Fishery"), Talk("beside", when="start"), lambda *_: answer, 0, 1)
    assert {line.text for line in found.lines} == ({words} if words else set())
    assert found.driver.seats[0].counts == {"rounds": 1, "turns": 1}


def test_functions_name_whom_they_speak_to():
    talk = Talk("beside", when="start", channels=("public", "private"))
    driver = Driver(build("Fishery"), range(5), {}, Protocol(talk=talk, actions="tools"), 0)
    (tool,) = driver.request(0).tools
    assert tool["function"]["name"] == SPEAK
    assert tool["function"]["parameters"]["properties"]["to"]["enum"] == ["all", *driver.world.agents[1:]]
    outcome = driver.give(0, Answer(calls=(ToolCall(SPEAK, '{"text": "Psst.", "to": "player_3"}', "1"),)))
    assert outcome.action == 'says "(to player_3) Psst."'
    driver.advance()
    assert [(line.to, line.channel) for line in driver.words.lines] == [((3,), "private")]


def test_words_with_an_act_can_be_for_one_hearer():
    protocol = Protocol(talk=Talk("beside", channels=("public", "private")))
    driver = Driver(build("Fishery"), range(5), {}, protocol, 0)
    while driver.batch.record().speaker < 0:
        for a in driver.waiting():
            driver.give(a, Answer("Action: catch 5"))
        driver.advance()
    (a,) = driver.waiting()
    assert 'For one of them alone, write "Say to NAME: ".' in driver.request(a).messages[-1]["content"]
    driver.give(a, Answer("Say: Hello.\nSay to player_3: Psst.\nSay to nobody: Hm.\nAction: pass"))
    driver.advance()
    heard = [(line.text, line.channel) for line in driver.words.lines]
    assert heard == [("Hello.", "public"), ("Psst.", "private")]


def test_an_agent_that_has_said_all_its_words_is_not_asked():
    say = Answer("Say: one two three four")
    found = Table(build("Pursuit"), Talk("beside", when="before", total=10), lambda *_: say, 0, 5)
    assert Counter(a for _, a in found.talked) == dict.fromkeys(range(len(found.driver.world.agents)), 3)
    assert [len(line.text.split()) for line in found.lines if line.agent == 0] == [4, 4, 3]  # with [cut]


def test_policies_are_silent_in_rounds():
    driver = Driver(build("Fishery"), (0,), "random", Protocol(talk=Talk("beside", when="before")), 0)
    seat = Scripted("random").seated(driver.batch, 0, 0)
    while driver.length < 5:
        for a in driver.waiting():
            assert driver.give(a, asyncio.run(seat.ask(driver.request(a)))).own
        driver.advance()
    assert len(driver.words) == 0 and driver.seats[0].counts["rounds"] == 5


def test_what_was_told_in_a_round_is_not_told_again_in_a_conversation():
    talk = Talk("beside", when="before", rounds=2)
    chat = Table(build("Fishery"), talk, marker, 0, 1)
    prompt = Table(build("Fishery"), talk, marker, 0, 1, memory="prompt")
    for found, told in ((chat, [True, False, False]), (prompt, [True, True, True])):
        assert ["Month 1 of" in text for _, a, _, text in found.asked if a == 1] == told
    assert [text.count('player_4: "mark-4') for _, a, _, text in prompt.asked if a == 1] == [0, 1, 2]
    assert 'You: "mark-1-0-0-"' in prompt.asked[-4][-1]
    (last,) = [text for _, a, talks, text in chat.asked if a == 1 and not talks]
    assert last.startswith("Turn 1.\nYou hear:\n") and "Your legal actions:" in last


def models(count):
    """Functions that talk and act by what they are asked alone."""

    def answer(messages):
        text = messages[-1]["content"]
        if "Your legal actions" not in text:
            return f"Say: {text.count('player_')} and {len(messages)}"
        return f"Action: {kit.legal_in(text)[len(text) % 5]}"

    return {a: Function(answer, f"m{a}") for a in range(count)}


@pytest.mark.parametrize("order", ["seats", "at once"])
def test_an_evaluation_resumes_byte_for_byte(tmp_path, order):
    """It is stopped after each of its answers in turn, and continues from its ledger."""
    talk = Talk("beside", when="before", rounds=2, order=order, total=30)
    world, protocol = build("Fishery"), Protocol(talk=talk)
    game = Game("one", world, 4, models(5), steps=2)
    (whole,) = play([game], Answers(tmp_path / "whole", {}), protocol)
    ledger = (tmp_path / "whole").read_text().splitlines(keepends=True)
    keys = [json.loads(line)["key"] for line in ledger if '"key"' in line]
    assert len({json.dumps(key) for key in keys}) == len(keys) and any("talk" in key for key in keys)
    for k in range(1, len(ledger), 7):
        (tmp_path / "part").write_text("".join(ledger[:k]))
        (again,) = play([game], Answers(tmp_path / "part", {}), protocol)
        assert again.replay.to_bytes() == whole.replay.to_bytes()
        assert sorted((tmp_path / "part").read_text().splitlines()) == sorted("".join(ledger).splitlines())
    spent = [Words.spent(whole.replay.words, a) for a in range(5)]
    assert max(spent) <= 30


def test_trainers_talk_too():
    protocol = Protocol(talk=Talk("beside", when="before"))
    answer = next(iter(models(1).values())).answer
    (rollout,) = rollouts(build("Coins", horizon=4), answer, 1, 0, protocol=protocol)
    said = [one["content"] for one in rollout.messages if one["role"] == "assistant"]
    assert [text.partition(":")[0] for text in said] == ["Say", "Action"] * 4 and len(rollout.rewards) == 4
    assert [rollout.messages[k]["content"] for k in rollout.turns] == said[1::2]
    env = TextEnv("Coins", horizon=2, protocol=protocol)
    text, _ = env.reset(seed=0)
    assert "nobody acts" in text
    text, reward, *_, info = env.step("Say: hello")
    assert reward == 0.0 and info["problem"] is None and "Your legal actions" in text
    arena = TextArena("Coins", horizon=2, protocol=protocol)
    arena.reset(seed=0)
    order = []
    while len(order) < 4:
        a, text = arena.get_observation()
        order.append(a)
        arena.step(answer([{"content": text}]))
    assert order == [0, 1, 0, 1]


def test_a_replay_keeps_rounds_up_to_its_last_transition(tmp_path):
    found = Table(build("Fishery"), Talk("beside", when="before", channels=("public", "private")), marker, 0, 3)
    replay = found.driver.replay(dict.fromkeys(range(5), "stub"))
    driver = found.driver
    driver.give(0, Answer("Say: too late"))
    driver.advance()
    assert driver.words.lines[-1].text == "too late"
    later = driver.replay(dict.fromkeys(range(5), "stub"))
    assert later.to_bytes() == replay.to_bytes()
    later.save(tmp_path / "it.replay")
    again = type(replay).load(tmp_path / "it.replay")
    assert again.words.lines == replay.words.lines and again.words.lines[0].channel == "table"


def test_what_powers_write_arrives_when_the_round_of_press_closes():
    world = build("Diplomacy", map="triangle", press=2)
    driver, heard = Driver(world, range(3), {}, Protocol(talk="beside"), 0), {}
    while driver.batch.record().phase == 0 and driver.length < 40:
        now = int(driver.batch.record().round)
        for a in driver.waiting():
            text = driver.request(a).messages[-1]["content"]
            for line in driver.words.lines:
                if line.text in text:
                    heard.setdefault(line, (a, now))
            peace = [name for name in world.action_names[a] if name.startswith("propose peace")]
            names = {world.action_names[a][k] for k in np.flatnonzero(driver.batch.masks[0, a])}
            legal = next((name for name in peace if name in names), None)
            words = f"Say: {a} in round {now}, at {driver.length}.\nAction: {legal}"
            driver.give(a, Answer(words if legal else f"Action: {min(names, key=lambda name: name != 'say no more')}"))
        driver.advance()
    rounds = {line: int(line.text.split()[3].strip(",")) for line in driver.words.lines}
    assert len(set(rounds.values())) == 2 and len({line.step for line in rounds}) > 2
    for line, at in rounds.items():
        assert heard[line] == (line.to[0], at + 1)


def test_what_a_business_says_arrives_with_its_answer():
    world = build("Marketplace", latency=6.0, say=True)
    driver, known, asked = Driver(world, range(len(world.agents)), {}, Protocol(talk="beside"), 3), {}, {}
    customers = len(driver.batch.record().orders)
    while not driver.done and driver.length < 25:
        deals = driver.batch.record().deals
        for a in driver.waiting():
            text = driver.request(a).messages[-1]["content"]
            for line in driver.words.lines:
                if a in line.to and line.text in text:
                    asked.setdefault(line, driver.length)
            names = [world.action_names[a][k] for k in np.flatnonzero(driver.batch.masks[0, a])]
            wanted = "inquire all", "reply", "search" if driver.length == 0 else "wait"
            speaks = next((name for name in wanted if name in names), names[0])
            driver.give(a, Answer(f"Say: from {a} at {driver.length}.\nAction: {speaks}"))
        driver.advance()
        for line in driver.words.lines:
            deal = deals[line.to[0], line.agent - customers] if line.agent >= customers else None
            if line not in known and (deal is None or not (deal.asked or deal.underway)):
                known[line] = driver.length
    answers = [line for line in asked if line.agent >= customers]
    assert any(asked[line] > line.step + 1 for line in answers)
    assert all(asked[line] == known[line] for line in answers)


def test_words_of_earlier_replays_are_read_and_written_as_they_were():
    data = b'[[1,0,[1,2],"hello","pass","model"]]'
    words = Words.from_bytes(data, 3, 9, "it")
    assert words.lines[0].channel == "public" and words.to_bytes() == data
    data = b'[[1,0,[1,2],"hello","","model","team"]]'
    assert Words.from_bytes(data, 3, 9, "it").to_bytes() == data
    for odd in (b'"radio"', b"5", b"null", b'"team","team"'):
        with pytest.raises(ReplayError, match="what was said"):
            Words.from_bytes(data.replace(b'"team"', odd), 3, 9, "it")


@pytest.mark.parametrize("name", ["Hanabi", "BridgeBidding", "Codenames", "SplitNoComm", "TradeComm"])
def test_a_world_can_forbid_rounds(name):
    world = build(name)
    for when in ("before", "turn", "speech+start"):
        with pytest.raises(ParameterError, match=world.talk_forbidden):
            Talk("beside", when=when).demand(world)
        if when != "speech+start":
            Talk("beside", when=when, anyway=True).demand(world)
    assert Table(world, Talk("beside", when="start", anyway=True), marker, 0, 1).lines


@pytest.mark.parametrize(
    ("talk", "name", "problem"),
    [
        (Talk("free", when="before"), "Fishery", "no act to leave unsaid"),
        (Talk("beside", when="phase"), "Fishery", "no phases"),
        (Talk("beside", when="before", channels=("team",)), "Fishery", "no teams"),
        (Talk("beside", when="before"), "CartPole", "nobody to talk to"),
        (Talk("beside", when="speech+before"), "Pursuit", "no acts of speech"),
    ],
)
def test_rounds_that_cannot_be_are_refused(talk, name, problem):
    with pytest.raises(ParameterError, match=problem):
        talk.demand(build(name))


def test_a_text_names_all_of_it():
    named = Protocol(talk="free:when=speech+phase,rounds=2,channels=public+team,reader=model:judge").talk
    channels = ("public", "team")
    assert named == Talk("free", when="speech+phase", rounds=2, channels=channels, reader="model:judge")
    with pytest.raises(ParameterError, match="mode='loud'"):
        Protocol(talk="loud:rounds=2")


@pytest.mark.parametrize(
    "odd",
    [
        dict(when="every:0"), dict(when="every:x"), dict(when="before+never"), dict(when="speech+turn"),
        dict(rounds=0), dict(rounds=21), dict(order="loudest"), dict(channels=()), dict(channels=("radio",)),
    ],
)  # fmt: skip
def test_odd_rounds_are_refused(odd):
    with pytest.raises(ParameterError, match=next(iter(odd))):
        Talk("beside", **odd)
