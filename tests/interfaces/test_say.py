"""Agents that talk in loops of the user's own: who hears what, when, and what stays of it."""

import re

import numpy as np
import pytest

import envsuite
from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, AgentError, ParameterError, SnapshotError
from envsuite.episodes.recorder import Recorder
from envsuite.episodes.replay import Replay
from envsuite.models.client import Answer
from envsuite.models.driver import Driver
from envsuite.models.protocol import Protocol
from envsuite.registry import build
from envsuite.talk.table import WARNING, Talk

BESIDE, FREE = (Protocol(talk=Talk(mode, channels=("public", "private"))) for mode in ("beside", "free"))
AT_TURNS = Protocol(talk=Talk("beside", when="turn"))


def legal(env, agent, rng):
    names = env.action_names(agent, legal=True)
    return env.action_names(agent).index(names[rng.integers(len(names))])


def spoken(env, agent):
    """Say a marker if the agent may speak; whether it may."""
    try:
        env.say(agent, f"marker-{agent}-at-{int(env.batch.records['t'][0])}-")
    except ActionError:
        return False
    return True


def play(env, seed=0, steps=40, say=spoken):
    """Random play of a parallel environment, whose agents speak whenever they can; the infos at their turns."""
    rng, told = np.random.default_rng(seed), []
    infos = env.reset(seed=seed)[1]
    for step in range(steps):
        if not env.agents:
            break
        actions = {}
        for agent in env.agents:
            if env.batch.acting[0, env.number(agent)]:
                told.append((step, agent, infos[agent].get("heard")))
                actions[agent] = legal(env, agent, rng)
                say(env, agent)
        infos = env.step(actions)[-1]
    return told


def driven(world, seed, steps):
    """The lines of a driver's episode with the answers of `play`, and what was heard: step, agent, words."""
    rng, heard = np.random.default_rng(seed), []
    driver = Driver(world, range(len(world.agents)), {}, Protocol(talk="beside", skip_forced=False), seed)
    while not driver.done and driver.length < steps:
        for a in driver.waiting():
            agent, question = world.agents[a], driver.request(a).messages[-1]["content"]
            heard.append((driver.length, agent, re.findall(r'^\w+(?: \(to [^)]*\))?: "(marker-.*)"$', question, re.M)))
            names = [world.action_names[a][k] for k in np.flatnonzero(driver.batch.masks[0, a])]
            words = f"marker-{agent}-at-{driver.length}-"
            driver.give(a, Answer(f"Say: {words}\nAction: {names[rng.integers(len(names))]}"))
        driver.advance()
    return driver.words.lines, heard


@pytest.mark.parametrize("name", ["Werewolf", "Fishery", "SimpleNegotiation", "AmongUs"])
def test_a_loop_hears_what_a_driver_hears(name):
    """Words that wait go with a later act; but for these, the driver's lines are those of the loop."""
    env = envsuite.make_parallel(name, protocol=BESIDE)
    play(env, 1, 30)
    own = [line for line in env.talk.words.lines if line.text.endswith(f"-at-{line.step}-")]
    assert own and own == driven(env.world, 1, 30)[0][: len(own)]


def test_words_that_are_held_arrive_as_a_driver_delivers_them():
    """Powers of Diplomacy hear what they were written when the round of press closes."""
    world = build("Diplomacy", {"map": "triangle", "press": 2})
    env = envsuite.make_parallel(world, protocol=BESIDE)
    turns = [(step, agent, [one["text"] for one in heard]) for step, agent, heard in play(env, 0, 12)]
    lines, heard = driven(world, 0, 12)
    assert turns == heard and env.talk.words.lines == lines
    arrived = {text: step for step, _, texts in turns for text in texts}
    assert any(arrived[line.text] > line.step + 1 for line in lines if line.text in arrived)


def test_a_copy_hears_words_that_were_held():
    env = envsuite.make_parallel("Diplomacy", protocol=BESIDE, map="triangle", press=2)
    play(env, 0, 1)
    assert env.talk.words.held
    copy = env.clone()
    while env.talk.words.held:
        actions = {name: int(env.action_mask(name).argmax()) for name in env.agents}
        infos = [one.step(actions)[-1] for one in (env, copy)]
        heard = [[one[name]["heard"] for name in env.agents] for one in infos]
        assert heard[0] == heard[1]
    assert any(heard[0]) and copy.get_state() == env.get_state()


