"""Commands for replays: show, verify, diff, and export as a page."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from envsuite.cli import common
from envsuite.cli.common import table
from envsuite.core.errors import EnvsuiteError, RenderError, visible
from envsuite.core.files import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from envsuite.core.world import World
    from envsuite.talk.words import Words

File = Annotated[str, typer.Argument(metavar="FILE", help="A replay, as --save of `play` and `watch` writes it.")]

replays = typer.Typer(cls=common.Commands, rich_markup_mode="rich", context_settings=common.app.info.context_settings)
common.app.add_typer(
    replays,
    name="replay",
    help="Show, watch, verify or compare replays.",
    epilog=common.examples("envsuite replay show game.replay", "envsuite replay diff game.replay other.replay"),
)


@replays.command("show", epilog=common.examples("envsuite replay show game.replay"))
def show_replay(
    file: File,
    talk: Annotated[
        bool, typer.Option("--talk", help="Show what agents said in words of their own, line by line.")
    ] = False,
) -> None:
    """Show who played, with which parameters and returns; works for replays that cannot be played here too."""
    from envsuite.episodes.replay import header_of, parts_of

    header, (by, words) = header_of(file), parts_of(file)
    start = "a state" if header["seed"] is None else f"seed {header['seed']}"
    over = "its end" if header["over"] else "where it was left"
    common.out.print(Text.assemble(_shown(header["id"], "bold"), f", {header['steps']} steps from {start} to {over}"))
    facts = {
        **header["parameters"],
        **{f"{name} (tuned)": value for name, value in header["tuned"].items()},
        "level": "generated" if header["level"] is None else header["level"],
        "recorded in": header["interface"] + (f", world {header['index']}" if header["index"] else ""),
        "envsuite": header["envsuite"],
    }
    for name, value in facts.items():
        common.out.print(Text.assemble(" ", _shown(name, "cyan"), " ", _shown(value)), soft_wrap=True)
    rows = table("agent", "played by", *([] if by is None else ["actions chosen by"]), ">return")
    for a, (agent, value) in enumerate(zip(header["agents"], header["returns"])):
        counts = Counter(filter(None, by[:, a].tolist()) if by is not None else ())
        told = [", ".join(f"{word} {count}" for word, count in counts.most_common())] if by is not None else []
        rows.add_row(_shown(agent), _shown(header["players"].get(agent, "")), *told, f"{value:g}")
    common.out.print(rows)
    if talk:
        _show_talk(words, header["agents"])


def _show_talk(words: Words | None, agents: Sequence[str]) -> None:
    """Print what was said, and the acts that the rules took for it."""
    from envsuite.talk.words import shown

    if not words:
        common.out.print("Nobody said words of their own.")
        return
    rows = table(">step", "said", "act")
    for line in words.lines:
        rows.add_row(str(line.step), Text(shown(line, agents)), _shown(line.act))
    common.out.print(rows)


def _shown(value: object, style: str = "") -> Text:
    """What a file says, in one line; cut where it is long."""
    return Text(visible(f"{value!s:.200}").replace("\n", "\\n"), style)


@replays.command(epilog=common.examples("envsuite replay watch game.replay --theme dark"))
def watch(
    file: File,
    fps: common.Fps = 8.0,
    theme: common.Theme = "light",
) -> None:
    """Watch a replay in a window, to the end of the recording; continue from any step, yourself or with policies."""
    from envsuite.episodes.replay import Replay
    from envsuite.episodes.session import Session
    from envsuite.render.player import Table
    from envsuite.render.window import Window

    replay = Replay.load(file)
    names = {agent: _successor(replay.world, replay.players.get(agent, "")) for agent in replay.world.agents}
    cast = common.cast_of(replay.world, names)
    with common.progress(None, f"Playing {len(replay)} steps"):
        session = Session.of(replay, cast)
    session.seek(0)
    try:
        window = Window(file, theme=theme)
    except RenderError:
        message = "there is no display for a window: `envsuite export FILE --html PAGE` needs none"
        raise RenderError(message) from None
    Table(session, window, fps).run()
    window.close()


def _successor(world: World, player: str) -> str:
    """The policy that plays on for a recorded player: the same if it is a policy of the world."""
    from envsuite.core.names import split_name

    if split_name(player)[0] in common.policy_specs(world):  # a replay names no module to load
        with suppress(EnvsuiteError):
            common.policy_of(world, player)
            return player
    return common.default_policy(world)


@replays.command(epilog=common.examples("envsuite replay verify game.replay"))
def verify(file: File) -> None:
    """Play a replay again and compare every step with its checksum. Exit code 2 if one differs."""
    from envsuite.episodes.replay import Replay

    replay = Replay.load(file)
    with common.progress(None, f"Playing {len(replay)} steps"):
        replay.verify()
    common.out.print(Text(f"{file} plays exactly as it was recorded: {len(replay)} steps.", "green"), soft_wrap=True)


@replays.command(epilog=common.examples("envsuite replay diff game.replay other.replay"))
def diff(file: File, other: Annotated[str, typer.Argument(metavar="OTHER", help="Another replay.")]) -> None:
    """Show the first step at which two replays of a world differ, and how. Exit code 1 if they differ."""
    from envsuite.episodes.replay import Replay, differences

    found = differences(Replay.load(file), Replay.load(other))
    if not found:
        common.out.print("They are the same.")
        return
    rows = table(">step", "agent", "what", "", "")
    rows.columns[-2].header, rows.columns[-1].header = Text(file), Text(other)
    for one in found:
        rows.add_row(str(one.step), *map(_shown, (one.agent or "", one.field, one.first, one.second)))
    common.out.print(rows)
    raise typer.Exit(1)


@common.app.command(
    epilog=common.examples(
        "envsuite watch Harvest --save harvest.replay", "envsuite export harvest.replay --html harvest.html"
    )
)
def export(
    file: File,
    html: Annotated[str, common.file_option("The page to write.")],
) -> None:
    """Write a replay as one HTML file that plays in any browser, without a server."""
    from envsuite.episodes.replay import Replay
    from envsuite.render.page import page

    replay = Replay.load(file)
    with common.progress(None, f"Playing {len(replay)} steps"):
        document = page(replay)
    replace(html, document)
    common.out.print(Text.assemble("Wrote ", (html, "bold"), f", {len(document) / 1000:.0f} kB"), soft_wrap=True)
