"""Pendulum: swing a pendulum up and hold it there, with a motor that is too weak to lift it at once.

**Rules.** A rod of 1 kg and 1 m is hinged at one end. Its angle is 0 upright, positive to the left. In each step of
0.05 s the agent applies a torque u of -2 to 2 N m. The velocity changes by 0.05 (3/2 `g` sin(angle) + 3 u) and is
limited to 8 radians/s; then the angle changes by 0.05 times the velocity.

**Agents.** One, `agent`.

**Observation.** Box (3,) float32.

| part | content |
|---|---|
| 0, 1 | cosine and sine of the angle |
| 2 | velocity in radians/s |

**Actions.** Discrete (5), all of them always legal.

| action | name |
|---|---|
| 0 ... 4 | `torque -2`, `torque -1`, `torque 0`, `torque +1`, `torque +2` |

With `controls` "continuous": Box (1,) float32 from -2 to 2, `torque`.

**Window.** The arrow keys left and right are torques of +2 and -2, up and down of +1 and -1; space is none.

**Rewards.** In each step, minus the sum of the angle's square (from -pi to pi), 0.1 times the square of the velocity
and 0.001 times that of the torque, with angle and velocity before the step.

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `controls` | "discrete" | "discrete" or "continuous", see above |
| `g` | 10.0 | gravity in m/s^2, from 0 to 100 |
| `horizon` | 200 | steps until truncation, from 1 to 1,000,000 |

**Level.** ``{"state": [3.0, 0.0]}``: angle and velocity at the start. By default the angle is uniform between -pi and
pi, and the velocity between -1 and 1.

**Known values.** In Gymnasium, random play earns -1238 +- 44, and a swing by energy with a controller at the top
-144 +- 12.

**Differences.** From Gymnasium's `Pendulum-v1`:

- It has no actions with names. Here they are the default, so that search and data sets can use them.
- Sine and cosine have the same bits on all machines, and the angle is wrapped in each step. A step from the same state
  is equal to 1e-12, if three times the torque is a number of 32 bits: there, this product is rounded to them.

**Source.** Gymnasium 1.4, `PendulumEnv`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import pi
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels
from envsuite.kit.control import Control, begin, cosine, limited, sine, torque, wrapped
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Scene

FASTEST, STRONGEST, TAU = 8.0, 2.0, 0.05

#: Bounds of the numbers at the start by default.
LOW, HIGH = np.array([-pi, -1.0]), np.array([pi, 1.0])


@kernel
def reset(s):
    begin(s, LOW, HIGH)
    s.torque = 0.0


@kernel
def step(s, actions, rewards):
    s.torque = actions[0] - STRONGEST
    swing(s, rewards)


@kernel
def steer(s, controls, rewards):
    s.torque = np.float64(controls[0, 0])
    swing(s, rewards)


@kernel
def swing(s, rewards):
    """A step with a torque."""
    angle, speed = s.state[0], s.state[1]
    rewards[0] = -(angle * angle + 0.1 * (speed * speed) + 0.001 * (s.torque * s.torque))
    speed = speed + (1.5 * s.params.g * sine(angle) + 3.0 * s.torque) * TAU
    speed = limited(speed, -FASTEST, FASTEST)
    s.state[0] = wrapped(angle + speed * TAU)
    s.state[1] = speed
    s.truncated[0] = s.t >= s.params.horizon


@kernel
def observe(s, agent, out):
    out[0] = cosine(s.state[0])
    out[1] = sine(s.state[0])
    out[2] = s.state[1]


PAGE = Page(
    role="You turn a pendulum by the motor in its hinge.",
    goal=(
        "In each step you lose the square of its angle from upright, plus 0.1 times the square of the velocity with "
        "which it turns, plus 0.001 times the square of your torque. Angles count in radians, from -π to π, and "
        "velocities in radians a second; both are those before the step."
    ),
    rules=(
        "The pendulum is a rod of 1 kg and 1 m that is hinged at one end and can turn all the way around, without "
        "friction. In each step, which lasts {tau} seconds, you choose a torque u in N m. The velocity first changes "
        "by {tau} · (1.5 · {g} · sin(angle) + 3 · u); the angle is 0 upright and grows to the left. The velocity is "
        "never more than {fastest} radians a second either way. Then the angle changes by {tau} times the velocity.",
    ),
    sees="You see the angle and how fast it changes, in degrees; + is to the left.",
    acts={
        "torque {N}": Case("controls", {"discrete": "a torque of that many N m, from -2 to +2; + turns to the left"}),
        "torque": Case("controls", {"continuous": "a torque from -2 to 2 N m; + turns to the left"}),
    },
    ends="It is over after {horizon:step}.",
    constants={
        "0.1": "the weight of the velocity",
        "0.001": "of the torque",
        "1": "mass and length",
        "1.5": "of the equation of motion",
        "3": "of the equation of motion",
        "0": "the angle upright",
        "2": "the largest torque",
    },
)


class Pendulum(Control):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    steer = steer
    kind = ("control",)
    verified = "Gymnasium's Pendulum-v1, step by step to 1e-12"
    variants = (dict(controls="continuous"), dict(g=3.0, horizon=25))
    parts = (("angle", -pi, pi), ("velocity", -FASTEST, FASTEST))
    keys = {"left": "torque +2", "right": "torque -2", "up": "torque +1", "down": "torque -1", "space": "torque 0"}
    player_page = PAGE

    def __init__(
        self,
        controls: Literal["discrete", "continuous"] = "discrete",
        g: Annotated[float, Between(0, 100)] = 10.0,
        horizon: Annotated[int, Between(1, 1_000_000)] = 200,
    ):
        numbers = controls == "continuous"
        most, high = np.array([pi, FASTEST]), np.array([1.0, 1.0, FASTEST], np.float32)
        self.define(
            agents=["agent"],
            actions=["torque"] if numbers else [f"torque {u:+d}" if u else "torque 0" for u in range(-2, 3)],
            observation=Box(-high, high, (3,), np.float32),
            fields=[
                *self.fields(-most, most),
                ("torque", within(np.float64, -STRONGEST, STRONGEST)),
            ],  # of the last step
            params={"g": float(g), "horizon": horizon},
            reward_range=(-(pi**2) - 0.1 * FASTEST**2 - 0.001 * STRONGEST**2, 0.0),
            controls=Box(-STRONGEST, STRONGEST, (1,), np.float32) if numbers else None,
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"tau": TAU, "fastest": FASTEST}

    def text(self, s: Any, agent: int) -> str:
        angle, speed = s.state.tolist()
        over = " It is over." if s.truncated[0] else ""
        return "\n".join(
            [
                f"The pendulum is {np.degrees(angle):+.1f} degrees from upright, + to the left, and turns at "
                f"{np.degrees(speed):+.0f} a second.",
                f"Steps so far: {s.t} of {s.params.horizon}.{over}",
            ]
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(14, 14)
        angle, x, y, unit = float(s.state[0]), 7.0, 7.4, 4.6
        end = (x - unit * sine(angle), y - unit * cosine(angle))
        scene.add(Circle(x, y, unit, None, "line", 0.05))
        scene.add(Line([(x, y), end], "blue", 0.8), Circle(x, y, 0.32, "ink"))
        scene.add(*torque(x, y, 1.4, float(s.torque) / STRONGEST))
        scene.add(Label(0.5, 0.8, "Pendulum", 0.65, align="left", bold=True))
        scene.add(Label(13.5, 0.8, f"{s.t} / {s.params.horizon}", 0.5, "muted", "right"))
        scene.add(Label(0.5, 13.3, f"{np.degrees(angle):+.1f}°", 0.45, "muted", "left"))
        scene.add(Label(13.5, 13.3, f"torque {float(s.torque):+.2f}", 0.45, "muted", "right"))
        return scene


env, raw_env, parallel_env = pettingzoo_forms(Pendulum)
