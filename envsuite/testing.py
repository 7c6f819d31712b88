"""Conformance tests for worlds, ours and others', stricter than PettingZoo's and Gymnasium's, which run as well.

    from envsuite.testing import check_world
    check_world("envsuite/Harvest-v0")          # or your own World class, with its parameters

Every check is a function of a `Case`; its docstring says what it demands. The first failure raises
`ConformanceError`, which names the check, the world, and what to change. `check_vector_env` takes any Gymnasium
`VectorEnv`.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from envsuite import registry
from envsuite.agents.policy import Policy, make_policy, policies
from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, AgentError, EnvsuiteError, LevelError, NotReadyError, SnapshotError
from envsuite.core.world import World
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.single import as_world
from envsuite.interfaces.vector import SeatVector, Vector

#: The headings that a world's documentation page must have.
HEADINGS = (
    "Rules", "Agents", "Observation", "Actions", "Rewards", "Ends", "Parameters", "Known values", "Differences",
    "Source",
)  # fmt: skip


class ConformanceError(AssertionError):
    """A world or an interface does not keep a promise."""


@dataclass
class Case:
    """A world under test.

    Attributes:
        world: made with the parameters to test.
        seed: of all that is random in the test.
        steps: how many transitions the longer checks play.
    """

    world: World
    seed: int = 0
    steps: int = 300


@dataclass
class Report:
    """What `check_world` found: the checks that passed, in order."""

    id: str
    checks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.id}: {len(self.checks)} checks passed"


def random_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One random legal action for each mask along the last axis; 0 where a mask is all zero."""
    return (rng.random(masks.shape) * masks).argmax(axis=-1)


def demand(condition: Any, message: str) -> None:
    """Raise `ConformanceError` with this message unless the condition holds."""
    if not condition:
        raise ConformanceError(message)


@contextlib.contextmanager
def refused(kinds: type[Exception] | tuple[type[Exception], ...], what: str) -> Iterator[None]:
    """The body must raise one of these errors, with a message."""
    try:
        yield
    except kinds as error:
        demand(str(error), f"{what}: the error has no message")
    except Exception as error:
        raise ConformanceError(f"{what}: raised {type(error).__name__}: {error}") from error
    else:
        raise ConformanceError(f"{what} was accepted")


def same(a: Any, b: Any) -> bool:
    """Whether two observations, or anything made of dicts, sequences and arrays, are bit for bit the same."""
    if isinstance(a, Mapping):
        return isinstance(b, Mapping) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype.names:
            return a.dtype == b.dtype and all(same(a[name], b[name]) for name in a.dtype.names)
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return type(a) is type(b) and a == b


# The record and its kernels.


def check_facts(case: Case) -> None:
    """The class says what it is: a page with all headings, names, spaces of types that interfaces know."""
    world = case.world
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
        _demand_views(world, batch)
        streams = batch.records["rng"].copy()
        over = batch.over()
        batch.step(random_actions(batch.masks, rng))
        ended = batch.terminations | batch.truncations
        demand(not (gone & ~ended & ~over[:, None]).any(), "an agent whose episode was over came back")
        gone = ended
        _demand_rewards(world, batch.rewards)
        if not world.chance:
            demand(
                (batch.records["rng"] == streams).all(), "the world draws random numbers but declares chance = False"
            )


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
            seen = _as_observation(space, batch.observations[i, a])
            if not space.contains(seen):
                raise ConformanceError(
                    f"the observation of {world.agents[a]} is outside its space: {_outside(space, seen)}"
                )


def _as_observation(space: spaces.Space, slot: Any) -> Any:
    if not isinstance(space, spaces.Dict):
        return np.asarray(slot)
    return {k: np.int64(slot[k]) if isinstance(p, spaces.Discrete) else np.asarray(slot[k]) for k, p in space.items()}


