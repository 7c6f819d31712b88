"""Meals of text quests: a kitchen, a recipe with its ingredients, and the plan that prepares it."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.games.text_quest import levels_rooms, terms
from envsuite.kit.things import GONE, HELD, OPEN, ROOM


@large_kernel
def stock(s, count):
    """The kitchen's furniture, and some in other rooms."""
    level = s.level
    counter = levels_rooms.fresh(s, terms.FIRST_SUPPORTER, terms.SUPPORTERS)
    level.places[counter] = ROOM + terms.KITCHEN
    for thing in (terms.FRIDGE, terms.THE_OVEN, terms.THE_STOVE):
        level.places[thing] = ROOM + terms.KITCHEN
    level.places[terms.THE_GRILL] = ROOM + (s.scratch.order[1 + randint(s, count - 1)] if count > 1 else terms.KITCHEN)
    for k in range(1, count):
        if bernoulli(s, 0.6):
            other = levels_rooms.fresh(s, terms.FIRST_SUPPORTER, terms.SUPPORTERS)
            if other >= 0:
                level.places[other] = ROOM + s.scratch.order[k]
    level.places[terms.COOKBOOK] = counter
    level.places[terms.KNIFE] = counter
    level.states[terms.FRIDGE] = 0 if s.params.obstacles else OPEN


@kernel
def larder(s):
    """A random place for food: often the fridge, else any other furniture but what heats, or the kitchen's floor."""
    if bernoulli(s, 0.4):
        return terms.FRIDGE
    chosen, seen = ROOM + terms.KITCHEN, 1
    for thing in range(terms.FIRST_SUPPORTER, terms.FIRST_SUPPORTER + terms.SUPPORTERS):
        if s.level.places[thing] != GONE:
            seen += 2
            if randint(s, seen) < 2:
                chosen = thing
    return chosen


@large_kernel
def draw_food(s, cooks):
    """Put a new food somewhere; without cooking, one that can be eaten as it is."""
    chosen, seen = -1, 0
    for food in range(terms.FIRST_FOOD, terms.FIRST_FOOD + terms.FOODS):
        if s.level.places[food] == GONE and (cooks or terms.FRESH[food - terms.FIRST_FOOD] & terms.NEEDS == 0):
            seen += 1
            if randint(s, seen) == 0:
                chosen = food
    if chosen >= 0:
        s.level.places[chosen] = larder(s)
        s.level.states[chosen] = terms.FRESH[chosen - terms.FIRST_FOOD]
    return chosen


@large_kernel
def draw_ingredient(s, k, cooks, cuts):
    """Ingredient k of the recipe with its quests, and what must not happen to it."""
    food = draw_food(s, cooks)
    if food < 0:
        return
    states = np.int64(terms.FRESH[food - terms.FIRST_FOOD])
    way = 0
    if cooks:
        way = 1 + randint(s, 3) if states & terms.NEEDS else randint(s, 4)
    cut = randint(s, 4) if cuts and states & terms.UNCUT else 0
    s.level.recipe[k, 0] = food
    s.level.recipe[k, 1] = way
    s.level.recipe[k, 2] = cut
    levels_rooms.add_quest(s, terms.PLACED, food, HELD)
    levels_rooms.add_row(s.level.fails, -1, terms.IS, food, terms.BURNED)
    cooked = levels_rooms.add_quest(s, terms.IS, food, terms.COOKED_STATES[way]) if way else -1
    cutting = levels_rooms.add_quest(s, terms.IS, food, terms.CUT_STATES[cut]) if cut else -1
    for other in range(1, 4):
        if other != way:
            levels_rooms.add_row(s.level.fails, cooked, terms.IS, food, terms.COOKED_STATES[other])
        if other != cut:
            levels_rooms.add_row(s.level.fails, cutting, terms.IS, food, terms.CUT_STATES[other])


@large_kernel
def measure(s, target):
    """Write the distance of each room to a room, in steps plus 1; 0 where there is no way."""
    for room in range(len(terms.ROOMS)):
        s.scratch.steps[room] = room == target
    changed = True
    while changed:
        changed = False
        for room in range(len(terms.ROOMS)):
            for side in range(4):
                other = np.int64(s.level.exits[room, side])
                if other >= 0 and s.scratch.steps[other] > 0:
                    steps = s.scratch.steps[other] + 1
                    if s.scratch.steps[room] == 0 or steps < s.scratch.steps[room]:
                        s.scratch.steps[room] = steps
                        changed = True


