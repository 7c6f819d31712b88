"""TextQuest: TextWorld in lock-step, shortest plans by exhaustive search, cooking by hand, texts, levels, baselines."""

import gzip
import json
from functools import cache

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.errors import ActionError
from envsuite.core.record import as_views
from envsuite.core.tools import parse_call, to_call
from envsuite.games.text_quest.terms import (
    EXAMINES,
    KNIFE,
    NAMES,
    NUMBER,
    PREPARES,
    ROOMS,
    TABLE,
    TRAITS,
)
from envsuite.generators import generate, generate_many, split_of
from envsuite.kit.things import HELD, MOST, ROOM, look_around
from envsuite.reading import read_action
from envsuite.registry import build

ID = "envsuite/TextQuest-v0"

#: A kitchen with everything at hand, and a hall behind a locked door.
KITCHEN = {
    "task": "cooking",
    "agent": "kitchen",
    "exits": [["kitchen", "east", "hall", "oak door"], ["hall", "south", "garden"]],
    "things": [
        ["oak door", None, "locked"], ["fridge", "kitchen"], ["oven", "kitchen"], ["stove", "kitchen"],
        ["grill", "garden"], ["counter", "kitchen"], ["cookbook", "counter"], ["knife", "counter"],
        ["gold key", "kitchen"], ["silver key", "agent"], ["carrot", "fridge", "raw", "uncut"],
        ["potato", "counter", "needs cooking", "inedible", "uncut"], ["hat", "hall"],
    ],
    "opens": {"gold key": "oak door"},
    "quests": [[["carrot", "is", "fried"]], [["meal", "at", "agent"]], [["meal", "is", "eaten"]]],
    "fails": [[-1, "carrot", "is", "burned"], [0, "carrot", "is", "roasted"], [1, "potato", "is", "eaten"]],
    "recipe": [["carrot", "fried", "diced"], ["potato", "roasted", None]],
}  # fmt: skip


@cache
def recorded():
    """The games of the recording."""
    return json.loads(gzip.decompress((kit.DATA / "TextQuest" / "text_quest.json.gz").read_bytes()))


def compared(mask, task, theirs):
    """Our legal commands and TextWorld's, without what the page says is different."""
    ours, theirs = set(np.flatnonzero(mask).tolist()), set(theirs)
    if task == "cooking":
        ours, theirs = ({k for k in part if TABLE[k, 0] != EXAMINES} for part in (ours, theirs))
        unfinished = {k for k in theirs - ours if TABLE[k, 0] == PREPARES}
        theirs -= unfinished
    return ours, theirs


def replay(games):
    """Play the recorded walks of games, all at once, and compare every step with the recording; the number of steps."""
    walks = [(game, walk) for game in games for walk in game["walks"]]
    batch = kit.started(ID, len(walks), level=[game["level"] for game, _ in walks], max_steps=1000)
    places, states = (np.zeros((len(walks), MOST), int) for _ in range(2))
    known = np.zeros((len(walks), MOST), bool)
    steps = 0
    for k in range(max(len(walk) for _, walk in walks)):
        rows = [i for i, (_, walk) in enumerate(walks) if k < len(walk)]
        if k:
            actions, moves = np.zeros((len(walks), 1), np.int64), np.zeros(len(walks), bool)
            for i in rows:
                actions[i, 0], moves[i] = walks[i][1][k][0], True
            batch.step(actions, moves)
        for i in rows:
            game, walk = walks[i]
            _, admissible, changed, room, score, end = walk[k]
            for thing, place, state in changed:
                places[i, thing], states[i, thing], known[i, thing] = place, state, True
            record, label = batch.records[i], (game["name"], k)
            assert (record["places"][known[i]] == places[i][known[i]]).all(), label
            assert (record["states"][known[i]] == states[i][known[i]]).all(), label
            assert record["room"] == room and record["done"].sum() == score, label
            assert record["terminated"][0] == (end > 0) and (batch.rewards[i, 0] == 1) == (end == 1), label
            if not end:
                ours, theirs = compared(batch.masks[i, 0], game["level"]["task"], admissible)
                assert ours == theirs, label
            steps += 1
    return steps


