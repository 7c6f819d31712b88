"""GardnerChess: Pgx's games in lock-step, Fairy-Stockfish's moves, counts of sequences, each rule, levels, baselines."""

import gzip
import json
import zlib
from functools import cache

import kit
import numpy as np
import pytest
from expansion import parts, successors

from envsuite.core.chance import Explorer
from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.gardner_chess import (
    CHECKMATE,
    CLOCK,
    LIMIT,
    MATERIAL,
    NUM_ACTIONS,
    NUM_PAIRS,
    REPETITION,
    STALEMATE,
)
from envsuite.registry import build
from envsuite.solvers.alpha_beta import AlphaBeta

ID = "envsuite/GardnerChess-v0"
START = "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1"

# Pgx's 49 planes: steps (file, rank) of pawns that become a rook, a bishop or a knight, of the queen and of the knight.
_FAR, _NEAR = (4, 3, 2, 1), (1, 2, 3, 4)
STEPS = [(x, 1) for _ in range(3) for x in (0, 1, -1)]
for _x, _y, _distances in (
    (0, -1, _FAR), (0, 1, _NEAR), (-1, 0, _FAR), (1, 0, _NEAR), (-1, -1, _FAR), (1, 1, _NEAR), (-1, 1, _FAR),
    (1, -1, _NEAR),
):  # fmt: skip
    STEPS += [(k * _x, k * _y) for k in _distances]
STEPS += [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2)]


@cache
def recorded():
    """Games and positions, see the file's recorder."""
    return json.loads(gzip.decompress((kit.DATA / "gardner_chess.json.gz").read_bytes()))


@cache
def names():
    """White's actions by name."""
    return {name: action for action, name in enumerate(build(ID).action_names[0])}


def ours(label):
    """Our action for Pgx's, None if there is none. Pgx counts squares file by file, from the mover's first rank."""
    square, plane = divmod(label, 49)
    file, rank = divmod(square, 5)
    x, y = STEPS[plane]
    if not (0 <= file + x < 5 and 0 <= rank + y < 5):
        return None
    name = f"{'abcde'[file]}{rank + 1}{'abcde'[file + x]}{rank + y + 1}" + ("rbn"[plane // 3] if plane < 9 else "")
    return names().get(name)


@cache
def actions():
    """Our action for each of Pgx's, -1 if there is none."""
    return np.array([-1 if action is None else action for action in map(ours, range(1225))])


def checksum(batch, i):
    """The recorder's sum of what the player to move sees."""
    player, s = batch.records["player"][i], batch.observations[i, batch.records["player"][i]]
    mask = np.append(batch.masks[i, player], 0)[actions()].astype(np.uint8)
    numbers = np.array([s["repeats"][0], s["clock"][0]], np.uint8)
    return kit.checksum(np.concatenate([mask, s["board"].astype(np.uint8).ravel(), numbers]))


def test_actions():
    """Each action has one of Pgx's."""
    assert sorted(actions()[actions() >= 0]) == list(range(NUM_ACTIONS)) and NUM_ACTIONS == 455 and NUM_PAIRS == 416


@pytest.mark.mostly_slow
@pytest.mark.parametrize("every", [25, 1])
def test_equals_pgx(every):
    """252 games: masks, pieces, repetitions and clocks as the mover sees them, rewards and ends at every move."""
    games = recorded()["games"][::every]
    moves = [[int(game["moves"][k : k + 3], 16) for k in range(0, len(game["moves"]), 3)] for game in games]
    batch, endings = kit.started(ID, len(games)), set()
    for ply in range(257):
        running = np.array([len(each) > ply for each in moves])
        for i in np.flatnonzero([len(each) >= ply for each in moves]):
            last = len(moves[i]) == ply
            assert batch.over()[i] == last and batch.observations["moves"][i].tolist() == [[ply]] * 2
            if last:
                assert batch.rewards[i].tolist() == games[i]["rewards"]
                endings.add(int(batch.records["ending"][i]))
            else:
                assert checksum(batch, i) == games[i]["sums"][4 * ply : 4 * ply + 4]
                batch.actions[i] = actions()[moves[i][ply]]
        if running.any():
            batch.step(where=running)
    assert endings >= {CHECKMATE, REPETITION}
    assert every > 1 or endings == {CHECKMATE, STALEMATE, MATERIAL, CLOCK, REPETITION, LIMIT}


def uci(batch, i=0):
    """The legal moves in UCI: a pawn that may become a knight may become a queen."""
    player = batch.records["player"][i]
    found = {batch.world.action_names[player][k] for k in np.flatnonzero(batch.masks[i, player])}
    return sorted(name + "q" * (name + "n" in found) for name in found)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("every", [10, 1])
def test_moves_of_fairy_stockfish(every):
    positions = recorded()["positions"][::every]
    running = [each for each in positions if each[1]]
    # The waiting sides of some positions have a draw by material, which Fairy-Stockfish plays on.
    checked = 0
    for fen, count, wanted in running:
        try:
            batch = kit.started(ID, level={"fen": fen})
        except Exception as error:
            assert "is over: Draw by" in str(error)
            continue
        found = uci(batch)
        assert (len(found), f"{zlib.crc32(' '.join(found).encode()) & 0xFFFF:04x}") == (count, wanted)
        checked += 1
    assert checked > 0.8 * len(positions)


def perft(fen, depth):
    """Numbers of sequences of 1 to `depth` moves; the last moves are only counted."""
    explorer = Explorer(build(ID), 4096)
    level, counts = next(iter(explorer.begin({"fen": fen}))).records, []
    for _ in range(depth - 2):
        level, _, over = successors(explorer, level)
        counts.append(len(level))
        level = level[~over]
    last = [(len(after), view.masks.sum(dtype=int)) for after, _, view in parts(explorer, level)]
    return [*counts, *map(int, np.sum(last, axis=0))]


@pytest.mark.parametrize("depth", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_counts_of_moves(depth):
    for fen, counts in recorded()["perft"].items():
        assert perft(fen, min(depth, len(counts))) == counts[:depth]


def placed(fen, **params):
    """A game from the pieces of a FEN, or from a whole one; white moves first."""
    return kit.started(ID, level={"fen": fen if " " in fen else f"{fen} w - - 0 1"}, **params)
