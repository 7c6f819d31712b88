"""Maps of the commons harvest: patches of apples in the open, in two walled rooms, or in many small crosses.

The map `open` has no inner walls. `closed` has two rooms with one door each. `partnership` has these doors too, and a
wide passage between the rooms: an agent that wants to have them alone has two doors to guard and needs a partner.

These maps are 24 x 18. They have 64 apple sites, 60 cells where players return, and 2 cells where the first two players
start. Each half has two whole discs of radius 2 and a quarter of a disc in a corner. Patches are so far apart that no
patch helps another to grow. The three lowest rows, less six random cells, are where players return.

`crosses`, as in 2018, is 38 x 16. It has 155 apple sites, in 31 crosses of five that may touch, and 20 cells to start
from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.generators.maps import MapGenerator, places, steps_from
from envsuite.kit.grid import DISC

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

WIDTH, HEIGHT = 24, 18
WIDE, LOW = 38, 16

#: The codes of cells, and their letters in a level.
WALL, FLOOR, SITE, RETURN, INNER = range(5)
LEGEND = "#.ari"

#: The kinds of map, in the order of their numbers.
KINDS = ("open", "closed", "partnership", "crosses")
OPEN, CLOSED, PARTNERSHIP, CROSSES = range(4)

#: The half maps, or rooms: ROOM x ROOM cells, from row 1 and from each of these columns on.
ROOM = 10
LEFTS = (1, WIDTH - 1 - ROOM)
_PASSAGE = 7  # rows of the passage between the rooms

_RETURNS = 60
_SPAN = ROOM - 4  # columns and rows for the centers of whole discs

_CROSS = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)])
_CROSSES, _STARTS = 31, 20


def _apart() -> np.ndarray:
    """Whether two discs of radius 2 whose centers are (dx, dy) apart have no cells within distance 2 of each other."""
    disc = np.concatenate([[(0, 0)], DISC])
    table = np.zeros((ROOM, ROOM), np.uint8)
    for dx in range(ROOM):
        for dy in range(ROOM):
            gaps = disc[:, None] + (dx, dy) - disc[None]
            table[dx, dy] = (gaps**2).sum(axis=2).min() > 4
    return table


APART = _apart()


@kernel
def hall(map):
    """One hall with walls around it."""
    height, width = map.shape
    for y in range(height):
        for x in range(width):
            inside = 0 < x < width - 1 and 0 < y < height - 1
            map[y, x] = FLOOR if inside else WALL


@large_kernel
def orchard(s, map, kind):
    """Fill `map`, 24 x 18, with a new map of this kind."""
    hall(map)
    if kind != OPEN:
        rooms(s, map, kind)
    for half in range(2):
        patches(s, map, LEFTS[half])
        inner_start(s, map, LEFTS[half])
    returns(s, map)


@kernel
def rooms(s, map, kind):
    """Build walls around both halves, with a door each at a random place of the lower wall."""
    for x in range(1, WIDTH - 1):
        map[ROOM + 1, x] = WALL
    passage = 1 + randint(s, ROOM + 1 - _PASSAGE)
    for y in range(1, ROOM + 1):
        for x in range(1 + ROOM, WIDTH - 1 - ROOM):
            joined = kind == PARTNERSHIP and passage <= y < passage + _PASSAGE
            map[y, x] = FLOOR if joined else WALL
    for half in range(2):
        map[ROOM + 1, LEFTS[half] + randint(s, ROOM)] = FLOOR


@kernel
def patch(map, left, x, y):
    """Plant the part of a disc around (x, y) that lies in this half."""
    map[y, x] = SITE
    for k in range(DISC.shape[0]):
        i, j = x + DISC[k, 0], y + DISC[k, 1]
        if left <= i < left + ROOM and 1 <= j <= ROOM:
            map[j, i] = SITE


@kernel
def far_from(column, row, corner_x, corner_y):
    """Whether the disc at this place among the centers keeps away from the quarter in the corner."""
    return APART[abs(column + 2 - corner_x), abs(row + 2 - corner_y)]


@kernel
def patches(s, map, left):
    """A quarter of a disc in a random corner, and a random pair of discs that keep away from it and each other."""
    corner_x, corner_y = (ROOM - 1) * randint(s, 2), (ROOM - 1) * randint(s, 2)
    patch(map, left, left + corner_x, 1 + corner_y)
    chosen = -1
    for drawing in range(2):  # count the pairs, then find the drawn one
        pairs = 0
        for a in range(_SPAN * _SPAN):
            if not far_from(a % _SPAN, a // _SPAN, corner_x, corner_y):
                continue
            for b in range(a):
                if not far_from(b % _SPAN, b // _SPAN, corner_x, corner_y):
                    continue
                if APART[abs(a % _SPAN - b % _SPAN), abs(a // _SPAN - b // _SPAN)]:
                    if drawing and pairs == chosen:
                        patch(map, left, left + 2 + a % _SPAN, 3 + a // _SPAN)
                        patch(map, left, left + 2 + b % _SPAN, 3 + b // _SPAN)
                    pairs += 1
        if not drawing:
            chosen = randint(s, pairs)


@kernel
def inner_start(s, map, left):
    """A start on a random floor cell of this half."""
    count = 0
    for y in range(1, ROOM + 1):
        for x in range(left, left + ROOM):
            count += map[y, x] == FLOOR
    chosen = randint(s, count)
    for y in range(1, ROOM + 1):
        for x in range(left, left + ROOM):
            if map[y, x] == FLOOR:
                if chosen == 0:
                    map[y, x] = INNER
                chosen -= 1


@kernel
def returns(s, map):
    """Mark a random 60 of the 66 cells in the three lowest rows for returning."""
    left, wanted = 3 * (WIDTH - 2), _RETURNS
    for y in range(HEIGHT - 4, HEIGHT - 1):
        for x in range(1, WIDTH - 1):
            if randint(s, left) < wanted:
                map[y, x] = RETURN
                wanted -= 1
            left -= 1


@large_kernel
def crosses(s, map):
    """Fill `map`, 38 x 16, with a new map of crosses. Each is planted at the least crowded of three random places."""
    hall(map)
    for _ in range(_CROSSES):
        x, y = clearing(s, map)
        for _ in range(2):
            other_x, other_y = clearing(s, map)
            if crowd(map, other_x, other_y) < crowd(map, x, y):
                x, y = other_x, other_y
        for k in range(_CROSS.shape[0]):
            map[y + _CROSS[k, 1], x + _CROSS[k, 0]] = SITE
    scatter(s, map)


@kernel
def clearing(s, map):
    """A random place with room for a whole cross.

    There always is one: a cross excludes at most 13 places for the center of another, and there are more than 30 * 13.
    """
    while True:
        x, y = 2 + randint(s, WIDE - 4), 2 + randint(s, LOW - 4)
        room = True
        for k in range(_CROSS.shape[0]):
            room &= map[y + _CROSS[k, 1], x + _CROSS[k, 0]] == FLOOR
        if room:
            return x, y


@kernel
def crowd(map, x, y):
    """The number of sites up to two rows and columns from a place."""
    count = 0
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            count += map[y + dy, x + dx] == SITE
    return count


@kernel
def scatter(s, map):
    """Mark random floor cells as starts."""
    left, wanted = (WIDE - 2) * (LOW - 2) - _CROSS.shape[0] * _CROSSES, _STARTS
    for y in range(LOW):
        for x in range(WIDE):
            if map[y, x] == FLOOR:
                if randint(s, left) < wanted:
                    map[y, x] = RETURN
                    wanted -= 1
                left -= 1


@kernel
def make(s):
    """A new orchard."""
    if s.level.map.shape[0] == LOW:
        crosses(s, s.level.map)
    else:
        orchard(s, s.level.map, s.params.kind)


@large_kernel
def change(s):
    """Draw new patches and a new start in one half; or other starts among crosses."""
    if s.level.map.shape[0] == LOW:
        for y in range(LOW):
            for x in range(WIDE):
                if s.level.map[y, x] == RETURN:
                    s.level.map[y, x] = FLOOR
        scatter(s, s.level.map)
        return
    left = LEFTS[randint(s, 2)]
    for y in range(1, ROOM + 1):
        for x in range(left, left + ROOM):
            s.level.map[y, x] = FLOOR
    patches(s, s.level.map, left)
    inner_start(s, s.level.map, left)


class Orchard(MapGenerator):
    """Orchards of the commons harvest, 24 x 18 cells, or 38 x 16.

    Args:
        map: "open"; "closed" or "partnership", which have two walled rooms; or "crosses", the wide map.
    """

    legend = LEGEND
    make = make
    change = change

    def __init__(self, map: Literal["open", "closed", "partnership", "crosses"] = "open"):
        size = (LOW, WIDE) if map == "crosses" else (HEIGHT, WIDTH)
        self.define(level=[("map", np.uint8, size)], params={"kind": KINDS.index(map)})

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Orchard:
        return cls("crosses" if len(level["map"]) == LOW else "open")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, the apple "sites", and the "patches" that they form, within distance 2 of each other.

        An orchard is solvable if all sites can be reached from every place where players start or return. Its
        difficulty is the mean number of steps from these places to the nearest site.
        """
        sites, starts = set(places(level["map"], "a")), places(level["map"], "ri")
        steps, whole = steps_from(sites, level["map"]), steps_from(starts[:1], level["map"])
        reach = [(int(dx), int(dy)) for dx, dy in DISC]
        left, patches = set(sites), 0
        while left:
            patches += 1
            front = [left.pop()]
            for x, y in front:
                found = {(x + dx, y + dy) for dx, dy in reach} & left
                left -= found
                front.extend(found)
        return {
            "size": [len(level["map"]), len(level["map"][0])],
            "solvable": bool(starts) and bool(sites) and whole.keys() >= sites | set(starts),
            "difficulty": round(sum(steps.get(cell, 0) for cell in starts) / max(1, len(starts)), 6),
            "sites": len(sites),
            "patches": patches,
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The map with all its apples; places to return are marked, those of the first two players larger."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Rect, Scene, apple

        rows = level["map"]
        scene = Scene(len(rows[0]), len(rows), background="floor")
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter == "a":
                    scene.add(Rect(x, y, 1, 1, "grass"), *apple(x + 0.5, y + 0.5))
                elif letter in "ri":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.12 if letter == "r" else 0.3, "blue@0.4", glyph=letter))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene
