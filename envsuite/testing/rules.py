"""A world's facts, its record and its kernels."""

from __future__ import annotations

import contextlib
import math
import re
import time
import traceback
import typing
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from envsuite import registry
from envsuite.core import record
from envsuite.core.batch import NO_MOVE, Batch
from envsuite.core.errors import EnvsuiteError, ParameterError, SnapshotError
from envsuite.core.parameters import bounds, signature
from envsuite.core.policy import CompiledPolicy, make_policy, policies_of
from envsuite.core.record import strict
from envsuite.core.world import World
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import SeatVector, Vector
from envsuite.testing.case import (
    HEADINGS,
    Case,
    ConformanceError,
    aec_move,
    as_observation,
    content,
    demand,
    legal_actions,
    one_move,
    outside,
    random_moves,
    same,
    vector_moves,
)

#: CPU seconds of a policy's choices as Python, after which they are no longer compared with those of machine code.
_PATIENCE = 3.0


def check_facts(case: Case) -> None:
    """The class says what it is: facts, a page with all headings, names, spaces of types that interfaces know."""
    world = case.world
    _demand_facts(world)
    page = type(world).__doc__ or ""
    for heading in HEADINGS:
        demand(f"**{heading}" in page, f"the docstring of {type(world).__name__} has no **{heading}.** section")
    for name in world.parameters:
        demand(name in page, f"the docstring of {type(world).__name__} does not mention the parameter {name!r}")
    demand(len(set(world.agents)) == len(world.agents), "two agents share a name")
    for space in world.observation_spaces:
        parts = space.values() if isinstance(space, spaces.Dict) else [space]
        for part in parts:
            demand(isinstance(part, (spaces.Box, spaces.Discrete)), f"{part} is neither a Box nor a Discrete space")
    low, high = world.reward_range
    demand(low < high, f"reward_range {world.reward_range} is empty")


def _demand_facts(world: World) -> None:
    """The things that the class attributes name exist; `World.define` has checked the types of the attributes."""
    label = type(world).__name__
    try:
        for variant in world.variants:
            type(world)(**variant)
        known = policies_of(world)
        for part in filter(None, world.shown.split(",")):
            agent, _, name = part.rpartition("=")
            demand(agent in ("", *world.agents), f"shown: {agent!r} is none of the agents {', '.join(world.agents)}")
            demand(name in known, f"shown: {name!r} is none of the policies {', '.join(known)}")
        demand(not world.report or callable(registry.resolve(world.report)), f"report: {world.report} is no function")
        re.compile(world.clickable)
    except (EnvsuiteError, ImportError, AttributeError, ValueError, re.error) as error:
        raise ConformanceError(f"a fact of {label} is wrong: {error}") from error
    counts = type(world).uncertainty is not World.uncertainty
    demand(counts or not world.counted, f"counted is {world.counted!r}, but {label} has no method `uncertainty`")
    demand("\n" not in world.verified, "verified is more than one line")


def check_rules(case: Case) -> None:
    """At every transition: observations, masks and rewards in their spaces; turns, utility and ends as declared."""
    world = case.world
    batch = Batch(world, 8)
    agents = len(world.agents)
    rng = np.random.default_rng(case.seed)
    batch.start(case.seed)
    demand(not batch.over().any(), "an episode is over at its start")
    gone = np.zeros((8, agents), np.bool_)
    for _ in range(case.steps):
        _demand_sound(world, batch)
        _demand_views(world, batch)
        streams = batch.records["rng"].copy()
        over = batch.over()
        batch.step(random_moves(world, batch.masks, rng))
        ended = batch.terminations | batch.truncations
        demand(not (gone & ~ended & ~over[:, None]).any(), "an agent whose episode was over came back")
        gone = ended
        _demand_rewards(world, batch.rewards, ended)
        if not world.chance:
            demand(
                (batch.records["rng"] == streams).all(), "the world draws random numbers but declares chance = False"
            )


