"""`Policy` and the compiled policies; the table of baselines per world."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from envsuite import registry
from envsuite.compile import tiers
from envsuite.compile.bound import bind
from envsuite.core import random
from envsuite.core.batch import Batch, stream_starts
from envsuite.core.errors import ActionError, ParameterError, SnapshotError, UnknownIdError, suggest
from envsuite.core.kernel import kernel
from envsuite.core.names import read_values, split_name
from envsuite.core.parameters import Between, Parameter, bounds, check, inferred, layout, signature, value_fields, write
from envsuite.core.ranges import Ranges, bare, below, free, limited, usual, within
from envsuite.core.record import as_views
from envsuite.core.world import World

#: The bounds of a probability.
CHANCE = Between(0, 1)


class Policy:
    """An agent: observations and masks in, actions out.

    A subclass in Python overrides `act` and, where it remembers anything, `reset`, `get_state` and `set_state`.
    """

    name = "policy"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        """Forget the past, for `num` copies of the world at once; `seed` starts the policy's own stream."""

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> Any:
        """The action of agent number `agent` for one observation, with or without its mask, and its mask (K,) int8.

        An integer; in a world with controls its row of numbers.
        """
        raise ParameterError(f"policy {self.name!r}: its class {type(self).__name__} has no `act`")

    def refresh(self, where: np.ndarray) -> None:
        """Forget the past in the copies where (N,) bool says so: an episode begins there; streams continue."""

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        """The actions (N, S) int64, or controls (N, S, D) float32, of the agents numbered `agents`, S of them.

        Args:
            observations: (N, S, ...), as a batch holds them.
            masks: (N, S, K) int8; where a mask is all zero the agent does not act and its entry is 0.
            agents: the number of each of the S agents.
        """
        actions = np.zeros(masks.shape[:2], np.int64)
        for i, k in zip(*np.nonzero(masks.any(axis=2))):
            action = self.act(observations[i, k], masks[i, k], agents[k])
            if np.ndim(action) or np.asarray(action).dtype.kind not in "iu":
                raise ActionError(f"policy {self.name!r} must choose an integer, not {action!r:.60}")
            actions[i, k] = action
        return actions

    def act_in(self, batch: Batch, agents: Sequence[int], where: np.ndarray | None = None) -> np.ndarray:
        """The actions, as `act_batch` gives them, of these agents in a running batch, or where (N, S) bool says so.

        This is how interfaces ask. A policy sees observations and masks of its agents; a planner gets clones of the
        records (see `envsuite.solvers.search`).
        """
        masks = batch.masks[:, agents]
        if where is not None:
            masks = masks * where[:, :, None].astype(np.int8)
        if batch.world.control_spaces and type(self).act_batch is Policy.act_batch:
            return self._controls(batch.observations[:, agents], masks, agents)
        return self.act_batch(batch.observations[:, agents], masks, agents)

    def _controls(self, observations: np.ndarray, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        """As `act_batch` in a world with controls, where masks have a 1 for each number of an agent's action."""
        rows = np.zeros(masks.shape, np.float32)
        for i, k in zip(*np.nonzero(masks.any(axis=2))):
            count, row = int(masks[i, k].sum()), np.asarray(self.act(observations[i, k], masks[i, k], agents[k]))
            if row.shape != (count,) or row.dtype.kind not in "fiu":
                raise ActionError(f"policy {self.name!r} must choose {count} numbers, not {row!r:.60}")
            rows[i, k, :count] = row
        return rows

    def chosen_by(self, agent: str) -> str:
        """Who chose the last action of the agent of this name, a word of `replay.BY`."""
        return "policy"

    def get_state(self) -> bytes:
        """Everything that the policy's future depends on, as bytes."""
        return b""

    def set_state(self, state: bytes) -> None:
        """Continue exactly from where `get_state` was called."""


class FunctionPolicy(Policy):
    """A function ``choose(observation, mask)`` as a policy: it gets what an agent sees and returns an action."""

    def __init__(self, choose: Callable[[Any, np.ndarray], int]):
        self.choose, self.name = choose, getattr(choose, "__name__", type(choose).__name__)

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> int:
        return self.choose(observation, mask)


@dataclass(frozen=True)
class PolicySpec:
    """A compiled policy as it was declared: name, kernel, and its memory's fields with their first values.

    A user chooses the parameters that are `declared`; `variables` are what the policy remembers within an episode, or a
    function of the world that gives them. One that `sees` no observations is compiled once for all worlds.
    `contradiction` is that in a memory of an agent of this world, as `World.contradiction` is that in a record. `steer`
    is its kernel in worlds with controls, if it has one. Pickled, it is its world's id and its name.
    """

    id: str
    name: str
    act: Any
    declared: Mapping[str, Parameter]
    variables: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]]
    sees: bool = True
    contradiction: Callable[[Any, World], str | None] | None = None
    steer: Any = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The defaults of the parameters."""
        return {name: parameter.default for name, parameter in self.declared.items()}

    @property
    def summary(self) -> str:
        """The first line of the kernel's docstring."""
        return (self.act.__doc__ or "").strip().split("\n")[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return _declared, (self.id, self.name, self.act.__module__)


def _declared(id: str, name: str, module: str) -> PolicySpec:
    importlib.import_module(module)
    known = policies(id) if id in registry.ids() else {"random": _RANDOM, **_TABLE.get(id, {})}
    return known[name]


_TABLE: dict[str, dict[str, PolicySpec]] = {}


def policy(
    id: str,
    name: str,
    /,
    variables: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]] | None = None,
    contradiction: Callable[[Any, World], str | None] | None = None,
    steer: Callable | None = None,
    **parameters: Any,
) -> Callable[[Callable], Any]:
    """Declare a compiled policy of a world, with its variables' values at the start and its parameters.

    A parameter is a number with its range and default, ``keep=Between(0, 8).at(4)``, or the default of a flag. An
    integer variable has a range too, ``limited(-1, -1, 8)``, and `contradiction` says what cannot be in a memory whose
    fields are each in their range (see `PolicySpec`). Memories that are read from bytes are checked by both. Variables
    whose sizes or values depend on the world are given by a function of it.

    In a world with controls, the kernel ``steer(memory, observation, controls)`` plays instead, if there is one. It
    writes all of `controls` (D,) float32, from `memory.low` to `memory.high`.
    """
    declared = {key: inferred(default) for key, default in parameters.items()}

    def declare(act: Callable) -> Any:
        compiled = kernel(act)
        _TABLE.setdefault(id, {})[name] = PolicySpec(
            id, name, compiled, declared, variables or {}, contradiction=contradiction, steer=steer and kernel(steer)
        )
        return compiled

    return declare


