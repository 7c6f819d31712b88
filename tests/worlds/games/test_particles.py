"""Particles against `mpe2`, closed trajectories, each reward by hand, and physics that stays finite."""

import importlib

import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.games.particles import MOVES, REACH, SCENARIOS, Particles
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import Vector
from envsuite.registry import build
from envsuite.testing.case import random_moves

VERSIONS = {"speaker_listener": 4}
#: Parts of observations that `mpe2` has in another order.
ORDERS = {"reference": ["velocity", "landmarks", "color", "heard"]}
PREY = ["velocity", "position", "landmarks", "others", "forests", "fellows"]


def theirs(scenario, **options):
    """The environment of `mpe2`, without wrappers."""
    import mpe2

    module = importlib.import_module(f".simple_{scenario}.simple_{scenario}", mpe2.__name__)
    return module.raw_env(**options)


def level_of(scenario, world):
    """The state of a world of `mpe2` as a level of ours."""
    places = {"agents": world.agents, "landmarks": world.landmarks}
    level = {name: [one.state.p_pos.tolist() for one in found] for name, found in places.items()}
    number = {id(one): k for k, one in enumerate(world.landmarks)}
    first = world.agents[0]
    if scenario in ("adversary", "push"):
        level["goals"] = [number[id(first.goal_a)]]
    if scenario in ("speaker_listener", "reference"):
        speakers = world.agents if scenario == "reference" else [first]
        level["goals"] = [number[id(one.goal_b)] for one in speakers]
    if scenario == "crypto":
        level["goals"] = [number[id(first.goal_a)], int(np.argmax(world.agents[2].key))]
    return level


def vector(world, batch, a):
    """Our observation in the order of `mpe2`."""
    parts = list(world.parts[a])
    parts = ORDERS.get(world.scenario, parts)
    if world.scenario == "world_comm" and a >= world.setup.adversaries:
        parts = PREY
    found = [batch.observations[0, a][name].ravel() for name in parts]
    silent = [np.zeros(2 * (len(world.agents) - 1))] if world.scenario == "spread" else []
    return np.concatenate([*found, *silent])


def compare(scenario, controls, episodes, **numbers):
    """The largest differences of states, rewards and observations in episodes of random actions."""
    ours = Particles(scenario=scenario, controls=controls, **numbers)
    rename = {"spread": {"agents": "N"}, "adversary": {"agents": "N"}}.get(
        scenario, {"agents": "num_good", "adversaries": "num_adversaries"}
    )
    options = {rename[name]: value for name, value in numbers.items() if name in rename}
    reference = theirs(scenario, continuous_actions=controls == "continuous", **options)
    batch, rng, worst = Batch(ours, 1, compiled=False), np.random.default_rng(0), np.zeros(3)
    assert tuple(reference.possible_agents) == ours.agents
    for seed in range(episodes):
        reference.reset(seed=seed)
        batch.start(seed, levels=level_of(scenario, reference.world))
        for t in range(25):
            actions = random_moves(ours, batch.masks, rng)[0]
            for a, agent in enumerate(ours.agents):
                own = actions[a][: len(ours.action_names[a])] if controls == "continuous" else int(actions[a])
                assert reference.action_space(agent).contains(own)
                reference.step(own)
            batch.step(actions[None])
            state = np.array([[one.state.p_pos, one.state.p_vel] for one in reference.world.agents])
            found = np.stack([batch.records["position"][0], batch.records["velocity"][0]], axis=1)
            rewards = [reference.rewards[agent] for agent in ours.agents]
            seen = [
                np.abs(vector(ours, batch, a) - reference.observe(agent)).max() for a, agent in enumerate(ours.agents)
            ]
            apart = np.abs(found - state).max(), np.abs(batch.rewards[0] - rewards).max(), max(seen)
            worst = np.maximum(worst, apart)
            assert batch.truncations[0].all() == (t == 24) == all(reference.truncations.values())
    return worst