def test_textworld():
    """One game of each of TextWorld's generators."""
    last = {game["level"]["task"]: game for game in recorded()}
    assert replay(last.values()) > 200


@pytest.mark.slow
def test_textworld_all():
    games = recorded()
    assert len(games) == 36 and replay(games) == 2839
    ends = [walk[-1][5] for game in games for walk in game["walks"]]
    assert ends.count(1) == 50 and ends.count(2) == 11


def test_known_game():
    game = recorded()[0]
    assert game["name"] == "make_game 1234 5 10 5"
    batch = kit.started(ID, level=game["level"])
    names = [batch.world.action_names[0][step[0]] for step in game["walks"][0][1:]]
    assert [name.split()[0] for name in names] == ["take", "unlock", "open", "go", "take"] and names[3] == "go east"
    assert kit.act(batch, *names).rewards[0, 0] == 1 and batch.over().all()


# Plans and shortest plans.


def shortest(level, most=40_000):
    """The length of a shortest plan, by breadth-first search over all states."""
    world = build(ID, dict(max_steps=1000))
    batch = kit.started(world, level=level)
    front, seen, length = batch.records.copy(), set(), 0
    while len(front) and len(seen) < most:
        length += 1
        following = []
        batch = kit.started(world, len(front))
        batch.records[:] = front
        for i in range(len(front)):
            record = batch.record(i)
            for action in world.legal_actions(record, 0):
                if TABLE[action, 0] in (1, 2) or (TABLE[action, 0] == EXAMINES):
                    continue
                after = front[i : i + 1].copy()
                s, rewards = as_views(after)[0], np.zeros(1)
                world.kernels.step(s, [action], rewards)
                if rewards[0]:
                    return length
                key = (int(s.room), s.places.tobytes(), s.states.tobytes())
                if not s.terminated[0] and key not in seen:
                    seen.add(key)
                    following.append(after)
        front = np.concatenate(following) if following else front[:0]
    return None


@pytest.mark.slow
def test_shortest_plans():
    """Plans are solutions, and longer quests have longer shortest plans."""
    means, equal = [], []
    for length in (1, 2, 3):
        levels = generate_many("quests", 8, quest_length=length, rooms=3, things=4)
        found = [shortest(level) for level in levels]
        assert all(f is not None and f <= len(level["plan"]) for f, level in zip(found, levels, strict=True))
        means.append(np.mean(found))
        equal += [f == len(level["plan"]) for f, level in zip(found, levels, strict=True)]
    assert means == sorted(means) and means[0] < means[2] - 1
    assert np.mean(equal) > 0.8


@pytest.mark.parametrize(
    "params",
    [
        dict(),
        dict(quest_length=12, rooms=12, things=20),
        dict(task="coin", quest_length=7, rooms=12),
        dict(task="treasure", rooms=7, obstacles="closed"),
        dict(task="cooking", rooms=6, ingredients=4),
    ],
)
@pytest.mark.mostly_slow
def test_plans(params):
    """The plans of 60 levels reach the goal with their last command, with all rewards of steps."""
    for rewards in ("goal", "steps"):
        world = build(ID, dict(params, instructions="steps", rewards=rewards, max_steps=200))
        batch = kit.started(world, 60, seed=7)
        lengths = (batch.records["level"]["plan"] >= 0).sum(axis=1)
        returns = kit.finish(batch, "follower")
        assert np.allclose(returns, 1) and (batch.records["t"] == lengths).all()
        assert (batch.records["last"] == batch.records["level"]["plan"][range(60), lengths - 1]).all()
    if "task" not in params or params["task"] == "coin":
        assert (lengths <= world.parameters["quest_length"]).all()
        assert (lengths == world.parameters["quest_length"]).mean() > 0.9


