"""Orders as players of Diplomacy write them: `A PAR H`, `A PAR - BUR`, `A PAR S A MAR - BUR`, `F NTH C A LON - NWY`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from envsuite.games.diplomacy.actions import AUTUMN_RETREATS, SPRING_RETREATS
from envsuite.games.diplomacy.orders import CONVOY, SUPPORT
from envsuite.games.diplomacy.view import PHASES

_PLACE = "[A-Z]{3}(?:/[A-Z]{2})?"


def _unit(name: str) -> str:
    """The pattern of a unit, whose letter may be missing."""
    return rf"(?:(?P<{name}_kind>[AF]) )?(?P<{name}>{_PLACE})"


_ORDER = re.compile(
    rf"{_unit('own')}(?: (?P<does>[HDB])| (?P<helps>[SC]) {_unit('other')}(?: H)?)?"
    rf"(?: ?- ?(?P<target>{_PLACE})(?P<convoy> VIA)?)?"
)

#: Other words for parts of an order; and orders whose verb comes first.
_SHORT = [
    (r"(?:BY|VIA) CONVOY", "VIA"), (r"ARMY(?: IN)?", "A"), (r"FLEET(?: IN)?", "F"), (r"HOLDS?|STAYS?", "H"),
    (r"SUPPORTS?", "S"), (r"CONVOYS?", "C"), (r"DISBANDS?|IS DISBANDED", "D"), (r"BUILDS?", "B"),
    (r"(?:MOVES? |RETREATS? |GOES )?TO|->|R", "-"),
]  # fmt: skip
_VERB_FIRST = re.compile(r"^([BD]) (.+)")

#: The orders of each phase, as a question shows them.
_MOVES = "A PAR H; A PAR - BUR; A LON - NWY by convoy; A PAR S A MAR - BUR; A PAR S A BUR; F NTH C A LON - NWY"
_FORMS = (_MOVES, "A PAR - BUR; A PAR D", _MOVES, "A PAR - BUR; A PAR D", "A PAR B; F BRE B; A PAR D")


def batch_form(world: Any, s: Any, agent: int) -> str:
    """How one answer gives all orders of a phase."""
    if s.terminated[agent] or (world.press and s.round < world.press):
        return ""
    return (
        f"You may give all your orders of the {PHASES[s.phase]} of {s.year} in one answer, each in a line of its own "
        f'that begins with "Action: ", in these forms: {_FORMS[s.phase]}.'
    )


def understand(world: Any, s: Any, agent: int, text: str) -> int | None:
    """What an order means for the unit that is to be ordered; None if it is no order, or one of another unit."""
    short = text.upper()
    for words, letter in _SHORT:
        short = re.sub(rf"(?<![A-Z/])(?:{words})(?![A-Z/])", letter, short)
    order = _ORDER.fullmatch(_VERB_FIRST.sub(r"\2 \1", short))
    if order is None or (world.press and s.round < world.press):
        return None
    names = world.action_names[agent]
    found = [name for name in (_of_winter if s.due[agent] else _of_unit)(world, s, agent, order) if name in names]
    legal = [name for name in found if _is_legal(world, s, agent, names.index(name))]
    return names.index((legal or found)[0]) if found else None


def _of_winter(world: Any, s: Any, agent: int, order: re.Match[str]) -> list[str]:
    """The name of a build or a disbandment."""
    if order["does"] == "B" and order["own_kind"]:
        return [f"build {'army' if order['own_kind'] == 'A' else 'fleet'} {order['own']}"]
    k = _province(world, order["own"])
    fits = order["does"] == "D" and _is(world, order, "own", k, s.unit, s.spot)
    return [f"disband {world.land.codes[k]}"] if fits else []


def _of_unit(world: Any, s: Any, agent: int, order: re.Match[str]) -> list[str]:
    """The names of what the unit in question may be meant to do, or of what the unit does that it helps."""
    k = int(s.cursor[agent])
    units, spots = (s.beaten, s.beaten_spot) if s.phase in (SPRING_RETREATS, AUTUMN_RETREATS) else (s.unit, s.spot)
    if k < 0 or not _is(world, order, "own", k, units, spots):
        return []
    if order["helps"]:
        return _of_help(world, s, agent, order)
    if s.picked[agent] or (order["does"] and order["target"]):
        return []
    if order["target"]:
        return [f"to {order['target']} by convoy"] if order["convoy"] else _ways(order["target"])
    return {"H": ["hold"], "D": [f"disband {world.land.codes[k]}"]}.get(order["does"], [])


def _of_help(world: Any, s: Any, agent: int, order: re.Match[str]) -> list[str]:
    """The names of a support or a convoy: of its first half, or of its second one once the unit is chosen."""
    other, verb = _province(world, order["other"]), {"S": SUPPORT, "C": CONVOY}[order["helps"]]
    if not _is(world, order, "other", other, s.unit, s.spot):
        return []
    if not s.picked[agent]:
        return [f"{'support' if verb == SUPPORT else 'convoy'} {world.land.codes[other]}"]
    if (s.picked[agent], s.picked_unit[agent]) != (verb, other):
        return []
    target = order["target"]
    return [*_ways(target), *_ways(target[:3])] if target else ["hold"]  # a coast does not matter


def _ways(target: str) -> list[str]:
    """A move, which goes by convoy where it is not legal by land."""
    return [f"to {target}", f"to {target} by convoy"]


def _is_legal(world: Any, s: Any, agent: int, action: int) -> bool:
    mask = np.zeros(len(world.action_names[agent]), np.int8)
    world.kernels.legal(s, agent, mask)
    return bool(mask[action])


def _province(world: Any, place: str) -> int:
    """The number of a place's province, -1 for none."""
    codes = world.land.provinces
    return codes.index(place[:3]) if place[:3] in codes else -1


def _is(world: Any, order: re.Match[str], name: str, k: int, units: Any, spots: Any) -> bool:
    """Whether an order names the unit of this province."""
    if k < 0 or not units[k]:
        return False
    letter, place, codes = order[f"{name}_kind"], order[name], world.land.codes
    return letter in (None, " AF"[units[k]]) and place in (codes[k], codes[spots[k]])
