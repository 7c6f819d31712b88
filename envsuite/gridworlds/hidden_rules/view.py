"""The texts and the picture of HiddenRules. None of them says what the rule is, except to spectators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.gridworlds.hidden_rules.kernels import CLICK, COLORS, HIDDEN, RULES
from envsuite.render.scene import Label, Rect, Scene

if TYPE_CHECKING:
    from envsuite.gridworlds.hidden_rules import HiddenRules

#: A letter for each color, in texts.
LETTERS = ".gablrOGDtskpoPLSyw#?"
#: The theme's names of the colors.
FILLS = (
    "floor", "gold", "grey", "blue", "sky", "red", "orange", "green", "leaf", "square", "brown", "water", "purple",
    "orange", "pink", "pink@0.5", "grey@0.5", "yellow", "white", "black", "shadow@0.35",
)  # fmt: skip

EXPLORE, TEST, CHOOSE = range(3)

#: The grid in a picture, the column beside it, and the bar of frames.
_LEFT, _TOP, _SIDE, _BESIDE, _BAR = 0.5, 1.5, 9.0, 10.1, 10.75
#: The cells of small grids, and the places of the options.
_CELL = 0.36
_PLACES = [(_BESIDE + 3.0 * (k % 2), 2.3 + 2.75 * (k // 2)) for k in range(6)]


def rows_of(cells: np.ndarray) -> list[str]:
    """A grid in letters."""
    return ["".join(LETTERS[code] for code in row) for row in cells.tolist()]


def text(world: HiddenRules, s: Any, agent: int) -> str:
    seen, task = world.observation(s, 0), world.parameters["task"]
    phase, size = int(seen.phase), seen.frame.shape[0]
    lines = [_heading(world, seen)]
    shown = {*np.unique(seen.frame).tolist(), *np.unique(seen.options).tolist() * (phase == CHOOSE)}
    if task == "plan" and phase == TEST:
        shown |= set(np.unique(seen.goal).tolist()) - {HIDDEN}
    legend = ", ".join(f"{LETTERS[code]} {COLORS[code]}" for code in sorted(shown))
    lines.append(f"The world ({legend}), with the numbers of columns and rows:")
    lines.append("   " + "".join(str(x % 10) for x in range(size)))
    lines += [f"{y:2} {row}" for y, row in enumerate(rows_of(seen.frame))]
    if task == "plan" and phase == TEST:
        row, column = seen.window.tolist()
        lines.append(f"The goal, from column {column} of row {row} on:")
        lines += [f"   {part}" for part in rows_of(seen.goal[row : row + 5, column : column + 7])]
    if task == "predict" and phase == CHOOSE:
        row, column = seen.window.tolist()
        lines.append(f"What does the window show, from column {column} of row {row} on?")
        for k in range(len(seen.options)):
            lines.append(f"option {k}: {' / '.join(rows_of(seen.options[k]))}")
    if s.terminated[0] or s.truncated[0]:
        lines.append("It is over.")
    return "\n".join(lines)


def _heading(world: HiddenRules, seen: Any) -> str:
    task, phase, clock = world.parameters["task"], int(seen.phase), int(seen.clock[0])
    number, last = seen.number.tolist()
    if phase == EXPLORE:
        return f"You explore: {clock} of {world.parameters['explore']} steps."
    if task == "plan":
        return f"The test, step {clock}: reach the goal."
    if task == "detect":
        if phase == TEST:
            return f"The test, frame {number}: notice when the rule changes."
        return f"Frame {number} of {last}: from which frame on has the rule changed?"
    before = f"after `{world.action_names[0][int(seen.took)]}`" if number else "the start"
    return f"The video, frame {number} of {last}: {before}."


def _grid(scene: Scene, cells: np.ndarray, x: float, y: float, unit: float) -> None:
    """A grid of cells with its top left corner at (x, y)."""
    rows, columns = cells.shape
    scene.add(Rect(x, y, columns * unit, rows * unit, FILLS[0], "line", 0.03))
    for row, column in np.argwhere(cells).tolist():
        code = int(cells[row, column])
        left, top, side = x + (column + 0.03) * unit, y + (row + 0.03) * unit, 0.94 * unit
        scene.add(Rect(left, top, side, side, FILLS[code], radius=0.1 * unit, glyph=LETTERS[code]))


def scene(world: HiddenRules, s: Any, agent: int | None = None) -> Scene:
    seen, task = world.observation(s, 0), world.parameters["task"]
    phase, size = int(seen.phase), seen.frame.shape[0]
    unit, scene = _SIDE / size, Scene(16.2, 11.6)
    scene.add(Label(_LEFT, 0.8, "HiddenRules", 0.6, align="left", bold=True))
    rule = f"{RULES[int(s.rule)]} · " if agent is None else ""
    scene.add(Label(15.7, 0.8, f"{rule}{task} · {('exploring', 'test', 'choice')[phase]}", 0.45, "muted", "right"))
    _grid(scene, seen.frame, _LEFT, _TOP, unit)
    if task != "detect" and phase != EXPLORE:
        row, column = seen.window.tolist()
        at = _LEFT + column * unit, _TOP + row * unit
        scene.add(Rect(*at, 7 * unit, 5 * unit, None, "orange", 0.08))
    scene.add(Label(_LEFT, 11.3, _heading(world, seen), 0.36, "muted", "left"))
    if phase == EXPLORE:
        scene.add(Label(_BESIDE, 1.9, "find out how it works", 0.42, "muted", "left"))
    elif task == "plan":
        scene.add(Label(_BESIDE, 1.9, "the goal", 0.42, "muted", "left"))
        _grid(scene, seen.goal, _BESIDE, 2.3, 5.6 / size)
    elif task == "predict":
        _options(scene, seen, s, agent)
    else:
        _bar(scene, seen, s, agent)
    return scene


def _options(scene: Scene, seen: Any, s: Any, agent: int | None) -> None:
    scene.add(Label(_BESIDE, 1.9, "options" if seen.phase == CHOOSE else "a video", 0.42, "muted", "left"))
    options = s.options if agent is None else seen.options
    if agent is not None and seen.phase != CHOOSE:
        return
    for k, (x, y) in enumerate(_PLACES):
        _grid(scene, np.asarray(options[k]), x, y, _CELL)
        right = agent is None and k == s.answer
        if right:
            scene.add(Rect(x, y, 7 * _CELL, 5 * _CELL, None, "good", 0.1))
        scene.add(Label(x + 3.5 * _CELL, y + 2.1, f"option {k}", 0.36, "good" if right else "muted", bold=right))


def _bar(scene: Scene, seen: Any, s: Any, agent: int | None) -> None:
    """The frames of the test, in a bar below the grid."""
    number, last = seen.number.tolist()
    unit = _SIDE / (last + 1)
    scene.add(Rect(_LEFT, _BAR - 0.1, _SIDE, 0.2, "line", radius=0.1))
    if agent is None and s.trigger >= 0:
        scene.add(Rect(_LEFT + s.trigger * unit, _BAR - 0.1, _SIDE - s.trigger * unit, 0.2, "red@0.5", radius=0.1))
        scene.add(Label(_BESIDE, 2.5, f"the rule has changed from frame {s.trigger} on", 0.36, "red", "left"))
    scene.add(Rect(_LEFT + number * unit, _BAR - 0.2, max(unit, 0.12), 0.4, "orange", radius=0.06))
    question = "has the rule changed?" if seen.phase == TEST else "since which frame?"
    scene.add(Label(_BESIDE, 1.9, question, 0.42, "muted", "left"))


def click(world: HiddenRules, s: Any, agent: int, x: float, y: float) -> int | None:
    """A cell of the grid, an option, or a frame of the bar."""
    seen, task = world.observation(s, 0), world.parameters["task"]
    phase, size = int(seen.phase), seen.frame.shape[0]
    first = CLICK + size * size + 2
    if phase == CHOOSE and task == "predict":
        for k, (left, top) in enumerate(_PLACES):
            if left <= x < left + 7 * _CELL and top <= y < top + 5 * _CELL:
                return first + k
        return None
    if phase == CHOOSE:
        inside = _LEFT <= x < _LEFT + _SIDE and abs(y - _BAR) < 0.4
        return first + 2 + int((x - _LEFT) * (int(seen.number[1]) + 1) / _SIDE) if inside else None
    if phase == TEST and task == "predict":
        return None
    column, row = int((x - _LEFT) * size // _SIDE), int((y - _TOP) * size // _SIDE)
    return CLICK + row * size + column if 0 <= column < size and 0 <= row < size else None
