"""Record positions of cshogi and games of Pgx's shogi, each with the packages of its part:

    python tests/data/recorders/shogi.py cshogi tests/data/Shogi/shogi_positions.json.gz
    python tests/data/recorders/shogi.py pgx tests/data/Shogi/shogi_pgx.json.gz

"cshogi" (cshogi 1.1.0): positions of random games, and positions with pieces at random squares, some around a bare king
before a pawn in hand, some with kings on their last three ranks. Of each position: SFEN; the number of legal moves; a
checksum of their names in USI, sorted and with spaces between; "c" if the player to move is in check; "w" if it may
declare a win by 27 points. "perft" has numbers of sequences of 1, 2, ... moves.

"pgx" (pgx 2.6.0): random games, of each Pgx's actions, three hexadecimal digits each; checksums of the masks of the
player to move (2187,) uint8, at the start and after each move except the last; the rewards of the player that moved
first and of the other.
"""

import gzip
import json
import pathlib
import random
import sys
import zlib

PERFT = {
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1": 4,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1": 2,
    "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1": 2,
    "4k4/9/4P4/9/9/9/9/9/4K4 b P 1": 3,
}
SET = {"P": 18, "L": 4, "N": 4, "S": 4, "B": 2, "R": 2, "G": 4}


def checksum(data):
    return f"{zlib.crc32(data) & 0xFFFF:04x}"


def described(board):
    import cshogi

    names = sorted(cshogi.move_to_usi(move) for move in board.legal_moves)
    flags = "c" * board.is_check() + "w" * board.is_nyugyoku()
    return [board.sfen(), len(names), checksum(" ".join(names).encode()), flags]


def sfen_of(board, hands, number=1):
    """Squares {(column, row from the top): letters} and two strings of pieces in hand."""
    rows = []
    for row in range(9):
        text, empty = "", 0
        for column in range(9):
            if piece := board.get((column, row)):
                text += (str(empty) if empty else "") + piece
                empty = 0
            else:
                empty += 1
        rows.append(text + (str(empty) if empty else ""))
    held = ""
    for side in (0, 1):
        for letter in "RBGSNLP":
            if count := hands[side].count(letter):
                held += (str(count) if count > 1 else "") + (letter if side == 0 else letter.lower())
    return f"{'/'.join(rows)} b {held or '-'} {number}"


def placed(rng, style):
    """A position with pieces at random; black is to move."""
    squares = [(x, y) for x in range(9) for y in range(9)]
    camp = [square for square in squares if square[1] < 3]
    board, hands = {}, ["", ""]
    pieces = [letter for letter, count in SET.items() for _ in range(count)]
    rng.shuffle(pieces)
    if style == "corner":  # white's king at an edge, with few pieces around it, and a pawn in black's hand
        king = (rng.randrange(9), 0)
        board[king] = "k"
        board[rng.choice([square for square in squares if square[1] > 5])] = "K"
        hands[0] = "P"
        pieces.remove("P")
        near = [(king[0] + x, king[1] + y) for x in range(-2, 3) for y in range(4)]
        near = [square for square in near if square in squares and square not in board and square[0:2] != (king[0], 1)]
        for square in rng.sample(near, rng.randrange(3, min(9, len(near)))):
            board[square] = rng.choice(["g", "s", "n", "l", "G", "S", "+B", "+R", "+P", "N", "L", "p"])
    elif style == "camp":
        board[rng.choice(camp)] = "K"
        board[rng.choice([square for square in squares if square not in board])] = "k"
        for square in rng.sample([square for square in camp if square not in board], rng.randrange(7, 14)):
            letter = rng.choice(pieces)
            board[square] = "+" + letter if letter in "PLN" or rng.random() < 0.3 and letter != "G" else letter
            pieces.remove(letter)
        while rng.random() < 0.9 and pieces:
            hands[0] += pieces.pop()
    else:
        for king in "Kk":
            board[rng.choice([square for square in squares if square not in board])] = king
        for square in rng.sample([square for square in squares if square not in board], rng.randrange(4, 34)):
            letter = pieces.pop()
            board[square] = ("+" if letter != "G" and rng.random() < 0.4 else "") + letter
            if rng.random() < 0.5:
                board[square] = board[square].lower()
    for letter in pieces if style != "corner" else []:
        if rng.random() < 0.4:
            hands[rng.randrange(2)] += letter
    return sfen_of(board, hands)


