"""CleanUp: its maps, each rule by a probe, its chances by their frequencies, and who lives off whom."""

import numpy as np
import pytest
from avatar_play import cell, codes, hall, put, started, where
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError
from envsuite.evaluation.schelling import schelling
from envsuite.generators import describe, generate_many, mutate
from envsuite.generators.river import HEIGHT, WIDTH
from envsuite.kit.avatars import FLOOR
from envsuite.social.clean_up import APPLE, BARE, DIRT, RIVER, CleanUp

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ZAP, CLEAN = range(9)
EAST, SOUTH, WEST, NORTH = range(4)


def room(a=(), w=(), **things):
    """A level of one bare hall, with starts in its lowest row, a site and a clean cell of the river in a corner."""
    return hall(WIDTH, HEIGHT, "s" * 10, a=[(WIDTH - 2, 1), *a], w=[(WIDTH - 3, 1), *w], **things)


def quiet(**parameters):
    return CleanUp(**{"players": 2, "growth": 0.0, "pollution": 0.0, "end_probability": 0.0, **parameters})


@pytest.mark.slow
def test_maps():
    """The census of Melting Pot's map, as specified: 147 cells that can be dirty, 79 that are, 122 sites, 30 x 21."""
    levels = generate_many("river", 300, seed=0)
    assert len({tuple(level["map"]) for level in levels}) == 300
    for level in levels:
        facts = describe(level)
        assert facts["size"] == [21, 30] and facts["solvable"]
        assert (facts["river"], facts["dirty"], facts["sites"]) == (147, 79, 122)
        columns = ["".join(column) for column in zip(*level["map"])][1:-1]
        for depths in (
            [column.count("w") + column.count("d") for column in columns],
            [column.count("a") for column in columns],
        ):
            assert np.abs(np.diff(depths)).max() <= 1 and 3 <= min(depths) and max(depths) <= 7
        assert sum(column.count("s") for column in columns) == 18
        changed = mutate(level, seed=1)
        assert changed != level and describe(changed)["dirty"] == 79
    depths = np.array([[column.count("a") for column in zip(*level["map"])] for level in levels])
    assert depths.std(axis=0)[1:-1].min() > 0.3  # the banks move


def test_cleaning_beam():
    """Three rays of three cells; each cleans its first dirt, behind which nothing is reached; walls stop it."""
    dirt = [(5, 4), (5, 3), (4, 4), (6, 5), (6, 3), (5, 8), (8, 5), (7, 5)]
    batch = started(quiet(), 1, room(d=dirt))
    put(batch, 0, 5, 5, NORTH)
    put(batch, 1, 20, 15, NORTH)
    batch.step([CLEAN, NOOP])
    left = {(int(x), int(y)) for y, x in np.argwhere(codes(batch) == DIRT)}
    assert left == {(5, 3), (6, 3), (5, 8), (8, 5), (7, 5)}
    assert batch.observations["cleaners"][0].tolist() == [[0], [1]]
    assert int(batch.records["dirty"][0]) == 5
    batch.step([CLEAN, NOOP])
    batch.step([CLEAN, NOOP])  # it cools down for two steps
    assert (codes(batch) == DIRT).sum() == 5 and not batch.observations["cleaners"].any()
    batch.step([CLEAN, NOOP])
    left = {(int(x), int(y)) for y, x in np.argwhere(codes(batch) == DIRT)}
    assert left == {(5, 8), (8, 5), (7, 5)}


def test_cleaning_goes_through_agents_and_reaches_what_they_stand_on():
    batch = started(quiet(), 1, room(d=[(5, 3), (5, 2)]))
    put(batch, 0, 5, 5, NORTH)
    put(batch, 1, 5, 4, SOUTH)
    batch.step([CLEAN, NOOP])
    assert codes(batch)[3, 5] == RIVER and batch.records["away"][0].tolist() == [0, 0]
    put(batch, 1, 5, 2, NORTH)
    put(batch, 0, 5, 4, NORTH)
    batch.step([NOOP, NOOP])
    batch.step([NOOP, NOOP])
    batch.step([CLEAN, NOOP])
    assert batch.records["under"][0, 1] == RIVER and int(batch.records["dirty"][0]) == 0
    batch.step([NOOP, FORWARD])
    assert codes(batch)[2, 5] == RIVER


def test_zap():
    """10 steps until it is ready again, and 50 observations away, as Melting Pot's configuration has it."""
    batch = started(quiet(), 1, room())
    put(batch, 0, 5, 5, NORTH)
    put(batch, 1, 5, 3, SOUTH)
    batch.step([ZAP, NOOP])
    assert batch.records["hit"][0].tolist() == [0, 0] and batch.records["away"][0, 1] == 51
    assert not batch.observations["view"][0, 1].any() and codes(batch)[3, 5] == FLOOR
    assert batch.observations["ready"][0, 0, 0] == 0.0
    for k in range(1, 11):
        batch.step([NOOP, FORWARD])
        assert batch.observations["ready"][0, 0, 0] == pytest.approx(k / 10)
    for _ in range(11, 51):
        assert not batch.observations["view"][0, 1].any()
        batch.step([NOOP, FORWARD])
    assert not batch.observations["view"][0, 1].any()
    batch.step([NOOP, FORWARD])
    assert batch.observations["view"][0, 1].any()
    x, y = where(batch, 1)
    assert y == HEIGHT - 2 and 1 <= x <= 10


