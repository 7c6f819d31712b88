"""Goofspiel: lockstep with OpenSpiel and with slow rules, small trees and values, its baseline."""

from fractions import Fraction

import kit
import numpy as np
import pytest

from envsuite.evaluation import matches
from envsuite.games.goofspiel import PARTS, Goofspiel
from envsuite.registry import build
from envsuite.solvers.equilibria import zero_sum_nash
from envsuite.solvers.game_tree import Tree
from envsuite.testing import random_actions

ID = "envsuite/Goofspiel-v0"
GAMES = 1000


def tensor(world, seen):
    """OpenSpiel's information state from an observation: one-hot points, and the other parts of its two kinds."""
    cards = world.parameters["cards"]
    assert (seen["points"] == seen["points"].astype(int)).all()
    scores = np.eye(cards * (cards + 1) // 2 + 1)[seen["points"].astype(int)]
    numbers = np.eye(cards + 1)[:, 1:]  # 0 has no one-hot code
    prizes = numbers[seen["prizes"]]
    if world.parameters["hidden_bids"]:
        parts = [scores, seen["hands"][0], seen["wins"].T, prizes, numbers[seen["bids"][0]]]
        assert not seen["hands"][1:].any() and not seen["bids"][1:].any()
    else:
        parts = [scores, prizes, seen["hands"]]
    return np.concatenate([part.ravel() for part in parts]).tolist()


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    "params",
    [
        dict(),
        dict(hidden_bids=True, returns_type="total_points"),
        dict(points_order="ascending", hidden_bids=True, returns_type="point_difference"),
        dict(players=3, cards=5, points_order="descending", returns_type="point_difference"),
        dict(players=3, cards=5, hidden_bids=True),
        dict(players=10, cards=4),
    ],
    ids=str,
)
def test_equals_openspiel(params):
    """Random games with the same prizes: legal cards, information states of all, rewards and ends in every round."""
    import pyspiel

    world = Goofspiel(**params)
    players, cards = world.parameters["players"], world.parameters["cards"]
    rng = np.random.default_rng(cards)
    options = dict(
        players=players,
        num_cards=cards,
        imp_info=world.parameters["hidden_bids"],
        egocentric=True,
        points_order=world.parameters["points_order"],
        returns_type=world.parameters["returns_type"],
    )
    game = pyspiel.load_game("goofspiel", options)
    batch = kit.started(world, GAMES)
    states = [game.new_initial_state() for _ in range(GAMES)]
    results = set()
    for turn in range(cards):
        over = turn == cards - 1
        for i, state in enumerate(states):
            if state.is_chance_node():
                state.apply_action(int(batch.records["order"][i, turn]) - 1)
            assert state.is_terminal() == over == bool(batch.over()[i])
            assert batch.terminations[i].tolist() == [over] * players and not batch.truncations[i].any()
            assert batch.rewards[i].tolist() == (state.returns() if over else [0.0] * players)
            known = zip(range(players), batch.observations[i], batch.masks[i])
            for k, seen, mask in known:
                assert np.flatnonzero(mask).tolist() == state.legal_actions(k)
                # OpenSpiel draws the last prize when it plays the last round: only one prize is left.
                assert tensor(world, seen) == state.information_state_tensor(k)
                assert seen["stake"] == (0 if over else seen["prizes"][turn])
        if over:
            results = {tuple(rewards) for rewards in batch.rewards.tolist()}
            break
        batch.actions[:] = random_actions(batch.masks, rng)
        for state, actions in zip(states, batch.actions.tolist()):
            state.apply_actions(actions)
        batch.step()
    assert len(results) > 2


def reference(prizes, bids, ties):
    """The points and prizes of all players, by a slow implementation of the rules; bids[k] are player k's, in order."""
    scores = [Fraction(0)] * len(bids)
    wins, stake = [], Fraction(0)
    for turn, prize in enumerate(prizes):
        stake += prize
        offers = [hand[turn] for hand in bids]
        best = [k for k, offer in enumerate(offers) if offer == max(offers)]
        if len(best) > 1 and ties != "split":
            wins.append([])
            stake = stake if ties == "carry" else Fraction(0)
            continue
        for k in best:
            scores[k] += stake / len(best)
        wins.append(best)
        stake = Fraction(0)
    return scores, wins


