"""Shop against a second implementation: WebShop's formula in strings and sets, all purchases, random play exactly."""

import random
from functools import cache
from itertools import product as pairs

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.games import shop
from envsuite.games.shop import ATTRIBUTES, BRANDS, CATALOG, COLORS, KINDS, SIZES, THEMES, WORDS, value
from envsuite.registry import build

ID = "envsuite/Shop-v0"
START = ("search", frozenset(), 0, None, None, None)


def reward(level, product, color, size):
    """The reward of a purchase, written after WebShop's `goal.py`, with equal words for similar ones."""
    wanted = level["products"][level["target"]]
    path, goal_path = (
        {department for department, part in CATALOG.items() if one["category"] in part} | {one["category"]}
        for one in (product, wanted)
    )
    overlap = len(set(product["title"]) & set(wanted["title"])) / len(wanted["title"])
    match = product["title"][-1] == wanted["title"][-1] or len(path & goal_path) >= 2 or overlap > 0.2
    kind = 0.0 if overlap == 0 else 0.1 if overlap < 0.1 else 1.0 if match else 0.5
    attributes = sum(attribute in product["attributes"] for attribute in level["attributes"])
    options = sum(option in (color, size) for option in (level["color"], level["size"]))
    cheap = product["price"] <= level["limit"]
    return kind * (attributes + options + cheap) / (len(level["attributes"]) + 2 + 1)


class Store:
    """The pages of a level, by the names of actions. States: page, typed words, results before, item, options."""

    def __init__(self, level):
        self.level, self.products = level, level["products"]
        self.words = [self.products[level["target"]]["title"][-1], *level["attributes"]]
        self.found = cache(self._found)

    def _found(self, typed):
        named = [{*one["title"], one["attributes"][0]} for one in self.products]
        ranked = sorted(range(len(named)), key=lambda k: -len(named[k] & typed))
        return [k for k in ranked if named[k] & typed][:50]

    def actions(self, state):
        page, typed, before, *_ = state
        if page == "search":
            return [f"word {k + 1}" for k in range(len(self.words))] + ["search"] * bool(typed)
        if page == "results":
            rest = len(self.found(typed)) - before
            turns = ["next page"] * (rest > 10) + ["previous page"] * (before > 0)
            return [f"result {k + 1}" for k in range(min(rest, 10))] + turns + ["back"]
        if page == "description":
            return ["back"]
        return [*(f"{name} {k}" for name in ("color", "size") for k in (1, 2, 3)), "description", "back", "buy"]

    def after(self, state, action):
        """The next state, and the reward of a purchase or None."""
        page, typed, before, item, color, size = state
        name, _, last = action.partition(" ")
        number = int(last) if last.isdigit() else 0
        if name == "word":
            return (page, typed ^ {self.words[number - 1]}, *state[2:]), None
        if name == "search":
            return ("results", typed, 0, None, None, None), None
        if name == "result":
            return ("product", typed, before, self.found(typed)[before + number - 1], None, None), None
        if name in ("next", "previous"):
            return (page, typed, before + (10 if name == "next" else -10), None, None, None), None
        if name == "description":
            return (name, *state[1:]), None
        if name == "back":
            back = {"results": START, "product": ("results", typed, before, None, None, None)}
            return back.get(page, ("product", *state[1:])), None
        one = self.products[item]
        if name == "buy":
            return state, reward(self.level, one, color, size)
        options = (one["colors"][number - 1], size) if name == "color" else (color, one["sizes"][number - 1])
        return (*state[:4], *options), None

    def view(self, state):
        """What the agent sees: page, results, the open product, its options and its description."""
        page, typed, before, item, color, size = state
        one = None if item is None else self.products[item]
        shown = self.found(typed)[before : before + 10] if page == "results" else []
        rows = [[*row["title"], row["attributes"][0], row["price"]] for row in (self.products[k] for k in shown)]
        if one:
            row = [*one["title"], one["attributes"][0], one["price"], one["category"], *one["colors"], *one["sizes"]]
        return (
            ["search", "results", "product", "description"].index(page),
            [word in typed for word in self.words],
            (before, len(self.found(typed))) if page != "search" else (0, 0),
            rows,
            row if one else None,
            (1 + one["colors"].index(color) if color else 0, 1 + one["sizes"].index(size) if size else 0)
            if one
            else (0, 0),
            one["attributes"] if page == "description" else None,
        )


