"""BabaRules: episodes of Baba Is AI in lock-step, its shortest solutions, its levels; rules by hand; baselines."""

from functools import cache, partial

import kit
import numpy as np
import pytest
from kit import DATA
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.generators import describe, generate, generate_many, split_of
from envsuite.gridworlds.baba_rules.levels import SIZES, TASKS
from envsuite.gridworlds.baba_rules.pieces import DEPTH, read_map, write_map
from envsuite.registry import build

ID = "envsuite/BabaRules-v0"

started = partial(kit.started, ID)

IDLE, U, R, D, L = range(5)

#: A map on which every recorded one has room.
WIDE = dict(task="two_room-goto_win", layers=DEPTH)


@cache
def recording():
    with np.load(DATA / "BabaRules" / "baba_rules.npz") as held:
        data = dict(held)
    steps = np.concatenate([[0], np.cumsum(data["count"])])
    return data, steps, steps + np.arange(len(steps))


def episode(k):
    """Actions, rewards, ends, states and rules of a recorded episode."""
    data, steps, states = recording()
    acts, shown = slice(steps[k], steps[k + 1]), slice(states[k], states[k + 1])
    pieces = np.cumsum(data["states"][shown], axis=0, dtype=np.uint8)
    pieces[..., 1][pieces[..., 0] == 1] = 0  # at corners, the source has border on border
    return data["actions"][acts], data["rewards"][acts], data["ends"][acts], pieces, data["rules"][shown]


def compare(episodes, compiled=False):
    """Play recorded episodes; the number of steps."""
    held = [episode(k) for k in episodes]
    batch = Batch(build(ID, WIDE), len(held), compiled=compiled)
    batch.start(0, [{"map": write_map(pieces[0])} for _, _, _, pieces, _ in held])
    steps, longest = 0, max(len(actions) for actions, *_ in held)
    for t in range(longest + 1):
        for i, (actions, rewards, ends, pieces, rules) in enumerate(held):
            if t > len(actions):
                continue
            record = batch.records[i]
            assert (record["pieces"].reshape(pieces[t].shape) & 255 == pieces[t]).all(), (episodes[i], t)
            assert (record["rules"] == rules[t, :, :9]).all(), (episodes[i], t)
            if t > 0:
                assert batch.rewards[i, 0] == rewards[t - 1], (episodes[i], t)
                assert batch.terminations[i, 0] == ends[t - 1], (episodes[i], t)
        alive = np.array([t < len(actions) for actions, *_ in held])
        chosen = np.array([[actions[t] if t < len(actions) else 0] for actions, *_ in held], np.int64)
        if alive.any():
            batch.step(chosen, alive)
        steps += alive.sum()
    return steps


def names():
    return recording()[0]["name"]


def test_some_episodes_of_the_source():
    crowd = names() == "crowd"
    assert compare([*np.flatnonzero(crowd)[:6], *np.flatnonzero(~crowd)[::40]]) > 100


@pytest.mark.slow
def test_all_episodes_of_the_source():
    """Pieces, rules, rewards and ends of three episodes of each of 53 environments, and of crowded maps."""
    assert len(set(names())) == 54
    assert compare(range(len(names())), compiled=None) == recording()[0]["count"].sum()


def shortest(level, **params):
    """The length of a shortest solution by the planner's breadth-first search, and the return."""
    batch = started(level=level, **params)
    player = make_policy("planner", batch.world, greed=0)
    player.reset(0, 1)
    total = 0.0
    while not batch.over()[0]:
        batch.step(player.act_batch(batch.observations, batch.masks, [0]))
        total += batch.rewards[0, 0]
    return int(batch.records["t"][0]), total


def solved():
    """The recorded levels that have been solved, with the lengths of shortest solutions."""
    lengths = recording()[0]["length"]
    return [(int(k), int(lengths[k])) for k in np.flatnonzero(lengths > 0)]


def test_shortest_solutions_of_the_source():
    short = [(k, length) for k, length in solved() if length < 4]
    assert len(short) > 8
    for k, length in short[:4]:
        t, total = shortest({"map": write_map(episode(k)[3][0])}, **WIDE)
        assert t == length and total == pytest.approx(1 - 0.9 * t / 100)


@pytest.mark.slow
def test_more_shortest_solutions_of_the_source():
    """Those of up to 7 moves; the longer ones, which are as long too, take two minutes."""
    assert len(solved()) == 37  # the page's number
    short = [(k, length) for k, length in solved() if length <= 7]
    assert len(short) > 15
    for k, length in short:
        assert shortest({"map": write_map(episode(k)[3][0])}, **WIDE)[0] == length, k


