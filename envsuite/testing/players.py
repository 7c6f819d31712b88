"""Policies, and every agent as the seat of a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError
from envsuite.core.policy import CompiledPolicy, Policy, make_policy, policies_of
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import SeatVector, Vector
from envsuite.testing.case import Case, ConformanceError, as_observation, demand, masks_of, one_move, random_moves, same


def check_policies(case: Case) -> None:
    """Every policy acts legally, one by one as in a batch; the variables of its memory keep their ranges."""
    world = case.world
    known = policies_of(world)
    for name in known:
        single, batched = (CompiledPolicy(known[name], world, {}) for _ in range(2))
        batch = Batch(world, 2)
        batch.start(case.seed)
        undeclared = ", ".join(batched.ranges.undeclared)
        demand(not undeclared, f"policy {name!r}: variables without a range: {undeclared}")
        batched.reset(case.seed, 2)
        single.reset(case.seed)
        agents = range(len(world.agents))
        for _ in range(min(case.steps, 60)):
            chosen = batched.act_batch(batch.observations, batch.masks, agents)
            for a in np.flatnonzero(batch.acting[0]).tolist():
                seen = as_observation(world.observation_spaces[a], batch.observations[0, a])
                alone = single.act(seen, batch.masks[0, a], a)
                move = one_move(world, chosen[0, a], a)
                demand(np.all(alone == move), f"policy {name!r} chooses {alone} alone and {move} in a batch")
            try:
                batch.step(chosen)
            except ActionError as error:
                raise ConformanceError(f"policy {name!r} chose an illegal action: {error}") from None
            over = batch.over()
            outside = batched.ranges.outside(batched.memories.reshape(-1))
            demand(outside is None, f"policy {name!r}: in its memory, {outside and outside[1]}")
            if over.any():
                batch.start(where=over)
                batched.refresh(over)
                if over[0]:
                    single.refresh(np.ones(1, np.bool_))


def check_rollouts(case: Case) -> None:
    """Rollouts of every policy repeat, and do not depend on threads."""
    for name in policies_of(case.world):
        totals = []
        for threads in (1, 1, 2):
            vector = Vector(case.world, 4, threads=threads)
            vector.reset(case.seed)
            totals.append(vector.rollout(name, min(case.steps // 2, 50), seed=case.seed))
        demand(all(np.array_equal(t.rewards, totals[0].rewards) for t in totals), f"rollouts of {name!r} do not repeat")


def check_seats(case: Case) -> None:
    """Every agent can be the seat of a Gymnasium environment: alone, in a vector and in parallel form the same."""
    world = case.world
    for seat, agent in enumerate(world.agents):
        single = Seat(world, agent=agent)
        vector = SeatVector(world, 2, agent=agent, autoreset="disabled")
        parallel = Parallel(world)
        others = {a: make_policy("random", world) for a in range(len(world.agents)) if a != seat}
        rng = np.random.default_rng(case.seed)
        seen, info = single.reset(seed=case.seed)
        vector.reset(seed=case.seed)
        parallel.reset(seed=case.seed)
        for policy in others.values():
            policy.reset(case.seed)
        for _ in range(min(case.steps, 30)):
            while agent in parallel.agents and not parallel.action_mask(agent).any():
                parallel.step(_choices(parallel, others))
            demand(
                parallel.batch.records.tobytes() == single.batch.records.tobytes(),
                f"seat {agent}: the same moves in parallel form lead elsewhere",
            )
            demand(single.observation_space.contains(seen), f"the observation of seat {agent} is outside its space")  # type: ignore[attr-defined]
            masks = masks_of(vector)
            demand(same(info.get("action_mask", masks[0]), masks[0]), f"seat {agent}: vector and single masks differ")
            chosen = np.array([random_moves(world, mask, rng, seat) for mask in masks])
            move = one_move(world, chosen[0], seat)
            if agent in parallel.agents:
                parallel.step({agent: move, **_choices(parallel, others)})
            seen, reward, ended, cut, info = single.step(move)
            many, rewards, terminated, truncated, _ = vector.step(chosen)
            demand(rewards[0] == reward, f"seat {agent}: vector and single rewards differ")
            demand(terminated[0] == ended and truncated[0] == cut, f"seat {agent}: vector and single ends differ")
            demand(same(_row(many), seen), f"seat {agent}: vector and single observations differ")
            if ended or cut or terminated[1] or truncated[1]:
                break


def _choices(env: Parallel, policies: Mapping[int, Policy]) -> dict[str, Any]:
    """The actions of those of these agents that act."""
    batch = env.batch
    return {
        env.world.agents[a]: policy.act(batch.observations[0, a], batch.masks[0, a], a)
        for a, policy in policies.items()
        if batch.acting[0, a]
    }


def _row(value: Any) -> Any:
    return {k: _row(v) for k, v in value.items()} if isinstance(value, dict) else value[0]
