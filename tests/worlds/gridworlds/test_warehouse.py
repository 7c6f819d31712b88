"""Warehouse: lock-step with rware; the resolver of moves against networkx; levels, layouts and baselines."""

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.record import as_views
from envsuite.generators import describe, generate
from envsuite.gridworlds.warehouse import DIRECTIONS
from envsuite.registry import build
from envsuite.render.frames import draw

ID = "envsuite/Warehouse-v0"
FACINGS = {"east": "RIGHT", "south": "DOWN", "west": "LEFT", "north": "UP"}


CASES = [
    (dict(), 3, 200),
    (dict(players=7, shelf_height=2, reward="two_stage", radius=2), 4, 200),
    (dict(players=4, shelf_height=3, reward="global", message_bits=2, normalised=True, patience=50), 4, 200),
    (dict(players=19, rows=2, shelf_height=3, requests=3, reward="two_stage"), 3, 150),
]


@pytest.mark.mostly_slow
@pytest.mark.parametrize(("parameters", "num", "steps"), CASES, ids=["2", "7", "4 with messages", "19"])
@pytest.mark.parametrize("planned", [True, False])
def test_equals_rware(parameters, num, steps, planned):
    """Observations, rewards, ends and requests; planners, a quarter of whose actions are random, bring deliveries."""
    from warehouse_reference import Game

    world = build(ID, parameters)
    batch, vectors = kit.started(world, num), Batch(build(ID, parameters | {"observation": "vector"}), num)
    games = [Game(world, world.get_level(s)) for s in as_views(batch.records)]
    policy, rng = make_policy("planner", world), np.random.default_rng(len(world.agents))
    policy.reset(0, num)
    agents, count, blocked, deliveries = range(len(world.agents)), batch.masks.shape[-1], 0, 0
    for _ in range(steps):
        actions = policy.act_batch(batch.observations, batch.masks, agents)
        anything = rng.random(actions.shape) < (0.25 if planned else 1.0)
        actions[anything] = rng.choice([1, 1, 1, 0, 2, 3, 4], size=anything.sum())
        actions += 5 * rng.integers(count // 5, size=actions.shape)
        live, cells, scores = ~batch.over(), batch.records["cell"].copy(), batch.records["score"].copy()
        batch.step(actions, live)
        blocked += ((actions % 5 == 1) & (batch.records["cell"] == cells))[live].sum()
        vectors.records[:] = batch.records
        vectors.observe()
        for i in np.flatnonzero(live):
            one = batch.records[i]
            paid = [
                goal for goal in one["goals"] if one["who"][goal] and (one["score"] - scores[i])[one["who"][goal] - 1]
            ]
            delivered = [int(one["shelf_at"][goal]) - 1 for goal in paid]
            seen, rewards, done, _, _ = games[i].play(actions[i].tolist(), one["requests"].tolist(), delivered)
            assert rewards == batch.rewards[i].tolist()
            assert done == batch.truncations[i].all()
            assert all(np.array_equal(seen[a], vectors.observations[i, a]) for a in agents)
            deliveries += sum(rewards) > 0
    assert blocked > 20 and (deliveries > 2 or not planned)


def test_rows_that_meet():
    """Of rows that meet, the longest moves, then that of the robot with the lowest number; circles turn."""
    rows = ["....", "....", "x..x", "x..x", ".gg."]
    world = build(ID, dict(players=4, shelf_height=2, requests=1))
    batch = Batch(world, 1)
    wide = [row + "." * 6 for row in rows]

    def after(robots):
        batch.start(levels={"map": wide, "robots": robots, "requests": [0]})
        batch.step(np.full((1, 4), 1))
        return [divmod(int(cell), 12) for cell in batch.records["cell"][0]]

    moved = after([[0, 0, "east"], [0, 2, "west"], [0, 3, "west"], [4, 9, "east"]])
    assert moved == [(1, 1), (1, 2), (1, 3), (5, 10)]  # two beat one; a robot at the wall stays
    moved = after([[0, 2, "west"], [0, 0, "east"], [4, 8, "east"], [4, 9, "east"]])
    assert moved == [(1, 2), (1, 1), (5, 9), (5, 10)]  # robot 0 beats robot 1; who stays at the wall blocks
    moved = after([[0, 0, "east"], [0, 1, "south"], [1, 1, "west"], [1, 0, "north"]])
    assert moved == [(1, 2), (2, 2), (2, 1), (1, 1)]
    moved = after([[0, 0, "east"], [0, 1, "west"], [0, 2, "west"], [3, 5, "north"]])
    assert moved == [(1, 1), (1, 2), (1, 3), (3, 6)]  # two would change places, and block the third


@pytest.mark.slow
def test_starts_and_requests_are_uniform():
    batch = kit.started(build(ID, dict(players=3, shelf_height=2, requests=2)), 2000)
    cells, facings, requests = (batch.records[name] for name in ("cell", "facing", "requests"))
    assert all(len(set(row)) == len(row) for row in [*cells.tolist(), *requests.tolist()])
    for values, kinds in ((cells, 50), (facings, 4), (requests, 8)):
        counts = np.unique(values, return_counts=True)[1]
        expected = values.size / kinds
        assert len(counts) == kinds and (abs(counts - expected) < 5 * expected**0.5).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"map": ["."]}, "5 texts of 10 letters"),
        ({"map": ["?.........", *["." * 10] * 4]}, "the letter '\\?'"),
        ({"map": ["." * 10] * 5}, "1 to 16 goals"),
        ({"map": ["g.........", *["." * 10] * 4]}, "0 shelves"),
        ({"robots": []}, "0 robots and 2 requests"),
        ({"robots": [[0, 0, "east"], [0, 10, "east"]]}, "robot_1 starts at"),
        ({"robots": [[0, 0, "up"], [0, 1, "east"]]}, "robot_0 starts at"),
        ({"robots": [[0, 0, "east"], [0, 0, "west"]]}, "in one cell"),
        ({"requests": [0, 8]}, "from 0 to 7"),
        ({"requests": [3, 3]}, "different numbers"),
        ({"people": 1}, "unknown part 'people'"),
    ],
)
def test_levels_are_checked(change, message):
    world = build(ID, dict(shelf_height=2))
    level = world.get_level(kit.started(world).record(0))
    with pytest.raises(LevelError, match=message):
        kit.started(world, level=level | change)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (dict(columns=4), "must be odd"),
        (dict(rows=12, shelf_height=8), "110 x 10 cells"),
        (dict(players=56), "at most 55"),
        (dict(players=40), "40 requests need 41 shelves or more; there are 32"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ParameterError, match=message):
        build(ID, parameters)


