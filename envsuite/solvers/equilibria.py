"""Equilibria by linear and convex programs: exact up to rounding, for games small enough.

value, profile = zero_sum_nash(Tree(LeducPoker()))
value, row, column = minimax([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
joint = correlated(named("chicken").payoffs)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, sparse

from envsuite.core.errors import EnvsuiteError, ParameterError
from envsuite.solvers.game_tree import Tree


class SolverError(EnvsuiteError, RuntimeError):
    """A program that should have a solution was not solved."""


def zero_sum_nash(tree: Tree) -> tuple[float, np.ndarray]:
    """A Nash equilibrium of a two-player zero-sum game: its value for player 0, and a profile (S, K).

    Player 0 maximises what it gets from a best response, a linear program over its plans, whose dual is player 1's
    (von Stengel, "Efficient computation of behavior strategies", 1996). A set that its own player never reaches in
    this equilibrium has the uniform policy.
    """
    form = tree.form
    if tree.players != 2 or np.abs(tree.rewards.sum(axis=1)).max() > 1e-9:
        raise ParameterError(f"{tree.world.id} is not a zero-sum game of two players")
    payoffs = sparse.coo_array((form.payoffs[0], form.ends), (form.begins[-1],) * 2).tocsr()
    (mine, plans), (theirs, replies) = (_plan_rows(tree, player) for player in range(2))
    payoffs = payoffs[mine][:, theirs]
    payoffs.eliminate_zeros()
    # Variables: player 0's plan, and the value of each set of player 1 to player 0 if player 1 replies best.
    count, sets = len(mine), replies.shape[0]
    solution = _linear_program(
        cost=np.r_[np.zeros(count), -1.0, np.zeros(sets - 1)],
        A_ub=sparse.hstack([-payoffs.T, replies.T]),
        b_ub=np.zeros(len(theirs)),
        A_eq=sparse.hstack([plans, sparse.coo_array((plans.shape[0], sets))]),
        b_eq=np.eye(1, plans.shape[0])[0],
        bounds=[(0, None)] * count + [(None, None)] * sets,
    )
    weights = np.zeros(form.begins[-1])
    weights[mine], weights[theirs] = solution.x[:count], -solution.ineqlin.marginals
    weights[weights < 1e-12] = 0.0
    return -float(solution.fun), tree.normalised(weights)


def _plan_rows(tree: Tree, player: int) -> tuple[np.ndarray, Any]:
    """A player's sequences, the empty one first, and the constraints E on its plans x: E x = (1, 0, 0, ...)."""
    own, begins = tree.owned(player), tree.form.begins
    first = begins[own.start]
    sequences = np.r_[player, first : begins[own.stop]]
    sets = 1 + np.arange(own.stop - own.start)
    parents = tree.form.parents[own]
    counts = np.diff(begins[own.start : own.stop + 1])
    rows = np.r_[0, sets, np.repeat(sets, counts)]
    columns = np.r_[0, np.where(parents == player, 0, parents - first + 1), 1 : len(sequences)]
    entries = np.r_[1.0, np.full(len(sets), -1.0), np.ones(len(sequences) - 1)]
    return sequences, sparse.coo_array((entries, (rows, columns)), (len(sets) + 1, len(sequences)))


