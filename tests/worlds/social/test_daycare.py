"""Daycare: in lock-step with recorded episodes of Melting Pot, its random play, and each rule by a probe."""

import gzip
import json

import numpy as np
import pytest
from avatar_play import cell, hall, put_all, started, where
from kit import DATA
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError
from envsuite.generators import describe, generate_many, mutate
from envsuite.social.daycare import CHILD, EAT, GRASP, PARENT, Daycare
from envsuite.social.daycare.levels import HEIGHT, WIDTH
from envsuite.social.daycare.view import (
    HANDS,
    HANGING_APPLE,
    HANGING_BANANA,
    PICKED_APPLE,
    PICKED_BANANA,
    SHRUB,
    TREE,
)

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT = range(7)
EAST, SOUTH, WEST, NORTH = range(4)
EPISODES = json.loads(gzip.decompress((DATA / "Daycare" / "daycare.json.gz").read_bytes()))
#: Copies that play each step of a recorded episode, because walks, hands and luck differ.
COPIES = 24


def window(codes, x, y, facing):
    """The part of a whole map (HEIGHT, WIDTH) that an agent sees, as NumPy turns and cuts it."""
    padded = np.pad(codes, 11)[y : y + 23, x : x + 23]
    return np.rot90(padded, (facing + 1) % 4)[2:13, 6:17]


def same(batch, frame, maps):
    """(COPIES,) which copies are as in the frame; `maps` are whole maps as child and parent see them."""
    s = batch.records
    equal = (s["hunger"] == frame["h"]) & (batch.rewards == frame.get("r", [0, 0])).all(axis=1)
    for a, seen in enumerate(frame["g"]):
        equal &= (s["away"][:, a] > 0) == (seen is None)
        if seen is not None:
            x, y, facing = seen
            equal &= (s["at"][:, a] == cell(batch, x, y)) & (s["facing"][:, a] == facing)
            equal &= (batch.observations["food"][:, a] == window(maps[a], x, y, facing)).all(axis=(1, 2))
    return equal


def returns(batch, before, frame):
    """Prepare a step by when and where the child of Melting Pot returns in it; whether our rule is another one."""
    s = batch.records
    if before["g"][CHILD] is not None:
        return False
    parent, left = before["g"][PARENT][:2], before["w"]
    if frame["g"][CHILD] is None:
        if s["away"][0, CHILD] > 1:
            return False
        assert left == parent or s["map"][0, left[1], left[0]] == 0
        s["away"][:, CHILD] = 2
        return True
    assert (s["away"][:, CHILD] == 1).all()
    x, y, facing = frame["g"][CHILD]
    if abs(x - parent[0]) + abs(y - parent[1]) == 1:
        return False
    assert [x, y] in (left, parent) and frame["a"][PARENT] != EAT
    if [x, y] == parent:  # which makes room in this step
        s["away"][:, CHILD] = 2
    else:
        s["away"][:, CHILD], s["hunger"] = 0, batch.world.parameters["hungry"] + 1
        put_all(batch, {CHILD: (x, y, facing)})
    return True


def follow(episode, last=None):
    """Play an episode of Melting Pot up to this frame; the child's tries at shrubs, and its successes."""
    frames, tries = episode["frames"][:last], []
    world = Daycare(10_000, episode["hungry"], episode["respawn"], episode["regrowth"])
    batch = started(world, COPIES, episode["map"])
    s, codes, chance = batch.records, np.zeros((2, HEIGHT * WIDTH), int), np.random.default_rng(0)
    put_all(batch, dict(enumerate(frames[0]["g"])))
    for k, (before, frame) in enumerate(zip(frames, frames[1:])):
        for a, letter in enumerate("cp"):
            for f in (before, frame) if k == 0 else (frame,):
                for at, code in f.get(letter, []):
                    codes[a, at] = code
        returns(batch, before, frame)
        hand = hands_at(batch) if frame["a"][CHILD] == GRASP and frame["a"][PARENT] != GRASP else None
        batch.step(tuple(frame["a"]))
        if s["away"][0, CHILD] == 1 and frame["g"][CHILD] is not None:
            s["away"][:, CHILD], s["hunger"] = 0, episode["hungry"]
            put_all(batch, {CHILD: frame["g"][CHILD]})
        equal = same(batch, frame, codes.reshape(2, HEIGHT, WIDTH))
        assert equal.any(), (k, frame)
        if hand is not None:
            tries.append(s["hangs"][equal.argmax(), hand] == 0)
        # All that match go on: who of two hands has got a fruit shows later.
        streams, matches = s["rng"].copy(), np.flatnonzero(equal)
        chosen = np.where(equal, np.arange(COPIES), chance.choice(matches, COPIES))
        s[:] = s[chosen]
        s["rng"] = streams
    return tries


