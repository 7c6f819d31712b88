"""Alpha-beta search with a transposition table, on clones of a world's record.

For two-agent worlds with turns, perfect information, no random numbers and zero-sum rewards; others are refused. Where
a world's utility is "general", its parameters may make it zero-sum (Breakthrough's weights). In such a world the
rewards of every searched transition are checked, and a sum that is not 0 is refused. `solve` gives the exact value of
positions and a best action, where the tree is small enough. `AlphaBeta` is a planner that deepens its search step by
step up to a depth or a number of nodes. It never uses the clock, so it plays the same on every machine.

- Values are returns from a position on, without the rewards before it.
- The table's key is a 128-bit hash of the whole record, so positions are the same if their whole future is. Among n
  positions, two have the same key with a probability of about n^2 / 2^129: below 10^-26 for a million.
- Moves are tried in this order: the best move in the table; the moves that led to cutoffs elsewhere most often, deep
  cutoffs counting more (history heuristic); the moves in the middle of the list of actions.
- A value that rests on no evaluation at the horizon is proven and holds at any depth. Deepening ends with that.
- The best move of one depth is tried first at the next, and kept unless another is better. So it plays the quickest of
  several wins, and the slowest of several losses.

**Source.** Knuth and Moore, "An Analysis of Alpha-Beta Pruning", 1975; Schaeffer, "The History Heuristic and Alpha-Beta
Search Enhancements in Practice", IEEE TPAMI 1989; Breuker, "Memory versus Search in Games", 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import numpy as np

from envsuite.compile.bound import bind
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, piece
from envsuite.core.parameters import Between
from envsuite.core.table import as_words
from envsuite.core.transition import find_legal, transition, unbound
from envsuite.core.world import World
from envsuite.solvers.search import Planner, SearchError, Threads, copy, over

#: The depth of values that are proven.
PROVEN = 1 << 30

#: How deep a search can go at most, in transitions.
DEEPEST = 1024

EXACT, LOWER, UPPER = range(3)

#: A position in the table; of another search, and so empty, where the age is another.
ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("check", np.uint64),
        ("value", np.float64),
        ("depth", np.int32),
        ("age", np.int32),
        ("best", np.int32),
        ("bound", np.int32),
    ]
)

#: A position on the path from the root: its hash, the agent that moves, its moves and the number tried, the window, the
#: best so far, whether that is proven, and the reward of the transition that is being tried.
FRAME = np.dtype(
    [
        ("key", np.uint64),
        ("check", np.uint64),
        ("mover", np.int64),
        ("count", np.int64),
        ("next", np.int64),
        ("best", np.int64),
        ("proven", np.int64),
        ("value", np.float64),
        ("low", np.float64),
        ("high", np.float64),
        ("alpha", np.float64),
        ("beta", np.float64),
        ("reward", np.float64),
    ]
)

MOVE = np.dtype([("action", np.int64), ("rank", np.float64)])

#: The inputs and results of a search.
NUMBERS = np.dtype(
    [
        ("age", np.int64),
        ("limit", np.int64),
        ("horizon", np.int64),
        ("nodes", np.int64),
        ("spent", np.int64),
        ("action", np.int64),
        ("proven", np.int64),
        ("depth", np.int64),
        ("unequal", np.int64),
        ("value", np.float64),
    ]
)


evaluate = unbound
ACTIONS = 0


@kernel
def _nothing(s, agent):
    """The evaluation of positions at the horizon where there is none: a draw."""
    return 0.0


@kernel
def _hash(words, i):
    """Two hashes of row `i` of an array of words."""
    key, check = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
    for k in range(words.shape[1]):
        key = (key ^ words[i, k]) * np.uint64(0x9FB21C651E98DF25)
        key ^= key >> np.uint64(32)
        check = (check ^ words[i, k]) * np.uint64(0xD6E8FEB86659FD93)
        check ^= check >> np.uint64(29)
    return key, check


@piece
def _is_known(s, words, level, frame, table, n):
    """Whether a position has a value at once: at the end of the episode, at the horizon, or from the table."""
    n.spent += 1
    frame.value = 0.0
    frame.proven = 1
    if over(s):
        return True
    if level == n.horizon:
        frame.value = evaluate(s, 0)
        frame.proven = 0
        return True
    frame.best = n.action if level == 0 and n.depth > 0 else -1
    frame.key, frame.check = _hash(words, level)
    return _probe(table, frame, n.horizon - level, n.age)


@kernel
def _probe(table, frame, left, age):
    """Whether the table has a position's value for its window, searched deep enough; and its entry."""
    entry = table[frame.key & np.uint64(table.shape[0] - 1)]
    if entry.age != age or entry.key != frame.key or entry.check != frame.check:
        return False
    if frame.best < 0:
        frame.best = entry.best
    frame.value = entry.value
    frame.proven = entry.depth == PROVEN
    return entry.depth >= left and (
        entry.bound == EXACT
        or (entry.bound == LOWER and entry.value >= frame.beta)
        or (entry.bound == UPPER and entry.value <= frame.alpha)
    )


