"""Words that reach others with the actions of those who say them, in environments, recorders and windows."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from envsuite.core.batch import FORFEIT, RESET, STEP, Batch
from envsuite.core.errors import ActionError, AgentError, ParameterError, ReplayError, SnapshotError, suggest
from envsuite.core.record import copied
from envsuite.core.world import World
from envsuite.talk.reach import acts_of, hearers, phrased, say_with
from envsuite.talk.table import Talk
from envsuite.talk.words import Line, Words, clean, limited


def plain(line: Line, agents: Sequence[str]) -> dict[str, Any]:
    """A line as plain data: the names of who said it and of those who heard it, and the words."""
    return {"from": agents[line.agent], "to": [agents[a] for a in line.to], "text": line.text}


def addressed(text: str, agents: Sequence[str]) -> tuple[str, str]:
    """To whom a typed text is said, and its words: "player_2" and "hello" for "to player_2: hello"; else to "all"."""
    head, colon, words = text.partition(":")
    to, _, name = head.strip().partition(" ")
    return (name.strip(), words.strip()) if colon and to == "to" and name.strip() in agents else ("all", text)


class Delivery:
    """Takes what the agents of an episode say, and delivers it after the transition that it goes with.

    Args:
        batch: the batch in which the episode is played.
        talk: how agents talk.
        scripted: the numbers of the agents that speak by the sentences of their world.
        by: who chooses the words of the others, see `Line`.
        i: the number of the episode's record.

    Attributes:
        seed: of the sentences.
        words: what has been said in the episode.
        waiting: by agent, the words that its next act of speech will say, and to whom; None for all whom that reaches.
        last: the lines of the last transition.
    """

    def __init__(self, batch: Batch, talk: Talk, scripted: Collection[int] = (), by: str = "model", i: int = 0):
        talk.demand(batch.world)
        if talk.in_rounds or talk.reader != "own":
            raise ParameterError('talk: rounds and readers are of drivers; here when="speech" or "turn", reader="own"')
        self.batch, self.talk, self.scripted, self.by, self.i = batch, talk, scripted, by, i
        self.seed = 0
        self.begin()

    def begin(self, words: Words | None = None) -> None:
        """An episode begins, in which nothing but these words has been said."""
        count = len(self.batch.world.agents)
        self.words = Words(count) if words is None else words
        self.last: list[Line] = []
        self.waiting: dict[int, tuple[str, tuple[int, ...] | None]] = {}
        self._heard: list[list[Line]] = [[] for _ in range(count)]  # by agent, since its last action

    @property
    def known(self) -> Any:
        """The record as agents that hear words may know it: in free talk without acts of speech."""
        return self.talk.known(self.batch.world, self.batch.record(self.i))

    def say(self, agent: int, text: str, to: str | Collection[str] = "all") -> str:
        """Keep words until the agent's next act of speech, in place of those that were kept before; "" for none.

        Args:
            agent: the number of the agent.
            text: the words.
            to: "all" for all whom the act reaches, or the names of some of them.

        Returns:
            The words as others will hear them, clean and cut to their limit.

        Raises:
            ActionError: it cannot speak now, or not to these agents, or has no words left.
            AgentError: there is no agent of such a name.
        """
        agents = self.batch.world.agents
        if not isinstance(text, str):
            raise ActionError(f"{agents[agent]} says text, not {type(text).__name__}")
        named = None if to == "all" else self._numbers([to] if isinstance(to, str) else to)
        if named is not None and "private" not in self.talk.channels:
            raise ActionError('words are for all who hear the act: Talk(channels=("public", "private")) has others too')
        left, reached = self.left(agent), self.reach(agent)
        if left <= 0:
            raise ActionError(f"{agents[agent]} has no words left: an episode has {self.talk.total}")
        if reached is None:
            raise ActionError(f"{agents[agent]} cannot speak now")
        for a in named or ():
            if a not in reached:
                raise ActionError(f"{agents[agent]} cannot speak to {agents[a]} now")
        words = limited(clean(text), left)
        self.waiting[agent] = words, named
        return words

    def _numbers(self, names: Collection[str]) -> tuple[int, ...]:
        """The numbers of agents in order, or `AgentError`."""
        agents = self.batch.world.agents
        for name in names:
            if name not in agents:
                raise AgentError(f"{self.batch.world.id} has no agent {name!r:.60}{suggest(str(name), agents)}")
        return tuple(sorted({agents.index(name) for name in names}))

    def reach(self, agent: int) -> set[int] | None:
        """Those whom an agent can speak to now; None if it cannot speak."""
        if not self.batch.acting[self.i, agent] or self.left(agent) <= 0:
            return None
        if self.talk.words_with == "turn":
            return set(range(len(self.batch.world.agents))) - {agent}
        heard = acts_of(self.batch, agent, self.talk, self.i).values()
        return set[int]().union(*heard) if heard else None

    def left(self, agent: int) -> int:
        """How many words an agent may say at a turn."""
        return self.talk.left(self.words.spent(agent))

    def hold(self) -> tuple[Any, np.ndarray]:
        """The record before a transition, and who acts in it, for `deliver`."""
        return copied(self.batch.record(self.i)), self.batch.acting[self.i] != 0

    def deliver(self, held: tuple[Any, np.ndarray], step: int) -> None:
        """After a transition, let agents hear what has reached them.

        Args:
            held: what `hold` gave before the transition.
            step: the number of transitions before it.
        """
        record, acting = held
        found = [self._lines(record, a, self.batch.actions[self.i, a], step) for a in np.flatnonzero(acting).tolist()]
        self.last = [line for lines in found for line in lines if line.text]
        say_with(self.words, self.last, self.batch.world, record, self.talk)
        self.words.release(partial(self.batch.world.hearing, self.batch.record(self.i)))
        for a, heard in enumerate(self._heard):
            if acting[a]:
                heard.clear()
            heard += self.words.new(a)

    def _lines(self, record: Any, agent: int, action: Any, step: int) -> list[Line]:
        """What an agent says with its action: one line, which may be empty, or none."""
        world = self.batch.world
        if np.ndim(action) == 0 and action < 0:  # it forfeits
            return []
        if agent in self.scripted:
            return phrased(world, record, agent, action, self.talk, self.seed, step)
        to = hearers(world, record, agent, action, self.talk)
        if to is None:
            return []
        text, named = self.waiting.get(agent, ("", None))
        alone = to if named is None else tuple(a for a in to if a in named)
        if named and not alone:
            return []  # the words wait for an act that reaches one of these
        self.waiting.pop(agent, None)
        channel = "public" if named is None else "private"
        return [Line(step, agent, alone, text, world.described(agent, action), self.by, channel)]

    def heard(self, agent: int) -> list[dict[str, Any]]:
        """What an agent has heard since its last action, as plain data."""
        return [plain(line, self.batch.world.agents) for line in self._heard[agent]]

    # Snapshots.

    def to_bytes(self) -> bytes:
        """What was said, and what is kept until it is."""
        waiting = [[agent, *words] for agent, words in self.waiting.items()]
        numbers = {id(line): k for k, line in enumerate(self.words.lines)}
        heard = [[numbers[id(line)] for line in lines] for lines in self._heard]
        held = [[numbers[id(line)], a, int(key)] for line, a, key in self.words.held]
        return json.dumps([self.words.lines, waiting, heard, held, self.seed]).encode()

    def from_bytes(self, data: bytes) -> Delivery:
        """Another one of this batch as it was written, or `SnapshotError`."""
        made = Delivery(self.batch, self.talk, self.scripted, self.by, self.i)
        agents, steps = range(len(self._heard)), int(self.batch.records["t"][self.i])
        try:
            told, waiting, heard, held, seed = json.loads(data)
            made.words = Words.from_bytes(json.dumps(told).encode(), len(agents), steps, "the state")
            lines, places = made.words.lines, range(len(told))
            for a, numbers in zip(agents, heard, strict=True):
                made.words.new(a)
                made._heard[a] = [lines[_among(k, places)] for k in numbers]
            made.words.held = [(lines[_among(k, places)], _among(a, agents), int(key)) for k, a, key in held]
            for a, text, to in waiting:
                named = None if to is None else tuple(_among(k, agents) for k in to)
                made.waiting[_among(a, agents)] = clean(text), named
            made.seed = _among(seed, range(2**64))
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError, ReplayError) as problem:
            raise SnapshotError(f"{self.batch.world.id}: what the state says of words cannot be: {problem}") from None
        return made

    def take(self, other: Delivery) -> None:
        """Continue from where another one is."""
        self.seed, self.words, self.last = other.seed, other.words, other.last
        self.waiting, self._heard = other.waiting, other._heard


def _among(value: Any, numbers: range) -> int:
    """A number if it is one of these, or `ValueError`."""
    if type(value) is not int or value not in numbers:
        raise ValueError(f"{value!r:.60} is no number from 0 to {numbers[-1]}")
    return value


class TalkingBatch(Batch):
    """A batch of one episode in which agents talk; `Delivery` is its `talk`."""

    def __init__(self, world: World, talk: Talk, scripted: Collection[int] = (), **options: Any):
        super().__init__(world, 1, **options)
        self.talk = Delivery(self, talk, scripted)

    def run(self) -> None:
        command, held = int(self.commands[0]), self.talk.hold()
        super().run()
        if command in (STEP, FORFEIT):
            self.talk.deliver(held, int(held[0].t))
        elif command == RESET:
            self.talk.begin()
