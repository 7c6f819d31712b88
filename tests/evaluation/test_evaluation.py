"""Social metrics by hand; Schelling diagrams of games whose payoffs are known."""

import numpy as np
import pytest

from envsuite.core.errors import ParameterError
from envsuite.evaluation import metrics
from envsuite.evaluation.schelling import Diagram, schelling
from envsuite.render.frames import draw


def test_sustainability():
    rewards = np.zeros((10, 3))
    rewards[[2, 4], 0] = 1  # mean step 3
    rewards[9, 1] = 5  # 9
    rewards[:, 2] = -1  # never
    assert metrics.sustainability(rewards) == 6.0
    assert metrics.sustainability(np.stack([rewards, rewards[::-1]])).tolist() == [6.0, (6 + 0) / 2]


def test_peace():
    away = np.zeros((4, 5), bool)
    away[0, :3] = True
    assert metrics.peace(away) == 1 - 3 / 20
    assert metrics.peace(np.stack([away, ~away])).tolist() == pytest.approx([17 / 20, 3 / 20])


def test_normalised():
    assert metrics.normalised([5.0, 10.0, 20.0, 30.0], worst=10, best=20).tolist() == [-0.5, 0.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="larger"):
        metrics.normalised(1.0, worst=2, best=2)


def test_diagram_of_the_prisoners_dilemma():
    """One shot of 3, 0; 5, 1 (C against C and D; D against C and D)."""
    found = schelling("RepeatedGame", "cooperator", "defector", game="prisoners_dilemma", rounds=10, num_envs=4)
    assert found.cooperator.tolist() == [0, 30] and found.defector.tolist() == [10, 50]
    assert found.temptation.tolist() == [10, 20] and not found.cooperator_error.any() and found.is_dilemma


def test_dilemmas_by_their_ends():
    def diagram(exploited, peace, war, greed):
        zero = np.zeros(2)
        return Diagram(np.array([exploited, peace]), np.array([war, greed]), zero, zero)

    assert diagram(0.0, 3.0, 1.0, 5.0).is_dilemma  # the prisoner's
    assert diagram(2.0, 3.0, 0.0, 5.0).is_dilemma  # chicken: greed
    assert diagram(0.0, 4.0, 2.0, 2.0).is_dilemma  # stag hunt: fear
    assert not diagram(2.0, 4.0, 1.0, 3.0).is_dilemma  # harmony
    assert not diagram(3.0, 1.0, 2.0, 4.0).is_dilemma


@pytest.mark.slow
def test_diagram_of_many_players():
    """Each number of others is measured, from all seats; and the picture."""
    found = schelling("Harvest", "sustainable", "greedy", players=3, steps=150, num_envs=4)
    assert found.cooperator.shape == found.defector.shape == (3,)
    assert (found.cooperator_error > 0).all()
    picture = draw(found.scene(("sustainable", "greedy")))
    assert picture.shape[2] == 3 and len(np.unique(picture.reshape(-1, 3), axis=0)) > 5
    with pytest.raises(ParameterError, match="two agents"):
        schelling("Empty", "solver", "random")
