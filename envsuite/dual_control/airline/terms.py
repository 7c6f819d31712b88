"""The flights, tools, speech and tasks of Airline's desk, numbered by their place in lists."""

from __future__ import annotations

import numpy as np

from envsuite.core.tools import Tool, names_of, starts_of
from envsuite.kit.desk import PERSONAS as PERSONAS
from envsuite.kit.request_desk import TRANSFER_TOOL, assistant_talk, closing_talk, customer_talk, telling
from envsuite.kit.request_rules import HARDEST as HARDEST
from envsuite.kit.request_rules import together

#: Sizes: airports, flights, days, payment methods, reservations with the one that can be booked, segments and
#: passengers of a reservation, requests of a task, and certificates that can be sent.
AIRPORTS, FLIGHTS, DAYS, METHODS, RESERVATIONS, SEGMENTS, PASSENGERS, REQUESTS, SENT = 12, 40, 4, 4, 5, 2, 5, 3, 3
#: The place of a reservation that is booked in the call.
NEW = RESERVATIONS - 1
#: Flights between two airports: this many, half of them in each direction.
PER_PAIR = 4
#: The most bags of a reservation.
BAGS = 24

AIRPORT_NAMES = ("ATL", "BOS", "DEN", "DFW", "IAH", "JFK", "LAX", "MIA", "ORD", "PHX", "SEA", "SFO")
#: It is 15:00 on the second of these days.
DAY_NAMES = ("May 14", "May 15", "May 16", "May 17")
STATUSES = ("available", "on time", "delayed", "flying", "landed", "canceled")
AVAILABLE, ON_TIME, DELAYED, FLYING, LANDED, CANCELED = range(6)
CABINS = ("basic economy", "economy", "business")
BASIC, ECONOMY, BUSINESS = range(3)
TIERS = ("regular", "silver", "gold")
METHOD_KINDS = ("credit card", "gift card", "certificate")
NO_METHOD, CREDIT_CARD, GIFT_CARD, CERTIFICATE_KIND = range(4)
PEOPLE = (
    "A. Adeyemi", "B. Bauer", "C. Costa", "D. Dubois", "E. Eriksen", "F. Fischer", "G. Garcia", "H. Hansen",
    "I. Ivanova", "J. Jones", "K. Kim", "L. Lopez", "M. Moreau", "N. Novak", "O. Okafor", "P. Patel",
)  # fmt: skip
REASONS = ("change of plan", "flight canceled", "health", "weather", "flight delayed")
PLANS, WAS_CANCELED, HEALTH, WEATHER, WAS_DELAYED = range(5)
BAG_FEE, INSURANCE_FEE = 50, 30
#: The amounts of a certificate are multiples of this, per passenger one for a delay and two for a cancellation.
UNIT = 50

# A form is what a booking or a change consists of. Entries are 0 if they are empty. A segment is a flight and a day as
# one number, flight * DAYS + day + 1. Cabin, bags, paid bags and methods are one more than a code or a number.
FIRST_LEG, SECOND_LEG, CABIN, HEADS, TOTAL, PAID, INSURED, PAY, FORM = 0, 1, 2, 3, 4, 5, 6, 7, 10
#: The number of payment methods in a form, and for each entry its largest value.
PAYS = FORM - PAY
LARGEST = (FLIGHTS * DAYS, FLIGHTS * DAYS, len(CABINS), PASSENGERS, BAGS + 1, BAGS + 1, 1, *[METHODS] * PAYS)

