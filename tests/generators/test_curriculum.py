"""Curricula: uniform, prioritized replay by its formula, editing; in a vector, each world has its own level."""

import json

import numpy as np
import pytest
from scipy import stats

from envsuite.core.errors import ParameterError
from envsuite.generators import describe, generate_many, grids, split_of
from envsuite.generators.curriculum import Accel, Curriculum, PrioritisedReplay
from envsuite.interfaces.vector import Vector
from envsuite.registry import build

SMALL = dict(height=9, width=11)
ALL = np.ones(16, bool)


def names(seeds):
    """Levels that are only names."""
    return [{"name": seed} for seed in seeds]


def lengths(levels):
    """Scores of mazes: the longer the path, the more there is to learn."""
    return np.array([grids.solve(level["map"])["path"] for level in levels], float)


def test_uniform():
    curriculum = Curriculum("maze", 16, seed=3, **SMALL)
    first = curriculum.sample(ALL)
    assert len({json.dumps(level) for level in first}) == 16 and curriculum.trains.all()
    where = ALL.copy()
    where[4:] = False
    second = curriculum.sample(where)
    assert second[4:] == [None] * 12 and curriculum.levels[4:] == first[4:]
    assert all(a != b for a, b in zip(second[:4], first[:4]))
    again = Curriculum("maze", 16, seed=3, **SMALL)
    assert again.sample(ALL) == first and again.sample(where) == second


@pytest.mark.slow
def test_worlds_play_their_own_levels():
    """A vector of mazes: it plays the sampled levels, and only finished worlds get new ones."""
    num = 16
    vector = Vector(build("envsuite/Maze-v0", dict(horizon=30, **SMALL)), num, autoreset="disabled")
    curriculum = Accel("maze", num, capacity=20, warm=0.5, replay=0.7, **SMALL)
    rng, over, played = np.random.default_rng(0), ALL.copy(), 0
    for _ in range(200):
        if over.any():
            before = [vector.world.get_level(vector.batch.record(i))["map"] for i in range(num)] if played else None
            sampled = curriculum.sample(over)
            vector.reset(seed=0 if not played else None, options={"level": sampled, "reset_mask": over})
            for i in range(num):
                held = vector.world.get_level(vector.batch.record(i))["map"]
                assert held == curriculum.levels[i]["map"]
                assert over[i] or held == before[i]
            played += int(over.sum())
        *_, terminated, truncated, _ = vector.step(rng.integers(4, size=(num, 1)))
        over = (terminated | truncated)[:, 0]
        curriculum.update(over, lengths(curriculum.levels))
    assert played > 100 and len(curriculum.buffer) == 20


def test_probabilities():
    """Jiang et al. 2021: P = (1 - rho) P_S + rho P_C, P_S by 1 / rank to the power 1 / beta, P_C by age."""
    curriculum = PrioritisedReplay(names, 1, capacity=3, temperature=0.5, staleness=0.25)
    for name, score in (("a", 1.0), ("b", 5.0), ("c", 3.0)):
        curriculum.put({"name": name}, score)
    curriculum.episodes, curriculum.played[:] = 10, [4, 10, 8]
    by_score = np.array([1 / 9, 1, 1 / 4]) / (1 / 9 + 1 + 1 / 4)
    by_age = np.array([6, 0, 2]) / 8
    assert curriculum.probabilities() == pytest.approx(0.75 * by_score + 0.25 * by_age)
    curriculum.played[:] = 10
    assert curriculum.probabilities() == pytest.approx(by_score)


def test_replay_follows_probabilities():
    curriculum = PrioritisedReplay(names, 1000, capacity=4, replay=0.6, warm=1.0, staleness=0.0, seed=1)
    for k in range(3):
        curriculum.put({"name": -k}, float(k))
    curriculum.sample(np.ones(1000, bool))
    assert not curriculum.replayed.any()  # the buffer is not warm
    curriculum.put({"name": -3}, 3.0)
    chances = curriculum.probabilities()
    sampled = curriculum.sample(np.ones(1000, bool))
    again = [-level["name"] for level in sampled if level["name"] <= 0]
    assert len(again) == curriculum.replayed.sum() and stats.binomtest(len(again), 1000, 0.6).pvalue > 1e-4
    assert (curriculum.replayed == [level["name"] <= 0 for level in sampled]).all()
    assert (curriculum.trains == curriculum.replayed).all()  # robust: new levels are only scored
    seen = np.bincount(again, minlength=4)
    assert (
        stats.chisquare(seen[2:], len(again) * chances[2:] / chances[2:].sum() * seen[2:].sum() / len(again)).pvalue
        > 1e-4
    )
    plain = PrioritisedReplay(names, 10, robust=False)
    plain.sample(np.ones(10, bool))
    assert plain.trains.all() and not plain.replayed.any()


