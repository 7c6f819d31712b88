"""An interrupt within a call leaves everything as it was, or an environment that is not ready until the next reset."""

import sys
from pathlib import Path
from threading import Event

import numpy as np
import pytest

import envsuite
from envsuite.core.errors import EnvsuiteError, NotReadyError
from envsuite.core.policy import Policy, make_policy
from envsuite.core.workers import Workers, settled
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import SeatVector, Vector
from envsuite.testing import same

PACKAGE = str(Path(envsuite.__file__).parent)


BROKEN = r"KeyboardInterrupt interrupted the last transition: call reset\(\)"


class Interrupt:
    """Within it, line number `at` of the package that is run raises `KeyboardInterrupt`; `lines` counts them."""

    def __init__(self, at=None):
        self.at, self.lines = at, 0

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self.call)
        return self

    def __exit__(self, *_):
        sys.settrace(self.before)

    def call(self, frame, event, argument):
        return self.line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def line(self, frame, event, argument):
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                raise KeyboardInterrupt
        return self.line


def first_legal(masks):
    return masks.argmax(axis=-1)


def step(env):
    """One step by the first legal actions."""
    if isinstance(env, AEC):
        env.step(int(env.action_mask(env.agent_selection).argmax()))
    elif isinstance(env, Parallel):
        env.step({agent: int(env.action_mask(agent).argmax()) for agent in env.agents})
    elif isinstance(env, Seat):
        env.step(int(env.batch.masks[0, 0].argmax()))
    else:
        masks = env.batch.masks[:, 0] if isinstance(env, SeatVector) else env.batch.masks
        env.step(masks.argmax(axis=-1))


def results(env):
    """All that an environment shows after a call."""
    shown = [env.get_state(), env.batch.masks.copy(), env.batch.ends.copy()]
    return [*shown, env.agents, env.agent_selection] if isinstance(env, AEC) else shown


def interrupted(make, call, stride, compiled=False):
    """Interrupt a call of an environment at every `stride`-th of its lines; how many of these leave it not ready."""
    env, twin = make(compiled), make(compiled)
    for _ in range(2):  # the first call makes things that are kept
        env.reset(seed=0)
        with Interrupt() as whole:
            call(env)
    broken = 0
    for at in range(1, whole.lines + 1, stride):
        env.reset(seed=0)
        twin.reset(seed=0)
        with pytest.raises(KeyboardInterrupt), Interrupt(at):
            call(env)
        if env._ready:
            assert same(results(env), results(twin)), f"line {at}: it has changed, and says that it is ready"
            continue
        broken += 1
        for use in (env.get_state, lambda: step(env)):
            with pytest.raises(NotReadyError, match=BROKEN):
                use()
        env.reset(seed=5)
        twin.reset(seed=5)
        assert same(results(env), results(twin)), f"line {at}: a reset does not repair it"
        call(env)
        call(twin)
        assert same(results(env), results(twin)), f"line {at}: it plays on differently after a reset"
    return broken


SMALL = {"rows": 4, "columns": 4, "connect": 3}
FORMS = {
    "aec": lambda compiled: AEC("envsuite/ConnectFour-v0", compiled=compiled, **SMALL),
    "parallel": lambda compiled: Parallel("envsuite/MatrixGame-v0", compiled=compiled),
    "gym": lambda compiled: Seat("envsuite/ConnectFour-v0", opponents="tactical", compiled=compiled, **SMALL),
    "vector": lambda compiled: Vector("envsuite/MatrixGame-v0", 2, compiled=compiled),
    "same_step": lambda compiled: Vector("envsuite/MatrixGame-v0", 2, autoreset="same_step", compiled=compiled),
    "seats": lambda compiled: SeatVector("envsuite/MatrixGame-v0", 2, autoreset="same_step", compiled=compiled),
}


#: The distance of the lines that are interrupted; in the layer of slow cases, all are.
STRIDES = pytest.mark.parametrize("stride", [29, pytest.param(1, marks=pytest.mark.slow)])


