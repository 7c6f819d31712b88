"""UltimateTicTacToe: OpenSpiel move by move, counts of sequences, rules by example, clicks, baselines."""

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.games.ultimate_tic_tac_toe import ACTIONS, ANY, board_of, cell_of

ID = "envsuite/UltimateTicTacToe-v0"


def test_openspiel():
    """Random games: movers, legal moves, rewards and ends; a free choice is two moves there."""
    import pyspiel

    game, rng = pyspiel.load_game("ultimate_tic_tac_toe"), np.random.default_rng(0)
    num = 200
    batch, states = kit.started(ID, num), [game.new_initial_state() for _ in range(num)]
    results, free = set(), 0
    while (running := ~batch.over()).any():
        for i in np.flatnonzero(running):
            state, mover = states[i], int(batch.acting[i].argmax())
            assert state.current_player() == mover
            target = int(batch.records["target"][i])
            moves = np.flatnonzero(batch.masks[i, mover])
            if target == ANY:
                free += 1
                assert state.legal_actions() == sorted({int(board_of(move)) for move in moves})
                target = int(rng.choice(state.legal_actions()))
                state.apply_action(target)
            here = [move for move in moves if board_of(move) == target]
            assert state.legal_actions() == sorted(int(cell_of(move)) for move in here)
            move = int(rng.choice(here))
            batch.actions[i] = move
            state.apply_action(int(cell_of(move)))
        batch.step(where=running)
        for i in np.flatnonzero(running):
            assert states[i].is_terminal() == batch.over()[i]
            assert batch.rewards[i].tolist() == states[i].rewards()
            results |= {tuple(batch.rewards[i].tolist())} if batch.over()[i] else set()
    assert results == {(1, -1), (-1, 1), (0, 0)} and free > 3 * num


def test_sequences_of_moves():
    """81, 720, 6,336 and 55,080 sequences of one to four moves."""
    names, sequences, counts = kit.started(ID).world.action_names[0], [[]], []
    for length in range(4):
        batch = kit.started(ID, len(sequences), level=[{"moves": moves} for moves in sequences])
        masks = batch.masks[:, length % 2]
        counts.append(int(masks.sum()))
        if length < 3:
            sequences = [[*moves, names[k]] for moves, mask in zip(sequences, masks) for k in np.flatnonzero(mask)]
    assert counts == [81, 720, 6336, 55080]


def test_a_board_that_is_won_leaves_the_choice():
    """O is sent to the middle board, which X has won, so it may move in all others."""
    batch = kit.started(ID)
    batch.records["marks"][0, 0, 4], batch.records["won"][0, 0] = 0b111, 1 << 4
    batch.records["target"][0] = 2
    batch.step(ACTIONS[2, 4])
    assert batch.records["target"][0] == ANY
    assert {int(board_of(k)) for k in np.flatnonzero(batch.masks[0, 1])} == {0, 1, 2, 3, 5, 6, 7, 8}
    assert batch.observations["boards"][0, :, 1, 1].tolist() == [1, 2]


def test_the_last_line_wins_the_game():
    """Three boards in the bottom row."""
    batch = kit.started(ID)
    batch.records["marks"][0, 0, :3], batch.records["won"][0, 0] = [0b111, 0b111, 0b11], 0b11
    batch.records["target"][0] = 2
    batch.step(ACTIONS[2, 2])
    assert batch.over()[0] and batch.rewards[0].tolist() == [1, -1]
    text = batch.world.text(batch.record(), 0)
    assert "You have won." in text and "Boards won by X: bottom left, bottom middle, bottom right." in text


def test_records_that_contradict_themselves():
    for values, message in (
        ({"won": [[1, 0]]}, "a board is won without a line"),
        ({"full": [1]}, "a board is full that is not"),
        ({"marks": [[[1] * 9, [1] * 9]]}, "two marks are in one cell"),
    ):
        batch = kit.started(ID)
        for name, value in values.items():
            batch.records[name] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(batch.records)


def test_clicks_reach_all_cells():
    assert kit.clicks(kit.started(ID), 0) == {None, *range(81)}


def test_baselines():
    """ "tactical" beats "greedy", and this random play, from both seats."""
    for seat in range(2):
        assert kit.wins(ID, "tactical", seat, 200, "greedy") > 0.55
        assert kit.wins(ID, "greedy", seat, 200) > 0.8
