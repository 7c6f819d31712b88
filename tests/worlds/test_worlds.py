"""The battery: every registered world keeps every promise of `envsuite.testing`."""

import pytest

import envsuite
from envsuite import registry
from envsuite.core.switches import BOUNDSCHECK
from envsuite.testing import CHECKS, check_world

#: Variants of worlds, which the slow tests check.
VARIANTS = [(id, params) for id in envsuite.ids() for params in registry.spec(id).load().variants]

#: What is checked with more steps, as machine code.
LONG = "machine_code rules objectives determinism interfaces_agree snapshots autoreset policies rollouts".split()

ALL = [check.__name__.removeprefix("check_") for check in CHECKS]


def checked(id, params, names, steps):
    """Run some checks, in their order."""
    names = [f"check_{name}" for name in ALL if name in names]
    assert check_world(registry.build(id, params), only=names, steps=steps).checks == names


@pytest.mark.parametrize("id", envsuite.ids())
def test_world_conforms(id):
    checked(id, {}, {*ALL} - {"machine_code", "rollouts"}, 20)


@pytest.mark.slow
@pytest.mark.parametrize("id", envsuite.ids())
def test_world_conforms_at_length(id):
    if BOUNDSCHECK:
        checked(id, {}, ["machine_code"], 300)
    else:
        checked(id, {}, LONG, 300)
        checked(id, {}, ["sight"], 150)  # which takes as long as the others together


@pytest.mark.slow
@pytest.mark.skipif(BOUNDSCHECK, reason="the worlds themselves have the same kernels")
@pytest.mark.parametrize("id, params", VARIANTS, ids=[f"{id}-{'-'.join(map(str, p.values()))}" for id, p in VARIANTS])
def test_variant_conforms(id, params):
    checked(id, params, {*ALL} - {"machine_code"}, 40)


def test_every_world_says_what_it_was_verified_against():
    assert [id for id in envsuite.ids() if not registry.spec(id).load().verified] == []
