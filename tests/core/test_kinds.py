"""Keywords that select tests by the kinds of their worlds."""

import kinds
import pytest
from kit import ROOT


class Item:
    def __init__(self, path, case=""):
        self.path, self.nodeid, self.extra_keyword_matches = ROOT / "tests" / path, f"{path}::test_x{case}", set()


@pytest.mark.parametrize(
    "path, case, expected",
    [
        ("worlds/games/test_hanabi.py", "", {"cards", "teams"}),
        ("worlds/test_worlds.py", "[envsuite/KuhnPoker-v0]", {"cards"}),
        ("episodes/test_golden.py", "[Crafter]", {"open_worlds"}),
        ("core/test_parameters.py", "[2-3]", set()),
    ],
)
def test_kinds_are_keywords(path, case, expected):
    item = Item(path, case)

    class Config:
        class option:
            keyword = "cards"

    kinds.pytest_collection_modifyitems(Config, [item])
    assert item.extra_keyword_matches == expected
