"""Shop: find a product by an instruction, choose its options and buy it.

**Rules.** A shop sells `products` products. A product has a title, a category in a department, four attributes, three
colors, three sizes and a price. A title has five nouns (a brand, three words and the kind of the product) and the first
attribute. The instruction names a kind, some attributes, a color, a size and the highest price. At least one product
has all of them.

The agent begins at the search page. It types words of the instruction, its kind and its attributes, and searches. The
results are the products whose titles have one of the words. Those with more of the words come first. At most 50 are
shown, ten on a page. The page of a product shows its category, colors and sizes, and its description shows its
attributes. `back` leads to the page before. It clears the words on the way from the results to the search page, and the
chosen options on the way from a product to the results.

A random shop draws its products from `stock` categories, with prices from 5 to 99. The highest price is the larger of
two different ones of the next four multiples of ten above the price of the wanted product.

**Agents.** `agent`.

**Observation.** Dict. Words are numbers from 1, and 0 stands for none. Pages are 0 (search), 1 (results), 2 (product)
and 3 (description). The chosen color and size are 1, 2 or 3, or 0 for none.

| part | space | content |
|---|---|---|
| facts | Box (7,) int16 | page, steps left, results before this page, results, highest price, chosen color and size |
| wanted | Box (attributes + 3,) int16 | the kind, the attributes, the color and the size of the instruction |
| typed | Box (attributes + 1,) int16 | 1 for each word that is typed: the kind and the attributes |
| results | Box (10, 7) int16 | on the page of results, the five nouns, the attribute and the price of each |
| product | Box (14,) int16 | of the open product, the same, its category, its three colors and its three sizes |
| description | Box (4,) int16 | on the page of the description, the attributes |

**Actions.** Discrete (A + 23), where A is the number of attributes in the instruction.

| action | name | legal |
|---|---|---|
| 0 to A | `word 1`, `word 2`, ...: types or deletes a word | on the search page |
| A + 1 | `search` | on the search page, with a typed word |
| A + 2 to A + 11 | `result 1` to `result 10`: opens a product | where the page of results has it |
| A + 12, A + 13 | `next page`, `previous page` | where there are more results |
| A + 14 to A + 16 | `color 1`, `color 2`, `color 3` | on the page of a product |
| A + 17 to A + 19 | `size 1`, `size 2`, `size 3` | on the page of a product |
| A + 20 | `description` | on the page of a product |
| A + 21 | `back` | everywhere but on the search page |
| A + 22 | `buy` | on the page of a product |

**Window.** A click on a word, a result or a button. The keys S, N, P, D, B and Y mean `search`, `next page`,
`previous page`, `description`, `back` and `buy`.

**Rewards.** For `buy`, f (a + o + p) / (attributes + 3), otherwise 0. Of the instruction's attributes the product has
a. Of the wanted color and size, o are chosen. p is 1 if the price is at most the highest one. f compares the product
with the wanted one: it is 0 without a common noun in their titles; otherwise 1 if their kinds, their categories or two
nouns are the same, and else 0.5.

**Ends.** Terminates with `buy`; truncated after `max_steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `products` | 100 | products of the shop, from 1 to 200 |
| `attributes` | 2 | attributes in the instruction, from 1 to 3 |
| `stock` | 4 | categories from which a shop draws its products, from 1 to 12 |
| `max_steps` | 100 | steps before truncation, from 1 to 10,000 |

**Level.** ``{"products": [{"title": ["Norvik", "winter", "travel", "gift", "lantern"], "category": "camping",
"attributes": ["foldable", "washable", "quiet", "sturdy"], "colors": ["red", "blue", "green"],
"sizes": ["small", "large", "wide"], "price": 34}, ...], "target": 0, "attributes": ["quiet", "foldable"],
"color": "red", "size": "large", "limit": 50}``.

**Known values.** The wanted product brings 1, the most that is possible.

**Differences.**

- Products are drawn from an own vocabulary, because those of WebShop are a real shop's. Its scores do not apply here.
- An instruction is a list of words, and searches use only these, because actions have names.
- Words match if they are equal. WebShop compares them fuzzily, which free texts need.
- A search counts words of titles. WebShop ranks products by all their texts.
- The search term by which WebShop collected a product is its kind here.
- WebShop's factor of 0.1, for less than a tenth of the nouns, cannot occur with five nouns.
- Options do not change the price, and prices are whole dollars, to keep a product small.
- One page describes a product instead of four. WebShop's reviews are empty.
- The only way back is to the page before, to have fewer actions.
- Steps are limited, so that all episodes end.

**Source.** Yao et al., "WebShop: Towards Scalable Real-World Web Interaction with Grounded Language Agents", 2022.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import exact_parts, read_integer, read_list
from envsuite.core.page import Page
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, footer

BRANDS = ("Aldera", "Brimo", "Corvane", "Dunmere", "Estel", "Fjordan", "Galvo", "Norvik")
THEMES = (
    *("adventure", "city", "comfort", "family", "gift", "heritage"),
    *("holiday", "studio", "summer", "travel", "village", "winter"),
)

#: The kinds in each category, by department. A kind can be in two categories.
CATALOG = {
    "clothing": {
        "tops": ("shirt", "sweater", "vest"),
        "outerwear": ("jacket", "coat", "vest"),
        "accessories": ("scarf", "belt", "hat"),
    },
    "home": {
        "lighting": ("lamp", "lantern", "candle"),
        "decoration": ("vase", "candle", "mirror"),
        "bedding": ("pillow", "blanket", "quilt"),
    },
    "kitchen": {
        "cookware": ("pan", "kettle", "teapot"),
        "tableware": ("mug", "bowl", "teapot"),
        "storage": ("jar", "basket", "box"),
    },
    "outdoors": {
        "camping": ("tent", "stove", "lantern"),
        "garden": ("shears", "hose", "basket"),
        "cycling": ("helmet", "pump", "bell"),
    },
}
CATEGORIES = tuple(category for categories in CATALOG.values() for category in categories)
DEPARTMENTS = tuple(department for department, categories in CATALOG.items() for _ in categories)
KINDS = tuple(dict.fromkeys(kind for part in CATALOG.values() for kinds in part.values() for kind in kinds))
ATTRIBUTES = (
    *("adjustable", "antique", "durable", "elegant", "engraved", "foldable", "glossy", "handmade"),
    *("insulated", "lightweight", "modern", "organic", "padded", "patterned", "polished", "quiet"),
    *("recycled", "rustic", "soft", "stackable", "sturdy", "vegan", "washable", "waterproof"),
)
COLORS = ("black", "blue", "brown", "green", "grey", "orange", "pink", "red", "white", "yellow")
SIZES = ("mini", "small", "medium", "large", "giant", "narrow", "wide", "tall")

#: All words. Their numbers are one more than their places here.
WORDS = (*BRANDS, *THEMES, *KINDS, *ATTRIBUTES, *COLORS, *SIZES)


def _numbers(words: tuple[str, ...]) -> tuple[int, int]:
    """The first and the last number of a list of words."""
    first = 1 + WORDS.index(words[0])
    return first, first + len(words) - 1


_ENDS = [_numbers(words) for words in (BRANDS, THEMES, THEMES, THEMES, KINDS)]
FIRST_BRAND, FIRST_THEME, FIRST_ATTRIBUTE, FIRST_COLOR, FIRST_SIZE = (
    _numbers(words)[0] for words in (BRANDS, THEMES, ATTRIBUTES, COLORS, SIZES)
)

#: The numbers of the kinds of each category.
KINDS_OF = np.array(
    [[1 + WORDS.index(kind) for kind in kinds] for part in CATALOG.values() for kinds in part.values()], np.int64
)

NOUNS, ATTRIBUTES_EACH, OPTIONS = 5, 4, 3  # of a product: nouns in its title, attributes, colors (and sizes)
PER_PAGE, RESULTS = 10, 50
ROW = NOUNS + 2  # a product in a list of results: its title's nouns, its first attribute, its price
HIGHEST_PRICE, HIGHEST_LIMIT = 999, 1000

# Pages.
SEARCH, FOUND, PRODUCT, DESCRIPTION = range(4)

# Actions from `search` on, counted from it.
OPEN, NEXT, PREVIOUS, COLOR, SIZE, DESCRIBE, BACK, BUY = 1, 11, 12, 13, 16, 19, 20, 21


def fields(products: int, attributes: int) -> list[tuple]:
    """The record."""
    lows, highs = np.array(_ENDS, np.int16).T
    level = [
        ("titles", within(np.int16, lows, highs), (products, NOUNS)),  # brand, three words, kind
        ("categories", below(np.int16, len(CATEGORIES)), (products,)),
        (
            "attributes",
            within(np.int16, *_numbers(ATTRIBUTES)),
            (products, ATTRIBUTES_EACH),
        ),  # the first is in the title
        ("colors", within(np.int16, *_numbers(COLORS)), (products, OPTIONS)),
        ("sizes", within(np.int16, *_numbers(SIZES)), (products, OPTIONS)),
        ("prices", within(np.int16, 1, HIGHEST_PRICE), (products,)),
        ("target", below(np.int64, products)),  # the wanted product
        ("wanted", within(np.int16, *_numbers(ATTRIBUTES)), (attributes,)),  # attributes in the instruction
        ("color", within(np.int16, *_numbers(COLORS))),  # in the instruction
        ("size", within(np.int16, *_numbers(SIZES))),
        ("limit", within(np.int64, 1, HIGHEST_LIMIT)),  # the highest price
    ]
    return [
        ("page", below(np.int64, 4)),
        ("typed", flag(), (attributes + 1,)),  # which words: the kind, then the attributes
        ("results", below(np.int16, products), (RESULTS,)),
        ("found", within(np.int64, 0, RESULTS)),  # the number of results
        ("before", within(np.int64, 0, RESULTS - PER_PAGE)),  # results before those on this page
        ("product", below(np.int64, products)),  # the open one, or any
        ("color", within(np.int64, -1, OPTIONS - 1)),  # the place of the chosen color among the product's, or -1
        ("size", within(np.int64, -1, OPTIONS - 1)),
        ("steps", within(np.int64, 0, 10_000)),
        ("pool", within(np.int16, 0, len(WORDS)), (max(len(ATTRIBUTES), len(THEMES)),)),  # used while a level is made
        ("level", np.dtype(level, align=True)),
    ]


@kernel
def draw(s, out, start, count, first, size):
    """Write `count` different numbers of the `size` from `first` on, in random order."""
    for k in range(size):
        s.pool[k] = first + k
    for k in range(count):
        j = k + random.randint(s, size - k)
        out[start + k] = s.pool[j]
        s.pool[j] = s.pool[k]


@large_kernel
def make_level(s):
    level = s.level
    products = level.prices.shape[0]
    for item in range(products):
        level.titles[item, 0] = FIRST_BRAND + random.randint(s, len(BRANDS))
        draw(s, level.titles[item], 1, 3, FIRST_THEME, len(THEMES))
        draw(s, level.attributes[item], 0, ATTRIBUTES_EACH, FIRST_ATTRIBUTE, len(ATTRIBUTES))
        draw(s, level.colors[item], 0, OPTIONS, FIRST_COLOR, len(COLORS))
        draw(s, level.sizes[item], 0, OPTIONS, FIRST_SIZE, len(SIZES))
        level.prices[item] = 5 + random.randint(s, 95)
    for k in range(len(CATEGORIES)):
        s.pool[k] = k
    random.shuffle(s, s.pool, len(CATEGORIES))
    for item in range(products):
        category = np.int64(s.pool[random.randint(s, s.params.stock)])
        level.categories[item] = category
        level.titles[item, NOUNS - 1] = KINDS_OF[category, random.randint(s, 3)]
    make_instruction(s)


@kernel
def make_instruction(s):
    level = s.level
    target = random.randint(s, level.prices.shape[0])
    level.target = target
    draw(s, level.wanted, 0, level.wanted.shape[0], 0, ATTRIBUTES_EACH)  # places, replaced by the attributes there
    for k in range(level.wanted.shape[0]):
        level.wanted[k] = level.attributes[target, level.wanted[k]]
    level.color = level.colors[target, random.randint(s, OPTIONS)]
    level.size = level.sizes[target, random.randint(s, OPTIONS)]
    # The larger of two different ones of the next four tens.
    one, other = random.randint(s, 4), random.randint(s, 3)
    other += other >= one
    level.limit = 10 * (np.int64(level.prices[target]) // 10 + 1 + max(one, other))


@kernel
def reset(s):
    if not s.level_given:
        make_level(s)
    fill(s.results, 0)
    fill(s.pool, 0)
    s.found = 0
    s.before = 0
    s.product = 0
    s.steps = 0
    s.color = -1
    s.size = -1
    open_search(s)


@kernel
def open_search(s):
    s.page = SEARCH
    fill(s.typed, 0)


@kernel
def has(words, size, word):
    """1 if a word is one of the first `size` of these, or 0."""
    for k in range(size):
        if words[k] == word:
            return 1
    return 0


@kernel
def matches(s, item):
    """The number of typed words in a product's title."""
    level = s.level
    count = np.int64(s.typed[0] and level.titles[item, NOUNS - 1] == level.titles[level.target, NOUNS - 1])
    for k in range(level.wanted.shape[0]):
        if s.typed[1 + k]:
            count += level.attributes[item, 0] == level.wanted[k]
    return count


