"""Record games of Pgx's gardner_chess and moves of Fairy-Stockfish:

    python tests/data/recorders/gardner_chess.py tests/data/GardnerChess/gardner_chess.json.gz

pgx 2.6.0, jax and pyffish 0.0.90 must be installed. The file holds

- games: of each game

  - style: how moves were chosen. "random"; "back": a player often takes its last move back, so that positions repeat;
    "long": moves that end the game are avoided, and captures and pawns' moves until they are needed; "quiet": the same,
    but after many captures they are not made to prolong the game; "grab": captures are preferred.
  - moves: Pgx's actions, three hexadecimal digits each.
  - sums: of the start and of the position after each move except the last, a checksum of what the player to move sees:
    Pgx's mask (1225,) uint8, its twelve planes of pieces (5, 5, 12) uint8 with the player's own first rank first, how
    often the position occurred before (at most 2) and the moves since a capture or a pawn's move, one byte each.
  - rewards: of the last move, of the player that moved first, then of the other.

- perft: for a position, the numbers of sequences of 1, 2, 3, ... moves (Fairy-Stockfish).
- positions: positions of games of random moves of Fairy-Stockfish, with the number of its legal moves and a checksum of
  their names in UCI, sorted.
"""

import gzip
import json
import pathlib
import random
import sys
import zlib

import jax
import numpy as np
import pgx
import pyffish

STYLES = {"random": 120, "back": 40, "long": 12, "quiet": 6, "grab": 50}
PERFT = {
    "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1": 5,
    "2k1r/P1p1P/1bN2/2Qp1/K3R w - - 0 1": 3,
    "r3k/P3P/2q2/p2np/K2R1 w - - 0 1": 3,
    "n1n1k/1P3/5/3p1/K1N1N b - - 0 1": 4,
}
VARIANT = "gardner"

env = pgx.make("gardner_chess")
init, step = jax.jit(env.init), jax.jit(env.step)


def repeats(state):
    history = np.asarray(state._hash_history)
    return int((history == np.asarray(state._zobrist_hash)).all(axis=1).sum()) - 1


def checksum(state):
    planes = np.asarray(state.observation)[::-1, :, :12]
    parts = state.legal_action_mask, planes, [min(repeats(state), 2), int(state._halfmove_count)]
    data = b"".join(np.ascontiguousarray(part).astype(np.uint8).tobytes() for part in parts)
    return f"{zlib.crc32(data) & 0xFFFF:04x}"


def choose(style, state, last, rng):
    mask = np.asarray(state.legal_action_mask)
    actions = np.flatnonzero(mask).tolist()
    if style == "back" and rng.random() < 0.8 and last is not None:
        return_move = pgx.gardner_chess.Action._from_label(last)
        label = int(pgx.gardner_chess.Action(from_=return_move.to, to=return_move.from_)._to_label())
        if label in actions:
            return label
    if style == "grab":
        board = np.asarray(state._board)
        captures = [a for a in actions if board[int(pgx.gardner_chess.TO_MAP[a // 49, a % 49])] < 0]
        actions = captures if captures and rng.random() < 0.9 else actions
    if style in ("long", "quiet"):
        board, late = np.asarray(state._board), style == "long" and int(state._halfmove_count) >= 60
        rng.shuffle(actions)
        captures = [a for a in actions if board[int(pgx.gardner_chess.TO_MAP[a // 49, a % 49])] < 0]
        progress = {a: board[a // 49] == 1 or a in captures for a in actions}
        actions.sort(key=lambda a: bool(progress[a]) != late)
        if style == "quiet":
            quiet = [a for a in actions if not progress[a]]
            if (board != 0).sum() > 8:
                actions = captures + actions
            elif int(state._halfmove_count) >= 99 and quiet:
                return quiet[0]
        return next((a for a in actions if not step(state, a).terminated), actions[0])
    return actions[rng.integers(len(actions))]


def record(style, seed):
    rng, state = np.random.default_rng(seed), init(jax.random.PRNGKey(seed))
    first, moves, sums = int(state.current_player), [], [checksum(state)]
    while not state.terminated:
        action = choose(style, state, moves[-2] if len(moves) > 1 else None, rng)
        state = step(state, action)
        moves.append(action)
        if not state.terminated:  # then Pgx allows all actions
            sums.append(checksum(state))
    rewards = np.asarray(state.rewards)[[first, 1 - first]].astype(int).tolist()
    return {"style": style, "moves": "".join(f"{a:03x}" for a in moves), "sums": "".join(sums), "rewards": rewards}


def perft(fen, depth):
    moves = pyffish.legal_moves(VARIANT, fen, [])
    if depth == 1:
        return len(moves)
    return sum(perft(pyffish.get_fen(VARIANT, fen, [move]), depth - 1) for move in moves)


def positions(num, rng):
    found = []
    while len(found) < num:
        fen = pyffish.start_fen(VARIANT)
        for ply in range(120):
            moves = pyffish.legal_moves(VARIANT, fen, [])
            if ply % 7 == 3:
                names = " ".join(sorted(moves))
                found.append([fen, len(moves), f"{zlib.crc32(names.encode()) & 0xFFFF:04x}"])
            if not moves:
                break
            fen = pyffish.get_fen(VARIANT, fen, [rng.choice(moves)])
    return found[:num]


if __name__ == "__main__":
    games = [record(style, 1000 * k + seed) for k, style in enumerate(STYLES) for seed in range(STYLES[style])]
    for style in STYLES:
        mine = [game for game in games if game["style"] == style]
        ends = [tuple(game["rewards"]) for game in mine]
        print(
            style, len(mine), sum(len(game["moves"]) for game in mine) // 3, {end: ends.count(end) for end in set(ends)}
        )
    data = {
        "source": "pgx 2.6.0, gardner_chess v0; Fairy-Stockfish by pyffish 0.0.90",
        "perft": {fen: [perft(fen, k) for k in range(1, depth + 1)] for fen, depth in PERFT.items()},
        "positions": positions(600, random.Random(1)),
        "games": games,
    }
    print(data["perft"], data["positions"][:3])
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 9, mtime=0)
    pathlib.Path(sys.argv[1]).write_bytes(packed)
