"""Airline's pages for players."""

from collections.abc import Mapping

from envsuite.core.page import Pattern
from envsuite.kit.request_desk import PHRASES as PHRASES
from envsuite.kit.request_desk import assistant_page, customer_page

_POLICY = (
    "It is 3 p.m. on May 15. Before each change, get a yes; change only what is asked for.",
    "Cancel only what was booked within 24 hours, has a canceled flight, is in business, or is insured and the reason "
    "is health or weather; if a flight of it has taken off, transfer the call.",
    "Flights change only on the same route, never in basic economy. The cabin is one for all flights, and changes only "
    "if none has taken off.",
    "Bags are added, never removed. Free bags per passenger: 0, 1, 2 in basic economy, economy, business; 1 more for "
    "silver, 2 for gold members. Others cost $50 each.",
    "Insurance, $30 a passenger, only with a new booking. Never change the number of passengers.",
    "A booking is paid by gift cards and at most one certificate and one credit card; a change is paid by, or refunded "
    "to, one gift or credit card. Methods pay what they can in their order; none may be needless.",
    "Compensate only if asked to, and only silver or gold members, the insured, or business: $100 a passenger for a "
    "canceled flight, $50 for a delayed one after its reservation was changed or canceled.",
    "Deny what this forbids. Transfer otherwise only what no tool can do.",
)
_LOOKUPS: Mapping[Pattern, str] = {
    "find user": "find the customer by a stated id",
    ("show user", "show(reservation {N})", "status(reservation {N}, segment {N})"): (
        "read them, or how a flight stands"
    ),
    "search({AIRPORT}, {DAY})": "list flights from there",
    (
        "fly(flight {N}, {DAY})", "cabin({CABIN})", "passengers({N})", "bags({N})", "paid bags({N})", "insure",
        "pay(method {N})", "clear",
    ): "fill in the form, or empty it; paid bags are those not free, passengers the first ones saved",
}  # fmt: skip
_CHANGES: Mapping[Pattern, str] = {
    ("book", "update flights(reservation {N})", "update bags(reservation {N})"): (
        "apply the form, in which flights that stay must be too"
    ),
    "update passenger({WHICH})": "put in the stated person",
    "cancel(reservation {N})": "cancel and refund it",
    "send certificate({AMOUNT})": "compensate",
}
_TALK: Mapping[Pattern, str] = {"inform: {FACT}": "say what is in the way"}

PAGES = {
    "assistant": assistant_page(
        "an airline's help desk",
        "the bookings are as requests and policy demand, and you denied or transferred just what you must",
        _POLICY, _LOOKUPS, _CHANGES, _TALK, {},
        dict.fromkeys(("3", "15", "24", "2", "50", "30", "100"), "the airline's policy"), {},
    ),
    "customer": customer_page("an airline's help desk", "there are no seats, or it cannot be paid so"),
}  # fmt: skip