def words(numbers):
    return [WORDS[k - 1] for k in numbers]


def seen(out):
    """The same from an observation."""
    page, _, before, found, _, *options = out["facts"].tolist()
    rows = [[*words(row[:6]), row[6]] for row in out["results"].tolist() if any(row)]
    row = out["product"].tolist()
    if any(row):
        one = [*words(row[:6]), row[6], shop.CATEGORIES[row[7] - 1], *words(row[8:])]
    described = words(out["description"].tolist()) if out["description"].any() else None
    typed = [bool(k) for k in out["typed"]]
    return page, typed, (before, found), rows, one if any(row) else None, tuple(options), described


def item(title, category, *attributes, colors=("red", "blue", "green"), sizes=("small", "large", "wide"), price=34):
    """A product of a level; without attributes it has four that nobody wants."""
    attributes = [*attributes, "glossy", "modern", "organic", "soft"][:4]
    return dict(
        title=title.split(), category=category, attributes=attributes, colors=[*colors], sizes=[*sizes], price=price
    )


def level(**changes):
    """A level of five products: the wanted one, and others that share less and less with it."""
    products = [
        item("Norvik winter travel gift lantern", "camping", "foldable", "washable", "quiet", "sturdy"),
        item("Brimo city family studio lantern", "lighting", "quiet", price=80),
        item("Brimo city family studio stove", "camping", "foldable", "quiet"),
        item("Norvik city family studio mug", "tableware", "foldable", "quiet"),
        item("Norvik winter city studio mug", "tableware", "quiet", colors=("pink", "red", "grey")),
    ]
    parts = dict(products=products, target=0, attributes=["quiet", "foldable"], color="red", size="large", limit=50)
    return parts | changes


def test_words():
    assert len(set(WORDS)) == len(WORDS) and set(WORDS) == {*BRANDS, *THEMES, *KINDS, *ATTRIBUTES, *COLORS, *SIZES}
    assert len({*CATALOG, *shop.CATEGORIES}) == 4 + 12 and len(shop.KINDS_OF) == 12


@pytest.mark.parametrize("products, attributes, stock", [(100, 2, 4), (200, 3, 1), (7, 1, 12)])
def test_lock_step(products, attributes, stock):
    """Random play, with few purchases: actions, observations, rewards and ends are those of `Store`."""
    batch = kit.started(ID, 8, products, products=products, attributes=attributes, stock=stock)
    stores = [Store(batch.world.get_level(batch.record(k))) for k in range(8)]
    states, rng, names = [START] * 8, random.Random(1), batch.world.action_names[0]
    visited, bought = set(), np.zeros(8, bool)
    for t in range(100):
        actions = np.zeros(8, np.int64)
        due = [None] * 8
        for k, (store, state) in enumerate(zip(stores, states)):
            if batch.finished[k]:
                continue
            allowed = store.actions(state)
            assert {names[a] for a in np.flatnonzero(batch.masks[k, 0])} == set(allowed)
            assert seen(batch.observations[k, 0]) == store.view(state)
            assert batch.observations[k, 0]["facts"][1] == 100 - t
            kinds = [name for name in allowed if name != "buy" or rng.random() < 0.3]
            choice = rng.choice([*kinds, *[name for name in kinds if name == "next page"] * 10])
            states[k], due[k] = store.after(state, choice)
            actions[k] = names.index(choice)
            visited.add((state[0], state[2]))
        batch.step(actions[:, None], ~batch.finished)
        bought |= [paid is not None for paid in due]
        assert batch.rewards[:, 0].tolist() == [paid or 0.0 for paid in due]
        assert (batch.terminations[:, 0] == bought).all()
        if batch.finished.all():
            break
    assert ("results", 10) in visited or products < 10


