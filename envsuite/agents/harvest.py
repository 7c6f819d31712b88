"""Harvesters, greedy and sustainable; they plan paths over what they see, and wander where they see nothing to do.

Sums of all rewards in 1000 steps when all seven agents play alike (64 episodes from seed 0; standard errors):

| | random | greedy | sustainable | guard |
|---|---|---|---|---|
| open | 156.8 (3.6) | 66.7 (0.2) | 580.1 (2.7) | 536.4 (2.4) |
| closed | 133.9 (3.9) | 66.5 (0.2) | 557.4 (3.1) | 421.8 (6.1) |
| partnership | 106.0 (3.6) | 66.4 (0.2) | 576.3 (2.8) | 402.0 (4.8) |

Greed pays for one and ruins all: on `open`, a greedy `player_6` gets 63.9 (0.8) among random agents, where a random one
gets 17.5 (1.9), and 45.4 (0.7) among sustainable agents, who are left with 52 together.
"""

from __future__ import annotations

from envsuite.agents.avatars import BLOCKED, GOAL, SEARCH, kinds, seen_at, someone_in_beam, survey, wander, way
from envsuite.agents.policy import policy
from envsuite.core.avatars import FLOOR, LIT, NOOP
from envsuite.core.grid import DISC
from envsuite.core.kernel import kernel
from envsuite.social.harvest import APPLE, BARE, ZAP

_ID = "envsuite/Harvest-v0"

_KINDS = kinds(open=(FLOOR, BARE), goal=(APPLE,))


@kernel
def _harvest(memory, view, keep):
    """A step towards the nearest apple with `keep` live neighbours or more, over no other one; else wander."""
    survey(memory, view, _KINDS)
    rows, columns = view.shape
    if keep > 0:
        for i in range(rows):
            for j in range(columns):
                if view[i, j] & (LIT - 1) == APPLE:
                    count = 0
                    for k in range(DISC.shape[0]):
                        count += seen_at(view, i + DISC[k, 1], j + DISC[k, 0]) == APPLE
                    memory.ground[i * columns + j] = GOAL if count >= keep else BLOCKED
    step = way(memory, view)
    return step if step != NOOP else wander(memory, view)


@policy(_ID, "greedy", variables=SEARCH)
def greedy(memory, observation, mask):
    """Goes to the nearest apple in view and eats it; if all do so, all patches are soon dead."""
    return _harvest(memory, observation["view"], 0)


@policy(_ID, "sustainable", variables=SEARCH, keep=4)
def sustainable(memory, observation, mask):
    """Eats only apples that have `keep` apples or more around them."""
    return _harvest(memory, observation["view"], memory.keep)


@policy(_ID, "guard", variables=SEARCH, keep=4, length=3)
def guard(memory, observation, mask):
    """Harvests as sustainable does, and zaps whoever comes within `length` cells of its beam.

    Against six greedy agents on `closed`, from a start inside, it gets 17.4 (1.2); sustainable gets 11.3 (0.4).
    """
    if observation.ready[0] >= 1.0 and someone_in_beam(observation["view"], memory.length, 1):
        return ZAP
    return _harvest(memory, observation["view"], memory.keep)
