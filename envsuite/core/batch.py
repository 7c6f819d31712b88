"""`Batch`: N records of one world with their output buffers, moved by one compiled entry.

The loop over a batch is written once, below, as a plain function. Its globals `reset`, `step`, `observe` and `legal`
are re-bound to a world's kernels, and `AGENTS`, `ACTIONS` and `OBJECTIVES` to their numbers. A call holds no Python per
world and allocates nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import numpy as np

from envsuite.compile import tiers
from envsuite.compile.bound import Bound, bind
from envsuite.core.errors import ActionError, LevelError, ParameterError, SnapshotError, reading
from envsuite.core.kernel import piece
from envsuite.core.parameters import is_integer
from envsuite.core.random import mix
from envsuite.core.record import as_views
from envsuite.core.table import as_bytes
from envsuite.core.transition import clear_objectives, find_legal, transition, unbound
from envsuite.core.workers import Workers, settled
from envsuite.core.world import World

#: Commands, one per record and call.
SKIP, STEP, RESET, OBSERVE, FORFEIT = range(5)

#: Parts of a call: check the actions and carry out the commands, or one of the two.
BOTH, CHECK, ACT = range(3)

#: The effects that an illegal action can have: an action with a name, and controls.
ON_ILLEGAL = ("error", "noop", "forfeit")
OUTSIDE = ("error", "clip")

#: The value of `truncated` in a record in which no agent can move any more. Either the rules are at fault or they
#: cannot reach this state.
NO_MOVE = 2

#: The reward of an agent that forfeits; the others get nothing (as PettingZoo's TerminateIllegalWrapper).
FORFEIT_REWARD = -1.0


_ADVICE = '. info["action_mask"] marks the legal actions; on_illegal="noop" or "forfeit" accepts others too'
_CLIP = '; on_illegal="clip" moves finite numbers to the nearest bound'
_LOST = (
    "{}: an episode that started from a level of reset's options is over, and the next one starts from a level of the "
    "world's own; curriculum=... gives every episode a level"
)


reset = observe = unbound
AGENTS = ACTIONS = CONTROLS = 0
#: The bounds of the controls, see `World.bounds`.
BOUNDS: Any = None


def _run(
    records, actions, commands, observations, masks, acting, rewards, terminations, truncations, finished,
    first, last, part, on_illegal, noop,
):  # fmt: skip
    """Carry out one command per record in first .. last - 1.

    All actions are checked before anything is written. The return value is -1, or the flat index
    (record * A + agent) of the first action that is out of range or illegal; in that case nothing has changed.
    `part` is CHECK to do only the check, ACT to leave it out, or BOTH. Each command that was carried out is then
    replaced by the one that continues its record: STEP, or RESET where the episode is over.
    """
    # Unsigned indices: for signed ones every access would test whether it counts from the end.
    start, stop = np.uint64(first), np.uint64(last)
    if part != ACT:
        if CONTROLS:
            bad = _check_controls(actions, commands, acting, start, stop, on_illegal)
        else:
            bad = _check(actions, commands, masks, acting, start, stop, on_illegal, noop)
        if bad >= 0 or part == CHECK:
            return bad
    for i in range(start, stop):
        command = commands[i]
        s = records[i]
        if command == STEP:
            transition(s, actions[i], rewards[i])
        else:
            for a in range(AGENTS):
                rewards[i, a] = 0.0
            if command == SKIP:
                commands[i] = RESET if finished[i] else STEP
                continue
            if command != OBSERVE:
                clear_objectives(s)
            if command == RESET:
                s.t = 0
                for a in range(AGENTS):
                    s.terminated[a] = 0
                    s.truncated[a] = 0
                reset(s)
                s.level_given = 0
            elif command == FORFEIT:
                _forfeit(s, actions[i], acting[i], rewards[i])
        everyone = True
        somebody = False
        for a in range(AGENTS):
            acting[i, a] = find_legal(s, a, masks[i, a])
            somebody = somebody or acting[i, a] != 0
            terminated = s.terminated[a] != 0
            truncated = s.truncated[a] != 0
            terminations[i, a] = terminated
            truncations[i, a] = truncated
            everyone = everyone and (terminated or truncated)
            observe(s, a, observations[i, a])
        if command == STEP and not (everyone or somebody):  # no agent could ever end it
            everyone = True
            for a in range(AGENTS):
                s.truncated[a] = NO_MOVE
                truncations[i, a] = True
        finished[i] = everyone
        commands[i] = RESET if everyone else STEP
    return -1


@piece
def _check(actions, commands, masks, acting, start, stop, on_illegal, noop):
    """The flat index of the first illegal action, or -1; or carry on as chosen, with another action or command."""
    for i in range(start, stop):
        if commands[i] == STEP:
            for a in range(AGENTS):
                action = np.uint64(np.int64(actions[i, a]))  # a negative one becomes huge
                # Without branches: where agents take turns, the processor cannot predict which agent acts.
                inside = np.int64(action < np.uint64(ACTIONS))
                allowed = inside & np.int64(masks[i, a, np.uint64(inside) * action])
                if np.int64(acting[i, a]) > allowed:
                    if on_illegal == 0:
                        return np.int64(i) * AGENTS + a
                    if on_illegal == 2:
                        commands[i] = FORFEIT
                        actions[i, a] = -1
                    elif noop >= 0 and masks[i, a, noop] != 0:
                        actions[i, a] = noop
                    else:
                        commands[i] = SKIP
    return -1


@piece
def _forfeit(s, actions, acting, rewards):
    """End the episode of a record; agents that forfeit, whose action is -1, get their reward."""
    for a in range(AGENTS):
        if CONTROLS == 0:
            if acting[a] and actions[a] == -1:
                rewards[a] = FORFEIT_REWARD
        s.terminated[a] = 1


@piece
def _check_controls(actions, commands, acting, start, stop, clip):
    """The flat index of the first agent with a control that is not finite or, unless they are clipped, outside; or -1.

    With `clip`, after all have been found to be finite, they are moved to the nearest bound.
    """
    for i in range(start, stop):
        if commands[i] == STEP:
            for a in range(AGENTS):
                for k in range(ACTIONS):
                    value = np.float64(actions[i, a, k])
                    fits = value - value == 0.0 if clip else BOUNDS[0, a, k] <= value <= BOUNDS[1, a, k]
                    if acting[i, a] and not fits:
                        return np.int64(i) * AGENTS + a
    if clip:
        for i in range(start, stop):
            if commands[i] == STEP:
                for a in range(AGENTS):
                    for k in range(ACTIONS):
                        value = np.float64(actions[i, a, k])
                        actions[i, a, k] = min(max(value, BOUNDS[0, a, k]), BOUNDS[1, a, k])
    return -1


@piece
def _steers(s, agent, mask):
    """The mask of controls: all that this agent has."""
    for k in range(ACTIONS):
        mask[k] = BOUNDS[0, agent, k] < BOUNDS[1, agent, k]


@cache
def _bound(world_class: type[World], agents: int, actions: int, objectives: int, bounds: bytes) -> Bound:
    """See `compiled_run`; `bounds` are the bytes of those of the controls, if there are any."""
    name = f"{world_class.__module__}.{world_class.__qualname__}.{agents}.{actions}.{objectives}"
    kernels: dict[str, Any] = world_class.kernels._asdict()
    if bounds:
        name += ".controls"
        kernels |= {"step": world_class.steer, "legal": _steers, "CONTROLS": 1}
        kernels["BOUNDS"] = np.frombuffer(bounds, np.float32).reshape(2, agents, actions).astype(np.float64)
    numbers = {"AGENTS": agents, "ACTIONS": actions, "OBJECTIVES": objectives}
    title, level = f"{world_class.__name__}'s rules", world_class.optimization
    return bind(_run, name, title=title, level=level, fixed=True, **numbers, **kernels)


def compiled_run(world: World) -> Bound:
    """The compiled entry of a world; the numbers of agents, actions and objectives, and bounds, are constants.

    It is compiled, or taken from the cache, for each dtype of records and observations that it is called with.
    """
    bounds = world.bounds.tobytes() if world.control_spaces else b""
    return _bound(type(world), len(world.agents), world.num_actions, len(world.objectives), bounds)


def _compile(world: World) -> None:
    """Compile the loop over batches of this world into the cache."""
    Batch(world, 1, compiled=True).entry  # noqa: B018


def stream_starts(seeds: Sequence[int] | np.ndarray) -> np.ndarray:
    """The `rng` words, uint64, that start the streams of these seeds: SplitMix64's finaliser, so never related."""
    return mix(np.asarray(seeds, np.uint64))


