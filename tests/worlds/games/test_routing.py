"""Routing: exhaustive optima, shortest tours, a second implementation in lock-step, probes of the rules, baselines."""

import itertools
import math

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.registry import build

ID = "envsuite/Routing-v0"


def level_of(batch, i=0):
    return batch.world.get_level(batch.record(i))


def ways(level):
    """(N + 1, N + 1) the distances of all nodes."""
    places = np.array([level["depot"], *(customer[:2] for customer in level["customers"])])
    return np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))


def trips_of(level, k, group, far):
    """The shortest time in which vehicle k visits a group of customers, by all orders and returns, and its actions."""
    capacity, speed = level["vehicles"][k]
    best = math.inf, ()
    for order in itertools.permutations(group):
        for returns in itertools.product([False, True], repeat=max(len(order) - 1, 0)):
            load, here, length, actions = capacity, 0, 0.0, []
            for node, back in zip(order, (*returns, False)):
                load -= level["customers"][node - 1][2]
                length, here, actions = length + far[here, node], node, [*actions, node]
                if load < 0:
                    break
                if back:
                    length, here, load, actions = length + far[here, 0], 0, capacity, [*actions, 0]
            else:
                best = min(best, ((length + far[here, 0]) / speed, tuple(actions)))
    return best


def optimum(level, longest, worth=0.0):
    """The least cost of all plans and the actions of one, by enumeration of all groups, orders and returns."""
    far, customers, count = ways(level), len(level["customers"]), len(level["vehicles"])
    best = math.inf, ()
    known = {}
    for owners in itertools.product(range(count), repeat=customers):
        if not all(level["zones"][k][node] for node, k in enumerate(owners)):
            continue
        parts = []
        for k in range(count):
            group = tuple(node + 1 for node in range(customers) if owners[node] == k)
            if (k, group) not in known:
                known[k, group] = trips_of(level, k, group, far)
            parts.append(known[k, group])
        liked = sum(level["preferences"][k][node] for node, k in enumerate(owners))
        times = [time for time, _ in parts]
        cost = (max(times) if longest else sum(times)) - worth * liked
        best = min(best, (cost, tuple(actions for _, actions in parts)))
    return best


