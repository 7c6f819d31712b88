"""The rules of the social dilemmas of 2018, where `Harvest` and `CleanUp` share them: ``rules="ssd"``.

Views are centered on the agent. Beams need no time to cool down. Firing costs, and agents that are hit pay and stay.
Rewards can depend on those of others: agents share all, or are averse to inequity (Hughes et al., 2018).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import free, limited
from envsuite.kit.avatars import CENTERED, zap

VIEW = (CENTERED, CENTERED)
LENGTH, RADIUS = 5, 1
COST, FINE = 1.0, 50.0


@kernel
def fine(s, actions, action, length, radius, stops, rewards):
    """Agents that take this action fire and pay for it; agents that are hit pay for every hit."""
    for a in range(s.at.shape[0]):
        if actions[a] == action:
            rewards[a] -= COST
            zap(s, a, length, radius, stops)
    for a in range(s.at.shape[0]):
        rewards[a] -= FINE * s.hit[a]
        s.hit[a] = 0


@kernel
def forget(s):
    """Nobody has got anything yet."""
    for a in range(s.at.shape[0]):
        s.recent[a] = 0.0


@kernel
def compare(s, rewards):
    """Turn rewards into subjective utilities: the sum of all, or less for inequity in recent rewards."""
    players = s.at.shape[0]
    total = 0.0
    for a in range(players):
        total += rewards[a]
        s.recent[a] = s.params.trace * s.recent[a] + rewards[a]
    for a in range(players):
        if s.params.collective:
            rewards[a] = total
        for b in range(players):
            gap = 0.0 if s.params.collective else s.recent[b] - s.recent[a]
            rewards[a] -= (s.params.alpha * max(gap, 0.0) + s.params.beta * max(-gap, 0.0)) / (players - 1)


def fields(players: int) -> list[tuple]:
    """The further field of a record whose rewards `compare` changes."""
    return [("recent", free(np.float64), (players,))]  # rewards, each step's times `trace` at the next one


def params(
    world: str,
    rules: str,
    compat: str,
    alpha: float,
    beta: float,
    trace: float,
    collective: bool,
    others: Mapping[str, Any],
) -> dict[str, Any]:
    """What `compare` reads in `s.params`; `ParameterError` if a value has no meaning under these rules.

    Args:
        others: the parameters without meaning under these rules; None where they are not given.
    """
    mine = {"compat": compat == "reference", "alpha": alpha, "beta": beta, "trace": trace, "collective": collective}
    strange = mine if rules != "ssd" else {name: value is not None for name, value in others.items()}
    for name, given in strange.items():
        if given:
            raise ParameterError(f"{world}: {name} has no meaning with rules={rules!r}")
    # In the reference the aversion to have more has the wrong sign.
    beta = -beta if compat == "reference" else beta
    return {"alpha": float(alpha), "beta": limited(beta, -1000, 1000), "trace": float(trace), "collective": collective}


def reward_range(players: int, values: dict[str, Any]) -> tuple[float, float]:
    """The bounds of a reward, with `values` from `params`."""
    low, high = -COST - FINE * (players - 1), 1.0
    if values["collective"]:
        return players * low, players * high
    most = (high - low) / (1.0 - values["trace"])
    costs = [values["alpha"] * most, values["beta"] * most]
    return low - max(0.0, *costs), high - min(0.0, *costs)
