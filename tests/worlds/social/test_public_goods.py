"""Public goods: closed forms, the stage of punishment, anonymity, levels, and how types of players fare."""

import itertools
from functools import partial

import kit
import numpy as np
import pytest
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.errors import ActionError, LevelError, ParameterError
from envsuite.evaluation.matches import play
from envsuite.registry import build

ID = "envsuite/PublicGoods-v0"


started = partial(kit.started, ID)


def move(batch, *actions):
    """One transition; a name stands for everybody's action."""
    names = batch.world.action_names[0]
    chosen = actions * len(batch.world.agents) if len(actions) == 1 else actions
    batch.step([names.index(action) if isinstance(action, str) else action for action in chosen], ~batch.finished)
    return batch.rewards[0].tolist()


# One round, without punishment.


def test_all_rounds_of_all_or_nothing():
    """The returns of the page, Fehr and Gaechter's numbers: k contributors get 8 k each, the others 20 + 8 k."""
    returns = {}
    for contributes in itertools.product((0, 1), repeat=4):
        rewards = move(started(), *(20 * c for c in contributes))
        k = sum(contributes)
        assert rewards == pytest.approx([8 * k if c else 20 + 8 * k for c in contributes])
        for c, reward in zip(contributes, rewards):
            returns[k - c, c] = reward  # by the number of others who contribute: a Schelling diagram
    # Whatever the others do, to keep all is better by 12; the more contribute, the better for both.
    for others in range(4):
        assert returns[others, 0] - returns[others, 1] == pytest.approx(12)
    assert [returns[others, 0] for others in range(4)] == pytest.approx([20, 28, 36, 44])
    assert [returns[others, 1] for others in range(4)] == pytest.approx([8, 16, 24, 32])


@pytest.mark.parametrize("players, mpcr", [(4, 0.4), (4, 0.2), (4, 1.2), (2, 0.6), (2, 0.45)])
def test_equilibrium_and_optimum(players, mpcr):
    """Every profile of 0, 1, 2 tokens: the dominant contribution changes at mpcr 1, the best sum at 1 / players."""
    profiles = list(itertools.product(range(3), repeat=players))
    batch = started(len(profiles), players=players, mpcr=mpcr, endowment=2)
    batch.step(profiles)
    payoffs = dict(zip(profiles, batch.rewards))
    for profile, rewards in payoffs.items():
        expected = [2 - c + mpcr * sum(profile) for c in profile]
        assert rewards.tolist() == pytest.approx(expected)
        if profile[0] < 2:
            more = (profile[0] + 1, *profile[1:])
            assert payoffs[more][0] - rewards[0] == pytest.approx(mpcr - 1)
            assert payoffs[more].sum() - rewards.sum() == pytest.approx(players * mpcr - 1)
    best = max(payoffs, key=lambda profile: payoffs[profile].sum())
    assert best == (2,) * players if players * mpcr > 1 else best == (0,) * players
    stable = [
        profile
        for profile, rewards in payoffs.items()
        if all(
            payoffs[(*profile[:k], c, *profile[k + 1 :])][k] <= rewards[k] + 1e-9
            for k in range(players)
            for c in range(3)
        )
    ]
    assert stable == [(2 if mpcr > 1 else 0,) * players]


# Punishment.


