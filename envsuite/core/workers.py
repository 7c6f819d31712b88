"""Threads that wait for slices of a batch. A `ThreadPoolExecutor` would take 50 microseconds more for every step."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any


class Workers:
    """`count` threads, ended by `close`, when no object refers to the pool any more, or with the program.

    An interrupt can end `run` while other threads still work. Such a pool is of no use, and neither is one in a child
    made by a fork, which has no threads: `usable` says so, and `close` waits for the work.
    """

    def __init__(self, count: int):
        self._tasks: list[SimpleQueue] = [SimpleQueue() for _ in range(count)]
        self._done: SimpleQueue = SimpleQueue()
        arguments = [(tasks, self._done) for tasks in self._tasks]
        self._threads = [Thread(target=_serve, args=one, name="envsuite", daemon=True) for one in arguments]
        self.usable = True
        for thread in self._threads:
            thread.start()
        weakref.finalize(self, _end, self._tasks).atexit = False
        _pools.add(self)

    def run(self, work: Callable[[int, int], Any], slices: Sequence[tuple[int, int]]) -> list[Any]:
        """`work(first, last)` for all slices at once, the first one here; results in order, or the first error."""
        results: list[Any] = [None] * len(slices)
        errors = []
        self.usable = False
        for k, tasks in enumerate(self._tasks, 1):
            tasks.put((work, k, slices[k]))
        try:
            results[0] = work(*slices[0])
        finally:  # whatever happens here, the others are done before this returns
            for _ in self._tasks:
                k, result, error = self._done.get()
                results[k] = result
                if error is not None:
                    errors.append(error)
            self.usable = True
        if errors:
            raise errors[0]
        return results

    def close(self) -> None:
        """End the threads, once they have done their work."""
        self.usable = False
        _end(self._tasks)
        for thread in self._threads:
            thread.join()


#: All pools of this process.
_pools: weakref.WeakSet[Workers] = weakref.WeakSet()


def _forget() -> None:
    """In a child made by a fork: no pool has its threads."""
    for pool in _pools:
        pool.usable = False
        pool._threads = []
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _end(queues: Sequence[SimpleQueue]) -> None:
    for tasks in queues:
        tasks.put(None)


def _serve(tasks: SimpleQueue, done: SimpleQueue) -> None:
    while (task := tasks.get()) is not None:
        work, k, bounds = task
        try:
            done.put((k, work(*bounds), None))
        except BaseException as error:  # raised again in the thread that asked
            done.put((k, None, error))
        del task, work  # they refer to what is worked on, which could not be collected while this waits


def settled(workers: Workers | None) -> Workers | None:
    """This pool if it can be used; one that cannot is closed."""
    if workers is not None and not workers.usable:
        workers.close()
        return None
    return workers