def test_tasks():
    """What the tasks promise: a chain with branches, two treasures, recipes of foods that are there."""
    batch = kit.started(ID, 40, task="coin", quest_length=5, rooms=9)
    exits = (batch.records["exits"] >= 0).sum(axis=(1, 2))
    assert (exits == 2 * 8).all() and (batch.records["doors"] == -1).all()  # a tree of nine rooms
    assert (kit.started(ID, 5, task="coin", quest_length=1, rooms=20).records["exits"] >= 0).sum() == 5 * 2 * 19
    batch = kit.started(ID, 40, task="treasure")
    fails, facts = batch.records["level"]["fails"][:, 0], batch.records["level"]["facts"]
    assert (fails[:, 1] == 1).all() and (fails[:, 3] == HELD).all()
    assert all(fails[i, 2] not in facts[i, :, 2] for i in range(40))
    for obstacles, closed, locked in (("none", 0, 0), ("closed", 1, 0), ("locked", 1, 1)):
        batch = kit.started(ID, 60, obstacles=obstacles, rooms=8)
        states, places = batch.records["states"][:, :18], batch.records["places"][:, :18]
        hung = np.stack([np.isin(np.arange(18), doors) for doors in batch.records["doors"].reshape(60, -1)])
        lids = states[hung | (places != 65)]
        assert (lids != 1).any() == closed and (lids == 2).any() == locked and hung.any() == closed
    batch = kit.started(ID, 40, task="cooking", ingredients=5, preparation="none")
    recipe = batch.records["level"]["recipe"]
    assert (recipe[:, :, 1:] == 0).all() and len({len(set(row)) for row in recipe[:, :, 0].tolist()}) == 1
    batch = kit.started(ID, 300, task="cooking", ingredients=5)
    ways = batch.records["level"]["recipe"][:, :, 1].reshape(-1)
    tough = np.isin(batch.records["level"]["recipe"][:, :, 0].reshape(-1), range(42, 47))
    assert (ways[tough] > 0).all() and 0.18 < (ways[~tough] == 0).mean() < 0.32


def test_difficulty():
    """Longer quests take an explorer longer, and random play reaches fewer of them."""
    steps, lucky = [], []
    for length in (1, 4, 8, 14):
        world = build(ID, dict(quest_length=length, rooms=8))
        batch = kit.started(world, 80)
        returns = kit.finish(batch, "explorer")
        assert returns.mean() > 0.95
        steps.append(batch.records["t"].mean())
        lucky.append(kit.finish(kit.started(world, 80), "random").mean())
    assert steps == sorted(steps) and lucky == sorted(lucky, reverse=True) and lucky[0] > 0.4 and lucky[3] < 0.1


def test_split():
    """Levels are in the train or the test split, and draw again from their own data."""
    train = generate_many("quests", 6, split="train", task="cooking")
    assert {split_of(level) for level in train} == {"train"}
    level = generate("quests", 3)
    batch = kit.started(ID, level=level)
    assert {"kind": "quests", **batch.world.get_level(batch.record())} == level


# Rules by hand.


def test_doors_and_keys():
    batch = kit.started(ID, level=KITCHEN)
    names = kit.legal(batch)
    assert "go east" not in names and "open oak door" not in names and "take carrot" not in names
    assert not any(name.startswith(("unlock", "lock")) for name in names)  # the silver key fits nothing
    kit.act(batch, "take gold key", "unlock oak door with gold key", "open oak door")
    assert {"go east", "close oak door"} <= kit.legal(batch) and "lock oak door with gold key" not in kit.legal(batch)
    kit.act(batch, "close oak door")
    assert "lock oak door with gold key" in kit.legal(batch)
    kit.act(batch, "open oak door", "go east", "take hat", "go west", "drop gold key", "put hat on counter")
    assert batch.records["places"][0, [NUMBER["gold key"], NUMBER["hat"]]].tolist() == [ROOM, NUMBER["counter"]]
    assert kit.act(batch, "close oak door").masks[0, 0, :4].sum() == 0
    kit.act(batch, "open oak door", "go east", "go south", "drop silver key")
    assert batch.records["places"][0, NUMBER["silver key"]] == ROOM + ROOMS.index("garden")


