"""Chess: perft, lockstep with python-chess, OpenSpiel and PettingZoo, special rules, FEN, levels, baseline."""

import chess
import kit
import numpy as np
import pytest
from pettingzoo.classic.chess import chess_utils

from envsuite.agents import make_policy
from envsuite.compile.bound import bind
from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, LevelError
from envsuite.evaluation.matches import play
from envsuite.games import chess as rules
from envsuite.games.chess import BY_NAME, NAMES, PROMOTIONS
from envsuite.kit import bitboard
from envsuite.reading import read_action
from envsuite.registry import build
from envsuite.render.terminal import terminal

ID = "envsuite/Chess-v0"


def game(fen=chess.STARTING_FEN, moves=(), **params):
    """A batch of one game from a position and moves, with its world and its record."""
    world = build(ID, params)
    batch = kit.started(world, level={"fen": fen, "moves": list(moves)})
    return batch, world, batch.record()


def push(batch, *moves):
    """Make moves, given in UCI."""
    for move in moves:
        batch.step(batch.world.action(batch.record(), move))


def legal(batch):
    """The legal moves of a batch of one game, in UCI."""
    s = batch.record()
    return {batch.world.uci(s, action) for action in np.flatnonzero(batch.masks[0, s.turn])}


# Leaves of the game tree by depth. The numbers to depth 4 (kiwipete, 5 and 6: to depth 3) were computed by python-chess
# 1.11.2 and agree with https://www.chessprogramming.org/Perft_Results. Deeper numbers are from that page. The last
# position is that page's "promotion" position (Martin Sedlak).
PERFT = {
    "start": (chess.STARTING_FEN, (20, 400, 8902, 197281, 4865609)),
    "kiwipete": (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        (48, 2039, 97862, 4085603),
    ),
    "position 3": ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", (14, 191, 2812, 43238, 674624)),
    "position 4": (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        (6, 264, 9467, 422333, 15833292),
    ),
    "position 5": ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", (44, 1486, 62379, 2103487)),
    "position 6": (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        (46, 2079, 89890, 3894594),
    ),
    "promotions": ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", (24, 496, 9483, 182838, 3605103)),
}


def _perft(stack, cursors, depth):
    """The number of leaves at a depth below stack[0]; moves of the last ply are counted, not played."""
    leaves, level = 0, 0
    cursors[0] = 0
    while level >= 0:
        s, k = stack[level], cursors[level]
        if level == depth - 1:
            leaves += s.count
            level -= 1
        elif k == s.count:
            level -= 1
        else:
            cursors[level] += 1
            stack[level + 1] = s
            move(stack[level + 1], np.int64(s.moves[k]))
            level += 1
            cursors[level] = 0
    return leaves


move = None


@pytest.mark.parametrize("name", PERFT)
def test_perft(name):
    fen, counts = PERFT[name]
    batch, world, _ = game(fen)
    perft = bind(_perft, "tests.chess.perft", move=rules.move)
    for depth, wanted in enumerate(counts, 1):
        stack = np.zeros(depth, world.record)
        stack[0] = batch.records[0]
        assert perft(stack, np.zeros(depth, np.int64), depth) == wanted


