"""A reward of nothing is 0.0 in every world, whatever its rules multiply."""

import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.registry import build
from envsuite.testing import random_actions

#: Worlds whose rules compute -0.0 at times.
IDS = ["DonorGame", "Hanabi", "LightsOut", "OffSwitch"]


def zeros_of(id, compiled, steps):
    """All rewards of nothing in some random steps."""
    batch, rng, found = Batch(build(id), 4, compiled=compiled), np.random.default_rng(0), []
    batch.start(0)
    for _ in range(steps):
        batch.start(where=batch.finished)
        batch.step(random_actions(batch.masks, rng))
        found.append(batch.rewards[batch.rewards == 0])
    return np.concatenate(found)


@pytest.mark.parametrize("id", IDS)
def test_a_reward_of_nothing_has_no_sign(id):
    zeros = zeros_of(id, False, 10)
    assert len(zeros) and not np.signbit(zeros).any()


@pytest.mark.machine
def test_nor_in_machine_code():
    zeros = zeros_of("OffSwitch", True, 200)
    assert len(zeros) and not np.signbit(zeros).any()
