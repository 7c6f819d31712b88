"""AllelopathicHarvest: its maps, rules by probes, ripening and fading by their frequencies, and who lives off whom.

Rules and numbers: Melting Pot 2, `allelopathic_harvest__open`, its components and the common graduated sanctions.
"""

import numpy as np
import pytest
from avatar_play import cell, put, random_play, started, where
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError
from envsuite.evaluation.schelling import schelling
from envsuite.generators import describe, generate_many, mutate
from envsuite.kit.avatars import FLOOR, LIT, SELF, wrap
from envsuite.social.allelopathic_harvest import COLORED, PLAIN, RIPE, UNRIPE, UNSEEN, AllelopathicHarvest
from envsuite.social.allelopathic_harvest.levels import HEIGHT, WIDTH

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ZAP, PLANT_RED, PLANT_GREEN, PLANT_BLUE = range(
    11
)
EAST, SOUTH, WEST, NORTH = range(4)
RED, GREEN, BLUE = range(3)


def field(**berries):
    """A level with berries only at these places, by their letters."""
    rows = [["s"] * WIDTH for _ in range(HEIGHT)]
    for letter, places in berries.items():
        for x, y in places:
            rows[y][x] = letter
    return ["".join(row) for row in rows]


def probe(num=1, ripening=0.0, **berries):
    """Worlds of four agents, where nothing ripens; two and three are out of the way."""
    batch = started(AllelopathicHarvest(players=4, ripening=ripening), num, field(**berries))
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 20, 20, EAST)
    put(batch, 2, 3, 28, EAST)
    put(batch, 3, 6, 28, EAST)
    return batch


def act(batch, first=NOOP, second=NOOP):
    batch.step([first, second, NOOP, NOOP])


def code(batch, x, y):
    return int(batch.records["cells"][0, cell(batch, x, y)]) & (LIT - 1)


def counts(batch):
    return batch.records["count"][0].tolist()


def ripe(batch, x, y, color):
    """Let a berry be ripe in every world."""
    batch.records["cells"][:, cell(batch, x, y)] = RIPE + color


@pytest.mark.slow
def test_maps():
    """The census of Melting Pot's map: 116 berries of each colour and 522 starts on 29 x 30, no walls."""
    levels = generate_many("berries", 200, seed=0)
    assert len({tuple(level["map"]) for level in levels}) == 200
    here = np.zeros((HEIGHT, WIDTH))
    for level in levels:
        facts = describe(level)
        assert facts["size"] == [30, 29] and facts["solvable"] and facts["difficulty"] == 0.666667
        assert (facts["red"], facts["green"], facts["blue"]) == (116, 116, 116)
        assert sum(row.count("s") for row in level["map"]) == 522
        changed = mutate(level, seed=1)
        assert changed != level and describe(changed) == facts
        here += np.array([[letter != "s" for letter in row] for row in level["map"]])
    # Anywhere alike: the expected count of each cell is 200 * 0.4, its variance 200 * 0.4 * 0.6.
    assert stats.chi2.sf(((here - 80) ** 2 / 48).sum(), HEIGHT * WIDTH - 1) > 1e-4
    assert describe({"kind": "berries", "map": field(g=[(1, 1), (2, 1)], r=[(3, 1)])})["difficulty"] == 0.333333
    walled = [row[:14] + "#" + row[15:] for row in field(g=[(1, 1)])]
    assert describe({"kind": "berries", "map": walled})["solvable"]  # around the torus
    closed = [row[0].replace("s", "#") + row[1:] for row in walled]
    assert not describe({"kind": "berries", "map": closed})["solvable"]


