"""Pursuers: one that chases the nearest evader, and one that surrounds evaders together with those around it.

Return of all pursuers together when all use the same policy, in 512 episodes; and rounds and evaders caught:

| | random | nearest | ring |
|---|---|---|---|
| default | -370, 500, 0.6 | -340, 500, 1.1 | 320, 197, 30 |
| ``surround=False`` | -310, 500, 7.4 | 247, 98, 30 | -133, 497, 23.6 |

Standard errors are at most 2.1.
"""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.gridworlds.pursuit import DX, DY, EVADERS, PURSUERS, STAY, WALL

_ID = "envsuite/Pursuit-v0"

#: The number of pursuers in view that a pursuer takes into account.
_MOST = 16

#: The next heading of a patrol where the way is blocked: clockwise along the edges.
_TURN = (3, 2, 0, 1)


@kernel
def _is_free(observation, y, x):
    """Whether a cell in view is free."""
    width = observation.shape[0]
    return 0 <= y < width and 0 <= x < width and not observation[y, x, WALL]


@large_kernel
def _go(memory, observation, y, x):
    """A step towards a cell in view; a random one of those that shorten the way, or aside where none does."""
    middle = observation.shape[0] // 2
    distance = abs(y - middle) + abs(x - middle)
    if distance == 0:
        return STAY
    best, count, aside, ways = STAY, 0, STAY, 0
    for action in range(STAY):
        i, j = middle + DY[action], middle + DX[action]
        if not _is_free(observation, i, j):
            continue
        if abs(y - i) + abs(x - j) < distance:
            count += 1
            if randint(memory, count) == 0:
                best = action
        else:
            ways += 1
            if randint(memory, ways) == 0:
                aside = action
    return best if count else aside


@kernel
def _patrol(memory, observation):
    """Walk straight ahead; turn where the way is blocked, and sometimes elsewhere."""
    middle = observation.shape[0] // 2
    if bernoulli(memory, 0.05):
        memory.heading = randint(memory, STAY)
    for _ in range(STAY):
        if _is_free(observation, middle + DY[memory.heading], middle + DX[memory.heading]):
            return memory.heading
        memory.heading = _TURN[memory.heading]
    return STAY


@policy(_ID, "nearest", variables={"heading": limited(0, 0, STAY - 1)}, error=Between(0, 1).at(0.1))
def nearest(memory, observation, mask):
    """Goes into the cell of the nearest evader in view; moves at random with probability `error`."""
    if bernoulli(memory, memory.error):
        return randint(memory, STAY + 1)
    width = observation.shape[0]
    middle = width // 2
    best, row, column = 2 * width, -1, -1
    for y in range(width):
        for x in range(width):
            distance = abs(y - middle) + abs(x - middle)
            if observation[y, x, EVADERS] and distance < best:
                best, row, column = distance, y, x
    if row < 0:
        return _patrol(memory, observation)
    return _go(memory, observation, row, column)


# The ring.


@large_kernel
def _look(memory, observation):
    """Note the pursuers in view, in the order of rows and columns, which is the same for all that see them."""
    width = observation.shape[0]
    middle = width // 2
    memory.count = 0
    for y in range(width):
        for x in range(width):
            here = observation[y, x, PURSUERS]
            if y == middle and x == middle:
                memory.me = min(memory.count + randint(memory, here), _MOST - 1)
            for _ in range(here):
                if memory.count < _MOST:
                    memory.places[memory.count, 0] = y
                    memory.places[memory.count, 1] = x
                    memory.count += 1


@large_kernel
def _side(memory, observation, y, x):
    """Assign the free cells beside an evader to the nearest pursuers in view.

    Returns the cell of this pursuer as a side of the evader, or -1 without one, and the cost: the moves that the
    farthest pursuer needs, and many for each cell without a pursuer.
    """
    for k in range(memory.count):
        memory.taken[k] = 0
    for side in range(STAY):
        memory.wanted[side] = _is_free(observation, y + DY[side], x + DX[side])
    mine, farthest, total = -1, 0, 0
    for _ in range(STAY):
        best, one, other = 1000, -1, -1
        for side in range(STAY):
            for k in range(memory.count):
                away = abs(memory.places[k, 0] - y - DY[side]) + abs(memory.places[k, 1] - x - DX[side])
                if memory.wanted[side] and not memory.taken[k] and away < best:
                    best, one, other = away, side, k
        if one < 0:
            break
        memory.wanted[one] = 0
        memory.taken[other] = 1
        farthest = max(farthest, best)
        total += best
        if other == memory.me:
            mine = one
    missing = 0
    for side in range(STAY):
        missing += memory.wanted[side]
    return mine, 1000 * missing + 30 * farthest + total


@policy(
    _ID,
    "ring",
    variables={
        "heading": limited(0, 0, STAY - 1),
        "places": scratch((_MOST, 2)),
        "taken": scratch(_MOST),
        "wanted": scratch(STAY),
        "count": scratch(()),
        "me": scratch(()),
    },
)
def ring(memory, observation, mask):
    """Takes a side of the evader that the pursuers in view can surround soonest."""
    _look(memory, observation)
    width = observation.shape[0]
    least, row, column = 1 << 30, -1, -1
    for y in range(width):
        for x in range(width):
            if observation[y, x, EVADERS]:
                side, cost = _side(memory, observation, y, x)
                if side >= 0 and cost < least:
                    least, row, column = cost, y + DY[side], x + DX[side]
    if row < 0:
        return _patrol(memory, observation)
    return _go(memory, observation, row, column)