def test_a_round_with_punishment():
    batch = started(punishment=True, anonymous=False, rounds=2)
    assert batch.world.action_names[0][20:24] == ("contribute 20", "punish 0", "punish 1", "punish 2")
    assert move(batch, 20, 10, 0, 15) == pytest.approx([18, 28, 38, 23])
    seen = batch.observations[0]
    assert seen["phase"].tolist() == [[1]] * 4 and seen["target"].tolist() == [[1]] * 4
    assert seen["contributions"].tolist() == [[20, 10, 0, 15], [10, 0, 15, 20], [0, 15, 20, 10], [15, 20, 10, 0]]
    # Number j of player i's list is player i + j.
    given = np.zeros((4, 4), int)
    rng = np.random.default_rng(0)
    for number in (1, 2, 3):
        assert (batch.masks[0].nonzero()[1].reshape(4, 11) == np.arange(21, 32)).all()
        assert (batch.observations["target"] == number).all()
        points = rng.integers(0, 11, 4)
        for k in range(4):
            given[k, (k + number) % 4] = points[k]
        rewards = move(batch, *(21 + points))
        if number < 3:
            assert rewards == [0] * 4 and (batch.observations["received"] == 0).all()
            # A player sees the points that it has assigned, and nothing of the others.
            for k in range(4):
                rolled = np.roll(given[k], -k).tolist()
                assert batch.observations["assigned"][0, k].tolist() == rolled
    expected = -given.sum(axis=1) - 3 * given.sum(axis=0)
    assert rewards == expected.tolist() and min(expected) < -38  # a loss, which nothing bounds
    seen = batch.observations[0]
    assert seen["received"][:, 0].tolist() == given.sum(axis=0).tolist()
    np.testing.assert_allclose(seen["earnings"][:, 0], np.array([18, 28, 38, 23]) + expected)
    assert (seen["phase"] == 0).all() and (seen["turn"] == 1).all() and (seen["target"] == 0).all()
    assert seen["contributions"][1].tolist() == [10, 0, 15, 20]
    assert (batch.masks[0].nonzero()[1].reshape(4, 21) == np.arange(21)).all()
    for name in ("contribute 0", "punish 0", "punish 0", "punish 0"):
        assert not batch.over()[0]
        assert move(batch, name) == ([20] * 4 if name == "contribute 0" else [0] * 4)
    assert batch.terminations.all() and not batch.truncations.any() and batch.record().t == 8
    assert (batch.observations["received"] == 0).all()


