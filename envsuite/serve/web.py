"""The web server of tables: a lobby, a page for each seat, and the messages between pages and tables.

A seat's secret is in the part of its link after ``#``, which browsers keep to themselves; the page sends it as its
first message. Messages are checked for size, rate and form before anything else looks at them, and whoever is refused
learns nothing but that.
"""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from starlette.middleware.trustedhost import TrustedHostMiddleware

from envsuite.core.errors import ActionError, EnvsuiteError, ParameterError
from envsuite.render.page import UNIT, font
from envsuite.render.theme import THEMES
from envsuite.serve.journal import Journal
from envsuite.serve.tables import PERSON, Models, Settings, Table

#: Bytes of a message or of a request's body, at most.
MOST_BYTES = 2048

#: Messages per second of a page, and how many more it may send at once.
RATE, BURST = 20.0, 40.0

#: Seconds that a page has for its first message.
PATIENCE = 10.0

#: Messages that wait for a slow page before it is let go; it may come back.
_WAITING = 64

#: Tables that visitors of the lobby may open, at most, with those that there are.
MOST_TABLES = 200

#: The close codes: refused, too much, too slow.
REFUSED, FLOOD, SLOW = 4401, 1008, 4408

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

_STATIC = {
    "draw.js": ("envsuite.render", "text/javascript"),
    "seat.js": ("envsuite.serve", "text/javascript"),
    "lobby.js": ("envsuite.serve", "text/javascript"),
    "study.js": ("envsuite.serve", "text/javascript"),
    "serve.css": ("envsuite.serve", "text/css"),
}


class Host:
    """All tables of a server, with their journals in a folder; those that it holds are restored.

    Args:
        folder: for journals and replays.
        offers: what visitors of the lobby may open tables of.
        models: language models by name, for seats "language:NAME".
    """

    def __init__(self, folder: Path, offers: Sequence[Settings] = (), models: Models | None = None):
        self.folder, self.offers, self.models = folder, list(offers), models
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.tables: dict[str, Table] = {}
        self._tasks: set[asyncio.Task] = set()
        self._running = False
        for path in sorted(folder.glob("*.journal")):
            if path.stat().st_size:
                self._add(Table(Journal(path), models))

    def _add(self, table: Table) -> Table:
        self.tables[table.id] = table
        if self._running:
            self.begin(table.run())
        return table

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Let work run until it ends, or the server does."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def open(self, settings: Settings) -> Table:
        """A new table."""
        return self._add(Table.create(self.folder, settings, self.models))

    @asynccontextmanager
    async def running(self, _: FastAPI) -> AsyncIterator[None]:
        """While the server runs, all tables play."""
        self._running = True
        for table in self.tables.values():
            self.begin(table.run())
        yield
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def listing(self) -> dict[str, Any]:
        """What the lobby shows: the tables that anybody may join or watch, and what may be opened."""
        tables = [
            {
                "id": table.id,
                "world": table.world.id,
                "seats": [
                    [agent, "free" if a in table.people and a not in table.digests else _kind(table, a)]
                    for a, agent in enumerate(table.world.agents)
                ],
            }
            for table in self.tables.values()
            if table.settings.listed
        ]
        return {"tables": tables, "offers": [offer.world for offer in self.offers]}

    def routes(self, app: FastAPI) -> None:
        """The lobby's page and requests."""

        @app.get("/")
        async def lobby() -> Response:
            return html("lobby.html")

        @app.get("/api/tables")
        async def listing() -> Response:
            return answer(self.listing())

        @app.post("/api/tables")
        async def open_table(request: Request) -> Response:
            try:
                number = (await body_of(request)).get("offer")
                if type(number) is not int or not 0 <= number < len(self.offers) or len(self.tables) >= MOST_TABLES:
                    return refusal()
                return answer({"id": self.open(self.offers[number]).id})
            except EnvsuiteError:
                return refusal()

        @app.post("/api/tables/{id}/seats")
        async def take_seat(id: str, request: Request) -> Response:
            try:
                agent, table = (await body_of(request)).get("seat"), self.tables.get(id)
                if table is None or not table.settings.listed or agent not in table.world.agents:
                    return refusal()
                secret = table.take(table.world.agents.index(agent))
            except (EnvsuiteError, TypeError):
                return refusal()
            return answer({"secret": secret})


