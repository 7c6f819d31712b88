"""bsuite's small worlds: its own environments step by step, closed forms, baselines, levels."""

import itertools
import json

import kit
import numpy as np
import pytest

from envsuite.evaluation.matches import play
from envsuite.games.deep_sea import goes_right
from envsuite.registry import build

RECORDED = json.loads((kit.DATA / "bsuite.json").read_text())["worlds"]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['world']}-{case['params']}")
def test_bsuite(case):
    """Observations, rewards and ends of the recorded episodes, all at once; they have one length."""
    episodes = case["episodes"]
    batch = kit.started(f"envsuite/{case['world']}-v0", len(episodes), **case["params"])
    for t in range(len(episodes[0]["actions"])):
        assert not batch.over().any()
        assert [kit.checksum(o) for o in batch.observations[:, 0]] == [e["seen"][4 * t : 4 * t + 4] for e in episodes]
        batch.step(np.array([e["actions"][t] for e in episodes])[:, None])
        assert np.allclose(batch.rewards[:, 0], [e["rewards"][t] for e in episodes], atol=1e-12)
    assert batch.over().all() and [kit.checksum(o) for o in batch.observations[:, 0]] == [
        e["seen"][-4:] for e in episodes
    ]


@pytest.mark.parametrize("name, good, best, other", [
    ("DeepSea", "right", 0.99, "left"),
    ("Catch", "catcher", 1.0, "stay"),
    ("MemoryChain", "memory", 1.0, "first"),
    ("UmbrellaChain", "forecast", None, "take"),
    ("DiscountingChain", "soon", 1.1, "late"),
])  # fmt: skip
def test_baselines(name, good, best, other):
    """The best play earns its return in each episode; in UmbrellaChain the last reward is 1."""
    found, less = (play(f"envsuite/{name}-v0", policy, 200).returns[:, 0] for policy in (good, other))
    if best is None:
        batch = kit.started(f"envsuite/{name}-v0", 50)
        kit.finish(batch, good)
        assert (batch.rewards[:, 0] == 1).all()
    else:
        assert np.allclose(found, best) and (less <= best + 1e-9).all()


def test_memory_chain_with_many_bits():
    assert (play(build("envsuite/MemoryChain-v0", {"bits": 9, "length": 4}), "memory", 100).returns == 1).all()


def test_deep_sea_by_enumeration():
    """All 64 plans of six steps: one reaches the treasure, and the mean is that of the closed form."""
    returns = []
    for plan in itertools.product((0, 1), repeat=6):
        batch, total = kit.started("envsuite/DeepSea-v0", size=6, mapping=5), 0.0
        for action in plan:
            batch.step(action)
            total += batch.rewards[0, 0]
        returns.append(total)
    assert sum(value > 0.5 for value in returns) == 1 and np.isclose(max(returns), 0.99)
    assert np.isclose(np.mean(returns), 2.0**-6 - 0.005)


def test_deep_sea_has_fair_bits():
    """About half of the bits are 1, in each mapping others."""
    with np.errstate(over="ignore"):  # words wrap around, as in machine code
        bits = np.array([[goes_right(m, row, column) for row in range(20) for column in range(20)] for m in range(5)])
    assert (abs(bits.mean(axis=1) - 0.5) < 0.1).all() and len({tuple(row) for row in bits.tolist()}) == 5


def test_catch_without_looking():
    """Over all columns, any plan catches one ball in seven."""
    caught = []
    for column in range(7):
        batch = kit.started("envsuite/Catch-v0", level={"column": column}, rows=5, columns=7)
        for action in (0, 0, 2, 1):
            batch.step(action)
        caught.append(batch.rewards[0, 0])
    assert sum(caught) == 1 - 6


def test_levels():
    column = "column=.* must be an integer from 0 to 4"
    kit.refuses(build("envsuite/Catch-v0"), ({}, "'column'"), ({"column": 5}, column), ({"column": True}, column))
    kit.refuses(
        build("envsuite/MemoryChain-v0"),
        ({"bits": [1]}, "'bits' and 'question'"),
        ({"bits": [2], "question": 0}, r"bits\[0\]=2 must be an integer from 0 to 1"),
        ({"bits": 1, "question": 0}, "bits must be a list of 1 integer from 0 to 1"),
        ({"bits": [1], "question": 1}, "question=1 must be an integer from 0 to 0"),
    )
    kit.refuses(build("envsuite/UmbrellaChain-v0"), ({"rain": 1}, "true or false"), ({"wind": True}, "true or false"))
    batch = kit.started("envsuite/UmbrellaChain-v0", 20, level={"rain": True})
    assert batch.records["rain"].all() and 0 < batch.records["umbrella"].sum() < 20
