from __future__ import annotations
from typing import Annotated
import numpy as np
from gymnasium import spaces
from envsuite.core import rooms
from envsuite.core.kernel import kernel
from envsuite.core.world import Between, Kernels, World
from envsuite.generators.rooms import door_key
from envsuite.interfaces import pettingzoo_forms

@kernel
def reset(s):
    if s.level_given == 0:
        door_key(s)
    rooms.begin(s)

class DoorKey(World):
    kernels = Kernels(reset, rooms.step, rooms.observe, rooms.legal)
    masked = False
    def __init__(self, size: Annotated[int, Between(5, 25)] = 8, horizon: int | None = None):
        level = np.dtype([("grid", np.uint8, (size, size)), ("agent", np.int64, (2,)), ("direction", np.int64)], align=True)
        self.define(agents=["agent"], actions=rooms.ACTIONS,
            observation=spaces.Dict({"image": spaces.Box(0, 255, (7, 7, 3), np.uint8), "direction": spaces.Discrete(4)}),
            fields=[("grid", np.uint8, ((size + 12) * size,)), ("agent", np.int64), ("direction", np.int64), ("carrying", np.uint8), ("level", level)],
            params={"horizon": horizon or 10 * size**2}, reward_range=(0.0, 1.0))

env, raw_env, parallel_env = pettingzoo_forms(DoorKey)
