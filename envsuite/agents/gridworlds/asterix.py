"""Baselines of Asterix: one goes for the nearest gold, one looks out for enemies too."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.kit.arcade import DOWN, LEFT, NOOP, RIGHT, SIZE, UP, find

ID = "envsuite/Asterix-v0"

#: The order of actions among equally good ones.
CHOICES = (NOOP, LEFT, UP, RIGHT, DOWN)


@kernel
def moved_x(x, action):
    """The column after an action."""
    return max(x - 1, 0) if action == LEFT else min(x + 1, SIZE - 1) if action == RIGHT else x


@kernel
def moved_y(y, action):
    """The row after an action."""
    return max(y - 1, 1) if action == UP else min(y + 1, SIZE - 2) if action == DOWN else y


@kernel
def unsafe(observation, x, y):
    """Whether an enemy is in this cell, or could be after its next move; new ones come from the edges."""
    if observation[y, x, 1] != 0:
        return True
    empty = True
    for i in range(SIZE):
        empty = empty and observation[y, i, 1] == 0 and observation[y, i, 3] == 0
    if empty and (x == 0 or x == SIZE - 1):
        return True
    left = x > 0 and observation[y, x - 1, 1] != 0 and (x == 1 or observation[y, x - 2, 2] != 0)
    right = x < SIZE - 1 and observation[y, x + 1, 1] != 0 and (x == SIZE - 2 or observation[y, x + 2, 2] != 0)
    return left or right


@kernel
def worth(observation, x, y):
    """Minus the distance to the nearest gold; without gold, to the middle."""
    least = 100 + abs(x - 4) + abs(y - 4)
    for j in range(SIZE):
        for i in range(SIZE):
            if observation[j, i, 3] != 0:
                least = min(least, abs(i - x) + abs(j - y))
    return -least


@kernel
def best(observation, careful):
    """The action that leads nearest to gold, among those that are safe if there are any."""
    player = find(observation, 0)
    x, y = player % SIZE, player // SIZE
    found, most = NOOP, -100_000
    for action in CHOICES:
        i, j = moved_x(x, action), moved_y(y, action)
        value = worth(observation, i, j)
        if careful and unsafe(observation, i, j):
            value -= 1000
        if value > most:
            found, most = action, value
    return found


@policy(ID, "gatherer")
def gatherer(memory, observation, mask):
    """Goes to the nearest gold, without gold to the middle, and avoids cells to which an enemy can come next."""
    return best(observation, True)


@policy(ID, "greedy")
def greedy(memory, observation, mask):
    """Goes to the nearest gold, and without gold to the middle."""
    return best(observation, False)
