"""Terrain of an open world, as in Crafter: grassland with trees, lakes with beaches, mountains with caves and ores.

Three layers of smooth noise determine the start, water and mountains. Further layers determine caves, tunnels, ores,
lava, beaches and forests. `noise` is simplex noise in two dimensions (Perlin 2001) with one more term at each corner of
its lattice, as if it were a slice of noise in three dimensions: a corner's gradient has a random length, and the corner
itself has a value. Scales are chosen such that spread and correlation length are those of OpenSimplex noise, which
Crafter uses (standard deviation 0.314, correlation 0.51 at half a unit). Any world may use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from envsuite.core.elementary import cos_turns, logistic, sin_turns
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_letters, write_letters
from envsuite.core.random import randint, shuffle, uniform
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.kit.grid import DX, DY
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, Shape

#: Materials by code; 0 is outside the map. The letters are those of a level.
MATERIALS = (
    "nothing", "water", "grass", "stone", "path", "sand", "tree", "lava", "coal", "iron", "diamond", "table", "furnace",
)  # fmt: skip
NOTHING, WATER, GRASS, STONE, PATH, SAND, TREE, LAVA, COAL, IRON, DIAMOND, TABLE, FURNACE = range(13)
LEGEND = " ~.#_:T%cidtf"
#: A path in a tunnel, in which skeletons live; used only until the world has placed them.
TUNNEL = 13

#: Lattice cells to a unit, and the height of the noise. (Fitted to OpenSimplex noise; see above.)
_FREQUENCY = 0.52
_HEIGHT = 56.4
_REACH = 0.5**0.5
_SKEW = (3.0**0.5 - 1.0) / 2.0
_UNSKEW = (3.0 - 3.0**0.5) / 6.0
_WIDE = 1.0 / (1.0 - _UNSKEW)

#: Rows of the noise columns from which a map is made.
MOUNTAIN, LAKE, FOREST, CAVE = range(4)

#: From this distance on, the clearing around the start has no effect: its weight is below 2e-8.
_FAR = 24.0


def _corners() -> np.ndarray:
    """(256, 3): gradient and value of a lattice corner by its number, spread evenly over an ellipsoid."""
    height = 1.0 - (2.0 * np.arange(256) + 1.0) / 256
    turns = [k * (3.0 - 5.0**0.5) / 2.0 for k in range(256)]
    across, along = ([wave(turn) for turn in turns] for wave in (cos_turns, sin_turns))
    radius = np.sqrt(1.0 - height**2)
    return _HEIGHT * np.stack([radius * across, radius * along, 0.17 * height], axis=1)


_CORNERS = _corners()


@kernel
def _number(table, row, column):
    """The number of a lattice corner."""
    return np.uint64(table[np.uint64((np.int64(table[np.uint64(row & 255)]) + column) & 255)])


@kernel
def _corner(table, row, column, u, v):
    """The contribution of the lattice corner at this row and column to a point (u, v) away from it."""
    number = _number(table, row, column)
    near = max(0.0, 0.5 - u * u - v * v)
    near *= near
    return near * near * (_CORNERS[number, 0] * u + _CORNERS[number, 1] * v + _CORNERS[number, 2])


@large_kernel
def noise(table, x, y, layer):
    """Smooth noise at a point with x, y >= 0, between -1 and 1; each layer (0 .. 255) has its own noise.

    `table` (256,) uint8 is a random permutation. It also shifts the lattice, because noise varies less near its
    corners.
    """
    x, y = x * _FREQUENCY + table[0] / 256.0, y * _FREQUENCY + table[1] / 256.0
    skew = (x + y) * _SKEW
    i, j = np.int64(x + skew), np.int64(y + skew)
    back = (i + j) * _UNSKEW
    u, v = x - i + back, y - j + back
    right = np.int64(u > v)
    row = i + np.int64(table[layer])
    return (
        _corner(table, row, j, u, v)
        + _corner(table, row + right, j + 1 - right, u - right + _UNSKEW, v - (1 - right) + _UNSKEW)
        + _corner(table, row + 1, j + 1, u - 1.0 + 2.0 * _UNSKEW, v - 1.0 + 2.0 * _UNSKEW)
    )


@large_kernel
def add_columns(table, x, step, first_layer, first_weight, first, second_layer, second_weight, second):
    """Add noise of two layers at (x, 0), (x, step), (x, 2 step), ... to two columns, `first` and `second`.

    The result equals that of `noise`, up to rounding, and is faster: each corner of the lattice is looked up once, and
    adds to the cells within its reach.
    """
    x, step = x * _FREQUENCY + table[0] / 256.0, step * _FREQUENCY
    top, cells, per_step = table[1] / 256.0, first.shape[0], 1.0 / step
    # Along the column, corners of row j lie near y = j * slope - shift.
    slope, shift = 1.0 - _UNSKEW - _UNSKEW * _UNSKEW * _WIDE, x * _UNSKEW * _WIDE + top
    reach = _REACH * _WIDE
    highest = np.int64(np.ceil((shift - reach) / slope))
    lowest = np.int64(np.floor((shift + reach + (cells - 1) * step) / slope))
    for j in range(highest, lowest + 1):
        middle = (x + j * _UNSKEW) * _WIDE
        for i in range(np.int64(np.ceil(middle - reach)), np.int64(np.floor(middle + reach)) + 1):
            back = (i + j) * _UNSKEW
            u, v = x - i + back, top - j + back
            wide = 0.5 - u * u
            if wide <= 0.0:
                continue
            half = np.sqrt(wide)
            begin = max(0, np.int64(np.ceil((-v - half) * per_step)))
            end = min(cells, np.int64(np.floor((half - v) * per_step)) + 1)
            one = _number(table, i + np.int64(table[first_layer]), j)
            other = _number(table, i + np.int64(table[second_layer]), j)
            level = first_weight * (_CORNERS[one, 0] * u + _CORNERS[one, 2])
            rise = first_weight * _CORNERS[one, 1]
            level_2 = second_weight * (_CORNERS[other, 0] * u + _CORNERS[other, 2])
            rise_2 = second_weight * _CORNERS[other, 1]
            for k in range(np.uint64(begin), np.uint64(max(begin, end))):
                along = v + np.int32(k) * step
                near = wide - along * along
                near *= near
                near *= near
                first[k] += near * (level + rise * along)
                second[k] += near * (level_2 + rise_2 * along)


@kernel
def _sized(table, x, y, size, layer):
    """Noise whose units are `size` cells long."""
    # If it were a literal, each layer would have its own compiled `noise`.
    return noise(table, x * (1.0 / size), y * (1.0 / size), np.int64(layer))


@large_kernel
def terrain(s, map, table, columns):
    """Fill `map` (height, width) uint8 with materials; tunnels are marked.

    `table` (256,) uint8 and `columns` (4, height) float64 are working space. The middle is grass, where players start:
    at least the eight cells around it.
    """
    for k in range(256):
        table[k] = k
    shuffle(s, table, 256)
    height, width = map.shape
    for x in range(width):
        for k in range(4):
            for y in range(height):
                columns[k, y] = 0.0
        _add(table, x, 15, 0, 1.0, columns[MOUNTAIN], 3, 1.0, columns[LAKE])
        _add(table, x, 5, 0, 0.3, columns[MOUNTAIN], 3, 0.15, columns[LAKE])
        _add(table, x, 7, 5, 1.0, columns[FOREST], 6, 1.0, columns[CAVE])
        for y in range(height):
            map[y, x] = _material(s, table, columns, x, y, np.float64(x - width // 2), np.float64(y - height // 2))


@kernel
def _add(table, x, size, first_layer, first_weight, first, second_layer, second_weight, second):
    """Add to columns of the map noise of two layers whose units are `size` cells long."""
    layers = np.int64(first_layer), np.int64(second_layer)
    add_columns(table, x / size, 1.0 / size, layers[0], first_weight, first, layers[1], second_weight, second)


@kernel
def _material(s, table, columns, x, y, dx, dy):
    distance = np.sqrt(dx * dx + dy * dy)
    start = logistic(4.0 + 2.0 * _sized(table, x, y, 3, 8) - distance) if distance < _FAR else 0.0
    if start > 0.5:
        return GRASS
    water = columns[LAKE, y] + 0.1 - 2.0 * start
    mountain = columns[MOUNTAIN, y] / 1.3 - (4.0 * start + 0.3 * water)
    if mountain > 0.15:
        return _rock(s, table, x, y, mountain, columns[CAVE, y])
    if 0.25 < water <= 0.35 and _sized(table, x, y, 9, 4) > -0.2:
        return SAND
    if water > 0.3:
        return WATER
    return TREE if columns[FOREST, y] > 0.0 and uniform(s) > 0.8 else GRASS


@kernel
def _rock(s, table, x, y, mountain, cave):
    """The material inside a mountain."""
    if mountain > 0.3 and cave > 0.15:
        return PATH
    if _sized(table, 2.0 * x, 0.2 * y, 3, 7) > 0.4 or _sized(table, 0.2 * x, 2.0 * y, 3, 7) > 0.4:
        return TUNNEL
    if _sized(table, x, y, 8, 1) > 0.0 and uniform(s) > 0.85:
        return COAL
    if _sized(table, x, y, 6, 2) > 0.4 and uniform(s) > 0.75:
        return IRON
    if mountain > 0.18 and uniform(s) > 0.994:
        return DIAMOND
    return LAVA if mountain > 0.3 and _sized(table, x, y, 5, 6) > 0.35 else STONE


# A kind of level.


@large_kernel
def make(s):
    """A new map, without marks for tunnels."""
    terrain(s, s.level.map, s.scratch.table, s.scratch.columns)
    height, width = s.level.map.shape
    for y in range(height):
        for x in range(width):
            if s.level.map[y, x] == TUNNEL:
                s.level.map[y, x] = PATH
    for k in range(256):
        s.scratch.table[k] = 0
    for k in range(4):
        for y in range(height):
            s.scratch.columns[k, y] = 0.0


@kernel
def change(s):
    """Spread the ground of one cell to a different cell beside it, but not to cells where players start."""
    height, width = s.level.map.shape
    for _ in range(1000):
        x, y, facing = randint(s, width), randint(s, height), randint(s, 4)
        from_x, from_y = x + DX[facing], y + DY[facing]
        if not (0 <= from_x < width and 0 <= from_y < height):
            continue
        if abs(x - width // 2) <= 1 and abs(y - height // 2) <= 1:
            continue
        if s.level.map[y, x] != s.level.map[from_y, from_x]:
            s.level.map[y, x] = s.level.map[from_y, from_x]
            return


class Terrain(Generator):
    """Terrain: grassland, lakes, beaches and mountains with caves and ores, for Crafter.

    Args:
        height, width: cells of the map.
    """

    make = make
    change = change

    def __init__(self, height: Annotated[int, Between(16, 128)] = 64, width: Annotated[int, Between(16, 128)] = 64):
        self.define(
            level=[("map", np.uint8, (height, width))],
            scratch=[("table", np.uint8, (256,)), ("columns", np.float64, (4, height))],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(height=len(level["map"]), width=len(level["map"][0]))

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": write_map(s.level.map)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        height, width = s.level.map.shape
        s.level.map[:] = read_map(level["map"], height, width, "the level of kind 'terrain'")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, "shares" of the map by material, and "nearest": steps from the middle to needed materials.

        A level is solvable if all materials of tools can be reached over land and through materials that can be mined.
        Its difficulty is the number of steps to the farthest of these materials.
        """
        codes = read_map(level["map"], len(level["map"]), len(level["map"][0]), "the level")
        height, width = codes.shape
        front, seen = [(width // 2, height // 2, 0)], {(width // 2, height // 2)}
        nearest: dict[str, int] = {}
        for x, y, steps in front:  # the list grows during the loop
            nearest.setdefault(MATERIALS[codes[y, x]], steps)
            if codes[y, x] in (WATER, TREE, LAVA):
                continue
            for facing in range(4):
                cell = x + int(DX[facing]), y + int(DY[facing])
                if cell not in seen and 0 <= cell[0] < width and 0 <= cell[1] < height:
                    seen.add(cell)
                    front.append((*cell, steps + 1))
        needed = {MATERIALS[code]: nearest.get(MATERIALS[code]) for code in (WATER, TREE, STONE, COAL, IRON, DIAMOND)}
        solvable = None not in needed.values()
        counts = np.bincount(codes.ravel(), minlength=len(MATERIALS))
        return {
            "size": [height, width],
            "solvable": solvable,
            "difficulty": max(steps for steps in needed.values() if steps is not None) if solvable else None,
            "nearest": needed,
            "shares": {name: round(int(n) / codes.size, 4) for name, n in zip(MATERIALS, counts) if n},
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        codes = read_map(level["map"], len(level["map"]), len(level["map"][0]), "the level")
        scene = Scene(codes.shape[1], codes.shape[0])
        scene.add(*ground_shapes(codes, 0, 0, (0, 0)))
        return scene


def write_map(codes: np.ndarray) -> list[str]:
    """The rows of a map as letters."""
    return write_letters(codes, LEGEND)


def read_map(rows: Any, height: int, width: int, label: str) -> np.ndarray:
    """The codes (height, width) of rows of letters, or `LevelError` that says what is wrong with them."""
    return read_letters(rows, f"{label}: its map", (height, width), LEGEND[1:]) + np.uint8(1)


# Pictures.


_GROUND = {
    0: "wall", WATER: "water", GRASS: "grass", STONE: "grey", PATH: "soil", SAND: "beam", TREE: "grass", LAVA: "orange",
    COAL: "grey", IRON: "grey", DIAMOND: "grey", TABLE: "grass", FURNACE: "soil",
}  # fmt: skip
_GLYPHS = {
    STONE: "#",
    TREE: "T",
    LAVA: "%",
    COAL: "c",
    IRON: "i",
    DIAMOND: "d",
    TABLE: "t",
    FURNACE: "f",
}


def ground_shapes(codes: np.ndarray, left: float, top: float, corner: tuple[int, int]) -> list[Shape]:
    """A part of a map, with its top left corner at (left, top); `corner` is the cell there, (x, y)."""
    shapes: list[Shape] = []
    for x, y, width, height, code in _blocks(codes):
        shapes.append(Rect(left + x, top + y, width, height, _GROUND[code], glyph=_GLYPHS.get(code, "")))
        if code == SAND:  # the theme's yellow is too bright for sand
            shapes.append(Rect(left + x, top + y, width, height, "white@0.5"))
    for y, x in np.ndindex(codes.shape):
        speckle = (corner[0] + x) * 7919 ^ (corner[1] + y) * 104729
        shapes += _ground(int(codes[y, x]), left + x + 0.5, top + y + 0.5, speckle)
    return shapes


def _blocks(codes: np.ndarray) -> list[tuple[int, int, int, int, int]]:
    """Equal cells joined to rectangles, except those with a glyph: x, y, width, height, code."""
    done: list[tuple[int, int, int, int, int]] = []
    above: dict[tuple[int, int, int], int] = {}
    for y, row in enumerate(codes):
        ends = [0, *(k for k in range(1, len(row)) if row[k] != row[k - 1] or row[k] in _GLYPHS), len(row)]
        here = {}
        for x, end in zip(ends, ends[1:]):
            run = (x, end - x, int(row[x]))
            if run in above and run[2] not in _GLYPHS:
                k = above[run]
                done[k] = (*done[k][:3], done[k][3] + 1, run[2])
            else:
                k = len(done)
                done.append((x, y, end - x, 1, run[2]))
            here[run] = k
        above = here
    return done


def _ground(code: int, x: float, y: float, speckle: int) -> list[Shape]:
    """The details of a cell beyond its color."""
    shift = (speckle >> 4) % 5 * 0.12 - 0.24
    if code == TREE:
        return [
            Rect(x - 0.07, y + 0.1, 0.14, 0.34, "brown"),
            Circle(x, y - 0.1, 0.36, "leaf", glyph=""),
            Circle(x - 0.1, y - 0.2, 0.13, "grass@0.35", glyph=""),
        ]
    if code == WATER and speckle % 3 == 0:
        wave = [(x - 0.28, y + shift), (x - 0.14, y + shift - 0.08), (x, y + shift), (x + 0.14, y + shift - 0.08)]
        return [Line(wave, "white@0.6", 0.05)]
    if code == GRASS and speckle % 3 == 0:
        blades = [[(x + shift + d, y + 0.12), (x + shift + 1.6 * d, y - 0.08)] for d in (-0.08, 0.0, 0.08)]
        return [Line(blade, "leaf@0.45", 0.035) for blade in blades]
    if code == STONE and speckle % 2 == 0:
        return [Line([(x - 0.3, y + shift), (x + shift, y + shift - 0.1), (x + 0.25, y + shift)], "wall@0.4", 0.05)]
    if code == LAVA:
        waves = ([(x - 0.36 + 0.18 * k, y + down - 0.08 * (k % 2)) for k in range(5)] for down in (-0.18, 0.08, 0.34))
        return [Line(wave, "gold", 0.06) for wave in waves]
    if code in (COAL, IRON):
        color = "black" if code == COAL else "orange"
        return [
            Circle(x + dx, y + dy, r, color, glyph="")
            for dx, dy, r in ((-0.2, -0.15, 0.12), (0.18, -0.02, 0.14), (-0.08, 0.24, 0.11))
        ]
    if code == DIAMOND:
        return diamond(x, y, 0.9)
    if code == TABLE:
        return [
            Rect(x - 0.44, y - 0.3, 0.88, 0.3, "brown", radius=0.05),
            Rect(x - 0.38, y, 0.12, 0.4, "brown"),
            Rect(x + 0.26, y, 0.12, 0.4, "brown"),
            Line([(x - 0.3, y - 0.15), (x + 0.3, y - 0.15)], "soil@0.6", 0.04),
        ]
    if code == FURNACE:
        return [
            Rect(x - 0.42, y - 0.42, 0.84, 0.84, "wall", radius=0.1),
            Rect(x - 0.24, y - 0.05, 0.48, 0.4, "black", radius=0.1),
            Polygon([(x - 0.16, y + 0.34), (x - 0.02, y), (x + 0.16, y + 0.34)], "gold"),
        ]
    return []


def diamond(x: float, y: float, size: float) -> list[Shape]:
    """A cut stone around (x, y)."""

    def at(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(x + size * dx, y + size * dy) for dx, dy in points]

    return [
        Polygon(at([(-0.3, -0.08), (-0.14, -0.28), (0.14, -0.28), (0.3, -0.08), (0.0, 0.3)]), "white", "sky", 0.05),
        Line(at([(-0.3, -0.08), (0.3, -0.08)]), "sky", 0.04),
    ]
