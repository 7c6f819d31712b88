"""Fishery's phases, acts of speech and villagers: the rules that its texts and pictures share."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel

HARVEST, MEETING = range(2)

#: Acts of speech; the first four take no argument; only the moderator announces.
PASS, AGREE, OBJECT, END, ASK, ACCUSE, PROPOSE, ANNOUNCE = range(8)

#: The months that a newcomer is away.
ARRIVAL = 3


@kernel
def arrival(s, agent):
    """The month from which on an agent is there."""
    return ARRIVAL if s.params.newcomer != 0 and agent == s.catches.shape[0] - 1 else 0


@kernel
def attendance(s):
    """The number of villagers that are there: agents 0 .. attendance - 1."""
    away = s.params.newcomer != 0 and s.month < ARRIVAL
    return s.catches.shape[0] - 1 if away else s.catches.shape[0]


@kernel
def sustainable_share(stock, growth, villagers):
    """The largest equal harvest of a stock that can grow back; a small tolerance for growths like 1.1."""
    return (stock - np.int64(np.ceil(stock / growth - 1e-9))) // villagers


@kernel
def threshold(s):
    return sustainable_share(s.stock, s.params.growth, s.catches.shape[0] - s.params.newcomer)


@kernel
def witnessed(s, agent):
    """Whether an agent was there at the last harvest, and so in the meeting after it."""
    return arrival(s, agent) < s.month + s.phase
