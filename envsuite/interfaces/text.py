"""Worlds as text: their pages, and the names of legal actions. Answers are read by `envsuite.reading`."""

from __future__ import annotations

import numpy as np

from envsuite.core.world import World


def rules(world: World) -> str:
    """A world's documentation page: rules, agents, observations, actions, rewards, ends."""
    return (type(world).__doc__ or "").strip()


def legal_names(world: World, agent: int, mask: np.ndarray) -> list[str]:
    """The names of the actions that a mask (K,) allows this agent."""
    return [world.action_names[agent][k] for k in np.flatnonzero(mask)]
