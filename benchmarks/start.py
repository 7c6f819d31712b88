"""The waiting times of a new user: first step, first picture and compile of each world from a cold cache, and the demo.

    python benchmarks/start.py [--only Harvest Coins] [--repeats 3] [--demo]

Each measurement is a process of its own with an empty cache folder. Wall seconds count from before the process starts,
so they include Python and all imports. CPU seconds of the first step and picture are those of the process itself: it
does not wait for processes that compile beside it, and ends them when it ends. CPU seconds of a compile and of the demo
include the processes that they start. Those of a compile begin after `import envsuite`. Needs no display, but two quiet
cores.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

import envsuite
from envsuite import registry

DEMO = Path(__file__).resolve().parents[1] / "examples" / "demo.py"

#: Seconds after which a process is ended, and the benchmark with it.
LIMIT = 900

#: The report of a process when it reaches this point: the CPU seconds spent.
SAY = """
import os, sys, time
def say(*_):
    os.write(1, f"\\nmeasured {time.process_time()}\\n".encode())
"""

STEP = """
import gymnasium, envsuite
env = gymnasium.make(sys.argv[1])
_, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
say()
"""

#: `envsuite watch World --steps 1` until the first frame is handed to the display.
PICTURE = """
import pygame
pygame.display.flip = pygame.display.update = say
from envsuite.cli import main
sys.argv = ["envsuite", "watch", sys.argv[1], "--steps", "1", "--seed", "0"]
main()
"""

COMPILE = """
import envsuite
say()
envs = envsuite.make_vec(sys.argv[1], 64)
_, infos = envs.reset(seed=0)
envs.step(infos["action_mask"].argmax(axis=2))
"""


def run(command: list[str], cache: str, wait: bool) -> tuple[float, float, float]:
    """Wall and CPU seconds of a process to its message, and CPU seconds to its end with its children.

    With `wait` the process ends by itself, and wall seconds are those to its end; else its message ends it.
    """
    environment = {**os.environ, "ENVSUITE_CACHE": cache, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    with tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=errors, text=True, cwd=cache, env=environment,
            start_new_session=True,
        )  # fmt: skip

        def end() -> None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        clock = threading.Timer(LIMIT, end)
        clock.start()
        try:
            assert process.stdout is not None
            said = (line for line in process.stdout if line.startswith("measured "))
            cpu = float(next(said, "measured nan").split()[1])
            wall = time.perf_counter() - start
            if not wait:
                end()
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            clock.cancel()
            end()  # processes that it has started and left behind
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode if wait else math.isnan(cpu):
            errors.seek(0)
            sys.exit(f"{' '.join(command)}\n{errors.read()}\nended with {process.returncode}")
        return time.perf_counter() - start if wait else wall, cpu, usage.ru_utime + usage.ru_stime


def measure(id: str) -> dict[str, float]:
    """All figures of a world, measured once."""
    found = {}
    for name, code in (("step", STEP), ("picture", PICTURE)):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
            found[name], found[f"{name} CPU"], _ = run(["-c", SAY + code, id], cache, wait=False)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        for name in ("compile", "warm"):
            _, imports, whole = run(["-c", SAY + COMPILE, id], cache, wait=True)
            found[name] = whole - imports
    return found


#: The most seconds of a world, of the median world and of the demo; the share of worlds that must keep to their mark.
MOST = {"step": 1.0, "picture": 1.5, "compile": 6.0}
MEDIAN, DEMO_MOST = {"compile": 2.5}, 90.0
SHARE = {"step": 0.9, "picture": 0.9, "compile": 1.0}

COLUMNS = {
    "step": "first step, s", "step CPU": "CPU s", "picture": "first picture, s", "picture CPU": "CPU s",
    "compile": "cold compile, CPU s", "warm": "warm, CPU s",
}  # fmt: skip


def judged(value: float, most: float) -> str:
    return f"[{'green' if value <= most else 'red'}]{value:.2f}[/]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="World", help="these worlds; all by default")
    parser.add_argument("--repeats", type=int, default=1, help="measurements of each world, of which the median counts")
    parser.add_argument("--demo", action="store_true", help="measure the demo as well")
    arguments = parser.parse_args()
    console = Console()
    ids = [registry.spec(name).id for name in arguments.only] if arguments.only else envsuite.ids()
    measure(ids[0])  # the first process that imports a module translates it for all others, as installing a wheel does
    found: dict[str, dict[str, float]] = {}
    for id in track(ids, "measuring", console=console, transient=True):
        rounds = [measure(id) for _ in range(arguments.repeats)]
        found[registry.short_name(id)] = {key: statistics.median(one[key] for one in rounds) for key in COLUMNS}

    table = Table(title="each in a new process with an empty cache")
    table.add_column("world", no_wrap=True)
    for column in COLUMNS.values():
        table.add_column(column, justify="right")
    for name, row in found.items():
        table.add_row(name, *(judged(row[key], MOST[key]) if key in MOST else f"{row[key]:.2f}" for key in COLUMNS))
    table.add_section()
    medians = {key: statistics.median(row[key] for row in found.values()) for key in COLUMNS}
    table.add_row(
        "median", *(judged(medians[key], MEDIAN[key]) if key in MEDIAN else f"{medians[key]:.2f}" for key in COLUMNS)
    )
    console.print(table)

    marks = Table("mark", "wanted", "reached", "worlds that miss it")
    for key, most in MOST.items():
        misses = [name for name, row in found.items() if row[key] > most]
        share = 1 - len(misses) / len(found)
        reached = f"[{'green' if share >= SHARE[key] else 'red'}]{share:.0%}[/]"
        marks.add_row(f"{COLUMNS[key]} <= {most:g}", f"{SHARE[key]:.0%} of worlds", reached, ", ".join(misses))
    for key, most in MEDIAN.items():
        marks.add_row(f"{COLUMNS[key]}, median", f"<= {most:g}", judged(medians[key], most))
    if arguments.demo:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
            wall, _, cpu = run([str(DEMO)], cache, wait=True)
        marks.add_row("demo, s", f"<= {DEMO_MOST:g}", judged(wall, DEMO_MOST), f"{cpu:.0f} CPU s")
    console.print(marks)


if __name__ == "__main__":
    main()
