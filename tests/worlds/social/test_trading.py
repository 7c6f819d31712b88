"""Trading: accounts and indicators in NumPy, closed forms of all price models, a forward algorithm, levels, views."""

from functools import partial

import kit
import numpy as np
import pytest
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build

ID = "envsuite/Trading-v0"

started = partial(kit.started, ID)

FREE = dict(fee=0.0, impact=0.0, query_cost=0.0)

SLOW = pytest.mark.slow

ROOT = (2 / np.pi) ** 0.5


def returns(num, seed=0, **params):
    """The returns (num, rows, assets) of `num` markets, and the records."""
    records = started(num, seed, **params).records
    return records["level"]["returns"], records


# The accounts.


def indicators(past):
    """Momentum, volatility and autocorrelation of the last 20 returns."""
    last = past[-20:]
    return [last.mean(), last.std(), (last[1:] * last[:-1]).sum() / (last[:-1] ** 2).sum()]


@pytest.mark.parametrize(
    "params",
    [
        dict(traders=1, queries=0, bars=20),
        dict(traders=3, assets=2, queries=3, bars=8, sizes=2, fee=0.01, impact=0.02, query_cost=0.003),
        dict(traders=2, assets=3, queries=12, bars=6, sizes=4, reward="growth", prices="factors", impact=0.05),
        dict(traders=2, assets=1, queries=2, bars=12, sizes=3, reward="growth", prices="coin", sigma=0.5),
    ],
)
def test_accounts(params):
    """Random play: every number that traders see and get, calculated here from returns and choices."""
    rng, batch = np.random.default_rng(1), started(**params)
    world, s, p = batch.world, batch.record(), batch.world.parameters
    traders, assets, sizes = p["traders"], p["assets"], p["sizes"]
    r, regimes = np.array(s.level.returns), np.array(s.level.regimes)
    prices = np.array(s.level.start) * np.cumprod(np.vstack([np.ones(assets), 1 + r]), axis=0)
    shares, flow, score = np.zeros((traders, assets)), np.zeros(assets), np.zeros(traders)
    for bar in range(p["bars"]):
        chosen, asked = np.zeros((traders, assets)), np.zeros(traders, int)
        place, known = np.zeros(traders, int), [set() for _ in range(traders)]
        while (place < assets).any():
            seen, rewards, actions = batch.observations[0], np.zeros(traders), np.zeros((1, traders), int)
            for k in range(traders):
                assert seen["left"][k, 0] == p["bars"] - bar and seen["asset"][k, 0] == place[k]
                assert (seen["returns"][k] == r[bar : bar + 20][::-1]).all()
                assert seen["price"][k] == pytest.approx(prices[20 + bar])
                assert seen["position"][k] == pytest.approx(shares[k]) and seen["flow"][k] == pytest.approx(flow)
                assert (seen["news"][k] == s.level.news[bar]).all() and seen["score"][k, 0] == pytest.approx(score[k])
                assert seen["queries"][k, 0] == p["queries"] - asked[k]
                mask, names = batch.masks[0, k], world.action_names[k]
                legal = set() if place[k] == assets else set(range(2 * sizes + 1))
                if legal and asked[k] < p["queries"]:
                    most = 4 if p["prices"] == "regimes" else 3
                    legal |= {2 * sizes + 1 + j for j in range(most) if j not in known[k]}
                assert {*np.flatnonzero(mask).tolist()} == legal
                if not legal:
                    continue
                action = int(rng.choice(sorted(legal)))
                actions[0, k] = action
                if action > 2 * sizes:
                    known[k].add(action - 2 * sizes - 1)
                    asked[k] += 1
                    rewards[k] -= p["query_cost"]
                else:
                    side, _, part = names[action].partition(" ")
                    sign = {"short": -1, "flat": 0, "long": 1}[side]
                    chosen[k, place[k]] = sign * round(float(part or 0) * sizes) / sizes / assets
                    place[k] += 1
                    known[k] = set()
            if (place == assets).all():
                change = chosen - shares
                flow = change.sum(axis=0)
                gain = chosen @ r[20 + bar] - p["fee"] * abs(change).sum(axis=1) - p["impact"] * change @ flow
                rewards += np.log(np.maximum(1 + gain, 0.01)) if p["reward"] == "growth" else gain
                shares = chosen
            batch.step(actions)
            score += rewards
            assert batch.rewards[0] == pytest.approx(rewards, abs=1e-12)
            for k in range(traders if (place < assets).any() else 0):
                found, now = batch.observations[0], min(place[k], assets - 1)
                values = [*indicators(r[: 20 + bar, now]), found["readings"][k, 3]]
                assert {*np.flatnonzero(found["known"][k]).tolist()} == known[k]
                assert found["readings"][k] == pytest.approx([v * (j in known[k]) for j, v in enumerate(values)])
                assert 3 not in known[k] or values[3] in (0, 1, 2) and regimes[20 + bar, now] >= 0
        assert batch.terminations[0].tolist() == [bar + 1 == p["bars"]] * traders