def action_of(move, turn):
    """The action of a python-chess move, computed from the description in Chess's page, not from its tables."""
    origin, target = move.from_square, move.to_square
    if turn == chess.BLACK:
        origin, target = chess.square_mirror(origin), chess.square_mirror(target)
    file, rank = chess.square_file(origin), chess.square_rank(origin)
    x, y = chess.square_file(target) - file, chess.square_rank(target) - rank
    if move.promotion in (chess.KNIGHT, chess.BISHOP, chess.ROOK):
        plane = 64 + 3 * (x + 1) + (chess.KNIGHT, chess.BISHOP, chess.ROOK).index(move.promotion)
    elif abs(x * y) == 2:
        plane = 56 + [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)].index((x, y))
    else:
        distance = max(abs(x), abs(y))
        compass = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
        plane = 8 * (distance - 1) + compass.index((x // distance, y // distance))
    return 73 * (8 * file + rank) + plane


class Codes(dict):
    """Actions of python-chess moves by side, computed once."""

    def __missing__(self, key):
        self[key] = action_of(chess.Move(*key[1:]), key[0])
        return self[key]


CODES = Codes()


def coded(moves, turn):
    return {CODES[turn, m.from_square, m.to_square, m.promotion]: m for m in moves}


PIECES = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING)


def planes(board, agent):
    """AlphaZero's planes (119, 8, 8), computed from python-chess's history."""
    color = chess.WHITE if agent == 0 else chess.BLACK
    out = np.zeros((119, 64), np.int64)

    def places(squares):
        return [square if agent == 0 else chess.square_mirror(square) for square in squares]

    past = board.copy()  # with its moves
    for k in range(8):
        for j, piece in enumerate(PIECES):
            out[14 * k + j, places(past.pieces(piece, color))] = 1
            out[14 * k + 6 + j, places(past.pieces(piece, not color))] = 1
        out[14 * k + 12] = past.is_repetition(2)
        out[14 * k + 13] = past.is_repetition(3)
        if not past.move_stack:
            break
        past.pop()
    out[112] = agent
    out[113] = min(board.fullmove_number, 255)
    for j, (side, kingside) in enumerate([(color, True), (color, False), (not color, True), (not color, False)]):
        has = board.has_kingside_castling_rights if kingside else board.has_queenside_castling_rights
        out[114 + j] = has(side)
    out[118] = board.halfmove_clock
    return out.reshape(119, 8, 8)


def fields(board, turn):
    """The contents of a FEN, in the form of the record."""
    sides = [board.occupied_co[color] for color in (chess.WHITE, chess.BLACK)]
    kinds = [board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings]
    passant = board.ep_square is not None and board.has_legal_en_passant()
    behind = chess.BB_SQUARES[board.ep_square] if passant else 0
    words = [side & kind for side in sides for kind in kinds] + [board.castling_rights, behind]
    return words, [turn, board.halfmove_clock, board.fullmove_number]


def ending_of(board, moves, draws):
    """The end of a game according to python-chess, in the order of its `outcome`."""
    clock, times = (100, 3) if draws == "claimed" else (150, 5)
    if not moves and board.is_check():
        return rules.CHECKMATE
    if board.is_insufficient_material():
        return rules.MATERIAL
    if not moves:
        return rules.STALEMATE
    if board.halfmove_clock >= clock:
        return rules.CLOCK
    # A position needs four moves without progress to occur again.
    repeated = board.halfmove_clock >= 4 * (times - 1) and board.is_repetition(times)
    return rules.REPETITION if repeated else 0


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("draws", "num", "back"),
    [
        ("claimed", 24, 0.7),
        ("claimed", 500, 0.0),
        ("automatic", 300, 0.0),
        ("claimed", 120, 0.5),
        ("automatic", 80, 0.7),
    ],
)
def test_equals_python_chess(draws, num, back):
    """1,000 random games: legal moves, all contents of a FEN, check, ends and rewards after every move.

    FENs as text and planes take long in python-chess, so they are compared at a sample of the positions. In some games,
    pieces often return to their last square, which makes positions repeat.
    """
    rng = np.random.default_rng(num)
    batch = Batch(build(ID, dict(draws=draws)), num)
    world, records = batch.world, batch.records
    batch.start()
    boards = [chess.Board() for _ in range(num)]
    running = np.ones(num, bool)
    endings, ply = set(), 0
    while running.any():
        sampled = rng.random(num) < 0.004
        turn = ply % 2
        held = records["history"][np.arange(num), records["ply"] % 8].reshape(num, 12)
        held = np.concatenate([held, records["rights"][:, None], records["passant"][:, None]], axis=1).tolist()
        numbers = np.stack([records["turn"], records["clock"], records["number"]], axis=1).tolist()
        counts, listed, found = records["count"], records["moves"], records["ending"].tolist()
        assert (batch.masks[:, turn].sum(axis=1) == np.where(running, counts, 0)).all()
        game, place = np.nonzero(np.arange(rules.MOST_MOVES) < np.where(running, counts, 0)[:, None])
        assert batch.masks[game, turn, listed[game, place]].all()
        assert not batch.masks[:, 1 - turn].any()
        for i in np.flatnonzero(running):
            board, options = boards[i], coded(boards[i].generate_legal_moves(), turn == 0)
            assert (held[i], numbers[i]) == fields(board, turn)
            assert set(listed[i, : counts[i]].tolist()) == options.keys() and counts[i] == len(options)
            assert found[i] == 0 == ending_of(board, options, draws)
            if sampled[i]:
                s = batch.record(i)
                assert world.fen(s) == board.fen()
                assert {world.uci(s, a) for a in options} == {m.uci() for m in options.values()}
                assert all(world.action(s, m.uci()) == a for a, m in options.items())
                assert s.check == board.is_check()
                for agent in range(2):
                    assert (batch.observations[i, agent] == planes(board, agent)).all()
            action, chosen = list(options.items())[rng.integers(len(options))]
            if back and len(board.move_stack) > 1 and rng.random() < back:
                last = board.move_stack[-2]
                reverse = CODES[turn == 0, last.to_square, last.from_square, None]
                if reverse in options:
                    action, chosen = reverse, options[reverse]
            batch.actions[i, turn] = action
            board.push(chosen)
        batch.step(where=running)
        ply += 1
        for i in np.flatnonzero(running):
            if batch.finished[i]:
                board = boards[i]
                ending = ending_of(board, list(board.legal_moves), draws)
                assert records["ending"][i] == ending != 0
                if draws == "automatic":  # python-chess decides which games end without claims
                    outcome = board.outcome()
                    assert outcome.termination.name.startswith(TERMINATIONS[ending])
                reward = 1.0 if ending == rules.CHECKMATE else 0.0
                assert batch.rewards[i, turn] == reward and batch.rewards[i, 1 - turn] == -reward
                assert batch.terminations[i].all() and not batch.truncations[i].any() and not batch.masks[i].any()
                assert (batch.observations[i, turn] == planes(board, turn)).all()
                endings.add(ending)
            else:
                assert not batch.rewards[i].any() and not batch.terminations[i].any()
        running = ~batch.over()
    if back:
        assert rules.REPETITION in endings
    else:
        assert endings >= {rules.CHECKMATE, rules.STALEMATE, rules.MATERIAL, rules.CLOCK}


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        (chess.STARTING_FEN, "f2f3 e7e5 g2g4 d8h4"),  # black mates
        ("rnbqk2r/pppp1ppp/8/8/8/8/PPPP1PPP/RNBQK2R w KQkq - 0 1", "e1g1 e8g8"),
        ("4k3/8/8/8/3p4/8/4P1p1/4K2N w - - 0 1", "e2e4 d4e3 e1d1 g2h1n"),  # en passant, promotion with a capture
        ("4k3/3p2P1/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e5d6 e8d7 g7g8r"),
        ("4k3/8/8/8/8/8/4N2R/4K3 w - - 0 1", "e1d1 e8d8 d1c1 d8c8 c1d1 c8d8 d1e1 d8e8"),  # the second time
        ("4k3/8/8/8/8/4p3/4N3/4K3 w - - 0 1", "e2c3 e3e2 c3e2"),  # a king and a knight are too little
    ],
)
def test_short_games_equal_python_chess(fen, moves):
    """Legal moves, boards and rights at every move; what the next player sees, end and rewards after the last."""
    batch, world, s = game(fen)
    board = chess.Board(fen)
    for move in moves.split():
        assert legal(batch) == {other.uci() for other in board.legal_moves}
        push(batch, move)
        board.push_uci(move)
        held = [*s.history[s.ply % 8].ravel().tolist(), int(s.rights), int(s.passant)]
        assert (held, [s.turn, s.clock, s.number]) == fields(board, int(board.turn == chess.BLACK))
    assert (batch.observations[0, s.turn] == planes(board, s.turn)).all()
    ending = ending_of(board, list(board.legal_moves), "claimed")
    assert (s.ending, batch.terminations[0].tolist()) == (ending, [ending != 0] * 2)
    lost = 1.0 if ending == rules.CHECKMATE else 0.0
    assert batch.rewards[0].tolist() == ([-lost, lost] if board.turn == chess.WHITE else [lost, -lost])


