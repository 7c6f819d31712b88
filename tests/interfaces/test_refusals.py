"""What is wrong with an argument of an interface is said in our words, which name the argument."""

import gymnasium
import numpy as np
import pytest

import envsuite
from envsuite.core.errors import ActionError, AgentError, EnvsuiteError, NotReadyError, ParameterError

ID = "envsuite/ConnectFour-v0"
SPAN = np.timedelta64(1)


def made(name):
    """An interface after its first reset."""
    vector = envsuite.make_vec(ID, 2)
    makers = {
        "parallel": lambda: envsuite.make_parallel(ID),
        "aec": lambda: envsuite.make_aec(ID),
        "gym": lambda: gymnasium.make(ID).unwrapped,
        "vector": lambda: vector,
        "flat": vector.flatten,
        "seats": lambda: gymnasium.make_vec(ID, 2),
    }
    env = makers[name]()
    env.reset(seed=0)
    return env


@pytest.mark.parametrize("name", ["vector", "flat", "seats"])
def test_actions_of_vectors(name):
    env = made(name)
    shape = env.action_space.shape
    good = np.zeros(shape, int)
    for wrong in (
        [[1, 2], [3]], None, "x", 5, {"a": 1}, good[:1], good.astype(float), good.astype(str), good.astype(object),
        good.astype("timedelta64[s]"), np.full(shape, True), [[10**30, 0], [0, 0]],
    ):  # fmt: skip
        with pytest.raises(ActionError, match=r"actions must be integers of shape \("):
            env.step(wrong)
    with pytest.raises(ActionError, match="not a ragged list"):
        env.step([[1, 2], [3]])
    env.step(good)


@pytest.mark.parametrize("name", ["parallel", "aec", "gym"])
def test_actions_of_one_world(name):
    env = made(name)
    for wrong in (SPAN, None, "x", [1], 1.0, True, np.bool_(True), np.zeros(1, int), object(), 10**30, -(2**63) - 1):
        with pytest.raises(ActionError, match="the action of player_0 must be an integer from 0 to 6"):
            env.step({"player_0": wrong} if name == "parallel" else wrong)
    with pytest.raises(ActionError, match=r'info\["action_mask"\] marks the legal actions; on_illegal="noop" or "forf'):
        env.step({"player_0": 7} if name == "parallel" else 7)


@pytest.mark.parametrize("name", ["parallel", "aec", "gym", "vector", "flat", "seats"])
def test_resets(name):
    env = made(name)
    for wrong in (5, "x", [1]):
        with pytest.raises(ParameterError, match="options=.* must be a mapping with level, params"):
            env.reset(options=wrong)
    for wrong in ({"level": 5}, {"params": 5}, {"params": {"rows": 7}}, {"params": {"x": 1}}):
        with pytest.raises(EnvsuiteError, match="a level is|params=5 must|rows cannot change|no parameter 'x'"):
            env.reset(options=wrong)
    for wrong in ("x", -1, 1.5, 2**64, SPAN, True):
        with pytest.raises(ParameterError, match="seed"):
            env.reset(seed=wrong)
    with pytest.warns(UserWarning, match="reset ignores the option 'levels'; did you mean 'level'"):
        env.reset(options={"levels": {"moves": []}})
    if name in ("vector", "flat", "seats"):
        for wrong in ([[1], [1, 2]], [1, 0], "x", np.ones(3, bool)):
            with pytest.raises(ParameterError, match=r"reset_mask must be a bool array of shape \(2,\)"):
                env.reset(options={"reset_mask": wrong})


def test_views_of_a_vector():
    env = envsuite.make_vec(ID, 2)
    with pytest.raises(NotReadyError, match="call reset"):
        env.render()
    env.reset(0)
    for wrong in (10**10, -1, 2, 1.0, "x", True, SPAN):
        for view in (env.render, env.scene, lambda index: env.text(index, "player_0")):
            with pytest.raises(ParameterError, match="index=.* must be an integer from 0 to 1"):
                view(wrong)
    for wrong in ("x", 0, None, [1]):
        with pytest.raises(AgentError, match="no agent"):
            env.text(0, wrong)
    with pytest.raises(AgentError, match="no agent 'player_2'; did you mean"):
        env.scene(0, "player_2")
    assert env.scene(1, "player_1") == env.scene(1)


@pytest.mark.parametrize("name", ["parallel", "aec", "gym"])
def test_agents_of_one_world(name):
    env = made(name)
    for wrong in ("x", 5, [1], np.zeros(3)):
        for view in (env.scene, env.text, env.action_names, env.action_mask, env.observation_space):
            if callable(view):  # the one space of a Gymnasium environment is an attribute
                with pytest.raises(AgentError, match="no agent"):
                    view(wrong)


def test_numbers_of_worlds():
    for make in (envsuite.make_vec, gymnasium.make_vec):
        for wrong in (10**12, 10**30):
            with pytest.raises(ParameterError, match=f"num_envs={wrong} worlds of {ID} do not fit into the memory"):
                make(ID, wrong)
        for wrong in (0, -1, 2.0, "2", True, SPAN):
            with pytest.raises(ParameterError, match="num_envs=.* must be a positive integer"):
                make(ID, wrong)


@pytest.mark.parametrize("name", ["vector", "seats"])
def test_seeds_of_vectors(name):
    env = made(name)
    for wrong in (b"ab", bytearray(b"ab"), memoryview(b"ab"), "12", [1], [1, 2, 3], np.zeros((2, 2), int), [1.0, 2.0]):
        with pytest.raises(ParameterError, match="seed"):
            env.reset(seed=wrong)
    for wrong in ([1, None], np.array(1.0), np.array(-3), np.array(True), {1: 2}):
        with pytest.raises(ParameterError, match="seed"):
            env.reset(seed=wrong)
    states = []
    for right in (3, np.array(3), np.int16(3), [3, 4], (3, 4), np.array([3, 4]), range(3, 5)):
        env.reset(seed=right)
        states.append(env.get_state())
    assert len(set(states)) == 1
