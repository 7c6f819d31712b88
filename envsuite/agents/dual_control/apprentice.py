"""Baselines of Apprentice: expert demonstrations, the best pair, noisy demonstrations, no learning.

Each policy plays both seats; its robot is made for its human.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import exp
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.world import Between
from envsuite.dual_control.apprentice import BOTH, CLIPS, HUMAN, NONE, STAPLES, worth

ID = "envsuite/Apprentice-v0"

#: The number of values of theta, in the middle of equal intervals, over which `boltzmann` sums its belief.
POINTS = 100


@kernel
def best(theta, single, each):
    """The act with the largest worth; of equal ones the first in the order clips, both, staples."""
    chosen = CLIPS
    for act in range(1, 3):
        if worth(act, theta, single, each) > worth(chosen, theta, single, each):
            chosen = act
    return chosen


@kernel
def count(observation, act):
    """The number of demonstrations of an act; of NONE, the number of demonstrations to come."""
    found = 0
    for k in range(observation.shown.shape[0]):
        found += observation.shown[k] == act
    return found


@policy(ID, "expert")
def expert(memory, observation, mask):
    """Human: makes what is worth most by itself. Robot: infers theta as if the human did so, and is then optimal."""
    amounts = observation.amounts
    if memory.agent == HUMAN:
        return best(observation.theta[0], amounts[0], amounts[1])
    # The expert makes the single kind where theta, or 1 - theta, is above `line`, and both between.
    line = 0.5 if 2 * amounts[1] <= amounts[0] else min(amounts[1] / amounts[0], 1.0) if amounts[0] > 0 else 1.0
    clips, both, staples = count(observation, CLIPS), count(observation, BOTH), count(observation, STAPLES)
    mean = 0.5
    if clips > 0 and both == 0 and staples == 0:
        mean = 0.5 * (line + 1.0)
    elif staples > 0 and both == 0 and clips == 0:
        mean = 0.5 * (1.0 - line)
    return best(mean, amounts[2], amounts[3])


@kernel
def copied(clips, both, staples):
    """The act that a copying robot understands: a single kind if nothing else was shown, otherwise both."""
    if both > 0 or (clips > 0 and staples > 0):
        return BOTH
    return CLIPS if clips > 0 else STAPLES


@policy(ID, "pedagogic")
def pedagogic(memory, observation, mask):
    """Robot: makes the kind that was shown alone, otherwise both. Human: the best response to this robot.

    With the default parameters, no pair of strategies earns more.
    """
    amounts = observation.amounts
    clips, both, staples = count(observation, CLIPS), count(observation, BOTH), count(observation, STAPLES)
    if memory.agent != HUMAN:
        return copied(clips, both, staples)
    theta, left = observation.theta[0], count(observation, NONE)
    most, chosen = -1.0, CLIPS
    for more_clips in range(left + 1):
        for more_both in range(left - more_clips + 1):
            more_staples = left - more_clips - more_both
            total = more_clips * worth(CLIPS, theta, amounts[0], amounts[1])
            total += more_both * worth(BOTH, theta, amounts[0], amounts[1])
            total += more_staples * worth(STAPLES, theta, amounts[0], amounts[1])
            act = copied(clips + more_clips, both + more_both, staples + more_staples)
            total += worth(act, theta, amounts[2], amounts[3])
            if total > most:
                most = total
                chosen = CLIPS if more_clips > 0 else BOTH if more_both > 0 else STAPLES
    return chosen


@policy(ID, "boltzmann", variables={"weights": np.zeros(3)}, beta=Between(0.01, 100).at(1.0))
def boltzmann(memory, observation, mask):
    """Human: makes each thing with probability proportional to exp(worth / `beta`). Robot: infers theta from that."""
    amounts = observation.amounts
    if memory.agent == HUMAN:
        weigh(memory, observation.theta[0], amounts)
        return random.categorical(memory, memory.weights, 3)
    total = mean = 0.0
    for k in range(POINTS):
        theta = (k + 0.5) / POINTS
        weigh(memory, theta, amounts)
        belief = 1.0
        for t in range(observation.shown.shape[0]):
            belief *= memory.weights[max(np.int64(observation.shown[t]), 0)]
        total += belief
        mean += belief * theta
    return best(mean / total if total > 0.0 else 0.5, amounts[2], amounts[3])


@kernel
def weigh(memory, theta, amounts):
    """Set the probability of each of the human's acts."""
    most, total = worth(best(theta, amounts[0], amounts[1]), theta, amounts[0], amounts[1]), 0.0
    for act in range(3):
        memory.weights[act] = exp((worth(act, theta, amounts[0], amounts[1]) - most) / memory.beta)
        total += memory.weights[act]
    for act in range(3):
        memory.weights[act] /= total


@policy(ID, "prior")
def prior(memory, observation, mask):
    """Human: makes what is worth most by itself. Robot: makes what is worth most on average, whatever was shown."""
    amounts = observation.amounts
    if memory.agent == HUMAN:
        return best(observation.theta[0], amounts[0], amounts[1])
    return best(0.5, amounts[2], amounts[3])
