"""PredatorPrey: its maps, each rule by a probe, stamina in lock-step with a copy of Melting Pot's, random play."""

import random

import numpy as np
import pytest
from avatar_play import cell, codes, hall, lit, put, random_play, started, where
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError, ParameterError
from envsuite.generators import describe, generate_many, mutate
from envsuite.gridworlds.predator_prey import (
    ACORN,
    APPLE,
    ARMS_UP,
    CARRIES,
    EATS,
    GRASS,
    HIDES,
    MEAL,
    MOST,
    PredatorPrey,
)
from envsuite.gridworlds.predator_prey.levels import HEIGHT, WIDTH
from envsuite.kit.avatars import FLOOR, PLAYER

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, INTERACT = range(8)
EAST, SOUTH, WEST, NORTH = range(4)
STARTS = [(x, 17) for x in range(12, 22)]


def meadow(**things):
    """A level of one bare hall; predators start at the left of the lowest row and prey at its right, on floor."""
    return hall(WIDTH, HEIGHT, "p" * 10, **{"f": STARTS, **things})


def bare(predators=(), prey=(), num=1, apples=(), acorns=(), grass=(), wall=(), **parameters):
    """A hall with these agents, each (x, y, facing). Nothing grows unless parameters say so."""
    parameters = {"apple_rate": 0.0, "acorn_rate": 0.0, **parameters}
    world = PredatorPrey(predators=max(1, len(predators)), prey=max(1, len(prey)), **parameters)
    batch = started(world, num, meadow(a=apples, o=acorns, g=grass, wall=wall))
    for a, (x, y, facing) in [*enumerate(predators), *enumerate(prey, max(1, len(predators)))]:
        put(batch, a, x, y, facing)
    return batch


def act(batch, *actions):
    batch.step(actions + (NOOP,) * (len(batch.world.agents) - len(actions)))


def values(batch, name):
    return batch.records[name][0].tolist()


def test_maps():
    """The census of Melting Pot's maps: 161 sites and 10 acorns in the open, 23 x 19; no apples in the forest."""
    for form, apples, acorns, lairs in (("open", 151, 10, 42), ("forest", 0, 12, 78)):
        levels = generate_many("hunting_grounds", 12, seed=0, form=form)
        assert len({tuple(level["map"]) for level in levels}) == 12
        for level in levels:
            facts = describe(level)
            assert facts["solvable"] and (facts["apples"], facts["acorns"]) == (apples, acorns)
            letters = "".join(level["map"])
            assert lairs - 6 <= letters.count("p") <= lairs and letters.count("s") + letters.count("f") in (42, 30)
            changed = mutate(level, seed=1)
            assert changed != level and sorted("".join(changed["map"])) == sorted(letters)


def test_open_maps():
    """The page of the maps: a field of 161 sites in 9 rows, whose edges are ragged, between strips of tall grass."""
    levels, grass = generate_many("hunting_grounds", 8, seed=1, form="open"), np.zeros(19)
    for level in levels:
        rows = ["".join(row[1:-1]) for row in level["map"]]
        assert rows[1] == rows[17] == "s" * 21 and rows[4] == rows[14] == "p" * 21
        for row in rows[5:14]:  # at most five cells are missing at each end, and none inside
            inner = row.strip(".")
            assert set(inner) <= set("ao") and all(len(end) <= 5 for end in row.split(inner))
        assert sum(map(len, rows[5:14])) - sum(row.count(".") for row in rows[5:14]) == 161
        assert set(rows[2] + rows[3] + rows[15] + rows[16]) == set("g.")
        grass += [row.count("g") for row in rows]
    share = grass / (21 * len(levels))  # 0.8 in the inner row of a strip, and 0.2 beyond it
    assert abs(share[[2, 16]] - 0.8).max() < 0.13 and abs(share[[3, 15]] - 0.2).max() < 0.13


