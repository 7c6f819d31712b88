"""Airline's tasks as plain data: written from a record, and read into it with clear refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.dual_control.airline import terms
from envsuite.dual_control.airline.tasks import lay_plan, of_form
from envsuite.dual_control.airline.tools import lay_out
from envsuite.kit.desk import Desk
from envsuite.kit.request_desk import LevelReader

_CAVEATS_WITH_SECOND = range(terms.FULL, terms.FORBIDDEN)


def level_of(s: Any) -> dict[str, Any]:
    """The task of a record, with its bookings at the start."""
    methods = []
    for k in range(s.methods):
        paper = s.kind_at_start[k] > terms.CREDIT_CARD
        methods.append({"kind": terms.METHOD_KINDS[s.kind_at_start[k] - 1],
                        **({"balance": int(s.balance_at_start[k])} if paper else {})})  # fmt: skip
    return {
        "flights": [_flight(s, k) for k in range(terms.FLIGHTS)],
        "tier": terms.TIERS[s.tier],
        "methods": methods,
        "saved": [terms.PEOPLE[k] for k in s.saved],
        "reservations": [_reservation(s, k) for k in range(s.reservations)],
        "persona": terms.PERSONAS[s.persona],
        "requests": [_request(s, k) for k in range(s.requests)],
    }


def _flight(s: Any, k: int) -> dict[str, Any]:
    days = [
        {
            "status": terms.STATUSES[s.status[k, day]],
            "seats": s.seats[k, day].tolist(),
            "fares": s.fare[k, day].tolist(),
        }
        for day in range(terms.DAYS)
    ]
    origin, destination = (terms.AIRPORT_NAMES[code] for code in s.route[k])
    return {"from": origin, "to": destination, "days": days}


def _legs(codes: Any) -> list[list[Any]]:
    """Segments as flight and day."""
    return [[(int(leg) - 1) // terms.DAYS + 1, terms.DAY_NAMES[(leg - 1) % terms.DAYS]] for leg in codes if leg]


def _reservation(s: Any, k: int) -> dict[str, Any]:
    return {
        "flights": _legs(s.leg_at_start[k]),
        "cabin": terms.CABINS[s.cabin_at_start[k]],
        "passengers": [terms.PEOPLE[code - 1] for code in s.passenger_at_start[k] if code],
        "bags": int(s.bags_at_start[k]),
        "insured": bool(s.insured_at_start[k]),
        "recent": bool(s.recent[k]),
        "method": int(s.method_at_start[k]) + 1,
    }


def _form(row: Any) -> dict[str, Any]:
    """The entries of a form that matter."""
    found: dict[str, Any] = {}
    if row[terms.FIRST_LEG]:
        found["flights"] = _legs(row[: terms.SEGMENTS])
    if row[terms.CABIN]:
        found["cabin"] = terms.CABINS[row[terms.CABIN] - 1]
    if row[terms.HEADS]:
        found["passengers"] = int(row[terms.HEADS])
    if row[terms.TOTAL]:
        found["bags"] = int(row[terms.TOTAL]) - 1
    if row[terms.INSURED]:
        found["insured"] = True
    return {**found, "methods": [int(method) for method in row[terms.PAY :] if method]}


def _request(s: Any, k: int) -> dict[str, Any]:
    intent = int(s.intent[k])
    found: dict[str, Any] = {"intent": terms.INTENTS[intent]}
    if s.caveat[k]:
        found["caveat"] = terms.CAVEATS[s.caveat[k]]
    if intent not in (terms.WANT_BOOK, terms.WANT_PERSON):
        found["reservation"] = int(s.want_reservation[k]) + 1
    if intent in (terms.WANT_CANCEL, terms.WANT_COMPENSATION):
        found["reason"] = terms.REASONS[s.want_reason[k]]
    if intent == terms.WANT_PASSENGER:
        found["passenger"] = int(s.want_place[k]) + 1
        found["person"] = terms.PEOPLE[s.want_person[k]]
    if of_form(intent):
        found["form"] = _form(s.want[k])
        if s.caveat[k] in _CAVEATS_WITH_SECOND:
            found["instead"] = _form(s.second[k])
    return found


def plan_length(level: Mapping[str, Any]) -> str:
    """The number of changes of a task's gold plan."""
    length = 0
    for request in level["requests"]:
        forbidden = terms.CAVEATS.index(request.get("caveat", "none")) >= terms.FORBIDDEN
        length += not forbidden and terms.INTENTS.index(request["intent"]) < terms.WANT_INSURANCE
    return str(length)


