"""Levels that are lists of moves, for all games that have them."""

import pytest

from envsuite.core.batch import Batch
from envsuite.registry import build

LEVELS = [
    ("TicTacToe", ["b2", "a1", "c3"]),
    ("ConnectFour", [3, 3, 4, 4, 2]),
    ("Hex", ["a2", "swap", "f6", "f7"]),
    ("Go", ["c3", "pass", "j9", "h9", "e5"]),
]


@pytest.mark.parametrize(("name", "moves"), LEVELS)
def test_level(name, moves):
    """A level is the game after its moves; the next episode starts from the empty board again."""
    world = build(f"envsuite/{name}-v0")
    played, given = Batch(world, 1), Batch(world, 1)
    played.start()
    start = played.observations.copy(), played.masks.copy()
    for move in moves:
        played.step(move if isinstance(move, int) else world.action_names[0].index(move))
    given.start(levels={"moves": moves})
    assert (given.observations == played.observations).all() and (given.masks == played.masks).all()
    assert world.get_level(given.record()) == {"moves": moves}
    given.start()
    assert (given.observations == start[0]).all() and (given.masks == start[1]).all()
    assert world.get_level(given.record()) == {"moves": []}
