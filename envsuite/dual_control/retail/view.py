"""What Retail shows: texts, prompts and replies, and the picture of a customer's note, a talk and a desk."""

from __future__ import annotations

from typing import Any

from envsuite.dual_control.retail import terms
from envsuite.dual_control.retail.tools import order_of, uses_draft
from envsuite.kit.desk import ASSISTANT, CUSTOMER, dollars, shortened
from envsuite.kit.request_desk import sentences
from envsuite.render.scene import Label, Rect, Scene, wrap

SAYS = sentences(
    (
        "How can I help you?",
        "What is your e-mail address?",
        "What are your name and zip code?",
        "Which items, and what do you want instead?",
        "Which payment method shall be used?",
        "What is the reason?",
        "To which address?",
    ),
    terms.DESK[terms.CANCEL : terms.TRANSFER],
    ("What you want is not available.", "The balance of the gift card is too small."),
    [f"{count} variants are available." for count in range(terms.VARIANTS + 1)],
)


def options_words(kind: int, code: int) -> str:
    """A variant's options in words, by the kind of product and their number."""
    keys = terms.KINDS[kind][1]
    return ", ".join(values[code // 3**k % 3] for k, (_, values) in enumerate(keys))


def address_words(code: int) -> str:
    """An address by its number."""
    return f"{terms.STREETS[code // len(terms.CITIES)]}, {terms.CITIES[code % len(terms.CITIES)]}"


def intent_words(intent: int, order: int, product: int) -> str:
    """A request without its details; `order` and `product` count from 1."""
    which = "another user's order" if order == terms.OTHERS + 1 else f"order {order}"
    kind = terms.KINDS[product - 1][0] if product else ""
    return (
        f"cancel {which}",
        f"change items of {which}",
        f"change the payment of {which}",
        f"change the address of {which}",
        "change the address in the profile",
        f"return items of {which}",
        f"exchange items of {which}",
        f"know how many variants of the {kind} are available",
        "speak about something that no tool can do",
    )[intent]


def wish_words(kinds: Any, wishes: Any) -> str:
    """The items that a request is about: for each its kind plus one, and options plus one, one more for a return."""
    said = []
    for item, (kind, code) in enumerate(zip(kinds, wishes)):
        if kind:
            new = "" if code > terms.OPTIONS else f" -> {options_words(int(kind) - 1, int(code) - 1)}"
            said.append(f"item {item + 1} ({terms.KINDS[kind - 1][0]}){new}")
    return "; ".join(said)


def bought_words(s: Any, order: int, wishes: Any) -> str:
    """The same, for wishes about an order's items."""
    return wish_words([s.kind[product] + 1 if code else 0 for product, code in zip(s.product[order], wishes)], wishes)


def request_words(row: Any, kinds: Any, wishes: Any) -> list[str]:
    """A request as an agent observes it, as far as it knows it."""
    if row[0] == 0:
        return ["not stated yet"]
    lines = [intent_words(row[0] - 1, row[1], row[5])]
    if any(wishes):
        lines.append(wish_words(kinds, wishes))
    if row[2]:
        lines.append(f"reason: {terms.REASONS[row[2] - 1]}")
    if row[3]:
        lines.append(f"payment method {row[3]}")
    if row[4]:
        lines.append(f"address: {address_words(row[4] - 1)}")
    if row[6]:
        lines.append(("done", "denied", "answered")[row[6] - 1])
    return lines


def method_words(kind: int, balance: int) -> str:
    """A payment method."""
    return terms.METHOD_KINDS[kind - 1] + (f" ({dollars(balance)})" if kind == terms.GIFT_CARD else "")


def user_words(seen: Any) -> str:
    """The caller's profile, as observed."""
    kinds = [int(kind) for kind in seen.profile[2:]]
    methods = ", ".join(f"{k + 1} {method_words(kind, seen.balances[k])}" for k, kind in enumerate(kinds) if kind)
    return f"{address_words(seen.profile[0] - 1)}; payment methods: {methods}; orders 1 to {seen.profile[1]}"


def order_words(seen: Any, order: int) -> str:
    """An order, as observed."""
    status, address, method, payments = (int(value) for value in seen.orders[order])
    items = []
    for item, (product, variant, options) in enumerate(seen.items[order]):
        if product:
            kind = int(seen.kinds[product - 1]) - 1
            name, words = terms.KINDS[kind][0], options_words(kind, int(options) - 1)
            price = dollars(seen.item_prices[order, item])
            items.append(f"item {item + 1}: {name} (product {product}, variant {variant}: {words}), {price}")
    paid = "another's method" if method > terms.METHODS else f"method {method}"
    said = f"{terms.STATUSES[status - 1]}; {address_words(address - 1)}; {dollars(seen.amounts[order])} by {paid}"
    again = f", {payments} payments and refunds" if payments > 1 else ""
    return f"{said}{again}; " + "; ".join(items)


def product_lines(seen: Any, product: int) -> list[str]:
    """The variants of a product that were looked up, as observed."""
    lines = []
    for variant, (options, available) in enumerate(seen.variants[product]):
        if options:
            words = options_words(int(seen.kinds[product]) - 1, int(options) - 1)
            gone = "" if available == 2 else ", not available"
            lines.append(f"{variant + 1}: {words}, {dollars(seen.prices[product, variant])}{gone}")
    return lines


def draft_words(draft: Any) -> str:
    """The collected items."""
    said = [
        f"item {item + 1}" + ("" if chosen == terms.MARKED else f" -> variant {chosen}")
        for item, chosen in enumerate(draft)
        if chosen
    ]
    return "; ".join(said) or "nothing"


# Words.


def request_line(world: Any, seen: Any, k: int) -> str:
    return "; ".join(request_words(seen.requests[k], seen.wished[k], seen.wishes[k]))


def second_line(world: Any, s: Any, k: int) -> str:
    said = bought_words(s, s.want_order[k], s.second_options[k])
    return "; ".join(filter(None, (said, f"payment method {s.second_method[k] + 1}")))


def screen_lines(world: Any, seen: Any) -> list[str]:
    """What the assistant has read at the desk."""
    lines = ["The customer was found." if seen.identity[2] else "The customer was not found yet."]
    if seen.profile[0]:
        lines.append(f"Profile: {user_words(seen)}.")
    lines += [f"Order {k + 1}: {order_words(seen, k)}." for k in range(terms.ORDERS) if seen.orders[k, 0]]
    for product in range(terms.PRODUCTS):
        if seen.kinds[product]:
            known = "; ".join(product_lines(seen, product)) or "variants not read"
            name, keys = terms.KINDS[seen.kinds[product] - 1]
            lines.append(f"Product {product + 1}, {name} ({', '.join(key for key, _ in keys)}): {known}.")
    return [*lines, f"Collected: {draft_words(seen.draft)}."]


def proposal_line(world: Any, s: Any) -> str:
    """The change that was proposed last, with its items."""
    tool = terms.CANCEL + int(s.offer) - 1
    said = terms.DESK[tool]
    if uses_draft(tool):
        seen = world.observation(s, ASSISTANT)
        said += ": " + wish_words(seen.offered_kinds, seen.offered)
    return said


def result(world: Any, s: Any) -> str:
    tool = abs(int(s.calls[0])) - 1
    if s.calls[0] < 0:
        return "error, nothing has changed: " + ("no such user" if tool < terms.SHOW_USER else "it is not possible")
    seen = world.observation(s, ASSISTANT)
    if tool < terms.SHOW_USER:
        return "the customer is a user of the store"
    if tool == terms.SHOW_USER or terms.MODIFY_USER <= tool < terms.RETURN:
        return user_words(seen) if seen.profile[0] else "done"
    if tool == terms.LIST_PRODUCTS:
        return "; ".join(f"{k + 1} {terms.KINDS[kind - 1][0]}" for k, kind in enumerate(seen.kinds))
    if tool < terms.SHOW_PRODUCT:
        return order_words(seen, tool - terms.SHOW_ORDER)
    if tool < terms.SHOW_ITEM:
        return "; ".join(product_lines(seen, tool - terms.SHOW_PRODUCT))
    if tool < terms.CHOOSE:
        order, item = divmod(tool - terms.SHOW_ITEM, terms.ITEMS)
        product, variant, _ = seen.items[order, item]
        return next(line for line in product_lines(seen, product - 1) if line.startswith(f"{variant}: "))
    if tool < terms.CANCEL:
        return f"collected: {draft_words(seen.draft)}"
    if tool == terms.TRANSFER:
        return "a person takes over"
    order = order_of(tool)
    return order_words(seen, order) if seen.orders[order, 0] else "done"


def details(world: Any, s: Any, speech: int, request: int, second: int) -> list[str]:
    """The customer's words about a request."""
    intent, order = int(s.intent[request]), int(s.want_order[request])
    method = s.second_method[request] if second else s.want_method[request]
    wishes = s.second_options[request] if second else s.want_options[request]
    pays = intent in (terms.WANT_MODIFY, terms.WANT_PAYMENT, terms.WANT_RETURN, terms.WANT_EXCHANGE)
    moves = intent in (terms.WANT_ADDRESS, terms.WANT_PROFILE)
    kind = int(s.kind[s.want_product[request]]) + 1
    parts = (
        (terms.REQUEST, True, f"I want to {intent_words(intent, order + 1, kind)}"),
        (terms.ITEMS_WANTED, any(wishes), bought_words(s, order, wishes)),
        (terms.PAYMENT, pays, f"payment method {method + 1}"),
        (terms.REASON, intent == terms.WANT_CANCEL, terms.REASONS[s.want_reason[request]]),
        (terms.ADDRESS, moves, f"to {address_words(s.want_address[request])}"),
    )
    return [words for about, has, words in parts if has and world._states(speech, about)]


# The picture of the desk's screen.


def draw_desk(world: Any, scene: Scene, s: Any, agent: int | None) -> None:
    """The desk's screen; for spectators the whole store."""
    left, width = 16.4, 7.1
    for k, name in enumerate(("show user", "list products")):
        x = left + 2.15 + 2.35 * k
        scene.add(Rect(x, 0.95, 2.2, 0.6, "blue@0.25", radius=0.15), Label(x + 1.1, 1.25, name, 0.34, width=2.1))
    seen = world.observation(s, ASSISTANT)
    words = user_words(seen) if seen.profile[0] else "profile not read"
    for n, line in enumerate(shortened(wrap(words, width - 1.1, 0.36), 3)):
        scene.add(Label(left + 0.55, 1.95 + 0.46 * n, line, 0.36, "muted", "left"))
    for order in range(terms.ORDERS):
        _draw_order(world, scene, s, seen, order, agent is None)
    _draw_products(world, scene, s, seen)
    collected = f"collected: {draft_words(seen.draft)}"
    for n, line in enumerate(shortened(wrap(collected, width - 1.1, 0.36), 2)):
        scene.add(Label(left + 0.55, 12.2 + 0.42 * n, line, 0.36, align="left"))


def _draw_order(world: Any, scene: Scene, s: Any, seen: Any, order: int, truth: bool) -> None:
    left, width, y = 16.4, 7.1, 3.35 + 0.8 * order
    status = int(s.status[order]) + 1 if truth else int(seen.orders[order, 0])
    held = order < s.orders or order == terms.OTHERS
    color = {terms.PENDING: "gold@0.3", terms.DELIVERED: "good@0.22", terms.CANCELED: "bad@0.18"}
    named = truth or seen.profile[1] > order or status
    shown = bool(status) and (held or not truth)
    scene.add(Rect(left + 0.45, y, width - 0.9, 0.72, color.get(status - 1, "panel") if shown else "panel",
                   radius=0.15))  # fmt: skip
    name = "other's" if truth and order == terms.OTHERS else f"order {order + 1}"
    scene.add(Label(left + 0.65, y + 0.36, name, 0.38, "ink" if named else "muted", "left"))
    words = "none" if truth else "?"
    if shown:
        cents = int(s.paid[order, 0]) if truth else int(seen.amounts[order])
        words = f"{terms.STATUSES[status - 1].removesuffix(' requested')}, {dollars(cents)}"
        for item in range(terms.ITEMS):
            if s.variant[order, item] >= 0:
                changed = truth and s.changed_to[order, item]
                scene.add(Rect(left + 2.05 + 0.2 * item, y + 0.28, 0.15, 0.15, "orange" if changed else "ink",
                               glyph=""))  # fmt: skip
    scene.add(Label(left + width - 0.65, y + 0.36, words, 0.36, "ink" if shown else "muted", "right",
                    width=width - 3.9))  # fmt: skip


def _draw_products(world: Any, scene: Scene, s: Any, seen: Any) -> None:
    """The variants of the product that was read last in this turn, or the products by number."""
    left, width = 16.4, 7.1
    called = [abs(int(call)) - 1 for call in s.calls]
    shown = [tool - terms.SHOW_PRODUCT for tool in called if terms.SHOW_PRODUCT <= tool < terms.SHOW_ITEM]
    title, lines = "products", [
        f"{k + 1} {terms.KINDS[kind - 1][0]}" for k, kind in enumerate(seen.kinds) if kind
    ]  # fmt: skip
    if shown:
        title, lines = terms.KINDS[seen.kinds[shown[0]] - 1][0], product_lines(seen, shown[0])
    scene.add(Label(left + 0.55, 7.6, title, 0.42, "muted", "left"))
    for n, line in enumerate(lines):
        color = "muted" if "not available" in line else "ink"
        size = 0.3 if shown else 0.36
        words = line.replace(", not available", "")
        scene.add(Label(left + 0.55, 8.12 + (0.33 if shown else 0.46) * n, words, size, color, "left",
                        width=width - 1.1))  # fmt: skip


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """A click on an order or a button of the desk looks it up; a button of the note answers."""
    names = world.action_names[agent]
    if agent == CUSTOMER:
        return world.click_on_note(x, y)
    if 0.95 <= y <= 1.55 and 18.7 <= x < 23.4:
        return names.index("show user" if x < 21.05 else "list products")
    order = int((y - 3.35) // 0.8)
    return terms.SHOW_ORDER + order if 16.85 <= x <= 23.05 and 0 <= order < terms.ORDERS else None