@pytest.mark.parametrize("dirty", [0, 10, 30, 39, 40, 60])
@pytest.mark.mostly_slow
def test_growth(dirty):
    """With 100 cells of river, every empty site grows an apple with probability .05 (1 - d / .4)."""
    wet = [(x, y) for y in range(1, 5) for x in range(1, 26)]
    sites = [(x, y) for y in range(8, 13) for x in range(2, 22)]
    level = room(d=wet[:dirty], w=wet[dirty:], a=sites)
    level[1] = level[1][: WIDTH - 3] + "..#"  # neither the spare site nor the spare river
    batch = started(CleanUp(players=2, pollution=0.0, end_probability=0.0), 300, level)
    assert (batch.records["dirty"] == dirty).all() and (batch.records["wet_count"] == 100).all()
    empty = new = 0
    for _ in range(5):
        before = batch.world.state(batch.records, None)
        batch.step([NOOP, NOOP])
        now = batch.world.state(batch.records, None)
        empty += (before == BARE).sum()
        new += ((before == BARE) & (now == APPLE)).sum()
        assert ((now != APPLE) | (before == APPLE) | (before == BARE)).all()
    chance = max(0.0, 0.05 * (1 - dirty / 100 / 0.4))
    if chance:
        assert stats.binomtest(int(new), int(empty), chance).pvalue > 1e-4
    else:
        assert new == 0


def test_pollution():
    """From step 51 on, one clean cell gets dirty with probability one half a step; each is as likely as the others."""
    batch = started(CleanUp(players=2, growth=0.0, end_probability=0.0), 400)
    before = batch.records["dirty"].copy()
    assert (before == 79).all()
    for _ in range(50):
        batch.step([NOOP, NOOP])
    assert (batch.records["dirty"] == 79).all()
    clean = batch.world.state(batch.records, None) == RIVER
    order = np.cumsum(clean.reshape(400, -1), axis=1).reshape(clean.shape)
    for _ in range(40):
        batch.step([NOOP, NOOP])
    new = (batch.records["dirty"] - 79).sum()
    assert stats.binomtest(int(new), 400 * 40).pvalue > 1e-4
    spoiled = clean & (batch.world.state(batch.records, None) == DIRT)
    assert spoiled.sum() == new
    ranks = order[spoiled] * 10 // 69  # of the 68 cells that were clean
    assert stats.chisquare(np.bincount(ranks, minlength=10)[:10]).pvalue > 1e-6


def test_eating():
    batch = started(quiet(), 1, room(a=[(6, 5)]))
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 20, 15, NORTH)
    batch.records["cells"][0, cell(batch, 6, 5)] = APPLE
    batch.step([FORWARD, NOOP])
    assert batch.rewards[0].tolist() == [1, 0] and batch.records["under"][0, 0] == BARE
    batch.step([FORWARD, NOOP])
    assert batch.rewards[0].tolist() == [0, 0] and codes(batch)[5, 6] == BARE
    eater = started(quiet(growth=1.0), 1, room(a=[(6, 5)]))
    put(eater, 0, 6, 5, EAST)
    eater.step([NOOP, NOOP])
    assert eater.rewards[0].tolist() == [1, 0]  # what grows under an agent


def test_levels():
    env = envsuite.make_parallel("CleanUp")
    for rows, message in (
        ([row.replace("s", ".") for row in room()], "0 places to start"),
        ([row.replace("w", ".") for row in room()], "clean cells"),
        (room()[:-1], "21 strings of 30"),
        (room(x=[(4, 4)]), "letter 'x'"),
    ):
        with pytest.raises(LevelError, match=message):
            env.reset(seed=0, options={"level": {"map": rows}})


@pytest.mark.slow
def test_random_play():
    """Melting Pot's random play: 0.0 in 8 episodes of 1000 steps."""
    envs = envsuite.make_vec("CleanUp", 64, end_probability=0.0, horizon=1000)
    envs.reset(seed=0)
    totals = envs.rollout("random", 1000, seed=0)
    assert totals.rewards.sum() / 64 < 1.0


@pytest.mark.slow
def test_who_lives_off_whom():
    """Nobody eats unless some clean, those who clean get nothing, and taking turns pays all; free riding pays more."""
    diagram = schelling("CleanUp", "cleaner", "free_rider", num_envs=32, end_probability=0.0, steps=600, players=4)
    assert diagram.defector[0] == 0 and diagram.temptation[1] > 0 and (diagram.temptation[2:] > 50).all()
    assert (diagram.cooperator < 2).all()
    envs = envsuite.make_vec("CleanUp", 8, end_probability=0.0, horizon=1000)

    def returns(**others):
        envs.reset(seed=0)
        return envs.rollout({f"player_{a}": others.get(f"player_{a}", "alternator") for a in range(7)}, 1000).returns

    peace = returns()
    assert peace.min() > 100
    assert returns(player_6="free_rider")[6] > 1.2 * peace[6]
    riders = {f"player_{a}": "free_rider" for a in range(1, 7)}
    assert returns(player_0="reciprocator", **riders)[0] >= returns(player_0="cleaner", **riders)[0]


def test_text_and_picture():
    env = envsuite.make_aec("CleanUp", players=2)
    env.reset(seed=0)
    text = env.text("player_0")
    assert "Others who just cleaned: 0." in text and "Dirty river: " in text and "Beams: none in view." in text
    assert len(env.scene().shapes) > 300
