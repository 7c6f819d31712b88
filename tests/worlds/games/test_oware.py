"""Oware: OpenSpiel in lock-step, numbers of sequences, probes of the rules, levels, baselines."""

import kit
import numpy as np
import pytest
from expansion import histories

from envsuite.core.errors import SnapshotError
from envsuite.games.oware import QUIET, Oware, place_of
from envsuite.solvers.model import extract

ID = "envsuite/Oware-v0"


@pytest.mark.parametrize("houses, seeds", [(6, 4), (3, 2), (2, 1), (5, 6)])
def test_openspiel(houses, seeds):
    """Random games: movers, legal moves, seeds, captures, rewards and ends."""
    import pyspiel

    num = 60
    game = pyspiel.load_game(f"oware(num_houses_per_player={houses},num_seeds_per_house={seeds})")
    batch, rng = kit.started(ID, num, houses=houses, seeds=seeds), np.random.default_rng(houses)
    ends = set()
    for i, state, _ in kit.lock_step(batch, [game.new_initial_state() for _ in range(num)], rng):
        total = 2 * houses * seeds
        seen = np.rint(np.array(state.observation_tensor(0)) * total)
        observed = batch.world.observation(batch.record(i), 0)
        assert (seen == [*observed["houses"], *observed["captured"]]).all()
        if state.is_terminal():
            ends.add(tuple(state.returns()))
    assert len(ends) > 1


def test_sequences():
    """OpenSpiel's numbers of sequences of moves."""
    batch = kit.started(ID)
    counts, level = [], batch.records.copy()
    for _ in range(5):
        after = []
        for record in level:
            s = np.repeat(record[None], 1)
            batch.records[:] = s
            batch.observe()
            for action in np.flatnonzero(batch.masks[0].max(axis=0)):
                batch.records[:] = s
                batch.observe()
                batch.step(int(action))
                after.append(batch.records[0].copy())
        level = after
        counts.append(len(level))
    assert counts == [6, 36, 190, 1014, 5219]


def level(houses, captured, player=0):
    return {"houses": houses, "captured": captured, "player": player}


def test_captures_go_back():
    """Two and three are captured up to the first house with another number; a grand slam takes nothing."""
    batch = kit.started(ID, level=level([0, 0, 0, 0, 0, 4, 2, 1, 2, 1, 0, 5], [20, 13]))
    kit.act(batch, "house 6")
    assert batch.terminations.all() and batch.records["captured"][0].tolist() == [30, 18]  # the other keeps its five
    batch = kit.started(ID, level=level([1, 0, 0, 0, 0, 4, 2, 1, 2, 1, 0, 0], [22, 15]))
    kit.act(batch, "house 6")
    assert batch.records["houses"][0].tolist() == [1, 0, 0, 0, 0, 0, 3, 2, 3, 2, 0, 0] and not batch.over()[0]


def test_seeds_go_past_their_house():
    batch = kit.started(ID, level=level([0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 0, 1], [20, 14]))
    kit.act(batch, "house 3")
    assert batch.records["houses"][0].tolist() == [1, 1, 0, 2, 2, 1, 1, 1, 1, 1, 1, 2]


def test_the_other_must_have_seeds():
    batch = kit.started(ID, level=level([1, 3, 0, 0, 2, 0] + [0] * 6, [21, 21]))
    assert kit.legal(batch) == {"house 5"}
    batch = kit.started(ID, level=level([1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0], [22, 23]))
    kit.act(batch, "house 1", "house 1", "house 6", "house 2")
    assert not batch.over()[0]


def test_repetition_and_quiet():
    """A position that returns ends the game; so do 200 moves without a capture, each side keeping its own seeds."""
    batch = kit.started(ID, houses=2, seeds=1, level=level([1, 0, 1, 0], [1, 1]))
    while not batch.over()[0]:
        batch.step(int(np.flatnonzero(batch.masks[0].max(axis=0))[0]))
    assert batch.records["captured"][0].sum() == 4 and batch.records["t"][0] < QUIET
    batch = kit.started(ID)
    batch.records["quiet"] = QUIET - 1
    batch.records["past"] = np.arange(QUIET + 1)
    batch.records["past"][0, QUIET - 1] = place_of(batch.record().houses, 0)
    batch.step(0)
    assert batch.terminations.all() and batch.records["captured"][0].tolist() == [24, 24]


def test_numbers_of_positions():
    """All positions of small boards have numbers of their own."""
    found = {
        int(place_of(np.array([a, b, c, d]), player)) for a, b, c, d in np.ndindex(9, 9, 9, 9) for player in range(2)
    }
    assert len(found) == 2 * 9**4


def test_small_board():
    """The tree of the smallest game, by OpenSpiel and by the world's own model."""
    import pyspiel

    game = pyspiel.load_game("oware(num_houses_per_player=2,num_seeds_per_house=1)")
    todo, ended = [game.new_initial_state()], 0
    while todo:
        state = todo.pop()
        ended += state.is_terminal()
        todo += [state.child(action) for action in state.legal_actions()]
    _, ends, _ = histories(extract(Oware(houses=2, seeds=1)))
    assert sum(ends) == ended


def test_wrong_levels():
    start = [4] * 12
    kit.refuses(
        Oware(),
        (level(start[:-1], [0, 0]), "houses must be a list of 12 integers from 0 to 72"),
        (level([-1] + start[1:], [5, 0]), r"houses\[0\]=-1 must be an integer from 0 to 72"),
        (level(start, [1, 0]), "49 seeds instead of 48"),
        (level(start, [0, 0], 2), "player=2 must be an integer from 0 to 1"),
        (level([0] * 11 + [8], [20, 20], 0), "is over"),
        ({"houses": start}, "a level has 'houses', 'captured' and 'player', not 'houses'"),
    )


def test_records():
    batch = kit.started(ID)
    batch.records["houses"][0, 0] = 5
    with pytest.raises(SnapshotError, match="48 seeds"):
        batch.world.admit(batch.records)


def test_clicks():
    batch = kit.started(ID)
    assert kit.clicks(batch, 0) == kit.clicks(batch, 1) == {None, *range(6)}


def test_baselines():
    """ "careful" beats "greedy", and this random play, from both seats."""
    for seat in range(2):
        assert kit.wins(ID, "careful", seat, 200, "greedy") > 0.7
        assert kit.wins(ID, "greedy", seat, 200) > 0.8
