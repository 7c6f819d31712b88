"""RTS: two players gather resources, build units and fight until one of them has none left (microRTS).

**Rules.** A square grid has walls, deposits of resources, and units of two players. A cell holds one unit or deposit. A
base makes workers and a barracks makes light, heavy and ranged units; workers build bases and barracks. An order takes
its time, in cycles, and has its effect at the end of it. All deadlines of a cycle are carried out in the order in which
their orders began.

| kind | letter | health | damage | range | sight | moves in | cost | built in |
|---|---|---|---|---|---|---|---|---|
| base | B | 10 | | | 5 | | 10 | 250 (200) |
| barracks | K | 4 | | | 3 | | 5 | 200 (100) |
| worker | W | 1 | 1 | 1 | 3 | 10 | 1 | 50 |
| light | L | 4 | 2 | 1 | 2 | 8 | 2 | 80 |
| heavy | H | 4 (8) | 4 | 1 | 2 | 12 (10) | 2 (3) | 120 |
| ranged | A | 1 | 1 | 3 | 3 | 10 | 2 | 100 |

Numbers in parentheses are those of `table="finetuned"`.

- A move and a build reserve their cell until they are done. A build also reserves its cost, which is paid at its
  end; the purse must have it beyond what is reserved. Kinds are in the order of the table; directions are north,
  east, south, west.
- A worker harvests one resource from a deposit beside it in 20 cycles, and returns it to a base of its player beside it
  in the time of a move. A deposit without resources vanishes.
- An attack takes 5 cycles. It hits whatever stands on its cell then, so one can dodge. Distances are Euclidean.
- A unit that is killed still carries out its attack if that has its deadline in the same cycle.
- If orders of both players that begin in the same cycle reserve the same cell, both units wait instead, for the shorter
  of the two times.

A step gives one order to one unit of each player that has an idle unit. Units are asked row by row, those of `player_0`
from the north west and those of `player_1` from the south east. Orders begin when no unit is idle. Then cycles pass
until a unit is idle again.

With `fog=True` a player sees the walls, its own units, and whatever is on a cell within the sight of one of them. It
sees all cells that its orders depend on.

The map of a game without a level has its middle as a center of symmetry. On fewer than 12 x 12 cells, `player_0` has a
worker in (1, 1), a base in column 2 of row 1, and a deposit in (0, 0). Otherwise its base is in (2, 2), and there is a
second deposit below the first.

**Agents.** `player_0`, `player_1`. A player is one agent that orders its units one by one, so the number of units may
change at will, and every learner for a few agents can play.

**Observation.** A Dict.

| part | space | content |
|---|---|---|
| cells | Box (size, size, 7) uint8 | a row of codes for each cell |
| numbers | Box (4,) int32 | own purse, the other purse, cycle, number of the player |

| code of a cell | content |
|---|---|
| 0 | 0 nothing, 1 deposit, 2-7 a unit of the kind in this row of the table above, 8 wall, 9 out of sight |
| 1 | 0 nobody's, 1 own, 2 the other player's |
| 2 | health |
| 3 | resources that the deposit has or the worker carries |
| 4 | 0 if it has no order, or else 1 + the number of its order |
| 5 | cycles until the order is carried out |
| 6 | 1 for the unit that the player must order now |

Orders that the other player has given in this cycle are not shown before they begin.

**Actions.** Discrete (65).

| action | name | legal |
|---|---|---|
| 0 | `wait` | always; the unit waits `wait` cycles |
| 1-4 | `move north`, `move east`, `move south`, `move west` | to a cell that is free and not reserved |
| 5-8 | `harvest north`, ... | a worker that carries nothing, from a deposit |
| 9-12 | `return north`, ... | a worker that carries something, to an own base |
| 13-36 | `build base north`, ..., `build ranged west` | what the unit builds, to a free cell, if affordable |
| 37-64 | `attack 3 north`, ..., `attack 3 south` | on a unit of the other player in range |

**Window.** The arrow keys move and the key . waits. A click on a cell moves there, harvests from it, returns to it or
attacks it.

**Rewards.** The sum of six objectives, weighted by `weights`. With the default weights, the reward is +1 for the winner
and -1 for the loser at the end, and 0 otherwise.

| objective | an agent gets |
|---|---|
| `win` | 1 if it has won, -1 if it has lost |
| `gather` | 1 for each order to harvest, and to return something |
| `workers` | 1 for each order to build a worker |
| `buildings` | 1 for each order to build a base or a barracks |
| `attacks` | 1 for each attack on a unit |
| `fighters` | 1 for each order to build a light, heavy or ranged unit |

Orders count when they begin, even if a conflict turns them into waits. Gym-uRTS trains with the weights
(10, 1, 1, 0.2, 1, 4).

**Ends.** Terminates when a player has no units left. Truncated in cycle `cycles`, which is a draw.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 8 | rows and columns of the grid, from 6 to 32 |
| `table` | "original" | the numbers of the units, "original" or "finetuned" |
| `wait` | 10 | cycles that a unit waits, from 1 to 100 |
| `cycles` | 2000 | cycles until truncation, from 1 to 100,000 |
| `fog` | False | whether a player sees only what is in the sight of its units |
| `weights` | (1, 0, 0, 0, 0, 0) | weights of the six objectives, from -1,000,000 to 1,000,000 |

**Level.** ``{"map": ["*......", ".WB....", ".......", ".......", ".......", "....bw.", "......*"], "stock": 20,
"purse": 5}``, for a size of 7: free cells `.`, walls `#`, deposits `*` with `stock` resources each, units of `player_0`
in capitals and those of `player_1` in small letters; `purse` is what each player has at the start. Generator: kind
"battlegrounds", whose maps have the middle as a center of symmetry.

**Known values.** Recorded matches of the bots of microRTS play again cycle by cycle, with what each player sees in its
partial view and the totals of its reward functions. Its rush with workers beats its
rush with light units on 8 x 8 cells in cycle 205.

**Differences.** From microRTS as in `gym-microrts` 0.4.3:

- A player orders one unit at a time and does not see orders that the other gives in the same cycle; there, it orders
  all idle units at once. Both are the same game.
- A player cannot give orders that contradict its own orders, or reservations; there, such an order becomes a wait.
- A harvest takes from deposits only. There, it also removes a unit that has meanwhile come to the deposit's cell.
- Attacks are relative to the unit, and only the 28 cells in the longest range have actions; there 49.
- Observations are codes instead of one-hot planes, and they include orders and deadlines. Random damage and other ways
  to resolve conflicts are left out.

**Source.** Ontanon, "The combinatorial multi-armed bandit problem and its application to real-time strategy games",
2013; Huang et al., "Gym-uRTS: toward affordable full game real-time strategy games research with deep reinforcement
learning", 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, When, listed
from envsuite.core.ranges import among, below, fixed, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.rts import levels as battlegrounds
from envsuite.generators.grids import wall_shapes
from envsuite.kit.grid import steps
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, footer, grid

NOTHING, DEPOSIT, BASE, BARRACKS, WORKER, LIGHT, HEAVY, RANGED, WALL, UNSEEN = range(10)
KINDS = ("nothing", "deposit", "base", "barracks", "worker", "light", "heavy", "ranged")
LETTERS = ".*BKWLHA#?"
TABLES = ("original", "finetuned")

#: By table and kind.
HEALTH = np.array([[0, 1, 10, 4, 1, 4, 4, 1], [0, 1, 10, 4, 1, 4, 8, 1]])
COST = np.array([[0, 0, 10, 5, 1, 2, 2, 2], [0, 0, 10, 5, 1, 2, 3, 2]])
BUILT_IN = np.array([[0, 0, 250, 200, 50, 80, 120, 100], [0, 0, 200, 100, 50, 80, 120, 100]])
MOVES_IN = np.array([[0, 0, 0, 0, 10, 8, 12, 10], [0, 0, 0, 0, 10, 8, 10, 10]])
#: By kind.
DAMAGE = np.array([0, 0, 0, 0, 1, 2, 4, 1])
REACH = np.array([0, 0, 0, 0, 1, 1, 1, 9])  # squared
SIGHT = np.array([0, 0, 5, 3, 3, 2, 2, 3])
MAKER = np.array([0, 0, WORKER, WORKER, BASE, BARRACKS, BARRACKS, BARRACKS])
HARVESTED_IN, ATTACKED_IN = 20, 5

WAIT, MOVE, HARVEST, RETURN, BUILD, ATTACK = 0, 1, 5, 9, 13, 37
DIRECTIONS = ("north", "east", "south", "west")
_SIDES = [(-1, 0), (0, 1), (1, 0), (0, -1)]
_HITS = [(i, j) for i in range(-3, 4) for j in range(-3, 4) if 0 < i * i + j * j <= 9]
#: The change of row and column from a unit to the cell that each action is aimed at.
ROWS, COLUMNS = np.array([(0, 0), *_SIDES * 9, *_HITS]).T.copy()
ACTIONS = (
    "wait",
    *(f"{verb} {way}" for verb in ("move", "harvest", "return") for way in DIRECTIONS),
    *(f"build {kind} {way}" for kind in KINDS[BASE:] for way in DIRECTIONS),
    *(f"attack {' '.join(steps(i, j))}" for i, j in _HITS),
)
OBJECTIVES = ("win", "gather", "workers", "buildings", "attacks", "fighters")
WIN, GATHER, WORKERS, BUILDINGS, ATTACKS, FIGHTERS = range(6)
_LATEST = 1 << 40

#: What the objectives after the first pay for, in words.
_PAID = (
    "for each to harvest or to return something", "to build a worker", "to build a base or a barracks",
    "for each attack", "to build a light, heavy or ranged unit",
)  # fmt: skip


def fields(size: int) -> list[tuple]:
    """The record; a cell is row * size + column, an owner 1 + the number of a player, 0 for nobody."""
    cells = size * size
    return [
        ("walls", flag(), (cells,)),  # the level
        ("start", below(np.uint8, 8), (cells,)),  # the level: kinds
        ("side", below(np.uint8, 3), (cells,)),  # the level: owners
        ("stock", within(np.int64, 1, 255)),  # the level: resources of a deposit
        ("funds", within(np.int64, 0, 1000)),  # the level: what each player has at the start
        ("time", within(np.int64, 0, 100_000)),  # the cycle
        ("issued", within(np.int64, 0, _LATEST)),  # orders that have begun
        ("purse", within(np.int64, 0, _LATEST), (2,)),
        ("asked", within(np.int64, -1, cells - 1), (2,)),  # the unit that each player orders; -1 if none
        ("kind", below(np.uint8, 8), (cells,)),
        ("owner", below(np.uint8, 3), (cells,)),
        ("health", within(np.int64, 0, 10), (cells,)),
        ("load", within(np.int64, 0, 255), (cells,)),  # resources of a deposit or worker
        ("order", within(np.int64, -1, len(ACTIONS) - 1), (cells,)),  # -1 idle
        ("began", within(np.int64, 0, 100_000), (cells,)),  # the cycle in which the order was given
        ("ends", within(np.int64, 0, 101_000), (cells,)),  # its deadline
        ("rank", within(np.int64, -1, _LATEST), (cells,)),  # orders begin in this order; -1 not begun
        ("due", below(np.int64, cells), (cells,)),  # units at their deadline; within a step
        ("deeds", within(np.int64, 0, 255), (cells, 5)),  # their kind, owner, load, order, whether alive; within a step
    ]


@kernel
def reset(s):
    if not s.level_given:
        lay_out(s)
    for cell in range(s.kind.shape[0]):
        clear(s, cell)
        s.due[cell] = 0
        for k in range(5):
            s.deeds[cell, k] = 0
        if s.start[cell] != NOTHING:
            place(s, cell, s.start[cell], s.side[cell])
            if s.start[cell] == DEPOSIT:
                s.load[cell] = s.stock
    s.time = 0
    s.issued = 0
    for player in range(2):
        s.purse[player] = s.funds
    for player in range(2):
        s.asked[player] = next_idle(s, player, 0)


@kernel
def lay_out(s):
    """The standard map."""
    cells, size = s.kind.shape[0], s.params.size
    for cell in range(cells):
        s.walls[cell] = 0
        s.start[cell] = NOTHING
        s.side[cell] = 0
    large = size >= 12
    for player in range(2):
        for k in range(4):
            cell = 0
            kind = DEPOSIT
            if k == 1:
                cell, kind = size + 1, WORKER
            elif k == 2:
                cell, kind = (2 * size + 2 if large else size + 2), BASE
            elif k == 3:
                cell = size if large else 0
            if player == 1:
                cell = cells - 1 - cell
            s.start[cell] = kind
            s.side[cell] = 0 if kind == DEPOSIT else player + 1
    s.stock = 25 if large else 20
    s.funds = 5


@kernel
def clear(s, cell):
    """Leave nothing on a cell."""
    s.kind[cell] = NOTHING
    s.owner[cell] = 0
    s.health[cell] = 0
    s.load[cell] = 0
    s.order[cell] = -1
    s.began[cell] = 0
    s.ends[cell] = 0
    s.rank[cell] = -1


@kernel
def place(s, cell, kind, owner):
    """A new unit or deposit."""
    clear(s, cell)
    s.kind[cell] = kind
    s.owner[cell] = owner
    s.health[cell] = HEALTH[s.params.table, kind]


@kernel
def turn(s, player, k):
    """The cell that is k-th for a player: from the north west for player 0, from the south east for player 1."""
    return k if player == 0 else s.kind.shape[0] - 1 - k


@kernel
def next_idle(s, player, first):
    """The first idle unit of a player from its `first` cell on; -1 if there is none."""
    for k in range(first, s.kind.shape[0]):
        cell = turn(s, player, k)
        if s.owner[cell] == player + 1 and s.order[cell] < 0:
            return cell
    return -1


@kernel
def goal(s, cell, order):
    """The cell that an order is aimed at; -1 beyond the edge."""
    size = s.params.size
    row, column = cell // size + ROWS[order], cell % size + COLUMNS[order]
    return row * size + column if 0 <= row < size and 0 <= column < size else -1


@kernel
def reserves(order):
    """Whether an order reserves its cell."""
    return MOVE <= order < HARVEST or BUILD <= order < ATTACK


@kernel
def product(order):
    """The kind that an order builds; NOTHING for other orders."""
    return BASE + (order - BUILD) // 4 if BUILD <= order < ATTACK else NOTHING


@kernel
def duration(s, cell, order):
    """The cycles that an order takes."""
    table = s.params.table
    if order == WAIT:
        return np.int64(s.params.wait)
    if order < HARVEST or RETURN <= order < BUILD:
        return np.int64(MOVES_IN[table, s.kind[cell]])
    if order < RETURN:
        return np.int64(HARVESTED_IN)
    if order < ATTACK:
        return np.int64(BUILT_IN[table, product(order)])
    return np.int64(ATTACKED_IN)


# Orders.


@kernel
def step(s, actions, rewards):
    for player in range(2):
        cell = s.asked[player]
        if cell >= 0:
            s.order[cell] = actions[player]
            s.began[cell] = s.time
            s.ends[cell] = s.time + duration(s, cell, actions[player])
            s.rank[cell] = -1
            s.asked[player] = next_idle(s, player, turn(s, player, cell) + 1)
    if s.asked[0] < 0 and s.asked[1] < 0:
        begin(s)
        run(s)


@kernel
def begin(s):
    """The orders of this cycle begin, those of player 0 first."""
    for player in range(2):
        for k in range(s.kind.shape[0]):
            cell = turn(s, player, k)
            if s.owner[cell] == player + 1 and s.order[cell] >= 0 and s.rank[cell] < 0:
                count_order(s, player, cell)
                issue(s, cell)


@kernel
def count_order(s, player, cell):
    """The objectives of an order that begins."""
    order, made = s.order[cell], product(s.order[cell])
    if HARVEST <= order < BUILD:
        s.objectives[player, GATHER] += 1.0
    elif made == WORKER:
        s.objectives[player, WORKERS] += 1.0
    elif made == BASE or made == BARRACKS:
        s.objectives[player, BUILDINGS] += 1.0
    elif made != NOTHING:
        s.objectives[player, FIGHTERS] += 1.0
    elif order >= ATTACK:
        s.objectives[player, ATTACKS] += 1.0


@large_kernel
def issue(s, cell):
    """An order begins; conflicts make it, and another order of this cycle, a wait."""
    order, owner = s.order[cell], s.owner[cell]
    s.rank[cell] = s.issued
    s.issued += 1
    if not reserves(order):
        return
    to, cost = goal(s, cell, order), COST[s.params.table, product(order)]
    for other in range(s.kind.shape[0]):
        theirs = s.order[other]
        if other == cell or s.rank[other] < 0 or theirs < 0 or not reserves(theirs):
            continue
        price = COST[s.params.table, product(theirs)]
        poor = owner == s.owner[other] and cost > 0 and price > 0 and cost + price > s.purse[max(owner, 1) - 1]
        if goal(s, other, theirs) == to or poor:
            s.order[cell] = WAIT
            if s.began[other] == s.time:
                s.order[other] = WAIT
                s.ends[other] = min(s.ends[cell], s.ends[other])
                s.ends[cell] = s.ends[other]
            else:
                s.ends[cell] = s.time + 1


# Cycles.


@kernel
def run(s):
    """Cycles pass until a player must give an order, or the game is over."""
    while s.asked[0] < 0 and s.asked[1] < 0:
        soonest = np.int64(s.params.cycles)
        for cell in range(s.kind.shape[0]):
            if s.order[cell] >= 0:
                soonest = min(soonest, s.ends[cell])
        s.time = min(max(soonest, s.time + 1), 100_000)
        carry_out(s)
        if finish(s):
            return
        for player in range(2):
            s.asked[player] = next_idle(s, player, 0)


@kernel
def finish(s):
    """Whether the game is over now."""
    first, second = 0, 0
    for cell in range(s.kind.shape[0]):
        first += s.owner[cell] == 1
        second += s.owner[cell] == 2
    over = first == 0 or second == 0
    late = s.time >= s.params.cycles
    result = np.float64(first > 0) - np.float64(second > 0)
    for player in range(2):
        s.terminated[player] = over
        s.truncated[player] = late and not over
        s.objectives[player, WIN] = result if player == 0 else 0.0 - result
    return over or late


@large_kernel
def carry_out(s):
    """The effects of all orders with their deadline now, in the order in which they began."""
    count = 0
    for cell in range(s.kind.shape[0]):
        if s.order[cell] >= 0 and s.ends[cell] <= s.time:
            k = count
            while k > 0 and s.rank[s.due[k - 1]] > s.rank[cell]:
                s.due[k] = s.due[k - 1]
                k -= 1
            s.due[k] = cell
            count += 1
    for k in range(count):
        cell = s.due[k]
        s.deeds[k, 0] = s.kind[cell]
        s.deeds[k, 1] = s.owner[cell]
        s.deeds[k, 2] = s.load[cell]
        s.deeds[k, 3] = s.order[cell]
        s.deeds[k, 4] = 1
        s.order[cell] = -1
        s.rank[cell] = -1
    for k in range(count):
        act(s, k, count)


@large_kernel
def act(s, k, count):
    """The effect of one order."""
    cell, kind, owner = s.due[k], s.deeds[k, 0], s.deeds[k, 1]
    load, order, alive = s.deeds[k, 2], s.deeds[k, 3], s.deeds[k, 4] == 1
    to = goal(s, cell, order)
    if order == WAIT or to < 0 or owner == 0:
        return
    if order < HARVEST:
        if alive and s.kind[to] == NOTHING and s.walls[to] == 0:
            place(s, to, kind, owner)
            s.health[to] = s.health[cell]
            s.load[to] = s.load[cell]
            clear(s, cell)
    elif order < RETURN:
        if s.kind[to] == DEPOSIT and load == 0:
            s.load[to] = max(s.load[to] - 1, 0)
            if s.load[to] == 0:
                clear(s, to)
            if alive:
                s.load[cell] = 1
    elif order < BUILD:
        if s.kind[to] == BASE and load > 0:
            s.purse[owner - 1] = min(s.purse[owner - 1] + load, _LATEST)
            if alive:
                s.load[cell] = 0
    elif order < ATTACK:
        cost = COST[s.params.table, product(order)]
        if s.kind[to] == NOTHING and s.walls[to] == 0 and s.purse[owner - 1] >= cost:
            place(s, to, product(order), owner)
            s.purse[owner - 1] -= cost
    elif s.kind[to] != NOTHING:
        s.health[to] = max(s.health[to] - DAMAGE[kind], 0)
        if s.health[to] == 0:
            for j in range(count):
                if s.due[j] == to:
                    s.deeds[j, 4] = 0
            clear(s, to)


# What players see and may do.


@kernel
def known(s, agent, cell):
    """Whether a player knows the order of a unit: it has begun, or it is its own."""
    return s.order[cell] >= 0 and (s.rank[cell] >= 0 or s.owner[cell] == agent + 1)


@large_kernel
def light_up(s, agent, out):
    """Mark the cells that a player sees by 1 in the last code; the others have 0."""
    size, everything = s.params.size, s.params.fog == 0
    for row in range(size):
        for column in range(size):
            out.cells[row, column, 6] = everything
    if everything:
        return
    for cell in range(size * size):
        if s.owner[cell] == agent + 1:
            row, column, far = cell // size, cell % size, SIGHT[s.kind[cell]]
            for i in range(max(row - far, 0), min(row + far + 1, size)):
                for j in range(max(column - far, 0), min(column + far + 1, size)):
                    if (i - row) * (i - row) + (j - column) * (j - column) <= far * far:
                        out.cells[i, j, 6] = 1


@large_kernel
def observe(s, agent, out):
    size = s.params.size
    light_up(s, agent, out)
    for row in range(size):
        for column in range(size):
            cell = row * size + column
            if out.cells[row, column, 6] == 0:
                out.cells[row, column, 0] = WALL if s.walls[cell] else UNSEEN
                for k in range(1, 6):
                    out.cells[row, column, k] = 0
                continue
            owner, order = np.int64(s.owner[cell]), known(s, agent, cell)
            out.cells[row, column, 0] = WALL if s.walls[cell] else s.kind[cell]
            out.cells[row, column, 1] = 0 if owner == 0 else 1 + (owner != agent + 1)
            out.cells[row, column, 2] = s.health[cell]
            out.cells[row, column, 3] = s.load[cell]
            out.cells[row, column, 4] = s.order[cell] + 1 if order else 0
            out.cells[row, column, 5] = min(max(s.ends[cell] - s.time, 0), 255) if order else 0
            out.cells[row, column, 6] = s.asked[agent] == cell
    out.numbers[0] = min(s.purse[agent], 1_000_000)
    out.numbers[1] = min(s.purse[1 - agent], 1_000_000)
    out.numbers[2] = s.time
    out.numbers[3] = agent


@kernel
def open_to(s, agent, cell):
    """Whether a cell is free and not reserved, as far as a player knows."""
    if s.walls[cell] or s.kind[cell] != NOTHING:
        return False
    for way in range(4):
        by = goal(s, cell, MOVE + way)
        if by >= 0 and known(s, agent, by) and reserves(s.order[by]) and goal(s, by, s.order[by]) == cell:
            return False
    return True


@kernel
def left(s, agent):
    """What a player has beyond what its orders reserve."""
    money = s.purse[agent]
    for cell in range(s.kind.shape[0]):
        if s.owner[cell] == agent + 1 and s.order[cell] >= 0:
            money -= COST[s.params.table, product(s.order[cell])]
    return money


@large_kernel
def legal(s, agent, mask):
    cell = s.asked[agent]
    if cell < 0:
        return
    kind, money = s.kind[cell], left(s, agent)
    mask[WAIT] = 1
    for way in range(4):
        to = goal(s, cell, MOVE + way)
        if to < 0:
            continue
        if kind == WORKER:
            mask[HARVEST + way] = s.load[cell] == 0 and s.kind[to] == DEPOSIT
            mask[RETURN + way] = s.load[cell] > 0 and s.kind[to] == BASE and s.owner[to] == agent + 1
        if open_to(s, agent, to):
            mask[MOVE + way] = kind >= WORKER
            for made in range(BASE, WALL):
                mask[BUILD + 4 * (made - BASE) + way] = MAKER[made] == kind and COST[s.params.table, made] <= money
    for action in range(ATTACK, mask.shape[0]):
        to = goal(s, cell, action)
        near = ROWS[action] * ROWS[action] + COLUMNS[action] * COLUMNS[action] <= REACH[kind]
        mask[action] = to >= 0 and near and s.owner[to] == 2 - agent


PAGE = Page(
    role="You gather resources, build units and fight against {others}.",
    goal=(
        When("win", "Winning pays you {win:g} at the end, losing {lose:g}, and a draw 0."),
        When("orders", "When they begin, orders pay you {orders}."),
        "You win when the other player has no units left, bases and barracks included.",
    ),
    rules=(
        "The map has {size} x {size} cells. A cell holds one unit or deposit at most.",
        "You give an order to each of your units that is idle, one after another, row by row from the {corner}, and "
        "the other player does so at the same time. Neither sees the orders that the other gives now. When no unit is "
        "idle any more, the orders begin, and cycles pass until a unit is idle again. An order has its effect at the "
        "end of its time; of those that end in the same cycle, first the one that began first.",
        "{kinds} Workers build bases and barracks, bases workers, and barracks light, heavy and "
        "ranged units. A new unit appears on the cell beside its builder that you name. "
        "Costs are resources; ranges{sights} are cells.",
        "A move and a build reserve their cell until they are done; a build also reserves its cost, which is paid at "
        "its end. If orders of both players that begin in the same cycle reserve the same cell, both units wait "
        "instead, for the shorter of the two times. An attack takes {attack} cycles and hits what stands on its "
        "cell then. A unit without health is gone, but still carries out an attack that ends in the same cycle.",
        "A worker harvests one resource from a deposit beside it in {harvest} cycles. It brings this to a base of "
        "yours beside it in the time of a move; then you can pay with it. A deposit without resources vanishes.",
    ),
    sees=When(
        "fog",
        "You see the walls, your own units, what is in the sight of one of them, and both players' resources.",
        "You see the whole map, the orders that have begun, and both players' resources.",
    ),
    acts={
        "wait": "wait for {wait:cycle}",
        "move {SIDE}": "move to the next cell in this direction",
        "harvest {SIDE}": "take a resource from the deposit there",
        "return {SIDE}": "give what you carry to your base there",
        "build {KIND} {SIDE}": "build a unit of this kind there",
        "attack {WHERE}": "attack the unit there, as in `attack 2 north 1 east`",
    },
    ends="The game is over when a player has won, or in a draw after {cycles:cycle}.",
    unsaid={"table": "told by the numbers of the units"},
    constants={"0": "a draw", "2": "cells to the north", "1": "cells to the east", "two": "times"},
)


class RTS(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "mixed"
    chance = False
    # Zero-sum with the default weights only, so `utility` is "general".
    kind = ("teams",)
    verified = "microRTS, recorded matches cycle by cycle, with partial views and rewards"
    variants = (
        dict(size=12, table="finetuned", cycles=300, wait=3),
        dict(fog=True, cycles=300, weights=(10, 1, 1, 0.2, 1, 4)),
    )
    shown = "light_rush"
    player_page = PAGE
    clickable = "(?!build|wait).*"
    keys = {
        "up": "move north", "right": "move east", "down": "move south", "left": "move west", ".": "wait",
    }  # fmt: skip

    def __init__(
        self,
        size: Annotated[int, Between(6, 32)] = 8,
        table: Literal["original", "finetuned"] = "original",
        wait: Annotated[int, Between(1, 100)] = 10,
        cycles: Annotated[int, Between(1, 100_000)] = 2000,
        fog: bool = False,
        weights: tuple[Annotated[float, Between(-1_000_000, 1_000_000)], ...] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    ):
        highest = np.zeros((size, size, 7), np.uint8)
        highest[:] = [UNSEEN if fog else WALL, 2, 10, 255, len(ACTIONS), 255, 1]
        numbers = np.array([1_000_000, 1_000_000, 100_000, 1], np.int32)
        most = float(size * size)  # orders that begin in one step
        self.define(
            agents=["player_0", "player_1"],
            actions=ACTIONS,
            observation=Dict(
                {
                    "cells": Box(np.zeros_like(highest), highest, dtype=np.uint8),
                    "numbers": Box(np.zeros_like(numbers), numbers, dtype=np.int32),
                }
            ),
            fields=fields(size),
            params={
                "size": fixed(size),
                "table": among(TABLES, table),
                "wait": wait,
                "cycles": cycles,
                "fog": fog,
                "weights": weights,
            },
            objectives={name: (-1.0 if name == "win" else 0.0, 1.0 if name == "win" else most) for name in OBJECTIVES},
        )
        self.paid_at_end = not any(weights[GATHER:])

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        size = self.parameters["size"]
        codes = np.where(s.walls > 0, WALL, s.start + battlegrounds.OTHER * (s.side == 2))
        return battlegrounds.write(codes.reshape(size, size), int(s.stock), int(s.funds))

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        codes, s.stock, s.funds = battlegrounds.read(level, self.parameters["size"], self.id)
        flat = codes.reshape(-1)
        s.walls[:] = flat == WALL
        s.start[:] = np.where(flat > WALL, flat - battlegrounds.OTHER, np.where(flat == WALL, NOTHING, flat))
        s.side[:] = np.where(flat > WALL, 2, (flat >= BASE) & (flat < WALL))

    def contradiction(self, s: Any) -> str | None:
        owned = s.kind >= BASE
        if ((s.owner > 0) != owned).any() or ((s.side > 0) != (s.start >= BASE)).any():
            return "units have owners, and nothing else has"
        if ((s.walls > 0) & ((s.kind > 0) | (s.start > 0))).any():
            return "something is on a wall"
        if (s.order[~owned] >= 0).any():
            return "something that is no unit has an order"
        for player in range(2):
            cell = int(s.asked[player])
            if cell >= 0 and (s.owner[cell] != player + 1 or s.order[cell] >= 0):
                return "a player is asked for the order of a unit that is not its own or not idle"
        if (s.asked < 0).all() and not (s.terminated | s.truncated).all():
            return "nobody is asked for an order, and the game is not over"
        return None

    # Texts and pictures.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        weights, fog = s.params.weights.tolist(), bool(s.params.fog)
        return {
            "win": weights[WIN],
            "lose": -weights[WIN],
            "orders": listed([f"{paid:g} {what}" for paid, what in zip(weights[1:], _PAID) if paid]),
            "corner": ("north west", "south east")[agent],
            "kinds": " ".join(_told(int(s.params.table), kind, fog) for kind in range(BASE, WALL)),
            "sights": " and sights" if fog else "",
            "attack": ATTACKED_IN,
            "harvest": HARVESTED_IN,
        }

    def text(self, s: Any, agent: int) -> str:
        cells = np.asarray(self.observation(s, agent).cells).astype(int)
        numbers = np.asarray(self.observation(s, agent).numbers).tolist()
        letters = [[LETTERS[k].lower() if o == 2 else LETTERS[k] for k, o in row]
                   for row in cells[:, :, :2].tolist()]  # fmt: skip
        unseen = "? out of sight, " if s.params.fog else ""
        lines = [
            f"Cycle {numbers[2]} of {s.params.cycles}. "
            f"You have {numbers[0]} resources, the other player has {numbers[1]}.",
            "Your units are capitals, the other player's small letters: B base, K barracks, W worker,",
            f"L light, H heavy, A ranged; * deposit, # wall, {unseen}. free; north is up:",
            *("  " + " ".join(row) for row in letters),
        ]
        for row, column in np.argwhere(cells[:, :, 0] > 0).tolist():
            kind, owner, health, load, order, rest, asked = cells[row, column].tolist()
            if kind == DEPOSIT:
                lines.append(f"Deposit in row {row}, column {column}: {load} resources.")
            elif kind < WALL:
                doing = f", {ACTIONS[order - 1]}, {rest} cycles left" if order else ""
                carried = f", carries {load}" if load else ""
                whose = "Your" if owner == 1 else "Enemy"
                lines.append(f"{whose} {KINDS[kind]} in row {row}, column {column}: health {health}{carried}{doing}.")
        for row, column in np.argwhere(cells[:, :, 6] > 0).tolist():
            lines.append(f"Give an order to your {KINDS[cells[row, column, 0]]} in row {row}, column {column}.")
        if not cells[:, :, 6].any():
            lines.append("None of your units needs an order now.")
        return "\n".join(lines)

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """The order for a cell: an attack, a harvest, a return or a move."""
        size, seen = self.parameters["size"], np.asarray(self.observation(s, agent).cells).astype(int)
        asked, row, column = np.argwhere(seen[:, :, 6] > 0), int(y // 1), int(x // 1)
        if not len(asked) or not (0 <= row < size and 0 <= column < size):
            return None
        step = (row - int(asked[0][0]), column - int(asked[0][1]))
        kind, owner = seen[row, column, :2].tolist()
        if owner == 2:
            return ATTACK + _HITS.index(step) if step in _HITS else None
        if step not in _SIDES:
            return None
        return {NOTHING: MOVE, DEPOSIT: HARVEST, BASE: RETURN}.get(kind, MOVE) + _SIDES.index(step)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """Buildings are squares and other units discs, with letters; lines show orders, frames the units asked."""
        size = self.parameters["size"]
        scene = Scene(size, size)
        scene.add(*grid(0, 0, size, size), *wall_shapes(s.walls.reshape(size, size).tolist()))
        hidden = np.zeros(size * size, np.bool_)
        if agent is not None:
            hidden = np.asarray(self.observation(s, agent).cells)[:, :, 0].reshape(-1) == UNSEEN
            scene.add(*(Rect(cell % size, cell // size, 1, 1, "shadow", glyph="?") for cell in np.flatnonzero(hidden)))
        for cell in np.flatnonzero((s.kind > 0) & ~hidden).tolist():
            row, column = divmod(cell, size)
            x, y, kind, owner = column + 0.5, row + 0.5, int(s.kind[cell]), int(s.owner[cell])
            self._unit(scene, x, y, kind, owner, int(s.health[cell]), int(s.load[cell]))
            order = int(s.order[cell])
            if order > WAIT and (s.rank[cell] >= 0 or agent is None or owner == agent + 1):
                color = "beam" if order >= ATTACK else "highlight" if order >= BUILD else "black"
                points = [(x + part * COLUMNS[order], y + part * ROWS[order]) for part in (0.4, 0.85)]
                scene.add(Line(points, color, 0.1), Circle(*points[1], 0.1, color, glyph=""))
        for player in range(2):
            cell = int(s.asked[player])
            if cell >= 0 and agent in (None, player):
                row, column = divmod(cell, size)
                scene.add(Rect(column + 0.03, row + 0.03, 0.94, 0.94, None, "highlight", 0.06))
        left = f"cycle {s.time} / {s.params.cycles}"
        footer(scene, left, f"blue: {s.purse[0]} resources, red: {s.purse[1]}")
        return scene

    def layout(self, level: Mapping[str, Any]) -> Scene:
        """The picture of a level."""
        size, table = self.parameters["size"], TABLES.index(self.parameters["table"])
        codes, stock, _ = battlegrounds.read(level, size, self.id)
        scene = Scene(size, size)
        scene.add(*grid(0, 0, size, size), *wall_shapes((codes == WALL).tolist()))
        for row, column in np.argwhere((codes != NOTHING) & (codes != WALL)).tolist():
            code = int(codes[row, column])
            kind, owner = (code - battlegrounds.OTHER, 2) if code > WALL else (code, int(code >= BASE))
            load = stock if kind == DEPOSIT else 0
            self._unit(scene, column + 0.5, row + 0.5, kind, owner, int(HEALTH[table, kind]), load)
        return scene

    def _unit(self, scene: Scene, x: float, y: float, kind: int, owner: int, health: int, load: int) -> None:
        """One unit or deposit."""
        if kind == DEPOSIT:
            scene.add(Rect(x - 0.36, y - 0.36, 0.72, 0.72, "green", radius=0.2, glyph="*"))
            scene.add(Label(x, y, str(load), 0.42, "white", bold=True, terminal=False))
            return
        color, edge = (("blue", "black"), ("red", "gold"))[owner - 1]
        letter = LETTERS[kind] if owner == 1 else LETTERS[kind].lower()
        if kind <= BARRACKS:
            scene.add(Rect(x - 0.42, y - 0.42, 0.84, 0.84, color, edge, 0.06, glyph=letter))
        else:
            scene.add(Circle(x, y, 0.36, color, edge, 0.06, glyph=letter))
        scene.add(Label(x, y, letter.upper(), 0.5, "white", bold=True, terminal=False))
        full = int(HEALTH[TABLES.index(self.parameters["table"]), kind])
        scene.add(
            Rect(x - 0.36, y + 0.36, 0.72, 0.1, "black", glyph=""),
            Rect(x - 0.36, y + 0.36, 0.72 * health / max(full, 1), 0.1, "green", glyph=""),
        )
        if load:
            scene.add(Circle(x + 0.3, y - 0.3, 0.14, "green", "black", 0.03, glyph=""))


def _told(table: int, kind: int, fog: bool) -> str:
    """What a kind of units can do."""
    parts = [f"costs {COST[table, kind]}", f"built in {BUILT_IN[table, kind]} cycles", f"health {HEALTH[table, kind]}"]
    if kind >= WORKER:
        reach = int(REACH[kind] ** 0.5)
        parts += [f"moves in {MOVES_IN[table, kind]} cycles", f"damage {DAMAGE[kind]}, range {reach}"]
    if fog:
        parts.append(f"sight {SIGHT[kind]}")
    return f"{KINDS[kind].capitalize()}: {', '.join(parts)}."


env, raw_env, parallel_env = pettingzoo_forms(RTS)
