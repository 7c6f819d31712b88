"""Baselines of CraftQuest: backward chaining, and a search for the least number of actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.ranges import limited, scratch
from envsuite.games.craft_quest.actions import clear_action, craft_action, get_action, lay_action
from envsuite.games.craft_quest.levels import ALL, MOST, NONE, PARTS

ID = "envsuite/CraftQuest-v0"

#: The most batches of a plan, and the most steps of a search for one.
BATCHES, STEPS = 128, 20_000


@kernel
def recipe_of(observation, item):
    """The first recipe of an item, or NONE."""
    for r in range(observation.makes.shape[0]):
        if observation.makes[r] == item:
            return r
    return NONE


@kernel
def total(observation, item):
    """How many of an item are in hand and on the bench."""
    return np.int64(observation.hand[item]) + np.int64(observation.bench[item])


@kernel
def chosen(observation, what, count):
    """The item for an ingredient: of a group, a member of which there is enough, or the first raw one, or the first."""
    first, simple = NONE, NONE
    if what < ALL:
        return what
    for i in range(observation.hand.shape[0]):
        if observation.members[what - ALL, i] != 0:
            if total(observation, i) >= count:
                return i
            if first == NONE:
                first = i
            if simple == NONE and recipe_of(observation, i) == NONE:
                simple = i
    return simple if simple != NONE else first


@kernel
def assemble(observation, r, member):
    """The next action of crafting by a recipe whose ingredients are there; `member` is the item for its group."""
    items = observation.hand.shape[0]
    for i in range(items):
        wanted = 0
        for k in range(PARTS):
            what = np.int64(observation.needs[r, k])
            if what != NONE and i == (what if what < ALL else member):
                wanted = np.int64(observation.counts[r, k])
        if observation.bench[i] > wanted:
            return clear_action(items)
    for k in range(PARTS):
        what = np.int64(observation.needs[r, k])
        if what != NONE:
            item = what if what < ALL else member
            missing = np.int64(observation.counts[r, k]) - np.int64(observation.bench[item])
            if missing > 0:
                return lay_action(items, item, missing)
    return craft_action(items, np.int64(observation.makes[r]))


@kernel
def chain(observation):
    """The next action of backward chaining; NONE if the book does not allow it."""
    items, item = observation.hand.shape[0], np.int64(observation.goal[0])
    for _ in range(items + 1):
        r = recipe_of(observation, item)
        if r == NONE:
            return np.int64(NONE)
        lacking, member = np.int64(NONE), np.int64(NONE)
        count = np.int64(0)
        for k in range(PARTS):
            what = np.int64(observation.needs[r, k])
            if what != NONE and lacking == NONE:
                one = np.int64(chosen(observation, what, np.int64(observation.counts[r, k])))
                if one == NONE:
                    return np.int64(NONE)
                if what >= ALL:
                    member = one
                if total(observation, one) < observation.counts[r, k]:
                    lacking = one
                    count = np.int64(observation.counts[r, k]) - total(observation, one)
        if lacking == NONE:
            return np.int64(assemble(observation, r, member))
        if recipe_of(observation, lacking) == NONE:
            return get_action(lacking, count)
        item = lacking
    return np.int64(NONE)


@policy(ID, "chainer")
def chainer(memory, observation, mask):
    """Works backward from the goal: gets or crafts the first ingredient that it lacks, just enough for one batch.

    It takes the first recipe of an item, and of a group a member of which it has enough, or a raw one.
    """
    action = chain(observation)
    if action != NONE and mask[action]:
        return action
    return choose_legal(memory, mask)


def variables(world: Any) -> dict[str, Any]:
    """The memory of a search; a way is a recipe with a member for its group."""
    items, recipes = world.record["hand"].shape[0], world.observation_spaces[0]["makes"].shape[0]
    ways = recipes * items
    return {
        "planned": False,
        # Of each way: recipe, member (NONE without a group), batches that are left to craft.
        "ways": limited(0, 0, ways),
        "recipe": limited(np.zeros(ways, int), 0, recipes - 1),
        "member": limited(np.full(ways, NONE), NONE, items - 1),
        "batches": limited(np.zeros(ways, int), 0, BATCHES),
        "gets": limited(np.zeros(items, int), 0, 10**9),  # of each item, left to get
        # The search: how much of each item is needed, greatest heights, and the batches so far.
        "wanted": scratch(items),
        "height": scratch(items),
        "item_at": scratch(BATCHES),
        "way_at": scratch(BATCHES),
    }


@large_kernel
def list_ways(memory, observation):
    """List all ways, and the greatest height of each item: 0 for raw ones, else more than those of its ingredients."""
    items = observation.hand.shape[0]
    memory.ways = 0
    for r in range(observation.makes.shape[0]):
        if observation.makes[r] == NONE:
            continue
        group = np.int64(NONE)
        for k in range(PARTS):
            if observation.needs[r, k] >= ALL:
                group = np.int64(observation.needs[r, k]) - ALL
        for i in range(items if group != NONE else 1):
            if group == NONE or observation.members[group, i] != 0:
                memory.recipe[memory.ways] = r
                memory.member[memory.ways] = i if group != NONE else NONE
                memory.batches[memory.ways] = 0
                memory.ways += 1
    for i in range(items):
        memory.height[i] = 0
    for _ in range(items):
        for w in range(memory.ways):
            made = np.int64(observation.makes[memory.recipe[w]])
            for k in range(PARTS):
                item = part_of(memory, observation, w, k)
                if item != NONE:
                    memory.height[made] = min(items, max(memory.height[made], memory.height[item] + 1))


@kernel
def part_of(memory, observation, way, k):
    """The item for ingredient k of a way, or NONE."""
    what = np.int64(observation.needs[memory.recipe[way], k])
    return what if what < ALL else np.int64(memory.member[way])


@kernel
def add(memory, observation, way, sign):
    """Count a batch of a way, or with sign -1 take it back; return the number of its actions."""
    r, actions = memory.recipe[way], 1
    memory.wanted[np.int64(observation.makes[r])] -= sign * np.int64(observation.yields[r])
    for k in range(PARTS):
        item = part_of(memory, observation, way, k)
        if item != NONE:
            memory.wanted[item] += sign * np.int64(observation.counts[r, k])
            actions += 1
    return actions


@kernel
def ahead(memory):
    """A lower bound of the actions that are missing: one for each 8 of a raw item, two for a crafted one."""
    least = np.int64(0)
    for i in range(memory.wanted.shape[0]):
        if memory.wanted[i] > 0:
            least += (memory.wanted[i] + MOST - 1) // MOST if memory.height[i] == 0 else 2
    return least


@kernel
def highest(memory):
    """The wanted item of the greatest height, or NONE if all are raw."""
    found, height = NONE, np.int64(0)
    for i in range(memory.wanted.shape[0]):
        if memory.wanted[i] > 0 and memory.height[i] > height:
            found, height = i, memory.height[i]
    return found


@kernel
def keep(memory, depth):
    """Note the batches of the search, and what they need of raw items, as the plan."""
    for w in range(memory.ways):
        memory.batches[w] = 0
    for d in range(depth):
        memory.batches[memory.way_at[d]] += 1
    for i in range(memory.gets.shape[0]):
        memory.gets[i] = max(memory.wanted[i], 0) if memory.height[i] == 0 else 0
    memory.planned = True


@large_kernel
def search(memory, observation):
    """Find the batches of ways that need the fewest actions together with the raw items; return that number.

    Items are taken from the goal down: when an item is the highest that is wanted, all that need it are settled. Its
    batches are tried in all combinations, each in one order; branches that cannot be better than the best are cut.
    """
    list_ways(memory, observation)
    for i in range(memory.wanted.shape[0]):
        memory.wanted[i] = -total(observation, i)
    goal = np.int64(observation.goal[0])
    memory.wanted[goal] = 1
    memory.planned = False
    best, cost, depth, way, item = np.int64(10**9), np.int64(0), 0, np.int64(0), goal
    for _ in range(STEPS):
        found = False
        if cost + ahead(memory) < best:
            if item == NONE:
                keep(memory, depth)
                best = cost + ahead(memory)
            elif depth < BATCHES:
                while way < memory.ways and observation.makes[memory.recipe[way]] != item:
                    way += 1
                found = way < memory.ways
        if found:
            memory.item_at[depth], memory.way_at[depth] = item, way
            cost += add(memory, observation, way, 1)
            depth += 1
            item = np.int64(highest(memory))
            if item != memory.item_at[depth - 1]:
                way = np.int64(0)
        elif depth > 0:
            depth -= 1
            item, way = memory.item_at[depth], memory.way_at[depth]
            cost -= add(memory, observation, way, -1)
            way += 1
        else:
            break
    return best


@kernel
def ready(memory, observation, way):
    """Whether all ingredients of a way are there."""
    for k in range(PARTS):
        item = part_of(memory, observation, way, k)
        if item != NONE and total(observation, item) < observation.counts[memory.recipe[way], k]:
            return False
    return True


@kernel
def follow(memory, observation):
    """The next action of the plan: first get everything, then craft what can be crafted. NONE if nothing can be."""
    items = observation.hand.shape[0]
    for i in range(items):
        if memory.gets[i] > 0:
            amount = min(memory.gets[i], MOST)
            memory.gets[i] -= amount
            return get_action(i, amount)
    for w in range(memory.ways):
        if memory.batches[w] > 0 and ready(memory, observation, w):
            action = assemble(observation, memory.recipe[w], memory.member[w])
            if craft_action(items, 0) <= action < clear_action(items):
                memory.batches[w] -= 1
            return np.int64(action)
    return np.int64(NONE)


@policy(ID, "exact", variables=variables)
def exact(memory, observation, mask):
    """Finds the least number of actions to the goal by branch and bound over all batches, and follows that plan.

    A search takes at most 20,000 steps; after that, its best plan so far is followed.
    """
    if not memory.planned:
        search(memory, observation)
    action = np.int64(NONE)
    if memory.planned:
        action = follow(memory, observation)
    if action != NONE and mask[action]:
        return action
    memory.planned = False
    return choose_legal(memory, mask)
