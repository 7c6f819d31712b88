"""The tasks of Airline: how flights, caller and requests are drawn, and the gold plan that carries them out."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.dual_control.airline import terms, tools
from envsuite.kit.request_rules import add_to_plan, asked, begin_plan, draw_kinds, in_split


@kernel
def wish(s, request, k, second):
    """An entry of the form that the customer wants; 0 if it does not matter."""
    return np.int64(s.second[request, k] if second else s.want[request, k])


@kernel
def of_form(intent):
    """Whether a request is about what stands in a form."""
    return terms.WANT_FLIGHTS <= intent <= terms.WANT_BAGS or intent == terms.WANT_BOOK


@large_kernel
def write_of(s, request):
    """The tool that carries a request out; -1 if no tool can."""
    intent, r = s.intent[request], s.want_reservation[request]
    if intent == terms.WANT_CANCEL:
        return np.int64(terms.CANCEL + r)
    if intent == terms.WANT_FLIGHTS or intent == terms.WANT_CABIN:
        return np.int64(terms.UPDATE_FLIGHTS + r)
    if intent == terms.WANT_BAGS:
        return np.int64(terms.UPDATE_BAGS + r)
    if intent == terms.WANT_PASSENGER:
        return np.int64(terms.UPDATE_PASSENGER + r * terms.PASSENGERS + s.want_place[request])
    if intent == terms.WANT_BOOK:
        return np.int64(terms.BOOK)
    if intent == terms.WANT_COMPENSATION:
        amount = np.int64(tools.compensation(s, r, s.want_reason[request]))
        return np.int64(terms.SEND + amount // terms.UNIT - 1) if amount else np.int64(-1)
    return np.int64(-1)


@large_kernel
def put(s, tool, plan):
    """Write into the form; `plan`: add it to the plan."""
    tools.fill_in(s, tool)
    if plan:
        add_to_plan(s, tool)


@large_kernel
def prepare(s, request, second, plan):
    """Fill in the form for a request."""
    tools.empty_form(s)
    intent, r = s.intent[request], s.want_reservation[request]
    if not of_form(intent):
        return
    for segment in range(terms.SEGMENTS):
        leg = np.int64(s.leg[r, segment]) if intent == terms.WANT_CABIN else wish(s, request, segment, second)
        if leg:
            put(s, np.int64(terms.FLY + leg - 1), plan)
    cabin, heads = wish(s, request, terms.CABIN, second), wish(s, request, terms.HEADS, second)
    if cabin:
        put(s, np.int64(terms.SET_CABIN + cabin - 1), plan)
    if heads:
        put(s, np.int64(terms.SET_HEADS + heads - 1), plan)
    bags = wish(s, request, terms.TOTAL, second)
    if bags:
        put(s, np.int64(terms.SET_BAGS + bags - 1), plan)
        booking = intent == terms.WANT_BOOK
        paid = tools.bags_to_pay(s, bags - 1, cabin - 1 if booking else s.cabin[r], heads if booking else s.heads[r])
        if paid:
            put(s, np.int64(terms.SET_PAID + paid), plan)
    if wish(s, request, terms.INSURED, second):
        put(s, np.int64(terms.INSURE), plan)
    for k in range(terms.PAYS):
        method = wish(s, request, terms.PAY + k, second)
        if method:
            put(s, np.int64(terms.SET_PAY + method - 1), plan)


@large_kernel
def sound(s, request):
    """Whether the first choice of a request with a caveat is impossible or forbidden, as the caveat says."""
    caveat = s.caveat[request]
    named = not of_form(s.intent[request])
    for k in range(terms.PAY):
        named = named or s.want[request, k] != 0
    if not named:
        return False
    prepare(s, request, False, False)
    tool = write_of(s, request)
    if caveat == terms.FLOWN and s.intent[request] == terms.WANT_CANCEL:
        return tools.flown(s, s.want_reservation[request])
    if caveat == terms.NOT_COVERED and tools.flown(s, s.want_reservation[request]):
        return False
    if caveat == terms.FULL or caveat == terms.POOR:
        return not tools.forbids(s, tool) and tools.change(s, tool)
    if caveat == terms.TWO_CERTIFICATES or caveat >= terms.FORBIDDEN:
        return tool < 0 or tools.forbids(s, tool)
    return True


@large_kernel
def outcome(s, request):
    """How a request must be dealt with."""
    intent = s.intent[request]
    if intent == terms.WANT_PERSON or (intent == terms.WANT_CANCEL and s.caveat[request] == terms.FLOWN):
        return terms.HANDED_OVER
    return (
        terms.DENIED
        if s.caveat[request] >= terms.FORBIDDEN or terms.WANT_INSURANCE <= intent <= terms.WANT_NUMBER
        else terms.DONE
    )


@large_kernel
def lay_plan(s):
    """Carry out the gold plan and note the mark of its bookings; return whether the task is sound.

    It is if what its caveats name is the case, and everything else can be carried out by the rules
    and changes something.
    """
    begin_plan(s)
    for request in range(terms.REQUESTS):
        s.due[request] = outcome(s, request) if request < s.requests else 0
    for request in range(s.requests):
        s.at = request
        if not sound(s, request):
            return False
        if s.due[request] == terms.HANDED_OVER and request < s.requests - 1:
            return False
        if s.due[request] == terms.DONE:
            second = s.caveat[request] != terms.PLAIN
            prepare(s, request, second, True)
            tool = write_of(s, request)
            s.person_told = s.want_person[request] + 1
            before = tools.signature(s)
            if tool < 0 or tools.forbids(s, tool) or tools.change(s, tool) or tools.signature(s) == before:
                return False
            add_to_plan(s, tool)
    s.gold_mark = tools.signature(s)
    return True


# Drawing.


@large_kernel
def fits(s):
    """Whether requests go together: one booking at most, and one that needs methods of its own; a transfer is last."""
    own = 0
    for request in range(s.requests):
        own += s.caveat[request] == terms.TWO_CERTIFICATES or s.caveat[request] == terms.POOR
        if s.intent[request] == terms.WANT_CANCEL and s.caveat[request] == terms.FLOWN and request < s.requests - 1:
            return False
    return own < 2 and asked(s, terms.WANT_BOOK) < 2


@large_kernel
def draw_intents(s):
    """Draw what the requests are about: from all, or from a part of all combinations."""
    drawn = False
    while not drawn:
        drawn = (
            draw_kinds(s, terms.CHALLENGE, terms.MORE, terms.TOGETHER, terms.POSSIBLE, terms.DIE)
            and fits(s)
            and in_split(s, len(terms.CAVEATS))
        )


@large_kernel
def draw_flights(s):
    """Draw pairs of airports, and the flights between them: on each day a status, and for each cabin seats and fare."""
    for pair in range(terms.FLIGHTS // terms.PER_PAIR):
        one = random.randint(s, terms.AIRPORTS)
        other = (one + 1 + random.randint(s, terms.AIRPORTS - 1)) % terms.AIRPORTS
        for k in range(terms.PER_PAIR):
            flight = pair * terms.PER_PAIR + k
            s.route[flight, 0] = one if k < terms.PER_PAIR // 2 else other
            s.route[flight, 1] = other if k < terms.PER_PAIR // 2 else one
            for day in range(terms.DAYS):
                chance = random.randint(s, 12)
                status = terms.CANCELED if chance == 0 else terms.DELAYED if chance == 1 else terms.AVAILABLE
                if day == 0 and chance > 0:
                    status = terms.LANDED
                elif day == 1 and chance > 6:
                    status = terms.FLYING if chance > 9 else terms.ON_TIME
                s.status[flight, day] = status
                word = random.randint(s, 2**30)
                for cabin in range(len(terms.CABINS)):
                    s.seats[flight, day, cabin] = word % 16
                    word //= 16
                    s.fare[flight, day, cabin] = (50, 100, 220)[cabin] + word % 64 * (cabin + 1)
                    word //= 64


@large_kernel
def draw_user(s):
    """Draw the caller's membership, payment methods, saved people and manner."""
    s.persona = random.randint(s, 3)
    s.tier = random.randint(s, len(terms.TIERS))
    s.methods = 2 + random.randint(s, terms.METHODS - 1)
    for method in range(terms.METHODS):
        kind = (
            terms.CREDIT_CARD
            if method == 0
            else (terms.GIFT_CARD, terms.GIFT_CARD, terms.CERTIFICATE_KIND)[random.randint(s, 3)]
        )
        s.kind_at_start[method] = kind if method < s.methods else terms.NO_METHOD
        paper = s.kind_at_start[method] > terms.CREDIT_CARD
        s.balance_at_start[method] = 50 + 10 * random.randint(s, 150) if paper else 0
    first = random.randint(s, len(terms.PEOPLE))
    for k in range(terms.PASSENGERS):
        s.saved[k] = (first + k) % len(terms.PEOPLE)


