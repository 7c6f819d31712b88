"""How Diplomacy's orders are resolved: Kruijswijk's algorithm, with Szykman's rule for paradoxes of convoys.

An order succeeds or fails: a move arrives, a support or a convoy is not broken, and a hold always succeeds. Whether one
does can depend on others, and these on the first. So an order that is being judged gets a guess, failure at first. If
its result turns out to depend on its own guess, it is judged with the other guess too. If both lead to the same result,
this is the result. Otherwise units move in a circle, and all of them arrive; or there is a paradox, and its convoys
fail.

Orders are those of the unit in each province. Its arrays `goal`, `fate`, `state` and so on are used only here.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import below, flag, within
from envsuite.games.diplomacy.map import MAPS
from envsuite.kit.bitboard import lowest

ARMY, FLEET = 1, 2

#: Orders. The target is a location for MOVE, and a province for the others: that of the unit itself if it supports a
#: unit that stays.
NONE, HOLD, MOVE, VIA, SUPPORT, CONVOY, DISBAND, BUILD_ARMY, BUILD_FLEET = range(9)

#: Results of orders.
DONE, FAILED, DISLODGED = 1, 2, 3

#: States of an order while it is resolved.
UNKNOWN, GUESSED, KNOWN = range(3)

# Tables for all maps. Locations are provinces first, then coasts.
_MAPS = list(MAPS.values())
LOCATIONS = max(len(land.codes) for land in _MAPS)
PROVINCES = max(len(land.provinces) for land in _MAPS)
#: The most units: one for each center.
UNITS = 34

#: (maps, 3, locations, 12): the locations that an army (1) or a fleet (2) reaches, then -1.
WAYS = np.full((len(_MAPS), 3, LOCATIONS, 12), -1, np.int64)
#: (maps, 3, locations, provinces): 1 for the provinces that it reaches.
NEAR = np.zeros((len(_MAPS), 3, LOCATIONS, PROVINCES), np.int8)
#: (maps, 3, locations, 2): these provinces as sets of bits, in two words.
REACH = np.zeros((len(_MAPS), 3, LOCATIONS, 2), np.uint64)
#: (maps, locations): the province of a location.
PROVINCE = np.zeros((len(_MAPS), LOCATIONS), np.int64)
#: (maps, provinces): 0 inland, 1 coast, 2 sea.
KIND = np.zeros((len(_MAPS), PROVINCES), np.int64)
#: (maps, provinces): of a sea its own bit, otherwise 0; and the seas that a coast or a sea touches, as a set of bits.
SEA = np.zeros((len(_MAPS), PROVINCES), np.int64)
SEAS = np.zeros((len(_MAPS), PROVINCES), np.int64)

#: (maps, bits): the province of a bit of these sets.
PLACE_AT = np.zeros((len(_MAPS), 64), np.int64)

for _m, _map in enumerate(_MAPS):
    for _location in range(len(_map.codes)):
        PROVINCE[_m, _location] = _map.province(_location)
        for _kind in (ARMY, FLEET):
            for _k, _to in enumerate(_map.reached(_kind, _location)):
                WAYS[_m, _kind, _location, _k] = _to
                NEAR[_m, _kind, _location, _map.province(_to)] = 1
            for _place in np.flatnonzero(NEAR[_m, _kind, _location]).tolist():
                REACH[_m, _kind, _location, _place >> 6] |= np.uint64(1 << (_place & 63))
    for _place, _word in enumerate(_map.kinds):
        KIND[_m, _place] = ("inland", "coast", "sea").index(_word)
    for _bit, _place in enumerate(np.flatnonzero(KIND[_m] == 2).tolist()):
        SEA[_m, _place], PLACE_AT[_m, _bit] = 1 << _bit, _place
    for _location in range(len(_map.codes)):
        for _to in _map.reached(FLEET, _location):
            SEAS[_m, PROVINCE[_m, _location]] |= SEA[_m, _to] if _to < PROVINCES else 0


def order_fields(provinces: int, powers: int, locations: int) -> list[tuple]:
    """The units and their orders, and what is used while they are resolved."""
    place, maybe = below(np.int8, provinces), within(np.int8, -1, provinces - 1)
    return [
        ("unit", within(np.int8, 0, FLEET), (provinces,)),  # 0, ARMY or FLEET in each province
        ("owner", within(np.int8, -1, powers - 1), (provinces,)),  # its power, or -1
        ("spot", below(np.int8, locations), (provinces,)),  # its location; the province if there is none
        ("order", within(np.int8, 0, BUILD_FLEET), (provinces,)),  # its order so far, or that of the dislodged unit
        ("helped", maybe, (provinces,)),  # the province of the unit that it supports or convoys, or -1
        ("target", within(np.int8, -1, locations - 1), (provinces,)),  # see above, or -1
        ("standoff", flag(), (provinces,)),  # units kept one another out of this province
        ("goal", maybe, (provinces,)),  # the province to which the unit moves, or -1
        ("fate", flag(), (provinces,)),  # whether the order succeeds, or the guess
        ("state", within(np.int8, 0, KNOWN), (provinces,)),
        ("units", place, (UNITS,)),  # the provinces with units
        ("count", within(np.int64, 0, UNITS)),  # and their number
        ("stack", place, (UNITS + 1,)),  # the orders that are being judged, each because the one before needs it
        ("base", within(np.int8, 0, UNITS), (UNITS + 1,)),  # the length of `deps` when each was first judged
        ("trial", flag(), (UNITS + 1,)),  # whether each is judged with its second guess
        ("first", flag(), (UNITS + 1,)),  # the result with the first one
        ("deps", place, (UNITS,)),  # the guesses that results depend on
        ("depends", within(np.int64, 0, UNITS)),  # and their number
        ("need", maybe),  # the unknown order that the judged one depends on, or -1
    ]  # fmt: skip


@kernel
def flooded(m, seas, fleets):
    """All seas with fleets that are connected to these seas, as sets of bits."""
    found, new = np.int64(0), seas & fleets
    while new:
        place = PLACE_AT[m, lowest(np.uint64(new))]
        found |= SEA[m, place]
        new = (new | SEAS[m, place] & fleets) & ~found
    return found


@kernel
def note(s, k):
    """Note that results depend on the guess for this order."""
    for i in range(s.depends):
        if s.deps[i] == k:
            return
    s.deps[s.depends] = k
    s.depends += 1


@kernel
def fate_of(s, k):
    """Whether an order succeeds, as far as it is known or guessed; otherwise it is needed."""
    if s.state[k] == UNKNOWN:
        if s.need < 0:
            s.need = k
        return 0
    if s.state[k] == GUESSED and s.need < 0:
        note(s, k)
    return np.int64(s.fate[k])


@kernel
def carriers(s, k, least):
    """The seas with fleets that convoy this army, and whose convoy may yet succeed (0) or surely does (1)."""
    found = np.int64(0)
    for i in range(s.count):
        j = np.int64(s.units[i])
        if s.order[j] == CONVOY and s.helped[j] == k and s.target[j] == s.goal[k]:
            if (s.state[j] == KNOWN and s.fate[j]) or (least == 0 and s.state[j] != KNOWN):
                found |= SEA[s.params.map, j]
    return found


@kernel
def is_carried(s, k):
    """Whether fleets convoy an army to its goal."""
    m, goal = s.params.map, np.int64(s.goal[k])
    if flooded(m, SEAS[m, k], carriers(s, k, 1)) & SEAS[m, goal]:
        return 1
    possible = carriers(s, k, 0)
    if not flooded(m, SEAS[m, k], possible) & SEAS[m, goal]:
        return 0
    for i in range(s.count):
        j = np.int64(s.units[i])
        if SEA[m, j] & possible and not fate_of(s, j):
            possible &= ~SEA[m, j]
    return 1 if flooded(m, SEAS[m, k], possible) & SEAS[m, goal] else 0


@kernel
def sets_out(s, k):
    """Whether a moving unit has a way to its goal."""
    return 1 if s.order[k] == MOVE else is_carried(s, k)


@kernel
def backing(s, k, spared):
    """The supports that a unit gets, but for those of this power."""
    wanted, found = s.goal[k] if s.goal[k] >= 0 else k, 0
    for i in range(s.count):
        j = np.int64(s.units[i])
        if s.order[j] == SUPPORT and s.helped[j] == k and s.target[j] == wanted and s.owner[j] != spared:
            found += fate_of(s, j)
    return found


@kernel
def head_on(s, k):
    """Whether a moving unit meets the unit of its goal on the way."""
    other = np.int64(s.goal[k])
    return s.goal[other] == k and s.order[k] == MOVE and s.order[other] == MOVE


@kernel
def attack(s, k):
    """The strength with which a unit moves; no power helps to dislodge a unit of its own."""
    other = np.int64(s.goal[k])
    if not sets_out(s, k):
        return 0
    if s.unit[other] == 0 or (s.goal[other] >= 0 and not head_on(s, k) and fate_of(s, other)):
        return 1 + backing(s, k, -1)
    if s.owner[other] == s.owner[k]:
        return 0
    return 1 + backing(s, k, s.owner[other])


@kernel
def hold_strength(s, place):
    """The strength with which the unit of a province stays."""
    if s.unit[place] == 0:
        return 0
    if s.goal[place] >= 0:
        return 1 - fate_of(s, place)
    return 1 + backing(s, place, -1)


@kernel
def prevention(s, k):
    """The strength with which a moving unit keeps others out of its goal."""
    if not sets_out(s, k) or (head_on(s, k) and fate_of(s, np.int64(s.goal[k]))):
        return 0
    return 1 + backing(s, k, -1)


@kernel
def arrives(s, k):
    """Whether a move succeeds."""
    place, strength = np.int64(s.goal[k]), attack(s, k)
    if strength == 0:
        return 0
    if strength <= (1 + backing(s, place, -1) if head_on(s, k) else hold_strength(s, place)):
        return 0
    for i in range(s.count):
        j = np.int64(s.units[i])
        if j != k and s.goal[j] == place and prevention(s, j) >= strength:
            return 0
    return 1


@kernel
def stands(s, k):
    """Whether a support is not cut, or a convoy not broken.

    An attack by another power cuts a support, unless it comes from the province against which the support is given. A
    unit that is dislodged neither supports nor convoys.
    """
    for i in range(s.count):
        j = np.int64(s.units[i])
        if s.goal[j] == k:
            if s.order[k] == CONVOY or s.target[k] == j:
                if fate_of(s, j):
                    return 0
            elif s.owner[j] != s.owner[k] and sets_out(s, j):
                return 0
    return 1


@kernel
def judge(s, k):
    """Whether an order succeeds, given what is known and guessed of the others."""
    if s.goal[k] >= 0:
        return arrives(s, k)
    return 1 if s.order[k] == HOLD else stands(s, k)


@kernel
def begin(s, depth, k):
    """Begin to judge an order: its first guess is failure."""
    s.stack[depth] = k
    s.base[depth] = s.depends
    s.trial[depth] = 0
    s.state[k] = GUESSED
    s.fate[k] = 0


@kernel
def settle(s, k, fate):
    """The fate of an order is known."""
    s.state[k] = KNOWN
    s.fate[k] = fate


@kernel
def forget(s, base):
    """The orders that depend on guesses from the `base`-th on are unknown again."""
    for i in range(base, s.depends):
        s.state[s.deps[i]] = UNKNOWN
    s.depends = base


@kernel
def break_cycle(s, k, base):
    """Decide about orders that depend on one another: convoys among them fail; without convoys, all moves succeed."""
    convoys, settled = 0, 0
    for i in range(base, s.depends):
        convoys += s.order[s.deps[i]] == CONVOY
    for i in range(base, s.depends):
        j = np.int64(s.deps[i])
        s.state[j] = UNKNOWN
        if (s.order[j] == CONVOY) if convoys else s.goal[j] >= 0:
            settle(s, j, 0 if convoys else 1)
            settled += 1
    s.depends = base
    if settled == 0:  # this cannot happen with legal orders
        settle(s, k, 0)


@kernel
def conclude(s, top, found):
    """Take the result of judging the order on top of the stack; returns whether it can leave the stack."""
    k, base = np.int64(s.stack[top]), np.int64(s.base[top])
    if s.depends == base or (s.trial[top] and found == s.first[top]):
        forget(s, base)
        settle(s, k, found)
        return True
    if s.trial[top]:
        break_cycle(s, k, base)
        if s.state[k] != KNOWN:
            begin(s, top, k)
        return s.state[k] == KNOWN
    if s.deps[base] != k:  # it depends on a guess before its own
        note(s, k)
        s.fate[k] = found
        return True
    forget(s, base)
    s.trial[top] = 1
    s.first[top] = found
    s.state[k] = GUESSED
    s.fate[k] = 1
    return False


@large_kernel
def resolve(s):
    """Write whether each order succeeds to `fate`."""
    prepare(s)
    for i in range(s.count):
        depth = 0
        if s.state[s.units[i]] != KNOWN:
            begin(s, 0, np.int64(s.units[i]))
            depth = 1
        while depth > 0:
            s.need = -1
            found = judge(s, np.int64(s.stack[depth - 1]))
            if s.need >= 0:
                begin(s, depth, np.int64(s.need))
                depth += 1
            elif conclude(s, depth - 1, found):
                depth -= 1
    s.need = -1


@kernel
def walk(s, k):
    """An army that should be convoyed to a neighboring province goes by land if no fleets are ordered to convoy it."""
    m, goal = s.params.map, np.int64(s.goal[k])
    if s.order[k] == VIA and NEAR[m, ARMY, k, goal] and not flooded(m, SEAS[m, k], carriers(s, k, 0)) & SEAS[m, goal]:
        s.order[k] = MOVE


@kernel
def prepare(s):
    """List the units, and write where each moves; nothing is known yet."""
    s.count = 0
    s.depends = 0
    for k in range(s.unit.shape[0]):
        s.state[k] = UNKNOWN
        s.fate[k] = 0
        s.goal[k] = -1
        if s.unit[k] != 0:
            s.units[s.count] = k
            s.count += 1
            if s.order[k] == MOVE or s.order[k] == VIA:
                s.goal[k] = PROVINCE[s.params.map, s.target[k]]
    for i in range(s.count):
        walk(s, np.int64(s.units[i]))
