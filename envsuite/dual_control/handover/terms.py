"""The actions, words and codes of Handover, shared by its rules, texts, pictures and baselines."""

from __future__ import annotations

import numpy as np

from envsuite.dual_control.handover.levels import OPERATIONS

GUIDE, WORKER = range(2)
DUAL, SOLO, ORACLE_PLAN = range(3)
MODES = ("dual", "solo", "oracle_plan")

MOVES = ("noop", "north", "south", "east", "west", "take", "give", *OPERATIONS)
NOOP, NORTH, SOUTH, EAST, WEST, TAKE, GIVE, OPERATE = range(len(MOVES) - len(OPERATIONS) + 1)
DY = np.array([0, -1, 1, 0, 0])
DX = np.array([0, 0, 0, 1, -1])

#: Words. Pointing at part k is the word POINT + k; pointing at the store is POINT.
_REPLIES = ("confirm", "ask", "done", "not understood", "point: store")
WORDS = (*(f"name: {operation}" for operation in OPERATIONS), *_REPLIES)
NAME = 0
CONFIRM, ASK, DONE, NOT_UNDERSTOOD, POINT = range(len(OPERATIONS), len(WORDS))
SPEAK = len(MOVES)

#: The number of last utterances kept for texts and pictures.
LOG = 8

NOTHING, RIGHT, WRONG = range(3)
