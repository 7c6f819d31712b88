"""HouseholdText: ALFWorld's domain in PDDL state by state, shortest plans by breadth-first search, levels, words."""

import json

import kit
import numpy as np
import pytest
from kit import act, legal

from envsuite.core.errors import ActionError
from envsuite.core.record import as_views
from envsuite.evaluation.matches import play
from envsuite.games import household_text as rules
from envsuite.games.household_text.terms import EXAMINES, GOES, KIND, LIKELY, NAMES, PLACES, SLICES, TABLE, TASKS
from envsuite.generators import describe, generate_many, split_of
from envsuite.kit.things import GONE, HELD, ROOM
from envsuite.registry import build

ID = "envsuite/HouseholdText-v0"
EPISODES = json.loads((kit.DATA / "HouseholdText" / "household_text.json").read_text())["episodes"]
WORLD = build(ID, dict(receptacles=24, objects=38, horizon=10_000))


# Rules.


@pytest.mark.parametrize("part", range(4))
@pytest.mark.mostly_slow
def test_alfworlds_domain_state_by_state(part):
    """The possible actions and the goal are those of PDDL in every state, but for what the page names."""
    differs = 0
    for episode in EPISODES[part::4]:
        batch = kit.started(WORLD, level=episode["level"])
        s = batch.record()
        for allowed, reached, action in episode["steps"]:
            own = {k for k in WORLD.legal_actions(s, 0) if TABLE[k, 0] < EXAMINES} if not s.terminated[0] else None
            stay = {k for k in allowed if TABLE[k, 0] == GOES and TABLE[k, 1] == s.at}
            unseen = {k for k in allowed if TABLE[k, 0] == SLICES and not s.visible[TABLE[k, 1]]}
            assert own is None or own == set(allowed) - stay - unseen
            if s.level.task == TASKS.index("look"):
                assert not s.terminated[0] or reached
                differs += reached - s.terminated[0]
            else:
                assert s.terminated[0] == reached
            if action >= 0:
                rules.step(s, [action], np.zeros(1))
    assert differs <= 1


def test_recorded_steps_are_varied():
    steps = [step for episode in EPISODES for step in episode["steps"]]
    verbs = {int(TABLE[action, 0]) for _, _, action in steps if action >= 0}
    assert verbs == set(range(EXAMINES)) and len(steps) > 200
    assert sum(reached for _, reached, _ in steps) >= 6


LEVEL = {
    "task": "heat",
    "item": "apple",
    "target": "desk",
    "receptacles": ["fridge", "microwave", "sink", "counter 1", "drawer 1", "desk", "bed"],
    "objects": {"apple 1": "fridge", "apple 2": "fridge", "knife 1": "drawer 1", "book 1": "bed", "desk lamp": "desk"},
}
FREE = {**LEVEL, "target": "counter"}
START = "go to fridge", "open fridge", "take apple 1"
END = "go to counter 1", "put apple 1 on counter 1"


def test_states():
    """Heating ends cold, cooling ends hot, clean and sliced stay; hands hold one object; lids matter."""
    batch = kit.started(WORLD, level={**FREE, "task": "clean"})
    s, apple = batch.record(), NAMES.index("apple 1")
    assert legal(batch) == {f"go to {place}" for place in LEVEL["receptacles"]} | {"look", "inventory"}
    act(batch, "go to fridge")
    assert "take apple 1" not in legal(batch) and "examine apple 1" not in legal(batch)
    act(batch, "open fridge", "take apple 1")
    assert not {"take apple 2", "put apple 1 in drawer 1"} & legal(batch) and "put apple 1 in fridge" in legal(batch)
    act(batch, "close fridge")
    assert "put apple 1 in fridge" not in legal(batch)
    act(batch, "cool apple 1")
    assert s.states[apple] == 16
    act(batch, "go to microwave", "heat apple 1")
    assert s.states[apple] == 8
    act(batch, "go to sink", "clean apple 1")
    assert s.states[apple] == 8 + 32 and "heat apple 1" not in legal(batch)
    act(batch, "go to fridge", "cool apple 1", "go to desk", "use desk lamp", "use desk lamp")
    assert s.states[apple] == 16 + 32 and s.states[NAMES.index("desk lamp")] == 0
    assert not any(name.startswith("put") for name in legal(batch))
    act(batch, "go to sink", "put apple 1 in sink", "go to drawer 1", "open drawer 1", "take knife 1", "go to sink")
    assert "slice apple 1" in legal(batch) and "clean knife 1" in legal(batch) and "take apple 1" not in legal(batch)
    act(batch, "slice apple 1")
    assert s.states[apple] == 16 + 32 + 64
    act(batch, "put knife 1 in sink")
    assert "slice apple 1" not in legal(batch) and not s.terminated[0]
    act(batch, "take apple 1", "go to counter 1", "put apple 1 on counter 1")
    assert batch.rewards[0, 0] == 1 and batch.terminations[0, 0]