def test_what_deters():
    """A free rider among contributors gains 12; each point it gets takes 3, so 4 make it even and 5 deter."""

    def free_rider(points, **params):
        batch = started(punishment=True, anonymous=False, **params)
        total = np.array(move(batch, 0, 20, 20, 20))
        for number in (1, 2, 3):  # number 4 - k of player k's list is player_0
            share = [21 + (points // 3 + (k <= points % 3) if number == 4 - k else 0) for k in range(1, 4)]
            total += move(batch, 21, *share)
        return total

    for points in range(8):
        assert free_rider(points)[0] == pytest.approx(44 - 3 * points)
        assert free_rider(points).sum() == pytest.approx(44 + 3 * 24 - 4 * points)
    assert free_rider(3)[0] > 32 == pytest.approx(free_rider(4)[0]) and free_rider(5)[0] < 32
    total = free_rider(6, cost=0.5, effect=2.0)
    assert total.tolist() == pytest.approx([44 - 12, 23, 23, 23])


def test_illegal_actions():
    batch = started(punishment=True, level={"endowments": [20, 5, 0, 20]})
    assert batch.masks[0].sum(axis=1).tolist() == [21, 6, 1, 21]
    before = batch.records.tobytes()
    for wrong in ([0, 6, 0, 0], [0, 0, 1, 0], [21, 0, 0, 0]):
        with pytest.raises(ActionError):
            move(batch, *wrong)
        assert batch.records.tobytes() == before
    move(batch, 0, 0, 0, 0)
    with pytest.raises(ActionError, match="player_3"):
        move(batch, 21, 21, 21, 20)


def test_earnings_are_hidden_while_points_are_assigned():
    """The page: what a player earned and received in the last round is 0 in the second stage."""
    batch = started(punishment=True, anonymous=False)
    for turn in range(2):
        for name in ("contribute 20", "punish 1", "punish 1"):
            move(batch, name)
            seen = batch.observations[0]
            assert not seen["earnings"].any() and not seen["received"].any() and (seen["turn"] == turn).all()
        move(batch, "punish 1")
        seen = batch.observations[0]
        assert (seen["earnings"] == 32 - 3 - 9).all() and (seen["received"] == 3).all()


@pytest.mark.parametrize("punishment", [False, True])
def test_history_and_totals(punishment):
    """Mean contributions and mean points of each round, and what each player earned in all; of no round at first."""
    batch = started(punishment=punishment, anonymous=False, rounds=3)
    total = np.zeros(4)
    expected = np.zeros((3, 2))
    for _ in range(2):  # an episode starts without those of the last one
        batch.start()
        total[:], expected[:] = 0, 0
        assert (batch.records["history"] == 0).all() and (batch.records["totals"] == 0).all()
        assert (batch.records["contributions"] == -1).all() and not batch.records["points"].any()
        for turn, given in enumerate([(20, 10, 0, 5), (1, 2, 3, 4), (7, 0, 0, 6)]):
            total += move(batch, *given)
            expected[turn, 0] = sum(given) / 4
            for number in range(1, 4) if punishment else ():
                points = [(turn + number) * k for k in range(4)]
                total += move(batch, *(f"punish {k % 11}" for k in points))
                expected[turn, 1] += sum(k % 11 for k in points) / 4
            np.testing.assert_allclose(batch.records["history"][0], expected)
            np.testing.assert_allclose(batch.records["totals"][0], total)


# Anonymity.


def punished(num):
    """Play two rounds of `num` games; who is at which number of whose list, (num, round, player, number)."""
    batch = started(num, punishment=True)
    rng = np.random.default_rng(1)
    contributions = np.tile(np.array([3, 5, 7, 11]), (num, 1))
    where = np.zeros((num, 2, 4, 4), int)  # who is at which number of whose list, in two rounds
    for turn in range(2):
        batch.step(contributions)
        lists = batch.observations["contributions"]
        assert (lists[..., 0] == contributions).all() and (np.sort(lists, axis=2) == [3, 5, 7, 11]).all()
        who = np.searchsorted([3, 5, 7, 11], lists)
        where[:, turn] = who
        expected = np.zeros((num, 4))
        for number in (1, 2, 3):
            points = rng.integers(0, 11, (num, 4))
            expected -= points
            for k in range(4):
                expected[np.arange(num), who[:, k, number]] -= 3 * points[:, k]
            batch.step(21 + points)
        assert (batch.rewards == expected).all()
        assert (batch.observations["contributions"] == lists).all()  # the list stays until the next round
    return where


def test_points_find_their_way():
    """Each player is first in its own list, and every other one at every number of it in some game."""
    where = punished(12)
    for k in range(4):
        assert (where[:, :, k, 0] == k).all()
        for number in (1, 2, 3):
            assert set(where[:, :, k, number].ravel()) == {0, 1, 2, 3} - {k}


@pytest.mark.slow
def test_lists_are_shuffled():
    where = punished(3000)
    for k in range(4):
        for number in (1, 2, 3):
            counts = np.bincount(where[:, 0, k, number], minlength=4)
            assert counts[k] == 0 and stats.chisquare(np.delete(counts, k)).pvalue > 1e-4
    # The place of a player in the list of a round says nothing of its place in the next list.
    table = np.zeros((3, 3))
    for number in (1, 2, 3):
        at = (where[:, 0, 0] == 1).argmax(axis=1)
        then = (where[:, 1, 0] == 1).argmax(axis=1)
        table[number - 1] = np.bincount(then[at == number], minlength=4)[1:]
    assert stats.chi2_contingency(table).pvalue > 1e-4


def test_without_anonymity_nothing_is_drawn():
    batch = started(anonymous=False)
    stream = batch.record().rng
    for _ in range(3):
        move(batch, 1, 2, 3, 4)
        assert batch.observations["contributions"][0, 2].tolist() == [3, 4, 1, 2]
    assert batch.record().rng == stream and not batch.world.chance and build(ID).chance


# Types of players.


def contributions(names, rounds=10, **params):
    """Each player's contributions, round by round."""
    batch = started(rounds=rounds, **params)
    seats = [make_policy(name, batch.world) for name in names]
    for seat in seats:
        seat.reset(0, 1)
    given = []
    while not batch.over()[0]:
        actions = [
            seat.act_batch(batch.observations[:, [k]], batch.masks[:, [k]], [k])[0, 0] for k, seat in enumerate(seats)
        ]
        if batch.record().phase == 0:
            given.append(actions)
        move(batch, *actions)
    return np.array(given)


def test_punishment_sustains_contributions():
    """As in Fehr and Gaechter's experiments: without it contributions fall, with it they rise."""
    names = ["punisher", "punisher", "opportunist:first=0.5", "opportunist:first=0.5"]
    without = contributions(names)
    assert without[:, 2].tolist() == [10, 8, 6, 4, 2, 0, 0, 0, 0, 0] and (without[:, 0] == 20).all()
    punished = contributions(names, punishment=True)
    assert punished[:, 2].tolist() == [10] + [20, 18] * 4 + [20]
    assert (punished[:, 0] == 20).all()


def test_conditional_cooperation_unravels():
    falling = contributions(["conditional:bias=0.8"] * 4)
    assert falling[:, 0].tolist() == [20, 16, 13, 10, 8, 6, 5, 4, 3, 2]  # 0.8 times as much, rounded
    assert (contributions(["conditional"] * 4) == 20).all()
    mixed = contributions(["conditional"] * 3 + ["constant:share=0.0"])
    assert mixed[0].tolist() == [20, 20, 20, 0] and mixed[1, 0] == 13 and mixed[-1, 0] <= 2


def test_what_a_punisher_does():
    batch = started(punishment=True, anonymous=False)
    move(batch, 20, 19, 4, 0)
    for number, expected in ((1, 1), (2, 4), (3, 5)):
        seat = make_policy("punisher", batch.world)
        assert batch.observations["target"][0, 0, 0] == number
        assert seat.act(dict_of(batch, 0), batch.masks[0, 0]) == 21 + expected
        assert seat.act(dict_of(batch, 3), batch.masks[0, 3], 3) == 21  # who gave more than it did
        move(batch, "punish 0")
    harsh = make_policy("punisher:severity=3.0", batch.world)
    move(batch, 20, 0, 0, 0)
    assert harsh.act(dict_of(batch, 0), batch.masks[0, 0]) == 31  # as many as there are


def dict_of(batch, agent):
    return {name: batch.observations[name][0, agent] for name in batch.world.slot.names}


@pytest.mark.parametrize(
    "name, punishment, mean",
    [
        ("constant", False, 320),
        ("constant:share=0.0", False, 200),
        ("constant:share=0.5", True, 260),
        ("conditional", True, 320),
        ("punisher", True, 320),
        ("opportunist", False, 200),
    ],
)
def test_baselines(name, punishment, mean):
    returns, lengths = play(build(ID, {"punishment": punishment}), [name] * 4, 4)
    assert returns.tolist() == pytest.approx(np.full((4, 4), mean)) and (lengths == (40 if punishment else 10)).all()


def test_random_play():
    """Contributions are uniform: 10 on average, so 26 a round; 5 points to each other, so 60 less with punishment."""
    for punishment, expected in ((False, 260), (True, 260 - 10 * 15 * 4)):
        returns, _ = play(build(ID, {"punishment": punishment}), ["random"] * 4, 2000)
        error = returns.mean(axis=1).std() / 2000**0.5
        assert abs(returns.mean() - expected) < 4 * error


# Levels, parameters, views.


def test_levels():
    batch = started(level={"endowments": [20, 10, 5, 0]})
    assert batch.observations["endowment"][0, :, 0].tolist() == [20, 10, 5, 0]
    assert move(batch, 20, 0, 5, 0) == pytest.approx([10, 20, 10, 10])
    move(batch, 0, 10, 0, 0)
    assert batch.world.get_level(batch.record()) == {"endowments": [20, 10, 5, 0]}
    batch.start()
    assert batch.world.get_level(batch.record()) == {"endowments": [20] * 4}
    for level, message in (
        ({}, "not nothing"),
        ({"tokens": [1] * 4}, "not 'tokens'"),
        ({"endowments": [20] * 3}, "endowments must be a list of 4 integers from 0 to 20"),
        ({"endowments": [20, 20, 20, 21]}, "21 must be an integer from 0 to 20"),
        ({"endowments": [20, 20, 20, True]}, "True must"),
        ({"endowments": [20, 20, 20, 1.5]}, "1.5 must"),
        ({"endowments": 20}, "endowments must be a list of 4 integers from 0 to 20"),
    ):
        with pytest.raises(LevelError, match=message):
            batch.set_level(0, level)


def test_tunable_numbers_may_differ():
    batch = started(2)
    batch.start(params=[None, {"mpcr": 0.75}])
    batch.step(20)
    assert batch.rewards.tolist() == [[32] * 4, [60] * 4]
    punishing = build(ID, dict(punishment=True)).retuned({"cost": 2.0, "effect": 10.0, "mpcr": 2.0})
    assert punishing.reward_range == (-360, 180)
    for params in ({"endowment": 10}, {"punishment": True}, {"points": 3, "punishment": True}):
        with pytest.raises(ParameterError, match="cannot change"):
            batch.world.retuned(params)


@pytest.mark.parametrize(
    "params, message",
    [
        ({"players": 1}, "players=1"),
        ({"mpcr": 2.5}, "mpcr=2.5"),
        ({"endowment": 0}, "endowment=0"),
        ({"points": 21}, "21"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        build(ID, params)


def test_text():
    batch = started(punishment=True)
    world = batch.world
    page = world.prompt(batch.record(), 1)
    for part in ("you have 20 tokens", "pays every player 0.4", "costs you 1", "costs you 3", "up to 10 points"):
        assert part in page
    assert world.text(batch.record(), 1) == "Round 1 of 10.\nHow many tokens do you contribute?"
    move(batch, 20, 10, 0, 15)
    others = batch.observations["contributions"][0, 1, 1:]
    text = world.text(batch.record(), 1)
    assert f"You contributed 10, the others (renumbered in each round): number 1 {others[0]}, number 2" in text
    assert "How many points do you assign to number 1?" in text and "player_0" not in text
    move(batch, "punish 2")
    assert "You assign 2 points to number 1." in world.text(batch.record(), 1)
    move(batch, "punish 0")
    move(batch, "punish 0")
    text = world.text(batch.record(), 1)
    assert "You assigned 2 points and got 2." in text and "You earned 20." in text  # 28 - 2 - 6
    named = started(anonymous=False)
    for _ in range(10):
        move(named, 1, 2, 3, 4)
    text = named.world.text(named.record(), 2)
    assert "the others: player_3 4, player_0 1, player_1 2." in text and "over after 10 rounds" in text


@pytest.mark.parametrize("params", [{}, dict(punishment=True), dict(endowment=40, players=8, anonymous=False)])
def test_picture(params):
    batch = started(**params)
    policy = make_policy("random", batch.world)
    policy.reset(0, 1)
    sizes = set()
    while not batch.over()[0]:
        before = batch.records.tobytes()
        scenes = [batch.world.scene(batch.record(), agent) for agent in (None, 0, 2)]
        sizes |= {(scene.width, scene.height) for scene in scenes}
        assert all(len(scene.shapes) > 30 for scene in scenes) and batch.records.tobytes() == before
        move(batch, *policy.act_batch(batch.observations, batch.masks, range(len(batch.world.agents)))[0])
    assert len(sizes) == 1


def test_one_agent_sees_nothing_else_in_its_picture():
    """Whatever an agent does not observe can change without a change in its picture or text."""
    batch = started(punishment=True)
    for name in ("contribute 20", "punish 2", "punish 0", "punish 0"):
        move(batch, name)
    move(batch, 20, 10, 0, 15)
    move(batch, "punish 3")
    world, s = batch.world, batch.record()
    shapes, text = world.scene(s, 1).shapes, world.text(s, 1)
    for k in (0, 2, 3):
        s.points[k] = 7
        s.totals[k] += 3
        s.earnings[k] += 3
        s.endowments[k] = 20 if s.contributions[k] == 20 else 16
    assert world.scene(s, 1).shapes == shapes and world.text(s, 1) == text
