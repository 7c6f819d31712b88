"""HiddenRules: programs of the Autumn interpreter frame by frame, tests of all tasks, scores, layouts, baselines."""

import gzip
import json
import math
import re
from functools import cache, partial

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.core.batch import Batch
from envsuite.core.errors import SnapshotError
from envsuite.core.record import as_views
from envsuite.evaluation.matches import play
from envsuite.generators import generate_many
from envsuite.gridworlds.hidden_rules import HIDDEN, LAST, kernels, score
from envsuite.gridworlds.hidden_rules.kernels import CLICK, COLORS, DOWN, LEFT, NOOP, RIGHT, RULES, UP
from envsuite.models.driver import Driver
from envsuite.registry import build

ID = "envsuite/HiddenRules-v0"

EXPLORE, TEST, CHOOSE = range(3)

started = partial(kit.started, ID)


def in_python(num=1, seed=0, level=None, **params):
    """A batch whose rules run as Python: less work than to compile them."""
    batch = Batch(build(ID, params), num, compiled=False)
    batch.start(seed, level)
    return batch


def act(batch, *actions):
    """Actions by name or number in all worlds; the last frames."""
    names = batch.world.action_names[0]
    for action in actions:
        batch.step(names.index(action) if isinstance(action, str) else action)
    return batch.observations["frame"][:, 0]


def places(frame, color):
    """(column, row) of the cells of a color."""
    return [(x, y) for y, x in np.argwhere(frame == COLORS.index(color)).tolist()]


# The source.

#: The interpreter's names of colors.
NAMES = [color.replace(" ", "") for color in COLORS]


@cache
def recording():
    return json.loads(gzip.decompress((DATA / "HiddenRules" / "autumn.json.gz").read_bytes()))


