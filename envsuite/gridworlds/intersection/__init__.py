"""Intersection: cars without lights cross the roads of others; some cars are agents, the rest follow a driver model.

**Rules.** Four arms of 100 m meet: south, west, north and east. Cars drive on the right, in lanes of 4 m, along fixed
paths: an approach, a crossing (straight 22 m, a right turn of radius 9 m, a left turn of radius 13 m) and an exit. Each
step is a second, and has 15 ticks:

1. Agents accelerate by (wanted - speed) / 0.6 m/s2. Their actions choose the wanted speed among 0, 4.5 and 9 m/s.
2. Other cars follow the Intelligent Driver Model, within 6 m/s2. The car ahead is the nearest car ahead whose center is
   at most 3 m beside the lane, from 5 m before the lane to 5 m after it. So crossing cars count too. In the last 2.5 m
   of a lane the same holds for the next lane, and the smaller acceleration counts.
3. Every 7th tick, other cars decide again whether to yield. Two cars are in conflict if their boxes of 7.5 m x 1.8 m
   overlap after 0.25, 0.5, ... 2.75 s at constant speed. The car on the lane of lower priority then yields: its wanted
   speed is 0. If priorities are equal, the car behind yields. When a car stops yielding, its wanted speed is 10 m/s.
   Agents never have to yield.
4. Cars move by their speeds, then change these. Cars of 5 m x 2 m that overlap are wrecks. Two cars are wrecks from the
   next tick on if a tick at their speeds closes the gap between them, seen along each of the four sides of both. A
   wreck loses 1/15 of its speed per tick.

| lane | priority |
|---|---|
| approach from west or east, and straight or right from it; exit to south or north | 3 |
| left from west or east | 2 |
| approach from south or north, and straight or right from it; exit to west or east | 1 |
| left from south or north | 0 |

After each step, other cars within 20 m of the end of an exit leave. A car then arrives with probability `spawn` on a
random approach, for a random exit, if no car is within 15 m: at 5 + N(0, 1) m, with speed 8 + N(0, 1) m/s.

The start: `cars` - 1 cars try to arrive in the same way, each with probability `spawn`, at equal distances over the
first 80 m. All drive for 3 s. Then a car that goes straight arrives at 65 + 0.1 N(0, 1) m with 8 m/s. Each agent is put
at 60 + 5 N(1, 1) m of its approach with 10 m/s and the wanted speed 9, and other cars within 20 m of it vanish.

**Agents.** `car_0` comes from the south, `car_1` from the west, `car_2` from the north and `car_3` from the east. The
destination "west" means the exit to the west; `car_1`, which comes from there, turns right. "random" draws other exits.

**Observation.** Dict. Units are meters and seconds; x is to the east and y to the south of the middle. The numbers of
the arms are south 0, west 1, north 2 and east 3.

| part | space | content |
|---|---|---|
| cars | Box (15, 7) float32 | own car, then others, see below: 1, x / 100, y / 100, velocity / 20 (2), direction (2) |
| agents | Box (agents, 5) float32 | own car, then the next agents: arm, exit, meters on the path, speed, wanted speed |
| left | Box (1,) int32 | steps left |

The others are the cars within 200 m that are less than 10 m behind along the own lane, the nearest along it first.
Positions and velocities are clipped to [-1, 1]. Rows without a car are 0.

**Actions.** Discrete (3).

| action | name |
|---|---|
| 0 | `slower` |
| 1 | `idle` |
| 2 | `faster` |

`slower` and `faster` choose the wanted speed below or above the one that is nearest to the speed. `idle` keeps it.

**Window.** The keys down, space and up mean slower, idle and faster.

**Rewards.** The sum of three objectives, weighted by `weights`; with `pays="mean"` every agent gets the mean.

| objective | of each agent after a step |
|---|---|
| `collision` | -1 if it is a wreck and has not arrived |
| `speed` | (speed - 7) / 2, from 0 to 1, if it has not arrived |
| `arrival` | 1 if it has arrived: 25 m into an exit |

**Ends.** Terminates when an agent is a wreck, or when all have arrived. Truncated after `duration` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | number of agents, from 1 to 4 |
| `cars` | 10 | cars that may arrive before the start, from 0 to 10; the last one arrives if there is room |
| `spawn` | 0.6 | probability that a car arrives, at the start and after each step, from 0 to 1 |
| `destination` | "west" | exit of the agents, or "random" |
| `connected` | False | whether drivers see cars ahead on the next and previous lanes too |
| `humans` | (1, 0, 0) | shares of drivers: normal, hasty and careful; each from 0 to 1 |
| `pays` | "each" | "each" agent's own reward, or the "mean" |
| `weights` | (5, 1, 1) | weights of the objectives, from -1,000 to 1,000 |
| `duration` | 13 | steps, from 1 to 60 |

| driver | jam distance | time | acceleration | braking | yields |
|---|---|---|---|---|---|
| normal | 7 m | 1.5 s | 6 m/s2 | 3 m/s2 | yes |
| hasty | 4 m | 0.8 s | 6 m/s2 | 3 m/s2 | no |
| careful | 10 m | 2.5 s | 3 m/s2 | 2 m/s2 | yes |

The exponent of each driver is uniform from 3.5 to 4.5.

**Level.** ``{"agents": [{"from": "south", "to": "west", "way": 65, "speed": 10}], "cars": [{"from": "east", "to":
"west", "way": 80, "speed": 8}]}``, with as many agents as the world has. `way` is meters on the path. Both may have
`wanted`. Cars may also have `exponent`, `driver`, `yields` and `crash`: 1 for a wreck from the next tick on, 2 for a
wreck.

**Known values.** In highway-env 1.12.1 with two agents, means over 300 episodes with their standard errors:

| policy | `connected` | return of an agent | episodes with a crash | steps |
|---|---|---|---|---|
| `idle` | False | 6.94 (0.20) | 0.34 (0.03) | 7.97 (0.12) |
| `idle` | True | 6.79 (0.20) | 0.43 (0.03) | 7.92 (0.11) |
| `slower` | both | 0 | 0 | 13 |

**Differences.**

- Cars stay on their paths, which makes steps thousands of times as fast. In the source they steer: in turns they are up
  to 1.3 m away from the places here (95% of all places within 0.7 m), after a turn they are 0.6 m farther, and slow
  cars that roll backward leave the middle of their lane.
- The lane of a car follows from its path. In the source, it is the nearest lane, which can be another one at the
  beginning of a turn.
- Overlap does not push cars apart, because they stay on their paths. In the source, it pushes them off, where an agent
  that leaves the road is paid 0.
- Wrecks are predicted along the rest of their path, as all cars are. In the source, they keep the lane of the crash.
- Overlap is tested for all cars that are near enough at both speeds. The source counts only the speed of one.
- Agents also see the steps left, and the paths of agents, because `cars` does not show who turns. The source shows
  only `cars`, and does not mark agents in it.
- The hasty and careful drivers are our own, for risk in games with people; the source has only the normal one here.
- The random destination is any exit but that of the own arm. In the source it is west, north or east, and an agent
  whose destination is its own arm turns off elsewhere.
- Agents beyond the end of an exit drive straight ahead and are paid. In the source, they turn back or are not paid.
  From a usual start, this needs more than 13 s.
- At most 24 other cars are on the road; with 13 steps there are never more.

Two peculiarities of the source decide who yields, and are kept:

- Boxes overlap if a corner, a middle of an edge or the center of one is in the other, which is turned by minus its
  direction.
- In the last 2.5 m of a lane, a car is predicted a whole lane too far ahead.

**Source.** Leurent, "An environment for autonomous driving decision-making" (highway-env), 2018, environments
intersection-multi-agent-v0, v1 and v2; Treiber, Hennecke and Helbing, "Congested traffic states in empirical
observations and microscopic simulations", 2000.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_integer, read_list, read_name, read_numbers
from envsuite.core.random import bernoulli, categorical, normal, randint, uniform
from envsuite.core.ranges import among, below, flag, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.gridworlds.intersection import pages, roads, view
from envsuite.kit import driving
from envsuite.kit.control import limited
from envsuite.kit.driving import HARDEST, LENGTH
from envsuite.kit.plane import distance
from envsuite.registry import pettingzoo_forms

#: The ends of lanes where drivers see to the next lane, of exits where cars leave, and of exits where agents arrive.
TAIL, LEAVE, ARRIVE = 2.5, 20.0, 25.0

SLOWER, IDLE, FASTER = range(3)

#: Ticks in a step, seconds of a tick, ticks between choices to yield, ticks before the start.
TICKS, TICK, RULE, WARM = 15, 1.0 / 15.0, 7, 45

#: The wanted speed and its fall-off of agents, the speed limit of drivers, and a speed that no car has.
FAST, LAG, LIMIT, RACE = 9.0, 0.6, 10.0, 40.0

COLLISION, SPEED, ARRIVAL = range(3)
SOUND, STRUCK, WRECK = range(3)

#: Jam distance, time, acceleration and braking of drivers.
DRIVERS = ("normal", "hasty", "careful")
NORMAL, HASTY, CAREFUL = range(3)
HABITS = np.array([[7.0, 1.5, 6.0, 3.0], [4.0, 0.8, 6.0, 3.0], [10.0, 2.5, 3.0, 2.0]])

#: Rows of the observation, the most other cars, the largest number of steps and of a weight.
ROWS, OTHERS, LONGEST, WEIGHT = 15, 24, 60, 1000

#: The least and largest place on a path.
BACK, AHEAD = -1000.0, 3000.0


def fields(players: int) -> list[tuple]:
    """The record. Agents are the first cars, the others follow in the order of their arrival."""
    slots = (players + OTHERS,)
    way, speed = within(np.float64, BACK, AHEAD), within(np.float64, -RACE, RACE)
    wanted, exponent = within(np.float64, 0, LIMIT), within(np.float64, 3.5, 4.5)
    count, place, part = within(np.int64, players, players + OTHERS), within(np.float64, -4000, 4000), np.float64
    return [
        ("first_count", count),  # the level: all cars at the start
        ("first_arm", below(np.int8, 4), slots),
        ("first_exit", below(np.int8, 4), slots),
        ("first_way", way, slots),
        ("first_speed", speed, slots),
        ("first_wanted", wanted, slots),
        ("first_exponent", exponent, slots),
        ("first_driver", below(np.int8, 3), slots),
        ("first_yields", flag(), slots),
        ("first_crash", below(np.int8, 3), slots),
        ("count", count),  # of cars
        ("arm", below(np.int8, 4), slots),  # from which a car comes
        ("exit", below(np.int8, 4), slots),
        ("way", way, slots),  # meters on its path
        ("speed", speed, slots),
        ("wanted", wanted, slots),  # the speed that it wants
        ("exponent", exponent, slots),  # of the driver model
        ("driver", below(np.int8, 3), slots),
        ("yields", flag(), slots),
        ("crash", below(np.int8, 3), slots),  # SOUND, STRUCK in the last tick, or WRECK
        ("push", within(np.float64, -100, 100), slots),  # its acceleration in a tick
        ("x", place, slots),  # where it is: follows from its path and way
        ("y", place, slots),
        ("cosine", within(part, -1.01, 1.01), slots),
        ("sine", within(part, -1.01, 1.01), slots),
        ("then", within(part, -4000, 4000), (*slots, 4)),  # where it will be, and its direction; used within a tick
    ]


# Drivers.


@kernel
def locate(s, k):
    """Write where car k is."""
    section, along = roads.place_on(s.arm[k], s.exit[k], s.way[k])
    kind, arm = roads.lane_at(s.arm[k], s.exit[k], section)
    s.x[k], s.y[k], s.cosine[k], s.sine[k] = roads.spot(kind, arm, along)


@kernel
def found_on(s, j, kind, arm):
    """Whether car j is on a lane, in a wide sense, and its meters along the lane."""
    along, aside = roads.project(kind, arm, s.x[j], s.y[j])
    return aside <= roads.HALF + 1.0 and -LENGTH <= along < roads.length_of(kind) + LENGTH, along


@large_kernel
def found_near(s, j, kind, arm):
    """The same for the lanes that follow a lane or lead to it, the first that has the car, along the lane itself."""
    for k in range(3):
        other, far = roads.APPROACH, arm
        if kind == roads.APPROACH:
            other = roads.RIGHT if k == 0 else roads.LEFT if k == 1 else roads.STRAIGHT
        elif kind != roads.EXIT:
            other, far = roads.EXIT, (arm + kind) % 4
        on, along = found_on(s, j, other, far)
        if on:
            return True, along + roads.length_of(kind)
        if kind != roads.APPROACH:
            break
    for far in range(4):
        if kind == roads.EXIT and far != arm:
            other = roads.turn_of(far, arm)
            on, along = found_on(s, j, other, far)
            if on:
                return True, along - roads.length_of(other)
        elif kind != roads.EXIT and far == arm:
            on, along = found_on(s, j, roads.EXIT if kind == roads.APPROACH else roads.APPROACH, arm)
            if on:
                return True, along - roads.ARM
    return False, 0.0


@large_kernel
def car_ahead(s, k, kind, arm):
    """The car ahead of car k on a lane, or -1."""
    here, _ = roads.project(kind, arm, s.x[k], s.y[k])
    best, nearest = -1, 0.0
    for j in range(s.count):
        if j != k:
            on, along = found_on(s, j, kind, arm)
            if not on and s.params.connected:
                on, along = found_near(s, j, kind, arm)
            if on and here <= along and (best < 0 or along <= nearest):
                best, nearest = j, along
    return best


@large_kernel
def acceleration(s, k, kind, arm, own_kind, own_arm):
    """The acceleration of a driver on lane `own`, with the car ahead on a lane."""
    habit = HABITS[s.driver[k]]
    speed, j = s.speed[k], car_ahead(s, k, kind, arm)
    result = driving.free_acceleration(speed, s.wanted[k], s.exponent[k], habit[2])
    if j >= 0:
        here, _ = roads.project(own_kind, own_arm, s.x[k], s.y[k])
        there, _ = roads.project(own_kind, own_arm, s.x[j], s.y[j])
        closing = speed - s.speed[j] * (s.cosine[j] * s.cosine[k] + s.sine[j] * s.sine[k])
        gap = driving.desired_gap(speed, closing, habit[0], habit[1], habit[2], habit[3])
        result -= driving.held_back(gap, there - here, habit[2])
    return result


@large_kernel
def drive(s, k):
    """Choose the acceleration of another car."""
    section, along = roads.place_on(s.arm[k], s.exit[k], s.way[k])
    kind, arm = roads.lane_at(s.arm[k], s.exit[k], section)
    push = acceleration(s, k, kind, arm, kind, arm)
    if section < 2 and along > roads.length_of(kind) - TAIL:
        next_kind, next_arm = roads.lane_at(s.arm[k], s.exit[k], section + 1)
        push = min(push, acceleration(s, k, next_kind, next_arm, kind, arm))
    s.push[k] = limited(push, -HARDEST, HARDEST)


@kernel
def predict(s, k, seconds):
    """Write where a car will be at constant speed; from the last 2.5 m of a lane, a lane too far."""
    section, along = roads.place_on(s.arm[k], s.exit[k], s.way[k])
    kind, arm = roads.lane_at(s.arm[k], s.exit[k], section)
    if section < 2 and along > roads.length_of(kind) - TAIL:
        section += 1
        kind, arm = roads.lane_at(s.arm[k], s.exit[k], section)
    along += s.speed[k] * seconds
    while section < 2 and along > roads.length_of(kind):
        along -= roads.length_of(kind)
        section += 1
        kind, arm = roads.lane_at(s.arm[k], s.exit[k], section)
    s.then[k, 0], s.then[k, 1], s.then[k, 2], s.then[k, 3] = roads.spot(kind, arm, along)


@large_kernel
def holds_part(s, a, b):
    """Whether a corner, a middle of an edge or the center of a's box is in b's, which is turned the wrong way."""
    half_length, half_width = 0.75 * LENGTH, 0.9
    for i in range(-1, 2):
        for j in range(-1, 2):
            x = s.then[a, 0] + i * half_length * s.then[a, 2] - j * half_width * s.then[a, 3] - s.then[b, 0]
            y = s.then[a, 1] + i * half_length * s.then[a, 3] + j * half_width * s.then[a, 2] - s.then[b, 1]
            along, aside = x * s.then[b, 2] - y * s.then[b, 3], x * s.then[b, 3] + y * s.then[b, 2]
            if abs(along) <= half_length and abs(aside) <= half_width:
                return True
    return False


@kernel
def rank(s, k):
    """The priority of a car's lane."""
    section, _ = roads.place_on(s.arm[k], s.exit[k], s.way[k])
    kind, arm = roads.lane_at(s.arm[k], s.exit[k], section)
    return roads.priority(kind, arm)


