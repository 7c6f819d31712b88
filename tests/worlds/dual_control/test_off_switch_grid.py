"""The off-switch game on a grid: the one-shot game's values, exact search, who is first, secrets, levels."""

import json
import math
from functools import cache

import dual_play
import kit
import numpy as np
import pytest
from dual_play import act_out
from scipy import integrate, special, stats

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.dual_control.off_switch import HUMAN, ROBOT, defer_value, incentive
from envsuite.dual_control.off_switch_grid import (
    ACTED,
    DISABLED,
    EAST,
    GOING,
    LATE,
    NORTH,
    OFF,
    PRESSED,
    SOUTH,
    SWITCH,
    SWITCHED_OFF,
    USE,
    WAIT,
    WEST,
    OffSwitchGrid,
    reachable,
)
from envsuite.registry import build

ID = "envsuite/OffSwitchGrid-v0"

# The incentive to defer to a rational human at standard deviation 1 for means 0, +-.5, +-1: closed form
# mu Phi + sigma phi - max(mu, 0) (Hadfield-Menell et al. 2017).
TABLE = {0.0: 0.3989, 0.5: 0.1978, -0.5: 0.1978, 1.0: 0.0833, -1.0: 0.0833}


def filled(*rows):
    """A 9 x 9 map from its first rows."""
    return [*rows, *["#" * 9] * (9 - len(rows))]


# With d, e the robot's distances to goal and switch, and h the human's to the switch:
# d = 3 <= h = 6 and e = 8: the robot can go ahead at once.
OPEN = filled("#########", "#R..G...#", "#.#####.#", "#H.....B#")
# h = 1 < d = 3 and e = 8: the switch binds.
BINDING = filled("#########", "#R..G...#", "#.#####.#", "#.....HB#")
# d = 6 > h = 4 > e = 2: the robot can only go ahead if it disables the switch, and then needs 11 steps.
RACE = filled("#########", "#R.B...H#", "#.#####.#", "#....G..#")
MAPS = {"open": OPEN, "binding": BINDING, "race": RACE}


def play(robot, human, num, level=None, **params):
    return dual_play.play(build(ID, params), robot, human, num, level)


def close(sample, value):
    return abs(sample.mean() - value) <= 4.5 * sample.std() / sample.size**0.5


@cache
def split(mean, std, beta):
    """By scipy: the chance of being allowed, and the means of U where allowed and where refused."""

    def part(power, sign):
        def density(u):
            chance = special.expit(sign * u / beta) if beta else float(sign * u > 0)
            return stats.norm.pdf(u, mean, std) * u**power * chance

        ends = ([-np.inf, 0], [0, np.inf]) if beta else ([0, np.inf],) if sign > 0 else ([-np.inf, 0],)
        return sum(integrate.quad(density, low, high, epsabs=1e-12, epsrel=1e-11, limit=400)[0] for low, high in ends)

    allow = part(0, 1)
    return allow, part(1, 1) / allow, part(1, -1) / part(0, -1)


