"""PathFinding: many agents share a map, each with its own target, and block one another (POGEMA).

**Rules.** A grid of `height` x `width` cells has obstacles and a wall around it. All agents act at once: each stays or
moves one cell. A cell holds one agent at most. `collision` decides which moves succeed:

- "priority": agents move one after another in the order of their numbers, onto cells that are free by then. Two agents
  cannot change places, and a circle of agents cannot turn.
- "block both": an agent moves onto a cell that no agent was on at the start of the step and that no other agent chose.
- "soft": trains and circles of agents move as a whole, but no two agents change places. If several agents choose a
  cell, the lowest number gets it. An agent that cannot move blocks those that follow it.

`on_target` decides what happens at a target:

- "restart": the agent gets a new target, any other cell that it can reach.
- "finish": the agent is done and leaves the grid.
- "nothing": all agents must be on their targets at the same time.

**Agents.** `player_0` ... `player_7`, or 1 to 1,024 agents.

**Observation.** Box (3, 2 r + 1, 2 r + 1) uint8 with r = `radius`: the cells around the agent, which is in the middle;
north is up.

| plane | value 1 where |
|---|---|
| 0 | there is an obstacle or the wall around the map; the wall is one cell thick, and cells beyond it are 0 |
| 1 | there is an agent, the observing agent included |
| 2 | the target is; a target more than r rows or columns away is shown in the nearest cell of the plane's edge |

**Actions.** Discrete (5), all of them always legal. An impossible move leaves the agent where it is.

| action | name |
|---|---|
| 0 | `stay` |
| 1 | `north` |
| 2 | `south` |
| 3 | `west` |
| 4 | `east` |

**Window.** The arrow keys move the agent, and the key . stays.

**Rewards.** 1 to an agent that is on its target after a step. With "nothing", 1 to all agents once all are on their
targets.

**Ends.** Truncated after `horizon` steps. With "finish", an agent terminates on its target; with "nothing", all agents
terminate together.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 8 | number of agents, from 1 to 1,024 and at most half the number of cells, with or without a level |
| `height`, `width` | 15, 15 | cells of the grid, from 3 to 253; odd for "maze" |
| `map` | "random" | "random" obstacles, "maze" with loops, "rooms" of 5 x 5 cells with doors, or "caves" |
| `density` | 0.2 | probability of an obstacle in a cell of "random" maps, from 0 to 1 |
| `radius` | 5 | how far agents see, from 1 to 15 |
| `on_target` | "restart" | "restart", "finish" or "nothing", see the rules |
| `collision` | "priority" | "priority", "block both" or "soft", see the rules |
| `horizon` | 256 | steps until truncation, from 1 to 1,000,000 |

Starts and targets are different cells. They are drawn as in POGEMA: the free cells of a region, in random order, are a
start, its target, the next start, and so on. A map without room for all agents is drawn again; "random" maps get fewer
obstacles each time. After ten failures, the map is empty.

**Level.** ``{"map": ["..#", "...", "#.."], "starts": [[0, 0]], "goals": [[2, 2]]}``: rows of obstacles `#` and free
cells `.`, without the wall around them, then the row and column of each agent's start and target. Starts and goals that
are left out are drawn. A goal may be a list of 2 to 8 targets, which the agent gets in turn, again and again.

**Known values.** POGEMA's metrics follow from the returns:

| `on_target` | metric |
|---|---|
| "finish" | an agent's return is 1 if it arrived; ISR is the mean of the returns, and CSR is 1 if all are 1 |
| "nothing" | each agent's return is CSR |
| "restart" | the throughput is the sum of all returns / horizon |

`envsuite.agents.gridworlds.path_finding` reports the throughput of its policies. An agent whose region has only two
cells can reach a target at every step.

**Differences.** From POGEMA 1.4:

- Planes are uint8 instead of float32.
- New targets come from the world's random stream; there each agent has a generator.
- There, with soft collisions, an agent that moves onto a cell left by a higher number is missing in plane 1 until the
  next step. Here it is never missing.
- There, obstacles under the starts and goals of a level are removed; here they are an error.
- There, too many maps without room are an error; here an empty map follows.
- The default there is one agent on 8 x 8 cells with density 0.3, "finish", and 64 steps.

**Source.** Skrynnik et al., "POGEMA: Partially Observable Grid Environment for Multiple Agents", 2022, and "POGEMA: A
Benchmark Platform for Cooperative Multi-Agent Pathfinding", 2024; the rules are those of the package `pogema` 1.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_letters, read_numbers, write_letters
from envsuite.core.page import Case, Page, When
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import grids
from envsuite.generators.caves import smooth
from envsuite.generators.grids import FREE, WALL
from envsuite.generators.mazes import backtracker
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape, footer, grid
from envsuite.render.theme import agent_color, agent_sign, text_on

ACTIONS = ("stay", "north", "south", "west", "east")
STAY, NORTH, SOUTH, WEST, EAST = range(5)

MAPS = ("random", "maze", "rooms", "caves")
RANDOM, MAZE, ROOMS, CAVES = range(4)
ON_TARGET = ("restart", "finish", "nothing")
RESTART, FINISH, NOTHING = range(3)
COLLISIONS = ("priority", "block both", "soft")
PRIORITY, BLOCK_BOTH, SOFT = range(3)

OBSTACLE, AGENT, TARGET = range(3)

#: The most targets that a level can give to an agent.
TARGETS = 8

# The number of maps that are drawn before an empty one is used.
_TRIES = 10
# Mazes: the share of walls that are left out. Rooms: their side plus one wall. Caves: see their generator.
_GAPS = 0.1
_ROOM = 6
_ROCK, _ROUNDS = 0.42, 3

#: Up to this number of agents, pictures have lines from agents to their targets.
_LINED = 24

_DY = np.array([0, -1, 1, 0, 0])
_DX = np.array([0, 0, 0, -1, 1])

# Two numberings of cells, row by row, are used. "Inner" cells are those of `s.level.grid`, the map and the wall around
# it, as generators take them. The others are cells of the planes, with the radius around the map for views at its edge.


def fields(players: int, height: int, width: int, radius: int) -> list[tuple]:
    """The record; *cells* count in the level's grid, *places* in the planes, with a margin for views."""
    cells = (height + 2) * (width + 2)
    plane = (height + 2 * radius, width + 2 * radius)
    places = plane[0] * plane[1]
    cell, corner = below(np.uint16, cells), (radius - 1) * (plane[1] + 1)  # the place of cell 0
    place = within(np.uint32, corner, places - 1 - corner)
    low, high = (np.pad(np.pad(np.full((height, width), k), 1, constant_values=1), radius - 1) for k in range(2))
    level = [
        ("grid", grids.inside(height + 2, width + 2, FREE), (height + 2, width + 2)),  # the map and the wall around it
        ("placed", flag()),  # whether there are starts and goals
        ("starts", cell, (players,)),  # cells
        ("goals", cell, (players, TARGETS)),  # one and then random ones, or a list to go round in
        ("counts", within(np.uint8, 1, TARGETS), (players,)),  # of goals
    ]
    scratch = [
        *((name, below(np.uint16, 1), (cells,)) for name in ("queue", "marks")),
        ("left", within(np.uint16, 0, height * width), (cells,)),
    ]
    return [
        ("level", np.dtype(level, align=True)),
        ("scratch", np.dtype(scratch, align=True)),  # for `grids`
        ("free_count", within(np.int64, 0, height * width)),  # free cells
        ("spots", cell, (cells,)),  # these, those of a region together
        ("region", cell, (cells,)),  # where in `spots` a cell's region begins
        ("extent", within(np.uint16, 0, height * width), (cells,)),  # how many cells it has
        ("obstacles", within(np.uint8, low, high), plane),  # whether there is one
        ("agents", flag(), (places,)),  # whether one is there
        ("claims", below(np.uint8, 1), (places,)),  # this and `who` only within a step: who wants to be there
        ("who", below(np.uint16, 1), (places,)),
        ("at", place, (players,)),  # places
        ("to", place, (players,)),  # where they would be; only within a step
        ("target", place, (players,)),
        ("next", below(np.int32, TARGETS), (players,)),  # which one of a list of targets it is
        ("reached", within(np.int32, 0, 2**30), (players,)),  # targets so far
    ]


