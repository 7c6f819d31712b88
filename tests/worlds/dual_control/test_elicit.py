"""Elicit: episodes of UserRL's code, sums over aspects, values of information by enumeration, best play, levels."""

import itertools
import json
from collections import Counter
from functools import partial
from math import comb

import kit
import numpy as np
import pytest
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.generators import describe, generate, generate_many, split_of
from envsuite.registry import build
from envsuite.solvers.game_tree import Tree

ID = "envsuite/Elicit-v0"

started = partial(kit.started, ID)

#: The returns of the specification.
ORACLE = {"22": 3.2, "33": 3.6, "44": 4.0, "233": 5.2, "333": 5.4, "334": 5.6, "444": 6.0, "2222": 6.4}

#: The sizes of other worlds that checks compile too.
SMALL = dict(task="22", topics=3, offers=3, steps=12, patience=2, failures=2)
TALK = dict(task="intention", topics=4, details=2, steps=4)

#: A journey by hand: the flight's offers 1 and 3 meet its wishes, and the third is cheaper.
LEVEL = {
    "task": "22",
    "wishes": [[0, -1, 2], [-1, 1, 0]],
    "offers": [[[0, 1, 2], [0, 0, 1], [0, 2, 2]], [[2, 1, 0], [0, 0, 0], [1, 1, 1]]],
    "prices": [[30, 10, 20], [5, 4, 3]],
}


def fits(level, aspect):
    """The numbers of the offers that meet all wishes of an aspect, the cheapest first."""
    wishes, offers, prices = level["wishes"][aspect], level["offers"][aspect], level["prices"][aspect]
    found = [n for n, offer in enumerate(offers) if all(w in (-1, has) for w, has in zip(wishes, offer))]
    return sorted(found, key=lambda n: prices[n])


@pytest.mark.parametrize("task", ORACLE)
def test_an_oracle_earns_the_sum_over_aspects(task):
    for seed in range(3):
        batch = started(seed=seed, task=task, topics=6, offers=8)
        world, total = batch.world, 0.0
        level = world.get_level(batch.record())
        moves = []
        for a, (aspect, topics) in enumerate(world.words.items()):
            moves += [f"ask {aspect} {topic}" for topic, wish in zip(topics, level["wishes"][a]) if wish >= 0]
            moves += [f"search {aspect}", f"recommend {aspect} {fits(level, a)[0] + 1}"]
        for move in moves:
            assert not batch.over()[0]
            kit.act(batch, move)
            total += batch.rewards[0, 0]
        assert total == pytest.approx(ORACLE[task]) and batch.terminations.all() and len(moves) <= 20
        assert total == pytest.approx(sum(0.2 * int(digit) + 0.2 + 1 for digit in task))


def test_episodes_of_the_reference():
    """Rewards and ends of UserRL's own environments, recorded by `tests/elicit_reference.py`, at commit cf55a30."""
    ends, named, paid = Counter(), 0, Counter()
    for line in (kit.DATA / "Elicit" / "elicit_reference.json").read_text().splitlines():
        one = json.loads(line)
        batch = started(seed=one["seed"], **one["params"])
        for move, reward in zip(one["moves"], one["rewards"]):
            assert not batch.over()[0]
            left = batch.records["left"][0]
            kit.act(batch, move)
            assert batch.rewards[0, 0] == pytest.approx(reward), (one, move)
            named += batch.records["left"][0] < left and reward == 0 and not move.startswith("recommend")
            paid[round(reward, 6)] += 1
        assert batch.terminations[0, 0] == one["done"] and batch.truncations[0, 0] == (not one["done"])
        assert batch.records["left"][0] == one["left"]
        ends[one["done"]] += 1
    assert min(ends.values()) > 5 and named > 10
    assert min(paid[pay] for pay in (0, 0.2, 0.4, 0.5, 0.8, 1)) > 0