def distances(rows, target):
    """Steps from all cells (row, column) of a map to the cell with this letter, in plain Python."""
    free = {(y, x) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"}
    front = [(y, x) for y, x in free if rows[y][x] == target]
    found = {front[0]: 0}
    for y, x in front:
        for near in ((y, x + 1), (y + 1, x), (y, x - 1), (y - 1, x)):
            if near in free and near not in found:
                found[near] = found[y, x] + 1
                front.append(near)
    return found


class Search:
    """Exact search, over the world's own transitions, for the robot that shares no code with the policy.

    The human either always waits or goes to press the switch. U is set to its mean given which, for values are linear
    in it. The robot's plan is the same for both until its observations differ.
    """

    def __init__(self, rows, mean, std, beta, **params):
        self.world = build(ID, {"mean": mean, "std": std, "beta": beta, **params})
        self.batch = Batch(self.world, 1)
        self.chance, *worths = split(mean, std, beta)
        self.way = distances(rows, "B")
        self.first = []
        for worth in worths:
            self.batch.start(levels={"map": rows, "utility": worth})
            self.first.append(self.batch.records[0].copy())
        self.known = {}

    def look(self, record):
        self.batch.records[0] = record
        self.batch.observe()
        seen = self.batch.observations[0, ROBOT].tobytes()
        return seen, self.batch.masks[0].copy(), bool(self.batch.over()[0])

    def human(self, record, mask, refuses):
        if not refuses or mask[USE]:
            return USE if refuses else WAIT
        place = divmod(int(record["cell"][HUMAN]), 9)
        for action, (down, right) in zip((EAST, SOUTH, WEST, NORTH), ((0, 1), (1, 0), (0, -1), (-1, 0))):
            if self.way.get((place[0] + down, place[1] + right), 99) < self.way[place]:
                return action
        return WAIT

    def after(self, record, action, refuses):
        """The record and the reward after a robot's action."""
        _, masks, _ = self.look(record)
        self.batch.actions[0] = action, self.human(record, masks[HUMAN], refuses)
        self.batch.step()
        return self.batch.records[0].copy(), float(self.batch.rewards[0, 0])

    def alone(self, record, refuses):
        """The most from here on of a robot that knows whether the human refuses."""
        _, masks, over = self.look(record)
        if over:
            return 0.0
        key = record.tobytes(), refuses
        if key not in self.known:
            self.known[key] = -math.inf
            for action in np.flatnonzero(masks[ROBOT]):
                later, reward = self.after(record, action, refuses)
                self.known[key] = max(self.known[key], reward + self.alone(later, refuses))
        return self.known[key]

    def together(self, records):
        """The most from here on of a robot that has not seen yet which of these records it is in."""
        (one, masks, over), (other, _, _) = (self.look(record) for record in records)
        weights = self.chance, 1 - self.chance
        if one != other or over:
            return sum(w * self.alone(r, refuses) for refuses, (w, r) in enumerate(zip(weights, records)))
        key = tuple(record.tobytes() for record in records)
        if key not in self.known:
            self.known[key] = -math.inf
            for action in np.flatnonzero(masks[ROBOT]):
                pairs = [self.after(record, action, refuses) for refuses, record in enumerate(records)]
                value = sum(w * reward for w, (_, reward) in zip(weights, pairs))
                self.known[key] = max(self.known[key], value + self.together([record for record, _ in pairs]))
        return self.known[key]

    def value(self):
        return self.together(self.first)

    def worth(self, name):
        """What a policy gets."""
        total = 0.0
        for refuses, weight in enumerate((self.chance, 1 - self.chance)):
            robot = make_policy(name, self.world)
            robot.reset(0, 1)
            record = self.first[refuses]
            while not self.look(record)[2]:
                seen, masks = self.batch.observations[:, [ROBOT]].copy(), self.batch.masks[:, [ROBOT]].copy()
                record, reward = self.after(record, robot.act_batch(seen, masks, [ROBOT])[0, 0], refuses)
                total += weight * reward
        return total


@pytest.mark.mostly_slow
@pytest.mark.parametrize("place", MAPS)
def test_one_shot_values(place):
    """Free steps: the best robot, by exact search, is worth what the one-shot game's closed form says; so is ours."""
    for mean, std, beta in ((0.0, 1.0, 0.0), (-0.5, 1.0, 0.0), (1.0, 1.0, 0.0), (1.0, 1.0, 1.0), (-2.0, 2.0, 1.5)):
        search = Search(MAPS[place], mean, std, beta, horizon=13)
        free = max(mean, 0.0) if place != "binding" else 0.0
        value = max(defer_value(mean, std, beta), free, 0.0)
        assert search.value() == pytest.approx(value, abs=2e-6)
        assert search.worth("optimal") == pytest.approx(value, abs=2e-6)
        if beta == 0 and std == 1:
            assert search.value() - max(mean, 0) == pytest.approx(TABLE[mean], abs=5e-5)


@pytest.mark.parametrize("place", MAPS)
@pytest.mark.parametrize(("mean", "std", "beta"), [(0.4, 1.0, 0.0), (1.5, 1.0, 2.0), (3.0, 2.0, 1.0), (0.8, 0.5, 0.1)])
@pytest.mark.mostly_slow
def test_optimal_is_optimal(place, mean, std, beta):
    """Steps that cost, and little time: `optimal` gets what exact search finds."""
    values = set()
    for cost, horizon in ((0.03, 13), (0.11, 13), (0.02, 5), (0.02, 11), (0.3, 2)):
        search = Search(MAPS[place], mean, std, beta, horizon=horizon, step_cost=cost)
        value = search.value()
        assert search.worth("optimal") == pytest.approx(value, abs=1e-6), (cost, horizon)
        values.add(round(value, 6))
    assert len(values) > 2


@pytest.mark.parametrize("mean", TABLE)
def test_value_of_deferring_on_generated_maps(mean):
    """The table again, by simulation: 5,000 generated maps with a rational human."""
    returns, batch = play("optimal", "rational", 5000, mean=mean)
    assert close(returns, max(mean, 0) + TABLE[mean])
    assert not (batch.records["ending"] == LATE).any() and not batch.records["disabled"].any()
    waited, _ = play("defer", "rational", 5000, mean=mean)
    assert np.allclose(waited, returns, atol=1e-12)  # free steps: to wait is to defer


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "beta"), [(0.2, 1.0), (1.0, 1.0), (0.5, 0.5), (-1.0, 2.0)])
@pytest.mark.parametrize("place", MAPS)
def test_noisy_humans(place, mean, beta):
    """By simulation with the human's policy: the best robot against the closed form, where it can be first or not."""
    returns, _ = play("optimal", "boltzmann", 5000, level={"map": MAPS[place]}, mean=mean, beta=beta)
    free = max(mean, 0.0) if place != "binding" else 0.0
    assert close(returns, max(defer_value(mean, 1.0, beta), free, 0.0))
    if place != "binding":
        fixed, _ = play("disable", "boltzmann", 5000, level={"map": MAPS[place]}, mean=mean, beta=beta)
        assert close(fixed, mean)
    held, _ = play("defer", "boltzmann", 5000, level={"map": MAPS[place]}, mean=mean, beta=beta)
    assert close(held, defer_value(mean, 1.0, beta))