@pytest.mark.parametrize("products, attributes, stock", [(100, 2, 4), (200, 3, 1), (60, 1, 12)])
def test_all_purchases(products, attributes, stock):
    """The rewards of all products with all options, and the best of them: exactly 1."""
    batch = kit.started(ID, 2, products, products=products, attributes=attributes, stock=stock)
    factors = set()
    for k in range(2):
        s, given = batch.record(k), batch.world.get_level(batch.record(k))
        best = 0.0
        for number, one in enumerate(given["products"]):
            for color, size in pairs([None, *one["colors"]], [None, *one["sizes"]]):
                options = (1 + WORDS.index(word) if word else 0 for word in (color, size))
                paid = reward(given, one, color, size)
                assert value(s, number, *options) == paid
                best = max(best, paid)
                factors.add(paid)
        assert best == 1
    assert len(factors) > attributes + 3


def test_rewards():
    """Purchases of a level by hand: same kind, same category, one common noun, two, none, and the price."""
    given = level()
    for number, color, size, paid in (
        (0, "red", "large", 1.0),
        (0, "blue", "large", 4 / 5),
        (0, None, None, 3 / 5),
        (1, "red", "large", 3 / 5),
        (2, "red", "large", 0.0),
        (3, "red", "large", 0.5),
        (4, "red", "large", 4 / 5),
    ):
        batch = kit.started(ID, level=given, products=5)
        one = given["products"][number]
        kit.act(batch, "word 1", "word 2", "word 3", "search")
        rank = [WORDS.index(one["title"][k]) + 1 for k in range(5)]
        place = [row[:5] for row in batch.observations[0, 0]["results"].tolist()].index(rank)
        kit.act(batch, f"result {place + 1}")
        for name, word in (("color", color), ("size", size)):
            if word:
                kit.act(batch, f"{name} {one[name + 's'].index(word) + 1}")
        kit.act(batch, "buy")
        assert batch.rewards[0, 0] == paid and batch.terminations[0, 0] and not batch.truncations[0, 0]
    near = level()
    near["products"][2]["title"][0] = "Norvik"
    assert reward(near, near["products"][2], "red", "large") == 1


def test_random_play():
    """The mean return and length of random play on a small shop, by recursion over the second implementation."""
    limit, num = 7, 1000
    given = level(attributes=["quiet"])
    store = Store(given)

    @cache
    def expected(state, left):
        """The mean return and the mean number of further steps."""
        if left == 0:
            return 0.0, 0.0
        allowed, total, steps = store.actions(state), 0.0, 0.0
        for action in allowed:
            after, paid = store.after(state, action)
            more = expected(after, left - 1) if paid is None else (paid, 0.0)
            total, steps = total + more[0], steps + more[1]
        return total / len(allowed), 1 + steps / len(allowed)

    mean, length = expected(START, limit)
    batch = kit.started(ID, num, level=given, products=5, attributes=1, max_steps=limit)
    returns, steps = kit.finish(batch, "random")[:, 0], batch.records["steps"]
    assert abs(returns.mean() - mean) < 4 * returns.std() / num**0.5
    assert abs(steps.mean() - length) < 4 * steps.std() / num**0.5


@pytest.mark.parametrize("attributes", [1, 2, 3])
def test_baselines(attributes):
    """What the baselines earn, from the results of the second implementation."""
    batch, other = (kit.started(ID, 15, 9, attributes=attributes) for _ in range(2))
    first, best = kit.finish(batch, "rule")[:, 0], kit.finish(other, "careful")[:, 0]
    for k in range(15):
        given = batch.world.get_level(batch.record(k))
        store = Store(given)
        found = [given["products"][i] for i in store.found(frozenset(store.words))]
        paid = [
            reward(given, one, *(given[name] if given[name] in one[name + "s"] else None for name in ("color", "size")))
            for one in found
        ]
        kinds = [one["title"][-1] == store.words[0] for one in found]
        assert first[k] == paid[0]
        assert best[k] >= max([p for p, kind in zip(paid[:18], kinds) if kind], default=0)
    assert best.mean() > first.mean() + 0.1 and (other.records["steps"] <= 100).all() and not other.truncations.any()


