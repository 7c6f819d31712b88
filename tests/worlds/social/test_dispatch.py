"""Dispatch: the rules written again, Erlang's formula, plans of small days, money, assignments, draws, levels."""

import itertools
from functools import partial

import kit
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from envsuite.agents import make_policy
from envsuite.agents.social.dispatch import assign
from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.social.dispatch import ACCEPT, IDLE, NORTH, RIDING, STAY, WAITING, WEST

ID = "envsuite/Dispatch-v0"

started = partial(kit.started, ID)


# The rules, written again from the page.


class City:
    """A day with known orders. Only ties between drivers are left to chance: `claims` says who may get an order."""

    def __init__(self, level, params):
        self.p = params
        self.drivers = [dict(at=tuple(block), job=None, service=0, profit=0.0, driven=0) for block in level["drivers"]]
        self.plan = [dict(order, waited=0, taken=False) for order in level["orders"]]
        self.orders, self.t, self.lost, self.served, self.waited = [], 0, 0, 0, 0
        self.appear()

    def appear(self):
        self.orders += [order for order in self.plan if order["step"] == self.t]

    def listed(self, driver):
        waiting = [order for order in self.orders if not order["taken"]]
        keys = [(far(self.drivers[driver]["at"], order["from"]), -order["waited"]) for order in waiting]
        return [order for _, _, order in sorted((*key, n) and (key, n, waiting[n]) for n, key in enumerate(keys))]

    def step(self, names, got):
        """A step with the names of all drivers' actions; `got[n]` is who got the n-th order that was claimed."""
        lists = [self.listed(d) for d in range(len(self.drivers))]
        wanted = {}
        for d, name in enumerate(names):
            if name.startswith("accept"):
                order = lists[d][int(name.split()[1]) - 1]
                wanted.setdefault(id(order), (order, []))[1].append(d)
        for order, claimants in wanted.values():
            near = min(far(self.drivers[d]["at"], order["from"]) for d in claimants)
            may = [d for d in claimants if far(self.drivers[d]["at"], order["from"]) == near]
            winner = got(order, may)
            assert winner in may
            order["taken"] = True
            self.drivers[winner].update(job=order, aboard=False)
        for d, name in enumerate(names):
            driver = self.drivers[d]
            if driver["job"] is not None:
                self.drive(driver)
            elif name in ("north", "east", "south", "west"):
                x, y = driver["at"]
                dx, dy = dict(north=(0, -1), east=(1, 0), south=(0, 1), west=(-1, 0))[name]
                self.go(driver, (x + dx, y + dy))
        waiting = [o for o in self.orders if not any(d["job"] is o and d["aboard"] for d in self.drivers)]
        self.waited += len(waiting)
        self.waiting = len(waiting)
        for order in waiting:
            order["waited"] += 1
            if not order["taken"] and order["waited"] > self.p["patience"]:
                self.lost += 1
                self.orders = [other for other in self.orders if other is not order]
        self.t += 1
        self.appear()

    def go(self, driver, block):
        driver["at"] = block
        driver["driven"] += 1
        driver["profit"] -= self.p["cost"]

    def drive(self, driver):
        order = driver["job"]
        target = tuple(order["to"] if driver["aboard"] else order["from"])
        if driver["service"]:
            driver["service"] -= 1
        elif driver["at"] != target:
            (x, y), (a, b) = driver["at"], target
            self.go(driver, (x + (a > x) - (a < x), y) if x != a else (x, y + (b > y) - (b < y)))
        if driver["at"] != target or driver["service"]:
            return
        if not driver["aboard"]:
            driver.update(aboard=True, service=self.p["service"])
        else:
            driver["profit"] += 2 + far(order["from"], order["to"])
            driver["job"] = None
            self.orders = [other for other in self.orders if other is not order]
            self.served += 1


