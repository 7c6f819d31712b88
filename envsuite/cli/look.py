"""Commands that show: list, info, play, watch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text

from envsuite.cli import common, listing
from envsuite.cli.catalog import listed
from envsuite.cli.common import make, table
from envsuite.core.errors import ParameterError, RenderError, UnknownIdError, suggest
from envsuite.core.world_kinds import KINDS, known_kinds

if TYPE_CHECKING:
    from envsuite.core.world import World
    from envsuite.episodes.session import Session

#: The families of our worlds, which are folders.
FAMILIES = ("games", "gridworlds", "social", "dual_control")

#: The orders of turns that `--turns` takes.
Turns = Literal["sequential", "simultaneous", "mixed"]

#: Maximum transitions in a GIF or video if --steps is not given.
FILM_STEPS = 200


Save = Annotated[
    str | None, common.file_option("Write a replay; the second episode goes to FILE-2, the third to FILE-3, and so on.")
]


@common.app.command(
    "list",
    epilog=common.examples(
        "envsuite list",
        "envsuite list poker",
        "envsuite list --kind cards",
        "envsuite list --family social --agents 5",
        "envsuite list --json",
        f"The kinds are {', '.join(KINDS)}.",
    ),
)
def list_worlds(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORD]...", help="Words that the line of a world must contain.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="A kind of world, such as cards.", autocompletion=listing.complete_kind),
    ] = None,
    family: Annotated[
        str | None, typer.Option(metavar="FAMILY", help=f"One of {', '.join(FAMILIES)}, or another package's name.")
    ] = None,
    agents: Annotated[
        int | None, typer.Option(min=1, max=common.MOST, metavar="N", help="Number of agents that the world can have.")
    ] = None,
    turns: Annotated[Turns | None, typer.Option(metavar="TURNS", help="sequential, simultaneous or mixed.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all facts as JSON.")] = False,
) -> None:
    """List the worlds: what they are, how many agents they have, and who moves when."""
    if kind is not None:
        known_kinds("--kind", [kind])
    found = listed()
    families = sorted({fact["family"] for fact in found})
    if family is not None and family not in families:
        raise ParameterError(f"--family {family!r} is no family{suggest(family, families)}")
    shown = []
    for fact in found:
        line = " ".join(str(fact[name]) for name in ("id", "family", "title", "turns", "utility", "information"))
        line += " " + " ".join(fact["kind"])
        if (
            kind in (None, *fact["kind"])
            and family in (None, fact["family"])
            and turns in (None, fact["turns"])
            and (agents is None or fact["fewest"] <= agents <= fact["most"])
            and all(word.casefold() in line.casefold() for word in words or ())
        ):
            shown.append(fact)
    if as_json:
        common.out.print(json.dumps(shown, indent=2), soft_wrap=True)
        return
    if not shown:
        raise UnknownIdError("no world fits all of these; envsuite list shows all worlds")
    # Titles are cut to fit a terminal only.
    cut: dict[str, Any] = {"no_wrap": True, "overflow": "ellipsis"} if common.out.is_terminal else {"soft_wrap": True}
    common.out.print(_lines(shown), **cut)
    common.out.print(Text("envsuite info ID describes a world; envsuite watch ID shows it.", "dim"))


def _lines(facts: list[dict[str, Any]]) -> Text:
    """A line for each world, in columns; a table of rich takes six times as long."""
    names = [fact["id"].removeprefix("envsuite/").removesuffix("-v0") for fact in facts]
    widest = max(map(len, ["world", *names]))
    lines = Text()
    lines.append(f"\n {'world':{widest}}  agents  {'turns':12}  what it is\n", "bold cyan")
    lines.append(f" {'─' * (widest + 36)}\n", "dim")
    for name, fact in zip(names, facts):
        number = f"{fact['fewest']}-{fact['most']}" if fact["most"] > fact["fewest"] else str(fact["fewest"] or "")
        lines.append(f" {name:{widest}}", "bold")
        lines.append(f"  {number:>6}  {fact['turns']:12}  ")
        lines.append(f"{fact['title']}\n", "red" if fact["problem"] else "")
    return lines


@common.app.command(epilog=common.examples("envsuite info Fishery", "envsuite info ConnectFour -p columns=9"))
def info(id: common.Id, param: common.Params = None) -> None:
    """A world's facts, parameters, spaces, actions and policies, and its documentation page."""
    from rich.markdown import Markdown
    from rich.padding import Padding
    from rich.rule import Rule

    world = make(id, param)
    title, rest = common.page(type(world))
    common.out.print(Rule(Text(world.id, "bold cyan")))
    common.out.print(Padding(Text(title, "bold"), (1, 0, 0, 1)))

    shown = (part for name, fact in facts(world).items() for part in ((name, "cyan"), f" {fact}   "))
    common.out.print(Text.assemble(" ", *shown))
    common.out.print()
    for heading, columns, lines in tables(world):
        rows = table(*columns, title=heading)
        for line in lines:
            rows.add_row(*line)
        common.out.print(rows)
    common.out.print(Rule(style="dim"))
    common.out.print(Padding(Markdown(rest), (0, 1)))


