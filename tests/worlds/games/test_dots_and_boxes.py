"""DotsAndBoxes: OpenSpiel in lock-step, exact values of small boards, levels, clicks, baselines."""

from functools import cache

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.registry import build
from envsuite.solvers.model import extract
from envsuite.solvers.planning import value_iteration

ID = "envsuite/DotsAndBoxes-v0"

#: The lead of the first player with perfect play, by rows and columns.
VALUES = {(1, 1): -1, (1, 2): 0, (1, 3): -1, (2, 2): 2}


@pytest.mark.parametrize("rows, columns, margin", [(2, 2, False), (3, 3, False), (2, 4, True), (9, 9, True)])
def test_openspiel(rows, columns, margin):
    """Random games: movers, legal moves, boxes, rewards and ends."""
    import pyspiel

    num = 2 if rows == 9 else 30
    given = f"num_rows={rows},num_cols={columns},utility_margin={margin}".lower()
    game, rng = pyspiel.load_game(f"dots_and_boxes({given})"), np.random.default_rng(rows)
    batch = kit.started(ID, num, rows=rows, columns=columns, margin=margin)
    states = [game.new_initial_state() for _ in range(num)]
    for i, state, _ in kit.lock_step(batch, states, rng):
        cells = np.array(state.observation_tensor(0)).reshape(3, rows + 1, columns + 1, 3).argmax(axis=0)
        assert (cells[:rows, :columns, 2] == batch.records["owner"][i]).all()  # 0 free, 1 and 2 the players'
        seen = batch.world.observation(batch.record(i), 0)
        assert ((cells[:, :columns, 0] > 0) == seen["horizontal"]).all()
        assert ((cells[:rows, :, 1] > 0) == seen["vertical"]).all()


def lead(rows, columns):
    """The lead of the player to move with perfect play: a second implementation, over sets of drawn lines."""
    across = {(row, column): k for k, (row, column) in enumerate(np.ndindex(rows + 1, columns))}
    down = {(row, column): len(across) + k for k, (row, column) in enumerate(np.ndindex(rows, columns + 1))}
    boxes = [
        1 << across[r, c] | 1 << across[r + 1, c] | 1 << down[r, c] | 1 << down[r, c + 1]
        for r, c in np.ndindex(rows, columns)
    ]
    lines = len(across) + len(down)

    @cache
    def value(drawn):
        best = None
        for line in range(lines):
            if not drawn >> line & 1:
                after = drawn | 1 << line
                closed = sum(after & box == box and drawn & box != box for box in boxes)
                found = closed + value(after) if closed else -value(after)
                best = found if best is None else max(best, found)
        return best or 0

    return value(0)


@pytest.mark.parametrize("shape", VALUES)
def test_values(shape):
    """By the second implementation, and on the smallest boards by the world's own tree."""
    assert lead(*shape) == VALUES[shape]
    if shape < (2, 2):
        model = extract(build(ID, dict(zip(("rows", "columns"), shape), margin=True)))
        assert value_iteration(model).values[0, 0] == VALUES[shape]


def test_two_boxes_by_one_line():
    """Both boxes are the player's, who moves again; the lead is paid with `margin`."""
    batch = kit.started(ID, rows=1, columns=2, level={"moves": ["h0,0", "h0,1", "h1,0", "h1,1", "v0,0", "v0,2"]},
                        margin=True)  # fmt: skip
    assert kit.legal(batch) == {"v0,1"} and kit.mover(batch) == 0
    kit.act(batch, "v0,1")
    assert batch.records["owner"][0].tolist() == [[1, 1]] and batch.rewards[0].tolist() == [2, -2]
    text = batch.world.text(batch.record(), 1)
    assert "+---+---+\n| 0 | 0 |\n+---+---+" in text and "You have lost." in text


def test_who_closes_a_box_moves_again():
    batch = kit.started(ID, level={"moves": ["h0,0", "h1,0", "v0,0"]})
    assert kit.mover(batch) == 1
    kit.act(batch, "v0,1")
    assert kit.mover(batch) == 1 and batch.records["owner"][0, 0, 0] == 2
    assert batch.observations["boxes"][0, :, 0, 0].tolist() == [2, 1]


def test_levels_and_records():
    batch = kit.started(ID)
    kit.refuses(batch.world, ({"moves": ["h9,9"]}, "h9,9"), ({"moves": ["h0,0", "h0,0"]}, "h0,0"))
    batch.records["owner"][0, 0, 0] = 1
    with pytest.raises(SnapshotError, match="a box has an owner and an open side"):
        batch.world.admit(batch.records)


def test_clicks_reach_all_lines():
    batch = kit.started(ID, rows=2, columns=3)
    assert kit.clicks(batch, 0, 0.25, 0.25) == {None, *range(17)}


def test_baselines():
    """ "careful" beats "taker", and this random play, from both seats."""
    for seat in range(2):
        assert kit.wins(ID, "careful", seat, 200, "taker") > 0.7
        assert kit.wins(ID, "taker", seat, 200) > 0.8
