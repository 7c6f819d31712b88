"""Skirmish: units of two sides with different weapons fight in a plane, and allies learn to beat scripted enemies.

**Rules.** Units are discs on a field of 32 x 32 with the origin in the south west. A step has 8 ticks of 1/16 s. Units
keep their orders for the whole step. In each tick, all at once:

1. A unit with an order to attack hits its target if both are alive, their distance is below the unit's range and its
   weapon has cooled down. The weapon then needs its cooldown again, plus a random time from -1/16 to 2/16 s. All other
   weapons cool down by 1/16 s.
2. Units with an order to move go 1/16 of their speed and stop at the edge.
3. Units lose the health that hits took. With `deadly_walls`, units on the edge die. Units without health are dead.
4. Living units that overlap push each other apart. A unit moves by half of (r / d - 1) times the vector from each other
   unit to it, for the distance d of the centers and the sum r of the radii. This may move it beyond the edge.

| kind | health | damage | range | sight | speed | radius | cooldown |
|---|---|---|---|---|---|---|---|
| marine | 45 | 9 | 5 | 9 | 3.15 | 0.375 | 0.61 s |
| marauder | 125 | 10 | 6 | 10 | 2.25 | 0.5625 | 1.07 s |
| stalker | 160 | 13 | 6 | 10 | 4.13 | 0.625 | 1.87 s |
| zealot | 150 | 8 | 2 | 9 | 3.15 | 0.5 | 0.86 s |
| zergling | 35 | 5 | 2 | 8 | 4.13 | 0.375 | 0.5 s |
| hydralisk | 80 | 12 | 5 | 9 | 3.15 | 0.625 | 0.59 s |

| `scenario` | allies | enemies |
|---|---|---|
| 3m, 8m, 25m | 3, 8, 25 marines | the same |
| 2s3z, 3s5z | 2 or 3 stalkers, 3 or 5 zealots | the same |
| 5m_vs_6m, 10m_vs_11m, 27m_vs_30m | 5, 10, 27 marines | 6, 11, 30 marines |
| 3s5z_vs_3s6z | 3 stalkers, 5 zealots | 3 stalkers, 6 zealots |
| 3s_vs_5z | 3 stalkers | 5 zealots |
| 6h_vs_8z | 6 hydralisks | 8 zealots |
| smacv2_5_units, smacv2_10_units, smacv2_20_units | 5, 10, 20 units of random kinds | the same kinds |

Allies start around (8, 16) and enemies around (24, 16), up to 2 away in both coordinates. In the last row, half of the
fights begin with one side in the middle, up to 2 away from it, and the other in four groups, each somewhere between a
corner and the middle. Units that start at the edge or beyond it die there. In the other fights, allies are anywhere in
the western half and enemies mirror them. Units that overlap are pushed apart once.

An enemy attacks its last target while that is in range, or else the nearest ally in range. If there is none, it walks
towards a random ally in sight, drawn in each step. If it sees no ally, it walks to the point that mirrors its place at
the start through the middle of the field. It walks in the closest of the four directions.

**Agents.** `ally_0` ..., and with ``sides="both"`` also `enemy_0` ... .

**Observation.** A Dict of float32; all zero once the agent is dead. A row of `friends` or `foes` is zero if that unit
is dead or out of sight. With ``sides="both"``, the smaller side has rows of zeros at the end. With
``observation="conic"``, `sectors` takes their place: in each of 32 equal sectors around the agent, the first two living
units in sight, allies before enemies. The first sector begins in the west; the others follow counterclockwise. A unit
exactly between two sectors is in the one that follows, but one exactly in the west is in the last sector.

| part | space | content |
|---|---|---|
| own | Box (10,) | share of health, x / 32, y / 32, share of the cooldown that is left, kind |
| friends | Box (F, 13) | the other units of its side, in the order of their numbers |
| foes | Box (E, 13) | the units of the other side |
| sectors | Box (32, 2, 13) | with "conic" only: units in sight by direction; rows of zeros for none |

| column of a row | content |
|---|---|
| 0 | share of health |
| 1, 2 | place relative to the agent, divided by its sight |
| 3, 4 | direction of the last move: 1 to the east and to the north, -1 to the west and to the south |
| 5 | number of the last action, if it was an attack, divided by the largest number of its actions |
| 6 | share of the cooldown that is left |
| 7-12 | kind: 1 for its row in the table above |

**Actions.** Discrete (5 + units of the other side).

| action | name | legal |
|---|---|---|
| 0-3 | `north`, `east`, `south`, `west` | while the agent lives |
| 4 | `stop` | always |
| 5 + k | `attack k` | while both live and unit k of the other side is in range |

**Window.** The arrow keys move, the space bar stops and the keys 0 to 9 attack the unit of that number. A click on an
enemy attacks it if it is in range; any other click moves towards it. With "conic", pictures do not show sides, and all
clicks are moves.

**Rewards.** The same for all units of a side, also the dead: the sum of the shares of health that the other side lost
in the step, divided by its number of units; and 1 if all of the other side and not all of its own side are dead. With
`rewards="win"`, only this 1, and -1 for the side that has lost.

**Ends.** Terminates when a side is dead. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `scenario` | "3m" | one of the table |
| `sides` | "allies" | whether agents play the "allies" or "both" sides |
| `rewards` | "damage" | "damage" and victory, or "win" only |
| `deadly_walls` | True | whether units on the edge die |
| `jitter` | 1.0 | factor of the random part of cooldowns, from 0 to 1 |
| `horizon` | 100 | steps until truncation, from 1 to 10,000 |
| `observation` | "list" | other units in a "list" or by sectors ("conic") |

**Level.** ``{"allies": [["marine", 8, 16], ["stalker", 7, 15.5]], "enemies": [["zealot", 24, 16]]}``: kind and place
of each unit, with coordinates from -2 to 34. The numbers of units must be those of the scenario. Generator: kind
"skirmishes".

**Known values.** Return, wins and length in `jaxmarl` 0.2.0 of 1,000 episodes against its heuristic, with standard
errors of the return:

| scenario | random return | wins | steps | heuristic return | wins | steps |
|---|---|---|---|---|---|---|
| 3m | 0.175 +- 0.003 | 0 % | 17.7 | 1.404 +- 0.019 | 50 % | 13.9 |
| 5m_vs_6m | 0.141 +- 0.002 | 0 % | 18.1 | 0.575 +- 0.003 | 0 % | 12.5 |
| 2s3z | 0.206 +- 0.002 | 0 % | 54.1 | 1.392 +- 0.018 | 48 % | 71.5 |
| smacv2_5_units | 0.253 +- 0.005 | 0 % | 35.8 | 1.368 +- 0.020 | 50 % | 36.0 |

**Differences.** From SMAX in `jaxmarl` 0.2.0. Without the random part of cooldowns, all steps of 10 fights agree from
the same states: places to 1e-14 where SMAX computes in 64 bits, and legal actions, observations, rewards and the
enemies' choices. SMAX usually computes in 32 bits; then 2 of 404 steps differ by up to 1.6e-5, the others by less
than 1e-5, because pushes in a crowd amplify rounding.

- Truncates after `horizon` steps, there after one more, because the limit is tested before the step is counted.
- There, agents terminate when they die. Here, all play until the end, and the dead can only stop; both pay the dead.
- An enemy's action `attack k` attacks ally k; there, enemies count allies backwards. Their observations are in the
  same order as those of allies. Observations have parts.
- States are computed in 64 bits.
- Cooldowns stop at 0; there, they continue below 0, which changes nothing.
- With "conic", SMAX never shows `ally_0`, because it multiplies a mask by the units' numbers, and it shows dead units,
  which take the places of living ones. A unit exactly between two sectors is in none of them there. With these
  differences, 652 observations of SMAX agree with a second implementation within 1e-5, and ours do without them. The
  rows do not say the side of a unit, as there.
- Actions as four numbers, and enemies that do not shoot, are left out.
- Random numbers differ.

**Source.** Rutherford et al., "JaxMARL: Multi-agent RL environments and algorithms in JAX", 2024; after Samvelyan et
al., "The StarCraft multi-agent challenge", 2019, and Ellis et al., "SMACv2", 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core.arrays import fill
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.random import bernoulli, randint, uniform
from envsuite.core.ranges import among, below, fixed, free, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.skirmish import levels as skirmishes
from envsuite.games.skirmish import pages, units, view
from envsuite.kit.plane import part
from envsuite.registry import pettingzoo_forms

#: How far from a place units start; how far pushes can move them beyond the edge: 0.625 for each of 60 units.
SPREAD, REACH = 2.0, 40.0

#: Ticks of a step, and seconds of a tick.
TICKS, TICK = 8, 1.0 / 16.0

#: Columns of a row of `friends` and `foes`, and entries of `own`.
ROW, OWN = 7 + len(units.KINDS), 4 + len(units.KINDS)


def fields(allies: int, enemies: int) -> list[tuple]:
    """The record; units are numbered from the allies on."""
    total = allies + enemies
    most = np.repeat([units.ATTACK + enemies - 1, units.ATTACK + allies - 1], [allies, enemies])
    place = within(np.float64, -REACH, units.SIZE + REACH)
    return [
        ("kinds", below(np.int64, len(units.KINDS)), (total,)),  # the level
        ("started", within(np.float64, -SPREAD, units.SIZE + SPREAD), (total, 2)),  # the level: x and y
        ("home", place, (total, 2)),  # places after units were pushed apart at the start
        ("position", place, (total, 2)),
        ("health", within(np.float64, 0.0, units.HEALTH.max()), (total,)),  # 0 for the dead
        ("cooldown", within(np.float64, 0.0, units.COOLDOWN.max() + 2.0 * TICK), (total,)),  # seconds that are left
        ("orders", within(np.int64, 0, most), (total,)),  # the last actions; STOP at first
        ("target", within(np.int64, -1, allies - 1), (enemies,)),  # allies that scripted enemies attack; -1 if none
        ("hurt", within(np.float64, 0.0, 0.0), (total,)),  # health that hits take; within a tick
        ("shift", free(np.float64), (total, 2)),  # how far units are pushed; within a tick
    ]


@kernel
def start_at(s, unit, x, y):
    """Start a unit at a place, up to SPREAD away in both coordinates."""
    s.started[unit, 0] = x + SPREAD * (2.0 * uniform(s) - 1.0)
    s.started[unit, 1] = y + SPREAD * (2.0 * uniform(s) - 1.0)


@large_kernel
def surround(s, first, last):
    """Start units `first` to `last` - 1 in the middle, and the others in four groups on the diagonals."""
    half = units.SIZE / 2.0
    near_0, near_1, near_2, near_3 = uniform(s), uniform(s), uniform(s), uniform(s)
    for unit in range(s.kinds.shape[0]):
        if first <= unit < last:
            start_at(s, unit, half, half)
        else:
            group = randint(s, 4)
            near = near_0 if group == 0 else near_1 if group == 1 else near_2 if group == 2 else near_3
            x = half * near if group < 2 else units.SIZE - half * near
            y = half * near if group % 2 == 0 else units.SIZE - half * near
            start_at(s, unit, x, y)


@large_kernel
def reflect(s):
    """Start allies anywhere in the western half and enemies where they mirror them, or anywhere in the eastern half."""
    allies = s.params.allies
    for unit in range(s.kinds.shape[0]):
        mirrored = unit - allies
        if 0 <= mirrored < allies:
            s.started[unit, 0] = units.SIZE - s.started[mirrored, 0]
            s.started[unit, 1] = s.started[mirrored, 1]
        else:
            s.started[unit, 0] = units.SIZE / 2.0 * uniform(s) + (0.0 if unit < allies else units.SIZE / 2.0)
            s.started[unit, 1] = units.SIZE * uniform(s)


@large_kernel
def draw(s):
    """Draw kinds and places."""
    allies, total = s.params.allies, s.kinds.shape[0]
    for unit in range(total):
        kind, twin = s.params.units[unit], unit - allies
        if kind < 0:
            kind = s.kinds[twin] if 0 <= twin < allies else randint(s, units.HEALTH.shape[0])
        s.kinds[unit] = kind
    if s.params.units[0] >= 0:
        for unit in range(total):
            start_at(s, unit, units.SIZE / 4.0 if unit < allies else 0.75 * units.SIZE, units.SIZE / 2.0)
    elif bernoulli(s, 0.5):
        reflect(s)
    elif bernoulli(s, 0.5):
        surround(s, 0, allies)
    else:
        surround(s, allies, total)


@kernel
def reset(s):
    if not s.level_given:
        draw(s)
    for unit in range(s.kinds.shape[0]):
        s.health[unit] = units.HEALTH[s.kinds[unit]]
        s.cooldown[unit] = 0.0
        s.orders[unit] = units.STOP
        s.hurt[unit] = 0.0
        s.position[unit, 0] = s.started[unit, 0]
        s.position[unit, 1] = s.started[unit, 1]
    push_apart(s)
    for unit in range(s.kinds.shape[0]):
        s.home[unit, 0] = s.position[unit, 0]
        s.home[unit, 1] = s.position[unit, 1]
    fill(s.target, -1)


# Distances.


@kernel
def squared(s, a, b):
    """The square of the distance of two units."""
    x, y = s.position[a, 0] - s.position[b, 0], s.position[a, 1] - s.position[b, 1]
    return x * x + y * y


@large_kernel
def within_reach(s, a, b, reach):
    """Whether two units live, and their distance is below a range or sight."""
    return s.health[a] > 0.0 and s.health[b] > 0.0 and squared(s, a, b) < reach * reach


@kernel
def opponents(s, unit):
    """The number of the first unit of the other side."""
    return s.params.allies if unit < s.params.allies else 0


@kernel
def opponent_count(s, unit):
    """The number of units of the other side."""
    return s.kinds.shape[0] - s.params.allies if unit < s.params.allies else s.params.allies


# Orders of scripted enemies.


@large_kernel
def choose_target(s, unit):
    """The ally that an enemy attacks: the last one while it is in range, or else the nearest in range; -1 if none."""
    reach = units.RANGE[s.kinds[unit]]
    found, best = s.target[unit - s.params.allies], 1e9
    if found >= 0 and within_reach(s, unit, found, reach):
        return found
    found = -1
    for ally in range(s.params.allies):
        if within_reach(s, unit, ally, reach) and squared(s, unit, ally) < best:
            found, best = ally, squared(s, unit, ally)
    return found


@large_kernel
def choose_move(s, unit):
    """The direction to a random ally in sight, or to the mirror of the enemy's place at the start."""
    sight, count, seen = units.SIGHT[s.kinds[unit]], 0, -1
    for ally in range(s.params.allies):
        if within_reach(s, unit, ally, sight):
            count += 1
            if randint(s, count) == 0:
                seen = ally
    x = s.position[seen, 0] if seen >= 0 else units.SIZE - s.home[unit, 0]
    y = s.position[seen, 1] if seen >= 0 else units.SIZE - s.home[unit, 1]
    return units.heading(x - s.position[unit, 0], y - s.position[unit, 1])