def test_impact_moves_ticks_between_traders():
    """Together, traders pay the square of the flow; a trader against the crowd earns what others lose."""
    level = {"returns": [[0.0]] * 22}
    for acts, paid in ((("long 1",) * 3, (3, 3, 3)), (("long 1", "long 1", "short 1"), (1, 1, -1))):
        batch = started(traders=3, bars=2, level=level, fee=0.0, impact=0.01)
        names = batch.world.action_names[0]
        batch.step(np.array([[names.index(act) for act in acts]]))
        assert batch.rewards[0] == pytest.approx(-0.01 * np.array(paid))


# The models of prices.


def test_sign_of_the_last_return_in_a_trend():
    """rho * deviation * sqrt(2 / pi): .16287 for rho .2 and sigma 1 in the specification."""
    r, records = returns(50, rho=0.2, stay=1.0, bars=900, traders=1, queries=0)
    assert 0.2 / (1 - 0.2**2) ** 0.5 * ROOT == pytest.approx(0.16287, abs=1e-5)
    earned = np.sign(r[:, :-1]) * r[:, 1:] / 0.01
    for regime, sign in ((0, 1), (1, -1), (2, 0)):
        mine = earned[records["level"]["regimes"][:, 0, 0] == regime]
        assert abs(mine.mean() - sign * 0.16287) < 5 / mine.size**0.5
    assert abs(r[records["level"]["regimes"][:, 0, 0] < 2].std() / 0.01 - 0.96**-0.5) < 0.03


@pytest.mark.slow
def test_a_true_analyst_is_worth_the_closed_form():
    """The filter with reports that are always right earns rho s sqrt(2 / pi) in both kinds of regimes."""
    batch = started(30, rho=0.5, stay=1.0, bars=200, traders=1, accuracy=1.0, **FREE)
    total = kit.finish(batch, "filter")[:, 0]
    regimes = batch.records["level"]["regimes"][:, 0, 0]
    assert (total[regimes == 2] == 0).all()
    mine = total[regimes < 2] / 200 / 0.01
    assert abs(mine.mean() - 0.5 * 0.75**-0.5 * ROOT) < 5 * 1.2 / (200 * len(mine)) ** 0.5


def test_regimes_change():
    _, records = returns(60, stay=0.9, bars=300, assets=2, rho=0.8)
    z, r = records["level"]["regimes"], records["level"]["returns"]
    same = z[:, 1:] == z[:, :-1]
    assert abs(same.mean() - 0.9) < 5 * 0.3 / same.size**0.5
    assert abs((z == 0).mean() - 1 / 3) < 0.05 and abs((same[..., 0] & same[..., 1]).mean() - 0.81) < 0.02
    for regime, slope in ((0, 0.8), (1, -0.8), (2, 0.0)):
        now, last = r[:, 1:][z[:, 1:] == regime], r[:, :-1][z[:, 1:] == regime]
        fit = stats.linregress(last, now)
        assert abs(fit.slope - slope) < 5 * fit.stderr
        assert abs((now - slope * last).std() / 0.01 - 1) < 5 / (2 * len(now)) ** 0.5