class MinStd:
    """The interpreter's random numbers: a product wraps at 32 bits before its remainder is taken."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self, _, count):
        self.state = 48271 * self.state % 2**32 % (2**31 - 1)
        return self.state % count


def compare(episode, steps, monkeypatch):
    """Play an episode of the recording; the number of frames that are the same."""
    rule, size = episode["rule"], episode["size"]
    level = {"rule": rule, "things": episode["things"]}
    batch = in_python(level=level, rule=rule, size=size, explore=1000, steps=1000)
    monkeypatch.setattr(kernels, "randint", MinStd(episode["seed"]))
    wanted = np.zeros((size, size), int)
    for t, cells in enumerate(episode["frames"][: steps + 1]):
        if t:
            act(batch, episode["actions"][t - 1])
        if cells is not None:
            wanted[:] = 0
            for color, spots in cells.items():
                for x, y in spots:
                    wanted[y, x] = NAMES.index(color)
        assert (batch.observations["frame"][0, 0] == wanted).all(), (rule, size, t)
    return t


@pytest.mark.parametrize("rule", RULES)
def test_first_frames_of_the_source(rule, monkeypatch):
    """Two episodes of each rule, long enough for what is rare: an ill agent, food equally far away, wet sand."""
    episodes = [episode for episode in recording() if episode["rule"] == rule]
    steps = {"ants": 10, "disease": 22, "sand": 40}.get(rule, 12)
    chosen = episodes[:2] if rule in ("ants", "disease") else episodes[-2:]
    assert sum(compare(episode, steps, monkeypatch) for episode in chosen) == 2 * steps


@pytest.mark.slow
def test_all_frames_of_the_source(monkeypatch):
    """64 episodes of fourteen programs, many with things elsewhere and on grids of other sizes."""
    assert sum(compare(episode, 1000, monkeypatch) for episode in recording()) == 3633


def first_layout(rule):
    return {"rule": rule, "things": next(e["things"] for e in recording() if e["rule"] == rule)}


def test_numbers_on_the_page():
    """Where things were in runs of the interpreter, from its own layouts."""
    batch = in_python(level=first_layout("ice"))
    assert places(act(batch, "down")[0], "blue") == [(4, 1)]
    assert places(act(batch, *["noop"] * 14)[0], "blue") == [(4, 15)]
    assert places(act(batch, "noop", "noop", "down", *["noop"] * 15)[0], "blue") == [(4, 15), (5, 15)]
    batch = in_python(level=first_layout("ice"))
    act(batch, "down", "noop", "noop")
    assert places(act(batch, "click 9 9")[0], "light blue") == [(4, 3)]
    assert places(act(batch, "noop")[0], "light blue") == [(4, 4)]
    batch = in_python(level=first_layout("gravity"))
    assert places(act(batch, "click 5 5")[0], "blue") == [(5, 4), (6, 4), (5, 5), (6, 5)]
    batch = in_python(level=first_layout("magnets"))
    assert places(act(batch, "right")[0], "blue") == places(act(batch, "right")[0], "blue") == [(5, 7), (5, 8)]
    assert places(act(batch, "up", *["right"] * 4)[0], "blue") == [(6, 6), (6, 7)]
    batch = in_python(level=first_layout("plug"))
    assert places(act(batch, "click 8 0", "click 7 5", *["noop"] * 9)[0], "blue") == [(8, 0), (6, 12)]
    batch = in_python(level=first_layout("crates"), size=8)
    crates = [thing[1:] for thing in first_layout("crates")["things"] if thing[0] == "crate"]
    assert places(act(batch, "right")[0], "blue") == [(4, 3)]
    now = batch.record().now
    moved = [[now.x[k], now.y[k]] for k in range(now.things) if now.kind[k] == kernels.CRATE]
    assert moved == [[x + 1, y] for x, y in crates]


# By hand, or by other means.


@pytest.mark.parametrize("size, seed", [(8, 1), (13, 2), (20, 3)])
def test_life_is_conways(size, seed):
    rng = np.random.default_rng(seed)
    alive = np.zeros((size + 2, size + 2), int)
    alive[1:-1, 1:-1] = rng.random((size, size)) < 0.35
    alive[size, [1, size]] = 0  # below the buttons
    things = [["cell", x - 1, y - 1] for y, x in np.argwhere(alive).tolist()]
    things += [["next button", 0, size - 1], ["clear button", size - 1, size - 1]]
    batch = in_python(level={"rule": "life", "things": things}, size=size)
    for _ in range(4):
        near = sum(np.roll(alive, (j, i), (0, 1)) for j in (-1, 0, 1) for i in (-1, 0, 1)) - alive
        alive = ((near == 3) | ((near == 2) & (alive == 1))).astype(int)
        alive[[0, -1]] = alive[:, [0, -1]] = 0
        shown = act(batch, f"click 0 {size - 1}")[0] == COLORS.index("light pink")
        hidden = np.zeros((size, size), bool)
        hidden[size - 1, [0, size - 1]] = True
        assert (shown == (alive[1:-1, 1:-1] == 1))[~hidden].all()
    assert not places(act(batch, f"click {size - 1} {size - 1}")[0], "light pink")


def test_a_crate_from_the_agents_cell_goes_on():
    """The agent moves into the crate's way and is stopped there; the interpreter stops at the next step."""
    things = [["agent", 2, 2], ["crate", 3, 2], ["wall", 1, 2], ["hole", 7, 7], ["exit", 7, 0], ["entry", 0, 5]]
    batch = in_python(level={"rule": "crates", "things": things}, size=8)
    frame = act(batch, "left")[0]
    assert (places(frame, "blue"), places(frame, "dark orange")) == ([], [(2, 2)])  # both are there
    frame = act(batch, "down")[0]
    assert (places(frame, "blue"), places(frame, "dark orange")) == ([(2, 3)], [(2, 4)])
    things[5] = ["entry", 2, 3]
    batch = in_python(level={"rule": "crates", "things": things}, size=8)
    frame = act(batch, "left", "down")[0]
    now = batch.record().now
    crate = now.kind.tolist().index(kernels.CRATE)
    assert places(frame, "blue") == [(2, 3)] or not places(frame, "blue")
    assert (now.x[crate], now.y[crate]) == (7, 0) and not places(frame, "dark orange")  # below the teleporter


def test_a_teleporter_with_a_crate_at_its_exit_is_closed():
    things = [["agent", 2, 2], ["crate", 3, 2], ["wall", 1, 2], ["hole", 7, 7], ["exit", 7, 0], ["entry", 2, 3]]
    batch = in_python(level={"rule": "crates", "things": [*things, ["crate", 8, 0]]}, size=9)
    assert places(act(batch, "left", "down")[0], "dark orange") == [(7, 1), (2, 4)]


