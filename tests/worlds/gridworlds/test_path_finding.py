"""PathFinding: lockstep with POGEMA for all its rules; maps, starts and targets; levels, baselines, pictures."""

import subprocess
from pathlib import Path

import kit
import numpy as np
import pytest
from reference_environment import interpreter
from scipy import ndimage, stats

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.gridworlds.path_finding import COLLISIONS, MAPS, ON_TARGET, PathFinding
from envsuite.registry import build
from envsuite.render.frames import draw

ID = "envsuite/PathFinding-v0"
REFERENCE = Path(__file__).with_name("pathfinding_reference.py")

#: Crowds: parameters, episodes of each rule, steps.
GAMES = {
    "small": (dict(players=8, height=5, width=6, density=0.15, radius=3), 115, 20),
    "large": (dict(players=40, height=12, width=11, density=0.2, radius=5), 6, 20),
}
RULES = [(on_target, collision) for on_target in ON_TARGET for collision in COLLISIONS]


@pytest.fixture(scope="session")
def python():
    """The interpreter of an environment with the reference; the environment is created if it is missing."""
    return interpreter("pogema")


def tasks(world, num, steps, rng):
    """Levels drawn by this world, some with targets at the starts or with further targets; and actions."""
    batch = kit.started(world, num, seed=rng.integers(2**63, size=num))
    levels = [world.get_level(batch.record(i)) for i in range(num)]
    players = len(world.agents)
    maps = np.array([[[letter == "#" for letter in row] for row in level["map"]] for level in levels]).astype(int)
    starts = np.array([level["starts"] for level in levels])
    goals = np.zeros((num, players, 4, 2), int)
    for i, level in enumerate(levels):
        free = np.argwhere(maps[i] == 0)
        goals[i] = free[rng.integers(len(free), size=(players, 4))]
        goals[i, :, 0] = level["goals"]
        at_home = rng.random(players) < rng.choice([0.0, 0.5, 1.0])
        goals[i, at_home, 0] = starts[i, at_home]
    actions = rng.integers(5, size=(num, steps, players))
    actions[rng.random(actions.shape) < rng.choice([0.0, 0.5, 0.99], size=(num, 1, 1))] = 0
    return {"maps": maps, "starts": starts, "goals": goals, "actions": actions}


@pytest.fixture(scope="session")
def played(python, tmp_path_factory):
    """The inputs of the reference and its outputs: arrays by key."""
    folder, given = tmp_path_factory.mktemp("pogema"), {}
    rng = np.random.default_rng(0)
    for name, (parameters, num, steps) in GAMES.items():
        for on_target, collision in RULES:
            arrays = tasks(PathFinding(**parameters), num, steps, rng)
            arrays["radius"] = np.array(parameters["radius"])
            given |= {f"{on_target}/{collision}/{name}/{part}": array for part, array in arrays.items()}
    np.savez(folder / "given.npz", **given)
    subprocess.run([python, REFERENCE, folder / "given.npz", folder / "answer.npz"], check=True)
    with np.load(folder / "answer.npz") as answer:
        return given, dict(answer)


def unseen(before, after, active):
    """The agents missing from the reference's plane of agents: those that follow an agent with a higher number."""
    came = {tuple(place): a for a, place in enumerate(after) if active[a] and (place != before[a]).any()}
    return {came[tuple(before[a])] for a in range(len(before)) if active[a] and came.get(tuple(before[a]), a) < a}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("on_target, collision", RULES)
