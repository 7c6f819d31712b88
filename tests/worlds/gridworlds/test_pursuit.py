"""Pursuit: in lock-step with PettingZoo's pursuit_v5; spawns, evaders, levels, texts and baselines."""

import kit
import numpy as np
import pytest
from pettingzoo.sisl import pursuit_v5
from pettingzoo.sisl.pursuit.utils import agent_utils

from envsuite.core.chance import Explorer
from envsuite.core.errors import ParameterError
from envsuite.gridworlds.pursuit import DX, DY, EVADERS, PURSUERS, STAY, WALL, Pursuit
from envsuite.registry import build

ID = "envsuite/Pursuit-v0"
LEFT, RIGHT, DOWN, UP = range(4)
OPEN = ["....", "....", "....", "...."]
SMALL = dict(width=4, height=4, pursuers=2, evaders=1, shared_reward=False)


class Given:
    """The reference's controller of evaders: plays the actions that it is given, in order."""

    actions = ()

    def act(self, state):
        return next(self.actions)


def reference_of(world):
    """The reference with a world's parameters, and its controller of evaders."""
    ours, given = world.parameters, Given()
    same = ("shared_reward", "surround", "n_catch", "freeze_evaders", "tag_reward", "catch_reward", "urgency_reward")
    renamed = dict(x_size="width", y_size="height", n_pursuers="pursuers", n_evaders="evaders", max_cycles="horizon")
    made = pursuit_v5.parallel_env(
        obs_range=2 * ours["sight"] + 1,
        evader_controller=given,
        **{name: ours[name] for name in same},
        **{theirs: ours[name] for theirs, name in renamed.items()},
    )
    return made, made.unwrapped.env, given


def level_of(game):
    """The reference's position as a level."""
    layers = (game.pursuer_layer, game.evader_layer)
    pursuers, evaders = ([one.current_position().tolist() for one in layer.allies] for layer in layers)
    rows = ["".join("#" if cell else "." for cell in row) for row in game.map_matrix.T]
    return {"map": rows, "pursuers": pursuers, "evaders": evaders}


def places(s):
    """The pursuers and the evaders on the grid, as (x, y)."""
    loose = s.loose > 0
    evaders = np.stack([s.evader_x, s.evader_y], axis=1)
    return np.stack([s.x, s.y], axis=1), evaders, loose


def anywhere(random, walls, taken, constraints):
    """A free cell; the reference's own rule never ends if no cell is far enough from the others."""
    return tuple(map(int, random.choice(np.argwhere(walls == 0))))


@pytest.fixture
def crowded(monkeypatch):
    monkeypatch.setattr(agent_utils, "feasible_position_exp", anywhere)


def lock_step(seed, chase, **parameters):
    """Play one game in both; returns the rounds, the catches, and the wins."""
    rng = np.random.default_rng(seed)
    world = Pursuit(**parameters)
    theirs, game, given = reference_of(world)
    seen, _ = theirs.reset(seed=seed)
    batch = kit.started(world, level=level_of(game))
    assert world.get_level(batch.record()) == level_of(game)
    caught = 0
    while True:
        s = batch.record()
        for a, name in enumerate(world.agents):
            assert (batch.observations[0, a] == seen[name]).all()
        assert (world.state(batch.records, batch.observations)[0] == theirs.state()).all()
        pursuers, before, loose = (part.copy() for part in places(s))
        actions = rng.integers(5, size=len(pursuers))
        if chase and loose.any():  # most pursuers approach the first evader
            toward = before[loose][0] - pursuers
            across = np.where(toward[:, 0] > 0, RIGHT, LEFT)
            down = np.where(toward[:, 1] > 0, DOWN, UP)
            sideways = (rng.random(len(pursuers)) < 0.5) | (toward[:, 1] == 0)
            way = np.where((sideways & (toward[:, 0] != 0)), across, np.where(toward[:, 1] != 0, down, actions))
            actions = np.where(rng.random(len(pursuers)) < 0.8, way, actions)
        batch.step(actions[None])
        _, after, now = places(s)
        moved = (after - before)[now]
        given.actions = iter([next(k for k in range(5) if (DX[k], DY[k]) == tuple(one)) for one in moved])
        seen, rewards, ends, cuts, _ = theirs.step(dict(zip(world.agents, actions.tolist())))
        assert next(given.actions, None) is None  # the same number of evaders is left
        assert batch.rewards[0] == pytest.approx([rewards[name] for name in world.agents], abs=1e-12)
        assert level_of(game)["evaders"] == after[now].tolist()
        caught += int(loose.sum() - now.sum())
        over = not theirs.agents
        assert batch.over()[0] == over == (not now.any() or s.t == world.parameters["horizon"])
        if over:
            last = s.t == world.parameters["horizon"]  # there, the last round never terminates
            assert last or all(ends.values()) and not any(cuts.values())
            assert batch.terminations[0].all() == (not now.any()) != batch.truncations[0].any()
            break
    return int(batch.record().t), caught, not now.any()


