"""Chat: what is said at a table in the words of people, models and policies (see `envsuite.talk`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from envsuite.core.errors import ActionError
from envsuite.models.agent import LanguageAgent
from envsuite.models.speaking import Floor, floor
from envsuite.serve.blocked import Blocked
from envsuite.serve.limits import Bucket
from envsuite.talk.grammar import grammar_of
from envsuite.talk.reach import Spoken, phrased, reach_with, say_with
from envsuite.talk.words import Line, Words, clean, limited, shown, to_all

if TYPE_CHECKING:
    from envsuite.episodes.replay import Moment
    from envsuite.serve.tables import Table

#: Messages per second of a person where a clock runs, and how many at once.
RATE, BURST = 20 / 60, 5.0

#: Guesses per second for a person, and how many at once.
_GUESSES, _GUESSES_AT_ONCE = 1.0, 5.0


class Draft(NamedTuple):
    """Words of a person that go with the next action, and the name of the agent to whom; "" for all who hear it."""

    text: str = ""
    to: str = ""

    def plain(self) -> dict[str, str]:
        """Its entries in a journal."""
        return {"words": self.text, **({"to": self.to} if self.to else {})} if self.text else {}


class Chat:
    """What is said at a table.

    Words belong to an action, and are heard after the transition that it leads to. Where a clock runs and words go with
    every action, people may write at any time: then they belong to the next one.

    Attributes:
        talk: how the agents talk.
        words: what was said in this episode.
    """

    def __init__(self, table: Table, blocked: Blocked):
        self._table, self._blocked = table, blocked
        self.talk = table.settings.talked()
        self.at_any_time = table.settings.tick > 0 and self.talk.words_with == "turn"
        self._limits = {a: Bucket(RATE, BURST) for a in table.people}
        self._guesses = {a: Bucket(_GUESSES, _GUESSES_AT_ONCE) for a in table.people}
        self.begin()

    def begin(self) -> None:
        """Begin an episode, in which nothing has been said."""
        count = len(self._table.world.agents)
        self.words = Words(count)
        self._logs: list[list[Line]] = [[] for _ in range(count)]  # what each agent has said and heard
        self._drafts: dict[int, list[Draft]] = {}
        self._first: dict[int, int] = {}  # the place in its log with which each seat's owner has come

    # Speakers.

    def floor(self, seat: int) -> Floor | None:
        """What a person may say now; None if nothing."""
        batch = self._table.session.batch
        out = batch.terminations[0, seat] or batch.truncations[0, seat]
        if out or not (self.at_any_time or batch.acting[0, seat]):
            return None
        return floor(batch, seat, self.talk, self.words.spent(seat))

    def guess(self, seat: int, text: str) -> int | None:
        """The act of speech that a person may mean by words, None if their form tells none; the person chooses."""
        now = self.floor(seat) if self._guesses[seat].take() else None
        return None if now is None else grammar_of(self._table.world, seat).act(clean(text), now.speech)

    def draft(self, seat: int, message: Mapping[str, Any], action: Any = None) -> Draft:
        """What a person says by a message, as others will read it; its text is "" for nothing.

        `ActionError` if it cannot be said now, or not with this action; None is an action that is yet to be chosen.
        """
        text, to = self._blocked.replaced(clean(message.get("words", ""))), message.get("to", "")
        if not text:
            return Draft()
        now = self.floor(seat)
        if now is None:
            raise ActionError("you cannot say anything now")
        reach = reach_with(self._table.world, self._table.record, seat, action, self.talk)
        if not reach:
            raise ActionError("words do not go with this action: choose another one, or say nothing")
        if to not in reach:
            raise ActionError(f"{to:.40} alone cannot hear you: speak to all who hear your action")
        if self._table.settings.tick and not self._limits[seat].take():
            raise ActionError("you can say 20 things a minute: please wait")
        return Draft(limited(text, now.words), to)

    def write(self, seat: int, draft: Draft) -> None:
        """Note what a person says with the next action; at any time, it comes after what was written before."""
        self._drafts[seat] = [*(self._drafts.get(seat, ()) if self.at_any_time else ()), draft]

    def settled(self, seat: int) -> bool:
        """Whether a person's words belong to the choice that has been made, so that it stands."""
        return not self.at_any_time and any(draft.text for draft in self._drafts.get(seat, ()))

    def drop(self, seat: int) -> None:
        """Forget what a person was about to say."""
        self._drafts.pop(seat, None)

    # What is said, and who hears it.

    def lines(self) -> list[Line]:
        """What was said with the actions of the last transition, by number of the agent."""
        if not self.talk:
            return []
        before = self._table.session.timeline.at(self._table.session.step - 1)
        return [line for a in np.flatnonzero(before.acting).tolist() for line in self._said(a, before) if line.text]

    def _said(self, agent: int, before: Moment) -> list[Line]:
        """What an agent said with its last action; `before` is the moment before that."""
        session, world = self._table.session, self._table.world
        action, by = session.timeline.actions[-1][agent], session.timeline.by[-1][agent]
        if agent in self._drafts:
            reach = reach_with(world, before.record, agent, action, self.talk)
            by, said = "person", [Spoken(draft.text, reach[draft.to]) for draft in self._drafts[agent] if reach]
        elif by == "model":
            said = self._model(agent).said
        elif by == "policy":
            return phrased(world, before.record, agent, action, self.talk, session.start.seed or 0, before.step)
        else:
            return []
        act = world.described(agent, action)
        return [one.line(before.step, agent, act, by) for one in said]

    def _model(self, agent: int) -> Any:
        """The seat of a language model."""
        session = self._table.session
        model: Any = session.cast.seats[agent]
        return model.seat(session.batch, 0, agent)

    def tell(self, lines: Sequence[Line]) -> None:
        """Note what was said with the last transition, and let those hear it whom it has reached."""
        if not self.talk:
            return
        world, session = self._table.world, self._table.session
        before = session.timeline.at(session.step - 1)
        say_with(self.words, lines, world, before.record, self.talk)
        self.words.release(partial(world.hearing, self._table.record))
        self._drafts = {a: drafts for a, drafts in self._drafts.items() if not before.acting[a]}
        for a, log in enumerate(self._logs):
            heard, own = self.words.new(a), [line for line in lines if line.agent == a]
            log += sorted([*heard, *own], key=lambda line: line[:2])
            self._hear(a, heard)

    def _hear(self, agent: int, lines: Sequence[Line]) -> None:
        """Let a language model hear lines: the one in this seat, or the one that plays while its person is absent."""
        if isinstance(self._table.session.cast.seats.get(agent), LanguageAgent):
            seat = self._model(agent)
            seat.spent = self.words.spent(agent)
            for line in lines:
                seat.talk.hear(shown(line, self._table.world.agents))

    def welcome(self, seat: int) -> None:
        """Somebody takes a seat, and hears nothing from before."""
        self._first[seat] = len(self._logs[seat])

    def log(self, viewer: int | None, first: int = 0) -> list[dict[str, Any]]:
        """The lines that a viewer knows from one on, as pages show them; spectators (None) know all."""
        lines = self.words.lines if viewer is None else self._logs[viewer][self._first.get(viewer, 0) :]
        return [self._shown(line, viewer) for line in lines[first:]]

    def _shown(self, line: Line, viewer: int | None) -> dict[str, Any]:
        agents = self._table.world.agents
        to = [] if to_all(line, agents) else [agents[a] for a in line.to]
        meant = self.talk.words_with == "speech" and (self.talk.mode == "beside" or viewer in (None, line.agent))
        return {"who": agents[line.agent], "to": to, "text": line.text, "act": line.act if meant else ""}


def entry_of(lines: Iterable[Line]) -> Mapping[str, Any]:
    """The entry of a journal for the lines of a step; empty if there are none."""
    found = [list(line) for line in lines]
    return {"said": found} if found else {}


def lines_of(event: Mapping[str, Any]) -> list[Line]:
    """The lines of a step in a journal."""
    return [Line.of(row) for row in event.get("said", ())]
