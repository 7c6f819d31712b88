"""Sokoban: lockstep with gym_sokoban, levels and their edits against an independent search, masks, baseline."""

import json
import zlib
from collections import deque

import kit
import numpy as np
import pytest
from kit import DATA
from scipy import ndimage

from envsuite.agents import make_policy
from envsuite.core.batch import STEP, Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.generators import base, describe, generate, generate_many, mutate, picture, split_of
from envsuite.gridworlds.sokoban import BOX, NINE, PLAYER, TARGET, WALL, Sokoban
from envsuite.gridworlds.sokoban.levels import CODES
from envsuite.registry import build
from envsuite.render.frames import draw

ID = "envsuite/Sokoban-v0"
# 1,000 episodes of gym_sokoban; the file describes how they were made.
RECORDED = json.loads((DATA / "Sokoban" / "gym_sokoban.json").read_text())
XSB = np.array([ord(letter) for letter in " #. $ * @ +"], np.uint8)[[0, 1, 2, 0, 4, 0, 6, 0, 8, 0, 10]]
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def shown(batch):
    """The rooms of a batch in XSB letters, (N, cells), from the observations."""
    planes = batch.observations[:, 0].astype(int)
    return XSB[planes @ [1, 2, 4, 8]].reshape(batch.num, -1)


# The search of these tests: plain, over the cells of the player and the boxes.


def search(rows, pushes=False, limit=10**6):
    """The fewest moves that solve a map, or the fewest pushes; None if there is no solution."""
    width, letters = len(rows[0]), "".join(rows)
    targets = frozenset(cell for cell, letter in enumerate(letters) if letter in ".*+")
    boxes = frozenset(cell for cell, letter in enumerate(letters) if letter in "$*")
    start = next(cell for cell, letter in enumerate(letters) if letter in "@+"), boxes
    cost, todo = {start: 0}, deque([start])
    while todo:
        player, boxes = state = todo.popleft()
        paid = cost[state]
        if boxes == targets:
            return paid
        assert len(cost) < limit
        for step in (-width, width, -1, 1):
            to, price, moved = player + step, 1 - pushes, boxes
            if letters[to] == "#":
                continue
            if to in boxes:
                if letters[to + step] == "#" or to + step in boxes:
                    continue
                moved, price = boxes - {to} | {to + step}, 1
            if paid + price < cost.get((to, moved), limit):
                cost[to, moved] = paid + price
                if price:
                    todo.append((to, moved))
                else:
                    todo.appendleft((to, moved))
    return None


@pytest.mark.parametrize(
    "rows, moves, pushes",
    [
        (["#######", "#@ $ .#", "#######"], 3, 2),
        (["#######", "#+ $  #", "#######"], None, None),  # the player is on the wrong side
        (["#####", "#   #", "#.$@#", "#   #", "#####"], 1, 1),
        (["######", "#    #", "#.$  #", "#@   #", "######"], 4, 1),  # three moves around the box
        (["#######", "#@$$ .#", "####  #", "####. #", "#######"], None, None),  # two in a row
        # The lower box first: four moves; then the other four. The upper box first would block the cell above it.
        (["#####", "#@  #", "# $.#", "#  $#", "#  .#", "#####"], 8, 2),
        (["#####", "#@  #", "#  $#", "#.  #", "#####"], None, None),  # along a wall, and the target is not there
    ],
)
def test_by_hand(rows, moves, pushes):
    assert search(rows) == moves and search(rows, pushes=True) == pushes
    found = describe({"kind": "sokoban", "map": rows})
    assert (found["moves"], found["pushes"], found["solvable"]) == (moves, pushes, moves is not None)


# Rules.