def hands_at(batch):
    """The cell with a shrub's fruit alone that the child's hand would reach into in all copies, or None."""
    s = batch.records
    if s["away"][0, CHILD] or s["pressed"][:, CHILD].any() or s["holds"][:, CHILD].any():
        return None
    ahead = (1, WIDTH + 16, -1, -WIDTH - 16)[s["facing"][0, CHILD]]
    hand = s["at"][0, CHILD] + ahead
    shrub = s["food"][0, hand] & SHRUB and s["hangs"][0, hand] == hand and not s["lies"][0, hand]
    return hand if shrub else None


@pytest.mark.mostly_slow
@pytest.mark.parametrize("number", range(len(EPISODES)))
def test_melting_pot_in_lock_step(number):
    """Places, facings, plants, fruit, hands, hunger and rewards in every frame, as both agents see them."""
    tries = follow(EPISODES[number], None if number else 400)
    assert stats.binomtest(int(sum(tries)), max(1, len(tries)), 0.3).pvalue > 1e-3


def garden(**things):
    """A level of one bare hall with starts at the left of its lowest row."""
    return hall(WIDTH, HEIGHT, "sss", **things)


def bare(child, parent, num=1, parameters=None, **things):
    """A hall with these plants by letter, a child and a parent, each (x, y, facing)."""
    batch = started(Daycare(**(parameters or {})), num, garden(**things))
    put_all(batch, {CHILD: child, PARENT: parent})
    return batch


def act(batch, child=NOOP, parent=NOOP):
    batch.step((child, parent))


def food(batch, x, y, i=0):
    """The bits of a cell."""
    return int(batch.records["food"][i, cell(batch, x, y)])


def holds(batch, a, i=0):
    return bool(batch.records["holds"][i, a])


FAR = (15, 10, EAST)


def test_who_picks_what():
    """The parent all, the child no tree, and shrubs with a probability; in eating, only the fruit counts."""
    for letter, gets in (("A", 0), ("B", 0), ("a", 1), ("b", 1)):
        batch = bare((5, 5, EAST), FAR, parameters={"grasp": 1.0}, **{letter: [(6, 5)]})
        act(batch, GRASP)
        assert holds(batch, CHILD) == gets and food(batch, 6, 5) & HANDS[CHILD]
        act(batch, EAT)
        assert batch.rewards[0].tolist() == [letter == "b", 0] and batch.records["eaten_count"][0] == gets
        batch = bare(FAR, (5, 5, EAST), **{letter: [(6, 5)]})
        act(batch, NOOP, GRASP)
        picked = PICKED_APPLE if letter in "aA" else PICKED_BANANA
        assert holds(batch, PARENT) and food(batch, 6, 5) == picked + HANDS[PARENT] + (
            SHRUB if letter in "ab" else TREE
        )
        act(batch, NOOP, EAT)
        assert batch.rewards[0].tolist() == [0, 1] and food(batch, 6, 5) in (TREE, SHRUB)
    batch = bare((5, 5, EAST), FAR, 1000, a=[(6, 5)])
    act(batch, GRASP)
    assert stats.binomtest(int((batch.records["holds"][:, CHILD] > 0).sum()), 1000, 0.3).pvalue > 1e-3


def test_a_second_grasp_in_a_row():
    """It has no effect, neither to take nor to drop."""
    batch = bare(FAR, (5, 5, NORTH), A=[(6, 5)])
    act(batch, NOOP, GRASP)
    act(batch, NOOP, TURN_RIGHT)
    act(batch, NOOP, GRASP)
    assert holds(batch, PARENT)
    act(batch, NOOP, TURN_LEFT)
    assert food(batch, 5, 4) == PICKED_APPLE + HANDS[PARENT]
    act(batch, NOOP, GRASP)
    assert not holds(batch, PARENT) and food(batch, 5, 4) == PICKED_APPLE
    act(batch, NOOP, GRASP)
    assert not holds(batch, PARENT) and food(batch, 5, 4) == PICKED_APPLE
    act(batch)
    act(batch, NOOP, GRASP)
    assert holds(batch, PARENT) and food(batch, 5, 4) == PICKED_APPLE + HANDS[PARENT]


