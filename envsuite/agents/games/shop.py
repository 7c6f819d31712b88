"""Baselines of Shop: one buys the first result, one compares the results."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.core.world import Between
from envsuite.games import shop

ID = "envsuite/Shop-v0"


@kernel
def type_words(observation):
    """Types all words of the instruction, then searches."""
    words = observation.typed.shape[0]
    for k in range(words):
        if observation.typed[k] == 0:
            return np.int64(k)
    return np.int64(words)


@kernel
def find_option(observation, start, word):
    """The place of an option from 1, or 0."""
    for k in range(shop.OPTIONS):
        if observation.product[start + k] == word:
            return 1 + k
    return 0


@kernel
def order(observation):
    """Chooses the wanted options that the open product has, then buys it."""
    words = observation.typed.shape[0]
    color = find_option(observation, shop.ROW + 1, observation.wanted[words])
    size = find_option(observation, shop.ROW + 1 + shop.OPTIONS, observation.wanted[words + 1])
    if color > 0 and observation.facts[5] != color:
        return np.int64(words + shop.COLOR + color - 1)
    if size > 0 and observation.facts[6] != size:
        return np.int64(words + shop.SIZE + size - 1)
    return np.int64(words + shop.BUY)


@policy(ID, "rule")
def rule(memory, observation, mask):
    """Searches for all words, opens the first result, chooses the wanted options that it has, and buys it."""
    if observation.facts[0] == shop.SEARCH:
        return type_words(observation)
    if observation.facts[0] == shop.FOUND:
        return np.int64(observation.typed.shape[0] + shop.OPEN)
    return order(observation)


@kernel
def points(observation):
    """How many of the wanted attributes, options and prices the described product has; one less in another kind."""
    words = observation.typed.shape[0]
    found = int(find_option(observation, shop.ROW + 1, observation.wanted[words]) > 0)
    found += int(find_option(observation, shop.ROW + 1 + shop.OPTIONS, observation.wanted[words + 1]) > 0)
    found += int(observation.product[shop.ROW - 1] <= observation.facts[4])
    for k in range(1, words):
        for j in range(shop.ATTRIBUTES_EACH):
            found += int(observation.description[j] == observation.wanted[k])
    return found if observation.product[4] == observation.wanted[0] else found // 2


@kernel
def look(memory, observation):
    """On the page of results: opens the next one to read, or at the end the best one."""
    words, found = observation.typed.shape[0], np.int64(observation.facts[3])
    if memory.next >= min(found, memory.items) or observation.facts[1] < 15:
        memory.decided = 1
    goal = memory.best if memory.decided else memory.next
    if goal < observation.facts[2]:
        return np.int64(words + shop.PREVIOUS)
    if goal >= observation.facts[2] + shop.PER_PAGE:
        return np.int64(words + shop.NEXT)
    return np.int64(words + shop.OPEN + goal - observation.facts[2])


@kernel
def read(memory, observation):
    """On a description: notes the product if it is the best so far, and decides for it if it has everything."""
    worth = points(observation)
    if worth > memory.worth:
        memory.worth = worth
        memory.best = memory.next
    memory.decided = worth == observation.wanted.shape[0]
    memory.next = min(memory.next + 1, shop.RESULTS)
    memory.known = 1
    return np.int64(observation.typed.shape[0] + shop.BACK)


@policy(
    ID,
    "careful",
    items=Between(1, shop.RESULTS).at(20),
    variables={
        "next": limited(0, 0, shop.RESULTS),
        "best": limited(0, 0, shop.RESULTS - 1),
        "worth": limited(-1, -1, 6),
        "known": limited(0, 0, 1),
        "decided": limited(0, 0, 1),
    },
)
def careful(memory, observation, mask):
    """Reads the descriptions of the first `items` results until one has everything, and buys the best."""
    words, page = observation.typed.shape[0], observation.facts[0]
    if page == shop.SEARCH:
        return type_words(observation)
    if page == shop.FOUND:
        memory.known = 0
        return look(memory, observation)
    if page == shop.PRODUCT:
        if memory.decided:
            return order(observation)
        return np.int64(words + shop.BACK) if memory.known else np.int64(words + shop.DESCRIBE)
    return read(memory, observation)
