"""Tianshou learns by the example; agents whose observations differ have equal spaces when they are flat."""

import numpy as np
import pytest
from shared import example, obeyed, watched
from tianshou.algorithm.algorithm_base import Algorithm
from tianshou.env import PettingZooEnv

import envsuite


@pytest.mark.parametrize("id", ["ConnectFour", "Werewolf", "Overcooked"])
def test_example(id, monkeypatch):
    losses = []
    update = Algorithm._update

    def noting(self, *args, **kwargs):
        stats = update(self, *args, **kwargs)
        losses.extend(stats.get_loss_stats_dict().values())
        return stats

    monkeypatch.setattr(Algorithm, "_update", noting)
    with watched() as counts:
        stats = example("tianshou_connect_four").main(id, epochs=2, moves=256, num_envs=2)
    assert stats.update_step > 2 and stats.train_step >= 512 and obeyed(counts, 100)
    assert len(losses) > 4 and np.isfinite(losses).all()


def test_agents_that_differ():
    with pytest.raises(AssertionError, match="Observation spaces"):
        PettingZooEnv(envsuite.make_aec("Assistance"))
    PettingZooEnv(envsuite.make_aec("Assistance", flat="scaled", masks="infos"))