def test_words_for_one_alone_need_a_private_channel():
    env, agent = at_discussion(Protocol(talk="beside"))
    with pytest.raises(ActionError, match="words are for all who hear the act"):
        env.say(agent, "hello", to=next(name for name in env.agents if name != agent))


def test_rounds_of_talk_are_of_drivers():
    for when in ("before", "speech+phase"):
        with pytest.raises(ParameterError, match="has rounds, which are of drivers"):
            envsuite.make_parallel("Werewolf", protocol=Protocol(talk=Talk("beside", when=when)))


@pytest.mark.parametrize("name", ["Werewolf", "SimpleNegotiation", "Traitors"])
def test_infos_at_a_turn_hold_what_was_heard_since_the_last_one(name):
    env = envsuite.make_parallel(name, protocol=BESIDE)
    turns = play(env, 2)
    agents = env.possible_agents
    assert sum(len(heard) for *_, heard in turns) > 5
    for step, agent, heard in turns:
        a, before = agents.index(agent), max((s for s, other, _ in turns if other == agent and s < step), default=0)
        lines = [line for line in env.talk.words.lines if before <= line.step < step and a in line.to]
        assert heard == [
            {"from": agents[line.agent], "to": [agents[k] for k in line.to], "text": line.text} for line in lines
        ]


def test_both_forms_hear_the_same():
    heard = {}
    for form in (envsuite.make_parallel, envsuite.make_aec):
        env, rng, found = form("Pursuit", protocol=AT_TURNS), np.random.default_rng(0), []
        env.reset(seed=0)
        for _ in range(3):
            infos = (
                {agent: dict(env.infos[agent]) for agent in env.agents} if form is envsuite.make_aec else infos_of(env)
            )
            found.append({agent: info["heard"] for agent, info in infos.items()})
            actions = {agent: legal(env, agent, rng) for agent in env.agents}
            for agent in env.agents:
                spoken(env, agent)
            if form is envsuite.make_aec:
                for agent in list(env.agents):
                    assert env.agent_selection == agent and env.last()[-1]["heard"] == found[-1][agent]
                    env.step(actions[agent])
            else:
                env.step(actions)
        heard[form] = found
    first, second = heard.values()
    assert first == second and len(first[1]["pursuer_0"]) == len(first[1]) - 1


def infos_of(env):
    return {agent: env._info(env.number(agent)) for agent in env.agents}


def test_without_talk_there_is_nothing_of_it():
    for protocol in (None, Protocol()):
        env = envsuite.make_parallel("Werewolf", protocol=protocol)
        assert all("heard" not in info for info in env.reset(seed=0)[1].values())
        assert type(env.batch) is Batch and env.talk is None
        with pytest.raises(ParameterError, match="Protocol\\(talk="):
            env.say("player_0", "hello")


def test_words_change_no_transition():
    envs = [envsuite.make_parallel("Werewolf", protocol=protocol) for protocol in (None, BESIDE, FREE)]
    for env in envs:
        play(env, 3, 60, say=spoken if env.talk else lambda *_: None)
    assert len({env.batch.records.tobytes() for env in envs}) == 1


def at_discussion(protocol=BESIDE):
    """Werewolf on its first day, and who speaks."""
    env, rng = envsuite.make_parallel("Werewolf", protocol=protocol), np.random.default_rng(0)
    env.reset(seed=0)
    env.step({agent: legal(env, agent, rng) for agent in env.agents if env.action_mask(agent).any()})
    return env, next(agent for agent in env.agents if env.action_mask(agent).any())


def test_words_are_cleaned_cut_and_replaced():
    env, agent = at_discussion(Protocol(talk=Talk("beside", words=3, total=5)))
    assert env.say(agent, "first") == "first"
    assert env.say(agent, " one\ntwo\u202e three four") == "one two three [cut]"
    env.step({agent: env.action_names(agent).index("silent")})
    assert [(line.text, line.act, line.by) for line in env.talk.words.lines] == [
        ("one two three [cut]", "silent", "model")
    ]


