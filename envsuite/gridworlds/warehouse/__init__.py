"""Warehouse: robots bring requested shelves to a goal and put them back, on shared highways (RWARE).

**Rules.** Shelves stand in blocks, with highways around them. A robot turns, drives one cell ahead, or lifts the shelf
of its cell and puts it down. Without a shelf it drives below others; with one it cannot enter the cell of a shelf that
nobody carries. It cannot put a shelf down on a highway. Some shelves are requested. When a robot stands on a goal with
such a shelf, it is delivered: another shelf, drawn from those not requested, is requested instead, and the first must
be put down at any free place before the robot can fetch the next one.

All robots act at once, and a cell holds one robot. The longest row of robots that lead to a free cell moves; where rows
of one length meet, the row of the robot with the lowest number there. Three or more robots can turn in a circle.
A robot that stays, and two that would change places, block all behind them.

**Agents.** `robot_0`, `robot_1`, or 1 to 1,024 robots.

**Observation.** With ``observation="codes"``, a Dict for the square of cells at most `radius` away; north is up.

| part | space | content |
|---|---|---|
| `window` | Box (2 r + 1, 2 r + 1) uint8 | a code for each cell, see below |
| `own` | Box (2,) uint8 | the column and row of the robot |
| `messages` | Box (2 r + 1, 2 r + 1) uint8 | the message of the robot in each cell, or 0; only with `message_bits` |

A code is the sum of 1 for a shelf, 2 if it is requested, 4 for a robot, 8 if it has a shelf, 16 times its direction (0
east, 1 south, 2 west, 3 north; otherwise 0) and 64 times the ground (0 outside, 1 highway, 2 place of a shelf, 3 goal).

With ``observation="vector"``, RWARE's Box of 8 + (2 r + 1)² (7 + `message_bits`) float32:

| entries | content |
|---|---|
| 0, 1 | column and row |
| 2 | whether the robot has a shelf |
| 3 to 6 | its direction, one-hot: north, south, west, east |
| 7 | whether its cell is a highway or goal |
| then for each cell | whether a robot is there; its direction, or 1, 0, 0, 0; the bits of its message; |
| (row by row) | whether a shelf is there; whether it is requested |

**Actions.** Discrete (5), all of them always legal. What is impossible does nothing.

| action | name |
|---|---|
| 0 | `noop` |
| 1 | `forward` |
| 2 | `left`: turn to the left |
| 3 | `right` |
| 4 | `toggle`: lift the shelf, or put it down |

With b bits, action 5 m + k does k and shows message m from then on: `forward 01`, the highest bit first.

**Window.** The arrow up drives, left and right turn, and the space bar lifts or puts down.

**Rewards.** For each delivery, by `reward`: "individual": 1 to the robot. "global": 1 to all. "two_stage": 0.5 to the
robot, and 0.5 when it then puts the shelf down.

**Ends.** Truncated after `horizon` steps, or after `patience` steps without a delivery.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | robots, from 1 to 1,024 and at most half the number of cells |
| `rows`, `columns` | 1, 3 | blocks of shelves, from 1 to 12 rows and 3 to 21 columns; `columns` is odd |
| `shelf_height` | 8 | the shelves of a block from top to bottom, from 1 to 61; the map has at most 64 x 64 cells |
| `requests` | None | how many shelves are requested at a time, from 1 to 1,024; None: as many as robots |
| `radius` | 1 | how far robots see, from 1 to 64 |
| `message_bits` | 0 | the bits of a message, from 0 to 4 |
| `reward` | "individual" | "individual", "global" or "two_stage" |
| `observation` | "codes" | "codes" or "vector" |
| `normalised` | False | whether column and row of "vector" are divided by their largest values |
| `horizon` | 500 | steps until truncation, from 1 to 1,000,000 |
| `patience` | None | steps without a delivery until truncation, from 1 to 1,000,000; None: no such end |

RWARE's sizes are tiny (1 row, 3 columns), small (2, 3), medium (2, 5) and large (3, 5); its easy and hard tasks have
twice and half as many requests as robots. A map has (`shelf_height` + 1) `rows` + 2 rows and 3 `columns` + 1 columns of
cells.

**Level.** ``{"map": ["....", ".xx.", ".gg."], "robots": [[0, 0, "east"]], "requests": [1]}``: `.` highway, `x` shelf,
`g` goal; then the row, column and direction of each robot, and the numbers of the requested shelves, row by row from 0.
Robots and requests are left out together; then they are drawn. Generators: kind "depot".

**Known values.** RWARE 2.0 with 2 robots, 500 steps, all returns together: random play 0.00 in the tiny warehouse (here
0.03 +- 0.01, 512 episodes). A planner that sees the whole warehouse delivers 30.3 ± 0.7 there (2 robots), 57.0 ± 0.5 (4
robots), and 39.7 ± 1.2 in the small one (4 robots); the table of `envsuite.agents.gridworlds.warehouse` has the numbers
of ours.

**Differences.** From RWARE 2.0:

- "codes" is our own form. It is the default, since it shows walls and goals and is a tenth of the size of "vector".
- Where rows of one length meet, the order of Python's hashes decides there which of them moves.
- The end of time truncates; there it terminates.
- Observations as images, and those as Dicts of lists, are left out: "codes" holds all that they show, and two of the
  reference's image layers are transposed.
- Messages are part of the action's number; there an action is a list of numbers.

**Source.** Papoudakis et al., "Benchmarking Multi-Agent Deep Reinforcement Learning Algorithms in Cooperative Tasks",
2021; the rules are those of the package `rware` 2.0.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.levels import known_parts, read_numbers
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import among, below, fixed, flag, free, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.gridworlds.warehouse import crowd, pages
from envsuite.gridworlds.warehouse import levels as depots
from envsuite.gridworlds.warehouse.levels import GOAL, HIGHWAY, MOST_GOALS, OUTSIDE, PLACE
from envsuite.kit.grid import ahead, steps
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, Shape, avatar, footer, grid
from envsuite.render.theme import agent_color, agent_sign

ACTIONS = ("noop", "forward", "left", "right", "toggle")
NOOP, FORWARD, TURN_LEFT, TURN_RIGHT, TOGGLE = range(5)

REWARDS = ("individual", "global", "two_stage")
INDIVIDUAL, GLOBAL, TWO_STAGE = range(3)

DIRECTIONS = ("east", "south", "west", "north")

#: The bits of a code.
SHELF, REQUESTED, ROBOT, LOADED, DIRECTION, GROUND = 1, 2, 4, 8, 16, 64

#: The place of a direction in RWARE's one-hot entries: north, south, west, east.
_HOT = np.array([3, 1, 2, 0])


def fields(players: int, height: int, width: int, requests: int, radius: int) -> list[tuple]:
    """The record. *Cells* count row by row on the map with a margin of `radius` around it."""
    stride, shelves = width + 2 * radius, height * width
    cells = (height + 2 * radius) * stride
    first = radius * stride + radius
    cell = within(np.uint16, first, cells - 1 - first)
    shelf = within(np.uint16, 0, shelves)  # the number of one, plus 1; 0 is none
    start = [
        ("given", flag()),  # whether a level has them
        ("cell", cell, (players,)),
        ("facing", below(np.uint8, 4), (players,)),
        ("requests", below(np.uint16, shelves), (requests,)),
    ]
    return [
        ("level", np.dtype(depots.level_fields(height, width), align=True)),
        ("start", np.dtype(start, align=True)),
        *crowd.fields(players, cells, cell),
        ("facing", below(np.uint8, 4), (players,)),
        ("load", shelf, (players,)),  # what a robot carries
        ("delivered", flag(), (players,)),  # whether its shelf was, since it has it
        ("message", below(np.uint8, 16), (players,)),
        ("count", within(np.int64, 0, shelves)),  # shelves
        ("shelf_at", shelf, (cells,)),  # the shelf of a cell, carried or not
        ("shelf_cell", cell, (shelves,)),  # where it is
        ("requested", flag(), (shelves,)),
        ("requests", below(np.uint16, shelves), (requests,)),  # the requested shelves, in the order of RWARE's list
        ("goals", cell, (MOST_GOALS,)),
        ("goal_count", within(np.int64, 1, MOST_GOALS)),
        ("codes", free(np.uint8), (cells,)),  # what is observed of a cell
        ("idle", within(np.int64, 0, 2**30)),  # steps since the last delivery
        ("score", within(np.int64, 0, 2**30), (players,)),  # deliveries
    ]


@kernel
def margin(s):
    """The rows and columns around the map."""
    return s.params.radius


@kernel
def stride(s):
    """Cells in a row, with the margins."""
    return s.level.ground.shape[1] + 2 * s.params.radius


@kernel
def cell_of(s, y, x):
    return (y + margin(s)) * stride(s) + x + margin(s)


@large_kernel
def reset(s):
    if not s.level_given:
        depots.lay_out(s, s.params.block)
        s.start.given = 0
    lay_out(s)
    if not s.start.given:
        draw(s)
    for a in range(s.cell.shape[0]):
        s.cell[a] = s.start.cell[a]
        s.target[a] = s.cell[a]
        s.who[s.cell[a]] = a + 1
        s.facing[a] = s.start.facing[a]
        s.moves[a] = s.chain[a] = s.follower[a] = s.waits[a] = s.ready[a] = 0
        s.load[a] = s.delivered[a] = s.message[a] = s.score[a] = 0
    for k in range(s.requests.shape[0]):
        s.requests[k] = s.start.requests[k]
        s.requested[s.requests[k]] = 1
    s.idle = 0
    height, width = s.level.ground.shape
    for y in range(height):
        for x in range(width):
            show(s, cell_of(s, y, x))


@large_kernel
def lay_out(s):
    """Fill the planes and the lists of shelves and goals from the level."""
    height, width = s.level.ground.shape
    for k in range(s.codes.shape[0]):
        s.codes[k] = s.who[k] = s.claim[k] = s.shelf_at[k] = 0
    for k in range(s.shelf_cell.shape[0]):
        s.shelf_cell[k] = cell_of(s, 0, 0)
        s.requested[k] = 0
    for k in range(MOST_GOALS):
        s.goals[k] = cell_of(s, 0, 0)
    s.count = s.goal_count = 0
    for y in range(height):
        for x in range(width):
            cell, ground = cell_of(s, y, x), np.int64(s.level.ground[y, x])
            s.codes[cell] = GROUND * ground
            if ground == PLACE:
                s.shelf_cell[s.count] = cell
                s.count += 1
                s.shelf_at[cell] = s.count
            elif ground == GOAL:
                s.goals[s.goal_count] = cell
                s.goal_count += 1


@large_kernel
def draw(s):
    """Robots in different cells, their directions, and different requests, all with the same probability."""
    height, width = s.level.ground.shape
    for a in range(s.cell.shape[0]):
        cell = cell_of(s, randint(s, height), randint(s, width))
        while s.who[cell] != 0:
            cell = cell_of(s, randint(s, height), randint(s, width))
        s.start.cell[a] = cell
        s.who[cell] = a + 1
        s.start.facing[a] = randint(s, 4)
    for k in range(s.requests.shape[0]):
        s.start.requests[k] = unrequested(s, k)
        s.requested[s.start.requests[k]] = 1


@kernel
def unrequested(s, taken):
    """A random shelf that is not requested, where `taken` are."""
    left = randint(s, s.count - taken)
    for shelf in range(s.count):
        if s.requested[shelf] == 0:
            if left == 0:
                return shelf
            left -= 1
    return 0


@kernel
def show(s, cell):
    """Write what is observed of a cell."""
    code = s.codes[cell] // GROUND * GROUND
    shelf, robot = np.int64(s.shelf_at[cell]), np.int64(s.who[cell])
    if shelf:
        code += SHELF + REQUESTED * s.requested[shelf - 1]
    if robot:
        code += ROBOT + DIRECTION * s.facing[robot - 1]
        if s.load[robot - 1]:
            code += LOADED
    s.codes[cell] = code


@large_kernel
def step(s, actions, rewards):
    robots = s.cell.shape[0]
    for a in range(robots):
        s.message[a] = actions[a] // len(ACTIONS)
        s.target[a] = aim(s, a, actions[a] % len(ACTIONS))
    crowd.resolve(s)
    for a in range(robots):
        if s.moves[a]:
            s.who[s.cell[a]] = 0
            if s.load[a]:
                s.shelf_at[s.cell[a]] = 0
    for a in range(robots):
        act(s, a, actions[a] % len(ACTIONS), rewards)
    for a in range(robots):
        if s.moves[a]:  # until here the target was where it has come from
            show(s, s.target[a])
            s.target[a] = s.cell[a]
        show(s, s.cell[a])
    deliver(s, rewards)
    if s.t >= s.params.horizon or (s.params.patience > 0 and s.idle >= s.params.patience):
        fill(s.truncated, 1)


@kernel
def aim(s, a, action):
    """The cell that a robot wants to be in; its own at a wall, and with a shelf before another one."""
    cell = np.int64(s.cell[a])
    if action != FORWARD:
        return cell
    to = cell + ahead(s.facing[a], stride(s))
    if s.codes[to] // GROUND == OUTSIDE:
        return cell
    if s.load[a] and s.shelf_at[to] and not s.codes[to] & LOADED:
        return cell
    return to


@kernel
def act(s, a, action, rewards):
    """What a robot does once it is known who moves; the cells that moving robots leave are already empty."""
    if s.moves[a]:
        s.cell[a], s.target[a] = s.target[a], s.cell[a]
        s.who[s.cell[a]] = a + 1
        if s.load[a]:
            s.shelf_at[s.cell[a]] = s.load[a]
            s.shelf_cell[s.load[a] - 1] = s.cell[a]
    elif action == TURN_LEFT:
        s.facing[a] = s.facing[a] + 3 & 3
    elif action == TURN_RIGHT:
        s.facing[a] = s.facing[a] + 1 & 3
    elif action == TOGGLE:
        if s.load[a] == 0:
            s.load[a] = s.shelf_at[s.cell[a]]
        elif s.codes[s.cell[a]] // GROUND == PLACE:
            s.load[a] = 0
            if s.delivered[a] and s.params.reward == TWO_STAGE:
                rewards[a] += 0.5
            s.delivered[a] = 0


@large_kernel
def deliver(s, rewards):
    """Requested shelves on goals are delivered, and others requested."""
    s.idle += 1
    for k in range(s.goal_count):
        shelf, robot = np.int64(s.shelf_at[s.goals[k]]) - 1, np.int64(s.who[s.goals[k]]) - 1
        if shelf < 0 or s.requested[shelf] == 0:
            continue
        s.idle = 0
        s.score[robot] += 1
        if s.params.reward == GLOBAL:
            for a in range(s.cell.shape[0]):
                rewards[a] += 1.0
        elif s.params.reward == INDIVIDUAL:
            rewards[robot] += 1.0
        else:
            s.delivered[robot] = 1
            rewards[robot] += 0.5
        new = unrequested(s, s.requests.shape[0])
        for j in range(s.requests.shape[0]):
            if s.requests[j] == shelf:
                s.requests[j] = new
        s.requested[shelf] = 0
        s.requested[new] = 1
        show(s, s.goals[k])
        show(s, s.shelf_cell[new])


def _write_codes(observation, s, agent):
    window, radius = observation.window, s.params.radius
    corner = s.cell[agent] - radius * stride(s) - radius
    for i in range(window.shape[0]):
        first = corner + i * stride(s)
        for j in range(window.shape[1]):
            window[i, j] = s.codes[np.uint64(first + j)]
    observation.own[0] = s.cell[agent] % stride(s) - radius
    observation.own[1] = s.cell[agent] // stride(s) - radius
    _write_messages(observation, s, corner)


def _messages(observation, s, corner):
    messages = observation.messages
    for i in range(messages.shape[0]):
        for j in range(messages.shape[1]):
            robot = np.int64(s.who[corner + i * stride(s) + j])
            messages[i, j] = s.message[robot - 1] if robot else 0


def _no_messages(observation, s, corner):
    pass


_write_messages = by_fields(lambda names: "messages" in names, _messages, _no_messages)


def _write_vector(observation, s, agent):
    radius, cell = s.params.radius, np.int64(s.cell[agent])
    (height, width), bits = s.level.ground.shape, s.params.message_bits
    x, y = cell % stride(s) - radius, cell // stride(s) - radius
    observation[0] = x / (width - 1) if s.params.normalised else x
    observation[1] = y / (height - 1) if s.params.normalised else y
    observation[2] = s.load[agent] > 0
    for k in range(4):
        observation[3 + k] = _HOT[s.facing[agent]] == k
    observation[7] = s.codes[cell] // GROUND != PLACE
    at = 8
    for i in range(-radius, radius + 1):
        for j in range(-radius, radius + 1):
            there = cell + i * stride(s) + j
            code, robot = np.int64(s.codes[there]), np.int64(s.who[there])
            observation[at] = robot > 0
            facing = _HOT[code // DIRECTION & 3] if robot else 0
            for k in range(4):
                observation[at + 1 + k] = facing == k
            for k in range(bits):
                observation[at + 5 + k] = s.message[robot - 1] >> bits - 1 - k & 1 if robot else 0
            observation[at + 5 + bits] = code & SHELF
            observation[at + 6 + bits] = code // REQUESTED & 1
            at += 7 + bits


_write = by_fields(lambda names: names is not None, _write_codes, _write_vector)


@large_kernel
def observe(s, agent, out):
    _write(out, s, agent)


class Warehouse(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("teams", "operations")
    verified = "`rware`, step by step"
    variants = (
        dict(players=5, rows=2, shelf_height=2, radius=2, message_bits=2, reward="two_stage", patience=60),
        dict(players=4, shelf_height=2, observation="vector", message_bits=1, reward="global", normalised=True),
    )
    shown = "planner"
    keys = {"up": "forward", "left": "left", "right": "right", "space": "toggle", ".": "noop"}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        players: Annotated[int, Between(1, 1024)] = 2,
        rows: Annotated[int, Between(1, 12)] = 1,
        columns: Annotated[int, Between(3, 21)] = 3,
        shelf_height: Annotated[int, Between(1, 61)] = 8,
        requests: Annotated[int | None, Between(1, 1024)] = None,
        radius: Annotated[int, Between(1, 64)] = 1,
        message_bits: Annotated[int, Between(0, 4)] = 0,
        reward: Literal["individual", "global", "two_stage"] = "individual",
        observation: Literal["codes", "vector"] = "codes",
        normalised: bool = False,
        horizon: Annotated[int, Between(1, 1_000_000)] = 500,
        patience: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        height, width = depots.sides(rows, columns, shelf_height)
        wanted = players if requests is None else requests
        if 2 * players > height * width:
            raise ParameterError(f"Warehouse: {players} robots do not fit: at most {height * width // 2} in this map")
        shelves = sum(
            not depots.is_highway(y, x, height, width, shelf_height + 1) for y in range(height) for x in range(width)
        )
        if wanted >= shelves:
            raise ParameterError(f"Warehouse: {wanted} requests need {wanted + 1} shelves or more; there are {shelves}")
        self.utility = "identical" if reward == "global" else "general"
        self.define(
            agents=[f"robot_{a}" for a in range(players)],
            actions=_names(message_bits),
            observation=_space(observation, height, width, radius, message_bits, normalised),
            fields=fields(players, height, width, wanted, radius),
            params={
                "block": fixed(shelf_height + 1),
                "radius": fixed(radius),
                "message_bits": fixed(message_bits),
                "normalised": normalised,
                "reward": among(REWARDS, reward),
                "horizon": horizon,
                "patience": limited(0 if patience is None else patience, 0, 1_000_000),
            },
            reward_range=(0.0, float(MOST_GOALS) if reward == "global" else 1.0),
        )

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        robots = [
            [*self._place(s, int(cell)), DIRECTIONS[facing]]
            for cell, facing in zip(s.start.cell, s.start.facing.tolist())
        ]
        requests = [int(shelf) for shelf in s.start.requests]
        return {"map": depots.write(np.asarray(s.level.ground)), "robots": robots, "requests": requests}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.id, level, {"map", "robots", "requests"})
        height, width = s.level.ground.shape
        ground = depots.read(level["map"], height, width, self.id)
        shelves, needed = int((ground == PLACE).sum()), len(s.start.requests)
        if shelves <= needed:
            raise LevelError(f"{self.id}: the level has {shelves} shelves; {needed} requests need {needed + 1} or more")
        s.level.ground[:] = ground
        s.start.given = "robots" in level or "requests" in level
        if not s.start.given:
            return
        robots, requests = level["robots"], level["requests"]
        if len(robots) != len(self.agents) or len(requests) != needed:
            raise LevelError(
                f"{self.id}: the level has {len(robots)} robots and {len(requests)} requests, "
                f"not {len(self.agents)} and {needed}"
            )
        for a, (y, x, direction) in enumerate(robots):
            if not (_is_number(y, height) and _is_number(x, width) and direction in DIRECTIONS):
                raise LevelError(
                    f"{self.id}: {self.agents[a]} starts at {[y, x, direction]!r}, not a row, a column and a direction"
                )
            s.start.cell[a] = cell_of(s, y, x)
            s.start.facing[a] = DIRECTIONS.index(direction)
        if len({(y, x) for y, x, _ in robots}) < len(robots):
            raise LevelError(f"{self.id}: two robots of the level start in one cell")
        what = f"{self.id}: the level's requests"
        s.start.requests[:] = read_numbers(requests, what, (needed,), 0, shelves - 1, whole=True)
        if len(set(requests)) < needed:
            raise LevelError(f"{what} must be different numbers")

    def _place(self, s: Any, cell: int) -> tuple[int, int]:
        """The row and column of a cell."""
        return cell // stride(s) - margin(s), cell % stride(s) - margin(s)

    def contradiction(self, s: Any) -> str | None:
        ground = np.pad(s.level.ground, margin(s)).reshape(-1).astype(np.int64)
        count, goals = int(s.count), s.goals[: s.goal_count]
        if count != (ground == PLACE).sum() or not np.array_equal(goals, np.flatnonzero(ground == GOAL)):
            return "shelves and goals are not those of the level"
        if count <= len(s.requests):
            return "all shelves are requested"
        cells, loads = s.shelf_cell[:count], s.load[s.load > 0].astype(np.int64) - 1
        if (ground[np.concatenate([s.cell, s.target, cells])] == OUTSIDE).any():
            return "a robot or shelf is outside of the map"
        if (s.requests >= count).any() or (loads >= count).any():
            return "a robot has a shelf, or one is requested, that does not exist"
        if any(len(np.unique(listed)) < len(listed) for listed in (s.cell, cells, loads, s.requests)):
            return "two robots or shelves are in one cell, or a shelf is carried or requested twice"
        if (s.shelf_cell[loads] != s.cell[s.load > 0]).any():
            return "a carried shelf is not where its robot is"
        who, shelf_at, requested = np.zeros_like(s.who), np.zeros_like(s.shelf_at), np.zeros_like(s.requested)
        who[s.cell] = 1 + np.arange(len(s.cell))
        shelf_at[cells] = 1 + np.arange(count)
        requested[s.requests] = 1
        codes = GROUND * ground + SHELF * (shelf_at > 0)
        codes[s.shelf_cell[s.requests]] += REQUESTED
        codes[s.cell] += ROBOT + DIRECTION * s.facing + LOADED * (s.load > 0)
        pairs = (who, s.who), (shelf_at, s.shelf_at), (requested, s.requested), (codes, s.codes)
        if any((expected != found).any() for expected, found in pairs):
            return "the planes do not show the robots, shelves and requests that are listed"
        return None

    # Observations, texts and pictures.

    def state_space(self) -> Dict:
        """The codes of all cells; of each robot, its row and column."""
        height, width = depots.sides(*(self.parameters[name] for name in ("rows", "columns", "shelf_height")))
        last = np.tile(np.array([height - 1, width - 1], np.uint8), (len(self.agents), 1))
        return Dict(
            {
                "codes": Box(0, 255, (height, width), np.uint8),
                "robots": Box(np.zeros_like(last), last, dtype=np.uint8),
            }
        )

    def state(self, records: np.ndarray, observations: np.ndarray) -> dict[str, np.ndarray]:
        radius, (height, width) = self.parameters["radius"], records["level"]["ground"].shape[1:]
        codes = records["codes"].reshape(len(records), height + 2 * radius, width + 2 * radius)
        robots = np.stack(np.divmod(records["cell"].astype(np.int64), width + 2 * radius), -1) - radius
        return {
            "codes": codes[:, radius : radius + height, radius : radius + width].copy(),
            "robots": robots.astype(np.uint8),
        }

    def _window(self, s: Any, agent: int) -> np.ndarray:
        """The codes that a robot sees; without the ground, but of its own cell, where it is not observed."""
        radius = margin(s)
        y, x = divmod(int(s.cell[agent]), stride(s))
        codes = np.asarray(s.codes).reshape(-1, stride(s))[y - radius : y + radius + 1, x - radius : x + radius + 1]
        codes = codes.astype(np.int64)
        if self.parameters["observation"] == "vector":
            own = PLACE if codes[radius, radius] // GROUND == PLACE else HIGHWAY
            codes = codes % GROUND + GROUND * HIGHWAY
            codes[radius, radius] += GROUND * (own - HIGHWAY)
        return codes

    def text(self, s: Any, agent: int) -> str:
        codes, radius = self._window(s, agent), margin(s)
        own = int(codes[radius, radius])
        y, x = self._place(s, int(s.cell[agent]))
        load = "no shelf"
        if own & LOADED:
            load = (
                "a requested shelf: bring it to a goal" if own & REQUESTED else "a shelf: put it down at a free place"
            )
        rows = ["  " + " ".join(_letter(int(code)) for code in row) for row in codes]
        rows[radius] = rows[radius][: 2 + 2 * radius] + "@" + rows[radius][3 + 2 * radius :]
        ground = "" if self.parameters["observation"] == "vector" else " _ free place, g goal, # outside,"
        lines = [
            f"You are in row {y} and column {x}, and look {DIRECTIONS[s.facing[agent]]}.",
            f"You carry {load}.",
            "What you see (you are @; > v < ^ are robots and R robots with a shelf, x is a shelf, X a requested one,"
            f"{ground} . free; north is up):",
            *rows,
        ]
        if own & SHELF and not own & LOADED:
            lines.append("Your cell has a requested shelf." if own & REQUESTED else "Your cell has a shelf.")
        elif own // GROUND == PLACE:
            lines.append("Your cell is a place for shelves.")
        if bits := self.parameters["message_bits"]:
            heard = [f"{s.message[b]:0{bits}b} {' '.join(steps(*at))}" for b, at in self._neighbors(s, agent)]
            lines.append(f"Messages: {'; '.join(heard) or 'none'}. Yours: {s.message[agent]:0{bits}b}.")
        lines.append(f"{s.t} of {s.params.horizon} steps are over.")
        return "\n".join(lines)

    def _neighbors(self, s: Any, agent: int) -> list[tuple[int, tuple[int, int]]]:
        """The other robots that a robot sees, from the top row down, and how far down and right each is."""
        y, x = self._place(s, int(s.cell[agent]))
        found = []
        for b in range(len(self.agents)):
            j, i = self._place(s, int(s.cell[b]))
            if b != agent and max(abs(j - y), abs(i - x)) <= margin(s):
                found.append((b, (j - y, i - x)))
        return sorted(found, key=lambda one: one[1])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The warehouse, with requested shelves in gold; for a robot, what it sees."""
        if agent is not None:
            codes = self._window(s, agent)
            scene = Scene(len(codes), len(codes))
            scene.add(*_cells(codes))
            for b, (down, right) in self._neighbors(s, agent):
                there = codes[margin(s) + down, margin(s) + right]
                scene.add(*_robot(margin(s) + right, margin(s) + down, there, "grey", ""))
                if self.parameters["message_bits"]:
                    sign = f"{s.message[b]:x}"
                    scene.add(Label(margin(s) + right + 0.84, margin(s) + down + 0.18, sign, 0.26, terminal=False))
            middle = margin(s)
            scene.add(*_robot(middle, middle, codes[middle, middle], agent_color(agent), agent_sign(agent)))
            footer(scene, f"{s.t} / {s.params.horizon}", self.agents[agent])
            return scene
        (height, width), radius = s.level.ground.shape, margin(s)
        codes = np.asarray(s.codes).reshape(-1, stride(s))[radius : radius + height, radius : radius + width]
        scene = Scene(width, height)
        scene.add(*_cells(codes.astype(np.int64)))
        for a, cell in enumerate(s.cell.tolist()):
            y, x = self._place(s, cell)
            scene.add(*_robot(x, y, int(codes[y, x]), agent_color(a), agent_sign(a)))
        footer(scene, f"{s.t} / {s.params.horizon}", f"{int(s.score.sum())} delivered")
        return scene

    def layout(self, ground: np.ndarray) -> Scene:
        """The picture of a layout with its shelves."""
        scene = Scene(ground.shape[1], len(ground))
        scene.add(*_cells(ground.astype(np.int64) * GROUND + SHELF * (ground == PLACE)))
        return scene