@large_kernel
def reset(s):
    if s.level_given:
        find_regions(s)
        if not s.level.placed:
            place(s)
    else:
        for left in range(_TRIES, -1, -1):
            kind = s.params.map if left > 0 else RANDOM
            draw_map(s, kind, s.params.density * left / _TRIES)
            find_regions(s)
            if place(s):
                break
    grids.tidy(s)
    lay_out(s)


@large_kernel
def draw_map(s, kind, density):
    """Draw a map, with a wall around it."""
    height, width = s.level.grid.shape
    if kind == CAVES:
        density = _ROCK
    for y in range(height):
        for x in range(width):
            free = 0 < y < height - 1 and 0 < x < width - 1
            if kind == MAZE:
                free = (x & y & 1) == 1 or (free and (x ^ y) & 1 == 1 and bernoulli(s, _GAPS))
            elif kind != ROOMS and free:
                free = not bernoulli(s, density)
            s.level.grid[y, x] = FREE if free else WALL
    grids.unmark(s)
    if kind == MAZE:
        backtracker(s)
    elif kind == ROOMS:
        build_rooms(s)
    elif kind == CAVES:
        for _ in range(_ROUNDS):
            smooth(s)


@kernel
def span(corner, length):
    """The number of cells of a room from the wall at `corner` on; the last rooms extend to the wall around the map."""
    return _ROOM - 1 if corner + _ROOM < length - 2 else length - 2 - corner


