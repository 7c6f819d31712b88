"""Commands for replays: show, verify, diff, and export as a page."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from envsuite.cli.common import Theme, app, cast_of, default_policy, examples, out, policy_specs, progress, table

File = Annotated[str, typer.Argument(metavar="FILE", help="A replay; `play` and `watch` write them with --save FILE.")]

replays = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", context_settings=app.info.context_settings)
app.add_typer(
    replays,
    name="replay",
    help="Look at replays, check and compare them.",
    epilog=examples("envsuite replay show game.replay", "envsuite replay diff game.replay other.replay"),
)


@replays.command("show", epilog=examples("envsuite replay show game.replay"))
def show_replay(file: File) -> None:
    """What a replay says of itself; also one that cannot be played here."""
    from envsuite.episodes.replay import header_of

    header = header_of(file)
    start = "a state" if header["seed"] is None else f"seed {header['seed']}"
    over = "its end" if header["over"] else "where it was left"
    out.print(Text.assemble((header["id"], "bold"), f", {header['steps']} steps from {start} to {over}"))
    facts = {
        **header["parameters"],
        **{f"{name} (tuned)": value for name, value in header["tuned"].items()},
        "level": "generated" if header["level"] is None else header["level"],
        "recorded in": header["interface"] + (f", world {header['index']}" if header["index"] else ""),
        "envsuite": header["envsuite"],
    }
    for name, value in facts.items():
        out.print(Text.assemble(" ", (name, "cyan"), f" {value!s:.200}"), soft_wrap=True)
    rows = table("agent", "played by", ">return")
    for agent, value in zip(header["agents"], header["returns"]):
        rows.add_row(agent, header["players"].get(agent, ""), f"{value:g}")
    out.print(rows)


@replays.command(epilog=examples("envsuite replay watch game.replay --theme dark"))
def watch(
    file: File,
    fps: Annotated[float, typer.Option(min=0.1, max=1000, help="Steps a second.")] = 8.0,
    theme: Theme = "light",
) -> None:
    """Watch a replay in a window: go through it, and play on from any step yourself or by policies."""
    from envsuite.episodes.replay import Replay
    from envsuite.episodes.session import Session
    from envsuite.render.player import Table
    from envsuite.render.window import Window

    replay = Replay.load(file)
    world = replay.world
    known = policy_specs(world)
    names = {agent: replay.players.get(agent, "") for agent in world.agents}
    names = {agent: name if name.partition(":")[0] in known else default_policy(world) for agent, name in names.items()}
    window = Window(file, theme=theme)
    session = Session.of(replay, cast_of(world, names))
    session.seek(0)
    Table(session, window, fps).run()
    window.close()


@replays.command(epilog=examples("envsuite replay verify game.replay"))
def verify(file: File) -> None:
    """Play a replay and compare the records with its checksums; exit code 2 if one differs."""
    from envsuite.episodes.replay import Replay

    replay = Replay.load(file)
    replay.verify()
    out.print(Text(f"{file} plays exactly as it was recorded: {len(replay)} steps.", "green"), soft_wrap=True)


@replays.command(epilog=examples("envsuite replay diff game.replay other.replay"))
def diff(file: File, other: Annotated[str, typer.Argument(metavar="OTHER", help="Another one.")]) -> None:
    """Where two replays of a world part first: the step, the agent and its actions, the fields; exit code 1 if so."""
    from envsuite.episodes.replay import Replay, differences

    found = differences(Replay.load(file), Replay.load(other))
    if not found:
        out.print("They are the same.")
        return
    rows = table(">step", "agent", "what", file, other)
    for one in found:
        rows.add_row(str(one.step), one.agent or "", one.field, str(one.first), str(one.second))
    out.print(rows)
    raise typer.Exit(1)


@app.command(
    epilog=examples(
        "envsuite watch Harvest --save harvest.replay", "envsuite export harvest.replay --html harvest.html"
    )
)
def export(
    file: File,
    html: Annotated[str, typer.Option(metavar="FILE", help="The page to write.")],
) -> None:
    """Write a replay as one HTML file that plays in any browser, without a server or a network."""
    from envsuite.episodes.replay import Replay
    from envsuite.render.page import page

    replay = Replay.load(file)
    with progress(None, f"Playing {len(replay)} steps"):
        document = page(replay)
    Path(html).write_text(document, "utf-8")
    out.print(Text.assemble("Wrote ", (html, "bold"), f", {len(document) / 1000:.0f} kB"), soft_wrap=True)
