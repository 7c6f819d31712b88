"""Processes made by a fork, and threads of pools that nobody uses any more."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from envsuite.compile.locks import uninterrupted_by_fork
from envsuite.core.policy import make_policy
from envsuite.interfaces.vector import Vector

ID = "envsuite/MatrixGame-v0"

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


def ends(body, seconds=10):
    """Whether a child made by a fork carries this out without an error in this time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            body()
            status = 0
        finally:
            os._exit(status)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.002)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


def made(num=4, threads=2):
    vector = Vector(ID, num, threads=threads, compiled=False)
    vector.reset(seed=0)
    return vector


def play(vector):
    vector.step(np.zeros((vector.num_envs, 2), int))
    vector.rollout("random", 2)
    return vector.get_state()


def test_a_vector_with_threads_goes_on_in_a_child_and_in_its_parent():
    vector, twin = made(), made(threads=1)
    play(vector), play(twin)
    expected = twin.clone()
    expected.step(np.zeros((4, 2), int))

    def child():
        vector.step(np.zeros((4, 2), int))
        assert vector.get_state() == expected.get_state()
        assert ends(lambda: (play(vector), vector.close()))  # and in a child's child
        play(vector)
        vector.close()

    assert ends(child)
    play(vector)
    assert vector.batch._workers.usable


@pytest.mark.parametrize("before", ["nothing", "reset", "closed"])
def test_a_vector_whose_threads_have_not_worked(before):
    vector = Vector(ID, 4, threads=3, compiled=False)
    if before != "nothing":
        vector.reset(seed=0)
    if before == "closed":
        play(vector)
        vector.close()
    assert ends(lambda: (vector.reset(seed=1), play(vector)))
    assert ends(vector.close)


def test_a_fork_while_the_threads_work():
    """The child has the environment in the middle of a call of a thread that it lacks; its other ones are free."""
    vector, other = made(), made()
    play(vector), play(other)
    run, at_it, go = vector.batch.run, threading.Event(), threading.Event()

    def slow():
        at_it.set()
        go.wait(5)
        run()

    vector.batch.run = slow
    thread = threading.Thread(target=lambda: vector.step(np.zeros((4, 2), int)))
    thread.start()
    at_it.wait(5)
    assert ends(lambda: play(other))
    go.set()
    thread.join()
    vector.batch.run = run
    play(vector)


def test_a_planner_with_threads():
    vector = Vector("envsuite/TicTacToe-v0", 2, compiled=False)
    vector.reset(seed=0)
    planner = make_policy("alpha_beta", "envsuite/TicTacToe-v0", depth=1, nodes=5, threads=2)
    actions = planner.act_in(vector.batch, [0])
    assert ends(lambda: np.testing.assert_array_equal(planner.act_in(vector.batch, [0]), actions))
    planner.close()


def test_a_fork_waits_for_what_compiles():
    order, started = [], threading.Event()

    @uninterrupted_by_fork
    def compiling():
        started.set()
        time.sleep(0.1)
        order.append("compiled")

    thread = threading.Thread(target=compiling)
    thread.start()
    started.wait(5)
    assert ends(lambda: compiling() if order == ["compiled"] else 1 / 0)
    thread.join()


@pytest.mark.machine
def test_a_fork_while_a_thread_compiles(tmp_path):
    code = textwrap.dedent("""
        import os, threading, time
        import numpy as np
        import envsuite
        id = "envsuite/MatrixGame-v0"
        vector = envsuite.make_vec(id, 2, compiled=True)
        thread = threading.Thread(target=lambda: vector.reset(seed=0))
        thread.start()
        time.sleep(float(os.environ["AFTER"]))
        child = os.fork()
        if child == 0:
            env = envsuite.make_vec(id, 2, compiled=True, threads=2)
            env.reset(seed=0)
            env.step(np.zeros((2, 2), int))
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        thread.join()
    """)
    for after in ("0.1", "1.5"):
        env = {**os.environ, "ENVSUITE_CACHE": str(tmp_path / after), "ENVSUITE_LAZY": "0", "AFTER": after}
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=env, check=True, timeout=120)


def test_vectors_that_nobody_uses_keep_no_threads():
    gc.collect()
    time.sleep(0.02)  # those of other tests end
    before = threading.active_count()
    for _ in range(5):
        play(made(threads=4))
    made(threads=4).flatten()
    gc.collect()
    until = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.002)
    assert threading.active_count() <= before


def test_a_vector_in_use_keeps_its_threads():
    vector = made(threads=3)
    play(vector)
    gc.collect()
    assert vector.batch._workers.usable and all(thread.is_alive() for thread in vector.batch._workers._threads)
    vector.close()
    play(vector)  # with new ones
    vector.close()