@kernel
def give_way(s, a, b):
    """The car that gives way yields, unless it is an agent or hasty."""
    first, second = rank(s, a), rank(s, b)
    x, y = s.x[b] - s.x[a], s.y[b] - s.y[a]
    behind = x * s.cosine[a] + y * s.sine[a] > -x * s.cosine[b] - y * s.sine[b]
    k = a if first < second or (first == second and behind) else b
    if k >= s.terminated.shape[0] and s.driver[k] != HASTY:
        s.yields[k] = 1
        s.wanted[k] = 0.0


@large_kernel
def regulate(s):
    """Choose which cars yield."""
    players = s.terminated.shape[0]
    for k in range(players, s.count):
        if s.yields[k]:
            s.yields[k] = 0
            s.wanted[k] = LIMIT
    for quarter in range(1, 12):
        for k in range(s.count):
            predict(s, k, 0.25 * quarter)
        for a in range(s.count):
            for b in range(max(a + 1, players), s.count):
                apart = distance(s.then[b, 0] - s.then[a, 0], s.then[b, 1] - s.then[a, 1])
                if apart <= LENGTH and (holds_part(s, a, b) or holds_part(s, b, a)):
                    give_way(s, a, b)


# Motion.


@kernel
def move(s, k):
    """Move a car, and change its speed."""
    push = -s.speed[k] if s.crash[k] == WRECK else s.push[k]
    s.way[k] = limited(s.way[k] + s.speed[k] * TICK, BACK, AHEAD)
    s.speed[k] = limited(s.speed[k] + push * TICK, -RACE, RACE)
    if s.crash[k] == STRUCK:
        s.crash[k] = WRECK
    locate(s, k)