def _outside(space: spaces.Space, seen: Any) -> str:
    if isinstance(space, spaces.Dict):
        return "; ".join(f"{k}: {_outside(p, seen[k])}" for k, p in space.items() if not p.contains(seen[k]))
    if isinstance(space, spaces.Box):
        bad = np.argwhere((seen < space.low) | (seen > space.high) | (seen != seen))
        where = tuple(bad[0]) if len(bad) else ()
        return f"dtype {seen.dtype}, shape {seen.shape}, first bad element {where} = {seen[where] if len(bad) else '-'}"
    return repr(seen)


def _demand_rewards(world: World, rewards: np.ndarray) -> None:
    low, high = world.reward_range
    demand(np.isfinite(rewards).all(), "a reward is not a finite number")
    demand(
        ((rewards >= low) & (rewards <= high)).all(),
        f"a reward is outside reward_range {world.reward_range}: {rewards}",
    )
    if world.utility == "zero-sum":
        demand(
            np.abs(rewards.sum(axis=1)).max() < 1e-9, f"utility = 'zero-sum', but rewards sum to {rewards.sum(axis=1)}"
        )
    if world.utility == "identical":
        demand((rewards == rewards[:, :1]).all(), "utility = 'identical', but rewards differ")


def check_objectives(case: Case) -> None:
    """If there are objectives, each is within its bounds, and in every interface their weighted sum is the reward."""
    if not case.world.objectives:
        return
    weights = np.array([0.5**k for k in range(len(case.world.objectives))])
    world = case.world.retuned({"weights": tuple(weights.tolist())})
    rng = np.random.default_rng(case.seed)
    bounds = Parallel(world).reward_space(world.agents[0])
    some = []

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
    for _ in range(case.steps):
        if not parallel.agents:
            parallel.reset()
        acting = [agent for agent in parallel.agents if parallel.action_mask(agent).any()]
        chosen = {agent: int(random_actions(parallel.action_mask(agent), rng)) for agent in acting}
        _, rewards, _, _, infos = parallel.step(chosen)
        for agent, reward in rewards.items():
            agree(infos[agent]["vector_reward"], reward, "parallel")
        if not aec.agents:
            aec.reset()
        agree(aec.last()[4]["vector_reward"], aec.last()[1], "AEC")
        _aec_move(aec, rng)
        _, reward, ended, cut, info = seat.step(int(random_actions(seat.action_mask(seat.agent), rng)))
        agree(info["vector_reward"], reward, "Gymnasium")
        if ended or cut:
            seat.reset()
    for mode in ("next_step", "same_step"):
        for vector in (Vector(world, 3, autoreset=mode), SeatVector(world, 3, autoreset=mode)):
            _, infos = vector.reset(seed=case.seed)
            for _ in range(case.steps):
                _, scalars, _, _, infos = vector.step(random_actions(infos["action_mask"], rng))
                vectors, over = infos["vector_reward"].copy(), infos.get("_final_info", np.zeros(3, np.bool_))
                demand(not vectors[over].any(), "vector: the first vector reward of an episode is not zero")
                if over.any():
                    vectors[over] = infos["final_info"]["vector_reward"][over]
                agree(vectors, scalars, "vector" if isinstance(vector, Vector) else "vector of one seat")
    demand(any(some), "no objective was ever different from zero")


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
        actions = random_actions(clean.masks, rng)
        dirty.observations.reshape(-1).view(np.uint8)[...] = 0xAA
        for batch in (clean, dirty):
            batch.step(actions)


# Interfaces.


def _play(env: Any, seed: int, steps: int) -> Iterator[tuple[Any, ...]]:
    """Transitions of a parallel environment under a fixed random policy, over episodes."""
    rng = np.random.default_rng(seed)
    seen, infos = env.reset(seed=seed)
    yield seen, infos
    for _ in range(steps):
        if not env.agents:
            yield env.reset()
            continue
        acting = {agent: env.action_mask(agent) for agent in env.agents}
        actions = {agent: int(random_actions(mask, rng)) for agent, mask in acting.items() if mask.any()}
        yield env.step(actions)