def returns(scores, kind):
    """OpenSpiel's three kinds of returns."""
    if kind == "total_points":
        return [float(score) for score in scores]
    if kind == "point_difference":
        return [float(score - sum(scores) / len(scores)) for score in scores]
    best = [score == max(scores) for score in scores]
    if all(best):
        return [0.0] * len(scores)
    return [1 / sum(best) if first else -1 / (len(best) - sum(best)) for first in best]


@pytest.mark.parametrize("ties", ["discard", "carry", "split"])
@pytest.mark.parametrize("kind", ["win_loss", "point_difference", "total_points"])
@pytest.mark.mostly_slow
def test_ties(ties, kind):
    """Random games of three players with each rule for ties, against the slow rules, in exact fractions."""
    players, cards, num = 3, 5, 150
    world = Goofspiel(players=players, cards=cards, ties=ties, returns_type=kind)
    rng = np.random.default_rng(0)
    batch = kit.started(world, num)
    bids = rng.permuted(np.tile(np.arange(1, cards + 1), (num, players, 1)), axis=2)
    for turn in range(cards):
        for i in range(num):
            over = turn == cards - 1
            played = cards if over else turn
            scores, wins = reference(batch.records["order"][i, :played], bids[i, :, :played], ties)
            assert [Fraction(int(parts), PARTS) for parts in batch.records["points"][i]] == scores
            for k in range(players):
                seen = batch.observations[i, k]
                order = [(k + j) % players for j in range(players)]  # the observer first
                np.testing.assert_allclose(seen["points"], [float(scores[p]) for p in order], rtol=1e-6)
                wanted = [[p in takers for p in order] for takers in wins] + [[0] * players] * (cards - played)
                assert seen["wins"].T.tolist() == wanted
                assert seen["bids"][:, :played].tolist() == bids[i, order, :played].tolist()
                assert not seen["bids"][:, played:].any()
                assert seen["hands"].tolist() == [
                    [card not in bids[i, p, :played] for card in range(1, cards + 1)] for p in order
                ]
                shown = batch.records["order"][i, : turn + 1]
                assert seen["prizes"].tolist() == [*shown, *[0] * (cards - len(shown))]
            if over:
                np.testing.assert_allclose(batch.rewards[i], returns(scores, kind), atol=1e-12)
            else:
                assert not batch.rewards[i].any()
        assert (batch.over() == (turn == cards - 1)).all()
        if not over:
            batch.step(bids[:, :, turn] - 1)


@pytest.mark.parametrize(
    ("ties", "stakes", "points"),
    [
        ("discard", [4, 1, 2], [2, 3]),
        ("carry", [4, 5, 7], [7, 3]),
        ("split", [4, 1, 2], [4.5, 5.5]),
    ],
)
def test_ties_by_hand(ties, stakes, points):
    """Prizes 4, 1, 2, 3; two ties, then 4 against 3, then (forced) 3 against 4."""
    batch = kit.started(Goofspiel(cards=4, ties=ties, returns_type="total_points"), level={"prizes": [4, 1, 2]})
    for bids, stake in zip(([1, 1], [2, 2], [4, 3]), stakes):
        assert batch.observations["stake"][0].tolist() == [[stake]] * 2 and not batch.over()[0]
        batch.actions[0] = np.array(bids) - 1
        batch.step()
    assert batch.over()[0] and batch.rewards[0].tolist() == points
    assert not batch.observations["stake"].any()


