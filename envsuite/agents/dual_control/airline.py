"""Baselines of the airline's help desk: an assistant that checks each request by the policy, and kinds of customers.

Each policy plays both seats. All but "random" and "plan" have the same assistant; their customers differ.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.dual_control.request_turns import declare
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import limited
from envsuite.dual_control.airline import terms
from envsuite.dual_control.airline.terms import ASK, BOOK, DAYS, FORM, PAY, PROPOSE, SEGMENTS, TOOLS
from envsuite.dual_control.airline.tools import reservation_of, uses_form

ID = "envsuite/Airline-v0"

#: The assistant's memory: whether it has just carried out the request, and in which reservation it has seen a delay.
MEMORY = {"written": limited(0, 0, 1), "delayed": limited(0, 0, 1 << terms.RESERVATIONS)}


@kernel
def ask(about):
    """The decision to ask; decisions are tools by number, and then speech."""
    return np.int64(TOOLS + ASK + about)


@kernel
def deny():
    """The decision to deny the request."""
    return np.int64(TOOLS + terms.DENY)


@large_kernel
def wanted_status(observation, r, status):
    """Whether a flight of a reservation has this status, as looked up."""
    return observation.segments[r, 0, 2] == status + 1 or observation.segments[r, 1, 2] == status + 1


@large_kernel
def look(memory, observation, r):
    """The next step towards all that concerns a reservation; -1 if it is known."""
    if observation.reservations[r, 0] == 0:
        return np.int64(terms.SHOW + r)
    for segment in range(SEGMENTS):
        if observation.segments[r, segment, 0] and observation.segments[r, segment, 2] == 0:
            return np.int64(terms.STATUS + r * SEGMENTS + segment)
    if wanted_status(observation, r, terms.DELAYED):
        memory.delayed = np.int64(memory.delayed) | 1 << r
    return np.int64(-1)


@kernel
def free_bags(observation, cabin, heads):
    """The number of free bags of that many passengers."""
    return (np.int64(observation.profile[0]) - 1 + cabin) * heads


@large_kernel
def target(observation, tool, entry):
    """What an entry of the form must be for a change of the request that the call is about."""
    request = np.int64(observation.at)
    intent = np.int64(observation.requests[request, 0]) - 1
    r = max(np.int64(reservation_of(tool)), np.int64(0))  # a booking has none, and reads none
    if entry < SEGMENTS and intent == terms.WANT_CABIN:
        return np.int64(observation.segments[r, entry, 0])
    if entry == terms.PAID and (tool == BOOK or intent == terms.WANT_BAGS):
        cabin, heads = np.int64(observation.reservations[r, 1]), np.int64(observation.reservations[r, 2])
        if tool == BOOK:
            cabin = np.int64(observation.wishes[request, terms.CABIN])
            heads = np.int64(observation.wishes[request, terms.HEADS])
        paid = max(np.int64(0), observation.wishes[request, terms.TOTAL] - 1 - free_bags(observation, cabin - 1, heads))
        return paid + 1 if paid else paid
    return np.int64(observation.wishes[request, entry])


@large_kernel
def entry_tool(entry, value):
    """The tool that writes a value into an entry of the form."""
    if entry < SEGMENTS:
        return np.int64(terms.FLY + value - 1)
    if entry == terms.CABIN:
        return np.int64(terms.SET_CABIN + value - 1)
    if entry == terms.HEADS:
        return np.int64(terms.SET_HEADS + value - 1)
    if entry == terms.TOTAL:
        return np.int64(terms.SET_BAGS + value - 1)
    if entry == terms.PAID:
        return np.int64(terms.SET_PAID + value - 1)
    return np.int64(terms.INSURE if entry == terms.INSURED else terms.SET_PAY + value - 1)


@large_kernel
def gather(observation, tool):
    """The next step so that the form is as a change needs it; -1 if it is."""
    for entry in range(FORM):
        value = np.int64(target(observation, tool, entry))
        if observation.form[entry] != value:
            return np.int64(terms.CLEAR) if observation.form[entry] else np.int64(entry_tool(entry, value))
    return np.int64(-1)


@large_kernel
def propose(memory, observation, tool, solo):
    """The next step of a change that may be made: fill in the form, propose it, or carry it out if it was agreed to."""
    agreed = solo or observation.consent == tool - BOOK + 1
    if uses_form(tool):
        step = np.int64(gather(observation, tool))
        if step >= 0:
            return step
        for k in range(FORM):
            agreed = agreed and (solo or observation.offered[k] == observation.form[k])
    if not agreed:
        return np.int64(TOOLS + PROPOSE + tool - BOOK)
    memory.written = 1
    return np.int64(tool)


@large_kernel
def seats(observation, leg, cabin, heads):
    """The next step towards a flight that can be booked: a search, or what stands against it; -1 if it can."""
    flight, day = (leg - 1) // DAYS, (leg - 1) % DAYS
    origin = np.int64(observation.routes[flight, 0])
    if observation.searched[origin, day] == 0:
        return np.int64(terms.SEARCH + origin * DAYS + day)
    if observation.seats[flight, day, cabin] < heads:
        return np.int64(TOOLS + terms.NO_SEATS)
    return np.int64(-1)


@large_kernel
def afford(observation, amount):
    """Whether the one method that the customer wants can pay an amount for a change."""
    method = np.int64(observation.wishes[np.int64(observation.at), PAY]) - 1
    return observation.profile[2 + method] != terms.GIFT_CARD or observation.balances[method] >= amount


@large_kernel
def fly(memory, observation, r, intent, solo):
    """The next step of a change of flights or cabin."""
    request = np.int64(observation.at)
    tool = np.int64(terms.UPDATE_FLIGHTS + r)
    row = observation.reservations[r]
    now, heads = np.int64(row[1]) - 1, np.int64(row[2])
    cabin = np.int64(observation.wishes[request, terms.CABIN]) - 1 if intent == terms.WANT_CABIN else now
    more = np.int64(0)
    for segment in range(SEGMENTS):
        leg, old = np.int64(target(observation, tool, segment)), np.int64(observation.segments[r, segment, 0])
        if (leg == 0) != (old == 0):
            return deny()
        if leg:
            for k in range(2):
                if observation.routes[(leg - 1) // DAYS, k] != observation.routes[(old - 1) // DAYS, k]:
                    return deny()
            if leg != old and now == terms.BASIC:
                return deny()
            if leg != old or cabin != now:
                step = np.int64(seats(observation, leg, cabin, heads))
                if step >= 0:
                    return step
                more += observation.fares[(leg - 1) // DAYS, (leg - 1) % DAYS, cabin]
                more -= observation.segments[r, segment, 1]
    if not afford(observation, more * heads):
        return np.int64(TOOLS + terms.NOT_SO)
    return np.int64(propose(memory, observation, tool, solo))


@large_kernel
def reserve(memory, observation, solo):
    """The next step of a booking."""
    wish = observation.wishes[np.int64(observation.at)]
    for segment in range(SEGMENTS):
        if wish[segment]:
            step = np.int64(seats(observation, np.int64(wish[segment]), np.int64(wish[terms.CABIN]) - 1,
                                  np.int64(wish[terms.HEADS])))  # fmt: skip
            if step >= 0:
                return step
    certificates = 0
    for k in range(PAY, FORM):
        certificates += wish[k] > 0 and observation.profile[1 + wish[k]] == terms.CERTIFICATE_KIND
    if certificates > 1:
        return np.int64(TOOLS + terms.NOT_SO)
    return np.int64(propose(memory, observation, np.int64(BOOK), solo))


@large_kernel
def pack(memory, observation, r, solo):
    """The next step of a change of bags."""
    bags = np.int64(observation.wishes[np.int64(observation.at), terms.TOTAL]) - 1
    row = observation.reservations[r]
    if bags < row[3]:
        return deny()
    paid = max(np.int64(0), bags - free_bags(observation, np.int64(row[1]) - 1, np.int64(row[2])))
    if not afford(observation, terms.BAG_FEE * max(np.int64(0), paid - row[4])):
        return np.int64(TOOLS + terms.NOT_SO)
    return np.int64(propose(memory, observation, np.int64(terms.UPDATE_BAGS + r), solo))


@large_kernel
def cancel(memory, observation, r, reason, solo):
    """The next step of a cancellation."""
    row = observation.reservations[r]
    if wanted_status(observation, r, terms.FLYING) or wanted_status(observation, r, terms.LANDED):
        return np.int64(terms.TRANSFER)
    insured = row[5] == 2 and (reason == terms.HEALTH or reason == terms.WEATHER)
    business = row[1] - 1 == terms.BUSINESS
    if not (row[6] == 2 or wanted_status(observation, r, terms.CANCELED) or business or insured):
        return deny()
    return np.int64(propose(memory, observation, np.int64(terms.CANCEL + r), solo))


@large_kernel
def compensate(memory, observation, r, reason, solo):
    """The next step of a request for a compensation."""
    row = observation.reservations[r]
    if observation.profile[0] == 1 and row[5] != 2 and row[1] - 1 != terms.BUSINESS:
        return deny()
    heads = np.int64(row[2])
    if reason == terms.WAS_CANCELED and wanted_status(observation, r, terms.CANCELED):
        return np.int64(propose(memory, observation, terms.SEND + 2 * heads - 1, solo))
    if reason == terms.WAS_DELAYED and np.int64(memory.delayed) >> r & 1 and row[7] == 2:
        return np.int64(propose(memory, observation, terms.SEND + heads - 1, solo))
    return deny()


@kernel
def about_form(intent):
    """Whether a request is about what stands in a form."""
    return terms.WANT_FLIGHTS <= intent <= terms.WANT_BAGS or intent == terms.WANT_BOOK


@large_kernel
def missing(observation, intent):
    """What the customer must still state about its request, as a question; -1 for nothing."""
    row = observation.requests[np.int64(observation.at)]
    if about_form(intent):
        named = False
        for k in range(PAY):
            named = named or observation.wishes[np.int64(observation.at), k] != 0
        if not named:
            return ask(terms.DETAILS)
        if observation.wishes[np.int64(observation.at), PAY] == 0:
            return ask(terms.PAYMENT)
    if intent == terms.WANT_PASSENGER and row[3] == 0:
        return ask(terms.DETAILS)
    if (intent == terms.WANT_CANCEL or intent == terms.WANT_COMPENSATION) and row[2] == 0:
        return ask(terms.REASON)
    return np.int64(-1)


@large_kernel
def planned(observation, intent):
    """Whether the plan that the assistant observes has a change for the request."""
    row = observation.requests[np.int64(observation.at)]
    r = np.int64(row[1]) - 1
    for k in range(terms.PLAN_LENGTH):
        tool = np.int64(observation.plan[k]) - 1
        if BOOK <= tool < terms.TRANSFER:
            fits = (tool == BOOK) == (intent == terms.WANT_BOOK) and (tool >= terms.SEND) == (
                intent == terms.WANT_COMPENSATION
            )
            if tool != BOOK and tool < terms.SEND:
                flights = intent == terms.WANT_FLIGHTS or intent == terms.WANT_CABIN
                fits = fits and reservation_of(tool) == r
                fits = fits and (tool < terms.UPDATE_FLIGHTS) == (intent == terms.WANT_CANCEL)
                fits = fits and (terms.UPDATE_FLIGHTS <= tool < terms.UPDATE_BAGS) == flights
            if fits:
                return True
    return False


@large_kernel
def deal(memory, observation, intent, solo):
    """The next step of a request whose details are known."""
    row = observation.requests[np.int64(observation.at)]
    r = np.int64(row[1]) - 1
    if intent == terms.WANT_BOOK:
        return np.int64(reserve(memory, observation, solo))
    step = np.int64(look(memory, observation, r))
    if step >= 0:
        return step
    if intent == terms.WANT_PASSENGER:
        place = terms.UPDATE_PASSENGER + r * terms.PASSENGERS + np.int64(row[3]) - 1
        return np.int64(propose(memory, observation, place, solo))
    if intent == terms.WANT_BAGS:
        return np.int64(pack(memory, observation, r, solo))
    if intent == terms.WANT_CANCEL:
        return np.int64(cancel(memory, observation, r, np.int64(row[2]) - 1, solo))
    if intent == terms.WANT_COMPENSATION:
        return np.int64(compensate(memory, observation, r, np.int64(row[2]) - 1, solo))
    if intent == terms.WANT_CABIN:
        if wanted_status(observation, r, terms.FLYING) or wanted_status(observation, r, terms.LANDED):
            return deny()
    return np.int64(fly(memory, observation, r, intent, solo))


@large_kernel
def decide(memory, observation, solo):
    """The next step of a request that was stated: a tool by number, and from TOOLS on speech."""
    intent = np.int64(observation.requests[np.int64(observation.at), 0]) - 1
    if not observation.identity[1]:
        return np.int64(terms.FIND) if observation.identity[0] else ask(terms.USER_ID)
    if observation.profile[0] == 0:
        return np.int64(terms.SHOW_USER)
    if intent == terms.WANT_PERSON:
        return np.int64(terms.TRANSFER)
    if terms.WANT_INSURANCE <= intent <= terms.WANT_NUMBER:
        return deny()
    question = np.int64(missing(observation, intent))
    if question >= 0:
        return question
    if observation.plan[0] > 0 and intent != terms.WANT_CANCEL and not planned(observation, intent):
        return deny()
    return np.int64(deal(memory, observation, intent, solo))


@large_kernel
def expected(observation, offered):
    """Whether a proposed change is the one that the customer wants; the amount of a certificate is not its choice."""
    row = observation.requests[np.int64(observation.at)]
    intent, r = np.int64(row[0]) - 1, np.int64(row[1]) - 1
    if intent == terms.WANT_CANCEL:
        return offered == terms.CANCEL + r
    if intent == terms.WANT_FLIGHTS or intent == terms.WANT_CABIN:
        return offered == terms.UPDATE_FLIGHTS + r
    if intent == terms.WANT_BAGS:
        return offered == terms.UPDATE_BAGS + r
    if intent == terms.WANT_PASSENGER:
        return offered == terms.UPDATE_PASSENGER + r * terms.PASSENGERS + row[3] - 1
    if intent == terms.WANT_BOOK:
        return offered == BOOK
    return intent == terms.WANT_COMPENSATION and offered >= terms.SEND


@large_kernel
def as_wanted(observation, offered):
    """Whether a proposed change, counted from `BOOK`, with its form is what the customer wants."""
    good = expected(observation, BOOK + offered)
    for k in range(FORM):
        wish = observation.wishes[np.int64(observation.at), k]
        good = good and (wish == 0 or wish == observation.offered[k])
    return good


declare(ID, terms, 1, MEMORY, decide, as_wanted)
