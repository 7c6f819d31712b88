"""Counterfactual regret minimization and fictitious play on the game tree of a world: policies near a Nash equilibrium.

    solver = CFRPlus(Tree(LeducPoker()))
    solver.run(1000)
    solver.tree.nash_conv(solver.average)
    policy = solver.policy()

`CFR` and `CFRPlus` traverse the tree in sequence form, where an iteration is a few additions for each end and each
sequence. `ExternalSampling` samples histories. `FictitiousPlay` plays best responses to the average of the past.
In two-player zero-sum games the average profile converges to an equilibrium; in other games there is no guarantee.
"""

from __future__ import annotations

import numpy as np

from envsuite.compile.bound import bind
from envsuite.core import random
from envsuite.core.batch import stream_starts
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.solvers.game_tree import CHANCE, END, TabularPolicy, Tree, plan_of, reply_of, worth_of

#: The random stream. Not in front: Numba takes a record for a subtype of another that it starts with.
_STREAM = np.dtype([("external_sampling", np.uint64), ("rng", np.uint64)])


class Solver:
    """An iterative solver of a game tree.

    Attributes:
        tree: the tree.
        iterations: the number of iterations run so far.
    """

    def __init__(self, tree: Tree):
        self.tree, self.iterations = tree, 0
        sequences = tree.form.begins[-1]
        self._behavior = tree.behaviour(tree.uniform())
        self._totals, self._regrets = np.zeros(sequences), np.zeros(sequences)
        self._plans, self._worth = np.zeros(sequences), np.zeros(sequences)

    def run(self, iterations: int) -> None:
        """Run this many further iterations."""
        if iterations < 1:
            raise ParameterError(f"iterations={iterations!r} must be 1 or more")
        self._run(self.iterations + 1, self.iterations + int(iterations))
        self.iterations += int(iterations)

    def _run(self, first: int, last: int) -> None:
        """Iterations `first` to `last`, both included, counted from 1."""
        raise NotImplementedError

    @property
    def average(self) -> np.ndarray:
        """The average profile (S, K) of all iterations, which converges."""
        return self.tree.normalised(self._totals)

    def policy(self) -> TabularPolicy:
        """The policy that plays the average profile."""
        return self.tree.policy(self.average)


class CFR(Solver):
    """Counterfactual regret minimization, updating one player after the other.

    Zinkevich, Johanson, Bowling and Piccione, "Regret minimization in games with incomplete information", 2007. Regret
    matching; profiles are averaged with equal weights.
    """

    plus = False

    def _run(self, first: int, last: int) -> None:
        _cfr(
            self.tree.form, self._behavior, self._regrets, self._totals, self._plans, self._worth,
            self.plus, first, last,
        )  # fmt: skip


class CFRPlus(CFR):
    """CFR+: regrets never fall below 0, and the profile of iteration t weighs t in the average.

    Tammelin, "Solving large imperfect information games using CFR+", 2014.
    """

    plus = True


class ExternalSampling(Solver):
    """Monte Carlo CFR that samples chance and the other players' actions and tries all actions of the player itself.

    Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive games", 2009. An
    iteration traverses the tree once for each player. It adds to the average profile at the information sets of the
    player that follows the one whose regrets are updated; there, sampling gives the weights.
    """

    def __init__(self, tree: Tree, seed: int = 0):
        super().__init__(tree)
        self._stream = np.zeros(1, _STREAM)
        self._stream["rng"] = stream_starts([seed])
        self._visited, self._picked = np.zeros((2, len(tree.nodes.sets)), np.int64)
        self._values = np.zeros(len(tree.nodes.sets))

    def _run(self, first: int, last: int) -> None:
        tree = self.tree
        _external(
            tree.form, tree.nodes, tree.rewards, self._behavior, self._regrets, self._totals, self._stream,
            self._visited, self._picked, self._values, last - first + 1,
        )  # fmt: skip


class FictitiousPlay(Solver):
    """Fictitious play: in every iteration all give their best response to the others' average so far.

    Plans are averaged, so that it is Brown's ("Iterative solution of games by fictitious play", 1951) in the normal
    form: in a MatrixGame just that, and in a tree the full-width extensive-form one of Heinrich, Lanctot and Silver
    ("Fictitious self-play in extensive-form games", 2015). The uniform profile counts as one of those answered.
    """

    def __init__(self, tree: Tree):
        super().__init__(tree)
        self._totals, self._reply = tree.plans(tree.uniform()), np.zeros_like(self._totals)

    def _run(self, first: int, last: int) -> None:
        _fictitious(
            self.tree.form, self._behavior, self._totals, self._reply, self._plans, self._worth, last - first + 1
        )


