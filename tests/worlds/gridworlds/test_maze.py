"""Maze: in lock step with its rules written once more over the map's letters, best returns, levels, baselines."""

import kit
import numpy as np
import pytest
from scipy import ndimage

import envsuite
from envsuite import generators
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.generators import grids
from envsuite.gridworlds.maze import AGENT, FREE, GOAL, WALL, Maze
from envsuite.registry import build
from envsuite.render.frames import draw

ID = "envsuite/Maze-v0"
MOVES = {"east": (1, 0), "south": (0, 1), "west": (-1, 0), "north": (0, -1)}


class Walker:
    """The rules on a map of letters."""

    def __init__(self, rows, horizon, decay):
        self.rows, self.horizon, self.decay, self.moves = rows, horizon, decay, 0
        self.at = self.find("S")

    def find(self, letter):
        return next((row.index(letter), y) for y, row in enumerate(self.rows) if letter in row)

    def step(self, name):
        self.moves += 1
        x, y = self.at[0] + MOVES[name][0], self.at[1] + MOVES[name][1]
        if self.rows[y][x] != "#":
            self.at = x, y
        won = self.at == self.find("G")
        return (1 - self.decay * self.moves / self.horizon) * won, won, self.moves >= self.horizon

    def codes(self):
        codes = np.array([[WALL if letter == "#" else FREE for letter in row] for row in self.rows])
        codes[self.find("G")[::-1]] = GOAL
        codes[self.at[::-1]] = AGENT
        return codes


@pytest.mark.parametrize("view", [0, 5])
@pytest.mark.mostly_slow
def test_in_lock_step(view):
    """300 random episodes: observations, rewards and ends at every move."""
    num, height, width = 300, 9, 11
    world = Maze(height, width, "mixed", 0.3, view=view, horizon=60, decay=0.5)
    batch = kit.started(world, num)
    walkers = [Walker(world.get_level(batch.record(i))["map"], 60, 0.5) for i in range(num)]
    rng = np.random.default_rng(0)
    won = cut = 0
    while not batch.finished.all():
        running = ~batch.over()
        for i in np.flatnonzero(running):
            codes = walkers[i].codes()
            if view:
                x, y = walkers[i].at
                codes = np.pad(codes, 2)[y : y + 5, x : x + 5]
            assert (batch.observations[i, 0] == codes).all()
        assert (batch.masks[running] == 1).all()
        batch.actions[:, 0] = rng.integers(4, size=num)
        batch.step(where=running)
        for i in np.flatnonzero(running):
            reward, ended, late = walkers[i].step(world.action_names[0][batch.actions[i, 0]])
            assert (batch.rewards[i, 0], batch.terminations[i, 0], batch.truncations[i, 0]) == (reward, ended, late)
            won += ended
            cut += late and not ended
    assert won > 30 and cut > 30


def returns(world, policy, num, seed=0):
    """Returns and lengths of `num` episodes, and the levels they were played on."""
    batch = kit.started(world, num, seed=seed)
    levels = [world.get_level(batch.record(i)) for i in range(num)]
    total = kit.finish(batch, policy, seed=seed)[:, 0]
    return total, batch.records["t"].copy(), levels


@pytest.mark.parametrize("algorithm, braid", [("backtracker", 0.0), ("mixed", 0.5)])
def test_solver_takes_shortest_ways(algorithm, braid):
    world = build(ID, dict(height=9, width=11, algorithm=algorithm, braid=braid))
    total, lengths, levels = returns(world, "solver", 500)
    shortest = np.array([grids.solve(level["map"])["path"] for level in levels])
    assert (lengths == shortest).all()
    assert total == pytest.approx(1 - 0.9 * shortest / 99)


@pytest.mark.slow
def test_baselines():
    """Random play, a hand on the wall, and the map; a solver with a window needs more moves than one that sees all."""
    world = build(ID, dict(height=9, width=11))
    means = {name: returns(world, name, 300)[0].mean() for name in ("random", "wall_follower", "solver")}
    assert means["random"] + 0.2 < means["wall_follower"] < means["solver"]
    blind = build(ID, dict(height=9, width=11, view=5))
    total, lengths, levels = returns(blind, "solver", 200)
    shortest = np.array([grids.solve(level["map"])["path"] for level in levels])
    assert (total > 0).all() and (lengths >= shortest).all() and (lengths > shortest).any()
    total, lengths, _ = returns(blind, "wall_follower", 200)
    # In a tree a hand on the wall passes each of the 2 * 39 sides of the 39 ways at most once, and once more to turn.
    assert (total > 0).all() and (lengths <= 2 * 39).all()


@pytest.mark.parametrize("policy", ["solver", "wall_follower"])
def test_largest_maze_with_the_widest_window(policy):
    """The map of the solver is joined to a ring; it must never meet itself."""
    world = build(ID, dict(height=101, width=101, algorithm="kruskal", ends="farthest", view=25, horizon=30_000))
    total, lengths, levels = returns(world, policy, 2)
    assert (total > 0).all() and (lengths >= [grids.solve(level["map"])["path"] for level in levels]).all()