def test_no_drop_on_plants():
    """A drop fails on a plant, with its fruit or without; the agent holds on."""
    batch = bare(FAR, (5, 5, EAST), A=[(6, 5)], b=[(5, 4)])
    act(batch, NOOP, GRASP)
    act(batch)
    act(batch, NOOP, GRASP)
    assert holds(batch, PARENT) and not food(batch, 6, 5) & HANDS[PARENT]
    act(batch, NOOP, TURN_LEFT)
    act(batch, NOOP, GRASP)
    assert holds(batch, PARENT) and food(batch, 5, 4) == SHRUB + HANGING_BANANA + PICKED_APPLE


def test_held_fruit_move():
    """With steps and turns; another picked fruit stops a step, and keeps a fruit aside in a turn. Plants do not."""
    batch = bare((2, 2, EAST), (5, 5, EAST), A=[(6, 5), (5, 3)], B=[(8, 5)])
    lay(batch, (8, 5), (7, 5))
    act(batch, NOOP, GRASP)
    for action, at, fruit in (
        (FORWARD, (5, 5), (6, 5)),  # the banana is in the way
        (BACKWARD, (4, 5), (5, 5)),
        (TURN_RIGHT, (4, 5), (4, 6)),
        (STEP_LEFT, (5, 5), (5, 6)),
        (STEP_LEFT, (6, 5), (6, 6)),
        (TURN_LEFT, (6, 5), (6, 6)),  # the fruit cannot follow
        (STEP_RIGHT, (6, 6), (6, 7)),
        (TURN_LEFT, (6, 6), (6, 5)),
        (STEP_LEFT, (5, 6), (5, 5)),
        (FORWARD, (5, 5), (5, 4)),
        (FORWARD, (5, 4), (5, 3)),  # in front of an apple that hangs
    ):
        act(batch, NOOP, action)
        assert where(batch, PARENT) == at and food(batch, *fruit) & PICKED_APPLE, action
        assert (batch.records["food"][0] & PICKED_APPLE > 0).sum() == 1
    assert food(batch, 5, 3) == TREE + HANGING_APPLE + PICKED_APPLE + HANDS[PARENT]


def lay(batch, home, there):
    """Pick the fruit of a plant and lay it down elsewhere."""
    for s in batch.records:
        fruit, at = cell(batch, *home), cell(batch, *there)
        banana = s["food"][fruit] & HANGING_BANANA
        s["hangs"][fruit], s["lies"][at], s["spot"][fruit] = 0, fruit, at
        s["food"][fruit] &= 255 - HANGING_APPLE - HANGING_BANANA
        s["food"][at] |= PICKED_BANANA if banana else PICKED_APPLE
    batch.observe()


def test_fruit_lie_beyond_walls():
    """A fruit can be held into a wall, dropped there and taken again."""
    batch = bare(FAR, (2, 1, WEST), A=[(1, 1)])
    act(batch, NOOP, GRASP)
    act(batch, NOOP, TURN_RIGHT)
    assert food(batch, 2, 0) == PICKED_APPLE + HANDS[PARENT]
    act(batch, NOOP, GRASP)
    assert food(batch, 2, 0) == PICKED_APPLE and not holds(batch, PARENT)
    act(batch)
    act(batch, NOOP, GRASP)
    assert holds(batch, PARENT)


def test_from_hand_to_hand():
    """A hand takes from another one, whoever is the child; the holder takes it back if its hand comes later."""
    batch = bare((5, 6, NORTH), (5, 4, SOUTH), 400, B=[(6, 4)])
    lay(batch, (6, 4), (5, 5))
    act(batch, NOOP, GRASP)
    assert (batch.records["holds"][:, PARENT] > 0).all()
    act(batch, GRASP)
    taken = batch.records["holds"][:, CHILD] > 0
    assert (taken != (batch.records["holds"][:, PARENT] > 0)).all()
    assert stats.binomtest(int(taken.sum()), 400, 0.5).pvalue > 1e-3
    act(batch, EAT)
    assert (batch.rewards[:, CHILD] == taken).all()
    batch = bare((5, 6, NORTH), (5, 4, SOUTH), 400, B=[(6, 4)])
    lay(batch, (6, 4), (5, 5))
    act(batch, NOOP, GRASP)
    act(batch)
    act(batch, GRASP, GRASP)  # what is dropped is taken for sure
    assert (batch.records["holds"][:, CHILD] > 0).all() and not batch.records["holds"][:, PARENT].any()


