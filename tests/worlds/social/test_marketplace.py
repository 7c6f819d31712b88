"""Marketplace: the reference's data and baselines, drawn markets, the protocol step by step, who answers first."""

import json
from math import pi, sqrt

import kit
import numpy as np
import pytest
from kit import DATA, legal

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, ParameterError
from envsuite.evaluation.metrics import first_proposal_bias
from envsuite.registry import build
from envsuite.social.marketplace import Marketplace
from envsuite.social.marketplace.rules import (
    ASKED,
    CUSTOMER,
    EXPECTED,
    LAST,
    MENU_PRICE,
    NOT_ASKED,
    PAGE,
    PAGES,
    PLACE,
    PRICE,
    RIVAL,
    STATUS,
    WAITING,
)
from envsuite.social.marketplace.view import item_name
from envsuite.talk.table import Talk

ID = "envsuite/Marketplace-v0"
REFERENCE = json.loads((DATA / "Marketplace" / "marketplace_reference.json").read_text())["markets"]


def reference_level(market):
    return {
        "items": [cents / 100 for cents in market["items"]],
        "customers": [{"items": items, "amenities": needs} for items, needs in market["customers"]],
        "businesses": [
            {"menu": [[i, p / 100] for i, p in menu], "amenities": held, "floor": floor / 100, "rating": 1.0}
            for menu, held, floor in market["businesses"]
        ],
    }


def utilities(level):
    """In cents, for each customer what buying its whole order gains it: (price, whether it suits, gain) by business."""
    cents = [round(100 * value) for value in level["items"]]
    table = []
    for customer in level["customers"]:
        rows = {}
        for b, business in enumerate(level["businesses"]):
            menu = {item: round(100 * price) for item, price in business["menu"]}
            if set(customer["items"]) <= set(menu):
                price = sum(menu[item] for item in customer["items"])
                suits = set(customer["amenities"]) <= set(business["amenities"])
                rows[b] = (price, suits, 2 * suits * sum(cents[item] for item in customer["items"]) - price)
        table.append(rows)
    return table


def gains(table):
    """Each baseline's possible gains by customer, all of them equally likely."""
    return {
        "any": [[gain for _, _, gain in rows.values()] for rows in table],
        "amenities": [[gain for _, suits, gain in rows.values() if suits] for rows in table],
        "cheapest": [[gain for p, _, gain in rows.values() if p == min(rows.values())[0]] for rows in table],
        "optimal": [[max(gain for _, _, gain in rows.values())] for rows in table],
    }


def started(num=1, seed=0, level=None, **params):
    batch = Batch(build(ID, params), num)
    if level is not None:
        batch.set_level(0, level)
        batch.records[1:] = batch.records[:1]
    batch.start(seed)
    return batch


def finish(batch, *names, seed=0):
    """Play to the end, each agent by the policy of its number (the last name for all others); the returns (N, A)."""
    agents = len(batch.world.agents)
    names = [*names, *[names[-1]] * (agents - len(names))]
    seats = {name: [a for a in range(agents) if names[a] == name] for name in dict.fromkeys(names)}
    policies = {name: make_policy(name, batch.world) for name in seats}
    for k, policy in enumerate(policies.values()):
        policy.reset(seed + 7919 * k, batch.num)
    total = np.zeros_like(batch.rewards)
    while not batch.over().all():
        for name, policy in policies.items():
            chosen = policy.act_batch(batch.observations[:, seats[name]], batch.masks[:, seats[name]], seats[name])
            batch.actions[:, seats[name]] = chosen
        batch.step(where=~batch.finished)
        total += batch.rewards
    return total


def step(batch, **names):
    """One transition: c0=... and b0=... name the actions of customers and businesses, the others wait."""
    batch.actions[:] = 0
    for key, name in names.items():
        a = int(key[1:]) + (0 if key[0] == "c" else batch.records["deals"].shape[1])
        batch.actions[:, a] = batch.world.action_names[a].index(name.replace("_", " "))
    batch.step()


# The reference's data: 142 customers and 426 businesses in four markets.