# Kernels.


@kernel
def match_regrets(form, i, regrets, behaviour):
    """Play a set's actions in proportion to their positive regrets; uniformly where there are none."""
    total = 0.0
    for q in range(form.begins[i], form.begins[i + 1]):
        total += max(regrets[q], 0.0)
    for q in range(form.begins[i], form.begins[i + 1]):
        behaviour[q] = max(regrets[q], 0.0) / total if total > 0.0 else 1.0 / (form.begins[i + 1] - form.begins[i])


def _cfr_entry(form, behaviour, regrets, totals, plans, worth, plus, first, last):
    players = form.ends.shape[0]
    for player in range(players):
        plan_of(form, behaviour, plans, player)
    for iteration in range(first, last + 1):
        weight = float(iteration) if plus else 1.0
        for player in range(players):
            worth_of(form, plans, worth, player)
            for k in range(form.owners[player + 1] - form.owners[player]):
                i = form.owners[player + 1] - 1 - k  # from the last to the first
                value = 0.0
                for q in range(form.begins[i], form.begins[i + 1]):
                    value += behaviour[q] * worth[q]
                for q in range(form.begins[i], form.begins[i + 1]):
                    regrets[q] += worth[q] - value
                    if plus:
                        regrets[q] = max(regrets[q], 0.0)
                    totals[q] += weight * plans[q]
                worth[form.parents[i]] += value
                match_regrets(form, i, regrets, behaviour)
            plan_of(form, behaviour, plans, player)


def _external_entry(form, nodes, rewards, behaviour, regrets, totals, stream, visited, picked, values, iterations):
    players = form.ends.shape[0]
    s = stream[0]
    for _ in range(iterations):
        for player in range(players):
            averaged = (player + 1) % players
            visited[0] = 0
            count = 1
            at = 0
            while at < count:  # down: each node comes after its parent
                node = visited[at]
                at += 1
                i = nodes.sets[node]
                if i == END:
                    continue
                child = nodes.first[node]
                if form.owners[player] <= i < form.owners[player + 1]:
                    for k in range(nodes.counts[node]):
                        visited[count] = child + k
                        count += 1
                    continue
                begin = form.begins[max(i, 0)]
                left = random.uniform(s)
                for k in range(nodes.counts[node]):
                    chance = nodes.chances[child + k] if i == CHANCE else behaviour[begin + k]
                    if form.owners[averaged] <= i < form.owners[averaged + 1]:
                        totals[begin + k] += chance
                    if chance > 0.0 and left >= 0.0:
                        picked[node] = child + k
                        left -= chance
                visited[count] = picked[node]
                count += 1
            while at > 0:  # and up
                at -= 1
                node = visited[at]
                i = nodes.sets[node]
                if i == END:
                    values[node] = rewards[nodes.first[node], player]
                elif form.owners[player] <= i < form.owners[player + 1]:
                    child, begin = nodes.first[node], form.begins[i]
                    values[node] = 0.0
                    for k in range(nodes.counts[node]):
                        values[node] += behaviour[begin + k] * values[child + k]
                    for k in range(nodes.counts[node]):
                        regrets[begin + k] += values[child + k] - values[node]
                    match_regrets(form, i, regrets, behaviour)
                else:
                    values[node] = values[picked[node]]


def _fictitious_entry(form, behaviour, totals, reply, plans, worth, iterations):
    players = form.ends.shape[0]
    for _ in range(iterations):
        for player in range(players):
            plan_of(form, behaviour, plans, player)
        for player in range(players):
            worth_of(form, plans, worth, player)
            reply_of(form, worth, reply, player)
            plan_of(form, reply, worth, player)  # overwrites its value
        for i in range(form.owners[players]):
            total = 0.0
            for q in range(form.begins[i], form.begins[i + 1]):
                totals[q] += worth[q]
                total += totals[q]
            for q in range(form.begins[i], form.begins[i + 1]):
                behaviour[q] = totals[q] / total


_cfr = bind(_cfr_entry, "cfr.cfr")
_external = bind(_external_entry, "cfr.external")
_fictitious = bind(_fictitious_entry, "cfr.fictitious")