@large_kernel
def build_rooms(s):
    """Walls at equal distances, with one door between any two rooms that are side by side."""
    height, width = s.level.grid.shape
    for y in range(0, height - 2, _ROOM):
        for x in range(0, width - 2, _ROOM):
            rows, columns = span(y, height), span(x, width)
            if x > 0:
                for k in range(y, y + rows + 1):
                    s.level.grid[k, x] = WALL
                s.level.grid[y + 1 + randint(s, rows), x] = FREE
            if y > 0:
                for k in range(x, x + columns + 1):
                    s.level.grid[y, k] = WALL
                s.level.grid[y, x + 1 + randint(s, columns)] = FREE


@large_kernel
def find_regions(s):
    """List the free cells in `spots`, region by region. A region is the `extent` of spots from `region` on."""
    grids.unmark(s)
    reached = np.int64(0)
    for cell in range(s.level.grid.size):
        if grids.cell_at(s, cell) == FREE and s.scratch.marks[np.uint64(cell)] == 0:
            first = reached
            reached = grids.flood(s, np.int64(cell), first)
            s.extent[np.uint64(first)] = reached - first
            for k in range(first, reached):
                s.region[np.uint64(s.scratch.queue[np.uint64(k)])] = first
    for k in range(reached):
        s.spots[np.uint64(k)] = s.scratch.queue[np.uint64(k)]
    s.free_count = reached


@large_kernel
def place(s):
    """Draw starts and goals; False if there is no room for all agents."""
    players = s.at.shape[0]
    order, waiting, left = s.scratch.queue, s.scratch.marks, s.scratch.left
    for k in range(s.free_count):
        order[np.uint64(k)] = s.spots[np.uint64(k)]
        left[np.uint64(k)] = s.extent[np.uint64(k)]  # of a region, at its first index: cells not yet taken
        waiting[np.uint64(k)] = 0  # there: one more than the agent without a goal
    count, done = 0, 0
    for k in range(s.free_count):
        if done == players:
            break
        chosen = np.uint64(k + randint(s, s.free_count - k))
        cell = np.int64(order[chosen])
        order[chosen] = order[np.uint64(k)]
        first = np.uint64(s.region[np.uint64(cell)])
        if waiting[first] != 0:
            s.level.goals[np.int64(waiting[first]) - 1, 0] = cell
            waiting[first] = 0
            done += 1
        elif count < players and left[first] >= 2:
            left[first] -= 2
            s.level.starts[count] = cell
            s.level.counts[count] = 1
            count += 1
            waiting[first] = count
    return done == players


@kernel
def stride(s):
    """Cells in a row of the planes."""
    return s.obstacles.shape[1]


@kernel
def margin(s):
    """Rows and columns of the planes around the level's grid."""
    return (s.obstacles.shape[0] - s.level.grid.shape[0]) // 2


