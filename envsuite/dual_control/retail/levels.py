"""Retail's tasks as plain data: written from a record, and read into it with clear refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.dual_control.retail import terms
from envsuite.dual_control.retail.tasks import lay_plan, of_items
from envsuite.dual_control.retail.tools import lay_out
from envsuite.dual_control.retail.view import address_words, options_words
from envsuite.kit.desk import Desk
from envsuite.kit.request_desk import LevelReader

_ADDRESSES = tuple(address_words(k) for k in range(terms.ADDRESSES))
_KINDS = tuple(kind for kind, _ in terms.KINDS)
_METHODS = terms.METHOD_KINDS


def level_of(s: Any) -> dict[str, Any]:
    """The task of a record, with its store at the start."""
    products = []
    for k in range(terms.PRODUCTS):
        variants = [
            {
                "options": options_words(s.kind[k], s.options[k, v]),
                "price": s.variant_price[k, v] / 100,
                "available": bool(s.available[k, v]),
            }
            for v in range(s.variants[k])
        ]
        products.append({"kind": _KINDS[s.kind[k]], "variants": variants})
    methods = []
    for k in range(s.methods):
        gift = s.method_kind[k] == terms.GIFT_CARD
        balance = {"balance": s.balance_at_start[k] / 100} if gift else {}
        methods.append({"kind": _METHODS[s.method_kind[k] - 1], **balance})
    return {
        "products": products,
        "methods": methods,
        "address": _ADDRESSES[s.user_address_at_start],
        "email known": bool(s.email_known),
        "orders": [_order(s, k) for k in range(s.orders)],
        "other order": _order(s, terms.OTHERS),
        "persona": terms.PERSONAS[s.persona],
        "requests": [_request(s, k) for k in range(s.requests)],
    }


def _order(s: Any, k: int) -> dict[str, Any]:
    bought = [(int(s.product[k, i]), int(s.bought[k, i])) for i in range(terms.ITEMS)]
    paid = {} if k == terms.OTHERS else {"method": int(s.method_at_start[k]) + 1}
    return {
        "status": terms.STATUSES[s.status_at_start[k]],
        "address": _ADDRESSES[s.address_at_start[k]],
        **paid,
        "items": [{"product": product + 1, "variant": variant + 1} for product, variant in bought if variant >= 0],
    }


def _request(s: Any, k: int) -> dict[str, Any]:
    intent, order = int(s.intent[k]), int(s.want_order[k])
    found: dict[str, Any] = {"intent": terms.INTENTS[intent]}
    if s.caveat[k]:
        found["caveat"] = terms.CAVEATS[s.caveat[k]]
    if intent < terms.WANT_COUNT and intent != terms.WANT_PROFILE:
        found["order"] = order + 1
    if intent == terms.WANT_CANCEL:
        found["reason"] = terms.REASONS[s.want_reason[k]]
    if intent in (terms.WANT_ADDRESS, terms.WANT_PROFILE):
        found["address"] = _ADDRESSES[s.want_address[k]]
    if intent == terms.WANT_COUNT:
        found["product"] = int(s.want_product[k]) + 1
    if of_items(intent):
        found["items"] = _wishes(s, order, s.want_options[k])
    if of_items(intent) or intent == terms.WANT_PAYMENT:
        found["method"] = int(s.want_method[k]) + 1
    if terms.UNAVAILABLE <= s.caveat[k] <= terms.MIND:
        instead = {"method": int(s.second_method[k]) + 1}
        found["instead"] = {
            **instead,
            **({"items": _wishes(s, order, s.second_options[k])} if of_items(intent) else {}),
        }
    return found


def _wishes(s: Any, order: int, wishes: Any) -> dict[str, str]:
    """The new options of items by number; empty for a return."""
    found = {}
    for item, code in enumerate(wishes):
        if code:
            kind = int(s.kind[s.product[order, item]])
            found[str(item + 1)] = "" if code > terms.OPTIONS else options_words(kind, int(code) - 1)
    return found


def plan_length(level: Mapping[str, Any]) -> str:
    """The number of calls of a task's gold plan: a change each, and a call for each of its items."""
    length = 0
    for request in level["requests"]:
        forbidden = terms.CAVEATS.index(request.get("caveat", "none")) >= terms.FORBIDDEN
        if not forbidden and request["intent"] != "count":
            length += 1 + len(request.get("instead", request).get("items", ()))
    return str(length)


