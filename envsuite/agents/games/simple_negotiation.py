"""Baselines of SimpleNegotiation."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.games.simple_negotiation import ACCEPT, DENY, MY_STOCK, MY_VALUE, OFFER, OFFER_NET, PASS, THEIR_STOCK

ID = "envsuite/SimpleNegotiation-v0"


@kernel
def largest_amount(mask):
    """The most units of a good in an offer, L: there are 3 + 2 L L actions, or 5 + 2 L L."""
    largest = 1
    while OFFER + 2 * (largest + 1) * (largest + 1) <= mask.shape[0]:
        largest += 1
    return largest


@kernel
def offer_action(mask, good, give, get):
    """The action that offers `give` of a good for `get` of the other one; both at least 1."""
    largest = largest_amount(mask)
    return np.int64(OFFER + (good * largest + give - 1) * largest + get - 1)


@kernel
def own_gain(observation):
    """The gain of accepting the standing offer, by the agent's own values."""
    total = 0
    for k in range(2):
        total += observation[MY_VALUE + k] * observation[OFFER_NET + k]
    return total


@kernel
def cheaper_good(observation):
    """The good that is worth less to the agent: 0 wood, 1 gold."""
    return np.int64(observation[MY_VALUE] > observation[MY_VALUE + 1])


@policy(ID, "trader")
def trader(memory, observation, mask):
    """Offers its cheaper good one for one, as much as it can; accepts every offer by which it gains."""
    if mask[ACCEPT] != 0 and own_gain(observation) > 0:
        return ACCEPT
    good = cheaper_good(observation)
    amount = min(observation[MY_STOCK + good], observation[THEIR_STOCK + 1 - good], largest_amount(mask))
    if amount < 1 or observation[MY_VALUE] == observation[MY_VALUE + 1]:
        return DENY if mask[DENY] != 0 else PASS
    return offer_action(mask, good, amount, amount)


@policy(ID, "shrewd")
def shrewd(memory, observation, mask):
    """Assumes that the other's values are its own swapped, and trades only if it then gains more than the other.

    That is the case if it gets more units than it gives. Of the offers by which both gain, it makes the offer with the
    largest difference. If there is none, it denies or passes.
    """
    if mask[ACCEPT] != 0 and own_gain(observation) > 0 and observation[OFFER_NET] + observation[OFFER_NET + 1] > 0:
        return ACCEPT
    good = cheaper_good(observation)
    low, high = observation[MY_VALUE + good], observation[MY_VALUE + 1 - good]
    largest = largest_amount(mask)
    best, best_give, best_get = 0, 0, 0
    for give in range(1, min(observation[MY_STOCK + good], largest) + 1):
        # The most that the other can give and still gain: give * high > get * low.
        get = min((give * high - 1) // low, observation[THEIR_STOCK + 1 - good], largest)
        if get - give > best:
            best, best_give, best_get = get - give, give, get
    if best == 0:
        return DENY if mask[DENY] != 0 else PASS
    return offer_action(mask, good, best_give, best_get)


@policy(ID, "stubborn")
def stubborn(memory, observation, mask):
    """Denies every offer and makes none, so it never loses or wins."""
    return DENY if mask[DENY] != 0 else PASS