@large_kernel
def draw_legs(s, pair, two, row):
    """Draw one or two segments between two airports, from today on, the second later than the first."""
    day = 1 + random.randint(s, terms.DAYS - 1 - two)
    row[0] = (pair * terms.PER_PAIR + random.randint(s, 2)) * terms.DAYS + day + 1
    row[1] = 0
    if two:
        day += 1 + random.randint(s, terms.DAYS - 1 - day)
        row[1] = (pair * terms.PER_PAIR + 2 + random.randint(s, 2)) * terms.DAYS + day + 1


@large_kernel
def draw_reservation(s, r):
    """Draw a reservation of the caller."""
    pair, two = random.randint(s, terms.FLIGHTS // terms.PER_PAIR), random.randint(s, 2)
    draw_legs(s, pair, two, s.leg_at_start[r])
    if random.randint(s, 5) == 0:  # the first flight was yesterday
        s.leg_at_start[r, 0] -= (s.leg_at_start[r, 0] - 1) % terms.DAYS
    s.cabin_at_start[r] = random.randint(s, len(terms.CABINS))
    s.heads_at_start[r] = 1 + random.randint(s, 2 + random.randint(s, terms.PASSENGERS - 1))
    s.bags_at_start[r] = random.randint(s, 2 * s.heads_at_start[r] + 1)
    s.insured_at_start[r] = random.randint(s, 2)
    s.recent[r] = random.randint(s, 3) == 0
    s.method_at_start[r] = 0
    first = random.randint(s, len(terms.PEOPLE))
    for k in range(terms.PASSENGERS):
        s.passenger_at_start[r, k] = (first + k) % len(terms.PEOPLE) + 1 if k < s.heads_at_start[r] else 0


@large_kernel
def no_reservation(s, r):
    """There is no such reservation."""
    for segment in range(terms.SEGMENTS):
        s.leg_at_start[r, segment] = 0
    s.cabin_at_start[r] = 0
    s.heads_at_start[r] = 0
    s.bags_at_start[r] = 0
    s.insured_at_start[r] = 0
    s.recent[r] = r == terms.NEW
    s.method_at_start[r] = 0
    for k in range(terms.PASSENGERS):
        s.passenger_at_start[r, k] = 0


@large_kernel
def no_request(s, request):
    """There is no such request."""
    s.want_reservation[request] = 0
    s.want_reason[request] = 0
    s.want_place[request] = 0
    s.want_person[request] = 0
    for k in range(terms.FORM):
        s.want[request, k] = 0
        s.second[request, k] = 0


@kernel
def set_status(s, leg, status):
    """Give a flight a status on its day."""
    s.status[(leg - 1) // terms.DAYS, (leg - 1) % terms.DAYS] = status


@large_kernel
def draw_flights_wish(s, request, row, r):
    """Draw other flights for a reservation, some of which may stay."""
    pair, two = (s.leg_at_start[r, 0] - 1) // terms.DAYS // terms.PER_PAIR, s.leg_at_start[r, 1] != 0
    if s.caveat[request] == terms.ANOTHER_ROUTE:
        pair = (pair + 1 + random.randint(s, terms.FLIGHTS // terms.PER_PAIR - 1)) % (terms.FLIGHTS // terms.PER_PAIR)
    draw_legs(s, pair, two, row)
    if two and random.randint(s, 2) == 0:
        row[0] = s.leg_at_start[r, 0]


@large_kernel
def draw_row(s, request, row, r):
    """Draw what a request of a form wants."""
    intent = s.intent[request]
    for k in range(terms.FORM):
        row[k] = 0
    row[terms.PAY] = 1 + (random.randint(s, s.methods) if s.caveat[request] == terms.PLAIN else 0)
    if intent == terms.WANT_FLIGHTS:
        draw_flights_wish(s, request, row, r)
    elif intent == terms.WANT_CABIN:
        row[terms.CABIN] = (s.cabin_at_start[r] + 1 + random.randint(s, 2)) % len(terms.CABINS) + 1
    elif intent == terms.WANT_BAGS:
        fewer = s.caveat[request] == terms.FEWER_BAGS
        row[terms.TOTAL] = (
            max(1, np.int64(s.bags_at_start[r])) if fewer else s.bags_at_start[r] + 2 + random.randint(s, 3)
        )
    else:
        draw_legs(s, random.randint(s, terms.FLIGHTS // terms.PER_PAIR), random.randint(s, 2), row)
        row[terms.CABIN] = 1 + random.randint(s, len(terms.CABINS))
        row[terms.HEADS] = 1 + random.randint(s, 3)
        row[terms.TOTAL] = 1 + random.randint(s, 2 * row[terms.HEADS] + 1)
        row[terms.INSURED] = random.randint(s, 2)
        row[terms.PAY] = 1
        if s.caveat[request] == terms.PLAIN and random.randint(s, 2) == 0:
            row[terms.PAY] = s.methods
            row[terms.PAY + 1] = 1


@large_kernel
def draw_wish(s, request, r):
    """Draw what a request wants, and its second choice."""
    caveat = s.caveat[request]
    draw_row(s, request, s.want[request], r)
    if caveat == terms.MIND or caveat == terms.FULL:
        draw_row(s, request, s.second[request], r)
        same = True
        for k in range(terms.FORM):
            same = same and s.second[request, k] == s.want[request, k]
        if same:
            for k in range(terms.PAY):
                s.want[request, k] = 0  # no sound request: it is drawn again
    else:
        for k in range(terms.FORM):
            s.second[request, k] = s.want[request, k]
    if caveat == terms.FULL:
        leg = (
            s.want[request, terms.SECOND_LEG] if s.want[request, terms.SECOND_LEG] else s.want[request, terms.FIRST_LEG]
        )
        cabin = s.want[request, terms.CABIN] - 1 if s.intent[request] == terms.WANT_BOOK else s.cabin_at_start[r]
        if leg:
            s.seats[(leg - 1) // terms.DAYS, (leg - 1) % terms.DAYS, cabin] = 0
    elif caveat == terms.POOR:
        s.kind_at_start[s.methods - 1] = terms.GIFT_CARD
        s.balance_at_start[s.methods - 1] = random.randint(s, 50)
        s.want[request, terms.PAY] = s.methods
    elif caveat == terms.TWO_CERTIFICATES:
        s.methods = max(3, s.methods)
        for method in range(1, 3):
            s.kind_at_start[method] = terms.CERTIFICATE_KIND
            s.balance_at_start[method] = 10 + random.randint(s, 40)
        s.want[request, terms.PAY + 1] = 3
        s.want[request, terms.PAY] = 2
        s.want[request, terms.PAY + 2] = 1
        s.second[request, terms.PAY] = 2 + random.randint(s, 2)
        s.second[request, terms.PAY + 1] = 1


@large_kernel
def draw_claim(s, request, r):
    """Draw the claim of a request for a compensation: for this reservation, or for the one that was just changed."""
    caveat = s.caveat[request]
    before = max(request - 1, 0)
    again = (
        request > 0
        and s.intent[before] <= terms.WANT_FLIGHTS
        and caveat == terms.PLAIN
        and s.caveat[before] < terms.FORBIDDEN
    )
    if again and random.randint(s, 2) == 0:
        s.want_reservation[request] = s.want_reservation[before]
        s.want_reason[request] = terms.WAS_DELAYED
        set_status(s, s.leg_at_start[s.want_reservation[request], 0], terms.DELAYED)
        return
    s.want_reason[request] = (
        terms.WAS_DELAYED if caveat != terms.PLAIN and random.randint(s, 2) == 0 else terms.WAS_CANCELED
    )
    if caveat == terms.NOT_ENTITLED:
        s.tier = 0
    if caveat != terms.NOT_TRUE:
        set_status(
            s, s.leg_at_start[r, 0], terms.CANCELED if s.want_reason[request] == terms.WAS_CANCELED else terms.DELAYED
        )


@large_kernel
def draw_request(s, request):
    """Draw a request and its reservation."""
    r, intent, caveat = request, s.intent[request], s.caveat[request]
    draw_reservation(s, r)
    no_request(s, request)
    s.want_reservation[request] = terms.NEW if intent == terms.WANT_BOOK else r
    if caveat == terms.BASIC_FARE:
        s.cabin_at_start[r] = terms.BASIC
    if caveat == terms.FLOWN:
        set_status(s, s.leg_at_start[r, 0], terms.FLYING if (s.leg_at_start[r, 0] - 1) % terms.DAYS else terms.LANDED)
    if of_form(intent):
        draw_wish(s, request, r)
    elif intent == terms.WANT_PASSENGER:
        s.want_place[request] = random.randint(s, s.heads_at_start[r])
        s.want_person[request] = (s.passenger_at_start[r, 0] + 5 + random.randint(s, 6)) % len(terms.PEOPLE)
    elif intent == terms.WANT_COMPENSATION:
        draw_claim(s, request, r)
    elif intent == terms.WANT_CANCEL:
        s.want_reason[request] = random.randint(s, terms.WAS_DELAYED)
        if caveat == terms.NOT_COVERED:
            s.recent[r] = 0
            s.want_reason[request] = terms.PLANS
            s.cabin_at_start[r] = random.randint(s, terms.BUSINESS)


@large_kernel
def draw(s):
    """Draw a sound task: requests one after the other, each until it is sound after those before."""
    draw_intents(s)
    wanted = np.int64(s.requests)
    s.requests = 0
    while s.requests < wanted:
        draw_flights(s)
        draw_user(s)
        for r in range(terms.NEW + 1):
            no_reservation(s, r)
        for request in range(terms.REQUESTS):
            no_request(s, request)
        s.reservations = max(2, wanted) + random.randint(s, terms.NEW - max(2, wanted) + 1)
        for r in range(s.reservations):
            draw_reservation(s, r)
        s.requests = 0
        for request in range(wanted):
            s.requests = request + 1
            tries = 0
            while tries < 60:
                draw_request(s, request)
                tools.lay_out(s)
                if lay_plan(s):
                    break
                tries += 1
            if tries == 60:
                s.requests = 0
                break
