"""Levels that worlds draw themselves: seeds, splits, and episodes from them."""

import json
import math

import pytest

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError, UnknownIdError
from envsuite.core.record import as_views
from envsuite.generators import generate, generate_many
from envsuite.generators.base import in_test
from envsuite.generators.market import Market

VOTERS = dict(voters=2, candidates=3)


def as_set(levels):
    return {json.dumps(level, sort_keys=True) for level in levels}


def test_split_of_all_votes():
    """The 6 ** 2 rankings of two voters, with 6 orders of ties: each is in one split, and each is found."""
    train, test = (as_set(generate_many("Voting", 3_000, split=split, **VOTERS)) for split in ("train", "test"))
    assert not train & test
    assert len(train | test) == 6**3
    assert abs(len(test) - 6**3 / 5) < 4 * math.sqrt(6**3 * 0.16)
    assert as_set(generate_many("Voting", 200, seed=10**6, split="test", **VOTERS)) <= test


def test_split_of_a_world_with_a_generator():
    """The world's own levels are split by the same rule as those of its generator."""
    levels = generate_many("Trading", 20, split="test", bars=5)
    made = Market(bars=5)
    records = made.records(20)
    for s, level in zip(as_views(records), levels):
        made.encode(s, level)
    assert in_test(records["level"]).all()


@pytest.mark.parametrize("name", ["Airline", "Retail", "Telecom"])
def test_a_world_keeps_its_own_split(name):
    for split in ("train", "test"):
        world = registry.build(name, dict(split=split))
        batch = Batch(world, 8, compiled=False)
        batch.start(5)
        expected = [world.get_level(batch.record(k)) for k in range(8)]
        assert generate_many(name, 8, seed=5, split=split) == expected


def test_seeds():
    many = generate_many("Preferences", 30, seed=7, split="test")
    assert many == [generate("Preferences", seed=7 + k, split="test") for k in range(30)]
    assert many[1] != generate("Preferences", seed=8)


@pytest.mark.parametrize("name", ["Apprentice", "ComplyOrViolate", "Pursuit", "RedTeam", "SourceReliability", "Voting"])
def test_episodes_start_from_them(name):
    params = dict(pattern="random") if name == "ComplyOrViolate" else {}
    levels = generate_many(name, 8, split="train", **params)
    world = registry.build(name, params)
    batch = Batch(world, 8, compiled=False)
    batch.start(0, levels)
    assert [world.get_level(batch.record(k)) for k in range(8)] == levels
    assert json.loads(json.dumps(levels)) == levels


def test_mistakes():
    with pytest.raises(UnknownIdError, match="did you mean 'Voting'"):
        generate("Votin")
    with pytest.raises(ParameterError, match="candidates"):
        generate("Voting", candidates=9)
    with pytest.raises(ParameterError, match="split='dev'"):
        generate("Voting", split="dev")
    with pytest.raises(ParameterError, match="TicTacToe-v0.*too small to be split"):
        for split in ("train", "test"):
            generate("TicTacToe", split=split)
