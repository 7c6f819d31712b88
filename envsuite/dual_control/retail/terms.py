"""The products, tools, speech and tasks of Retail's desk, numbered by their place in lists."""

from __future__ import annotations

import numpy as np

from envsuite.core.tools import Tool, names_of, starts_of
from envsuite.kit.desk import PERSONAS as PERSONAS
from envsuite.kit.request_desk import TRANSFER_TOOL, assistant_talk, closing_talk, customer_talk, telling
from envsuite.kit.request_rules import HARDEST as HARDEST
from envsuite.kit.request_rules import together

#: Sizes: the caller's orders and one of another user, items of an order, products, variants, payment methods, entries
#: of an order's payments, requests of a task.
ORDERS, ITEMS, PRODUCTS, VARIANTS, METHODS, HISTORY, REQUESTS = 5, 5, 8, 12, 4, 6, 3
#: The order of another user, which the caller may ask about.
OTHERS = ORDERS - 1

# The store. Every kind of product has three options of three values; a variant is a choice of them, as one number.
_SIZES, _COLORS = ("size", ("small", "medium", "large")), ("color", ("black", "white", "green"))
KINDS: tuple[tuple[str, tuple[tuple[str, tuple[str, str, str]], ...]], ...] = (
    ("desk lamp", (_COLORS, ("bulb", ("warm", "neutral", "cold")), ("stand", ("clamp", "foot", "wall")))),
    ("backpack", (_SIZES, _COLORS, ("cloth", ("canvas", "nylon", "wool")))),
    ("kettle", (("liters", ("1.0", "1.5", "2.0")), _COLORS, ("heat", ("gas", "electric", "induction")))),
    ("headphones", (_COLORS, ("fit", ("over ear", "on ear", "in ear")), ("link", ("cable", "radio", "both")))),
    ("rain jacket", (_SIZES, _COLORS, ("lining", ("none", "fleece", "down")))),
    ("notebook", (("paper", ("plain", "ruled", "grid")), _COLORS, ("pages", ("80", "120", "200")))),
    ("office chair", (_COLORS, ("arms", ("none", "fixed", "movable")), ("back", ("low", "medium", "high")))),
    ("bicycle helmet", (_SIZES, _COLORS, ("light", ("none", "rear", "both")))),
    ("keyboard", (("layout", ("US", "UK", "DE")), _COLORS, ("switches", ("soft", "firm", "loud")))),
    ("blanket", (_SIZES, _COLORS, ("fill", ("cotton", "wool", "down")))),
    ("water bottle", (("liters", ("0.5", "0.75", "1.0")), _COLORS, ("lid", ("screw", "flip", "straw")))),
    ("running shoes", (_SIZES, _COLORS, ("sole", ("road", "trail", "track")))),
    ("camera", (_COLORS, ("zoom", ("3x", "5x", "10x")), ("storage", ("card", "16 GB", "64 GB")))),
    ("tent", (("persons", ("1", "2", "4")), _COLORS, ("seasons", ("2", "3", "4")))),
    ("coffee maker", (("cups", ("1", "6", "12")), _COLORS, ("type", ("filter", "press", "espresso")))),
    ("bookshelf", (("boards", ("3", "4", "5")), _COLORS, ("wood", ("oak", "pine", "beech")))),
)
OPTIONS = 27
METHOD_KINDS = ("credit card", "PayPal", "gift card")
NO_METHOD, CREDIT_CARD, PAYPAL, GIFT_CARD = range(4)
STATUSES = ("pending", "item modified", "processed", "delivered", "canceled", "exchange requested", "return requested")
PENDING, MODIFIED, PROCESSED, DELIVERED, CANCELED, EXCHANGING, RETURNING = range(7)
STREETS = ("Alder Way", "Birch Road", "Cedar Lane", "Elm Street", "Maple Avenue", "Oak Drive")
CITIES = ("Austin", "Boston", "Chicago", "Denver")
#: An address is a number: street and house times city.
ADDRESSES = len(STREETS) * len(CITIES)
REASONS = ("no longer needed", "ordered by mistake", "found it cheaper")
#: The reasons that the policy accepts.
GOOD_REASONS = 2

