"""Supply chain: or-gym week by week, the beer game against a second implementation, costs of rules, pictures."""

import itertools
import json
from functools import partial

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.registry import build

ID = "envsuite/SupplyChain-v0"

# Made by tests/data/recorders/or_gym.py.
REFERENCE = json.loads((DATA / "SupplyChain" / "or_gym_supply_chain.json").read_text())["games"]

started = partial(kit.started, ID)


# The beer game.


def beer(orders, demand, weeks):
    """The beer game with lists, for many games at once: costs (games, 4) and stock less backlog (weeks, games, 4).

    `orders(week, stock, owed, on_order, incoming)` gives the orders (games, 4); any numbers are allowed.
    """
    stock, owed = 12.0, 0.0
    under_way = [[4.0 + 0 * demand[0]] * 2 for _ in range(4)]
    mail = [[4.0 + 0 * demand[0]] * (1 if firm == 3 else 2) for firm in range(4)]
    stock, owed = [stock + 0 * demand[0]] * 4, [owed + 0 * demand[0]] * 4
    costs, net = 0.0, []
    for week in range(weeks):
        arrived = [lane.pop(0) for lane in under_way]
        incoming = [demand[week]] + [lane.pop(0) for lane in mail[:3]]
        for firm in range(4):
            available, wanted = stock[firm] + arrived[firm], incoming[firm] + owed[firm]
            shipped = np.minimum(available, wanted)
            stock[firm], owed[firm] = available - shipped, wanted - shipped
            if firm:
                under_way[firm - 1].append(shipped)
        under_way[3].append(mail[3].pop(0))
        costs = costs + np.stack([s / 2 + b for s, b in zip(stock, owed)], -1)
        net.append(np.stack([s - b for s, b in zip(stock, owed)], -1))
        on_order = [sum(under_way[i]) + sum(mail[i]) + (owed[i + 1] if i < 3 else 0) for i in range(4)]
        placed = orders(week, *(np.stack(part, -1) for part in (stock, owed, on_order, incoming)))
        for firm in range(4):
            mail[firm].append(placed[..., firm])
    return costs, np.array(net)


def stepped(games):
    return [np.full(games, 4.0 if week < 4 else 8.0) for week in range(36)]


def up_to(levels):
    return lambda week, stock, owed, on_order, incoming: np.maximum(0, levels - stock + owed - on_order)


@pytest.mark.parametrize("seed, weeks, largest, most", [(0, 36, 15, 9), (1, 7, 100, 200), (2, 60, 30, 25)])
def test_beer_game_in_lock_step(seed, weeks, largest, most):
    rng = np.random.default_rng(seed)
    demand, orders = rng.integers(0, most + 1, (weeks, 3)), rng.integers(0, largest + 1, (weeks, 3, 4))
    costs, net = beer(lambda week, *_: orders[week], demand.astype(float), weeks)
    levels = [{"demand": demand[:, game].tolist()} for game in range(3)]
    batch = started(3, level=levels, weeks=weeks, largest=largest, team=False)
    paid = np.zeros((3, 4))
    for week in range(weeks):
        assert not batch.over().any()
        seen = batch.observations
        assert (seen["stock"][..., 0] - seen["backlog"][..., 0] == net[week]).all()
        assert (seen["stock"] * seen["backlog"] == 0).all() and (seen["week"] == week).all()
        assert (seen["incoming"][:, 0, 0] == demand[week]).all()
        if week >= 2:
            assert (seen["incoming"][:, 1:, 0] == orders[week - 2][:, :3]).all()
        batch.step(orders[week])
        paid -= batch.rewards
    assert batch.terminations.all() and paid == pytest.approx(costs)