def check_determinism(case: Case) -> None:
    """Same seed, same trajectory over whole episodes; another seed gives another one, where there is chance."""
    first = list(_play(Parallel(case.world), case.seed, case.steps))
    second = list(_play(Parallel(case.world), case.seed, case.steps))
    for k, (a, b) in enumerate(zip(first, second)):
        demand(same(a, b), f"the same seed gives another result at transition {k}")


def check_interfaces_agree(case: Case) -> None:
    """Parallel, AEC, vectors of any size, with threads and without copies, give the same numbers."""
    world, seed = case.world, case.seed
    parallel, aec = Parallel(world), AEC(world)
    vectors = [
        Vector(world, 1, autoreset="disabled"),
        Vector(world, 5, autoreset="disabled", threads=2),
        Vector(world, 3, autoreset="disabled", copy=False),
    ]
    rng = np.random.default_rng(seed)
    numbers = {agent: a for a, agent in enumerate(world.agents)}
    seen, infos = parallel.reset(seed=seed)
    aec.reset(seed=seed)
    for vector in vectors:
        vector.reset(seed)
    for _ in range(case.steps):
        if not parallel.agents:
            seen, infos = parallel.reset()
            while aec.agents:
                aec.step(None)
            aec.reset()
        for vector in vectors:
            over = vector.batch.over()
            if over.any():
                vector.reset(options={"reset_mask": over})
        batch = vectors[1].batch
        demand(
            all(same(v.batch.observations[0], parallel.batch.observations[0]) for v in vectors),
            "a vector's world 0 differs from the single world with the same seed",
        )
        everyone = [random_actions(vector.batch.masks, rng) for vector in vectors]
        for chosen in everyone:
            chosen[0] = everyone[1][0]
        everyone[2][:, :] = everyone[1][:3]
        live, acting = list(parallel.agents), parallel.batch.acting[0] != 0
        while aec.agents and (aec.terminations[aec.agent_selection] or aec.truncations[aec.agent_selection]):
            aec.step(None)  # who is out before the others leaves first
        for agent in live:
            if acting[numbers[agent]]:
                demand(aec.agent_selection == agent, f"AEC selects {aec.agent_selection} where {agent} acts")
                observation = aec.last()[0]
                demand(same(observation, seen[agent]), f"AEC and parallel show {agent} different observations")
                aec.step(int(everyone[1][0, numbers[agent]]))
        actions = {agent: int(everyone[1][0, numbers[agent]]) for agent in live if acting[numbers[agent]]}
        seen, rewards, ended, cut, infos = parallel.step(actions)
        results = [vector.step(chosen) for vector, chosen in zip(vectors, everyone)]
        for agent in live:
            a = numbers[agent]
            demand(aec.rewards[agent] == rewards[agent], f"AEC and parallel give {agent} different rewards")
            demand(aec.terminations[agent] == ended[agent] and aec.truncations[agent] == cut[agent], "AEC ends differ")
            demand(same(aec.observe(agent), seen[agent]), f"AEC and parallel show {agent} different observations")
            for result in results:
                demand(result[1][0, a] == rewards[agent], f"vector and parallel give {agent} different rewards")
                demand(result[2][0, a] == ended[agent] and result[3][0, a] == cut[agent], "vector ends differ")
                demand(same(result[4]["action_mask"][0, a], batch.masks[0, a]), "vector masks differ")
        for a_, b_ in zip(results[1][:4], results[2][:4]):
            first = {k: v[:3] for k, v in a_.items()} if isinstance(a_, dict) else a_[:3]
            demand(same(first, b_), "results depend on the size of the batch, on threads or on copying")
        for agent in aec.agents if not parallel.agents else ():
            demand(aec.terminations[agent] or aec.truncations[agent], "AEC goes on after the end")
    demand(same(parallel.batch.records["rng"], aec.batch.records["rng"]), "the random streams drift apart")


