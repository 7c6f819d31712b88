"""Items: in lock-step with MOMAland's ItemGathering; collisions, starts, plans, levels, texts and baselines."""

import itertools
import subprocess
from pathlib import Path

import kit
import numpy as np
import pytest
from reference_environment import interpreter
from scipy.stats import chisquare

from envsuite.core.chance import Explorer
from envsuite.core.errors import LevelError, ParameterError
from envsuite.generators import describe, generate_many, split_of
from envsuite.gridworlds.items import Items
from envsuite.registry import build

ID = "envsuite/Items-v0"
REFERENCE = Path(__file__).with_name("items_reference.py")
STAY, UP, DOWN, LEFT, RIGHT = range(5)
SMALL = dict(height=5, width=5, items=(1, 0, 0))

#: Four agents choose the cell of the fifth in their middle.
CONTEST = ["..1..", ".042.", ".53..", ".....", "rgb.."]
CONTEST_ACTIONS = [RIGHT, DOWN, LEFT, UP]
#: Three agents choose a free cell, and the fourth follows the first.
CROSSING = [".....", "..1..", "30.2.", ".....", "rgb.."]
CROSSING_ACTIONS = [RIGHT, DOWN, LEFT, RIGHT]
#: Items within three steps of both agents.
PLAN = ["0r...", ".gbr.", ".b.g.", "..r.1", ".....", "....b"]


def started(rows, agents, **parameters):
    """A batch of one world on this map."""
    sides = dict(height=len(rows), width=len(rows[0]))
    return kit.started(build(ID, {"items": (1, 0, 0), **sides, "agents": agents, **parameters}), level={"map": rows})


def places(s):
    return list(zip(s["row"].tolist(), s["column"].tolist()))


def outcomes(rows, actions, **parameters):
    """The probabilities of the agents' places after a step."""
    batch = started(rows, len(actions), **parameters)
    found = {}
    for probability, record, _ in Explorer(batch.world).successors(batch.records[0], actions):
        key = tuple(places(record))
        found[key] = found.get(key, 0.0) + probability
    return found


def numbers(rows):
    """A map of letters as the reference's: 1 for agents, 2 and more for items."""
    return np.array([[0 if c == "." else 1 if c.isdigit() else 2 + "rgb".index(c) for c in row] for row in rows])


# In lock-step.


def played(mode, num, seed):
    """Random games of ours with crowds: what the reference needs to repeat them, and what it should answer."""
    rng = np.random.default_rng(seed)
    world = Items(agents=5, height=6, width=5, items=(1, 0, 1), reward=mode, probabilities=(0.5,) * 3, horizon=25)
    shape, steps = (num, 25, 5), 25
    given = {name: np.zeros(shape, int) for name in ("actions", "returns", "landed", "taken")}
    maps, levels = np.zeros((num, 6, 5), int), []
    for i in range(num):  # agents are numbered by rows there
        letters = list("01234rgb" + ("rg" if i % 2 else "..")) + ["."] * 20
        order = rng.permutation(30)
        cells = [letters[k] for k in order]
        agents = iter("01234")
        cells = [next(agents) if c.isdigit() else c for c in cells]
        levels.append({"map": ["".join(cells[5 * row : 5 * row + 5]) for row in range(6)]})
        maps[i] = numbers(levels[-1]["map"])
    batch = kit.started(world, num, level=levels)
    answers = {"maps": np.zeros((num, steps, 6, 5), int), "rewards": np.zeros((*shape, 3))}
    answers |= {"over": np.zeros((num, steps, 2), bool), "played": np.zeros((num, steps), bool)}
    for t in range(steps):
        running = ~batch.over()
        before = batch.records.copy()
        batch.actions[:] = given["actions"][:, t] = rng.integers(5, size=(num, 5))
        batch.step(where=running)
        s, every = batch.records, np.arange(num)[:, None]
        given["returns"][:, t] = (s["row"] == before["row"]) & (s["column"] == before["column"])
        given["landed"][:, t] = before["items"][every, s["row"], s["column"]] > 0
        given["taken"][:, t] = s["taken"]
        answers["maps"][running, t] = batch.observations["map"][running, 0]
        answers["rewards"][running, t] = batch.vector_rewards[running]
        answers["over"][running, t] = np.stack([batch.terminations[running, 0], batch.truncations[running, 0]], axis=1)
        answers["played"][:, t] = running
    return {
        "maps": maps,
        **{name: array.astype(bool) if name != "actions" else array for name, array in given.items()},
    }, answers


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """Our answers, and the reference's."""
    folder, given, ours = tmp_path_factory.mktemp("items"), {"episodes": np.array(500)}, {}
    for seed, mode in enumerate(("individual", "team")):
        inputs, ours[mode] = played(mode, 30, seed)
        given |= {f"{mode}/{name}": array for name, array in inputs.items()}
    given |= {"contest/map": numbers(CROSSING), "contest/actions": np.array(CROSSING_ACTIONS)}
    given["plans/map"] = numbers(PLAN)
    # Agents are numbered by rows there.
    order = np.argsort([next(k for k, c in enumerate("".join(CROSSING)) if c == str(a)) for a in range(4)])
    given["contest/actions"] = np.array(CROSSING_ACTIONS)[order]
    np.savez(folder / "given.npz", **given)
    subprocess.run([interpreter("momaland"), REFERENCE, folder / "given.npz", folder / "answer.npz"], check=True)
    with np.load(folder / "answer.npz") as answer:
        return ours, order, dict(answer)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["individual", "team"])