def taken(actions: np.ndarray, acting: np.ndarray) -> np.ndarray:
    """The actions (A,) or controls (A, D) of the agents at `acting` (A,) bool, and 0 for the others."""
    return np.where(acting if actions.ndim == 1 else acting[:, None], actions, actions.dtype.type(0))


def checked_buffer(label: str, array: Any, dtypes: Sequence[Any], shape: tuple[int, ...]) -> None:
    """Raise `ParameterError` unless this is an array of one of these dtypes and this shape that code can write to."""
    problem = ""
    if not isinstance(array, np.ndarray):
        problem = f"{type(array).__name__}"
    elif array.dtype not in dtypes or array.shape != shape:
        problem = f"{array.dtype} of shape {array.shape}"
    elif not array.flags.carray:
        faults = {
            "contiguous": array.flags.c_contiguous,
            "aligned": array.flags.aligned,
            "writable": array.flags.writeable,
        }
        problem = f"one that is not {' and '.join(name for name, holds in faults.items() if not holds)}"
    if problem:
        kinds = " or ".join(str(np.dtype(dtype)) for dtype in dtypes)
        raise ParameterError(
            f"{label} must be a contiguous writable NumPy array of {kinds} of shape {shape}, not {problem}"
        )


class Batch:
    """N running copies of one world.

    Args:
        world: the world.
        num: N.
        threads: the number of threads that share a call.
        on_illegal: the effect of an illegal action, one of `ON_ILLEGAL`.
        exact: whether records have a tape (see `envsuite.core.random`).
        compiled: whether the rules run as machine code (True), as Python (False), or as Python first (None), see
            `envsuite.compile.tiers`.
        background: with ``compiled=None``, whether another process compiles the rules.
        observations: an array of the caller to use for observations, such as a view of shared memory.

    Attributes:
        records: (N,) the states, structured.
        observations: (N, A, ...), in the dtype and shape of the world's observation.
        masks: (N, A, K) int8, 1 where an action is legal; all zero for an agent that does not act.
        acting: (N, A) int8, 1 where an agent has a legal action.
        actions: (N, A) int64, the actions of the last step; the caller may write those of the next step here. In a
            world with controls (N, A, D) float32.
        rewards: (N, A) float64, of the last call.
        terminations, truncations: (N, A) bool; `ends` (2, N, A) is both.
        finished: (N,) bool, where the episode is over for all agents.
        flags: (3, N, A) int8, one buffer behind `acting`, `terminations` and `truncations`.
        oversight: the overseers that may replace actions, see `envsuite.episodes.oversight`, or None.
        curriculum: chooses the levels of episodes, see `envsuite.generators.curriculum.ByEpisode`, or None.
        lent: (N,) bool, where a level was given to the last `start`, until a warning says that it is lost; or None.
        reporters: objects whose ``infos()``, a mapping from names to arrays (N, A), interfaces add to infos.
        commands: (N,) int8, the command that the next call carries out on each record. A call leaves RESET where the
            episode is over, and STEP elsewhere. Only the methods here write it.
    """

    def __repr__(self) -> str:
        return f"Batch({self.world!r}, {len(self.records)})"

    def __init__(
        self,
        world: World,
        num: int,
        threads: int = 1,
        on_illegal: str = "error",
        exact: bool = False,
        compiled: bool | None = None,
        background: bool = False,
        observations: np.ndarray | None = None,
    ):
        for name, value in (("num_envs", num), ("threads", threads)):
            if not is_integer(value) or value < 1:
                raise ParameterError(f"{name}={value!r:.60} must be a positive integer")
        effects = OUTSIDE if world.control_spaces else ON_ILLEGAL
        if on_illegal not in effects:
            raise ParameterError(f"{world.id}: on_illegal={on_illegal!r} must be one of {', '.join(effects)}")
        self.world = world
        self.num = int(num)
        self.on_illegal = on_illegal
        agents, size = len(world.agents), world.num_actions
        try:
            self.records = np.zeros(num, world.exact_record if exact else world.record)
            shape = (num, agents, *world.slot_shape)
            self.observations = np.zeros(shape, world.slot) if observations is None else observations
            self.masks = np.zeros((num, agents, size), np.int8)
        except (MemoryError, OverflowError, ValueError):
            raise ParameterError(f"num_envs={num!r:.60} worlds of {world.id} do not fit into the memory") from None
        checked_buffer(f"{world.id}: observations", self.observations, (world.slot,), shape)
        world.fill(self.records)
        self.flags = np.zeros((3, num, agents), np.int8)
        self.acting = self.flags[0]
        self.actions = (
            np.zeros((num, agents, size), np.float32) if world.control_spaces else np.zeros((num, agents), np.int64)
        )
        self.rewards = np.zeros((num, agents), np.float64)
        self.ends = self.flags[1:].view(np.bool_)
        self.terminations, self.truncations = self.ends
        self.finished = np.zeros(num, np.bool_)
        self.commands = np.zeros(num, np.int8)
        self.oversight: Any = None
        self.curriculum: Any = None
        self.lent: np.ndarray | None = None
        self.reporters: tuple[Any, ...] = ()
        self.shape = (agents, size, len(world.objectives))
        self.mode = (effects.index(on_illegal), world.noop)
        self._gather()
        self.compiled, self.background = compiled, background
        self._entry: Any = None
        self.threads = min(int(threads), self.num)
        bounds = [self.num * k // self.threads for k in range(self.threads + 1)]
        self.slices = list(zip(bounds, bounds[1:]))
        self._workers: Workers | None = None

    def _gather(self) -> None:
        """The arguments of the compiled entry: the buffers, and how to go through them."""
        self.buffers = (
            self.records, self.actions, self.commands, self.observations, self.masks, self.acting,
            self.rewards, self.terminations, self.truncations, self.finished,
        )  # fmt: skip
        self._whole = (*self.buffers, 0, self.num, BOTH, *self.mode)

    def renew(self) -> None:
        """A new array of observations for the next call, which commands all records; give away the old one."""
        seen = self.observations
        self.observations = np.empty_like(seen) if self.oversight is None else seen.copy()  # overseers look at it
        self._gather()

    @property
    def loop(self) -> tuple[Bound, tuple[Any, ...]]:
        """The loop over batches of this world, and its arguments for a call that carries out all commands."""
        return compiled_run(self.world), self._whole

    @property
    def entry(self) -> Any:
        """The function that carries out the commands on these buffers: machine code, Python, or Python first."""
        if self._entry is None:
            order = partial(_compile, self.world) if self.background else None
            self._entry = tiers.entry(*self.loop, self.compiled, order, join=max)
        return self._entry

    def run(self) -> None:
        """Carry out `commands` on all records, or raise `ActionError` with nothing changed."""
        if self.oversight is not None:
            self.oversight.oversee()
        entry = self._entry or self.entry
        tiered = isinstance(entry, tiers.Tiered)
        if tiered and entry.machine is not None:
            entry, tiered = entry.machine, False
            self._entry = entry
        if self.num == 1 or (self.threads == 1 and not tiered):
            bad = entry(*self._whole)
        else:  # parts of it run at once or one by one, so all actions are checked before anything changes
            check = entry.bound.interpreted if tiered else entry
            bad = check(*self.buffers, 0, self.num, CHECK, *self.mode)
            if bad < 0:
                self.over_slices(lambda first, last: entry(*self.buffers, first, last, ACT, *self.mode))
        if bad >= 0:
            self.commands[:] = np.where(self.finished, RESET, STEP)
            raise self.action_error(*divmod(bad, len(self.world.agents)))

    def over_slices(self, work: Any) -> list[Any]:
        """`work(first, last)` for every thread's slice of the batch, at once; the results in order."""
        if self.threads == 1:
            return [work(0, self.num)]
        self._workers = settled(self._workers) or Workers(self.threads - 1)
        return self._workers.run(work, self.slices)

    def action_error(self, i: int, a: int, advice: bool = True) -> ActionError:
        """The fault of the action of agent `a` in record `i`, the legal actions and, for programs, advice."""
        world = self.world
        where, names = f" of world {i}" if self.num > 1 else "", world.action_names[a]
        if world.control_spaces:
            return ActionError(f"{world.id}: {self._stray(i, a, where)}{_CLIP * advice}")
        action = int(self.actions[i, a])
        if not 0 <= action < len(names):
            problem = f"action {action} of {world.agents[a]}{where} is out of range 0 .. {len(names) - 1}"
        else:
            problem = f"action {action} ({names[action]!r}) of {world.agents[a]}{where} is illegal here"
        legal = [f"{k} ({names[k]!r})" for k in np.flatnonzero(self.masks[i, a])]
        shown = ", ".join(legal[:12]) + (f" and {len(legal) - 12} more" if len(legal) > 12 else "")
        return ActionError(f"{world.id}: {problem}; legal: {shown}{_ADVICE * advice}")

    def _stray(self, i: int, a: int, where: str) -> str:
        """The fault of the first control of agent `a` in record `i` that has one."""
        row, (low, high) = self.actions[i, a], self.world.bounds[:, a]
        finite = np.isfinite(row)
        k = int(np.argmin(finite if self.on_illegal == "clip" else finite & (row >= low) & (row <= high)))
        fault = f"outside {low[k]:g} .. {high[k]:g}" if finite[k] else "not a finite number"
        names = self.world.action_names[a]
        name = repr(names[k]) if k < len(names) else f"number {k}, which it does not have,"
        return f"the control {name} of {self.world.agents[a]}{where} is {row[k]:g}, {fault}"

    @property
    def vector_rewards(self) -> np.ndarray:
        """(N, A, M) float64: each agent's part for each of M objectives in the last call; a view of the records."""
        return self.records["objectives"]

    # Operations on a batch.

    def start(self, seeds: Any = None, levels: Any = None, params: Any = None, where: Any = None) -> None:
        """Start an episode in all records, or in those at `where`; on any error nothing has changed.

        Args:
            seeds: an integer, with which record k starts its stream from ``seeds + k``, or N of them; without seeds the
                streams continue. With seeds, fields of a lifetime begin at zero (see `envsuite.core.ranges.lifetime`).
            levels: a level, or a list of N, in which None leaves a record's level to be generated.
            params: a mapping of tunable parameters, or a list of N, in which None leaves a record's as they are.
            where: (N,) bool, or another index that selects records of N; the others stay as they are.
        """
        self._workers = settled(self._workers)
        where = slice(None) if where is None else where
        if is_integer(seeds):
            seeds = [(int(seeds) + k) % 2**64 for k in range(self.num)]
        elif seeds is not None and len(seeds) != self.num:
            raise ParameterError(f"{len(seeds)} seeds are given for {self.num} worlds")
        levels, params = self._listed(levels, "level"), self._listed(params, "params")
        if levels is not None or params is not None or self.curriculum is not None:
            self._prepare(levels, params, np.arange(self.num)[where], seeds)
        self._lend(levels, where)
        if seeds is not None:
            self.records["rng"][where] = stream_starts(seeds)[where]
            for name in self.world.ranges.lifetime:
                self.records[name][where] = 0
        self.commands[:] = SKIP
        self.commands[where] = RESET
        self.run()

    def restart(self, where: np.ndarray) -> None:
        """Start the next episode in the records at `where` (N,) bool, whose episodes are over."""
        self._warn_of_lost(where)
        self.start(where=where)

    def step(self, actions: Any = None, where: Any = None) -> None:
        """One transition, or `ActionError` with nothing changed.

        Args:
            actions: integers (N, A), or an array that broadcasts to them; by default those in the buffer `actions`.
                Entries of agents that do not act are ignored. In a world with controls, numbers (N, A, D).
            where: (N,) bool, or another index that selects the records of N that move; the others stay as they are.
                Without it all move, and a record whose episode is over starts the next one instead.
        """
        if actions is not None:
            self.actions[:] = actions
        if where is not None:
            self.commands[:] = SKIP
            self.commands[where] = STEP
        elif (self.curriculum is not None or self.lent is not None) and self.finished.any():
            over = np.flatnonzero(self.finished)
            with self._undone(over, ActionError):
                self.take_levels(over)
                self.run()
            return
        self.run()

    def expand(self, num: int) -> None:
        """A transition of the first `num` records with the legal actions in `actions`, which are not checked."""
        arguments = (*self.buffers, 0, num, ACT, *self.mode)
        self.loop[0].check(arguments)
        self.commands[:num] = STEP
        self.entry(*arguments)

    def forfeit(self, where: np.ndarray) -> None:
        """The agents at `where` (N, A) bool forfeit, which ends their records' episodes; the other records stay."""
        self.actions[where] = -1
        self.commands[:] = np.where(where.any(axis=1), FORFEIT, SKIP)
        self.run()

    def refuse(self, actions: Any, agent: int, where: np.ndarray | None = None) -> None:
        """Raise `ActionError` if an action of this agent is illegal and `on_illegal` is "error"; nothing changes.

        Args:
            actions: (N,) integers, or one in a batch of one; controls (N, D), or (D,) in a batch of one.
            agent: the agent's number.
            where: (N,) bool, the records that count.
        """
        if self.world.control_spaces:
            self._refuse_controls(np.asarray(actions), agent, where)
            return
        if self.on_illegal != "error":
            return
        if self.num == 1 and where is None:
            if 0 <= actions < self.shape[1] and self.masks[0, agent, actions]:
                return
            bad = 0
        else:
            inside = (actions >= 0) & (actions < self.shape[1])
            illegal = ~inside | (self.masks[np.arange(self.num), agent, np.where(inside, actions, 0)] == 0)
            found = np.flatnonzero(illegal if where is None else illegal & where)
            if not len(found):
                return
            bad = int(found[0])
        self.actions[:, agent] = actions
        raise self.action_error(bad, agent)

    def _refuse_controls(self, rows: np.ndarray, agent: int, where: np.ndarray | None) -> None:
        low, high = self.world.bounds[:, agent]
        fits = np.isfinite(rows)
        if self.on_illegal == "error":
            fits &= (rows >= low) & (rows <= high)
        bad = ~fits.reshape(self.num, -1).all(axis=1)
        found = np.flatnonzero(bad if where is None else bad & where)
        if len(found):
            self.actions[:, agent] = rows
            raise self.action_error(int(found[0]), agent)

    def observe(self, where: Any = None) -> None:
        """Fill observations, masks and ends again from the records, or those at `where`; the records do not change."""
        self.commands[:] = SKIP
        self.commands[slice(None) if where is None else where] = OBSERVE
        self.run()

    @contextmanager
    def restored(self, states: bytes) -> Iterator[None]:
        """Continue from the bytes of such records; a `SnapshotError`, here or in the body, leaves nothing changed."""
        if len(states) != self.records.nbytes:
            raise SnapshotError(f"{self.world.id}: the state has {len(states)} bytes, not {self.records.nbytes}")
        given = np.frombuffer(states, self.records.dtype)
        self.world.admit(given)
        self._workers = settled(self._workers)
        held = [buffer.copy() for buffer in self.buffers]
        try:
            self.records[:] = given
            self.observe()
            stuck = ~self.finished & ~self.acting.any(axis=1)
            if stuck.any():
                where = f" in world {stuck.argmax()}" if self.num > 1 else ""
                raise SnapshotError(f"{self.world.id}: the state cannot be{where}: it is no agent's move")
            yield
        except SnapshotError:
            for buffer, before in zip(self.buffers, held):
                buffer[:] = before
            raise

    @contextmanager
    def _undone(self, rows: np.ndarray, error: type[BaseException]) -> Iterator[None]:
        """Undo what the body does to these records, and to their seeds in the curriculum, if it raises this error."""
        arrays = [as_bytes(self.records)]
        if self.curriculum is not None:
            arrays.append(self.curriculum.seeds)
        held = [array[rows] for array in arrays]
        try:
            yield
        except error:
            for array, before in zip(arrays, held):
                array[rows] = before
            raise

    def _prepare(self, levels: Any, params: Any, rows: np.ndarray, seeds: Sequence[int] | None) -> None:
        """Take levels and parameters into the records with these numbers; on any error nothing has changed."""
        where = rows.tolist()
        with self._undone(rows, BaseException):
            if params is not None:
                worlds = {repr(changes): self.world.retuned(changes) for changes in params if changes is not None}
                for i in where:
                    if params[i] is not None:
                        worlds[repr(params[i])].fill(self.records[i : i + 1])
            if self.curriculum is not None:
                self.curriculum.advance(rows, seeds)
            for i in where:
                level = None if levels is None else levels[i]
                if level is None and self.curriculum is not None:
                    level = self.curriculum.level(i)
                if level is not None:
                    self.set_level(i, level)

    def take_levels(self, rows: np.ndarray) -> None:
        """Before these records start again by themselves: the levels of a curriculum, or a warning that others end."""
        if self.curriculum is None:
            self._warn_of_lost(rows)
        else:
            self._prepare(None, None, rows, None)

    def _lend(self, levels: Sequence[Any] | None, where: Any) -> None:
        """Note in which of the records at `where` an episode starts from a level that was given."""
        if self.curriculum is None and levels is not None:
            lent = np.zeros(self.num, np.bool_) if self.lent is None else self.lent
            lent[where] = np.array([level is not None for level in levels])[where]
            self.lent = lent
        elif self.lent is not None:
            self.lent[where] = False

    def _warn_of_lost(self, where: np.ndarray) -> None:
        """Warn, once, that episodes of these records do not start from levels that were given."""
        if self.lent is not None and self.lent[where].any():
            warnings.warn(_LOST.format(self.world.id), stacklevel=4)
            self.lent = None

    def _listed(self, given: Any, name: str) -> Sequence[Any] | None:
        """A level or parameters for each of the N records; a single mapping counts for all."""
        if isinstance(given, (list, tuple)) and (self.num > 1 or len(given) == 1):
            if len(given) != self.num:
                raise ParameterError(f"options[{name!r}] has {len(given)} entries for {self.num} worlds")
            return given
        return None if given is None else [given] * self.num

    def set_level(self, i: int, level: Any) -> None:
        """Make record `i` start its next episode from this level, or raise `LevelError` with nothing changed."""
        if not isinstance(level, Mapping):
            raise LevelError(f"{self.world.id}: a level is a mapping from names to plain data, not {level!r:.80}")
        own = as_bytes(self.records)[i]
        draft = own.copy()  # with the padding, which a copy of a record leaves undefined
        scratch = as_views(draft.view(self.records.dtype))
        with reading(f"{self.world.id}: the level"), np.errstate(all="ignore"):  # words wrap around, as in machine code
            self.world.set_level(scratch[0], level)
        scratch["level_given"] = 1
        own[:] = draft

    def record(self, i: int = 0) -> Any:
        """Record `i` with fields as attributes, as kernels see it; a view, not a copy."""
        return as_views(self.records)[i]

    def over(self) -> np.ndarray:
        """A copy of `finished`."""
        return self.finished.copy()

    def close(self) -> None:
        """Stop the threads."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None