def test_rewards_and_verdicts_by_hand():
    batch = started(**SMALL, level=LEVEL)
    for move, reward in (
        ("ask flight departure", 0.2),
        ("ask flight cabin", 0),
        ("search flight", 0.2),
        ("recommend flight 1", 0.8),
        ("search hotel", 0),  # the second search fails
        ("search hotel", 0.2),
        ("recommend hotel 2", 0),
    ):
        left = batch.records["left"][0]
        kit.act(batch, move)
        assert batch.rewards[0, 0] == pytest.approx(reward), move
        if move == "recommend flight 1":
            assert left - batch.records["left"][0] == 1  # the wish for stops is no longer asked for
            assert kit.legal(batch) == {"chat", "finish", "search hotel"} | {
                f"ask hotel {t}" for t in ("place", "stars", "meals")
            }
    assert batch.terminations.all() and batch.observations["verdict"][0, 0].tolist() == [1, 0]
    for offer, verdict in ((1, 1), (2, 0), (3, 2)):
        batch = kit.act(started(**SMALL, level=LEVEL), "search flight", f"recommend flight {offer}")
        assert batch.observations["verdict"][0, 0].tolist() == [verdict, -1]


def test_the_user_names_a_wish_after_idle_steps():
    num, named = 500, Counter()
    batch = started(num, **SMALL, level=LEVEL)
    chat = batch.world.action_names[0].index("chat")
    batch.step(np.full((num, 1), chat))
    assert (batch.observations["known"] == -2).all() and (batch.observations["counters"][:, 0, 2] == 1).all()
    batch.step(np.full((num, 1), chat))
    known = batch.observations["known"][:, 0]
    assert (batch.rewards == 0).all() and (batch.observations["counters"][:, 0, [0, 2]] == [3, 0]).all()
    for one in known:
        ((a, k),) = np.argwhere(one != -2).tolist()
        assert one[a, k] == LEVEL["wishes"][a][k] >= 0
        named[a, k] += 1
    assert len(named) == 4 and stats.chisquare(list(named.values())).pvalue > 1e-4
    # A question about a topic without a wish is idle, one about a wish starts the count again.
    batch = kit.act(started(**SMALL, level=LEVEL), "ask flight cabin", "ask flight departure", "ask hotel place")
    assert batch.records["left"][0] == 3 and batch.records["idle"][0] == 1
    # Searches neither count nor start the count again; nobody names a wish with patience 0.
    batch = kit.act(started(**SMALL, level=LEVEL), "chat", "search flight", "chat")
    assert batch.records["left"][0] == 3
    batch = kit.act(started(**SMALL | dict(patience=0), level=LEVEL), *["chat"] * 11)
    assert batch.records["left"][0] == 4 and not batch.over()[0]
    kit.act(batch, "chat")
    assert batch.truncations.all() and not batch.terminations.any()


def test_failures_of_searches():
    batch = started(task="2222", failures=3)
    pays = []
    for aspect in ("flight", "hotel", "car", "car", "restaurant"):
        kit.act(batch, f"search {aspect}")
        pays.append(batch.rewards[0, 0])
    assert pays == [0.2, 0.2, 0, 0.2, 0.2]
    assert kit.act(batch, "finish").terminations.all() and batch.rewards[0, 0] == 0


def test_questions_about_several_topics():
    level = {"task": "intention", "wishes": [[0, -1, 2, 1, 0]], "importance": [[1, 0, 3, 2, 1]]}
    expected = {
        "purpose": 0.4, "audience": 0, "deadline": 1, "budget": 0.7,
        "purpose + audience": 0.4, "purpose + deadline": 0.8, "purpose + budget": 0.5, "purpose + length": 0.2,
        "purpose + deadline + budget": 0.6, "purpose + budget + length": 0.3,
        "purpose + audience + deadline + budget + length": 0.4,
    }  # fmt: skip
    for topics, pay in expected.items():
        batch = kit.act(started(task="intention", details=4, level=level), f"ask {topics}")
        assert batch.rewards[0, 0] == pytest.approx(pay), topics
        asked = [topic in topics.split(" + ") for topic in batch.world.words["task"]]
        assert ((batch.observations["known"][0, 0, 0] != -2) == asked).all()
        assert (batch.observations["importance"][0, 0, 0] == np.where(asked, level["importance"][0], 0)).all()
        assert batch.terminations.all() == (len(topics.split(" + ")) == 5)


