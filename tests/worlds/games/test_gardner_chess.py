"""GardnerChess: Pgx's games in lock-step, Fairy-Stockfish's moves and counts, each rule, levels, baselines."""

import gzip
import json
import zlib
from functools import cache

import kit
import numpy as np
import pytest
from expansion import parts, successors

from envsuite.core.chance import Explorer
from envsuite.core.errors import LevelError, SnapshotError
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
    return json.loads(gzip.decompress((kit.DATA / "GardnerChess" / "gardner_chess.json.gz").read_bytes()))


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
    """Each action has one of Pgx's. Pairs of squares are sorted; pawns become knights, bishops and rooks last."""
    assert sorted(actions()[actions() >= 0]) == list(range(NUM_ACTIONS)) and NUM_ACTIONS == 455 and NUM_PAIRS == 416
    pairs = [(name[1], name[0], name[3], name[2]) for name in list(names())[:416]]
    assert pairs == sorted(pairs) and list(names())[415:420] == ["e5d5", "a4a5n", "a4a5b", "a4a5r", "a4b5n"]


@pytest.mark.mostly_slow
@pytest.mark.parametrize("every", [25, 1])
def test_equals_pgx(every):
    """228 games: masks, pieces, repetitions and clocks as the mover sees them, rewards and ends at every move."""
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
    """Legal moves in 600 positions of random games; some that are over here are continued there."""
    positions = recorded()["positions"][::every]
    running, checked = [each for each in positions if each[1]], 0
    for fen, count, wanted in running:
        try:
            batch = kit.started(ID, level={"fen": fen})
        except LevelError as error:
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


def ended(batch):
    """How the game has ended, with white's reward."""
    assert batch.over()[0] == (batch.records["ending"][0] > 0)
    return int(batch.records["ending"][0]), float(batch.rewards[0, 0])


def test_pawns():
    """One square forward if it is free, captures diagonally; all four pieces on the last rank, by captures too."""
    assert kit.legal(placed("4k/5/1p3/P1P2/K4")) >= {"a2a3", "c2c3", "a2b3", "c2b3"}
    assert kit.legal(placed("4k/5/p1p2/P1P2/4K")) == {"e1d1", "e1e2"}  # a pawn guards d2
    batch = placed("1r2k/P4/5/5/K4")
    wanted = {"a4a5", "a4b5"} | {f"a4{to}5{kind}" for to in "ab" for kind in "nbr"}
    assert {move for move in kit.legal(batch) if move.startswith("a4")} == wanted
    for move, piece in (("a4a5", "Q"), ("a4a5r", "R"), ("a4a5b", "B"), ("a4b5n", "N")):
        after = batch.world.fen(kit.act(placed("1r2k/P4/5/5/K4"), move).record())
        assert after.split("/")[0].count(piece) == 1 and after.split()[4] == "0"
    black = kit.act(placed("4k/5/5/p4/4K b - - 0 1"), "a2a1n")
    assert black.world.fen(black.record()) == "4k/5/5/5/n3K w - - 0 2"


def test_checks():
    """A check must be answered; two checks only by the king; a pinned piece keeps to its line."""
    assert kit.legal(placed("4k/5/r4/1N3/K4")) == {"a1b1"}  # the knight reaches neither a2 nor a3
    assert kit.legal(placed("3k1/5/r4/1B3/K4")) == {"b2a3", "a1b1"}
    assert kit.legal(placed("r3k/5/5/R3n/K4")) >= {"a2a3", "a2a4", "a2a5"}
    assert not {"a2b2", "a2c2"} & kit.legal(placed("r3k/5/5/R3n/K4"))
    assert kit.legal(placed("r3k/5/1n3/3R1/K4")) == {"a1b1", "a1b2"}  # checks by rook and knight


def test_checkmate():
    """Checkmate takes precedence over the clock and the number of moves."""
    batch = kit.act(placed("k4/2K2/5/1Q3/5 w - - 99 1", max_moves=1), "b2b4")
    assert ended(batch) == (CHECKMATE, 1.0) and batch.rewards[0].tolist() == [1, -1]
    assert batch.world.text(batch.record(), 1).endswith("You are Black. Checkmate: White wins.")