@large_kernel
def collide(s):
    """Note which cars overlap, or would a tick later."""
    reach = distance(LENGTH, driving.WIDTH)
    for a in range(s.count):
        for b in range(a + 1, s.count):
            x, y = s.x[b] - s.x[a], s.y[b] - s.y[a]
            if distance(x, y) <= reach + (abs(s.speed[a]) + abs(s.speed[b])) * TICK:
                shift_x = (s.speed[a] * s.cosine[a] - s.speed[b] * s.cosine[b]) * TICK
                shift_y = (s.speed[a] * s.sine[a] - s.speed[b] * s.sine[b]) * TICK
                now, soon = driving.overlap(x, y, s.cosine[a], s.sine[a], s.cosine[b], s.sine[b], shift_x, shift_y)
                if now or soon:
                    least = WRECK if now else STRUCK
                    s.crash[a], s.crash[b] = max(s.crash[a], least), max(s.crash[b], least)


@large_kernel
def tick(s, number):
    """A 15th of a second; ticks are numbered from the beginning, those before the start included."""
    players = s.terminated.shape[0]
    for k in range(s.count):
        if k < players:
            s.push[k] = (s.wanted[k] - s.speed[k]) / LAG
        elif s.crash[k] != WRECK:
            drive(s, k)
    if number % RULE == 0:
        regulate(s)
    for k in range(s.count):
        move(s, k)
    collide(s)


