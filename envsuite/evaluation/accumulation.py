"""Cultural accumulation: generations of learners, each beside frozen predecessors, against one long life.

    found = accumulate(build("Generations", {"skill": 0.0}), generations=6)
    found.returns.mean(axis=(1, 2, 3))  # the mean return of a trial in each generation
    found.alone.mean(axis=(1, 2))  # the same for one life of as many trials

A lineage has one hidden task of Generations. In every generation, as many learners as there are guides each play an
episode on it. The guides of each are the learners of the generation before, the best in the last trial as the last
guide. They show what they remember and learn nothing more: before each act, their memories are as they were at the end
of their own episode. The guides of the first generation have learned nothing. This is the in-context accumulation of
Cook et al. (2024), with a policy that keeps what it learns in its memory in place of a recurrent network.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError, suggest
from envsuite.core.names import split_name
from envsuite.core.parameters import is_integer
from envsuite.core.policy import CompiledPolicy, make_policy, policies_of
from envsuite.core.world import World
from envsuite.interfaces.single import as_world, check_seed
from envsuite.registry import build
from envsuite.social.generations import Generations


@dataclass(frozen=True)
class Accumulation:
    """The returns of G generations in L lineages of P learners each, with R trials in an episode.

    Attributes:
        returns: (G, L, P, R) of each trial.
        alone: (G, L, R) of the trials of one life on the same tasks, without guides, cut into as many parts.
    """

    returns: np.ndarray
    alone: np.ndarray


def accumulate(
    world: World | str = "Generations",
    policy: str = "learner",
    generations: int = 6,
    *,
    lineages: int = 32,
    seed: int = 0,
) -> Accumulation:
    """Let generations of learners learn from each other.

    Args:
        world: Generations, by itself or its id; its guides are the learners of a generation.
        policy: the name of a compiled policy of it, with parameters.
        generations: the number of generations.
        lineages: the number of lineages, each with a task of its own.
        seed: of everything random.

    Raises:
        ParameterError: names the argument that is wrong.
    """
    world = as_world(world, {})
    for name, value in (("generations", generations), ("lineages", lineages)):
        if not is_integer(value) or value < 1:
            raise ParameterError(f"{name}={value!r} must be a positive integer")
    if not isinstance(world, Generations) or len(world.agents) == 1:
        raise ParameterError(f"{world!r} must be Generations with one guide or more")
    size, trials = len(world.agents) - 1, world.parameters["trials"]
    lone = build(world.id, {**world.parameters, "guides": 0, "trials": trials * generations})
    first = Batch(lone, lineages)
    first.start(check_seed(seed))
    levels = [world.get_level(first.record(i)) for i in range(lineages)]
    _live(first, _player(policy, lone), seed)
    player, returns, elders = _player(policy, world), [], None
    for generation in range(generations):
        batch = Batch(world, lineages * size)
        start = (seed + (1 + generation) * lineages * size) % 2**64
        batch.start(start, [level for level in levels for _ in range(size)])
        _live(batch, player, start, elders)
        found = batch.records["totals"].reshape(lineages, size, trials)
        order = np.argsort(found[:, :, -1], axis=1, kind="stable")
        learned = np.take_along_axis(player.memories[:, 0].reshape(lineages, size), order, axis=1)
        elders = np.repeat(learned, size, axis=0)
        returns.append(found.copy())
    alone = first.records["totals"].reshape(lineages, generations, trials)
    return Accumulation(np.array(returns), alone.swapaxes(0, 1).copy())


def _player(policy: str, world: World) -> CompiledPolicy:
    """The policy, or `ParameterError` if it has no memory that can be handed on."""
    name, known = split_name(policy)[0], policies_of(world)
    if name not in known:
        raise ParameterError(f"{name!r} is no compiled policy of {world.id}{suggest(name, known)}")
    return make_policy(policy, world)  # type: ignore[return-value]


def _live(batch: Batch, player: CompiledPolicy, seed: int, elders: np.ndarray | None = None) -> None:
    """Play the episodes of a batch; the guides' memories stay those of `elders` (N, guides), if there are any."""
    player.reset(seed, batch.num)
    kept = set(player.memories.dtype.names or ()) - {"rng", "agent"}
    while not batch.finished.all():
        if elders is not None:
            for name in kept:
                player.memories[name][:, 1:] = elders[name]
        batch.step(player.act_in(batch, range(len(batch.world.agents))), ~batch.finished)
    player.act_batch(batch.observations[:, [0]], np.ones_like(batch.masks[:, [0]]), [0])  # it learns from its last act
