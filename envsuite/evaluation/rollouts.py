"""Rollouts of any number of worlds: the totals of `Vector.rollout`, in blocks.

totals = run(Rollout(registry.build("ConnectFour"), "random", worlds=100_000, steps=1000), workers="ray")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from envsuite import registry
from envsuite.core.cast import Cast
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import is_integer, to_json
from envsuite.core.rollout import TALLY, Totals, summarise
from envsuite.core.world import World
from envsuite.evaluation.matches import block_size, code_of, described
from envsuite.interfaces.single import as_world, check_seed
from envsuite.interfaces.vector import Vector
from envsuite.scale import Job, Part

#: The sums of `core.rollout` for each world, and for each world and agent.
COUNTS = ("steps", "decisions", "episodes", "lengths")
SUMS = ("sums", "squares", "totals")


class Rollout(Job):
    """A rollout as a job; its result are the `Totals` of one vector of all the worlds.

    Args:
        world: a world or its id.
        policies: policies, as `Cast` takes them.
        worlds: the number of worlds; world k has the seed ``seed + k``.
        steps: transitions of each world.
        seed: of the first world, and of the policies' streams there.
    """

    kind = "rollout"

    def __init__(self, world: World | str, policies: Any, worlds: int, steps: int, seed: int = 0):
        for name, value in (("worlds", worlds), ("steps", steps)):
            if not is_integer(value) or value < 1:
                raise ParameterError(f"{name}={value!r} must be a positive integer")
        self.world = as_world(world, {})
        self.seats = Cast(self.world, policies).seats
        self.worlds, self.steps, self.seed = worlds, steps, check_seed(seed)
        self.size = block_size(self.world)
        self.blocks = -(-worlds // self.size)

    def header(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "world": self.world.id,
            "version": registry.__version__,
            "params": to_json(self.world.parameters, str),
            "policies": [described(self.seats[a]) for a in range(len(self.seats))],
            "steps": self.steps,
            "seed": self.seed,
        }

    def key(self, k: int) -> dict[str, Any]:
        return {"first": k * self.size, "worlds": self.units(k)}

    def code(self) -> str:
        return code_of(self.world, list(self.seats.values()))

    def units(self, k: int) -> int:
        return min(self.size, self.worlds - k * self.size)

    def work(self, k: int, progress: Callable[[int], None] | None = None) -> Part:
        vector, seed = Vector(self.world, self.units(k)), (self.seed + k * self.size) % 2**64
        vector.reset(seed=seed)
        tally, *sums = vector.sums(self.seats, self.steps, seed)
        if progress is not None:
            progress(self.units(k))
        return {**{name: tally[name].copy() for name in COUNTS}, **dict(zip(SUMS, sums))}

    def fits(self, k: int, part: Part) -> bool:
        worlds, agents = self.units(k), len(self.world.agents)
        shapes = {**dict.fromkeys(COUNTS, (worlds,)), **dict.fromkeys(SUMS, (worlds, agents))}
        return {name: array.shape for name, array in part.items()} == shapes

    def reduce(self, parts: Sequence[Part]) -> Totals:
        whole = {name: np.concatenate([part[name] for part in parts]) for name in (*COUNTS, *SUMS)}
        tally = np.zeros(self.worlds, TALLY)
        for name in COUNTS:
            tally[name] = whole[name]
        return summarise(tally, *(whole[name] for name in SUMS))
