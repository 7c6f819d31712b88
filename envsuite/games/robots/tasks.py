"""The tasks of Robots: how each scenario starts, moves what is no robot, pays, and what it shows.

The record of navigation, discovery, material and warehouse is one, and the number of the scenario chooses between their
rules. Each of the other scenarios has fields that no other record has. A world's code has only the rules of its record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import cos_turns, sin_turns
from envsuite.core.kernel import by_fields, kernel
from envsuite.core.ranges import below, flag, within
from envsuite.games.robots.barrier import DT
from envsuite.kit.plane import distance

#: Meters: half the arena, and the least distance of waypoints from its edge.
WIDE, HIGH, INSIDE = 1.6, 1.0, 0.1

#: The grid of starts, goals and landmarks: its first point, its columns and rows, and its spacing.
LEFT, BOTTOM, COLUMNS, ROWS, SPACING = -1.25, -0.75, 6, 4, 0.5

SCENARIOS = ("navigation", "discovery", "material", "warehouse", "arctic", "foraging", "rware", "predator")
NAVIGATION, DISCOVERY, MATERIAL, WAREHOUSE = range(4)

#: By scenario: robots, steps, parts of a step.
USUAL = {
    "navigation": (3, 100, 30), "discovery": (4, 100, 30), "material": (4, 70, 60), "warehouse": (4, 70, 30),
    "arctic": (4, 100, 30), "foraging": (3, 100, 30), "rware": (3, 100, 60), "predator": (3, 100, 30),
}  # fmt: skip

#: Landmarks of discovery, their states, the radius of each kind, and where hidden ones are shown.
LANDMARKS = 6
HIDDEN, SENSED, TAGGED = range(3)
SENSE, TAG, NOWHERE = 0.45, 0.25, -5.0

#: Both ends of the arena, their middles, and the radius of the zone of material in the middle.
END, MIDDLE, ZONE = 1.1, 1.35, 0.35

#: Units of material at most, and those that a fast and a strong robot carries.
MOST, FEW, MANY = 200, 5, 15

#: The ground of arctic: what a tile is, the rows and columns of tiles, the width of a tile, and the goal's lower edge.
GROUND, ICE, WATER, GOAL = range(4)
TILE_ROWS, TILE_COLUMNS, TILE, NORTH = 8, 12, 0.25, 0.75

#: Resources of foraging, and the distance within which robots forage.
RESOURCES, FORAGE = 2, 0.3

#: Cells of rware, the distance within which a robot lifts a shelf, and half the width of a full cell.
CELLS, LIFT, SHELF = 6, 0.2, 0.125

#: The lowest speed of a robot that does not stand.
STANDING = 0.01

#: The distance within which a robot tags the prey; the prey's directions, its steps, the shortest and the difference.
CATCH, DIRECTIONS, STEPS, SHORT, LONGER = 0.2, 8, 4, 0.05, 0.25 / 3.0


def task_fields(scenario: str, robots: int) -> list[tuple]:
    """The fields of a scenario's record."""
    place = within(np.float64, [-WIDE, -HIGH], [WIDE, HIGH])
    if scenario == "arctic":
        return [("terrain", below(np.int64, 4), (TILE_ROWS, TILE_COLUMNS))]  # from the top, from the left
    if scenario == "foraging":
        return [
            ("resources", place, (RESOURCES, 2)),
            ("demands", within(np.int64, 1, 36), (RESOURCES,)),  # their levels
            ("foraged", flag(), (RESOURCES,)),
        ]
    if scenario == "rware":
        shelf = within(np.int64, 0, CELLS)
        return [
            ("shelves", shelf, (CELLS,)),  # the shelf in each cell, from 1; 0 is none
            ("loads", shelf, (robots,)),
            ("requests", shelf, (min(robots, CELLS),)),
            ("requested", within(np.int64, 1, CELLS), (min(robots, CELLS),)),  # at the start
            ("standing", flag(), (robots,)),  # lifts or puts back a shelf in this step
        ]
    if scenario == "predator":
        return [("prey", place, (2,)), ("lair", place, (1, 2))]  # now, and at the start
    targets = {"navigation": robots, "discovery": LANDMARKS}.get(scenario, 1)
    return [
        ("targets", place, (targets, 2)),  # goals or landmarks; 0 in material and warehouse
        ("found", below(np.int64, 3), (targets,)),  # the states of landmarks
        ("stock", within(np.int64, 0, MOST), (2,)),  # units in the zones of material
        ("stocked", within(np.int64, 0, MOST), (2,)),  # at the start
        ("loads", within(np.int64, 0, MANY), (robots,)),
    ]