@pytest.mark.parametrize("part", RECORDED["sets"], ids=lambda part: part["actions"])
def test_equals_gym_sokoban(part):
    """Episodes of its own: the room after every step, rewards as floats, ends."""
    height, width = len(part["levels"][0]["map"]), len(part["levels"][0]["map"][0])
    games = [(level["map"], *episode) for level in part["levels"] for episode in level["episodes"]]
    batch = Batch(Sokoban(height, width, actions=part["actions"], horizon=50), len(games))
    batch.start(levels=[{"map": rows} for (rows, *_) in games])
    for i, (rows, *_) in enumerate(games):
        assert batch.world.get_level(batch.record(i)) == {"map": rows}
        assert shown(batch)[i].tobytes().decode() == "".join(rows)
    sums, seen = [0] * len(games), set()
    while not batch.finished.all():
        running = np.flatnonzero(~batch.finished)
        moment = int(batch.records["t"][running[0]])
        for i in running:
            batch.actions[i, 0] = int(games[i][1][moment])
        batch.step(where=running)
        rooms = shown(batch)
        for i in running:
            sums[i] = zlib.crc32(rooms[i].tobytes(), sums[i])
            assert batch.rewards[i, 0] == RECORDED["rewards"][games[i][2][moment]]
            assert (moment + 1 == len(games[i][1])) == batch.finished[i]
            seen.add(games[i][2][moment])
    assert sums == [game[3] for game in games]
    assert batch.terminations[:, 0].tolist() == [game[4] for game in games]
    assert batch.truncations[:, 0].tolist() == [game[5] for game in games]
    assert seen == set(".+-!") and batch.terminations.sum() > 100 and any("*" in "".join(game[0]) for game in games)


def test_defaults_are_gym_sokobans():
    theirs = RECORDED["defaults"]
    for name in ("penalty_for_step", "reward_box_on_target", "penalty_box_off_target", "reward_finished"):
        assert Sokoban().parameters[name] == theirs[name]
    assert Sokoban().parameters["horizon"] == theirs["max_steps"]
    records = Batch(Sokoban(*theirs["dim_room"], boxes=theirs["num_boxes"]), 1).records
    assert records["params"]["carving"][0] == theirs["num_gen_steps"]
    assert [name.replace("noop", "no operation") for name in NINE] == theirs["actions"]


def useful(planes):
    """For each of the four pushes, whether it changes the room, and whether a move does."""
    y, x = np.argwhere(planes[:, :, PLAYER])[0]
    pushes, moves = [], []
    for dy, dx in STEPS.values():
        near = planes[y + dy, x + dx]
        behind = planes[y + 2 * dy, x + 2 * dx] if near[BOX] else None
        moves.append(not near[WALL] and not near[BOX])
        pushes.append(moves[-1] or (near[BOX] == 1 and not behind[WALL] and not behind[BOX]))
    return pushes, moves


@pytest.mark.parametrize("actions", ["four", "nine"])
def test_masks(actions):
    """With `masked`, random play takes actions that change something; without, any action."""
    batch = Batch(Sokoban(actions=actions, masked=True, boxes=3, horizon=60), 200)
    assert batch.world.masked and not Sokoban().masked
    batch.start(0)
    rng = np.random.default_rng(0)
    while not batch.finished.all():
        wanted = []
        for planes in batch.observations[:, 0]:
            pushes, moves = useful(planes)
            wanted.append([True, *pushes, *moves] if actions == "nine" else pushes)
        assert (batch.masks[:, 0] == np.where(batch.finished[:, None], 0, wanted)).all()
        before, running = batch.observations.copy(), ~batch.finished
        chosen = (rng.random(batch.masks.shape) * batch.masks).argmax(2)
        batch.step(chosen, running)
        same = (batch.observations == before).all((1, 2, 3, 4))
        noop = (chosen[:, 0] == 0) & (actions == "nine")
        assert (same == noop)[batch.commands == STEP].all()


def test_walled_in():
    """If nothing can be moved, every action is legal, and time passes."""
    world = build(ID, dict(masked=True, horizon=9))
    batch = kit.started(world, level={"map": ["######", "#@$$.#", "####.#", "######"]})
    player = make_policy("solver", world)
    player.reset(0, 1)
    before = batch.observations.copy()
    for _ in range(9):
        assert batch.masks.all() and not batch.finished.any()
        batch.step(player.act_batch(batch.observations, batch.masks, [0]))
        assert (batch.observations == before).all() and batch.rewards[0, 0] == -0.1
    assert batch.truncations.all() and not batch.terminations.any()


