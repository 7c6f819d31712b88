"""Thousands of copies of a world at once: `Vector` for all agents, and two Gymnasium vector forms made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from envsuite.compile import tiers
from envsuite.core import snapshot
from envsuite.core.batch import Batch, checked_buffer
from envsuite.core.cast import Cast
from envsuite.core.errors import ActionError, LevelError, NotReadyError, ParameterError, suggest
from envsuite.core.parameters import is_integer
from envsuite.core.policy import CompiledPolicy
from envsuite.core.rollout import Sums, Totals, rollout, summarize
from envsuite.core.world import World
from envsuite.generators.curriculum import ByEpisode
from envsuite.interfaces import single
from envsuite.interfaces.gym import other_seats, seat_number
from envsuite.interfaces.views import Views

#: The results of a step of a `Vector` that it can write into arrays of the caller.
OUT = ("observations", "action_mask", "rewards", "terminations", "truncations")


def _autoreset(mode: str | AutoresetMode) -> AutoresetMode:
    names = {
        "next_step": AutoresetMode.NEXT_STEP,
        "same_step": AutoresetMode.SAME_STEP,
        "disabled": AutoresetMode.DISABLED,
    }
    if isinstance(mode, AutoresetMode):
        return mode
    if mode not in names:
        raise ParameterError(f"autoreset={mode!r} must be one of {', '.join(names)}")
    return names[mode]


def _seeds(seed: Any, num: int) -> list[int]:
    several = seed.ndim > 0 if isinstance(seed, np.ndarray) else isinstance(seed, Sequence)
    if not several or isinstance(seed, (bytes, bytearray, memoryview)):
        first = single.check_seed(seed)
        return [(first + k) % 2**64 for k in range(num)]
    if len(seed) != num:
        raise ParameterError(f"{len(seed)} seeds were given for {num} worlds")
    return [single.check_seed(one) for one in seed]


def _array(value: Any) -> tuple[np.ndarray, str]:
    """The array that was given, and its description for messages; a ragged list has no array."""
    try:
        array = np.asarray(value)
    except ValueError:
        return np.array(None), "a ragged list"
    return array, f"{array.dtype} of shape {array.shape}"


def _actions(world: World, actions: Any, shape: tuple[int, ...], width: int = 0) -> np.ndarray:
    """Actions as an array of integers of this shape, or of controls (*shape, width); or `ActionError`."""
    if world.control_spaces:
        return single.as_controls(world, actions, (*shape, width or world.num_actions))
    given, called = _array(actions)
    if given.shape != shape or given.dtype.kind not in "iu":
        raise ActionError(f"{world.id}: actions must be integers of shape {shape}, not {called}")
    return given


def _reset_options(world: World, options: Any, num: int, ready: bool) -> tuple[Mapping[str, Any], np.ndarray]:
    """The options of a reset, and which of the worlds it resets: all of them the first time."""
    options = single.checked_options(world, options, ("level", "params", "reset_mask"))
    where = np.ones(num, np.bool_)
    if options.get("reset_mask") is not None:
        mask, called = _array(options["reset_mask"])
        if mask.shape != (num,) or mask.dtype != np.bool_:
            raise ParameterError(f"{world.id}: reset_mask must be a bool array of shape ({num},), not {called}")
        where = mask if ready else where
    return options, where


def _check_steps(world: World, steps: Any) -> None:
    if not is_integer(steps) or steps < 1:
        raise ParameterError(f"{world.id}: steps={steps!r:.60} must be a positive integer")


def _check_sums(world: World, found: Any, num: int) -> None:
    """Raise `ParameterError` unless these are the `Sums` of `num` worlds."""
    if not isinstance(found, Sums):
        raise ParameterError(f"{world.id}: found={found!r:.60} must be the Sums of an earlier call, or None")
    for name, part, like in zip(Sums._fields, found, Sums.zeros(num, len(world.agents))):
        checked_buffer(f"{world.id}: found.{name}", part, (like.dtype,), like.shape)


def _take_curriculum(batch: Batch, given: Any) -> None:
    """Give a batch the levels of a curriculum; `LevelError` names one of a list that the world cannot start from."""
    if given is None:
        return
    batch.curriculum = ByEpisode(given, batch.num)
    scratch = Batch(batch.world, 1, compiled=False)
    for k, level in enumerate(() if callable(given) else given):
        try:
            if level is not None:
                scratch.set_level(0, level)
        except LevelError as problem:
            raise LevelError(f"{batch.world.id}: level {k} of curriculum: {problem}") from None


def _curriculum_seeds(batch: Batch) -> list[np.ndarray]:
    """The state of a batch's curriculum, if it has one: an array of the seeds of its episodes."""
    return [] if batch.curriculum is None else [batch.curriculum.seeds]