@large_kernel
def search(s):
    s.page = FOUND
    s.found = 0
    s.before = 0
    for count in range(s.typed.shape[0], 0, -1):
        for item in range(s.level.prices.shape[0]):
            if s.found < RESULTS and matches(s, item) == count:
                s.results[s.found] = item
                s.found += 1


@kernel
def value(s, item, color, size):
    """The reward for buying a product with options, each the number of its word, or 0."""
    level = s.level
    common = 0
    for k in range(NOUNS):
        common += has(level.titles[item], NOUNS, level.titles[level.target, k])
    if common == 0:
        return 0.0
    points = int(color == level.color) + int(size == level.size) + int(level.prices[item] <= level.limit)
    for k in range(level.wanted.shape[0]):
        points += has(level.attributes[item], ATTRIBUTES_EACH, level.wanted[k])
    alike = level.titles[item, NOUNS - 1] == level.titles[level.target, NOUNS - 1]
    alike = alike or level.categories[item] == level.categories[level.target] or 5 * common > NOUNS
    return (1.0 if alike else 0.5) * points / (level.wanted.shape[0] + 3)


@kernel
def step(s, actions, rewards):
    s.steps += 1
    words = s.typed.shape[0]
    if actions[0] < words:
        s.typed[actions[0]] = 1 - s.typed[actions[0]]
    else:
        press(s, actions[0] - words, rewards)
    s.truncated[0] = s.steps >= s.params.max_steps and not s.terminated[0]


