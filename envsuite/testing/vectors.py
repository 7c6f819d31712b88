"""Vectors: their autoreset, and the promises of Gymnasium's vectors."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from envsuite.core.errors import NotReadyError
from envsuite.interfaces.vector import SeatVector, Vector
from envsuite.testing.case import Case, demand, random_actions, refused, same, sharing, vector_moves


def check_autoreset(case: Case) -> None:
    """The three kinds of autoreset report the same episodes identically."""
    world, seed = case.world, case.seed
    modes = {mode: Vector(world, 2, autoreset=mode) for mode in ("next_step", "same_step", "disabled")}
    for vector in modes.values():
        vector.reset(seed)
    rngs = {mode: np.random.default_rng(seed) for mode in modes}
    stories: dict[str, list[Any]] = {mode: [[], []] for mode in modes}
    for mode, vector in modes.items():
        waiting = np.zeros(2, np.bool_)
        for _ in range(case.steps):
            actions = vector_moves(vector, rngs[mode])
            if mode == "disabled" and waiting.any():
                vector.reset(options={"reset_mask": waiting})
                rngs[mode] = np.random.default_rng(seed)
                actions = vector_moves(vector, rngs[mode])
                waiting[:] = False
            elif mode == "next_step" and waiting.any():
                _, rewards, ended, cut, _ = vector.step(actions)
                demand(not rewards[waiting].any(), "the resetting step of 'next_step' gave a reward")
                demand(not (ended | cut)[waiting].any(), "the resetting step of 'next_step' kept its end flags")
                waiting = (ended | cut).all(axis=1)
                continue
            _, rewards, ended, cut, infos = vector.step(actions)
            over = (ended | cut).all(axis=1)
            for i in range(2):
                stories[mode][i].append(rewards[i].sum())
            if mode == "same_step" and over.any():
                demand(same(infos["_final_obs"], over), "'_final_obs' does not say which worlds ended")
                demand(not vector.batch.over().any(), "'same_step' left a world over")
            if mode == "disabled" and over.any():
                with refused(NotReadyError, "a step of a world that is over, with autoreset='disabled',"):
                    vector.step(actions)
            waiting = over if mode != "same_step" else waiting
            if over.any():
                break  # after the first end the streams of actions differ by design
    lengths = [min(len(s[i]) for s in stories.values()) for i in range(2)]
    for i in range(2):
        told = {tuple(story[i][: lengths[i]]) for story in stories.values()}
        demand(len(told) == 1, "the kinds of autoreset give different rewards in the same episode")


def check_vectors(case: Case) -> None:
    """The Gymnasium vectors of one seat and of all agents keep the promises that `check_vector_env` names."""
    steps = min(case.steps, 60)
    for mode in ("next_step", "same_step", "disabled"):
        check_vector_env(partial(SeatVector, case.world, 3, autoreset=mode), case.seed, steps)
        if sharing(case.world):
            vectors = partial(Vector, case.world, 2, autoreset=mode)
            agents = len(case.world.agents)
            check_vector_env(lambda vectors=vectors: vectors().flatten(), case.seed, steps, False, agents)  # type: ignore[misc]


def check_vector_env(
    make: Callable[[], gymnasium.vector.VectorEnv],
    seed: int = 0,
    steps: int = 200,
    seed_list: bool = True,
    together: int = 1,
) -> None:
    """Check any Gymnasium `VectorEnv`: spaces, shapes and dtypes, repeatability, seeds, aliasing, and its autoreset.

    Args:
        make: makes a new instance, each time the same.
        seed: of resets and actions.
        steps: how long to play; long enough that episodes end.
        seed_list: whether a reset takes a list of `num_envs` seeds.
        together: the number of rows that are one world; they are reset when all are over and keep their end flags
            until then.

    Raises:
        ConformanceError: at the first promise that is not kept.
    """
    first, second = make(), make()
    num, mode = first.num_envs, first.metadata.get("autoreset_mode")
    demand(isinstance(mode, AutoresetMode), f"metadata['autoreset_mode'] is {mode!r}, not an AutoresetMode")
    batched = gymnasium.vector.utils.batch_space(first.single_observation_space, num)
    demand(first.observation_space == batched, "observation_space is not the batch of single_observation_space")
    demand(
        first.action_space == gymnasium.vector.utils.batch_space(first.single_action_space, num),
        "action_space is not the batch of single_action_space",
    )
    seen, infos = first.reset(seed=seed)
    again, _ = second.reset(seed=[seed + k for k in range(num)] if seed_list else seed)  # type: ignore[arg-type]
    demand(same(seen, again), "reset(seed=s) differs from reset(seed=[s, s + 1, ...])")
    rng = np.random.default_rng(seed)
    first.action_space.seed(seed)
    over = np.zeros(num, np.bool_)
    for _ in range(steps):
        demand(first.observation_space.contains(seen), "observations are outside observation_space")
        if over.any() and mode == AutoresetMode.DISABLED:
            held = copy.deepcopy(seen)
            seen, infos = first.reset(options={"reset_mask": over.copy()})
            second.reset(options={"reset_mask": over.copy()})
            demand(same(_where(seen, ~over), _where(held, ~over)), "reset_mask changed worlds outside the mask")
        masks = infos.get("action_mask")
        actions = first.action_space.sample() if masks is None else random_actions(masks, rng)
        held = copy.deepcopy(seen)
        result = first.step(actions)
        demand(same(seen, held), "a step changed observations that were returned before")
        demand(same(result[:4], second.step(actions)[:4]), "the same seed and actions give different results")
        resetting = over if mode == AutoresetMode.NEXT_STEP else np.zeros(num, np.bool_)
        seen, rewards, ended, cut, infos = result
        for name, array in (("rewards", rewards), ("terminations", ended), ("truncations", cut)):
            demand(isinstance(array, np.ndarray) and array.shape == (num,), f"{name} is not an array of shape ({num},)")
        demand(rewards.dtype.kind == "f" and np.isfinite(rewards).all(), "rewards are not finite floats")
        demand(ended.dtype == np.bool_ and cut.dtype == np.bool_, "terminations and truncations are not bool arrays")
        demand(not rewards[resetting].any(), "NEXT_STEP: the step that resets a world must give reward 0")
        demand(not (ended | cut)[resetting].any(), "NEXT_STEP: the step that resets a world must clear its end flags")
        over = (ended | cut).reshape(-1, together).all(axis=1).repeat(together)
        if mode == AutoresetMode.SAME_STEP and over.any():
            demand("final_obs" in infos and "_final_obs" in infos, "SAME_STEP: infos lack 'final_obs' or '_final_obs'")
            demand(
                not (np.asarray(infos["_final_obs"]) & ~over).any(),
                "SAME_STEP: '_final_obs' marks a world whose episode continues",
            )
    first.close()
    second.close()


def _where(value: Any, mask: np.ndarray) -> Any:
    return {k: _where(v, mask) for k, v in value.items()} if isinstance(value, dict) else value[mask]