def test_both_reach_at_once():
    """The later hand has the fruit; for the child it still hangs on the tree."""
    batch = bare((5, 6, NORTH), (5, 4, SOUTH), 64, A=[(5, 5)])
    act(batch, GRASP, GRASP)
    assert (batch.records["holds"][:, PARENT] > 0).all()
    batch = bare((5, 6, NORTH), (5, 4, SOUTH), 400, parameters={"grasp": 1.0}, b=[(5, 5)])
    act(batch, GRASP, GRASP)
    assert stats.binomtest(int((batch.records["holds"][:, CHILD] > 0).sum()), 400, 0.5).pvalue > 1e-3


def test_behind_a_held_fruit():
    """A hand takes what hangs first; it comes off when the picked one in front of it has gone."""
    batch = bare((5, 6, NORTH), (5, 4, SOUTH), parameters={"grasp": 1.0}, A=[(4, 4)], b=[(5, 5)])
    lay(batch, (4, 4), (4, 4))
    put_all(batch, {PARENT: (5, 4, WEST)})
    act(batch, NOOP, GRASP)
    act(batch, NOOP, TURN_LEFT)
    act(batch, GRASP)
    assert food(batch, 5, 5) == SHRUB + HANGING_BANANA + PICKED_APPLE + sum(HANDS) and holds(batch, CHILD)
    act(batch, TURN_LEFT)
    assert food(batch, 4, 6) == PICKED_BANANA + HANDS[CHILD] and food(batch, 5, 5) == SHRUB + PICKED_APPLE + HANDS[1]


def test_regrowth():
    """Fruit hang again after `regrowth` steps and one more, and can be taken in that step."""
    for steps in (0, 3, 50):
        batch = bare((2, 2, EAST), (5, 5, EAST), parameters={"regrowth": steps}, A=[(6, 5)])
        act(batch, NOOP, GRASP)
        act(batch, NOOP, EAT)
        for _ in range(steps):
            act(batch)
            assert food(batch, 6, 5) == TREE
        act(batch, NOOP, GRASP)
        assert holds(batch, PARENT)


def test_hunger():
    """200 steps, 101 observations without a view, and back beside the parent; a banana fills, an apple does not."""
    batch = bare((5, 5, EAST), FAR, parameters={"grasp": 1.0}, a=[(6, 5)], b=[(5, 4)])
    seen = batch.observations
    act(batch, GRASP)
    act(batch, EAT)
    assert seen["fed"][0].ravel().tolist() == [np.float32(198 / 200), 1] and batch.rewards[0, CHILD] == 0
    act(batch, TURN_LEFT)
    act(batch, GRASP)
    act(batch, EAT)
    assert seen["fed"][0, CHILD, 0] == 1 and batch.rewards[0, CHILD] == 1
    for _ in range(199):
        act(batch, TURN_RIGHT)
        assert seen["view"][0, CHILD].any()
    act(batch)
    put_all(batch, {PARENT: (10, 10, EAST)})
    for _ in range(101):
        assert not seen["view"][0, CHILD].any() and not seen["food"][0, CHILD].any() and seen["fed"][0, CHILD] == 0
        act(batch, TURN_RIGHT, FORWARD if where(batch, PARENT)[0] < 15 else NOOP)
    x, y = where(batch, CHILD)
    assert abs(x - 15) + abs(y - 10) == 1 and batch.records["facing"][0, CHILD] == NORTH and seen["fed"][0, CHILD] == 1


