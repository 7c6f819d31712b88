"""The assistance game: Bayes' rule, the best robot by exact search, what inference is worth, secrets, levels."""

import json
import math
from functools import cache

import dual_play
import kit
import numpy as np
import pytest
from dual_play import act_out
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.dual_control.assistance import NOTHING, TAKE, THING, Assistance
from envsuite.dual_control.off_switch import HUMAN, ROBOT
from envsuite.dual_control.off_switch_grid import EAST, NORTH, SOUTH, WAIT, WEST, reachable
from envsuite.generators.grids import WALL
from envsuite.registry import build

ID = "envsuite/Assistance-v0"
MOVES = {WAIT: (0, 0), EAST: (0, 1), SOUTH: (1, 0), WEST: (0, -1), NORTH: (-1, 0)}


def play(robot, human, num, level=None, informed=False, **params):
    """Returns (num,) of both; an `informed` robot is told the wanted kind as its prior."""
    return dual_play.play(build(ID, params), robot, human, num, level, tell if informed else None)[0]


def tell(batch):
    """Make the wanted kinds of the episodes the robots' priors."""
    prior = batch.records["params"]["prior"]
    prior[:] = np.eye(prior.shape[1])[batch.records["wanted"]]


class Model:
    """The rules and the human's conduct in plain Python, by what the page and the policies' module say."""

    def __init__(self, rows, discount, harm, beta):
        self.free = {(y, x) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"}
        self.things = {(y, x): "abc".index(rows[y][x]) for y, x in self.free if rows[y][x] in "abc"}
        self.discount, self.harm, self.beta = discount, harm, beta
        self.way = {cell: self.steps(cell) for cell in self.things}
        self.options, self.conduct = cache(self.options), cache(self.conduct)

    def steps(self, target):
        found, front = {target: 0}, [target]
        for cell in front:
            for down, right in list(MOVES.values())[1:]:
                near = cell[0] + down, cell[1] + right
                if near in self.free and near not in found:
                    found[near] = found[cell] + 1
                    front.append(near)
        return found

    def options(self, cell, left):
        """Legal actions with the cells to which they lead."""
        moved = {action: (cell[0] + down, cell[1] + right) for action, (down, right) in MOVES.items()}
        return {a: to for a, to in moved.items() if to in self.free} | ({TAKE: cell} if cell in left else {})

    def conduct(self, cell, left, wanted):
        """The human's probabilities by action."""

        def worth(cell):
            ways = [self.way[thing][cell] for thing in left if self.things[thing] == wanted]
            return self.discount ** min(ways) if ways else 0.0

        values = {action: self.discount * worth(to) for action, to in self.options(cell, left).items()}
        if TAKE in values:
            values[TAKE] = 1.0 if self.things[cell] == wanted else values[TAKE] - self.harm
        best = max(values.values())
        if self.beta:
            weights = {action: math.exp((value - best) / self.beta) for action, value in values.items()}
        else:
            weights = {action: float(value > best - 1e-12) for action, value in values.items()}
        return {action: weight / sum(weights.values()) for action, weight in weights.items()}


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    "params", [{}, {"beta": 0.4, "harm": 1.5}, {"beta": 0.0}, {"prior": [0.6, 0.3, 0.1]}, {"demonstration": 9}]
)
def test_belief_is_bayes_rule(params):
    """The robot's belief in every step of 40 episodes, against Bayes' rule from the moves observed, to 1e-12.

    After a demonstration, it does not change.
    """
    world, num = build(ID, params), 40
    batch = kit.started(world, num)
    robot, human = make_policy("bayes", world), make_policy("boltzmann", world)
    robot.reset(1, num)
    human.reset(2, num)
    given, t = world.parameters, 0
    prior = np.array(given["prior"] or [1 / 3] * 3)
    models, beliefs, sharpened = [], [prior] * num, 0
    for i in range(num):
        models.append(Model(world.get_level(batch.record(i))["map"], given["discount"], given["harm"], given["beta"]))
    while not batch.over().any():
        cells = [divmod(int(cell), 9) for cell in batch.records["cell"][:, HUMAN]]
        left = [frozenset(map(tuple, np.argwhere(shown >= THING).tolist())) for shown in batch.records["map"]]
        batch.actions[:, ROBOT] = robot.act_batch(batch.observations[:, [0]], batch.masks[:, [0]], [0])[:, 0]
        assert np.abs(robot.memories["belief"][:, ROBOT, :3] - beliefs).max() < 1e-12
        batch.actions[:, HUMAN] = human.act_batch(batch.observations[:, [1]], batch.masks[:, [1]], [1])[:, 0]
        shows = given["demonstration"] == 0 or t < given["demonstration"]
        for i in range(num if shows else 0):
            did = int(batch.actions[i, HUMAN])
            likelihood = np.array([models[i].conduct(cells[i], left[i], kind).get(did, 0.0) for kind in range(3)])
            beliefs[i] = beliefs[i] * likelihood / (beliefs[i] * likelihood).sum()
        batch.step()
        t += 1
    sharpened = np.mean([beliefs[i][batch.records["wanted"][i]] for i in range(num)])
    assert sharpened > prior.max() + 0.2