# Cars arrive and leave.


@kernel
def clear(s, k):
    """Empty the places of cars from k on."""
    for j in range(k, s.way.shape[0]):
        s.arm[j], s.exit[j], s.driver[j], s.yields[j], s.crash[j] = 0, 1, NORMAL, 0, SOUND
        s.way[j], s.speed[j], s.wanted[j], s.exponent[j] = 0.0, 0.0, 0.0, 4.0
        s.push[j], s.x[j], s.y[j], s.cosine[j], s.sine[j] = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(4):
            s.then[j, i] = 0.0


@kernel
def copy(s, source, k):
    """Put car `source` in the place of car k."""
    s.arm[k], s.exit[k], s.driver[k] = s.arm[source], s.exit[source], s.driver[source]
    s.yields[k], s.crash[k] = s.yields[source], s.crash[source]
    s.way[k], s.speed[k], s.wanted[k] = s.way[source], s.speed[source], s.wanted[source]
    s.exponent[k], s.push[k] = s.exponent[source], s.push[source]
    locate(s, k)


@large_kernel
def leave(s):
    """Cars near the ends of exits leave."""
    kept = s.terminated.shape[0]
    for k in range(kept, s.count):
        section, along = roads.place_on(s.arm[k], s.exit[k], s.way[k])
        if section < 2 or along < roads.ARM - LEAVE:
            copy(s, k, kept)
            kept += 1
    s.count = kept
    clear(s, kept)


