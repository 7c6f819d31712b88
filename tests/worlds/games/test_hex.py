"""Hex: whole trees, lockstep with OpenSpiel, solved openings, the swap, random play, levels, baseline."""

import kit
import numpy as np
import pytest
from expansion import children, histories

from envsuite.core.batch import Batch
from envsuite.evaluation.matches import play
from envsuite.games.hex import Hex, center, winning_chain
from envsuite.kit.board import pieces
from envsuite.registry import build
from envsuite.render.scene import Line
from envsuite.solvers.model import extract
from envsuite.solvers.planning import value_iteration

ID = "envsuite/Hex-v0"

# Histories and complete games by ply; games won by the first and the second player (OpenSpiel 2.0).
TREES = {
    2: ([1, 4, 12, 24, 12], [0, 0, 0, 12, 12], (12, 12)),
    3: (
        [1, 9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960],
        [0, 0, 0, 0, 0, 1440, 5760, 43200, 86400, 120960],
        (165600, 92160),
    ),
}

# Winning first moves, row by row (solved exhaustively by our own program in C: two, five and four of them on 2 x 2,
# 3 x 3 and 4 x 4).
OPENINGS = {2: [0, 1, 1, 0], 3: [0, 0, 1, 1, 1, 1, 1, 0, 0]}


@pytest.mark.mostly_slow
@pytest.mark.parametrize("size", [2, 3])
def test_tree(size):
    """All histories, counted by position, and the first moves that win."""
    model = extract(Hex(size=size, swap=False), ignore=["last", "parent", "sides"])
    counts, ended, games = histories(model)
    assert (counts, ended, (games[1.0], games[-1.0])) == TREES[size]
    assert (value_iteration(model).values[children(model)[: size**2], 0] == 1).astype(int).tolist() == OPENINGS[size]


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("size", "swap", "num"), [(5, False, 1000), (11, False, 1000), (11, True, 300)], ids=["5", "11", "11 swap"]
)
def test_equals_openspiel(size, swap, num):
    """Random games: mover, legal actions, rewards, ends and both players' planes at every move."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("hex", {"board_size": size, "swap": swap, "plain_obs_tensor": True})
    observation = make_observation(game)
    rng = np.random.default_rng(1)
    batch = kit.started(Hex, num, size=size, swap=swap)
    states, results = [game.new_initial_state() for _ in range(num)], set()

    def choose(i, state, actions):
        swaps = swap and i < num // 2 and len(state.history()) == 1  # half of the games have a swap
        return actions[-1] if swaps else rng.choice(actions)

    for i, state, _ in kit.lock_step(batch, states, rng, choose):
        observation.set_from(state, 0)
        planes = observation.tensor.reshape(3, size, size)
        for agent in range(2):
            seen = batch.observations[i, agent]
            assert (seen[..., 0] == planes[agent]).all() and (seen[..., 1] == planes[1 - agent]).all()
            assert (seen[..., 2] == agent).all()
        if state.is_terminal():
            board = pieces(batch.record(i))
            owner = 1 + int(batch.rewards[i, 1] > 0)
            chain = winning_chain(board, owner)
            assert chain and not winning_chain(board, 3 - owner) and all(board[cell] == owner for cell in chain)
            results.add(owner)
    assert results == {1, 2}


def test_swap_by_hand():
    world = Hex(size=3)
    batch = kit.opened(world, "a2")
    assert world.action_names[1][-1] == "swap" and batch.masks[0, 1].tolist() == [1, 1, 1, 0, 1, 1, 1, 1, 1, 1]
    batch.step(9)
    # The stone of the first player in row 1, column 0 has become one of the second player in row 0, column 1.
    assert pieces(batch.record()).tolist() == [[0, 2, 0], [0, 0, 0], [0, 0, 0]]
    assert batch.masks[0, 0].tolist() == [1, 0, 1, 1, 1, 1, 1, 1, 1, 0] and not batch.masks[0, 1].any()
    for agent in range(2):  # own stones, the other's, the sides to connect
        wanted = np.zeros((3, 3, 3), int)
        wanted[0, 1, 1 - agent], wanted[..., 2] = 1, agent
        assert (batch.observations[0, agent] == wanted).all()
    # A stone on the long diagonal stays in its place and becomes the second player's.
    assert pieces(kit.opened(world, "b2", "swap").record())[1, 1] == 2
    # The swap is legal only as the second move.
    for played in ((), ("a1", "a2"), ("a1", "a2", "a3"), ("a1", "swap")):
        assert not kit.opened(world, *played).masks[0, :, 9].any()


@pytest.mark.parametrize(
    ("moves", "winner"),
    [
        (["b1", "a1", "b3", "c3", "b2"], 0),  # the last stone joins those above and below it
        (["c1", "a1", "a3", "c3", "b2"], 0),  # up and to the right, down and to the left
        (["a1", "a2", "c3", "c2", "b1", "b2"], 1),  # left and right
        (["a1", "c1", "c3", "a3", "b2"], None),  # not up and to the left
        (["b1", "a2", "b3", "c2", "a1"], None),
    ],
)
def test_who_connects(moves, winner):
    batch = kit.act(kit.started(Hex, size=3), *moves)
    assert batch.over()[0] == (winner is not None) and batch.record().won == (winner is not None)
    assert batch.rewards[0].tolist() == {0: [1, -1], 1: [-1, 1], None: [0, 0]}[winner]
    assert batch.record().terminated.tolist() == [winner is not None] * 2
    batch.start()
    assert not batch.record().won and not batch.observations[0, 0].any()


def test_swap_exchanges_the_seats():
    """A game after a swap equals the game without it, mirrored at the long diagonal, with the seats exchanged."""
    rng = np.random.default_rng(3)
    num, size = 100, 5
    world = Hex(size=size)
    swapped, plain = Batch(world, num), Batch(world, num)
    mirror = np.arange(size * size).reshape(size, size).T.reshape(-1)
    for batch in (swapped, plain):
        batch.start()
        batch.actions[:, 0] = np.arange(num) % (size * size)
        batch.step()
    swapped.actions[:, 1] = size * size
    swapped.step()
    while True:
        for agent in range(2):
            seen = swapped.observations[:, agent].transpose(0, 2, 1, 3)[..., :2]
            assert (seen == plain.observations[:, 1 - agent, ..., :2]).all()
        assert (swapped.rewards == plain.rewards[:, ::-1]).all()
        assert (swapped.over() == plain.over()).all()
        running = ~swapped.over()
        if not running.any():
            break
        free = swapped.masks.max(axis=1)[:, :-1]
        choices = (rng.random(free.shape) * free).argmax(axis=1)
        swapped.actions[:] = choices[:, None]
        plain.actions[:] = mirror[choices][:, None]
        for batch in (swapped, plain):
            batch.step(where=running)


# OpenSpiel's random games by board size: number of games, the first player's share, plies and their standard error.
RANDOM_PLAY = {5: (10000, 0.5732, 21.23, 0.031), 11: (3000, 0.529, 107.512, 0.193)}


@pytest.mark.slow
@pytest.mark.parametrize("size", sorted(RANDOM_PLAY))
def test_random_play(size):
    """Within 4 standard errors of OpenSpiel's random games; the second player wins the others."""
    num = 10000
    games, share, plies, error = RANDOM_PLAY[size]
    result, lengths = play(build(ID, {"size": size, "swap": False}), ["random", "random"], num)
    assert (np.sort(result, axis=1) == [-1, 1]).all()
    assert abs((result[:, 0] == 1).mean() - share) < 4 * (share * (1 - share) * (1 / num + 1 / games)) ** 0.5
    assert abs(lengths.mean() - plies) < 4 * (lengths.var() / num + error**2) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("params", [{}, dict(size=5, swap=False)], ids=["11 swap", "5"])
