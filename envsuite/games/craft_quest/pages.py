"""CraftQuest's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.core.page import Page, When
from envsuite.games.craft_quest import view
from envsuite.games.craft_quest.levels import GROUPS, ITEMS, MOST

PAGE = Page(
    role="You craft {goal} from recipes.",
    goal="You are paid 1 when it is crafted, otherwise 0.",
    rules=(
        "Some items are raw: you can get them at any time, 1 to {most} of one item at once, and have up to 99 of it "
        "in your hand and on the bench. All others must be crafted. Lay the ingredients of a recipe on the bench, "
        "which has room for {most} of each item: exactly as many as the recipe takes and nothing else. When you "
        "craft, they are used up, and what the recipe makes goes into your hand.",
        "The recipes are: {recipes}.",
        When("groups", "A recipe that takes any of a group takes one kind of item of it, not several. {groups}"),
        "Raw items are {raw}.",
    ),
    sees="You see what is in your hand and on the bench.",
    acts={
        "get {N} {X}": "get N of a raw item X",
        "lay {N} {X}": "put N of an item X from your hand on the bench",
        "craft {X}": "craft an item X from what lies on the bench",
        "clear": "take everything back from the bench",
    },
    ends="It is over when {goal} is crafted, or after {horizon:command}.",
    unsaid={
        "items": "the recipes and raw items are told",
        "depth": "the recipes are told",
        "distractors": "which recipes are needed is for the player to find out",
        "groups": "they are told with the recipes",
    },
    constants={
        "1": ("the reward, and the fewest items at once"),
        "99": "the most of one item",
        "0": "the reward without the goal",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    rows = zip(GROUPS, np.asarray(s.level.members))
    groups = [
        f"Any {letter}: {' or '.join(ITEMS[i] for i in np.flatnonzero(row))}." for letter, row in rows if row.any()
    ]
    return {
        "goal": ITEMS[s.level.goal],
        "most": MOST,
        "recipes": "; ".join(view.recipe(s, r) for r in view.recipes(s)),
        "groups": " ".join(groups),
        "raw": ", ".join(view.raw_items(s)),
    }
