"""The tools of every check: the case, the demand, and the comparison."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium import spaces

from envsuite.core.world import World
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import Flat, SeatVector, Vector

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
        steps: the number of transitions that the longer checks play.
    """

    world: World
    seed: int = 0
    steps: int = 300


@dataclass
class Report:
    """The result of `check_world`: the checks that passed, in order."""

    id: str
    checks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.id}: {len(self.checks)} checks passed"


def random_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One random legal action for each mask along the last axis; 0 where a mask is all zero."""
    return (rng.random(masks.shape) * masks).argmax(axis=-1)


def random_moves(world: World, masks: np.ndarray, rng: np.random.Generator, agent: int | None = None) -> np.ndarray:
    """Random actions for masks (..., A, K), or (..., K) of one agent: legal ones, or controls in their boxes."""
    if not world.control_spaces:
        return random_actions(masks, rng)
    low, high = world.bounds if agent is None else world.bounds[:, agent, : masks.shape[-1]]
    return rng.uniform(low, high, masks.shape).astype(np.float32) * masks


def one_move(world: World, action: Any, a: int) -> Any:
    """An action of agent number `a` in a batch, as interfaces take it."""
    return action[: len(world.action_names[a])] if world.control_spaces else int(action)


def masks_of(env: Any) -> np.ndarray:
    """The masks of a vector of any form; those of agents that do not act are all zero."""
    if isinstance(env, Flat):
        return env.vector.batch.masks.reshape(env.num_envs, -1)
    if isinstance(env, SeatVector):
        a = env.world.agents.index(env.agent)
        return env.batch.masks[:, a, : len(env.world.action_names[a])]
    return env.batch.masks


def sharing(world: World) -> bool:
    """Whether all agents have the same observations and controls, so that `Vector.flatten` takes them."""
    return len(set(map(repr, world.observation_spaces))) == 1 and len(set(map(repr, world.control_spaces))) <= 1


def vector_moves(env: Any, rng: np.random.Generator) -> np.ndarray:
    """Random actions for a vector of any form."""
    world = env.vector.world if isinstance(env, Flat) else env.world
    seat = world.agents.index(env.agent) if isinstance(env, SeatVector) else None if isinstance(env, Vector) else 0
    return random_moves(world, masks_of(env), rng, seat)


def legal_actions(env: Parallel, rng: np.random.Generator) -> dict[str, Any]:
    """A random legal action for each agent that acts."""
    masks = {agent: env.action_mask(agent) for agent in env.agents}
    numbers = {agent: env.number(agent) for agent, mask in masks.items() if mask.any()}
    moves = {agent: random_moves(env.world, masks[agent], rng, a) for agent, a in numbers.items()}
    return {agent: one_move(env.world, move, numbers[agent]) for agent, move in moves.items()}


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


def content(array: np.ndarray) -> bytes:
    """The bytes of an array, field by field: those between fields are not defined."""
    if array.dtype.names is None:
        return array.tobytes()
    return b"".join(content(array[name]) for name in array.dtype.names)


def as_observation(space: spaces.Space, slot: Any) -> Any:
    """A slot of the observation buffer as this space has it."""
    if not isinstance(space, spaces.Dict):
        return np.asarray(slot)
    return {k: np.int64(slot[k]) if isinstance(p, spaces.Discrete) else np.asarray(slot[k]) for k, p in space.items()}


def outside(space: spaces.Space, seen: Any) -> str:
    """Where an observation is outside its space."""
    if isinstance(space, spaces.Dict):
        return "; ".join(f"{k}: {outside(p, seen[k])}" for k, p in space.items() if not p.contains(seen[k]))
    if isinstance(space, spaces.Box):
        bad = np.argwhere((seen < space.low) | (seen > space.high) | (seen != seen))
        where = tuple(bad[0]) if len(bad) else ()
        return f"dtype {seen.dtype}, shape {seen.shape}, first bad element {where} = {seen[where] if len(bad) else '-'}"
    return repr(seen)


def aec_move(env: AEC, rng: np.random.Generator) -> None:
    """One random legal move, or the step of an agent that is over."""
    if not env.agents:
        env.reset()
        return
    _, _, ended, cut, _ = env.last()
    if ended or cut:
        env.step(None)
        return
    a = env.number(env.agent_selection)
    env.step(one_move(env.world, random_moves(env.world, env.action_mask(env.agent_selection), rng, a), a))