#: The actions that a random choice skips at once.
BLOCK = np.uint64(64)


@kernel
def choose_legal(memory, mask):
    """A uniformly random legal action; 0 where there is none."""
    count = 0
    for k in range(mask.shape[0]):
        count += mask[k] != 0
    if count == 0:
        return 0
    rank, size, first = random.randint(memory, count), np.uint64(mask.shape[0]), np.uint64(0)
    while first + BLOCK < size:
        inside = 0
        for k in range(first, first + BLOCK):
            inside += mask[k] != 0
        if rank < inside:
            break
        rank -= inside
        first += BLOCK
    action, seen = np.int64(first), 0
    for k in range(first, min(first + BLOCK, size)):  # the processor could not predict where to stop
        seen += mask[k] != 0
        action += seen <= rank
    return action


@kernel
def _random(memory, observation, mask):
    """Chooses uniformly among the legal actions."""
    return choose_legal(memory, mask)


@kernel
def _random_controls(memory, observation, controls):
    """Chooses uniformly in the box."""
    for k in range(controls.shape[0]):
        low, high = np.float64(memory.low[k]), np.float64(memory.high[k])
        controls[k] = low + (high - low) * random.uniform(memory)


_RANDOM = PolicySpec("", "random", _random, {}, {}, sees=False, steer=_random_controls)

