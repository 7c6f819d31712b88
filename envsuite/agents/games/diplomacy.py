"""Baselines of Diplomacy: one holds, one marches to the nearest centers, one also supports its own attacks; two talk.

The two that talk propose peace to all and accept it. One keeps the peace, and the other attacks all the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.games.diplomacy import orders
from envsuite.games.diplomacy.actions import ACTION, FROM, PLACE, WAIVE, WINTER
from envsuite.games.diplomacy.press import ACCEPT, AGREED, ANSWER, KIND, NOTHING, OPEN, PEACE, REJECT, is_proposal

ID = "envsuite/Diplomacy-v0"

FAR = 40


def _distances() -> np.ndarray:
    """(maps, 3, locations, provinces): the moves of an army or a fleet from a location to a province."""
    found = np.full((len(orders.WAYS), 3, orders.LOCATIONS, orders.PROVINCES), FAR, np.int64)
    for m in range(len(orders.WAYS)):
        for kind in (1, 2):
            ways = orders.WAYS[m, kind]
            step = np.zeros((orders.LOCATIONS, orders.LOCATIONS), bool)
            step[np.nonzero(ways >= 0)[0], ways[ways >= 0]] = True
            reached = np.eye(orders.LOCATIONS, dtype=bool)
            for far in range(FAR):
                rows, columns = np.nonzero(reached)
                places = orders.PROVINCE[m, columns]
                found[m, kind, rows, places] = np.minimum(found[m, kind, rows, places], far)
                grown = reached | (reached.astype(np.uint8) @ step.astype(np.uint8) > 0)
                if (grown == reached).all():
                    break
                reached = grown
    return found


AWAY = _distances()


def _has_press(names: Any) -> bool:
    """Whether an observation with these parts has press."""
    return "talk" in names


@kernel
def at_peace(observation, power):
    """Whether this power has agreed on peace with another one for these moves."""
    for r in range(observation.heard.shape[0]):
        heard, sent = observation.heard[r, power], observation.sent[r, power]
        if heard[KIND] == PEACE and heard[ANSWER] == AGREED or sent[KIND] == PEACE and sent[ANSWER] == AGREED:
            return True
    return False


@kernel
def keeps_peace(observation, place):
    """Whether this power has agreed on peace with the owner of a unit or a center in a province."""
    unit, center = observation.board[1, place], observation.board[3, place]
    return (unit >= 0 and at_peace(observation, unit)) or (center >= 0 and at_peace(observation, center))


@kernel
def never(observation, place):
    """Without press there is no peace."""
    return False


spared = by_fields(_has_press, keeps_peace, never)


@kernel
def wanted(observation, me, center, honest):
    """Whether a center is not owned by this power, and none of its units is there or on its way.

    An honest power does not want the centers of those with whom it has peace.
    """
    if observation.board[3, center] == -2 or observation.board[3, center] == me:
        return False
    if honest and spared(observation, center):
        return False
    return not is_taken(observation, me, center)


@kernel
def is_taken(observation, me, place):
    """Whether a unit of this power has the order to go to a province, or to stay there."""
    m = observation.rules[0]
    if observation.board[1, place] == me and observation.orders[0, place] != orders.NONE:
        if observation.orders[0, place] != orders.MOVE and observation.orders[0, place] != orders.VIA:
            return True
    for k in range(observation.board.shape[1]):
        order = observation.orders[0, k]
        if (order == orders.MOVE or order == orders.VIA) and orders.PROVINCE[m, observation.orders[2, k]] == place:
            return True
    return False


@kernel
def worth(observation, me, unit, location, honest):
    """How good it is for a unit to be at a location: near a wanted center, and better where no other unit is."""
    m = observation.rules[0]
    place, least = orders.PROVINCE[m, location], FAR
    for center in range(observation.board.shape[1]):
        if AWAY[m, unit, location, center] < least and wanted(observation, me, center, honest):
            least = AWAY[m, unit, location, center]
    occupied = observation.board[0, place] != 0 and observation.board[1, place] != me
    return -4 * least - 2 * occupied


@large_kernel
def best_move(memory, observation, mask, unit, place, honest):
    """The best way of a unit among those that are legal, of equal ones a random one; `place` is where it is.

    An honest power goes nowhere where that would break a peace.
    """
    m, me = observation.rules[0], observation.turn[0]
    found, most, ties = -1, -1000, 0
    for action in range(FROM[m, orders.VIA]):
        if mask[action]:
            location = PLACE[m, action] if ACTION[m, action] == orders.MOVE else place
            if honest and location != place and spared(observation, orders.PROVINCE[m, location]):
                continue
            value = worth(observation, me, unit, location, honest)
            if is_taken(observation, me, orders.PROVINCE[m, location]):
                value -= 500
            ties = 1 if value > most else ties + 1
            if value > most or (value == most and random.randint(memory, ties) == 0):
                found = action
            most = max(most, value)
    return found


@kernel
def some(memory, mask, low, high):
    """A random legal action from `low` to `high` - 1, or -1."""
    found, ties = -1, 0
    for action in range(low, high):
        if mask[action]:
            ties += 1
            if random.randint(memory, ties) == 0:
                found = action
    return found


@kernel
def without_moves(memory, observation, mask):
    """The choice outside the phases with moves: a random build; the disbands of the rules; the best retreat."""
    m, k = observation.rules[0], np.int64(observation.turn[3])
    if observation.turn[2] == WINTER:
        build = some(memory, mask, FROM[m, WAIVE - 2], FROM[m, WAIVE])
        return build if build >= 0 else FROM[m, WAIVE]
    retreat = best_move(memory, observation, mask, np.int64(observation.board[4, k]), observation.board[6, k], 0)
    return retreat if retreat >= 0 else some(memory, mask, 0, mask.shape[0])


@kernel
def supported(observation, mask, k):
    """The own unit whose attack on another unit this one can support, or -1."""
    m, me = observation.rules[0], observation.turn[0]
    for other in range(observation.board.shape[1]):
        if observation.orders[0, other] == orders.MOVE and mask[FROM[m, orders.SUPPORT] + other]:
            place = orders.PROVINCE[m, observation.orders[2, other]]
            near = orders.NEAR[m, observation.board[0, k], observation.board[2, k], place]
            if near and observation.board[0, place] != 0 and observation.board[1, place] != me:
                return other
    return -1


@kernel
def in_press(observation):
    """Whether the powers are in a round of press."""
    return observation.talk[0] >= 0


@kernel
def no_press(observation):
    """Without press, nobody talks."""
    return False


talks = by_fields(_has_press, in_press, no_press)


@kernel
def finish(memory, observation, mask):
    """Says no more; a message that somebody else has begun gets any end."""
    first = FROM[observation.rules[0], WAIVE + 1]
    return first if mask[first] else some(memory, mask, 0, mask.shape[0])


@kernel
def has_offer(observation, power, kind):
    """Whether a proposal by another power is open: of this kind, or of any with NOTHING; the newest one decides."""
    found = False
    for r in range(observation.heard.shape[0]):
        heard = observation.heard[r, power]
        if heard[ANSWER] == OPEN and is_proposal(heard[KIND]):
            found = kind == NOTHING or heard[KIND] == kind
    return found


@kernel
def has_asked(observation, power):
    """Whether this power has proposed peace to another one before these moves."""
    for r in range(observation.sent.shape[0]):
        if observation.sent[r, power, KIND] == PEACE:
            return True
    return False


@kernel
def make_peace(observation, memory, mask, trusting):
    """The next message: accepts peace, rejects all else, and proposes peace, once to each power; otherwise silence.

    A power that is not trusting has no peace with those that have broken a promise to it.
    """
    m, powers = observation.rules[0], observation.centers.shape[0]
    first = FROM[m, WAIVE + 1]
    for power in range(powers):
        at = first + 1 + power
        trusted = trusting or observation.word[1, power] == 0
        peaceful = trusted and not at_peace(observation, power)
        if mask[at + (ACCEPT - 1) * powers]:
            accepts = peaceful and has_offer(observation, power, PEACE)
            return at + ((ACCEPT if accepts else REJECT) - 1) * powers
        if peaceful and mask[at + (PEACE - 1) * powers] and not has_asked(observation, power):
            return at + (PEACE - 1) * powers
    return finish(memory, observation, mask)


@kernel
def say_nothing(observation, memory, mask, trusting):
    """Without press there is nothing to say."""
    return 0


converse = by_fields(_has_press, make_peace, say_nothing)


@kernel
def advance(memory, observation, mask, honest):
    """Moves to the nearest center that it wants; a unit that can supports an own attack on another unit instead."""
    m, k, phase = observation.rules[0], np.int64(observation.turn[3]), observation.turn[2]
    if phase == 1 or phase == 3 or phase == WINTER:
        return without_moves(memory, observation, mask)
    if observation.turn[4] != orders.NONE:
        other = observation.turn[5]
        return FROM[m, orders.MOVE] + orders.PROVINCE[m, observation.orders[2, other]]
    move = best_move(memory, observation, mask, np.int64(observation.board[0, k]), observation.board[2, k], honest)
    location = PLACE[m, move] if ACTION[m, move] == orders.MOVE else observation.board[2, k]
    other = supported(observation, mask, k)
    if other >= 0 and worth(observation, observation.turn[0], observation.board[0, k], location, honest) < 0:
        return FROM[m, orders.SUPPORT] + other
    return move


@policy(ID, "hold")
def hold(memory, observation, mask):
    """Holds with all units; builds at random."""
    phase = observation.turn[2]
    if talks(observation):
        return finish(memory, observation, mask)
    if phase == 0 or phase == 2:
        return FROM[observation.rules[0], orders.HOLD]
    return without_moves(memory, observation, mask)


@policy(ID, "march")
def march(memory, observation, mask):
    """Moves each unit to the nearest center that it does not own, and builds at random."""
    k, phase = np.int64(observation.turn[3]), observation.turn[2]
    if talks(observation):
        return finish(memory, observation, mask)
    if phase == 0 or phase == 2:
        return best_move(memory, observation, mask, np.int64(observation.board[0, k]), observation.board[2, k], 0)
    return without_moves(memory, observation, mask)


@policy(ID, "siege")
def siege(memory, observation, mask):
    """Marches too, but a unit that can supports an attack of its own power on another unit instead."""
    if talks(observation):
        return finish(memory, observation, mask)
    return advance(memory, observation, mask, 0)


@policy(ID, "honest", trusting=False)
def honest(memory, observation, mask):
    """Makes peace and keeps it, but not with powers that have lied to it unless `trusting`; plays siege otherwise."""
    if talks(observation):
        return converse(observation, memory, mask, memory.trusting)
    return advance(memory, observation, mask, 1)


@policy(ID, "liar")
def liar(memory, observation, mask):
    """Makes peace with all powers, and attacks them as siege does."""
    if talks(observation):
        return converse(observation, memory, mask, True)
    return advance(memory, observation, mask, 0)