def test_in_lock_step_with_momaland(reference, mode):
    """30 crowded games: maps, objectives and ends, with the draws of our games."""
    ours, _, answer = reference
    for part in ("played", "maps", "rewards"):
        assert (ours[mode][part] == answer[f"{mode}/{part}"]).all()
    over, theirs = ours[mode]["over"], answer[f"{mode}/over"]
    assert (over[:, :, 0] == theirs[:, :, 0]).all() and (over.any(axis=2) == theirs.any(axis=2)).all()
    assert over[:, :, 0].any() and over[:, :, 1].any()


@pytest.mark.slow
def test_contests_are_those_of_momaland(reference):
    _, order, answer = reference
    expected = outcomes(CROSSING, CROSSING_ACTIONS)
    found = {}
    for cells, count in zip(answer["contest/maps"], answer["contest/counts"]):
        there = [tuple(np.argwhere(cells == -1 - k)[0].tolist()) for k in range(4)]
        found[tuple(there[list(order).index(a)] for a in range(4))] = int(count)
    assert set(found) == set(expected)
    total = sum(found.values())
    assert chisquare([found[key] for key in expected], [total * expected[key] for key in expected]).pvalue > 1e-3


@pytest.mark.slow
def test_random_play_on_momalands_map(reference):
    """Within four standard errors of the reference; the page has numbers of 65,536 episodes."""
    _, _, answer = reference
    agents = iter("01")
    rows = ["".join(next(agents) if c < 0 else ".rgb"[c] for c in row) for row in answer["own"].tolist()]
    world = build(ID)
    batch = kit.started(world, 3000, level={"map": rows})
    rng = np.random.default_rng(1)
    while not batch.over().all():
        batch.step(rng.integers(5, size=batch.actions.shape), ~batch.over())
    ours, theirs = batch.records["gathered"].sum(axis=1), answer["episodes"]
    errors = np.sqrt(ours.var(axis=0) / len(ours) + theirs.var(axis=0) / len(theirs))
    assert (abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4 * errors).all()


