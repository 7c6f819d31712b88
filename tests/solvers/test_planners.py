"""Planners: shortest plans against searches of other packages and known numbers; limits."""

import copy
from collections import deque

import gymnasium
import numpy as np
import pytest
from kit import started
from minigrid_play import export
from scipy.sparse import csgraph, csr_array

import envsuite
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.kit.rooms import ACTIONS
from envsuite.registry import build
from envsuite.solvers.planners import PlanningError, plan


def carried_out(batch, i, actions):
    """Whether a plan leads from a record to a good end with its last action, and not before."""
    one = Batch(batch.world, 1)
    one.records[0] = batch.records[i]
    one.observe()
    for action in actions:
        assert not one.finished[0]
        one.step(action)
    return one.terminations[0, 0] and one.rewards[0, 0] > 0


def of_maze(batch, i):
    """The length of a shortest way in a maze, by scipy, and where the goal is, (y, x)."""
    codes = batch.observations[i, 0]
    numbers = np.where(codes != 0, np.arange(codes.size).reshape(codes.shape), -1)
    pairs = []
    for one, other in ((numbers[:, :-1], numbers[:, 1:]), (numbers[:-1], numbers[1:])):
        near = (one >= 0) & (other >= 0)
        pairs.append([one[near], other[near]])
    rows, columns = np.concatenate(pairs, axis=1)
    graph = csr_array((np.ones(len(rows)), (rows, columns)), shape=(codes.size, codes.size))
    agent, goal = np.flatnonzero(codes == 3)[0], np.flatnonzero(codes == 2)[0]
    return csgraph.shortest_path(graph, directed=False, unweighted=True, indices=agent)[goal], divmod(
        goal, codes.shape[1]
    )


@pytest.mark.mostly_slow
@pytest.mark.parametrize("braid", [0.0, 0.5])
def test_ways_in_mazes_equal_scipys(braid):
    batch = started("envsuite/Maze-v0", 40, braid=braid)
    for i in range(batch.num):
        length, (y, x) = of_maze(batch, i)
        for heuristic in (None, lambda s, y=y, x=x: np.abs(s["y"] - y) + np.abs(s["x"] - x)):
            actions = plan(batch.world, batch.records[i], heuristic)
            assert len(actions) == length and carried_out(batch, i, actions)


def test_a_star_meets_fewer_states():
    """An open field: breadth first meets all of it, A* with the right distance little more than the ways."""
    rows = ["#" * 15, *["#" + "." * 13 + "#"] * 13, "#" * 15]
    rows[7] = "#.....S.....G.#"
    env = envsuite.make_parallel("envsuite/Maze-v0")
    env.reset(options={"level": {"map": rows}})
    assert plan(env) == [env.action_names("agent").index("east")] * 6
    with pytest.raises(PlanningError, match="no plan of at most 4 actions; the limit of 50 states"):
        plan(env, limit=50)
    assert len(plan(env, heuristic=lambda s: np.abs(s["y"] - 7) + np.abs(s["x"] - 12), limit=50)) == 6


def fewest_in_minigrid(env, useful):
    """The fewest actions to success in an environment of MiniGrid, by breadth-first search over copies of it."""

    def key(env):
        held = env.carrying.encode() if env.carrying else None
        return *map(int, env.agent_pos), int(env.agent_dir), held, env.grid.encode().tobytes()

    seen, todo = {key(env)}, deque([(env, 0)])
    while todo:
        env, cost = todo.popleft()
        parts = {name: env.__dict__[name] for name in ("grid", "carrying", "door", "obj") if name in env.__dict__}
        for action in useful:
            after = copy.copy(env)
            after.__dict__.update(copy.deepcopy(parts))  # at once: what is carried is the same object
            _, reward, *_ = after.step(action)
            if reward > 0:
                return cost + 1
            if key(after) not in seen:
                seen.add(key(after))
                todo.append((after, cost + 1))
    return None


