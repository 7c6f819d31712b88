"""What pages say of random play: each number that `python tests/known.py` measures again stands on its page."""

import re
from math import inf

import known
import numpy as np
import pytest
import stamps
from kit import ROOT

from envsuite import registry

#: Pages whose Known values have the word random or uniform, and no rows, with the reason.
WITHOUT_ROWS = {
    "BabaRules": "ranges of counts, in episodes of the source",
    "Backgammon": "counts OpenSpiel's actions, which are whole turns",
    "BridgeBidding": "team matches, which play every deal twice",
    "Chaser": "random play of Procgen's 15 actions",
    "ComplyOrViolate": "random supervision",
    "DonorGame": "random strategies at the start",
    "Empty": "a random start",
    "EnergyDispatch": "levels of OdysseyArena",
    "GoalSequence": "random levels",
    "Items": "a map of MOMAland",
    "KeyCorridor": "random levels",
    "Marketplace": "data sets of the reference",
    "Memory": "random levels",
    "Miner": "random play of Procgen's 15 actions",
    "MiniGames": "numbers of the original engine, whose rules are different",
    "OrderBook": "random prices, on a market without agents",
    "Paintball": "shares of steps, which returns do not show",
    "ProposeAndSolve": "a random answer to a valid question",
    "ScreenGraph": "says how to calculate, without a number",
    "SecretHitler": "random cards instead of random actions",
    "SimpleNegotiation": "a search against random play, which takes minutes",
    "Telecom": "random use of the source's tools",
    "TreeDebate": "random play against its best reply, which is no baseline",
    "TurnOnLights": "levels of OdysseyArena",
}


def page(world):
    """The page of a world in one line, from its file: nothing is imported."""
    module = registry.spec(world).entry_point.partition(":")[0]
    return " ".join(stamps.module_file(module, ROOT).read_text().split('"""')[1].split())


def known_values(world):
    """That section of the page."""
    return page(world).partition("**Known values.**")[2].partition("**Differences.**")[0]


def test_pages_have_the_numbers():
    for world in known.worlds():
        text = known_values(world)
        for row in known.rows(world):
            assert " ".join(row.says.split()) in text, f"{world} does not say {row.says!r}"
            assert row.formula or row.value in row.says, f"{world}: {row.value} is not in {row.says!r}"
            assert row.measure.removeprefix("percent ").split()[0] in known.MEASURES
            assert not (row.error and row.games)


def test_pages_that_speak_of_random_play_have_rows():
    worlds = {registry.short_name(id) for id in registry.ids()}
    found = {name for name in worlds if re.search("random|uniform", known_values(name), re.IGNORECASE)}
    assert found - {*known.worlds()} == {*WITHOUT_ROWS}


#: A share of 0.25 in 7,501 episodes: its standard error is 0.005.
SHARE = np.arange(7501) % 4 == 0


@pytest.mark.parametrize(
    "value, given, apart",
    [
        ("0.260", {}, 1.9),  # less half a unit of the last digit
        ("0.25", {}, 0.0),
        ("13/50", {}, 2.0),
        ("0.260", dict(error=0.012), 0.0095 / 0.013),
        ("0.260", dict(games=7501), 1.9 / 2**0.5),
    ],
)
def test_distance_in_standard_errors(value, given, apart):
    row = known.Row("TicTacToe", "", value, "won 0", 7501, **given)
    assert known.found(row, SHARE).apart == pytest.approx(apart, abs=0.05)


def test_a_number_without_spread_must_be_exact():
    row = known.Row("TicTacToe", "", "1.0", "length", 4)
    assert known.found(row, np.full(4, 1.04)).apart == 0 and known.found(row, np.full(4, 1.06)).apart == inf


def test_rows_are_measured():
    """All moves of random play, by one policy for both or one for each."""
    rows = [known.Row("TicTacToe", "", "3", name, 20) for name in ("won 0", "drawn", "length", "return 1", "is 9 t")]
    x, drawn, length, o, full = (found.mean for found in known.play(rows, lambda ended: None))
    assert o == pytest.approx(1 - drawn - 2 * x) and 5 <= length <= 9 and full >= drawn
    both = known.Row("TicTacToe", "", "3", "length", 20, policy=["random", "random"])
    assert known.play([both], lambda ended: None)[0].mean == length
