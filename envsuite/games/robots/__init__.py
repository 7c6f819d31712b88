"""Robots: wheeled robots in an arena find, carry, forage and hunt, without collisions.

**Rules.** The arena is 3.2 m wide and 2 m high, with (0, 0) in its middle. A robot has a place and a heading. A step
gives each robot a speed and a turn, and has `substeps` parts of 0.033 s, by default 30, or 60 in material and rware:

1. With `barrier`, the speeds and turns are changed as little as possible, so that the points 0.05 m ahead of the robots
   keep 0.20 m apart. If no speeds and turns do that, all wheels stop for this part.
2. A robot moves by 0.033 s times its speed along its heading; then it turns by 0.033 s times its turn. Its wheels
   have a radius of 0.016 m, are 0.105 m apart, and turn by at most 12.5 radians per second. So its maximum speed is
   0.2 m/s.
3. Two centers closer than 0.135 m, or a center outside the arena, are a violation.

An action with a name is a waypoint: a point `step` away, at least 0.1 m inside the arena. A step is 0.2 m long, except
in material and arctic. For the waypoint's distance m and its angle from the heading, the speed is 0.8 m cos(angle) and
the turn 3 m sin(angle), during the whole step.

The robots start with random headings on different points of the grid x = -1.25, -0.75 ... 1.25, y = -0.75, -0.25, 0.25,
0.75, except in arctic and rware. Goals, landmarks, resources and the prey's start are different points of this grid.
Where robots have kinds, the first half of them, rounded up, has the first kind.

| scenario | robots | task |
|---|---|---|
| navigation | 3 | each robot drives to its own goal |
| discovery | 4 | scouts sense 6 landmarks within 0.45 m; collectors tag sensed ones within 0.25 m |
| material | 4 | carry material from two zones to the drop where x < -1.1 |
| warehouse | 4 | carry goods from the right end to the left one |
| arctic | 4 | ice and water robots cross tiles of ice and water; drones look ahead for them |
| foraging | 3 | robots forage 2 resources together |
| rware | 3 | carry requested shelves to the right end, and put them back |
| predator | 3 | tag a prey that flees |

- A landmark can be tagged from the step after it was sensed.
- In material, fast robots have waypoints 0.45 m away and carry 5 units; strong ones 0.15 m and 15 units. A zone is
  within 0.35 m of (0, 0), the other where x > 1.1. They hold about 75 and 15 units, drawn from normal distributions
  with standard deviations 10 and 4. A robot without a load takes what it can carry.
- In warehouse, green robots load where x > 1.1 and y < 0, and unload where x < -1.1 and y > 0. Red ones load where
  x > 1.1 and y > 0, and unload where x < -1.1 and y < 0.
- In arctic, 8 rows of 12 square tiles, 0.25 m wide, lie from x = -1.5 to 1.5. The highest row is the goal and the
  lowest one ground; the others are random ground, ice and water. The first kind of robots are drones; ice and water
  robots follow in turn. A step is 0.2 m for drones, on ground and in the goal. On tiles of its own kind a robot's step
  is 0.3 m, on others 0.1 m. Beside the tiles, the nearest tile counts. The robots start at y = -0.8, side by side from
  x = -0.9 to 0.9 with the drones in the middle, and face right.
- In foraging, `robot_0` has level 1, `robot_1` level 2 and so on. One of the resources, drawn at random, has the sum
  of all levels, the other the sum without `robot_0`. A resource is foraged when the levels of the robots within 0.3 m
  of it are at least its level in sum.
- In rware, six shelves stand in cells at x = -1.1, -0.25, 0.6: shelves 1 to 3 at y = 0.25, shelves 4 to 6 at
  y = -0.25. As many different shelves as there are robots, at most all, are requested. A robot stands with `stay`, or
  at a speed below 0.01 m/s. If it stands within 0.2 m of a cell, it lifts the shelf there, or puts its own into the
  empty cell. A robot with a requested shelf delivers it where x > 1.1, and keeps it. Then a random shelf that is not
  requested becomes requested. Robots start at y = -0.75, side by side from x = -1.1 to 1.1, and face up.
- A full cell of rware blocks robots with a shelf, within 0.125 m of its middle along both axes. If one of five points,
  evenly spaced from the robot to its waypoint, is there, the robot does not move. With numbers, the points lie on the
  way ahead at the robot's speed, and only the speed becomes 0.
- In predator, the prey jumps before the robots move: by 0.05, 0.133, 0.217 or 0.3 m in one of 8 directions. It takes
  the place, at least 0.1 m inside the arena, that is furthest from its nearest robot. Of equal places it takes the
  first: directions count from the right against the clock, and shorter jumps come first. A robot within 0.2 m of it
  after the step tags it.

The barrier looks at pairs of points p and q with velocities v and w. With h = abs(p - q)**2 - 0.04, it demands that
2 (p - q) (v - w) is at least -150 h**3 + a + b. Here a and b are the most that noise of 5 radians per second in both
wheels of a robot takes from 2 (p - q) (v - w). It minimizes the sum of squares of the changes of all v. It does not
keep robots in the arena.

**Agents.** `robot_0`, `robot_1` and so on.

**Observation.** Dict. N is the number of robots. Robots come in the order of their numbers, from the observer on, and
`robot_0` follows the last one.

| part | space | content |
|---|---|---|
| robots | Box (N, 4) float32 | x, y, and the heading as cosine and sine |
| duties | Box (N, 2) int32 | not in foraging: the kind, 0, 1 or 2, and the load: units, a shelf, or 1 in warehouse |
| levels | Box (N,) int32 | in foraging: the levels of the robots |
| tile | Box (1,) int32 | in arctic: the observer's tile: 0 ground, 1 ice, 2 water, 3 goal |
| around | Box (D, 3, 3) int32 | in arctic: the tiles around each of the D drones, from the top; -1 where none is |
| targets | Box (T, 3) float32 | not in arctic: x and y of the places of the task, and a number |
| requests | Box (R,) int32 | in rware: the requested shelves |
| left | Box (1,) int32 | the number of steps left |

| scenario | targets |
|---|---|
| navigation | the observer's own goal, 0 |
| discovery | each landmark: -5, -5, 0 until it is sensed; then its place and 1, or 2 if it is tagged |
| material | the middles of both zones with their units, the middle of the drop with 0 |
| warehouse | the middles of the observer's places to load and to unload, 0 |
| foraging | each resource with its level, 0 when it is foraged |
| rware | each cell, in the order of shelves 1 to 6, with the shelf in it, 0 for none |
| predator | the prey, 0 |

The kinds of arctic are 0 for drones, 1 for ice robots and 2 for water robots. Elsewhere all kinds are 0 or 1.

**Actions.** With `controls="discrete"` Discrete (5).

| action | name |
|---|---|
| 0, 1, 2, 3, 4 | `stay`, `up`, `down`, `right`, `left` |

With `controls="continuous"` Box (2,) float32: `speed` from -0.2 to 0.2 m/s, and `turn` from -3.8 to 3.8 radians per
second, positive to the left. In arctic both are halved or multiplied by 1.5 where a robot's step is 0.1 or 0.3 m.

**Window.** The arrow keys drive, and the space bar stays.

**Rewards.** All robots get the same. With `violation` above 0, a step with a violation pays -`violation` and nothing
else.

| scenario | reward |
|---|---|
| navigation | minus the sum of the distances of all robots to their goals |
| discovery | 1 per landmark that is sensed, 5 per landmark that is tagged, -0.05 while one is not tagged |
| material | 0.25 per loading, 0.75 per drop, -0.1 while a zone holds material |
| warehouse | 1 per loading, 3 per unloading |
| arctic | -0.05 per meter that ice and water robots are below y = 0.75, -0.1 until all of them are above it |
| foraging | the level of each resource that is foraged, -0.01 while one is left |
| rware | 1 per requested shelf that is delivered |
| predator | 10 in each step in which the prey is tagged |

**Ends.** Truncates after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `scenario` | "navigation" | one of the eight |
| `controls` | "discrete" | "discrete" actions with names, or "continuous" numbers |
| `robots` | 0 | robots, from 2 to 8; 0 is the scenario's usual number |
| `barrier` | True | whether the barrier certificate changes speeds and turns |
| `substeps` | 0 | parts of a step, up to 60; 0 is the scenario's usual number |
| `violation` | 0.0 | the penalty of a step with a violation, from 0 to 100 |
| `horizon` | 0 | steps, up to 1000; 0 is 100, or 70 in material and warehouse |

**Level.** ``{"robots": [[0, 0, 0], [0.5, 0, 1.57], [1, 0, -1.57]], "targets": [[1, 0], [0, 0.5], [-1, 0]]}``: x, y
and angle of each robot, and with them:

- In navigation, discovery and predator, `targets`: the goals, the landmarks or the start of the prey.
- In material, `"stock": [75, 15]`: the units of its zones.
- In arctic, `"tiles": ["..iiww..iiww", ...]`: six rows from the top, `.` for ground, `i` for ice and `w` for water.
- In foraging, `targets` and `"levels": [6, 5]`: the resources and their levels.
- In rware, `"requests": [1, 4, 6]`: the shelves that are requested.

**Known values.**

- A robot at (0, 0) that faces right moves by 0.1584 m with `right` in 30 parts, and turns by 0.594 radians with `up`.
- Two robots that face each other 1, 0.5, 0.3 and 0.25 m apart and want to drive on at 0.8 times the distance get the
  speeds 0.2, 0.082, -0.08 and -0.0813 m/s from the barrier.
- Robots that drive to the middle with random speeds and turns: in 34,000 steps of 4 robots, none has a collision with
  the barrier, and 15,270 without it; of 2 robots, none and 3,602.
- The barrier agrees with the solver `quadprog` on random scenes within 1e-8.
- Mean returns of a robot in 200 episodes with names, of the baselines:

| scenario | random | straight | shuffling | lanes |
|---|---|---|---|---|
| navigation | -386 | -60 | -73 | -60 |
| discovery | 2.1 | 29.6 | 28.2 | 32.9 |
| material | -5.8 | 5.8 | 5.0 | 6.0 |
| warehouse | 0.8 | 11.0 | 9.4 | 17.1 |
| arctic | -23.4 | -2.5 | -4.5 | -3.2 |
| foraging | -0.9 | 9.5 | 10.1 | 9.9 |
| rware | 0.2 | 7.9 | 9.8 | 11.5 |
| predator | 0.0 | 53.2 | 28.5 | 11.0 |

**Differences.** From JaxRobotarium:

- The barrier holds. The source passes only the bounds of the wheels to its solver, so robots can collide.
- Where the barrier has no solution, all wheels stop. With four robots this is rare.
  The source leaves open what happens.
- The grids of starts, goals, landmarks, resources and the prey are 0.25 m inside the arena and 0.5 m wide, and headings
  are random. The source's grid of foraging is 0.3 m wide; so a resource could lie within reach of a start.
- A landmark can be tagged in the step after it was sensed at the earliest. Units of material are whole numbers.
- Observations have parts, and `targets` shows zones and places that the source leaves to the agent to find. All robots
  see all loads and the levels of all robots.
- The reward of navigation is the sum over all robots. An episode ends after `horizon` steps, not one later.
- A violation in any part of a step counts. Waypoints are never computed again during a step.
- Arctic takes 2 to 8 robots, and its numbers are scaled by the step divided by 0.2 m, not by the step.
- The penalty of foraging is paid until all resources are foraged. The source means to pay it afterwards, and its
  condition never holds.
- A robot of rware lifts the shelf that is in the cell. The source takes the cell's number for the shelf's, and lifts
  shelves from empty cells. At one cell, robots act in the order of their numbers.
- In rware, numbers have rules of their own; the source has no lifting and no blocked ways with them. With more than six
  robots, all six shelves are requested.
- A robot gets no further than 100 m from the middle. So records have ranges.

**Source.** Jain, Krishna, Chen and Ravichandar, "JaxRobotarium: training and deploying multi-robot policies in 10
minutes", 2025; Wang, Ames and Egerstedt, "Safety barrier certificates for collisions-free multirobot systems", 2017;
the Robotarium's simulator.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.elementary import cos_turns, sin_turns
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_letters, write_letters
from envsuite.core.ranges import among, fixed, flag, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.robots import pages, tasks, view
from envsuite.games.robots.barrier import AHEAD, DT, SAFE, certify, roll
from envsuite.games.robots.tasks import kind
from envsuite.kit.plane import distance
from envsuite.registry import pettingzoo_forms

#: Meters: the distance of a collision, and the furthest that a robot gets along an axis.
COLLISION, REACH = 0.135, 100.0

#: Bounds of the numbers of continuous controls.
SPEED, TURN = 0.2, 3.8

#: Letters of levels of arctic: ground, ice, water.
TILES = ".iw"

#: The parts of levels beside the robots, and their fields.
PARTS: dict[str, dict[str, str]] = {
    "navigation": {"targets": "targets"},
    "discovery": {"targets": "targets"},
    "material": {"stock": "stocked"},
    "foraging": {"targets": "resources", "levels": "demands"},
    "rware": {"requests": "requested"},
    "predator": {"targets": "lair"},
}

NAMES = ("stay", "up", "down", "right", "left")


def fields(scenario: str, robots: int) -> list[tuple]:
    """The record's own fields."""
    pose = within(np.float64, [-REACH, -REACH, -3.15], [REACH, REACH, 3.15])
    start = [tasks.WIDE, tasks.HIGH, math.pi]
    return [
        ("pose", pose, (robots, 3)),  # x, y and angle
        ("started", within(np.float64, np.negative(start), start), (robots, 3)),  # at the start
        *tasks.task_fields(scenario, robots),
        ("violated", flag(), (2,)),  # in the last step: a collision, a robot outside
        ("wanted", free(np.float64), (robots, 2)),  # speed and turn of the last step
        # Room for the barrier, of the last part of a step.
        ("points", free(np.float64), (robots, 2)),
        ("heading", free(np.float64), (robots, 2)),
        ("velocity", free(np.float64), (robots, 2)),
        ("pairs", free(np.float64), (robots, robots)),
        ("wheels", free(np.float64), (robots, 2)),
    ]


