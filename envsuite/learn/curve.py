"""`Curve`: the progress of a training run as data, as JSON, and as a picture."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.render.scene import Drawn, Label, Line, Polygon, Scene


class Curve(Drawn):
    """One row for each update.

    Attributes:
        world: its id.
        rows: plain data: "steps" and "seconds" (of CPU) so far, "episodes" that ended since the last row with their
            mean "return" of a learning agent and "length" (None without any), and the mean losses.
    """

    def __init__(self, world: str, rows: Sequence[Mapping[str, Any]] = ()):
        self.world, self.rows = world, [dict(row) for row in rows]

    def __repr__(self) -> str:
        last = f", return {self.recent():.4g}" if self.rows else ""
        return f"Curve({self.world}, {len(self.rows)} updates{last})"

    def add(
        self, steps: int, seconds: float, returns: Sequence[float], lengths: Sequence[float], losses: Mapping[str, float]
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

    def recent(self, share: float = 0.1) -> float:
        """The mean return of the episodes in the last share of the rows; nan without any."""
        rows = [row for row in self.rows[-max(1, int(len(self.rows) * share)) :] if row["episodes"]]
        count = sum(row["episodes"] for row in rows)
        return sum(row["return"] * row["episodes"] for row in rows) / count if count else math.nan

    def save(self, path: str | Path) -> None:
        """Write the rows as JSON."""
        Path(path).write_text(json.dumps({"world": self.world, "rows": self.rows}) + "\n", encoding="utf-8")