def test_human_acts_as_modelled():
    """Frequencies of a human's first actions against the model (chi squared), in three places."""
    for rows in (ROOM, CORRIDOR):
        model = Model(rows, 0.95, 0.5, 0.1)
        world = build(ID, {"beta": 0.1})
        batch = Batch(world, 5_000)
        batch.set_level(0, {"map": rows, "wanted": 1})
        batch.records[:] = batch.records[0]
        batch.start()
        human = make_policy("boltzmann", world)
        human.reset(5, 5_000)
        actions = human.act_batch(batch.observations[:, [1]], batch.masks[:, [1]], [1])[:, 0]
        start = next((y, x) for y, row in enumerate(rows) for x in range(9) if row[x] == "H")
        expected = model.conduct(start, frozenset(model.things), 1)
        counts = [(actions == action).sum() for action in expected]
        assert sum(counts) == 5_000
        assert stats.chisquare(counts, 5_000 * np.array(list(expected.values()))).pvalue > 1e-6


def filled(*rows):
    """A 9 x 9 map from its first rows."""
    return [*rows, *["#" * 9] * (9 - len(rows))]


CORRIDOR = filled("#########", "#a.H.R.b#")
ROOM = filled("#########", "#a.b#####", "#R.H#####", "#b.a#####")


class Search(Model):
    """The value of the best robot before a fixed human, by backward induction over all that it can see.

    A state holds what both see and the robot's belief, which is all that the past says of the wanted kind. Shares no
    code with the world or the policies.
    """

    def __init__(self, rows, horizon, **params):
        super().__init__(rows, **params)
        self.horizon, self.known = horizon, {}
        self.start = {row[x]: (y, x) for y, row in enumerate(rows) for x in range(9) if row[x] in "RH"}

    def value(self, prior):
        return self.best(self.horizon, self.start["R"], self.start["H"], frozenset(self.things), tuple(prior))

    def best(self, steps, robot, human, left, belief):
        if steps == 0 or not left:
            return 0.0
        key = steps, robot, human, left, tuple(round(chance, 10) for chance in belief)
        if key not in self.known:
            kinds = [kind for kind, chance in enumerate(belief) if chance > 0]
            conducts = {kind: self.conduct(human, left, kind) for kind in kinds}
            self.known[key] = -math.inf
            for action, to in self.options(robot, left).items():
                value = 0.0
                for did, went in self.options(human, left).items():
                    joint = [
                        conducts[k].get(did, 0.0) * chance if k in kinds else 0.0 for k, chance in enumerate(belief)
                    ]
                    chance = sum(joint)
                    if chance < 1e-15:
                        continue
                    taken = ({robot} if action == TAKE else set()) | ({human} if did == TAKE else set())
                    for cell in taken:
                        good = joint[self.things[cell]]
                        value += good - self.harm * (chance - good)
                    later = self.best(steps - 1, to, went, left - taken, tuple(weight / chance for weight in joint))
                    value += self.discount * chance * later
                self.known[key] = max(self.known[key], value)
        return self.known[key]


