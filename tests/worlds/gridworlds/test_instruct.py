"""Instruct against minigrid, step for step, in all named levels, and its own features."""

import contextlib
import io
import itertools
from collections import Counter

import gymnasium
import kit
import numpy as np
import pytest
from minigrid_play import export, likely_action
from scipy.stats import ks_2samp

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.gridworlds.instruct import Instruct
from envsuite.gridworlds.instruct.language import LONGEST, WORDS, read_mission
from envsuite.gridworlds.instruct.levels import LEVELS
from envsuite.kit.rooms import ACTIONS, COLORS

ID = "envsuite/Instruct-v0"
VERSIONS = {"GoToObjS6": 1}

#: Levels of all families, with all verbs and shapes of missions.
SOME = (
    "GoToObjS4", "GoToRedBlueBall", "GoToDoor", "OpenRedBlueDoorsDebug", "PickupDistDebug", "PutNextS5N2Carrying",
    "KeyInBox", "ActionObjDoor", "MoveTwoAcrossS5N2", "MiniBossLevel",
)  # fmt: skip


def build(**parameters):
    """The world that its id builds."""
    world = Instruct(**parameters)
    world.id = ID
    return world


def in_python(start=None, seed=0, **parameters):
    """A batch of one episode whose rules run as Python: less work than to compile them."""
    batch = Batch(build(**parameters), 1, compiled=False)
    batch.start(seed, start)
    return batch


def reference(name, seed):
    """MiniGrid's environment after a reset."""
    import minigrid  # noqa: F401  (registers its environments)

    with contextlib.redirect_stdout(io.StringIO()):  # it prints rejected levels
        env = gymnasium.make(f"BabyAI-{name}-v{VERSIONS.get(name, 0)}").unwrapped
        env.reset(seed=seed)
    return env


def clauses(instruction):
    """The clauses of an instruction of MiniGrid in the order in which they are to be done."""
    from minigrid.envs.babyai.core.verifier import AfterInstr, AndInstr, BeforeInstr

    if isinstance(instruction, AfterInstr):
        return clauses(instruction.instr_b) + clauses(instruction.instr_a)
    if isinstance(instruction, (BeforeInstr, AndInstr)):
        return clauses(instruction.instr_a) + clauses(instruction.instr_b)
    return [instruction]


def numbers(values):
    return [int(value) for value in values]


def instruct_level(env):
    """A running environment as a level."""
    level = export(env) | {"mission": env.mission}
    if env.carrying:
        x, y = numbers(env.carrying.cur_pos)
        level["grid"][y][x] = numbers(env.carrying.encode())
        level["carrying"] = [x, y]
    boxes = [
        [x, y, numbers(cell.contains.encode())]
        for x, y in np.ndindex(env.width, env.height)
        if (cell := env.grid.get(x, y)) and getattr(cell, "contains", None)
    ]
    if boxes:
        level["boxes"] = boxes
    strict = [bool(getattr(clause, "strict", False)) for clause in clauses(env.instrs)]
    return level | ({"strict": strict} if any(strict) else {})


def strictly(env, rng):
    """Make random clauses of a mission strict."""
    from minigrid.envs.babyai.core.verifier import OpenInstr, PickupInstr

    for clause in clauses(env.instrs):
        if isinstance(clause, (OpenInstr, PickupInstr)):
            clause.strict = bool(rng.integers(2))


def play_both(name, seed, led=0.0, limit=10_000, horizon=None, change=None):
    """Play an episode in both and compare everything at every step; returns what happened.

    Args:
        led: how often MiniGrid's bot chooses the action.
        limit: the most steps.
        horizon: actions until truncation, if not the level's own number.
        change: changes MiniGrid's environment before the start.
    """
    from minigrid.utils.baby_ai_bot import BabyAIBot

    env, rng = reference(name, seed), np.random.default_rng(seed)
    if change:
        change(env, rng)
    level = instruct_level(env)
    ours = in_python(level, level=name, horizon=horizon)
    record = ours.record(0)
    assert ours.world.get_level(record) == level
    assert ours.world.mission_of(record) == env.mission
    if horizon is None:
        assert record.limit == env.max_steps
    else:
        env.max_steps = horizon
    bot, last, view = BabyAIBot(env) if led else None, None, env.gen_obs()
    for _ in range(limit):
        action = int(rng.integers(7)) if rng.random() < 0.15 else None
        if action is None and bot and rng.random() < led:
            try:
                action = int(bot.replan(last))
            except Exception:  # it fails in some situations, and of course after opened boxes
                bot = None
        if action is None:
            action = int(likely_action(rng, view["image"]))
        last = env.actions(action)
        view, reward, terminated, truncated, _ = env.step(action)
        ours.step(action)
        seen, done = ours.observations[0, 0], ours.world.state(ours.records, ours.observations)
        assert np.array_equal(seen["image"], view["image"]), ACTIONS[action]
        assert seen["direction"] == view["direction"]
        if rng.random() < 0.1:
            grid = env.grid.encode()
            grid[tuple(env.agent_pos)] = done["grid"][0][tuple(env.agent_pos)]
            assert np.array_equal(done["grid"][0], grid)
        assert ours.rewards[0, 0] == reward, (ACTIONS[action], env.mission)  # bit for bit
        assert (ours.terminations[0, 0], ours.truncations[0, 0]) == (terminated, truncated)
        if terminated or truncated:
            return Counter(done=reward > 0, failed=terminated and not reward, truncated=truncated, steps=env.step_count)
    return Counter(steps=limit)


