"""Hosts: all tables of a server, their folder, and the lobby."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response

from envsuite.core.errors import EnvsuiteError, ParameterError
from envsuite.serve.blocked import Blocked
from envsuite.serve.folder import Folder, set_aside
from envsuite.serve.journal import Journal, JournalError, StorageError
from envsuite.serve.limits import Limits, address_of
from envsuite.serve.painter import Painter
from envsuite.serve.requests import BusyError, answer, body_of, html, refusal
from envsuite.serve.settings import PERSON, Models, Settings
from envsuite.serve.tables import Table, digest

#: Tables in the lobby, at most.
MOST_TABLES = 200

#: Seconds after which the seat of an absent person is free again, and after which an empty table is closed.
RELEASE, CLOSE = 3_600.0, 86_400.0

#: Seconds for which a table has to be empty before another one may take its place in a full lobby.
_IDLE = 600.0

#: Seconds between two looks at absent people and empty tables.
_TIDY = 10.0

_log = logging.getLogger(__name__)


class Host:
    """All tables of a server, with their journals in a folder; those that it holds are restored.

    A journal that cannot be read is set aside, and one that this server cannot play is left where it is; both are named
    in the log. Seats are released and tables closed in the lobby only: a link to a private table is good for ever.

    Args:
        folder: for journals and replays. No other process may have it.
        offers: what visitors of the lobby may open tables of.
        models: language models by name, for seats "language:NAME".
        release: seconds after which an absent person's seat in the lobby is free again; 0 for never.
        close: seconds after which a table of the lobby without pages is closed; 0 for never.
        blocked: words that people cannot say.
    """

    def __init__(
        self,
        folder: Path,
        offers: Sequence[Settings] = (),
        models: Models | None = None,
        release: float = RELEASE,
        close: float = CLOSE,
        blocked: Blocked = Blocked(),  # noqa: B008
    ):
        self.folder, self.offers, self.models = folder, list(offers), models
        self.tables: dict[str, Table] = {}
        self.limits, self._painter = Limits(), Painter()
        self._release, self._close, self._blocked = release, close, blocked
        self._tasks: set[asyncio.Task] = set()
        self._running = False
        self._owned = Folder(folder)
        for path in sorted(folder.glob("*.journal")):
            self._restore(path)

    def _restore(self, path: Path) -> None:
        """Restore the table of a journal, if that is possible."""
        if not path.stat().st_size:
            path.unlink()  # its first line was never written
            return
        journal = None
        try:
            journal = Journal(path)
            self._add(Table(journal, self.models, self._painter, self._blocked))
            return
        except (EnvsuiteError, OSError) as problem:
            reason, damaged = problem, isinstance(problem, JournalError)
        if journal is not None:
            journal.close()
        if damaged:
            _log.error("%s; it is now %s", reason, set_aside(path, "damaged").name)
        else:
            _log.error("%s is left out: %s", path, reason)

    def _add(self, table: Table) -> Table:
        self.tables[table.id] = table
        if self._running:
            self.begin(table.run())
        return table

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Let work run until it ends, or the server does; its errors are in the log."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task) -> None:
        self._tasks.discard(task)
        with suppress(asyncio.CancelledError):
            if (problem := task.exception()) is not None:
                _log.error("a task has failed", exc_info=problem)

    def open(self, settings: Settings, maker: str | None = None) -> Table:
        """A new table; the owner of the secret with the digest `maker` may close it."""
        return self._add(Table.create(self.folder, settings, self.models, self._painter, maker, self._blocked))

    @asynccontextmanager
    async def running(self, _: FastAPI | None) -> AsyncIterator[None]:
        """While the server runs, all tables play."""
        self._running = True
        for table in self.tables.values():
            self.begin(table.run())
            self.begin(table.miss())
        self.begin(self._tidy())
        try:
            yield
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self.close()

    def close(self) -> None:
        """Close all files, and leave the folder to other processes."""
        for table in self.tables.values():
            table.journal.close()
        self._owned.close()

    # The lobby.

    def listed(self) -> list[Table]:
        """The tables in the lobby."""
        return [table for table in self.tables.values() if table.settings.listed]

    async def _tidy(self) -> None:
        """Release the seats of people who are absent for long, and close tables that are empty for long."""
        while True:
            await asyncio.sleep(_TIDY)
            try:
                self.tidy(time.monotonic())
            except StorageError as problem:
                _log.error("%s", problem)

    def tidy(self, now: float) -> None:
        """Release the seats of people, and close tables, that are absent and empty for long at this time."""
        for table in self.listed():
            for seat, since in list(table.absent.items()):
                if seat is None and 0 < self._close < now - since:
                    self.shut(table)
                elif seat is not None and 0 < self._release < now - since and not table.closed:
                    table.release(seat)

    def shut(self, table: Table) -> None:
        """Close a table for good; its journal is set aside, and its pages stay until they leave."""
        table.close()
        table.journal.close()
        set_aside(table.journal.path, "closed")
        del self.tables[table.id]

    def _make_room(self) -> None:
        """Close the table that is empty for longest where the lobby is full; `ParameterError` if all are in use."""
        listed = self.listed()
        if len(listed) < MOST_TABLES:
            return
        empty = min(listed, key=lambda table: table.absent.get(None, float("inf")))
        if time.monotonic() - empty.absent.get(None, float("inf")) < _IDLE:
            raise ParameterError("the lobby is full")
        self.shut(empty)

    def listing(self) -> dict[str, Any]:
        """What the lobby shows: the tables that anybody may join or watch, and what may be opened."""
        tables = [
            {
                "id": table.id,
                "world": _titled(table.world.id, table.settings),
                "seats": [
                    [agent, "free" if a in table.people and a not in table.digests else _kind(table, a)]
                    for a, agent in enumerate(table.world.agents)
                ],
            }
            for table in self.listed()
        ]
        return {"tables": tables, "offers": [_titled(offer.world, offer) for offer in self.offers]}

    def routes(self, app: FastAPI) -> None:
        """The lobby's page and requests."""

        @app.get("/")
        async def lobby() -> Response:
            return html("lobby.html")

        @app.get("/table/{id}/world")
        async def world(id: str) -> Response:
            """The page for researchers, which a study does not show."""
            table = self.tables.get(id)
            text = b"" if table is None else (type(table.world).__doc__ or "").encode()
            return answer(text, "text/plain; charset=utf-8", 200 if text else 404)

        @app.get("/api/tables")
        async def listing() -> Response:
            return answer(self.listing())

        @app.post("/api/tables")
        async def open_table(request: Request) -> Response:
            try:
                return answer(self._open(await body_of(request), self.asked(request)))
            except EnvsuiteError as problem:
                return refusal(problem)

        @app.post("/api/tables/{id}/{what}")
        async def change_table(id: str, what: str, request: Request) -> Response:
            try:
                message, address = await body_of(request), self.asked(request)
                table = self.tables.get(id)
                if table is None or not table.settings.listed:
                    raise ParameterError("no such table")
                if what == "seats":
                    return answer(self._seat(table, message.get("seat"), address))
                if what == "close":
                    return answer(self._end(table, message.get("maker")))
                raise ParameterError("no such request")
            except EnvsuiteError as problem:
                return refusal(problem)

    def asked(self, request: Request) -> str:
        """The address of a request, which may post another one now; else `BusyError`."""
        address = address_of(request.client.host if request.client else "")
        if not self.limits.requests.take(address):
            raise BusyError("too many requests")
        return address

    def _open(self, message: dict[str, Any], address: str) -> dict[str, Any]:
        number = message.get("offer")
        if type(number) is not int or not 0 <= number < len(self.offers):
            raise ParameterError("no such offer")
        if not self.limits.tables.take(address):
            raise BusyError("too many tables")
        self._make_room()
        secret = secrets.token_urlsafe(24)
        return {"id": self.open(self.offers[number], digest(secret)).id, "maker": secret}

    def _seat(self, table: Table, agent: Any, address: str) -> dict[str, Any]:
        if not isinstance(agent, str) or agent not in table.world.agents:
            raise ParameterError("no such agent")
        if not self.limits.seats.take(address):
            raise BusyError("too many seats")
        return {"secret": table.take(table.world.agents.index(agent))}

    def _end(self, table: Table, secret: Any) -> dict[str, Any]:
        known = table.maker or ""
        if not isinstance(secret, str) or not hmac.compare_digest(digest(secret), known):
            raise ParameterError("not the maker")
        self.shut(table)
        return {}


def _titled(world: str, settings: Settings) -> str:
    """What the lobby calls a world, with how its agents talk if they have words of their own."""
    talk = settings.talked()
    return f"{world}, {talk.mode} talk" if talk else world


def _kind(table: Table, a: int) -> str:
    return PERSON if a in table.people else "policy"
