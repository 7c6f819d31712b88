"""Traffic lights: agents switch the lights of a town, whose cars follow the rules of Nagel and Schreckenberg.

**Rules.** `rows` x `columns` intersections form a grid. Roads have a lane of `length` cells in each direction. A lane
ends at a stop line, and its light is green or red. A car that crosses the line is on the next lane at once, or leaves
the town at its edge. In each step:

1. The agents keep or switch their lights. Green is for the lanes from north and south, or for those from east and west.
   After a switch, all lights of the intersection are red for `all_red` steps, the present one included.
2. All cars choose a speed of at most `v_max` cells at once. A car speeds up by 1. It then slows down to the number of
   free cells ahead, so that it never hits a car or runs a red light. Then it slows down by 1 with probability `brake`.
3. All cars move by their speeds.
4. A car arrives at each lane from outside with the lane's probability. It waits until the first cell is free, where it
   enters with speed `v_max`. At most one car enters a lane per step.

A car turns left or right at the next light with probabilities `left` and `right`, drawn when it enters a lane. If the
first car of a lane turns left, it crosses only if no car from the opposite lane crosses in this step, unless that car
turns left too.

At the start, each cell has a car of speed `v_max` with probability `density`. Each light starts green for a random
direction, and may be switched at once. The probabilities of arrival are uniform between the two numbers of `inflow`.
With `closed`, roads that leave the town on one side enter it on the other, and no cars arrive or leave.

**Agents.** `light_0` ... , an intersection each, row by row from the top left.

**Observation.** Dict, with lanes in the order north, east, south, west. L is `length`, and V is `v_max`.

| part | space | content |
|---|---|---|
| cars | Box (4, L) int8 | speeds of cars on the own lanes, up to the stop line; -1 for an empty cell |
| turns | Box (4, L) int8 | 0 for a car that turns left, 1 straight ahead, 2 right; -1 for an empty cell |
| waiting | Box (4,) int32 | cars that wait outside to enter the lane |
| ahead | Box (4,) int16 | cars on the lane that leaves to this side; -1 if it leaves the town |
| light | Box (3,) int32 | 0 if green is for north and south, 1 for east and west; steps of green; steps of red left |
| left | Box (1,) int32 | steps left |

**Actions.** Discrete (2).

| action | name | legal |
|---|---|---|
| 0 | `keep` | always |
| 1 | `switch` | after `min_green` steps of green |

**Window.** The key k keeps the light and the key s switches it. A click on the intersection switches it too.

**Rewards.** The sum of four objectives of each agent in each step, weighted by `weights`.

| objective | after the cars have moved |
|---|---|
| `queue` | minus the number of cars with speed 0 on its lanes, waiting cars included |
| `delay` | minus the sum of 1 - speed / `v_max` over these lanes' cars, where waiting cars have speed 0 |
| `switches` | -1 if the agent switched |
| `throughput` | the number of cars that crossed its stop lines |

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows`, `columns` | 2, 2 | numbers of intersections, each from 1 to 8 |
| `length` | 10 | cells of a lane, from 5 to 100 |
| `v_max` | 2 | largest speed in cells per step, from 1 to 5 |
| `brake` | 0.1 | probability that a car slows down at random, from 0 to 1 |
| `left`, `right` | 0.1, 0.1 | probabilities of turns, each from 0 to 0.5 |
| `inflow` | (0.1, 0.3) | least and largest probability that a car arrives at a lane, each from 0 to 1 |
| `density` | 0.1 | probability of a car in a cell at the start, from 0 to 1 |
| `min_green` | 4 | least number of steps of green, from 0 to 100 |
| `all_red` | 1 | steps in which all lights are red after a switch, from 0 to 10 |
| `closed` | False | whether roads wrap around |
| `weights` | (1, 0, 0, 0) | weights of the four objectives, from -1,000 to 1,000 |
| `horizon` | 200 | number of steps, from 1 to 1,000,000 |

**Level.** ``{"inflow": [[0.1, 0, 0.2, 0.3]], "cars": [[0, "north", 9, 0, "left"]], "green": ["north-south"]}``: for
each intersection the probabilities of arrival on its lanes, and the direction that starts green; of each car the number
of its intersection, the side from which it comes, its cell (0 is the first), speed and turn. Without `cars` there are
none, and without `green` north and south start green.

**Known values.** On a closed road of density r under green lights, cars per step that pass a cell:

- min(2 r, 1 - r) for ``v_max=2, brake=0``, after the first steps;
- (1 - sqrt(1 - 4 (1 - b) r (1 - r))) / 2 for ``v_max=1`` and brake b.

**Differences.** From the automaton of Nagel and Schreckenberg, a ring without lights; the town has no reference:

- Roads end at lights or leave the town, and cars wait outside until they can enter.
- Cars turn, and the first car of a lane that turns left gives way.

**Source.** Nagel and Schreckenberg, "A cellular automaton model for freeway traffic", 1992; Schreckenberg,
Schadschneider, Nagel and Ito, "Discrete stochastic models for traffic flow", 1995; Varaiya, "Max pressure control of a
network of signalized intersections", 2013.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_integer, read_list, read_name, read_numbers
from envsuite.core.random import bernoulli, randint, uniform
from envsuite.core.ranges import MANY, below, fixed, flag, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.gridworlds.traffic_lights import pages, view
from envsuite.registry import pettingzoo_forms

#: The sides of an intersection, clockwise. A lane is named for the side from which its cars come.
SIDES = ("north", "east", "south", "west")

#: A car that turns by `turn` leaves to the side `(side + 1 + turn) % 4`.
TURNS = ("left", "straight", "right")
LEFT, STRAIGHT, RIGHT = range(3)

AXES = ("north-south", "east-west")
KEEP, SWITCH = range(2)
QUEUE, DELAY, SWITCHES, THROUGHPUT = range(4)

#: The largest number of steps, the largest weight, and the most steps of red and of least green.
LONGEST, WEIGHT, RED, GREEN = 1_000_000, 1000, 10, 100


def fields(lights: int, length: int, v_max: int) -> list[tuple]:
    """The record. A cell of a lane has the speed of its car, or -1; the turns of empty cells are 0."""
    lanes, cells = (lights, 4), (lights, 4, length)
    speed, turn = within(np.int8, -1, v_max), below(np.int8, 3)
    return [
        ("inflow", within(np.float64, 0, 1), lanes),  # probabilities of arrival: part of the level
        ("first_speed", speed, cells),  # the cars of the level
        ("first_turn", turn, cells),
        ("first_axis", flag(), (lights,)),  # the directions that the level starts green
        ("speed", speed, cells),
        ("turn", turn, cells),
        ("crossing", flag(), lanes),  # whether the first car of each lane crosses; used within a step
        ("waiting", within(np.int64, 0, LONGEST), lanes),  # cars outside that wait to enter
        ("axis", flag(), (lights,)),  # 0 if green is for north and south, 1 for east and west
        ("age", within(np.int64, 0, LONGEST + GREEN), (lights,)),  # steps since it became green
        ("red", within(np.int64, 0, RED), (lights,)),  # steps of red left
        ("standing", within(np.int64, 0, MANY), (lights,)),  # cars with speed 0 now, waiting ones included
        ("entered", within(np.int64, 0, MANY)),  # cars that entered the town so far
        ("gone", within(np.int64, 0, MANY)),  # cars that left it so far
    ]


@large_kernel
def reset(s):
    lights, length = s.speed.shape[0], s.speed.shape[2]
    s.entered = 0
    s.gone = 0
    for k in range(lights):
        if not s.level_given:
            s.first_axis[k] = randint(s, 2)
            draw_lanes(s, k)
        s.axis[k] = s.first_axis[k]
        s.age[k] = s.params.min_green
        s.red[k] = 0
        s.standing[k] = 0
        for side in range(4):
            s.crossing[k, side] = 0
            s.waiting[k, side] = 0
            for x in range(length):
                s.speed[k, side, x] = s.first_speed[k, side, x]
                s.turn[k, side, x] = s.first_turn[k, side, x]
                s.standing[k] += s.speed[k, side, x] == 0


@kernel
def draw_lanes(s, k):
    """Draw the first cars of an intersection, and how often others arrive."""
    for side in range(4):
        s.inflow[k, side] = 0.0
        if s.params.beyond[k, side] < 0:
            s.inflow[k, side] = s.params.inflow[0] + (s.params.inflow[1] - s.params.inflow[0]) * uniform(s)
        for x in range(s.speed.shape[2]):
            s.first_speed[k, side, x] = -1
            s.first_turn[k, side, x] = 0
            if bernoulli(s, s.params.density):
                s.first_speed[k, side, x] = s.params.v_max
                s.first_turn[k, side, x] = draw_turn(s)


@kernel
def draw_turn(s):
    """Where a car turns next."""
    place = uniform(s)
    if place < s.params.left:
        return LEFT
    return RIGHT if place < s.params.left + s.params.right else STRAIGHT


@kernel
def front(s, k, side):
    """The cell of the first car of a lane, or -1."""
    x = s.speed.shape[2] - 1
    while x >= 0 and s.speed[k, side, x] < 0:
        x -= 1
    return x


@kernel
def is_green(s, k, side):
    return s.red[k] == 0 and side % 2 == s.axis[k]


@kernel
def room(s, k, side, x):
    """The free cells ahead of the first car of a lane, in cell x, if it may cross the line: at least up to `v_max`."""
    length = s.speed.shape[2]
    free = length - 1 - x
    out = (side + 1 + s.turn[k, side, x]) % 4
    then = s.params.beyond[k, out]
    if then < 0:
        return free + s.params.v_max
    for y in range(s.params.v_max):
        if s.speed[then, (out + 2) % 4, y] >= 0:
            return free + y
    return free + s.params.v_max


@kernel
def choose_speeds(s, k, side, ahead, may_cross):
    """New speeds of all cars of a lane, from the first one, in cell `ahead`, to the last."""
    length = s.speed.shape[2]
    gap = room(s, k, side, ahead) if may_cross else length - 1 - ahead
    for x in range(ahead, -1, -1):
        if s.speed[k, side, x] >= 0:
            if x < ahead:
                gap = ahead - x - 1
            speed = min(s.speed[k, side, x] + 1, s.params.v_max, gap)
            if speed > 0 and bernoulli(s, s.params.brake):
                speed -= 1
            s.speed[k, side, x] = speed
            ahead = x
            if x + speed >= length:
                s.crossing[k, side] = 1


@large_kernel
def drive(s, k):
    """New speeds of all cars that come to an intersection: first the lanes whose first car need not give way."""
    for side in range(4):
        x = front(s, k, side)
        s.crossing[k, side] = 0
        if x >= 0 and s.turn[k, side, x] != LEFT:
            choose_speeds(s, k, side, x, is_green(s, k, side))
    for side in range(4):
        x = front(s, k, side)
        if x >= 0 and s.turn[k, side, x] == LEFT:
            other = (side + 2) % 4
            y = front(s, k, other)
            free = y < 0 or s.turn[k, other, y] == LEFT or s.crossing[k, other] == 0
            choose_speeds(s, k, side, x, free and is_green(s, k, side))


@kernel
def put(s, k, side, x, speed, turn):
    s.speed[k, side, x] = speed
    s.turn[k, side, x] = turn


@large_kernel
def move(s, k):
    """Move all cars on the lanes of an intersection, except those that cross."""
    length = s.speed.shape[2]
    for side in range(4):
        for x in range(length - 1, -1, -1):
            speed = s.speed[k, side, x]
            if speed > 0 and x + speed < length:
                put(s, k, side, x + speed, speed, s.turn[k, side, x])
                put(s, k, side, x, -1, 0)


@large_kernel
def cross(s, k):
    """Move the cars that cross the lines of an intersection; returns their number."""
    length, count = s.speed.shape[2], 0
    for side in range(4):
        if s.crossing[k, side]:
            x = front(s, k, side)
            speed, out = s.speed[k, side, x], (side + 1 + s.turn[k, side, x]) % 4
            then = s.params.beyond[k, out]
            put(s, k, side, x, -1, 0)
            s.crossing[k, side] = 0
            count += 1
            if then < 0:
                s.gone += 1
            else:
                put(s, then, (out + 2) % 4, x + speed - length, speed, draw_turn(s))
    return count


@kernel
def arrive(s, k):
    """Cars arrive outside, and enter."""
    for side in range(4):
        if s.params.beyond[k, side] < 0:
            if bernoulli(s, s.inflow[k, side]):
                s.waiting[k, side] += 1
            if s.waiting[k, side] > 0 and s.speed[k, side, 0] < 0:
                s.waiting[k, side] -= 1
                s.entered += 1
                put(s, k, side, 0, s.params.v_max, draw_turn(s))


@kernel
def look_back(s, k):
    """Count the standing cars of an intersection and write its objectives `queue` and `delay`."""
    s.standing[k] = 0
    delay = 0.0
    for side in range(4):
        s.standing[k] += s.waiting[k, side]
        delay += s.waiting[k, side]
        for x in range(s.speed.shape[2]):
            speed = s.speed[k, side, x]
            s.standing[k] += speed == 0
            if speed >= 0:
                delay += 1.0 - speed / s.params.v_max
    s.objectives[k, QUEUE] = -s.standing[k]
    s.objectives[k, DELAY] = -delay


@large_kernel
def step(s, actions, rewards):
    lights = s.speed.shape[0]
    for k in range(lights):
        s.objectives[k, SWITCHES] = 0.0
        if actions[k] == SWITCH:
            s.axis[k] = 1 - s.axis[k]
            s.age[k] = 0
            s.red[k] = s.params.all_red
            s.objectives[k, SWITCHES] = -1.0
    for k in range(lights):
        drive(s, k)
    for k in range(lights):
        move(s, k)
    for k in range(lights):
        s.objectives[k, THROUGHPUT] = cross(s, k)
    for k in range(lights):
        arrive(s, k)
        look_back(s, k)
        if s.red[k] > 0:
            s.red[k] -= 1
        else:
            s.age[k] += 1
        s.truncated[k] = s.t >= s.params.horizon


@large_kernel
def observe(s, agent, out):
    length = s.speed.shape[2]
    for side in range(4):
        out.waiting[side] = s.waiting[agent, side]
        out.ahead[side] = -1
        then = s.params.beyond[agent, side]
        if then >= 0:
            out.ahead[side] = 0
        for x in range(length):
            speed = s.speed[agent, side, x]
            out.cars[side, x] = speed
            out.turns[side, x] = s.turn[agent, side, x] if speed >= 0 else -1
            if then >= 0:
                out.ahead[side] += s.speed[then, (side + 2) % 4, x] >= 0
    out.light[0] = s.axis[agent]
    out.light[1] = s.age[agent]
    out.light[2] = s.red[agent]
    out.left[0] = s.params.horizon - s.t


@kernel
def legal(s, agent, mask):
    mask[KEEP] = 1
    mask[SWITCH] = s.red[agent] == 0 and s.age[agent] >= s.params.min_green


def neighbors(rows: int, columns: int, closed: bool) -> np.ndarray:
    """(lights, 4) the intersection on each side of each, -1 outside the town."""
    found = np.full((rows, columns, 4), -1)
    for row in range(rows):
        for column in range(columns):
            for side, (down, right) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1))):
                y, x = row + down, column + right
                if closed or (0 <= y < rows and 0 <= x < columns):
                    found[row, column, side] = y % rows * columns + x % columns
    return found.reshape(-1, 4)


class TrafficLights(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("traffic",)
    verified = "closed forms of the flow of Nagel and Schreckenberg's automaton; a second implementation in lock-step"
    variants = (
        dict(rows=1, columns=2, length=5, v_max=5, closed=True, density=0.4, all_red=0, weights=(0.0, 0.5, 1.0, 2.0)),
        dict(rows=1, columns=1, inflow=(0.5, 1.0), min_green=0, horizon=20),
    )
    shown = "max_pressure"
    keys = {"k": "keep", "s": "switch"}
    clickable = "switch"
    text = view.text
    scene = view.scene
    click = view.click
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        rows: Annotated[int, Between(1, 8)] = 2,
        columns: Annotated[int, Between(1, 8)] = 2,
        length: Annotated[int, Between(5, 100)] = 10,
        v_max: Annotated[int, Between(1, 5)] = 2,
        brake: Annotated[float, Between(0, 1)] = 0.1,
        left: Annotated[float, Between(0, 0.5)] = 0.1,
        right: Annotated[float, Between(0, 0.5)] = 0.1,
        inflow: tuple[Annotated[float, Between(0, 1)], Annotated[float, Between(0, 1)]] = (0.1, 0.3),
        density: Annotated[float, Between(0, 1)] = 0.1,
        min_green: Annotated[int, Between(0, GREEN)] = 4,
        all_red: Annotated[int, Between(0, RED)] = 1,
        closed: bool = False,
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (1.0, 0.0, 0.0, 0.0),
        horizon: Annotated[int, Between(1, LONGEST)] = 200,
    ):
        if inflow[0] > inflow[1]:
            raise ParameterError(f"TrafficLights: inflow={inflow} must be the least probability and the largest")
        lights, most = rows * columns, 4.0 * (length + LONGEST)
        self.define(
            agents=[f"light_{k}" for k in range(lights)],
            actions=["keep", "switch"],
            observation=Dict(
                cars=Box(-1, v_max, (4, length), np.int8),
                turns=Box(-1, 2, (4, length), np.int8),
                waiting=Box(0, LONGEST, (4,), np.int32),
                ahead=Box(-1, length, (4,), np.int16),
                light=Box(np.zeros(3, np.int32), np.array([1, LONGEST + GREEN, RED], np.int32), dtype=np.int32),
                left=Box(0, LONGEST, (1,), np.int32),
            ),
            fields=fields(lights, length, v_max),
            params={
                "beyond": limited(neighbors(rows, columns, closed), -1, lights - 1),
                "v_max": fixed(v_max),
                "brake": brake,
                "left": left,
                "right": right,
                "inflow": inflow,
                "density": density,
                "min_green": min_green,
                "all_red": all_red,
                "weights": weights,
                "horizon": horizon,
            },
            objectives={
                "queue": (-most, 0.0),
                "delay": (-most, 0.0),
                "switches": (-1.0, 0.0),
                "throughput": (0.0, 4.0),
            },
        )

    def contradiction(self, s: Any) -> str | None:
        speed, turn = np.asarray(s.speed), np.asarray(s.turn)
        if (turn[speed < 0] != 0).any() or (np.asarray(s.first_turn)[np.asarray(s.first_speed) < 0] != 0).any():
            return "an empty cell has a turn"
        if np.asarray(s.crossing).any():
            return "a car crosses between two steps"
        sizes, beyond = (self.parameters["rows"], self.parameters["columns"]), np.asarray(s.params.beyond)
        if not any((beyond == neighbors(*sizes, closed)).all() for closed in (False, True)):
            return "the roads are not those of a grid"
        if s.params.inflow[0] > s.params.inflow[1]:
            return "the least probability of arrival is above the largest"
        if s.t > s.params.horizon or np.asarray(s.waiting).max() > s.t:
            return "the steps so far are too few for the waiting cars, or above the horizon"
        return "the light is older than the episode" if (np.asarray(s.age) > s.t + GREEN).any() else None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.id, level, {"inflow", "cars", "green"})
        lights = len(self.agents)
        inflow = read_numbers(level["inflow"], f"{self.id}: the level's inflow", (lights, 4), 0, 1)
        if inflow[np.asarray(s.params.beyond) >= 0].any():
            raise LevelError(f"{self.id}: cars arrive on lanes from outside only; 'inflow' of others must be 0")
        what = f"{self.id}: the level's green"
        green = read_list(level.get("green", [AXES[0]] * lights), what, lights)
        s.inflow[:], s.first_axis[:] = inflow, [read_name(axis, what, AXES) for axis in green]
        s.first_speed[:], s.first_turn[:] = -1, 0
        cars = level.get("cars", [])
        if not isinstance(cars, (list, tuple)):
            raise LevelError(f"{self.id}: 'cars' must be a list")
        for number, car in enumerate(cars):
            self._add_car(s, number, car)

    def _add_car(self, s: Any, number: int, car: Any) -> None:
        """Put a car of a level in its cell, or `LevelError`."""
        lights, length, v_max = len(self.agents), s.speed.shape[2], int(s.params.v_max)
        if not isinstance(car, (list, tuple)) or len(car) != 5:
            raise LevelError(f"{self.id}: car {number} must be an intersection, a side, a cell, a speed and a turn")
        k, side, x, speed, turn = car
        for what, value, count in (("intersection", k, lights), ("cell", x, length), ("speed", speed, v_max + 1)):
            read_integer(value, f"{self.id}: car {number}: {what}", 0, count - 1)
        place = k, read_name(side, f"{self.id}: car {number}: side", SIDES), x
        turn = read_name(turn, f"{self.id}: car {number}: turn", TURNS)
        if s.first_speed[place] >= 0:
            raise LevelError(f"{self.id}: car {number} is in the cell of another car")
        s.first_speed[place], s.first_turn[place] = speed, turn

    def get_level(self, s: Any) -> dict[str, Any]:
        speed, turn = np.asarray(s.first_speed), np.asarray(s.first_turn)
        return {
            "inflow": np.asarray(s.inflow).tolist(),
            "cars": [
                [k, SIDES[side], x, int(speed[k, side, x]), TURNS[turn[k, side, x]]]
                for k, side, x in np.argwhere(speed >= 0).tolist()
            ],
            "green": [AXES[axis] for axis in np.asarray(s.first_axis).tolist()],
        }

    # Text and pictures.


env, raw_env, parallel_env = pettingzoo_forms(TrafficLights)
