"""Hex: whole trees, in lock step with OpenSpiel, solved openings, the swap, random play, levels, baseline."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python.observation import make_observation

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.evaluation.matches import play
from envsuite.games.hex import Hex, center, winning_chain
from envsuite.kit.board import pieces
from envsuite.registry import build
from envsuite.render.scene import Line

ID = "envsuite/Hex-v0"

# Histories, and games that are over, by ply; games won by the first and the second player (OpenSpiel 2.0).
TREES = {
    2: ([1, 4, 12, 24, 12], [0, 0, 0, 12, 12], (12, 12)),
    3: (
        [1, 9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960],
        [0, 0, 0, 0, 0, 1440, 5760, 43200, 86400, 120960],
        (165600, 92160),
    ),
}

# First moves with which the first player wins, row by row (solved exhaustively by a program of ours in C; two, five and
# four of them on 2 x 2, 3 x 3 and 4 x 4).
OPENINGS = {2: [0, 1, 1, 0], 3: [0, 0, 1, 1, 1, 1, 1, 0, 0]}


def successors(world, records):
    """The records after each legal move of each of these, and the numbers of those that they follow."""
    children, parents = [], []
    batch = Batch(world, 4096)
    for first in range(0, len(records), 4096):
        chunk = records[first : first + 4096]
        for action in range(world.num_actions):
            batch.records[: len(chunk)] = chunk
            batch.observe(slice(len(chunk)))
            fits = np.flatnonzero(batch.masks[: len(chunk), :, action].any(axis=1))
            batch.step(action, fits)
            children.append(batch.records[fits])
            parents.append(first + fits)
    return np.concatenate(children), np.concatenate(parents)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("size", [2, 3])
def test_tree(size):
    """All histories, counted by position: a position that is reached in several orders counts so often."""
    world = Hex(size=size, swap=False)
    batch = Batch(world, 1)
    batch.start()
    records, ways = batch.records.copy(), np.ones(1, np.int64)
    levels, histories, ended, wins = [], [], [], np.zeros(2, np.int64)
    while True:
        over = records["terminated"][:, 0] == 1
        histories.append(int(ways.sum()))
        ended.append(int(ways[over].sum()))
        for player in range(2):
            wins[player] += ways[over & (records["player"] != player)].sum()
        parents = np.flatnonzero(~over)
        if not len(parents):
            levels.append((over, [], []))
            break
        children, of = successors(world, records[parents])
        of = parents[of]
        boards, first, same = np.unique(children["board"], axis=0, return_index=True, return_inverse=True)
        levels.append((over, of, same.reshape(-1)))
        ways = np.bincount(same.reshape(-1), weights=ways[of], minlength=len(boards)).astype(np.int64)
        records = children[first]
    assert (histories, ended, tuple(wins)) == TREES[size]
    # Backward: whether the player to move wins.
    value = np.zeros(0, bool)
    for over, of, same in reversed(levels):
        if len(over) == 1:  # the empty board, whose successors are in the order of actions
            assert (~value[same]).astype(int).tolist() == OPENINGS[size]
        wins_here = np.zeros(len(over), bool)
        np.logical_or.at(wins_here, of, ~value[same])
        value = wins_here
    assert value.tolist() == [True]


def poisoned(world, num):
    """A batch whose records hold garbage before their first episode."""
    batch = Batch(world, num)
    batch.records.view(np.uint8)[:] = 0x55
    world.fill(batch.records)
    batch.records["level_given"] = 0
    return batch


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("size", "swap", "num"), [(5, False, 1000), (11, False, 1000), (11, True, 300)], ids=["5", "11", "11 swap"]
)
def test_equals_openspiel(size, swap, num):
    """Random games: mover, legal actions, rewards, ends and both players' planes at every move."""
    game = pyspiel.load_game("hex", {"board_size": size, "swap": swap, "plain_obs_tensor": True})
    observation = make_observation(game)
    rng = np.random.default_rng(1)
    batch = poisoned(Hex(size=size, swap=swap), num)
    batch.start()
    states = [game.new_initial_state() for _ in range(num)]
    running = np.ones(num, bool)
    results, plies = set(), 0
    while running.any():
        theirs = np.zeros((num, size * size + swap), np.int8)
        planes = np.zeros((num, 3, size, size), np.float32)
        for i in np.flatnonzero(running):
            assert states[i].current_player() == plies % 2
            theirs[i, states[i].legal_actions()] = 1
            observation.set_from(states[i], 0)
            planes[i] = observation.tensor.reshape(3, size, size)
        assert (batch.masks[:, plies % 2] == theirs).all() and not batch.masks[:, 1 - plies % 2].any()
        for agent in range(2):
            seen = batch.observations[running, agent]
            assert (seen[..., 0] == planes[running, agent]).all()
            assert (seen[..., 1] == planes[running, 1 - agent]).all()
            assert (seen[..., 2] == agent).all()
        likely = rng.random(theirs.shape) * theirs
        if swap and plies == 1:
            likely[: num // 2, -1] *= 1000.0  # half of the games with a swap
        choices = likely.argmax(axis=1)
        batch.actions[:] = choices[:, None]
        for i in np.flatnonzero(running):
            states[i].apply_action(int(choices[i]))
        batch.step(where=running)
        plies += 1
        for i in np.flatnonzero(running):
            over = states[i].is_terminal()
            assert batch.terminations[i].tolist() == [over, over] and not batch.truncations[i].any()
            assert batch.rewards[i].tolist() == states[i].returns()
            if over:
                board = pieces(batch.record(i))
                owner = 1 + int(batch.rewards[i, 1] > 0)
                chain = winning_chain(board, owner)
                assert chain and not winning_chain(board, 3 - owner) and all(board[cell] == owner for cell in chain)
                results.add(owner)
        running = ~batch.over()
    assert results == {1, 2}


def moves(world, *names):
    """A batch of one record after these moves."""
    batch = Batch(world, 1)
    batch.start(levels={"moves": list(names)})
    return batch


def test_swap_by_hand():
    world = Hex(size=3)
    batch = moves(world, "a2")
    assert world.action_names[1][-1] == "swap" and batch.masks[0, 1].tolist() == [1, 1, 1, 0, 1, 1, 1, 1, 1, 1]
    batch.step(9)
    # The stone of the first player in row 1, column 0 has become one of the second player in row 0, column 1.
    assert pieces(batch.record()).tolist() == [[0, 2, 0], [0, 0, 0], [0, 0, 0]]
    assert batch.masks[0, 0].tolist() == [1, 0, 1, 1, 1, 1, 1, 1, 1, 0] and not batch.masks[0, 1].any()
    # One on the long diagonal stays where it is and becomes the second player's.
    assert pieces(moves(world, "b2", "swap").record())[1, 1] == 2
    # The swap is for the second move only.
    for played in ((), ("a1", "a2"), ("a1", "a2", "a3"), ("a1", "swap")):
        assert not moves(world, *played).masks[0, :, 9].any()


def test_swap_exchanges_the_seats():
    """After a swap the game is the one without it, mirrored at the long diagonal and with the seats exchanged."""
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


# OpenSpiel's uniformly random games, by board size: how many, the first player's share, plies and their standard error.
RANDOM_PLAY = {5: (10000, 0.5732, 21.23, 0.031), 11: (3000, 0.529, 107.512, 0.193)}


@pytest.mark.parametrize("size", sorted(RANDOM_PLAY))
def test_random_play(size):
    """Within 4 standard errors of OpenSpiel's random games; the second player wins all others."""
    num = 10000
    games, share, plies, error = RANDOM_PLAY[size]
    result, lengths = play(build(ID, {"size": size, "swap": False}), ["random", "random"], num)
    assert (np.sort(result, axis=1) == [-1, 1]).all()
    assert abs((result[:, 0] == 1).mean() - share) < 4 * (share * (1 - share) * (1 / num + 1 / games)) ** 0.5
    assert abs(lengths.mean() - plies) < 4 * (lengths.var() / num + error**2) ** 0.5


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("params", [{}, dict(size=5, swap=False)], ids=["11 swap", "5"])
def test_shortest_beats_random(seat, params):
    """In more than 97 of 100 games, from both seats."""
    names = ["shortest" if k == seat else "random" for k in range(2)]
    result, _ = play(build(ID, params), names, 100 if not params else 1000)
    assert (result[:, seat] == 1).mean() > 0.97


@pytest.mark.parametrize(
    ("played", "answers"),
    [
        ([], None),  # a cell of the border, since it could be swapped
        (["f6"], {"swap"}),
        ([name for r in range(2, 12) for name in (f"f{r}", f"a{r}")], {"f1", "g1"}),  # to win
        # to block: the second player has a4 .. e4 and g4 .. k4, and f4 is missing; the first player is far from that
        (["a1", "a4", "k1", "b4", "a11", "c4", "k11", "d4", "f1", "e4", "f11", "g4",
          "d1", "h4", "d11", "i4", "h1", "j4", "h11", "k4"], {"f4"}),
    ],
    ids=["opening", "swap", "win", "block"],
)  # fmt: skip
def test_shortest_choices(played, answers):
    world = build(ID)
    batch = moves(world, *played)
    policy = make_policy("shortest", world)
    policy.reset(0, 1)
    mover = len(played) % 2
    chosen = world.action_names[0][policy.act(batch.observations[0, mover], batch.masks[0, mover], mover)]
    if answers is None:
        assert chosen[0] in "ak" or chosen[1:] in ("1", "11")
    else:
        assert chosen in answers


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["l1"], "move 0 of the level, 'l1', is not a move of this game"),
        ([0], "move 0 of the level, 0, is not a move"),
        (["a1", "a1"], "move 1 of the level, 'a1', is illegal"),
        (["swap"], "move 0 of the level, 'swap', is illegal"),
        (["a1", "a2", "swap"], "move 2 of the level, 'swap', is illegal"),
        ([f"{c}{r}" for r in range(1, 12) for c in "ab"], "is over after 21 moves"),
        ([f"{c}{r}" for r in range(1, 12) for c in "ab"][:-1], "is over after 21 moves"),
        (None, "cannot be read"),
    ],
)
def test_wrong_levels(names, message):
    with pytest.raises(LevelError, match=message):
        Batch(Hex(), 1).set_level(0, {"moves": names})


def test_text_scene_and_click():
    world = Hex(size=3)
    batch = moves(world, "a1")
    s = batch.record()
    assert world.text(s, 0).splitlines()[1:4] == [" 1 X . .", "  2 . . .", "   3 . . ."]
    assert "You may swap" in world.text(s, 1) and "It may swap" in world.text(s, 0)
    for r in range(3):
        for c in range(3):
            assert world.click(s, 1, *center(r, c)) == 3 * r + c
    scene = world.scene(s)
    assert world.click(s, 1, scene.width - 1, 0.7) == 9
    assert world.click(s, 1, 0.1, 0.1) is None
    batch = moves(world, "a1", "b1", "a2", "b2")
    batch.step(6)
    assert "You have won" in world.text(batch.record(), 0) and "You have lost" in world.text(batch.record(), 1)
    wanted = [center(2, 0), center(1, 0), center(0, 0)]
    assert any(isinstance(shape, Line) and shape.points == wanted for shape in world.scene(batch.record()).shapes)
    plain = Hex(size=3, swap=False)
    assert plain.click(moves(plain).record(), 1, scene.width - 1, 0.7) is None