def test_what_is_on_order_arrives():
    """Units ordered and not received: a ledger of orders and receipts, and the queue of arrivals."""
    rng = np.random.default_rng(3)
    for rules, ledger in (("beer", 12), ("orgym", 0)):
        batch = started(2, rules=rules, demand="poisson", weeks=30)
        firms = len(batch.world.agents)
        due = np.full((2, firms), ledger)
        due[:, 3:] = 8  # the factory's orders take a week less
        while True:
            seen = batch.observations
            assert (seen["on_order"][..., 0] == due).all()
            assert (seen["arriving"].sum(axis=2) <= due).all()
            soon = seen["arriving"][..., 0].copy()
            orders = rng.integers(0, 16, (2, firms))
            batch.step(orders)
            if batch.over().any():
                break
            assert (batch.observations["received"][..., 0] == soon).all()
            assert (batch.observations["ordered"][..., 0] == orders).all()
            due += orders - soon


@pytest.mark.parametrize(
    "policy, costs",
    [
        ("base_stock", (36, 44, 52, 48)),
        ("pass_on", (330, 242, 154, 66)),
        ("constant", (1770, 216, 216, 216)),
    ],
)
def test_costs_of_rules(policy, costs):
    assert play(build(ID, dict(team=False)), [policy] * 4, 1).returns[0].tolist() == [-cost for cost in costs]
    assert play(ID, [policy] * 4, 1).returns[0].tolist() == [-sum(costs)] * 4


def test_180_is_the_least_cost_of_levels():
    near = [range(level - 8, level + 9, 2) for level in (32, 32, 32, 24)]
    levels = np.array(list(itertools.product(*near)), float)
    sums = beer(up_to(levels), stepped(len(levels)), 36)[0].sum(axis=1)
    assert sums.min() == 180 and levels[sums == 180].tolist() == [[32, 32, 32, 24]]


@pytest.mark.parametrize("rounds, largest, cost", [(False, np.inf, 2254.7), (True, 100, 2698), (True, 15, 2350)])
def test_mean_player_of_sterman(rounds, largest, cost):
    """2254.7 with fractions of units; the policy orders whole units."""
    rate = np.full(4, 4.0)

    def orders(week, stock, owed, on_order, incoming):
        nonlocal rate
        rate = 0.36 * incoming + 0.64 * rate
        wanted = np.clip(rate + 0.26 * (17 - stock + owed - 0.34 * on_order), 0, largest)
        return np.floor(wanted + 0.5) if rounds else wanted

    demand = [np.float64(4 if week < 4 else 8) for week in range(36)]
    assert beer(orders, demand, 36)[0].sum() == pytest.approx(cost, abs=0.05)
    if rounds:
        assert play(build(ID, dict(largest=largest)), ["sterman"] * 4, 1).returns[0, 0] == -cost


def test_costs_can_be_tuned():
    batch = started(2)
    batch.start(params=[None, {"holding": 2.0, "shortage": 3.0}])
    for _ in range(12):
        batch.step(0)
        net = batch.records["history"][:, batch.records["week"][0] - 1, :, 0].T
        stock, owed = net.clip(0), -net.clip(None, 0)
        assert batch.rewards[0].tolist() == [-(0.5 * stock + owed)[:, 0].sum()] * 4
        assert batch.rewards[1].tolist() == [-(2 * stock + 3 * owed)[:, 1].sum()] * 4
    assert (batch.rewards < -50).all()


# or-gym.


@pytest.mark.parametrize("game", REFERENCE)
def test_orgym_in_lock_step(game):
    params = dict(rules="orgym", weeks=len(game["demand"]))
    batch = started(level={"demand": game["demand"]}, **params)
    own = started(level={"demand": game["demand"]}, team=False, **params)
    for week, orders in enumerate(game["orders"]):
        assert batch.observations["stock"][0, :, 0].tolist() == game["stock"][week]
        batch.step([orders])
        own.step([orders])
        s = batch.record()
        assert s.backlog.tolist() == game["owed"][week]
        assert [int(s.goods[i, lead - 1]) for i, lead in enumerate((3, 5, 10))] == game["shipped"][week]
        assert batch.rewards[0] == pytest.approx([game["rewards"][week]] * 3)
        assert own.rewards[0].sum() + own.record().profit[3] == pytest.approx(game["rewards"][week])
    assert batch.over()[0] and s.stock.tolist() == game["stock"][-1]