def test_planting_beam():
    """Three cells straight ahead, to the first berry; colours change, of unripe ones only."""
    beside = [(5, 4), (5, 6), (6, 4), (6, 6), (4, 5), (9, 5)]
    batch = probe(r=[(7, 5), (8, 5), *beside])
    assert counts(batch) == [8, 0, 0]
    act(batch, PLANT_BLUE)
    assert code(batch, 7, 5) == UNRIPE + BLUE and counts(batch) == [7, 0, 1] and not batch.rewards.any()
    assert [code(batch, *at) for at in [(8, 5), *beside]] == [UNRIPE + RED] * 7
    lit = [bool(batch.records["cells"][0, cell(batch, x, 5)] & LIT) for x in range(4, 10)]
    assert lit == [False, False, True, False, False, False]
    assert batch.observations["colors"][0, 0].tolist() == [COLORED + BLUE, UNSEEN, UNSEEN, UNSEEN]
    act(batch)
    act(batch, PLANT_GREEN)  # the first in the way, whichever its colour
    assert code(batch, 7, 5) == UNRIPE + GREEN and code(batch, 8, 5) == UNRIPE + RED
    ripe(batch, 7, 5, GREEN)
    act(batch)
    act(batch, PLANT_RED)  # a ripe berry stops the beam and stays as it is
    assert code(batch, 7, 5) == RIPE + GREEN and code(batch, 8, 5) == UNRIPE + RED
    assert batch.observations["colors"][0, 0, 0] == COLORED + GREEN
    put(batch, 0, 12, 12, WEST)
    act(batch)
    act(batch, PLANT_GREEN)
    assert code(batch, 9, 5) == UNRIPE + RED  # in another row


@pytest.mark.parametrize("distance, reached", [(3, True), (4, False)])
def test_how_far_a_planting_beam_reaches(distance, reached):
    """On a torus also from one side to the other."""
    for x, facing, there in ((27, EAST, 27 + distance - WIDTH), (1, WEST, 1 - distance + WIDTH)):
        batch = probe(g=[(there, 5)])
        put(batch, 0, x, 5, facing)
        act(batch, PLANT_RED)
        assert code(batch, there, 5) == UNRIPE + (RED if reached else GREEN)
    batch = probe(g=[(5, 1 - distance + HEIGHT)])
    put(batch, 0, 5, 1, NORTH)
    act(batch, PLANT_RED)
    assert code(batch, 5, 1 - distance + HEIGHT) == UNRIPE + (RED if reached else GREEN)


def test_planting_on_the_same_colour_shows_none():
    batch = probe(r=[(7, 5)])
    act(batch, PLANT_RED)
    assert batch.records["shown"][0, 0] == PLAIN and counts(batch) == [1, 0, 0]


def test_agents_stop_planting_beams_and_shield_nothing():
    batch = probe(r=[(6, 5), (7, 5)])
    put(batch, 1, 6, 5, NORTH)
    act(batch, PLANT_GREEN)
    assert batch.records["under"][0, 1] == UNRIPE + GREEN and code(batch, 7, 5) == UNRIPE + RED
    act(batch, NOOP, FORWARD)
    assert code(batch, 6, 5) == UNRIPE + GREEN
    batch = probe(r=[(7, 5)])
    put(batch, 1, 6, 5, NORTH)
    act(batch, PLANT_GREEN)
    assert code(batch, 7, 5) == UNRIPE + RED


