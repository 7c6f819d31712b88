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
        "Some items are raw: you can get them at any time, 1 to {most} of one item at once. All others must be "
        "crafted. To craft, the bench must hold what a recipe takes, exactly as many of each item and nothing else. "
        "These ingredients are used up, and what the recipe makes goes into your hand. The bench has room for {most} "
        "of each item, and hand and bench together for 99 of each item.",
        "The recipes are: {recipes}.",
        When("groups", "Where a recipe takes any of a group, all that it takes of it must be the same item. {groups}"),
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
