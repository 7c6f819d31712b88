"""PettingZoo's agent-by-agent form of any world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from envsuite.core.batch import taken
from envsuite.core.errors import ActionError, NotReadyError, SnapshotError
from envsuite.core.snapshot import numbers
from envsuite.interfaces.single import Single, alone


class _ByAgent(dict):
    """Values by agent as PettingZoo keeps them; an entry that is written is written to the values by number too."""

    def __init__(self, numbers: Mapping[str, int], agents: Sequence[str], values: list[Any]):
        super().__init__((agent, values[numbers[agent]]) for agent in agents)
        self._numbers, self._values = numbers, values

    def __setitem__(self, agent: str, value: Any) -> None:
        super().__setitem__(agent, value)
        self._values[self._numbers[agent]] = float(value)


class AEC(Single, AECEnv):
    """A PettingZoo AEC environment.

    The agents that act in a state choose one after the other. Each sees the same observation as before the others
    chose. With the last choice the world makes its transition; in a turn-based world, every move is the last choice.

    Args: as `envsuite.interfaces.parallel.Parallel`.
    """

    kind = "aec"

    def __init__(
        self,
        world: Any,
        *,
        render_mode: str | None = None,
        on_illegal: str = "error",
        compiled: bool | None = None,
        pixels: tuple[int, int] | None = None,
        flat: str | None = None,
        idle: str = "zeros",
        masks: str = "observations",
        protocol: Any = None,
        **params: Any,
    ):
        views = {"pixels": pixels, "flat": flat, "idle": idle, "masks": masks}
        super().__init__(world, render_mode, on_illegal, compiled, views, params, protocol)
        self._count = count = len(self.possible_agents)
        #: Per agent: reward of the last call and since its last move, and how far the present round has come.
        self._rewards, self._cumulative = [0.0] * count, [0.0] * count
        self._chosen, self._gone, self._partial = [False] * count, [False] * count, False
        self._nothing = [0.0] * count  # never written to
        #: (A, M) vector rewards since each agent's last move, in a world with objectives.
        self._vectors = None if self._vector_rewards is None else np.zeros_like(self._vector_rewards)
        batch = self.batch
        self._action_row = batch.actions[0]
        self._read_rewards, self._read_flags = batch.rewards[0].tolist, batch.flags.tobytes
        # The agent to select where exactly one agent acts and none is out, by the flags: the most frequent case.
        self._sole = {
            bytes(int(k == a) for k in range(3 * count)): (a, agent, [a])
            for a, agent in enumerate(self.possible_agents)
        }
        self.agents: list[str] = []
        self.agent_selection: str = self.possible_agents[0]
        self._selected = 0

    @alone
    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode; see `envsuite.interfaces.parallel.Parallel.reset`."""
        self._start(seed, options)
        self._rewards, self._cumulative = self._nothing, [0.0] * self._count
        self._chosen, self._gone, self._partial = [False] * self._count, [False] * self._count, False
        if self._vectors is not None:
            self._vectors[:] = 0.0
        self._present()
        self._select()
        self._moved()

    @alone
    def step(self, action: Any) -> None:
        """The move of `agent_selection`; None for an agent whose episode is over, which then leaves `agents`."""
        if not self.agents or not self._ready:
            self._require_ready()
            raise NotReadyError(f"{self.world.id}: the episode is over: call reset()")
        a, batch = self._selected, self.batch
        if self._flags[self._count + a] or self._flags[2 * self._count + a]:
            if action is not None:
                raise ActionError(f"{self.world.id}: {self.agent_selection} is out: its only action is None")
            self._gone[a] = True
            self._rewards = self._nothing
            self._present()
            self._select()
            return
        if type(action) is not int or not 0 <= action < self._counts[a]:
            action = self._checked_action(action, a)
        if len(self._waiting) > 1:
            batch.refuse(action, a)
            self._action_row[a] = action
            self._chosen[a] = self._partial = True
            self._cumulative[a] = 0.0
            if self._vectors is not None:
                self._vectors[a] = 0.0
                self._infos[a] = None
            self._rewards = self._nothing
            self._waiting.pop(0)
            self._select_agent(self._waiting[0])
            return
        self._action_row[a] = action
        batch.step()
        if self._partial:
            self._chosen, self._partial = [False] * self._count, False
        self._cumulative[a] = 0.0
        self._rewards = rewards = self._read_rewards()
        if rewards != self._nothing:
            self._cumulative = [total + reward for total, reward in zip(self._cumulative, rewards)]
        if self._vectors is not None:
            self._vectors[a] = 0.0
            self._vectors += self._vector_rewards
        self._select()
        if self.render_mode is not None:
            self._moved()

    def observe(self, agent: str) -> Any:
        """The observation of this agent."""
        a = self.number(agent)
        self._require_ready()
        return self._view(a)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last move, ends and info of `agent_selection`."""
        if not self._ready:
            self._require_ready()
        a = self._selected
        return (
            self._views[a]() if observe else None,
            self._cumulative[a],
            self._flags[self._count + a] != 0,
            self._flags[2 * self._count + a] != 0,
            self._infos[a] or self._info(a),
        )

    # The dictionaries that PettingZoo keeps are read from the batch when asked for. Its wrappers set some of them.

    @property
    def rewards(self) -> dict[str, float]:
        """Rewards of the last call by agent."""
        if self._rewards is self._nothing:
            self._rewards = self._nothing.copy()
        return _ByAgent(self._numbers, self.agents, self._rewards)

    @rewards.setter
    def rewards(self, values: Mapping[str, float]) -> None:
        self._rewards = [float(values.get(agent, 0.0)) for agent in self.possible_agents]

    @property
    def _cumulative_rewards(self) -> dict[str, float]:
        return _ByAgent(self._numbers, self.agents, self._cumulative)

    @property
    def terminations(self) -> dict[str, bool]:
        """Whether each agent's episode has terminated."""
        return {agent: self._flags[self._count + self._numbers[agent]] != 0 for agent in self.agents}

    @terminations.setter
    def terminations(self, values: Mapping[str, bool]) -> None:
        self._end("terminated", values)

    @property
    def truncations(self) -> dict[str, bool]:
        """Whether each agent's episode was cut off."""
        return {agent: self._flags[2 * self._count + self._numbers[agent]] != 0 for agent in self.agents}

    @truncations.setter
    def truncations(self, values: Mapping[str, bool]) -> None:
        self._end("truncated", values)

    @alone
    def _end(self, field: str, values: Mapping[str, bool]) -> None:
        """Set the ends of these agents' episodes in the world itself; a round that has begun is dropped."""
        for agent, over in values.items():
            self.batch.records[field][0, self.number(agent)] = bool(over)
        self.batch.observe()
        self._chosen, self._partial = [False] * self._count, False
        self._select()

    def _deads_step_first(self) -> str:
        return self.agent_selection  # `_select` has it so

    def _was_dead_step(self, action: Any) -> None:
        self.step(action)

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """``{"action_mask": (K,) int8}`` by agent; with objectives also "vector_reward" (M,) since its last move."""
        return {agent: self._info(self._numbers[agent]) for agent in self.agents}

    def _info(self, a: int) -> dict[str, Any]:
        # One dictionary per agent and state: PettingZoo's test compares what two calls return.
        if self._infos[a] is None:
            self._infos[a] = self._info_of(a, self._vectors)
        return self._infos[a]  # type: ignore[return-value]

    def _present(self) -> None:
        self.agents = [agent for agent, gone in zip(self.possible_agents, self._gone) if not gone]

    def _select(self) -> None:
        """Work out whose move it is: agents that are out and have not left first, then those that act, in order."""
        # Bytes are the quickest way to look at a few flags: of each agent whether it acts, has ended, was cut off.
        self._flags = flags = self._read_flags()
        count = self._count
        self._infos: list[dict[str, Any] | None] = [None] * count
        sole = self._sole.get(flags)
        if sole is not None and not self._partial:
            self._selected, self.agent_selection, self._waiting = sole
            return
        self._waiting = [a for a in range(count) if flags[a] and not self._chosen[a]]
        if flags.find(1, count) >= 0:
            leaving = [a for a, gone in enumerate(self._gone) if not gone and self._is_over(a)]
            if leaving:
                self._select_agent(leaving[0])
                return
        if self._waiting:
            self._select_agent(self._waiting[0])

    def _is_over(self, a: int) -> bool:
        return self._flags[self._count + a] != 0 or self._flags[2 * self._count + a] != 0

    def _select_agent(self, a: int) -> None:
        self._selected = a
        self.agent_selection = self.possible_agents[a]

    def _extras(self) -> list[bytes]:
        turn = np.array([self._rewards, self._cumulative, self._chosen, self._gone], np.float64)
        parts = [turn.tobytes(), taken(self._action_row, np.array(self._chosen)).tobytes()]
        return parts if self._vectors is None else [*parts, self._vectors.tobytes()]

    def _set_extras(self, parts: list[bytes]) -> None:
        batch, turn, actions = self.batch, numbers(parts, np.zeros((4, self._count))), numbers(parts, self._action_row)
        chosen, gone = turn[2] == 1.0, turn[3] == 1.0
        acting, over = batch.acting[0] != 0, batch.ends[:, 0].any(axis=0)
        if self.world.control_spaces:
            low, high = self.world.bounds
            legal = ((actions >= low) & (actions <= high)).all(axis=1) | (batch.on_illegal == "clip")
        else:
            legal = (actions >= 0) & (actions < self.world.num_actions)
            legal &= batch.masks[0, np.arange(self._count), np.where(legal, actions, 0)] != 0
        if (
            not np.isin(turn[2:], (0, 1)).all()
            or (gone & ~over).any()
            or (chosen & ~legal).any()
            or (chosen.any() and not (acting & ~chosen).any())
        ):
            raise SnapshotError(f"{self.world.id}: the state cannot be: agents have chosen or left that cannot have")
        if self._vectors is not None:
            self._vectors[:] = numbers(parts, self._vectors)
        self._rewards, self._cumulative = turn[0].tolist(), turn[1].tolist()
        self._chosen, self._gone = chosen.tolist(), gone.tolist()
        self._partial = any(self._chosen)
        self._action_row[:] = actions
        self._present()
        self._select()