def test_drawn_levels():
    """Products have different words; limits are the larger of two of the next four tens; the stock is bounded."""
    batch = kit.started(ID, 200, products=20, stock=3, attributes=3)
    drawn = batch.records["level"]
    for name in ("attributes", "colors", "sizes", "titles"):
        part = np.sort(drawn[name], axis=2)
        assert (np.diff(part, axis=2) > 0).all()
    limits = []
    for one in drawn:
        assert len(set(one["categories"].tolist())) <= 3
        kinds = one["titles"][:, -1]
        assert all(kind in shop.KINDS_OF[category] for kind, category in zip(kinds, one["categories"]))
        target = one["target"]
        assert {*one["wanted"]} <= {*one["attributes"][target]} and len({*one["wanted"]}) == 3
        assert one["color"] in one["colors"][target] and one["size"] in one["sizes"][target]
        limits.append(one["limit"] // 10 - one["prices"][target] // 10)
    assert (drawn["limit"] % 10 == 0).all()
    counts = np.bincount(limits, minlength=5)
    assert counts[:2].sum() == 0 and len(counts) == 5
    assert np.abs(counts[2:] / 200 - [1 / 6, 2 / 6, 3 / 6]).max() < 0.11
    assert len(np.unique(drawn["target"])) == 20 and len(np.unique(drawn["categories"])) == 12


def test_levels_and_records():
    world = build(ID, dict(products=5))

    def other(**changes):
        """The level with another last product."""
        given = level()
        given["products"][4] |= changes
        return given

    kit.refuses(
        world,
        ({"products": []}, "a level has"),
        (level(products=level()["products"][1:]), "a list of 5"),
        (level(target=5), "target=5 must be an integer from 0 to 4"),
        (level(target=True), "target=True must be an integer from 0 to 4"),
        (level(attributes=["quiet"]), "attributes must be a list of 2 entries"),
        (level(attributes=["quiet", "quiet"]), "there twice"),
        (level(attributes=["quiet", "vegan"]), "the wanted product lacks"),
        (level(color="pink"), "the wanted product lacks"),
        (level(size="vast"), "'vast' in 'size' is none of"),
        (level(limit=33), "costs 34, the limit is 33"),
        (level(limit=1001), "from 1 to 1000"),
        (other(weight=3), "is no product"),
        (other(title=["Norvik"]), "the title must be a list of 5 entries"),
        (other(title="Nobody winter city studio mug".split()), "'Nobody' in 'brand'"),
        (other(category="toys"), "no category 'toys'"),
        (other(colors=["red", "red", "blue"]), "there twice"),
        (other(sizes=["red", "small", "wide"]), "'red' in 'sizes'"),
        (other(price=0), "price=0 must be an integer from 1 to 999"),
    )
    batch = kit.started(ID, level=level(), products=5)
    assert batch.world.get_level(batch.record()) == level()
    for field, forged, wrong in (("steps", 100, "is over"), ("before", 10, "no such page"), ("color", 1, "no product")):
        records = batch.records.copy()
        records[field] = forged
        with pytest.raises(SnapshotError, match=wrong):
            world.admit(records)


def test_limit():
    batch = kit.act(kit.started(ID, level=level(), products=5, max_steps=2), "word 1", "word 1")
    assert batch.truncations[0, 0] and not batch.terminations[0, 0] and not batch.rewards.any()


def test_text_and_clicks():
    """Clicks mean the legal actions, whatever the page; the text has what is on the page."""
    batch = kit.started(ID, level=level(), products=5)
    for action, line in (
        ("word 1", "- word 1: lantern (typed)"),
        ("word 2", "- word 2: quiet (typed)"),
        ("search", "- result 1: Brimo city family studio lantern, quiet, 80 dollars"),
        ("result 2", "Norvik winter travel gift lantern, foldable, 34 dollars\nCategory: outdoors > camping\n"),
        ("size 2", "- size 2: large (chosen)"),
        ("description", "Description: foldable, washable, quiet, sturdy"),
    ):
        assert kit.clicks(batch, 0, 1.0, 0.5) - {None} == set(np.flatnonzero(batch.masks[0, 0]).tolist())
        kit.act(batch, action)
        assert line in batch.world.text(batch.record(), 0)
    assert "quiet, foldable lantern, color red, size large, at most 50 dollars." in batch.world.text(batch.record(), 0)
    kit.act(batch, "back", "buy")
    assert batch.world.text(batch.record(), 0).endswith("You have bought it.") and batch.rewards[0, 0] == 4 / 5
