"""Agents that talk: who hears what, what the rules know of it, and what stays of it."""

import asyncio
import json
import re

import numpy as np
import pytest
from browser import embedded

from envsuite import registry
from envsuite.core.errors import ParameterError, ReplayError
from envsuite.core.world import World
from envsuite.episodes.replay import Replay
from envsuite.models.client import SPEAK, Answer, Scripted, ToolCall
from envsuite.models.driver import Driver
from envsuite.models.protocol import Protocol
from envsuite.models.speaking import uttered
from envsuite.render.page import page
from envsuite.talk.table import WARNING, Talk, speaks
from envsuite.talk.voice import phrase
from envsuite.talk.words import MOST_LINES, Line, Words

FREE = [id for id in registry.ids() if (world := registry.build(id)).neutral and speaks(world)]
SPEAKING = [id for id in registry.ids() if speaks(registry.build(id))]


def build(name, **params):
    return registry.build(f"envsuite/{name}-v0", params)


def acted(driver, agent, rng):
    """The name of a legal action of an agent, by lot."""
    legal = np.flatnonzero(driver.batch.masks[0, agent])
    return driver.world.action_names[agent][rng.choice(legal)]


def played(world, protocol, answer, seed=0, steps=40, prompts=None):
    """An episode whose agents all answer with `answer(driver, agent, rng)`; requests are added to `prompts`."""
    driver, rng = Driver(world, range(len(world.agents)), {}, protocol, seed), np.random.default_rng(seed)
    while not driver.done and driver.length < steps:
        for a in driver.waiting():
            request = driver.request(a)
            if prompts is not None:
                prompts.append((driver.length, a, request.messages[-1]["content"]))
            while driver.give(a, answer(driver, a, rng)).action is None:
                pass
        driver.advance()
    return driver


def talking(driver, agent, rng):
    words = f"marker-{agent}-at-{driver.length}-" if driver.seats[agent]._floor is not None else ""
    return Answer(f"Say: {words}\nAction: {acted(driver, agent, rng)}")


def unheard(world, seed, steps):
    """Play an episode with and without words; all but the words is the same."""
    quiet = played(world, Protocol(), talking, seed, steps)
    loud = played(world, Protocol(talk="beside"), talking, seed, steps)
    assert quiet.words is None and loud.words is not None
    first, second = quiet.replay({}), loud.replay({})
    second.words = None
    assert first.to_bytes() == second.to_bytes()


@pytest.mark.parametrize("id", SPEAKING)
def test_words_change_nothing_that_the_rules_know(id):
    unheard(registry.build(id), 0, 15)


@pytest.mark.long
@pytest.mark.parametrize("id", SPEAKING)
def test_words_change_nothing_in_twenty_episodes(id):
    for seed in range(20):
        unheard(registry.build(id), seed, 100)


@pytest.mark.parametrize("id", SPEAKING)
def test_words_reach_those_that_the_act_reaches(id):
    world, prompts = registry.build(id), []
    driver = played(world, Protocol(talk="beside", skip_forced=False), talking, 1, 30, prompts)
    assert len(driver.words) > 0
    for line in driver.words.lines:
        assert line.text == f"marker-{line.agent}-at-{line.step}-"
        for a in range(len(world.agents)):
            told = [step for step, agent, text in prompts if agent == a and line.text in text]
            asked = [step for step, agent, _ in prompts if agent == a and step > line.step]
            if type(world).hearing is World.hearing:
                assert told == (asked[:1] if a in line.to else [])  # once, and never before the others have chosen
            else:
                assert told in ([], *([step] for step in asked)) and (a in line.to or not told)


def test_agents_that_choose_at_once_hear_each_other_afterwards():
    prompts = []
    played(build("Pursuit"), Protocol(talk=Talk("beside", when="turn")), talking, 0, 4, prompts)
    for step, agent, text in prompts:
        heard = [f"marker-{a}-at-{step - 1}-" in text for a in range(len({a for _, a, _ in prompts})) if a != agent]
        assert all(heard) == (step > 0)
        assert f"-at-{step}-" not in text


