"""The tasks of Retail: how store, caller and requests are drawn, and the gold plan that carries them out."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.dual_control.retail import terms
from envsuite.dual_control.retail.tools import change, collect, empty_draft, lay_out, signature
from envsuite.kit.request_rules import add_to_plan, asked, begin_plan, draw_kinds, in_split


@kernel
def variant_with(s, product, options):
    """The variant of a product with these options, -1 for none."""
    for variant in range(s.variants[product]):
        if s.options[product, variant] == options:
            return variant
    return -1


@kernel
def count_available(s, product):
    """The number of available variants of a product."""
    count = np.int64(0)
    for variant in range(s.variants[product]):
        count += s.available[product, variant]
    return count


@kernel
def wish(s, request, item, second):
    """The options that the customer wants an item to have, plus one; 0 for an item that stays."""
    return s.second_options[request, item] if second else s.want_options[request, item]


@kernel
def of_items(intent):
    """Whether a request is about items of an order."""
    return intent == terms.WANT_MODIFY or intent == terms.WANT_RETURN or intent == terms.WANT_EXCHANGE


@kernel
def wishes(s, request, second):
    """Whether a request names the items that it is about, if it is about items."""
    found = not of_items(s.intent[request])
    for item in range(terms.ITEMS):
        found = found or wish(s, request, item, second) != 0
    return found


@large_kernel
def write_of(s, request, second):
    """The tool that carries a request out, or would; -1 if no tool can."""
    intent, order = s.intent[request], s.want_order[request]
    method = s.second_method[request] if second else s.want_method[request]
    if intent == terms.WANT_CANCEL:
        return (
            terms.CANCEL + order * terms.GOOD_REASONS + s.want_reason[request]
            if s.want_reason[request] < terms.GOOD_REASONS
            else -1
        )
    if intent == terms.WANT_MODIFY:
        return terms.MODIFY_ITEMS + order * terms.METHODS + method
    if intent == terms.WANT_PAYMENT:
        return terms.MODIFY_PAYMENT + order * terms.METHODS + method
    if intent == terms.WANT_ADDRESS:
        return terms.MODIFY_ADDRESS + order * len(terms.SOURCES) + terms.TOLD
    if intent == terms.WANT_PROFILE:
        return terms.MODIFY_USER + terms.TOLD
    if intent == terms.WANT_RETURN:
        return terms.RETURN + order * terms.METHODS + method
    if intent == terms.WANT_EXCHANGE:
        return terms.EXCHANGE + order * terms.METHODS + method
    return terms.TRANSFER if intent == terms.WANT_PERSON else -1


@large_kernel
def attempt(s, request, second, plan):
    """Carry a request out in the store, from an empty draft; return whether that fails. `plan`: add it to the plan."""
    tool = np.int64(write_of(s, request, second))
    if tool < 0:
        return True
    for item in range(terms.ITEMS):
        options = wish(s, request, item, second)
        if options != 0:
            choice = np.int64(terms.MARK + item)
            if s.intent[request] != terms.WANT_RETURN:
                variant = variant_with(s, s.product[s.want_order[request], item], options - 1)
                if variant < 0:
                    return True
                choice = np.int64(terms.CHOOSE + item * terms.VARIANTS + variant)
            collect(s, choice)
            if plan:
                add_to_plan(s, choice)
    if plan:
        add_to_plan(s, tool)
    s.address_told = s.want_address[request] + 1
    return tool != terms.TRANSFER and change(s, tool)


@large_kernel
def lay_plan(s):
    """Carry out the gold plan and note the mark of its store; return whether the task is sound.

    It is if every permitted request can be carried out, in its second choice if it has one; and if the first choice
    fails for the reason that the caveat names, as what is forbidden does.
    """
    begin_plan(s)
    for request in range(s.requests):
        caveat = s.caveat[request]
        if not (wishes(s, request, False) and wishes(s, request, True)):
            return False
        if caveat == terms.POOR and s.intent[request] == terms.WANT_PAYMENT:
            if s.paid_by[s.want_order[request], 0] == s.want_method[request] + 1:
                return False
        fails = (
            caveat == terms.UNAVAILABLE
            or caveat == terms.POOR
            or caveat == terms.WRONG_STATUS
            or caveat == terms.WRONG_METHOD
        )
        if fails and not attempt(s, request, False, False):
            return False
        empty_draft(s)
        if (
            caveat < terms.FORBIDDEN
            and s.intent[request] != terms.WANT_COUNT
            and attempt(s, request, caveat != 0, True)
        ):
            return False
        if s.intent[request] == terms.WANT_PERSON and request < s.requests - 1:
            return False
    s.gold_mark = signature(s)
    return True


# Drawing.


@large_kernel
def draw_intents(s):
    """Draw what the requests are about: from all, or from a part of all combinations."""
    drawn = False
    while not drawn:
        drawn = (
            draw_kinds(s, terms.CHALLENGE, terms.MORE, terms.TOGETHER, terms.POSSIBLE, terms.DIE)
            and asked(s, terms.WANT_PROFILE) < 2
        )
        drawn = drawn and in_split(s, len(terms.CAVEATS))


@large_kernel
def draw_store(s):
    """Draw products of different kinds, and their variants with different options."""
    first, step = random.randint(s, len(terms.KINDS)), 1 + 2 * random.randint(s, len(terms.KINDS) // 2)
    for product in range(terms.PRODUCTS):
        s.kind[product] = (first + product * step) % len(terms.KINDS)
        s.variants[product] = 5 + random.randint(s, terms.VARIANTS - 4)
        middle = 2000 + random.randint(s, 30000)
        start, stride = random.randint(s, terms.OPTIONS), 1 + 3 * random.randint(s, terms.OPTIONS // 3)
        for variant in range(terms.VARIANTS):
            held = variant < s.variants[product]
            s.options[product, variant] = (start + variant * stride) % terms.OPTIONS if held else 0
            s.variant_price[product, variant] = middle * (80 + random.randint(s, 41)) // 100 if held else 0
            s.available[product, variant] = held and random.randint(s, 3) > 0


@large_kernel
def draw_user(s):
    """Draw the caller's address, payment methods and manner."""
    s.persona = random.randint(s, 3)
    s.email_known = random.randint(s, 4) > 0
    s.user_address_at_start = random.randint(s, terms.ADDRESSES)
    s.methods = 2 + random.randint(s, terms.METHODS - 1)
    for method in range(terms.METHODS):
        kind = (
            terms.CREDIT_CARD
            if method == 0
            else (terms.PAYPAL, terms.GIFT_CARD, terms.CREDIT_CARD, terms.GIFT_CARD)[random.randint(s, 4)]
        )
        s.method_kind[method] = kind if method < s.methods else terms.NO_METHOD
        gift = s.method_kind[method] == terms.GIFT_CARD
        s.balance_at_start[method] = random.randint(s, 40000) if gift else 0


