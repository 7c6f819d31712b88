"""Policy-space response oracles: populations of policies that grow by best responses to a mixture of themselves.

    solver = PSRO(Tree(KuhnPoker()), "nash")
    solver.run(20)
    solver.gap, solver.last.values
    policy = solver.policy("player_0")

Every round evaluates all combinations of the players' policies, which gives a matrix game, the *meta-game*. A
meta-solver finds a distribution over its cells. Then every player adds a best response to it. The meta-solver decides
to which equilibrium of the game this leads:

- "nash": Nash equilibria of zero-sum games of two players (double oracle: McMahan, Gordon and Blum, "Planning in the
  presence of cost functions controlled by an adversary", 2003),
- "prd": the projected replicator dynamics; "uniform": fictitious play, in which a response that returns counts again
  (Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement learning", 2017),
- "mgcce", "mwcce": coarse correlated equilibria of any game, of maximum Gini impurity or maximum welfare in the
  meta-game; "mgce", "mwce": correlated equilibria, with a best response to every recommendation (JPSRO: Marris et al.,
  "Multi-agent training beyond zero-sum with correlated equilibrium meta-solvers", 2021).

Values, best responses and gaps are exact, by the game tree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import reduce
from typing import Any, Literal, NamedTuple

import numpy as np

from envsuite.core.batch import stream_starts
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import Checked
from envsuite.core.random import mix
from envsuite.interfaces.gym import seat_number
from envsuite.solvers.equilibria import correlated, minimax, require_zero_sum
from envsuite.solvers.game_tree import TabularPolicy, Tree
from envsuite.solvers.learners import TabularLearner

Meta = Literal["nash", "uniform", "prd", "mgcce", "mwcce", "mgce", "mwce"]

#: Recommendations that are less probable get no best response.
RARE = 1e-9

#: How many numbers are in memory at once, about, while meta-games are evaluated.
CHUNK = 2**22


class Round(NamedTuple):
    """A round of PSRO; player p has n_p policies in it.

    Attributes:
        joint: (n_0, ..., n_(P-1)) the distribution over the cells of the meta-game.
        values: (P,) the players' mean returns in it.
        gaps: (P,) how much each player gains on average by a best deviation in the full game: in response to the
            mixture of the others, or, with "mgce" and "mwce", to them given each recommendation.
    """

    joint: np.ndarray
    values: np.ndarray
    gaps: np.ndarray

    @property
    def gap(self) -> float:
        """The sum of the gaps: NashConv where the players mix independently, else the (C)CE gap."""
        return float(self.gaps.sum())


class MixturePolicy(TabularPolicy):
    """Draws a cell of a meta-game for every episode, from a stream of its own, and plays its policies.

    One such policy in several seats plays policies of one cell, so its seats are correlated as in the distribution.

    Attributes:
        tree: the tree.
        joint: (n_0, ..., n_(P-1)) the distribution over cells.
        seats: the numbers of the agents that it can play.
    """

    name = "mixture"

    def __init__(self, tree: Tree, joint: np.ndarray, populations: Sequence[np.ndarray], seats: Collection[int]):
        self.joint, self.seats = joint, frozenset(seats)
        self._tables = np.zeros((max(joint.shape), *tree.masks.shape))
        for player, (count, population) in enumerate(zip(joint.shape, populations)):
            self._tables[:count, tree.owned(player)] = population[:count]
        self._sums = joint.ravel().cumsum()
        super().__init__(tree, tree.uniform())

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        super().reset(seed, num)
        # Policies of different seats draw independently of each other.
        salt = np.uint64(0x5EED + sum(1 << seat for seat in self.seats))
        self._draws = stream_starts([(self._seed + k) % 2**64 for k in range(num)]) ^ salt
        self._picks = np.zeros((num, self.tree.players), np.int64)
        self.refresh(np.ones(num, np.bool_))

    def refresh(self, where: np.ndarray) -> None:
        super().refresh(where)
        self._draws[where] += np.uint64(0x9E3779B97F4A7C15)
        draws = (mix(self._draws[where]) >> np.uint64(11)) * 2.0**-53 * self._sums[-1]
        cells = np.searchsorted(self._sums, draws, side="right")
        self._picks[where] = np.stack(np.unravel_index(cells, self.joint.shape), axis=1)

    def act_batch(self, observations: Any, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        if not self.seats.issuperset(agents):
            raise ParameterError(f"this mixture plays the agents {sorted(self.seats)}, not {list(agents)}")
        return super().act_batch(observations, masks, agents)

    def _rows(self, copies: np.ndarray, sets: np.ndarray) -> np.ndarray:
        players = np.searchsorted(self.tree.form.owners, sets, side="right") - 1
        return self._tables[self._picks[copies, players], sets]

    def get_state(self) -> bytes:
        return np.c_[self._draws.view(np.int64), self._picks].tobytes() + super().get_state()

    def set_state(self, state: bytes) -> None:
        width = 1 + self.tree.players
        rows = len(state) // 8 // (width + 2 * self.tree.players)
        own = np.frombuffer(state[: 8 * rows * width], np.int64).reshape(rows, width)
        if not ((own[:, 1:] >= 0) & (own[:, 1:] < self.joint.shape)).all():
            raise ValueError("it has other policies")
        super().set_state(state[8 * rows * width :])
        self._draws, self._picks = own[:, 0].copy().view(np.uint64), own[:, 1:].copy()


#: Makes a player's new policy: from its number and the mixture that plays the other seats, a profile (S, K), of which
#: the player's own rows count.
Oracle = Callable[[int, MixturePolicy], np.ndarray]


class PSRO(metaclass=Checked):
    """Policy-space response oracles on a game tree.

    Args:
        tree: the tree.
        meta: the meta-solver, see the module.
        oracle: makes the responses in place of the exact ones, for instance `q_learning()`.
        start: the profile (S, K) of the players' first policies; uniform play by default.
        tolerance: a round whose gap is not larger is the last.

    Attributes:
        populations: for each player its policies, (n_p, the player's sets, K).
        counts: for each player how often each of them has been its response, the first policy included.
        payoffs: (P, n_0, ..., n_(P-1)) the meta-game of the last round.
        rounds: all rounds so far.
    """

    def __init__(
        self,
        tree: Tree,
        meta: Meta = "nash",
        *,
        oracle: Oracle | None = None,
        start: np.ndarray | None = None,
        tolerance: float = 1e-9,
    ):
        if tree.players < 2:
            raise ParameterError(f"{tree.world.id} has one player; PSRO needs two or more")
        if meta == "nash":
            require_zero_sum(tree)
        self.tree, self.meta, self.oracle, self.tolerance = tree, meta, oracle, tolerance
        first = tree.uniform() if start is None else np.array(start, np.float64)
        self.populations = [first[None, tree.owned(player)] for player in range(tree.players)]
        self.counts = [np.ones(1, np.int64) for _ in range(tree.players)]
        self._plans = [tree.plans(first)[None]] * tree.players  # (n_p, Q); those of the player's own sequences count
        self._replies: list[list[tuple[Any, np.ndarray]]] = []
        self.rounds: list[Round] = []

    def run(self, rounds: int, progress: Callable[[Round], None] | None = None) -> None:
        """Run at most this many further rounds, fewer if the gap is closed or the exact responses are all known.

        Args:
            rounds: their number.
            progress: called with each round.
        """
        if rounds < 1:
            raise ParameterError(f"rounds={rounds!r} must be 1 or more")
        for _ in range(rounds):
            if self.rounds and not self._grow():
                return
            self._play_meta_game()
            if progress is not None:
                progress(self.last)

    @property
    def last(self) -> Round:
        """The last round."""
        if not self.rounds:
            raise ParameterError("PSRO has not run yet")
        return self.rounds[-1]

    @property
    def gap(self) -> float:
        """The gap of the last round."""
        return self.last.gap

    @property
    def profile(self) -> np.ndarray:
        """The profile (S, K) in which every player mixes its policies as in the last round, independently of others."""
        begins, weights = self.tree.form.begins, np.zeros(self.tree.form.begins[-1])
        for player, plans in enumerate(self._plans):
            own = self.tree.owned(player)
            sequences, shares = slice(begins[own.start], begins[own.stop]), _marginal(self.last.joint, player)
            weights[sequences] = shares @ plans[: len(shares), sequences]
        return self.tree.normalised(weights)

    def policy(self, agent: str | None = None) -> MixturePolicy:
        """The policy that draws policies of the last round for each episode.

        Args:
            agent: the name of the agent that it plays, independently of the others; without it the policy plays all
                seats that it is given, by one draw.
        """
        seats = range(self.tree.players) if agent is None else [seat_number(self.tree.world, agent)]
        return MixturePolicy(self.tree, self.last.joint, self.populations, seats)

    def _play_meta_game(self) -> None:
        """Solve the meta-game and find the best responses."""
        # (n_p, T): each policy's part in every end.
        reach = [plans[:, ends] for plans, ends in zip(self._plans, self.tree.form.ends)]
        self.payoffs = _payoffs(self.tree.form.payoffs, reach)
        joint = self._distribution()
        worth = self.payoffs * joint
        gaps, self._replies = np.zeros(self.tree.players), []
        for player in range(self.tree.players):
            shares, own = _marginal(joint, player), _marginal(worth[player], player)
            reached = _reached(joint, reach, player)
            picks: Any = np.flatnonzero(shares > RARE) if self.meta in ("mgce", "mwce") else [slice(None)]
            self._replies.append([])
            for pick in picks:
                best, rows = self.tree.best_reply(player, np.atleast_2d(reached[pick]).sum(axis=0))
                gaps[player] += best - own[pick].sum()
                self._replies[player].append((pick, rows))
        self.rounds.append(Round(joint, worth.sum(axis=tuple(range(1, worth.ndim))), gaps))

    def _distribution(self) -> np.ndarray:
        """The meta-solver's distribution over the cells of the meta-game."""
        if self.meta in ("mgcce", "mwcce", "mgce", "mwce"):
            return correlated(self.payoffs, self.meta.endswith("cce"), "gini" if self.meta[1] == "g" else "welfare")
        if self.meta == "nash":
            mixtures = list(minimax(self.payoffs[0])[1:])
        elif self.meta == "uniform":
            mixtures = [counts / counts.sum() for counts in self.counts]
        else:
            mixtures = replicator_dynamics(self.payoffs)
        return reduce(np.multiply.outer, mixtures)

    def _grow(self) -> bool:
        """Add the last round's best responses. Returns whether another round can improve."""
        if self.gap <= self.tolerance:
            return False
        new = self.meta == "uniform" or self.oracle is not None
        for player, replies in enumerate(self._replies):
            for pick, rows in replies:
                if self.oracle is not None:
                    rows = self._ask(self.oracle, player, pick)
                known = (self.populations[player] == rows).all(axis=(1, 2))
                if known.any():
                    self.counts[player][known.argmax()] += 1
                    continue
                new = True
                profile = self.tree.uniform()
                profile[self.tree.owned(player)] = rows
                self.populations[player] = np.concatenate([self.populations[player], rows[None]])
                self._plans[player] = np.concatenate([self._plans[player], self.tree.plans(profile)[None]])
                self.counts[player] = np.append(self.counts[player], 1)
        return new

    def _ask(self, oracle: Oracle, player: int, pick: Any) -> np.ndarray:
        """The rows of an oracle's response to the others, given what is recommended to the player."""
        joint = np.zeros_like(self.last.joint)
        at = (slice(None),) * player + (pick,)
        joint[at] = self.last.joint[at]
        others = [other for other in range(self.tree.players) if other != player]
        profile = np.asarray(oracle(player, MixturePolicy(self.tree, joint / joint.sum(), self.populations, others)))
        self.tree.behaviour(profile)
        return profile[self.tree.owned(player)].astype(np.float64)


def q_learning(transitions: int = 100_000, epsilon: float | tuple[float, float] = 0.1, **parameters: Any) -> Oracle:
    """An oracle: the greedy policy of a `TabularLearner` that plays against the mixture of the others.

    Where the learner has not been, the policy takes the first legal action.

    Args:
        transitions, epsilon: as for `TabularLearner.learn`.
        parameters: those of `TabularLearner`; without a discount by default.
    """

    def respond(player: int, others: MixturePolicy) -> np.ndarray:
        tree = others.tree
        opponents = {tree.world.agents[other]: others for other in others.seats}
        learner = TabularLearner(tree.world, opponents=opponents, **{"discount": 1.0, **parameters})
        learner.learn(transitions, epsilon)
        profile, own = tree.uniform(), tree.owned(player)
        for number in range(own.start, own.stop):
            values = learner.action_values(tree.observations[number], player)
            best = np.where(tree.masks[number], np.nan_to_num(values, nan=0.0), -np.inf).argmax()
            profile[number] = np.arange(len(values)) == best
        return profile

    return respond


def replicator_dynamics(
    payoffs: np.ndarray, steps: int = 10_000, length: float = 0.01, least: float = 1e-6
) -> list[np.ndarray]:
    """The average mixture of every player in the projected replicator dynamics from uniform play.

    Lanctot et al. 2017, appendix C: a step of replicator dynamics, then the nearest mixture whose shares are not below
    `least`.

    Args:
        payoffs: (P, n_0, ..., n_(P-1)).
        steps: their number.
        length: the time that a step takes.
        least: the smallest share of an action.
    """
    mixtures = [np.full(count, 1 / count) for count in payoffs.shape[1:]]
    totals = [mixture.copy() for mixture in mixtures]
    tables = [np.moveaxis(table, player, 0).reshape(len(mixtures[player]), -1) for player, table in enumerate(payoffs)]
    for _ in range(steps):
        after = []
        for player, mixture in enumerate(mixtures):
            others = reduce(np.multiply.outer, mixtures[:player] + mixtures[player + 1 :])
            worth = tables[player] @ others.ravel()
            after.append(_projected(mixture + length * mixture * (worth - worth @ mixture), least))
        mixtures = after
        for total, mixture in zip(totals, mixtures):
            total += mixture
    return [total / total.sum() for total in totals]


def _projected(point: np.ndarray, least: float) -> np.ndarray:
    """The distribution nearest to a point, (n,), whose sum is 1, with no share below `least`."""
    if point.min() >= least:  # a step of replicator dynamics leaves the sum at 1, up to rounding
        return point / point.sum()
    order = np.sort(point)[::-1] - least
    excess = (order.cumsum() - (1 - least * len(point))) / np.arange(1, len(point) + 1)
    return np.maximum(point - least - excess[np.flatnonzero(order > excess)[-1]], 0.0) + least


def _marginal(cells: np.ndarray, player: int) -> np.ndarray:
    """(n_p,) the sums of a table of cells over the policies of the others."""
    return cells.sum(axis=tuple(other for other in range(cells.ndim) if other != player))


def _slices(cells: int, ends: int) -> list[slice]:
    """The ends in slices that are small enough for a table of all cells for each end."""
    width = max(1, CHUNK // cells)
    return [slice(first, first + width) for first in range(0, ends, width)]


def _payoffs(payoffs: np.ndarray, reach: Sequence[np.ndarray]) -> np.ndarray:
    """(P, n_0, ..., n_(P-1)) the players' mean returns, from payoffs (P, T) at the ends and reach (n_p, T)."""
    shape = (len(payoffs), *map(len, reach))
    total = np.zeros(shape)
    for part in _slices(int(np.prod(shape)), payoffs.shape[1]):
        table = payoffs[:, part]
        for one in reach[:-1]:
            table = table[..., None, :] * one[:, part]
        total += table @ reach[-1][:, part].T
    return total


def _reached(joint: np.ndarray, reach: Sequence[np.ndarray], player: int) -> np.ndarray:
    """(n_p, T) the probability of each of a player's policies, and that the others then do their part in each end."""
    others = [one for other, one in enumerate(reach) if other != player]
    moved = np.moveaxis(joint, player, -1)
    parts = []
    for part in _slices(joint.size, reach[0].shape[1]):
        table = np.tensordot(others[0][:, part], moved, (0, 0))  # (t, the policies of the other others, n_p)
        for one in others[1:]:
            table = np.einsum("at,ta...->t...", one[:, part], table)
        parts.append(table.T)
    return np.concatenate(parts, axis=1)
