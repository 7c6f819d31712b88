"""MiniGames against closed forms, a table of ticks by hand, and a second implementation in lock-step."""

import math
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.games.mini_games.fights import NAMES
from envsuite.registry import build

ID = "envsuite/MiniGames-v0"

started = partial(kit.started, ID)


def play(batch, *names):
    """Play actions by name; the reward of the last one."""
    for name in names:
        batch.step(np.array([[NAMES.index(name)]]))
    return batch.rewards[0, 0]


def fight(marines, others, game="DefeatRoaches", **params):
    return started(1, level={"marines": marines, "others": others}, map=game, **params)


def health(batch, *units):
    return [int(batch.records["health"][0, unit]) for unit in units]


# Closed forms.


def test_the_time_to_the_beacon():
    """A marine walks straight to the cell's center, 3.15 / 16 in a tick, until the beacon is 1.5 away."""
    rng, steps = np.random.default_rng(0), []
    for _ in range(25):
        start, beacon = rng.uniform(1, 23, 2), rng.uniform(1, 23, 2)
        if math.dist(start, beacon) < 4:
            continue
        column, row = (int(x // 1.5) for x in beacon)
        batch = started(1, level={"marines": [start.tolist()], "others": [["beacon", *beacon.tolist()]]})
        play(batch, "select all")
        goal = 1.5 * np.array([column, row]) + 0.75
        along = (goal - start) / math.dist(goal, start)
        middle = float((beacon - start) @ along)
        reach = middle - math.sqrt(1.5**2 - (math.dist(start, beacon) ** 2 - middle**2))
        ticks = math.ceil(reach / (3.15 / 16))
        for n in range(1, (ticks + 1) // 2 + 1):
            reward = play(batch, f"move {column} {row}")
            assert reward == (n == (ticks + 1) // 2)
        assert batch.records["renewals"][0] == 1
        steps.append(n)
    assert len(steps) > 15 and max(steps) > 40


def test_a_table_of_ticks():
    """By hand: a marine hits a roach for 6 - 1 in ticks 1, 11, 21, ...; the roach hits for 16 in ticks 1, 24, 47."""
    batch = fight([[4, 12]], [["roach", 8, 12]])
    marine, roach = 45, 145
    for n in range(1, 25):
        reward = play(batch, "noop")
        for tick in (2 * n - 1, 2 * n):
            roach -= 5 * (tick % 10 == 1)
            marine -= 16 * (tick in (1, 24, 47))
        assert health(batch, 0, 40) == [max(marine, 0), roach]
        assert reward == -(n == 24)
    assert roach == 120 and batch.terminations.all()
    assert batch.records["place"][0, 40].tolist() == [8, 12]


def test_without_control_nobody_sees_anybody():
    """The lines are 16 apart, and nobody sees further than 9."""
    for game in ("DefeatRoaches", "DefeatZerglingsAndBanelings"):
        batch = started(1, map=game, seconds=5)
        before = batch.records["place"][0].copy()
        for _ in range(40):
            assert play(batch, "noop") == 0
        assert (batch.records["place"][0] == before).all() and batch.truncations.all()


# A second implementation, with complex numbers and objects.

TABLE = {  # health, armour, damage, range, speed, cooldown, sight, radius
    1: (45, 0, 6, 5, 3.15, 10, 9, 0.375),
    2: (145, 1, 16, 4, 3.15, 23, 9, 0.625),
    3: (35, 0, 5, 0.1, 4.13, 8, 8, 0.375),
    4: (30, 0, None, 0.25, 3.5, 0, 8, 0.375),
}
ORDERS = ("idle", "move", "attack", "hunt", "hold")
PRIZE = {2: 10, 3: 5, 4: 5}


class Unit:
    def __init__(self, number, ours, kind, at, life):
        self.number, self.ours, self.kind, self.at, self.life = number, ours, kind, at, life
        self.wait, self.order, self.target, self.chosen = 0, ("idle",), None, False

    def numbers(self):
        return TABLE[self.kind]

    def reaches(self, other):
        return abs(self.at - other.at) <= self.numbers()[3] + self.numbers()[7] + other.numbers()[7]


class Game:
    """Units that live, and things to collect: [number, kind, place]."""

    def __init__(self, record, places):
        self.places, self.fog = places, "fog" in record.dtype.names
        self.side, self.screen = (48 if self.fog else 24), 0
        self.load(record)

    def load(self, record):
        """Take over a state."""
        self.units, self.things = [], []
        for k, kind in enumerate(record["kind"].tolist()):
            at = complex(*record["place"][k])
            if 1 <= kind <= 4:
                unit = Unit(k, k < self.places, kind, at, int(record["health"][k]))
                unit.chosen, unit.wait = bool(record["selected"][k]), int(record["cool"][k])
                name = ORDERS[record["order"][k]]
                unit.order = (name, complex(*record["goal"][k]), float(record["near"][k]))
                self.units.append(unit)
            elif kind:
                self.things.append([k, kind, at])
        numbers = {unit.number: unit for unit in self.units}
        for unit in self.units:
            unit.target = numbers.get(int(record["target"][unit.number]))
        if self.fog:
            self.screen = 1.5 * complex(*record["camera"].tolist())

    def sees(self, unit):
        return not self.fog or any(abs(marine.at - unit.at) <= 9 for marine in self.marines())

    def shows(self, at):
        return 0 <= (at - self.screen).real < 24 + (self.screen.real == 24) and (
            0 <= (at - self.screen).imag < 24 + (self.screen.imag == 24)
        )

    def marines(self):
        return [unit for unit in self.units if unit.ours]

    def act(self, name):
        ours = self.marines()
        verb, *words = name.split()
        if verb == "select":
            if words == ["all"]:
                chosen = ours
            elif words == ["next"]:
                last = max([unit.number for unit in ours if unit.chosen], default=-1)
                chosen = [*(unit for unit in ours if unit.number > last), *ours][:1]
            else:
                chosen = [
                    unit for unit in ours
                    if (words[0] == "south") == ((unit.at - self.screen).imag >= 12)
                    and (words[1] == "east") == ((unit.at - self.screen).real >= 12) and self.shows(unit.at)
                ]  # fmt: skip
            for unit in ours:
                unit.chosen = unit in chosen
            return
        if verb == "camera":
            x, y = (min(max(3 * int(word) + 1.5, 12), 36) - 12 for word in words)
            self.screen = complex(x - x % 1.5, y - y % 1.5)
            return
        chosen = [unit for unit in ours if unit.chosen]
        for unit in chosen if verb != "noop" else ():
            unit.target = None
            if verb == "hold":
                unit.order = ("hold",)
                continue
            corner = self.screen + 1.5 * complex(*map(int, words))
            middle = corner + 0.75 + 0.75j
            inside = [
                foe for foe in self.units
                if not foe.ours and 0 <= (foe.at - corner).real < 1.5 and 0 <= (foe.at - corner).imag < 1.5
                and self.sees(foe)
            ]  # fmt: skip
            unit.order = (verb, middle, 0.5 * math.sqrt(len(chosen) - 1))
            if verb == "attack" and inside:
                unit.order, unit.target = ("hunt",), min(inside, key=lambda foe: abs(foe.at - middle))

    def tick(self):
        blows, steps, reward = [], {}, 0
        for unit in self.units:
            foes = [other for other in self.units if other.ours != unit.ours]
            unit.wait = max(unit.wait - 1, 0)
            if unit.order[0] == "hunt" and unit.target not in foes:
                unit.order = ("idle",)
            if unit.order[0] == "move":
                unit.target = None
            elif unit.order[0] != "hunt" and not (unit.target in foes and unit.reaches(unit.target)):
                near = [foe for foe in foes if unit.reaches(foe)]
                if not near and unit.order[0] != "hold":
                    near = [foe for foe in foes if abs(foe.at - unit.at) <= unit.numbers()[6]]
                unit.target = min(near, key=lambda foe: abs(foe.at - unit.at), default=None)
            if unit.target and unit.wait == 0 and unit.reaches(unit.target):
                if unit.kind == 4:
                    blows.append((unit, 30))
                else:
                    blows.append((unit.target, unit.numbers()[2] - unit.target.numbers()[1]))
                    unit.wait = unit.numbers()[5]
        for unit in self.units:
            walks = unit.order[0] in ("move", "attack") and not unit.target
            to = unit.at
            if unit.target and not unit.reaches(unit.target):
                to = unit.target.at
            elif walks:
                to = unit.order[1]
            way, pace = to - unit.at, unit.numbers()[4] / 16
            steps[unit] = to if abs(way) <= pace + 1e-9 else unit.at + pace * way / abs(way)
            if walks and abs(to - steps[unit]) <= unit.order[2]:
                unit.order = ("idle",)
        for unit, at in steps.items():
            unit.at = at
        for unit, loss in blows:
            unit.life -= loss
        for bomb in [unit for unit in self.units if unit.kind == 4 and unit.life <= 0]:
            for marine in self.marines():
                marine.life -= 35 * (abs(marine.at - bomb.at) <= 2.2)
        for unit in list(self.units):
            if unit.life <= 0:
                self.units.remove(unit)
                reward += 1 if self.fog and unit.kind == 3 else PRIZE.get(unit.kind, -1)
        pushed = {}
        for unit in self.units:
            pushed[unit] = unit.at
            for other in self.units:
                gap = unit.at - other.at
                touch = unit.numbers()[7] + other.numbers()[7]
                if 0 < abs(gap) < touch:
                    pushed[unit] += (touch / abs(gap) - 1) / 2 * gap
        for unit, at in pushed.items():
            unit.at = complex(min(max(at.real, 0), self.side), min(max(at.imag, 0), self.side))
        for thing in list(self.things):
            if any(abs(marine.at - thing[2]) <= {5: 1.125, 6: 1.5}[thing[1]] for marine in self.marines()):
                self.things.remove(thing)
                reward += 1
        return reward, not self.things and not any(not unit.ours for unit in self.units) and bool(self.marines())


def check_renewal(before, record, game, places):
    """What a renewal must be; our own chance is then taken over."""
    living = record["kind"][:places] == 1
    gained = {"DefeatRoaches": 5, "DefeatZerglingsAndBanelings": 4}.get(game, 0)
    assert living.sum() == min(len(before) + gained, places)
    for unit in before:
        assert record["health"][unit.number] == unit.life
    if game == "FindAndDefeatZerglings":
        check_zerglings(record, record["place"][:3][living], 9 - 0.9)  # it has walked at most two ticks, and they too
    elif gained:
        assert {tuple(sorted(set(record["place"][:places][living][:, 0])))} <= {(4.0,), (20.0,)}
        assert (record["health"][:places][living] == 45).sum() >= min(gained, places - len(before))
        ahead = np.abs(record["place"][places:, 0] - record["place"][0, 0]).min()
        assert ahead == 16 or not living[0]
    else:
        least = {"MoveToBeacon": 5, "CollectMineralShards": 2}[game] - 0.4  # it has walked at most two ticks
        for at in record["place"][places:]:
            assert min(math.dist(at, place) for place in record["place"][:places]) >= least


def check_zerglings(record, marines, least):
    """All 25 are at least 5 apart, and away from marines; they may have walked two ticks."""
    at = record["place"][3:]
    assert (record["kind"][3:] == 3).all() and (record["health"][3:] == 35).all()
    for k, place in enumerate(at):
        assert min(math.dist(place, marine) for marine in marines) >= least
        assert min(math.dist(place, other) for other in np.delete(at, k, axis=0)) >= 5 - 1.1


def choose(record, places, legal, rng):
    """Mostly wait, go to another thing or attack it; sometimes a random action."""
    action, luck = int(rng.choice(legal)), rng.random()
    if luck < 0.5:
        action = 0
    elif luck < 0.9:
        others = places + np.flatnonzero(record["kind"][places:])
        camera = record["camera"] if "camera" in record.dtype.names else 0
        column, row = (record["place"][rng.choice(others)] // 1.5 - camera).clip(0, 15).astype(int)
        verb = rng.choice(["move", "attack", "attack", "attack", "hold"])
        if verb == "attack" and rng.random() < 0.7:
            row = (row + 8) % 16  # most often, no enemy is there
        action = NAMES.index("hold" if verb == "hold" else f"{verb} {column} {row}")
    return action if action in legal else 1


def lock_step(game, steps, seed):
    """Play in both; how many renewals there were, and the return."""
    batch = started(1, seed=seed, map=game)
    places = batch.world.places
    if game == "DefeatRoaches":
        batch.records["health"][0, places:] = 30  # so that some waves are defeated
    if game == "FindAndDefeatZerglings":
        batch.records["kind"][0, places + 3 :], batch.records["health"][0, places + 3 :] = 0, 0
        batch.records["place"][0, places + 2] = 24, 38
    twin, rng, renewals, total = Game(batch.records[0], places), np.random.default_rng(seed), 0, 0.0
    for _ in range(steps):
        action = choose(batch.records[0], places, np.flatnonzero(batch.masks[0, 0]), rng)
        batch.step(np.array([[action]]))
        record, reward, renewed = batch.records[0], 0.0, False
        twin.act(NAMES[action])
        for _ in range(2):
            gained, renewed = twin.tick()
            reward += gained
            if renewed:
                check_renewal(twin.marines(), record, game, places)
                break
        assert batch.rewards[0, 0] == reward
        total += reward
        renewals += renewed
        assert record["renewals"] == renewals
        assert batch.terminations[0, 0] == (not twin.marines())
        if not renewed:
            compare(twin, record)
            if twin.fog:
                compare_views(twin, batch)
        if batch.terminations[0, 0]:
            break
        twin.load(record)
    return renewals, total


def compare(twin, record):
    living = {k for k, kind in enumerate(record["kind"].tolist()) if 1 <= kind <= 4}
    assert {unit.number for unit in twin.units} == living
    assert {thing[0] for thing in twin.things} == set(np.flatnonzero(record["kind"] >= 5).tolist())
    for unit in twin.units:
        k = unit.number
        assert (unit.kind, unit.life, unit.wait) == (record["kind"][k], record["health"][k], record["cool"][k])
        assert abs(unit.at - complex(*record["place"][k])) < 1e-5
        assert (unit.order[0], unit.chosen) == (ORDERS[record["order"][k]], bool(record["selected"][k]))
        if unit.target in twin.units:
            assert record["target"][k] == unit.target.number


def compare_views(twin, batch):
    """Rows and screen hold what marines see, and the camera shows."""
    record, seen = batch.records[0], batch.observations[0, 0]
    assert record["camera"].tolist() == [twin.screen.real / 1.5, twin.screen.imag / 1.5]
    shown = {unit.number for unit in twin.units if twin.sees(unit) and twin.shows(unit.at)}
    found = set((3 + np.flatnonzero(seen["others"][:, 0])).tolist())
    assert found == {number for number in shown if number >= 3}
    assert seen["screen"][:, :, 2].sum() == len(shown)
    assert seen["minimap"][:, :, 1].sum() == len(twin.marines())
    assert seen["minimap"][:, :, 2].sum() == sum(twin.sees(unit) for unit in twin.units if not unit.ours)


@pytest.mark.parametrize(
    "game, steps, least",
    [
        ("MoveToBeacon", 150, 1),
        ("CollectMineralShards", 200, 0),
        ("DefeatRoaches", 200, 1),
        ("DefeatZerglingsAndBanelings", 200, 1),
        ("FindAndDefeatZerglings", 60, 0),
    ],
)
@pytest.mark.mostly_slow
def test_lock_step(game, steps, least):
    renewals = 0
    for seed in range(2 if game == "FindAndDefeatZerglings" else 5):
        renewals += lock_step(game, steps, seed)[0]
    assert renewals >= least


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        "MoveToBeacon",
        "CollectMineralShards",
        "DefeatRoaches",
        "DefeatZerglingsAndBanelings",
        "FindAndDefeatZerglings",
    ],
)
def test_long_lock_step(game):
    assert sum(lock_step(game, 500, 10 + seed)[0] for seed in range(4)) >= (game != "CollectMineralShards")


# Starts and renewals.


@pytest.mark.parametrize("game", ["DefeatRoaches", "DefeatZerglingsAndBanelings"])
def test_lines_at_the_start(game):
    """Marines with gaps of 1 on x = 4 or 20; roaches opposite with gaps of 2, others in two columns of 1.5."""
    batch, sides = started(8, map=game), set()
    for record in batch.records:
        ours = record["place"][0, 0]
        sides.add(float(ours))
        assert record["place"][:9].tolist() == [[ours, 12 + k - 4] for k in range(9)]
        assert record["kind"][:40].tolist() == [1] * 9 + [0] * 31 and record["selected"][:9].all()
        away = np.abs(record["place"][40:, 0] - ours)
        if game == "DefeatRoaches":
            assert record["kind"][40:].tolist() == [2] * 4 and (away == 16).all()
            assert record["place"][40:, 1].tolist() == [9, 11, 13, 15]
        else:
            assert record["kind"][40:].tolist() == [3] * 6 + [4] * 4 and away.tolist() == [16] * 5 + [17.5] * 5
            assert record["place"][40:, 1].tolist() == [9, 10.5, 12, 13.5, 15] * 2
    assert sides == {4, 20}


def test_starts_are_anywhere():
    """Marines anywhere on the field, a beacon at least 4 away from them and shards at least 2."""
    for game, num, marines, least in (("MoveToBeacon", 30, 1, 4), ("CollectMineralShards", 6, 2, 2)):
        batch = started(num, map=game)
        places, kinds = batch.records["place"], batch.records["kind"]
        assert (kinds[:, :marines] == 1).all() and (kinds[:, marines:] == {"M": 6, "C": 5}[game[0]]).all()
        gaps = np.hypot(*np.moveaxis(places[:, :marines, None] - places[:, None, marines:], -1, 0))
        assert gaps.min() >= least and gaps.min() < least + 2
        for which in (places[:, :marines], places[:, marines:]):
            assert which.min() >= 0 and which.max() <= 24
            assert {(x >= 12, y >= 12) for x, y in which.reshape(-1, 2).tolist()} == {*zip([0, 0, 1, 1], [0, 1, 0, 1])}
        assert not batch.records["selected"].any()


def test_zerglings_at_the_start_and_later():
    """Two of them 7.5 to 9.5 from the middle, the others 10.5 or more; new ones 9 from all marines; all 5 apart."""
    batch = started(2, map="FindAndDefeatZerglings")
    for record in batch.records:
        assert np.hypot(*(record["place"][:3] - 24).T).max() <= 1
        check_zerglings(record, [[24, 24]], 7.5)
        gaps = np.hypot(*(record["place"][3:] - 24).T)
        assert (gaps[:2] <= 9.5).all() and (gaps[2:] >= 10.5).all()
    batch.records["place"][:, :3] = [[8, 8], [8, 9], [40, 40]]
    batch.records["kind"][:, 4:], batch.records["health"][:, 3] = 0, 1
    batch.records["place"][:, 3] = 8, 12
    batch.step(np.array([[NAMES.index("hold")]] * 2))
    assert (batch.rewards == 1).all() and (batch.records["renewals"] == 1).all()
    for record in batch.records:
        assert record["place"][:3].tolist() == [[8, 8], [8, 9], [40, 40]]
        assert (record["kind"][3:] == 3).all() and (record["health"][3:] == 35).all()
        gaps = np.hypot(*np.moveaxis(record["place"][:, None] - record["place"][None, 3:], -1, 0))
        gaps[np.arange(3, 28), np.arange(25)] = 99
        assert gaps[:3].min() >= 9 and gaps[3:].min() >= 5


# What the player sees.


def test_rows_and_screen():
    """The tables of the page: a row for each marine and each other thing, and codes of cells of 1.5 x 1.5."""
    batch = fight([[4.4, 12], [4.6, 12.9], [0, 24]], [["roach", 21.1, 12], ["roach", 24, 24], ["roach", 22.4, 12]])
    batch.records["health"][0, [1, 40]] = 20, 60
    batch.records["cool"][0, 1] = 7
    play(batch, "select next")
    seen = batch.observations[0, 0]
    assert seen["numbers"].tolist() == [batch.record().params.seconds * 8 - 1, 0]
    assert seen["marines"][:3, 2:].tolist() == [[45, 0, 1, 0], [20, 5, 0, 0], [45, 0, 0, 0]]
    assert seen["marines"][:3, :2].tolist() == batch.records["place"][0, :3].astype(np.float32).tolist()
    assert not seen["marines"][3:].any() and not seen["others"][3:].any()
    assert seen["others"][:3, 0].tolist() == [2, 2, 2] and seen["others"][:3, 3].tolist() == [60, 145, 145]
    assert seen["others"][:3, 1:3].tolist() == batch.records["place"][0, 40:43].astype(np.float32).tolist()
    codes = {(y, x): seen["screen"][y, x].tolist() for y, x in np.argwhere(seen["screen"][:, :, 2]).tolist()}
    pairs = {(8, 2): [1, 1, 1, 45, 1], (8, 3): [1, 1, 1, 20, 0], (15, 0): [1, 1, 1, 45, 0]}
    assert codes == {**pairs, (8, 14): [2, 2, 2, 205, 0], (15, 15): [2, 2, 1, 145, 0]}
    batch = started(1, level={"marines": [[4.6, 12]], "others": [["beacon", 4.7, 20]]})
    seen = batch.observations[0, 0]
    assert seen["screen"][8, 3].tolist() == [1, 1, 1, 45, 0] and seen["screen"][13, 3].tolist() == [6, 0, 1, 0, 0]


# Fog.


def lit(record):
    """Which cells of the field a living marine sees: 9 from the cell's middle at most."""
    x, y = np.meshgrid(*[np.arange(32) * 1.5 + 0.75] * 2)
    marines = record["place"][:3][record["kind"][:3] == 1]
    return np.any([(x - a) ** 2 + (y - b) ** 2 <= 81 for a, b in marines] or [np.zeros((32, 32), bool)], axis=0)


def fog(seed, steps):
    """Play a sweep, sometimes with other orders: the fog of each step by brute force; the share of cells seen."""
    batch = started(1, seed=seed, map="FindAndDefeatZerglings", seconds=180)
    check_zerglings(batch.records[0], [[24, 24]], 7.5)
    gaps = np.hypot(*(batch.records["place"][0, 3:] - 24).T)
    assert (gaps[:2] <= 9.5).all() and (gaps[2:] >= 10.5).all()
    player, rng = make_policy("nearest", batch.world), np.random.default_rng(seed)
    player.reset(seed, 1)
    known = np.zeros((32, 32), bool)
    for _ in range(steps):
        record, seen = batch.records[0], batch.observations[0, 0]
        now = lit(record)
        known |= now
        codes = np.where(now, 2, known.astype(int))
        column, row = record["camera"]
        assert (seen["screen"][:, :, 5] == codes[row : row + 16, column : column + 16]).all()
        assert (seen["minimap"][:, :, 0] == codes.reshape(16, 2, 16, 2).max(axis=(1, 3))).all()
        if batch.terminations[0, 0]:
            break
        action = player.act_batch(batch.observations, batch.masks, [0])
        if rng.random() < 0.05:
            action = np.array([[NAMES.index(f"camera {rng.integers(16)} {rng.integers(16)}")]])
        batch.step(action)
    return known.mean()


def test_fog():
    assert 0.1 < fog(0, 60) < 0.9


@pytest.mark.slow
def test_long_fog():
    assert np.mean([fog(seed, 700) for seed in range(1, 4)]) > 0.8


def test_orders_through_fog():
    """An attack on an enemy that is not seen is a walk; a quarter holds what the screen shows."""
    level = {"marines": [[24, 24]], "others": [["zergling", 24, 34], ["zergling", 24, 44]]}
    batch = started(1, level=level, map="FindAndDefeatZerglings")
    play(batch, "camera 8 15")
    assert batch.records["camera"][0].tolist() == [9, 16] and "select north west" in kit.legal(batch, 0)
    play(batch, "attack 7 6")
    assert batch.records["order"][0, 0] == 2 and not batch.observations[0, 0]["others"].any()
    batch.records["place"][0, 0] = 24, 25.5
    play(batch, "attack 7 6")
    assert batch.records["order"][0, 0] == 3 and batch.observations[0, 0]["others"][0].tolist() == [3, 24, 34, 35]
    play(batch, "camera 0 0")
    assert not any("north" in name or "south" in name for name in kit.legal(batch, 0))
    assert not batch.observations[0, 0]["others"].any() and batch.observations[0, 0]["minimap"][11, 8, 2] == 1


# Probes of rules.


def test_explosions():
    """An explosion takes 35 within 2.2 and nothing beyond, whether the baneling hits or is killed."""
    marines = [[10, 12], [10, 13], [11.5, 14.05], [11.5, 14.3]]
    batch = fight(marines, [["baneling", 10.9, 12], ["zergling", 23, 23]], "DefeatZerglingsAndBanelings")
    assert play(batch, "noop") == 5
    assert health(batch, 0, 1, 2, 3) == [10, 10, 10, 45]
    far = fight([[4, 12]] * 1 + [[4, 14], [4, 10], [4, 11], [4, 13]], [["baneling", 9, 12], ["zergling", 23, 23]],
                "DefeatZerglingsAndBanelings")  # fmt: skip
    assert play(far, "noop") == 5  # five hits of 6 in one tick
    assert health(far, 0, 1, 2, 3, 4) == [45] * 5


def test_orders():
    """`move` does not fight, `hold` does not walk, idle ones walk to what they see, `attack` on an enemy hunts it."""
    roach = [["roach", 12, 12], ["roach", 12.1, 14]]
    batch = fight([[4.5, 12]], [["roach", 12, 12]])
    play(batch, "hold")
    assert batch.records["place"][0, 0].tolist() == [4.5, 12] and health(batch, 40) == [145]
    batch = fight([[4.5, 12]], [["roach", 12, 12]])
    play(batch, "noop")
    assert batch.records["place"][0, 0, 0] == pytest.approx(4.5 + 2 * 3.15 / 16)
    batch = fight([[7, 12]], roach)
    play(batch, "move 0 8")
    assert health(batch, 40, 41) == [145, 145] and batch.records["place"][0, 0, 0] < 7
    batch = fight([[7, 12]], roach)
    play(batch, "attack 8 9")  # the further one
    assert health(batch, 40, 41) == [145, 140] and batch.records["order"][0, 0] == 3
    batch = fight([[7, 12]], roach)
    play(batch, "attack 15 8")  # no enemy there
    assert health(batch, 40, 41) == [140, 145] and batch.records["order"][0, 0] == 2


def test_selection():
    batch = fight([[4, 4], [20, 4], [20, 20]], [["roach", 4, 20]])
    chosen = partial(lambda batch: batch.records["selected"][0, :3].tolist(), batch)
    assert chosen() == [1, 1, 1]
    for name, expected in (
        ("select next", [1, 0, 0]), ("select next", [0, 1, 0]), ("select south east", [0, 0, 1]),
        ("select next", [1, 0, 0]), ("select all", [1, 1, 1]), ("select north east", [0, 1, 0]),
    ):  # fmt: skip
        play(batch, name)
        assert chosen() == expected
    assert "select south west" not in kit.legal(batch, 0) and "hold" in kit.legal(batch, 0)
    batch = started(1, level={"marines": [[4, 4]], "others": [["beacon", 20, 20]]})
    assert kit.legal(batch, 0) == {"noop", "select all", "select next", "select north west"}


def test_no_more_than_forty_marines():
    """Renewals add five marines each up to 40, in the tick of the last kill."""
    batch = started(1, map="DefeatRoaches", seconds=900)
    for wave in range(1, 9):
        record = batch.records[0]
        record["cool"][:], record["health"][:40] = 0, 45 * (record["kind"][:40] == 1)
        record["kind"][40:], record["health"][40:] = [2, 0, 0, 0], [1, 0, 0, 0]
        batch.records["place"][0, 40] = batch.records["place"][0, 0] + [1, 0]
        batch.step(np.array([[0]]), where=[True])
        assert batch.rewards[0, 0] == 10 and batch.records["renewals"][0] == wave
        count = min(9 + 5 * wave, 40)
        assert (batch.records["kind"][0, :40] == 1).sum() == count
        assert batch.records["health"][0, :count].tolist() == [45 - 16, *[45] * (count - 1)]  # the roach has hit one
        assert batch.records["selected"][0].sum() == 9 and not batch.records["order"][0].any()
        gap = min(1, 22 / (count - 1))  # a line around the middle
        assert batch.records["place"][0, :count, 1] == pytest.approx(
            12 + gap * (np.arange(count) - (count - 1) / 2),
            abs=0.1,  # those that overlap have pushed each other
        )


def test_levels():
    world = build(ID, {"map": "DefeatRoaches"})
    kit.refuses(
        world,
        ({"marines": [], "others": [["roach", 1, 1]]}, "1 to 9 things"),
        ({"marines": [[1, 1]] * 10, "others": [["roach", 1, 1]]}, "1 to 9 things"),
        ({"marines": [[1, 25]], "others": [["roach", 1, 1]]}, "coordinates"),
        ({"marines": [[1, 2]], "others": [["zergling", 1, 1]]}, "kinds roach"),
        ({"marines": [[1, 2]], "others": [["roach", 1]]}, "kind, x, y"),
        ({"marines": [[1, 2]], "others": [["roach", 1, 1]], "trees": []}, "trees"),
    )
    level = {"marines": [[1, 2]], "others": [["roach", 8, 9.5]]}
    batch = fight(**level)
    assert batch.world.get_level(batch.record()) == level


@pytest.mark.parametrize(
    "game, policy, least",
    [
        ("MoveToBeacon", "nearest", 5),
        ("CollectMineralShards", "nearest", 15),
        ("CollectMineralShards", "skilled", 20),
        ("DefeatRoaches", "skilled", 10),
        ("DefeatZerglingsAndBanelings", "skilled", 60),
        pytest.param("FindAndDefeatZerglings", "nearest", 6, marks=pytest.mark.slow),
    ],
)
def test_baselines(game, policy, least):
    """In 20 s, each map has a policy that is far better than random actions."""
    returns = {name: kit.played(ID, name, 0, 6, map=game, seconds=20).mean() for name in (policy, "random")}
    assert returns[policy] >= least and returns[policy] > returns["random"] + least / 2
