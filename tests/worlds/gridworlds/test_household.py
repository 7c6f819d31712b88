"""Household: episodes of Mini-BEHAVIOR in lock-step, rules by hand, homes, and the planner."""

from functools import cache, partial

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.generators.home_activities import (
    FROZEN,
    FURNITURE,
    GOAL_COUNT,
    INSIDE,
    NAMES,
    OBJECT_COUNT,
    PIECE_COUNT,
    ROOMS,
    SOAKED,
    condition_in_words,
    thing_name,
)
from envsuite.generators.homes import in_words
from envsuite.gridworlds.household_rules import holds, states_of
from envsuite.registry import build

ID = "envsuite/Household-v0"
KITCHEN, TEA = NAMES.index("clean_kitchen"), NAMES.index("make_tea")
#: The source's number of `cook`, which ours leaves out.
COOK = 7


@cache
def recording():
    """The recording, and the first row of each episode."""
    with np.load(DATA / "household.npz") as held:
        data = dict(held)
    return data, np.concatenate([[0], np.cumsum(data["start_kind"][:, 3])])


def start_of(data, e):
    """The start of an episode of the recording as a level."""
    activity, size = data["start_kind"][e, :2].tolist()
    objects, pieces = data["start_objects"][e].astype(int), data["start_pieces"][e].tolist()
    bits = objects[:, 4] & ~FROZEN | INSIDE * (objects[:, 3] > 0)
    level = {
        "activity": NAMES[activity],
        "size": size,
        "furniture": [
            [thing_name(activity, f), *data["start_corners"][e, f].tolist(), in_words(pieces[f])]
            for f in range(PIECE_COUNT[activity])
        ],
        "objects": [
            [thing_name(activity, FURNITURE + k), *objects[k, :3].tolist(), in_words(int(bits[k]))]
            for k in range(OBJECT_COUNT[activity])
        ],
        "agent": data["start_agent"][e, :3].tolist(),
    }
    return {**level, "door": int(data["start_door"][e])} if ROOMS[activity] == 2 else level


def from_source(e, exact=True):
    """An episode of ours from a start of the source, with a tape, played as Python."""
    level = start_of(recording()[0], e)
    params = {"activity": level["activity"], "size": level["size"], "steps": 100_000}
    batch = Batch(build(ID, params), 1, exact=exact, compiled=False)
    batch.start(0, [level])
    return batch


def ours(s):
    """The agent, the objects and the states of furniture as the recording has them."""
    activity = int(s.level.activity)
    objects = np.zeros((len(s.bits), 5), int)
    for k in range(OBJECT_COUNT[activity]):
        bits = int(states_of(s, k))
        objects[k] = (
            *s.place[k],
            (1 + int(s.ground[s.place[k, 1], s.place[k, 0]]) - 1) * bool(bits & INSIDE),
            bits & ~INSIDE,
        )
    return [int(s.x), int(s.y), int(s.facing), int(s.held)], objects, s.piece_bits


def compare(s, data, t, tea=False):
    """Compare a state with a row of the recording; of tea only up to the soaked bag."""
    agent, objects, pieces = ours(s)
    theirs = data["objects"][t].astype(int)
    if tea:
        objects[:, 4] &= ~SOAKED
    assert agent == data["agent"][t].tolist()
    assert (objects == theirs).all()
    assert (pieces == data["pieces"][t]).all()


def lock_step(e):
    """Play an episode of the recording; the number of steps, and whether ours and the source's goals were reached."""
    data, first = recording()
    activity = int(data["start_kind"][e, 0])
    batch = from_source(e)
    compare(batch.record(), {name[6:]: data[name] for name in data if name.startswith("start_")}, e)
    for t in range(first[e], first[e + 1]):
        action = int(data["action"][t])
        tape = batch.records["tape"]
        tape["cursor"], tape["given"] = 0, 1
        tape["outcomes"][0, 0] = data["choice"][t]
        batch.step(action - (action > COOK))
        s = batch.record()
        compare(s, data, t, activity == TEA)
        goals = [bool(holds(s, c)) for c in range(GOAL_COUNT[activity])]
        done, met = bool(data["done"][t]), all(goals)
        assert met == bool(batch.terminations[0, 0]) and batch.rewards[0, 0] == met and sum(goals) == s.met
        if activity == KITCHEN:
            plate = next(
                c for c in range(len(goals)) if condition_in_words(KITCHEN, c).startswith("the plate is inside")
            )
            goals[plate] = True
        if activity != TEA:
            assert done == all(goals)
        if NAMES[activity] == "throw_leftovers":
            assert np.isclose(data["reward"][t], sum(goals) / 3)
        else:
            assert data["reward"][t] == done
        if met:
            return t + 1 - first[e], True, done
    return first[e + 1] - first[e], False, False


def episodes(which):
    """Play episodes of the recording that `which(number, kind)` chooses; the number of steps and of goals reached."""
    kinds = recording()[0]["start_kind"].tolist()
    played = [lock_step(e) for e, kind in enumerate(kinds) if which(e, kind)]
    return sum(steps for steps, _, _ in played), sum(met for _, met, _ in played)


#: Episodes by the planner are the last of the recording.
def by_planner(e):
    return e >= len(recording()[0]["start_kind"]) - 33


def test_some_episodes_of_the_source():
    """The planner's shorter episodes, which reach the goals of most activities."""
    steps, met = episodes(lambda e, kind: by_planner(e) and 20 < kind[3] < 55)
    assert steps > 300 and met > 8


@pytest.mark.slow
def test_more_episodes_of_the_source():
    """Random actions in all activities, and the other episodes of the planner."""
    kinds = recording()[0]["start_kind"]
    assert set(kinds[:, 0].tolist()) == set(range(len(NAMES)))
    steps, met = episodes(lambda e, kind: kind[3] >= 55 and (by_planner(e) or e % 3 == 0))
    assert steps > 8000 and met > 15


def test_views_of_the_source():
    """The view, without numbers of things, in the first steps of an episode of each activity."""
    data, first = recording()
    codes, seen, row = data["kinds"], set(), 0
    # Our states, and the columns that the source has for them: of furniture, and of objects.
    columns = {1: (1, 2), 2: (3, 7), 4: (2, 4), 8: (4, 8), 16: (None, 6), 32: (None, 5), 64: (None, 3)}
    for e, (activity, _, _, length) in enumerate(data["start_kind"].tolist()):
        if activity in seen:
            continue
        seen.add(activity)
        batch, rows = from_source(e), min(length, 40)
        for t in range(first[e], first[e] + min(rows, 40 if activity % 4 == 1 else 10)):
            tape = batch.records["tape"]
            tape["cursor"], tape["given"] = 0, 1
            tape["outcomes"][0, 0] = data["choice"][t]
            batch.step(int(data["action"][t]) - (data["action"][t] > COOK))
            image = batch.observations["image"][0, 0].astype(int)
            image[-1, 3, 3:6] = batch.observations["held"][0, 0]
            theirs = data["view"][row + t - first[e]]
            for k, start in enumerate((0, 5, 14, 23)):
                assert (codes[image[..., 3 * k]] == theirs[..., start]).all()
                for bit, places in columns.items():
                    column = places[k > 0]
                    if column is not None:
                        assert ((image[..., 3 * k + 2] & bit > 0) == theirs[..., start + column]).all()
        row += rows
    assert len(seen) == len(NAMES)
