"""What the assistant and the customer of Airline observe."""

from __future__ import annotations

from envsuite.core.kernel import large_kernel
from envsuite.dual_control.airline import terms
from envsuite.dual_control.airline.tasks import of_form, wish
from envsuite.dual_control.airline.tools import seats_left, state_of
from envsuite.kit import request_rules
from envsuite.kit.desk import CUSTOMER, ORACLE_PLAN


@large_kernel
def observe(s, agent, out):
    customer = agent == CUSTOMER
    for request in range(terms.REQUESTS):
        show_request(s, request, customer, out)
    request_rules.show_talk(s, agent, out)
    for k in range(terms.FORM):
        out.offered[k] = s.offered[k]
        out.form[k] = 0 if customer else s.form[k]
    out.identity[0] = 0 if customer else s.id_told
    out.identity[1] = 0 if customer else s.identified
    known = s.user_known != 0 and not customer
    out.profile[0] = s.tier + 1 if known else 0
    out.profile[1] = s.reservations if known else 0
    for method in range(terms.METHODS):
        out.profile[2 + method] = s.kind[method] if known else 0
        out.balances[method] = s.balance[method] if known else -1
    for r in range(terms.RESERVATIONS):
        show_reservation(s, r, customer, out)
    show_flights(s, customer, out)
    shown = s.params.mode == ORACLE_PLAN and not customer
    for k in range(terms.PLAN_LENGTH):
        out.plan[k] = s.gold[k] + 1 if shown else 0


@large_kernel
def show_request(s, request, customer, out):
    """Observe a request as far as it was told; the customer knows all of it."""
    row = out.requests[request]
    for k in range(7):
        row[k] = 0
    for k in range(terms.FORM):
        out.wishes[request, k] = 0
    if request >= s.requests:
        return
    intent, second = s.intent[request], s.second_told[request]
    if customer or s.told[request, terms.REQUEST]:
        row[0] = intent + 1
        named = intent <= terms.WANT_PASSENGER or terms.WANT_COMPENSATION <= intent <= terms.WANT_NUMBER
        row[1] = s.want_reservation[request] + 1 if named else 0
    if (customer or s.told[request, terms.REASON]) and (
        intent == terms.WANT_CANCEL or intent == terms.WANT_COMPENSATION
    ):
        row[2] = s.want_reason[request] + 1
    details, payment = customer or s.told[request, terms.DETAILS], customer or s.told[request, terms.PAYMENT]
    if details and intent == terms.WANT_PASSENGER:
        row[3] = s.want_place[request] + 1
        row[4] = s.want_person[request] + 1
    row[5] = s.dealt[request]
    row[6] = second
    if customer and not second and terms.FULL <= s.caveat[request] <= terms.MIND:
        row[6] = 2 + (s.caveat[request] == terms.MIND)
    if of_form(intent):
        for k in range(terms.FORM):
            out.wishes[request, k] = wish(s, request, k, second) if (payment if k >= terms.PAY else details) else 0


@large_kernel
def show_reservation(s, r, customer, out):
    """Observe a reservation that was looked up."""
    held = s.reservation_known[r] != 0 and not customer
    row = out.reservations[r]
    row[0] = 2 - s.active[r] if held else 0
    row[1] = s.cabin[r] + 1 if held else 0
    row[2] = s.heads[r] if held else 0
    row[3] = s.bags[r] if held else 0
    row[4] = s.paid_bags[r] if held else 0
    row[5] = s.insured[r] + 1 if held else 0
    row[6] = s.recent[r] + 1 if held else 0
    row[7] = s.touched[r] + 1 if held else 0
    for segment in range(terms.SEGMENTS):
        leg = s.leg[r, segment]
        out.segments[r, segment, 0] = leg if held else 0
        out.segments[r, segment, 1] = s.price[r, segment] if held else 0
        known = not customer and s.seen_status[r, segment] != 0
        out.segments[r, segment, 2] = s.seen_status[r, segment] if known else 0
    for k in range(terms.PASSENGERS):
        out.passengers[r, k] = s.passenger[r, k] if held else 0
    for method in range(terms.METHODS):
        out.spent[r, method] = s.spent[r, method] if held else 0


@large_kernel
def show_flights(s, customer, out):
    """Observe the timetable, and for the assistant seats and fares of the flights that a search has listed."""
    for airport in range(terms.AIRPORTS):
        for day in range(terms.DAYS):
            out.searched[airport, day] = 0 if customer else s.searched[airport, day]
    for flight in range(terms.FLIGHTS):
        out.routes[flight, 0] = s.route[flight, 0]
        out.routes[flight, 1] = s.route[flight, 1]
        for day in range(terms.DAYS):
            listed = not customer and s.searched[s.route[flight, 0], day] != 0
            listed = listed and state_of(s, flight * terms.DAYS + day + 1) == terms.AVAILABLE
            for cabin in range(len(terms.CABINS)):
                out.seats[flight, day, cabin] = seats_left(s, flight, day, cabin) if listed else -1
                out.fares[flight, day, cabin] = s.fare[flight, day, cabin] if listed else -1
