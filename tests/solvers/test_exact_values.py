"""Kuhn poker solved from the world itself: its chance and its tree enumerated, nothing written down twice."""

import numpy as np
import pytest

from envsuite.core.chance import Explorer
from envsuite.games.kuhn_poker import KuhnPoker
from envsuite.solvers.equilibria import zero_sum_nash
from envsuite.solvers.game_tree import Tree


def test_kuhn_poker_is_worth_minus_one_eighteenth():
    tree = Tree(KuhnPoker())
    # OpenSpiel 2.0.2's tree and NashConv; the value is Kuhn's (1950).
    assert (tree.decisions, tree.terminals) == (24, 30) and tree.information_sets == [6, 6]
    np.testing.assert_allclose(tree.values(tree.uniform()), [1 / 8, -1 / 8], atol=1e-12)
    assert tree.nash_conv(tree.uniform()) == pytest.approx(11 / 12, abs=1e-12)
    assert zero_sum_nash(tree)[0] == pytest.approx(-1 / 18, abs=1e-9)


def test_kuhn_poker_with_more_players():
    """OpenSpiel 2.0.2's trees of 3 and 4 players."""
    tree = Tree(KuhnPoker(players=3))
    assert (tree.decisions, tree.terminals) == (288, 312) and tree.information_sets == [16, 16, 16]
    np.testing.assert_allclose(tree.values(tree.uniform()), [0.234375, -0.046875, -0.1875], atol=1e-12)
    assert tree.nash_conv(tree.uniform()) == pytest.approx(2.0625, abs=1e-12)
    tree = Tree(KuhnPoker(players=4))
    assert (tree.decisions, tree.terminals) == (3840, 3960) and tree.information_sets == [40] * 4
    wanted = [0.309895833, 0.018229167, -0.127604167, -0.200520833]
    np.testing.assert_allclose(tree.values(tree.uniform()), wanted, atol=1e-9)


def test_chance_is_complete():
    explorer = Explorer(KuhnPoker(players=3))
    starts = explorer.starts()
    assert len(starts) == 24 and abs(sum(start.probability for start in starts) - 1) < 1e-12
    assert {round(start.probability * 24, 12) for start in starts} == {1.0}
