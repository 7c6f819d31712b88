"""Choices: the action that a page's message means, and the action of a person who has chosen none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.agents.human import pushes, read
from envsuite.core.errors import ActionError
from envsuite.core.world import World
from envsuite.interfaces.single import padded


def meant(world: World, record: Any, mask: np.ndarray, seat: int, message: Mapping[str, Any]) -> Any:
    """The action that a message means: a number, a click on the picture, or words; `ActionError` if none.

    Args:
        world: the world.
        record: its record now.
        mask: the seat's mask.
        seat: the number of the agent.
        message: of a page, see `envsuite.serve.messages`.
    """
    if "act" in message:
        action = message["act"]
        if not 0 <= action < len(world.action_names[seat]):
            raise ActionError("there is no such action")
        if not world.control_spaces:
            return action
        return padded(world, pushes(world, seat, action))
    if "click" in message:
        found = world.pointed(record, seat, message["click"])
        if found is None:
            raise ActionError("a click there means nothing")
        return found
    return read(world, seat, mask, message["say"], record)


def rest(world: World, mask: np.ndarray, seat: int, last: Any = None) -> Any:
    """The action of a person who has chosen nothing in a tick.

    It is the last action, where one is given and legal; else "noop" or "stay"; else the first legal action.
    """
    if world.control_spaces:
        zeros = np.zeros(world.num_actions, np.float32)
        return np.clip(zeros, *world.bounds[:, seat]) if last is None else last
    if last is not None and mask[last]:
        return last
    found = next((n for n in (world.noop, _stay(world, seat)) if n >= 0 and mask[n]), -1)
    return found if found >= 0 else int(mask.argmax())


def _stay(world: World, seat: int) -> int:
    """The action that leaves an agent where it is, or -1."""
    names = world.action_names[seat]
    return next((names.index(name) for name in ("stay", "wait", "pass") if name in names), -1)
