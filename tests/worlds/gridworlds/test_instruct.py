"""Instruct against minigrid, step for step, in all named levels, and its own features."""

import contextlib
import io

import gymnasium
import numpy as np
import pytest
from minigrid.envs.babyai.core.verifier import AfterInstr, AndInstr, BeforeInstr
from minigrid.utils.baby_ai_bot import BabyAIBot
from minigrid_play import export, likely_action

from envsuite.core.batch import Batch
from envsuite.gridworlds.instruct import Instruct
from envsuite.gridworlds.instruct_levels import LEVELS
from envsuite.kit.rooms import ACTIONS

VERSIONS = {"GoToObjS6": 1}


def build(**parameters):
    """The world that its id builds."""
    world = Instruct(**parameters)
    world.id = "envsuite/Instruct-v0"
    return world


def reference(name, seed):
    """MiniGrid's environment after a reset."""
    with contextlib.redirect_stdout(io.StringIO()):  # it prints rejected levels
        env = gymnasium.make(f"BabyAI-{name}-v{VERSIONS.get(name, 0)}").unwrapped
        env.reset(seed=seed)
    return env


def clauses(instruction):
    """The clauses of an instruction of MiniGrid in the order in which they are to be done."""
    if isinstance(instruction, AfterInstr):
        return clauses(instruction.instr_b) + clauses(instruction.instr_a)
    if isinstance(instruction, (BeforeInstr, AndInstr)):
        return clauses(instruction.instr_a) + clauses(instruction.instr_b)
    return [instruction]


def instruct_level(env):
    """A running environment as a level."""
    level = export(env) | {"mission": env.mission}
    if env.carrying:
        x, y = (int(number) for number in env.carrying.cur_pos)
        level["grid"][y][x] = [int(number) for number in env.carrying.encode()]
        level["carrying"] = [x, y]
    boxes = [
        [x, y, [int(number) for number in cell.contains.encode()]]
        for x, y in np.ndindex(env.width, env.height)
        if (cell := env.grid.get(x, y)) and getattr(cell, "contains", None)
    ]
    if boxes:
        level["boxes"] = boxes
    strict = [bool(getattr(clause, "strict", False)) for clause in clauses(env.instrs)]
    return level | ({"strict": strict} if any(strict) else {})


def play_both(env, rng, led=0.0, limit=10_000):
    """Play an episode in both and compare everything; `led` is how often MiniGrid's bot chooses the action.

    Returns the number of steps and the last reward.
    """
    name = next(name for name in LEVELS if f"BabyAI-{name}-v" in env.spec.id)
    ours = Batch(build(level=name), 1)
    level = instruct_level(env)
    ours.set_level(0, level)
    ours.start()
    record = ours.record(0)
    assert ours.world.get_level(record) == level
    assert ours.world.mission_of(record) == env.mission
    assert record.limit == env.max_steps
    bot, last = BabyAIBot(env) if led else None, None
    view = env.gen_obs()
    for t in range(1, limit):
        action = int(rng.integers(7)) if rng.random() < 0.15 else None
        if action is None and bot and rng.random() < led:
            try:
                action = int(bot.replan(last))
            except Exception:  # it fails in some situations, and of course after opened boxes
                bot = None
        if action is None:
            action = int(likely_action(rng, view["image"]))
        last = env.actions(action)
        view, reward, terminated, truncated, _ = env.step(action)
        ours.actions[0, 0] = action
        ours.step()
        seen = ours.observations[0, 0]
        assert np.array_equal(seen["image"], view["image"]), (t, ACTIONS[action])
        assert seen["direction"] == view["direction"]
        assert ours.rewards[0, 0] == reward, (t, ACTIONS[action], env.mission)  # bit for bit
        assert (ours.terminations[0, 0], ours.truncations[0, 0]) == (terminated, truncated)
        if terminated or truncated:
            return t, reward
    return limit, 0.0


@pytest.mark.parametrize("name", LEVELS)
def test_plays_like_minigrid(name):
    rng = np.random.default_rng(0)
    for seed in range(1):
        play_both(reference(name, seed), rng, limit=40)