@pytest.mark.slow
@pytest.mark.parametrize("size", list(REFERENCE))
def test_baselines_on_the_reference_data(size):
    """Exact where the baseline is; else the exact mean, and a median that 1,000 draws can have."""
    market = REFERENCE[size]
    customers, businesses = map(int, size.split("_"))
    level, published = reference_level(market), market["published"]
    expected = gains(utilities(level))
    for name in ("cheapest", "optimal"):
        # baseline_utilities.json: pick_cheapest_baseline and pick_optimal_baseline, constant
        assert sum(gain for (gain,) in expected[name]) / 100 == pytest.approx(published[name])
    batch = started(
        {3: 2000, 10: 400, 33: 40}.get(customers, 10), 1, level, customers=customers, businesses=businesses, horizon=500
    )
    start = batch.records.copy()
    for name in ("cheapest", "optimal", "any", "amenities"):
        batch.records[:] = start
        batch.observe()
        total = finish(batch, name)
        assert not batch.truncations.any()
        assert np.allclose(total[:, customers:], batch.records["revenue"] / 100)
        for c, possible in enumerate(expected[name]):
            assert set(np.rint(100 * total[:, c]).astype(int)) <= set(possible)
        welfare = total[:, :customers].sum(axis=1)
        if name in published and isinstance(published[name], float):
            assert np.allclose(welfare, published[name], atol=1e-9)
            continue
        mean = sum(map(np.mean, expected[name])) / 100
        error = sqrt(sum(map(np.var, expected[name]))) / 100 / sqrt(batch.num)
        assert abs(welfare.mean() - mean) < 4 * error
        # The published number is the median of 1,000 draws: half of the exact distribution is below, to 4 errors.
        least = sum(min(possible) for possible in expected[name])
        chances = np.ones(1)  # of each sum, from the least up by cents
        for possible in expected[name]:
            steps = [gain - min(possible) for gain in possible]
            wider = np.zeros(len(chances) + max(steps))
            for more in steps:
                wider[more : more + len(chances)] += chances / len(steps)
            chances = wider
        sums, median = least + np.arange(len(chances)), 100 * published[name]["median"]
        below, above = chances[sums < median - 1].sum(), chances[sums > median + 1].sum()
        assert max(below, above) < 0.5 + 4 * 0.5 / sqrt(1000)


def test_what_the_data_is():
    for size, market in REFERENCE.items():
        level = reference_level(market)
        table = utilities(level)
        assert all(len(rows) == 3 and sum(suits for _, suits, _ in rows.values()) == 2 for rows in table), size
    # The mean of random choices is far from the published median of 3 x 9, one of 27 sums: 16.83 and 35.64.
    small = gains(utilities(reference_level(REFERENCE["3_9"])))["any"]
    assert sum(map(np.mean, small)) / 100 == pytest.approx(16.8333, abs=1e-4)


# Drawn markets.


@pytest.mark.slow
def test_drawn_markets():
    batch = started(3000, 3)
    r = batch.records
    sizes, needs = (r["orders"] >= 0).sum(axis=2), (r["needs"] >= 0).sum(axis=2)
    assert (np.sort(sizes, axis=1) == [1, 2, 3]).all()
    assert abs((needs == 1).mean() - 0.5) < 4 * 0.5 / sqrt(needs.size)
    assert r["floors"].min() == 60 and r["floors"].max() == 95 and r["ratings"].min() == 10 and r["ratings"].max() == 50
    assert r["values"].min() >= 400 and r["values"].max() <= 1600 and abs(r["values"].mean() - 1000) < 15
    held = r["amenities"].sum(axis=2)
    assert held.min() >= 1 and held.max() <= 6
    scores, lacking = [], np.zeros(9)
    for s in batch.records[:300]:
        for c in range(3):
            order = s["orders"][c][s["orders"][c] >= 0]
            sellers = np.flatnonzero((s["menus"][:, order] > 0).all(axis=1))
            assert len(sellers) == 3
            lacks = [b for b in sellers if not s["amenities"][b, s["needs"][c][s["needs"][c] >= 0]].all()]
            assert len(lacks) == 1 and not s["amenities"][lacks[0], s["needs"][c, 0]]
            lacking[lacks[0]] += 1
            scores += list((s["menus"][np.ix_(sellers, order)] / s["values"][order] - 1).ravel() / 0.25)
    assert abs(np.mean(scores)) < 4 / sqrt(len(scores)) and abs(np.std(scores) - 1) < 4 / sqrt(2 * len(scores))
    assert (abs(lacking - 100) < 4 * sqrt(900 * 1 / 9 * 8 / 9)).all()  # the numbers of businesses reveal nothing


