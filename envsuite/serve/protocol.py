"""Protocol: limits of connections that uvicorn does not have.

Uvicorn waits for ever for a request whose header does not come, and accepts as many connections as the system does.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from envsuite.serve.limits import Limits, address_of, is_local

#: Seconds that a client has for the header of a request, from its first byte on.
HEADER = 10.0

#: Open files that are kept for journals, replays and everything else than connections.
_OTHERS = 512

_Base: Any = AutoHTTPProtocol


def most_connections() -> int:
    """How many connections the process may have: its limit of open files is raised as far as it may be."""
    if os.name == "nt":
        return 4096
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2**16 if hard == resource.RLIM_INFINITY else min(hard, 2**16)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    files = wanted if soft == resource.RLIM_INFINITY else soft
    return max(64, files - _OTHERS)


class Patient(_Base):
    """A connection of uvicorn's whose client has a limited time for each header; there are limits of their number.

    Attributes:
        most: how many connections there may be. One more takes the place of the one that is waited for longest.
        waiting: the connections that are waited for, in order.
        peers: how many connections without a page each address has, where it is not a proxy of this computer.
    """

    most = 4096
    waiting: dict[Patient, None] = {}
    peers: Counter[str] = Counter()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._late: asyncio.TimerHandle | None = None
        host = "" if self.client is None else self.client[0]
        self._peer: str | None = address_of(host)
        self._count(1)
        crowded = not is_local(host) and self.peers[self._peer] > Limits.PAGES
        self._wait()
        if crowded:
            transport.abort()
        elif len(self.connections) > self.most:
            next(iter(self.waiting)).transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def handle_websocket_upgrade(self, *request: Any) -> None:
        self._leave()
        super().handle_websocket_upgrade(*request)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Begin to wait for a header, or end it; between requests uvicorn's own limit counts."""
        waits = self._peer is not None and (self.cycle is None or self.cycle.response_complete)
        if waits and self._late is None:
            self._late = self.loop.call_later(HEADER, self.transport.abort)
            self.waiting[self] = None
        elif not waits and self._late is not None:
            self._late.cancel()
            self._late = None
            del self.waiting[self]

    def _leave(self) -> None:
        """The connection has ended, or it belongs to a page now."""
        if self._peer is not None:
            self._count(-1)
            self._peer = None
            self._wait()

    def _count(self, change: int) -> None:
        peer = self._peer or ""
        self.peers[peer] += change
        if not self.peers[peer]:
            del self.peers[peer]