@kernel
def close(s, before, k, meters):
    """Whether one of the first `before` cars is within some meters of car k."""
    for j in range(before):
        if j != k and distance(s.x[j] - s.x[k], s.y[j] - s.y[k]) < meters:
            return True
    return False


@large_kernel
def arrive(s, way, spread, speed_spread, straight):
    """A car arrives about there, if there is room."""
    if s.count == s.way.shape[0]:
        return
    k = s.count
    s.arm[k] = randint(s, 4)
    turn = 1 + randint(s, 3)
    s.exit[k] = (s.arm[k] + (roads.STRAIGHT if straight else turn)) % 4
    s.way[k] = way + 5.0 + spread * normal(s)
    s.speed[k] = 8.0 + speed_spread * normal(s)
    s.wanted[k] = limited(s.speed[k], 0.0, LIMIT)
    s.exponent[k] = 3.5 + uniform(s)
    s.driver[k] = categorical(s, s.params.humans, 3)
    s.yields[k] = 0
    s.crash[k] = SOUND
    s.push[k] = 0.0
    locate(s, k)
    if close(s, k, k, 15.0):
        clear(s, k)
    else:
        s.count += 1


@large_kernel
def draw_start(s):
    """Draw the start: cars drive for 3 s, and the agents are put among them."""
    players = s.terminated.shape[0]
    for a in range(players):  # out of the way
        s.arm[a], s.exit[a], s.way[a] = a, (a + roads.STRAIGHT) % 4, AHEAD
        locate(s, a)
    for k in range(s.params.cars - 1):
        if bernoulli(s, s.params.spawn):
            arrive(s, 80.0 * k / (s.params.cars - 1), 1.0, 1.0, False)
    for number in range(1, WARM + 1):
        tick(s, number)
    if s.params.cars > 0:
        arrive(s, 60.0, 0.1, 0.0, True)
    for a in range(players):
        put_agent(s, a)
        kept = players
        for k in range(players, s.count):
            if distance(s.x[k] - s.x[a], s.y[k] - s.y[a]) >= 20.0:
                copy(s, k, kept)
                kept += 1
        s.count = kept
        clear(s, kept)


