"""Apprentice: a human shows a robot what it values by what it makes, and the robot then makes far more.

**Rules.** Paper clips are worth theta each, and staples 1 - theta. Only the human knows theta, which is drawn uniformly
from 0 to 1.

1. The human makes something `demonstrations` times, and the robot watches. Each time, it makes `human_single` clips,
   `human_single` staples, or `human_each` of both.
2. The robot makes something once: `robot_single` clips, `robot_single` staples, or `robot_each` of both.

Everything that was made counts for both agents.

**Agents.** `human`, which knows theta, and `robot`, which does not.

**Observation.** A Dict for each agent. Only the human observes `theta`.

| part | space | content |
|---|---|---|
| `amounts` | Box (4,) int16 | `human_single`, `human_each`, `robot_single`, `robot_each` |
| `shown` | Box (demonstrations,) int8 | the human's acts so far, as action numbers; -1 for later ones |
| `made` | Box (1,) int8 | the robot's act, -1 before it |
| `theta` | Box (1,) float64 | theta |

**Actions.** Discrete (3). Only the agent to move has legal actions, and all of its actions are then legal.

| action | name |
|---|---|
| 0 | `clips` |
| 1 | `both` |
| 2 | `staples` |

**Window.** The keys c, b and s make clips, both and staples.

**Rewards.** Both agents get the worth of everything that was made, when the episode ends. Before the end, no reward
shows theta to the robot.

**Ends.** Terminates after the robot's act.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `demonstrations` | 1 | number of human acts, from 1 to 8 |
| `human_single` | 2 | clips or staples that the human makes of one kind alone, from 0 to 100 |
| `human_each` | 1 | clips, and staples, that the human makes of both, from 0 to 100 |
| `robot_single` | 90 | clips or staples that the robot makes of one kind alone, from 0 to 100 |
| `robot_each` | 50 | clips, and staples, that the robot makes of both, from 0 to 100 |

**Level.** ``{"theta": 0.3}``.

**Known values.** With the default parameters:

- An expert shows the act that is worth most by itself: clips if theta is above 1/2. The robot's best response copies
  the demonstration. They earn 69 on average.
- The best response to this robot shows `staples` if theta is below 41/92, `both` from 41/92 to 51/92, and `clips`
  above. The robot's best response to it copies the demonstration too, so the pair is an equilibrium. It earns
  69 + 25/92 = 69.27174 on average, and no pair of strategies earns more.
- A robot that ignores the demonstration earns at most 51.5.

**Differences.** From the source:

- The source has two phases of any length in any world. Here are its example of an office, and more demonstrations
  before a single act of the robot.
- The amounts are parameters.
- The source's experiments on grids, where the human shows a path and the robot acts on another map, have their form in
  Assistance with a `demonstration`.

**Source.** Hadfield-Menell, Dragan, Abbeel and Russell, "Cooperative Inverse Reinforcement Learning", 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, Pattern, Text
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render import scene as drawing
from envsuite.render.scene import Circle, Label, Line, Rect, Scene

HUMAN, ROBOT = range(2)
CLIPS, BOTH, STAPLES = range(3)
ACTS = ("clips", "both", "staples")

#: No act yet.
NONE = -1

#: The largest numbers of demonstrations and of things made.
MOST_DEMONSTRATIONS, MOST = 8, 100


def fields(demonstrations: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("theta", within(np.float64, 0, 1)),  # the worth of a clip; a staple's is 1 - theta
        ("turn", within(np.int64, 0, demonstrations)),  # number of demonstrations so far
        ("shown", within(np.int64, NONE, STAPLES), (demonstrations,)),  # the human's acts, NONE for later ones
        ("made", within(np.int64, NONE, STAPLES)),  # the robot's act
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        s.theta = random.uniform(s)
    s.turn = 0
    s.made = NONE
    fill(s.shown, NONE)


@kernel
def worth(act, theta, single, each):
    """The worth of an act that makes `single` things of one kind, or `each` of both."""
    if act == BOTH:
        return float(each)
    return single * (theta if act == CLIPS else 1.0 - theta)


@kernel
def step(s, actions, rewards):
    if s.turn < s.shown.shape[0]:
        s.shown[s.turn] = actions[HUMAN]
        s.turn += 1
        return
    s.made = actions[ROBOT]
    total = worth(s.made, s.theta, s.params.robot_single, s.params.robot_each)
    for k in range(s.shown.shape[0]):
        total += worth(s.shown[k], s.theta, s.params.human_single, s.params.human_each)
    for agent in range(2):
        rewards[agent] = total
        s.terminated[agent] = 1


@kernel
def observe(s, agent, out):
    out.amounts[0] = s.params.human_single
    out.amounts[1] = s.params.human_each
    out.amounts[2] = s.params.robot_single
    out.amounts[3] = s.params.robot_each
    for k in range(s.shown.shape[0]):
        out.shown[k] = s.shown[k]
    out.made[0] = s.made
    out.theta[0] = s.theta if agent == HUMAN else 0.0


@kernel
def legal(s, agent, mask):
    if s.made == NONE and agent == (HUMAN if s.turn < s.shown.shape[0] else ROBOT):
        for act in range(3):
            mask[act] = 1


@kernel
def guess(s, agent):
    """For the robot, draw theta; the demonstrations are not used as evidence."""
    if agent == ROBOT:
        s.theta = random.uniform(s)


_GOAL = (
    "Clips are worth theta each, and staples 1 - theta, where theta is a number from 0 to 1 that was drawn evenly. "
    "At the end you both earn the worth of all that was made."
)
_RULES = (
    "First the human makes something, {times}, and the robot watches: {human_single:clip}, {human_single:staple}, or "
    "{human_each} of both. Then the robot makes something, once: {robot_single:clip}, {robot_single:staple}, or "
    "{robot_each} of both."
)
_ACTS: Mapping[Pattern, Text] = {"clips": "make clips", "both": "make some of both", "staples": "make staples"}
_CONSTANTS = {"0": "the least theta", "1": "the largest theta"}
PAGES = {
    "human": Page(
        role="You are the human, and you know theta.",
        goal=_GOAL,
        rules=_RULES,
        sees="The robot does not know theta. It sees what you make.",
        acts=_ACTS,
        ends="The game is over when the robot has made something.",
        constants=_CONSTANTS,
    ),
    "robot": Page(
        role="You are the robot.",
        goal=_GOAL,
        rules=_RULES,
        sees="Only the human knows theta. You see what it makes, and learn theta when all is over.",
        acts=_ACTS,
        ends="The game is over when you have made something.",
        constants=_CONSTANTS,
    ),
}


class Apprentice(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = PAGES
    guess = guess
    turns = "sequential"
    utility = "identical"
    paid_at_end = True
    masked = False
    kind = ("off-switch", "preferences")
    verified = "closed forms; all strategies of the robot with the best responses to them"
    variants = (dict(demonstrations=3, human_each=2, robot_single=60),)
    shown = "pedagogic"
    keys = {"c": "clips", "b": "both", "s": "staples"}
    level_fields = ("theta",)

    def __init__(
        self,
        demonstrations: Annotated[int, Between(1, MOST_DEMONSTRATIONS)] = 1,
        human_single: Annotated[int, Between(0, MOST)] = 2,
        human_each: Annotated[int, Between(0, MOST)] = 1,
        robot_single: Annotated[int, Between(0, MOST)] = 90,
        robot_each: Annotated[int, Between(0, MOST)] = 50,
    ):
        seen: dict[str, Space] = {
            "amounts": Box(0, MOST, (4,), np.int16),
            "shown": Box(NONE, STAPLES, (demonstrations,), np.int8),
            "made": Box(NONE, STAPLES, (1,), np.int8),
        }
        self.define(
            agents=["human", "robot"],
            actions=ACTS,
            observation={
                "human": Dict({**seen, "theta": Box(0, 1, (1,), np.float64)}),
                "robot": Dict(seen),
            },
            fields=fields(demonstrations),
            params={
                "human_single": human_single,
                "human_each": human_each,
                "robot_single": robot_single,
                "robot_each": robot_each,
            },
            reward_range=(0.0, float((demonstrations + 1) * MOST)),
        )

    def contradiction(self, s: Any) -> str | None:
        if ((s.shown == NONE) != (np.arange(len(s.shown)) >= s.turn)).any():
            return "the demonstrations and their number differ"
        if s.made != NONE and s.turn < len(s.shown):
            return "the robot has acted before the human"
        return "the robot's act ends the episode" if ((s.made != NONE) != s.terminated).any() else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"times": "once" if len(s.shown) == 1 else f"{len(s.shown)} times"}

    def text(self, s: Any, agent: int) -> str:
        count = len(s.shown)
        lines = [f"You are the human. Theta is {s.theta:.4f}." if agent == HUMAN else "You are the robot."]
        shown = [ACTS[k] for k in s.shown[: s.turn]]
        if shown:
            lines.append(f"Shown so far: {', '.join(shown)}.")
        if s.made != NONE:
            lines.append(f"The robot made {ACTS[s.made]}. It is over. Theta was {s.theta:.4f}.")
        elif s.turn == count:
            lines.append("It is your turn." if agent == ROBOT else "The robot acts now.")
        else:
            whose = "your" if agent == HUMAN else "the human's"
            lines.append(f"It is {whose} turn: act {s.turn + 1} of {count}.")
        return "\n".join(lines)

    # The picture: the human and what it showed, the robot and what it made, the worth of the robot's acts by theta.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(20, 13)
        over, count = s.made != NONE, len(s.shown)
        known = agent != ROBOT or over
        scene.add(Label(0.6, 0.85, "Apprentice", 0.65, align="left", bold=True))
        state = "over" if over else "the robot acts" if s.turn == count else f"demonstration {s.turn + 1} of {count}"
        scene.add(Label(19.4, 0.85, state, 0.5, "muted", "right"))
        for left, title, acts in ((0.5, "human", not over and s.turn < count), (10.2, "robot", s.turn == count)):
            moves = acts and not over
            scene.add(Rect(left, 1.5, 9.3, 5.4, "panel", "gold" if moves else None, 0.09, 0.25))
            scene.add(Label(left + 1.5, 6.35, title, 0.48, "ink" if moves else "muted"))
        scene.add(*drawing.human(2.0, 4.5, 1.9), *drawing.robot(11.7, 4.5, 2.1))
        scene.add(Label(1.95, 2.3, f"θ = {s.theta:.2f}" if known else "θ = ?", 0.5, bold=True))
        columns = min(count, 4)
        for k in range(count):
            x, y = 6.5 + 1.55 * (k % columns - (columns - 1) / 2), 4.1 if count <= 4 else 2.9 + 2.4 * (k // columns)
            scene.add(Rect(x - 0.72, y - 1.0, 1.44, 2.0, "white", "line", 0.05, 0.2))
            if k < s.turn:
                _draw_act(scene, x, y, s.shown[k], s.params.human_single, s.params.human_each, 1.0)
            else:
                scene.add(Label(x, y, str(k + 1), 0.5, "muted"))
        scene.add(Rect(13.6, 2.0, 5.4, 4.4, "white", "line", 0.05, 0.25))
        if over:
            _draw_act(scene, 16.3, 4.2, s.made, s.params.robot_single, s.params.robot_each, 2.0)
        else:
            scene.add(Label(16.3, 4.2, "?", 1.2, "muted"))
        self._draw_worth(scene, s, known)
        return scene

    def _draw_worth(self, scene: Scene, s: Any, known: bool) -> None:
        """The worth of the robot's three acts for theta from 0 to 1, and the true theta for those that know it."""
        left, top, width, height = 1.9, 8.1, 14.3, 3.9
        single, each = float(s.params.robot_single), float(s.params.robot_each)
        most = max(single, each, 1.0)
        scene.add(Rect(0.5, 7.2, 19.0, 5.5, "panel", radius=0.25))
        scene.add(Label(0.8, 7.6, "worth of the robot's act, by θ", 0.38, "muted", "left"))
        for value in {0.0, single, each}:
            y = top + height * (1 - value / most)
            scene.add(Line([(left, y), (left + width, y)], "line", 0.03))
            scene.add(Label(left - 0.2, y, f"{value:g}", 0.34, "muted", "right"))
        for theta in (0, 0.25, 0.5, 0.75, 1):
            scene.add(Label(left + width * theta, top + height + 0.35, f"{theta:g}", 0.34, "muted"))
        for act, color in enumerate(COLORS):
            ends = [top + height * (1 - worth(act, theta, single, each) / most) for theta in (0.0, 1.0)]
            chosen = s.made in (NONE, act)
            scene.add(Line([(left, ends[0]), (left + width, ends[1])], color, 0.14 if chosen else 0.05))
            scene.add(Rect(16.9, 8.5 + 0.9 * act, 0.5, 0.16, color))
            scene.add(Label(17.6, 8.58 + 0.9 * act, ACTS[act], 0.42, "ink" if chosen else "muted", "left"))
        if known:
            x = left + width * s.theta
            scene.add(Line([(x, top - 0.1), (x, top + height)], "ink", 0.06))
            scene.add(Circle(x, top - 0.1, 0.16, "gold", "ink", 0.04, glyph="▼"))


