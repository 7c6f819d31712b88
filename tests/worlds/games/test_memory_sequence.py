"""MemorySequence: closed forms, a program of the first generation, demonstrators, generations, levels, texts."""

from functools import cache

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.kit.trials import NONE
from envsuite.registry import build

ID = "envsuite/MemorySequence-v0"


def trials(policy, num, **params):
    """The returns (num, trials) of a policy in each trial."""
    batch = kit.started(ID, num, **params)
    total = kit.finish(batch, policy)
    assert np.allclose(total[:, 0], batch.records["totals"].sum(axis=1))
    return batch.records["totals"]


def repeated(q, length):
    """The mean return of a trial with right letters with probability q: sums of a geometric series."""
    if q == 1:
        return length
    return (1 - q**length) * (q / (1 - q) - 1)


def near(values, mean):
    return abs(values.mean() - mean) < 4.5 * values.std() / len(values) ** 0.5 + 1e-9


@pytest.mark.parametrize("symbols, length", [(10, 24), (2, 3)])
def test_random_play(symbols, length):
    found = trials("random", 100, symbols=symbols, length=length)
    assert near(found.ravel(), repeated(1 / symbols, length))
    assert round(repeated(0.1, 24), 3) == -0.889  # the page's number


@pytest.mark.parametrize("count", [4, pytest.param(3, marks=pytest.mark.slow)])
def test_a_follower(count):
    """The demonstrator is seen less from trial to trial; its sight is drawn for each place."""
    found = trials("memoryless", 120, length=8, trials=count)
    for k in range(count):
        seen = (count - 1 - k) / (count - 1)
        assert near(found[:, k], repeated(seen + (1 - seen) / 10, 8)), k


def test_memory_is_perfect():
    assert (trials("memory", 3) == 24).all() and (trials("memory", 3, trials=1, length=5) == 5).all()


@cache
def learning(symbols, length, left, place=0, wrong=0):
    """The mean return of the trials left if the first places are known, and some wrong letters of the next one."""
    if left == 0:
        return 0.0
    return place + guessing(symbols, length, left, place, wrong)


@cache
def guessing(symbols, length, left, place, wrong):
    if place == length:
        return learning(symbols, length, left - 1, place, 0)
    right = 1 / (symbols - wrong)
    fails = -1 + learning(symbols, length, left - 1, place, wrong + 1) if right < 1 else 0.0
    return right * (1 + guessing(symbols, length, left, place + 1, 0)) + (1 - right) * fails


@pytest.mark.parametrize(
    "symbols, length, count", [(10, 24, 4), pytest.param(3, 4, 6, marks=pytest.mark.slow), (2, 3, 5)]
)
def test_the_first_generation(symbols, length, count):
    """Without a demonstrator, memory learns by its mistakes."""
    found = trials("memory", 120, symbols=symbols, length=length, trials=count, generations=9)
    assert near(found.sum(axis=1), learning(symbols, length, count))


def test_the_page():
    page = build(ID).__doc__
    assert f"earns {learning(10, 24, 4):.2f} in the first" in page


def test_generations_accumulate():
    batch = kit.started(ID, 16, symbols=4, length=8, generations=4)
    task, means = batch.records["sequence"].copy(), []
    for k in range(4):
        assert (batch.records["generation"] == k + 1).all() and (batch.records["sequence"] == task).all()
        means.append(kit.finish(batch, "memory").mean())
        batch.start()
    assert all(np.diff(means) > 0) and means[-1] > 2 * means[0]
    assert (batch.records["generation"] == 1).all() and (batch.records["sequence"] != task).any(axis=1).all()
    assert (batch.observations["shown"] == NONE).all()


def said(batch, letters):
    """What is shown before each letter, and what it pays."""
    found = []
    for letter in letters:
        shown = int(batch.observations["shown"][0, 0, 0])
        kit.act(batch, letter)
        found.append(("-" if shown == NONE else "ABCDEFGH"[shown], batch.rewards[0, 0]))
    return found


def test_trials_by_hand():
    batch = kit.started(ID, level={"sequence": "CAB"}, symbols=3, length=3, trials=2)
    assert said(batch, "CAB") == [("C", 1), ("A", 1), ("B", 1)]
    seen = batch.observations[0, 0]
    assert (seen["place"][0], seen["trial"].tolist(), seen["paid"][0], seen["own"][0]) == (0, [1, 2], 1, 1)
    assert said(batch, "CB") == [("-", 1), ("-", -1)]
    assert batch.over()[0] and batch.records["totals"].tolist() == [[3, 0]]


def test_the_best_trial_is_handed_on():
    """Without its wrong letter, and of equal trials the first one. Resets with seeds and levels begin anew."""
    batch = kit.started(ID, level={"sequence": "CABA"}, symbols=3, length=4, trials=2, generations=3)
    assert said(batch, "CAABA"[:3] + "A") == [("-", 1), ("-", 1), ("-", -1), ("-", -1)]
    batch.start()
    assert batch.over()[0] == False and batch.world.get_level(batch.record()) == {"sequence": "CABA"}  # noqa: E712
    assert said(batch, "CAB") == [("C", 1), ("A", 1), ("-", 1)]
    batch.start()  # left early: the demonstrator is as before
    assert said(batch, "CAA") == [("C", 1), ("A", 1), ("-", -1)] and batch.records["generation"][0] == 3
    batch.start()
    assert batch.records["generation"][0] == 1 and batch.observations["shown"][0, 0, 0] == NONE
    batch.start(5)
    first = batch.records["sequence"].copy()
    batch.start()
    assert (batch.records["sequence"] == first).all() and batch.records["generation"][0] == 2
    batch.start(levels={"sequence": "AAAA"})
    assert batch.records["generation"][0] == 1 and batch.world.get_level(batch.record()) == {"sequence": "AAAA"}


def test_letters_are_uniform():
    letters = kit.started(ID, 400, symbols=5).records["sequence"]
    assert abs(np.bincount(letters.ravel()) / letters.size - 0.2).max() < 0.02
    assert abs((letters[:, 1:] == letters[:, :-1]).mean() - 0.2) < 0.02


def test_levels_and_texts():
    kit.refuses(
        build(ID, dict(symbols=3, length=4)),
        ({}, "has 'sequence', not nothing"),
        ({"sequence": "ABC"}, "sequence must be a text of 4 letters"),
        ({"sequence": "ABCD"}, "sequence has the letter 'D'; known: A B C"),
        ({"sequence": 4}, "sequence must be a text of 4 letters"),
    )
    batch = kit.started(ID, level={"sequence": "CAB"}, symbols=3, length=3, trials=2, generations=2)
    world = batch.world
    assert "Generation 1 of 2." in world.text(batch.record(), 0)
    assert "The demonstrator shows nothing here." in world.text(batch.record(), 0)
    kit.act(batch, "C", "B")
    told = world.text(batch.record(), 0)
    assert "Your last act was B; it paid -1 and ended a trial." in told and "Trial 2 of 2." in told
    assert "Returns of the last trials: 0." in told
    knows = kit.started(ID, level={"sequence": "CAB"}, symbols=3, length=3)
    assert "The demonstrator says C." in world.text(knows.record(), 0)
    records = batch.records.copy()
    records["place"] = 2
    with pytest.raises(SnapshotError, match="place"):
        world.admit(records)
