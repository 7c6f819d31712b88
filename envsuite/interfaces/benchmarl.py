"""Worlds as tasks of BenchMARL.

    task = WorldTask("Overcooked", {"horizon": 200})
    Experiment(task=task, algorithm_config=MappoConfig.get_from_yaml(), ...).run()

Needs BenchMARL: ``pip install benchmarl``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from benchmarl.environments.pettingzoo.common import PettingZooClass
    from torchrl.envs import PettingZooWrapper
except ImportError:
    raise ImportError("WorldTask needs BenchMARL: pip install benchmarl") from None

from envsuite.interfaces.parallel import Parallel


class WorldTask(PettingZooClass):
    """A world whose agents all act at once or in turn, for algorithms with discrete actions.

    Agents are grouped by the part of their name before the number: `player_0` and `player_1` are one group. Agents of a
    group share a network, so they must have the same actions. Without other options observations are vectors
    (``flat="scaled"``), and an agent that does not act has one action (``idle="noop"``).

    Args:
        name: the world's id.
        config: keyword arguments of `envsuite.interfaces.parallel.Parallel`, such as the world's parameters.
    """

    def __init__(self, name: str, config: dict[str, Any] | None = None):
        own = {"flat": "scaled", "idle": "noop"}
        super().__init__(name, {**own, **(config or {})})

    def get_env_fun(self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any) -> Callable[[], Any]:
        """A function that makes the environment."""
        return lambda: PettingZooWrapper(
            Parallel(self.name, **self.config), categorical_actions=True, device=device, seed=seed, use_mask=True
        )

    def supports_continuous_actions(self) -> bool:
        return False

    def supports_discrete_actions(self) -> bool:
        return True

    def has_state(self) -> bool:
        return False

    def has_render(self, env: Any) -> bool:
        return False

    def max_steps(self, env: Any) -> int:
        """The horizon of the world, or 1,000 where it has none."""
        return int(Parallel(self.name, **self.config).world.parameters.get("horizon") or 1000)

    @staticmethod
    def env_name() -> str:
        return "envsuite"
