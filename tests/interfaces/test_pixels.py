"""Observations in pixels: each agent's own picture, the same through every interface."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

import envsuite
from envsuite.core.errors import ParameterError
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.render.frames import fitted
from envsuite.render.scene import Scene

SIZE = (88, 66)
SPACE = Box(0, 255, (*SIZE, 3), np.uint8)


def picture(env, agent):
    return fitted(env.scene(agent), *SIZE)


@pytest.mark.parametrize("id", ["Coins", "ConnectFour", "OffSwitchGrid"])
def test_every_interface_shows_the_same(id):
    parallel, aec, seat = (make(id, pixels=SIZE) for make in (Parallel, AEC, Seat))
    vector, seats = envsuite.make_vec(id, 2, pixels=SIZE), gymnasium.make_vec(f"envsuite/{id}-v0", 2, pixels=SIZE)
    agents, masked = parallel.possible_agents, parallel.world.masked

    def bare(seen):
        return seen["observation"] if masked else seen

    first, _ = parallel.reset(seed=0)
    aec.reset(seed=0)
    ours = [bare(first[agent]) for agent in agents]
    assert [bare(aec.observe(agent)).tolist() for agent in agents] == [seen.tolist() for seen in ours]
    assert (bare(seat.reset(seed=0)[0]) == ours[0]).all() and (bare(seats.reset(seed=0)[0])[0] == ours[0]).all()
    seen, infos = vector.reset(0)
    assert vector.observation_space.shape == seen.shape == (2, len(agents), *SIZE, 3)
    assert (seen[0] == ours).all() and vector.observation_space.contains(seen)
    assert all((picture(parallel, agent) == one).all() for agent, one in zip(agents, ours))
    assert bare(parallel.observation_space(agents[0])) == bare(seats.single_observation_space) == SPACE
    for env in (parallel.clone(), aec.clone(), vector.clone(), seats.clone(), seat.clone()):
        assert env.views.pixels == SIZE
    plain = envsuite.make_vec(id, 2)
    plain.reset(0)
    rng = np.random.default_rng(0)
    for _ in range(3):  # the world does not depend on how it is seen
        held = seen.copy()
        actions = (rng.random(infos["action_mask"].shape) * infos["action_mask"]).argmax(-1)
        later, rewards, *_, infos = vector.step(actions)
        assert (seen == held).all() and (rewards == plain.step(actions)[1]).all()
        assert plain.get_state() == vector.get_state()
        seen = later
    assert vector.flatten().reset(seed=0)[0].shape == (2 * len(agents), *SIZE, 3)


def test_checkers_accept_pixels():
    api_test(AEC("Coins", pixels=SIZE, horizon=5), num_cycles=5)
    parallel_api_test(Parallel("Coins", pixels=SIZE, horizon=5), num_cycles=5)
    check_env(Seat("Coins", pixels=SIZE, horizon=5), skip_render_check=True)


@pytest.mark.parametrize("width, height", [(1, 1), (7, 3), (3, 7), (0.3, 1), (100, 1), (13.3, 9.1)])
@pytest.mark.parametrize("size", [(8, 8), (88, 66), (87, 65), (84, 84)])
def test_scenes_fit(width, height, size):
    frame = fitted(Scene(width, height, [], "red"), *size)
    assert frame.shape == (*size, 3) and (frame == frame[0, 0]).all()


def test_sizes():
    assert envsuite.make_parallel("Coins", pixels=np.array([84, 84])).views.pixels == (84, 84)
    for wrong in (88, (88,), (7, 88), (88, 88.5), "88", (88, 4096), (True, 88)):
        with pytest.raises(ParameterError, match="pixels=.* must be a list of 2 integers from 8 to 2048 or None"):
            envsuite.make_parallel("Coins", pixels=wrong)


def test_only_drawing_imports_pygame():
    code = "import sys, envsuite; e = envsuite.make_parallel('Coins', pixels=(84, 84)); print('pygame' in sys.modules)"
    code += "; e.reset(seed=0); import pygame; print(pygame.display.get_init())"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.split()[-2:] == ["False", "False"]