def test_in_lock_step_with_pogema(played, name, on_target, collision):
    """1,089 random episodes: places, targets, rewards, ends, planes at every step; metrics at the end."""
    given, answer = played
    parameters, num, steps = GAMES[name]
    key = f"{on_target}/{collision}/{name}"
    maps, starts, goals, actions = (given[f"{key}/{part}"] for part in ("maps", "starts", "goals", "actions"))
    world = PathFinding(**parameters, on_target=on_target, collision=collision, horizon=steps)
    radius, players = parameters["radius"], parameters["players"]
    batch = Batch(world, num)
    for i in range(num):
        rows = ["".join("#" if wall else "." for wall in row) for row in maps[i]]
        listed = goals[i].tolist() if on_target == "restart" else goals[i, :, 0].tolist()
        batch.set_level(i, {"map": rows, "starts": starts[i].tolist(), "goals": listed})
    batch.start()
    returns, lost = np.zeros((num, players)), 0
    missing = [set() for _ in range(num)]
    running = np.ones(num, bool)
    for t in range(steps + 1):
        state = world.state(batch.records, batch.observations)
        assert (state["agents"][running] == answer[f"{key}/places"][running, t]).all()
        assert (state["targets"][running] == answer[f"{key}/targets"][running, t]).all()
        wanted = answer[f"{key}/observations"][:, t].copy()
        for i in np.flatnonzero(running):
            for b in missing[i]:  # restore the agents that the reference omits
                down, across = np.moveaxis(state["agents"][i, b].astype(int) - state["agents"][i], -1, 0) + radius
                near = (np.minimum(down, across) >= 0) & (np.maximum(down, across) <= 2 * radius)
                assert (wanted[i, near, 1, down[near], across[near]] == 0).all()
                wanted[i, near, 1, down[near], across[near]] = 1
            lost += len(missing[i])
        assert (batch.observations[running] == wanted[running]).all()
        assert (batch.masks == ~(batch.terminations | batch.truncations)[:, :, None]).all()
        running = ~batch.over()
        if t == steps:
            break
        live = ~batch.terminations.copy()
        before = state["agents"].astype(int)
        batch.step(actions[:, t], running)
        returns += batch.rewards
        assert (batch.rewards[running] == answer[f"{key}/rewards"][running, t]).all()
        assert (batch.terminations[running] == answer[f"{key}/terminated"][running, t]).all()
        assert (batch.truncations[live] == answer[f"{key}/truncated"][:, t][live]).all()
        after = world.state(batch.records, batch.observations)["agents"].astype(int)
        if collision == "soft":
            for i in np.flatnonzero(running):
                gone = batch.terminations[i] & (on_target == "finish")
                missing[i] = {b for b in unseen(before[i], after[i], live[i]) if not gone[b]}
    assert not running.any()
    assert (lost > 0) == (collision == "soft")
    solved, together, throughput = answer[f"{key}/metrics"].T
    if on_target == "finish":
        assert solved == pytest.approx(returns.mean(1)) and (together == (returns == 1).all(1)).all()
        assert 0.1 < solved.mean() < 0.9
    elif on_target == "nothing":
        assert (together[:, None] == returns).all() and (name == "large" or 0.03 < together.mean() < 0.9)
    else:
        assert throughput == pytest.approx(returns.sum(1) / steps) and returns.max() >= 2


# Maps, starts and targets.


def started(world, num, seed=0):
    batch = kit.started(world, num, seed)
    return batch, [world.get_level(batch.record(i)) for i in range(num)]


def free_cells(level):
    return np.array([[letter == "." for letter in row] for row in level["map"]])


@pytest.mark.parametrize("map", MAPS)
def test_all_can_reach_their_targets(map):
    _, levels = started(PathFinding(map=map, density=0.45), 300)
    for level in levels:
        regions, count = ndimage.label(free_cells(level))
        starts, goals = (np.array(level[part]) for part in ("starts", "goals"))
        assert len({tuple(place) for place in (*starts, *goals)}) == 16
        assert (regions[*starts.T] > 0).all() and (regions[*starts.T] == regions[*goals.T]).all()
        if map in ("maze", "rooms"):
            assert count == 1
    assert len({str(level["map"]) for level in levels}) == 300


@pytest.mark.slow
def test_density_and_tight_maps():
    """Obstacles are independent. Maps that are too full are replaced by emptier ones and finally by an empty one."""
    _, levels = started(PathFinding(density=0.3), 1000)
    share = 1 - np.mean([free_cells(level).mean() for level in levels])
    assert abs(share - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 225_000)
    _, levels = started(PathFinding(8, 4, 5, density=1.0), 20)
    assert all(free_cells(level).sum() >= 16 for level in levels)
    _, levels = started(PathFinding(8, 4, 5, density=0.3), 200)
    assert {free_cells(level).sum() for level in levels} == {16, 17, 18, 19, 20}
    with pytest.raises(ParameterError, match="11 agents do not fit into 4 x 5 cells"):
        PathFinding(11, 4, 5)
    with pytest.raises(ParameterError, match="odd"):
        PathFinding(height=16, map="maze")


