"""Seats in a browser: serve, and study with check, run and export."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from envsuite import registry
from envsuite.cli.common import (
    Commands,
    Params,
    app,
    err,
    examples,
    given,
    named_seats,
    number_option,
    out,
    talk_option,
    to_open,
)
from envsuite.core.errors import ParameterError

if TYPE_CHECKING:
    from envsuite.core.world import World
    from envsuite.models.client import Asked
    from envsuite.serve.blocked import Blocked
    from envsuite.serve.plan import Plan
    from envsuite.serve.web import Host

study = typer.Typer(cls=Commands, rich_markup_mode="rich", context_settings=app.info.context_settings)

_Folder = Annotated[
    str,
    typer.Option("--folder", metavar="DIR", help="Journals and replays; its tables are restored.", callback=to_open),
]
_Address = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="The address to listen at.")]
_Port = Annotated[int, typer.Option("--port", min=1, max=65535, metavar="N", help="The port to listen at.")]
_Names = Annotated[
    list[str] | None, typer.Option("--name", metavar="NAME", help="A host name that people use, behind a proxy.")
]
_Plan = Annotated[str, typer.Argument(metavar="FILE", help="The plan of the study, in YAML.", callback=to_open)]
_Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow", metavar="NAME", help="A module:Class or python:module:function that files of the study may name."
    ),
]
_Block = Annotated[
    str | None,
    typer.Option(
        "--block",
        metavar="FILE",
        help="Words that people cannot say, one a line, * for any letters; each is replaced by \\[removed].",
        callback=to_open,
    ),
]


def _serving() -> Any:
    """The module with the server."""
    try:
        from envsuite.serve import web
    except ImportError as problem:
        raise ParameterError(f'serving needs {problem.name}: pip install "envsuite[serve]"') from None
    return web


def _can_listen(address: str, port: int) -> None:
    """Refuse an address or a port at which this computer cannot listen, before anything is made."""
    try:
        family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0][0]
        socket.create_server((address, port), family=family).close()
    except (OSError, ValueError) as problem:
        reason = str(getattr(problem, "strerror", None) or problem).partition(" (")[0]
        raise ParameterError(f"--host {address!r:.60} --port {port}: cannot listen there: {reason}") from None


def _run(tables: Host, what: str, address: str, port: int, names: list[str] | None) -> None:
    """Print where the server listens, and serve."""
    if address not in ("127.0.0.1", "localhost", "::1"):
        err.print(
            "Others can reach this address, and nothing is encrypted: put a proxy with TLS (Caddy, nginx) in front, "
            "and listen at 127.0.0.1",
            style="yellow",
        )
    note = "(to show it to others, put a proxy with TLS in front, and give --name)"
    out.print(f"{what}: http://{address}:{port}/   {note}")
    known = ["127.0.0.1", "localhost", "[::1]", *([address] if address else []), *(names or ())]
    _serving().serve(tables, address, port, known)


@app.command(
    epilog=examples(
        "envsuite serve ConnectFour Overcooked",
        "envsuite serve Overcooked --tick 6 --seats chef_1=greedy",
        "envsuite serve TicTacToe --seats player_1=language:gpt-4.1-mini",
        "envsuite serve Werewolf --private",
        "envsuite serve Fishery --talk free --seats player_1=norm_follower",
        "envsuite serve --folder tables",
    )
)
def serve(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Worlds that visitors may open tables of.")
    ] = None,
    param: Params = None,
    seats: Annotated[
        str,
        typer.Option(
            metavar="AGENT=PLAYER,...",
            help="Seats of policies, or of models (language:NAME, as for evaluate); the others are for people.",
        ),
    ] = "",
    tick: Annotated[float, number_option("Steps per second; 0: the table waits until all have chosen.", 0, 60)] = 0.0,
    idle: Annotated[
        Literal["noop", "repeat"],
        typer.Option(help="In a tick, a person without a choice: nothing, or the last action."),
    ] = "noop",
    absent: Annotated[
        Literal["wait", "policy"], typer.Option(help="A seat while its person is not connected.")
    ] = "wait",
    standin: Annotated[
        str, typer.Option(metavar="POLICY", help="The policy that plays for people who hand over or are absent.")
    ] = "random",
    talk: Annotated[str, talk_option("beside:when=turn,words=30")] = "typed",
    block: _Block = None,
    private: Annotated[
        bool, typer.Option("--private", help="Open one table of each world, off the lobby, and print a link per seat.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**64 - 1,
            help="To reproduce episodes: the seed of each table's first one. Whoever knows it knows all hidden cards. "
            "Default: new random bits for each episode.",
        ),
    ] = None,
    release: Annotated[
        float, number_option("Minutes after which an absent person's seat in the lobby is free; 0: never.", 0)
    ] = 60.0,
    close: Annotated[
        float, number_option("Hours after which an empty table of the lobby is closed; 0: never.", 0)
    ] = 24.0,
    folder: _Folder = "tables",
    host: _Address = "127.0.0.1",
    port: _Port = 8000,
    name: _Names = None,
) -> None:
    """Serve tables at which people in browsers and policies play together."""
    web = _serving()
    _can_listen(host, port)
    from envsuite.models.client import Asked
    from envsuite.serve.settings import LANGUAGE

    models = Asked()
    offers = []
    for id in ids or ():
        parameters = given(registry.world_class(id), param)
        players = _players(registry.build(id, parameters), seats)
        offer = web.Settings(
            id, parameters, seed, None, players, tick, idle, absent, standin, listed=not private, talk=talk
        )
        offer.build()
        for player in players.values():
            if player.startswith(LANGUAGE):
                models[player.removeprefix(LANGUAGE)]  # a wrong name is refused now
        offers.append(offer)
    tables = web.Host(Path(folder), () if private else offers, models, 60 * release, 3600 * close, _blocked(block))
    for offer in offers if private else ():
        table = tables.open(offer)
        for agent in table.people:
            out.print(
                f"{table.world.agents[agent]}: http://{host}:{port}/table/{table.id}#{table.take(agent)}",
                soft_wrap=True,
            )
    _run(tables, "Lobby", host, port, name)


def _blocked(file: str | None) -> Blocked:
    """The words of a --block."""
    from envsuite.serve.blocked import Blocked, load

    return Blocked() if file is None else load(file)


def _players(world: World, seats: str) -> dict[str, str]:
    """The players of --seats by agent."""
    players = named_seats(world, seats)
    if "" in players:
        raise ParameterError(
            f"--seats {seats!r:.60} must be AGENT=PLAYER,...: the agents are {', '.join(world.agents)}"
        )
    return players


app.add_typer(
    study,
    name="study",
    help="Studies with people: consent, questions, conditions and payment, from a YAML file.",
    epilog=examples("envsuite study run cooking.yaml", "envsuite study export study data"),
)


@study.callback()
def _study() -> None:
    """Studies with people."""


def _allowed(names: list[str] | None) -> Asked:
    """The models that a plan may name; the worlds that it may name are loaded."""
    from envsuite.models.client import Asked

    models = Asked()
    for name in names or ():
        models[name] if name.startswith("python:") else registry.world_class(name)
    return models


def _read(file: str, models: Asked) -> Plan:
    """A plan, or an error if it names a module for a model that the user did not."""
    from envsuite.serve.plan import load
    from envsuite.serve.settings import LANGUAGE

    plan = load(file)
    for name in (name for one in plan.conditions for name in one.seats.values()):
        if name.startswith(f"{LANGUAGE}python:") and name.removeprefix(LANGUAGE) not in models:
            raise ParameterError(
                f"{file}: {name}: a plan imports no modules; add --allow {name.removeprefix(LANGUAGE)}"
            )
    return plan


@study.command(epilog=examples("envsuite study check cooking.yaml"))
def check(file: _Plan, allow: _Allow = None) -> None:
    """Check a plan, and show what participants will do."""
    _serving()
    plan = _read(file, _allowed(allow))
    count = len(plan.conditions) if plan.plays is None else plan.plays
    out.print(f"{plan.title}: {count} of {len(plan.conditions)} conditions for each participant, order {plan.order}")
    for one in plan.conditions:
        people = [agent for agent in one.settings().build().agents if one.seats.get(agent, "person") == "person"]
        seats = ", ".join([*people, *(f"{agent}={name}" for agent, name in one.seats.items() if agent not in people)])
        talk = f", talk {one.talk}" if one.settings().talked() else ""
        asked = f", {len(one.questions)} questions" if one.questions else ""
        out.print(f"  {one.name}: {one.world}, {one.episodes} episodes, {seats}{talk}{asked}", soft_wrap=True)
    out.print(f"  {len(plan.before)} questions before, {len(plan.after)} after")


@study.command(
    epilog=examples("envsuite study run cooking.yaml", "envsuite study run cooking.yaml --name play.example.org")
)
def run(
    file: _Plan, folder: _Folder = "study", host: _Address = "127.0.0.1", port: _Port = 8000, name: _Names = None,
    allow: _Allow = None, block: _Block = None,
) -> None:  # fmt: skip
    """Serve a study. Started again with the same folder, it continues where it was."""
    _serving()
    _can_listen(host, port)
    from envsuite.serve.study import Study

    models = _allowed(allow)
    _run(Study(_read(file, models), Path(folder), models, _blocked(block)), "Study", host, port, name)


@study.command(epilog=examples("envsuite study export study data"))
def export(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of the study.", callback=to_open)],
    to: Annotated[str, typer.Argument(metavar="OUT", help="The folder for the Parquet files.", callback=to_open)],
    allow: _Allow = None,
) -> None:
    """Write participants, answers, episodes, actions and messages as Parquet; the server may be running."""
    _serving()
    _allowed(allow)
    from envsuite.serve.export import export as write

    for kind, count in write(Path(folder), Path(to)).items():
        out.print(f"{Path(to) / kind}.parquet: {count:,} rows", soft_wrap=True)