def test_planting_at_every_second_step():
    batch = probe(r=[(7, 5)])
    seen = []
    for k in range(6):
        act(batch, PLANT_GREEN + k // 2 % 2)  # green, green, blue, blue, green, green
        seen.append(code(batch, 7, 5) - UNRIPE)
    assert seen == [GREEN, GREEN, BLUE, BLUE, GREEN, GREEN]
    act(batch)
    act(batch, PLANT_RED)
    act(batch, PLANT_BLUE)
    assert code(batch, 7, 5) == UNRIPE + RED


def test_a_berry_changes_once_in_a_step():
    """Of two who plant the same berry in the same step, a random one does; the other is too late."""
    batch = probe(400, r=[(7, 5)])
    put(batch, 1, 9, 5, WEST)
    act(batch, PLANT_GREEN, PLANT_BLUE)
    count = batch.records["count"]
    assert (count.sum(axis=1) == 1).all() and not count[:, RED].any()
    assert stats.binomtest(int(count[:, GREEN].sum()), 400).pvalue > 1e-4
    shown = batch.records["shown"][:, :2]
    assert ((shown == PLAIN).sum(axis=1) == 1).all()


def test_eating():
    """2 for the favourite colour, red for the first half and green for the others, else 1; it grows anew."""
    batch = probe(r=[(6, 5), (20, 19)], g=[(7, 5)], b=[(8, 5)])
    assert batch.observations["taste"][0].tolist() == [RED, RED, GREEN, GREEN]
    for x, color in ((6, RED), (7, GREEN), (8, BLUE)):
        ripe(batch, x, 5, color)
        act(batch, FORWARD)
        assert batch.rewards[0].tolist() == [2 if color == RED else 1, 0, 0, 0]
        assert batch.records["under"][0, 0] == UNRIPE + color
    act(batch, FORWARD, STEP_LEFT)  # an unripe one is no food
    assert not batch.rewards.any() and where(batch, 1) == (20, 19)
    put(batch, 2, 5, 5, EAST)
    ripe(batch, 6, 5, RED)
    ripe(batch, 7, 5, GREEN)
    rewards = []
    for _ in range(2):
        batch.step([NOOP, NOOP, FORWARD, NOOP])
        rewards.append(batch.rewards[0, 2])
    assert rewards == [1, 2]
    assert counts(batch) == [2, 1, 1]
    alike = AllelopathicHarvest(players=4, tastes="red")
    assert started(alike, 1).observations["taste"].tolist() == [[RED] * 4]


def test_what_was_just_eaten_cannot_be_planted():
    batch = probe(r=[(6, 5)])
    put(batch, 1, 8, 5, WEST)
    ripe(batch, 6, 5, RED)
    act(batch, FORWARD, PLANT_BLUE)
    assert batch.rewards[0, 0] == 2 and batch.records["under"][0, 0] == UNRIPE + RED
    act(batch)
    act(batch, NOOP, PLANT_BLUE)
    assert batch.records["under"][0, 0] == UNRIPE + BLUE


@pytest.mark.parametrize("others", [0, 1, 3])
def test_eaters_lose_their_colour(others):
    """With the probability that a random berry is not of the most frequent colour."""
    batch = probe(400, r=[(6, 5)], g=[(15 + k, 9) for k in range(others)])
    batch.records["shown"][:, 0] = COLORED + BLUE
    ripe(batch, 6, 5, RED)
    act(batch, FORWARD)
    faded = int((batch.records["shown"][:, 0] == PLAIN).sum())
    chance = 1 - max(1, others) / (1 + others)
    assert faded == 0 if chance == 0 else stats.binomtest(faded, 400, chance).pvalue > 1e-4
    assert (batch.records["shown"][batch.records["shown"][:, 0] != PLAIN, 0] == COLORED + BLUE).all()


def test_ripening():
    """An unripe berry ripens with probability rate * (berries of its colour), ripe ones included, after a delay."""
    places = [(x, y) for y in range(10, 18) for x in range(20)]
    batch = probe(150, ripening=0.0004, r=places[:100], g=places[100:140], b=places[140:])
    n = np.array([100, 40, 20])
    ripened, tried = np.zeros(3, int), np.zeros(3, int)
    for t in range(1, 41):
        before = batch.world.state(batch.records, None)
        act(batch)
        now = batch.world.state(batch.records, None)
        for color in range(3):
            new = (now == RIPE + color) & (before == UNRIPE + color)
            if t < 10:  # the reference counts ten updates down, and looks at the last
                assert not new.any()
            ripened[color] += new.sum()
            tried[color] += (before == UNRIPE + color).sum() if t >= 10 else 0
        assert ((now == before) | (now == before + 3)).all()
    for color in range(3):
        assert stats.binomtest(int(ripened[color]), int(tried[color]), 0.0004 * n[color]).pvalue > 1e-4
    # Each cell alike.
    each = (now == RIPE + RED).sum(axis=0)[10:15].ravel()[np.arange(145) % 29 < 20]
    assert stats.chisquare(each).pvalue > 1e-4


def test_ripening_by_the_shares_of_colours():
    """With the parameters as they are, 0.000005 sum(n_c u_c) berries a step: three times as many if all are alike."""
    inside = [(x, y) for y in range(12) for x in range(29)]
    assert len(inside) == 348
    found = []
    for shares in ((116, 116, 116), (174, 174, 0), (348, 0, 0)):
        red, green, blue = (inside[: shares[0]], inside[shares[0] : sum(shares[:2])], inside[sum(shares[:2]) :])
        batch = started(AllelopathicHarvest(players=4), 100, field(r=red, g=green, b=blue))
        for a in range(4):
            put(batch, a, 5 + a, 20, NORTH)
        expected = 0.0
        for t in range(1, 60):
            if t >= 10:
                grid = batch.world.state(batch.records, None)
                expected += 5e-6 * sum(n * (grid == UNRIPE + k).sum() for k, n in enumerate(shares))
            act(batch)
        grid = batch.world.state(batch.records, None)
        ripened = int((grid >= RIPE).sum())
        assert abs(ripened - expected) < 4 * expected**0.5
        assert expected / (100 * 50) == pytest.approx(5e-6 * sum(n * n for n in shares), rel=0.05)  # some are ripe
        found.append(ripened)
    assert 2.6 < found[2] / found[0] < 3.4 and 1.3 < found[1] / found[0] < 1.7


def test_a_berry_needs_ten_steps():
    """From the start, after it was eaten and after it was planted: by certain chance it is ripe at the tenth."""
    batch = probe(r=[(7, 5)])
    batch.records["params"]["ripening"], batch.records["gap"] = 1.0, 0
    for t in range(1, 11):
        act(batch)
        assert code(batch, 7, 5) == (RIPE if t == 10 else UNRIPE) + RED
    put(batch, 0, 6, 5, EAST)
    rewards = []
    for _ in range(22):
        act(batch, FORWARD if len(rewards) == 0 else NOOP)
        rewards.append(batch.rewards[0, 0])
    assert np.flatnonzero(rewards).tolist() == [0, 10, 20]
    batch = probe(r=[(7, 5)])
    batch.records["params"]["ripening"], batch.records["gap"] = 1.0, 0
    for t in range(13):
        act(batch, PLANT_GREEN if t == 2 else NOOP)
        assert code(batch, 7, 5) == (RIPE if t == 12 else UNRIPE) + (GREEN if t >= 2 else RED)


def test_ripening_under_an_agent():
    """It is eaten at once."""
    batch = probe(300, ripening=0.001, g=[(5, 5)], r=[(x, y) for x in range(20) for y in range(8, 18)])
    batch.records["due"][:, cell(batch, 5, 5)] = 0
    total = 0
    for _ in range(30):
        act(batch)
        eaten = batch.rewards[:, 0] > 0
        assert (batch.rewards[eaten, 0] == 1).all()
        assert (batch.records["under"][:, 0] == UNRIPE + GREEN).all()
        total += eaten.sum()
    assert stats.poisson.sf(total - 1, 300 * 30 * 0.001) > 1e-4 and total > 0


def test_first_hit_freezes_and_marks():
    """No walking, turning and zapping in the 24 steps after it (25 updates in the reference); planting goes on."""
    batch = probe(r=[(10, 9)])
    put(batch, 1, 8, 5, NORTH)
    act(batch, ZAP)
    assert not batch.rewards.any() and batch.records["frozen"][0, 1]
    assert batch.world.text(batch.record(), 1).startswith("You are frozen, 24 more turns; then your beam cools down.")
    assert batch.observations["marks"][0, 0].tolist() == [0, 1, 0, 0] == batch.observations["marks"][0, 1].tolist()
    for k in range(24):
        act(batch, NOOP, (FORWARD, TURN_LEFT, ZAP)[k % 3])
        assert where(batch, 1) == (8, 5) and batch.records["facing"][0, 1] == NORTH
        assert batch.observations["ready"][0, 1, 0] == 0 and batch.records["marked"][0, 0] == 0
    act(batch, NOOP, FORWARD)
    assert where(batch, 1) == (8, 4)
    lit = []
    assert batch.world.text(batch.record(), 1).startswith("Your beam cools down, 4 more turns.")
    for _ in range(5):
        act(batch, NOOP, ZAP)
        lit.append(bool((batch.world.state(batch.records, None) >= LIT).any()))
    assert lit == [False] * 4 + [True]  # the beam cools down from the end of it on
    batch = probe(r=[(8, 3)])
    put(batch, 1, 8, 5, NORTH)
    act(batch, ZAP)
    act(batch, NOOP, PLANT_GREEN)
    assert code(batch, 8, 3) == UNRIPE + GREEN


def test_zapping_footprint_and_cooldown():
    """Three cells ahead and, one to each side, three from beside the shooter; four steps between two beams."""
    batch = probe()
    act(batch, ZAP)
    lit = batch.world.state(batch.records, None)[0] >= LIT
    assert sorted(zip(*np.nonzero(lit.T))) == sorted(
        [(x, y) for x in (5, 6, 7) for y in (4, 6)] + [(6, 5), (7, 5), (8, 5)]
    )
    lit = []
    for _ in range(5):
        act(batch, ZAP)
        lit.append(bool((batch.world.state(batch.records, None) >= LIT).any()))
    assert lit == [False] * 4 + [True]


@pytest.mark.parametrize("delay, out", [(5, True), (49, True), (50, False)])
def test_second_hit_while_marked(delay, out):
    """-10 and out, 49 steps after the first hit at the latest: the mark decays at the fiftieth."""
    batch = probe(r=[(10, 9)])
    put(batch, 1, 8, 5, NORTH)
    batch.records["shown"][0, 1] = COLORED + RED
    for t in range(delay + 1):
        act(batch, ZAP if t in (0, delay) else NOOP)
    assert batch.rewards[0].tolist() == [0, -10 if out else 0, 0, 0]
    assert where(batch, 1) == (8, 5) and batch.observations["view"][0, 1].any()  # still to be seen
    absent = 0
    for _ in range(40):
        act(batch, NOOP, FORWARD)
        away = not batch.observations["view"][0, 1].any()
        assert away == (not batch.observations["colors"][0, 1].any())
        if absent and not away:
            break
        absent += away
    # Gone at the next step; there it counts 25 frames from the one after, and returns at the end of the next.
    assert absent == (26 if out else 0)
    assert batch.records["shown"][0, 1] == (PLAIN if out else COLORED + RED)
    assert bool(batch.records["marked"][0, 1]) != out


def test_two_at_once():
    """Two hits in one step are a first and a second."""
    batch = probe()
    put(batch, 1, 7, 5, NORTH)
    put(batch, 2, 9, 5, WEST)
    batch.step([ZAP, NOOP, ZAP, NOOP])
    assert batch.rewards[0].tolist() == [0, -10, 0, 0]


def test_views_and_moves_around_the_torus():
    batch = probe(r=[(0, 5), (28, 5), (2, 29)])
    put(batch, 0, 28, 5, EAST)
    put(batch, 1, 3, 5, NORTH)
    act(batch)
    view = batch.observations["view"][0, 0]
    assert view[9, 5] == SELF and view[8, 5] == UNRIPE + RED and view[5, 5] == 8 + 4 + 3  # facing to the left
    assert batch.observations["colors"][0, 0].tolist() == [PLAIN, PLAIN, UNSEEN, UNSEEN]
    above = batch.observations["view"][0, 1]
    assert above[3, 4] == UNRIPE + RED and (above != 0).all()
    for x in (0, 1):
        act(batch, FORWARD)
        assert where(batch, 0) == (x, 5)
    for y in (4, 3, 2, 1, 0, 29, 28):
        act(batch, NOOP, FORWARD)
        assert where(batch, 1) == (3, y) if y > 28 else True
    assert where(batch, 1) == (3, 29)  # another agent is in the way


def test_random_play():
    """Melting Pot's random play: -153.8 +- 22.3 in all, 8 episodes of 1000 steps; by role -7.8 and -11.4 each."""
    mean, error = random_play("AllelopathicHarvest", 64)
    assert abs(mean + 153.8) < 3 * np.hypot(22.3, error)


def test_who_lives_off_whom():
    """Each planter is worth more to the others than it costs; but whoever leaves it to them gets more."""
    options = dict(tastes="red", players=4, horizon=2000)
    diagram = schelling("AllelopathicHarvest", "red", "free_rider", num_envs=2, steps=1500, **options)
    assert diagram.is_dilemma and (diagram.temptation[1:] > 20).all() and diagram.temptation[0] < 0
    assert (np.diff(diagram.cooperator) > 0).all() and (np.diff(diagram.defector) > 0).all()


@pytest.mark.slow
def test_which_colour():
    """Any one colour beats many, and pays those who like it twice; without agreement hardly more than no planting."""
    envs = envsuite.make_vec("AllelopathicHarvest", 8, horizon=1000)
    returns = {}
    for name in ("red", "green", "favourite", "conformist", "enforcer", "free_rider"):
        envs.reset(seed=0)
        returns[name] = envs.rollout(name, 1000, seed=0).returns
    halves = {name: (found[:8].mean(), found[8:].mean()) for name, found in returns.items()}
    for name, better, worse in (("red", 0, 1), ("green", 1, 0)):
        assert 1.7 < halves[name][better] / halves[name][worse] < 2.3
    total = {name: found.sum() for name, found in returns.items()}
    assert min(total["red"], total["green"]) > total["conformist"] > 2 * total["favourite"] > 2 * total["free_rider"]
    assert total["enforcer"] < total["favourite"]


def test_levels_text_and_picture():
    env = envsuite.make_aec("AllelopathicHarvest", players=4)
    with pytest.raises(LevelError, match="0 places to start"):
        env.reset(seed=0, options={"level": {"map": [row.replace("s", "r") for row in field()]}})
    with pytest.raises(LevelError, match="30 texts of 29"):
        env.reset(seed=0, options={"level": {"map": field()[:-1]}})
    batch = probe(r=[(7, 5)])
    ripe(batch, 7, 5, RED)
    put(batch, 1, 6, 6, NORTH)
    batch.records["shown"][0, 1] = COLORED + BLUE
    wrap(batch.record())
    text = batch.world.text(batch.record(), 0)
    assert "Ripe red berries: 2 ahead." in text and "You like red berries best. You show no color." in text
    assert "player_1 1 ahead 1 right, facing to your left" in text and "Colors that others show: player_1 blue." in text
    env.reset(seed=0)
    assert len(env.scene().shapes) > 348
    assert FLOOR in env.state()


@pytest.mark.parametrize("freeze, recovery, cooldown", [(3, 6, 2), (5, 9, 6)])
def test_spans_are_parameters(freeze, recovery, cooldown):
    """The first hit freezes and marks for these numbers of steps, the hit included; beams cool down."""
    world = AllelopathicHarvest(
        players=4, ripening=0.0, freeze=freeze, recovery=recovery, zap_cooldown=cooldown, plant_cooldown=cooldown
    )

    def alone():
        batch = started(world, 1, field(r=[(8, 5)]))
        for a, (x, y) in enumerate([(5, 5), (20, 20), (3, 28), (6, 28)]):
            put(batch, a, x, y, EAST)
        return batch

    for action, span in ((ZAP, cooldown + 1), (PLANT_GREEN, cooldown)):
        batch, fired = alone(), []
        for _ in range(3 * cooldown):
            act(batch, action)
            fired.append(bool((batch.world.state(batch.records, None) >= LIT).any()))
        assert np.flatnonzero(fired)[:2].tolist() == [0, span]
    batch = alone()
    put(batch, 1, 7, 5, NORTH)
    act(batch, ZAP)
    for k in range(1, recovery + 1):
        assert batch.observations["marks"][0, 1, 1] == (k < recovery)
        act(batch, NOOP, FORWARD)
        assert (where(batch, 1) == (7, 5)) == (k < freeze)


@pytest.mark.parametrize("away", [0, 3, 8])
def test_time_away_is_a_parameter(away):
    batch = started(AllelopathicHarvest(players=4, ripening=0.0, zap_away=away, zap_cooldown=1), 1, field(r=[(9, 9)]))
    for a, (x, y) in enumerate([(5, 5), (8, 5), (3, 28), (6, 28)]):
        put(batch, a, x, y, EAST)
    absent = []
    for t in range(away + 8):
        act(batch, ZAP if t in (0, 2) else NOOP)
        absent.append(not batch.observations["view"][0, 1].any())
    assert sum(absent) == away + 1


@pytest.mark.parametrize("delay", [0, 4])
def test_ripening_delay_is_a_parameter(delay):
    batch = started(AllelopathicHarvest(players=4, ripening_delay=delay), 1, field(r=[(7, 5)]))
    for a in range(4):
        put(batch, a, 3 + 3 * a, 28, EAST)
    batch.records["params"]["ripening"], batch.records["gap"] = 1.0, 0
    for t in range(1, delay + 3):
        assert code(batch, 7, 5) == (RIPE if t > max(delay, 1) else UNRIPE) + RED
        act(batch)
