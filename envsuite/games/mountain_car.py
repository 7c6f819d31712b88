"""MountainCar: a car in a valley is too weak to drive up the hill, and has to gain speed by driving to and fro.

**Rules.** The height of the valley at the position x is sin(3 x); positions are from -1.2 to 0.6. In each step the
velocity changes by the engine's push and by -0.0025 cos(3 x), and is then limited to 0.07 either way. Then the position
changes by the velocity. At -1.2 the car stops. The flag stands at 0.5; the car must reach it with `goal_velocity` or
more.

With `controls` "continuous" the rules are those of Gymnasium's continuous version: the agent chooses its push, and the
flag stands at 0.45.

**Agents.** One, `agent`.

**Observation.** Box (2,) float32.

| part | content |
|---|---|
| 0 | position |
| 1 | velocity |

**Actions.** Discrete (3), all of them always legal.

| action | name |
|---|---|
| 0, 1, 2 | `back`, `coast`, `forward`: a push of -0.001, 0, 0.001 |

With `controls` "continuous": Box (1,) float32 from -1 to 1, `push`, in units of 0.0015.

**Window.** The arrow keys left and right drive back and forward; space coasts.

**Rewards.** -1 for each step. With "continuous", -0.1 times the square of the push, and 100 for the flag.

**Ends.** Terminates at the flag. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `controls` | "discrete" | "discrete" or "continuous", see above |
| `goal_velocity` | 0.0 | the least velocity at the flag, from -0.07 to 0.07 |
| `horizon` | None | steps until truncation, from 1 to 1,000,000; None: 200, with "continuous" 999 |

**Level.** ``{"state": [-0.5, 0.0]}``: position and velocity at the start. By default, the position is uniform between
-0.6 and -0.4, and the car stands.

**Known values.** In Gymnasium, a car that always pushes in the direction in which it moves earns -125.9 +- 3.3; random
play earns -200. With "continuous", these are 92.0 and -33.1; here, the latter is
-33.33 +- 0.04 (512 episodes).

**Differences.** From Gymnasium's `MountainCar-v0` and `MountainCarContinuous-v0`:

- Sine and cosine have the same bits on all machines. A step from the same state is equal to 1e-12.
- Its continuous version rounds the state to 32 bits in each step. Here it has 64, and a step is equal to 1e-7.
- An episode that ends at the flag in the step number `horizon` is terminated, not also truncated.

**Source.** Moore, "Efficient memory-based learning for robot control", 1990; Gymnasium 1.4, `MountainCarEnv` and
`Continuous_MountainCarEnv`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page
from envsuite.core.ranges import fixed, within
from envsuite.core.world import Between, Kernels
from envsuite.kit.control import Control, begin, cosine, limited, sine
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Scene

LOW, HIGH, FASTEST = -1.2, 0.6, 0.07
GRAVITY = 0.0025

#: By form, discrete and continuous: a full push, and the place of the flag.
PUSH, FLAG = (0.001, 0.0015), (0.5, 0.45)

_FIRST_LOW, _FIRST_HIGH = np.array([-0.6, 0.0]), np.array([-0.4, 0.0])


@kernel
def reset(s):
    begin(s, _FIRST_LOW, _FIRST_HIGH)
    s.push = 0.0


@kernel
def step(s, actions, rewards):
    s.push = actions[0] - 1.0
    drive(s, rewards)


@kernel
def steer(s, controls, rewards):
    s.push = np.float64(controls[0, 0])
    drive(s, rewards)


@kernel
def drive(s, rewards):
    """A step with a push from -1 to 1."""
    numbers = s.params.numbers
    speed = s.state[1] + s.push * PUSH[numbers] - GRAVITY * cosine(3.0 * s.state[0])
    speed = limited(speed, -FASTEST, FASTEST)
    x = limited(s.state[0] + speed, LOW, HIGH)
    if x == LOW and speed < 0.0:
        speed = 0.0
    s.state[0] = x
    s.state[1] = speed
    there = x >= FLAG[numbers] and speed >= s.params.goal_velocity
    rewards[0] = -1.0
    if numbers != 0:
        rewards[0] = (100.0 if there else 0.0) - s.push * s.push * 0.1
    s.terminated[0] = there
    s.truncated[0] = not there and s.t >= s.params.horizon


@kernel
def observe(s, agent, out):
    out[0] = s.state[0]
    out[1] = s.state[1]


PAGE = Page(
    role="You drive a car in a valley. Its engine is too weak to drive straight up the hill.",
    goal=Case(
        "controls",
        {
            "continuous": (
                "You are paid 100 points when you reach the flag. Each step costs 0.1 points times the square of your "
                "push."
            )
        },
        "Each step costs you 1 point, also the one that reaches the flag.",
    ),
    rules=(
        (
            "Places are numbers from {low} at the left to {high} at the right. The height of the valley at the place "
            "x is sin(3 x), with the angle in radians, and its lowest point is at -0.5236. The flag stands at {flag}. "
            "You reach it when you are there or farther right at the end of a step",
            Case(
                "fast",
                {
                    1: "with a velocity of {goal_velocity} or more to the right.",
                    -1: "and do not roll back faster than with a velocity of {backward}.",
                },
                "and do not roll back.",
            ),
        ),
        "In each step your engine adds {push} times your push to the velocity, and the slope adds -0.0025 cos(3 x). "
        "The velocity is never more than {fastest}, either way. Then the car moves by its velocity. It cannot leave "
        "the valley, and at the left end it comes to a stop.",
    ),
    sees="You see the place and the velocity of the car; + is to the right.",
    acts={
        ("back", "coast", "forward"): Case("controls", {"discrete": "a push of -1, 0 or 1; forward is to the right"}),
        "push": Case("controls", {"continuous": "a push from -1 to 1; 1 is to the right with full force"}),
    },
    ends="It is over when you reach the flag, or after {steps:step}.",
    unsaid={"horizon": "told as the number of steps"},
    constants={
        "100": "the reward at the flag",
        "0.1": "the cost of a full push",
        "1": "the cost of a step, and a full push",
        "0": "no push",
        "3": "of the shape of the valley",
        "0.0025": "the pull of the slope",
        "0.5236": "the lowest point of the valley",
    },
)


class MountainCar(Control):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    steer = steer
    kind = ("control",)
    verified = "Gymnasium's MountainCar-v0, step by step to 1e-12; MountainCarContinuous-v0 to 1e-7"
    variants = (dict(controls="continuous"), dict(goal_velocity=0.02, horizon=90))
    parts = (("position", LOW, HIGH), ("velocity", -FASTEST, FASTEST))
    keys = {"left": "back", "space": "coast", "right": "forward"}
    player_page = PAGE

    def __init__(
        self,
        controls: Literal["discrete", "continuous"] = "discrete",
        goal_velocity: Annotated[float, Between(-FASTEST, FASTEST)] = 0.0,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        numbers = controls == "continuous"
        low, high = np.array([LOW, -FASTEST]), np.array([HIGH, FASTEST])
        self.define(
            agents=["agent"],
            actions=["push"] if numbers else ["back", "coast", "forward"],
            observation=Box(low.astype(np.float32), high.astype(np.float32), (2,), np.float32),
            fields=[*self.fields(low, high), ("push", within(np.float64, -1, 1))],  # of the last step
            params={
                "numbers": fixed(int(numbers)),
                "goal_velocity": float(goal_velocity),
                "horizon": horizon or (999 if numbers else 200),
            },
            reward_range=(-0.1, 100.0) if numbers else (-1.0, 0.0),
            controls=Box(-1, 1, (1,), np.float32) if numbers else None,
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        numbers, least = int(s.params.numbers), float(s.params.goal_velocity)
        car = {
            "push": PUSH[numbers],
            "flag": FLAG[numbers],
            "fast": np.sign(least),
            "backward": -least,
            "fastest": FASTEST,
        }
        return {**car, "low": LOW, "high": HIGH, "steps": int(s.params.horizon)}

    def text(self, s: Any, agent: int) -> str:
        x, speed = s.state.tolist()
        numbers = int(s.params.numbers)
        if s.terminated[0]:
            over = " The car has reached the flag."
        else:
            over = " It is over." if s.truncated[0] else ""
        return "\n".join(
            [
                f"The car is at {x:+.4f} (the flag: {FLAG[numbers]:g}; the lowest point: -0.5236) and moves by "
                f"{speed:+.4f} a step.",
                f"Steps so far: {s.t} of {s.params.horizon}.{over}",
            ]
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(20, 12)

        def place(x: float) -> tuple[float, float]:
            return 0.5 + 19 * (x - LOW) / (HIGH - LOW), 8.2 - 2.9 * sine(3 * x)

        hill = [place(x) for x in np.linspace(LOW, HIGH, 73)]
        scene.add(Polygon([*hill, (19.5, 11.7), (0.5, 11.7)], "leaf"), Line(hill, "soil", 0.16))
        flag = place(FLAG[int(s.params.numbers)])
        scene.add(Line([flag, (flag[0], flag[1] - 1.7)], "ink", 0.08))
        tips = [(0.0, -1.7), (-0.9, -1.4), (0.0, -1.1)]
        scene.add(Polygon([(flag[0] + x, flag[1] + y) for x, y in tips], "gold"))
        x, speed = s.state.tolist()
        at, across, down = place(x), 19 / (HIGH - LOW), -2.9 * 3 * cosine(3 * x)
        length = float(np.sqrt(across * across + down * down))
        ahead, up = (across / length, down / length), (down / length, -across / length)

        def on(forward: float, above: float) -> tuple[float, float]:
            return at[0] + forward * ahead[0] + above * up[0], at[1] + forward * ahead[1] + above * up[1]

        scene.add(
            Polygon([on(-0.8, 0.3), on(-0.8, 0.75), on(-0.4, 1.1), on(0.35, 1.1), on(0.8, 0.75), on(0.8, 0.3)], "blue")
        )
        for wheel in (-0.45, 0.45):
            scene.add(Circle(*on(wheel, 0.28), 0.25, "ink"))
        if s.push:
            start, end = on(0.0, 1.5), on(1.6 * float(s.push), 1.5)
            side = 0.25 if s.push > 0 else -0.25
            scene.add(Line([start, end], "red", 0.12))
            tip = 1.6 * float(s.push)
            scene.add(Polygon([on(tip + side, 1.5), on(tip, 1.68), on(tip, 1.32)], "red"))
        scene.add(Label(0.6, 0.8, "MountainCar", 0.65, align="left", bold=True))
        there = " · at the flag" if s.terminated[0] else ""
        scene.add(Label(19.4, 0.8, f"{s.t} / {s.params.horizon}{there}", 0.5, "muted", "right"))
        scene.add(Label(0.6, 1.7, f"at {x:+.3f}, {speed:+.4f} a step", 0.45, "muted", "left"))
        return scene


env, raw_env, parallel_env = pettingzoo_forms(MountainCar)