def _demand_sound(world: World, batch: Batch) -> None:
    """Records of the rules' own are ones that a snapshot may hold."""
    idle = (batch.records["truncated"] == NO_MOVE).any()
    demand(not idle, "nobody can act, and the episode is not over")
    problem = world.ranges.outside(batch.records)
    demand(problem is None, f"after a transition, {problem and problem[1]}")
    try:
        world.admit(batch.records[:1])
    except SnapshotError as error:
        raise ConformanceError(f"after a transition: {error}") from error


def _demand_views(world: World, batch: Batch) -> None:
    over = batch.terminations | batch.truncations
    acting = batch.acting != 0
    demand((batch.masks <= 1).all() and (batch.masks >= 0).all(), "a mask holds something other than 0 and 1")
    demand(not (acting & over).any(), "an agent whose episode is over acts")
    live = ~over.all(axis=1)
    counts = acting.sum(axis=1)
    demand((counts[live] > 0).all(), "nobody can act, and the episode is not over")
    if world.turns == "sequential":
        demand((counts[live] == 1).all(), "turns = 'sequential', but not exactly one agent acts")
    if world.turns == "simultaneous":
        demand((acting | over).all(), "turns = 'simultaneous', but a live agent does not act")
    for a, names in enumerate(world.action_names):
        demand(
            not batch.masks[:, a, len(names) :].any(),
            f"the mask of {world.agents[a]} allows an action it does not have",
        )
        if not world.masked:
            demand(batch.masks[acting[:, a], a, : len(names)].all(), "masked = False, but an action is illegal")
        space = world.observation_spaces[a]
        for i in range(batch.num):
            seen = as_observation(space, batch.observations[i, a])
            if not space.contains(seen):
                raise ConformanceError(
                    f"the observation of {world.agents[a]} is outside its space: {outside(space, seen)}"
                )


def _demand_rewards(world: World, rewards: np.ndarray, ended: np.ndarray) -> None:
    low, high = world.reward_range
    demand(np.isfinite(rewards).all(), "a reward is not a finite number")
    demand(
        ((rewards >= low) & (rewards <= high)).all(),
        f"a reward is outside reward_range {world.reward_range}: {rewards}",
    )
    if world.paid_at_end:
        demand(not rewards[~ended].any(), "paid_at_end = True, but an agent has a reward before its end")
    if world.utility == "zero-sum":
        demand(
            np.abs(rewards.sum(axis=1)).max() < 1e-9, f"utility = 'zero-sum', but rewards sum to {rewards.sum(axis=1)}"
        )
    if world.utility == "identical":
        demand((rewards == rewards[:, :1]).all(), "utility = 'identical', but rewards differ")


def check_ranges(case: Case) -> None:
    """All fields have ranges, which hold for whatever the parameters are that a running environment may be given."""
    world = case.world
    demand(not world.ranges.undeclared, f"fields without a range: {', '.join(world.ranges.undeclared)}")
    for name, (hint, _) in signature(type(world)).items():
        for value in _samples(hint):
            with contextlib.suppress(ParameterError):
                _demand_admitted(world, {name: value})
    for variant in world.variants:
        with contextlib.suppress(ParameterError):
            _demand_admitted(world, variant)


def _samples(hint: Any) -> list[Any]:
    """Values of a parameter: the ends of its range, or all."""
    if (between := bounds(hint)) is not None:
        return [between.low, between.high]
    parts = [part for part in (hint, *typing.get_args(hint)) if typing.get_origin(part) is Literal]
    return [False, True] if hint is bool else [choice for part in parts for choice in typing.get_args(part)]


def _demand_admitted(world: World, changes: Mapping[str, Any]) -> None:
    batch = Batch(world, 1)
    world.retuned(changes)  # with its own error
    batch.start(0, params=changes)
    try:
        world.admit(batch.records)
    except SnapshotError as error:
        raise ConformanceError(f"with the parameters {changes}: {error}") from error