@pytest.mark.oracles
@pytest.mark.parametrize(
    "levels, id, theirs, params, target, useful",
    [  # Waiting is never of use; to drop the key only where something else is to be carried.
        (5, "DoorKey", "MiniGrid-DoorKey-5x5-v0", {"size": 5}, None, "left right forward pickup toggle"),
        (1, "Unlock", "MiniGrid-Unlock-v0", {}, "door", "left right forward pickup toggle"),
        (1, "KeyCorridor", "MiniGrid-KeyCorridorS3R1-v0", {"rows": 1, "room_size": 3}, "obj", " ".join(ACTIONS[:6])),
    ],
)
def test_keys_and_doors_equal_minigrid(levels, id, theirs, params, target, useful):
    import minigrid  # noqa: F401 - registers its environments

    batch = Batch(build(f"envsuite/{id}-v0", params), levels)
    for i in range(batch.num):
        env = gymnasium.make(theirs).unwrapped
        env.reset(seed=i)
        place = {"target": [int(k) for k in getattr(env, target).cur_pos]} if target else {}
        batch.set_level(i, {**export(env), **place})
        batch.start(where=np.arange(batch.num) == i)
        actions = plan(batch.world, batch.records[i])
        assert carried_out(batch, i, actions)
        assert len(actions) == fewest_in_minigrid(env, [ACTIONS.index(name) for name in useful.split()])


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    "rows, moves",
    [  # By hand, see test_sokoban.
        (["#######", "#@ $ .#", "#######"], 3),
        (["#####", "#   #", "#.$@#", "#   #", "#####"], 1),
        (["######", "#    #", "#.$  #", "#@   #", "######"], 4),
        (["#####", "#@  #", "# $.#", "#  $#", "#  .#", "#####"], 8),
        (["#######", "#+ $  #", "#######"], None),
    ],
)
def test_sokoban(rows, moves):
    ours = [row.ljust(8, "#") for row in rows] + ["########"] * (8 - len(rows))
    batch = started("envsuite/Sokoban-v0", 1)
    batch.set_level(0, {"map": ours})
    batch.start()
    if moves is None:
        with pytest.raises(PlanningError, match=r"there is no plan; all \d+ states that can be reached"):
            plan(batch.world, batch.records[0])
    else:
        actions = plan(batch.world, batch.records[0])
        assert len(actions) == moves and carried_out(batch, 0, actions)


def test_lights_out():
    """On 3 x 3 cells each pattern has one solution (the matrix has nullity 0, own exact computation): its presses."""
    batch = started("envsuite/LightsOut-v0", 30, rows=3, columns=3)
    near = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    effects = (near[:, None, :, None] + near[None, :, None, :] <= 1).reshape(9, 9)
    sets = (np.arange(512)[:, None] >> np.arange(9)) & 1
    made = (sets @ effects) % 2
    assert len(np.unique(made, axis=0)) == 512
    for i in range(batch.num):
        pressed = sets[(made == batch.observations[i, 0].ravel()).all(axis=1)][0]
        actions = plan(batch.world, batch.records[i])
        assert sorted(actions) == np.flatnonzero(pressed).tolist() and carried_out(batch, i, actions)


def test_the_horizon_counts():
    """A plan longer than the actions that are left is none."""
    env = envsuite.make_parallel("envsuite/Maze-v0")
    env.reset(seed=0)
    length = len(plan(env))
    for horizon, possible in ((length, True), (length - 1, False)):
        env.reset(seed=0, options={"params": {"horizon": horizon}})
        if possible:
            assert len(plan(env)) == length
        else:
            with pytest.raises(PlanningError, match="there is no plan"):
                plan(env)


def test_other_worlds_are_refused():
    batch = started("envsuite/FrozenLake-v0", 1)
    with pytest.raises(ParameterError, match="FrozenLake-v0 draws random numbers on the way"):
        plan(batch.world, batch.records[0])
    with pytest.raises(ParameterError, match="TicTacToe-v0 has 2 agents; plans are for worlds of one"):
        plan(build("envsuite/TicTacToe-v0"), np.zeros((), build("envsuite/TicTacToe-v0").record))
    with pytest.raises(ParameterError, match="starts from a record, or give an environment"):
        plan(batch.world)
    with pytest.raises(ParameterError, match="limit=0"):
        plan(batch.world, batch.records[0], limit=0)
