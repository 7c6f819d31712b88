"""Example episodes in prompts: whose they are, how they are marked, and that requests keep one beginning."""

import pytest

from envsuite import TextEnv, build, ids, registry, rollouts
from envsuite.core.errors import ParameterError
from envsuite.core.seeds import SHOTS
from envsuite.evaluation.reference import reference_scores, usual_others
from envsuite.models.answers import Answers
from envsuite.models.client import Scripted
from envsuite.models.driver import Driver
from envsuite.models.harness import Game, play
from envsuite.models.protocol import Protocol
from envsuite.models.shots import LONGEST, READY, best_policy, examples


def asked(world, protocol, turns=3, agent=0):
    """The requests of the first turns of a scripted player."""
    world = build(world)
    driver, found = Driver(world, [agent], "random", protocol, 7), []
    player = Scripted("random").seated(driver.batch, agent, 7)
    while not driver.done and len(found) < turns:
        for a in driver.waiting():
            found.append(driver.request(a).messages)
            driver.give(a, player.answer(driver.request(a)))
        driver.advance()
    return found


@pytest.mark.parametrize("memory", ["chat", "prompt"])
def test_examples_stand_between_the_rules_and_the_first_question(memory):
    usual, found = (asked("TicTacToe", Protocol(memory, shots=shots)) for shots in (0, 2))
    added = len(found[0]) - len(usual[0])
    for without, message in zip(usual, found):
        assert [message[0], *message[1 + added :]] == without
        assert message[: 1 + added] == found[0][: 1 + added]  # which caches keep
    shown = found[0][1 : 1 + added]
    assert [one["role"] for one in shown] == ["user", "assistant"] * (added // 2)
    assert shown[-1]["content"] == READY and "Example 2 of 2 ends" in shown[-2]["content"]
    text = "\n".join(one["content"] for one in shown)
    assert all(text.count(f"--- Example {k} of 2 {what} ---") == 1 for k in (1, 2) for what in ("begins", "ends"))


@pytest.mark.parametrize("name, agent", [("ConnectFour", 0), ("ConnectFour", 1), ("Sokoban", 0), ("Telecom", 0)])
def test_an_example_is_an_episode_of_the_best_policy(name, agent):
    world = build(name)
    others, best = usual_others(world), best_policy(world, agent)
    assert reference_scores(world, others)[0].policy == best or len(world.agents) > 1
    assert best != "random"
    split = {"split": "train"} if "split" in world.parameters else {}
    policies = [best if a == agent else others for a in range(len(world.agents))]
    driver, moves = Driver(registry.build(name, split), [], policies, seed=SHOTS[0]), []
    while not driver.done:
        driver.advance()
        moves += [int(driver.batch.actions[0, agent])]
    shown = examples(world, agent, Protocol(shots=1, skip_forced=False), Driver)
    played = [one["content"].removeprefix("Action: ") for one in shown if one["content"].startswith("Action: ")]
    acted = [k for k, by in enumerate(driver.replay({}).by) if by[agent]]
    assert played == [world.action_names[agent][moves[k]] for k in acted[:LONGEST]]


@pytest.mark.mostly_slow
@pytest.mark.parametrize("id", ids())
def test_each_world_has_an_example_of_a_scripted_policy(id):
    world = build(id)
    last = len(world.agents) - 1
    assert best_policy(world, last) != "random"
    assert len(examples(world, last, Protocol(shots=1), Driver)) >= 4


def test_examples_have_the_form_of_the_questions():
    tools = examples(build("TicTacToe"), 0, Protocol(actions="tools", shots=1), Driver)
    assert tools[1]["tool_calls"] and tools[2]["role"] == "tool"
    numbers = examples(build("TicTacToe"), 0, Protocol(actions="numbers", shots=1), Driver)
    assert numbers[1]["content"] in {f"Action: {k}" for k in range(9)}
    talk = examples(build("Werewolf"), 0, Protocol(talk="free", shots=1), Driver)
    assert any(one["content"].startswith("Say: ") for one in talk)


def test_examples_are_part_of_the_digest_and_the_settings():
    world, protocol = build("TicTacToe"), Protocol(shots=1)
    digests = {
        Driver(world, [0], "random", one, 0).request(0).digest for one in (Protocol(), protocol, Protocol(shots=2))
    }
    assert len(digests) == 3 and protocol.plain()["shots"] == 1


def test_no_example_is_played():
    world = build("TicTacToe")
    game = Game("game", world, SHOTS[0], {0: Scripted("random")}, {1: "random"})
    with pytest.raises(ParameterError, match="seed 2000 belongs to the examples"):
        play([game], Answers(None, {}), Protocol(shots=1))
    assert play([game], Answers(None, {}), Protocol())[0].problem is None


def test_an_agent_that_does_not_act_in_an_episode_has_an_example_of_another_one():
    """A villager of Werewolf may be killed in the first night; the examples of each agent have turns."""
    for agent in (0, 6):
        first = examples(build("Werewolf"), agent, Protocol(shots=3), Driver)[0]["content"]
        assert first.startswith("--- Example 1 of 3")


def test_trainers_get_them():
    observation, _ = TextEnv("TicTacToe", opponents="random", protocol=Protocol(shots=1)).reset(seed=0)
    assert "--- Example 1 of 1 begins ---" in observation and observation.count("Turn 1.") == 2
    group = rollouts("TicTacToe", lambda messages: "Action: b2", 2, 0, protocol=Protocol(shots=1))
    for one in group:
        assert all(one.messages[k]["role"] == "assistant" for k in one.turns)
        assert "Example 1 of 1 begins" in one.messages[1]["content"] and len(one.turns) == len(one.rewards)