def drive(batch, plans):
    """The return of the plans, each a list of nodes."""
    total, stay = np.zeros(batch.rewards.shape[1]), batch.masks.shape[2] - 1
    for turn in itertools.count():
        if batch.over().all():
            return total
        actions = [plan[turn] if turn < len(plan) else stay for plan in plans]
        batch.step(np.array([actions]))
        total += batch.rewards[0]


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["hcvrp", "pvrp_p", "pvrp_zc"])
def test_exhaustive_optima(variant):
    """No baseline beats the optimum of all plans, and the world pays it to those that follow it."""
    found = {name: [] for name in ("nearest", "regret", "savings")}
    for seed in range(4):
        params = dict(vehicles=2, customers=5 + seed % 2, variant=variant, weights=(1.0, 0.5, 6.0))
        batch = kit.started(ID, seed=seed, **params)
        level = level_of(batch)
        cut = [[capacity // 2, speed] for capacity, speed in level["vehicles"]]  # so that returns are needed
        level = {**level, "vehicles": cut}
        best, plans = optimum(level, variant == "hcvrp", 0.5)
        assert drive(kit.started(batch.world, level=level), plans) == pytest.approx([-best] * 2)
        for name, returns in found.items():
            got = kit.finish(kit.started(batch.world, level=level), name)[0]
            assert got[0] == got[1] <= -best + 1e-9
            returns.append(got[0] + best)
    assert np.mean(found["regret"]) > -0.5 and np.mean(found["savings"]) > -1.2


def shortest_tour(far):
    """Held and Karp: the length of the shortest tour through all nodes."""
    count = len(far)
    table = {(1 << k, k): far[0, k] for k in range(1, count)}
    for size in range(2, count):
        for group in itertools.combinations(range(1, count), size):
            bits = sum(1 << k for k in group)
            for k in group:
                table[bits, k] = min(table[bits ^ (1 << k), j] + far[j, k] for j in group if j != k)
    return min(table[(1 << count) - 2, k] + far[k, 0] for k in range(1, count))


@pytest.mark.parametrize("seed", range(3))
def test_one_vehicle_drives_a_tour(seed):
    """With room for all demands, insertion and savings are near the shortest tour of Held and Karp, never shorter."""
    world = build(ID, dict(vehicles=1, customers=9))
    level = {**level_of(kit.started(world, seed=seed)), "vehicles": [[1000, 2.0]]}
    best = shortest_tour(ways(level)) / 2
    for name in ("regret", "savings"):
        got = -kit.finish(kit.started(world, level=level), name)[0, 0]
        assert best - 1e-9 <= got <= 1.15 * best, name


def test_one_customer_at_a_time():
    """With capacity for one customer only, all orders take the sum of 2 d / speed."""
    world = build(ID, dict(vehicles=1, customers=6))
    level = level_of(kit.started(world))
    level["customers"] = [[*customer[:2], 4] for customer in level["customers"]]
    level["vehicles"] = [[7, 0.5]]
    for name in ("random", "nearest", "regret", "savings"):
        got = kit.finish(kit.started(world, level=level), name)
        assert got == pytest.approx(-2 * ways(level)[0].sum() / 0.5)


class Twin:
    """A second implementation from the page, for one episode."""

    def __init__(self, params, level):
        self.p, self.level, self.far = params, level, ways(level)
        self.cars = [dict(node=0, load=cap, far=0.0, free=0.0, choices=0) for cap, _ in level["vehicles"]]
        self.open = set(range(1, len(level["customers"]) + 1))
        self.steps, self.over = 0, False

    def mover(self):
        return min(range(len(self.cars)), key=lambda k: (self.cars[k]["free"], self.cars[k]["choices"], k))

    def legal(self, k):
        car, stay = self.cars[k], len(self.level["customers"]) + 1
        if self.over or (self.p["clock"] == "event" and self.mover() != k):
            return set()
        fits = {
            node
            for node in self.open
            if self.level["zones"][k][node - 1] and self.level["customers"][node - 1][2] <= car["load"]
        }
        return fits | {stay} | ({0} if car["node"] else set())

    def move(self, k, node):
        car, (capacity, speed) = self.cars[k], self.level["vehicles"][k]
        far = self.far[car["node"], node]
        car["far"] += far
        car["free"] += far / speed
        car["node"] = node
        if node == 0:
            car["load"] = capacity
            return 0.0
        car["load"] -= self.level["customers"][node - 1][2]
        self.open.remove(node)
        return self.level["preferences"][k][node - 1]

    def time(self):
        times = [car["far"] / speed for car, (_, speed) in zip(self.cars, self.level["vehicles"])]
        return max(times) if self.p["variant"] == "hcvrp" else sum(times)

    def step(self, actions):
        before, event, stay = self.time(), self.p["clock"] == "event", len(self.level["customers"]) + 1
        acting = [self.mover()] if event else list(range(len(self.cars)))
        wants = {}
        for k in acting:
            self.cars[k]["choices"] += 1
            if actions[k] == stay and event:
                self.cars[k]["free"] = max(car["free"] for car in self.cars)
            elif actions[k] != stay:
                wants.setdefault(actions[k], []).append(k)
        moves = [(k, 0) for k in wants.pop(0, [])]
        moves += [
            (min(ks, key=lambda k: (self.far[self.cars[k]["node"], node], k)), node) for node, ks in wants.items()
        ]
        liked = sum(self.move(k, node) for k, node in moves)
        self.steps += 1
        self.over = not self.open or self.steps == self.p["horizon"]
        if self.over:
            for k, car in enumerate(self.cars):
                if car["node"]:
                    self.move(k, 0)
        return [before - self.time(), liked, -len(self.open) if self.over else 0]


CASES = [
    dict(vehicles=4, customers=8),
    dict(vehicles=3, customers=7, variant="pvrp_p", clock="event"),
    dict(vehicles=5, customers=9, variant="pvrp_zc", horizon=7),
    dict(vehicles=2, customers=6, variant="pvrp_p", preferences="clusters", horizon=30),
    dict(vehicles=3, customers=10, clock="event", weights=(2.0, 0.0, 1.0)),
]


def lock_step(params, seed):
    world = build(ID, params)
    rng, batch = np.random.default_rng(seed), kit.started(world, seed=seed)
    twin, clashes = Twin(world.parameters, level_of(batch)), 0
    while not twin.over:
        actions = []
        for k in range(len(world.agents)):
            legal = sorted(twin.legal(k))
            assert np.flatnonzero(batch.masks[0, k]).tolist() == legal
            actions.append(int(rng.choice(legal)) if legal else 0)
        customers = [a for a in actions if 0 < a < batch.masks.shape[2] - 1]
        clashes += len(customers) - len(set(customers))
        batch.step(np.array([actions]))
        objectives = twin.step(actions)
        assert batch.records["objectives"][0] == pytest.approx(np.array([objectives] * len(world.agents)))
        assert batch.rewards[0] == pytest.approx(np.dot(objectives, world.parameters["weights"]))
        for k, car in enumerate(twin.cars):
            speed, capacity = world.get_level(batch.record())["vehicles"][k][::-1]
            row = [car["node"], car["load"], capacity, speed, car["far"], car["free"], car["choices"]]
            assert batch.observations["vehicles"][0, 0, k] == pytest.approx(row)
        assert batch.terminations.all() == (not twin.open) and batch.truncations.all() == (
            twin.over and bool(twin.open)
        )
    return clashes


@pytest.mark.parametrize("case", range(2))
def test_in_lock_step_with_a_second_implementation(case):
    lock_step(CASES[case], 1)


@pytest.mark.slow
@pytest.mark.parametrize("case", range(len(CASES)))
def test_in_lock_step_for_long(case):
    clashes = sum(lock_step(CASES[case], seed) for seed in range(12))
    assert clashes > 0 or CASES[case].get("clock") == "event"


TOWN = {"depot": [0.5, 0.5], "customers": [[0.5, 0.9, 3], [0.1, 0.5, 5]], "vehicles": [[8, 1.0], [8, 0.5]]}


def test_rules_by_hand():
    batch = kit.started(ID, vehicles=2, customers=2, level=TOWN)
    assert kit.legal(batch, 0) == {"customer 1", "customer 2", "stay"}
    batch.step(np.array([[1, 1]]))  # equally near: the lower number
    assert batch.records["node"][0].tolist() == [1, 0] and batch.rewards[0] == pytest.approx([-0.4] * 2)
    assert kit.legal(batch, 0) == {"depot", "customer 2", "stay"} and kit.legal(batch, 1) == {"customer 2", "stay"}
    batch.step(np.array([[2, 2]]))  # vehicle 1 is nearer; it takes 0.8 there and 0.8 back
    assert batch.records["node"][0].tolist() == [0, 0] and batch.records["load"][0].tolist() == [8, 8]
    assert batch.rewards[0] == pytest.approx([0.4 - 1.6] * 2) and batch.terminations.all()


def test_loads_and_zones():
    level = {**TOWN, "vehicles": [[5, 1.0], [4, 1.0]], "zones": [[1, 1], [0, 1]], "preferences": [[0.5, 1], [1, 0]]}
    batch = kit.started(ID, vehicles=2, customers=2, variant="pvrp_p", level=level, horizon=2, weights=(0.0, 1.0, 3.0))
    assert kit.legal(batch, 0) == {"customer 1", "customer 2", "stay"} and kit.legal(batch, 1) == {"stay"}
    batch.step(np.array([[1, 3]]))
    assert kit.legal(batch, 0) == {"depot", "stay"} and batch.rewards[0].tolist() == [0.5, 0.5]
    batch.step(np.array([[0, 3]]))
    assert batch.rewards[0].tolist() == [-3, -3] and batch.truncations.all() and not batch.terminations.any()


def test_draws():
    batch = kit.started(ID, 60)
    s = batch.records["level"]
    assert set(np.unique(s["demand"][:, 1:])) == set(range(1, 10)) and set(np.unique(s["capacity"])) == set(
        range(20, 41)
    )
    assert 0.5 <= s["speed"].min() < 0.52 and 0.98 < s["speed"].max() < 1 and s["zone"].all()
    assert s["places"].mean(axis=(0, 1)) == pytest.approx([0.5, 0.5], abs=0.03) and not s["preference"].any()
    s = kit.started(ID, 60, variant="pvrp_zc", vehicles=6, customers=4).records["level"]
    refused = (s["zone"][:, :, 1:] == 0).sum(axis=1)
    assert (s["capacity"] == 40).all() and (s["speed"] == 1).all()
    assert (refused == refused[:, :1]).all() and set(np.unique(refused)) == {0, 1, 2, 3}
    s = kit.started(ID, 12, variant="pvrp_p", preferences="sectors", vehicles=5).records["level"]
    assert (s["preference"][:, :, 1:].sum(axis=1) == 1).all()
    angle = np.arctan2(*(s["places"][:, 1:] - s["places"][:, :1]).transpose(2, 0, 1)[::-1]) % (2 * np.pi)
    assert (s["preference"][:, :, 1:].argmax(axis=1) == (angle * 5 / (2 * np.pi)).astype(int)).all()
    s = kit.started(ID, 12, variant="pvrp_p", preferences="clusters").records["level"]
    liked = s["preference"][:, :, 1:]
    assert (liked.max(axis=2) == 1).all() and liked.min() > 0
    favorite = liked[7, 2].argmax()
    away = np.hypot(*(s["places"][7, 1:] - s["places"][7, 1 + favorite]).T)
    assert liked[7, 2] == pytest.approx(1 - away / 2**0.5)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["hcvrp", "pvrp_p", "pvrp_zc"])
@pytest.mark.parametrize("clock", ["steps", "event"])
def test_baselines(variant, clock):
    """Insertion and savings beat the nearest customer, which beats random choices."""
    means = {}
    for name in ("random", "nearest", "regret", "savings"):
        batch = kit.started(ID, 48, variant=variant, clock=clock)
        means[name] = kit.finish(batch, name)[:, 0].mean()
    assert means["regret"] > means["nearest"] + 0.3 and means["savings"] > means["nearest"]
    assert means["nearest"] > means["random"] + 1.0


def test_levels():
    batch = kit.started(ID, variant="pvrp_zc", customers=5)
    level = level_of(batch)
    assert level_of(kit.started(batch.world, level=level)) == level
    world = build(ID, dict(vehicles=2, customers=2))
    kit.refuses(
        world,
        ({**TOWN, "roads": []}, "unknown part 'roads'"),
        ({**TOWN, "depot": [0.5]}, "'depot' must be a list of 2 numbers from 0 to 1"),
        ({**TOWN, "depot": ["a", 0]}, r"'depot'\[0\]='a' must be a number from 0 to 1"),
        ({**TOWN, "customers": TOWN["customers"][:1]}, "'customers' must be 2 lists of 3 numbers"),
        ({**TOWN, "customers": [[0, 2, 1], [0, 0, 1]]}, r"'customers'\[0\]\[1\]=2 must be a number from 0 to 1"),
        ({**TOWN, "vehicles": [[8, 0.0], [8, 1.0]]}, r"'vehicles'\[0\]\[1\]=0.0 must be a number from 0.1 to 10"),
        ({**TOWN, "vehicles": [[8.5, 1.0], [8, 1.0]]}, "must be integers, not 8.5"),
        ({**TOWN, "vehicles": [[3, 1.0], [4, 1.0]]}, "no vehicle can visit customer 2"),
        ({**TOWN, "zones": [[1, 0], [1, 0]]}, "no vehicle can visit customer 2"),
        ({**TOWN, "zones": [[1, 0.5], [1, 1]]}, "'zones' must be 0 or 1"),
        ({**TOWN, "preferences": [[1, 2], [0, 0]]}, r"'preferences'\[0\]\[1\]=2 must be a number from 0 to 1"),
    )


def test_wrong_parameters_and_states():
    for params in ({"vehicles": 9}, {"customers": 0}, {"variant": "tsp"}, {"clock": "day"}, {"weights": (1.0,)}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    batch = kit.started(ID)
    batch.step(np.array([[1, 2, 13]]))
    for change, message in (
        (lambda s: s["visited"].__setitem__((0, 5), 1), "trails are not the visited ones"),
        (lambda s: s["left"].__setitem__(0, 3), "trails do not end"),
        (lambda s: s["node"].__setitem__((0, 2), 1), "trails do not end"),
        (lambda s: s["load"].__setitem__((0, 2), 999), "a load is above the capacity"),
        (lambda s: s["choices"].__setitem__((0, 2), 2), "more choices than steps"),
        (lambda s: s["level"]["zone"].__setitem__((0, slice(None), 5), 0), "no vehicle can visit customer 5"),
    ):
        records = batch.records.copy()
        change(records)
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_picture_and_clicks():
    batch = kit.started(ID, vehicles=2, customers=2, level=TOWN)
    text = batch.world.text(batch.record(), 1)
    assert "- `customer 2`: demand 5, distance 0.40, at (0.10, 0.50)" in text and text.startswith("Customers left: ")
    assert kit.clicks(batch, 0) == {None, 1, 2, 3}
    batch.step(np.array([[1, 3]]))
    assert kit.clicks(batch, 0) == {None, 0, 2, 3} and "`depot`" in batch.world.text(batch.record(), 0)
    batch.step(np.array([[3, 2]]))
    assert "It is over." in batch.world.text(batch.record(), 0)
    for agent in (None, 0):
        assert len(batch.world.scene(batch.record(), agent).shapes) > 20
    event = kit.started(ID, vehicles=2, customers=2, clock="event", level=TOWN)
    assert "Wait: another vehicle chooses." in event.world.text(event.record(), 1)
