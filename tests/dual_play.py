"""Playing with worlds of a robot and a human who get the same: episodes between policies, and moves by hand."""

import numpy as np

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.dual_control.off_switch import HUMAN, ROBOT
from envsuite.evaluation.matches import play_batch


def play(world, robot, human, num, level=None, tell=None):
    """Returns (num,) with these policies, and the batch after the episodes; `tell` changes it before they start."""
    batch = Batch(world, num)
    if tell:
        batch.start(0, level)
        tell(batch)
    batch.start(0, level)
    players = [make_policy(name, world) for name in (robot, human)]
    returns = play_batch(batch, players, np.tile([ROBOT, HUMAN], (num, 1)), num, None, None).returns
    assert (returns[:, ROBOT] == returns[:, HUMAN]).all()
    return returns[:, ROBOT], batch


def act_out(world, level, moves):
    """The batch after these moves, one for both or one each, and what both get in each step."""
    batch = Batch(world, 1)
    batch.start(levels=level)
    rewards = []
    for move in moves:
        batch.actions[:] = move
        acting = batch.acting[0] != 0
        assert not batch.over()[0] and batch.masks[0, acting, batch.actions[0, acting]].all()
        batch.step()
        assert batch.rewards[0, ROBOT] == batch.rewards[0, HUMAN]
        rewards.append(float(batch.rewards[0, ROBOT]))
    return batch, rewards
