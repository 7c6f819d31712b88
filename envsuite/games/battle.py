"""Battle: two armies of many units fight on a field until one of them is gone (MAgent's battle, combined arms).

**Rules.** A field of `size` x `size` cells has a wall around it. The red units start in a block on the left, the blue
ones in a block on the right, on every second cell. A cell holds one unit at most. All units act at once; a step has
four parts:

1. The units that attack do so one after another, in random order. A unit that was killed before its turn does not
   attack. The unit on the attacked cell loses 2 points of health. It dies and leaves the field if its health falls
   below 0, so six attacks in a row kill a soldier with 10 points.
2. Each surviving unit gets 0.1 points back, up to its full health.
3. The units that move do so one after another. `order` says in which order. A unit jumps to its target cell if the cell
   is free by then, also over other units; otherwise it stays.
4. If an army is gone, the battle is over.

| `units` | kind | health | moves to cells within | attacks cells within | attacks its own army |
|---|---|---|---|---|---|
| "soldiers" | soldier | 10 | 2 | 1.5 | no |
| "combined arms" | melee | 10 | 1 | 1 | yes |
| "combined arms" | ranged | 3 | 2 | 2 | yes |

Distances are Euclidean: 1 is the four neighbors, 1.5 is the eight neighbors, 2 is those and four cells more. Columns of
melee and ranged units alternate in a block; its outermost column has melee units.

**Agents.** `red_0` ... `red_5`, then `blue_0` ... `blue_5` by default. With "combined arms" `redmelee_0` ...,
`redranged_0` ..., `bluemelee_0` ..., `blueranged_0` ... . The number of units follows from `size`:

| `size` | 12 | 16 | 20 | 30 | 45 | 60 | 80 | 99 |
|---|---|---|---|---|---|---|---|---|
| units of an army | 2 | 6 | 12 | 30 | 81 | 144 | 256 | 361 |

**Observation.** A Dict of uint8 parts; all zero once the unit is dead.

| part | space | content |
|---|---|---|
| units | Box (13, 13) uint8 | codes of the cells around the unit, which is in the middle; north is up |
| health | Box (13, 13) uint8 | the health of the units in these cells, in tenths of a point |
| place | Box (3,) uint8 | the army of the unit (0 red, 1 blue), its row and its column on the field |

Cells at distances above 6 are out of sight; both parts are 0 there.

| code | content |
|---|---|
| 0 | nothing, or out of sight, or beyond the wall |
| 1 | wall |
| 2, 3 | a soldier or melee unit of the own army, of the other army |
| 4, 5 | a ranged unit of the own army, of the other army |

**Actions.** Discrete (21), for melee units Discrete (9), for ranged units Discrete (25), all of them always legal.
First come the moves and then the attacks, each row by row from the north west. Soldiers have these:

| action | name |
|---|---|
| 0-5 | `north 2`, `north west`, `north`, `north east`, `west 2`, `west` |
| 6 | `stay` |
| 7-12 | `east`, `east 2`, `south west`, `south`, `south east`, `south 2` |
| 13-20 | `attack north west`, `attack north`, ..., `attack south east` |

**Window.** The arrow keys move one cell, and the key . stays. The keys around S attack in their direction: Q, W, E, A,
D, Z, X and C. A click on a cell moves there; a click on a unit of the other army attacks it.

**Rewards.** In each step, the sum of

- `step_reward`;
- `attack_penalty` for an attack;
- `attack_opponent_reward` for an attack on a unit of the other army that survives it;
- `kill_reward` for an attack that kills such a unit.

A unit that is killed gets `dead_penalty` instead, and `attack_opponent_reward` if it had earned that before its death
in this step. Ranged and melee units also keep a `kill_reward`.

**Ends.** A dead unit's episode terminates. All terminate when an army is gone. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 16 | cells on a side with the wall, from 12 to 99; from 16 with "combined arms" |
| `units` | "soldiers" | "soldiers" or "combined arms", see the rules |
| `order` | "random" | in which order units move: "random", or by "number", which favors blue |
| `step_reward` | -0.005 | the reward of each step, from -1,000 to 1,000 |
| `dead_penalty` | -0.1 | the reward of a unit in the step of its death, from -1,000 to 1,000 |
| `attack_penalty` | -0.1 | the reward of any attack, from -1,000 to 1,000 |
| `attack_opponent_reward` | 0.2 | the reward of wounding a unit of the other army, from -1,000 to 1,000 |
| `kill_reward` | 5.0 | the reward of killing a unit of the other army, from -1,000 to 1,000 |
| `horizon` | 300 | steps until truncation, from 1 to 1,000,000 |

**Level.** ``{"map": ["#####", "#r.b#", "#####"]}``: the rows of the field with walls `#`, free cells `.`, soldiers or
melee units `r` and `b`, and ranged units `R` and `B`. The wall around the field is a part of it. Units are numbered
column by column from the west, and from the north in each column. Their number must be that of the parameters.

**Known values.** Returns of whole armies in `magent2` on 16 x 16 cells, mean +- standard error of 60 episodes of 300
steps, uniformly random play: red -74.2 +- 0.3, blue -73.9 +- 0.3; somebody died in one of them. This world has the same
transitions and rewards.

**Differences.** From magent2 0.3.4, with whose `battle_v4` and `combined_arms_v6` all transitions and rewards agree
step by step, given its order of attacks and ``order="number"``:

- Units move in random order. There, red moves before blue, which favors blue: of 2,000 battles between greedy armies,
  blue wins 96 %. In random order, blue wins 50.8 % of them (standard error 1.1 %).
- There, blue carries out red's actions in the first step after a reset.
- Observations are codes and tenths instead of float32 planes, and they include the army and the place. There, a unit
  knows its place only with ``minimap_mode``. Density maps, numbers of agents, last actions and last rewards are left
  out.
- With "combined arms", an army is gone when both its kinds are; there, the battle is over when one of the four groups
  is gone.
- With "combined arms", the blue block mirrors the order of the red block's columns. There, both orders begin in the
  west, which differs if the number of columns is even. On some sizes, such as 30, its blocks there have a column more.
- The default is a small battle of at most 300 steps; there it has 45 x 45 cells and 1,000 steps.
- Sizes above 99 are left out, because the reference then moves units by regions.

**Source.** Zheng et al., "MAgent: A Many-Agent Reinforcement Learning Platform for Artificial Collective Intelligence",
2018; the rules are those of the package `magent2` 0.3.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_letters
from envsuite.core.page import Case, Page, When
from envsuite.core.random import shuffle
from envsuite.core.ranges import below, fixed, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators.grids import wall_shapes
from envsuite.kit.grid import steps
from envsuite.kit.sight import look_around
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, Shape, footer, grid

KINDS = ("soldier", "melee", "ranged")
SOLDIER, MELEE, RANGED = range(3)
TEAMS = ("red", "blue")  # also their colors
RED, BLUE = range(2)
ORDERS = ("random", "number")
RANDOM, NUMBER = range(2)

#: How far units see; the codes of cells in their view.
RADIUS = 6
SIDE = 2 * RADIUS + 1
NOTHING, WALL, OWN, OTHER = range(4)

#: Health of each kind, and what an attack takes.
HEALTH = np.array([10.0, 10.0, 3.0])
DAMAGE = 2.0
#: What a unit gets back in each step. The reference computes in 32 bits; sums of such numbers are exact in 64.
_RECOVERY = float(np.float32(0.1))

#: The bits that a unit sees of each cell of its view: all or none; and what the dead see.
_IN_SIGHT = np.array(
    [[255 * (i * i + j * j <= RADIUS**2) for j in range(-RADIUS, RADIUS + 1)] for i in range(-RADIUS, RADIUS + 1)],
    np.uint8,
)
_BLIND = np.zeros_like(_IN_SIGHT)


def _disc(squared: int, middle: bool) -> list[tuple[int, int]]:
    """The changes of row and column within a distance, row by row."""
    cells = [(i, j) for i in range(-2, 3) for j in range(-2, 3) if i * i + j * j <= squared]
    return [cell for cell in cells if middle or cell != (0, 0)]


#: The cells that each kind can move to and attack, relative to its own.
MOVES = [_disc(4, True), _disc(1, True), _disc(4, True)]
ATTACKS = [_disc(2, False), _disc(1, False), _disc(4, False)]

#: The number of moves and the number of actions of each kind; the change of row and column by each action.
MOVE_COUNT = np.array([len(moves) for moves in MOVES])
ACTION_COUNT = np.array([len(moves) + len(attacks) for moves, attacks in zip(MOVES, ATTACKS)])
_MOST = int(ACTION_COUNT.max())
ROWS, COLUMNS = (
    np.array([[step[axis] for step in (*moves, *hits)] + [0] * (_MOST - len(moves) - len(hits))
              for moves, hits in zip(MOVES, ATTACKS)])
    for axis in range(2)
)  # fmt: skip


def _direction(row: int, column: int) -> str:
    """A change of row and column in words."""
    parts = [("south", "north")[row < 0]] * (row != 0) + [("east", "west")[column < 0]] * (column != 0)
    return " ".join(parts) + (" 2" if max(abs(row), abs(column)) == 2 else "")


ACTIONS = tuple(
    [_direction(*move) or "stay" for move in moves] + [f"attack {_direction(*attack)}" for attack in attacks]
    for moves, attacks in zip(MOVES, ATTACKS)
)


def fields(kinds: list[int], size: int) -> list[tuple]:
    """The record; *places* are cells of the field with a margin of RADIUS around it, row by row."""
    units, wide = len(kinds), size + 2 * RADIUS
    inside = np.pad(np.ones((size - 2, size - 2), np.int64), RADIUS + 1).reshape(-1)
    ring = np.pad(np.zeros((size - 2, size - 2), np.int64), 1, constant_values=1)
    corner = (RADIUS + 1) * (wide + 1)  # the first place inside the wall
    return [
        ("walls", within(np.uint8, ring, 1), (size, size)),  # the level: whether there is a wall
        ("start", below(np.int64, size * size), (units,)),  # the level: row * size + column
        ("at", within(np.int64, corner, wide * wide - 1 - corner), (units,)),  # places, also of the dead
        ("health", within(np.float32, -DAMAGE, HEALTH[kinds]), (units,)),  # below 0 for the dead
        ("last", within(np.int64, -1, _MOST - 1), (units,)),  # actions of the last step; -1 if none
        ("bonus", free(np.float64), (units,)),  # rewards of an attack that a death does not cancel; within a step
        ("order", below(np.int64, units), (units,)),  # the units that attack, or that move; within a step
        ("who", within(np.int16, -1, inside * (units + 1) - 1), (wide * wide,)),  # -1 wall, 0 none, 1 + unit
        ("codes", below(np.uint8, OTHER + 3), (2 * wide * wide,)),  # of each place, as red sees it, then as blue does
        ("tenths", within(np.uint8, 0, 100), (wide * wide,)),  # health of the unit at each place
    ]


@kernel
def stride(s):
    """The number of places in a row."""
    return s.walls.shape[0] + 2 * RADIUS


@kernel
def army(s, a):
    """RED or BLUE."""
    return np.int64(a >= s.params.reds)


@large_kernel
def reset(s):
    size = s.walls.shape[0]
    units = s.at.shape[0]
    if not s.level_given:
        for i in range(size):
            for j in range(size):
                s.walls[i, j] = i == 0 or j == 0 or i == size - 1 or j == size - 1
        for a in range(units):
            s.start[a] = s.params.block[a]
    for place in range(s.who.shape[0]):
        s.who[place] = -1
        show(s, place, NOTHING, NOTHING)
    for i in range(size):
        for j in range(size):
            place = (i + RADIUS) * stride(s) + j + RADIUS
            s.who[place] = -np.int64(s.walls[i, j])
            show(s, place, s.walls[i, j], s.walls[i, j])
    for a in range(units):
        s.health[a] = HEALTH[s.params.kinds[a]]
        s.at[a] = (s.start[a] // size + RADIUS) * stride(s) + s.start[a] % size + RADIUS
        s.last[a] = -1
        s.bonus[a] = 0.0
        s.order[a] = 0
        put(s, a)


@kernel
def show(s, place, red, blue):
    """Write the codes of a place as red and blue see it."""
    s.codes[place] = red
    s.codes[s.who.shape[0] + place] = blue
    s.tenths[place] = 0


@kernel
def put(s, a):
    """Place a unit on the field."""
    place, team = s.at[a], army(s, a)
    code = 2 * np.int64(s.params.kinds[a] == RANGED) + OWN
    show(s, place, code + team, code + 1 - team)
    s.who[place] = a + 1
    s.tenths[place] = np.int64(10.0 * s.health[a] + 0.5)


@kernel
def lift(s, a):
    """Remove a unit from the field."""
    s.who[s.at[a]] = 0
    show(s, s.at[a], NOTHING, NOTHING)


@kernel
def step(s, actions, rewards):
    begin(s, actions, rewards)
    count = line_up(s, actions, True)
    shuffle(s, s.order, count)
    attack(s, actions, count, rewards)
    recover(s)
    count = line_up(s, actions, False)
    if s.params.order == RANDOM:
        shuffle(s, s.order, count)
    move(s, actions, count)
    finish(s, rewards)


@kernel
def begin(s, actions, rewards):
    """Note what each living unit does, and give it the reward of a step."""
    for a in range(s.at.shape[0]):
        s.bonus[a] = 0.0
        s.last[a] = -1
        if s.health[a] >= 0.0:
            s.last[a] = actions[a]
            rewards[a] = s.params.step_reward


@kernel
def line_up(s, actions, attackers):
    """List the living units that attack, or those that move, in `order`; their number."""
    count = 0
    for a in range(s.at.shape[0]):
        if s.health[a] >= 0.0 and (actions[a] >= MOVE_COUNT[s.params.kinds[a]]) == attackers:
            s.order[count] = a
            count += 1
    return count


@kernel
def target(s, a, action):
    """The place that this action is aimed at."""
    kind = s.params.kinds[a]
    return s.at[a] + ROWS[kind, action] * stride(s) + COLUMNS[kind, action]


@large_kernel
def attack(s, actions, count, rewards):
    for k in range(count):
        a = s.order[k]
        if s.health[a] < 0.0:
            continue
        rewards[a] += s.params.attack_penalty
        b = np.int64(s.who[target(s, a, actions[a])]) - 1
        if b < 0:
            continue
        soldier, opponent = s.params.kinds[a] == SOLDIER, army(s, a) != army(s, b)
        if soldier and not opponent:
            continue
        s.health[b] -= DAMAGE
        if s.health[b] < 0.0:
            lift(s, b)
            rewards[b] = s.params.dead_penalty
            if opponent and soldier:
                rewards[a] += s.params.kill_reward
            elif opponent:
                s.bonus[a] = s.params.kill_reward
        elif opponent:
            s.bonus[a] = s.params.attack_opponent_reward


@kernel
def recover(s):
    for a in range(s.at.shape[0]):
        if s.health[a] >= 0.0:
            s.health[a] = min(HEALTH[s.params.kinds[a]], s.health[a] + _RECOVERY)
            s.tenths[s.at[a]] = np.int64(10.0 * s.health[a] + 0.5)


@kernel
def move(s, actions, count):
    for k in range(count):
        a = s.order[k]
        to = target(s, a, actions[a])
        if s.who[to] == 0:
            lift(s, a)
            s.at[a] = to
            put(s, a)


@kernel
def finish(s, rewards):
    """Add the rewards that remain, and end episodes."""
    red, blue = 0, 0
    for a in range(s.at.shape[0]):
        rewards[a] += s.bonus[a]
        if s.health[a] >= 0.0:
            red += army(s, a) == RED
            blue += army(s, a) == BLUE
    over = red == 0 or blue == 0
    for a in range(s.at.shape[0]):
        s.terminated[a] = over or s.health[a] < 0.0
        s.truncated[a] = s.terminated[a] == 0 and s.t >= s.params.horizon


@large_kernel
def observe(s, agent, out):
    at, team, alive = s.at[agent], army(s, agent), np.int64(s.health[agent] >= 0.0)
    shown = _IN_SIGHT if alive else _BLIND
    look_around(s.codes, stride(s), team * s.who.shape[0] + at, shown, out.units)
    look_around(s.tenths, stride(s), at, shown, out.health)
    out.place[0] = alive * team
    out.place[1] = alive * (at // stride(s) - RADIUS)
    out.place[2] = alive * (at % stride(s) - RADIUS)


@kernel
def legal(s, agent, mask):
    for k in range(ACTION_COUNT[s.params.kinds[agent]]):
        mask[k] = 1


def blocks(size: int) -> tuple[list[list[int]], list[list[int]]]:
    """The columns of each army's block, from the west, as cells row * size + column."""
    side, half = 2 * int((0.04 * size * size) ** 0.5), size // 2
    rows = [y for y in range((size - side) // 2, (size + side) // 2, 2) if 0 < y < size - 1]
    columns = [[x for x in range(first, first + side, 2) if 0 < x < size - 1] for first in (half - 3 - side, half + 3)]
    columns[1] = columns[1][: len(columns[0])]
    west, east = ([[y * size + x for y in rows] for x in side] for side in columns)
    return west, east


PAGE = Page(
    role="You are a {kind} of the {color} army, which fights against the {other} army. Each has {count:unit}.",
    goal=(
        "Each turn pays you {step_reward:g}, and each of your attacks {attack_penalty:g} in addition. An attack on a "
        "unit of the other army pays {attack_opponent_reward:g} more if the unit survives it, and {kill_reward:g} more "
        "if it dies. In the turn in which you are killed you are paid {dead_penalty:g} and what you have got in that "
        "turn for wounding{kept}, and nothing else."
    ),
    rules=(
        "The field has {size} x {size} cells with a wall around it. Red starts in the west and blue in the east. A "
        "cell holds one unit at most. {kinds}",
        (
            "In each turn all units act at once. First come the attacks, one after another in random order; a unit "
            "that is killed before its turn does not attack. The unit on the attacked cell loses {damage:g} points of "
            "health,",
            When("arms", "even if it is of the same army.", "unless it is of the same army."),
            "It dies if its health falls below 0. Then each unit gets {recovery:g} points back, up to its full health. "
            "At last the units that move do so one after another,",
            Case("order", {"random": "in random order."}, "red ones first, in the order of their numbers."),
            "A unit jumps to its cell, over other units too, if the cell is free by then; otherwise it stays.",
        ),
    ),
    sees="You see the cells at a distance of {sight} or less, the units there and their health.",
    acts={
        ("north", "east", "south", "west"): "move to the next cell in this direction",
        ("north 2", "east 2", "south 2", "west 2"): When("far", "move by two cells"),
        ("north east", "north west", "south east", "south west"): When("far", "move to the next cell on a diagonal"),
        "stay": "stay where you are",
        "attack {WHERE}": "attack the cell there: {hits}",
    },
    ends=("You are out when you die. The battle is over when an army is gone, or after {horizon:turn}."),
    unsaid={"units": "told by the kinds of units"},
    constants={"0": "health of the dead", "two": "cells of a long move"},
)


class Battle(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    leaving = True
    masked = False
    kind = ("teams",)
    verified = "`magent2`, step by step"
    variants = (dict(units="combined arms", size=17, order="number"),)
    shown = "greedy"
    player_page = PAGE
    clickable = "(?!attack).*"
    keys = {
        "up": "north", "down": "south", "left": "west", "right": "east", ".": "stay",
        "q": "attack north west", "w": "attack north", "e": "attack north east", "a": "attack west",
        "d": "attack east", "z": "attack south west", "x": "attack south", "c": "attack south east",
    }  # fmt: skip

    def __init__(
        self,
        size: Annotated[int, Between(12, 99)] = 16,
        units: Literal["soldiers", "combined arms"] = "soldiers",
        order: Literal["random", "number"] = "random",
        step_reward: Annotated[float, Between(-1000, 1000)] = -0.005,
        dead_penalty: Annotated[float, Between(-1000, 1000)] = -0.1,
        attack_penalty: Annotated[float, Between(-1000, 1000)] = -0.1,
        attack_opponent_reward: Annotated[float, Between(-1000, 1000)] = 0.2,
        kill_reward: Annotated[float, Between(-1000, 1000)] = 5.0,
        horizon: Annotated[int, Between(1, 1_000_000)] = 300,
    ):
        west, east = blocks(size)
        if units == "soldiers":
            groups = [("red", SOLDIER, sum(west, [])), ("blue", SOLDIER, sum(east, []))]
        elif size < 16:
            raise ParameterError(f"Battle: combined arms need a size of at least 16, not {size}")
        else:
            east = east[::-1]  # from the outermost column on
            groups = [
                (name + KINDS[kind], kind, sorted(sum(block[kind - MELEE :: 2], []), key=lambda cell: cell % size))
                for name, block in (("red", west), ("blue", east))
                for kind in (MELEE, RANGED)
            ]
        self.kinds = [kind for _, kind, cells in groups for _ in cells]
        self.reds = len(self.kinds) // 2
        names = [f"{name}_{k}" for name, _, cells in groups for k in range(len(cells))]
        rewards = (step_reward, dead_penalty, attack_penalty, attack_opponent_reward, kill_reward)
        self.codes = OTHER if units == "soldiers" else OTHER + 2  # the highest one
        self.define(
            agents=names,
            actions={name: ACTIONS[kind] for name, kind in zip(names, self.kinds)},
            observation=Dict(
                {
                    "units": Box(_BLIND, np.minimum(_IN_SIGHT, self.codes), dtype=np.uint8),
                    "health": Box(_BLIND, np.minimum(_IN_SIGHT, 100), dtype=np.uint8),
                    "place": Box(0, np.array([1, size - 2, size - 2], np.uint8), (3,), np.uint8),
                }
            ),
            fields=fields(self.kinds, size),
            params={
                "reds": fixed(self.reds),
                "kinds": fixed(self.kinds),
                "block": fixed([cell for _, _, cells in groups for cell in cells]),
                "order": ORDERS.index(order),
                "step_reward": float(step_reward),
                "dead_penalty": float(dead_penalty),
                "attack_penalty": float(attack_penalty),
                "attack_opponent_reward": float(attack_opponent_reward),
                "kill_reward": float(kill_reward),
                "horizon": horizon,
            },
            reward_range=(sum(min(0.0, part) for part in rewards), sum(max(0.0, part) for part in rewards)),
        )

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        rows = [["#" if wall else "." for wall in row] for row in s.walls.tolist()]
        for a, cell in enumerate(s.start.tolist()):
            y, x = divmod(cell, len(rows))
            rows[y][x] = self._letter(a)
        return {"map": ["".join(row) for row in rows]}

    def _letter(self, a: int) -> str:
        """The letter of a unit on a map."""
        letter = TEAMS[a >= self.reds][0]
        return letter.upper() if self.kinds[a] == RANGED else letter

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        rows, size = level["map"], len(s.walls)
        known_parts(self.id, level, {"map"})
        letters = [self._letter(a) for a in range(len(self.agents))]
        known = "#." + "".join(sorted(set(letters)))
        walls = read_letters(rows, f"{self.id}: the level's map", s.walls.shape, known) == 0
        if not (walls[[0, -1]].all() and walls[:, [0, -1]].all()):
            raise LevelError(f"{self.id}: the level's map must have walls # in its first and last rows and columns")
        places: dict[str, list[int]] = {letter: [] for letter in known}
        for x in range(size):
            for y in range(size):
                places[rows[y][x]].append(y * size + x)
        for letter in known[2:]:
            if len(places[letter]) != letters.count(letter):
                raise LevelError(
                    f"{self.id}: the level's map has {len(places[letter])} units {letter!r}, "
                    f"not {letters.count(letter)}"
                )
        s.walls[:] = walls
        s.start[:] = [places[letter].pop(0) for letter in letters]

    def contradiction(self, s: Any) -> str | None:
        alive = s.health >= 0.0
        over = not (alive[: self.reds].any() and alive[self.reds :].any())
        if (s.terminated != (~alive | over)).any():
            return "the ends are not those of the dead"
        who = -np.pad(s.walls.astype(np.int64), RADIUS, constant_values=1).reshape(-1)
        at = s.at[alive]
        if (who[at] != 0).any() or len(set(at.tolist())) < len(at):
            return "a unit is not on a cell of its own"
        who[at] = np.flatnonzero(alive) + 1
        if (who != s.who).any():
            return "the units are not where the field shows them"
        return None

    # Observations, texts and pictures.

    def state_space(self) -> Box:
        """The field as red sees it, without limits of sight: codes and tenths of health, as in a view."""
        size = self.parameters["size"]
        highest = np.full((2, size, size), 100, np.uint8)
        highest[0] = self.codes
        return Box(np.zeros_like(highest), highest, dtype=np.uint8)

    def state(self, records: np.ndarray, observations: np.ndarray) -> np.ndarray:
        wide = records["walls"].shape[1] + 2 * RADIUS
        planes = np.stack([records["codes"][:, : wide * wide], records["tenths"]], axis=1).reshape(-1, 2, wide, wide)
        return planes[:, :, RADIUS:-RADIUS, RADIUS:-RADIUS].copy()

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        kind, team, arms = self.kinds[agent], int(agent >= self.reds), self.kinds[0] != SOLDIER
        full = f"A soldier has {HEALTH[SOLDIER]:g} points of health."
        if arms:
            full = (
                f"A melee unit has {HEALTH[MELEE]:g} points of health, moves to the cells beside it and attacks them. "
                f"A ranged unit has {HEALTH[RANGED]:g} points, and moves to and attacks all cells at a distance of 2 "
                "or less."
            )
        hits = {
            SOLDIER: "one of the eight cells around you",
            MELEE: "one of the four cells beside you",
            RANGED: "one of the eight cells around you, or two cells to the north, east, south or west",
        }
        return {
            "kind": f"{KINDS[kind]}{' unit' * arms}",
            "color": TEAMS[team],
            "other": TEAMS[1 - team],
            "count": self.reds,
            "arms": arms,
            "kept": " or killing others" * arms,
            "kinds": full,
            "damage": DAMAGE,
            "recovery": round(_RECOVERY, 3),
            "sight": RADIUS,
            "far": kind != MELEE,
            "hits": hits[kind],
        }

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        codes, tenths = (np.asarray(plane).astype(int) for plane in (seen.units, seen.health))
        team, row, column = (int(number) for number in seen.place)
        name, health = self.agents[agent], tenths[RADIUS, RADIUS] / 10
        if codes[RADIUS, RADIUS] == NOTHING:
            return f"You are {name}. You are dead."
        letters = np.array(list(".#ox" + "OX"))[codes]
        letters[_IN_SIGHT == 0] = " "
        letters[RADIUS, RADIUS] = "@"
        kind = KINDS[self.kinds[agent]]
        unit = "" if kind == "soldier" else " unit"
        lines = [
            f"You are {name}, a {kind}{unit} of the {TEAMS[team]} army with health {health:.1f},",
            f"in row {row}, column {column} of {len(s.walls)} x {len(s.walls)} cells. What you see (you are @; # wall,",
            f". free, o own army, x other army{', O and X ranged units' if kind != 'soldier' else ''}; north is up):",
            *("  " + " ".join(line).rstrip() for line in letters),
        ]
        others = [(int(i) - RADIUS, int(j) - RADIUS) for i, j in np.argwhere((codes >= OTHER) & (codes % 2 == 1))]
        others.sort(key=lambda place: place[0] ** 2 + place[1] ** 2)
        attacks = ATTACKS[self.kinds[agent]]
        for i, j in others[:8]:
            reach = f": attack {_direction(i, j)}" if (i, j) in attacks else ""
            lines.append(f"Enemy {' and '.join(steps(i, j))}, health {tenths[RADIUS + i, RADIUS + j] / 10:.1f}{reach}.")
        if not others:
            lines.append(f"No enemy is in view. The {TEAMS[1 - team]} army started in the {('east', 'west')[team]}.")
        lines.append(f"{s.t} of {s.params.horizon} steps are over.")
        return "\n".join(lines)

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """A cell in reach of a move means the move, and one with a unit of the other army in reach its attack."""
        row, column = int(y // 1) - RADIUS, int(x // 1) - RADIUS
        if max(abs(row), abs(column)) > RADIUS:
            return None
        kind = self.kinds[agent]
        code = int(self.observation(s, agent).units[RADIUS + row, RADIUS + column])
        if code >= OTHER and code % 2 == 1 and (row, column) in ATTACKS[kind]:
            return len(MOVES[kind]) + ATTACKS[kind].index((row, column))
        return MOVES[kind].index((row, column)) if (row, column) in MOVES[kind] else None

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """Units are discs, ranged ones diamonds, filled as far as they are healthy. For an agent, only its view."""
        if agent is not None:
            return self._view(s, agent)
        size = len(s.walls)
        scene = Scene(size, size)
        scene.add(*grid(0, 0, size, size, fill="grass", seam="leaf@0.15"), *wall_shapes(s.walls.tolist()))
        rows, columns = np.stack(np.divmod(s.at, size + 2 * RADIUS)) - RADIUS
        left = s.health.clip(0.0)
        for a in range(len(self.agents)):
            x, y, team = columns[a] + 0.5, rows[a] + 0.5, int(a >= self.reds)
            if s.health[a] >= 0.0:
                scene.add(*_unit(x, y, team, self.kinds[a] == RANGED, left[a] / HEALTH[self.kinds[a]]))
            elif s.last[a] >= 0:  # it died in this step
                lines = ([(x - 0.28, y - side), (x + 0.28, y + side)] for side in (-0.28, 0.28))
                scene.add(*(Line(line, TEAMS[team], 0.1) for line in lines))
        for a, action in enumerate(s.last.tolist()):
            kind = self.kinds[a]
            if action >= MOVE_COUNT[kind] and s.health[a] >= 0.0:
                x, y, across, down = columns[a] + 0.5, rows[a] + 0.5, COLUMNS[kind, action], ROWS[kind, action]
                start, end = ((x + part * across, y + part * down) for part in (0.25, 0.7))
                scene.add(Line([start, end], "beam", 0.14), Circle(*end, 0.13, "beam", glyph=""))
        counts = [int((part >= 0.0).sum()) for part in np.split(s.health, [self.reds])]
        self._strengths(scene, *(float(part.sum()) for part in np.split(left, [self.reds])))
        footer(scene, f"{s.t} / {s.params.horizon}", f"red {counts[0]}, blue {counts[1]} of {self.reds}")
        return scene

    def _strengths(self, scene: Scene, red: float, blue: float) -> None:
        """A bar below the field: the health of all red units from the left, and of all blue ones from the right."""
        full, half, height = sum(HEALTH[kind] for kind in self.kinds) / 2, scene.width / 2, scene.width / 40
        scene.add(
            Rect(0, scene.height, scene.width, height, "panel"),
            Rect(0, scene.height, half * red / full, height, "red"),
            Rect(scene.width - half * blue / full, scene.height, half * blue / full, height, "blue"),
        )
        scene.height += height

    def _view(self, s: Any, agent: int) -> Scene:
        """What one agent sees."""
        seen = self.observation(s, agent)
        codes, tenths = (np.asarray(plane).astype(int) for plane in (seen.units, seen.health))
        scene = Scene(SIDE, SIDE)
        scene.add(*grid(0, 0, SIDE, SIDE, fill="grass", seam="leaf@0.15"), *wall_shapes((codes == WALL).tolist()))
        alive, full = codes[RADIUS, RADIUS] != NOTHING, 10 * HEALTH[self.kinds[agent]]
        for i, j in np.argwhere(codes >= OWN).tolist():
            ranged, other = codes[i, j] >= OWN + 2, codes[i, j] % 2
            share = tenths[i, j] / (30 if ranged else 100)
            own = (i, j) == (RADIUS, RADIUS)
            if own:
                scene.add(Circle(j + 0.5, i + 0.5, 0.49, None, "highlight", 0.09, glyph=""))
            scene.add(*_unit(j + 0.5, i + 0.5, (int(seen.place[0]) + other) % 2, ranged, share, "@" if own else ""))
        scene.add(*wall_shapes(((_IN_SIGHT == 0) | (not alive)).tolist(), "shadow@0.55"))
        health = f"health {tenths[RADIUS, RADIUS] / 10:.1f} of {full / 10:.0f}" if alive else "dead"
        footer(scene, f"{s.t} / {s.params.horizon}", f"{self.agents[agent]}: {health}")
        return scene


def _unit(x: float, y: float, team: int, ranged: bool, share: float, sign: str = "") -> list[Shape]:
    """A unit around a point; its shape is filled up to its share of health."""
    color = TEAMS[team]
    glyph = sign or (color[0].upper() if ranged else color[0])
    inner = 0.4 * max(0.0, share) ** 0.5
    glyph += str(min(9, int(10 * share)))
    if not ranged:
        return [
            Circle(x, y, 0.4, "white@0.75", color, 0.07, glyph=glyph),
            Circle(x, y, inner, color, glyph=""),
        ]
    outline, core = (
        [(x, y - r), (x + r, y), (x, y + r), (x - r, y)] for r in (0.46, 1.15 * inner)
    )  # fmt: skip
    return [Polygon(outline, "white@0.75", color, 0.07, glyph=glyph), Polygon(core, color)]


env, raw_env, parallel_env = pettingzoo_forms(Battle)