def test_coins():
    r, _ = returns(40, prices="coin", up=0.7, sigma=0.03, bars=300)
    assert {*np.unique(r).tolist()} == {-0.03, 0.03}
    assert abs((r > 0).mean() - 0.7) < 5 * 0.46 / r.size**0.5


def test_pairs():
    """The spread is autoregressive, and what both share is independent of it; the closed form of trading it."""
    r, _ = returns(60, prices="pairs", assets=2, pull=0.2, bars=400)
    deviation = 0.01 / (1 - 0.8**2) ** 0.5
    moved = np.cumsum(r[..., 0] - r[..., 1], axis=1)
    spread = moved - moved.mean(axis=1, keepdims=True)
    fit = stats.linregress(spread[:, :-1].ravel(), spread[:, 1:].ravel())
    assert abs(fit.slope - 0.8) < 0.015 and abs(spread.std() / deviation - 1) < 0.04
    earned = -0.5 * np.sign(spread[:, :-1]) * np.diff(moved, axis=1)
    assert abs(earned.mean() / (0.2 * deviation / 2 * ROOT) - 1) < 0.06
    both = r.mean(axis=2).ravel()
    assert abs(both.std() / 0.01 - 1) < 0.02
    assert abs(np.corrcoef(both, (r[..., 0] - r[..., 1]).ravel())[0, 1]) < 5 / both.size**0.5


def test_factors():
    """Price changes are products of the news with fixed numbers, uniform from -1.8 to 1.8, as in OdysseyArena."""
    r, records = returns(60, prices="factors", assets=5, factors=3, bars=40)
    found = []
    for prices, news in zip(records["prices"][:, 20:], records["level"]["news"]):
        numbers, _, rank, _ = np.linalg.lstsq(news, np.diff(prices, axis=0), rcond=None)
        assert rank == 3 and np.diff(prices, axis=0) == pytest.approx(news @ numbers, abs=1e-9)
        found.append(numbers.ravel())
    assert stats.kstest(np.concatenate(found), stats.uniform(-1.8, 3.6).cdf).pvalue > 1e-4
    assert stats.kstest(records["level"]["news"].ravel(), stats.norm(0, 0.1).cdf).pvalue > 1e-4
    assert stats.kstest(records["level"]["start"].ravel(), stats.uniform(10, 90).cdf).pvalue > 1e-4
    before = np.diff(records["prices"][:, :21], axis=1)
    assert abs(before.std() / (0.1 * (3 * 1.8**2 / 3) ** 0.5) - 1) < 0.1


# Policies.


@pytest.mark.parametrize("sigma, share", [(0.2, 1.0), (0.25, 0.8), (0.5, 0.4)])
def test_kelly(sigma, share):
    """Kelly's stake of .2 for p = .6, and its growth .0201355."""
    params = dict(prices="coin", traders=1, sizes=5, reward="growth", sigma=sigma, queries=0, **FREE)
    batch = started(200, **params)
    assert kit.choices("kelly", batch) == {f"long {share:g}"}
    growth = 0.6 * np.log(1 + share * sigma) + 0.4 * np.log(1 - share * sigma)
    assert growth == pytest.approx(0.0201355, abs=1e-7)
    batch.step(batch.world.action_names[0].index(f"long {share:g}"))
    ups = (batch.records["level"]["returns"][:, 20, 0] > 0).mean()
    paid = ups * np.log(1.2) + (1 - ups) * np.log(0.8)
    assert batch.rewards.mean() == pytest.approx(paid) and abs(ups - 0.6) < 0.15


