"""A chef for Overcooked: it does the most urgent task, and hands over what it cannot carry to its place itself.

Mean income in 400 steps when all chefs are greedy, with the old and the new dynamics. There were 128 episodes, and 512
in generated kitchens of 7 x 5; standard errors are at most 1.3, and 4 in generated kitchens. "Published" is the best
published income of self-play on the reference's layouts with the old dynamics (population-based training, results of
Carroll et al.; 5 seeds):

| | own layout | reference's layout | published |
|---|---|---|---|
| cramped room | 200, 194 | 190, 186 | 217 |
| asymmetric advantages | 360, 360 | 380, 360 | 190 |
| coordination ring | 222, 210 | 224, 212 | 174 |
| forced coordination | 262, 266 | 280, 279 | 170 |
| counter circuit | 225, 214 | 200, 196 | 140 |
| generated | 176, 170 | | |
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.overcooked import (
    DISH,
    DX,
    DY,
    IN_POT,
    IN_SOUP,
    INTERACT,
    NOTHING,
    ONION,
    PLANES,
    READY,
    SOUP,
    STAY,
    THINGS,
    TO_COOK,
    TOMATO,
)
from envsuite.gridworlds.overcooked.levels import COUNTER, DISHES, LARGEST, ONIONS, POT, SERVING, TOMATOES

_CELLS = LARGEST[0] * LARGEST[1]

#: What a chef looks for: a station or a thing, on a counter or in a dispenser, or a place to put something.
_SERVE, _FILL, _START, _FETCH_SOUP, _GET_SOUP, _GET_DISH, _GET_ONION, _GET_TOMATO, _HAND_OVER, _PUT_AWAY = range(10)

#: A dish is fetched when a soup has at most this number of steps left, or when there is nothing else to do.
_SOON = 10
#: How often a chef that is blocked or has nothing to do steps aside.
_ASIDE = 0.4


@kernel
def _base(view):
    """The first plane that is not about chefs."""
    return view.shape[2] - PLANES


@kernel
def _is(view, y, x, kind):
    return view[y, x, _base(view) + kind - POT] != 0


@kernel
def _thing(view, y, x):
    """The thing that lies on a cell or is held there."""
    base = _base(view)
    if view[y, x, base + THINGS]:
        return DISH
    if view[y, x, base + THINGS + 1]:
        return ONION
    if view[y, x, base + THINGS + 2]:
        return TOMATO
    if view[y, x, base + READY]:
        return SOUP
    return NOTHING


@large_kernel
def _walk(memory, view, y, x, ghosts):
    """Write the distances over floor from a cell to all others to `memory.distance`; -1 for unreachable cells.

    Chefs block the way unless they are `ghosts`.
    """
    height, width = view.shape[0], view.shape[1]
    for k in range(height * width):
        memory.distance[k] = -1
    memory.distance[y * width + x] = 0
    memory.queue[0] = y * width + x
    head, tail = 0, 1
    while head < tail:
        cell = memory.queue[head]
        head += 1
        for k in range(4):
            j, i = cell // width + DY[k], cell % width + DX[k]
            if not (0 <= j < height and 0 <= i < width):  # from a station at the edge
                continue
            near = j * width + i
            if memory.distance[near] < 0 and _floor(view, j, i) and (ghosts or not _somebody(view, j, i)):
                memory.distance[near] = memory.distance[cell] + 1
                memory.queue[tail] = near
                tail += 1


@kernel
def _floor(view, y, x):
    """Whether a cell is neither a station nor a counter."""
    kinds = 0
    for k in range(POT, SERVING + 1):
        kinds += _is(view, y, x, k)
    return kinds == 0


@kernel
def _somebody(view, y, x):
    """Whether a chef stands here."""
    found = 0
    for k in range(_base(view) // 5):
        found += view[y, x, k]
    return found != 0


@kernel
def _way(memory, view, y, x):
    """The distance to a cell beside this one, by `memory.distance`; -1 if there is no way."""
    width, best = view.shape[1], -1
    for k in range(4):
        j, i = y + DY[k], x + DX[k]
        if 0 <= j < view.shape[0] and 0 <= i < width:
            steps = memory.distance[j * width + i]
            if steps >= 0 and (best < 0 or steps < best):
                best = steps
    return best


@large_kernel
def _look(memory, view, own_y, own_x):
    """Note which cells the chef and the others reach, and count what is there and what is missing."""
    height, width, chefs = view.shape[0], view.shape[1], _base(view) // 5
    for k in range(height * width):
        memory.theirs[k] = 0
    for y in range(height):
        for x in range(width):
            for a in range(1, chefs):
                if view[y, x, a]:
                    _walk(memory, view, y, x, True)
                    for j in range(height):
                        for i in range(width):
                            memory.theirs[j * width + i] |= _way(memory, view, j, i) >= 0
    _walk(memory, view, own_y, own_x, True)
    for k in range(4):
        memory.lying[k] = 0
        memory.carried[k] = 0
        memory.missing[k] = 0
    for k in range(POT, SERVING + 1):
        memory.reached[k] = 0
    memory.soon = 0
    base = _base(view)
    for y in range(height):
        for x in range(width):
            for k in range(POT, SERVING + 1):
                if _is(view, y, x, k) and _way(memory, view, y, x) >= 0:
                    memory.reached[k] = 1
            thing = _thing(view, y, x)
            if _is(view, y, x, POT):
                onions, tomatoes = _wants(memory, view, y, x)
                memory.missing[ONION] += onions
                memory.missing[TOMATO] += tomatoes
                if onions + tomatoes == 0:
                    memory.missing[DISH] += 1
                    memory.soon |= np.int64(view[y, x, base + TO_COOK]) <= _SOON
            elif thing < SOUP and thing != NOTHING:
                if _floor(view, y, x):
                    memory.carried[thing] += not (y == own_y and x == own_x)
                else:
                    memory.lying[thing] += 1


@kernel
def _wants(memory, view, y, x):
    """The number of onions and tomatoes that a pot still takes for the recipe; none if it cooks."""
    base = _base(view)
    cooks = view[y, x, base + IN_SOUP] + view[y, x, base + IN_SOUP + 1]
    onions, tomatoes = np.int64(view[y, x, base + IN_POT]), np.int64(view[y, x, base + IN_POT + 1])
    if cooks:
        return 0, 0
    room = 3 - onions - tomatoes
    onions = min(max(memory.onions - onions, 0), room)
    return onions, min(max(memory.tomatoes - tomatoes, 0), room - onions)


@large_kernel
def _seek(memory, view, wish, held):
    """The nearest cell that fulfills a wish, as an index, or -1; distances are in `memory.distance`."""
    height, width, base = view.shape[0], view.shape[1], _base(view)
    best, found = 1_000_000, -1
    for y in range(height):
        for x in range(width):
            steps = _way(memory, view, y, x)
            if steps < 0 or _floor(view, y, x):
                continue
            counter, thing = _is(view, y, x, COUNTER), _thing(view, y, x)
            good = False
            if wish == _SERVE:
                good = _is(view, y, x, SERVING)
            elif wish == _FILL or wish == _START or wish == _FETCH_SOUP:
                if _is(view, y, x, POT):
                    onions, tomatoes = _wants(memory, view, y, x)
                    parts = view[y, x, base + IN_POT] + view[y, x, base + IN_POT + 1]
                    if wish == _FILL:
                        good = (onions if held == ONION else tomatoes) > 0
                    else:
                        good = onions + tomatoes == 0 and (parts > 0) == (wish == _START)
                    if wish == _FETCH_SOUP:
                        steps = max(steps, np.int64(view[y, x, base + TO_COOK]))
            elif wish == _GET_SOUP:
                good = counter and thing == SOUP
            elif wish == _GET_DISH:
                good = _is(view, y, x, DISHES) or (counter and thing == DISH and memory.reached[POT] != 0)
            elif wish == _GET_ONION:
                good = _is(view, y, x, ONIONS) or (counter and thing == ONION and memory.reached[POT] != 0)
            elif wish == _GET_TOMATO:
                good = _is(view, y, x, TOMATOES) or (counter and thing == TOMATO and memory.reached[POT] != 0)
            else:
                good = counter and thing == NOTHING and (wish == _PUT_AWAY or memory.theirs[y * width + x] != 0)
            if good and steps < best:
                best, found = steps, y * width + x
    return found


@kernel
def _ingredient(memory, view, thing, wish):
    """Where to get an onion or tomato that is missing and that no other chef brings; -1 if there is none."""
    missing = memory.missing[thing] - memory.carried[thing]
    if memory.reached[POT] == 0:
        missing -= memory.lying[thing]
    return _seek(memory, view, np.int64(wish), NOTHING) if missing > 0 else -1


@kernel
def _with_empty_hands(memory, view):
    """The target of a chef that holds nothing."""
    pots = memory.reached[POT] != 0
    target = _seek(memory, view, np.int64(_START), NOTHING)
    if target < 0 and memory.reached[SERVING]:
        target = _seek(memory, view, np.int64(_GET_SOUP), NOTHING)
    dishes = memory.missing[DISH] - memory.carried[DISH] - (0 if pots else memory.lying[DISH])
    if target < 0 and dishes > 0 and memory.soon:
        target = _seek(memory, view, np.int64(_GET_DISH), NOTHING)
    if target < 0:
        target = _ingredient(memory, view, ONION, _GET_ONION)
    if target < 0:
        target = _ingredient(memory, view, TOMATO, _GET_TOMATO)
    if target < 0 and dishes > 0:
        target = _seek(memory, view, np.int64(_GET_DISH), NOTHING)
    return target


@kernel
def _with_something(memory, view, held):
    """Where a chef takes what it holds; a thing of no use now is put away if something else is needed more."""
    aim = SERVING if held == SOUP else POT
    if memory.reached[aim] == 0:
        return _seek(memory, view, np.int64(_HAND_OVER), held)
    wish = _SERVE if held == SOUP else _FETCH_SOUP if held == DISH else _FILL
    target = _seek(memory, view, np.int64(wish), held)
    if target < 0 and held != SOUP:
        parts = memory.missing[ONION] + memory.missing[TOMATO] - memory.carried[ONION] - memory.carried[TOMATO]
        other = parts if held == DISH else memory.missing[DISH] - memory.carried[DISH]
        if other > 0:
            target = _seek(memory, view, np.int64(_PUT_AWAY), held)
    return target


@kernel
def _step_to(memory, view, own_y, own_x, target):
    """The next action on a shortest path to a cell beside this one; then turn to it, then use it."""
    width, base = view.shape[1], _base(view)
    chefs = base // 5
    y, x = target // width, target % width
    for k in range(4):
        if own_y + DY[k] == y and own_x + DX[k] == x:
            return INTERACT if view[own_y, own_x, chefs + k] else k
    _walk(memory, view, y, x, False)
    best, action = -1, STAY
    for k in range(4):
        steps = memory.distance[(own_y + DY[k]) * width + own_x + DX[k]]
        if steps >= 0 and (best < 0 or steps < best) and _floor(view, own_y + DY[k], own_x + DX[k]):
            best, action = steps, k
    return action


@policy(
    "envsuite/Overcooked-v0",
    "greedy",
    variables={
        "distance": scratch(_CELLS),
        "queue": scratch(_CELLS),
        "theirs": scratch(_CELLS, np.uint8),
        "reached": scratch(SERVING + 1),
        "lying": scratch(4),
        "carried": scratch(4),
        "missing": scratch(4),
        "soon": scratch(()),
        "at": limited(-1, -1, _CELLS - 1),
        "before": limited(-1, -1, _CELLS - 1),
        "walked": False,
    },
    onions=Between(0, 3).at(3),
    tomatoes=Between(0, 3).at(0),
)
def greedy(memory, observation, mask):
    """Cooks and serves soups of `onions` and `tomatoes`, nearest task first; uses counters to pass things on."""
    width, own_y, own_x = observation.shape[1], 0, 0
    for y in range(observation.shape[0]):
        for x in range(width):
            if observation[y, x, 0]:
                own_y, own_x = y, x
    here = own_y * width + own_x
    if here != memory.at:
        memory.before = memory.at
    stuck = memory.walked and memory.at == here
    _look(memory, observation, own_y, own_x)
    held = _thing(observation, own_y, own_x)
    _walk(memory, observation, own_y, own_x, False)
    target = _with_empty_hands(memory, observation) if held == NOTHING else _with_something(memory, observation, held)
    action = STAY if target < 0 else _step_to(memory, observation, own_y, own_x, target)
    there = (own_y + DY[action]) * width + own_x + DX[action]
    # Without chance, two chefs could give way to each other forever.
    if (action == STAY or stuck or there == memory.before) and bernoulli(memory, _ASIDE):
        action = randint(memory, 4)
    memory.at = here
    memory.walked = action < STAY and _floor(observation, own_y + DY[action], own_x + DX[action])
    if action == INTERACT:
        memory.before = -1
    return action