def test_names_are_babyais():
    import minigrid  # noqa: F401  (registers its environments)

    ids = [id for id in gymnasium.registry if id.startswith("BabyAI-")]
    assert {id[7:-3] for id in ids} == set(LEVELS) and len(ids) == len(LEVELS) == 96


def test_plays_like_minigrid():
    count = Counter()
    for seed, name in enumerate(SOME):
        count += play_both(name, seed, led=0.9, limit=45, horizon=40 if seed % 3 == 2 else None)
    for seed in range(6):
        count += play_both("MiniBossLevel", seed, led=0.85, limit=40, change=strictly)
    assert count["done"] >= 5 and count["truncated"] >= 1


@pytest.mark.slow
def test_plays_like_minigrid_in_all_levels():
    count = Counter()
    for name in LEVELS:
        count += play_both(name, 1000, led=0.9, limit=70, horizon=60)
        count += play_both(name, 2000, limit=15)
    for seed in range(100, 140):
        count += play_both("MiniBossLevel", seed, led=0.9, limit=60, change=strictly)
    assert count["done"] >= 40 and count["failed"] >= 2 and count["truncated"] >= 20


# The language.


def descriptions(types):
    """All descriptions of MiniGrid's grammar."""
    from minigrid.envs.babyai.core.verifier import LOC_NAMES

    places = {"front": "in front of you", "behind": "behind you", "left": "on your left", "right": "on your right"}
    assert set(places) == set(LOC_NAMES)
    for kind, color, place in itertools.product(types, ("", *COLORS), ("", *places.values())):
        yield " ".join(["a", *([color] if color else []), kind, *([place] if place else [])])


def test_all_clauses():
    """14,980 clauses are read, all as different ones, and of known words."""
    from minigrid.envs.babyai.core.verifier import OBJ_TYPES, OBJ_TYPES_NOT_DOOR

    anything, things = list(descriptions(OBJ_TYPES)), list(descriptions(OBJ_TYPES_NOT_DOOR))
    texts = [f"go to {named}" for named in anything] + [f"pick up {named}" for named in things]
    texts += [f"open {named}" for named in descriptions(["door"])]
    texts += [f"put {moved} next to {fixed}" for moved in things for fixed in anything]
    assert len(anything) == 140 and len(things) == 105 and len(texts) == 14_980
    assert len({read_mission(text, "")[1][0][0] for text in texts}) == 14_980
    assert {word for text in texts for word in text.split()} <= set(WORDS)


def room(*things, agent=(2, 2), direction=0, mission="go to the red ball", **more):
    """A level of one room of 6 x 6 cells with things (x, y, kind, color); the mission."""
    grid = [[[1, 0, 0] if 0 < x < 5 and 0 < y < 5 else [2, 5, 0] for x in range(6)] for y in range(6)]
    for x, y, kind, color in things:
        grid[y][x] = [kind, color, 0]
    return {"grid": grid, "agent": list(agent), "direction": direction, "mission": mission, **more}


RED_BALL, BLUE_BALL, RED_KEY, RED_BOX, GREY_BOX = (6, 0), (6, 2), (5, 0), (7, 0), (7, 5)
L, R, F, PICK, DROP, TOGGLE, DONE = range(7)


def played(level, *actions):
    """The rewards of these actions, to the end of the episode."""
    batch = in_python(level, level="GoToObjS6")
    rewards = []
    for action in actions:
        batch.step(action)
        rewards.append(float(batch.rewards[0, 0]) > 0)
        if batch.over().any():
            break
    return rewards


