"""Commands that show: list, info, play, watch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text

from envsuite import registry
from envsuite.cli.common import (
    MOST,
    Fps,
    Id,
    Params,
    PolicyOption,
    Seed,
    Theme,
    app,
    cast_of,
    err,
    examples,
    file_option,
    make,
    numbers_of,
    out,
    page,
    policy_specs,
    progress,
    seats_of,
    seed_or_any,
    summary,
    table,
)
from envsuite.core.errors import EnvsuiteError, ParameterError, RenderError, UnknownIdError, located, suggest
from envsuite.core.parameters import to_json

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
    str | None, file_option("Write a replay; the second episode goes to FILE-2, the third to FILE-3, and so on.")
]


@app.command(
    "list",
    epilog=examples(
        "envsuite list", "envsuite list poker", "envsuite list --family social --agents 5", "envsuite list --json"
    ),
)
def list_worlds(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORD]...", help="Words that the line of a world must contain.")
    ] = None,
    family: Annotated[
        str | None, typer.Option(metavar="FAMILY", help=f"One of {', '.join(FAMILIES)}, or another package's name.")
    ] = None,
    agents: Annotated[
        int | None, typer.Option(min=1, max=MOST, metavar="N", help="Number of agents that the world can have.")
    ] = None,
    turns: Annotated[Turns | None, typer.Option(metavar="TURNS", help="sequential, simultaneous or mixed.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all facts as JSON.")] = False,
) -> None:
    """List the worlds: what they are, how many agents they have, and who moves when."""
    found = [_facts_of(id) for id in registry.ids()]
    families = sorted({fact["family"] for fact in found})
    if family is not None and family not in families:
        raise ParameterError(f"--family {family!r} is no family{suggest(family, families)}")
    shown = []
    for fact in found:
        line = " ".join(str(fact[name]) for name in ("id", "family", "title", "turns", "utility", "information"))
        if (
            family in (None, fact["family"])
            and turns in (None, fact["turns"])
            and (agents is None or fact["fewest"] <= agents <= fact["most"])
            and all(word.casefold() in line.casefold() for word in words or ())
        ):
            shown.append(fact)
    if as_json:
        out.print(json.dumps(shown, indent=2), soft_wrap=True)
        return
    if not shown:
        raise UnknownIdError("no world fits all of these; envsuite list shows all worlds")
    rows = table("world", ">agents", "turns", "what it is")
    rows.pad_edge, rows.collapse_padding = False, True
    for column in rows.columns[:-1]:
        column.no_wrap = True
    for fact in shown:
        name = fact["id"].removeprefix("envsuite/").removesuffix("-v0")
        number = f"{fact['fewest']}-{fact['most']}" if fact["most"] > fact["fewest"] else str(fact["fewest"] or "")
        title = Text(fact["title"], "red" if fact["problem"] else "", no_wrap=True, overflow="ellipsis")
        rows.add_row(Text(name, "bold"), number, fact["turns"], title)
    # Titles are cut to fit a terminal only.
    out.print(rows, width=None if out.is_terminal else max(out.width, 200), crop=False)
    out.print(Text("envsuite info ID describes a world; envsuite watch ID shows it.", "dim"))


def _facts_of(id: str) -> dict[str, Any]:
    """What there is to list of a world; of one that cannot be loaded, why."""
    module = registry.spec(id).entry_point.split(".")
    facts: dict[str, Any] = {
        "id": id,
        "family": module[1] if module[0] == "envsuite" else module[0].partition(":")[0],
        **dict.fromkeys(("title", "turns", "utility", "information", "problem"), ""),
        **dict.fromkeys(("fewest", "most"), 0),
    }
    try:
        world = make(id)
        low, high = numbers_of(world)
        return facts | {
            "title": summary(type(world)),
            "agents": list(world.agents),
            "fewest": low,
            "most": high,
            "turns": world.turns,
            "chance": world.chance,
            "information": world.information,
            "utility": world.utility,
            "verified": world.verified,
            "parameters": to_json(world.parameters, str),
            "policies": list(policy_specs(world)),
        }
    except Exception as error:  # of another package: the others are to be seen nevertheless
        problem = str(error) if isinstance(error, EnvsuiteError) else located(error)
        return facts | {"title": f"cannot be loaded: {problem}", "problem": problem}


@app.command(epilog=examples("envsuite info Fishery", "envsuite info ConnectFour -p columns=9"))
def info(id: Id, param: Params = None) -> None:
    """A world's facts, parameters, spaces, actions and policies, and its documentation page."""
    from rich.markdown import Markdown
    from rich.padding import Padding
    from rich.rule import Rule

    world = make(id, param)
    title, rest = page(type(world))
    out.print(Rule(Text(world.id, "bold cyan")))
    out.print(Padding(Text(title, "bold"), (1, 0, 0, 1)))

    shown = (part for name, fact in facts(world).items() for part in ((name, "cyan"), f" {fact}   "))
    out.print(Text.assemble(" ", *shown))
    out.print()
    for heading, columns, lines in tables(world):
        rows = table(*columns, title=heading)
        for line in lines:
            rows.add_row(*line)
        out.print(rows)
    out.print(Rule(style="dim"))
    out.print(Padding(Markdown(rest), (0, 1)))


