"""FrozenLake: Gymnasium's transition table, lockstep, best probabilities, random lakes, levels, baseline."""

import gymnasium
import kit
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import MAPS, generate_random_map
from scipy import ndimage, stats

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.core.errors import LevelError, ParameterError
from envsuite.gridworlds.frozen_lake import FROZEN, GOAL, HOLE, START, FrozenLake
from envsuite.registry import build
from envsuite.render.frames import draw
from envsuite.solvers.model import extract
from envsuite.solvers.planning import evaluate, uniform, value_iteration

ID = "envsuite/FrozenLake-v0"
# Probability of reaching the goal: the best within the horizon, random play, the best within 2,000 moves, and the
# best value with discount .99 (dynamic programming over Gymnasium 1.4's transition table, independent of this code).
VALUES = {
    "4x4": (100, 0.7441902878292697, 0.01393979595917145, 0.8235294117647067, 0.5420259320004727),
    "8x8": (200, 0.9132201502016296, 0.0019013954948230456, 0.999999999999708, 0.4146403617999879),
}


def table(world):
    """All transitions of a world from its reachable cells, in Gymnasium's form: P[position][action]."""
    explorer = Explorer(world)
    (start,) = explorer.starts()
    found, todo = {}, [start.record]
    while todo:
        record = todo.pop().copy()
        record["t"] = 0  # no episode is truncated
        position = int(record["position"])
        if position in found:
            continue
        found[position] = {}
        for action in range(4):
            outcomes = explorer.successors(record, [action])
            found[position][action] = [
                (o.probability, int(o.record["position"]), o.rewards[0], bool(o.record["terminated"][0]))
                for o in outcomes
            ]
            todo += [o.record for o in outcomes if not o.record["terminated"][0]]
    return found


def merged(transitions):
    """Transitions with the same result are added; impossible ones are left out."""
    result = {}
    for probability, *rest in transitions:
        if probability > 0:
            result.setdefault(tuple(rest), []).append(probability)
    return {key: sorted(parts) for key, parts in result.items()}


@pytest.mark.parametrize(
    "params",
    [
        {},
        dict(map="8x8"),
        dict(is_slippery=False),
        dict(success_rate=0.7, reward_schedule=(10, -3, -0.25)),
        dict(success_rate=1.0),
        dict(success_rate=0.0),
    ],
    ids=str,
)
def test_table_equals_gymnasium(params):
    """Probabilities, places, rewards and ends, all exactly."""
    given = dict(params)
    given["map_name"] = given.pop("map", "4x4")
    theirs = gymnasium.make("FrozenLake-v1", **given).unwrapped.P
    ours = table(FrozenLake(**params))
    assert len(ours) == (11 if "map" not in params else 53)  # all cells but holes and the goal can be reached
    for position, by_action in ours.items():
        for action, transitions in by_action.items():
            assert merged(transitions) == merged(theirs[position][action])


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.mostly_slow
def test_best_chances(name):
    horizon, best, random, later, discounted = VALUES[name]
    world = FrozenLake(name)
    limited, endless = extract(world), extract(world, ignore=["t"])

    def value(model, **options):
        return (model.start @ value_iteration(model, **options).values)[0]

    assert value(limited) == pytest.approx(best, abs=1e-12)
    assert value(endless, horizon=horizon) == pytest.approx(best, abs=1e-12)
    assert (limited.start @ evaluate(limited, uniform(limited)))[0] == pytest.approx(random, abs=1e-12)
    assert value(endless, horizon=2000) == pytest.approx(later, abs=1e-9)
    assert value(endless, discount=0.99) == pytest.approx(discounted, abs=1e-9)
    straight = extract(FrozenLake(name, is_slippery=False), ignore=["t"])
    assert value(straight, discount=0.9) == pytest.approx(0.9 ** (5 if name == "4x4" else 13), rel=1e-12)


def test_limits_are_gymnasiums():
    assert gymnasium.spec("FrozenLake-v1").max_episode_steps == 100
    assert gymnasium.spec("FrozenLake8x8-v1").max_episode_steps == 200


