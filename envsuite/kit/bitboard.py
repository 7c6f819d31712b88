"""Sets of squares of an 8 x 8 board as 64-bit words: square 8 * rank + file is bit 8 * rank + file, a1 is bit 0.

All words are uint64 and all squares int64: Numba turns a mixture of both into floats.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import compiled_as, kernel

ZERO, ONE = np.uint64(0), np.uint64(1)
_7, _8, _9 = (np.uint64(k) for k in (7, 8, 9))

FILE_A = np.uint64(0x0101010101010101)
FILE_H = np.uint64(0x8080808080808080)
RANK_1, RANK_8 = (np.uint64(0xFF << 8 * rank) for rank in (0, 7))
DARK = np.uint64(0xAA55AA55AA55AA55)
_NOT_A, _NOT_H = ~FILE_A, ~FILE_H
_NOT_AB, _NOT_GH = ~(FILE_A | FILE_A << ONE), ~(FILE_H | FILE_H >> ONE)


def _reached(steps: list[tuple[int, int]], distances: range) -> np.ndarray:
    """(64,) uint64: the squares at these distances in these directions (file, rank) from each square."""
    words = np.zeros(64, np.uint64)
    for square in range(64):
        for right, up in steps:
            for k in distances:
                file, rank = square % 8 + k * right, square // 8 + k * up
                if 0 <= file < 8 and 0 <= rank < 8:
                    words[square] |= np.uint64(1 << (8 * rank + file))
    return words


#: (4, 64): the rank, the file and the two diagonals through a square, without the square itself.
LINES = np.stack([_reached([step], range(-7, 8)) for step in ((1, 0), (0, 1), (1, 1), (1, -1))])
LINES &= ~(ONE << np.arange(64, dtype=np.uint64))

#: (64,): the squares that a king and a knight can reach in one step.
KING_STEPS = _reached([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)], range(1, 2))
KNIGHT_STEPS = _reached([(x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y)], range(1, 2))


@compiled_as("envsuite.kit.bitboard_machine:lowest")
def lowest(word):
    """The first square of a set; 64 for the empty set."""
    word = int(word)
    return (word & -word).bit_length() - 1 if word else 64


@compiled_as("envsuite.kit.bitboard_machine:leading_zeros")
def _leading_zeros(word):
    return np.uint64(64 - int(word).bit_length())


@compiled_as("envsuite.kit.bitboard_machine:size")
def size(word):
    """The number of squares in a set."""
    return int(word).bit_count()


@compiled_as("envsuite.kit.bitboard_machine:mirrored")
def mirrored(word):
    """The set as seen from the other side of the board: the order of ranks is reversed, files stay."""
    return np.uint64(int.from_bytes(int(word).to_bytes(8, "little"), "big"))


@compiled_as("envsuite.kit.bitboard_machine:write_squares")
def write_squares(out, plane, word):
    """Write a set to `out[plane]`, which is (8, 8) bytes of a contiguous array: 1 on its squares, 0 elsewhere."""
    out[plane] = np.unpackbits(np.array([word], "<u8").view(np.uint8), bitorder="little").reshape(8, 8)


@compiled_as("envsuite.kit.bitboard_machine:read_squares")
def read_squares(array, plane):
    """The set of squares whose bytes in `array[plane]` are not 0; it is (8, 8) bytes of a contiguous array."""
    return np.packbits(np.asarray(array[plane]).reshape(-1) != 0, bitorder="little").view("<u8")[0]


@kernel
def bit(square):
    """The set of one square."""
    return ONE << np.uint64(square)


@kernel
def along(line, square, occupied):
    """The squares that a piece on `square` attacks along one of the four `LINES`, up to the first occupied squares."""
    here = LINES[line, square]
    blockers = occupied & here
    below = blockers & (bit(square) - ONE)
    above = blockers ^ below
    # From the last blocker below to the first blocker above: a subtraction leaves the bits between them.
    first = bit(63 - np.int64(_leading_zeros(below | ONE)))
    last = above & (ZERO - above)
    return here & (last + last - first)


@kernel
def pawn_attacks(pawns):
    """The squares that pawns attack if they move to higher ranks."""
    return (pawns & _NOT_H) << _9 | (pawns & _NOT_A) << _7


@kernel
def pawn_attacks_down(pawns):
    """The squares that pawns attack if they move to lower ranks."""
    return (pawns & _NOT_A) >> _9 | (pawns & _NOT_H) >> _7


@kernel
def knight_attacks(knights):
    """The squares that knights attack."""
    one = (knights & _NOT_H) << ONE | (knights & _NOT_A) >> ONE
    two = (knights & _NOT_GH) << ONE + ONE | (knights & _NOT_AB) >> ONE + ONE
    return one << _8 + _8 | one >> _8 + _8 | two << _8 | two >> _8