@kernel
def give_orders(s, actions):
    """Orders of all units: the agents' actions, and the choices of scripted enemies."""
    for unit in range(s.kinds.shape[0]):
        if unit < actions.shape[0]:
            s.orders[unit] = actions[unit]
        elif s.health[unit] <= 0.0:
            s.orders[unit] = units.STOP
        else:
            target = choose_target(s, unit)
            s.target[unit - s.params.allies] = target
            s.orders[unit] = units.ATTACK + target if target >= 0 else choose_move(s, unit)


# A tick.


@large_kernel
def attack(s):
    for unit in range(s.kinds.shape[0]):
        kind, order = s.kinds[unit], s.orders[unit]
        if order >= units.ATTACK and s.cooldown[unit] <= 0.0:
            target = opponents(s, unit) + order - units.ATTACK
            if within_reach(s, unit, target, units.RANGE[kind]):
                s.hurt[target] += units.DAMAGE[kind]
                s.cooldown[unit] = units.COOLDOWN[kind] + s.params.jitter * TICK * (3.0 * uniform(s) - 1.0)
                continue
        s.cooldown[unit] = max(s.cooldown[unit] - TICK, 0.0)


@large_kernel
def move(s):
    """Move living units, and keep them on the field."""
    for unit in range(s.kinds.shape[0]):
        if s.health[unit] > 0.0:
            x, y, order = s.position[unit, 0], s.position[unit, 1], s.orders[unit]
            if order < units.STOP:
                far = units.SPEED[s.kinds[unit]] * TICK
                x += far * units.EAST[order]
                y += far * units.NORTH[order]
            s.position[unit, 0] = min(max(x, 0.0), units.SIZE)
            s.position[unit, 1] = min(max(y, 0.0), units.SIZE)


