"""Record positions of py-draughts: python tests/data/recorders/checkers.py > tests/data/Checkers/draughts_checkers.json

It needs py-draughts 1.10.1 (PyPI), in which captures are optional; here, other moves are left out where one captures.
"""

import json
import random

from draughts import AmericanBoard

SOURCE = (
    "py-draughts 1.10.1 (PyPI), AmericanBoard, with captures forced: positions of random games with kings. The 32 dark "
    "squares from the top row, as the letters of Checkers; the player to move; and the numbers of different positions "
    "after 1, 2 and 3 moves, with all jumps of a turn as one move."
)


def moves(board):
    every = list(board.legal_moves)
    return [move for move in every if move.captured_list] or every


def contents(board):
    """The dark squares; py-draughts has the men and kings of each side as bits."""
    squares = ["."] * 32
    for letter, bits in zip("wbWB", (board.white_men, board.black_men, board.white_kings, board.black_kings)):
        for k in range(32):
            if int(bits) >> k & 1:
                squares[k] = letter
    return "".join(squares)


def successors(board):
    for move in moves(board):
        after = board.copy()
        after.push(move)
        yield after


def counts(board, depth=3):
    level, found = [board], []
    for _ in range(depth):
        level = list({contents(after): after for before in level for after in successors(before)}.values())
        found.append(len(level))
    return found


def main():
    random.seed(7)
    positions = []
    while len(positions) < 60:
        board, ply = AmericanBoard(), random.randrange(36, 90)
        for _ in range(ply):
            options = moves(board)
            if not options:
                break
            board.push(random.choice(options))
        player = 0 if "W:W" in board.fen else 1
        if moves(board) and set(contents(board)) & set("WB"):
            positions.append([contents(board), player, counts(board)])
    print(json.dumps({"source": SOURCE, "positions": positions}).replace("]], [", "]],\n["))


main()
