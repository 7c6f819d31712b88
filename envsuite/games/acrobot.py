"""Acrobot: swing two links up by the joint between them.

**Rules.** Two links hang from a fixed joint. Each is 1 m long, weighs 1 kg with its center in its middle, and has a
moment of inertia of 1 kg m^2. The agent applies a torque of -1, 0 or 1 N m to the joint between them. The equations of
motion are those of Sutton and Barto's book, with gravity of 9.8 m/s^2. A step is 0.2 s, by one step of the Runge-Kutta
method of fourth order; angles are then wrapped to -pi ... pi, and velocities limited to 4 pi and 9 pi. The goal is to
swing the free end more than 1 m above the fixed joint.

**Agents.** One, `agent`.

**Observation.** Box (6,) float32.

| part | content |
|---|---|
| 0, 1 | cosine and sine of the first link's angle; 0 is down, positive is to the right |
| 2, 3 | cosine and sine of the second link's angle, relative to the first |
| 4, 5 | velocities of the two angles in radians/s |

**Actions.** Discrete (3), all of them always legal.

| action | name |
|---|---|
| 0, 1, 2 | `torque -1`, `torque 0`, `torque +1` |

**Window.** The arrow keys left and right are torques of -1 and +1; space is none.

**Rewards.** -1 for each step, 0 for the one that reaches the goal.

**Ends.** Terminates at the goal. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `horizon` | 500 | steps until truncation, from 1 to 1,000,000 |

**Level.** ``{"state": [0.05, -0.02, 0.0, 0.1]}``: both angles and both velocities at the start. By default each is
uniform between -0.1 and 0.1.

**Known values.** In Gymnasium, a torque in the direction in which the second link turns earns -85.1 +- 4.3, and random
play -492.7; here -497.7 +- 0.8 (512 episodes).

**Differences.** From Gymnasium's `Acrobot-v1`:

- Sine and cosine have the same bits on all machines. A step from the same state is equal to 1e-12.
- Its random start is rounded to 32 bits.
- Its switches for noise of the torque and for the equations of an older paper are left out; by default they are off.
- An episode that ends at the goal in the step number `horizon` is terminated, not also truncated.

**Source.** Sutton, "Generalization in Reinforcement Learning: Successful Examples Using Sparse Coarse Coding", 1996;
Sutton and Barto, "Reinforcement Learning: An Introduction", 2018; Gymnasium 1.4, `AcrobotEnv`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import pi
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.ranges import free, within
from envsuite.core.world import Between, Kernels
from envsuite.kit.control import Control, begin, cosine, limited, sine, torque
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Scene

GRAVITY, TAU = 9.8, 0.2

#: The largest angles and velocities.
MOST = np.array([pi, pi, 4 * pi, 9 * pi])

#: Bounds of the numbers at the start by default.
LOW, HIGH = np.full(4, -0.1), np.full(4, 0.1)


@kernel
def reset(s):
    begin(s, LOW, HIGH)
    s.torque = 0.0


@kernel
def slope(y, torque, out):
    """The changes a second of two angles and their velocities. All masses and lengths are 1, and all centers at 1/2."""
    one, two, turn_one, turn_two = y[0], y[1], y[2], y[3]
    bend, side = cosine(two), sine(two)
    inertia = 0.25 + (1.0 + 0.25 + bend) + 1.0 + 1.0
    joint = 0.25 + 0.5 * bend + 1.0
    weight_two = 0.5 * GRAVITY * cosine(one + two - pi / 2.0)
    weight_one = (
        -0.5 * (turn_two * turn_two) * side
        - turn_two * turn_one * side
        + 1.5 * GRAVITY * cosine(one - pi / 2.0)
        + weight_two
    )
    turned = (torque + joint / inertia * weight_one - 0.5 * (turn_one * turn_one) * side - weight_two) / (
        0.25 + 1.0 - joint * joint / inertia
    )
    out[0] = turn_one
    out[1] = turn_two
    out[2] = -(joint * turned + weight_one) / inertia
    out[3] = turned


@kernel
def advance(s):
    """A step of the Runge-Kutta method."""
    for k in range(4):
        s.slopes[4, k] = s.state[k]
    for part in range(4):
        slope(s.slopes[4], s.torque, s.slopes[part])
        share = 0.5 * TAU if part < 2 else TAU
        for k in range(4):
            s.slopes[4, k] = s.state[k] + share * s.slopes[part, k]
    for k in range(4):
        total = s.slopes[0, k] + 2.0 * s.slopes[1, k] + 2.0 * s.slopes[2, k] + s.slopes[3, k]
        s.state[k] = s.state[k] + TAU / 6.0 * total
    for k in range(2):
        while s.state[k] > pi:
            s.state[k] -= 2.0 * pi
        while s.state[k] < -pi:
            s.state[k] += 2.0 * pi
        s.state[2 + k] = limited(s.state[2 + k], -MOST[2 + k], MOST[2 + k])


@kernel
def step(s, actions, rewards):
    s.torque = actions[0] - 1.0
    advance(s)
    there = -cosine(s.state[0]) - cosine(s.state[1] + s.state[0]) > 1.0
    rewards[0] = 0.0 if there else -1.0
    s.terminated[0] = there
    s.truncated[0] = not there and s.t >= s.params.horizon


@kernel
def observe(s, agent, out):
    for k in range(2):
        out[2 * k] = cosine(s.state[k])
        out[2 * k + 1] = sine(s.state[k])
        out[4 + k] = s.state[2 + k]


PAGE = Page(
    role="You swing up two links by the motor in the joint between them.",
    goal="Each step costs you 1 point, except the one that reaches the goal, which costs nothing.",
    rules=(
        "The first link hangs from a fixed joint, and the second one hangs from the end of the first. Each is 1 m "
        "long and weighs 1 kg, with its center of mass in its middle and a moment of inertia of 1 kg m². Gravity is "
        "9.8 m/s², and there is no friction. In each step, which lasts 0.2 seconds, you choose the torque of the "
        "motor. The goal is to have the free end of the second link more than 1 m above the fixed joint at the end of "
        "a step.",
        "The first link turns by at most {turn:.0f} degrees a second, and the second one, measured against the first, "
        "by at most {bend:.0f} degrees a second.",
    ),
    sees="You see the angles of both links, how fast they turn, and the height of the free end.",
    acts={
        "torque -1": "a torque of 1 N m that turns the second link clockwise, to its - side",
        "torque 0": "no torque",
        "torque +1": "a torque of 1 N m that turns the second link counterclockwise, to its + side",
    },
    ends="It is over when the goal is reached, or after {horizon:step}.",
    constants={
        "1": "the cost of a step; lengths, masses, torques and the goal's height",
        "9.8": "gravity",
        "0.2": "the length of a step in seconds",
        "two": "links",
    },
)


class Acrobot(Control):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("control",)
    verified = "Gymnasium's Acrobot-v1, step by step to 1e-12"
    variants = (dict(horizon=30),)
    parts = tuple((name, -float(most), float(most)) for name, most in zip(("first", "second", "turn", "bend"), MOST))
    keys = {"left": "torque -1", "space": "torque 0", "right": "torque +1"}
    player_page = PAGE

    def __init__(self, horizon: Annotated[int, Between(1, 1_000_000)] = 500):
        high = np.array([1.0, 1.0, 1.0, 1.0, 4 * pi, 9 * pi], np.float32)
        self.define(
            agents=["agent"],
            actions=["torque -1", "torque 0", "torque +1"],
            observation=Box(-high, high, (6,), np.float32),
            fields=[
                *self.fields(-MOST, MOST),
                ("torque", within(np.float64, -1, 1)),  # of the last step
                ("slopes", free(np.float64), (5, 4)),  # room for the Runge-Kutta method: four slopes, and a state
            ],
            params={"horizon": horizon},
            reward_range=(-1.0, 0.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"turn": np.degrees(MOST[2]), "bend": np.degrees(MOST[3])}

    def text(self, s: Any, agent: int) -> str:
        one, two, turn, bend = s.state.tolist()
        height = -cosine(one) - cosine(one + two)
        if s.terminated[0]:
            over = " The goal is reached."
        else:
            over = " It is over." if s.truncated[0] else ""
        return "\n".join(
            [
                f"The first link is {np.degrees(one):+.1f} degrees from down, + to the right, and turns at "
                f"{np.degrees(turn):+.0f} a second.",
                f"The second is {np.degrees(two):+.1f} degrees from the line of the first and turns at "
                f"{np.degrees(bend):+.0f} a second.",
                f"The free end is {height:+.2f} m above the joint; the goal is above +1.",
                f"Steps so far: {s.t} of {s.params.horizon}.{over}",
            ]
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(14, 14)
        one, two = s.state[:2].tolist()
        x, y, unit = 7.0, 7.2, 2.8
        elbow = (x + unit * sine(one), y + unit * cosine(one))
        end = (elbow[0] + unit * sine(one + two), elbow[1] + unit * cosine(one + two))
        scene.add(
            Line([(0.6, y - unit), (13.4, y - unit)], "good", 0.06),
            Label(13.3, y - unit - 0.4, "goal", 0.45, "muted", "right"),
        )
        scene.add(Line([(x, y), elbow], "blue", 0.5), Line([elbow, end], "orange", 0.5))
        scene.add(
            Circle(x, y, 0.3, "ink"),
            Circle(*elbow, 0.26, "gold"),
            Circle(*end, 0.26, "good" if s.terminated[0] else "ink"),
        )
        scene.add(*torque(*elbow, 0.8, float(s.torque)))
        scene.add(Label(0.5, 0.8, "Acrobot", 0.65, align="left", bold=True))
        there = " · at the goal" if s.terminated[0] else ""
        scene.add(Label(13.5, 0.8, f"{s.t} / {s.params.horizon}{there}", 0.5, "muted", "right"))
        return scene


env, raw_env, parallel_env = pettingzoo_forms(Acrobot)
