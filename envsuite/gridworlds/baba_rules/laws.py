"""The moves and the sentences of BabaRules.

The kernels work on any record `s` with the pieces of a map: the world's, and that of a baseline. `pieces` (cells,
DEPTH) has the pieces of each cell, the lowest first, and `count` (cells,) their number; `width` is the number of
columns, `cells` that of cells. `rules` (kinds, properties) holds what the sentences say: FLAG if a kind has a
property, and a bit for each color to which sentences restrict that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import below, within
from envsuite.gridworlds.baba_rules import pieces
from envsuite.kit.grid import ahead

ACTIONS = ("idle", "up", "right", "down", "left")
IDLE = 0

#: A piece with this bit still has its turn: it is "you" or "move", and has not moved by itself.
DUE = 256

#: A rule is in force; the bits below are the colors to which it is restricted, 0 for none.
FLAG = 128

#: The most moves, each caused by another, of which the first is one.
MOST = 128

#: What comes of a step.
NEITHER, WON, LOST = range(3)


def fields(height: int, width: int) -> list[tuple]:
    """What the kernels work on."""
    cells = height * width
    inside = np.pad(np.ones((height - 2, width - 2), np.int64), 1).reshape(-1)
    low, high = (bound.reshape(cells, pieces.DEPTH) for bound in pieces.piece_bounds(height, width, 2 * DUE - 1))
    return [
        ("width", within(np.int64, width, width)),
        ("cells", within(np.int64, cells, cells)),
        ("pieces", within(np.uint16, low, high), (cells, pieces.DEPTH)),  # code + TURN * facing + DUE
        ("count", within(np.uint8, 1 - inside, np.where(inside == 1, pieces.DEPTH, 1)), (cells,)),
        ("rules", within(np.uint8, 0, 255), (len(pieces.KINDS), len(pieces.PROPERTIES))),
        ("frames", below(np.int64, 4 * cells), (MOST,)),  # used within a step: 4 * cell + phase
    ]


@kernel
def top(s, cell):
    """The piece on top of a cell, or NOTHING."""
    count = np.int64(s.count[cell])
    return np.int64(s.pieces[cell, count - 1]) if count > 0 else pieces.NOTHING


@kernel
def replace_top(s, cell, piece):
    """Put a piece in the place of the one on top."""
    s.pieces[cell, np.int64(s.count[cell]) - 1] = piece


@kernel
def lift(s, cell):
    """Remove the piece on top."""
    s.count[cell] -= 1
    s.pieces[cell, np.int64(s.count[cell])] = pieces.NOTHING


@kernel
def lay(s, cell, piece):
    """Put a piece on top; a full cell loses its lowest one."""
    if s.count[cell] == pieces.DEPTH:
        for depth in range(pieces.DEPTH - 1):
            s.pieces[cell, depth] = s.pieces[cell, depth + 1]
    else:
        s.count[cell] += 1
    replace_top(s, cell, piece)


@kernel
def is_thing(piece):
    """Whether a piece is no border, no block, and not nothing."""
    return pieces.THING <= piece & pieces.CODE < pieces.BLOCK


@kernel
def restricted(s, piece, what):
    """Whether a sentence gives a thing this property and names its color."""
    thing = (piece & pieces.CODE) - pieces.THING
    mask = np.int64(s.rules[thing // pieces.SHADES, what])
    return mask & FLAG != 0 and mask >> (thing % pieces.SHADES) & 1 != 0


@kernel
def has(s, piece, what):
    """Whether a piece is a thing with a property."""
    if not is_thing(piece):
        return False
    mask = np.int64(s.rules[((piece & pieces.CODE) - pieces.THING) // pieces.SHADES, what])
    return mask == FLAG or restricted(s, piece, what)


@kernel
def yields(s, piece):
    """Whether a piece is pushed by what moves into it."""
    return piece & pieces.CODE >= pieces.BLOCK or has(s, piece, pieces.PUSH)


@kernel
def stops(s, piece):
    """Whether nothing moves onto a piece.

    A thing whose color a sentence with "pull" or "you" names makes its kind "stop" until sentences are read again.
    """
    if not is_thing(piece):
        return piece != pieces.NOTHING
    if restricted(s, piece, pieces.PULL) or restricted(s, piece, pieces.YOU):
        s.rules[((piece & pieces.CODE) - pieces.THING) // pieces.SHADES, pieces.STOP] |= FLAG
    return has(s, piece, pieces.STOP)


@kernel
def unlock(s, cell, other):
    """Remove what is on top of two cells if one is "open" and the other "shut"."""
    a, b = top(s, cell), top(s, other)
    if (has(s, a, pieces.OPEN) and has(s, b, pieces.SHUT)) or (has(s, a, pieces.SHUT) and has(s, b, pieces.OPEN)):
        lift(s, cell)
        lift(s, other)


@kernel
def carry(s, cell, to, facing):
    """Move what is on top of a cell onto another one."""
    piece = top(s, cell)
    if cell != to and piece != pieces.NOTHING:
        lift(s, cell)
        if is_thing(piece):
            piece = piece & (pieces.CODE | DUE) | pieces.TURN * facing
        lay(s, to, piece)


@kernel
def judge(s, cell):
    """What comes of a move onto what is on top of a cell."""
    piece = top(s, cell)
    return WON if has(s, piece, pieces.WIN) else LOST if has(s, piece, pieces.LOSE) else NEITHER


@large_kernel
def move(s, cell, facing):
    """Move what is on top of a cell by one cell; return what comes of it.

    First a piece ahead that yields is moved, in the same way, and in the end one behind that is "pull". A frame is a
    move that has begun: its cell, and what has been done.
    """
    step = ahead(facing, s.width)
    outcome, depth, moves = NEITHER, 0, 1
    s.frames[0] = 4 * cell
    while depth >= 0:
        frame = np.int64(s.frames[depth])
        at, done = frame >> 2, frame & 3
        s.frames[depth] = frame + 1
        caused = np.int64(-1)
        if done == 0:
            front = top(s, at + step)
            unlock(s, at, at + step)
            if yields(s, front):
                caused = at + step
        elif done == 1:
            to = at if stops(s, top(s, at + step)) else at + step
            if depth == 0:
                outcome = judge(s, to)
            carry(s, at, to, facing)
            if has(s, top(s, at - step), pieces.PULL):
                caused = at - step
        else:
            s.frames[depth] = 0
            depth -= 1
        if caused >= 0 and moves < MOST:
            moves += 1
            depth += 1
            s.frames[depth] = 4 * caused
    return outcome


@kernel
def word(s, cell):
    """The word of the block on top of a cell, or -1."""
    code = top(s, cell) & pieces.CODE
    return code - pieces.BLOCK if code >= pieces.BLOCK else -1


@kernel
def read_sentence(s, cell, step):
    """Note the sentence around an "is", if it gives a property; whether it makes one kind another."""
    kind, end = word(s, cell - step), word(s, cell + step)
    if not 0 <= kind < pieces.IS:
        return False
    if pieces.PROPERTY <= end < pieces.COLOR:
        color = word(s, cell - 2 * step) - pieces.COLOR
        s.rules[kind, end - pieces.PROPERTY] |= FLAG | (1 << color if color >= 0 else 0)
    return 0 <= end < pieces.IS


@large_kernel
def read(s):
    """Read all sentences; whether one makes a kind another."""
    fill(s.rules, 0)
    changes = False
    for cell in range(s.cells):
        if word(s, cell) == pieces.IS:
            changes |= read_sentence(s, cell, 1)
            changes |= read_sentence(s, cell, s.width)
    return changes


@large_kernel
def change(s):
    """Put a new thing on top of every thing of a kind that a sentence makes another, sentence after sentence."""
    for cell in range(s.cells):
        if word(s, cell) == pieces.IS:
            for way in range(2):
                step = 1 if way == 0 else s.width
                kind, other = word(s, cell - step), word(s, cell + step)
                if 0 <= kind < pieces.IS and 0 <= other < pieces.IS:
                    for place in range(s.cells):
                        piece = top(s, place)
                        if is_thing(piece) and ((piece & pieces.CODE) - pieces.THING) // pieces.SHADES == kind:
                            lay(s, place, pieces.THING + pieces.SHADES * other + pieces.USUAL[other])


@large_kernel
def advance(s, action):
    """A step; return what comes of it."""
    outcome = np.int64(NEITHER)
    if action == IDLE:
        return outcome
    facing = (action + 2) & 3
    for cell in range(s.cells):
        piece = top(s, cell)
        if has(s, piece, pieces.YOU) or has(s, piece, pieces.MOVE):
            replace_top(s, cell, piece | DUE)
    for cell in range(s.cells):
        piece = top(s, cell)
        if piece & DUE != 0 and has(s, piece, pieces.YOU):
            replace_top(s, cell, piece & pieces.CODE | pieces.TURN * facing)
            outcome = np.int64(move(s, cell, facing))
    for cell in range(s.cells):
        piece = top(s, cell)
        if piece & DUE != 0 and has(s, piece, pieces.MOVE):
            replace_top(s, cell, piece & ~DUE)
            move(s, cell, piece // pieces.TURN & 3)
    if read(s):
        change(s)
    return outcome


class Board:
    """Pieces (height, width, DEPTH) as the kernels want them, outside a record."""

    def __init__(self, level: Any):
        height, width, _ = level.shape
        self.width, self.cells = width, height * width
        self.pieces = np.array(level, np.int64).reshape(self.cells, pieces.DEPTH)
        self.count = (self.pieces != pieces.NOTHING).sum(axis=1)
        self.rules = np.zeros((len(pieces.KINDS), len(pieces.PROPERTIES)), np.int64)
        self.frames = np.zeros(MOST, np.int64)
        read(self)


def figures(level: Any) -> tuple[bool, bool]:
    """Of a map: whether a thing is "win", and whether "you" reach all other things without changing a sentence.

    Blocks do not count as obstacles, because they can be pushed; what is "stop" and cannot be pushed does.
    """
    board = Board(level)
    tops = [top(board, cell) for cell in range(board.cells)]
    wins = any(has(board, piece, pieces.WIN) for piece in tops)
    free = [yields(board, piece) or not stops(board, piece) for piece in tops]
    reached = {cell for cell, piece in enumerate(tops) if has(board, piece, pieces.YOU)}
    todo = list(reached)
    while todo:
        cell = todo.pop()
        for facing in range(4):
            near = cell + ahead(facing, board.width)
            if near not in reached and (free[near] or has(board, tops[near], pieces.WIN)):
                reached.add(near)
                todo.append(near)
    wanted = {cell for cell, piece in enumerate(tops) if is_thing(piece) and free[cell]}
    return wins, wanted <= reached