@pytest.mark.slow
def test_starts_and_goals_are_uniform():
    world = PathFinding(8, 4, 5, density=0.0)
    batch = kit.started(world, 10_000)
    state = world.state(batch.records, batch.observations)
    for part in ("agents", "targets"):
        for agent in (0, 1, 7):
            assert stats.chisquare(np.bincount(state[part][:, agent] @ [5, 1], minlength=20)).pvalue > 1e-4


@pytest.mark.slow
def test_new_targets_are_uniform_over_the_others_of_the_region():
    world = PathFinding(3, 3, 4, radius=2)
    rows, starts, goals = ["..#.", ".##.", "...#"], [[0, 1], [2, 2], [0, 3]], [[0, 0], [2, 0], [1, 3]]
    batch = Batch(world, 10_000)
    batch.set_level(0, {"map": rows, "starts": starts, "goals": goals})
    batch.records[:] = batch.records[0]
    batch.start(0)
    batch.step([3, 0, 0])
    assert (batch.rewards == [1, 0, 0]).all()
    found = np.bincount(world.state(batch.records, batch.observations)["targets"][:, 0] @ [4, 1], minlength=12)
    assert set(np.flatnonzero(found)) == {1, 4, 8, 9, 10}  # the left region, without the cell that it is on
    assert stats.chisquare(found[found > 0]).pvalue > 1e-4


def test_alone_in_its_cell():
    """If no other cell can be reached, the target stays."""
    world = PathFinding(3, 3, 4, radius=2)
    batch = Batch(world, 1)
    rows, places = ["#.##", "####", "...."], [[0, 1], [2, 0], [2, 3]]
    batch.start(levels={"map": rows, "starts": places, "goals": [places[0], places[2], places[1]]})
    for _ in range(3):
        batch.step([1, 0, 0])
        assert batch.rewards.tolist() == [[1, 0, 0]]


# Levels.


def test_levels():
    world = PathFinding(3, 3, 4, radius=2)
    level = {
        "map": ["...#", "....", "#..."],
        "starts": [[0, 0], [1, 1], [2, 3]],
        "goals": [[0, 1], [[0, 1], [1, 2]], [2, 1]],
    }
    batch = Batch(world, 2)
    batch.set_level(0, level)
    batch.set_level(1, {"map": level["map"]})
    batch.start()
    assert world.get_level(batch.record(0)) == level
    drawn = world.get_level(batch.record(1))
    assert drawn["map"] == level["map"] and len(drawn["starts"]) == len(drawn["goals"]) == 3
    for change, problem in (
        (dict(map=["....", "...."]), "3 texts of 4 letters"),
        (dict(map=["...x", "....", "...."]), "letter 'x'"),
        (dict(starts=[[0, 0]]), "1 starts for 3 agents"),
        (dict(starts=[[0, 0], [1, 1], [0, 0]]), "player_2 has the start of another"),
        (dict(starts=[[0, 0], [1, 1], [0, 3]]), r"start of player_2, \[0, 3\], is an obstacle"),
        (dict(goals=[[0, 0], [1, 1], [3, 0]]), r"the goal of player_2\[0\]=3 must be an integer from 0 to 2"),
        (dict(goals=[[0, 0], [1, 1], [0.5, 0]]), r"the goal of player_2\[0\]=0.5 must be an integer from 0 to 2"),
        (dict(goals=[[0, 0], [1, 1], [[0, 0]] * 9]), "9 goals; 1 to 8"),
        (dict(colour="red"), "unknown part 'colour'"),
    ):
        with pytest.raises(LevelError, match=problem):
            batch.set_level(0, level | change)
    with pytest.raises(LevelError, match="lacks 'goals'"):
        batch.set_level(0, {"map": level["map"], "starts": level["starts"]})
    with pytest.raises(LevelError, match="room for 2 agents, not 3"):
        batch.set_level(0, {"map": [".#.#", "####", "...."]})


