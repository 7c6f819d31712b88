"""A solver for LightsOut."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.lights_out import STEPS_X, STEPS_Y
from envsuite.kit import bitboard

#: The most cells of a board; a set of cells is two words of half as many bits.
CELLS, HALF = 100, 50
#: The most sets of presses in a basis of those that change nothing: twice the side of the largest board.
QUIET = 20


@large_kernel
def write_equations(memory, lights):
    """An equation per light over the cells to press, with the light itself as the last word."""
    rows, columns = lights.shape
    equations = memory.equations
    for light in range(rows * columns):
        y, x = light // columns, light % columns
        equations[light, 0] = 0
        equations[light, 1] = 0
        equations[light, 2] = lights[y, x]
        for k in range(5):
            j, i = y + STEPS_Y[k], x + STEPS_X[k]
            if memory.wrap:
                j, i = (j + rows) % rows, (i + columns) % columns
            if 0 <= j < rows and 0 <= i < columns:
                cell = j * columns + i
                equations[light, cell // HALF] ^= 1 << cell % HALF


@large_kernel
def eliminate(memory, cells):
    """Solve the equations over the field of two elements by Gauss-Jordan elimination; return their rank."""
    equations = memory.equations
    rank = 0
    for cell in range(cells):
        word, bit = cell // HALF, cell % HALF
        memory.row[cell] = -1
        for k in range(rank, cells):
            if memory.row[cell] < 0 and equations[k, word] >> bit & 1:
                memory.row[cell] = rank
                for part in range(3):
                    held = equations[k, part]
                    equations[k, part] = equations[rank, part]
                    equations[rank, part] = held
        if memory.row[cell] >= 0:
            for k in range(cells):
                if k != rank and equations[k, word] >> bit & 1:
                    for part in range(3):
                        equations[k, part] ^= equations[rank, part]
            rank += 1
    return rank


@large_kernel
def find_quiet(memory, cells):
    """Find a basis of the sets of presses that change nothing; return its size."""
    equations = memory.equations
    count = 0
    for free in range(cells):
        if memory.row[free] < 0 and count < QUIET:
            memory.quiet[count, 0] = 0
            memory.quiet[count, 1] = 0
            memory.quiet[count, free // HALF] = 1 << free % HALF
            for cell in range(cells):
                if memory.row[cell] >= 0 and equations[memory.row[cell], free // HALF] >> free % HALF & 1:
                    memory.quiet[count, cell // HALF] |= 1 << cell % HALF
            count += 1
    return count


@large_kernel
def solve(memory, lights):
    """Put a smallest set of cells that turns these lights off into `memory.plan`; the empty set if there is none.

    It is the smallest sum of one solution and of sets that change nothing; a Gray code enumerates the sums.
    """
    cells = lights.size
    equations, plan = memory.equations, memory.plan
    write_equations(memory, lights)
    rank = eliminate(memory, cells)
    plan[0] = 0
    plan[1] = 0
    for k in range(rank, cells):
        if equations[k, 2]:
            return
    count = find_quiet(memory, cells)
    for cell in range(cells):
        if memory.row[cell] >= 0 and equations[memory.row[cell], 2]:
            plan[cell // HALF] |= 1 << cell % HALF
    first, second = plan[0], plan[1]
    fewest = bitboard.size(np.uint64(first)) + bitboard.size(np.uint64(second))
    for number in range(1, 1 << count):
        turned = 0
        while not number >> turned & 1:
            turned += 1
        first ^= memory.quiet[turned, 0]
        second ^= memory.quiet[turned, 1]
        size = bitboard.size(np.uint64(first)) + bitboard.size(np.uint64(second))
        if size < fewest:
            plan[0], plan[1], fewest = first, second, size


@policy(
    "envsuite/LightsOut-v0",
    "solver",
    variables={
        "plan": limited(np.zeros(2, int), 0, (1 << HALF) - 1),
        "equations": scratch((CELLS, 3)),
        "row": scratch(CELLS),
        "quiet": scratch((QUIET, 2)),
    },
    wrap=False,
)
def solver(memory, observation, mask):
    """Turns the lights off with as few presses as possible. `wrap` says whether the board's opposite edges touch."""
    plan = memory.plan
    if plan[0] == 0 and plan[1] == 0:
        solve(memory, observation)
    for cell in range(observation.size):
        if plan[cell // HALF] >> cell % HALF & 1:
            plan[cell // HALF] ^= 1 << cell % HALF
            return cell
    return choose_legal(memory, mask)
