"""The driver: what it refuses, and one treatment of answers in evaluations, rollouts and trainers' environments."""

import kit
import numpy as np
import pytest

from envsuite.core.errors import NotReadyError, ParameterError
from envsuite.models.answers import Answers, Limits
from envsuite.models.client import Answer, Function
from envsuite.models.driver import Driver, Outcome
from envsuite.models.harness import Game, play
from envsuite.models.protocol import Protocol
from envsuite.models.training import TextArena, TextEnv, rollouts
from envsuite.registry import build

#: Some answers cannot be used, once or twice in a row.
WORDS = (
    "Well.",
    "Action: {0}",
    "Action: {0}",
    "Hm.",
    "No idea.",
    "Action: {0}",
    "I cannot.",
    "Action: z9",
    "Action: {0}",
)


def answers():
    """A function from questions to answers: every third or so cannot be used."""
    count, legal = 0, ""

    def answer(question):
        nonlocal count, legal
        legal = kit.legal_in(question)[-1] if "Your legal actions" in question else legal
        count += 1
        return WORDS[count % len(WORDS)].format(legal)

    return answer


def driven(world, seed, protocol):
    driver, answer, problems = Driver(world, [0], "random", protocol, seed), answers(), []
    while not driver.done:
        for a in driver.waiting():
            outcome = Outcome(None, None)
            while outcome.action is None:
                outcome = driver.give(a, Answer(answer(driver.request(a).messages[-1]["content"])))
                problems.append(outcome.problem)
        driver.advance()
    return driver, problems


@pytest.mark.parametrize("otherwise", ["random", "forfeit"])
@pytest.mark.parametrize("id", ["TicTacToe", "Werewolf", "Goofspiel", "Coins"])
def test_answers_are_treated_alike(id, otherwise):
    world, protocol, seed = build(id), Protocol(otherwise=otherwise), 5
    driver, problems = driven(world, seed, protocol)
    actions = driver.replay({0: "stub"}).actions
    assert sum(map(bool, problems)) > 1

    answer = answers()
    model = Function(lambda messages: answer(messages[-1]["content"]))
    others = dict.fromkeys(range(1, len(world.agents)), "random")
    (played,) = play([Game("one", world, seed, {0: model}, others)], Answers(None, {}, Limits()), protocol)
    assert (played.replay.actions == actions).all()
    assert [problem for turn in played.turns for _, problem in turn.answers] == problems

    answer = answers()
    model = Function(lambda messages: answer(messages[-1]["content"]))
    (rollout,) = rollouts(world, model, 1, seed, protocol=protocol)
    assert rollout.ret == pytest.approx(driver.returns[0])

    env, answer, found = TextEnv(world, protocol=protocol), answers(), []
    text, _ = env.reset(seed=seed)
    over, total = False, 0.0
    while not over:
        text, reward, terminated, truncated, info = env.step(answer(text))
        over, total = terminated or truncated, total + reward
        found.append(info["problem"])
    assert found == problems and total == pytest.approx(driver.returns[0])


def test_a_player_of_text_arena_is_asked_again():
    env = TextArena("TicTacToe")
    with pytest.raises(NotReadyError):
        env.close()
    env.reset(seed=0)
    assert env.get_observation()[0] == 0
    assert "names no action" in env.step("Well.")[1]["problem"]
    player, text = env.get_observation()
    assert player == 0 and text.startswith("That cannot be used:")
    assert env.step("Action: center") == (False, {"problem": None})
    assert env.get_observation()[0] == 1


def test_what_a_driver_refuses():
    world = build("TicTacToe")
    driver = Driver(world, [0], {1: "random"})
    with pytest.raises(NotReadyError, match="player_0 has not answered"):
        driver.advance()
    with pytest.raises(NotReadyError, match="player_1 has nothing to decide"):
        driver.request(1)
    assert driver.give(0, Answer("Action: center")) == Outcome("b2", None)
    with pytest.raises(NotReadyError, match="player_0 has nothing to decide"):
        driver.give(0, Answer("Action: center"))
    driver.advance()
    assert driver.waiting() == [] and driver.length == 1 and len(driver.seats[0].turns) == 1
    while not driver.done:
        for a in driver.waiting():
            driver.give(a, Answer("")), driver.give(a, Answer(""))
        driver.advance()
    with pytest.raises(NotReadyError, match="over"):
        driver.advance()
    assert {tuple(row) for row in driver.replay({0: "x"}).by.tolist()} <= {
        ("model", ""), ("fallback", ""), ("", "policy"),
    }  # fmt: skip
    with pytest.raises(ParameterError, match="nobody plays player_1"):
        Driver(world, [0], {})


def test_texts_have_no_functions():
    for protocol in (Protocol(actions="tools"), Protocol(image=64)):
        with pytest.raises(ParameterError, match="texts have no functions"):
            TextEnv("TicTacToe", protocol=protocol)
    with pytest.raises(ParameterError, match="cannot forfeit"):
        TextArena("Pendulum", controls="continuous", protocol=Protocol(otherwise="forfeit"))


def test_the_rewards_of_turns_are_the_return():
    driver, _ = driven(build("Coins"), 3, Protocol())
    assert sum(turn.reward for turn in driver.turns()) == pytest.approx(driver.returns[0])
    assert np.isfinite(driver.returns).all()
