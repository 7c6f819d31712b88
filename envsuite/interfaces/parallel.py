"""PettingZoo's parallel form of any world: all agents that act move at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv

from envsuite.core.errors import ActionError, AgentError, NotReadyError
from envsuite.interfaces.single import Single, alone


class Parallel(Single, ParallelEnv):
    """A PettingZoo parallel environment.

    Every agent that acts in the present state (its mask has a 1) needs an action; entries of other live agents are
    ignored, so turn-based worlds run here too, whatever those agents send.

    Args:
        world: an id, a `World` class, or a `World`.
        render_mode: None, "human", "rgb_array", "ansi", "rgb_array_list" or "ansi_list".
        on_illegal: the effect of an illegal action. "error" raises `ActionError` and changes nothing. "noop" turns it
            into the action named "noop", or skips the transition if there is none. "forfeit" ends the episode with
            reward -1 for that agent and 0 for the others. In a world with controls, "error" refuses numbers outside
            their box, and "clip" moves them to the nearest bound; NaN and infinity are always errors.
        compiled: whether the rules run as machine code from the start (True), as Python (False), or as Python until
            another process has compiled them (None).
        pixels, flat, idle, masks: what agents see: pictures or vectors as observations, masks of agents that do not
            act, and where masks are; see `envsuite.interfaces.views.Views`.
        protocol: a `Protocol` whose `talk` says how agents talk by `say`; without it they have no words of their own.
            Its other parts are of no use here.
        params: the world's parameters.
    """

    kind = "parallel"

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
        self.agents: list[str] = []

    @alone
    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start an episode; observations and infos by agent.

        Args:
            seed: starts the world's random stream; without a seed the stream continues.
            options: "level" starts from a level, "params" changes tunable parameters; it warns of others.
        """
        self._start(seed, options)
        self._set_extras([])
        self._moved()
        present = [(agent, self._numbers[agent]) for agent in self.agents]
        return {agent: self._view(a) for agent, a in present}, {agent: self._info(a) for agent, a in present}

    @alone
    def step(self, actions: Mapping[str, Any]) -> tuple[dict, dict, dict, dict, dict]:
        """One transition; observations, rewards, terminations, truncations and infos by agent that was live."""
        if not self.agents or not self._ready:
            self._require_ready()
            raise NotReadyError(f"{self.world.id}: the episode is over: call reset()")
        batch = self.batch
        chosen, acting = batch.actions[0], batch.acting[0].tolist()
        if not isinstance(actions, Mapping):
            raise ActionError(f"{self.world.id}: actions is a mapping from agent to action, not {actions!r:.60}")
        for agent in actions:
            if agent not in self.agents:
                self.number(agent)
                raise AgentError(f"{self.world.id}: {agent} is out of the episode; live: {', '.join(self.agents)}")
        for agent in self.agents:
            a = self._numbers[agent]
            if acting[a]:
                if agent not in actions:
                    raise AgentError(f"{self.world.id}: {agent} acts now and has no action")
                chosen[a] = self._checked_action(actions[agent], a)
        batch.step()
        rewards, ended, cut = batch.rewards[0].tolist(), batch.terminations[0].tolist(), batch.truncations[0].tolist()
        present = [(agent, self._numbers[agent]) for agent in self.agents]
        self.agents = [agent for agent, a in present if not (ended[a] or cut[a])]
        self._moved()
        return (
            {agent: self._view(a) for agent, a in present},
            {agent: rewards[a] for agent, a in present},
            {agent: ended[a] for agent, a in present},
            {agent: cut[a] for agent, a in present},
            {agent: self._info(a) for agent, a in present},
        )

    def _info(self, a: int) -> dict[str, Any]:
        return self._info_of(a, self._vector_rewards)

    def _set_extras(self, parts: list[bytes]) -> None:
        over = self.batch.terminations[0] | self.batch.truncations[0]
        self.agents = [agent for agent, out in zip(self.possible_agents, over) if not out]