def test_what_a_hungry_child_holds():
    """It is gone when the child is out, and hangs again like what was eaten; the child returns with empty hands."""
    batch = bare(
        (5, 5, EAST), (9, 9, EAST), 64, parameters=dict(hungry=4, respawn=1, regrowth=3, grasp=1.0), a=[(6, 5)]
    )
    act(batch, GRASP)
    for _ in range(3):
        act(batch)
    assert (batch.records["away"][:, CHILD] > 0).all() and food(batch, 6, 5) == SHRUB and not holds(batch, CHILD)
    act(batch, GRASP)
    act(batch, GRASP)
    assert not batch.records["away"].any()
    spots = {where(batch, CHILD, i) for i in range(64)}
    assert spots == {(10, 9), (8, 9), (9, 10), (9, 8)}
    act(batch)
    assert food(batch, 6, 5) == SHRUB
    act(batch)
    assert food(batch, 6, 5) == SHRUB + HANGING_APPLE


def test_a_parent_alone():
    """It is paid in the step in which the child goes, not in that of its return; nobody returns into a cage."""
    for steps, paid in ((2, 1), (3, 0), (4, 0), (5, 1)):
        parameters = dict(hungry=3, respawn=1, regrowth=0)
        batch = bare((2, 2, EAST), (5, 5, EAST), parameters=parameters, A=[(6, 5)])
        batch.records["hunger"] = 3
        act(batch, NOOP, GRASP)
        for _ in range(steps - 1):
            act(batch)
        act(batch, NOOP, EAT)
        assert batch.rewards[0, PARENT] == paid, steps
    walls = [(x, y) for x in (9, 10, 11) for y in (4, 5, 6) if (x, y) != (10, 5)]
    batch = bare((2, 2, EAST), (10, 5, EAST), parameters=dict(hungry=2, respawn=0), wall=walls)
    for _ in range(9):
        act(batch)
    assert batch.records["away"][0, CHILD] == 1


def test_walks():
    """Neither plants nor fruit are in the way; agents are, and a random one gets a cell."""
    batch = bare((5, 5, EAST), (7, 5, WEST), 64, A=[(6, 5)])
    act(batch, FORWARD, FORWARD)
    places = [(where(batch, CHILD, i), where(batch, PARENT, i)) for i in range(64)]
    assert set(places) == {((6, 5), (7, 5)), ((5, 5), (6, 5))}


def test_perception():
    """The child takes trees for shrubs, the parent bananas for apples; the same cells, turned."""
    plants = {"A": [(5, 3)], "a": [(6, 3)], "B": [(7, 3), (2, 2)], "b": [(8, 3)]}
    batch = bare((6, 6, NORTH), (6, 7, NORTH), **plants)
    lay(batch, (2, 2), (4, 3))
    child, parent = batch.observations["food"][0, CHILD], batch.observations["food"][0, PARENT]
    assert child[6, 3:8].tolist() == [PICKED_BANANA, *[SHRUB + HANGING_APPLE] * 2, *[SHRUB + HANGING_BANANA] * 2]
    apples = [PICKED_APPLE, TREE + HANGING_APPLE, SHRUB + HANGING_APPLE, TREE + HANGING_APPLE, SHRUB + HANGING_APPLE]
    assert parent[5, 3:8].tolist() == apples
    for facing in range(4):
        put_all(batch, {CHILD: (6, 6, facing)})
        whole = batch.records["food"][0].reshape(HEIGHT + 16, -1)[8:-8, 8:-8].astype(int)
        trees = whole & TREE
        assert (batch.observations["food"][0, CHILD] == window(whole + trees * (SHRUB - TREE), 6, 6, facing)).all()


def test_starts_and_maps():
    """3 x 3 starts; the census of plants is that of Melting Pot: 0.15, 0.01, 0.03 and 0.01 of the other cells."""
    levels = generate_many("nursery", 200, seed=0)
    letters = "".join("".join(level["map"]) for level in levels)
    inside, counts = (WIDTH - 2) * (HEIGHT - 2) - 9, [letters.count(letter) for letter in "AaBb."]
    assert letters.count("s") == 9 * 200 and sum(counts) == 200 * inside
    expected = np.array([0.15, 0.01, 0.03, 0.01, 0.8]) * 200 * inside
    assert stats.chisquare(counts, expected).pvalue > 1e-3
    facts = [describe(level) for level in levels]
    assert all(f["solvable"] for f in facts) and sum(f["bananas"] for f in facts) == counts[2] + counts[3]
    assert sum(f["trees"] for f in facts) == counts[0] + counts[2] and facts[0]["size"] == [HEIGHT, WIDTH]
    assert mutate(levels[0], seed=1) != levels[0]
    assert not describe({"kind": "nursery", "map": garden(A=[(5, 5)])})["solvable"]
    split = [{tuple(lv["map"]) for lv in generate_many("nursery", 40, split=name)} for name in ("train", "test")]
    assert not split[0] & split[1]
    batch = started(Daycare(), 64, garden(s=[(9, 9)]))
    assert {where(batch, a, i) for a in range(2) for i in range(64)} == {(1, 11), (2, 11), (3, 11), (9, 9)}