@kernel
def outer(s, cell):
    """The cell of the planes for a cell of the level's grid."""
    width = s.level.grid.shape[1]
    return (cell // width + margin(s)) * stride(s) + cell % width + margin(s)


@kernel
def inner(s, cell):
    """The cell of the level's grid for a cell of the planes."""
    width = s.level.grid.shape[1]
    return (cell // stride(s) - margin(s)) * width + cell % stride(s) - margin(s)


@large_kernel
def lay_out(s):
    """Fill the planes from the level, and place the agents."""
    obstacles = s.obstacles.reshape(s.obstacles.size)
    for k in range(obstacles.size):
        obstacles[k] = 0
        s.agents[k] = 0
        s.claims[k] = 0
        s.who[k] = 0
    for cell in range(s.level.grid.size):
        obstacles[outer(s, cell)] = grids.cell_at(s, cell) == WALL
    for a in range(s.at.shape[0]):
        s.at[a] = outer(s, np.int64(s.level.starts[a]))
        s.to[a] = s.at[a]
        s.target[a] = outer(s, np.int64(s.level.goals[a, 0]))
        s.next[a] = 0
        s.reached[a] = 0
        s.agents[s.at[a]] = 1


@kernel
def step(s, actions, rewards):
    if s.params.collision == PRIORITY:
        move_in_turn(s, actions)
    else:
        move_at_once(s, actions)
    if s.t >= s.params.horizon:
        for a in range(s.at.shape[0]):
            s.truncated[a] = 1 - s.terminated[a]
    arrive(s, rewards)


@kernel
def ahead(s, a, action):
    """The cell that an agent's action leads to. Unsigned indices avoid code for negative ones."""
    return np.uint64(s.at[a] + _DY[action] * stride(s) + _DX[action])


@kernel
def move_in_turn(s, actions):
    obstacles = s.obstacles.reshape(s.obstacles.size)
    for a in range(s.at.shape[0]):
        to = ahead(s, a, actions[a])
        if s.terminated[a] == 0 and obstacles[to] + s.agents[to] == 0:
            s.agents[s.at[a]] = 0
            s.agents[to] = 1
            s.at[a] = to


@large_kernel
def move_at_once(s, actions):
    """Move all agents at once. Meanwhile `claims` counts the agents that chose a cell; `who` is the agent there, plus
    1.
    """
    obstacles, players = s.obstacles.reshape(s.obstacles.size), s.at.shape[0]
    for a in range(players):
        if s.terminated[a] == 0:
            s.to[a] = ahead(s, a, actions[a])
            s.claims[s.to[a]] += 1
            s.who[s.at[a]] = a + 1
    if s.params.collision == SOFT:
        settle(s)
    else:
        for a in range(players):
            to = s.to[a]
            if s.terminated[a] == 0 and (s.claims[to] > 1 or s.who[to] != 0 or obstacles[to] != 0):
                s.to[a] = s.at[a]
    for a in range(players):
        if s.terminated[a] == 0:
            s.claims[ahead(s, a, actions[a])] = 0
            s.claims[s.at[a]] = 0
            s.who[s.at[a]] = 0
            s.agents[s.at[a]] = 0
    for a in range(players):
        if s.terminated[a] == 0:
            s.at[a] = s.to[a]
            s.agents[s.at[a]] = 1


@large_kernel
def settle(s):
    """Resolve soft collisions, in POGEMA's order."""
    obstacles, players = s.obstacles.reshape(s.obstacles.size), s.at.shape[0]
    for a in range(players):
        other = np.int64(s.who[s.to[a]]) - 1
        if s.terminated[a] == 0 and other > a and s.to[other] == s.at[a]:  # they would change places
            s.claims[s.to[a]] -= 1
            s.claims[s.at[a]] += 1
            s.to[a] = s.at[a]
    for last in range(players - 1, -1, -1):
        a = np.int64(last)
        blocked = s.terminated[a] == 0 and (s.claims[s.to[a]] > 1 or obstacles[s.to[a]] != 0)
        while blocked:  # it stays; so does the first of the agents that wanted to follow it, and so on
            s.claims[s.to[a]] -= 1
            s.to[a] = s.at[a]
            s.claims[s.at[a]] += 1
            first = players
            for action in range(1, 5):
                other = np.int64(s.who[ahead(s, a, action)]) - 1
                if 0 <= other < first and s.to[other] == s.at[a]:
                    first = other
            blocked = first < players
            a = first


@kernel
def arrive(s, rewards):
    """Find the agents on their targets."""
    players = s.at.shape[0]
    there = 0
    for a in range(players):
        if s.at[a] == s.target[a] and s.terminated[a] == 0:
            there += 1
            if s.params.on_target != NOTHING:
                rewards[a] = 1.0
                s.reached[a] += 1
            if s.params.on_target == RESTART:
                new_target(s, a)
            elif s.params.on_target == FINISH:
                s.terminated[a] = 1
                s.agents[s.at[a]] = 0
    if there == players and s.params.on_target == NOTHING:
        for a in range(players):
            rewards[a] = 1.0
            s.reached[a] = 1
            s.terminated[a] = 1


@large_kernel
def new_target(s, a):
    """The next target of the level's list, or a random cell of the region other than the agent's."""
    count = np.int64(s.level.counts[a])
    if count > 1:
        s.next[a] = (s.next[a] + 1) % count
        s.target[a] = outer(s, np.int64(s.level.goals[a, s.next[a]]))
        return
    cell = inner(s, np.int64(s.at[a]))
    first = np.int64(s.region[np.uint64(cell)])
    others = np.int64(s.extent[np.uint64(first)]) - 1
    if others > 0:
        chosen = np.int64(s.spots[np.uint64(first + randint(s, others))])
        if chosen == cell:  # the last cell replaces it: all others are equally likely
            chosen = np.int64(s.spots[np.uint64(first + others)])
        s.target[a] = outer(s, chosen)


@kernel
def copy_eight(source, start, target, first):
    """Copy eight bytes. All are read before any is written, so the compiler uses one load and one store."""
    word = np.uint64(0)
    for k in range(8):
        word |= np.uint64(source[start + np.uint64(k)]) << np.uint64(8 * k)
    for k in range(8):
        target[first + np.uint64(k)] = np.uint8(word >> np.uint64(8 * k))


@kernel
def copy(source, start, target, first, length):
    """Copy a row of bytes."""
    if length < 8:
        for k in range(length):
            target[first + k] = source[start + k]
    else:
        for k in range(np.uint64(0), length - np.uint64(7), np.uint64(8)):
            copy_eight(source, start + k, target, first + k)
        copy_eight(source, start + length - np.uint64(8), target, first + length - np.uint64(8))


@kernel
def observe(s, agent, out):
    obstacles, cells = s.obstacles.reshape(s.obstacles.size), out.reshape(out.size)
    side = np.uint64(out.shape[1])
    radius = np.int64(side) // 2
    at, target = np.int64(s.at[agent]), np.int64(s.target[agent])
    corner = np.uint64(at - radius * stride(s) - radius)
    for i in range(side):
        row = corner + i * np.uint64(stride(s))
        copy(obstacles, row, cells, i * side, side)
        copy(s.agents, row, cells, (side + i) * side, side)
    for k in range(np.uint64(TARGET) * side * side, np.uint64(cells.size)):
        cells[k] = 0
    down = target // stride(s) - at // stride(s)
    across = target % stride(s) - at % stride(s)
    row, column = min(max(down, -radius), radius) + radius, min(max(across, -radius), radius) + radius
    out[TARGET, np.uint64(row), np.uint64(column)] = 1


PAGE = Page(
    role=When(
        "rest",
        "You and {rest:other player} share a map, and each of you has a target.",
        "You walk on a map to your target.",
    ),
    goal=Case(
        "on_target",
        {
            "restart": "Each turn that ends with you on your target pays you 1.",
            "finish": "Reaching your target pays you 1.",
            "nothing": "When all are on their targets at the same time, each is paid 1.",
        },
    ),
    rules=(
        (
            "The map has {height} x {width} cells with obstacles, and a wall around it; north is up. All act at once. "
            "A cell holds one player. An impossible move leaves you where you are."
        ),
        When(
            "rest",
            Case(
                "collision",
                {
                    "priority": (
                        "Players move one after another in the order of their numbers, onto cells that are free by "
                        "then. Two cannot change places, and a circle of players cannot turn."
                    ),
                    ("block both"): (
                        "You can only move onto a cell that was free at the start of the turn and that nobody else "
                        "chose."
                    ),
                    "soft": (
                        "Rows and circles of players that follow each other move as a whole, but no two change places. "
                        "If several choose a cell, the one with the lowest number gets it. One that cannot move blocks "
                        "those that follow it."
                    ),
                },
            ),
        ),
        Case(
            "on_target",
            {
                "restart": "On your target you get a new one, any other cell that you can reach.",
                "finish": "On your target you are done and leave the map.",
                "nothing": "A player on its target stays on the map and can move on.",
            },
        ),
    ),
    sees=(
        "You see obstacles and players up to {radius:row or column/rows or columns} away, but not the targets of the "
        "others. You know where your target is, but if it is far in rows or columns, only the direction."
    ),
    acts={("north", "south", "west", "east"): "move one cell", "stay": "stay where you are"},
    ends=(
        Case(
            "on_target",
            {
                "finish": "It is over for you on your target, and for all",
                "nothing": "It is over when all are on their targets, or",
            },
            "It is over",
        ),
        "after {horizon:turn}.",
    ),
    unsaid={
        **dict.fromkeys(("map", "density"), "the map is to be seen"),
        "players": "told as the number of others",
    },
    constants={"1": "for a target", "two": "players"},
)


class PathFinding(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    leaving = True
    masked = False
    kind = ("teams", "traffic")
    verified = "`pogema`, step by step: planes and metrics"
    variants = (dict(players=20, height=9, width=8, radius=2, on_target="finish", collision="soft"),)
    shown = "planner"
    keys = {"up": "north", "down": "south", "left": "west", "right": "east", ".": "stay"}
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int, Between(1, 1024)] = 8,
        height: Annotated[int, Between(3, grids.LARGEST - 2)] = 15,
        width: Annotated[int, Between(3, grids.LARGEST - 2)] = 15,
        map: Literal["random", "maze", "rooms", "caves"] = "random",
        density: Annotated[float, Between(0, 1)] = 0.2,
        radius: Annotated[int, Between(1, 15)] = 5,
        on_target: Literal["restart", "finish", "nothing"] = "restart",
        collision: Literal["priority", "block both", "soft"] = "priority",
        horizon: Annotated[int, Between(1, 1_000_000)] = 256,
    ):
        if 2 * players > height * width:
            raise ParameterError(
                f"PathFinding: {players} agents do not fit into {height} x {width} cells: each needs two, "
                "a start and a target"
            )
        if map == "maze" and (height % 2 == 0 or width % 2 == 0):
            raise ParameterError(f"PathFinding: a maze of {height} x {width} cells must have odd sides")
        self.utility = "identical" if on_target == "nothing" else "general"
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Box(0, 1, (3, 2 * radius + 1, 2 * radius + 1), np.uint8),
            fields=fields(players, height, width, radius),
            params={
                "map": MAPS.index(map),
                "density": float(density),
                "on_target": ON_TARGET.index(on_target),
                "collision": COLLISIONS.index(collision),
                "horizon": horizon,
            },
            reward_range=(0.0, 1.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"rest": len(self.agents) - 1}

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        height, width = s.level.grid.shape

        def place(cell: Any) -> list[int]:
            return [int(cell) // width - 1, int(cell) % width - 1]

        goals = [[place(cell) for cell in row[:count]] for row, count in zip(s.level.goals, s.level.counts)]
        return {
            "map": write_letters(s.level.grid[1:-1, 1:-1], "#."),
            "starts": [place(cell) for cell in s.level.starts],
            "goals": [listed if len(listed) > 1 else listed[0] for listed in goals],
        }

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.id, level, {"map", "starts", "goals"})
        players, inner = len(self.agents), s.level.grid[1:-1, 1:-1]
        s.level.grid[:] = WALL
        inner[:] = read_letters(level["map"], f"{self.id}: the level's map", inner.shape, "#.")
        s.level.placed = "starts" in level or "goals" in level
        if not s.level.placed:
            room = sum(size // 2 for size in _regions(s.level.grid.tolist()))
            if room < players:
                raise LevelError(f"{self.id}: the level's map has room for {room} agents, not {players}")
            return
        for name in ("starts", "goals"):
            if len(level[name]) != players:
                raise LevelError(f"{self.id}: the level has {len(level[name])} {name} for {players} agents")
        starts = [self._cell(s, place, f"start of {self.agents[a]}") for a, place in enumerate(level["starts"])]
        if len(set(starts)) < players:
            twice = next(a for a in range(players) if starts[a] in starts[:a])
            raise LevelError(f"{self.id}: {self.agents[twice]} has the start of another agent")
        s.level.starts[:] = starts
        for a, goal in enumerate(level["goals"]):
            listed = goal if isinstance(goal[0], (list, tuple)) else [goal]
            if not 1 <= len(listed) <= TARGETS:
                raise LevelError(f"{self.id}: {self.agents[a]} has {len(listed)} goals; 1 to {TARGETS} are allowed")
            s.level.counts[a] = len(listed)
            s.level.goals[a, : len(listed)] = [self._cell(s, place, f"goal of {self.agents[a]}") for place in listed]

    def _cell(self, s: Any, place: Sequence[int], what: str) -> int:
        """A free cell from its row and column."""
        height, width = s.level.grid.shape
        row, column = read_numbers(
            place, f"{self.id}: the {what}", (2,), 0, [height - 3, width - 3], whole=True
        ).tolist()
        if s.level.grid[row + 1, column + 1] == WALL:
            raise LevelError(f"{self.id}: the {what}, {list(place)}, is an obstacle")
        return (row + 1) * width + column + 1

    def contradiction(self, s: Any) -> str | None:
        walls, at, border = s.level.grid == WALL, s.at.astype(np.int64), margin(s)
        (rows, columns), (height, width) = s.obstacles.shape, walls.shape
        if s.params.map == MAZE and (height % 2 == 0 or width % 2 == 0):
            return "a maze has odd sides"
        if (s.obstacles[border : rows - border, border : columns - border] != walls).any():
            return "the obstacles are not those of the level"
        y, x = np.divmod(at, columns)
        inside = (border <= x) & (x < columns - border)
        if not inside.all() or walls[y - border, x - border].any():
            return "an agent is not on a free cell"
        active, there = s.terminated == 0, np.zeros_like(s.agents)
        there[at[active]] = 1
        if active.any() and ((there != s.agents).any() or np.count_nonzero(there) != np.count_nonzero(active)):
            return "the agents are not where the planes show them, one on a cell"
        first = s.region[~walls.reshape(-1)].astype(np.int64)
        if (s.extent[first] == 0).any() or (first + s.extent[first] > s.free_count).any():
            return "a region reaches beyond the free cells"
        return None

    # Observations, texts and pictures.

    def state_space(self) -> Dict:
        """All obstacles; for each agent, its row and column, those of its target, and whether it is on the grid."""
        height, width, players = self.parameters["height"], self.parameters["width"], len(self.agents)
        last = np.tile(np.array([height - 1, width - 1], np.uint8), (players, 1))
        return Dict(
            {
                "obstacles": Box(0, 1, (height, width), np.uint8),
                "agents": Box(np.zeros_like(last), last, dtype=np.uint8),
                "targets": Box(np.zeros_like(last), last, dtype=np.uint8),
                "active": Box(0, 1, (players,), np.uint8),
            }
        )

    def state(self, records: np.ndarray, observations: np.ndarray) -> dict[str, np.ndarray]:
        return {
            "obstacles": (records["level"]["grid"][:, 1:-1, 1:-1] == WALL).astype(np.uint8),
            "agents": self._places(records["at"]).astype(np.uint8),
            "targets": self._places(records["target"]).astype(np.uint8),
            "active": (records["terminated"] == 0).astype(np.uint8),
        }

    def _places(self, cells: np.ndarray) -> np.ndarray:
        """Rows and columns of cells of the planes, on the map."""
        radius = self.parameters["radius"]
        return np.stack(np.divmod(cells, self.parameters["width"] + 2 * radius), -1) - radius

    def _window(self, s: Any, agent: int) -> tuple[np.ndarray, np.ndarray, int, int]:
        """An agent's view of obstacles and agents, and the steps down and right to its target, at most the radius."""
        obstacles, agents, target = np.asarray(self.observation(s, agent))
        row, column = np.argwhere(target)[0].tolist()
        return obstacles != 0, agents != 0, row - len(target) // 2, column - len(target) // 2

    def text(self, s: Any, agent: int) -> str:
        name, radius, horizon = self.agents[agent], self.parameters["radius"], s.params.horizon
        if s.terminated[agent]:
            where = "Everybody is on its target" if s.params.on_target == NOTHING else "You have reached your target"
            return f"You are {name}. {where}."
        obstacles, agents, down, across = self._window(s, agent)
        rows = np.where(obstacles, "#", np.where(agents, "o", "."))
        if abs(down) < radius and abs(across) < radius:  # on the edge, the target may be farther away
            rows[radius + down, radius + across] = "%" if agents[radius + down, radius + across] else "X"
        rows[radius, radius] = "@"
        lines = [
            "What you see (you are @; # obstacle, . free, o another agent,",
            "X your target, % another agent on your target; north is up):",
            *("  " + " ".join(line) for line in rows),
        ]
        parts = [_distance(down, "south", "north", radius), _distance(across, "east", "west", radius)]
        where = " and ".join(part for part in parts if part)
        lines.append(f"Your target is {where} of you." if where else "You are on your target.")
        if s.params.on_target == RESTART:
            count = int(s.reached[agent])
            lines.append(f"You have reached {count} target{'' if count == 1 else 's'}.")
        lines.append(f"{s.t} of {horizon} steps are over.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """Agents are discs; their targets are squares with the same color and number. For an agent, only its view."""
        if agent is not None:
            return self._view(s, agent)
        height, width = (side - 2 for side in s.level.grid.shape)
        at, targets = (self._places(cells) + 1.0 for cells in (s.at, s.target))  # half a cell of wall is shown around
        gone = [bool(over) and s.params.on_target == FINISH for over in s.terminated]
        scene = Scene(width + 1, height + 1)
        scene.add(Rect(0, 0, width + 1, height + 1, "wall"), *grid(0.5, 0.5, width, height))
        walls = grids.wall_shapes((s.level.grid[1:-1, 1:-1] == WALL).tolist())
        scene.add(*(replace(wall, x=wall.x + 0.5, y=wall.y + 0.5) for wall in walls))
        if len(at) <= _LINED:
            for a in np.flatnonzero(np.logical_not(gone)).tolist():
                scene.add(Line([(x, y) for y, x in (at[a], targets[a])], f"{agent_color(a)}@0.3", 0.07))
        for a, (y, x) in enumerate(targets):
            scene.add(*_target_shapes(x, y, a, gone[a]))
        for a, (y, x) in enumerate(at):
            if not gone[a]:
                scene.add(*_agent_shapes(x, y, a))
        score = f"{int(s.reached.sum())} targets"
        if s.params.on_target != RESTART:
            score = f"{int(((s.at == s.target) | (s.terminated != 0)).sum())} of {len(at)} there"
        footer(scene, f"{s.t} / {s.params.horizon}", score)
        return scene

    def _view(self, s: Any, agent: int) -> Scene:
        """The view of one agent, which knows neither its place on the map nor the others' names."""
        obstacles, agents, down, across = self._window(s, agent)
        side, middle = len(obstacles), len(obstacles) / 2
        far = side // 2
        x, y = middle + across, middle + down
        scene = Scene(side, side)
        scene.add(*grid(0, 0, side, side), *grids.wall_shapes(obstacles.tolist()))
        scene.add(Line([(middle, middle), (x, y)], f"{agent_color(agent)}@0.3", 0.07))
        scene.add(*_target_shapes(x, y, agent, bool(s.terminated[agent])))
        for i, j in np.argwhere(agents).tolist():
            if (i, j) != (far, far):
                scene.add(Circle(j + 0.5, i + 0.5, 0.36, "muted", "white", 0.05, glyph="o"))
        if agents[far, far]:
            scene.add(*_agent_shapes(middle, middle, agent))
        footer(scene, f"{s.t} / {s.params.horizon}", self.agents[agent])
        return scene


def _regions(codes: Sequence[Sequence[int]]) -> list[int]:
    """The sizes of a walled grid's regions of free cells."""
    free = {(y, x) for y, row in enumerate(codes) for x, code in enumerate(row) if code == FREE}
    sizes = []
    while free:
        front = [free.pop()]
        for y, x in front:  # the list grows during the loop
            for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if near in free:
                    free.remove(near)
                    front.append(near)
        sizes.append(len(front))
    return sizes


def _distance(steps: int, positive: str, negative: str, radius: int) -> str:
    """A distance in words, as far as an agent sees."""
    if steps == 0:
        return ""
    seen = f"{radius} or more" if abs(steps) >= radius else str(abs(steps))
    return f"{seen} {positive if steps > 0 else negative}"


def _target_shapes(x: float, y: float, a: int, done: bool) -> list[Shape]:
    """The target of an agent around a point; pale once the agent is gone."""
    color = agent_color(a)
    if done:
        return [Rect(x - 0.25, y - 0.25, 0.5, 0.5, f"{color}@0.25", radius=0.12)]
    return [
        Rect(x - 0.36, y - 0.36, 0.72, 0.72, "white", color, 0.1, 0.16, glyph=f"x{agent_sign(a)}"),
        Label(x, y, str(a), 0.4, "black", bold=True, terminal=False),
    ]


def _agent_shapes(x: float, y: float, a: int) -> list[Shape]:
    """An agent around a point."""
    return [
        Circle(x, y, 0.38, agent_color(a), "white", 0.05, glyph=agent_sign(a)),
        Label(x, y, str(a), 0.42, text_on(agent_color(a)), bold=True, terminal=False),
    ]


env, raw_env, parallel_env = pettingzoo_forms(PathFinding)