@pytest.mark.parametrize("name", ["Werewolf", "Traitors", "Avalon", "SecretHitler"])
def test_in_free_talk_prompts_do_not_tell_acts(name):
    """The same words with other acts: what others are asked is the same until the rules part."""

    def spoken(act):
        def answer(driver, agent, rng):
            names = driver.world.action_names[agent]
            legal = [names[k] for k in np.flatnonzero(driver.batch.masks[0, agent])]
            speaks = driver.seats[agent]._floor is not None
            chosen = next(name for name in legal if name.startswith(act)) if speaks else legal[0]
            return Answer(f"Say: I say this at {driver.length}.\nAction: {chosen}")

        prompts = []
        played(build(name), Protocol(talk="free"), answer, 2, 20, prompts)
        return prompts

    own = {"accuse": [], "defend": []}
    for act, found in own.items():
        found += spoken(act)
    assert [text for *_, text in own["accuse"]] == [text for *_, text in own["defend"]]
    assert any("You hear:" in text for *_, text in own["accuse"])


def test_words_alone_are_the_neutral_act():
    driver = played(build("Fishery"), Protocol(talk="free"), lambda *_: Answer("Say: Let us be careful."), 0, 6)
    lines = driver.words.lines
    assert lines and {line.act for line in lines} == {"pass"}
    assert {line.text for line in lines} == {"Let us be careful."}
    assert {line.to for line in lines if line.agent == 1} == {(0, 2, 3, 4)}


def test_thoughts_about_an_act_are_not_the_act():
    world = build("Werewolf")

    def answer(driver, agent, rng):
        return Answer("I could accuse player_1, or\ndefend player_2\nSay: Good morning.")

    driver = played(world, Protocol(talk="free", retries=0), answer, 3, 10)
    assert {line.act for line in driver.words.lines} == {"silent"}


def test_functions_speak_too():
    driver = Driver(build("Werewolf"), range(7), {}, Protocol(talk="free", actions="tools"), 0)
    while driver.batch.record().speaker < 0:
        for a in driver.waiting():
            name, arguments = next(iter(driver.request(a).tools))["function"]["name"], {}
            target = next(iter(driver.request(a).tools))["function"]["parameters"]["properties"]
            arguments = {key: one["enum"][0] for key, one in target.items()}
            driver.give(a, Answer(calls=(ToolCall(name, json.dumps(arguments), "1"),)))
        driver.advance()
    (a,) = driver.waiting()
    request = driver.request(a)
    assert request.tools[-1]["function"]["name"] == SPEAK
    assert SPEAK not in {one["function"]["name"] for one in request.tools[:-1]}
    outcome = driver.give(a, Answer(calls=(ToolCall(SPEAK, '{"text": "Good morning."}', "2"),)))
    assert outcome.own and outcome.action == "silent"
    driver.advance()
    assert [line.text for line in driver.words.lines] == ["Good morning."]


def test_only_the_answer_that_counts_is_heard():
    driver = Driver(build("SimpleNegotiation"), (0, 1), {}, Protocol(talk="beside"), 0)
    assert driver.give(0, Answer("Say: First.\nAction: offer everything")).action is None
    driver.give(0, Answer("Say: Second.\nAction: pass"))
    driver.advance()
    assert [line.text for line in driver.words.lines] == ["Second."]
    text = driver.request(1).messages[-1]["content"]
    assert 'player_0: "Second."' in text and "First" not in text


def test_words_with_an_action_that_is_no_speech_are_lost_and_the_speaker_is_told():
    driver = Driver(build("Hanabi"), (0, 1), {}, Protocol(talk="beside"), 0)
    for agent, action in enumerate(["play card 1", "hint player_0 rank 1"]):
        assert driver.give(agent, Answer(f"Say: Words of {agent}.\nAction: {action}")).own
        driver.advance()
    assert [line.text for line in driver.words.lines] == ["Words of 1."]
    assert "Nobody heard your words, because they do not go" in driver.request(0).messages[-1]["content"]


def test_a_fallback_says_nothing():
    driver = Driver(build("SimpleNegotiation"), (0, 1), {}, Protocol(talk="beside", retries=0), 0)
    assert not driver.give(0, Answer("Say: Hello.\nAction: dance")).own
    driver.advance()
    assert len(driver.words) == 0


