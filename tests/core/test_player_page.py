"""The form of pages for players: slots, choices, patterns of actions; and the check of a world's page."""

from dataclasses import replace

import pytest

import envsuite
from envsuite.core.page import Case, Page, When, listed, written
from envsuite.games.connect_four import ConnectFour
from envsuite.testing import check_world

SLOTS = {"months": 12, "lives": 1, "share": 0.25, "names": ("a", "b", "c"), "none": None, "skin": "lake", "rate": 2.5}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It lasts {months:month}.", "It lasts 12 months."),
        ("{lives:life/lives}", "1 life"),
        ("{months:life/lives}", "12 lives"),
        ("{share:.0%} of {rate}", "25% of 2.5"),
        ("{months:03d}", "012"),
        ("{names}", "a, b and c"),
        (When("months", "a", "b"), "a"),
        (When("none", "a", "b"), "b"),
        (("x", When("none", "a"), "y"), "x y"),
        (Case("skin", {"lake": "fish", "field": "grass"}), "fish"),
        (Case("skin", {"field": "grass"}, "something"), "something"),
        (When("months", (Case("skin", {"lake": "{months}"}), "tons")), "12 tons"),
    ],
)
def test_texts(text, expected):
    assert written(text, SLOTS) == expected


def test_lists():
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", 2, 0.5], "or") == "a, 2 or 0.5"


def test_the_order_of_a_page():
    page = Page(
        role="You are {me}.",
        goal="Win.",
        rules=("First.", When("none", "Never."), ("Second,", "third.")),
        sees="You see all.",
        acts={"catch {N}": "ask for N", ("up", "down"): "move", "{verb} all": "take all", "pass": When("none", "wait")},
        ends="It ends.",
    )
    assert page.text({**SLOTS, "me": "a_0", "verb": "graze"}) == (
        "You are a_0. Win.\n\nFirst.\n\nSecond, third.\n\nYou see all.\n\n"
        "You can:\n- `catch N`: ask for N\n- `up`, `down`: move\n- `graze all`: take all\n\nIt ends."
    )


def test_slots_are_those_of_the_record():
    """A vector's worlds may have other numbers than the world was made with."""
    env = envsuite.make_parallel("envsuite/Fishery-v0")
    env.reset(seed=0, options={"params": {"growth": 3.0, "public_catch": False}})
    page = env.prompt("player_0")
    assert "factor of 3 a month" in page
    assert "reads out" not in page
    with pytest.raises(KeyError):
        env.world.player_page.text({})


def test_roles():
    class Sides(ConnectFour):
        player_page = {
            "first": replace(ConnectFour.player_page, role="You begin."),
            "second": replace(ConnectFour.player_page, role="You follow."),
        }

        def page_role(self, s, agent):
            return ("first", "second")[agent]

    env = envsuite.make_parallel(Sides)
    env.reset(seed=0)
    assert env.prompt("player_0").startswith("You begin.")
    assert env.prompt("player_1").startswith("You follow.")


PAGE = ConnectFour.player_page


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (replace(PAGE, goal=""), "has no goal"),
        (replace(PAGE, rules=("There are 6 rows.", *PAGE.rules)), "has '6'"),
        (replace(PAGE, rules=("There are six rows.", *PAGE.rules)), "has 'six'"),
        (replace(PAGE, constants={**PAGE.constants, "42": "cells"}), "'42', which stands in no text"),
        (replace(PAGE, role="Play the optimal move."), "'optimal', which players have no use for"),
        (replace(PAGE, role="As Allis solved it."), "'Allis', of the page for researchers"),
        (replace(PAGE, acts={"row {N}": "take a row", **PAGE.acts}), "which is no action"),
        (replace(PAGE, acts={"column 1": "drop a disc"}), "no act for the action 'column 2'"),
        (replace(PAGE, goal=PAGE.goal[0]), "no page tells the parameter 'connect'"),
        (replace(PAGE, unsaid={**PAGE.unsaid, "size": "it is shown"}), "'size', which is no parameter"),
        (replace(PAGE, unsaid={**PAGE.unsaid, "rows": " "}), "no reason for 'rows'"),
        (replace(PAGE, ends="Then it is over. " * 300), "characters; 3780 at most"),
        (replace(PAGE, role="# Connect Four"), "has a table"),
    ],
)
def test_a_page_that_does_not_hold_is_refused(page, words):
    class Wrong(ConnectFour):
        __doc__ = ConnectFour.__doc__
        player_page = page

    with pytest.raises(AssertionError, match=words):
        check_world(Wrong, only="check_page")