def test_carried_to_nobody():
    """Every bid is a tie: with "carry" nobody gets points, with "split" all get the same."""
    for ties, share in (("carry", 0), ("split", 1)):
        batch = kit.started(Goofspiel(players=10, cards=4, ties=ties, returns_type="total_points"))
        for card in range(3):
            batch.step(card)
        assert batch.over()[0] and batch.rewards[0].tolist() == [share] * 10


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("params", "decisions", "terminals", "nash_conv"),
    [
        # OpenSpiel 2.0.2's trees (of its turn-based form) and NashConv.
        (dict(cards=4, points_order="descending", hidden_bids=True), 501, 576, 1.4166666666666665),
        (dict(cards=4, points_order="ascending", hidden_bids=True), 501, 576, 1.4166666666666665),
        (dict(cards=3), 174, 216, 1.3333333333333333),
        (dict(cards=4, points_order="descending"), 501, 576, 1.5),
        (dict(cards=4), 11156, 13824, 1.4930555555555556),
        (dict(cards=4, points_order="descending", hidden_bids=True, returns_type="point_difference"), 501, 576, 2.5),
    ],
    ids=str,
)
def test_tree(params, decisions, terminals, nash_conv):
    """Counts; value 0 under uniformly random play; the gain of a best reply to it; value 0 in equilibrium."""
    world = Goofspiel(**params)
    tree = Tree(world)
    assert (tree.decisions, tree.terminals) == (decisions, terminals)
    np.testing.assert_allclose(tree.values(tree.uniform()), 0, atol=1e-12)
    assert tree.nash_conv(tree.uniform()) == pytest.approx(nash_conv, abs=1e-9)
    assert zero_sum_nash(tree)[0] == pytest.approx(0, abs=1e-9)
    # OpenSpiel 2.0.2's information sets; with open bids, its information state omits the order of bids.
    wanted = {(4, "random"): 3028, (3, "random"): 57, (4, "descending"): 135, (4, "ascending"): 81}
    if world.parameters["hidden_bids"]:
        assert tree.information_sets == [81, 81]
    else:
        for player in range(2):
            seen = tree.observations[tree.owned(player)]
            states = {
                tuple(seen[k][part].tobytes() for part in ("points", "prizes", "hands")) for k in range(len(seen))
            }
            assert len(states) == wanted[params["cards"], params.get("points_order", "random")]