@pytest.mark.slow
def test_best_plans(reference):
    """All 15,625 plans of three steps: the best linear and Chebyshev values are those of the reference."""
    _, _, answer = reference
    level = {"map": PLAN}
    world = build(ID, dict(height=6, width=5, items=(1, 0, 0), reward="team"))
    batch = kit.started(world, 25**3, level=level)
    totals = np.zeros((25**3, 3))
    for joint in np.array(list(itertools.product(range(25), repeat=3))).T:
        batch.step(np.stack([joint // 5, joint % 5], axis=1))
        totals += batch.vector_rewards[:, 0]
    theirs = answer["plans"]
    found = {*map(tuple, totals.tolist())}
    assert found == {*map(tuple, theirs.tolist())} and len(found) > 20
    for weights in np.random.default_rng(0).dirichlet(np.ones(3), size=50):
        assert (totals @ weights).max() == pytest.approx((theirs @ weights).max())
        assert (totals / weights).min(axis=1).max() == pytest.approx((theirs / weights).min(axis=1).max())


# Collisions.


def test_one_of_two_enters():
    rows = ["0.1..", ".....", ".....", ".....", "rgb.."]
    assert outcomes(rows, [RIGHT, LEFT]) == pytest.approx({((0, 1), (0, 2)): 0.5, ((0, 0), (0, 1)): 0.5})


def test_agents_may_change_places():
    assert outcomes(["01...", *["....."] * 3, "rgb.."], [RIGHT, LEFT]) == {((0, 1), (0, 0)): 1.0}


def test_nobody_enters_the_cell_of_an_agent_that_stays():
    """Four agents choose the cell of the fifth, which stays, or cannot leave because the sixth stays."""
    same = tuple((i, j) for a in range(6) for i, row in enumerate(CONTEST) for j, c in enumerate(row) if c == str(a))
    blocked = ["..1..", ".542.", ".03..", ".....", "rgb.."]
    assert set(outcomes(CONTEST, [*CONTEST_ACTIONS, STAY, STAY])) == {same}
    there = outcomes(blocked, [UP, DOWN, LEFT, UP, LEFT, STAY])
    assert {key[4] for key in there} == {(1, 2)} and {key[1:4] for key in there} == {((0, 2), (1, 3), (2, 2))}


def test_the_last_of_three_enters_more_often():
    found = outcomes(CROSSING, CROSSING_ACTIONS)
    chances = [sum(p for key, p in found.items() if key[a] == (2, 2)) for a in range(3)]
    assert chances == [0.25, 0.25, 0.5]
    # The fourth follows the first only if that one leaves.
    assert all((key[3] == (2, 1)) == (key[0] == (2, 2)) for key in found)


def test_walls_are_edges():
    assert outcomes(["0....", "1....", ".....", ".....", "rgb.."], [UP, LEFT]) == {((0, 0), (1, 0)): 1.0}


# Items.


def test_objectives():
    """Own items, or those of the team; the reward is their weighted sum."""
    rows = ["0r.g1", ".....", ".....", ".....", "..b.."]
    for mode, first, second in (("individual", [1, 0, 0], [0, 1, 0]), ("team", [1, 1, 0], [1, 1, 0])):
        batch = started(rows, 2, reward=mode, weights=(2, -3, 5))
        batch.step([[RIGHT, LEFT]])
        assert batch.vector_rewards[0].tolist() == [first, second]
        assert batch.rewards[0].tolist() == [np.dot(first, (2, -3, 5)), np.dot(second, (2, -3, 5))]
        assert not batch.over()[0] and batch.record().left == 1


def test_probabilities():
    batch = started(["0r...", *["....."] * 4], 1, probabilities=(0.25, 1, 1))
    found = Explorer(batch.world).successors(batch.records[0], [RIGHT])
    assert {(int(record["left"]), float(rewards[0])): p for p, record, rewards in found} == {
        (0, 1.0): 0.25,
        (1, 0.0): 0.75,
    }
    missed = next(record for _, record, _ in found if record["left"])
    batch.records[0] = missed
    batch.observe()
    assert batch.observations["map"][0, 0].max() == 0  # hidden by the agent
    assert "Items: none." in batch.world.text(batch.record(), 0)


def test_ends():
    batch = started(["0r...", *["....."] * 4], 1, horizon=1)
    batch.step([[RIGHT]])
    assert batch.terminations.all() and not batch.truncations.any()
    batch = started(["0r...", *["....."] * 4], 1, horizon=1)
    batch.step([[DOWN]])
    assert batch.truncations.all() and not batch.terminations.any()


def test_starts():
    """One item in the one inner cell; the agent in any other one, with the same probability."""
    found = Explorer(Items(agents=1, height=5, width=5, items=(0, 1))).starts()
    assert len(found) == 24 and all(one.probability == pytest.approx(1 / 24) for one in found)
    assert {places(one.record)[0] for one in found} == {*itertools.product(range(5), repeat=2)} - {(2, 2)}
    assert all(one.record["items"][2, 2] == 2 for one in found)
    items = kit.started(Items(), 20).records["items"]
    assert (items[:, 2:-2, 2:-2] > 0).sum() == (items > 0).sum() == 20 * 8
    assert all(np.bincount(one.ravel())[1:].tolist() == [3, 3, 2] for one in items)


def test_levels():
    rows = ["0r...", *["....."] * 3, "....1"]
    world = build(ID, SMALL)
    assert world.get_level(kit.started(world, level={"map": rows}).record()) == {"map": rows}
    kit.refuses(
        world,
        ({"map": rows[1:]}, "map must be 5 texts of 5 letters"),
        ({"map": ["0r..x", *rows[1:]]}, "map has the letter 'x'; known: . 0 1 r g b"),
        ({"map": ["0r..2", *rows[1:]]}, "map has the letter '2'; known: . 0 1 r g b"),
        ({"map": ["0r..1", *rows[1:]]}, "the map has 2 agents 1; it must have 1"),
        ({"map": [".r...", *rows[1:]]}, "the map has 0 agents 0; it must have 1"),
        ({"map": ["0....", *rows[1:]]}, "the map has no item"),
    )


def test_parameters():
    for wrong in (
        dict(items=(0, 0)), dict(items=(17,)), dict(items=(1,) * 7), dict(weights=(1, 2)), dict(probabilities=(0.5,)),
        dict(agents=10, height=5, width=5, items=(2,)),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=str(list(wrong)[-1])):
            Items(**wrong)


def test_clicks_and_text():
    batch = started([".....", ".0...", "..r..", ".....", "....1"], 2)
    assert kit.clicks(batch, 0) == {None, STAY, UP, DOWN, LEFT, RIGHT}
    assert batch.world.click(batch.record(), 0, 1.9, 2.9) == DOWN
    text = batch.world.text(batch.record(), 0)
    assert text.splitlines()[1:6] == [".....", ".0...", "..r..", ".....", "....1"]
    assert "Items: red 1 down 1 right." in text


# Baselines.


def test_baselines_choose():
    batch = started([".r.0.", "...1.", "...g.", ".....", "....."], 2)
    assert kit.choices("nearest", batch, 0, seeds=4) == {"left"}
    assert kit.choices("nearest", batch, 0, color=2) == {"down"}
    assert kit.choices("divide", batch, 0) == {"left"} and kit.choices("divide", batch, 1) == {"down"}
    assert kit.choices("nearest", batch, 1, color=3) == {"down"}  # there is none


@pytest.mark.slow
def test_baselines_score():
    found = {
        name: kit.finish(kit.started(ID, 300), name).sum(axis=1).mean() for name in ("random", "nearest", "divide")
    }
    assert found["random"] < 2 and found["nearest"] > 7.5 and found["divide"] > found["nearest"]


# Generated maps.


def test_every_color_has_its_letter():
    rows = ["0r...", "..gb.", "..op.", "...s.", "....1"]
    world = build(ID, dict(height=5, width=5, items=(1, 0, 0, 0, 0, 0)))
    batch = kit.started(world, level={"map": rows})
    assert world.get_level(batch.record()) == {"map": rows}
    assert sorted(batch.records["items"][0][batch.records["items"][0] > 0]) == [1, 2, 3, 4, 5, 6]
    assert "o gold" in world.text(batch.record(), 0)


def test_generated_maps():
    for params in (
        dict(),
        dict(agents=5, height=6, width=9, each=1, colors=6),
        dict(height=5, width=5, each=1, colors=1),
    ):
        for split in ("train", "test"):
            for level in generate_many("gatherings", 6, 1, split, **params):
                letters, agents, colors = "".join(level["map"]), params.get("agents", 2), params.get("colors", 3)
                assert split_of(level) == split
                counts = [letters.count(letter) for letter in "rgbops"[:colors]]
                assert counts == [params.get("each", 3)] * colors
                assert [letters.count(letter) for letter in "0123456789"] == [1] * agents + [0] * (10 - agents)
                inner = "".join(row[2:-2] for row in level["map"][2:-2])
                assert sum(letter in "rgbops" for letter in inner) == sum(counts)
                size = dict(height=len(level["map"]), width=len(level["map"][0]))
                world = build(ID, dict(agents=agents, items=(1,) * colors, **size))
                assert world.get_level(kit.started(world, level=level).record()) == {"map": level["map"]}


def test_larger_maps_and_fewer_agents_are_longer_ways():
    def far(**params):
        return np.mean([describe(level)["difficulty"] for level in generate_many("gatherings", 60, **params)])

    by_size, by_agents = [far(height=n, width=n) for n in (8, 12, 20)], [far(agents=n) for n in (6, 3, 1)]
    for found in (by_size, by_agents):
        assert found[0] + 0.5 < found[1] < found[2] - 0.5


def test_generated_levels_are_refused():
    good = ["0....", ".....", "..r..", ".....", "....1"]
    for rows, words in (
        ([*good[:4], "...1"], "5 texts"),
        (["0..x.", *good[1:]], "letter 'x'"),
        (["2....", *good[1:]], "once, from 0 on"),
        ([*good[:2], ".....", *good[3:]], "no item"),
    ):
        with pytest.raises(LevelError, match=words):
            describe({"kind": "gatherings", "map": rows})
