"""CarSoccer: two teams of cars drive a ball into each other's goal.

**Rules.** The field is 102.4 m long and 81.9 m wide, around (0, 0); x runs along it. Its corners are cut off at 45
degrees, 11.5 m from each. In the middle of both short walls is a goal, 17.9 m wide. Blue attacks the goal at the
right (x > 0). Cars are discs of radius 0.75 m and mass 1.8 with a heading; the ball has radius 0.93 m and mass 0.3.

A step takes 1/15 s and has eight parts of h = 1/120 s:

1. **Turn.** A car turns by `steer` k(|f|) f radians in a second, where f is its speed along its heading. The curvature
   k is linear between 0.69 at 0 m/s, 0.398 at 5, 0.235 at 10, 0.1375 at 15, 0.11 at 17.5 and 0.088 at 23.
2. **Drive.** A throttle u in the direction of motion adds 16 u (1 - |f| / 14) m/s in a second, up to 14 m/s. Against
   it, the car brakes by 35 |u|. Without throttle and boost, it slows down by 5.25. Boost adds 9.92 and uses 33.3 of the
   tank in a second. Speed across the heading shrinks by exp(-12 h), with the handbrake by exp(-2 h). Then the car
   moves; its speed is at most 23 m/s.
3. **Ball.** The ball's velocity shrinks by exp(-`drag` h). Below 5.65 m/s the ball also slows down by `rolling`. Its
   speed is at most 60 m/s.
4. **Contacts.** All discs that overlap are set apart along the line of their centers, the lighter one further. If they
   approach, they exchange an impulse, after which they part with `bumper` times the speed of their approach. A
   car gives the ball `kick` times the speed of approach in addition. All contacts happen at the same time.
5. **Walls.** Cars lose the speed into a wall; the ball keeps `wall` times it and bounces. Cars cannot enter the goals.
   The ball bounces off the goal posts.
6. **Goal.** The team that attacks a goal scores when the ball's center is in it. The step ends there with a kick-off.

After a step, a car on a pad (within 2 m) takes its boost, unless its tank is full. The 6 big pads fill the tank to 100
and return after 10 s. The 28 small ones add 12 and return after 4 s.

At a kick-off, the ball rests in the middle. The cars of a team are at different places of five, drawn at random, face
the ball and have 33 in the tank. The cars of the other team mirror them. All pads are there.

**Agents.** `blue_0` ..., then `orange_0` ...: `cars` of each team.

**Observation.** Dict. Orange sees the field turned by half a turn, so every team attacks the goal at x = 51.2.

| part | space | content |
|---|---|---|
| ball | Box (4,) float32 | x and y of its place, and of its velocity |
| own | Box (8,) float32 | the agent's car: place, velocity, heading, tank, 1 if it boosted in the last step |
| others | Box (2 `cars` - 1, 8) float32 | the same of other cars, by number: the own team, then the opponents |
| pads | Box (34,) int32 | for each pad, the number of steps until it returns, 0 if it is there |
| score | Box (2,) int32 | goals of the own team and of the opponents |
| left | Box (1,) int32 | the number of steps left |

Pad 33 - p is pad p turned by half a turn, as far as places are concerned. The big pads are 0, 1, 2 and 31, 32, 33.

**Actions.** With `controls="discrete"` Discrete (18), or Discrete (36) with `handbrake=True`. All of them are with full
throttle and full steering.

| action | name |
|---|---|
| 0, 1, 2 | `coast`, `coast left`, `coast right` |
| 3, 4, 5 | `forward`, `forward left`, `forward right` |
| 6, 7, 8 | `back`, `back left`, `back right` |
| 9 to 17 | the same with boost: `boost coast` ... `boost back right` |
| 18 to 35 | the same as 0 to 17 with the handbrake: `drift coast` ... |

With `controls="continuous"` Box from -1 to 1, (3,) float32: `throttle`, `left` (the steering) and `boost`, which is on
above 0; with `handbrake=True` (4,), with `handbrake`, which is on above 0.

**Window.** The arrow keys up and down drive forward and back, left and right turn while driving forward. W, A and D do
the same with boost, and S coasts. Cars and ball are drawn 1.7 times as large as they are.

**Rewards.** The sum of four objectives, weighted by `weights`.

| objective | paid |
|---|---|
| `goal` | 1 to each agent of the team that scores, -1 to each of the other team |
| `touch` | 1 for a step in which the agent's car touched the ball, minus the share of the opponents that did |
| `speed` | the ball's velocity along the field to the goal that the agent attacks, in m/s, at the end of the step |
| `near` | meters by which the agent's car and the ball came closer to each other, minus the mean of the opponents |

`near` is a potential-based shaping: between two kick-offs it adds up to differences of distances.

**Ends.** Truncates after `horizon` steps. The match is not over after a goal.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `cars` | 1 | cars of each team, from 1 to 3 |
| `controls` | "discrete" | "discrete" actions with names, or "continuous" numbers |
| `handbrake` | False | whether cars have a handbrake |
| `horizon` | 900 | steps, from 1 to 100,000; 900 are a minute, and 4500 a match of 300 s |
| `wall` | 0.6 | restitution of the ball at walls and posts, from 0 to 1 |
| `bumper` | 0.0 | restitution of cars with each other and with the ball, from 0 to 1 |
| `kick` | 0.25 | speed that the ball gets from a car in addition, in parts of the speed of approach, from 0 to 1 |
| `drag` | 0.03 | drag of the ball in the air, for each second, from 0 to 10 |
| `rolling` | 2.3 | deceleration of a slow ball in m/s for each second, from 0 to 10 |
| `weights` | (1, 0, 0, 0) | weights of the four objectives, from -1,000,000 to 1,000,000 |

**Level.** ``{"ball": [0, 10, -5, 0], "cars": [[-40, 0, 1, 0], [40, 0, -1, 0]]}``: place and velocity of the ball;
place and direction of each car, which is at rest. Kick-offs after goals are drawn.

**Known values.**

- Full throttle from rest gives 14 (1 - (1 - 8/7 h)**n) m/s after n parts of a step, about 14 (1 - exp(-8 t / 7)).
- A car that coasts from v m/s stops after v / 5.25 s and v**2 / 10.5 m, up to half a part of a step.
- The curvature of the path of a car that turns at a constant speed is that of the rules, up to 3 %: the car slips.
- Contacts keep the momentum if `kick` is 0. With `bumper=1` they also keep the energy, and walls do with `wall=1`.
- Baselines, one car a side, goals per minute (200 worlds, a minute each): `shoot` has 3.8 more than random, 0.7 more
  than `chase` and 1.0 more than `keeper`; `keeper` has 2.0 and `chase` 0.5 more than random.
- If a state is turned by half a turn and the teams are exchanged, so is the result, bit for bit.

**Differences.** From the video game that the rules follow:

- Everything is in a plane: cars and ball do not jump, and cars do not drive into goals or on walls.
- The constants are those of the game from memory, unconfirmed, with 1 m for 100 of its units. Places of pads and
  kick-offs are our own.
- Bumps demolish no car.
- A goal is scored when the ball's center passes the line, and the kick-off follows at once.
- Contacts happen at the same time, not one after the other. An order would favor a team.

**Source.** Own design after Rocket League (Psyonix, 2015).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.elementary import cos_turns, exp, sin_turns
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit.plane import cap, contact, distance
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, footer
from envsuite.render.theme import text_on

#: Meters: half the length and width of the field, the cut of a corner, and half the width of a goal.
LONG, WIDE, CORNER, MOUTH = 51.2, 40.95, 11.5, 8.95

#: Meters and masses of cars and ball.
CAR, BALL, CAR_MASS, BALL_MASS = 0.75, 0.93, 1.8, 0.3

#: Parts of a step, and seconds of a part.
PARTS = 8
H = 1.0 / 120.0

#: Changes of a car's speed in a second, and speeds.
PUSH, BRAKE, COAST, BOOST, TOP, FASTEST = 16.0, 35.0, 5.25, 9.92, 14.0, 23.0

#: A car that is slower does not brake: no rounding decides whether it does.
STILL = 1e-9

#: The tank: what a second of boost uses, how much a kick-off and a small pad give, and how much it holds.
USE, FIRST, SMALL, FULL = 33.3, 33.0, 12.0, 100.0

#: Curvatures of the path at full steering, at these speeds.
SPEEDS = np.array([0.0, 5.0, 10.0, 15.0, 17.5, 23.0])
CURVATURES = np.array([0.69, 0.398, 0.235, 0.1375, 0.11, 0.088])

#: What is left of the speed across the heading after a part of a step: as usual, and with the handbrake.
GRIP, SLIDE = exp(-12.0 * H), exp(-2.0 * H)

#: The fastest ball, and the speed below which it rolls.
SWIFT, ROLLS = 60.0, 5.65

#: Pads: the first half of their places (the others are opposite, in reverse order); the first three are big.
_HALF = [
    (42.0, 31.0), (0.0, 36.0), (-42.0, 31.0), (12.0, 0.0), (28.0, 0.0), (42.0, 16.0), (34.0, 8.0), (26.0, 18.0),
    (14.0, 12.0), (18.0, 30.0), (6.0, 24.0), (-42.0, 16.0), (-34.0, 8.0), (-26.0, 18.0), (-14.0, 12.0), (-18.0, 30.0),
    (-6.0, 24.0),
]  # fmt: skip
PADS = np.array(_HALF + [(0.0 - x, 0.0 - y) for x, y in reversed(_HALF)])
BIG, BACK_BIG, BACK_SMALL, ON_PAD = 3, 150, 60, 2.0

#: The steps after which each pad returns.
BACKS = np.array([BACK_BIG] * BIG + [BACK_SMALL] * (len(PADS) - 2 * BIG) + [BACK_BIG] * BIG)

#: Where blue's cars start.
STARTS = np.array([(-46.0, 0.0), (-38.0, 2.6), (-38.0, -2.6), (-26.0, 20.0), (-26.0, -20.0)])

GOAL, TOUCH, SPEED, NEAR = range(4)
THROTTLE, LEFT, BOOSTS, DRIFTS = range(4)

_ROOT = math.sqrt(2.0)
_TURN = 6.283185307179586

#: No distance in the field is larger.
_FURTHEST = 132.0

WEIGHT = 1_000_000

_PLAIN = [f"{go}{turn}" for go in ("coast", "forward", "back") for turn in ("", " left", " right")]
NAMES = [f"{drift}{boost}{name}" for drift in ("", "drift ") for boost in ("", "boost ") for name in _PLAIN]

#: Picture: units of a meter, the room around the field, and how much larger cars and ball are drawn.
_METER, _ROOM, _LARGER = 0.25, 1.0, 1.7
_TEAMS = ("blue", "orange")


def fields(cars: int) -> list[tuple]:
    """The record's own fields; the bodies are the cars of blue, those of orange, and the ball."""
    bodies, place, speed = 2 * cars + 1, within(np.float64, -LONG, LONG), within(np.float64, -SWIFT, SWIFT)
    return [
        ("position", place, (bodies, 2)),
        ("velocity", within(np.float64, -SWIFT - 1e-9, SWIFT + 1e-9), (bodies, 2)),
        ("heading", within(np.float64, -1.001, 1.001), (2 * cars, 2)),  # vectors of length 1
        ("tank", within(np.float64, 0.0, FULL), (2 * cars,)),
        # Of the last step: throttle, left, boost, handbrake.
        ("controls", within(np.float64, -1.0, 1.0), (2 * cars, 4)),
        ("boosted", flag(), (2 * cars,)),  # in the last step
        ("touched", flag(), (2 * cars,)),  # the ball, in the last step
        ("changes", within(np.float64, -1000.0, 1000.0), (bodies, 4)),  # by contacts: of places and of velocities
        ("pads", within(np.int64, 0, BACKS), (len(PADS),)),  # steps until each returns
        ("score", within(np.int64, 0, 100_000), (2,)),  # goals of blue and of orange
        ("order", within(np.int64, 0, len(STARTS) - 1), (len(STARTS),)),  # of the places of the last kick-off
        ("started", within(np.float64, -100.0, 100.0), (2 * cars, 4)),  # places and directions at the start
        ("started_ball", speed, (4,)),  # place and velocity
    ]


