"""Apprentice: exact returns by integration over theta, all strategies of the robot, beliefs by scipy, levels."""

import itertools
from fractions import Fraction
from functools import partial

import kit
import numpy as np
import pytest
from scipy import integrate

from envsuite.core.errors import ParameterError
from envsuite.dual_control.apprentice import guess
from envsuite.evaluation.matches import play
from envsuite.registry import build

ID = "envsuite/Apprentice-v0"
CLIPS, BOTH, STAPLES = range(3)

started = partial(kit.started, ID)

#: Hadfield-Menell et al. 2016: where the best response to a copying robot shows both.
LOW, HIGH = Fraction(41, 92), Fraction(51, 92)


def returns(human, robot, thetas, **params):
    """The returns of a pair of policies at these values of theta, with the acts of both."""
    batch = kit.started(ID, len(thetas), level=[{"theta": float(theta)} for theta in thetas], **params)
    total = kit.finish(batch, human, robot, second=lambda: np.repeat(batch.records["turn"][:, None] > 0, 2, axis=1))
    assert (total[:, 0] == total[:, 1]).all()
    return total[:, 0], batch.records["shown"], batch.records["made"]


def lines(amounts, act):
    """The worth of an act as (slope, intercept) in theta."""
    single, each = amounts
    return {CLIPS: (single, 0), BOTH: (0, each), STAPLES: (-single, single)}[act]


def envelope(options):
    """The integral over [0, 1] of the largest of these lines, exactly, and the places where the best line changes."""
    cuts = {Fraction(0), Fraction(1)}
    for (a, b), (c, d) in itertools.combinations(options, 2):
        if a != c and 0 < (cut := Fraction(d - b, a - c)) < 1:
            cuts.add(cut)
    cuts = sorted(cuts)
    total, best = Fraction(0), []
    for low, high in itertools.pairwise(cuts):
        middle = (low + high) / 2
        a, b = max(options, key=lambda line: line[0] * middle + line[1])
        total += (high - low) * (a * middle + b)
        best.append((a, b))
    return total, [cut for cut, before, after in zip(cuts[1:], best, best[1:]) if before != after]


def team(decoder, human=(2, 1), robot=(90, 50)):
    """The value of a robot that answers demonstration k with act decoder[k], and of the best response to it."""
    pairs = [(lines(human, shown), lines(robot, decoder[shown])) for shown in range(3)]
    return envelope([(a + c, b + d) for (a, b), (c, d) in pairs])


def test_exact_values_of_the_office():
    """69 for the expert, 69 + 25/92 with thresholds 41/92 and 51/92 for the best of all 27 robots."""
    expert = envelope([lines((92, 0), CLIPS), lines((92, 0), STAPLES)])
    assert expert == (69, [Fraction(1, 2)])
    assert team((CLIPS, BOTH, STAPLES)) == (69 + Fraction(25, 92), [LOW, HIGH])
    assert max(team(robot)[0] for robot in itertools.product(range(3), repeat=3)) == 69 + Fraction(25, 92)
    assert team((BOTH, BOTH, BOTH))[0] == Fraction(103, 2)


def integral(human, robot, cuts, **params):
    """The mean return of two policies by play: exact, if returns are linear in theta between the cuts."""
    ends = np.array([0, *map(float, cuts), 1])
    low, high = ends[:-1], ends[1:]
    places = low[:, None] + (high - low)[:, None] * np.array([1e-9, 0.25, 0.5, 0.75, 1 - 1e-9])
    found = returns(human, robot, places.ravel(), **params)[0].reshape(-1, 5)
    line = found[:, :1] + (found[:, 4:] - found[:, :1]) * np.array([0, 0.25, 0.5, 0.75, 1])
    assert np.allclose(found, line, atol=1e-6)
    return float((found[:, 2] * (high - low)).sum())


def test_exact_values_by_play():
    assert integral("expert", "expert", [0.5]) == pytest.approx(69, abs=1e-9)
    assert integral("pedagogic", "pedagogic", [LOW, HIGH]) == pytest.approx(69 + 25 / 92, abs=1e-9)
    assert integral("expert", "pedagogic", [0.5]) == pytest.approx(69, abs=1e-9)
    assert integral("expert", "prior", [0.5]) == pytest.approx(51.5, abs=1e-9)
    for cut, below, above in ((LOW, STAPLES, BOTH), (HIGH, BOTH, CLIPS)):
        _, shown, made = returns("pedagogic", "pedagogic", [float(cut) - 1e-9, float(cut) + 1e-9])
        assert shown[:, 0].tolist() == made.tolist() == [below, above]
    for policy, value in (("expert", 69), ("pedagogic", 69 + 25 / 92), ("prior", 51.5), ("random", (1 + 140 / 3))):
        found = play(build(ID), [policy, policy], 400).returns[:, 0]
        assert abs(found.mean() - value) < 5 * found.std() / len(found) ** 0.5


@pytest.mark.parametrize("human, robot", [((2, 1), (90, 50)), ((7, 3), (40, 21)), ((3, 2), (10, 8)), ((0, 1), (9, 5))])
def test_best_response_at_other_amounts(human, robot):
    value, cuts = team((CLIPS, BOTH, STAPLES), human, robot)
    params = dict(human_single=human[0], human_each=human[1], robot_single=robot[0], robot_each=robot[1])
    assert integral("pedagogic", "pedagogic", cuts, **params) == pytest.approx(float(value), abs=1e-6)


def test_more_demonstrations():
    """Three messages suffice. With d demonstrations, one of them is enough to say "both": the thresholds stay."""
    for count in (2, 3):
        options = []
        for shown in itertools.product(range(3), repeat=count):
            act = shown[0] if len(set(shown)) == 1 else BOTH
            parts = [lines((2, 1), k) for k in shown] + [lines((90, 50), act)]
            options.append((sum(a for a, _ in parts), sum(b for _, b in parts)))
        value, cuts = envelope(options)
        assert (LOW in cuts) and (HIGH in cuts)
        assert integral("pedagogic", "pedagogic", cuts, demonstrations=count) == pytest.approx(float(value), abs=1e-6)


@pytest.mark.slow
def test_no_robot_beats_copying_two_demonstrations():
    """All 3^9 robots that watch two demonstrations, each with the human's best response, on a fine grid of theta."""
    thetas = (np.arange(460) + 0.5) / 460
    messages = list(itertools.product(range(3), repeat=2))
    values = np.empty((9, 3, len(thetas)))
    for (m, shown), act in itertools.product(enumerate(messages), range(3)):
        parts = [lines((2, 1), k) for k in shown] + [lines((90, 50), act)]
        values[m, act] = sum(a for a, _ in parts) * thetas + sum(b for _, b in parts)
    best = np.full((1, len(thetas)), -np.inf)
    for m in range(9):
        best = np.maximum(best[:, None], values[m][None]).reshape(-1, len(thetas))
        if m in (3, 6):  # of robots that are equal so far, one is enough
            best = np.unique(best, axis=0)
    found = returns("pedagogic", "pedagogic", thetas, demonstrations=2)[0]
    assert best.mean(axis=1).max() == pytest.approx(found.mean(), abs=1e-9)


@pytest.mark.parametrize("beta", [0.3, 1.0, 5.0])
def test_inverse_of_a_noisy_human(beta):
    """The robot's act is best for its mean of theta given the demonstrations, by scipy's quadrature."""
    params = dict(demonstrations=3, human_single=4, human_each=2, robot_single=90, robot_each=52)

    def chance(shown, theta):
        worths = np.array([4 * theta, 2, 4 * (1 - theta)])
        return (np.exp(worths / beta) / np.exp(worths / beta).sum())[list(shown)].prod()

    for shown in itertools.product(range(3), repeat=3):
        batch = started(level={"theta": 0.5}, **params)
        kit.act(batch, *shown)
        whole, mean = (integrate.quad(lambda t, k=k, s=shown: t**k * chance(s, t), 0, 1)[0] for k in (0, 1))
        worths = {"clips": 90 * mean / whole, "both": 52, "staples": 90 * (1 - mean / whole)}
        assert kit.choices(f"boltzmann:beta={beta}", batch) == {max(worths, key=worths.get)}