@STRIDES
@pytest.mark.parametrize("form", FORMS)
def test_an_interrupt_within_a_step(form, stride):
    assert interrupted(FORMS[form], step, stride) > 1


@STRIDES
@pytest.mark.parametrize("form", ["gym", "vector", "seats"])
def test_an_interrupt_within_a_reset(form, stride):
    assert interrupted(FORMS[form], lambda env: env.reset(seed=3), stride) > 1


@pytest.mark.machine
@pytest.mark.parametrize("form", ["vector", "same_step", "seats", "gym"])
def test_an_interrupt_between_calls_of_machine_code(form):
    assert interrupted(FORMS[form], step, 1, compiled=True) > 5


@pytest.mark.parametrize("stride", [211, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seats", [1, 2])
def test_an_interrupt_within_a_rollout(seats, stride):
    policies = [make_policy("random", "envsuite/MatrixGame-v0") for _ in range(seats)]
    policy = policies[0] if seats == 1 else policies
    assert interrupted(FORMS["vector"], lambda env: env.sums(policy, 2, seed=1), stride) > 1


@pytest.mark.parametrize("stride", [1999, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_an_interrupt_while_levels_of_a_curriculum_are_taken(autoreset, stride):
    levels = [{"start": 1, "target": 0}, {"start": 2, "target": 1}]  # both end with one step to the left

    def make(compiled):
        return Vector("envsuite/NumberLine-v0", 2, autoreset=autoreset, compiled=compiled, curriculum=levels)

    def end(env):
        for _ in range(3):
            step(env)

    assert interrupted(make, end, stride) > 0


class Failing(Policy):
    """Plays the first legal action until it is told to fail."""

    name, error = "failing", None

    def act(self, observation, mask, agent=0):
        if self.error is not None:
            raise self.error
        return int(mask.argmax())


@pytest.mark.parametrize("error", [ValueError("mine"), EnvsuiteError("of the package")], ids=["own", "ours"])
@pytest.mark.parametrize("form", [Seat, SeatVector])
def test_an_opponent_that_fails_after_the_move(form, error):
    opponent = Failing()
    env = form("envsuite/TicTacToe-v0", opponents=opponent, compiled=False)
    env.reset(seed=0)
    opponent.error = error
    with pytest.raises(type(error)):
        step(env)
    with pytest.raises(NotReadyError, match=f"{type(error).__name__} interrupted the last transition"):
        step(env)
    with pytest.raises(NotReadyError):
        env.get_state()
    opponent.error = None
    env.reset(seed=0)
    step(env)


def test_our_errors_leave_it_as_it_was():
    env = Vector("envsuite/TicTacToe-v0", 2, compiled=False)
    env.reset(seed=0)
    step(env)
    before = results(env)
    for wrong in (np.zeros((2, 2), int), "x", np.full((2, 2), 99)):
        with pytest.raises(EnvsuiteError):
            env.step(wrong)
        assert same(results(env), before)
    step(env)


def test_a_state_repairs_it_too():
    env = FORMS["same_step"](False)
    env.reset(seed=0)
    state = env.get_state()
    with pytest.raises(KeyboardInterrupt), Interrupt(30):
        step(env)
    env.set_state(state)
    assert env.get_state() == state
    step(env)


class Late:
    """The queue of finished work, in which waiting is interrupted."""

    def __init__(self, queue):
        self.put = queue.put

    def get(self):
        raise KeyboardInterrupt


def test_after_an_interrupt_of_waiting_for_threads_the_pool_is_closed_when_they_are_done():
    go, log = Event(), []

    def work(first, last):
        if first:
            go.wait(5)
            log.append(first)
        return first

    pool = Workers(1)
    assert pool.run(lambda first, last: first, [(0, 1), (1, 2)]) == [0, 1] and settled(pool) is pool
    pool._done = Late(pool._done)
    with pytest.raises(KeyboardInterrupt):
        pool.run(work, [(0, 1), (1, 2)])
    assert not log and not pool.usable
    go.set()
    assert settled(pool) is None and log == [1]