def _kind(table: Table, a: int) -> str:
    return PERSON if a in table.people else "policy"


class _Limit:
    """A bucket that fills at `RATE` and holds `BURST`."""

    def __init__(self) -> None:
        self.left, self.since = BURST, time.monotonic()

    def exceeded(self) -> bool:
        now = time.monotonic()
        self.left = min(BURST, self.left + RATE * (now - self.since)) - 1.0
        self.since = now
        return self.left < 0.0


def checked(text: str) -> dict[str, Any]:
    """A message of a page, or `ParameterError`.

    ``{"join": secret}`` or ``{"watch": true}`` come first; then, with a number `n` that counts up, ``act``, a number;
    ``click``, two numbers; or ``say``, words. They may have `ms`, the milliseconds since the page showed the state.
    ``{"hand": bool}``, ``{"again": true}`` and ``{"text": bool}``, whether the page shows the text, need no number.
    """
    if len(text.encode()) > MOST_BYTES:
        raise ParameterError("too long")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise ParameterError("no JSON") from None
    if not isinstance(message, dict):
        raise ParameterError("no object")
    keys = message.keys() - {"n", "ms"}
    if len(keys) != 1 or ("n" in message) != bool(keys & {"act", "click", "say"}):
        raise ParameterError("other keys")
    (key,) = keys
    if "ms" in message and "n" not in message:
        raise ParameterError("other keys")
    value, number, ms = message[key], message.get("n", 1), message.get("ms", 0)
    fits = {
        "join": isinstance(value, str) and len(value) <= 64,
        "watch": value is True,
        "again": value is True,
        "hand": isinstance(value, bool),
        "text": isinstance(value, bool),
        "act": type(value) is int and 0 <= value < 2**31,
        "say": isinstance(value, str) and len(value) <= 500,
        "click": isinstance(value, list) and len(value) == 2 and all(_coordinate(part) for part in value),
    }
    if not (fits.get(key) and type(number) is type(ms) is int and 0 < number < 2**53 and 0 <= ms < 2**53):
        raise ParameterError("other values")
    return message