# Reset.


@kernel
def reset(s):
    tasks.set_up(s)
    s.violated[0], s.violated[1] = 0, 0
    for a in range(s.pose.shape[0]):
        for k in range(3):
            s.pose[a, k] = s.started[a, k]
        for k in range(2):
            s.wanted[a, k], s.points[a, k], s.heading[a, k] = 0.0, 0.0, 0.0
            s.velocity[a, k], s.wheels[a, k] = 0.0, 0.0
        for b in range(s.pose.shape[0]):
            s.pairs[a, b] = 0.0


# A step.


@kernel
def horizon(s):
    """The steps of an episode."""
    return s.params.horizon if s.params.horizon > 0 else s.params.usual[0]


@kernel
def step(s, actions, rewards):
    """A step by waypoints."""
    for a in range(s.pose.shape[0]):
        length, action = 0.2 * tasks.pace(s, a), actions[a]
        if s.params.scenario == tasks.MATERIAL:
            length = 0.15 if kind(s, a) == 1 else 0.45
        x = s.pose[a, 0] + length * ((action == 3) - 1.0 * (action == 4))
        y = s.pose[a, 1] + length * ((action == 1) - 1.0 * (action == 2))
        x = min(max(x, tasks.INSIDE - tasks.WIDE), tasks.WIDE - tasks.INSIDE) - s.pose[a, 0]
        y = min(max(y, tasks.INSIDE - tasks.HIGH), tasks.HIGH - tasks.INSIDE) - s.pose[a, 1]
        tasks.stand(s, a, action == 0)
        if tasks.blocked(s, a, x, y):
            x, y = 0.0, 0.0
        turns = s.pose[a, 2] / (2.0 * math.pi)
        cosine, sine = cos_turns(turns), sin_turns(turns)
        s.wanted[a, 0], s.wanted[a, 1] = 0.8 * (x * cosine + y * sine), 3.0 * (y * cosine - x * sine)
    advance(s, rewards)