@kernel
def press(s, button, rewards):
    if button == 0:
        search(s)
    elif button < NEXT:
        s.product = s.results[s.before + button - OPEN]
        s.page = PRODUCT
    elif button == NEXT:
        s.before += PER_PAGE
    elif button == PREVIOUS:
        s.before -= PER_PAGE
    elif button < SIZE:
        s.color = button - COLOR
    elif button < DESCRIBE:
        s.size = button - SIZE
    elif button == DESCRIBE:
        s.page = DESCRIPTION
    elif button == BACK:
        go_back(s)
    else:
        color = np.int64(s.level.colors[s.product, s.color]) if s.color >= 0 else 0
        size = np.int64(s.level.sizes[s.product, s.size]) if s.size >= 0 else 0
        rewards[0] = value(s, s.product, color, size)
        s.terminated[0] = 1


@kernel
def go_back(s):
    if s.page == FOUND:
        open_search(s)
    elif s.page == PRODUCT:
        s.page = FOUND
        s.color = -1
        s.size = -1
    else:
        s.page = PRODUCT


@kernel
def legal(s, agent, mask):
    words = s.typed.shape[0]
    if s.page == SEARCH:
        for k in range(words):
            mask[k] = 1
            if s.typed[k]:
                mask[words] = 1
    elif s.page == FOUND:
        for k in range(min(PER_PAGE, s.found - s.before)):
            mask[words + OPEN + k] = 1
        mask[words + NEXT] = s.before + PER_PAGE < s.found
        mask[words + PREVIOUS] = s.before > 0
        mask[words + BACK] = 1
    elif s.page == PRODUCT:
        for k in range(COLOR, BUY + 1):
            mask[words + k] = 1
    else:
        mask[words + BACK] = 1