@pytest.mark.parametrize("controls", ["discrete", "continuous"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_mpe2_in_lock_step(scenario, controls):
    state, reward, seen = compare(scenario, controls, 2)
    assert state <= 2.2e-16 and reward <= 3.6e-15 and seen <= 1e-18


@pytest.mark.slow
@pytest.mark.parametrize("controls", ["discrete", "continuous"])
def test_mpe2_with_other_numbers_of_agents(controls):
    for scenario, numbers in (
        ("spread", dict(agents=5)),
        ("adversary", dict(agents=4)),
        ("tag", dict(agents=3, adversaries=2)),
        ("world_comm", dict(agents=3, adversaries=2)),
    ):
        state, reward, seen = compare(scenario, controls, 10, **numbers)
        assert state <= 2.2e-16 and reward <= 8e-15 and seen <= 1e-18


def started(scenario, agents, landmarks=None, goals=(), **params):
    """A batch of one with these places."""
    world = Particles(scenario=scenario, **params)
    batch = Batch(world, 1, compiled=False)
    count = world.setup.landmarks
    level = {"agents": agents, "landmarks": landmarks or [[5, 5]] * count}
    batch.start(0, levels={**level, "goals": list(goals)} if goals else level)
    return batch


def test_closed_trajectories():
    """Numbers of the specification, which follow from p += 0.1 v, v <- 0.75 v + 0.1 F and the maximum speeds."""
    batch = started("spread", [[-9, 0], [0, 9], [9, 0]])
    for _ in range(25):
        batch.step([[MOVES.index("right"), 0, 0]])
    place, speed = batch.records["position"][0, 0], batch.records["velocity"][0, 0]
    assert np.allclose([place[0] + 9, speed[0]], [4.200602, 1.998495], atol=1e-6) and place[1] == speed[1] == 0
    batch = started("tag", [[-9, 9], [-9, 3], [-9, -3], [-9, -9]])
    speeds = []
    for _ in range(25):
        batch.step([[2, 0, 0, 2]])
        speeds.append(batch.records["velocity"][0, :, 0].copy())
    moved = batch.records["position"][0, :, 0] + 9
    assert np.allclose(moved, [2.224072, 0, 0, 2.903906], atol=1e-6)
    assert np.allclose([one[0] for one in speeds[:4]], [0.3, 0.525, 0.69375, 0.8203125])
    assert np.allclose([one[3] for one in speeds[:4]], [0.4, 0.7, 0.925, 1.09375])
    assert np.allclose(speeds[-1], [1, 0, 0, 1.3])


def test_rewards_by_hand():
    still = started("tag", [[0.1, 0], [5, 0], [5, 5], [0, 0.95]])
    still.step([[0, 0, 0, 0]])
    assert np.allclose(still.rewards[0], [0, 0, 0, -0.5])
    both = started("tag", [[0.1, 0], [0, 0.1], [5, 5], [0, 0]])
    both.step([[0, 0, 0, 0]])
    assert both.rewards[0].tolist() == [20, 20, 20, -20]
    edge = started("tag", [[9, 9], [9, 0], [0, 9], [1.5, 4]])
    edge.step([[0, 0, 0, 0]])
    assert np.allclose(edge.rewards[0, 3], -np.e - 10)
    pair = started("spread", [[0, 0], [0.2, 0], [3, 0]], [[0, 0], [0.2, 0], [3, 1]], local=0.25)
    pair.step([[0, 0, 0]])
    assert np.allclose(pair.rewards[0], [-0.75 - 0.25, -0.75 - 0.25, -0.75])
    crypto = started("crypto", [[0, 0]] * 3, goals=(1, 0))
    crypto.step([[2, 1, 0]])
    assert crypto.rewards[0].tolist() == [-2, 2, 2]
    assert crypto.observations[0, 0]["heard"].tolist() == [1, 0, 0, 0]


def test_success_ends_spread_and_tag():
    for done in (False, True):
        batch = started("tag", [[0.1, 0], [5, 0], [5, 5], [0, 0]], until_success=done)
        batch.step([[0, 0, 0, 0]])
        assert batch.terminations.all() == done
    near = started("spread", [[0, 0], [1, 0], [2, 0]], [[2, 0], [0, 0.09], [1, 0]], until_success=True)
    near.step([[0, 0, 0]])
    assert near.terminations.all()
    far = started("spread", [[0, 0], [1, 0], [2, 0]], [[2, 0], [0, 0.11], [1, 0]], until_success=True)
    far.step([[0, 0, 0]])
    assert not far.terminations.any()


def test_forests_hide():
    places = [[0, 0], [0.05, 0], [3, 0], [4, 0], [0, 0.1], [2, 2]]
    batch = started("world_comm", places, [[9, 9], [8, 8], [7, 7], [0, 0], [-5, 0]])
    seen = batch.observations[0]["others"]
    assert seen[0].all(axis=1).tolist() == [False] * 3 + [False, True]  # along an axis, one coordinate is 0
    assert seen[0].any(axis=1).all()  # the leader sees all
    assert seen[1].any(axis=1).tolist() == [True, False, False, True, False]
    assert seen[2].any(axis=1).tolist() == [False, False, True, False, True]
    assert batch.observations[0]["forests"][:, 0].tolist() == [1, 1, -1, -1, 1, -1]


@pytest.mark.parametrize("seed", range(4))
def test_physics_stays_finite(seed):
    """From any places, coinciding ones too, with the strongest pushes."""
    rng = np.random.default_rng(seed)
    for scenario in ("spread", "push", "tag", "world_comm"):
        world = Particles(scenario=scenario, prey_speed=2.0, controls="continuous", horizon=40)
        batch = Batch(world, 1, compiled=False)
        spread = 10.0 ** -rng.integers(0, 12)
        agents = np.round(rng.uniform(-1, 1, (len(world.agents), 2)) * spread, int(rng.integers(1, 12)))
        landmarks = np.zeros((world.setup.landmarks, 2)) if seed % 2 else agents[: world.setup.landmarks]
        landmarks = np.resize(landmarks, (world.setup.landmarks, 2))
        goals = {"goals": [0]} if world.setup.goals else {}
        batch.start(0, levels={"agents": agents.tolist(), "landmarks": landmarks.tolist(), **goals})
        for _ in range(40):
            batch.step(rng.integers(0, 2, batch.actions.shape).astype(np.float32) * batch.masks)
            for name in ("position", "velocity", "force"):
                assert (np.abs(batch.records[name]) < REACH).all()
            assert np.isfinite(batch.rewards).all()


def test_levels_and_parameters():
    env = Parallel(Particles(scenario="adversary"))
    env.reset(seed=0)
    level = env.level
    for change, problem in (
        ({"agents": level["agents"][:2]}, "agents must be 3 lists of 2 numbers from -10 to 10"),
        ({"landmarks": [[0, 11], [0, 0]]}, r"landmarks\[0\]\[1\]=11 must be a number from -10 to 10"),
        ({"landmarks": [[0, float("nan")], [0, 0]]}, r"landmarks\[0\]\[1\]=nan must be a number from -10 to 10"),
        ({"goals": [2]}, r"goals\[0\]=2 must be an integer from 0 to 1"),
        ({"goals": [True]}, r"goals\[0\]=True must be an integer from 0 to 1"),
        ({"goals": []}, "goals must be a list of 1 integer from 0 to 1"),
    ):
        with pytest.raises(LevelError, match=problem):
            env.reset(options={"level": {**level, **change}})
    for wrong in (dict(scenario="push", agents=2), dict(scenario="spread", adversaries=1)):
        with pytest.raises(ParameterError, match="is for"):
            Particles(**wrong)


@pytest.mark.parametrize("controls", ["discrete", "continuous"])
def test_baselines(controls):
    """Returns of good agents, or of both sides: planned beats nearest beats random where agents share an aim."""
    vector = Vector(build("Particles", {"controls": controls}), 6, compiled=False)
    scores = []
    for name in ("random", "nearest", "planned"):
        vector.reset(0)
        scores.append(vector.rollout(name, 25, seed=0).returns.mean())
    assert scores[0] + 5 < scores[1] and scores[1] + 3 < scores[2]
