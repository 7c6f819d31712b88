"""Diplomacy's actions: the table of each map, homes and starting positions, and what is legal."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.games.diplomacy import orders
from envsuite.games.diplomacy.map import MAPS
from envsuite.games.diplomacy.orders import HOLD

#: Phases of a year.
SPRING, SPRING_RETREATS, AUTUMN, AUTUMN_RETREATS, WINTER = range(5)

#: Kinds of actions: the orders, with MOVE for "to", and this one.
WAIVE = 9

POWERS = 7


def action_table(name: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The names of a map's actions, and the kind and the place of each."""
    land = MAPS[name]
    codes, coasts = land.codes, [k for k, kind in enumerate(land.kinds) if kind == "coast"]
    homes = [k for power in land.start for _, spot in land.units(power) if (k := land.province(spot)) in land.centers]
    ports = [k for k in range(len(codes)) if land.province(k) in homes and land.reached(orders.FLEET, k)]
    parts = [
        (HOLD, "hold", [0]),
        (orders.MOVE, "to {}", range(len(codes))),
        (orders.VIA, "to {} by convoy", coasts),
        (orders.SUPPORT, "support {}", range(len(land.provinces))),
        (orders.CONVOY, "convoy {}", coasts),
        (orders.DISBAND, "disband {}", range(len(land.provinces))),
        (orders.BUILD_ARMY, "build army {}", sorted(homes)),
        (orders.BUILD_FLEET, "build fleet {}", ports),
        (WAIVE, "waive", [0]),
    ]
    actions = [(words.format(codes[k]), (kind, k)) for kind, words, places in parts for k in places]
    return [words for words, _ in actions], [pair for _, pair in actions]


TABLES = [action_table(name) for name in MAPS]
ACTIONS = max(len(names) for names, _ in TABLES)
#: (maps, actions): the kind and the place of each action; NONE if the map has fewer.
ACTION = np.zeros((len(MAPS), ACTIONS), np.int64)
PLACE = np.zeros((len(MAPS), ACTIONS), np.int64)
#: (maps, 11): the first action of each kind, and the number of actions.
FROM = np.zeros((len(MAPS), WAIVE + 2), np.int64)
for _m, (_, _pairs) in enumerate(TABLES):
    ACTION[_m, : len(_pairs)], PLACE[_m, : len(_pairs)] = np.array(_pairs).T
    FROM[_m] = [sum(kind < k for kind, _ in _pairs) for k in range(WAIVE + 2)]

#: (maps, provinces): at the start, the power of the unit or -1, the unit, its location, and the owner of the center: -1
#: if there is none, -2 where there is no center. A power is at home where its units start.
HOME = np.full((len(MAPS), orders.PROVINCES), -1, np.int64)
START = np.zeros((len(MAPS), orders.PROVINCES), np.int64)
SPOT = np.tile(np.arange(orders.PROVINCES), (len(MAPS), 1))
CENTER = np.full((len(MAPS), orders.PROVINCES), -2, np.int64)
#: (maps, powers, 3, locations): how far a unit is from its power's nearest home; armies cross seas.
AWAY = np.full((len(MAPS), POWERS, 3, orders.LOCATIONS), 99, np.int64)


def _fill_away(m: int, power: int, homes: list[int]) -> None:
    """Write the distances from a power's homes."""
    land = list(MAPS.values())[m]
    count = len(land.codes)
    fleets = [set(land.reached(orders.FLEET, k)) for k in range(count)]
    armies = [{land.province(to) for to in land.reached(orders.ARMY, k)} for k in range(count)]
    for k in range(count):
        for to in fleets[k]:
            armies[land.province(k)].add(land.province(to))
    for kind, ways in ((orders.ARMY, armies), (orders.FLEET, fleets)):
        near = {k for k in range(count) if land.province(k) in homes}
        for far in range(count):
            for k in near:
                AWAY[m, power, kind, k] = min(AWAY[m, power, kind, k], far)
            near = {k for k in range(count) if AWAY[m, power, kind, k] > far + 1 and ways[k] & near}