@kernel
def write_row(s, item, out):
    """A product as it is in a list of results."""
    for k in range(NOUNS):
        out[k] = s.level.titles[item, k]
    out[NOUNS] = s.level.attributes[item, 0]
    out[ROW - 1] = s.level.prices[item]


@kernel
def observe(s, agent, out):
    level = s.level
    out.facts[0] = s.page
    out.facts[1] = s.params.max_steps - s.steps
    out.facts[2] = s.before if s.page > SEARCH else 0
    out.facts[3] = s.found if s.page > SEARCH else 0
    out.facts[4] = level.limit
    out.facts[5] = 1 + s.color
    out.facts[6] = 1 + s.size
    out.wanted[0] = level.titles[level.target, NOUNS - 1]
    words = s.typed.shape[0]
    for k in range(words - 1):
        out.wanted[1 + k] = level.wanted[k]
    out.wanted[words] = level.color
    out.wanted[words + 1] = level.size
    for k in range(words):
        out.typed[k] = s.typed[k]
    for k in range(PER_PAGE):
        if s.page == FOUND and s.before + k < s.found:
            write_row(s, np.int64(s.results[s.before + k]), out.results[k])
        else:
            for j in range(ROW):
                out.results[k, j] = 0
    observe_product(s, out)


@kernel
def observe_product(s, out):
    level, item = s.level, s.product
    if s.page >= PRODUCT:
        write_row(s, item, out.product)
        out.product[ROW] = 1 + level.categories[item]
        for k in range(OPTIONS):
            out.product[ROW + 1 + k] = level.colors[item, k]
            out.product[ROW + 1 + OPTIONS + k] = level.sizes[item, k]
    else:
        for k in range(ROW + 1 + 2 * OPTIONS):
            out.product[k] = 0
    for k in range(ATTRIBUTES_EACH):
        out.description[k] = level.attributes[item, k] if s.page == DESCRIPTION else 0


