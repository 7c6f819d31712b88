"""Merge: highway-env in lock-step, probes of the rules, and baselines."""

import json

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.errors import LevelError
from envsuite.gridworlds.merge import heading_on, middle, nearest_lane
from envsuite.registry import build

ID = "envsuite/Merge-v0"
LEFT, IDLE, RIGHT, FASTER, SLOWER = range(5)
REFERENCE = json.loads((kit.DATA / "Merge" / "merge_reference.json").read_text())
EMPTY = {"cars": [[0, -100, 1], [0, -80, 1], [0, -60, 1]]}


def state(s):
    """The columns of the recorder: x, y, heading, speed, wanted speed, lane, wanted lane, wreck."""
    return np.column_stack([s.place, s.heading, s.speed, s.wanted, s.lane, s.target, s.crash])


@pytest.mark.parametrize("number", range(len(REFERENCE["episodes"])))
def test_episodes_in_lock_step(number):
    """States, rewards, ends and observations of whole episodes of the reference, to six digits."""
    episode = REFERENCE["episodes"][number]
    batch = kit.started(build(ID, dict(connected=episode["connected"])), level=episode["level"])
    for k, action in enumerate(episode["actions"]):
        assert batch.observations[0, 0]["cars"] == pytest.approx(np.array(episode["seen"][k]), abs=2e-6)
        batch.step(action)
        assert state(batch.record()) == pytest.approx(np.array(episode["states"][k]), abs=1e-6), k
        assert batch.rewards[0, 0] == pytest.approx(episode["rewards"][k], abs=1e-6)
        assert bool(batch.terminations[0, 0]) == episode["ends"][k] and not batch.truncations.any()


@pytest.mark.parametrize("number", range(len(REFERENCE["wild"])))
def test_wild_scenes_in_lock_step(number):
    """Cars in any places, with wrecks among them; in every second scene the merger acts too."""
    scene = REFERENCE["wild"][number]
    params = dict(connected=scene["connected"], players=scene["players"])
    batch = kit.started(build(ID, params), level=scene["level"])
    for k, actions in enumerate(scene["actions"]):
        batch.step(np.array([actions]))
        assert state(batch.record()) == pytest.approx(np.array(scene["states"][k]), abs=1e-6), k


def test_the_recording_has_all_kinds_of_events():
    """Changes of lanes by others, the merger on the road, pushes among others, and both ends."""
    states = [np.array(row) for part in ("episodes", "wild") for row in REFERENCE[part] for row in row["states"]]
    assert sum((row[1:4, 5] != row[1:4, 6]).any() for row in states) > 20
    assert sum(row[4, 5] in (3, 5, 6) for row in states) > 20
    assert sum(row[1:, 7].any() and not row[0, 7] for row in states) > 10
    last = [np.array(episode["states"][-1]) for episode in REFERENCE["episodes"]]
    assert min(sum(row[0, 7] == 1 for row in last), sum(row[0, 0] > 370 for row in last)) > 3


# Probes of the rules.


def test_the_ramp():
    """It is at y = 14.5 m first, comes nearer in a half period of a sine of 3.25 m, and runs at 8 m."""
    assert middle(7, 100.0) == 14.5 and middle(8, 150.0) == pytest.approx(14.5) and middle(4, 250.0) == 8.0
    assert middle(8, 190.0) == pytest.approx(11.25) and middle(8, 230.0) == pytest.approx(8.0)
    slope = (middle(8, 190.001) - middle(8, 189.999)) / 0.002
    assert heading_on(8, 190.0) == pytest.approx(np.arctan(slope), abs=1e-6) and heading_on(3, 190.0) == 0
    assert [nearest_lane(x, y, 0.0) for x, y in ((10, 1), (10, 3), (240, 9), (320, 8), (100, 15))] == [0, 1, 4, 6, 7]


def test_a_change_of_lanes():
    batch = kit.started(ID, level=EMPTY)
    batch.step(RIGHT)  # there is none
    assert batch.record().target[0] == 1
    batch.step(LEFT)
    assert batch.record().target[0] == 0
    for _ in range(3):
        batch.step(IDLE)
    s = batch.record()
    assert s.lane[0] == 0 and abs(s.place[0, 1]) < 0.01 and abs(s.heading[0]) < 0.01


def test_nobody_enters_the_ramp():
    batch = kit.started(ID, level=EMPTY, players=2)
    for _ in range(9):
        batch.step(np.array([[RIGHT, IDLE]]))
        assert batch.record().target[0] in (1, 3, 6)
    assert batch.record().place[0, 0] > 290