# Generated levels.


@pytest.mark.parametrize(
    "num, params",
    [
        (5000, dict(height=6, width=6, boxes=1)),
        (4000, dict(height=6, width=6, boxes=2)),
        (950, dict()),
        (50, dict(boxes=3)),
    ],
    ids=str,
)
@pytest.mark.slow
def test_ten_thousand_are_solvable(num, params):
    """By breadth-first search. No box is on a target, and everything is in one closed room."""
    moves = []
    for level in generate_many("sokoban", num, seed=1, **params):
        rows = level["map"]
        letters = "".join(rows)
        grid = np.array([list(row) for row in rows])
        assert letters.count("$") == letters.count(".") + letters.count("+") == params.get("boxes", 2)
        assert letters.count("@") + letters.count("+") == 1 and "*" not in letters
        assert (grid[[0, -1]] == "#").all() and (grid[:, [0, -1]] == "#").all()
        assert ndimage.label(grid != "#")[1] == 1
        moves.append(search(rows))
        assert moves[-1] is not None, "\n".join(rows)
    # Not trivial, and varied: gym_sokoban's mean of 6 x 6 with one box is 3.2, of 8 x 8 with two 14.0 (its 60
    # and 40 first levels with random seeds 0, 1, ...).
    assert np.mean(moves) > (10 if "height" not in params else 3.2) and len(set(moves)) > 5


def test_describe_equals_the_search():
    for params in (dict(height=6, width=6, boxes=2), dict()):
        for level in generate_many("sokoban", 60, seed=5, **params):
            found = describe(level)
            assert (found["moves"], found["pushes"]) == (search(level["map"]), search(level["map"], pushes=True))
            assert found["boxes"] == 2 and found["floor"] == sum(
                letter != "#" for row in level["map"] for letter in row
            )
    # In a corridor without a choice a search by pushes sees one position more with every push.
    for length in range(1, 6):
        rows = ["#" * (length + 4), "#@$" + " " * (length - 1) + ".#", "#" * (length + 4)]
        assert describe({"kind": "sokoban", "map": rows})["difficulty"] == pytest.approx(np.log2(length + 1), abs=1e-6)


@pytest.mark.parametrize("height, width", [(8, 8), (5, 32)])
def test_halls(height, width):
    """One pull cannot move five boxes: then each stands in its own line, with its target behind it."""
    for level in generate_many("sokoban", 200, boxes=5, pulls=1, height=height, width=width):
        grid = np.array([[CODES[letter] for letter in row] for row in level["map"]])
        grid = grid if height >= width else grid.T
        assert (grid[1:-1, 1:-1] != 1).all() and (grid == 4).sum() == 5
        assert (grid[:, 1] & 4 == 0).all()
        for line in grid:
            boxes, targets = np.flatnonzero(line & 4), np.flatnonzero(line & 2)
            assert len(boxes) == len(targets) <= 1 and (boxes < targets).all()
    for level in generate_many("sokoban", 5, boxes=2, pulls=1):
        assert search(level["map"]) is not None


def test_many_boxes():
    for level in generate_many("sokoban", 100, height=6, width=6, boxes=4):
        assert describe(level)["solvable"] and "".join(level["map"]).count("$") == 4


@pytest.mark.slow
def test_changes_keep_levels_solvable():
    """Chains of edits; each of the four kinds is among them."""
    kinds = {"wall less": 0, "wall more": 0, "pulled": 0, "player": 0, "none": 0}
    for k, level in enumerate(generate_many("sokoban", 60, seed=3)):
        for n in range(12):
            after = mutate(level, seed=100 * k + n)
            old, new = ("".join(one["map"]) for one in (level, after))
            walls = new.count("#") - old.count("#")
            boxes = [cell for cell, letter in enumerate(old) if letter in "$*"]
            moved = boxes != [cell for cell, letter in enumerate(new) if letter in "$*"]
            kind = "wall less" if walls < 0 else "wall more" if walls else "pulled" if moved else "player"
            kinds[kind if old != new else "none"] += 1
            assert abs(walls) <= 1 and new.count("$") == 2 and search(after["map"], limit=10**5) is not None
            if kind == "wall less":
                assert sum(a != b for a, b in zip(old, new)) == 1
            level = after
    assert min(kinds[kind] for kind in kinds if kind != "none") > 40 and kinds["none"] == 0


