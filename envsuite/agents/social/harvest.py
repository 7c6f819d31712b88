"""Harvesters, greedy and sustainable. They plan paths over what they see, and wander if they see nothing to do.

Sums of all rewards in 1000 steps if all agents play the same policy (64 episodes from seed 0; standard errors):

| | random | greedy | sustainable | guard | reciprocator |
|---|---|---|---|---|---|
| open | 156.8 (3.6) | 66.7 (0.2) | 580.1 (2.7) | 536.4 (2.4) | 572.1 (8.3) |
| closed | 133.9 (3.9) | 66.5 (0.2) | 557.4 (3.1) | 421.8 (6.1) | 557.4 (3.1) |
| partnership | 106.0 (3.6) | 66.4 (0.2) | 576.3 (2.8) | 402.0 (4.8) | 576.3 (2.8) |
| rules of 2018 | -3222.9 (140.0) | 178.4 (1.2) | 1573.3 (11.4) | -264216 (5928) | 1573.3 (11.4) |

Greed pays for one agent and harms all. On `open`, a greedy `player_6` gets 63.9 (0.8) among random agents, where a
random one gets 17.5 (1.9). It gets 45.4 (0.7) among sustainable agents, which together get 52, but 18.3 (0.7) among
reciprocators, which together get 61. Under the rules of 2018, it gets 153.5 (2.2) among sustainable agents and 50.0
(1.8) among reciprocators, which get 256 and 173.
"""

from __future__ import annotations

from envsuite.agents.wayfinding import BLOCKED, GOAL, SEARCH, go, kinds, seen_at, someone_in_beam, survey
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.kit.avatars import FLOOR, LIT, OUTSIDE, own_row
from envsuite.kit.grid import DISC
from envsuite.social.harvest import APPLE, BARE, ZAP

_ID = "envsuite/Harvest-v0"

COUNT = Between(0, 100)
PATIENCE = Between(0, 1_000_000)

_KINDS = kinds(open=(FLOOR, BARE), goal=(APPLE,))


@kernel
def _harvest(memory, view, keep):
    """A step towards the nearest apple with at least `keep` live neighbours, over no other apple; otherwise wander."""
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
    return go(memory, view)


@policy(_ID, "greedy", variables=SEARCH)
def greedy(memory, observation, mask):
    """Goes to the nearest apple in view and eats it. If all do so, all patches are soon dead."""
    return _harvest(memory, observation["view"], 0)


@policy(_ID, "sustainable", variables=SEARCH, keep=COUNT.at(4))
def sustainable(memory, observation, mask):
    """Eats only apples with at least `keep` apples around them."""
    return _harvest(memory, observation["view"], memory.keep)


@policy(_ID, "guard", variables=SEARCH, keep=COUNT.at(4), length=Between(0, 20).at(3))
def guard(memory, observation, mask):
    """Harvests like sustainable, and zaps any agent within `length` cells in its beam.

    Against six greedy agents on `closed`, from a start inside, it gets 17.4 (1.2), and sustainable gets 11.3 (0.4).
    """
    if observation.ready[0] >= 1.0 and someone_in_beam(observation["view"], memory.length, 1):
        return ZAP
    return _harvest(memory, observation["view"], memory.keep)


@kernel
def _ruined(view):
    """The number of dead sites in view: sites without an apple, and with none within distance 2."""
    rows, columns = view.shape
    count = 0
    for i in range(2, rows - 2):
        for j in range(2, columns - 2):
            if view[i, j] & (LIT - 1) == BARE:
                live = False
                for k in range(DISC.shape[0]):
                    live |= seen_at(view, i + DISC[k, 1], j + DISC[k, 0]) == APPLE
                count += not live
    return count


@policy(
    _ID,
    "reciprocator",
    variables={**SEARCH, "angry": limited(0, 0, PATIENCE.high)},
    keep=COUNT.at(4),
    patience=PATIENCE.at(50),
    tolerance=COUNT.at(2),
)
def reciprocator(memory, observation, mask):
    """Harvests like sustainable, but is greedy for `patience` steps after it was hit or saw a ruined patch.

    A ruined patch is more than `tolerance` dead sites in view, which sustainable harvests hardly ever cause.
    """
    view = observation["view"]
    rows, columns = view.shape
    away = view[own_row(rows), columns // 2] == OUTSIDE
    memory.angry = memory.patience if away or _ruined(view) > memory.tolerance else max(0, memory.angry - 1)
    return _harvest(memory, view, 0 if memory.angry > 0 else memory.keep)
