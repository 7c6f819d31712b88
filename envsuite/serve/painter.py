"""Painter: when tables make what their pages are sent, so that no table takes the time of the others.

All tables of a server share one event loop. While they need less than `SHARE` of its time, each is painted at once.
Otherwise a table waits, and the one that has used the least time is next. A table that waits is painted once,
whatever happened meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable

from envsuite.serve.limits import Bucket

#: The share of the event loop's time that pictures may take, and how many seconds of it at once.
SHARE, AT_ONCE = 0.6, 2.0

#: Seconds after which a table's use of time counts for a third of it.
_MEMORY = 10.0

_log = logging.getLogger(__name__)


class Canvas:
    """Something that is painted: what paints it, and how much time that took lately."""

    def __init__(self, paint: Callable[[], None]):
        self.paint = paint
        self.used, self.at = 0.0, time.monotonic()

    def add(self, seconds: float) -> None:
        """Note that painting took this long."""
        now = time.monotonic()
        self.used = self.used * math.exp((self.at - now) / _MEMORY) + seconds
        self.at = now


class Painter:
    """Paints canvases, at once or when it is their turn."""

    def __init__(self) -> None:
        self._time = Bucket(SHARE, AT_ONCE)
        self._waiting: dict[Canvas, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def ask(self, canvas: Canvas) -> None:
        """Paint a canvas, now or soon."""
        if not self._waiting and self._time.fill() > 0:
            self.spend(canvas, canvas.paint)
        else:
            self._waiting[canvas] = None
            self._later()

    def spend(self, canvas: Canvas, work: Callable[[], None]) -> bool:
        """Do some work for a canvas at once, or refuse where there is no time."""
        if self._time.fill() <= 0:
            return False
        start = time.thread_time()
        try:
            work()
        finally:
            seconds = time.thread_time() - start
            self._time.left -= seconds
            canvas.add(seconds)
        return True

    def _later(self) -> None:
        if self._timer is None and self._waiting:
            pause = max(0.0, -self._time.fill() / SHARE) + 0.001
            self._timer = asyncio.get_running_loop().call_later(pause, self._next)

    def _next(self) -> None:
        """Paint the canvas that has used the least time."""
        self._timer = None
        now = time.monotonic()
        canvas = min(self._waiting, key=lambda one: one.used * math.exp((one.at - now) / _MEMORY))
        if self._time.fill() > 0:
            del self._waiting[canvas]
            try:
                self.spend(canvas, canvas.paint)
            except Exception:
                _log.exception("a table cannot be painted")
        self._later()