@pytest.mark.parametrize(
    "change, moves",
    [
        (dict(task="place"), [*START, *END]),
        (
            dict(task="two"),
            [*START, *END, "go to fridge", "take apple 2", "go to counter 1", "put apple 2 on counter 1"],
        ),
        (
            dict(task="heat"),
            [*START, "cool apple 1", *END, "take apple 1", "go to microwave", "heat apple 1", *END],
        ),
        (
            dict(task="cool"),
            [*START, "go to microwave", "heat apple 1", *END, "take apple 1", "go to fridge", "cool apple 1", *END],
        ),
        (
            dict(task="look", item="book"),
            [*START, "go to desk", "use desk lamp", "go to sink", "put apple 1 in sink", "go to bed", "take book 1"]
            + ["go to desk"],
        ),
        (
            dict(task="look", item="book"),
            ["go to desk", "use desk lamp", "use desk lamp", "go to bed", "take book 1", "go to desk", "use desk lamp"],
        ),
    ],
)  # fmt: skip
def test_goals(change, moves):
    """The last command reaches the goal and no other one does."""
    batch = kit.started(WORLD, level={**FREE, **change})
    for move in moves:
        assert not batch.terminations.any()
        act(batch, move)
    assert batch.terminations.all() and batch.rewards[0, 0] == 1


def test_the_end_of_time():
    batch = kit.started(ID, level=FREE, horizon=3)
    act(batch, "look", "inventory", "look")
    assert batch.truncations.all() and not batch.terminations.any()


def test_what_is_seen():
    """Contents are known from the moment that a receptacle is seen open, and remembered."""
    batch = kit.started(ID, level=FREE)
    apple, fridge = NAMES.index("apple 1"), NAMES.index("fridge")
    seen = batch.observations[0, 0]
    assert seen["at"] == HELD and not seen["searched"].any() and (seen["places"][PLACES:] == -1).all()
    assert [k for k in range(PLACES) if seen["places"][k] == ROOM] == [NAMES.index(name) for name in sorted(
        LEVEL["receptacles"], key=NAMES.index)]  # fmt: skip
    act(batch, "go to fridge")
    assert batch.observations[0, 0]["places"][apple] == -1 and not batch.observations[0, 0]["searched"].any()
    act(batch, "open fridge", "close fridge", "go to bed")
    seen = batch.observations[0, 0]
    assert seen["places"][apple] == fridge and seen["searched"][fridge] and seen["at"] == NAMES.index("bed")
    assert seen["places"][NAMES.index("book 1")] == NAMES.index("bed")
    told = kit.started(ID, level=FREE, known=True)
    everything = told.observations[0, 0]
    assert everything["searched"].all() and everything["places"][apple] == fridge
    assert "apple 1" in told.world.reply(told.record(), 0) and "apple 1" not in batch.world.reply(batch.record(), 0)


# Shortest plans.


def shortest(world, records):
    """The least number of commands to the goal, by breadth-first search through the world itself."""
    front, seen, depth = [records], set(), 0
    while True:
        depth, after = depth + 1, []
        for one in front:
            for action in world.legal_actions(as_views(one)[0], 0):
                if TABLE[action, 0] < EXAMINES and TABLE[action, 0] != SLICES:
                    new = one.copy()
                    rules.step(as_views(new)[0], [action], np.zeros(1))
                    if new["terminated"].any():
                        return depth
                    key = new["places"].tobytes() + new["states"].tobytes() + new["at"].tobytes()
                    if key not in seen:
                        seen.add(key)
                        after.append(new)
        front = after


@pytest.mark.slow
@pytest.mark.parametrize("task", ["place", "clean", "look"])
def test_searcher_that_knows_is_shortest(task):
    """Where everything is known, `searcher` needs as few commands as breadth-first search."""
    world = build(ID, dict(task=task, receptacles=4, objects=2, known=True))
    for seed in range(3):
        records = kit.started(world, 1, seed).records.copy()
        assert play(world, ["searcher"], 1, seed=seed).lengths[0] == shortest(world, records)


