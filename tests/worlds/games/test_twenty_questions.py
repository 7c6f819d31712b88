"""TwentyQuestions: complete tables, noise, posteriors by a second formula, levels, records, baselines."""

from itertools import product

import kit
import numpy as np
import pytest
from scipy.stats import binom

from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.twenty_questions import likelihood
from envsuite.registry import build

ID = "envsuite/TwentyQuestions-v0"
COMPLETE = [list(row) for row in product((0, 1), repeat=6)]


def test_complete_table():
    """Of 64 things with all combinations of 6 attributes, each is found by 6 questions and a guess, no sooner."""
    levels = [{"table": COMPLETE, "thing": k} for k in range(64)]
    batch = kit.started(ID, 64, level=levels, things=64, attributes=6)
    total = kit.finish(batch, "informed")
    assert (total == 1).all() and (batch.records["turns"] == 7).all()


@pytest.mark.slow
def test_tables_are_drawn():
    """All rows differ, and half of the attributes hold; a table that is nearly full is filled too."""
    tables = kit.started(ID, 200, things=60, attributes=6).records["table"]
    for table in tables:
        assert len({tuple(row) for row in table.tolist()}) == 60
    wide = kit.started(ID, 200, attributes=24).records
    assert abs(wide["table"].mean() - 0.5) < 0.01 and len(set(wide["thing"].tolist())) == 32


def test_noise():
    """Wrong answers are as frequent as the parameter says."""
    num, turns = 500, 40
    batch = kit.started(ID, num, noise=0.2, horizon=100)
    for _ in range(turns):
        batch.step(3)
    truth = batch.records["table"][np.arange(num), batch.records["thing"], 3]
    wrong = batch.records["answers"][np.arange(num), 3, 1 - truth].sum()
    assert binom(num * turns, 0.2).cdf(wrong) > 1e-4 and binom(num * turns, 0.2).sf(wrong) > 1e-4


def test_posterior():
    """The weights are those of binomial probabilities, up to one factor."""
    rng = np.random.default_rng(0)
    for noise in (0.0, 0.1, 0.4):
        table = rng.integers(2, size=(8, 6)).astype(np.int8)
        answers = np.zeros((6, 2), np.int16)
        for j in range(4):
            answers[j, table[2, j]] += 2
            if noise:
                answers[j, 1 - table[2, j]] += j % 2
        weights = np.array([likelihood(answers, 0, row, noise) for row in table])
        counts = answers.sum(axis=1)
        wanted = [binom(counts, np.where(row == 1, 1 - noise, noise)).pmf(answers[:, 1]).prod() for row in table]
        assert weights / weights.sum() == pytest.approx(np.array(wanted) / np.sum(wanted))
        assert likelihood(answers, 1, table[0], noise) == 0


def test_guesses_fit():
    """What may be meant are the things that fit all answers."""
    batch = kit.started(ID, level={"table": COMPLETE, "thing": 5}, things=64, attributes=6)
    kit.act(batch, "ask 0", "ask 1", "ask 5", "guess 1")
    rng, found = batch.records["rng"].copy(), set()
    with np.errstate(over="ignore"):
        for seed in range(200):
            batch.records["rng"] = rng + np.uint64(seed)
            type(batch.world).guess(batch.record(), 0)
            found.add(int(batch.records["thing"][0]))
    assert found == {k for k in range(64) if COMPLETE[k][0] == 0 and COMPLETE[k][1] == 0 and COMPLETE[k][5] == 1} - {1}


def test_levels_and_records():
    world = build(ID, dict(things=3, attributes=6))
    rows = COMPLETE[:3]
    kit.refuses(
        world,
        ({"table": rows[:2], "thing": 0}, "table must be 3 lists of 6 integers from 0 to 1"),
        ({"table": [[2] * 6, *rows[1:]], "thing": 0}, r"table\[0\]\[0\]=2 must be an integer from 0 to 1"),
        ({"table": [rows[0], rows[0], rows[1]], "thing": 0}, "the same attributes"),
        ({"table": rows, "thing": 3}, "thing=3 must be an integer from 0 to 2"),
        ({"table": rows}, "a level has 'table' and 'thing', not 'table'"),
    )
    batch = kit.started(world, level={"table": rows, "thing": 1})
    assert world.get_level(batch.record()) == {"table": rows, "thing": 1}
    kit.act(batch, "guess 1")
    assert batch.terminations[0, 0] and batch.rewards[0, 0] == 1 and "right" in world.text(batch.record(), 0)
    batch = kit.started(world)
    batch.records["turns"] = 2
    with pytest.raises(SnapshotError, match="turns is not"):
        world.admit(batch.records)


def test_baselines():
    """ "informed" needs about log2 (32) questions and a guess, "orderly" all attributes; with noise it still wins."""
    lengths = {name: play(build(ID), [name], 500).lengths.mean() for name in ("informed", "orderly")}
    assert 5.9 < lengths["informed"] < 6.6 and lengths["orderly"] > 12.5
    assert kit.wins(ID, "informed", 0, 500) == 1 and kit.wins(ID, "random", 0, 500) < 0.5
    player = play(build(ID, dict(noise=0.1)), ["informed:noise=0.1"], 500)
    assert player.returns.mean() > 0.9