def test_a_noisy_human_has_the_right_frequencies():
    num, theta = 1000, 0.8
    batch = started(num, level={"theta": theta})
    player = kit.make_policy("boltzmann:beta=0.7", batch.world)
    player.reset(0, num)
    chosen = player.act_batch(batch.observations[:, [0]], batch.masks[:, [0]], [0])[:, 0]
    weights = np.exp(np.array([2 * theta, 1, 2 * (1 - theta)]) / 0.7)
    wanted = weights / weights.sum()
    assert (abs(np.bincount(chosen, minlength=3) / num - wanted) < 5 * (wanted * (1 - wanted) / num) ** 0.5).all()


def test_an_expert_is_inverted():
    """With many things of both, the expert shows both in the middle, and the robot knows where."""
    params = dict(human_single=10, human_each=8, robot_single=100, robot_each=89)
    thetas = np.linspace(0.005, 0.995, 100)
    _, shown, made = returns("expert", "expert", thetas, **params)
    assert (shown[:, 0] == np.where(thetas > 0.8, CLIPS, np.where(thetas < 0.2, STAPLES, BOTH))).all()
    assert (made == shown[:, 0]).all()  # the mean of theta is 0.9 after clips, and 90 is more than 89
    _, _, made = returns("expert", "expert", thetas, **{**params, "robot_each": 91})
    assert (made == BOTH).all()


def test_turns_secrets_and_rewards():
    batch = started(demonstrations=2, level={"theta": 0.25})
    before = batch.observations[0, 1].tobytes()
    other = started(demonstrations=2, level={"theta": 0.75})
    assert batch.observations["theta"][0, 0] == 0.25 and other.observations[0, 1].tobytes() == before
    kit.act(batch, "both", "staples")
    assert batch.rewards[0].tolist() == [0, 0] and kit.mover(batch) == 1
    assert batch.observations["shown"][0].tolist() == [[BOTH, STAPLES]] * 2
    assert "Shown so far: both, staples." in batch.world.text(batch.record(), 1)
    kit.act(batch, "clips")
    assert batch.rewards[0].tolist() == [1 + 2 * 0.75 + 90 * 0.25] * 2 and batch.terminations.all()
    assert batch.observations["made"][0].tolist() == [[CLIPS]] * 2
    assert "Theta was 0.2500" in batch.world.text(batch.record(), 1)


def test_theta_is_uniform():
    drawn = np.sort(started(1000).records["theta"])
    assert abs(drawn - (np.arange(1000) + 0.5) / 1000).max() < 2 / 1000**0.5


def test_the_robot_guesses_theta_without_reading_it():
    """The same draws whatever theta is, uniform; the human's record stays as it is."""
    one, other = (started(500, level={"theta": theta}) for theta in (0.1, 0.9))
    with np.errstate(over="ignore"):  # words of the random stream wrap around
        for i in range(500):
            guess(one.record(i), 1), guess(other.record(i), 1)
    drawn = np.sort(one.records["theta"])
    assert (one.records["theta"] == other.records["theta"]).all()
    assert abs(drawn - (np.arange(500) + 0.5) / 500).max() < 2 / 500**0.5
    guess(one.record(), 0)
    assert (one.records["theta"] == other.records["theta"]).all()


def test_levels_and_wrong_parameters():
    batch = started(level={"theta": 0.3})
    assert batch.world.get_level(batch.record()) == {"theta": 0.3}
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({"worth": 1}, "not 'worth'"),
        ({"theta": 1.5}, "theta=1.5"),
        ({"theta": True}, "theta=True"),
        ({"theta": float("nan")}, "theta=nan"),
    )
    for params in ({"demonstrations": 0}, {"human_single": -1}, {"robot_each": 101}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    s = started().record()
    s.shown[0] = BOTH
    assert "number differ" in batch.world.contradiction(s)
