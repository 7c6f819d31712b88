"""Seats in a browser: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from envsuite import registry
from envsuite.cli.common import MOST, Params, app, err, examples, given, number_option, out, seed_or_any, to_open
from envsuite.core.errors import ParameterError


@app.command(
    epilog=examples(
        "envsuite serve ConnectFour Overcooked",
        "envsuite serve Overcooked --tick 6 --seats chef_1=greedy",
        "envsuite serve Werewolf --private",
        "envsuite serve --folder tables",
    )
)
def serve(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Worlds that visitors may open tables of.")
    ] = None,
    param: Params = None,
    seats: Annotated[
        str, typer.Option(metavar="AGENT=PLAYER,...", help="Seats of policies; the others are for people.")
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
    private: Annotated[
        bool, typer.Option("--private", help="Open one table of each world, off the lobby, and print a link per seat.")
    ] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of a table's first episode. Default: random.")] = None,
    folder: Annotated[
        str, typer.Option(metavar="DIR", help="Journals and replays; its tables are restored.", callback=to_open)
    ] = "tables",
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, metavar="N", help="The port to listen at.")] = 8000,
    name: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A host name that people use, behind a proxy.")
    ] = None,
) -> None:
    """Serve tables at which people in browsers and policies play together."""
    try:
        from envsuite.serve.tables import Settings
        from envsuite.serve.web import Host
        from envsuite.serve.web import serve as run
    except ImportError as problem:
        raise ParameterError(f'serving needs {problem.name}: pip install "envsuite[serve]"') from None

    players = dict(part.partition("=")[::2] for part in seats.split(",") if part)
    offers = []
    for id in ids or ():
        offer = Settings(
            id, given(registry.world_class(id), param), seed_or_any(seed) % MOST, None, players, tick, idle, absent,
            standin, listed=not private,
        )  # fmt: skip
        offer.build()
        offers.append(offer)
    tables = Host(Path(folder), () if private else offers)
    address = f"http://{host}:{port}"
    for offer in offers if private else ():
        table = tables.open(offer)
        for agent in table.people:
            out.print(f"{table.world.agents[agent]}: {address}/table/{table.id}#{table.take(agent)}", soft_wrap=True)
    if host not in ("127.0.0.1", "localhost", "::1"):
        err.print(
            "Others can reach this address, and nothing is encrypted: put a proxy with TLS (Caddy, nginx) in front, "
            "and listen at 127.0.0.1",
            style="yellow",
        )
    out.print(f"Lobby: {address}/   (to show it to others, put a proxy with TLS in front, and give --name)")
    run(tables, host, port, ["127.0.0.1", "localhost", "[::1]", *([host] if host else []), *(name or ())])
