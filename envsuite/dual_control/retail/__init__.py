"""A store's help desk: an assistant has the store's tools, a customer its wishes; only talk joins them (tau2-bench).

**Rules.** A customer calls about one to three requests: cancel an order, change its items, its payment or its address,
change the address in the profile, return or exchange items, count the available variants of a product, or something
that no tool can do. The assistant looks up the profile, the orders and the products, and changes them by tools. The
customer has no tools: it talks. The customer has the first turn. In its turn, the assistant calls up to `budget` tools,
one at a time. Then it says something, which passes the turn.

The customer identifies itself by its e-mail address, or by name and zip code if the store does not know that address.
Before each change, the assistant must propose it, and the customer must say yes to it. Items are collected first, one
call for each; a change, return or exchange is then one call for all of them.

| tool | works if | effect |
|---|---|---|
| cancel | the order is pending | refunds what was paid, to a gift card at once |
| modify items | the order is pending; new variants are available and different | the difference is paid or refunded |
| modify payment | there is one payment so far, by another method | the new method pays, the old one is refunded |
| modify address | the order is pending, items modified or not | the order has the new address |
| modify user address | always | the profile has the new address |
| return | the order is delivered; the method has paid, or is a gift card | the items and the method are noted |
| exchange | the order is delivered; new variants are available | items, method and difference are noted |

Items of an order can be modified once; the order can then neither be canceled nor be paid by another method. An order
can be returned or exchanged once. A gift card must cover what it is to pay; for an exchange, that is the difference. A
call that does not work is an error. It is counted and changes nothing.

A request may have a caveat:

- What the customer wants is not available, or its gift card is too small. It then has a second choice.
- The customer changes its mind when it hears the proposal.
- The policy forbids the request: the order is another user's, the order has the wrong status, the reason for a
  cancellation is not accepted, or the money of a return would go to the wrong method. The assistant must deny it.

The call succeeds if the store is exactly as after the gold plan, every forbidden request was denied, every count that
was asked for was answered correctly, and the customer was transferred if and only if that was needed. It fails if the
assistant violates the policy: it changes something without a yes, changes an order of another user, or transfers a
customer whose requests it can deal with.

**Agents.** `assistant` and `customer`. In the mode "solo" there is only `assistant`; every request is stated to it when
its turn comes, and the customer agrees to what it asked for. In "oracle_plan" the assistant observes the gold plan.

**Observation.** A Dict for each agent. Codes are one more than a place in a list, and 0 is unknown or none. Unknown
amounts are -1; amounts are in cents.

| part | space | seen by | content |
|---|---|---|---|
| requests | Box (3, 8) int8 | both | for each request, as far as it was stated: see below |
| wishes | Box (3, 5) int8 | both | for each item that a request is about, the new options; 28 for a return |
| wished | Box (3, 5) int8 | both | the kinds of these products |
| at | Discrete (4) | both | number of requests that were dealt with |
| satisfied | Discrete (2) | both | 1 if the customer has said that it wants nothing else |
| offer, consent | Discrete (127) | both | the change that was proposed, and that was agreed to |
| offered | Box (5,) int8 | both | the options that are proposed for each item; 28 for a return |
| offered_kinds | Box (5,) int8 | both | the kinds of these products |
| talk | Box (8,) int16 | both | what was said, newest first |
| counters | Box (4,) int16 | both | steps left, tools left in this turn, errors, 1 if it is the agent's turn |
| persona | Discrete (3) | customer | the customer's manner in the task: none, easy, hard; in solo always 0 |
| identity | Box (3,) int8 | assistant | 1 each: e-mail address stated, name and zip stated, found |
| profile | Box (6,) int8 | assistant | address, number of orders, kinds of the four payment methods |
| balances | Box (4,) int32 | assistant | balance of each gift card |
| orders | Box (5, 4) int8 | assistant | for each order: status, address, first payment method, number of payments |
| amounts | Box (5,) int32 | assistant | the first payment of each order |
| items | Box (5, 5, 3) int8 | assistant | for each item: product, variant, options |
| item_prices | Box (5, 5) int32 | assistant | the price of each item |
| draft | Box (5,) int8 | assistant | the collected items: the new variant, or 13 for a return |
| kinds | Box (8,) int8 | assistant | the kind of each product |
| variants | Box (8, 12, 2) int8 | assistant | for each variant: options, and 1 or 2 for not available or available |
| prices | Box (8, 12) int32 | assistant | the price of each variant |
| plan | Box (22,) int16 | assistant | in "oracle_plan": its actions that carry the requests out, plus one |

The columns of `requests` are: intent, order, reason, payment method, address, kind of product, how it was dealt with (1
done, 2 denied, 3 answered), and second choice (1 stated; for the customer also 2 to be stated if the first choice is
impossible, 3 to be stated when it is proposed). Intents are: cancel, modify items, payment, address, profile, return,
exchange, count, person. Order 5 is another user's. Options are three values of three options, as one number of base 3.
The status of an order is pending, item modified, processed, delivered, canceled, exchange requested or return
requested.

**Actions.** Discrete (386) for the assistant, (13) for the customer, (251) in solo. Actions are legal in the agent's
own turn. All tools except `transfer` need tools left in the turn; all but `find user` and `transfer` need a customer
that was found.

| agent | action | name | legal |
|---|---|---|---|
| assistant | 0-1 | `find user(email)`, `find user(name and zip)` | after it was stated |
| assistant | 2-3 | `show user`, `list products` | always |
| assistant | 4-8 | `show(order 1)` ... | the order is in the profile, or the customer has named it |
| assistant | 9-16 | `show(product 1)` ... | the product was listed, or is in an order that was read |
| assistant | 17-41 | `show(order 1, item 1)` ... | the order was read |
| assistant | 42-107 | `choose(item 1, variant 1)` ..., `mark(item 1)` ..., `clear` | always |
| assistant | 108-233 | `cancel(order 1, no longer needed)` ... | its arguments are known; items were collected |
| assistant | 234 | `transfer` | always; ends the call |
| assistant | 235-241 | `ask: request` ... | always |
| assistant | 242-367 | `propose: cancel(order 1, no longer needed)` ... | as the change |
| assistant | 368-369 | `inform: not available`, `inform: balance too small` | always |
| assistant | 370-384 | `inform: done`, `deny`, `answer: 0` ... | a request was stated; it is then dealt with |
| assistant | 385 | `close` | always; ends the call |
| customer | 0-7 | `state: request` ..., `state: all` | always |
| customer | 8, 10-12 | `second choice`, `refuse`, `that is all`, `hang up` | always |
| customer | 9 | `confirm` | a proposal stands |
| both | 386, or 13 | `say` | always, in a world with `say`; says nothing and passes the turn |
| solo | 0-234, 235-250 | the assistant's tools, `inform: done` ... `close` | as above |

**Window.**

| click on | effect |
|---|---|
| an order, or a button of the store | looks it up |
| a button below the customer's note | says it |

**Rewards.** 1 to both when a call that succeeds ends, otherwise 0.

**Ends.** Terminates when the call is closed, hung up or transferred. Terminates with 0 after `max_errors` errors.
Truncated after `max_steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| mode | dual | dual, solo or oracle_plan |
| split | all | all tasks, or those of train or test: two parts of the combinations of intents and caveats |
| difficulty | 0 | from 1 to 12: tasks whose challenges add up to this number or more; 0: any tasks |
| compat | False | True repeats two mistakes of the source, see below |
| budget | 12 | tools in a turn, from 1 to 200 |
| max_steps | 200 | tools and words in a call, from 1 to 1,000 |
| max_errors | 10 | errors that end the call, from 1 to 1,000 |
| say | False | whether both sides have the action `say`; solo has nobody to speak to |

With a `difficulty`, tasks are walks on a graph of policies, after IntellAgent: its nodes are kinds of requests, each an
intent with a caveat and a challenge from 1 to 5; its edges' weights say how often two intents come up in one call. A
walk starts anywhere, goes to kinds not yet visited, and ends when its challenges add up to the difficulty. One with
three requests, or for a person, that has not reached it is drawn again. Challenges and weights are ours.

**Level.** A task with its store: ``{"products": [{"kind": "kettle", "variants": [{"options": "1.0, black, gas",
"price": 45.5, "available": true}, ...]}, ...], "methods": [{"kind": "gift card", "balance": 20.0}, ...], "address":
"Elm Street, Boston", "email known": true, "orders": [{"status": "pending", "address": ..., "method": 1, "items":
[{"product": 1, "variant": 2}]}, ...], "other order": {...}, "persona": "easy", "requests": [{"intent": "modify items",
"caveat": "not available", "order": 1, "items": {"1": "1.5, black, gas"}, "method": 1, "instead": {"method": 1, "items":
{"1": "2.0, black, gas"}}}]}``. A level is refused if a request cannot be dealt with as its caveat says. There are eight
products of different kinds, and an order has at most one item of each.

**Language agents.** `env.prompt(agent)` is a system prompt: role, policy, note and manner. `env.tools(agent)` lists the
actions as functions with JSON Schema. `env.parse_call(agent, {"name": "cancel", "arguments": {"order": 2, "reason":
"no longer needed"}})` is the action of a call. `env.reply(agent)` is the result of the call, or what the other said.

**Scoring.** `envsuite score Retail-v0`, or `envsuite.evaluation.reports.report`, plays 500 tasks of a split alone, with
the plan, and with each kind of customer. It reports pass^k, calls, turns, violations, errors, transfers, and the
communication gap, and groups them by intent, caveat, persona, length of the plan and number of requests. With a lower
limit of steps, the gap is wider.

**Known values.** With `compat=True`, store and errors equal those of the source's own tools after each of 6,400
recorded calls. Every drawn task is sound: its gold plan runs without an error, and the first choice fails as its caveat
says. The baseline "workflow" solves all tasks. Its mean numbers of steps:

| situation | steps |
|---|---|
| alone | 8.7 |
| given the gold plan | 12.3 |
| with a customer that states all at once | 13.9 |
| with a customer that answers only what it is asked | 19.5 |

**Differences.** From the source:

- Its two sides are language models that write to each other; talk here is typed.
- Its 114 tasks, 500 users, 1,000 orders and 50 products are fixed. Here, every task has a store of its own: a caller
  with one to four orders, one order of another user, and eight products. No text of the source is used.
- Its policy is a text that nothing enforces. Here, a violation fails the task, and tools are not legal if the assistant
  cannot know their arguments.
- Its calls take lists of items; here, items are collected one by one. An order has no two items of one product.
- Its modification of several items gives all of them the price and the options of the last one. Here, each item gets
  its own, unless `compat=True`.
- Its cancellation refunds every entry of an order's payments again, also refunds, and payments that were refunded.
  Here, only what is still paid is refunded, unless `compat=True`.
- It calculates with binary floating-point numbers of dollars; here, money is in whole cents.
- Its tool `calculate` is left out. An item is named by its order.
- Its goal is the database and the facts told. Here, a denial that is due is a fact too, so that silence is no success.

**Source.** Barres, Dong, Ray, Si and Narasimhan, "tau2-Bench: Evaluating Conversational Agents in a Dual-Control
Environment", 2025; Yao, Shinn, Razavi and Narasimhan, "tau-bench", 2024; sierra-research/tau2-bench, commit a2c0247.
The graph of policies: Levi and Kadar, "IntellAgent: A Multi-Agent Framework for Evaluating Conversational AI Systems",
2025.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from gymnasium.spaces import Discrete

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import below, flag, free, within
from envsuite.core.world import Between, Kernels
from envsuite.dual_control.retail import levels as retail_levels
from envsuite.dual_control.retail import pages, terms, view
from envsuite.dual_control.retail.sight import kind_known, observe
from envsuite.dual_control.retail.tasks import count_available, draw, lay_plan
from envsuite.dual_control.retail.tools import change, collect, lay_out, order_of, signature, uses_draft
from envsuite.kit import desk, request_rules
from envsuite.kit.desk import ASSISTANT, SOLO, TALK
from envsuite.kit.request_desk import RequestDesk
from envsuite.registry import pettingzoo_forms

#: The most that a variant costs, and bounds of an amount of money, in cents.
DEAREST, MONEY = 10**5, 10**8


def fields(agents: int, words: int) -> list[tuple]:
    """The record; `words` is the largest number in the talk."""
    order, money, price = (terms.ORDERS,), within(np.int64, 0, MONEY), within(np.int64, 0, DEAREST)
    method, address = below(np.int64, terms.METHODS), below(np.int64, terms.ADDRESSES)
    options = within(np.int8, 0, terms.OPTIONS + 1)
    variant, place = within(np.int8, -1, terms.VARIANTS - 1), within(np.int64, -1, terms.PRODUCTS * terms.VARIANTS - 1)
    return [
        # The store at the start. Prices and all amounts of money are in cents; an address is a number.
        ("kind", below(np.int8, len(terms.KINDS)), (terms.PRODUCTS,)),  # the kind of each product
        ("variants", within(np.int8, 1, terms.VARIANTS), (terms.PRODUCTS,)),  # number of variants
        # Three options of three values, as one number.
        ("options", below(np.int8, terms.OPTIONS), (terms.PRODUCTS, terms.VARIANTS)),
        ("variant_price", price, (terms.PRODUCTS, terms.VARIANTS)),
        ("available", flag(), (terms.PRODUCTS, terms.VARIANTS)),
        ("email_known", flag(np.int64)),  # whether the store knows the caller's e-mail address
        ("user_address_at_start", address),
        ("methods", within(np.int64, 1, terms.METHODS)),  # number of the caller's payment methods
        ("method_kind", within(np.int64, 0, terms.GIFT_CARD), (terms.METHODS,)),
        ("balance_at_start", money, (terms.METHODS,)),  # of gift cards
        ("orders", within(np.int64, 1, terms.OTHERS)),  # number of the caller's orders; the last is another user's
        ("status_at_start", below(np.int64, len(terms.STATUSES)), order),
        ("address_at_start", address, order),
        # What paid it; METHODS for another user's method.
        ("method_at_start", within(np.int64, 0, terms.METHODS), order),
        ("product", below(np.int8, terms.PRODUCTS), (terms.ORDERS, terms.ITEMS)),
        ("bought", variant, (terms.ORDERS, terms.ITEMS)),  # the variant of each item, -1 for no item
        # The task.
        ("persona", below(np.int64, len(terms.PERSONAS))),  # the customer's manner
        ("requests", within(np.int64, 1, terms.REQUESTS)),  # number of requests
        ("intent", below(np.int64, len(terms.INTENTS)), (terms.REQUESTS,)),
        ("caveat", below(np.int64, len(terms.CAVEATS)), (terms.REQUESTS,)),
        ("want_order", below(np.int64, terms.ORDERS), (terms.REQUESTS,)),
        # The product whose variants are to be counted.
        ("want_product", below(np.int64, terms.PRODUCTS), (terms.REQUESTS,)),
        ("want_reason", below(np.int64, len(terms.REASONS)), (terms.REQUESTS,)),
        ("want_address", address, (terms.REQUESTS,)),
        ("want_method", method, (terms.REQUESTS,)),  # this and the next: the first choice
        # Of the new variant plus one; one more to return; 0 to keep.
        ("want_options", options, (terms.REQUESTS, terms.ITEMS)),
        ("second_method", method, (terms.REQUESTS,)),  # this and the next: the second choice, or again the first
        ("second_options", options, (terms.REQUESTS, terms.ITEMS)),
        *desk.task_fields(terms.TOOLS, terms.PLAN_LENGTH),
        ("gold_mark", free(np.uint64)),  # the mark of the store after the gold plan
        # The store.
        ("user_address", address),
        ("balance", money, (terms.METHODS,)),
        ("status", below(np.int64, len(terms.STATUSES)), order),
        ("address", address, order),
        ("reason", within(np.int64, 0, terms.GOOD_REASONS), order),  # why it was canceled, plus one
        ("variant", variant, (terms.ORDERS, terms.ITEMS)),
        ("look", place, (terms.ORDERS, terms.ITEMS)),  # the product and variant whose options an item shows
        ("price", price, (terms.ORDERS, terms.ITEMS)),
        # What comes for an item, as in a draft.
        ("changed_to", within(np.int8, 0, terms.MARKED), (terms.ORDERS, terms.ITEMS)),
        ("change_method", within(np.int64, 0, terms.METHODS), order),  # the method of a return or exchange, plus one
        ("difference", within(np.int64, -MONEY, MONEY), order),  # the price difference of an exchange
        ("payments", within(np.int64, 1, terms.HISTORY), order),  # number of entries
        # Method plus one; minus: refund.
        ("paid_by", within(np.int64, -terms.METHODS - 1, terms.METHODS + 1), (terms.ORDERS, terms.HISTORY)),
        ("paid", money, (terms.ORDERS, terms.HISTORY)),
        # The items collected: new variant plus one, or MARKED.
        ("draft", within(np.int8, 0, terms.MARKED), (terms.ITEMS,)),
        # What the assistant knows, and what the customer has said.
        ("identified", flag(np.int64)),
        ("user_known", flag(np.int64)),
        ("listed", flag(np.int64)),  # whether it has listed the products
        ("order_known", flag(), order),
        ("variant_known", flag(), (terms.PRODUCTS, terms.VARIANTS)),
        # Of each request; name and e-mail are in the row of the first.
        ("told", flag(), (terms.REQUESTS, len(terms.ABOUT))),
        ("second_told", flag(), (terms.REQUESTS,)),
        ("address_told", within(np.int64, 0, terms.ADDRESSES)),  # the last address that was stated, plus one
        # The call.
        *desk.turn_fields(agents, words),
        # By word: twice `at`, plus 1 for the second choice.
        ("topic", within(np.int64, 0, 2 * terms.REQUESTS + 1), (TALK,)),
        ("at", within(np.int64, 0, terms.REQUESTS)),  # the request that the call is about
        # How each was dealt with: OPEN, DONE, DENIED, ANSWERED.
        ("dealt", within(np.int8, 0, terms.ANSWERED), (terms.REQUESTS,)),
        ("right", flag(), (terms.REQUESTS,)),  # whether the count that was said is right
        ("satisfied", flag(np.int64)),  # whether the customer has said that it wants nothing else
        ("offer", within(np.int64, 0, terms.WRITES)),  # the change that was proposed, plus one
        ("consent", within(np.int64, 0, terms.WRITES)),  # the change that was agreed to, plus one
        ("offered", within(np.int8, 0, terms.MARKED), (terms.ITEMS,)),  # its draft
        *desk.call_fields(terms.TOOLS, len(terms.VIOLATIONS)),
    ]


# The call.


@large_kernel
def reset(s):
    if s.level_given:
        lay_out(s)
        lay_plan(s)
    else:
        draw(s)
    lay_out(s)
    request_rules.open_call(s)
    s.listed = 0
    s.address_told = 0
    for order in range(terms.ORDERS):
        s.order_known[order] = 0
    fill(s.variant_known, 0)
    fill(s.right, 0)
    if s.params.mode == SOLO:
        brief(s)


@large_kernel
def state(s, speech):
    """The customer states something about the request that the call is about, or itself."""
    for about in range(len(terms.ABOUT)):
        if speech == terms.STATE_ALL or speech == terms.STATE + about:
            if about == terms.EMAIL or about == terms.NAME:
                s.told[0, about] = 1
            elif s.at < s.requests:
                s.told[s.at, about] = 1
                if about == terms.ADDRESS and (
                    s.intent[s.at] == terms.WANT_ADDRESS or s.intent[s.at] == terms.WANT_PROFILE
                ):
                    s.address_told = s.want_address[s.at] + 1


@large_kernel
def deal(s, speech):
    """The assistant says how a request was dealt with; the next one is then the subject."""
    if s.at < s.requests:
        s.dealt[s.at] = (
            terms.DONE if speech == terms.SAY_DONE else terms.DENIED if speech == terms.DENY else terms.ANSWERED
        )
        if speech >= terms.ANSWER:
            s.right[s.at] = speech - terms.ANSWER == count_available(s, s.want_product[s.at])
        s.at += 1


@large_kernel
def speak(s, speech):
    """The assistant speaks, or reports if it is alone."""
    if terms.PROPOSE <= speech < terms.INFORM:
        request_rules.propose(s, speech - terms.PROPOSE + 1, s.draft, uses_draft(terms.CANCEL + speech - terms.PROPOSE))
    elif terms.SAY_DONE <= speech < terms.CLOSE:
        deal(s, speech)


@large_kernel
def read(s, tool):
    """Look something up; return whether that is an error."""
    if tool < terms.SHOW_USER:
        if tool == terms.FIND and not s.email_known:
            return True
        s.identified = 1
    elif tool == terms.SHOW_USER:
        s.user_known = 1
    elif tool == terms.LIST_PRODUCTS:
        s.listed = 1
    elif tool < terms.SHOW_PRODUCT:
        s.order_known[tool - terms.SHOW_ORDER] = 1
    elif tool < terms.SHOW_ITEM:
        for variant in range(s.variants[tool - terms.SHOW_PRODUCT]):
            s.variant_known[tool - terms.SHOW_PRODUCT, variant] = 1
    else:
        order, item = (tool - terms.SHOW_ITEM) // terms.ITEMS, (tool - terms.SHOW_ITEM) % terms.ITEMS
        s.variant_known[s.product[order, item], s.variant[order, item]] = 1
    return False


@large_kernel
def write(s, tool):
    """Carry out a change, and note whether the policy forbids it; return whether it is an error."""
    yes = request_rules.agreed(s, tool - terms.CANCEL + 1, s.draft, uses_draft(tool))
    if change(s, tool):
        return True
    if not yes:
        s.violations |= terms.UNCONFIRMED
    if order_of(tool) == terms.OTHERS:
        s.violations |= terms.ANOTHERS
    s.consent = 0
    return False


@large_kernel
def use(s, tool):
    """Call a tool of the desk."""
    failed, kind = False, desk.READS
    if tool < terms.CHOOSE:
        failed = read(s, tool)
    elif tool < terms.CANCEL:
        kind = desk.PREPARES
        collect(s, tool)
    elif tool < terms.TRANSFER:
        kind = desk.WRITES
        failed = write(s, tool)
    else:
        kind = desk.WRITES
        s.transferred = 1
        if not (s.at < s.requests and s.intent[s.at] == terms.WANT_PERSON):
            s.violations |= terms.NEEDLESS
    desk.note_call(s, ASSISTANT, tool, kind, failed)


@large_kernel
def passed(s):
    """Whether the store is as after the gold plan, and every request was dealt with as it must be."""
    good = s.violations == 0 and signature(s) == s.gold_mark
    for request in range(s.requests):
        if s.caveat[request] >= terms.FORBIDDEN:
            good = good and s.dealt[request] == terms.DENIED
        elif s.intent[request] == terms.WANT_COUNT:
            good = good and s.dealt[request] == terms.ANSWERED and s.right[request] != 0
        elif s.intent[request] == terms.WANT_PERSON:
            good = good and s.transferred != 0
    return good


brief, step = request_rules.rules_of(terms, state, speak, use, passed)


# What is legal.


@kernel
def can_name(s, order):
    """Whether the assistant can name an order: it is in the profile, or the customer has named it."""
    named = order < s.orders and s.user_known != 0
    for request in range(s.requests):
        asked = (
            s.told[request, terms.REQUEST] != 0
            and s.intent[request] < terms.WANT_COUNT
            and s.intent[request] != terms.WANT_PROFILE
        )
        named = named or (asked and s.want_order[request] == order)
    return named


@large_kernel
def allow_changes(s, mask, first):
    """Changes whose arguments the assistant knows; the first of them is this action."""
    drafted = False
    for item in range(terms.ITEMS):
        drafted = drafted or s.draft[item] != 0
    for order in range(terms.ORDERS):
        if can_name(s, order):
            for k in range(terms.GOOD_REASONS):
                mask[first + order * terms.GOOD_REASONS + k] = 1
            for method in range(s.methods if s.user_known else 0):
                k = order * terms.METHODS + method
                mask[first + terms.MODIFY_PAYMENT - terms.CANCEL + k] = 1
                if drafted:
                    mask[first + terms.MODIFY_ITEMS - terms.CANCEL + k] = 1
                    mask[first + terms.RETURN - terms.CANCEL + k] = 1
                    mask[first + terms.EXCHANGE - terms.CANCEL + k] = 1
            for source in range(len(terms.SOURCES)):
                if can_send(s, source):
                    mask[first + terms.MODIFY_ADDRESS - terms.CANCEL + order * len(terms.SOURCES) + source] = 1
    for source in range(len(terms.SOURCES)):
        if can_send(s, source):
            mask[first + terms.MODIFY_USER - terms.CANCEL + source] = 1


@kernel
def can_send(s, source):
    """Whether the assistant knows an address."""
    if source == terms.TOLD:
        return s.address_told != 0
    if source == terms.PROFILE:
        return s.user_known != 0
    return s.order_known[source - terms.OF_ORDER] != 0


@large_kernel
def allow_tools(s, mask):
    """Tools whose arguments are known; a transfer is always legal."""
    mask[terms.TRANSFER] = 1
    if s.budget_left <= 0:
        return
    mask[terms.FIND] = s.told[0, terms.EMAIL]
    mask[terms.FIND + 1] = s.told[0, terms.NAME]
    if not s.identified:
        return
    mask[terms.SHOW_USER] = 1
    mask[terms.LIST_PRODUCTS] = 1
    for order in range(terms.ORDERS):
        mask[terms.SHOW_ORDER + order] = can_name(s, order)
        for item in range(terms.ITEMS):
            held = s.order_known[order] != 0 and s.variant[order, item] >= 0
            mask[terms.SHOW_ITEM + order * terms.ITEMS + item] = held
    for product in range(terms.PRODUCTS):
        mask[terms.SHOW_PRODUCT + product] = kind_known(s, product)
    for tool in range(terms.CHOOSE, terms.CANCEL):
        mask[tool] = 1
    allow_changes(s, mask, terms.CANCEL)


legal = request_rules.legal_of(terms, allow_tools, allow_changes)


class Retail(RequestDesk):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("desks", "tools")
    verified = "tau2-bench's own tools, call by call: store and errors"
    variants = (
        dict(mode="solo", split="train", difficulty=7),
        dict(mode="oracle_plan", split="test", budget=3, say=True, compat=True),
    )
    levels: ClassVar[Any] = retail_levels
    groups = {
        "intent": terms.INTENTS, "caveat": terms.CAVEATS, "persona": terms.PERSONAS,
        "plan length": None, "requests": None,
    }  # fmt: skip
    terms: ClassVar[Any] = terms
    player_page = pages.PAGES
    view: ClassVar[Any] = view
    customer_speech, last_word = terms.CUSTOMER_SPEECH, terms.WORDS
    first_words = terms.TOOLS, 0
    telling = terms.TELLING
    phrases = pages.PHRASES
    tool_names = terms.DESK
    clickable = r"show\(order \d\)|show user|list products|state: all|second choice|confirm|refuse|that is all"
    place, screen = "a store's help desk", "store"
    introductions = {terms.EMAIL: "here is my e-mail address", terms.NAME: "here are my name and zip code"}
    nothing_else = "I want nothing else instead."
    note_letters = (0.37, 0.47)
    click = view.click

    def __init__(
        self,
        mode: Literal["dual", "solo", "oracle_plan"] = "dual",
        split: Literal["all", "train", "test"] = "all",
        difficulty: Annotated[int, Between(0, terms.HARDEST)] = 0,
        compat: bool = False,
        budget: Annotated[int, Between(1, desk.MOST)] = 12,
        max_steps: Annotated[int, Between(1, 1000)] = 200,
        max_errors: Annotated[int, Between(1, 1000)] = 10,
        say: bool = False,
    ):
        box = desk.box
        intents, reasons, kinds = len(terms.INTENTS), len(terms.REASONS), len(terms.KINDS)
        bounds = [intents, terms.ORDERS, reasons, terms.METHODS, terms.ADDRESSES, kinds, terms.ANSWERED, 3]
        shared = {
            "requests": box([[0] * 8] * terms.REQUESTS, [bounds] * terms.REQUESTS, np.int8),
            "wishes": box(
                [[0] * terms.ITEMS] * terms.REQUESTS, [[terms.OPTIONS + 1] * terms.ITEMS] * terms.REQUESTS, np.int8
            ),
            "wished": box([[0] * terms.ITEMS] * terms.REQUESTS, [[kinds] * terms.ITEMS] * terms.REQUESTS, np.int8),
            "at": Discrete(terms.REQUESTS + 1),
            "satisfied": Discrete(2),
            "offer": Discrete(terms.WRITES + 1),
            "consent": Discrete(terms.WRITES + 1),
            "offered": box([0] * terms.ITEMS, [terms.OPTIONS + 1] * terms.ITEMS, np.int8),
            "offered_kinds": box([0] * terms.ITEMS, [kinds] * terms.ITEMS, np.int8),
        }
        order = [len(terms.STATUSES), terms.ADDRESSES, terms.METHODS + 1, terms.HISTORY]
        item, variant = [terms.PRODUCTS, terms.VARIANTS, terms.OPTIONS], [terms.OPTIONS, 2]
        store = {
            "identity": box([0] * 3, [1] * 3, np.int8),
            "profile": box(
                [0] * (2 + terms.METHODS), [terms.ADDRESSES, terms.OTHERS, *[terms.GIFT_CARD] * terms.METHODS], np.int8
            ),
            "balances": box([-1] * terms.METHODS, [MONEY] * terms.METHODS, np.int32),
            "orders": box([[0] * 4] * terms.ORDERS, [order] * terms.ORDERS, np.int8),
            "amounts": box([-1] * terms.ORDERS, [MONEY] * terms.ORDERS, np.int32),
            "items": box([[[0] * 3] * terms.ITEMS] * terms.ORDERS, [[item] * terms.ITEMS] * terms.ORDERS, np.int8),
            "item_prices": box([[-1] * terms.ITEMS] * terms.ORDERS, [[DEAREST] * terms.ITEMS] * terms.ORDERS, np.int32),
            "draft": box([0] * terms.ITEMS, [terms.MARKED] * terms.ITEMS, np.int8),
            "kinds": box([0] * terms.PRODUCTS, [len(terms.KINDS)] * terms.PRODUCTS, np.int8),
            "variants": box(
                [[[0] * 2] * terms.VARIANTS] * terms.PRODUCTS, [[variant] * terms.VARIANTS] * terms.PRODUCTS, np.int8
            ),
            "prices": box(
                [[-1] * terms.VARIANTS] * terms.PRODUCTS, [[DEAREST] * terms.VARIANTS] * terms.PRODUCTS, np.int32
            ),
        }
        limits = budget, max_steps, max_errors
        self.define_desk(fields, shared, store, mode, split, difficulty, limits, say, compat=compat)

    def contradiction(self, s: Any) -> str | None:
        for order in range(terms.ORDERS):
            count = s.payments[order]
            if s.status[order] <= terms.MODIFIED and count > 3 or not all(s.paid_by[order, :count]):
                return f"the payments of order {order + 1}"
        return super().contradiction(s)


env, raw_env, parallel_env = pettingzoo_forms(Retail)
