"""The battery: every registered world keeps every promise of `envsuite.testing`."""

import pytest

import envsuite
from envsuite import registry
from envsuite.core.switches import BOUNDSCHECK
from envsuite.testing import CHECKS, check_world

#: With bounds checks, those that take kernels somewhere: the others look at what interfaces make of the same.
KERNELS = ("check_rules", "check_objectives", "check_reset_is_complete", "check_levels", "check_policies")

CASES = [(id, params) for id in envsuite.ids() for params in ({}, *registry.spec(id).load().variants)]


@pytest.mark.parametrize(
    "id, params", CASES, ids=[f"{id}-{'-'.join(map(str, p.values()))}".rstrip("-") for id, p in CASES]
)
def test_world_conforms(id, params):
    if BOUNDSCHECK:
        for name in KERNELS:
            assert check_world(id, only=name, **params).checks == [name]
    else:
        assert check_world(id, **params).checks == [check.__name__ for check in CHECKS]


def test_every_world_says_what_it_was_verified_against():
    assert [id for id in envsuite.ids() if not registry.spec(id).load().verified] == []
