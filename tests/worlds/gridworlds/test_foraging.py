"""Foraging: lockstep with lbforaging, its spawns against that package's, levels, and baselines."""

import importlib.util
import sys
import types
from pathlib import Path

import kit
import numpy as np
import pytest
from gymnasium import spaces
from scipy.stats import chi2_contingency, chisquare

import envsuite
from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, LevelError, ParameterError
from envsuite.gridworlds.foraging import ACTIONS, Foraging
from envsuite.registry import build
from envsuite.render.frames import draw
from envsuite.render.scene import Label

ID = "envsuite/Foraging-v0"
NOOP, NORTH, SOUTH, WEST, EAST, LOAD = range(6)


def started(world, levels, **options):
    batch = Batch(world, len(levels), **options)
    batch.start(0, levels)
    return batch


def step(batch, *actions):
    """One step; the actions of all players, the same in every world."""
    batch.step(actions)


def check_observations(batch, i, reference):
    theirs = reference.test_make_gym_obs()
    for a in range(len(batch.world.agents)):
        if batch.observations.dtype.names is None:
            assert (batch.observations[i, a] == theirs[a]).all()
        else:
            parts = [batch.observations[name][i, a].ravel() for name in ("food", "players")]
            assert np.concatenate(parts).tolist() == theirs[a].tolist()


def check_state(batch, i, reference):
    s = batch.records[i]
    assert list(zip(s["row"].tolist(), s["column"].tolist())) == [player.position for player in reference.players]
    assert s["level"].tolist() == [player.level for player in reference.players]
    assert s["score"].tolist() == pytest.approx([player.score for player in reference.players], abs=1e-12)
    field = np.zeros((batch.world.parameters["size"],) * 2, int)
    for row, column, level in zip(s["food_row"], s["food_column"], s["food_level"]):
        field[row, column] += level
    assert (field == reference.field).all()
    assert s["worth"] == reference._food_spawned and not s["visits"].any()


def check_masks(batch, i, reference):
    for a, player in enumerate(reference.players):
        valid = [action.value for action in reference._valid_actions[player]]
        assert np.flatnonzero(batch.masks[i, a]).tolist() == valid


def lockstep(world, references, seed, illegal=False, load=4.0):
    """Play all games to their ends with random actions in both; return counts of events by name."""
    rng = np.random.default_rng(seed)
    batch = started(world, [one.level() for one in references], on_illegal="noop" if illegal else "error")
    seen = dict.fromkeys(("steps", "loaded", "together", "failed", "shared", "held up", "illegal"), 0)
    for i, reference in enumerate(references):
        check_state(batch, i, reference)
        check_masks(batch, i, reference)
        check_observations(batch, i, reference)
    while not batch.finished.all():
        allowed = np.ones(batch.masks.shape) if illegal else batch.masks * np.where(np.arange(6) == LOAD, load, 1.0)
        batch.actions[:] = (allowed * rng.random(allowed.shape)).argmax(axis=2)
        seen["illegal"] += int((np.take_along_axis(batch.masks, batch.actions[:, :, None], 2) == 0).sum())
        running, actions, before = ~batch.finished, batch.actions.copy(), batch.records.copy()
        batch.step(where=running)
        for i in np.flatnonzero(running):
            reference = references[i]
            _, rewards, done, truncated, _ = reference.step(actions[i])
            assert batch.rewards[i].tolist() == rewards  # to the last bit
            assert not truncated and batch.finished[i] == done
            # There, the step limit terminates.
            assert batch.terminations[i].all() == batch.terminations[i].any() == (reference.field.sum() == 0)
            assert (batch.truncations[i] == (done and not batch.terminations[i, 0])).all()
            check_state(batch, i, reference)
            check_observations(batch, i, reference)
            if not done:
                check_masks(batch, i, reference)
            s = batch.records[i]
            places = list(zip(s["row"].tolist(), s["column"].tolist()))
            moved = (s["row"] != before["row"][i]) | (s["column"] != before["column"][i])
            tried = (actions[i] >= NORTH) & (actions[i] <= EAST) & (batch.actions[i] != NOOP)
            seen["steps"] += 1
            seen["loaded"] += int(before["left"][i] - s["left"])
            seen["together"] += int((np.array(rewards) > 0).sum() > 1)
            seen["failed"] += int((batch.actions[i] == LOAD).any() and not any(reward > 0 for reward in rewards))
            seen["shared"] += len(set(places)) < len(places)
            seen["held up"] += int((tried & ~moved).any())
    return seen


