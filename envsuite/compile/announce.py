"""The compilations that a user waits for, and the line in a terminal that shows them."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Seconds of waiting before there is something to say.
_PATIENCE = 1.0

#: The compilations that callers wait for, by caller: the title, the start of the wait, and whether the code is there.
_waited: dict[object, tuple[str, float, Callable[[], bool]]] = {}

#: The displays that show `line` already: the function that each calls before this process compiles, or None.
_displays: list[Callable[[str], None] | None] = []


def wait_for(key: object, title: str, since: float, there: Callable[[], bool]) -> None:
    """Note that a caller waits for this to be compiled; `since` is a `time.monotonic`."""
    _waited[key] = title, since, there


def forget(key: object) -> None:
    """Remove it: no caller waits for it any more."""
    _waited.pop(key, None)


def line() -> str:
    """The compilation that a caller waits for, and the seconds so far; "" if there is none."""
    waited = [(title, since) for title, since, there in list(_waited.values()) if not there()]
    seconds = time.monotonic() - min((since for _, since in waited), default=time.monotonic())
    if seconds < _PATIENCE:
        return ""
    titles = list(dict.fromkeys(title for title, _ in waited))
    more = f" and {len(titles) - 2} more" if len(titles) > 2 else ""
    return f"Compiling {', '.join(titles[:2])}{more}, once for this version: {seconds:.0f} s"


@contextmanager
def displayed(tell: Callable[[str], None] | None = None) -> Iterator[None]:
    """While this runs, a display of its own shows `line`, and no other line is written.

    Args:
        tell: called with the title of the code that the main thread is about to compile itself, for a display that
            cannot be drawn in the meantime.
    """
    _displays.append(tell)
    try:
        yield
    finally:
        _displays.pop()


@contextmanager
def shown() -> Iterator[None]:
    """While this runs, `line` is shown in the terminal, if there is one and nothing else shows it."""
    if _displays or not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_show, args=(over,), name="envsuite shows progress", daemon=True)
    thread.start()
    try:
        with displayed():
            yield
    finally:
        over.set()
        thread.join()


@contextmanager
def announced(title: str) -> Iterator[None]:
    """Inside this block the process waits for `title`; after one second the terminal says so."""
    key = object()
    wait_for(key, title, time.monotonic(), lambda: False)
    tell = _displays[-1] if _displays and threading.current_thread() is threading.main_thread() else None
    try:
        if tell is not None:
            tell(f"Compiling {title}, once for this version")
        with shown():
            yield
    finally:
        forget(key)


def _show(over: threading.Event) -> None:
    """Show the line whenever there is one, until it is over."""
    while not over.wait(0.1):
        if not line():
            continue
        from rich.console import Console

        with Console(stderr=True).status(line()) as status:
            while line() and not over.wait(0.1):
                status.update(line())