#: Policies by name that are no kernels: planners, for all worlds that they can search (see `envsuite.solvers.search`),
#: and trained networks, for worlds that one comes with or that a file names (see `envsuite.learn.learned`).
OTHERS = {
    "mcts": "envsuite.solvers.mcts:MCTS",
    "alpha_beta": "envsuite.solvers.alpha_beta:AlphaBeta",
    "learned": "envsuite.learn.learned:Learned",
}


def policies(id: str) -> dict[str, PolicySpec]:
    """The compiled policies of a world by name; "random" is there for every world."""
    found = registry.spec(id)
    if found.policies:
        importlib.import_module(found.policies)
    return {"random": _RANDOM, **_TABLE.get(found.id, {})}


def policies_of(world: World) -> dict[str, PolicySpec]:
    """The compiled policies of a world by name: of its id; without one, those that its module declares for its name."""
    if world.id in registry.ids():
        found = policies(world.id)
    else:
        cls = type(world)
        found = {"random": _RANDOM}
        for id, declared in _TABLE.items():
            if registry.short_name(id) == cls.__name__:
                found |= {name: spec for name, spec in declared.items() if spec.act.__module__ == cls.__module__}
    return {name: spec for name, spec in found.items() if spec.steer} if world.control_spaces else found


def make_policy(name: str, world: Any, **parameters: Any) -> Policy:
    """A policy by name for a world, given as its id, a `World`, or an environment of it.

    Args:
        name: one of `policies(id)` or `OTHERS`; parameters may follow it: ``"constant:catch=12"``. The first one may
            be its value alone: ``"constant:12"``, ``"learned:net.ckpt"``.
        world: what it plays in.
        parameters: those of the policy; the others keep their defaults.
    """
    if isinstance(world, str):
        world = registry.build(world)
    world = getattr(getattr(world, "unwrapped", world), "world", world)
    known = policies_of(world)
    name, texts = split_name(name)
    if name not in known and name not in OTHERS:
        raise UnknownIdError(f"{world.id} has no policy {name!r}{suggest(name, [*known, *OTHERS])}")
    label = f"policy {name!r}"
    if name in known:
        return CompiledPolicy(known[name], world, parameters | read_values(known[name].declared, texts, f"{label}:"))
    world.require_actions(label)
    made = registry.resolve(OTHERS[name])
    given = parameters | read_values(signature(made), texts, f"{label}:") | {"world": world}
    return made(**check(label, signature(made), given))


def _act(memories, observations, masks, acting, actions, first, last):
    """Choose the actions of those who act in records first .. last - 1; how many these are."""
    count = 0
    for i in range(np.uint64(first), np.uint64(last)):
        for a in range(memories.shape[1]):
            if acting[i, a]:
                actions[i, a] = act(memories[i, a], observations[i, a], masks[i, a])
                count += 1
    return count


def _steer(memories, observations, masks, acting, actions, first, last):
    """As `_act`, for controls (N, A, D)."""
    count = 0
    for i in range(np.uint64(first), np.uint64(last)):
        for a in range(memories.shape[1]):
            if acting[i, a]:
                act(memories[i, a], observations[i, a], actions[i, a])
                count += 1
    return count


act: Any = None


@cache
def _compiled_act(template: Any, kernel_: Any, name: str, title: str) -> Any:
    return bind(template, f"act.{name}", title=title, act=kernel_)


def _compile(name: str, world: World, parameters: Mapping[str, Any]) -> None:
    """Compile a policy of this world, by its name, into the cache."""
    policy = make_policy(name, world, **parameters)
    assert isinstance(policy, CompiledPolicy)
    batch = Batch(world, 1)
    policy.reset(0)
    policy.compiled.entry(*policy.looks_at(batch.observations, batch.masks), batch.acting, batch.actions, 0, 1)


def single(world: World, observation: Any, mask: np.ndarray, agent: int) -> tuple[np.ndarray, np.ndarray]:
    """One observation, with or without its mask, and its mask (K,), as a batch holds them: (1, 1, ...), (1, 1, K)."""
    if isinstance(observation, Mapping) and "action_mask" in observation:
        observation = observation["observation"]
    if isinstance(observation, Mapping):
        observation = {name: np.asarray(part)[None, None] for name, part in observation.items()}
    else:
        observation = np.asarray(observation)[None, None]
    if np.ndim(mask) != 1 or len(mask) not in {len(world.action_names[agent]), world.num_actions}:
        raise ParameterError(f"{world.id}: a mask of shape {np.shape(mask)} is not that of agent {agent}")
    masks = np.zeros((1, 1, world.num_actions), np.int8)
    masks[0, 0, : len(mask)] = mask
    if not masks.any():
        raise ActionError(f"{world.id}: the mask allows no action")
    return slots(world, observation, (1, 1)), masks


def slots(world: World, observations: Any, shape: tuple[int, int]) -> np.ndarray:
    """Observations as a batch holds them, (N, S, ...), from such an array or from one array for each named part."""
    if isinstance(observations, Mapping):
        found = np.zeros((*shape, *world.slot_shape), world.slot)
        for name, part in observations.items():
            if name not in (world.slot.names or ()) or np.shape(part) != found[name].shape:
                raise ParameterError(f"{world.id}: {name!r} of shape {np.shape(part)} is not observed here")
            found[name] = part
        return found
    if np.shape(observations) != (*shape, *world.slot_shape) or observations.dtype != world.slot:
        raise ParameterError(
            f"{world.id}: observations must be {world.slot} of shape {(*shape, *world.slot_shape)}, "
            f"not {getattr(observations, 'dtype', type(observations).__name__)} of shape {np.shape(observations)}"
        )
    return np.ascontiguousarray(observations)


