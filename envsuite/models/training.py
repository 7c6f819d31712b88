"""Worlds as multi-turn text environments, in the shapes that trainers of language models take.

| shape | for |
|---|---|
| `TextArena` | trainers that take TextArena's environments: observations and answers in turn, rewards at the end |
| `TextEnv` | trainers that take Gymnasium environments with text spaces |
| `rollouts` | group-relative trainers such as GRPO: a group of episodes from one start, with a reward for each turn |

All three ask and read answers as evaluations do. Tokens, and masks over them, are left to the trainer: the answers of
a rollout are the messages with the role "assistant".
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from envsuite.agents.language import asked
from envsuite.core.batch import Batch
from envsuite.core.cast import Cast
from envsuite.core.errors import NotReadyError, ParameterError
from envsuite.core.policy import Policy, make_policy
from envsuite.core.world import World
from envsuite.interfaces.gym import seat_number
from envsuite.interfaces.single import as_world, fresh_seed, padded
from envsuite.models.answers import Answers, Limits
from envsuite.models.client import Answer, Function, Message, Model
from envsuite.models.harness import Game, play
from envsuite.models.protocol import AnswerError, Protocol, read

#: The longest text of an observation or an answer in the text spaces.
LONGEST = 2**20

#: The characters of these texts: all of ASCII that can be printed, and what worlds' pages have beyond it.
CHARACTERS = frozenset(string.printable)


class _Table:
    """An episode that is played by written answers, one agent after the other."""

    def __init__(self, world: World, otherwise: str):
        self.world, self.batch = world, Batch(world, 1)
        self.fallback: Policy = make_policy(otherwise, world)
        self.waiting: list[int] = []
        self.returns = np.zeros(len(world.agents))
        self.problems = 0

    def start(self, seed: int, level: Mapping[str, Any] | None = None) -> None:
        self.batch.start(seed, level)
        self.fallback.reset(seed)
        self.returns[:], self.problems = 0.0, 0
        self.waiting = self._acting()

    def _acting(self) -> list[int]:
        return np.flatnonzero(self.batch.acting[0]).tolist()

    def question(self, a: int, rules: bool) -> str:
        """What agent number `a` is asked, with the rules where it is its first question."""
        record, mask = self.batch.record(), self.batch.masks[0, a]
        parts = [self.world.prompt(record, a), f"You are {self.world.agents[a]}."] if rules else []
        return "\n\n".join([*parts, self.world.reply(record, a), *asked(self.world, a, mask)])

    def choose(self, a: int, text: str) -> str | None:
        """Take an agent's action from its answer; why the answer cannot be used, if so, and a policy chooses."""
        problem = None
        try:
            action = read(self.world, a, self.batch.masks[0, a], Answer(text), "names", self.batch.record())
        except AnswerError as error:
            problem = str(error)
            self.problems += 1
            action = self.fallback.act_in(self.batch, [a])[0, 0]
        self.batch.actions[0, a] = padded(self.world, action)
        self.waiting.remove(a)
        return problem

    def step(self) -> None:
        """A transition, with the actions of all agents that act."""
        self.batch.step(where=slice(None))
        self.returns += self.batch.rewards[0]
        self.waiting = [] if self.batch.finished[0] else self._acting()