@large_kernel
def suffer(s):
    """Take health for hits and at the edge."""
    for unit in range(s.kinds.shape[0]):
        x, y = s.position[unit, 0], s.position[unit, 1]
        if s.params.deadly_walls and (x <= 0.0 or x >= units.SIZE or y <= 0.0 or y >= units.SIZE):
            s.health[unit] = 0.0
        s.health[unit] = max(s.health[unit] - s.hurt[unit], 0.0)
        s.hurt[unit] = 0.0


@large_kernel
def push_apart(s):
    """Push living units that overlap apart, all at once."""
    total = s.kinds.shape[0]
    for unit in range(total):
        s.shift[unit, 0] = 0.0
        s.shift[unit, 1] = 0.0
    for a in range(total):
        if s.health[a] > 0.0:
            for b in range(a + 1, total):
                if s.health[b] > 0.0:
                    x, y = s.position[a, 0] - s.position[b, 0], s.position[a, 1] - s.position[b, 1]
                    part(s.shift, a, b, x, y, units.RADIUS[s.kinds[a]] + units.RADIUS[s.kinds[b]])
    for unit in range(total):
        s.position[unit, 0] += s.shift[unit, 0]
        s.position[unit, 1] += s.shift[unit, 1]


# A step.


@large_kernel
def share(s, first, last):
    """The sum of the shares of health of some units."""
    total = 0.0
    for unit in range(first, last):
        total += s.health[unit] / units.HEALTH[s.kinds[unit]]
    return total


