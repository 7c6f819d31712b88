"""Baselines of NumberLine: the direct way, and one that does not look at the target."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited
from envsuite.games.number_line import LEFT, RIGHT

ID = "envsuite/NumberLine-v0"


@policy(ID, "direct", error=CHANCE.at(0.0))
def direct(memory, observation, mask):
    """Steps towards the target; with probability `error`, away from it."""
    towards = RIGHT if observation[0] > observation[1] else LEFT
    return 1 - towards if random.bernoulli(memory, memory.error) else towards


@policy(ID, "sweeper", variables={"heading": limited(LEFT, LEFT, RIGHT), "last": limited(-1, -1, 100)})
def sweeper(memory, observation, mask):
    """Walks to the left end and then to the right, until the target is there."""
    if observation[1] == memory.last:
        memory.heading = RIGHT
    memory.last = observation[1]
    return memory.heading