# Tools: those that read, those that fill in the form, those that change something, and the transfer.
_RESERVATION, _METHOD = range(1, RESERVATIONS + 1), range(1, METHODS + 1)
READ_TOOLS = (
    Tool("find_user", "find user", "Find the customer by the user id that was stated; before all else."),
    Tool("show_user", "show user", "Read the customer's membership, payment methods and number of reservations."),
    Tool("show_reservation", "show(reservation {reservation})",
         "Read a reservation: flights, cabin, passengers, bags, insurance, payments.", {"reservation": _RESERVATION}),
    Tool("flight_status", "status(reservation {reservation}, segment {segment})",
         "Read the status of a flight of a reservation.",
         {"reservation": _RESERVATION, "segment": range(1, SEGMENTS + 1)}),
    Tool("search", "search({origin}, {day})", "List the flights from an airport that can be booked on a day.",
         {"origin": AIRPORT_NAMES, "day": DAY_NAMES}),
)  # fmt: skip
FORM_TOOLS = (
    Tool("fly", "fly(flight {flight}, {day})", "Add a flight to the form.",
         {"flight": range(1, FLIGHTS + 1), "day": DAY_NAMES}),
    Tool("set_cabin", "cabin({cabin})", "Put a cabin into the form, for all flights and passengers.",
         {"cabin": CABINS}),
    Tool("set_passengers", "passengers({number})", "Put the number of passengers into the form: that many of the "
         "people saved in the profile.", {"number": range(1, PASSENGERS + 1)}),
    Tool("set_bags", "bags({number})", "Put the number of all checked bags into the form.",
         {"number": range(BAGS + 1)}),
    Tool("set_paid_bags", "paid bags({number})", "Put the number of bags that are not free into the form.",
         {"number": range(BAGS + 1)}),
    Tool("insure", "insure", "Put travel insurance into the form."),
    Tool("pay", "pay(method {method})", "Add a payment method to the form; it pays what it can of what is left.",
         {"method": _METHOD}),
    Tool("clear", "clear", "Empty the form."),
)  # fmt: skip
WRITE_TOOLS = (
    Tool("book", "book", "Book the form as a new reservation."),
    Tool("cancel", "cancel(reservation {reservation})", "Cancel a whole reservation, and refund it.",
         {"reservation": _RESERVATION}),
    Tool("update_flights", "update flights(reservation {reservation})",
         "Give a reservation the flights and the cabin of the form; flights that stay must be in the form too.",
         {"reservation": _RESERVATION}),
    Tool("update_bags", "update bags(reservation {reservation})", "Give a reservation the bags of the form.",
         {"reservation": _RESERVATION}),
    Tool("update_passenger", "update passenger(reservation {reservation}, passenger {passenger})",
         "Replace a passenger by the person that was stated.",
         {"reservation": _RESERVATION, "passenger": range(1, PASSENGERS + 1)}),
    Tool("send_certificate", "send certificate({amount})", "Send the customer a certificate, as a compensation.",
         {"amount": range(UNIT, 2 * UNIT * PASSENGERS + 1, UNIT)}),
)  # fmt: skip
DESK_TABLE = (*READ_TOOLS, *FORM_TOOLS, *WRITE_TOOLS, TRANSFER_TOOL)
DESK = names_of(DESK_TABLE)
(
    FIND, SHOW_USER, SHOW, STATUS, SEARCH,
    FLY, SET_CABIN, SET_HEADS, SET_BAGS, SET_PAID, INSURE, SET_PAY, CLEAR,
    BOOK, CANCEL, UPDATE_FLIGHTS, UPDATE_BAGS, UPDATE_PASSENGER, SEND,
    TRANSFER, TOOLS,
) = starts_of(DESK_TABLE)  # fmt: skip
WRITES = TRANSFER - BOOK

# Speech.
ABOUT = ("request", "user id", "details", "payment", "reason")
REQUEST, USER_ID, DETAILS, PAYMENT, REASON = range(len(ABOUT))
CLOSING = closing_talk()
ASSISTANT_TALK = assistant_talk(ABOUT, "the form", WRITE_TOOLS, ("no seats", "cannot be paid so"), CLOSING)
ASK, PROPOSE, INFORM, SAY_DONE, DENY, CLOSE, ASSISTANT_SAYS = starts_of(ASSISTANT_TALK)
NO_SEATS, NOT_SO = INFORM, INFORM + 1
CUSTOMER_TALK = customer_talk(ABOUT)
STATE, SECOND, CONFIRM, REFUSE, THAT_IS_ALL, HANG_UP, _ = starts_of(CUSTOMER_TALK)
STATE_ALL = STATE + len(ABOUT)
#: The customer's first word in the talk, and the last one.
CUSTOMER_SPEECH = ASSISTANT_SAYS + 1
WORDS = CUSTOMER_SPEECH + HANG_UP
TELLING = telling(PROPOSE, INFORM, SAY_DONE, CUSTOMER_SPEECH, CUSTOMER_SPEECH + CONFIRM)

