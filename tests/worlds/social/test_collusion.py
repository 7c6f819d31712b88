"""Collusion: ATP's payoffs in both versions, all equilibria, the exact chain of imitation, views."""

import itertools
from functools import partial

import kit
import numpy as np
import pytest
from scipy import optimize, stats

from envsuite.agents import make_policy
from envsuite.agents.social.collusion import mixed
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build

ID = "envsuite/Collusion-v0"

started = partial(kit.started, ID)


def expected(count, choice, threshold, for_all, high=1.2, normal=1.0, low=0.8):
    """The payoff, from the table of ATP's configuration."""
    if count >= threshold:
        return high if choice or for_all else normal
    return low if choice else normal


@pytest.mark.parametrize("rewards", ["additive", "multiplicative"])
@pytest.mark.parametrize("for_all", [True, False])
@pytest.mark.parametrize("players, threshold, fixed", [(8, 2, 0), (8, 8, 3), (3, 2, 0), (5, 3, 2)])
def test_rewards(rewards, for_all, players, threshold, fixed):
    params = dict(players=players, threshold=threshold, fixed=fixed, rewards=rewards, success_for_all=for_all)
    batch = started(50, rounds=4, **params)
    scores, rng = np.ones((50, players)), np.random.default_rng(players)
    while not batch.over().all():
        actions = rng.integers(0, 2, (50, players - fixed))
        batch.step(actions)
        for row, chosen in enumerate(actions):
            full = [*chosen, *[1] * fixed]
            pay = [expected(sum(full), choice, threshold, for_all) for choice in full]
            change = [score * p - score if rewards == "multiplicative" else p for score, p in zip(scores[row], pay)]
            scores[row] += change
            assert batch.rewards[row].tolist() == pytest.approx(change[: players - fixed])
            seen = batch.observations[row, 1 % (players - fixed)]
            start = 1 % (players - fixed)
            assert seen["choices"].tolist() == np.roll(full, -start).tolist()
            assert seen["fixed"].tolist() == np.roll([0] * (players - fixed) + [1] * fixed, -start).tolist()
            assert seen["scores"] == pytest.approx(np.roll(scores[row], -start))
    assert batch.record().t == 4


def test_returns_of_the_page():
    assert kit.played(build(ID), "constant", 0, 1, "constant").tolist() == [pytest.approx([0.728] * 8)]
    alone = kit.played(build(ID), "constant", 0, 1, "constant:share=0.0")[0]
    assert alone.tolist() == pytest.approx([0.512 - 1] + [0] * 7)


@pytest.mark.parametrize("players, threshold", [(2, 1), (2, 2), (4, 1), (4, 3), (5, 4), (6, 6)])
def test_pure_equilibria(players, threshold):
    """All profiles of one round: nobody, or at least `threshold`; strict with exactly `threshold` and with nobody."""
    profiles = list(itertools.product(range(2), repeat=players))
    batch = started(len(profiles), players=players, threshold=threshold, rounds=1)
    batch.step(profiles)
    pay = dict(zip(profiles, batch.rewards.tolist()))
    for profile in profiles:
        flips = [tuple(1 - c if j == k else c for j, c in enumerate(profile)) for k in range(players)]
        gains = [pay[flip][k] - pay[profile][k] for k, flip in enumerate(flips)]
        count = sum(profile)
        assert (max(gains) <= 1e-12) == (count >= threshold or (count == 0 and threshold > 1))
        if threshold > 1 and count in (0, threshold):  # nobody gains, and nobody can leave for nothing
            movers = [gains[k] for k in range(players) if profile[k] or not count]
            assert max(movers) < -1e-12


#: The symmetric mixed equilibria of 8 players by threshold, calculated for the specification.
MIXED = {2: 0.125, 4: 0.46474, 6: 0.7152, 8: 0.90572}


def gain(p, players, threshold, for_all):
    """What `collective` gains over `independent`, by SciPy's binomial distribution."""
    counts = np.arange(players)
    chance = stats.binom.pmf(counts, players - 1, p)
    joined = [expected(k + 1, 1, threshold, for_all) for k in counts]
    apart = [expected(k, 0, threshold, for_all) for k in counts]
    return chance @ (np.array(joined) - apart)


@pytest.mark.parametrize("threshold", MIXED)
def test_mixed_equilibria(threshold):
    root = optimize.brentq(gain, 1e-9, 1 - 1e-9, args=(8, threshold, True))
    batch = started(threshold=threshold)
    assert root == pytest.approx(MIXED[threshold], abs=5e-6)
    assert mixed(batch.world.observation(batch.record(), 0)) == pytest.approx(root, abs=1e-9)


@pytest.mark.parametrize("players, threshold, for_all, fixed", [(5, 3, False, 0), (6, 5, True, 2), (64, 40, True, 0)])
def test_mixed_equilibria_of_other_games(players, threshold, for_all, fixed):
    root = optimize.brentq(gain, 1e-9, 1 - 1e-9, args=(players - fixed, threshold - fixed, for_all))
    batch = started(players=players, threshold=threshold, success_for_all=for_all, fixed=fixed)
    assert mixed(batch.world.observation(batch.record(), 0)) == pytest.approx(root, abs=1e-7)


def test_the_equilibrium_policy_plays_it():
    share = first_choices("equilibrium", started(25, threshold=4)).mean()
    assert abs(share - MIXED[4]) < 5 * 0.5 / 200**0.5