def test_orders_up_to_capacity():
    batch = started(rules="orgym")
    assert batch.masks[0].sum(axis=1).tolist() == [101, 91, 81]
    assert [len(names) for names in batch.world.action_names] == [101, 91, 81]


def test_rules_against_each_other():
    """The theory of stocks beats chance in both games; the mean player causes the bullwhip."""
    means = {
        (rules, policy): play(build(ID, dict(rules=rules, demand="poisson", weeks=30)), policy, 2).returns.mean()
        for rules in ("beer", "orgym")
        for policy in ("base_stock:rate=8" if rules == "beer" else "base_stock:rate=20", "pass_on", "random")
    }
    assert means["beer", "base_stock:rate=8"] > means["beer", "random"] + 300
    assert means["orgym", "base_stock:rate=20"] > means["orgym", "pass_on"] > means["orgym", "random"] + 500
    batch = started(largest=100)
    kit.finish(batch, "sterman")
    spread = batch.records["history"][0, :, :, 1].std(axis=0)
    assert spread[2] > spread[1] > spread[0] > 2 * 1.26  # the standard deviation of demand is 1.26


# Demand, levels, parameters.


def test_poisson_demand():
    for mean in (0.0, 3.5, 40.0):
        demand = started(12, demand="poisson", mean=mean, weeks=80).records["level"]["demand"]
        error = 5 * np.sqrt(mean / demand.size)
        assert demand.mean() == pytest.approx(mean, abs=error + 1e-9)
        assert demand.var() == pytest.approx(mean, abs=0.2 * mean + 1e-9)


def test_levels():
    demand = list(range(36))
    batch = started(level={"demand": demand})
    assert batch.world.get_level(batch.record()) == {"demand": demand}
    batch.start()
    assert batch.world.get_level(batch.record()) == {"demand": [4] * 4 + [8] * 32}
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({"orders": demand}, "not 'orders'"),
        ({"demand": [4]}, "demand must be a list of 36 integers from 0 to 200"),
        ({"demand": [4] * 35 + [201]}, "201 must be an integer from 0 to 200"),
        ({"demand": [4] * 35 + [True]}, "True must"),
        ({"demand": 4}, "demand must be a list of 36 integers from 0 to 200"),
    )


@pytest.mark.parametrize(
    "params, message",
    [({"weeks": 0}, "weeks=0"), ({"largest": 101}, "101"), ({"rules": "orgym", "demand": "step"}, "beer game")],
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        build(ID, params)


# Text and pictures.


def test_text_and_tools():
    batch = started(team=False)
    text = batch.world.text(batch.record(), 1)
    for part in ("the wholesaler", "Week 1 of 36", "In stock: 12. Owed to the retailer: 0", "4, 4"):
        assert part in text
    assert "You lose what you pay." in batch.world.prompt(batch.record(), 1) and "Your last order" not in text
    batch.step(3)
    assert "Your last order: 3." in batch.world.text(batch.record(), 1)
    assert "production" in batch.world.text(batch.record(), 3)
    orgym = started(rules="orgym")
    for firm, weeks in enumerate((3, 6, 11)):  # suppliers ship before goods arrive
        assert f"What you order now can be sold in {weeks} weeks." in orgym.world.text(orgym.record(), firm)
    assert batch.world.tools[3][0].choices[7] == {"units": 7} and batch.world.action_names[3][7] == "order 7"


@pytest.mark.parametrize("params", [{}, dict(rules="orgym")])
def test_pictures(params):
    batch = started(**params)
    for orders in (0, 9, 2):
        batch.step(orders)
    everything, own = batch.world.scene(batch.record()), batch.world.scene(batch.record(), 1)
    assert len(own.shapes) < len(everything.shapes)
    assert kit.clicks(batch, 1, 0.15, 0.5) == {None, *range(len(batch.world.action_names[1]))}
    before = own.shapes
    s = batch.record()
    for i in (0, 2):
        s.stock[i] += 7
        s.totals[i] += 1
        s.history[:, i] += 1
    assert batch.world.scene(s, 1).shapes == before
