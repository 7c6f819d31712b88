"""What commands share: the application, options, names of worlds and policies, tables and bars."""

from __future__ import annotations

import io
import math
import signal
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text
from typer.core import TyperGroup

from envsuite import registry
from envsuite.cli import listing
from envsuite.compile import announce
from envsuite.core.console import Console
from envsuite.core.digits import whole
from envsuite.core.errors import EnvsuiteError, ParameterError, UnknownIdError, located, suggest
from envsuite.core.files import writable

if TYPE_CHECKING:
    from rich.table import Table

    from envsuite.agents import Policy
    from envsuite.core.cast import Cast
    from envsuite.core.world import World

out = Console()
err = Console(stderr=True)


class Commands(TyperGroup):
    """Commands whose every error is one line and exit code 2; without arguments they show their help.

    This is the one place where errors become lines. Python's development mode (PYTHONDEVMODE=1) shows tracebacks too.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command, and leave the process with its exit code."""
        code: Any = 2
        leave = options.pop("standalone_mode", True)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # what a terminal cannot show is no error
        try:
            code = super().main(*args, **{**options, "standalone_mode": False})
            sys.stdout.flush()  # a full disk is found out here
        except typer.Abort:  # the end of the input, at a question
            code = 1
        except Exception as error:
            with suppress(OSError):
                sys.stdout.flush()
            err.print(Text(f"Error: {_line(error)}", "red"), soft_wrap=True)
            if sys.flags.dev_mode:
                raise
        return sys.exit(code) if leave else code


#: What typer raises for a call that it does not understand.
_UsageError: Any = typer.BadParameter.__bases__[0]


def _line(error: Exception) -> str:
    """An error in one line: what envsuite, the system or typer says; else what failed, and where in whose code."""
    if isinstance(error, EnvsuiteError):
        text = str(error)
    elif isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    elif isinstance(error, _UsageError):
        help = f"; {error.ctx.command_path} --help lists the options" if error.ctx else ""
        text = error.format_message().rstrip(".") + help
    elif isinstance(error, MemoryError):
        text = f"this needs more memory than there is {f'({error})' if str(error) else ''}"
    else:
        text = located(error)
        if not text.startswith(type(error).__name__):  # in somebody else's code
            return text
        frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
        text = f"unexpected {text} ({Path(frame.f_code.co_filename).name}, line {line}); this is a bug in envsuite"
    return " ".join(text.split())


def examples(*lines: str) -> str:
    """An epilogue of examples: a command and what it does, each."""
    return "\n\n".join(["[bold]Examples[/]", *lines])


app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "envsuite list",
        "envsuite play ConnectFour",
        "envsuite watch Harvest --policy sustainable",
        "envsuite tournament ConnectFour",
        "envsuite info Fishery",
        "Ids may be short: ConnectFour is envsuite/ConnectFour-v0. module:Class names a world that has no id.",
    ),
)


def to_write(path: str | None) -> str | None:
    """The path of an option, checked: what would fail at the end fails before the start."""
    if path is not None:
        writable(path)
    return path


def to_open(path: str | None) -> str | None:
    """The path of a file or folder, checked: Python's functions have errors of different types for a null byte."""
    if path is not None and "\0" in path:
        raise ParameterError(f"{path!r} is no name of a file or folder")
    return path


def _video(path: str | None) -> str | None:
    if path is not None:
        from envsuite.render.frames import VIDEOS, video_writer

        if Path(path).suffix.lower() not in VIDEOS:
            raise ParameterError(f"{path!r} must end in one of {', '.join(VIDEOS)}")
        writable(path)
        video_writer()
    return path


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise ParameterError(f"{value} is no finite number")
    return value


def _theme(name: str) -> str:
    from envsuite.render.theme import rgba

    rgba("paper", name)
    return name


def file_option(help: str, *names: str, video: bool = False) -> Any:
    """An option that takes a file to write; checked before the command begins."""
    return typer.Option(*names, metavar="FILE", help=help, callback=_video if video else to_write)


def number_option(help: str, low: float, high: float | None = None, metavar: str = "X") -> Any:
    """An option that takes a number from `low` to `high`, neither infinite nor NaN."""
    return typer.Option(min=low, max=high, metavar=metavar, help=help, callback=_finite)


def talk_option(then: str) -> Any:
    """An option that says how agents talk, as `Talk.of` reads it; `then` says what may follow the mode."""
    return typer.Option(
        metavar="MODE[:field=value,...]",
        help="typed: acts of speech alone. beside: words of their own too. free: others hear words alone. Then fields "
        f"of Talk: {then}.",
    )


#: What a count may be; more do not fit into any memory.
MOST = 2**31 - 1

_ID = "A world's id, without namespace and version if you like; module:Class or module:ID for a world of your own."

