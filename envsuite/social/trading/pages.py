"""Trading's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role=When("rivals", "You are one of {traders} traders, and trade {assets:asset}.", "You trade {assets:asset}."),
    goal=(
        "The gain of a bar is the sum of your positions times the returns of the assets, less costs, as a part of "
        "your capital.",
        Case(
            "reward",
            {
                "profit": "You earn the gain of each bar.",
                "growth": (
                    "In each bar you earn the logarithm of 1 plus the gain, which counts as {least} if it is less."
                ),
            },
        ),
    ),
    rules=(
        "A position is the share of your capital that you hold in an asset, below 0 if you have sold short. You "
        "trade for {bars:bar}. In a bar you go through the assets in order and choose a position in each asset. When "
        "all traders have chosen, they trade, and the returns of the bar follow. Changes of prices alone change no "
        "position.",
        "To change a position by c costs {fee} times the size of c, and {impact} times c times the sum of all "
        "traders' changes in the asset.",
        (
            Case(
                "prices",
                {
                    "regimes": (
                        "Each asset is in a hidden regime: in a trend, a return is {rho} times the last one, in "
                        "revert -{rho} times, in noise 0; always plus a random part with a standard deviation of "
                        "{sigma}. A regime stays with probability {stay}, and otherwise changes to one of the others."
                    ),
                    "coin": "A return is {sigma} with probability {up}, otherwise -{sigma}.",
                    "pairs": (
                        "Both assets have the same chance returns, with a standard deviation of {sigma}, plus and "
                        "minus half the change of a spread, which loses the part {pull} of itself in each bar and "
                        "changes by chance, with the same deviation."
                    ),
                    "factors": (
                        "Prices change by the news of the bar, which are the changes of {factors:factor}, times "
                        "numbers that are hidden. All know the news of the coming bar."
                    ),
                },
            ),
        ),
        When(
            "queries",
            (
                "In a bar you may query up to {queries:indicator}, each once for an asset, before you choose; a query "
                "costs {query_cost}. The mean (momentum), the standard deviation (volatility) and the autocorrelation "
                "are those of the last {window:return}.",
                When(
                    "analyst",
                    "The analyst names the regime of the coming return and is right with probability {accuracy}.",
                ),
            ),
        ),
    ),
    sees="You see prices, returns, your positions, and the sums of the last changes of all traders.",
    acts={
        (
            "long {PART}",
            "short {PART}",
        ): "hold this part of the most that you may, or owe it; the most is {most} of your capital in an asset",
        "flat": "hold nothing in the asset",
        ("query momentum", "query volatility", "query autocorrelation"): When("queries", "see this indicator"),
        "query analyst": When("analyst", "hear what the analyst says"),
    },
    ends="It is over after {bars:bar}.",
    unsaid={
        "sizes": "the names of the positions show it",
        "up": "told where prices are those of a coin",
    },
    constants={"0": "no position", "1": "the capital", "half": "of the change of the spread"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    p = world.parameters
    return {
        "rivals": p["traders"] > 1,
        "least": 0.01,
        "window": 20,
        "analyst": p["queries"] and p["prices"] == "regimes",
        "most": "all" if p["assets"] == 1 else f"1/{p['assets']}",
    }