@kernel
def steer(s, controls, rewards):
    """A step by speeds and turns."""
    for a in range(s.pose.shape[0]):
        for k in range(2):
            s.wanted[a, k] = tasks.pace(s, a) * np.float64(controls[a, k])
    tasks.hold(s)
    advance(s, rewards)


@kernel
def advance(s, rewards):
    """The parts of a step, its reward and the end."""
    s.violated[0], s.violated[1] = 0, 0
    tasks.flee(s)
    for _ in range(tasks.substeps(s)):
        move(s)
        watch(s)
    paid = tasks.pay(s)
    if s.params.violation > 0.0 and (s.violated[0] == 1 or s.violated[1] == 1):
        paid = -s.params.violation
    for a in range(s.pose.shape[0]):
        rewards[a] = paid
        s.truncated[a] = s.t >= horizon(s)


@kernel
def move(s):
    """A part of a step: the barrier, then the motion."""
    if s.params.barrier == 1:
        for a in range(s.pose.shape[0]):
            turns = s.pose[a, 2] / (2.0 * math.pi)
            cosine, sine = cos_turns(turns), sin_turns(turns)
            s.heading[a, 0], s.heading[a, 1] = cosine, sine
            s.points[a, 0], s.points[a, 1] = s.pose[a, 0] + AHEAD * cosine, s.pose[a, 1] + AHEAD * sine
            ahead, aside = s.wanted[a, 0], AHEAD * s.wanted[a, 1]
            s.velocity[a, 0], s.velocity[a, 1] = ahead * cosine - aside * sine, ahead * sine + aside * cosine
        certify(s.points, s.heading, s.velocity, s.pairs, s.wheels)
    for a in range(s.pose.shape[0]):
        speed, turn = s.wanted[a, 0], s.wanted[a, 1]
        if s.params.barrier == 1:
            speed = s.velocity[a, 0] * s.heading[a, 0] + s.velocity[a, 1] * s.heading[a, 1]
            turn = (s.velocity[a, 1] * s.heading[a, 0] - s.velocity[a, 0] * s.heading[a, 1]) / AHEAD
        roll(s.pose, a, speed, turn, REACH)