# Policies.


def throughput(policy, num=64, **parameters):
    """Mean targets of all agents per step."""
    world = build(ID, parameters)
    batch, _ = started(world, num)
    return kit.finish(batch, policy).sum() / num / world.parameters["horizon"]


@pytest.mark.slow
@pytest.mark.parametrize("map", MAPS)
def test_baselines(map):
    random, greedy, planner = (throughput(name, map=map) for name in ("random", "greedy", "planner"))
    assert 1.5 * random < greedy and 1.2 * greedy < planner


@pytest.mark.slow
def test_planner_alone_is_nearly_optimal():
    """On an empty map, targets are (15 - 1/15) 2/3 rows and columns away: the mean over all other cells."""
    distance = 2 * (15 - 1 / 15) / 3 * 225 / 224
    assert throughput("planner", 256, players=1, density=0.0) == pytest.approx(1 / distance, rel=0.02)


@pytest.mark.slow
def test_widest_window_and_a_crowd():
    """1,024 agents with a large view: the planner's memory suffices, and no two agents are ever in one cell."""
    sizes = dict(players=1024, height=64, width=64, radius=15)
    assert throughput("planner", 1, **sizes, horizon=10, map="rooms") > 0
    world = PathFinding(**sizes, density=0.1, collision="soft", horizon=100)
    batch, _ = started(world, 1)
    rng = np.random.default_rng(0)
    for _ in range(50):
        batch.step(rng.integers(5, size=batch.actions.shape))
        state = world.state(batch.records, batch.observations)
        for places, obstacles in zip(state["agents"].astype(int), state["obstacles"]):
            assert len({tuple(place) for place in places}) == 1024 and not obstacles[*places.T].any()
    assert batch.records["reached"].sum() > 0


# Observations, texts and pictures.


def test_text_and_scenes():
    world = PathFinding(3, 3, 4, radius=2, on_target="finish")
    level = {"map": ["...#", "....", "#..."], "starts": [[0, 0], [1, 1], [2, 3]], "goals": [[0, 1], [2, 3], [0, 0]]}
    batch = kit.started(world, level=level)
    s = batch.record()
    assert world.text(s, 0).splitlines()[2:] == [
        "  . . . . .", "  . # # # #", "  . # @ X .", "  . # . o .", "  . # # . .",
        "Your target is 1 east of you.", "0 of 256 steps are over.",
    ]  # fmt: skip
    assert "Your target is 2 or more north and 2 or more west of you." in world.text(s, 2)
    assert "X" not in world.text(s, 2).split("up):")[1]  # it might be farther away
    shown = [shape.glyph for shape in world.scene(s).shapes if getattr(shape, "glyph", "")]
    assert sorted(shown) == ["0", "1", "2", "x0", "x1", "x2"]
    own = world.scene(s, 0)
    assert sorted(shape.glyph for shape in own.shapes if getattr(shape, "glyph", "")) == ["0", "o", "x0"]
    batch.step([[4, 0, 0]])
    s = batch.record()
    assert batch.terminations.tolist() == [[True, False, False]]
    assert world.text(s, 0) == "You are player_0. You have reached your target."
    assert draw(world.scene(s)).shape[2] == draw(world.scene(s, 0)).shape[2] == 3
    assert [shape.glyph for shape in world.scene(s).shapes if getattr(shape, "glyph", "") in ("0", "1", "2")] == [
        "1",
        "2",
    ]


def test_a_view_tells_no_more_than_the_observation():
    """Two maps with equal views from the agent's cell have the same text and picture."""
    world = PathFinding(1)
    batch = Batch(world, 2)
    batch.set_level(0, {"map": ["." * 15] * 15, "starts": [[7, 7]], "goals": [[0, 2]]})
    batch.set_level(1, {"map": [*["." * 15] * 14, "#" * 15], "starts": [[8, 6]], "goals": [[3, 0]]})
    batch.start()
    assert (batch.observations[0] == batch.observations[1]).all()
    one, other = (batch.record(i) for i in range(2))
    assert world.text(one, 0) == world.text(other, 0)
    assert (draw(world.scene(one, 0)) == draw(world.scene(other, 0))).all()