def test_longest_mission():
    clause = "put a grey box in front of you next to a grey box in front of you"
    part = f"{clause} and {clause}"
    for mission in (f"{part}, then {part}", f"{part} after you {part}"):
        batch = in_python(room((4, 1, *GREY_BOX), (4, 4, *GREY_BOX), mission=mission), level="GoToObjS6")
        assert np.count_nonzero(batch.observations["words"]) == LONGEST == 72
        assert batch.world.get_level(batch.record())["mission"] == mission
        assert batch.record().limit == 8 * 36


def test_remembered_cells():
    """A cell counts as that of a match from one drop to the next, as in MiniGrid's verifier."""
    level = room((3, 2, *RED_BALL), mission="pick up the red ball, then go to the red ball")
    assert played(level, PICK) == [True]
    level = room((3, 2, *RED_BALL), (2, 3, *RED_KEY), mission="pick up the red key, then go to the red ball")
    assert played(level, PICK, L, DROP, R, R, PICK, L, L) == [False] * 7 + [True]


def test_put_next_counts_what_was_held_before():
    """An object that begins in hand is not known to the verifier before the first action."""
    level = room((1, 1, *RED_KEY), (4, 2, *RED_BALL), carrying=[1, 1], mission="put the red key next to the red ball")
    assert played(level, DROP) == [False]
    assert played(level, DONE, DROP) == [False, True]


def test_places():
    """Descriptions by place are about the start, and stay true of what has moved."""
    level = room((2, 1, *RED_BALL), (2, 3, *RED_BALL), mission="go to the ball on your left")
    assert played(level, R) == [False] and played(level, L) == [True]
    assert played(level, R, PICK, L, L) == [False] * 3 + [True]
    for place in ("in front of you", "on your right"):  # what is straight ahead is on neither side
        level = room((4, 2, *RED_BALL), (2, 3, *RED_BALL), mission=f"go to the ball {place}")
        batch = in_python(level, level="GoToObjS6")
        assert batch.world.mission_of(batch.record()) == level["mission"]


def test_boxes():
    level = room((3, 2, *RED_BOX), (4, 4, *RED_KEY), mission="pick up the red key", boxes=[[3, 2, [5, 0, 0]]])
    assert played(level, TOGGLE, PICK) == [False, False]  # the key of the box is not a match
    assert played(level, TOGGLE, TOGGLE, F) == [False] * 3
    assert played(level | {"mission": "pick up the red box"}, TOGGLE, PICK) == [False, False]
    batch = in_python(level, level="GoToObjS6")
    batch.step(TOGGLE)
    assert batch.observations[0, 0]["image"][3, 5].tolist() == [5, 0, 0]
    assert batch.world.get_level(batch.record()) == level


def test_what_does_not_count():
    """To close a door is not to open it; what is in hand already is not picked up."""
    assert played(room((3, 2, 4, 0), mission="open the red door"), TOGGLE, TOGGLE) == [False, True]
    level = room((3, 2, *RED_BALL), (2, 3, *RED_KEY), mission="go to the red key, then pick up the red ball")
    assert played(level, PICK, R, PICK) == [False] * 3


def test_strict_and_grey():
    level = room((3, 2, *GREY_BOX), (4, 4, *RED_BALL), mission="pick up the ball", strict=[True])
    batch = in_python(level, level="GoToObjS6")
    batch.step(PICK)
    assert batch.terminations.all() and batch.rewards[0, 0] == 0
    batch = in_python(level | {"carrying": [3, 2]}, level="GoToObjS6")
    batch.step(DONE)
    batch.step(PICK)
    assert batch.terminations.all() and batch.rewards[0, 0] == 0
    batch = in_python(room((3, 2, *GREY_BOX), mission="pick up the grey object"), level="GoToObjS6")
    assert batch.world.mission_of(batch.record()) == "pick up a grey object"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(mission="go to the green ball"), "nothing in the level is a green ball"),
        (dict(mission="go to the red ball behind you"), "nothing in the level is a red ball behind you"),
        (dict(mission="fly to the red ball"), "the clause 'fly to the red ball' must be 'go to'"),
        (dict(mission="open the red ball"), "one of door"),
        (dict(mission="pick up an object"), "must be 'the' or 'a'"),
        (dict(mission="pick up the object"), "an object needs a color"),
        (dict(mission="go to a ball and go to a ball and go to a ball"), "3 clauses joined by 'and'"),
        (dict(mission=3), "'mission' must be text"),
        (dict(carrying=[1, 1]), "'carrying' must name the cell of a key"),
        (dict(boxes=[[3, 2, [5, 0, 0]]]), "'boxes' must name the cell of a box"),
        (dict(boxes=[[3, 2, [4, 0, 0]]]), "a box holds a key, ball or box"),
        (dict(strict=[True]), "only clauses 'open' and 'pick up' can be strict"),
        (dict(strict=True), "'strict' must list 1 times true or false"),
    ],
)
def test_levels_that_cannot_be(changes, message):
    batch = Batch(build(level="GoToObjS6"), 1, compiled=False)
    with pytest.raises(LevelError, match=message):
        batch.set_level(0, room((3, 2, *RED_BALL)) | changes)