def test_words_can_be_taken_back():
    env, agent = at_discussion()
    env.say(agent, "hello")
    env.say(agent, "")
    env.step({agent: env.action_names(agent).index("silent")})
    assert env.talk.words.lines == []


def test_words_to_one_reach_one():
    env, agent = at_discussion()
    other, third = [name for name in env.agents if name != agent][:2]
    env.say(agent, "between us", to=other)
    infos = env.step({agent: env.action_names(agent).index("silent")})[-1]
    assert infos[other]["heard"] == [{"from": agent, "to": [other], "text": "between us"}]
    assert infos[third]["heard"] == []


def test_words_wait_for_an_act_of_speech():
    env = envsuite.make_parallel("Handover", protocol=BESIDE, mode="dual")
    env.reset(seed=0)
    env.say("guide", "The red one.")
    for act in ("noop", "name: press"):
        assert env.talk.words.lines == []
        env.step({"guide": env.action_names("guide").index(act), "worker": env.action_names("worker").index("noop")})
    assert [(line.step, line.text, line.act) for line in env.talk.words.lines] == [(1, "The red one.", "name: press")]


@pytest.mark.parametrize(
    ("agent", "text", "to", "error", "told"),
    [
        ("player_9", "hello", "all", AgentError, "no agent 'player_9'"),
        (None, "hello", "player_9", AgentError, "no agent 'player_9'"),
        (None, "hello", ["nobody"], AgentError, "no agent 'nobody'"),
        (None, 5, "all", ActionError, "says text, not int"),
        ("silent", "hello", "all", ActionError, "cannot speak now"),
        (None, "hello", "self", ActionError, "cannot speak to"),
    ],
)
def test_what_cannot_be_said_is_refused(agent, text, to, error, told):
    env, speaker = at_discussion()
    others = [name for name in env.agents if name != speaker]
    agent = {None: speaker, "silent": others[0]}.get(agent, agent)
    state = env.get_state()
    with pytest.raises(error, match=told):
        env.say(agent, text, speaker if to == "self" else to)
    assert env.get_state() == state


def test_who_has_said_all_its_words_is_silent():
    env = envsuite.make_parallel("SimpleNegotiation", protocol=Protocol(talk=Talk("beside", words=3, total=3)))
    env.reset(seed=0)
    env.say("player_0", "a b c")
    env.step({"player_0": env.action_names("player_0").index("pass")})
    env.step({"player_1": env.action_names("player_1").index("pass")})
    with pytest.raises(ActionError, match="no words left: an episode has 3"):
        env.say("player_0", "d")


@pytest.mark.parametrize("odd", ["free", 5, Talk("free")])
def test_what_is_no_protocol_is_refused(odd):
    with pytest.raises(ParameterError, match="must be a Protocol"):
        envsuite.make_parallel("Werewolf", protocol=odd)


def test_in_free_talk_texts_do_not_tell_acts():
    """The texts after an accusation and after a defence are the same; without free talk they differ."""

    def after(protocol, act):
        env, agent = at_discussion(protocol)
        name = next(name for name in env.action_names(agent, legal=True) if name.startswith(act))
        env.step({agent: env.action_names(agent).index(name)})
        other = next(name for name in env.agents if name != agent)
        return env.text(other), env.reply(other), env.scene(other).svg()

    assert after(FREE, "accuse") == after(FREE, "defend")
    assert all(one != two for one, two in zip(after(BESIDE, "accuse"), after(BESIDE, "defend")))


def test_prompts_warn_of_words():
    env = envsuite.make_parallel("Werewolf", protocol=FREE)
    env.reset(seed=0)
    assert WARNING in env.prompt("player_0")


def test_policies_at_other_seats_speak_by_sentences():
    env = envsuite.Seat("Fishery", opponents="norm_follower", protocol=FREE)
    info = env.reset(seed=0)[1]
    heard = []
    for _ in range(12):
        names = env.action_names(legal=True)
        if "pass" in names:
            env.say("I am here.")
        info = env.step(env.action_names().index("pass" if "pass" in names else "catch 5"))[-1]
        heard += info["heard"]
    assert heard and {one["from"] for one in heard} <= {f"player_{k}" for k in range(1, 5)}
    driver = Driver(env.world, [0], "norm_follower", FREE, 0)
    while not driver.done and driver.length < int(env.batch.records["t"][0]):
        for a in driver.waiting():
            driver.give(a, Answer("Say: I am here.\nAction: pass" if driver.seats[a]._floor else "Action: catch 5"))
        driver.advance()
    assert env.talk.words.lines == driver.words.lines