TERMINATIONS = {
    rules.CHECKMATE: "CHECKMATE",
    rules.STALEMATE: "STALEMATE",
    rules.MATERIAL: "INSUFFICIENT_MATERIAL",
    rules.CLOCK: "SEVENTYFIVE_MOVES",
    rules.REPETITION: "FIVEFOLD_REPETITION",
}


def test_equals_openspiel():
    """25 random games, because OpenSpiel is slow: legal moves, rewards and ends after every move."""
    import pyspiel

    num = 25
    spiel, rng = pyspiel.load_game("chess"), np.random.default_rng(3)
    batch = kit.started(build(ID), num)
    states = [spiel.new_initial_state() for _ in range(num)]
    running = np.ones(num, bool)
    while running.any():
        for i in np.flatnonzero(running):
            s, mover = batch.record(i), 1 - states[i].current_player()  # OpenSpiel's player 1 is white
            actions = np.flatnonzero(batch.masks[i, mover])
            theirs = {states[i].parse_move_to_action(batch.world.uci(s, action)): action for action in actions}
            assert sorted(theirs) == states[i].legal_actions() and mover == s.turn
            action = rng.choice(states[i].legal_actions())
            batch.actions[i] = theirs[action]
            states[i].apply_action(action)
        batch.step(where=running)
        for i in np.flatnonzero(running):
            assert batch.finished[i] == states[i].is_terminal()
            assert batch.rewards[i].tolist() == states[i].rewards()[::-1]
        running = ~batch.over()


def test_numbers_of_pettingzoo():
    """Legal actions have the numbers of PettingZoo's chess_v6, in positions of random games."""
    rng = np.random.default_rng(4)
    batch, world, s = game()
    for _ in range(300):
        board = chess.Board(world.fen(s))
        mask = batch.masks[0, s.turn]
        assert np.flatnonzero(mask).tolist() == sorted(chess_utils.legal_moves(board))
        batch.step(rng.choice(np.flatnonzero(mask)))
        if batch.finished[0]:
            batch.start()


