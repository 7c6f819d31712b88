"""The command that evaluates language models: evaluate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from envsuite.cli import common
from envsuite.cli.common import make, table
from envsuite.core.errors import ParameterError
from envsuite.core.files import replace

if TYPE_CHECKING:
    from envsuite.core.world import World
    from envsuite.models.answers import Budget
    from envsuite.models.client import Model
    from envsuite.models.harness import Played
    from envsuite.models.results import Results
    from envsuite.models.versus import Versus


def _suites() -> None:
    """Print the suites."""
    from envsuite.models.suites import SIZES, SUITES

    rows = table("suite", "tasks", "")
    for one in SUITES.values():
        rows.add_row(Text(one.name, "bold"), ", ".join(task.id for task in one.tasks), one.about)
    common.out.print(rows)
    sizes = ", ".join(f"{name} {count}" for name, count in SIZES.items())
    common.out.print(f"Episodes of each task: {sizes}.", style="dim")


@common.app.command(
    epilog=common.examples(
        "envsuite evaluate",
        "envsuite evaluate strategic --model gpt-4.1-mini --out answers.jsonl --html report.html",
        "envsuite evaluate dual-control --model policy:workflow --tools",
        "envsuite evaluate planning --model python:mine:answer --size full",
        "envsuite evaluate TicTacToe --model gpt-4.1-mini --model policy:random",
        "envsuite evaluate Werewolf --model gpt-4.1-mini --model policy:random --talk free",
        "envsuite evaluate Fishery --model gpt-4.1-mini --treatment newcomer --treatment goal:group",
        "Environment variables: OPENAI_BASE_URL (address of the endpoint), OPENAI_API_KEY, OPENAI_MODEL.",
    )
)
def evaluate(
    suite: Annotated[
        str | None,
        typer.Argument(metavar="[SUITE]", help="A suite, or a world's id for matches. Default: list the suites."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            envvar="OPENAI_MODEL",
            help="A model of the endpoint, python:module:function, or policy:NAME. Several in matches.",
        ),
    ] = None,
    size: Annotated[str, typer.Option(metavar="SIZE", help="small or full.")] = "small",
    param: common.Params = None,
    episodes: Annotated[
        int, typer.Option(min=2, max=common.MOST, metavar="N", help="In matches: episodes of each seating of a pair.")
    ] = 10,
    trials: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="In suites: trials of each episode, for pass^k.")
    ] = 1,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="One complete prompt a turn; default: a conversation.")
    ] = False,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Actions by their numbers in the list; default: by name.")
    ] = False,
    tools: Annotated[bool, typer.Option("--tools", help="Actions as calls of functions.")] = False,
    turns: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Last turns to repeat. Default: all; 5 with --prompt.")
    ] = None,
    image: Annotated[
        int, typer.Option(min=0, max=4096, metavar="PIXELS", help="Add pictures of the agent's view. 0: none.")
    ] = 0,
    otherwise: Annotated[
        str, typer.Option(metavar="POLICY", help="Acts after a second answer that cannot be used; or forfeit.")
    ] = "random",
    skip_forced: Annotated[
        bool, typer.Option("--skip-forced/--ask-forced", help="Take only actions without asking, or ask for them too.")
    ] = True,
    batch_orders: Annotated[
        bool, typer.Option("--batch-orders", help="One answer may give all orders of a phase, as in Diplomacy.")
    ] = False,
    talk: Annotated[str, common.talk_option("beside:when=before,rounds=2,channels=public+private")] = "typed",
    treatment: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A treatment of the world (envsuite info), goal:own, goal:group, framing:neutral or persona:FILE.",
        ),
    ] = None,
    shots: Annotated[
        int, typer.Option(min=0, max=100, metavar="N", help="Example episodes of the best policy before the game.")
    ] = 0,
    language: Annotated[
        str, typer.Option(metavar="NAME", help="Language of thoughts and words: de, Catalan. Default: left open.")
    ] = "",
    option: Annotated[
        list[str] | None,
        typer.Option("-o", "--option", metavar="NAME=VALUE", help="A field of each request, such as temperature=0."),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=10_000, metavar="N", help="Requests at once.")] = 32,
    per_minute: Annotated[
        float | None, common.number_option("Requests started per minute. Default: no limit.", 0.001, metavar="N")
    ] = None,
    seconds: Annotated[float, common.number_option("Time limit of a request, in seconds.", 0.001, metavar="S")] = 120.0,
    retries: Annotated[int, typer.Option(min=0, max=1000, metavar="N", help="Retries of a failed request.")] = 5,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Budget in tokens, earlier runs of --out included.")
    ] = None,
    max_dollars: Annotated[
        float | None, common.number_option("Budget in dollars, with --prices; earlier runs included.", 0.0, metavar="X")
    ] = None,
    prices: Annotated[
        str, typer.Option(metavar="IN,OUT", help="Dollars per million tokens of requests and of answers.")
    ] = "0,0",
    file: Annotated[
        str | None, common.file_option("Ledger of all answers; the command resumes if the file exists.", "--out")
    ] = None,
    json: Annotated[str | None, common.file_option("Write the results as JSON.", "--json")] = None,
    html: Annotated[str | None, common.file_option("Write a report with transcripts and replays.", "--html")] = None,
    replays: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Write each episode as a replay, in a suite into a folder for each task; `envsuite data` reads them.",
            callback=common.to_open,
        ),
    ] = None,
) -> None:
    """Evaluate a language model on a suite of worlds, or let models and policies play each other in a world.

    With --out, every answer is kept in a file before it is used, and the same command resumes: no answer is paid for
    twice.
    """
    from envsuite.models.answers import Budget, Limits
    from envsuite.models.client import make_model
    from envsuite.models.protocol import Protocol
    from envsuite.models.suites import SUITES

    if suite is None:
        _suites()
        return
    if not model:
        raise ParameterError("name a model with --model or OPENAI_MODEL; --model policy:random needs no endpoint")
    if numbers and tools:
        raise ParameterError("--numbers and --tools exclude each other")
    memory, actions = "prompt" if prompt else "chat", "numbers" if numbers else "tools" if tools else "names"
    protocol = Protocol(
        memory, actions, turns, image, otherwise=otherwise, skip_forced=skip_forced, batch_orders=batch_orders,
        talk=talk, treatments=treatment or (), shots=shots, language=language,
    )  # fmt: skip
    limits = Limits(concurrency, per_minute, seconds, retries)
    budget = Budget(max_tokens, max_dollars, _prices(prices))
    models = [make_model(name, **_options(option)) for name in model]
    if replays:
        _folder(replays)
    found: Results | Versus
    in_suite = suite in SUITES or suite.islower()
    if in_suite:
        if len(models) > 1 or param:
            raise ParameterError(f"{suite} is a suite: it takes one --model, and no -p")
        found = _suite(suite, models[0], size, trials, protocol, limits, budget, file, json, html)
    elif trials > 1:
        raise ParameterError(f"--trials repeats the episodes of a suite; matches of {suite} take --episodes")
    else:
        found = _matches(make(suite, param), models, episodes, protocol, limits, budget, file, json, html)
    if replays:
        _save(replays, found.played, in_suite)
    _end(found, file, json, html, replays)


def _suite(
    name: str, model: Model, size: str, trials: int, protocol: Any, limits: Any, budget: Budget, file: str | None,
    json: str | None, html: str | None,
) -> Results:  # fmt: skip
    """Play a suite, and print and write the results."""
    from envsuite.models.suites import SIZES, evaluate, suite

    chosen = suite(name)
    count = len(chosen.tasks) * SIZES.get(size, 0) * trials
    with common.resumable(file), common.progress(count, "Playing") as advance:
        found = evaluate(
            chosen, model, size, protocol, limits, budget, file, lambda played: advance(played.game.task), trials
        )
    for rows in found.tables():
        common.out.print(rows)
    cost = f", {budget.cost(found.tokens):.2f} dollars" if max(budget.prices) else ""
    common.out.print(f"{sum(found.tokens):,} tokens{cost}", style="dim")
    if json:
        _write(json, found.plain())
    if html:
        from envsuite.models.report import report

        replace(html, report(found))
    return found


def _matches(
    world: World, models: Sequence[Model], episodes: int, protocol: Any, limits: Any, budget: Budget, file: str | None,
    json: str | None, html: str | None,
) -> Versus:  # fmt: skip
    """Let models and policies play each other, and print and write the results."""
    from envsuite.cli.evaluate import print_tournament
    from envsuite.models.versus import versus

    with common.resumable(file), common.progress(None, "Playing") as advance:
        found = versus(
            world, models, episodes, protocol=protocol, limits=limits, budget=budget, path=file,
            progress=lambda played: advance(played.game.task),
        )  # fmt: skip
    if found.tournament.pairings:
        print_tournament(world, found.tournament, "all seats", 0)
    if json:
        _write(json, found.plain())
    if html:
        from envsuite.models.report import matches

        replace(html, matches(found))
    return found


def _folder(path: str) -> None:
    """Make a folder for replays, before anything is paid for."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ParameterError(f"--replays {path} cannot be a folder to write to: {problem.strerror}") from None


