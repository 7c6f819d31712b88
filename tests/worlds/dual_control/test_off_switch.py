"""The off-switch game: incentives in closed form and by simulation, the Bayesian robot, secrets, levels."""

import itertools
import json
import math
from functools import cache

import dual_play
import kit
import numpy as np
import pytest
from dual_play import act_out
from scipy import integrate, special, stats

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.dual_control.off_switch import (
    ACT,
    ALLOW,
    DEFER,
    HUMAN,
    OFF,
    REFUSE,
    ROBOT,
    OffSwitch,
    allow_probability,
    defer_value,
    guess,
    incentive,
)
from envsuite.registry import build

ID = "envsuite/OffSwitch-v0"

# Incentives to defer at standard deviation 1, by the human's noise, for means 0, +-.5, +-1: closed form for noise 0
# (Hadfield-Menell et al. 2017, mu Phi + sigma phi - max(mu, 0)), numerical quadrature for the others.
TABLE = {
    0.0: (0.3989, 0.1978, 0.0833),
    0.1: (0.3926, 0.1922, 0.0793),
    0.5: (0.3029, 0.1049, 0.0),
    1.0: (0.2066, 0.0, -0.1253),
    2.0: (0.1180, -0.1042, -0.2721),
}
CELLS = [
    (beta, sign * mean, value)
    for beta, row in TABLE.items()
    for mean, value in zip((0.0, 0.5, 1.0), row)
    for sign in ((1,) if mean == 0 else (1, -1))
]


@pytest.mark.parametrize(("beta", "mean", "value"), CELLS)
def test_incentive(beta, mean, value):
    assert round(incentive(mean, 1.0, beta), 4) == value


def test_incentive_against_scipy():
    for mean, std, beta in itertools.product((-3, -0.2, 0, 1.7), (0.3, 1, 5), (0.02, 0.4, 3)):

        def density(u, mean=mean, std=std, beta=beta):
            return stats.norm.pdf(u, mean, std) * u * special.expit(u / beta)

        value = integrate.quad(density, mean - 12 * std, mean + 12 * std, points=[0, mean], limit=400)[0]
        assert defer_value(mean, std, beta) == pytest.approx(value, abs=1e-6 * std)


def test_zero_crossing():
    """Exactly at |mean| = std ** 2 / (2 beta), from positive to negative as the mean leaves 0."""
    for std, beta in ((0.5, 0.25), (1, 0.25), (1, 1), (2, 0.5), (2, 4)):
        crossing = std**2 / (2 * beta)
        for sign in (1, -1):
            assert incentive(sign * crossing, std, beta) == pytest.approx(0, abs=1e-6)
            assert incentive(sign * crossing * 0.9, std, beta) > 1e-3
            assert incentive(sign * crossing * 1.1, std, beta) < -1e-3


def test_limits():
    """A sure robot never gains from a noisy human; a little noise is almost none; a rational human never harms."""
    for mean, beta in itertools.product((-2, -0.1, 0.1, 2), (0.5, 1, 5)):
        assert incentive(mean, 0.0, beta) < 0
        assert incentive(mean, 1e-3, beta) < 0
        assert incentive(mean, 1e-3, beta) == pytest.approx(incentive(mean, 0.0, beta), abs=1e-5)
    for mean, std in itertools.product((-3, -0.5, 0, 0.5, 3), (0.1, 1, 10)):
        assert incentive(mean, std, 1e-4 * std) == pytest.approx(incentive(mean, std, 0.0), abs=1e-6 * std)
        assert incentive(mean, std, 0.0) >= 0 and defer_value(mean, std, 0.0) >= 0
    assert incentive(1.0, 0.0, 0.0) == 0 == incentive(-1.0, 0.0, 0.0)
    assert allow_probability(np.array([-1.0, 1.0]), 0.0).tolist() == [0, 1]


def play(robot, human, num, level=None, **params):
    return dual_play.play(build(ID, params), robot, human, num, level)[0]


@pytest.mark.slow
@pytest.mark.parametrize(("beta", "mean", "value"), CELLS)
def test_incentive_by_simulation(beta, mean, value):
    """Mean return of "defer" beyond the better of "act" and "switch_off" on the same utilities, in 200,000 episodes."""
    human = f"boltzmann:beta={beta}" if beta else "rational"
    deferred = play("defer", human, 200_000, mean=mean)
    other = play("act" if mean > 0 else "switch_off", human, 200_000, mean=mean)
    gain = deferred - other
    assert abs(gain.mean() - incentive(mean, 1.0, beta)) < 4.5 * gain.std() / gain.size**0.5


