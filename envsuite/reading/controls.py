"""Controls, numbers in place of an action, read from a written answer."""

from __future__ import annotations

import re

import numpy as np

from envsuite.core.errors import ActionError, suggest
from envsuite.core.world import World


def read_controls(world: World, agent: int, answer: str) -> np.ndarray:
    """The controls (D,) float32 that a written answer gives: all numbers in order, or ``left=0.5, up=1`` by name.

    A number that is not named is 0, or the bound nearest to 0.

    Raises:
        ActionError: when the answer is something else, or a number is not finite or outside its bounds.
    """
    names, box, who = world.action_names[agent], world.control_spaces[agent], world.agents[agent]
    if not isinstance(answer, str):
        raise ActionError(f"an answer is text, not {type(answer).__name__}")
    found = np.clip(np.zeros(len(names), np.float32), box.low, box.high)
    if "=" in answer:
        pairs = [part.split("=", 1) for part in re.split(r"[,;\n]", answer) if part.strip()]
    else:
        numbers = re.split(r"[\s,;]+", answer.strip(" \n()[]"))
        pairs = [list(pair) for pair in zip(names, numbers)] if len(numbers) == len(names) else []
    if not pairs or any(len(pair) == 1 for pair in pairs):
        raise ActionError(f"{who}: give {len(names)} numbers, or some as name=number: {', '.join(names)}")
    for name, number in ([word.strip() for word in pair] for pair in pairs):
        if name not in names:
            raise ActionError(f"{who} has no control {name!r}{suggest(name, names)}")
        k = names.index(name)
        try:
            value = float(number)
        except ValueError:
            raise ActionError(f"{who}: {name}={number!r:.40} is no number") from None
        with np.errstate(over="ignore"):  # it is infinite then
            found[k] = value
        if not box.low[k] <= found[k] <= box.high[k]:
            raise ActionError(f"{who}: {name}={number:.40} is outside {box.low[k]:g} .. {box.high[k]:g}")
    return found