for _m, _land in enumerate(MAPS.values()):
    CENTER[_m, _land.centers] = -1
    for _power, _name in enumerate(_land.start):
        for _unit, _spot in _land.units(_name):
            _k = _land.province(_spot)
            START[_m, _k], SPOT[_m, _k] = _unit, _spot
            HOME[_m, _k] = _power
            if CENTER[_m, _k] == -1:
                CENTER[_m, _k] = _power
        _fill_away(_m, _power, np.flatnonzero(CENTER[_m] == _power).tolist())


@kernel
def refuge(s, k, location):
    """Whether the dislodged unit of a province may retreat to a location that it reaches."""
    place = orders.PROVINCE[s.params.map, location]
    return s.unit[place] == 0 and s.standoff[place] == 0 and place != s.beaten_from[k]


@kernel
def can_retreat(s, k):
    """Whether the dislodged unit of a province has any retreat."""
    for i in range(orders.WAYS.shape[3]):
        location = orders.WAYS[s.params.map, s.beaten[k], s.beaten_spot[k], i]
        if location >= 0 and refuge(s, k, location):
            return True
    return False


@kernel
def can_build(s, power, k):
    """Whether a power can build in a province: a center at home that it owns, with no unit or build."""
    home = HOME[s.params.map, k] == power and s.center[k] == power
    return home and s.unit[k] == 0 and s.order[k] == orders.NONE


@kernel
def fleets_at_sea(s):
    """The seas with fleets, as a set of bits."""
    found = np.int64(0)
    for k in range(s.unit.shape[0]):
        found |= orders.SEA[s.params.map, k] if s.unit[k] == orders.FLEET else 0
    return found


@kernel
def waters(s, k, fleets):
    """The seas over which these fleets could convoy the unit of a province: none for a fleet or inland."""
    m = s.params.map
    if s.unit[k] != orders.ARMY or orders.KIND[m, k] != 1:
        return np.int64(0)
    return orders.flooded(m, orders.SEAS[m, k], fleets)


@kernel
def could_go(s, k, place, seas):
    """Whether the unit of a province could move to another one, over these seas too."""
    m = s.params.map
    overseas = orders.KIND[m, place] == 1 and orders.SEAS[m, place] & seas != 0
    return place != k and (overseas or orders.NEAR[m, s.unit[k], s.spot[k], place] != 0)


@kernel
def could_support(s, k, other, seas):
    """Whether a unit has any way to support another one, which could go over these seas."""
    m = s.params.map
    own, its = orders.REACH[m, s.unit[k], s.spot[k]], orders.REACH[m, s.unit[other], s.spot[other]]
    if orders.NEAR[m, s.unit[k], s.spot[k], other] or np.uint64(own[0]) & its[0] or np.uint64(own[1]) & its[1]:
        return True
    if seas != 0:
        for i in range(orders.WAYS.shape[3]):
            location = orders.WAYS[m, s.unit[k], s.spot[k], i]
            if location >= 0 and could_go(s, other, orders.PROVINCE[m, location], seas):
                return True
    return False


@kernel
def allow_first(s, k, mask):
    """Orders of a unit, and first halves of orders."""
    m, fleets = s.params.map, fleets_at_sea(s)
    others, own = fleets & ~orders.SEA[m, k], waters(s, k, fleets)
    mask[FROM[m, HOLD]] = 1
    for i in range(orders.WAYS.shape[3]):
        if orders.WAYS[m, s.unit[k], s.spot[k], i] >= 0:
            mask[FROM[m, orders.MOVE] + orders.WAYS[m, s.unit[k], s.spot[k], i]] = 1
    if own != 0:
        for action in range(FROM[m, orders.VIA], FROM[m, orders.SUPPORT]):
            mask[action] = PLACE[m, action] != k and orders.SEAS[m, PLACE[m, action]] & own != 0
    for other in range(s.unit.shape[0]):
        if other != k and s.unit[other] != 0 and could_support(s, k, other, waters(s, other, others)):
            mask[FROM[m, orders.SUPPORT] + other] = 1
    if s.unit[k] == orders.FLEET and orders.SEA[m, k]:
        near = orders.flooded(m, orders.SEA[m, k], fleets)
        for action in range(FROM[m, orders.CONVOY], FROM[m, orders.DISBAND]):
            other = PLACE[m, action]
            mask[action] = s.unit[other] == orders.ARMY and orders.SEAS[m, other] & near != 0


