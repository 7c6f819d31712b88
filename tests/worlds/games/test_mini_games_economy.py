"""The economy of MiniGames against closed forms, an exhaustive search of sites, and a second implementation."""

import math
from functools import partial
from itertools import product

import kit
import numpy as np
import pytest

from envsuite.generators import describe, generate_many, mutate
from envsuite.registry import build

ID = "envsuite/MiniGames-v0"
PACE = 3.94 / 16

started = partial(kit.started, ID, 1)


def play(batch, *names):
    """Play actions by name; the sum of their rewards."""
    total = 0.0
    for name in names:
        batch.step(np.array([[batch.world.action_names[0].index(name)]]))
        total += batch.rewards[0, 0]
    return total


def ticks(distance):
    return math.ceil(distance / PACE - 1e-6)


def middle(cell):
    return 2 * np.array(cell) + 1.0


def towards(start, end, far):
    """The place that is `far` from the end on the way there."""
    return end + far * (start - end) / math.dist(start, end)


# Closed forms.

CENTER = [5, 7]
FIELDS = [[1, 4], [1, 5], [0, 6], [0, 7], [0, 8], [1, 9], [1, 10], [2, 11]]


def test_trips():
    """By closed forms: when a worker that starts anywhere brings minerals for the first, second and third time."""
    rng = np.random.default_rng(0)
    for cell in rng.permutation(FIELDS)[:1].tolist():
        start = rng.uniform(0, 32, 2)
        batch = started(level={"workers": [start.tolist()], "centers": [CENTER], "fields": [cell]}, map="BuildMarines")
        center, field = middle(CENTER), middle(cell)
        there = towards(start, field, 1.25) if math.dist(start, field) > 1.25 else start
        first = ticks(math.dist(start, there)) + 36 + ticks(math.dist(there, center) - 2.75)
        back = towards(there, center, 2.75)
        second = first + ticks(math.dist(back, field) - 1.25) + 36 + ticks(math.dist(back, field) - 1.25)
        third = second + 2 * ticks(math.dist(back, field) - 1.25) + 36
        play(batch, "select all")
        for n in range(third // 2 + 1):
            play(batch, f"gather {cell[0]} {cell[1]}" if n == 0 else "noop")
            now = 2 * n + 2
            assert batch.records["trips"][0, 0] == (now >= first) + (now >= second) + (now >= third)
        assert batch.records["minerals"][0] == 50 + 5 * 3


def expected_trips(far, dig, workers, now):
    """Trips until a tick of workers that start together at the center, for a path of `far` ticks each way."""
    lap = max(2 * far + dig, workers * dig)
    return sum(max((now - 2 * far - dig - k * dig) // lap + 1, 0) for k in range(workers))


@pytest.mark.parametrize("workers", [3, *(pytest.param(workers, marks=pytest.mark.slow) for workers in (2, 4))])
def test_income(workers):
    """By closed forms: two workers on each of 7 fields earn twice as much as one, and a third one adds little."""
    center, cells = middle(CENTER), FIELDS[: 15 // workers]
    starts = [towards(middle(cell), center, 2.75).tolist() for cell in cells for _ in range(workers)]
    batch = started(level={"workers": starts, "centers": [CENTER], "fields": cells}, map="BuildMarines")
    for cell in cells:
        for _ in range(workers):
            play(batch, "select next")
            batch.records["place"][0, : len(starts)] = starts  # all start together, with the last order
            batch.records["task"][0, : len(starts)] = 1
            play(batch, f"gather {cell[0]} {cell[1]}")
    batch.records["place"][0, : len(starts)] = starts
    batch.records["task"][0, : len(starts)] = 2
    for n in range(70 if workers == 3 else 200):
        play(batch, "noop")
        far = [ticks(math.dist(middle(cell), center) - 4) for cell in cells]
        assert batch.records["trips"][0, 0] == sum(expected_trips(f, 36, workers, 2 * n + 2) for f in far)
    assert batch.records["minerals"][0] == 50 + 5 * batch.records["trips"][0, 0]


def test_sixteen_workers_at_full_rate():
    """A worker needs 78 to 88 ticks for a trip to one of the 8 fields, and two never wait for each other then."""
    far = [ticks(math.dist(middle(cell), middle(CENTER)) - 4) for cell in FIELDS]
    assert sorted({2 * f + 36 for f in far}) == [78, 86, 88]
    minute = [sum(5 * expected_trips(f, 36, n, 960) for f in far) for n in (1, 2, 3, 4)]
    assert minute[1] > 1.9 * minute[0] and minute[2] < 1.6 * minute[1] and minute[3] <= minute[2]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [3, 4])
def test_gas(workers):
    """By closed forms: up to three workers at a refinery 4 gas each in 60 ticks; a fourth one adds nothing."""
    center, cell = middle(CENTER), [3, 3]
    start = towards(middle(cell), center, 2.75)
    level = {
        "minerals": 75,
        "workers": [start.tolist()] * workers,
        "centers": [CENTER],
        "fields": [[0, 7]],
        "geysers": [cell],
    }
    batch = started(level=level, map="CollectMineralsAndGas")
    play(batch, "select next", "build refinery 3 3")
    before = ticks(math.dist(start, middle(cell)) - 1.5)
    for _ in range((before + 336) // 2 - 1):
        play(batch, "noop")
    assert batch.records["minerals"][0] == 0 and not batch.records["open"][0].all()
    play(batch, "select all")
    assert batch.records["open"][0, [0, 16]].all()
    batch.records["place"][0, :workers] = start
    play(batch, "gather 3 3")
    far, total = ticks(math.dist(start, middle(cell)) - 1.5), 0
    assert 2 * far + 20 == 60
    for n in range(1, 150):
        assert batch.records["gas"][0] == 4 * expected_trips(far, 20, workers, 2 * n)
        total += play(batch, "noop")
    assert total == batch.records["gas"][0] and batch.records["trips"][0].tolist() == [0, total // 4]


def test_training():
    """A worker needs 192 ticks, five in a queue one after the other; at full supply nothing more is trained."""
    batch = started(
        level={"minerals": 400, "workers": [[20, 20]] * 12, "centers": [CENTER], "fields": FIELDS[:1]},
        map="BuildMarines",
    )
    play(batch, "select centers", "train worker", "train worker", "train worker")
    assert "train worker" not in kit.legal(batch, 0) and batch.records["minerals"][0] == 250
    for done in range(4, 98):
        assert (batch.records["task"][0] != 0).sum() == 12 + (done - 1) // 96
        play(batch, "noop")
    assert (batch.records["task"][0] != 0).sum() == 13 and batch.records["place"][0, 12].tolist() == [11, 17]
    assert (batch.records["queue"][0, 0], batch.records["training"][0, 0]) == (2, 190)
    batch = started(
        level={"minerals": 400, "workers": [[20, 20]], "centers": [CENTER], "fields": FIELDS[:1]}, map="BuildMarines"
    )
    play(batch, "select centers", *["train worker"] * 5)
    assert "train worker" not in kit.legal(batch, 0) and batch.records["queue"][0, 0] == 5


def first_marine(start, depot, barracks):
    """The tick of the first marine of one worker with 300 minerals, who gets orders before odd ticks."""
    site = middle(depot)
    there = towards(start, site, 1.25) if math.dist(start, site) > 1.25 else np.array(start)
    built = 2 + max(ticks(math.dist(start, there)), 1) + 336
    ordered = 2 * math.ceil(built / 2)
    yard = 2.0 * np.array(barracks) + 2
    built = ordered + max(ticks(math.dist(there, yard) - 2.25), 1) + 736
    return 2 * math.ceil(built / 2) + 2 + 288


def marine_at(start, depot, barracks):
    """The step in which the rules give the first marine."""
    level = {"minerals": 300, "workers": [start], "centers": [CENTER], "fields": [[0, 7]]}
    batch = started(level=level, map="BuildMarines")
    play(batch, "select all", f"build depot {depot[0]} {depot[1]}")
    wishes = [f"build barracks {barracks[0]} {barracks[1]}", "select barracks", "train marine"]
    for n in range(3, 900):
        wish = wishes[0] if wishes and wishes[0] in kit.legal(batch, 0) else "noop"
        if wishes and wish == wishes[0]:
            wishes.pop(0)
        if play(batch, wish):
            return n
    return None


def sites(start):
    """All sites of a depot and a barracks that do not overlap, with the tick of the first marine."""
    taken = {(0, 7)} | set(product((4, 5, 6), (6, 7, 8)))
    cells = [cell for cell in product(range(16), repeat=2) if cell not in taken]
    yards = {
        cell: {(cell[0] + i, cell[1] + j) for i in (0, 1) for j in (0, 1)} for cell in product(range(15), repeat=2)
    }
    for depot, (barracks, used) in product(cells, yards.items()):
        if not used & taken and depot not in used:
            yield first_marine(start, depot, barracks), depot, barracks


@pytest.mark.slow
def test_the_earliest_marine():
    """The best of all pairs of sites, and others, give the first marine in the step that the closed form says."""
    start = [18, 15]
    found = sorted(sites(start))
    assert len(found) > 40_000 and found[0][0] == 2 + 338 + 738 + 2 + 288
    for tick, depot, barracks in (found[0], found[-1], *(found[k] for k in range(500, len(found), 9000))):
        assert marine_at(start, depot, barracks) == math.ceil(tick / 2)


# A second implementation: objects with complex numbers for places, and jobs as tuples.

PRICE = {"worker": 50, "marine": 50, "depot": 100, "barracks": 150, "refinery": 75, "center": 400}
WORK = {"worker": 192, "marine": 288, "depot": 336, "barracks": 736, "refinery": 336, "center": 1136}
NEAR = {"field": 1.25, "geyser": 1.5, "refinery": 1.5, "depot": 1.25, "barracks": 2.25, "center": 2.75}
KINDS = ("", "field", "geyser", "center", "depot", "barracks", "refinery")


class Worker:
    def __init__(self, at):
        self.at, self.job, self.load, self.chosen = at, ("idle",), None, False

    def comes(self, thing, kind):
        """Walk a tick; whether it is there."""
        gap = thing - self.at
        rest = abs(gap) - NEAR[kind]
        if rest > 1e-9:
            self.at += gap / abs(gap) * min(PACE, rest)
        return rest <= PACE + 1e-9


class House:
    def __init__(self, kind, cell, left):
        self.kind, self.cell, self.left, self.line, self.chosen = kind, cell, left, [], False

    def cells(self):
        if self.kind == "center":
            return {(self.cell[0] + i, self.cell[1] + j) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        if self.kind == "barracks":
            return {(self.cell[0] + i, self.cell[1] + j) for i in (0, 1) for j in (0, 1)}
        return {self.cell}

    def middle(self):
        return sum(complex(2 * x + 1, 2 * y + 1) for x, y in self.cells()) / len(self.cells())


class Colony:
    def __init__(self, level, kinds):
        self.kinds, self.minerals, self.gas, self.marines, self.spent = kinds, level["minerals"], 0, 0, 0
        self.workers = [Worker(complex(*at)) for at in level["workers"]]
        self.houses = [House("center", tuple(cell), 0) for cell in level["centers"]]
        self.fields = {tuple(cell): "field" for cell in level["fields"]}
        self.geysers = {tuple(cell): "geyser" for cell in level["geysers"]}
        self.trips = {"minerals": 0, "gas": 0}

    def finished(self, kind):
        return [house for house in self.houses if house.kind == kind and house.left == 0]

    def supply(self):
        lines = [unit for house in self.houses for unit in house.line]
        cap = 15 * len(self.finished("center")) + 8 * len(self.finished("depot"))
        return len(self.workers) + self.marines + len(lines), min(cap, 200)

    def wells(self):
        """Where workers can gather."""
        return {**self.fields, **{house.cell: "refinery" for house in self.finished("refinery")}}

    def ready(self):
        return [worker for worker in self.workers if worker.chosen and worker.job[0] != "build"]

    def room(self, kind, cell):
        if kind == "refinery":
            return cell in self.geysers and not any(house.cell == cell for house in self.houses)
        used = set(self.fields) | set(self.geysers) | {cell for house in self.houses for cell in house.cells()}
        wanted = House(kind, cell, 0).cells()
        if used & wanted or not all(0 <= x < 16 and 0 <= y < 16 for x, y in wanted):
            return False
        return kind != "center" or all(math.dist(cell, well) > 4.47 for well in (*self.fields, *self.geysers))

    def can(self, kind):
        return self.minerals >= PRICE[kind] and (kind != "barracks" or bool(self.finished("depot")))

    def trainer(self, kind):
        chosen = [house for house in self.finished(kind) if house.chosen]
        return min(chosen, key=lambda house: len(house.line), default=None)

    def quarter(self, worker):
        return f"{'south' if worker.at.imag >= 16 else 'north'} {'east' if worker.at.real >= 16 else 'west'}"

    def legal(self):
        names = {"noop", "select all", "select next", "select centers"}
        names |= {f"select {self.quarter(worker)}" for worker in self.workers}
        if any(worker.job == ("idle",) for worker in self.workers):
            names.add("select idle")
        if self.finished("barracks"):
            names.add("select barracks")
        used, cap = self.supply()
        for unit, kind in (("worker", "center"), ("marine", "barracks")):
            house = self.trainer(kind)
            if house and len(house.line) < 5 and self.minerals >= PRICE[unit] and used < cap:
                names.add(f"train {unit}")
        if self.ready():
            names |= {f"gather {x} {y}" for x, y in self.wells()}
            for kind in filter(self.can, self.kinds):
                names |= {f"build {kind} {x} {y}" for x in range(16) for y in range(16) if self.room(kind, (x, y))}
        return names

    def act(self, name):
        verb, *words = name.split()
        if verb == "select":
            last = max((k for k, worker in enumerate(self.workers) if worker.chosen), default=-1)
            for thing in (*self.workers, *self.houses):
                thing.chosen = False
            word = " ".join(words)
            if word in ("centers", "barracks"):
                for house in self.finished(word.removesuffix("s") if word == "centers" else word):
                    house.chosen = True
            elif word == "next":
                self.workers[(last + 1) % len(self.workers)].chosen = True
            elif word == "idle":
                next(worker for worker in self.workers if worker.job == ("idle",)).chosen = True
            else:
                for worker in self.workers:
                    worker.chosen = word == "all" or self.quarter(worker) == word
        elif verb == "train":
            self.pay(words[0])
            self.trainer("center" if words[0] == "worker" else "barracks").line.append([words[0], WORK[words[0]]])
        elif verb == "gather":
            self.gather(tuple(map(int, words)))
        elif verb == "build":
            cell = int(words[1]), int(words[2])
            goal = House(words[0], cell, 0).middle()
            min(self.ready(), key=lambda worker: abs(worker.at - goal)).job = ("site", words[0], cell)

    def pay(self, what):
        self.minerals -= PRICE[what]
        self.spent += PRICE[what]

    def gather(self, cell):
        crew = self.ready()
        for worker in crew:
            worker.job = ("idle",)
        for k, worker in enumerate(crew):
            goal = cell
            if k and cell in self.fields:
                near = [well for well in self.fields if math.dist(well, cell) <= 6]
                busy = {well: sum(well in other.job for other in self.workers) for well in near}
                goal = min(near, key=lambda well: (busy[well], math.dist(well, cell)))
            worker.job = ("home" if worker.load else "go", goal)

    def tick(self):
        brought, marines, wells = 0, 0, self.wells()
        for worker in self.workers:
            job = worker.job
            if job[0] == "go" and worker.comes(complex(*job[1]) * 2 + 1 + 1j, wells[job[1]]):
                worker.job = ("wait", job[1])
            elif job[0] == "home":
                home = min((house.middle() for house in self.finished("center")), key=lambda at: abs(at - worker.at))
                if worker.comes(home, "center"):
                    amount = 5 if worker.load == "minerals" else 4
                    brought += amount
                    self.trips[worker.load] += 1
                    self.minerals += amount * (amount == 5)
                    self.gas += amount * (amount == 4)
                    worker.load, worker.job = None, ("go", job[1]) if job[1] else ("idle",)
        for worker in self.workers:
            if worker.job[0] == "dig":
                _, cell, left = worker.job
                worker.job = ("dig", cell, left - 1)
                if left == 1:
                    worker.load, worker.job = "minerals" if cell in self.fields else "gas", ("home", cell)
            elif worker.job[0] == "build":
                worker.job[1].left -= 1
                if worker.job[1].left == 0:
                    worker.job = ("idle",)
        for house in self.houses:
            if house.line:
                house.line[0][1] -= 1
                if house.line[0][1] == 0:
                    if house.line.pop(0)[0] == "worker":
                        self.workers.append(Worker(house.middle() + 2j))
                    else:
                        marines += 1
        self.marines += marines
        for worker in self.workers:
            if worker.job[0] == "wait" and not any(other.job[:2] == ("dig", worker.job[1]) for other in self.workers):
                worker.job = ("dig", worker.job[1], 36 if worker.job[1] in self.fields else 20)
            elif worker.job[0] == "site":
                _, kind, cell = worker.job
                if worker.comes(House(kind, cell, 0).middle(), kind):
                    worker.job = ("idle",)
                    if self.can(kind) and self.room(kind, cell):
                        self.pay(kind)
                        self.houses.append(House(kind, cell, WORK[kind]))
                        worker.job = ("build", self.houses[-1])
        return brought, marines


JOBS = ("", "idle", "go", "wait", "dig", "home", "site", "build")


def compare(colony, batch):
    record, seen = batch.records[0], batch.observations[0, 0]
    for k, worker in enumerate(colony.workers):
        assert JOBS[record["task"][k]] == worker.job[0], (k, worker.job)
        assert abs(complex(*record["place"][k]) - worker.at) < 1e-6
        assert bool(record["selected"][k]) == worker.chosen
        assert (None, "minerals", "gas")[record["cargo"][k]] == worker.load
    assert (record["task"][len(colony.workers) :] == 0).all()
    for k, house in enumerate(colony.houses):
        column, row = house.cell
        assert (KINDS[record["kind"][k]], record["cell"][k]) == (house.kind, 16 * row + column)
        assert (record["unfinished"][k], record["queue"][k]) == (house.left, len(house.line))
        assert bool(record["chosen"][k]) == house.chosen and record["training"][k] == (house.line or [[0, 0]])[0][1]
    assert (record["kind"][len(colony.houses) :] == 0).all()
    used, cap = colony.supply()
    assert used <= cap and min(colony.minerals, colony.gas) >= 0
    assert seen["numbers"][1:].tolist() == [
        colony.minerals, colony.gas, used, cap, colony.marines, colony.trips["minerals"], colony.trips["gas"],
    ]  # fmt: skip
    assert record["spent"] == colony.spent


def choose(names, rng):
    """A kind of action first, then one of it; waits and selections are rarer than they would be."""
    verbs = {}
    for name in sorted(names):
        verbs.setdefault(
            " ".join(name.split()[:2]) if name.startswith(("build", "select")) else name.split()[0], []
        ).append(name)
    words = [verb for verb in verbs if verb != "noop" and (not verb.startswith("select") or rng.random() < 0.5)]
    return str(rng.choice(verbs[rng.choice(words)])) if words and rng.random() < 0.35 else "noop"


def lock_step(game, steps, seed, minerals):
    """Play in both from the start; what was built and trained."""
    level = build(ID, {"map": game}).get_level(started(map=game).record()) | {"minerals": minerals}
    batch = started(level=level, map=game, seconds=900)
    colony, rng = (
        Colony(level, batch.world.economy.plans and [KINDS[kind] for kind in batch.world.economy.plans]),
        np.random.default_rng(seed),
    )
    for n in range(steps):
        legal = kit.legal(batch, 0)
        if n % 7 == 0:
            assert legal == colony.legal()
        name = choose(legal, rng)
        reward = play(batch, name)
        colony.act(name)
        brought, marines = map(sum, zip(colony.tick(), colony.tick(), strict=True))
        assert reward == (marines if game == "BuildMarines" else brought)
        compare(colony, batch)
    gathered = 5 * colony.trips["minerals"] + 4 * colony.trips["gas"]
    assert colony.minerals + colony.gas == minerals + gathered - colony.spent
    return [house.kind for house in colony.houses], len(colony.workers), colony.marines


@pytest.mark.parametrize("game, minerals", [("CollectMineralsAndGas", 900), ("BuildMarines", 500)])
def test_lock_step(game, minerals):
    assert len(lock_step(game, 60, 0, minerals)[0]) > 1


@pytest.mark.slow
@pytest.mark.parametrize("game", ["CollectMineralsAndGas", "BuildMarines"])
def test_long_lock_step(game):
    built, trained = set(), 0
    for seed in range(3):
        kinds, workers, marines = lock_step(game, 800, seed + 1, (50, 1000, 5000)[seed])
        built |= set(kinds)
        trained += workers - 12 + 100 * marines
    assert built == {"center", "depot"} | ({"barracks"} if game == "BuildMarines" else {"refinery"})
    assert trained > (100 if game == "BuildMarines" else 10)


# Starts, and what the player sees.


def stand_beside(workers, center, way):
    """Whether 12 workers stand beside a center in four rows of three, 0.75 apart, all on one side of it."""
    x, y = np.array(workers).T - middle(center)[:, None]
    rows = np.unique(y.round(6), return_counts=True)
    columns = np.unique((way * x).round(6), return_counts=True)
    assert rows[0].tolist() == [-1.125, -0.375, 0.375, 1.125] and rows[1].tolist() == [3] * 4
    assert np.diff(columns[0]).tolist() == [0.75, 0.75] and columns[1].tolist() == [4] * 3
    return columns[0][0] > 3  # the center reaches as far


@pytest.mark.parametrize("game, fields, geysers", [("CollectMineralsAndGas", 16, 4), ("BuildMarines", 8, 0)])
def test_starts(game, fields, geysers):
    """The tables of the page: 50 minerals, 12 idle workers beside a finished center, and nothing else."""
    batch = started(map=game)
    s, level = batch.record(), batch.world.get_level(batch.record())
    assert (level["minerals"], len(level["fields"]), len(level["geysers"])) == (50, fields, geysers)
    assert s.task.tolist() == [1] * 12 + [0] * 48 and s.kind.tolist() == [3] + [0] * 47
    assert not s.unfinished.any() and not s.selected.any() and not s.cargo.any() and (s.at == -1).all()
    assert stand_beside(level["workers"], level["centers"][0], 1)
    assert np.array(s.place[:12]).tolist() == level["workers"]


def test_workers_of_generated_bases():
    """On the side of the middle of the field."""
    ways = set()
    for level in generate_many("bases", 6, bases=1):
        way = 1 if level["centers"][0][0] < 8 else -1
        ways.add(way)
        assert stand_beside(level["workers"], level["centers"][0], way)
    assert ways == {1, -1}


def test_rows_and_numbers():
    """The table of the page, part by part."""
    level = {"minerals": 400, "workers": [[20, 9], [0, 0], [32, 32], [31, 31]], "centers": [CENTER], "fields": [[0, 7]]}
    batch = started(level={**level, "geysers": [[3, 3]]}, map="CollectMineralsAndGas", seconds=10)
    play(batch, "select centers", "train worker", "train worker", "select next", "build depot 9 9")
    batch.records["cargo"][0, 1], batch.records["gas"], batch.records["trips"] = 2, 33, [[7, 5]]
    batch.records["marines"] = 4
    batch.observe()
    seen = batch.observations[0, 0]
    assert seen["numbers"].tolist() == [80 - 5, 300, 33, 4 + 2 + 4, 15, 4, 7, 5]
    first = batch.records["place"][0, 0].astype(np.float32).tolist()
    assert seen["workers"][:4].tolist() == [
        [*first, 6, 0, 0, 4, 1], [0, 0, 1, 2, 0, 0, 0], [32, 32, 1, 0, 0, 0, 0], [31, 31, 1, 0, 0, 0, 0],
    ]  # fmt: skip
    assert seen["buildings"][0].tolist() == [3, 11, 15, 0, 2, 192 - 8, 0] and not seen["buildings"][1:].any()
    assert seen["sources"][0].tolist() == [1, 1, 15, 1, 0] and seen["sources"][16].tolist() == [2, 7, 7, 0, 0]
    assert not np.delete(seen["sources"], (0, 16), axis=0).any(axis=0)[[0, 3, 4]].any()
    screen = seen["screen"]
    assert screen[15, 15].tolist() == [0, 0, 2, 0, 0] and screen[0, 0].tolist() == [0, 0, 1, 0, 0]
    assert screen[int(first[1] // 2), int(first[0] // 2)].tolist() == [0, 0, 1, 1, 0]
    assert (screen[6:9, 4:7, :2] == [3, 1]).all() and screen[7, 0, 0] == 1 and screen[3, 3, 0] == 2
    assert (screen[:, :, 0] > 0).sum() == 11
    play(batch, "select centers", *["noop"] * 3)
    seen = batch.observations[0, 0]
    assert seen["buildings"][0, 6] == 1 and (seen["screen"][6:9, 4:7, 4] == 1).all()


def test_what_a_queue_needs():
    """By the table: 192 ticks for a worker, one after the other, from the order on."""
    batch = started(
        level={"minerals": 200, "workers": [[20, 20]], "centers": [CENTER], "fields": FIELDS[:1]}, map="BuildMarines"
    )
    play(batch, "select centers", "train worker")
    assert (batch.records["queue"][0, 0], batch.records["training"][0, 0]) == (1, 190)
    play(batch, "train worker")
    assert (batch.records["queue"][0, 0], batch.records["training"][0, 0]) == (2, 188)
    batch.records["training"][0, 0] = 2
    play(batch, "noop")
    assert (batch.records["queue"][0, 0], batch.records["training"][0, 0]) == (1, 192)
    assert batch.records["task"][0, :3].tolist() == [1, 1, 0] and batch.records["place"][0, 1].tolist() == [11, 17]


# Probes of rules.


def test_groups_share_fields():
    """The first of a group takes the field that was chosen, the others those with the fewest workers."""
    batch = started(map="CollectMineralsAndGas")
    play(batch, "select all", "gather 0 7")
    counts = np.bincount(batch.records["at"][0, :12], minlength=20)
    assert counts[:8].tolist() == [1, 2, 2, 2, 2, 1, 1, 1] and batch.records["at"][0, 0] == 3
    play(batch, "select south west", "gather 15 8")
    moved = batch.records["at"][0, :12] >= 8
    assert moved.tolist() == (batch.records["selected"][0, :12] == 1).tolist() and moved.any() and not moved.all()


def test_sites():
    """Two workers at one site: the second finds it taken, and keeps what it carries. Builders take no orders."""
    level = {"minerals": 300, "workers": [[20, 24], [20, 25], [9, 24]], "centers": [CENTER], "fields": [[0, 7]]}
    batch = started(level=level, map="BuildMarines")
    batch.records["cargo"][0, 1] = 1
    play(batch, "select next", "build depot 10 10", "select next", "build depot 10 10")
    assert batch.records["task"][0, :3].tolist() == [6, 6, 1] and batch.records["minerals"][0] == 300
    play(batch, *["noop"] * 2)
    assert batch.records["task"][0, :3].tolist() == [7, 6, 1] and batch.records["minerals"][0] == 200
    play(batch, *["noop"] * 4)
    assert batch.records["task"][0, :3].tolist() == [7, 1, 1] and batch.records["minerals"][0] == 200
    assert batch.records["cargo"][0, 1] == 1 and "build barracks 1 1" not in kit.legal(batch, 0)
    play(batch, "select all", "gather 0 7")
    assert batch.records["task"][0, :3].tolist() == [7, 5, 2]
    batch.records["unfinished"][0, 1] = 1
    play(batch, "noop")
    assert batch.records["task"][0, 0] == 1 and batch.observations[0, 0]["numbers"][4] == 23
    assert "build barracks 1 1" in kit.legal(batch, 0) and "build barracks 0 6" not in kit.legal(batch, 0)
    assert "build barracks 15 1" not in kit.legal(batch, 0)


def test_supply_ends_at_200():
    batch = started(map="BuildMarines")
    batch.records["kind"][0, 1:31], batch.records["cell"][0, 1:31] = 4, 200
    batch.records["marines"], batch.records["minerals"] = 187, 400
    play(batch, "select centers", "train worker")
    assert batch.observations[0, 0]["numbers"][3:5].tolist() == [200, 200]
    assert "train worker" not in kit.legal(batch, 0)


def test_levels():
    world = build(ID, {"map": "CollectMineralsAndGas"})
    good = {
        "minerals": 70,
        "workers": [[1, 2.5]],
        "centers": [CENTER, [10, 8]],
        "fields": [[0, 7]],
        "geysers": [[3, 3]],
    }
    kit.refuses(
        world,
        (good | {"workers": []}, "1 to 30 things"),
        (good | {"workers": [[1, 33]]}, "0 to 32"),
        (good | {"minerals": -1}, "10000"),
        (good | {"centers": [[0, 7]]}, "does not fit"),
        (good | {"centers": [CENTER, [7, 8]]}, "overlap"),
        (good | {"fields": [[2, 7]]}, "too near"),
        (good | {"fields": [[0, 7.0]]}, "whole numbers"),
        (good | {"geysers": [[0, 7]]}, "in one cell"),
        (good | {"trees": []}, "trees"),
    )
    assert world.get_level(kit.started(world, level=good).record()) == good


def test_generated_bases():
    """Bases of the test split are none of the train split, are accepted, and lie further away with more `spread`."""
    for bases, game in ((1, "BuildMarines"), (2, "CollectMineralsAndGas")):
        world = build(ID, {"map": game})
        levels = {split: generate_many("bases", 12, 3, split, bases=bases, spread=0.3) for split in ("train", "test")}
        assert not {str(level) for level in levels["train"]} & {str(level) for level in levels["test"]}
        for level in levels["test"]:
            changed = mutate(level)
            assert changed != level
            record = kit.started(world, level=changed).record()
            assert {"kind": "bases", **world.get_level(record)} == changed
            if bases == 2:
                column, row = level["centers"][0]
                assert world.contradiction(record) is None
                assert Colony(level, ["center"]).room("center", (15 - column, 15 - row))
    means = [
        np.mean([describe(level)["difficulty"] for level in generate_many("bases", 30, spread=spread)])
        for spread in (0, 0.3, 0.6, 1)
    ]
    assert means == sorted(means) and means[0] < 5.2 and means[-1] > 6
    kit.refuses(build(ID, {"map": "BuildMarines"}), (generate_many("bases", 1, bases=2)[0], "1 to 8 things"))


def test_broken_records_are_refused():
    for name, at, value in (("at", 0, -1), ("plan", 0, 1), ("cell", 0, 0), ("task", 0, 7), ("unfinished", 0, 5)):
        batch = started(map="BuildMarines")
        play(batch, "select all", "gather 0 7")
        if name == "plan":
            batch.records["task"][0, 0] = 6
        batch.records[name][0, at] = value
        assert batch.world.contradiction(batch.record())


@pytest.mark.slow
@pytest.mark.parametrize("game, least", [("CollectMineralsAndGas", (2500, 4000, 5000)), ("BuildMarines", (0, 8, 30))])
def test_baselines(game, least):
    """In 300 s, gathering alone, one center or barracks, and growth are each better than the one before."""
    returns = [
        kit.played(ID, name, 0, 1, map=game, seconds=300).mean() for name in ("random", "nearest", "focus", "skilled")
    ]
    assert all(found >= wanted for found, wanted in zip(returns[1:], least, strict=True))
    assert returns == sorted(returns) if game != "BuildMarines" else returns[0] < returns[2] < returns[3]
