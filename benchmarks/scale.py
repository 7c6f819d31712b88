"""What it costs to share work between processes and on a Ray cluster of this machine.

    python benchmarks/scale.py             # both, with two workers: the tables of docs/scale.md, in about 5 minutes

It needs two free cores.

*Efficiency* is the processor time of the work in one process, divided by that of all processes that share it: the
workers and the process that asks. It is the share of two free cores that does useful work. By wall time, it is the time
of one process, divided by twice that of two workers; where other programs run, that says less. Starting the workers is
not included; it is a line of its own.
"""

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from envsuite.evaluation.matches import Play
from envsuite.evaluation.rollouts import Rollout
from envsuite.registry import build
from envsuite.scale import Job, executor, executors, run


@dataclass
class Nothing(Job):
    """Blocks without work."""

    blocks: int
    kind = "nothing"

    def code(self):
        return ""

    def units(self, k):
        return 1

    def work(self, k, progress=None):
        return {"k": np.array([k])}

    def reduce(self, parts):
        return len(parts)


def seconds_of(pid):
    """The processor time of a process, from the system's table."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def measured(job, pool, times):
    """The least processor seconds of the asking process and of the workers together, and the least wall seconds."""
    best = [float("inf")] * 3
    pids = set()
    for _ in range(times + 1):  # the first compiles, and finds the workers
        before, own, start = sum(map(seconds_of, pids)), time.process_time(), time.perf_counter()
        for _, _, place in pool.map([job], [(0, k) for k in range(job.blocks)]):
            pids.add(int(place.split()[1]))
        wall, own = time.perf_counter() - start, time.process_time() - own
        workers = sum(map(seconds_of, pids)) - before
        if _:
            best = [min(pair) for pair in zip(best, (own, workers, wall))]
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, default=3, help="how often each measurement is taken; the best counts")
    parser.add_argument("--steps", type=int, default=7000, help="of the blocks for the efficiency; 7,000 take a second")
    parser.add_argument("--transitions", type=float, default=1e9, help="of ConnectFour, by random play")
    arguments = parser.parse_args()
    seconds = Rollout("ConnectFour", "random", 4096 * 4, arguments.steps)  # 4,096 worlds a block
    cpu, wall = measured_here(seconds, arguments.times)
    print(f"load before: {os.getloadavg()[0]:.1f}")
    print(f"4 blocks of a rollout in one process: {cpu:.2f} CPU s, {wall:.2f} s of wall time\n")
    columns = [shared(workers, seconds, cpu, wall, arguments) for workers in (2, "ray")]
    print("| | two processes | Ray, two actors |\n|---|---|---|")
    for name in columns[0][0]:
        print(f"| {name} | {' | '.join(rows[name] for rows, _ in columns)} |")
    print(f"\n1,000 workers on paper, {executors.PACE} shards a second:")
    for workers, (_, paper) in zip(("processes", "Ray"), columns):
        print(f"  {workers}: {paper}")


def shared(workers, seconds, cpu, wall, arguments):
    """The rows of the table for some workers, and what follows for 1,000 of them."""
    rows, start = {}, time.perf_counter()
    with executor(workers) as pool:
        pool.count = 2
        assert run(Nothing(4), pool) == 4
        rows["start of the executor, until both workers have answered"] = f"{time.perf_counter() - start:.1f} s"
        own, theirs, both = measured(seconds, pool, arguments.times)
        rows["efficiency by processor time"] = f"{cpu / (own + theirs):.3f} ({own + theirs:.2f} s)"
        rows["efficiency by wall time"] = f"{wall / (2 * both):.3f} ({both:.2f} s)"
        one_by_one, in_shards = (0.0, float("inf")), (executors.SHARD, executors.PACE)
        shard, block = (overhead(pool, pace, arguments.times) for pace in (one_by_one, in_shards))
        for name, (asking, working) in (("a shard", shard), ("an empty block within a shard", block)):
            rows[f"{name}: CPU of the process that asks, and of the worker"] = f"{asking:.0f}, {working:.0f} us"
        own, *_ = measured(Play(build("ConnectFour"), ["random", "random"], np.arange(2), 4096 * 400), pool, 1)
        match = own / 400
        rows["a block of 4,096 episodes (98 kB), process that asks"] = f"{1e3 * match:.2f} ms"
        many = Rollout("ConnectFour", "random", 4096 * max(round(arguments.transitions / 4096 / 1000), 1), 1000)
        start, before = time.perf_counter(), time.process_time()
        totals = run(many, pool)
        elapsed, own = time.perf_counter() - start, time.process_time() - before
        rows[f"{totals.steps:.3g} transitions of a rollout, wall time"] = f"{elapsed:.1f} s"
        rows["a block of it (328 kB), process that asks"] = f"{1e3 * own / many.blocks:.2f} ms"
    paper = (
        f"sending takes {executors.PACE * shard[0] / 1e6:.2f} of a core; the process that asks keeps up with "
        f"1,000 workers if blocks of 98 kB take {1e3 * match:.2f} s or more, and those of 328 kB "
        f"{1e3 * own / many.blocks:.2f} s"
    )
    return rows, paper


def overhead(pool, pace, times):
    """Processor microseconds of an empty block, of the process that asks and of both workers; see `executors.SHARD`."""
    held = executors.SHARD, executors.PACE
    executors.SHARD, executors.PACE = pace
    own, theirs, _ = measured(Nothing(2000), pool, times)
    executors.SHARD, executors.PACE = held
    return 1e6 * own / 2000, 1e6 * theirs / 2000


def measured_here(job, times):
    """The least processor seconds and wall seconds of a job in this process."""
    found = []
    for _ in range(times + 1):
        start, before = time.perf_counter(), time.process_time()
        run(job)
        found.append((time.process_time() - before, time.perf_counter() - start))
    return [min(values) for values in zip(*found[1:])]


if __name__ == "__main__":
    main()
