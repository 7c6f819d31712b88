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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
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
from envsuite.models.orders import line_for_now, lines_of
from envsuite.models.protocol import AnswerError, Conversation, Protocol, read
from envsuite.models.speaking import Floor, acts, floor, hearers, said
from envsuite.talk.voice import phrase
from envsuite.talk.words import CUT, Line, Words, limited, shown


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
        said: the words of its own that it said, "" for none.
        reward: of the transition that followed, and of those until the agent's next turn; before the first turn too.
    """

    step: int
    agent: str
    question: str
    answers: tuple[tuple[Answer, str | None], ...]
    action: str
    own: bool
    said: str = ""
    reward: float = 0.0

    @property
    def by(self) -> str:
        """Who chose the action: "model" or "fallback"."""
        return "model" if self.own else "fallback"


class Seat:
    """One agent's decisions in an episode, which answers from outside make.

    Args:
        batch: whose episode has started.
        agent: the agent's number.
        protocol: how it is asked.
        instead: the action where answers cannot be used.
        i: the number of the record in the batch.

    Attributes:
        talk: what it has been asked.
        turns: its decisions, without their rewards.
        counts: turns, "forced" actions without a question, those "ordered" by an earlier answer, decisions that were
            made "instead", and answers that could not be used, by kind.
        action: what it has decided in the present turn, as a row of actions; None before.
        forced: whether it was not asked for that, since it was its only legal action or ordered before.
        said: the words that go with this action.
        spent: how many words it has said.
    """

    def __init__(self, batch: Batch, agent: int, protocol: Protocol, instead: Callable[[], Any], i: int = 0):
        self.batch, self.agent, self.protocol, self.instead, self.i = batch, agent, protocol, instead, i
        self.talk = Conversation(batch, agent, protocol, i)
        self.turns: list[Turn] = []
        self.counts: Counter[str] = Counter()
        self.action: Any = None
        self.forced = False
        self.said, self.spent = "", 0
        self._form = ""  # how an answer may give several decisions now
        self._orders: list[str] = []  # lines of answers in this form
        self._floor: Floor | None = None
        self._asks: Request | None = None
        self._tried: list[tuple[Answer, str | None]] = []

    def settle(self) -> None:
        """Take an action without a question: the only legal one, if the protocol says so, or one ordered before."""
        world, mask = self.batch.world, self.batch.masks[self.i, self.agent]
        self._floor = floor(self.batch, self.agent, self.protocol.talk, self.spent, self.i)
        if self.protocol.skip_forced and not self._floor and not world.control_spaces and np.count_nonzero(mask) == 1:
            action = int(mask.argmax())
            self.talk.forced(world.described(self.agent, action))
            self._take(action, "forced")
        elif not self._floor and (line := self._ordered()) is not None:
            try:
                self._take(self._meant(Answer(line)), "ordered")
            except AnswerError as problem:
                self._orders.remove(line)
                self.talk.note(f"Your order {line!r} cannot be used: {problem}.")

    def _take(self, action: Any, why: str) -> None:
        """Decide without a question."""
        self.counts[why] += 1
        self.action, self.forced = padded(self.batch.world, action), True

    def _ordered(self) -> str | None:
        """The line of the agent's earlier answers that is for its decision now."""
        if self._form != self.talk.batch_form():
            self._form, self._orders = self.talk.batch_form(), []
        return self._line(self._orders)

    def _line(self, lines: Sequence[str]) -> str | None:
        """The one of some lines that is for the agent's decision now."""
        return line_for_now(self.batch.world, self.batch.record(self.i), self.agent, lines)

    def request(self) -> Request:
        """What it is asked now."""
        if self._asks is None:
            self._asks = self.talk.ask(self._floor)
        return self._asks

    def give(self, answer: Answer) -> Outcome:
        """Take an answer: it chooses the action, is returned with what is wrong, or the fallback chooses."""
        self.request()
        try:
            action, said = self._read(answer)
        except AnswerError as error:
            problem = str(error)
            self.counts[error.kind] += 1
            self._tried.append((answer, problem))
            if len(self._tried) > self.protocol.retries:
                return self.give_up(problem)
            self._asks = self.talk.again(answer, problem)
            return Outcome(None, problem)
        self._tried.append((answer, None))
        return self._decide(action, None, said)

    def _read(self, answer: Answer) -> tuple[Any, str]:
        """The action that an answer means, and the words that go with it; words alone go with the neutral action."""
        words = ""
        if self._floor is not None:
            words, answer = said(answer)
            if words and self._floor.neutral is not None and answer.finish != "length" and not acts(answer):
                return self._floor.neutral[0], words
        if self._form and answer.finish != "length":
            given = lines_of(answer.text)
            self._orders += given
            answer = replace(answer, text=self._line(given) or answer.text)
        return self._meant(answer), words

    def _meant(self, answer: Answer) -> Any:
        """The action that an answer means."""
        batch, mask = self.batch, self.batch.masks[self.i, self.agent]
        return read(batch.world, self.agent, mask, answer, self.protocol.actions, batch.record(self.i))

    def give_up(self, problem: str) -> Outcome:
        """No answer can be used, or none is asked for any more: the fallback chooses."""
        self.counts["instead"] += 1
        return self._decide(self.instead(), problem)

    def _decide(self, action: Any, problem: str | None, said: str = "") -> Outcome:
        world, tried = self.batch.world, tuple(self._tried)
        words = world.described(self.agent, action)
        if said and self._floor is not None:
            said = self._heard(said, self._floor, action)
        self.talk.done(tried[-1][0] if tried else None, words, problem, said)
        self.counts["turns"] += 1
        moment, name = int(self.batch.records["t"][self.i]), world.agents[self.agent]
        self.turns.append(Turn(moment, name, self.talk.question, tried, words, problem is None, said))
        self.action, self.forced, self.said = padded(world, action), False, said
        self._asks, self._tried = None, []
        return Outcome(words, problem)

    def _heard(self, said: str, floor: Floor, action: Any) -> str:
        """What of some words the others hear; the next question tells what they do not."""
        world, short = self.batch.world, limited(said, floor.words)
        if hearers(world, self.batch.record(self.i), self.agent, action, floor.talk) is None:
            self.talk.note("Nobody heard your words, because they do not go with what you did.")
            return ""
        if short != said:
            self.talk.note(f"Your words were cut off after {floor.words}.")
        self.spent += len(short.removesuffix(CUT).split())
        return short


