"""MatrixInTheGrid's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.core.page import Page, When, listed
from envsuite.kit.avatar_pages import CROWD, ENDS, SEES, WALKS, nexts, percent, slots

PAGE = Page(
    role=(
        "You are one of {everyone} players in an arena with resources of {kinds} kinds: {names}.",
        When("roles", "Row players: {row_players}. Column players: {column_players}. You are a {role} player."),
    ),
    goal=(
        "Each time you interact with another player, you are paid for what the two of you hold. {table} You are "
        "paid the average of these numbers, in which each of your kinds counts as much as its share of all that you "
        "hold, and each of the other's as much as its share of all that the other holds."
    ),
    rules=(
        "You take a resource by walking onto it. At first, and after each interaction, you hold one of each kind. You "
        "are ready as soon as you have taken a resource.",
        (
            "The beam with which you interact has three columns of up to {beam:cell}: the middle one begins with the "
            "cell ahead of you, the others with the cells to your left and right. Each ends at the first wall, player "
            "or resource. If it ends at another player and both of you are ready, you interact.",
            When("roles", "Only a row player and a column player interact."),
            "Both of you can do nothing for {frozen:turn}, and in the last of them you are paid. Then you start anew: "
            "you are away for {away:turn} and come back at a random starting place. In each turn only the first "
            "player that you hit or that hits you counts, even if one of you is not ready. After a beam you cannot "
            "fire in the {next_cooldown}.",
        ),
        (
            "A resource that beams have hit {hits} times is gone, and the last of these beams goes on. Where a "
            "resource was taken or destroyed, one of the same kind comes back: after {delay:turn}, with a chance of "
            "{growth} in each turn, unless a player stands there.",
            When("refill", "When all players are away, all resources come back."),
        ),
        (
            CROWD,
            "Within a turn, all walk first; then beams go off in the same order. Walls and other players block the "
            "way.",
        ),
    ),
    sees=(
        SEES,
        "You see who in view is ready or frozen, but not what they hold, nor how often a resource was hit. When you "
        "interact, you are told what the other holds.",
    ),
    acts={**WALKS, "interact": "fire the beam"},
    ends=ENDS,
    unsaid={
        "game": "told by the kinds of resources and what they pay",
        "form": "told by what is seen and what comes back",
        "players": "told as the number of players",
    },
    constants={"two": "who interact", "three": "columns of the beam"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    params = s.params
    row, column = np.asarray(params.payoffs, float)
    rows = len(world.agents) // 2
    if world.roles:
        mine, other = (row, column.T) if agent < rows else (column.T, row)
        table = f"{_told(world.classes, mine, 'you get')} {_told(world.classes, other, 'the other gets')}"
    elif (row == column.T).all():
        table = _told(world.classes, row, "you get")
    else:
        table = (
            f"{_told(world.classes, row, 'the one that fires gets')} {_told(world.classes, column.T, 'the other gets')}"
        )
    return {
        **slots(world, s),
        **nexts(cooldown=int(params.cooldown)),
        "kinds": len(world.classes),
        "names": listed(world.classes),
        "roles": bool(world.roles),
        "row_players": world.agents[:rows],
        "column_players": world.agents[rows:],
        "role": "row" if agent < rows else "column",
        "table": table,
        "beam": 3,
        "hits": 3,
        "frozen": int(params.freeze) + 1,
        "away": int(params.respawn) + 1,
        "delay": int(params.delay),
        "growth": percent(params.growth),
        "refill": bool(params.refill),
    }


def _told(names: Any, table: Any, who: str) -> str:
    """What a player gets: a row of the table for each kind that it holds itself."""
    parts = [
        f"for {name} {who} {listed([f'{pay:g} against {other}' for other, pay in zip(names, pays)])}"
        for name, pays in zip(names, table)
    ]
    told = "; ".join(parts)
    return f"{told[0].upper()}{told[1:]}."