def test_other_things_are_refused():
    batch = Batch(build(level="GoToObjS6"), 1, compiled=False)
    with pytest.raises(LevelError, match="must not have a green goal, at x=4, y=4"):
        batch.set_level(0, room((3, 2, *RED_BALL), (4, 4, 8, 1)))


def test_parameters_that_cannot_be():
    for parameters, message in (
        (dict(level="UnlockToUnlock", rows=2), "has 1 rows of rooms"),
        (dict(level="GoTo", rows=1, columns=1, things=60), "things"),
        (dict(level="BossLevel", rows=1, columns=1), "at least two rooms"),
        (dict(level="GoToLocal", room_size=5), "8 things do not fit"),
        (dict(level="BossLevel", room_size=20), "too large"),
        (dict(level="OpenDoor", things=3), "from 0 to 0"),
        (dict(level="PutNextS5N2", room_size=3), "room_size must be at least 4"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(**parameters)
    assert build(level="PutNextS5N2", room_size=6).parameters["room_size"] == 6
    assert in_python(level="PutNextS5N2", room_size=6).record().limit == 8 * 36


# Levels.


def features(level):
    """Numbers that describe a level."""
    grid = np.array(level["grid"])
    kind, color = grid[..., 0], grid[..., 1]
    words = level["mission"].split()
    things = np.argwhere(np.isin(kind, (5, 6, 7)))
    doors = np.argwhere(kind == 4)
    near = np.abs(things[:, ::-1] - level["agent"]).sum(axis=1)
    return {
        "words": len(words),
        "verb": ("go", "pick", "open", "put").index(words[0]),
        "the": words.count("the"),
        "color": next((COLORS.index(word) for word in words if word in COLORS), 6),
        "doors": len(doors),
        "locked": int(((kind == 4) & (grid[..., 2] == 2)).sum()),
        "door column": doors[:, 1].mean() if len(doors) else 0.0,
        "door color": color[kind == 4].mean() if len(doors) else 0.0,
        "things": len(things),
        "keys": int((kind == 5).sum()),
        "thing column": things[:, 1].mean() if len(things) else 0.0,
        "thing row": things[:, 0].mean() if len(things) else 0.0,
        "thing color": color[np.isin(kind, (5, 6, 7))].mean() if len(things) else 0.0,
        "distance": near.min() if len(near) else 0,
        "column": level["agent"][0],
        "row": level["agent"][1],
        "direction": level["direction"],
    }


def check_distribution(name, num):
    """Levels of a name have the distribution of MiniGrid's, feature by feature."""
    batch = Batch(build(level=name), num)
    batch.start(range(num))
    ours = [features(batch.world.get_level(batch.record(k))) for k in range(num)]
    theirs = [features(instruct_level(reference(name, seed))) for seed in range(num)]
    for feature in ours[0]:
        found = ks_2samp(*([level[feature] for level in levels] for levels in (ours, theirs)))
        assert found.pvalue > 1e-5, (name, feature, found.pvalue)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MiniBossLevel", "PutNextLocalS5N3", "OpenDoorsOrderN4", "KeyCorridorS3R3"])
def test_levels_have_minigrids_distribution(name):
    check_distribution(name, 100)


# The bot.


def test_bot():
    """It goes to what is there, and puts next to another what is in its hand."""
    for name, most in (("GoToObjS4", 12), ("PutNextS5N2Carrying", 12)):
        batch = in_python(level=name)
        assert kit.finish(batch, "bot") > 1 - 0.9 * most / batch.record().limit


@pytest.mark.slow
def test_bot_does_all_missions():
    """All of 64 missions, in about 22 steps; MiniGrid's bot needs about 25."""
    batch = kit.started(ID, 64)
    assert (kit.finish(batch, "bot") > 0).all()
    assert 16 < batch.records["t"].mean() < 28


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KeyInBox", "UnlockToUnlock", "KeyCorridorS3R1", "OpenRedBlueDoorsDebug"])
def test_bot_does_what_minigrids_cannot(name):
    """It opens boxes and fetches one key with another; in narrow rooms and without a mistake."""
    assert (kit.finish(kit.started(build(level=name), 8), "bot") > 0).all()
