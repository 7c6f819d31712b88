"""The common part of the benchmarks: rates of both sides, peers in processes of their own, and ratios.

Importing it puts this process, and all that it starts, on one core. Every comparison interleaves both sides several
times and takes the median of the ratios, so that a machine whose speed drifts does not decide.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

#: The cores that this process may use; it stays on the first of them, peers included.
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
if CORES:
    os.sched_setaffinity(0, CORES[:1])  # before any library starts its threads

import numpy as np  # noqa: E402
from rich.table import Table  # noqa: E402
from rich.text import Text  # noqa: E402

import envsuite  # noqa: E402
from envsuite.testing import random_actions  # noqa: E402

PEERS = Path(__file__).parent / "peers"

#: The tables that the documentation shows.
SPEEDS = Path(__file__).parents[1] / "docs" / "speeds.json"


def vector_rate(
    id: str, num_envs: int = 1024, steps: int = 200, threads: int = 1, copy: bool = True, **params
) -> Callable:
    """Transitions per second of `make_vec`, random legal actions, observations, masks and resets included."""
    envs = envsuite.make_vec(id, num_envs, threads=threads, copy=copy, **params)
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)

    def measure() -> float:
        nonlocal infos
        spent = 0.0
        for _ in range(steps):
            actions = random_actions(infos["action_mask"], rng)
            start = time.perf_counter()
            *_, infos = envs.step(actions)
            spent += time.perf_counter() - start
        return num_envs * steps / spent

    measure()
    return measure


def rollout_rate(id: str, num_envs: int = 1024, steps: int = 200, threads: int = 1, **params) -> Callable:
    """Transitions per second of `rollout` with the compiled random policy."""
    envs = envsuite.make_vec(id, num_envs, threads=threads, **params)
    envs.reset(seed=0)
    envs.rollout("random", steps, seed=0)

    def measure() -> float:
        start = time.perf_counter()
        envs.rollout("random", steps)
        return num_envs * steps / (time.perf_counter() - start)

    return measure


def reset_rate(id: str, num_envs: int = 1024, times: int = 20, **params) -> Callable:
    """Resets per second of `make_vec`, each with a new level and its first observation in the world's own buffer."""
    envs = envsuite.make_vec(id, num_envs, copy=False, **params)
    envs.reset(seed=0)

    def measure() -> float:
        start = time.perf_counter()
        for _ in range(times):
            envs.reset()
        return num_envs * times / (time.perf_counter() - start)

    return measure


class PeerError(RuntimeError):
    """A peer that cannot be measured, and why."""


class Peer:
    """A peer that a script in `peers` runs in a process of its own; calling it measures its rate once more."""

    def __init__(self, python: str | Path, script: str, *arguments: str):
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            [python, PEERS / script, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONWARNINGS": "ignore"},
        )
        self()  # once it answers it is warm

    def __call__(self) -> float:
        try:
            print(file=self._process.stdin, flush=True)
            return float(self._process.stdout.readline())
        except (BrokenPipeError, ValueError):
            self._process.wait()
            self._errors.seek(0)
            raise PeerError((self._errors.read().strip() or "it ended").splitlines()[-1]) from None

    def close(self) -> None:
        self._process.communicate()


def compare(ours: Callable, theirs: Callable, repeats: int) -> tuple[float, float, float]:
    """Median rates of both and the median of their ratios, measured in turn."""
    pairs = [(ours(), theirs()) for _ in range(repeats)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def judged(ratio: float, wanted: float, digits: int = 1) -> str:
    """A ratio for a table, green where it is at least as wanted."""
    return f"[{'green' if ratio >= wanted else 'red'}]{ratio:,.{digits}f}[/]"


def save(*tables: Table) -> None:
    """Write tables for the documentation, in place of those with the same titles."""
    stored = json.loads(SPEEDS.read_text(encoding="utf-8"))
    for table in tables:
        columns = [[Text.from_markup(cell).plain for cell in column.cells] for column in table.columns]
        names = [str(column.header) for column in table.columns]
        stored[str(table.title)] = {"columns": names, "rows": list(zip(*columns))}
    SPEEDS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