@kernel
def step(s, actions, rewards):
    allies, total = s.params.allies, s.kinds.shape[0]
    ours, theirs = share(s, 0, allies), share(s, allies, total)
    give_orders(s, actions)
    for _ in range(TICKS):
        attack(s)
        move(s)
        suffer(s)
        push_apart(s)
    ours_left, theirs_left = share(s, 0, allies), share(s, allies, total)
    won = 1.0 * (theirs_left == 0.0 and ours_left > 0.0) - 1.0 * (ours_left == 0.0 and theirs_left > 0.0)
    for a in range(rewards.shape[0]):
        result = won if a < allies else -won
        if s.params.rewards == 1:
            rewards[a] = result
        elif a < allies:
            rewards[a] = (theirs - theirs_left) / (total - allies) + max(result, 0.0)
        else:
            rewards[a] = (ours - ours_left) / allies + max(result, 0.0)
        s.terminated[a] = ours_left == 0.0 or theirs_left == 0.0
        s.truncated[a] = s.terminated[a] == 0 and s.t >= s.params.horizon


# Observations.


@large_kernel
def see(s, a, b, rows, k):
    """Write row k: what unit a observes of unit b; zeros if it does not see it, or if b is -1."""
    for column in range(ROW):
        rows[k, column] = 0.0
    sight = units.SIGHT[s.kinds[a]]
    if b >= 0 and within_reach(s, a, b, sight):
        kind, order = s.kinds[b], s.orders[b]
        rows[k, 0] = s.health[b] / units.HEALTH[kind]
        rows[k, 1] = (s.position[b, 0] - s.position[a, 0]) / sight
        rows[k, 2] = (s.position[b, 1] - s.position[a, 1]) / sight
        if order < units.STOP:
            rows[k, 3] = units.EAST[order]
            rows[k, 4] = units.NORTH[order]
        elif order >= units.ATTACK:
            rows[k, 5] = order / (opponent_count(s, b) + units.ATTACK - 1.0)
        rows[k, 6] = min(s.cooldown[b] / units.COOLDOWN[kind], 1.0)
        rows[k, 7 + kind] = 1.0


