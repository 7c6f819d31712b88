"""Paintball's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page
from envsuite.gridworlds.paintball.view import NAMES

PAGE = Page(
    role="You play for {own}, {team:player} against {team} of {foe}. You shoot each other and paint the floor.",
    goal=Case(
        "mode",
        {
            "flags": "A capture by your team pays you 1, one by the other team -1, even while you are out.",
            "hill": (
                "Each turn in which your team holds the hill pays you 1, one in which the other team holds it -1, even "
                "while you are out."
            ),
        },
    ),
    rules=(
        (
            "The map has 21 x 21 cells. A short shot reaches the three cells ahead, and the cell on each side of you "
            "with the two cells ahead of it; it also paints your own cell. You can shoot again in the third turn after "
            "it. A long shot reaches the six cells ahead, if you did not walk in the turn before. You can shoot again "
            "in the fifth turn after it."
        ),
        (
            "Shots leave paint of your team on the floor that they go over. On paint of the other team you can shoot, "
            "but neither walk nor turn: you can walk onto it, but are then stuck until a shot of your team paints your "
            "cell."
        ),
        (
            "You begin with 2 health. In each turn it grows by 1 with a chance of {regeneration}, up to 3 on paint of "
            "your team, 1 on that of the others, and 2 elsewhere. A shot takes 1 health from a player of the other "
            "team that it hits, and flies on unless that player is out. Shots do not hurt your own team. With 0 health "
            "you are out for {away:turn}; then you are back with 2 health at a random start of your team. Walls end "
            "shots. A barrier does too, until the fifth hit destroys it; its rubble can be walked over but not painted."
        ),
        Case(
            "mode",
            {
                "flags": (
                    "Each team has a flag at its base. You take the other team's flag when you come to it; if you are "
                    "hit out, it lies where you were. If your flag lies elsewhere, you send it home when you come to "
                    "it, unless the other flag lies there, at your base. You capture when you carry the other flag and "
                    "are at your base while your own flag lies there. Then both flags return."
                ),
                "hill": (
                    "At the start of each turn the cells of the hill are counted. A team whose paint is on at least "
                    "80% of them takes the hill, and all its cells get its paint. It holds the hill until less than "
                    "half of them have its paint."
                ),
            },
        ),
        (
            "In a turn all walk and turn first, in random order; if several want a cell, a random one gets it. Then "
            "shots fly in random order, and the last one to a cell gives the paint. Players that are hit out in this "
            "turn still shoot in it."
        ),
    ),
    sees=(
        "You see the cells up to 9 ahead of you, 1 behind and 5 to each side. Signs on the outer walls and in the "
        "middle of the map show who is ahead. The middle can be walked over but not painted."
    ),
    acts={
        ("forward", "backward", "step left", "step right"): "walk one cell without turning",
        ("turn left", "turn right"): "turn",
        "short shot": "shoot near and wide",
        "long shot": "shoot far and straight",
        "noop": "do nothing",
    },
    ends="It is over after {horizon:turn}.",
    unsaid={"respawn": "told as the turns for which one is out"},
    constants={
        "1": "for a capture or a turn, a point of health, a cell behind",
        "0": "no health",
        "21": "cells of the map",
        "2": "health",
        "3": "health on own paint",
        "5": "cells to a side",
        "9": "cells ahead",
        "80%": "of the hill",
        "half": "of the hill",
        "two": "cells of a shot",
        "three": "cells of a shot",
        "six": "cells of a shot",
        "third": "turn after a shot",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    own = agent // world.team
    return {"own": NAMES[own], "foe": NAMES[1 - own], "away": int(s.params.respawn) + 1}
