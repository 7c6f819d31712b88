"""Household: episodes of Mini-BEHAVIOR in lock-step, rules by hand, homes, and the planner."""

from functools import cache, partial

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.core.batch import Batch
from envsuite.generators import home_activities as homes
from envsuite.generators.home_activities import (
    FROZEN,
    FURNITURE,
    GOAL_COUNT,
    INSIDE,
    KIND_OF,
    NAMES,
    OBJECT_COUNT,
    OBJECTS,
    PIECE_COUNT,
    ROOMS,
    SOAKED,
    in_words,
    thing_name,
)
from envsuite.gridworlds.household_rules import ACTIONS, holds, states_of
from envsuite.registry import build

ID = "envsuite/Household-v0"
KITCHEN, TEA, LEFTOVERS = (NAMES.index(name) for name in ("clean_kitchen", "make_tea", "throw_leftovers"))
#: The source's number of `cook`, which ours leaves out.
COOK = 7