def test_containers():
    """What is in something closed is hidden, also when it is put there; supporters and floors hide nothing."""
    batch = kit.started(ID, level=KITCHEN)
    carrot = NUMBER["carrot"]
    assert batch.observations["places"][0, 0, carrot] == -1 and batch.observations["states"][0, 0, carrot] == 0
    assert "insert silver key into fridge" not in kit.legal(batch)
    kit.act(batch, "open fridge")
    assert batch.observations["places"][0, 0, carrot] == NUMBER["fridge"]
    kit.act(batch, "insert silver key into fridge", "close fridge")
    assert batch.observations["places"][0, 0, NUMBER["silver key"]] == -1
    assert batch.observations["places"][0, 0, NUMBER["hat"]] == -1  # in another room


def test_cooking():
    batch = kit.started(ID, level=KITCHEN)
    kit.act(batch, "open fridge", "take carrot", "take potato")
    assert {"cook carrot with stove", "cook potato with oven", "eat carrot"} <= kit.legal(batch)
    unfit = {"eat potato", "cook carrot with grill", "slice carrot with knife", "prepare meal"}
    assert not unfit & kit.legal(batch)
    kit.act(batch, "take knife", "cook carrot with stove", "dice carrot with knife", "cook potato with oven")
    assert "slice carrot with knife" not in kit.legal(batch) and "eat potato" in kit.legal(batch)
    assert batch.world.reply(batch.record(), 0) == "You cook the potato with the oven. It is roasted now."
    assert "prepare meal" in kit.legal(batch)
    assert kit.act(batch, "drop potato").masks[0, 0, -1] == 0  # it must be carried
    kit.act(batch, "take potato", "take gold key", "unlock oak door with gold key", "open oak door")
    assert kit.act(batch, "go east").masks[0, 0, -1] == 0  # nor anywhere else
    kit.act(batch, "go west", "prepare meal")
    assert (batch.records["places"][0, [NUMBER["carrot"], NUMBER["potato"]]] == 65).all()
    assert kit.act(batch, "eat meal").rewards[0, 0] == 1


@pytest.mark.parametrize(
    ("moves", "failed"),
    [
        (("cook carrot with oven",), True),  # in the wrong way
        (("cook carrot with stove", "cook carrot with stove"), True),  # it burns
        (("cook carrot with stove", "cook potato with stove", "eat potato"), True),  # an ingredient
        (("cook potato with stove", "cook potato with oven"), False),  # burned, but the level has no such fact
    ],
)
def test_failures(moves, failed):
    batch = kit.act(kit.started(ID, level=KITCHEN), "open fridge", "take carrot", "take potato", *moves)
    assert batch.over()[0] == failed and batch.rewards[0, 0] == 0
    assert ("You have failed." in batch.world.text(batch.record(), 0)) == failed


def test_failures_of_open_quests():
    """A fact fails a quest only until the quest is done; the quest -1 is never done."""
    quests = [[["gold key", "at", "agent"]], [["hat", "at", "agent"]]]
    for quest, first, failed in ((0, "take gold key", False), (0, "take knife", True), (-1, "take gold key", True)):
        level = {**KITCHEN, "quests": quests, "fails": [[quest, "cookbook", "at", "agent"]]}
        batch = kit.act(kit.started(ID, level=level), first, "take cookbook")
        assert batch.over()[0] == failed


def test_recipe():
    """The recipe is hidden until the cookbook is read; the picture keeps room for it."""
    batch = kit.started(ID, level=KITCHEN)
    height = batch.world.scene(batch.record()).height
    assert (batch.observations["recipe"][0, 0, :, 0] == -1).all()
    kit.act(batch, "examine knife")
    assert (batch.observations["recipe"][0, 0, :, 0] == -1).all()
    kit.act(batch, "examine cookbook")
    words = "The recipe: a carrot (fried and diced) and a potato (roasted)."
    assert batch.world.reply(batch.record(), 0) == words and words in batch.world.text(batch.record(), 0)
    assert batch.world.scene(batch.record()).height == height
    assert batch.observations["recipe"][0, 0, :2].tolist() == [[NUMBER["carrot"], 1, 2], [NUMBER["potato"], 2, 0]]