# Levels.


def params_of(name):
    """The parameters for an environment of the source."""
    base, _, won = name.partition("#")
    task = max((task for task in TASKS if f"{base}-".startswith(f"{task}-")), key=len)
    return {
        "task": task,
        "distractors": base.removeprefix(task).removeprefix("-distr_") or "none",
        "winners": {"": "any", "no_ball_win": "no_ball", "only_ball_win": "ball"}[won],
    }


def levels(name, num, compiled):
    """(num, 9, 13, DEPTH) levels with the parameters for an environment of the source."""
    batch = Batch(build(ID, dict(params_of(name), width=13, height=9)), num, compiled=compiled)
    batch.start(0)
    return batch.records["level"]["pieces"]


def groups(pieces):
    """The pieces of levels without colors; balls, keys and doors are the same, and so are their nouns."""
    kinds = np.where((pieces >= 2) & (pieces < 37), 2 + (pieces.astype(int) - 2) // 7, pieces)
    kinds = np.where((kinds >= 4) & (kinds <= 6), 4, kinds)
    return np.where((kinds >= 39) & (kinds <= 41), 39, kinds)


def kinds(pieces):
    """The kinds and words of each of (N, 9, 13, D) levels, sorted."""
    codes = np.where((pieces >= 2) & (pieces < 37), 2 + (pieces.astype(int) - 2) // 7, pieces)
    return {tuple(sorted(level[level > 1].tolist())) for level in codes}


def alike(one, other):
    """The p-value of a chi-squared test that two rows of counts are from one distribution; rare ones are joined."""
    total = one + other
    common = total * min(one.sum(), other.sum()) >= 4 * total.sum()
    table = np.array([[*row[common], row[~common].sum()] for row in (one, other)])
    table = table[:, table.sum(axis=0) > 0]
    return stats.chi2_contingency(table).pvalue if table.shape[1] > 1 else 1.0


def compare_levels(name, num, compiled):
    """Compare where pieces are, and which there are, with levels of the source; the least p-value."""
    data = recording()[0]
    theirs, ours = data["starts"][data["names"].tolist().index(name)], levels(name, num, compiled)
    if "you_win" not in name:
        assert kinds(theirs) == kinds(ours) or num < 100, name
    here, there = groups(ours), groups(theirs)
    assert set(np.unique(here)) == set(np.unique(there)), name
    values = []
    for code in set(np.unique(here)) - {0, 1}:
        for axes in ((0, 2, 3), (0, 1, 3)):  # rows, columns
            values.append(alike((here == code).sum(axis=axes), (there == code).sum(axis=axes)))
    counts = [np.bincount(pieces[(pieces >= 2) & (pieces < 37)], minlength=37) for pieces in (ours, theirs)]
    return min(*values, alike(*counts))


def test_some_levels_are_those_of_the_source():
    for name in ("make_win-distr_obj_rule#no_ball_win", "two_room-make_you"):
        assert compare_levels(name, 40, False) > 1e-4, name


@pytest.mark.slow
def test_all_levels_are_those_of_the_source():
    """Where 400 levels have which pieces, in all 53 environments, against 60 levels of the source."""
    known = recording()[0]["names"].tolist()
    assert len(known) == 53
    assert {name: value for name in known if (value := compare_levels(name, 400, None)) < 1e-5} == {}


def test_what_wins_is_beside_you():
    """On any side where there is room."""
    for task, ways in (("you_win", {"up", "right", "down", "left"}), ("you_win-fixed_you", {"right", "down"})):
        assert {way for seed in range(16) for way in kit.choices("walker", started(task=task, seed=seed))} == ways


def test_splits():
    for params in (dict(task="you_win"), dict(task="two_room-make_win", distractors="obj")):
        train, test = (
            {tuple(level["map"]) for level in generate_many("rule_rooms", 12, split=split, **params)}
            for split in ("train", "test")
        )
        assert not train & test and len(train) == len(test) == 12
        assert {split_of({"kind": "rule_rooms", "map": list(rows)}) for rows in test} == {"test"}


def test_difficulty_in_words():
    """One more for a sentence to make, and one more for a wall to open."""
    wanted = {
        "you_win": 1, "goto_win": 1, "make_win": 2, "two_room-goto_win": 1, "two_room-break_stop-goto_win": 2,
        "two_room-make_win": 2, "two_room-break_stop-make_win": 3, "two_room-make_you": 2,
        "two_room-make_you-make_win": 3, "two_room-make_wall_win": 3,
    }  # fmt: skip
    for task, difficulty in wanted.items():
        for seed in range(2):
            found = describe(generate("rule_rooms", seed=seed, task=task))
            assert found["difficulty"] == difficulty and found["size"] == list(SIZES[TASKS[task][0]])[::-1], task


@pytest.mark.slow
def test_difficulty_is_monotone():
    """Solutions of the planner are longer on average with each step of difficulty."""
    lengths = {}
    for task in TASKS:
        played = play(build(ID, dict(task=task, width=13, height=9)), ["planner"], 40)
        difficulty = describe(generate("rule_rooms", task=task))["difficulty"]
        lengths.setdefault(difficulty, []).extend(np.asarray(played.returns)[:, 0])
    means = [np.mean([(1 - value) * 100 / 0.9 for value in lengths[k] if value > 0]) for k in (1, 2, 3)]
    assert means[0] + 4 < means[1] < means[2] - 2


def test_levels_that_are_refused():
    world = build(ID, dict(task="make_win"))
    edge = "# # # # #"
    kit.refuses(
        world,
        ({}, "a level has 'map', not nothing"),
        ({"map": [edge], "size": 3}, "not 'size'"),
        ({"map": "# #"}, "'map' must be a list of texts"),
        ({"map": [edge, edge]}, "'map' has 5 x 2 cells; each side must be from 3 to 16"),
        ({"map": [edge, "# . #", edge]}, "row 1 of 'map' has 3 cells, row 0 has 5"),
        ({"map": [edge, "# . . . .", edge]}, "column 4, row 1 must be '#'"),
        ({"map": [edge, "# BALLS . . #", edge]}, "'BALLS' in column 1, row 1 is no piece"),
        ({"map": [edge, "# . pink-ball . #", edge]}, "'pink-ball' in column 2"),
        ({"map": [edge, "# . ball+ball:north . #", edge]}, "'ball:north' in column 2"),
        ({"map": [edge, "# . #+ball . #", edge]}, "'#' in column 2"),
        ({"map": [edge, "# . " + "+".join(["ball"] * 7) + " . #", edge]}, "has 7 pieces; a cell holds 6"),
        ({"map": [edge + " # # # #"] * 3}, "'map' has 9 x 3 cells, this world 8 x 8"),
    )
    with pytest.raises(ParameterError, match="needs a map of 13 x 9 cells or more, not of 8 x 9"):
        build(ID, dict(width=8))
    with pytest.raises(ParameterError, match="has no distractors 'obj', only 'none'"):
        build(ID, dict(task="two_room-make_you", distractors="obj"))
    with pytest.raises(ParameterError, match="has no winners 'ball', only 'any'"):
        build(ID, dict(winners="ball"))


def test_pieces_in_words():
    rows = ["# # # # #", "# red-ball:up+key . WHITE+baba:left #", "# white-wall IS door #", "# # # # #"]
    assert write_map(read_map({"map": rows}, "x")) == [
        "# # # # #", "# red-ball:up+key . WHITE+baba:left #", "# white-wall IS door #", "# # # # #",
    ]  # fmt: skip


# Rules by hand.


def room(*rows, width=8, height=7):
    """A level: these rows inside, and nothing in the other cells."""
    inside = [[*row.split(), *["."] * width][:width] for row in [*rows, *[""] * height][:height]]
    edge = " ".join("#" * (width + 2))
    return {"map": [edge, *(f"# {' '.join(row)} #" for row in inside), edge]}


def after(rows, actions):
    """What is in the first row after these actions, and the batch."""
    batch = started(level=room(*rows), layers=DEPTH)
    kit.act(batch, *actions)
    pieces = batch.records["pieces"][0].reshape(9, 13, DEPTH)[1:2, 1:9] & 255
    return " ".join(write_map(pieces)), batch


YOU = "BABA IS YOU"

#: The first row of a room, sentences in other rows, actions, and the first row after them.
CASES = {
    "a row of blocks is pushed": ("baba RED KEY .", [], [R], ". baba RED KEY . . . ."),
    "to the border": ("baba RED KEY . . . . .", [], [R] * 7, ". . . . . baba RED KEY"),
    "turning": ("baba . . .", [], [D, U], "baba:up . . . . . . ."),
    "a thing that stops": ("baba ball . .", ["BALL IS STOP"], [R], "baba ball . . . . . ."),
    "one that does not": ("baba ball . .", [], [R, R], ". ball baba . . . . ."),
    "only with the color": ("baba ball red-ball .", ["RED BALL IS STOP"], [R] * 2, ". ball+baba red-ball . . . . ."),
    "whatever the kind has": ("baba ball . .", ["RED BALL IS STOP", "BALL IS STOP"], [R], ". ball+baba . . . . . ."),
    "a thing that is pushed": ("baba key . .", ["KEY IS PUSH"], [R], ". baba key . . . . ."),
    "and cannot move": ("baba key door .", ["KEY IS PUSH", "DOOR IS STOP"], [R], ". key+baba door . . . . ."),
    "key and door": (
        "baba key door .", ["KEY IS PUSH", "KEY IS OPEN", "DOOR IS SHUT", "DOOR IS STOP"], [R], ". baba . . . . . .",
    ),
    "door and key": ("baba door key .", ["DOOR IS PUSH", "DOOR IS SHUT", "KEY IS OPEN"], [R], ". baba . . . . . ."),
    "what was behind the door": (
        "baba door RED .", ["BABA IS OPEN", "DOOR IS PUSH", "DOOR IS SHUT"], [R], ". . . RED . . . .",
    ),
    "what was under the key": (
        "baba ball+key door .", ["KEY IS OPEN", "KEY IS PUSH", "DOOR IS SHUT"], [R], ". baba ball . . . . .",
    ),
    "a thing that is pulled": ("key baba . .", ["KEY IS PULL"], [R], ". key baba . . . . ."),
    "even by one that cannot move": (". . . . . . key baba", ["KEY IS PULL"], [R], ". . . . . . . baba+key"),
    "a color stops its kind": (
        "baba red-key . baba key .", ["RED KEY IS PULL"], [R], "baba red-key . baba key . . .",
    ),
    "from then on": ("baba key . baba red-key .", ["RED KEY IS PULL"], [R], ". key+baba . baba red-key . . ."),
    "a thing that moves": ("ball . . door baba", ["BALL IS MOVE"], [D, D], ". . ball door . . . ."),
    "pushed before its turn": ("baba ball:left . .", ["BALL IS PUSH", "BALL IS MOVE"], [R], ". baba . ball . . . ."),
    "also left, and after you": ("baba . . ball:left", ["BALL IS MOVE"], [R], ". baba ball:left . . . . ."),
    "and not by itself if idle": ("ball . . baba", ["BALL IS MOVE"], [IDLE, IDLE], "ball . . baba . . . ."),
    "one kind becomes another": ("red-ball . baba .", ["BALL IS DOOR"], [IDLE, R], "red-ball+door . . baba . . . ."),
    "again and again": ("red-ball baba . .", ["BALL IS BALL"], [R] * 7, 5 * "ball+" + "ball . . . . . . baba"),
    "all that is you": ("baba . baba .", [], [R], ". baba . baba . . . ."),
    "from the first to the last": ("baba baba . .", [], [R], ". baba+baba . . . . . ."),
    "but not what is covered": ("baba baba . .", [], [R, R], ". baba baba . . . . ."),
    "a turn that is kept": ("ball baba . .", ["BALL IS MOVE"], [L, R], ". baba+ball . . . . . ."),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_rules_by_hand(case):
    first, sentences, actions, wanted = CASES[case]
    assert after([first, "", *sentences, YOU], actions)[0] == wanted


#: The first row of a room, sentences, actions, and the reward of the last one.
ENDS = {
    "win": ("baba ball", ["BALL IS WIN"], [R], 1 - 0.9 * 1 / 100),
    "later": ("baba . . ball", ["BALL IS WIN"], [IDLE, R, R, R], 1 - 0.9 * 4 / 100),
    "lose": ("baba ball", ["BALL IS LOSE"], [R], -1),
    "both": ("baba ball", ["BALL IS LOSE", "BALL IS WIN"], [R], 1 - 0.9 * 1 / 100),
    "another color": ("baba ball", ["RED BALL IS WIN"], [R], 0),
    "what is pushed away does not count": ("baba ball .", ["BALL IS WIN", "BALL IS PUSH"], [R], 0),
    "oneself, at a border": ("baba", ["BABA IS WIN"], [L], 1 - 0.9 * 1 / 100),
    "the last one counts": ("baba ball baba .", ["BALL IS WIN"], [R], 0),
    "the last one wins": ("baba . baba ball", ["BALL IS WIN"], [R], 1 - 0.9 * 1 / 100),
    "a block on it": ("baba ball+RED .", ["BALL IS WIN"], [R], 1 - 0.9 * 1 / 100),
}


@pytest.mark.parametrize("case", ENDS)
def test_ends_by_hand(case):
    first, sentences, actions, reward = ENDS[case]
    batch = after([first, "", *sentences, YOU], actions)[1]
    assert batch.rewards[0, 0] == reward and batch.terminations[0, 0] == (reward != 0) and not batch.truncations[0, 0]


def test_sentences():
    """Across and down; four blocks hide the three in them; blocks that are covered or apart say nothing."""
    rows = "RED BALL IS WIN . BALL", ". . . . . IS", "DOOR IS OPEN+ball . . STOP", "KEY . IS PUSH", YOU
    batch = started(level=room(*rows))
    text = batch.world.text(batch.record(), 0)
    assert "Rules in force: red ball is win; ball is stop; baba is you." in text
    assert (batch.records["rules"][0] > 0).sum() == 3


def test_the_time():
    batch = started(level=room("baba . ball", "BALL IS WIN", YOU), horizon=2)
    kit.act(batch, IDLE, R)
    assert batch.truncations[0, 0] and not batch.terminations[0, 0] and batch.rewards[0, 0] == 0
    batch = started(level=room("baba . ball", "BALL IS WIN", YOU), horizon=2)
    kit.act(batch, R, R)
    assert batch.truncations[0, 0] and batch.terminations[0, 0] and batch.rewards[0, 0] == 1 - 0.9


def test_a_move_without_end():
    """A thing that is you and pull, in front of a block that cannot move: each would move the other for ever."""
    batch = started(level=room(". baba BALL", YOU, "BABA IS PULL", width=3))
    before = batch.records["pieces"].copy()
    kit.act(batch, R)
    assert (batch.records["pieces"] == before).all() and not batch.records["frames"].any()


# What is shown.


def test_observation():
    batch = started(level=room("red-ball:left+baba WHITE+KEY IS SHUT"), layers=2)
    seen = batch.observations[0, 0][1]
    assert seen[:6].tolist() == [
        [[1, 0, 0], [0, 0, 0]], [[2, 7, 0], [4, 1, 2]], [[7, 4, 0], [10, 7, 0]], [[8, 1, 0], [0, 0, 0]],
        [[9, 9, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]],
    ]  # fmt: skip
    assert (batch.observations[0, 0][0, :, 0] == [1, 0, 0]).all()


def test_text():
    batch = started(level=room(". red-ball . BALL", "ball:up baba", YOU, "BALL IS MOVE"))
    text = batch.world.text(batch.record(), 0)
    assert "You are the white baba in column 2, row 2." in text
    assert "Things: red ball facing right 1 up; green ball facing up 1 left." in text
    assert "BALL 1 up 2 right" in text
    batch = started(level=room("ball baba", "KEY IS YOU"))
    assert "Nothing is you." in batch.world.text(batch.record(), 0)


def test_clicks():
    batch = started(level=room("", ". baba", "", YOU, width=6, height=6), task="make_win")
    assert kit.clicks(batch, 0, 1.2, 1.2) == {None, IDLE, U, R, D, L}
    batch = started(level=room("ball", "", YOU, width=6, height=6), task="make_win")
    assert kit.clicks(batch, 0, 2.5, 2.5) == {None}


# Baselines.


def wins(policy, num, **params):
    return (np.asarray(play(build(ID, params), [policy], num).returns)[:, 0] > 0).mean()


def test_baselines():
    assert wins("walker", 10, task="goto_win") == 1
    level = room("baba . . . . . . ball", "BALL IS WIN", YOU)
    batch = started(level=level)
    assert kit.choices("walker", batch) == {"right"}
    batch = started(level=room("baba key . . . . . ball", "", "BALL IS WIN", "KEY IS PUSH", YOU))
    assert kit.choices("walker", batch) == {"down"}


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_planner_solves_all_tasks(task):
    params = dict(task=task, width=13, height=9)
    assert wins("planner", 60, **params) > 0.9
    if "make" in task:
        assert wins("random", 60, **params) < 0.2


@pytest.mark.slow
def test_random_moves_as_often_as_in_the_source():
    """The shares of wins that the page gives, as ranges of 15 episodes of each of its environments."""
    ranges = (
        ("goto_win", 10, 13), ("two_room-goto_win", 7, 9), ("two_room-break_stop-goto_win", 0, 4),
        ("two_room-maybe_break_stop-goto_win", 4, 10),
    )  # fmt: skip
    for task, low, high in ranges:
        share = wins("random", 400, task=task, width=13, height=9)
        assert low / 15 - 0.15 < share < high / 15 + 0.15, task