@pytest.mark.parametrize("order", [1, -1])
def test_a_hole_swallows_a_crate_wherever_it_is_listed(order):
    things = [["crate", 3, 3], ["agent", 5, 5], ["hole", 4, 3], ["exit", 7, 0], ["entry", 0, 5], ["crate", 1, 1]]
    batch = in_python(level={"rule": "crates", "things": things[::order]}, size=8)
    frame = act(batch, "right")[0]
    assert (places(frame, "blue"), places(frame, "dark orange")) == ([(6, 5)], [(2, 1)])


def test_a_list_that_is_full_takes_nothing_more():
    batch = in_python(rule="drift", size=8)
    act(batch, "right")
    for k in range(90):  # blobs leave the grid and stay in the list
        act(batch, CLICK + 8 * (k % 8))
    assert batch.records["now"]["things"][0] == 64


# Tests of the three tasks.


#: All rules, some of them in the first layer of tests.
MOSTLY_SLOW = [
    rule if rule in ("ice", "crates", "ants") else pytest.param(rule, marks=pytest.mark.slow) for rule in RULES
]


@pytest.mark.parametrize("rule", MOSTLY_SLOW)
def test_predict(rule):
    """The film is what its actions lead to, hidden only where it must be, and one option of six is its last window."""
    batch = in_python(
        2, seed=RULES.index(rule), rule=rule, size=(8, 11, 16)[RULES.index(rule) % 3], explore=0, frames=16
    )
    names, first = batch.world.action_names[0], CLICK + batch.observations["frame"][0, 0].size
    levels = [batch.world.get_level(batch.record(k)) for k in range(2)]
    own = in_python(2, level=levels, rule=rule, size=batch.world.parameters["size"], explore=100)
    for number in range(16):
        seen = batch.observations[:, 0]
        took, frames = seen["took"], seen["frame"]
        if number:
            own.step(took[:, None])
        for k in range(2):
            row, column = seen["window"][k]
            window = np.zeros(frames[k].shape, bool)
            window[row : row + 5, column : column + 7] = number > 15 - LAST
            assert (frames[k] == HIDDEN).tolist() == window.tolist()
            if rule != "ants" or number == 0:
                assert (frames[k] == own.observations["frame"][k, 0])[~window].all()
        assert seen["number"].tolist() == [[number, 15]] * 2
        if number < 15:
            assert not seen["options"].any() and kit.legal(batch) == {"noop"}
            batch.step(NOOP)
    assert kit.legal(batch) == {"reset", *(f"option {k}" for k in range(6))}
    seen, right = batch.observations[:, 0], []
    for k in range(2):
        options = seen["options"][k]
        assert len({option.tobytes() for option in options}) == 6
        row, column = seen["window"][k]
        truth = own.observations["frame"][k, 0, row : row + 5, column : column + 7]
        same = [n for n in range(6) if (options[n] == truth).all()]
        right.append(int(batch.records["answer"][k]) if rule == "ants" else same[0])
    act(batch, "reset")
    assert batch.observations["number"][:, 0].tolist() == [[0, 15]] * 2
    act(batch, *["noop"] * 15)
    batch.step(np.array(right)[:, None] + names.index("option 0"))
    assert batch.rewards[:, 0].tolist() == [1, 1] and batch.terminations.all() and first == names.index("reset")


def test_wrong_options_are_plausible():
    """With "paint", cells stay painted: an option has the spots before the last frames, or is another frame's."""
    batch, kept = in_python(4, seed=2, rule="paint", size=8, explore=0, frames=14), 0
    for k in range(4):
        s = batch.record(k)
        windows = s.film[:, s.row : s.row + 5, s.column : s.column + 7]
        for option in s.options:
            frames = (windows == option).all(axis=(1, 2)).any()
            spots = (option != 0)[windows[13 - LAST] != 0].all()
            assert frames or spots or (option != windows[13]).sum() == 1
            kept += not frames
    assert kept > 8


def test_a_guess_earns_minus_two_thirds():
    """Of the six options one pays 1 and the others -1."""
    paid = []
    for option in range(6):
        batch = in_python(1, seed=5, size=8, explore=0, frames=10)
        act(batch, *["noop"] * 9, f"option {option}")
        paid.append(batch.rewards[0, 0])
    assert sum(paid) / 6 == pytest.approx(-2 / 3) and sorted(paid) == [-1] * 5 + [1]