class CompiledPolicy(Policy):
    """A policy made of a memory record and a kernel.

    Attributes:
        memories: (N, S) structured: one memory per copy of the world and agent.
        ranges: those of the memory's fields.
        first_memory: (A,) structured: what each agent's memory holds at the start of an episode.
    """

    def __init__(self, spec: PolicySpec, world: World, parameters: Mapping[str, Any]):
        label = f"policy {spec.name!r}"
        chosen = check(label, spec.declared, parameters)
        self.spec, self.name, self.world = spec, spec.name, world
        ends = {name: bounds(parameter.hint) for name, parameter in spec.declared.items()}
        ranged = {name: limited(spec.parameters[name], end.low, end.high) for name, end in ends.items() if end}
        variables = spec.variables(world) if callable(spec.variables) else spec.variables
        values = {**spec.parameters, **ranged, **variables}
        # The common fields come last: Numba takes a record for a subtype of another that it starts with.
        fields = [(name, usual(kind), shape) for name, kind, shape in value_fields(label, values)]
        agents, box = below(np.int64, len(world.agents)), []
        if world.control_spaces:
            reach = within(np.float32, world.bounds.min(), world.bounds.max())
            box = [(name, reach, (world.num_actions,)) for name in ("low", "high")]
        dtype = layout(label, [*fields, ("rng", free(np.uint64)), ("agent", agents), *box])
        self.ranges = Ranges(dtype)
        self.first_memory = np.zeros(len(world.agents), bare(dtype))
        self.first_memory["agent"] = np.arange(len(world.agents))
        write(self.first_memory, label, {**values, **chosen})
        if box:
            self.first_memory["low"], self.first_memory["high"] = world.bounds
        self.memories = np.zeros((0, 0), bare(dtype))
        self._seed: int | None = None
        self.chosen = chosen
        #: Whether it runs as machine code, and whether another process compiles it (see `envsuite.compile.tiers`).
        self._mode: tuple[bool | None, bool] = (None, False)

    @property
    def kernel(self) -> Any:
        """What chooses in this world: the policy's kernel for controls, or that for actions."""
        return self.spec.steer if self.world.control_spaces else self.spec.act

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        """Forget the past and restart the streams of `num` copies, copy k from ``seed + k``, or at random."""
        self._seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)
        streams = stream_starts([(self._seed + k) % 2**64 for k in range(num)])
        self.memories = np.repeat(self.first_memory[None], num, axis=0)
        for agent in range(len(self.first_memory)):
            self.memories["rng"][:, agent] = stream_starts(streams ^ np.uint64(0xA5A5 + agent))

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> Any:
        action = self.act_batch(*single(self.world, observation, mask, agent), [agent])[0, 0]
        return action[: len(self.world.action_names[agent])] if self.world.control_spaces else int(action)

    def act_batch(self, observations: Any, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        agents, everyone = list(agents), list(range(len(self.first_memory)))
        if not set(agents) <= set(everyone):
            raise ParameterError(f"policy {self.name!r}: {self.world.id} has no agents numbered {agents}")
        masks = np.ascontiguousarray(masks, np.int8)
        shape = (len(masks), len(agents))
        if masks.shape != (*shape, self.world.num_actions):
            raise ParameterError(f"policy {self.name!r}: masks of shape {masks.shape} are not those of agents {agents}")
        seen = slots(self.world, observations, shape)
        if len(self.memories) != len(masks):
            self.reset(self._seed, len(masks))
        memories = self.memories if agents == everyone else np.ascontiguousarray(self.memories[:, agents])
        actions = np.zeros(masks.shape, np.float32) if self.world.control_spaces else np.zeros(shape, np.int64)
        self._call(memories, seen, masks, actions)
        if agents != everyone:
            self.memories[:, agents] = memories
        return actions

    def refresh(self, where: np.ndarray) -> None:
        streams = self.memories["rng"][where]
        self.memories[where] = self.first_memory
        self.memories["rng"][where] = streams

    def act_in(self, batch: Batch, agents: Sequence[int], where: np.ndarray | None = None) -> np.ndarray:
        self._mode = batch.compiled, batch.background
        return super().act_in(batch, agents, where)

    def _call(self, memories: np.ndarray, observations: np.ndarray, masks: np.ndarray, actions: np.ndarray) -> None:
        acting = masks.any(axis=2).astype(np.int8)
        arguments = (*self.looks_at(observations, masks, memories), acting, actions, 0, len(memories))
        compiled, background = self._mode
        order = partial(_compile, self.name, self.world, self.chosen) if background else None
        tiers.entry(self.compiled, arguments, compiled, order, operator.add)(*arguments)

    def looks_at(
        self, observations: np.ndarray, masks: np.ndarray, memories: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The first arguments of `compiled`: memories (its own by default), what is seen of the world, and masks."""
        return self.memories if memories is None else memories, observations if self.spec.sees else masks, masks

    @property
    def compiled(self) -> Any:
        """The kernel over a batch, bound for this world, or for all; policies that share a kernel share it."""
        owners = [type(self.world), self.kernel] if self.spec.sees else [self.kernel]
        name = ".".join(f"{one.__module__}.{one.__qualname__}" for one in owners)
        title = f"{type(self.world).__name__}: {self.name}" if self.spec.sees else f"the {self.name} policy"
        return _compiled_act(_steer if self.world.control_spaces else _act, self.kernel, name, title)

    def get_state(self) -> bytes:
        return self.memories.tobytes()

    def set_state(self, state: bytes) -> None:
        agents = len(self.world.agents)
        memories: np.ndarray = np.frombuffer(bytearray(state), self.first_memory.dtype).reshape(-1, agents)
        found = self.ranges.outside(memories.reshape(-1))
        problem = found[1] if found else None
        if problem is None and (memories["agent"] != np.arange(agents)).any():
            problem = "its memories are of other agents"
        if problem is None and self.world.control_spaces:
            own = (memories[name] == self.first_memory[name] for name in ("low", "high"))
            problem = None if all(map(np.all, own)) else "its memories are of other controls"
        if problem is None and self.spec.contradiction is not None:
            every = as_views(memories.reshape(-1))
            problems = (self.spec.contradiction(every[k], self.world) for k in range(memories.size))
            problem = next(filter(None, problems), None)
        if problem is not None:
            raise SnapshotError(problem)
        self.memories = memories