def test_forest_maps():
    """The page of the maps: rows of predators, each with an acorn in each third; a clearing around an acorn; forest."""
    levels, grass, columns = generate_many("hunting_grounds", 12, seed=1, form="forest"), 0, set()
    clearing = {(x, y) for y in range(7, 12) for x in range(8, 15)} - {(x, y) for y in (7, 11) for x in (8, 14)}
    for level in levels:
        rows = level["map"]
        assert set(rows[2][1:-1] + rows[16][1:-1]) == {"p"}
        for row in (rows[1], rows[17]):
            assert all(sorted(row[k : k + 7]) == sorted("opppppp") for k in (1, 8, 15))
        assert rows[9][11] == "o" and all(rows[y][x] == "f" for x, y in clearing - {(11, 9)})
        forest = [(x, rows[y][x]) for y in range(3, 16) for x in range(1, 22) if (x, y) not in clearing]
        assert sorted({letter for _, letter in forest}) == [".", "g", "o"]
        columns |= {x for x, letter in forest if letter == "o"}
        grass += sum(letter == "g" for _, letter in forest)
    assert columns >= {1, 2, 20, 21}
    assert abs(grass / (12 * len(forest)) - 0.13) < 4 * (0.13 * 0.87 / (12 * len(forest))) ** 0.5


class Stamina:
    """The parts of Melting Pot's Avatar and Stamina that matter here, statement by statement (commit 81ee2e7)."""

    def __init__(self, freezes):
        self.value, self.freezes = 18, freezes  # at red, yellow, green and invisible
        self.last_action, self.frozen_frames, self.freeze_counter, self.allowed = None, 0, 0, True

    def frame(self, action):
        """One frame with an action: whether the avatar could move in it."""
        if self.freeze_counter == 1:  # Avatar:_handleTimedFreeze
            self.allowed = True
        self.freeze_counter = max(self.freeze_counter - 1, 0)
        if self.frozen_frames > 0:  # applyStamina, priority 200
            self.frozen_frames -= 1
        elif self.last_action == "costly":
            frames = self.freezes[0 if self.value < 1 else 1 if self.value < 7 else 2]
            if frames > 0:
                self.allowed, self.freeze_counter, self.frozen_frames = False, frames, frames
        moves = self.allowed  # priority 150
        if self.frozen_frames == 0:  # updateStamina, priority 4
            if action != NOOP:
                self.value, self.last_action = max(self.value - 1, 0), "costly"
            else:
                self.value, self.last_action = min(self.value + 1, 18), "not_costly"
        return moves

    def catch(self):
        self.allowed, self.freeze_counter = False, 5  # disallowMovementUntil(5)


def test_stamina_in_lock_step():
    batch = bare([(6, 9, NORTH)], [(16, 9, NORTH)])
    copies = [Stamina((6, 1, 0)), Stamina((4, 2, 1))]
    chance = random.Random(1)
    for k in range(150):
        rest = 0.05 if k % 75 < 50 else 0.8
        actions = [NOOP if chance.random() < rest else chance.choice((TURN_LEFT, FORWARD, INTERACT)) for _ in copies]
        before = [(where(batch, a), int(batch.records["facing"][0, a])) for a in range(2)]
        act(batch, *actions)
        for a, copy in enumerate(copies):
            moves = copy.frame(actions[a])
            assert batch.records["stamina"][0, a] == copy.value == batch.observations["stamina"][0, a, a]
            changed = before[a] != (where(batch, a), int(batch.records["facing"][0, a]))
            assert changed <= moves and (changed == moves or actions[a] != TURN_LEFT)
        for a, x in enumerate((6, 16)):
            put(batch, a, x, 9, int(batch.records["facing"][0, a]))
    assert min(copy.value for copy in copies) < 18


@pytest.mark.parametrize("agent, freezes", [(0, (6, 1, 0)), (1, (4, 2, 1))])
def test_what_acts_cost(agent, freezes):
    """The table of the page: an act costs 1 and freezes for these steps at a stamina of 0, up to 6 and from 7 on."""
    before = np.array([0, 1, 2, 7, 8, 18])
    batch = bare([(6, 9, NORTH)], [(16, 9, NORTH)], num=len(before))
    batch.records["stamina"][:, agent] = before
    acts = [NOOP, NOOP]
    acts[agent] = TURN_LEFT
    act(batch, *acts)
    after = np.maximum(before - 1, 0)
    assert (batch.records["stamina"][:, agent] == after).all()
    frozen = np.zeros(len(before), int)
    for k in range(7):
        facing = batch.records["facing"][:, agent].copy()
        act(batch, *acts)
        stands = batch.records["facing"][:, agent] == facing
        first = stands & (frozen == k)  # nobody moved since the first act
        frozen += first
        assert (batch.records["stamina"][first, agent] == after[first]).all()
    assert frozen.tolist() == np.choose(np.digitize(after, (1, 7)), freezes).tolist()