@large_kernel
def plan_way(s, k, room, target):
    """Write the commands from one room to another, opening doors, from place k on; the place after them."""
    measure(s, target)
    while room != target:
        for side in range(4):
            other = np.int64(s.level.exits[room, side])
            if other >= 0 and s.scratch.steps[other] == s.scratch.steps[room] - 1:
                door = np.int64(s.level.doors[room, side])
                k = plan_lid(s, k, door)
                levels_rooms.note(s, k, terms.GO[side])
                k += 1
                room = other
                break
    return k


@kernel
def plan_lid(s, k, thing):
    """Open a door or container in the plan, if it is closed and the plan has not opened it yet."""
    if thing >= 0 and s.level.states[thing] & OPEN == 0 and s.scratch.need[thing] == levels_rooms.FREE:
        s.scratch.need[thing] = levels_rooms.DONE
        levels_rooms.note(s, k, terms.OPEN_IT[thing])
        k += 1
    return k


@kernel
def room_of(s, thing):
    """The room of a thing that lies on a floor or in furniture."""
    place = np.int64(s.level.places[thing])
    return np.int64(place if place >= ROOM else s.level.places[place]) - ROOM


@large_kernel
def plan_meal(s):
    """The plan of a meal: recipe, knife, ingredients, cooking, cutting, meal. Returns its length."""
    level = s.level
    k = plan_way(s, 0, np.int64(level.room), terms.KITCHEN)
    here = terms.KITCHEN
    levels_rooms.note(s, k, terms.EXAMINE[terms.COOKBOOK])
    k += 1
    cuts = 0
    for i in range(terms.INGREDIENTS):
        cuts += level.recipe[i, 2]
    if cuts > 0:
        levels_rooms.note(s, k, terms.TAKE[terms.KNIFE])
        k += 1
    for i in range(terms.INGREDIENTS):
        food = np.int64(level.recipe[i, 0])
        if food >= 0:
            k = plan_way(s, k, here, room_of(s, food))
            here = room_of(s, food)
            place = np.int64(level.places[food])
            k = plan_lid(s, k, place if place < ROOM and place < terms.FIRST_SUPPORTER else -1)
            levels_rooms.note(s, k, terms.TAKE[food])
            k += 1
    for i in range(terms.INGREDIENTS):
        food, way, cut = np.int64(level.recipe[i, 0]), np.int64(level.recipe[i, 1]), np.int64(level.recipe[i, 2])
        if food >= 0 and way > 0:
            k = plan_way(s, k, here, room_of(s, terms.HEATS_BY[way]))
            here = room_of(s, terms.HEATS_BY[way])
            levels_rooms.note(s, k, terms.COOK[food, terms.HEATS_BY[way]])
            k += 1
        if food >= 0 and cut > 0:
            levels_rooms.note(s, k, terms.CUT[cut, food])
            k += 1
    k = plan_way(s, k, here, terms.KITCHEN)
    levels_rooms.note(s, k, terms.PREPARE)
    levels_rooms.note(s, k + 1, terms.EAT[terms.MEAL])
    return k + 2


@large_kernel
def draw_meal(s):
    """A recipe and its ingredients in a house."""
    params = s.params
    cooks, cuts = params.preparation >= 2, params.preparation == 1 or params.preparation == 3
    for _ in range(levels_rooms.TRIES):
        levels_rooms.forget(s)
        levels_rooms.mix_rooms(s, True)
        levels_rooms.wander(s, params.rooms)
        if params.obstacles:
            levels_rooms.hang_doors(s, params.rooms, True)
        stock(s, params.rooms)
        s.level.room = s.scratch.order[randint(s, params.rooms)]
        for k in range(params.ingredients):
            draw_ingredient(s, k, cooks, cuts)
        for _ in range(randint(s, 1 + params.things // 2)):
            draw_food(s, True)
        quest = levels_rooms.add_quest(s, terms.PLACED, terms.MEAL, HELD)
        for k in range(params.ingredients):
            levels_rooms.add_row(s.level.fails, quest, terms.IS, np.int64(s.level.recipe[k, 0]), terms.EATEN)
        last = levels_rooms.add_quest(s, terms.IS, terms.MEAL, terms.EATEN)
        levels_rooms.add_row(s.level.fails, last, terms.IS, terms.MEAL, terms.BURNED)
        if plan_meal(s) <= terms.PLAN:
            break
