"""The kinds of worlds, which are what users look for. A world may have several; its first one is its place in lists."""

from __future__ import annotations

from collections.abc import Sequence

from envsuite.core.errors import ParameterError, suggest

#: Each kind with what its worlds are, in the order in which the documentation lists them.
KINDS = {
    "boards": "Board games for two players or more, with open or hidden boards.",
    "cards": "Games with cards or dice.",
    "bargaining": "Offers, divisions, auctions and matrix games between a few players.",
    "debate": "Two debaters persuade a judge who sees less than they do.",
    "puzzles": "Something hidden or tangled to solve, mostly alone.",
    "text": "Adventures and chores that are played with commands in words.",
    "screens": "Apps, web pages and shops, used as on a screen.",
    "control": "Continuous motion and mechanics: balance, swing, drive.",
    "memory": "Tests of memory, exploration and credit for late rewards.",
    "teams": "Teams and strategy: agents that work together, or fight other teams.",
    "operations": "Plants, vehicles and portfolios that are run day by day.",
    "rooms": "Rooms with doors, keys and objects, seen from inside.",
    "safety": "What was rewarded is not what was meant: side effects, supervision, interruption, deceit.",
    "arcade": "Screens of arcade games.",
    "traffic": "Cars and drivers on shared roads.",
    "open worlds": "Large worlds with many things to gather, make and do.",
    "commons": "Many agents live on something shared, on a map or by shares (Melting Pot and others).",
    "dilemmas": "What is best for one is worse for all.",
    "deduction": "Hidden roles, bluffs and votes.",
    "markets": "Prices, orders and stocks among traders and firms.",
    "knowledge": "Learning from others: guides, sources, questions and generations.",
    "opinions": "Votes, opinions and contagion among neighbors.",
    "desks": "Help desks: an assistant with tools, a customer with a wish.",
    "off-switch": "A robot that has to learn what a human values, and may be switched off.",
    "preferences": "Wishes of a user that have to be found out.",
    "tools": "Tasks for agents with tools: logs, packages, machines, bookings.",
}

#: The tail of a message about a kind that is like none.
EVERY = f"; known: {', '.join(KINDS)}"


def known_kinds(label: str, kinds: Sequence[str]) -> None:
    """Raise `ParameterError`, which begins with this label, unless all of these are kinds."""
    for kind in kinds:
        if kind not in KINDS:
            raise ParameterError(f"{label}: {kind!r} is no kind of world{suggest(kind, KINDS) or EVERY}")