# Tools: those that read, those that collect items for a change, those that change something, and the transfer.
_ORDER, _ITEM, _METHOD = range(1, ORDERS + 1), range(1, ITEMS + 1), range(1, METHODS + 1)
SOURCES = ("told", "profile", *(f"order {k + 1}" for k in range(OTHERS)))
TOLD, PROFILE, OF_ORDER = range(3)
READ_TOOLS = (
    Tool("find_user", "find user({by})", "Find the customer by what was told; before all else.",
         {"by": ("email", "name and zip")}),
    Tool("show_user", "show user", "Read the customer's address, payment methods and orders."),
    Tool("list_products", "list products", "List the kinds of products."),
    Tool("show_order", "show(order {order})", "Read an order: status, address, items, payments.", {"order": _ORDER}),
    Tool("show_product", "show(product {product})", "Read a product's variants: options, price, availability.",
         {"product": range(1, PRODUCTS + 1)}),
    Tool("show_item", "show(order {order}, item {item})", "Read the variant of an item: options, price, availability.",
         {"order": _ORDER, "item": _ITEM}),
)  # fmt: skip
DRAFT_TOOLS = (
    Tool("choose", "choose(item {item}, variant {variant})", "Collect an item with its new variant, for a change.",
         {"item": _ITEM, "variant": range(1, VARIANTS + 1)}),
    Tool("mark", "mark(item {item})", "Collect an item, for a return.", {"item": _ITEM}),
    Tool("clear", "clear", "Drop all items that were collected."),
)  # fmt: skip
WRITE_TOOLS = (
    Tool("cancel", "cancel(order {order}, {reason})", "Cancel a pending order, and refund it.",
         {"order": _ORDER, "reason": REASONS[:GOOD_REASONS]}),
    Tool("modify_items", "modify items(order {order}, method {method})",
         "Change the collected items of a pending order; once, and the difference is paid by this method.",
         {"order": _ORDER, "method": _METHOD}),
    Tool("modify_payment", "modify payment(order {order}, method {method})",
         "Have a pending order paid by another method.", {"order": _ORDER, "method": _METHOD}),
    Tool("modify_address", "modify address(order {order}, {address})",
         "Send a pending order to another address: the one that was told, the profile's, or another order's.",
         {"order": _ORDER, "address": SOURCES}),
    Tool("modify_user_address", "modify user address({address})", "Change the address in the profile.",
         {"address": SOURCES}),
    Tool("return_items", "return(order {order}, method {method})",
         "Take back the collected items of a delivered order; once.", {"order": _ORDER, "method": _METHOD}),
    Tool("exchange_items", "exchange(order {order}, method {method})",
         "Exchange the collected items of a delivered order; once.", {"order": _ORDER, "method": _METHOD}),
)  # fmt: skip
DESK_TABLE = (*READ_TOOLS, *DRAFT_TOOLS, *WRITE_TOOLS, TRANSFER_TOOL)
DESK = names_of(DESK_TABLE)
(
    FIND, SHOW_USER, LIST_PRODUCTS, SHOW_ORDER, SHOW_PRODUCT, SHOW_ITEM,
    CHOOSE, MARK, CLEAR,
    CANCEL, MODIFY_ITEMS, MODIFY_PAYMENT, MODIFY_ADDRESS, MODIFY_USER, RETURN, EXCHANGE,
    TRANSFER, TOOLS,
) = starts_of(DESK_TABLE)  # fmt: skip
WRITES = TRANSFER - CANCEL
#: In a draft, 0 is no item, and from 1 on the new variant; this is an item that was only marked.
MARKED = VARIANTS + 1

# Speech.
ABOUT = ("request", "email", "name and zip", "items", "payment", "reason", "address")
REQUEST, EMAIL, NAME, ITEMS_WANTED, PAYMENT, REASON, ADDRESS = range(len(ABOUT))
ANSWER_TOOL = Tool("answer", "answer: {count}", "Say how many variants of the product are available.",
                   {"count": range(VARIANTS + 1)})  # fmt: skip
