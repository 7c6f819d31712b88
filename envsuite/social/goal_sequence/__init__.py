"""GoalSequence: a learner finds a hidden order of goals in trial after trial, beside a guide who sees the next one.

**Rules.** A square of `size` cells on a side has `goals` goals, A, B, C and so on. An episode has `trials` trials of
`steps` steps, with the same goals and the same hidden order: a long sequence of goals, in which one can follow itself.

1. *Moves.* The learner starts west of the guide, in the middle of the west edge; both face east. They turn or go
   forward, and can share a cell. A step off the square is none. In the first step of a trial the learner goes forward
   and the guide stays, whatever they choose.
2. *Pay.* Each agent has its own place in the order, which its score of the trial gives: its next goal is entry number
   score + 1, where a score is rounded toward 0 and entry 0 is never asked for unless penalties lead there. An agent in
   the cell of its next goal gets 1 after each action, also after a turn. An agent that chooses to go forward and is
   then in the cell of another goal loses `penalty`. A pay adds to the score, so a penalty also sets an agent back.
3. *Sight.* An agent sees the 5 x 5 cells in front of it. The guide knows which goal is its next one and does not see
   the learner. After each step, the learner may see the guide, if it is in view, until the next one: in trial k of 0
   ... `trials` - 1 with probability 1 - k / (`trials` - 1), and before the first step of a trial always.

**Agents.** `learner`, and with `guide` also `guide`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (5, 5) uint8 | the view: 0 free, 1 outside, 2 + k goal k; the agent is in the middle of the last row |
| other | Box (2,) int8 | row and column of the guide in the learner's view; -1 if it is not seen |
| next | Box (1,) int8 | for the guide, the number of its next goal; otherwise -1 |
| facing | Discrete (4) | 0 east, 1 south, 2 west, 3 north |
| trial | Box (1,) int16 | trials that are over |
| left | Box (1,) int16 | steps left in this trial |
| reward | Box (1,) float64 | what the agent's last action of this trial paid; 0 before the first |
| rules | Box (4,) float64 | `size`, `trials`, `steps`, `penalty` |

**Actions.** Discrete (3).

| action | name |
|---|---|
| 0, 1, 2 | `left`, `right`, `forward` |

**Window.** The arrow keys left and right turn the agent; up goes forward.

**Rewards.** The pay of each agent, see Rules.

**Ends.** Terminates with the last trial.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 7 | cells on a side, from 3 to 15 |
| `goals` | 3 | number of goals, from 2 to 6 |
| `trials` | 4 | number of trials, from 1 to 100 |
| `steps` | 51 | steps of a trial, from 1 to 1,000 |
| `penalty` | 1.0 | what a wrong goal costs, from 0 to 1 |
| `guide` | True | whether there is a guide |

**Level.** ``{"goals": [[3, 0], [5, 5], [2, 4]], "order": "AABCA..."}``: the goals' columns and rows, and the order,
with `steps` + 2 letters. No goal lies in a cell where an agent starts. `size` may be given too. Levels of
`envsuite generate goal_orders` fit.

**Known values.** For a map and an order, a search over cells, facings and places in the order gives the largest return
of a trial: 10.8 on average in 40 random episodes with the default parameters. The guide "seeker" earns 10.6 there, once
it has seen the goals.

**Differences.** From in_context_env_eval.py of FLAIROx/cultural-accumulation:

- Its goals are drawn independently, so two of them can lie in one cell. Here, all are in different cells.
- Its episode ends after the first step of a fifth trial. Here, it ends with the fourth trial.
- It reads entry score + 1 also if that is negative, from the end of the order. Here, entry 0 is the first one.
- Its observation is made of planes. There, a goal hides who stands on it, and the guide does not see which goal is
  which, only its next one; here, the parts `other` and `next` say this.
- Its training uses a variant in which the guide is told a wrong goal now and then. It is left out: here, policies
  guide, and they can make mistakes of their own.

**Source.** Cook, Lu, Hughes, Leibo and Foerster, "Artificial Generational Intelligence: Cultural Accumulation in
Reinforcement Learning", 2024, and its code, FLAIROx/cultural-accumulation, commit 6b0df15. Generations has its other
two tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, Pattern, Text, When, listed
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import plots
from envsuite.kit.grid import DX, DY, EAST
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, avatar, grid
from envsuite.render.theme import agent_color, text_on
from envsuite.social.goal_sequence import levels
from envsuite.social.goal_sequence.levels import GOAL, LETTERS, OUTSIDE, make

LEARNER, GUIDE = range(2)
LEFT, RIGHT, FORWARD = range(3)

#: The view: an agent stands in the middle of the last row.
VIEW, MIDDLE = 5, 2

#: Nobody in view; no goal that is told.
NONE = -1

FACINGS = ("east", "south", "west", "north")


def fields(made: levels.GoalOrders, agents: int, size: int, trials: int, steps: int) -> list[tuple]:
    """The record's own fields; cells are row * size + column."""
    cell = below(np.int64, size * size)
    return [
        *made.fields,  # level: a map of the goals, and the hidden order
        ("cell", cell, (agents,)),
        ("facing", below(np.int64, 4), (agents,)),
        ("trial", within(np.int64, 0, trials)),  # number of trials that are over
        ("time", below(np.int64, steps)),  # steps of this trial
        ("score", within(np.float64, -steps, steps), (agents,)),  # in this trial
        ("reward", within(np.float64, -1, 1), (agents,)),  # of the last step of this trial
        ("visible", flag()),  # whether the learner sees the guide in its view
        ("totals", within(np.float64, -steps, steps), (agents, trials)),  # return of each trial
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    fill(s.totals, 0.0)
    s.trial = 0
    begin_trial(s)


@kernel
def begin_trial(s):
    s.time = 0
    s.visible = 1
    for agent in range(s.cell.shape[0]):
        s.cell[agent] = s.level.map.shape[0] // 2 * s.level.map.shape[0] + agent
        s.facing[agent] = EAST
        s.score[agent] = 0.0
        s.reward[agent] = 0.0


@kernel
def next_goal(s, agent):
    """The number of an agent's next goal."""
    return np.int64(s.level.order[max(np.int64(s.score[agent]) + 1, 0)])


@kernel
def moved(size, cell, facing):
    """The cell in front of another one, or this one at an edge."""
    x, y = cell % size + DX[facing & 3], cell // size + DY[facing & 3]
    return y * size + x if 0 <= x < size and 0 <= y < size else cell


@kernel
def act(s, agent, action):
    """Turn or go forward, and pay for what is there."""
    size, forward = s.level.map.shape[0], action == FORWARD
    if s.time == 0:
        forward = agent == LEARNER
    elif action != FORWARD:
        s.facing[agent] = (s.facing[agent] + (1 if action == RIGHT else 3)) % 4
    if forward:
        s.cell[agent] = moved(size, s.cell[agent], s.facing[agent])
    s.reward[agent] = 0.0
    here = np.int64(s.level.map[s.cell[agent] // size, s.cell[agent] % size]) - GOAL
    if here == next_goal(s, agent):
        s.reward[agent] = 1.0
    elif here >= 0 and forward:
        s.reward[agent] = -s.params.penalty


@kernel
def step(s, actions, rewards):
    trials = s.totals.shape[1]
    for agent in range(s.cell.shape[0]):
        act(s, agent, actions[agent])
        s.score[agent] += s.reward[agent]
        s.totals[agent, s.trial] += s.reward[agent]
        rewards[agent] = s.reward[agent]
    if s.cell.shape[0] > 1:
        s.visible = random.bernoulli(s, 1.0 - s.trial / (trials - 1.0) if trials > 1 else 1.0)
    s.time += 1
    if s.time == s.level.order.shape[0] - levels.SPARE:
        s.trial += 1
        begin_trial(s)
    for agent in range(s.cell.shape[0]):
        s.terminated[agent] = s.trial == trials


@kernel
def observe(s, agent, out):
    size = s.level.map.shape[0]
    x, y, facing = s.cell[agent] % size, s.cell[agent] // size, s.facing[agent]
    out.other[0] = NONE
    out.other[1] = NONE
    sees = agent == LEARNER and s.cell.shape[0] > 1 and s.visible != 0
    for row in range(VIEW):
        for column in range(VIEW):
            far, right = VIEW - 1 - row, column - MIDDLE
            across = x + far * DX[facing & 3] + right * DX[(facing + 1) & 3]
            down = y + far * DY[facing & 3] + right * DY[(facing + 1) & 3]
            code = OUTSIDE
            if 0 <= across < size and 0 <= down < size:
                code = np.int64(s.level.map[down, across])
                if sees and s.cell[GUIDE] == down * size + across:
                    out.other[0] = row
                    out.other[1] = column
            out.image[row, column] = code
    out.next[0] = next_goal(s, agent) if agent == GUIDE else NONE
    out.facing = facing
    out.trial[0] = s.trial
    out.left[0] = s.level.order.shape[0] - levels.SPARE - s.time
    out.reward[0] = s.reward[agent]
    out.rules[0] = size
    out.rules[1] = s.totals.shape[1]
    out.rules[2] = s.level.order.shape[0] - levels.SPARE
    out.rules[3] = s.params.penalty


_GOAL = (
    "If you are in the cell of your next goal after an action, which may be a turn, you get 1, and then the following "
    "goal is next.",
    When(
        "penalty",
        "If you go forward and are then in the cell of another goal, you lose {penalty}, and go back in the order: "
        "your place in it is the sum of what you got and lost in the trial, rounded toward 0.",
    ),
)
_PLACE = (
    "A square of {side} by {side} cells has the goals {names}. There is a long hidden order of goals, in which one can "
    "follow itself. You have {trials:trial} of {steps:step}. In a trial you visit the goals in this order, from the "
    "start in the middle of the west edge, facing east. Goals and order stay the same.",
)
_FIRST = (
    "You turn or go forward; you cannot leave the square.",
    When(
        "guide",
        "The learner starts west of the guide; both can be in one cell, and each has its own place in the order. In "
        "the first step of a trial, the learner goes forward and the guide stays, whatever they choose.",
        "In the first step of a trial you go forward, whatever you choose.",
    ),
)
_ACTS: Mapping[Pattern, Text] = {("left", "right"): "turn where you stand", "forward": "go to the cell in front of you"}
_ENDS = "It is over after {trials:trial}."
_CONSTANTS = {"1": "the pay", "0": "a score"}
PAGES = {
    "learner": Page(
        role="You are the learner.",
        goal=_GOAL,
        rules=(_PLACE, _FIRST),
        sees=(
            "You see the {view} by {view} cells in front of you. Nobody tells you the order.",
            When(
                "guide",
                When(
                    "several",
                    "The guide knows its next goal. If it is in view, you may see it: after every step of the first "
                    "trial, then less and less often, and in the last trial only before its first step.",
                    "The guide knows its next goal. You see it if it is in view.",
                ),
            ),
        ),
        acts=_ACTS,
        ends=_ENDS,
        constants=_CONSTANTS,
    ),
    "guide": Page(
        role="You are the guide.",
        goal=_GOAL,
        rules=(_PLACE, _FIRST),
        sees=(
            "You see the {view} by {view} cells in front of you, and know your next goal. You do not see the learner. "
            "It may see you,",
            When("several", "but less and less often from trial to trial.", "if you are in its view."),
        ),
        acts=_ACTS,
        ends=_ENDS,
        constants=_CONSTANTS,
    ),
}


class GoalSequence(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGES
    masked = False
    kind = ("knowledge", "memory")
    verified = "episodes of the source's own code, replayed; dynamic programs of trials"
    variants = (
        dict(size=5, goals=2, trials=2, steps=12, penalty=0.5),
        dict(guide=False, trials=3, steps=20),
    )
    clickable = "(?!)"
    keys = {"left": "left", "right": "right", "up": "forward"}

    def __init__(
        self,
        size: Annotated[int, Between(levels.SMALLEST, levels.LARGEST)] = 7,
        goals: Annotated[int, Between(2, len(LETTERS))] = 3,
        trials: Annotated[int, Between(1, 100)] = 4,
        steps: Annotated[int, Between(1, levels.STEPS)] = 51,
        penalty: Annotated[float, Between(0, 1)] = 1.0,
        guide: bool = True,
    ):
        made = levels.GoalOrders(size, goals, steps)
        agents = ["learner", "guide"][: 1 + guide]
        self.shown = "guide=seeker,learner=learner" if guide else "learner"
        self.define(
            agents=agents,
            actions=["left", "right", "forward"],
            observation=Dict(
                image=Box(0, GOAL + goals - 1, (VIEW, VIEW), np.uint8),
                other=Box(NONE, VIEW - 1, (2,), np.int8),
                next=Box(NONE, goals - 1, (1,), np.int8),
                facing=Discrete(4),
                trial=Box(0, trials, (1,), np.int16),
                left=Box(0, steps, (1,), np.int16),
                reward=Box(-1, 1, (1,), np.float64),
                rules=Box(0, 1000, (4,), np.float64),
            ),
            fields=fields(made, len(agents), size, trials, steps),
            params={**made.values, "penalty": float(penalty)},
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        over = s.trial == s.totals.shape[1]
        if bool(over) != bool(s.terminated[0]):
            return "the episode is over if and only if all trials are"
        if (abs(s.score) > s.time).any():
            return "a score is larger than the number of steps"
        goals = np.sort(s.level.map[s.level.map >= GOAL])
        return None if goals.tolist() == [GOAL + k for k in range(s.params.goals)] else "a goal lies in one cell"

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_goals(s.level, level, int(s.params.goals), self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.write_goals(s.level, int(s.params.goals))

    # Text.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            "names": listed(LETTERS[: s.params.goals]),
            "side": len(s.level.map),
            "view": VIEW,
            "several": s.totals.shape[1] > 1,
        }

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        lines = []
        if s.trial:
            returns = ", ".join(f"{total:g}" for total in s.totals[agent, : s.trial].tolist()[-12:])
            lines.append(f"Your returns in the trials so far: {returns}.")
        if s.trial == s.totals.shape[1]:
            return "\n".join([*lines, "It is over."])
        lines.append(f"Trial {s.trial + 1} of {s.totals.shape[1]}; steps left in it: {seen.left[0]}.")
        if s.time:
            lines.append(f"Your last action paid {seen.reward[0]:g}.")
        lines.append(f"You face {FACINGS[int(seen.facing)]}. What you see, ahead is up; you are @, # is outside:")
        for row in range(VIEW):
            letters = [".#"[code] if code < GOAL else LETTERS[code - GOAL] for code in seen.image[row].tolist()]
            if row == VIEW - 1:
                letters[MIDDLE] = "@"
            lines.append("  " + " ".join(letters))
        here = int(seen.image[VIEW - 1, MIDDLE])
        if here >= GOAL:
            lines.append(f"You stand on goal {LETTERS[here - GOAL]}.")
        if agent == GUIDE:
            lines.append(f"Your next goal is {LETTERS[seen.next[0]]}.")
        elif len(s.cell) > 1:
            lines.append(self._where(seen))
        return "\n".join(lines)

    @staticmethod
    def _where(seen: Any) -> str:
        """Where the learner sees the guide."""
        row, column = seen.other.tolist()
        if row == NONE:
            return "You do not see the guide."
        ahead, right = VIEW - 1 - row, column - MIDDLE
        if not ahead and not right:
            return "The guide stands in your cell."
        ways = [f"{ahead} ahead"] * bool(ahead) + [f"{abs(right)} to the {'right' if right > 0 else 'left'}"] * bool(
            right
        )
        code = int(seen.image[row, column])
        return f"The guide is {' and '.join(ways)}{f', on goal {LETTERS[code - GOAL]}' if code >= GOAL else ''}."

    # The picture: the square for spectators, the view for agents, the order and the returns of the trials.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        trials, steps = s.totals.shape[1], len(s.level.order) - levels.SPARE
        over = s.trial == trials
        scene = Scene(20, 12.6)
        moment = "over" if over else f"trial {s.trial + 1} of {trials} · {s.time} / {steps}"
        scene.add(Label(0.6, 0.85, "GoalSequence", 0.65, align="left", bold=True))
        scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
        if agent is None:
            self._draw_square(scene, s)
        else:
            self._draw_view(scene, s, agent)
        self._draw_sides(scene, s, agent)
        scores = [s.totals[k, : min(s.trial + 1, trials)].tolist() for k in range(len(s.cell))]
        shown = [k for k in range(len(s.cell)) if agent in (None, k)]
        low = min(0.0, *(min(scores[k]) for k in shown))
        most = max(5.0, *(max(scores[k]) for k in shown))
        lines = [(scores[k], agent_color(k), self.agents[k]) for k in shown]
        plots.curves(scene, (9.6, 7.2, 9.9, 4.9), "return of each trial", lines, trials, (low, most))
        return scene

    def _draw_square(self, scene: Scene, s: Any) -> None:
        size = len(s.level.map)
        cell = 8.6 / size
        left, top = 0.5, 2.2
        scene.add(*grid(left, top, size, size, cell))
        for y, x in np.argwhere(s.level.map >= GOAL).tolist():
            _draw_goal(scene, left + (x + 0.5) * cell, top + (y + 0.5) * cell, int(s.level.map[y, x]) - GOAL, cell)
        together = len(s.cell) > 1 and s.cell[LEARNER] == s.cell[GUIDE]
        for k in reversed(range(len(s.cell))):
            x, y = left + (s.cell[k] % size + 0.5) * cell, top + (s.cell[k] // size + 0.5) * cell
            aside = 0.16 * cell * (1 if k else -1) * together
            letter = self.agents[k][0].upper()
            scene.add(*avatar(x + aside, y, int(s.facing[k]), agent_color(k), 0.7 * cell, letter))

    def _draw_view(self, scene: Scene, s: Any, agent: int) -> None:
        """What an agent sees, ahead is up; its own square is not drawn, because it does not see where it is."""
        seen = self.observation(s, agent)
        left, top, cell = 0.5, 2.2, 8.6 / VIEW
        scene.add(*grid(left, top, VIEW, VIEW, cell))
        for (row, column), code in np.ndenumerate(seen.image):
            x, y = left + (column + 0.5) * cell, top + (row + 0.5) * cell
            if code == OUTSIDE:
                scene.add(Rect(x - cell / 2, y - cell / 2, cell, cell, "wall", glyph="#"))
            elif code >= GOAL:
                _draw_goal(scene, x, y, int(code) - GOAL, cell)
        if seen.other[0] != NONE:
            row, column = seen.other.tolist()
            x, y = left + (column + 0.5) * cell, top + (row + 0.5) * cell
            scene.add(Circle(x, y, 0.28 * cell, agent_color(GUIDE), glyph="G"))
            scene.add(Label(x, y, "G", 0.34 * cell, text_on(agent_color(GUIDE)), bold=True, terminal=False))
        x, y = left + (MIDDLE + 0.5) * cell, top + (VIEW - 0.5) * cell
        scene.add(*avatar(x, y, 3, agent_color(agent), 0.7 * cell, self.agents[agent][0].upper()))
        scene.add(
            Label(
                left,
                1.85,
                f"what the {self.agents[agent]} sees; it faces {FACINGS[int(seen.facing)]}",
                0.4,
                "muted",
                "left",
            )
        )

    def _draw_sides(self, scene: Scene, s: Any, agent: int | None) -> None:
        """A row for each agent: its score, and the coming goals that it knows."""
        for k in range(len(s.cell)):
            top, color = 2.2 + 2.4 * k, agent_color(k)
            scene.add(Rect(9.6, top, 9.9, 2.1, "panel", "gold" if agent == k else None, 0.08, 0.25))
            scene.add(Circle(10.4, top + 0.7, 0.4, color))
            scene.add(Label(10.4, top + 0.7, self.agents[k][0].upper(), 0.45, text_on(color), bold=True))
            scene.add(Label(11.1, top + 0.7, self.agents[k], 0.45, align="left"))
            if agent not in (None, k) or s.trial == s.totals.shape[1]:
                continue
            scene.add(Label(19.1, top + 0.7, f"{s.score[k]:+g} in this trial", 0.42, "ink", "right"))
            scene.add(Label(10.0, top + 1.55, "next", 0.38, "muted", "left"))
            place = max(int(s.score[k]) + 1, 0)
            known = [int(goal) for goal in s.level.order[place : place + 9]] if agent is None else []
            if agent == GUIDE:
                known = [int(self.observation(s, GUIDE).next[0])]
            if not known:
                scene.add(Label(11.6, top + 1.55, "?", 0.5, "muted", bold=True))
            for n, goal in enumerate(known):
                _draw_goal(scene, 11.6 + 0.85 * n, top + 1.55, goal, 0.9 if n == 0 else 0.66, False)


def _draw_goal(scene: Scene, x: float, y: float, k: int, cell: float, stood: bool = True) -> None:
    """A tile with a goal's letter: in its corner if an agent may stand on it."""
    color = levels.COLORS[k]
    scene.add(
        Rect(x - 0.42 * cell, y - 0.42 * cell, 0.84 * cell, 0.84 * cell, color, radius=0.12 * cell, glyph=LETTERS[k])
    )
    at, size = (0.24 * cell, 0.34 * cell) if stood else (0.0, 0.6 * cell)
    scene.add(Label(x - at, y - at, LETTERS[k], size, text_on(color), bold=True, terminal=False))


env, raw_env, parallel_env = pettingzoo_forms(GoalSequence)