class _Reader(LevelReader):
    """Reads the parts of a level, and names what is wrong with it."""

    def whole(self, part: Any, key: str, most: int, where: str) -> int:
        """An integer from 0."""
        value = self.of(part, key, where)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise self.error(f"{where}: {key} {value!r:.60} must be an integer from 0 to {most}")
        return value

    def wholes(self, part: Any, key: str, most: int, where: str) -> list[int]:
        """An integer from 0 for each cabin."""
        given = self.items(part, key, len(terms.CABINS), len(terms.CABINS), where)
        return [self.whole({key: value}, key, most, where) for value in given]

    def legs(self, part: Any, key: str, where: str) -> list[int]:
        """One or two segments."""
        codes = [0] * terms.SEGMENTS
        for k, pair in enumerate(self.items(part, key, 1, terms.SEGMENTS, where)):
            place = f"{where}, flight {k + 1}"
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise self.error(f"{place} must be a number and a day, not {pair!r:.60}")
            entry = {"number": pair[0], "day": pair[1]}
            flight = self.number(entry, "number", terms.FLIGHTS, place)
            codes[k] = flight * terms.DAYS + self.name(entry, "day", terms.DAY_NAMES, place) + 1
        return codes

    def people(self, part: Any, key: str, least: int, where: str) -> list[int]:
        """People by number."""
        names = self.items(part, key, least, terms.PASSENGERS, where)
        return [self.name({key: name}, key, terms.PEOPLE, where) for name in names]


def read_level(world: Desk, s: Any, level: Mapping[str, Any]) -> None:
    """Fill a record's task from plain data."""
    read = _Reader(world)
    for k, flight in enumerate(read.items(level, "flights", terms.FLIGHTS, terms.FLIGHTS, "level")):
        _read_flight(read, s, k, flight)
    s.tier = read.name(level, "tier", terms.TIERS, "level")
    methods = read.items(level, "methods", 1, terms.METHODS, "level")
    s.methods = len(methods)
    for k in range(terms.METHODS):
        where, given = f"method {k + 1}", k < len(methods)
        s.kind_at_start[k] = read.name(methods[k], "kind", terms.METHOD_KINDS, where) + 1 if given else 0
        paper = s.kind_at_start[k] > terms.CREDIT_CARD
        s.balance_at_start[k] = read.whole(methods[k], "balance", 10**5, where) if paper else 0
    s.saved = read.people(level, "saved", terms.PASSENGERS, "level")
    s.persona = read.name(level, "persona", terms.PERSONAS, "level")
    reservations = read.items(level, "reservations", 1, terms.NEW, "level")
    s.reservations = len(reservations)
    for k in range(terms.RESERVATIONS):
        _read_reservation(read, s, k, reservations[k] if k < len(reservations) else None)
    requests = read.items(level, "requests", 1, terms.REQUESTS, "level")
    s.requests = len(requests)
    for k in range(terms.REQUESTS):
        _read_request(read, s, k, requests[k] if k < len(requests) else None)
    lay_out(s)
    read.demand_sound(lay_plan(s))


def _read_flight(read: _Reader, s: Any, k: int, flight: Any) -> None:
    where = f"flight {k + 1}"
    for end, key in enumerate(("from", "to")):
        s.route[k, end] = read.name(flight, key, terms.AIRPORT_NAMES, where)
    if s.route[k, 0] == s.route[k, 1]:
        raise read.error(f"{where}: it must lead to another airport")
    for day, held in enumerate(read.items(flight, "days", terms.DAYS, terms.DAYS, where)):
        place = f"{where}, {terms.DAY_NAMES[day]}"
        s.status[k, day] = read.name(held, "status", terms.STATUSES, place)
        s.seats[k, day] = read.wholes(held, "seats", 100, place)
        s.fare[k, day] = read.wholes(held, "fares", 1000, place)


