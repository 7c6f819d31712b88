"""Merge: a driver on a motorway makes room for a car that joins from a ramp.

**Rules.** A road runs from x = 0 to x = 460 m. It has lane 0 at y = 0 and lane 1 at y = 4 m. A ramp approaches it, runs
beside it at y = 8 m from x = 230 m on, and ends at x = 310 m, where an obstacle of 2 m x 2 m stands. Cars are 5 m long
and 2 m wide. They may change between neighboring lanes, but never onto the ramp. Each step is a second, and has 15
ticks. In each tick:

- All cars steer toward the middle of their wanted lane, as bicycles do. Their wanted speed aside is the distance from
  the middle divided by 0.6 s. Their heading turns toward that motion within 0.2 s.
- Agents accelerate by (wanted - speed) / 0.6 m/s2; the wanted speed is 20, 25 or 30 m/s.
- Other cars follow the Intelligent Driver Model within 6 m/s2. Their wanted speed is at most 20 m/s, the jam distance
  10 m, the time 1.5 s, the acceleration 3 m/s2, the braking 5 m/s2 and the exponent 4. The car ahead is the nearest one
  ahead that is at most 3 m beside the lane. While a car changes lanes, both lanes count, and the smaller acceleration
  holds.
- Once a second, other cars consider the neighboring lanes (MOBIL). They change if that raises their acceleration by
  0.2 m/s2 or more, and does not make the car behind brake by more than 2 m/s2. They give up a change if a car ahead of
  them, nearer than the gap that they want, changes to the same lane.
- Cars that overlap are wrecks. Cars that would overlap within a tick are pushed apart in the next tick and are wrecks
  then. A wreck loses 1/15 of its speed per tick.

The agent starts in lane 1 at x = 30 m with 30 m/s. Three cars start in random lanes at 90, 70 and 5 m, each up to 5 m
away from there, with 29, 31 and 31.5 m/s, each up to 1 m/s off. The merger starts on the ramp at x = 110 m with 20 m/s.

**Agents.** `car_0` on the motorway, and with `players=2` also `car_1`, the merger.

**Observation.** Dict. Numbers of lanes: 0 and 1 before x = 230 m; 2, 3 and 4 (the ramp) beside the ramp; 5 and 6 after
x = 310 m; 7 and 8 for the ramp before and after x = 150 m.

| part | space | content |
|---|---|---|
| cars | Box (5, 5) float32 | own car, then others, see below: 1, x / 200, y / 8, velocity / 80 (2) |
| own | Box (4,) float32 | x, y, heading, wanted speed |
| lanes | Box (2,) int32 | own lane, wanted lane |

The others are the cars and the obstacle within 200 m that are less than 10 m behind, the nearest in x first. Their
numbers are relative to the own car. All are clipped to [-1, 1]. Rows without a car are 0.

**Actions.** Discrete (5).

| action | name |
|---|---|
| 0 | `left` |
| 1 | `idle` |
| 2 | `right` |
| 3 | `faster` |
| 4 | `slower` |

`left` and `right` choose the lane beside the wanted lane, if there is one that is not the ramp. `faster` and `slower`
choose the wanted speed above or below the one that is nearest to the speed.

**Window.** The arrow keys mean left, right, faster and slower, and space means idle. Left is the lane above.

**Rewards.** In each step (r + 1.5) / 1.8, where r is the sum of these parts:

| part | after a step |
|---|---|
| -1 | if the agent is a wreck |
| 0.1 | times the number of its lane in its section |
| 0.02 | times its speed above 20 m/s |
| -0.05 | if its action was `left` or `right` |
| -0.5 | times the share of its wanted speed that a car on the ramp beside the road lacks |

**Ends.** Terminates when an agent is a wreck, or when all agents are beyond x = 370 m. No other end is needed, because
agents drive at 20 m/s or more.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 1 | number of agents, 1 or 2 |
| `connected` | False | whether drivers see cars ahead on the next and previous sections too |

**Level.** ``{"cars": [[0, 90, 29], [1, 70, 31], [1, 5, 31.5]]}``: lane, x from -100 to 230 m and speed from 1 to
40 m/s of the three cars.

**Known values.** Rewards are almost always positive, so a driver that is always slower collects the most: it takes the
most steps. This is so in the source too.

**Differences.**

- With `players=2` the merger is an agent too, with the same rewards and actions, as negotiation needs two. The source
  has one agent.
- Agents also see `own` and `lanes`, because `cars` clips x at 200 m, before the ramp joins.
- `cars` divides y by 8 for the merger too. The source has no merger that observes.

**Source.** Leurent, "An environment for autonomous driving decision-making" (highway-env), 2018, environments merge-v0
and v1; Treiber, Hennecke and Helbing, "Congested traffic states in empirical observations and microscopic simulations",
2000; Kesting, Treiber and Helbing, "General lane-changing model MOBIL for car-following models", 2007.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_integer
from envsuite.core.random import randint, uniform
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.gridworlds.merge import pages, view
from envsuite.kit import driving
from envsuite.kit.control import cosine, limited, sine, wrapped
from envsuite.kit.driving import HARDEST, LENGTH, WIDTH, bearing
from envsuite.kit.plane import distance
from envsuite.registry import pettingzoo_forms

LEFT, IDLE, RIGHT, FASTER, SLOWER = range(5)

#: The cars: an agent, three others, the merger; the number of the obstacle.
CARS, MERGER, OBSTACLE = 5, 4, 5

#: The number of lanes, the first one beside the ramp, and the ramp before that: straight and in a sine.
LANES, BESIDE, RAMP, SINE = 9, 2, 7, 8

#: For each lane the first and last lane of its section, its start, its length and its y, without the sine.
FIRST = np.array([0, 0, 2, 2, 2, 5, 5, 7, 8])
LAST = np.array([1, 1, 4, 4, 4, 6, 6, 7, 8])
START = np.array([0.0, 0.0, 230.0, 230.0, 230.0, 310.0, 310.0, 0.0, 150.0])
LONG = np.array([230.0, 230.0, 80.0, 80.0, 80.0, 150.0, 150.0, 150.0, 80.0])
MIDDLE = np.array([0.0, 4.0, 0.0, 4.0, 8.0, 0.0, 4.0, 14.5, 11.25])

#: Lanes that nobody may change to: the ramp.
FORBIDDEN = np.array([0, 0, 0, 0, 1, 0, 0, 1, 1])

#: The first lane of the section after each lane, or -1.
NEXT = np.array([2, 2, 5, 5, 5, -1, -1, 8, 2])

#: Lanes after and before each lane where drivers may look too, and their offsets along it; -1 for none.
NEAR = np.array(
    [[2, -1, -1], [3, -1, -1], [5, 0, 8], [6, 1, 8], [5, 0, 8], [2, -1, -1], [3, -1, -1], [8, -1, -1], [2, 7, -1]]
)
OFFSET = np.array(
    [
        [230.0, 0.0, 0.0],
        [230.0, 0.0, 0.0],
        [80.0, -230.0, -80.0],
        [80.0, -230.0, -80.0],
        [80.0, -230.0, -80.0],
        [-80.0, 0.0, 0.0],
        [-80.0, 0.0, 0.0],
        [150.0, 0.0, 0.0],
        [80.0, -150.0, 0.0],
    ]
)

#: The bend of the ramp.
SWING, BEND = 3.25, math.pi / 80.0

#: Ticks in a step, and seconds of a tick.
TICKS, TICK = 15, 1.0 / 15.0

#: Seconds in which the controllers of speed, place and heading act, and look ahead; the largest sine of the slip.
SPEEDING, PLACING, TURNING, PURSUIT, SLIP = 0.6, 0.6, 0.2, 0.1, math.sqrt(3.0 / 7.0)

#: The drivers: speed limit, jam distance, time, acceleration, braking; gain of a change, and braking that it may cause.
LIMIT, GAP, TIME, PUSH, BRAKE, GAIN, IMPOSED = 20.0, 10.0, 1.5, 3.0, 5.0, 0.2, 2.0

#: The largest speed, the ends of lanes where cars look for the next, and where the world ends.
FAST, TAIL, END = 40.0, 2.5, 370.0

#: The side of the obstacle, and its middle.
BLOCK, BLOCK_X, BLOCK_Y = 2.0, 310.0, 8.0

#: Rows of the observation.
ROWS = 5


def fields() -> list[tuple]:
    """The record."""
    real = np.float64
    place, speed, lane = within(real, [-1e4, -1e3], [1e4, 1e3]), within(real, -100, 100), below(np.int8, LANES)
    return [
        ("first", within(real, [0, -100, 1], [1, 230, FAST]), (3, 3)),  # lane, x and speed of the cars: the level
        ("place", place, (CARS, 2)),  # x and y
        ("heading", within(real, -1e4, 1e4), (CARS,)),
        ("speed", speed, (CARS,)),
        ("lane", lane, (CARS,)),
        ("target", lane, (CARS,)),  # the wanted lane
        ("wanted", within(real, 1, 100), (CARS,)),  # the wanted speed
        ("timer", within(real, 0, 1e4), (CARS,)),  # seconds since other cars considered a change
        ("crash", flag(), (CARS,)),
        ("struck", flag(), (CARS,)),  # whether a push is due, and which
        ("push", within(real, -100, 100), (CARS, 2)),
        ("slip", within(real, -1, 1), (CARS,)),  # the sine of the angle between motion and heading
        ("gas", within(real, -100, 100), (CARS,)),  # the acceleration
    ]


@kernel
def agent_of(k):
    """The car of an agent."""
    return 0 if k == 0 else MERGER


@kernel
def is_agent(s, k):
    return k == 0 or (k == MERGER and s.terminated.shape[0] == 2)


# The roads.


@kernel
def middle(lane, x):
    """The y of the middle of a lane."""
    if lane == SINE:
        return MIDDLE[lane] + SWING * cosine(BEND * (x - START[lane]))
    return MIDDLE[lane]


@kernel
def heading_on(lane, x):
    """The heading of a lane."""
    if lane == SINE:
        return bearing(1.0, -SWING * BEND * sine(BEND * (x - START[lane])))
    return 0.0


@kernel
def away(lane, x, y):
    """How far a point is from a lane: aside of it, before it and after it."""
    along = x - START[lane]
    return abs(y - middle(lane, x)) + max(along - LONG[lane], 0.0) + max(-along, 0.0)


@large_kernel
def nearest_lane(x, y, heading):
    """The lane of a car: the nearest, where a radian of difference in heading counts as a metre."""
    best, least = 0, np.inf
    for lane in range(LANES):
        far = away(lane, x, y) + abs(wrapped(heading - heading_on(lane, x)))
        if far < least:
            best, least = lane, far
    return best


@kernel
def may_enter(lane, x, y):
    """Whether a car may change to a lane from where it is."""
    along = x - START[lane]
    return FORBIDDEN[lane] == 0 and abs(y - middle(lane, x)) <= 8.0 and 0.0 <= along < LONG[lane] + LENGTH


@large_kernel
def go_on(s, k):
    """Near the end of its wanted lane, a car wants the nearest lane of the next section."""
    lane, x = np.int64(s.target[k]), s.place[k, 0]
    if x - START[lane] <= LONG[lane] - TAIL or NEXT[lane] < 0:
        return
    y, best, least = middle(lane, x), -1, np.inf
    for other in range(NEXT[lane], LAST[NEXT[lane]] + 1):
        far = away(other, x, y)
        if far < least:
            best, least = other, far
    s.target[k] = best


# Drivers.


@kernel
def on_lane(lane, x, y):
    """Whether a car or obstacle is on a lane, in a wide sense."""
    along = x - START[lane]
    return abs(y - middle(lane, x)) <= 3.0 and -LENGTH <= along < LONG[lane] + LENGTH


@kernel
def along_of(s, j, lane):
    """Whether car j, or the obstacle, counts for a lane, and its meters along the lane."""
    x, y = BLOCK_X, BLOCK_Y
    if j != OBSTACLE:
        x, y = s.place[j, 0], s.place[j, 1]
    if on_lane(lane, x, y):
        return True, x - START[lane]
    if s.params.connected:
        for look in range(3):
            other = NEAR[lane, look]
            if other >= 0 and on_lane(other, x, y):
                return True, x - START[other] + OFFSET[lane, look]
    return False, 0.0


@large_kernel
def neighbors(s, k, lane):
    """The car or obstacle ahead of car k on a lane, and that behind it; -1 for none."""
    here = s.place[k, 0] - START[lane]
    ahead, behind, front, rear = -1, -1, 0.0, 0.0
    for j in range(CARS + 1):
        if j != k:
            on, along = along_of(s, j, lane)
            if on and here <= along and (ahead < 0 or along <= front):
                ahead, front = j, along
            if on and along < here and (behind < 0 or along > rear):
                behind, rear = j, along
    return ahead, behind


@kernel
def wanted_gap(s, k, j):
    """The gap that car k wants to car j."""
    turn = s.heading[k]
    closing = s.speed[k]
    if j != OBSTACLE:
        closing -= s.speed[j] * (cosine(s.heading[j]) * cosine(turn) + sine(s.heading[j]) * sine(turn))
    return driving.desired_gap(s.speed[k], closing, GAP, TIME, PUSH, BRAKE)


@large_kernel
def acceleration(s, k, j):
    """The acceleration of car k behind car j (-1 for none) by the driver model; 0 for no car."""
    if k < 0 or k == OBSTACLE:
        return 0.0
    result = driving.free_acceleration(s.speed[k], limited(s.wanted[k], 0.0, LIMIT), 4.0, PUSH)
    if j >= 0:
        x = BLOCK_X if j == OBSTACLE else s.place[j, 0]
        result -= driving.held_back(wanted_gap(s, k, j), x - s.place[k, 0], PUSH)
    return result


@large_kernel
def gains(s, k, lane):
    """Whether a change to a lane pays and is safe."""
    ahead, behind = neighbors(s, k, lane)
    if acceleration(s, behind, k) < -IMPOSED:
        return False
    now, _ = neighbors(s, k, np.int64(s.lane[k]))
    return acceleration(s, k, ahead) - acceleration(s, k, now) >= GAIN


@large_kernel
def consider(s, k):
    """Choose the wanted lane of another car."""
    lane, target = np.int64(s.lane[k]), np.int64(s.target[k])
    if lane != target:
        if FIRST[lane] == FIRST[target]:
            for j in range(CARS):
                if j != k and s.lane[j] != target and s.target[j] == target:
                    ahead = s.place[j, 0] - s.place[k, 0]
                    if 0.0 < ahead < wanted_gap(s, k, j):
                        s.target[k] = lane
                        return
        return
    if s.timer[k] <= 1.0:
        return
    s.timer[k] = 0.0
    for side in range(2):
        other = lane - 1 if side == 0 else lane + 1
        if FIRST[lane] <= other <= LAST[lane] and may_enter(other, s.place[k, 0], s.place[k, 1]):
            if abs(s.speed[k]) >= 1.0 and gains(s, k, other):
                s.target[k] = other


@kernel
def steer(s, k):
    """The sine of the slip that leads to the middle of the wanted lane."""
    lane, x = np.int64(s.target[k]), s.place[k, 0]
    speed = s.speed[k]
    if abs(speed) <= 0.01:
        speed = 0.01 if speed >= 0.0 else -0.01
    off = s.place[k, 1] - middle(lane, x)
    aside = limited(-off / PLACING / speed, -1.0, 1.0)
    turn = limited(bearing(math.sqrt(1.0 - aside * aside), aside), -0.25 * math.pi, 0.25 * math.pi)
    turn = wrapped(heading_on(lane, x + s.speed[k] * PURSUIT) + turn - s.heading[k])
    return limited(0.5 * LENGTH / speed * turn / TURNING, -SLIP, SLIP)


@large_kernel
def act(s, k):
    """Choose the steering and the acceleration of a car."""
    if is_agent(s, k):
        go_on(s, k)
        s.slip[k] = steer(s, k)
        s.gas[k] = limited((s.wanted[k] - s.speed[k]) / SPEEDING, -100.0, 100.0)
    elif s.crash[k] == 0:
        go_on(s, k)
        consider(s, k)
        s.slip[k] = steer(s, k)
        ahead, _ = neighbors(s, k, np.int64(s.lane[k]))
        gas = acceleration(s, k, ahead)
        if s.lane[k] != s.target[k]:
            ahead, _ = neighbors(s, k, np.int64(s.target[k]))
            gas = min(gas, acceleration(s, k, ahead))
        s.gas[k] = limited(gas, -HARDEST, HARDEST)


# Motion.


@large_kernel
def move(s, k):
    """Move a car as a bicycle, and push it if that is due."""
    speed, slip, gas = s.speed[k], s.slip[k], s.gas[k]
    if s.crash[k] == 1:
        slip, gas = 0.0, -speed
    if speed > FAST:
        gas = min(gas, FAST - speed)
    elif speed < -FAST:
        gas = max(gas, -FAST - speed)
    turn, straight = s.heading[k], math.sqrt(1.0 - slip * slip)
    along = cosine(turn) * straight - sine(turn) * slip
    aside = sine(turn) * straight + cosine(turn) * slip
    x, y = s.place[k, 0] + speed * along * TICK, s.place[k, 1] + speed * aside * TICK
    if s.struck[k] == 1:
        x, y = x + s.push[k, 0], y + s.push[k, 1]
        s.crash[k], s.struck[k] = 1, 0
    s.place[k, 0], s.place[k, 1] = limited(x, -1e4, 1e4), limited(y, -1e3, 1e3)
    s.heading[k] = limited(turn + speed * slip / (0.5 * LENGTH) * TICK, -1e4, 1e4)
    s.speed[k] = limited(speed + gas * TICK, -100.0, 100.0)
    s.timer[k] = min(s.timer[k] + TICK, 1e4)
    s.lane[k] = nearest_lane(s.place[k, 0], s.place[k, 1], s.heading[k])


@kernel
def gap_between(low, high, its_low, its_high):
    """The gap between two intervals, below 0 if they overlap."""
    return its_low - high if low < its_low else low - its_high


@large_kernel
def meet(s, a, b):
    """A car may overlap another one, or the obstacle: note who is a wreck, and the pushes."""
    x, y, ahead, aside, length, width = BLOCK_X, BLOCK_Y, 1.0, 0.0, BLOCK, BLOCK
    speed = 0.0
    if b != OBSTACLE:
        x, y, length, width = s.place[b, 0], s.place[b, 1], LENGTH, WIDTH
        ahead, aside, speed = cosine(s.heading[b]), sine(s.heading[b]), s.speed[b]
    x, y = x - s.place[a, 0], y - s.place[a, 1]
    if distance(x, y) > 0.5 * (distance(LENGTH, WIDTH) + distance(length, width)) + s.speed[a] * TICK:
        return
    own_ahead, own_aside = cosine(s.heading[a]), sine(s.heading[a])
    shift_x = (s.speed[a] * own_ahead - speed * ahead) * TICK
    shift_y = (s.speed[a] * own_aside - speed * aside) * TICK
    now, soon, least, push_x, push_y = True, True, np.inf, 0.0, 0.0
    for k in range(8):
        along, across = (own_ahead, own_aside) if k < 4 else (ahead, aside)
        if k % 2 == 1:
            along, across = -across, along
        if k % 4 == 0 or k % 4 == 3:
            along, across = -along, -across
        half = driving.reaches(along, across, own_ahead, own_aside, LENGTH, WIDTH)
        its_half, its_middle = driving.reaches(along, across, ahead, aside, length, width), x * along + y * across
        move_on = shift_x * along + shift_y * across
        if gap_between(-half, half, its_middle - its_half, its_middle + its_half) > 0.0:
            now = False
        low, high = -half + min(move_on, 0.0), half + max(move_on, 0.0)
        gap = gap_between(low, high, its_middle - its_half, its_middle + its_half)
        if gap > 0.0:
            soon = False
        if abs(gap) < least:
            least, sign = abs(gap), -1.0 if its_middle >= 0.0 else 1.0
            push_x, push_y = sign * least * along, sign * least * across
    if soon:
        share = 1.0 if b == OBSTACLE else 0.5
        s.struck[a], s.push[a, 0], s.push[a, 1] = 1, share * push_x, share * push_y
        if b != OBSTACLE:
            s.struck[b], s.push[b, 0], s.push[b, 1] = 1, -share * push_x, -share * push_y
    if now:
        s.crash[a] = 1
        if b != OBSTACLE:
            s.crash[b] = 1


@large_kernel
def reset(s):
    for k in range(3):
        if not s.level_given:
            s.first[k, 0] = randint(s, 2)
            s.first[k, 1] = (90.0 if k == 0 else 70.0 if k == 1 else 5.0) - 5.0 + 10.0 * uniform(s)
            s.first[k, 2] = (29.0 if k == 0 else 31.0 if k == 1 else 31.5) - 1.0 + 2.0 * uniform(s)
    for k in range(CARS):
        lane, x, speed = 1, 30.0, 30.0
        if k == MERGER:
            lane, x, speed = RAMP, 110.0, 20.0
        elif k > 0:
            lane, x, speed = int(s.first[k - 1, 0]), s.first[k - 1, 1], s.first[k - 1, 2]
        s.place[k, 0], s.place[k, 1], s.heading[k], s.speed[k] = x, MIDDLE[lane], 0.0, speed
        s.lane[k], s.target[k] = lane, lane
        s.wanted[k] = speed
        s.timer[k] = (x + MIDDLE[lane]) * math.pi % 1.0
        s.crash[k], s.struck[k], s.slip[k], s.gas[k] = 0, 0, 0.0, 0.0
        s.push[k, 0], s.push[k, 1] = 0.0, 0.0
    if not is_agent(s, MERGER):
        s.wanted[MERGER] = 30.0


@kernel
def choose(s, k, action):
    """Change the wanted lane or speed of an agent."""
    go_on(s, k)
    if action == LEFT or action == RIGHT:
        lane = np.int64(s.target[k])
        other = limited(lane + (1 if action == RIGHT else -1), FIRST[lane], LAST[lane])
        if may_enter(other, s.place[k, 0], s.place[k, 1]):
            s.target[k] = other
    elif action != IDLE:
        nearest = 0 if s.speed[k] <= 22.5 else 1 if s.speed[k] < 27.5 else 2
        s.wanted[k] = 20.0 + 5.0 * limited(nearest + (1 if action == FASTER else -1), 0, 2)


@kernel
def slowness(s):
    """The share of their wanted speeds that cars on the ramp beside the road lack."""
    total = 0.0
    for k in range(CARS):
        if s.lane[k] == BESIDE + 2:
            total += (s.wanted[k] - s.speed[k]) / s.wanted[k]
    return total


@large_kernel
def step(s, actions, rewards):
    players = s.terminated.shape[0]
    for a in range(players):
        choose(s, agent_of(a), actions[a])
    for _ in range(TICKS):
        for k in range(CARS):
            act(s, k)
        for k in range(CARS):
            move(s, k)
        for k in range(CARS):
            for other in range(k + 1, CARS + 1):
                meet(s, k, other)
    crashed, over, slow = False, True, slowness(s)
    for a in range(players):
        k = agent_of(a)
        crashed, over = crashed or s.crash[k] == 1, over and s.place[k, 0] > END
        paid = 0.1 * (s.lane[k] - FIRST[s.lane[k]]) + 0.02 * (s.speed[k] - 20.0) - 0.5 * slow
        if s.crash[k] == 1:
            paid -= 1.0
        if actions[a] == LEFT or actions[a] == RIGHT:
            paid -= 0.05
        rewards[a] = (paid + 1.5) / 1.8
    for a in range(players):
        s.terminated[a] = crashed or over


@kernel
def show(s, k, own, row):
    """A row of the observation: a car, or the obstacle, as car `own` sees it."""
    x, y, across, down = BLOCK_X, BLOCK_Y, 0.0, 0.0
    if k != OBSTACLE:
        x, y = s.place[k, 0], s.place[k, 1]
        across, down = s.speed[k] * cosine(s.heading[k]), s.speed[k] * sine(s.heading[k])
    if k != own:
        x, y = x - s.place[own, 0], y - s.place[own, 1]
        across -= s.speed[own] * cosine(s.heading[own])
        down -= s.speed[own] * sine(s.heading[own])
    row[0] = 1.0
    row[1], row[2] = limited(x / 200.0, -1.0, 1.0), limited(y / 8.0, -1.0, 1.0)
    row[3], row[4] = limited(across / 80.0, -1.0, 1.0), limited(down / 80.0, -1.0, 1.0)


@large_kernel
def observe(s, agent, out):
    own = agent_of(agent)
    out.own[0], out.own[1] = s.place[own, 0], s.place[own, 1]
    out.own[2], out.own[3] = s.heading[own], s.wanted[own]
    out.lanes[0], out.lanes[1] = s.lane[own], s.target[own]
    show(s, own, own, out.cars[0])
    last, last_one = -1.0, -1
    for row in range(1, ROWS):
        best, nearest = -1, 0.0
        for k in range(CARS + 1):
            x, y = BLOCK_X - s.place[own, 0], BLOCK_Y - s.place[own, 1]
            if k != OBSTACLE:
                x, y = s.place[k, 0] - s.place[own, 0], s.place[k, 1] - s.place[own, 1]
            later = abs(x) > last or (abs(x) == last and k > last_one)
            if k != own and x > -2.0 * LENGTH and distance(x, y) < 200.0 and later:
                if best < 0 or abs(x) < nearest:
                    best, nearest = k, abs(x)
        if best >= 0:
            show(s, best, own, out.cars[row])
            last, last_one = nearest, best
        else:
            last = np.inf
            for part in range(5):
                out.cars[row, part] = 0.0


class Merge(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("traffic",)
    verified = "highway-env 1.12.1 in lock-step: states, rewards, ends and observations"
    variants = (dict(players=2), dict(players=2, connected=True))
    shown = "courteous"
    keys = {"up": "left", "down": "right", "space": "idle", "right": "faster", "left": "slower"}
    synonyms = {"brake": "slower", "accelerate": "faster", "keep": "idle"}
    clickable = "(?!)"
    text = view.text
    scene = view.scene
    level_fields = {"cars": "first"}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(self, players: Annotated[int, Between(1, 2)] = 1, connected: bool = False):
        bound = np.array([1e4, 1e3, 1e4, 100], np.float32)
        self.define(
            agents=[f"car_{a}" for a in range(players)],
            actions=["left", "idle", "right", "faster", "slower"],
            observation=Dict(
                cars=Box(-1, 1, (ROWS, 5), np.float32),
                own=Box(-bound, bound, (4,), np.float32),
                lanes=Box(0, LANES - 1, (2,), np.int32),
            ),
            fields=fields(),
            params={"connected": connected},
            reward_range=(-20.0, 5.0),
        )

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        for k, (lane, _, _) in enumerate(level["cars"]):
            read_integer(lane, f"{self.id}: the lane of car {k}", 0, 1)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"cars": [[int(lane), x, speed] for lane, x, speed in s.first.tolist()]}

    # Text and pictures.


env, raw_env, parallel_env = pettingzoo_forms(Merge)
