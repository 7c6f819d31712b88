"""The battery: every registered world keeps every promise of `envsuite.testing`.

Checks of worlds run on all of them, check by check. Checks of forms run on twelve worlds whose shapes differ;
`make test-all` runs all checks on all worlds and on their variants.
"""

import importlib

import pytest
from shapes import SHAPES

import envsuite
from envsuite import registry
from envsuite.compile.switches import BOUNDSCHECK
from envsuite.core.world import World
from envsuite.core.world_kinds import KINDS
from envsuite.generators.base import Generator
from envsuite.testing import CHECKS, FORM_CHECKS, WORLD_CHECKS, check_world


def names(checks, *without):
    return [name for check in checks if (name := check.__name__.removeprefix("check_")) not in without]


ALL = names(CHECKS)

#: Checks of a world that compile nothing.
WORLD = names(WORLD_CHECKS, "machine_code")

TWELVE = [pytest.param(f"envsuite/{name}-v0", params, id=f"envsuite/{name}-v0") for name, params in SHAPES.items()]

#: Variants of worlds, which the slow tests check.
VARIANTS = [(id, params) for id in envsuite.ids() for params in registry.spec(id).load().variants]
EVERY_VARIANT = pytest.mark.parametrize(
    ("id", "params"), VARIANTS, ids=[f"{id}-{'-'.join(map(str, params.values()))}" for id, params in VARIANTS]
)
EVERY_WORLD = pytest.mark.parametrize("id", envsuite.ids())

#: What is checked with more steps, as machine code.
LONG = "machine_code rules objectives determinism interfaces_agree snapshots autoreset policies rollouts".split()

without_bounds = pytest.mark.skipif(BOUNDSCHECK, reason="the check of machine code has run the same kernels")


def checked(id, params, names, steps):
    """Run some checks, in their order."""
    names = [f"check_{name}" for name in ALL if name in names]
    assert check_world(registry.build(id, params), only=names, steps=steps).checks == names


@without_bounds
@EVERY_WORLD
@pytest.mark.parametrize("check", WORLD)
def test_world(check, id):
    checked(id, {}, [check], 3)


@without_bounds
@pytest.mark.parametrize(("id", "params"), TWELVE)
@pytest.mark.parametrize("check", names(FORM_CHECKS))
def test_form(check, id, params):
    checked(id, params, [check], 6)


@pytest.mark.machine
@EVERY_WORLD
def test_world_at_length(id):
    if BOUNDSCHECK:
        checked(id, {}, ["machine_code"], 300)
    else:
        checked(id, {}, [name for name in LONG if name in names(WORLD_CHECKS)], 300)
        checked(id, {}, ["sight"], 150)  # which takes as long as the others together


@without_bounds
@pytest.mark.slow
@pytest.mark.parametrize(("id", "params"), TWELVE)
def test_forms_at_length(id, params):
    checked(id, params, names(FORM_CHECKS), 300)


@without_bounds
@pytest.mark.long
@EVERY_WORLD
def test_world_conforms(id):
    checked(id, {}, {*ALL} - {"machine_code"}, 20)


@without_bounds
@pytest.mark.long
@EVERY_WORLD
def test_world_conforms_at_length(id):
    checked(id, {}, [name for name in LONG if name in names(FORM_CHECKS)], 300)


@without_bounds
@pytest.mark.long
@EVERY_VARIANT
def test_variant_conforms(id, params):
    checked(id, params, {*ALL} - {"machine_code"}, 40)


def test_each_check_is_of_worlds_or_of_forms():
    assert sorted(ALL) == sorted([*WORLD, "machine_code", *names(FORM_CHECKS)])
    assert len(SHAPES) == 12


def test_the_twelve_have_each_shape():
    worlds = [registry.build(name, params) for name, params in SHAPES.items()]
    assert {world.turns for world in worlds} == {"sequential", "simultaneous", "mixed"}
    assert {len(world.agents) > 1 for world in worlds if world.control_spaces} == {True}
    for fact in ("objectives", "chance", "control_spaces", "leaving"):
        assert {bool(getattr(world, fact)) for world in worlds} == {True, False}, fact


def test_every_world_says_what_it_was_verified_against():
    assert [id for id in envsuite.ids() if not registry.spec(id).load().verified] == []


def test_every_world_has_a_kind_and_every_kind_a_first_world():
    found = {id: registry.spec(id).load().kind for id in envsuite.ids()}
    assert [id for id, kinds in found.items() if len(set(kinds)) != len(kinds) or not kinds] == []
    assert {kinds[0] for kinds in found.values()} == set(KINDS)


@pytest.mark.parametrize("family", ["games", "gridworlds", "social", "dual_control"])
def test_a_family_says_which_kinds_are_in_it(family):
    words = importlib.import_module(f"envsuite.{family}").__doc__.lower()
    worlds = [cls for id in envsuite.ids() if (cls := registry.spec(id).load()).__module__.split(".")[1] == family]
    assert [cls.kind[0] for cls in worlds if cls.kind[0] not in words] == []


def below(cls):
    """All classes that derive from this one."""
    return {found for child in cls.__subclasses__() for found in (child, *below(child))}


def repeated(cls):
    """The facts of a class that it would inherit with the same values."""
    facts = {name: value for name, value in vars(cls).items() if isinstance(value, (bool, int, str, tuple, dict))}
    return [name for name, value in facts.items() if name[0] != "_" and getattr(super(cls, cls), name, ...) == value]


def test_no_class_repeats_a_fact_that_it_inherits():
    assert [registry.spec(id).load() for id in envsuite.ids()]  # which imports them
    classes = [cls for top in (World, Generator) for cls in below(top) if cls.__module__.startswith("envsuite")]
    assert len(classes) > len(envsuite.ids())
    assert {cls.__qualname__: found for cls in classes if (found := repeated(cls))} == {}


def test_a_repeated_fact_is_found():
    assert repeated(type("Twice", (World,), {"turns": "simultaneous", "chance": False})) == ["turns"]
