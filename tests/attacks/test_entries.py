"""Every entry of compiled code with each array access checked: sums, rollouts, expansions, searches, recordings.

`make test-bounds` runs these; machine code without the checks says nothing, and Python refuses too much.
"""

import numpy as np
import pytest
from shapes import every_world

from envsuite import registry
from envsuite.compile.switches import BOUNDSCHECK
from envsuite.core.batch import Batch
from envsuite.core.policy import make_policy
from envsuite.data.recording import Source
from envsuite.evaluation.matches import play_batch
from envsuite.interfaces.vector import Vector
from envsuite.testing import random_actions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BOUNDSCHECK, reason="only `make test-bounds` checks accesses of machine code"),
]

STEPS, NUM = 30, 3

#: By planner, a world of each kind that its search treats in its own way.
SEARCHED = [
    ("mcts", "envsuite/ConnectFour-v0"),  # perfect information
    ("mcts", "envsuite/KuhnPoker-v0"),  # hidden cards
    ("mcts", "envsuite/MatrixGame-v0"),  # moves at once
    ("alpha_beta", "envsuite/TicTacToe-v0"),
]


def started(world, num=NUM):
    batch = Batch(world, num, compiled=True)
    batch.start(0)
    return batch


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("id", every_world())
def test_sums_and_rollouts(id, threads):
    vector = Vector(registry.build(id), NUM, threads=threads, compiled=True)
    vector.reset(seed=0)
    found = vector.sums("random", STEPS, seed=1)
    vector.sums("random", STEPS, None, found)  # another policy of this name
    vector.sums(["random"] * vector.num_agents, 3, 2, found)
    assert (found.tally["steps"] == 2 * STEPS + 3).all()
    assert vector.rollout("random", STEPS).steps == NUM * STEPS


@pytest.mark.parametrize("id", every_world())
def test_expansions(id):
    world = registry.build(id)
    if world.control_spaces:
        pytest.skip("an expansion tries actions")
    batch, rng = started(world), np.random.default_rng(0)
    for num in (NUM, 1, 0, 2):
        batch.observe()
        batch.actions[:] = random_actions(batch.masks, rng)
        batch.start(where=batch.finished)
        batch.actions[:] = random_actions(batch.masks, rng)
        batch.expand(num)


@pytest.mark.parametrize("id", every_world())
def test_recordings(id):
    world = registry.build(id)
    if world.control_spaces:
        pytest.skip("a data set has actions")
    batch = started(world)
    policy = make_policy("random", world)
    who = np.zeros((NUM, len(world.agents)), np.int64)
    play_batch(batch, [policy], who, 0, STEPS, None)


@pytest.mark.parametrize("grade", [1.0, 0.5])
def test_a_block_of_a_recording(grade):
    block = Source(registry.build("envsuite/ConnectFour-v0"), "random", 0, (grade,)).block(0, 5)
    assert (block.lengths > 0).all()


@pytest.mark.parametrize(("planner", "id"), SEARCHED)
def test_searches(planner, id):
    world = registry.build(id)
    batch = started(world)
    policy = make_policy(planner, world, **({"simulations": 40} if planner == "mcts" else {"depth": 2}))
    policy.reset(0, NUM)
    for _ in range(4):
        batch.start(where=batch.finished)
        batch.step(policy.act_in(batch, range(len(world.agents))))