def test_levels_are_drawn_as_described():
    num = 3000
    level = started(num, **SMALL).records["level"]
    wishes, offers, prices = (level[part] for part in ("wishes", "offers", "prices"))
    assert ((wishes >= 0).sum(axis=2) == 2).all()
    assert (np.sort(prices, axis=2) == [10, 20, 30]).all()
    where = Counter(map(bytes, (wishes[:, 0] >= 0)))
    assert len(where) == 3 and stats.chisquare(list(where.values())).pvalue > 1e-4
    assert stats.chisquare(np.bincount(wishes[wishes >= 0])).pvalue > 1e-4
    meets = ((wishes[:, :, None] < 0) | (wishes[:, :, None] == offers)).all(axis=3).sum(axis=2)
    # One offer was made to fit, each of two others fits by chance with probability 1/9.
    assert (
        stats.chisquare(
            np.bincount(meets.ravel(), minlength=4)[1:], 2 * num * stats.binom(2, 1 / 9).pmf([0, 1, 2])
        ).pvalue
        > 1e-4
    )
    importance = started(num, **TALK).records["level"]["importance"]
    assert stats.chisquare(np.bincount(importance[importance > 0])[1:]).pvalue > 1e-4


def posterior(seen, aspect):
    """All wishes in an aspect that fit an observation, with their probabilities, from the rules of the generator.

    The chance of the offers, given wishes, is the mean over the offer that is made to meet them.
    """
    known, offers = seen["known"][aspect], seen["offers"][aspect]
    cases = {}
    for wishes in itertools.product((-1, 0, 1, 2), repeat=len(known)):
        if sum(w >= 0 for w in wishes) == seen["wishes"][aspect] and all(k in (-2, w) for k, w in zip(known, wishes)):
            free = sum(w < 0 for w in wishes)
            chance = 0.0
            for made in range(len(offers)):
                if all(w in (-1, has) for w, has in zip(wishes, offers[made])):
                    chance += (1 / 3) ** (len(known) * (len(offers) - 1) + free) / len(offers)
            if chance:
                cases[wishes] = chance
    total = sum(cases.values())
    return {wishes: chance / total for wishes, chance in cases.items()}


def pay(seen, aspect, offer, wishes):
    """The pay of a recommendation, if these are the wishes."""
    offers, prices = seen["offers"][aspect].tolist(), seen["prices"][aspect].tolist()
    level = {"wishes": [wishes], "offers": [offers], "prices": [prices]}
    meets = fits(level, 0)
    return 0.0 if offer not in meets else 1.0 if offer == meets[0] else 0.8


def choose_by_value(seen):
    """The questions (aspect, topic) and offers (aspect, offer) by their expected pay, one question ahead."""
    questions, best = {}, {}
    for a in range(len(seen["known"])):
        if seen["verdict"][a] >= 0:
            continue
        cases, offers = posterior(seen, a), range(len(seen["prices"][a]))
        worth = {n: sum(p * pay(seen, a, n, w) for w, p in cases.items()) for n in offers}
        best |= {(a, n): value for n, value in worth.items() if value > max(worth.values()) - 1e-9}
        if not seen["counters"][0] or sum(k >= 0 for k in seen["known"][a]) == seen["wishes"][a]:
            continue
        for k in np.flatnonzero(seen["known"][a] == -2).tolist():
            after = 0.0
            for answer in (-1, 0, 1, 2):
                left = {w: p for w, p in cases.items() if w[k] == answer}
                after += max(sum(p * pay(seen, a, n, w) for w, p in left.items()) for n in offers)
            hit = sum(p for w, p in cases.items() if w[k] >= 0)
            questions[a, k] = 0.2 * hit + after - max(worth.values())
    return questions, best


