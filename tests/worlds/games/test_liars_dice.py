"""Liar's dice: lockstep with OpenSpiel and with slow rules, its trees and values, its baseline."""

from itertools import product

import kit
import numpy as np
import pytest

from envsuite.agents.games.liars_dice import chance_of_bid
from envsuite.core.record import as_views
from envsuite.games.liars_dice import LiarsDice
from envsuite.solvers.equilibria import zero_sum_nash
from envsuite.solvers.game_tree import Tree

ID = "envsuite/LiarsDice-v0"
GAMES = 1000


def tensor(observation):
    return np.concatenate([observation[name].ravel() for name in ("seat", "dice", "bids")]).tolist()


@pytest.mark.mostly_slow
@pytest.mark.parametrize(("dice", "sides"), [(1, 6), (1, 2), (3, 4), (5, 6)])
def test_equals_openspiel(dice, sides):
    """Random games with the same rolls: movers, legal actions, tensors of all, rewards and ends at every move."""
    import pyspiel

    rng = np.random.default_rng(dice)
    game = pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={sides})")
    states = [game.new_initial_state() for _ in range(GAMES)]
    rolls = rng.integers(1, sides + 1, (GAMES, 2, dice))
    # Half of the rolls are given, unsorted; the others are drawn.
    levels = [{"dice": rolls[i].tolist()} if i < GAMES // 2 else None for i in range(GAMES)]
    batch = kit.started(LiarsDice, GAMES, level=levels, dice=dice, sides=sides)
    rolls[GAMES // 2 :] = batch.records["faces"][GAMES // 2 :]
    for state, faces in zip(states, rolls):
        for face in faces.ravel():
            state.apply_action(int(face) - 1)

    def choose(i, state, actions):
        return actions[int(len(actions) * rng.random() ** 3)]  # mostly low bids: random games are short

    winners = np.zeros(2, int)
    for i, state, _ in kit.lock_step(batch, states, rng, choose):
        for k in range(2):
            assert tensor(batch.observations[i, k]) == state.information_state_tensor(k)
        if state.is_terminal():
            winners[int(batch.rewards[i, 1] > 0)] += 1
    assert winners.min() > 100


def test_more_players():
    """Three players against a slow implementation of the rules, because OpenSpiel has two players only."""
    players, dice, sides, num = 3, 2, 4, 300
    world = LiarsDice(players=players, dice=dice, sides=sides)
    rng = np.random.default_rng(0)
    batch = kit.started(world, num)
    bids = list(product(range(1, players * dice + 1), range(1, sides + 1)))
    outcomes = set()
    for i in range(num):
        rolls = batch.records["faces"][i].tolist()
        assert all(roll == sorted(roll) and set(roll) <= set(range(1, sides + 1)) for roll in rolls)
        made = []
        while True:
            mover = len(made) % players
            names = [f"bid {n} x {f}" for n, f in bids if not made or (n, f) > made[-1]] + ["liar"] * bool(made)
            for k in range(players):
                legal = [world.action_names[k][action] for action in np.flatnonzero(batch.masks[i, k])]
                assert legal == (names if k == mover else [])
                seen = batch.observations[i, k]
                assert seen["seat"].tolist() == [j == k for j in range(players)]
                assert (seen["dice"].argmax(axis=1) + 1).tolist() == rolls[k] and seen["dice"].sum() == dice
                assert [bids[b] for b in np.flatnonzero(seen["bids"])] == made
            name = names[-1] if made and rng.random() < 0.2 else names[int(len(names) * rng.random() ** 4)]
            batch.actions[i, mover] = world.action_names[mover].index(name)
            batch.step(where=np.arange(num) == i)
            if name == "liar":
                break
            made.append((int(name.split()[1]), int(name.split()[3])))
            assert not batch.terminations[i].any() and not batch.rewards[i].any()
        count, face = made[-1]
        true = sum(die in (face, sides) for roll in rolls for die in roll) >= count
        bidder, wanted = (mover - 1) % players, np.zeros(players)
        wanted[bidder], wanted[mover] = (1, -1) if true else (-1, 1)
        assert batch.rewards[i].tolist() == wanted.tolist() and batch.terminations[i].all()
        outcomes.add((mover, true))
    assert len(outcomes) == 2 * players


@pytest.mark.parametrize(
    ("bids", "rewards"),
    [
        (["bid 2 x 3", "bid 4 x 3"], [0, 1, -1]),  # one 3 and three wild 4s
        (["bid 2 x 3", "bid 5 x 3"], [0, -1, 1]),
        (["bid 3 x 4"], [1, -1, 0]),  # wild faces count once
        (["bid 4 x 4"], [-1, 1, 0]),
        (["bid 1 x 1", "bid 1 x 2", "bid 4 x 1"], [-1, 0, 1]),
    ],
)
def test_who_wins(bids, rewards):
    batch = kit.started(LiarsDice, level={"dice": [[1, 3], [2, 4], [4, 4]]}, players=3, dice=2, sides=4)
    assert "liar" not in kit.legal(batch)
    names = batch.world.action_names[0]
    for k, bid in enumerate(bids):
        assert kit.mover(batch) == k
        kit.act(batch, names.index(bid))
        assert kit.legal(batch) == set(names[names.index(bid) + 1 :])
    assert batch.observations["seat"][0].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert batch.observations["dice"][0, 1].tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]
    assert [names[k] for k in np.flatnonzero(batch.observations["bids"][0, 1])] == bids
    kit.act(batch, names.index("liar"))
    assert batch.over()[0] and batch.rewards[0].tolist() == rewards


def test_rolls_are_sorted():
    batch = kit.started(LiarsDice, 5, players=2, dice=3, sides=4)
    for agent in (0, 1):
        before = batch.records["faces"].copy()
        with np.errstate(over="ignore"):  # words wrap around, as in machine code
            for i in range(5):
                LiarsDice.guess(batch.record(i), agent)
        for faces in (before, batch.records["faces"]):
            assert set(faces.flat) == {1, 2, 3, 4} and (np.diff(faces.astype(int), axis=2) >= 0).all()
        assert (batch.records["faces"][:, agent] == before[:, agent]).all()  # a guess rolls the others' dice
        assert (batch.records["faces"][:, 1 - agent] != before[:, 1 - agent]).any()


#: Sides: decisions, ends, information sets, value of uniformly random play, its NashConv, value (OpenSpiel 2.0.2's
#: trees and NashConv; the values by von Stengel's linear program).
TREES = {
    2: (64, 60, 16, 1 / 8, 1.125, 1 / 2),
    3: (576, 567, 96, 1 / 54, 1.111111111111111, 1 / 9),
    4: (4096, 4080, 512, -1 / 64, 1.3101190476190476, 1 / 16),
    5: (25600, 25575, 2560, -0.028, 1.4417417989417993, 1 / 125),
}


@pytest.mark.mostly_slow
@pytest.mark.parametrize("sides", TREES)
def test_tree(sides):
    decisions, terminals, information_sets, uniform, nash_conv, value = TREES[sides]
    tree = Tree(LiarsDice(sides=sides))
    assert (tree.decisions, tree.terminals) == (decisions, terminals)
    assert tree.information_sets == [information_sets] * 2
    np.testing.assert_allclose(tree.values(tree.uniform()), [uniform, -uniform], atol=1e-12)
    assert tree.nash_conv(tree.uniform()) == pytest.approx(nash_conv, abs=1e-12)
    assert zero_sum_nash(tree)[0] == pytest.approx(value, abs=1e-9)


def test_random_play():
    """Six sides: -0.032407407 to the first player (OpenSpiel's tree), within 4 standard errors."""
    won = kit.played(ID, "random", 0, 100_000)
    assert abs(won[:, 0].mean() + 0.032407407) < 4 * won[:, 0].std() / 100_000**0.5


@pytest.mark.slow
def test_rolls_are_uniform():
    """Sorted rolls of three dice: each is as frequent as its number of orders among 27; chi-square within 1e-6."""
    batch = kit.started(LiarsDice(dice=3, sides=4), 40_000)
    faces = batch.records["faces"][:, 1]
    wanted = {}
    for roll in product(range(1, 5), repeat=3):
        wanted[tuple(sorted(roll))] = wanted.get(tuple(sorted(roll)), 0) + batch.num / 64
    found = {roll: int((faces == roll).all(axis=1).sum()) for roll in wanted}
    assert sum(found.values()) == batch.num
    # scipy.stats.chi2.isf(1e-6, 19) = 67.0
    assert sum((found[roll] - wanted[roll]) ** 2 / wanted[roll] for roll in wanted) < 67.0


@pytest.mark.slow
@pytest.mark.parametrize(("players", "params"), [(2, {}), (3, dict(dice=2, sides=4))])
def test_odds_beats_random(players, params):
    """It wins by more than half a game on average in every seat."""
    for seat in range(players):
        won = kit.played(ID, "odds", seat, 10_000, players=players, **params)
        assert not won.sum(axis=1).any()
        assert won[:, seat].mean() - 4 * won[:, seat].std() / 100 > (0.5 if players == 2 else 0.3)


@pytest.mark.parametrize(
    ("dice", "moves", "answer"),
    [
        ([[3], [1]], [], "bid 1 x 3"),  # certain
        ([[6], [1]], [], "bid 1 x 1"),  # a wild die counts as any face
        ([[2], [3]], ["bid 1 x 1"], "bid 1 x 3"),
        ([[2], [3]], ["bid 1 x 4"], "liar"),  # true with 1/3; 1 x 5 with 1/3, 2 x 3 with 1/3
        ([[2], [6]], ["bid 1 x 2"], "bid 1 x 3"),
        ([[2], [6]], ["bid 2 x 2"], "liar"),  # true with 1/3
        ([[2], [6]], ["bid 2 x 6"], "liar"),  # no bid is higher
    ],
)
def test_odds_choices(dice, moves, answer):
    assert kit.choices("odds", kit.act(kit.started(ID, level={"dice": dice}), *moves)) == {answer}


def test_odds_are_binomial():
    """The probability of a bid equals its share among all rolls of the others' dice."""
    batch = kit.started(LiarsDice, level={"dice": [[2, 4], [1, 1], [1, 1]]}, players=3, dice=2, sides=4)
    seen = as_views(batch.observations)[0, 0]
    others = list(product(range(1, 5), repeat=4))
    for bid in range(24):
        count, face = bid // 4 + 1, bid % 4 + 1
        true = [sum(die in (face, 4) for die in (2, 4, *roll)) >= count for roll in others]
        assert chance_of_bid(seen, bid) == pytest.approx(np.mean(true), abs=1e-12)


def test_level_round_trip():
    batch = kit.started(LiarsDice, level={"dice": [[3, 1, 2], [4, 4, 1]]}, dice=3, sides=4)
    assert batch.world.get_level(batch.record()) == {"dice": [[1, 2, 3], [1, 4, 4]]}


def test_wrong_levels():
    kit.refuses(
        LiarsDice(),
        ({"dice": [[1]]}, "dice must be 2 lists of 1 integer from 1 to 6"),
        ({"dice": [[1], [1, 2]]}, "dice must be 2 lists of 1 integer from 1 to 6"),
        ({"dice": [[1], [7]]}, r"dice\[1\]\[0\]=7 must be an integer from 1 to 6"),
        ({"dice": [[0], [1]]}, r"dice\[0\]\[0\]=0 must be an integer from 1 to 6"),
        ({"dice": [[0.5], [1]]}, r"dice\[0\]\[0\]=0.5 must be an integer from 1 to 6"),
        ({"dice": [[True], [1]]}, r"dice\[0\]\[0\]=True must be an integer from 1 to 6"),
        ({"dice": 3}, "dice must be 2 lists of 1 integer from 1 to 6"),
        ({"rolls": [[1], [1]]}, "a level has 'dice', not 'rolls'"),
    )


def test_text_and_scene():
    """Rolls that differ only in the other's die look the same until the call; clicks make bids and the call."""
    texts, scenes = [], []
    for face in (1, 5):
        batch = kit.act(kit.started(LiarsDice, level={"dice": [[3], [face]]}), 2, 7)
        world, s = batch.world, batch.record()
        texts.append(world.text(s, 0))
        scenes.append(world.scene(s, 0).shapes)
        assert world.scene(s).shapes != scenes[-1]
        batch.step(12)
        assert world.scene(s, 0).shapes == world.scene(s).shapes
        assert "player_0 calls liar: player_0 wins, player_1 loses." in world.text(s, 1)
    assert texts[0] == texts[1] and scenes[0] == scenes[1]
    assert "You rolled 3." in texts[0] and "player_1 bids 2 x 2." in texts[0]

    batch.start()
    assert kit.clicks(batch, 0) == {None, *range(13)}
    (button,) = [shape for shape in world.scene(s).shapes if getattr(shape, "text", "") == "liar"]
    assert world.click(s, 0, button.x, button.y) == 12