def check_objectives(case: Case) -> None:
    """If there are objectives, each is within its bounds, and in every interface their weighted sum is the reward."""
    if not case.world.objectives:
        return
    weights = np.array([0.5**k for k in range(len(case.world.objectives))])
    world = case.world.retuned({"weights": tuple(weights.tolist())})
    rng = np.random.default_rng(case.seed)
    bounds = Parallel(world).vector_reward_space
    some: list[Any] = []
    most = max(case.steps, 300)  # fewer may not get to see an objective

    def enough(step: int, ends: Any) -> bool:
        """Whether these steps have shown an objective and the end of an episode."""
        return step + 1 >= case.steps and bool(ends) and any(some)

    def agree(vectors: Any, rewards: Any, where: str) -> None:
        if where in ("parallel", "vector"):  # the others add up several transitions
            inside = (vectors >= bounds.low) & (vectors <= bounds.high)
            demand(inside.all(), f"{where}: an objective is out of its bounds: {vectors}")
        demand(np.allclose(vectors @ weights, rewards), f"{where}: {vectors} does not weigh up to the reward {rewards}")
        some.append(np.any(vectors))

    parallel, aec, seat = Parallel(world), AEC(world), Seat(world)
    parallel.reset(seed=case.seed)
    aec.reset(seed=case.seed)
    seat.reset(seed=case.seed)
    for step in range(most):
        if not parallel.agents:
            parallel.reset()
        _, rewards, _, _, infos = parallel.step(legal_actions(parallel, rng))
        for agent, reward in rewards.items():
            agree(infos[agent]["vector_reward"], reward, "parallel")
        if not aec.agents:
            aec.reset()
        agree(aec.last()[4]["vector_reward"], aec.last()[1], "AEC")
        aec_move(aec, rng)
        move = random_moves(world, seat.action_mask(seat.agent), rng, 0)
        _, reward, ended, cut, info = seat.step(one_move(world, move, 0))
        agree(info["vector_reward"], reward, "Gymnasium")
        if ended or cut:
            seat.reset()
        if enough(step, ended or cut):
            break
    for mode in ("next_step", "same_step"):
        for vector in (Vector(world, 3, autoreset=mode), SeatVector(world, 3, autoreset=mode)):
            vector.reset(seed=case.seed)
            for step in range(most):
                _, scalars, ends, cuts, infos = vector.step(vector_moves(vector, rng))
                vectors, over = infos["vector_reward"].copy(), infos.get("_final_info", np.zeros(3, np.bool_))
                demand(not vectors[over].any(), "vector: the first vector reward of an episode is not zero")
                if over.any():
                    vectors[over] = infos["final_info"]["vector_reward"][over]
                agree(vectors, scalars, "vector" if isinstance(vector, Vector) else "vector of one seat")
                if enough(step, (ends | cuts).any()):
                    break
    demand(any(some), "no objective was ever different from zero")


def check_uncertainty(case: Case) -> None:
    """Where secrets are counted, there is always one, and equally likely ones would have at least this entropy.

    `check_sight` demands that both numbers depend on observations only.
    """
    if not case.world.counted:
        return
    batch, rng = Batch(case.world, 1), np.random.default_rng(case.seed)
    batch.start(case.seed)
    for _ in range(min(case.steps, 60)):
        for a in range(len(case.world.agents)):
            count, bits = case.world.uncertainty(batch.record(), a)
            least = 0.0 <= bits <= math.log2(max(count, 1)) + 1e-9
            demand(count >= 1 and least, f"after {batch.records['t'][0]} transitions, {count} secrets have {bits} bits")
        batch.step(random_moves(case.world, batch.masks, rng))