def test_random_play():
    """OpenSpiel's 150 random games: .08 / .08 / .84 and 334.273 +- 8.818 moves; within 4 errors."""
    num = 1000
    rewards, lengths = play(ID, "random", num)
    for reward, wanted in ((1, 0.08), (-1, 0.08), (0, 0.84)):
        rate = (rewards[:, 0] == reward).mean()
        assert abs(rate - wanted) < 4 * (wanted * (1 - wanted) * (1 / num + 1 / 150)) ** 0.5
    assert abs(lengths.mean() - 334.273) < 4 * (lengths.var() / num + 8.818**2) ** 0.5


# Positions made by hand, with moves that must be legal and moves that must be illegal.
SPECIAL = {
    "castling": ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1 e1c1", ""),
    "castling of black": ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8 e8c8", ""),
    "no right to castle": ("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", "e1c1 h1g1", "e1g1"),
    "castling through check": ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "e1g1"),
    "castling into check": ("4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "e1g1"),
    "castling out of check": ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "e1d1", "e1g1 e1c1"),
    "castling past an attacked b1": ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1 e1c1", ""),
    "castling with something between": ("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", "", "e1g1 e1c1"),
    "pinned on a file": ("4r1k1/8/8/8/8/4R3/8/4K3 w - - 0 1", "e3e8 e3e2 e3e7", "e3d3 e3h3"),
    "pinned on a diagonal": ("6k1/8/8/7b/8/5P2/4B3/3K4 w - - 0 1", "f3f4", "f3g3"),
    "pinned pawn may capture": ("6k1/8/8/8/8/2b5/1P6/K7 w - - 0 1", "b2c3", "b2b3 b2b4"),
    "pinned knight": ("4r1k1/8/8/8/8/4N3/8/4K3 w - - 0 1", "e1d1", "e3d5 e3c2"),
    "a check can be blocked": ("4r1k1/8/8/8/8/8/3P1R2/3QK3 w - - 0 1", "d1e2 f2e2 e1f1", "d2d4 f2f8 e1e2"),
    "two checks": ("4r1k1/8/8/8/8/3n4/2Q5/4K3 w - - 0 1", "e1d2 e1d1 e1f1", "c2d3 c2e2 e1e2 e1f2"),
    "the king does not hide squares": ("4r1k1/8/8/8/8/8/4K3/8 w - - 0 1", "e2d1 e2d3", "e2e1 e2e3"),
    "kings keep apart": ("8/8/8/8/8/3k4/8/3K3R w - - 0 1", "d1e1", "d1d2 d1c2 d1e2"),
    "en passant": ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6 e5e6", ""),
    "en passant of black": ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3 d4d3", ""),
    "en passant is over": ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5e6", "e5d6"),
    "en passant opens a rank": ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", "e5e6", "e5d6"),
    "en passant by a pawn pinned on a diagonal": ("7k/8/1b6/3pP3/3K4/8/8/8 w - d6 0 1", "", "e5d6"),
    "en passant along a pin": ("7k/8/5b2/3pP3/3K4/8/8/8 w - d6 0 1", "e5f6", "e5d6 e5e6"),
    "en passant takes who gives check": ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "e4d3", "e4e3"),
    "promotions": (
        "1nn1nnn1/PPPPPPPP/8/8/8/8/8/K6k w - - 0 1",
        "a7a8q a7a8r a7a8b a7a8n a7b8q a7b8r a7b8b a7b8n b7c8b d7c8r d7d8n d7e8b h7h8n h7g8r",
        "a7a8 h7g8 b7b8n",
    ),
    "promotions of black": (
        "k6K/8/8/8/8/8/pppppppp/1NN1NNN1 b - - 0 1",
        "a2a1q a2a1r a2a1b a2a1n a2b1q a2b1n b2c1b d2c1r d2d1n d2e1b h2h1n h2g1r",
        "a2a1 h2g1 b2b1n",
    ),
    "a rook on the last rank but one": ("4k3/R7/8/8/8/8/8/K7 w - - 0 1", "a7a8", "a7a8q a7a8n"),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_moves(name):
    fen, wanted, unwanted = SPECIAL[name]
    batch, _, s = game(fen)
    moves = legal(batch)
    assert moves == {move.uci() for move in chess.Board(fen).legal_moves}
    assert set(wanted.split()) <= moves and not set(unwanted.split()) & moves


@pytest.mark.parametrize("moves", ["e1g1", "e1c1", "e1d1", "h1h8", "a1a8", "h1h4"])
def test_castling_rights_are_lost(moves):
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    batch, world, s = game(fen)
    board = chess.Board(fen)
    push(batch, moves)
    board.push_uci(moves)
    assert world.fen(s) == board.fen()