def far(one, other):
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def day(rng, columns, rows, drivers, orders, steps):
    def block():
        return [int(rng.integers(columns)), int(rng.integers(rows))]

    made = [{"step": int(rng.integers(steps)), "from": block(), "to": block()} for _ in range(orders)]
    return {"drivers": [block() for _ in range(drivers)], "orders": sorted(made, key=lambda order: order["step"])}


@pytest.mark.parametrize("seed", range(6))
def test_the_rules_written_again(seed):
    """Random play of days with known orders: places, profits, lists, masks, counts and objectives after each step."""
    rng = np.random.default_rng(seed)
    columns, rows, drivers = (int(n) for n in rng.integers(2, 7, 3))
    params = dict(columns=columns, rows=rows, drivers=drivers, choices=int(rng.integers(1, 6)), horizon=60,
                  patience=int(rng.integers(0, 9)), service=int(rng.integers(0, 4)), cost=0.25,
                  weights=(1.0, 2.0, 3.0, 4.0))  # fmt: skip
    level = day(rng, columns, rows, drivers, 40, 50)
    batch = started(seed=seed, level=level, **params)
    assert batch.world.get_level(batch.record()) == level
    city, names = City(level, params), batch.world.action_names[0]
    for t in range(60):
        seen = batch.observations[0]
        for d, driver in enumerate(city.drivers):
            expected = {"drive"} if driver["job"] else {"stay"}
            if not driver["job"]:
                listed = city.listed(d)[: params["choices"]]
                expected |= {f"accept {n + 1}" for n in range(len(listed))}
                x, y = driver["at"]
                ways = dict(north=y > 0, south=y < rows - 1, west=x > 0, east=x < columns - 1)
                expected |= {name for name, free in ways.items() if free}
            assert kit.legal(batch, d) == expected
            full = [[far(driver["at"], o["from"]), *o["from"], *o["to"], o["waited"]] for o in city.listed(d)]
            full = full[: params["choices"]]
            assert seen[d]["orders"].tolist() == full + [[-1] * 6] * (params["choices"] - len(full))
            assert seen[d]["own"][:2].tolist() == list(driver["at"]) and seen[d]["own"][6] == 60 - t
            assert seen[d]["money"][0] == pytest.approx(driver["profit"])
            for (row, column), count in np.ndenumerate(seen[d]["near"]):
                block = driver["at"][0] + column - 2, driver["at"][1] + row - 2
                inside = 0 <= block[0] < columns and 0 <= block[1] < rows
                waiting = sum(not o["taken"] and tuple(o["from"]) == block for o in city.orders)
                assert count == (waiting if inside else -1)
        acts = [int(rng.choice(np.flatnonzero(mask))) for mask in batch.masks[0]]
        gap, profits, served = spread(city), [d["profit"] for d in city.drivers], city.served
        jobs = [driver["job"] for driver in city.drivers]
        batch.step(np.array([acts]))
        s = batch.record()

        def got(order, may, s=s, profits=profits):
            winners = [d for d in may if s.job[d] >= 0 or s.profit[d] > profits[d] + 1e-9 or len(may) == 1]
            assert len(winners) == 1
            return winners[0]

        city.step([names[k] for k in acts], got)
        assert [tuple(divmod(int(at), columns))[::-1] for at in s.place] == [d["at"] for d in city.drivers]
        assert s.profit.tolist() == pytest.approx([d["profit"] for d in city.drivers])
        assert (s.served, s.lost, s.waited) == (city.served, city.lost, city.waited)
        assert s.driven.tolist() == [d["driven"] for d in city.drivers]
        objectives = batch.records["objectives"][0]
        assert objectives[:, 0] == pytest.approx([d["profit"] - old for d, old in zip(city.drivers, profits)])
        assert objectives[:, 1] == pytest.approx(-city.waiting / drivers)
        assert objectives[:, 2].sum() == city.served - served
        assert objectives[:, 3] == pytest.approx(gap - spread(city))
        assert (objectives[:, 2] == [bool(old and not d["job"]) for old, d in zip(jobs, city.drivers)]).all()
        assert batch.over()[0] == (t == 59)


