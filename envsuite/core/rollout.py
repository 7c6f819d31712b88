"""Whole rollouts, in three compiled calls a step: the policy for all agents, the rules for all worlds, the sums.

One compiled loop around them would save a few microseconds per step. But it would have to be compiled for each policy
in each world, which takes as long as compiling the world itself.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from envsuite.compile import tiers
from envsuite.compile.bound import bind
from envsuite.core.batch import ACT, BOTH, SKIP, Batch
from envsuite.core.table import as_bytes


@dataclass(frozen=True)
class Totals:
    """The sums and means of a rollout.

    Attributes:
        steps: transitions of worlds.
        decisions: actions chosen by agents.
        episodes: episodes that ended within the rollout.
        length: mean length of these, in transitions; nan without any.
        returns: (A,) mean return of each agent in these; nan without any.
        returns_error: (A,) standard error of these means.
        rewards: (A,) sum of all rewards, those of unfinished episodes included.
    """

    steps: int
    decisions: int
    episodes: int
    length: float
    returns: np.ndarray
    returns_error: np.ndarray
    rewards: np.ndarray


TALLY = np.dtype([("steps", np.int64), ("decisions", np.int64), ("episodes", np.int64), ("lengths", np.int64)])


def _tally(
    records_t, commands, rewards, finished, memories, streams, returns, sums, squares, totals, tally,
    first, last, first_memory,
):  # fmt: skip
    """Add up a step of the records first .. last - 1; where episodes are over, forget them and command only resets.

    Memories are bytes, so this is compiled once for all policies. `streams` are the policies' random streams; they
    continue. Returns the number of episodes that are over.
    """
    agents = rewards.shape[1]
    start, stop = np.uint64(first), np.uint64(last)
    ended = 0
    for i in range(start, stop):
        for a in range(agents):
            returns[i, a] += rewards[i, a]
            totals[i, a] += rewards[i, a]
        tally[i].steps += 1
        if finished[i]:
            ended += 1
            tally[i].episodes += 1
            tally[i].lengths += records_t[i]
            for a in range(agents):
                sums[i, a] += returns[i, a]
                squares[i, a] += returns[i, a] * returns[i, a]
                returns[i, a] = 0.0
                stream = streams[i, a]
                for k in range(memories.shape[2]):
                    memories[i, a, k] = first_memory[a, k]
                streams[i, a] = stream
    if ended > 0:
        for i in range(start, stop):
            if not finished[i]:
                commands[i] = SKIP
    return ended


@cache
def compiled_tally() -> Any:
    """The function that adds up a step, given `outcomes`, a range of records, and the bytes of first memories."""
    return bind(_tally, "tally", title="the sums of rollouts")


def outcomes(batch: Batch, policy: Any, *sums: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays that are read and added to after a step; `sums` are `returns` to `tally` of the template."""
    memories = policy.memories
    return (
        batch.records["t"], batch.commands, batch.rewards, batch.finished, as_bytes(memories), memories["rng"], *sums,
    )  # fmt: skip


class Sums(NamedTuple):
    """The sums of a rollout for each of N worlds.

    Attributes:
        tally: (N,) `TALLY`.
        sums, squares: (N, A) the sums of returns of ended episodes, and of their squares.
        totals: (N, A) the sums of all rewards.
    """

    tally: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    totals: np.ndarray

    @classmethod
    def zeros(cls, worlds: int, agents: int) -> Sums:
        """The sums before a rollout."""
        shape = worlds, agents
        return cls(np.zeros(worlds, TALLY), np.zeros(shape), np.zeros(shape), np.zeros(shape))


def rollout(batch: Batch, policy: Any, steps: int, returns: np.ndarray, found: Sums) -> None:
    """Play `steps` transitions of every world with one compiled policy in all seats; ended episodes start again.

    Args:
        batch: the worlds; their episodes continue from where they are.
        policy: a `CompiledPolicy` whose memories fit the batch.
        steps: transitions per world.
        returns: (N, A) float64, each agent's return so far in the running episodes; kept up to date.
        found: the sums, which are added to.
    """
    decisions = found.tally["decisions"]  # of a whole slice, at its first record
    seen = (*policy.looks_at(batch.observations, batch.masks), batch.acting, batch.actions)
    outcome = outcomes(batch, policy, returns, found.sums, found.squares, found.totals, found.tally)
    blank, whole = as_bytes(policy.first_memory), (0, batch.num)
    run, act = batch.entry, tiers.entry(policy.compiled, (*seen, *whole), batch.compiled, join=operator.add)
    add_up = tiers.entry(compiled_tally(), (*outcome, *whole, blank), batch.compiled)

    def play(first: int, last: int) -> int:
        for _ in range(steps):
            decisions[first] += act(*seen, first, last)
            bad = run(*batch.buffers, first, last, BOTH, *batch.mode)
            if bad >= 0:
                return bad
            if add_up(*outcome, first, last, blank):
                if batch.curriculum is not None or batch.lent is not None:
                    batch.take_levels(first + np.flatnonzero(batch.finished[first:last]))
                run(*batch.buffers, first, last, ACT, *batch.mode)
        return -1

    for bad in batch.over_slices(play):
        if bad >= 0:
            raise batch.action_error(*divmod(bad, returns.shape[1]))


def summarize(tally: np.ndarray, sums: np.ndarray, squares: np.ndarray, totals: np.ndarray) -> Totals:
    """The totals of all worlds from the `Sums` of each."""
    episodes = int(tally["episodes"].sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums.sum(0) / episodes
        variance = np.maximum(squares.sum(0) / episodes - mean**2, 0) * episodes / (episodes - 1)
        return Totals(
            steps=int(tally["steps"].sum()),
            decisions=int(tally["decisions"].sum()),
            episodes=episodes,
            length=float(np.divide(tally["lengths"].sum(), episodes)) if episodes else float("nan"),
            returns=mean,
            returns_error=np.sqrt(variance / episodes),
            rewards=totals.sum(0),
        )
