"""Conformance tests for worlds, ours and others', stricter than PettingZoo's and Gymnasium's, which run as well.

    from envsuite.testing import check_world
    check_world("envsuite/Harvest-v0")          # or your own World class, with its parameters

Every check is a function of a `Case`; its docstring says what it demands. Some check the world, the others the forms
around it, such as snapshots and vectors; `check_world` runs both. The first failure raises
`ConformanceError`, which names the check, the world, and what to change. `check_vector_env` takes any Gymnasium
`VectorEnv`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from envsuite.interfaces.single import as_world
from envsuite.testing import forms, rules
from envsuite.testing.case import HEADINGS, Case, ConformanceError, Report, random_actions, same
from envsuite.testing.pages import check_page
from envsuite.testing.players import check_policies, check_rollouts, check_seats
from envsuite.testing.sights import check_sight
from envsuite.testing.talk import check_talk
from envsuite.testing.vectors import check_autoreset, check_vector_env, check_vectors

__all__ = [
    "CHECKS",
    "FORM_CHECKS",
    "HEADINGS",
    "WORLD_CHECKS",
    "Case",
    "ConformanceError",
    "Report",
    "check_vector_env",
    "check_world",
    "random_actions",
    "same",
]

#: What they say of a world: its facts and page, its rules and ranges, what its agents see, its baselines.
WORLD_CHECKS: tuple[Callable[[Case], None], ...] = (
    rules.check_facts,
    check_page,
    rules.check_machine_code,
    rules.check_rules,
    rules.check_ranges,
    rules.check_uncertainty,
    rules.check_reset_is_complete,
    forms.check_levels,
    forms.check_views,
    forms.check_flattening,
    check_sight,
    check_talk,
    check_policies,
)

#: What they say of the interfaces and vectors around a world, which worlds of different shapes show as well as all do.
FORM_CHECKS: tuple[Callable[[Case], None], ...] = (
    rules.check_objectives,
    forms.check_determinism,
    forms.check_interfaces_agree,
    forms.check_snapshots,
    forms.check_aliasing,
    forms.check_masks,
    forms.check_bad_input,
    forms.check_illegal_choices,
    check_autoreset,
    check_rollouts,
    check_seats,
    check_vectors,
    forms.check_ecosystem,
)

CHECKS = (*WORLD_CHECKS, *FORM_CHECKS)


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