@piece
def _order_moves(s, frame, moves, history, mask):
    """List a position's moves, best first: the one that the table knows, then by history and nearness to the middle."""
    frame.mover = 0
    frame.count = 0
    for a in range(2):
        if find_legal(s, a, mask):
            frame.mover = a
            for k in range(ACTIONS):
                if mask[k] != 0:
                    rank = history[a, k] - abs(k + 0.5 - 0.5 * ACTIONS) / ACTIONS
                    if k == frame.best:
                        rank = np.inf
                    place = frame.count
                    while place > 0 and moves[place - 1].rank < rank:
                        moves[place].action = moves[place - 1].action
                        moves[place].rank = moves[place - 1].rank
                        place -= 1
                    moves[place].action = k
                    moves[place].rank = rank
                    frame.count += 1
    if frame.count == 0:  # no agent chooses: the world continues by itself
        moves[0].action = 0
        frame.count = 1
    frame.next = 0
    frame.best = moves[0].action
    frame.proven = 1
    frame.value = np.inf if frame.mover else -np.inf
    frame.low = frame.alpha
    frame.high = frame.beta


@piece
def _play_next(s, frame, child, moves, actions, rewards):
    """Play a position's next move in its copy `s`, and shift the window by the reward; False if not zero-sum."""
    for a in range(2):
        actions[a] = moves[frame.next].action
    transition(s, actions, rewards)
    frame.next += 1
    frame.reward = rewards[0]
    # A little wider where a reward shifts it: rounding could make a bound look like a value within.
    margin = 1e-9 * max(abs(rewards[0]), 1.0) if rewards[0] != 0.0 else 0.0
    child.alpha = frame.alpha - rewards[0] - margin
    child.beta = frame.beta - rewards[0] + margin
    return abs(rewards[0] + rewards[1]) <= 1e-9


@kernel
def _store(table, frame, left, age, history):
    """Enter a position whose moves are tried, or enough of them, in the table; a cutoff counts for the move."""
    entry = table[frame.key & np.uint64(table.shape[0] - 1)]
    entry.key = frame.key
    entry.check = frame.check
    entry.value = frame.value
    entry.depth = PROVEN if frame.proven else left
    entry.age = age
    entry.best = frame.best
    entry.bound = UPPER if frame.value <= frame.low else LOWER if frame.value >= frame.high else EXACT
    if frame.next < frame.count:
        history[frame.mover, frame.best] += left * left


@kernel
def _back_up(frame, child, moves):
    """The value of the position below, and the reward on the way there, count for the move that was tried."""
    value = child.value + frame.reward
    better = value < frame.value if frame.mover else value > frame.value
    if better:
        frame.value = value
        frame.best = moves[frame.next - 1].action
        if frame.mover:
            frame.beta = min(frame.beta, value)
        else:
            frame.alpha = max(frame.alpha, value)
    if frame.alpha >= frame.beta:
        frame.proven = child.proven
    else:
        frame.proven &= child.proven


