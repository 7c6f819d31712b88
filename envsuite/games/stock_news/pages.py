"""StockNews' page for players."""

from __future__ import annotations

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role="You trade with {traded} for {days:day}. You begin with {cash:,g} in cash and no shares.",
    goal=(
        "Your capital is your cash and the worth of your shares. Each day pays you the change of your capital as a "
        "part of the cash at the start, so a gain of 50 % pays 0.5 in all."
    ),
    rules=(
        (
            "Each day you see the prices and the news of the next day: by how much {moved} will change. Then you "
            "trade, at the prices of this day and without fees. After that the next day begins, and the prices change "
            "with the news. How the price of a stock follows the factors is hidden from you; it stays the same on all "
            "days. No price falls below {floor}. After the trade of the last day, the prices stay as they are.",
        ),
        (
            "Numbers of shares are whole. What you sell is sold first, in the order of the stocks; then you buy, in "
            "the same order.",
            Case(
                "controls",
                {
                    "orders": "You never sell more than you have. A purchase that costs more than your cash at that "
                    "moment, or after which you would have more than {shares:,} shares of the stock, fails as a whole.",
                },
                "You buy as many shares as your cash covers, and never have more than {shares:,} of a stock.",
            ),
        ),
    ),
    sees="You see your cash, your shares, and what you bought or sold on the day before.",
    acts={
        "hold": When("named", "do not trade"),
        "sell all": When("named", "sell all shares"),
        "equal parts": When(
            "named",
            When("many", "put an equal part of your capital into each stock", "buy shares for your whole capital"),
        ),
        "all into {STOCK}": When("named", "put your whole capital into this stock"),
        "S{K}": Case(
            "controls",
            {
                "weights": "the part of your capital that this stock is to have, from 0 to 1. If the sum of all parts "
                "is above 1, they are divided by it",
                "orders": "the number of shares to buy, or to sell if it is negative, from -{order:,} to {order:,}. "
                "Fractions are cut off",
            },
        ),
    },
    ends="It is over after {days:trade}.",
    constants={
        "50": "the gain of the example",
        "0.5": "what it pays",
        "0": "the smallest part",
        "1": "the largest part",
    },
)


def span(letter: str, count: int) -> str:
    """The names of two or more things."""
    return f"{letter}0 {'and' if count == 2 else 'to'} {letter}{count - 1}"