def test_layouts():
    """Without gaps they are rware's, but for the goals; with gaps, all that is left can be carried to a goal."""
    from rware import warehouse as reference

    for size in (
        dict(rows=1, columns=3, shelf_height=8),
        dict(rows=3, columns=5, shelf_height=8),
        dict(shelf_height=1),
    ):
        full = {"rows": 1, "columns": 3, "shelf_height": 8, **size}
        theirs = reference.Warehouse(
            full["columns"], full["shelf_height"], full["rows"], 1, 0, 1, 1, None, None, reference.RewardType.GLOBAL
        )
        highways = theirs.highways.astype(bool).tolist()
        plain = kit.started(build(ID, size | {"players": 1}))
        drawn = [[letter != "x" for letter in row] for row in plain.world.get_level(plain.record(0))["map"]]
        assert drawn == highways
        assert np.argwhere(plain.records["level"]["ground"][0] == 3).tolist() == [[y, x] for x, y in theirs.goals]
        assert [[letter != "x" for letter in row] for row in generate("depot", gaps=0.0, **size)["map"]] == highways
    few = [describe(generate("depot", seed=k, gaps=0.5)) for k in range(50)]
    assert all(one["solvable"] and 5 <= one["shelves"] <= 27 for one in few)
    near, far = (describe(generate("depot", rows=rows))["difficulty"] for rows in (1, 3))
    assert far > 1.5 * near


def total(policy, num=16, **parameters):
    """The mean of all deliveries of an episode, and its standard error."""
    batch = kit.started(build(ID, parameters), num)
    player = make_policy(policy, batch.world)
    player.reset(0, num)
    while not batch.over().any():
        batch.step(player.act_batch(batch.observations, batch.masks, range(len(batch.world.agents))))
    delivered = batch.records["score"].sum(axis=1)
    return delivered.mean(), delivered.std() / num**0.5


@pytest.mark.slow
def test_planners_of_the_known_numbers():
    """With sight of everything, within a seventh of a planner in rware; who sees one cell away delivers less."""
    for rows, players, known in ((1, 2, 30.3), (1, 4, 57.0), (2, 4, 39.7)):
        for policy in ("planner", "selfish"):
            mean, error = total(policy, rows=rows, players=players, radius=20)
            assert 6 / 7 * known < mean < known + 3 * error, (rows, players, policy, mean)
    assert total("random")[0] < 1 < 15 < total("planner")[0] < 25


def test_planner():
    """What it sees from one cell away is enough to find shelves, goals and free places."""
    assert total("planner", 3, horizon=150, shelf_height=3)[0] > 3
    assert set(DIRECTIONS) == set(FACINGS)


def test_pictures_and_texts():
    """A robot sees the cells around it; with "vector" it does not see where walls, places and goals are."""
    level = {"map": [*["." * 10] * 3, "." + "x" * 8 + ".", "g" + "." * 9], "robots": [[4, 1, "west"], [4, 3, "north"]]}
    level["requests"] = [0, 1]
    for form, rows in (("codes", ["  . X X", "  g @ .", "  # # #"]), ("vector", ["  . X X", "  . @ .", "  . . ."])):
        env = kit.started(build(ID, dict(shelf_height=2, observation=form)), level=level)
        lines = env.world.text(env.record(0), 0).splitlines()
        assert lines[3:6] == rows and "row 4 and column 1, and look west" in lines[0]
    near = kit.started(build(ID, dict(shelf_height=2, radius=2, message_bits=2)), level=level)
    near.step(np.array([[0, 5 * 3 + 2]]))
    assert "Messages: 11 2 east. Yours: 00." in near.world.text(near.record(0), 0)
    for agent in (None, 0):
        assert draw(near.world.scene(near.record(0), agent)).std() > 10