class _Reader(LevelReader):
    """Reads options too."""

    def options(self, words: Any, kind: int, where: str) -> int:
        """The number of a variant's options."""
        for code in range(terms.OPTIONS):
            if options_words(kind, code) == words:
                return code
        keys = ", ".join(f"{key} ({'/'.join(values)})" for key, values in terms.KINDS[kind][1])
        raise self.error(f"{where}: options {words!r:.60} of a {_KINDS[kind]} must be {keys}, with commas between")


def read_level(world: Desk, s: Any, level: Mapping[str, Any]) -> None:
    """Fill a record's task from plain data."""
    read = _Reader(world)
    products = read.items(level, "products", terms.PRODUCTS, terms.PRODUCTS, "level")
    for k, product in enumerate(products):
        _read_product(read, s, k, product)
    methods = read.items(level, "methods", 1, terms.METHODS, "level")
    s.methods = len(methods)
    for k in range(terms.METHODS):
        where, given = f"method {k + 1}", k < len(methods)
        s.method_kind[k] = read.name(methods[k], "kind", _METHODS, where) + 1 if given else terms.NO_METHOD
        gift = s.method_kind[k] == terms.GIFT_CARD
        s.balance_at_start[k] = read.cents(methods[k], "balance", where) if gift else 0
    s.user_address_at_start = read.name(level, "address", _ADDRESSES, "level")
    s.email_known = read.flag(level, "email known", "level")
    s.persona = read.name(level, "persona", terms.PERSONAS, "level")
    orders = read.items(level, "orders", 1, terms.OTHERS, "level")
    s.orders = len(orders)
    for k in range(terms.OTHERS):
        _read_order(read, s, k, orders[k] if k < len(orders) else None, f"order {k + 1}")
    _read_order(read, s, terms.OTHERS, read.of(level, "other order", "level"), "other order")
    requests = read.items(level, "requests", 1, terms.REQUESTS, "level")
    s.requests = len(requests)
    for k in range(terms.REQUESTS):
        _read_request(read, s, k, requests[k] if k < len(requests) else {"intent": terms.INTENTS[0], "order": 1,
                                                                         "reason": terms.REASONS[0]})  # fmt: skip
    lay_out(s)
    read.demand_sound(lay_plan(s))


def _read_product(read: _Reader, s: Any, k: int, product: Any) -> None:
    where = f"product {k + 1}"
    kind = read.name(product, "kind", _KINDS, where)
    if kind in [s.kind[other] for other in range(k)]:
        raise read.error(f"{where}: another product is a {_KINDS[kind]} too")
    variants = read.items(product, "variants", 1, terms.VARIANTS, where)
    s.kind[k], s.variants[k] = kind, len(variants)
    known: set[int] = set()
    for v in range(terms.VARIANTS):
        place = f"{where}, variant {v + 1}"
        held = v < len(variants)
        s.options[k, v] = read.options(read.of(variants[v], "options", place), kind, place) if held else 0
        s.variant_price[k, v] = read.cents(variants[v], "price", place) if held else 0
        s.available[k, v] = read.flag(variants[v], "available", place) if held else 0
        if held and s.options[k, v] in known:
            raise read.error(f"{place}: another variant has these options too")
        known.add(int(s.options[k, v]))


