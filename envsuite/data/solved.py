"""Solvers that judge recorded decisions: the value of every action that an agent had, and the best one.

- **tabular**: exact values if all agents play best, from a list of all states of the world. They are values of states,
  also where an agent cannot see the whole state. For one agent, or agents that take turns.
- **cfr**: the mean return of each action in the agent's information set if all continue by the average profile of CFR+.
  For two-player zero-sum games with a small tree.
- **mcts**: the mean return of each action in a search, seeded by the episode's seed and the step; nan for an action
  that was not tried.

"auto" takes "cfr" for zero-sum games of two agents with hidden information or simultaneous moves, "tabular" for one
agent and for perfect information in turns, and "mcts" for other worlds and where these are too large. A name may have
parameters: "tabular:limit=1000000", "cfr:iterations=5000", "mcts:simulations=1000".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.batch import Batch, stream_starts
from envsuite.core.chance import ChanceError
from envsuite.core.errors import ParameterError, suggest
from envsuite.core.names import read_values, split_name
from envsuite.core.parameters import Parameter
from envsuite.core.policy import make_policy
from envsuite.core.world import World
from envsuite.solvers.cfr import CFRPlus
from envsuite.solvers.game_tree import Tree, TreeError
from envsuite.solvers.mcts import MCTS
from envsuite.solvers.model import TooLargeError, extract
from envsuite.solvers.planning import ConvergenceError, own, value_iteration

#: Maximum states of "tabular" and histories of "cfr", iterations of CFR+, and simulations of a search.
_STATES, _HISTORIES, _ITERATIONS, _SIMULATIONS = 100_000, 500_000, 1000, 200


class Judge:
    """A solver that judges decisions.

    Attributes:
        name: the solver with its parameters, for the metadata of columns.
    """

    name: str

    def begin(self, num: int) -> None:
        """Episodes begin in `num` worlds."""

    def judge(
        self, batch: Batch, rows: np.ndarray, agents: np.ndarray, actions: np.ndarray, seeds: np.ndarray, step: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The values (D, K) float64 of all actions, nan where unknown or illegal, and the best action (D,).

        Args:
            batch: before the step.
            rows, agents: (D,) the worlds and agents that decide; in the order of worlds and agents.
            actions: (D,) the actions that they take.
            seeds: (D,) uint64, of the worlds' episodes.
            step: transitions so far.
        """
        raise NotImplementedError


def judge_of(world: World, solver: str = "auto") -> Judge:
    """The solver with a name, as the page of this module describes them; `ParameterError` if it does not fit."""
    kind, texts = split_name(solver)
    if kind == "mcts":
        return _Searched(world, solver)
    numbers = _number(texts, {"tabular": "limit", "cfr": "iterations", "auto": ""}, kind)
    if kind == "tabular":
        return _Tabular(world, numbers or _STATES)
    if kind == "cfr":
        return _Solved(world, numbers or _ITERATIONS)
    hidden = world.information == "imperfect" or world.turns != "sequential"
    try:
        if len(world.agents) == 2 and world.utility == "zero-sum" and hidden:
            return _Solved(world, _ITERATIONS)
        if len(world.agents) == 1 or not hidden:
            return _Tabular(world, _STATES)
    except (TooLargeError, TreeError, ChanceError, ConvergenceError):
        pass
    return _Searched(world, f"mcts:simulations={_SIMULATIONS}")


def _number(texts: list[str], known: dict[str, str], kind: str) -> int:
    """The one number that a solver takes, 0 if it is not given."""
    if kind not in known:
        raise ParameterError(f"there is no solver {kind!r}{suggest(kind, [*known, 'mcts'])}")
    own = known[kind]
    wanted = ParameterError(
        f"the solver {kind}:{','.join(texts)} must be {f'{kind}:{own}=N' if own else f'{kind!r} without parameters'}"
    )
    if len(texts) > (own != ""):
        raise wanted
    values = read_values({own: Parameter(int, 0)}, texts, f"the solver {kind}:")
    if not all(isinstance(value, int) and value >= 1 for value in values.values()) or values.keys() - {own}:
        raise wanted
    return values.get(own, 0)


class _Tabular(Judge):
    def __init__(self, world: World, limit: int):
        self.model = extract(world, limit=limit)
        if (self.model.mover == -2).any():
            raise ParameterError(f"{world.id}: agents act at once: the solver 'tabular' is for agents that take turns")
        self.table = self.model.table(own(self.model, value_iteration(self.model).q))
        self.name = f"tabular: exact, {self.model.num_states} states"

    def judge(
        self, batch: Batch, rows: np.ndarray, agents: np.ndarray, actions: np.ndarray, seeds: np.ndarray, step: int
    ) -> tuple[np.ndarray, np.ndarray]:
        values = self.table[self.model.find(batch.records[rows])]
        return values, np.nanargmax(values, axis=1)


class _Solved(Judge):
    def __init__(self, world: World, iterations: int):
        tree = Tree(world, _HISTORIES)
        solver = CFRPlus(tree)
        solver.run(iterations)
        self.policy, self.table = solver.policy(), tree.action_values(solver.average)
        gap = tree.exploitability(solver.average)
        self.name = f"cfr+: {iterations} iterations, exploitability {gap:.2g}"

    def begin(self, num: int) -> None:
        self.policy.reset(0, num)

    def judge(
        self, batch: Batch, rows: np.ndarray, agents: np.ndarray, actions: np.ndarray, seeds: np.ndarray, step: int
    ) -> tuple[np.ndarray, np.ndarray]:
        everyone = range(len(batch.world.agents))
        sets = self.policy.sets(batch.observations, batch.masks, everyone)
        self.policy.follow(sets, batch.actions, everyone)
        values = self.table[sets[rows, agents]]
        # Where chance and the others never lead, nothing is known: the action counts as the best.
        known = ~np.isnan(values).all(axis=1)
        return values, np.where(known, np.where(np.isnan(values), -np.inf, values).argmax(axis=1), actions)


class _Searched(Judge):
    def __init__(self, world: World, name: str):
        planner: Any = make_policy(name, world)
        self.planner: MCTS = planner
        self.name = f"mcts: {self.planner.simulations} simulations"

    def judge(
        self, batch: Batch, rows: np.ndarray, agents: np.ndarray, actions: np.ndarray, seeds: np.ndarray, step: int
    ) -> tuple[np.ndarray, np.ndarray]:
        streams = stream_starts(stream_starts(seeds) + np.uint64(step))
        self.planner.streams = streams[:, None] + np.arange(len(batch.world.agents), dtype=np.uint64)
        found = self.planner.search(batch.records[rows], agents)
        return found.values, found.actions
