"""TravelPlanner: a second implementation of the rules, a search of all plans, queries, levels, pictures."""

import itertools
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.core.errors import LevelError, ParameterError
from envsuite.dual_control.travel_planner import ACCEPTED, NO_ACTS, NO_HOTEL, day_ends, total_cost
from envsuite.evaluation.matches import play
from envsuite.generators import describe, generate, generate_many, mutate
from envsuite.registry import build
from envsuite.testing import random_actions

ID = "envsuite/TravelPlanner-v0"

started = partial(kit.started, ID)

#: The sizes of the second world that other checks compile too.
SMALL = dict(sights=3, hotels=1, days=1, wishes=3)


# The rules once more, for levels as plain data. Plans are a hotel's number and, for each day, numbers of sights from 1.


def trip(level, hotel, days):
    """The minutes at which the days end and the cost, or None where a sight is closed or a day too long."""
    home = len(level["sights"]) + hotel - 1
    ends, spent = [], level["hotels"][hotel - 1]["price"] * level["days"]
    for day in days:
        stops, now = [home, *(k - 1 for k in day), home], 9 * 60
        for here, there in itertools.pairwise(stops):
            now += level["minutes"][here][there]
            spent += level["fares"][here][there]
            if there != home:
                sight = level["sights"][there]
                now = max(now, sight["opens"]) + sight["visit"]
                spent += sight["fee"]
                if now > sight["closes"]:
                    return None
        if now > 19 * 60:
            return None
        ends.append(now)
    return ends, spent


def value(level, hotel, days):
    """The value of a plan."""
    found = trip(level, hotel, days) if hotel else None
    if found is None or found[1] > level["budget"]:
        return 0.0
    ends, spent = found
    seen = [k for day in days for k in day]
    kinds = [level["sights"][k - 1]["category"] for k in seen]
    met = 0
    for wish in level["wishes"]:
        met += (
            wish.get("see") in seen
            or kinds.count(wish.get("category")) >= wish.get("count", 99)
            or level["hotels"][hotel - 1]["stars"] >= wish.get("stars", 99)
            or spent <= wish.get("spend", -1)
            or max(ends) <= wish.get("back", -1)
        )
    return met / len(level["wishes"])


def best_value(level):
    """The largest value of all plans: every order of every set of sights, cut into days in every way."""
    sights, days, best = range(1, len(level["sights"]) + 1), level["days"], 0.0
    for count in range(len(sights) + 1):
        for order in itertools.permutations(sights, count):
            for cuts in itertools.combinations_with_replacement(range(count + 1), days - 1):
                parts = [order[low:high] for low, high in itertools.pairwise((0, *cuts, count))]
                for hotel in range(1, len(level["hotels"]) + 1):
                    best = max(best, value(level, hotel, parts))
    return best


def planned(s):
    """The plan of a record, as `value` takes it."""
    return int(s.hotel) + 1, [[int(k) + 1 for k in day if k >= 0] for day in s.plan]


def submitted(policy, levels, **params):
    """The returns of a policy on these levels."""
    batch = started(len(levels), level=levels, **params)
    return kit.finish(batch, policy)[:, 0]


def check_exact(levels, **params):
    found = submitted("exact", levels, **params)
    for level, got in zip(levels, found):
        assert got == pytest.approx(best_value(level))
    greedy = submitted("greedy", levels, **params)
    assert (greedy <= found + 1e-12).all()
    return found, greedy