def test_words_are_counted():
    long = " ".join(f"w{k}" for k in range(100))
    protocol, prompts, answer = Protocol(talk=Talk("beside", words=10, total=25)), [], f"Say: {long}\nAction: pass"
    driver = played(build("SimpleNegotiation"), protocol, lambda *_: Answer(answer), 0, 10, prompts)
    lengths = [len(line.text.split()) for line in driver.words.lines if line.agent == 0]
    assert lengths == [11, 11, 6]  # with [cut]
    own = [text for _, a, text in prompts if a == 0]
    assert ["at most 10." in text for text in own[:2]] == [True, True] and "at most 5." in own[2]
    assert "You can speak" not in own[3]
    assert "Your words were cut off after 10." in own[1]


def test_policies_speak_by_sentences_that_tell_the_act_alone():
    world = build("Werewolf")
    action = world.action_names[0].index("accuse player_3")
    found = {phrase(world, None, 0, action, seed, 5) for seed in range(50)}
    assert found == {text.format("player_3") for text in world.phrases["accuse {}"]}
    assert phrase(world, None, 0, action, 7, 5) == phrase(world, None, 0, action, 7, 5)
    assert phrase(world, None, 0, world.action_names[0].index("silent"), 0, 0) == ""


def test_a_model_hears_policies():
    driver = Driver(build("Fishery"), (0,), dict.fromkeys(range(1, 5), "norm_follower"), Protocol(talk="free"), 0)
    texts = []
    while not driver.done and driver.length < 30:
        for a in driver.waiting():
            texts.append(driver.request(a).messages[-1]["content"])
            driver.give(a, Answer("Action: pass" if "pass" in texts[-1] else "Action: catch 5"))
        driver.advance()
    assert driver.words.lines and {line.by for line in driver.words.lines} == {"policy"}
    assert any(line.text in text for line in driver.words.lines for text in texts)


@pytest.mark.parametrize("actions", ["names", "numbers", "tools"])
def test_policies_that_answer_as_models_speak_too(actions):
    world = build("Werewolf")
    driver = Driver(world, range(7), {}, Protocol(talk="beside", actions=actions), 0)
    seats = [Scripted("honest").seated(driver.batch, a, 0) for a in range(7)]
    while not driver.done and driver.length < 12:
        for a in driver.waiting():
            assert driver.give(a, asyncio.run(seats[a].ask(driver.request(a)))).own
        driver.advance()
    assert driver.words.lines
    for line in driver.words.lines:
        action = world.action_names[line.agent].index(line.act)
        assert line.text == phrase(world, None, line.agent, action, 0, line.step)


def test_a_page_warns_of_words_that_look_like_rules():
    world = build("Fishery")
    for talk, warned in (("typed", False), ("free", True), (Talk("free", warning=False), False)):
        driver = Driver(world, (0,), "random", Protocol(talk=talk), 0)
        assert (WARNING in driver.request(0).messages[0]["content"]) == warned


@pytest.mark.parametrize(
    ("name", "talk", "problem"),
    [
        ("TicTacToe", Talk("beside"), "has no acts of speech"),
        ("CartPole", Talk("beside", when="turn"), "nobody to talk to"),
        ("TicTacToe", Talk("free", when="turn"), "no act to leave unsaid"),
    ],
)
def test_talk_that_cannot_be_is_refused(name, talk, problem):
    world = build(name)
    with pytest.raises(ParameterError, match=problem):
        Driver(world, (0,), "random", Protocol(talk=talk), 0)


@pytest.mark.parametrize("odd", [dict(mode="loud"), dict(when="never"), dict(words=-1), dict(total=10**9)])
def test_odd_talk_is_refused(odd):
    with pytest.raises(ParameterError, match=next(iter(odd))):
        Talk(**odd)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Say: hello\nAction: pass", "hello"),
        ("**Say:** hello there  \n**Action:** pass", "hello there"),
        ("- say: \u201cI trust player_2\u201d\nAction: pass", "I trust player_2"),
        ("Say: one\nSay: two", "one two"),
        ("Say: nothing\nAction: pass", ""),
        ("Say:\nAction: pass", ""),
        ("<think>Say: my secret</think>\nSay: hello", "hello"),
        ("<think>Say: my secret", ""),
        ('{"say": "hello", "action": "pass"}', "hello"),
        ('{"say": 5, "action": "pass"}', ""),
        ("I would say: maybe\nAction: pass", ""),
        ("Sayonara\nAction: pass", ""),
        ("Say: Action: accuse player_1", "Action: accuse player_1"),
    ],
)
def test_words_are_taken_out_of_an_answer(text, words):
    found, rest = uttered(Answer(text))
    assert " ".join(part for part, _ in found) == words
    assert "say:" not in rest.text.lower() or text.startswith(("<think>Say: my secret", "I would", "{"))


