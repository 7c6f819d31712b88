"""Lists of legal actions in few words stand for exactly these actions."""

import kit
import numpy as np
import pytest

import envsuite
from envsuite.core.batch import Batch
from envsuite.interfaces.text import legal_names
from envsuite.reading.lists import Line, grouped, listed, ranges
from envsuite.registry import build


def product(text, *values):
    return [text.format(*one) for one in np.array(np.meshgrid(*values)).T.reshape(-1, len(values)).tolist()]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["up", "down"], "up; down"),
        ([f"catch {k}" for k in range(41)], "\n- catch N with N 0-40"),
        ([*product("offer {} wood for {} gold", range(1, 11), range(1, 11)), "accept", "pass"],
         "\n- offer N wood for M gold with N 1-10, M 1-10\n- accept; pass"),
        ([f"give {k}%" for k in range(0, 101, 5)], "\n- give N% with N 0-100 in steps of 5"),
        ([f"{verb} player_{k} on day 1" for verb in ("accuse", "defend") for k in range(9) if k not in (2, 5)],
         "\n- accuse player_N on day M / defend player_N on day M with N 0, 1, 3, 4, 6-8, M 1"),
        ([f"bet {x} of N chips in the pot now" for x in ("0.5", "0.75", "1.0", "1.25", "1.5", "2.0", "2.5", "3.0")]
         + [f"raise {k}" for k in range(9)],
         "\n- bet M of N chips in the pot now with M 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0\n- raise N with N 0-8"),
        ([f"{a} {b} {c} piece" for a in ("short", "long", "endless", "brief") for b in ("formal", "plain", "vivid")
          for c in ("serious", "playful")],
         "\n- N M K L with N short, long, endless, brief, M formal, plain, vivid, K serious, playful, L piece"),
    ],
)  # fmt: skip
def test_lists(names, expected):
    assert listed(names) == expected


def test_rows_that_are_no_product():
    names = [f"tell {row} {column}" for row, columns in enumerate(("013", "013", "2", "0134")) for column in columns]
    (line,) = grouped(names)
    assert str(line) == "tell N M with one of: N 0, 1, M 0, 1, 3; N 2, M 2; N 3, M 0, 1, 3, 4"
    assert sorted(line.names()) == sorted(names)
    names = [f"{name} as {k}" for name in names for k in range(1, 5)]
    (line,) = grouped(names)
    assert str(line) == "tell N M as K with K 1-4, and one of: N 0, 1, M 0, 1, 3; N 2, M 2; N 3, M 0, 1, 3, 4"


@pytest.mark.parametrize(
    ("values", "expected"),
    [("1", "1"), ("12", "1, 2"), ("1234", "1-4"), ("1357", "1-7 in steps of 2"), ("1236", "1-3, 6"), ("321", "1-3")],
)
def test_ranges(values, expected):
    assert ranges(values) == expected
    assert ranges([*values, "01"]) == ", ".join([*values, "01"])


def test_a_line_without_slots_is_its_names():
    line = Line((("up",), ("down",)), ((),))
    assert (str(line), [*line.names()]) == ("up; down", ["up", "down"])


@pytest.mark.mostly_slow
@pytest.mark.parametrize("id", envsuite.ids())
def test_lists_stand_for_the_legal_actions(id):
    world, seen = build(id), set()
    for seed in range(3):
        batch, rng = Batch(world, 1), np.random.default_rng(seed)
        batch.start(seed)
        for _ in range(0 if world.control_spaces else 10):
            if batch.finished[0]:
                break
            for a in np.flatnonzero(batch.acting[0]).tolist():
                names = legal_names(world, a, batch.masks[0, a])
                if len(names) > 12 and (shown := tuple(names)) not in seen:
                    seen.add(shown)
                    assert sorted(name for line in grouped(names) for name in line.names()) == sorted(names)
                    assert sorted(kit.legal_in(f"Your legal actions: {listed(names)}\nEnd.")) == sorted(names)
                batch.actions[0, a] = rng.choice(np.flatnonzero(batch.masks[0, a]))
            batch.step()