def _stack(space: spaces.Space, shape: tuple[int, ...]) -> spaces.Space:
    """The space of an array (*shape, ...) of elements of a space."""
    if isinstance(space, spaces.Dict):
        return spaces.Dict({name: _stack(part, shape) for name, part in space.items()})
    if isinstance(space, spaces.Discrete):
        return spaces.MultiDiscrete(np.full(shape, space.n))
    assert isinstance(space, spaces.Box)
    low, high = np.broadcast_to(space.low, shape + space.shape), np.broadcast_to(space.high, shape + space.shape)
    return spaces.Box(low, high, dtype=space.dtype.type)


def _final(over: np.ndarray, observations: Any, info: dict[str, Any]) -> dict[str, Any]:
    """The entries of infos for worlds that ended within a step and were reset at once, under Gymnasium's keys."""
    info = {name: over.copy() if name.startswith("_") else value for name, value in info.items()}
    return {"final_obs": observations, "_final_obs": over, "final_info": info, "_final_info": over.copy()}


def _named_arrays(world: World, out: Any) -> dict[str, Any]:
    """The caller's arrays by name, or `ParameterError` for another name."""
    if not isinstance(out, Mapping | None):
        raise ParameterError(f"{world.id}: out={out!r:.60} must be a mapping with {', '.join(OUT)}, or None")
    given = dict(out or {})
    for name, array in given.items():
        if name not in OUT:
            raise ParameterError(f"{world.id}: out has no array {name!r}{suggest(str(name), OUT)}")
        if array is None:
            raise ParameterError(f"{world.id}: out[{name!r}] is None: leave out what you have no array for")
    return given


def shown_masks(batch: Batch, views: Views) -> np.ndarray:
    """The masks (N, A, K) as agents see them: the batch's own where those of agents that do not act are all zero."""
    return batch.masks if views.idle is None else np.where(batch.acting[..., None] != 0, batch.masks, views.idle)


