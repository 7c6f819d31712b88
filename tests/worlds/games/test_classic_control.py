"""CartPole, MountainCar, Acrobot and Pendulum: Gymnasium's in lock-step, returns of baselines, levels, texts."""

import gymnasium
import kit
import numpy as np
import pytest

from envsuite.core.errors import ActionError, ParameterError
from envsuite.evaluation.matches import play
from envsuite.registry import build

#: A world, its parameters, Gymnasium's id, how near a step is, and the name of Gymnasium's state.
PAIRS = [
    ("CartPole", {}, "CartPole-v1", 1e-12),
    ("CartPole", {"sutton_barto_reward": True}, "CartPole-v1", 1e-12),
    ("MountainCar", {}, "MountainCar-v0", 1e-12),
    ("MountainCar", {"goal_velocity": 0.03}, "MountainCar-v0", 1e-12),
    ("MountainCar", {"controls": "continuous"}, "MountainCarContinuous-v0", 1e-7),
    ("Acrobot", {}, "Acrobot-v1", 1e-12),
    ("Pendulum", {"controls": "continuous"}, "Pendulum-v1", 1e-12),
    ("Pendulum", {"controls": "continuous", "g": 3.5}, "Pendulum-v1", 1e-12),
    ("Pendulum", {}, "Pendulum-v1", 1e-12),
]


def source(id, params):
    given = {key: value for key, value in params.items() if key not in ("controls", "horizon")}
    return gymnasium.make(id, **given)


def wrapped(state, name):
    """Gymnasium's state with the pendulum's angle wrapped, as ours is."""
    state = np.array(state, np.float64)
    if name == "Pendulum":
        state[0] = (state[0] + np.pi) % (2 * np.pi) - np.pi
    return state


@pytest.mark.parametrize("name, params, id, near", PAIRS)
def test_gymnasium(name, params, id, near):
    """Every step of eight episodes, each from Gymnasium's state: state, observation, reward and ends."""
    theirs, batch, rng = source(id, params), kit.started(f"envsuite/{name}-v0", **params), np.random.default_rng(0)
    numbers, ends = bool(batch.world.control_spaces), 0
    for episode in range(8):
        observation, _ = theirs.reset(seed=episode)
        batch.start(0, {"state": np.array(theirs.unwrapped.state, np.float64).tolist()})
        assert batch.observations[0, 0] == pytest.approx(observation, abs=1e-6)
        toward, left, done = 0, 120, False
        while not done and left:
            left -= 1
            if rng.random() < (0.5 if name == "CartPole" else 0.1):
                toward = int(rng.integers(len(batch.world.action_names[0])))
            if name == "MountainCar" and rng.random() < 0.9:  # so that it gets to the flag
                toward = 2 * (theirs.unwrapped.state[1] >= 0)
            if numbers:
                space = theirs.action_space
                action = np.array([toward - 1.0 if name == "MountainCar" else rng.integers(-128, 129) / 64], np.float32)
                assert space.contains(action)
                batch.step(action[None, None])
            else:
                batch.step(toward)
                action = np.array([toward - 2.0], np.float32) if name == "Pendulum" else toward
            observation, reward, ended, cut, _ = theirs.step(action)
            state = wrapped(theirs.unwrapped.state, name)
            apart = abs(batch.records["state"][0] - state)
            apart[0] = min(apart[0], abs(apart[0] - 2 * np.pi)) if name in ("Acrobot", "Pendulum") else apart[0]
            assert apart.max() < near * max(1, abs(state).max())
            assert batch.observations[0, 0] == pytest.approx(observation, abs=2e-6)
            assert batch.rewards[0, 0] == pytest.approx(float(reward), abs=1e-6 + near)
            assert batch.terminations[0, 0] == ended and not cut
            done = ended
            ends += ended
            batch.records["state"][0] = state
    assert ends > 0 or name in ("Acrobot", "Pendulum")


def test_acrobot_reaches_its_goal_where_gymnasium_does():
    theirs, batch = gymnasium.make("Acrobot-v1"), kit.started("envsuite/Acrobot-v0")
    for seed in range(3):
        theirs.reset(seed=seed)
        ended = False
        while not ended:
            batch.start(0, {"state": np.array(theirs.unwrapped.state, np.float64).clip(-np.pi * 9, np.pi * 9).tolist()})
            action = 2 if theirs.unwrapped.state[3] > 0 else 0
            batch.step(action)
            _, reward, ended, _, _ = theirs.step(action)
            assert (batch.terminations[0, 0], batch.rewards[0, 0]) == (ended, reward)


