"""RecurringBandit: pull arms that pay with unknown chances, which stay the same for a while and then are drawn again.

**Rules.** Each of `arms` arms pays 1 or nothing when it is pulled. The chance that it pays is its mean. At the
beginning of a block, all means are drawn uniformly between 0 and 1, and they stay the same during the block. After each
pull the block ends with probability 1 / `block`, and the next one begins. A block thus has `block` pulls on average.
With `block` = 1 nothing can be learned, because the means change after every pull.

The agent sees the last `memory` pulls and what they paid. If `announced`, it sees pulls of the present block only, so
an empty window says that a block begins. Otherwise the window also holds pulls of earlier blocks, and nothing marks
where a block began. With `memory` = 0 the agent sees nothing. With `memory` = 1 it sees what it needs if it remembers.

**Agents.** One, `agent`.

**Observation.** Box (rows, `arms` + 1) int8, with a row for each of the last `memory` pulls, the latest first, and one
row of zeros if `memory` is 0.

| column | content |
|---|---|
| 0 .. `arms` - 1 | 1 for the arm that was pulled, otherwise 0; all are 0 in a row without a pull |
| `arms` | 1 if the pull paid, otherwise 0 |

**Actions.** Discrete (arms), all of them always legal.

| action | name |
|---|---|
| 0, 1, .. | `arm 1`, `arm 2`, .. |

**Window.** The keys 1 to 9 pull an arm, and 0 pulls arm 10. A click on an arm pulls it.

**Rewards.** 1 if the arm pays, otherwise 0.

**Ends.** Truncated after `horizon` pulls.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `arms` | 3 | number of arms, from 2 to 10 |
| `block` | 20.0 | mean number of pulls in a block, from 1 to 1,000,000 |
| `memory` | 10 | number of pulls that the agent sees, from 0 to 100 |
| `announced` | True | whether a new block empties the window |
| `horizon` | 200 | pulls until truncation, from 1 to 10,000 |

**Level.** ``{"means": [[0.2, 0.9, 0.5], [0.7, 0.1, 0.3]]}``: the means of the first blocks, 1 to 32 of them; those of
later blocks are drawn. The lengths of blocks are always drawn.

**Known values.** Random play earns 0.5 a pull on average, as does any play if `memory` is 0 or `block` is 1. The best
arm has a mean of `arms` / (`arms` + 1) on average, and no play earns more a pull than that.

If blocks are announced, each is Gittins' bandit with the discount 1 - 1 / `block`: the best play pulls the arm with the
largest index, apart from the end of the episode (Gittins, 1979). The index of an arm that was never pulled is 0.7029
for `block` = 10, 0.7614 for 20 and 0.8699 for 100 (Gittins, Glazebrook and Weber, 2011). By dynamic programming, the
best play with two arms and `block` = 10 earns 6.096 in a block.

**Differences.**

- The rules are our own and follow the paper's idea: a structure that recurs, a memory, and rewards alone. They were not
  compared with its code.
- The agent observes a window of pulls, so that its memory is a parameter of the world.
- `announced` is added, because with it the best play is known.
- The paper's gridworld is a world of its own, RecurringGrid.

**Source.** Rentschler and Roberts, "Exploitation Is All You Need... for Exploration", 2025.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_numbers
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli, uniform
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between, Horizon, Kernels
from envsuite.kit import recurring
from envsuite.kit.recurring import LARGEST_WINDOW, LISTED, LONGEST, RecurringWorld
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene

#: The most arms.
MOST_ARMS = 10

#: The picture: the sides of the arms' panels, and how many pulls of the window it shows.
LEFT, TOP, WIDTH, HEIGHT, SHOWN = 0.5, 1.5, 17.0, 5.6, 20


def fields(arms: int, rows: int) -> list[tuple]:
    """The record's own fields."""
    mean = within(np.float64, 0, 1)
    return [
        *recurring.fields(rows),
        ("listed", mean, (LISTED, arms)),  # means of the first blocks: the level
        ("means", mean, (arms,)),  # of the present block
        ("pulled", below(np.int64, arms), (rows,)),  # the window's arms, in the places of `paid`
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        s.blocks = 1
        for k in range(s.means.shape[0]):
            s.listed[0, k] = uniform(s)
    for block in range(s.blocks, LISTED):
        for k in range(s.means.shape[0]):
            s.listed[block, k] = 0.0
    fill(s.pulled, 0)
    recurring.clear(s)
    begin(s)


@kernel
def begin(s):
    """Begin the present block: take its means from the level, or draw them."""
    for k in range(s.means.shape[0]):
        s.means[k] = s.listed[s.block, k] if s.block < s.blocks else uniform(s)


@kernel
def step(s, actions, rewards):
    arm = actions[0]
    paid = bernoulli(s, s.means[arm])
    rewards[0] = paid
    s.pulled[recurring.remember(s, paid)] = arm
    if recurring.ends(s):
        begin(s)
    s.truncated[0] = s.t >= s.params.horizon


@kernel
def observe(s, agent, out):
    rows, arms = s.pulled.shape[0], s.means.shape[0]
    for row in range(rows):
        place = recurring.place(s, row)
        for k in range(arms):
            out[row, k] = row < s.held and s.pulled[place] == k
        out[row, arms] = row < s.held and s.paid[place] != 0


PAGE = Page(
    role="You pull the arms of a machine with {arms} arms.",
    goal="A pull pays you 1 or nothing.",
    rules=(
        "Each arm pays with a chance of its own. You are not told these chances. The pulls come in blocks. At the "
        "beginning of a block, the chance of each arm is drawn again, uniformly between 0 and 1; it then stays the "
        "same until the block is over. After each pull the block ends with a probability of {end:.3g}, and the next "
        "one begins.",
    ),
    sees=When(
        "memory",
        (
            "You see {window} and what {they} paid.",
            When(
                "announced",
                "Pulls of earlier blocks are left out, so you see no pull when a block begins.",
                "You are not told when a block begins.",
            ),
        ),
        "You are not shown your earlier pulls, nor told when a block begins.",
    ),
    acts={"arm {N}": "pull arm N"},
    ends="It is over after {horizon:pull}.",
    constants={"0": "the lowest chance", "1": "what a pull pays, and the highest chance"},
)


class RecurringBandit(RecurringWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("memory",)
    verified = "exact values of several ways to play by dynamic programming over Beta distributions; Gittins indices"
    variants = (dict(arms=2, announced=False), dict(memory=0), dict(arms=10, block=1.0))
    shown = "gittins"
    player_page = PAGE

    def __init__(
        self,
        arms: Annotated[int, Between(2, MOST_ARMS)] = 3,
        block: Annotated[float, Between(1, 1_000_000)] = 20.0,
        memory: Annotated[int, Between(0, LARGEST_WINDOW)] = 10,
        announced: bool = True,
        horizon: Annotated[int, Horizon(1, LONGEST)] = 200,
    ):
        rows = max(memory, 1)
        names = [f"arm {k + 1}" for k in range(arms)]
        self.keys = {str((k + 1) % 10): name for k, name in enumerate(names)}
        self.define(
            agents=["agent"],
            actions=names,
            observation=Box(0, 1, (rows, arms + 1), np.int8),
            fields=fields(arms, rows),
            params={"block": float(block), "memory": fixed(memory), "announced": announced, "horizon": horizon},
            reward_range=(0.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "means")
        means = read_numbers(level["means"], f"{self.id}: the level's means", ((1, LISTED), len(s.means)), 0, 1)
        s.listed[:] = 0
        s.listed[: len(means)] = means
        s.blocks = len(means)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"means": s.listed[: s.blocks].tolist()}

    def window(self, s: Any) -> list[tuple[int, int]]:
        """The pulls that the agent sees, the latest first: the number of the arm, and what it paid."""
        rows = self.observation(s, 0)
        return [(int(row[:-1].argmax()), int(row[-1])) for row in rows if row[:-1].any()]

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        memory = int(s.params.memory)
        window = "your last pull" if memory == 1 else f"your last {memory} pulls"
        return {"end": 1 / s.params.block, "window": window, "they": "it" if memory == 1 else "they"}

    def text(self, s: Any, agent: int) -> str:
        names, seen = self.action_names[0], self.window(s)
        lines = [f"Pulls so far: {s.t} of {s.params.horizon}."]
        if s.params.memory == 0:
            lines.append("You do not see earlier pulls.")
        elif not seen:
            lines.append("A new block begins." if s.params.announced else "You have pulled no arm yet.")
        else:
            pulls = ", ".join(f"{names[arm]} paid {paid}" for arm, paid in seen)
            lines.append(f"The last pulls{' of this block' if s.params.announced else ''}, latest first: {pulls}.")
        return "\n".join([*lines, "It is over."] if s.truncated[0] else lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene, seen, arms = Scene(18, 10), self.window(s), len(s.means)
        scene.add(Label(LEFT, 0.8, "RecurringBandit", 0.6, align="left", bold=True))
        scene.add(Label(17.5, 0.8, self.heading(s, agent, "pull"), 0.45, "muted", "right"))
        for k in range(arms):
            self._draw_arm(scene, s, k, seen, agent is None)
        block = " of this block" if s.params.announced else ""
        scene.add(Label(LEFT, 7.8, f"last pulls{block}, latest first", 0.42, "muted", "left"))
        for place, (arm, paid) in enumerate(seen[:SHOWN]):
            x = 0.95 + 0.84 * place
            color = "gold" if paid else "line"
            scene.add(Circle(x, 8.9, 0.36, color, glyph=""))
            scene.add(Label(x, 8.9, str(arm + 1), 0.4, "black" if paid else "ink", bold=True))
        if not seen:
            scene.add(Label(LEFT, 8.9, "none", 0.42, "muted", "left"))
        return scene

    def _draw_arm(self, scene: Scene, s: Any, k: int, seen: list[tuple[int, int]], mean: bool) -> None:
        """An arm: how often it paid in the window, and the chance that it pays if `mean`."""
        width = WIDTH / len(s.means)
        x, middle = LEFT + k * width, LEFT + (k + 0.5) * width
        pulls, wins = sum(arm == k for arm, _ in seen), sum(paid for arm, paid in seen if arm == k)
        latest = bool(seen) and seen[0][0] == k
        outline = "orange" if latest else None
        scene.add(Rect(x + 0.08, TOP, width - 0.16, HEIGHT, "panel", outline, 0.1, 0.25))
        scene.add(Label(middle, TOP + 0.6, f"arm {k + 1}", min(0.5, 0.22 * width), bold=True))
        base, full, bar = TOP + HEIGHT - 1.5, HEIGHT - 2.8, min(0.5 * width, 1.4)
        scene.add(Rect(middle - bar / 2, base - full, bar, full, "white", "line", 0.03, 0.08))
        if wins:
            scene.add(Rect(middle - bar / 2, base - full * wins / pulls, bar, full * wins / pulls, "gold", radius=0.08))
        if mean:
            y = base - full * float(s.means[k])
            scene.add(Line([(middle - 0.75 * bar, y), (middle + 0.75 * bar, y)], "blue", 0.1))
        scene.add(Label(middle, TOP + HEIGHT - 1.0, f"{wins} of {pulls}", min(0.45, 0.2 * width)))
        if mean:
            scene.add(Label(middle, TOP + HEIGHT - 0.42, f"mean {s.means[k]:.2f}", min(0.36, 0.18 * width), "blue"))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        arms = len(s.means)
        inside = LEFT <= x < LEFT + WIDTH and TOP <= y < TOP + HEIGHT
        return min(int((x - LEFT) * arms / WIDTH), arms - 1) if inside else None


env, raw_env, parallel_env = pettingzoo_forms(RecurringBandit)
