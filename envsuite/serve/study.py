"""Studies: participants who agree, answer, wait for each other and play, in the order that a plan says.

A participant has a secret, in the part of the link after ``#``. It opens the place in the study and the seat at each
table. Everything that a participant does is in a journal before it is acknowledged. So after a lost connection, a
reload or a kill of the server, the link leads back to the same place.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response

from envsuite.core.errors import ParameterError
from envsuite.serve.journal import Journal, JournalError
from envsuite.serve.plan import Condition, Plan, Question
from envsuite.serve.tables import Models, Table, digest
from envsuite.serve.web import Host, answer, body_of, html, refusal

#: The journal of the participants, in the folder of the tables.
PARTICIPANTS = "participants.jsonl"

#: Bytes of a page of answers, at most.
_MOST_BYTES = 200_000


@dataclass
class Participant:
    """A participant, and how far they are.

    Attributes:
        number: it counts up from 0.
        digest: of the secret.
        id: what the link called them (``?id=``), or "".
        order: the names of their conditions.
        code: what the end shows.
        step: the number of parts that they have finished.
        table, seat: the id of the table of the present part, and the seat there; None before it is found.
        left: whether they have left the study.
    """

    number: int
    digest: str
    id: str
    order: list[str]
    code: str | None
    step: int = 0
    table: str | None = None
    seat: int = 0
    left: bool = False


@dataclass(frozen=True)
class Part:
    """A part of the study: questions, or the tables of a condition.

    Attributes:
        at: "before", "after", or the name of a condition.
        questions: what is asked; empty where something is played.
        condition: what is played.
    """

    at: str
    questions: Sequence[Question] = ()
    condition: Condition | None = None


def parts(plan: Plan, order: Sequence[str]) -> list[Part]:
    """All parts for a participant with this order of conditions."""
    found, named = [Part("before", plan.before)], {condition.name: condition for condition in plan.conditions}
    for name in order:
        found += [Part(name, condition=named[name]), Part(name, named[name].questions)]
    found.append(Part("after", plan.after))
    return [part for part in found if part.questions or part.condition]


class Study(Host):
    """A server of one study, with its participants and tables in a folder.

    Args:
        plan: the plan; a folder that holds another one is refused.
        folder: for journals and replays.
        models: language models by name, for seats "language:NAME".
    """

    def __init__(self, plan: Plan, folder: Path, models: Models | None = None):
        super().__init__(folder, (), models)
        self.plan, self.people = plan, dict[str, Participant]()
        self._numbered: list[Participant] = []
        self._free: dict[str, list[Table]] = {condition.name: [] for condition in plan.conditions}
        self.journal = Journal(folder / PARTICIPANTS)
        content = plan.model_dump(mode="json", exclude_unset=True)
        if not self.journal.events:
            self.journal.append(plan=content)
        elif self.journal.events[0].get("plan") != content:
            raise JournalError(
                f"{folder} holds another study, or an earlier version of this one: choose another folder"
            )
        for event in self.journal.events[1:]:
            self._restore(event)

    def _restore(self, event: Mapping[str, Any]) -> None:
        if "participant" in event:
            self._join(Participant(*(event[name] for name in ("participant", "digest", "id", "order", "code"))))
            return
        participant = self._numbered[event["of"]]
        if "table" in event:
            if event["table"] not in self.tables:
                raise JournalError(f"{self.folder} has no journal of the table {event['table']}")
            table = self._sit(participant, event["table"], event["seat"])
            self._offer(event["at"], table)
        elif "left" in event:
            participant.left = True
        else:
            self._finish(participant)

    def _join(self, participant: Participant) -> None:
        self.people[participant.digest] = participant
        self._numbered.append(participant)

    def _offer(self, name: str, table: Table) -> None:
        """Show a table to participants who come to its condition, while it has free seats."""
        if table not in self._free[name] and not table.ready and not table.done:
            self._free[name].append(table)

    @staticmethod
    def _finish(participant: Participant) -> None:
        participant.step += 1
        participant.table = None

    # What participants do.

    def agree(self, id: str) -> str:
        """A new participant, who agrees to take part; the secret."""
        number = len(self._numbered)
        if number >= self.plan.participants:
            raise ParameterError("the study is full")
        secret, order = secrets.token_urlsafe(24), self.plan.ordered(number)
        code = secrets.token_hex(4).upper() if self.plan.payment == "random" else self.plan.payment
        self.journal.append(participant=number, digest=digest(secret), id=id, order=order, code=code)
        self._join(Participant(number, digest(secret), id, order, code))
        return secret

    def now(self, secret: str) -> dict[str, Any]:
        """What a participant's page shows; `ParameterError` for a secret that nobody has."""
        participant = self._known(secret)
        todo = parts(self.plan, participant.order)
        if participant.table is not None:
            if not self.tables[participant.table].done:
                return {"kind": "table", "table": participant.table}
            self.journal.append(of=participant.number, played=participant.table)
            self._finish(participant)
        if participant.left or participant.step == len(todo):
            return {"kind": "end", "code": None if participant.left else participant.code, "left": participant.left}
        part = todo[participant.step]
        place = {"step": participant.step, "of": len(todo)}
        if part.condition is not None:
            return {"kind": "start", "text": part.condition.text, **place}
        return {"kind": "questions", "questions": [one.model_dump() for one in part.questions], **place}

    def _known(self, secret: Any) -> Participant:
        found = self.people.get(digest(secret)) if isinstance(secret, str) and len(secret) <= 64 else None
        if found is None:
            raise ParameterError("there is no such participant")
        return found

    def _sit(self, participant: Participant, id: str, seat: int) -> Table:
        """Give a participant a seat; the table's journal lacks it if the server was killed between two lines."""
        table = self.tables[id]
        participant.table, participant.seat = id, seat
        if participant.digest not in table.digests.values():
            table.give(seat, participant.digest)
        return table

    def start(self, secret: str) -> None:
        """Give a participant a seat for the present part, at a table where others wait or at a new one."""
        participant = self._known(secret)
        todo = parts(self.plan, participant.order)
        if participant.left or participant.table is not None or participant.step == len(todo):
            return
        condition = todo[participant.step].condition
        if condition is None:
            return
        free = self._free[condition.name] = [one for one in self._free[condition.name] if not (one.ready or one.done)]
        table = free[0] if free else self._table(condition)
        seat = next(a for a in table.people if a not in table.digests)
        self.journal.append(of=participant.number, at=condition.name, table=table.id, seat=seat)
        self._sit(participant, table.id, seat)

    def _table(self, condition: Condition) -> Table:
        seed = secrets.randbelow(2**63) if condition.seed == "new" else condition.seed
        table = self.open(condition.settings(seed))
        if len(table.people) > 1:
            self._offer(condition.name, table)
            self.begin(self._wait(table))
        return table

    async def _wait(self, table: Table) -> None:
        """After the time that participants wait for others, do what the plan says."""
        await asyncio.sleep(self.plan.wait)
        missing = [a for a in table.people if a not in table.digests]
        if missing and self.plan.alone == "skip":
            table.close()
            return
        for a in missing:
            table.take(a)
        absent = [a for a in table.people if not table.pages.get(a)] if table.settings.absent == "policy" else missing
        for a in absent:
            await table.hand(a, False)

    def answers(self, secret: str, step: Any, given: Any) -> dict[str, str]:
        """Take the answers to a part's questions; what is wrong with them, by question, or nothing.

        Answers to a part that is over are not taken again.
        """
        participant = self._known(secret)
        todo = parts(self.plan, participant.order)
        if participant.left or step != participant.step or step >= len(todo) or not todo[step].questions:
            return {}
        questions = {one.name: one for one in todo[step].questions}
        if not isinstance(given, dict) or not given.keys() <= questions.keys():
            raise ParameterError("answers to other questions")
        wrong = {name: problem for name, one in questions.items() if (problem := one.problem(given.get(name)))}
        if not wrong:
            self.journal.append(of=participant.number, at=todo[step].at, answers=given)
            self._finish(participant)
        return wrong

    def leave(self, secret: str) -> None:
        """A participant leaves the study; a policy plays the seat from now on."""
        participant = self._known(secret)
        if not participant.left:
            self.journal.append(of=participant.number, left=True)
            if participant.table is not None:
                self.begin(self.tables[participant.table].hand(participant.seat, False))
            participant.left, participant.table = True, None

    # The server.

    @asynccontextmanager
    async def running(self, app: FastAPI) -> AsyncIterator[None]:
        """While the server runs, all tables play, and those that wait for participants do so for a limited time."""
        async with super().running(app):
            for table in (one for free in self._free.values() for one in free):
                self.begin(self._wait(table))
            yield

    def routes(self, app: FastAPI) -> None:
        """The study's page and requests."""

        @app.get("/")
        async def page() -> Response:
            return html("study.html")

        @app.get("/api/study")
        async def about() -> Response:
            full = len(self._numbered) >= self.plan.participants
            return answer({"title": self.plan.title, "consent": self.plan.consent, "full": full})

        @app.post("/api/study/{what}")
        async def act(what: str, request: Request) -> Response:
            try:
                return answer(self._do(what, await body_of(request, _MOST_BYTES)))
            except ParameterError:
                return refusal()

    def _do(self, what: str, message: dict[str, Any]) -> dict[str, Any]:
        """Do what a page asks for; the new state, or what is wrong with the answers."""
        if what == "agree":
            id = message.get("id", "")
            if not isinstance(id, str) or len(id) > 100:
                raise ParameterError("no id")
            return {"secret": self.agree(id)}
        secret = message.get("secret", "")
        if what == "answers":
            wrong = self.answers(secret, message.get("step"), message.get("answers"))
            if wrong:
                return {"wrong": wrong}
        elif what == "start":
            self.start(secret)
        elif what == "leave":
            self.leave(secret)
        elif what != "now":
            raise ParameterError("no such request")
        return self.now(secret)
