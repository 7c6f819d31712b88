"""What commands share: the application, options, names of worlds and policies, tables and bars."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from envsuite import registry
from envsuite.core import announce
from envsuite.core.errors import EnvsuiteError, ParameterError, UnknownIdError, suggest

if TYPE_CHECKING:
    from rich.table import Table

    from envsuite.agents import Policy
    from envsuite.core.cast import Cast
    from envsuite.core.world import World

out = Console(highlight=False)
err = Console(highlight=False, stderr=True)


class Commands(TyperGroup):
    """Turns errors that envsuite raises on purpose, and files that cannot be written, into a line and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except (EnvsuiteError, OSError) as error:
            err.print(Text(f"Error: {error}", "red"), soft_wrap=True)
            raise typer.Exit(2) from None


def examples(*lines: str) -> str:
    """An epilogue of examples: a command and what it does, each."""
    return "\n\n".join(["[bold]Examples[/]", *lines])


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
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

Id = Annotated[str, typer.Argument(metavar="ID", help="A world; the namespace and version may be left out.")]
Ids = Annotated[list[str] | None, typer.Argument(metavar="ID", help="Worlds; all of them by default.")]
Params = Annotated[
    list[str] | None,
    typer.Option("-p", "--param", metavar="NAME=VALUE", help="A parameter of the world; may be repeated."),
]
Theme = Annotated[str, typer.Option(metavar="THEME", help="Colours of the page: light or dark.")]
PolicyOption = Annotated[
    str | None,
    typer.Option(metavar="POLICY", help="A policy of all agents, or agent=policy,agent=policy; scripted by default."),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Starts all chance; the same seed gives the same episode.")]


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"envsuite {registry.__version__}")
        raise typer.Exit()


@app.callback()
def _app(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Multi-agent games, gridworlds, commons dilemmas and dual-control domains: look, play, watch, compare, measure."""


# What commands share.


def loaded(text: str) -> Any:
    """What ``module:Name`` names."""
    module, _, name = text.partition(":")
    if "" not in sys.path:  # a command does not look where it is called, as python does
        sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise UnknownIdError(f"{text!r} cannot be loaded: {error}") from None


def world_class(id: str) -> type[World]:
    """A world's class: of the table, or of ``module:Class``."""
    return loaded(id) if ":" in id else registry.spec(id).load()


def given(cls: Any, params: list[str] | None) -> dict[str, Any]:
    """The parameters of a class from "name=value" texts."""
    from envsuite.core.parameters import read, signature

    return read(signature(cls), params or (), "-p")


def make(id: str, params: list[str] | None = None) -> World:
    """A world from its id and "name=value" texts."""
    from envsuite.interfaces.single import as_world

    cls: Any = world_class(id)
    return as_world(cls, given(cls, params))


def policy_specs(world: World) -> dict[str, Any]:
    """A world's compiled policies by name."""
    from envsuite.core.policy import _RANDOM, policies

    return policies(world.id) if world.id in registry.ids() else {"random": _RANDOM}


def default_policy(world: World) -> str:
    """The first scripted policy of a world, or "random"."""
    return [*[name for name in policy_specs(world) if name != "random"], "random"][0]


def seats_of(world: World, text: str | None, agents: list[str]) -> dict[str, str]:
    """The policy's name for each of these agents, from ``policy`` or ``agent=policy,agent=policy``."""
    chosen: dict[str, str] = {}
    agent = ""
    for part in (text or "").split(","):
        name, equals, policy = part.partition("=")
        if equals and name.strip() in world.agents:
            agent = name.strip()
            chosen[agent] = policy.strip()
        elif agent in chosen and ":" in chosen[agent]:  # "policy:parameter=1,parameter=2" goes on
            chosen[agent] += f",{part}"
        elif equals and ":" not in name:
            raise UnknownIdError(f"{world.id} has no agent {name!r}{suggest(name, world.agents)}")
        elif part:
            chosen[agent] = part.strip()
    rest = chosen.pop("", None) or default_policy(world)
    return {agent: chosen.get(agent, rest) for agent in agents}


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
    from envsuite.core.parameters import check, read, signature

    name, _, tail = text.partition(":")
    class_name, _, numbers = tail.partition(":")
    if name in policy_specs(world) or not class_name.isidentifier():
        return make_policy(text, world)
    cls = loaded(f"{name}:{class_name}")
    is_policy = isinstance(cls, type) and issubclass(cls, Policy)
    if not is_policy:
        raise ParameterError(f"{name}:{class_name} is no Policy")
    label, known = f"{name}:{class_name}", signature(cls)
    arguments = read(known, filter(None, numbers.split(",")), f"{label}:")
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


def table(*columns: str, title: str | None = None) -> Table:
    """A table with these columns; a ">" before a name sets the column to the right."""
    from rich import box
    from rich.table import Table

    made = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", header_style="bold cyan")
    for column in columns:
        made.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left", overflow="fold")
    return made


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
    with announce.displayed(), Progress(*columns, console=err, transient=True) as bar:
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


def agents_of(world: World) -> str:
    """A world's agents in words: their names where they have roles, else their number.

    Where a parameter sets the number of ``player_0``, ``player_1`` ..., which is `players`, its bounds are given.
    """
    from envsuite.core.parameters import bounds, signature

    known = signature(type(world))
    groups = Counter(agent.rstrip("0123456789").rstrip("_") for agent in world.agents)
    found = []
    for name, count in groups.items():
        plural = name + ("es" if name.endswith("s") else "s")
        limits = bounds(known[plural].hint) if plural in known else None
        number = f"{limits.low:,} to {limits.high:,}" if limits else str(count)
        if len(groups) > 1:
            number = name if name in world.agents else f"{number} {plural}"
        found.append(number)
    return " and ".join(found)