#: The returns of the specification's scripted players in Gymnasium, and of random play; ours within these bounds.
RETURNS = [
    ("CartPole", {}, "balance", 500, 0),
    ("CartPole", {}, "random", 22.7, 2.5),
    ("MountainCar", {}, "swing", -120, 6),
    ("MountainCar", {}, "random", -200, 0.5),
    ("MountainCar", {"controls": "continuous"}, "swing", 90, 3),
    ("MountainCar", {"controls": "continuous"}, "random", -33.1, 1),
    ("Acrobot", {}, "swing", -85.1, 13),
    ("Pendulum", {"controls": "continuous"}, "random", -1238, 150),
    ("Pendulum", {"controls": "continuous"}, "swing", -144, 50),
    ("Pendulum", {}, "swing", -144, 50),
]


@pytest.mark.slow
@pytest.mark.parametrize("name, params, policy, mean, error", RETURNS)
def test_returns(name, params, policy, mean, error):
    assert abs(play(build(f"envsuite/{name}-v0", params), [policy], 100).returns.mean() - mean) <= error


@pytest.mark.parametrize("name", ["CartPole", "MountainCar", "Acrobot", "Pendulum"])
def test_starts_and_ends(name):
    """Random starts are spread as Gymnasium's; an episode that is not over is cut at its horizon."""
    ours = kit.started(f"envsuite/{name}-v0", 500).records["start"]
    theirs = gymnasium.make({"MountainCar": "MountainCar-v0"}.get(name, f"{name}-v1"))
    found = []
    for seed in range(200):
        theirs.reset(seed=seed)
        found.append(theirs.unwrapped.state)
    found = np.array(found, float)
    assert abs(ours.mean(axis=0) - found.mean(axis=0)).max() < 0.15 * np.ptp(found, axis=0).max()
    assert np.ptp(ours, axis=0) == pytest.approx(np.ptp(found, axis=0), rel=0.05)
    batch = kit.started(f"envsuite/{name}-v0", horizon=3)
    for _ in range(3):
        assert not batch.over()[0]
        batch.step(np.zeros((1, 1), int))
    assert batch.truncations.all() and not batch.terminations.any()


def test_levels():
    for name, level, message in (
        ("CartPole", {"state": [0, 0, 0]}, "a list of 4 numbers"),
        ("CartPole", {"state": [3, 0, 0, 0]}, r"state\[0\]=3 must be a number from -2.4 to 2.4"),
        ("MountainCar", {"place": 1}, "'state', not 'place'"),
        ("Acrobot", {"state": [0, 0, 0, True]}, r"state\[3\]=True"),
        ("Pendulum", {"state": [0.0, float("nan")]}, r"state\[1\]=nan"),
    ):
        kit.refuses(build(f"envsuite/{name}-v0"), (level, message))
    batch = kit.started("envsuite/Pendulum-v0", level={"state": [0.5, -1]})
    assert batch.world.get_level(batch.record()) == {"state": [0.5, -1.0]}
    with pytest.raises(ParameterError, match="controls"):
        build("envsuite/Pendulum-v0", dict(controls="both"))
    steered = kit.started("envsuite/Pendulum-v0", controls="continuous")
    with pytest.raises(ActionError, match="nan"):
        steered.step(np.full((1, 1, 1), np.nan, np.float32))


def test_texts():
    for name, level, words in (
        ("CartPole", [1, 0, 0.1, 0], "The cart is at +1.000 m (lost beyond 2.4)"),
        ("MountainCar", [-0.5, 0.01], "moves by +0.0100 a step"),
        ("Acrobot", [0, 0, 0, 0], "The free end is -2.00 m above the joint"),
        ("Pendulum", [0, 0], "The pendulum is +0.0 degrees from upright"),
    ):
        batch = kit.started(f"envsuite/{name}-v0", level={"state": level})
        assert words in batch.world.text(batch.record(), 0)
        assert batch.world.scene(batch.record()).shapes == batch.world.scene(batch.record(), 0).shapes
