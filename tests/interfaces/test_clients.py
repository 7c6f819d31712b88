"""What other libraries do with environments: PettingZoo's wrappers and tests, and functions as players."""

from contextlib import suppress

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import parallel_seed_test, render_test
from pettingzoo.test.max_cycles_test import max_cycles_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import envsuite
from envsuite import registry
from envsuite.core.errors import ActionError, ParameterError
from envsuite.core.parameters import bounds, signature, synonym
from envsuite.games import hanabi
from envsuite.social import clean_up, marketplace, trust_game
from envsuite.testing.case import legal_actions


def walked(env, wrong_at, rng):
    """Every agent's returns as PettingZoo's loop adds them up; the move number `wrong_at` is illegal."""
    env.reset(seed=3)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for k, agent in enumerate(env.agent_iter()):
        seen, reward, ended, cut, info = env.last()
        returns[agent] += reward
        mask = info["action_mask"]
        legal = np.flatnonzero(mask == (k != wrong_at))
        env.step(None if ended or cut else int(rng.choice(legal)))
    assert env.agents == [] and env.rewards == env.terminations == env.infos == {}
    return returns


@pytest.mark.parametrize("id, at", [("TicTacToe", 3), ("Hanabi", 5), ("Werewolf", 1)])
def test_terminate_illegal_wrapper(id, at):
    """It ends the episode for all: the reward that it was given for who moved, none for the others."""
    env = TerminateIllegalWrapper(envsuite.make_aec(id), illegal_reward=-7)
    own = envsuite.make_aec(id)
    for _ in range(2):  # again after a reset
        returns = walked(env, at, np.random.default_rng(0))
        own.reset(seed=3)
        rng, expected = np.random.default_rng(0), dict.fromkeys(env.possible_agents, 0.0)
        for _ in range(at):
            own.step(int(rng.choice(np.flatnonzero(own.last()[4]["action_mask"]))))
            for agent, reward in own.rewards.items():
                expected[agent] += reward
        expected[own.agent_selection] -= 7
        assert returns == expected
    assert walked(env, -1, np.random.default_rng(0)).keys() == returns.keys()  # and without an illegal move


def test_ends_that_a_wrapper_sets_are_the_worlds():
    env = envsuite.make_aec("ConnectFour")
    env.reset(seed=0)
    env.step(3)
    env.truncations = dict.fromkeys(env.agents, True)
    env.rewards = {"player_1": -1.0}
    assert env.rewards == {"player_0": 0.0, "player_1": -1.0} and all(env.truncations.values())
    twin = env.clone()
    assert twin.rewards == env.rewards and twin.truncations == env.truncations
    with pytest.raises(ActionError, match="only action is None"):
        env.step(3)


def test_parallel_seed_test():
    """Its actions are drawn without masks, so environments must accept illegal ones."""
    for module in (hanabi, marketplace, trust_game):
        for mode in ("noop", "forfeit"):
            parallel_seed_test(lambda module=module, mode=mode: module.parallel_env(on_illegal=mode), 50)
    with pytest.raises(ActionError, match="on_illegal="):
        parallel_seed_test(hanabi.parallel_env)


@pytest.mark.slow
@pytest.mark.parametrize("id", ["ConnectFour", "Marketplace", "MatrixInTheGrid"])
def test_render_test(id, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(lambda render_mode: envsuite.make_aec(id, render_mode=render_mode))


def test_max_cycles():
    max_cycles_test(clean_up)
    assert clean_up.CleanUp(max_cycles=4).parameters["horizon"] == 4
    assert envsuite.make_vec("CleanUp", 1, max_cycles=4).world.parameters["horizon"] == 4
    assert envsuite.make_aec("Airline", max_cycles=4).world.parameters["max_steps"] == 4
    with pytest.raises(ParameterError, match="CleanUp got the parameter 'horizon' twice"):
        clean_up.CleanUp(max_cycles=4, horizon=4)
    with pytest.raises(ParameterError, match="ConnectFour has no parameter 'max_cycles'"):
        envsuite.make_aec("ConnectFour", max_cycles=4)


def transitions(id, most, **params):
    """The number of transitions of an episode with random actions, or `most` + 1 if there are more."""
    env, rng = envsuite.make_parallel(id, compiled=False, **params), np.random.default_rng(0)
    env.reset(seed=0)
    for made in range(most + 1):
        if not env.agents:
            return made
        env.step(legal_actions(env, rng))
    return most + 1


@pytest.mark.parametrize("id", envsuite.ids())
def test_max_cycles_is_the_horizon_of_every_world_that_has_one(id):
    """Worlds with the synonym end by then; in others no parameter is the number of transitions of an episode."""
    declared = signature(registry.spec(id).load())
    name = synonym("max_cycles", declared)
    if id == "envsuite/Fishery-v0":  # a cycle is a month there, of several transitions
        assert name == "horizon"
    elif name != "max_cycles":
        few = max(3, int(bounds(declared[name].hint).low))
        assert transitions(id, few, max_cycles=few) <= few
    else:
        for other in (name for name, (_, default) in declared.items() if type(default) is int):
            with suppress(ParameterError):  # one is out of its range
                small, large = (registry.build(id, {other: n}) for n in (3, 8))
                if (small.slot, small.slot_shape) != (large.slot, large.slot_shape):
                    continue  # a size
                assert [transitions(id, n, **{other: n}) for n in (3, 5, 8)] != [3, 5, 8], f"{other}: a Horizon?"


def lowest(observation, mask):
    return np.flatnonzero(mask)[0]


def test_functions_are_policies():
    for opponents in (lowest, {"player_1": lowest}, [lowest]):
        env = gymnasium.make("envsuite/ConnectFour-v0", opponents=opponents)
        env.reset(seed=0)
        env.step(3)
        assert env.unwrapped.scene() is not None and env.unwrapped.batch.records["heights"][0].tolist()[0] == 1
    twin = env.unwrapped.clone()
    assert twin.step(3)[0]["observation"].tolist() == env.step(3)[0]["observation"].tolist()
    envs = gymnasium.make_vec("envsuite/ConnectFour-v0", 2, opponents=lambda observation, mask: 6)
    envs.reset(seed=0)
    envs.step(np.array([3, 3]))
    assert (envs.unwrapped.batch.records["heights"][:, 6] == 1).all()
    assert envsuite.make_vec("ConnectFour", 2).rollout([lowest, "random"], 8, seed=0).steps == 16
    seen = []
    by_parts = gymnasium.make(
        "envsuite/Fishery-v0", opponents=lambda o, mask: seen.append(o["stock"]) or lowest(o, mask)
    )
    by_parts.reset(seed=0)
    by_parts.step(0)
    assert len(seen) >= 4
    with pytest.raises(ActionError, match="policy '<lambda>' must choose an integer, not 3.5"):
        gymnasium.make("envsuite/ConnectFour-v0", agent="player_1", opponents=lambda o, m: 3.5).reset(seed=0)
