"""Levels and states of Crafter as plain data: the map, and objects and players with their attributes by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.record import as_views
from envsuite.generators import terrain
from envsuite.gridworlds.crafter import rules

_COUNTERS = ("hunger", "thirst", "fatigue", "recovery")
TYPES = {kind: name for name, kind in rules.KINDS.items()}


def write_state(ground: np.ndarray, clock: int, players: Any, objects: Any) -> dict[str, Any]:
    """A state as plain data."""
    return {
        "map": terrain.write_map(ground),
        "clock": clock,
        "players": [_player_symbol(p) for p in players],
        "objects": [_object_symbol(o) for o in objects],
    }


def _player_symbol(p: Any) -> dict[str, Any]:
    return {
        "x": int(p["x"]),
        "y": int(p["y"]),
        "facing": int(p["facing"]),
        "sleeping": bool(p["sleeping"]),
        "inventory": dict(zip(rules.ITEMS, p["inventory"].tolist())),
        "achievements": dict(zip(rules.ACHIEVEMENTS, p["achievements"].tolist())),
        **{name: int(p[name]) / 2 for name in _COUNTERS},
        "health_before": int(p["health_before"]),
    }


def _object_symbol(o: Any) -> dict[str, Any]:
    kind = int(o["kind"])
    symbol = {"type": TYPES[kind], "x": int(o["x"]), "y": int(o["y"]), "health": int(o["health"])}
    if kind == rules.ARROW:
        symbol["facing"] = int(o["facing"])
    else:
        symbol |= {rules.TIMERS[kind]: int(o["timer"])} if kind in rules.TIMERS else {}
    return symbol


def read_state(world: Any, s: Any, level: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a level, checked, in the form of the record."""
    label = f"{world.id}: the level"
    if unknown := set(level) - {"kind", "map", "clock", "players", "objects"}:
        raise LevelError(f"{label} has an unknown part {min(map(str, unknown))!r}")
    if level.get("kind", "terrain") != "terrain":
        raise LevelError(f"{label} is of the kind {level['kind']!r}, not 'terrain'")
    rows, size = level["map"], len(s.level.map)
    ground = terrain.read_map(rows, size, size, label)
    clock = _whole(level.get("clock", 0), 0, rules.DAY - 1, f"{label}'s clock")
    listed = level.get("objects", [])
    symbols = level.get("players", [{} for _ in world.agents])
    if len(symbols) != len(world.agents):
        raise LevelError(f"{label} has {len(symbols)} players, not {len(world.agents)}")
    if len(listed) > len(s.level.objects):
        raise LevelError(f"{label} has {len(listed)} objects; at most {len(s.level.objects)} fit")
    record = world.record["level"]
    players = np.zeros(len(symbols), record["players"].base)
    objects = np.zeros(len(listed), record["objects"].base)
    taken: dict[tuple[int, int], str] = {}
    for a, symbol in enumerate(symbols):
        _read_player(as_views(players)[a], symbol, a, size, f"{label}'s {world.agents[a]}")
        if players[a]["inventory"][rules.HEALTH]:
            _occupy(taken, ground, players[a], int(rules.WALKABLE), world.agents[a])
    for k, symbol in enumerate(listed):
        _read_object(as_views(objects)[k], symbol, size, f"{label}'s object {k}")
        kind = objects[k]["kind"]
        materials = 1 << terrain.GRASS if kind == rules.PLANT else rules.OPEN if kind == rules.ARROW else rules.LAND
        _occupy(taken, ground, objects[k], int(materials), f"object {k} ({symbol['type']})")
    return {"map": ground, "clock": clock, "players": players, "objects": objects}


def _whole(value: Any, low: int, high: int, label: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise LevelError(f"{label} must be a whole number from {low} to {high}, not {value!r}")
    return int(value)


def _known(symbol: Any, names: Sequence[str], label: str) -> None:
    if not isinstance(symbol, Mapping):
        raise LevelError(f"{label} must be a mapping of attributes, not {symbol!r:.60}")
    if unknown := set(symbol) - set(names):
        raise LevelError(f"{label} has an unknown attribute {min(map(str, unknown))!r}; known: {', '.join(names)}")


def _read_player(p: Any, symbol: Any, a: int, size: int, label: str) -> None:
    rules.new_player(p, a, size)
    names = ["x", "y", "facing", "sleeping", "inventory", "achievements", *_COUNTERS, "health_before"]
    _known(symbol, names, label)
    for name, most in (("x", size - 1), ("y", size - 1), ("facing", 3)):
        p[name] = _whole(symbol.get(name, int(p[name])), 0, most, f"{label}: {name}")
    if not isinstance(symbol.get("sleeping", False), (bool, np.bool_)):
        raise LevelError(f"{label}: sleeping must be true or false, not {symbol['sleeping']!r}")
    p.sleeping = symbol.get("sleeping", False)
    for part, items, most in (("inventory", rules.ITEMS, rules.MOST), ("achievements", rules.ACHIEVEMENTS, 1_000_000)):
        _known(symbol.get(part, {}), items, f"{label}: {part}")
        for name, count in symbol.get(part, {}).items():
            p[part][items.index(name)] = _whole(count, 0, most, f"{label}: {part}: {name}")
    for name in _COUNTERS:
        doubled = 2 * symbol.get(name, 0)
        if doubled != int(doubled):
            raise LevelError(f"{label}: {name} counts half steps, so it cannot be {symbol[name]!r}")
        p[name] = _whole(int(doubled), -2_000_000, 2_000_000, f"{label}: twice its {name}")
    p.health_rewarded = p.inventory[rules.HEALTH]
    p.health_before = _whole(
        symbol.get("health_before", int(p.health_rewarded)), 0, rules.MOST, f"{label}: health_before"
    )


def _read_object(o: Any, symbol: Any, size: int, label: str) -> None:
    if not isinstance(symbol, Mapping) or symbol.get("type") not in rules.KINDS:
        raise LevelError(f"{label} must have a type: {', '.join(rules.KINDS)}; this is {symbol!r:.60}")
    kind = rules.KINDS[symbol["type"]]
    timer = "facing" if kind == rules.ARROW else rules.TIMERS.get(kind)
    _known(symbol, ["type", "x", "y", "health", *([timer] if timer else [])], label)
    rules.born(o, kind, *(_whole(symbol[name], 0, size - 1, f"{label}: {name}") for name in ("x", "y")))
    o.health = _whole(symbol.get("health", int(o.health)), 0, rules.STRONGEST, f"{label}: health")
    if kind == rules.ARROW:
        o.facing = _whole(symbol["facing"], 0, 3, f"{label}: facing")
    elif timer:
        o.timer = _whole(symbol.get(timer, 0), 0, 2_000_000, f"{label}: {timer}")


def _occupy(taken: dict, ground: np.ndarray, thing: Any, materials: int, label: str) -> None:
    """Note what stands on a cell; the cell must be free and of one of these materials."""
    x, y = int(thing["x"]), int(thing["y"])
    material = int(ground[y, x])
    if not materials >> material & 1:
        raise LevelError(f"{label} cannot be on {terrain.MATERIALS[material]}, at x={x}, y={y}")
    if (x, y) in taken:
        raise LevelError(f"{label} and {taken[x, y]} are both at x={x}, y={y}")
    taken[x, y] = label
