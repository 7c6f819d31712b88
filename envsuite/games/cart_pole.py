"""CartPole: push a cart left and right so that the pole on it does not fall.

**Rules.** A cart of 1 kg runs on a track without friction. A pole of 0.1 kg and 1 m is hinged on it. In each step of
0.02 s, the agent pushes the cart with 10 N to the left or to the right. Positions and velocities change by the old
velocities and accelerations (Euler's method); gravity is 9.8 m/s^2. The pole is lost at more than 12 degrees from
upright, and the cart at more than 2.4 m from the middle.

**Agents.** One, `agent`.

**Observation.** Box (4,) float32.

| part | content |
|---|---|
| 0 | position of the cart in m, to the right |
| 1 | its velocity in m/s |
| 2 | angle of the pole from upright in radians, to the right |
| 3 | its velocity in radians/s |

**Actions.** Discrete (2), both always legal.

| action | name |
|---|---|
| 0, 1 | `push left`, `push right` |

**Window.** The arrow keys left and right push.

**Rewards.** 1 for each step, the last one included. With `sutton_barto_reward`, 0 for each step and -1 for the loss.

**Ends.** Terminates when pole or cart is lost. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `sutton_barto_reward` | False | whether the loss costs 1, instead of a reward for each step |
| `horizon` | 500 | steps until truncation, from 1 to 1,000,000 |

**Level.** ``{"state": [0.01, -0.02, 0.03, 0.0]}``: the numbers of the observation at the start. By default each is
uniform between -0.05 and 0.05.

**Known values.** Random play lasts 22.7 +- 0.8 steps on average in Gymnasium. The baseline "balance" never loses within
500 steps.

**Differences.** From Gymnasium's `CartPole-v1`:

- Sine and cosine have the same bits on all machines. A step from the same state is equal to 1e-12.
- The observation space has finite bounds for the velocities.
- An episode that is lost in the step number `horizon` is terminated, not also truncated.

**Source.** Barto, Sutton and Anderson, "Neuronlike adaptive elements that can solve difficult learning control
problems", 1983; Gymnasium 1.4, `CartPoleEnv`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.world import Between, Kernels
from envsuite.kit.control import Control, begin, cosine, sine
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene

GRAVITY, CART, POLE, LENGTH, FORCE, TAU = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
TOTAL = CART + POLE

#: Where cart and pole are lost: m, radians.
EDGE, TILT = 2.4, 12 * 2 * np.pi / 360

#: Bounds of the numbers at the start by default, and of the numbers of an episode.
LOW, HIGH = np.full(4, -0.05), np.full(4, 0.05)
MOST = np.array([2 * EDGE, 20.0, 2 * TILT, 20.0])


@kernel
def reset(s):
    begin(s, LOW, HIGH)


@kernel
def step(s, actions, rewards):
    x, speed, angle, turning = s.state[0], s.state[1], s.state[2], s.state[3]
    force = FORCE if actions[0] == 1 else -FORCE
    across, up = sine(angle), cosine(angle)
    part = (force + POLE * LENGTH * (turning * turning) * across) / TOTAL
    turned = (GRAVITY * across - up * part) / (LENGTH * (4.0 / 3.0 - POLE * (up * up) / TOTAL))
    pushed = part - POLE * LENGTH * turned * up / TOTAL
    s.state[0] = x + TAU * speed
    s.state[1] = speed + TAU * pushed
    s.state[2] = angle + TAU * turning
    s.state[3] = turning + TAU * turned
    lost = abs(s.state[0]) > EDGE or abs(s.state[2]) > TILT
    if s.params.sutton_barto_reward != 0:
        rewards[0] = -1.0 if lost else 0.0
    else:
        rewards[0] = 1.0
    s.terminated[0] = lost
    s.truncated[0] = not lost and s.t >= s.params.horizon


@kernel
def observe(s, agent, out):
    for k in range(4):
        out[k] = s.state[k]


PAGE = Page(
    role="You balance a pole on a cart.",
    goal=When(
        "sutton_barto_reward",
        "You lose 1 point if the pole or the cart is lost; nothing else counts.",
        "You are paid 1 point for each step, the last one included.",
    ),
    rules=(
        "A cart of {cart} kg stands on a track without friction. A pole of {pole} kg and {length} m of length is "
        "hinged on it. Gravity is {gravity} m/s². In each step, which lasts {tau} seconds, you push the cart with a "
        "force of {force} N, to the left or to the right; you cannot leave it alone. The pole is lost when it leans by "
        "more than {tilt:.0f} degrees, and the cart when it is more than {edge} m away from the middle of the track.",
    ),
    sees=(
        "You see where the cart is and how fast it moves, and how far the pole leans and how fast it turns. + is to "
        "the right."
    ),
    acts={"push left": "push the cart to the left", "push right": "push the cart to the right"},
    ends="It is over when the pole or the cart is lost, or after {horizon:step}.",
    constants={"1": "the reward of a step, or of the loss"},
)


class CartPole(Control):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("control",)
    verified = "Gymnasium's CartPole-v1, step by step to 1e-12"
    variants = (dict(sutton_barto_reward=True, horizon=40),)
    parts = (("position", -EDGE, EDGE), ("velocity", -5.0, 5.0), ("angle", -TILT, TILT), ("turning", -5.0, 5.0))
    keys = {"left": "push left", "right": "push right"}
    player_page = PAGE

    def __init__(self, sutton_barto_reward: bool = False, horizon: Annotated[int, Between(1, 1_000_000)] = 500):
        self.define(
            agents=["agent"],
            actions=["push left", "push right"],
            observation=Box(-MOST.astype(np.float32), MOST.astype(np.float32), (4,), np.float32),
            fields=self.fields(-MOST, MOST),
            params={"sutton_barto_reward": sutton_barto_reward, "horizon": horizon},
            reward_range=(-1.0, 1.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        masses = {"cart": CART, "pole": POLE, "length": 2 * LENGTH, "gravity": GRAVITY}
        return {**masses, "force": FORCE, "tau": TAU, "tilt": np.degrees(TILT), "edge": EDGE}

    def text(self, s: Any, agent: int) -> str:
        x, speed, angle, turning = s.state.tolist()
        lines = [
            f"The cart is at {x:+.3f} m (lost beyond {EDGE:g}) and moves at {speed:+.3f} m/s; + is to the right.",
            f"The pole leans by {np.degrees(angle):+.2f} degrees (lost beyond 12) and turns at "
            f"{np.degrees(turning):+.1f} a second.",
        ]
        over = " It is over." if s.terminated[0] or s.truncated[0] else ""
        return "\n".join([*lines, f"Steps so far: {s.t} of {s.params.horizon}.{over}"])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(20, 11)
        x, _, angle, _ = s.state.tolist()
        unit, ground = 3.6, 8.4
        at = 10 + unit * x
        for end in (-1, 1):
            edge = 10 + end * unit * EDGE
            scene.add(Line([(edge, ground - 0.5), (edge, ground + 0.5)], "bad", 0.12))
        scene.add(Line([(0.4, ground), (19.6, ground)], "muted", 0.08))
        top = (at + 1.5 * unit * sine(angle), ground - 1.0 - 1.5 * unit * cosine(angle))
        scene.add(Rect(at - 1.0, ground - 1.2, 2.0, 1.0, "blue", radius=0.15))
        for wheel in (-0.55, 0.55):
            scene.add(Circle(at + wheel, ground - 0.18, 0.2, "ink"))
        scene.add(Line([(at, ground - 1.0), top], "brown", 0.34), Circle(at, ground - 1.0, 0.18, "gold"))
        scene.add(Label(0.6, 0.8, "CartPole", 0.65, align="left", bold=True))
        lost = " · lost" if s.terminated[0] else ""
        scene.add(Label(19.4, 0.8, f"{s.t} / {s.params.horizon}{lost}", 0.5, "muted", "right"))
        scene.add(Label(0.6, 10.2, f"{x:+.2f} m", 0.45, "muted", "left"))
        scene.add(Label(19.4, 10.2, f"{np.degrees(angle):+.1f}°", 0.45, "muted", "right"))
        return scene


env, raw_env, parallel_env = pettingzoo_forms(CartPole)
