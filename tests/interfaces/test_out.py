"""Vectors that write into arrays of the caller."""

import numpy as np
import pytest

import envsuite
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.interfaces.vector import OUT
from envsuite.registry import build
from envsuite.testing import random_actions, same


def arrays(id, num, **options):
    """Arrays for all results of a vector, between guards, and those guards."""
    twin = envsuite.make_vec(id, num, **options)
    seen, infos = twin.reset(0)
    shape = twin.batch.rewards.shape
    seen = twin.batch.observations if twin.views.own else seen
    like = dict(zip(OUT, (seen, infos["action_mask"], np.zeros(shape, np.float32), *np.zeros((2, *shape), bool))))
    memory = {name: np.full(2 * one.nbytes, 170, np.uint8) for name, one in like.items()}
    out = {name: memory[name][: one.nbytes].view(one.dtype).reshape(one.shape) for name, one in like.items()}
    return out, [memory[name][one.nbytes :] for name, one in like.items()]


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
@pytest.mark.parametrize("options", [{}, {"flat": "scaled", "idle": "ones"}, {"copy": False}], ids=str)
@pytest.mark.parametrize("id", ["ConnectFour", "KuhnPoker", "Coins"])
def test_results_are_in_the_callers_arrays(id, options, autoreset):
    """The same numbers as in a vector without them, at the same addresses throughout."""
    options = dict(options, autoreset=autoreset, compiled=False, **({"horizon": 7} if id == "Coins" else {}))
    out, guards = arrays(id, 3, **options)
    envs, twin = envsuite.make_vec(id, 3, out=out, **options), envsuite.make_vec(id, 3, **dict(options, copy=True))
    results, expected = envs.reset(0), twin.reset(0)
    rng = np.random.default_rng(0)
    for _ in range(30):
        assert same(results[0], expected[0]) and same(results[-1], expected[-1])
        assert results[-1]["action_mask"] is out["action_mask"]
        seen = results[0].values() if isinstance(results[0], dict) else [results[0]]
        assert all(np.shares_memory(one, out["observations"]) for one in seen)
        actions = random_actions(twin.batch.masks, rng)
        results, expected = envs.step(actions), twin.step(actions)
        for mine, name, other in zip(results[1:4], OUT[2:], expected[1:4]):
            assert mine is out[name] and (mine == other).all()
    assert all((guard == 170).all() for guard in guards)
    assert envs.get_state() == twin.get_state()
    copy = envs.clone()  # has arrays of its own
    held = {name: one.copy() for name, one in out.items()}
    copy.step(random_actions(envs.batch.masks, rng))
    assert all(same(held[name], out[name]) for name in OUT)
    flat = envsuite.make_vec(id, 3, out=out, **options).flatten()
    assert np.shares_memory(flat.reset(seed=0)[1]["action_mask"], out["action_mask"])


def test_arrays_that_do_not_fit():
    world = build("ConnectFour")
    good = np.zeros((2, 2, 6, 7, 2), np.int8)
    fixed = good.copy()
    fixed.flags.writeable = False
    odd = np.zeros(good.nbytes + 1, np.int8)[1:].reshape(good.shape)  # int8 may start anywhere
    Batch(world, 2, observations=odd)
    for wrong, words in (
        (good[:1], r"int8 of shape \(2, 2, 6, 7, 2\), not int8 of shape \(1, 2, 6, 7, 2\)"),
        (good.astype(np.int16), "not int16 of shape"),
        (good.tolist(), "not list"),
        (fixed, "not one that is not writable"),
        (np.asfortranarray(good), "not one that is not contiguous"),
    ):
        with pytest.raises(ParameterError, match=f"envsuite/ConnectFour-v0: observations must be .*{words}"):
            envsuite.make_vec(world, 2, out={"observations": wrong})
    with pytest.raises(
        ParameterError, match=r"out\['observations'\] must be .* float32 of shape \(2, 2, 84\), not int8"
    ):
        envsuite.make_vec(world, 2, out={"observations": good}, flat="scaled")
    with pytest.raises(ParameterError, match=r"out\['rewards'\] must be .* float64 or float32 of .*, not int64"):
        envsuite.make_vec(world, 2, out={"rewards": np.zeros((2, 2), np.int64)})
    words = np.zeros(2 * 2 * 8 + 1, np.uint8)[1:].view(np.float64).reshape(2, 2)
    with pytest.raises(ParameterError, match="not one that is not aligned"):
        envsuite.make_vec(world, 2, out={"rewards": words})
    with pytest.raises(ParameterError, match="out has no array 'reward'; did you mean 'rewards'"):
        envsuite.make_vec(world, 2, out={"reward": np.zeros((2, 2))})
    with pytest.raises(ParameterError, match="out=5 must be a mapping with observations, action_mask"):
        envsuite.make_vec(world, 2, out=5)


def test_arrays_that_tensors_share():
    import torch

    tensor = torch.zeros(4, 2, 84)
    envs = envsuite.make_vec("ConnectFour", 4, flat="scaled", compiled=False, out={"observations": tensor.numpy()})
    envs.reset(0)
    envs.step(np.full((4, 2), 3))
    assert tensor.sum() == 4 * 2


def test_arrays_that_share_memory():
    """Each would hold what another one was given."""
    memory = np.zeros(4 * 8 + 3, np.uint8)
    flags = np.zeros((2, 2, 2), bool)
    reward = np.zeros((2, 2))
    pairs = (
        {"terminations": flags[0], "truncations": flags[0]},
        {"terminations": memory[:4].view(bool).reshape(2, 2), "truncations": memory[3:7].view(bool).reshape(2, 2)},
        {"rewards": reward, "terminations": reward.view(bool).reshape(-1)[4:8].reshape(2, 2)},
        {"rewards": memory[:32].view(np.float64).reshape(2, 2), "truncations": memory[31:35].view(bool).reshape(2, 2)},
    )
    for out in pairs:
        one, other = out
        with pytest.raises(ParameterError, match=rf"out\['{one}'\] and out\['{other}'\] share memory"):
            envsuite.make_vec("ConnectFour", 2, out=out, compiled=False)
    both = np.zeros(28 + 28, np.int8)
    masks, flat = both[:28].reshape(2, 2, 7), both[28:32].view(bool).reshape(2, 2)
    envsuite.make_vec("ConnectFour", 2, out={"action_mask": masks, "truncations": flat}, compiled=False)  # side by side
    envsuite.make_vec("ConnectFour", 2, out={"terminations": flags[0], "truncations": flags[1]}, compiled=False)