def test_rest_restores_stamina():
    """1 for each `noop`, up to 18."""
    before = np.array([[0, 6], [12, 13], [16, 17]])
    batch = bare([(6, 9, NORTH)], [(16, 9, NORTH)], num=len(before))
    batch.records["stamina"][:] = before
    for k in (1, 2, 3):
        act(batch)
        assert (batch.records["stamina"] == np.minimum(before + k, MOST)).all()


def test_apples_are_for_prey():
    batch = bare([(5, 5, EAST)], [(5, 8, EAST)], apples=[(6, 5), (6, 8)])
    act(batch, FORWARD, FORWARD)
    assert batch.rewards[0].tolist() == [0, 1] and values(batch, "under") == [APPLE, FLOOR]
    assert batch.records["empty_count"][0] == 1 and batch.records["empty"][0, 0] == cell(batch, 6, 8)


def test_food_that_grows_under_prey_is_taken():
    """Lab2D calls `onEnter` for the pieces of a cell when one of them changes its state."""
    batch = bare([(5, 5, EAST)], [(5, 8, EAST)], apples=[(6, 5), (6, 8)], apple_rate=1.0)
    act(batch, FORWARD, FORWARD)
    act(batch)
    act(batch)
    assert batch.rewards[0].tolist() == [0, 1] and codes(batch)[8, 6] != APPLE


def test_acorns():
    """6 in the 11th, 16th and 21st step after the act, which needs a stamina of 13; no walking for 26 steps."""
    batch = bare([(2, 2, EAST)], [(5, 8, EAST)], acorns=[(6, 8), (7, 8)])
    act(batch, NOOP, FORWARD)
    assert values(batch, "carries") == [0, 1] and batch.observations["doing"][0, 1, 1] == CARRIES
    act(batch)
    act(batch, NOOP, FORWARD)
    assert where(batch, 1) == (7, 8) and values(batch, "under")[1] == ACORN  # the second one stays
    batch.records["stamina"][:, 1] = 12
    for _ in range(7):
        act(batch, NOOP, INTERACT)
        batch.records["stamina"][:, 1] = 12
        assert values(batch, "meal")[1] == 0
    batch.records["stamina"][:, 1] = 13
    batch.records["tired"][:, 1] = batch.records["cooldown"][:, 1] = 0
    act(batch, NOOP, INTERACT)
    assert values(batch, "meal")[1] == MEAL and values(batch, "carries")[1] == 1  # with free hands it took the other
    assert batch.observations["doing"][0, 1, 1] == CARRIES + EATS
    paid = []
    for k in range(1, 26):
        act(batch, NOOP, FORWARD)
        paid += [k] if batch.rewards[0, 1] == 6 else []
        assert where(batch, 1) == (7, 8) and batch.rewards[0, 1] in (0, 6)
    assert paid == [11, 16, 21] and values(batch, "meal")[1] == 1
    batch.records["tired"][:, 1] = batch.records["still"][:, 1] = batch.records["acted"][:, 1] = 0
    act(batch, NOOP, FORWARD)
    assert where(batch, 1) == (8, 8) and values(batch, "meal")[1] == 0


def test_walking_meals_of_the_reference():
    batch = bare([(2, 2, EAST)], [(5, 8, EAST)], compat="reference")
    batch.records["carries"][:, 1] = 1
    act(batch, NOOP, INTERACT)
    act(batch)
    act(batch, NOOP, FORWARD)
    assert where(batch, 1) == (6, 8) and 0 < values(batch, "meal")[1] < MEAL


def test_cooldown_of_prey():
    """Also an act without an acorn starts it: the sixth step after it is the next that can have an effect."""
    batch = bare([(2, 2, EAST)], [(5, 8, EAST)])
    act(batch, NOOP, INTERACT)
    batch.records["carries"][:, 1] = 1
    for _ in range(5):
        batch.records["stamina"][:, 1] = MOST
        act(batch, NOOP, INTERACT)
        assert values(batch, "meal")[1] == 0
    batch.records["stamina"][:, 1] = MOST
    act(batch, NOOP, INTERACT)
    assert values(batch, "meal")[1] == MEAL


