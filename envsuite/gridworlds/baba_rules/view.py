"""The text and the picture of BabaRules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.gridworlds.baba_rules import pieces
from envsuite.gridworlds.baba_rules.laws import IDLE, Board, has, is_thing, top, word
from envsuite.kit.grid import SCREEN, steps
from envsuite.render import scene as pictures
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, text_width

if TYPE_CHECKING:
    from envsuite.gridworlds.baba_rules import BabaRules

#: What a piece is in an observation: a thing of one of the kinds comes after border, then blocks.
NOUN = 2 + len(pieces.KINDS)
IS_BLOCK, PROPERTY_BLOCK, COLOR_BLOCK = NOUN + 1, NOUN + 2, NOUN + 3


def pieces_of(seen: np.ndarray) -> np.ndarray:
    """The pieces (height, width, DEPTH) that an observation shows."""
    what, which, facing = np.moveaxis(seen.astype(np.int64), -1, 0)
    codes = np.where(what == 1, pieces.BORDER, 0)
    thing = (what >= 2) & (what < NOUN)
    codes = np.where(thing, pieces.THING + pieces.SHADES * (what - 2) + which - 1 + pieces.TURN * facing, codes)
    for block, first in (
        (NOUN, 0),
        (IS_BLOCK, pieces.IS),
        (PROPERTY_BLOCK, pieces.PROPERTY),
        (COLOR_BLOCK, pieces.COLOR),
    ):
        codes = np.where(what == block, pieces.BLOCK + first + np.maximum(which - 1, 0), codes)
    found = np.zeros((*codes.shape[:2], pieces.DEPTH), np.int64)
    known = (codes != 0).sum(axis=2, keepdims=True)
    for depth in range(codes.shape[2]):  # the topmost is the first in an observation and the last here
        lower = np.take_along_axis(codes, np.maximum(known - 1 - depth, 0), axis=2)
        found[..., depth] = np.where(depth < known, lower, 0)[..., 0]
    return found


def sentences(board: Any) -> dict[str, list[int]]:
    """The sentences in force, in the order in which they are read, with the cells of their blocks."""
    found: dict[str, list[int]] = {}
    for cell in range(board.cells):
        for step in (1, board.width) if word(board, cell) == pieces.IS else ():
            kind, end = word(board, cell - step), word(board, cell + step)
            if not (0 <= kind < pieces.IS and (0 <= end < pieces.IS or pieces.PROPERTY <= end < pieces.COLOR)):
                continue
            cells = [cell - step, cell, cell + step]
            if end > pieces.IS and word(board, cell - 2 * step) >= pieces.COLOR:
                cells.insert(0, cell - 2 * step)
            said = " ".join(pieces.WORDS[word(board, k)] for k in cells)
            found[said] = found.get(said, []) + cells
    return found


def own_cells(board: Any) -> list[int]:
    """The cells with a thing that is "you" on top."""
    return [cell for cell in range(board.cells) if has(board, top(board, cell), pieces.YOU)]


def name(board: Any, piece: int) -> str:
    """A thing in words, with its facing if it moves."""
    kind, color = divmod((piece & pieces.CODE) - pieces.THING, pieces.SHADES)
    way = f" facing {pieces.FACINGS[piece // pieces.TURN & 3]}" if has(board, piece, pieces.MOVE) else ""
    return f"{pieces.COLORS[color]} {pieces.KINDS[kind]}{way}"


def text(world: BabaRules, s: Any, agent: int) -> str:
    shown = pieces_of(world.observation(s, agent))
    board = Board(shown)
    own, width = own_cells(board), board.width
    rules = "; ".join(sentences(board))
    lines = [f"Step {s.t} of {s.params.horizon}.", f"Rules in force: {rules or 'none'}."]
    at = own[0] if own else 0
    y, x = divmod(at, width)
    if own:
        lines.append(f"You are the {name(board, top(board, at))} in column {x}, row {y}.")
        if len(own) > 1:
            places = "; ".join(f"column {cell % width}, row {cell // width}" for cell in own[1:])
            lines.append(f"You also move what is in {places}.")
    else:
        lines.append("Nothing is you. Places are counted from the top left corner.")
    tops = [(cell, top(board, cell)) for cell in range(board.cells)]
    tops.sort(key=lambda found: abs(found[0] // width - y) + abs(found[0] % width - x))
    things, blocks = [], []
    for cell, piece in tops:
        way = " ".join(steps(cell // width - y, cell % width - x, SCREEN)) or "there"
        if cell not in own and is_thing(piece):
            things.append(f"{name(board, piece)} {way}")
        elif piece & pieces.CODE >= pieces.BLOCK:
            blocks.append(f"{pieces.WORDS[word(board, cell)].upper()} {way}")
    lines.append(f"Things: {'; '.join(things) or 'none'}.")
    lines.append(f"Blocks: {'; '.join(blocks) or 'none'}.")
    lines.append("The map (# border, . nothing, BLOCKS, things):")
    turned = [piece if has(board, piece, pieces.MOVE) else piece & pieces.CODE for piece in shown.reshape(-1).tolist()]
    rows = [row.split() for row in pieces.write_map(np.reshape(turned, shown.shape))]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines += ["  " + " ".join(cell.ljust(room) for cell, room in zip(row, widths)).rstrip() for row in rows]
    if s.terminated[0]:
        lines.append("You won." if s.won else "You lost.")
    elif s.truncated[0]:
        lines.append("The time is over.")
    return "\n".join(lines)


def window(s: Any) -> tuple[slice, slice]:
    """The rows and columns of the map that a picture shows: the room and the border around it."""
    inside = np.asarray(s.pieces)[:, 0].reshape(s.level.pieces.shape[:2]) != pieces.BORDER
    rows, columns = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return slice(0, inside.shape[0]), slice(0, inside.shape[1])
    return slice(int(rows[0]) - 1, int(rows[-1]) + 2), slice(int(columns[0]) - 1, int(columns[-1]) + 2)


def scene(world: BabaRules, s: Any, agent: int | None = None) -> Scene:
    if agent is None:
        shown = np.asarray(s.pieces).astype(np.int64).reshape(s.level.pieces.shape) & (4 * pieces.TURN - 1)
    else:
        shown = pieces_of(world.observation(s, agent))
    shown = shown[window(s)]
    scene = Scene(shown.shape[1], shown.shape[0])
    draw_map(scene, shown)
    over = ("won" if s.won else "lost") if s.terminated[0] else ""
    pictures.footer(scene, f"{s.t} / {s.params.horizon}", over)
    return scene


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """A move towards a point of the picture, from the first thing that is "you"."""
    rows, columns = window(s)
    column, row = columns.start + int(x // 1), rows.start + int(y // 1)
    own = own_cells(s) if columns.start <= column < columns.stop and rows.start <= row < rows.stop else []
    if not own:
        return None
    right, down = column - own[0] % int(s.width), row - own[0] // int(s.width)
    if right == down == 0:
        return IDLE
    if abs(right) >= abs(down):
        return 2 if right > 0 else 4
    return 3 if down > 0 else 1


def draw_map(scene: Scene, shown: np.ndarray) -> None:
    """Draw pieces (height, width, DEPTH) from the top left corner on."""
    height, width, _ = shown.shape
    board = Board(shown)
    lit = {cell for cells in sentences(board).values() for cell in cells}
    scene.add(*pictures.grid(1, 1, width - 2, height - 2))
    for y, x in np.ndindex(height, width):
        stack = [int(piece) for piece in shown[y, x] if piece]
        for piece in stack:
            scene.add(*drawn(piece, x + 0.5, y + 0.5, y * width + x in lit))
        if len(stack) > 1:
            scene.add(Circle(x + 0.86, y + 0.14, 0.13, "black", glyph=""))
            scene.add(Label(x + 0.86, y + 0.14, str(len(stack)), 0.18, "white", terminal=False))


#: The colors of blocks with a noun, "is" and a property.
_NOUN, _IS, _PROPERTY = "brown", "black", "purple"


def drawn(piece: int, x: float, y: float, lit: bool) -> list[Shape]:
    """The shapes of a piece around (x, y); a block is lit if it is part of a sentence."""
    code = piece & pieces.CODE
    if code == pieces.BORDER:
        return [Rect(x - 0.5, y - 0.5, 1, 1, "wall", glyph="#")]
    if code >= pieces.BLOCK:
        return block(code - pieces.BLOCK, x, y, lit)
    kind, shade = divmod(code - pieces.THING, pieces.SHADES)
    color = pieces.COLORS[shade]
    edge = "black" if color in ("white", "yellow", "grey") else None
    if kind == pieces.WALL:
        return [
            Rect(x - 0.46, y - 0.46, 0.92, 0.92, color, edge, 0.05, 0.06, glyph="w●"),
            Line([(x - 0.46, y), (x + 0.46, y)], "black@0.35", 0.06),
            Line([(x, y - 0.46), (x, y)], "black@0.35", 0.06),
            Line([(x - 0.23, y), (x - 0.23, y + 0.46)], "black@0.35", 0.06),
            Line([(x + 0.23, y), (x + 0.23, y + 0.46)], "black@0.35", 0.06),
        ]
    if kind == pieces.BALL:
        return [Circle(x, y, 0.31, color, edge, 0.05, glyph="o●")]
    if kind == pieces.KEY:
        return pictures.key(x, y, color)
    if kind == pieces.DOOR:
        return pictures.door(x, y, color, "closed", 0.8)
    return baba(x, y, piece // pieces.TURN & 3, color)


def baba(x: float, y: float, facing: int, color: str) -> list[Shape]:
    """An animal that looks somewhere."""
    right, down = ((1, 0), (0, 1), (-1, 0), (0, -1))[facing]

    def at(forward: float, side: float) -> tuple[float, float]:
        return x + forward * right - side * down, y + forward * down + side * right

    head = [at(0.42, 0.0), at(0.1, 0.3), at(0.1, -0.3)]
    return [
        Polygon(head, color, "black", 0.06),
        Circle(x, y, 0.32, color, "black", 0.06, glyph="▶▼◀▲"[facing] + "●"),
        *(Circle(*at(0.14, side), 0.055, "black", glyph="") for side in (-0.12, 0.12)),
    ]


def block(number: int, x: float, y: float, lit: bool) -> list[Shape]:
    """A block with a word."""
    said = pieces.WORDS[number].upper()
    fill = (
        _NOUN
        if number < pieces.IS
        else _IS
        if number == pieces.IS
        else _PROPERTY
        if number < pieces.COLOR
        else pieces.COLORS[number - pieces.COLOR]
    )
    ink = "black" if fill in ("white", "yellow", "grey") else "white"
    paint = fill if lit else f"{fill}@0.6"
    size = min(0.36, 0.4 * 0.7 / text_width(said, 0.4))
    return [
        Rect(x - 0.45, y - 0.45, 0.9, 0.9, "floor", radius=0.12),
        Rect(x - 0.45, y - 0.45, 0.9, 0.9, paint, "gold" if lit else None, 0.07, 0.12, glyph=said[0] + said[-1]),
        Label(x, y, said, size, ink, bold=True, terminal=False),
    ]
