"""The battery: every registered world keeps every promise of `envsuite.testing`."""

import pytest

import envsuite
from envsuite import registry
from envsuite.core import tiers
from envsuite.core.switches import BOUNDSCHECK
from envsuite.testing import CHECKS, check_world

CASES = [(id, params) for id in envsuite.ids() for params in ({}, *registry.spec(id).load().variants)]


#: What is checked of a variant of a world at once; its policies and what interfaces make of it, with the slow tests.
RULES = "facts rules ranges objectives reset_is_complete masks levels views sight".split()

#: What is checked with more steps, as machine code.
LONG = "machine_code rules objectives determinism interfaces_agree snapshots sight autoreset policies rollouts".split()

ALL = [check.__name__.removeprefix("check_") for check in CHECKS]


def checked(id, params, names, steps):
    """Run some checks, in their order."""
    names = [f"check_{name}" for name in ALL if name in names]
    assert check_world(registry.build(id, params), only=names, steps=steps).checks == names


@pytest.mark.parametrize(
    "id, params", CASES, ids=[f"{id}-{'-'.join(map(str, p.values()))}".rstrip("-") for id, p in CASES]
)
def test_world_conforms(id, params, monkeypatch):
    if params:  # to compile a variant mostly takes longer than to play it
        monkeypatch.setattr(tiers, "_WORTH_COMPILING", 5.0)
    checked(id, params, RULES if params else {*ALL} - {"machine_code", "rollouts"}, 20)


@pytest.mark.slow
@pytest.mark.parametrize("id, params", [(id, params) for id, params in CASES if not (BOUNDSCHECK and params)])
def test_world_conforms_at_length(id, params):
    if BOUNDSCHECK:
        checked(id, params, ["machine_code"], 300)
    elif params:
        checked(id, params, {*ALL} - {*RULES, "machine_code"}, 60)
    else:
        checked(id, params, LONG, 300)


def test_every_world_says_what_it_was_verified_against():
    assert [id for id in envsuite.ids() if not registry.spec(id).load().verified] == []