def sensible(sfen):
    """Whether no piece is stuck, no file has two pawns of a side, and the kings are apart."""
    rows = [[]]
    promoted = ""
    for letter in sfen.split()[0]:
        if letter == "/":
            rows.append([])
        elif letter == "+":
            promoted = "+"
        else:
            rows[-1] += [""] * int(letter) if letter.isdigit() else [promoted + letter]
            promoted = ""
    for column in range(9):
        for pawn in "Pp":
            if sum(row[column] == pawn for row in rows) > 1:
                return False
    (x, y), (u, v) = ((row.index(king), k) for king in "Kk" for k, row in enumerate(rows) if king in row)
    if max(abs(x - u), abs(y - v)) < 2:
        return False
    stuck = set(rows[0]) & {"P", "L", "N"} | set(rows[1]) & {"N"} | set(rows[8]) & {"p", "l", "n"}
    return not stuck | set(rows[7]) & {"n"}


def positions():
    import cshogi

    rng, found = random.Random(0), []
    for _ in range(12):
        board = cshogi.Board()
        for k in range(300):
            moves = list(board.legal_moves)
            if not moves:
                break
            if k % 12 == 11:
                found.append(described(board))
            board.push(rng.choice(moves))
    for style, wanted in (("any", 250), ("corner", 250), ("camp", 250)):
        count = 0
        while count < wanted:
            sfen = placed(rng, style)
            if not sensible(sfen) or any(sfen.split()[0].upper().count(letter) > most for letter, most in SET.items()):
                continue
            other = cshogi.Board(sfen.replace(" b ", " w "))
            if other.is_check() or not list(cshogi.Board(sfen).legal_moves):
                continue
            if rng.random() < 0.5:  # from the other side
                sfen = cshogi.rotate_sfen(sfen)
            found.append(described(cshogi.Board(sfen)))
            count += 1
    return found


def perft(board, depth):
    moves = list(board.legal_moves)
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        board.push(move)
        total += perft(board, depth - 1)
        board.pop()
    return total


def pgx_games(count):
    import jax
    import numpy as np
    import pgx

    env = pgx.make("shogi")
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
    state = init(jax.random.split(jax.random.key(0), count))
    first, rng = np.asarray(state.current_player), np.random.default_rng(0)
    games = [{"moves": "", "sums": "", "rewards": None} for _ in range(count)]
    while not np.asarray(state.terminated).all():
        masks, over = np.asarray(state.legal_action_mask), np.asarray(state.terminated)
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        for i in np.flatnonzero(~over):
            games[i]["sums"] += checksum(masks[i].astype(np.uint8).tobytes())
            games[i]["moves"] += f"{actions[i]:03x}"
        state = step(state, actions)
        for i in np.flatnonzero(np.asarray(state.terminated) & ~over):
            games[i]["rewards"] = np.asarray(state.rewards)[i][[first[i], 1 - first[i]]].astype(int).tolist()
    return games


if __name__ == "__main__":
    if sys.argv[1] == "pgx":
        data = {"source": "pgx 2.6.0, shogi v1", "games": pgx_games(12)}
        print([(len(game["moves"]) // 3, game["rewards"]) for game in data["games"]])
    else:
        import cshogi

        counts = {sfen: [perft(cshogi.Board(sfen), k + 1) for k in range(depth)] for sfen, depth in PERFT.items()}
        data = {"source": "cshogi 1.1.0", "perft": counts, "positions": positions()}
        print(counts, len(data["positions"]), [sum(flag in each[3] for each in data["positions"]) for flag in "cw"])
    pathlib.Path(sys.argv[2]).write_bytes(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 9, mtime=0))