def facts(world: World) -> dict[str, str]:
    """What a world declares of itself, in words."""
    low, high = world.reward_range
    return {
        **({"kind": ", ".join(world.kind)} if world.kind else {}),
        "turns": world.turns,
        "chance": "yes" if world.chance else "none",
        "information": world.information,
        "utility": world.utility,
        "illegal actions": "masked" if world.masked else "none",
        "tree search": "no" if world.information == "imperfect" and world.guess is None else "yes",
        "rewards": f"from {low:g} to {high:g} a transition",
        "state": f"{world.record.itemsize} bytes",
        **({"uncertainty": f"counts {world.counted}"} if world.counted else {}),
        **({"verified against": world.verified} if world.verified else {}),
    }


def tables(world: World) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """A world's parameters, spaces, actions, keys, policies and treatments: each table's title, columns and rows."""

    from envsuite.agents.human import shorten
    from envsuite.core.parameters import NEEDED, describe, signature

    cls: Any = type(world)
    rows, changed = [], False
    for name, (hint, usual) in signature(cls).items():
        value = world.parameters[name]
        default = "needed" if usual is NEEDED else repr(usual)
        changed |= repr(value) != default
        rows.append([name, describe(hint), default, "" if repr(value) == default else repr(value)])
    if rows:
        columns = ["parameter", "type and range", "default", "here"]
        yield "Parameters", columns if changed else columns[:3], rows if changed else [row[:3] for row in rows]

    rows = []
    for agents, k in _groups(world, world.observation_spaces):
        space = world.observation_spaces[k]
        parts = dict(space.items()) if hasattr(space, "items") else {"": space}
        for n, (name, part) in enumerate(parts.items()):
            rows.append([agents if n == 0 else "", name, _space(part)])
    if any(row[1] for row in rows):
        yield "Observations", ["agents", "part", "space"], rows
    else:
        yield "Observations", ["agents", "space"], [[row[0], row[2]] for row in rows]

    rows = [
        [agents, str(len(world.action_names[k])), ", ".join(shorten(world.action_names[k]))]
        for agents, k in _groups(world, world.action_names)
    ]
    yield "Actions", ["agents", "number", "names"], rows

    rows = [[key, name] for key, name in world.keys.items() if any(name in names for names in world.action_names)]
    if rows:
        yield "Keys", ["key", "action"], rows

    rows = []
    for name, spec in common.policy_specs(world).items():
        numbers = (f"{key}={value:g}" for key, value in spec.parameters.items() if isinstance(value, (int, float)))
        rows.append([name, spec.summary, ", ".join(numbers)])
    yield "Policies", ["policy", "what it does", "parameters"], rows

    if world.treatments:
        rows = [[name, one.about, _assigned(one.params)] for name, one in world.treatments.items()]
        yield "Treatments", ["treatment", "what it changes", "parameters"], rows


def _assigned(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in params.items())


