"""What an environment shows its agents: the form of observations, and masks of agents that do not act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium import spaces

from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import Between, Parameter, check
from envsuite.core.world import World
from envsuite.interfaces.flattening import Flattening

_SIDE = Annotated[int, Between(8, 2048)]
_DECLARED = {
    "pixels": Parameter(tuple[_SIDE, _SIDE] | None, None),
    "flat": Parameter(Literal["scaled", "one-hot"] | None, None),
    "idle": Parameter(Literal["zeros", "ones", "noop"], "zeros"),
    "masks": Parameter(Literal["observations", "infos"], "observations"),
}


class Views:
    """The options of all interfaces that decide what agents see; no option changes what happens in the world.

    Args:
        world: the world.
        pixels: (height, width) of pictures as observations, uint8: each agent's own view, `scene(agent)`.
        flat: observations as vectors (D,) float32, see `envsuite.interfaces.flattening.Flattening`: "scaled", or
            "one-hot" for integers with 3 to 255 values too. D is the same for all agents.
        idle: the mask of an agent that does not act, also after its end: all "zeros", all "ones", or "noop", which is
            1 for the action of this name alone (for the first action where there is none).
        masks: where masks are: in "observations" and infos if actions of the world can be illegal, or in "infos" only.

    Attributes:
        spaces: the observation space of each agent, without masks.
        idle: (A, K) int8, the masks of agents that do not act; None if they are all zero.
        masked: whether observations have the form ``{"observation": ..., "action_mask": ...}``.
    """

    def __init__(self, world: World, **options: Any):
        self.options = check("observations", _DECLARED, options)
        self.pixels, flat = self.options["pixels"], self.options["flat"]
        if self.pixels is not None and flat is not None:
            raise ParameterError(f"observations: pixels={self.pixels} and flat={flat!r} exclude each other")
        self.masked = world.masked and self.options["masks"] == "observations"
        self._flattening = None if flat is None else Flattening(world, one_hot=flat == "one-hot")
        self.spaces: tuple[spaces.Space, ...] = world.observation_spaces
        if self.pixels is not None:
            self.spaces = (spaces.Box(0, 255, (*self.pixels, 3), np.uint8),) * len(world.agents)
        elif self._flattening is not None:
            self.spaces = (self._flattening.space,) * len(world.agents)
        self.idle = None if self.options["idle"] == "zeros" else _idle_masks(world, self.options["idle"] == "ones")

    @property
    def own(self) -> bool:
        """Whether agents see the world's observations as they are."""
        return self.pixels is None and self._flattening is None

    def seen(self, batch: Batch, agents: Sequence[int], out: np.ndarray | None = None) -> np.ndarray:
        """What these agents see in all records, (N, S, ...), where it is not `own`; in `out` if it is given."""
        if self._flattening is not None:
            return self._flattening.vectors(batch, agents, out)
        return self._pictures(batch, agents, out)

    def _pictures(self, batch: Batch, agents: Sequence[int], out: np.ndarray | None) -> np.ndarray:
        from envsuite.render.frames import fitted  # only drawing needs pygame

        assert self.pixels is not None
        seen = np.empty((batch.num, len(agents), *self.pixels, 3), np.uint8) if out is None else out
        for k, agent in enumerate(agents):  # agent after agent: its next picture differs little from its last one
            for i in range(batch.num):
                seen[i, k] = fitted(batch.world.scene(batch.record(i), agent), *self.pixels)
        return seen

    def with_masks(self, actions: Sequence[Any]) -> tuple[spaces.Space, ...]:
        """The observation space of each agent, with its mask where observations have masks."""
        if not self.masked:
            return self.spaces
        masks = [spaces.Box(0, 1, (int(action.n),), np.int8) for action in actions]
        return tuple(spaces.Dict({"observation": s, "action_mask": m}) for s, m in zip(self.spaces, masks))


def _idle_masks(world: World, everything: bool) -> np.ndarray:
    """(A, K) int8: for each agent all its actions, or its action "noop" (the first where there is none)."""
    masks = np.zeros((len(world.agents), world.num_actions), np.int8)
    for mask, names in zip(masks, world.action_names):
        mask[slice(len(names)) if everything else names.index("noop") if "noop" in names else 0] = 1
    return masks