def check_snapshots(case: Case) -> None:
    """In mid-episode, clones, copies, pickles and restored snapshots continue like the original; damage is refused."""
    world, seed = case.world, case.seed
    env = AEC(world)
    with refused(NotReadyError, "get_state() before reset()"):
        env.get_state()
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(7):
        _aec_move(env, rng)
    state = env.get_state()
    twins = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env)), AEC(world)]
    twins[-1].set_state(state)
    for _ in range(min(case.steps, 60)):
        moves = rng.bit_generator.state
        before = _aec_view(env)
        for twin in twins:
            demand(same(_aec_view(twin), before), "a copy shows something else than the original")
        _aec_move(env, rng)
        for twin in twins:
            rng.bit_generator.state = moves
            _aec_move(twin, rng)
        demand(all(twin.get_state() == env.get_state() for twin in twins), "a copy continues differently")
    env.set_state(state)
    demand(env.get_state() == state, "set_state(get_state()) changes the state")
    for wrong, what in _damaged(state):
        with refused(SnapshotError, f"a snapshot that is {what}"):
            env.set_state(wrong)
        demand(env.get_state() == state, f"a refused snapshot ({what}) changed the state")
    kinds: list[Callable[[], Any]] = [partial(Vector, world, 4), partial(SeatVector, world, 4)]
    if len(set(map(repr, world.observation_spaces))) == 1:
        kinds.append(lambda: Vector(world, 4).flatten())
    for make in kinds:
        vector = make()
        with refused(NotReadyError, "get_state() before reset()"):
            vector.get_state()
        infos = vector.reset(seed=seed)[1]
        for _ in range(5):
            infos = vector.step(random_actions(infos["action_mask"], rng))[4]
        twins = [vector.clone(), copy.deepcopy(vector), pickle.loads(pickle.dumps(vector)), make()]
        twins[-1].set_state(vector.get_state())
        for _ in range(20):
            actions = random_actions(infos["action_mask"], rng)
            expected = vector.step(actions)
            infos = expected[4]
            for twin in twins:
                agree = same(twin.step(actions), expected) and twin.get_state() == vector.get_state()
                demand(agree, f"a copy of a {type(vector).__name__} continues differently")
    seat = Seat(world)
    seat.reset(seed=seed)
    twin_seat = pickle.loads(pickle.dumps(seat))
    for _ in range(20):
        action = int(random_actions(seat.batch.masks[0, 0], rng))
        one, other = seat.step(action), twin_seat.step(action)
        demand(same(one, other), "a copy of a Gymnasium seat continues differently")
        if one[2] or one[3]:
            demand(same(seat.reset(), twin_seat.reset()), "a copy of a Gymnasium seat resets differently")


def _aec_view(env: AEC) -> tuple[Any, ...]:
    return (env.agent_selection, env.last(), env.rewards, env._cumulative_rewards, env.agents) if env.agents else ()


def _aec_move(env: AEC, rng: np.random.Generator) -> None:
    if not env.agents:
        env.reset()
        return
    _, _, ended, cut, info = env.last()
    env.step(None if ended or cut else int(random_actions(info["action_mask"], rng)))


def _damaged(state: bytes) -> Iterator[tuple[bytes, str]]:
    flipped = bytearray(state)
    flipped[-30] ^= 1
    foreign = bytearray(state)
    foreign[0] ^= 1
    yield state[:-1], "truncated"
    yield state[:20], "cut short"
    yield b"", "empty"
    yield bytes(flipped), "edited"
    yield bytes(foreign), "foreign"


def check_aliasing(case: Case) -> None:
    """Returned arrays are the caller's own: later steps do not change them, and changing them changes nothing."""
    env, twin = Parallel(case.world), Parallel(case.world)
    rng = np.random.default_rng(case.seed)
    kept: Any = env.reset(seed=case.seed)
    twin.reset(seed=case.seed)
    for _ in range(20):
        if not env.agents:
            break
        held = copy.deepcopy(kept)
        actions = {a: int(random_actions(env.action_mask(a), rng)) for a in env.agents if env.action_mask(a).any()}
        result, expected = env.step(actions), twin.step(actions)
        demand(same(kept, held), "a step changed arrays that were returned before")
        demand(same(result, expected), "changing returned arrays changed the world")
        kept = copy.deepcopy(expected)
        _spoil(result)