class Vector(snapshot.Copies):
    """N copies of a world, all agents of each: arrays (N, A, ...) in and out.

    World k of a reset with `seed` is the single world reset with ``seed + k``, bit for bit, for any N and any number of
    threads. Observations are one array (N, A, ...), or a dict of arrays for worlds with named parts; in ``infos``:

    - "action_mask" (N, A, K) int8, 1 where an action is legal; all zero for an agent that does not act, whose entry
      in `actions` is ignored; not in a world with controls,
    - in a world with objectives, "vector_reward" (N, A, M) float64, the part of each objective in the rewards,
    - in a world with a hidden performance, "performance" (N, A) float64, that of the episodes so far,
    - with "same_step", for worlds that ended: "final_obs" (N, A, ...) and "final_info", valid where "_final_obs" (N,).

    Args:
        world: an id, a `World` class, or a `World`.
        num_envs: N.
        threads: how many threads share a step; the results do not depend on it.
        autoreset: "next_step" (a world that is over is reset by the next step, whose actions for it are ignored),
            "same_step" (reset within the step that ends it), or "disabled" (reset by the caller with
            ``reset(options={"reset_mask": mask})``; stepping a world that is over is an error).
        copy: whether returned arrays belong to the caller. If not, they are the buffers that the next step overwrites,
            and masks are read-only, since actions are checked against them.
        on_illegal: see `envsuite.interfaces.parallel.Parallel`.
        compiled: whether the rules run as machine code, compiled before the first reset (True), as Python (False), or
            as Python until that has taken one second (None).
        pixels, flat, idle: what agents see; see `envsuite.interfaces.views.Views`. With `idle` other than "zeros",
            the masks no longer show which agents act.
        curriculum: a list of levels, or a function of an episode's seed that makes one: every episode starts from such
            a level, after an autoreset too. The first episode of a world has the seed that the world was reset with,
            and every later one has a seed of its own that follows from it; from a list they take level ``seed % len``.
            A level in the options of a reset goes first, for one episode.
        out: arrays of the caller, into which resets and steps write and which they return: any of "observations",
            "action_mask", "rewards", "terminations" and "truncations", of the shape and dtype that is otherwise
            returned ("rewards" also float32), contiguous and writable. Views of shared memory or of a tensor will do.
        params: the world's parameters.
    """

    kind = "vector"

    def __init__(
        self,
        world: Any,
        num_envs: int,
        *,
        threads: int = 1,
        autoreset: str | AutoresetMode = "next_step",
        copy: bool = True,
        on_illegal: str = "error",
        compiled: bool | None = tiers.VECTORS,
        pixels: tuple[int, int] | None = None,
        flat: str | None = None,
        idle: str = "zeros",
        curriculum: Any = None,
        out: Mapping[str, np.ndarray] | None = None,
        **params: Any,
    ):
        self.world: World = single.as_world(world, params)
        self.views = Views(self.world, pixels=pixels, flat=flat, idle=idle)
        self.autoreset = _autoreset(autoreset)
        self._out = _named_arrays(self.world, out)
        buffer = self._out.get("observations") if self.views.own else None
        self.batch = Batch(self.world, num_envs, threads, on_illegal, compiled=compiled, observations=buffer)
        self.curriculum = curriculum
        _take_curriculum(self.batch, curriculum)
        self.num_envs, self.num_agents = self.batch.num, len(self.world.agents)
        self.agents = list(self.world.agents)
        self.copy = copy
        self.metadata = {"name": self.world.id, "autoreset_mode": self.autoreset}
        self.single_observation_spaces = self.views.spaces
        self.single_action_spaces = single.action_spaces(self.world)
        shape = (self.num_envs, self.num_agents)
        first = self.single_observation_spaces[0]
        if isinstance(first, spaces.Dict):
            parts: dict[str, spaces.Space] = {}
            for space in self.single_observation_spaces:
                parts |= dict(space.items())  # type: ignore[attr-defined]
            first = spaces.Dict(parts)
        self.observation_space = _stack(first, shape)
        self.action_space: spaces.Space
        if self.world.control_spaces:
            low, high = (np.broadcast_to(end, (self.num_envs, *end.shape)) for end in self.world.bounds)
            self.action_space = spaces.Box(low, high, dtype=np.float32)
        else:
            sizes = [len(names) for names in self.world.action_names]
            self.action_space = spaces.MultiDiscrete(np.broadcast_to(sizes, shape).copy())
        self._identity = snapshot.identity(self.world, self.kind)
        self._everywhere = np.ones(self.num_envs, np.bool_)
        self._everywhere.flags.writeable = False
        self._returns = np.zeros(shape)
        self._ready = self._busy = False
        self._shape: tuple[int, ...] | None = None  # of frames
        self._check_out()
        self._given_away = False  # whether the caller owns the buffer of observations
        self._masks = self.batch.masks.view()
        self._masks.flags.writeable = False

    def _check_out(self) -> None:
        """Raise `ParameterError` unless results fit into the arrays of the caller; the batch has checked its own."""
        shape, like = self.batch.rewards.shape, self.views.spaces[0]
        known: dict[str, tuple[tuple[Any, ...], tuple[int, ...]]] = {
            "action_mask": ((np.int8,), self.batch.masks.shape),
            "rewards": ((np.float64, np.float32), shape),
            "terminations": ((np.bool_,), shape),
            "truncations": ((np.bool_,), shape),
        }
        if self.world.control_spaces and "action_mask" in self._out:
            raise ParameterError(f"{self.world.id}: out has no array 'action_mask': with controls there are no masks")
        if not self.views.own:
            known["observations"] = (like.dtype,), (*shape, *(like.shape or ()))
        for name in self._out.keys() & known.keys():
            checked_buffer(f"{self.world.id}: out[{name!r}]", self._out[name], *known[name])
        for one, other in combinations(self._out, 2):
            if np.may_share_memory(self._out[one], self._out[other]):
                raise ParameterError(f"{self.world.id}: out[{one!r}] and out[{other!r}] share memory")

    @single.alone
    def reset(self, seed: Any = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start episodes; observations and infos.

        Args:
            seed: an int, for seeds ``seed + k``, or N of them; without it the worlds' streams continue.
            options: "reset_mask" (N,) bool resets only these worlds; "level" is a level, or a list of N (None for a
                generated one), for one episode; "params" is a mapping of tunable parameters, or a list of N.
        """
        options, where = _reset_options(self.world, options, self.num_envs, self._ready)
        if seed is None and not self._ready:
            seed = single.fresh_seed()
        seeds = _seeds(seed, self.num_envs) if seed is not None else None
        self._take_back()
        self.batch.start(seeds, options.get("level"), options.get("params"), where)
        self._returns[where] = 0.0
        self._ready = True
        return self._observations(), self._infos()

    @single.alone
    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One transition of every world.

        Args:
            actions: (N, A) integers; entries of agents that do not act are ignored. In a world with controls, numbers
                (N, A, D), where those that an agent does not have are 0.

        Returns:
            Observations (N, A, ...), rewards (N, A) float64, terminations and truncations (N, A) bool, infos.
        """
        batch = self.batch
        single.require_ready(self)
        given = _actions(self.world, actions, batch.rewards.shape)
        if self.autoreset == AutoresetMode.DISABLED and batch.finished.any():
            first = int(np.flatnonzero(batch.finished)[0])
            raise NotReadyError(f"{self.world.id}: world {first} is over: call reset(options={{'reset_mask': ...}})")
        if self._given_away:
            batch.renew()
        batch.step(given)
        if self.autoreset == AutoresetMode.SAME_STEP and batch.finished.any():
            return self._reset_same_step()
        if self.copy:
            return self._results(batch.rewards.copy(), batch.ends.copy())
        return self._results(batch.rewards, batch.ends)

    def _results(self, rewards: np.ndarray, ends: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict]:
        """What a step returns, in the caller's arrays where there are such."""
        ended, cut = self._put("terminations", ends[0]), self._put("truncations", ends[1])
        return self._observations(), self._put("rewards", rewards), ended, cut, self._infos()

    def _put(self, name: str, values: np.ndarray) -> np.ndarray:
        if name not in self._out:
            return values
        self._out[name][...] = values
        return self._out[name]

    def _reset_same_step(self) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        batch, over = self.batch, self.batch.over()
        self._changed = True
        final, info = self._observations(own=True), self._infos(own=True)
        rewards, ends = batch.rewards.copy(), batch.ends.copy()
        batch.restart(over)
        *results, infos = self._results(rewards, ends)
        return *results, {**infos, **_final(over, final, info)}

    def _observations(self, own: bool = False) -> Any:
        if not self.views.own:
            return self.views.seen(self.batch, range(self.num_agents), None if own else self._out.get("observations"))
        buffer = self.batch.observations
        self._given_away = self.copy and not own and "observations" not in self._out  # cheaper than a copy
        if buffer.dtype.names is not None:
            return {name: buffer[name].copy() if own else buffer[name] for name in buffer.dtype.names}
        return buffer.copy() if own else buffer

    def _take_back(self) -> None:
        """Allocate new buffers if the current ones were handed to the caller."""
        if self._given_away:
            self.batch.renew()
            if self._ready:
                self.batch.observe()
            self._given_away = False

    def _infos(self, own: bool = False) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        if not self.world.control_spaces:
            masks = shown_masks(self.batch, self.views)
            if masks is self.batch.masks:
                masks = masks.copy() if self.copy or own else self._masks
            if not own:
                masks = self._put("action_mask", masks)
            infos = {"action_mask": masks, "_action_mask": self._everywhere}
        if self.world.objectives:
            infos |= {"vector_reward": self.batch.vector_rewards.copy(), "_vector_reward": self._everywhere}
        if self.world.performance:
            infos |= {"performance": self.batch.records["performance"].copy(), "_performance": self._everywhere}
        for reporter in self.batch.reporters:
            for name, part in reporter.infos().items():
                infos |= {name: part, f"_{name}": self._everywhere}
        return infos

    # The same as Gymnasium sees it, and whole rollouts.

    def flatten(self) -> Flat:
        """This vector as a Gymnasium `VectorEnv` of N * A single agents, for parameter sharing."""
        return Flat(self)

    def rollout(self, policy: Any, steps: int, seed: int | None = None) -> Totals:
        """Play `steps` transitions of every world by policies and add up the results; ended worlds are reset at once.

        Args:
            policy: a policy or its name for all seats, or one for each; see `Cast`. One compiled policy in all
                seats is the fastest.
            steps: transitions per world.
            seed: starts the policies' own streams; without it they continue.
        """
        _check_steps(self.world, steps)
        if not self._ready:
            self.reset(seed)
        return summarize(*self.sums(policy, steps, seed))

    @single.alone
    def sums(self, policy: Any, steps: int, seed: int | None = None, found: Sums | None = None) -> Sums:
        """The sums of a `rollout` for each world; arguments as there.

        With those `found` in an earlier part of it, which are added to, policies continue from their memories; those
        that have none for these worlds, and all with a seed, start from new ones.
        """
        single.require_ready(self)
        _check_steps(self.world, steps)
        seed = None if seed is None else single.check_seed(seed)
        if found is not None:
            _check_sums(self.world, found, self.num_envs)
        cast = Cast(self.world, policy)
        self._take_back()
        if self.batch.finished.any():
            over = self.batch.over()
            self.batch.restart(over)
            self._returns[over] = 0.0
        for one in cast.policies:
            known = found is not None
            if isinstance(one, CompiledPolicy):
                known = one.memories.shape == self._returns.shape
            if seed is not None or not known:
                one.reset(single.fresh_seed() if seed is None else seed, self.num_envs)
        if found is None:
            found = Sums.zeros(*self._returns.shape)
        self._changed = self.batch.curriculum is not None  # a level that it refuses ends a step in the middle
        if len(cast.policies) == 1 and isinstance(cast.policies[0], CompiledPolicy):
            rollout(self.batch, cast.policies[0], steps, self._returns, found)
        else:
            self._rollout_seats(cast, steps, found)
        return found

    def _rollout_seats(self, cast: Cast, steps: int, found: Sums) -> None:
        batch, (tally, sums, squares, totals) = self.batch, found
        for _ in range(steps):
            tally["decisions"] += (batch.acting != 0).sum(axis=1)
            cast.choose(batch)
            batch.step()
            self._returns += batch.rewards
            totals += batch.rewards
            tally["steps"] += 1
            over = batch.over()
            if over.any():
                tally["episodes"] += over
                tally["lengths"][over] += batch.records["t"][over]
                sums[over] += self._returns[over]
                squares[over] += self._returns[over] ** 2
                self._returns[over] = 0.0
                batch.restart(over)
                cast.refresh(over)

    # Views, snapshots.

    @property
    def state_space(self) -> spaces.Space:
        """The space of `state()`: (N, ...) of the world's."""
        return batch_space(self.world.state_space(), self.num_envs)

    def state(self) -> Any:
        """The full states for centralised training: an array (N, ...), or a dict of such."""
        self._take_back()
        return self.world.state(self.batch.records, self.batch.observations)

    def get_state(self) -> bytes:
        single.require_ready(self)
        parts = [self.batch.records, self._returns, *_curriculum_seeds(self.batch)]
        return snapshot.pack({**self._identity, "num_envs": self.num_envs}, [part.tobytes() for part in parts])

    @single.alone
    def set_state(self, state: bytes) -> None:
        own = [self._returns, *_curriculum_seeds(self.batch)]
        records, *parts = snapshot.unpack({**self._identity, "num_envs": self.num_envs}, state, 1 + len(own))
        self._take_back()
        with self.batch.restored(records):
            found = [snapshot.numbers(parts, array) for array in own]
        for array, values in zip(own, found):
            array[:] = values
        self._ready = True

    def _given(self) -> tuple[Any, ...]:
        return self.world, self.num_envs

    def _options(self) -> dict[str, Any]:
        return {
            "threads": self.batch.threads,
            "autoreset": self.autoreset,
            "copy": self.copy,
            "on_illegal": self.batch.on_illegal,
            "compiled": self.batch.compiled,
            "pixels": self.views.pixels,
            "flat": self.views.options["flat"],
            "idle": self.views.options["idle"],
            "curriculum": self.curriculum,
        }

    def __repr__(self) -> str:
        return f"Vector({self.world!r}, num_envs={len(self.batch.records)})"

    def _record(self, index: Any) -> Any:
        single.require_ready(self)
        if not is_integer(index) or not 0 <= index < self.num_envs:
            raise ParameterError(f"index={index!r:.60} must be an integer from 0 to {self.num_envs - 1}")
        return self.batch.record(int(index))

    def text(self, index: int, agent: str) -> str:
        """The present knowledge of an agent of world `index`, in words."""
        return self.world.text(self._record(index), single.agent_number(self.world, agent))

    def scene(self, index: int = 0, agent: str | None = None) -> Any:
        """The picture of world `index` as a `Scene`: all of it, or what one agent may see."""
        return self.world.scene(self._record(index), None if agent is None else single.agent_number(self.world, agent))

    def render(self, index: int = 0) -> np.ndarray:
        """The picture of world `index`, (H, W, 3) uint8; all have one shape, that of the first."""
        from envsuite.render.frames import framed

        frame = framed(self.scene(index), self._shape)
        self._shape = frame.shape
        return frame

    def close(self) -> None:
        """Stop the threads."""
        self.batch.close()


class Flat(snapshot.Copies, VectorEnv):
    """N * A agents as one Gymnasium `VectorEnv`: row ``i * A + a`` is agent `a` of world `i`.

    All agents share one observation and one action space (agents with fewer actions have masks). Where observations
    differ between agents, the vector must be made with `flat`. An agent that is
    out before its world is over keeps its end flags until the world is reset. ``infos["action_mask"]`` (N * A, K); rows
    whose mask is all zero do not act.
    """

    def __init__(self, vector: Vector):
        world = vector.world
        self.vector = vector
        self.num_envs = vector.num_envs * vector.num_agents
        self.metadata = {**vector.metadata, "render_modes": []}
        self.autoreset_mode = vector.autoreset
        first = vector.single_observation_spaces[0]
        if any(space != first for space in vector.single_observation_spaces):
            raise ParameterError(
                f'{world.id}: agents have different observation spaces and cannot share parameters; flat="scaled" or '
                '"one-hot" makes them equal'
            )
        self.single_observation_space = first
        if any(box != world.control_spaces[0] for box in world.control_spaces):
            raise ParameterError(f"{world.id}: agents have different controls and cannot share parameters")
        self.single_action_space: spaces.Space = spaces.Discrete(world.num_actions)
        if world.control_spaces:
            self.single_action_space = vector.single_action_spaces[0]
        self.observation_space = batch_space(first, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _rows(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._rows(part) for name, part in value.items()}
        return value.reshape(self.num_envs, *value.shape[2:])

    def _flat_infos(self, infos: dict[str, Any]) -> dict[str, Any]:
        flat: dict[str, Any] = {}
        repeat = self.vector.num_agents
        for name, value in infos.items():
            if name == "final_info":
                flat[name] = self._flat_infos(value)
            else:
                flat[name] = np.repeat(value, repeat) if name.startswith("_") else self._rows(value)
        return flat

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start episodes; see `Vector.reset`. "reset_mask" is (N * A,), or (N,), by world."""
        if isinstance(options, Mapping):
            mask, _ = _array(options.get("reset_mask"))
            if mask.shape == (self.num_envs,):
                options = dict(options, reset_mask=mask.reshape(-1, self.vector.num_agents).any(axis=1))
        observations, infos = self.vector.reset(seed, options)
        return self._rows(observations), self._flat_infos(infos)

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One transition of every world; `actions` (N * A,), or controls (N * A, D)."""
        given = _actions(self.vector.world, actions, (self.num_envs,))
        observations, rewards, ended, cut, infos = self.vector.step(given.reshape(self.vector.batch.actions.shape))
        flat = self._rows
        return flat(observations), flat(rewards), flat(ended), flat(cut), self._flat_infos(infos)

    def get_state(self) -> bytes:
        """The state of the vector."""
        return self.vector.get_state()

    def set_state(self, state: bytes) -> None:
        self.vector.set_state(state)

    def _state(self) -> None:
        return None  # the copied vector has its own

    def _given(self) -> tuple[Any, ...]:
        return ()

    def _options(self) -> dict[str, Any]:
        return {"vector": self.vector}

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self.vector.close()


class SeatVector(snapshot.Copies, VectorEnv):
    """N copies of one seat as a Gymnasium `VectorEnv`; policies play the other seats. `gymnasium.make_vec` makes it.

    A step is the agent's move and all moves of the others up to its next one, as in `envsuite.interfaces.gym.Seat`.
    ``infos["action_mask"]`` is (N, K).

    Args:
        world: an id, a `World` class, or a `World`.
        num_envs: N.
        agent: the seat; the first agent by default.
        opponents: as in `Seat`.
        threads, autoreset, on_illegal, compiled, pixels, flat, idle, curriculum, params: as in `Vector`.
        masks: as in `envsuite.interfaces.parallel.Parallel`.
    """

    kind = "seatvector"

    def __init__(
        self,
        world: Any,
        num_envs: int = 1,
        *,
        agent: str | None = None,
        opponents: Any = "random",
        threads: int = 1,
        autoreset: str | AutoresetMode = "next_step",
        on_illegal: str = "error",
        compiled: bool | None = tiers.VECTORS,
        render_mode: str | None = None,
        pixels: tuple[int, int] | None = None,
        flat: str | None = None,
        idle: str = "zeros",
        masks: str = "observations",
        curriculum: Any = None,
        **params: Any,
    ):
        self.world = single.as_world(world, params)
        self.views = Views(self.world, pixels=pixels, flat=flat, idle=idle, masks=masks)
        self.autoreset = self.autoreset_mode = _autoreset(autoreset)
        self.batch = Batch(self.world, num_envs, threads, on_illegal, compiled=compiled)
        self.curriculum = curriculum
        _take_curriculum(self.batch, curriculum)
        self.num_envs = self.batch.num
        if render_mode not in (None, "rgb_array"):
            raise ParameterError(f"render_mode={render_mode!r} must be None or 'rgb_array' for a vector")
        self.render_mode = render_mode
        self.metadata = {
            "name": self.world.id,
            "autoreset_mode": self.autoreset,
            "render_modes": ["rgb_array"],
            "render_fps": 8,
        }
        self._seat = seat_number(self.world, agent)
        self.agent = self.world.agents[self._seat]
        self._opponents = opponents
        self._others = Cast(self.world, opponents, seats=other_seats(self.world, self._seat), default="random")
        self._identity = {
            **snapshot.identity(self.world, self.kind),
            "num_envs": self.num_envs,
            "agent": self.agent,
            "autoreset": self.autoreset.value,
        }
        actions = single.action_spaces(self.world)
        self.single_observation_space = self.views.with_masks(actions)[self._seat]
        self.single_action_space = actions[self._seat]
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._over = np.zeros(self.num_envs, np.bool_)
        self._rewards = np.zeros(self.num_envs)
        #: (N, M) the vector rewards that belong to `_rewards`; M is 0 in a world without objectives.
        self._vectors = np.zeros((self.num_envs, len(self.world.objectives)))
        self._ready = self._busy = False
        self._shape: tuple[int, ...] | None = None  # of frames

    @single.alone
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start episodes; see `Vector.reset`."""
        given, where = _reset_options(self.world, options, self.num_envs, self._ready)
        if seed is None and not self._ready:
            seed = single.fresh_seed()
        seeds = _seeds(seed, self.num_envs) if seed is not None else None
        self.batch.start(seeds, given.get("level"), given.get("params"), where)
        if seeds is not None and where.all():
            self._others.reset(seeds[0], self.num_envs)
        self._ready = self._changed = True
        self._begin(where)
        return self._view(), self._infos(np.zeros_like(self._vectors))

    def _begin(self, where: np.ndarray) -> None:
        """Play these worlds, which have been started, up to the seat's first move."""
        self._others.refresh(where)
        self._over[where] = False
        self._rewards[where] = 0.0
        self._vectors[where] = 0.0
        self._play_others(where)

    @single.alone
    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The seat's move in every world, and the others' up to its next one; `actions` (N,), or controls (N, D)."""
        single.require_ready(self)
        batch, seat = self.batch, self._seat
        given = _actions(self.world, actions, (self.num_envs,), len(self.world.action_names[seat]))
        resetting, moving = self._over.copy(), batch.acting[:, seat] != 0
        if resetting.any() and self.autoreset == AutoresetMode.DISABLED:
            raise NotReadyError(f"{self.world.id}: world {int(np.flatnonzero(resetting)[0])} is over: reset it")
        batch.refuse(given, seat, moving)  # before the others choose, since choosing may change their memories
        batch.actions[:, seat] = given
        self._others.choose(batch, moving)
        self._transition(moving)
        self._play_others(moving)
        if resetting.any():
            batch.restart(resetting)
            self._begin(resetting)
        # A world that was just reset reports no end yet, even if its episode is over before the seat's first move.
        rewards, vectors = np.where(resetting, 0.0, self._rewards), np.where(resetting[:, None], 0.0, self._vectors)
        self._rewards *= resetting
        self._vectors *= resetting[:, None]
        ended, cut = batch.terminations[:, seat] & ~resetting, batch.truncations[:, seat] & ~resetting
        self._over[:] = ended | cut
        if self.autoreset == AutoresetMode.SAME_STEP and self._over.any():
            over, final, info = self._over.copy(), self._view(), self._infos(vectors)
            batch.restart(over)
            self._begin(over)
            infos = {**self._infos(np.where(over[:, None], 0.0, vectors)), **_final(over, final, info)}
            return self._view(), rewards, ended, cut, infos
        return self._view(), rewards, ended, cut, self._infos(vectors)

    def _transition(self, where: np.ndarray) -> None:
        """One transition of these worlds with the actions chosen; the seat's rewards are added up."""
        batch, seat = self.batch, self._seat
        batch.step(where=where)
        self._changed = True
        self._rewards[where] += batch.rewards[where, seat]
        if self.world.objectives:
            self._vectors[where] += batch.vector_rewards[where, seat]

    def _play_others(self, where: np.ndarray) -> None:
        """In these worlds, transitions until the seat acts or its episode is over; its rewards are added up."""
        batch, seat = self.batch, self._seat
        while True:
            over = batch.terminations[:, seat] | batch.truncations[:, seat]
            waiting = where & (batch.acting[:, seat] == 0) & ~over
            if not waiting.any():
                return
            self._others.choose(batch, waiting)
            self._transition(waiting)

    def _view(self) -> Any:
        space = self.world.observation_spaces[self._seat]
        slots = self.batch.observations[:, self._seat]
        if not self.views.own:
            seen: Any = self.views.seen(self.batch, [self._seat])[:, 0]
        else:
            seen = {name: slots[name].copy() for name in space} if isinstance(space, spaces.Dict) else slots.copy()
        return {"observation": seen, "action_mask": self._mask()} if self.views.masked else seen

    def _mask(self) -> np.ndarray:
        masks = shown_masks(self.batch, self.views)[:, self._seat, : len(self.world.action_names[self._seat])]
        return masks.copy()

    def _infos(self, vectors: np.ndarray) -> dict[str, Any]:
        infos = {} if self.world.control_spaces else {"action_mask": self._mask()}
        if self.world.objectives:
            infos["vector_reward"] = vectors
        if self.world.performance:
            infos["performance"] = self.batch.records["performance"][:, self._seat].copy()
        for reporter in self.batch.reporters:
            infos |= {name: part[:, self._seat].copy() for name, part in reporter.infos().items()}
        everywhere = {f"_{name}": np.ones(self.num_envs, np.bool_) for name in infos}
        return {**infos, **everywhere}

    def get_state(self) -> bytes:
        """The exact state of all worlds and of the other agents' policies as bytes."""
        single.require_ready(self)
        parts = (self.batch.records, *self._own())
        return snapshot.pack(self._identity, [*(part.tobytes() for part in parts), self._others.get_state()])

    def _own(self) -> tuple[np.ndarray, ...]:
        """The arrays of the state besides the records."""
        return self._over, self._rewards, self._vectors, *_curriculum_seeds(self.batch)

    @single.alone
    def set_state(self, state: bytes) -> None:
        own = self._own()
        records, *parts = snapshot.unpack(self._identity, state, 2 + len(own))
        with self.batch.restored(records):
            found = [snapshot.numbers(parts, array) for array in own]
            self._others.set_state(parts[0])
        for array, values in zip(own, found):
            array[:] = values
        self._ready = True

    def _given(self) -> tuple[Any, ...]:
        return self.world, self.num_envs

    def _options(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "opponents": self._opponents,
            "threads": self.batch.threads,
            "autoreset": self.autoreset,
            "on_illegal": self.batch.on_illegal,
            "render_mode": self.render_mode,
            "curriculum": self.curriculum,
            **self.views.options,
        }

    def render(self) -> tuple[np.ndarray, ...] | None:
        """The pictures of all worlds, (H, W, 3) uint8 each, if `render_mode` is "rgb_array"."""
        if self.render_mode is None:
            return None
        from envsuite.render.frames import framed

        frames = []
        for i in range(self.num_envs):
            frames.append(framed(self.world.scene(self.batch.record(i)), self._shape))
            self._shape = frames[-1].shape
        return tuple(frames)

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self.batch.close()


def make_single_agents(world: Any, num_envs: int = 1, **options: Any) -> SeatVector:
    """The vector entry point of Gymnasium's registry; arguments as `SeatVector`'s."""
    return SeatVector(world, num_envs, **options)
