"""What the games of MinAtar share: a screen of 10 x 10 cells in planes, six actions, and actions that stick.

The game's fields come after `fields()`. Its `step` begins with `stick` and ends with `limit`, its `observe` with
`clear`. Text and picture show the planes, which is all that an agent sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import When
from envsuite.core.random import bernoulli
from envsuite.core.ranges import below
from envsuite.core.world import World
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, Shape, footer

#: Cells on a side of the screen.
SIZE = 10

ACTIONS = ("noop", "left", "up", "right", "down", "fire")
NOOP, LEFT, UP, RIGHT, DOWN, FIRE = range(6)


#: Sentences of these games' pages for players, and the numbers in them.
SCREEN = (
    "The screen has 10 rows and 10 columns of cells, both counted from 0: row 0 is at the top, column 0 at the left. "
    "You see all of it."
)
STICKY = When(
    "sticky",
    "Controls stick: with probability {sticky}, the game ignores your choice and carries out the action of the step "
    "before again (in the first step: `noop`).",
)
CONSTANTS = {"10": "the side of the screen", "0": "the first row and column"}


class Plane(NamedTuple):
    """What a plane of the screen shows, and how text and picture draw a cell that is 1 in it."""

    name: str
    letter: str
    color: str
    form: Literal["block", "mark", "bar", "disc", "dot", "up", "none"] = "block"


def fields() -> list[tuple]:
    """The field that `stick` uses."""
    return [("last_action", below(np.int64, len(ACTIONS)))]  # the action that was carried out in the last step


@kernel
def stick(s, action):
    """The action that is carried out: with probability `sticky` the one of the last step."""
    if bernoulli(s, s.params.sticky):
        action = np.int64(s.last_action)
    s.last_action = action
    return action


@kernel
def limit(s):
    """Truncate a game that is not over after `horizon` steps."""
    s.truncated[0] = s.terminated[0] == 0 and s.t >= s.params.horizon


@kernel
def clear(out):
    """Nothing is on the screen."""
    fill(out, 0)


@kernel
def mark(out, y, x, plane):
    """A cell of the screen is 1 in a plane. Indices without a sign cost no test for negative ones."""
    out.flat[np.uint64((y * SIZE + x) * (out.size // (SIZE * SIZE)) + plane)] = 1


@kernel
def find(screen, plane):
    """The first cell that is 1 in a plane, as SIZE * row + column; 0 if there is none."""
    for y in range(SIZE):
        for x in range(SIZE):
            if screen[y, x, plane] != 0:
                return y * SIZE + x
    return 0


class Arcade(World):
    """A game of MinAtar."""

    masked = False
    #: The planes of the screen in the order of the observation; in a cell with several, the first is on top.
    planes: ClassVar[tuple[Plane, ...]]
    keys = {"left": "left", "up": "up", "right": "right", "down": "down", "space": "fire", ".": "noop"}
    clickable = "(?!)"

    def define_game(self, own: Sequence[tuple], sticky: float, horizon: int, most: float, **params: Any) -> None:
        """Define a game with fields of its own, its largest reward of one step, and further parameters."""
        self.define(
            agents=["agent"],
            actions=ACTIONS,
            observation=Box(0, 1, (SIZE, SIZE, len(self.planes)), np.uint8),
            fields=[*fields(), *own],
            params={"sticky": float(sticky), "horizon": horizon, **params},
            reward_range=(0.0, most),
        )

    def status(self, s: Any) -> str:
        """What the screen's planes do not say in words that help, from what the agent sees."""
        return ""

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        drawn = [k for k, plane in enumerate(self.planes) if plane.form != "none"]
        names = ", ".join(f"{self.planes[k].letter} {self.planes[k].name}" for k in drawn if seen[..., k].any())
        lines = [f"The screen, rows 0 to 9 from the top ({names}):"]
        hidden = []
        for y in range(SIZE):
            row = ""
            for x in range(SIZE):
                there = [self.planes[k] for k in drawn if seen[y, x, k]]
                row += there[0].letter if there else "."
                if len(there) > 1:
                    hidden.append(f"row {y}, column {x}: {' and '.join(plane.name for plane in there)}")
            lines.append(f"{y} {row}")
        if hidden:
            lines.append(f"Several things are in one cell: {'; '.join(hidden)}.")
        over = "The game is over." if s.terminated[0] or s.truncated[0] else ""
        return "\n".join([*lines, f"{self.status(s)} Steps so far: {s.t} of {s.params.horizon}. {over}".strip()])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        seen = self.observation(s, 0)
        scene = Scene(SIZE + 0.4, SIZE + 0.4)
        scene.add(Rect(0, 0, SIZE + 0.4, SIZE + 0.4, "line", radius=0.2), Rect(0.2, 0.2, SIZE, SIZE, "shadow"))
        for k in reversed(range(len(self.planes))):
            for y, x in np.argwhere(seen[..., k]).tolist():
                scene.add(*drawn(self.planes[k], x + 0.2, y + 0.2))
        footer(scene, f"{s.t} / {s.params.horizon}{' · over' if s.terminated[0] else ''}")
        return scene


def drawn(plane: Plane, x: float, y: float) -> list[Shape]:
    """The shapes of a plane's cell, whose top left corner is (x, y)."""
    color, letter = plane.color, plane.letter
    if plane.form == "block":
        return [Rect(x + 0.06, y + 0.06, 0.88, 0.88, color, radius=0.12, glyph=letter)]
    if plane.form == "mark":
        return [
            Rect(x + 0.12, y + 0.12, 0.76, 0.76, color, radius=0.12, glyph=letter),
            Label(x + 0.5, y + 0.5, letter, 0.4, "white"),
        ]
    if plane.form == "bar":
        return [Rect(x, y + 0.3, 1, 0.4, color, radius=0.1, glyph=letter)]
    if plane.form == "disc":
        return [Circle(x + 0.5, y + 0.5, 0.4, color, glyph=letter)]
    if plane.form == "dot":
        return [Circle(x + 0.5, y + 0.5, 0.17, color, glyph=letter)]
    if plane.form == "up":
        corners = [(x + 0.5, y + 0.08), (x + 0.92, y + 0.9), (x + 0.08, y + 0.9)]
        return [Polygon(corners, color), Label(x + 0.5, y + 0.62, letter, 0.4, "white")]
    return []