def test_changes_of_levels_with_boxes_on_targets():
    rows = ["########", "#+  *  #", "#  $   #", "####.  #", "####$  #", "####   #", *["########"] * 2]
    level = {"kind": "sokoban", "map": rows}
    assert search(level["map"]) is not None
    changed = [mutate(level, seed=k) for k in range(40)]
    assert all(search(one["map"]) is not None for one in changed) and len({str(one) for one in changed}) > 10


def test_splits():
    train, test = (generate_many("sokoban", 500, split=split, height=6, width=6) for split in ("train", "test"))
    later = generate_many("sokoban", 500, seed=10**6, split="test", height=6, width=6)
    assert all(split_of(level) == "train" for level in train)
    assert all(split_of(level) == "test" for level in test + later)
    assert not {str(level) for level in train} & {str(level) for level in test + later}
    share = np.mean([split_of(level) == "test" for level in generate_many("sokoban", 2000, height=6, width=6)])
    assert 0.15 < share < 0.25  # a fifth


def test_worlds_levels_are_the_generators():
    batch = kit.started(Sokoban(boxes=3, pulls=7, carving=40), 20)
    levels = generate_many("sokoban", 20, boxes=3, pulls=7, carving=40)
    assert [batch.world.get_level(batch.record(i))["map"] for i in range(20)] == [level["map"] for level in levels]
    # The number of boxes may differ within a batch.
    batch.records["params"]["boxes"] = 1 + np.arange(20) % 4
    batch.start()
    assert (batch.observations[:, 0, :, :, BOX].sum((1, 2)) == 1 + np.arange(20) % 4).all()
    assert (batch.observations[:, 0, :, :, TARGET].sum((1, 2)) == 1 + np.arange(20) % 4).all()


# Given levels.


def test_text_form():
    """One text, ragged rows, other letters for floor, cells outside the walls, sealed boxes."""
    batch = Batch(Sokoban(), 1)
    text = "\n  ####\n###..#\n#-$_@#\n# $ ##\n#  ####\n#####*#\n    ###\n"
    wanted = ["########", "###..###", "# $ @###", "# $ ####", "#  #####", *["########"] * 3]
    batch.start(levels={"map": text})
    assert batch.world.get_level(batch.record()) == {"map": wanted}
    batch.start(levels={"map": text.strip("\n").split("\n")})
    assert batch.world.get_level(batch.record()) == {"map": wanted}
    assert describe({"kind": "sokoban", "map": text})["size"] == [7, 7]
    batch.start(levels=generate("sokoban", 3, height=6, width=6, boxes=4))
    assert batch.observations[0, 0, :, :, BOX].sum() == 4
    assert draw(picture({"kind": "sokoban", "map": text})).shape[2] == 3


def test_wrong_levels():
    cases = [
        (["#####", "#@$.#", "#####", *["#####"] * 6], "9 rows of up to 5 letters; here are at most 8 rows of 8"),
        (["#########", "#@$.    #", "#########"], "up to 9 letters"),
        (["#####", "#@$x#", "#####"], "letter 'x'"),
        (["#####", "# $.#", "#####"], "one player .*, not 0"),
        (["######", "#@$.+#", "######"], "one player .*, not 2"),
        (["######", "#@$..#", "######"], "as many boxes as targets, and some, not 1 and 2"),
        (["######", "#@$$.#", "######"], "not 2 and 1"),
        (["######", "#@   #", "######"], "not 0 and 0"),
        (["######", "#@ * #", "######"], "all boxes .* on targets at the start"),
        (["######", "#@ $. ", "######"], "no wall beside x=4, y=1"),
        (["#####", "#@$.#", "# ###"], "no wall beside x=1, y=2"),
        (["#@ $. #", "#######"], "no wall beside x=1, y=0"),
        (["#######", "#@$.#$#", "#######"], "the box at x=5, y=1 is not in the room"),
        (["#######", "#@$.#.#", "#######"], "the target at x=5, y=1 is not in the room"),
        ([], "rows of letters"),
        ([3], "rows of letters"),
    ]
    kit.refuses(Sokoban(), *(({"map": rows}, problem) for rows, problem in cases))