def _coordinate(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e6


class _Page:
    """The connection of one page with its table."""

    def __init__(self, socket: WebSocket, table: Table | None):
        self.socket, self.table = socket, table
        self.box: asyncio.Queue[str | None] = asyncio.Queue(_WAITING)
        self.limit = _Limit()

    def send(self, message: str | None) -> None:
        """Put a message into the box; a page whose box is full is let go."""
        if self.box.full():
            while not self.box.empty():
                self.box.get_nowait()
            message = None
        self.box.put_nowait(message)

    async def deliver(self) -> None:
        """Send what is in the box."""
        while (message := await self.box.get()) is not None:
            await self.socket.send_text(message)
        await self.socket.close(SLOW)

    async def read(self) -> dict[str, Any]:
        """The next message; `ParameterError` where it is none, or one too many."""
        text = await self.socket.receive_text()
        if self.limit.exceeded():
            raise ParameterError("too many")
        return checked(text)

    async def serve(self) -> None:
        """From the first message to the last."""
        try:
            first = await asyncio.wait_for(self.read(), PATIENCE)
        except (ParameterError, TimeoutError, KeyError):
            first = {}
        viewer = None if self.table is None or "join" not in first else self.table.seat(first["join"])
        if self.table is None or (viewer is None and "watch" not in first):
            await self.socket.close(REFUSED)
            return
        await self.socket.send_text(json.dumps({"welcome": _welcome(self.table, viewer)}))
        delivery = asyncio.create_task(self.deliver())
        await self.table.enter(viewer, self.send)
        try:
            while True:
                await self._take(viewer, await self.read())
        except (ParameterError, KeyError):
            with suppress(RuntimeError):
                await self.socket.close(FLOOD)
        finally:
            delivery.cancel()
            await self.table.leave(viewer, self.send)

    async def _take(self, viewer: int | None, message: dict[str, Any]) -> None:
        """Do what a page asks for its own seat."""
        assert self.table is not None
        if viewer is None or "join" in message or "watch" in message:
            raise ParameterError("spectators only look")
        if "hand" in message:
            if self.table.settings.episodes:
                raise ParameterError("in a study, people play themselves")
            await self.table.hand(viewer, message["hand"])
        elif "again" in message:
            await self.table.again()
        elif "text" in message:
            self.table.read(self.send, message["text"])
        else:
            try:
                await self.table.act(viewer, message)
            except ActionError as problem:
                self.send(json.dumps({"problem": str(problem), "of": message["n"]}))


def _welcome(table: Table, viewer: int | None) -> dict[str, Any]:
    """What a page needs once: the names of things that all know."""
    world = table.world
    found = {"world": world.id, "unit": UNIT, "colors": THEMES, "agent": "", "actions": [], "keys": {}, "ticked": False}
    if viewer is not None:
        names = world.action_names[viewer]
        keys = {key: names.index(name) for key, name in world.keys.items() if name in names}
        found |= {"agent": world.agents[viewer], "actions": names, "keys": keys, "ticked": table.settings.tick > 0}
        found["study"] = table.settings.episodes > 0
        found["rules"] = (type(world).__doc__ or "").strip()
    return found


def _own(headers: Any) -> bool:
    """Whether a request comes from a page of this server."""
    origin = headers.get("origin", "")
    return bool(origin) and urlsplit(origin).netloc == headers.get("host", "")


async def body_of(request: Request, most: int = MOST_BYTES) -> dict[str, Any]:
    """The JSON object in a request of our own pages; `ParameterError` otherwise."""
    if not _own(request.headers) or request.headers.get("content-type") != "application/json":
        raise ParameterError("refused")
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > most:
            raise ParameterError("too long")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise ParameterError("no JSON") from None
    if not isinstance(found, dict):
        raise ParameterError("no object")
    return found


def answer(content: Any, kind: str = "application/json", status: int = 200) -> Response:
    """A response: bytes, or an object as JSON."""
    content = content if isinstance(content, bytes) else json.dumps(content, separators=(",", ":")).encode()
    return Response(content, status, _HEADERS, kind)


def html(name: str) -> Response:
    """One of our pages."""
    return answer((files("envsuite.serve") / name).read_bytes(), "text/html; charset=utf-8")


def refusal() -> Response:
    """What whoever is refused gets."""
    return answer({"error": "refused"}, status=403)


def application(host: Host, names: Sequence[str]) -> FastAPI:
    """The web application of a host; requests to other host names than `names` are refused."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=host.running)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(names), www_redirect=False)
    _pages(app)
    host.routes(app)

    @app.websocket("/ws/{id}")
    async def connect(socket: WebSocket, id: str) -> None:
        if not _own(socket.headers):
            await socket.close(REFUSED)
            return
        await socket.accept()
        with suppress(WebSocketDisconnect, RuntimeError):
            await _Page(socket, host.tables.get(id)).serve()

    return app


def _pages(app: FastAPI) -> None:
    """The files: one page for all seats, and what all pages load."""

    @app.get("/table/{id}")
    async def seat(id: str) -> Response:
        return html("seat.html")

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name == "scene.otf":
            return answer(font(), "font/otf")
        if name not in _STATIC:
            return answer(b"", "text/plain", 404)
        package, kind = _STATIC[name]
        return answer((files(package) / name).read_bytes(), f"{kind}; charset=utf-8")


def serve(host: Host, address: str, port: int, names: Sequence[str]) -> None:
    """Serve until the process is told to stop."""
    import uvicorn

    gc.freeze()  # what is loaded now stays, so a collection during play need not look at it: it would take 30 ms
    uvicorn.run(
        application(host, names), host=address, port=port, ws_max_size=MOST_BYTES, access_log=False,
        log_level="warning", server_header=False, ws_per_message_deflate=False, ws="websockets-sansio",
    )  # fmt: skip
