"""One episode whose seats are played by policies, and by answers that come from outside.

    driver = Driver(world, {0}, {1: "tactical"}, seed=0)
    while not driver.done:
        for agent in driver.waiting():
            while driver.give(agent, Answer(ask(driver.request(agent).messages))).action is None:
                pass
        driver.advance()

Evaluations, trainers' environments and groups of rollouts are played by it, so that an answer that cannot be used is
told, returned and replaced alike in all of them. Nothing here waits or sends: whoever drives brings the answers.

In a round of talk, those that wait are asked for words alone, and `advance` lets the others hear them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
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
from envsuite.models.shots import examples
from envsuite.models.speaking import (
    Floor,
    Said,
    acts,
    all_uttered,
    floor,
    joined,
    placed,
    quoted,
    round_floor,
    uttered,
)
from envsuite.talk.grammar import grammar_of
from envsuite.talk.reach import Reach, Spoken, phrased, reach_with, say_with
from envsuite.talk.table import turns_to_speak
from envsuite.talk.words import Line, Words, shown


class Outcome(NamedTuple):
    """What an answer came to.

    Attributes:
        action: what the agent does, in words, also in a round of talk; None where it is asked again.
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
            made "instead", "rounds" of talk, and answers that could not be used, by kind; words "not understood" by a
            reader.
        action: what it has decided in the present turn, as a row of actions; None before.
        forced: whether it was not asked for that, since it was its only legal action or ordered before.
        talks: whether it is asked for words alone, in a round of talk.
        reads: whether its question is for the model that finds the act in its words.
        said: the words that go with this action, or that it says in this round.
        spent: how many words it has said.
    """

    def __init__(self, batch: Batch, agent: int, protocol: Protocol, instead: Callable[[], Any], i: int = 0):
        self.batch, self.agent, self.protocol, self.instead, self.i = batch, agent, protocol, instead, i
        shots = examples(batch.world, agent, protocol, Driver) if protocol.shots else []
        self.talk = Conversation(batch, agent, protocol, i, shots)
        self.turns: list[Turn] = []
        self.counts: Counter[str] = Counter()
        self.action: Any = None
        self.forced = self.talks = False
        self.said: list[Spoken] = []
        self.spent = 0
        self._words: Sequence[Said] = ()  # that a model reads
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

    def confer(self, channels: Collection[str], number: int) -> bool:
        """Begin a round of talk of this number on these channels. Returns whether the agent can say something."""
        self._floor = round_floor(self.batch, self.agent, self.protocol.talk, self.spent, channels, number)
        self.talks = self._floor is not None
        return self.talks

    def request(self) -> Request:
        """What it is asked now."""
        if self._asks is not None:
            return self._asks
        floor = self._floor
        if floor is not None and self.talks:
            self._asks = self.talk.confer(floor)
        elif floor is not None and self.reads:
            self._asks = self.talk.reading(floor, joined(self._words))
        else:
            self._asks = self.talk.ask(floor)
        return self._asks

    @property
    def reads(self) -> bool:
        return bool(self._words)

    def give(self, answer: Answer) -> Outcome:
        """Take an answer: it chooses the action, is returned with what is wrong, or the fallback chooses.

        In a round of talk it is words, or silence.
        """
        self.request()
        if self.talks:
            return self._confer(answer)
        if self.reads:
            return self._understood(answer)
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
        if action is None:  # and a model finds it in the words
            self._words, self._asks = said, None
            return Outcome(None, None)
        return self._decide(action, None, said)

    def _confer(self, answer: Answer) -> Outcome:
        """Take the words of a round of talk."""
        assert self._floor is not None
        self.said = self._heard(all_uttered(answer), self._floor.reach)
        told = quoted(self.said, self.batch.world.agents)
        self.talk.conferred(answer, told)
        self.counts["rounds"] += 1
        self.talks, self._asks = False, None
        return Outcome(f'says "{told}"' if told else "says nothing", None)

    def _read(self, answer: Answer) -> tuple[Any, Sequence[Said]]:
        """The action that an answer means, and the words that go with it; words alone go with the neutral action.

        No action if a model is to find it in the words.
        """
        words: list[Said] = []
        if self._floor is not None and self._floor.reads:
            return self._read_words(answer, self._floor)
        if self._floor is not None:
            words, answer = uttered(answer)
            neutral = self._floor.neutral_for(words) if words else None
            if neutral is not None and answer.finish != "length" and not acts(answer):
                return neutral[0], words
        if self._form and answer.finish != "length":
            given = lines_of(answer.text)
            self._orders += given
            answer = replace(answer, text=self._line(given) or answer.text)
        return self._meant(answer), words

    def _meant(self, answer: Answer) -> Any:
        """The action that an answer means."""
        batch, mask = self.batch, self.batch.masks[self.i, self.agent]
        return read(batch.world, self.agent, mask, answer, self.protocol.actions, batch.record(self.i))

    def _read_words(self, answer: Answer, floor: Floor) -> tuple[Any, Sequence[Said]]:
        """As `_read`, where a reader finds acts of speech in words; other actions are named as always."""
        words, rest = uttered(answer)
        cut = answer.finish == "length"
        if answer.refusal or (cut and not words) or (not cut and acts(rest)):
            action = self._meant(rest)
            if action not in floor.speech:
                return action, words
        words = words or all_uttered(answer)
        if words and self.protocol.talk.reading_model is not None:
            return None, words
        found = grammar_of(self.batch.world, self.agent).act(joined(words), floor.speech)
        return self._understood_as(found, words), words

    def _understood(self, answer: Answer) -> Outcome:
        """Take the answer of the model that reads what this agent says."""
        assert self._floor is not None
        mask = np.zeros_like(self.batch.masks[self.i, self.agent])
        mask[list(self._floor.speech)] = 1
        try:
            action = read(self.batch.world, self.agent, mask, answer, "names")
        except AnswerError:
            action = None
        words, self._words = self._words, ()
        return self._decide(self._understood_as(action, words), None, words)

    def _understood_as(self, action: int | None, words: Sequence[Said]) -> int:
        """The act that a reader has found in words, or the neutral one; the speaker is told it."""
        assert self._floor is not None and self._floor.neutral is not None
        if action is None:
            self.counts.update(["not understood"] if words else [])
            action = self._floor.neutral[0]
        if words:
            self.talk.note(f"Understood as: {self.batch.world.described(self.agent, action)}.")
        return action

    def give_up(self, problem: str) -> Outcome:
        """No answer can be used, or none is asked for any more: the fallback chooses."""
        self.counts["instead"] += 1
        return self._decide(self.instead(), problem)

    def _decide(self, action: Any, problem: str | None, words: Sequence[Said] = ()) -> Outcome:
        world, tried = self.batch.world, tuple(self._tried)
        did = world.described(self.agent, action)
        record, talk = self.batch.record(self.i), self.protocol.talk
        self.said = self._heard(words, reach_with(world, record, self.agent, action, talk)) if words else []
        told = quoted(self.said, world.agents)
        self.talk.done(tried[-1][0] if tried else None, did, problem, told)
        self.counts["turns"] += 1
        moment, name = int(self.batch.records["t"][self.i]), world.agents[self.agent]
        self.turns.append(Turn(moment, name, self.talk.question, tried, did, problem is None, told))
        self.action, self.forced = padded(world, action), False
        self._asks, self._tried = None, []
        return Outcome(did, problem)

    def _heard(self, said: Sequence[Said], reach: Mapping[str, Reach]) -> list[Spoken]:
        """Some words as the others hear them; the next question tells what they do not hear."""
        if not reach:
            self.talk.note("Nobody heard your words, because they do not go with what you did.")
            return []
        assert self._floor is not None
        lines, notes, spent = placed(said, reach, self._floor.words)
        for note in notes:
            self.talk.note(note)
        self.spent += spent
        return lines


def demand_possible(world: World, protocol: Protocol) -> None:
    """Raise `ParameterError` if agents of this world cannot talk, be treated or be replaced as a protocol says."""
    protocol.demand(world)
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
        protocol.demand(world)
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
        self._open()

    def _open(self) -> None:
        """Begin a step: with the rounds of talk before it, if there are any, or with its decisions."""
        talk, record = self.protocol.talk, self.batch.record()
        self._channels: Collection[str] = talk.due(self.world, record, self.length) if talk and not self.done else ()
        rounds = range(talk.rounds if self._channels else 0)
        order = [turns_to_speak(talk, list(self.seats), self.seed, self.length, number) for number in rounds]
        self._rounds = [(number, agents) for number in rounds for agents in order[number]]
        self._next()

    def _next(self) -> None:
        """Ask those that talk next; after the last ones, those that decide, unless they have no choice."""
        self._talking: list[int] = []
        while self._rounds and not self._talking:
            number, agents = self._rounds.pop(0)
            self._talking = [a for a in agents if self.seats[a].confer(self._channels, number)]
        if not self._talking:
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
        """The agents whose answers the next transition needs, or the next agents of a round of talk."""
        if self._talking:
            return [a for a in self._talking if self.seats[a].talks]
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
        """Continue: with a transition, by the actions of all that act, or with what was said in a round of talk."""
        if self.done:
            raise NotReadyError(f"{self.world.id}: the episode is over")
        if waiting := self.waiting():
            raise NotReadyError(f"{self.world.id}: {self.world.agents[waiting[0]]} has not answered")
        if self._talking:
            self._end_round()
            self._next()
        else:
            self._step()
            self._open()

    def _end_round(self) -> None:
        """Let the others hear what those say whose turn it was in a round of talk."""
        assert self.words is not None
        for a in self._talking:
            for line in self._spoken(a, ""):
                self.words.say(line)
        self._tell(self.words)

    def _tell(self, words: Words) -> None:
        """Let seats hear what has reached them."""
        for a, seat in self.seats.items():
            for line in words.new(a):
                seat.talk.hear(shown(line, self.world.agents))

    def _step(self) -> None:
        """A transition."""
        batch = self.batch
        for turn in self._policies:
            turn()
        for a, seat in self.seats.items():
            if seat.action is not None:
                batch.actions[0, a] = seat.action
                if len(seat.turns) > len(self._earned[a]):
                    self._earned[a].append(0.0)
        self._moves.append(taken(batch.actions[0], batch.acting[0] != 0))
        self._by.append([self._chooser(a) if acts else "" for a, acts in enumerate(batch.acting[0].tolist())])
        if self.words is not None:
            say_with(self.words, self._lines(), self.world, batch.record(), self.protocol.talk)
        batch.step()
        if self.words is not None:
            self.words.release(partial(self.world.hearing, batch.record()))
            self._tell(self.words)
        self.returns += batch.rewards[0]
        self.length += 1
        if self.length % EVERY == 0:
            self._checksums.append(checksum(batch.records))
        for a, seat in self.seats.items():
            seat.action = None
            self._earned[a][-1] += float(batch.rewards[0, a])

    def _lines(self) -> list[Line]:
        """What agents say with the actions that they have chosen, in the order of their numbers."""
        world, record, found = self.world, self.batch.record(), list[Line]()
        for a in np.flatnonzero(self.batch.acting[0]).tolist():
            action = self.batch.actions[0, a]
            if a in self.seats:
                found += self._spoken(a, world.described(a, action))
            else:
                found += phrased(world, record, a, action, self.protocol.talk, self.seed, self.length)
        return found

    def _spoken(self, agent: int, act: str) -> list[Line]:
        """What a seat outside says with an act, or in a round of talk."""
        said, self.seats[agent].said = self.seats[agent].said, []
        return [one.line(self.length, agent, act, "model") for one in said]

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
        last = [checksum(self.batch.records)] if self.length % EVERY else []
        return Replay(
            world, Start(self.seed, None if self.level is None else dict(self.level)),
            np.array(self._moves).astype(action_type(world)), (*self._checksums, *last), self.returns.copy(),
            self.done, "models", players={world.agents[a]: named[a] for a in sorted(named)}, by=np.array(self._by),
            words=(self.words and self.words.until(self.length)) or None,
        )  # fmt: skip
