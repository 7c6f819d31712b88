"""Worlds with continuous actions: no legal controls make states, observations or rewards NaN or infinite."""

import kit
import numpy as np
import pytest

from envsuite import registry
from envsuite.core.parameters import signature

#: Steps of worlds in all, over all cases; and worlds at once.
STEPS, WORLDS = 1_000_000, 1024


def cases():
    """The worlds with controls, in each of these forms, each once for each of its scenarios."""
    found = []
    for id in registry.ids():
        known = signature(registry.world_class(id))
        if "controls" in known:
            scenarios = known["scenario"].hint.__args__ if "scenario" in known else ()
            for form in sorted(set(known["controls"].hint.__args__) - {"discrete"}):
                found += [(id, {"controls": form, "scenario": one}) for one in scenarios] or [(id, {"controls": form})]
    return found


CASES = cases()


def drawn(rng, low, high, shape):
    """Controls anywhere in the box, on its edges, near them, at zero and as small as they get."""
    bounds = np.broadcast_arrays(low, high)
    kinds = [
        rng.uniform(low, high, shape),
        np.where(rng.random(shape) < 0.5, low, high),
        np.where(rng.random(shape) < 0.5, np.nextafter(low, high), np.nextafter(high, low)),
        np.clip(np.zeros(shape), low, high),
        np.clip(rng.choice([1e-45, -1e-45, 1e-38, -1e-38], shape), low, high),
    ]
    chosen = rng.integers(len(kinds), size=shape[:1] + (1,) * (len(shape) - 1))
    return np.clip(np.choose(chosen, kinds), *bounds).astype(np.float32)


def finite(array):
    """Whether all floats in an array are finite, fields of records too."""
    if array.dtype.names:
        return all(finite(array[name]) for name in array.dtype.names)
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())


@pytest.mark.slow
@pytest.mark.parametrize(
    "id, params", CASES, ids=lambda value: value if isinstance(value, str) else "-".join(value.values())
)
def test_controls_keep_everything_finite(id, params):
    batch, rng = kit.started(id, WORLDS, **params), np.random.default_rng(7)
    low, high = batch.world.bounds
    for step in range(STEPS // len(CASES) // WORLDS):
        if step % 8 == 0:  # held for some steps, so that speeds build up
            batch.actions[:] = drawn(rng, low, high, batch.actions.shape)
        batch.step()
        assert finite(batch.rewards) and finite(batch.observations)
        if step % 16 == 0:
            assert finite(batch.records)
        over = batch.over()
        if over.any():
            batch.start(where=over)
