"""Baselines of Investigation: a guess, a search in breadth, and one that leaves out tables without news."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.dual_control.investigation import CLOSED
from envsuite.dual_control.investigation.levels import MOST_POOL, NONE, TYPES

ID = "envsuite/Investigation-v0"

ENTITIES = len(TYPES) * MOST_POOL


@kernel
def answer(observation):
    """The entity that the question asks for; NONE before its alert is open."""
    pool = observation.known.shape[0] // 4
    for a in range(observation.titles.shape[0]):
        if observation.titles[a] == observation.question[0]:
            return observation.question[1] * pool + np.int64(observation.entities[a, observation.question[1]])
    return NONE


@kernel
def submit(observation, entity):
    """The action that submits an entity."""
    tables, entities = observation.queried.shape
    return tables * entities + observation.titles.shape[0] + entity


@kernel
def to_open(observation):
    """The action that opens the first alert that is not open, or NONE."""
    tables, entities = observation.queried.shape
    for a in range(observation.titles.shape[0]):
        if observation.tables[a] != NONE and observation.entities[a, 0] == CLOSED:
            return tables * entities + a
    return NONE


@kernel
def any_known(memory, observation):
    """A random entity that is known, of the type that is asked for if there is one."""
    pool, found, count = observation.known.shape[0] // 4, 0, 0
    for pass_ in range(2):
        for e in range(observation.known.shape[0]):
            if observation.known[e] != 0 and (pass_ == 1 or e // pool == observation.question[1]):
                count += 1
                if random.randint(memory, count) == 0:
                    found = e
        if count > 0:
            return found
    return found


@policy(ID, "guess")
def guess(memory, observation, mask):
    """Reads what the key leads to in one table after the other until an alert opens, then submits a fitting entity."""
    action = to_open(observation)
    if action != NONE:
        return action
    for a in range(observation.titles.shape[0]):
        if observation.titles[a] != NONE:
            return submit(observation, any_known(memory, observation))
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            return action
    return 0


@kernel
def note(memory, observation):
    """Number the entities that are new in the order in which they became known."""
    for e in range(observation.known.shape[0]):
        if observation.known[e] != 0 and memory.order[e] == 0:
            memory.count += 1
            memory.order[e] = memory.count


@kernel
def next_query(memory, observation, frugal):
    """The query of the entity that has been known for longest, in the first table that it was not sought in, or NONE.

    A frugal one leaves out tables whose alerts are all known, and begins with the table that has most unknown ones.
    """
    tables, entities = observation.queried.shape
    best, first, most = NONE, 0, -1
    for e in range(entities):
        if observation.known[e] != 0:
            for t in range(tables):
                unknown = unseen(observation, t) if frugal else 1
                if observation.queried[t, e] == 0 and unknown > 0:
                    earlier = best == NONE or memory.order[e] < first
                    if earlier or (memory.order[e] == first and unknown > most):
                        best, first, most = t * entities + e, memory.order[e], unknown
    return best


@kernel
def unseen(observation, table):
    """The number of alerts in a table whose numbers are not known."""
    count = np.int64(observation.sizes[table])
    for a in range(observation.tables.shape[0]):
        count -= observation.tables[a] == table
    return count


@kernel
def search(memory, observation, frugal):
    """Open all alerts, then query on; submit the answer, or a fitting entity with the last step."""
    note(memory, observation)
    entity = answer(observation)
    if entity != NONE:
        return submit(observation, entity)
    if observation.left[0] == 1:
        return submit(observation, any_known(memory, observation))
    action = to_open(observation)
    if action == NONE:
        action = next_query(memory, observation, frugal)
    return action if action != NONE else submit(observation, any_known(memory, observation))


ORDER = {"order": limited(np.zeros(ENTITIES, int), 0, ENTITIES), "count": limited(0, 0, ENTITIES)}


@policy(ID, "breadth", variables=ORDER)
def breadth(memory, observation, mask):
    """Opens all alerts that it finds, and seeks entities in all tables in the order in which they became known."""
    return search(memory, observation, False)


@policy(ID, "frugal", variables=ORDER)
def frugal(memory, observation, mask):
    """The same, but it leaves out tables whose alerts are all known, and begins with that with most unknown ones."""
    return search(memory, observation, True)
