"""Retail's pages for players."""

from collections.abc import Mapping

from envsuite.core.page import Pattern
from envsuite.kit import request_desk
from envsuite.kit.request_desk import assistant_page, customer_page

_POLICY = (
    "Before each change, propose it and get a yes. Change only what the customer asks for.",
    "Deny every request about an order of another user.",
    "Cancel only a pending order, and only if it is no longer needed or was ordered by mistake.",
    "Change items, payment or address only of a pending order. Items change once, each to another available variant of "
    "the same product; after that, only the address of the order can change, and it cannot be canceled. The payment "
    "changes once, to a method that has not paid. The address in the profile may always change.",
    "Return or exchange only items of a delivered order, once. Money comes back to the method that paid, or to a gift "
    "card. A gift card must cover what it is to pay.",
    "Deny what this forbids. Transfer only what no tool can do.",
)
_LOOKUPS: Mapping[Pattern, str] = {
    "find user({BY})": "find the customer, by what was stated, before all else",
    ("show user", "list products"): "read the profile, or the list of products",
    (
        "show(order {N})",
        "show(product {N})",
        "show(order {N}, item {N})",
    ): "read an order, a product's variants, or an item",
    ("choose(item {N}, variant {N})", "mark(item {N})"): "collect an item: with its new variant, or for a return",
    "clear": "drop all that were collected",
}
_CHANGES: Mapping[Pattern, str] = {
    "cancel(order {N}, {REASON})": "cancel and refund it",
    ("modify items(order {N}, method {N})", "exchange(order {N}, method {N})"): (
        "give collected items their new variants; the method pays the difference or gets it"
    ),
    "return(order {N}, method {N})": "take collected items back, and pay this method",
    "modify payment(order {N}, method {N})": "have another method pay, and refund the first",
    ("modify address(order {N}, {ADDRESS})", "modify user address({ADDRESS})"): (
        "enter the address that was told, the profile's, or an order's"
    ),
}
_TALK: Mapping[Pattern, str] = {"inform: {FACT}": "say what is in the way"}
_ANSWERS: Mapping[Pattern, str] = {"answer: {COUNT}": "say how many variants are available; on to the next"}

PAGES = {
    "assistant": assistant_page(
        "a store's help desk",
        "orders and profile are as requests and policy demand, you denied or transferred just what you must, and "
        "answered questions correctly",
        _POLICY, _LOOKUPS, _CHANGES, _TALK, _ANSWERS, {},
        {"compat": "slips of the store's software, which orders show"},
    ),
    "customer": customer_page("a store's help desk", "what you want is not available or cannot be paid"),
}  # fmt: skip


#: What policies say in free talk.
PHRASES = {
    **request_desk.PHRASES,
    "answer: {}": (
        "The number of variants that you can get is {0}.",
        "Available right now: {0}.",
        "I count {0}.",
        "Of that product we have this many variants: {0}.",
        "The answer is {0}.",
    ),
}
