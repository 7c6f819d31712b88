"""Shared by bargaining worlds: the division of a stock between two agents that claim parts of it."""

from __future__ import annotations

from envsuite.core.kernel import kernel


@kernel
def proportional_share(mine, theirs, stock):
    """The share of an agent that claims `mine`: the claim, or a proportional part if both claims exceed the stock."""
    return 1.0 * stock * mine / max(stock, mine + theirs)
