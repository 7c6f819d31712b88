"""The rules of TextQuest: what each command does, when it is possible, and when quests are done."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.games.text_quest import terms
from envsuite.kit import things

#: The numbers of commands besides those of the generator.
DROP, CLOSE, LOCK = (terms.COMMANDS.numbers(verb) for verb in (terms.DROPS, terms.CLOSES, terms.LOCKS))
LOOK, LIST = 4, 5


@kernel
def may_cook(s, food):
    """Whether a food can be cooked: it is raw, or it is cooked already and burns."""
    if things.has_state(s, food, terms.RAW) or (
        things.has_state(s, food, terms.NEEDS) and things.has_state(s, food, terms.INEDIBLE)
    ):
        return True
    return things.has_state(s, food, things.COOKED) and not things.has_state(s, food, terms.INEDIBLE)


@kernel
def fits_recipe(s, k):
    """Whether ingredient k is carried, and cooked and cut as the recipe wants it."""
    food = np.int64(s.level.recipe[k, 0])
    cooked, cut = terms.COOKED_STATES[s.level.recipe[k, 1]], terms.CUT_STATES[s.level.recipe[k, 2]]
    return things.holds(s, food) and s.states[food] & terms.WAYS == cooked and s.states[food] & terms.CUTS == cut


@kernel
def may_prepare(s):
    """Whether the meal can be prepared: in the kitchen, once, with all ingredients as the recipe wants them."""
    if (
        s.room != s.level.kitchen
        or s.places[terms.MEAL] != things.GONE
        or things.has_state(s, terms.MEAL, terms.EATEN)
        or s.level.recipe[0, 0] < 0
    ):
        return False
    for k in range(terms.INGREDIENTS):
        if s.level.recipe[k, 0] >= 0 and not fits_recipe(s, k):
            return False
    return True


@large_kernel
def allow(s, mask):
    """Mark all commands that are possible now."""
    for side in range(4):
        mask[terms.GO[side]] = things.may_go(s, side)
    mask[LOOK] = 1
    mask[LIST] = 1
    mask[terms.PREPARE] = may_prepare(s)
    for thing in range(things.MOST):
        if s.visible[thing]:
            mask[terms.EXAMINE[thing]] = 1
            if terms.TRAITS[thing] & things.OPENABLE:
                allow_lid(s, mask, thing)
            elif things.holds(s, thing):
                allow_held(s, mask, thing)
            elif things.may_take(s, terms.TRAITS, thing):
                mask[terms.TAKE[thing]] = 1


@kernel
def allow_lid(s, mask, thing):
    """Mark the commands that open, close, lock or unlock a door or container that is seen."""
    mask[terms.OPEN_IT[thing]] = things.may_open(s, terms.TRAITS, thing)
    mask[CLOSE[thing]] = things.may_close(s, terms.TRAITS, thing)
    for key in range(terms.FIRST_KEY, terms.FIRST_KEY + terms.KEYS):
        if s.level.opens[key] == thing and things.holds(s, key):
            mask[LOCK[thing, key]] = things.may_lock(s, terms.TRAITS, thing)
            mask[terms.UNLOCK[thing, key]] = things.may_unlock(s, terms.TRAITS, thing)


@kernel
def allow_held(s, mask, thing):
    """Mark the commands for something that is carried, but to use it as a tool."""
    mask[DROP[thing]] = 1
    for other in range(terms.FIRST_CONTAINER, terms.FIRST_SUPPORTER):
        mask[terms.INSERT[thing, other]] = things.may_put(s, terms.TRAITS, thing, other)
    for other in range(terms.FIRST_SUPPORTER, terms.FIRST_KEY):
        mask[terms.PUT[thing, other]] = things.may_put(s, terms.TRAITS, thing, other)
    if terms.TRAITS[thing] & things.EDIBLE:
        mask[terms.EAT[thing]] = not things.has_state(s, thing, terms.INEDIBLE)
        for way in range(1, 4):
            mask[terms.COOK[thing, terms.HEATS_BY[way]]] = s.visible[terms.HEATS_BY[way]] and may_cook(s, thing)
            mask[terms.CUT[way, thing]] = things.holds(s, terms.KNIFE) and things.has_state(s, thing, terms.UNCUT)


@kernel
def cook(s, food, heat):
    """Heat a food: raw food is cooked in the way of the appliance, cooked food burns."""
    states = np.int64(s.states[food])
    if states & things.COOKED:
        s.states[food] = (states & ~things.COOKED) | terms.BURNED | terms.INEDIBLE
        return
    way = (
        terms.FRIED
        if terms.TRAITS[heat] & terms.STOVE
        else terms.ROASTED
        if terms.TRAITS[heat] & terms.OVEN
        else terms.GRILLED
    )
    if states & terms.NEEDS:
        states &= ~terms.INEDIBLE
    s.states[food] = (states & ~(terms.RAW | terms.NEEDS)) | things.COOKED | way


@kernel
def cut(s, food, state):
    """Cut a food."""
    s.states[food] = (s.states[food] & ~terms.UNCUT) | state


@kernel
def prepare(s):
    """Make the meal from the ingredients."""
    for k in range(terms.INGREDIENTS):
        if s.level.recipe[k, 0] >= 0:
            s.places[s.level.recipe[k, 0]] = things.GONE
    s.places[terms.MEAL] = things.HELD
    s.states[terms.MEAL] |= terms.RAW


@large_kernel
def act(s, verb, one, other):
    """Carry out a command that is possible."""
    if verb == terms.GOES:
        s.room = s.exits[s.room, one]
    elif verb == terms.EXAMINES:
        s.read = s.read | (one == terms.COOKBOOK)
    elif verb == terms.TAKES:
        s.places[one] = things.HELD
    elif verb == terms.DROPS:
        s.places[one] = things.ROOM + s.room
    elif verb == terms.PUTS or verb == terms.INSERTS:
        s.places[one] = other
    elif verb == terms.OPENS:
        s.states[one] |= things.OPEN
    elif verb == terms.CLOSES:
        s.states[one] &= ~things.OPEN
    elif verb == terms.LOCKS:
        s.states[one] |= things.LOCKED
    elif verb == terms.UNLOCKS:
        s.states[one] &= ~things.LOCKED
    elif verb == terms.EATS:
        s.places[one] = things.GONE
        s.states[one] |= terms.EATEN
    elif verb == terms.COOKS:
        cook(s, one, other)
    elif verb == terms.SLICES:
        cut(s, one, things.SLICED)
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
