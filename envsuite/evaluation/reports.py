"""How well a help desk works, and the cost of communication between two agents: pass^k and the gap of a desk.

    found = report(registry.build("Telecom", {"split": "base"}), {"customer": "clumsy"}, trials=8)
    for table in found.tables():
        print(table)

The same tasks are played in three ways: by one agent that has all tools ("alone"), by an assistant that is shown the
solution ("given the plan"), and by assistant and customer in conversation. The conversation is also played with other
customers, and without questions or instructions. The communication gap is pass^1 alone minus pass^1 of the two, as in
tau2-bench (Barres et al., 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.cast import Cast
from envsuite.core.digits import whole
from envsuite.core.errors import ParameterError, suggest
from envsuite.core.policy import Policy
from envsuite.core.world import World
from envsuite.evaluation import matches
from envsuite.evaluation.statistics import pass_hat_k
from envsuite.kit.desk import Desk
from envsuite.render.scene import Drawn

if TYPE_CHECKING:
    from rich.table import Table

    from envsuite.render.scene import Scene

#: The default policies.
DEFAULTS = {"assistant": "workflow", "customer": "persona"}

#: The number of tasks to compose if the split has no list of them, and the number of calls played at once.
COMPOSED_TASKS = 500
BLOCK = 4096


@dataclass(frozen=True)
class Trials:
    """The results of T tasks in n trials each; all arrays begin (T, n). Tools count for the side that owns them.

    Attributes:
        success: bool.
        steps: calls of tools, and messages.
        turns: messages, each of which ends a turn.
        reads, writes: (T, n, 2) calls of the assistant's and of the customer's tools that only read, and that change
            something.
        violations: bits, one for each rule of the policy that was broken.
        errors: calls that were errors.
        transferred: bool, whether the call was handed over.
    """

    success: np.ndarray
    steps: np.ndarray
    turns: np.ndarray
    reads: np.ndarray
    writes: np.ndarray
    violations: np.ndarray
    errors: np.ndarray
    transferred: np.ndarray

    def pass_k(self, k: int, where: ArrayLike = True) -> float:
        """pass^k of the tasks where (T,) says so."""
        success = self.success[np.broadcast_to(where, len(self.success))]
        return pass_hat_k(success.sum(axis=1), success.shape[1], k)


def levels_of(world: Desk, seed: int = 0) -> list[dict[str, Any]]:
    """All tasks of a world's split, as levels; of a split without a list, 500 that are drawn."""
    listed = world.tasks()
    if listed is not None:
        return listed
    batch = Batch(world, COMPOSED_TASKS)
    batch.start(seed)
    return [world.get_level(batch.record(i)) for i in range(batch.num)]


