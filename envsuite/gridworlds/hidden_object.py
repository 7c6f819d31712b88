"""HiddenObject: see once what is in each chest, pick fruit for a while, and then open the chest with a certain figure.

**Rules.** A square room has 9 x 9 cells between its walls. The agent begins in the middle of it, and `chests` chests
stand at places around it: three cells to the north, north east, east and so on. Each holds a different figure.

1. *Opening.* The chests are opened one after another, in a random order. Each is open for one step and shows its
   figure. The agent cannot move yet.
2. *Fruit.* For `delay` steps, the agent can pick fruit. One fruit lies in a random free cell. Entering the cell pays
   0.1, and then a fruit lies in another one. A move into a wall or a chest is none.
3. *Search.* The fruit is gone, and a figure of one of the chests is named. Entering a chest opens it: that pays 1 if it
   has this figure, otherwise 0, and the episode ends.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| phase | Box (1,) int8 | 0 opening, 1 fruit, 2 search |
| target | Box (1,) int16 | the figure that is named: 10 x shape + color; -1 before |
| agent | Box (2,) int8 | row and column of the agent, from 1 to 9 |
| chests | Box (chests, 3) int16 | row, column and figure of each, row by row; the figure is -1 while it is closed |
| fruit | Box (2,) int8 | row and column of the fruit; -1 if there is none |

**Actions.** Discrete (8), all of them always legal.

| action | name |
|---|---|
| 0-7 | `north`, `north east`, `east`, `south east`, `south`, `south west`, `west`, `north west` |

**Window.** The arrow keys move the agent, and `q`, `e`, `z` and `c` move it diagonally. A click moves it toward that
point.

**Rewards.** 0.1 for each fruit; 1 for the right chest, 0 for another one.

**Ends.** Terminates when the agent opens a chest. Truncated after `patience` steps of search.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `chests` | 4 | number of chests, from 1 to 8 |
| `delay` | 20 | steps of fruit, from 0 to 1,000 |
| `patience` | 50 | steps of search until truncation, from 1 to 1,000 |

**Level.** ``{"chests": [[2, 5, "blue 3-sided"], [8, 8, "red 4-rayed"]], "target": 1}``: row, column and figure of each
chest, in the order in which they are opened, and the number of the one whose figure is named. Fruits are drawn.

**Known values.** An agent that opens a chest without memory finds the figure with probability 1 / `chests`. Random play
finds it with probability 0.202 by default, from powers of its transition matrix.

**Differences.** From the paper:

- Its rooms have three dimensions, and its agent sees what is in front of it.
- Fruit and chests pay as in the list above. The paper's chests are opened by the agent itself.

**Source.** The rules are our own, after Lampinen, Chan, Banino and Hill, "Towards mental time travel: a hierarchical
memory for reinforcement learning agents", 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import figures
from envsuite.kit.figures import placed
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, apple, footer

OPENING, FRUIT, SEARCH = range(3)

#: Nothing there.
NONE = -1

#: What a fruit pays.
PAY = 0.1


def fields(chests: int) -> list[tuple]:
    """The record's own fields. Chests are in the order of their places."""
    return [
        ("place", below(np.int64, figures.PLACES), (chests,)),  # level
        ("order", below(np.int64, chests), (chests,)),  # level: how many are opened before each
        ("figures", below(np.int64, figures.FIGURES), (chests,)),  # level
        ("target", below(np.int64, chests)),  # level: the chest that is asked for
        ("row", within(np.int64, 1, figures.SIDE)),
        ("column", within(np.int64, 1, figures.SIDE)),
        ("fruit_row", within(np.int64, 1, figures.SIDE)),
        ("fruit_column", within(np.int64, 1, figures.SIDE)),
        ("picked", within(np.int64, 0, 1000)),  # fruits so far
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        figures.distinct_sorted(s, s.place, figures.PLACES)
        figures.distinct(s, s.order, s.place.shape[0])
        figures.distinct(s, s.figures, figures.FIGURES)
        s.target = random.randint(s, s.place.shape[0])
    s.row = figures.CENTER
    s.column = figures.CENTER
    s.picked = 0
    put_fruit(s)


@kernel
def chest_at(s, row, column):
    """The chest in a cell; NONE if there is none."""
    for k in range(s.place.shape[0]):
        if row == figures.PLACE_ROW[s.place[k]] and column == figures.PLACE_COLUMN[s.place[k]]:
            return k
    return NONE


@kernel
def put_fruit(s):
    """Draw a cell for the fruit that has neither a chest nor the agent."""
    again = True
    while again:
        s.fruit_row = 1 + random.randint(s, figures.SIDE)
        s.fruit_column = 1 + random.randint(s, figures.SIDE)
        taken = s.fruit_row == s.row and s.fruit_column == s.column
        again = taken or chest_at(s, s.fruit_row, s.fruit_column) != NONE


@kernel
def phase_at(s, t):
    """The phase after `t` steps."""
    chests = s.place.shape[0]
    return OPENING if t < chests else FRUIT if t < chests + s.params.delay else SEARCH


@kernel
def length(s):
    """The most steps of an episode."""
    return s.place.shape[0] + s.params.delay + s.params.patience


@kernel
def step(s, actions, rewards):
    phase = phase_at(s, s.t - 1)
    if phase != OPENING:
        row, column = s.row + figures.DOWN[actions[0]], s.column + figures.RIGHT[actions[0]]
        chest = chest_at(s, row, column)
        if figures.inside(row, column) and (phase == SEARCH or chest == NONE):
            s.row = row
            s.column = column
        if phase == SEARCH and chest != NONE:
            rewards[0] = 1.0 if chest == s.target else 0.0
            s.terminated[0] = 1
    if phase == FRUIT and s.row == s.fruit_row and s.column == s.fruit_column:
        rewards[0] = PAY
        s.picked += 1
        put_fruit(s)
    s.truncated[0] = s.t >= length(s) and s.terminated[0] == 0


@kernel
def observe(s, agent, out):
    phase = phase_at(s, s.t)
    out.phase[0] = phase
    out.target[0] = s.figures[s.target] if phase == SEARCH else NONE
    out.agent[0] = s.row
    out.agent[1] = s.column
    out.fruit[0] = s.fruit_row if phase == FRUIT else NONE
    out.fruit[1] = s.fruit_column if phase == FRUIT else NONE
    opened = chest_at(s, s.row, s.column)
    for k in range(s.place.shape[0]):
        out.chests[k, 0] = figures.PLACE_ROW[s.place[k]]
        out.chests[k, 1] = figures.PLACE_COLUMN[s.place[k]]
        out.chests[k, 2] = s.figures[k] if s.order[k] == s.t or k == opened else NONE


PAGE = Page(
    role=(
        "You are shown what is in {chests:chest}.",
        When("delay", "Then you pick fruit for a while."),
        "At the end you look for the chest with a certain figure.",
    ),
    goal=(
        When("delay", "Each fruit pays you {fruit}."),
        "The chest with the figure that is named pays you 1, a wrong one 0.",
    ),
    rules=(
        (
            "The room has {side} rows and {side} columns of cells. Row 1 is in the north, column 1 in the west. You "
            "begin in the middle. The chests stand around it, {far} cells to the north, north east, east and so on, "
            "and each holds a different figure, which has a color and a shape."
        ),
        (
            "First the chests are opened one after another, in a random order, each for one turn, which shows its "
            "figure. Until then you cannot move: whatever you choose, you stay where you are."
        ),
        When(
            "delay",
            (
                "Then you may pick fruit for {delay:turn}. There is always one fruit, in a random cell without a "
                "chest. You pick it by entering its cell, and another one appears elsewhere. You cannot enter the cell "
                "of a chest in this time: such a move, like one into a wall, leaves you where you are."
            ),
        ),
        (
            When("delay", "Then the fruit is gone, and", "Then"),
            "the figure of one of the chests is named. You have {patience:turn} to go to a chest. Entering its cell "
            "opens it. A move into a wall leaves you where you are.",
        ),
    ),
    sees="You see the whole room, but not what is in a closed chest.",
    acts={
        ("north", "north east", "east", "south east", "south", "south west", "west", "north west"): (
            "move one cell in this direction"
        )
    },
    ends="It is over when you open a chest, or after {patience:turn} of searching.",
    constants={"1": "the first row, and the reward", "0": "the reward of a wrong chest"},
)


class HiddenObject(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("memory",)
    verified = "closed forms; exact chances of random play by its transition matrix"
    variants = (dict(chests=8, delay=3), dict(chests=2, delay=0, patience=5))
    shown = "memory"
    keys = figures.MOVE_KEYS
    player_page = PAGE

    def __init__(
        self,
        chests: Annotated[int, Between(1, figures.PLACES)] = 4,
        delay: Annotated[int, Between(0, 1000)] = 20,
        patience: Annotated[int, Between(1, 1000)] = 50,
    ):
        least, most = np.array([2, 2, NONE], np.int16), np.array([8, 8, figures.FIGURES - 1], np.int16)
        self.define(
            agents=["agent"],
            actions=figures.MOVES,
            observation=Dict(
                phase=Box(OPENING, SEARCH, (1,), np.int8),
                target=Box(NONE, figures.FIGURES - 1, (1,), np.int16),
                agent=Box(1, figures.SIDE, (2,), np.int8),
                chests=Box(np.tile(least, (chests, 1)), np.tile(most, (chests, 1)), dtype=np.int16),
                fruit=Box(NONE, figures.SIDE, (2,), np.int8),
            ),
            fields=fields(chests),
            params={"delay": delay, "patience": patience},
            reward_range=(0.0, 1.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"side": figures.SIDE, "far": figures.CENTER - int(figures.PLACE_ROW.min()), "fruit": PAY}

    def contradiction(self, s: Any) -> str | None:
        if (np.diff(s.place) <= 0).any() or len(set(s.order.tolist())) < len(s.order):
            return "the chests must have different places, in their order, and different turns"
        if len(set(s.figures.tolist())) < len(s.figures):
            return "two chests have one figure"
        if chest_at(s, s.row, s.column) != NONE and not s.terminated[0]:
            return "the agent is in a chest"
        over = s.terminated[0] or s.truncated[0]
        return "the episode is too long" if s.t >= length(s) and not over else None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        rows, target, places = placed(self, level, "chests", len(s.place), 3)
        for k, row in enumerate(rows):
            if row[2] not in figures.NUMBERS:
                raise LevelError(f"{self.id}: chest {k}, {row!r:.60}, needs a figure such as {figures.named(0)!r}")
        if len({row[2] for row in rows}) < len(rows):
            raise LevelError(f"{self.id}: two chests have one figure")
        turns = np.argsort(places).tolist()
        s.order[:] = turns
        s.target = turns.index(target)
        for at, k in enumerate(turns):
            s.place[at], s.figures[at] = places[k], figures.NUMBERS[rows[k][2]]

    def get_level(self, s: Any) -> dict[str, Any]:
        rows: list[Any] = [None] * len(s.place)
        for k, turn in enumerate(s.order.tolist()):
            rows[turn] = [
                int(figures.PLACE_ROW[s.place[k]]),
                int(figures.PLACE_COLUMN[s.place[k]]),
                figures.named(int(s.figures[k])),
            ]
        return {"chests": rows, "target": int(s.order[s.target])}

    # Words and pictures.

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, 0)
        lines = [f"You are in row {s.row}, column {s.column}."]
        for row, column, number in seen.chests.tolist():
            holds = f" shows a figure: {figures.named(number)}" if number != NONE else " is closed"
            lines.append(f"The chest in row {row}, column {column}{holds}.")
        if s.terminated[0] or s.truncated[0]:
            return "\n".join([*lines, "It is over."])
        if seen.phase[0] == OPENING:
            return "\n".join([*lines, "You cannot move yet."])
        if seen.phase[0] == FRUIT:
            left = len(s.place) + s.params.delay - s.t
            lines.append(f"A fruit lies in row {s.fruit_row}, column {s.fruit_column}. Steps left to pick: {left}.")
        else:
            lines.append(f"Find this figure: {figures.named(int(seen.target[0]))}.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene, seen = figures.room(), self.observation(s, 0)
        for k, (row, column, number) in enumerate(seen.chests.tolist()):
            edge = "gold" if agent is None and k == s.target else "black"
            opened = number != NONE
            scene.add(Rect(column + 0.06, row + 0.06, 0.88, 0.88, "white" if opened else "soil", edge, 0.09, 0.12))
            if opened or agent is None:
                scene.add(figures.figure(column + 0.5, row + 0.5, int(s.figures[k]), 0.8 if opened else 0.55))
            else:
                scene.add(Label(column + 0.5, row + 0.52, "?", 0.5, "black", bold=True))
        if seen.fruit[0] != NONE:
            scene.add(*apple(int(s.fruit_column) + 0.5, int(s.fruit_row) + 0.5))
        if not (s.terminated[0] and chest_at(s, s.row, s.column) != NONE):
            figures.put_agent(scene, int(s.row), int(s.column))
        words = "the chests open" if seen.phase[0] == OPENING else f"pick fruit: {s.picked}"
        over = " · over" if s.terminated[0] or s.truncated[0] else ""
        y = footer(scene, "" if seen.target[0] != NONE else words, f"step {s.t} of {length(s)}{over}")
        if seen.target[0] != NONE:
            scene.add(Label(0.25, y, "find", 0.36, "muted", "left"), figures.figure(1.4, y, int(seen.target[0]), 0.66))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        return figures.clicked(int(s.row), int(s.column), x, y)


env, raw_env, parallel_env = pettingzoo_forms(HiddenObject)
