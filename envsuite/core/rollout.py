"""Whole rollouts in compiled code: policy, rules, observation and reset without a return to Python."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from envsuite.core.batch import ACT, BOTH, SKIP, Batch, compiled_run
from envsuite.core.kernel import bind


@dataclass(frozen=True)
class Totals:
    """What a rollout adds up to.

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


def _unbound(*_: Any) -> Any:
    raise NotImplementedError


run = act = _unbound


def _rollout(
    records, actions, commands, observations, masks, acting, rewards, terminations, truncations, finished,
    memories, first_memory, returns, sums, squares, totals, tally, steps, first, last, mode, noop,
):  # fmt: skip
    """Play `steps` transitions in each of the records first .. last - 1; the index of a bad action, or -1."""
    agents = acting.shape[1]
    start, stop = np.uint64(first), np.uint64(last)
    for _ in range(steps):
        for i in range(start, stop):
            for a in range(agents):
                if acting[i, a]:
                    actions[i, a] = act(memories[i, a], observations[i, a], masks[i, a])
                    tally[i].decisions += 1
        bad = run(
            records, actions, commands, observations, masks, acting, rewards, terminations, truncations, finished,
            first, last, BOTH, mode, noop,
        )  # fmt: skip
        if bad >= 0:
            return bad
        ended = 0
        for i in range(start, stop):
            for a in range(agents):
                returns[i, a] += rewards[i, a]
                totals[i, a] += rewards[i, a]
            tally[i].steps += 1
            if finished[i]:
                ended += 1
                tally[i].episodes += 1
                tally[i].lengths += records[i].t
                for a in range(agents):
                    sums[i, a] += returns[i, a]
                    squares[i, a] += returns[i, a] * returns[i, a]
                    returns[i, a] = 0.0
                    stream = memories[i, a].rng
                    memories[i, a] = first_memory[a]
                    memories[i, a].rng = stream
        if ended > 0:
            for i in range(start, stop):
                if not finished[i]:
                    commands[i] = SKIP
            run(
                records, actions, commands, observations, masks, acting, rewards, terminations, truncations, finished,
                first, last, ACT, mode, noop,
            )  # fmt: skip
    return -1


@cache
def _compiled(world_class: type, shape: tuple[int, int, int], policy_kernel: Any, name: str) -> Any:
    run = compiled_run(world_class, *shape)
    return bind(_rollout, ".".join(map(str, ["rollout", name, *shape])), run=run, act=policy_kernel)


def rollout(batch: Batch, policy: Any, steps: int, returns: np.ndarray) -> Totals:
    """Play `steps` transitions of every world with one compiled policy in all seats; ended episodes start anew.

    Args:
        batch: its episodes go on from where they are.
        policy: a `CompiledPolicy` whose memories fit the batch.
        steps: transitions per world.
        returns: (N, A) float64, each agent's return so far in the running episodes; kept up to date.
    """
    world_class = type(batch.world)
    compiled = _compiled(world_class, batch.shape, policy.kernel, policy.kernel_name)  # type: ignore[arg-type]
    shape = returns.shape
    sums, squares, totals = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    tally = np.zeros(batch.num, TALLY)
    buffers = (*batch.buffers, policy.memories, policy.first_memory, returns, sums, squares, totals, tally)
    results = batch.over_slices(lambda first, last: compiled(*buffers, steps, first, last, *batch.mode))
    for bad in results:
        if bad >= 0:
            raise batch.action_error(*divmod(bad, shape[1]))
    return summarise(tally, sums, squares, totals)


def summarise(tally: np.ndarray, sums: np.ndarray, squares: np.ndarray, totals: np.ndarray) -> Totals:
    """Totals from per-world tallies (N,) and per-agent sums (N, A)."""
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