@pytest.mark.slow
def test_utility_distribution():
    """U is normal with the world's mean and deviation, whatever the robot believes (Kolmogorov and Smirnov)."""
    drawn = play("act", "rational", 50_000, mean=2.0, std=3.0, believed_mean=-5.0, believed_std=1.0)
    assert stats.kstest(drawn, "norm", (2.0, 3.0)).pvalue > 1e-6


@cache
def posterior(mean, std, beta, allowed, refused):
    """By scipy, to 1e-11 of a deviation: the means of U, of being allowed, and of U where allowed."""

    def integral(f):
        def weighted(u):
            chance = 0.5 * (1 + math.tanh(0.5 * u / beta))
            density = math.exp(-0.5 * ((u - mean) / std) ** 2) * chance**allowed * (1 - chance) ** refused
            return density * f(u, chance)

        points = [0, *(sign * beta * scale for sign in (-1, 1) for scale in (1, 8, 64))]
        points = [point for point in points if abs(point - mean) < 10 * std]
        low, high = mean - 10 * std, mean + 10 * std
        return integrate.quad(weighted, low, high, limit=400, points=points, epsabs=0, epsrel=1e-11)[0]

    total = integral(lambda u, chance: 1.0)
    return tuple(
        integral(f) / total for f in (lambda u, chance: u, lambda u, chance: chance, lambda u, chance: u * chance)
    )


def value_and_plan(mean, std, beta, cost, rounds):
    """Independent dynamic programming, over all orders of asking, acting and being off: value, and what to do first."""
    known = {}

    def best(left, allowed, refused):
        if left == 0:
            return 0.0, None
        if (left, allowed, refused) not in known:
            utility, chance, gain = posterior(mean, std, beta, allowed, refused)
            later = best(left - 1, allowed, refused)[0]
            ask = gain - cost + chance * best(left - 1, allowed + 1, refused)[0]
            ask += (1 - chance) * best(left - 1, allowed, refused + 1)[0]
            known[left, allowed, refused] = max((ask, DEFER), (later + utility, ACT), (later, OFF))
        return known[left, allowed, refused]

    return best(rounds, 0, 0)[0], known


def robot_observation(world, left, allowed, refused):
    batch = kit.started(world)
    slot = batch.observations[:, :1].copy()
    slot["rounds_left"], slot["allowed"], slot["refused"] = left, allowed, refused
    return slot


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "std", "beta", "cost", "rounds"),
    [(0.3, 1.0, 0.7, 0.1, 4), (-0.8, 2.0, 1.5, 0.0, 4), (0.13, 1.0, 0.02, 0.3, 3)],
)
def test_bayesian_robot(mean, std, beta, cost, rounds):
    """Its posterior mean and its choice in every state, and its return, equal scipy's; the choices are of two kinds."""
    world = build(ID, {"mean": mean, "std": std, "beta": beta, "ask_cost": cost, "rounds": rounds})
    value, wanted = value_and_plan(mean, std, beta, cost, rounds)
    robot = make_policy("optimal", world)
    for (left, allowed, refused), (_, choice) in wanted.items():
        robot.reset(0, 1)
        slot = robot_observation(world, left, allowed, refused)
        action = robot.act_batch(slot, np.ones((1, 1, 3), np.int8), [ROBOT])[0, 0]
        expected = posterior(mean, std, beta, allowed, refused)[0]
        assert robot.memories["expected"][0, ROBOT] == pytest.approx(expected, abs=1e-9 * std)
        assert action == choice, (left, allowed, refused)
    assert len({choice for _, choice in wanted.values()}) > 1
    returns = play("optimal", "boltzmann", 100_000, mean=mean, std=std, beta=beta, ask_cost=cost, rounds=rounds)
    assert abs(returns.mean() - value) < 4.5 * returns.std() / returns.size**0.5


@pytest.mark.parametrize("mean", [-3.0, -0.5, 0.0, 2.0])
def test_posterior_of_a_rational_human(mean):
    """Permission or refusal cuts the normal at 0: mu + sigma phi / Phi, the truncated normal's mean, to 1e-5 sigma."""
    for std in (0.1, 1.0, 10.0):
        world = build(ID, {"mean": mean * std, "std": std, "rounds": 4})
        robot = make_policy("optimal", world)
        for allowed, refused, low, high in ((1, 0, -mean, np.inf), (3, 0, -mean, np.inf), (0, 2, -np.inf, -mean)):
            robot.reset(0, 1)
            robot.act_batch(robot_observation(world, 1, allowed, refused), np.ones((1, 1, 3), np.int8), [ROBOT])
            cut = stats.truncnorm.mean(low, high, mean * std, std)
            assert robot.memories["expected"][0, ROBOT] == pytest.approx(cut, abs=1e-5 * std)