def facts(world: World) -> dict[str, str]:
    """What a world declares of itself, in words."""
    low, high = world.reward_range
    return {
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
    """A world's parameters, spaces, actions, keys and policies: each table's title, names of columns, and rows."""

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
    for name, spec in policy_specs(world).items():
        numbers = (f"{key}={value:g}" for key, value in spec.parameters.items() if isinstance(value, (int, float)))
        rows.append([name, spec.summary, ", ".join(numbers)])
    yield "Policies", ["policy", "what it does", "parameters"], rows


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


@app.command(
    epilog=examples(
        "envsuite play ConnectFour --against tactical",
        "envsuite play KuhnPoker --seat player_1 --terminal",
        "envsuite play DoorKey -p size=6 --seed 3",
    )
)
def play(
    id: Id,
    seat: Annotated[str | None, typer.Option(metavar="AGENT", help="Your agent. Default: the first one.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="The other agents' policy, or agent=policy,... Default: the world's first scripted policy.",
        ),
    ] = None,
    param: Params = None,
    seed: Seed = None,
    in_terminal: Annotated[bool, typer.Option("--terminal", help="Play in the terminal instead of a window.")] = False,
    theme: Theme = "light",
    save: Save = None,
) -> None:
    """Play a world yourself against its policies: in a window, or in the terminal with --terminal."""
    from envsuite.episodes.session import ANSWERS, Session, play_in_terminal
    from envsuite.interfaces.gym import seat_number
    from envsuite.render.player import Table
    from envsuite.render.window import Window

    world = make(id, param)
    number = seat_number(world, seat)
    names = seats_of(world, against, list(world.agents))
    number_seed = seed_or_any(seed)
    session = Session(world, cast_of(world, names), number_seed, [number], save)
    out.print(Text.assemble((world.id, "bold"), f"  seed {number_seed}  you are ", (world.agents[number], "bold cyan")))
    for agent, name in names.items():
        if agent != world.agents[number]:
            out.print(Text(f"  {agent} is played by {name}", "dim"))
    window = None
    if not in_terminal:
        try:
            window = Window(world.id, theme=theme)
        except RenderError:
            err.print("There is no display for a window: playing in the terminal.", style="yellow")
    if window:
        Table(session, window, ANSWERS).run()
        window.close()
    else:
        play_in_terminal(session, out, theme)
    _close(session)


def _close(session: Session) -> None:
    """Leave a session, and say what it has written."""
    session.close()
    for path in session.written:
        out.print(Text.assemble("Wrote ", (str(path), "bold")), soft_wrap=True)


@app.command(
    epilog=examples(
        "envsuite watch Harvest --policy sustainable --gif harvest.gif",
        "envsuite watch ConnectFour --policy player_0=tactical,player_1=random --ansi",
        "envsuite watch DoorKey --episodes 5 --fps 20",
    )
)
def watch(
    id: Id,
    policy: PolicyOption = None,
    param: Params = None,
    seed: Seed = None,
    episodes: Annotated[
        int, typer.Option(min=1, max=MOST, metavar="N", help="Number of episodes; seeds count up from --seed.")
    ] = 1,
    steps: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST,
            metavar="N",
            help=f"Maximum transitions per episode. Default: {FILM_STEPS} for a GIF or video, else none.",
        ),
    ] = None,
    fps: Fps = 8.0,
    gif: Annotated[str | None, file_option("Write an animated GIF. Needs no display.")] = None,
    mp4: Annotated[str | None, file_option("Write a video. Needs no display, but FFmpeg.", video=True)] = None,
    png: Annotated[str | None, file_option("Write the last picture as a PNG. Needs no display.")] = None,
    ansi: Annotated[bool, typer.Option("--ansi", help="Show the episodes in the terminal. Needs no display.")] = False,
    save: Save = None,
    theme: Theme = "light",
) -> None:
    """Watch policies play, in a window, in the terminal or as a file, and see their returns."""
    from envsuite.episodes.session import Session, show_in_terminal
    from envsuite.render.player import Table
    from envsuite.render.window import Window

    world = make(id, param)
    names = seats_of(world, policy, list(world.agents))
    number = seed_or_any(seed)
    window = None
    if not (gif or mp4 or png or ansi):
        try:
            window = Window(world.id, theme=theme)
        except RenderError:
            message = "there is no display for a window: use --gif FILE, --png FILE or --ansi, which need none"
            raise RenderError(message) from None
    session = Session(world, cast_of(world, names), number, path=save)
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
                show_in_terminal(session, out, fps, steps, theme)
        cut = not session.over
    _close(session)
    _print_returns(world, session.results, names, number, cut)


def _write(
    session: Session, episodes: int, steps: int | None, paths: dict[str, str | None], fps: float, theme: str
) -> None:
    """Play episodes, and write what they look like as files."""
    from envsuite.render.frames import draw, save_gif, save_png, save_video
    from envsuite.render.viewer import FILM_SIZE

    frames = []
    film = paths["gif"] or paths["mp4"]
    with progress(None if steps is None else episodes * (steps + 1), "Playing") as advance:
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
            out.print(Text.assemble("Wrote ", (path, "bold"), count), soft_wrap=True)


def _print_returns(world: World, results: list[Any], names: dict[str, str], seed: int, cut: bool) -> None:
    import numpy as np

    if not results:
        return
    returns = np.array(results)
    count = f"{len(returns)} episode{'s' * (len(returns) > 1)}"
    out.print(Text.assemble((world.id, "bold"), f", {count} from seed {seed}{', the last one cut' * cut}"))
    rows = table("agent", "policy", ">mean return")
    if len(returns) > 1:
        rows.add_column("from", justify="right")
        rows.add_column("to", justify="right")
    for agent, values in zip(world.agents, returns.T):
        extremes = (f"{values.min():g}", f"{values.max():g}") if len(returns) > 1 else ()
        rows.add_row(agent, names[agent], f"{values.mean():.4g}", *extremes)
    out.print(rows)