@pytest.mark.parametrize("customers, businesses, share", [(3, 9, 3), (4, 8, 2), (1, 10, 10)])
def test_a_drawn_market(customers, businesses, share):
    """Each rule of drawing in a few markets: orders, who sells them and nothing else, and who lacks an amenity."""
    batch = started(5, 4, customers=customers, businesses=businesses)
    for number in range(batch.num):
        level = batch.world.get_level(batch.record(number))
        orders = [set(customer["items"]) for customer in level["customers"]]
        part = -(-customers // 3)
        assert sorted(map(len, orders)) == [k // part + 1 for k in range(customers)]
        assert not any(a <= b for i, a in enumerate(orders) for j, b in enumerate(orders) if i != j)
        menus = [{item for item, _ in business["menu"]} for business in level["businesses"]]
        for customer, order in zip(level["customers"], orders):
            needs, held = customer["amenities"], [set(business["amenities"]) for business in level["businesses"]]
            sellers = [b for b, menu in enumerate(menus) if menu == order]
            assert len(sellers) == share and 1 <= len(set(needs)) == len(needs) <= 2
            lacking = [b for b in sellers if not set(needs) <= held[b]]
            assert len(lacking) == 1 and set(needs) - held[lacking[0]] == {needs[0]}
            assert all(2 <= len(held[b]) <= 4 + len(needs) for b in sellers if b not in lacking)
        assert all(menu in orders for menu in menus)


def test_larger_markets_overlap():
    batch = started(20, customers=10, businesses=30)
    shared = 0
    for number, s in enumerate(batch.records):
        orders = [frozenset(order[order >= 0].tolist()) for order in s["orders"]]
        assert sorted(map(len, orders)) == [1] * 4 + [2] * 4 + [3] * 2
        assert not any(a <= b for i, a in enumerate(orders) for j, b in enumerate(orders) if i != j)
        shared += sum(len(a & b) for i, a in enumerate(orders) for b in orders[:i])
        table = utilities(batch.world.get_level(batch.record(number)))
        assert all(len(rows) == 3 for rows in table)
    assert shared > 20


@pytest.mark.slow
def test_baselines_on_drawn_markets():
    """Each market's exact values, and the closed forms of their means."""
    batch = started(3000, 5)
    records = batch.records.copy()
    tables = [gains(utilities(batch.world.get_level(batch.record(i)))) for i in range(batch.num)]
    value = np.where(records["orders"] >= 0, np.take_along_axis(
        records["values"][:, None, :].repeat(3, axis=1), np.maximum(records["orders"], 0).astype(int), axis=2
    ), 0) / 100  # fmt: skip
    worth, sigma = value.sum(axis=2), 0.25 * np.sqrt((value**2).sum(axis=2))
    closed = {
        "any": worth / 3,
        "amenities": worth,
        "optimal": worth + sigma / sqrt(pi),  # the smaller of two normal prices
        "cheapest": worth / 3 + 1.5 * sigma / sqrt(pi),  # the smallest of three, one of them without the amenity
    }
    for name, form in closed.items():
        batch.records[:] = records
        batch.observe()
        total = finish(batch, name)[:, :3]
        if name in ("cheapest", "optimal"):
            for played, table in zip(np.rint(100 * total).astype(int), tables):
                assert all(gain in possible for gain, possible in zip(played, table[name]))  # two may be cheapest
        difference = (total - form).sum(axis=1)
        assert abs(difference.mean()) < 4 * difference.std() / sqrt(batch.num)


@pytest.mark.parametrize("search", ["simple", "lexical", "optimal", "filtered"])
@pytest.mark.mostly_slow
def test_search(search):
    batch = started(50, 9, customers=10, businesses=30, search=search)
    for number, s in enumerate(batch.records):
        level = batch.world.get_level(batch.record(number))
        for c, customer in enumerate(level["customers"]):
            found = []
            for b, business in enumerate(level["businesses"]):
                count = len(set(customer["items"]) & {item for item, _ in business["menu"]})
                whole = count == len(customer["items"])
                suits = set(customer["amenities"]) <= set(business["amenities"])
                key = (-count if search == "lexical" else 0, -business["rating"], b)
                if search in ("simple", "lexical") or (whole and (search == "optimal" or suits)):
                    found.append((key, b))
            assert s["results"][c, : s["found"][c]].tolist() == [b for _, b in sorted(found)]


# The protocol.

#: Customer 0 wants items 0 and 1 and amenity 2; of its three businesses 2 lacks it; 3, which customer 1 is after, sells
#: item 1 only. Ratings make lexical search list 0, 1, 2, then 3, and so on.
LEVEL = {
    "items": [10.0, 5.0, 8.0],
    "customers": [
        {"items": [0, 1], "amenities": [2]},
        {"items": [2], "amenities": []},
        {"items": [2], "amenities": []},
    ],
    "businesses": [
        {"menu": [[0, 9.0], [1, 4.0]], "amenities": [2], "floor": 0.78, "rating": 5.0},
        {"menu": [[0, 11.0], [1, 5.11]], "amenities": [2, 3], "floor": 0.6, "rating": 4.0},
        {"menu": [[0, 6.0], [1, 3.0]], "amenities": [3], "floor": 0.95, "rating": 3.0},
        {"menu": [[1, 2.0], [2, 7.0]], "amenities": [2], "floor": 0.9, "rating": 2.0},
        *({"menu": [[2, 8.0 + k]], "amenities": [], "floor": 0.6, "rating": 1.0} for k in range(5)),
    ],
}


def test_shopping():
    batch = started(level=LEVEL, latency=0.0, horizon=30)
    s = batch.record()
    assert legal(batch, 0) == {"wait", "search", "stop"}
    assert not batch.masks[0, 3:].any()  # nobody has asked
    step(batch, c0="search")
    seen = batch.observations[0, 0]
    assert seen["account"][PAGE] == 1 and seen["account"][PAGES] == 1
    assert seen["offers"][:4, 0].tolist() == [0, 1, 2, 3]
    assert legal(batch, 0) == {"wait", "stop", "inquire all", *(f"inquire {k}" for k in range(1, 10))}
    step(batch, c0="inquire_1")
    step(batch, c0="inquire_3", b0="propose_80%")
    # An answer given at a step arrives with it where nothing delays it; another inquiry is on its way.
    seen = batch.observations[0, 0]
    assert seen["offers"][0].tolist() == [0, 50, 3, 2, 1, 1040, 1]  # 80% of 9.00 and of 4.00
    assert seen["offers"][2, STATUS] == ASKED and seen["account"][EXPECTED] == 1
    assert "pay 1" in legal(batch, 0) and "inquire 1" in legal(batch, 0) and "inquire 3" not in legal(batch, 0)
    asked = batch.observations[0, 3 + 2]["inquiry"]
    assert asked.tolist() == [1, 0, 2, 0, 900, 95, 0, 0, 0, 27]  # 10.40 came too late to be told
    assert legal(batch, 5) == {"wait", "reply", "propose 95%", "propose 100%"}
    step(batch, c0="inquire_4", b2="reply")
    seen = batch.observations[0, 0]
    assert seen["offers"][2].tolist() == [2, 30, 2, 2, 0, 0, 0]  # answered, lacks the amenity, no price
    assert "pay 3" not in legal(batch, 0)
    step(batch, c0="pay_1", b3="propose_100%")
    assert batch.rewards[0].tolist() == [pytest.approx(30 - 10.4), 0, 0, pytest.approx(10.4), *[0] * 8]
    assert s.chosen[0] == 1 and s.options[0] == 2  # one had come, one was to come
    assert "pay 1" not in legal(batch, 0) and "inquire 1" not in legal(batch, 0) and "pay 4" in legal(batch, 0)
    assert batch.observations[0, 0]["offers"][3].tolist() == [3, 20, 3, 1, 1, 200, 2]
    step(batch, c0="pay_4")  # a part of the order, and what is wanted counts once
    assert batch.rewards[0, 0] == -2.0 and batch.rewards[0, 6] == 2.0 and s.spent[0] == 1240 and s.served[0] == 1
    step(batch, c0="inquire_2")
    step(batch, b1="propose_60%")
    assert batch.observations[0, 0]["offers"][1, PRICE] == 660 + 307  # 5.11 at 60% is 3.066
    step(batch, c0="pay_2")
    assert batch.rewards[0, 0] == -9.67
    step(batch, c0="stop")
    assert batch.terminations[0].tolist() == [True] + [False] * 11
    step(batch, c1="stop", c2="stop")
    assert batch.terminations.all() and not batch.truncations.any()


def test_what_does_not_suit_is_worth_nothing():
    batch = started(level=LEVEL, latency=0.0, horizon=30)
    step(batch, c0="search")
    step(batch, c0="inquire_all")
    step(batch, b2="propose_95%", b3="propose_90%")
    step(batch, c0="pay_3")
    assert batch.rewards[0, 0] == pytest.approx(-8.55)  # lacks the amenity
    step(batch, c0="pay_4")
    assert batch.rewards[0, 0] == pytest.approx(-1.8)  # a part
    assert batch.record().served[0] == 0
    with pytest.raises(ActionError, match="pay 1"):
        step(batch, c0="pay_1")


def test_what_is_seen_before_an_answer():
    """Of a business on the page only its number, its rating and what was asked; nothing of the other role's parts."""
    batch = started(level=LEVEL, latency=0.0, horizon=30)
    assert batch.observations[0, 0]["request"].tolist() == [0, 1, -1, 1000, 500, -1, 2, -1]
    assert (batch.observations[0, :3]["offers"] == -1).all()
    step(batch, c0="search")
    step(batch, c0="inquire_2")
    seen = batch.observations[0, 0]
    assert seen["offers"][:3].tolist() == [[0, 50, 0, -1, -1, 0, 0], [1, 40, 1, -1, -1, 0, 0], [2, 30, 0, -1, -1, 0, 0]]
    assert seen["account"].tolist() == [1, 1, 0, 0, 1, 28] and not seen["inquiry"].any()
    assert legal(batch, 0) == {"wait", "stop", "inquire all", *(f"inquire {k}" for k in (1, *range(3, 10)))}
    asked, free = batch.observations[0, 4], batch.observations[0, 5]
    assert asked["request"].tolist() == [0, 1, -1, 1100, 511, -1, 2, -1]
    assert asked["inquiry"].tolist() == [1, 0, 2, 1, 1611, 60, 0, 0, 0, 28]
    assert (free["request"] == -1).all() and free["inquiry"].tolist() == [0, -1, 0, 0, 0, 95, 0, 0, 0, 28]
    for business in (asked, free):
        assert not business["account"].any() and (business["offers"] == -1).all()
    step(batch, c0="inquire_all", b1="wait")  # which does not ask the second again
    assert batch.observations[0, 3:]["inquiry"][:, WAITING].tolist() == [1] * 9
    assert "inquire all" not in legal(batch, 0) and batch.observations[0, 0]["account"][EXPECTED] == 9


def test_a_business_with_none_of_the_items_only_replies():
    """And one with a part of the order proposes for that part, from its floor on."""
    batch = started(level=LEVEL, latency=0.0)
    step(batch, c0="search", c1="search")
    found = batch.observations[0, 1]["offers"][:, 0].tolist()
    step(batch, c0="inquire_4", c1=f"inquire_{found.index(0) + 1}")
    assert legal(batch, 3) == {"wait", "reply"}
    assert batch.observations[0, 3]["request"].tolist() == [2, -1, -1, 0, -1, -1, -1, -1]
    assert batch.observations[0, 3]["inquiry"][:5].tolist() == [1, 1, 0, 1, 0]
    assert legal(batch, 6) == {"wait", "reply", "propose 90%", "propose 95%", "propose 100%"}
    assert batch.observations[0, 6]["inquiry"][:5].tolist() == [1, 0, 1, 1, 200]
    step(batch, b0="reply", b3="propose_95%")
    assert batch.observations[0, 0]["offers"][3].tolist() == [3, 20, 3, 1, 1, 190, 1]
    assert batch.observations[0, 1]["offers"][found.index(0)].tolist() == [0, 50, 2, 0, 1, 0, 0]


@pytest.mark.parametrize("needs", [[0], [9], [0, 9], [4, 1]])
def test_amenities_that_a_customer_needs(needs):
    """A business suits if it has all of them, whichever they are, and only then is the order worth something."""
    level = json.loads(json.dumps(LEVEL))
    level["customers"][0]["amenities"] = needs
    for business, held in zip(level["businesses"], (needs, needs[1:], [*needs, 2], needs[:1] if needs[1:] else [])):
        business |= {"amenities": held, "floor": 0.6}
    batch = started(level=level, latency=0.0)
    step(batch, c0="search")
    step(batch, c0="inquire_all")
    step(batch, b0="propose_100%", b1="propose_100%", b2="propose_100%", b3="reply")
    assert batch.observations[0, 0]["offers"][:4, 4].tolist() == [1, 0, 1, 0]
    step(batch, c0="pay_2")
    assert batch.rewards[0, 0] == pytest.approx(-16.11)
    step(batch, c0="pay_3")
    assert batch.rewards[0, 0] == pytest.approx(30 - 9)
    step(batch, c0="pay_1")  # the order counts once
    assert batch.rewards[0, 0] == pytest.approx(-13)


def test_queues_and_withdrawal():
    """Inquiries are answered in the order in which they came; a customer that goes home takes them back."""
    batch = started(6, level=LEVEL, latency=0.0, horizon=30)
    step(batch, c0="search", c1="search", c2="search")
    row = batch.observations[0, 1]["offers"][:, 0].tolist().index(4) + 1
    step(batch, c2=f"inquire_{row}")
    step(batch, c1=f"inquire_{row}")
    asked = batch.observations[:, 3 + 4]["inquiry"]
    assert (asked[:, WAITING] == 2).all() and (asked[:, CUSTOMER] == 2).all() and (asked[:, MENU_PRICE] == 800).all()
    step(batch, c2="stop")
    asked = batch.observations[:, 3 + 4]["inquiry"]
    assert (asked[:, WAITING] == 1).all() and (asked[:, CUSTOMER] == 1).all()
    # A business that answers who leaves in the same step answers nobody else in its place.
    step(batch, c1="stop", b4="propose_100%")
    assert not batch.masks[:, 3:].any() and (batch.records["expected"] == 0).all()


@pytest.mark.parametrize("num", [6, pytest.param(400, marks=pytest.mark.slow)])
def test_inquiries_of_one_step_come_in_random_order(num):
    """Of the three that may begin, two put customer 1 before customer 2."""
    batch = started(num, level=LEVEL, latency=0.0)
    step(batch, c1="search", c2="search")
    row = batch.observations[0, 1]["offers"][:, 0].tolist().index(4) + 1
    step(batch, c1=f"inquire_{row}", c2=f"inquire_{row}")
    first = batch.observations[:, 3 + 4]["inquiry"][:, CUSTOMER]
    assert set(first) == {1, 2} and abs((first == 1).mean() - 2 / 3) < 4 * sqrt(2 / 9 / num)


def test_a_second_proposal():
    batch = started(level=LEVEL, latency=0.0)
    step(batch, c0="search")
    step(batch, c0="inquire_all")
    step(batch, b0="propose_100%", b1="propose_100%", b3="propose_100%")
    offers = batch.observations[0, 0]["offers"]
    arrivals = batch.records["deals"]["arrival"][0, 0, [0, 1, 3]]
    assert offers[[0, 1, 3], PLACE].tolist() == [1 + sum(arrivals < time) for time in arrivals]
    step(batch, c0="inquire_2")
    assert batch.observations[0, 4]["inquiry"][[RIVAL, LAST]].tolist() == [1300, 1611]  # not 2.00 for a part
    assert "pay 2" in legal(batch, 0)  # the old one stands
    step(batch, b1="propose_65%")
    offers = batch.observations[0, 0]["offers"]
    assert offers[1, PRICE] == 715 + 332 and offers[1, PLACE] == 4 and offers[0, PRICE] == 1300
    step(batch, c0="inquire_1")
    step(batch, c0="pay_1")  # takes the inquiry back
    assert batch.record().expected[0] == 6 and not batch.masks[0, 3].any()


def test_latency():
    for latency in (0.0, 3.0):
        batch = started(4000, 11, level=LEVEL, latency=latency, horizon=100)
        step(batch, c0="search")
        step(batch, c0="inquire_all")
        step(batch, **{f"b{b}": "reply" for b in range(9)})
        time = batch.records["deals"]["arrival"][:, 0] - 3
        assert (batch.records["deals"]["known"][:, 0] == (time <= 0)).all()
        # a moment of the step, and an exponential time
        assert abs(time.mean() - (latency - 0.5)) < 4 * sqrt((latency**2 + 1 / 12) / time.size)
        assert abs(time.var() - (latency**2 + 1 / 12)) < 0.05 * (latency**2 + 1 / 12) + 0.002
        firsts = np.bincount(time.argmin(axis=1), minlength=9) / 4000
        assert (abs(firsts - 1 / 9) < 4 * sqrt(8 / 81 / 4000)).all()
        if latency:
            for _ in range(5):
                step(batch)
                late = batch.records["deals"]["arrival"][:, 0] > batch.records["t"][:, None]
                assert (batch.records["deals"]["underway"][:, 0] == late).all()
                assert (batch.observations["account"][:, 0, EXPECTED] == late.sum(axis=1)).all()


def test_pages():
    """A consideration set: what is on the page, and nothing else, can be asked and paid."""
    batch = started(level=LEVEL, latency=0.0, page=4)
    assert len(batch.world.action_names[0]) == 12
    step(batch, c0="search")
    assert batch.observations[0, 0]["account"][:2].tolist() == [1, 3]
    step(batch, c0="inquire_all")
    step(batch, c0="search", b1="propose_100%")
    assert batch.observations[0, 0]["offers"][:, 0].tolist() == [4, 5, 6, 7]
    assert (batch.observations[0, 0]["offers"][:, STATUS] == NOT_ASKED).all() and "pay 2" not in legal(batch, 0)
    step(batch, c0="search")
    assert batch.observations[0, 0]["offers"][:, 0].tolist() == [8, -1, -1, -1]
    assert legal(batch, 0) == {"wait", "search", "stop", "inquire all", "inquire 1"}
    step(batch, c0="search")
    assert batch.observations[0, 0]["account"][PAGE] == 1 and "pay 2" in legal(batch, 0)


def test_the_horizon():
    batch = started(horizon=3)
    for _ in range(3):
        assert not batch.over().any()
        step(batch)
    assert batch.truncations.all() and not batch.terminations.any()


# Who answers first.


def test_first_proposal_bias_of_choices():
    assert first_proposal_bias([1, 2, 3], 3) == 1.0
    assert first_proposal_bias([1, 1, 1, 2], 2) == 3.0
    assert first_proposal_bias([1] * 9 + [3], 3) == pytest.approx(18.0)  # 90% against 5% each
    assert first_proposal_bias([1, 1, 2, 0, 1], [2, 2, 2, 2, 1]) == 2.0  # no choice, and no alternative
    assert first_proposal_bias([1, 1], 3) == np.inf
    assert np.isnan(first_proposal_bias([0, 1], [3, 1]))


@pytest.mark.slow
def test_first_proposal_bias_of_customers():
    """A hasty customer's is 2f / (1 - f) with f = h + (1 - h) / 3; there is none in choosing the best."""
    batch = started(4000, 21, search="optimal", latency=3.0)
    start = batch.records.copy()
    for name, haste in (("optimal", 0.0), ("myopic:haste=0.5", 0.5), ("myopic:haste=0.85", 0.85), ("myopic", 1.0)):
        batch.records[:] = start
        batch.observe()
        total = finish(batch, name, name, name, "fast")
        chosen, options = batch.records["chosen"].ravel(), batch.records["options"].ravel()
        assert (options[chosen > 0] == 3).all() and (chosen > 0).mean() > 0.99
        first = haste + (1 - haste) / 3
        counted = chosen[chosen > 0]
        assert abs((counted == 1).mean() - first) <= 4 * sqrt(first * (1 - first) / len(counted))
        expected = 2 * first / (1 - first) if haste < 1 else np.inf
        assert first_proposal_bias(chosen, options) == pytest.approx(expected, rel=0.1)
        if haste == 1.0:  # the first is anyone's: random among any, V / 3 of V = 20 for each of three customers
            welfare = total[:, :3].sum(axis=1)
            assert abs(welfare.mean() - 20) < 4 * welfare.std() / sqrt(batch.num)


@pytest.mark.slow
def test_speed_sells_to_the_hasty_and_low_prices_to_the_patient():
    shares = {}
    for customers in ("myopic", "optimal", "patient"):
        batch = started(1500, 31, latency=0.5, search="filtered")
        sellers = ["fast" if b % 2 else "undercutting" for b in range(9)]
        total = finish(batch, *[customers] * 3, *sellers)
        sales = (batch.records["deals"]["paid"] != 0).sum(axis=1)
        fast = np.arange(9) % 2 == 1
        shares[customers] = sales[:, fast].mean() / (sales[:, fast].mean() + sales[:, ~fast].mean())
        shares[customers, "gain"] = total[:, :3].sum(axis=1).mean()
    print(shares)
    assert shares["myopic"] > 0.6 and shares["optimal"] < 0.45 and shares["patient"] < shares["optimal"]
    assert shares["myopic", "gain"] < shares["optimal", "gain"] < shares["patient", "gain"]


# Levels, parameters, words.


def test_levels():
    batch = started(level=LEVEL)
    assert batch.world.get_level(batch.record()) == {**LEVEL, "customers": LEVEL["customers"]}
    drawn = started(customers=10, businesses=30)
    level = drawn.world.get_level(drawn.record())
    again = started(level=json.loads(json.dumps(level)), customers=10, businesses=30)
    for name in ("values", "orders", "needs", "menus", "amenities", "floors", "ratings", "results"):
        assert np.array_equal(again.records[name], drawn.records[name]), name


def test_bad_levels():
    cases = [
        ({"items": [0.0]}, "price 0.0 of item 0"),
        ({"items": [1.0] * 7}, "7 items"),
        ({"customers": LEVEL["customers"][:2]}, "2 customers, this world 3"),
        ({"customers": [{"items": [0, 0], "amenities": []}] * 3}, "different numbers"),
        ({"customers": [{"items": [], "amenities": []}] * 3}, "wants 0 items"),
        ({"customers": [{"items": [0], "amenities": [10]}] * 3}, "from 0 to 9"),
        ({"businesses": [{**LEVEL["businesses"][0], "menu": [[3, 1.0]]}] * 9}, "from 0 to 2"),
        ({"businesses": [{**LEVEL["businesses"][0], "menu": [[0, 2000.0]]}] * 9}, "price 2000.0"),
        ({"businesses": [{**LEVEL["businesses"][0], "floor": 1.2}] * 9}, "floor 1.2"),
        ({"businesses": [{}] * 9}, "lacks 'menu'"),
    ]
    kit.refuses(build(ID), *(({**LEVEL, **change}, message) for change, message in cases))


def test_bad_parameters():
    with pytest.raises(ParameterError, match="multiple of customers=3"):
        Marketplace(businesses=10)
    with pytest.raises(ParameterError, match="two to ten times"):
        Marketplace(customers=9)
    with pytest.raises(ParameterError, match="cheapest"):
        Marketplace(cheapest=20.0)


def test_names_of_items():
    assert len({item_name(k) for k in range(204)}) == 204  # as many as 100 customers have


def test_text():
    batch = started(level=LEVEL, latency=0.0, horizon=30)
    s, text = batch.record(), batch.world.text
    assert "(list value 10.00)" in text(s, 0) and "has a private room" not in text(s, 0)
    assert "that is worth 30.00 to you" in text(s, 0) and "You have not searched yet." in text(s, 0)
    step(batch, c0="search")
    step(batch, c0="inquire_all")
    assert "2. business_1, rated 4.0: asked, no answer yet." in text(s, 0)
    assert "Nobody asks you for anything." not in text(s, 4)
    assert "together 16.11. You have all that it needs besides." in text(s, 4)
    step(batch, b0="propose_80%", b2="reply", b3="propose_90%")
    assert "sells 2 of your 2 items, has all you need besides; proposes (the" in text(s, 0)
    assert "10.40." in text(s, 0) and "lacks an amenity that you need; no proposal." in text(s, 0)
    assert "16.11" not in text(s, 0)  # prices that nobody told it
    step(batch, c0="inquire_2" if "inquire 2" in legal(batch, 0) else "wait")
    step(batch, c0="pay_1")
    assert "You have paid 10.40 and have what you want." in text(s, 0) and "paid 10.40" in text(s, 0)
    assert "Your revenue is 10.40." in text(s, 3)


def test_who_knows_what():
    """What a customer sees does not depend on the prices and amenities of businesses that have not answered."""
    other = json.loads(json.dumps(LEVEL))
    other["businesses"][1] |= {"menu": [[0, 20.0], [1, 1.0]], "amenities": [], "floor": 0.9}
    other["customers"][1]["amenities"] = [4]
    batches = [started(level=level, latency=0.0) for level in (LEVEL, other)]
    for batch in batches:
        step(batch, c0="search", c1="search")
        step(batch, c0="inquire_all")
        step(batch, b0="propose_100%")
    for agent in (0, 3):
        assert batches[0].observations[0, agent].tobytes() == batches[1].observations[0, agent].tobytes()
        assert batches[0].world.text(batches[0].record(), agent) == batches[1].world.text(batches[1].record(), agent)


def test_ends_of_what_is_drawn():
    """In some tens of markets: ratings, floors and values take both ends of their ranges, and nothing beyond."""
    records = started(40, customers=1, businesses=10, cheapest=2.0, dearest=2.02).records
    for name, low, high in (("ratings", 10, 50), ("floors", 60, 95), ("values", 200, 202)):
        assert (records[name].min(), records[name].max()) == (low, high), name


def test_list_values_and_prices_are_parameters():
    """Values lie between the bounds, in cents; a price is its value times 1 + spread * a standard normal number."""
    records = started(200, cheapest=2.0, dearest=3.0, spread=0.0).records
    values = records["values"]
    assert values.min() == 200 and values.max() == 300
    menus = records["menus"].astype(int)
    assert ((menus == 0) | (menus == values[:, None, :])).all() and menus.any()
    wide = started(200, cheapest=10.0, dearest=10.0, spread=0.1).records["menus"].astype(float)
    prices = wide[wide > 0] / 1000
    assert prices.mean() == pytest.approx(1.0, abs=0.01) and prices.std() == pytest.approx(0.1, rel=0.05)


# Talk.


def heard(batch, agent, name):
    """Who hears an agent when it does this, by name; None if that is no speech."""
    world = batch.world
    to = world.speech(batch.record(), agent, world.action_names[agent].index(name))
    return None if to is None else [world.agents[a] for a in to]


def test_the_two_sides_of_a_trade_hear_each_other():
    batch = started(level=LEVEL, latency=0.0, say=True)
    assert "say" not in legal(batch, 0) and heard(batch, 0, "search") is None and heard(batch, 0, "wait") is None
    step(batch, c0="search", c1="search")
    assert heard(batch, 0, "inquire 2") == ["business_1"] and len(heard(batch, 0, "inquire all")) == 9
    step(batch, c0="inquire_2", c1="inquire_2")
    assert heard(batch, 0, "say") == ["business_1"] and len(heard(batch, 0, "inquire all")) == 8
    first = f"customer_{batch.record().queue[1, 0]}"
    assert heard(batch, 4, "reply") == heard(batch, 4, "propose 90%") == heard(batch, 4, "say") == [first]
    assert heard(batch, 4, "wait") is None and heard(batch, 0, "stop") is None


def test_say_is_to_wait():
    batch, other = started(level=LEVEL, latency=0.0, say=True), started(level=LEVEL, latency=0.0)
    for name, longer in zip(other.world.action_names, batch.world.action_names):
        assert longer == (*name, "say")
    for one in (batch, other):
        step(one, c0="search")
        step(one, c0="inquire_all")
    assert "say" in legal(batch, 0) and "say" in legal(batch, 3)
    step(batch, c0="say", b0="say", b1="propose_100%")
    step(other, c0="wait", b0="wait", b1="propose_100%")
    assert batch.records.tobytes() == other.records.tobytes()


def test_free_talk_needs_say():
    Talk("beside").demand(build(ID))
    Talk("free").demand(build(ID, {"say": True}))
    with pytest.raises(ParameterError, match="say=True"):
        Talk("free").demand(build(ID))
