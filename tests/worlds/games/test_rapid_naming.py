"""RapidNaming: whole episodes against a second account of the rules, closed forms, draws, baselines, levels, texts."""

from collections import Counter

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.rapid_naming import CHORE, NONE, QUESTION, SHOW, WORDS
from envsuite.kit.figures import NUMBERS
from envsuite.registry import build

ID = "envsuite/RapidNaming-v0"


def script(level, distractors):
    """What an episode shows: (phase, word, figures on the table, the right one), all as names."""
    steps = []
    for number, pairs in enumerate(level["lessons"]):
        table = {what for _, what in pairs}
        steps += [(SHOW, word, {what}, None) for word, what in pairs]
        steps += [(CHORE, None, None, None)] * distractors
        steps.append((QUESTION, pairs[level["asked"][number]][0], table, pairs[level["asked"][number]][1]))
    if len(level["lessons"]) > 1:
        pairs = level["lessons"][0]
        steps.append(
            (QUESTION, pairs[level["asked"][-1]][0], {what for _, what in pairs}, pairs[level["asked"][-1]][1])
        )
    return steps


@pytest.mark.parametrize("objects, distractors, recall_after", [(3, 2, 0), (2, 0, 0), (4, 1, 2), (8, 3, 7)])
def test_episodes(objects, distractors, recall_after):
    """Phases, words, figures, pay and ends are those of the level, under random actions."""
    rng, names = np.random.default_rng(objects), {number: what for what, number in NUMBERS.items()}
    batch = kit.started(ID, seed=4, objects=objects, distractors=distractors, recall_after=recall_after)
    level, total = batch.world.get_level(batch.record()), Counter()
    mine = {what for pairs in level["lessons"] for _, what in pairs}
    for phase, word, table, right in script(level, distractors):
        assert not batch.over()[0]
        seen = batch.observations[0, 0]
        shown = {spot: names[k] for spot, k in enumerate(seen["figures"].tolist()) if k != NONE}
        assert seen["phase"][0] == phase and seen["word"][0] == (NONE if word is None else WORDS.index(word))
        assert (set(shown.values()) == table) if table else (len(shown) == 1 and not mine & set(shown.values()))
        action = int(rng.integers(objects))
        batch.step(action)
        wanted = shown.get(action) == right if phase == QUESTION else 0.1 * (phase == CHORE and action in shown)
        assert batch.rewards[0, 0] == wanted
        total[phase] += wanted
    assert batch.terminations[0, 0] and (batch.observations["figures"] == NONE).all()


def test_random_play():
    """Questions and chores are done with probability 1 / objects."""
    found = play(build(ID, dict(objects=4, distractors=3, recall_after=1)), "random", 150).returns[:, 0]
    assert abs(found.mean() - (3 + 0.6) / 4) < 4.5 * found.std() / 150**0.5
    found = play(ID, "memoryless", 150).returns[:, 0]
    assert abs(found.mean() - (0.2 + 1 / 3)) < 4.5 * (2 / 9 / 150) ** 0.5


def test_always_the_same_place():
    """The right place is uniform, whatever was shown: no fixed play is better than 1 / objects."""
    batch, counts = kit.started(ID, 600, distractors=0), Counter()
    shown = (batch.observations["figures"][:, 0] != NONE).argmax(axis=1)
    assert abs(np.bincount(shown, minlength=3) - 200).max() < 60
    for _ in range(3):
        batch.step(np.zeros((600, 1), int))
    spots, asked = batch.records["spots"], batch.records["asked"][:, 0]
    counts.update(zip(asked.tolist(), spots[np.arange(600), asked].tolist()))
    assert len(counts) == 9 and all(abs(count - 600 / 9) < 4.5 * (600 / 9) ** 0.5 for count in counts.values())


def test_draws():
    """Words and figures are uniform and differ within an episode."""
    records = kit.started(ID, 300, objects=4, recall_after=3).records
    for name, count in (("words", 64), ("figures", 150)):
        values, wanted = records[name], 300 * 16 / count
        assert all(len(set(row)) == 16 for row in values.tolist())
        assert abs(np.bincount(values.ravel(), minlength=count) - wanted).max() < 5 * wanted**0.5


def test_memory_is_perfect():
    assert np.allclose(play(ID, "memory", 20).returns, 1.2)
    assert np.allclose(play(build(ID, dict(objects=8, distractors=1, recall_after=7)), "memory", 3).returns, 9.8)


def test_levels():
    pairs = [["bafen", "blue 3-sided"], ["dogup", "red 4-rayed"]]
    level = {"lessons": [pairs], "asked": [1]}
    batch = kit.started(ID, level=level, objects=2)
    assert batch.world.get_level(batch.record()) == level
    kit.refuses(
        batch.world,
        ({}, "'lessons' and 'asked'"),
        ({"lessons": [pairs[:1]], "asked": [1]}, "a lesson must be a list of 2 entries"),
        ({"lessons": [pairs, pairs], "asked": [1]}, "lessons must be a list of 1 entry"),
        ({"lessons": [pairs], "asked": [1, 0]}, "asked must be a list of 1 integer from 0 to 1"),
        ({"lessons": [pairs], "asked": [2]}, "from 0 to 1"),
        ({"lessons": [[pairs[0], ["xyz", "red 4-rayed"]]], "asked": [0]}, "a word such as 'babix'"),
        ({"lessons": [[pairs[0], ["babix", "red"]]], "asked": [0]}, "a figure such as 'blue 3-sided'"),
        ({"lessons": [[pairs[0], pairs[0]]], "asked": [0]}, "must differ"),
        ({"lessons": [[pairs[0], 5]], "asked": [0]}, "a word such as"),
    )
    records = batch.records.copy()
    records["t"] = 50
    with pytest.raises(SnapshotError, match="last question"):
        batch.world.admit(records)


def test_texts_and_clicks():
    pairs = [["bafen", "blue 3-sided"], ["dogup", "red 4-rayed"]]
    batch = kit.started(ID, level={"lessons": [pairs], "asked": [1]}, objects=2, distractors=1)
    told = []
    for _ in range(4):
        told.append(batch.world.text(batch.record(), 0))
        batch.step(0)
    assert "blue 3-sided\nThis is a bafen." in told[0] and "red 4-rayed\nThis is a dogup." in told[1]
    assert "Lift this figure." in told[2] and "Lift the dogup." in told[3]
    assert "It is over." in batch.world.text(batch.record(), 0)
    assert kit.clicks(batch, 0) == {None, 0, 1}
