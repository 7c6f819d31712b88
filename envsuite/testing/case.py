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


def legal_actions(env: Parallel, rng: np.random.Generator) -> dict[str, int]:
    """A random legal action for each agent that acts."""
    masks = {agent: env.action_mask(agent) for agent in env.agents}
    return {agent: int(random_actions(mask, rng)) for agent, mask in masks.items() if mask.any()}


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
    _, _, ended, cut, info = env.last()
    env.step(None if ended or cut else int(random_actions(info["action_mask"], rng)))
