"""LightsOut: press cells, each of which toggles itself and its neighbors, until all lights are off.

**Rules.** The board has `rows` x `columns` lights. Pressing a cell toggles its light and the lights of the cells above,
below, to the left and to the right of it. With `wrap`, opposite edges of the board touch. The episode begins with a
pattern that can be turned off.

**Agents.** One, `agent`.

**Observation.** Box (rows, columns) uint8. Row 0 is the top row.

| value | light |
|---|---|
| 0 | off |
| 1 | on |

**Actions.** Discrete (rows x columns), all of them always legal.

| action | name |
|---|---|
| row x columns + column | the cell to press: `a1` at the top left, `b1` to the right of it |

**Window.** A click on a cell presses it.

**Rewards.** 1 for turning off the last light, and -`press_cost` for every press.

**Ends.** Terminates when all lights are off; truncated after `horizon` presses.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows`, `columns` | 5, 5 | size of the board, from 2 to 10; from 3 to 10 with `wrap` |
| `wrap` | False | whether opposite edges touch |
| `presses` | None | different random cells pressed to make the start, from 1 to rows x columns; None: see below |
| `horizon` | None | presses until truncation, from 1 to 1,000,000; None: 4 x rows x columns |
| `press_cost` | 0 | cost of a press, from 0 to 1 |

With `presses` None, all patterns that can be turned off are equally likely. The start always has a light on.

**Level.** ``{"lights": ["#...#", ".....", "..#..", ".....", "#...#"]}``: lights that are on `#` and off `.`. At least
one light must be on, and it must be possible to turn all of them off.

**Known values.** The order of presses does not matter, and pressing a cell more than once does not help. On an n x n
board, one in 2^d of the 2^(n n) patterns can be turned off, each in 2^d ways. All lights on take at least the number of
presses given here:

| n | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | |
|---|---|---|---|---|---|---|---|---|---|---|
| d | 0 | 0 | 4 | 2 | 0 | 0 | 0 | 8 | 0 | OEIS A159257 |
| d with `wrap` | | 4 | 0 | 8 | 8 | 0 | 0 | 4 | 16 | OEIS A165738 |
| presses for all lights | 4 | 5 | 4 | 15 | 28 | 33 | 40 | 25 | 44 | OEIS A075464 |

A solvable pattern takes at most 9 presses on 3 x 3, 7 on 4 x 4 and 15 on 5 x 5. On 5 x 5, 7,350 of the 8,388,608
patterns take 15 presses, and the mean is 9.9029 (exhaustive counts).

**Differences.** No single implementation is followed.

- The handheld game of 1995 has 5 x 5 lights and its own patterns.

**Source.** Lights Out, Tiger Electronics 1995; Anderson and Feil, "Turning Lights Out with Linear Algebra", Mathematics
Magazine 71, 1998.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import flag, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Rect, Scene, Shape, coordinates, footer

#: The lights that a press toggles: its own and its neighbors, by steps right and down.
STEPS_X = np.array([0, 1, 0, -1, 0])
STEPS_Y = np.array([0, 0, 1, 0, -1])

#: The most random patterns that are drawn until one is not dark.
_TRIES = 30


@kernel
def press(lights, y, x, wrap):
    """Press a cell; return by how many the number of lit lights has grown."""
    rows, columns = lights.shape
    change = 0
    for k in range(5):
        j, i = y + STEPS_Y[k], x + STEPS_X[k]
        if wrap:
            j += rows * (j < 0) - rows * (j >= rows)
            i += columns * (i < 0) - columns * (i >= columns)
        if 0 <= j < rows and 0 <= i < columns:
            lights[j, i] ^= 1
            change += 2 * np.int64(lights[j, i]) - 1
    return change


@kernel
def scramble(s):
    """Press random cells of the dark board."""
    rows, columns = s.start.shape
    lit = 0
    fill(s.start, 0)
    for _ in range(_TRIES):
        if lit == 0:  # the board is still dark: draw again
            left = s.params.presses
            for k in range(rows * columns):
                if bernoulli(s, left / (rows * columns - k) if s.params.presses else 0.5):
                    lit += press(s.start, k // columns, k % columns, s.params.wrap)
                    left -= 1
    if lit == 0:
        cell = randint(s, rows * columns)
        press(s.start, cell // columns, cell % columns, s.params.wrap)


def fields(rows: int, columns: int) -> list[tuple]:
    """The record."""
    return [
        ("lit", within(np.int64, 0, rows * columns)),  # lights that are on
        ("lights", flag(), (rows, columns)),  # whether they are on
        ("start", flag(), (rows, columns)),  # whether they were
    ]


@kernel
def reset(s):
    if not s.level_given:
        scramble(s)
    s.lit = 0
    for k in range(s.start.size):
        s.lights.flat[k] = s.start.flat[k]
        s.lit += s.start.flat[k]


@kernel
def step(s, actions, rewards):
    columns = s.lights.shape[1]
    s.lit += press(s.lights, actions[0] // columns, actions[0] % columns, s.params.wrap)
    rewards[0] = -s.params.press_cost
    if s.lit == 0:
        rewards[0] += 1.0
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    for k in range(s.lights.size):
        out.flat[k] = s.lights.flat[k]


def solve(lights: np.ndarray, wrap: bool) -> np.ndarray | None:
    """A smallest set of cells, (rows, columns) uint8, whose presses turn these lights off, or None."""
    rows, columns = lights.shape
    # One equation per light: a bit for each cell to press, and the light itself as the last bit.
    equations = []
    for k in range(lights.size):
        toggled = np.zeros_like(lights)
        press(toggled, k // columns, k % columns, wrap)
        equations.append(sum(1 << int(cell) for cell in np.flatnonzero(toggled)) | int(lights.flat[k]) << lights.size)
    solved: list[int] = []  # for each equation in order, the cell that it is solved for
    for cell in range(lights.size):
        rank = len(solved)
        found = next((k for k in range(rank, lights.size) if equations[k] >> cell & 1), None)
        if found is not None:
            equations[rank], equations[found] = equations[found], equations[rank]
            for k in range(lights.size):
                if k != rank and equations[k] >> cell & 1:
                    equations[k] ^= equations[rank]
            solved.append(cell)
    if any(equations[len(solved) :]):
        return None

    def values(bit: int) -> int:
        return sum((equation >> bit & 1) << cell for cell, equation in zip(solved, equations))

    solutions = [values(lights.size)]
    for cell in set(range(lights.size)) - set(solved):
        quiet = values(cell) | 1 << cell  # presses that change nothing
        solutions += [solution ^ quiet for solution in solutions]
    best = min(solutions, key=int.bit_count)
    return np.array([best >> k & 1 for k in range(lights.size)], np.uint8).reshape(rows, columns)


PAGE = Page(
    role="You have a board of lights, and you are to turn all of them off.",
    goal=(
        "You are paid 1 for the press that turns off the last light.",
        When("press_cost", "Each press costs {press_cost}."),
    ),
    rules=(
        (
            "The board has {rows:row} and {columns:column}. Cell a1 is at the top left, b1 to the right of it, and a2 "
            "below it. Pressing a cell switches its own light and those of the cells above, below, to the left and to "
            "the right of it: lights that are on go off, and those that are off go on.",
            When(
                "wrap",
                (
                    "Opposite edges touch: a cell at an edge has the one at the other end of its row or column as a "
                    "neighbor."
                ),
                "A cell at an edge has fewer neighbors.",
            ),
        ),
        (
            "At the start at least one light is on, and all can be turned off.",
            When("pressed", "The pattern was made from a dark board by pressing {pressed:cell/different cells}."),
        ),
    ),
    sees="You see all lights.",
    acts={"{CELL}": "press this cell"},
    ends="It is over when all lights are off, or after {horizon:press/presses}.",
    constants={"1": "the reward"},
)


class LightsOut(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    information = "perfect"
    masked = False
    kind = ("puzzles",)
    verified = "linear algebra over GF(2); exhaustive counts"
    variants = (dict(rows=4, columns=7, wrap=True, presses=3, press_cost=0.01),)
    level_fields = {"lights": ("start", ".#")}
    player_page = PAGE

    def __init__(
        self,
        rows: Annotated[int, Between(2, 10)] = 5,
        columns: Annotated[int, Between(2, 10)] = 5,
        wrap: bool = False,
        presses: Annotated[int | None, Between(1, 100)] = None,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
        press_cost: Annotated[float, Between(0, 1)] = 0.0,
    ):
        if wrap and min(rows, columns) < 3:
            raise ParameterError(f"LightsOut: with wrap, rows={rows} and columns={columns} must be at least 3")
        if presses is not None and presses > rows * columns:
            raise ParameterError(
                f"LightsOut: presses={presses} must be at most the {rows * columns} cells of the board"
            )
        self.define(
            agents=["agent"],
            actions=[f"{chr(97 + c)}{r + 1}" for r in range(rows) for c in range(columns)],
            observation=Box(0, 1, (rows, columns), np.uint8),
            fields=fields(rows, columns),
            params={
                "wrap": wrap,
                "presses": limited(presses or 0, 0, rows * columns),
                "horizon": horizon or 4 * rows * columns,
                "press_cost": float(press_cost),
            },
            reward_range=(-float(press_cost), 1.0 - float(press_cost)),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"pressed": int(s.params.presses), "horizon": int(s.params.horizon)}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        if not s.start.any():
            raise LevelError(f"{self.id}: the level's lights are all off")
        if solve(s.start, bool(s.params.wrap)) is None:
            raise LevelError(f"{self.id}: the level's lights cannot be turned off by any presses")

    def contradiction(self, s: Any) -> str | None:
        return "lit is not the number of lights that are on" if s.lit != s.lights.sum() else None

    def text(self, s: Any, agent: int) -> str:
        rows, columns = s.lights.shape
        margin = len(str(rows))
        lines = ["The lights (# on, . off):"]
        lines.append(" " * (margin + 1) + " ".join(chr(97 + c) for c in range(columns)))
        lines += [f"{r + 1:{margin}} " + " ".join(".#"[light] for light in s.lights[r]) for r in range(rows)]
        if s.lit:
            are = "light is" if s.lit == 1 else "lights are"
            lines.append(f"{s.lit} {are} on; {s.t} of {s.params.horizon} presses are used.")
        else:
            lines.append(f"All lights are off, after {s.t} {'press' if s.t == 1 else 'presses'}.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The board, with rings on the cells of a shortest solution; for the agent, without rings."""
        rows, columns = s.lights.shape
        scene = Scene(columns + 1.4, rows + 1.1)
        scene.add(Rect(0.8, 0.4, columns + 0.2, rows + 0.2, "shadow", radius=0.24))
        solution = solve(s.lights, bool(s.params.wrap)) if agent is None else None
        for r in range(rows):
            for c in range(columns):
                scene.add(*_cell(c + 0.9, r + 0.5, bool(s.lights[r, c]), solution is not None and bool(solution[r, c])))
        scene.add(*coordinates(0.9, 0.5, columns, rows, from_top=True))
        left = 0 if solution is None else int(solution.sum())
        footer(scene, f"{s.t} / {s.params.horizon}", f"{left} to go" if left else "", margin=0.9)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        rows, columns = s.lights.shape
        row, column = math.floor(y - 0.5), math.floor(x - 0.9)
        return row * columns + column if 0 <= row < rows and 0 <= column < columns else None


def _cell(x: float, y: float, on: bool, marked: bool) -> list[Shape]:
    """One light; (x, y) is its cell's top left corner."""
    ring = [Circle(x + 0.5, y + 0.5, 0.15, None, "orange" if on else "beam@0.75", 0.07, glyph="")] if marked else []
    if not on:
        return [
            Rect(x + 0.06, y + 0.06, 0.88, 0.88, "wall", radius=0.16, glyph="."),
            Rect(x + 0.06, y + 0.06, 0.88, 0.42, "white@0.06", radius=0.16),
            *ring,
        ]
    return [
        Rect(x - 0.02, y - 0.02, 1.04, 1.04, "beam@0.25", radius=0.24),
        Rect(x + 0.06, y + 0.06, 0.88, 0.88, "beam", radius=0.16, glyph="#"),
        Rect(x + 0.16, y + 0.14, 0.68, 0.3, "white@0.45", radius=0.12),
        *ring,
    ]


env, raw_env, parallel_env = pettingzoo_forms(LightsOut)