# Tasks.
INTENTS = (
    "cancel", "flights", "cabin", "bags", "passenger", "book", "compensation", "insurance", "number", "person",
)  # fmt: skip
(
    WANT_CANCEL, WANT_FLIGHTS, WANT_CABIN, WANT_BAGS, WANT_PASSENGER, WANT_BOOK, WANT_COMPENSATION, WANT_INSURANCE,
    WANT_NUMBER, WANT_PERSON,
) = range(len(INTENTS))  # fmt: skip
#: What is special about a request: a second choice because the first has no seats, because the gift card is too small,
#: because it needs two certificates, or because the customer changes its mind; or why it is denied or handed over.
CAVEATS = (
    "none", "no seats", "gift card too small", "two certificates", "changes mind", "flown", "not covered",
    "basic economy", "another route", "fewer bags", "not entitled", "not true",
)  # fmt: skip
(
    PLAIN, FULL, POOR, TWO_CERTIFICATES, MIND, FLOWN, NOT_COVERED, BASIC_FARE, ANOTHER_ROUTE, FEWER_BAGS, NOT_ENTITLED,
    NOT_TRUE,
) = range(len(CAVEATS))  # fmt: skip
#: From this caveat on, the request is denied, or handed over.
FORBIDDEN = FLOWN


def _possible() -> np.ndarray:
    """Whether an intent can have a caveat."""
    table = np.zeros((len(INTENTS), len(CAVEATS)), np.uint8)
    table[:, PLAIN] = 1
    table[WANT_CANCEL, [FLOWN, NOT_COVERED]] = 1
    table[WANT_FLIGHTS, [FULL, POOR, MIND, BASIC_FARE, ANOTHER_ROUTE]] = 1
    table[WANT_CABIN, [POOR, MIND, FLOWN]] = 1
    table[WANT_BAGS, [POOR, MIND, FEWER_BAGS]] = 1
    table[WANT_BOOK, [FULL, TWO_CERTIFICATES, MIND]] = 1
    table[WANT_COMPENSATION, [NOT_ENTITLED, NOT_TRUE]] = 1
    return table


POSSIBLE = _possible()

#: The challenge of an intent, and what a caveat adds to it: 1 to 5 in all.
CHALLENGE = np.array([2, 3, 2, 2, 1, 3, 3, 1, 1, 1])
MORE = np.array([0, 1, 1, 2, 1, 1, 2, 1, 1, 1, 2, 2])
_CHANGES = (WANT_FLIGHTS, WANT_CABIN, WANT_BAGS, WANT_PASSENGER)
TOGETHER = together(
    len(INTENTS), _CHANGES, (WANT_CANCEL, WANT_FLIGHTS, WANT_COMPENSATION), (WANT_CANCEL, WANT_BOOK),
    (WANT_BAGS, WANT_BOOK),
)  # fmt: skip
#: Three of five requests that can have a caveat have one.
DIE = np.array([0, 0, 1, 1, 1])

#: How a request was dealt with, or how it must be.
OPEN, DONE, DENIED, HANDED_OVER = range(4)

#: What the assistant must not do, with a bit each.
VIOLATIONS = (
    "changed something without a yes", "changed something against the policy", "transferred what can be dealt with",
)  # fmt: skip
UNCONFIRMED, AGAINST, NEEDLESS = (1 << k for k in range(3))

#: The longest gold plan: for each request a full form and a change.
PLAN_LENGTH = REQUESTS * (FORM + 1)
