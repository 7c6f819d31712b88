"""Maps for boat races: two banks, a river between them, and lanes with a boat each.

All maps are 38 x 26 with walls around. The river is 10 to 16 cells wide from dock to dock, in the middle of the map.
Each boat has a lane of two columns. Boats lie at the southern docks at first. At both ends of a lane, a passage of
three cells between lights leads to the dock; its middle cells are gates. Apples grow on 48 cells of each bank, and
every third row of a lane has two. Agents start in the last two rows of the southern bank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.random import randint
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.maps import places, steps_from
from envsuite.kit import avatars

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

HEIGHT, WIDTH = 38, 26

#: The codes of cells, and their letters in a level.
WALL, FLOOR, WATER, LANE, LANE_SITE, LIGHT, GATE, SITE, START, DOCK, BOAT = range(11)
LEGEND = "#.~,olgapdb"

MOST_BOATS = 3

#: Cells from a dock to the place where agents land.
PASSAGE = 3

#: Cells from dock to dock.
_SHORTEST, _LONGEST = 10, 16

#: Apples of a bank: rows of sites, and sites in them.
_SITE_ROWS, _SITES = 4, 12


@large_kernel
def regatta(s, map, boats):
    """Fill `map` with a new map with this number of boats."""
    length = _SHORTEST + randint(s, _LONGEST + 1 - _SHORTEST)
    north = (HEIGHT - length) // 2
    south = north + length
    for y in range(HEIGHT):
        for x in range(WIDTH):
            inside = 0 < x < WIDTH - 1 and 0 < y < HEIGHT - 1
            map[y, x] = (WATER if north <= y <= south else FLOOR) if inside else WALL
    room = (WIDTH - 2) // boats
    for b in range(boats):
        lane(map, 3 + b * room + randint(s, room - 5), north, south)
    orchard(s, map, 1 + randint(s, north - PASSAGE - _SITE_ROWS))
    orchard(s, map, south + PASSAGE + 1 + randint(s, HEIGHT - 2 - south - PASSAGE - _SITE_ROWS - 1))
    for y in range(HEIGHT - 3, HEIGHT - 1):
        for x in range(5, WIDTH - 5):
            if map[y, x] == FLOOR:
                map[y, x] = START


@kernel
def lane(map, x, north, south):
    """A lane of columns x and x + 1 between docks in these rows, with a passage at both ends."""
    for y in range(north - PASSAGE, south + PASSAGE + 1):
        if y < north or y > south:
            map[y, x - 1] = LIGHT
            map[y, x + 2] = LIGHT
        for side in range(2):
            if y == north - 2 or y == south + 2:
                map[y, x + side] = GATE
            elif y == north:
                map[y, x + side] = DOCK
            elif y == south:
                map[y, x + side] = BOAT
            elif north < y < south:
                map[y, x + side] = LANE_SITE if (y - north) % 3 == 2 and y < south - 1 else LANE


@kernel
def orchard(s, map, top):
    """Rows of apples from this one on, each at a place of its own."""
    for y in range(top, top + _SITE_ROWS):
        left = 2 + randint(s, WIDTH - 3 - _SITES)
        for x in range(left, left + _SITES):
            map[y, x] = SITE


@kernel
def make(s):
    """A new map."""
    regatta(s, s.level.map, s.params.boats)


@kernel
def change(s):
    """Exchange an apple of a bank with floor there."""
    map = s.level.map
    for _ in range(10000):
        y, x = 1 + randint(s, HEIGHT - 2), 1 + randint(s, WIDTH - 2)
        j, i = 1 + randint(s, HEIGHT - 2), 1 + randint(s, WIDTH - 2)
        near = abs(y - j) < HEIGHT // 4 and not passage(map, j, i)
        if map[y, x] == SITE and map[j, i] == FLOOR and near:
            map[y, x] = FLOOR
            map[j, i] = SITE
            break


@kernel
def passage(map, y, x):
    """Whether a light is at one side of a cell."""
    return map[y, x - 1] == LIGHT or map[y, x + 1] == LIGHT


def docks(codes: np.ndarray) -> tuple[int, int, list[int]] | str:
    """The rows of the northern and the southern docks, and the left columns of boats; or what is wrong with a map."""
    rows, columns = np.nonzero(codes == BOAT)
    if len(rows) not in (2, 4, 6) or len(set(rows.tolist())) != 1:
        return f"must have 1 to {MOST_BOATS} boats, two letters 'b' side by side each, in one row"
    south, lanes = int(rows[0]), columns[::2].tolist()
    if any(right != left + 1 for left, right in zip(lanes, columns[1::2])):
        return "must have the two letters 'b' of a boat side by side"
    if any(right < left + 4 for left, right in zip(lanes, lanes[1:])):
        return "must have two columns or more between two boats"
    rows, columns_of_docks = np.nonzero(codes == DOCK)
    if len(set(rows.tolist())) != 1 or not np.array_equal(columns, columns_of_docks):
        return "must have two docks ('d') north of each boat, all in one row"
    north = int(rows[0])
    if north < PASSAGE + 1 or south > HEIGHT - 2 - PASSAGE or south - north < 3:
        return "must have room for passages of 3 cells at both docks, and 2 rows of water or more between the docks"
    ends = [FLOOR, GATE, FLOOR]
    for x in lanes:
        for side in range(2):
            column = codes[north - PASSAGE : south + PASSAGE + 1, x + side].tolist()
            if column[:PASSAGE] != ends or column[-PASSAGE:] != ends:
                return "must have floor, a gate ('g') and floor at both ends of a lane"
            if not set(column[PASSAGE + 1 : -PASSAGE - 1]) <= {LANE, LANE_SITE}:
                return "must have water of a lane (',' or 'o') from each boat to its dock"
        banks = codes[north - 2 : south + 3, [x - 1, x + 2]]
        if not np.isin(banks, (WALL, WATER, LIGHT)).all():
            return "must have walls, lights or deep water at both sides of a lane, and of the gates at its ends"
    counts = [int((codes == letter).sum()) for letter in (GATE, LANE, LANE_SITE)]
    if counts[0] != 4 * len(lanes) or counts[1] + counts[2] != 2 * len(lanes) * (south - north - 1):
        return "must have no gates and no water of lanes elsewhere"
    if (codes[north : south + 1] == SITE).any() or (codes[: south + 1] == START).any():
        return "must have apples ('a') on the banks, and starts ('p') on the southern one"
    return north, south, lanes


class Regatta(Generator):
    """Courses for boat races, 38 x 26 cells.

    Args:
        boats: number of boats, from 1 to 3.
    """

    make = make
    change = change

    def __init__(self, boats: Annotated[int, Between(1, MOST_BOATS)] = MOST_BOATS) -> None:
        self.define(level=[("map", np.uint8, (HEIGHT, WIDTH))], params={"boats": boats})

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": avatars.write_map(s.level.map, LEGEND)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts("regatta", level, {"kind", "map"})
        codes = avatars.read_map(level["map"], LEGEND, HEIGHT, WIDTH, "regatta")
        if isinstance(found := docks(codes), str):
            raise LevelError(f"regatta: the level's map {found}")
        s.level.map[:] = codes

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of "boats", of "cells" from dock to dock, of "apples" of both banks.

        A map is solvable if agents can walk from each start to each boat. Its difficulty is the share of the width of
        its river in the width of the widest one.
        """
        rows = level["map"]
        found = docks(avatars.read_map(rows, LEGEND, HEIGHT, WIDTH, "regatta"))
        if isinstance(found, str):
            raise LevelError(f"regatta: the level's map {found}")
        north, south, lanes = found
        start, wanted = places(rows, "p")[:1], places(rows, "pb")
        reached = steps_from(start, rows, "#~,old")
        return {
            "size": [HEIGHT, WIDTH],
            "solvable": bool(start) and reached.keys() >= set(wanted),
            "difficulty": round(min(1.0, (south - north) / _LONGEST), 6),
            "boats": len(lanes),
            "cells": south - north,
            "apples": "".join(rows).count("a"),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Banks, lanes, boats, gates between lights, apples, and where agents start."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Rect, Scene, apple

        rows = level["map"]
        scene = Scene(WIDTH, HEIGHT, background="floor")
        colors = {"~": "deep", ",": "water", "o": "water", "d": "water", "b": "brown", "l": "shadow", "g": "gold@0.6"}
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter in colors:
                    scene.add(Rect(x, y, 1, 1, colors[letter], glyph=letter))
                if letter in "ao":
                    scene.add(*apple(x + 0.5, y + 0.5))
                elif letter == "p":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.2, "blue@0.5", glyph="p"))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene
