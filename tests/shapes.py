"""The twelve worlds for checks of forms, which are the same code for all worlds."""

import pytest

from envsuite import registry

#: Turns, teams, hidden cards, many agents, controls, objectives, long episodes, text: a world for each shape.
SHAPES = {
    "TicTacToe": {},
    "ConnectFour": {"objectives": True},
    "KuhnPoker": {},
    "Hanabi": {},
    "Harvest": {},
    "AmongUs": {},
    "Overcooked": {},
    "Sumo": {"controls": "continuous"},
    "FriendFoe": {},
    "Telecom": {},
    "Diplomacy": {},
    "DoorKey": {},
}


def every_world(*values):
    """Cases for all worlds, with these values first; those of other worlds than the twelve are long."""
    marks = {id: () if registry.short_name(id) in SHAPES else pytest.mark.long for id in registry.ids()}
    return [pytest.param(*values, id, marks=mark, id=id) for id, mark in marks.items()]
