"""The bookings behind Airline's desk: what its tools change, what the policy forbids, and the mark of all of it."""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import copy, fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import mix
from envsuite.dual_control.airline import terms


@large_kernel
def lay_out(s):
    """Set up the bookings as the task says: what tools change is as at the start."""
    copy(s.kind, s.kind_at_start)
    copy(s.balance, s.balance_at_start)
    s.booked_heads = 0
    for r in range(terms.RESERVATIONS):
        s.active[r] = r < s.reservations
        s.cabin[r] = s.cabin_at_start[r]
        s.bags[r] = s.bags_at_start[r]
        s.heads[r] = s.heads_at_start[r]
        s.insured[r] = s.insured_at_start[r]
        s.touched[r] = 0
        s.compensated[r] = 0
        s.paid_bags[r] = bags_to_pay(s, s.bags[r], s.cabin[r], s.heads[r])
        for segment in range(terms.SEGMENTS):
            leg = s.leg_at_start[r, segment]
            s.leg[r, segment] = leg
            s.price[r, segment] = fare_of(s, leg, s.cabin[r]) if leg else np.int64(0)
        s.was_delayed[r] = has_status(s, r, terms.DELAYED)
        for k in range(terms.PASSENGERS):
            s.passenger[r, k] = s.passenger_at_start[r, k]
        for method in range(terms.METHODS):
            s.spent[r, method] = 0
        if r < s.reservations:
            total = s.heads[r] * (s.price[r, 0] + s.price[r, 1] + terms.INSURANCE_FEE * s.insured[r])
            s.spent[r, s.method_at_start[r]] = total + terms.BAG_FEE * s.paid_bags[r]
    fill(s.sent, 0)
    empty_form(s)


@kernel
def empty_form(s):
    fill(s.form, 0)


@kernel
def bags_to_pay(s, bags, cabin, heads):
    """The number of bags that are not free: each passenger has one free bag for each step of membership and cabin."""
    return max(np.int64(0), np.int64(bags) - (s.tier + cabin) * heads)


