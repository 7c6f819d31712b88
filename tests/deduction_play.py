"""Playing with worlds of hidden roles (`envsuite.kit.deduction`)."""

import kit
import numpy as np

from envsuite.kit.deduction import DECEIVER


def step(batch, *names):
    """One transition; a name for each agent that acts, in their order, or one for all of them."""
    acting = np.flatnonzero(batch.acting[0])
    names = names * len(acting) if len(names) == 1 else names
    assert len(names) == len(acting)
    for a, name in zip(acting, names):
        batch.actions[:, a] = batch.world.action_names[a].index(name)
    batch.step()


def finish(batch, names=("random",) * 2, seed=0):
    """Play to the end: the many by the first policy, deceivers by the second; whether the many won."""
    kit.finish(batch, *names, second=lambda: batch.records["roles"] == DECEIVER, seed=seed)
    return ~((batch.records["alive"] == 1) & (batch.records["roles"] == DECEIVER)).any(axis=1)
