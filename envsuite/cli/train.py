"""The command that trains."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from envsuite.cli import listing
from envsuite.cli.common import (
    MOST,
    Id,
    Params,
    Terminated,
    Workers,
    app,
    err,
    examples,
    file_option,
    make,
    number_option,
    out,
    progress,
    terminable,
)
from envsuite.core.errors import EnvsuiteError, ParameterError
from envsuite.core.files import ClaimedError, claim

if TYPE_CHECKING:
    from envsuite.core.world import World
    from envsuite.learn.curve import Curve

#: What --set cannot set: other options do, or no text can name it.
_OWN = ("world", "params", "steps", "seed", "opponents", "schedule", "members", "options")


@app.command(
    epilog=examples(
        "envsuite train DoorKey -p size=5 --steps 200000 --out net.ckpt",
        "envsuite train ConnectFour --against pool --steps 2000000 --out net.ckpt",
        "envsuite train KuhnPoker --set magnet=0.1 --set discount=1 --out net.ckpt",
        'envsuite train DoorKey -p size=8 --set \'stages=\\[[{"size": 5}, 0.9], [{"size": 6}, 0.9]]\' --out net.ckpt',
        "envsuite train DoorKey -p size=5 --population 8 --set ready=20000 --workers 2 --out net.ckpt",
        "envsuite train KuhnPoker --adversary player_0 --against learned --exact --out net.ckpt",
        "envsuite watch KuhnPoker --policy learned",
        "If --out exists, the training resumes from it; --steps may be larger then.",
        'Needs torch: pip install "envsuite\\[learn]".',
    )
)
def train(
    id: Id,
    file: Annotated[str, file_option("Checkpoint to write; the training resumes if the file exists.", "--out")],
    steps: Annotated[
        int, typer.Option(min=1, max=MOST, metavar="N", help="Transitions of worlds in all; of each member.")
    ] = 1_000_000,
    param: Params = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of worlds, weights and draws.")] = 0,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            autocompletion=listing.complete_policy,
            help="Opponents: self, pool (older selves), or a policy. Default: self; all agents learn together.",
        ),
    ] = None,
    adversary: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Train this agent alone. All others are played by the policy of --against, whose loss is shown.",
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Compute the loss and its bound from the game tree; for small games only.")
    ] = False,
    population: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Train N networks at once; the worst copy the best and change their rates (PBT)."
        ),
    ] = None,
    workers: Workers = "1",
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of the trainer, or of the population. May be given several times.",
        ),
    ] = None,
    save_every: Annotated[
        float,
        number_option("Minutes between two saves; an interrupt saves too. A population saves at each exchange.", 0),
    ] = 5.0,
    png: Annotated[str | None, file_option("Write the learning curve as a PNG.")] = None,
    json_file: Annotated[str | None, file_option("Write the learning curve as JSON.", "--json")] = None,
) -> None:
    """Train a network to play a world by PPO; the checkpoint plays as the policy learned:FILE."""
    from envsuite.render.frames import save_png

    try:
        import torch  # noqa: F401
    except ImportError:
        raise ParameterError('training needs torch: pip install "envsuite[learn]"') from None
    if population is None and workers != 1:
        raise ParameterError("--workers shares the members of a --population; a single network trains in one process")
    world = make(id, param)
    _check_opponents(world, against, adversary, exact)
    given = _given(world, steps, seed, against, adversary, population, set or [])
    begin = time.perf_counter()
    try:
        held = claim(Path(file))  # noqa: F841 (until this function ends)
    except ClaimedError as holder:
        raise EnvsuiteError(
            f"{file}: another process trains into this file ({holder}); name another file with --out"
        ) from None
    try:
        with terminable():
            if population is None:
                curve, done = _train(world, file, given, save_every)
            else:
                curve, done = _evolve(world, file, given, workers)
    except KeyboardInterrupt as interrupt:
        raise _interrupted(file, interrupt) from None
    spent = time.perf_counter() - begin
    out.print(
        Text.assemble((world.id, "bold"), f", {done:,} steps, {spent:.1f} s; mean return of a learning "),
        f"agent in the last tenth: {curve.recent():.4g}",
        soft_wrap=True,
    )
    if adversary:
        _show_attack(world, file, adversary, str(against), exact)
    if png:
        save_png(curve.scene(), png, 1200)
    if json_file:
        curve.save(json_file)
    for path in filter(None, (file, png, json_file)):
        out.print(Text.assemble("Wrote ", (path, "bold")), soft_wrap=True)


def _check_opponents(world: World, against: str | None, adversary: str | None, exact: bool) -> None:
    if against not in (None, "self") and len(world.agents) == 1:
        raise ParameterError(f"--against {against}: {world.id} has one agent")
    if adversary is not None and against in (None, "self", "pool"):
        raise ParameterError(f"--adversary {adversary} needs its victim: --against POLICY")
    if exact and adversary is None:
        raise ParameterError("--exact belongs to --adversary")


def _given(
    world: World, steps: int, seed: int, against: str | None, adversary: str | None, population: int | None,
    texts: list[str],
) -> dict[str, Any]:  # fmt: skip
    """The parameters of the `Trainer`, or of the `Population`, without the world's."""
    from envsuite.core.parameters import check, read, signature
    from envsuite.learn.pool import Pool
    from envsuite.learn.population import Population
    from envsuite.learn.ppo import Trainer

    known = {name: one for name, one in signature(Trainer).items() if name not in _OWN}
    own = {name: one for name, one in signature(Population).items() if name not in _OWN}
    everything = {**known, **own} if population is not None else known
    texts_read = read(everything, texts, "--set")
    checked = check("--set", everything, texts_read)
    chosen = {name: checked[name] for name in texts_read}
    if adversary is not None:
        chosen["agents"] = (adversary,)
    if against is not None and against != "self":
        chosen["opponents"] = Pool(selves=8, share=0.5) if against == "pool" else Pool([against])
    if population is None:
        return {**chosen, "steps": steps, "seed": seed}
    options = {name: value for name, value in chosen.items() if name not in own}
    mine = {name: value for name, value in chosen.items() if name in own}
    return {**mine, "steps": steps, "seed": seed, "members": population, "options": options}