def _groups(world: World, values: Any) -> list[tuple[str, int]]:
    """Agents whose values are equal: their names, and the number of the first."""
    from envsuite.agents.human import shorten

    first: dict[str, list[int]] = {}
    for k, value in enumerate(values):
        first.setdefault(repr(value), []).append(k)
    if len(first) == 1:
        return [("all" if len(world.agents) > 1 else world.agents[0], 0)]
    return [(", ".join(shorten([world.agents[k] for k in group], 6)), group[0]) for group in first.values()]


def _space(space: Any) -> str:
    if not hasattr(space, "low"):
        return f"Discrete ({space.n})"
    low, high = space.low.min(), space.high.max()
    return f"Box {tuple(space.shape)} {space.dtype}, from {low:g} to {high:g}"


@common.app.command(
    epilog=common.examples(
        "envsuite play ConnectFour --against tactical",
        "envsuite play KuhnPoker --seat player_1 --terminal",
        "envsuite play DoorKey -p size=6 --seed 3",
        "envsuite play Werewolf --talk free",
    )
)
def play(
    id: common.Id,
    seat: Annotated[str | None, typer.Option(metavar="AGENT", help="Your agent. Default: the first one.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            autocompletion=listing.complete_policy,
            help="The other agents' policy, or agent=policy,... Default: the world's first scripted policy.",
        ),
    ] = None,
    param: common.Params = None,
    seed: common.Seed = None,
    in_terminal: Annotated[bool, typer.Option("--terminal", help="Play in the terminal instead of a window.")] = False,
    talk: Annotated[str, common.talk_option("free:words=30,channels=public+private")] = "typed",
    theme: common.Theme = "light",
    save: Save = None,
) -> None:
    """Play a world yourself against its policies: in a window, or in the terminal with --terminal."""
    from envsuite.episodes.session import ANSWERS, Session, play_in_terminal
    from envsuite.interfaces.gym import seat_number
    from envsuite.render.player import Table
    from envsuite.render.window import Window
    from envsuite.talk.table import Talk

    world = make(id, param)
    number = seat_number(world, seat)
    names = common.seats_of(world, against, list(world.agents))
    chosen = common.seed_of_play(world, seed)
    session = Session(world, common.cast_of(world, names), chosen, [number], save, Talk.of(talk))
    shown = "new seeds" if chosen is None else f"seed {chosen}"
    common.out.print(Text.assemble((world.id, "bold"), f"  {shown}  you are ", (world.agents[number], "bold cyan")))
    for agent, name in names.items():
        if agent != world.agents[number]:
            common.out.print(Text(f"  {agent} is played by {name}", "dim"))
    window = None
    if not in_terminal:
        try:
            window = Window(world.id, theme=theme)
        except RenderError:
            common.err.print("There is no display for a window: playing in the terminal.", style="yellow")
    if window:
        Table(session, window, ANSWERS).run()
        window.close()
    else:
        play_in_terminal(session, common.out, theme)
    if chosen is None:
        common.out.print(Text(f"The last seed was {session.start.seed}; --seed repeats it.", "dim"))
    _close(session)


def _close(session: Session) -> None:
    """Leave a session, and say what it has written."""
    session.close()
    for path in session.written:
        common.out.print(Text.assemble("Wrote ", (str(path), "bold")), soft_wrap=True)


