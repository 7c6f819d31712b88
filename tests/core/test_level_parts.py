"""The parts that a level must have, or may have; the values of parts; levels that are fields of the record."""

import math
import re

import kit
import numpy as np
import pytest
from gymnasium.spaces import Box

from envsuite.core import levels
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, known_parts, read_letters, read_numbers, write_letters
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Kernels, World


@pytest.mark.parametrize(
    ("level", "parts", "words"),
    [
        ({}, ("word",), "Nim: a level has 'word', not nothing"),
        ({"stones": 3}, ("map", "start"), "Nim: a level has 'map' and 'start', not 'stones'"),
        ({"a": 1, "b": 2}, ("a", "b", "c"), "Nim: a level has 'a', 'b' and 'c', not 'a', 'b'"),
    ],
)
def test_exact_parts(level, parts, words):
    with pytest.raises(LevelError) as error:
        exact_parts("Nim", level, *parts)
    assert str(error.value) == words
    exact_parts("Nim", dict.fromkeys(parts), *parts)


def test_optional_parts():
    exact_parts("Nim", {"a": 1, "b": 2, "kind": 3}, "a", optional=["b", "kind"])
    with pytest.raises(LevelError, match="^Nim: a level has 'a' and perhaps 'b', not 'b'$"):
        exact_parts("Nim", {"b": 1}, "a", optional=["b", "kind"])


def test_known_parts():
    known_parts("Nim", {"map": 1}, {"map", "start"})
    with pytest.raises(LevelError, match="^Nim: the level has an unknown part 'b'$"):
        known_parts("Nim", {"map": 1, "c": 2, "b": 3}, {"map"})


TABLE = [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("given", "shape", "low", "high", "words"),
    [
        (9, (), 0, 5, "=9 must be an integer from 0 to 5"),
        (True, (), 0, 5, "=True must be an integer from 0 to 5"),
        (1.0, (), 0, 5, "=1.0 must be an integer from 0 to 5"),
        ([1], (), 0, 5, "=[1] must be an integer from 0 to 5"),
        (3, (2,), 0, 5, " must be a list of 2 integers from 0 to 5"),
        ("12", (2,), 0, 5, " must be a list of 2 integers from 0 to 5"),
        ([1, "2"], (2,), 0, 5, "[1]='2' must be an integer from 0 to 5"),
        (TABLE[:1], (2, 3), 0, 5, " must be 2 lists of 3 integers from 0 to 5"),
        ([[1, 2, 3], [4, 5]], (2, 3), 0, 5, " must be 2 lists of 3 integers from 0 to 5"),
        (TABLE, (2, 3), 0, 5, "[1][2]=6 must be an integer from 0 to 5"),
        (TABLE, (2, 3), [0, 0, 4], 6, "[0][2]=3 must be an integer from 4 to 6"),
        (TABLE[0], (2, 3), 0, [5, 6, 7], " must be 2 lists of 3 integers"),
        ([], ((1, 4),), 0, 5, " must be a list of 1 to 4 entries"),
        ([0] * 5, ((0, 4),), 0, 5, " must be a list of at most 4 entries"),
        ([[0]], ((0, 4), 2), 0, 5, " must be 1 list of 2 integers from 0 to 5"),
    ],
)
def test_integers(given, shape, low, high, words):
    with pytest.raises(LevelError, match=f"^Nim: x{re.escape(words)}$"):
        read_numbers(given, "Nim: x", shape, low, high, whole=True)


def test_numbers():
    assert read_numbers(np.array(TABLE), "x", (2, 3), 1, 6, whole=True).tolist() == TABLE
    assert read_numbers([1, np.float32(0.5)], "x", ((0, 9),), 0, 1).tolist() == [1.0, 0.5]
    assert read_numbers([], "x", ((0, 9), 2), 0, 1).shape == (0, 2)
    assert levels.read_integer(np.int8(3), "x", 0, 5) == 3
    for wrong in (math.nan, math.inf, True, "1", None):
        with pytest.raises(LevelError, match=f"^x={wrong!r} must be a number from 0 to 1.5$"):
            read_numbers(wrong, "x", (), 0, 1.5)


def test_names():
    assert levels.read_name("b", "x", "abc") == 1
    for wrong, words in (
        ("d", "'d' is unknown; known: a, b, c"),
        (["a"], r"\['a'\] is unknown"),
        ("ab", "'ab' is unknown"),
    ):
        with pytest.raises(LevelError, match=f"^x={words}"):
            levels.read_name(wrong, "x", ["a", "b", "c"])


def test_letters():
    rows = ["#.S", "..G"]
    codes = read_letters(rows, "x", (2, 3), "#.SG")
    assert codes.tolist() == [[0, 1, 2], [1, 1, 3]] and write_letters(codes, "#.SG") == rows
    assert read_letters("ab", "x", (2,), "ab").tolist() == [0, 1] and write_letters(np.array([1, 0]), "ab") == "ba"
    for given in (rows[:1], [*rows, "..."], ["#.S", ".."], "#.S", None, [["#", ".", "S"], "..G"]):
        with pytest.raises(LevelError, match="^x must be 2 texts of 3 letters$"):
            read_letters(given, "x", (2, 3), "#.SG")
    with pytest.raises(LevelError, match="^x has the letter '!'; known: # . S G$"):
        read_letters(["#.S", "!?G"], "x", (2, 3), "#.SG")
    with pytest.raises(LevelError, match="^x must be a text of 2 letters$"):
        read_letters(["a", "b"], "x", (2,), "ab")


@kernel
def stay(s):
    pass


@kernel
def end(s, actions, rewards):
    s.terminated[0] = 1


@kernel
def observe(s, agent, out):
    out[0] = s.stones


class Garden(World):
    kernels = Kernels(stay, end, observe)
    level_fields = {"map": ("start.ground", ".#"), "price": "start.price", "stones": "stones"}

    def __init__(self):
        start = np.dtype([("ground", flag(), (2, 3)), ("price", within(np.float64, 0, 2.5))], align=True)
        self.define(
            agents=["agent"],
            actions=["wait"],
            observation=Box(0, 9, (1,), np.int8),
            fields=[("start", start), ("stones", below(np.int8, 9))],
        )


LEVEL = {"map": ["#..", "..#"], "price": 1.5, "stones": 4}


def test_a_level_that_is_fields():
    batch = kit.started(Garden(), level=LEVEL)
    s = batch.record()
    assert batch.world.get_level(s) == LEVEL and s.start.ground[1].tolist() == [0, 0, 1] and s.stones == 4
    kit.refuses(
        batch.world,
        ({}, "^Garden: a level has 'map', 'price' and 'stones', not nothing$"),
        (LEVEL | {"map": ["#..", "..S"]}, "^Garden: the level's map has the letter 'S'; known: . #$"),
        (LEVEL | {"price": math.nan}, "^Garden: the level's price=nan must be a number from 0 to 2.5$"),
        (LEVEL | {"stones": 9}, "^Garden: the level's stones=9 must be an integer from 0 to 8$"),
    )


def test_level_fields_are_fields():
    wrong = type("Garden", (Garden,), {"level_fields": ("start.price", "pebbles")})
    with pytest.raises(ValueError, match="level_fields has 'pebbles', which is no field with a range"):
        wrong()
    kit.refuses(type("Garden", (Garden,), {"level_fields": ()})(), ({}, "^Garden takes no level: remove"))
