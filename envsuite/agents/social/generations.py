"""Baselines of Generations: one follows the guides, one also remembers what it has learned. Both guide as well."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited
from envsuite.generators.hidden_tasks import LONGEST, MOST, SEQUENCE
from envsuite.social.generations import NONE

ID = "envsuite/Generations-v0"

#: The pay of a leg that is not known: more than any leg pays.
UNKNOWN = 2.0


@kernel
def named(observation):
    """The act that most guides show, of several that of the last guide; NONE if none is seen."""
    found, most = NONE, 0
    for g in range(observation.guides.shape[0]):
        votes = 0
        for other in range(observation.guides.shape[0]):
            votes += observation.guides[other] == observation.guides[g]
        if observation.guides[g] != NONE and votes >= most:
            found, most = np.int64(observation.guides[g]), votes
    return found


@kernel
def best_known(observation):
    """The act that pays most, for a guide that knows the task; NONE for others."""
    found, most = NONE, 0.0
    for k in range(observation.worth.shape[0]):
        if observation.worth[k] > most:
            found, most = k, observation.worth[k]
    return found


@kernel
def draw(memory, barred, count):
    """A random act of `count` that is not barred; 0 where all are."""
    left = count
    for k in range(count):
        left -= barred[k] != 0
    left = random.randint(memory, left) if left > 0 else -1
    for k in range(count):
        if barred[k] == 0:
            if left == 0:
                return k
            left -= 1
    return 0


@policy(ID, "follower")
def follower(memory, observation, mask):
    """Does what most guides show, and a random act where it sees none; it remembers nothing.

    As a guide it shows the act that pays most, if it knows the task, and otherwise a random one.
    """
    known = named(observation) if memory.agent == 0 else best_known(observation)
    return draw(memory, observation.visited, mask.shape[0]) if known == NONE else known


@kernel
def learn_letter(memory, observation):
    """Note whether the last letter was right."""
    place, letter = memory.place, np.int64(observation.own[0])
    if observation.reward[0] > 0.0:
        memory.letters[place] = letter
    else:
        memory.wrong[place, letter] = 1


@kernel
def learn_leg(memory, observation):
    """Note what the last leg paid; the last two of a tour are paid together, so one of them must be known."""
    a, b, paid = memory.city, np.int64(observation.own[0]), observation.reward[0]
    if paid < 0.0:
        return
    if observation.ended[0] != 0:
        if memory.legs[b, 0] != UNKNOWN:
            paid -= memory.legs[b, 0]
        elif memory.legs[a, b] != UNKNOWN:
            paid -= memory.legs[a, b]
            a = 0
        else:
            return
    memory.legs[a, b] = paid
    memory.legs[b, a] = paid


@kernel
def next_letter(memory, shown, types):
    """The right letter if it is known; otherwise the one that is shown, or a random one, but none that was wrong."""
    place = memory.place
    if memory.letters[place] != NONE:
        return memory.letters[place]
    if shown != NONE and memory.wrong[place, shown] == 0:
        return shown
    return draw(memory, memory.wrong[place], types)


@kernel
def best_leg(memory, observation):
    """The next city by the leg that pays most, unknown ones first; of several the first."""
    found, most = 0, -1.0
    for k in range(observation.visited.shape[0]):
        if observation.visited[k] == 0 and memory.legs[memory.city, k] > most:
            found, most = k, memory.legs[memory.city, k]
    return found


@policy(
    ID,
    "learner",
    variables={
        "letters": limited(np.full(LONGEST, NONE), NONE, MOST - 1),
        "wrong": limited(np.zeros((LONGEST, MOST), np.uint8), 0, 1),
        "legs": np.full((MOST, MOST), UNKNOWN),
        "place": limited(0, 0, LONGEST - 1),
        "city": limited(0, 0, MOST - 1),
    },
    trust=CHANCE.at(1.0),
)
def learner(memory, observation, mask):
    """Remembers all that acts have paid; where it does not know, it follows the last guide, with probability `trust`.

    Without a guide it tries a letter that is not known to be wrong, or the leg that pays most, unknown ones first. A
    guide with this policy shows what it knows from the world, then what it remembers.
    """
    sequence = observation.task[0] == SEQUENCE
    if memory.agent > 0:
        known = best_known(observation)
        if known != NONE:
            return known
    elif observation.own[0] != NONE:
        if sequence:
            learn_letter(memory, observation)
        else:
            learn_leg(memory, observation)
    place = np.int64(observation.place[0])
    memory.place = place
    memory.city = np.int64(observation.own[0]) if place > 0 else 0
    shown = np.int64(observation.guides[observation.guides.shape[0] - 1])
    if shown != NONE and not random.bernoulli(memory, memory.trust):
        shown = NONE
    if sequence:
        return next_letter(memory, shown, mask.shape[0])
    return best_leg(memory, observation) if shown == NONE or observation.visited[shown] != 0 else shown