def _by_side(out, s, agent):
    """Write a row for each other unit."""
    first, count = opponents(s, agent), opponent_count(s, agent)
    for k in range(out.foes.shape[0]):
        see(s, agent, first + k if k < count else -1, out.foes, k)
    own, others = s.params.allies - first, s.kinds.shape[0] - count - 1
    for k in range(out.friends.shape[0]):
        unit = own + k + (1 if own + k >= agent else 0)
        see(s, agent, unit if k < others else -1, out.friends, k)


def _by_sector(out, s, agent):
    """Write the first two units in each sector."""
    sight = units.SIGHT[s.kinds[agent]]
    for sector in range(units.SECTORS):
        for k in range(2):
            see(s, agent, -1, out.sectors[sector], k)
    for unit in range(s.kinds.shape[0]):
        if unit != agent and within_reach(s, agent, unit, sight):
            x, y = s.position[unit, 0] - s.position[agent, 0], s.position[unit, 1] - s.position[agent, 1]
            rows = out.sectors[units.sector_of(x, y)]
            if rows[0, 0] == 0.0:
                see(s, agent, unit, rows, 0)
            elif rows[1, 0] == 0.0:
                see(s, agent, unit, rows, 1)


_others = by_fields(lambda names: "sectors" in names, _by_sector, _by_side)