def _names(bits: int) -> list[str]:
    if bits == 0:
        return list(ACTIONS)
    return [f"{name} {message:0{bits}b}" for message in range(2**bits) for name in ACTIONS]


def _space(form: str, height: int, width: int, radius: int, bits: int, normalised: bool) -> Box | Dict:
    side = 2 * radius + 1
    if form == "vector":
        high = np.ones(8 + side * side * (7 + bits), np.float32)
        high[:2] = 1 if normalised else (width - 1, height - 1)
        return Box(np.zeros_like(high), high, dtype=np.float32)
    parts: dict[str, Space] = {
        "window": Box(0, 255, (side, side), np.uint8),
        "own": Box(np.zeros(2, np.uint8), np.array([width - 1, height - 1], np.uint8), dtype=np.uint8),
    }
    if bits:
        parts["messages"] = Box(0, 2**bits - 1, (side, side), np.uint8)
    return Dict(parts)


def _is_number(value: Any, count: int) -> bool:
    return is_integer(value) and 0 <= value < count


def _letter(code: int) -> str:
    if code & ROBOT:
        return "R" if code & LOADED else ">v<^"[code // DIRECTION & 3]
    if code & SHELF:
        return "X" if code & REQUESTED else "x"
    return "#._g"[code // GROUND]


def _cells(codes: np.ndarray) -> list[Shape]:
    """The ground and the shelves of cells from (0, 0) on."""
    height, width = codes.shape
    shapes: list[Shape] = list(grid(0, 0, width, height))
    for (y, x), code in np.ndenumerate(codes):
        ground = code // GROUND
        if ground == OUTSIDE:
            shapes.append(Rect(x, y, 1, 1, "wall", glyph="##"))
        elif ground == PLACE:
            shapes.append(Rect(x + 0.04, y + 0.04, 0.92, 0.92, "soil", radius=0.08, glyph="_"))
        elif ground == GOAL:
            shapes.append(Rect(x + 0.06, y + 0.06, 0.88, 0.88, "good@0.3", "good", 0.06, 0.1, glyph="g"))
        if code & SHELF:
            shapes += _shelf(x, y, bool(code & REQUESTED))
    return shapes


def _shelf(x: float, y: float, requested: bool) -> list[Shape]:
    wood = "gold" if requested else "brown"
    return [
        Rect(
            x + 0.1, y + 0.1, 0.8, 0.8, wood, "ink" if requested else None, 0.05, 0.06, glyph="X" if requested else "x"
        ),
        *(Rect(x + 0.17, y + 0.17 + 0.25 * k, 0.66, 0.16, "white@0.35", glyph="") for k in range(3)),
    ]


def _robot(x: float, y: float, code: int, color: str, sign: str) -> list[Shape]:
    """A robot in the cell at (x, y), in a ring if it carries a shelf."""
    shapes: list[Shape] = []
    if code & LOADED:
        ring = "gold" if code & REQUESTED else "white"
        shapes.append(Circle(x + 0.5, y + 0.5, 0.44, None, ring, 0.08, glyph=""))
    return [*shapes, *avatar(x + 0.5, y + 0.5, int(code // DIRECTION & 3), color, 0.86, sign)]


env, raw_env, parallel_env = pettingzoo_forms(Warehouse)
