"""A script in the way of CleanRL learns from a flattened vector."""

import numpy as np
import pytest
from shared import example, obeyed, watched


@pytest.mark.parametrize("id, params", [("Harvest", {"horizon": 30}), ("ConnectFour", {}), ("Werewolf", {})])
def test_example(id, params):
    with watched() as counts:
        losses = example("cleanrl_harvest").main(id, updates=2, num_envs=4, steps=32, **params)
    assert len(losses) == 2 and np.isfinite(losses).all() and obeyed(counts, 128)
