"""Preferences: closed forms, exact best play, an exhaustive sum over hidden tastes, frequencies of chance, levels."""

import itertools
from functools import partial
from math import comb

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.solvers.game_tree import Tree

ID = "envsuite/Preferences-v0"

started = partial(kit.started, ID)

#: The sizes of the second world that other checks compile too.
SMALL = dict(topics=3, features=3, rounds=12)


def corrections(policy, num, **params):
    """The mean number of corrections, and its standard error."""
    found = -play(build(ID, params), [policy], num).returns[:, 0]
    return found.mean(), found.std() / num**0.5


def remembered(topics, features, rounds, noise, drift):
    """The expected corrections of a writer that repeats the last edit of a topic; in a new topic it guesses.

    The features of two edits that are `age` rounds apart differ with probability (1 - r) / 2. Their correlation r is
    (1 - 2 drift)^age from the changes of the taste, times (1 - 2 noise) for each edit.
    """
    total, stay = 0.0, 1 - 1 / topics
    for t in range(rounds):
        total += stay**t / 2
        for age in range(1, t + 1):
            total += stay ** (age - 1) / topics * (1 - (1 - 2 * drift) ** age * (1 - 2 * noise) ** 2) / 2
    return features * total


def test_closed_forms_of_the_specification():
    """600 without learning; 15 with a memory for each topic."""
    assert remembered(5, 6, 200, 0, 0) == pytest.approx(15, abs=1e-9)
    mean, error = corrections("random", 100)
    assert abs(mean - 600) < 5 * error and error < 3
    for policy in ("nearest", "bayes"):
        mean, error = corrections(policy, 300, spread=0.0)
        assert abs(mean - 15) < 5 * error and error < 0.3
        found, _ = corrections(policy, 100)
        assert abs(found - 15) < 2  # documents of different topics do not mix at the default spread


@pytest.mark.parametrize("noise, drift", [(0.0, 0.0), (0.1, 0.0), (0.0, 0.03), (0.15, 0.02), (0.0, 0.5), (0.5, 0.0)])
def test_memory_with_noise_and_drift(noise, drift):
    mean, error = corrections("nearest", 1000, **SMALL, noise=noise, drift=drift, spread=0.0)
    assert abs(mean - remembered(**SMALL, noise=noise, drift=drift)) < 5 * error


@pytest.mark.slow
@pytest.mark.parametrize("topics, features, rounds, noise, drift", [(2, 8, 40, 0.15, 0.02), (10, 1, 60, 0.0, 0.03)])
def test_memory_at_other_sizes(topics, features, rounds, noise, drift):
    params = dict(topics=topics, features=features, rounds=rounds, noise=noise, drift=drift)
    mean, error = corrections("nearest", 1000, **params, spread=0.0)
    assert abs(mean - remembered(**params)) < 5 * error


@pytest.mark.parametrize("tolerance", [0, 1, 2, 3])
def test_tolerance_without_learning(tolerance):
    expected = 12 * sum(k * comb(3, k) for k in range(tolerance + 1, 4)) / 2**3
    mean, error = corrections("random", 1000, **SMALL, tolerance=tolerance)
    assert abs(mean - expected) <= 5 * error


@pytest.mark.slow
@pytest.mark.parametrize("noise, drift", [(0.0, 0.0), (0.1, 0.2)])
def test_best_play_of_two_rounds_is_exact(noise, drift):
    """In two rounds, nothing beats the last edit of the topic: the value of the game tree is the closed form."""
    tree = Tree(build(ID, dict(topics=2, features=1, rounds=2, spread=0.0, noise=noise, drift=drift)))
    value, _ = tree.best_response(0, tree.uniform())
    assert -value == pytest.approx(remembered(2, 1, 2, noise, drift))
    assert -tree.values(tree.uniform())[0] == pytest.approx(2 / 2)


