"""One seat of any world as a Gymnasium environment; policies play the other seats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import gymnasium
import numpy as np

from envsuite.core.cast import Cast, restore
from envsuite.core.errors import NotReadyError, ParameterError
from envsuite.core.snapshot import numbers
from envsuite.core.world import World
from envsuite.interfaces.single import Single, alone


def seat_number(world: World, agent: str | None) -> int:
    """The number of the agent that a learner plays; the first one where none is named."""
    if agent is None:
        return 0
    if agent not in world.agents:
        raise ParameterError(f"agent={agent!r} must be one of {', '.join(world.agents)}")
    return world.agents.index(agent)


def other_seats(world: World, seat: int) -> list[int]:
    """The numbers of the agents but one."""
    return [a for a in range(len(world.agents)) if a != seat]


class Seat(Single, gymnasium.Env):  # type: ignore[misc]
    """A Gymnasium environment in which one agent of a world is the learner.

    A step is the agent's move and all moves of the others up to its next one; the reward is the sum over these
    transitions, and for the first step over those before it too. The episode ends when this agent's does. If it ends
    before the agent's first move, the first step returns the end and ignores its action (the mask is all zero then).

    Args:
        world: an id, a `World` class, or a `World`.
        agent: the seat; the first agent by default.
        opponents: a policy (or its name) for all other seats, or a mapping from agent to policy; random by default.
        render_mode: None, "human", "rgb_array", "ansi", "rgb_array_list" or "ansi_list".
        on_illegal: see `envsuite.interfaces.parallel.Parallel`.
        compiled: whether the rules run as machine code from the start (True), as Python (False), or as Python until
            another process has compiled them (None).
        pixels, flat, idle, masks: what agents see: pictures or vectors as observations, masks of agents that do not
            act, and where masks are; see `envsuite.interfaces.views.Views`.
        protocol: a `Protocol` whose `talk` says how agents talk by `say`; without it they have no words of their own.
            Its other parts are of no use here.
        params: the world's parameters.
    """

    kind = "gym"

    def __init__(
        self,
        world: Any,
        *,
        agent: str | None = None,
        opponents: Any = "random",
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
        self._opponents = opponents
        self._seat = seat_number(self.world, agent)
        self.agent = self.world.agents[self._seat]
        # A policy for each seat, as a snapshot has them.
        others = other_seats(self.world, self._seat)
        self._others = Cast(self.world, opponents, seats=others, default="random", apart=True)
        if self.talk is not None:
            self.talk.scripted = others
        self._identity["agent"] = self.agent
        self._carried, self._reported = 0.0, False
        #: (A, M) the vector rewards that belong to the next step's reward, in a world with objectives.
        self._vectors = None if self._vector_rewards is None else np.zeros_like(self._vector_rewards)
        self.observation_space = self._observation_spaces[self._seat]  # type: ignore[assignment,method-assign]
        self.action_space = self._action_spaces[self._seat]  # type: ignore[assignment,method-assign]

    @alone
    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode and play up to this agent's first move; arguments as `Parallel.reset`'s."""
        fresh = not self._ready
        self._start(seed, options)
        gymnasium.Env.reset(self, seed=None if seed is None else int(seed) % 2**63)
        if seed is not None or fresh:
            self._others.reset(seed)
        else:
            self._others.refresh(np.ones(1, np.bool_))
        if self._vectors is not None:
            self._vectors[:] = 0.0
        self._carried, self._reported = self._play_others(), False
        self._moved()
        # The rewards of the others' moves before it are added to the first step's reward.
        nothing = None if self._vectors is None else np.zeros_like(self._vectors)
        return self._view(self._seat), self._info_of(self._seat, nothing)

    @alone
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """This agent's move, and the others' up to its next one."""
        batch, seat = self.batch, self._seat
        if not self._ready or self._reported:
            self._require_ready()
            raise NotReadyError(f"{self.world.id}: the episode is over: call reset()")
        action = self._checked_action(action, seat)
        acts = bool(batch.acting[0, seat])
        if acts:  # now, before the others choose, since choosing may change their memories
            batch.refuse(action, seat)
        batch.actions[0, seat] = action
        reward, self._carried = self._carried, 0.0
        if acts:
            self._others.choose(batch)
            reward += self._transition()
            reward += self._play_others()
        self._moved()
        ended, cut = bool(batch.terminations[0, seat]), bool(batch.truncations[0, seat])
        self._reported = ended or cut
        info = self._info_of(seat, self._vectors)
        if self._vectors is not None:
            self._vectors[:] = 0.0
        return self._view(seat), reward, ended, cut, info

    def _transition(self) -> float:
        """One transition with the actions chosen; this agent's reward."""
        self.batch.step()
        self._changed = True
        if self._viewer is not None:
            self._viewer.follow(self.batch)
        if self._vectors is not None:
            self._vectors += self._vector_rewards
        return float(self.batch.rewards[0, self._seat])

    def _play_others(self) -> float:
        """Transitions until this agent acts or its episode is over; the sum of its rewards."""
        batch, seat = self.batch, self._seat
        reward = 0.0
        while not (batch.acting[0, seat] or batch.terminations[0, seat] or batch.truncations[0, seat]):
            self._others.choose(batch)
            reward += self._transition()
        return reward

    def action_masks(self) -> np.ndarray:
        """(K,) bool: the legal actions, under the name by which sb3-contrib asks for them."""
        return self._masks[self._seat]().astype(np.bool_)

    def text(self, agent: str | None = None) -> str:
        """The present knowledge of the seat's agent (or another one), in words."""
        return super().text(self.agent if agent is None else agent)

    def say(self, text: str, to: str | Collection[str] = "all") -> str:  # type: ignore[override]
        """Say words with the seat's next act of speech; the other agents speak by sentences of the world.

        See `Single.say`.
        """
        return super().say(self.agent, text, to)

    def action_names(self, agent: str | None = None, legal: bool = False) -> list[str]:
        """The names of the seat's actions; see `Single.action_names`."""
        return super().action_names(self.agent if agent is None else agent, legal)

    def parse_action(self, agent: str, answer: str | None = None) -> Any:
        """The seat's action that a written answer names; with two arguments, another agent's."""
        return super().parse_action(self.agent, agent) if answer is None else super().parse_action(agent, answer)

    def _extras(self) -> list[bytes]:
        own = np.array([self._carried, self._reported], np.float64)
        vectors = [] if self._vectors is None else [self._vectors.tobytes()]
        return [own.tobytes(), *vectors, *(policy.get_state() for policy in self._others.seats.values())]

    def _set_extras(self, parts: list[bytes]) -> None:
        carried, reported = numbers(parts, np.zeros(2))
        vectors = None if self._vectors is None else numbers(parts, self._vectors)
        restore(self._others.seats.values(), parts)
        self._carried, self._reported = float(carried), bool(reported)
        if self._vectors is not None:
            self._vectors[:] = vectors

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "agent": self.agent, "opponents": self._opponents}


def make(world: Any, **options: Any) -> Seat:
    """The entry point of Gymnasium's registry; arguments as `Seat`'s."""
    return Seat(world, **options)
