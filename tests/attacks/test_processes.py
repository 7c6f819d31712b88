"""Processes: odd ways to start Python, spawned workers, and thousands of environments in one process."""

import gc
import multiprocessing
import os
import resource
import subprocess
import sys

import numpy as np
import pytest

import envsuite
from envsuite.core.policy import make_policy
from envsuite.interfaces.vector import Vector

pytestmark = pytest.mark.long

#: Plays some steps and prints a checksum of the end, with all that starts a process of its own left out.
PLAYS = """
import zlib
import envsuite
env = envsuite.make_vec("envsuite/Harvest-v0", 2, compiled=False)
env.reset(seed=0)
env.rollout("random", 20, seed=1)
print(zlib.crc32(env.get_state()[-1000:]), len(env.text(0, env.agents[0])) > 50, env.render().shape[-1])
"""

ODD = "a folder with 'quotes', \"more\", é and 漢"

#: Options of Python, variables, and what is done with the streams.
STARTS = {
    "optimized": (["-O"], {}), "no docstrings": (["-OO"], {}), "isolated": (["-I"], {}), "safe path": (["-P"], {}),
    "warnings are errors": (["-W", "error"], {}), "developer mode": (["-X", "dev"], {}),
    "bytes are compared strictly": (["-bb"], {}), "no UTF-8 mode": (["-X", "utf8=0"], {"LC_ALL": "C"}),
    "C locale": ([], {"LC_ALL": "C", "LANG": "C"}), "POSIX locale without coercion": ([], {
        "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
    "Turkish locale": ([], {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}),
    "another encoding": ([], {"PYTHONIOENCODING": "ascii"}), "no bytecode": (["-B"], {}),
    "no home": ([], {"HOME": None}), "an odd home": ([], {"HOME": ODD, "ENVSUITE_CACHE": None}),
    "a home that is not there": ([], {"HOME": "/nowhere/at/all", "ENVSUITE_CACHE": None}),
    "a cache that is a file": ([], {"ENVSUITE_CACHE": "FILE"}),
    "a cache that is no folder": ([], {"ENVSUITE_CACHE": "/dev/null"}),
    "an odd cache": ([], {"ENVSUITE_CACHE": ODD}), "no terminal": ([], {"TERM": "dumb", "COLUMNS": "1"}),
    "an odd time zone": ([], {"TZ": "XYZ-25:61"}), "no path": ([], {"PATH": ""}),
    "a temporary folder that is not there": ([], {"TMPDIR": "/nowhere"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return started("usual", tmp_path_factory.mktemp("usual"))


def started(start, folder):
    options, variables = STARTS.get(start, ([], {}))
    (folder / "file").write_text("")
    (folder / ODD).mkdir(exist_ok=True)
    places = {"FILE": str(folder / "file"), ODD: str(folder / ODD)}
    env = {**os.environ, **variables}
    env = {name: places.get(value, value) for name, value in env.items() if value is not None}
    done = subprocess.run(
        [sys.executable, *options, "-c", PLAYS], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("start", STARTS)
def test_odd_starts_of_python(start, usual, tmp_path, counted):
    assert started(start, tmp_path) == usual and usual.endswith("True 3\n")
    counted("odd starts of Python that play the same", 1)


def in_worker(task):
    """What a spawned process makes of an environment, a policy and actions that it was sent."""
    env, policy, actions = task
    for one in actions:
        env.step(one)
    chosen = policy.act_batch(env.batch.observations, env.batch.masks, range(env.num_agents))
    return env, policy, chosen


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_environments_and_policies_go_to_other_processes_and_back(method, counted):
    """They play on there and, sent back, here: as those that never left."""
    tasks, twins = [], []
    for id, name in (("ConnectFour", "tactical"), ("KuhnPoker", "random"), ("Harvest", "sustainable")):
        for tasked in (tasks, twins):
            env, policy = Vector(id, 2, compiled=False), make_policy(name, id)
            env.reset(seed=3)
            policy.reset(5, 2)
            legal = np.zeros(env.batch.rewards.shape, int)
            tasked.append((env, policy, [legal] * (2 if id == "Harvest" else 0)))
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(in_worker, tasks)
    for (env, policy, chosen), twin in zip(found, map(in_worker, twins)):
        assert env.get_state() == twin[0].get_state() and (chosen == twin[2]).all()
        assert policy.get_state() == twin[1].get_state()
        for one in (env, twin[0]):
            one.step(chosen)
        assert env.get_state() == twin[0].get_state()
    assert len(found) == 3
    counted("environments and policies that came back from other processes", len(found))


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs Linux")
def test_thousands_of_environments_leave_nothing(counted):
    def use(k):
        env = envsuite.make_aec("TicTacToe", compiled=False, render_mode="rgb_array" if k % 100 == 0 else None)
        env.reset(seed=k)
        env.step(k % 9)
        if k % 100 == 0:
            env.render()
        env.close()
        vector = Vector("TicTacToe", 2, threads=2 if k % 50 == 0 else 1, compiled=False)
        vector.reset(seed=k)
        vector.close()

    for k in range(500):
        use(k)
    gc.collect()
    files, memory, objects = descriptors(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(gc.get_objects())
    for k in range(3000):
        use(k)
    gc.collect()
    assert descriptors() <= files
    assert len(gc.get_objects()) < objects + 300
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < memory + 20_000  # kB
    counted("environments made and closed", 2 * 3000)