SMALL = [
    # Map, horizon, beta, prior, and how near the best robot "bayes" comes, as the page says: the share of its value.
    (CORRIDOR, 8, 0.1, (0.5, 0.5, 0.0), 0.94),
    (CORRIDOR, 8, 0.02, (0.5, 0.5, 0.0), 1.00),
    (ROOM, 5, 0.1, (0.5, 0.5, 0.0), 0.77),
    (ROOM, 5, 0.02, (0.3, 0.7, 0.0), 1.00),
]


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "horizon", "beta", "prior", "share"), SMALL)
def test_against_the_best_robot(rows, horizon, beta, prior, share):
    """Exact search bounds "bayes" from above, and its informed form, which it equals; the gap is what the page says."""
    search = Search(rows, horizon, discount=0.95, harm=0.5, beta=beta)
    best = search.value(prior)
    full = sum(chance * search.value(np.eye(3)[kind]) for kind, chance in enumerate(prior) if chance)
    params = {"horizon": horizon, "beta": beta, "prior": list(prior)}
    bayes, told = (play("bayes", "boltzmann", 5000, level={"map": rows}, informed=i, **params) for i in (False, True))
    other = play("prior", "boltzmann", 5000, level={"map": rows}, **params)
    error = bayes.std() / bayes.size**0.5
    assert best < full
    assert abs(bayes.mean() - share * best) < 0.01 * best + 4.5 * error and bayes.mean() < best + 4.5 * error
    assert abs(told.mean() - full) < 4.5 * told.std() / told.size**0.5
    assert other.mean() < bayes.mean() - 4.5 * error


def best_after_watching(rows, then, horizon, steps, prior, **params):
    """The value of the best robot that watches a human for some steps and then works alone on another map.

    All demonstrations are enumerated, and all plans for each belief.
    """
    shown, alone = Model(rows, **params), Model(then, **params)
    discount, harm = params["discount"], params["harm"]
    human, robot = (
        next((y, x) for y, row in enumerate(m) for x in range(9) if row[x] == a) for m, a in ((rows, "H"), (then, "R"))
    )

    @cache
    def work(left_steps, cell, left, belief):
        """The largest value of the steps that are left, in which nothing more is learned."""
        if left_steps == 0 or not left:
            return 0.0
        best = -math.inf
        for action, to in alone.options(cell, left).items():
            value, rest = 0.0, left
            if action == TAKE:
                chance = belief[alone.things[cell]]
                value, rest = chance - harm * (1 - chance), left - {cell}
            best = max(best, value + discount * work(left_steps - 1, to, rest, belief))
        return best

    def watch(t, cell, left, weights):
        """The value from step t on, where the weights are the probabilities of all that was seen, by wanted kind."""
        if t == steps:
            belief = tuple(weight / sum(weights) for weight in weights)
            start = robot, frozenset(alone.things)
            return discount**t * sum(weights) * work(horizon - steps, *start, belief)
        total = 0.0
        conducts = [shown.conduct(cell, left, kind) for kind in range(len(weights))]
        for action, to in shown.options(cell, left).items():
            joint = [weight * conduct.get(action, 0.0) for weight, conduct in zip(weights, conducts)]
            if sum(joint) < 1e-12:
                continue
            rest = left
            if action == TAKE:
                good = joint[shown.things[cell]]
                total += discount**t * (good - harm * (sum(joint) - good))
                rest = left - {cell}
            total += watch(t + 1, to, rest, joint)
        return total

    return watch(0, human, frozenset(shown.things), list(prior))


#: The map that follows: the robot begins in the middle of a corridor, or beside four things.
LATER = filled("#########", "#a.aR.bb#")
AROUND = filled("#########", "##a.b####", "##.R.####", "##b.a####")


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("then", "beta", "prior", "steps", "share"),
    [
        (LATER, 0.1, (0.5, 0.5, 0.0), 2, 1.0),
        (LATER, 0.02, (0.5, 0.5, 0.0), 3, 1.0),
        (AROUND, 0.1, (0.3, 0.7, 0.0), 4, 1.0),
    ],
)
@pytest.mark.mostly_slow
def test_demonstrations(then, beta, prior, steps, share):
    """After a demonstration, "bayes" comes near the best robot, which comes from an enumeration."""
    params = {"horizon": steps + 7, "beta": beta}
    best = best_after_watching(CORRIDOR, then, steps + 7, steps, prior, discount=0.95, harm=0.5, beta=beta)
    level = {"map": CORRIDOR, "then": then}
    given = {**params, "demonstration": steps, "prior": list(prior), "level": level}
    bayes, other = (play(robot, "boltzmann", 5000, **given) for robot in ("bayes", "prior"))
    error = bayes.std() / bayes.size**0.5
    assert abs(bayes.mean() - share * best) < 0.005 * best + 4.5 * error and bayes.mean() < best + 4.5 * error
    assert other.mean() < bayes.mean() - 4.5 * error