def test_shortest_lengths():
    """Lengths of plans with everything known, counted by hand: go, open, take, go, heat, go, put."""
    for change, length in (
        (dict(), 7),
        (dict(task="place"), 5),
        (dict(task="two"), 9),
        (dict(task="cool"), 6),
        (dict(task="look", item="book"), 4),
        (dict(open=["fridge"]), 6),
        (dict(task="cool", open=["fridge"], objects={"apple 1": "sink", "apple 2": "fridge"}), 5),
    ):
        world = build(ID, dict(known=True))
        result = play(world, ["searcher"], 1, levels=[{**FREE, **change}])
        assert result.lengths[0] == length and result.returns[0, 0] == 1


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_lengths_of_plans(task):
    """With everything known, `searcher` needs the numbers of commands that the page says."""
    low, high = {"place": (4, 6), "two": (8, 11), "look": (3, 5)}.get(task, (5, 8))
    found = play(build(ID, dict(task=task, known=True)), ["searcher"], 300, seed=3)
    assert (found.returns == 1).all() and found.lengths.min() >= low and found.lengths.max() <= high
    assert found.lengths.max() == high


@pytest.mark.slow
def test_searching_where_it_is_likely_pays():
    results = {name: play(build(ID), [name], 300, seed=7) for name in ("searcher", "walker", "random")}
    assert results["searcher"].returns.mean() > 0.9 > 0.2 > results["random"].returns.mean()
    assert results["searcher"].lengths.mean() < results["walker"].lengths.mean() - 1


# Levels.


@pytest.mark.parametrize("task", TASKS)
def test_houses(task):
    levels = generate_many("chores", 8, seed=3, task=task)
    batch = kit.started(WORLD, 8, level=levels)  # refuses what cannot be done, or is done already
    assert [{"kind": "chores", **WORLD.get_level(batch.record(k))} for k in range(8)] == levels
    assert {level["task"] for level in levels} == {task} and {describe(level)["difficulty"] for level in levels} == {12}
    places, kinds = batch.records["places"], KIND
    for row in places.astype(int):
        objects = [k for k in range(PLACES, 64) if row[k] != GONE]
        assert all(LIKELY[kinds[k], kinds[row[k]]] for k in objects) and 2 <= len(objects) <= 16
    assert len({level["item"] for level in levels}) > 3


def test_splits():
    for split in ("train", "test"):
        levels = generate_many("chores", 4, split=split)
        assert {split_of(level) for level in levels} == {split} and json.loads(json.dumps(levels)) == levels


def test_broken_levels():
    objects = LEVEL["objects"]
    kit.refuses(
        WORLD,
        ({"task": "heat"}, "a level has 'task', 'item'"),
        (LEVEL, "apple cannot be brought to desk"),
        ({**FREE, "task": "wash"}, "the task 'wash' is none of place"),
        ({**FREE, "item": "desk lamp"}, "the item 'desk lamp' is none of"),
        ({**FREE, "item": "cup"}, "the house has 0 of cup"),
        ({**FREE, "item": "book", "target": "desk"}, "book does not fit the task 'heat'"),
        ({**FREE, "receptacles": ["attic"]}, "the receptacle 'attic' is none of"),
        ({**FREE, "objects": {**objects, "apple 1": "sofa"}}, "the place of apple 1, 'sofa' is none of"),
        ({**FREE, "objects": {**objects, "apple 1": "bed"}}, "apple 1 cannot be in or on bed"),
        ({**FREE, "open": ["bed"]}, "a receptacle that cannot be opened has a state"),
        ({**FREE, "task": "place", "objects": {**objects, "apple 1": "counter 1"}}, "the task is done already"),
        ({**FREE, "task": "look", "objects": {"apple 1": "fridge"}}, "the house has no lamp"),
        ({**FREE, "receptacles": ["fridge", "counter 1", "drawer 1", "desk", "bed"]}, "the house has no microwave"),
    )


def test_contradictions():
    for place, value, problem in (("apple 1", HELD, None), ("apple 1", NAMES.index("bed"), "cannot be in or on bed")):
        batch = kit.started(WORLD, level=FREE)
        batch.records["places"][0, NAMES.index(place)] = value
        found = WORLD.contradiction(batch.record())
        assert found is None if problem is None else problem in found
    batch.records["places"][0, NAMES.index("apple 1")] = HELD
    batch.records["places"][0, NAMES.index("apple 2")] = HELD
    assert "two objects are carried" in WORLD.contradiction(batch.record())
    batch = kit.started(WORLD, level=FREE)
    batch.records["at"] = NAMES.index("sofa")
    assert "at no receptacle" in WORLD.contradiction(batch.record())


# Words.


