"""Baselines of TravelPlanner: an exact solver, greedy orienteering, and a plan without questions.

The first two ask for everything, as far as there are acts for it, and then carry out a plan. What is still unknown has
no place in it.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.dual_control.travel_planner import NONE, levels

ID = "envsuite/TravelPlanner-v0"

#: A plan to carry out, and whether it has been made.
PLAN = {
    "planned": limited(0, 0, 1),
    "hotel": limited(NONE, NONE, levels.MOST_HOTELS - 1),
    "target": limited(np.full((levels.MOST_DAYS, levels.MOST_SIGHTS), NONE), NONE, levels.MOST_SIGHTS - 1),
}

#: More than any plan costs.
NEVER = 1 << 30

SETS = 1 << levels.MOST_SIGHTS


@kernel
def question(observation, mask):
    """The next query to make, or NONE if enough is known or the acts that are left are needed for the plan."""
    sights, hotels = observation.category.shape[0], observation.hotels.shape[0]
    places = sights + hotels
    if observation.left[0] <= sights + 2:
        return NONE
    for first in (0, places):
        for k in range(places):
            query = first + places - 1 - k  # hotels first
            if mask[query] == 1:
                return query
    return NONE


@kernel
def carry_out(memory, observation, mask):
    """The next act that makes the plan the wanted one, which has no sight twice; otherwise submits."""
    sights, hotels, days = observation.category.shape[0], observation.hotels.shape[0], observation.plan.shape[0]
    first = 2 * (sights + hotels)
    if memory.hotel != NONE and memory.hotel < hotels and mask[first + memory.hotel] == 1:
        return first + memory.hotel
    first += hotels
    for d in range(days):
        for i in range(sights):
            k = memory.target[d, i]
            if k != NONE and k < sights and observation.plan[d, i] == NONE and mask[first + k * days + d] == 1:
                return first + k * days + d
    return mask.shape[0] - 1


@kernel
def begin(memory):
    """Start with an empty plan."""
    memory.planned = 1
    memory.hotel = NONE
    for d in range(levels.MOST_DAYS):
        for i in range(levels.MOST_SIGHTS):
            memory.target[d, i] = NONE


@kernel
def latest(observation):
    """The time by which the traveler must be back for all wishes."""
    found = levels.END
    for w in range(observation.wishes.shape[0]):
        if observation.wishes[w, 0] == levels.BACK:
            found = min(found, observation.wishes[w, 3])
    return found


@kernel
def visit_ends(observation, here, k, minute):
    """The end of a visit to sight k after leaving a place at this minute; NONE if impossible or not known."""
    way = observation.minutes[here, k]
    if way == NONE or observation.sights[k, 0] == NONE:
        return NONE
    end = max(minute + way, observation.sights[k, 0]) + observation.sights[k, 2]
    return end if end <= observation.sights[k, 1] else NONE


@large_kernel
def chosen_wishes(observation, chosen, hotel, spent, back):
    """The number of wishes that a trip meets: a set of sights as bits, a hotel, a cost, and the latest return."""
    met = 0
    for w in range(observation.wishes.shape[0]):
        kind, number = observation.wishes[w, 0], observation.wishes[w, 3]
        if kind == levels.SEE:
            met += (chosen >> np.int64(observation.wishes[w, 1])) & 1
        elif kind == levels.SOME:
            found = 0
            for k in range(observation.category.shape[0]):
                if observation.category[k] == observation.wishes[w, 2]:
                    found += (chosen >> k) & 1
            met += 1 if found >= number else 0
        elif kind == levels.STARS:
            met += 1 if observation.hotels[hotel, 1] >= number else 0
        elif kind == levels.SPEND:
            met += 1 if spent <= number else 0
        else:
            met += 1 if back <= number else 0
    return met


# The exact solver.

#: For each hotel in turn: the least cost of a day with each set of sights, for two latest returns, and its order, four
#: bits for each sight; then the same for several days, with the set of the last of them.
SOLVER = {
    **PLAN,
    "cost": scratch((2, SETS)),
    "order": scratch((2, SETS)),
    "total": scratch((levels.MOST_DAYS, 2, SETS)),
    "last": scratch((levels.MOST_DAYS, 2, SETS)),
    "path": scratch(levels.MOST_SIGHTS + 1),  # the next four: of the places of a day so far
    "next": scratch(levels.MOST_SIGHTS + 1),
    "minute": scratch(levels.MOST_SIGHTS + 1),
    "spent": scratch(levels.MOST_SIGHTS + 1),
}


@large_kernel
def search_days(memory, observation, hotel, back):
    """Fill `cost` and `order` by a search of all days: with a return by 19:00, and with a return by `back`."""
    sights = observation.category.shape[0]
    home = sights + hotel
    for v in range(2):
        for chosen in range(1 << sights):
            memory.cost[v, chosen] = NEVER
        memory.cost[v, 0] = 0 if levels.START <= (levels.END, back)[v] else NEVER
        memory.order[v, 0] = 0
    memory.path[0], memory.next[0], memory.minute[0], memory.spent[0] = home, 0, levels.START, 0
    depth, chosen, order = 0, 0, 0
    while depth >= 0:
        k = memory.next[depth]
        if k == sights:
            chosen &= ~(np.int64(1) << memory.path[depth]) if depth > 0 else 0
            depth -= 1
            order &= (np.int64(1) << (4 * max(depth, 0))) - 1
            continue
        memory.next[depth] = k + 1
        here = memory.path[depth]
        end = visit_ends(observation, here, k, memory.minute[depth]) if (chosen >> k) & 1 == 0 else NONE
        if end == NONE or end > levels.END:
            continue
        spent = memory.spent[depth] + observation.fares[here, k] + observation.sights[k, 3]
        order |= k << (4 * depth)
        chosen |= np.int64(1) << k
        depth += 1
        memory.path[depth], memory.next[depth], memory.minute[depth], memory.spent[depth] = k, 0, end, spent
        if observation.minutes[k, home] != NONE:
            whole = spent + observation.fares[k, home]
            for v in range(2):
                in_time = end + observation.minutes[k, home] <= (back if v == 1 else levels.END)
                if in_time and whole < memory.cost[v, chosen]:
                    memory.cost[v, chosen] = whole
                    memory.order[v, chosen] = order


@large_kernel
def join_days(memory, sights, days):
    """Fill `total` and `last`: the least cost of one or several days with each set of sights."""
    for v in range(2):
        for chosen in range(1 << sights):
            memory.total[0, v, chosen] = memory.cost[v, chosen]
            memory.last[0, v, chosen] = chosen
        for d in range(1, days):
            for chosen in range(1 << sights):
                memory.total[d, v, chosen] = NEVER
                part = np.int64(chosen)  # all sets of sights within the chosen ones, down to the empty one
                while part >= 0:
                    whole = memory.total[d - 1, v, chosen & ~part] + memory.cost[v, part]
                    if whole < memory.total[d, v, chosen]:
                        memory.total[d, v, chosen] = whole
                        memory.last[d, v, chosen] = part
                    part = (part - 1) & chosen if part > 0 else -1


@large_kernel
def set_plan(memory, hotel, v, chosen, days):
    """Take the best plan with this hotel, latest return and set of sights."""
    memory.hotel = hotel
    for d in range(days):
        part = memory.last[days - 1 - d, v, chosen]
        chosen &= ~part
        order = memory.order[v, part]
        for i in range(levels.MOST_SIGHTS):
            memory.target[d, i] = NONE
            if part > 0:
                k = (order >> (4 * i)) & 15
                memory.target[d, i] = k
                part &= ~(np.int64(1) << k)


@large_kernel
def solve(memory, observation):
    """Make a plan that meets the most wishes; of these, the first one found with the least cost."""
    begin(memory)
    sights, days, back = observation.category.shape[0], observation.plan.shape[0], latest(observation)
    most, least = -1, NEVER
    for hotel in range(observation.hotels.shape[0]):
        if observation.hotels[hotel, 0] == NONE:
            continue
        search_days(memory, observation, hotel, back)
        join_days(memory, sights, days)
        for v in range(2):
            for chosen in range(1 << sights):
                spent = memory.total[days - 1, v, chosen] + days * observation.hotels[hotel, 0]
                if spent <= observation.budget[0]:
                    met = chosen_wishes(observation, np.int64(chosen), hotel, spent, back if v == 1 else levels.END)
                    if met > most or (met == most and spent < least):
                        most, least = met, spent
                        set_plan(memory, hotel, v, np.int64(chosen), days)


@policy(ID, "exact", variables=SOLVER)
def exact(memory, observation, mask):
    """Asks for everything and submits a best plan, found by a search of all days and all ways to join them."""
    act = question(observation, mask)
    if act != NONE:
        return act
    if not memory.planned:
        solve(memory, observation)
    return carry_out(memory, observation, mask)


# Greedy orienteering.

GREEDY = {
    **PLAN,
    "length": scratch(levels.MOST_DAYS),  # of each day: number of sights, the minute and the place at its end
    "minute": scratch(levels.MOST_DAYS),
    "place": scratch(levels.MOST_DAYS),
}


@kernel
def choose_hotel(memory, observation):
    """Choose the cheapest hotel with the most stars that are wished, or the cheapest one if the budget is too small."""
    days, stars = observation.plan.shape[0], 0
    for w in range(observation.wishes.shape[0]):
        if observation.wishes[w, 0] == levels.STARS:
            stars = max(stars, observation.wishes[w, 3])
    best = NEVER
    for h in range(observation.hotels.shape[0]):
        price = observation.hotels[h, 0]
        if price != NONE and days * price <= observation.budget[0]:
            rank = price + (0 if observation.hotels[h, 1] >= stars else NEVER // 2)
            if rank < best:
                best = rank
                memory.hotel = h


@large_kernel
def build(memory, observation):
    """Add the sight with the largest gain for its time to the end of a day, while there is one that gains."""
    begin(memory)
    choose_hotel(memory, observation)
    if memory.hotel == NONE:
        return
    sights, days, back = observation.category.shape[0], observation.plan.shape[0], latest(observation)
    home, spent, chosen = sights + memory.hotel, days * observation.hotels[memory.hotel, 0], np.int64(0)
    money = observation.budget[0]
    for w in range(observation.wishes.shape[0]):
        if observation.wishes[w, 0] == levels.SPEND:
            money = min(money, observation.wishes[w, 3])
    for d in range(days):
        memory.length[d], memory.minute[d], memory.place[d] = 0, levels.START, home
    while True:
        best, best_k, best_d, best_end, best_cost = 0.0, NONE, 0, 0, 0
        for k in range(sights):
            gain = gain_of(observation, chosen, k)
            for d in range(days):
                here = memory.place[d]
                end = visit_ends(observation, here, k, memory.minute[d]) if gain > 0.0 else NONE
                if end == NONE or observation.minutes[k, home] == NONE or end + observation.minutes[k, home] > back:
                    continue
                extra = observation.sights[k, 3] + observation.fares[here, k]
                extra += observation.fares[k, home] - observation.fares[here, home]
                if spent + extra <= money and gain / (end - memory.minute[d] + 1) > best:
                    best = gain / (end - memory.minute[d] + 1)
                    best_k, best_d, best_end, best_cost = k, d, end, extra
        if best_k == NONE:
            return
        memory.target[best_d, memory.length[best_d]] = best_k
        memory.length[best_d] += 1
        memory.minute[best_d], memory.place[best_d] = best_end, best_k
        spent += best_cost
        chosen |= np.int64(1) << best_k


@kernel
def gain_of(observation, chosen, k):
    """What a sight adds to a set: 1 for a wish to see it, and a part of a wish for some sights of its category."""
    gain = 0.0
    if (chosen >> k) & 1:
        return gain
    for w in range(observation.wishes.shape[0]):
        kind, number = observation.wishes[w, 0], observation.wishes[w, 3]
        if kind == levels.SEE and observation.wishes[w, 1] == k:
            gain += 1.0
        elif kind == levels.SOME and observation.wishes[w, 2] == observation.category[k]:
            found = 0
            for j in range(observation.category.shape[0]):
                if observation.category[j] == observation.category[k]:
                    found += (chosen >> j) & 1
            gain += 1.0 / number if found < number else 0.0
    return gain


@policy(ID, "greedy", variables=GREEDY)
def greedy(memory, observation, mask):
    """Asks for everything, then adds sights by gain for time, within the budget and all wishes about time and money."""
    act = question(observation, mask)
    if act != NONE:
        return act
    if not memory.planned:
        build(memory, observation)
    return carry_out(memory, observation, mask)


@policy(ID, "careless", variables=PLAN)
def careless(memory, observation, mask):
    """Asks nothing: books a random hotel, and adds the sights wished for to the days in turn."""
    if not memory.planned:
        begin(memory)
        memory.hotel = random.randint(memory, observation.hotels.shape[0])
        days, count = observation.plan.shape[0], 0
        for w in range(observation.wishes.shape[0]):
            if observation.wishes[w, 0] == levels.SEE and count < days * observation.plan.shape[1]:
                memory.target[count % days, count // days] = observation.wishes[w, 1]
                count += 1
    return carry_out(memory, observation, mask)
