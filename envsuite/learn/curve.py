"""`Curve`: the progress of a training run as data, as JSON, and as a picture."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.core.files import replace
from envsuite.render.scene import Drawn, Label, Line, Rect, Scene

#: The points of a curve's picture; each is the mean of as many rows.
POINTS = 200


def mean_return(rows: Sequence[Mapping[str, Any]]) -> float:
    """The mean return of the episodes in rows of a curve; nan without any."""
    ended = [row for row in rows if row["episodes"]]
    count = sum(row["episodes"] for row in ended)
    return sum(row["return"] * row["episodes"] for row in ended) / count if count else math.nan


class Curve(Drawn):
    """One row for each update.

    Attributes:
        world: its id.
        rows: plain data: "steps" and "seconds" (of CPU) so far, "episodes" that ended since the last row with their
            mean "return" of a learning agent and "length" (None without any), the mean losses, and in a curriculum
            the number of its "stage".
    """

    def __init__(self, world: str, rows: Sequence[Mapping[str, Any]] = ()):
        self.world, self.rows = world, [dict(row) for row in rows]

    def __repr__(self) -> str:
        last = f", return {self.recent():.4g}" if self.rows else ""
        return f"Curve({self.world}, {len(self.rows)} updates{last})"

    def add(
        self,
        steps: int,
        seconds: float,
        returns: Sequence[float],
        lengths: Sequence[float],
        losses: Mapping[str, float],
    ) -> dict[str, Any]:
        """A new row; `seconds` are those since the last one."""
        spent = seconds + (self.rows[-1]["seconds"] if self.rows else 0.0)
        row = {
            "steps": steps,
            "seconds": round(spent, 3),
            "episodes": len(returns),
            "return": float(np.mean(returns)) if returns else None,
            "length": float(np.mean(lengths)) if lengths else None,
            **{name: float(f"{value:.6g}") for name, value in losses.items()},
        }
        self.rows.append(row)
        return row

    def recent(self, most: int = 100) -> float:
        """The mean return of the episodes in the last tenth of the rows, of `most` at most; nan without any."""
        return mean_return(self.rows[-min(most, max(1, len(self.rows) // 10)) :])

    def save(self, path: str | Path) -> None:
        """Write the rows as JSON."""
        replace(path, json.dumps({"world": self.world, "rows": self.rows}) + "\n")

    def points(self) -> list[tuple[float, float]]:
        """At most 200 points (steps, mean return), each of rows that follow one another."""
        found = []
        for part in np.array_split(np.arange(len(self.rows)), min(POINTS, max(1, len(self.rows)))):
            ended = [self.rows[i] for i in part if self.rows[i]["episodes"]]
            if ended:
                found.append((ended[-1]["steps"], mean_return(ended)))
        return found

    def scene(self) -> Scene:
        """A picture: mean return over steps."""
        left, top, width, height = 2.4, 1.6, 18.0, 9.0
        scene, points = Scene(21.4, 12.6), self.points() or [(1, 0.0)]
        end, low, high = points[-1][0], min(y for _, y in points), max(y for _, y in points)
        if high - low < 1e-9:
            low, high = low - 1, high + 1

        def at(steps: float, value: float) -> tuple[float, float]:
            return left + width * steps / end, top + height * (high - value) / (high - low)

        scene.add(
            Label(left, top - 0.7, f"{self.world}: mean return of a learning agent", 0.55, align="left", bold=True)
        )
        scene.add(Rect(left, top, width, height, "panel"))
        for k in range(5):
            value, steps = low + (high - low) * k / 4, end * k / 4
            scene.add(Line([at(0, value), at(end, value)], "line", 0.03))
            scene.add(Label(left - 0.2, at(0, value)[1], f"{value:.3g}", 0.45, "muted", "right"))
            scene.add(Label(at(steps, low)[0], top + height + 0.5, f"{steps:,.0f}", 0.45, "muted"))
        scene.add(Label(left + width / 2, top + height + 1.2, "steps", 0.45, "muted"))
        scene.add(Line([at(*point) for point in points], "blue", 0.12))
        return scene