@pytest.mark.parametrize("beta", [0.0, 0.1])
def test_inference_is_worth_something(beta):
    """No help, help by the prior, by inference, with full information: each better than the one before."""
    seats = [("prior", False), ("bayes", False), ("bayes", True)]
    prior, bayes, told = (play(name, "boltzmann", 2000, informed=i, beta=beta, harm=0.25) for name, i in seats)
    for worse, better in ((prior, bayes), (bayes, told)):
        gain = better - worse
        assert gain.mean() > 4.5 * gain.std() / gain.size**0.5


# The page's table: robot, human, whether the robot's prior is the truth; 20,000 episodes of this world.
PAGE = {
    ("rational", "boltzmann", False): 1.674,
    ("prior", "boltzmann", False): 1.674,
    ("bayes", "boltzmann", False): 2.119,
    ("bayes", "boltzmann", True): 2.268,
    ("rational", "rational", False): 2.045,
    ("bayes", "rational", False): 2.293,
    ("bayes", "rational", True): 2.359,
    ("rational", "pedagogic", False): 1.730,
    ("bayes", "pedagogic", False): 2.187,
}

#: The page's second table, with a demonstration of 8 steps.
DEMONSTRATED = {
    ("rational", "boltzmann", False): 0.831,
    ("bayes", "boltzmann", False): 2.102,
    ("bayes", "boltzmann", True): 2.144,
    ("bayes", "rational", False): 2.546,
    ("bayes", "pedagogic", False): 2.207,
}


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "table"), [(0, PAGE), (8, DEMONSTRATED)])
def test_page_values(steps, table):
    """The page's tables, within 3.5 standard errors of 1,000 episodes."""
    for (robot, human, informed), value in table.items():
        returns = play(robot, human, 1000, informed=informed, demonstration=steps)
        assert abs(returns.mean() - value) < 3.5 * returns.std() / returns.size**0.5 + 0.005, (robot, human)


@pytest.mark.slow
def test_pedagogy():
    """A human who shows what he wants gains more from a robot that infers than from one that does not help."""
    gains = []
    for robot in ("rational", "bayes"):
        plain, shown = (play(robot, human, 1000, beta=0.1) for human in ("boltzmann", "pedagogic"))
        gains.append(shown - plain)
        assert gains[-1].mean() > 4.5 * gains[-1].std() / 1000**0.5
    more = gains[1] - gains[0]
    assert more.mean() > 4.5 * more.std() / 1000**0.5


def test_nothing_is_learned_from_noise():
    """Before a human whose noise knows no bounds, inference is the prior: the same play, and no belief moves."""
    both = [play(robot, "boltzmann", 500, beta=1e9, harm=0.2, prior=[0.6, 0.3, 0.1]) for robot in ("bayes", "prior")]
    assert (both[0] == both[1]).all()
    assert play("bayes", "boltzmann", 500, beta=1e9, harm=0.2, prior=[0.6, 0.3, 0.1]).std() > 0
    world = build(ID, {"beta": 1e9})
    batch = kit.started(world, 10)
    robot, noise = make_policy("bayes", world), make_policy("random", world)
    robot.reset(0, 10)
    noise.reset(1, 10)
    for _ in range(10):
        batch.actions[:, 0] = robot.act_batch(batch.observations[:, [0]], batch.masks[:, [0]], [0])[:, 0]
        batch.actions[:, 1] = noise.act_batch(batch.observations[:, [1]], batch.masks[:, [1]], [1])[:, 0]
        batch.step()
        assert np.abs(robot.memories["belief"][:, ROBOT, :3] - 1 / 3).max() < 1e-7


@pytest.mark.slow
def test_every_policy_plays_both_seats():
    for name in ("random", "bayes", "prior", "rational", "boltzmann", "pedagogic"):
        assert np.isfinite(play(name, name, 200)).all()


HERE = filled("#########", "#Ra######", "#bH######", "#########")


