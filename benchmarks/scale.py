"""What it costs to share work between processes and on a Ray cluster of this machine.

    python benchmarks/scale.py             # both, with two workers

*Efficiency* is the processor time of the work in one process, divided by that of all processes that share it: the
workers and the process that asks. It is the share of two free cores that does useful work. Wall time says less where
other programs run, so it stands beside it. Starting the workers is not included; it is a line of its own.
"""

import argparse
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
    parser.add_argument("--transitions", type=float, default=1e8, help="of ConnectFour, by random play")
    arguments = parser.parse_args()
    world = build("ConnectFour")
    # 4,096 worlds a block.
    seconds = Rollout(world, "random", 4096 * 4, 7_000)
    alone = measured_here(seconds, arguments.times)
    print(f"4 blocks of a rollout, one process: {alone[0]:.2f} CPU s, {alone[1]:.2f} s of wall time")
    for workers in (2, "ray"):
        start = time.perf_counter()
        with executor(workers) as pool:
            pool.count = 2
            assert run(Nothing(4), pool) == 4
            print(f"\n{workers}: started in {time.perf_counter() - start:.1f} s")
            own, theirs, wall = measured(seconds, pool, arguments.times)
            print(f"  the same blocks: {own:.2f} + {theirs:.2f} CPU s, {wall:.2f} s of wall time")
            print(f"  efficiency {alone[0] / (own + theirs):.3f} by CPU time, {alone[1] / (2 * wall):.3f} by wall time")
            nothing = Nothing(2000)
            shards = executors.SHARD
            for name, executors.SHARD in (("one by one", 0.0), ("in shards", shards)):
                own, theirs, wall = (1e6 * value / 2000 for value in measured(nothing, pool, arguments.times))
                print(f"  an empty block, {name}: {own:.0f} + {theirs:.0f} CPU us, {wall:.0f} us of wall time")
            executors.SHARD = shards
            job = Play(world, ["random", "random"], np.arange(2), 4096 * 400)
            own, theirs, wall = measured(job, pool, 1)
            print(f"  400 blocks of 4,096 episodes: {own:.2f} + {theirs:.2f} CPU s, {wall:.2f} s of wall time")
            many = Rollout(world, "random", 4096 * round(arguments.transitions / 4096 / 1000), 1000)
            start, before = time.perf_counter(), time.process_time()
            totals = run(many, pool)
            print(
                f"  {totals.steps:.3g} transitions of a rollout: {time.perf_counter() - start:.1f} s of wall time, "
                f"{time.process_time() - before:.2f} CPU s in the process that asks; returns {totals.returns}"
            )


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
