"""Wordle: marks of two other games for all pairs of words, hand cases, best play of short lists, levels, baselines."""

import json
from functools import cache
from itertools import product

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.games.wordle import COUNTED, GREEN, GREY, IGNORED, YELLOW, mark
from envsuite.games.wordle.words import WORDS
from envsuite.registry import build

ID = "envsuite/Wordle-v0"
#: Games with each secret word, because baselines choose at random among equals.
COPIES = 20

STORED = json.loads((kit.DATA / "Wordle" / "wordle.json").read_text())


def marked(secret, guess, repeats=COUNTED):
    """The marks of a guess, as "-", "y" and "g"."""
    rows = [np.array([ord(letter) for letter in word]) for word in (secret, guess)]
    return "".join("-yg"[mark(*rows, k, repeats)] for k in range(len(secret)))


def second(secret, guess, counted=True):
    """The marks again: each letter that is not green takes one of the letters of the secret word that are left."""
    left = [a for a, b in zip(secret, guess) if a != b]
    marks = []
    for a, b in zip(secret, guess):
        marks.append(GREEN if a == b else YELLOW if b in (left if counted else secret) else GREY)
        if counted and a != b and b in left:
            left.remove(b)
    return tuple(marks)


def test_words():
    for length, words in WORDS.items():
        assert len(set(words)) == 300 and words == sorted(words)
        assert all(len(word) == length and word.isalpha() and word.islower() for word in words)
    assert build(ID, dict(words=3)).action_names[0] == tuple(WORDS[5][k] for k in (0, 100, 200))
    batch = kit.started(ID, words=3)
    batch.step(2)
    spelled = batch.observations["spelled"][0, 0, 0]
    assert "".join(chr(ord("a") + letter) for letter in spelled) == WORDS[5][200]
    drawn = kit.started(ID, 2000, words=20).records["word"]
    assert np.bincount(drawn, minlength=20).min() > 60 and drawn.max() == 19


@pytest.mark.parametrize(
    ("secret", "guess", "counted", "ignored"),
    [
        ("crane", "eerie", "--y-g", "yyy-g"),  # the only e is green, so no other is yellow
        ("abbey", "babes", "yygg-", "yygg-"),
        ("abbey", "bobby", "y-g-g", "y-gyg"),
        ("onion", "nomad", "yy---", "yy---"),
        ("apple", "paper", "yygy-", "yygy-"),
        ("llama", "allow", "ygy--", "ygy--"),
        ("level", "eagle", "y--yy", "y--yy"),
        ("steel", "geese", "-ygy-", "-ygyy"),
        ("total", "tooth", "gg-y-", "ggyy-"),
    ],
)
def test_repeated_letters(secret, guess, counted, ignored):
    assert marked(secret, guess) == counted and marked(secret, guess, IGNORED) == ignored


@pytest.mark.slow
@pytest.mark.parametrize("letters", [4, 5, 6, 7, 8, 9, 10])
@pytest.mark.parametrize("repeats", ["counted", "ignored"])
def test_marks_of_other_games(letters, repeats):
    """A third of all guesses for all words, as TextArena (counted) and PAPRIKA (ignored) mark them."""
    levels = [{"word": word} for word in WORDS[letters]]
    batch = kit.started(ID, 300, level=levels, letters=letters, repeats=repeats)
    for k in range(letters % 3, 300, 3):
        batch.start(0, levels)
        batch.step(k)
        marks = batch.records["marks"][:, 0]
        assert kit.checksum(marks) == STORED[repeats][str(letters)][4 * k : 4 * k + 4]
        assert (batch.rewards[:, 0] == (np.arange(300) == k)).all()


def test_marks_of_some_words():
    """The same for three guesses of five letters and every 20th secret word, by the second implementation."""
    for repeats, guess, secret in product((COUNTED, IGNORED), WORDS[5][::100], WORDS[5][::20]):
        assert marked(secret, guess, repeats) == "".join("-yg"[m] for m in second(secret, guess, repeats == COUNTED))