@large_kernel
def draw_orders(s):
    """Draw the caller's orders, one for each request and more, and an order of another user."""
    s.orders = max(2, s.requests) + random.randint(s, terms.OTHERS - max(2, s.requests) + 1)
    for order in range(terms.ORDERS):
        held = order < s.orders or order == terms.OTHERS
        size = 1 + random.randint(s, terms.ITEMS) if held else 0
        first = random.randint(s, terms.PRODUCTS)
        for item in range(terms.ITEMS):
            product = (first + 3 * item) % terms.PRODUCTS
            s.product[order, item] = product if item < size else 0
            s.bought[order, item] = random.randint(s, s.variants[product]) if item < size else -1
        status = (terms.PENDING, terms.PROCESSED, terms.DELIVERED, terms.CANCELED)[random.randint(s, 4)]
        s.status_at_start[order] = status if held else terms.CANCELED
        home, other = random.randint(s, 2) == 0, random.randint(s, terms.ADDRESSES)
        s.address_at_start[order] = 0 if not held else s.user_address_at_start if home else other
        method = random.randint(s, s.methods)
        s.method_at_start[order] = terms.METHODS if order == terms.OTHERS else method if held else 0


@large_kernel
def draw_status(s, request, order):
    """The order of a request has the status that it needs, or one that it must not have."""
    back = s.intent[request] == terms.WANT_RETURN or s.intent[request] == terms.WANT_EXCHANGE
    if s.intent[request] == terms.WANT_PROFILE or s.intent[request] >= terms.WANT_COUNT:
        return
    if s.caveat[request] == terms.WRONG_STATUS:
        s.status_at_start[order] = (
            terms.PROCESSED if random.randint(s, 2) == 0 else (terms.PENDING if back else terms.DELIVERED)
        )
    else:
        s.status_at_start[order] = terms.DELIVERED if back else terms.PENDING


