"""NineMensMorris: OpenSpiel in lock-step, numbers of sequences, probes of the rules, levels, baselines."""

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.games.nine_mens_morris import BESIDE, NAMES, TURNS, NineMensMorris

ID = "envsuite/NineMensMorris-v0"


def closing(i, state, actions):
    """An action that makes a mill, if one of a few does: so games have captures, flying men and ends."""
    for action in actions[: 12 if len(actions) < 30 else 4]:
        if state.child(action).current_player() == state.current_player():
            return action
    return actions[(7 * i + len(state.history())) % len(actions)]


@pytest.mark.parametrize("choose", [None, closing], ids=["random", "mills"])
def test_openspiel(choose):
    """Games: movers, legal actions, men, rewards and ends."""
    import pyspiel

    num = 25
    game, rng = pyspiel.load_game("nine_mens_morris"), np.random.default_rng(5)
    batch, ends = kit.started(ID, num), set()
    for i, state, _ in kit.lock_step(batch, [game.new_initial_state() for _ in range(num)], rng, choose):
        words = str(state).splitlines()
        s = batch.record(i)
        board = "".join(words[:13]).replace("|", "").replace("-", "").replace(" ", "")
        assert board == "".join(".WB"[k] for k in s.points)
        assert f"Turn number: {s.turn}" in words and f"Num men: {s.men[0]} {s.men[1]}" in words
        assert f"Men to deploy: {s.hand[0]} {s.hand[1]}" in words
        if state.is_terminal():
            ends.add(tuple(state.returns()))
    assert ends == {(0, 0), (1, -1), (-1, 1)}


def test_neighbours():
    """64 steps along lines, both ways; four points have four neighbours."""
    counts = (BESIDE >= 0).sum(axis=1)
    assert counts.sum() == 64 and sorted(counts) == [2] * 12 + [3] * 8 + [4] * 4
    assert all(p in BESIDE[q] for p in range(24) for q in BESIDE[p] if q >= 0)


def test_sequences():
    """OpenSpiel's numbers of sequences of actions: mills come with the fifth."""
    batch, counts, level = kit.started(ID), [], [()]
    for _ in range(2):
        after = []
        for moves in level:
            batch.start(0)
            kit.act(batch, *moves)
            after += [(*moves, int(k)) for k in np.flatnonzero(batch.masks[0].max(axis=0))]
        level = after
        counts.append(len(level))
    assert counts == [24, 552]


def test_taking():
    batch = kit.opened(ID, "a7", "a1", "d7", "d1", "g7")
    assert batch.records["take"][0] == 1 and kit.mover(batch) == 0 and kit.legal(batch) == {"a1", "d1"}
    kit.act(batch, "d1")
    assert kit.mover(batch) == 1 and batch.records["men"][0].tolist() == [9, 8]
    kit.act(batch, "d1", "a4", "g1")  # a mill of the second player: the first's man outside its mill is taken
    assert kit.mover(batch) == 1 and kit.legal(batch) == {"a4"}


def test_draw_by_turns():
    batch = kit.started(ID)
    batch.records["turn"] = TURNS - 1
    batch.step(0)
    assert batch.terminations.all() and batch.rewards[0].tolist() == [0, 0]
    assert "It is a draw." in batch.world.text(batch.record(), 0)


def test_levels_and_records():
    batch = kit.started(ID)
    kit.refuses(
        batch.world,
        ({"moves": ["a2"]}, "'a2', is not a move"),
        ({"moves": ["a7", "a7"]}, "'a7', is illegal"),
        ({"moves": None}, "cannot be read"),
    )
    batch.records["points"][0, 0] = 1
    with pytest.raises(SnapshotError, match="men on the board"):
        batch.world.admit(batch.records)


def test_clicks_and_drags():
    batch = kit.started(ID)
    assert kit.clicks(batch, 0) == {None, *range(24)}
    world = batch.world
    drag = world.drag(batch.record(), 0, (1.2, 0.7), (4.2, 0.7))
    assert world.action_names[0][drag] == "a7-d7"
    assert len(NAMES) == 24 and isinstance(world, NineMensMorris)


def test_baselines():
    """ "blocker" beats "miller", and this random play, from both seats."""
    for seat in range(2):
        assert kit.played(ID, "blocker", seat, 200, "miller")[:, seat].mean() > 0.3
        assert kit.wins(ID, "miller", seat, 200) > 0.9