@pytest.mark.parametrize("size, rule", [(8, "magnets"), (9, "ice"), (13, "wind"), (10, "egg")])
def test_a_plan_exists(size, rule):
    """Breadth-first search over arrows, waiting and one click finds a way to each goal."""
    batch = in_python(2, seed=size, task="plan", rule=rule, size=size, explore=0, walk=2)
    seen = batch.observations[:, 0].copy()
    for k in range(2):
        row, column = seen["window"][k]
        wanted = np.zeros((size, size), bool)
        wanted[row : row + 5, column : column + 7] = True
        assert ((seen["goal"][k] != HIDDEN) == wanted).all()
        assert (seen["goal"][k] != seen["frame"][k])[wanted].any()
        assert reached(batch, k, seen["goal"][k], wanted)
    assert (batch.records["clock"] == 0).all()


def reached(batch, k, goal, wanted):
    """Whether some sequence of up to three actions leads to a goal; the rule runs on copies of the world."""
    rule = int(batch.records["rule"][k])
    button = [CLICK + int(y) * len(goal) + int(x) for y, x in np.argwhere(goal == COLORS.index("red"))][:1]
    front = [batch.records[k : k + 1].copy()]
    for _ in range(3):
        after = []
        for records in front:
            for action in (NOOP, LEFT, RIGHT, UP, DOWN, CLICK, *button):
                held = records.copy()
                s = as_views(held)[0]
                kernels.advance(s, s.now, rule, action)
                if (s.now.frame == goal)[wanted].all():
                    return True
                after.append(held)
        front = after
    return False


def test_a_goal_pays_at_once():
    batch = in_python(level=first_layout("lamps"), task="plan", rule="lamps", explore=0, walk=1)
    act(batch, "click 3 3")
    assert batch.rewards[0, 0] == 1 and batch.terminations[0, 0]


@pytest.mark.parametrize("rule", MOSTLY_SLOW)
def test_detect(rule):
    """Up to the frame of the change all frames are those of the rule; submitting it, or the one before, pays 1."""
    size = (8, 12)[RULES.index(rule) % 2]
    batch = in_python(3, seed=3, task="detect", rule=rule, size=size, explore=0)
    levels = [batch.world.get_level(batch.record(k)) for k in range(3)]
    own = in_python(3, level=levels, rule=rule, size=size, explore=200)
    rng, changed = np.random.default_rng(9), np.full(3, -1)
    for t in range(1, 60):
        actions = np.array([lively(batch, k, rng) for k in range(3)])
        if rule == "ants":
            actions[:] = NOOP
        batch.step(actions[:, None])
        own.step(actions[:, None])
        same = (batch.observations["frame"] == own.observations["frame"]).all(axis=(1, 2, 3))
        changed[~same & (changed < 0)] = t
        assert (batch.records["trigger"][changed > 0] > 0).all()
    trigger = batch.records["trigger"]
    found = changed > 0
    assert found.sum() >= (1 if rule in ("ants", "egg") else 2)
    assert ((changed >= trigger) & (changed <= trigger + 1))[found].mean() > 0.6


@pytest.mark.parametrize("offset, pays", [(0, 1.0), (-1, 1.0), (-2, -1.0), (7, 0.7100), (14, 0.4408)])
def test_what_a_frame_pays(offset, pays):
    """The fourth drop of "ice" is of the other kind, in frame 7; frames from the one before it on pay."""
    batch = in_python(seed=1, level=first_layout("ice"), task="detect", explore=0)
    batch.records["now"]["fuse"] = 4
    act(batch, *["down", "right"] * 4, *["noop"] * 14)
    frame = batch.observations["frame"][0, 0]
    assert len(places(frame, "blue")) == 3 and len(places(frame, "light blue")) == 1
    assert batch.records["trigger"][0] == 7
    act(batch, "found")
    assert kit.legal(batch) == {"submit", *(f"frame {k}" for k in range(23))}
    assert batch.observations["number"][0, 0].tolist() == [0, 22]
    assert not places(batch.observations["frame"][0, 0], "blue")
    act(batch, f"frame {7 + offset}")
    assert len(places(batch.observations["frame"][0, 0], "blue")) == 3
    act(batch, "submit")
    assert batch.rewards[0, 0] == pytest.approx(pays, abs=5e-5) and batch.terminations[0, 0]