def check_reset_is_complete(case: Case) -> None:
    """A reset sets, and an observation writes, everything: rubbish left in record and buffers changes nothing."""
    world = case.world
    core = {"rng", "t", "terminated", "truncated", "level_given", "params"}
    clean, dirty = Batch(world, 2), Batch(world, 2)
    memory = dirty.records.view(np.uint8).reshape(2, -1)
    for name, (dtype, offset, *_) in (world.record.fields or {}).items():
        if name not in core:
            memory[:, offset : offset + dtype.itemsize] = 0x55
    rng = np.random.default_rng(case.seed)
    for batch in (clean, dirty):
        batch.start(case.seed)
    for _ in range(min(case.steps, 100)):
        for name in ("observations", "masks", "rewards"):
            demand(
                same(getattr(clean, name), getattr(dirty, name)),
                f"{name} depend on what was in memory before the reset",
            )
        actions = random_moves(world, clean.masks, rng)
        dirty.observations.reshape(-1).view(np.uint8)[...] = 0xAA
        for batch in (clean, dirty):
            batch.step(actions)


def check_machine_code(case: Case) -> None:
    """Rules and policies have the same results as machine code and as Python, byte for byte, also at resets and ends.

    As Python they run with bounds checks. An index past an array's end or below zero is refused, and so is a float
    where an integer is stored, such as a policy's action. A policy that is slow as Python is compared in fewer steps.
    """
    world, rng = case.world, np.random.default_rng(case.seed)
    python, machine = Batch(world, 2, compiled=False), Batch(world, 2, compiled=True)
    with _in_bounds("the rules"):
        python.start(case.seed)
    machine.start(case.seed)
    for t in range(min(case.steps, 60)):
        _demand_equal(python, machine, f"in step {t}")
        actions = random_moves(world, machine.masks, rng)
        with _in_bounds("the rules"):
            python.step(actions)
        machine.step(actions)
    last: deque[Any] = deque(maxlen=20)
    while not machine.over().any():  # to the end as machine code, and the last steps as Python
        last.append((machine.records.copy(), random_moves(world, machine.masks, rng)))
        machine.step(last[-1][1])
    if last:
        python.records[:] = last[0][0]
        with _in_bounds("the rules"):
            python.observe()
            for _, actions in last:
                python.step(actions)
    _demand_equal(python, machine, "at the end")
    for name in policies_of(world):
        _demand_equal_policies(case, machine, name)


@contextlib.contextmanager
def _in_bounds(what: str) -> Iterator[None]:
    """Kernels run with bounds checks; an error names the line of the kernel."""
    try:
        with strict():
            yield
    except (IndexError, ValueError, OverflowError) as error:
        calls = [call for call in traceback.extract_tb(error.__traceback__) if call.filename != record.__file__]
        where = f"{calls[-1].filename}, line {calls[-1].lineno}, in {calls[-1].name}: {calls[-1].line}"
        raise ConformanceError(f"{what}, run as Python: {where}: {error}") from error


def _demand_equal(python: Batch, machine: Batch, when: str) -> None:
    for name in ("records", "observations", "masks", "acting", "rewards", "terminations", "truncations"):
        equal = content(getattr(python, name)) == content(getattr(machine, name))
        demand(equal, f"as machine code, {name} {when} are not what they are as Python")


def _demand_equal_policies(case: Case, batch: Batch, name: str) -> None:
    agents = range(len(case.world.agents))
    kinds = {compiled: make_policy(name, case.world) for compiled in (False, True)}
    batch.start(case.seed)
    for policy in kinds.values():
        policy.reset(case.seed, batch.num)
    spent = 0.0
    for t in range(min(case.steps, 60)):
        if t >= 5 and spent > _PATIENCE:
            break
        over = batch.over()
        if over.any():
            batch.start(where=over)
            for policy in kinds.values():
                policy.refresh(over)
        chosen, memories = [], []
        for compiled, policy in kinds.items():
            assert isinstance(policy, CompiledPolicy)
            batch.compiled, began = compiled, time.process_time()
            with contextlib.nullcontext() if compiled else _in_bounds(f"policy {name!r}"):
                chosen.append(policy.act_in(batch, agents))
            spent += 0 if compiled else time.process_time() - began
            memories.append(content(policy.memories))
        demand(same(*chosen), f"as machine code, policy {name!r} chooses {chosen[1]}, as Python {chosen[0]}")
        demand(memories[0] == memories[1], f"as machine code, policy {name!r} remembers something else than as Python")
        batch.step(chosen[1])
