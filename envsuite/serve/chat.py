"""Chat: what is said at a table in the words of people, models and policies (see `envsuite.talk`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.core.errors import ActionError
from envsuite.models.agent import LanguageAgent
from envsuite.models.speaking import Floor, floor, hearers
from envsuite.serve.blocked import Blocked
from envsuite.serve.limits import Bucket
from envsuite.talk.voice import phrase
from envsuite.talk.words import Line, Words, clean, limited, shown

if TYPE_CHECKING:
    from envsuite.serve.tables import Table

#: Messages per second of a person where a clock runs, and how many at once.
RATE, BURST = 20 / 60, 5.0


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
        self.at_any_time = table.settings.tick > 0 and self.talk.when == "turn"
        self._limits = {a: Bucket(RATE, BURST) for a in table.people}
        self.begin()

    def begin(self) -> None:
        """Begin an episode, in which nothing has been said."""
        self.words = Words(len(self._table.world.agents))
        self._own: dict[int, list[str]] = {}  # what people say with their next action
        self._first: dict[int, int] = {}  # the line with which each seat's owner has come

    # Speakers.

    def floor(self, seat: int) -> Floor | None:
        """What a person may say now; None if nothing."""
        batch = self._table.session.batch
        out = batch.terminations[0, seat] or batch.truncations[0, seat]
        if out or not (self.at_any_time or batch.acting[0, seat]):
            return None
        return floor(batch, seat, self.talk, self.words.spent(seat))

    def checked(self, seat: int, text: str, action: Any) -> str:
        """The words of a person as others will read them, "" for none.

        `ActionError` if they cannot be said now, or with this action; None is an action that is yet to be chosen.
        """
        text = self._blocked.replaced(clean(text))
        if not text:
            return ""
        now = self.floor(seat)
        if now is None:
            raise ActionError("you cannot say anything now")
        if action is not None and self._hearers(self._table.record, seat, action) is None:
            raise ActionError("words do not go with this action: choose another one, or say nothing")
        if self._table.settings.tick and not self._limits[seat].take():
            raise ActionError("you can say 20 things a minute: please wait")
        return limited(text, now.words)

    def _hearers(self, record: Any, agent: int, action: Any) -> tuple[int, ...] | None:
        return hearers(self._table.world, record, agent, action, self.talk)

    def write(self, seat: int, text: str) -> None:
        """Note what a person says with the next action; at any time, it comes after what was written before."""
        self._own[seat] = [*(self._own.get(seat, ()) if self.at_any_time else ()), *filter(None, [text])]

    def drop(self, seat: int) -> None:
        """Forget what a person was about to say."""
        self._own.pop(seat, None)

    # What is said, and who hears it.

    def lines(self) -> list[Line]:
        """What was said with the actions of the last transition, by number of the agent."""
        session = self._table.session
        if not self.talk:
            return []
        before, found = session.timeline.at(session.step - 1), list[Line]()
        for a in np.flatnonzero(before.acting).tolist():
            action = before.actions[a]
            by, texts = self._said(a, action, session.timeline.by[-1][a], before.step)
            to = self._hearers(before.record, a, action) if texts else None
            if to is not None:
                act = self._table.world.described(a, action)
                found += [Line(before.step, a, to, text, act, by) for text in texts]
        return found

    def _said(self, agent: int, action: Any, by: str, step: int) -> tuple[str, list[str]]:
        """Who chose an agent's words in a transition, and the words."""
        session = self._table.session
        if agent in self._own:
            return "person", self._own[agent]
        if by == "model":
            return by, [self._model(agent).said]
        if by == "policy" and self.talk.when == "speech":
            return by, [phrase(session.world, agent, int(action), session.start.seed or 0, step)]
        return by, []

    def _model(self, agent: int) -> Any:
        """The seat of a language model."""
        session = self._table.session
        return session.cast.seats[agent].seat(session.batch, 0, agent)

    def tell(self, lines: Iterable[Line]) -> None:
        """Note the lines of a transition, and let language models hear them."""
        for line in lines:
            self.words.say(line)
            self.drop(line.agent)
        for a, player in self._table.session.cast.seats.items() if self.talk else ():
            if isinstance(player, LanguageAgent):
                seat = self._model(a)
                seat.spent = self.words.spent(a)
                for line in self.words.new(a):
                    seat.talk.hear(shown(line, self._table.world.agents))

    def welcome(self, seat: int) -> None:
        """Somebody takes a seat, and hears nothing from before."""
        self._first[seat] = len(self.words)

    def heard(self, viewer: int | None, first: int) -> list[dict[str, Any]]:
        """The lines from number `first` on that a viewer knows, as pages show them; spectators (None) know all."""
        known = self.words.lines[max(first, self._first.get(viewer, 0) if viewer is not None else 0) :]
        return [self._shown(line, viewer) for line in known if viewer is None or viewer in (line.agent, *line.to)]

    def _shown(self, line: Line, viewer: int | None) -> dict[str, Any]:
        agents = self._table.world.agents
        to = [] if len(line.to) == len(agents) - 1 else [agents[a] for a in line.to]
        meant = self.talk.mode == "beside" or viewer in (None, line.agent)
        return {"who": agents[line.agent], "to": to, "text": line.text, "act": line.act if meant else ""}


def plain(lines: Iterable[Line]) -> Mapping[str, Any]:
    """The entry of a journal for the lines of a step."""
    found = [list(line) for line in lines]
    return {"said": found} if found else {}


def lines_of(event: Mapping[str, Any]) -> list[Line]:
    """The lines of a step in a journal."""
    return [Line(step, agent, tuple(to), text, act, by) for step, agent, to, text, act, by in event.get("said", ())]