# Kernels of records with certain fields; all others have these.


def _zero(s: Any) -> float:
    return 0.0


def _as_usual(s: Any, a: int) -> float:
    return 1.0


def _free(s: Any, a: int, x: float, y: float) -> bool:
    return False


def _skip(s: Any, agent: int, more: Any) -> int:
    return 0


def _where(field: str, other: Callable) -> Callable[[Callable], Any]:
    """Makes a kernel that runs the decorated function where the record has this field, and `other` elsewhere."""
    return lambda rule: by_fields(lambda names: names is not None and field in names, rule, other)


@kernel
def draw(s, places, j):
    """Put place `j` on a random point of the grid where none of the places before it is."""
    taken = True
    while taken:
        point = random.randint(s, COLUMNS * ROWS)
        places[j, 0] = LEFT + SPACING * (point % COLUMNS)
        places[j, 1] = BOTTOM + SPACING * (point // COLUMNS)
        taken = False
        for k in range(j):
            taken = taken or (places[k, 0] == places[j, 0] and places[k, 1] == places[j, 1])


@kernel
def draw_robots(s):
    """Robots on the grid, with random headings."""
    for a in range(s.started.shape[0]):
        draw(s, s.started, a)
        s.started[a, 2] = math.pi * (2.0 * random.uniform(s) - 1.0)


@kernel
def draw_off_robots(s, places, j):
    """Put place `j` on a random point of the grid where no robot starts and none of the places before it is."""
    taken = True
    while taken:
        draw(s, places, j)
        taken = False
        for a in range(s.started.shape[0]):
            taken = taken or (places[j, 0] == s.started[a, 0] and places[j, 1] == s.started[a, 1])


@kernel
def substeps(s):
    """The parts of a step."""
    return s.params.substeps if s.params.substeps > 0 else s.params.usual[1]


@kernel
def apart(s, a, x, y):
    """The distance of a robot to a place."""
    return distance(s.pose[a, 0] - x, s.pose[a, 1] - y)


@kernel
def show(targets, j, x, y, number):
    targets[j, 0], targets[j, 1], targets[j, 2] = x, y, number


# Navigation, discovery, material, warehouse.


@_where("stock", _zero)
def set_up_first(s):
    scenario = s.params.scenario
    if not s.level_given:
        draw_robots(s)
        for j in range(s.targets.shape[0]):
            s.targets[j, 0], s.targets[j, 1] = 0.0, 0.0
            if scenario == NAVIGATION or scenario == DISCOVERY:
                draw(s, s.targets, j)
        for k in range(2):
            s.stocked[k] = 0
            if scenario == MATERIAL:
                units = 75.0 + 10.0 * random.normal(s) if k == 0 else 15.0 + 4.0 * random.normal(s)
                s.stocked[k] = np.int64(min(max(math.floor(units + 0.5), 1.0), 1.0 * MOST))
    for k in range(2):
        s.stock[k] = s.stocked[k]
    for j in range(s.targets.shape[0]):
        s.found[j] = HIDDEN
    for a in range(s.pose.shape[0]):
        s.loads[a] = 0
    return 0.0


@kernel
def kind(s, a):
    """The kind of a robot: the first half has kind 0, the second kind 1, and in navigation all have 0."""
    return 1 if s.params.scenario != NAVIGATION and 2 * a >= s.pose.shape[0] else 0


@kernel
def to_target(s, a, j):
    """The distance of a robot to a goal or landmark."""
    return apart(s, a, s.targets[j, 0], s.targets[j, 1])


@_where("stock", _zero)
def pay_first(s):
    scenario = s.params.scenario
    if scenario == NAVIGATION:
        return pay_navigation(s)
    if scenario == DISCOVERY:
        return pay_discovery(s)
    return pay_material(s) if scenario == MATERIAL else pay_warehouse(s)


@kernel
def pay_navigation(s):
    paid = 0.0
    for a in range(s.pose.shape[0]):
        paid -= to_target(s, a, a)
    return paid


@kernel
def pay_discovery(s):
    """A landmark changes its state at most once in a step."""
    paid, open_ones = 0.0, 0
    for j in range(s.targets.shape[0]):
        near = False
        for a in range(s.pose.shape[0]):
            if s.found[j] == HIDDEN:
                near = near or (kind(s, a) == 0 and to_target(s, a, j) < SENSE)
            else:
                near = near or (kind(s, a) == 1 and to_target(s, a, j) < TAG)
        if near and s.found[j] < TAGGED:
            s.found[j] += 1
            paid += 5.0 if s.found[j] == TAGGED else 1.0
        open_ones += s.found[j] < TAGGED
    return paid - 0.05 if open_ones > 0 else paid


@kernel
def pay_material(s):
    """Robots load and drop in the order of their numbers."""
    paid = 0.0
    for a in range(s.pose.shape[0]):
        x, y = s.pose[a, 0], s.pose[a, 1]
        if s.loads[a] > 0:
            if x < -END:
                s.loads[a] = 0
                paid += 0.75
        elif distance(x, y) < ZONE or x > END:
            zone = 1 if x > END else 0
            units = min(s.stock[zone], MANY if kind(s, a) == 1 else FEW)
            if units > 0:
                s.loads[a] = units
                s.stock[zone] -= units
                paid += 0.25
    return paid - 0.1 if s.stock[0] + s.stock[1] > 0 else paid


@kernel
def pay_warehouse(s):
    paid = 0.0
    for a in range(s.pose.shape[0]):
        x, y = s.pose[a, 0], s.pose[a, 1]
        if kind(s, a) == 1:
            y = -y
        if s.loads[a] == 0 and x > END and y < 0.0:
            s.loads[a] = 1
            paid += 1.0
        elif s.loads[a] > 0 and x < -END and y > 0.0:
            s.loads[a] = 0
            paid += 3.0
    return paid


@_where("stock", _skip)
def see_first(s, agent, out):
    scenario = s.params.scenario
    for row in range(s.pose.shape[0]):
        a = (agent + row) % s.pose.shape[0]
        out.duties[row, 0], out.duties[row, 1] = kind(s, a), s.loads[a]
    for j in range(out.targets.shape[0]):
        if scenario == NAVIGATION:
            show(out.targets, j, s.targets[agent, 0], s.targets[agent, 1], 0)
        elif scenario == DISCOVERY and s.found[j] == HIDDEN:
            show(out.targets, j, NOWHERE, NOWHERE, HIDDEN)
        elif scenario == DISCOVERY:
            show(out.targets, j, s.targets[j, 0], s.targets[j, 1], s.found[j])
        elif scenario == MATERIAL:
            show(out.targets, j, MIDDLE * ((j == 1) - 1.0 * (j == 2)), 0.0, s.stock[j] if j < 2 else 0)
        else:
            side = -0.5 if (kind(s, agent) == 0) == (j == 0) else 0.5
            show(out.targets, j, MIDDLE if j == 0 else -MIDDLE, side, 0)
    return 0


# Arctic.


@kernel
def trade(s, a):
    """What a robot is: 0 a drone; `ICE` or `WATER`, one after the other, in the second half."""
    drones = (s.pose.shape[0] + 1) // 2
    return 0 if a < drones else ICE + (a - drones) % 2


@kernel
def slot(a, count):
    """The place of a robot in a row of robots: from the middle outwards, to the right and to the left in turn."""
    return (count - 1) // 2 + ((a + 1) // 2 if a % 2 == 1 else -(a // 2))


@_where("terrain", _zero)
def set_up_arctic(s):
    robots = s.pose.shape[0]
    for j in range(TILE_COLUMNS):
        s.terrain[0, j], s.terrain[TILE_ROWS - 1, j] = GOAL, GROUND
    if not s.level_given:
        for a in range(robots):
            s.started[a, 0] = 0.9 * (2.0 * slot(a, robots) / (robots - 1.0) - 1.0)
            s.started[a, 1], s.started[a, 2] = -0.8, 0.0
        for i in range(1, TILE_ROWS - 1):
            for j in range(TILE_COLUMNS):
                s.terrain[i, j] = random.randint(s, 3)
    return 0.0


@kernel
def tile_row(s, a):
    """The row of the tile under a robot; the nearest row outside the tiles."""
    return np.int64(min(max(math.floor((HIGH - s.pose[a, 1]) / TILE), 0.0), TILE_ROWS - 1.0))


@kernel
def tile_column(s, a):
    return np.int64(min(max(math.floor((s.pose[a, 0] + 1.5) / TILE), 0.0), TILE_COLUMNS - 1.0))


@_where("terrain", _as_usual)
def pace(s, a):
    """How long a robot's steps are, as a multiple of the usual ones."""
    ground, own = s.terrain[tile_row(s, a), tile_column(s, a)], trade(s, a)
    if own == 0 or ground == GROUND or ground == GOAL:
        return 1.0
    return 1.5 if ground == own else 0.5


@_where("terrain", _zero)
def pay_arctic(s):
    gaps, away = 0.0, 0
    for a in range(s.pose.shape[0]):
        if trade(s, a) != 0:
            gaps += max(NORTH - s.pose[a, 1], 0.0)
            away += s.pose[a, 1] <= NORTH
    return -0.05 * gaps - (0.1 if away > 0 else 0.0)


@_where("terrain", _skip)
def see_arctic(s, agent, out):
    for row in range(s.pose.shape[0]):
        out.duties[row, 0], out.duties[row, 1] = trade(s, (agent + row) % s.pose.shape[0]), 0
    out.tile[0] = s.terrain[tile_row(s, agent), tile_column(s, agent)]
    for d in range(out.around.shape[0]):
        top, left = tile_row(s, d) - 1, tile_column(s, d) - 1
        for i in range(3):
            for j in range(3):
                on = 0 <= top + i < TILE_ROWS and 0 <= left + j < TILE_COLUMNS
                out.around[d, i, j] = s.terrain[top + i, left + j] if on else -1
    return 0


# Foraging.


@_where("resources", _zero)
def set_up_foraging(s):
    robots = s.pose.shape[0]
    if not s.level_given:
        draw_robots(s)
        for j in range(RESOURCES):
            draw_off_robots(s, s.resources, j)
        all_levels = robots * (robots + 1) // 2
        larger = random.randint(s, RESOURCES)
        for j in range(RESOURCES):
            s.demands[j] = all_levels if j == larger else all_levels - 1
    for j in range(RESOURCES):
        s.foraged[j] = 0
    return 0.0


@_where("resources", _zero)
def pay_foraging(s):
    paid, left = 0.0, 0
    for j in range(RESOURCES):
        if not s.foraged[j]:
            strength = 0
            for a in range(s.pose.shape[0]):
                if apart(s, a, s.resources[j, 0], s.resources[j, 1]) < FORAGE:
                    strength += a + 1
            if strength >= s.demands[j]:
                s.foraged[j] = 1
                paid += s.demands[j]
            left += 1 - s.foraged[j]
    return paid - 0.01 if left > 0 else paid


@_where("resources", _skip)
def see_foraging(s, agent, out):
    for row in range(s.pose.shape[0]):
        out.levels[row] = (agent + row) % s.pose.shape[0] + 1
    for j in range(RESOURCES):
        show(out.targets, j, s.resources[j, 0], s.resources[j, 1], 0 if s.foraged[j] else s.demands[j])
    return 0


# Rware.


@kernel
def cell_x(j):
    """Cells are numbered from the left, the upper row first."""
    return -1.1 + 0.85 * (j % 3)


@kernel
def cell_y(j):
    return 0.25 if j < 3 else -0.25


@kernel
def request(s, k):
    """Let request `k` be a random shelf that no other request names."""
    taken = True
    while taken:
        s.requests[k] = random.randint(s, CELLS) + 1
        taken = False
        for other in range(s.requests.shape[0]):
            taken = taken or (other != k and s.requests[other] == s.requests[k])


@_where("shelves", _zero)
def set_up_rware(s):
    robots = s.pose.shape[0]
    if not s.level_given:
        for a in range(robots):
            s.started[a, 0] = 1.1 * (2.0 * a / (robots - 1.0) - 1.0)
            s.started[a, 1], s.started[a, 2] = -0.75, math.pi / 2.0
        for k in range(s.requests.shape[0]):
            s.requests[k] = 0
        for k in range(s.requests.shape[0]):
            request(s, k)
            s.requested[k] = s.requests[k]
    for k in range(s.requests.shape[0]):
        s.requests[k] = s.requested[k]
    for j in range(CELLS):
        s.shelves[j] = j + 1
    for a in range(robots):
        s.loads[a], s.standing[a] = 0, 0
    return 0.0


@_where("shelves", _free)
def blocked(s, a, x, y):
    """Whether a robot has a shelf and its way by (x, y) leads over a full cell; it is looked at in five points."""
    hit = False
    for k in range(5 if s.loads[a] > 0 else 0):
        here_x, here_y = s.pose[a, 0] + 0.25 * k * x, s.pose[a, 1] + 0.25 * k * y
        for j in range(CELLS):
            over = abs(here_x - cell_x(j)) < SHELF and abs(here_y - cell_y(j)) < SHELF
            hit = hit or (over and s.shelves[j] > 0)
    return hit


@_where("shelves", _skip)
def stand(s, a, stands):
    """Note whether a robot stands in this step."""
    s.standing[a] = stands
    return 0


@_where("shelves", _zero)
def hold(s):
    """Before a step by speeds: who stands, and a stop for robots with a shelf that would drive over a full cell."""
    for a in range(s.pose.shape[0]):
        turns = s.pose[a, 2] / (2.0 * math.pi)
        way = s.wanted[a, 0] * DT * substeps(s)
        s.standing[a] = abs(s.wanted[a, 0]) < STANDING
        if blocked(s, a, way * cos_turns(turns), way * sin_turns(turns)):
            s.wanted[a, 0] = 0.0
    return 0.0


@_where("shelves", _zero)
def pay_rware(s):
    """Robots lift, put back and deliver in the order of their numbers; then new requests are drawn."""
    paid = 0.0
    for a in range(s.pose.shape[0]):
        for j in range(CELLS if s.standing[a] else 0):
            if apart(s, a, cell_x(j), cell_y(j)) < LIFT and (s.loads[a] > 0) != (s.shelves[j] > 0):
                s.loads[a], s.shelves[j] = s.shelves[j], s.loads[a]
        for k in range(s.requests.shape[0]):
            if s.pose[a, 0] > END and s.loads[a] > 0 and s.requests[k] == s.loads[a]:
                s.requests[k] = 0
                paid += 1.0
    for k in range(s.requests.shape[0]):
        if s.requests[k] == 0:
            request(s, k)
    return paid


@_where("shelves", _skip)
def see_rware(s, agent, out):
    for row in range(s.pose.shape[0]):
        out.duties[row, 0], out.duties[row, 1] = 0, s.loads[(agent + row) % s.pose.shape[0]]
    for k in range(s.requests.shape[0]):
        out.requests[k] = s.requests[k]
    for j in range(CELLS):
        show(out.targets, j, cell_x(j), cell_y(j), s.shelves[j])
    return 0


# Predator.


@_where("prey", _zero)
def set_up_predator(s):
    if not s.level_given:
        draw_robots(s)
        draw_off_robots(s, s.lair, 0)
    for k in range(2):
        s.prey[k] = s.lair[0, k]
    return 0.0


@kernel
def safety(s, x, y):
    """The distance of a place to the nearest robot."""
    least = math.inf
    for a in range(s.pose.shape[0]):
        least = min(least, apart(s, a, x, y))
    return least


@_where("prey", _zero)
def flee(s):
    """Move the prey to the safest of the places that it can reach; among equals, to the first."""
    best, best_x, best_y = -1.0, s.prey[0], s.prey[1]
    for direction in range(DIRECTIONS):
        cosine, sine = cos_turns(direction / DIRECTIONS), sin_turns(direction / DIRECTIONS)
        for k in range(STEPS):
            length = SHORT + LONGER * k
            x = min(max(s.prey[0] + length * cosine, INSIDE - WIDE), WIDE - INSIDE)
            y = min(max(s.prey[1] + length * sine, INSIDE - HIGH), HIGH - INSIDE)
            found = safety(s, x, y)
            if found > best:
                best, best_x, best_y = found, x, y
    s.prey[0], s.prey[1] = best_x, best_y
    return 0.0


@_where("prey", _zero)
def pay_predator(s):
    return 10.0 if safety(s, s.prey[0], s.prey[1]) < CATCH else 0.0


@_where("prey", _skip)
def see_predator(s, agent, out):
    for row in range(s.pose.shape[0]):
        out.duties[row, 0], out.duties[row, 1] = 0, 0
    show(out.targets, 0, s.prey[0], s.prey[1], 0)
    return 0


# All of them: of these, a world has those of its record.


@kernel
def set_up(s):
    """The start of the task, from a level or chance."""
    set_up_first(s)
    set_up_arctic(s)
    set_up_foraging(s)
    set_up_rware(s)
    set_up_predator(s)


@kernel
def pay(s):
    """What the task pays, and what it changes after the robots have moved."""
    return pay_first(s) + pay_arctic(s) + pay_foraging(s) + pay_rware(s) + pay_predator(s)


@kernel
def see(s, agent, out):
    """The parts of an observation that depend on the task."""
    see_first(s, agent, out)
    see_arctic(s, agent, out)
    see_foraging(s, agent, out)
    see_rware(s, agent, out)
    see_predator(s, agent, out)
