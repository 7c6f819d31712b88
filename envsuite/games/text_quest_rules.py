"""The rules of TextQuest: what each command does, when it is possible, and when quests are done."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.generators.quest_terms import (
    AGENT_IN,
    BURNED,
    CHOPPED,
    CHOPS,
    CLOSES,
    COMMANDS,
    COOKBOOK,
    COOKED_STATES,
    COOKS,
    CUT_STATES,
    CUTS,
    DICED,
    DICES,
    DROPS,
    EATEN,
    EATS,
    EXAMINES,
    FACTS,
    FAILS,
    FIRST_CONTAINER,
    FIRST_KEY,
    FIRST_SUPPORTER,
    FRIED,
    GOES,
    GRILLED,
    INEDIBLE,
    INGREDIENTS,
    INSERTS,
    IS,
    IS_NOT,
    KEYS,
    KNIFE,
    LOCKS,
    MEAL,
    NEEDS,
    NO_FACT,
    OPENS,
    OVEN,
    PLACED,
    PREPARES,
    PUTS,
    RAW,
    ROASTED,
    SLICES,
    STOVE,
    TAKES,
    TRAITS,
    UNCUT,
    UNLOCKS,
    WAYS,
)
from envsuite.generators.quests import (
    COOK,
    CUT,
    EAT,
    EXAMINE,
    GO,
    HEATS_BY,
    INSERT,
    OPEN_IT,
    PREPARE,
    PUT,
    TAKE,
    UNLOCK,
)
from envsuite.kit.things import (
    COOKED,
    EDIBLE,
    GONE,
    HELD,
    LOCKED,
    MOST,
    OPEN,
    OPENABLE,
    ROOM,
    SLICED,
    has_state,
    holds,
    may_close,
    may_go,
    may_lock,
    may_open,
    may_put,
    may_take,
    may_unlock,
)

#: The numbers of commands besides those of the generator.
DROP, CLOSE, LOCK = (COMMANDS.numbers(verb) for verb in (DROPS, CLOSES, LOCKS))
LOOK, LIST = 4, 5


@kernel
def may_cook(s, food):
    """Whether a food can be cooked: it is raw, or it is cooked already and burns."""
    if has_state(s, food, RAW) or (has_state(s, food, NEEDS) and has_state(s, food, INEDIBLE)):
        return True
    return has_state(s, food, COOKED) and not has_state(s, food, INEDIBLE)


@kernel
def fits_recipe(s, k):
    """Whether ingredient k is carried, and cooked and cut as the recipe wants it."""
    food = np.int64(s.level.recipe[k, 0])
    cooked, cut = COOKED_STATES[s.level.recipe[k, 1]], CUT_STATES[s.level.recipe[k, 2]]
    return holds(s, food) and s.states[food] & WAYS == cooked and s.states[food] & CUTS == cut


@kernel
def may_prepare(s):
    """Whether the meal can be prepared: in the kitchen, once, with all ingredients as the recipe wants them."""
    if s.room != s.level.kitchen or s.places[MEAL] != GONE or has_state(s, MEAL, EATEN) or s.level.recipe[0, 0] < 0:
        return False
    for k in range(INGREDIENTS):
        if s.level.recipe[k, 0] >= 0 and not fits_recipe(s, k):
            return False
    return True


@large_kernel
def allow(s, mask):
    """Mark all commands that are possible now."""
    for side in range(4):
        mask[GO[side]] = may_go(s, side)
    mask[LOOK] = 1
    mask[LIST] = 1
    mask[PREPARE] = may_prepare(s)
    for thing in range(MOST):
        if s.visible[thing]:
            mask[EXAMINE[thing]] = 1
            if TRAITS[thing] & OPENABLE:
                allow_lid(s, mask, thing)
            elif holds(s, thing):
                allow_held(s, mask, thing)
            elif may_take(s, TRAITS, thing):
                mask[TAKE[thing]] = 1


@kernel
def allow_lid(s, mask, thing):
    """Mark the commands that open, close, lock or unlock a door or container that is seen."""
    mask[OPEN_IT[thing]] = may_open(s, TRAITS, thing)
    mask[CLOSE[thing]] = may_close(s, TRAITS, thing)
    for key in range(FIRST_KEY, FIRST_KEY + KEYS):
        if s.level.opens[key] == thing and holds(s, key):
            mask[LOCK[thing, key]] = may_lock(s, TRAITS, thing)
            mask[UNLOCK[thing, key]] = may_unlock(s, TRAITS, thing)


@kernel
def allow_held(s, mask, thing):
    """Mark the commands for something that is carried, but to use it as a tool."""
    mask[DROP[thing]] = 1
    for other in range(FIRST_CONTAINER, FIRST_SUPPORTER):
        mask[INSERT[thing, other]] = may_put(s, TRAITS, thing, other)
    for other in range(FIRST_SUPPORTER, FIRST_KEY):
        mask[PUT[thing, other]] = may_put(s, TRAITS, thing, other)
    if TRAITS[thing] & EDIBLE:
        mask[EAT[thing]] = not has_state(s, thing, INEDIBLE)
        for way in range(1, 4):
            mask[COOK[thing, HEATS_BY[way]]] = s.visible[HEATS_BY[way]] and may_cook(s, thing)
            mask[CUT[way, thing]] = holds(s, KNIFE) and has_state(s, thing, UNCUT)


@kernel
def cook(s, food, heat):
    """Heat a food: raw food is cooked in the way of the appliance, cooked food burns."""
    states = np.int64(s.states[food])
    if states & COOKED:
        s.states[food] = (states & ~COOKED) | BURNED | INEDIBLE
        return
    way = FRIED if TRAITS[heat] & STOVE else ROASTED if TRAITS[heat] & OVEN else GRILLED
    if states & NEEDS:
        states &= ~INEDIBLE
    s.states[food] = (states & ~(RAW | NEEDS)) | COOKED | way


@kernel
def cut(s, food, state):
    """Cut a food."""
    s.states[food] = (s.states[food] & ~UNCUT) | state


@kernel
def prepare(s):
    """Make the meal from the ingredients."""
    for k in range(INGREDIENTS):
        if s.level.recipe[k, 0] >= 0:
            s.places[s.level.recipe[k, 0]] = GONE
    s.places[MEAL] = HELD
    s.states[MEAL] |= RAW


@large_kernel
def act(s, verb, one, other):
    """Carry out a command that is possible."""
    if verb == GOES:
        s.room = s.exits[s.room, one]
    elif verb == EXAMINES:
        s.read = s.read | (one == COOKBOOK)
    elif verb == TAKES:
        s.places[one] = HELD
    elif verb == DROPS:
        s.places[one] = ROOM + s.room
    elif verb == PUTS or verb == INSERTS:
        s.places[one] = other
    elif verb == OPENS:
        s.states[one] |= OPEN
    elif verb == CLOSES:
        s.states[one] &= ~OPEN
    elif verb == LOCKS:
        s.states[one] |= LOCKED
    elif verb == UNLOCKS:
        s.states[one] &= ~LOCKED
    elif verb == EATS:
        s.places[one] = GONE
        s.states[one] |= EATEN
    elif verb == COOKS:
        cook(s, one, other)
    elif verb == SLICES:
        cut(s, one, SLICED)
    elif verb == DICES:
        cut(s, one, DICED)
    elif verb == CHOPS:
        cut(s, one, CHOPPED)
    elif verb == PREPARES:
        prepare(s)


@kernel
def true_now(s, kind, one, other):
    """Whether a fact holds."""
    if kind == PLACED:
        return s.places[one] == other
    if kind == AGENT_IN:
        return s.room == one
    if kind == IS:
        return s.states[one] & other == other
    return kind == IS_NOT and s.states[one] & other == 0


@large_kernel
def update_quests(s):
    """Mark the quests that are done now; return whether an open one has failed."""
    level = s.level
    failed, has_facts, unmet = False, 0, 0  # sets of quests, a bit each
    for k in range(FAILS):
        kind, quest = level.fails[k, 1], np.int64(level.fails[k, 0])
        if kind == NO_FACT:
            break
        if quest < 0 or s.done[quest] == 0:
            failed |= true_now(s, kind, np.int64(level.fails[k, 2]), np.int64(level.fails[k, 3]))
    for k in range(FACTS):
        kind, quest = level.facts[k, 1], 1 << np.int64(level.facts[k, 0])
        if kind == NO_FACT:
            break
        has_facts |= quest
        if not true_now(s, kind, np.int64(level.facts[k, 2]), np.int64(level.facts[k, 3])):
            unmet |= quest
    for quest in range(level.quests):
        if (has_facts & ~unmet) >> quest & 1:
            s.done[quest] = 1
    return failed


@kernel
def won(s):
    """Whether all quests are done that are not optional."""
    for quest in range(s.level.quests):
        if s.done[quest] == 0 and s.level.optional[quest] == 0:
            return False
    return True


@kernel
def share_done(s):
    """The share of quests that are done, or 1 if the goal is reached."""
    done = 0
    for quest in range(s.level.quests):
        done += s.done[quest]
    return 1.0 if won(s) else done / s.level.quests