CASES = {
    "default": (dict(horizon=5), False),
    "own rewards": (dict(shared_reward=False, horizon=5), False),
    "crowd": (dict(width=7, height=6, pursuers=12, evaders=3, sight=2, shared_reward=False, horizon=20), True),
    "small": (dict(width=5, height=4, pursuers=9, evaders=3, sight=1, horizon=9), True),
    "no surround": (
        dict(width=9, height=8, pursuers=6, evaders=8, surround=False, n_catch=3, shared_reward=False, horizon=12),
        True,
    ),
    "frozen": (dict(pursuers=10, evaders=4, freeze_evaders=True, tag_reward=0.3, horizon=6, sight=4), True),
    "other rewards": (
        dict(width=10, height=5, pursuers=4, evaders=5, catch_reward=-2.0, urgency_reward=0.25, horizon=8),
        True,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_in_lock_step_with_pettingzoo(crowded, case):
    parameters, chase = CASES[case]
    caught = lock_step(0, chase, **parameters)[1]
    assert caught > 0 or case not in ("crowd", "no surround")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_in_lock_step_for_long(crowded, case):
    parameters, chase = CASES[case]
    games = [lock_step(seed, chase, **(parameters | {"horizon": 60})) for seed in range(100, 104)]
    assert sum(caught for _, caught, _ in games) > 0 or not chase
    assert case not in ("crowd", "no surround") or any(won for *_, won in games)


# Rules that the reference does not have.


def opened(pursuers, evaders, rows=OPEN, **parameters):
    """A batch of one small game with these places."""
    return kit.started(
        build(ID, {**SMALL, "pursuers": len(pursuers), "evaders": len(evaders), **parameters}),
        level={"map": list(rows), "pursuers": list(pursuers), "evaders": list(evaders)},
    )


def test_last_evader_in_the_last_round_terminates():
    batch = opened([(1, 0), (0, 1)], [(0, 0)], horizon=1)
    batch.step([[STAY, STAY]])
    assert batch.terminations.all() and not batch.truncations.any()
    assert batch.rewards[0] == pytest.approx([5 - 0.1 + 0.01] * 2)


def test_tags_by_round():
    for tag, first in (("moves", 1 / 2), ("rounds", 1)):  # the first moves away and back only in the second's time
        batch = opened([(1, 1), (3, 3)], [(1, 2)], freeze_evaders=True, tag=tag, urgency_reward=0.0, tag_reward=1.0)
        batch.step([[STAY, STAY]])
        assert batch.rewards[0].tolist() == [1, 0]
        batch.step([[STAY, LEFT]])
        batch.step([[STAY, LEFT]])  # the second arrives at (1, 3), beside the evader, in the last of two moves
        assert batch.rewards[0].tolist() == [1, first]


def test_walls_of_a_level_count_as_sides():
    rows = [".#..", "....", "....", "...."]
    batch = opened([(0, 2)], [(0, 0)], rows=rows, freeze_evaders=True)
    batch.step([[UP]])
    assert batch.terminations.all()
    assert opened([(0, 2)], [(0, 0)], freeze_evaders=True).step([[UP]]) is None


@pytest.mark.parametrize("at, blocked", [((0, 0), 2), ((1, 1), 0), ((3, 1), 1)])
def test_evaders_choose_uniformly(at, blocked):
    """All outcomes of a round: a blocked move stays."""
    explorer = Explorer(Pursuit(**SMALL))
    level = {"map": OPEN, "pursuers": [(3, 3), (3, 3)], "evaders": [at]}
    (start,) = kit.started(explorer.world, level=level).records
    chances = dict.fromkeys(range(5), 0.0)
    for probability, record, _ in explorer.successors(start, [STAY, STAY]):
        move = record["evader_x"][0] - at[0], record["evader_y"][0] - at[1]
        chances[next(k for k in range(5) if (DX[k], DY[k]) == move)] += probability
    assert chances.pop(STAY) == pytest.approx(0.2 * (1 + blocked))
    assert sorted(chances.values()) == pytest.approx([0.0] * blocked + [0.2] * (4 - blocked))


def apart(xs, ys):
    """Whether no two of a group are within one step of each other."""
    steps = abs(xs[:, None] - xs) + abs(ys[:, None] - ys)
    return (steps[~np.eye(len(xs), dtype=bool)] > 1).all()


def test_starts_are_apart():
    for s in kit.started(Pursuit(), 10).records:
        assert apart(s["start_x"], s["start_y"]) and apart(s["den_x"], s["den_y"])
        assert not s["wall"][s["den_y"], s["den_x"]].any() and not s["wall"][s["start_y"], s["start_x"]].any()


@pytest.mark.slow
def test_chances_of_starts():
    """The first of a group is in any free cell; the second in any that is apart. Groups ignore each other."""
    outcomes = Explorer(Pursuit(**SMALL)).starts()
    walls = outcomes[0].record["wall"]
    assert walls.tolist() == (reference_of(Pursuit(**SMALL))[1].map_matrix.T * -1).tolist()
    free = [(int(x), int(y)) for y, x in np.argwhere(walls == 0)]
    chances = {}
    for probability, s, _ in outcomes:
        key = (*zip(s["start_x"].tolist(), s["start_y"].tolist()), (int(s["den_x"][0]), int(s["den_y"][0])))
        chances[key] = chances.get(key, 0.0) + probability
    wanted = {}
    for one in free:
        others = [other for other in free if abs(other[0] - one[0]) + abs(other[1] - one[1]) > 1]
        wanted |= {(one, other, den): 1 / (len(free) ** 2 * len(others)) for other in others for den in free}
    assert chances == pytest.approx(wanted)


def test_starts_in_a_box():
    """All start in a box of half the sides; where it is full, anywhere."""
    batch = kit.started(Pursuit(pursuers=3, evaders=4, constraint_window=0.5), 12)
    x, y = (np.concatenate([batch.records[f"start_{k}"], batch.records[f"den_{k}"]], axis=1) for k in "xy")
    assert np.ptp(x, axis=1).max() < 9 and np.ptp(y, axis=1).max() < 9  # 8, or 9 where both ends are cut
    assert len({*x.min(axis=1).tolist()}) > 3
    crowded = kit.started(Pursuit(width=4, height=4, pursuers=30, evaders=1, constraint_window=0.1))
    s = crowded.record()
    assert not s.wall[s.start_y, s.start_x].any() and len({*zip(s.x.tolist(), s.y.tolist())}) > 3


def test_levels():
    world = Pursuit(**SMALL)
    good = {"map": OPEN, "pursuers": [(0, 0), (0, 0)], "evaders": [(3, 2)]}
    batch = kit.started(world, level=good)
    assert world.get_level(batch.record())["evaders"] == [[3, 2]]
    kit.refuses(
        world,
        ({**good, "map": OPEN[:3]}, "map must be 4 texts of 4 letters"),
        ({**good, "map": ["...", *OPEN[:3]]}, "map must be 4 texts of 4 letters"),
        ({**good, "map": ["..x.", *OPEN[:3]]}, "map has the letter 'x'; known: . #"),
        ({**good, "map": [".#..", "#...", "....", "...."]}, r"no cell beside the free cell \(0, 0\) is free"),
        ({**good, "pursuers": [(0, 0)]}, "pursuers must be 2 lists of 2 integers from 0 to 3"),
        ({**good, "evaders": []}, "evaders must be a list of 1 entry"),
        ({**good, "evaders": [(0, 4)]}, r"evaders\[0\]\[1\]=4 must be an integer from 0 to 3"),
        ({**good, "map": ["...#", *OPEN[:3]], "pursuers": [(0, 0), (3, 0)]}, r"the pursuer at \(3, 0\) is not in"),
    )


def test_parameters():
    for wrong in (dict(pursuers=0), dict(evaders=256), dict(width=3), dict(tag="never"), dict(constraint_window=0.05)):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            Pursuit(**wrong)


# What agents see.


def test_text_and_clicks():
    batch = opened([(1, 1), (1, 1)], [(2, 1), (2, 1), (0, 3)], sight=1)
    text = batch.world.text(batch.record(), 0)
    assert text.splitlines()[1:4] == ["...", ".@E", "..."]
    assert "Evaders: 1 right (2 of them)." in text and "Other pursuers: in your cell." in text
    assert kit.clicks(batch, 0) == {None, LEFT, RIGHT, DOWN, UP, STAY}
    assert batch.world.click(batch.record(), 0, 0.9, 1.9) == LEFT
    assert batch.world.click(batch.record(), 0, 1.9, 2.9) == DOWN
    planes = batch.observations[0, 0]
    assert planes[1, 1, PURSUERS] == 2 and planes[1, 2, EVADERS] == 2 and not planes[:, :, WALL].any()


# Baselines.


def test_baselines_choose():
    corner = opened([(2, 0), (0, 2)], [(0, 0)], sight=3, freeze_evaders=True)
    assert kit.choices("nearest", corner, 0, error=0.0) == {"left"}
    assert kit.choices("ring", corner, 0) == {"left"} and kit.choices("ring", corner, 1) == {"up"}
    beside = opened([(1, 0), (0, 2)], [(0, 0)], sight=3, freeze_evaders=True)
    assert kit.choices("ring", beside, 0, seeds=4) == {"stay"}
    assert kit.choices("nearest", beside, 0, error=0.0) == {"left"}


@pytest.mark.slow
def test_baselines_score():
    """Random play is that of the reference (-374 +- 4 and -325 +- 9); the ring catches all, and chasing without it."""
    returns = {
        (name, around): kit.finish(kit.started(ID, num, surround=around), name).sum(axis=1)
        for name, around, num in (
            ("random", True, 64),
            ("random", False, 64),
            ("ring", True, 32),
            ("nearest", False, 32),
        )
    }
    assert returns["random", True].mean() == pytest.approx(-374, abs=4 * 4 + 8)
    assert returns["random", False].mean() == pytest.approx(-325, abs=4 * 9 + 8)
    assert returns["ring", True].mean() > 200 and returns["nearest", False].mean() > 200
