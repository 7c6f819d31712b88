"""The tasks of Airline: how flights, caller and requests are drawn, and the gold plan that carries them out."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.dual_control.airline_terms import (
    AIRPORTS,
    ANOTHER_ROUTE,
    AVAILABLE,
    BASIC,
    BASIC_FARE,
    BOOK,
    BUSINESS,
    CABIN,
    CABINS,
    CANCEL,
    CANCELLED,
    CAVEATS,
    CERTIFICATE_KIND,
    CHALLENGE,
    CREDIT_CARD,
    DAYS,
    DELAYED,
    DENIED,
    DIE,
    DONE,
    FEWER_BAGS,
    FIRST_LEG,
    FLIGHTS,
    FLOWN,
    FLY,
    FLYING,
    FORBIDDEN,
    FORM,
    FULL,
    GIFT_CARD,
    HANDED_OVER,
    HEADS,
    INSURE,
    INSURED,
    LANDED,
    METHODS,
    MIND,
    MORE,
    NEW,
    NO_METHOD,
    NOT_COVERED,
    NOT_ENTITLED,
    NOT_TRUE,
    ON_TIME,
    PASSENGERS,
    PAY,
    PAYS,
    PEOPLE,
    PER_PAIR,
    PLAIN,
    PLANS,
    POOR,
    POSSIBLE,
    REQUESTS,
    SECOND_LEG,
    SEGMENTS,
    SEND,
    SET_BAGS,
    SET_CABIN,
    SET_HEADS,
    SET_PAID,
    SET_PAY,
    TIERS,
    TOGETHER,
    TOTAL,
    TWO_CERTIFICATES,
    UNIT,
    UPDATE_BAGS,
    UPDATE_FLIGHTS,
    UPDATE_PASSENGER,
    WANT_BAGS,
    WANT_BOOK,
    WANT_CABIN,
    WANT_CANCEL,
    WANT_COMPENSATION,
    WANT_FLIGHTS,
    WANT_INSURANCE,
    WANT_NUMBER,
    WANT_PASSENGER,
    WANT_PERSON,
    WAS_CANCELLED,
    WAS_DELAYED,
)
from envsuite.dual_control.airline_tools import (
    bags_to_pay,
    change,
    compensation,
    empty_form,
    fill_in,
    flown,
    forbids,
    lay_out,
    signature,
)
from envsuite.kit.request_rules import add_to_plan, asked, begin_plan, draw_kinds, in_split


@kernel
def wish(s, request, k, second):
    """An entry of the form that the customer wants; 0 if it does not matter."""
    return np.int64(s.second[request, k] if second else s.want[request, k])


@kernel
def of_form(intent):
    """Whether a request is about what stands in a form."""
    return WANT_FLIGHTS <= intent <= WANT_BAGS or intent == WANT_BOOK


@large_kernel
def write_of(s, request):
    """The tool that carries a request out; -1 if no tool can."""
    intent, r = s.intent[request], s.want_reservation[request]
    if intent == WANT_CANCEL:
        return np.int64(CANCEL + r)
    if intent == WANT_FLIGHTS or intent == WANT_CABIN:
        return np.int64(UPDATE_FLIGHTS + r)
    if intent == WANT_BAGS:
        return np.int64(UPDATE_BAGS + r)
    if intent == WANT_PASSENGER:
        return np.int64(UPDATE_PASSENGER + r * PASSENGERS + s.want_place[request])
    if intent == WANT_BOOK:
        return np.int64(BOOK)
    if intent == WANT_COMPENSATION:
        amount = np.int64(compensation(s, r, s.want_reason[request]))
        return np.int64(SEND + amount // UNIT - 1) if amount else np.int64(-1)
    return np.int64(-1)


@large_kernel
def put(s, tool, plan):
    """Write into the form; `plan`: add it to the plan."""
    fill_in(s, tool)
    if plan:
        add_to_plan(s, tool)


@large_kernel
def prepare(s, request, second, plan):
    """Fill in the form for a request."""
    empty_form(s)
    intent, r = s.intent[request], s.want_reservation[request]
    if not of_form(intent):
        return
    for segment in range(SEGMENTS):
        leg = np.int64(s.leg[r, segment]) if intent == WANT_CABIN else wish(s, request, segment, second)
        if leg:
            put(s, np.int64(FLY + leg - 1), plan)
    cabin, heads = wish(s, request, CABIN, second), wish(s, request, HEADS, second)
    if cabin:
        put(s, np.int64(SET_CABIN + cabin - 1), plan)
    if heads:
        put(s, np.int64(SET_HEADS + heads - 1), plan)
    bags = wish(s, request, TOTAL, second)
    if bags:
        put(s, np.int64(SET_BAGS + bags - 1), plan)
        booking = intent == WANT_BOOK
        paid = bags_to_pay(s, bags - 1, cabin - 1 if booking else s.cabin[r], heads if booking else s.heads[r])
        if paid:
            put(s, np.int64(SET_PAID + paid), plan)
    if wish(s, request, INSURED, second):
        put(s, np.int64(INSURE), plan)
    for k in range(PAYS):
        method = wish(s, request, PAY + k, second)
        if method:
            put(s, np.int64(SET_PAY + method - 1), plan)


@large_kernel
def sound(s, request):
    """Whether the first choice of a request with a caveat is impossible or forbidden, as the caveat says."""
    caveat = s.caveat[request]
    named = not of_form(s.intent[request])
    for k in range(PAY):
        named = named or s.want[request, k] != 0
    if not named:
        return False
    prepare(s, request, False, False)
    tool = write_of(s, request)
    if caveat == FLOWN and s.intent[request] == WANT_CANCEL:
        return flown(s, s.want_reservation[request])
    if caveat == NOT_COVERED and flown(s, s.want_reservation[request]):
        return False
    if caveat == FULL or caveat == POOR:
        return not forbids(s, tool) and change(s, tool)
    if caveat == TWO_CERTIFICATES or caveat >= FORBIDDEN:
        return tool < 0 or forbids(s, tool)
    return True


@large_kernel
def outcome(s, request):
    """How a request must be dealt with."""
    intent = s.intent[request]
    if intent == WANT_PERSON or (intent == WANT_CANCEL and s.caveat[request] == FLOWN):
        return HANDED_OVER
    return DENIED if s.caveat[request] >= FORBIDDEN or WANT_INSURANCE <= intent <= WANT_NUMBER else DONE


@large_kernel
def lay_plan(s):
    """Carry out the gold plan and note the mark of its bookings; return whether the task is sound.

    It is if what its caveats name is the case, and everything else can be carried out by the rules
    and changes something.
    """
    begin_plan(s)
    for request in range(REQUESTS):
        s.due[request] = outcome(s, request) if request < s.requests else 0
    for request in range(s.requests):
        s.at = request
        if not sound(s, request):
            return False
        if s.due[request] == HANDED_OVER and request < s.requests - 1:
            return False
        if s.due[request] == DONE:
            second = s.caveat[request] != PLAIN
            prepare(s, request, second, True)
            tool = write_of(s, request)
            s.person_told = s.want_person[request] + 1
            before = signature(s)
            if tool < 0 or forbids(s, tool) or change(s, tool) or signature(s) == before:
                return False
            add_to_plan(s, tool)
    s.gold_mark = signature(s)
    return True


# Drawing.


@large_kernel
def fits(s):
    """Whether requests go together: one booking at most, and one that needs methods of its own; a transfer is last."""
    own = 0
    for request in range(s.requests):
        own += s.caveat[request] == TWO_CERTIFICATES or s.caveat[request] == POOR
        if s.intent[request] == WANT_CANCEL and s.caveat[request] == FLOWN and request < s.requests - 1:
            return False
    return own < 2 and asked(s, WANT_BOOK) < 2


@large_kernel
def draw_intents(s):
    """Draw what the requests are about: from all, or from a part of all combinations."""
    drawn = False
    while not drawn:
        drawn = draw_kinds(s, CHALLENGE, MORE, TOGETHER, POSSIBLE, DIE) and fits(s) and in_split(s, len(CAVEATS))


@large_kernel
def draw_flights(s):
    """Draw pairs of airports, and the flights between them: on each day a status, and for each cabin seats and fare."""
    for pair in range(FLIGHTS // PER_PAIR):
        one = random.randint(s, AIRPORTS)
        other = (one + 1 + random.randint(s, AIRPORTS - 1)) % AIRPORTS
        for k in range(PER_PAIR):
            flight = pair * PER_PAIR + k
            s.route[flight, 0] = one if k < PER_PAIR // 2 else other
            s.route[flight, 1] = other if k < PER_PAIR // 2 else one
            for day in range(DAYS):
                chance = random.randint(s, 12)
                status = CANCELLED if chance == 0 else DELAYED if chance == 1 else AVAILABLE
                if day == 0 and chance > 0:
                    status = LANDED
                elif day == 1 and chance > 6:
                    status = FLYING if chance > 9 else ON_TIME
                s.status[flight, day] = status
                word = random.randint(s, 2**30)
                for cabin in range(len(CABINS)):
                    s.seats[flight, day, cabin] = word % 16
                    word //= 16
                    s.fare[flight, day, cabin] = (50, 100, 220)[cabin] + word % 64 * (cabin + 1)
                    word //= 64


@large_kernel
def draw_user(s):
    """Draw the caller's membership, payment methods, saved people and manner."""
    s.persona = random.randint(s, 3)
    s.tier = random.randint(s, len(TIERS))
    s.methods = 2 + random.randint(s, METHODS - 1)
    for method in range(METHODS):
        kind = CREDIT_CARD if method == 0 else (GIFT_CARD, GIFT_CARD, CERTIFICATE_KIND)[random.randint(s, 3)]
        s.kind_at_start[method] = kind if method < s.methods else NO_METHOD
        paper = s.kind_at_start[method] > CREDIT_CARD
        s.balance_at_start[method] = 50 + 10 * random.randint(s, 150) if paper else 0
    first = random.randint(s, len(PEOPLE))
    for k in range(PASSENGERS):
        s.saved[k] = (first + k) % len(PEOPLE)