@pytest.mark.parametrize(
    "params, p",
    [
        (dict(threshold=1), 1.0),  # one player suffices, and only success pays
        (dict(threshold=1, success_for_all=False, players=64), 1.0),
        (dict(players=3, threshold=3, fixed=1, high=0.9), 0.0),  # even success pays less than independence
        (dict(players=2, threshold=1, fixed=1), 0.0),  # the plan succeeds anyway: both choices pay the same
        (dict(threshold=3, fixed=3, success_for_all=False), 1.0),
    ],
)
def test_equilibria_at_the_ends(params, p):
    batch = started(**params)
    assert mixed(batch.world.observation(batch.record(), 0)) == p


def first_choices(name, batch):
    player = make_policy(name, batch.world)
    player.reset(0, batch.num)
    return player.act_batch(batch.observations, batch.masks, range(len(batch.world.agents)))


def test_best_response():
    after = {}
    for count in range(9):
        batch = started()
        kit_step(batch, [1] * count + [0] * (8 - count))
        chosen = first_choices("best_response", batch)[0]
        after[count] = (chosen[:count].tolist(), chosen[count:].tolist())
    assert after[4] == ([0] * 4, [0] * 4)
    assert after[5] == ([0] * 5, [1] * 3)  # an independent player would complete the plan
    assert after[6] == ([1] * 6, [0] * 2)  # an equilibrium
    assert after[8] == ([1] * 8, [])
    selfish = started(success_for_all=False)
    kit_step(selfish, [1] * 6 + [0] * 2)
    assert first_choices("best_response", selfish)[0].tolist() == [1] * 8
    assert play(build(ID), ["best_response"] * 8, 1).returns == pytest.approx(0.728)


def kit_step(batch, actions):
    batch.step(np.array([actions]))


def chain(players, threshold, strength, mutation=0.0):
    """The transition matrix of the number of imitators that choose `collective`."""

    def logistic(x):
        return 1 / (1 + np.exp(-strength * x))

    matrix = np.zeros((players + 1, players + 1))
    for k in range(players + 1):
        own, other = expected(k, 1, threshold, True), expected(k, 0, threshold, True)
        leave = min(players - k, players - 1) / (players - 1) * logistic(other - own)
        join = min(k, players - 1) / (players - 1) * logistic(own - other)
        stay = (1 - mutation) * (1 - leave) + mutation / 2
        join = (1 - mutation) * join + mutation / 2
        staying = stats.binom.pmf(np.arange(k + 1), k, stay)
        joining = stats.binom.pmf(np.arange(players - k + 1), players - k, join)
        matrix[k] = np.convolve(staying, joining)
    return matrix


@pytest.mark.slow
@pytest.mark.parametrize("threshold, strength, mutation", [(6, 10.0, 0.0), (2, 10.0, 0.1), (8, 3.0, 0.0)])
def test_imitation_is_the_chain(threshold, strength, mutation):
    """The distribution of the number of players that choose `collective`, round by round, from a fair start."""
    rounds, num = 4, 2000
    batch = started(num, threshold=threshold, rounds=rounds)
    kit.finish(batch, f"imitator:first=0.5,strength={strength},mutation={mutation}")
    now = stats.binom.pmf(np.arange(9), 8, 0.5)
    step = chain(8, threshold, strength, mutation)
    for t in range(rounds):
        found = np.bincount(batch.records["counts"][:, t], minlength=9)
        keep = num * now > 5
        chi = ((found - num * now)[keep] ** 2 / (num * now)[keep]).sum()
        assert stats.chi2.sf(chi, keep.sum()) > 1e-4, (t, found, num * now)
        now = now @ step


def test_neighbours_on_a_ring():
    """With reach 1, a player between two of its own choice never changes."""
    batch = started(60, players=9, threshold=9, rounds=2)
    batch.step(np.tile([0, 0, 0, 0, 1, 1, 1, 1, 1], (60, 1)))
    chosen = first_choices("imitator:reach=1,strength=0.0", batch)
    changed = (chosen != [0, 0, 0, 0, 1, 1, 1, 1, 1]).mean(axis=0)
    assert (changed[[1, 2, 5, 6, 7]] == 0).all()
    assert abs(changed[[0, 3, 4, 8]] - 0.25).max() < 5 * 0.44 / 60**0.5  # one of two neighbours, half of the time


@pytest.mark.parametrize(
    "params, message",
    [
        ({"players": 4, "threshold": 5}, "threshold=5 must be at most players=4"),
        ({"fixed": 8}, "fixed=8 must be below players=8"),
        ({"high": 11.0}, "high=11.0"),
        ({"rewards": "sum"}, "rewards='sum'"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        build(ID, params)


def test_wrong_states_and_tuning():
    batch = started()
    kit_step(batch, [1] * 8)
    records = batch.records.copy()
    records["choices"][0, 2] = -1
    with pytest.raises(SnapshotError, match="choices do not go with the turn"):
        batch.world.admit(records)
    assert batch.world.retuned({"threshold": 3, "high": 2.0}).reward_range == (-8, 16)
    with pytest.raises(ParameterError):
        batch.world.retuned({"threshold": 9})


def test_text_and_picture():
    batch = started(fixed=2)
    world = batch.world
    assert "player_6 and player_7 always take part, and nobody plays them." in world.prompt(batch.record(), 0)
    kit_step(batch, [1, 0, 1, 0, 0, 0])
    text = world.text(batch.record(), 0)
    assert "the plan failed. 4 chose `collective`: player_0, player_2, player_6, player_7." in text
    assert "Your score is 0.8; the mean is 0.9." in text and "Round 2 of 3" in text
    for _ in range(2):
        kit_step(batch, [1] * 6)
    assert "It is over." in world.text(batch.record(), 5)
    for params in ({}, dict(players=64, threshold=64), dict(players=2, threshold=1, rewards="additive")):
        batch = started(**params)
        assert len(batch.world.scene(batch.record(), 0).shapes) > 20
