"""TreeDebate: all small trees by enumeration, closed forms of the root and of a random prover, baselines, levels."""

from collections import Counter
from fractions import Fraction
from itertools import product

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.chance import Explorer
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.games.tree_debate import View, chances
from envsuite.generators import generate_many
from envsuite.registry import build
from envsuite.solvers.game_tree import Tree

ID = "envsuite/TreeDebate-v0"
PROVER, REFUTER = range(2)


def truth(leaves, branching):
    """The truth of the root: from the leaves up, all children of a refuter's node, any child of a prover's node."""
    nodes, everyone = np.asarray(leaves), True
    while nodes.shape[-1] > 1:
        nodes = nodes.reshape(*nodes.shape[:-1], -1, branching)
        nodes, everyone = nodes.all(-1) if everyone else nodes.any(-1), not everyone
    return nodes[..., 0].astype(bool)


def trees(branching, depth):
    """All trees (N, leaves)."""
    return np.array(list(product((0, 1), repeat=branching**depth)))


@pytest.mark.parametrize("branching", [2, 3])
@pytest.mark.parametrize("root", ["any", "true", "false"])
def test_distribution_of_all_trees(branching, root):
    """Exactly that of independent leaves, given the root."""
    found = Counter()
    for outcome in Explorer(build(ID, dict(branching=branching, depth=2, leaf=0.3, root=root))).starts():
        found[outcome.record["leaves"].tobytes()] += outcome.probability
    every = trees(branching, 2).astype(np.int8)
    wanted = 0.3 ** every.sum(1) * 0.7 ** (1 - every).sum(1)
    if root != "any":
        wanted *= truth(every, branching) == (root == "true")
    wanted /= wanted.sum()
    assert len(found) == (wanted > 0).sum()
    assert [found[tree.tobytes()] for tree in every] == pytest.approx(wanted.tolist(), abs=1e-12)


@pytest.mark.parametrize("root", ["true", "false"])
def test_distribution_of_deep_trees(root):
    """The first four leaves of trees of depth 4 are as often each pattern as among all 65,536 trees, within 5 sigma."""
    num, every = 800, trees(2, 4)
    allowed = every[truth(every, 2) == (root == "true")]
    drawn = kit.started(ID, num, seed=5, depth=4, leaf=0.5, root=root).records["leaves"]
    assert (truth(drawn, 2) == (root == "true")).all()
    binary = 2 ** np.arange(4)
    for first in (0, 12):
        share = np.bincount(allowed[:, first : first + 4] @ binary, minlength=16) / len(allowed)
        seen = np.bincount(drawn[:, first : first + 4] @ binary, minlength=16) / num
        assert (abs(seen - share) < 5 * np.sqrt(share * (1 - share) / num)).all()


def test_truth_of_the_root():
    """The golden ratio's fixed point; exact counts of trees; drawn trees."""
    golden = (5**0.5 - 1) / 2
    for height in range(0, 9, 2):
        assert chances(golden, 2, height) == pytest.approx((golden, 1 - golden), abs=1e-12)
        assert chances(0.618034, 2, height)[0] == pytest.approx(0.618034, abs=5e-6)
    assert chances(0.5, 2, 4)[0] == pytest.approx(truth(trees(2, 4), 2).mean(), abs=1e-12)
    assert chances(0.5, 4, 2)[0] == pytest.approx(truth(trees(4, 2), 4).mean(), abs=1e-12)
    for branching, depth in ((2, 6), (3, 4), (4, 2)):
        drawn = kit.started(ID, 300, branching=branching, depth=depth, leaf=0.6).records["leaves"]
        true, false = chances(0.6, branching, depth)
        assert true + false == pytest.approx(1)
        assert abs(truth(drawn, branching).mean() - true) <= 4 * (true * false / 300) ** 0.5
        assert abs(drawn.mean() - 0.6) < 4 * (0.24 / drawn.size) ** 0.5


def test_improbable_roots():
    """A true root of a deep tree of few true leaves has as many as it needs, 2 ^ 4, and hardly more."""
    drawn = kit.started(ID, 3, depth=8, leaf=0.01, root="true").records["leaves"]
    assert truth(drawn, 2).all() and (drawn.sum(1) < 30).all()
    drawn = kit.started(ID, 3, branching=3, depth=4, leaf=0.99, root="false").records["leaves"]
    assert not truth(drawn, 3).any() and (drawn.sum(1) > 60).all()