def spread(city):
    profits = [driver["profit"] for driver in city.drivers]
    return max(profits) - min(profits)


# Known values.


def erlang(lines, load):
    """The share of calls that a telephone exchange loses (Erlang 1917)."""
    lost = 1.0
    for n in range(1, lines + 1):
        lost = load * lost / (n + load * lost)
    return lost


@pytest.mark.slow
@pytest.mark.parametrize("drivers, demand, service", [(1, 0.02, 49), (4, 0.05, 49), (8, 0.05, 99)])
def test_erlang(drivers, demand, service):
    params = dict(rows=1, columns=1, drivers=drivers, demand=demand, rush=0.0, patience=0, service=service)
    batch = started(200, horizon=2000, choices=8, **params)
    lost = served = None
    while not batch.over().all():
        idle = batch.masks[:, :, STAY] != 0
        turn = idle.cumsum(axis=1) - 1
        waiting = (batch.records["order"] == WAITING).sum(axis=1)[:, None]
        accepts = np.where(turn < np.minimum(waiting, 8), ACCEPT + turn, STAY)
        batch.step(np.where(idle, accepts, batch.world.num_actions - 1))
        if lost is None and batch.records["t"][0] == 500:
            lost, served = batch.records["lost"].copy(), batch.records["served"].copy()
    gone, calls = batch.records["lost"] - lost, batch.records["lost"] - lost + batch.records["served"] - served
    expected = erlang(drivers, demand * (1 + service))
    apart = (gone - expected * calls) / calls.mean()
    assert abs(apart.mean()) < 3.5 * apart.std() / len(apart) ** 0.5 < 0.02


def best_plan(level, params):
    """The largest profit of all drivers, over all sequences of orders for each; all orders are there at once."""
    orders, best = level["orders"], 0.0
    for split in itertools.product(range(len(level["drivers"]) + 1), repeat=len(orders)):
        total = 0.0
        for d, begin in enumerate(level["drivers"]):
            mine = [order for order, who in zip(orders, split) if who == d + 1]
            found = 0.0
            for tour in itertools.permutations(mine) if mine else ():
                at, t, profit = begin, 0, 0.0
                for order in tour:
                    # The driver accepts and drives in one step; it is paid when it arrives.
                    way, trip = far(at, order["from"]), far(order["from"], order["to"])
                    t += max(way, 1) + max(trip, 1)
                    profit += 2 + trip - params["cost"] * (way + trip)
                    at = order["to"]
                    if t <= params["horizon"]:
                        found = max(found, profit)
            total += found if mine else 0.0
        best = max(best, total)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_all_plans_of_a_small_day(seed):
    """The best of all plays of two drivers with four known orders, by search in the world, is the best plan's."""
    rng = np.random.default_rng(seed)
    params = dict(columns=3, rows=2, drivers=2, choices=4, patience=100, service=0, cost=0.3, horizon=8)
    level = day(rng, 3, 2, 2, 4, 1)
    batch, known = started(level=level, **params), {}

    def best(state):
        """The largest profit still to come; drivers accept orders or stay."""
        key = state.tobytes()
        if key not in known:
            batch.records[:] = state
            batch.observe()
            ways = [[k for k in np.flatnonzero(mask) if not NORTH <= k <= WEST] for mask in batch.masks[0]]
            orders = batch.observations[0]["orders"].copy()
            known[key] = -np.inf if state["t"][0] < 8 else 0.0
            for acts in itertools.product(*ways) if state["t"][0] < 8 else ():
                claims = [tuple(orders[d, k - ACCEPT, 1:]) for d, k in enumerate(acts) if ACCEPT <= k < ACCEPT + 4]
                if len(set(claims)) < len(claims):
                    continue  # one of them would get it, and the other might as well stay
                batch.records[:] = state
                batch.observe()
                batch.step(np.array([acts]), where=[True])  # also after the end of another play
                earned = batch.rewards[0].sum()
                known[key] = max(known[key], earned + best(batch.records.copy()))
        return known[key]

    assert best(batch.records.copy()) == pytest.approx(best_plan(level, params))