PAGE = Page(
    role="You buy a product in a shop, by an instruction that every turn repeats.",
    goal=(
        "Buying pays you your points divided by {points}. You get a point for each attribute of the instruction that "
        "the product has, one if you have chosen the wanted color, one if you have chosen the wanted size, and one if "
        "the price is not above the highest price. The instruction describes one product of the shop, the wanted one. "
        "If the title of what you buy has no noun in common with that of the wanted product, you are paid 0. "
        "Otherwise your pay is halved, unless both are of the same kind or category or their titles have at least two "
        "nouns in common."
    ),
    rules=(
        "The shop has {products:product} from {stock:category/categories} at the most. A title has {nouns} nouns, of "
        "which the last is the kind of the product, and one attribute. A product has {each} attributes, {options} "
        "colors, {options} sizes and a price. The instruction names a kind, {attributes:attribute}, a color, a size "
        "and the highest price. At least one product has all of them.",
        "You begin at the search page. There you type words of the instruction, and search. The results are the "
        "products whose titles have one of the words; those with more of them come first. At most {results} are found, "
        "and a page shows {page}. A result opens the page of its product, with its category, colors and sizes. Its "
        "description shows all of its attributes.",
    ),
    acts={
        "word {N}": "type word N, or delete it, on the search page; word 1 is the kind, the others are attributes",
        "search": "search for the typed words",
        "result {N}": "open the page of this product",
        ("next page", "previous page"): "show other results",
        ("color {N}", "size {N}"): "choose this color or size of the product",
        "description": "read the description of the product",
        "back": "go to the page before. From a product this clears the chosen color and size, from the results the "
        "typed words",
        "buy": "buy the product, with the color and the size that you have chosen",
    },
    ends="It is over when you buy, or without pay after {max_steps:step}.",
    constants={"0": "the least pay", "1": "number of a word", "two": "common nouns"},
)


