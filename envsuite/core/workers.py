"""Threads that wait for slices of a batch. A `ThreadPoolExecutor` would take 50 microseconds more for every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any


class Workers:
    """`count` threads, ended by `close` or with the program."""

    def __init__(self, count: int):
        self._tasks: list[SimpleQueue] = [SimpleQueue() for _ in range(count)]
        self._done: SimpleQueue = SimpleQueue()
        for tasks in self._tasks:
            Thread(target=_serve, args=(tasks, self._done), name="envsuite", daemon=True).start()

    def run(self, work: Callable[[int, int], Any], slices: Sequence[tuple[int, int]]) -> list[Any]:
        """`work(first, last)` for all slices at once, the first one here; results in order, or the first error."""
        for k, tasks in enumerate(self._tasks, 1):
            tasks.put((work, k, slices[k]))
        results: list[Any] = [None] * len(slices)
        errors = []
        try:
            results[0] = work(*slices[0])
        finally:  # whatever happens here, the others are done before this returns
            for _ in self._tasks:
                k, result, error = self._done.get()
                results[k] = result
                if error is not None:
                    errors.append(error)
        if errors:
            raise errors[0]
        return results

    def close(self) -> None:
        """End the threads."""
        for tasks in self._tasks:
            tasks.put(None)


def _serve(tasks: SimpleQueue, done: SimpleQueue) -> None:
    while (task := tasks.get()) is not None:
        work, k, bounds = task
        try:
            done.put((k, work(*bounds), None))
        except BaseException as error:  # raised again in the thread that asked
            done.put((k, None, error))