def test_words():
    batch = kit.started(ID, level=FREE)
    world, s = batch.world, batch.record()
    assert world.reply(s, 0).startswith(
        "You are in the middle of the house. You see a fridge, a microwave, a sink, counter 1"
    )
    assert world.prompt(s, 0).startswith("You do a chore in a house: heat an apple and put it on a counter.")
    for move, told in (
        ("go to fridge", "You go to the fridge. The fridge is closed."),
        ("open fridge", "You open the fridge. In the fridge are apple 1 and apple 2."),
        ("take apple 1", "You take apple 1."),
        ("examine apple 1", "This is apple 1."),
        ("inventory", "You carry apple 1."),
        ("cool apple 1", "You cool apple 1 with the fridge."),
        ("go to counter 1", "You go to counter 1. There is nothing on counter 1."),
        ("put apple 1 on counter 1", "You put apple 1 on counter 1."),
        ("look", "You are at counter 1. On counter 1 is cold apple 1."),
        ("go to desk", "You go to the desk. On the desk is a desk lamp."),
        ("use desk lamp", "You switch the desk lamp on."),
    ):
        act(batch, move)
        assert world.reply(s, 0) == told
    text = world.text(s, 0)
    assert "Not searched yet: microwave, sink, drawer 1, bed." not in text or "sink" in text
    assert "drawer 1" in text.split("Not searched yet: ")[1] and "The fridge" not in text.split("Not searched")[1]


@pytest.mark.parametrize(
    "answer, action",
    [
        ("I should go to the fridge now.", "go to fridge"),
        ("Action: walk to the bed", "go to bed"),
        ("pick up apple 1 from fridge", "take apple 1"),
        ("move the apple 1 to the fridge", "put apple 1 in fridge"),
        ("Chill apple 1 with fridge 1", "cool apple 1"),
        ("shut the fridge", "close fridge"),
    ],
)
def test_free_wording(answer, action):
    batch = kit.started(ID, level=FREE)
    act(batch, "go to fridge", "open fridge")
    if "apple" in answer and "pick" not in answer:
        act(batch, "take apple 1")
    if action.startswith("go to fridge"):
        act(batch, "go to bed")
    assert batch.world.action_names[0][kit.read_answer(batch.world, 0, batch.masks[0, 0], answer)] == action


def test_wrong_wording_is_refused():
    """Nothing is put anywhere else than it says."""
    batch = kit.started(ID, level=FREE)
    act(batch, "go to fridge", "open fridge", "take apple 1")
    for answer in ("put apple 1 in microwave", "heat apple 1", "take apple 2", "go to attic"):
        with pytest.raises(ActionError):
            kit.read_answer(batch.world, 0, batch.masks[0, 0], answer)


def read_here(batch, answer):
    """The name of what an answer means now."""
    return batch.world.action_names[0][kit.read_answer(batch.world, 0, batch.masks[0, 0], answer, batch.record())]


def test_a_lamp_is_turned_on_only_if_it_is_off():
    batch = kit.started(ID, level=FREE)
    act(batch, "go to desk")
    for last, other in (("on", "off"), ("off", "on")) * 2:
        for words in (f"turn {last} desk lamp", f"Switch the desk lamp {last}", f"I turn {last} the desk lamp."):
            assert read_here(batch, words) == "use desk lamp"
        with pytest.raises(ActionError, match="names no action"):
            read_here(batch, f"turn {other} the desk lamp")
        for words in ("use", "toggle", "I toggle the"):
            assert read_here(batch, f"{words} desk lamp") == "use desk lamp"
        act(batch, "use desk lamp")


def test_no_answer_tells_whether_a_lamp_elsewhere_is_lit():
    batch = kit.started(ID, level=FREE)
    for words in ("on", "off"):
        with pytest.raises(ActionError, match="'use desk lamp' is not legal now"):
            read_here(batch, f"turn {words} the desk lamp")


def test_pictures_show_what_is_known():
    """Two houses that differ in what is in a closed fridge look the same to the agent."""
    other = {**FREE, "objects": {**FREE["objects"], "egg 1": "fridge"}}
    scenes, worlds = [], [kit.started(ID, level=level) for level in (FREE, other)]
    for batch in worlds:
        act(batch, "go to fridge")
        scenes.append([batch.world.scene(batch.record(), agent).svg() for agent in (0, None)])
    assert scenes[0][0] == scenes[1][0] and scenes[0][1] != scenes[1][1]
    assert kit.clicks(worlds[0], 0, 2.0, 0.4) >= {None, *worlds[0].world.legal_actions(worlds[0].record(), 0)}