@pytest.mark.slow
def test_money_is_conserved():
    batch = started(8, drivers=6, rows=5, columns=5, demand=1.5, horizon=80)
    total = kit.finish(batch, "richest")
    records = batch.records
    assert total == pytest.approx(records["profit"])
    aboard = records["order"] > 0
    assert (records["served"] > 20).all() and (aboard.sum(axis=1) < 64).all()
    # Fares are whole numbers; what is left over of the profits is the cost of the blocks.
    fares = records["profit"].sum(axis=1) + 0.1 * records["driven"].sum(axis=1)
    assert fares == pytest.approx(np.round(fares)) and (fares >= 3 * records["served"]).all()


@pytest.mark.parametrize("seed", range(5))
def test_assignments(seed):
    """The baseline's assignment against scipy's, with random and with small whole costs."""
    rng = np.random.default_rng(seed)
    player = make_policy("batch", build(ID))
    player.reset(0, 1)
    room = player.memories.view(np.recarray)[0, 0]
    for _ in range(6):
        rows = int(rng.integers(1, 9))
        columns = int(rng.integers(rows, 12))
        costs = rng.integers(0, 6, (rows, columns)).astype(float) if seed % 2 else rng.normal(size=(rows, columns))
        room.costs[1 : rows + 1, 1 : columns + 1] = costs
        assign(room, rows, columns)
        held = np.array(room.holder[1 : columns + 1])
        assert sorted(held[held > 0]) == [*range(1, rows + 1)]
        mine = sum(costs[row - 1, column] for column, row in enumerate(held.tolist()) if row)
        assert mine == pytest.approx(costs[linear_sum_assignment(costs)].sum())


@pytest.mark.slow
def test_batches():
    """Drivers that see all orders share them as scipy does, and no two want the same."""
    batch = started(30, drivers=7, choices=64, demand=4.0)
    player = make_policy("batch", batch.world)
    player.reset(0, 30)
    for _ in range(12):
        acts = player.act_batch(batch.observations, batch.masks, range(7))
        for i in range(30):
            s, seen = batch.record(i), batch.observations[i]
            idle, orders = np.flatnonzero(s.state == IDLE), np.flatnonzero(s.order == WAITING)
            wants = [seen[d]["orders"][acts[i, d] - ACCEPT] for d in idle if ACCEPT <= acts[i, d] < ACCEPT + 64]
            assert len(wants) == min(len(idle), len(orders))
            ways = np.array([[far(divmod(s.place[d], 10), divmod(s.origin[k], 10)) for k in orders] for d in idle])
            if len(idle) and len(orders):
                assert sum(int(want[0]) for want in wants) == ways[linear_sum_assignment(ways)].sum()
        batch.step(acts)


# Draws.


@pytest.mark.slow
def test_draws():
    """The number of orders by step, where they begin, and the hot spots at noon and at the ends of the day."""
    batch = started(300, rows=10, columns=10, drivers=1, demand=3.0, rush=0.8, patience=0, horizon=40)
    counts, blocks = np.zeros(41), np.zeros((41, 10, 10))
    for t in range(41):
        new = (batch.records["order"] == WAITING) & (batch.records["age"] == 0)
        counts[t] = new.sum() / 300
        np.add.at(blocks[t], divmod(batch.records["origin"][new], 10), 1 / new.sum())
        if t < 40:
            batch.step(np.zeros((300, 1), int) if batch.masks[0, 0, STAY] else 10)
    means = 3.0 * (1 + 0.8 * np.sin(4 * np.pi * np.arange(41) / 40))
    assert abs(counts - means).max() < 5 * (6 / 300) ** 0.5
    # At the start one spot is in the west and one in the north, at noon in the east and in the south.
    first, noon = blocks[[0, 1, 39, 40]].mean(axis=0), blocks[18:23].mean(axis=0)
    assert first[:, :2].sum() > 0.3 and first[:2].sum() > 0.3 and noon[:, 8:].sum() > 0.3 and noon[8:].sum() > 0.3
    assert abs(first[8:, 8:].sum() - 0.2 * 0.04) < 0.02


