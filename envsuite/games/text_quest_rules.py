"""The rules of TextQuest: what each command does, when it is possible, and when quests are done."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.generators import quest_terms as terms
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
DROP, CLOSE, LOCK = (terms.COMMANDS.numbers(verb) for verb in (terms.DROPS, terms.CLOSES, terms.LOCKS))
LOOK, LIST = 4, 5


@kernel
def may_cook(s, food):
    """Whether a food can be cooked: it is raw, or it is cooked already and burns."""
    if has_state(s, food, terms.RAW) or (has_state(s, food, terms.NEEDS) and has_state(s, food, terms.INEDIBLE)):
        return True
    return has_state(s, food, COOKED) and not has_state(s, food, terms.INEDIBLE)


@kernel
def fits_recipe(s, k):
    """Whether ingredient k is carried, and cooked and cut as the recipe wants it."""
    food = np.int64(s.level.recipe[k, 0])
    cooked, cut = terms.COOKED_STATES[s.level.recipe[k, 1]], terms.CUT_STATES[s.level.recipe[k, 2]]
    return holds(s, food) and s.states[food] & terms.WAYS == cooked and s.states[food] & terms.CUTS == cut


@kernel
def may_prepare(s):
    """Whether the meal can be prepared: in the kitchen, once, with all ingredients as the recipe wants them."""
    if s.room != s.level.kitchen or s.level.recipe[0, 0] < 0:
        return False
    if s.places[terms.MEAL] != GONE or has_state(s, terms.MEAL, terms.EATEN):
        return False
    for k in range(terms.INGREDIENTS):
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
            if terms.TRAITS[thing] & OPENABLE:
                allow_lid(s, mask, thing)
            elif holds(s, thing):
                allow_held(s, mask, thing)
            elif may_take(s, terms.TRAITS, thing):
                mask[TAKE[thing]] = 1


@kernel
def allow_lid(s, mask, thing):
    """Mark the commands that open, close, lock or unlock a door or container that is seen."""
    mask[OPEN_IT[thing]] = may_open(s, terms.TRAITS, thing)
    mask[CLOSE[thing]] = may_close(s, terms.TRAITS, thing)
    for key in range(terms.FIRST_KEY, terms.FIRST_KEY + terms.KEYS):
        if s.level.opens[key] == thing and holds(s, key):
            mask[LOCK[thing, key]] = may_lock(s, terms.TRAITS, thing)
            mask[UNLOCK[thing, key]] = may_unlock(s, terms.TRAITS, thing)


@kernel
def allow_held(s, mask, thing):
    """Mark the commands for something that is carried, but to use it as a tool."""
    mask[DROP[thing]] = 1
    for other in range(terms.FIRST_CONTAINER, terms.FIRST_SUPPORTER):
        mask[INSERT[thing, other]] = may_put(s, terms.TRAITS, thing, other)
    for other in range(terms.FIRST_SUPPORTER, terms.FIRST_KEY):
        mask[PUT[thing, other]] = may_put(s, terms.TRAITS, thing, other)
    if terms.TRAITS[thing] & EDIBLE:
        mask[EAT[thing]] = not has_state(s, thing, terms.INEDIBLE)
        for way in range(1, 4):
            mask[COOK[thing, HEATS_BY[way]]] = s.visible[HEATS_BY[way]] and may_cook(s, thing)
            mask[CUT[way, thing]] = holds(s, terms.KNIFE) and has_state(s, thing, terms.UNCUT)


@kernel
def cook(s, food, heat):
    """Heat a food: raw food is cooked in the way of the appliance, cooked food burns."""
    states = np.int64(s.states[food])
    if states & COOKED:
        s.states[food] = (states & ~COOKED) | terms.BURNED | terms.INEDIBLE
        return
    traits = terms.TRAITS[heat]
    way = terms.FRIED if traits & terms.STOVE else terms.ROASTED if traits & terms.OVEN else terms.GRILLED
    if states & terms.NEEDS:
        states &= ~terms.INEDIBLE
    s.states[food] = (states & ~(terms.RAW | terms.NEEDS)) | COOKED | way


@kernel
def cut(s, food, state):
    """Cut a food."""
    s.states[food] = (s.states[food] & ~terms.UNCUT) | state


@kernel
def prepare(s):
    """Make the meal from the ingredients."""
    for k in range(terms.INGREDIENTS):
        if s.level.recipe[k, 0] >= 0:
            s.places[s.level.recipe[k, 0]] = GONE
    s.places[terms.MEAL] = HELD
    s.states[terms.MEAL] |= terms.RAW


@large_kernel
def act(s, verb, one, other):
    """Carry out a command that is possible."""
    if verb == terms.GOES:
        s.room = s.exits[s.room, one]
    elif verb == terms.EXAMINES:
        s.read = s.read | (one == terms.COOKBOOK)
    elif verb == terms.TAKES:
        s.places[one] = HELD
    elif verb == terms.DROPS:
        s.places[one] = ROOM + s.room
    elif verb == terms.PUTS or verb == terms.INSERTS:
        s.places[one] = other
    elif verb == terms.OPENS:
        s.states[one] |= OPEN
    elif verb == terms.CLOSES:
        s.states[one] &= ~OPEN
    elif verb == terms.LOCKS:
        s.states[one] |= LOCKED
    elif verb == terms.UNLOCKS:
        s.states[one] &= ~LOCKED
    elif verb == terms.EATS:
        s.places[one] = GONE
        s.states[one] |= terms.EATEN
    elif verb == terms.COOKS:
        cook(s, one, other)
    elif verb == terms.SLICES:
        cut(s, one, SLICED)
    elif verb == terms.DICES:
        cut(s, one, terms.DICED)
    elif verb == terms.CHOPS:
        cut(s, one, terms.CHOPPED)
    elif verb == terms.PREPARES:
        prepare(s)


@kernel
def true_now(s, kind, one, other):
    """Whether a fact holds."""
    if kind == terms.PLACED:
        return s.places[one] == other
    if kind == terms.AGENT_IN:
        return s.room == one
    if kind == terms.IS:
        return s.states[one] & other == other
    return kind == terms.IS_NOT and s.states[one] & other == 0


@large_kernel
def update_quests(s):
    """Mark the quests that are done now; return whether an open one has failed."""
    level = s.level
    failed, has_facts, unmet = False, 0, 0  # sets of quests, a bit each
    for k in range(terms.FAILS):
        kind, quest = level.fails[k, 1], np.int64(level.fails[k, 0])
        if kind == terms.NO_FACT:
            break
        if quest < 0 or s.done[quest] == 0:
            failed |= true_now(s, kind, np.int64(level.fails[k, 2]), np.int64(level.fails[k, 3]))
    for k in range(terms.FACTS):
        kind, quest = level.facts[k, 1], 1 << np.int64(level.facts[k, 0])
        if kind == terms.NO_FACT:
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