def _spoil(value: Any) -> None:
    if isinstance(value, np.ndarray) and value.shape:
        value[...] = 1
    elif isinstance(value, Mapping):
        for part in value.values():
            _spoil(part)
    elif isinstance(value, (tuple, list)):
        for part in value:
            _spoil(part)


def check_masks(case: Case) -> None:
    """Exactly the actions that the mask allows are accepted; any other raises `ActionError` and changes nothing."""
    env = Parallel(case.world)
    rng = np.random.default_rng(case.seed)
    env.reset(seed=case.seed)
    for _ in range(min(case.steps, 25)):
        if not env.agents:
            env.reset()
        state = env.get_state()
        actions = {a: int(random_actions(env.action_mask(a), rng)) for a in env.agents if env.action_mask(a).any()}
        agent = list(actions)[int(rng.integers(len(actions)))]
        mask = env.action_mask(agent)
        tried = [*rng.permutation(len(mask))[:12].tolist(), -1, len(mask), 10**30, -(10**30)]
        for action in tried:
            attempt = {**actions, agent: action}
            if 0 <= action < len(mask) and mask[action]:
                env.step(attempt)
                env.set_state(state)
                continue
            seen = {a: env._view(env.number(a)) for a in env.agents}
            with refused(ActionError, f"action {action} of {agent}, which its mask {mask.tolist()} does not allow,"):
                env.step(attempt)
            demand(env.get_state() == state, f"the refused action {action} changed the state")
            demand(
                same({a: env._view(env.number(a)) for a in env.agents}, seen), "a refused action changed observations"
            )
        env.step(actions)


def check_bad_input(case: Case) -> None:
    """Unknown agents, wrong types and shapes, and wrong moments give one clear error each and change nothing."""
    world = case.world
    env, aec, vector, seat = Parallel(world), AEC(world), Vector(world, 3), Seat(world)
    for call, what in (
        (lambda: env.step({}), "Parallel.step"),
        (lambda: aec.step(0), "AEC.step"),
        (lambda: vector.step(np.zeros((3, len(world.agents)), int)), "Vector.step"),
        (lambda: seat.step(0), "Seat.step"),
    ):
        with refused(NotReadyError, f"{what} before reset"):
            call()
    env.reset(seed=case.seed)
    aec.reset(seed=case.seed)
    vector.reset(case.seed)
    seat.reset(seed=case.seed)
    state, vector_state, seat_state = env.get_state(), vector.get_state(), seat.get_state()
    mover = world.agents[int(np.flatnonzero(env.batch.acting[0])[0])]
    good = {a: int(np.flatnonzero(env.action_mask(a))[0]) for a in env.agents if env.action_mask(a).any()}
    for wrong in (float("nan"), 0.5, None, "0", np.array([0]), True, [0]):
        with refused(ActionError, f"the action {wrong!r}"):
            env.step({**good, mover: wrong})
        with refused(ActionError, f"the action {wrong!r}"):
            seat.step(wrong)
        with refused(ActionError, f"the action {wrong!r}"):
            aec.step(wrong)
    with refused(AgentError, "an action for an unknown agent"):
        env.step({**good, "nobody": 0})
    with refused(AgentError, "a step without the mover's action"):
        env.step({a: k for a, k in good.items() if a != mover})
    with refused(AgentError, "the observation space of an unknown agent"):
        env.observation_space("nobody")
    shape = (3, len(world.agents))
    for wrong in (
        np.zeros(3, int),
        np.zeros(shape),
        np.full(shape, np.nan),
        np.zeros((4, shape[1]), int),
        np.zeros(shape, bool),
    ):
        with refused(ActionError, f"an array of {wrong.dtype} and shape {wrong.shape} as actions"):
            vector.step(wrong)
    chosen = random_actions(vector.batch.masks, np.random.default_rng(0))
    chosen[vector.batch.acting != 0] = world.num_actions
    with refused(ActionError, "an action out of range in a vector"):
        vector.step(chosen)
    with refused(EnvsuiteError, "a negative seed"):
        env.reset(seed=-1)
    with refused(EnvsuiteError, "a seed that is not an integer"):
        env.reset(seed=0.5)  # type: ignore[arg-type]
    bad_levels: list[Any] = [{}, [], {"nonsense": 1}, "level"]
    for level in bad_levels:
        with refused(LevelError, f"the level {level!r}"):
            env.reset(options={"level": level})
    demand(env.get_state() == state, "refused input changed the world")
    demand(vector.get_state() == vector_state, "refused input changed the vector")
    demand(seat.get_state() == seat_state, "refused input changed the seat")
    rng = np.random.default_rng(case.seed)
    for _ in range(100_000):
        if not env.agents:
            break
        env.step({a: int(random_actions(env.action_mask(a), rng)) for a in env.agents if env.action_mask(a).any()})
    demand(not env.agents, "an episode did not end within 100,000 transitions")
    with refused(NotReadyError, "a step after the end"):
        env.step(good)


