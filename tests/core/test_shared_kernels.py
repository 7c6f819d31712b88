"""Kernels that functions make from the rules of a world, such as `rooms.reset_by`: they run these rules, and machine
code is kept by what they are made of."""

import pytest

from envsuite.compile.bound import bind
from envsuite.core.batch import compiled_run
from envsuite.core.kernel import kernel
from envsuite.registry import build


@kernel
def double(x):
    return 2 * x


@kernel
def square(x):
    return x * x


def made_of(inner, number):
    @kernel
    def made(x):
        return inner(x) + number

    return made


made = None


def template(x):
    return made(x)


def bound(inner, number):
    return bind(template, "shared", made=made_of(inner, number))


def test_what_a_kernel_is_made_of_runs_and_is_in_its_stamp():
    assert bound(double, 1).interpreted(5) == 11 and bound(square, 2).interpreted(5) == 27
    assert bound(double, 1).rules == bound(double, 1).rules
    assert len({bound(inner, number).rules for inner in (double, square) for number in (1, 2)}) == 4


@pytest.mark.parametrize(
    "id, files",
    [
        ("DoorKey", ["gridworlds/door_key.py", "kit/rooms.py"]),
        ("Airline", ["dual_control/airline/tools.py", "kit/request_rules.py"]),
        ("GardnerChess", ["games/gardner_chess/__init__.py", "games/chess/__init__.py"]),
        ("Avalon", ["social/avalon/__init__.py", "kit/deduction.py"]),
    ],
)
def test_a_world_is_made_of_its_own_rules_and_of_shared_ones(id, files):
    assert set(files) <= set(compiled_run(build(f"envsuite/{id}-v0")).sources)