@pytest.mark.parametrize(
    ("others", "predators", "caught"),
    [
        ([], 1, True),
        ([(9, 5)], 1, False),  # at distance 3, of 2 prey
        ([(9, 6)], 1, True),  # at distance 3.16
        ([(8, 7)], 1, False),  # at distance 2.83
        ([(9, 5)], 2, True),
        ([(9, 5), (6, 8)], 2, False),
    ],
)
def test_numbers(others, predators, caught):
    """Prey are caught if there are at most as many prey as predators within distance 3 of them."""
    hunters = [(5, 5, EAST), (4, 5, EAST)][:predators]
    batch = bare(hunters, [(6, 5, NORTH), *((x, y, NORTH) for x, y in others)])
    act(batch, INTERACT)
    victim = predators
    assert batch.rewards[0].tolist() == [float(caught), *[0] * (predators - 1 + 1 + len(others))]
    assert (batch.records["away"][0, victim] > 0) == caught and lit(batch) == {(6, 5)}
    near = [victim, *(predators + 1 + k for k, (x, y) in enumerate(others) if (x - 6) ** 2 + (y - 5) ** 2 <= 9)]
    arms = [a for a in range(len(batch.world.agents)) if batch.records["arms"][0, a]]
    assert arms == ([] if caught else near)


def test_who_counts():
    """Neither red agents nor prey that eat; prey that begin to eat in this step count, the victim itself as others."""
    spots = [(6, 5, NORTH), (7, 5, NORTH), (2, 12, EAST)]
    for name, value, agent, caught in (
        ("stamina", 0, 2, True),
        ("meal", 20, 2, True),
        ("meal", MEAL, 2, True),  # it began in the step before
        ("stamina", 0, 0, False),
        ("stamina", 0, 1, True),
        ("meal", 20, 1, True),
        ("stamina", 1, 2, False),
    ):
        batch = bare([(5, 5, EAST)], spots)
        batch.records[name][:, agent] = value
        batch.records["tired"][:] = 2  # nobody recovers
        act(batch, INTERACT)
        assert (batch.records["away"][0, 1] > 0) == caught, (name, value, agent)
    batch = bare([(5, 5, EAST)], spots)
    batch.records["carries"][:, 2] = 1
    act(batch, INTERACT, NOOP, INTERACT)
    assert values(batch, "meal")[2] == MEAL and batch.records["away"][0, 1] == 0


def test_raised_arms_come_down():
    """They are seen five times, and prevent eating in the five steps after the bite."""
    batch = bare([(5, 5, EAST)], [(6, 5, NORTH), (7, 5, NORTH)])
    batch.records["carries"][:, 1] = 1
    act(batch, INTERACT)
    for _ in range(5):
        assert batch.observations["doing"][0, 1, 1] == CARRIES + ARMS_UP
        batch.records["cooldown"][:] = 0
        act(batch, NOOP, INTERACT)
        batch.records["stamina"][:] = MOST
        assert values(batch, "meal")[1] == 0
    assert batch.observations["doing"][0, 1, 1] == CARRIES
    batch.records["cooldown"][:] = 0
    act(batch, NOOP, INTERACT)
    assert values(batch, "meal")[1] == MEAL


def test_after_a_catch():
    """The predator stands for four steps and bites in each of them; a catch starts this again."""
    batch = bare([(5, 5, EAST)], [(6, 5, NORTH), (6, 10, NORTH)])
    act(batch, INTERACT)
    for _ in range(3):
        act(batch, STEP_LEFT)
        assert where(batch, 0) == (5, 5) and lit(batch) == {(6, 5)} and not batch.rewards.any()
    put(batch, 2, 6, 5, NORTH)
    act(batch, NOOP)
    assert batch.rewards[0].tolist() == [1, 0, 0] and batch.records["away"][0, 2] > 0
    for _ in range(4):
        act(batch, STEP_LEFT)
        assert where(batch, 0) == (5, 5) and lit(batch) == {(6, 5)}
    act(batch, STEP_LEFT)
    assert where(batch, 0) == (5, 4) and lit(batch) == set()


def test_a_freeze_replaces_a_stand():
    """As in the copy of Melting Pot's code: a yellow predator is free two steps after its catch."""
    batch, copy = bare([(5, 5, EAST)], [(6, 5, NORTH)]), Stamina((6, 1, 0))
    batch.records["stamina"][:, 0] = copy.value = 5
    act(batch, INTERACT)
    copy.frame(INTERACT)
    copy.catch()
    for _ in range(8):
        before = int(batch.records["facing"][0, 0])
        act(batch, TURN_LEFT)
        assert copy.frame(TURN_LEFT) == (batch.records["facing"][0, 0] != before)
        assert copy.value == batch.records["stamina"][0, 0]


