"""Rollouts of any number of worlds and steps: the totals of `Vector.rollout`, in blocks.

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
from envsuite.core.rollout import TALLY, Sums, Totals, summarize
from envsuite.core.world import World
from envsuite.evaluation.matches import block_size, code_of, described
from envsuite.interfaces.single import as_world, check_seed
from envsuite.interfaces.vector import Vector
from envsuite.scale import Chain, Part

#: The sums of `core.rollout` for each world, and for each world and agent.
COUNTS = ("steps", "decisions", "episodes", "lengths")
SUMS = ("sums", "squares", "totals")

#: The state after a block from which others continue: of the worlds, and of the policies, as bytes.
STATE = ("worlds", "policies")

#: Transitions of a block, about: some seconds of ConnectFour, some minutes of Chess.
SEGMENT = 2**26


class Rollout(Chain):
    """A rollout as a job; its result are the `Totals` of one vector of all the worlds.

    Each chain plays some of the worlds. A rollout of many steps has several blocks in a chain, each with the sums of
    all steps so far and the state from which the next block continues.

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
        self.length = max(SEGMENT // self.size, 1)  # steps of a block
        self.segments = -(-steps // self.length)
        self.blocks = -(-worlds // self.size) * self.segments

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

    def _place(self, k: int) -> tuple[int, int, int]:
        """Of a block: its first world, its first step, and the number of its steps."""
        chain, segment = divmod(k, self.segments)
        start = segment * self.length
        return chain * self.size, start, min(self.length, self.steps - start)

    def key(self, k: int) -> dict[str, Any]:
        first, start, count = self._place(k)
        return {"first": first, "worlds": self._worlds(k), "start": start, "count": count}

    def code(self) -> str:
        return code_of(self.world, list(self.seats.values()))

    def _worlds(self, k: int) -> int:
        return min(self.size, self.worlds - self._place(k)[0])

    def units(self, k: int) -> int:
        """Transitions."""
        return self._worlds(k) * self._place(k)[2]

    def work(self, k: int, progress: Callable[[int], None] | None = None) -> Part:
        return self._play(k, None, progress)

    def resume(self, k: int, earlier: Part, progress: Callable[[int], None] | None = None) -> Part:
        return self._play(k, earlier, progress)

    def _play(self, k: int, earlier: Part | None, progress: Callable[[int], None] | None) -> Part:
        first, _, count = self._place(k)
        vector, seed = Vector(self.world, self._worlds(k)), (self.seed + first) % 2**64
        vector.reset(seed=seed)
        cast, found = Cast(self.world, self.seats), None
        if earlier is not None:
            cast.reset(seed, vector.num_envs)
            worlds, policies = (earlier[name].tobytes() for name in STATE)
            vector.set_state(worlds)
            cast.set_state(policies)
            found = _sums(earlier)
        tally, *sums = vector.sums(cast, count, seed if found is None else None, found)
        if progress is not None:
            progress(self.units(k))
        part = {**{name: tally[name].copy() for name in COUNTS}, **dict(zip(SUMS, sums))}
        if k not in self.last:
            states = vector.get_state(), cast.get_state()
            part.update((name, np.frombuffer(state, np.uint8)) for name, state in zip(STATE, states))
        return part

    def fits(self, k: int, part: Part) -> bool:
        worlds, agents = self._worlds(k), len(self.world.agents)
        shapes = {**dict.fromkeys(COUNTS, (worlds,)), **dict.fromkeys(SUMS, (worlds, agents))}
        states = set() if k in self.last else set(STATE)
        if any(part[name].dtype != np.uint8 for name in states & part.keys()):
            return False
        found = {name: array.shape for name, array in part.items() if name not in states}
        return found == shapes and states <= part.keys()

    def reduce(self, parts: Sequence[Part]) -> Totals:
        chains = map(_sums, parts)
        return summarize(*(np.concatenate(arrays) for arrays in zip(*chains)))


def _sums(part: Part) -> Sums:
    """The sums in the results of a block."""
    tally = np.zeros(len(part["steps"]), TALLY)
    for name in COUNTS:
        tally[name] = part[name]
    return Sums(tally, *(part[name].copy() for name in SUMS))