@large_kernel
def draw_legs(s, pair, two, row):
    """Draw one or two segments between two airports, from today on, the second later than the first."""
    day = 1 + random.randint(s, DAYS - 1 - two)
    row[0] = (pair * PER_PAIR + random.randint(s, 2)) * DAYS + day + 1
    row[1] = 0
    if two:
        day += 1 + random.randint(s, DAYS - 1 - day)
        row[1] = (pair * PER_PAIR + 2 + random.randint(s, 2)) * DAYS + day + 1


@large_kernel
def draw_reservation(s, r):
    """Draw a reservation of the caller."""
    pair, two = random.randint(s, FLIGHTS // PER_PAIR), random.randint(s, 2)
    draw_legs(s, pair, two, s.leg_at_start[r])
    if random.randint(s, 5) == 0:  # the first flight was yesterday
        s.leg_at_start[r, 0] -= (s.leg_at_start[r, 0] - 1) % DAYS
    s.cabin_at_start[r] = random.randint(s, len(CABINS))
    s.heads_at_start[r] = 1 + random.randint(s, 2 + random.randint(s, PASSENGERS - 1))
    s.bags_at_start[r] = random.randint(s, 2 * s.heads_at_start[r] + 1)
    s.insured_at_start[r] = random.randint(s, 2)
    s.recent[r] = random.randint(s, 3) == 0
    s.method_at_start[r] = 0
    first = random.randint(s, len(PEOPLE))
    for k in range(PASSENGERS):
        s.passenger_at_start[r, k] = (first + k) % len(PEOPLE) + 1 if k < s.heads_at_start[r] else 0


@large_kernel
def no_reservation(s, r):
    """There is no such reservation."""
    for segment in range(SEGMENTS):
        s.leg_at_start[r, segment] = 0
    s.cabin_at_start[r] = 0
    s.heads_at_start[r] = 0
    s.bags_at_start[r] = 0
    s.insured_at_start[r] = 0
    s.recent[r] = r == NEW
    s.method_at_start[r] = 0
    for k in range(PASSENGERS):
        s.passenger_at_start[r, k] = 0


@large_kernel
def no_request(s, request):
    """There is no such request."""
    s.want_reservation[request] = 0
    s.want_reason[request] = 0
    s.want_place[request] = 0
    s.want_person[request] = 0
    for k in range(FORM):
        s.want[request, k] = 0
        s.second[request, k] = 0


@kernel
def set_status(s, leg, status):
    """Give a flight a status on its day."""
    s.status[(leg - 1) // DAYS, (leg - 1) % DAYS] = status


@large_kernel
def draw_flights_wish(s, request, row, r):
    """Draw other flights for a reservation, some of which may stay."""
    pair, two = (s.leg_at_start[r, 0] - 1) // DAYS // PER_PAIR, s.leg_at_start[r, 1] != 0
    if s.caveat[request] == ANOTHER_ROUTE:
        pair = (pair + 1 + random.randint(s, FLIGHTS // PER_PAIR - 1)) % (FLIGHTS // PER_PAIR)
    draw_legs(s, pair, two, row)
    if two and random.randint(s, 2) == 0:
        row[0] = s.leg_at_start[r, 0]


@large_kernel
def draw_row(s, request, row, r):
    """Draw what a request of a form wants."""
    intent = s.intent[request]
    for k in range(FORM):
        row[k] = 0
    row[PAY] = 1 + (random.randint(s, s.methods) if s.caveat[request] == PLAIN else 0)
    if intent == WANT_FLIGHTS:
        draw_flights_wish(s, request, row, r)
    elif intent == WANT_CABIN:
        row[CABIN] = (s.cabin_at_start[r] + 1 + random.randint(s, 2)) % len(CABINS) + 1
    elif intent == WANT_BAGS:
        fewer = s.caveat[request] == FEWER_BAGS
        row[TOTAL] = max(1, np.int64(s.bags_at_start[r])) if fewer else s.bags_at_start[r] + 2 + random.randint(s, 3)
    else:
        draw_legs(s, random.randint(s, FLIGHTS // PER_PAIR), random.randint(s, 2), row)
        row[CABIN] = 1 + random.randint(s, len(CABINS))
        row[HEADS] = 1 + random.randint(s, 3)
        row[TOTAL] = 1 + random.randint(s, 2 * row[HEADS] + 1)
        row[INSURED] = random.randint(s, 2)
        row[PAY] = 1
        if s.caveat[request] == PLAIN and random.randint(s, 2) == 0:
            row[PAY] = s.methods
            row[PAY + 1] = 1


@large_kernel
def draw_wish(s, request, r):
    """Draw what a request wants, and its second choice."""
    caveat = s.caveat[request]
    draw_row(s, request, s.want[request], r)
    if caveat == MIND or caveat == FULL:
        draw_row(s, request, s.second[request], r)
        same = True
        for k in range(FORM):
            same = same and s.second[request, k] == s.want[request, k]
        if same:
            for k in range(PAY):
                s.want[request, k] = 0  # no sound request: it is drawn again
    else:
        for k in range(FORM):
            s.second[request, k] = s.want[request, k]
    if caveat == FULL:
        leg = s.want[request, SECOND_LEG] if s.want[request, SECOND_LEG] else s.want[request, FIRST_LEG]
        cabin = s.want[request, CABIN] - 1 if s.intent[request] == WANT_BOOK else s.cabin_at_start[r]
        if leg:
            s.seats[(leg - 1) // DAYS, (leg - 1) % DAYS, cabin] = 0
    elif caveat == POOR:
        s.kind_at_start[s.methods - 1] = GIFT_CARD
        s.balance_at_start[s.methods - 1] = random.randint(s, 50)
        s.want[request, PAY] = s.methods
    elif caveat == TWO_CERTIFICATES:
        s.methods = max(3, s.methods)
        for method in range(1, 3):
            s.kind_at_start[method] = CERTIFICATE_KIND
            s.balance_at_start[method] = 10 + random.randint(s, 40)
        s.want[request, PAY + 1] = 3
        s.want[request, PAY] = 2
        s.want[request, PAY + 2] = 1
        s.second[request, PAY] = 2 + random.randint(s, 2)
        s.second[request, PAY + 1] = 1


@large_kernel
def draw_claim(s, request, r):
    """Draw the claim of a request for a compensation: for this reservation, or for the one that was just changed."""
    caveat = s.caveat[request]
    before = max(request - 1, 0)
    again = request > 0 and s.intent[before] <= WANT_FLIGHTS and caveat == PLAIN and s.caveat[before] < FORBIDDEN
    if again and random.randint(s, 2) == 0:
        s.want_reservation[request] = s.want_reservation[before]
        s.want_reason[request] = WAS_DELAYED
        set_status(s, s.leg_at_start[s.want_reservation[request], 0], DELAYED)
        return
    s.want_reason[request] = WAS_DELAYED if caveat != PLAIN and random.randint(s, 2) == 0 else WAS_CANCELLED
    if caveat == NOT_ENTITLED:
        s.tier = 0
    if caveat != NOT_TRUE:
        set_status(s, s.leg_at_start[r, 0], CANCELLED if s.want_reason[request] == WAS_CANCELLED else DELAYED)


@large_kernel
def draw_request(s, request):
    """Draw a request and its reservation."""
    r, intent, caveat = request, s.intent[request], s.caveat[request]
    draw_reservation(s, r)
    no_request(s, request)
    s.want_reservation[request] = NEW if intent == WANT_BOOK else r
    if caveat == BASIC_FARE:
        s.cabin_at_start[r] = BASIC
    if caveat == FLOWN:
        set_status(s, s.leg_at_start[r, 0], FLYING if (s.leg_at_start[r, 0] - 1) % DAYS else LANDED)
    if of_form(intent):
        draw_wish(s, request, r)
    elif intent == WANT_PASSENGER:
        s.want_place[request] = random.randint(s, s.heads_at_start[r])
        s.want_person[request] = (s.passenger_at_start[r, 0] + 5 + random.randint(s, 6)) % len(PEOPLE)
    elif intent == WANT_COMPENSATION:
        draw_claim(s, request, r)
    elif intent == WANT_CANCEL:
        s.want_reason[request] = random.randint(s, WAS_DELAYED)
        if caveat == NOT_COVERED:
            s.recent[r] = 0
            s.want_reason[request] = PLANS
            s.cabin_at_start[r] = random.randint(s, BUSINESS)


@large_kernel
def draw(s):
    """Draw a sound task: requests one after the other, each until it is sound after those before."""
    draw_intents(s)
    wanted = np.int64(s.requests)
    s.requests = 0
    while s.requests < wanted:
        draw_flights(s)
        draw_user(s)
        for r in range(NEW + 1):
            no_reservation(s, r)
        for request in range(REQUESTS):
            no_request(s, request)
        s.reservations = max(2, wanted) + random.randint(s, NEW - max(2, wanted) + 1)
        for r in range(s.reservations):
            draw_reservation(s, r)
        s.requests = 0
        for request in range(wanted):
            s.requests = request + 1
            tries = 0
            while tries < 60:
                draw_request(s, request)
                lay_out(s)
                if lay_plan(s):
                    break
                tries += 1
            if tries == 60:
                s.requests = 0
                break