def test_start_and_goal_are_uniform():
    world = Maze(9, 11)
    batch = kit.started(world, 20_000)
    level = batch.records["level"]
    free = level["grid"].reshape(-1, 99) == grids.FREE
    assert (free.sum(1) == 39).all()  # 4 * 5 cells and 19 passages
    where = np.arange(20_000)
    assert free[where, level["start"]].all() and free[where, level["goal"]].all()
    assert (level["start"] != level["goal"]).all()
    assert all(ndimage.label(grid)[1] == 1 for grid in level["grid"][:300])


def test_levels_of_generators():
    world = Maze(9, 11)
    batch = Batch(world, 4)
    levels = [generators.generate(kind, 1, height=9, width=11) for kind in ("maze", "caves", "obstacles")]
    for i, level in enumerate(levels):
        batch.set_level(i, level)
    batch.start()
    for i, level in enumerate(levels):
        assert world.get_level(batch.record(i)) == {"map": level["map"]}
    fourth = world.get_level(batch.record(3))
    assert generators.describe({"kind": "maze", **fourth})["solvable"]
    vector = envsuite.make_vec(ID, 3, height=9, width=11)
    vector.reset(seed=0, options={"level": [generators.mutate(level, 3) for level in levels]})


def test_equals_the_generator():
    """A world's levels are the generator's."""
    batch = kit.started(Maze(9, 11, "wilson", 0.2, "farthest"), 20)
    wanted = generators.generate_many("maze", 20, height=9, width=11, algorithm="wilson", braid=0.2, ends="farthest")
    assert [batch.world.get_level(batch.record(i))["map"] for i in range(20)] == [level["map"] for level in wanted]


def test_wrong_levels_and_parameters():
    batch = Batch(Maze(9, 11), 1)
    rows = generators.generate("obstacles", height=9, width=11, density=0.0)["map"]
    for level, problem in (
        ({"map": rows[1:]}, "9 texts of 11 letters"),
        ({"map": [row.replace("G", ".") for row in rows]}, "one goal 'G', not 0"),
        ({"map": [row.replace("S", "x") for row in rows]}, "letter 'x'"),
        ({"map": ["." * 11, *rows[1:]]}, "walls"),
        ({"grid": rows}, "lacks 'map'|unknown part"),
    ):
        with pytest.raises(LevelError, match=problem):
            batch.set_level(0, level)
    for params, problem in ((dict(height=8), "odd"), (dict(view=4), "view=4"), (dict(view=1), "view=1")):
        with pytest.raises(ParameterError, match=problem):
            Maze(**params)


def test_unsolvable_level():
    """Levels without a way are the user's right: the solver goes on until the horizon."""
    rows = ["#" * 11, "#S.#......#", "####......#", *["#.........#"] * 4, "#........G#", "#" * 11]
    batch = kit.started(ID, level={"map": rows}, height=9, width=11, horizon=20)
    kit.finish(batch, "solver")
    assert batch.truncations[0, 0] and not batch.terminations[0, 0]


def test_text_scene_and_clicks():
    world = Maze(9, 11, view=5)
    batch = Batch(world, 1)
    rows = ["#" * 11, "#S.G......#", *["#.........#"] * 6, "#" * 11]
    batch.start(levels={"map": rows})
    s = batch.record()
    assert world.text(s, 0).splitlines()[1:6] == [
        "  # # # # #", "  # # # # #", "  # # @ . G", "  # # . . .", "  # # . . ."
    ]  # fmt: skip
    assert world.click(s, 0, 3.5, 2.5) == 0 and world.click(s, 0, 2.2, 3.9) == 1 and world.click(s, 0, 5, 5) is None
    assert "G" in [shape.glyph for shape in world.scene(s, 0).shapes if hasattr(shape, "glyph")]
    assert len(world.scene(s).shapes) > len(world.scene(s, 0).shapes)  # the way
    for _ in range(2):
        batch.step(0)
    assert "reached the goal" in world.text(batch.record(), 0)
    assert draw(world.scene(batch.record())).shape[2] == 3
    batch.start()
    assert "0 of 99" in world.text(batch.record(), 0)
    assert "The maze" in Maze(9, 11).text(Batch(Maze(9, 11), 1).record(), 0)


def test_scene_hides_what_the_agent_does_not_see():
    world = Maze(9, 11, view=3)
    batch = kit.started(world, level={"map": ["#" * 11, "#S.......G#", *["#.........#"] * 6, "#" * 11]})
    one, all_of_one = draw(world.scene(batch.record(), 0)), draw(world.scene(batch.record()))
    batch.start(levels={"map": ["#" * 11, "#S........#", *["#.........#"] * 5, "#..#.....G#", "#" * 11]})
    assert (draw(world.scene(batch.record(), 0)) == one).all()
    assert (draw(world.scene(batch.record())) != all_of_one).any()