def test_values_of_information_equal_an_enumeration():
    """All choices of `value` are the best by the expected pay that a sum over all wishes gives."""
    num, asked, offered = 6, 0, 0
    for params in (SMALL, dict(task="233", topics=4, offers=4, steps=14)):
        batch = started(num, seed=5, **params)
        world, player = batch.world, make_policy("value", batch.world)
        player.reset(0, num)
        names = world.action_names[0]
        aspects = list(world.words)
        while not batch.over().all():
            chosen = player.act_batch(batch.observations, batch.masks, [0])
            for i in np.flatnonzero(~batch.over()):
                seen, verb, *rest = batch.observations[i, 0], *names[chosen[i, 0]].split()
                if verb == "search":
                    continue
                a = aspects.index(rest[0])
                questions, best = choose_by_value(seen)
                if verb == "ask":
                    k = list(world.words[rest[0]]).index(rest[1])
                    assert questions[a, k] > max(questions.values()) - 1e-9
                    asked += 1
                else:
                    assert (a, int(rest[1]) - 1) in best
                    assert not questions or seen["counters"][1] <= (seen["verdict"] < 0).sum()
                    offered += 1
            batch.step(chosen, ~batch.over())
    assert asked > 50 and offered > 20


def plan(topics, left, steps):
    """The most that questions about an intention can earn on average, by recursion over the sizes of questions."""
    if not left or not steps:
        return 0.0
    found = 0.0
    for size in range(1, topics + 1):
        value = 0.0
        for hits in range(max(0, size - topics + left), min(left, size) + 1):
            chance = comb(left, hits) * comb(topics - left, size - hits) / comb(topics, size)
            draws = [
                max(0, max(draw) - 0.2 * (hits - 1)) for draw in itertools.product((0.4, 0.7, 1.0), repeat=hits) if draw
            ]
            value += chance * (np.mean(draws or [0.0]) + plan(topics - size, left - hits, steps - 1))
        found = max(found, value)
    return found


def earned(policy, num, **params):
    """The mean return of a policy, and its standard error."""
    found = play(build(ID, params), [policy], num).returns
    return found.mean(), found.std() / num**0.5


@pytest.mark.parametrize("details, steps", [(2, 4), (3, 2), (1, 1), (4, 3)])
def test_plans_of_intentions(details, steps):
    mean, error = earned("value", 600, **TALK | dict(details=details, steps=steps))
    assert abs(mean - plan(4, details, steps)) < 5 * error + 1e-9
    assert plan(9, 4, 20) == pytest.approx(4 * 0.7)  # with enough steps: one topic after the other


@pytest.mark.slow
@pytest.mark.parametrize("topics, details, steps", [(6, 3, 3)])
def test_plans_of_larger_intentions(topics, details, steps):
    mean, error = earned("value", 600, task="intention", topics=topics, details=details, steps=steps)
    assert abs(mean - plan(topics, details, steps)) < 5 * error


@pytest.mark.slow
@pytest.mark.parametrize("topics, details, steps", [(2, 1, 1), (2, 2, 2)])
def test_best_play_of_small_intentions(topics, details, steps):
    """Nothing beats the plan: it is the value of the best response in the tree of the whole game."""
    tree = Tree(build(ID, dict(task="intention", topics=topics, details=details, steps=steps)))
    assert tree.best_response(0, tree.uniform())[0] == pytest.approx(plan(topics, details, steps))


@pytest.mark.slow
def test_baselines_in_order():
    for steps in (12, 20):
        random, hasty, interview, value = (
            earned(policy, 100, steps=steps)[0] for policy in ("random", "hasty", "interview", "value")
        )
        assert max(random, hasty) < interview - 1
        assert value > interview + (
            0.1 if steps == 12 else -0.1
        )  # the shorter the talk, the more a good choice is worth


