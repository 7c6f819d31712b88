"""Recipe books: a goal that takes several steps of crafting, and recipes of other things.

Items have random places in the book, so names say nothing. The goal has the depth `depth`: its recipe needs an item of
one depth less, and so on down to raw materials, which have no recipe. Each depth in between has one item or two.

- A recipe has one to four ingredients. It takes one or two of a crafted item, one to four of a raw one. It makes one
  item with probability 1/2, otherwise two to four.
- Groups stand in for ingredients of recipes on the way to the goal. A group has two or three members that are of less
  depth than the product; in the recipes of depth 1 they are raw.
- With probability 1/4, a distractor is another recipe of an item on the way. Otherwise it makes a new item, which
  nothing needs, from something that a recipe on the way needs too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import exact_parts, read_integer, read_list, read_name
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.record import as_views
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, text_width

#: All items; a book with fewer has the first ones.
ITEMS = (
    "amber", "bamboo", "basalt", "bone", "brass", "cedar", "chalk", "clay", "coal", "copper", "coral", "cork",
    "cotton", "flint", "glass", "hemp", "iron", "jade", "leather", "linen", "marble", "oak", "paper", "quartz",
    "reed", "resin", "rope", "sand", "silk", "slate", "tin", "wax",
)  # fmt: skip

GROUPS = "ABCD"

#: No item.
NONE = -1

#: The most ingredients of a recipe, and the most of one ingredient, also of what a recipe makes.
PARTS, MOST = 4, 8

#: The largest depth and number of distractors, the least number of items and of raw ones.
DEPTH, DISTRACTORS, FEWEST, RAW = 5, 10, 8, 5

#: All items; an ingredient of at least this number is a group. The places for recipes: all books have the same sizes.
ALL, RECIPES = len(ITEMS), 2 * DEPTH - 1 + DISTRACTORS


def crafted(depth: int, distractors: int) -> int:
    """The most recipes of a book."""
    return 2 * depth - 1 + distractors


@large_kernel
def erase(s, r):
    """No recipe in this place."""
    s.level.makes[r] = NONE
    s.level.yields[r] = 0
    for k in range(PARTS):
        s.level.needs[r, k] = NONE
        s.level.counts[r, k] = 0


@kernel
def clear(s):
    """An empty book."""
    for r in range(s.level.makes.shape[0]):
        erase(s, r)
    for g in range(s.level.members.shape[0]):
        for i in range(s.level.members.shape[1]):
            s.level.members[g, i] = 0


@large_kernel
def covers(level, what, item):
    """Whether an item is this ingredient, or a member of this group."""
    if what < ALL:
        return what == item
    return level.members[what - ALL, item] != 0


@large_kernel
def meet(level, what, other):
    """Whether an item fits both ingredients."""
    for i in range(ALL):
        if covers(level, what, i) and covers(level, other, i):
            return True
    return False


@large_kernel
def alike(level, r, other):
    """Whether two recipes make the same item and could take the same ingredients."""
    if level.makes[r] != level.makes[other] or level.makes[r] == NONE:
        return False
    parts, others = 0, 0
    for k in range(PARTS):
        what = np.int64(level.needs[r, k])
        parts += what != NONE
        others += level.needs[other, k] != NONE
        found = what == NONE
        for j in range(PARTS):
            if not found and level.needs[other, j] != NONE and level.counts[other, j] == level.counts[r, k]:
                found = meet(level, what, np.int64(level.needs[other, j]))
        if not found:
            return False
    return parts == others


@large_kernel
def clashes(s, r, what):
    """Whether an item fits both an ingredient of a recipe and this one, or both are groups."""
    for k in range(PARTS):
        other = np.int64(s.level.needs[r, k])
        if other != NONE:
            if (other >= ALL and what >= ALL) or meet(s.level, what, other):
                return True
    return False


@large_kernel
def need(s, r, what):
    """Add an ingredient to a recipe, unless it clashes with another or there is no place."""
    if not clashes(s, r, what):
        for k in range(PARTS):
            if s.level.needs[r, k] == NONE:
                basic = what >= ALL or s.scratch.height[what] == 0
                s.level.needs[r, k] = what
                s.level.counts[r, k] = 1 + (randint(s, 4) if basic else np.int64(bernoulli(s, 0.3)))
                return


@large_kernel
def raw(s):
    """A random raw material."""
    first = s.params.crafted
    return s.scratch.order[first + randint(s, s.params.items - first)]


@large_kernel
def lower(s, height, tree):
    """A random item of less than this height: raw, or half of the time one on the way to the goal."""
    if bernoulli(s, 0.5):
        item = s.scratch.order[randint(s, tree)]
        if s.scratch.height[item] < height:
            return item
    return raw(s)


@large_kernel
def begin(s, r, item):
    """An item gets recipe r."""
    s.level.makes[r] = item
    s.level.yields[r] = 1 if bernoulli(s, 0.5) else 2 + randint(s, 3)


@large_kernel
def make_tree(s):
    """Recipes of the goal and the items on the way, from the goal down; return their number.

    Recipe r makes item r of the order.
    """
    first, count, tree = 0, 1, 1
    s.level.goal = s.scratch.order[0]
    s.scratch.height[s.level.goal] = s.params.depth
    for height in range(s.params.depth, 0, -1):
        below_count = 1 + bernoulli(s, 0.5) if height > 1 else 0
        for k in range(below_count):
            s.scratch.height[s.scratch.order[first + count + k]] = height - 1
        tree += below_count
        for k in range(count):
            begin(s, first + k, s.scratch.order[first + k])
            if height == 1:
                need(s, first + k, raw(s))
            for j in range(below_count):
                if j % count == k or (below_count < count and j == 0):
                    need(s, first + k, s.scratch.order[first + count + j])
        first += count
        count = below_count
    for r in range(tree):
        height = s.scratch.height[s.level.makes[r]]
        for _ in range(randint(s, 3)):
            need(s, r, lower(s, height, tree))
    return tree


@large_kernel
def make_group(s, g, tree):
    """A group takes the place of an ingredient of a recipe on the way, if there is a fitting one."""
    r = randint(s, tree)
    height, k = s.scratch.height[s.level.makes[r]], randint(s, PARTS)
    what = np.int64(s.level.needs[r, k])
    if what == NONE or (k == 0 and height > 1):
        return
    for j in range(PARTS):
        if s.level.needs[r, j] >= ALL:
            return
    s.level.members[g, what] = 1
    s.level.needs[r, k] = NONE
    for _ in range(2):
        other = raw(s) if height == 1 else lower(s, height, tree)
        if not clashes(s, r, other):
            s.level.members[g, other] = 1
    s.level.needs[r, k] = ALL + g
    size = 0
    for i in range(ALL):
        size += s.level.members[g, i]
    if size == 1:
        s.level.needs[r, k] = what
        s.level.members[g, what] = 0


@large_kernel
def make_other(s, r, tree):
    """Another recipe of an item on the way; return whether it is different enough from all others."""
    item = s.scratch.order[1 + randint(s, tree - 1)]
    height = s.scratch.height[item]
    begin(s, r, item)
    for k in range(tree):  # of the items of one height less, the first
        if s.scratch.height[s.scratch.order[k]] == height - 1:
            need(s, r, s.scratch.order[k])
            break
    need(s, r, lower(s, height, tree))
    for _ in range(randint(s, 2)):
        need(s, r, raw(s))
    for other in range(r):
        if alike(s.level, r, other):
            return False
    return True


@large_kernel
def make_distractor(s, r, tree):
    """Another recipe of an item on the way, or a recipe of a new item."""
    if tree > 1 and bernoulli(s, 0.25):
        if make_other(s, r, tree):
            return
        erase(s, r)
    begin(s, r, s.scratch.order[r])
    source, k = randint(s, tree), randint(s, PARTS)
    what = np.int64(s.level.needs[source, k])
    need(s, r, what if what != NONE else np.int64(s.level.needs[source, 0]))
    for _ in range(randint(s, 2)):
        need(s, r, raw(s))


@kernel
def swap(s, r, other):
    """Two recipes change places."""
    level = s.level
    level.makes[r], level.makes[other] = level.makes[other], level.makes[r]
    level.yields[r], level.yields[other] = level.yields[other], level.yields[r]
    for k in range(PARTS):
        level.needs[r, k], level.needs[other, k] = level.needs[other, k], level.needs[r, k]
        level.counts[r, k], level.counts[other, k] = level.counts[other, k], level.counts[r, k]


@large_kernel
def make(s):
    """Draw the way to the goal, groups, distractors, and the order of the recipes."""
    clear(s)
    for i in range(ALL):
        s.scratch.order[i] = min(i, s.params.items - 1)
        s.scratch.height[i] = 0
    shuffle(s, s.scratch.order, s.params.items)
    tree = make_tree(s)
    for g in range(s.params.groups):
        make_group(s, g, tree)
    count = tree + s.params.distractors
    for r in range(tree, count):
        make_distractor(s, r, tree)
    for r in range(count - 1, 0, -1):
        swap(s, r, randint(s, r + 1))
    for i in range(ALL):
        s.scratch.order[i] = 0
        s.scratch.height[i] = 0


class RecipeBooks(Generator):
    """Recipe books with a goal.

    Args:
        items: number of items.
        depth: the steps of crafting from raw materials to the goal.
        distractors: recipes that the goal does not need.
        groups: the most groups of items that can replace each other.
    """

    make = make

    def __init__(
        self,
        items: Annotated[int, Between(FEWEST, len(ITEMS))] = 20,
        depth: Annotated[int, Between(1, DEPTH)] = 3,
        distractors: Annotated[int, Between(0, DISTRACTORS)] = 6,
        groups: Annotated[int, Between(0, len(GROUPS))] = 2,
    ):
        recipes = crafted(depth, distractors)
        if items < recipes + RAW:
            raise ParameterError(
                f"recipe_books: items={items} must be at least {recipes + RAW} with depth={depth} and "
                f"distractors={distractors}"
            )
        self.define(
            level=[
                ("goal", below(np.int64, items)),  # the item to craft
                ("makes", within(np.int8, NONE, items - 1), (RECIPES,)),  # of each recipe; NONE for no recipe
                ("yields", within(np.int8, 0, MOST), (RECIPES,)),  # how many it makes at a time
                ("needs", within(np.int8, NONE, ALL + len(GROUPS) - 1), (RECIPES, PARTS)),  # item, or ALL + group
                ("counts", within(np.int8, 0, MOST), (RECIPES, PARTS)),  # how many of each
                ("members", flag(), (len(GROUPS), ALL)),  # of the groups
            ],
            params={
                "items": fixed(items),
                "depth": depth,
                "distractors": distractors,
                "groups": groups,
                "crafted": fixed(recipes),
            },
            scratch=[("order", below(np.int64, items), (ALL,)), ("height", within(np.int64, 0, DEPTH), (ALL,))],
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return write_book(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_book(s.level, level, "recipe_books", ALL, RECIPES)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the number of "groups". The difficulty is the least depth of the goal."""
        part = self._part(level)
        return {
            "size": [len(level["recipes"]), PARTS],
            "solvable": True,
            "difficulty": int(heights_of(part, least=True)[part["goal"]]),
            "groups": len(level["groups"]),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The recipes as a graph."""
        scene = Scene(20, 13)
        scene.add(Label(0.6, 0.8, f"goal: {level['goal']}", 0.6, align="left", bold=True))
        draw_book(scene, self._part(level), (0.5, 1.5, 19.0, 11.0))
        return scene

    def _part(self, level: Mapping[str, Any]) -> Any:
        """The record of a level."""
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        return s.level


def heights_of(part: Any, least: bool = False) -> np.ndarray:
    """(ALL,) steps of crafting from raw materials to each item: the most, or the least that it takes.

    Items that nothing can make, because they need themselves, have the number of all items.
    """
    makes, found = np.asarray(part["makes"]), np.zeros(ALL, np.int64)
    crafted = sorted({int(item) for item in makes if item != NONE})
    found[crafted] = ALL if least else 0
    for _ in range(ALL):
        before = found.copy()
        for item in crafted:
            ways = [1 + _height(part, int(r), before, least) for r in np.flatnonzero(makes == item)]
            found[item] = min(ALL, (min if least else max)(ways))
        if (found == before).all():
            break
    return found


def _height(part: Any, r: int, heights: np.ndarray, least: bool) -> int:
    """The height of the ingredients of a recipe."""
    found = []
    for what in np.asarray(part["needs"][r]).tolist():
        if what != NONE:
            fitting = heights[np.asarray(part["members"][what - ALL]) != 0] if what >= ALL else heights[[what]]
            found.append(int(fitting.min() if least else fitting.max()) if len(fitting) else ALL)
    return max(found, default=0)


def named(what: int) -> str:
    """An ingredient in words."""
    return ITEMS[what] if what < ALL else f"any {GROUPS[what - ALL]}"


def write_book(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    recipes = [
        {
            "makes": ITEMS[part["makes"][r]],
            "yield": int(part["yields"][r]),
            "needs": {
                named(int(what)): int(count) for what, count in zip(part["needs"][r], part["counts"][r]) if what != NONE
            },
        }
        for r in range(len(part["makes"]))
        if part["makes"][r] != NONE
    ]
    groups = {
        name: [ITEMS[i] for i in np.flatnonzero(row)] for name, row in zip(GROUPS, part["members"]) if np.any(row)
    }
    return {"goal": ITEMS[part["goal"]], "groups": groups, "recipes": recipes}


def read_book(part: Any, level: Mapping[str, Any], name: str, count: int, most: int) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name.

    The level has the first `count` items and at most `most` recipes.
    """
    exact_parts(name, level, "goal", "groups", "recipes", optional=["kind"])
    items = ITEMS[:count]
    groups, recipes = level["groups"], read_list(level["recipes"], f"{name}: the level's recipes", 0, most)
    if not isinstance(groups, Mapping) or not set(groups) <= set(GROUPS):
        raise LevelError(f"{name}: 'groups' must be a mapping from {', '.join(GROUPS)} to lists of items")
    words = {item: k for k, item in enumerate(items)}
    members = np.zeros((len(GROUPS), ALL), np.uint8)
    for group, listed in groups.items():
        if not isinstance(listed, (list, tuple)) or len(listed) < 2:
            raise LevelError(f"{name}: group {group} must be a list of two or more items")
        for item in listed:
            members[GROUPS.index(group), _number(item, words, f"{name}: group {group}")] = 1
    part["members"][:] = members
    part["goal"] = _number(level["goal"], words, f"{name}: 'goal'")
    part["makes"][:], part["yields"][:], part["needs"][:], part["counts"][:] = NONE, 0, NONE, 0
    words |= {f"any {group}": ALL + GROUPS.index(group) for group in groups}
    for r, recipe in enumerate(recipes):
        where = f"{name}: recipe {r + 1}"
        if not isinstance(recipe, Mapping) or set(recipe) != {"makes", "yield", "needs"}:
            raise LevelError(f"{where} must have 'makes', 'yield' and 'needs'")
        part["makes"][r] = _number(recipe["makes"], {item: k for k, item in enumerate(items)}, where)
        part["yields"][r] = read_integer(recipe["yield"], f"{where}: yield", 1, MOST)
        if not isinstance(recipe["needs"], Mapping) or not 1 <= len(recipe["needs"]) <= PARTS:
            raise LevelError(f"{where}: 'needs' must map 1 to {PARTS} ingredients to numbers")
        for k, (what, count) in enumerate(recipe["needs"].items()):
            part["needs"][r, k] = _number(what, words, where)
            part["counts"][r, k] = read_integer(count, f"{where}: {what!r:.40}", 1, MOST)
    if problem := fault(part):
        raise LevelError(f"{name}: {problem}")


def _number(word: Any, words: Mapping[str, int], where: str) -> int:
    read_name(word, f"{where}: name", list(words))
    return words[word]


def fault(part: Any, count: int = ALL, most: int = RECIPES) -> str | None:
    """What is wrong with a level of this many items and at most `most` recipes, whose numbers are in their ranges."""
    members = np.asarray(part["members"])
    makes, needs, counts = (np.asarray(part[what]) for what in ("makes", "needs", "counts"))
    used = makes != NONE
    if used[most:].any() or members[:, count:].any() or ((needs >= count) & (needs < ALL)).any():
        return "there are too many recipes or items"
    if (needs[~used] != NONE).any() or ((needs != NONE) != (counts > 0)).any():
        return "an ingredient has no recipe or no number"
    if (used != (np.asarray(part["yields"]) > 0)).any() or (needs[used] == NONE).all(axis=1).any():
        return "a recipe makes or needs nothing"
    if (members.sum(axis=1) == 1).any():
        return "a group has one member"
    if int(part["goal"]) not in makes:
        return "there is no recipe of the goal"
    for r in np.flatnonzero(used).tolist():
        listed = needs[r][needs[r] != NONE].tolist()
        fitting = np.array([members[what - ALL] if what >= ALL else np.arange(ALL) == what for what in listed], int)
        if not fitting.any(axis=1).all():
            return f"recipe {r + 1} needs an empty group"
        if (fitting.sum(axis=0) > 1).any():
            return f"an item fits two ingredients of recipe {r + 1}"
        if sum(what >= ALL for what in listed) > 1:
            return f"recipe {r + 1} has two groups"
        for other in range(r):
            if alike(part, r, other):
                return f"recipes {other + 1} and {r + 1} can take the same ingredients"
    if heights_of(part).max() == ALL:
        return "an item needs itself"
    return None


Area = tuple[float, float, float, float]

#: The size of an item's box where there is room for it, and the most items in a column.
WIDE, HIGH, COLUMN = 3.1, 0.95, 11


def boxes(part: Any, area: Area, also: Sequence[int] = ()) -> dict[int, Area]:
    """The box of each item of a book, by columns: raw items first, then the others by their greatest height.

    Raw items are those that recipes use, and those of `also`.
    """
    columns = [column for column in _columns(part, also) if column]
    left, top, width, height = area
    wide = min(WIDE, 0.74 * width / len(columns))
    pace = (width - wide) / max(len(columns) - 1, 1)
    found = {}
    for c, column in enumerate(columns):
        line = min(height / len(column), 2.2 * HIGH)
        high = min(HIGH, 0.82 * line)
        start = top + (height - line * len(column)) / 2
        for k, item in enumerate(column):
            found[item] = (left + pace * c, start + line * (k + 0.5) - high / 2, wide, high)
    return found


def _columns(part: Any, also: Sequence[int]) -> list[list[int]]:
    """Items by columns, each next to those that they are made of."""
    heights, makes = heights_of(part), np.asarray(part["makes"])
    used = {item for r in range(len(makes)) for item in _ingredients(part, r)} | {int(i) for i in makes if i != NONE}
    raw = [i for i in range(ALL) if i not in makes and (i in used or i in also)]
    order = {item: float(k) for k, item in enumerate(raw)}
    columns = [raw[k : k + COLUMN] for k in range(0, len(raw), COLUMN)]
    for height in range(1, int(heights.max()) + 1):
        column = [i for i in range(ALL) if heights[i] == height]
        for item in column:
            near = [order[i] for r in np.flatnonzero(makes == item) for i in _ingredients(part, int(r)) if i in order]
            order[item] = sum(near) / max(len(near), 1)
        columns.append(sorted(column, key=lambda i: order[i]))
    return columns


def _ingredients(part: Any, r: int) -> list[int]:
    """The items that a recipe takes, members of groups included."""
    found: list[int] = []
    for what in np.asarray(part["needs"][r]).tolist():
        if what >= ALL:
            found += np.flatnonzero(part["members"][what - ALL]).tolist()
        elif what != NONE:
            found.append(what)
    return found


def draw_book(
    scene: Scene, part: Any, area: Area, held: Sequence[int] | None = None, bench: Sequence[int] | None = None
) -> None:
    """Draw the graph in an area; with numbers, all items, how many are in hand, and a frame for those on the bench."""
    goal = int(part["goal"])
    at = boxes(part, area, range(len(held or ())))
    for r, item in enumerate(np.asarray(part["makes"]).tolist()):
        if item != NONE and item in at:
            _draw_recipe(scene, part, r, at)
    for item, (x, y, wide, high) in at.items():
        lies = bench is not None and bench[item] > 0
        raw = item not in part["makes"]
        edge = "gold" if item == goal else "ink" if lies else "line"
        fill = "leaf@0.35" if raw else "blue@0.3"
        scene.add(Rect(x, y, wide, high, "paper", radius=0.2))
        scene.add(Rect(x, y, wide, high, fill, edge, 0.12 if item == goal or lies else 0.05, 0.2))
        count = int(held[item]) if held is not None else 0
        room = wide - 0.4 - (0.45 * high if held is not None else 0.0)
        size = 0.5 * high * min(1.0, room / text_width(ITEMS[item], 0.5 * high))
        scene.add(Label(x + 0.2, y + high / 2, ITEMS[item], size, "ink", "left", bold=item == goal))
        if count:
            scene.add(Label(x + wide - 0.2, y + high / 2, str(count), size, "ink", "right", bold=True))


def _draw_recipe(scene: Scene, part: Any, r: int, at: dict[int, Area]) -> None:
    """A dot before the product, and lines from the ingredients; those of a group meet in a small square."""
    makes = np.asarray(part["makes"])
    x, y, wide, high = at[int(makes[r])]
    ways, lefts = np.flatnonzero(makes == makes[r]).tolist(), sorted({box[0] for box in at.values()})
    gap = min(1.7, min([b - a for a, b in zip(lefts, lefts[1:])], default=wide + 1.7) - wide)
    place = (x - 0.3 * gap, y + high * (ways.index(r) + 0.5) / len(ways))
    scene.add(Line([place, (x, y + high / 2)], "muted", 0.06))
    for what in np.asarray(part["needs"][r]).tolist():
        if what == NONE:
            continue
        if what < ALL:
            _join(scene, at[what], place, "muted@0.7")
            continue
        corner = (x - 0.72 * gap, place[1])
        for item in np.flatnonzero(part["members"][what - ALL]).tolist():
            _join(scene, at[item], corner, "purple@0.7")
        scene.add(Line([corner, place], "purple", 0.06))
        scene.add(Polygon([(corner[0] + a, corner[1] + b) for a, b in _DIAMOND], "purple"))
        scene.add(Label(corner[0], corner[1], GROUPS[what - ALL], 0.36, "white", bold=True))
    scene.add(Circle(*place, 0.14, "ink", glyph=""))


_DIAMOND = ((-0.36, 0.0), (0.0, -0.36), (0.36, 0.0), (0.0, 0.36))


def _join(scene: Scene, box: Area, place: tuple[float, float], color: str) -> None:
    x, y, wide, high = box
    scene.add(Line([(x + wide, y + high / 2), place], color, 0.06))
