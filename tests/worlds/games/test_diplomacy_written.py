"""Orders of Diplomacy as the package `diplomacy` and players write them, read for the unit that is asked for."""

import kit
import numpy as np
import pytest

from envsuite.games.diplomacy import Diplomacy
from envsuite.reading import read
from envsuite.testing import random_actions

MOVES, RETREATS, WINTER = (0, 2), (1, 3), 4


def meant(batch, text, agent=2):
    """The name of the action that a text means for a power, None for none."""
    found = batch.world.understand(batch.record(), agent, text)
    return None if found is None else batch.world.action_names[agent][found]


def france(**params):
    """The first spring, in which France is asked for F BRE, A MAR and A PAR, in this order."""
    return kit.started("envsuite/Diplomacy-v0", **params)


@pytest.mark.parametrize(
    "text, name",
    [
        ("F BRE H", "hold"),
        ("F BRE holds", "hold"),
        ("F BRE - MAO", "to MAO"),
        ("f bre-mao", "to MAO"),
        ("F BRE -> MAO", "to MAO"),
        ("BRE - MAO", "to MAO"),
        ("Fleet BRE moves to MAO", "to MAO"),
        ("fleet in BRE to MAO", "to MAO"),
        ("F BRE S A PAR", "support PAR"),
        ("F BRE S A PAR H", "support PAR"),
        ("F BRE S A PAR - PIC", "support PAR"),
        ("F BRE supports army PAR to PIC", "support PAR"),
        ("F BRE S PAR - PIC", "support PAR"),
        ("F BRE - LON", "to LON"),  # illegal, as the reader then says
        ("F BRE - XYZ", None),
        ("A BRE - PIC", None),  # the unit is a fleet
        ("F BRE S F PAR - PIC", None),
        ("F BRE S A ROM", "support ROM"),
        ("A PAR - BUR", None),  # an order for another unit
        ("F BRE", None),
        ("F BRE - MAO - IRI", None),
        ("F BRE H - MAO", None),
        ("hold", None),  # a name, which the reader knows
    ],
)
def test_what_is_written_for_a_unit(text, name):
    assert meant(france(), text) == name


def test_a_line_means_both_halves_of_a_support():
    batch = france()
    batch.step([0] * 7)  # all hold
    assert meant(batch, "A MAR S A PAR - BUR") == "support PAR"
    batch.step([batch.world.action_names[0].index("support PAR" if a == 2 else "hold") for a in range(7)])
    for text, name in (("A MAR S A PAR - BUR", "to BUR"), ("A MAR S A PAR", "hold"), ("A MAR S A PAR H", "hold")):
        assert meant(batch, text) == name
    assert meant(batch, "A MAR - SPA") is None and meant(batch, "A MAR S F BRE - GAS") is None


def test_a_question_is_answered_in_this_notation():
    batch = france()
    legal = np.flatnonzero(batch.masks[0, 2]).tolist()
    for answer in ("Action: F BRE - MAO", "I play F BRE - MAO.", "Action: to MAO"):
        action = read(batch.world, 2, answer, legal, batch.record())
        assert batch.world.action_names[2][action] == "to MAO"


def package_words(batch, power, name):
    """An order of one action as the package writes it; None where it needs another action."""
    s, codes = batch.record(), batch.world.land.codes
    if s.phase == WINTER:
        verb, _, place = name.rpartition(" ")
        if verb == "disband":
            k = codes.index(place)
            return f"{' AF'[s.unit[k]]} {codes[s.spot[k]]} D"
        return {"build army": f"A {place} B", "build fleet": f"F {place} B"}.get(verb)
    k = int(s.cursor[power])
    units, spots = (s.unit, s.spot) if s.phase in MOVES else (s.beaten, s.beaten_spot)
    own = f"{' AF'[units[k]]} {codes[spots[k]]}"
    goes = f"- {name[3:].replace(' by convoy', ' VIA')}" if s.phase in MOVES else f"R {name[3:]}"
    first = {"hold": f"{own} H", "disband": f"{own} D", "to": f"{own} {goes}"}
    j = codes.index(name.split()[1]) if name.split()[0] in ("support", "convoy") else int(s.picked_unit[power])
    if name.split()[0] not in ("support", "convoy") and not s.picked[power]:
        return first[name.split()[0]]
    verb = "S" if name.startswith("support") or s.picked[power] == 4 else "C"
    helps = f"{own} {verb} {' AF'[s.unit[j]]} {codes[s.spot[j]]}"
    return helps if not name.startswith("to ") else f"{helps} {goes}"


@pytest.mark.parametrize(
    "params, steps",
    [(dict(map="triangle"), 120), (dict(map="france_austria"), 30), pytest.param({}, 300, marks=pytest.mark.slow)],
)
def test_all_legal_orders_are_understood(params, steps):
    """Written as the package writes them, in random games."""
    batch, rng = kit.started(Diplomacy(**params)), np.random.default_rng(1)
    for _ in range(steps):
        if batch.over().all():
            break
        for power in np.flatnonzero(batch.acting[0]).tolist():
            names = batch.world.action_names[power]
            for name in (names[action] for action in np.flatnonzero(batch.masks[0, power])[:8]):
                words = package_words(batch, power, name)
                assert words is None or meant(batch, words, power) == name, (words, name)
        batch.step(random_actions(batch.masks, rng))


def position(season, centers=None, **units):
    return kit.started("envsuite/Diplomacy-v0", level={"season": season, "centers": centers or {}, "units": units})


@pytest.mark.parametrize(
    "text, name",
    [
        ("A WAR B", "build army WAR"),
        ("build A WAR", "build army WAR"),
        ("F STP/NC B", "build fleet STP/NC"),
        ("Build fleet STP/SC", "build fleet STP/SC"),
        ("F WAR B", None),  # inland
        ("STP B", None),  # an army or a fleet
        ("A MOS - UKR", None),
    ],
)
def test_builds(text, name):
    batch = position("winter", {"russia": ["STP", "MOS", "WAR", "SWE", "NWY"]}, russia=["A MOS"])
    assert meant(batch, text, 5) == name


def test_disbands():
    batch = position("winter", {"italy": ["ROM"]}, italy=["A ROM", "A BUD", "F ION", "A TYR"])
    assert meant(batch, "A BUD D", 4) == meant(batch, "disband army BUD", 4) == "disband BUD"
    assert meant(batch, "F BUD D", 4) is None and meant(batch, "A VEN D", 4) is None


def test_retreats():
    """Two armies of Germany dislodge France's from BUR."""
    batch = position("spring", france=["A BUR"], germany=["A MUN", "A RUH"])
    names = batch.world.action_names[3]
    for germany in ("to BUR", "support MUN", "to BUR"):
        batch.step([names.index(germany if a == 3 else "hold") for a in range(7)])
    assert batch.record().phase in RETREATS
    for text, name in (("A BUR R GAS", "to GAS"), ("A BUR - PAR", "to PAR"), ("A BUR D", "disband BUR"),
                       ("A BUR disbands", "disband BUR"), ("A MUN - GAS", None)):  # fmt: skip
        assert meant(batch, text) == name


def test_all_phases_have_a_form_but_press_has_none():
    world = Diplomacy(map="triangle", press=1)
    batch = kit.started(world)
    assert world.batch_form(batch.record(), 0) == "" and meant(batch, "A PAR H", 0) is None
    form = france().world.batch_form(france().record(), 2)
    assert "spring moves of 1901" in form and "A PAR - BUR" in form


def test_an_army_goes_by_convoy_where_it_cannot_walk():
    batch = position("spring", england=["A LON", "F NTH"])
    assert meant(batch, "A LON - NWY", 1) == meant(batch, "A LON - NWY VIA", 1) == "to NWY by convoy"
    assert meant(batch, "A LON - YOR", 1) == "to YOR" and meant(batch, "A LON - YOR by convoy", 1) == "to YOR by convoy"
    names = batch.world.action_names[1]
    batch.step([names.index("hold")] * 7)
    assert meant(batch, "F NTH C A LON - NWY", 1) == "convoy LON"
    batch.step([names.index("convoy LON")] * 7)
    assert meant(batch, "F NTH C A LON - NWY", 1) == "to NWY" and meant(batch, "F NTH S A LON - NWY", 1) is None