def chance_of_second(edits, noise, drift):
    """The probability that a taste has its second word now, by a sum over all its paths.

    `edits` has what was seen in each round so far: 0, 1, or None in rounds of other topics.
    """
    weight = [0.0, 0.0]
    for path in itertools.product((0, 1), repeat=len(edits) + 1):
        chance = 1.0
        for before, after, edit in zip(path, path[1:], edits):
            chance *= drift if before != after else 1 - drift
            chance *= 1.0 if edit is None else noise if edit != before else 1 - noise
        weight[path[-1]] += chance
    return weight[1] / sum(weight)


@pytest.mark.parametrize("noise, drift", [(0.2, 0.1), (0.3, 0.05), (0.0, 0.2)])
def test_bayes_equals_a_sum_over_all_tastes(noise, drift):
    num, features = 8, SMALL["features"]
    params = dict(**SMALL, noise=noise, drift=drift, spread=0.0)
    batch = started(num, seed=5, **params)
    player = make_policy("bayes", batch.world)
    player.reset(0, num)
    seen = [[] for _ in range(num)]
    decided = 0
    for _ in range(8):
        drafts = player.act_batch(batch.observations, batch.masks, [0])
        now = batch.records["topic"].copy()
        for i in range(num):
            for j in range(features):
                edits = [edit[j] if topic == now[i] else None for topic, edit in seen[i]]
                p = chance_of_second(edits, noise, drift)
                if abs(p - 0.5) > 1e-9:
                    assert (drafts[i, 0] >> (features - 1 - j)) & 1 == (p > 0.5)
                    decided += 1
        batch.step(drafts)
        for i in range(num):
            seen[i].append((now[i], batch.observations["edit"][i, 0].tolist()))
    assert decided > 50


def test_bayes_is_best_where_topics_overlap():
    params = dict(spread=0.15, noise=0.1, drift=0.01)
    means = [corrections(policy, 40, **params)[0] for policy in ("bayes", "nearest:k=5", "nearest", "latest")]
    assert means == sorted(means) and means[0] < 0.75 * means[1] and means[0] > 200 * 6 * 0.1


def test_votes_of_the_nearest():
    """The draft is the majority of the corrected drafts of the k nearest documents, the later one first in a tie."""
    for k, spread in ((1, 0.2), (2, 0.2), (3, 0.2), (3, 0.0), (5, 0.1), (15, 0.2)):
        num, ties = 20, 0
        batch = started(num, seed=k, **SMALL, spread=spread, noise=0.4)
        player = make_policy("nearest", batch.world, k=k)
        player.reset(0, num)
        for t in range(SMALL["rounds"]):
            chosen = player.act_batch(batch.observations, batch.masks, [0])
            for i in range(num) if t else ():
                places, edits = batch.records["documents"][i], batch.records["edits"][i]
                away = ((places[:t] - places[t]) ** 2).sum(axis=1)
                near = np.lexsort((-np.arange(t), away))[:k]
                bits = (edits[near, None] >> np.arange(2, -1, -1)) & 1
                votes = (2 * bits - 1).sum(axis=0)
                ties += (votes == 0).sum()
                want = np.where(votes == 0, bits[0], votes > 0)
                assert chosen[i, 0] == want @ [4, 2, 1]
            batch.step(chosen)
        assert ties or k == 1  # with fewer than k documents, an odd k has ties too


def test_edits_rewards_and_observations():
    level = {"tastes": [[0, 1, 1]] * 3}
    batch = started(8, **SMALL, spread=0.0, level=level)
    for draft in range(8):
        assert batch.world.action_names[0][draft].split()[0] == ("short" if draft & 4 else "long")
    assert (batch.observations["draft"] == -1).all() and (batch.observations["last"] == 0).all()
    topics = batch.records["topic"].copy()
    batch.step(np.arange(8)[:, None])
    for draft in range(8):
        assert batch.rewards[draft, 0] == -(draft ^ 0b011).bit_count()
        seen = batch.observations[draft, 0]
        assert seen["draft"].tolist() == [draft >> 2, draft >> 1 & 1, draft & 1]
        assert seen["edit"].tolist() == [0, 1, 1]
        turns = 2 * np.pi * topics[draft] / 3
        assert seen["last"].tolist() == pytest.approx([0.5 + 0.35 * np.cos(turns), 0.5 + 0.35 * np.sin(turns)])
        assert (seen["turn"][0], seen["left"][0]) == (1, 11)
    for _ in range(11):
        assert not batch.terminations.any()
        batch.step(np.full((8, 1), 3))
        assert (batch.rewards == 0).all()
    assert batch.terminations.all()
    lenient = started(8, **SMALL, spread=0.0, tolerance=1, level=level)
    lenient.step(np.arange(8)[:, None])
    for draft in range(8):
        wrong = (draft ^ 0b011).bit_count()
        assert lenient.rewards[draft, 0] == (-wrong if wrong > 1 else 0)
        assert lenient.records["edits"][draft, 0] == (0b011 if wrong > 1 else draft)