def _read_reservation(read: _Reader, s: Any, k: int, held: Any) -> None:
    """A reservation; None for one that there is not."""
    where, given = f"reservation {k + 1}", held is not None
    s.leg_at_start[k] = read.legs(held, "flights", where) if given else 0
    s.cabin_at_start[k] = read.name(held, "cabin", terms.CABINS, where) if given else 0
    people = read.people(held, "passengers", 1, where) if given else []
    s.heads_at_start[k] = len(people)
    s.passenger_at_start[k] = [code + 1 for code in people] + [0] * (terms.PASSENGERS - len(people))
    s.bags_at_start[k] = read.whole(held, "bags", terms.BAGS, where) if given else 0
    s.insured_at_start[k] = read.flag(held, "insured", where) if given else 0
    s.recent[k] = read.flag(held, "recent", where) if given else k == terms.NEW
    s.method_at_start[k] = read.number(held, "method", int(s.methods), where) if given else 0


def _read_request(read: _Reader, s: Any, k: int, request: Any) -> None:
    """A request; None for one that there is not."""
    where, given = f"request {k + 1}", request is not None
    for field in ("intent", "caveat", "want_reservation", "want_reason", "want_place", "want_person", "want", "second"):
        getattr(s, field)[k] = 0
    if not given:
        return
    intent = read.name(request, "intent", terms.INTENTS, where)
    caveat = read.name({"caveat": "none", **request}, "caveat", terms.CAVEATS, where)
    if not terms.POSSIBLE[intent, caveat]:
        raise read.error(f"{where}: {terms.INTENTS[intent]!r} cannot have the caveat {terms.CAVEATS[caveat]!r}")
    s.intent[k], s.caveat[k] = intent, caveat
    if intent == terms.WANT_BOOK:
        s.want_reservation[k] = terms.NEW
    elif intent != terms.WANT_PERSON:
        s.want_reservation[k] = read.number(request, "reservation", int(s.reservations), where)
    if intent in (terms.WANT_CANCEL, terms.WANT_COMPENSATION):
        s.want_reason[k] = read.name(request, "reason", terms.REASONS, where)
    if intent == terms.WANT_PASSENGER:
        s.want_place[k] = read.number(request, "passenger", int(s.heads_at_start[s.want_reservation[k]]), where)
        s.want_person[k] = read.name(request, "person", terms.PEOPLE, where)
    if of_form(intent):
        s.want[k] = s.second[k] = _read_form(read, s, intent, request, "form", where)
        if caveat in _CAVEATS_WITH_SECOND:
            s.second[k] = _read_form(read, s, intent, request, "instead", where)


def _read_form(read: _Reader, s: Any, intent: int, request: Any, key: str, where: str) -> np.ndarray:
    """The entries of a form that an intent needs."""
    form, place = read.of(request, key, where), f"{where}, {key}"
    row = np.zeros(terms.FORM, np.int64)
    book = intent == terms.WANT_BOOK
    if book or intent == terms.WANT_FLIGHTS:
        row[: terms.SEGMENTS] = read.legs(form, "flights", place)
    if book or intent == terms.WANT_CABIN:
        row[terms.CABIN] = read.name(form, "cabin", terms.CABINS, place) + 1
    if book:
        row[terms.HEADS] = read.number(form, "passengers", terms.PASSENGERS, place) + 1
        row[terms.INSURED] = read.flag({"insured": False, **form}, "insured", place)
    if book or intent == terms.WANT_BAGS:
        row[terms.TOTAL] = read.whole(form, "bags", terms.BAGS, place) + 1
    for k, method in enumerate(read.items(form, "methods", 1, terms.PAYS, place)):
        row[terms.PAY + k] = read.number({"method": method}, "method", int(s.methods), place) + 1
    return row