@pytest.mark.parametrize("branching, stride", [(2, 1), (3, 7)])
def test_all_trees_of_two_moves(branching, stride):
    """Rewards of all plays, the exact value, and `optimal`, which wins for the right side against every reply."""
    every = trees(branching, 2)[::stride]
    plays = np.array(list(product(range(branching), repeat=2)))
    num, right = len(every), np.where(truth(every, branching), 1, -1)
    levels = [{"leaves": leaves.tolist()} for leaves in every]
    batch = kit.started(ID, num, level=levels, branching=branching, depth=2)
    for play in plays:
        batch = kit.started(ID, num, level=levels, branching=branching, depth=2)
        for turn in range(2):
            assert batch.masks[:, turn].all() and not batch.masks[:, 1 - turn].any()
            assert not batch.rewards.any() and not batch.over().any()
            batch.actions[:] = play[turn]
            batch.step()
        assert batch.over().all() and batch.terminations.all() and not batch.masks.any()
        won = every[:, play[0] * branching + play[1]] * 2 - 1
        assert batch.rewards.tolist() == np.stack([won, -won], 1).tolist()
    for other in ("optimal", "random", "greedy"):
        for seat in (PROVER, REFUTER):
            wins = duel(levels, seat, other, branching=branching, depth=2)[:, PROVER]
            assert (wins == right)[right == (1 if seat == PROVER else -1)].all()


def test_best_replies_of_the_solver():
    """The refuter's best reply to a random prover, over the whole game tree, wins what the closed form says."""
    tree = Tree(build(ID, dict(depth=2, leaf=0.5, root="true")))
    best, _ = tree.best_response(REFUTER, tree.uniform())
    assert best == pytest.approx(1 - 2 * 4 / 7)
    assert tree.best_response(PROVER, tree.uniform())[0] > 0


def duel(levels, seat, other, **params):
    """Returns (N, 2) of `optimal` in this seat against another policy on each level."""
    batch = kit.started(ID, len(levels), level=levels, **params)
    return kit.finish(batch, "optimal", other, second=lambda: np.arange(2)[None] != seat)


def replies(depth, leaf):
    """The chance of each (value, truth): a random prover's chance against the best reply, and the root's truth."""
    nodes = {(Fraction(1), True): leaf, (Fraction(0), False): 1 - leaf}
    for k in range(depth):
        above = Counter()
        for (one, p), (two, q) in product(nodes.items(), repeat=2):
            if k % 2 == 0:
                above[min(one[0], two[0]), one[1] and two[1]] += p * q
            else:
                above[(one[0] + two[0]) / 2, one[1] or two[1]] += p * q
        nodes = above
    return nodes


@pytest.mark.parametrize("depth, known", [(2, 0.571429), (4, 0.282100), (6, 0.135017)])
def test_random_prover_with_a_true_root(depth, known):
    nodes = replies(depth, Fraction(1, 2))
    true = sum(p for (_, root), p in nodes.items() if root)
    expected = float(sum(value * p for (value, root), p in nodes.items() if root) / true)
    assert expected == pytest.approx(known, abs=5e-7)
    assert float(true) == pytest.approx(chances(0.5, 2, depth)[0])
    share, num = kit.wins(build(ID, dict(depth=depth, leaf=0.5, root="true")), "optimal", REFUTER, 200), 200
    assert abs(1 - share - expected) < 4 * (expected * (1 - expected) / num) ** 0.5