def forward(r, rho, stay, sigma, reports=(), accuracy=0.0):
    """The probabilities of the regimes of the return after `r`, by the forward algorithm in matrices and logarithms.

    `reports` (time, regime): the analyst's, each of the regime of the return at that time.
    """
    change = np.where(np.eye(3, dtype=bool), stay, (1 - stay) / 2)
    log = np.full(3, np.log(1 / 3))
    slopes = np.array([rho, -rho, 0.0])
    heard = dict(reports)
    for t in range(len(r) + 1):
        if t:
            log = np.logaddexp.reduce(log[:, None] + np.log(change), axis=0)
        if t in heard:
            log = log + np.log(np.where(np.arange(3) == heard[t], accuracy, (1 - accuracy) / 2))
        if t < len(r):
            log = log + stats.norm.logpdf(r[t], slopes * (r[t - 1] if t else 0.0), sigma)
    return np.exp(log - np.logaddexp.reduce(log))


@pytest.mark.parametrize("seed, queries", [(0, 0), (1, 2), (2, 2)])
def test_filter_is_exact(seed, queries):
    """The policy's probabilities against the forward algorithm, with all reports that it has heard."""
    params = dict(traders=1, assets=2, queries=queries, rho=0.7, stay=0.9, accuracy=0.7, bars=20, **FREE)
    batch = started(1, seed, **params)
    player, heard = make_policy("filter", batch.world), ({}, {})
    player.reset(0, 1)
    while not batch.over().all():
        seen = batch.observations[0, 0]
        now, i = 20 + 20 - int(seen["left"][0]), int(seen["asset"][0])
        if seen["known"][3]:
            heard[i][now] = int(seen["readings"][3])
        actions = player.act_batch(batch.observations, batch.masks, [0])
        wanted = forward(batch.records["level"]["returns"][0, :now, i], 0.7, 0.9, 0.01, heard[i], 0.7)
        if seen["known"][3] or actions[0, 0] < 3:  # after the report, or without one
            assert player.memories[0, 0]["belief"][i] == pytest.approx(wanted, abs=1e-9)
        batch.step(actions)
    assert bool(heard[0]) == bool(queries)


@pytest.mark.slow
def test_probabilities_are_those_of_regimes():
    """Among moments with about the same probability of a trend, that share is in a trend."""
    pairs = []
    r, records = returns(300, rho=0.7, stay=0.95, bars=30, traders=1)
    for k in range(300):
        belief = forward(r[k, :45, 0], 0.7, 0.95, 0.01)
        pairs.append((belief[0], records["level"]["regimes"][k, 45, 0] == 0))
    pairs = np.array(sorted(pairs))
    for part in np.array_split(pairs, 4):
        assert abs(part[:, 0].mean() - part[:, 1].mean()) < 5 * 0.5 / len(part) ** 0.5


def test_the_analyst():
    batch = started(600, traders=1, accuracy=0.7, bars=1)
    batch.step(batch.world.action_names[0].index("query analyst"))
    report, truth = batch.observations["readings"][:, 0, 3], batch.records["level"]["regimes"][:, 20, 0]
    assert abs((report == truth).mean() - 0.7) < 5 * 0.46 / 600**0.5
    wrong = (report - truth)[report != truth] % 3
    assert abs((wrong == 1).mean() - 0.5) < 5 * 0.5 / len(wrong) ** 0.5


@pytest.mark.parametrize(
    "params, best, others",
    [
        ({}, "filter", ("moving_average", "random")),
        pytest.param(
            dict(prices="factors", assets=2, bars=20), "least_squares", ("buy_and_hold", "random"), marks=SLOW
        ),
        pytest.param(dict(prices="pairs", assets=2, bars=20), "spread", ("buy_and_hold", "random"), marks=SLOW),
        (dict(prices="coin", sizes=3), "kelly", ("buy_and_hold", "random")),
    ],
)
def test_the_best_forecast_wins(params, best, others):
    world = build(ID, dict(queries=1, traders=1) | params)
    mine = play(world, [best], 8).returns
    for other in others:
        margin = mine - play(world, [other], 8).returns
        assert margin.mean() > (0 if (best, other) == ("kelly", "buy_and_hold") else 0.01) - 1e-9