def test_two_predators_catch_the_same_prey():
    batch = bare([(5, 5, EAST), (7, 5, WEST)], [(6, 5, NORTH)])
    act(batch, INTERACT, INTERACT)
    assert batch.rewards[0].tolist() == [1, 1, 0]


def test_rivals():
    """A bite at a predator catches it, whatever the numbers, for 4 stamina more; both can catch each other."""
    batch = bare([(5, 5, EAST), (6, 5, WEST)], [(6, 8, NORTH)])
    act(batch, INTERACT)
    assert not batch.rewards.any() and values(batch, "away")[:2] == [0, 201] and values(batch, "stamina")[0] == 13
    for stamina in (1, 5, 6):  # the bite costs 1, as each act, and 4
        batch = bare([(5, 5, EAST), (6, 5, WEST)], [(6, 8, NORTH)])
        batch.records["stamina"][:, 0] = stamina
        act(batch, INTERACT)
        assert values(batch, "away")[:2] == [0, 201] and values(batch, "stamina")[0] == max(stamina - 5, 0)
    batch = bare([(5, 5, EAST), (6, 5, WEST)], [(6, 8, NORTH)])
    act(batch, INTERACT, INTERACT)
    assert (batch.records["away"][0, :2] == 201).all()


def test_a_random_one_gets_the_cell():
    """Two prey walk onto one apple: the one that moves first eats it, and the other stays where it is."""
    batch = bare([(2, 2, EAST)], [(5, 8, EAST), (7, 8, WEST)], num=9, apples=[(6, 8)])
    act(batch, NOOP, FORWARD, FORWARD)
    first = [where(batch, 1, i) == (6, 8) for i in range(9)]
    assert batch.rewards[:, 1].tolist() == first and batch.rewards[:, 2].tolist() == [not one for one in first]
    assert all(where(batch, 2, i) == ((7, 8) if one else (6, 8)) for i, one in enumerate(first))
    assert 0 < sum(first) < 9


def test_tall_grass():
    """Prey enter it, predators do not, but they bite into its first cell."""
    batch = bare([(5, 5, EAST)], [(8, 5, WEST)], grass=[(6, 5), (7, 5)])
    act(batch, FORWARD, FORWARD)
    assert where(batch, 0) == (5, 5) and where(batch, 1) == (7, 5)
    assert batch.observations["doing"][0, 1, 1] == HIDES and batch.records["under"][0, 1] == GRASS
    act(batch, INTERACT)
    assert batch.records["away"][0, 1] == 0
    act(batch, NOOP, FORWARD)
    act(batch, INTERACT)
    assert batch.rewards[0].tolist() == [1, 0] and codes(batch)[5, 6] == GRASS


def test_away_and_back():
    """As Melting Pot's 200 frames: 201 observations without a view, then a rested agent on a start of its kind."""
    for victim in (1, 2):
        batch = bare([(5, 5, EAST), (9, 9, EAST)], [(15, 9, EAST)], respawn=4)
        put(batch, victim, 6, 5, NORTH)
        batch.records["carries"][:, 2] = 1
        act(batch, INTERACT)
        for _ in range(5):
            assert (
                not batch.observations["view"][0, victim].any() and not batch.observations["stamina"][0, victim].any()
            )
            act(batch, *[INTERACT if a == victim else NOOP for a in range(3)])
        assert batch.observations["view"][0, victim].any() and values(batch, "stamina")[victim] == MOST
        assert (where(batch, victim) in STARTS) == (victim == 2) and where(batch, victim)[1] == 17
        assert values(batch, "carries") == [0, 0, int(victim == 1)]


def test_sight():
    """Stamina and deeds of agents in view, up to 13 of others; nothing of those out of view."""
    batch = bare([(5, 12, NORTH)], [(5, 8, NORTH), (5, 14, NORTH)])
    batch.records["carries"][:, 1:] = 1
    batch.observe()
    assert batch.observations["stamina"][0].tolist() == [[18, 13, 0], [0, 18, 0], [13, 13, 18]]
    assert batch.observations["doing"][0].tolist() == [[0, 1, 0], [0, 1, 0], [0, 1, 1]]
    assert batch.observations["predators"][0].tolist() == [[1, 0, 0]] * 3
    assert batch.observations["view"][0, 0, 5, 5] == PLAYER + 4


