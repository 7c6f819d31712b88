"""Commands for data sets: record episodes, and make Parquet, JSON lines, Minari data sets or RLDS names of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from envsuite.cli import common, listing
from envsuite.cli.common import make, table
from envsuite.core.errors import ParameterError

if TYPE_CHECKING:
    from envsuite.core.world import World

_FORMATS = "parquet, jsonl, minari or rlds"


@common.app.command(
    epilog=common.examples(
        "envsuite record ConnectFour --policies tactical,random --episodes 10000 --out four",
        "envsuite record DoorKey --grade 0,0.25,0.5,0.75,1 --episodes 5000 --out door",
        "envsuite data four --columns observation,mask,return_to_go --to parquet",
        "envsuite record Maze --levels mazes.json --episodes 1000 --out mazes",
        "The same command again resumes an interrupted recording; a larger --episodes adds to a whole one.",
    )
)
def record(
    id: common.Id,
    out_folder: Annotated[
        str,
        typer.Option("--out", metavar="DIR", help="Folder of the data set; new, or resumed.", callback=common.to_open),
    ],
    policies: Annotated[
        str | None,
        typer.Option(
            "--policies",
            "--policy",
            metavar="POLICIES",
            autocompletion=listing.complete_policy,
            help="One policy for all agents, one for each, or agent=policy,... "
            "Default: the baseline with the highest reference score.",
        ),
    ] = None,
    param: common.Params = None,
    episodes: Annotated[
        int, typer.Option(min=1, max=10**9, metavar="N", help="Number of episodes; seeds count up from --seed.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, max=2**63, help="Seed of the first episode.")] = 0,
    grade: Annotated[
        str,
        typer.Option(
            metavar="G,G,...",
            help="Probabilities with which agents play their policies and not at random; episodes take them in turn.",
        ),
    ] = "1",
    levels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Levels from which episodes start, in turn: a JSON list, as `envsuite generate --json` writes it.",
        ),
    ] = None,
    workers: common.Workers = "1",
) -> None:
    """Record episodes as a data set: a few bytes each, from which all columns can be made."""
    from envsuite.data import record as record_episodes

    world = make(id, param)
    with common.progress(episodes, "Recording") as advance:
        found = record_episodes(
            world,
            None if policies is None else _players(world, policies),
            episodes,
            out_folder,
            seed,
            grades=_grades(grade),
            levels=None if levels is None else _levels(levels),
            workers=workers,
            progress=lambda count: advance(steps=count),
        )
    steps, size = int(found.lengths.sum()), found.store.file.stat().st_size
    rows = table(">grade", ">episodes", ">mean return", ">score", "measured against", title=world.id)
    for row in found.about["scores"]:
        score = "" if row["score"] is None else f"{row['score']:.3f}"
        rows.add_row(
            f"{row['grade']:g}", f"{row['episodes']:,}", f"{row['mean']:.4g}", score, row["others"] or "itself"
        )
    common.out.print(rows)
    text = f", {len(found):,} episodes, {steps:,} transitions, {size / 1000:,.0f} kB"
    common.out.print(Text.assemble("Recorded ", (out_folder, "bold"), text), soft_wrap=True)


def _players(world: World, text: str) -> dict[str, Any]:
    """The policy of each agent: by name, or an object of a class of the user's."""
    listed = common.listed_policies(text)
    agents = list(world.agents)
    if len(listed) > 1 and not any(part.partition("=")[0] in agents for part in listed):
        if len(listed) != len(agents):
            raise ParameterError(f"--policies: {len(listed)} policies are given for {len(agents)} agents")
        names = dict(zip(agents, listed))
    else:
        names = common.seats_of(world, text, agents)
    made = {name: _player(world, name) for name in dict.fromkeys(names.values())}
    return {agent: made[name] for agent, name in names.items()}


def _player(world: World, name: str) -> Any:
    from envsuite.core.names import split_name
    from envsuite.core.policy import OTHERS

    if split_name(name)[0] in {*common.policy_specs(world), *OTHERS} or ":" not in name:
        return name
    policy = common.policy_of(world, name)
    policy.name = name  # what the data set calls it
    return policy


def _levels(file: str) -> list[Any]:
    try:
        with open(file, encoding="utf-8") as opened:
            found = json.load(opened)
    except (OSError, ValueError, RecursionError) as problem:
        raise ParameterError(f"--levels {file}: {problem}") from None
    if not isinstance(found, list):
        raise ParameterError(f"--levels {file}: this must be a list of levels")
    return found


def _grades(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"--grade {text!r} must be probabilities such as 0,0.5,1") from None


@common.app.command(
    epilog=common.examples(
        "envsuite data door --columns observation,mask,text",
        "envsuite data kuhn --columns mask,best,regret --solver cfr:iterations=5000 --to jsonl --out kuhn.rows",
        "envsuite data four --columns label.wins=my_verifiers:wins --to rlds",
        "envsuite data four --to minari",
        "envsuite data games --columns prompt,reply,said,heard --to jsonl",
    )
)
def data(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="DIR",
            help="A data set, as `envsuite record` makes it; or a replay, or a folder of replays.",
            callback=common.to_open,
        ),
    ],
    columns: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Columns besides episode, step, agent, policy, action, reward and ends: observation, state, mask, "
            "vector_reward, return_to_go, grade, score, action_name, text, prompt, reply, message, said, heard, value, "
            "best_action, best, regret, label.NAME=module:function.",
        ),
    ] = "observation,mask",
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"The format: {_FORMATS}.")] = "parquet",
    out_folder: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder to write; new or empty. Default: DIR/FORMAT.", callback=common.to_open
        ),
    ] = None,
    solver: Annotated[
        str, typer.Option(metavar="SOLVER", help="Judges actions: auto, tabular, cfr or mcts, with parameters.")
    ] = "auto",
    idle: Annotated[
        bool, typer.Option("--idle", help="Have rows of all agents at all steps, also where they do not act.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Take what is there of a recording that was interrupted.")
    ] = False,
) -> None:
    """Write a recorded data set as Parquet, JSON lines, a Minari data set, or with the names of RLDS."""
    from envsuite.data import export
    from envsuite.data.replayed import opened

    found = opened(folder, partial=partial)
    target = f"{folder}/{to}" if out_folder is None else out_folder
    names = [name.strip() for name in columns.split(",") if name.strip()]
    written = 0
    with common.progress(None, "Writing") as advance:

        def count(rows: int) -> None:
            nonlocal written
            written += rows
            advance(steps=rows)

        export(found, target, to, names, solver=solver, idle=idle, progress=count)  # type: ignore[arg-type]
    what = "episodes" if to == "minari" else "rows"
    common.out.print(Text.assemble("Wrote ", (target, "bold"), f", {written:,} {what}"), soft_wrap=True)