def demand_possible(world: World, protocol: Protocol) -> None:
    """Raise `ParameterError` if agents of this world cannot talk, or act in place of unusable answers, as it says."""
    protocol.talk.demand(world)
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
        seats: the seats outside, by number of the agent.
        names: the policies of the other agents, by number.
        returns: (A,) float64, the agents' total rewards so far.
        length: transitions so far.
        words: what agents say; None where they have no words of their own.
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
        protocol.talk.demand(world)
        self.world, self.protocol, self.seed, self.level = world, protocol, seed, level
        self.batch = Batch(world, 1, on_illegal="forfeit" if protocol.otherwise == "forfeit" else "error")
        self.batch.start(seed, level)
        inside = [a for a in range(len(world.agents)) if a not in outside]
        cast = Cast(world, others, seats=inside)
        self.names = {a: policy.name for a, policy in cast.seats.items()}
        self._policies = [turn_of(self.batch, one, self._seats(cast, one), seed) for one in cast.policies]
        self.seats = {a: Seat(self.batch, a, protocol, partial(self._instead, a)) for a in outside}
        self.returns, self.length = np.zeros(len(world.agents)), 0
        self._fallbacks: dict[int, Policy] = {}
        self._earned: dict[int, list[float]] = {a: [0.0] for a in outside}  # one for each turn
        self._moves: list[np.ndarray] = []  # and checksums: a replay, without a recorder's look at each call
        self._by: list[list[str]] = []
        self._checksums = [checksum(self.batch.records)]
        self.words = Words(len(world.agents)) if protocol.talk else None
        self._settle()

    def _settle(self) -> None:
        """Take the actions of seats that have no choice."""
        for a in self.waiting():
            self.seats[a].settle()

    def _seats(self, cast: Cast, policy: Policy) -> np.ndarray:
        """(1, A) bool, the agents that a policy plays."""
        return np.array([[cast.seats.get(a) is policy for a in range(len(self.world.agents))]])

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return bool(self.batch.finished[0])

    def waiting(self) -> list[int]:
        """The agents whose answers the next transition needs."""
        return [a for a, seat in self.seats.items() if self.batch.acting[0, a] and seat.action is None]

    def request(self, agent: int) -> Request:
        """What an agent that is waited for is asked now."""
        return self._waited(agent).request()

    def give(self, agent: int, answer: Answer) -> Outcome:
        """Take an agent's answer: it chooses the action, is returned with what is wrong, or a fallback chooses."""
        return self._waited(agent).give(answer)

    def _waited(self, agent: int) -> Seat:
        if agent not in self.waiting():
            raise NotReadyError(f"{self.world.id}: {self.world.agents[agent]} has nothing to decide now")
        return self.seats[agent]

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
        for a, seat in self.seats.items():
            if seat.action is not None:
                batch.actions[0, a] = seat.action
                if len(seat.turns) > len(self._earned[a]):
                    self._earned[a].append(0.0)
        self._moves.append(taken(batch.actions[0], batch.acting[0] != 0))
        self._by.append([self._chooser(a) if acts else "" for a, acts in enumerate(batch.acting[0].tolist())])
        lines = [] if self.words is None else self._lines()
        batch.step()
        self._tell(lines)
        self.returns += batch.rewards[0]
        self.length += 1
        if self.length % EVERY == 0:
            self._checksums.append(checksum(batch.records))
        for a, seat in self.seats.items():
            seat.action, seat.said = None, ""
            self._earned[a][-1] += float(batch.rewards[0, a])
        self._settle()

    def _lines(self) -> list[Line]:
        """What agents say with the actions that they have chosen, in the order of their numbers."""
        world, record, talk, found = self.world, self.batch.record(), self.protocol.talk, []
        for a in np.flatnonzero(self.batch.acting[0]).tolist():
            seat, action = self.seats.get(a), self.batch.actions[0, a]
            if seat is None and talk.when == "turn":
                continue
            to = hearers(world, record, a, action, talk) if seat is None or seat.said else None
            if to is not None:
                said = phrase(world, a, int(action), self.seed, self.length) if seat is None else seat.said
                by = "policy" if seat is None else "model"
                found.append(Line(self.length, a, to, said, world.described(a, action), by))
        return found

    def _tell(self, lines: Iterable[Line]) -> None:
        """Let those hear lines to whom they were said, after the transition."""
        if self.words is None:
            return
        for line in lines:
            self.words.say(line)
        for a, seat in self.seats.items():
            for line in self.words.new(a):
                seat.talk.hear(shown(line, self.world.agents))

    def _chooser(self, agent: int) -> str:
        """Who chose an agent's action, which has just been decided; an only action counts as the model's own."""
        seat = self.seats.get(agent)
        return "policy" if seat is None else "model" if seat.forced else seat.turns[-1].by

    def turns(self) -> list[Turn]:
        """The decisions of the seats outside so far, in order, with their rewards."""
        found = [
            (turn.step, a, turn._replace(reward=reward))
            for a, seat in self.seats.items()
            for turn, reward in zip(seat.turns, [*self._earned[a], 0.0])  # the last one may be yet to be taken
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
            words=self.words or None,
        )  # fmt: skip