@pytest.mark.parametrize("seat", [PROVER, REFUTER])
def test_optimal_is_the_best_reply_to_random_play(seat):
    """On trees of depth 4 with three children, over all choices of the other, as a recursion here says."""

    def best(leaves, turn):
        if len(leaves) == 1:
            return Fraction(int(leaves[0] == (seat == PROVER)))
        values = [best(part, turn + 1) for part in np.split(leaves, 3)]
        return max(values) if turn % 2 == seat else sum(values) / 3

    drawn = kit.started(ID, 8, seed=seat, branching=3, depth=4, leaf=0.55).records["leaves"].copy()
    levels, total = [{"leaves": leaves.tolist()} for leaves in drawn], np.zeros(len(drawn))
    for play in product(range(3), repeat=2):
        batch = kit.started(ID, len(drawn), level=levels, branching=3, depth=4)
        player = make_policy("optimal", batch.world)
        player.reset(0, batch.num)
        for turn in range(4):
            chosen = player.act_batch(batch.observations, batch.masks, [PROVER, REFUTER])
            batch.step(chosen if turn % 2 == seat else play[turn // 2])
        total += batch.rewards[:, seat] > 0
    assert total.tolist() == [float(9 * best(leaves, 0)) for leaves in drawn]


def test_baselines():
    """`greedy` counts favorable leaves, `optimal` looks at the tree; both beat a random player in both seats."""
    level = {"leaves": [*(1, 0, 1, 1), *(1, 0, 0, 1), *(1, 1, 0, 0), *(1, 1, 0, 0)]}
    batch = kit.started(ID, level=level, depth=4)
    assert kit.choices("greedy", batch, seeds=8) == {"child 1"}
    assert kit.choices("optimal", batch, seeds=8) == {"child 2"}
    batch = kit.act(batch, "child 1")
    assert kit.choices("greedy", batch, seeds=8) == kit.choices("optimal", batch, seeds=8) == {"child 2"}
    batch = kit.started(ID, level={"leaves": [0, 1, 1, 0]}, depth=2)
    assert kit.choices("greedy", batch, seeds=12) == kit.choices("optimal", batch, seeds=12) == {"child 1", "child 2"}
    world = build(ID, dict(depth=4, leaf=0.618034))
    for seat in (PROVER, REFUTER):
        base, greedy, optimal = (kit.wins(world, name, seat, 120) for name in ("random", "greedy", "optimal"))
        assert base + 0.1 < greedy < optimal


def test_levels_and_records():
    batch = kit.started(ID, level={"leaves": [0, 1, 1, 1]}, depth=2, root="true")
    world = batch.world
    assert world.get_level(batch.record()) == {"leaves": [0, 1, 1, 1]}
    long = "leaves must be a list of 4 integers from 0 to 1"
    kit.refuses(
        world,
        ({}, "a level has 'leaves', not nothing"),
        ({"leaves": [0, 1, 1, 1], "root": 1}, "not 'leaves', 'root'"),
        ({"leaves": [0, 1]}, long),
        ({"leaves": "0111"}, long),
        ({"leaves": [0, 1, 2, 0]}, r"leaves\[2\]=2 must be an integer from 0 to 1"),
        ({"leaves": [0, 1, 0, True]}, r"leaves\[3\]=True must be an integer from 0 to 1"),
    )
    with pytest.raises(ParameterError, match="depth=3 must be even"):
        build(ID, dict(depth=3))
    for path, wrong in (([-1, 0], "a move after one"), ([1, 0], "the debate is over")):
        forged = batch.records.copy()
        forged["path"] = path
        with pytest.raises(SnapshotError, match=wrong):
            world.admit(forged)


def test_splits():
    """Trees of the train and of the test split are different ones."""
    train, test = (
        {tuple(level["leaves"]) for level in generate_many(ID, 60, split=split, depth=4)} for split in ("train", "test")
    )
    assert train and test and not train & test


def test_text_and_clicks():
    batch = kit.started(ID, level={"leaves": [*(0, 1, 1, 1), *(1, 1, 0, 0), *(1,) * 8]}, depth=4)
    text = batch.world.text(batch.record(), PROVER)
    assert "child 1: 01 11 | 11 00\nchild 2: 11 11 | 11 11" in text
    assert "It is the prover's turn." in batch.world.text(batch.record(), REFUTER)
    for move in ("child 1", "child 2", "child 2", "child 1"):
        assert kit.clicks(batch, kit.mover(batch)) == {0, 1, None}
        kit.act(batch, move)
    assert kit.clicks(batch, 0) == {None}
    text = batch.world.text(batch.record(), REFUTER)
    assert "the prover child 1, the refuter child 2, the prover child 2, the refuter child 1." in text
    assert "leaf 7: it is false. You win." in text
    assert "You lose." in batch.world.text(batch.record(), PROVER)


def test_picture_moves_down_large_trees():
    """A click means the child that is drawn there, and bars have the share of true leaves."""
    batch = kit.started(ID, branching=3, depth=6)
    world, leaves = batch.world, batch.records["leaves"][0].reshape(3, 3, 3, 3, 3, 3)
    for turn, move in enumerate((2, 0, 1, 2)):
        view = View(batch.record())
        assert (view.top, view.bottom) == (min(turn, 2), min(turn, 2) + 4)
        below = leaves[(2, 0, 1)[: view.top]]
        below = below.reshape(81, -1).mean(1)
        assert [view.share(view.bottom, k) for k in range(81)] == pytest.approx(below.tolist())
        x, y = view.x(turn + 1, 3 * view.reached(turn) + move), view.y(turn + 1)
        assert world.click(batch.record(), mover := turn % 2, x, y) == move
        assert kit.mover(batch) == mover
        batch.step(move)
