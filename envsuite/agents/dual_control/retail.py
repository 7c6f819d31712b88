"""Baselines of the store's help desk: an assistant that checks each request by the policy, and kinds of customers.

Each policy plays both seats. All but "random" and "plan" have the same assistant; their customers differ.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.dual_control.request_turns import declare
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import limited
from envsuite.dual_control.retail import terms
from envsuite.dual_control.retail.terms import ASK, CANCEL, ITEMS, METHODS, PROPOSE, TOOLS
from envsuite.dual_control.retail.tools import order_of, uses_draft

ID = "envsuite/Retail-v0"

#: The assistant's memory: whether it has tried the e-mail address, and whether it has carried out the request.
MEMORY = {"tried": limited(0, 0, 1), "written": limited(0, 0, 1)}


@kernel
def ask(about):
    """The decision to ask; decisions are tools by number, and then speech."""
    return np.int64(TOOLS + ASK + about)


@kernel
def balance_covers(observation, method, cents):
    """Whether a payment method can pay an amount: only a gift card may be unable to."""
    return observation.profile[2 + method] != terms.GIFT_CARD or observation.balances[method] >= cents


@large_kernel
def expected(observation, request):
    """The change that carries out a request as it is known, by number; -1 if none can."""
    row = observation.requests[request]
    intent, order, method = np.int64(row[0]) - 1, np.int64(row[1]) - 1, np.int64(row[3]) - 1
    if intent == terms.WANT_CANCEL:
        return CANCEL + order * terms.GOOD_REASONS + row[2] - 1 if row[2] <= terms.GOOD_REASONS else np.int64(-1)
    if intent == terms.WANT_MODIFY:
        return terms.MODIFY_ITEMS + order * METHODS + method
    if intent == terms.WANT_PAYMENT:
        return terms.MODIFY_PAYMENT + order * METHODS + method
    if intent == terms.WANT_ADDRESS:
        return terms.MODIFY_ADDRESS + order * len(terms.SOURCES) + terms.TOLD
    if intent == terms.WANT_PROFILE:
        return np.int64(terms.MODIFY_USER + terms.TOLD)
    if intent == terms.WANT_RETURN:
        return terms.RETURN + order * METHODS + method
    return terms.EXCHANGE + order * METHODS + method


@large_kernel
def propose(memory, observation, tool, solo):
    """The next step of a change that is ready: propose it, or carry it out if it was agreed to."""
    request = np.int64(observation.at)
    agreed = solo or observation.consent == tool - CANCEL + 1
    if not solo and uses_draft(tool):
        for item in range(ITEMS):
            agreed = agreed and observation.offered[item] == observation.wishes[request, item]
    if not agreed:
        return TOOLS + PROPOSE + tool - CANCEL
    memory.written = 1
    return tool


@large_kernel
def gather(observation, item, chosen):
    """The next step so that the draft has this for an item: a new variant plus one, or MARKED, or 0; -1 if it has."""
    if observation.draft[item] == chosen:
        return np.int64(-1)
    if chosen == 0:
        return np.int64(terms.CLEAR)
    if chosen == terms.MARKED:
        return np.int64(terms.MARK + item)
    return np.int64(terms.CHOOSE + item * terms.VARIANTS + chosen - 1)


@kernel
def read_before(observation, product):
    """Whether a product was looked up."""
    return observation.variants[product, 0, 0] != 0


@large_kernel
def match(observation, product, options):
    """The available variant of a product with these options, plus one; 0 for none."""
    for variant in range(terms.VARIANTS):
        if observation.variants[product, variant, 0] == options and observation.variants[product, variant, 1] == 2:
            return np.int64(variant + 1)
    return np.int64(0)


@large_kernel
def replace(memory, observation, order, tool, solo):
    """The next step of a change of items to other variants."""
    request = np.int64(observation.at)
    more = np.int64(0)
    for item in range(ITEMS):
        options = np.int64(observation.wishes[request, item])
        chosen = np.int64(0)
        if options != 0:
            product = np.int64(observation.items[order, item, 0]) - 1
            if not read_before(observation, product):
                return np.int64(terms.SHOW_PRODUCT + product)
            chosen = np.int64(match(observation, product, options))
            if chosen == 0:
                return np.int64(TOOLS + terms.NOT_AVAILABLE)
            more += observation.prices[product, chosen - 1] - observation.item_prices[order, item]
        step = np.int64(gather(observation, item, chosen))
        if step >= 0:
            return step
    if not balance_covers(observation, np.int64(observation.requests[request, 3]) - 1, more):
        return np.int64(TOOLS + terms.TOO_SMALL)
    return np.int64(propose(memory, observation, tool, solo))


@large_kernel
def take_back(memory, observation, order, tool, solo):
    """The next step of a return."""
    request = np.int64(observation.at)
    method = np.int64(observation.requests[request, 3])
    if observation.profile[1 + method] != terms.GIFT_CARD and method != observation.orders[order, 2]:
        return np.int64(TOOLS + terms.DENY)
    for item in range(ITEMS):
        step = np.int64(gather(observation, item, terms.MARKED if observation.wishes[request, item] != 0 else 0))
        if step >= 0:
            return step
    return np.int64(propose(memory, observation, tool, solo))


@kernel
def about_items(intent):
    """Whether a request is about items."""
    return intent == terms.WANT_MODIFY or intent == terms.WANT_RETURN or intent == terms.WANT_EXCHANGE


@large_kernel
def missing(observation, intent):
    """What the customer must still state about its request, as a question; -1 for nothing."""
    row = observation.requests[np.int64(observation.at)]
    if about_items(intent):
        named = False
        for item in range(ITEMS):
            named = named or observation.wishes[np.int64(observation.at), item] != 0
        if not named:
            return ask(terms.ITEMS_WANTED)
    if (about_items(intent) or intent == terms.WANT_PAYMENT) and row[3] == 0:
        return ask(terms.PAYMENT)
    if intent == terms.WANT_CANCEL and row[2] == 0:
        return ask(terms.REASON)
    if (intent == terms.WANT_ADDRESS or intent == terms.WANT_PROFILE) and row[4] == 0:
        return ask(terms.ADDRESS)
    return np.int64(-1)


@large_kernel
def count(observation, kind):
    """The next step of an answer to how many variants of a kind of product are available."""
    for product in range(terms.PRODUCTS):
        if observation.kinds[product] == kind:
            if not read_before(observation, product):
                return np.int64(terms.SHOW_PRODUCT + product)
            found = 0
            for variant in range(terms.VARIANTS):
                found += observation.variants[product, variant, 1] == 2
            return np.int64(TOOLS + terms.ANSWER + found)
    return np.int64(terms.LIST_PRODUCTS)


@large_kernel
def deal(memory, observation, intent, solo):
    """The next step of a request about an order, whose details are known."""
    row = observation.requests[np.int64(observation.at)]
    order, method = np.int64(row[1]) - 1, np.int64(row[3]) - 1
    back = intent == terms.WANT_RETURN or intent == terms.WANT_EXCHANGE
    if observation.orders[order, 0] != (terms.DELIVERED if back else terms.PENDING) + 1:
        return np.int64(TOOLS + terms.DENY)
    question = np.int64(missing(observation, intent))
    if question >= 0:
        return question
    tool = np.int64(expected(observation, np.int64(observation.at)))
    if tool < 0:
        return np.int64(TOOLS + terms.DENY)
    if intent == terms.WANT_PAYMENT and not balance_covers(observation, method, observation.amounts[order]):
        return np.int64(TOOLS + terms.TOO_SMALL)
    if intent == terms.WANT_RETURN:
        return np.int64(take_back(memory, observation, order, tool, solo))
    if intent == terms.WANT_MODIFY or intent == terms.WANT_EXCHANGE:
        return np.int64(replace(memory, observation, order, tool, solo))
    return np.int64(propose(memory, observation, tool, solo))


@large_kernel
def identify(memory, observation):
    """The next step towards the customer's profile; -1 if it is known."""
    if not observation.identity[2]:
        if memory.tried == 0:
            if not observation.identity[0]:
                return ask(terms.EMAIL)
            memory.tried = 1
            return np.int64(terms.FIND)
        return np.int64(terms.FIND + 1) if observation.identity[1] else ask(terms.NAME)
    return np.int64(terms.SHOW_USER) if observation.profile[0] == 0 else np.int64(-1)


