"""What Airline shows: texts, prompts and replies, and the picture of a customer's note, a talk and a desk."""

from __future__ import annotations

from typing import Any

from envsuite.core.page import counted
from envsuite.dual_control.airline import terms
from envsuite.dual_control.airline.tools import reservation_of, state_of, uses_form
from envsuite.kit.desk import ASSISTANT, CUSTOMER, shortened
from envsuite.kit.request_desk import sentences
from envsuite.render.scene import Label, Rect, Scene, wrap

SAYS = sentences(
    (
        "How can I help you?",
        "What is your user id?",
        "What are the details?",
        "Which payment method shall be used?",
        "What is the reason?",
    ),
    terms.DESK[terms.BOOK : terms.TRANSFER],
    ("There are no seats.", "It cannot be paid so."),
)


def leg_words(routes: Any, leg: int) -> str:
    """A segment by its number."""
    flight, day = divmod(int(leg) - 1, terms.DAYS)
    origin, destination = (terms.AIRPORT_NAMES[code] for code in routes[flight])
    return f"flight {flight + 1} {origin}-{destination} {terms.DAY_NAMES[day]}"


def form_words(routes: Any, row: Any) -> str:
    """The entries of a form that are filled in."""
    said = [leg_words(routes, leg) for leg in row[: terms.SEGMENTS] if leg]
    if row[terms.CABIN]:
        said.append(terms.CABINS[row[terms.CABIN] - 1])
    if row[terms.HEADS]:
        said.append(counted(row[terms.HEADS], "passenger"))
    if row[terms.TOTAL]:
        bags = row[terms.TOTAL] - 1
        said.append("1 bag in all" if bags == 1 else f"{bags} bags in all")
    if row[terms.PAID]:
        said.append(f"{row[terms.PAID] - 1} of them paid")
    if row[terms.INSURED]:
        said.append("insurance")
    said += [f"payment method {method}" for method in row[terms.PAY :] if method]
    return ", ".join(said)


def intent_words(intent: int, r: int) -> str:
    """A request without its details; reservations count from 1."""
    return (
        f"cancel reservation {r}",
        f"change the flights of reservation {r}",
        f"change the cabin of reservation {r}",
        f"add or remove bags of reservation {r}",
        f"replace a passenger of reservation {r}",
        "book a reservation",
        f"get a compensation for reservation {r}",
        f"add insurance to reservation {r}",
        f"change the number of passengers of reservation {r}",
        "speak about something that no tool can do",
    )[intent]


def request_words(routes: Any, row: Any, wishes: Any) -> list[str]:
    """A request as an agent observes it, as far as it knows it."""
    lines = [intent_words(row[0] - 1, row[1])]
    if any(wishes):
        lines.append(form_words(routes, wishes))
    if row[2]:
        lines.append(f"reason: {terms.REASONS[row[2] - 1]}")
    if row[3]:
        lines.append(f"passenger {row[3]} becomes {terms.PEOPLE[row[4] - 1]}")
    if row[5]:
        lines.append(("done", "denied")[row[5] - 1])
    return lines


def user_words(seen: Any) -> str:
    """The caller's profile, as observed."""
    methods = []
    for k, kind in enumerate(seen.profile[2:]):
        if kind:
            balance = f" (${seen.balances[k]})" if kind > terms.CREDIT_CARD else ""
            methods.append(f"{k + 1} {terms.METHOD_KINDS[kind - 1]}{balance}")
    tier = terms.TIERS[seen.profile[0] - 1]
    return f"{tier}; payment methods: {', '.join(methods)}; reservations 1 to {seen.profile[1]}"