def play(
    world: World,
    policies: Mapping[str, str | Policy],
    levels: Sequence[Mapping[str, Any]],
    trials: int,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Trials:
    """Play every task `trials` times; trial j of task i is the episode of seed ``seed + i * trials + j``.

    Args:
        world: in whose mode it is played.
        policies: for each agent, by name or itself.
        levels: the tasks.
        trials: of each task.
        seed: of the first episode.
        progress: called with the number of episodes that have just ended.
    """
    cast = Cast(world, policies)
    who = np.array([cast.policies.index(cast.seats[a]) for a in range(len(world.agents))])
    parts = []
    size = max(1, BLOCK // trials)
    for first in range(0, len(levels), size):
        part = levels[first : first + size]
        batch = Batch(world, len(part) * trials)
        start = seed + first * trials
        for i, level in enumerate(part):
            batch.set_level(i * trials, level)
        batch.records[:] = np.repeat(batch.records[::trials], trials)
        batch.start(start)
        matches.play_batch(batch, cast.policies, np.tile(who, (batch.num, 1)), start % 2**64, None, progress)
        parts.append({name: batch.records[field].copy() for name, field in _FIELDS.items()})
    found = {name: np.concatenate([part[name] for part in parts]) for name in _FIELDS}
    shaped = {name: array.reshape(len(levels), trials, *array.shape[1:]) for name, array in found.items()}
    return Trials(**{**shaped, **{name: shaped[name] != 0 for name in ("success", "transferred")}})


#: The fields of a record that `Trials` are made of.
_FIELDS = {
    "success": "solved", "steps": "t", "turns": "words", "reads": "reads", "writes": "writes",
    "violations": "violations", "errors": "errors", "transferred": "transferred",
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """A setting in which the tasks were played; `compared`: whether the picture compares it with others."""

    name: str
    mode: str
    policies: Mapping[str, str | Policy]
    compared: bool = True


def settings(world: Desk, policies: Mapping[str, str | Policy]) -> list[Setting]:
    """The settings of a report: alone, given the plan, the two, other customers, no questions, no instructions.

    `policies` replace the default policies of the agents; each is a name or a `Policy`. An assistant given as a
    `Policy` was made for the conversation, so the default plays alone.
    """
    for agent in policies:
        if agent not in DEFAULTS:
            raise ParameterError(f"{world.id} has no agent {agent!r}{suggest(agent, DEFAULTS)}")
    chosen = {**DEFAULTS, **policies}
    assistant, customer = chosen["assistant"], name_of(chosen["customer"])
    found = [
        Setting("alone", "solo", chosen if isinstance(assistant, str) else {**chosen, "assistant": "workflow"}),
        Setting("given the plan", "oracle_plan", {**chosen, "assistant": "plan"}, False),
        Setting(f"with {customer}", "dual", chosen),
    ]
    for other in world.customers:
        if other != customer:
            found.append(Setting(f"with {other}", "dual", {**chosen, "customer": other}))
    if assistant == "workflow":
        for lacking, parameter in world.abilities.items():
            without = {**chosen, "assistant": f"workflow:{parameter}=0"}
            found.append(Setting(f"without {lacking}", "dual", without, False))
    return found


def name_of(policy: str | Policy) -> str:
    """The name of a policy in a report."""
    return policy if isinstance(policy, str) else policy.name


#: Of a report's settings, the two that its groups compare.
ALONE, CHOSEN = 0, 2


def _order(known: Sequence[str] | None, values: set[str]) -> list[str]:
    """The values of a group as tables list them; numbers by size."""
    if known is None:
        return sorted(values, key=lambda value: whole(value) or 0)
    return [value for value in known if value in values]


@dataclass(frozen=True)
class Report(Drawn):
    """The results of all settings.

    Attributes:
        world: the desk.
        levels: the T tasks.
        settings: the settings in which they were played.
        trials: the results in each setting.
    """

    world: Desk
    levels: Sequence[Mapping[str, Any]]
    settings: Sequence[Setting]
    trials: Sequence[Trials]

    @property
    def tried(self) -> int:
        """Trials of each task."""
        return self.trials[0].success.shape[1]

    @property
    def ks(self) -> list[int]:
        """The k of pass^k that are reported: 1, 2, 4, 8 ... and the number of trials."""
        return sorted({self.tried, *(2**n for n in range(self.tried.bit_length()))})

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Plain data: for each setting a row of all tasks and one of each group of tasks.

        Numbers are means of a call; "gap" is pass^1 alone less that of the row, on the same tasks; "violations" and
        "transfers" are shares of calls.
        """
        return [
            self._row(number, group, value, where)
            for number in range(len(self.settings))
            for group, value, where in self._groups
        ]

    @property
    def _groups(self) -> list[tuple[str, str, np.ndarray]]:
        """Group, value and the tasks (T,) bool that have it; first all."""
        belongs = [self.world.groups_of(level) for level in self.levels]
        found = [("all", "", np.ones(len(belongs), bool))]
        for group, known in self.world.groups.items():
            for value in _order(known, {value for one in belongs for value in one[group]}):
                found.append((group, value, np.array([value in one[group] for one in belongs])))
        return found

    def _row(self, number: int, group: str, value: str, where: np.ndarray) -> dict[str, Any]:
        setting, played = self.settings[number], self.trials[number]
        reads, writes = (counts[where].mean(axis=(0, 1)).tolist() for counts in (played.reads, played.writes))
        passed = {f"pass^{k}": played.pass_k(k, where) for k in self.ks}
        return {
            "setting": setting.name,
            "mode": setting.mode,
            "assistant": name_of(setting.policies["assistant"]),
            "customer": name_of(setting.policies["customer"]) if setting.mode != "solo" else "",
            "group": group,
            "value": value,
            "tasks": int(where.sum()),
            **passed,
            "gap": self.trials[ALONE].pass_k(1, where) - passed["pass^1"],
            "steps": float(played.steps[where].mean()),
            "turns": float(played.turns[where].mean()),
            **{f"{side} reads": count for side, count in zip(self.world.sides, reads)},
            **{f"{side} writes": count for side, count in zip(self.world.sides, writes)},
            "violations": float((played.violations[where] != 0).mean()),
            "errors": float(played.errors[where].mean()),
            "transfers": float(played.transferred[where].mean()),
        }

    def tables(self) -> list[Table]:
        """The settings, then the two of them that were chosen by groups of tasks."""
        from rich import box
        from rich.table import Table

        def table(title: str, first: str, columns: Sequence[str]) -> Table:
            made = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", header_style="bold cyan")
            made.add_column(first)
            for column in columns:
                made.add_column(column, justify="right")
            return made

        shares = [f"pass^{k}" for k in self.ks]
        rows, sides = self.rows, self.world.sides
        tried = "" if self.tried == 1 else f", {self.tried} trials each"
        success = table(f"{len(self.levels)} tasks{tried}", "setting", [*shares, "gap", "violations"])
        effort = table(
            "Means of a call" + ("; of the desk's tools + the phone's" if len(sides) == 2 else ""),
            "setting",
            ["steps", "turns", "reads", "writes", "errors", "transfers"],
        )
        for row in (row for row in rows if row["group"] == "all"):
            success.add_row(row["setting"], *(f"{row[name]:.3f}" for name in [*shares, "gap", "violations"]))
            effort.add_row(
                row["setting"],
                *(f"{row[name]:.1f}" for name in ("steps", "turns")),
                *(" + ".join(f"{row[f'{side} {kind}']:.1f}" for side in sides) for kind in ("reads", "writes")),
                *(f"{row[name]:.3f}" for name in ("errors", "transfers")),
            )
        chosen = self.settings[CHOSEN].name
        made = [success, effort]
        for group in self.world.groups:
            by = table(f"{chosen}, by {group}", group, ["tasks", "alone", *shares, "gap", "steps"])
            for row in rows:
                if row["group"] == group and row["setting"] == chosen:
                    by.add_row(
                        row["value"].replace("_", " "),
                        str(row["tasks"]),
                        *(f"{value:.3f}" for value in (row["gap"] + row["pass^1"], *(row[name] for name in shares))),
                        f"{row['gap']:.3f}",
                        f"{row['steps']:.1f}",
                    )
            made.append(by)
        return made

    def scene(self) -> Scene:
        """A picture: pass^k over k at the left, the communication gap by length of the gold plan at the right."""
        from envsuite.render.scene import Circle, Label, Scene

        shown = [number for number, setting in enumerate(self.settings) if setting.compared]
        colors = dict(zip(shown, ("ink", "blue", "green", "gold", "orange", "pink")))
        scene = Scene(25.0, 13.2)
        self._draw_passes(scene, 1.7, colors)
        self._draw_gaps(scene, 11.6, colors)
        for n, number in enumerate(shown):
            x, y = 1.7 + 7.6 * (n % 3), 11.6 + 0.8 * (n // 3)
            scene.add(Circle(x + 0.2, y, 0.2, colors[number]))
            scene.add(Label(x + 0.65, y, self.settings[number].name, 0.5, align="left", width=6.7))
        return scene

    def _draw_passes(self, scene: Scene, left: float, colors: Mapping[int, str]) -> None:
        from envsuite.render.scene import Circle, Label, Line

        width, top, height = 7.4, 1.5, 8.0
        ks = range(1, self.tried + 1)
        curves = {number: [self.trials[number].pass_k(k) for k in ks] for number in colors}
        _draw_axes(scene, left, top, width, height, [0.0, 0.25, 0.5, 0.75, 1.0], "pass^k")

        def at(k: int, value: float) -> tuple[float, float]:
            return left + 0.6 + (width - 1.2) * (k - 1) / max(1, self.tried - 1), top + height * (1 - value)

        for k in ks:
            if self.tried <= 12 or k in self.ks:
                scene.add(Label(at(k, 0)[0], top + height + 0.5, str(k), 0.45, "muted"))
        scene.add(Label(left + width / 2, top + height + 1.1, "k trials that all succeed", 0.45, "muted"))
        for n, (number, values) in enumerate(curves.items()):  # thinner and thinner, so that none covers another
            thickness = 0.34 - 0.045 * n
            scene.add(Line([at(k, value) for k, value in zip(ks, values)], colors[number], thickness))
            for k, value in zip(ks, values):
                scene.add(Circle(*at(k, value), 0.85 * thickness, colors[number]))

    def _draw_gaps(self, scene: Scene, left: float, colors: Mapping[int, str]) -> None:
        from envsuite.render.scene import Label, Rect

        width, top, height = 12.9, 1.5, 8.0
        groups = [(value, where) for group, value, where in self._groups if group == "plan length"]
        gaps = {number: [self.trials[ALONE].pass_k(1, where) - self.trials[number].pass_k(1, where)
                         for _, where in groups] for number in colors if number != ALONE}  # fmt: skip
        highest = max(max(values) for values in gaps.values())
        lowest = min(min(values) for values in gaps.values())
        tick = next(step for step in (0.05, 0.1, 0.2, 0.25) if 5 * step >= max(highest - min(lowest, 0.0), 0.05) - 1e-9
                    or step == 0.25)  # fmt: skip
        low, high = tick * np.floor(lowest / tick + 1e-9), tick * max(1.0, np.ceil(highest / tick - 1e-9))
        low = min(low, 0.0)
        ticks = [tick * k for k in range(round(low / tick), round(high / tick) + 1)]
        _draw_axes(scene, left, top, width, height, ticks, "communication gap")

        def y(value: float) -> float:
            return top + height * (high - value) / (high - low)

        column = width / len(groups)
        bar = 0.8 * column / len(gaps)
        for k, (value, _) in enumerate(groups):
            start = left + k * column + 0.1 * column
            for n, (number, values) in enumerate(gaps.items()):
                above, below = min(y(values[k]), y(0)), max(y(values[k]), y(0))
                scene.add(Rect(start + n * bar, above - 0.03, 0.86 * bar, below - above + 0.06, colors[number]))
            said = "none" if whole(value) is None else value
            scene.add(Label(left + (k + 0.5) * column, top + height + 0.5, said, 0.45, "muted"))
        scene.add(Label(left + width / 2, top + height + 1.1, "calls in the plan that solves it", 0.45, "muted"))


def _draw_axes(
    scene: Scene, left: float, top: float, width: float, height: float, ticks: Sequence[float], title: str
) -> None:
    """A panel with a line and a number for each tick, from the lowest to the highest."""
    from envsuite.render.scene import Label, Line, Rect

    scene.add(Rect(left, top, width, height, "panel"))
    for value in ticks:
        y = top + height * (ticks[-1] - value) / (ticks[-1] - ticks[0])
        scene.add(Line([(left, y), (left + width, y)], "line", 0.06 if abs(value) < 1e-9 else 0.03))
        scene.add(Label(left - 0.2, y, f"{value:.2f}", 0.45, "muted", "right"))
    scene.add(Label(left, top - 0.65, title, 0.55, align="left", bold=True))


def report(
    world: Desk,
    policies: Mapping[str, str | Policy],
    trials: int = 4,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Play all tasks of a world's split in every setting.

    Args:
        world: its parameters say which tasks, its limits hold; its mode does not matter, for all are played.
        policies: by agent, its policy or the name of one; "workflow" and "persona" where none is given.
        trials: of each task in each setting.
        seed: of the first episode of each setting, and of composed tasks.
        progress: called with the number of episodes that have ended, and their total number.
    """
    if isinstance(trials, bool) or not isinstance(trials, int) or trials < 1:
        raise ParameterError(f"trials={trials!r} must be a positive integer")
    listed, plays = levels_of(world, seed), settings(world, policies)
    ended, whole = 0, len(listed) * trials * len(plays)

    def advance(more: int) -> None:
        nonlocal ended
        ended += more
        if progress is not None:
            progress(ended, whole)

    found = []
    for one in plays:
        in_mode = registry.build(world.id, {**world.parameters, "mode": one.mode})
        there = {agent: one.policies[agent] for agent in in_mode.agents}
        found.append(play(in_mode, there, listed, trials, seed, advance))
    return Report(world, listed, plays, found)
