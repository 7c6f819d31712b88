"""A planner for frozen lakes."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.gridworlds.frozen_lake import FROZEN, GOAL, START

#: The most cells of a lake.
CELLS = 32 * 32
#: The most sweeps of value iteration, and the change of a value at which they end.
SWEEPS, ENOUGH = 4000, 1e-10


@kernel
def beside(lake, cell, direction):
    """The cell that a move leads to: 0 left, 1 down, 2 right, 3 up."""
    rows, columns = lake.shape
    y, x = cell // columns, cell % columns
    if direction == 0:
        return cell - (x > 0)
    if direction == 1:
        return cell + columns * (y < rows - 1)
    if direction == 2:
        return cell + (x < columns - 1)
    return cell - columns * (y > 0)


@kernel
def worth(memory, lake, cell, direction):
    """The discounted probability of reaching the goal after choosing this direction."""
    aside = 0.5 * (1.0 - memory.success_rate)
    value = memory.success_rate * memory.values[beside(lake, cell, direction)]
    value += aside * memory.values[beside(lake, cell, direction + 1 & 3)]
    value += aside * memory.values[beside(lake, cell, direction + 3 & 3)]
    return memory.discount * value


@policy(
    "envsuite/FrozenLake-v0",
    "planner",
    variables={"planned": False, "values": np.zeros(CELLS)},
    success_rate=CHANCE.at(1.0 / 3.0),
    discount=CHANCE.at(0.9999),
)
def planner(memory, observation, mask):
    """Takes the moves with the highest probability of reaching the goal, by value iteration over the map.

    `success_rate` is its belief about the ice, 1 for ice that is not slippery. `discount` makes it prefer short paths.
    """
    lake = observation.map
    if not memory.planned:
        memory.planned = True
        for cell in range(lake.size):
            memory.values[cell] = lake.flat[cell] == GOAL
        change = 1.0
        for _ in range(SWEEPS):
            if change > ENOUGH:
                change = 0.0
                for back in range(lake.size):
                    cell = lake.size - 1 - back
                    if lake.flat[cell] == FROZEN or lake.flat[cell] == START:
                        best = 0.0
                        for direction in range(4):
                            best = max(best, worth(memory, lake, cell, direction))
                        change = max(change, abs(best - memory.values[cell]))
                        memory.values[cell] = best
    chosen, best = 0, -1.0
    for direction in range(4):
        value = worth(memory, lake, observation.position, direction)
        if mask[direction] != 0 and value > best + 1e-12:
            chosen, best = direction, value
    return chosen
