"""OrderBook's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role=(
        When("rivals", "You are one of {traders:trader} in a market.", "You are a trader in a market."),
        When("crowd", "A crowd of others trades there too."),
    ),
    goal=Case(
        "task",
        {
            "making": (
                "In each step you earn the change of your wealth in ticks, less {aversion} times the square of the "
                "lots that you hold or owe. Wealth is the ticks that you have, plus the lots that you hold at the "
                "price in the middle between the best bid and the best ask, or at the last price if a side of the book "
                "is empty. You may hold or owe up to 100 lots; your orders count as if they had traded.",
            ),
            "execution": (
                "You have to {side} {lots:lot}. For each lot you earn the ticks by which its price is better than the "
                "middle price at the start. You cannot {other} lots, nor order more than are left to {side}. Lots that "
                "are left at the end are traded at the market, and 10 ticks worse than the last price where the book "
                "is too thin.",
            ),
            "values": (
                "You may {side} one lot, once. It has a worth to you, which others do not see. If you trade, you earn "
                "{gain}, in ticks.",
            ),
        },
    ),
    rules=(
        (
            "Prices are whole numbers of ticks",
            When("book", "from 0 to 511.", "from 1 to 200."),
            "An order to buy trades with the cheapest order to sell, if that is no dearer than its limit; an order to "
            "sell trades with the dearest order to buy, if that is no cheaper than its limit. The price is that of the "
            "order that stood in the book; at equal prices the order that came first trades first. What is left of "
            "an order stays in the book",
            When(
                "book",
                "if it has a limit, and is dropped if it is at the market. A trader may trade with itself.",
                "until it trades or its trader makes another one.",
            ),
        ),
        (
            When(
                "book",
                "If a side of the book is empty, the best price for the limits of orders is one tick below the last "
                "price for bids, and one above for asks.",
            ),
            When("rivals", "In each step, the traders act in an order drawn by lot."),
            When("book", When("rivals", "An action that has become impossible does nothing.")),
            When(
                "crowd",
                (
                    When("rivals", "Then", "After your action,"),
                    "the crowd makes {flow:order or removal/orders or removals}. Each price is near 256 with a "
                    "chance of {anchor}, and else near the last price. Before the first step it makes "
                    "{warmup:order or removal/orders or removals}",
                    Case(
                        "opening",
                        {
                            "auction": "that are collected and traded in one auction, at one price.",
                            "continuous": "in the same way.",
                        },
                    ),
                ),
            ),
        ),
    ),
    sees="All see the best prices of the book, their lots, and the last trades. Nobody sees whose they are.",
    acts={
        "hold": "do nothing; your orders stay",
        "quote {PRICE}": Case("task", {"values": "offer to {side} at this price, instead of your last offer"}),
        "buy {N} at bid{K}": When("book", "order N lots at the best bid, or K ticks above or below it"),
        "buy {N} at bid": When("book", ""),
        "sell {N} at ask{K}": When("book", "offer N lots at the best ask, or K ticks above or below it"),
        "sell {N} at ask": When("book", ""),
        ("buy {N} at market", "sell {N} at market"): When("book", "trade N lots at once, at the best prices there are"),
        ("cancel oldest", "cancel all"): When("book", "take back your oldest order, or all; you can have up to 8"),
    },
    ends="The market closes after {steps:step}.",
    constants={
        "0": "the lowest price", "511": "the highest price",
        "1": "the lowest quote", "200": "the highest quote", "256": "the first price",
        "100": "the most lots", "8": "the most orders",
        "10": "ticks that are lost",
    },
)  # fmt: skip


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    task = world.parameters["task"]
    side = ("buy", "sell")[max(0, int(world.observation(s, agent).side[0]))]
    return {
        "rivals": len(world.agents) > 1,
        "crowd": task != "values",
        "book": task != "values",
        "side": side,
        "other": "sell" if side == "buy" else "buy",
        "gain": "its worth to you less the price" if side == "buy" else "the price less its worth to you",
    }