#: Worlds, and the number of games compared in each; 1,100 with the next two tests.
CASES = {
    "default": (dict(), 180),
    "penalty, sight 2, plain rewards": (dict(penalty=0.1, sight=2, normalize_reward=False, max_food_level=3), 150),
    "alone": (dict(max_food_level=1, sight=1), 100),
    "coop": (dict(force_coop=True, horizon=100), 40),
    "crowd": (dict(size=6, players=6, food=3, sight=1, horizon=20, max_player_level=3, max_food_level=4), 100),
    "crowd, coop, penalty": (dict(size=6, players=6, food=3, horizon=25, force_coop=True, penalty=0.5), 80),
    "team": (dict(size=9, players=4, food=5, sight=3, max_player_level=[1, 2, 2, 5], observe_agent_levels=False), 120),
    "grid": (dict(size=6, players=3, food=2, sight=2, observation="grid"), 120),
    "grid, no levels": (dict(size=6, players=3, food=2, sight=2, observation="grid", observe_agent_levels=False), 30),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.mostly_slow
def test_equals_lbforaging(name):
    from foraging_reference import Reference

    parameters, games = CASES[name]
    world = Foraging(**parameters)
    references = [Reference(world) for _ in range(games)]
    for k, reference in enumerate(references):
        reference.start(seed=k)
    seen = lockstep(world, references, seed=0, load=1.0 if "crowd" in name else 4.0)
    assert seen["steps"] > 5 * games and seen["loaded"] > 5
    if "crowd" in name:
        assert min(seen["together"], seen["failed"], seen["shared"], seen["held up"]) > 20


def test_illegal_actions_as_noop():
    """lbforaging replaces illegal actions."""
    from foraging_reference import Reference

    world = Foraging(players=3, size=6, food=2)
    references = [Reference(world) for _ in range(60)]
    for k, reference in enumerate(references):
        reference.start(seed=k)
    assert lockstep(world, references, seed=1, illegal=True)["illegal"] > 1000
    batch = started(world, [references[0].level()])
    with pytest.raises(ActionError, match="'load'"):
        step(batch, LOAD, LOAD, LOAD)


def test_food_side_by_side():
    """Groups load in the order of their lowest numbers, and each loads the food that the reference finds first."""
    from foraging_reference import Numbered, Reference

    world = Foraging(players=6, size=6, food=3, max_player_level=3, max_food_level=6, penalty=0.25, horizon=20)
    rng = np.random.default_rng(0)
    references = [Reference(world) for _ in range(120)]
    for k, reference in enumerate(references):
        reference.players = [Numbered(number) for number in range(6)]
        reference.start(seed=k)
        food = [[1 + int(k) // 3, 2 + int(k) % 3, int(rng.integers(1, 7))] for k in rng.permutation(9)[:3]]
        free = [divmod(cell, 6) for cell in range(36) if [*divmod(cell, 6)] not in [one[:2] for one in food]]
        spots = [free[k] for k in rng.permutation(len(free))[:6]]
        reference.take({"players": [[*spot, int(rng.integers(1, 4))] for spot in spots], "food": food})
    seen = lockstep(world, references, seed=2)
    assert min(seen["loaded"], seen["together"], seen["failed"]) > 100


FOOD = [[1, 1, 1]]
WEST_TO_EAST = [[3, 2], [3, 3], [3, 4], [3, 6]]
#: Places of players, their actions, their places after them.
COLLISIONS = [
    (WEST_TO_EAST, [EAST, NOOP, NOOP, NOOP], [[3, 2], [3, 3], [3, 4], [3, 6]]),  # occupied
    (WEST_TO_EAST, [EAST, EAST, NOOP, NOOP], [[3, 3], [3, 3], [3, 4], [3, 6]]),  # the player in front is blocked
    (WEST_TO_EAST, [EAST, EAST, EAST, WEST], [[3, 3], [3, 4], [3, 4], [3, 6]]),  # two in front choose one cell
    (WEST_TO_EAST, [EAST, EAST, EAST, NOOP], [[3, 3], [3, 4], [3, 5], [3, 6]]),  # a train
    (WEST_TO_EAST, [EAST, WEST, NOOP, NOOP], [[3, 3], [3, 2], [3, 4], [3, 6]]),  # changing places
    (WEST_TO_EAST, [NORTH, SOUTH, NOOP, NOOP], [[2, 2], [4, 3], [3, 4], [3, 6]]),
    ([[3, 3], [3, 3], [3, 4], [3, 6]], [EAST, WEST, WEST, NOOP], [[3, 4], [3, 2], [3, 3], [3, 6]]),
    ([[3, 3], [3, 3], [3, 4], [3, 6]], [NOOP, NOOP, WEST, NOOP], [[3, 3], [3, 3], [3, 4], [3, 6]]),
]


def test_collisions():
    """By hand from lbforaging's step: a player that alone wants a cell gets it, now and in the next step."""
    for before, actions, after in COLLISIONS:
        apart = [[0, k, 1] for k in range(4)]
        batch = started(Foraging(players=4, size=9, food=5), [{"players": apart, "food": FOOD}])
        batch.records["row"], batch.records["column"] = np.array(before).T
        batch.observe()
        for _ in range(2):
            step(batch, *actions)
            assert np.stack([batch.records["row"][0], batch.records["column"][0]], axis=1).tolist() == after
            actions = [NOOP] * 4


def test_collisions_are_lbforagings():
    from foraging_reference import Reference

    reference = Reference(Foraging(players=4, size=9, food=5))
    for before, actions, after in COLLISIONS:
        reference.reset(seed=0)
        reference.take({"players": [[*at, 1] for at in before], "food": FOOD})
        reference.step(actions)
        assert [list(player.position) for player in reference.players] == after


def test_a_player_between_pieces_of_food():
    """It loads the northern piece, then the southern, western and eastern one; with each, the way there is free."""
    level = {"players": [[3, 3, 4], [0, 0, 1]], "food": [[3, 4, 1], [2, 3, 4], [3, 2, 2], [4, 3, 3]]}
    batch = started(Foraging(food=4, max_player_level=4, normalize_reward=False), [level])
    assert batch.masks[0].tolist() == [[1, 0, 0, 0, 0, 1], [1, 0, 1, 0, 1, 0]]
    assert batch.records["worth"][0] == 10
    for k, (food, way) in enumerate(((4, NORTH), (3, SOUTH), (2, WEST), (1, EAST)), 1):
        step(batch, LOAD, NOOP)
        assert batch.rewards[0].tolist() == [4 * food, 0] and batch.records["left"][0] == 4 - k
        assert batch.masks[0, 0, way] == (k < 4) and batch.records["food_level"][0].sum() == (6, 3, 1, 0)[k - 1]
        assert batch.terminations[0].tolist() == [k == 4] * 2
    assert batch.records["score"][0].tolist() == [40, 0]


def test_grid_observation_by_hand():
    """A player in the corner with sight 2, before and after it moves; beyond the edge, no cell is free."""
    level = {"players": [[0, 0, 2], [1, 2, 1]], "food": [[1, 1, 4], [4, 4, 1]]}
    for levels in (True, False):
        batch = started(Foraging(sight=2, observation="grid", observe_agent_levels=levels), [level])
        own = 2 if levels else 1
        for row, other in ((0, 2), (1, 3)):  # rows of the first player, columns of the second one
            players, food, free = np.zeros((3, 5, 5), int)
            players[2, 2] = own
            if other == 2:
                players[3, 4] = 1
            food[3 - row, 3] = 4
            free[2 - row :, 2:] = 1
            free[(players > 0) | (food > 0)] = 0
            assert batch.observations[0, 0].tolist() == [players.tolist(), food.tolist(), free.tolist()]
            step(batch, SOUTH, EAST)


def test_short_horizon_truncates():
    batch = started(Foraging(horizon=2), [{"players": [[0, 0, 1], [7, 7, 1]], "food": [[3, 3, 1]]}])
    for over in (False, True):
        step(batch, NOOP, NOOP)
        assert batch.truncations[0].tolist() == [over] * 2 and not batch.terminations.any()


def test_spawns_keep_apart():
    """A few episodes: each cell holds one thing, and all levels between the limits occur."""
    batch = kit.started(Foraging(size=5, players=3, food=2, max_player_level=2), 16)
    levels = [batch.world.get_level(batch.record(i)) for i in range(batch.num)]
    for level, s in zip(levels, batch.records):
        cells = {(row, column) for row, column, _ in [*level["players"], *level["food"]]}
        assert len(cells) == 3 + len(level["food"]) and not s["visits"].any()
        assert len(level["food"]) == 1 or np.ptp([one[:2] for one in level["food"]], axis=0).max() > 1
        assert all(one[2] <= sum(player[2] for player in level["players"]) for one in level["food"])
    assert {one[2] for level in levels for one in level["players"]} == {1, 2}
    assert {row for level in levels for row, *_ in level["players"]} == set(range(5))
    assert {row for level in levels for row, *_ in level["food"]} == {1, 2, 3}
    given = kit.started(Foraging(size=5, food=1, min_food_level=2, max_food_level=4), 12)
    assert {int(s["food_level"][0]) for s in given.records} == {2, 3, 4}
    lowest = kit.started(Foraging(size=5, players=3, food=1, max_player_level=2, force_coop=True), 4)
    for s in lowest.records:
        assert s["food_level"].tolist() == [s["level"].sum()]


def test_rewards_by_hand():
    """Levels 1 and 2 load food of level 3, and food of level 4 is left: each gets 3 times its share, divided by 7."""
    level = {"players": [[3, 2, 1], [3, 4, 2]], "food": [[3, 3, 3], [6, 6, 4]]}
    for normalize, expected in ((True, [1 / 7, 2 / 7]), (False, [3.0, 6.0])):
        batch = started(Foraging(penalty=0.5, normalize_reward=normalize), [level])
        step(batch, LOAD, NOOP)
        assert batch.rewards.tolist() == [[-0.5, 0]] and batch.records["left"][0] == 2
        step(batch, LOAD, LOAD)
        assert batch.rewards[0].tolist() == pytest.approx(expected) and batch.records["left"][0] == 1
        assert batch.masks[0].tolist() == [[1, 1, 1, 1, 1, 0]] * 2


# Spawns.


def spawned(count, **parameters):
    """Start levels, ours and the reference's."""
    from foraging_reference import Reference

    world = Foraging(**parameters)
    batch = kit.started(world, count)
    reference = Reference(world)
    theirs = []
    for k in range(count):
        reference.start(seed=k)
        theirs.append(reference.level())
    return [world.get_level(batch.record(i)) for i in range(count)], theirs


def same_distribution(ours, theirs, feature, minimum=5):
    """Whether a feature of levels has the same frequencies, by chi-squared; rare values are pooled."""
    values = [feature(level) for level in ours], [feature(level) for level in theirs]
    table = np.array([[side.count(value) for value in sorted(set(values[0] + values[1]))] for side in values])
    common = table.sum(axis=0) >= 2 * minimum
    rare = table[:, ~common].sum(axis=1, keepdims=True)
    table = np.hstack([table[:, common], rare]) if rare.sum() >= 2 * minimum else table[:, common]
    return table.shape[1] == 1 or chi2_contingency(table, correction=False).pvalue > 0.001


@pytest.mark.slow
def test_spawns_follow_the_reference():
    ours, theirs = spawned(2000, size=6, players=6, food=3, max_player_level=[1, 1, 1, 1, 2, 4])
    assert {len(level["food"]) for level in ours} == {2, 3}  # there is not always room for three
    features = {
        "first player": lambda level: tuple(level["players"][0][:2]),
        "where the last is from the first": lambda level: tuple(
            np.subtract(level["players"][5][:2], level["players"][0][:2])
        ),
        "food": lambda level: tuple(tuple(one[:2]) for one in level["food"]),
        "food and a player": lambda level: (tuple(level["food"][0][:2]), tuple(level["players"][1][:2])),
        "pieces": lambda level: len(level["food"]),
        "levels of players": lambda level: tuple(one[2] for one in level["players"]),
        "levels": lambda level: (min(one[2] for one in level["players"]), level["food"][-1][2]),
    }
    for name, feature in features.items():
        assert same_distribution(ours, theirs, feature), name
    cells = [row * 6 + column for level in ours for row, column, _ in level["players"]]
    assert chisquare(np.bincount(cells, minlength=36)).pvalue > 0.001


def test_spawns_by_the_rules():
    for parameters in (dict(), dict(size=9, players=4, food=5, max_player_level=4, force_coop=True)):
        ours, theirs = spawned(400, **parameters)
        for level in [*ours, *theirs]:
            food = [one[:2] for one in level["food"]]
            for k, (row, column) in enumerate(food):
                assert 0 < row < parameters.get("size", 8) - 1 and 0 < column < parameters.get("size", 8) - 1
                for other in food[:k]:
                    down, right = abs(other[0] - row), abs(other[1] - column)
                    assert max(down, right) > 1 and (min(down, right) > 0 or max(down, right) > 2)
            cells = [tuple(one[:2]) for one in [*level["players"], *level["food"]]]
            assert len(set(cells)) == len(cells)
            if parameters:
                lowest = sum(sorted(one[2] for one in level["players"])[:3])
                assert {one[2] for one in level["food"]} == {lowest}
        assert same_distribution(ours, theirs, lambda level: len(level["food"]))
        assert same_distribution(ours, theirs, lambda level: level["food"][0][2])


def test_lists_of_levels_are_dealt_out():
    parameters = dict(players=3, size=6, min_player_level=[1, 3, 5], max_player_level=[1, 3, 5])
    ours, theirs = spawned(600, min_food_level=[1, 4], max_food_level=[2, 4], **parameters)
    assert {tuple(sorted(one[2] for one in level["players"])) for level in ours} == {(1, 3, 5)}
    assert same_distribution(ours, theirs, lambda level: tuple(one[2] for one in level["players"]))
    assert same_distribution(ours, theirs, lambda level: tuple(one[2] for one in level["food"]))
    assert len({tuple(one[2] for one in level["players"]) for level in ours}) == 6


# Levels and parameters.


def test_levels():
    world = Foraging()
    level = {"players": [[0, 0, 1], [7, 7, 2]], "food": [[1, 3, 4], [6, 2, 1]]}
    batch = started(world, [level])
    assert world.get_level(batch.record()) == level
    state = world.state(batch.records, batch.observations)
    assert state.tolist() == [[[1, 3, 4], [6, 2, 1], [0, 0, 1], [7, 7, 2]]]
    assert world.state_space().contains(state[0])
    for wrong, message in (
        ({"players": [[0, 0, 1]]}, "players must be 2 lists of 3 integers"),
        ({"food": [[1, 1, 1], [3, 3, 1], [5, 5, 1]]}, "food must be a list of at most 2 entries"),
        ({"food": [[0, 3, 1]]}, r"food\[0\]\[0\]=0 must be an integer from 1 to 6"),
        ({"players": [[0, 8, 1], [1, 1, 1]]}, r"players\[0\]\[1\]=8 must be an integer from 0 to 7"),
        ({"players": [[0, 0, 1], [1, 1, 3]]}, r"players\[1\]\[2\]=3 must be an integer from 1 to 2"),
        ({"food": [[1, 3, 5]]}, r"food\[0\]\[2\]=5 must be an integer from 1 to 4"),
        ({"players": [[0, 0, 1], [0, 0, 1]]}, "two things are at row 0, column 0"),
        ({"players": [[0, 0, 1], [1, 3, 1]]}, "two things are at row 1, column 3"),
        ({"players": "ab"}, "players must be 2 lists of 3 integers"),
    ):
        with pytest.raises(LevelError, match=message):
            batch.set_level(0, {**level, **wrong})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (dict(players=25, size=5), "25 players do not fit"),
        (dict(min_player_level=3), "min_player_level is 3 where max_player_level is 2"),
        (dict(min_food_level=[1, 4], max_food_level=3), "min_food_level is 4 where max_food_level is 3"),
        (dict(min_food_level=3), "may be 2"),
        (dict(max_player_level=[1, 2, 3]), "or 2 of them"),
        (dict(max_player_level=0), "1 to 127"),
        (dict(max_player_level=100), "level 200"),
        (dict(sight=0), "from 1 to 64"),
    ],
)
def test_parameters_that_do_not_fit(parameters, message):
    with pytest.raises(ParameterError, match=message):
        Foraging(**parameters)


def test_information():
    assert Foraging().information == Foraging(sight=7).information == "perfect"
    assert Foraging(sight=6).information == Foraging(observe_agent_levels=False).information == "imperfect"


def test_flattened_observation_is_the_references():
    from foraging_reference import Reference

    env = envsuite.make_parallel(ID)
    observations, _ = env.reset(seed=3)
    world = env.unwrapped.world
    reference = Reference(world)
    reference.reset(seed=0)
    reference.take(world.get_level(env.unwrapped.batch.record()))
    theirs = reference.test_make_gym_obs()
    for a, agent in enumerate(world.agents):
        flat = spaces.flatten(world.observation_spaces[a], observations[agent]["observation"])
        assert flat.tolist() == theirs[a].tolist()


def test_many_players():
    world = Foraging(players=1024, size=64, food=200, sight=3, observation="grid")
    batch = kit.started(world)
    rng = np.random.default_rng(0)
    for _ in range(20):
        batch.step((batch.masks * rng.random(batch.masks.shape)).argmax(axis=2))
    s = batch.records[0]
    places = np.zeros((64, 64), int)
    np.maximum.at(places, (s["row"], s["column"]), 1)
    field = np.zeros((64, 64), int)
    np.add.at(field, (s["food_row"], s["food_column"]), s["food_level"])
    padded = np.pad(np.stack([places, field, (places == 0) & (field == 0)]), ((0, 0), (3, 3), (3, 3)))
    for a in range(1024):
        window = padded[:, s["row"][a] : s["row"][a] + 7, s["column"][a] : s["column"][a] + 7]
        assert ((batch.observations[0, a, 0] > 0) == window[0]).all()
        assert (batch.observations[0, a, 1:] == window[1:]).all()


# Baselines.


@pytest.fixture
def heuristics(monkeypatch):
    """The reference's H1 to H4, file by file: its package of agents needs pandas and a module with a different name."""
    import lbforaging
    from lbforaging.foraging import environment

    folder = Path(lbforaging.__file__).parent / "agents"
    monkeypatch.setitem(sys.modules, "foraging", lbforaging.foraging)
    monkeypatch.setitem(sys.modules, "foraging.environment", environment)
    monkeypatch.setitem(sys.modules, "lbforaging.agents", types.ModuleType("lbforaging.agents"))
    for name in ("agent", "heuristic_agent"):
        spec = importlib.util.spec_from_file_location(f"lbforaging.agents.{name}", folder / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
    monkeypatch.setattr(module, "random", types.SimpleNamespace(choice=lambda actions: None))
    return {name: getattr(module, name.upper()) for name in ("h1", "h2", "h3", "h4")}


@pytest.mark.parametrize("name", ["default", "team"])
def test_heuristics_choose_as_the_reference(heuristics, name):
    """Only where the reference does not choose at random."""
    from foraging_reference import Reference

    parameters, games = dict(CASES[name][0], observe_agent_levels=True), 40
    world = build(ID, parameters)
    players = len(world.agents)
    policies = {heuristic: make_policy(heuristic, world) for heuristic in heuristics}
    for policy in policies.values():
        policy.reset(0, games)
    references = [Reference(world) for _ in range(games)]
    for k, reference in enumerate(references):
        reference.start(seed=k)
    batch = started(world, [one.level() for one in references])
    same = dict.fromkeys(heuristics, 0)
    rng = np.random.default_rng(0)
    for _ in range(12):
        chosen = {
            h: policy.act_batch(batch.observations, batch.masks, range(players)) for h, policy in policies.items()
        }
        running = ~batch.finished
        for i in np.flatnonzero(running):
            for a, player in enumerate(references[i].players):
                observation = references[i]._make_obs(player)
                for heuristic, kind in heuristics.items():
                    action = kind(player)._step(observation)
                    assert batch.masks[i, a, chosen[heuristic][i, a]]
                    if action is not None:
                        assert chosen[heuristic][i, a] == action.value
                        same[heuristic] += 1
        pick = rng.integers(0, 4, batch.actions.shape)
        batch.actions[:] = np.choose(pick, [chosen[h] for h in heuristics])
        actions = batch.actions.copy()
        batch.step(where=running)
        for i in np.flatnonzero(running):
            references[i].step(actions[i])
    assert min(same.values()) > 100


def returns(name, count=256, **parameters):
    """The sum of the players' returns, mean and standard error."""
    world = build(ID, parameters)
    batch = kit.started(world, count)
    kit.finish(batch, name)
    total = batch.records["score"].sum(axis=1)
    return total.mean(), total.std(ddof=1) / np.sqrt(count)


@pytest.mark.slow
def test_baselines():
    assert returns("team")[0] > 0.99 and returns("team", force_coop=True)[0] > 0.99
    assert 0.5 < returns("h1")[0] < 0.67
    assert returns("h4", force_coop=True)[0] > 10 * returns("random", force_coop=True)[0]
    assert returns("team", sight=2)[0] > returns("h4", sight=2)[0] + 0.05


@pytest.mark.slow
def test_team_reads_grids():
    parameters = dict(size=6, players=3, food=2, sight=2)
    for name in ("h4", "team"):
        means, errors = zip(*(returns(name, observation=form, **parameters) for form in ("vector", "grid")))
        assert abs(means[0] - means[1]) < 5 * np.hypot(*errors) and min(means) > 0.3


# Texts and pictures.


def test_text_and_scene():
    world = Foraging(sight=2)
    batch = started(world, [{"players": [[1, 1, 2], [3, 4, 1]], "food": [[2, 1, 3], [5, 5, 1]]}])
    text = world.text(batch.record(), 0)
    assert "Your level is 2." in text and "Food: level 3 1 south." in text and "need levels of 3" in text
    # At the top left, others are seen at larger distances than food (see the page): three columns with a sight of two.
    assert "player_1 of level 1 2 south 3 east" in text and "whole grid" not in text
    assert "Others: none in view" in world.text(batch.record(), 1)
    labels = [shape.text for shape in world.scene(batch.record()).shapes if isinstance(shape, Label)]
    assert {"50 steps left", "2 of 2 food left", "3", "0.00"} <= set(labels)
    seen = [shape.text for shape in world.scene(batch.record(), 1).shapes if isinstance(shape, Label)]
    assert "3" not in seen and "player 0" not in seen and "you" in seen
    pictures = [draw(world.scene(batch.record(), agent)) for agent in (None, 0, 1)]
    assert all(picture.std() > 10 for picture in pictures)
    assert world.click(batch.record(), 0, 1.9, 2.9) == LOAD  # on the food below
    assert world.click(batch.record(), 0, 1.9, 0.9) == NORTH and world.click(batch.record(), 0, 1.9, 1.9) == NOOP
    assert world.click(batch.record(), 0, 5.5, 5.5) is None
    assert ACTIONS[LOAD] == "load"