def test_generator_and_levels():
    level = generate("requests", task="22", topics=3, offers=3)
    batch = started(**SMALL, level=level)
    kit.act(batch, "chat", "chat")
    assert batch.world.get_level(batch.record()) == {
        part: level[part] for part in ("task", "wishes", "offers", "prices")
    }
    found = describe(level)
    assert found["wishes"] == 4 and found["fitting"] == [len(fits(level, 0)), len(fits(level, 1))]
    assert {split_of(one) for one in generate_many("requests", 20, split="test")} == {"test"}
    talk = generate("requests", task="intention", topics=4, details=2)
    assert (
        started(**TALK, level=talk).world.get_level(started(**TALK, level=talk).record()) | {"kind": "requests"} == talk
    )
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        (
            LEVEL | {"importance": 1},
            "has 'task', 'wishes', 'offers' and 'prices', not .*'importance'",
        ),
        (LEVEL | {"task": "33"}, "task '33' is given for the task '22'"),
        (LEVEL | {"wishes": [[0, -1, 3], [-1, 1, 0]]}, r"wishes\[0\]\[2\]=3 must be an integer from -1 to 2"),
        (LEVEL | {"wishes": [[0, -1, True], [-1, 1, 0]]}, r"wishes\[0\]\[2\]=True must be an integer from -1 to 2"),
        (LEVEL | {"wishes": [[0, -1, 2]]}, "wishes must be 2 lists of 3 integers from -1 to 2"),
        (LEVEL | {"wishes": [[0, 1, 2], [-1, 1, 0]]}, "aspect 0 has 3 wishes, not 2"),
        (LEVEL | {"wishes": [[1, -1, 2], [-1, 1, 0]]}, "no offer for aspect 0 meets all wishes"),
        (LEVEL | {"prices": [[30, 10, 20], [5, 4, 4]]}, "aspect 1 have the same price"),
    )
    kit.refuses(
        build(ID, TALK),
        (
            {"task": "intention", "wishes": [[0, 1, -1, -1]], "importance": [[1, 0, 0, 0]]},
            "'importance' must be from 1 to 3",
        ),
    )
    for params, word in (
        ({"topics": 2}, "topics=2"),
        ({"topics": 7}, "to 6"),
        (dict(task="intention", details=6), "topics=5"),
    ):
        with pytest.raises(ParameterError, match=f"Elicit: .*{word}"):
            build(ID, params)


def test_text_pictures_and_clicks():
    for params, moves in ((SMALL, ["ask flight cabin", "search hotel"]), (TALK, ["ask purpose"])):
        batch = kit.act(started(**params), *moves)
        world, s = batch.world, batch.record()
        texts, shapes, everything = world.text(s, 0), world.scene(s, 0).shapes, world.scene(s).shapes
        assert shapes != everything
        hidden = s.known[:] == -2
        s.level.wishes[:] = np.where(hidden & (s.level.wishes[:] >= 0), (s.level.wishes[:] + 1) % 3, s.level.wishes[:])
        assert world.text(s, 0) == texts and world.scene(s, 0).shapes == shapes
        names = world.action_names[0]
        clicked = {names[k] for k in kit.clicks(batch, 0, 0.3, 0.2) - {None}}
        wanted = [n for n in names if " + " not in n and n not in ("chat", "finish")]
        assert clicked == set(wanted)
    batch = kit.act(started(**SMALL, level=LEVEL), "ask flight departure", "search hotel", "ask hotel place")
    text = batch.world.text(batch.record(), 0)
    assert "flight, 2 wishes. departure: morning.\n  Not asked: cabin (economy, premium, business); stops" in text
    assert "hotel, 2 wishes. place: no wish.\n" in text and "Offer 2, $4: center, two stars, none." in text
    assert (
        "Wishes that are hidden: 3. Idle steps in a row: 1. Searches: 1." in text and "9 of 12 steps are left" in text
    )