def _read_order(read: _Reader, s: Any, k: int, order: Any, where: str) -> None:
    """An order; None for one that there is not."""
    given = order is not None
    s.status_at_start[k] = read.name(order, "status", terms.STATUSES, where) if given else terms.CANCELED
    if s.status_at_start[k] in (terms.MODIFIED, terms.EXCHANGING, terms.RETURNING):
        raise read.error(f"{where}: an order cannot begin with the status {order['status']!r}")
    s.address_at_start[k] = read.name(order, "address", _ADDRESSES, where) if given else 0
    s.method_at_start[k] = terms.METHODS if k == terms.OTHERS else 0
    if given and k != terms.OTHERS:
        s.method_at_start[k] = read.number(order, "method", int(s.methods), where)
    items = read.items(order, "items", 1, terms.ITEMS, where) if given else []
    for i in range(terms.ITEMS):
        place, held = f"{where}, item {i + 1}", i < len(items)
        product = read.number(items[i], "product", terms.PRODUCTS, place) if held else 0
        if held and product in [s.product[k, other] for other in range(i)]:
            raise read.error(f"{place}: another item is of product {product + 1} too")
        s.product[k, i] = product
        s.bought[k, i] = read.number(items[i], "variant", int(s.variants[product]), place) if held else -1


def _read_request(read: _Reader, s: Any, k: int, request: Any) -> None:
    where = f"request {k + 1}"
    intent = read.name(request, "intent", terms.INTENTS, where)
    caveat = read.name({"caveat": "none", **request}, "caveat", terms.CAVEATS, where)
    if not terms.POSSIBLE[intent, caveat]:
        raise read.error(f"{where}: {terms.INTENTS[intent]!r} cannot have the caveat {terms.CAVEATS[caveat]!r}")
    s.intent[k], s.caveat[k] = intent, caveat
    needs_order = intent < terms.WANT_COUNT and intent != terms.WANT_PROFILE
    s.want_order[k] = read.number(request, "order", terms.ORDERS, where) if needs_order else 0
    if needs_order and (s.want_order[k] == terms.OTHERS) != (caveat == terms.OTHER_USER):
        raise read.error(f"{where}: order {terms.ORDERS} is another user's, which needs the caveat 'order of another'")
    if needs_order and s.orders <= s.want_order[k] < terms.OTHERS:
        raise read.error(f"{where}: there is no order {s.want_order[k] + 1}")
    s.want_reason[k] = read.name(request, "reason", terms.REASONS, where) if intent == terms.WANT_CANCEL else 0
    if (s.want_reason[k] >= terms.GOOD_REASONS) != (caveat == terms.WRONG_REASON):
        raise read.error(f"{where}: the reason and the caveat contradict each other")
    moves = intent in (terms.WANT_ADDRESS, terms.WANT_PROFILE)
    s.want_address[k] = read.name(request, "address", _ADDRESSES, where) if moves else 0
    s.want_product[k] = read.number(request, "product", terms.PRODUCTS, where) if intent == terms.WANT_COUNT else 0
    pays = bool(of_items(intent)) or intent == terms.WANT_PAYMENT
    s.want_method[k] = read.number(request, "method", int(s.methods), where) if pays else 0
    s.want_options[k] = _read_wishes(read, s, k, request, where)
    s.second_method[k], s.second_options[k] = s.want_method[k], s.want_options[k]
    if terms.UNAVAILABLE <= caveat <= terms.MIND:
        instead, place = read.of(request, "instead", where), f"{where}, instead"
        s.second_method[k] = read.number(instead, "method", int(s.methods), place)
        s.second_options[k] = _read_wishes(read, s, k, instead, place)


def _read_wishes(read: _Reader, s: Any, k: int, request: Any, where: str) -> list[int]:
    """The options plus one that a request wants for each item."""
    wishes = [0] * terms.ITEMS
    if not of_items(int(s.intent[k])):
        return wishes
    given = read.of(request, "items", where)
    numbers = [str(item + 1) for item in range(terms.ITEMS) if s.bought[s.want_order[k], item] >= 0]
    if not isinstance(given, Mapping) or not given or any(item not in numbers for item in given):
        raise read.error(f"{where}: items must map numbers of the order's items, {', '.join(numbers)}, to options")
    for item, words in given.items():
        place = int(item) - 1
        kind = int(s.kind[s.product[s.want_order[k], place]])
        returns = s.intent[k] == terms.WANT_RETURN
        wishes[place] = terms.OPTIONS + 1 if returns else read.options(words, kind, where) + 1
    return wishes
