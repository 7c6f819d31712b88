"""NumberLine: walk along a row of numbers to a target, step by step.

**Rules.** The numbers from 0 to `highest` lie in a row. Start and target are drawn independently and uniformly; if they
are equal, the target becomes the next number; for the last two numbers, it becomes 0 and 1. In each step the agent
moves by one to the left or to the right. At an end of the row, a step outward leaves it where it is.

**Agents.** One, `agent`.

**Observation.** Box (2,) int32.

| entry | content |
|---|---|
| 0 | the target |
| 1 | the position |

**Actions.** Discrete (2), both always legal.

| action | name |
|---|---|
| 0, 1 | `left`, `right` |

**Window.** The arrow keys left and right, or a click on that side of the agent.

**Rewards.** 1 at the target. -1 for a step that does not lead nearer to the target. Otherwise 0.

**Ends.** Terminates at the target. Truncates after 2 `highest` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `highest` | 5 | the highest number, from 2 to 100 |

**Level.** ``{"start": 2, "target": 5}``.

**Known values.** The direct way earns 1. By dynamic programming, random play earns -91531/36864 (about -2.483) on
average and reaches the target with probability 11267/18432 (about 0.611). Always moving right earns -151/36 (about
-4.194).

**Differences.** From Gym-Cards:

- The observation has numbers instead of pixels.
- In a row from 0 to 1, its draw can make start and target equal. Here, 2 is the least highest number.

**Source.** Zhai et al., "Fine-tuning large vision-language models as decision-making agents via reinforcement
learning", 2024, whose environments are Gym-Cards (RL4VLM/RL4VLM, commit b989b57).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.random import randint
from envsuite.core.ranges import fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Scene, footer

LEFT, RIGHT = range(2)

#: Margin of the picture, height of the row, and numbers in a line of it.
MARGIN, ROW, WRAP = 1.0, 2.2, 26


def fields(highest: int) -> list[tuple]:
    """The record's own fields."""
    place = within(np.int64, 0, highest)
    return [("start", place), ("target", place), ("position", place)]  # the level is start and target


@kernel
def reset(s):
    if s.level_given == 0:
        count = s.params.highest + 1
        s.start = randint(s, count)
        s.target = randint(s, count)
        if s.start == s.target:
            s.target = (s.target + 1) % s.params.highest
    s.position = s.start


@kernel
def step(s, actions, rewards):
    before = abs(s.position - s.target)
    moved = s.position + (1 if actions[0] == RIGHT else -1)
    s.position = min(max(moved, 0), s.params.highest)
    distance = abs(s.position - s.target)
    if distance == 0:
        rewards[0] = 1.0
        s.terminated[0] = 1
    else:
        rewards[0] = 0.0 if distance < before else -1.0
        s.truncated[0] = s.t >= 2 * s.params.highest


@kernel
def observe(s, agent, out):
    out[0] = s.target
    out[1] = s.position


PAGE = Page(
    role="You walk along a row of numbers to a target.",
    goal=(
        "You are paid 1 when you reach the target. A step that does not bring you nearer to it costs you 1, and other "
        "steps pay 0."
    ),
    rules=(
        "The numbers from 0 to {highest} lie in a row, 0 at the left. In each step you move by one number to the left "
        "or to the right. At an end of the row, a step outward leaves you where you are.",
    ),
    sees="You see the target and where you are.",
    acts={"left": "move to the next lower number", "right": "move to the next higher number"},
    ends="It is over when you reach the target, or after {most:step}.",
    constants={
        "1": "the reward of the target, and the cost of a wrong step",
        "0": "the lowest number, and the reward of other steps",
    },
)


class NumberLine(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    information = "perfect"
    kind = ("puzzles",)
    verified = "Gym-Cards step by step; exact values by dynamic programming"
    variants = (dict(highest=2), dict(highest=30))
    keys = {"left": "left", "right": "right"}
    level_fields = ("start", "target")
    player_page = PAGE

    def __init__(self, highest: Annotated[int, Between(2, 100)] = 5):
        self.define(
            agents=["agent"],
            actions=["left", "right"],
            observation=Box(0, highest, (2,), np.int32),
            fields=fields(highest),
            params={"highest": fixed(highest)},
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.position == s.target and not s.terminated[0]:
            return "the agent is at the target"
        over = bool(s.terminated[0] or s.truncated[0])
        return "the episode is over" if s.t >= 2 * s.params.highest and not over else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        if s.start == s.target:
            raise LevelError(f"{self.id}: start and target are both {s.start}")

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"most": 2 * s.params.highest}

    def text(self, s: Any, agent: int) -> str:
        row = f"Numbers from 0 to {s.params.highest}. Target: {s.target}. You are at {s.position}."
        if s.terminated[0]:
            return f"{row} You have reached the target."
        left = 2 * s.params.highest - s.t
        return f"{row} {'It is over.' if s.truncated[0] else f'Steps left: {left}.'}"

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        highest = int(s.params.highest)
        lines = highest // WRAP + 1
        scene = Scene(2 * MARGIN + max(min(highest, WRAP - 1), 4), ROW * lines + 1.0)
        for line in range(lines):
            last = min(highest - WRAP * line, WRAP - 1)
            y = ROW * (line + 0.6)
            scene.add(Line([(MARGIN, y), (MARGIN + last, y)], "line", 0.08))
        for number in range(highest + 1):
            x, y = MARGIN + number % WRAP, ROW * (number // WRAP + 0.6)
            if number == s.target:
                scene.add(Circle(x, y, 0.42, "gold", glyph="T"))
            else:
                scene.add(Circle(x, y, 0.12, "grey", glyph="."))
            scene.add(Label(x, y + 0.75, str(number), 0.4, "ink", bold=number in (s.target, s.position)))
            if number == s.position:
                scene.add(Polygon([(x - 0.3, y - 0.85), (x + 0.3, y - 0.85), (x, y - 0.25)], "blue", glyph="A"))
        footer(scene, "triangle: you, disc: target", f"step {s.t} of {2 * highest}")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        column, line = round(x - MARGIN), int(y // ROW)
        number = WRAP * line + column
        if not (-1 <= column <= WRAP and 0 <= line <= s.params.highest // WRAP) or number == s.position:
            return None
        return LEFT if number < s.position else RIGHT


env, raw_env, parallel_env = pettingzoo_forms(NumberLine)