Id = Annotated[str, typer.Argument(metavar="ID", help=_ID, autocompletion=listing.complete_id)]
Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID]...", help="Ids of worlds, as elsewhere. Default: all.", autocompletion=listing.complete_id
    ),
]
Params = Annotated[
    list[str] | None,
    typer.Option("-p", "--param", metavar="NAME=VALUE", help="A parameter of the world. May be given several times."),
]
Theme = Annotated[str, typer.Option(metavar="THEME", help="Background: light or dark.", callback=_theme)]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        metavar="POLICY",
        help="One policy for all agents, or agent=policy,... Default: the world's first scripted policy.",
        autocompletion=listing.complete_policy,
    ),
]


def _workers(context: typer.Context, text: str) -> Any:
    """The option as `envsuite.scale.run` takes it."""
    if context.resilient_parsing:  # the shell completes
        return text
    from envsuite.scale import executor

    number = whole(text, 5)
    workers = text if number is None else number
    executor(workers)
    return workers


Workers = Annotated[
    Any,
    typer.Option(
        "--workers",
        metavar="N",
        callback=_workers,
        help="Processes that share the work, or ray, or ray://host:port for a cluster. Results are the same for any.",
    ),
]
Results = Annotated[str | None, file_option("Results file; the command resumes if the file exists.", "--out")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Seed of the first episode; the same seed repeats it. Default: random.")
]
Fps = Annotated[float, number_option("Steps per second.", 0.1, 1000)]


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"envsuite {registry.__version__}")
        raise typer.Exit()


@app.callback()
def _app(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Multi-agent games, gridworlds, commons dilemmas and dual-control domains: look, play, watch, compare, measure."""


# What commands share.


def given(cls: Any, params: list[str] | None) -> dict[str, Any]:
    """The parameters of a class from "name=value" texts."""
    from envsuite.core.parameters import read, signature

    return read(signature(cls), params or (), "-p")


def make(id: str, params: list[str] | None = None) -> World:
    """A world from its id and "name=value" texts."""
    return registry.build(id, given(registry.world_class(id), params))


def policy_specs(world: World) -> dict[str, Any]:
    """A world's compiled policies by name."""
    from envsuite.core.policy import policies_of

    return policies_of(world)


def default_policy(world: World) -> str:
    """The first scripted policy of a world, or "random"."""
    return [*[name for name in policy_specs(world) if name != "random"], "random"][0]


def seats_of(world: World, text: str | None, agents: list[str]) -> dict[str, str]:
    """The policy's name for each of these agents, from ``policy`` or ``agent=policy,agent=policy``."""
    chosen = named_seats(world, text)
    rest = chosen.pop("", None) or default_policy(world)
    return {agent: chosen.get(agent, rest) for agent in agents}


def named_seats(world: World, text: str | None) -> dict[str, str]:
    """The policy's name for each agent in ``agent=policy,agent=policy``, and by "" that of the others, if given."""
    chosen: dict[str, str] = {}
    agent = ""
    for part in (text or "").split(","):
        name, equals, policy = part.partition("=")
        if equals and name.strip() in world.agents:
            agent = name.strip()
            chosen[agent] = policy.strip()
        elif agent in chosen and ":" in chosen[agent]:  # "policy:parameter=1,parameter=2" continues
            chosen[agent] += f",{part}"
        elif equals and ":" not in name:
            raise UnknownIdError(f"{world.id} has no agent {name!r}{suggest(name, world.agents)}")
        elif part and agent in chosen:
            raise ParameterError(f"{text!r:.80}: {part.strip()!r:.40} is for no agent; give agent=policy,agent=policy")
        elif part:
            chosen[agent] = part.strip()
    return chosen


def listed_policies(text: str) -> list[str]:
    """The policies of ``policy,policy:parameter=1,parameter=2,policy``."""
    found: list[str] = []
    for part in text.split(","):
        if found and "=" in part and ":" not in part and ":" in found[-1]:
            found[-1] += f",{part.strip()}"
        elif part.strip():
            found.append(part.strip())
    return found


def policy_of(world: World, text: str) -> Policy:
    """A policy by its name, or a class of Python: ``module:Class`` or ``module:Class:parameter=1,parameter=2``.

    A class is given the world where it has a parameter `world`.
    """
    from envsuite.agents import Policy, make_policy
    from envsuite.core.names import read_values, split_name
    from envsuite.core.parameters import check, signature
    from envsuite.core.policy import OTHERS

    name, _, tail = text.partition(":")
    class_name, texts = split_name(tail)
    if name in policy_specs(world) or name in OTHERS or not (name and class_name.isidentifier()):
        return make_policy(text, world)
    cls = registry.loaded(f"{name}:{class_name}")
    is_policy = isinstance(cls, type) and issubclass(cls, Policy)
    if not is_policy:
        raise ParameterError(f"{name}:{class_name} is no Policy")
    label, known = f"{name}:{class_name}", signature(cls)
    arguments = read_values(known, texts, f"{label}:")
    if "world" in known:
        arguments["world"] = world
    return cls(**check(label, known, arguments))


def cast_of(world: World, names: Mapping[str, str]) -> Cast:
    """Who plays, from names for all agents; seats with the same policy share it."""
    from envsuite.core.cast import Cast

    made = {name: policy_of(world, name) for name in dict.fromkeys(names.values())}
    return Cast(world, {agent: made[name] for agent, name in names.items()})


def seed_or_any(seed: int | None) -> int:
    """The seed, or a short one by chance that a person can type again."""
    from envsuite.interfaces.single import check_seed, fresh_seed

    return fresh_seed() % 100_000 if seed is None else check_seed(seed)


def seed_of_play(world: World, seed: int | None) -> int | None:
    """The seed of episodes that a person plays, or None for new random bits in each.

    A short seed could be found by trying all of them, and would show what is hidden or what chance will bring.
    """
    return None if seed is None and world.chance else seed_or_any(seed)


#: Columns whose cells are names, which are not broken in a narrow terminal.
NAMES = ("agent", "policy", "world", "suite", "played by")


def table(*columns: str, title: str | None = None) -> Table:
    """A table with these columns; a ">" before a name sets the column to the right. Names of things stay whole."""
    from rich import box
    from rich.table import Table

    made = Table(
        title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", header_style="bold cyan",
        pad_edge=False, collapse_padding=True,
    )  # fmt: skip
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.startswith(">") else "left"
        made.add_column(column.lstrip(">"), justify=justify, overflow="fold", no_wrap=column in NAMES)
    return made


@contextmanager
def resumable(file: str | None) -> Iterator[None]:
    """An interrupt while this runs ends the command with a line on how it resumes."""
    try:
        yield
    except KeyboardInterrupt:
        kept = f"; the same command resumes from {file}" if file else "; with --out FILE it can be resumed"
        err.print(f"Interrupted{kept}", style="yellow", soft_wrap=True)
        raise typer.Exit(130) from None


class Terminated(KeyboardInterrupt):
    """The process was asked to end, as batch systems and containers do some seconds before they kill it."""


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM raises `Terminated` while this runs."""

    def end(*_: object) -> None:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():  # where no signal arrives
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def progress(total: int | None, title: str) -> Iterator[Callable[..., None]]:
    """A bar on the error output that goes away at its end; gives ``advance(title=None, steps=1, total=None)``.

    Beside it stands what is being compiled that it waits for.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        RenderableColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    class Compiling(RenderableColumn):
        def render(self, task: Any) -> Text:
            return Text(announce.line(), "dim")

    columns = [
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        Compiling(),
    ]
    with announce.displayed(), Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=total)

        def advance(title: str | None = None, steps: int = 1, total: int | None = None) -> None:
            bar.update(task, advance=steps, description=title, total=total)

        yield advance