CLOSING = closing_talk(ANSWER_TOOL)
ASSISTANT_TALK = assistant_talk(
    ABOUT, "the collected items", WRITE_TOOLS, ("not available", "balance too small"), CLOSING
)
ASK, PROPOSE, INFORM, SAY_DONE, DENY, ANSWER, CLOSE, ASSISTANT_SAYS = starts_of(ASSISTANT_TALK)
NOT_AVAILABLE, TOO_SMALL = INFORM, INFORM + 1
CUSTOMER_TALK = customer_talk(ABOUT)
STATE, SECOND, CONFIRM, REFUSE, THAT_IS_ALL, HANG_UP, _ = starts_of(CUSTOMER_TALK)
STATE_ALL = STATE + len(ABOUT)
#: The customer's first word in the talk, and the last one.
CUSTOMER_SPEECH = ASSISTANT_SAYS + 1
WORDS = CUSTOMER_SPEECH + HANG_UP
TELLING = telling(PROPOSE, INFORM, SAY_DONE, CUSTOMER_SPEECH, CUSTOMER_SPEECH + CONFIRM)

# Tasks.
INTENTS = ("cancel", "modify items", "payment", "address", "profile", "return", "exchange", "count", "person")
(
    WANT_CANCEL, WANT_MODIFY, WANT_PAYMENT, WANT_ADDRESS, WANT_PROFILE, WANT_RETURN, WANT_EXCHANGE, WANT_COUNT,
    WANT_PERSON,
) = range(len(INTENTS))  # fmt: skip
#: What is special about a request: a second choice because the first is not available, because the gift card is too
#: small, or because the customer changes its mind; or why it must be denied.
CAVEATS = (
    "none", "not available", "gift card too small", "changes mind", "order of another", "wrong status", "wrong reason",
    "wrong method",
)  # fmt: skip
PLAIN, UNAVAILABLE, POOR, MIND, OTHER_USER, WRONG_STATUS, WRONG_REASON, WRONG_METHOD = range(len(CAVEATS))
#: From this caveat on, the request must be denied.
FORBIDDEN = OTHER_USER


def _possible() -> np.ndarray:
    """Whether an intent can have a caveat."""
    table = np.zeros((len(INTENTS), len(CAVEATS)), np.uint8)
    table[:, PLAIN] = 1
    table[[WANT_MODIFY, WANT_EXCHANGE], UNAVAILABLE] = 1
    table[[WANT_MODIFY, WANT_EXCHANGE, WANT_PAYMENT], POOR] = 1
    table[[WANT_MODIFY, WANT_EXCHANGE], MIND] = 1
    table[[WANT_CANCEL, WANT_RETURN, WANT_ADDRESS], OTHER_USER] = 1
    table[[WANT_CANCEL, WANT_MODIFY, WANT_PAYMENT, WANT_ADDRESS, WANT_RETURN, WANT_EXCHANGE], WRONG_STATUS] = 1
    table[WANT_CANCEL, WRONG_REASON] = 1
    table[WANT_RETURN, WRONG_METHOD] = 1
    return table


POSSIBLE = _possible()

#: The challenge of an intent, and what a caveat adds to it: 1 to 5 in all.
CHALLENGE = np.array([1, 3, 2, 1, 1, 2, 3, 1, 1])
MORE = np.array([0, 1, 2, 2, 1, 1, 1, 2])
TOGETHER = together(
    len(INTENTS), (WANT_CANCEL, WANT_MODIFY, WANT_PAYMENT, WANT_ADDRESS), (WANT_RETURN, WANT_EXCHANGE),
    (WANT_MODIFY, WANT_RETURN, WANT_EXCHANGE), (WANT_ADDRESS, WANT_PROFILE),
)  # fmt: skip
#: Every other request that can have a caveat has one.
DIE = np.array([1, 0])

#: How a request was dealt with.
OPEN, DONE, DENIED, ANSWERED = range(4)

#: What the assistant must not do, with a bit each.
VIOLATIONS = (
    "changed something without a yes", "changed an order of another user", "transferred what can be dealt with",
)  # fmt: skip
UNCONFIRMED, ANOTHERS, NEEDLESS = (1 << k for k in range(3))

#: The longest gold plan: three requests of five items and a change each, and a transfer.
PLAN_LENGTH = REQUESTS * (ITEMS + 2) + 1
