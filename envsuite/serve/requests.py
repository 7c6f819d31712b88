"""Requests and responses: what a request of our own pages holds, and how it is answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from envsuite.core.errors import ParameterError
from envsuite.serve.journal import StorageError
from envsuite.serve.messages import MOST_BYTES, parsed

#: Seconds that a page has for the body of a request, and for the first message of a connection.
PATIENCE = 10.0

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class MalformedError(ParameterError):
    """A request of a page with a value of another type than the page sends."""


class BusyError(ParameterError):
    """A request that was one too many for its address."""


def own(headers: Mapping[str, str]) -> bool:
    """Whether a request comes from a page of this server."""
    origin = headers.get("origin", "")
    try:
        return bool(origin) and urlsplit(origin).netloc == headers.get("host", "")
    except ValueError:
        return False


async def body_of(request: Request, most: int = MOST_BYTES) -> dict[str, Any]:
    """The JSON object in a request of our own pages; `ParameterError` otherwise."""
    if not own(request.headers) or request.headers.get("content-type") != "application/json":
        raise ParameterError("refused")
    content = b""
    try:
        async with asyncio.timeout(PATIENCE):
            async for part in request.stream():
                content += part
                if len(content) > most:
                    raise ParameterError("too long")
    except (TimeoutError, ClientDisconnect):
        raise ParameterError("not whole") from None
    return parsed(content)


def answer(content: Any, kind: str = "application/json", status: int = 200) -> Response:
    """A response: bytes, or an object as JSON."""
    content = content if isinstance(content, bytes) else json.dumps(content, separators=(",", ":")).encode()
    return Response(content, status, _HEADERS, kind)


def html(name: str) -> Response:
    """One of our pages."""
    return answer((files("envsuite.serve") / name).read_bytes(), "text/html; charset=utf-8")


def refusal(problem: Exception | None = None) -> Response:
    """What whoever is refused gets: it says no more than the page needs to know."""
    if isinstance(problem, BusyError):
        return answer({"error": "busy"}, status=429)
    if isinstance(problem, MalformedError):
        return answer({"error": "malformed"}, status=400)
    if isinstance(problem, StorageError):
        return answer({"error": "cannot store"}, status=503)
    return answer({"error": "refused"}, status=403)
