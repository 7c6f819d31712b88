"""Wilds: water, grass, foliage and stone in patches, as on the maps of Neural MMO; the outermost cells are grass.

Two layers of smooth noise (see `envsuite.generators.terrain`) give every cell a height. The lowest 30 % of the cells
are water, the next 40 % grass, the next 15 % foliage, and the highest 15 % stone. So foliage lies between grass and
stone. A share `scattered` of the grass then becomes foliage or water, cell by cell, half of it each.

With `resources`, there are crosses of ore, trees and crystals in the grass, one of each for 256 cells, and one herb for
64 cells; and for 64 cells, one cell of water beside grass has fish.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.random import randint, shuffle, uniform
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.terrain import add_columns
from envsuite.kit.grid import DX, DY

if TYPE_CHECKING:
    from envsuite.render.scene import Scene, Shape

#: The codes of cells, and their letters in a level. Outside is the void; scrub is eaten foliage. A world in which
#: resources can be harvested has the codes from 6 on, too: each is behind the code of the same ground after a harvest.
VOID, WATER, GRASS, SCRUB, FOLIAGE, STONE = range(6)
ORE, TREE, CRYSTAL, HERB, FISH = range(7, 16, 2)
NAMES = (
    *("void", "water", "grass", "scrub", "foliage", "stone", "slag", "ore", "stump", "tree", "fragments", "crystal"),
    *("weeds", "herb", "empty water", "fish"),
)
LEGEND = " ~.,f#:o't`c;h=%"
_LETTERS, _RESOURCES = "~.f#", "otch%"
_PLAIN = 6

#: Sides of a map.
SMALLEST, LARGEST = 16, 1024

#: Shares of the cells below water's, grass's and foliage's upper ends, in hundredths.
_WATER, _GRASS, _FOLIAGE = 30, 70, 85

#: Cells to a unit of the two layers of noise, and the weight of the finer one.
_WIDE, _FINE, _WEIGHT = 12.0, 5.0, 0.5

#: Heights are rounded to 256 steps of this size around 0.
_STEPS, _STEP = 256, 0.012


@large_kernel
def wilds(s, map, table, column, counts):
    """Fill `map` (size, size) uint8; `table` (256,) uint8, `column` (size,) and `counts` (256,) are working space."""
    size = map.shape[0]
    for k in range(256):
        table[k] = k
        counts[k] = 0
    shuffle(s, table, 256)
    for x in range(size):
        for y in range(size):
            column[y] = 0.0
        heights(table, x, column)
        for y in range(size):
            height = min(max(np.int64(column[y] / _STEP + 0.5 * _STEPS), 0), _STEPS - 1)
            map[y, x] = height
            counts[height] += 1
    water, grass, foliage = limit(counts, size, _WATER), limit(counts, size, _GRASS), limit(counts, size, _FOLIAGE)
    for y in range(size):
        for x in range(size):
            height = map[y, x]
            inside = 0 < x < size - 1 and 0 < y < size - 1
            code = WATER if height < water else GRASS if height < grass else FOLIAGE if height < foliage else STONE
            map[y, x] = code if inside else GRASS
            if inside and code == GRASS and uniform(s) < s.params.scattered:
                map[y, x] = FOLIAGE if randint(s, 2) else WATER


@kernel
def heights(table, x, column):
    """Add the two layers of noise to a column."""
    layers = np.int64(0), np.int64(1)
    add_columns(table, x / _WIDE, 1.0 / _WIDE, layers[0], 1.0, column, layers[1], 0.0, column)
    add_columns(table, x / _FINE, 1.0 / _FINE, layers[0], 0.0, column, layers[1], _WEIGHT, column)


@kernel
def limit(counts, size, share):
    """The first height of which, with those below, more than this share of the cells are."""
    below = 0
    for k in range(_STEPS):
        below += counts[k]
        if 100 * below > share * size * size:
            return k
    return _STEPS


def codes(resources: bool) -> int:
    """The number of codes of a map with or without resources."""
    return len(NAMES) if resources else _PLAIN


# Resources.

#: Cells of the map for each cross of ore, trees and crystals, and for each herb and cell with fish; attempts for each.
_CROSS, _SINGLE, _ATTEMPTS = 256, 64, 100


def _enrich(params, s):
    size = s.level.map.shape[0]
    for _ in range(max(size * size // _CROSS, 1)):
        cross(s, ORE)
        cross(s, TREE)
        cross(s, CRYSTAL)
    for _ in range(max(size * size // _SINGLE, 1)):
        single(s, HERB)
        single(s, FISH)


def _leave(params, s):
    pass


enrich = by_fields(lambda names: "resources" in names, _enrich, _leave)


@large_kernel
def cross(s, code):
    """Ore, trees or crystals in a random cell of grass, and in the grass beside it."""
    size = s.level.map.shape[0]
    for _ in range(_ATTEMPTS):
        y, x = 2 + randint(s, size - 4), 2 + randint(s, size - 4)
        if s.level.map[y, x] == GRASS:
            s.level.map[y, x] = code
            for facing in range(4):
                if s.level.map[y + DY[facing], x + DX[facing]] == GRASS:
                    s.level.map[y + DY[facing], x + DX[facing]] = code
            return


@large_kernel
def single(s, code):
    """A herb in a random cell of grass, or fish in one of water beside grass."""
    size = s.level.map.shape[0]
    for _ in range(_ATTEMPTS):
        y, x = 1 + randint(s, size - 2), 1 + randint(s, size - 2)
        beside = False
        for facing in range(4):
            beside = beside or s.level.map[y + DY[facing], x + DX[facing]] == GRASS
        if s.level.map[y, x] == (WATER if code == FISH else GRASS) and (code != FISH or beside):
            s.level.map[y, x] = code
            return


# A kind of level.


@large_kernel
def make(s):
    """A new map."""
    wilds(s, s.level.map, s.scratch.table, s.scratch.column, s.scratch.counts)
    enrich(s.params, s)
    for k in range(256):
        s.scratch.table[k] = 0
        s.scratch.counts[k] = 0
    fill(s.scratch.column, 0.0)


@kernel
def change(s):
    """Spread the ground of one cell to a different cell beside it, but not to the outermost cells."""
    size = s.level.map.shape[0]
    for _ in range(1000):
        x, y, facing = 1 + randint(s, size - 2), 1 + randint(s, size - 2), randint(s, 4)
        code = s.level.map[y + DY[facing], x + DX[facing]]
        if s.level.map[y, x] != code:
            s.level.map[y, x] = code
            return


class Wilds(Generator):
    """Wilds: patches of water, grass, foliage and stone, for NeuralMMO.

    Args:
        size: cells on a side of the map.
        scattered: share of the grass that single cells of foliage and of water replace.
        resources: whether there are ore, trees, crystals, herbs and fish.
    """

    make = make
    change = change

    def __init__(
        self,
        size: Annotated[int, Between(SMALLEST, LARGEST)] = 32,
        scattered: Annotated[float, Between(0, 1)] = 0.05,
        resources: bool = False,
    ):
        self.define(
            level=[("map", below(np.uint8, codes(resources)), (size, size))],
            scratch=[
                ("table", within(np.uint8, 0, 0), (256,)),
                ("column", within(np.float64, 0.0, 0.0), (size,)),
                ("counts", within(np.int64, 0, 0), (256,)),
            ],
            params={"scattered": float(scattered), **({"resources": fixed(1)} if resources else {})},
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(size=len(level["map"]), resources=bool(set("".join(level["map"])) & set(_RESOURCES)))

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": write_map(s.level.map)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.map[:] = read_map(level, len(s.level.map), "wilds", self.parameters["resources"])

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "shares" of the map by ground.

        A map is solvable if both foliage and a cell beside water can be reached on foot from every outermost cell. Its
        difficulty is the mean of the steps to the farther one of the two.
        """
        codes = read_map(level, len(level["map"]), "the level", True)
        walkable = (codes >= GRASS) & (codes != STONE) & (codes != FISH)
        wet = np.pad(codes == WATER, 1)
        shore = walkable & (wet[:-2, 1:-1] | wet[2:, 1:-1] | wet[1:-1, :-2] | wet[1:-1, 2:])
        food, drink = steps_to(walkable, codes == FOLIAGE), steps_to(walkable, shore)
        ring = walkable.copy()
        ring[1:-1, 1:-1] = False
        farther = np.maximum(food, drink)[ring]
        solvable = bool(len(farther)) and bool((np.minimum(food, drink)[ring] >= 0).all())
        counts = np.bincount(codes.ravel(), minlength=len(NAMES))
        return {
            "size": list(codes.shape),
            "solvable": solvable,
            "difficulty": round(float(farther.mean()), 3) if solvable else None,
            "shares": {name: round(int(n) / codes.size, 4) for name, n in zip(NAMES, counts) if n},
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        from envsuite.render.scene import Scene

        codes = read_map(level, len(level["map"]), "the level", True)
        scene = Scene(codes.shape[1], codes.shape[0])
        scene.add(*ground_shapes(codes))
        return scene


def steps_to(walkable: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Steps on foot from each cell to the nearest goal; -1 where there is no way."""
    steps = np.where(goals & walkable, 0, -1)
    front = np.argwhere(goals & walkable).tolist()
    for y, x in front:  # the list grows during the loop
        for j, i in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if 0 <= j < len(steps) and 0 <= i < len(steps[0]) and walkable[j, i] and steps[j, i] < 0:
                steps[j, i] = steps[y, x] + 1
                front.append([j, i])
    return steps


def write_map(codes: np.ndarray) -> list[str]:
    """The rows of a map as letters."""
    return ["".join(LEGEND[code] for code in row) for row in codes.tolist()]


def read_map(level: Mapping[str, Any], size: int, label: str, resources: bool = False) -> np.ndarray:
    """The codes (size, size) of a level's map, or `LevelError` that says what is wrong with it."""
    if not isinstance(level, Mapping) or "map" not in level:
        raise LevelError(f"{label}: the level has no 'map'")
    if unknown := set(level) - {"kind", "map"}:
        raise LevelError(f"{label}: the level has an unknown part {sorted(unknown)[0]!r}")
    if level.get("kind", "wilds") != "wilds":
        raise LevelError(f"{label}: the level is of the kind {level['kind']!r}, not 'wilds'")
    rows = level["map"]
    whole = isinstance(rows, (list, tuple)) and len(rows) == size
    if not whole or any(not isinstance(row, str) or len(row) != size for row in rows):
        raise LevelError(f"{label}: its map must be {size} strings of {size} letters")
    known = _LETTERS + (_RESOURCES if resources else "")
    if wrong := set("".join(rows)) - set(known):
        raise LevelError(f"{label}: its map has the letter {min(wrong)!r}; known: {' '.join(known)}")
    codes = np.array([[LEGEND.index(letter) for letter in row] for row in rows], np.uint8)
    ring = codes.copy()
    ring[1:-1, 1:-1] = WATER
    if not ((ring == GRASS) | (ring == FOLIAGE)).any():
        raise LevelError(f"{label}: no outermost cell of its map is grass or foliage, so nobody can start")
    return codes


# Pictures.

_COLORS = {
    **{VOID: "shadow", WATER: "water", GRASS: "grass", SCRUB: "soil", FOLIAGE: "leaf", STONE: "grey"},
    **dict.fromkeys(range(_PLAIN, FISH - 1), "grass"),
    **{FISH - 1: "water", FISH: "water"},
}
_GLYPHS = {code: "" if code in (VOID, WATER, GRASS) else LEGEND[code] for code in _COLORS}


def ground_shapes(codes: np.ndarray, size: float = 1.0) -> list[Shape]:
    """A part of a map from its top left corner; each cell has this size. Equal cells without a sign are one bar."""
    from envsuite.render.scene import Circle, Line, Rect

    shapes: list[Shape] = []
    for y, row in enumerate(codes.tolist()):
        ends = [0, *(x for x in range(1, len(row)) if row[x] != row[x - 1] or _GLYPHS[row[x]]), len(row)]
        for x, end in zip(ends, ends[1:]):
            code = row[x]
            shapes.append(Rect(x * size, y * size, (end - x) * size, size, _COLORS[code], glyph=_GLYPHS[code]))
    for (y, x), code in np.ndenumerate(codes):
        across, down = (x + 0.5) * size, (y + 0.5) * size
        if code == FOLIAGE:  # berries
            for i, j in ((-0.2, -0.18), (0.2, -0.05), (-0.08, 0.22)):
                shapes.append(Circle(across + i * size, down + j * size, 0.11 * size, "red", glyph=""))
        elif code == SCRUB:
            for i in (-0.2, 0.0, 0.2):
                twig = [(across + i * size, down + 0.2 * size), (across + 1.5 * i * size, down - 0.2 * size)]
                shapes.append(Line(twig, "brown", 0.06 * size))
        elif code == WATER and (x * 7919 ^ y * 104729) % 3 == 0:
            wave = [(-0.28, 0.0), (-0.1, -0.1), (0.1, 0.05), (0.28, -0.05)]
            shapes.append(Line([(across + i * size, down + j * size) for i, j in wave], "white@0.6", 0.05 * size))
        elif code == STONE and (x + y) % 2 == 0:
            crack = [(-0.3, 0.15), (0.0, 0.02), (0.25, 0.12)]
            shapes.append(Line([(across + i * size, down + j * size) for i, j in crack], "wall@0.5", 0.06 * size))
        elif code >= _PLAIN:
            shapes += resource_shapes(code, across, down, size)
    return shapes


def resource_shapes(code: int, x: float, y: float, size: float) -> list[Shape]:
    """A resource in a cell with this middle, or a small remainder of it after a harvest."""
    from envsuite.render.scene import Circle, Line, Polygon

    whole, kind = code % 2, code - 1 + code % 2
    unit = size * (1.0 if whole else 0.55)

    def shape(points: list[tuple[float, float]], color: str) -> Polygon:
        return Polygon([(x + i * unit, y + j * unit) for i, j in points], color if whole else "soil", "black", 0.03)

    if kind == ORE:
        return [shape([(-0.32, 0.25), (-0.2, -0.2), (0.1, -0.3), (0.32, 0.0), (0.25, 0.28)], "brown")]
    if kind == TREE:
        trunk = Line([(x, y + 0.4 * size), (x, y)], "brown", 0.14 * size)
        return [trunk, shape([(0.0, -0.45), (0.34, 0.15), (-0.34, 0.15)], "leaf")] if whole else [trunk]
    if kind == CRYSTAL:
        return [shape([(0.0, -0.4), (0.22, -0.05), (0.1, 0.36), (-0.1, 0.36), (-0.22, -0.05)], "purple")]
    if kind == HERB:
        stems = [Line([(x, y + 0.3 * size), (x + i * size, y - 0.2 * unit)], "leaf", 0.06) for i in (-0.2, 0.0, 0.2)]
        return [*stems, Circle(x, y - 0.22 * size, 0.12 * size, "pink", glyph="")] if whole else [*stems]
    fish = [
        shape([(-0.3, 0.0), (0.0, -0.18), (0.2, 0.0), (0.36, -0.16), (0.36, 0.16), (0.2, 0.0), (0.0, 0.18)], "gold")
    ]
    return fish if whole else []
