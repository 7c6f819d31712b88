"""Schelling diagrams: the payoffs of cooperators and defectors, by the number of other agents that cooperate.

diagram = schelling("envsuite/Harvest-v0", "sustainable", "greedy", steps=1000, num_envs=32)
save_png(draw(diagram.scene()), "harvest.png")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.core.cast import seated
from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.interfaces.single import as_world
from envsuite.render.scene import Drawn

if TYPE_CHECKING:
    from envsuite.render.scene import Scene


@dataclass(frozen=True)
class Diagram(Drawn):
    """Mean returns of one agent, with standard errors; index k: k of the other agents cooperate.

    Attributes:
        cooperator, defector: (A,) its return if it cooperates, and if it defects.
        cooperator_error, defector_error: (A,) their standard errors.
    """

    cooperator: np.ndarray
    defector: np.ndarray
    cooperator_error: np.ndarray
    defector_error: np.ndarray

    @property
    def temptation(self) -> np.ndarray:
        """(A,) the payoff of defecting minus that of cooperating."""
        return self.defector - self.cooperator

    @property
    def is_dilemma(self) -> bool:
        """Whether all do better if all cooperate than if none does, and defecting pays at one of the two ends or both.

        Hughes et al., "Inequity aversion improves cooperation in intertemporal social dilemmas", 2018: mutual
        cooperation is better than mutual defection and than being exploited, and there is fear or greed.
        """
        best, worst = self.cooperator[-1], self.defector[0]
        greed, fear = self.defector[-1] > best, worst > self.cooperator[0]
        return bool(best > worst and best > self.cooperator[0] and (greed or fear))

    def scene(self, names: Sequence[str] = ("cooperator", "defector")) -> Scene:
        """The diagram as a picture: both curves over the number of other agents that cooperate."""
        from envsuite.render.scene import Circle, Label, Line, Rect, Scene

        width, height, left, top = 12.0, 7.0, 2.0, 1.8
        curves = (self.cooperator, self.defector)
        errors = (self.cooperator_error, self.defector_error)
        low = min(0.0, *(float((c - e).min()) for c, e in zip(curves, errors)))
        high = max(float((c + e).max()) for c, e in zip(curves, errors))
        high = high if high > low else low + 1.0
        most = max(1, len(self.cooperator) - 1)

        def at(k: float, value: float) -> tuple[float, float]:
            return left + width * k / most, top + height * (1 - (value - low) / (high - low))

        scene = Scene(left + width + 1.0, top + height + 1.8)
        scene.add(Rect(left, top, width, height, "panel"))
        for k in range(len(self.cooperator)):
            scene.add(Label(at(k, low)[0], top + height + 0.5, str(k), color="muted"))
        for value in np.linspace(low, high, 5):
            y = at(0, value)[1]
            scene.add(Line([(left, y), (left + width, y)], "line", 0.03))
            scene.add(Label(left - 0.25, y, f"{value:.4g}", color="muted", align="right"))
        for curve, error, color in zip(curves, errors, ("blue", "orange")):
            scene.add(Line([at(k, value) for k, value in enumerate(curve)], color, 0.09))
            for k, (value, spread) in enumerate(zip(curve, error)):
                scene.add(Line([at(k, value - spread), at(k, value + spread)], color, 0.05))
                scene.add(Circle(*at(k, value), 0.14, color))
        scene.add(Label(left + width / 2, top + height + 1.2, "others who cooperate", color="ink"))
        for y, name, color in zip((0.6, 1.3), names, ("blue", "orange")):
            scene.add(Label(left, y, f"{name}'s return", color=color, align="left", bold=True))
        return scene


def schelling(
    id: str,
    cooperator: str,
    defector: str,
    *,
    steps: int = 1000,
    num_envs: int = 32,
    seed: int = 0,
    progress: bool = False,
    **params: Any,
) -> Diagram:
    """Play every number of cooperators among the agents of a world.

    Args:
        id: the world.
        cooperator, defector: names of its policies. The cooperators move around the seats.
        steps: maximum transitions per episode; the returns are sums of the rewards in them.
        num_envs: episodes for each number of cooperators and each turn around the seats.
        seed: of the first episode.
        progress: whether to show a progress bar.
        params: the world's parameters.
    """
    from rich.progress import track

    world = as_world(id, params)
    count = len(world.agents)
    if count < 2:
        raise ParameterError(f"{id}: a Schelling diagram needs two agents or more")
    policies = seated(world, [cooperator, defector])
    found: dict[tuple[bool, int], list[np.ndarray]] = {(c, k): [] for c in (True, False) for k in range(count)}
    plays = [(number, turn) for number in range(count + 1) for turn in range(count if 0 < number < count else 1)]
    for number, turn in track(plays, "Schelling diagram", transient=True, disable=not progress):
        cooperates = (np.arange(count) - turn) % count < number
        seating = np.tile(np.where(cooperates, 0, 1), (num_envs, 1))
        returns = play(world, policies, num_envs, seed, seating=seating, steps=steps).returns
        for a in range(count):
            found[cooperates[a], number - cooperates[a]].append(returns[:, a])
    means = {key: np.concatenate(parts) for key, parts in found.items()}
    mean = {c: np.array([means[c, k].mean() for k in range(count)]) for c in (True, False)}
    error = {c: np.array([means[c, k].std(ddof=1) / np.sqrt(len(means[c, k])) for k in range(count)]) for c in mean}
    return Diagram(mean[True], mean[False], error[True], error[False])