def test_draws():
    assert ended(kit.act(placed("k4/5/1K3/2Q2/5"), "c2c4")) == (STALEMATE, 0.0)
    for fen, move, ending in (
        ("k4/5/1p3/K4/5", "a2b3", MATERIAL),  # bare kings
        ("k4/5/1p3/K4/2N2", "a2b3", MATERIAL),
        ("kb3/5/1p3/K4/2B2", "a2b3", 0),  # bishops on both colors
        ("k1b2/5/1p3/K4/2B2", "a2b3", MATERIAL),
        ("k2n1/5/1p3/K4/2N2", "a2b3", 0),
        ("k4/5/1p3/K4/2R2", "a2b3", 0),
        ("k4/3p1/5/K4/2R2 w - - 98 7", "c1c2", 0),
        ("k4/3p1/5/K4/2R2 w - - 99 7", "c1c2", CLOCK),
        ("k4/3p1/5/K3P/2R2 w - - 99 7", "e2e3", 0),
    ):
        assert ended(kit.act(placed(fen), move)) == (ending, 0.0)
    batch = kit.act(placed(START, max_moves=2), "a2a3")
    assert ended(batch) == (0, 0.0) and "after 1 more move." in batch.world.text(batch.record(), 0)
    assert ended(kit.act(batch, "b5c3")) == (LIMIT, 0.0)


def test_repetition():
    """The third time of a position is a draw; the same pieces with the other player to move are another position."""
    shuffle = ["b1c3", "b5a3", "c3b1", "a3b5"]
    batch = kit.act(kit.started(ID), *shuffle)
    assert batch.records["repeats"][0] == 1 and batch.observations["repeats"][0].tolist() == [[1], [1]]
    assert "occurred before" in batch.world.text(batch.record(), 0)
    assert ended(kit.act(batch, *shuffle[:3])) == (0, 0.0)
    assert ended(kit.act(batch, shuffle[3])) == (REPETITION, 0.0)
    # Three moves of white's rook and two of black's king bring the pieces back, with black to move.
    batch = kit.act(placed("k4/5/5/5/2R1K"), "c1c2", "a5a4", "c2c3", "a4a5", "c3c1")
    assert batch.records["repeats"][0] == 0
    batch = kit.act(placed("k4/5/5/5/2R1K w - - 20 11"), "c1c2", "a5a4", "c2c1", "a4a5")
    assert batch.records["repeats"][0] == 1 and batch.records["clock"][0] == 24


def test_start_and_observations():
    batch = kit.started(ID)
    first, second = batch.observations[0]
    assert batch.world.fen(batch.record()) == START and (first["board"] == second["board"]).all()
    assert first["board"][0].argmax(axis=1).tolist() == [3, 1, 2, 4, 5] and first["board"].sum() == 20
    assert batch.observations["black"][0].tolist() == [[0], [1]]
    kit.act(batch, "a2a3")
    seen = batch.observations["board"][0]
    assert seen[0, 2, 0].argmax() == 0 and seen[1, 2, 0].argmax() == 6 and batch.observations["moves"][0, 1] == 1


def test_levels():
    fen = "4k/P4/5/5/K4 w - - 3 7"
    batch = kit.started(ID, level={"fen": fen, "moves": ["a4a5=r", "e5e4"]})
    world, s = batch.world, batch.record()
    assert world.get_level(s) == {"fen": fen, "moves": ["a4a5r", "e5e4"]} and s.moves == 2
    assert world.fen(s) == "R4/4k/5/5/K4 w - - 1 8"
    batch.start()
    assert world.get_level(batch.record()) == {"fen": START, "moves": []}
    black = kit.started(ID, level={"fen": "4k/4p/5/5/K4 b - - 0 1", "moves": ["e4e3"]})
    assert world.get_level(black.record())["moves"] == ["e4e3"]
    tail = " w - - 0 1"
    kit.refuses(
        world,
        ({"moves": []}, "lacks 'fen'"),
        ({"fen": START, "player": 0}, "not 'player'"),
        ({"fen": 5}, "the fen must be text"),
        ({"fen": START, "moves": "a2a3"}, "the moves must be a list"),
        ({"fen": START, "moves": ["b1c3"] * 256}, "256 moves; at most 255"),
        ({"fen": START, "moves": ["a2a4"]}, "move 0 of the level, 'a2a4', is illegal"),
        ({"fen": START, "moves": ["x"]}, "'x', is not a move"),
        ({"fen": START, "moves": [5]}, "the moves must be a list of texts"),
        ({"fen": "4k/5/5/K4 w - - 0 1"}, "not five ranks"),
        ({"fen": "4k/5/5/5/K5" + tail}, "not five ranks"),
        ({"fen": "4k/5/23/5/K4" + tail}, "not five ranks"),
        ({"fen": "4k/5/...../5/K4" + tail}, "not five ranks"),
        ({"fen": "5/5/5/5/K4" + tail}, "Black has 0 kings"),
        ({"fen": "P3k/5/5/5/K4" + tail}, "White has a pawn on the first or last rank"),
        ({"fen": "4k/pp3/ppp2/p4/K4" + tail}, "Black has 6 pawns"),
        ({"fen": "4k/5/PPPP1/5/KQQQ1" + tail}, "White has 4 pawns and 2 pieces that must have been"),
        ({"fen": "4k/5/5/5/K4 x - - 0 1"}, "the side to move is 'x'"),
        ({"fen": "4k/5/5/5/K4 w K - 0 1"}, "castling and en passant"),
        ({"fen": "4k/5/5/4P/K4 w - - 101 1"}, "clock '101'"),
        ({"fen": "4k/5/5/4P/K4 w - - 0 0"}, "the move '0'"),
        ({"fen": "4k/5/5/4P/K4 w - -"}, "4 fields"),
        ({"fen": "4k/5/5/P4/K3R" + tail}, "Black is in check, but not to move"),
        ({"fen": "4k/5/5/5/K4" + tail}, "is over: Draw by insufficient material"),
        ({"fen": "4k/5/5/4P/K4 w - - 100 1"}, "is over: Draw by moves without progress"),
    )