def test_shortest_beats_random(seat, params):
    """It wins more than 97 of 100 games from both seats."""
    assert kit.wins(ID, "shortest", seat, 1000 if params else 100, **params) > 0.97


@pytest.mark.parametrize(
    ("played", "answers"),
    [
        # a cell on the border, because of the swap
        ([], {f"{c}{r}" for c in "abcdefghijk" for r in range(1, 12) if c in "ak" or r in (1, 11)}),
        (["f6"], {"swap"}),
        ([name for r in range(2, 12) for name in (f"f{r}", f"a{r}")], {"f1", "g1"}),  # to win
        # to block: the second player has a4 .. e4 and g4 .. k4 but not f4; the first player is far from a win
        (["a1", "a4", "k1", "b4", "a11", "c4", "k11", "d4", "f1", "e4", "f11", "g4",
          "d1", "h4", "d11", "i4", "h1", "j4", "h11", "k4"], {"f4"}),
    ],
    ids=["opening", "swap", "win", "block"],
)  # fmt: skip
def test_shortest_choices(played, answers):
    assert kit.choices("shortest", kit.opened(ID, *played)) <= answers


def test_wrong_levels():
    most = [f"{c}{r}" for r in range(1, 12) for c in "ab"]
    kit.refuses(
        Hex(),
        ({"moves": ["l1"]}, "move 0 of the level, 'l1', is not a move of this game"),
        ({"moves": [0]}, "move 0 of the level, 0, is not a move"),
        ({"moves": ["a1", "a1"]}, "move 1 of the level, 'a1', is illegal"),
        ({"moves": ["swap"]}, "move 0 of the level, 'swap', is illegal"),
        ({"moves": ["a1", "a2", "swap"]}, "move 2 of the level, 'swap', is illegal"),
        ({"moves": most}, "is over after 21 moves"),
        ({"moves": most[:-1]}, "is over after 21 moves"),
        ({"moves": None}, "cannot be read"),
    )


def test_the_next_game_has_no_moves_of_a_level():
    batch = kit.opened(Hex(size=3), "a2", "swap", "c3")
    assert batch.world.get_level(batch.record()) == {"moves": ["a2", "swap", "c3"]}
    batch.start()
    s = batch.record()
    assert batch.world.get_level(s) == {"moves": []} and (s.player, s.moves, s.last) == (0, 0, -1)
    assert batch.masks[0, 0].tolist() == [1] * 9 + [0] and not batch.observations[0, :, :, :, :2].any()


def test_text_scene_and_click():
    world = Hex(size=3)
    batch = kit.opened(world, "a1")
    s = batch.record()
    assert world.text(s, 0).splitlines()[1:4] == [" 1 X . .", "  2 . . .", "   3 . . ."]
    assert "You may swap" in world.text(s, 1) and "It may swap" in world.text(s, 0)
    for r in range(3):
        for c in range(3):
            assert world.click(s, 1, *center(r, c)) == 3 * r + c
    scene = world.scene(s)
    assert world.click(s, 1, scene.width - 1, 0.7) == 9
    assert world.click(s, 1, 0.1, 0.1) is None
    batch = kit.opened(world, "a1", "b1", "a2", "b2")
    batch.step(6)
    assert "You have won" in world.text(batch.record(), 0) and "You have lost" in world.text(batch.record(), 1)
    wanted = [center(2, 0), center(1, 0), center(0, 0)]
    assert any(isinstance(shape, Line) and shape.points == wanted for shape in world.scene(batch.record()).shapes)
    plain = Hex(size=3, swap=False)
    assert plain.click(kit.opened(plain).record(), 1, scene.width - 1, 0.7) is None