@kernel
def draw_options(s, product, variant, available):
    """Options plus one of another variant of a product, that is available or is not; 0 if none was found."""
    for _ in range(20):
        found = random.randint(s, s.variants[product])
        if found != variant and (s.available[product, found] != 0) == available:
            return np.int64(s.options[product, found]) + 1
    return np.int64(0)


@large_kernel
def draw_wishes(s, request, order):
    """The items that a request is about, with their new options and the second choice."""
    caveat, returns = s.caveat[request], s.intent[request] == terms.WANT_RETURN
    size = 0
    while size < terms.ITEMS and s.bought[order, size] >= 0:
        size += 1
    sure = random.randint(s, size)
    for item in range(size):
        if item == sure or random.randint(s, 3) == 0:
            product, variant = s.product[order, item], s.bought[order, item]
            missing = caveat == terms.UNAVAILABLE and item == sure
            first = np.int64(terms.OPTIONS + 1) if returns else draw_options(s, product, variant, not missing)
            second = first
            if missing or (caveat == terms.MIND and item == sure):
                second = draw_options(s, product, variant, True)
            s.want_options[request, item] = first
            s.second_options[request, item] = second


@large_kernel
def draw_request(s, request):
    """Draw the order, the items, the payment and the rest of a request."""
    order = terms.OTHERS if s.caveat[request] == terms.OTHER_USER else request
    s.want_order[request] = order
    draw_status(s, request, order)
    s.want_product[request] = random.randint(s, terms.PRODUCTS)
    s.want_reason[request] = (
        len(terms.REASONS) - 1 if s.caveat[request] == terms.WRONG_REASON else random.randint(s, terms.GOOD_REASONS)
    )
    now = s.user_address_at_start if s.intent[request] == terms.WANT_PROFILE else s.address_at_start[order]
    s.want_address[request] = (now + 1 + random.randint(s, terms.ADDRESSES - 1)) % terms.ADDRESSES
    if of_items(s.intent[request]):
        draw_wishes(s, request, order)
    first = random.randint(s, s.methods)
    if s.intent[request] == terms.WANT_RETURN and s.caveat[request] != terms.WRONG_METHOD and order != terms.OTHERS:
        first = s.method_at_start[order]
    if s.caveat[request] == terms.POOR:
        first = s.methods - 1
        s.method_kind[first] = terms.GIFT_CARD
        s.balance_at_start[first] = random.randint(s, 500)
        if s.method_at_start[order] == first:  # it must fail for its balance, not because it is the same method
            s.method_at_start[order] = 0
    s.want_method[request] = first
    s.second_method[request] = random.randint(s, s.methods) if s.caveat[request] == terms.POOR else first


@large_kernel
def no_request(s, request):
    """There is no such request."""
    s.want_order[request] = 0
    s.want_product[request] = 0
    s.want_reason[request] = 0
    s.want_address[request] = 0
    s.want_method[request] = 0
    s.second_method[request] = 0
    for item in range(terms.ITEMS):
        s.want_options[request, item] = 0
        s.second_options[request, item] = 0


@large_kernel
def draw(s):
    """Draw a sound task."""
    draw_intents(s)
    while True:
        draw_store(s)
        draw_user(s)
        draw_orders(s)
        for request in range(terms.REQUESTS):
            no_request(s, request)
        for request in range(s.requests):
            draw_request(s, request)
        lay_out(s)
        if lay_plan(s):
            return