def minimax(payoffs: ArrayLike) -> tuple[float, np.ndarray, np.ndarray]:
    """The value of a zero-sum matrix game for the row player, and an optimal strategy of each player.

    Args:
        payoffs: (m, n) the amounts that the column player pays to the row player.
    """
    table = np.asarray(payoffs, np.float64)
    if table.ndim != 2 or not table.size:
        raise ParameterError(f"payoffs of shape {table.shape} must be a matrix: what the row wins")
    rows, columns = table.shape
    solution = _linear_program(
        cost=np.r_[np.zeros(rows), -1.0],
        A_ub=np.c_[-table.T, np.ones(columns)],
        b_ub=np.zeros(columns),
        A_eq=np.r_[np.ones(rows), 0.0][None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    row, column = solution.x[:rows].clip(0), (-solution.ineqlin.marginals).clip(0)
    return -float(solution.fun), row / row.sum(), column / column.sum()


def correlated(payoffs: ArrayLike, coarse: bool = False) -> np.ndarray:
    """The correlated equilibrium of maximum Gini impurity, 1 - sum of squares: the one most even over the cells.

    Marris et al., "Multi-agent training beyond zero-sum with correlated equilibrium meta-solvers", 2021. The points at
    which no deviation pays and no entry is negative form a cone. The equilibrium is the point of the cone nearest to
    (1, ..., 1), divided by its sum.

    Args:
        payoffs: (players, actions of player_0, ..., actions of the last player).
        coarse: whether players commit to follow before they know what is recommended to them, or, as in Aumann's
            correlated equilibrium, may deviate from any recommendation.

    Returns:
        A probability for every cell, (actions of player_0, ..., actions of the last player).
    """
    table = np.asarray(payoffs, np.float64)
    if table.ndim < 2 or len(table) != table.ndim - 1 or not table.size:
        raise ParameterError(f"payoffs of shape {table.shape} must be (players, actions of player_0, ...)")
    gains = deviations(table, coarse)
    rows = np.concatenate([-gains[gains.any(axis=1)], np.eye(gains.shape[1])])
    found = _nearest(rows / np.linalg.norm(rows, axis=1, keepdims=True)).clip(0)
    return (found / found.sum()).reshape(table.shape[1:])


def _nearest(rows: np.ndarray, tolerance: float = 1e-10) -> np.ndarray:
    """The point x nearest to (1, ..., 1) in the cone rows x >= 0; the rows have length 1.

    x is (1, ..., 1) + rows' w for the w >= 0 that makes it shortest (Moreau's decomposition): non-negative least
    squares, solved with the active sets of Lawson and Hanson, "Solving least squares problems", 1974. `nnls` of
    scipy.optimize 1.17 gives wrong results if rows nearly depend on each other, which dominated actions can cause.
    """
    point = np.ones(rows.shape[1])
    active, weights = np.zeros(0, np.int64), np.zeros(0)
    for _ in range(10 * len(rows)):
        found = point + weights @ rows[active]
        slack = rows @ found
        slack[active] = 0.0
        worst = slack.argmin()
        if slack[worst] >= -tolerance:
            return found
        active, weights = np.append(active, worst), np.append(weights, 0.0)
        while (best := np.linalg.lstsq(rows[active].T, -point, rcond=1e-13)[0]).min(initial=1.0) <= 0:
            down = np.flatnonzero(best <= 0)  # these would become negative: go as far as none is, and drop that one
            length = weights[down] / (weights[down] - best[down])
            weights += length.min() * (best - weights)
            weights[down[length.argmin()]] = 0.0
            active, weights = active[weights > 0], weights[weights > 0]
        weights = best
    raise SolverError("the convex program was not solved: its method does not converge")


def deviations(payoffs: np.ndarray, coarse: bool = False) -> np.ndarray:
    """The gain of each deviation in each cell: (deviations, cells). In an equilibrium none gains on average.

    A deviation is a player with the recommended action and the action that it takes instead; if coarse, only the
    latter.
    """
    rows = []
    for player, table in enumerate(payoffs):
        for other in range(table.shape[player]):
            gain = np.take(table, [other], axis=player) - table
            if coarse:
                rows.append(gain.ravel())
                continue
            for told in range(table.shape[player]):
                if told != other:
                    row = np.zeros_like(table)
                    at = (slice(None),) * player + (told,)
                    row[at] = gain[at]
                    rows.append(row.ravel())
    return np.array(rows).reshape(-1, payoffs[0].size)


def _linear_program(cost: np.ndarray, **constraints: Any) -> Any:
    # Dual simplex: a vertex, exact up to rounding, with its multipliers.
    solution = optimize.linprog(cost, method="highs-ds", **constraints)
    if not solution.success:
        raise SolverError(f"the linear program was not solved: {solution.message}")
    return solution
