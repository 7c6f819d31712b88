"""Compiling ahead: worlds and their policies, in as many processes as there are cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress

from envsuite.compile import announce
from envsuite.compile.locks import cores, one_of_the_cores
from envsuite.core.children import settle, starting
from envsuite.core.policy import make_policy
from envsuite.core.world import World
from envsuite.interfaces.vector import Vector


def compile_world(world: World, names: Iterable[str]) -> tuple[float, float]:
    """Compile a world's rules and these policies of it, alone and in rollouts, into the cache; the seconds of each."""
    with announce.displayed(), one_of_the_cores():
        start = time.perf_counter()
        vector = Vector(world, 1, compiled=True)
        vector.reset(seed=0)
        middle = time.perf_counter()
        for name in names:
            vector.rollout(make_policy(name, world), 1, seed=0)
        return middle - start, time.perf_counter() - middle


@contextmanager
def compiling(orders: Sequence[tuple[World, Iterable[str]]]) -> Iterator[list[Future[tuple[float, float]]]]:
    """Run `compile_world` for all these orders in other processes; the result of each, as a future."""
    pool = ProcessPoolExecutor(min(cores(), len(orders)), multiprocessing.get_context("spawn"), initializer=_begin)
    try:
        with starting():
            futures = [pool.submit(compile_world, world, list(names)) for world, names in orders]
        yield futures
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Leave the cores to processes that a user waits for, and end at once on an interrupt."""
    settle()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with suppress(AttributeError, OSError):
        os.nice(5)