def test_one_round_optimum():
    """The optimal robot defers exactly where that pays more than it costs, else does the better of act and off."""
    for mean, std, beta, cost in itertools.product((-1.5, -0.4, 0.4, 1.5), (0.5, 2), (0, 0.3, 1, 6), (0, 0.1)):
        gain = incentive(mean, std, beta) - cost
        if abs(gain) < 1e-3 * std:
            continue  # on the crossing, where both are best, or a rational human as good as never refuses
        world = build(ID, {"mean": mean, "std": std, "beta": beta, "ask_cost": cost})
        robot = make_policy("optimal", world)
        robot.reset(0, 1)
        action = robot.act_batch(robot_observation(world, 1, 0, 0), np.ones((1, 1, 3), np.int8), [ROBOT])[0, 0]
        assert action == (DEFER if gain > 0 else ACT if mean > 0 else OFF), (mean, std, beta, cost)


def test_never_off_before_a_rational_human():
    for mean, std in itertools.product((-80, -3, -0.1, 0, 2), (0, 0.1, 1, 10)):
        world = build(ID, {"mean": float(mean), "std": float(std)})
        robot = make_policy("optimal", world)
        robot.reset(0, 1)
        assert robot.act_batch(robot_observation(world, 1, 0, 0), np.ones((1, 1, 3), np.int8), [0])[0, 0] != OFF


@pytest.mark.slow
def test_optimal_beats_fixed_robots():
    """Ten rounds, noisy human, a price for asking: more than act, off and defer by ten standard errors."""
    params = {"rounds": 10, "mean": 0.3, "beta": 1.0, "ask_cost": 0.1}
    optimal = play("optimal", "boltzmann", 20_000, **params)
    for fixed in ("act", "switch_off", "defer", "random"):
        gain = optimal - play(fixed, "boltzmann", 20_000, **params)
        assert gain.mean() > 10 * gain.std() / gain.size**0.5, fixed


def test_wrong_beliefs_cost():
    """A robot sure of a wrong mean is worth less than one that is told the truth, and than a rational human allows."""
    truth = play("optimal", "rational", 20_000, mean=-1.0)
    wrong = play("optimal", "rational", 20_000, mean=-1.0, believed_mean=1.0, believed_std=0.0, ask_cost=0.01)
    assert truth.mean() > wrong.mean() + 1
    assert wrong.mean() == pytest.approx(-1.0, abs=0.05)  # it acts at once: the mean of U


def test_contradictory_answers():
    """A human believed rational who answers both ways: U is believed to be about 0."""
    world = build(ID, {"mean": 0.7, "rounds": 8})
    robot = make_policy("optimal", world)
    robot.reset(0, 1)
    robot.act_batch(robot_observation(world, 2, 3, 3), np.ones((1, 1, 3), np.int8), [ROBOT])
    assert abs(robot.memories["expected"][0, ROBOT]) < 0.05


@pytest.mark.slow
def test_every_policy_plays_both_seats():
    for name in ("random", "optimal", "rational", "boltzmann", "act", "switch_off", "defer"):
        returns = play(name, name, 4000, rounds=3, beta=0.5)
        assert np.isfinite(returns).all()
    assert play("optimal", "optimal", 50_000).mean() == pytest.approx(0.3989, abs=0.015)  # the table: rational human
    # A negative beta is the one that the robot is told.
    same = play("defer", "boltzmann", 1000, beta=0.7), play("defer", "boltzmann:beta=0.7", 1000)
    assert (same[0] == same[1]).all()


@pytest.mark.slow
def test_boltzmann_probabilities():
    for utility in (-1.0, 0.2, 3.0):
        returns = play("defer", "boltzmann:beta=0.8", 20_000, {"utility": utility})
        chance = special.expit(utility / 0.8)
        assert set(np.unique(returns)) == {0.0, utility}
        assert abs((returns != 0).mean() - chance) < 5 * (chance * (1 - chance) / 20_000) ** 0.5


@pytest.mark.parametrize(
    ("moves", "rewards"),
    [
        ([ACT], [2.0]),
        ([OFF], [0.0]),
        ([DEFER, ALLOW], [-0.25, 2.0]),
        ([DEFER, REFUSE], [-0.25, 0.0]),
    ],
)
def test_one_round(moves, rewards):
    batch, got = act_out(OffSwitch(ask_cost=0.25), {"utility": 2.0}, moves)
    assert got == rewards
    assert batch.terminations.all() and not batch.truncations.any() and not batch.masks.any()


