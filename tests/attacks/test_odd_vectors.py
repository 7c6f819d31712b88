"""Odd actions, controls and arrays for vectors of worlds of each shape: refused with nothing changed, or right."""

import numpy as np
import pytest
from shapes import SHAPES

import envsuite
from envsuite import registry
from envsuite.core.errors import ActionError, NotReadyError, ParameterError
from envsuite.interfaces.vector import OUT, Vector
from envsuite.testing.case import random_moves, same

pytestmark = pytest.mark.long

SHAPED = pytest.mark.parametrize("name", SHAPES)


def made(name, **options):
    vector = Vector(f"envsuite/{name}-v0", 3, compiled=False, **options, **SHAPES[name])
    vector.reset(seed=0)
    return vector


def odd_actions(good):
    """19 kinds of actions that are none."""
    return [
        None, 0, "x", b"x", {}, [], [[]], good[:1], good[..., None], good.T[..., None], good.ravel()[:1],
        good.astype(str), good.astype(object), good.astype(complex), good.astype("timedelta64[s]"), good != good,
        object(), [*good.tolist(), [1]], np.ma.masked_array(good[:2]),
    ]  # fmt: skip


@SHAPED
def test_actions_of_no_kind_change_nothing(name, counted):
    vector = made(name)
    rng, refused = np.random.default_rng(0), 0
    good = random_moves(vector.world, vector.batch.masks, rng)
    before = vector.get_state()
    for wrong in odd_actions(good):
        with pytest.raises(ActionError):
            vector.step(wrong)
        assert vector.get_state() == before
        refused += 1
    assert refused == 19
    vector.step(good)
    counted("odd actions of vectors refused", refused)


@SHAPED
def test_forms_of_right_actions_are_one(name, counted):
    """Other types, orders and strides of the same numbers; what agents that do not act are given does not matter."""
    vector, twin, tried = made(name), made(name), 0
    rng = np.random.default_rng(1)
    for form in (
        lambda good: good.tolist(), np.asfortranarray, lambda good: np.repeat(good, 2, axis=0)[::2],
        lambda good: good[::-1].copy()[::-1], lambda good: good.astype(good.dtype.newbyteorder()),
        lambda good: np.broadcast_to(good, good.shape), lambda good: tuple(map(tuple, good.tolist())),
    ):  # fmt: skip
        good = random_moves(vector.world, vector.batch.masks, rng)
        (one, *rest), (other, *others) = vector.step(form(good)), twin.step(good)
        assert same(one, other) and all(same(a, b) for a, b in zip(rest, others))
        assert vector.get_state() == twin.get_state()
        tried += 1
    assert tried == 7
    counted("forms of right actions that are one", tried)


@SHAPED
def test_numbers_that_are_no_actions_change_nothing(name, counted):
    vector = made(name)
    if vector.world.control_spaces:
        pytest.skip("it has controls")
    good = random_moves(vector.world, vector.batch.masks, np.random.default_rng(0)).astype(np.int64)
    before, refused = vector.get_state(), 0
    for n, a in np.argwhere(vector.batch.acting)[:8]:
        for wrong in (-1, vector.batch.masks.shape[-1], 255, 2**31, 2**32, 2**62, -(2**63)):
            bad = good.copy()
            bad[n, a] = wrong
            with pytest.raises(ActionError):
                vector.step(bad)
            assert vector.get_state() == before
            refused += 1
    assert refused >= 7
    counted("numbers that are no actions refused", refused)


@pytest.mark.parametrize("id", registry.ids())
def test_odd_controls(id, counted):
    """Not finite or outside: refused with nothing changed; with "clip", numbers that are finite are moved inside."""
    world = registry.build(id)
    if not world.control_spaces:
        pytest.skip("it has actions")
    strict, clipping = (Vector(world, 2, compiled=False, on_illegal=mode) for mode in ("error", "clip"))
    strict.reset(seed=0), clipping.reset(seed=0)
    low, high = world.bounds
    middle = np.broadcast_to((low + high) / 2, (2, *low.shape)).astype(np.float64)
    before, tried = strict.get_state(), 0
    for n, a, d in np.argwhere(strict.batch.masks)[:11]:
        for wrong in (np.nan, np.inf, -np.inf, 1e300, -1e300, high[a, d] + 1, low[a, d] - 1):
            if low[a, d] <= wrong <= high[a, d]:
                continue
            bad = middle.copy()
            bad[n, a, d] = wrong
            with pytest.raises(ActionError):
                strict.step(bad)
            assert strict.get_state() == before
            if abs(wrong) < 1e30:
                inside = middle.copy()
                inside[n, a, d] = np.clip(wrong, low[a, d], high[a, d])
                twin = clipping.clone()
                clipping.step(bad), twin.step(inside)
                assert clipping.get_state() == twin.get_state()
            else:
                held = clipping.get_state()
                try:
                    clipping.step(bad)
                except ActionError:
                    assert clipping.get_state() == held
            clipping.reset(seed=0)
            tried += 1
    assert tried >= 7
    counted("odd controls", tried)


def odd_arrays(right):
    """15 arrays in the place of one, which do not do."""
    fixed = right.copy()
    fixed.flags.writeable = False
    wide = np.zeros((*right.shape[:-1], 2 * right.shape[-1]), right.dtype)
    return [
        None, 0, "x", [], right.tolist(), right[:1], right[..., None], right.astype(object), right.astype("S3"),
        right.astype(np.complex64), fixed, np.repeat(right, 2, axis=0)[::2], wide[..., ::2], right[None],
        np.broadcast_to(right[:1], right.shape),
    ]  # fmt: skip


@SHAPED
@pytest.mark.parametrize("part", OUT)
def test_arrays_for_results_that_do_not_fit(part, name, counted):
    vector, refused = made(name), 0
    shown, infos = vector.reset(seed=0)
    if part == "action_mask" and vector.world.control_spaces:
        pytest.skip("with controls there are no masks")
    shape = vector.batch.rewards.shape
    like = {
        "observations": vector.batch.observations if vector.views.own else shown,
        "action_mask": infos.get("action_mask"), "rewards": np.zeros(shape),
        "terminations": np.zeros(shape, bool), "truncations": np.zeros(shape, bool),
    }  # fmt: skip
    plain = like[part].dtype.names is None
    odd = odd_arrays(like[part].copy()) if plain else [None, 0, "x", [], np.zeros(3), like[part][:1]]
    for wrong in odd:
        with pytest.raises(ParameterError):
            envsuite.make_vec(f"envsuite/{name}-v0", 3, out={part: wrong}, **SHAPES[name])
        refused += 1
    assert refused == (15 if plain else 6)
    counted("odd arrays for results refused", refused)


@SHAPED
def test_calls_before_the_first_reset(name, counted):
    vector = Vector(f"envsuite/{name}-v0", 3, compiled=False, **SHAPES[name])
    good, refused = np.zeros(vector.batch.rewards.shape, int), 0
    for call in (
        lambda: vector.step(good), lambda: vector.sums("random", 3), vector.get_state, vector.render,
        lambda: vector.text(0, vector.agents[0]), vector.scene,
    ):  # fmt: skip
        with pytest.raises(NotReadyError):
            call()
        refused += 1
    assert refused == 6
    counted("calls before the first reset refused", refused)
