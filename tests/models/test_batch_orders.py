"""One answer gives all orders of a power; those that cannot be used are asked for again, and the rest counts."""

import pytest

from envsuite.core.errors import ParameterError
from envsuite.games.diplomacy import Diplomacy
from envsuite.models.client import Answer
from envsuite.models.driver import Driver
from envsuite.models.orders import lines_of
from envsuite.models.protocol import Protocol

FRANCE = 2


def france(**protocol):
    """The first spring, in which France is asked for F BRE, A MAR and A PAR; all others hold."""
    return Driver(Diplomacy(), {FRANCE}, hold, Protocol(**({"batch_orders": True} | protocol)))


def hold(observation, mask):
    """The first legal action."""
    return int(mask.argmax())


def question(driver):
    return driver.request(FRANCE).messages[-1]["content"]


def run(driver):
    """Play on until France is asked or a phase is over; return the names of what France did."""
    names, done, phase = driver.world.action_names[FRANCE], [], int(driver.batch.record().phase)
    while FRANCE not in driver.waiting() and int(driver.batch.record().phase) == phase:
        action = driver.seats[FRANCE].action
        done += [] if action is None else [names[action]]
        driver.advance()
    return done


ALL = "Two can attack.\nAction: A PAR - BUR\n- **Action:** A MAR S A PAR - BUR\nAction: F BRE - MAO"


def test_all_orders_in_one_answer():
    driver = france()
    assert "You may give all your orders of the spring moves of 1901" in question(driver)
    assert driver.give(FRANCE, Answer(ALL)).action == "to MAO"
    assert run(driver) == ["to MAO", "support PAR", "to BUR", "to BUR"]
    assert driver.batch.record().phase == 2 and driver.seats[FRANCE].counts["ordered"] == 3
    assert "autumn moves of 1901" in question(driver)
    assert driver.replay({FRANCE: "model"}).by[1][FRANCE] == "model"


def test_an_order_that_cannot_be_used_is_asked_for_again():
    """The second unit is asked for its order again. The order of the third unit, in the same answer, counts."""
    driver = france()
    driver.give(FRANCE, Answer("Action: F BRE - MAO\nAction: A MAR - LON\nAction: A PAR - GAS"))
    assert run(driver) == ["to MAO"]
    assert question(driver).startswith("Your order 'A MAR - LON' cannot be used: 'to LON' is not legal now.")
    assert driver.give(FRANCE, Answer("Action: A MAR - XYZ")).problem.startswith("'A MAR - XYZ' names no action")
    assert driver.give(FRANCE, Answer("Action: to SPA")).action == "to SPA"
    assert run(driver) == ["to SPA", "to GAS"]


def test_an_order_that_is_missing_is_asked_for():
    driver = france()
    driver.give(FRANCE, Answer("Action: F BRE - MAO\nAction: A PAR - GAS"))
    assert run(driver) == ["to MAO"] and "What does A MAR do?" in question(driver)
    driver.give(FRANCE, Answer("Action: A MAR H\nAction: A PAR - BUR"))  # the last word on A PAR
    assert run(driver) == ["hold", "to BUR"]


def test_orders_of_a_phase_are_forgotten_after_it():
    driver = france()
    driver.give(FRANCE, Answer("Action: F BRE H\nAction: A MAR H\nAction: A PAR H\nAction: A MAR - SPA"))
    assert run(driver) == ["hold", "to SPA", "hold"]
    driver.advance() if FRANCE not in driver.waiting() else None
    assert "What does F BRE do?" in question(driver)  # though there is an order for it


def test_each_order_is_asked_for_by_default():
    driver = france(batch_orders=False)
    assert "all your orders" not in question(driver)
    assert driver.give(FRANCE, Answer("Action: A MAR - SPA\nAction: F BRE - MAO")).action == "to MAO"
    run(driver)
    assert "What does A MAR do?" in question(driver)


def test_lines_that_count():
    thought = "<think>\nAction: A PAR H\n</think>\n"
    assert lines_of(f"{thought}Action: A PAR - BUR\nA MAR - SPA\n> action: F BRE \u2192 MAO\n") == [
        "A PAR - BUR",
        "F BRE -> MAO",
    ]
    assert lines_of("<think>\nAction: A PAR H") == [] and len(lines_of("Action: A PAR H\n" * 10_000)) == 100


def test_functions_take_one_order():
    with pytest.raises(ParameterError, match="batch_orders=True needs actions='names', not 'tools'"):
        Protocol(actions="tools", batch_orders=True)
