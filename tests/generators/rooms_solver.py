"""An independent solver: breadth first over cell, key in hand, and door unlocked. It puts the key down only beside
the object that it takes next, so it never reports a false solution.
"""

import numpy as np
from numba import njit


@njit
def solvable(grid, agent_x, agent_y, goal_x, goal_y):
    """Whether a level (height, width, 3) with at most one key and one locked door has a plan.

    The target is entered if it is floor or a goal, else opened or picked up.
    """
    height, width = grid.shape[:2]
    seen = np.zeros((height, width, 2, 2), np.uint8)
    queue = np.zeros((height * width * 4, 4), np.int64)
    queue[0] = agent_y, agent_x, 0, 0
    seen[agent_y, agent_x, 0, 0] = 1
    head, tail = 0, 1
    wanted = grid[goal_y, goal_x, 0]
    while head < tail:
        y, x, held, unlocked = queue[head]
        head += 1
        if y == goal_y and x == goal_x:
            return True
        color = -1
        for j in range(height):
            for i in range(width):
                if grid[j, i, 0] == 5 and not (j == goal_y and i == goal_x):
                    color = grid[j, i, 1]
        for side in range(4):
            j, i = y + (side == 1) - (side == 3), x + (side == 0) - (side == 2)
            kind, state = grid[j, i, 0], grid[j, i, 2]
            to_j, to_i, to_held, to_unlocked = y, x, held, unlocked
            if j == goal_y and i == goal_x and wanted >= 4 and wanted <= 7:
                if kind == 4:
                    if state < 2 or (held and grid[j, i, 1] == color):
                        return True
                elif held == 0:
                    return True
                else:
                    for other in range(4):
                        b, a = y + (other == 1) - (other == 3), x + (other == 0) - (other == 2)
                        if grid[b, a, 0] == 1 or (grid[b, a, 0] == 5 and not (b == goal_y and a == goal_x)):
                            return True
                continue
            if kind == 1 or kind == 3 or kind == 8 or (kind == 5 and held):
                to_j, to_i = j, i
            elif kind == 5:
                to_held = 1
            elif kind == 4:
                if state < 2 or unlocked:
                    to_j, to_i = j, i
                elif held and grid[j, i, 1] == color:
                    to_unlocked = 1
            if not seen[to_j, to_i, to_held, to_unlocked]:
                seen[to_j, to_i, to_held, to_unlocked] = 1
                queue[tail] = to_j, to_i, to_held, to_unlocked
                tail += 1
    return False


@njit
def all_solvable(grids, agents, goals):
    found = np.zeros(len(grids), np.uint8)
    for n in range(len(grids)):
        found[n] = solvable(grids[n], agents[n, 0], agents[n, 1], goals[n, 0], goals[n, 1])
    return found