def test_most_moves():
    """Petrovic's position of 1964 has 218 moves; there is room for the moves of any position."""
    batch, _, s = game("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
    assert s.count == 218 == batch.masks.sum() < rules.MOST_MOVES


KNIGHTS = "g1f3 g8f6 f3g1 f6g8".split()


@pytest.mark.parametrize(
    ("fen", "moves", "length", "times"),
    [
        (chess.STARTING_FEN, KNIGHTS, 8, 3),
        (chess.STARTING_FEN, KNIGHTS, 16, 5),
        # Without castling rights the position is a different one: the first of three occurs after two moves.
        ("4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1", "h1g1 h8g8 g1h1 g8h8".split(), 10, 3),
        ("4k2r/8/8/8/8/8/8/4K2R w - - 0 1", "h1g1 h8g8 g1h1 g8h8".split(), 8, 3),
        # The same holds for a right to capture en passant.
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", ["e2e4", *"e8d8 e1d1 d8e8 d1e1".split() * 9], 10, 3),
        ("4k3/8/8/8/7p/8/4P3/4K3 w - - 0 1", ["e2e4", *"e8d8 e1d1 d8e8 d1e1".split() * 9], 9, 3),
        # A pawn that is pinned cannot capture en passant.
        ("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", ["e2e4", *"d8c8 e1f1 c8d8 f1e1".split() * 9], 9, 3),
    ],
)
def test_repetition(fen, moves, length, times):
    batch, _, s = game(fen, draws="claimed" if times == 3 else "automatic")
    board = chess.Board(fen)
    for k in range(length):
        assert not batch.finished[0] and not board.is_repetition(times)
        push(batch, moves[k % len(moves)])
        board.push_uci(moves[k % len(moves)])
    assert batch.finished[0] and s.ending == rules.REPETITION and board.is_repetition(times)
    assert not batch.rewards.any()
    assert batch.observations[0, :, 12:14].min() == 1


@pytest.mark.parametrize(("draws", "limit"), [("claimed", 100), ("automatic", 150)])
def test_moves_without_progress(draws, limit):
    fen = f"k7/8/1K6/8/8/8/7P/7R w - - {limit - 1} 90"
    batch, _, s = game(fen, draws=draws)
    push(batch, "b6c6")
    assert s.ending == rules.CLOCK and batch.finished[0] and not batch.rewards.any()
    for move, clock in (("h2h3", 0), ("h2h4", 0)):  # progress
        batch, _, s = game(fen, draws=draws)
        push(batch, move)
        assert s.clock == clock and not batch.finished[0]
    batch, _, s = game(fen.replace("P", "1").replace("71", "8"), draws=draws)
    push(batch, "h1h8")  # checkmate takes precedence
    assert s.ending == rules.CHECKMATE and batch.rewards.tolist() == [[1, -1]]


def test_insufficient_material():
    """Kings with up to two other pieces: two knights, bishops of both colors, a rook, a pawn, a queen on each side."""
    extra = [("N", chess.B3), ("N", chess.G3), ("B", chess.E3), ("B", chess.D3), ("R", chess.A4), ("P", chess.C4)]
    sets = [[], *([one] for one in extra), *([one, two] for k, one in enumerate(extra) for two in extra[:k])]
    world = build(ID)
    batch, drawn = Batch(world, 1), 0
    for white in sets:
        for black in sets:
            board = chess.Board("7k/8/8/8/8/8/8/7K w - - 0 1")
            for letter, square in white:
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
            for letter, square in black:
                board.set_piece_at(square ^ 56, chess.Piece.from_symbol(letter.lower()))
            if not board.is_valid() or board.is_check():
                continue
            if board.is_insufficient_material():
                drawn += 1
                with pytest.raises(LevelError, match="insufficient material"):
                    batch.set_level(0, {"fen": board.fen()})
            else:
                batch.set_level(0, {"fen": board.fen()})
    assert drawn == 11  # bare kings, one piece (2 knights, 2 bishops, 2 sides), two bishops of one color (2)


def test_fens_and_levels():
    """Positions of random games as levels: same FEN, moves, and level; with moves, the same history as in play."""
    rng = np.random.default_rng(5)
    world = build(ID)
    played, given = Batch(world, 1), Batch(world, 1)
    for length in rng.integers(1, 250, 60):
        played.start()
        moves = []
        for _ in range(length):
            s = played.record()
            action = rng.choice(np.flatnonzero(played.masks[0, s.turn]))
            moves.append(world.uci(s, action))
            push(played, moves[-1])
            if played.finished[0]:
                break
        if played.finished[0]:
            continue
        fen = world.fen(played.record())
        given.set_level(0, {"fen": fen})
        given.start()
        s = given.record()
        assert world.fen(s) == fen == chess.Board(fen).fen() and (given.masks == played.masks).all()
        assert world.get_level(s) == {"fen": fen, "moves": []}
        given.set_level(0, {"fen": chess.STARTING_FEN, "moves": moves})
        given.start()
        assert (given.observations == played.observations).all() and (given.masks == played.masks).all()
        assert world.get_level(given.record()) == {"fen": chess.STARTING_FEN, "moves": moves}
        given.start()
        assert world.get_level(given.record()) == {"fen": chess.STARTING_FEN, "moves": []}


def test_level_that_black_starts():
    batch, _, s = game("8/8/8/8/8/5k2/4p3/7K b - - 7 60")
    assert batch.masks[0, 1].any() and not batch.masks[0, 0].any()
    assert batch.observations[0, 1, 118].max() == 7 and batch.observations[0, 0, 113].min() == 60
    push(batch, "e2e1r", "h1h2", "e1h1")
    assert batch.world.fen(s) == "8/8/8/8/8/5k2/7K/7r w - - 2 62"


def test_move_numbers_above_255_are_shown_as_255():
    batch = kit.started(build(ID))
    for number, shown in ((254, 254), (255, 255), (256, 255), (400, 255)):
        batch.records["number"] = number
        batch.observe()
        assert (batch.observations[:, :, 113] == shown).all()


WRONG = {
    "8/8/8/8/8/8/8/8 w - -": "4 fields, not 6",
    "k7/8/8/8/8/8/K7 w - - 0 1": "7 ranks, not 8",
    "k7/8/8/8/8/8/8/K6 w - - 0 1": "rank 1, 'K6', is not 8 squares",
    "k7/8/8/8/9/8/8/K7 w - - 0 1": "rank 4, '9'",
    "k7/8/8/8/3X4/8/8/K7 w - - 0 1": "rank 4, '3X4'",
    "k7/8/8/8/......../8/8/K7 w - - 0 1": "rank 4",
    "44/8/8/8/8/8/P3K3/7k w - - 0 1": "rank 8, '44', is not 8 squares",
    "k7/8/8/8/8/8/8/K51R w - - 0 1": "rank 1, 'K51R'",
    "k7/8/8/8/8/8/8/K61 w - - 0 1": "rank 1, 'K61'",
    "k7/8/8/8/11111111/8/8/K7 w - - 0 1": "rank 4",
    "k7/8/8/8/08/8/8/K7 w - - 0 1": "rank 4, '08'",
    "k7/8/8/8/\u0668/8/8/K7 w - - 0 1": "rank 4",
    "k7/8/8/8/8/8/7R/K7 w - - \u0663 1": "the clock",
    f"k7/8/8/8/8/8/7R/K7 w - - 0 {'9' * 30}": "the move",
    "8/8/8/8/8/8/8/K7 w - - 0 1": "Black has 0 kings",
    "kk6/8/8/8/8/8/8/K7 w - - 0 1": "Black has 2 kings",
    "k6P/8/8/8/8/8/8/K7 w - - 0 1": "White has a pawn on the first or last rank",
    "k7/8/8/8/8/8/8/K6p w - - 0 1": "Black has a pawn on the first or last rank",
    "k7/8/8/8/8/PPP5/PPPPPP2/K7 w - - 0 1": "White has 9 pawns",
    "k7/8/8/8/8/QQQ5/PPPPPPP1/K7 w - - 0 1": "White has 7 pawns and 2 pieces that must have been pawns",
    "k7/8/8/8/8/8/7R/K7 x - - 0 1": "'x', not w or b",
    "k7/8/8/8/8/8/7R/K7 w X - 0 1": "castling 'X'",
    "k7/8/8/8/8/8/7R/K7 w KK - 0 1": "castling 'KK'",
    "k7/8/8/8/8/8/7R/4K3 w K - 0 1": "castling K needs a king on e1 and a rook on h1",
    "r3k3/8/8/8/8/8/7R/4K3 w qk - 0 1": "castling k needs a king on e8 and a rook on h8",
    "k7/8/8/8/8/8/7R/K7 w - e7 0 1": "'e7' is not a square of rank 6",
    "k7/8/8/8/8/8/7R/K7 w - e6 0 1": "no pawn has just passed e6",
    "k7/4p3/8/4pP2/8/8/8/K7 w - e6 0 1": "no pawn has just passed e6",
    "k7/8/8/8/8/8/7R/K7 w - - x 1": "clock 'x'",
    "k7/8/8/8/8/8/7R/K7 w - - -1 1": "clock '-1'",
    "k7/8/8/8/8/8/7R/K7 w - - 151 1": "clock '151'",
    "k7/8/8/8/8/8/7R/K7 w - - 0 0": "move '0'",
    "k6R/8/8/8/8/8/8/K7 w - - 0 1": "Black is in check, but not to move",
    "k7/8/8/8/8/8/8/K6r b - - 0 1": "White is in check, but not to move",
    "k7/8/1QK5/8/8/8/8/8 b - - 0 1": "over: Draw by stalemate",
    "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1": "over: Checkmate",
    "k7/8/8/8/8/8/8/K5B1 w - - 0 1": "insufficient material",
    "k7/8/8/8/8/8/7R/K7 w - - 100 80": "over: Draw by moves without progress",
}


@pytest.mark.parametrize("fen", WRONG)
def test_wrong_fens(fen):
    batch = Batch(build(ID), 1)
    before = batch.records.tobytes()
    with pytest.raises(LevelError, match=WRONG[fen]):
        batch.set_level(0, {"fen": fen})
    assert batch.records.tobytes() == before


def test_wrong_levels():
    kit.refuses(
        build(ID),
        ({}, "lacks 'fen'"),
        ({"fen": 3}, "must be text"),
        ({"fen": chess.STARTING_FEN, "moves": [3]}, "must be text"),
        ({"fen": chess.STARTING_FEN, "move": ["e2e4"]}, "not 'move'"),
        (
            {"fen": chess.STARTING_FEN, "moves": ["e2e4", "e2e4"]},
            "move 1 of the level, 'e2e4', is illegal in .* b KQkq",
        ),
        ({"fen": chess.STARTING_FEN, "moves": ["e2e5"]}, "'e2e5', is illegal"),
        ({"fen": chess.STARTING_FEN, "moves": ["e4"]}, "'e4', is not a move"),
        ({"fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1", "moves": ["a7a8"]}, "'a7a8', lacks the piece .* a7a8q, a7a8r"),
        ({"fen": "k7/8/8/8/8/8/p6K/8 b - - 0 1", "moves": ["a2a1"]}, "'a2a1', lacks the piece .*, a2a1n in "),
        ({"fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1", "moves": ["a7a8k"]}, "'a7a8k', is not a move"),
        ({"fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1", "moves": ["a1a2q"]}, "'a1a2q', is not a move"),
        ({"fen": chess.STARTING_FEN, "moves": "f2f3 e7e5 g2g4 d8h4".split()}, "over after 4 moves in .*: Checkmate"),
        ({"fen": chess.STARTING_FEN, "moves": KNIGHTS * 2}, "over after 8 moves in .*: Draw by repetition"),
        ({"fen": chess.STARTING_FEN, "moves": KNIGHTS * 2 + ["e2e4"]}, "over after 8 moves in .*: Draw by repetition"),
        ({"fen": chess.STARTING_FEN, "moves": KNIGHTS * 151}, "604 moves; at most 600"),
    )


def test_a_level_is_judged_by_its_own_draws():
    """The episode's parameters decide whether a repetition ends the level's game."""
    batch = Batch(build(ID), 2)
    level = {"fen": chess.STARTING_FEN, "moves": KNIGHTS * 2}
    batch.start(levels=[None, level], params=[None, {"draws": "automatic"}])
    assert batch.records["ply"].tolist() == [0, 8] and not batch.over().any()


def test_names():
    """1,858 actions of each agent stay on the board (as in lc0's table of moves); names refer to the real board."""
    for agent in range(2):
        inside = [name for name in NAMES[agent] if not name.startswith("off-board")]
        assert len(inside) == 1858 and len(set(NAMES[agent])) == 4672
        assert sum(len(name) == 5 for name in inside) == 66  # 22 ways to promote, to 3 pieces
    assert "a7a8n" in NAMES[0] and "a7a8n" not in NAMES[1] and "a2a1n" in NAMES[1]
    batch, world, s = game()
    assert read_action(NAMES[0], "I play e2e4.", np.flatnonzero(batch.masks[0, 0])) == world.action(s, "e2e4")
    white = world.action(s, "e2e4")
    push(batch, "e2e4")
    assert world.action(s, "e7e5") == white  # each agent from its own side
    assert len(PROMOTIONS) == 2 * (66 + 44)
    for answer, meant in (("a7a8=N", "a7a8n"), ("A7A8q!", "a7a8"), ("I play a7a8=Q", "a7a8"), ("a7a8", "a7a8")):
        legal = [BY_NAME[0][name] for name in ("a7a8", "a7a8n")]
        assert read_action(NAMES[0], answer, legal, PROMOTIONS) == BY_NAME[0][meant]
    with pytest.raises(ActionError, match="names no action"):
        read_action(NAMES[0], "a7a8=k", [BY_NAME[0]["a7a8"]], PROMOTIONS)
    for wrong in ("e7e9", "e7e5q", "e2e1q", "", "O-O", "e7e5e4"):
        with pytest.raises(ActionError, match="is no move of Black"):
            world.action(s, wrong)


def test_text_and_scene():
    batch, world, s = game(chess.STARTING_FEN, "f2f3 e7e5 g2g4".split())
    lines = world.text(s, 1).splitlines()
    assert lines[0] == "8  r n b q k b n r" and lines[4] == "4  . . . . . . P ." and world.fen(s) in lines[9]
    assert "8   r   n   b   q   k   b   n   r" in terminal(world.scene(s), color=False)
    assert "It is your turn. Black to move." in lines[-1] and "other player's turn" in world.text(s, 0)
    before = len(world.scene(s).shapes)
    push(batch, "d8h4")
    assert "Checkmate: Black wins" in world.text(s, 0)
    red = [shape for shape in world.scene(s).shapes if getattr(shape, "fill", None) == "red@0.6"]
    assert len(red) == 1 and abs(len(world.scene(s).shapes) - before) <= 1
    turned = [shape for shape in world.scene(s, 1).shapes if getattr(shape, "fill", None) == "red@0.6"]
    assert red[0].y - turned[0].y == 7 and red[0].x - turned[0].x == 1  # e1: at the bottom, then at the top


def middle(square, agent):
    """The center of a square in an agent's picture; the agent's own first rank is at the bottom."""
    file, rank = "abcdefgh".index(square[0]), int(square[1]) - 1
    return (0.8 + file + 0.5, 1.0 + 7 - rank + 0.5) if agent == 0 else (0.8 + 7 - file + 0.5, 1.0 + rank + 0.5)


SQUARES = [file + rank for file in "abcdefgh" for rank in "12345678"]


@pytest.mark.parametrize("name", ["start", "kiwipete", "position 4", "promotions"])
def test_drags(name):
    """Drags between all squares make all moves of both sides; underpromotions have no drag."""
    for side in "wb":
        fen = PERFT[name][0]
        board = chess.Board(fen)
        if fen.split()[1] != side:
            board.push(next(iter(board.legal_moves)))
        batch, world, s = game(board.fen(en_passant="fen"))
        agent = "wb".index(side)
        found = {(a, b): world.drag(s, agent, middle(a, agent), middle(b, agent)) for a in SQUARES for b in SQUARES}
        moves = {world.uci(s, action) for action in found.values() if action is not None}
        assert moves == {move.uci() for move in board.legal_moves if move.promotion in (None, chess.QUEEN)}
        for (a, b), action in found.items():
            if action is not None:
                assert world.uci(s, action)[:4] == a + b
            if board.piece_at(chess.parse_square(a)) is None:
                assert action is None
        assert all(world.drag(s, 1 - agent, middle(a, agent), middle(b, agent)) is None for a, b in found)


def test_drags_start_on_the_piece_that_is_seen():
    batch, world, s = game(chess.STARTING_FEN, ["e2e4"])
    knights = [shape for shape in world.scene(s, 1).shapes if getattr(shape, "glyph", "") == "n"]
    x, y = max((shape.x, shape.y) for shape in knights)  # black sees b8 on the right
    assert NAMES[1][world.drag(s, 1, (x, y), (x + 1, y - 2))] == "b8a6"


def test_state_is_the_movers_view():
    batch, world, _ = game(chess.STARTING_FEN, ["e2e4"])
    state = world.state(batch.records, batch.observations)
    assert state.shape == (1, 119, 8, 8) and (state[0] == batch.observations[0, 1]).all()


def test_bitboards_of_python_chess():
    """Sliders' attacks on random boards, from python-chess's tables."""

    def attacks(words, squares, out):
        for k in range(len(words)):
            for line in range(4):
                out[k, line] = bitboard.along(line, squares[k], words[k])

    compiled = bind(attacks, "tests.chess.attacks")
    rng = np.random.default_rng(6)
    words = rng.integers(0, 2**64, 2000, np.uint64) & rng.integers(0, 2**64, 2000, np.uint64)
    squares, out = rng.integers(0, 64, 2000), np.zeros((2000, 4), np.uint64)
    compiled(words, squares, out)
    for word, square, (rank, file, up, down) in zip(words.tolist(), squares.tolist(), out.tolist()):
        assert rank == chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & word]
        assert file == chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & word]
        assert up | down == chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & word]


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_material_beats_random(seat):
    """It wins more than 90 of 100 games from both sides, by more than 4 standard errors."""
    num = 300
    wins = (play(ID, ["material" if k == seat else "random" for k in range(2)], num)[0][:, seat] == 1).mean()
    assert wins - 4 * (wins * (1 - wins) / num) ** 0.5 > 0.9


@pytest.mark.parametrize(
    ("fen", "good", "bad"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", ""),  # mate at once
        ("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1", "a8a1", ""),
        ("r3k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", ""),  # a rook that nothing guards
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", ""),
        ("4k3/8/2n5/4p3/3Q4/8/8/4K3 w - - 0 1", "", "e1e2 e1d1 e1f1 e1f2 e1d2 d4e5 d4b4 d4d8 d4a7"),  # the queen leaves
        ("k7/P7/2K5/8/8/8/8/8 w - - 0 1", "", "c6b6"),  # no stalemate
    ],
)
def test_material(fen, good, bad):
    batch, world, s = game(fen)
    policy = make_policy("material", world)
    policy.reset(0, 1)
    move = world.uci(s, policy.act(batch.observations[0, s.turn], batch.masks[0, s.turn], int(s.turn)))
    assert move not in bad.split() and (not good or move in good.split())