def reservation_words(seen: Any, r: int) -> str:
    """A reservation, as observed."""
    active, cabin, heads, bags, paid, insured, recent, _ = (int(value) for value in seen.reservations[r])
    if not heads:
        return "there is no such reservation"
    legs = []
    for leg, price, status in seen.segments[r]:
        if leg:
            known = f", {terms.STATUSES[status - 1]}" if status else ""
            legs.append(f"{leg_words(seen.routes, leg)} (${price}{known})")
    people = ", ".join(terms.PEOPLE[code - 1] for code in seen.passengers[r] if code)
    said = [
        *(["canceled"] if active == 2 else []), *legs, terms.CABINS[cabin - 1], people, f"{bags} bags, {paid} paid",
        "insured" if insured == 2 else "not insured", "booked within 24 hours" if recent == 2 else "booked earlier",
    ]  # fmt: skip
    paid_by = [f"${amount} by method {k + 1}" for k, amount in enumerate(seen.spent[r]) if amount]
    return "; ".join(said + paid_by)


def departures(seen: Any, airport: int, day: int) -> list[str]:
    """The flights that a search has listed."""
    lines = []
    for flight in range(terms.FLIGHTS):
        if seen.routes[flight, 0] == airport and seen.seats[flight, day, 0] >= 0:
            cabins = ", ".join(
                f"{name} ${seen.fares[flight, day, c]} ({seen.seats[flight, day, c]} seats)"
                for c, name in enumerate(terms.CABINS)
            )
            lines.append(f"{leg_words(seen.routes, flight * terms.DAYS + day + 1)}: {cabins}")
    return lines


# Words.


def request_line(world: Any, seen: Any, k: int) -> str:
    return "; ".join(request_words(seen.routes, seen.requests[k], seen.wishes[k]))


def second_line(world: Any, s: Any, k: int) -> str:
    return form_words(s.route, s.second[k])


def screen_lines(world: Any, seen: Any) -> list[str]:
    """What the assistant has read at the desk."""
    lines = ["The customer was found." if seen.identity[1] else "The customer was not found yet."]
    if seen.profile[0]:
        lines.append(f"Profile: {user_words(seen)}.")
    for r in range(terms.RESERVATIONS):
        if seen.reservations[r, 0]:
            lines.append(f"Reservation {r + 1}: {reservation_words(seen, r)}.")
    for airport in range(terms.AIRPORTS):
        for day in range(terms.DAYS):
            if seen.searched[airport, day]:
                listed = "; ".join(departures(seen, airport, day)) or "none"
                lines.append(f"From {terms.AIRPORT_NAMES[airport]} on {terms.DAY_NAMES[day]}: {listed}.")
    return [*lines, f"Form: {form_words(seen.routes, seen.form) or 'empty'}."]


def proposal_line(world: Any, s: Any) -> str:
    tool = terms.BOOK + int(s.offer) - 1
    form = f": {form_words(s.route, s.offered)}" if uses_form(tool) else ""
    return terms.DESK[tool] + form


def result(world: Any, s: Any) -> str:
    tool = abs(int(s.calls[0])) - 1
    if s.calls[0] < 0:
        return "error, nothing has changed: it is not possible"
    seen = world.observation(s, ASSISTANT)
    if tool == terms.FIND:
        return "the customer is known to the airline"
    if tool == terms.SHOW_USER:
        return user_words(seen)
    if tool < terms.STATUS:
        return reservation_words(seen, tool - terms.SHOW)
    if tool < terms.SEARCH:
        leg = s.leg[divmod(tool - terms.STATUS, terms.SEGMENTS)]
        return f"{leg_words(seen.routes, leg)}: {terms.STATUSES[state_of(s, leg)]}" if leg else "no such flight"
    if tool < terms.FLY:
        return "; ".join(departures(seen, *divmod(tool - terms.SEARCH, terms.DAYS))) or "no flights"
    if tool < terms.BOOK:
        return f"form: {form_words(seen.routes, seen.form) or 'empty'}"
    if tool == terms.TRANSFER:
        return "a person takes over"
    r = terms.NEW if tool == terms.BOOK else int(reservation_of(tool))
    return reservation_words(seen, r) if r >= 0 and seen.reservations[r, 0] else "done"