@kernel
def put_agent(s, a):
    s.arm[a] = a
    s.exit[a] = 1
    if s.params.destination == 1:
        s.exit[a] = (a + 1 + randint(s, 3)) % 4
    elif a == 1:
        s.exit[a] = (a + roads.RIGHT) % 4
    s.way[a] = 60.0 + 5.0 * (1.0 + normal(s))
    s.speed[a], s.wanted[a], s.push[a], s.crash[a] = LIMIT, FAST, 0.0, SOUND
    locate(s, a)


@large_kernel
def reset(s):
    s.count = s.terminated.shape[0]
    clear(s, 0)
    if s.level_given:
        s.count = s.first_count
        for k in range(s.count):
            s.arm[k], s.exit[k], s.driver[k] = s.first_arm[k], s.first_exit[k], s.first_driver[k]
            s.yields[k], s.crash[k] = s.first_yields[k], s.first_crash[k]
            s.way[k], s.speed[k] = s.first_way[k], s.first_speed[k]
            s.wanted[k], s.exponent[k] = s.first_wanted[k], s.first_exponent[k]
            locate(s, k)
        return
    draw_start(s)
    s.first_count = s.count
    for k in range(s.way.shape[0]):
        s.first_arm[k], s.first_exit[k], s.first_driver[k] = s.arm[k], s.exit[k], s.driver[k]
        s.first_yields[k], s.first_crash[k] = s.yields[k], s.crash[k]
        s.first_way[k], s.first_speed[k] = s.way[k], s.speed[k]
        s.first_wanted[k], s.first_exponent[k] = s.wanted[k], s.exponent[k]


# Steps.


@kernel
def choose(speed, wanted, action):
    """The wanted speed of an agent after an action."""
    if action == IDLE:
        return wanted
    nearest = 0 if speed <= 0.25 * FAST else 1 if speed < 0.75 * FAST else 2
    return 0.5 * FAST * limited(nearest + (1 if action == FASTER else -1), 0, 2)


@kernel
def arrived(s, a):
    section, along = roads.place_on(s.arm[a], s.exit[a], s.way[a])
    return section == 2 and along >= ARRIVE


