"""Kuhn poker solved from the world itself: its chance and its tree enumerated, nothing written down twice."""

import numpy as np
from scipy.optimize import linprog

from envsuite.core.chance import Explorer
from envsuite.games.kuhn_poker import KuhnPoker


class Tree:
    """The game tree of a two-player world in sequence form.

    A sequence of a player is the information set and action of its last move, None before the first. An information
    set is what the mover sees.
    """

    def __init__(self, world):
        self.explorer = Explorer(world)
        self.parents = ({}, {})  # information set -> the sequence that leads to it
        self.actions = ({}, {})  # information set -> number of legal actions
        self.payoffs = {}  # (sequence of player 0, sequence of player 1) -> expected payoff of player 0
        self.nodes = self.terminals = 0
        for start in self.explorer.starts():
            self.walk(start.record, start.probability, (None, None), 0.0)

    def walk(self, record, probability, sequences, reward):
        self.nodes += 1
        view = self.explorer.look(record)
        if view.over:
            self.terminals += 1
            self.payoffs[sequences] = self.payoffs.get(sequences, 0.0) + probability * reward
            return
        (player,) = np.flatnonzero(view.acting)
        legal = np.flatnonzero(view.masks[player])
        information_set = view.observations[player].tobytes()
        # Perfect recall: whatever leads to an information set, the player's own past is the same.
        assert self.parents[player].setdefault(information_set, sequences[player]) == sequences[player]
        assert self.actions[player].setdefault(information_set, len(legal)) == len(legal)
        for action in legal:
            after = list(sequences)
            after[player] = (information_set, int(action))
            chosen = np.zeros(2, np.int64)
            chosen[player] = action
            for outcome in self.explorer.successors(record, chosen):
                total = reward + outcome.rewards[0]
                self.walk(outcome.record, probability * outcome.probability, tuple(after), total)

    def value(self):
        """The value for player 0 (von Stengel, 1996): max f'q with E x = e, A'x >= F'q, x >= 0."""
        index = []
        for player in (0, 1):
            sequences = [None, *((s, a) for s, n in self.actions[player].items() for a in range(n))]
            index.append({sequence: k for k, sequence in enumerate(sequences)})
        matrix = np.zeros((len(index[0]), len(index[1])))
        for (first, second), payoff in self.payoffs.items():
            matrix[index[0][first], index[1][second]] += payoff
        constraints = []
        for player in (0, 1):
            rows = np.zeros((1 + len(self.parents[player]), len(index[player])))
            rows[0, 0] = 1
            for k, (information_set, parent) in enumerate(self.parents[player].items(), 1):
                rows[k, index[player][parent]] = -1
                for action in range(self.actions[player][information_set]):
                    rows[k, index[player][information_set, action]] = 1
            constraints.append(rows)
        plans, others = constraints
        n, m = plans.shape[1], others.shape[0]
        cost = np.zeros(n + m)
        cost[n] = -1.0
        solution = linprog(
            cost,
            A_ub=np.hstack([-matrix.T, others.T]),
            b_ub=np.zeros(matrix.shape[1]),
            A_eq=np.hstack([plans, np.zeros((plans.shape[0], m))]),
            b_eq=np.eye(plans.shape[0])[0],
            bounds=[(0, None)] * n + [(None, None)] * m,
        )
        assert solution.success
        return -solution.fun


def test_kuhn_poker_is_worth_minus_one_eighteenth():
    tree = Tree(KuhnPoker())
    # OpenSpiel counts 58 histories, 4 of them chance nodes, of which 30 are terminal; it deals in two steps where the
    # world has one. Six information sets each. The value is Kuhn's (1950).
    assert tree.terminals == 30 and tree.nodes == 58 - 4
    assert [len(parents) for parents in tree.parents] == [6, 6]
    assert abs(tree.value() - (-1 / 18)) < 1e-9


def test_chance_is_complete():
    explorer = Explorer(KuhnPoker(players=3))
    starts = explorer.starts()
    assert len(starts) == 24 and abs(sum(start.probability for start in starts) - 1) < 1e-12
    assert {round(start.probability * 24, 12) for start in starts} == {1.0}
