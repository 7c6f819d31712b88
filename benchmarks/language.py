"""Turns per second of Telecom with a model that answers at once, on one core.

    python benchmarks/language.py

64 episodes are played at once. The model is an asynchronous Python function that takes one of the legal actions from
the question. A turn is one request: the prompt, the answer read, the line in the ledger, the transition, and what the
customer, a policy, does until the next request.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import measure  # noqa: F401 - puts this process on one core
from rich.console import Console
from rich.table import Table

from envsuite.models.answers import Answers, Limits
from envsuite.models.client import Function
from envsuite.models.harness import Game, play
from envsuite.models.protocol import Protocol
from envsuite.registry import build

EPISODES = 64


def model() -> Function:
    """A model that takes legal actions in turn."""
    asked = 0

    async def at_once(messages):
        nonlocal asked
        asked += 1
        legal = messages[-1]["content"].rpartition("Your legal actions: ")[2].split("; ")
        return f"Action: {legal[asked * 7 % len(legal)]}"

    return Function(at_once)


def rate(protocol: Protocol, folder: Path) -> tuple[int, float, float]:
    """The turns that were played, and the seconds and processor seconds that they took."""
    world = build("Telecom")
    games = [Game("speed", world, seed, {0: model()}, {1: "persona"}) for seed in range(EPISODES)]
    path = folder / "answers.jsonl"
    path.unlink(missing_ok=True)
    answers = Answers(path, {"kind": "speed"}, Limits(concurrency=EPISODES))
    start, busy = time.perf_counter(), time.process_time()
    played = play(games, answers, protocol)
    seconds = time.perf_counter() - start, time.process_time() - busy
    return sum(one.counts["turns"] for one in played), *seconds


def main() -> None:
    table = Table("memory", "turns", "turns/s", "turns per processor second", title="Telecom, 64 episodes at once")
    with tempfile.TemporaryDirectory() as folder:
        rate(Protocol(), Path(folder))  # loads the machine code
        for memory in ("chat", "prompt"):
            found = [rate(Protocol(memory), Path(folder)) for _ in range(3)]
            turns, spent, busy = min(found, key=lambda one: one[1])
            table.add_row(memory, f"{turns:,}", f"{turns / spent:,.0f}", f"{turns / busy:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
