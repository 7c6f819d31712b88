"""CombinationLock: Intrepid's lock step by step, closed forms, enumeration, the code of observations, levels."""

import itertools
import json

import kit
import numpy as np
import pytest
from scipy.linalg import hadamard

from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.combination_lock import DEAD, decode, right_button
from envsuite.registry import build

ID = "envsuite/CombinationLock-v0"
RECORDED = json.loads((kit.DATA / "CombinationLock" / "combination_lock.json").read_text())["cases"]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: str(case["params"]))
def test_intrepid(case):
    """Chains, observations, rewards and ends of the recorded episodes, all at once."""
    episodes = case["episodes"]
    batch = kit.started(ID, len(episodes), **case["params"])
    for t in range(case["params"]["length"]):
        assert not batch.over().any() and batch.records["chain"].tolist() == [e["chains"][t] for e in episodes]
        assert np.allclose(batch.observations[:, 0], [e["seen"][t] for e in episodes], atol=1e-4)
        batch.step(np.array([e["actions"][t] for e in episodes])[:, None])
        assert np.allclose(batch.rewards[:, 0], [e["rewards"][t] for e in episodes], atol=1e-12)
    assert batch.terminations.all() and not batch.truncations.any()
    assert np.allclose(batch.observations[:, 0], [e["seen"][-1] for e in episodes], atol=1e-4)


def test_recordings_reach_everything():
    """All chains, decoys that pay and that do not, opened locks and costs."""
    episodes = [e for case in RECORDED for e in case["episodes"]]
    rewards = {round(reward, 3) for e in episodes for reward in e["rewards"]}
    assert {0.0, 0.1, 0.4, 1.0, -0.15} <= rewards and {c for e in episodes for c in e["chains"]} == {0, 1, DEAD}


@pytest.mark.parametrize("cost", [0.0, 0.5])
def test_random_play(cost):
    """By enumeration: all plans of three steps with three buttons, in all courses of swaps, and the closed form."""
    length, actions, decoy = 3, 3, 0.2
    right = [[0, 2], [1, 1], [2, 0]]
    total = opened = 0.0
    for plan in itertools.product(range(actions), repeat=length):
        for chains in itertools.product((0, 1), repeat=length):
            value = 0.0
            for k, button in enumerate(plan):
                if button != right[k][chains[k]]:
                    value += decoy / 2
                    break
                value += 1.0 if k == length - 1 else -cost / (length - 1)
                opened += k == length - 1
            total += value
    share, mean = opened / 8 / actions**length, total / 8 / actions**length
    paid = cost / (length - 1) * sum(actions**-k for k in range(1, length))
    assert np.isclose(share, actions**-length)
    assert np.isclose(mean, actions**-length + (1 - actions**-length) * decoy / 2 - paid)
    batch = kit.started(ID, 8000, length=3, actions=3, decoy=decoy, cost=cost, noise=0.0, level={"right": right})
    returns = kit.finish(batch, "random")[:, 0]
    assert abs(returns.mean() - mean) < 4.5 * returns.std() / 8000**0.5


@pytest.mark.parametrize("params", [{}, dict(length=2, actions=2), dict(length=25, cost=0.3, lock=9), dict(swap=0.0)])
def test_best_play(params):
    """With known right buttons the lock opens in each episode."""
    returns = play(build(ID, params), f"known:lock={params.get('lock', 1)}", 100).returns
    assert np.allclose(returns, 1 - params.get("cost", 0.0))


@pytest.mark.parametrize("seed", [0, 1])
def test_opener(seed):
    """It fails once for each button below a right one; with all found, it opens the lock in each try."""
    batch = kit.started(ID, 40, seed, length=3, actions=5, tries=60, lock=0, decoy=0.0)
    returns = kit.finish(batch, "opener")[:, 0]
    least = batch.records["right"].min(axis=2).sum(axis=1)
    wrong = batch.records["right"].sum(axis=(1, 2))
    assert (60 - returns >= least).all() and (60 - returns <= wrong).all() and (60 - returns == wrong).mean() > 0.9