@large_kernel
def observe(s, agent, out):
    _others(out, s, agent)
    for k in range(OWN):
        out.own[k] = 0.0
    if s.health[agent] > 0.0:
        kind = s.kinds[agent]
        out.own[0] = s.health[agent] / units.HEALTH[kind]
        out.own[1] = s.position[agent, 0] / units.SIZE
        out.own[2] = s.position[agent, 1] / units.SIZE
        out.own[3] = min(s.cooldown[agent] / units.COOLDOWN[kind], 1.0)
        out.own[4 + kind] = 1.0


@kernel
def legal(s, agent, mask):
    mask[units.STOP] = 1
    if s.health[agent] > 0.0:
        for move in range(units.STOP):
            mask[move] = 1
        first, reach = opponents(s, agent), units.RANGE[s.kinds[agent]]
        for k in range(opponent_count(s, agent)):
            mask[units.ATTACK + k] = within_reach(s, agent, first + k, reach)


class Skirmish(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("teams",)
    verified = "SMAX of `jaxmarl`, step by step"
    variants = (
        dict(scenario="smacv2_5_units"),
        dict(scenario="3s_vs_5z", sides="both", rewards="win"),
        dict(scenario="2s3z", observation="conic"),
    )
    shown = "focus"
    keys = {
        **dict(zip(("up", "right", "down", "left"), units.MOVES)), "space": "stop",
        **{str(k): f"attack {k}" for k in range(10)},
    }  # fmt: skip
    text = view.text
    click = view.click
    scene = view.scene
    player_page = pages.PAGE

    def __init__(
        self,
        scenario: Literal[
            "3m", "8m", "25m", "2s3z", "3s5z", "5m_vs_6m", "10m_vs_11m", "27m_vs_30m", "3s5z_vs_3s6z", "3s_vs_5z",
            "6h_vs_8z", "smacv2_5_units", "smacv2_10_units", "smacv2_20_units",
        ] = "3m",
        sides: Literal["allies", "both"] = "allies",
        rewards: Literal["damage", "win"] = "damage",
        deadly_walls: bool = True,
        jitter: Annotated[float, Between(0, 1)] = 1.0,
        horizon: Annotated[int, Between(1, 10_000)] = 100,
        observation: Literal["list", "conic"] = "list",
    ):  # fmt: skip
        teams = units.SCENARIOS[scenario]
        self.allies, self.enemies = map(len, teams)
        names = [f"ally_{k}" for k in range(self.allies)]
        if sides == "allies":
            self.utility = "identical"
        else:
            names += [f"enemy_{k}" for k in range(self.enemies)]
            if rewards == "win" and self.allies == self.enemies:
                self.utility = "zero-sum"
        friends = len(teams[sides == "both"]) - 1  # no side has more units than the enemies
        low, high = np.zeros(ROW, np.float32), np.ones(ROW, np.float32)
        low[1:5] = -1.0
        ends = np.zeros((2, OWN), np.float32)
        ends[1] = 1.0
        ends[:, 1:3] = [[-REACH / units.SIZE], [1.0 + REACH / units.SIZE]]
        parts: dict[str, Space] = {"own": Box(ends[0], ends[1], dtype=np.float32)}
        if observation == "conic":
            parts["sectors"] = Box(
                np.tile(low, (units.SECTORS, 2, 1)), np.tile(high, (units.SECTORS, 2, 1)), dtype=np.float32
            )
            self.clickable = "north|east|south|west|stop"
        else:
            parts["friends"] = Box(np.tile(low, (friends, 1)), np.tile(high, (friends, 1)), dtype=np.float32)
            parts["foes"] = Box(np.tile(low, (self.enemies, 1)), np.tile(high, (self.enemies, 1)), dtype=np.float32)
        self.define(
            agents=names,
            actions={
                name: [
                    *units.MOVES,
                    "stop",
                    *(f"attack {k}" for k in range(self.enemies if a < self.allies else self.allies)),
                ]
                for a, name in enumerate(names)
            },
            observation=Dict(parts),
            fields=fields(self.allies, self.enemies),
            params={
                "allies": fixed(self.allies),
                "units": limited(sum(teams, []), -1, len(units.KINDS) - 1),
                "rewards": among(("damage", "win"), rewards),
                "deadly_walls": deadly_walls,
                "jitter": jitter,
                "horizon": horizon,
            },
            reward_range=(0.0, 2.0) if rewards == "damage" else (-1.0, 1.0),
        )

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        return skirmishes.write(s.kinds, s.started, self.allies)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        s.kinds[:], s.started[:] = skirmishes.read(level, self.allies, self.enemies, self.id)

    def contradiction(self, s: Any) -> str | None:
        alive = s.health > 0.0
        if (s.health > units.HEALTH[s.kinds]).any():
            return "a unit has more health than its kind"
        if (s.terminated != (not (alive[: self.allies].any() and alive[self.allies :].any()))).any():
            return "the ends are not those of the dead"
        return None

    # States, texts and pictures.

    def state_space(self) -> Box:
        """A row for each unit: as `own`, then 0 for allies and 1 for enemies; the dead have only that."""
        own = self.observation_spaces[0]["own"]  # type: ignore[index]
        side = np.repeat(np.array([0, 1], np.float32), [self.allies, self.enemies])[:, None]
        low, high = (np.hstack([np.tile(row, (len(side), 1)), side]) for row in (own.low, own.high))
        return Box(low, high, dtype=np.float32)

    def state(self, records: np.ndarray, observations: np.ndarray) -> np.ndarray:
        kinds, alive = records["kinds"], records["health"] > 0.0
        found = np.zeros((*kinds.shape, OWN + 1), np.float32)
        found[..., 0] = records["health"] / units.HEALTH[kinds]
        found[..., 1:3] = records["position"] / units.SIZE
        found[..., 3] = np.minimum(records["cooldown"] / units.COOLDOWN[kinds], 1.0)
        found[..., 4:OWN] = np.eye(len(units.KINDS))[kinds]
        found *= alive[..., None]
        found[..., self.allies :, OWN] = 1.0
        return found

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        ally, teams = agent < self.allies, units.SCENARIOS[self.parameters["scenario"]]
        known = {kind for team in teams for kind in team}
        own, rivals = (self.allies, self.enemies) if ally else (self.enemies, self.allies)
        jitter = float(s.params.jitter)
        return {
            "sides": f"{own} units of your side against {rivals} of the other side",
            "rivals": rivals,
            "played": self.parameters["sides"] == "both",
            "size": units.SIZE,
            "step": TICKS * TICK,
            "kinds": " ".join(
                pages.told(kind) for kind in range(len(skirmishes.KINDS)) if kind in known or -1 in known
            ),
            "early": jitter * TICK,
            "late": 2.0 * jitter * TICK,
            "walls": ", and so is one that gets to the edge of the field."
            if s.params.deadly_walls
            else ". At the edge of the field units stop.",
            "sectors": units.SECTORS,
            "per_sector": 2,
            "foe": "enemy" if ally else "ally",
        }


env, raw_env, parallel_env = pettingzoo_forms(Skirmish)
