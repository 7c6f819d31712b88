"""Learned scores: networks trained by `Trainer` on a list of tasks, in a table that comes with the package.

    python -m envsuite.learn.tasks                     # trains what the table lacks, and prints it
    python -m envsuite.learn.tasks KuhnPoker --seeds 2 # trains one task again, with two seeds

The table keeps the rows of tasks that are not trained again, and marks those whose world's rules have changed since.
The network of a task's first seed is stored as a checkpoint; it is not chosen by its result. Seconds are of CPU, of a
whole run, on whatever machine made the row.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from envsuite import registry
from envsuite.core.batch import compiled_run
from envsuite.core.parameters import to_json
from envsuite.core.seeds import EVALUATION, LEARNED
from envsuite.core.world import World
from envsuite.evaluation import matches, stored
from envsuite.evaluation.statistics import mean_interval
from envsuite.learn.learned import BUNDLED, Learned
from envsuite.learn.pool import Pool
from envsuite.solvers.game_tree import Tree

#: The section of a world's file that holds its learned scores.
SECTION = "learned"

#: The first seed of all evaluations; the trainings' episodes have smaller ones.
SEED = EVALUATION.start

#: Seeds that no setting was chosen on: these rows were run once, after the settings were final.
FRESH = tuple(LEARNED)


@dataclass(frozen=True)
class Task:
    """A training and the number that it should reach.

    Attributes:
        world, params: the world that is measured, and trained in unless a stage says otherwise.
        goal: the number to reach, in words.
        measure: the numbers of a policy by name; the goal is about the first of them.
        stages: options of a `Trainer`, one after the other; each starts from the weights of the last. The entry
            "params" replaces the world's parameters; "imitate" has what `Trainer.imitate` takes, before the training.
        seeds: one for each run.
    """

    world: str
    goal: str
    measure: Callable[[Any, Learned, Any], dict[str, float]]
    stages: Sequence[Mapping[str, Any]]
    params: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] = FRESH


def _returns(episodes: int) -> Callable[..., dict[str, float]]:
    """Mean return of an agent, all played by the policy."""

    def measure(world: Any, policy: Learned, curve: Any) -> dict[str, float]:
        found = matches.play(world, policy, episodes, SEED)
        return {"return": float(found.returns.mean()), "length": float(found.lengths.mean())}

    return measure


def _joint(episodes: int, collective: bool = False) -> Callable[..., dict[str, float]]:
    """Sum of all agents' returns at the end, and at the training's peak, in means of a twentieth of it.

    Where the rewards are `collective`, each agent gets them all, so the sum is any agent's return.
    """

    def measure(world: Any, policy: Learned, curve: Any) -> dict[str, float]:
        found, count = matches.play(world, policy, episodes, SEED), 1 if collective else len(world.agents)
        parts = np.array_split(np.array([row for row in curve.rows if row["episodes"]], object), 20)
        joint = [count * float(np.mean([row["return"] for row in part])) for part in parts if len(part)]
        return {"last": float(found.returns[:, :count].sum(axis=1).mean()), "first": joint[0], "peak": max(joint)}

    return measure


def _exploitability(world: Any, policy: Learned, curve: Any) -> dict[str, float]:
    tree = Tree(world)
    return {"exploitability": tree.exploitability(tree.tabulated(policy))}


def _wins(opponent: str, episodes: int) -> Callable[..., dict[str, float]]:
    """Share of games won against an opponent, each seat for half of them."""

    def measure(world: Any, policy: Learned, curve: Any) -> dict[str, float]:
        won, drawn, _ = matches.rotated(world, [policy, opponent], episodes, SEED).outcomes()[0]
        return {"won": float(won), "drawn": float(drawn)}

    return measure


def _with(agent: str, others: Mapping[str, str], episodes: int) -> Callable[..., dict[str, float]]:
    """Return of one agent, played by the policy, among others."""

    def measure(world: Any, policy: Learned, curve: Any) -> dict[str, float]:
        found = matches.play(world, {**others, agent: policy}, episodes, SEED)
        seat = world.agents.index(agent)
        return {"return": float(found.returns[:, seat].mean()), "length": float(found.lengths.mean())}

    return measure


#: Self-play towards an equilibrium: a magnet, and rates that end at 0.
_MAGNET = {
    "num_envs": 256, "horizon": 16, "discount": 1.0, "magnet": 0.5, "magnet_rate": 0.05, "rate": 2e-3,
    "final_rate": 0.0, "entropy": 0.05, "final_entropy": 0.0, "epochs": 2, "minibatches": 4,
}  # fmt: skip

#: An agent alone in small rooms.
_ROOMS = {"epochs": 4, "minibatches": 8}

TASKS = {
    "DoorKey-5": Task(
        "DoorKey",
        "return 0.96; at best 0.965",
        _returns(2000),
        [
            {
                "steps": 580_000,
                "num_envs": 128,
                "horizon": 32,
                "rate": 1.5e-3,
                "entropy": 0.03,
                "epochs": 2,
            }
        ],
        {"size": 5},
        seeds=(15, 16, 17, 18, 19),  # those before chose the setting
    ),
    "KuhnPoker": Task("KuhnPoker", "below 0.05", _exploitability, [{"steps": 800_000, **_MAGNET, "hidden": 32}]),
    "LeducPoker": Task(
        "LeducPoker",
        "below 0.2",
        _exploitability,
        [
            {
                **_MAGNET,
                "steps": 12_000_000,
                "num_envs": 2048,
                "hidden": 128,
                "critic": "state",
                "trace": 0.9,
                "entropy": 0.15,
                "final_entropy": 0.03,
                "epochs": 4,
            }
        ],
    ),
    "LiarsDice": Task(
        "LiarsDice",
        "below 0.1",
        _exploitability,
        [{**_MAGNET, "steps": 2_000_000, "entropy": 0.1, "final_entropy": 0.02}],
    ),
    "Foraging": Task(
        "Foraging",
        "return of both together 0.9, of one 0.45",
        _returns(2000),
        [{"steps": 300_000, "num_envs": 128, "horizon": 32, "entropy": 0.02, "epochs": 4, "minibatches": 8}],
    ),
    "Overcooked": Task(
        "Overcooked",
        "180 a chef in 400 steps",
        _returns(100),
        [
            {
                "params": {"weights": (1, 1)},
                "schedule": lambda share: {"weights": (1, max(0.0, 1 - 1.5 * share))},
                "steps": 2_000_000,
                "num_envs": 256,
                "horizon": 32,
                "rate": 2e-3,
                "entropy": 0.05,
                "final_entropy": 0.005,
                "epochs": 4,
                "minibatches": 8,
            }
        ],
    ),
    "ConnectFour": Task(
        "ConnectFour",
        "95 % against tactical",
        _wins("tactical", 1000),
        [
            {
                "steps": 1_500_000,
                "opponents": Pool(["tactical"], share=0.75),
                "num_envs": 128,
                "horizon": 32,
                "hidden": 128,
                "layers": 3,
                "entropy": 0.02,
                "minibatches": 8,
            }
        ],
    ),
    "TicTacToe": Task(
        "TicTacToe",
        "95 % against random",
        _wins("random", 1000),
        [
            {
                "steps": 600_000,
                "opponents": Pool(["random"], share=0.9),
                "horizon": 32,
                "discount": 1.0,
                "entropy": 0.03,
                "minibatches": 8,
            }
        ],
    ),
    "Harvest": Task(
        "Harvest",
        "the joint return rises, then falls",
        _joint(20),
        [{"steps": 160_000, "num_envs": 16, "horizon": 125}],
    ),
    "CleanUp": Task(
        "CleanUp",
        "joint return of selfish agents",
        _joint(20),
        [{"steps": 160_000, "num_envs": 16, "horizon": 125}],
        {"rules": "ssd"},
    ),
    "CleanUp-collective": Task(
        "CleanUp",
        "a higher joint return: each gets all rewards",
        _joint(20, collective=True),
        [{"steps": 160_000, "num_envs": 16, "horizon": 125}],
        {"rules": "ssd", "collective": True},
    ),
    "Unlock": Task("Unlock", "return 0.95; at best 0.970", _returns(2000), [{"steps": 400_000, **_ROOMS}]),
    "Empty": Task("Empty", "return 0.95; at best 0.961", _returns(2000), [{"steps": 200_000, **_ROOMS}]),
    "DoorKey-8": Task(
        "DoorKey",
        "return 0.9; at best 0.975",
        _returns(1000),
        [{"steps": 400_000, "stages": [({"size": 5}, 0.9), ({"size": 6}, 0.9)], **_ROOMS}],
        {"size": 8},
    ),
    "Maze": Task(
        "Maze",
        "near the best of who sees the whole map, 0.898",
        _returns(2000),
        [
            {
                "steps": 800_000,
                "stages": [({"height": 5, "width": 5}, 0.85)],
                "memory": True,
                "hidden": 128,
                "num_envs": 128,
                "horizon": 32,
                "entropy": 0.02,
                **_ROOMS,
            }
        ],
        {"height": 7, "width": 7, "view": 5},
    ),
    "Telecom": Task(
        "Telecom",
        "shorter than its teacher, clumsy: return 1, length 74.9",
        _with("customer", {"assistant": "workflow"}, 1000),
        [
            {
                "agents": ["customer"],
                "opponents": "workflow",
                "imitate": ("clumsy", 200_000),
                "steps": 400_000,
                "hidden": 128,
                "discount": 0.99,
                "horizon": 128,
            }
        ],
    ),
}


def row_of(name: str, seeds: int | None = None, progress: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Train a task with its seeds and measure it; the checkpoint of the first one is stored.

    Args:
        name: the task.
        seeds: how many seeds, from the task's first on; None for the task's own.
        progress: gets a line of text after each update.
    """
    from envsuite.learn.ppo import Trainer

    task = TASKS[name]
    world = registry.build(task.world, dict(task.params))
    found: list[dict[str, float]] = []
    seconds: list[float] = []
    steps = 0
    first = task.seeds[0]
    used = task.seeds if seeds is None else tuple(range(first, first + seeds))
    for seed in used:
        begin, steps = time.process_time(), 0
        trainer: Trainer | None = None
        for stage in task.stages:
            options = {"params": task.params, **stage}
            lessons = options.pop("imitate", None)
            last, trainer = trainer, Trainer(task.world, seed=seed, **options)
            if last is not None:
                trainer.start_from(last.network())
            if lessons is not None:
                trainer.imitate(*lessons)
            trainer.train(progress=None if progress is None else _shown(progress, name, seed, trainer))
            steps += trainer.done
        assert trainer is not None
        seconds.append(time.process_time() - begin)
        policy = Learned.of(world, trainer.network())
        found.append(task.measure(world, policy, trainer.curve))
        if seed == first:
            BUNDLED.mkdir(exist_ok=True)
            trainer.network().save(world, BUNDLED / f"{name}.ckpt")
    return {
        "task": name,
        "world": world.id,
        "params": to_json(world.parameters, str),
        "goal": task.goal,
        "steps": steps,
        "seeds": used,
        "seconds": [round(value, 1) for value in seconds],
        "version": registry.__version__,
        "code": rules_of(world),
        "numbers": {key: [float(f"{one[key]:.6g}") for one in found] for key in found[0]},
    }