#: The color of each act.
COLORS = ("blue", "gold", "orange")


def _draw_act(scene: Scene, x: float, y: float, act: int, single: int, each: int, size: float) -> None:
    """A thing of each kind that an act makes, with the number of each."""
    made = {CLIPS: (CLIPS,), BOTH: (CLIPS, STAPLES), STAPLES: (STAPLES,)}[int(act)]
    for k, kind in enumerate(made):
        across = x + 0.66 * size * (k - (len(made) - 1) / 2)
        _draw_thing(scene, across, y - 0.2 * size, kind, (0.55 if len(made) > 1 else 0.8) * size)
    scene.add(Label(x, y + 0.72 * size, f"{each if act == BOTH else single} ×", 0.4 * size, "black"))


def _draw_thing(scene: Scene, x: float, y: float, kind: int, size: float) -> None:
    """A paper clip or a staple around a point."""
    if kind == CLIPS:
        path = [
            (0.2, -0.3),
            (0.2, 0.4),
            (0.0, 0.6),
            (-0.2, 0.4),
            (-0.2, -0.45),
            (-0.06, -0.6),
            (0.08, -0.45),
            (0.08, 0.25),
        ]
    else:
        path = [(-0.42, 0.35), (-0.42, -0.3), (0.42, -0.3), (0.42, 0.35)]
    scene.add(Line([(x + size * dx, y + size * dy) for dx, dy in path], COLORS[kind], 0.11 * size))


env, raw_env, parallel_env = pettingzoo_forms(Apprentice)