@pytest.mark.parametrize(
    ("moves", "wanted", "worth", "ended"),
    [
        ([(EAST, NORTH), (TAKE, TAKE), (WAIT, WAIT), (WAIT, WAIT)], 0, 0.5, False),  # together: once
        ([(EAST, WEST), (TAKE, TAKE)], 0, 0.5 - 0.5 * 2, True),
        ([(EAST, WEST), (TAKE, TAKE)], 1, 0.5 - 0.5 * 2, True),
        ([(EAST, WEST), (TAKE, TAKE)], 2, -0.5 * 2 * 2, True),
        ([(SOUTH, WEST), (TAKE, EAST), (EAST, NORTH), (WAIT, TAKE)], 0, 0.125 - 0.5 * 2, True),
        ([(WAIT, WAIT)] * 4, 0, 0.0, False),
    ],
)
def test_rules(moves, wanted, worth, ended):
    """With discount 0.5, harm 2 and four steps."""
    world = Assistance(discount=0.5, harm=2.0, horizon=4)
    batch, rewards = act_out(world, {"map": HERE, "wanted": wanted}, moves)
    assert rewards == [0.0] * (len(moves) - 1) + [worth]  # nothing before the end
    assert batch.over()[0] and batch.terminations.all() == batch.terminations.any() == ended
    assert batch.truncations.all() == batch.truncations.any() == (not ended)


