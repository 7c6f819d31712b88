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

from envsuite.core.errors import ActionError, EnvsuiteError, ParameterError
from envsuite.serve.blocked import Blocked
from envsuite.serve.host import Host
from envsuite.serve.journal import Journal, JournalError, StorageError
from envsuite.serve.plan import Condition, Plan, Question
from envsuite.serve.requests import BusyError, MalformedError, answer, body_of, html, refusal
from envsuite.serve.settings import Models
from envsuite.serve.tables import Table, digest

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
        plan: the plan; a folder that holds another one is refused. More participants are no other plan.
        folder: for journals and replays.
        models: language models by name, for seats "language:NAME".
        blocked: words that participants cannot say.
    """

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        models: Models | None = None,
        blocked: Blocked = Blocked(),  # noqa: B008
    ):
        self.plan, self.people = plan, dict[str, Participant]()
        super().__init__(folder, (), models, blocked=blocked)
        self._numbered: list[Participant] = []
        self._free: dict[str, list[Table]] = {condition.name: [] for condition in plan.conditions}
        try:
            self.journal = Journal(folder / PARTICIPANTS)
            self._resume()
        except BaseException:
            super().close()  # others may have the folder
            raise

    def _resume(self) -> None:
        """Restore the participants; a folder with another plan is refused."""
        content = self.plan.model_dump(mode="json", exclude_unset=True)
        events = self.journal.events
        plans = [event["plan"] for event in events if "plan" in event]
        if events and not (plans and _grown(plans[-1], content)):
            raise JournalError(
                f"{self.folder} holds another study, or an earlier version of this one: choose another folder (only "
                "`participants` may be raised)"
            )
        if plans[-1:] != [content]:
            self.journal.append(plan=content)
        for number, event in enumerate(events, 1):
            try:
                self._again(event)
            except (EnvsuiteError, LookupError, TypeError) as problem:
                raise JournalError(f"{self.journal.path}, line {number}: {problem}") from problem

    def close(self) -> None:
        self.journal.close()
        super().close()

    def _again(self, event: Mapping[str, Any]) -> None:
        """Do again what an event of the journal says."""
        if "plan" in event:
            return
        if "participant" in event:
            self._join(Participant(*(event[name] for name in ("participant", "digest", "id", "order", "code"))))
            return
        participant = self._numbered[event["of"]]
        if "table" in event:
            table = self._sit(participant, event["table"], event["seat"])
            if table is not None:
                self._offer(event["at"], table)
        elif "left" in event:
            self._leave(participant)
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
            table = self.tables.get(participant.table)
            if table is not None and not table.done:
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

    def _sit(self, participant: Participant, id: str, seat: int) -> Table | None:
        """Give a participant a seat; the table's journal lacks it if the server was killed between two lines.

        None for a table whose journal was set aside: the part counts as over. `JournalError` for one that this server
        cannot play, such as without its language model.
        """
        participant.table, participant.seat = id, seat
        table = self.tables.get(id)
        if table is None and (self.folder / f"{id}.journal").exists():
            raise JournalError(f"this server cannot play the table {id}; the log says why")
        if table is not None and seat not in table.digests:
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
        table = self.open(condition.settings())
        if len(table.people) > 1:
            self._offer(condition.name, table)
            self.begin(self._wait(table))
        return table

    async def _wait(self, table: Table) -> None:
        """After the time that participants wait for others, do what the plan says."""
        await asyncio.sleep(self.plan.wait)
        while True:
            try:
                await self._fill(table)
                return
            except (ActionError, StorageError):  # the server cannot store it: the table's log says so
                await asyncio.sleep(1.0)

    async def _fill(self, table: Table) -> None:
        missing = [a for a in table.people if a not in table.digests]
        if missing and self.plan.alone == "skip":
            table.close()
            return
        pages = table.views.pages
        absent = [a for a in table.people if not pages.get(a)] if table.settings.absent == "policy" else missing
        for a in absent:
            await table.hand(a, False)
        for a in missing:
            if a not in table.digests:
                table.take(a)

    def answers(self, secret: str, step: int, given: Any) -> dict[str, str]:
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
        """A participant leaves the study; a policy plays the seat from now on, and nobody can take it back."""
        participant = self._known(secret)
        if not participant.left:
            self.journal.append(of=participant.number, left=True)
            table = self.tables.get(participant.table or "")
            self._leave(participant)
            if table is not None:
                self.begin(table.attend(participant.seat))

    def _leave(self, participant: Participant) -> None:
        table = self.tables.get(participant.table or "")
        if table is not None:
            table.retire(participant.seat)
        participant.left, participant.table = True, None

    # The server.

    @asynccontextmanager
    async def running(self, app: FastAPI | None) -> AsyncIterator[None]:
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
                return answer(self._do(what, await body_of(request, _MOST_BYTES), self.asked(request)))
            except EnvsuiteError as problem:
                return refusal(problem)

    def _do(self, what: str, message: dict[str, Any], address: str) -> dict[str, Any]:
        """Do what a page asks for; the new state, or what is wrong with the answers."""
        if what == "agree":
            id = message.get("id", "")
            if not isinstance(id, str) or len(id) > 100:
                raise ParameterError("no id")
            if len(self._numbered) < self.plan.participants and not self.limits.agreements.take(address):
                raise BusyError("too many participants at once")
            return {"secret": self.agree(id)}
        secret = message.get("secret", "")
        if what == "answers":
            step = message.get("step")
            if type(step) is not int:
                raise MalformedError("no step")
            wrong = self.answers(secret, step, message.get("answers"))
            if wrong:
                return {"wrong": wrong}
        elif what == "start":
            self.start(secret)
        elif what == "leave":
            self.leave(secret)
        elif what != "now":
            raise ParameterError("no such request")
        return self.now(secret)


def _grown(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a plan is an older one, or that with more participants."""
    usual = Plan.model_fields["participants"].default
    before, after = (plan.get("participants", usual) for plan in (old, new))
    return before <= after and {**old, "participants": after} == {**new, "participants": after}