def _save(path: str, played: Sequence[Played], by_task: bool) -> None:
    """Write episodes as replays."""
    for k, one in enumerate(played):
        folder = Path(path, re.sub(r"[^\w.-]+", "-", one.game.task) if by_task else "")
        folder.mkdir(exist_ok=True)
        if one.replay is not None:
            one.replay.save(folder / f"{k:05}.replay")


def _write(path: str, data: dict[str, Any]) -> None:
    """Write plain data as JSON."""
    import json

    replace(path, json.dumps(data, indent=1) + "\n")


def _end(found: Results | Versus, file: str | None, *others: str | None) -> None:
    """Name the files that were written; exit with 1 if episodes are not finished."""
    for path in filter(None, (file, *others)):
        common.out.print(Text.assemble("Wrote ", (path, "bold")), soft_wrap=True)
    if found.unfinished:
        kept = f"the same command resumes from {file}" if file else "with --out FILE it could be resumed"
        problem = found.stopped or next(one.problem for one in found.played if one.problem)
        text = f"{found.unfinished} episodes are not finished: {problem}; {kept}"
        common.err.print(Text(text, "yellow"), soft_wrap=True)
        raise typer.Exit(1)


def _prices(text: str) -> tuple[float, float]:
    """Two prices, ``0.4,1.6``."""
    try:
        sent, got = map(float, text.split(","))
    except ValueError:
        raise ParameterError(f"--prices {text!r} must be two numbers: 0.4,1.6") from None
    if not (0 <= sent < 1e6 and 0 <= got < 1e6):
        raise ParameterError(f"--prices {text!r} must be dollars per million tokens")
    return sent, got


def _options(texts: Sequence[str] | None) -> dict[str, Any]:
    """Fields of requests from "name=value" texts; a value is JSON, or else text."""
    import json

    found: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not (equals and name.isidentifier()):
            raise ParameterError(f"-o {text!r} must have the form name=value")
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    return found