@large_kernel
def step(s, actions, rewards):
    players = s.terminated.shape[0]
    if s.t > 1:
        leave(s)
        if bernoulli(s, s.params.spawn):
            arrive(s, 0.0, 1.0, 1.0, False)
    for a in range(players):
        s.wanted[a] = choose(s.speed[a], s.wanted[a], actions[a])
    for number in range(1, TICKS + 1):
        tick(s, WARM + TICKS * (s.t - 1) + number)
    crashed, all_arrived = False, True
    for a in range(players):
        crashed = crashed or s.crash[a] == WRECK
        if arrived(s, a):
            s.objectives[a, ARRIVAL] = 1.0
        else:
            all_arrived = False
            s.objectives[a, COLLISION] = -1.0 if s.crash[a] == WRECK else 0.0
            s.objectives[a, SPEED] = limited((s.speed[a] - 7.0) / 2.0, 0.0, 1.0)
    if s.params.pays == 1:
        for part in range(3):
            total = 0.0
            for a in range(players):
                total += s.objectives[a, part]
            for a in range(players):
                s.objectives[a, part] = total / players
    for a in range(players):
        s.terminated[a] = crashed or all_arrived
        s.truncated[a] = s.t >= s.params.duration and not (crashed or all_arrived)


@kernel
def show(s, k, row):
    row[0] = 1.0
    row[1], row[2] = limited(s.x[k] / 100.0, -1.0, 1.0), limited(s.y[k] / 100.0, -1.0, 1.0)
    row[3] = limited(s.speed[k] * s.cosine[k] / 20.0, -1.0, 1.0)
    row[4] = limited(s.speed[k] * s.sine[k] / 20.0, -1.0, 1.0)
    row[5], row[6] = s.cosine[k], s.sine[k]


@large_kernel
def observe(s, agent, out):
    players = s.terminated.shape[0]
    for row in range(players):
        a = (agent + row) % players
        out.agents[row, 0], out.agents[row, 1], out.agents[row, 2] = s.arm[a], s.exit[a], s.way[a]
        out.agents[row, 3], out.agents[row, 4] = s.speed[a], s.wanted[a]
    out.left[0] = max(s.params.duration - s.t, 0)
    section, along = roads.place_on(s.arm[agent], s.exit[agent], s.way[agent])
    kind, arm = roads.lane_at(s.arm[agent], s.exit[agent], section)
    show(s, agent, out.cars[0])
    last, last_car = -1.0, -1
    for row in range(1, ROWS):
        best, nearest = -1, 0.0
        for k in range(s.count):
            if k != agent and distance(s.x[k] - s.x[agent], s.y[k] - s.y[agent]) < 200.0:
                there, _ = roads.project(kind, arm, s.x[k], s.y[k])
                away = abs(there - along)
                later = away > last or (away == last and k > last_car)
                if there - along > -2.0 * LENGTH and later and (best < 0 or away < nearest):
                    best, nearest = k, away
        if best >= 0:
            show(s, best, out.cars[row])
            last, last_car = nearest, best
        else:
            for part in range(7):
                out.cars[row, part] = 0.0
            last = np.inf