@piece
def _search(records, words, frames, moves, history, mask, actions, rewards, table, n):
    """Search the root to the depth of `n.horizon`; False if nodes run out, or rewards are not zero-sum."""
    frames[0].alpha = -np.inf
    frames[0].beta = np.inf
    frames[0].best = 0
    level = 0
    entering = True
    known = False
    while level >= 0:
        frame = frames[level]
        if entering:
            entering = False
            known = _is_known(records[level], words, level, frame, table, n)
            if not known:
                _order_moves(records[level], frame, moves[level], history, mask)
        if not known and frame.next < frame.count and frame.alpha < frame.beta:
            if n.spent >= n.nodes and n.horizon > 1:
                return False
            copy(words, level, words, level + 1)
            level += 1
            if not _play_next(records[level], frame, frames[level], moves[level - 1], actions, rewards):
                n.unequal = 1
                return False
            entering = True
        else:
            if not known:
                _store(table, frame, n.horizon - level, n.age, history)
            known = False
            level -= 1
            if level >= 0:
                _back_up(frames[level], frame, moves[level])
    return True


def _deepen(roots, root, records, words, frames, moves, history, mask, actions, rewards, table, numbers):
    """Search root number `root` to depth 1, 2 ... `limit` until its value is proven or the nodes are spent.

    All values within are those of agent 0, which maximizes.
    """
    n = numbers[0]
    copy(roots, root, words, 0)
    n.spent = 0
    n.unequal = 0
    n.action = 0
    n.proven = 0
    n.value = 0.0
    for a in range(2):
        for k in range(ACTIONS):
            history[a, k] = 0.0
    n.horizon = n.depth
    n.depth = 0
    while n.horizon <= n.limit and n.proven == 0:
        if not _search(records, words, frames, moves, history, mask, actions, rewards, table, n):
            return
        n.value = frames[0].value
        n.action = frames[0].best
        n.proven = frames[0].proven
        n.depth = n.horizon
        n.horizon += 1


@dataclass(frozen=True)
class Solution:
    """The results of searches from M positions.

    Attributes:
        values: (M,) float64, the return to agent 0 from here on with best play of both; agent 1's is its negative.
        actions: (M,) int64, a best action of the agent that moves; 0 where the episode is over.
        proven: (M,) bool, whether the value is that of the whole game, and not of the depth that was searched.
        depths: (M,) int64, the depth that was searched.
        nodes: (M,) int64, the number of positions visited.
    """

    values: np.ndarray
    actions: np.ndarray
    proven: np.ndarray
    depths: np.ndarray
    nodes: np.ndarray


@cache
def _compiled(world: type[World], actions: int, objectives: int, evaluation: Any) -> Any:
    kernels = world.kernels
    parts = ("alpha_beta", world, evaluation, actions, objectives)
    name = ".".join(f"{p.__module__}.{p.__qualname__}" if hasattr(p, "__qualname__") else str(p) for p in parts)
    numbers: dict[str, Any] = {"AGENTS": 2, "ACTIONS": actions, "OBJECTIVES": objectives}
    title = f"{world.__name__}: alpha_beta"
    return bind(_deepen, name, title=title, step=kernels.step, legal=kernels.legal, evaluate=evaluation, **numbers)