@pytest.mark.slow
def test_growth():
    """Empty sites grow with probability 0.007 or 0.01 a step, from the step after they were emptied on."""
    for rate, letter in ((0.007, "a"), (0.01, "o")):
        places = [(x, y) for x in range(3, 20) for y in range(3, 9)]
        world = PredatorPrey(predators=1, prey=1)
        batch = started(world, 100, meadow(**{letter: places}))
        for s in batch.records:
            cells = [cell(batch, *at) for at in places]
            s["cells"][cells], s["empty"][: len(cells)], s["empty_count"] = FLOOR, cells, len(cells)
        empty = grown = 0
        for _ in range(40):
            before = batch.records["empty_count"].sum()
            act(batch)
            empty, grown = empty + before, grown + before - batch.records["empty_count"].sum()
        assert stats.binomtest(int(grown), int(empty), rate).pvalue > 1e-4


@pytest.mark.slow
def test_random_play():
    """Melting Pot's random play: 192.4 +- 15.3 in all, 8 episodes of 1000 steps; 185.1 +- 2.9 here on its map."""
    mean, error = random_play("PredatorPrey", 64, form="open")
    assert abs(mean - 192.4) < 3 * np.hypot(error, 15.3)
    assert abs(mean - 180.2) < 4 * error + 2


@pytest.mark.slow
def test_policies():
    """Hunters that count catch more than those that do not, and foragers that look out are caught less."""
    names = envsuite.make_parallel("PredatorPrey").possible_agents
    envs = envsuite.make_vec("PredatorPrey", 8)

    def returns(predators, prey):
        envs.reset(seed=0)
        seats = {name: predators if "predator" in name else prey for name in names}
        found = envs.rollout(seats, 1000, seed=0).returns
        return found[:3].mean(), found[3:].mean()

    plain, cunning = returns("greedy", "greedy"), returns("careful", "greedy")
    assert cunning[0] > 3 * plain[0] and cunning[1] < 0.8 * plain[1]
    watchful = returns("careful", "careful")
    assert watchful[0] < 0.6 * cunning[0] and watchful[1] > 1.3 * cunning[1]
    assert returns("random", "greedy")[1] > 5 * returns("random", "random")[1]


def test_levels_parameters_and_text():
    env = envsuite.make_parallel("PredatorPrey", predators=2, prey=3)
    for rows, message in (
        ([row.replace("p", ".") for row in meadow()], "0 starts of predators"),
        ([row.replace("f", ".") for row in meadow()], "0 starts of prey"),
        (meadow()[:-1], "19 texts of 23"),
        (["." + row[1:] for row in meadow()], "walls"),
    ):
        with pytest.raises(LevelError, match=message):
            env.reset(seed=0, options={"level": {"map": rows}})
    with pytest.raises(LevelError, match="unknown part"):
        describe({"kind": "hunting_grounds", "map": meadow(), "x": 1})
    with pytest.raises(ParameterError, match="17 agents; 16"):
        PredatorPrey(predators=7)
    env.reset(seed=0, options={"level": {"map": meadow(o=[(4, 4)])}})
    for a, at in enumerate([(5, 5, EAST), (9, 9, EAST), (6, 5, NORTH)]):
        put(env.batch, a, *at)
    env.batch.records["carries"][:, 2] = 1
    env.batch.observe()
    text = env.text("predator_0")
    assert "You are a predator" in text and "prey_0 stamina 13 or more, carries an acorn" in text
    env.step(dict(zip(env.agents, (INTERACT, *(NOOP,) * 4))))
    assert "You were caught" in env.text("prey_0") and "nobody in view" not in env.text("predator_0")
    assert len(env.scene().shapes) > 50


@pytest.mark.parametrize("radius, caught", [(2, True), (3, False)])
def test_radius_and_horizon_are_parameters(radius, caught):
    """Another prey 3 cells from the victim counts from a radius of 3 on."""
    batch = bare([(5, 5, EAST)], [(6, 5, NORTH), (9, 5, NORTH)], radius=radius, horizon=4)
    act(batch, INTERACT)
    assert (batch.records["away"][0, 1] > 0) == caught
    for t in range(2, 5):
        act(batch)
        assert batch.truncations.all() == (t == 4)