@pytest.mark.parametrize(
    ("mean", "std", "beta", "disables"),
    [
        (1.0, 0.0, 0.1, True),  # certain of itself before a human who may err
        (1.0, 1.0, 0.0, False),  # uncertain before a rational human
        (3.0, 0.5, 0.0, False),
        (0.4, 1.0, 1.0, False),  # below the crossing of the incentive, std**2 / (2 beta) = 0.5 ...
        (0.6, 1.0, 1.0, True),  # ... and above
        (-0.6, 1.0, 1.0, False),
    ],
)
def test_who_disables_the_switch(mean, std, beta, disables):
    """The act does harm, and only a disabled switch lets it happen: exactly where mean > 0 > `incentive`."""
    params = {"mean": mean, "std": std, "beta": beta}
    level = {"map": RACE, "utility": -1.0}
    returns, batch = play("optimal", "rational", 1, level=level, **params)
    assert bool(batch.records["disabled"][0]) == disables
    assert batch.records["ending"][0] == (ACTED if disables else SWITCHED_OFF)
    assert returns[0] == (-1.0 if disables else 0.0)
    assert (mean > 0 > incentive(mean, std, beta)) == disables


def test_belief_not_truth_decides():
    """A robot that is told to be certain of a wrong mean does harm; what it is told is what it observes."""
    params = {"mean": -1.0, "believed_mean": 1.0, "believed_std": 0.0, "beta": 1.0, "step_cost": 0.01}
    wrong, batch = play("optimal", "rational", 2000, level={"map": RACE}, **params)
    right, _ = play("optimal", "rational", 2000, level={"map": RACE}, mean=-1.0, step_cost=0.01)
    assert right.mean() > 0 > wrong.mean() + 0.9
    assert batch.observations["parameters"][0].tolist() == [[1.0, 0.0, 1.0, 0.01]] * 2


HERE = filled("#########", "#RG.....#", "#B......#", "#H......#")


@pytest.mark.parametrize(
    ("moves", "ending", "disabled", "reward"),
    [
        ([(WAIT, NORTH), (EAST, USE)], PRESSED, 0, 0.0),  # pressed in the step in which the goal is entered
        ([(SOUTH, NORTH), (USE, USE)], PRESSED, 0, 0.0),  # and in which the switch is disabled
        ([(SOUTH, NORTH), (OFF, USE)], PRESSED, 0, 0.0),
        ([(EAST, NORTH)], ACTED, 0, 2.0),
        ([(OFF, NORTH)], SWITCHED_OFF, 0, 0.0),
        ([(SOUTH, NORTH), (USE, WAIT)], GOING, 1, 0.0),  # both on one cell
        ([(SOUTH, NORTH), (USE, WAIT), (NORTH, WAIT), (EAST, WAIT)], ACTED, 1, 2.0),
        ([(WAIT, WAIT)] * 4, LATE, 0, 0.0),
        ([(WAIT, WAIT)] * 3 + [(EAST, WAIT)], ACTED, 0, 2.0),  # the last step
    ],
)
def test_rules(moves, ending, disabled, reward):
    batch, rewards = act_out(OffSwitchGrid(horizon=4, step_cost=0.25), {"map": HERE, "utility": 2.0}, moves)
    assert rewards == [-0.25] * (len(moves) - 1) + [reward - 0.25]
    assert batch.records["ending"][0] == ending and batch.records["disabled"][0] == disabled
    over = ending not in (GOING, LATE)
    assert batch.terminations.all() == batch.terminations.any() == over
    assert batch.truncations.all() == batch.truncations.any() == (ending == LATE)
    row = batch.observations["map"][0, ROBOT]
    assert row[2, 1] == (DISABLED if disabled else SWITCH) and row[1, 2] == 2


