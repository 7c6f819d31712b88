"""Ballet: watch dancers one after another, and then go to the one that did a certain dance.

**Rules.** A square room has 9 x 9 cells between its walls. The agent stands in the middle of it, and `dancers` dancers
stand at places around it: three cells to the north, north east, east and so on. They differ in dance, shape and color.

*Watching.* The dancers dance one after another, each once, with `delay` steps between them. A dance has 16 moves, each
to one of the eight cells around, and stays within a cell of its place, where it ends. The first dancer makes its first
move before the agent sees anything; the next one follows 15 + `delay` moves later. What the agent does has no effect.

*Choosing.* 15 + `delay` moves after the last dancer began, the instruction changes from "watch" to the name of a dance.
Actions are then moves, and a move into a wall is none. The agent gets 1 in the cell of the dancer that did this dance
and 0 in that of another one, and the episode ends. A `horizon` that is too short ends it before.

| dance | moves | dance | moves |
|---|---|---|---|
| `bounce` | 4 times south, north, north, south | `saltire` | out and back along the diagonals |
| `sway` | 4 times west, east, east, west | `hourglass` | two triangles, one north and one south |
| `slash` | to the south west and to the north east | `bow tie` | two triangles, one west and one east |
| `backslash` | to the south east and to the north west | `diamond` | three times around the center |
| `wheel` | around the edge to the left | `arrow` | a triangle to the north, and south |
| `wheel back` | around the edge to the right | `zigzag` | as the letter Z |
| `star` | out and back east, west, south, north | | |

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| instruction | Box (1,) int8 | 0 watch; from 1 on, a dance in the order of the table, the left columns first |
| agent | Box (2,) int8 | row and column of the agent, from 1 to 9 |
| dancers | Box (dancers, 4) int8 | row, column, shape and color of each, in the order of their places, row by row |

**Actions.** Discrete (8), all of them always legal.

| action | name |
|---|---|
| 0-7 | `north`, `north east`, `east`, `south east`, `south`, `south west`, `west`, `north west` |

**Window.** The arrow keys move the agent, and `q`, `e`, `z` and `c` move it diagonally. A click moves it toward that
point.

**Rewards.** 1 for the dancer with the dance, 0 for another one.

**Ends.** Terminates in the cell of a dancer. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `dancers` | 2 | number of dancers, from 1 to 8; the source has 2, 4 and 8 |
| `delay` | 16 | moves between two dances, from 1 to 100; the source has 16 and 48 |
| `horizon` | 320 | steps until truncation, from 1 to 100,000; 1,024 in the source for a `delay` of 48 |

**Level.** ``{"dancers": [[2, 5, "sway", 0, 3], [8, 8, "star", 4, 1]], "target": 1}``: row, column, dance, shape and
color of each dancer, in the order in which they dance, and the number of the one that is asked for, from 0.

**Known values.** With 2, 4 and 8 dancers and a `delay` of 16, the choice begins after 62, 124 and 248 steps, and with 2
and 8 dancers and a `delay` of 48 after 126 and 504: 15 + `delay` for each dancer, as in runs of the source. Random play
finds the right dancer with probability 0.479, 0.249 and 0.125, from powers of its transition matrix. A guess among the
dancers earns 1 / `dancers`.

**Differences.** From pycolab_ballet of DeepMind:

- The dances are our own, with the same number and the same bounds.
- The room is observed by numbers instead of pixels around the agent.
- There are 10 colors instead of 19.

**Source.** Lampinen, Chan, Banino and Hill, "Towards mental time travel: a hierarchical memory for reinforcement
learning agents", 2021, and its code, pycolab_ballet in google-deepmind/deepmind-research.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_integer, read_name
from envsuite.core.page import Page
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.kit import figures
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, footer

_LETTERS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")

#: The moves of the dances.
DANCES = {
    "bounce": 4 * "s n n s ",
    "sway": 4 * "w e e w ",
    "slash": 4 * "sw ne ne sw ",
    "backslash": 4 * "se nw nw se ",
    "wheel": 2 * "e n w w s s e n ",
    "wheel back": 2 * "w n e e s s w n ",
    "star": 2 * "e w w e s n n s ",
    "saltire": 2 * "se nw nw se sw ne ne sw ",
    "hourglass": 2 * "nw e e sw se w w ne ",
    "bow tie": 2 * "nw s s ne ne s s nw ",
    "diamond": "n " + 3 * "se sw nw ne " + "s n s ",
    "arrow": 2 * "n sw e e nw s s n ",
    "zigzag": 2 * "nw e e sw sw e e nw ",
}
NAMES = tuple(DANCES)

#: Moves of a dance.
LENGTH = 16

#: Where a dancer is from its place after each number of moves: row and column.
_STEPS = np.array([[_LETTERS.index(move) for move in moves.split()] for moves in DANCES.values()])
OFFSETS = np.zeros((len(NAMES), LENGTH + 1, 2), np.int64)
OFFSETS[:, 1:, 0] = figures.DOWN[_STEPS].cumsum(axis=1)
OFFSETS[:, 1:, 1] = figures.RIGHT[_STEPS].cumsum(axis=1)


def fields(dancers: int) -> list[tuple]:
    """The record's own fields. Dancers are in the order of their places."""
    return [
        ("place", below(np.int64, figures.PLACES), (dancers,)),  # level
        ("order", below(np.int64, dancers), (dancers,)),  # level: how many dance before each
        ("dance", below(np.int64, len(NAMES)), (dancers,)),  # level
        ("shape", below(np.int64, len(figures.SHAPES)), (dancers,)),  # level
        ("color", below(np.int64, len(figures.COLORS)), (dancers,)),  # level
        ("target", below(np.int64, dancers)),  # level: the one that is asked for
        ("row", within(np.int64, 1, figures.SIDE)),
        ("column", within(np.int64, 1, figures.SIDE)),
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        draw(s)
    s.row = figures.CENTER
    s.column = figures.CENTER


@kernel
def draw(s):
    """Draw different places, turns, dances, shapes and colors, and the target."""
    dancers = s.place.shape[0]
    figures.distinct_sorted(s, s.place, figures.PLACES)
    figures.distinct(s, s.order, dancers)
    figures.distinct(s, s.dance, len(NAMES))
    figures.distinct(s, s.shape, len(figures.SHAPES))
    figures.distinct(s, s.color, len(figures.COLORS))
    s.target = random.randint(s, dancers)


@kernel
def chosen_from(s):
    """The step after which the instruction names a dance."""
    return s.place.shape[0] * (LENGTH - 1 + s.params.delay)


@kernel
def moves_made(s, k):
    """How many moves of its dance a dancer has made."""
    return min(max(s.t + 1 - s.order[k] * (LENGTH - 1 + s.params.delay), 0), LENGTH)


@kernel
def step(s, actions, rewards):
    if s.t > chosen_from(s):
        row, column = s.row + figures.DOWN[actions[0]], s.column + figures.RIGHT[actions[0]]
        if figures.inside(row, column):
            s.row = row
            s.column = column
        for k in range(s.place.shape[0]):
            if s.row == figures.PLACE_ROW[s.place[k]] and s.column == figures.PLACE_COLUMN[s.place[k]]:
                rewards[0] = 1.0 if k == s.target else 0.0
                s.terminated[0] = 1
    s.truncated[0] = s.t >= s.params.horizon and s.terminated[0] == 0


@kernel
def observe(s, agent, out):
    out.instruction[0] = 1 + s.dance[s.target] if s.t >= chosen_from(s) else 0
    out.agent[0] = s.row
    out.agent[1] = s.column
    for k in range(s.place.shape[0]):
        made = moves_made(s, k)
        out.dancers[k, 0] = figures.PLACE_ROW[s.place[k]] + OFFSETS[s.dance[k], made, 0]
        out.dancers[k, 1] = figures.PLACE_COLUMN[s.place[k]] + OFFSETS[s.dance[k], made, 1]
        out.dancers[k, 2] = s.shape[k]
        out.dancers[k, 3] = s.color[k]


PAGE = Page(
    role="You watch {dancers:dancer} in a room, and then you go to the one that did a certain dance.",
    goal="The right dancer pays you 1, a wrong one 0.",
    rules=(
        (
            "The room has {side} rows and {side} columns of cells. Row 1 is in the north, column 1 in the west. You "
            "begin in the middle. The dancers stand at places around you, {far} cells to the north, north east, east "
            "and so on. Each has its own color, shape and dance."
        ),
        (
            "First you watch. The dancers dance one after another, each once. A dance has {moves} moves, one in each "
            "turn, each to one of the eight cells around. It begins and ends at the dancer's place and stays within a "
            "cell of it. The first dancer has just made its first move when you see the room for the first time. Each "
            "of the others begins {delay:turn} after the last move of the one before it. In the first {watching:turn} "
            "you cannot move: whatever you choose, you stay where you are."
        ),
        (
            "Then you are told the name of a dance, and you may move. In each turn you go one cell in any of the eight "
            "directions; a move into a wall leaves you where you are."
        ),
        "The dances, move by move (n is north, ne north east, and so on): {dances}.",
    ),
    sees=(
        "You see where you and the dancers are, and their colors and shapes, but only as they are now. You are not "
        "told which dancer is dancing."
    ),
    acts={
        ("north", "north east", "east", "south east", "south", "south west", "west", "north west"): (
            "move one cell in this direction"
        )
    },
    ends="It is over when you enter the cell of a dancer, or after {horizon:turn} in all.",
    constants={"1": "the first row, and the reward", "0": "the reward of a wrong dancer", "eight": "cells around one"},
)


class Ballet(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    paid_at_end = True
    kind = ("memory",)
    verified = "lengths of the source's episodes; exact chances of random play by its transition matrix"
    variants = (dict(dancers=4, delay=1), dict(dancers=8, horizon=300))
    shown = "memory"
    keys = figures.MOVE_KEYS
    player_page = PAGE

    def __init__(
        self,
        dancers: Annotated[int, Between(1, figures.PLACES)] = 2,
        delay: Annotated[int, Between(1, 100)] = 16,
        horizon: Annotated[int, Horizon(1, 100_000)] = 320,
    ):
        least = np.array([1, 1, 0, 0], np.int8)
        most = np.array([figures.SIDE, figures.SIDE, len(figures.SHAPES) - 1, len(figures.COLORS) - 1], np.int8)
        self.define(
            agents=["agent"],
            actions=figures.MOVES,
            observation=Dict(
                instruction=Box(0, len(NAMES), (1,), np.int8),
                agent=Box(1, figures.SIDE, (2,), np.int8),
                dancers=Box(np.tile(least, (dancers, 1)), np.tile(most, (dancers, 1)), dtype=np.int8),
            ),
            fields=fields(dancers),
            params={"delay": delay, "horizon": horizon, "dancers": fixed(dancers)},
            reward_range=(0.0, 1.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            "side": figures.SIDE,
            "far": figures.CENTER - int(figures.PLACE_ROW.min()),
            "moves": LENGTH,
            "watching": len(s.place) * (LENGTH - 1 + int(s.params.delay)),
            "dances": "; ".join(f"{name}: {_in_words(moves)}" for name, moves in DANCES.items()),
        }

    def contradiction(self, s: Any) -> str | None:
        if s.t >= s.params.horizon and not (s.terminated[0] or s.truncated[0]):
            return "the episode has more steps than its horizon"
        if (np.diff(s.place) <= 0).any() or len(set(s.order.tolist())) < len(s.order):
            return "the dancers must have different places, in their order, and different turns"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        rows, target, places = figures.placed(self, level, "dancers", len(s.place), 5)
        for k, (_, _, dance, shape, color) in enumerate(rows):
            what = f"{self.id}: dancer {k}:"
            read_name(dance, f"{what} dance", NAMES)
            read_integer(shape, f"{what} shape", 0, len(figures.SHAPES) - 1)
            read_integer(color, f"{what} color", 0, len(figures.COLORS) - 1)
        for what, part in (("dance", 2), ("shape", 3), ("color", 4)):
            if len({row[part] for row in rows}) < len(rows):
                raise LevelError(f"{self.id}: two dancers have one {what}")
        turns = np.argsort(places).tolist()
        s.order[:] = turns
        s.target = turns.index(target)
        for at, k in enumerate(turns):
            s.place[at], s.dance[at] = places[k], NAMES.index(rows[k][2])
            s.shape[at], s.color[at] = rows[k][3:]

    def get_level(self, s: Any) -> dict[str, Any]:
        rows: list[Any] = [None] * len(s.place)
        for k, turn in enumerate(s.order.tolist()):
            row, column = int(figures.PLACE_ROW[s.place[k]]), int(figures.PLACE_COLUMN[s.place[k]])
            rows[turn] = [row, column, NAMES[s.dance[k]], int(s.shape[k]), int(s.color[k])]
        return {"dancers": rows, "target": int(s.order[s.target])}

    # Words and pictures.

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, 0)
        lines = [f"You are in row {s.row}, column {s.column}."]
        for row, column, shape, color in seen.dancers.tolist():
            lines.append(f"{figures.COLORS[color]} {figures.SHAPES[shape]} dancer: row {row}, column {column}")
        if s.terminated[0] or s.truncated[0]:
            return "\n".join([*lines, "It is over."])
        if not seen.instruction[0]:
            return "\n".join([*lines, "Instruction: watch. You cannot move yet."])
        return "\n".join([*lines, f"Instruction: {NAMES[seen.instruction[0] - 1]}."])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene, seen = figures.room(), self.observation(s, 0)
        for k, (row, column, shape, color) in enumerate(seen.dancers.tolist()):
            if agent is None and k == s.target:
                scene.add(Rect(column + 0.04, row + 0.04, 0.92, 0.92, None, "gold", 0.08, 0.1))
            scene.add(figures.figure(column + 0.5, row + 0.5, len(figures.COLORS) * shape + color))
            if agent is None:
                scene.add(
                    Label(column + 0.5, row + 0.52, str(s.order[k] + 1), 0.32, "white", bold=True, terminal=False)
                )
        figures.put_agent(scene, int(s.row), int(s.column))
        word = NAMES[seen.instruction[0] - 1] if seen.instruction[0] else "watch"
        over = " · over" if s.terminated[0] or s.truncated[0] else ""
        footer(scene, f"instruction: {word}", f"step {s.t} of {s.params.horizon}{over}")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        return figures.clicked(int(s.row), int(s.column), x, y)


def _in_words(moves: str) -> str:
    """The moves of a dance, those that are repeated once."""
    steps = moves.split()
    for times, words in ((4, "4 times"), (2, "twice")):
        part = steps[: len(steps) // times]
        if part * times == steps:
            return f"{words} {' '.join(part)}"
    return " ".join(steps)


env, raw_env, parallel_env = pettingzoo_forms(Ballet)
