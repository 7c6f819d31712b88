"""Conformance tests for worlds, ours and others', stricter than PettingZoo's and Gymnasium's, which run as well.

    from envsuite.testing import check_world
    check_world("envsuite/Harvest-v0")          # or your own World class, with its parameters

Every check is a function of a `Case`; its docstring says what it demands. The first failure raises
`ConformanceError`, which names the check, the world, and what to change. `check_vector_env` takes any Gymnasium
`VectorEnv`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from envsuite.interfaces.single import as_world
from envsuite.testing.case import HEADINGS, Case, ConformanceError, Report, random_actions, same
from envsuite.testing.forms import (
    check_aliasing,
    check_bad_input,
    check_determinism,
    check_ecosystem,
    check_flattening,
    check_illegal_choices,
    check_interfaces_agree,
    check_levels,
    check_masks,
    check_snapshots,
    check_views,
)
from envsuite.testing.players import check_policies, check_rollouts, check_seats
from envsuite.testing.rules import (
    check_facts,
    check_machine_code,
    check_objectives,
    check_ranges,
    check_reset_is_complete,
    check_rules,
    check_uncertainty,
)
from envsuite.testing.sights import check_sight
from envsuite.testing.vectors import check_autoreset, check_vector_env, check_vectors

__all__ = [
    "CHECKS",
    "HEADINGS",
    "Case",
    "ConformanceError",
    "Report",
    "check_vector_env",
    "check_world",
    "random_actions",
    "same",
]

CHECKS: tuple[Callable[[Case], None], ...] = (
    check_facts,
    check_machine_code,
    check_rules,
    check_ranges,
    check_objectives,
    check_uncertainty,
    check_reset_is_complete,
    check_determinism,
    check_interfaces_agree,
    check_snapshots,
    check_aliasing,
    check_masks,
    check_bad_input,
    check_illegal_choices,
    check_levels,
    check_views,
    check_flattening,
    check_sight,
    check_autoreset,
    check_policies,
    check_rollouts,
    check_seats,
    check_vectors,
    check_ecosystem,
)


def check_world(
    world: Any, *, seed: int = 0, steps: int = 300, only: str | Collection[str] | None = None, **params: Any
) -> Report:
    """Run all checks on a world.

    Args:
        world: an id, a `World` class, or a `World`.
        seed: of everything random in the checks.
        steps: the number of transitions that the longer checks play.
        only: the name of a single check to run, or some names.
        params: the world's parameters.

    Raises:
        ConformanceError: at the first promise that is not kept.
    """
    case = Case(as_world(world, params), seed, steps)
    report, chosen = Report(case.world.id), [only] if isinstance(only, str) else only
    for check in CHECKS:
        if chosen is None or check.__name__ in chosen:
            try:
                check(case)
            except ConformanceError as failure:
                raise ConformanceError(f"{case.world.id}: {check.__name__}: {failure}") from failure
            report.checks.append(check.__name__)
    return report