@kernel
def reset(s):
    cars, ball = s.tank.shape[0], s.tank.shape[0]
    s.score[0], s.score[1] = 0, 0
    for k in range(STARTS.shape[0]):
        s.order[k] = k
    kick_off(s)
    for a in range(cars):
        s.boosted[a], s.touched[a] = 0, 0
        for k in range(4):
            s.controls[a, k] = 0.0
        for k in range(2):
            if s.level_given == 0:
                s.started[a, k], s.started[a, 2 + k] = s.position[a, k], -s.position[a, k]
        put(s, a, s.started[a, 0], s.started[a, 1], s.started[a, 2], s.started[a, 3])
    for k in range(4):
        if s.level_given == 0:
            s.started_ball[k] = 0.0
        for body in range(cars + 1):
            s.changes[body, k] = 0.0
    for k in range(2):
        s.position[ball, k], s.velocity[ball, k] = s.started_ball[k], s.started_ball[2 + k]


@kernel
def kick_off(s):
    """The ball in the middle, the cars at places that are drawn, opponents opposite, and all pads."""
    cars = s.tank.shape[0]
    random.shuffle(s, s.order, STARTS.shape[0])
    for a in range(cars):
        sign = 1.0 - 2.0 * team(s, a)
        x, y = sign * STARTS[s.order[a % (cars // 2)], 0], sign * STARTS[s.order[a % (cars // 2)], 1]
        put(s, a, x, y, -x, -y)
        s.tank[a] = FIRST
    for k in range(2):
        s.position[cars, k], s.velocity[cars, k] = 0.0, 0.0
    for pad in range(PADS.shape[0]):
        s.pads[pad] = 0


@kernel
def put(s, a, x, y, across, up):
    """A car at rest at a place, with a heading in this direction."""
    length = distance(across, up)
    s.position[a, 0], s.position[a, 1] = x, y
    s.velocity[a, 0], s.velocity[a, 1] = 0.0, 0.0
    s.heading[a, 0], s.heading[a, 1] = across / length, up / length


@kernel
def team(s, a):
    """0 for a blue car, 1 for an orange one, 2 for the ball."""
    return 2 * a // s.tank.shape[0]


@kernel
def step(s, actions, rewards):
    """A step by actions with names."""
    for a in range(s.tank.shape[0]):
        action = actions[a]
        left, throttle = action % 3, action // 3 % 3
        s.controls[a, LEFT] = 1.0 * (left == 1) - 1.0 * (left == 2)
        s.controls[a, THROTTLE] = 1.0 * (throttle == 1) - 1.0 * (throttle == 2)
        s.controls[a, BOOSTS] = 1.0 * (action // 9 % 2)
        s.controls[a, DRIFTS] = 1.0 * (action // 18)
    advance(s)


@kernel
def steer(s, controls, rewards):
    """A step by numbers."""
    for a in range(s.tank.shape[0]):
        for k in range(controls.shape[1]):
            s.controls[a, k] = np.float64(controls[a, k])
    advance(s)


@kernel
def advance(s):
    """The parts of a step up to a goal, the pads, the objectives, and the kick-off after a goal."""
    cars, goal = s.tank.shape[0], -1
    for a in range(cars):
        s.touched[a] = 0
        s.boosted[a] = s.controls[a, BOOSTS] > 0.0 and s.tank[a] > 0.0
        s.objectives[a, NEAR] = to_ball(s, a)
    for _ in range(PARTS):
        if goal < 0:
            for a in range(cars):
                drive(s, a)
            roll(s)
            collide(s)
            for a in range(cars):
                cap(s.velocity, a, FASTEST)
                rebound(s, a, CAR, 0.0)
            cap(s.velocity, cars, SWIFT)
            rebound(s, cars, BALL, s.params.wall)
            if abs(s.position[cars, 0]) > LONG:
                goal = 0 if s.position[cars, 0] > 0.0 else 1
    reward(s, goal)
    refill(s)
    if goal >= 0:
        s.score[goal] += 1
        kick_off(s)
    for a in range(cars):
        s.truncated[a] = s.t >= s.params.horizon


@kernel
def reward(s, goal):
    """The objectives, all relative to the opponents; `goal` is the team that has scored, or -1."""
    cars, half = s.tank.shape[0], s.tank.shape[0] // 2
    touched, nearer = (0.0, 0.0), (0.0, 0.0)
    for a in range(half):
        s.objectives[a, NEAR] -= to_ball(s, a)
        s.objectives[half + a, NEAR] -= to_ball(s, half + a)
        touched = (touched[0] + s.touched[a], touched[1] + s.touched[half + a])
        nearer = (nearer[0] + s.objectives[a, NEAR], nearer[1] + s.objectives[half + a, NEAR])
    for a in range(cars):
        rival = 1 - team(s, a)
        sign = 2.0 * rival - 1.0
        s.objectives[a, GOAL] = 0.0 if goal < 0 else sign * (1.0 - 2.0 * goal)
        s.objectives[a, TOUCH] = s.touched[a] - touched[rival] / half
        s.objectives[a, SPEED] = sign * s.velocity[cars, 0]
        s.objectives[a, NEAR] -= nearer[rival] / half


@kernel
def to_ball(s, a):
    """The distance of a car from the ball."""
    ball = s.tank.shape[0]
    return distance(s.position[a, 0] - s.position[ball, 0], s.position[a, 1] - s.position[ball, 1])


@kernel
def curvature(speed):
    """Of the path at full steering, at a speed along the heading."""
    k = 1
    while k < SPEEDS.shape[0] - 1 and speed > SPEEDS[k]:
        k += 1
    part = min((speed - SPEEDS[k - 1]) / (SPEEDS[k] - SPEEDS[k - 1]), 1.0)
    return CURVATURES[k - 1] + part * (CURVATURES[k] - CURVATURES[k - 1])


@kernel
def slowed(speed, by):
    """A speed of either sign that becomes smaller by this, at least 0."""
    if speed > 0.0:
        return max(speed - by, 0.0)
    return min(speed + by, 0.0)


@kernel
def drive(s, a):
    """A car's turn, its speeds along and across its heading, and its motion in one part of a step."""
    throttle, boosting = s.controls[a, THROTTLE], s.controls[a, BOOSTS] > 0.0 and s.tank[a] > 0.0
    x, y = s.heading[a, 0], s.heading[a, 1]
    forward = s.velocity[a, 0] * x + s.velocity[a, 1] * y
    turns = curvature(abs(forward)) * s.controls[a, LEFT] * forward * H / _TURN
    cosine, sine = cos_turns(turns), sin_turns(turns)
    x, y = cosine * x - sine * y, cosine * y + sine * x
    length = distance(x, y)
    x, y = x / length, y / length
    forward, aside = s.velocity[a, 0] * x + s.velocity[a, 1] * y, s.velocity[a, 1] * x - s.velocity[a, 0] * y
    if throttle * forward < -STILL:
        forward = slowed(forward, H * BRAKE * abs(throttle))
    elif throttle != 0.0:
        forward += H * PUSH * throttle * max(1.0 - abs(forward) / TOP, 0.0)
    elif not boosting:
        forward = slowed(forward, H * COAST)
    if boosting:
        forward += H * BOOST
        s.tank[a] = max(s.tank[a] - H * USE, 0.0)
    aside *= SLIDE if s.controls[a, DRIFTS] > 0.0 else GRIP
    s.heading[a, 0], s.heading[a, 1] = x, y
    s.velocity[a, 0], s.velocity[a, 1] = forward * x - aside * y, forward * y + aside * x
    cap(s.velocity, a, FASTEST)
    s.position[a, 0] += H * s.velocity[a, 0]
    s.position[a, 1] += H * s.velocity[a, 1]


@kernel
def roll(s):
    """The ball's motion in one part of a step."""
    ball = s.tank.shape[0]
    speed = distance(s.velocity[ball, 0], s.velocity[ball, 1])
    left = exp(-s.params.drag * H)
    if speed > 0.0 and speed < ROLLS:
        left *= slowed(speed, H * s.params.rolling) / speed
    for k in range(2):
        s.velocity[ball, k] *= left
        s.position[ball, k] += H * s.velocity[ball, k]


@kernel
def collide(s):
    """All contacts of cars and ball at the same time, summed up by teams, so that no number has an advantage."""
    bodies, half = s.tank.shape[0] + 1, s.tank.shape[0] // 2
    if not any_near(s):
        return
    for a in range(bodies):
        for k in range(4):
            s.changes[a, k] = 0.0
        side = team(s, a) % 2
        for group in range(3):
            first = half * (side if group == 0 else 1 - side) if group < 2 else bodies - 1
            x, y, across, up = 0.0, 0.0, 0.0, 0.0
            for b in range(first, first + half if group < 2 else bodies):
                if a != b:
                    to_x, to_y, deep, impulse = meet(s, a, b)
                    x, y, across, up = x + to_x * deep, y + to_y * deep, across + to_x * impulse, up + to_y * impulse
            s.changes[a, 0] += x
            s.changes[a, 1] += y
            s.changes[a, 2] += across
            s.changes[a, 3] += up
    for a in range(bodies):
        for k in range(2):
            s.position[a, k] += s.changes[a, k]
            s.velocity[a, k] += s.changes[a, 2 + k]


@kernel
def any_near(s):
    """Whether two bodies are so near that they may touch."""
    for a in range(s.tank.shape[0]):
        x, y = s.position[a, 0], s.position[a, 1]
        for b in range(a + 1, s.tank.shape[0] + 1):
            if abs(s.position[b, 0] - x) < CAR + BALL and abs(s.position[b, 1] - y) < CAR + BALL:
                return True
    return False


@kernel
def meet(s, a, b):
    """What a contact with `b` changes of `a`: the direction from b to a, and how far and by how much speed it moves."""
    ball = s.tank.shape[0]
    mass, other = BALL_MASS if a == ball else CAR_MASS, BALL_MASS if b == ball else CAR_MASS
    touch = (BALL if a == ball else CAR) + (BALL if b == ball else CAR)
    x, y, deep, impulse = contact(s.position, s.velocity, a, b, mass, other, touch, s.params.bumper)
    if deep > 0.0 and b == ball:
        s.touched[a] = 1
    gain = impulse / mass
    if a == ball:
        approach = impulse * (mass + other) / (mass * other) / (1.0 + s.params.bumper)
        gain += s.params.kick * approach
    return x, y, deep * other / (mass + other), gain


@kernel
def rebound(s, body, radius, restitution):
    """A body that is in a wall or post is set back, and bounces off it."""
    lost = 1.0 + restitution
    x, y = s.position[body, 0], s.position[body, 1]
    right, up = 1.0 if x > 0.0 else -1.0, 1.0 if y > 0.0 else -1.0
    if body == s.tank.shape[0] and abs(y) < MOUTH:
        post(s, body, right * LONG, up * MOUTH, radius, lost)
    elif abs(x) > LONG - radius:
        s.position[body, 0] = right * (LONG - radius)
        if s.velocity[body, 0] * right > 0.0:
            s.velocity[body, 0] -= lost * s.velocity[body, 0]
    if abs(y) > WIDE - radius:
        s.position[body, 1] = up * (WIDE - radius)
        if s.velocity[body, 1] * up > 0.0:
            s.velocity[body, 1] -= lost * s.velocity[body, 1]
    deep = abs(s.position[body, 0]) + abs(s.position[body, 1]) - (LONG + WIDE - CORNER - radius * _ROOT)
    if deep > 0.0:
        s.position[body, 0] -= right * 0.5 * deep
        s.position[body, 1] -= up * 0.5 * deep
        speed = right * s.velocity[body, 0] + up * s.velocity[body, 1]
        if speed > 0.0:
            s.velocity[body, 0] -= right * 0.5 * lost * speed
            s.velocity[body, 1] -= up * 0.5 * lost * speed


@kernel
def post(s, body, post_x, post_y, radius, lost):
    """A body that touches a goal post at this place is set back, and bounces off it."""
    x, y = s.position[body, 0] - post_x, s.position[body, 1] - post_y
    apart = distance(x, y)
    if apart < radius and apart > 0.0:
        x, y = x / apart, y / apart
        s.position[body, 0], s.position[body, 1] = post_x + x * radius, post_y + y * radius
        speed = s.velocity[body, 0] * x + s.velocity[body, 1] * y
        if speed < 0.0:
            s.velocity[body, 0] -= lost * speed * x
            s.velocity[body, 1] -= lost * speed * y


@kernel
def refill(s):
    """Cars on pads take their boost; pads return. All cars on a pad get its boost."""
    for a in range(s.tank.shape[0]):
        x, y = s.position[a, 0], s.position[a, 1]
        for pad in range(PADS.shape[0]):
            to_x, to_y = x - PADS[pad, 0], y - PADS[pad, 1]
            if abs(to_x) < ON_PAD and abs(to_y) < ON_PAD and distance(to_x, to_y) < ON_PAD and s.tank[a] < FULL:
                big = pad < BIG or pad >= PADS.shape[0] - BIG
                taken = BACKS[pad] + 1
                if s.pads[pad] == 0 or s.pads[pad] == taken:
                    s.tank[a] = FULL if big else min(s.tank[a] + SMALL, FULL)
                    s.pads[pad] = taken
    for pad in range(PADS.shape[0]):
        s.pads[pad] = max(s.pads[pad] - 1, 0)


@kernel
def observe(s, agent, out):
    cars, side = s.tank.shape[0], team(s, agent)
    half, sign = cars // 2, 1.0 - 2.0 * side
    for k in range(2):
        out.ball[k] = sign * s.position[cars, k]
        out.ball[2 + k] = sign * s.velocity[cars, k]
        out.score[k] = s.score[side if k == 0 else 1 - side]
    show(s, agent, sign, out.own)
    row = 0
    for group in range(2):
        first = half * (side if group == 0 else 1 - side)
        for a in range(first, first + half):
            if a != agent:
                show(s, a, sign, out.others[row])
                row += 1
    for pad in range(PADS.shape[0]):
        out.pads[pad] = s.pads[pad if side == 0 else PADS.shape[0] - 1 - pad]
    out.left[0] = max(s.params.horizon - s.t, 0)


@kernel
def show(s, a, sign, out):
    """Write what is seen of a car."""
    for k in range(2):
        out[k] = sign * s.position[a, k]
        out[2 + k] = sign * s.velocity[a, k]
        out[4 + k] = sign * s.heading[a, k]
    out[6], out[7] = s.tank[a], s.boosted[a]


PAGE = Page(
    role=When(
        "mates",
        "You drive a car of the {color} team, with {mates}, against the {other} team.",
        "You drive the {color} car against the {other} car.",
    ),
    goal=(
        "You drive a ball into the goal of the other team.",
        When(
            "goal",
            "Each goal pays {goal:g} to every car of the team that scores, and costs every car of the other "
            "team as much.",
        ),
        When(
            "touch",
            "A step in which you touch the ball pays you {touch:g}, less {touch:g} times the part of your "
            "opponents that touch it.",
        ),
        When(
            "speed",
            "Each step pays you {speed:g} times the speed of the ball towards the goal that you attack, in m/s.",
        ),
        When(
            "near",
            "Each step pays you {near:g} for each meter by which you have come closer to the ball, less the "
            "mean of what your opponents have.",
        ),
    ),
    rules=(
        "The field is {length:g} m long and {width:g} m wide, around (0, 0). x runs along it, and y across. You see it "
        "so that your team attacks the goal at ({end:g}, 0) and defends the one at (-{end:g}, 0). Both are {mouth:g} m "
        "wide. The corners of the field are cut off, {corner:g} m from each. Cars cannot enter the goals.",
        "A step takes 1/{steps} s, and all act at once. Full throttle speeds a car up to {top:g} m/s, and boost to "
        "{fastest:g} m/s. Throttle against the motion brakes hard; a car without throttle slows down by "
        "{coast:g} m/s in a second. A car turns only while it moves, and in wider curves the faster it is: with a "
        "radius of {narrow:.1f} m when it is slow and of {broad:.1f} m at {fastest:g} m/s. Boost uses {use:g} of the "
        "tank in a second; a full tank has {full:g}. Pads fill it: {big} big ones fill it up and return after "
        "{long:g} s, and {few} small ones give {small:g} and return after {short:g} s. You must come within {pad:g} m "
        "of a pad, and your tank must not be full.",
        "Cars and the ball are discs with radii of {car:g} and {ball:g} m, and a car weighs {heavy:g} times as much "
        "as the ball. Those that meet part with {bumper:g} times the speed at which they met. A car gives the ball "
        "{kick:g} times that speed in addition. The ball keeps {wall:g} times its speed when it bounces off a wall or "
        "a goal post. Each second it loses a part of {drag:g} of its speed, and {rolling:g} m/s more below {rolls:g} "
        "m/s.",
        "A team scores when the center of the ball is in the goal. Then there is a kick-off: the ball rests in the "
        "middle, the cars stand at places drawn at random, those of one team opposite those of the other, with "
        "{first:g} in the tank, and all pads are there.",
    ),
    sees="You see where everything is, how fast it moves, and which pads are there.",
    acts={
        ("coast", "coast left", "coast right"): When("named", "no throttle, straight on or turning"),
        ("forward", "forward left", "forward right"): When("named", "full throttle, straight on or turning"),
        ("back", "back left", "back right"): When("named", "brake or drive back, straight on or turning"),
        "boost {DRIVE}": When("named", "the same with boost, as in `boost forward left`"),
        "drift {DRIVE}": When("named", When("handbrake", "the same with the handbrake, which lets the car slide")),
        "throttle": When("named", "", "from -1, full throttle backward, to 1, forward"),
        "left": When("named", "", "from -1, full steering to the right, to 1, to the left"),
        "boost": When("named", "", "on above 0"),
        "handbrake": When("named", "", When("handbrake", "on above 0; it lets the car slide")),
    },
    ends="The match is over after {horizon:step}.",
    unsaid={"controls": "told by the actions"},
    constants={"0": "the middle", "1": "full throttle or steering"},
)


class CarSoccer(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    steer = steer
    utility = "zero-sum"
    masked = False
    kind = ("teams", "control")
    verified = "a second implementation, closed forms, conserved momentum and energy, symmetry bit for bit"
    variants = (
        dict(cars=2, handbrake=True, horizon=10, weights=(1.0, 0.1, 0.01, 0.01)),
        dict(controls="continuous", handbrake=True, horizon=10, bumper=1.0, kick=0.0),
    )
    shown = "shoot"
    player_page = PAGE
    keys = {
        "up": "forward", "left": "forward left", "right": "forward right", "down": "back", "s": "coast",
        "w": "boost forward", "a": "boost forward left", "d": "boost forward right",
    }  # fmt: skip
    level_fields = {"ball": "started_ball", "cars": "started"}

    def __init__(
        self,
        cars: Annotated[int, Between(1, 3)] = 1,
        controls: Literal["discrete", "continuous"] = "discrete",
        handbrake: bool = False,
        horizon: Annotated[int, Between(1, 100_000)] = 900,
        wall: Annotated[float, Between(0, 1)] = 0.6,
        bumper: Annotated[float, Between(0, 1)] = 0.0,
        kick: Annotated[float, Between(0, 1)] = 0.25,
        drag: Annotated[float, Between(0, 10)] = 0.03,
        rolling: Annotated[float, Between(0, 10)] = 2.3,
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (1.0, 0.0, 0.0, 0.0),
    ):
        self.cars = cars
        numbers = ["throttle", "left", "boost", "handbrake"][: 4 if handbrake else 3]
        car = np.array([LONG] * 2 + [SWIFT] * 2 + [1.001] * 2, np.float32)
        low, high = np.append(-car, [0, 0]).astype(np.float32), np.append(car, [FULL, 1]).astype(np.float32)
        ball = np.array([LONG] * 2 + [SWIFT + 0.001] * 2, np.float32)
        self.define(
            agents=[f"{team}_{k}" for team in _TEAMS for k in range(cars)],
            actions=numbers if controls == "continuous" else NAMES[: 36 if handbrake else 18],
            observation=Dict(
                ball=Box(-ball, ball, (4,), np.float32),
                own=Box(low, high, (8,), np.float32),
                others=Box(np.tile(low, (2 * cars - 1, 1)), np.tile(high, (2 * cars - 1, 1)), dtype=np.float32),
                pads=Box(0, BACK_BIG, (len(PADS),), np.int32),
                score=Box(0, 100_000, (2,), np.int32),
                left=Box(0, 100_000, (1,), np.int32),
            ),
            fields=fields(cars),
            params={
                "horizon": horizon, "wall": wall, "bumper": bumper, "kick": kick, "drag": drag, "rolling": rolling,
                "weights": weights,
            },
            objectives={
                "goal": (-1.0, 1.0),
                "touch": (-1.0, 1.0),
                "speed": (-SWIFT - 0.001, SWIFT + 0.001),
                "near": (-2 * _FURTHEST, 2 * _FURTHEST),
            },
            controls=Box(-1, 1, (len(numbers),), np.float32) if controls == "continuous" else None,
        )  # fmt: skip

    def contradiction(self, s: Any) -> str | None:
        if any(abs(_length(heading) - 1.0) > 1e-9 for heading in s.heading):
            return "the heading of a car does not have the length 1"
        if any(_length(car[2:]) < 1e-6 for car in s.started):
            return "a car has no direction at the start"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        ball, cars = s.started_ball, s.started
        if _length(ball[2:]) > SWIFT:
            raise LevelError(f"{self.id}: the level's ball must not be faster than {SWIFT:g} m/s")
        for name, body, radius in (("the ball", ball, BALL), *((name, c, CAR) for name, c in zip(self.agents, cars))):
            x, y = (abs(float(value)) for value in body[:2])
            if x > LONG - radius or y > WIDE - radius or x + y > LONG + WIDE - CORNER - radius * _ROOT:
                raise LevelError(f"{self.id}: {name} at {_pair(body)} is not in the field")
        if min(_length(car[2:]) for car in cars) < 1e-6:
            raise LevelError(f"{self.id}: the direction of a car must not be (0, 0)")

    # Text and picture: everybody sees the whole field, turned so that its own team attacks to the right.

    def _seen(self, seen: Any, agent: int) -> list[tuple[int, Any]]:
        """The numbers of the cars and what is seen of each, in the order of the observation."""
        side = agent // self.cars
        mates, rivals = (range(k * self.cars, (k + 1) * self.cars) for k in (side, 1 - side))
        return [(agent, seen.own), *zip([a for a in (*mates, *rivals) if a != agent], seen.others)]

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        side, weights = agent // self.cars, s.params.weights.tolist()
        return {
            **dict(zip(("goal", "touch", "speed", "near"), weights)),
            "mates": [self.agents[a] for a in range(side * self.cars, (side + 1) * self.cars) if a != agent],
            "color": _TEAMS[side],
            "other": _TEAMS[1 - side],
            "length": 2 * LONG,
            "width": 2 * WIDE,
            "end": LONG,
            "mouth": 2 * MOUTH,
            "corner": CORNER,
            "steps": round(1 / (PARTS * H)),
            "top": TOP,
            "fastest": FASTEST,
            "coast": COAST,
            "narrow": 1 / CURVATURES[0],
            "broad": 1 / CURVATURES[-1],
            "use": USE,
            "full": FULL,
            "first": FIRST,
            "big": 2 * BIG,
            "few": len(PADS) - 2 * BIG,
            "long": BACK_BIG * PARTS * H,
            "short": BACK_SMALL * PARTS * H,
            "small": SMALL,
            "pad": ON_PAD,
            "car": CAR,
            "ball": BALL,
            "heavy": CAR_MASS / BALL_MASS,
            "rolls": ROLLS,
            "named": not self.control_spaces,
        }

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        ball = seen.ball
        lines = [
            f"The score is {seen.score[0]} to {seen.score[1]}. Steps left: {seen.left[0]}.",
            f"The ball is at {_pair(ball)} with velocity {_pair(ball[2:])} m/s, {_bearing(seen.own, ball)} of you.",
        ]
        for a, car in self._seen(seen, agent):
            name = "You are" if a == agent else f"{self.agents[a]} is"
            role = "" if a == agent else " (your team)" if a // self.cars == agent // self.cars else " (opponent)"
            lines.append(
                f"{name}{role} at {_pair(car)} with velocity {_pair(car[2:])} m/s, facing {_pair(car[4:])}, "
                f"boost {car[6]:.0f}{' (on)' if car[7] else ''}."
            )
        side = agent // self.cars
        pads = PADS if side == 0 else -PADS[::-1]
        there = [place for place, steps in zip(pads.tolist(), seen.pads) if steps == 0]
        there.sort(key=lambda place: _length(np.subtract(place, seen.own[:2])))
        if there:
            lines.append(f"The nearest boost pad is at {_pair(there[0])}, {_bearing(seen.own, there[0])} of you.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        agent = agent or 0
        seen = self.observation(s, agent)
        side = agent // self.cars
        scene = Scene(2 * (LONG * _METER + _ROOM), 2 * (WIDE * _METER + _ROOM))
        scene.add(*_field(_TEAMS[1 - side], _TEAMS[side]))
        for place, steps, number in zip(PADS.tolist(), seen.pads, range(len(PADS))):
            big = number < BIG or number >= len(PADS) - BIG
            hue = "gold" if steps == 0 else "shadow@0.18"
            scene.add(Circle(*_at(*place), 0.34 if big else 0.17, hue, glyph="" if steps else "+" if big else "·"))
        for a, car in self._seen(seen, agent):
            scene.add(*_car(car, _TEAMS[a // self.cars], str(a % self.cars) if self.cars > 1 else ""))
        x, y = _at(*seen.ball)
        tail = _at(*(seen.ball[:2] - 0.15 * seen.ball[2:]))
        reach = BALL * _METER * _LARGER
        scene.add(Line([(x, y), tail], "white@0.7", reach), Circle(x, y, reach, "white", "black", 0.08, "@"))
        done = int(s.params.horizon) - int(seen.left[0])
        scores = [f"{_TEAMS[k if side == 0 else 1 - k]} {seen.score[k]}" for k in range(2)]
        own = "" if self.cars > 1 else f"   boost {seen.own[6]:.0f}, {seen.others[0, 6]:.0f}"
        footer(scene, f"{scores[0]} : {scores[1]}{own}", f"step {done} of {int(s.params.horizon)}", margin=_ROOM)
        return scene


def _at(x: float, y: float, *_: float) -> tuple[float, float]:
    """The point of the picture for a place in the field."""
    return LONG * _METER + _ROOM + float(x) * _METER, WIDE * _METER + _ROOM - float(y) * _METER


def _field(right: str, left: str) -> list[Shape]:
    """The ground, its lines, and the goals of these colors."""
    cut = [(LONG - CORNER, WIDE), (LONG, WIDE - CORNER)]
    corners = [*cut, *((x, -y) for x, y in reversed(cut))]
    edge = [_at(*place) for place in (*corners, *((-x, -y) for x, y in corners))]
    shapes: list[Shape] = [Polygon(edge, "grass", "wall", 0.16)]
    white, circle = "white@0.75", _at(0, 0)
    shapes += [Line([_at(0, -WIDE), _at(0, WIDE)], white, 0.1), Circle(*circle, 2.3, None, white, 0.1, "")]
    for x, hue in ((LONG, right), (-LONG, left)):
        box = [_at(x, 18), _at(x * 0.76, 18), _at(x * 0.76, -18), _at(x, -18)]
        shapes.append(Line(box, white, 0.1))
        across, top = _at(x, MOUTH)
        start = across if x > 0 else across - 0.7
        shapes.append(Rect(start, top, 0.7, 2 * MOUTH * _METER, hue, "wall", 0.1, glyph="|●"))
    return shapes


def _car(car: Any, hue: str, number: str) -> list[Shape]:
    """A car with its front, a flame if it boosts, and its number in the team."""
    (x, y), (across, up) = _at(*car), (float(car[4]), -float(car[5]))
    size = CAR * _METER * _LARGER

    def at(ahead: float, aside: float) -> tuple[float, float]:
        return x + size * (ahead * across - aside * up), y + size * (ahead * up + aside * across)

    body = [at(1.5, 0.5), at(1.5, -0.5), at(0.9, -0.95), at(-1.4, -0.95), at(-1.4, 0.95), at(0.9, 0.95)]
    shapes: list[Shape] = []
    if car[7]:
        shapes.append(Polygon([at(-1.3, 0.6), at(-3.2, 0.0), at(-1.3, -0.6)], "red", "yellow", 0.08))
    shapes += [
        Polygon(body, hue, "black", 0.06, glyph=f"{hue[0]}{number}"),
        Polygon([at(0.8, 0.65), at(0.8, -0.65), at(0.2, -0.65), at(0.2, 0.65)], "white@0.85"),
    ]
    if number:
        shapes.append(Label(*at(-0.65, 0.0), number, 0.45, text_on(hue), bold=True, terminal=False))
    return shapes


def _length(vector: Any) -> float:
    return distance(float(vector[0]), float(vector[1]))


def _pair(values: Any) -> str:
    return f"({float(values[0]):.1f}, {float(values[1]):.1f})"


def _bearing(car: Any, place: Any) -> str:
    """How far a place is from a car, and on which side: "12.0 m ahead left"."""
    x, y = float(place[0]) - float(car[0]), float(place[1]) - float(car[1])
    ahead, aside = x * car[4] + y * car[5], y * car[4] - x * car[5]
    words = ["ahead" if ahead >= 0 else "behind"] if abs(ahead) > 0.3 * abs(aside) else []
    words += ["left" if aside > 0 else "right"] if abs(aside) > 0.1 * abs(ahead) else []
    return f"{_length((x, y)):.1f} m {' and '.join(words)}"


env, raw_env, parallel_env = pettingzoo_forms(CarSoccer)
