"""The command that trains."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from envsuite.cli.common import MOST, Id, Params, app, err, examples, file_option, make, out, progress
from envsuite.core.errors import EnvsuiteError, ParameterError

if TYPE_CHECKING:
    from envsuite.learn.ppo import Trainer

#: What --set cannot set: other options do, or no text can name it.
_OWN = ("world", "params", "steps", "seed", "opponents", "schedule")


@app.command(
    epilog=examples(
        "envsuite train DoorKey -p size=5 --steps 200000 --out net.ckpt",
        "envsuite train ConnectFour --against pool --steps 2000000 --out net.ckpt",
        "envsuite train KuhnPoker --set magnet=0.1 --set discount=1 --out net.ckpt",
        "envsuite watch KuhnPoker --policy learned",
        "If --out exists, the training resumes from it; --steps may be larger then.",
        'Needs torch: pip install "envsuite\\[learn]".',
    )
)
def train(
    id: Id,
    file: Annotated[str, file_option("Checkpoint to write; the training resumes if the file exists.", "--out")],
    steps: Annotated[int, typer.Option(min=1, max=MOST, metavar="N", help="Transitions of worlds in all.")] = 1_000_000,
    param: Params = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of worlds, weights and draws.")] = 0,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="Opponents: self, pool (older selves), or a policy. Default: self; all agents learn together.",
        ),
    ] = None,
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the trainer. May be given several times."),
    ] = None,
    png: Annotated[str | None, file_option("Write the learning curve as a PNG.")] = None,
    json_file: Annotated[str | None, file_option("Write the learning curve as JSON.", "--json")] = None,
) -> None:
    """Train a network to play a world by PPO; the checkpoint plays as the policy learned:FILE."""
    from envsuite.render.frames import save_png

    trainer = _trainer(id, file, steps, param, seed, against, set)
    from envsuite.learn.resume import save  # needs torch, which `_trainer` has found

    begin, first = time.perf_counter(), trainer.done
    with progress(trainer.steps, "Training") as advance:
        advance(steps=first)

        def show(row: dict[str, Any]) -> None:
            gained = "" if row["return"] is None else f"return {trainer.curve.recent():.4g}, "
            rate = (row["steps"] - first) / (time.perf_counter() - begin)
            advance(f"{gained}{rate:,.0f} steps/s", trainer.batch.num * trainer.parameters["horizon"])

        try:
            trainer.train(progress=show)
        except KeyboardInterrupt:
            save(trainer, file)
            err.print(f"Interrupted; the same command resumes from {file}", style="yellow", soft_wrap=True)
            raise typer.Exit(130) from None
    save(trainer, file)
    spent = time.perf_counter() - begin
    out.print(
        Text.assemble(
            (trainer.world.id, "bold"), f", {trainer.done:,} steps, {spent:.1f} s; mean return of a learning "
        ),
        f"agent in the last tenth: {trainer.curve.recent():.4g}",
        soft_wrap=True,
    )
    if png:
        save_png(trainer.curve.scene(), png, 1200)
    if json_file:
        trainer.curve.save(json_file)
    for path in filter(None, (file, png, json_file)):
        out.print(Text.assemble("Wrote ", (path, "bold")), soft_wrap=True)


def _trainer(
    id: str, file: str, steps: int, param: list[str] | None, seed: int, against: str | None, texts: list[str] | None
) -> Trainer:
    """A new trainer, or the one of the file."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise ParameterError('training needs torch: pip install "envsuite[learn]"') from None
    from envsuite.core.parameters import check, read, signature
    from envsuite.learn.pool import Pool
    from envsuite.learn.ppo import Trainer
    from envsuite.learn.resume import resume

    world = make(id, param)
    known = {name: one for name, one in signature(Trainer).items() if name not in _OWN}
    chosen = read(known, texts or (), "--set")
    check("--set", known, chosen)
    if against in (None, "self"):
        opponents = None
    elif len(world.agents) == 1:
        raise ParameterError(f"--against {against}: {world.id} has one agent")
    else:
        assert against is not None
        opponents = Pool(selves=8, share=0.5) if against == "pool" else Pool([against])
    if not Path(file).exists():
        return Trainer(world, steps=steps, seed=seed, opponents=opponents, **chosen)
    trainer = resume(file)
    given = {**chosen, "steps": steps, "seed": seed}
    if trainer.world.id != world.id or trainer.world.parameters != world.parameters:
        raise EnvsuiteError(f"{file} belongs to a training in {trainer.world!r}: name another file with --out")
    for name, value in given.items():
        if name != "steps" and trainer.parameters[name] != value:
            raise ParameterError(f"{file} was trained with {name}={trainer.parameters[name]!r}, not {value!r}")
    trainer.steps = trainer.parameters["steps"] = max(steps, trainer.steps)
    return trainer