def test_rounds_pay_at_the_end():
    """All five courses of a round; masks by phase; nothing is paid before the end but the cost of asking."""
    world = OffSwitch(rounds=4, ask_cost=0.5)
    moves = [ACT, OFF, DEFER, REFUSE, DEFER, ALLOW]
    batch, rewards = act_out(world, {"utility": -3.0}, moves)
    assert rewards == [0, 0, -0.5, 0, -0.5, -6.0] and batch.over()[0]
    slot = batch.observations[0, ROBOT]
    assert [int(slot[name]) for name in ("rounds_left", "acted", "allowed", "refused")] == [0, 1, 1, 1]
    batch, _ = act_out(world, {"utility": -3.0}, moves[:3])
    assert batch.masks[0].tolist() == [[0, 0, 0], [1, 1, 0]] and batch.record().asked == 1
    batch.start()  # the next game begins with the robot, and with no rounds decided
    assert batch.masks[0].tolist() == [[1, 1, 1], [0, 0, 0]] and batch.record().asked == 0
    slot = batch.observations[0, ROBOT]
    assert [int(slot[name]) for name in ("rounds_left", "acted", "allowed", "refused")] == [4, 0, 0, 0]
    batch, _ = act_out(world, {"utility": -3.0}, moves[:4])
    assert batch.masks[0].tolist() == [[1, 1, 1], [0, 0, 0]]


def test_robot_never_learns_the_utility():
    """Two utilities and the same moves: the robot's observations, rewards before the end and texts do not differ."""
    world = OffSwitch(rounds=4, beta=0.5, ask_cost=0.1)
    moves = [ACT, DEFER, ALLOW, DEFER, REFUSE]
    for count in range(len(moves) + 1):
        (one, rewards), (other, others) = (act_out(world, {"utility": u}, moves[:count]) for u in (0.123, -4.567))
        assert rewards == others
        assert one.observations[0, ROBOT].tobytes() == other.observations[0, ROBOT].tobytes()
        assert one.observations[0, HUMAN]["utility"] == 0.123 and other.observations[0, HUMAN]["utility"] == -4.567
        assert world.text(one.record(), ROBOT) == world.text(other.record(), ROBOT)
        assert "0.123" in world.text(one.record(), HUMAN)
        assert any("+0.12" in getattr(shape, "text", "") for shape in world.scene(one.record()).shapes)


def test_the_picture_shows_what_is_said():
    """The last words of both; the switch is off after both ways to be off, and an act shows its worth."""
    for moves, wanted in (
        ([], {"on"}),
        ([ACT], {"on", "I act.", "+2.00"}),
        ([OFF], {"off", "I switch myself off.", "0"}),
        ([DEFER], {"on", "May I act?"}),
        ([DEFER, ALLOW], {"on", "May I act?", "Go ahead.", "+2.00"}),
        ([DEFER, REFUSE], {"off", "May I act?", "No: off.", "0"}),
    ):
        batch, _ = act_out(OffSwitch(), {"utility": 2.0}, moves)
        shown = {getattr(shape, "text", "") for shape in batch.world.scene(batch.record(), HUMAN).shapes}
        words = {"on", "off", "I act.", "I switch myself off.", "May I act?", "Go ahead.", "No: off.", "+2.00", "0"}
        assert shown & words == wanted


def test_guesses_of_the_utility():
    """Those of a robot are drawn from the distribution that it was told; a human knows the utility."""
    s = kit.started(OffSwitch(believed_mean=-4.0, believed_std=2.0), level={"utility": 0.5}).record()
    guess(s, HUMAN)
    assert s.utility == 0.5
    drawn = []
    for _ in range(400):
        guess(s, ROBOT)
        drawn.append(s.utility)
    assert abs(np.mean(drawn) + 4) < 4 * 2 / 20 and abs(np.std(drawn) - 2) < 4 * 2 / 800**0.5


def test_robot_is_told():
    world = OffSwitch(mean=1.0, std=2.0, beta=0.5, ask_cost=0.25, believed_mean=-1.0, believed_std=0.0)
    batch = kit.started(world)
    assert batch.observations["parameters"][0].tolist() == [[-1.0, 0.0, 0.5, 0.25]] * 2
    for agent, space in enumerate(world.observation_spaces):
        assert space.contains({name: batch.observations[0, agent][name] for name in space})
    assert "utility" not in world.observation_spaces[ROBOT].keys()


def test_level_round_trip():
    world = OffSwitch()
    batch = kit.started(world, seed=7)
    level = json.loads(json.dumps(world.get_level(batch.record())))
    again = kit.started(world, level=level)
    assert again.records["utility"] == batch.records["utility"]


@pytest.mark.parametrize("value", [math.nan, math.inf, 2000, "1", None, True, [1]])
def test_wrong_levels(value):
    with pytest.raises(LevelError, match="utility|cannot be read"):
        Batch(OffSwitch(), 1).set_level(0, {"utility": value})