def test_levels_and_text():
    env = envsuite.make_parallel("Daycare", hungry=3)
    for rows, message in (
        ([row.replace("s", ".") for row in garden(s=[(5, 5)])], "0 starts"),
        (garden()[:-1], "13 texts of 20"),
        (garden(x=[(5, 5)]), "the letter 'x'"),
    ):
        with pytest.raises(LevelError, match=message):
            env.reset(seed=0, options={"level": {"map": rows}})
    with pytest.raises(LevelError, match="unknown part"):
        describe({"kind": "nursery", "map": garden(), "x": 1})
    env.reset(seed=0, options={"level": {"map": garden(B=[(6, 5)], a=[(4, 3)])}})
    prompts = [env.world.prompt(env.batch.record(), agent) for agent in range(2)]
    assert "You are the child" in prompts[0] and "eats no banana for 3 turns" in prompts[1]
    put_all(env.batch, {CHILD: (5, 5, EAST), PARENT: (6, 4, SOUTH)})
    env.step({"child": GRASP, "parent": GRASP})
    child, parent = env.text("child"), env.text("parent")
    assert "Picked bananas: 1 ahead." in child and "Shrubs without fruit: 1 ahead." in child
    assert "Picked apples: 1 ahead." in parent and "Trees without fruit: 1 ahead." in parent
    assert "Your hand: 1 ahead." in child and "The other's hand: 1 ahead." in child
    assert "out after 2 more turns" in child and len(env.scene().shapes) > 50
    for _ in range(2):
        env.step({"child": NOOP, "parent": NOOP})
    assert "no banana for too long" in env.text("child")


#: Returns of child and parent in 1000 steps of random play in Melting Pot: mean and standard error of 64 episodes.
RANDOM = ((0.156, 0.046), (5.844, 0.318))


@pytest.mark.slow
def test_random_play():
    """As in Melting Pot, on maps with its starts; and as on our own."""
    chance, levels = np.random.default_rng(0), []
    for _ in range(128):
        rows = np.array([list(row) for row in hall(WIDTH, HEIGHT)])
        rows[1:-1, 1:-1] = chance.choice(list("AaBb."), (HEIGHT - 2, WIDTH - 2), p=(0.15, 0.01, 0.03, 0.01, 0.8))
        rows[5:8, 8:11] = "s"
        levels.append({"map": ["".join(row) for row in rows]})
    envs = envsuite.make_vec("Daycare", 128)
    for options in ({"level": levels}, None):
        envs.reset(seed=0, options=options)
        played = envs.rollout("random", 1000, seed=0)
        for mean, error, (theirs, their_error) in zip(played.returns, played.returns_error, RANDOM):
            assert abs(mean - theirs) < 3.5 * np.hypot(error, their_error)


@pytest.mark.slow
def test_policies():
    """A child whose parent looks at what it reaches for eats several times as much as one that forages alone."""
    envs = envsuite.make_vec("Daycare", 16)

    def play(child, parent):
        envs.reset(seed=0)
        return envs.rollout({"child": child, "parent": parent}, 1000, seed=0).returns

    alone, together = play("forager", "forager"), play("carer", "carer")
    assert together[CHILD] > 3 * alone[CHILD] > 3 and min(alone[PARENT], together[PARENT]) > 80
    assert together[CHILD] > 3 * play("carer", "forager")[CHILD]
    assert together[CHILD] > 2 * play("forager", "provider")[CHILD]
    assert play("random", "random").max() < 12


def test_the_horizon_is_a_parameter():
    batch = started(Daycare(horizon=3), 2)
    for t in range(1, 4):
        batch.step(np.zeros(batch.actions.shape, np.int64))
        assert batch.truncations.all() == batch.truncations.any() == (t == 3)