def test_tries():
    """The end of a try is seen; any action then begins the next one with the same right buttons."""
    batch, right = kit.started(ID, 200, length=2, actions=3, tries=3, lock=0), None
    for t in range(8):
        assert not batch.over().any() and (batch.records["place"] == t % 3).all()
        right = batch.records["right"].copy() if right is None else right
        assert (batch.records["right"] == right).all() and (batch.records["tried"] == t // 3).all()
        if t % 3 == 0:
            assert set(batch.records["chain"].tolist()) == {0, 1}
        batch.step(np.zeros((200, 1), int))
        assert t % 3 < 2 or not batch.rewards.any()
    assert batch.terminations.all()
    assert len(np.unique(right.reshape(200, -1), axis=0)) > 50


@pytest.mark.parametrize("swap", [0.0, 0.2, 0.5, 1.0])
def test_swaps(swap):
    right = {"right": [[0, 0]] * 12}
    batch = kit.started(ID, 2000, length=12, swap=swap, noise=0.0, level=right)
    before, share = batch.records["chain"].copy(), []
    assert abs(before.mean() - 0.5) < 0.05
    for _ in range(3):
        batch.step(np.zeros((2000, 1), int))
        share.append((batch.records["chain"] != before).mean())
        before = batch.records["chain"].copy()
    assert abs(np.mean(share) - swap) < 0.03


@pytest.mark.parametrize("length, noise", [(2, 0.1), (4, 0.7), (5, 0.0), (12, 0.1), (13, 0.7), (60, 0.1)])
def test_observations(length, noise):
    """SciPy's Hadamard matrix takes the noise and the one-hot vector to the observation, and back."""
    batch = kit.started(ID, 30, length=length, noise=noise, tries=2)
    size = batch.observations.shape[-1]
    assert size >= length + 4 > size // 2
    for _ in range(length + 2):
        batch.step(np.zeros((30, 1), int))
        vectors = batch.observations[:, 0].astype(float) @ hadamard(size) / size
        for k, (chain, place) in enumerate(batch.records[["chain", "place"]].tolist()):
            vectors[k, chain] -= 1
            vectors[k, 3 + place] -= 1
            if noise <= 0.1 and k < 100 // size:
                assert decode(batch.observations[k, 0]) == (chain, place)
        assert np.abs(vectors[:, length + 4 :]).max(initial=0) < 1e-4
        rest = vectors[:, : length + 4]
        assert abs(rest.std() - noise) < 0.15 * noise + 1e-5 and abs(rest.mean()) < 0.3 * noise + 1e-5


def test_numbered_locks():
    """Buttons are equally frequent, and locks differ; the same lock is in all episodes."""
    with np.errstate(over="ignore"):  # words wrap around, as in machine code
        buttons = [[right_button(n, k, c, 5) for k in range(10) for c in range(2)] for n in range(1, 101)]
    assert (abs(np.bincount(np.ravel(buttons), minlength=5) / 2000 - 0.2) < 0.04).all()
    assert len({tuple(row) for row in buttons}) == 100
    batch = kit.started(ID, 5, lock=8)
    assert (batch.records["right"] == batch.records["right"][0]).all()
    assert (batch.records["right"] != kit.started(ID, 5, lock=9).records["right"]).any()


def test_levels():
    buttons = "right must be 2 lists of 2 integers from 0 to 3"
    kit.refuses(
        build(ID, dict(length=2)),
        ({}, "'right'"),
        ({"right": [[0, 0]] * 2, "lock": 1}, "'right'"),
        ({"right": [[0, 0]]}, buttons),
        ({"right": 3}, buttons),
        ({"right": [[0, 4], [0, 0]]}, r"right\[0\]\[1\]=4 must be an integer from 0 to 3"),
        ({"right": [[0, 0, 0], [0, 0]]}, buttons),
        ({"right": [[True, 0], [0, 0]]}, "=True must be an integer"),
        ({"right": [[0.0, 0], [0, 0]]}, "=0.0 must be an integer"),
    )


@pytest.mark.parametrize("name, value", [("place", 10), ("tried", 1)])
def test_contradictions(name, value):
    batch = kit.started(ID, 1)
    batch.records[name] = value
    with pytest.raises(SnapshotError, match="all tries are used"):
        batch.world.admit(batch.records)


def test_pictures_and_texts():
    """They show an agent what it can decode, and spectators the lock."""
    batch = kit.started(ID, 1, length=2, tries=2, level={"right": [[3, 3], [3, 3]]})
    batch.step(0)
    batch.step(0)
    s, world = batch.record(), batch.world
    words = world.text(s, 0)
    assert (
        "the dead chain, after 2 of 2 steps" in words
        and "try 1 of 2" in words
        and "Any button begins the next try." in words
    )
    assert ">3<" in world.scene(s).svg() and ">3<" not in world.scene(s, 0).svg()