def test_prizes_are_uniform():
    """All 24 orders of four prizes are equally frequent: chi-square within its 1e-6 quantile."""
    batch = kit.started(Goofspiel(cards=4), 24_000)
    for card in range(3):
        batch.step(card)
    counts = np.unique(batch.records["order"], axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert ((counts - 1000) ** 2 / 1000).sum() < 73.5  # scipy.stats.chi2.isf(1e-6, 23) = 73.49


def play(policies, num, **params):
    """Final points (num, players) of games between these policies, one for each seat."""
    world = build(ID, {"players": len(policies), "returns_type": "total_points", **params})
    return matches.play(world, policies, num).returns


@pytest.mark.parametrize("hidden", [False, True])
def test_matching_against_random(hidden):
    """56 points to 28, because bid v beats a random card with probability (v - 1) / 13; it also wins most games."""
    won = play(["matching", "random"], 20_000, hidden_bids=hidden)
    wanted = [sum(v * (v - 1) for v in range(1, 14)) / 13, sum(v * (13 - v) for v in range(1, 14)) / 13]
    assert wanted == [56, 28]
    assert (np.abs(won.mean(axis=0) - wanted) < 4 * won.std(axis=0) / len(won) ** 0.5).all()
    assert (won[:, 0] > won[:, 1]).mean() > 0.9


def test_matching_among_three():
    """Its points, 5.2, equal those of both random players together: the highest of three bids wins prize v of five."""
    won = play(["random", "matching", "random"], 20_000, cards=5)
    assert sum(v * ((v - 1) / 5) ** 2 for v in range(1, 6)) == pytest.approx(5.2)  # both bid below v
    assert sum(v * (1 - (v / 5) ** 2 - (5 - v) / 25) for v in range(1, 6)) == pytest.approx(5.2)  # one alone, above v
    for points in (won[:, 1], won[:, [0, 2]].sum(axis=1)):
        assert abs(points.mean() - 5.2) < 4 * points.std() / len(won) ** 0.5


def test_one_above_beats_matching():
    """It wins every game, with all prizes except the highest: 78 to 13."""
    assert (play(["matching:above=1", "matching"], 100) == [78, 13]).all()


def test_level_round_trip():
    """Given prizes come first, then prizes by chance or in the world's order; the next episode draws again."""
    world = Goofspiel(cards=4)
    batch = kit.started(world, 100, level={"prizes": [2, 4]})
    assert world.get_level(batch.record()) == {"prizes": [2, 4]}
    for card in range(3):
        batch.step(card)
    assert {tuple(order) for order in batch.records["order"]} == {(2, 4, 1, 3), (2, 4, 3, 1)}
    batch.start()
    assert {len(world.get_level(batch.record(i))["prizes"]) for i in range(100)} == {1}
    assert len(np.unique(batch.records["order"][:, 0])) == 4

    ordered = Goofspiel(cards=4, points_order="descending")
    batch = kit.started(ordered, level={"prizes": [2]})
    assert ordered.get_level(batch.record()) == {"prizes": [2, 4, 3, 1]}
    batch.start()
    assert ordered.get_level(batch.record()) == {"prizes": [4, 3, 2, 1]}


def test_wrong_levels():
    kit.refuses(
        Goofspiel(cards=4),
        ({"prizes": []}, "prizes must be a list of 1 to 4 entries"),
        ({"prizes": [1, 2, 3, 4, 1]}, "prizes must be a list of 1 to 4 entries"),
        ({"prizes": [5]}, r"prizes\[0\]=5 must be an integer from 1 to 4"),
        ({"prizes": [1, 0]}, r"prizes\[1\]=0 must be an integer from 1 to 4"),
        ({"prizes": [0.5]}, r"prizes\[0\]=0.5 must be an integer from 1 to 4"),
        ({"prizes": [True]}, "True"),
        ({"prizes": [2, 2]}, "prizes have 2 twice"),
        ({"prizes": 3}, "prizes must be a list of 1 to 4 entries"),
        ({"order": [1]}, "lacks 'prizes'"),
    )


def test_facts_follow_the_parameters():
    assert Goofspiel().chance and not Goofspiel(points_order="ascending").chance
    assert (Goofspiel().information, Goofspiel(hidden_bids=True).information) == ("perfect", "imperfect")
    assert (Goofspiel().utility, Goofspiel(returns_type="total_points").utility) == ("zero-sum", "general")
    assert Goofspiel(cards=4, players=4, returns_type="point_difference").reward_range == (-2.5, 7.5)


def test_text_and_scene():
    """Hidden bids with the same winners look the same; open bids do not. A click bids a card of the hand."""
    looks = {}
    for hidden in (True, False):
        for bids in ([1, 3], [1, 4]):
            world = Goofspiel(cards=4, hidden_bids=hidden, ties="carry")
            batch = kit.started(world, level={"prizes": [4, 1, 2]})
            for joint in (bids, [2, 2]):
                batch.actions[0] = np.array(joint) - 1
                batch.step()
            looks[hidden, bids[1]] = world.text(batch.record(), 0), world.scene(batch.record(), 0).shapes
            assert world.scene(batch.record()).shapes != world.scene(batch.record(), 0).shapes or not hidden
    assert looks[True, 3] == looks[True, 4] and looks[False, 3] != looks[False, 4]
    text, _ = looks[False, 3]
    assert "Round 1, prize 4: you bid 1, player_1 bid 3; won by player_1." in text
    assert "Round 2, prize 1: you bid 2, player_1 bid 2; carried over." in text
    assert "player_1 has the cards 1 4." in text and "You have the cards 3 4." in text
    assert "the prize is 2, with what was carried 3 points" in text
    assert "player_1 bid" not in looks[True, 3][0] and "player_1 has" not in looks[True, 3][0]

    scene = world.scene(batch.record())
    for agent in range(2):
        clicked = {
            world.click(batch.record(), agent, x, y)
            for x in np.arange(0, scene.width, 0.3)
            for y in np.arange(0, scene.height, 0.2)
        }
        assert clicked == {None, *range(4)}