def test_phases():
    batch = in_python(rule="lamps", size=8, explore=6, steps=20, task="detect")
    start = batch.observations["frame"][0, 0].copy()
    assert {"reset", "test", "noop", "click 7 7"} < kit.legal(batch)
    assert (act(batch, "click 0 0")[0] != start).any() and (act(batch, "reset")[0] == start).all()
    act(batch, "click 0 0", "noop", "noop")
    assert batch.observations["phase"][0, 0] == EXPLORE
    assert (act(batch, "noop")[0] == start).all()
    assert batch.observations["phase"][0, 0] == TEST and "found" not in kit.legal(batch)
    act(batch, "noop", "noop")
    assert "found" in kit.legal(batch) and "test" not in kit.legal(batch)
    act(batch, *["noop"] * 12)
    assert batch.truncations[0, 0] and batch.rewards[0, 0] == 0
    batch = in_python(rule="lamps", size=8, task="detect", frames=10)
    act(batch, "test", *["noop"] * 8)
    assert not batch.truncations.any()
    act(batch, "noop")
    assert batch.truncations[0, 0]


def lively(batch, k, rng):
    """A random action that is often a click on a thing."""
    frame = batch.observations["frame"][k, 0]
    things = np.flatnonzero(frame)
    drawn = rng.random()
    if drawn < 0.4:
        return int(rng.integers(1, 5))
    if drawn < 0.7 and len(things):
        return CLICK + int(rng.choice(things))
    return CLICK + int(rng.integers(frame.size))


def test_scores():
    """The source's formula for all frames up to 40; the page's numbers; a rule that has not changed."""
    for trigger in range(1, 41):
        for chosen in range(41):
            f = 1 / (1 - chosen / trigger * math.exp(-chosen / trigger))
            wanted = -1 if chosen < trigger - 1 else 1 if chosen <= trigger else min(max(1.377 * f - 1.178, 0), 1)
            assert score(chosen, trigger) == pytest.approx(wanted, abs=1e-12)
    assert [round(score(chosen * 7, 7), 4) for chosen in (2, 3, 5, 10_000)] == [0.7100, 0.4408, 0.2470, 0.199]
    assert score(5, -1) == -1


# Layouts, texts, baselines.


@pytest.mark.parametrize("size", [8, pytest.param(13, marks=pytest.mark.slow)])
def test_layouts(size):
    """They can be loaded again, look like nothing else, and no two are equal."""
    for rule in RULES:
        batch = in_python(3, seed=size, rule=rule, size=size)
        levels = [batch.world.get_level(batch.record(k)) for k in range(3)]
        again = in_python(3, level=levels, rule="any", size=size)
        assert (again.observations["frame"] == batch.observations["frame"]).all()
        assert len({json.dumps(level) for level in levels}) == (1 if rule == "paint" else 3)


@pytest.mark.slow
def test_any_rule_is_as_likely():
    counts = np.bincount(started(280, seed=4, size=8).records["rule"], minlength=14)
    assert counts.min() > 5 and ((counts - 20) ** 2 / 20).sum() < 34.5  # the 0.999 quantile of chi squared, 13


def test_levels_of_the_splits():
    levels = {split: generate_many(ID, 12, seed=1, split=split, size=8) for split in ("train", "test")}
    parts = [{json.dumps(level, sort_keys=True) for level in found} for found in levels.values()]
    assert not parts[0] & parts[1]


def test_levels_are_refused():
    good = first_layout("magnets")
    kit.refuses(
        build(ID, {}),
        ({"rule": "chess", "things": []}, "rule='chess' is unknown; did you mean 'crates' or 'ice'?"),
        ({**good, "sun": 1}, "unknown part 'sun'"),
        ({"rule": "magnets"}, "lacks 'things'"),
        ({"rule": "magnets", "things": good["things"][:1]}, "0 things 'magnet'; 'magnets' needs 1"),
        ({"rule": "magnets", "things": [["cloud", 1, 1]]}, "'cloud' is not one of fixed magnet, magnet"),
        ({"rule": "magnets", "things": [["magnet", 7, 15]]}, "not on the grid"),
        ({"rule": "magnets", "things": [["magnet", 7, 7], ["fixed magnet", 7, 8]]}, "or on another thing"),
        ({"rule": "magnets", "things": [["magnet", 7.5, 7]]}, "a column, a row and perhaps a mark"),
        ({"rule": "lamps", "things": [["lamp", 1, 1, 2]]}, "the mark of 'lamp' must be below 2"),
        ({"rule": "ants", "things": [["ant", 1, k] for k in range(8)]}, "8 things 'ant'; 'ants' needs 1 to 7"),
    )
    kit.refuses(build(ID, {"rule": "ice"}), (good, "the level's rule is 'magnets', but rule='ice'"))


