"""The web server of tables: a lobby, a page for each seat, and the messages between pages and tables.

A seat's secret is in the part of its link after ``#``, which browsers keep to themselves; the page sends it as its
first message. Messages are checked for size, rate and form before anything else looks at them, and whoever is refused
learns nothing but that.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import suppress
from importlib.resources import files

from fastapi import FastAPI, Response, WebSocket, WebSocketDisconnect
from starlette.middleware.trustedhost import TrustedHostMiddleware

from envsuite.render.page import font
from envsuite.serve.host import Host as Host
from envsuite.serve.messages import MOST_BYTES
from envsuite.serve.page import REFUSED, Page
from envsuite.serve.requests import answer, html, own
from envsuite.serve.settings import Settings as Settings

#: Bytes of the header of a request, at most.
_MOST_HEADER = 16_384

#: Connections that may be about to give way to others when uvicorn counts them.
_EVICTED = 64

_STATIC = {
    "draw.js": ("envsuite.render", "text/javascript"),
    "seat.js": ("envsuite.serve", "text/javascript"),
    "chat.js": ("envsuite.serve", "text/javascript"),
    "lobby.js": ("envsuite.serve", "text/javascript"),
    "study.js": ("envsuite.serve", "text/javascript"),
    "serve.css": ("envsuite.serve", "text/css"),
}


def application(host: Host, names: Sequence[str]) -> FastAPI:
    """The web application of a host; requests to other host names than `names` are refused."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=host.running)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(names), www_redirect=False)
    _pages(app)
    host.routes(app)

    @app.websocket("/ws/{id}")
    async def connect(socket: WebSocket, id: str) -> None:
        if not own(socket.headers):
            await socket.close(REFUSED)
            return
        await socket.accept()
        with suppress(WebSocketDisconnect, RuntimeError):
            await Page(socket, host.tables.get(id), host.limits).serve()

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

    from envsuite.serve.protocol import Patient, most_connections

    gc.freeze()  # what is loaded now stays, so a collection during play need not look at it: it would take 30 ms
    Patient.most = most_connections()
    uvicorn.run(
        application(host, names), host=address, port=port, http=Patient, ws="websockets-sansio",
        ws_max_size=MOST_BYTES, ws_per_message_deflate=False, access_log=False, log_level="warning",
        server_header=False, limit_concurrency=Patient.most + _EVICTED, h11_max_incomplete_event_size=_MOST_HEADER,
        timeout_graceful_shutdown=5,
    )  # fmt: skip
