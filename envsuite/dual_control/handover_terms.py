"""What Handover's actions, words and codes are: its rules, telling and baselines share them."""

import numpy as np

from envsuite.generators.repair import OPERATIONS

GUIDE, WORKER = range(2)
DUAL, SOLO, ORACLE_PLAN = range(3)
MODES = ("dual", "solo", "oracle_plan")

MOVES = ("noop", "north", "south", "east", "west", "take", "give", *OPERATIONS)
NOOP, NORTH, SOUTH, EAST, WEST, TAKE, GIVE, OPERATE = range(len(MOVES) - len(OPERATIONS) + 1)
DY = np.array([0, -1, 1, 0, 0])
DX = np.array([0, 0, 0, 1, -1])

#: Words; what is said by pointing at part k is POINT + k, by pointing at the store POINT.
_REPLIES = ("confirm", "ask", "done", "not understood", "point: store")
WORDS = (*(f"name: {operation}" for operation in OPERATIONS), *_REPLIES)
NAME = 0
CONFIRM, ASK, DONE, NOT_UNDERSTOOD, POINT = range(len(OPERATIONS), len(WORDS))
SPEAK = len(MOVES)

#: How many of the last utterances are kept for texts and pictures.
LOG = 8

NOTHING, RIGHT, WRONG = range(3)
