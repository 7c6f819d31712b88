"""PettingZoo's agent-by-agent form of any world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from envsuite.core.batch import STEP
from envsuite.core.errors import ActionError, NotReadyError
from envsuite.interfaces.single import Single


class AEC(Single, AECEnv):
    """A PettingZoo AEC environment.

    The agents that act in a state choose one after the other, each seeing what it saw before the others chose; with
    the last choice the world makes its transition. In a turn-based world that is each single move.

    Args: as `envsuite.interfaces.parallel.Parallel`.
    """

    kind = "aec"

    def __init__(self, world: Any, *, render_mode: str | None = None, on_illegal: str = "error", **params: Any):
        super().__init__(world, render_mode, on_illegal, params)
        count = len(self.possible_agents)
        turn = [("rewards", np.float64), ("cumulative", np.float64), ("chosen", np.int8), ("gone", np.int8), ("action", np.int64)]
        #: Per agent: rewards of the last call and since its last move, and how far the present round has come.
        self._turn = np.zeros(count, np.dtype(turn, align=True))
        self._rewards, self._cumulative = self._turn["rewards"], self._turn["cumulative"]
        self._chosen, self._gone, self._actions = self._turn["chosen"], self._turn["gone"], self._turn["action"]
        self.agents: list[str] = []
        self.agent_selection: str = self.possible_agents[0]
        self._selected = 0

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode; see `envsuite.interfaces.parallel.Parallel.reset`."""
        self._start(seed, options)
        self._turn[...] = np.zeros((), self._turn.dtype)
        self._present()
        self._select()
        self._moved()

    def step(self, action: Any) -> None:
        """The move of `agent_selection`; None for an agent whose episode is over, which then leaves `agents`."""
        if not self.agents:
            self._require_ready()
            raise NotReadyError(f"{self.world.id}: the episode is over: call reset()")
        a = self._selected
        batch = self.batch
        if self._over[a]:
            if action is not None:
                raise ActionError(f"{self.world.id}: {self.agent_selection} is out: its only action is None")
            self._gone[a] = 1
            self._rewards[:] = 0.0
            self._present()
            self._select()
            return
        action = self._checked_action(action, a)
        waiting = [b for b in self._acting if not self._chosen[b]]
        if len(waiting) > 1:
            if self.on_illegal == "error" and not (0 <= action < self._sizes[a] and batch.masks[0, a, action]):
                batch.actions[0, a] = action
                raise batch.action_error(0, a)
            self._actions[a] = action
            self._chosen[a] = 1
            self._cumulative[a] = 0.0
            self._rewards[:] = 0.0
            self._select_agent(waiting[1] if waiting[0] == a else waiting[0])
            return
        self._actions[a] = action
        batch.actions[0] = self._actions
        batch.commands[0] = STEP
        batch.run()
        self._chosen[:] = 0
        self._cumulative[a] = 0.0
        self._rewards[:] = batch.rewards[0]
        self._cumulative += self._rewards
        self._select()
        self._moved()

    def observe(self, agent: str) -> Any:
        """What this agent sees."""
        a = self.number(agent)
        self._require_ready()
        return self._view(a)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last move, ends and info of `agent_selection`."""
        a, batch = self._selected, self.batch
        self._require_ready()
        return (
            self._view(a) if observe else None,
            float(self._cumulative[a]),
            bool(batch.terminations[0, a]),
            bool(batch.truncations[0, a]),
            self._info(a),
        )

    # What PettingZoo keeps as dictionaries is read from the batch when asked for.

    def _by_agent(self, values: np.ndarray) -> dict[str, Any]:
        listed = values.tolist()
        return {agent: listed[self._numbers[agent]] for agent in self.agents}

    @property
    def rewards(self) -> dict[str, float]:
        """Rewards of the last call by agent."""
        return self._by_agent(self._rewards)

    @property
    def _cumulative_rewards(self) -> dict[str, float]:
        return self._by_agent(self._cumulative)

    @property
    def terminations(self) -> dict[str, bool]:
        """Whether each agent's episode has terminated."""
        return self._by_agent(self.batch.terminations[0])

    @property
    def truncations(self) -> dict[str, bool]:
        """Whether each agent's episode was cut off."""
        return self._by_agent(self.batch.truncations[0])

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """``{"action_mask": (K,) int8}`` by agent."""
        return {agent: self._info(self._numbers[agent]) for agent in self.agents}

    def _info(self, a: int) -> dict[str, Any]:
        # One dictionary per agent and state: PettingZoo's test compares what two calls return.
        if self._infos[a] is None:
            self._infos[a] = {"action_mask": self._mask(a)}
        return self._infos[a]  # type: ignore[return-value]

    def _present(self) -> None:
        self.agents = [agent for agent, gone in zip(self.possible_agents, self._gone) if not gone]

    def _select(self) -> None:
        """Work out whose move it is: agents that are out and have not left first, then those that act, in order."""
        batch = self.batch
        self._infos: list[dict[str, Any] | None] = [None] * len(self.possible_agents)
        self._over = [t or c for t, c in zip(batch.terminations[0].tolist(), batch.truncations[0].tolist())]
        self._acting = [a for a, acts in enumerate(batch.acting[0].tolist()) if acts]
        leaving = [a for a, over in enumerate(self._over) if over and not self._gone[a]] if any(self._over) else ()
        waiting = leaving or [a for a in self._acting if not self._chosen[a]]
        if waiting:
            self._select_agent(waiting[0])

    def _select_agent(self, a: int) -> None:
        self._selected = a
        self.agent_selection = self.possible_agents[a]

    def _extras(self) -> list[bytes]:
        return [self._turn.tobytes()]

    def _set_extras(self, parts: list[bytes]) -> None:
        self._turn[:] = np.frombuffer(parts[0], self._turn.dtype)
        self._present()
        self._select()
