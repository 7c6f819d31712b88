"""The pages for players of MiniGames' seven maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, Pattern, Text
from envsuite.games.mini_games import economy, fights

TIMED = "A step takes 1/{steps} s."
STEP = "A step takes 1/{steps} s; a tick is half of it."
SCREEN = (
    "The field is {size:g} x {size:g}. You see it as a screen of {cells} x {cells} cells with sides of {cell:g}. A "
    "cell is named by its column and its row, which count from 0 in the north west: `move 3 0` leads to the fourth "
    "cell of the northern row."
)
WALK = "A marine goes {speed:g} in a second, straight to the middle of the cell."
FIGHT = (
    "{kinds} Damage is less the armor of the one that is hit. Range is measured from edge to edge, sight from center "
    "to center. All act at once in each tick. A unit that may fight keeps its enemy while that lives and is in range; "
    "otherwise it takes the nearest one in range, or else the nearest in sight, and walks to it until it is in range. "
    "It stands still while it fights. Idle marines and all enemies fight what they see. Units that overlap push each "
    "other apart."
)
TIME = "It is over after {seconds:second}."
ALIVE = "It is over when no marine lives, or after {seconds:second}."

SELECT: Mapping[Pattern, Text] = {
    "noop": "do nothing",
    "select all": "select all marines",
    "select next": "select only the marine after the one that was selected last",
    ("select north west", "select north east", "select south west", "select south east"): "select the marines in this "
    "quarter of the screen",
}
MOVE: Mapping[Pattern, Text] = {"move {COLUMN} {ROW}": "the selected marines walk to this cell, without fighting"}
PEACE: Mapping[Pattern, Text] = {**SELECT, "hold": "they stop", **MOVE, "attack {COLUMN} {ROW}": "they walk there, too"}
WAR: Mapping[Pattern, Text] = {
    **SELECT,
    "hold": "the selected marines stand still and fight what is in range",
    **MOVE,
    "attack {COLUMN} {ROW}": "they fight only the enemy in this cell that is nearest to its middle, until one of the "
    "two is dead. Without an enemy that you see there, they walk there and fight what they see on the way",
}

ORDERS: Mapping[Pattern, Text] = {
    "noop": "do nothing",
    "select all": "select all workers",
    "select next": "select only the worker after the one that was selected last",
    ("select north west", "select north east", "select south west", "select south east"): "select the workers in this "
    "quarter of the screen",
    "select idle": "select the first idle worker",
    "select centers": "select all finished centers",
    "train worker": "a selected center trains a worker",
    "gather {COLUMN} {ROW}": "the selected workers gather there",
    "build depot {COLUMN} {ROW}": "the nearest selected worker builds a depot there",
}
GATHER = (
    "A worker goes to its field or refinery, gathers there, goes to the nearest finished center, hands in {ore} "
    "minerals or {gas} gas, and goes back. Gathering takes {mining} ticks for minerals and {drawing} for gas. One "
    "worker at a time gathers at a place and the others wait. Fields and geysers are never exhausted. Gas needs a "
    "refinery. Of several selected workers, the first gathers at the field that you choose, and the others at the "
    "least crowded fields within {together:g} cells of it; at a refinery, all do. Workers go {walk:g} in a second, "
    "and nothing is in their way."
)
BUILD = (
    "The worker that is to build goes to the site, pays there, and takes no orders while it builds. If the site is "
    "taken or the minerals do not suffice by then, it is idle. {built} There are at most {buildings} buildings. A "
    "center trains workers for {worker:g} minerals in {worker_time:g} s, one after another, up to {queue} at a time; "
    "the price is paid at once, and the selected center with the shortest queue takes the order. There are at most "
    "{workers} workers."
)
SUPPLY = (
    "Each worker{and_marine} uses 1 supply, also while it is trained. A center gives {center_supply} and a depot "
    "{depot_supply}; {most_supply} is the most that can be used."
)
NAMED = {
    "quarter": "of the screen",
    "0": "the first column and row",
    "1": "what one thing pays, and part of 1/8 s",
}
HALF = {"half": "a tick of a step"}
SHOWN = {"3": "of the example"}
SEEN = "You see everything on the field."


def _fight(role: str, goal: str, start: str) -> Page:
    """The page of a map with enemies on one screen."""
    return Page(
        role=role,
        goal=goal,
        rules=(f"{STEP} {SCREEN}", start, FIGHT),
        sees=SEEN,
        acts=WAR,
        ends=ALIVE,
        constants=NAMED | HALF | SHOWN | {"two": "fighters"},
    )


PAGES = {
    "MoveToBeacon": Page(
        role="You command a marine that walks from beacon to beacon.",
        goal="Each beacon that the marine reaches pays you 1.",
        rules=(
            f"{TIMED} {SCREEN}",
            "The marine reaches a beacon when it is within {beacon:g} of it. The next beacon then appears, at least "
            "{again:g} from the marine: a renewal. The marine is not selected at first, and only selected marines "
            "take orders. " + WALK,
        ),
        sees=SEEN,
        acts=PEACE,
        ends=TIME,
        constants=NAMED | SHOWN,
    ),
    "CollectMineralShards": Page(
        role="You command {first} marines that collect shards.",
        goal="Each shard that a marine collects pays you 1.",
        rules=(
            f"{TIMED} {SCREEN}",
            "There are {count} shards, and as many new ones when all are collected: a renewal. A marine collects a "
            "shard when it is within {shard:g} of it. Orders are for the selected marines only; at first none is. "
            + WALK
            + " Marines that overlap push each other apart.",
        ),
        sees=SEEN,
        acts=PEACE,
        ends=TIME,
        constants=NAMED | SHOWN,
    ),
    "DefeatRoaches": _fight(
        "You command marines that fight roaches.",
        "Each roach that is defeated pays you {worth:g}, and each marine that dies costs you 1.",
        "{first} marines stand in a line on one side of the field and {count} roaches in a line on the other. When all "
        "roaches are dead, {count} new ones come and {join} more marines join you, and all are put into their lines "
        "again: a renewal. At most {places} marines live. The first marines are selected at the start, and those that "
        "join are not.",
    ),
    "DefeatZerglingsAndBanelings": _fight(
        "You command marines that fight zerglings and banelings.",
        "Each zergling or baneling that is defeated or explodes pays you {worth:g}, and each marine that dies costs "
        "you 1.",
        "{first} marines stand in a line on one side of the field, and {few} zerglings and {bombs} banelings on the "
        "other. When all enemies are dead, as many new ones come and {join} more marines join you, and all are put "
        "into their places again: a renewal. At most {places} marines live. The first marines are selected at the "
        "start, and those that join are not.",
    ),
    "FindAndDefeatZerglings": Page(
        role="You command marines that look for zerglings.",
        goal="Each zergling that is defeated pays you 1, and each marine that dies costs you 1.",
        rules=(
            f"{STEP} The field is {{size:g}} x {{size:g}} and has {{wide}} x {{wide}} cells with sides of {{cell:g}}. "
            "You see {cells} x {cells} of them as a screen. A cell of the screen is named by its column and its row, "
            "which count from 0 in the north west. A minimap of {cells} x {cells} cells shows the whole field; `camera "
            "3 0` moves the middle of the screen to the fourth cell of its northern row, or as near to it as the edge "
            "allows.",
            "{first} marines start in the middle, all selected, and {count} zerglings are hidden on the field. When "
            "all are dead, as many new ones come: a renewal. A zergling stands still until it sees a marine.",
            FIGHT,
        ),
        sees="You see a zergling or a cell while it is within {sight:g} of a marine, and the rest lies in fog. What "
        "you see on the screen is listed, and the minimap has a sign for the rest.",
        acts={**WAR, "camera {COLUMN} {ROW}": "move the screen to this cell of the minimap"},
        ends=ALIVE,
        constants=NAMED | HALF | SHOWN | {"two": "fighters"},
    ),
    "CollectMineralsAndGas": Page(
        role="You command workers that bring in minerals and gas.",
        goal="Each unit of minerals and of gas that is handed in pays you 1.",
        rules=(f"{STEP} {SCREEN.replace('move', 'gather')}", GATHER, BUILD, SUPPLY),
        sees=SEEN,
        acts={
            **ORDERS,
            "build refinery {COLUMN} {ROW}": "it builds a refinery on the geyser there",
            "build center {COLUMN} {ROW}": "it builds a center around this cell",
        },
        ends=TIME,
        constants=NAMED | HALF | SHOWN,
    ),
    "BuildMarines": Page(
        role="You command workers that make it possible to train marines.",
        goal="Each marine that is trained pays you 1.",
        rules=(
            f"{STEP} {SCREEN.replace('move', 'gather')}",
            GATHER.replace(" or {gas} gas", "")
            .replace(" for minerals and {drawing} for gas", "")
            .replace("field or refinery", "field")
            .replace(" and geysers", "")
            .replace(" Gas needs a refinery.", "")
            .replace("; at a refinery, all do", ""),
            BUILD + " A barracks trains marines in the same way, for {marine:g} minerals in {marine_time:g} s. Trained "
            "marines leave the field, but use supply.",
            SUPPLY,
        ),
        sees=SEEN,
        acts={
            **ORDERS,
            "build barracks {COLUMN} {ROW}": "it builds a barracks with this cell in its north west",
            "select barracks": "select all finished barracks",
            "train marine": "a selected barracks trains a marine",
        },
        ends=TIME,
        constants=NAMED | HALF | SHOWN,
    ),
}


def page_role(world: Any, s: Any, agent: int) -> str:
    return world.parameters["map"]


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return _economy(world) if world.economy else _fights(world)


def _fights(world: Any) -> dict[str, Any]:
    """The numbers of a map with marines."""
    number, others = fights.MAPS.index(world.parameters["map"]), world.others
    fog = number == fights.FIND
    return {
        "steps": fights.STEPS,
        "size": fights.CELL * fights.WIDE if fog else fights.SIZE,
        "wide": fights.WIDE,
        "cells": fights.CELLS,
        "cell": fights.CELL,
        "speed": fights.SPEED[fights.MARINE],
        "beacon": fights.REACH[fights.BEACON],
        "shard": fights.REACH[fights.SHARD],
        "again": 5,
        "first": world.first,
        "join": int(fights.JOIN[number]),
        "places": world.places,
        "count": len(others),
        "few": others.count(fights.ZERGLING),
        "bombs": others.count(fights.BANELING),
        "worth": fights.WORTH[others[0]],
        "sight": fights.SIGHT[fights.MARINE],
        "kinds": " ".join(_told(kind) for kind in (fights.MARINE, *dict.fromkeys(others)) if fights.HEALTH[kind]),
    }


def _told(kind: int) -> str:
    """What a kind of units can do."""
    name, health, range_ = fights.KINDS[kind], fights.HEALTH[kind], fights.RANGE[kind]
    armor = f", armor {fights.ARMOR[kind]}" if fights.ARMOR[kind] else ""
    hits = f"hits for {fights.DAMAGE[kind]} at a range of {range_:g} every {fights.COOLDOWN[kind]} ticks"
    if kind == fights.BANELING:
        hits = (
            f"explodes when it is within {range_:g} of its enemy or dies, which takes {fights.BLAST} from each marine "
            f"within {fights.BLAST_RADIUS:g}"
        )
    sight, speed = fights.SIGHT[kind], fights.SPEED[kind]
    return f"A {name} has health {health}{armor}, {hits}, sees as far as {sight:g} and goes {speed:g} in a second."


def _economy(world: Any) -> dict[str, Any]:
    """The numbers of a map with workers."""
    plans = world.economy.plans
    lines = [
        _built(kind) for kind in (economy.DEPOT, economy.REFINERY, economy.BARRACKS, economy.CENTER) if kind in plans
    ]
    return {
        "steps": economy.STEPS,
        "size": economy.CELL * economy.CELLS,
        "cells": economy.CELLS,
        "cell": economy.CELL,
        "ore": economy.MINERALS,
        "gas": economy.GAS,
        "mining": economy.MINING,
        "drawing": economy.DRAWING,
        "together": economy.TOGETHER**0.5,
        "walk": economy.SPEED,
        "built": " ".join(lines),
        "buildings": economy.BUILDINGS,
        "worker": economy.WORKER_COST,
        "worker_time": economy.WORKER_TIME * economy.TICK,
        "marine": economy.MARINE_COST,
        "marine_time": economy.MARINE_TIME * economy.TICK,
        "queue": economy.QUEUE,
        "workers": economy.WORKERS,
        "and_marine": " and marine" if economy.BARRACKS in plans else "",
        "center_supply": int(economy.SUPPLY[economy.CENTER]),
        "depot_supply": int(economy.SUPPLY[economy.DEPOT]),
        "most_supply": economy.MOST_SUPPLY,
    }


def _built(kind: int) -> str:
    """What a building costs, and where it can stand."""
    name = economy.KINDS[kind]
    side = int(economy.WIDTH[kind])
    where = {
        economy.DEPOT: "stands on one free cell",
        economy.REFINERY: "stands on a geyser",
        economy.BARRACKS: f"stands on {side} x {side} free cells, if there is a finished depot",
        economy.CENTER: f"stands on {side} x {side} free cells, {economy.AWAY**0.5:.1f} cells or more from fields and "
        "geysers",
    }
    time = economy.TIME[kind] * economy.TICK
    return f"A {name} costs {economy.COST[kind]} minerals, takes {time:g} s to build, and {where[kind]}."
