"""Warehouse's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When
from envsuite.gridworlds.warehouse import levels as depots

PAGE = Page(
    role="You are a robot in a warehouse. You bring requested shelves to a goal.",
    goal=Case(
        "reward",
        {
            "individual": "Each shelf that you deliver pays you 1.",
            "global": "Each delivery, by any robot, pays all robots 1.",
            "two_stage": "Each shelf that you deliver pays you 0.5, and 0.5 again when you then put it down.",
        },
    ),
    rules=(
        (
            "The warehouse has {high} rows and {wide} columns of cells, with blocks of shelves and highways around "
            "them; north is up. There {are} {players:robot}. At any time {wanted:shelf is/shelves are} requested."
        ),
        (
            "Without a shelf you drive below others; with one you cannot enter the cell of a shelf that nobody "
            "carries. You cannot put a shelf down on a highway. When you stand on a goal with a requested shelf, it is "
            "delivered: another one is requested instead, at random, and you must put yours down at a free place "
            "before you can lift the next one."
        ),
        (
            "All robots act at once, and a cell holds one robot. Robots that follow each other into a free cell move "
            "together. If several rows of robots want a cell, the longest goes, and of equally long ones the row of "
            "the robot with the lowest number. Three or more can turn in a circle. A robot that stays, and two that "
            "would change places, block all behind them. What is impossible does nothing."
        ),
        When(
            "message_bits",
            "Each action also shows a message of {message_bits:bit}, which others see near you until you show another.",
        ),
    ),
    sees="You see the cells up to {radius:row or column/rows or columns} away.",
    acts={
        "forward": When("message_bits", "", "drive to the cell ahead"),
        ("left", "right"): When("message_bits", "", "turn"),
        "toggle": When("message_bits", "", "lift the shelf of your cell, or put yours down"),
        "noop": When("message_bits", "", "do nothing"),
        "forward {BITS}": When("message_bits", "drive to the cell ahead, and show these bits"),
        ("left {BITS}", "right {BITS}"): When("message_bits", "turn"),
        "toggle {BITS}": When("message_bits", "lift the shelf of your cell, or put yours down"),
        "noop {BITS}": When("message_bits", "show these bits only"),
    },
    ends=When(
        "patience",
        "It is over after {horizon:turn}, or after {patience:turn} without a delivery.",
        "It is over after {horizon:turn}.",
    ),
    unsaid={
        **dict.fromkeys(("rows", "columns", "shelf_height"), "told as the size of the warehouse"),
        "requests": "told as the number of requested shelves",
        "observation": "the form in which programs see the warehouse",
        "normalised": "the form in which programs see the warehouse",
    },
    constants={
        "1": "for a delivery",
        "0.5": "for one of two stages",
        "two": "robots that would change places",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    on = world.parameters
    high, wide = depots.sides(on["rows"], on["columns"], on["shelf_height"])
    return {
        "high": high,
        "wide": wide,
        "are": "is" if on["players"] == 1 else "are",
        "wanted": on["requests"] or on["players"],
        "patience": int(s.params.patience),
    }
