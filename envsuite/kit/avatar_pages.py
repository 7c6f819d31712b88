"""Sentences that the pages for players of worlds of avatars share, and the slots in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Pattern, Text, When
from envsuite.kit.avatars import own_row

#: What the actions mean that all these worlds have.
WALKS: Mapping[Pattern, Text] = {
    "noop": "do nothing",
    ("forward", "backward", "step left", "step right"): "walk one cell that way, without turning",
    ("turn left", "turn right"): "turn on the spot, to face that side",
}

#: How agents get along on a map.
CROWD = (
    "All of you choose at once. You walk one after the other, in random order, so that of several who want a cell the "
    "first gets it."
)

#: What agents see; a world says before it what else there is.
SEES = (
    "You see the cells up to {ahead} ahead, {behind} behind and {aside} to each side of you, even behind walls, and "
    "no farther. Places are told from where you stand and face."
)

#: The end of a world that may also end early.
ENDS = When(
    "may_end",
    "It is over after {horizon:turn}, or earlier: after turn {first_end}, and after every {end_interval} turns from "
    "then on, it ends with a chance of {end_chance}.",
    "It is over after {horizon:turn}.",
)

#: The shape of a beam of three columns, and its constant.
BEAM = (
    "The beam of a zap has three columns of up to {beam:cell}: the middle one begins with the cell ahead of you, the "
    "others with the cells to your left and right. Each ends at the first wall or player."
)
BEAM_CONSTANTS = {"three": "columns of a beam"}

#: What agents are paid by the rules of 2018 beside apples, in which rewards can depend on those of others.
FINES = (
    "Each zap costs you 1, and each zap of another that hits you costs you 50.",
    When("collective", "In each turn you are paid the sum of what all players get."),
    When(
        "averse",
        (
            "Your pay also depends on what the others get.",
            When("alpha", "You lose {alpha} times the average by which the others are ahead of you."),
            When("behind_costs", "You lose {beta} times the average by which the others are behind you."),
            When("behind_pays", "You gain {beta} times the average by which the others are behind you."),
            "In these averages, a player that is not ahead, or not behind, counts as 0.",
            When(
                "trace",
                "Compared is what each got in this turn, plus {trace} times the amount that was compared in the turn "
                "before.",
                "Compared is what each got in this turn.",
            ),
        ),
    ),
)
FINES_CONSTANTS = {"1": "the reward for an apple, and the cost of a zap", "50": "the cost of a hit", "0": "no lead"}


def percent(chance: float) -> str:
    """A probability as a page shows it."""
    return f"{float(f'{100 * chance:.6g}'):.10f}".rstrip("0").rstrip(".") + "%"


def nexts(**counts: int) -> dict[str, str]:
    """Numbers of turns to come: ``{next_rest}`` for `rest` is "next turn" or "next 2 turns"."""
    return {f"next_{name}": "next turn" if n == 1 else f"next {n} turns" for name, n in counts.items()}


def slots(world: Any, s: Any) -> dict[str, Any]:
    """The slots of what agents see and of the end."""
    params = s.params
    rows, columns = world.view_shape
    found = {
        "ahead": own_row(rows),
        "behind": rows - 1 - own_row(rows),
        "aside": columns // 2,
        "horizon": int(params.horizon),
        "rivals": len(world.agents) - 1,
    }
    if hasattr(params, "end_after"):
        after, interval = int(params.end_after), int(params.end_interval)
        first = (after + 1 + interval - 1) // interval * interval - 1
        found |= {
            "first_end": first,
            "end_interval": interval,
            "end_chance": percent(float(params.end_probability)),
            "may_end": params.end_probability > 0 and first < params.horizon,
        }
    return found


def fine_slots(world: Any, s: Any) -> dict[str, Any]:
    """The slots of `FINES`."""
    given = world.parameters
    beta = 0.0 if given["collective"] else float(s.params.beta)
    alpha = 0.0 if given["collective"] else float(s.params.alpha)
    return {
        "alpha": alpha,
        "beta": abs(beta),
        "averse": alpha > 0 or beta != 0,
        "behind_costs": beta > 0,
        "behind_pays": beta < 0,
    }
