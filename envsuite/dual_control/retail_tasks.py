"""The tasks of Retail: how store, caller and requests are drawn, and the gold plan that carries them out."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.dual_control.retail_terms import (
    ADDRESSES,
    CANCEL,
    CANCELLED,
    CAVEATS,
    CHALLENGE,
    CHOOSE,
    CREDIT_CARD,
    DELIVERED,
    DIE,
    EXCHANGE,
    FORBIDDEN,
    GIFT_CARD,
    GOOD_REASONS,
    ITEMS,
    KINDS,
    MARK,
    METHODS,
    MIND,
    MODIFY_ADDRESS,
    MODIFY_ITEMS,
    MODIFY_PAYMENT,
    MODIFY_USER,
    MORE,
    NO_METHOD,
    OPTIONS,
    ORDERS,
    OTHER_USER,
    OTHERS,
    PAYPAL,
    PENDING,
    POOR,
    POSSIBLE,
    PROCESSED,
    PRODUCTS,
    REASONS,
    REQUESTS,
    RETURN,
    SOURCES,
    TOGETHER,
    TOLD,
    TRANSFER,
    UNAVAILABLE,
    VARIANTS,
    WANT_ADDRESS,
    WANT_CANCEL,
    WANT_COUNT,
    WANT_EXCHANGE,
    WANT_MODIFY,
    WANT_PAYMENT,
    WANT_PERSON,
    WANT_PROFILE,
    WANT_RETURN,
    WRONG_METHOD,
    WRONG_REASON,
    WRONG_STATUS,
)
from envsuite.dual_control.retail_tools import change, collect, empty_draft, lay_out, signature
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
    return intent == WANT_MODIFY or intent == WANT_RETURN or intent == WANT_EXCHANGE


@kernel
def wishes(s, request, second):
    """Whether a request names the items that it is about, if it is about items."""
    found = not of_items(s.intent[request])
    for item in range(ITEMS):
        found = found or wish(s, request, item, second) != 0
    return found


@large_kernel
def write_of(s, request, second):
    """The tool that carries a request out, or would; -1 if no tool can."""
    intent, order = s.intent[request], s.want_order[request]
    method = s.second_method[request] if second else s.want_method[request]
    if intent == WANT_CANCEL:
        return CANCEL + order * GOOD_REASONS + s.want_reason[request] if s.want_reason[request] < GOOD_REASONS else -1
    if intent == WANT_MODIFY:
        return MODIFY_ITEMS + order * METHODS + method
    if intent == WANT_PAYMENT:
        return MODIFY_PAYMENT + order * METHODS + method
    if intent == WANT_ADDRESS:
        return MODIFY_ADDRESS + order * len(SOURCES) + TOLD
    if intent == WANT_PROFILE:
        return MODIFY_USER + TOLD
    if intent == WANT_RETURN:
        return RETURN + order * METHODS + method
    if intent == WANT_EXCHANGE:
        return EXCHANGE + order * METHODS + method
    return TRANSFER if intent == WANT_PERSON else -1


@large_kernel
def attempt(s, request, second, plan):
    """Carry a request out in the store, from an empty draft; return whether that fails. `plan`: add it to the plan."""
    tool = np.int64(write_of(s, request, second))
    if tool < 0:
        return True
    for item in range(ITEMS):
        options = wish(s, request, item, second)
        if options != 0:
            choice = np.int64(MARK + item)
            if s.intent[request] != WANT_RETURN:
                variant = variant_with(s, s.product[s.want_order[request], item], options - 1)
                if variant < 0:
                    return True
                choice = np.int64(CHOOSE + item * VARIANTS + variant)
            collect(s, choice)
            if plan:
                add_to_plan(s, choice)
    if plan:
        add_to_plan(s, tool)
    s.address_told = s.want_address[request] + 1
    return tool != TRANSFER and change(s, tool)


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
        if caveat == POOR and s.intent[request] == WANT_PAYMENT:
            if s.paid_by[s.want_order[request], 0] == s.want_method[request] + 1:
                return False
        fails = caveat == UNAVAILABLE or caveat == POOR or caveat == WRONG_STATUS or caveat == WRONG_METHOD
        if fails and not attempt(s, request, False, False):
            return False
        empty_draft(s)
        if caveat < FORBIDDEN and s.intent[request] != WANT_COUNT and attempt(s, request, caveat != 0, True):
            return False
        if s.intent[request] == WANT_PERSON and request < s.requests - 1:
            return False
    s.gold_mark = signature(s)
    return True


# Drawing.


@large_kernel
def draw_intents(s):
    """Draw what the requests are about: from all, or from a part of all combinations."""
    drawn = False
    while not drawn:
        drawn = draw_kinds(s, CHALLENGE, MORE, TOGETHER, POSSIBLE, DIE) and asked(s, WANT_PROFILE) < 2
        drawn = drawn and in_split(s, len(CAVEATS))


@large_kernel
def draw_store(s):
    """Draw products of different kinds, and their variants with different options."""
    first, step = random.randint(s, len(KINDS)), 1 + 2 * random.randint(s, len(KINDS) // 2)
    for product in range(PRODUCTS):
        s.kind[product] = (first + product * step) % len(KINDS)
        s.variants[product] = 5 + random.randint(s, VARIANTS - 4)
        middle = 2000 + random.randint(s, 30000)
        start, stride = random.randint(s, OPTIONS), 1 + 3 * random.randint(s, OPTIONS // 3)
        for variant in range(VARIANTS):
            held = variant < s.variants[product]
            s.options[product, variant] = (start + variant * stride) % OPTIONS if held else 0
            s.variant_price[product, variant] = middle * (80 + random.randint(s, 41)) // 100 if held else 0
            s.available[product, variant] = held and random.randint(s, 3) > 0


@large_kernel
def draw_user(s):
    """Draw the caller's address, payment methods and manner."""
    s.persona = random.randint(s, 3)
    s.email_known = random.randint(s, 4) > 0
    s.user_address_at_start = random.randint(s, ADDRESSES)
    s.methods = 2 + random.randint(s, METHODS - 1)
    for method in range(METHODS):
        kind = CREDIT_CARD if method == 0 else (PAYPAL, GIFT_CARD, CREDIT_CARD, GIFT_CARD)[random.randint(s, 4)]
        s.method_kind[method] = kind if method < s.methods else NO_METHOD
        gift = s.method_kind[method] == GIFT_CARD
        s.balance_at_start[method] = random.randint(s, 40000) if gift else 0


