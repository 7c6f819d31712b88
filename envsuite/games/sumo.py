"""Sumo: two wrestlers push each other out of a ring.

**Rules.** The wrestlers are discs of radius 0.5 m in a ring of radius 3 m. A step takes 0.1 s and has five parts of
h = 0.02 s:

1. Each wrestler pushes itself with a force F, at most `force`. Its velocity becomes v + h (F / m - v), for its mass m
   and a drag of 1 for each second and kilogram. Its position becomes x + h v.
2. If the discs overlap, they are set apart along the line of their centers, the lighter one further. If they approach,
   they exchange an impulse, after which they part with 0.2 times the speed of their approach.
3. A wrestler whose center is outside the ring has lost. If both are outside, it is a draw.

With `drive="force"`, a wrestler pushes in any direction. With `drive="unicycle"`, it pushes forward or backward along
its heading, and turns by up to half a turn in a second; the parts of a step begin with the turn.

An episode starts with both at rest, each 1.5 m from the middle on opposite sides, at an angle drawn at random, and
facing each other.

**Agents.** `wrestler_0`, `wrestler_1`.

**Observation.** Dict. Places are relative to the middle of the ring.

| part | space | content |
|---|---|---|
| own | Box (6,) float32 | x and y of its place, of its velocity, and of its heading: (0, 0) with `drive="force"` |
| opponent | Box (6,) float32 | the same of the opponent |
| bodies | Box (4,) float32 | its largest force and its mass, those of the opponent |
| left | Box (1,) int32 | the number of steps left |

**Actions.** With `controls="discrete"` Discrete (9), all of them with full force. For `drive="force"`:

| action | name |
|---|---|
| 0 | `rest` |
| 1, 2, 3, 4 | `right`, `up right`, `up`, `up left` |
| 5, 6, 7, 8 | `left`, `down left`, `down`, `down right` |

For `drive="unicycle"`:

| action | name |
|---|---|
| 0, 1, 2 | `rest`, `turn left`, `turn right` |
| 3, 4, 5 | `forward`, `forward left`, `forward right` |
| 6, 7, 8 | `back`, `back left`, `back right` |

With `controls="continuous"` Box from -1 to 1, (2,) float32. For `drive="force"` they are `right` and `up`, the push in
parts of `force`; a push longer than 1 is shortened to 1. For `drive="unicycle"` they are `forward` and `left`, in parts
of the force and of half a turn in a second.

**Window.** The arrow keys push, or turn and push along the heading; the space bar rests.

**Rewards.** The sum of two objectives, weighted by `weights`.

| objective | paid |
|---|---|
| `win` | at the end, 1 to the winner and -1 to the loser |
| `push` | meters that the opponent's distance from the middle has grown by in the step, minus the agent's own |

**Ends.** Terminates when a wrestler is outside the ring. Truncates after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `drive` | "force" | "force" in any direction, or "unicycle" |
| `controls` | "discrete" | "discrete" actions with names, or "continuous" numbers |
| `force` | (3.0, 3.0) | the largest force of each wrestler in newtons, from 0.5 to 4 |
| `mass` | (1.0, 1.0) | the mass of each wrestler in kilograms, from 0.5 to 4 |
| `horizon` | 500 | steps, from 1 to 10,000 |
| `weights` | (1, 0) | weights of the two objectives, from -1,000,000 to 1,000,000 |

**Level.** ``{"places": [[1.5, 0], [-1.5, 0]]}``: where the wrestlers start, in the ring and at least 1 m apart.

**Known values.**

- A wrestler alone that pushes with F all the time reaches (1 - 0.98**n) F / m after n parts of a step, and in the end
  F / m.
- The impulses do not change the sum of momenta. So if both push all the time, the center of their masses moves like one
  wrestler with the sum of the forces and the sum of the masses.
- Two equal wrestlers that push against each other stay where they are for ever.
- With forces of 3.6 and 3 N, the stronger wrestler beats `brace` in all episodes if it plays `circle`, in 93 % with
  `rush`, and in none with `brace` (64 worlds, 1100 steps). Equal wrestlers that play baselines end in draws.
- If places, velocities and pushes are turned by half a turn and the wrestlers are exchanged, so is the result, bit for
  bit.

**Differences.** From RoboSumo:

- Wrestlers are discs with a force and a mass, in place of robots with legs in MuJoCo. In place of ant, bug and spider
  there are `force` and `mass`. So the rules need no physics engine, and all trajectories can be computed again.
- RoboSumo pays for moving to the middle and to the opponent too; here `push` is the only shaped reward.
- All forces, sizes and times are our own.

**Source.** Al-Shedivat, Bansal, Burda, Sutskever, Mordatch and Abbeel, "Continuous adaptation via meta-learning in
nonstationary and competitive environments", 2018 (RoboSumo).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.elementary import cos_turns, sin_turns
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import fixed, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit.plane import bounce, cap, distance
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Scene, footer
from envsuite.render.theme import agent_color, text_on

#: Meters: of the ring, of a wrestler, and of its start from the middle.
RING, RADIUS, START = 3.0, 0.5, 1.5

#: Seconds of a part of a step, the number of parts, the turns in a second, and the restitution of contacts.
H, PARTS, TURN, RESTITUTION = 0.02, 5, 0.5, 0.2

#: Faster than any wrestler gets, and further away from the middle.
FASTEST, REACH = 40.0, 5.0

#: The largest growth of a distance in a step, of both wrestlers together.
FURTHEST = 2 * REACH

WIN, PUSH = range(2)
FORCE, UNICYCLE = range(2)

#: Directions: "right", "up right" and so on against the clock.
_SLANT = 0.5**0.5
ACROSS = np.array([1.0, _SLANT, 0.0, -_SLANT, -1.0, -_SLANT, 0.0, _SLANT])
UP = np.array([0.0, _SLANT, 1.0, _SLANT, 0.0, -_SLANT, -1.0, -_SLANT])

NAMES = {
    "force": ("rest", "right", "up right", "up", "up left", "left", "down left", "down", "down right"),
    "unicycle": (
        "rest", "turn left", "turn right", "forward", "forward left", "forward right", "back", "back left",
        "back right",
    ),
}  # fmt: skip
CONTROLS = {"force": ("right", "up"), "unicycle": ("forward", "left")}

WEIGHT = 1_000_000

#: Picture: the middle of the ring and the units of a meter.
_MIDDLE, _METER = 7.0, 2.0


def fields() -> list[tuple]:
    """The record's own fields."""
    place, speed = within(np.float64, -REACH, REACH), within(np.float64, -FASTEST, FASTEST)
    return [
        ("position", place, (2, 2)),
        ("velocity", speed, (2, 2)),
        ("heading", within(np.float64, -1.001, 1.001), (2, 2)),  # a vector of length 1; 0 with drive="force"
        ("controls", within(np.float64, -1.0, 1.0), (2, 2)),  # of the last step
        ("started", place, (2, 2)),  # the positions at the start
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        turns = random.uniform(s)
        s.started[0, 0], s.started[0, 1] = START * cos_turns(turns), START * sin_turns(turns)
        s.started[1, 0], s.started[1, 1] = -s.started[0, 0], -s.started[0, 1]
    x, y = s.started[1, 0] - s.started[0, 0], s.started[1, 1] - s.started[0, 1]
    apart = distance(x, y) if s.params.drive == UNICYCLE else np.inf
    for a in range(2):
        s.heading[a, 0] = x / apart if a == 0 else -x / apart
        s.heading[a, 1] = y / apart if a == 0 else -y / apart
        for k in range(2):
            s.position[a, k] = s.started[a, k]
            s.velocity[a, k] = 0.0
            s.controls[a, k] = 0.0


@kernel
def step(s, actions, rewards):
    """A step by actions with names."""
    for a in range(2):
        action = actions[a]
        if s.params.drive == UNICYCLE:
            forward, left = action // 3, action % 3
            s.controls[a, 0] = 1.0 * (forward == 1) - 1.0 * (forward == 2)
            s.controls[a, 1] = 1.0 * (left == 1) - 1.0 * (left == 2)
        else:
            s.controls[a, 0] = ACROSS[action - 1] if action > 0 else 0.0
            s.controls[a, 1] = UP[action - 1] if action > 0 else 0.0
    advance(s)


@kernel
def steer(s, controls, rewards):
    """A step by numbers."""
    for a in range(2):
        x, y = np.float64(controls[a, 0]), np.float64(controls[a, 1])
        if s.params.drive == FORCE:
            length = distance(x, y)
            if length > 1.0:
                x, y = x / length, y / length
        s.controls[a, 0], s.controls[a, 1] = x, y
    advance(s)


@kernel
def advance(s):
    """The parts of a step up to the end, and the objectives."""
    before = to_middle(s, 1) - to_middle(s, 0)
    outside = 0
    for _ in range(PARTS):
        if outside == 0:
            for a in range(2):
                drive(s, a)
            bounce(s.position, s.velocity, 0, 1, s.params.mass[0], s.params.mass[1], 2.0 * RADIUS, RESTITUTION)
            for a in range(2):
                cap(s.velocity, a, FASTEST)
                outside += (to_middle(s, a) > RING) << a
    gained = to_middle(s, 1) - to_middle(s, 0) - before
    for a in range(2):
        sign = 1.0 - 2.0 * a
        s.objectives[a, PUSH] = sign * gained
        if outside == 1 or outside == 2:
            s.objectives[a, WIN] = sign if outside == 2 else -sign
        s.terminated[a] = outside != 0
        s.truncated[a] = outside == 0 and s.t >= s.params.horizon


@kernel
def drive(s, a):
    """A wrestler's turn, its push and its motion in one part of a step."""
    x, y = s.controls[a, 0], s.controls[a, 1]
    if s.params.drive == UNICYCLE:
        turns = H * TURN * y
        cosine, sine = cos_turns(turns), sin_turns(turns)
        across, up = s.heading[a, 0], s.heading[a, 1]
        across, up = cosine * across - sine * up, cosine * up + sine * across
        length = distance(across, up)
        s.heading[a, 0], s.heading[a, 1] = across / length, up / length
        x, y = x * s.heading[a, 0], x * s.heading[a, 1]
    strength = s.params.force[a] / s.params.mass[a]
    s.velocity[a, 0] += H * (strength * x - s.velocity[a, 0])
    s.velocity[a, 1] += H * (strength * y - s.velocity[a, 1])
    s.position[a, 0] += H * s.velocity[a, 0]
    s.position[a, 1] += H * s.velocity[a, 1]


@kernel
def to_middle(s, a):
    """The distance of a wrestler from the middle of the ring."""
    return distance(s.position[a, 0], s.position[a, 1])


@kernel
def observe(s, agent, out):
    other = 1 - agent
    for k in range(2):
        out.own[k], out.opponent[k] = s.position[agent, k], s.position[other, k]
        out.own[2 + k], out.opponent[2 + k] = s.velocity[agent, k], s.velocity[other, k]
        out.own[4 + k], out.opponent[4 + k] = s.heading[agent, k], s.heading[other, k]
    out.bodies[0], out.bodies[1] = s.params.force[agent], s.params.mass[agent]
    out.bodies[2], out.bodies[3] = s.params.force[other], s.params.mass[other]
    out.left[0] = max(s.params.horizon - s.t, 0)


PAGE = Page(
    role="You wrestle with {others}: you push each other out of a ring.",
    goal=(
        When("win", "Winning pays you {win:g}, losing {loss:g}, and a draw 0."),
        When(
            "push",
            "Each step pays you {push:g} for each meter by which the other's distance from the middle has grown, less "
            "{push:g} for each meter by which yours has.",
        ),
    ),
    rules=(
        (
            "Both are discs with a radius of {radius:g} m in a ring with a radius of {ring:g} m around (0, 0). You "
            "weigh {own_mass:g} kg and push yourself with a force of at most {own_force:g} N. The other weighs "
            "{mass:g} kg and pushes with at most {force:g} N. A step takes {time:g} s, and both act at once.",
            Case(
                "drive",
                {
                    "unicycle": "You push forward or backward, along the way you face, and turn by at most half a turn "
                    "in a second."
                },
                "You can push in any direction.",
            ),
            "Pushing speeds you up by force / mass m/s in a second, and friction takes away as many m/s in a second as "
            "your speed has.",
        ),
        "When the discs meet they exchange their momentum, and part with {bounce:g} times the speed at which they met. "
        "A wrestler whose center is outside the ring has lost; if both are outside at once, it is a draw. You start at "
        "rest, on opposite sides of the middle.",
    ),
    sees="You see where both are, how fast they move and in which direction{facing}.",
    acts={
        "rest": When("named", "do not push"),
        ("right", "up"): Case(
            "form",
            {
                "force": "push in this direction; x grows to the right and y grows up",
                "force numbers": "the part of your force with which you push to the right or up, from -1 to 1, where a "
                "negative number pushes to the left or down. A push longer than 1 is shortened to 1",
            },
        ),
        "left": Case(
            "form",
            {
                "force": "push to the left",
                "unicycle numbers": "how fast you turn to the left, from -1 to 1 times half a turn in a second, or to "
                "the right if it is negative",
            },
        ),
        "down": Case("form", {"force": "push down"}),
        ("up right", "up left", "down left", "down right"): Case("form", {"force": "push along a diagonal"}),
        ("turn left", "turn right"): Case("form", {"unicycle": "turn without a push"}),
        "forward": Case(
            "form",
            {
                "unicycle": "push forward",
                "unicycle numbers": "the part of your force with which you push forward, from -1 to 1, or backward if "
                "it is negative",
            },
        ),
        "back": Case("form", {"unicycle": "push backward"}),
        ("forward left", "forward right", "back left", "back right"): Case("form", {"unicycle": "push and turn"}),
    },
    ends="It is over when a wrestler is outside the ring, or in a draw after {horizon:step}.",
    unsaid={"controls": "told by the actions"},
    constants={
        "0": "a draw, and the middle",
        "1": "all of the force or turn",
        "half": "of a turn",
    },
)


class Sumo(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    steer = steer
    utility = "zero-sum"
    masked = False
    kind = ("teams", "control")
    verified = "closed trajectories, conservation of momentum, symmetry bit for bit"
    variants = (
        dict(drive="unicycle", force=(2.0, 3.0), mass=(0.5, 4.0), horizon=30, weights=(1.0, 0.5)),
        dict(controls="continuous", force=(4.0, 2.5), mass=(2.0, 1.0)),
        dict(drive="unicycle", controls="continuous"),
    )
    shown = "circle"
    player_page = PAGE
    level_fields = {"places": "started"}

    def __init__(
        self,
        drive: Literal["force", "unicycle"] = "force",
        controls: Literal["discrete", "continuous"] = "discrete",
        force: tuple[Annotated[float, Between(0.5, 4)], Annotated[float, Between(0.5, 4)]] = (3.0, 3.0),
        mass: tuple[Annotated[float, Between(0.5, 4)], Annotated[float, Between(0.5, 4)]] = (1.0, 1.0),
        horizon: Annotated[int, Between(1, 10_000)] = 500,
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (1.0, 0.0),
    ):
        self.drive = drive
        keys = {"up": "up", "down": "down", "left": "left", "right": "right"}
        if drive == "unicycle":
            keys = {"up": "forward", "down": "back", "left": "turn left", "right": "turn right"}
        self.keys = {**keys, "space": "rest"}
        body = np.array([REACH] * 2 + [FASTEST] * 2 + [1.001] * 2, np.float32)
        self.define(
            agents=["wrestler_0", "wrestler_1"],
            actions=list(NAMES[drive] if controls == "discrete" else CONTROLS[drive]),
            observation=Dict(
                own=Box(-body, body, (6,), np.float32),
                opponent=Box(-body, body, (6,), np.float32),
                bodies=Box(0.5, 4.0, (4,), np.float32),
                left=Box(0, 10_000, (1,), np.int32),
            ),
            fields=fields(),
            params={
                "drive": fixed(UNICYCLE if drive == "unicycle" else FORCE),
                "force": limited(force, 0.5, 4.0),
                "mass": limited(mass, 0.5, 4.0),
                "horizon": horizon,
                "weights": weights,
            },
            objectives={"win": (-1.0, 1.0), "push": (-FURTHEST, FURTHEST)},
            controls=Box(-1, 1, (2,), np.float32) if controls == "continuous" else None,
        )

    def contradiction(self, s: Any) -> str | None:
        if (s.terminated | s.truncated).any():
            return None
        if any(_length(place) > RING + 1e-9 for place in s.position):
            return "a wrestler is outside the ring"
        length = 1.0 if self.drive == "unicycle" else 0.0
        if any(abs(_length(heading) - length) > 1e-9 for heading in s.heading):
            return f"the heading of a wrestler does not have the length {length:g}"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        if max(map(_length, s.started)) > RING or _length(s.started[1] - s.started[0]) < 2 * RADIUS:
            raise LevelError(
                f"{self.id}: the level's places must be at most {RING:g} from (0, 0) and at least {2 * RADIUS:g} apart"
            )

    # Text and picture: both wrestlers see the whole ring.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        (force, mass), (win, push) = (s.params[part].tolist() for part in ("force", "mass")), s.params.weights.tolist()
        named = not self.control_spaces
        return {
            "win": win,
            "loss": -win,
            "push": push,
            "radius": RADIUS,
            "ring": RING,
            "own_force": force[agent],
            "own_mass": mass[agent],
            "force": force[1 - agent],
            "mass": mass[1 - agent],
            "time": H * PARTS,
            "bounce": RESTITUTION,
            "facing": ", and where each faces" if self.drive == "unicycle" else "",
            "named": named,
            "form": self.drive if named else f"{self.drive} numbers",
        }

    def text(self, s: Any, agent: int) -> str:
        seen, lines = self.observation(s, agent), []
        for name, body, (force, mass) in (
            ("You are", seen.own, seen.bodies[:2]),
            (f"{self.agents[1 - agent]} is", seen.opponent, seen.bodies[2:]),
        ):
            edge = RING - _length(body)
            where = f"{edge:.2f} m from the edge" if edge >= 0 else "outside the ring"
            facing = f", facing {_pair(body[4:])}" if self.drive == "unicycle" else ""
            lines.append(
                f"{name} at {_pair(body[:2])}, {where}, with velocity {_pair(body[2:4])}{facing}, "
                f"force {force:g} N and mass {mass:g} kg."
            )
        outside = [_length(body) > RING for body in (seen.own, seen.opponent)]
        if any(outside):
            lines.append("It is a draw." if all(outside) else "You have lost." if outside[0] else "You have won.")
        elif seen.left[0] == 0:
            lines.append("The time is over: a draw.")
        else:
            lines.append(f"Steps left: {seen.left[0]}.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        seen = self.observation(s, agent or 0)
        bodies = [(seen.own, seen.bodies[:2]), (seen.opponent, seen.bodies[2:])]
        if agent:
            bodies.reverse()
        scene = Scene(2 * _MIDDLE + 5.5, 2 * _MIDDLE)
        scene.add(Circle(_MIDDLE, _MIDDLE, RING * _METER, "floor", "ink", 0.12, ""))
        for x in (-0.5, 0.5):
            ends = [(_MIDDLE + x * _METER, _MIDDLE + y * _METER) for y in (-0.3, 0.3)]
            scene.add(Line(ends, "muted", 0.1))
        for k, (body, _) in enumerate(bodies):
            self._draw(scene, k, body)
        for k, (body, (force, mass)) in enumerate(bodies):
            left, top = 2 * _MIDDLE, 2.0 + 4.6 * k
            edge = RING - _length(body)
            scene.add(
                Circle(left + 0.3, top, 0.3, agent_color(k), glyph=f"{k}●"),
                Label(left + 0.9, top, self.agents[k], 0.6, align="left", bold=True),
            )
            lines = [
                f"{edge:.2f} m to the edge" if edge >= 0 else "outside",
                f"{_length(body[2:]):.2f} m/s",
                f"{force:g} N, {mass:g} kg",
            ]
            for row, line in enumerate(lines):
                scene.add(Label(left + 0.9, top + 0.9 * (row + 1), line, 0.5, "muted", "left"))
        done = int(s.params.horizon) - int(seen.left[0])
        footer(scene, f"step {done} of {int(s.params.horizon)}", margin=0.6)
        return scene

    def _draw(self, scene: Scene, k: int, body: Any) -> None:
        """A wrestler with its number, its velocity as a line, and its front."""
        x, y = _MIDDLE + float(body[0]) * _METER, _MIDDLE - float(body[1]) * _METER
        x, y = (min(max(value, 0.6), 2 * _MIDDLE - 0.6) for value in (x, y))
        hue, reach = agent_color(k), RADIUS * _METER
        tip = (x + 0.8 * float(body[2]) * _METER, y - 0.8 * float(body[3]) * _METER)
        scene.add(Line([(x, y), tip], hue, 0.14), Circle(x, y, reach, hue, "ink", 0.06, f"{k}●"))
        if body[4] or body[5]:
            front = (x + 0.75 * reach * float(body[4]), y - 0.75 * reach * float(body[5]))
            scene.add(Circle(*front, 0.2 * reach, text_on(hue), glyph=""))
        scene.add(Label(x, y, str(k), 0.8, text_on(hue), bold=True, terminal=False))


def _length(vector: Any) -> float:
    return distance(float(vector[0]), float(vector[1]))


def _pair(values: Any) -> str:
    return f"({float(values[0]):.2f}, {float(values[1]):.2f})"


env, raw_env, parallel_env = pettingzoo_forms(Sumo)