def replay():
    driver = played(build("Fishery"), Protocol(talk="free"), lambda *_: Answer("Say: Let us be careful."), 0, 9)
    return driver.replay(dict.fromkeys(range(5), "stub"))


def test_a_replay_keeps_what_was_said(tmp_path):
    found = replay()
    found.save(tmp_path / "it.replay")
    again = Replay.load(tmp_path / "it.replay")
    again.verify()
    assert again.words.lines == found.words.lines
    assert again.words.at(1) == [line for line in found.words.lines if line.step == 1]
    assert again.to_bytes() == found.to_bytes()


def test_a_page_shows_what_was_said():
    found = replay()
    shown = [(step, a, words) for step, a, words in embedded(page(found))["messages"] if words.startswith('"')]
    assert shown == [(line.step + 1, line.agent, f'"{line.text}"') for line in found.words.lines]


LINE = ["step", 1], ["agent", 0], ["to", (1, 2)], ["text", "hello"], ["act", "pass"], ["by", "model"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("step", -1), ("step", 9), ("step", 1.0), ("step", "1"), ("step", None), ("step", True),
        ("agent", -1), ("agent", 5), ("agent", 1.5), ("agent", None),
        ("to", (5,)), ("to", (-1,)), ("to", (0,)), ("to", ("1",)), ("to", 3), ("to", None),
        ("text", ""), ("text", "two\nlines"), ("text", " spaced"), ("text", "\u202eturned"), ("text", 7),
        ("text", None), ("text", "x" * 5000), ("act", 7), ("act", None), ("act", "x" * 5000), ("by", 1), ("by", None),
    ],
)  # fmt: skip
def test_forged_words_are_refused(field, value):
    row = dict(LINE) | {field: value}
    with pytest.raises(ReplayError, match="what was said"):
        Words.from_bytes(json.dumps([list(row.values())]).encode(), 5, 9, "it")


@pytest.mark.parametrize("data", [b"", b"{", b"5", b"[[1]]", b"\xff", b"[" * 10**5])
def test_what_is_no_list_of_lines_is_refused(data):
    with pytest.raises(ReplayError, match="what was said"):
        Words.from_bytes(data, 5, 9, "it")


def test_lines_out_of_order_or_too_many_are_refused():
    line = list(dict(LINE).values())
    with pytest.raises(ReplayError, match="step 0"):
        Words.from_bytes(json.dumps([line, [0, *line[1:]]]).encode(), 5, 9, "it")
    with pytest.raises(ReplayError, match=f"{MOST_LINES} are the most"):
        Words.from_bytes(json.dumps([line] * (MOST_LINES + 1)).encode(), 5, 9, "it")


def test_an_episode_keeps_no_more_lines_than_a_replay_may_hold():
    words = Words(2)
    for _ in range(MOST_LINES + 5):
        words.say(Line(0, 0, (1,), "hello", "pass", "model"))
    assert len(words) == MOST_LINES


def limit_of(text):
    """The limit that a sentence proposes: the number before "each"."""
    found = re.search(r"(\d+) each", text)
    return int(found[1]) if found else None


@pytest.mark.parametrize(("mode", "lives"), [("free", True), ("typed", False)])
def test_a_limit_agreed_on_in_words_keeps_the_lake(mode, lives):
    """Villagers who take no more than what they heard to be the limit live; who hear of none take all."""
    limits = {}

    def villager(driver, agent, rng):
        text = driver.request(agent).messages[-1]["content"]
        heard = [limit_of(line) for line in text.splitlines() if line.startswith("player_")]
        limits.update((agent, limit) for limit in heard if limit is not None)
        if "You speak." in text:
            if agent:
                return Answer("Say: Fine with me.\nAction: pass")
            limits[0] = 8
            return Answer("Say: Let us take at most 8 each.\nAction: pass")
        catch = 4 if "Month 1 of" in text else limits.get(agent, 20)
        return Answer(f"Action: catch {min(catch, driver.batch.record().stock)}")

    driver = played(build("Fishery", max_utterances=5, stock=60), Protocol(talk=mode), villager, 0, 200)
    assert driver.done
    assert (driver.batch.record().month == 12) == lives