def check_illegal_choices(case: Case) -> None:
    """on_illegal="forfeit" ends the episode with -1 for the culprit; "noop" goes on."""
    world = case.world
    env = Parallel(world, on_illegal="forfeit")
    env.reset(seed=case.seed)
    mover = world.agents[int(np.flatnonzero(env.batch.acting[0])[0])]
    good = {a: int(np.flatnonzero(env.action_mask(a))[0]) for a in env.agents if env.action_mask(a).any()}
    _, rewards, ended, _, _ = env.step({**good, mover: 10**9})
    demand(rewards[mover] == -1.0 and sum(rewards.values()) == -1.0, f"a forfeit gave the rewards {rewards}")
    demand(all(ended.values()) and not env.agents, "a forfeit did not end the episode")
    env = Parallel(world, on_illegal="noop")
    env.reset(seed=case.seed)
    _, _, ended, cut, _ = env.step({**good, mover: 10**9})
    demand(len(ended) == len(world.agents), "on_illegal='noop' lost agents")


def check_levels(case: Case) -> None:
    """A world's level survives JSON and starts the same episode again."""
    env = Parallel(case.world)
    env.reset(seed=case.seed)
    try:
        level = env.level
    except LevelError:
        with refused(LevelError, "a level for a world without levels"):
            env.reset(options={"level": {}})
        return
    again = json.loads(json.dumps(level))
    demand(again == level, "the level is not plain data: it changes in JSON")
    other = Parallel(case.world)
    other.reset(seed=case.seed + 1, options={"level": again})
    demand(other.level == level, "a reset with a level starts from another one")
    other.reset(seed=case.seed)
    demand(other.level == level, "a level that was given once stays behind after the next reset")
    vector = Vector(case.world, 3)
    vector.reset(case.seed + 1, options={"level": [again, None, again]})
    demand(case.world.get_level(vector.batch.record(2)) == level, "a vector's world ignores its level")


def check_views(case: Case) -> None:
    """Pictures without a display, texts for every agent, actions by name, states in their space."""
    world = case.world
    env = Parallel(world, render_mode="rgb_array")
    rng = np.random.default_rng(case.seed)
    env.reset(seed=case.seed)
    shape = env.render().shape
    for _ in range(6):
        picture = env.render()
        demand(
            picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3,
            "a picture is not (H, W, 3) uint8",
        )
        demand(picture.shape == shape, f"pictures change their shape: {shape}, {picture.shape}")
        demand(len(np.unique(picture.reshape(-1, 3), axis=0)) > 2, "the picture is empty")
        space, state = env.state_space, env.state()
        demand(space.contains(state), f"state() is outside state_space: {_outside(space, state)}")
        for agent in env.agents:
            demand(isinstance(env.text(agent), str) and env.text(agent).strip(), f"{agent} has no text")
            for k in np.flatnonzero(env.action_mask(agent))[:20]:
                name = env.action_names(agent)[k]
                demand(env.parse_action(agent, name) == k, f"the action name {name!r} does not parse to itself")
        actions = {a: int(random_actions(env.action_mask(a), rng)) for a in env.agents if env.action_mask(a).any()}
        env.step(actions)
        if not env.agents:
            env.reset()
    text_env = Parallel(world, render_mode="ansi")
    text_env.reset(seed=case.seed)
    demand(isinstance(text_env.render(), str) and text_env.render().strip(), "the terminal drawing is empty")
    listed = Parallel(world, render_mode="rgb_array_list")
    listed.reset(seed=case.seed)
    demand(len(listed.render()) == 1 and listed.render() == [], "rgb_array_list does not collect one picture a state")
    import pygame

    demand(not pygame.display.get_init(), "drawing started a display")


