"""Rollouts of vectors, in parts: what is wrong is refused before anything runs, since machine code checks no index."""

import numpy as np
import pytest

from envsuite.compile import tiers
from envsuite.core.batch import Batch
from envsuite.core.errors import NotReadyError, ParameterError
from envsuite.core.policy import make_policy
from envsuite.core.rollout import TALLY, Sums, compiled_tally, outcomes
from envsuite.core.table import as_bytes
from envsuite.interfaces.vector import Vector
from envsuite.registry import build
from envsuite.solvers.mcts import MCTS
from envsuite.testing import same

ID = "envsuite/TicTacToe-v0"


def made(num=4, ready=True, **options):
    vector = Vector(ID, num, compiled=False, **options)
    if ready:
        vector.reset(seed=0)
    return vector


@pytest.mark.parametrize("policy", ["random", "tactical", ["random", "tactical"]], ids=str)
def test_a_policy_by_its_name_plays_the_second_part_too(policy):
    """A new policy, which has no memories yet."""
    vector = made()
    found = vector.sums(policy, 12, seed=1)
    before = found.tally.copy()
    assert vector.sums(policy, 12, None, found) is found
    assert (found.tally["steps"] == 24).all() and found.tally["decisions"].sum() == 4 * 24
    assert (found.tally["episodes"] > before["episodes"]).all() and vector.batch.records["t"].max() <= 9


def test_two_parts_are_the_whole():
    whole, parts, policy = made(), made(), make_policy("random", ID)
    expected = whole.sums("random", 20, seed=3)
    found = parts.sums(policy, 8, seed=3)
    assert same(expected, parts.sums(policy, 12, found=found))


def test_a_seed_starts_streams_in_a_later_part_too():
    runs = []
    for _ in range(2):
        vector = made()
        found = vector.sums("random", 5, seed=1)
        runs.append(vector.sums("random", 5, 2, found))
    assert same(*runs)


@pytest.mark.parametrize("other", [1, 3, 9])
def test_a_policy_of_another_vector_starts_from_new_memories(other):
    policy = make_policy("random", ID)
    policy.reset(0, other)
    vector = made()
    found = vector.sums(policy, 6, found=Sums.zeros(4, 2))
    assert policy.memories.shape == (4, 2) and (found.tally["steps"] == 6).all()


def read_only(array):
    array.flags.writeable = False
    return array


ZEROS = Sums.zeros(4, 2)
WRONG = {
    "other N": Sums.zeros(1, 2),
    "other A": Sums.zeros(4, 1),
    "a list": list(ZEROS),
    "a tuple": tuple(ZEROS),
    "a number": 0,
    "lists": Sums(*(part.tolist() for part in ZEROS)),
    "float32": ZEROS._replace(sums=np.zeros((4, 2), np.float32)),
    "flat": ZEROS._replace(squares=np.zeros(8)),
    "every second": ZEROS._replace(totals=np.zeros((4, 4))[:, ::2]),
    "read-only": ZEROS._replace(totals=read_only(np.zeros((4, 2)))),
    "other tally": ZEROS._replace(tally=np.zeros(4, np.int64)),
    "short tally": ZEROS._replace(tally=np.zeros(3, TALLY)),
}


@pytest.mark.parametrize("kind", WRONG)
def test_sums_that_do_not_fit(kind):
    vector = made()
    before = vector.get_state()
    with pytest.raises(ParameterError, match=r"found(\.\w+|=).* must be"):
        vector.sums("random", 5, None, WRONG[kind])
    assert vector.get_state() == before


@pytest.mark.parametrize(
    "steps", [0, -5, 2.5, "3", None, True, np.float64(2), np.zeros(2, int), [1], np.timedelta64(3)]
)
@pytest.mark.parametrize("call", ["sums", "rollout"])
def test_numbers_of_steps(call, steps):
    with pytest.raises(ParameterError, match="steps=.* must be a positive integer"):
        getattr(made(), call)("random", steps)


@pytest.mark.parametrize("seed", [-1, 1.5, "1", 2**64, True, [1]])
def test_seeds_of_policies(seed):
    with pytest.raises(ParameterError, match="seed"):
        made().sums("random", 3, seed)


def test_before_the_first_reset():
    vector = made(ready=False)
    with pytest.raises(NotReadyError, match=r"call reset\(\) first"):
        vector.sums("random", 5)
    with pytest.raises(NotReadyError):
        vector.sums("random", 5, 1, Sums.zeros(4, 2))
    assert vector.rollout("random", 5, seed=0).steps == 20


# Below the interfaces.


def entries(num=4):
    """By name, a bound template and arguments that fit it."""
    world = build(ID)
    batch, policy = Batch(world, num, compiled=False), make_policy("random", world)
    batch.start(0)
    policy.reset(0, num)
    sums = np.zeros((4, num, 2))
    seen = (*policy.looks_at(batch.observations, batch.masks), batch.acting, batch.actions)
    return {
        "rules": batch.loop,
        "policy": (policy.compiled, (*seen, 0, num)),
        "sums": (
            compiled_tally(),
            (*outcomes(batch, policy, *sums, np.zeros(num, TALLY)), 0, num, as_bytes(policy.first_memory)),
        ),
    }


@pytest.mark.parametrize("name", ["rules", "policy", "sums"])
def test_entries_refuse_arrays_that_disagree(name):
    bound, arguments = entries()[name]
    rows = bound._rows
    tiers.entry(bound, arguments, compiled=False)
    for k in range(rows):
        array = arguments[k]
        for wrong in (
            array[:3],
            np.concatenate([array, array]),
            array[:0],
            *([array[:, :1]] if array.ndim > 1 else []),
        ):
            with pytest.raises(ParameterError, match="records 0 to 3 of arrays of the shapes"):
                tiers.entry(bound, (*arguments[:k], wrong, *arguments[k + 1 :]), compiled=False)
    for first, last in ((0, 5), (-1, 2), (3, 2), (5, 5)):
        with pytest.raises(ParameterError, match=f"records {first} to {last - 1} of arrays"):
            tiers.entry(bound, (*arguments[:rows], first, last, *arguments[rows + 2 :]), compiled=False)


@pytest.mark.parametrize("num", [-1, 5, 2**40])
def test_an_expansion_of_records_that_are_not_there(num):
    batch = Batch(build(ID), 4, compiled=False)
    batch.start(0)
    before = batch.records.tobytes()
    with pytest.raises(ParameterError, match="records 0 to"):
        batch.expand(num)
    assert batch.records.tobytes() == before and len(batch.commands) == 4


@pytest.mark.parametrize("name", ["mcts", "alpha_beta", "random"])
@pytest.mark.parametrize("agents", [[-1], [2], [0, 5]], ids=str)
def test_policies_are_not_asked_for_agents_that_there_are_not(name, agents):
    batch = Batch(build(ID), 2, compiled=False)
    batch.start(0)
    policy = make_policy(name, ID)
    with pytest.raises((ParameterError, IndexError)):
        policy.act_in(batch, agents)
    if isinstance(policy, MCTS):
        with pytest.raises(ParameterError, match="has no agents numbered"):
            policy.search(batch.records, agents[-1])