@large_kernel
def carry_out(memory, observation, intent):
    """The next step of a request whose change is in the plan that the assistant observes; -1 if it is not."""
    first = 0
    for k in range(terms.PLAN_LENGTH):
        tool = np.int64(observation.plan[k]) - 1
        if CANCEL <= tool < terms.TRANSFER:
            row = observation.requests[np.int64(observation.at)]
            order = np.int64(order_of(tool))
            profile = intent == terms.WANT_PROFILE and order < 0
            if profile or (order >= 0 and order == row[1] - 1 and intent < terms.WANT_COUNT):
                question = np.int64(missing(observation, intent))
                if question >= 0:
                    return question
                for item in range(ITEMS):
                    chosen = np.int64(0)
                    for n in range(first, k):
                        step = np.int64(observation.plan[n]) - 1
                        if step >= terms.MARK and step - terms.MARK == item:
                            chosen = np.int64(terms.MARKED)
                        elif step < terms.MARK and (step - terms.CHOOSE) // terms.VARIANTS == item:
                            chosen = (step - terms.CHOOSE) % terms.VARIANTS + 1
                    step = np.int64(gather(observation, item, chosen)) if uses_draft(tool) else np.int64(-1)
                    if step >= 0:
                        return step
                return np.int64(propose(memory, observation, tool, False))
            first = k + 1
    return np.int64(-1)


@large_kernel
def decide(memory, observation, solo):
    """The next step of a request that was stated: a tool by number, and from TOOLS on speech."""
    step = np.int64(identify(memory, observation))
    if step >= 0:
        return step
    row = observation.requests[np.int64(observation.at)]
    intent = np.int64(row[0]) - 1
    if intent == terms.WANT_PERSON:
        return np.int64(terms.TRANSFER)
    if intent == terms.WANT_COUNT:
        return np.int64(count(observation, row[5]))
    if observation.plan[0] > 0:
        step = np.int64(carry_out(memory, observation, intent))
        return step if step >= 0 else np.int64(TOOLS + terms.DENY)
    if intent == terms.WANT_PROFILE:
        question = np.int64(missing(observation, intent))
        tool = np.int64(terms.MODIFY_USER + terms.TOLD)
        return question if question >= 0 else np.int64(propose(memory, observation, tool, solo))
    if row[1] > observation.profile[1]:  # it is not the customer's
        return np.int64(TOOLS + terms.DENY)
    if observation.orders[row[1] - 1, 0] == 0:
        return np.int64(terms.SHOW_ORDER + row[1] - 1)
    return np.int64(deal(memory, observation, intent, solo))


@large_kernel
def as_wanted(observation, offered):
    """Whether a proposed change is what the customer wants."""
    request = np.int64(observation.at)
    intent = np.int64(observation.requests[request, 0]) - 1
    if intent > terms.WANT_EXCHANGE or expected(observation, request) != CANCEL + offered:
        return False
    if about_items(intent):
        for item in range(ITEMS):
            if observation.wishes[request, item] != observation.offered[item]:
                return False
    return True


declare(ID, terms, 2, MEMORY, decide, as_wanted)