def _train(world: World, file: str, given: dict[str, Any], every: float) -> tuple[Curve, int]:
    """Train a network; its curve, and the transitions so far.

    After each update its whole state is kept. This is what an interrupt writes, within whatever update it comes.
    """
    from envsuite.learn import checkpoint
    from envsuite.learn.ppo import Trainer
    from envsuite.learn.resume import contents, resumed

    if Path(file).exists():
        data, arrays = checkpoint.read(file)
        _check_world(file, world, data)
        trainer = resumed(data, arrays, file, world)
        _check_same(file, trainer.parameters, given)
        trainer.steps = trainer.parameters["steps"] = max(given["steps"], trainer.steps)
    else:
        trainer = Trainer(world, **given)
    begin, first = time.perf_counter(), trainer.done
    stages, kept, saved = len(trainer.parameters["stages"]), None, time.monotonic()
    with progress(trainer.steps, "Training") as advance:
        advance(steps=first)

        def show(row: dict[str, Any]) -> None:
            nonlocal kept, saved
            kept = contents(trainer)
            if time.monotonic() - saved >= 60 * every:
                checkpoint.write(file, *kept)
                saved = time.monotonic()
            gained = "" if row["return"] is None else f"return {trainer.curve.recent():.4g}, "
            stage = f"stage {trainer.stage + 1} of {stages + 1}, " if stages else ""
            rate = (row["steps"] - first) / (time.perf_counter() - begin)
            advance(f"{stage}{gained}{rate:,.0f} steps/s", trainer.batch.num * trainer.parameters["horizon"])

        try:
            trainer.train(progress=show)
        except KeyboardInterrupt:
            if kept is not None:
                checkpoint.write(file, *kept)
            raise
    checkpoint.write(file, *contents(trainer))
    return trainer.curve, trainer.done


def _evolve(world: World, file: str, given: dict[str, Any], workers: Any) -> tuple[Curve, int]:
    """Train a population; the curve of the best member, and the transitions of each member so far."""
    from envsuite.learn import checkpoint
    from envsuite.learn.population import Population

    if Path(file).exists():
        _check_world(file, world, checkpoint.read(file)[0])
        population = Population.load(file, world)
        _check_same(file, population.settings(), {**given, **given["options"]})
        population.parameters["steps"] = max(given["steps"], population.parameters["steps"])
    else:
        population = Population(world, **given)
    own = population.parameters
    with progress(own["steps"] * own["members"], "Training") as advance:
        advance(steps=population.done * own["members"])

        def keep(found: dict[str, Any]) -> None:
            population.save(file)
            means = [mean for mean in found["returns"] if mean is not None]
            advance(f"best return {max(means):.4g}" if means else None, 0)

        population.train(workers, lambda done: advance(steps=done), keep)
    return population.curve(), population.done


def _interrupted(file: str, interrupt: KeyboardInterrupt) -> typer.Exit:
    there = Path(file).exists()
    kept = f"the same command resumes from {file}" if there else "there is nothing to resume from yet"
    err.print(f"Interrupted; {kept}", style="yellow", soft_wrap=True)
    return typer.Exit(143 if isinstance(interrupt, Terminated) else 130)


def _check_world(file: str, world: World, data: Mapping[str, Any]) -> None:
    """Refuse to resume a training in another world than this one."""
    from envsuite.core.parameters import to_json

    named = data.get("world"), data.get("parameters")
    if named != (world.id, to_json(world.parameters, str)):
        raise EnvsuiteError(
            f"{file} belongs to a training in {named[0]!s:.80} with {named[1]!r:.300}: name another file with --out"
        )


def _check_same(file: str, found: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse to resume a training with other parameters than were `found`."""
    from envsuite.core.parameters import to_json

    for name, value in given.items():
        if name not in ("steps", "opponents", "options") and to_json(found[name]) != to_json(value):
            raise ParameterError(f"{file} was trained with {name}={found[name]!r}, not {value!r}")


def _show_attack(world: World, file: str, agent: str, victim: str, exact: bool) -> None:
    """Print what an adversary costs its victim."""
    from envsuite.agents import make_policy
    from envsuite.learn.adversary import attack
    from envsuite.solvers.game_tree import Tree

    tree = Tree(world) if exact else None
    found = attack(world, make_policy(f"learned:{file}", world), agent, victim, tree=tree)
    bound = f" of at most {found.bound:.4g}" if exact else ""
    out.print(
        f"{agent} against {victim}: the victim's mean return falls by {found.loss:.4g}; "
        f"the adversary gains {found.gain:.4g}{bound}, compared with the victim in its place",
        soft_wrap=True,
    )
