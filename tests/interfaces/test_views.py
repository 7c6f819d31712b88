"""What agents see: observations as vectors, masks of agents that do not act, masks in infos only."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test

import envsuite
from envsuite import registry
from envsuite.core.errors import ParameterError
from envsuite.interfaces import flattening
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.flattening import Flattening
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.testing import Case, ConformanceError, check_vector_env, random_actions
from envsuite.testing.forms import check_flattening


class Stub:
    """What `Flattening` reads of a world: the spaces."""

    def __init__(self, *observation_spaces):
        self.observation_spaces = observation_spaces


class Seen:
    """What it reads of a batch: the buffer of observations."""

    def __init__(self, observations):
        self.observations, self.num = observations, len(observations)


def flattened(observations, one_hot, *observation_spaces):
    flat = Flattening(Stub(*observation_spaces), one_hot)
    found = flat.vectors(Seen(observations), range(len(observation_spaces)))
    assert found.dtype == flat.space.dtype == np.float32
    assert all(flat.space.contains(one) for row in found for one in row)
    return found


def test_numbers_by_hand():
    """A number of each kind: code, flag, bounded, far bounds, none; scaled and one-hot."""
    codes = Box(np.array([0, 0, -1], np.int8), np.array([3, 1, 2], np.int8), dtype=np.int8)
    seen = np.array([[[3, 1, 0]]], np.int8)
    assert flattened(seen, False, codes).tolist() == [[[1, 1, np.float32(1 / 3)]]]
    # First the codes, value by value, then the others.
    assert flattened(seen, True, codes).tolist() == [[[0, 0, 0, 1, 0, 1, 0, 0, 1]]]
    wide = Box(np.array([-1e5, -np.inf, 2, 0]), np.array([1e5, np.inf, 4, 10_000]), dtype=np.float64)
    seen = np.array([[[-1e5, np.e - 1, 2.5, 5000]]])
    for one_hot in (False, True):
        found = flattened(seen, one_hot, wide)
        np.testing.assert_allclose(found, [[[0.25, 0.5, -np.log1p(1e5), 1]]], rtol=1e-6)
    assert Flattening(Stub(wide), False).space.high[-1] == np.inf


def test_parts_have_one_layout_for_all_agents():
    first = Dict({"b": Discrete(3), "a": Box(5, 5, (1,), np.int16)})  # a part that never changes is 0
    second = Dict({"b": Discrete(3), "c": Box(100, 90_000, (1, 2), np.int32)})
    dtype = np.dtype([("a", np.int16, (1,)), ("b", np.int64), ("c", np.int32, (1, 2))])
    seen = np.array([[([5], 2, [[7, 7]]), ([9], 0, [[100, 90_000]])]], dtype)  # agents leave others' parts as they are
    expected = [[[0, 0, 0, 1, 0, 0], [0, 1, 0, 0, np.log1p(100), np.log1p(90_000)]]]
    np.testing.assert_allclose(flattened(seen, False, first, second), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "number, message", [(0.5, "different observations become"), (2.0, "what a seat sees is outside its space")]
)
def test_the_battery_finds_bad_vectors(monkeypatch, number, message):
    """Numbers that are all equal, within the space or outside of it."""
    case = Case(registry.build("Coins"))
    check_flattening(case)
    monkeypatch.setattr(flattening, "_scaled", lambda low, span, values: np.full(values.shape, number))
    with pytest.raises(ConformanceError, match=message):
        check_flattening(case)


def test_checkers_accept_vectors_and_idle_masks():
    for id in ("KuhnPoker", "Telecom"):
        options = dict(flat="scaled", idle="noop", compiled=False)
        api_test(AEC(id, **options), num_cycles=20)
        parallel_api_test(Parallel(id, **options), num_cycles=20)
        check_env(Seat(id, masks="infos", on_illegal="noop", **options), skip_render_check=True)
        check_vector_env(lambda id=id: gymnasium.make_vec(f"envsuite/{id}-v0", 3, flat="scaled"), steps=20)
        vector = envsuite.make_vec(id, 2, flat="scaled", compiled=False)
        check_vector_env(lambda v=vector: v.clone().flatten(), steps=20, seed_list=False, together=len(vector.agents))


def test_pixels_or_flat():
    with pytest.raises(ParameterError, match=r"pixels=\(88, 88\) and flat='scaled' exclude each other"):
        envsuite.make_vec("Coins", 1, pixels=(88, 88), flat="scaled")
    for name in ("flat", "idle", "masks"):
        with pytest.raises(ParameterError, match=f"{name}='onehot' must be one of"):
            envsuite.make_parallel("Coins", **{name: "onehot"})


def test_masks_in_infos_only():
    space = Box(0, 1, (6, 7, 2), np.int8)
    env = Seat("ConnectFour", masks="infos", compiled=False)
    seen, info = env.reset(seed=0)
    assert env.observation_space == space and space.contains(seen) and info["action_mask"].sum() == 7
    assert env.clone().observation_space == space
    envs = gymnasium.make_vec("envsuite/ConnectFour-v0", 2, masks="infos", compiled=False)
    assert envs.single_observation_space == space and envs.reset(seed=0)[1]["action_mask"].shape == (2, 7)


def idle_row(id, agent, idle):
    names = registry.build(id).action_names[agent]
    if idle == "noop":
        return np.arange(len(names)) == (names.index("noop") if "noop" in names else 0)
    return np.full(len(names), idle == "ones")


@pytest.mark.parametrize("idle", ["zeros", "ones", "noop"])
@pytest.mark.parametrize("id", ["ConnectFour", "Telecom", "Werewolf", "Foraging"])
def test_idle_masks(id, idle):
    """Every interface shows the same masks; those of agents that act are the same whatever `idle` is."""
    parallel, aec = Parallel(id, idle=idle, compiled=False), AEC(id, idle=idle, compiled=False)
    vector, plain = envsuite.make_vec(id, 1, idle=idle, compiled=False), Parallel(id, compiled=False)
    agents, rng = parallel.possible_agents, np.random.default_rng(0)
    for env in (parallel, aec, plain):
        env.reset(seed=0)
    _, infos = vector.reset(0)
    for _ in range(60):
        actions = {}
        for a, agent in enumerate(agents):
            true = plain.action_mask(agent)
            shown = true if true.any() else idle_row(id, a, idle)
            for mask in (parallel.action_mask(agent), aec.action_mask(agent), infos["action_mask"][0, a, : len(true)]):
                assert mask.dtype == np.int8 and (mask == shown).all()
            assert not infos["action_mask"][0, a, len(true) :].any()
            assert parallel.action_names(agent, legal=True) == plain.action_names(agent, legal=True)
            if true.any():
                actions[agent] = int(random_actions(true, rng))
            elif agent in aec.agents:
                assert (aec.observe(agent)["action_mask"] == shown).all()
        if not plain.agents:
            break
        plain.step(actions)
        seen, _, _, _, found = parallel.step(actions)
        assert all((seen[agent]["action_mask"] == found[agent]["action_mask"]).all() for agent in found)
        *_, infos = vector.step([[actions.get(agent, 0) for agent in agents]])
        for agent in agents:
            if agent in actions:
                aec.step(actions[agent])


def test_idle_masks_of_a_seat_after_its_end():
    for idle, last in (("zeros", 0), ("ones", 2), ("noop", 1)):
        env, envs = (make("envsuite/KuhnPoker-v0", idle=idle, compiled=False, **options)
                     for make, options in ((gymnasium.make, {}), (gymnasium.make_vec, {"num_envs": 1})))  # fmt: skip
        for one, action in ((env, 1), (envs, np.array([1]))):
            one.reset(seed=0)
            over = False
            while not over:
                _, _, over, _, info = one.step(action)
            assert info["action_mask"].sum() == last
        assert env.unwrapped.action_masks().sum() == last and env.unwrapped.clone().action_masks().sum() == last


def test_attributes_that_libraries_ask_for():
    """`reward_space` would say that steps return vectors; `autoreset_mode` is an attribute of Gymnasium's vectors."""
    for id, objectives in (("DoorKey", 0), ("Overcooked", 2)):
        for env in (gymnasium.make(f"envsuite/{id}-v0").unwrapped, Parallel(id), AEC(id)):
            assert not hasattr(env, "reward_space")
            assert hasattr(env, "vector_reward_space") == bool(objectives)
        if objectives:
            env.reset(seed=0)
            assert env.vector_reward_space.contains(env.last()[4]["vector_reward"])
    vector = envsuite.make_vec("DoorKey", 2, autoreset="same_step")
    seats = gymnasium.make_vec("envsuite/DoorKey-v0", 2, autoreset="disabled")
    assert vector.flatten().autoreset_mode == AutoresetMode.SAME_STEP and seats.autoreset_mode == AutoresetMode.DISABLED
    assert isinstance(seats.unwrapped.single_observation_space, spaces.Dict)