def test_a_copy_hears_what_the_first_one_heard():
    env, agent = at_discussion()
    env.say(agent, "hello")
    copy = env.clone()
    for one in (env, copy):
        one.step({agent: one.action_names(agent).index("silent")})
    assert env.talk.words.lines == copy.talk.words.lines != []
    assert copy.get_state() == env.get_state()
    other = next(name for name in env.agents if name != agent)
    assert copy._info(copy.number(other))["heard"] == env._info(env.number(other))["heard"] != []
    with pytest.raises(SnapshotError):
        envsuite.make_parallel("Werewolf").set_state(env.get_state())


EMPTY = "[[],[],[],[],[],[],[]]"


@pytest.mark.parametrize(
    "data",
    [
        "", "{", "5", "[]", "[5,5,5,5,5]", "[[],[],[],[],0]",
        f'[[],[],{EMPTY},[],"0"]', f"[[],[],{EMPTY},[],-1]", f"[[],[],{EMPTY},0,0]",  # a seed, or held words
        f"[[],[],{EMPTY},[[0,1,2]],0]", "[[],[],[[],[],[],[],[],[],[0]],[],0]",  # lines that were not said
        f'[[],[[9,"a",null]],{EMPTY},[],0]', f'[[],[[0,"a",[7]]],{EMPTY},[],0]', f"[[],[[0,5,null]],{EMPTY},[],0]",
        f"[[[0]],[],{EMPTY},[],0]",
    ],
)  # fmt: skip
def test_words_of_a_state_that_cannot_be_are_refused(data):
    env, _ = at_discussion()
    with pytest.raises(SnapshotError, match="of words cannot be"):
        env.talk.from_bytes(data.encode())


def test_a_recording_keeps_what_was_said(tmp_path):
    env = envsuite.make_parallel("Werewolf", protocol=BESIDE)
    with Recorder(env, tmp_path / "it.replay") as recorder:
        for seed in (0, 1):
            play(env, seed, 15)
            lines = env.talk.words.lines
            assert lines and recorder.running().words.lines == lines
    first, second = recorder.replays
    assert first.words.lines[0].text != second.words.lines[0].text or len(first) != len(second)
    again = Replay.load(tmp_path / "it-2.replay")
    again.verify()
    assert again.words.lines == lines


def test_a_recorder_takes_words_where_agents_have_none():
    env, loud = envsuite.make_parallel("Werewolf"), envsuite.make_parallel("Werewolf", protocol=BESIDE)
    with Recorder(env) as recorder:
        play(env, 0, 20, say=lambda _, agent: spoken(Said(env, recorder), agent))
    play(loud, 0, 20)
    assert recorder.replays[0].words.lines == loud.talk.words.lines != []


class Said:
    """An environment whose agents speak through its recorder."""

    def __init__(self, env, recorder):
        self.batch, self.say = env.batch, recorder.say


def test_a_recorder_takes_words_in_any_world_of_several_agents():
    envs = envsuite.make_vec("Pursuit", 3)
    with Recorder(envs, worlds=(0, 2)) as recorder:
        envs.reset(seed=0)
        recorder.say("pursuer_1", "left", world=2)
        with pytest.raises(ParameterError, match="world=1 is not recorded: 0, 2"):
            recorder.say("pursuer_1", "left", world=1)
        envs.step(np.zeros((3, len(envs.world.agents)), np.int64))
    quiet, loud = recorder.replays
    assert quiet.words is None and [(line.step, line.text) for line in loud.words.lines] == [(0, "left")]


def test_a_recording_from_the_middle_counts_its_own_steps():
    env, agent = at_discussion()
    with Recorder(env) as recorder:
        env.say(agent, "hello")
        env.step({agent: env.action_names(agent).index("silent")})
    assert [line.step for line in recorder.replays[0].words.lines] == [0]
    assert [line.step for line in env.talk.words.lines] == [1]
