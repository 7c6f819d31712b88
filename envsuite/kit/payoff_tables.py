"""The picture of a payoff table: player_0 chooses the row, player_1 the column, the others one of several tables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from envsuite.render.scene import Label, Line, Rect, Scene, text_width
from envsuite.render.theme import agent_color

CELL_WIDTH = 2.6

#: The most tables, and the most rows or columns, that are drawn; otherwise the players' choices are listed.
MOST_TABLES, MOST_ACTIONS = 4, 10


def _drawn(sizes: Sequence[int]) -> bool:
    return int(np.prod(sizes[2:])) <= MOST_TABLES and max(sizes[:2]) <= MOST_ACTIONS


def _margin(names: Sequence[Sequence[str]]) -> float:
    """The width of the names of the rows."""
    return max([2.0, *(text_width(name, 0.46) + 0.5 for name in names[0])])


def _cell_width(sizes: Sequence[int], names: Sequence[Sequence[str]]) -> float:
    headings = max(text_width(name, 0.46) + 0.4 for name in names[1])
    return max(CELL_WIDTH if len(sizes) == 2 else 3.0, headings)


def _cell_height(sizes: Sequence[int]) -> float:
    return 1.7 if len(sizes) == 2 else 0.55 * len(sizes) + 0.4


def table_size(sizes: Sequence[int], names: Sequence[Sequence[str]]) -> tuple[float, float]:
    """The width and height of the picture of a table."""
    if not _drawn(sizes):
        return 12.0, 0.95 * len(sizes) + 0.4
    count = int(np.prod(sizes[2:]))
    columns = min(count, 2)
    one = _margin(names) + sizes[1] * _cell_width(sizes, names)
    head = 1.5 if count == 1 else 2.2
    height = head + sizes[0] * _cell_height(sizes)
    return one * columns + 0.8 * (columns - 1), -(-count // columns) * (height + 0.3) - 0.3


def draw_table(
    scene: Scene,
    x: float,
    y: float,
    table: np.ndarray,
    names: Sequence[Sequence[str]],
    played: tuple[int, ...] | None,
) -> None:
    """Draw a payoff table (players, actions ...) from its top left corner, with the played cell highlighted."""
    sizes = table.shape[1:]
    if not _drawn(sizes):
        _draw_choices(scene, x, y, table, names, played)
        return
    rest = list(itertools.product(*(range(size) for size in sizes[2:])))
    width = _margin(names) + sizes[1] * _cell_width(sizes, names)
    head = 1.5 if len(rest) == 1 else 2.2
    for number, others in enumerate(rest):
        left = x + number % 2 * (width + 0.8)
        top = y + number // 2 * (head + sizes[0] * _cell_height(sizes) + 0.3)
        if others:
            chosen = [f"player_{k + 2} {names[k + 2][action]}" for k, action in enumerate(others)]
            middle = left + _margin(names) + (width - _margin(names)) / 2
            colors = [agent_color(k + 2) for k in range(len(others))]
            _labels(scene, middle, top + 0.3, chosen, colors, 0.46, gap=0.5)
            top += 0.7
        lit = played[:2] if played is not None and tuple(played[2:]) == others else None
        _draw_slice(scene, left, top, table.reshape(*table.shape[:3], -1)[..., number], names, lit)


def _labels(
    scene: Scene, x: float, y: float, texts: Sequence[str], colors: Sequence[str], size: float, gap: float
) -> None:
    """Texts in a centered row."""
    widths = [text_width(text, size) for text in texts]
    left = x - (sum(widths) + gap * (len(texts) - 1)) / 2
    for text, color, width in zip(texts, colors, widths):
        scene.add(Label(left + width / 2, y, text, size, color, bold=True))
        left += width + gap


def _draw_slice(
    scene: Scene, x: float, y: float, table: np.ndarray, names: Sequence[Sequence[str]], lit: tuple[int, ...] | None
) -> None:
    """Draw the table (players, rows, columns) of player_0 and player_1."""
    players, rows, columns = table.shape
    sizes = [len(actions) for actions in names]
    side, height = _cell_width(sizes, names), _cell_height(sizes)
    left, top = x + _margin(names), y + 1.5
    scene.add(Label(left + columns * side / 2, y + 0.4, "player_1", 0.46, agent_color(1), bold=True))
    scene.add(Label(x, y + 1.1, "player_0", 0.46, agent_color(0), "left", bold=True))
    for c in range(columns):
        on = lit is not None and lit[1] == c
        scene.add(Label(left + (c + 0.5) * side, y + 1.1, names[1][c], 0.46, "ink" if on else "muted", bold=on))
    scene.add(Rect(left, top, columns * side, rows * height, "white"))
    for r in range(rows):
        on = lit is not None and lit[0] == r
        middle = top + (r + 0.5) * height
        scene.add(Label(left - 0.25, middle, names[0][r], 0.46, "ink" if on else "muted", "right", bold=on))
        for c in range(columns):
            cx, cy = left + c * side, top + r * height
            if lit == (r, c):
                scene.add(Rect(cx, cy, side, height, "highlight@0.55"))
            if players == 2:
                scene.add(Line([(cx, cy), (cx + side, cy + height)], "line", 0.025))
            for k in range(players):  # from the bottom left corner to the top right corner
                across = 0.27 + 0.46 * k if players == 2 else 0.25 + 0.5 * k / (players - 1)
                up = 0.32 + 0.36 * k if players == 2 else (k + 0.8) / (players + 0.6)
                size = 0.6 if players == 2 else 0.5
                number = f"{table[k, r, c]:.4g}"
                scene.add(Label(cx + across * side, cy + (1 - up) * height, number, size, agent_color(k), bold=True))
    for c in range(columns + 1):
        scene.add(Line([(left + c * side, top), (left + c * side, top + rows * height)], "line", 0.04))
    for r in range(rows + 1):
        scene.add(Line([(left, top + r * height), (left + columns * side, top + r * height)], "line", 0.04))
    if lit is not None:
        cx, cy = left + lit[1] * side, top + lit[0] * height
        scene.add(Rect(cx, cy, side, height, None, "black", 0.07))


def _draw_choices(
    scene: Scene, x: float, y: float, table: np.ndarray, names: Sequence[Sequence[str]], played: tuple[int, ...] | None
) -> None:
    """List what each player chose and got; used if the table is too large to draw."""
    for k in range(len(table)):
        middle = y + 0.95 * k + 0.6
        scene.add(Rect(x, middle - 0.4, 12, 0.8, "white", "line", radius=0.15))
        scene.add(Label(x + 0.3, middle, f"player_{k}", 0.46, agent_color(k), "left", bold=True))
        if played is None:
            scene.add(Label(x + 6.2, middle, "to choose", 0.46, "muted"))
        else:
            scene.add(Label(x + 6.2, middle, names[k][played[k]], 0.46))
            scene.add(Label(x + 11.7, middle, f"{table[(k, *played)]:.4g}", 0.5, agent_color(k), "right", bold=True))
