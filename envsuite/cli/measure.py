"""Commands that measure and check."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from envsuite import registry
from envsuite.cli.common import MOST, Ids, Params, app, err, examples, make, number_option, out, progress, table
from envsuite.core.errors import UnknownIdError, suggest

if TYPE_CHECKING:
    from envsuite.core.world import World


@app.command(epilog=examples("envsuite bench ConnectFour", "envsuite bench --num-envs 4096 --threads 2 --seconds 3"))
def bench(
    ids: Ids = None,
    num_envs: Annotated[int, typer.Option(min=1, max=MOST, metavar="N", help="Worlds in a vector.")] = 1024,
    seconds: Annotated[float, number_option("Seconds per measurement.", 0.001, 3600, "S")] = 1.0,
    threads: Annotated[int, typer.Option(min=1, max=1024, metavar="N", help="Threads that step a vector.")] = 1,
) -> None:
    """Measure steps per second with random legal actions: whole rollouts, vector steps and single AEC steps."""
    rows = table("world", "interface", ">transitions/s", ">decisions/s")
    ways: list[tuple[str, Callable[[World], tuple[float, float]]]] = [
        ("compiled rollout", lambda world: _bench_rollout(world, num_envs, threads, seconds)),
        ("vector step", lambda world: _bench_vector(world, num_envs, threads, seconds)),
        ("AEC, one world", lambda world: _bench_aec(world, seconds)),
    ]
    chosen = ids or registry.ids()
    with progress(len(ways) * len(chosen), "Compiling") as advance:
        for id in chosen:
            world = make(id)
            for k, (name, measure) in enumerate(ways):
                advance(f"{world.id}: {name}", 0)
                transitions, decisions = measure(world)
                rows.add_row(Text(world.id if k == 0 else "", "bold"), name, _rate(transitions), _rate(decisions))
                advance()
            rows.add_section()
    out.print(rows)
    out.print(
        f"Vectors of {num_envs} worlds, {threads} thread{'s' * (threads > 1)}. All include every agent's observation "
        "and mask. Only rollouts include choosing the actions; AEC includes last() and resets. A decision is one "
        "agent's action.",
        style="dim",
    )


def _rate(value: float) -> str:
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}"


def _bench_rollout(world: World, num_envs: int, threads: int, seconds: float) -> tuple[float, float]:
    """Transitions and decisions per second of compiled rollouts."""
    from envsuite.agents import make_policy
    from envsuite.interfaces.vector import Vector

    vector, policy = Vector(world, num_envs, threads=threads), make_policy("random", world)
    vector.rollout(policy, 1, seed=0)  # compiles
    transitions = decisions = 0
    steps, start = 1, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        totals = vector.rollout(policy, steps)
        transitions += totals.steps
        decisions += totals.decisions
        steps = min(2 * steps, 1024) if time.perf_counter() - start - spent < seconds / 8 else steps
    vector.close()
    return transitions / spent, decisions / spent


def _bench_vector(world: World, num_envs: int, threads: int, seconds: float) -> tuple[float, float]:
    """Transitions and decisions per second within `Vector.step`."""
    from envsuite.agents import make_policy
    from envsuite.interfaces.vector import Vector

    vector, policy = Vector(world, num_envs, threads=threads), make_policy("random", world)
    seats = range(len(world.agents))
    vector.reset(seed=0)
    policy.reset(0, num_envs)
    transitions, decisions, spent = 0, 0, 0.0
    while spent < seconds:
        actions = policy.act_batch(vector.batch.observations, vector.batch.masks, seats)
        acting = vector.batch.acting != 0
        transitions += int(acting.any(axis=1).sum())  # the others are over and reset by this step
        decisions += int(acting.sum())
        start = time.perf_counter()
        vector.step(actions)
        spent += time.perf_counter() - start
    vector.close()
    return transitions / spent, decisions / spent


def _bench_aec(world: World, seconds: float) -> tuple[float, float]:
    """Transitions and decisions per second of one AEC environment, playing a recorded episode again and again."""
    import numpy as np

    from envsuite.interfaces.aec import AEC

    env, rng = AEC(world), np.random.default_rng(0)
    moves: list[int | None] = []
    env.reset(seed=0)
    while env.agents and len(moves) < 10_000:
        legal = np.flatnonzero(env.action_mask(env.agent_selection))
        moves.append(int(rng.choice(legal)) if len(legal) else None)
        env.step(moves[-1])
    steps, episodes, start = int(env.batch.records["t"][0]), 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        env.reset(seed=0)
        for move in moves:
            env.last()
            env.step(move)
        episodes += 1
    return episodes * steps / spent, episodes * sum(move is not None for move in moves) / spent


@app.command(epilog=examples("envsuite check ConnectFour", "envsuite check my_package.my_world:MyWorld -p size=5"))
def check(
    ids: Annotated[
        list[str], typer.Argument(metavar="ID", help="Ids of worlds, or module:Class for worlds of your own.")
    ],
    param: Params = None,
    only: Annotated[
        str | None, typer.Option(metavar="CHECK", help="Run one check only, such as levels. Default: all checks.")
    ] = None,
) -> None:
    """Run the conformance tests on worlds, including your own. Exit code 1 at the first failure."""
    from envsuite.testing import CHECKS, check_world

    if only is not None:
        known = [check.__name__ for check in CHECKS]
        only = only if only in known else f"check_{only}"
        if only not in known:
            raise UnknownIdError(f"there is no check {only!r}{suggest(only, known)}")
    for id in ids:
        world = make(id, param)
        start = time.perf_counter()
        try:
            with err.status(f"Checking {world.id}"):
                report = check_world(world, only=only)
        except AssertionError as error:
            err.print(Text.assemble((f"{world.id} failed: ", "bold red"), (str(error), "red")), soft_wrap=True)
            raise typer.Exit(1) from None
        for name in report.checks:
            out.print(Text.assemble(("  ✓ ", "green"), name.removeprefix("check_").replace("_", " ")))
        count, spent = len(report.checks), time.perf_counter() - start
        out.print(Text.assemble((world.id, "bold"), f": {count} check{'s' * (count != 1)} passed in {spent:.1f} s"))