def test_a_demonstration():
    """The human takes an apple in step 1 while the robot waits; then the robot takes one on the other map in step 3."""
    world = Assistance(discount=0.5, harm=2.0, horizon=6, demonstration=2)
    level = {"map": HERE, "then": filled("#########", "#Ra######"), "wanted": 0}
    batch, _ = act_out(world, level, [(WAIT, NORTH)])
    assert batch.masks[0].tolist() == [[1, 0, 0, 0, 0, 0], [1, 0, 1, 1, 0, 1]]
    assert batch.observations["to_watch"].tolist() == [[1, 1]] and "1 steps more" in world.text(batch.record(), ROBOT)
    batch, _ = act_out(world, level, [(WAIT, NORTH), (WAIT, TAKE)])
    assert batch.masks[0].tolist() == [[1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    seen = batch.observations[0, ROBOT]
    assert seen["robot"].tolist() == seen["human"].tolist() == [1, 1] and seen["did"] == TAKE and seen["to_watch"] == 0
    assert seen["map"].sum() == THING + 1  # a free cell and an apple
    batch, rewards = act_out(world, level, [(WAIT, NORTH), (WAIT, TAKE), (EAST, WAIT), (TAKE, WAIT)])
    assert rewards == [0.0] * 3 + [0.5 + 0.125] and batch.terminations.all()
    # The human takes the last thing during the demonstration. The game does not end.
    only = {"map": filled("#########", "#RaH#####"), "then": level["then"], "wanted": 0}
    batch, _ = act_out(Assistance(horizon=9, demonstration=3), only, [(WAIT, WEST), (WAIT, TAKE)])
    assert not batch.over()[0] and batch.record().left == 0
    for k in range(2):
        batch.step(np.array([[WAIT if k == 0 else EAST, WAIT]]))
    assert batch.record().left == 1 and not batch.over()[0]
    made = kit.started(world, 3)
    level = world.get_level(made.record(1))
    assert "".join(level["then"]).count("R") == 1 and "H" not in "".join(level["then"])
    assert world.get_level(kit.started(world, level=level).record()) == level


def test_masks_and_observation():
    world = Assistance()
    batch, _ = act_out(world, {"map": HERE, "wanted": 1}, [(EAST, WEST)])
    assert batch.masks[0].tolist() == [[1, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 1]]
    seen = batch.observations[0, HUMAN]
    assert seen["robot"].tolist() == [1, 2] and seen["human"].tolist() == [2, 1]
    assert seen["did"] == WEST and seen["steps_left"] == 24 and seen["wanted"] == 1
    assert seen["map"][1, 2] == THING and seen["map"][2, 1] == THING + 1 and seen["map"].sum() == 2 * 1 + 2 + 3
    assert seen["prior"].tolist() == [1 / 3] * 3 and seen["parameters"].tolist() == [0.95, 0.5, 0.03]
    for agent, space in enumerate(world.observation_spaces):
        assert space.contains({name: batch.observations[0, agent][name] for name in space})
    batch, _ = act_out(world, {"map": HERE, "wanted": 1}, [])
    assert batch.observations["did"].tolist() == [[NOTHING, NOTHING]]


def test_robot_is_not_told():
    """Two wanted kinds and the same moves: the robot's observations, rewards, texts and pictures do not differ."""
    world = Assistance()
    for moves in ([], [(EAST, WEST)], [(EAST, WEST), (TAKE, WAIT), (WAIT, WAIT)]):
        (one, rewards), (other, others) = (act_out(world, {"map": HERE, "wanted": wanted}, moves) for wanted in (0, 1))
        assert rewards == others
        assert one.observations[0, ROBOT].tobytes() == other.observations[0, ROBOT].tobytes()
        assert one.observations[0, HUMAN].tobytes() != other.observations[0, HUMAN].tobytes()
        assert world.text(one.record(), ROBOT) == world.text(other.record(), ROBOT)
        assert world.scene(one.record(), ROBOT).shapes == world.scene(other.record(), ROBOT).shapes
        assert world.text(one.record(), HUMAN) != world.text(other.record(), HUMAN)
        assert world.scene(one.record(), HUMAN).shapes != world.scene(other.record(), HUMAN).shapes
    assert "wanted" not in world.observation_spaces[ROBOT].keys()


@pytest.mark.mostly_slow
@pytest.mark.parametrize("params", [{"prior": [0.6, 0.3, 0.1]}, {"height": 5, "width": 7, "kinds": 2, "each": 6}])
def test_generated_maps(params):
    """All things are within reach; kinds are wanted by the prior; levels come back from `get_level`."""
    world = Assistance(**params)
    kinds, each = world.parameters["kinds"], world.parameters["each"]
    batch = kit.started(world, 4000)
    for i in range(200):
        s = batch.record(i)
        assert [(s.map == THING + k).sum() for k in range(kinds)] == [each] * kinds
        cells = [*s.cell.tolist(), *np.flatnonzero(s.map >= THING).tolist()]
        assert len(set(cells)) == len(cells) and reachable(s.level.grid, cells[0]).issuperset(cells)
    expected = 4000 * np.array(params.get("prior") or [1 / kinds] * kinds)
    counts = np.bincount(batch.records["wanted"], minlength=kinds)
    assert stats.chisquare(counts, expected).pvalue > 1e-6
    level = json.loads(json.dumps(world.get_level(batch.record(5))))
    again = kit.started(world, level=level)
    for name in ("layout", "map", "wanted", "cell", "left"):
        assert again.records[name][0].tobytes() == batch.records[name][5].tobytes()


def test_wrong_levels():
    kit.refuses(
        Assistance(),
        ({"map": HERE[:8]}, "9 texts of 9"),
        ({"map": [row.replace("b", "d") for row in HERE]}, "letter 'd'"),
        ({"map": [row.replace("H", ".") for row in HERE]}, "one 'H', not 0"),
        ({"map": [row.replace("a", ".").replace("b", ".") for row in HERE]}, "1 to 24 things, not 0"),
        ({"map": ["########.", *HERE[1:]]}, "walls"),
        ({"map": filled("#########", "#Ra#Hb###")}, "no way"),
        ({"map": HERE, "wanted": 3}, "wanted=3 must be an integer from 0 to 2"),
        ({"map": HERE, "wanted": True}, "wanted"),
        ({"map": HERE, "theta": 1}, "unknown part 'theta'"),
        ({"map": HERE, "then": HERE}, "unknown part 'then'"),
    )
    kit.refuses(
        Assistance(demonstration=2),
        ({"map": HERE, "then": HERE}, "letter 'H'"),
        ({"map": HERE, "then": filled("#########", "#a.a#####")}, "one 'R', not 0"),
        ({"map": HERE, "then": filled("#########", "#R#a#####")}, "no way leads between all of R and the things"),
        ({"map": HERE, "then": []}, "9 texts of 9"),
    )


@pytest.mark.parametrize(
    "params",
    [
        {"kinds": 1},
        {"kinds": 4, "each": 7},
        {"each": 8, "height": 5},
        {"prior": [1, 1]},
        {"prior": [1, -1, 1]},
        {"demonstration": 25},
    ],
)
def test_wrong_parameters(params):
    with pytest.raises(ParameterError, match=next(iter(params))):
        Assistance(**params)


@pytest.mark.parametrize("density", [0.0, 0.3])
def test_density_is_a_parameter(density):
    """The share of the inner cells that are obstacles, as far as the map stays connected."""
    batch = kit.started(ID, 200, density=density)
    share = (batch.records["level"]["grid"][:, 1:-1, 1:-1] == WALL).mean()
    assert share == 0 if density == 0 else 0.6 * density < share <= density + 0.01