@kernel
def watch(s):
    """Note collisions, and robots outside the arena."""
    for a in range(s.pose.shape[0]):
        if abs(s.pose[a, 0]) > tasks.WIDE or abs(s.pose[a, 1]) > tasks.HIGH:
            s.violated[1] = 1
        for b in range(a):
            if distance(s.pose[a, 0] - s.pose[b, 0], s.pose[a, 1] - s.pose[b, 1]) < COLLISION:
                s.violated[0] = 1


# Observations.


@kernel
def observe(s, agent, out):
    robots = s.pose.shape[0]
    for row in range(robots):
        a = (agent + row) % robots
        turns = s.pose[a, 2] / (2.0 * math.pi)
        out.robots[row, 0], out.robots[row, 1] = s.pose[a, 0], s.pose[a, 1]
        out.robots[row, 2], out.robots[row, 3] = cos_turns(turns), sin_turns(turns)
    out.left[0] = max(horizon(s) - s.t, 0)
    tasks.see(s, agent, out)


def parts(scenario: str, robots: int) -> dict[str, Any]:
    """The parts of an observation, in the order of the page."""
    body = np.tile(np.array([REACH, REACH, 1.001, 1.001], np.float32), (robots, 1))
    places = {
        "discovery": tasks.LANDMARKS,
        "material": 3,
        "warehouse": 2,
        "foraging": tasks.RESOURCES,
        "rware": tasks.CELLS,
    }
    found: dict[str, Any] = {"robots": Box(-body, body, (robots, 4), np.float32)}
    if scenario == "foraging":
        found["levels"] = Box(1, robots, (robots,), np.int32)
    else:
        found["duties"] = Box(0, tasks.MANY, (robots, 2), np.int32)
    if scenario == "arctic":
        found["tile"] = Box(0, 3, (1,), np.int32)
        found["around"] = Box(-1, 3, ((robots + 1) // 2, 3, 3), np.int32)
    else:
        found["targets"] = Box(tasks.NOWHERE, tasks.MOST, (places.get(scenario, 1), 3), np.float32)
    if scenario == "rware":
        found["requests"] = Box(0, tasks.CELLS, (min(robots, tasks.CELLS),), np.int32)
    return {**found, "left": Box(0, 1000, (1,), np.int32)}


class Robots(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    steer = steer
    utility = "identical"
    masked = False
    kind = ("teams", "control")
    verified = "quadprog for the barrier, closed forms of the motion, JaxRobotarium's rules and a second implementation"
    variants = (
        dict(scenario="discovery"),
        dict(scenario="material", horizon=20, violation=1.0),
        dict(scenario="warehouse", robots=5, controls="continuous", barrier=False, violation=10.0),
        dict(controls="continuous", substeps=10),
        dict(scenario="arctic", robots=5, substeps=10),
        dict(scenario="foraging", robots=2, controls="continuous", substeps=10),
        dict(scenario="rware", substeps=20, violation=1.0),
        dict(scenario="predator", robots=4, substeps=10),
    )
    shown = "straight"
    keys = {"up": "up", "down": "down", "left": "left", "right": "right", "space": "stay"}
    synonyms = {"wait": "stay"}
    text = view.text
    scene = view.scene
    player_page = pages.PAGES
    page_role = pages.page_role

    def __init__(
        self,
        scenario: Literal[
            "navigation", "discovery", "material", "warehouse", "arctic", "foraging", "rware", "predator"
        ] = "navigation",
        controls: Literal["discrete", "continuous"] = "discrete",
        robots: Annotated[int, Between(0, 8)] = 0,
        barrier: bool = True,
        substeps: Annotated[int, Between(0, 60)] = 0,
        violation: Annotated[float, Between(0, 100)] = 0.0,
        horizon: Annotated[int, Between(0, 1000)] = 0,
    ):
        if robots == 1:
            raise ParameterError("Robots: robots=1; 2 to 8 are allowed, and 0 for the usual number")
        usual = tasks.USUAL[scenario]
        count, self.scenario = robots or usual[0], scenario
        self.level_fields = {"robots": "started", **PARTS.get(scenario, {})}
        bound = np.array([SPEED, TURN], np.float32)
        self.define(
            agents=[f"robot_{a}" for a in range(count)],
            actions=list(NAMES if controls == "discrete" else ("speed", "turn")),
            observation=Dict(**parts(scenario, count)),
            fields=fields(scenario, count),
            params={
                "scenario": among(tasks.SCENARIOS, scenario),
                "barrier": barrier,
                "substeps": substeps,
                "usual": fixed(np.array(usual[1:])),
                "violation": violation,
                "horizon": horizon,
            },
            reward_range=(-np.inf, 100.0),
            controls=Box(-bound, bound, (2,), np.float32) if controls == "continuous" else None,
        )

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        if self.scenario == "arctic":
            known = (tasks.TILE_ROWS - 2, tasks.TILE_COLUMNS)
            s.terrain[1:-1] = read_letters(level["tiles"], f"{self.id}: the level's tiles", known, TILES)
            level = {part: level[part] for part in level if part != "tiles"}
        elif self.scenario in ("material", "warehouse"):
            s.targets[...], s.stocked[...] = 0.0, 0
        super().set_level(s, level)
        if self.scenario == "rware" and len(np.unique(s.requested)) < len(s.requested):
            raise LevelError(f"{self.id}: 'requests' names a shelf twice")

    def get_level(self, s: Any) -> dict[str, Any]:
        level = super().get_level(s)
        return {**level, "tiles": write_letters(s.terrain[1:-1], TILES)} if self.scenario == "arctic" else level

    # Text and picture.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        count, scenario = len(self.agents), self.scenario
        half, usual = (count + 1) // 2, s.params.usual.tolist()
        parts, steps = int(s.params.substeps) or usual[1], int(s.params.horizon) or usual[0]
        number = int(tasks.trade(s, agent)) if scenario == "arctic" else int(2 * agent >= count)
        kind = view.KINDS[scenario][number][1] if scenario in view.KINDS else ""
        length = {"material": "0.15 m" if number else "0.45 m", "arctic": "one step"}.get(scenario, "0.2 m")
        return {
            "wide": 2 * tasks.WIDE,
            "high": 2 * tasks.HIGH,
            "inside": tasks.INSIDE,
            "seconds": parts * DT,
            "steps": steps,
            "named": not self.control_spaces,
            "length": length,
            "speed": SPEED,
            "turn": TURN,
            "scaled": ". It is multiplied by your step / 0.2 m" if scenario == "arctic" else "",
            "ahead": AHEAD,
            "safe": SAFE,
            "near": COLLISION,
            "kind": kind,
            "a_kind": f"an {kind}" if kind[:1] == "i" else f"a {kind}",
            "first": list(self.agents[:half]),
            "second": list(self.agents[half:]),
            "drones": list(self.agents[:half]),
            "landmarks": tasks.LANDMARKS,
            "sense": tasks.SENSE,
            "tag": tasks.TAG,
            "zone": tasks.ZONE,
            "far": tasks.END,
            "few": tasks.FEW,
            "many": tasks.MANY,
            "north": tasks.NORTH,
            "tile": tasks.TILE,
            "rows": tasks.TILE_ROWS,
            "columns": tasks.TILE_COLUMNS,
            "resources": tasks.RESOURCES,
            "forage": tasks.FORAGE,
            "cells": tasks.CELLS,
            "lift": tasks.LIFT,
            "standing": tasks.STANDING,
            "half": tasks.SHELF,
            "catch": tasks.CATCH,
            "shortest": tasks.SHORT,
            "longest": tasks.SHORT + tasks.LONGER * (tasks.STEPS - 1),
            "directions": tasks.DIRECTIONS,
        }


env, raw_env, parallel_env = pettingzoo_forms(Robots)