class Shop(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    paid_at_end = True
    kind = ("screens", "text")
    verified = "a second implementation with WebShop's formula; exhaustive purchases; exact values of random play"
    variants = (
        dict(products=5, attributes=1, stock=1, max_steps=30),
        dict(products=200, attributes=3, stock=12),
    )
    shown = "careful"
    player_page = PAGE
    keys = {
        **{"s": "search", "n": "next page", "p": "previous page"},
        **{"d": "description", "b": "back", "y": "buy"},
    }

    def __init__(
        self,
        products: Annotated[int, Between(1, 200)] = 100,
        attributes: Annotated[int, Between(1, 3)] = 2,
        stock: Annotated[int, Between(1, 12)] = 4,
        max_steps: Annotated[int, Between(1, 10_000)] = 100,
    ):
        highest = np.array([3, 10_000, RESULTS - PER_PAGE, RESULTS, HIGHEST_LIMIT, OPTIONS, OPTIONS], np.int16)
        row = np.array([*(high for _, high in _ENDS), _numbers(ATTRIBUTES)[1], HIGHEST_PRICE], np.int16)
        options = [_numbers(COLORS)[1]] * OPTIONS + [_numbers(SIZES)[1]] * OPTIONS
        self.define(
            agents=["agent"],
            actions=[
                *(f"word {1 + k}" for k in range(attributes + 1)),
                "search",
                *(f"result {1 + k}" for k in range(PER_PAGE)),
                *("next page", "previous page"),
                *(f"{name} {1 + k}" for name in ("color", "size") for k in range(OPTIONS)),
                *("description", "back", "buy"),
            ],
            observation=Dict(
                {
                    "facts": Box(0, highest, dtype=np.int16),
                    "wanted": Box(1, len(WORDS), (attributes + 3,), np.int16),
                    "typed": Box(0, 1, (attributes + 1,), np.int16),
                    "results": Box(0, np.tile(row, (PER_PAGE, 1)), dtype=np.int16),
                    "product": Box(0, np.array([*row, len(CATEGORIES), *options], np.int16), dtype=np.int16),
                    "description": Box(0, _numbers(ATTRIBUTES)[1], (ATTRIBUTES_EACH,), np.int16),
                }
            ),
            fields=fields(products, attributes),
            params={"stock": stock, "max_steps": max_steps},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.steps > s.params.max_steps or (s.steps == s.params.max_steps) > (s.truncated[0] or s.terminated[0]):
            return "the episode is over"
        if s.before % PER_PAGE or s.before > max(0, s.found - 1):
            return "there is no such page of results"
        if s.page < PRODUCT and (s.color >= 0 or s.size >= 0):
            return "options of no product are chosen"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "products", "target", "attributes", "color", "size", "limit")
        count = len(s.level.prices)
        products = read_list(level["products"], f"{self.id}: the level's products", count)
        for k, product in enumerate(products):
            self._read_product(s.level, k, product)
        target = read_integer(level["target"], f"{self.id}: the level's target", 0, count - 1)
        s.level.target = target
        wanted = self._words("attributes", level["attributes"], ATTRIBUTES, len(s.level.wanted))
        color = self._words("color", [level["color"]], COLORS, 1)
        size = self._words("size", [level["size"]], SIZES, 1)
        limit = read_integer(level["limit"], f"{self.id}: the level's limit", 1, HIGHEST_LIMIT)
        for name, some in (("attributes", wanted), ("colors", color), ("sizes", size)):
            if not {*some} <= {*getattr(s.level, name)[target].tolist()}:
                raise LevelError(f"{self.id}: the wanted product lacks {[WORDS[k - 1] for k in some]}")
        if limit < s.level.prices[target]:
            raise LevelError(f"{self.id}: the wanted product costs {s.level.prices[target]}, the limit is {limit}")
        s.level.wanted[:] = wanted
        s.level.color, s.level.size, s.level.limit = color[0], size[0], limit

    def _read_product(self, level: Any, k: int, product: Any) -> None:
        names = {"title", "category", "attributes", "colors", "sizes", "price"}
        if not isinstance(product, Mapping) or set(product) != names:
            raise LevelError(f"{self.id}: {product!r:.60} is no product with {sorted(names)}")
        title, category = product["title"], product["category"]
        read_list(title, f"{self.id}: the title", NOUNS)
        if category not in CATEGORIES:
            raise LevelError(f"{self.id}: there is no category {category!r:.40}")
        brand, kind = self._words("brand", title[:1], BRANDS, 1), self._words("kind", title[4:], KINDS, 1)
        level.titles[k] = [*brand, *self._words("title", title[1:4], THEMES, 3), *kind]
        level.categories[k] = CATEGORIES.index(category)
        level.attributes[k] = self._words("attributes", product["attributes"], ATTRIBUTES, ATTRIBUTES_EACH)
        level.colors[k] = self._words("colors", product["colors"], COLORS, OPTIONS)
        level.sizes[k] = self._words("sizes", product["sizes"], SIZES, OPTIONS)
        level.prices[k] = read_integer(product["price"], f"{self.id}: price", 1, HIGHEST_PRICE)

    def _words(self, name: str, given: Any, words: tuple[str, ...], count: int) -> list[int]:
        """The numbers of that many different words of these."""
        read_list(given, f"{self.id}: {name}", count)
        for word in given:
            if word not in words or given.count(word) > 1:
                raise LevelError(f"{self.id}: {word!r:.40} in {name!r} is none of {', '.join(words)}, or there twice")
        return [1 + WORDS.index(word) for word in given]

    def get_level(self, s: Any) -> dict[str, Any]:
        def words(numbers: Any) -> list[str]:
            return [WORDS[k - 1] for k in numbers.tolist()]

        level = s.level
        products = [
            {
                "title": words(level.titles[k]),
                "category": CATEGORIES[level.categories[k]],
                "attributes": words(level.attributes[k]),
                "colors": words(level.colors[k]),
                "sizes": words(level.sizes[k]),
                "price": int(level.prices[k]),
            }
            for k in range(len(level.prices))
        ]
        return {
            "products": products,
            "target": int(level.target),
            "attributes": words(level.wanted),
            "color": WORDS[level.color - 1],
            "size": WORDS[level.size - 1],
            "limit": int(level.limit),
        }

    # Texts and pictures show what is observed.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            "points": len(s.level.wanted) + 3,
            "nouns": NOUNS,
            "each": ATTRIBUTES_EACH,
            "options": OPTIONS,
            "results": RESULTS,
            "page": PER_PAGE,
        }

    def text(self, s: Any, agent: int) -> str:
        out = self.observation(s, agent)
        lines = [f"{', '.join(instruction(out))}.", f"Steps left: {out.facts[1]}.", "", *self._page(out)]
        if s.terminated[0]:
            lines.append("You have bought it.")
        return "\n".join(lines)

    def _page(self, out: Any) -> Iterator[str]:
        page, _, before, found, _, color, size = out.facts.tolist()
        words = [WORDS[k - 1] for k in out.wanted.tolist()]
        if page == SEARCH:
            yield "Search page. Words:"
            for k, typed in enumerate(out.typed.tolist()):
                yield f"- word {1 + k}: {words[k]}{' (typed)' if typed else ''}"
            return
        if page == FOUND:
            query = ", ".join(word for word, typed in zip(words, out.typed.tolist()) if typed)
            shown = [row for row in out.results.tolist() if row[0]]
            yield f"Results {before + 1} to {before + len(shown)} of {found} for: {query}."
            for k, row in enumerate(shown):
                yield f"- result {1 + k}: {title(row)}, {row[ROW - 1]} dollars"
            return
        row = out.product.tolist()
        category = row[ROW] - 1
        yield f"{title(row)}, {row[ROW - 1]} dollars"
        yield f"Category: {DEPARTMENTS[category]} > {CATEGORIES[category]}"
        if page == DESCRIPTION:
            yield "Description: " + ", ".join(WORDS[k - 1] for k in out.description.tolist())
            return
        for name, chosen, start in (("color", color, ROW + 1), ("size", size, ROW + 1 + OPTIONS)):
            for k in range(OPTIONS):
                mark = " (chosen)" if chosen == k + 1 else ""
                yield f"- {name} {1 + k}: {WORDS[row[start + k] - 1]}{mark}"

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        out, scene = self.observation(s, 0), Scene(20, 14.6)
        scene.add(Rect(0, 0, 20, 14.6, "paper"), Rect(0.3, 0.2, 19.4, 1.6, "gold@0.3", radius=0.2))
        for k, line in enumerate(instruction(out)):
            scene.add(Label(0.6, 0.65 + 0.7 * k, line, 0.55, align="left", bold=True, width=18.8))
        page, row = int(out.facts[0]), out.product.tolist()
        if page >= PRODUCT:
            category = row[ROW] - 1
            lines = [title(row), f"{row[ROW - 1]} dollars", f"{DEPARTMENTS[category]} > {CATEGORIES[category]}"]
            if page == DESCRIPTION:
                lines.append("Description: " + ", ".join(WORDS[k - 1] for k in out.description.tolist()))
            for k, line in enumerate(lines):
                scene.add(Label(0.6, 2.6 + k, line, 0.6, align="left", bold=k == 0, width=18.8))
        for (x, y, width, height), action, words, on in self._buttons(s, out):
            words = words or self.action_names[0][action]
            scene.add(Rect(x, y, width, height, "blue@0.35" if on else "grey@0.35", "muted", 0.04, 0.15))
            scene.add(Label(x + 0.3, y + height / 2, words, 0.55, align="left", width=width - 0.5))
        if agent is None:
            target = [*s.level.titles[s.level.target].tolist(), *s.level.attributes[s.level.target].tolist()]
            footer(scene, f"wanted: {title(target)}", f"{out.facts[1]} steps left")
        else:
            footer(scene, "bought" if s.terminated[0] else "", f"{out.facts[1]} steps left")
        return scene

    def _buttons(self, s: Any, out: Any) -> Iterator[tuple[tuple[float, ...], int, str, bool]]:
        """The buttons of the page: place, action, text, if it is no plain one, and whether it is on."""
        page, words, legal = int(out.facts[0]), len(out.typed), self.legal_actions(s, 0)
        if page == SEARCH:
            for k, typed in enumerate(out.typed.tolist()):
                yield (0.6, 2.2 + 1.3 * k, 8, 1), k, WORDS[out.wanted[k] - 1], bool(typed)
            if out.typed.any():
                yield (0.6, 2.4 + 1.3 * words, 4, 1), words, "", False
        elif page == FOUND:
            for k, row in enumerate(out.results.tolist()):
                if row[0]:
                    text = f"{title(row)}, {row[ROW - 1]} dollars"
                    yield (0.6, 1.9 + 1.1 * k, 18.8, 0.95), words + OPEN + k, text, False
        elif page == PRODUCT:
            row, chosen = out.product.tolist(), out.facts[5:].tolist()
            for group, first in enumerate((COLOR, SIZE)):
                for k in range(OPTIONS):
                    word = WORDS[row[ROW + 1 + OPTIONS * group + k] - 1]
                    place = (0.6 + 6.3 * k, 7 + 1.4 * group, 6, 1.1)
                    yield place, words + first + k, word, chosen[group] == k + 1
        for x, button in ((0.6, BACK), (5.4, PREVIOUS), (10.2, NEXT), (10.2, DESCRIBE), (15.0, BUY)):
            if words + button in legal:
                yield (x, 13.2, 4.4, 1), words + button, "", False

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        for (left, top, width, height), action, _, _ in self._buttons(s, self.observation(s, 0)):
            if 0 <= x - left < width and 0 <= y - top < height:
                return action
        return None


def instruction(out: Any) -> tuple[str, str]:
    """What an observation's instruction asks for."""
    kind, *attributes, color, size = (WORDS[k - 1] for k in out.wanted.tolist())
    return f"Buy: {', '.join(attributes)} {kind}", f"color {color}, size {size}, at most {out.facts[4]} dollars"


def title(row: list[int]) -> str:
    """A product's title: its nouns and its first attribute."""
    brand, *themes, kind, attribute = (WORDS[k - 1] for k in row[: NOUNS + 1])
    return f"{brand} {' '.join(themes)} {kind}, {attribute}"


env, raw_env, parallel_env = pettingzoo_forms(Shop)
