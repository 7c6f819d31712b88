"""The pieces of BabaRules' maps, things and blocks with words, and how levels write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envsuite.core.errors import LevelError

# A piece is its code + TURN times its facing: 0 right, 1 down, 2 left, 3 up. Blocks always face right.
NOTHING, BORDER, THING = range(3)
KINDS = ("baba", "wall", "ball", "key", "door")
COLORS = ("red", "green", "blue", "purple", "yellow", "grey", "white")
PROPERTIES = ("you", "win", "stop", "push", "pull", "move", "lose", "open", "shut")
BABA, WALL, BALL, KEY, DOOR = range(5)
YOU, WIN, STOP, PUSH, PULL, MOVE, LOSE, OPEN, SHUT = range(9)
#: The code of a thing is THING + SHADES * kind + color; that of a block is BLOCK + word.
SHADES = len(COLORS)
BLOCK = THING + len(KINDS) * SHADES
WORDS = (*KINDS, "is", *PROPERTIES, *COLORS)
IS = len(KINDS)
PROPERTY = IS + 1
COLOR = PROPERTY + len(PROPERTIES)
LAST = BLOCK + len(WORDS) - 1
CODE, TURN = 63, 64

#: The usual colors of things.
USUAL = np.array([6, 5, 1, 2, 0])

FACINGS = ("right", "down", "left", "up")

#: The most pieces in a cell, and the smallest and the largest side of a map.
DEPTH, SMALLEST, LARGEST = 6, 6, 16


def piece_bounds(height: int, width: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest pieces of a map (height, width, DEPTH): border at the edge, up to `most` inside."""
    low, high = np.zeros((2, height, width, DEPTH), np.int64)
    low[..., 0], high[..., 0] = BORDER, BORDER
    low[1:-1, 1:-1], high[1:-1, 1:-1] = NOTHING, most
    return low, high


def piece_name(piece: int) -> str:
    """A piece as in a level: ``BALL``, ``ball``, ``red-ball:left``, ``#`` or ``.``."""
    code, facing = piece & CODE, piece // TURN & 3
    if code <= BORDER:
        return ".#"[code]
    if code >= BLOCK:
        return WORDS[code - BLOCK].upper()
    kind, color = divmod(code - THING, SHADES)
    name = KINDS[kind] if USUAL[kind] == color else f"{COLORS[color]}-{KINDS[kind]}"
    return f"{name}:{FACINGS[facing]}" if facing else name


def piece_of(name: str) -> int | None:
    """A piece by its name in a level, or None."""
    if name.isupper():
        return BLOCK + WORDS.index(name.lower()) if name.lower() in WORDS else None
    thing, _, facing = name.partition(":")
    color, _, kind = thing.rpartition("-")
    if kind not in KINDS or (color and color not in COLORS) or (":" in name and facing not in FACINGS):
        return None
    number = KINDS.index(kind)
    shade = COLORS.index(color) if color else int(USUAL[number])
    return THING + SHADES * number + shade + TURN * (FACINGS.index(facing) if facing else 0)


def write_map(pieces: Any) -> list[str]:
    """Pieces (height, width, DEPTH) as the rows of a level."""
    rows = []
    for row in np.asarray(pieces):
        names = ["+".join(piece_name(int(piece)) for piece in cell if piece) or "." for cell in row]
        rows.append(" ".join(names))
    return rows


def read_map(level: Mapping[str, Any], name: str, smallest: int = 3) -> np.ndarray:
    """The pieces (height, width, DEPTH) uint8 of a level, or a `LevelError` that begins with this name."""
    unknown = set(level) - {"kind", "map"}
    if unknown or "map" not in level:
        raise LevelError(f"{name}: a level has 'map', not {', '.join(map(repr, unknown)) or 'nothing'}")
    rows = level["map"]
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not all(isinstance(row, str) for row in rows):
        raise LevelError(f"{name}: 'map' must be a list of texts")
    cells = [row.split() for row in rows]
    height, width = len(cells), len(cells[0]) if cells else 0
    if not (smallest <= height <= LARGEST and smallest <= width <= LARGEST):
        raise LevelError(f"{name}: 'map' has {width} x {height} cells; each side must be from {smallest} to {LARGEST}")
    pieces = np.zeros((height, width, DEPTH), np.uint8)
    for y, row in enumerate(cells):
        if len(row) != width:
            raise LevelError(f"{name}: row {y} of 'map' has {len(row)} cells, row 0 has {width}")
        for x, cell in enumerate(row):
            if cell not in ".#":
                names = cell.split("+")
                if len(names) > DEPTH:
                    raise LevelError(f"{name}: {cell!r:.80} has {len(names)} pieces; a cell holds {DEPTH}")
                for depth, part in enumerate(names):
                    piece = piece_of(part)
                    if piece is None:
                        raise LevelError(f"{name}: {part!r:.40} in column {x}, row {y} is no piece")
                    pieces[y, x, depth] = piece
            elif cell == "#":
                pieces[y, x, 0] = BORDER
            if (x in (0, width - 1) or y in (0, height - 1)) and cell != "#":
                raise LevelError(f"{name}: column {x}, row {y} must be '#': the edge of a map is border")
    return pieces