def test_technical_rules():
    """On prices that rise or fall, and that leave their range."""
    rise, fall = ([[change]] * 21 for change in (0.01, -0.01))
    calm = [[0.001], [-0.001]] * 10
    for policy, level, name in (
        ("moving_average", rise, "long 1"),
        ("moving_average", fall, "short 1"),
        ("dual_thrust", rise, "long 1"),
        ("dual_thrust", fall, "short 1"),
        ("dual_thrust", [*calm, [0.0]], "short 1"),
        ("dual_thrust", [*calm[:-1], [0.0], [0.0]], "flat"),
        ("dual_thrust", [*calm[:-1], [0.05], [0.0]], "long 1"),
        ("buy_and_hold", fall, "long 1"),
    ):
        assert kit.choices(policy, started(bars=1, level={"returns": level}), 0) == {name}


# Levels, parameters, views.


def test_levels():
    for params in (dict(assets=2), dict(prices="factors", factors=2)):
        batch = started(**params)
        level = batch.world.get_level(batch.record())
        again = started(**params, level=level, seed=7)
        assert (batch.observations == again.observations).all()
        assert (batch.records["prices"] == again.records["prices"]).all()
    rows = [[0.01]] * 70
    given = started(level={"returns": rows})
    assert given.observations["price"][0, 0, 0] == pytest.approx(100 * 1.01**20)
    assert "query analyst" not in kit.legal(given, 0) and "query momentum" in kit.legal(given, 0)
    kit.refuses(
        given.world,
        ({}, "lacks 'returns'"),
        ({"returns": rows, "fees": 1}, "unknown part 'fees'"),
        ({"returns": rows[:-1]}, "'returns' must be 70 lists of 1 number "),
        ({"returns": "up"}, "'returns' must be"),
        ({"returns": [[True]] * 70}, r"'returns'\[0\]\[0\]=True must be a number from -0.9 to 0.9"),
        ({"returns": [[0.95]] * 70}, "a number from -0.9 to 0.9"),
        ({"returns": [[float("nan")]] * 70}, "a number from -0.9 to 0.9"),
        ({"returns": rows, "start": [0.0]}, r"'start'\[0\]=0.0 must be a number from 0.1 to 1e"),
        ({"returns": rows, "regimes": [[3]] * 70}, r"'regimes'\[0\]\[0\]=3 must be a number from -1 to 2"),
        ({"returns": rows, "regimes": [[0.5]] * 70}, "regimes are -1, 0, 1 or 2"),
        ({"returns": rows, "news": [[0.0]]}, "'news' must be 50 lists of 4 numbers"),
    )


def test_wrong_parameters_and_states():
    for params, message in (
        (dict(prices="pairs"), "needs assets=2, not 1"),
        (dict(queries=5), "queries=5 must be at most 4"),
        (dict(sigma=0.0), "sigma=0.0"),
        (dict(traders=9), "traders=9"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = started()
    for field, value, message in (
        ("bar", 50, "all bars are over"),
        ("asset", 1, "all traders wait"),
        ("asked", 2, "more queries"),
    ):
        records = batch.records.copy()
        records[field] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_and_picture():
    batch = started(assets=2, queries=2)
    names = batch.world.action_names[0]
    batch.step(np.array([[names.index("query analyst"), names.index("long 1")]]))
    world, s = batch.world, batch.record()
    text, shapes, all_shapes = world.text(s, 0), world.scene(s, 0).shapes, world.scene(s).shapes
    assert "The analyst says:" in text and "Queries left: 1." in text
    assert "The analyst says" not in world.text(s, 1) and "a position in asset 1" in world.text(s, 1)
    s.level.regimes[:] = (s.level.regimes + 1) % 3
    s.shares[1] = s.chosen[1] = -0.5
    s.level.returns[20:] = 0.0
    assert world.text(s, 0) == text and world.scene(s, 0).shapes == shapes and world.scene(s).shapes != all_shapes
    batch.step(np.array([[0, 0]]))
    assert "You wait for the other traders." in world.text(batch.record(), 1)
    over = started(bars=1, prices="factors", assets=9, queries=0)
    for _ in range(9):
        over.step(2)
    assert "It is over after 1 bars." in over.world.text(over.record(), 0) and over.world.scene(over.record(), 1).shapes