def check_autoreset(case: Case) -> None:
    """The three kinds of autoreset tell the same story of the same episodes."""
    world, seed = case.world, case.seed
    modes = {mode: Vector(world, 2, autoreset=mode) for mode in ("next_step", "same_step", "disabled")}
    for vector in modes.values():
        vector.reset(seed)
    rngs = {mode: np.random.default_rng(seed) for mode in modes}
    stories: dict[str, list[Any]] = {mode: [[], []] for mode in modes}
    for mode, vector in modes.items():
        waiting = np.zeros(2, np.bool_)
        for _ in range(case.steps):
            actions = random_actions(vector.batch.masks, rngs[mode])
            if mode == "disabled" and waiting.any():
                vector.reset(options={"reset_mask": waiting})
                rngs[mode] = np.random.default_rng(seed)
                actions = random_actions(vector.batch.masks, rngs[mode])
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


def check_policies(case: Case) -> None:
    """Every policy acts legally, one by one as in a batch; rollouts repeat, and do not depend on threads."""
    world = case.world
    known = policies(world.id) if world.id in registry.ids() else {"random": None}
    for name in known:
        single, batched = make_policy(name, world), make_policy(name, world)
        batch = Batch(world, 4)
        batch.start(case.seed)
        batched.reset(case.seed, 4)
        single.reset(case.seed)
        agents = range(len(world.agents))
        for _ in range(min(case.steps, 60)):
            chosen = batched.act_batch(batch.observations, batch.masks, agents)
            for a in np.flatnonzero(batch.acting[0]):
                seen = _as_observation(world.observation_spaces[a], batch.observations[0, a])
                alone = single.act(seen, batch.masks[0, a], int(a))
                demand(alone == chosen[0, a], f"policy {name!r} chooses {alone} alone and {chosen[0, a]} in a batch")
            try:
                batch.step(chosen)
            except ActionError as error:
                raise ConformanceError(f"policy {name!r} chose an illegal action: {error}") from None
            over = batch.over()
            if over.any():
                batch.start(where=over)
                batched.refresh(over)
                if over[0]:
                    single.refresh(np.ones(1, np.bool_))
        totals = []
        for threads in (1, 1, 2):
            vector = Vector(world, 4, threads=threads)
            vector.reset(case.seed)
            totals.append(vector.rollout(name, 50, seed=case.seed))
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
        many, infos = vector.reset(seed=case.seed)
        parallel.reset(seed=case.seed)
        for policy in others.values():
            policy.reset(case.seed)
        for _ in range(30):
            while agent in parallel.agents and not parallel.action_mask(agent).any():
                parallel.step(_choices(parallel, others))
            demand(
                parallel.batch.records.tobytes() == single.batch.records.tobytes(),
                f"seat {agent}: the same moves in parallel form lead elsewhere",
            )
            demand(single.observation_space.contains(seen), f"the observation of seat {agent} is outside its space")  # type: ignore[attr-defined]
            demand(same(info["action_mask"], infos["action_mask"][0]), f"seat {agent}: vector and single masks differ")
            chosen = np.array([random_actions(mask, rng) for mask in infos["action_mask"]])
            if agent in parallel.agents:
                parallel.step({agent: int(chosen[0]), **_choices(parallel, others)})
            seen, reward, ended, cut, info = single.step(int(chosen[0]))
            many, rewards, terminated, truncated, infos = vector.step(chosen)
            demand(rewards[0] == reward, f"seat {agent}: vector and single rewards differ")
            demand(terminated[0] == ended and truncated[0] == cut, f"seat {agent}: vector and single ends differ")
            demand(same(_row(many), seen), f"seat {agent}: vector and single observations differ")
            if ended or cut or terminated[1] or truncated[1]:
                break


