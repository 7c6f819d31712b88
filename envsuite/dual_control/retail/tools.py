"""The store behind Retail's desk: what its tools change, and the mark of all that they can change."""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import copy, fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import mix
from envsuite.dual_control.retail import terms


@large_kernel
def lay_out(s):
    """Set up the store as the task says: what tools change is as at the start."""
    s.user_address = s.user_address_at_start
    copy(s.balance, s.balance_at_start)
    for order in range(terms.ORDERS):
        s.status[order] = s.status_at_start[order]
        s.address[order] = s.address_at_start[order]
        s.reason[order] = 0
        s.change_method[order] = 0
        s.difference[order] = 0
        total = np.int64(0)
        for item in range(terms.ITEMS):
            variant = s.bought[order, item]
            product = s.product[order, item]
            s.variant[order, item] = variant
            s.look[order, item] = product * terms.VARIANTS + variant if variant >= 0 else -1
            s.price[order, item] = s.variant_price[product, variant] if variant >= 0 else 0
            s.changed_to[order, item] = 0
            total += s.price[order, item]
        for k in range(terms.HISTORY):
            s.paid_by[order, k] = 0
            s.paid[order, k] = 0
        s.payments[order] = 1
        s.paid_by[order, 0] = s.method_at_start[order] + 1
        s.paid[order, 0] = total
    empty_draft(s)


@kernel
def empty_draft(s):
    fill(s.draft, 0)


@kernel
def note_payment(s, order, method, cents):
    """Add an entry to an order's payments; a refund has a minus sign before its method."""
    k = s.payments[order]
    s.paid_by[order, k] = method
    s.paid[order, k] = cents
    s.payments[order] = k + 1


@kernel
def is_gift_card(s, method):
    return method < terms.METHODS and s.method_kind[method] == terms.GIFT_CARD


@large_kernel
def cancel(s, order, reason):
    if s.status[order] != terms.PENDING:
        return True
    entries = np.int64(s.payments[order])
    for k in range(entries):
        method = abs(s.paid_by[order, k]) - 1
        again = s.paid_by[order, k] < 0
        for later in range(k + 1, entries):  # a payment that was refunded
            again = again or s.paid_by[order, later] == -s.paid_by[order, k]
        if not again or s.params.compat:
            note_payment(s, order, -method - 1, s.paid[order, k])
            if is_gift_card(s, method):
                s.balance[method] += s.paid[order, k]
    s.status[order] = terms.CANCELED
    s.reason[order] = reason + 1
    return False


@large_kernel
def fits(s, order, same):
    """Whether the draft can replace items of an order; `same` allows the variant that an item already is."""
    for item in range(terms.ITEMS):
        chosen = s.draft[item]
        if chosen != 0:
            if chosen == terms.MARKED or s.variant[order, item] < 0:
                return False
            product = s.product[order, item]
            if chosen > s.variants[product] or not s.available[product, chosen - 1]:
                return False
            if not same and chosen - 1 == s.variant[order, item]:
                return False
    return True


@kernel
def difference(s, order):
    """The price of the drafted variants less that of the items, in cents."""
    total = np.int64(0)
    for item in range(terms.ITEMS):
        if s.draft[item] != 0:
            total += s.variant_price[s.product[order, item], s.draft[item] - 1] - s.price[order, item]
    return total


@large_kernel
def modify_items(s, order, method):
    if s.status[order] != terms.PENDING or order == terms.OTHERS or not fits(s, order, False):
        return True
    more = difference(s, order)
    if is_gift_card(s, method):
        if s.balance[method] < more:
            return True
        s.balance[method] -= more
    note_payment(s, order, method + 1 if more > 0 else -method - 1, abs(more))
    last = 0
    for item in range(terms.ITEMS):
        if s.draft[item] != 0:
            last = item
    for item in range(terms.ITEMS):
        if s.draft[item] != 0:
            shown = last if s.params.compat else item
            product, variant = s.product[order, shown], s.draft[shown] - 1
            s.variant[order, item] = s.draft[item] - 1
            s.look[order, item] = product * terms.VARIANTS + variant
            s.price[order, item] = s.variant_price[product, variant]
    s.status[order] = terms.MODIFIED
    return False


@large_kernel
def modify_payment(s, order, method):
    if s.status[order] > terms.MODIFIED or order == terms.OTHERS or s.payments[order] != 1:
        return True
    before = s.paid_by[order, 0] - 1
    amount = s.paid[order, 0]
    if before == method or (is_gift_card(s, method) and s.balance[method] < amount):
        return True
    note_payment(s, order, method + 1, amount)
    note_payment(s, order, -before - 1, amount)
    if is_gift_card(s, method):
        s.balance[method] -= amount
    if is_gift_card(s, before):
        s.balance[before] += amount
    return False


@kernel
def address_from(s, source):
    if source == terms.TOLD:
        return s.address_told - 1
    if source == terms.PROFILE:
        return s.user_address
    return s.address[source - terms.OF_ORDER]


