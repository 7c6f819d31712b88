"""Checkers: OpenSpiel in lock-step, py-draughts' positions, published counts of moves, probes of the rules, search."""

import json
from collections import Counter

import kit
import numpy as np
import pytest
from expansion import successors

from envsuite.core.chance import Explorer
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.core.kernel import kernel
from envsuite.evaluation.matches import play
from envsuite.games.checkers import KING, MAN, Checkers
from envsuite.registry import build
from envsuite.solvers.alpha_beta import AlphaBeta, solve
from envsuite.solvers.model import extract
from envsuite.solvers.planning import value_iteration

ID = "envsuite/Checkers-v0"


@pytest.mark.mostly_slow
@pytest.mark.parametrize(("rows", "columns", "num"), [(8, 8, 20), (8, 8, 200), (7, 6, 200), (10, 8, 40)])
def test_equals_openspiel(rows, columns, num):
    """Random games: movers, legal actions, planes, actions until a draw, names, rewards and ends."""
    import pyspiel

    game, rng = pyspiel.load_game("checkers", {"rows": rows, "columns": columns}), np.random.default_rng(num)
    batch, squares, ends = kit.started(ID, num, rows=rows, columns=columns), rows * columns, set()
    quiet, again = np.zeros(num, int), 0

    def ours(i, state):
        """Actions of the second player are turned by half a turn: square, and direction 0 to 2 and 1 to 3."""
        turn = state.current_player()
        actions = state.legal_actions()
        return {a: a if turn == 0 else 8 * (squares - 1 - a // 8) + (a + 4) % 8 for a in actions}

    for i, state, action in kit.lock_step(batch, [game.new_initial_state() for _ in range(num)], rng, ours=ours):
        # OpenSpiel's planes: men and kings of the first player, men and kings of the second, empty squares.
        planes = np.moveaxis(np.array(state.observation_tensor(0), np.int8).reshape(5, rows, columns), 0, -1)
        seen = batch.observations["board"][i]
        assert (seen[0, :, :, :4] == planes[:, :, :4]).all()
        assert (seen[1, :, :, :4] == planes[::-1, ::-1, [2, 3, 0, 1]]).all()
        assert (seen[1, :, :, 4] == seen[0, ::-1, ::-1, 4]).all()
        if action is None:
            continue
        quiet[i] = 0 if action % 2 else quiet[i] + 1
        assert batch.observations["left"][i].tolist() == [[40 - quiet[i]]] * 2
        assert state.action_to_string(0, action) == batch.world.action_names[0][action]
        assert (batch.records["again"][i] >= 0) == seen[0, :, :, 4].any()
        if batch.records["again"][i] >= 0:
            again += 1
            froms = {move // 8 for move in state.legal_actions()}
            assert froms == {batch.records["again"][i]} == set(np.flatnonzero(seen[0, :, :, 4]))
        if state.is_terminal():
            ends.add(tuple(state.returns()))
    assert again > 0 and ends >= {(1, -1), (-1, 1)} and ((0, 0) in ends or num < 100)


def whole_moves(explorer, records):
    """Successors of records after whole moves: all jumps of a turn. Routes to the same position are counted."""
    found, records = [records[:0]], records[records["terminated"][:, 0] == 0]
    while len(records):
        records, _, _ = successors(explorer, records)
        found.append(records[records["again"] < 0])
        records = records[records["again"] >= 0]
    return np.concatenate(found)


@pytest.mark.parametrize("depth", [5, pytest.param(7, marks=pytest.mark.slow)])
def test_counts_of_moves(depth):
    """Published counts of sequences of moves of English draughts (Bik), with all jumps of a turn as one move."""
    explorer = Explorer(Checkers(), 4096)
    (start,) = explorer.starts()
    level, counts = np.array([start.record]), []
    for _ in range(depth):
        level = whole_moves(explorer, level)
        counts.append(len(level))
    assert counts == [7, 49, 302, 1469, 7361, 36768, 179740][:depth]


@pytest.mark.slow
def test_counts_of_actions():
    """With each jump as an action: OpenSpiel's count at 7 plies."""
    explorer = Explorer(Checkers(), 4096)
    (start,) = explorer.starts()
    level = np.array([start.record])
    for _ in range(7):
        level, _, _ = successors(explorer, level)
    assert len(level) == 179255


def board_of(squares):
    """The rows of a board of 8 x 8 from its 32 dark squares."""
    rows = [squares[k : k + 4] for k in range(0, 32, 4)]
    return ["".join(f".{x}" if k % 2 == 0 else f"{x}." for x in row) for k, row in enumerate(rows)]


def test_equals_draughts():
    """60 positions with kings of random games of py-draughts (see the file): positions after 1 to 3 whole moves."""
    recorded = json.loads((kit.DATA / "Checkers" / "draughts_checkers.json").read_text())["positions"]
    world = Checkers(draw_after=1000)
    levels = [{"board": board_of(squares), "player": player} for squares, player, _ in recorded]
    level, explorer, found = kit.started(world, len(levels), level=levels).records, Explorer(world, 4096), []
    starts = [start.tobytes() for start in level["start"]]
    for _ in range(3):
        level = whole_moves(explorer, level)
        parts = [level[name].reshape(len(level), size) for name, size in (("board", 64), ("player", 1))]
        parts.append(level["start"]["board"].reshape(len(level), 64))
        level = level[np.unique(np.concatenate(parts, axis=1), axis=0, return_index=True)[1]]
        counted = Counter(start.tobytes() for start in level["start"])
        found.append([counted[start] for start in starts])
    assert len(set(starts)) == 60 and [list(row) for row in zip(*found)] == [counts for _, _, counts in recorded]


def placed(board, player=0, **params):
    """A game on a board, given as rows with spaces between them."""
    rows = board.split()
    params = dict(rows=len(rows), columns=len(rows[0]), **params)
    return kit.started(ID, level={"board": rows, "player": player}, **params)


def test_jumps():
    """A piece that can jump must, and must again; other pieces wait; a crown ends the turn."""
    batch = placed("...... ..b... ...... ..b.b. ...w.w ......")
    assert kit.legal(batch) == {"f2d4", "d2b4", "d2f4"}
    kit.act(batch, "f2d4")
    assert kit.mover(batch) == 0 and kit.legal(batch) == {"d4b6"} and batch.observations["board"][0, 1, 3, 2, 4] == 1
    kit.act(batch, "d4b6")
    assert (
        kit.mover(batch) == 1 and kit.legal(batch) == {"c3e1"} and not batch.observations["board"][0, :, :, :, 4].any()
    )
    assert batch.record().again == -1

    batch = placed("...... ..b.b. .w.... ...... .....b ......")
    kit.act(batch, "b4d6")  # a king could jump on over e5
    assert kit.mover(batch) == 1 and batch.record().board[0, 3] == KING


def test_kings_move_backward_and_men_do_not():
    assert kit.legal(placed("...... ...... .b.W.. ...... .w.... ......")) == {
        *("d4c5", "d4e5", "d4e3", "d4c3", "b2a3", "b2c3"),
    }
    assert kit.legal(placed("...... ..w... .b.... ...... ...... ......")) == {"c5b6", "c5d6"}


def test_draw():
    """After `draw_after` actions without a capture, also if the player to move is blocked then."""
    batch = placed("...... ...... ...W.. ...... .....B ......", draw_after=3)
    kit.act(batch, "d4c5", "f2e3", "c5d6")
    assert batch.terminations.all() and batch.rewards[0].tolist() == [0, 0]
    assert "It is a draw." in batch.world.text(batch.record(), 0)
    blocked = ".... b... .... w.w. ...."
    for draw_after, rewards in ((1, [0, 0]), (2, [1, -1])):
        batch = kit.act(placed(blocked, draw_after=draw_after), "a2b3")
        assert batch.terminations.all() and batch.rewards[0].tolist() == rewards


def test_levels_and_parameters():
    board = [".b.b", "....", ".w..", "W..."]
    batch = kit.started(ID, level={"board": board, "player": 1}, rows=4, columns=4)
    assert batch.world.get_level(batch.record()) == {"board": board, "player": 1}
    assert kit.legal(batch) == {"b4a3", "b4c3", "d4c3"}
    batch.start()
    assert batch.world.get_level(batch.record())["board"] == [".b.b", "....", "....", "w.w."]
    kit.refuses(
        batch.world,
        ({"board": board[:3], "player": 0}, "board must be 4 texts of 4 letters"),
        ({"board": [".x.b", *board[1:]], "player": 0}, "board has the letter 'x'; known: . w b W B"),
        ({"board": board, "player": 2}, "player=2 must be an integer from 0 to 1"),
        ({"board": board, "player": True}, "player=True must be an integer from 0 to 1"),
        ({"board": ["b...", *board[1:]], "player": 0}, "a piece on a4, a light square"),
        ({"board": [".w.b", *board[1:]], "player": 0}, "man 'w' on its last row"),
        ({"board": [*board[:3], "b..."], "player": 0}, "man 'b' on its last row"),
        ({"board": ["....", "....", ".w..", "W..."], "player": 1}, "is over: player_1 cannot move"),
        ({"board": board}, "a level has 'board' and 'player', not 'board'"),
    )
    for params, ranks in (({}, 3), ({"rows": 7}, 3), ({"rows": 6}, 2), ({"rows": 3}, 1), ({"ranks": 1}, 1)):
        start = kit.started(ID, columns=6, **params).record().board
        assert ((start > 0).sum(axis=1) > 0).sum() == 2 * ranks and (start == MAN).sum() == (start == MAN + 1).sum()
    with pytest.raises(ParameterError, match="3 ranks of men each need 7 rows; there are 6"):
        Checkers(rows=6, ranks=3)


def test_records():
    for change, message in (
        ({"left": 0}, "moves do not go"),
        ({"again": 40}, "moves do not go"),
        ({"board": 0, "moves": 0}, "the game is over"),
    ):
        batch = kit.started(ID)
        for name, value in change.items():
            batch.records[name][0] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(batch.records)


def test_edges():
    """Kings do not leave the board, and men of both players are crowned on their last row."""
    assert kit.legal(placed(".W.... ...... .....b W..... ...... ......")) == {"b6a5", "b6c5", "a3b4", "a3b2"}
    assert kit.legal(placed("...... ...... .....b ...... .....W ....W.")) == {"f2e3", "e1d2"}
    batch = kit.act(placed("...... ..w... ...... ...... .b.... ......", player=1), "b2a1")
    assert batch.record().board[5, 0] == KING + 1 and kit.mover(batch) == 0
    kit.act(batch, "c5b6")
    assert batch.record().board[0, 1] == KING


def test_what_players_see():
    """Own men and kings, then those of the other player; the second player sees the board turned."""
    batch = placed("...... ..B... ...... ....b. .w...w ....W.")
    places = [[(4, 1), (4, 5)], [(5, 4)], [(3, 4)], [(1, 2)], []]  # by plane, as the first player sees them
    for agent in range(2):
        wanted = np.zeros((6, 6, 5), int)
        for plane, squares in enumerate(places):
            for r, c in squares:
                if agent == 0:
                    wanted[r, c, plane] = 1
                else:
                    wanted[5 - r, 5 - c, (plane + 2) % 4] = 1
        assert (batch.observations["board"][0, agent] == wanted).all()
    kit.act(batch, "f2d4")
    assert batch.observations["left"][0].tolist() == [[40], [40]]  # a capture


def test_views():
    """After three actions, the second player sees what the first would see with colours and sides exchanged."""
    batch = kit.started(ID)
    assert kit.mover(batch) == 0 and batch.record().again == batch.record().last == -1
    assert (batch.observations["left"] == 40).all() and not batch.observations["board"][..., 4].any()
    first, second = batch.observations["board"][0]
    assert (first == second).all()
    names = batch.world.action_names
    assert [names[1][names[0].index(move)] for move in ("a3b4", "c3e5", "a1b2")] == ["h6g5", "f6d4", "h8g7"]
    assert sum("off" in name for name in names[0]) == 4 * 64 - 4 * 49 + 4 * 64 - 4 * 36


def test_text_scene_and_drags():
    batch = placed("...... ..B... ...... ....b. .w...w ......")
    world, s = batch.world, batch.record()
    assert world.text(s, 0).splitlines()[1:5] == ["5 . . B . . .", "4 . . . . . .", "3 . . . . b .", "2 . w . . . w"]
    assert "You have 2 men and 0 kings; the other player has 1 man and 1 king." in world.text(s, 0)
    assert "after 40 more moves" in world.text(s, 0) and world.text(s, 0).endswith("You must jump.")
    assert world.text(s, 1).endswith("It is the other player's turn.")
    f2, e3, d4, b2, c3 = (6.4, 4.9), (5.4, 3.9), (4.4, 2.9), (2.4, 4.9), (3.4, 3.9)
    assert world.action_names[0][world.drag(s, 0, f2, d4)] == "f2d4"
    wrong = (0, f2, e3), (0, b2, c3), (1, f2, d4), (0, f2, (9.0, 2.9)), (0, d4, f2)
    assert [world.drag(s, *move) for move in wrong] == [None] * 5
    before = len(world.scene(s).shapes)
    kit.act(batch, "f2d4")
    # A piece is gone (3 shapes), two squares are marked, and so is the piece that jumps again.
    assert len(world.scene(s).shapes) == before - 3 + 2 + 1
    assert world.text(s, 0).endswith("You must jump again with the piece on d4.")


@pytest.mark.slow
def test_random_play():
    """Wins, draws and lengths of 5,000 random games of OpenSpiel; within 4 standard errors."""
    num = 10_000
    result, lengths = play(build(ID), ["random", "random"], num)
    for value, share in ((1, 0.4206), (-1, 0.4504), (0, 0.129)):
        error = (share * (1 - share) * (1 / num + 1 / 5000)) ** 0.5
        assert abs((result[:, 0] == value).mean() - share) < 4 * error
    assert abs(lengths.mean() - 68.36) < 4 * (lengths.var() / num + 0.38**2) ** 0.5


@kernel
def material(s, agent):
    """Men and kings, from -1 to 1."""
    total = 0
    for k in range(s.board.size):
        piece = s.board.flat[k]
        if piece:
            total += (2 + (piece >= KING)) * (1 if (piece - MAN) % 2 == agent else -1)
    return total / 100.0


def negamax(state, depth):
    """Plain minimax with OpenSpiel's rules: what the first player gets within `depth` actions."""
    if state.is_terminal() or depth == 0:
        return state.returns()[0]
    values = [negamax(state.child(action), depth - 1) for action in state.legal_actions()]
    return max(values) if state.current_player() == 0 else min(values)


@pytest.mark.slow
def test_alpha_beta_equals_openspiel():
    """Values to a depth of 5 from the last positions of random games, as by plain minimax with OpenSpiel's rules."""
    import pyspiel

    world, game, rng = Checkers(), pyspiel.load_game("checkers"), np.random.default_rng(3)
    num = 60
    batch, states, values = kit.started(world, num), [], []
    for i in range(num):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        history = state.history()[: -int(rng.integers(1, 6))]
        states.append(game.new_initial_state())
        for action in history:
            name = game.new_initial_state().action_to_string(0, action)
            batch.actions[i] = world.action_names[states[i].current_player()].index(name)
            batch.step(where=np.arange(num) == i)
            states[i].apply_action(action)
        values.append(negamax(states[i], 5))
    assert set(values) == {-1.0, 0.0, 1.0}
    assert (AlphaBeta(world, depth=5, nodes=10**7).search(batch.records).values == values).all()


def test_small_board():
    """All positions of a small board, as by value iteration: alpha-beta finds the value of each."""
    world = Checkers(rows=4, columns=4, draw_after=4)
    model = extract(world, ignore=["last"])
    values = value_iteration(model).values[:, 0]
    found = solve(world, model.records)
    assert (found.values == values).all() and found.proven.all()


@pytest.mark.slow
def test_alpha_beta_wins():
    """With a count of the pieces, alpha-beta beats the better baseline from both seats."""
    world = build(ID)
    for seat in range(2):
        players = ["careful", "careful"]
        players[seat] = AlphaBeta(world, nodes=2000, evaluation=material)
        assert play(world, players, 20).returns[:, seat].mean() > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_baselines(seat):
    """ "careful" beats "greedy", and this random play, from both seats."""
    assert kit.wins(ID, "greedy", seat, 1000) > 0.53
    assert kit.wins(ID, "careful", seat, 500) > 0.97
    assert kit.played(ID, "careful", seat, 500, "greedy")[:, seat].mean() > 0.95


@pytest.mark.parametrize(
    ("policy", "board", "answers"),
    [
        ("greedy", "...... ..b.B. ...w.. b..... .w.... ......", {"d4f6"}),  # a king, and a crown, are worth more
        ("greedy", "...... ....b. .....w ..b... .w.... ......", {"b2d4"}),  # two jumps
        ("greedy", "...... ...... ...... ..w... ...... w.....", {"c3b4", "c3d4"}),  # the first row stays
        ("careful", "...... ..b... ...... w..... .....W ......", {"f2e3", "f2e1"}),  # a3b4 would be captured
    ],
)
def test_choices(policy, board, answers):
    assert kit.choices(policy, placed(board), seeds=10) <= answers