def details(world: Any, s: Any, speech: int, request: int, second: int) -> list[str]:
    """The customer's words about a request."""
    intent = int(s.intent[request])
    row = (s.second if second else s.want)[request]
    details, payment = row.copy(), row.copy()
    details[terms.PAY :] = 0
    payment[: terms.PAY] = 0
    person = f"passenger {s.want_place[request] + 1} becomes {terms.PEOPLE[s.want_person[request]]}"
    reason = intent in (terms.WANT_CANCEL, terms.WANT_COMPENSATION)
    parts = (
        (terms.REQUEST, f"I want to {intent_words(intent, int(s.want_reservation[request]) + 1)}"),
        (terms.DETAILS, person if intent == terms.WANT_PASSENGER else form_words(s.route, details)),
        (terms.PAYMENT, form_words(s.route, payment)),
        (terms.REASON, terms.REASONS[s.want_reason[request]] if reason else ""),
    )
    return [words for about, words in parts if words and world._states(speech, about)]


# The picture of the desk's screen.


def draw_desk(world: Any, scene: Scene, s: Any, agent: int | None) -> None:
    """The desk's screen; spectators also see reservations that were not looked up."""
    left, width = 16.4, 7.1
    seen = world.observation(s, ASSISTANT)
    words = user_words(seen) if seen.profile[0] else "profile not read"
    for n, line in enumerate(shortened(wrap(words, width - 1.1, 0.34), 2)):
        scene.add(Label(left + 0.55, 1.85 + 0.42 * n, line, 0.34, "muted", "left"))
    for r in range(terms.RESERVATIONS):
        _draw_reservation(world, scene, s, seen, r, agent is None)
    form = form_words(seen.routes, seen.form) or "empty"
    scene.add(Rect(left + 0.45, 11.1, width - 0.9, 1.75, "panel", radius=0.15))
    for n, line in enumerate(shortened(wrap(f"form: {form}", width - 1.3, 0.34), 4)):
        scene.add(Label(left + 0.65, 11.4 + 0.4 * n, line, 0.34, align="left"))


def _draw_reservation(world: Any, scene: Scene, s: Any, seen: Any, r: int, truth: bool) -> None:
    """A reservation as a ticket, with a mark for each passenger; spectators see also those not looked up."""
    left, width, y = 16.85, 6.2, 2.75 + 1.65 * r
    shown = (truth or bool(seen.reservations[r, 0])) and s.heads[r] > 0
    color = ("sky@0.3", "panel", "gold@0.3")[s.cabin[r]] if shown else "panel"
    if shown and not s.active[r]:
        color = "bad@0.18"
    scene.add(Rect(left, y, width, 1.52, color, radius=0.15))
    scene.add(Label(left + 0.2, y + 0.3, f"reservation {r + 1}", 0.36, "ink" if shown else "muted", "left"))
    if not shown:
        scene.add(Label(left + width - 0.2, y + 0.3, "none" if truth else "?", 0.36, "muted", "right"))
        return
    cabin = terms.CABINS[s.cabin[r]] if s.active[r] else "canceled"
    scene.add(Label(left + width - 0.2, y + 0.3, cabin, 0.34, "ink", "right"))
    for k in range(s.heads[r]):
        scene.add(Rect(left + 2.75 + 0.22 * k, y + 0.2, 0.16, 0.2, "ink", glyph="", radius=0.08))
    for n, leg in enumerate(leg for leg in s.leg[r] if leg):
        known = truth or seen.segments[r, n, 2]
        status = terms.STATUSES[state_of(s, leg)] if known else ""
        bad = status in ("canceled", "delayed")
        scene.add(Label(left + 0.2, y + 0.72 + 0.4 * n, leg_words(s.route, leg), 0.32, "ink", "left"))
        scene.add(Label(left + width - 0.2, y + 0.72 + 0.4 * n, status, 0.32, "ink", "right", bold=bad))
    if not s.leg[r, 1]:
        bags = f"{s.bags[r]} bags, {s.paid_bags[r]} paid" + (", insured" if s.insured[r] else "")
        scene.add(Label(left + 0.2, y + 1.12, bags, 0.32, "ink", "left"))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """A click on a reservation looks it up; a button of the note answers."""
    if agent == CUSTOMER:
        return world.click_on_note(x, y)
    r = int((y - 2.75) // 1.65)
    return terms.SHOW + r if 16.85 <= x <= 23.05 and 0 <= r < terms.RESERVATIONS else None