@common.app.command(
    epilog=common.examples(
        "envsuite watch Harvest --policy sustainable --gif harvest.gif",
        "envsuite watch ConnectFour --policy player_0=tactical,player_1=random --ansi",
        "envsuite watch DoorKey --episodes 5 --fps 20",
    )
)
def watch(
    id: common.Id,
    policy: common.PolicyOption = None,
    param: common.Params = None,
    seed: common.Seed = None,
    episodes: Annotated[
        int, typer.Option(min=1, max=common.MOST, metavar="N", help="Number of episodes; seeds count up from --seed.")
    ] = 1,
    steps: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=common.MOST,
            metavar="N",
            help=f"Maximum transitions per episode. Default: {FILM_STEPS} for a GIF or video, else none.",
        ),
    ] = None,
    fps: common.Fps = 8.0,
    gif: Annotated[str | None, common.file_option("Write an animated GIF. Needs no display.")] = None,
    mp4: Annotated[str | None, common.file_option("Write a video. Needs no display, but FFmpeg.", video=True)] = None,
    png: Annotated[str | None, common.file_option("Write the last picture as a PNG. Needs no display.")] = None,
    ansi: Annotated[bool, typer.Option("--ansi", help="Show the episodes in the terminal. Needs no display.")] = False,
    save: Save = None,
    theme: common.Theme = "light",
) -> None:
    """Watch policies play, in a window, in the terminal or as a file, and see their returns."""
    from envsuite.episodes.session import Session, show_in_terminal
    from envsuite.render.player import Table
    from envsuite.render.window import Window

    world = make(id, param)
    names = common.seats_of(world, policy, list(world.agents))
    window = None
    if not (gif or mp4 or png or ansi):
        try:
            window = Window(world.id, theme=theme)
        except RenderError:
            message = "there is no display for a window: use --gif FILE, --png FILE or --ansi, which need none"
            raise RenderError(message) from None
    # In a window, a person may take over.
    chosen = common.seed_of_play(world, seed) if window else common.seed_or_any(seed)
    session = Session(world, common.cast_of(world, names), chosen, path=save)
    steps = FILM_STEPS if steps is None and (gif or mp4) else steps
    cut = False
    with suppress(KeyboardInterrupt):
        if window:
            Table(session, window, fps, episodes, steps).run()
            window.close()
        elif gif or mp4 or png:
            _write(session, episodes, steps, {"gif": gif, "mp4": mp4, "png": png}, fps, theme)
        else:
            for k in range(episodes):
                if k:
                    session.begin()
                show_in_terminal(session, common.out, fps, steps, theme)
        cut = not session.over
    _close(session)
    origin = f"new seeds, the last one {session.start.seed}" if chosen is None else f"seed {chosen}"
    _print_returns(world, session.results, names, origin, cut)


def _write(
    session: Session, episodes: int, steps: int | None, paths: dict[str, str | None], fps: float, theme: str
) -> None:
    """Play episodes, and write what they look like as files."""
    from envsuite.render.frames import draw, save_gif, save_png, save_video
    from envsuite.render.viewer import FILM_SIZE

    frames = []
    film = paths["gif"] or paths["mp4"]
    with common.progress(None if steps is None else episodes * (steps + 1), "Playing") as advance:
        for k in range(episodes):
            if k:
                session.begin()
            for _ in session.play(steps):
                if film:
                    frames.append(draw(session.scene(), FILM_SIZE, theme))
                advance()
        advance("Writing", 0)
        if paths["gif"]:
            save_gif(frames, paths["gif"], fps, theme=theme)
        if paths["mp4"]:
            save_video(frames, paths["mp4"], fps, theme=theme)
        if paths["png"]:
            save_png(session.scene(), paths["png"], theme=theme)
    for kind, path in paths.items():
        if path:
            count = "" if kind == "png" else f", {len(frames)} pictures"
            common.out.print(Text.assemble("Wrote ", (path, "bold"), count), soft_wrap=True)


def _print_returns(world: World, results: list[Any], names: dict[str, str], origin: str, cut: bool) -> None:
    import numpy as np

    if not results:
        return
    returns = np.array(results)
    count = f"{len(returns)} episode{'s' * (len(returns) > 1)}"
    common.out.print(Text.assemble((world.id, "bold"), f", {count} from {origin}{', the last one cut' * cut}"))
    rows = table("agent", "policy", ">mean return")
    if len(returns) > 1:
        rows.add_column("from", justify="right")
        rows.add_column("to", justify="right")
    for agent, values in zip(world.agents, returns.T):
        extremes = (f"{values.min():g}", f"{values.max():g}") if len(returns) > 1 else ()
        rows.add_row(agent, names[agent], f"{values.mean():.4g}", *extremes)
    common.out.print(rows)