def test_wrong_levels_and_parameters():
    with pytest.raises(LevelError, match="unknown part 'size'"):
        Batch(Sokoban(), 1).set_level(0, {"map": ["#####", "#@$.#", "#####"], "size": 3})
    with pytest.raises(LevelError, match="lacks 'map'"):
        Batch(Sokoban(), 1).set_level(0, {})
    with pytest.raises(LevelError, match="sokoban: .*one player"):
        describe({"kind": "sokoban", "map": ["#####", "# $.#", "#####"]})
    for params, problem in (
        (dict(boxes=7), "at most 6"),
        (dict(height=4), "height"),
        (dict(actions="five"), "actions"),
    ):
        with pytest.raises(ParameterError, match=problem):
            Sokoban(**params)
    assert base.generator("sokoban", height=5, width=9, boxes=7)


# The baseline, texts and pictures.


def play(policy, num, seed=0, **params):
    """The share of levels solved, the mean return, and the moves for each level."""
    world = build(ID, params)
    batch = kit.started(world, num, seed=seed)
    levels = [world.get_level(batch.record(i))["map"] for i in range(num)]
    total = kit.finish(batch, policy, seed=seed)
    return batch.terminations.mean(), total.mean(), batch.records["t"].copy(), levels


def test_solver():
    solved, mean, moves, levels = play("solver", 1000)
    assert solved > 0.99 and mean > 10
    best = np.array([search(rows) for rows in levels[:100]])
    assert (moves[:100] >= best).all() and moves[:100].mean() < 1.6 * best.mean()
    chance, low, *_ = play("random", 1000)
    assert chance < 0.15 and low < -9  # it gains nothing by chance
    assert play("solver", 200, actions="nine", masked=True, height=7, width=10, boxes=3)[0] > 0.98


def test_solver_finds_that_there_is_no_way():
    """It brings the boxes as near as possible and then moves at random."""
    world = build(ID, dict(horizon=30))
    batch = kit.started(world, level={"map": ["########", "#@ $ . #", "#  .#  #", "# $#####", "########"]})
    player = make_policy("solver", world)
    player.reset(0, 1)
    placed = 0
    while not batch.finished.all():
        batch.step(player.act_batch(batch.observations, batch.masks, [0]))
        placed = max(placed, int(batch.records["placed"][0]))
    assert placed > 0


def test_text_scene_and_clicks():
    world = Sokoban()
    batch = kit.started(world, level={"map": ["#######", "#@$ . #", "#   $.#", "#######"]})
    s = batch.record()
    assert world.text(s, 0).splitlines()[2:4] == ["  # @ $ _ . _ # #", "  # _ _ _ $ . # #"]
    assert "0 of 2 boxes are on targets; 0 of 120 moves" in world.text(s, 0)
    assert world.click(s, 0, 2.5, 1.5) == 3 and world.click(s, 0, 1.5, 2.5) == 1 and world.click(s, 0, 4, 4) is None
    assert Sokoban(actions="nine").click(Batch(Sokoban(actions="nine"), 1).record(), 0, -9, -9) is None
    shapes = world.scene(s).shapes
    for action, placed in ((3, 0), (3, 1), (1, 1)):
        batch.step(action)
        assert f"{placed} of 2 boxes" in world.text(batch.record(), 0)
    assert len(world.scene(batch.record()).shapes) == len(shapes) and world.scene(batch.record()).shapes != shapes
    batch.step(3)
    assert batch.terminations.all() and "All boxes are on targets" in world.text(batch.record(), 0)
    assert draw(world.scene(batch.record())).shape[2] == 3
