"""The economy of MiniGames: workers that gather, what they build, and what is trained there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.ranges import below, flag, within

#: Cells of a side of the field, which is the screen, and the side of a cell.
CELLS, CELL = 16, 2.0

#: Ticks of a step, seconds of a tick, steps of a second.
TICKS, TICK, STEPS = 2, 1.0 / 16.0, 8

#: Kinds of things in cells.
KINDS = ("nothing", "field", "geyser", "center", "depot", "barracks", "refinery")
NOTHING, FIELD, GEYSER, CENTER, DEPOT, BARRACKS, REFINERY = range(7)

#: Of each kind: minerals, ticks until it is built, supply, cells of a side, and how near a worker must come.
COST = np.array([0, 0, 0, 400, 100, 150, 75])
TIME = np.array([0, 0, 0, 1136, 336, 736, 336])
SUPPLY = np.array([0, 0, 0, 15, 8, 0, 0])
WIDTH = np.array([0, 1, 1, 3, 1, 2, 1])
TOUCH = np.array([0.0, 1.25, 1.5, 2.75, 1.25, 2.25, 1.5])

#: Minerals and ticks of a worker and a marine, and how many a building has in its queue at most.
WORKER_COST, WORKER_TIME, MARINE_COST, MARINE_TIME, QUEUE = 50, 192, 50, 288, 5

#: Ticks at a field and at a refinery, and what a worker carries then.
MINING, DRAWING, MINERALS, GAS = 36, 20, 5, 4

#: The speed of workers; places for workers and buildings; the most supply, and a bound for stocks and counts.
SPEED, WORKERS, BUILDINGS, MOST_SUPPLY, MANY = 3.94, 60, 48, 200, 1_000_000

#: The square of the least distance of a center from fields and geysers, and of the greatest between fields that a group
#: of workers shares, in cells.
AWAY, TOGETHER = 20, 36

#: What a worker does; NONE where there is no worker.
TASKS = ("none", "idle", "goes", "waits", "gathers", "returns", "goes to build", "builds")
NONE, IDLE, GOING, WAITING, GATHERING, RETURNING, LEAVING, BUILDING = range(8)

#: Cargo.
EMPTY, ORE, VESPENE = range(3)

#: Actions; then those with cells, CELLS * CELLS each: gather, and build what the map allows.
NOOP, ALL, NEXT, QUARTER, SPARE, CENTERS, TRAIN, HALLS, RECRUIT = 0, 1, 2, 3, 7, 8, 9, 10, 11


class Economy(NamedTuple):
    """A map: what is built there, how many fields and geysers there are at most, and where they are."""

    plans: tuple[int, ...]
    fields: tuple[tuple[int, int], ...]
    geysers: tuple[tuple[int, int], ...]

    @property
    def actions(self) -> list[str]:
        """The names of the actions."""
        simple = ["noop", "select all", "select next"]
        simple += [f"select {name}" for name in ("north west", "north east", "south west", "south east")]
        simple += ["select idle", "select centers", "train worker"]
        if BARRACKS in self.plans:
            simple += ["select barracks", "train marine"]
        verbs = ["gather", *(f"build {KINDS[kind]}" for kind in self.plans)]
        return simple + [f"{verb} {k % CELLS} {k // CELLS}" for verb in verbs for k in range(CELLS * CELLS)]


#: The center's cell; fields and geysers around it, and a second base that mirrors them in the middle.
HOME = (5, 7)
_FIELDS = ((1, 4), (1, 5), (0, 6), (0, 7), (0, 8), (1, 9), (1, 10), (2, 11))
_GEYSERS = ((3, 3), (5, 12))


def _both(cells: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    return cells + tuple((CELLS - 1 - column, CELLS - 1 - row) for column, row in cells)


ECONOMIES = {
    "CollectMineralsAndGas": Economy((DEPOT, REFINERY, CENTER), _both(_FIELDS), _both(_GEYSERS)),
    "BuildMarines": Economy((DEPOT, BARRACKS), _FIELDS, ()),
}


def fields(sources: int) -> list[tuple]:
    """The record; sources are fields and geysers."""
    cell = below(np.int64, CELLS * CELLS)
    place = within(np.float64, 0.0, CELL * CELLS)
    return [
        ("first_minerals", within(np.int64, 0, 10_000)),  # the level
        ("first_place", place, (WORKERS, 2)),  # the level: places of workers
        ("first_workers", within(np.int64, 1, WORKERS)),  # the level
        ("first_centers", within(np.int64, 1, 4)),  # the level
        ("first_cell", cell, (4,)),  # the level: cells of centers
        ("source", below(np.int64, GEYSER + 1), (sources,)),  # the level: FIELD, GEYSER or NOTHING
        ("source_cell", cell, (sources,)),  # the level
        ("minerals", within(np.int64, 0, MANY)),
        ("gas", within(np.int64, 0, MANY)),
        ("trips", within(np.int64, 0, MANY), (2,)),  # that brought minerals, and gas
        ("spent", within(np.int64, 0, MANY)),
        ("marines", within(np.int64, 0, MOST_SUPPLY)),
        ("task", below(np.int64, len(TASKS)), (WORKERS,)),
        ("place", place, (WORKERS, 2)),
        ("cargo", below(np.int64, 3), (WORKERS,)),
        ("at", within(np.int64, -1, sources - 1), (WORKERS,)),  # the source where it gathers; -1 if none
        ("left", within(np.int64, 0, MINING), (WORKERS,)),  # ticks that it must still gather
        ("plan", below(np.int64, REFINERY + 1), (WORKERS,)),  # what it is going to build; NOTHING if nothing
        ("site", cell, (WORKERS,)),  # where it is going to build
        ("work", within(np.int64, -1, BUILDINGS - 1), (WORKERS,)),  # the number of what it builds; -1 if none
        ("selected", flag(), (WORKERS,)),
        ("gatherer", within(np.int64, -1, WORKERS - 1), (sources,)),  # who gathers there; -1 if nobody
        ("open", flag(), (sources,)),  # whether workers can gather there
        ("kind", below(np.int64, REFINERY + 1), (BUILDINGS,)),  # NOTHING where there is no building
        ("cell", cell, (BUILDINGS,)),  # the middle one, or that in the north west of four
        ("unfinished", within(np.int64, 0, TIME.max()), (BUILDINGS,)),  # ticks until it is built
        ("queue", within(np.int64, 0, QUEUE), (BUILDINGS,)),  # units to be trained
        ("training", within(np.int64, 0, MARINE_TIME), (BUILDINGS,)),  # ticks until the first of them is there
        ("chosen", flag(), (BUILDINGS,)),
        ("taken", flag(), (CELLS, CELLS)),  # cells with buildings, fields or geysers
        ("near", flag(), (CELLS, CELLS)),  # cells too near to fields and geysers for a center
    ]


# Starts.


@kernel
def idle(s, worker):
    """A worker drops what it does, but not what it carries."""
    source = s.at[worker]
    if source >= 0 and s.gatherer[source] == worker:
        s.gatherer[source] = -1
    s.task[worker] = IDLE
    s.at[worker] = -1
    s.left[worker] = 0
    s.plan[worker] = NOTHING
    s.site[worker] = 0
    s.work[worker] = -1


@kernel
def add_worker(s, worker, x, y):
    """A new idle worker at a place."""
    s.cargo[worker] = EMPTY
    s.at[worker] = -1
    idle(s, worker)
    s.selected[worker] = 0
    s.place[worker, 0] = x
    s.place[worker, 1] = y


@kernel
def corner(kind, cell):
    """The cell in the north west of a building, as column and row; the cell of three rows is their middle."""
    return cell % CELLS - (WIDTH[kind] == 3), cell // CELLS - (WIDTH[kind] == 3)


@large_kernel
def add_building(s, building, kind, cell, unfinished):
    s.kind[building] = kind
    s.cell[building] = cell
    s.unfinished[building] = unfinished
    column, row = corner(kind, cell)
    for k in range(WIDTH[kind] * WIDTH[kind]):
        s.taken[row + k // WIDTH[kind], column + k % WIDTH[kind]] = 1


@large_kernel
def clear(s):
    """No workers, no buildings, and all cells are free."""
    for worker in range(WORKERS):
        add_worker(s, worker, 0.0, 0.0)
        s.task[worker] = NONE
    for building in range(BUILDINGS):
        s.kind[building] = NOTHING
        s.cell[building] = 0
        s.unfinished[building] = 0
        s.queue[building] = 0
        s.training[building] = 0
        s.chosen[building] = 0
    for cell in range(CELLS * CELLS):
        s.taken[cell // CELLS, cell % CELLS] = 0
        s.near[cell // CELLS, cell % CELLS] = 0


@large_kernel
def lay_out(s):
    """The level of the map: 12 workers beside a center, and all fields and geysers."""
    s.first_minerals = 50
    s.first_workers = 12
    s.first_centers = 1
    for k in range(4):
        s.first_cell[k] = 0
    s.first_cell[0] = HOME[1] * CELLS + HOME[0]
    for k in range(s.source.shape[0]):
        s.source[k] = FIELD if k < s.params.rich else GEYSER
        s.source_cell[k] = s.params.cells[k]
    for k in range(WORKERS):
        there = k < 12
        s.first_place[k, 0] = CELL * (HOME[0] + 0.5) + 3.5 + 0.75 * (k % 3) if there else 0.0
        s.first_place[k, 1] = CELL * (HOME[1] + 0.5) + 0.75 * (k // 3 - 1.5) if there else 0.0


@large_kernel
def reset(s):
    if not s.level_given:
        lay_out(s)
    for k in range(s.source.shape[0]):
        s.gatherer[k] = -1
        s.open[k] = s.source[k] == FIELD
    clear(s)
    s.minerals = s.first_minerals
    s.gas = 0
    s.spent = 0
    s.marines = 0
    s.trips[0] = 0
    s.trips[1] = 0
    for k in range(s.source.shape[0]):
        if s.source[k] != NOTHING:
            column, row = s.source_cell[k] % CELLS, s.source_cell[k] // CELLS
            s.taken[row, column] = 1
            for cell in range(CELLS * CELLS):
                across, down = cell % CELLS - column, cell // CELLS - row
                if across * across + down * down < AWAY:
                    s.near[cell // CELLS, cell % CELLS] = 1
    for k in range(s.first_centers):
        add_building(s, k, CENTER, s.first_cell[k], 0)
    for k in range(s.first_workers):
        add_worker(s, k, s.first_place[k, 0], s.first_place[k, 1])


# Stocks.


@large_kernel
def supply(s):
    """The supply that is used, the supply that there is, and the workers, with those in queues."""
    used, cap, workers = s.marines, 0, 0
    for worker in range(WORKERS):
        workers += s.task[worker] != NONE
    for building in range(BUILDINGS):
        if s.kind[building] != NOTHING and s.unfinished[building] == 0:
            cap += SUPPLY[s.kind[building]]
            if s.kind[building] == CENTER:
                workers += s.queue[building]
            else:
                used += s.queue[building]
    return used + workers, min(cap, MOST_SUPPLY), workers


@kernel
def pay(s, cost):
    s.minerals -= cost
    s.spent = min(s.spent + cost, MANY)


@large_kernel
def trainer(s, kind):
    """The selected building of a kind that is finished and has the shortest queue, the first of several; -1 if none."""
    found = -1
    for building in range(BUILDINGS):
        if s.chosen[building] != 0 and s.kind[building] == kind and s.unfinished[building] == 0:
            if found < 0 or s.queue[building] < s.queue[found]:
                found = building
    return found


@large_kernel
def can_train(s, kind, cost):
    """Whether a selected building of a kind can train one more unit."""
    building = trainer(s, kind)
    if building < 0 or s.queue[building] == QUEUE or s.minerals < cost:
        return False
    used, cap, workers = supply(s)
    return used < cap and (kind != CENTER or workers < WORKERS)


@kernel
def train(s, kind, cost, time):
    building = trainer(s, kind)
    pay(s, cost)
    if s.queue[building] == 0:
        s.training[building] = time
    s.queue[building] += 1


# Places.


@kernel
def middle(kind, cell):
    """The place in the middle of a thing."""
    shift = 1.0 if WIDTH[kind] == 2 else 0.5
    return CELL * (cell % CELLS + shift), CELL * (cell // CELLS + shift)


@kernel
def gap(s, worker, kind, cell):
    """The distance of a worker from the middle of a thing."""
    x, y = middle(kind, cell)
    x, y = x - s.place[worker, 0], y - s.place[worker, 1]
    return math.sqrt(x * x + y * y)


@large_kernel
def source_in(s, cell):
    """The field or geyser in a cell; -1 if none."""
    for k in range(s.source.shape[0]):
        if s.source[k] != NOTHING and s.source_cell[k] == cell:
            return k
    return -1


@large_kernel
def is_free(s, kind, cell):
    """Whether a building has room with this cell."""
    if kind == REFINERY:
        source = source_in(s, cell)
        if source < 0 or s.source[source] != GEYSER:
            return False
        for building in range(BUILDINGS):
            if s.kind[building] == REFINERY and s.cell[building] == cell:
                return False
        return True
    column, row = corner(kind, cell)
    if column < 0 or row < 0 or column + WIDTH[kind] > CELLS or row + WIDTH[kind] > CELLS:
        return False
    if kind == CENTER and s.near[cell // CELLS, cell % CELLS] != 0:
        return False
    for k in range(WIDTH[kind] * WIDTH[kind]):
        if s.taken[row + k // WIDTH[kind], column + k % WIDTH[kind]] != 0:
            return False
    return True


@large_kernel
def may_build(s, kind):
    """Whether a building can be paid, has a place in the record, and follows what it needs."""
    room, known = False, kind != BARRACKS
    for building in range(BUILDINGS):
        room = room or s.kind[building] == NOTHING
        known = known or (s.kind[building] == DEPOT and s.unfinished[building] == 0)
    return room and known and s.minerals >= COST[kind]


# Commands.


@kernel
def quarter(s, worker):
    """The quarter of the screen where a worker is."""
    half = 0.5 * CELL * CELLS
    return (s.place[worker, 0] >= half) + 2 * (s.place[worker, 1] >= half)


@large_kernel
def select(s, action):
    """Select workers, and no buildings."""
    last, following, spare = -1, -1, -1
    for worker in range(WORKERS):
        if s.task[worker] != NONE and s.selected[worker] != 0:
            last = worker
        if s.task[worker] == IDLE and spare < 0:
            spare = worker
    for k in range(WORKERS):
        worker = (last + 1 + k) % WORKERS
        if following < 0 and s.task[worker] != NONE:
            following = worker
    for worker in range(WORKERS):
        taken = action == ALL or (action == NEXT and worker == following) or (action == SPARE and worker == spare)
        taken = taken or action - QUARTER == quarter(s, worker)
        s.selected[worker] = taken and s.task[worker] != NONE
    for building in range(BUILDINGS):
        s.chosen[building] = 0


@large_kernel
def select_buildings(s, kind):
    """Select all finished buildings of a kind, and no workers."""
    for worker in range(WORKERS):
        s.selected[worker] = 0
    for building in range(BUILDINGS):
        s.chosen[building] = s.kind[building] == kind and s.unfinished[building] == 0


@kernel
def obeys(s, worker):
    """Whether a worker takes orders: it is selected, and does not build."""
    return s.selected[worker] != 0 and s.task[worker] != NONE and s.task[worker] != BUILDING


@large_kernel
def shared(s, source):
    """The field near to a field with the fewest workers, the nearest of several."""
    found, best = source, 1_000_000
    x, y = s.source_cell[source] % CELLS, s.source_cell[source] // CELLS
    for k in range(s.source.shape[0]):
        across, down = s.source_cell[k] % CELLS - x, s.source_cell[k] // CELLS - y
        far = across * across + down * down
        if s.source[k] == FIELD and far <= TOGETHER:
            for worker in range(WORKERS):
                far += 1000 * (s.at[worker] == k)
            if far < best:
                found, best = k, far
    return found


@large_kernel
def gather(s, cell):
    """Selected workers gather in a cell; further ones of a group share the fields around it."""
    target, given = source_in(s, cell), 0
    for worker in range(WORKERS):
        if obeys(s, worker):
            idle(s, worker)
    for worker in range(WORKERS):
        if obeys(s, worker):
            s.at[worker] = shared(s, target) if given and s.source[target] == FIELD else target
            s.task[worker] = RETURNING if s.cargo[worker] != EMPTY else GOING
            given += 1


@large_kernel
def build(s, kind, cell):
    """The nearest selected worker goes to a site."""
    found, best = -1, 1e9
    for worker in range(WORKERS):
        if obeys(s, worker) and gap(s, worker, kind, cell) < best:
            found, best = worker, gap(s, worker, kind, cell)
    idle(s, found)
    s.task[found] = LEAVING
    s.plan[found] = kind
    s.site[found] = cell


@large_kernel
def command(s, action):
    first, cells = s.params.first, CELLS * CELLS
    if action >= first + cells:
        build(s, s.params.plans[(action - first) // cells - 1], (action - first) % cells)
    elif action >= first:
        gather(s, action - first)
    elif action == RECRUIT:
        train(s, BARRACKS, MARINE_COST, MARINE_TIME)
    elif action == HALLS:
        select_buildings(s, BARRACKS)
    elif action == TRAIN:
        train(s, CENTER, WORKER_COST, WORKER_TIME)
    elif action == CENTERS:
        select_buildings(s, CENTER)
    elif action >= ALL:
        select(s, action)


# A tick.


@kernel
def approach(s, worker, kind, cell):
    """Walk for a tick towards a thing, and stop where it is near enough; whether it is."""
    x, y = middle(kind, cell)
    far = gap(s, worker, kind, cell)
    rest = far - TOUCH[kind]
    if rest <= 1e-9:
        return True
    pace = min(SPEED * TICK, rest)
    s.place[worker, 0] += pace * (x - s.place[worker, 0]) / far
    s.place[worker, 1] += pace * (y - s.place[worker, 1]) / far
    return rest <= SPEED * TICK + 1e-9


@large_kernel
def nearest_center(s, worker):
    """The nearest finished center."""
    found, best = 0, 1e9
    for building in range(BUILDINGS):
        if s.kind[building] == CENTER and s.unfinished[building] == 0:
            far = gap(s, worker, CENTER, s.cell[building])
            if far < best:
                found, best = building, far
    return found


@kernel
def deliver(s, worker):
    """A worker hands in what it carries, and gathers again or is idle; the amount."""
    gas = s.cargo[worker] == VESPENE
    if gas:
        s.gas = min(s.gas + GAS, MANY)
    else:
        s.minerals = min(s.minerals + MINERALS, MANY)
    s.trips[1 if gas else 0] = min(s.trips[1 if gas else 0] + 1, MANY)
    s.cargo[worker] = EMPTY
    s.task[worker] = GOING if s.at[worker] >= 0 else IDLE
    return GAS if gas else MINERALS


@large_kernel
def walk(s):
    """Workers walk, and those that arrive at a center hand in what they carry; the amount."""
    gathered = 0
    for worker in range(WORKERS):
        task = s.task[worker]
        if task == GOING:
            source = s.at[worker]
            if approach(s, worker, s.source[source], s.source_cell[source]):
                s.task[worker] = WAITING
        elif task == RETURNING:
            if approach(s, worker, CENTER, s.cell[nearest_center(s, worker)]):
                gathered += deliver(s, worker)
    return gathered


@large_kernel
def work(s):
    """Workers gather and build for a tick."""
    for worker in range(WORKERS):
        if s.task[worker] == GATHERING:
            s.left[worker] = max(s.left[worker] - 1, 0)
            if s.left[worker] == 0:
                source = s.at[worker]
                s.gatherer[source] = -1
                s.cargo[worker] = ORE if s.source[source] == FIELD else VESPENE
                s.task[worker] = RETURNING
        elif s.task[worker] == BUILDING:
            building = s.work[worker]
            s.unfinished[building] = max(s.unfinished[building] - 1, 0)
            if s.unfinished[building] == 0:
                idle(s, worker)
                source = source_in(s, s.cell[building])
                if source >= 0:
                    s.open[source] = 1


@large_kernel
def graduate(s):
    """Buildings train for a tick; new workers stand south of their center; the number of new marines."""
    marines = 0
    for building in range(BUILDINGS):
        if s.queue[building] > 0:
            s.training[building] = max(s.training[building] - 1, 0)
            if s.training[building] == 0:
                s.queue[building] -= 1
                center = s.kind[building] == CENTER
                if s.queue[building] > 0:
                    s.training[building] = WORKER_TIME if center else MARINE_TIME
                if center:
                    x, y = middle(CENTER, s.cell[building])
                    join(s, x, y + CELL)
                else:
                    marines += 1
    s.marines = min(s.marines + marines, MOST_SUPPLY)
    return marines


@large_kernel
def join(s, x, y):
    """A new worker takes the first free number."""
    for worker in range(WORKERS):
        if s.task[worker] == NONE:
            add_worker(s, worker, x, y)
            return


@large_kernel
def settle(s, worker):
    """A worker that has come to its site pays and begins to build, or is idle if it cannot."""
    kind, cell = s.plan[worker], s.site[worker]
    if not (may_build(s, kind) and is_free(s, kind, cell)):
        idle(s, worker)
        return
    building = 0
    while s.kind[building] != NOTHING:
        building += 1
    pay(s, COST[kind])
    add_building(s, building, kind, cell, TIME[kind])
    idle(s, worker)
    s.work[worker] = building
    s.task[worker] = BUILDING


@large_kernel
def begin(s):
    """Workers in the order of their numbers: those that wait gather where nobody does, those at their site build."""
    for worker in range(WORKERS):
        if s.task[worker] == WAITING and s.gatherer[s.at[worker]] < 0:
            s.gatherer[s.at[worker]] = worker
            s.task[worker] = GATHERING
            s.left[worker] = MINING if s.source[s.at[worker]] == FIELD else DRAWING
        elif s.task[worker] == LEAVING and approach(s, worker, s.plan[worker], s.site[worker]):
            settle(s, worker)


@kernel
def step(s, actions, rewards):
    command(s, actions[0])
    gathered, marines = 0, 0
    for _ in range(TICKS):
        gathered += walk(s)
        work(s)
        marines += graduate(s)
        begin(s)
    rewards[0] = marines if s.params.plans[1] == BARRACKS else gathered
    s.terminated[0] = 0
    s.truncated[0] = s.t >= s.params.seconds * STEPS


# What the player sees and may do.


@large_kernel
def draw_things(s, out):
    """Fields, geysers and buildings on the screen, and the workers of each cell."""
    for cell in range(CELLS * CELLS):
        for code in range(5):
            out.screen[cell // CELLS, cell % CELLS, code] = 0
    for k in range(s.source.shape[0]):
        if s.source[k] != NOTHING:
            out.screen[s.source_cell[k] // CELLS, s.source_cell[k] % CELLS, 0] = s.source[k]
    for building in range(BUILDINGS):
        kind = s.kind[building]
        if kind != NOTHING:
            column, row = corner(kind, s.cell[building])
            for k in range(WIDTH[kind] * WIDTH[kind]):
                i, j = row + k // WIDTH[kind], column + k % WIDTH[kind]
                out.screen[i, j, 0] = kind
                out.screen[i, j, 1] = 1 if s.unfinished[building] == 0 else 2
                out.screen[i, j, 4] = s.chosen[building]
    for worker in range(WORKERS):
        if s.task[worker] != NONE:
            row = min(np.int64(s.place[worker, 1] / CELL), CELLS - 1)
            column = min(np.int64(s.place[worker, 0] / CELL), CELLS - 1)
            out.screen[row, column, 2] += 1
            out.screen[row, column, 3] += s.selected[worker]


@large_kernel
def observe(s, agent, out):
    draw_things(s, out)
    for worker in range(WORKERS):
        there = s.task[worker] != NONE
        out.workers[worker, 0] = s.place[worker, 0] if there else 0.0
        out.workers[worker, 1] = s.place[worker, 1] if there else 0.0
        out.workers[worker, 2] = s.task[worker]
        out.workers[worker, 3] = s.cargo[worker]
        out.workers[worker, 4] = s.at[worker] + 1
        out.workers[worker, 5] = s.plan[worker]
        out.workers[worker, 6] = s.selected[worker]
    for building in range(BUILDINGS):
        x, y = middle(s.kind[building], s.cell[building])
        there = s.kind[building] != NOTHING
        out.buildings[building, 0] = s.kind[building]
        out.buildings[building, 1] = x if there else 0.0
        out.buildings[building, 2] = y if there else 0.0
        out.buildings[building, 3] = s.unfinished[building]
        out.buildings[building, 4] = s.queue[building]
        out.buildings[building, 5] = s.training[building]
        out.buildings[building, 6] = s.chosen[building]
    for k in range(s.source.shape[0]):
        x, y = middle(FIELD, s.source_cell[k])
        there = s.source[k] != NOTHING
        out.sources[k, 0] = s.source[k]
        out.sources[k, 1] = x if there else 0.0
        out.sources[k, 2] = y if there else 0.0
        out.sources[k, 3] = s.open[k]
        out.sources[k, 4] = s.gatherer[k] >= 0
    used, cap, _ = supply(s)
    out.numbers[0] = max(s.params.seconds * STEPS - s.t, 0)
    out.numbers[1] = s.minerals
    out.numbers[2] = s.gas
    out.numbers[3] = used
    out.numbers[4] = cap
    out.numbers[5] = s.marines
    out.numbers[6] = s.trips[0]
    out.numbers[7] = s.trips[1]


@large_kernel
def sites(s, mask):
    """What selected workers may gather and build."""
    cells, first = CELLS * CELLS, s.params.first
    for k in range(s.source.shape[0]):
        if s.open[k] != 0:
            mask[first + s.source_cell[k]] = 1
    for k in range(s.params.plans.shape[0]):
        kind, at = s.params.plans[k], first + cells * (k + 1)
        if kind == REFINERY and may_build(s, kind):
            for source in range(s.source.shape[0]):
                if s.source[source] == GEYSER:
                    mask[at + s.source_cell[source]] = is_free(s, kind, s.source_cell[source])
        elif may_build(s, kind):
            for cell in range(cells):
                mask[at + cell] = is_free(s, kind, cell)


@kernel
def legal(s, agent, mask):
    mask[NOOP], mask[ALL], mask[NEXT] = 1, 1, 1
    chosen = False
    for worker in range(WORKERS):
        if s.task[worker] != NONE:
            mask[QUARTER + quarter(s, worker)] = 1
            chosen = chosen or obeys(s, worker)
            if s.task[worker] == IDLE:
                mask[SPARE] = 1
    mask[CENTERS] = 1
    mask[TRAIN] = can_train(s, CENTER, WORKER_COST)
    if s.params.plans[1] == BARRACKS:
        for building in range(BUILDINGS):
            if s.kind[building] == BARRACKS and s.unfinished[building] == 0:
                mask[HALLS] = 1
        mask[RECRUIT] = can_train(s, BARRACKS, MARINE_COST)
    if chosen:
        sites(s, mask)


# Levels and loaded states.


def contradiction(s: Any) -> str | None:
    """What contradicts itself in a record; see `World.contradiction`."""
    task, at, source = (np.asarray(values) for values in (s.task, s.at, s.source))
    gathers = np.isin(task, (GOING, WAITING, GATHERING))
    if (gathers & (at < 0)).any() or (source[at[at >= 0]] == NOTHING).any():
        return "a worker gathers where there is nothing"
    kind, work = np.asarray(s.kind), np.asarray(s.work)
    builds = task == BUILDING
    if (work[builds] < 0).any() or (kind[work[builds]] == NOTHING).any():
        return "a worker builds what is not there"
    if (np.asarray(s.plan)[task == LEAVING] < CENTER).any():
        return "a worker goes to build something that is not a building"
    finished = np.asarray(s.unfinished) == 0
    if not ((kind == CENTER) & finished).any() or not (task != NONE).any():
        return "there is no finished center or no worker"
    for building in np.flatnonzero(kind).tolist():
        column, row = corner(int(kind[building]), int(s.cell[building]))
        if min(column, row) < 0 or max(column, row) + WIDTH[kind[building]] > CELLS:
            return "a building stands beyond the edge"
    if (np.isin(kind, (FIELD, GEYSER))).any():
        return "a field or geyser is among the buildings"
    return None


def _cell(name: str, part: str, cell: Any) -> int:
    """The number of a cell of a level."""
    whole = isinstance(cell, list | tuple) and len(cell) == 2 and all(type(x) is int for x in cell)
    if not whole or not all(0 <= x < CELLS for x in cell):
        raise LevelError(f"{name}: {part!r} has {cell!r:.60}, not a cell [column, row] with whole numbers from 0 to 15")
    return int(cell[1]) * CELLS + int(cell[0])


def _part(name: str, level: Mapping[str, Any], part: str, least: int, most: int) -> list[Any]:
    things = level.get(part, [])
    if not isinstance(things, list | tuple) or not least <= len(things) <= most:
        raise LevelError(f"{name}: {part!r} must be a list of {least} to {most} things")
    return list(things)


def set_level(name: str, economy: Economy, s: Any, level: Mapping[str, Any]) -> None:
    """Fill the fields of the level, or raise `LevelError`."""
    known_parts(name, level, {"kind", "minerals", "workers", "centers", "fields", "geysers"})
    minerals = level.get("minerals", 50)
    if type(minerals) is not int or not 0 <= minerals <= 10_000:
        raise LevelError(f"{name}: 'minerals' is {minerals!r:.60}, not a whole number from 0 to 10000")
    centers = [_cell(name, "centers", cell) for cell in _part(name, level, "centers", 1, 4)]
    rich = [_cell(name, "fields", cell) for cell in _part(name, level, "fields", 1, len(economy.fields))]
    geysers = [_cell(name, "geysers", cell) for cell in _part(name, level, "geysers", 0, len(economy.geysers))]
    workers = _part(name, level, "workers", 1, min(WORKERS, 15 * len(centers)))
    for place in workers:
        pair = isinstance(place, list | tuple) and len(place) == 2
        if not pair or not all(type(x) in (int, float) and 0 <= x <= CELL * CELLS for x in place):
            raise LevelError(f"{name}: a worker is at {place!r:.60}, not [x, y] with numbers from 0 to 32")
    s.source[...] = NOTHING
    s.source_cell[...] = 0
    for first, kind, cells in ((0, FIELD, rich), (len(economy.fields), GEYSER, geysers)):
        s.source[first : first + len(cells)] = kind
        s.source_cell[first : first + len(cells)] = cells
    s.first_cell[...] = 0
    s.first_cell[: len(centers)] = centers
    s.first_place[...] = 0.0
    s.first_place[: len(workers)] = workers
    s.first_minerals, s.first_workers, s.first_centers = minerals, len(workers), len(centers)
    _check(name, centers, rich + geysers)


def _check(name: str, centers: list[int], sources: list[int]) -> None:
    """Centers and sources must have room."""
    taken = set(sources)
    if len(taken) < len(sources):
        raise LevelError(f"{name}: two fields or geysers are in one cell")
    for center in centers:
        column, row = center % CELLS, center // CELLS
        if not (1 <= column < CELLS - 1 and 1 <= row < CELLS - 1):
            raise LevelError(f"{name}: the center in cell [{column}, {row}] does not fit on the field")
        for source in sources:
            if (source % CELLS - column) ** 2 + (source // CELLS - row) ** 2 < AWAY:
                there = f"[{source % CELLS}, {source // CELLS}]"
                raise LevelError(
                    f"{name}: the center in cell [{column}, {row}] is too near to {there}; the square of their "
                    f"distance must be at least {AWAY}"
                )
        cells = {(row + k // 3 - 1) * CELLS + column + k % 3 - 1 for k in range(9)}
        if cells & taken:
            raise LevelError(f"{name}: two centers overlap")
        taken |= cells


def get_level(s: Any) -> dict[str, Any]:
    """The level of a record as plain data."""

    def cells(numbers: Any) -> list[list[int]]:
        return [[int(cell) % CELLS, int(cell) // CELLS] for cell in numbers]

    source, place = np.asarray(s.source), np.asarray(s.source_cell)
    return {
        "minerals": int(s.first_minerals),
        "workers": np.asarray(s.first_place)[: int(s.first_workers)].tolist(),
        "centers": cells(np.asarray(s.first_cell)[: int(s.first_centers)]),
        "fields": cells(place[source == FIELD]),
        "geysers": cells(place[source == GEYSER]),
    }