@pytest.mark.parametrize(
    ("field", "at", "value", "message"),
    [
        ("board", (0, 5), 0, "White has 0 kings"),
        ("board", (0, 0), 1 << 63, "off the board"),
        ("board", (0, 4), 1, "two pieces on a square"),
        ("legal", 0, 1, "legal is not"),
        ("count", (), 3, "count is not"),
        ("check", (), 1, "check is not"),
        ("ending", (), 2, "ending is not"),
        ("first", (), 7, "the end is wrong"),
    ],
)
def test_records(field, at, value, message):
    batch = kit.started(ID)
    batch.records[field][(0, *(at if isinstance(at, tuple) else (at,)))] = value
    with pytest.raises(SnapshotError, match=message):
        batch.world.admit(batch.records)


def middle(square, agent):
    """The middle of a square in an agent's picture."""
    column, row = "abcde".index(square[0]), int(square[1])
    return (1.3 + column, 6.5 - row) if agent == 0 else (5.3 - column, 0.5 + row)


def test_drags_and_names():
    for fen, agent, moves in ((START, 0, ("b1c3", "a2a3")), ("4k/4p/5/1p3/4K b - - 0 1", 1, ("e4e3", "b2b1"))):
        batch = placed(fen)
        world, s = batch.world, batch.record()
        for move in moves:
            action = world.drag(s, agent, middle(move[:2], agent), middle(move[2:], agent))
            assert world.action_names[agent][action] == move
        assert world.drag(s, 1 - agent, middle("a2", 1 - agent), middle("a3", 1 - agent)) is None
        assert world.drag(s, agent, middle("e1", agent), middle("a5", agent)) is None
        assert world.drag(s, agent, middle("a2", agent), (0.1, 0.1)) is None
    assert world.synonyms["b2b1q"] == "b2b1" and world.synonyms["b2b1=n"] == "b2b1n"


def test_text():
    batch = kit.act(kit.started(ID), "b1c3", "b4b3", "c3b5")
    assert batch.world.text(batch.record(), 1).splitlines() == [
        "5  r N b q k",
        "4  p . p p p",
        "3  . p . . .",
        "2  P P P P P",
        "1  R . B Q K",
        "   a b c d e",
        "FEN: rNbqk/p1ppp/1p3/PPPPP/R1BQK b - - 0 2",
        "Last move: c3b5.",
        "The game is a draw after 253 more moves.",
        "You are Black. It is your turn. Black to move.",
    ]


@pytest.mark.parametrize(
    ("fen", "policy", "moves"),
    [
        ("4k/q1r2/5/1N3/K4", "greedy", {"b2a4"}),
        ("4k/P4/5/5/K4", "greedy", {"a4a5"}),
    ],
)
def test_choices(fen, policy, moves):
    assert kit.choices(policy, placed(fen), seeds=5) <= moves


def test_material_mates_and_captures_safely():
    position = "k4/2K2/5/1Q3/5"
    for move in kit.choices("material", placed(position), seeds=5):
        assert ended(kit.act(placed(position), move)) == (CHECKMATE, 1.0)
    position = "4k/3p1/2p2/2R2/2K2"  # the pawn is guarded
    assert "c2c3" in kit.legal(placed(position)) & kit.choices("greedy", placed(position), seeds=5)
    assert "c2c3" not in kit.choices("material", placed(position), seeds=5)


@pytest.mark.slow
def test_baselines():
    """Each beats the one before it, from both seats."""
    for seat in range(2):
        assert kit.played(ID, "greedy", seat, 300)[:, seat].mean() > 0.25
        assert kit.wins(ID, "material", seat, 200) > 0.93
        assert kit.played(ID, "material", seat, 200, "greedy")[:, seat].mean() > 0.7