def test_more_orders_than_room():
    level = {"drivers": [[0, 0]], "orders": [{"step": 0, "from": [0, 0], "to": [1, 0]}] * 64}
    batch = started(drivers=1, level=level, patience=100)
    assert (batch.records["order"] == WAITING).all() and batch.records["lost"][0] == 0
    full = started(50, drivers=1, demand=10.0, patience=100, horizon=30)
    for _ in range(30):
        full.step(np.where(full.masks[:, :, STAY] != 0, STAY, 10))
    assert (full.records["order"] != 0).sum(axis=1).max() == 64 and full.records["lost"].min() > 100


@pytest.mark.slow
def test_who_fares_how():
    world = build(ID, dict(drivers=8, rows=6, columns=6, demand=1.2, choices=20, horizon=120))
    found = {name: play(world, name, 12, seed=1).returns.mean() for name in ("random", "nearest", "richest", "batch")}
    assert min(found["nearest"], found["richest"], found["batch"]) > found["random"] + 10


# Levels, snapshots, views.


def test_levels():
    orders = [{"step": 0, "from": [0, 0], "to": [1, 1]}]
    kit.refuses(
        build(ID, dict(drivers=2, rows=3, columns=4)),
        ({"drivers": [[0, 0]]}, "drivers must be a list of 2 entries"),
        ({"drivers": [[0, 0], [4, 0]]}, r"driver_1: block\[0\]=4 must be an integer from 0 to 3"),
        ({"drivers": [[0, 0], [1, 0]], "riders": []}, "unknown part 'riders'"),
        ({"drivers": [[0, 0], [1, 0]], "orders": orders * 65}, "orders must be a list of at most 64 entries"),
        ({"drivers": [[0, 0], [1, 0]], "orders": [{"step": 0}]}, "order 0 must have 'step', 'from' and 'to'"),
        (
            {"drivers": [[0, 0], [1, 0]], "orders": [orders[0] | {"step": -1}]},
            "order 0: step=-1 must be an integer from 0 to 10000",
        ),
        ({"drivers": [[0, 0], [1, 0]], "orders": [orders[0] | {"to": [0, 3]}]}, "order 0, 'to'"),
    )
    batch = started()
    assert set(batch.world.get_level(batch.record())) == {"drivers"}
    records = batch.records.copy()
    records["job"][0, 0] = 3
    with pytest.raises(SnapshotError, match="idle"):
        batch.world.admit(records)


def test_texts_and_pictures():
    level = {"drivers": [[0, 0], [3, 2]], "orders": [{"step": 0, "from": [1, 0], "to": [1, 2]}]}
    batch = started(drivers=2, rows=3, columns=4, level=level, service=2)
    world = batch.world
    text = world.text(batch.record(), 0)
    assert "`accept 1`: column 1, row 0, 1 blocks away, to column 1, row 2; fare 4, waited 0 of 6 steps" in text
    assert "Other idle drivers: 1." in text
    batch.step(np.array([[ACCEPT, STAY]]))
    assert batch.records["state"].tolist() == [[RIDING, IDLE]]
    assert "The rider needs 2 more steps to get in." in world.text(batch.record(), 0)
    assert "No order waits." in world.text(batch.record(), 1)
    x, y = 0.6 + 13 / 4 * 3.5, 1.7 + 13 / 4 * 1.5
    assert (
        world.click(batch.record(), 1, x, y) == NORTH and world.click(batch.record(), 1, x - 13 / 4, y + 13 / 4) == WEST
    )
    assert world.click(batch.record(), 0, x, y) is None and world.click(batch.record(), 1, 15, 4) == ACCEPT
    assert world.scene(batch.record(), 0).shapes != world.scene(batch.record(), 1).shapes
