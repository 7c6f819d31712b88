"""Equilibria by linear and convex programs: exact up to rounding, for games small enough.

value, profile = zero_sum_nash(Tree(LeducPoker()))
value, row, column = minimax([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
joint = correlated(named("chicken").payoffs)
joint = correlated(named("chicken").payoffs, objective="welfare")
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, sparse

from envsuite.core.errors import EnvsuiteError, ParameterError
from envsuite.solvers.game_tree import Tree

#: The maximum number of entries of a table of deviations by cells; one takes 8 bytes.
ENTRIES = 2**25


class SolverError(EnvsuiteError, RuntimeError):
    """A program that should have a solution was not solved."""


def zero_sum_nash(tree: Tree) -> tuple[float, np.ndarray]:
    """A Nash equilibrium of a two-player zero-sum game: its value for player 0, and a profile (S, K).

    Player 0 maximizes what it gets from a best response, a linear program over its plans, whose dual is player 1's
    (von Stengel, "Efficient computation of behavior strategies", 1996). A set that its own player never reaches in
    this equilibrium has the uniform policy.
    """
    require_zero_sum(tree)
    form = tree.form
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


def require_zero_sum(tree: Tree) -> None:
    """Raise `ParameterError` if a tree is not that of a zero-sum game of two players."""
    if tree.players != 2 or np.abs(tree.rewards.sum(axis=1)).max() > 1e-9:
        raise ParameterError(f"{tree.world.id} is not a zero-sum game of two players")


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


def correlated(payoffs: ArrayLike, coarse: bool = False, objective: Literal["gini", "welfare"] = "gini") -> np.ndarray:
    """The correlated equilibrium of maximum Gini impurity, the one most even over the cells, or of maximum welfare.

    Marris et al., "Multi-agent training beyond zero-sum with correlated equilibrium meta-solvers", 2021. The Gini
    impurity is 1 - the sum of squares, and its maximum is unique. The welfare is the sum of the players' mean payoffs;
    of several maxima the result is a vertex.

    Args:
        payoffs: (players, actions of player_0, ..., actions of the last player).
        coarse: whether players commit to follow before they know what is recommended to them, or, as in Aumann's
            correlated equilibrium, may deviate from any recommendation.
        objective: what is largest.

    Returns:
        A probability for every cell, (actions of player_0, ..., actions of the last player).
    """
    table = np.asarray(payoffs, np.float64)
    if table.ndim < 2 or len(table) != table.ndim - 1 or not table.size:
        raise ParameterError(f"payoffs of shape {table.shape} must be (players, actions of player_0, ...)")
    gains = deviations(table, coarse)
    gains = gains[gains.any(axis=1)]
    if objective == "gini":
        found = _most_even(-gains / np.linalg.norm(gains, axis=1, keepdims=True))
    else:
        one = np.ones((1, gains.shape[1]))
        bound = np.zeros(len(gains))
        found = _linear_program(-table.sum(axis=0).ravel(), A_ub=gains, b_ub=bound, A_eq=one, b_eq=[1.0]).x.clip(0)
    return (found / found.sum()).reshape(table.shape[1:])


def _most_even(rows: np.ndarray) -> np.ndarray:
    """The point x >= 0 nearest to (1, ..., 1) with rows x >= 0; the rows have length 1.

    Such points form a cone, so its point nearest to (1, ..., 1) is the most even distribution times a number. x is the
    positive part of (1, ..., 1) + rows' w for the w >= 0 that makes it shortest (the dual program). Newton's method:
    each step solves a problem of least squares in the cells that are positive before it. There may be many solutions
    w, so each step has damping that falls with the error.
    """
    weights = np.zeros(len(rows))
    for _ in range(1000):
        line = 1.0 + weights @ rows
        found = np.maximum(line, 0.0)
        slack = rows @ found
        error = np.abs(np.where(weights > 0, slack, np.minimum(slack, 0.0))).max(initial=0.0)
        if error <= 1e-11 + 1e-15 * weights.sum():
            return found
        free, damping = line > 0, np.clip(error, 1e-7, 1e-4)
        near = np.vstack([rows[:, free].T, damping * np.eye(len(rows))])
        try:
            step = optimize.nnls(near, np.r_[-np.ones(free.sum()), damping * weights])[0] - weights
        except RuntimeError as problem:
            raise SolverError(f"the convex program of {len(rows):,} deviations was not solved: {problem}") from None
        weights = np.maximum(weights + _length(line, step @ rows) * step, 0.0)
    raise SolverError("the convex program was not solved: its method does not converge")


def _length(line: np.ndarray, slope: np.ndarray) -> float:
    """The t from 0 to 1 at which the positive part of line + t slope is shortest, by bisection."""
    low, high = 0.0, 1.0
    while slope @ np.maximum(line + high * slope, 0.0) > 0 and high - low > 1e-9:
        middle = (low + high) / 2
        if slope @ np.maximum(line + middle * slope, 0.0) > 0:
            high = middle
        else:
            low = middle
    return high


def deviations(payoffs: np.ndarray, coarse: bool = False) -> np.ndarray:
    """The gain of each deviation in each cell: (deviations, cells). In an equilibrium none gains on average.

    A deviation is a player with the recommended action and the action that it takes instead; if coarse, only the
    latter. `SolverError` if the table would have more than 2**25 entries.
    """
    count = sum(size if coarse else size * (size - 1) for size in payoffs.shape[1:])
    if count * payoffs[0].size > ENTRIES:
        raise SolverError(f"{count:,} deviations in {payoffs[0].size:,} cells are more than {ENTRIES:,} entries")
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
