"""What the assistant and the customer of Retail observe."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.dual_control.retail import terms
from envsuite.dual_control.retail.tasks import wish
from envsuite.dual_control.retail.tools import order_of
from envsuite.kit import request_rules
from envsuite.kit.desk import CUSTOMER, ORACLE_PLAN


@large_kernel
def observe(s, agent, out):
    customer = agent == CUSTOMER
    for request in range(terms.REQUESTS):
        for k in range(8):
            out.requests[request, k] = 0
        for item in range(terms.ITEMS):
            out.wishes[request, item] = 0
            out.wished[request, item] = 0
        if request < s.requests:
            show_request(s, request, customer, out)
    request_rules.show_talk(s, agent, out)
    for item in range(terms.ITEMS):
        options = np.int64(offered_options(s, item))
        out.offered[item] = options
        held = options != 0 and s.variant[order_of(offered_tool(s)), item] >= 0
        out.offered_kinds[item] = s.kind[s.product[order_of(offered_tool(s)), item]] + 1 if held else 0
    show_store(s, customer, out)
    for product in range(terms.PRODUCTS):
        show_product(s, product, customer, out)
    shown = s.params.mode == ORACLE_PLAN and not customer
    for k in range(terms.PLAN_LENGTH):
        out.plan[k] = s.gold[k] + 1 if shown else 0


@kernel
def offered_tool(s):
    """The change that was proposed or agreed to."""
    return terms.CANCEL + max(s.offer, s.consent) - 1


@kernel
def offered_options(s, item):
    """The options plus one of what was proposed for an item; one more where it is only marked."""
    chosen = np.int64(s.offered[item])
    if chosen == 0 or chosen == terms.MARKED:
        return np.int64(terms.OPTIONS + 1) if chosen else chosen
    order = np.int64(order_of(offered_tool(s)))
    product = s.product[order, item]
    held = s.variant[order, item] >= 0 and chosen <= s.variants[product]
    return np.int64(s.options[product, chosen - 1]) + 1 if held else np.int64(0)


@large_kernel
def show_request(s, request, customer, out):
    """Observe a request as far as it was told; the customer knows all of it."""
    intent, second = s.intent[request], s.second_told[request]
    row = out.requests[request]
    if customer or s.told[request, terms.REQUEST]:
        row[0] = intent + 1
        row[1] = s.want_order[request] + 1 if intent != terms.WANT_PROFILE and intent < terms.WANT_COUNT else 0
        row[5] = s.kind[s.want_product[request]] + 1 if intent == terms.WANT_COUNT else 0
    if (customer or s.told[request, terms.REASON]) and intent == terms.WANT_CANCEL:
        row[2] = s.want_reason[request] + 1
    pays = terms.WANT_RETURN <= intent <= terms.WANT_EXCHANGE or terms.WANT_MODIFY <= intent <= terms.WANT_PAYMENT
    if (customer or s.told[request, terms.PAYMENT]) and pays:
        row[3] = (s.second_method[request] if second else s.want_method[request]) + 1
    if (customer or s.told[request, terms.ADDRESS]) and (intent == terms.WANT_ADDRESS or intent == terms.WANT_PROFILE):
        row[4] = s.want_address[request] + 1
    row[6] = s.dealt[request]
    row[7] = second
    if customer and not second and terms.UNAVAILABLE <= s.caveat[request] <= terms.MIND:
        row[7] = 2 + (s.caveat[request] == terms.MIND)
    if customer or s.told[request, terms.ITEMS_WANTED]:
        for item in range(terms.ITEMS):
            options = np.int64(wish(s, request, item, second))
            out.wishes[request, item] = options
            out.wished[request, item] = s.kind[s.product[s.want_order[request], item]] + 1 if options else 0


@large_kernel
def show_store(s, customer, out):
    """Observe the profile and the orders that were looked up; the customer sees none of it."""
    out.identity[0] = 0 if customer else s.told[0, terms.EMAIL]
    out.identity[1] = 0 if customer else s.told[0, terms.NAME]
    out.identity[2] = 0 if customer else s.identified
    known = s.user_known != 0 and not customer
    out.profile[0] = s.user_address + 1 if known else 0
    out.profile[1] = s.orders if known else 0
    for method in range(terms.METHODS):
        out.profile[2 + method] = s.method_kind[method] if known else 0
        out.balances[method] = s.balance[method] if known else -1
    for order in range(terms.ORDERS):
        held = s.order_known[order] != 0 and not customer
        out.orders[order, 0] = s.status[order] + 1 if held else 0
        out.orders[order, 1] = s.address[order] + 1 if held else 0
        out.orders[order, 2] = s.paid_by[order, 0] if held else 0
        out.orders[order, 3] = s.payments[order] if held else 0
        out.amounts[order] = s.paid[order, 0] if held else -1
        for item in range(terms.ITEMS):
            there = held and s.variant[order, item] >= 0
            place = s.look[order, item]
            out.items[order, item, 0] = s.product[order, item] + 1 if there else 0
            out.items[order, item, 1] = s.variant[order, item] + 1 if there else 0
            out.items[order, item, 2] = s.options[place // terms.VARIANTS, place % terms.VARIANTS] + 1 if there else 0
            out.item_prices[order, item] = s.price[order, item] if there else -1
    for item in range(terms.ITEMS):
        out.draft[item] = 0 if customer else s.draft[item]


@large_kernel
def kind_known(s, product):
    """Whether the assistant knows that the store has a product."""
    known = s.listed != 0
    for order in range(terms.ORDERS):
        for item in range(terms.ITEMS):
            bought = s.order_known[order] != 0 and s.variant[order, item] >= 0
            known = known or (bought and s.product[order, item] == product)
    return known


@large_kernel
def show_product(s, product, customer, out):
    """Observe the variants of a product that were looked up; the customer sees none of them."""
    out.kinds[product] = s.kind[product] + 1 if not customer and kind_known(s, product) else 0
    for variant in range(terms.VARIANTS):
        seen = s.variant_known[product, variant] != 0 and not customer
        out.variants[product, variant, 0] = s.options[product, variant] + 1 if seen else 0
        out.variants[product, variant, 1] = s.available[product, variant] + 1 if seen else 0
        out.prices[product, variant] = s.variant_price[product, variant] if seen else -1
