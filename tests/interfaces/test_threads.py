"""One environment, one thread: a second call while one is running is refused, whatever it is."""

from threading import Thread

import numpy as np
import pytest

from envsuite import registry
from envsuite.core.errors import SharedError
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import SeatVector, Vector

WORLD = "envsuite/MatrixGame-v0"

FORMS = {
    "aec": (AEC, 0),
    "parallel": (Parallel, {"player_0": 0, "player_1": 0}),
    "gym": (Seat, 0),
    "vector": (lambda world: Vector(world, 2), np.zeros((2, 2), int)),
    "seats": (lambda world: SeatVector(world, 2), np.zeros(2, int)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("running", ["reset", "step", "rollout"])
def test_a_second_call_is_refused_and_the_first_goes_on(form, running):
    make, move = FORMS[form]
    if running == "rollout" and form != "vector":
        pytest.skip("only vectors have rollouts")
    env = make(registry.build(WORLD))
    env.reset(seed=0)
    state, run, errors = env.get_state(), env.batch.run, []

    def interrupted():
        def other():
            for call in (lambda: env.step(move), env.reset, lambda: env.set_state(state)):
                with pytest.raises(SharedError, match="one environment belongs to one thread at a time"):
                    call()
                errors.append(call)

        thread = Thread(target=other)
        thread.start()
        thread.join()
        run()

    env.batch.run = interrupted
    if running == "rollout":
        env.rollout(["random", "random"], 1, seed=0)
    elif running == "step":
        env.step(move)
        if form == "aec":
            env.step(move)
    else:
        env.reset()
    assert len(errors) >= 3 and not len(errors) % 3
    env.batch.run = run
    env.reset()  # after an error, too, the environment is free again
    with pytest.raises(Exception, match="must|mapping"):
        env.step("nonsense")
    env.reset()


def test_threads_may_take_turns():
    env = Parallel(registry.build(WORLD))
    for _ in range(3):
        thread = Thread(target=lambda: (env.reset(seed=0), env.step({"player_0": 0, "player_1": 1})))
        thread.start()
        thread.join()
    assert not env.agents
