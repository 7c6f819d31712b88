"""Worlds as multi-turn text environments, in the shapes that trainers of language models take.

| shape | for |
|---|---|
| `TextArena` | trainers that take TextArena's environments: observations and answers in turn, rewards at the end |
| `TextEnv` | trainers that take Gymnasium environments with text spaces |
| `rollouts` | group-relative trainers such as GRPO: a group of episodes from one start, with a reward for each turn |

All three are played by `Driver`, as evaluations are. Tokens, and masks over them, are left to the trainer: the answers
of a rollout are the messages with the role "assistant".
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from envsuite.core.cast import Cast
from envsuite.core.errors import NotReadyError, ParameterError
from envsuite.core.world import World
from envsuite.interfaces.gym import seat_number
from envsuite.interfaces.single import as_world, fresh_seed
from envsuite.models.answers import Answers, Limits
from envsuite.models.client import Answer, Function, Message, Model
from envsuite.models.driver import Driver, demand_possible
from envsuite.models.harness import Game, play
from envsuite.models.protocol import Protocol
from envsuite.models.treatments import treated

#: The longest text of an observation or an answer in the text spaces.
LONGEST = 2**20

#: The characters of these texts: all of ASCII that can be printed, and what worlds' pages have beyond it.
CHARACTERS = frozenset(string.printable)


def _of_words(world: World, protocol: Protocol) -> Protocol:
    """A protocol whose questions and answers are texts; `ParameterError` for any other."""
    if protocol.actions == "tools" or protocol.image:
        raise ParameterError("texts have no functions and no pictures: Protocol(actions='names', image=0)")
    if protocol.talk.reading_model:
        raise ParameterError(
            "texts are for the model that plays, so no other one reads its words: Talk(reader='grammar')"
        )
    demand_possible(world, protocol)
    return protocol


def _question(driver: Driver, agent: int, rules: bool) -> str:
    """What an agent is asked now, after the rules and examples where it is asked for the first time."""
    messages = driver.request(agent).messages
    return "\n\n".join(str(one["content"]) for one in (messages if rules else messages[-1:]))


def _advance(driver: Driver) -> None:
    """Play until an answer is needed, or to the end."""
    while not (driver.done or driver.waiting()):
        driver.advance()


class TextArena:
    """A world with TextArena's interface: `reset`, `get_observation`, `step`, `close`.

    Where agents move at the same time, they are asked one after the other, and none sees what another has answered. A
    player whose answer cannot be used is asked again, as often as the protocol says.

    Args:
        id: of the world, or a `World`.
        protocol: how answers are asked for, and what happens where they cannot be used.
        params: of the world.
    """

    def __init__(self, id: str | World, *, protocol: Protocol = Protocol(), **params: Any):  # noqa: B008
        self.world = treated(as_world(id, params), protocol.treatments)
        self._protocol = _of_words(self.world, protocol)
        self._driver: Driver | None = None
        self._introduced: set[int] = set()

    def reset(self, num_players: int | None = None, seed: int | None = None) -> None:
        """Start an episode; `num_players` must be the number of agents, if it is given."""
        count = len(self.world.agents)
        if num_players not in (None, count):
            raise ParameterError(f"{self.world.id} has {count} players, not {num_players}")
        self._introduced.clear()
        self._driver = Driver(self.world, range(count), {}, self._protocol, fresh_seed() if seed is None else seed)

    def get_observation(self) -> tuple[int, str]:
        """The number of the player that must answer, and what it is asked, with the rules at its first turn."""
        driver, a = self._waits()
        text = _question(driver, a, a not in self._introduced)
        self._introduced.add(a)
        return a, text

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Whether the episode is over after this answer, and a mapping with the key "problem".

        That is why the answer could not be used, or None. The player is then asked again, or the fallback has acted.
        """
        driver, a = self._waits()
        problem = driver.give(a, Answer(action)).problem
        _advance(driver)
        return driver.done, {"problem": problem}

    def close(self) -> tuple[dict[int, float], dict[int, dict[str, Any]]]:
        """The return of each player by number, and a mapping with its name as "role"."""
        if self._driver is None:
            raise NotReadyError(f"{self.world.id}: no episode has been played: reset() starts one")
        returns = dict(enumerate(self._driver.returns.tolist()))
        return returns, {a: {"role": agent} for a, agent in enumerate(self.world.agents)}

    def _waits(self) -> tuple[Driver, int]:
        """The episode, and the player that must answer."""
        if self._driver is None or self._driver.done:
            raise NotReadyError(f"{self.world.id}: no player must answer: reset() starts an episode")
        return self._driver, self._driver.waiting()[0]


class TextEnv(gymnasium.Env[str, str]):
    """One agent of a world as a Gymnasium environment whose observations and actions are texts.

    An observation has the rules at the start of an episode. A reward is what the agent got since its last action, or
    since the start. Infos have "problem", why the last answer could not be used, or None: the next observation then
    asks again, with no reward, or the fallback has acted.

    Args:
        id: of the world, or a `World`.
        agent: the agent's name; the first agent by default.
        opponents: the policies of the other agents, as `Cast` takes them.
        protocol: how answers are asked for, and what happens where they cannot be used.
        params: of the world.
    """

    def __init__(
        self,
        id: str | World,
        *,
        agent: str | None = None,
        opponents: Any = "random",
        protocol: Protocol = Protocol(),  # noqa: B008
        **params: Any,
    ):
        self.world = treated(as_world(id, params), protocol.treatments)
        self._protocol, self._agent = _of_words(self.world, protocol), seat_number(self.world, agent)
        others = [a for a in range(len(self.world.agents)) if a != self._agent]
        self._opponents = Cast(self.world, opponents, seats=others)
        self._driver: Driver | None = None
        self.observation_space: spaces.Space = spaces.Text(LONGEST, charset=CHARACTERS)
        self.action_space: spaces.Space = spaces.Text(LONGEST, min_length=0, charset=CHARACTERS)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        chosen, level = fresh_seed() if seed is None else seed, (options or {}).get("level")
        self._driver = Driver(self.world, [self._agent], self._opponents, self._protocol, chosen, level)
        self._paid = 0.0
        _advance(self._driver)
        return self._seen(self._driver, rules=True), {"problem": None}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        driver, a = self._driver, self._agent
        if driver is None or driver.done:
            raise NotReadyError(f"{self.world.id}: {self.world.agents[a]} does not act: reset() starts an episode")
        problem = driver.give(a, Answer(action)).problem
        _advance(driver)
        truncated = driver.done and bool(driver.batch.truncations[0, a])
        reward, self._paid = float(driver.returns[a] - self._paid), float(driver.returns[a])
        return self._seen(driver), reward, driver.done and not truncated, truncated, {"problem": problem}

    def _seen(self, driver: Driver, rules: bool = False) -> str:
        if driver.done:
            text = self.world.reply(driver.batch.record(), self._agent)
        else:
            text = _question(driver, self._agent, rules)
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
    world = treated(as_world(id, params), protocol.treatments)
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
