"""The numbers of CraftQuest's actions, in their order: get, lay and craft an item, and clear the bench."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.games.craft_quest.levels import MOST


@kernel
def get_action(item, amount):
    """The action that gets a number of an item, from 1 to MOST."""
    return MOST * item + amount - 1


@kernel
def lay_action(items, item, amount):
    """The action that lays a number of an item on the bench; `items` is the number of all items."""
    return MOST * items + MOST * item + amount - 1


@kernel
def craft_action(items, item):
    """The action that crafts an item."""
    return 2 * MOST * items + item


@kernel
def clear_action(items):
    """The action that takes everything back."""
    return craft_action(items, items)
