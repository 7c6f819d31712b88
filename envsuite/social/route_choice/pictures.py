"""Networks of roads in pictures: links as arrows, wide and red where the traffic is dense."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from envsuite.render.scene import Circle, Label, Line, Polygon, Scene, text_width

#: Colors of links from free to dense, by the part of the latency that traffic adds; links without traffic.
DENSE = ("good", "gold", "orange", "bad")
EMPTY = "muted"

#: The names of nodes.
NAMES = "ABCDEFGHIJKLMNOP"


def law(free: float, slope: float) -> str:
    """The latency of a link by the share x of traffic, in words."""
    if not slope:
        return f"{free:g}"
    rise = "x" if slope == 1 else f"{slope:g}x"
    return f"{free:g} + {rise}" if free else rise


def draw_roads(
    scene: Scene,
    box: tuple[float, float, float, float],
    level: Mapping[str, Any],
    flows: Sequence[float] | np.ndarray,
    marked: Collection[int] = (),
    tolled: Collection[int] = (),
) -> None:
    """Draw a network in a box (left, top, width, height).

    Args:
        level: of the kind "roads".
        flows: the share of all traffic on each link.
        marked: links with a bright edge.
        tolled: links with a toll.
    """
    left, top, width, height = box
    at = np.array([left, top]) + np.array(level["nodes"]) * np.array([width, height])
    for k, (start, end, free, slope) in enumerate(level["links"]):
        flow = float(flows[k])
        dense = slope * flow / max(free + slope, 1e-9)
        color = DENSE[min(3, int(dense * 5))] if flow > 1e-6 else EMPTY
        a, b = at[start], at[end]
        ahead = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
        aside = np.array([-ahead[1], ahead[0]])
        thick = 0.08 + 0.3 * flow
        a, b = a + 0.52 * ahead, b - 0.6 * ahead
        ends = [tuple((b - 0.4 * ahead + (0.14 + 0.75 * thick) * side * aside).tolist()) for side in (1, -1)]
        path = [tuple(a.tolist()), tuple((b - 0.38 * ahead).tolist())]
        if k in marked:
            scene.add(Line(path, "highlight", thick + 0.22))
        scene.add(Line(path, color, thick), Polygon([tuple(b.tolist()), *ends], color))
        words = law(free, slope) + ("  toll" if k in tolled else "")
        half = 0.5 * text_width(words, 0.34)
        up = aside if aside[1] < 0 or (aside[1] == 0 and aside[0] > 0) else -aside
        x, y = a + 0.45 * (b - a) + up * (0.38 + 0.9 * abs(float(up[0])) * half)
        scene.add(Label(float(x), float(y), words, 0.34, "ink", terminal=False))
    for k, (x, y) in enumerate(at.tolist()):
        scene.add(Circle(x, y, 0.42, "panel", "ink", 0.06, NAMES[k]), Label(x, y, NAMES[k], 0.42, terminal=False))