class Intersection(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("traffic",)
    verified = (
        "highway-env 1.12.1: cars on straight paths in lock-step, statistics of whole episodes; a second implementation"
    )
    variants = (
        dict(players=4, destination="random", pays="mean", connected=True, humans=(0.4, 0.3, 0.3), duration=20),
        dict(players=1, cars=0, spawn=1.0, duration=60, weights=(0.5, 2.0, 0.0)),
    )
    shown = "reservation"
    keys = {"down": "slower", "space": "idle", "up": "faster"}
    synonyms = {"brake": "slower", "keep": "idle", "accelerate": "faster"}
    clickable = "(?!)"
    text = view.text
    scene = view.scene
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        players: Annotated[int, Between(1, 4)] = 2,
        cars: Annotated[int, Between(0, 10)] = 10,
        spawn: Annotated[float, Between(0, 1)] = 0.6,
        destination: Literal["west", "random"] = "west",
        connected: bool = False,
        humans: tuple[
            Annotated[float, Between(0, 1)], Annotated[float, Between(0, 1)], Annotated[float, Between(0, 1)]
        ] = (1.0, 0.0, 0.0),
        pays: Literal["each", "mean"] = "each",
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (5.0, 1.0, 1.0),
        duration: Annotated[int, Horizon(1, LONGEST)] = 13,
    ):
        if not any(humans):
            raise ParameterError(f"Intersection: humans={humans} must have a share above 0")
        high = np.ones((ROWS, 7), np.float32)
        agent = np.array([[3, 3, AHEAD, RACE, LIMIT]] * players, np.float32)
        low = np.array([[0, 0, BACK, -RACE, 0]] * players, np.float32)
        self.define(
            agents=[f"car_{a}" for a in range(players)],
            actions=["slower", "idle", "faster"],
            observation=Dict(
                cars=Box(-1.001 * high, 1.001 * high, (ROWS, 7), np.float32),
                agents=Box(low, agent, (players, 5), np.float32),
                left=Box(0, LONGEST, (1,), np.int32),
            ),
            fields=fields(players),
            params={
                "cars": cars,
                "spawn": spawn,
                "destination": among(("west", "random"), destination),
                "connected": connected,
                "humans": humans,
                "pays": among(("each", "mean"), pays),
                "weights": weights,
                "duration": duration,
            },
            objectives={"collision": (-1.0, 0.0), "speed": (0.0, 1.0), "arrival": (0.0, 1.0)},
        )

    def contradiction(self, s: Any) -> str | None:
        for arm, out in ((s.arm, s.exit), (s.first_arm, s.first_exit)):
            if (np.asarray(arm) == np.asarray(out)).any():
                return "a car leaves where it comes from"
        if not np.asarray(s.params.humans).any():
            return "no drivers have a share"
        return "more steps than the duration" if s.t > s.params.duration else None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.id, level, {"agents", "cars"})
        players = len(self.agents)
        agents = read_list(level["agents"], f"{self.id}: the level's agents", players)
        cars = read_list(level.get("cars", []), f"{self.id}: the level's cars", 0, OTHERS)
        self._clear_level(s)
        s.first_count = players + len(cars)
        for k, car in enumerate([*agents, *cars]):
            self._read_car(s, k, car, f"agent {k}" if k < players else f"car {k - players}", k < players)

    def _clear_level(self, s: Any) -> None:
        for name in ("arm", "way", "speed", "wanted", "driver", "yields", "crash"):
            s[f"first_{name}"][:] = 0
        s.first_exit[:], s.first_exponent[:] = 1, 4.0

    def _read_car(self, s: Any, k: int, car: Any, name: str, agent: bool) -> None:
        """Put a car of a level in its place, or `LevelError`."""
        numbers = {"way": (BACK, AHEAD), "speed": (-RACE, RACE), "wanted": (0, LIMIT), "exponent": (3.5, 4.5)}
        known = ["from", "to", *numbers, "driver", "yields", "crash"]
        if not isinstance(car, Mapping) or not {"from", "to", "way", "speed"} <= set(car) <= set(known):
            raise LevelError(
                f"{self.id}: {name} must have from, to, way and speed, and may have {', '.join(known[4:])}"
            )
        for part, choices in (("from", roads.ARMS), ("to", roads.ARMS), ("driver", DRIVERS)):
            if part in car:
                read_name(car[part], f"{self.id}: {name}: {part}", choices)
        if car["from"] == car["to"]:
            raise LevelError(f"{self.id}: {name} leaves where it comes from")
        for part, (low, high) in numbers.items():
            read_numbers(car.get(part, 4.0), f"{self.id}: {name}: {part}", (), low, high)
        crash = car.get("crash", SOUND)
        read_integer(crash, f"{self.id}: {name}: crash", SOUND, WRECK)
        if type(car.get("yields", False)) is not bool:
            raise LevelError(f"{self.id}: {name}: 'yields' must be true or false")
        s.first_arm[k], s.first_exit[k] = roads.ARMS.index(car["from"]), roads.ARMS.index(car["to"])
        s.first_way[k], s.first_speed[k] = car["way"], car["speed"]
        usual = FAST if agent else min(max(car["speed"], 0.0), LIMIT)
        s.first_wanted[k], s.first_exponent[k] = car.get("wanted", usual), car.get("exponent", 4.0)
        s.first_driver[k] = DRIVERS.index(car.get("driver", "normal"))
        s.first_yields[k], s.first_crash[k] = car.get("yields", False), crash

    def get_level(self, s: Any) -> dict[str, Any]:
        players, cars = len(self.agents), []
        for k in range(int(s.first_count)):
            car: dict[str, Any] = {"from": roads.ARMS[s.first_arm[k]], "to": roads.ARMS[s.first_exit[k]]}
            car |= {part: float(s[f"first_{part}"][k]) for part in ("way", "speed", "wanted")}
            if k >= players:
                car |= {"exponent": float(s.first_exponent[k]), "driver": DRIVERS[s.first_driver[k]]}
                car |= {"yields": bool(s.first_yields[k]), "crash": int(s.first_crash[k])}
            cars.append(car)
        return {"agents": cars[:players], "cars": cars[players:]}

    # Text and pictures.


env, raw_env, parallel_env = pettingzoo_forms(Intersection)