def _choices(env: Parallel, policies: Mapping[int, Policy]) -> dict[str, int]:
    """The actions of those of these agents that act."""
    batch = env.batch
    return {
        env.world.agents[a]: policy.act(batch.observations[0, a], batch.masks[0, a], a)
        for a, policy in policies.items()
        if batch.acting[0, a]
    }


def _row(value: Any) -> Any:
    return {k: _row(v) for k, v in value.items()} if isinstance(value, dict) else value[0]


def check_ecosystem(case: Case) -> None:
    """PettingZoo's api, seed and parallel tests and Gymnasium's environment checker pass."""
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            api_test(AEC(case.world), num_cycles=100)
            seed_test(lambda: AEC(case.world), num_cycles=50)
            parallel_seed_test(lambda: Parallel(case.world, on_illegal="noop"))
            parallel_api_test(Parallel(case.world, on_illegal="noop"), num_cycles=50)
            check_env(Seat(case.world, on_illegal="noop", render_mode="rgb_array"), skip_render_check=True)
        except AssertionError as failure:
            raise ConformanceError(f"a checker of PettingZoo or Gymnasium fails: {failure}") from failure


def check_vectors(case: Case) -> None:
    """The Gymnasium vectors of one seat and of all agents keep the promises that `check_vector_env` names."""
    for mode in ("next_step", "same_step", "disabled"):
        check_vector_env(partial(SeatVector, case.world, 3, autoreset=mode), case.seed, 60)
        if len(set(map(repr, case.world.observation_spaces))) == 1:
            vectors = partial(Vector, case.world, 2, autoreset=mode)
            agents = len(case.world.agents)
            check_vector_env(lambda vectors=vectors: vectors().flatten(), case.seed, 60, False, agents)  # type: ignore[misc]


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
        together: so many rows are one world: reset when all of them are over, they keep their end flags until then.

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
                "SAME_STEP: '_final_obs' marks a world that goes on",
            )
    first.close()
    second.close()


def _where(value: Any, mask: np.ndarray) -> Any:
    return {k: _where(v, mask) for k, v in value.items()} if isinstance(value, dict) else value[mask]


CHECKS: tuple[Callable[[Case], None], ...] = (
    check_facts,
    check_rules,
    check_objectives,
    check_reset_is_complete,
    check_determinism,
    check_interfaces_agree,
    check_snapshots,
    check_aliasing,
    check_masks,
    check_bad_input,
    check_illegal_choices,
    check_levels,
    check_views,
    check_autoreset,
    check_policies,
    check_seats,
    check_vectors,
    check_ecosystem,
)


def check_world(world: Any, *, seed: int = 0, steps: int = 300, only: str | None = None, **params: Any) -> Report:
    """Run all checks on a world.

    Args:
        world: an id, a `World` class, or a `World`.
        seed: of everything random in the checks.
        steps: how many transitions the longer checks play.
        only: the name of a single check to run.
        params: the world's parameters.

    Raises:
        ConformanceError: at the first promise that is not kept.
    """
    case = Case(as_world(world, params), seed, steps)
    report = Report(case.world.id)
    for check in CHECKS:
        if only in (None, check.__name__):
            try:
                check(case)
            except ConformanceError as failure:
                raise ConformanceError(f"{case.world.id}: {check.__name__}: {failure}") from failure
            report.checks.append(check.__name__)
    return report
