"""Roguelike's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When
from envsuite.gridworlds.roguelike import levels, rules

#: The kinds of dungeons, in the order of their numbers.
_KINDS = (
    "room", "corridors", "maze", "vault", "river", "rooms", "crossing", "wood", "orchard", "hall", "memory", "pits",
    "rings",
)  # fmt: skip

PAGE = Page(
    role="You are a hero in a small dungeon, and you look for the stairs.",
    goal=(
        "The stairs pay you 1.",
        When("eat", "An apple that you eat pays 0.5."),
        When("pits", "A boulder that fills a pit pays 0.1."),
        "An action that is impossible takes no time and costs 0.01.",
    ),
    rules=(
        Case(
            "kind",
            {
                "room": "The dungeon is one room.",
                "corridors": (
                    "The dungeon has rooms and dark corridors between them. Doors and parts of corridors may be "
                    "hidden, and doors may be locked."
                ),
                "maze": "The dungeon is a maze.",
                "vault": "The stairs are in a locked room, and a key lies outside of it.",
                "river": "A river lies between you and the stairs, and boulders lie on your side.",
                "rooms": (
                    "The dungeon is a chain of rooms with doors between them; the stairs are in the last one.",
                    When("molten", "The walls of the rooms are lava."),
                ),
                "crossing": "Lava divides the room. On your side lies a potion of levitation or a wand of cold.",
                "wood": "Trees and clouds stand in the room.",
                "orchard": "The dungeon is a maze in which apples lie.",
                "hall": "A corridor leads to a hall of monsters.",
                "memory": (
                    (
                        "The dungeon is a room, a long corridor and {ways} ways at its end, each with stairs. Only one "
                        "of the stairs is real. A key in the north west corner of the first room means the northern "
                        "one of two ways, an apple there the southern one."
                    ),
                    When(
                        "four",
                        (
                            "These are two of the four ways: the northern two if a key lies in the south west corner, "
                            "the southern two if an apple lies there."
                        ),
                    ),
                ),
                "pits": (
                    "Pits lie in the corridor to the stairs, and boulders before it. The stairs only count when all "
                    "pits are filled."
                ),
                "rings": "The dungeon is a labyrinth of rings, one within the other, each with one gap.",
            },
        ),
        (
            "A turn is one action of yours; then the monsters act, if there are any. You move to any of the eight "
            "cells around you, but not diagonally into or out of an open door. A move into a closed door opens it, but "
            "not diagonally. You face the way of your last move, even of an impossible one."
        ),
        When(
            "boulders",
            (
                (
                    "A move into a boulder pushes it one cell further, onto free floor, corridor, doorway or "
                    "ice{square}. A boulder that is pushed into water or a pit fills it; it fills lava with a chance "
                    "of {fill:.0%} and otherwise sinks."
                ),
            ),
        ),
        "Lava and pits kill you. You cannot enter water.",
        When(
            "traps",
            (
                "There are hidden traps, which appear when you enter them: darts take 1 to {darted} health, a snare "
                "holds you for 1 to {snared} turns, in which you can still fight, and a teleporter moves you to a "
                "random cell."
            ),
        ),
        "You begin with {health} health, the most you can have, and regain 1 every {healing:turn}. At 0 you die.",
        When(
            "monsters",
            (
                (
                    "A move into a monster attacks it: with a chance of {accuracy:.0%} it takes 1 to {damage} of its "
                    "health. A monster attacks you from a cell beside you, and comes nearer when it sees you, also in "
                    "the dark. In a turn it gains energy, and a step or an attack uses {cost}. The kinds are {beasts}."
                ),
            ),
        ),
        When("mapped", "You know the map from the start, but not what is hidden."),
    ),
    sees=(
        (
            "You see the cells beside you, and lit cells in a line of sight. Walls, rock, shut doors, trees, clouds "
            "and boulders hide what is behind them. You remember the ground and things that you have seen, but not "
            "monsters."
        ),
        When(
            "map", "You are shown all of the map that you know.", "You are shown the {view} x {view} cells around you."
        ),
    ),
    acts={
        (
            "north",
            "north east",
            "east",
            "south east",
            "south",
            "south west",
            "west",
            "north west",
        ): "move, attack, push or open a door this way",
        "search": When("search", "find each hidden thing in the eight cells around you with a chance of 1 in {find}"),
        "kick": When(
            "kick",
            (
                "kick what you face: a shut door breaks with a chance of {broken:.0%}, and a monster loses 1 to "
                "{kicked} health with a chance of {hit:.0%}"
            ),
        ),
        "take": When("take", "pick up what lies in your cell"),
        "apply": When("apply", "open a locked door beside you with your key, which you keep"),
        "eat": When("eat", "eat the apple in your cell"),
        "quaff": When(
            "quaff",
            "drink a potion: for {flight:turn} you cross water, lava, pits and traps, but cannot push or take anything",
        ),
        "zap": When(
            "zap",
            (
                "use a charge of your wand, which has {charges}: its ray reaches {ray:cell} the way you face, turns "
                "water to ice and lava to floor, and takes {cold} health from monsters"
            ),
        ),
    },
    ends=(
        When("branched", "It is over on stairs, real or not,", "It is over on the stairs,"),
        "when you die, or after {horizon:action}.",
    ),
    unsaid={
        "layout": "how the next dungeon will differ does not matter in this one",
        "map_seed": "the dungeon is to be explored",
    },
    constants={
        "1": "for the stairs, a point of health, the least damage",
        "0": "health of the dead",
        "0.5": "for an apple",
        "0.1": "for a pit",
        "0.01": "for what takes no time",
        "eight": "cells around one",
        "two": "ways",
        "four": "ways",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    row = levels.TASKS[int(s.params.task)].tolist()
    kind = _KINDS[row[levels.KIND]]
    acts = {name: bool(row[levels.ACTS] >> k & 1) for k, name in enumerate(rules.ACTIONS[rules.SEARCH :])}
    beasts = [_monster(k) for k in range(1, len(rules.MONSTERS))]
    return {
        "kind": kind,
        "ways": row[levels.SECOND],
        "four": row[levels.SECOND] > 2,
        "branched": kind == "memory",
        "molten": kind == "rooms" and row[levels.STYLE] in levels.OF_LAVA,
        "pits": kind == "pits",
        "boulders": kind in ("pits", "river"),
        "square": ", never diagonally" if kind == "pits" else "",
        "fill": rules.FILL,
        "traps": row[levels.TRAPS],
        "darted": rules.DARTED,
        "snared": rules.SNARED,
        "health": rules.HERO_HEALTH,
        "healing": rules.HEALING,
        "monsters": row[levels.BEASTS],
        "accuracy": rules.HERO_ACCURACY,
        "damage": rules.HERO_DAMAGE,
        "cost": rules.HERO_SPEED,
        "beasts": "; ".join(beasts),
        "view": 2 * rules.REACH + 1,
        "find": round(1 / rules.FIND),
        "broken": rules.BREAK,
        "kicked": rules.KICK_DAMAGE,
        "hit": rules.KICK_ACCURACY,
        "flight": rules.FLIGHT,
        "charges": rules.CHARGES,
        "ray": rules.RAY,
        "cold": rules.COLD,
        "horizon": int(s.params.horizon),
        **acts,
    }


def _monster(k: int) -> str:
    """A kind of monster in words."""
    hits = f"hits with a chance of {rules.ACCURACY[k]:.0%} for up to {rules.DAMAGE[k]}"
    return f"{rules.MONSTERS[k]}: {rules.HEALTH[k]} health, gains {rules.SPEED[k]}, {hits}"