def test_frequencies_of_chance():
    num = 3000
    batch = started(num, **SMALL, spread=0.03, noise=0.2, drift=0.1)
    before = batch.records.copy()
    assert abs(np.bincount(before["topic"], minlength=3) / num - 1 / 3).max() < 5 * (2 / 9 / num) ** 0.5
    assert abs(before["tastes"].mean(axis=0) - 0.5).max() < 5 * 0.5 / num**0.5
    centers = batch.observations["centers"][0, 0]
    assert np.hypot(*(centers - 0.5).T) == pytest.approx(0.35)
    off = before["documents"][:, 0] - centers[before["topic"]]
    assert abs(off.mean(axis=0)).max() < 5 * 0.03 / num**0.5 and abs(off.std(axis=0) - 0.03).max() < 0.003
    batch.step(np.zeros((num, 1), int))
    wanted = (batch.records["edits"][:, [0]] >> np.arange(2, -1, -1)) & 1
    taste = before["tastes"][np.arange(num), before["topic"]]
    assert abs((wanted != taste).mean() - 0.2) < 5 * 0.4 / (3 * num) ** 0.5
    assert abs((batch.records["tastes"] != before["tastes"]).mean() - 0.1) < 5 * 0.3 / (9 * num) ** 0.5
    assert (batch.records["start"] == before["tastes"]).all()


def test_levels_and_wrong_parameters():
    level = {"tastes": [[0, 1, 0], [1, 1, 0], [1, 0, 1]]}
    batch = started(**SMALL, drift=0.5, level=level)
    batch.step([[0]])
    assert batch.world.get_level(batch.record()) == level
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({"taste": 1}, "not 'taste'"),
        ({"tastes": [[0, 1, 0], [1, 1, 0]]}, "tastes must be 3 lists of 3 integers from 0 to 1"),
        ({"tastes": [[0, 1, 0], [1, 1, 0], [1]]}, "tastes must be 3 lists of 3 integers from 0 to 1"),
        ({"tastes": [[0, 1, 0], [1, 2, 0], [1, 0, 1]]}, r"tastes\[1\]\[1\]=2 must be an integer from 0 to 1"),
        ({"tastes": [[0, True, 0], [1, 1, 0], [1, 0, 1]]}, r"tastes\[0\]\[1\]=True must be an integer from 0 to 1"),
    )
    for params in ({"topics": 0}, {"features": 9}, {"noise": 0.6}, {"spread": -0.1}, {"tolerance": 3, "features": 2}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)


def test_text_pictures_and_clicks():
    batch = started(**SMALL, spread=0.0, level={"tastes": [[0, 1, 1]] * 3})
    world, s = batch.world, batch.record()
    shapes, everything = world.scene(s, 0).shapes, world.scene(s).shapes
    s.tastes[:] = 1 - s.tastes
    assert world.scene(s, 0).shapes == shapes and world.scene(s).shapes != everything
    s.tastes[:] = 1 - s.tastes
    kit.act(batch, "short prose casual")
    text = world.text(batch.record(), 0)
    assert "you wrote `short prose casual`; the user made it `long bullets casual`, cost 2." in text
    assert "Round 2 of 12" in text
    assert kit.clicks(batch, 0, 0.2, 0.2) == {None, *range(2**3)}
    assert kit.clicks(started(), 0, 0.2, 0.2) == {None, *range(2**6)}
    kit.act(batch, *[0] * 11)
    assert f"The user made {2 * 12} corrections." in world.text(batch.record(), 0)
