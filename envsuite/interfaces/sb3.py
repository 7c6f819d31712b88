"""Vectors for Stable-Baselines3 and sb3-contrib, which have an interface of their own for them.

    envs = gymnasium.make_vec("envsuite/ConnectFour-v0", 64, opponents="tactical", autoreset="same_step")
    model = MaskablePPO("MlpPolicy", SB3Vector(envs)).learn(1_000_000)

Needs Stable-Baselines3: ``pip install "envsuite[sb3]"``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from envsuite.core.errors import ParameterError

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise ImportError('SB3Vector needs Stable-Baselines3: pip install "envsuite[sb3]"') from None


class SB3Vector(VecEnv):
    """A Gymnasium vector as a `VecEnv`, with the action masks that MaskablePPO asks for.

    Observations of worlds where actions can be illegal come without the mask. A vector of all agents
    (`Vector.flatten`) is learned from as it should be only where all agents act at every step to the end.

    Args:
        envs: the vector; it must reset worlds within the step that ends them (``autoreset="same_step"``).
    """

    def __init__(self, envs: VectorEnv):
        if envs.metadata["autoreset_mode"] != AutoresetMode.SAME_STEP:
            raise ParameterError('Stable-Baselines3 needs a vector made with autoreset="same_step"')
        self.envs = envs
        space = envs.single_observation_space
        self._wrapped = isinstance(space, spaces.Dict) and set(space) == {"observation", "action_mask"}
        self._actions: Any = None
        self._masks = np.zeros(0, np.bool_)
        super().__init__(envs.num_envs, self._bare(space), envs.single_action_space)
        self._options: Any = {}

    def _bare(self, observations: Any) -> Any:
        return observations["observation"] if self._wrapped else observations

    def _seen(self, observations: Any, infos: dict[str, Any]) -> Any:
        if "action_mask" in infos:
            self._masks = infos["action_mask"].astype(np.bool_)
        return self._bare(observations)

    def set_options(self, options: dict[str, Any] | None = None) -> None:
        """Options of the next reset, as the vector takes them."""
        self._options = options or {}

    def reset(self) -> Any:
        seeds = None if self._seeds[0] is None else self._seeds
        observations, infos = self.envs.reset(seed=seeds, options=self._options or None)
        self._reset_seeds()
        self._options = {}
        return self._seen(observations, infos)

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observations, rewards, ended, cut, infos = self.envs.step(self._actions)
        over = ended | cut
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if over.any():
            last = self._bare(infos["final_obs"])
            for i in np.flatnonzero(over):
                seen = {name: part[i] for name, part in last.items()} if isinstance(last, dict) else last[i]
                told[i] = {"terminal_observation": seen, "TimeLimit.truncated": bool(cut[i] and not ended[i])}
        return self._seen(observations, infos), rewards.astype(np.float32), over, told

    def action_masks(self) -> np.ndarray:
        """(N, K) bool: the legal actions; empty in a world with controls."""
        return self._masks

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        value = getattr(self if attr_name == "action_masks" else self.envs, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"the worlds of a vector have no attributes of their own to set, such as {attr_name!r}")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        if method_name != "action_masks":
            raise AttributeError(f"the worlds of a vector have no method {method_name!r} of their own")
        return [self._masks[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Any:
        return self.envs.render()

    def close(self) -> None:
        self.envs.close()