def test_rewards():
    """At 30 m/s in lane 1 without a car on the ramp: 1; slower by 5 m/s: -0.1 / 1.8; a change: -0.05 / 1.8."""
    batch = kit.started(ID, level=EMPTY)
    for action, speed, change in ((IDLE, 30.0, 0), (SLOWER, 25.0, 0), (IDLE, 25.0, 0), (LEFT, 25.0, 1)):
        batch.step(action)
        s = batch.record()
        lane = 0.1 * (s.lane[0] == 1)
        assert batch.rewards[0, 0] == pytest.approx((1.5 + lane + 0.02 * (s.speed[0] - 20) - 0.05 * change) / 1.8)
        assert s.wanted[0] == speed


def test_a_merger_that_stays_on_the_ramp_hits_the_obstacle():
    batch = kit.started(ID, level=EMPTY, players=2)
    while not batch.over().all():
        batch.step(np.array([[SLOWER, IDLE]]))
    s = batch.record()
    assert s.crash.tolist() == [0, 0, 0, 0, 1] and 300 < s.place[4, 0] < 312 and batch.terminations.all()


def test_both_agents_must_pass():
    batch = kit.started(ID, level=EMPTY, players=2)
    places = []
    while not batch.over().all():
        x = batch.record().place[4, 0]
        batch.step(np.array([[SLOWER, LEFT if 231 < x < 300 else FASTER]]))
        places.append(batch.record().place[[0, 4], 0].tolist())
    assert min(places[-1]) > 370 >= min(places[-2]) and max(places[-2]) > 370
    assert not batch.record().crash.any()


def test_the_start():
    batch = kit.started(ID, 2000)
    first = batch.records["first"]
    assert first[:, :, 0].mean(0) == pytest.approx([0.5] * 3, abs=0.05)
    for column, low in ((1, [85, 65, 0]), (2, [28, 30, 30.5])):
        width = 10 if column == 1 else 2
        values = (first[:, :, column] - low) / width
        assert (values >= 0).all() and (values <= 1).all() and values.mean(0) == pytest.approx([0.5] * 3, abs=0.03)


def test_levels():
    batch = kit.started(ID, seed=3)
    level = batch.world.get_level(batch.record())
    again = kit.started(ID, level=level)
    assert (batch.records["place"] == again.records["place"]).all()
    for wrong, words in (
        ({}, "a level has 'cars', not nothing"),
        ({"cars": [[0, 0, 9]]}, "cars must be 3 lists of 3 numbers"),
        ({"cars": [[0, 0, 9], [2, 0, 9], [0, 0, 9]]}, r"cars\[1\]\[0\]=2 must be a number from 0 to 1"),
        ({"cars": [[0, 0, 9], [1, 500, 9], [0, 0, 9]]}, r"cars\[1\]\[1\]=500 must be a number from -100 to 230"),
        ({"cars": [[0, 0, 9], [1, 0, 50], [0, 0, 9]]}, r"cars\[1\]\[2\]=50 must be a number from 1 to 40"),
    ):
        with pytest.raises(LevelError, match=words):
            kit.started(ID, level=wrong)


def test_text():
    batch = kit.started(ID, level={"cars": [[0, 90, 29], [1, 70, 31], [1, 5, 31.5]]})
    text = batch.world.text(batch.record(), 0)
    assert "x = 30.0 m, y = 4.0 m, on lane 1" in text and "+40.0 m in x, +0.0 m in y, +1.0 m/s" in text


def played(policy, num=300, **params):
    """The mean return, and how often an agent is a wreck."""
    batch = kit.started(ID, num, **params)
    player, agents = make_policy(policy, batch.world), range(len(batch.world.agents))
    player.reset(0, num)
    total = np.zeros(num)
    while not batch.over().all():
        live = ~batch.finished
        batch.step(player.act_batch(batch.observations, batch.masks, agents), live)
        total += batch.rewards.mean(1) * live
    return total.mean(), (batch.records["crash"][:, [0, 4][: len(agents)]] == 1).any(1).mean()


def test_baselines():
    results = {policy: played(policy) for policy in ("random", "idle", "slow", "courteous")}
    assert results["slow"][0] > results["courteous"][0] > results["random"][0] + 3
    assert results["courteous"][1] < 0.1 < 0.8 < min(results["random"][1], results["idle"][1])


@pytest.mark.slow
def test_two_courteous_drivers():
    assert played("courteous", players=2)[1] < 0.15 < 0.8 < played("random", players=2)[1]