class AlphaBeta(Planner):
    """Alpha-beta search: a planner that gets a clone of the world, see the module's page.

    Args:
        world: a world of two agents, turn-based, zero-sum, without chance and hidden information.
        depth: the maximum number of transitions to look ahead.
        nodes: the maximum number of positions visited, except at depth 1; at the limit the last complete depth counts.
        evaluation: a kernel ``evaluate(s, agent)`` that guesses an agent's return from a record on; 0 without.
        table: the number of positions in the table, rounded up to a power of 2; each takes 40 bytes in each thread.
        threads: how many searches run at once; results are the same for any number.
    """

    name = "alpha_beta"

    def __init__(
        self,
        world: World,
        depth: Annotated[int, Between(1, DEEPEST)] = DEEPEST,
        nodes: Annotated[int, Between(1, 2**62)] = 100_000,
        evaluation: Any = None,
        table: Annotated[int, Between(1, 2**30)] = 2**17,
        threads: Threads = 1,
    ):
        super().__init__(world, threads)
        facts = (len(world.agents), world.turns, world.chance, world.information, world.utility)
        if facts[:4] != (2, "sequential", False, "perfect") or world.utility == "identical":
            raise ParameterError(
                f"{world.id}: alpha-beta is for two agents that take turns, see everything, draw no random numbers and "
                f"play for opposite rewards; this world has {facts[0]} agents, {facts[1]} turns, "
                f"{'chance' if facts[2] else 'no chance'}, {facts[3]} information and {facts[4]} utility"
            )
        self.depth, self.nodes, self.table = depth, nodes, 1 << (table - 1).bit_length()
        self._kernel = _compiled(type(world), world.num_actions, len(world.objectives), evaluation or _nothing)
        self._entry: Any = None
        self._spaces = [self._space() for _ in range(self.threads)]

    def _space(self) -> dict[str, np.ndarray]:
        """The arrays of one thread."""
        levels, size = self.depth + 1, self.world.num_actions
        records = np.zeros(levels, self.world.record)
        return {
            "records": records,
            "words": as_words(records),
            "frames": np.zeros(levels, FRAME),
            "moves": np.zeros((levels, size), MOVE),
            "history": np.zeros((2, size)),
            "mask": np.zeros(size, np.int8),
            "actions": np.zeros(2, np.int64),
            "rewards": np.zeros(2),
            "table": np.zeros(self.table, ENTRY),
            "numbers": np.zeros(1, NUMBERS),
        }

    def search(self, records: Any) -> Solution:
        """Search from records of this world, (M,) structured as in `Batch.records`, or one of them; they do not change.

        Every search starts with an empty table, so that it does not depend on those before it.
        """
        return self._solved(self._roots(records), 1, False)

    def _search(self, roots: np.ndarray, agents: np.ndarray, copies: np.ndarray, num: int) -> np.ndarray:
        return self._solved(roots, 1, False).actions

    def _solved(self, roots: np.ndarray, depth: int, shared: bool) -> Solution:
        """Search, first to this depth; a table with proven values only may be shared by all."""
        found = np.zeros(len(roots), NUMBERS)
        words = as_words(roots)
        entry = self._entry = self._entry or self._kernel.entry(words, 0, *self._spaces[0].values())

        def work(thread: int, first: int, last: int) -> None:
            space = self._spaces[thread]
            numbers = space["numbers"]
            numbers["limit"], numbers["nodes"] = self.depth, self.nodes
            for k in range(first, last):
                numbers["depth"] = depth
                if k == first or not shared:
                    numbers["age"] += 1
                entry(words, k, *space.values())
                found[k] = numbers[0]

        self._over_slices(work, len(roots))
        if found["unequal"].any():
            raise ParameterError(f"{self.world.id}: alpha-beta met rewards of a transition whose sum is not 0")
        proven = found["proven"] != 0
        return Solution(found["value"], found["action"], proven, found["depth"], found["spent"])


def solve(world: World, records: Any = None, nodes: int = 10_000_000, table: int = 2**20) -> Solution:
    """The exact values of positions, and best actions.

    Args:
        world: as `AlphaBeta` takes it.
        records: (M,) structured as in `Batch.records`, or one of them; without, the start of the game.
        nodes: the maximum number of positions to visit for each.
        table: the number of positions in the table, with 40 bytes each; it serves all records.

    Raises:
        SearchError: if a position's value takes more nodes; it gives the number visited.
        ParameterError: if the world is not one for alpha-beta.
    """
    planner = AlphaBeta(world, nodes=nodes, table=table)
    if records is None:
        batch = Batch(world, 1)
        batch.start(0)
        records = batch.records
    found = planner._solved(planner._roots(records), DEEPEST, True)
    if not found.proven.all():
        k = int(np.argmin(found.proven))
        raise SearchError(f"{world.id}: position {k} is not solved after {found.nodes[k]} nodes; `nodes` can be raised")
    return found
