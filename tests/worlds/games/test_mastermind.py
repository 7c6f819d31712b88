"""Mastermind: a second implementation of the answers, published means over all codes, levels, guesses of search."""

import itertools
from collections import Counter

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.games.mastermind import matches

ID = "envsuite/Mastermind-v0"


def answer(code, guess):
    """Digits in the right place and at another place, by multisets."""
    right = sum(a == b for a, b in zip(code, guess))
    return right, (Counter(code) & Counter(guess)).total() - right


def test_answers():
    """All pairs of codes of three digits out of four, and random ones of four out of ten."""
    codes = [np.array(code) for code in itertools.product(range(4), repeat=3)]
    rng = np.random.default_rng(0)
    pairs = [*itertools.product(codes, codes), *(rng.integers(10, size=(2, 4)) for _ in range(2000))]
    for code, guess in pairs:
        right, elsewhere = answer(code.tolist(), guess.tolist())
        assert matches(code, guess) == right + 10 * elsewhere


def guesses(policy, levels, **params):
    """The number of guesses that a policy needs for each code."""
    batch = kit.started(ID, len(levels), level=[{"code": list(code)} for code in levels], turns=12, **params)
    total = kit.finish(batch, policy)
    assert (total == 1).all()
    return batch.records["turn"]


def test_smallest_code_over_all_codes():
    """5.765 guesses (Shapiro 1983); for every 97th code as many as a second implementation needs."""
    codes = list(itertools.product(range(6), repeat=4))
    found = guesses("smallest", codes)
    assert round(float(found.mean()), 3) == 5.765 and found.max() == 9
    for code, count in list(zip(codes, found))[::97]:
        left, tries = codes, 1
        while left[0] != code:
            said = answer(code, left[0])
            left = [other for other in left[1:] if answer(other, left[0]) == said]
            tries += 1
        assert tries == count


def test_random_code_of_those_allowed():
    """4.624 +- 0.025 guesses on average over all codes, within four standard errors."""
    found = guesses("consistent", list(itertools.product(range(6), repeat=4)))
    assert abs(found.mean() - 4.624) < 4 * np.hypot(0.025, found.std() / len(found) ** 0.5)


def test_ends_and_text():
    batch = kit.started(ID, level={"code": [1, 1, 2, 3]}, turns=2)
    kit.act(batch, *"1213")
    assert batch.records["answers"][0, 0].tolist() == [2, 2] and not batch.over()[0]
    assert "1. 1 2 1 3: 2 in the right place, 2 at another place" in batch.world.text(batch.record(), 0)
    kit.act(batch, *"1111")
    assert batch.over()[0] and "no guesses left" in batch.world.text(batch.record(), 0)
    batch = kit.started(ID, level={"code": [1, 1, 2, 3]})
    kit.act(batch, *"1123")
    assert batch.over()[0] and batch.rewards[0, 0] == 1 and "That is the code." in batch.world.text(batch.record(), 0)


def test_levels_and_records():
    batch = kit.started(ID)
    kit.refuses(
        batch.world,
        ({}, "'code'"),
        ({"code": [1, 2, 3]}, "code must be a list of 4 integers from 0 to 5"),
        ({"code": [1, 2, 3, 6]}, r"code\[3\]=6 must be an integer from 0 to 5"),
    )
    kit.act(batch, *"1213")
    batch.records["answers"][0, 0] = [4, 0]
    with pytest.raises(SnapshotError, match="an answer is not that of its guess"):
        batch.world.admit(batch.records)


def test_search_guesses_only_codes_that_are_allowed():
    batch = kit.started(ID, 40, level={"code": [5, 0, 3, 3]}, turns=3)
    for digit in "00335512":
        batch.step(int(digit))
    found = set()
    for i in range(40):
        s = batch.record(i)
        type(batch.world).guess(s, 0)
        code = s.code.tolist()
        for turn in range(2):
            assert answer(code, s.guesses[turn].tolist()) == tuple(s.answers[turn].tolist())
        found.add(tuple(code))
    allowed = {
        c
        for c in itertools.product(range(6), repeat=4)
        if all(answer(c, g) == answer((5, 0, 3, 3), g) for g in ((0, 0, 3, 3), (5, 5, 1, 2)))
    }
    assert found <= allowed and len(found) >= min(len(allowed), 6)
