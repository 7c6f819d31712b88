"""Pictures as observations: each agent's own picture, drawn at a size. Only drawing needs pygame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces

from envsuite.core.batch import Batch
from envsuite.core.parameters import Between, Parameter, check

_SIDE = Annotated[int, Between(8, 2048)]
_DECLARED = {"pixels": Parameter(tuple[_SIDE, _SIDE] | None, None)}


def checked_size(pixels: Any) -> tuple[int, int] | None:
    """The height and width of pictures as observations; None for the world's own observations."""
    return check("observations", _DECLARED, {"pixels": pixels})["pixels"]


def space(pixels: tuple[int, int]) -> spaces.Box:
    """The space of one agent's picture."""
    return spaces.Box(0, 255, (*pixels, 3), np.uint8)


def pictures(batch: Batch, pixels: tuple[int, int], agents: Sequence[int]) -> np.ndarray:
    """The pictures that these agents see in all records of a batch, (N, S, height, width, 3) uint8."""
    from envsuite.render.frames import fitted

    world, seen = batch.world, np.empty((batch.num, len(agents), *pixels, 3), np.uint8)
    for k, agent in enumerate(agents):  # one agent after the other: its next picture differs little from its last one
        for i in range(batch.num):
            seen[i, k] = fitted(world.scene(batch.record(i), agent), *pixels)
    return seen