@kernel
def state_of(s, leg):
    """The status of a flight on its day."""
    return s.status[(leg - 1) // terms.DAYS, (leg - 1) % terms.DAYS]


@large_kernel
def has_status(s, r, status):
    """Whether a flight of a reservation has this status."""
    found = False
    for segment in range(terms.SEGMENTS):
        leg = s.leg[r, segment]
        found = found or (leg > 0 and state_of(s, leg) == status)
    return found


@kernel
def flown(s, r):
    """Whether a flight of a reservation has taken off."""
    return has_status(s, r, terms.FLYING) or has_status(s, r, terms.LANDED)


@kernel
def seats_left(s, flight, day, cabin):
    """The number of free seats: only a booking takes some."""
    left = np.int64(s.seats[flight, day, cabin])
    if s.booked_heads and s.booked_cabin == cabin:
        for segment in range(terms.SEGMENTS):
            if s.booked[segment] == flight * terms.DAYS + day + 1:
                left -= s.booked_heads
    return left


@kernel
def bookable(s, leg, cabin, heads):
    """Whether a flight can be booked for that many passengers."""
    free = seats_left(s, (leg - 1) // terms.DAYS, (leg - 1) % terms.DAYS, cabin)
    return state_of(s, leg) == terms.AVAILABLE and free >= heads


@kernel
def fare_of(s, leg, cabin):
    return np.int64(s.fare[(leg - 1) // terms.DAYS, (leg - 1) % terms.DAYS, cabin])


@large_kernel
def cost(s):
    """The price of the form as a booking, in dollars."""
    total = np.int64(0)
    for segment in range(terms.SEGMENTS):
        if s.form[segment]:
            total += fare_of(s, s.form[segment], s.form[terms.CABIN] - 1)
    return s.form[terms.HEADS] * (total + terms.INSURANCE_FEE * s.form[terms.INSURED]) + terms.BAG_FEE * max(
        s.form[terms.PAID] - 1, 0
    )


@large_kernel
def covered(s):
    """Whether the methods of the form can pay for it as a booking, and each of them is needed."""
    left = np.int64(cost(s))
    for k in range(terms.PAYS):
        method = s.form[terms.PAY + k] - 1
        if method >= 0:
            if s.kind[method] == terms.NO_METHOD or left <= 0:
                return False
            left -= left if s.kind[method] == terms.CREDIT_CARD else min(left, s.balance[method])
    return left == 0


@large_kernel
def book(s):
    heads, cabin = s.form[terms.HEADS], s.form[terms.CABIN] - 1
    if s.heads[terms.NEW] or s.form[terms.FIRST_LEG] == 0 or cabin < 0 or heads == 0:
        return True
    for segment in range(terms.SEGMENTS):
        if s.form[segment] and not bookable(s, s.form[segment], cabin, heads):
            return True
    if not covered(s):
        return True
    left = np.int64(cost(s))
    for k in range(terms.PAYS):
        method = s.form[terms.PAY + k] - 1
        if method >= 0:
            amount = left if s.kind[method] == terms.CREDIT_CARD else min(left, s.balance[method])
            left -= amount
            s.spent[terms.NEW, method] = amount
            if s.kind[method] == terms.GIFT_CARD:
                s.balance[method] -= amount
            elif s.kind[method] == terms.CERTIFICATE_KIND:
                s.kind[method] = terms.NO_METHOD
                s.balance[method] = 0
    s.active[terms.NEW] = 1
    s.cabin[terms.NEW] = cabin
    s.heads[terms.NEW] = heads
    s.bags[terms.NEW] = max(s.form[terms.TOTAL] - 1, 0)
    s.paid_bags[terms.NEW] = max(s.form[terms.PAID] - 1, 0)
    s.insured[terms.NEW] = s.form[terms.INSURED]
    for segment in range(terms.SEGMENTS):
        leg = s.form[segment]
        s.leg[terms.NEW, segment] = leg
        if leg:
            s.price[terms.NEW, segment] = fare_of(s, leg, cabin)
        s.booked[segment] = leg
    s.booked_cabin = cabin
    s.booked_heads = heads
    for k in range(heads):
        s.passenger[terms.NEW, k] = s.saved[k] + 1
    return False


@large_kernel
def charge(s, r, amount):
    """Pay for a change with the one method of the form, or refund to it; return whether that is an error."""
    method = s.form[terms.PAY] - 1
    if (
        method < 0
        or s.form[terms.PAY + 1]
        or s.kind[method] == terms.NO_METHOD
        or s.kind[method] == terms.CERTIFICATE_KIND
    ):
        return True
    if s.kind[method] == terms.GIFT_CARD:
        if s.balance[method] < amount:
            return True
        s.balance[method] -= amount
    s.spent[r, method] += amount
    return False


@kernel
def keeps(s, r, segment, cabin):
    """The segment of a reservation that a segment of the form is, with its price; -1 for none."""
    for old in range(terms.SEGMENTS):
        if s.leg[r, old] == s.form[segment] and cabin == s.cabin[r]:
            return old
    return -1


@large_kernel
def update_flights(s, r):
    """Change flights and cabin; flights that stay in their cabin keep their prices. Seats are not counted again."""
    cabin = s.form[terms.CABIN] - 1 if s.form[terms.CABIN] else s.cabin[r]
    if s.form[terms.FIRST_LEG] == 0:
        return True
    more = np.int64(0)
    for segment in range(terms.SEGMENTS):
        more -= s.price[r, segment]
        if s.form[segment]:
            old = keeps(s, r, segment, cabin)
            if old < 0 and not bookable(s, s.form[segment], cabin, s.heads[r]):
                return True
            more += s.price[r, old] if old >= 0 else fare_of(s, s.form[segment], cabin)
    if charge(s, r, more * s.heads[r]):
        return True
    first, second = np.int64(s.price[r, 0]), np.int64(s.price[r, 1])
    for segment in range(terms.SEGMENTS):
        old = keeps(s, r, segment, cabin) if s.form[segment] else -1
        price = fare_of(s, s.form[segment], cabin) if s.form[segment] else np.int64(0)
        s.price[r, segment] = price if old < 0 else first if old == 0 else second
    for segment in range(terms.SEGMENTS):
        s.leg[r, segment] = s.form[segment]
    s.cabin[r] = cabin
    return False


@large_kernel
def update_bags(s, r):
    if s.form[terms.TOTAL] == 0:
        return True
    paid = max(s.form[terms.PAID] - 1, 0)
    if charge(s, r, terms.BAG_FEE * max(np.int64(0), paid - s.paid_bags[r])):
        return True
    s.bags[r] = s.form[terms.TOTAL] - 1
    s.paid_bags[r] = paid
    return False


@large_kernel
def send(s, amount):
    for k in range(terms.SENT):
        if s.sent[k] == 0:
            s.sent[k] = amount
            if s.at < s.requests:
                s.compensated[s.want_reservation[s.at]] = 1
            return False
    return True


@kernel
def reservation_of(tool):
    """The reservation that a change names; -1 for none."""
    if terms.CANCEL <= tool < terms.UPDATE_PASSENGER:
        return (tool - terms.CANCEL) % terms.RESERVATIONS
    return (tool - terms.UPDATE_PASSENGER) // terms.PASSENGERS if terms.UPDATE_PASSENGER <= tool < terms.SEND else -1


@kernel
def uses_form(tool):
    """Whether a change is one of the form."""
    return tool == terms.BOOK or terms.UPDATE_FLIGHTS <= tool < terms.UPDATE_PASSENGER


@large_kernel
def change(s, tool):
    """Carry out a change; return whether it is an error, which changes nothing."""
    r = np.int64(reservation_of(tool))
    if r >= 0 and not s.active[r]:
        return True
    if tool == terms.BOOK:
        failed = book(s)
    elif tool < terms.UPDATE_FLIGHTS:
        failed = False
        s.active[r] = 0
        s.touched[r] = 1
        for method in range(terms.METHODS):
            s.spent[r, method] = 0
    elif tool < terms.UPDATE_BAGS:
        failed = update_flights(s, r)
        s.touched[r] = s.touched[r] or not failed
    elif tool < terms.UPDATE_PASSENGER:
        failed = update_bags(s, r)
    elif tool < terms.SEND:
        place = (tool - terms.UPDATE_PASSENGER) % terms.PASSENGERS
        failed = place >= s.heads[r] or s.person_told == 0
        if not failed:
            s.passenger[r, place] = s.person_told
    else:
        failed = send(s, (tool - terms.SEND + 1) * terms.UNIT)
    if not failed and uses_form(tool):
        empty_form(s)
    return failed


@large_kernel
def fill_in(s, tool):
    """Write into the form."""
    if tool == terms.CLEAR:
        empty_form(s)
    elif tool >= terms.SET_PAY:
        place = 0
        while place < terms.PAYS - 1 and s.form[terms.PAY + place]:
            place += 1
        s.form[terms.PAY + place] = tool - terms.SET_PAY + 1
    elif tool == terms.INSURE:
        s.form[terms.INSURED] = 1
    elif tool >= terms.SET_PAID:
        s.form[terms.PAID] = tool - terms.SET_PAID + 1
    elif tool >= terms.SET_BAGS:
        s.form[terms.TOTAL] = tool - terms.SET_BAGS + 1
    elif tool >= terms.SET_HEADS:
        s.form[terms.HEADS] = tool - terms.SET_HEADS + 1
    elif tool >= terms.SET_CABIN:
        s.form[terms.CABIN] = tool - terms.SET_CABIN + 1
    else:
        s.form[terms.FIRST_LEG + (s.form[terms.FIRST_LEG] != 0)] = tool - terms.FLY + 1


# The policy, which the tools do not check.


@kernel
def same_route(s, one, other):
    """Whether two segments join the same airports; 0 is no segment."""
    if one == 0 or other == 0:
        return one == other
    a, b = (one - 1) // terms.DAYS, (other - 1) // terms.DAYS
    return s.route[a, 0] == s.route[b, 0] and s.route[a, 1] == s.route[b, 1]


@kernel
def wrong_bags(s, cabin, heads):
    """Whether the paid bags of the form are not those that the rules say."""
    return max(s.form[terms.PAID] - 1, 0) != bags_to_pay(s, max(s.form[terms.TOTAL] - 1, 0), cabin, heads)


@large_kernel
def forbids_booking(s):
    """Whether the policy forbids to book the form."""
    certificates, cards = 0, 0
    for k in range(terms.PAYS):
        kind = s.kind[s.form[terms.PAY + k] - 1] if s.form[terms.PAY + k] else terms.NO_METHOD
        certificates += kind == terms.CERTIFICATE_KIND
        cards += kind == terms.CREDIT_CARD
    if certificates > 1 or cards > 1 or wrong_bags(s, s.form[terms.CABIN] - 1, s.form[terms.HEADS]):
        return True
    there, back = (s.form[0] - 1) // terms.DAYS, (s.form[1] - 1) // terms.DAYS
    if s.form[1] == 0:
        return False
    return s.route[there, 0] != s.route[back, 1] or s.route[there, 1] != s.route[back, 0]


@large_kernel
def forbids_canceling(s, r, reason):
    if flown(s, r):
        return True
    insured = s.insured[r] and (reason == terms.HEALTH or reason == terms.WEATHER)
    return not (s.recent[r] or has_status(s, r, terms.CANCELED) or s.cabin[r] == terms.BUSINESS or insured)


@large_kernel
def forbids_flights(s, r):
    """Whether the policy forbids to give a reservation the flights and the cabin of the form."""
    changed = False
    for segment in range(terms.SEGMENTS):
        if not same_route(s, s.form[segment], s.leg[r, segment]):
            return True
        changed = changed or s.form[segment] != s.leg[r, segment]
    if changed and s.cabin[r] == terms.BASIC:
        return True
    return s.form[terms.CABIN] != 0 and s.form[terms.CABIN] - 1 != s.cabin[r] and flown(s, r)


@large_kernel
def compensation(s, r, reason):
    """The amount that a customer is entitled to if it asks for it, in dollars; 0 for none."""
    if s.compensated[r] or not (s.tier > 0 or s.insured[r] or s.cabin[r] == terms.BUSINESS):
        return np.int64(0)
    if reason == terms.WAS_CANCELED and has_status(s, r, terms.CANCELED):
        return 2 * terms.UNIT * s.heads[r]
    if reason == terms.WAS_DELAYED and s.was_delayed[r] and s.touched[r]:
        return terms.UNIT * s.heads[r]
    return np.int64(0)


@large_kernel
def forbids(s, tool):
    """Whether the policy forbids a change for the request that the call is about."""
    r = np.int64(reservation_of(tool))
    at = min(np.int64(s.at), terms.REQUESTS - 1)
    if tool == terms.BOOK:
        return forbids_booking(s)
    if tool < terms.UPDATE_FLIGHTS:
        return forbids_canceling(s, r, s.want_reason[at])
    if tool < terms.UPDATE_BAGS:
        return forbids_flights(s, r)
    if tool < terms.UPDATE_PASSENGER:
        return s.form[terms.TOTAL] - 1 < s.bags[r] or wrong_bags(s, s.cabin[r], s.heads[r])
    if tool < terms.SEND:
        return False
    if s.at >= s.requests or s.intent[at] != terms.WANT_COMPENSATION:
        return True
    return compensation(s, s.want_reservation[at], s.want_reason[at]) != (tool - terms.SEND + 1) * terms.UNIT


@large_kernel
def signature(s):
    """One number for all that tools can change; equal bookings have equal ones."""
    word = mix(np.uint64(s.tier))
    for method in range(terms.METHODS):
        word = mix(word ^ np.uint64(s.balance[method] * 4 + s.kind[method]))
    for k in range(terms.SENT):
        word = mix(word ^ np.uint64(s.sent[k]))
    for r in range(terms.RESERVATIONS):
        word = mix(word ^ np.uint64(((s.active[r] * 3 + s.cabin[r]) * 8 + s.heads[r]) * 2 + s.insured[r]))
        word = mix(word ^ np.uint64(s.bags[r] * 64 + s.paid_bags[r]))
        for segment in range(terms.SEGMENTS):
            word = mix(word ^ np.uint64(s.leg[r, segment] * 4096 + s.price[r, segment]))
        for k in range(terms.PASSENGERS):
            word = mix(word ^ np.uint64(s.passenger[r, k]))
        for method in range(terms.METHODS):
            word = mix(word ^ np.uint64(s.spent[r, method] + 2**32))
    return word
