"""Uncertainty: in any running environment, how much an agent has yet to find out, in infos.

    env = gymnasium.make("envsuite/Wordle-v0")
    with Uncertainty(env):
        observation, info = env.reset(seed=0)
        info["consistent"], info["entropy"]             # 300 words, 8.23 bits

Worlds whose secrets can be counted say what they count: `World.counted`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.errors import ParameterError
from envsuite.episodes.oversight import batch_of


class Uncertainty:
    """Infos hold "consistent" and "entropy", from now on until `close`.

    "consistent" is the number of secrets that agree with all that the agent has observed in the episode. "entropy" is
    that of the secret in bits, given all this (see `World.uncertainty`): the logarithm of the number if all secrets are
    equally likely. Both are floats. They are computed for each info, so an environment without them pays nothing.

    Args:
        env: an environment of any interface, wrapped or not; also a `Batch`. Its world must count its secrets.
    """

    def __init__(self, env: Any):
        self.batch = batch = batch_of(env)
        if not batch.world.counted:
            raise ParameterError(f"{batch.world.id} counts no secrets")
        batch.reporters += (self,)

    def infos(self) -> dict[str, np.ndarray]:
        """What infos hold, by name, (N, A) each."""
        batch, agents = self.batch, range(len(self.batch.world.agents))
        records = [batch.record(i) for i in range(batch.num)]
        found = np.array([[batch.world.uncertainty(s, a) for a in agents] for s in records], np.float64)
        return {"consistent": found[..., 0], "entropy": found[..., 1]}

    def close(self) -> None:
        """Leave infos as they were."""
        self.batch.reporters = tuple(one for one in self.batch.reporters if one is not self)

    def __enter__(self) -> Uncertainty:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