def test_possible_marks():
    """238 of 243 for five letters, and all if yellow marks are not counted."""
    guesses = list(product("abcdez", repeat=5))
    found = [{marked("abcde", guess, repeats) for guess in guesses} for repeats in (COUNTED, IGNORED)]
    one = {"".join("y" if k == j else "g" for j in range(5)) for k in range(5)}
    everything = set(map("".join, product("-yg", repeat=5)))
    assert found[0] == everything - one and found[1] == everything


@cache
def fewest(words, left):
    """The fewest guesses in total over all secret words that are left, by trying all guesses."""
    best = 2 * len(left) - 1 if len(left) < 3 else 10**6
    for guess in words if len(left) > 2 else ():
        groups = {}
        for secret in left:
            groups.setdefault(second(secret, guess), []).append(secret)
        if len(groups) > 1:
            rest = (fewest(words, tuple(group)) for marks, group in groups.items() if set(marks) != {GREEN})
            best = min(best, len(left) + sum(rest))
    return best


@pytest.mark.slow
@pytest.mark.parametrize(("letters", "words"), [(4, 12), (4, 20), (5, 16)])
def test_best_play(letters, words):
    """No baseline needs fewer guesses on average than the best play, and "informed" needs at most a tenth more."""
    batch = kit.started(ID, words * COPIES, letters=letters, words=words, turns=20)
    names = tuple(batch.world.action_names[0])
    least, means = fewest(names, names) / words, {}
    for policy in ("informed", "consistent"):
        batch.start(0, [{"word": name} for name in names] * COPIES)
        assert (kit.finish(batch, policy) == 1).all()
        turns = batch.records["turn"]
        means[policy] = turns.mean()
        assert turns.mean() > least - 4 * turns.std() / len(turns) ** 0.5
    assert means["informed"] < 1.1 * least and means["informed"] < means["consistent"]


def test_search_guesses_only_words_that_are_possible():
    """The words that search supposes, and those that "consistent" guesses, all have the marks so far."""
    for repeats in ("counted", "ignored"):
        batch = kit.started(ID, 20, level={"word": WORDS[5][123]}, repeats=repeats)
        batch.step(200)
        marks = second(WORDS[5][123], WORDS[5][200], repeats == "counted")
        wanted = {k for k in range(300) if second(WORDS[5][k], WORDS[5][200], repeats == "counted") == marks}
        assert set(kit.choices("consistent", batch)) <= {WORDS[5][k] for k in wanted}
        found = set()
        for i in range(20):
            s = batch.record(i)
            type(batch.world).guess(s, 0)
            found.add(int(s.word))
        assert found <= wanted and len(found) >= min(len(wanted), 3)


def test_ends_text_and_clicks():
    batch = kit.started(ID, level={"word": WORDS[5][7]}, turns=2)
    world = batch.world
    names = kit.clicks(batch, 0)
    assert names == {None, *range(300)}
    batch.step(8)
    assert not batch.over()[0] and f"1. {WORDS[5][8]}: " in world.text(batch.record(), 0)
    assert WORDS[5][7] not in world.text(batch.record(), 0)
    batch.step(8)
    assert batch.over()[0] and batch.rewards[0, 0] == 0
    assert f"The word was {WORDS[5][7]}." in world.text(batch.record(), 0)
    batch = kit.started(ID, level={"word": WORDS[5][7]})
    batch.step(7)
    assert batch.over()[0] and batch.rewards[0, 0] == 1 and "That is the word." in world.text(batch.record(), 0)


def test_levels_and_records():
    batch = kit.started(ID)
    kit.refuses(
        batch.world, ({}, "'word'"), ({"word": "zzzzz"}, "word='zzzzz' is unknown"), ({"word": 3}, "word=3 is unknown")
    )
    assert batch.world.get_level(batch.record())["word"] == WORDS[5][int(batch.records["word"][0])]
    word = int(batch.records["word"][0])
    batch.step((word + 1) % 300)
    batch.records["marks"][0, 0] = GREEN
    with pytest.raises(SnapshotError, match="marks are not those of a guess"):
        batch.world.admit(batch.records)


@pytest.mark.slow
def test_baselines():
    """Random play wins 1 - (299 / 300) ** 6 = 2 % of games."""
    assert kit.wins(ID, "random", 0, 1000) < 0.05
    assert kit.wins(ID, "consistent", 0, 300) > 0.95
