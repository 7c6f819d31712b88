"""RLlib: a vector of worlds for its environment runner, and a network that obeys masks.

    config = (
        PPOConfig()
        .environment("envsuite", env_config={"world": "ConnectFour"})
        .env_runners(env_runner_cls=WorldRunner, num_envs_per_env_runner=64)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **kwargs: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
    )

RLlib's own loops take most of the time, so a vector makes RLlib little faster. But only agents that act get
observations here, so nothing is learned from moves of agents that do not act.

Needs RLlib: ``pip install "ray[rllib]"``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

try:
    import torch
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import ValueFunctionAPI
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.env.vector.vector_multi_agent_env import VectorMultiAgentEnv
except ImportError:
    raise ImportError('RLlib is missing: pip install "ray[rllib]"') from None

from envsuite.interfaces.vector import Vector


class WorldVector(VectorMultiAgentEnv):
    """N worlds as RLlib takes them: lists of dictionaries by agent; a world that is over is reset by the next step.

    Args:
        num_envs: N.
        world: as in `Vector`.
        options: as in `Vector`; ``flat="scaled"`` unless "flat" or "pixels" is given.
    """

    def __init__(self, num_envs: int, world: Any, **options: Any):
        super().__init__()
        if "pixels" not in options:
            options = {"flat": "scaled", **options}
        self.vector = Vector(world, num_envs, **options)
        self.num_envs, self._agents = num_envs, self.vector.agents
        self.metadata = {"autoreset_mode": "next_step"}
        seen = self.vector.views.with_masks(self.vector.single_action_spaces)
        self.single_observation_spaces: dict[str, Any] = dict(zip(self._agents, seen))
        self.single_action_spaces: dict[str, Any] = dict(zip(self._agents, self.vector.single_action_spaces))
        self.observation_space = self.single_observation_space = spaces.Dict(self.single_observation_spaces)
        self.action_space = self.single_action_space = spaces.Dict(self.single_action_spaces)
        self.envs = [_Spaces(self)] * num_envs

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[list[dict], list[dict]]:
        """Start all episodes; observations by agent, of those that act, and infos."""
        seen, infos = self.vector.reset(seed, options)
        return self._by_agent(seen, infos, self.vector.batch.acting != 0), [{} for _ in range(self.num_envs)]

    def step(self, actions: list[dict[str, Any]]) -> tuple[list, list, list, list, list]:
        """One transition of every world; observations are those of agents that act or have just ended."""
        batch = self.vector.batch
        given = np.zeros(batch.actions.shape, batch.actions.dtype)
        for row, chosen in zip(given, actions):
            for a, agent in enumerate(self._agents):
                if agent in chosen and batch.world.control_spaces:
                    row[a, : len(chosen[agent])] = chosen[agent]
                elif agent in chosen:
                    row[a] = int(chosen[agent])
        resetting, gone = batch.over(), batch.ends.any(axis=0)
        seen, rewards, ended, cut, infos = self.vector.step(given)
        gone &= ~resetting[:, None]
        acting = batch.acting != 0
        results: tuple[list, list, list, list, list] = (
            self._by_agent(seen, infos, acting | ((ended | cut) & ~gone)), [], [], [], [{} for _ in actions]
        )  # fmt: skip
        for i in range(self.num_envs):
            live = [(a, agent) for a, agent in enumerate(self._agents) if not gone[i, a]]
            for found, values in zip(results[1:4], (rewards, ended, cut)):
                found.append({agent: values[i, a].item() for a, agent in live})
            results[2][i]["__all__"] = bool(ended[i].all())
            results[3][i]["__all__"] = bool((ended | cut)[i].all() and not ended[i].all())
        return results

    def _by_agent(self, seen: np.ndarray, infos: dict[str, Any], where: np.ndarray) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i, a in np.argwhere(where):
            one: Any = seen[i, a]
            if self.vector.views.masked:
                count = len(self.vector.world.action_names[a])
                one = {"observation": one, "action_mask": infos["action_mask"][i, a, :count]}
            found[i][self._agents[a]] = one
        return found

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self.vector.close()


class _Spaces(MultiAgentEnv):
    """What RLlib asks a single world of a vector: agents and spaces."""

    def __init__(self, vector: WorldVector):
        super().__init__()
        self.agents = self.possible_agents = list(vector.single_action_spaces)
        self.observation_spaces, self.action_spaces = vector.single_observation_spaces, vector.single_action_spaces


class WorldRunner(MultiAgentEnvRunner):
    """RLlib's multi-agent environment runner with a `WorldVector` of ``config.env_config``."""

    def make_env(self) -> None:
        """Make the worlds, once."""
        if getattr(self, "env", None) is None:
            self.num_envs = self.config.num_envs_per_env_runner
            self.env = WorldVector(self.num_envs, **self.config.env_config)
        self._needs_initial_reset = True


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A network of two layers with a policy and a value, for PPO; illegal actions get the probability 0.

    For observations ``{"observation": vector, "action_mask": mask}``, which worlds with ``flat="scaled"`` give if
    actions can be illegal, and for vectors without masks.
    """

    def setup(self) -> None:
        """Make the layers; ``model_config={"width": 64}``."""
        space: Any = self.observation_space
        size = spaces.flatdim(space["observation"] if isinstance(space, spaces.Dict) else space)
        width = self.model_config.get("width", 64)
        layers = torch.nn.Linear(size, width), torch.nn.Tanh(), torch.nn.Linear(width, width), torch.nn.Tanh()
        self.body = torch.nn.Sequential(*layers)
        self.policy, self.value = torch.nn.Linear(width, int(self.action_space.n)), torch.nn.Linear(width, 1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        if not isinstance(seen, dict):
            return {Columns.ACTION_DIST_INPUTS: self.policy(self.body(seen))}
        logits = self.policy(self.body(seen["observation"]))
        lowest = torch.finfo(logits.dtype).min
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, lowest)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """The value of each observation."""
        seen = batch[Columns.OBS]
        return self.value(self.body(seen["observation"] if isinstance(seen, dict) else seen)).squeeze(-1)