def test_rewards_of_steps():
    batch = kit.started(ID, level=KITCHEN, rewards="steps")
    kit.act(batch, "open fridge", "take carrot", "cook carrot with stove")
    assert batch.rewards[0, 0] == pytest.approx(1 / 3)
    assert kit.act(batch, "look").rewards[0, 0] == 0


def test_instructions():
    for told, goal, steps in (("nothing", False, False), ("goal", True, False), ("steps", True, True)):
        batch = kit.started(ID, instructions=told)
        assert batch.observations["goal"].any() == goal and (batch.observations["steps"] >= 0).any() == steps
        text = batch.world.prompt(batch.record(), 0)
        assert ("not told" in text) == (not goal) and ("These commands reach it" in text) == steps


# Words.


def test_texts():
    batch = kit.started(ID, level=KITCHEN)
    world, s = batch.world, batch.record()
    assert world.reply(s, 0) == (
        "You are in the kitchen. There are a closed fridge, a closed oven, a counter, a stove and a gold key here. On "
        "the counter are a raw potato, a cookbook and a knife. To the east is a locked oak door. You carry a silver "
        "key."
    )
    said = []
    for move in ("open fridge", "take gold key", "put gold key on stove", "examine oven", "inventory"):
        kit.act(batch, move)
        said.append(world.reply(batch.record(), 0))
    assert said == [
        "You open the fridge. In the fridge is a carrot.",
        "You take the gold key from the floor.",
        "You put the gold key on the stove.",
        "The oven is closed. You can roast food with it.",
        "You carry a silver key.",
    ]


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("pick up the gold key", "take gold key"),
        ("I will take the gold key from the floor.", "take gold key"),
        ("Place the silver key onto the counter", None),
        ("put the silver key onto the counter", "put silver key on counter"),
        ("look around", "look"),
        ("read the cookbook", "examine cookbook"),
    ],
)
def test_wordings(answer, meant):
    world = build(ID)
    batch = kit.started(world, level=KITCHEN)
    legal = np.flatnonzero(batch.masks[0, 0]).tolist()
    if meant is None:
        with pytest.raises(ActionError, match="did you mean"):
            read_action(world.action_names[0], answer, legal, world.synonyms)
    else:
        found = read_action(world.action_names[0], answer, legal, world.synonyms)
        assert world.action_names[0][found] == meant


def test_tools():
    world = build(ID)
    call = {"name": "put", "arguments": {"item": "hat", "place": "table"}}
    action = parse_call(world, 0, call)
    assert world.action_names[0][action] == "put hat on table" and to_call(world, 0, action) == call
    assert [tool.name for tool in world.tools[0]][-1] == "prepare_meal" and len(world.action_names[0]) == len(TABLE)
    with pytest.raises(ActionError, match="did you mean 'hat'"):
        parse_call(world, 0, {"name": "take", "arguments": {"item": "hatt"}})


def test_clicks():
    batch = kit.started(ID, level=KITCHEN)
    s = batch.record()
    buttons = [shape for shape in batch.world.scene(s, 0).shapes if getattr(shape, "fill", "") == "panel"]
    found = [batch.world.click(s, 0, one.x + one.width / 2, one.y + one.height / 2) for one in buttons]
    assert found == np.flatnonzero(batch.masks[0, 0]).tolist() and batch.world.click(s, 0, 3, 5) is None


# Levels and baselines.