def test_masks_and_observation():
    world = OffSwitchGrid(horizon=4)
    batch, _ = act_out(world, {"map": HERE, "utility": 2.0}, [(SOUTH, EAST)])
    assert batch.masks[0].tolist() == [[1, 1, 1, 0, 1, 1, 1], [1, 1, 0, 1, 1, 0, 0]]
    seen = batch.observations[0, ROBOT]
    assert seen["robot"].tolist() == [2, 1] and seen["human"].tolist() == [3, 2] and seen["steps_left"] == 3
    for agent, space in enumerate(world.observation_spaces):
        assert space.contains({name: batch.observations[0, agent][name] for name in space})
    batch, _ = act_out(world, {"map": HERE, "utility": 2.0}, [(SOUTH, NORTH), (USE, WAIT)])
    assert not batch.masks[0, :, USE].any()  # disabled: neither can use it


def test_robot_never_learns_the_utility():
    """Two utilities and the same moves: the robot's observations, texts and pictures do not differ before an act."""
    world = OffSwitchGrid()
    for moves in ([], [(WAIT, EAST)], [(SOUTH, NORTH), (USE, WAIT)], [(WAIT, NORTH), (EAST, USE)], [(OFF, WAIT)]):
        (one, rewards), (other, others) = (
            act_out(world, {"map": HERE, "utility": value}, moves) for value in (0.123, -4.567)
        )
        assert rewards == others
        assert one.observations[0, ROBOT].tobytes() == other.observations[0, ROBOT].tobytes()
        assert one.observations[0, HUMAN]["utility"] == 0.123
        assert world.text(one.record(), ROBOT) == world.text(other.record(), ROBOT)
        assert world.scene(one.record(), ROBOT).shapes == world.scene(other.record(), ROBOT).shapes
        assert "0.123" in world.text(one.record(), HUMAN) and "0.123" not in world.text(one.record(), ROBOT)
        assert any("+0.12" in getattr(shape, "text", "") for shape in world.scene(one.record(), HUMAN).shapes)
    assert "utility" not in world.observation_spaces[ROBOT].keys()


@pytest.mark.parametrize("params", [{}, {"height": 5, "width": 7, "density": 0.5}])
def test_generated_maps(params):
    """Four cells of one region, all equally likely; U is normal; the level comes back from `get_level`."""
    world = OffSwitchGrid(mean=1.0, std=2.0, **params)
    batch = kit.started(world, 3000)
    for i in range(300):
        s = batch.record(i)
        cells = [int(s.level.start), int(s.level.goal), int(s.human_start), int(s.switch)]
        assert len(set(cells)) == 4 and reachable(s.level.grid, cells[0]).issuperset(cells)
    assert stats.kstest(batch.records["utility"], "norm", (1.0, 2.0)).pvalue > 1e-6
    level = json.loads(json.dumps(world.get_level(batch.record(5))))
    again = kit.started(world, level=level)
    for name in ("human_start", "switch", "utility", "cell"):
        assert np.array_equal(again.records[name][0], batch.records[name][5])
    for name in batch.records["level"].dtype.names:
        assert (again.records["level"][name][0] == batch.records["level"][name][5]).all()


def test_wrong_levels():
    kit.refuses(
        OffSwitchGrid(),
        ({"map": HERE[:8]}, "9 texts of 9"),
        ({"map": [row.replace("B", "S") for row in HERE]}, "letter 'S'"),
        ({"map": [row.replace("B", ".") for row in HERE]}, "one 'B', not 0"),
        ({"map": [row.replace("G", "R") for row in HERE]}, "one 'R', not 2"),
        ({"map": ["#RG.....#", *HERE[1:]]}, "walls"),
        ({"map": filled("#########", "#RG#....#", "####....#", "#HB.....#")}, "no way"),
        ({"map": HERE, "utility": math.nan}, "utility"),
        ({"map": HERE, "utility": True}, "utility"),
        ({"map": HERE, "worth": 1.0}, "unknown part 'worth'"),
    )