def rules_of(world: World) -> str:
    """The stamp of a world's rules: a row with another one was trained before they changed."""
    return compiled_run(world).rules[:12]


def is_stale(row: Mapping[str, Any]) -> bool:
    """Whether the rules of a row's world have changed since it was trained."""
    return row["code"] != rules_of(registry.build_stored(row["world"], row["params"]))


def _shown(progress: Callable[[str], None], name: str, seed: int, trainer: Any) -> Callable[[Any], None]:
    return lambda row: progress(f"{name}, seed {seed}: {row['steps']:,} steps, return {trainer.curve.recent():.4g}")


def table(folder: Path = stored.FOLDER) -> list[dict[str, Any]]:
    """The rows of the table, in the order of the tasks."""
    order = list(TASKS)
    rows = stored.all_rows(SECTION, folder)
    return sorted(rows, key=lambda row: order.index(row["task"]) if row["task"] in TASKS else len(order))


def keep(row: Mapping[str, Any], folder: Path = stored.FOLDER) -> None:
    """Write a row into its world's file; the others stay."""
    others = [one for one in stored.rows(row["world"], SECTION, folder) if one["task"] != row["task"]]
    stored.write(row["world"], SECTION, sorted([*others, row], key=lambda one: one["task"]), folder)


def lines(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Cells of the printed table: task, number, mean with its 95% interval over seeds, seeds, CPU s, steps, goal."""
    found = []
    for row in rows:
        for k, (key, values) in enumerate(row["numbers"].items()):
            interval = mean_interval(np.array(values))
            shown = f"{interval.value:.4g}" if len(values) < 2 else str(interval)
            seconds = f"{np.mean(row['seconds']):.0f}"
            rest = (_range(row["seeds"]), seconds, f"{row['steps']:,}", row["goal"]) if k == 0 else ("", "", "", "")
            name = f"{row['task']} (older rules)" if is_stale(row) else row["task"]
            found.append((name if k == 0 else "", key, shown, *rest))
    return found


def _range(seeds: Sequence[int]) -> str:
    return f"{seeds[0]}" if len(seeds) < 2 else f"{seeds[0]}-{seeds[-1]}"


HEAD = ("task", "number", "mean [95% interval]", "seeds", "CPU s a seed", "steps", "goal")


def main(arguments: Sequence[str]) -> None:
    """Train the tasks that are named, or those that the table lacks, and print the table."""
    from rich.console import Console
    from rich.status import Status
    from rich.table import Table

    parser = argparse.ArgumentParser(prog="python -m envsuite.learn.tasks", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="TASK", choices=[*TASKS, []], help=f"one of {', '.join(TASKS)}")
    parser.add_argument("--seeds", type=int, help="how many, from a task's first on; all of them by default")
    options = parser.parse_args(arguments)
    known = {row["task"] for row in table()}
    console = Console()
    for name in options.names or [name for name in TASKS if name not in known]:
        with Status(name, console=console) as status:
            keep(row_of(name, options.seeds, status.update))
    shown = Table(*HEAD, title="Learned scores")
    for cells in lines(table()):
        shown.add_row(*cells)
    console.print(shown)


if __name__ == "__main__":
    main(sys.argv[1:])
