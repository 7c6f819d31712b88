"""Baselines of Codenames: a literal and a pragmatic team. Each policy plays both roles."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import exp, log
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.parameters import Between
from envsuite.core.ranges import scratch
from envsuite.social.codenames import ASSASSIN, CLUE, NONE, OTHER, OWN, UNKNOWN

ID = "envsuite/Codenames-v0"

#: More cards and values than a game has.
CARDS, VALUES = 52, 12

#: What a card that fits a clue adds to the margin of the clue, by its kind.
MARGIN = np.array([1.0, -1.0, -0.5, -2.0])


@kernel
def fits(observation, card, value):
    """Whether a card has a value; values are counted over all attributes."""
    attributes = observation.cards.shape[1]
    per = observation_values(observation)
    return attributes > value // per and observation.cards[card, value // per] == value % per