def test_levels():
    def changed(**parts):
        return {**KITCHEN, **parts}

    def thing(*row):
        return changed(things=[*KITCHEN["things"], list(row)])

    kit.refuses(
        build(ID),
        (changed(agent="cave"), "no room 'cave'"),
        (changed(color="red"), "no part 'color'"),
        (thing("lamp", "hall"), "no thing 'lamp'"),
        (thing("pen", "hat"), "'hat' is no room, container or piece of furniture"),
        (thing("pen", "chest"), "at the chest, which is not there"),
        (thing("hat", "hall"), "twice"),
        (thing("pen", "hall", "wet"), "no state 'wet'"),
        (thing("pen", "hall", "open"), "neither open nor locked"),
        (thing("red door", "hall"), "is a door"),
        (thing("chest", "agent"), "must be in a room"),
        (thing("chest", "hall", "open", "locked"), "cannot be open and locked"),
        (changed(exits=[["hall", "up", "garden"]]), "no direction 'up'"),
        (changed(exits=[["hall", "east", "garden"], ["hall", "east", "kitchen"]]), "two exits lead east"),
        (changed(exits=[["hall", "east", "garden", "hat"]]), "'hat' is no door"),
        (changed(opens={"hat": "fridge"}), "'hat' is no key"),
        (changed(opens={"gold key": "hat"}), "no thing with a lock"),
        (changed(quests=[]), "needs quests"),
        (changed(quests=[[["hat", "on", "table"]]]), "must be like"),
        (changed(quests=[[["hat", "is", "big"]]]), "no state 'big'"),
        (changed(fails=[[7, "hat", "at", "agent"]]), "the number of a quest"),
        (changed(optional=[2]), "without the last one"),
        (changed(recipe=[["carrot", "boiled", None]]), "no way to cook 'boiled'"),
        (changed(plan=["dance"]), "no command 'dance'"),
        ({}, "lacks 'agent'"),
    )


def test_explorer_sees_no_more():
    """Its choice depends on observations only: hidden things in other places change nothing until they are seen."""
    moved = {**KITCHEN, "things": [*KITCHEN["things"][:-1], ["hat", "fridge"]]}
    found = []
    for level in (KITCHEN, moved):
        batch = kit.started(ID, level=level)
        player = make_policy("explorer", batch.world)
        player.reset(0, 1)
        found.append([int(player.act_batch(batch.observations, batch.masks, [0])[0, 0])])
    assert found[0] == found[1]


def test_baselines():
    """The explorer reaches nearly all goals, random play few."""
    for params, random in ((dict(), 0.35), (dict(task="cooking"), 0.05), (dict(task="treasure", rooms=8), 0.4)):
        world = build(ID, params)
        assert kit.finish(kit.started(world, 100), "explorer").mean() > 0.97
        assert kit.finish(kit.started(world, 100), "random").mean() < random


# The core.


def test_sight():
    """Things in closed things are hidden, however deep; a held container shows what is in it."""
    batch = kit.started(ID, level=KITCHEN)
    s = batch.record()
    hat, fridge, chest, box = (NUMBER[name] for name in ("hat", "fridge", "chest", "crate"))
    s.places[chest], s.places[box], s.places[hat] = ROOM, chest, box
    s.states[chest] = s.states[box] = 1
    for closed, seen in ((None, 1), (box, 0), (chest, 0)):
        s.states[chest] = s.states[box] = 1
        if closed is not None:
            s.states[closed] = 0
        look_around(s, TRAITS, ROOM)
        assert s.visible[hat] == seen
    s.places[box] = HELD
    s.states[box] = 1
    look_around(s, TRAITS, ROOM + ROOMS.index("attic"))
    assert s.visible[hat] == 1 and s.visible[fridge] == 0 and s.visible[KNIFE] == 0
    assert s.visible[NUMBER["oak door"]] == 0
    look_around(s, TRAITS, NUMBER["counter"])  # where agents go from thing to thing
    assert s.visible[KNIFE] == 1 and s.visible[NUMBER["counter"]] == 1 and s.visible[NUMBER["stove"]] == 0


def test_names():
    assert len(NAMES) == MOST == len(set(NAMES)) and not set(NAMES) & set(ROOMS)
