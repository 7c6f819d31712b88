"""One episode whose seats are played by policies, and by answers that come from outside.

    driver = Driver(world, {0}, {1: "tactical"}, seed=0)
    while not driver.done:
        for agent in driver.waiting():
            while driver.give(agent, Answer(ask(driver.request(agent).messages))).action is None:
                pass
        driver.advance()

Evaluations, trainers' environments and groups of rollouts are played by it, so that an answer that cannot be used is
told, returned and replaced alike in all of them. Nothing here waits or sends: whoever drives brings the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.batch import Batch, taken
from envsuite.core.cast import Cast
from envsuite.core.errors import NotReadyError, ParameterError
from envsuite.core.policy import Policy, make_policy
from envsuite.core.world import World
from envsuite.episodes.replay import EVERY, Replay, Start, action_type, checksum
from envsuite.evaluation.matches import turn_of
from envsuite.interfaces.single import padded
from envsuite.models.client import Answer, Request
from envsuite.models.protocol import AnswerError, Conversation, Protocol, read


class Outcome(NamedTuple):
    """What an answer came to.

    Attributes:
        action: what the agent does, in words; None where it is asked again.
        problem: why the answer could not be used; None if it was.
    """

    action: str | None
    problem: str | None

    @property
    def own(self) -> bool:
        """Whether the answer chose the action; otherwise the fallback did."""
        return self.problem is None


class Turn(NamedTuple):
    """One decision of a seat that is played from outside.

    Attributes:
        step: transitions before it.
        agent: its name.
        question: the last part of the request: what is new at this turn.
        answers: the words and calls, with what was wrong, each.
        action: what was done, in words.
        own: whether an answer chose it; otherwise the answers could not be used.
        reward: of the transition that followed, and of those until the agent's next turn; before the first turn too.
    """

    step: int
    agent: str
    question: str
    answers: tuple[tuple[Answer, str | None], ...]
    action: str
    own: bool
    reward: float = 0.0

    @property
    def by(self) -> str:
        """Who chose the action: "model" or "fallback"."""
        return "model" if self.own else "fallback"


def demand_fallback(world: World, protocol: Protocol) -> None:
    """Raise `ParameterError` if agents of this world cannot do what a protocol does in place of unusable answers."""
    if protocol.otherwise != "forfeit":
        make_policy(protocol.otherwise, world)
    elif world.control_spaces:
        raise ParameterError(f"{world.id}: agents with controls cannot forfeit; name a policy")


class Driver:
    """An episode, from its start.

    Args:
        world: the world.
        outside: the numbers of the agents whose actions are answers.
        others: the policies of the other agents, as `Cast` takes them.
        protocol: how answers are asked for, and what happens where they cannot be used.
        seed: of the world and of the policies.
        level: the level that the episode starts from, None for one by the seed.

    Attributes:
        batch: of the one episode.
        talks: the conversation with each seat outside, by number.
        returns: (A,) float64, the agents' total rewards so far.
        length: transitions so far.
        counts: turns, decisions that were made "instead", and answers that could not be used, by kind.
    """

    def __init__(
        self,
        world: World,
        outside: Collection[int],
        others: Any,
        protocol: Protocol = Protocol(),  # noqa: B008
        seed: int = 0,
        level: Mapping[str, Any] | None = None,
    ):
        self.world, self.protocol, self.seed, self.level = world, protocol, seed, level
        self.batch = Batch(world, 1, on_illegal="forfeit" if protocol.otherwise == "forfeit" else "error")
        self.batch.start(seed, level)
        inside = [a for a in range(len(world.agents)) if a not in outside]
        cast = Cast(world, others, seats=inside)
        self.names = {a: policy.name for a, policy in cast.seats.items()}
        self._policies = [turn_of(self.batch, one, self._seats(cast, one), seed) for one in cast.policies]
        self.talks = {a: Conversation(self.batch, a, protocol) for a in outside}
        self.returns, self.length = np.zeros(len(world.agents)), 0
        self.counts: Counter[str] = Counter()
        self._requests: dict[int, Request] = {}  # of the present turn, of agents that are yet to decide
        self._tried: dict[int, list[tuple[Answer, str | None]]] = {}
        self._chosen: dict[int, Any] = {}
        self._fallbacks: dict[int, Policy] = {}
        self._turns: dict[int, list[Turn]] = {a: [] for a in outside}
        self._earned: dict[int, list[float]] = {a: [0.0] for a in outside}  # one for each turn
        self._moves: list[np.ndarray] = []  # and checksums: a replay, without a recorder's look at each call
        self._by: list[list[str]] = []
        self._checksums = [checksum(self.batch.records)]

    def _seats(self, cast: Cast, policy: Policy) -> np.ndarray:
        """(1, A) bool, the agents that a policy plays."""
        return np.array([[cast.seats.get(a) is policy for a in range(len(self.world.agents))]])

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return bool(self.batch.finished[0])

    def waiting(self) -> list[int]:
        """The agents whose answers the next transition needs."""
        return [a for a in self.talks if self.batch.acting[0, a] and a not in self._chosen]

    def request(self, agent: int) -> Request:
        """What an agent that is waited for is asked now."""
        if agent not in self._requests:
            if agent not in self.waiting():
                raise NotReadyError(f"{self.world.id}: {self.world.agents[agent]} has nothing to decide now")
            self._requests[agent] = self.talks[agent].ask()
        return self._requests[agent]

    def turn(self, agent: int) -> int:
        """How many decisions an agent has made."""
        return len(self._turns[agent])

    def give(self, agent: int, answer: Answer) -> Outcome:
        """Take an agent's answer: it chooses the action, is returned with what is wrong, or a fallback chooses."""
        self.request(agent)
        talk, tried = self.talks[agent], self._tried.setdefault(agent, [])
        action: Any = None
        problem: str | None = None
        try:
            mask = self.batch.masks[0, agent]
            action = read(self.world, agent, mask, answer, self.protocol.actions, self.batch.record())
        except AnswerError as error:
            problem = str(error)
            self.counts[error.kind] += 1
        tried.append((answer, problem))
        if problem is not None:
            if len(tried) <= self.protocol.retries:
                self._requests[agent] = talk.again(answer, problem)
                return Outcome(None, problem)
            self.counts["instead"] += 1
            action = self._instead(agent)
        words = self.world.described(agent, action)
        talk.done(answer, words, problem)
        self.counts["turns"] += 1
        one = Turn(self.length, self.world.agents[agent], talk.question, tuple(tried), words, problem is None)
        self._turns[agent].append(one)
        if len(self._turns[agent]) > 1:
            self._earned[agent].append(0.0)
        self._chosen[agent] = padded(self.world, action)
        del self._requests[agent], self._tried[agent]
        return Outcome(words, problem)

    def _instead(self, agent: int) -> Any:
        """The action of an agent whose answers cannot be used."""
        if self.protocol.otherwise == "forfeit":
            return -1
        if agent not in self._fallbacks:
            self._fallbacks[agent] = make_policy(self.protocol.otherwise, self.world)
            self._fallbacks[agent].reset(self.seed)
        action = self._fallbacks[agent].act_in(self.batch, [agent])[0, 0]
        return action[: len(self.world.action_names[agent])] if np.ndim(action) else int(action)

    def advance(self) -> None:
        """A transition, with the actions of all agents that act."""
        batch = self.batch
        if self.done:
            raise NotReadyError(f"{self.world.id}: the episode is over")
        if waiting := self.waiting():
            raise NotReadyError(f"{self.world.id}: {self.world.agents[waiting[0]]} has not answered")
        for turn in self._policies:
            turn()
        for a, action in self._chosen.items():
            batch.actions[0, a] = action
        self._moves.append(taken(batch.actions[0], batch.acting[0] != 0))
        self._by.append([self._chooser(a) if acts else "" for a, acts in enumerate(batch.acting[0].tolist())])
        self._chosen.clear()
        batch.step()
        self.returns += batch.rewards[0]
        self.length += 1
        if self.length % EVERY == 0:
            self._checksums.append(checksum(batch.records))
        for a, earned in self._earned.items():
            earned[-1] += float(batch.rewards[0, a])

    def _chooser(self, agent: int) -> str:
        """Who chose an agent's action, which has just been decided."""
        return self._turns[agent][-1].by if agent in self._chosen else "policy"

    def turns(self) -> list[Turn]:
        """The decisions of the seats outside so far, in order, with their rewards."""
        found = [
            (turn.step, a, turn._replace(reward=reward))
            for a, turns in self._turns.items()
            for turn, reward in zip(turns, self._earned[a])
        ]
        return [turn for *_, turn in sorted(found, key=lambda one: one[:2])]

    def replay(self, players: Mapping[int, str]) -> Replay:
        """The episode so far; `players` are the names of the seats outside, by number."""
        world, named = self.world, {**self.names, **players}
        if self.length % EVERY:
            self._checksums.append(checksum(self.batch.records))
        return Replay(
            world, Start(self.seed, None if self.level is None else dict(self.level)),
            np.array(self._moves).astype(action_type(world)), tuple(self._checksums), self.returns.copy(),
            self.done, "models", players={world.agents[a]: named[a] for a in sorted(named)}, by=np.array(self._by),
        )  # fmt: skip
