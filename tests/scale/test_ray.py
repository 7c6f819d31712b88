"""The same bits on a Ray cluster of two workers, one of which is killed; and after the process that asks was killed."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from jobs import Deadly, Edited, Squares

from envsuite.core.errors import ParameterError, ScaleError
from envsuite.evaluation import matches
from envsuite.evaluation.matches import Play, play
from envsuite.evaluation.reference import Rows
from envsuite.evaluation.rollouts import Rollout
from envsuite.evaluation.tournaments import tournament
from envsuite.generators import base
from envsuite.registry import build
from envsuite.scale import executor, run
from envsuite.scale.job import digest

pytestmark = pytest.mark.slow

FOUR = "envsuite/ConnectFour-v0"


@pytest.fixture(scope="module")
def cluster():
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    with executor("ray") as pool:
        yield pool
    ray.shutdown()


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks of few episodes, worlds and levels."""
    monkeypatch.setattr(matches, "BLOCK_EPISODES", (64, 64))
    monkeypatch.setattr(base, "BLOCK", 16)


def test_equal_bits(cluster):
    jobs = [
        Play(build(FOUR), ["tactical", "random"], np.array([[[0, 1]], [[1, 0]]]), 200, 3),
        Rollout("envsuite/CleanUp-v0", "random", 150, 40, 1),
        base.Levels("maze", 40, 2, "test"),
        Rows([("envsuite/KuhnPoker-v0", "random", "equilibrium"), ("envsuite/KuhnPoker-v0", "random", None)]),
    ]
    for job in jobs:
        here, there, processes = run(job), run(job, cluster), run(job, 2)
        assert repr(here) == repr(there) == repr(processes), job.kind
        parts = [digest(job.work(k)) for k in range(job.blocks)]
        found = {task: digest(part) for task, part, _ in cluster.map([job], [(0, k) for k in range(job.blocks)])}
        assert [found[0, k] for k in range(job.blocks)] == parts


def test_a_tournament(cluster):
    entrants = ["random", "tactical"]
    here, there = (tournament(FOUR, entrants, 100, workers=workers) for workers in (1, cluster))
    assert [one.plain() for one in here.pairings] == [one.plain() for one in there.pairings]


def test_a_worker_is_killed_while_it_works(cluster):
    job = Play(build(FOUR), ["tactical", "random"], np.arange(2), 64 * 60, 3)
    expected = [digest(job.work(k)) for k in range(job.blocks)]
    found, places = {}, set()
    for (_, k), part, place in cluster.map([job], [(0, k) for k in range(job.blocks)]):
        found[k] = digest(part)
        if place not in places and len(places) < 3:
            places.add(place)
            os.kill(int(place.split()[1]), signal.SIGKILL)  # it has its next shard already
    assert [found[k] for k in range(job.blocks)] == expected
    assert len(places) == 3


@pytest.mark.parametrize("deaths", [2, 3])
def test_a_block_that_kills(cluster, tmp_path, deaths):
    for k in range(deaths):
        (tmp_path / str(k)).touch()
    job = Deadly(8, folder=str(tmp_path))
    if deaths < 3:
        assert run(job, cluster) == [k * k for k in range(8)]
    else:
        with pytest.raises(ScaleError, match="block 3 of squares .* has ended its worker 3 times"):
            run(job, cluster)


def test_what_is_refused(cluster):
    with pytest.raises(ScaleError, match="its code is .*, but that of the process that asks is"):
        run(Edited(2), cluster)
    assert run(Squares(6), cluster, audit=1.0) == [0, 1, 4, 9, 16, 25]
    with pytest.raises(ParameterError, match="block 2"):
        run(Failing(3), cluster)


class Failing(Squares):
    """The error of block 2 is that of this package."""

    def work(self, k, progress=None):
        if k == 2:
            raise ParameterError("block 2")
        return super().work(k)


@pytest.mark.parametrize("workers", ["2", "ray"])
def test_the_process_that_asks_is_killed(tmp_path, monkeypatch, workers):
    """Killed while it works, resumed by another number of workers: the same result as in one go."""
    file, episodes = tmp_path / "four.jsonl", 4096 * 150
    match = f"match {FOUR} --policy random --episodes {episodes} --workers {workers} --out {file}"
    command = [sys.executable, "-m", "envsuite.cli", *match.split()]
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    first = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    until = time.monotonic() + 200
    while not (file.exists() and b"\n" in file.read_bytes()) and time.monotonic() < until:
        time.sleep(0.01)
    first.send_signal(signal.SIGKILL)
    first.wait()
    kept = file.read_bytes()
    assert 0 < kept.count(b"\n") < 150
    monkeypatch.undo()  # blocks as large as those of the command
    found, expected = play(FOUR, "random", episodes, path=file), play(FOUR, "random", episodes)
    assert (
        found.returns.tobytes() == expected.returns.tobytes() and found.lengths.tobytes() == expected.lengths.tobytes()
    )
    assert file.read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])
