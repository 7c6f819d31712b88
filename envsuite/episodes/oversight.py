"""Oversight: in any running environment, an overseer that may take over an agent's move.

    env = envsuite.make_parallel("IslandNavigation")
    with Oversight(env, "careful"):
        ...                                             # play as usual
        info["agent_action"], info["overseer_action"], info["overseer_acted"]

At each of an agent's moves its overseer, a policy, sees what the agent sees and chooses an action too. Where the
overseer takes over, the world gets the overseer's action. Recorders note the actions of both in replays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envsuite.core.batch import RESET, STEP, Batch
from envsuite.core.cast import Cast
from envsuite.core.errors import ParameterError

#: How much worse an agent's action is than the overseer's: of the observation, the mask and the two actions.
Gap = Callable[[Any, np.ndarray, int, int], float]


def batch_of(env: Any) -> Batch:
    """The batch of an environment of any interface, wrapped or not; `ParameterError` for anything else."""
    inner = inner_of(env)
    batch = getattr(inner, "batch", inner)
    if not isinstance(batch, Batch):
        raise ParameterError(f"{type(inner).__name__} is no environment of envsuite")
    return batch


def inner_of(env: Any) -> Any:
    """The environment of ours in an environment, below all wrappers."""
    inner = getattr(env, "unwrapped", env)
    for name in ("vector", "env"):  # of Flat, of Match
        inner = getattr(inner, name, inner)
    return inner


class Oversight:
    """Overseers of agents, from now on until `close`.

    Infos then hold, of each agent's last move: "agent_action" and "overseer_action", -1 before the first one and for
    agents without an overseer, and "overseer_acted", whether the overseer took over.

    An overseer takes over where the two actions differ; with a `gap`, where the agent's action is illegal or worse than
    the overseer's by more than `margin`.

    Args:
        env: an environment of any interface, wrapped or not; also a `Batch`. Whole rollouts in machine code are not
            overseen.
        overseers: policies, as `Cast` takes them: for all agents, or a mapping from the agents that have an overseer.
        gap: a function of the observation, the mask, the agent's action and the overseer's.
        margin: the largest gap at which the agent is left to act.
        seed: starts the random streams of the overseers.

    Attributes:
        proposed, preferred: (N, A) int64, the agents' and the overseers' actions.
        acted: (N, A) bool, where the overseer took over.
    """

    def __init__(self, env: Any, overseers: Any, gap: Gap | None = None, margin: float = 0.0, seed: int = 0):
        self.batch = batch = batch_of(env)
        if batch.oversight is not None:
            raise ParameterError(f"this environment of {batch.world.id} has overseers already")
        batch.world.require_actions("oversight")
        self.cast = Cast(batch.world, overseers, idle=range(len(batch.world.agents)))
        self.gap, self.margin = gap, margin
        self.cast.reset(seed, batch.num)
        shape = batch.actions.shape
        self.proposed, self.preferred, self.acted = np.full(shape, -1), np.full(shape, -1), np.zeros(shape, np.bool_)
        batch.oversight = self
        batch.reporters += (self,)

    def oversee(self) -> None:
        """Before the batch carries out its commands: replace actions where an overseer takes over."""
        batch = self.batch
        begins, moves = batch.commands == RESET, batch.commands == STEP
        if begins.any():
            self.proposed[begins], self.preferred[begins], self.acted[begins] = -1, -1, False
            self.cast.refresh(begins)
        mine = (batch.acting != 0) & moves[:, None]
        mine[:, [a for a in range(mine.shape[1]) if a not in self.cast.seats]] = False
        if not mine.any():
            return
        proposed = batch.actions.copy()
        self.cast.choose(batch, moves)
        preferred = batch.actions.copy()
        acted = mine & (proposed != preferred)
        if self.gap is not None:
            for i, a in np.argwhere(acted).tolist():
                acted[i, a] = self._worse(i, a, int(proposed[i, a]), int(preferred[i, a]))
        np.copyto(batch.actions, np.where(acted, preferred, proposed))
        for kept, new in ((self.proposed, proposed), (self.preferred, preferred), (self.acted, acted)):
            np.copyto(kept, new, where=mine)

    def _worse(self, i: int, a: int, proposed: int, preferred: int) -> bool:
        batch = self.batch
        mask = batch.masks[i, a]
        if not (0 <= proposed < len(mask) and mask[proposed]):
            return True
        assert self.gap is not None
        return self.gap(batch.observations[i, a], mask, proposed, preferred) > self.margin

    def infos(self) -> dict[str, np.ndarray]:
        """What infos hold, by name, (N, A) each."""
        return {
            "agent_action": self.proposed.copy(),
            "overseer_action": self.preferred.copy(),
            "overseer_acted": self.acted.copy(),
        }

    def close(self) -> None:
        """Leave the agents alone again."""
        if self.batch.oversight is self:
            self.batch.oversight = None
            self.batch.reporters = tuple(one for one in self.batch.reporters if one is not self)

    def __enter__(self) -> Oversight:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
