"""Plots in pictures: curves over the rounds of an episode."""

from __future__ import annotations

from collections.abc import Sequence

from envsuite.render.scene import Circle, Label, Line, Rect, Scene, text_width

#: Points are marked with discs if a curve has at most `MARKED` of them and there are at most `CURVES` curves.
MARKED, CURVES = 40, 10


def across_of(box: tuple[float, float, float, float], steps: int, place: float) -> float:
    """Where the value number `place` of curves in this panel is, from left to right."""
    return box[0] + 1.5 + (box[2] - 1.9) * (place + 0.5) / max(steps, 1)


def curves(
    scene: Scene,
    box: tuple[float, float, float, float],
    title: str,
    lines: Sequence[tuple[Sequence[float], str, str]],
    steps: int,
    ends: tuple[float, float],
    marks: Sequence[tuple[float, str]] = (),
) -> None:
    """Draw curves in a panel, with values from left to right and the ends of their range as labels.

    Args:
        box: left, top, width and height of the panel.
        lines: of each curve its values, at most `steps`, its color and its name ("" for none).
        steps: the number of values from the left end of the panel to the right end.
        ends: the smallest and the largest value.
        marks: values with a label each, at which a horizontal line is drawn.
    """
    left, top, width, height = box
    low, high = ends[0], max(ends[1], ends[0] + 1e-9)
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    scene.add(Label(left + 0.3, top + 0.45, title, 0.38, "muted", "left"))
    x0, y0, across, down = left + 1.5, top + height - 0.45, width - 1.9, height - 1.35
    right = left + width - 0.3
    for _, color, name in reversed(lines):
        if name:
            scene.add(Label(right, top + 0.45, name, 0.36, "ink", "right"))
            right -= text_width(name, 0.36) + 0.55
            scene.add(Rect(right, top + 0.38, 0.4, 0.14, color))
            right -= 0.4

    def height_of(value: float) -> float:
        return y0 - down * (min(max(value, low), high) - low) / (high - low)

    for value, label in [(low, f"{low:.6g}"), (high, f"{high:.6g}"), *marks]:
        y = height_of(value)
        marked = (value, label) in marks
        scene.add(Line([(x0, y), (x0 + across, y)], "muted" if marked else "line", 0.05 if marked else 0.03))
        scene.add(Label(x0 - 0.15, y, label, 0.32, "muted", "right"))
    for values, color, _ in lines:
        path = [(across_of(box, steps, k), height_of(value)) for k, value in enumerate(values)]
        if len(path) > 1:
            scene.add(Line(path, color, 0.09))
        for place in path if steps <= MARKED and len(lines) <= CURVES else path[-1:]:
            scene.add(Circle(*place, 0.12, color, glyph=""))