def test_exact_is_a_search_of_all_plans():
    check_exact(generate_many("city", 3, seed=50, sights=5, hotels=2, days=2, wishes=5), sights=5, steps=60)
    check_exact(generate_many("city", 4, seed=60, **SMALL), **SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("sights, hotels, days, count", [(5, 3, 2, 20), (5, 1, 3, 20), (6, 2, 1, 20), (6, 1, 2, 12)])
def test_exact_at_other_sizes(sights, hotels, days, count):
    sizes = dict(sights=sights, hotels=hotels, days=days, wishes=sights)
    found, greedy = check_exact(generate_many("city", count, seed=900, **sizes), **sizes, steps=60)
    assert greedy.mean() < found.mean() < 1


@pytest.mark.slow
def test_exact_with_eight_sights():
    sizes = dict(sights=8, hotels=1, days=1, wishes=8)
    check_exact(generate_many("city", 3, seed=7, **sizes), **sizes, steps=60)


@pytest.mark.parametrize("days", [1, 2, 3])
def test_lock_step_with_random_plans(days):
    """Random acts that never submit, but at every step the plan's value is that of the second implementation."""
    rng, values = np.random.default_rng(days), []
    sizes = dict(sights=4, hotels=2, days=days, wishes=4)
    levels = generate_many("city", 4, seed=days, **sizes)
    batch = started(4, level=levels, **sizes, steps=25)
    submit = len(batch.world.action_names[0]) - 1
    for t in range(24):
        masks = batch.masks.copy()
        masks[:, 0, submit] = 0
        masks[:, 0, : 2 * 6] = 0  # queries change no plan
        batch.step(random_actions(masks, rng))
        for i, level in enumerate(levels) if t % 5 == 4 else ():
            s = batch.record(i)
            values.append(value(level, *planned(s)))
            trial = started(level=level, **sizes, steps=25)
            hotel, parts = planned(s)
            if hotel:
                kit.act(trial, f"book hotel {hotel}")
            for d, part in enumerate(parts):
                kit.act(trial, *(f"add sight {k} on day {d + 1}" for k in part))
            kit.act(trial, "submit")
            assert trial.rewards[0, 0] == pytest.approx(values[-1]) and trial.terminations.all()
    assert 0 < np.mean(np.array(values) > 0) < 1


@pytest.mark.slow
def test_baselines_in_order():
    means = [
        play(build(ID), [policy], num).returns.mean()
        for policy, num in (("greedy", 12), ("careless", 30), ("random", 30))
    ]
    assert means == sorted(means, reverse=True) and means[0] > 0.6 > 0.4 > means[1] > means[2]


LEVEL = {
    "kind": "city",
    "days": 1,
    "budget": 100,
    "sights": [
        {"place": [0, 0], "category": "park", "opens": 600, "closes": 700, "visit": 60, "fee": 10},
        {"place": [5, 5], "category": "museum", "opens": 540, "closes": 1140, "visit": 120, "fee": 20},
        {"place": [9, 9], "category": "park", "opens": 540, "closes": 1140, "visit": 300, "fee": 0},
    ],
    "hotels": [{"place": [1, 0], "price": 50, "stars": 3}],
    "minutes": [[0, 40, 30, 10], [40, 0, 20, 30], [30, 20, 0, 60], [10, 30, 60, 0]],
    "fares": [[0, 4, 3, 0], [4, 0, 2, 6], [3, 2, 0, 7], [0, 6, 7, 0]],
    "wishes": [{"category": "park", "count": 2}, {"spend": 95}, {"back": 960}],
}


def test_times_and_money_of_one_trip():
    """By hand: sight 1 opens at 10:00, so the day ends at 14:10 after sights 1 and 2, and the trip costs 90."""
    batch = started(**SMALL, level=LEVEL)
    kit.act(batch, "book hotel 1", "add sight 1 on day 1", "add sight 2 on day 1")
    s = batch.record()
    assert day_ends(s, 0) == 600 + 60 + 40 + 120 + 30 and total_cost(s) == 50 + 10 + 4 + 20 + 6
    kit.act(batch, "submit")
    assert batch.rewards[0, 0] == pytest.approx(2 / 3) and "meets 2 of 3 wishes" in batch.world.text(batch.record(), 0)
    for acts, share, words in (
        (["add sight 1 on day 1", "submit"], 0, "no hotel"),
        (["book hotel 1", "submit"], 2 / 3, "2 of 3"),
        (["book hotel 1", "add sight 2 on day 1", "add sight 1 on day 1", "submit"], 0, "closed"),  # 12:10 is too late
        (["book hotel 1", "add sight 1 on day 1", "add sight 3 on day 1", "submit"], 2 / 3, "2 of 3"),  # 17:30
        (["book hotel 1", *(f"add sight {k} on day 1" for k in (1, 2, 3)), "submit"], 0, "too long"),  # 20:00
    ):
        batch = started(**SMALL, level=LEVEL)
        kit.act(batch, *acts)
        assert batch.rewards[0, 0] == pytest.approx(share) and words in batch.world.text(batch.record(), 0)
    batch = started(**SMALL, level={**LEVEL, "budget": 89})
    kit.act(batch, "book hotel 1", "add sight 1 on day 1", "add sight 2 on day 1", "submit")
    assert batch.rewards[0, 0] == 0 and "more than the budget" in batch.world.text(batch.record(), 0)


def test_queries_show_what_they_ask():
    batch = started(**SMALL, level=LEVEL)
    seen = batch.observations[0, 0]
    assert (seen["sights"] == -1).all() and (seen["hotels"] == -1).all()
    assert (seen["minutes"] == np.where(np.eye(4), 0, -1)).all()
    kit.act(batch, "query sight 2", "query hotel 1", "query transport at sight 1")
    seen = batch.observations[0, 0]
    assert seen["sights"].tolist() == [[-1] * 4, [540, 1140, 120, 20], [-1] * 4] and seen["hotels"].tolist() == [
        [50, 3]
    ]
    assert seen["minutes"][0].tolist() == seen["minutes"][:, 0].tolist() == [0, 40, 30, 10]
    assert (seen["fares"][1:, 1:] == np.where(np.eye(3), 0, -1)).all()
    assert seen["left"][0] == 27
    kit.act(batch, "query transport at sight 2", "query transport at sight 3")
    assert not any(name.startswith("query transport") for name in kit.legal(batch))  # all ways are known
    assert "query sight 2" not in kit.legal(batch) and "query sight 1" in kit.legal(batch)


def test_adding_removing_and_the_last_act():
    batch = started(sights=4, wishes=4, steps=9)
    kit.act(batch, *(f"add sight {k} on day 2" for k in (3, 1, 4)))
    assert {"remove sight 1", "add sight 2 on day 1"} <= kit.legal(batch) and "add sight 3 on day 1" not in kit.legal(
        batch
    )
    kit.act(batch, "remove sight 1")
    assert batch.record().plan.tolist() == [[-1] * 4, [2, 3, -1, -1]]
    kit.act(batch, "add sight 1 on day 2", "remove sight 3", "remove sight 4", "remove sight 1")
    assert (batch.record().plan == -1).all() and not batch.terminations.any()
    kit.act(batch, "book hotel 2")
    assert batch.terminations.all() and batch.rewards[0, 0] == 0
    assert "was not submitted" in batch.world.text(batch.record(), 0)


def test_policies_with_too_few_acts_still_submit():
    for policy in ("exact", "greedy", "careless"):
        for steps in (8, 12):
            batch = started(6, seed=1, steps=steps)
            kit.finish(batch, policy)
            assert (batch.records["outcome"] != NO_ACTS).all()
            assert policy == "careless" or (batch.records["outcome"] == (ACCEPTED if steps == 12 else NO_HOTEL)).all()


def test_cities():
    levels = generate_many("city", 60, seed=5, split="train")
    for level in levels:
        places = [tuple(part["place"]) for part in level["sights"] + level["hotels"]]
        assert len(set(places)) == len(places) == 8
        for sight in level["sights"]:
            assert 540 <= sight["opens"] and sight["opens"] + sight["visit"] <= sight["closes"] <= 1140
        table = np.array(level["minutes"])
        assert (table == table.T).all() and (table[~np.eye(8, dtype=bool)] > 0).all()
        assert value(level, 1 + min(range(2), key=lambda h: level["hotels"][h]["price"]), [[], []]) >= 0
        assert describe(level)["solvable"] and describe(level)["size"] == [6, 2]
        assert len({str(wish) for wish in level["wishes"]}) == 5
    kinds = [next(iter(wish)) for level in levels for wish in level["wishes"]]
    assert {"see", "category", "stars", "spend", "back"} == set(kinds) and 0.5 < kinds.count("see") / len(kinds) < 0.75
    other = mutate(levels[0], seed=3)
    assert (
        sum(a != b for a, b in zip(levels[0]["sights"], other["sights"])) <= 1
        and other["minutes"] == levels[0]["minutes"]
    )
    batch = started(level=levels[0])
    assert batch.world.get_level(batch.record()) == levels[0]


def test_levels_and_wrong_parameters():
    sight, wish = LEVEL["sights"][0], LEVEL["wishes"]

    def but(**parts):
        return {**LEVEL, **parts}

    kit.refuses(
        started(**SMALL).world,
        (but(days=2), "number of days is 2"),
        (but(budget=-1), "the budget is -1"),
        (but(mayor="x"), "unknown part 'mayor'"),
        (but(sights=LEVEL["sights"][:2]), "'sights' must be a list of 3"),
        (but(sights=[{**sight, "fee": True}, *LEVEL["sights"][1:]]), "'fee' of sight 1 is True"),
        (but(sights=[{**sight, "category": "zoo"}, *LEVEL["sights"][1:]]), "sight 1 is 'zoo'"),
        (but(hotels=[{"place": [0, 0], "price": 50, "stars": 3}]), "the place of hotel 1, .0, 0., is taken"),
        (but(minutes=[[0, 1, 1, 1]] * 4), "same in both directions"),
        (but(fares=[[1] * 4] * 4), "0 from a place to itself"),
        (but(wishes=[{"see": 4}, *wish[1:]]), "the sight of wish 1 is 4"),
        (but(wishes=[{"sea": 1}, *wish[1:]]), "wish 1 must have see"),
        (but(wishes=[{"back": 900}, *wish[1:]]), "only one wish"),
    )
    for params in ({"sights": 9}, {"days": 0}, {"wishes": 6, "sights": 5}, {"steps": 0}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    with pytest.raises(LevelError):
        describe({**generate("city"), "budget": None})


def test_pictures_and_clicks():
    batch = started(**SMALL, level=LEVEL)
    world, s = batch.world, batch.record()
    before = world.scene(s, 0).shapes
    s.level.opens[0], s.level.price[0], s.level.fares[:] = 660, 70, 1
    assert world.scene(s, 0).shapes == before and world.scene(s).shapes != before
    names = world.action_names[0]
    assert {names[k] for k in kit.clicks(batch, 0, 0.2, 0.2) - {None}} == {
        *(f"query sight {k}" for k in (1, 2, 3)),
        "query hotel 1",
    }
    kit.act(batch, "query sight 1")
    assert "query transport at sight 1" in {names[k] for k in kit.clicks(batch, 0, 0.2, 0.2) - {None}}
