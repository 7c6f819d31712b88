"""Places in the words of agents on grids."""

import numpy as np
import pytest

from envsuite.kit.avatars import place_in_words, places_in_words


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([(0, 0), (2, 0), (0, -3), (-1, 4)], ["here", "2 ahead", "3 left", "1 behind 4 right"]),
        ([(1, 0), (0, 1), (2, 0), (3, 0), (-1, 0), (0, 2)], ["1-3 ahead", "1 right", "1 behind", "2 right"]),
        (
            [(1, -1), (1, -2), (1, -3), (1, 0), (1, 1), (1, 2)],
            ["1 ahead 1-3 left", *(f"1 ahead{k}" for k in ("", " 1 right", " 2 right"))],
        ),
        ([(4, 2), (6, 2), (7, 2), (8, 2), (5, 2)], ["4-8 ahead 2 right"]),
    ],
)
def test_places_side_by_side_are_told_at_once(places, expected):
    assert places_in_words(places) == expected


def test_all_places_are_told_once():
    """The spans of a sentence have as many cells as there are places."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        view = rng.random((11, 11)) < rng.random()
        places = [(9 - i, j - 5) for i, j in np.argwhere(view).tolist()]
        told = [cell for words in places_in_words(places) for cell in _cells(words)]
        assert sorted(told) == sorted(place_in_words(*place) for place in places)


def _cells(words):
    """The places of a span one by one, in words."""
    spans = [word for word in words.split() if "-" in word]
    if not spans:
        return [words]
    first, last = map(int, spans[0].split("-"))
    return [words.replace(spans[0], str(k)) for k in range(first, last + 1)]
