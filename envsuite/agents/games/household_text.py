"""Baselines of HouseholdText: they search for what the task needs, and then do it."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.games.household_text import terms
from envsuite.kit.things import CLEAN, COLD, HELD, HOT, MOST, ON, OPEN, OPENABLE, ROOM

ID = "envsuite/HouseholdText-v0"

#: The kind of lamps, and a cost above all others.
LAMPS, NEVER = len(terms.OBJECT_KINDS) - 1, 1_000_000


@kernel
def closed(observation, place):
    """Whether a receptacle is not known to be open, and has something to open."""
    return terms.TRAITS[place] & OPENABLE != 0 and observation.states[place] & OPEN == 0


@kernel
def is_there(observation, place):
    """Whether the house has a receptacle."""
    return observation.places[place] == ROOM


@kernel
def treated(observation, thing):
    """Whether a thing is clean, hot or cold, if the task asks for it."""
    states = np.int64(observation.states[thing])
    if observation.task == terms.CLEANED:
        return states & CLEAN != 0
    if observation.task == terms.HEATED:
        return states & HOT != 0
    return observation.task != terms.COOLED or states & COLD != 0


@kernel
def target(observation):
    """The receptacle to bring things to: for two, where one is already; else the agent's, an open one, or the first."""
    found, least = np.int64(-1), NEVER
    for place in range(terms.PLACES):
        if is_there(observation, place) and terms.KIND[place] == observation.target:
            cost = 4 + closed(observation, place) - 2 * (place == observation.at[0])
            for thing in range(terms.PLACES, MOST):
                if observation.task == terms.TWO and observation.places[thing] == place:
                    cost -= 4 * (terms.KIND[thing] == observation.item)
            if cost < least:
                found, least = np.int64(place), cost
    return found


@kernel
def lamp(observation):
    """A known lamp, or -1."""
    for thing in range(terms.PLACES, MOST):
        if terms.TRAITS[thing] & terms.LAMP != 0 and observation.places[thing] >= 0:
            return thing
    return -1


@kernel
def visit(observation, place, action):
    """Go to a receptacle, open it, and then take this action; -1 for another action than opening if it is shut."""
    if observation.at[0] != place:
        return terms.ACTION[terms.GOES, place]
    if closed(observation, place) and action >= 0:
        return terms.ACTION[terms.OPENS, place]
    return action


@kernel
def search(observation, kind, likely):
    """The next action of a search for a kind of object, where it is most likely, or in order; -1 if it is over."""
    found, best = np.int64(-1), np.int64(0)
    for place in range(terms.PLACES):
        if is_there(observation, place) and observation.searched[place] == 0:
            worth = 2 * terms.LIKELY[kind, terms.KIND[place]] + 1 if likely else 1
            worth = 100 * worth + 50 * (place == observation.at[0]) - 10 * closed(observation, place)
            if worth > best:
                found, best = np.int64(place), np.int64(worth)
    return found if found < 0 else visit(observation, found, terms.ACTION[terms.OPENS, found])


@kernel
def candidate(observation, aim):
    """The known object of the task's kind that costs the least to get, or -1; for two, none that is there already."""
    found, least = np.int64(-1), NEVER
    for thing in range(terms.PLACES, MOST):
        place = np.int64(observation.places[thing])
        if terms.KIND[thing] == observation.item and 0 <= place < terms.PLACES:
            if observation.task == terms.TWO and place == aim:
                continue
            cost = 4 + 2 * closed(observation, place) - 2 * (place == observation.at[0])
            cost -= 2 * (terms.APPLIANCE[observation.task] == terms.KIND[place])
            light = lamp(observation) if observation.task == terms.LOOKED else -1
            if light >= 0:
                cost -= 2 * (observation.places[light] == place)
            if cost < least:
                found, least = np.int64(thing), cost
    return found


@kernel
def in_hand(observation):
    """The object in the agent's hands, or -1."""
    for thing in range(terms.PLACES, MOST):
        if observation.places[thing] == HELD:
            return thing
    return -1


@kernel
def put_away(observation, held):
    """Put an object that is not needed where it may be."""
    for turn in range(2):  # first here, if that is possible
        for place in range(terms.PLACES):
            if is_there(observation, place) and terms.LIKELY[terms.KIND[held], terms.KIND[place]] > 0:
                if turn == 1 or (place == observation.at[0] and not closed(observation, place)):
                    return visit(observation, place, terms.PUT[held, place])
    return np.int64(-1)


@large_kernel
def deliver(observation, held, aim, likely):
    """The next action with an object of the task's kind in the hands."""
    if observation.task == terms.LOOKED:
        light = lamp(observation)
        if light < 0:
            return search(observation, LAMPS, likely)
        place = np.int64(observation.places[light])
        lit = observation.states[light] & ON != 0
        if place >= terms.PLACES or lit and place == observation.at[0]:
            return np.int64(-1)
        return terms.ACTION[terms.USES, light] if place == observation.at[0] else terms.ACTION[terms.GOES, place]
    if not treated(observation, held):
        for place in range(terms.PLACES):
            if is_there(observation, place) and terms.KIND[place] == terms.APPLIANCE[observation.task]:
                if observation.at[0] != place:
                    return terms.ACTION[terms.GOES, place]
                verb = (
                    terms.CLEANS
                    if observation.task == terms.CLEANED
                    else terms.HEATS
                    if observation.task == terms.HEATED
                    else terms.COOLS
                )
                return terms.ACTION[verb, held]
        return np.int64(-1)
    return np.int64(-1) if aim < 0 else visit(observation, aim, terms.PUT[held, aim])


@large_kernel
def pursue(observation, likely):
    """The next action for the task, or -1."""
    held, aim = in_hand(observation), target(observation)
    if held >= 0:
        if terms.KIND[held] == observation.item:
            return deliver(observation, held, aim, likely)
        return put_away(observation, held)
    thing = candidate(observation, aim)
    if thing < 0:
        return search(observation, np.int64(observation.item), likely)
    return visit(observation, np.int64(observation.places[thing]), terms.ACTION[terms.TAKES, thing])


@policy(ID, "searcher")
def searcher(memory, observation, mask):
    """Searches for what the task needs where it is most likely, open receptacles first, and then does the task."""
    action = pursue(observation, True)
    return action if action >= 0 and mask[action] else choose_legal(memory, mask)


@policy(ID, "walker")
def walker(memory, observation, mask):
    """As `searcher`, but it searches all receptacles alike, those that are not closed first."""
    action = pursue(observation, False)
    return action if action >= 0 and mask[action] else choose_legal(memory, mask)