def page(world: type[World]) -> tuple[str, str]:
    """A world's title and the rest of its documentation page."""
    title, _, rest = (world.__doc__ or world.__name__).strip().partition("\n")
    return title.rstrip("."), rest.strip()


def summary(world: type[World]) -> str:
    """What a world is, in one line: its title, without the name if the title begins with it and a colon."""
    name, _, text = page(world)[0].partition(": ")
    text = text or name
    return text[0].upper() + text[1:]


def _groups_of(world: World) -> list[tuple[str, str, int, int]]:
    """Groups of agents with a common name: name, plural, and how few and how many there can be.

    A parameter named like them, `players` of ``player_0``, ``player_1`` ..., sets their number.
    """
    from envsuite.core.parameters import bounds, signature

    known = signature(type(world))
    found = []
    for name, count in Counter(agent.rstrip("0123456789").rstrip("_") for agent in world.agents).items():
        plural = name + ("es" if name.endswith("s") else "s")
        limits = bounds(known[plural].hint) if plural in known else None
        found.append((name, plural, int(limits.low), int(limits.high)) if limits else (name, plural, count, count))
    return found


def numbers_of(world: World) -> tuple[int, int]:
    """How few and how many agents a world can have."""
    groups = _groups_of(world)
    return sum(low for *_, low, _ in groups), sum(high for *_, high in groups)


def agents_of(world: World) -> str:
    """A world's agents in words: their names where they have roles, else their number."""
    groups = _groups_of(world)
    found = []
    for name, plural, low, high in groups:
        number = f"{low:,} to {high:,}" if high > low else str(low)
        if len(groups) > 1:
            number = name if name in world.agents else f"{number} {plural}"
        found.append(number)
    return " and ".join(found)