def test_buffer():
    curriculum = PrioritisedReplay(names, 1, capacity=2)
    for name, score in (("a", 1.0), ("b", 2.0), ("c", 0.5), ("d", 3.0), ("b", 0.1), ("e", 0.2)):
        curriculum.put({"name": name}, score)
    # c is not better than the worst; d takes the place of a; b's score changes, and e takes its place.
    assert [level["name"] for level in curriculum.buffer] == ["d", "e"] and curriculum.scores.tolist() == [3.0, 0.2]
    assert len(curriculum._places) == 2


def test_editing():
    """Replayed levels are edited once their score is known; the edited ones are scored, not learned from."""
    edits = []

    def edit(level, seed):
        edits.append(level["name"])
        return {"name": level["name"] + 0.25}

    curriculum = Accel(names, 16, capacity=4, replay=1.0, warm=0.0, edits=2, edit=edit)
    curriculum.sample(ALL)
    curriculum.update(ALL, np.arange(16.0))
    assert len(curriculum.buffer) == 4 and not edits
    replayed = curriculum.sample(ALL)
    assert curriculum.replayed.all() and curriculum.trains.all()
    half = np.arange(16) < 8
    curriculum.update(half, np.arange(16.0))
    children = curriculum.sample(half)
    assert [child["name"] for child in children[:8]] == [level["name"] + 0.5 for level in replayed[:8]]
    assert not curriculum.trains[:8].any() and curriculum.trains[8:].all() and len(edits) == 16
    curriculum.update(half, np.full(16, 100.0))
    best = [level for level, score in zip(curriculum.buffer, curriculum.scores) if score == 100.0]
    assert {child["name"] for child in children[:8]} == {level["name"] for level in best}
    assert curriculum.sample(half)[0] in curriculum.buffer  # and are replayed in turn, not edited at once


def test_splits_are_kept():
    curriculum = Accel("maze", 16, split="train", capacity=8, replay=0.9, warm=0.0, **SMALL)
    seen = 0
    for _ in range(12):
        levels = curriculum.sample(ALL)
        assert all(split_of(level) == "train" for level in levels)
        seen += int((~curriculum.replayed).sum())
        curriculum.update(ALL, lengths(levels))
    assert seen > 60
    levels = generate_many("maze", 30, split="test", **SMALL)
    assert all(split_of(level) == "test" for level in levels)


@pytest.mark.slow
def test_harder_levels():
    """With the path length as the score, replay collects longer paths than chance, and editing still longer ones."""
    means = {}
    for kind in (Curriculum, PrioritisedReplay, Accel):
        options = {Curriculum: {}, PrioritisedReplay: dict(capacity=30), Accel: dict(capacity=30, edits=1)}[kind]
        curriculum = kind("maze", 16, seed=5, height=15, width=15, algorithm="wilson", **options)
        for _ in range(80):
            levels = curriculum.sample(ALL)
            curriculum.update(ALL, lengths(levels))
        held = levels if kind is Curriculum else curriculum.buffer
        means[kind] = lengths(held).mean()
        assert all(describe(level)["solvable"] for level in held)
    # With seeds 5, 6, 7: 30 to 33, 43 to 48, 69 to 85.
    assert means[Curriculum] + 5 < means[PrioritisedReplay] and means[PrioritisedReplay] + 10 < means[Accel]


def test_mistakes():
    for options in (dict(replay=1.5), dict(staleness=-1), dict(temperature=0), dict(capacity=0)):
        with pytest.raises(ParameterError):
            PrioritisedReplay(names, 4, **options)
    with pytest.raises(ParameterError, match="edits"):
        Accel(names, 4, edits=0)
    with pytest.raises(ParameterError, match="function"):
        Curriculum(names, 4, split="train")