class TextArena:
    """A world with TextArena's interface: `reset`, `get_observation`, `step`, `close`.

    Where agents move at the same time, they are asked one after the other, and none sees what another has answered.

    Args:
        id: of the world, or a `World`.
        otherwise: the policy that acts where an answer cannot be used.
        params: of the world.
    """

    def __init__(self, id: str | World, *, otherwise: str = "random", **params: Any):
        self.world = as_world(id, params)
        self._table = _Table(self.world, otherwise)
        self._introduced: set[int] = set()

    def reset(self, num_players: int | None = None, seed: int | None = None) -> None:
        """Start an episode; `num_players` must be the number of agents, if it is given."""
        if num_players not in (None, len(self.world.agents)):
            raise ParameterError(f"{self.world.id} has {len(self.world.agents)} players, not {num_players}")
        self._introduced.clear()
        self._table.start(fresh_seed() if seed is None else seed)

    def get_observation(self) -> tuple[int, str]:
        """The number of the player that must answer, and what it is asked, with the rules at its first turn."""
        a = self._player()
        text = self._table.question(a, a not in self._introduced)
        self._introduced.add(a)
        return a, text

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Whether the episode is over after this answer, and a mapping with the key "problem".

        That is why the answer could not be used, so that a policy acted, or None.
        """
        problem = self._table.choose(self._player(), action)
        if not self._table.waiting:
            self._table.step()
        return bool(self._table.batch.finished[0]), {"problem": problem}

    def close(self) -> tuple[dict[int, float], dict[int, dict[str, Any]]]:
        """The return of each player by number, and a mapping with its name as "role"."""
        returns = dict(enumerate(self._table.returns.tolist()))
        return returns, {a: {"role": agent} for a, agent in enumerate(self.world.agents)}

    def _player(self) -> int:
        if not self._table.waiting:
            raise NotReadyError(f"{self.world.id}: no player must answer: reset() starts an episode")
        return self._table.waiting[0]


class TextEnv(gymnasium.Env[str, str]):
    """One agent of a world as a Gymnasium environment whose observations and actions are texts.

    An observation has the rules at the start of an episode. A reward is what the agent got since its last action, or
    since the start. Infos have "problem", why the last answer could not be used
    (a policy acted then), or None.

    Args:
        id: of the world, or a `World`.
        agent: the agent's name; the first agent by default.
        opponents: the policies of the other agents, as `Cast` takes them.
        otherwise: the policy that acts where an answer cannot be used.
        params: of the world.
    """

    def __init__(
        self,
        id: str | World,
        *,
        agent: str | None = None,
        opponents: Any = "random",
        otherwise: str = "random",
        **params: Any,
    ):
        self.world = as_world(id, params)
        self._table, self._agent = _Table(self.world, otherwise), seat_number(self.world, agent)
        others = [a for a in range(len(self.world.agents)) if a != self._agent]
        self._cast = Cast(self.world, opponents, seats=others)
        self.observation_space: spaces.Space = spaces.Text(LONGEST, charset=CHARACTERS)
        self.action_space: spaces.Space = spaces.Text(LONGEST, min_length=0, charset=CHARACTERS)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        chosen = fresh_seed() if seed is None else seed
        self._table.start(chosen, (options or {}).get("level"))
        self._cast.reset(chosen)
        self._paid = 0.0
        self._play_others()
        return self._seen(rules=True), {"problem": None}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        table, a = self._table, self._agent
        if a not in table.waiting:
            raise NotReadyError(f"{self.world.id}: {self.world.agents[a]} does not act: reset() starts an episode")
        problem = table.choose(a, action)
        self._cast.choose(table.batch)
        table.step()
        self._play_others()
        truncated = bool(table.batch.truncations[0, a])
        ended = not table.waiting and not truncated
        reward, self._paid = float(table.returns[a] - self._paid), float(table.returns[a])
        return self._seen(), reward, ended, truncated, {"problem": problem}

    def _play_others(self) -> None:
        """Let the others play until it is the agent's turn, or the end."""
        while self._table.waiting and self._agent not in self._table.waiting:
            self._cast.choose(self._table.batch)
            self._table.step()

    def _seen(self, rules: bool = False) -> str:
        if self._table.waiting:
            text = self._table.question(self._agent, rules)
        else:
            text = self.world.reply(self._table.batch.record(), self._agent)
        return "".join(letter if letter in CHARACTERS else "?" for letter in text)


@dataclass(frozen=True)
class Rollout:
    """One episode of a group.

    Attributes:
        messages: the whole conversation; those with the role "assistant" are the model's.
        rewards: (T,) float64, one for each turn of the model: of its action, and of what followed until its next turn.
        turns: (T,) int64, for each turn the place in `messages` of its last answer.
        usable: (T,) bool, whether the model chose the action itself.
        advantage: the return less the mean of the group, in standard deviations of the group; 0 where these are 0.
    """

    messages: list[Message]
    rewards: np.ndarray
    turns: np.ndarray
    usable: np.ndarray
    advantage: float

    @property
    def ret(self) -> float:
        """The sum of the rewards."""
        return float(self.rewards.sum())


def rollouts(
    id: str | World,
    model: Model | Callable[..., Any],
    size: int,
    seed: int,
    *,
    agent: str | None = None,
    opponents: str = "random",
    protocol: Protocol = Protocol(),  # noqa: B008
    limits: Limits = Limits(),  # noqa: B008
    level: Mapping[str, Any] | None = None,
    **params: Any,
) -> list[Rollout]:
    """A group of episodes from one start: the world and the opponents have the same seed in all of them.

    Args:
        id: of the world, or a `World`.
        model: the model, or a callable as `Function` takes it; its answers may differ, as sampled ones do.
        size: the number of episodes.
        seed: of the world and the policies.
        agent: the name of the agent that the model plays; the first agent by default.
        opponents: the policy of the others.
        protocol: how the model is asked; a conversation that keeps all turns.
        limits: on requests.
        level: the level from which the episodes start.
        params: of the world.
    """
    world = as_world(id, params)
    if protocol.memory != "chat" or protocol.turns is not None:
        raise ParameterError("rollouts need a conversation that keeps all turns: Protocol(memory='chat', turns=None)")
    if size < 1:
        raise ParameterError(f"size={size!r} must be a positive integer")
    a = seat_number(world, agent)
    model = model if isinstance(model, Model) else Function(model)
    others = {k: opponents for k in range(len(world.agents)) if k != a}
    games = [Game(f"rollout {k}", world, seed, {a: model}, others, level=level) for k in range(size)]
    played = play(games, Answers(None, {}, limits), protocol)
    for one in played:
        if one.problem is not None:
            raise ParameterError(f"{world.id}: a rollout could not be finished: {one.problem}")
    returns = np.array([one.returns[a] for one in played])
    spread = returns.std()
    advantages = (returns - returns.mean()) / spread if spread > 0 else np.zeros(size)
    found = []
    for one, advantage in zip(played, advantages.tolist()):
        messages, ends = one.talks[a].whole()
        rewards = np.array([turn.reward for turn in one.turns], np.float64)
        usable = np.array([turn.own for turn in one.turns], np.bool_)
        found.append(Rollout(messages, rewards, np.array(ends, np.int64), usable, advantage))
    return found