@pytest.mark.parametrize("name, id", [("4x4", "FrozenLake-v1"), ("8x8", "FrozenLake8x8-v1")])
def test_lock_step_without_slipping(name, id):
    """1,000 random episodes: positions, rewards and ends at every move."""
    num = 1000
    batch = kit.started(FrozenLake(name, is_slippery=False), num)
    env = gymnasium.make(id, is_slippery=False, disable_env_checker=True)
    rng = np.random.default_rng(0)
    # Random walks soon end in a hole. Half of the episodes move mostly right and down and reach the goal more often.
    plans = rng.integers(4, size=(num, 200))
    plans[::2] = np.where(rng.random((num // 2, 200)) < 0.8, rng.integers(1, 3, size=(num // 2, 200)), plans[::2])
    history = []
    for k in range(200):
        running = ~batch.over()
        before = batch.observations["position"][:, 0].copy()
        batch.step(plans[:, [k]], running)
        history.append((running, before, batch.observations["position"][:, 0].copy(), batch.rewards[:, 0].copy(),
                        batch.terminations[:, 0].copy(), batch.truncations[:, 0].copy()))  # fmt: skip
    assert batch.finished.all()
    goals = 0
    for i in range(num):
        position, _ = env.reset()
        for k in range(200):
            running, before, after, rewards, ended, cut = (part[i] for part in history[k])
            if not running:
                break
            assert before == position
            position, reward, terminated, truncated, _ = env.step(int(plans[i, k]))
            assert (after, rewards, ended, cut) == (position, reward, terminated, truncated)
            goals += reward
        else:
            assert terminated or truncated
    assert goals > 5


def test_cut_at_the_horizon():
    batch = kit.started(FrozenLake(is_slippery=False))
    for k in range(100):
        batch.step(0)
        assert batch.truncations[0, 0] == (k == 99) and not batch.terminations[0, 0]


@pytest.mark.parametrize("name", VALUES)
def test_slippery_play(name):
    """The cells that random moves lead to, and the share of episodes that reach the goal."""
    num = 40_000
    batch = kit.started(FrozenLake(name), num)
    cells = batch.observations["map"].shape[-1] ** 2
    counts = np.zeros((cells, 4, cells), int)
    rng = np.random.default_rng(1)
    goals = 0
    while not batch.finished.all():
        running = ~batch.over()
        before = batch.observations["position"][:, 0].copy()
        batch.step(rng.integers(4, size=(num, 1)), running)
        np.add.at(counts, (before[running], batch.actions[running, 0], batch.observations["position"][running, 0]), 1)
        goals += int(batch.rewards.sum())
    chance = VALUES[name][2]
    assert abs(goals / num - chance) < 4 * np.sqrt(chance / num)
    theirs = gymnasium.make("FrozenLake-v1", map_name=name).unwrapped.P
    lowest, tests = 1.0, 0
    for position in range(cells):
        for action in range(4):
            seen = counts[position, action]
            expected = np.zeros(cells)
            for p, to, _, _ in theirs[position][action]:
                expected[to] += p
            if seen.sum() > 100:
                assert not seen[expected == 0].any()
                if (expected > 0).sum() > 1:
                    result = stats.chisquare(seen[expected > 0], expected[expected > 0] * seen.sum())
                    lowest, tests = min(lowest, result.pvalue), tests + 1
    assert tests > 40 and lowest > 1e-3 / tests


# Random lakes.


def lakes(num, **params):
    batch = kit.started(FrozenLake("random", **params), num)
    return batch.records["level"].copy()


@pytest.mark.slow
def test_random_lakes_have_gymnasiums_distribution():
    """Exactly on 3 x 3: the 2**7 lakes of random letters with a path, by their probabilities."""
    num, frozen = 60_000, 0.7
    found = lakes(num, size=3, frozen=frozen)
    assert (found[:, 0, 0] == START).all() and (found[:, 2, 2] == GOAL).all()
    inner = np.array([0, 1, 1, 1, 1, 1, 1, 1, 0], bool)
    ice = found.reshape(num, 9)[:, inner] == FROZEN
    assert ((found.reshape(num, 9)[:, inner] == HOLE) == ~ice).all()
    observed = np.bincount((ice << np.arange(7)).sum(1), minlength=128)
    expected = np.zeros(128)
    for k in range(128):
        cells = np.ones(9, bool)
        cells[inner] = k >> np.arange(7) & 1
        label = ndimage.label(cells.reshape(3, 3))[0]
        if label[0, 0] == label[2, 2]:
            expected[k] = np.prod(np.where(cells[inner], frozen, 1 - frozen))
    assert not observed[expected == 0].any()
    expected *= num / expected.sum()
    assert stats.chisquare(observed[expected > 0], expected[expected > 0]).pvalue > 1e-4


def test_random_lakes_equal_gymnasiums_in_the_mean():
    theirs = [sum(row.count("H") for row in generate_random_map(8, 0.8, seed=k)) for k in range(2000)]
    ours = (lakes(20_000) == HOLE).sum((1, 2))
    assert stats.ttest_ind(theirs, ours, equal_var=False).pvalue > 1e-4


@pytest.mark.parametrize("frozen", [0.0, 0.3, 0.6, 1.0])
def test_random_lakes_can_be_crossed(frozen):
    found = lakes(200, size=9, frozen=frozen)
    for lake in found:
        label = ndimage.label(lake != HOLE)[0]
        assert label[0, 0] == label[-1, -1]
    ice = (found != HOLE).sum((1, 2))
    if frozen == 0.0:  # only a shortest path
        assert (ice == 17).all() and len(np.unique(found, axis=0)) > 100
    if frozen == 1.0:
        assert (ice == 81).all()


# The rest.


def reached(params, num, policy="planner", seed=0, **numbers):
    """The share of episodes that end at the goal."""
    world = build(ID, params)
    batch = kit.started(world, num, seed=seed)
    player = make_policy(policy, world, **numbers)
    player.reset(seed, num)
    goals = 0
    while not batch.finished.all():
        batch.step(player.act_batch(batch.observations, batch.masks, [0]), ~batch.finished)
        goals += batch.rewards.sum()
    return goals / num


@pytest.mark.slow
def test_planner():
    """It ignores the number of moves: slightly below the best within the horizon, and far above random play."""
    for name, (_, best, *_) in VALUES.items():
        share = reached(dict(map=name), 4000)
        assert best - 0.06 < share < best + 0.03
    assert reached(dict(map="8x8", is_slippery=False), 10, success_rate=1.0) == 1.0
    assert reached(dict(map="random", size=9, frozen=0.6, is_slippery=False), 50, success_rate=1.0) == 1.0
    assert reached(dict(map="random"), 300) > 10 * max(0.01, reached(dict(map="random"), 2000, "random"))


def test_levels():
    world = FrozenLake()
    batch = Batch(world, 2000)
    rows = ["SFFS", "FHFH", "GFFH", "HFFG"]
    for i in range(2000):
        batch.set_level(i, {"map": rows})
    batch.start(0)
    assert world.get_level(batch.record(5)) == {"map": rows}
    starts, counts = np.unique(batch.observations["position"], return_counts=True)
    assert starts.tolist() == [0, 3] and stats.chisquare(counts).pvalue > 1e-4  # as Gymnasium: any start is as likely
    assert tuple(world.get_level(Batch(FrozenLake("8x8"), 1).record())["map"]) != tuple(MAPS["8x8"])  # not begun
    for name in MAPS:
        batch = kit.started(FrozenLake(name))
        assert batch.world.get_level(batch.record())["map"] == MAPS[name]
    for level, problem in (
        ({"map": ["SFFF"] * 3}, "4 texts of 4 letters"),
        ({"map": ["FFFF"] * 3 + ["FFFG"]}, "no start"),
        ({"map": ["SFFF"] * 4}, "no goal"),
        ({"map": ["SFFX"] * 4}, "letter 'X'"),
        ({}, "a level has 'map', not nothing"),
        ({"map": rows, "size": 4}, "a level has 'map', not 'map', 'size'"),
    ):
        with pytest.raises(LevelError, match=problem):
            batch = Batch(world, 1)
            batch.set_level(0, level)


def test_wrong_parameters():
    for params, problem in (
        (dict(map="5x5"), "map"),
        (dict(size=5), "random"),
        (dict(frozen=0.5), "random"),
        (dict(reward_schedule=(1, 0)), "three numbers"),
        (dict(success_rate=1.5), "success_rate"),
    ):
        with pytest.raises(ParameterError, match=problem):
            FrozenLake(**params)


def test_text_scene_and_clicks():
    world = FrozenLake(is_slippery=False)
    batch = kit.started(world)
    s = batch.record()
    assert world.text(s, 0).splitlines()[1] == "[S] F  F  F "
    assert world.click(s, 0, 1.7, 0.7) == 2 and world.click(s, 0, 0.7, 1.7) == 1 and world.click(s, 0, 3, 3) is None
    for action, words in ((1, "row 2, column 1; 1 of 100"), (2, "fallen into a hole")):
        batch.step(action)
        assert words in world.text(batch.record(), 0)
        assert draw(world.scene(batch.record())).shape[2] == 3
