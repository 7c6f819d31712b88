"""AEC and parallel forms: the same numbers everywhere, exact states, masks, errors, levels, pictures."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from envsuite.core.errors import ActionError, AgentError, EnvsuiteError, LevelError, NotReadyError, SnapshotError
from envsuite.core.world import World
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.flattening import Flattening
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import SeatVector, Vector
from envsuite.reading.phrases import Names
from envsuite.testing.case import (
    Case,
    ConformanceError,
    aec_move,
    demand,
    legal_actions,
    one_move,
    outside,
    random_moves,
    refused,
    same,
    sharing,
    vector_moves,
)

#: Vectors of more numbers than this are not tried in `check_flattening`.
MOST_FLAT = 20_000


def _play(env: Any, seed: int, steps: int) -> Iterator[tuple[Any, ...]]:
    """Transitions of a parallel environment under a fixed random policy, over episodes."""
    rng = np.random.default_rng(seed)
    seen, infos = env.reset(seed=seed)
    yield seen, infos
    for _ in range(steps):
        if not env.agents:
            yield env.reset()
            continue
        yield env.step(legal_actions(env, rng))


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
        everyone = [vector_moves(vector, rng) for vector in vectors]
        for chosen in everyone:
            chosen[0] = everyone[1][0]
        everyone[2][:] = everyone[1][:3]
        live, acting = list(parallel.agents), parallel.batch.acting[0] != 0
        while aec.agents and (aec.terminations[aec.agent_selection] or aec.truncations[aec.agent_selection]):
            aec.step(None)  # an agent that is out before the others leaves first
        for agent in live:
            if acting[numbers[agent]]:
                demand(aec.agent_selection == agent, f"AEC selects {aec.agent_selection} where {agent} acts")
                observation = aec.last()[0]
                demand(same(observation, seen[agent]), f"AEC and parallel show {agent} different observations")
                aec.step(one_move(world, everyone[1][0, numbers[agent]], numbers[agent]))
        moves = {agent: (everyone[1][0, numbers[agent]], numbers[agent]) for agent in live if acting[numbers[agent]]}
        actions = {agent: one_move(world, *move) for agent, move in moves.items()}
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
                demand(same(result[4].get("action_mask", batch.masks)[0, a], batch.masks[0, a]), "vector masks differ")
        for a_, b_ in zip(results[1][:4], results[2][:4]):
            first = {k: v[:3] for k, v in a_.items()} if isinstance(a_, dict) else a_[:3]
            demand(same(first, b_), "results depend on the size of the batch, on threads or on copying")
        for agent in aec.agents if not parallel.agents else ():
            demand(aec.terminations[agent] or aec.truncations[agent], "AEC continues after the end")
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
        aec_move(env, rng)
    state = env.get_state()
    twins = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env)), AEC(world)]
    twins[-1].set_state(state)
    for _ in range(min(case.steps, 60)):
        moves = rng.bit_generator.state
        before = _aec_view(env)
        for twin in twins:
            demand(same(_aec_view(twin), before), "a copy shows something else than the original")
        aec_move(env, rng)
        for twin in twins:
            rng.bit_generator.state = moves
            aec_move(twin, rng)
        demand(all(twin.get_state() == env.get_state() for twin in twins), "a copy continues differently")
    env.set_state(state)
    demand(env.get_state() == state, "set_state(get_state()) changes the state")
    for wrong, what in _damaged(state):
        with refused(SnapshotError, f"a snapshot that is {what}"):
            env.set_state(wrong)
        demand(env.get_state() == state, f"a refused snapshot ({what}) changed the state")
    kinds: list[Callable[[], Any]] = [partial(Vector, world, 4), partial(SeatVector, world, 4)]
    if sharing(world):
        kinds.append(lambda: Vector(world, 4).flatten())
    for make in kinds:
        vector = make()
        with refused(NotReadyError, "get_state() before reset()"):
            vector.get_state()
        vector.reset(seed=seed)
        for _ in range(5):
            vector.step(vector_moves(vector, rng))
        twins = [vector.clone(), copy.deepcopy(vector), pickle.loads(pickle.dumps(vector)), make()]
        twins[-1].set_state(vector.get_state())
        for _ in range(min(case.steps // 2, 20)):
            actions = vector_moves(vector, rng)
            expected = vector.step(actions)
            for twin in twins:
                agree = same(twin.step(actions), expected) and twin.get_state() == vector.get_state()
                demand(agree, f"a copy of a {type(vector).__name__} continues differently")
    seat = Seat(world)
    seat.reset(seed=seed)
    twin_seat = pickle.loads(pickle.dumps(seat))
    for _ in range(20):
        action = one_move(world, random_moves(world, seat.batch.masks[0, 0], rng, 0), 0)
        one, other = seat.step(action), twin_seat.step(action)
        demand(same(one, other), "a copy of a Gymnasium seat continues differently")
        if one[2] or one[3]:
            demand(same(seat.reset(), twin_seat.reset()), "a copy of a Gymnasium seat resets differently")


def _aec_view(env: AEC) -> tuple[Any, ...]:
    return (env.agent_selection, env.last(), env.rewards, env._cumulative_rewards, env.agents) if env.agents else ()


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
        actions = legal_actions(env, rng)
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
    if case.world.control_spaces:
        _check_controls(case)
        return
    env = Parallel(case.world)
    rng = np.random.default_rng(case.seed)
    env.reset(seed=case.seed)
    for _ in range(min(case.steps, 25)):
        if not env.agents:
            env.reset()
        state = env.get_state()
        actions = legal_actions(env, rng)
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


def _check_controls(case: Case) -> None:
    """Numbers that are not finite are refused, those outside their box too unless they are clipped; nothing changes."""
    world, rng = case.world, np.random.default_rng(case.seed)
    for effect in ("error", "clip"):
        env, aec, vector = (make(on_illegal=effect) for make in _forms(world))
        env.reset(seed=case.seed)
        aec.reset(seed=case.seed)
        vector.reset(case.seed)
        for _ in range(min(case.steps, 10)):
            if not env.agents:
                env.reset()
            if vector.batch.finished.any():
                vector.reset()
            if aec.batch.finished.any():
                aec.reset()
            state, vector_state, actions = env.get_state(), vector.get_state(), legal_actions(env, rng)
            a = env.number(list(actions)[int(rng.integers(len(actions)))])
            agent, box = world.agents[a], world.control_spaces[a]
            k, outside_ = int(rng.integers(len(box.low))), 1 + rng.random()
            tried = [np.nan, np.inf, -np.inf, box.low[k] - outside_, box.high[k] + outside_, 1e300]
            for value in tried:
                row = actions[agent].astype(np.float64)
                row[k] = value
                rows = vector_moves(vector, rng).astype(np.float64)
                rows[1, a, k] = value
                if effect == "clip" and np.abs(value) < 1e30:
                    nearest = env.clone()
                    result = env.step({**actions, agent: row})
                    demand(same(result, nearest.step({**actions, agent: np.clip(row, box.low, box.high)})), "no clip")
                    vector.step(rows)
                    env.set_state(state)
                    vector.set_state(vector_state)
                    continue
                for step, given in ((env.step, {**actions, agent: row}), (vector.step, rows)):
                    with refused(ActionError, f"the control {k} = {value} of {agent}"):
                        step(given)
                if aec.agent_selection == agent:
                    with refused(ActionError, f"the control {k} = {value} of {agent}"):
                        aec.step(row)
                demand(env.get_state() == state, f"the refused control {value} changed the state")
                demand(vector.get_state() == vector_state, f"the refused control {value} changed the vector")
            env.step(actions)
            aec_move(aec, rng)
            vector.step(vector_moves(vector, rng))


def _forms(world: World) -> list[Callable[..., Any]]:
    return [partial(Parallel, world), partial(AEC, world), partial(Vector, world, 2)]


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
    good = _good(env)
    scalars = (float("nan"), 0.5, None, "0", np.array([0]), True, [0])
    rows: tuple[Any, ...] = (0.5, None, 0, "0", True, np.zeros(world.num_actions + 1), np.zeros((1, 1)), [None], {})
    for wrong in rows if world.control_spaces else scalars:
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
        np.zeros((*shape, world.num_actions) if world.control_spaces else shape, bool),
    ):
        with refused(ActionError, f"an array of {wrong.dtype} and shape {wrong.shape} as actions"):
            vector.step(wrong)
    chosen = vector_moves(vector, np.random.default_rng(0))
    chosen[vector.batch.acting != 0] = world.bounds.max() + 1 if world.control_spaces else world.num_actions
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
        env.step(legal_actions(env, rng))
    demand(not env.agents, "an episode did not end within 100,000 transitions")
    with refused(NotReadyError, "a step after the end"):
        env.step(good)


def _good(env: Parallel) -> dict[str, Any]:
    """The first legal action of each agent that acts."""
    if env.world.control_spaces:
        return legal_actions(env, np.random.default_rng(0))
    masks = {agent: env.action_mask(agent) for agent in env.agents}
    return {agent: int(np.flatnonzero(mask)[0]) for agent, mask in masks.items() if mask.any()}


def check_illegal_choices(case: Case) -> None:
    """on_illegal="forfeit" ends the episode with -1 for the agent at fault; "noop" continues it."""
    world = case.world
    if world.control_spaces:  # `check_masks` has tried what they may do
        return
    env = Parallel(world, on_illegal="forfeit")
    env.reset(seed=case.seed)
    mover = world.agents[int(np.flatnonzero(env.batch.acting[0])[0])]
    good = _good(env)
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
    import pygame

    world, opened = case.world, pygame.display.get_init()  # by a window of the caller
    env = Parallel(world, render_mode="rgb_array")
    rng = np.random.default_rng(case.seed)
    env.reset(seed=case.seed)
    _demand_names(world)
    size = env.scene().width, env.scene().height
    for _ in range(6):
        picture, scene = env.render(), env.scene()
        demand(
            picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3,
            "a picture is not (H, W, 3) uint8",
        )
        demand((scene.width, scene.height) == size, f"scenes change their size: {size}, {scene.width, scene.height}")
        colors = picture.reshape(-1, 3) @ np.array([1, 256, 256**2])
        others = colors[colors != colors[0]]
        demand((others != others[:1]).any(), "the picture is empty")
        space, state = env.state_space, env.state()
        demand(space.contains(state), f"state() is outside state_space: {outside(space, state)}")
        for agent in env.agents:
            demand(isinstance(env.text(agent), str) and env.text(agent).strip(), f"{agent} has no text")
            _demand_parsed(env, agent, rng)
        actions = legal_actions(env, rng)
        env.step(actions)
        if not env.agents:
            env.reset()
    text_env = Parallel(world, render_mode="ansi")
    text_env.reset(seed=case.seed)
    demand(isinstance(text_env.render(), str) and text_env.render().strip(), "the terminal drawing is empty")
    listed = Parallel(world, render_mode="rgb_array_list")
    listed.reset(seed=case.seed)
    demand(len(listed.render()) == 1 and listed.render() == [], "rgb_array_list does not collect one picture a state")
    demand(pygame.display.get_init() == opened, "drawing started a display")


def _demand_names(world: World) -> None:
    """Written answers tell all names apart, legal or not: no two differ only in marks that these drop."""
    for names in set(world.action_names) if not world.control_spaces else ():
        known = Names(names, world.synonyms)
        for k, name in enumerate(names):
            meant = known.meanings.get(" ".join(known.words(name)), set())
            demand(meant, f"the action name {name!r} has no words")
            others = ", ".join(repr(names[other]) for other in meant - {k})
            demand(not others, f"the action name {name!r} has the same words as {others}")


def _demand_parsed(env: Parallel, agent: str, rng: np.random.Generator) -> None:
    names = env.action_names(agent)
    if env.world.control_spaces:
        row = legal_actions(env, rng)[agent]
        pairs = ", ".join(f"{name}={value:.9g}" for name, value in zip(names, row))
        for words in (pairs, " ".join(f"{value:.9g}" for value in row)):
            demand(same(env.parse_action(agent, words), row), f"the controls {words!r} do not parse to themselves")
        return
    for k in np.flatnonzero(env.action_mask(agent))[:20]:
        demand(env.parse_action(agent, names[k]) == k, f"the action name {names[k]!r} does not parse to itself")


def check_flattening(case: Case) -> None:
    """Observations as vectors are in their space, keep whole numbers apart, and are the same in all interfaces."""
    world = case.world
    for flat in ("scaled", "one-hot"):
        if Flattening(world, flat == "one-hot").space.shape[0] > MOST_FLAT:
            continue
        vector, rng = Vector(world, 2, flat=flat), np.random.default_rng(case.seed)
        space = vector.single_observation_spaces[0]
        seen, _ = vector.reset(case.seed)
        if flat == "scaled":
            _check_flat_forms(case, seen)
        for _ in range(3):
            raw = _whole(vector.batch.observations)
            for a, agent in enumerate(world.agents):
                for row in seen[:, a]:
                    demand(space.contains(row), f"flat={flat!r}: {agent}'s vector: {outside(space, row)}")
            later = vector.step(vector_moves(vector, rng))[0]
            differ = (_whole(vector.batch.observations) != raw).any(axis=2)
            lost = differ & (later == seen).all(axis=2)
            demand(not lost.any(), f"flat={flat!r}: different observations become equal vectors; are bounds too wide?")
            seen = later


def _check_flat_forms(case: Case, seen: np.ndarray) -> None:
    """Other interfaces show the vectors (N, A, D) that a vector shows after its reset."""
    world = case.world
    aec, seats = AEC(world, flat="scaled"), SeatVector(world, 2, flat="scaled")
    aec.reset(seed=case.seed)
    for a, agent in enumerate(world.agents):
        one = aec.observe(agent)
        one = one["observation"] if world.masked else one
        demand(same(one, seen[0, a]), f"flat='scaled': {agent} sees other numbers in AEC than in a vector")
    found, _ = seats.reset(seed=case.seed)
    demand(seats.observation_space.contains(found), "flat='scaled': what a seat sees is outside its space")


def _whole(observations: np.ndarray) -> np.ndarray:
    """The whole numbers of observations (N, A, ...), as (N, A, D)."""
    names = observations.dtype.names
    parts = [observations] if names is None else [observations[name] for name in names]
    parts = [part.reshape(*observations.shape[:2], -1) for part in parts if part.dtype.kind in "iub"]
    return np.concatenate([np.zeros((*observations.shape[:2], 0), np.int64), *parts], axis=2)


def check_ecosystem(case: Case) -> None:
    """PettingZoo's api, seed and parallel tests and Gymnasium's environment checker pass."""
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            api_test(AEC(case.world), num_cycles=100)
            seed_test(lambda: AEC(case.world), num_cycles=50)
            effect = "clip" if case.world.control_spaces else "noop"
            parallel_seed_test(lambda: Parallel(case.world, on_illegal=effect))
            parallel_api_test(Parallel(case.world, on_illegal=effect), num_cycles=50)
            check_env(Seat(case.world, on_illegal=effect, render_mode="rgb_array"), skip_render_check=True)
        except AssertionError as failure:
            raise ConformanceError(f"a checker of PettingZoo or Gymnasium fails: {failure}") from failure