def test_states_are_refused():
    batch = in_python(rule="egg", task="plan", size=10)
    for field, value in (("rule", 2), ("number", 3), ("last", 1)):
        held = batch.records.copy()
        held[field] = value
        with pytest.raises(SnapshotError):
            batch.world.admit(held)
    held = batch.records.copy()
    held["start"]["kind"][:] = 1
    with pytest.raises(SnapshotError, match="start has 0 things"):
        batch.world.admit(held)


def test_a_model_is_told_every_frame_of_the_video():
    """It has one action while the video runs, so it is asked after the last frame alone."""
    driver = Driver(build(ID, dict(size=8, explore=0, frames=10)), {0}, {}, seed=3)
    while not driver.waiting():
        driver.advance()
    question = driver.request(0).messages[-1]["content"]
    assert re.findall(r"frame (\d+) of 9", question) == list("0123456789")


def test_no_text_says_the_rule():
    for k, rule in enumerate(RULES):
        batch = in_python(rule=rule, task=("predict", "plan", "detect")[k % 3], size=8, explore=0, frames=10)
        s = batch.record()
        shown = " ".join(shape.text for shape in batch.world.scene(s, 0).shapes if hasattr(shape, "text"))
        words = f"{batch.world.text(s, 0)} {batch.world.prompt(s, 0)} {shown}".split()
        assert rule not in words and "event" not in words


def test_clicks():
    batch = in_python(size=8, explore=9, frames=10, rule="lamps")
    s, world = batch.record(), batch.world
    centers = [(0.5 + (x + 0.5) * 9 / 8, 1.5 + (y + 0.5) * 9 / 8) for y in range(8) for x in range(8)]
    assert [world.click(s, 0, *center) for center in centers] == [CLICK + k for k in range(64)]
    assert world.click(s, 0, 0.4, 3) is world.click(s, 0, 3, 10.6) is None
    act(batch, "test")
    assert world.click(s, 0, *centers[0]) is None
    act(batch, *["noop"] * 9)
    assert {world.click(s, 0, x, y) for x in (11, 14) for y in (3, 6, 9)} == set(range(CLICK + 66, CLICK + 72))
    batch = in_python(size=8, task="detect", explore=0, rule="lamps")
    act(batch, *["noop"] * 5, "found")
    s, world = batch.record(), batch.world
    found = [world.click(s, 0, 0.5 + 9 * (k + 0.5) / 6, 10.75) for k in range(6)]
    assert [world.action_names[0][action] for action in found] == [f"frame {k}" for k in range(6)]


@pytest.mark.parametrize("size", [8, pytest.param(14, marks=pytest.mark.slow)])
def test_the_clone_predicts_all(size):
    """It finds the rule of every start, and its copy of the rule shows the right option."""
    for rule in RULES:
        batch = in_python(1, seed=7, rule=rule, size=size, explore=0, frames=10)
        assert kit.finish(batch, "clone").tolist() == [[1]]


@pytest.mark.slow
def test_the_clone_detects_and_plans():
    """It finds each change within a frame or two, and reaches goals that few actions make."""
    found = [kit.finish(in_python(1, seed=2, task="detect", rule=rule, size=8, explore=0), "clone") for rule in RULES]
    assert min(found) > 0.95
    for rule in ("ice", "drift", "magnets", "ants", "wind", "lamps"):
        batch = in_python(1, seed=4, task="plan", rule=rule, size=8, explore=0, walk=3)
        assert kit.finish(batch, "clone").tolist() == [[1]]


@pytest.mark.slow
def test_the_baselines():
    """In `predict` of all rules: the clone is nearly always right, and the learner better than a guess."""
    world = build(ID)
    assert play(world, ["clone"], 300).returns.mean() > 0.97
    assert play(world, ["local"], 300).returns.mean() > -2 / 3 + 0.2