@large_kernel
def draw_orders(s):
    """Draw the caller's orders, one for each request and more, and an order of another user."""
    s.orders = max(2, s.requests) + random.randint(s, OTHERS - max(2, s.requests) + 1)
    for order in range(ORDERS):
        held = order < s.orders or order == OTHERS
        size = 1 + random.randint(s, ITEMS) if held else 0
        first = random.randint(s, PRODUCTS)
        for item in range(ITEMS):
            product = (first + 3 * item) % PRODUCTS
            s.product[order, item] = product if item < size else 0
            s.bought[order, item] = random.randint(s, s.variants[product]) if item < size else -1
        status = (PENDING, PROCESSED, DELIVERED, CANCELLED)[random.randint(s, 4)]
        s.status_at_start[order] = status if held else CANCELLED
        home, other = random.randint(s, 2) == 0, random.randint(s, ADDRESSES)
        s.address_at_start[order] = 0 if not held else s.user_address_at_start if home else other
        method = random.randint(s, s.methods)
        s.method_at_start[order] = METHODS if order == OTHERS else method if held else 0


@large_kernel
def draw_status(s, request, order):
    """The order of a request has the status that it needs, or one that it must not have."""
    back = s.intent[request] == WANT_RETURN or s.intent[request] == WANT_EXCHANGE
    if s.intent[request] == WANT_PROFILE or s.intent[request] >= WANT_COUNT:
        return
    if s.caveat[request] == WRONG_STATUS:
        s.status_at_start[order] = PROCESSED if random.randint(s, 2) == 0 else (PENDING if back else DELIVERED)
    else:
        s.status_at_start[order] = DELIVERED if back else PENDING


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
    caveat, returns = s.caveat[request], s.intent[request] == WANT_RETURN
    size = 0
    while size < ITEMS and s.bought[order, size] >= 0:
        size += 1
    sure = random.randint(s, size)
    for item in range(size):
        if item == sure or random.randint(s, 3) == 0:
            product, variant = s.product[order, item], s.bought[order, item]
            missing = caveat == UNAVAILABLE and item == sure
            first = np.int64(OPTIONS + 1) if returns else draw_options(s, product, variant, not missing)
            second = first
            if missing or (caveat == MIND and item == sure):
                second = draw_options(s, product, variant, True)
            s.want_options[request, item] = first
            s.second_options[request, item] = second


@large_kernel
def draw_request(s, request):
    """Draw the order, the items, the payment and the rest of a request."""
    order = OTHERS if s.caveat[request] == OTHER_USER else request
    s.want_order[request] = order
    draw_status(s, request, order)
    s.want_product[request] = random.randint(s, PRODUCTS)
    s.want_reason[request] = len(REASONS) - 1 if s.caveat[request] == WRONG_REASON else random.randint(s, GOOD_REASONS)
    now = s.user_address_at_start if s.intent[request] == WANT_PROFILE else s.address_at_start[order]
    s.want_address[request] = (now + 1 + random.randint(s, ADDRESSES - 1)) % ADDRESSES
    if of_items(s.intent[request]):
        draw_wishes(s, request, order)
    first = random.randint(s, s.methods)
    if s.intent[request] == WANT_RETURN and s.caveat[request] != WRONG_METHOD and order != OTHERS:
        first = s.method_at_start[order]
    if s.caveat[request] == POOR:
        first = s.methods - 1
        s.method_kind[first] = GIFT_CARD
        s.balance_at_start[first] = random.randint(s, 500)
        if s.method_at_start[order] == first:  # it must fail for its balance, not because it is the same method
            s.method_at_start[order] = 0
    s.want_method[request] = first
    s.second_method[request] = random.randint(s, s.methods) if s.caveat[request] == POOR else first


@large_kernel
def no_request(s, request):
    """There is no such request."""
    s.want_order[request] = 0
    s.want_product[request] = 0
    s.want_reason[request] = 0
    s.want_address[request] = 0
    s.want_method[request] = 0
    s.second_method[request] = 0
    for item in range(ITEMS):
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
        for request in range(REQUESTS):
            no_request(s, request)
        for request in range(s.requests):
            draw_request(s, request)
        lay_out(s)
        if lay_plan(s):
            return
