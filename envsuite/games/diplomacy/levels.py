"""A position of Diplomacy from which an episode starts, as a level names it: its year, season, units and centers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.games.diplomacy.actions import CENTER, HOME, WINTER
from envsuite.games.diplomacy.orders import UNITS

FIRST, LAST = 1901, 2000

#: Seasons in which a level can start; each takes two phases.
SEASONS = ("spring", "autumn", "winter")


def set_level(world: Any, s: Any, level: Mapping[str, Any]) -> None:
    """Start from a position; `LevelError` if it is not one of the map, or if no power has anything to order in it."""
    label = world.id
    if extra := set(level) - {"year", "season", "units", "centers"}:
        raise LevelError(f"{label}: a level has 'year', 'season', 'units' and 'centers', not {sorted(extra)[0]!r:.60}")
    if level.get("season", "spring") not in SEASONS:
        raise LevelError(f"{label}: the season is {level['season']!r:.60}, not one of {', '.join(SEASONS)}")
    year = level.get("year", FIRST)
    if type(year) is not int or not FIRST <= year <= s.params.last_year:
        raise LevelError(f"{label}: the year is {year!r:.60}, not a number from {FIRST} to {s.params.last_year}")
    s.level.year, s.level.phase = year, 2 * SEASONS.index(level.get("season", "spring"))
    s.level.unit[:], s.level.owner[:], s.level.spot[:] = 0, -1, np.arange(len(s.unit))
    s.level.center[:] = np.minimum(CENTER[s.params.map, : len(s.unit)], -1)
    _place_units(world, s, level)
    _give_centers(world, s, level)
    if (s.level.unit != 0).sum() > UNITS:
        raise LevelError(f"{label}: more than {UNITS} units")
    if not _begins(world, s):
        raise LevelError(f"{label}: no power has anything to order in this level")


def _place_units(world: Any, s: Any, level: Mapping[str, Any]) -> None:
    land, label = world.land, world.id
    for power, units in _listed(world, level, "units"):
        for unit in units:
            kind, _, code = unit.partition(" ") if isinstance(unit, str) else ("", "", "")
            spot = land.codes.index(code) if code in land.codes else -1
            k = land.province(spot) if spot >= 0 else -1
            if kind not in ("A", "F") or k < 0 or not land.can_stand("AF".index(kind) + 1, k, spot):
                raise LevelError(f"{label}: {unit!r:.60} is no unit that can stand on this map, like 'A PAR'")
            if s.level.unit[k]:
                raise LevelError(f"{label}: two units in {land.codes[k]}")
            s.level.unit[k], s.level.owner[k], s.level.spot[k] = "AF".index(kind) + 1, power, spot


def _give_centers(world: Any, s: Any, level: Mapping[str, Any]) -> None:
    land, label = world.land, world.id
    for power, centers in _listed(world, level, "centers"):
        for code in centers:
            k = land.codes.index(code) if code in land.codes else -1
            if k not in land.centers:
                raise LevelError(f"{label}: {code!r:.60} is no center of this map")
            if s.level.center[k] >= 0:
                raise LevelError(f"{label}: the center {code} is there twice")
            s.level.center[k] = power


def _listed(world: Any, level: Mapping[str, Any], part: str) -> list[tuple[int, list[Any]]]:
    """The lists of all powers in a part of a level."""
    found = level.get(part, {})
    if not isinstance(found, Mapping) or not all(isinstance(each, (list, tuple)) for each in found.values()):
        raise LevelError(f"{world.id}: {part!r} must have a list for each power, like {{'france': [...]}}")
    for power in found:
        if power not in world.agents:
            raise LevelError(f"{world.id}: {power!r:.60} is none of the powers {', '.join(world.agents)}")
    return [(world.agents.index(power), list(each)) for power, each in found.items()]


def _begins(world: Any, s: Any) -> bool:
    """Whether a power has something to order in the first phase of a level."""
    units = s.level.unit != 0
    if s.level.phase != WINTER:
        return bool(units.any())
    for power in range(len(world.agents)):
        mine, home = s.level.center == power, HOME[s.params.map, : len(units)] == power
        due = mine.sum() - (s.level.owner == power).sum()
        if due < 0 or (due > 0 and (mine & home & ~units).any()):
            return True
    return False


def get_level(world: Any, s: Any) -> dict[str, Any]:
    """The position from which the episode started, as `set_level` takes it."""
    codes, level = world.land.codes, s.level
    units: dict[str, list[str]] = {power: [] for power in world.agents}
    centers: dict[str, list[str]] = {power: [] for power in world.agents}
    for k in range(len(s.unit)):
        if level.unit[k]:
            units[world.agents[level.owner[k]]].append(f"{' AF'[level.unit[k]]} {codes[level.spot[k]]}")
        if level.center[k] >= 0:
            centers[world.agents[level.center[k]]].append(codes[k])
    return {"year": int(level.year), "season": SEASONS[level.phase // 2], "units": units, "centers": centers}