@kernel
def allow_second(s, k, picked, other, mask):
    """What the unit that is supported or convoyed does."""
    m = s.params.map
    if picked == orders.CONVOY:
        near = orders.flooded(m, orders.SEA[m, k], fleets_at_sea(s))
        for place in range(s.unit.shape[0]):
            mask[FROM[m, orders.MOVE] + place] = (
                place != other and orders.KIND[m, place] == 1 and orders.SEAS[m, place] & near != 0
            )
        return
    seas = waters(s, other, fleets_at_sea(s) & ~orders.SEA[m, k])
    mask[FROM[m, HOLD]] = orders.NEAR[m, s.unit[k], s.spot[k], other]
    for place in range(s.unit.shape[0]):
        if orders.NEAR[m, s.unit[k], s.spot[k], place] and could_go(s, other, place, seas):
            mask[FROM[m, orders.MOVE] + place] = 1


@kernel
def allow_retreats(s, k, mask):
    """Retreats of a dislodged unit, or its end."""
    m = s.params.map
    mask[FROM[m, orders.DISBAND] + k] = 1
    for i in range(orders.WAYS.shape[3]):
        location = orders.WAYS[m, s.beaten[k], s.beaten_spot[k], i]
        if location >= 0 and refuge(s, k, location):
            mask[FROM[m, orders.MOVE] + location] = 1


@kernel
def allow_adjustments(s, power, mask):
    """Builds or disbands of a power."""
    m = s.params.map
    mask[FROM[m, WAIVE]] = 1
    if s.due[power] < 0:
        for k in range(s.unit.shape[0]):
            mask[FROM[m, orders.DISBAND] + k] = s.unit[k] != 0 and s.owner[k] == power and s.order[k] == orders.NONE
    else:
        for action in range(FROM[m, orders.BUILD_ARMY], FROM[m, WAIVE]):
            mask[action] = can_build(s, power, orders.PROVINCE[m, PLACE[m, action]])


@large_kernel
def allow_orders(s, agent, mask):
    """What a power can order now."""
    k = np.int64(s.cursor[agent])
    if s.due[agent] != 0:
        allow_adjustments(s, agent, mask)
    elif k >= 0:
        if s.phase == SPRING_RETREATS or s.phase == AUTUMN_RETREATS:
            allow_retreats(s, k, mask)
        elif s.picked[agent] != orders.NONE:
            allow_second(s, k, s.picked[agent], np.int64(s.picked_unit[agent]), mask)
        else:
            allow_first(s, k, mask)


# An agent's own orders.


@kernel
def author(s, k):
    """The power that gave the order of a province."""
    if s.phase == WINTER:
        return s.owner[k] if s.order[k] == orders.DISBAND else np.int8(HOME[s.params.map, k])
    return s.owner[k] if s.phase == SPRING or s.phase == AUTUMN else s.beaten_owner[k]


@kernel
def observe_orders(s, agent, out):
    """The agent's own orders in this phase."""
    out.orders[0] = orders.NONE
    out.orders[1] = out.orders[2] = -1
    for k in range(s.unit.shape[0]):
        if s.order[k] != orders.NONE and author(s, k) == agent:
            out.orders[0, k] = s.order[k]
            out.orders[1, k] = s.helped[k]
            out.orders[2, k] = s.target[k]