@large_kernel
def take_back(s, order, method, exchange):
    """Return or exchange the drafted items of a delivered order."""
    if s.status[order] != terms.DELIVERED or order == terms.OTHERS:
        return True
    if exchange:
        if not fits(s, order, True):
            return True
        more = difference(s, order)
        if is_gift_card(s, method) and s.balance[method] < more:
            return True
        s.difference[order] = more
    else:
        if not is_gift_card(s, method) and method != s.paid_by[order, 0] - 1:
            return True
        for item in range(terms.ITEMS):
            if s.draft[item] != 0 and s.variant[order, item] < 0:
                return True
    for item in range(terms.ITEMS):
        if s.draft[item] != 0:
            s.changed_to[order, item] = s.draft[item] if exchange else terms.MARKED
    s.status[order] = terms.EXCHANGING if exchange else terms.RETURNING
    s.change_method[order] = method + 1
    return False


@kernel
def order_of(tool):
    """The order that a tool changes; -1 for the profile."""
    if tool < terms.MODIFY_ITEMS:
        return (tool - terms.CANCEL) // terms.GOOD_REASONS
    if tool < terms.MODIFY_ADDRESS:
        return (tool - terms.MODIFY_ITEMS) % (terms.ORDERS * terms.METHODS) // terms.METHODS
    if tool < terms.MODIFY_USER:
        return (tool - terms.MODIFY_ADDRESS) // len(terms.SOURCES)
    return -1 if tool < terms.RETURN else (tool - terms.RETURN) % (terms.ORDERS * terms.METHODS) // terms.METHODS


@kernel
def method_of(tool):
    """The payment method that a change names; -1 for none."""
    if terms.MODIFY_ITEMS <= tool < terms.MODIFY_ADDRESS:
        return (tool - terms.MODIFY_ITEMS) % terms.METHODS
    return (tool - terms.RETURN) % terms.METHODS if tool >= terms.RETURN else -1


@kernel
def uses_draft(tool):
    """Whether a change is one of the collected items."""
    return terms.MODIFY_ITEMS <= tool < terms.MODIFY_PAYMENT or tool >= terms.RETURN


@large_kernel
def change(s, tool):
    """Carry out a change; return whether it is an error, which changes nothing."""
    order = np.int64(order_of(tool))
    if tool < terms.MODIFY_ITEMS:
        return cancel(s, order, (tool - terms.CANCEL) % terms.GOOD_REASONS)
    if terms.MODIFY_ADDRESS <= tool < terms.MODIFY_USER:
        if s.status[order] > terms.MODIFIED:
            return True
        s.address[order] = address_from(s, (tool - terms.MODIFY_ADDRESS) % len(terms.SOURCES))
        return False
    if terms.MODIFY_USER <= tool < terms.RETURN:
        s.user_address = address_from(s, tool - terms.MODIFY_USER)
        return False
    method = np.int64(method_of(tool))
    if terms.MODIFY_PAYMENT <= tool < terms.MODIFY_ADDRESS:
        return modify_payment(s, order, method)
    failed = (
        modify_items(s, order, method)
        if tool < terms.MODIFY_PAYMENT
        else take_back(s, order, method, tool >= terms.EXCHANGE)
    )
    if not failed:
        empty_draft(s)
    return failed


@kernel
def collect(s, tool):
    """Change the draft."""
    if tool == terms.CLEAR:
        empty_draft(s)
    elif tool >= terms.MARK:
        s.draft[tool - terms.MARK] = terms.MARKED
    else:
        s.draft[(tool - terms.CHOOSE) // terms.VARIANTS] = (tool - terms.CHOOSE) % terms.VARIANTS + 1


@large_kernel
def signature(s):
    """One number for all that tools can change; equal stores have equal ones."""
    word = mix(np.uint64(s.user_address))
    for method in range(terms.METHODS):
        word = mix(word ^ np.uint64(s.balance[method]))
    for order in range(terms.ORDERS):
        word = mix(word ^ np.uint64(s.status[order]))
        word = mix(word ^ np.uint64(s.address[order]))
        word = mix(word ^ np.uint64(s.reason[order] * (terms.METHODS + 1) + s.change_method[order]))
        word = mix(word ^ np.uint64(s.difference[order] + 2**32))
        for item in range(terms.ITEMS):
            word = mix(word ^ np.uint64(s.look[order, item] + 1))
            word = mix(word ^ np.uint64((s.variant[order, item] + 1) * (terms.MARKED + 1) + s.changed_to[order, item]))
            word = mix(word ^ np.uint64(s.price[order, item]))
        for k in range(terms.HISTORY):
            word = mix(word ^ np.uint64(s.paid_by[order, k] + terms.METHODS + 1))
            word = mix(word ^ np.uint64(s.paid[order, k]))
    return word
