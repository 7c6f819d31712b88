"""BenchMARL's algorithms take worlds as tasks."""

import math

import pytest
import torch
from shared import example, obeyed, watched


@pytest.mark.parametrize("id, params", [("Overcooked", {"horizon": 50}), ("Harvest", {"horizon": 50}),
                                        ("ConnectFour", {})])  # fmt: skip
def test_example(id, params):
    with watched() as counts:
        experiment = example("benchmarl_overcooked").main(id, iterations=2, frames=200, **params)
    assert experiment.n_iters_performed == 2 and math.isfinite(experiment.mean_return) and obeyed(counts, 400)
    assert all(
        torch.isfinite(parameter).all()
        for loss in experiment.losses.values()
        for parameter in loss.parameters()
    )  # fmt: skip
