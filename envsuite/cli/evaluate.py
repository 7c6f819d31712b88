"""Commands that compare policies: match, tournament, score."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from envsuite import registry
from envsuite.cli import common, listing
from envsuite.cli.common import make, table
from envsuite.core.errors import ParameterError

if TYPE_CHECKING:
    from envsuite.core.policy import Policy
    from envsuite.core.world import World
    from envsuite.evaluation.reference import Score
    from envsuite.evaluation.statistics import Interval
    from envsuite.evaluation.tournaments import Tournament
    from envsuite.scale import Executor

#: Episodes of a match; games of a pairing in a tournament, at least; entrants whose payoffs fit into a terminal.
MATCH, GAMES, SHOWN = 200, 200, 12

Episodes = Annotated[
    int, typer.Option(min=1, max=common.MOST, metavar="N", help="Number of episodes; seeds count up from --seed.")
]
Steps = Annotated[
    int | None,
    typer.Option(min=1, max=common.MOST, metavar="N", help="Maximum transitions per episode. Default: no maximum."),
]
FirstSeed = Annotated[
    int, typer.Option(min=0, max=2**63, help="Seed of the first episode; the same seed repeats all results.")
]

_POLICIES = (
    "A policy may also be a class of your own: module:Class or module:Class:parameter=1. If its constructor has a "
    "parameter `world`, it gets the world."
)


def _ends(interval: Interval) -> tuple[str, str, str]:
    """An interval's value, and its ends; these are empty where they are unknown."""
    return tuple("" if math.isnan(value) else f"{value:.4g}" for value in interval)  # type: ignore[return-value]


@common.app.command(
    epilog=common.examples(
        "envsuite match ConnectFour --policy player_0=tactical,player_1=random",
        "envsuite match Othello --policy player_0=positional,player_1=random --rotate",
        "envsuite match Telecom --policy assistant=workflow,customer=hard",
        "envsuite match Harvest --policy greedy --episodes 20",
        "envsuite match ConnectFour --episodes 1000000 --workers 2 --out four.jsonl",
        _POLICIES,
    )
)
def match(
    id: common.Id,
    policy: common.PolicyOption = None,
    param: common.Params = None,
    episodes: Episodes = MATCH,
    seed: FirstSeed = 0,
    steps: Steps = None,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Let every policy play in every seat, with the same seeds.")
    ] = False,
    workers: common.Workers = "1",
    file: common.Results = None,
) -> None:
    """Play many episodes and show the mean returns, with 95% confidence intervals."""
    from envsuite.evaluation import matches
    from envsuite.evaluation.statistics import wilson_interval

    world = make(id, param)
    names = common.seats_of(world, policy, list(world.agents))
    made = common.cast_of(world, names)
    seatings = len(world.agents) if rotate else 1
    begin = time.perf_counter()
    with common.resumable(file), common.progress(seatings * episodes, "Playing") as advance:
        result = (matches.rotated if rotate else matches.play)(
            world,
            made,
            episodes,
            seed,
            steps=steps,
            workers=workers,
            path=file,
            progress=lambda count: advance(steps=count),
        )
    spent = time.perf_counter() - begin
    # By seed: episodes on one seed are not independent.
    means = result.returns.reshape(seatings, episodes, -1).mean(axis=0)
    by_seed = matches.Result.of(world, means, result.lengths)
    each = f"{episodes} episode{'s' * (episodes > 1)}"
    times = f" in each of {seatings} seatings" if rotate else ""
    common.out.print(Text.assemble((world.id, "bold"), f", {each}{times} from seed {seed}"))
    rows = table("agent", "policy", ">mean return", ">±")
    rows.columns[0].no_wrap = True
    compared = world.utility == "zero-sum"
    if compared:
        for name in ("won", "from", "to", "drawn", "lost"):
            rows.add_column(name, justify="right")
    games = len(result.lengths)
    for agent, mean, shares in zip(world.agents, by_seed.means(), result.outcomes()):
        won, drawn, lost = shares
        cells = [*wilson_interval(round(won * games), games), drawn, lost] if compared else []
        rows.add_row(agent, names[agent], f"{mean.value:.4g}", mean.reach(), *(f"{100 * cell:.1f}%" for cell in cells))
    common.out.print(rows)
    rate = games / spent
    length = f"Mean length {result.lengths.mean():.4g} transitions"
    common.out.print(f"{length}; {spent:.2f} s, {rate:,.3g} episodes/s, compiling included.", style="dim")


@common.app.command(
    epilog=common.examples(
        "envsuite tournament ConnectFour",
        "envsuite tournament RepeatedGame --policies grudger,defector --png matrix.png",
        "envsuite tournament RepeatedGame --schedule swiss --out games.jsonl",
        "envsuite tournament Harvest --workers 2",
        "If --out exists, the tournament resumes where it stopped. Then --policies may name more policies.",
        _POLICIES,
    )
)
def tournament(
    id: common.Id,
    policies: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY,POLICY",
            help="The entrants. Default: all policies of the world.",
            autocompletion=listing.complete_policy,
        ),
    ] = None,
    param: common.Params = None,
    schedule: Annotated[
        str,
        typer.Option(
            metavar="SCHEDULE", help="round_robin: every pair plays; swiss: entrants with similar results play."
        ),
    ] = "round_robin",
    rounds: Annotated[
        int | None, typer.Option(min=1, max=common.MOST, metavar="N", help="Rounds of swiss. Default: a few.")
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=common.MOST,
            metavar="N",
            help=f"Episodes for each seating of a pair. Default: {GAMES} games for each pair.",
        ),
    ] = None,
    seed: FirstSeed = 0,
    steps: Steps = None,
    workers: common.Workers = "1",
    file: common.Results = None,
    png: Annotated[str | None, common.file_option("Write the payoff matrix as a PNG.")] = None,
) -> None:
    """Let policies play each other in all seats: standings, Elo, payoffs, with 95% confidence intervals."""
    from envsuite.evaluation import tournaments
    from envsuite.render.frames import save_png

    world = make(id, param)
    names = common.listed_policies(policies) if policies else list(common.policy_specs(world))
    entrants = {name: common.policy_of(world, name) for name in names}
    count = len(world.agents)
    if episodes is None:
        episodes = max(2, GAMES // (2 if count == 2 else 2 * count))
    with common.resumable(file), common.progress(None, "Playing") as advance:
        before = 0

        def show(done: int, total: int) -> None:
            nonlocal before
            advance(steps=done - before, total=total)
            before = done

        found = tournaments.tournament(
            world,
            entrants,
            episodes,
            seed,
            schedule=schedule,  # type: ignore[arg-type]
            rounds=rounds,
            steps=steps,
            path=file,
            workers=workers,
            progress=show,
        )
    print_tournament(world, found, schedule, seed)
    if png:
        save_png(found.scene(), png, 1600)
    for path in filter(None, (file, png)):
        common.out.print(Text.assemble("Wrote ", (path, "bold")), soft_wrap=True)


def print_tournament(world: World, found: Tournament, schedule: str, seed: int) -> None:
    """Print standings and payoffs."""
    standings = found.standings()
    kind = schedule.replace("_", " ")
    common.out.print(
        Text.assemble((world.id, "bold"), f", {kind}, {found.episodes} episodes in each seating, from seed {seed}")
    )
    rated = found.utility != "identical"
    rows = table("", "policy", ">mean return", ">±")
    rows.columns[0].justify = "right"
    for name in ("won", "drawn", "lost", "Elo", "±") if rated else ():
        rows.add_column(name, justify="right")
    for place, row in enumerate(standings, 1):
        cells = [f"{100 * share:.1f}%" for share in row.shares] if rated else []
        if row.rating is not None:
            cells += (f"{row.rating.value:+.0f}", row.rating.reach(".0f"))
        rows.add_row(str(place), Text(row.name, "bold"), f"{row.value.value:.4g}", row.value.reach(), *cells)
    common.out.print(rows)
    if rated and found.utility != "zero-sum":
        common.out.print("Won: got more than the other, or than the others' mean.", style="dim")
    if len(standings) <= SHOWN:
        payoffs, _ = found.payoffs()
        order = [found.names.index(row.name) for row in standings]
        title = "Mean return of the row against the column"
        rows = table("", "policy", *(f">{place}" for place in range(1, len(order) + 1)), title=title)
        rows.columns[0].justify = "right"
        for place, i in enumerate(order, 1):
            cells = ["" if math.isnan(payoffs[i, j]) else f"{payoffs[i, j]:.4g}" for j in order]
            rows.add_row(str(place), Text(found.names[i], "bold"), *cells)
        common.out.print(rows)


@common.app.command(
    epilog=common.examples(
        "envsuite score ConnectFour --policy tactical",
        "envsuite score TicTacToe --policy envsuite.solvers.mcts:MCTS --episodes 20",
        "envsuite score Telecom --policy workflow --png report.png",
        "envsuite score Harvest",
        _POLICIES,
    )
)
def score(
    id: common.Id,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="The policy to compare. Default: show the reference scores only.",
            autocompletion=listing.complete_policy,
        ),
    ] = None,
    param: common.Params = None,
    episodes: Annotated[
        int | None,
        typer.Option(
            min=2, max=common.MOST, metavar="N", help="Number of episodes. Default: as in the reference scores."
        ),
    ] = None,
    seed: FirstSeed = 0,
    workers: common.Workers = "1",
    file: common.Results = None,
    png: Annotated[
        str | None, common.file_option("Write the world's report as a PNG, if the world has a report.")
    ] = None,
) -> None:
    """Compare a policy with the reference scores: in one seat among scripted policies, and in all seats."""
    from envsuite.core.names import split_name
    from envsuite.evaluation import reference
    from envsuite.scale import executor

    world = make(id, param)
    if png and not world.report:
        raise ParameterError(f"{world.id} has no report of its own, so there is no picture of it")
    ours = None if policy is None else common.policy_of(world, policy)
    usual = reference.usual_others(world)
    # With itself in all seats, nobody wins or loses a zero-sum game on average.
    kinds = [None] if usual is None else [usual] if world.utility == "zero-sum" else [usual, None]
    names = list(common.policy_specs(world))
    with common.resumable(file), executor(workers) as pool:
        _score(world, kinds, policy, ours, episodes, seed, pool, file)
    if world.report:
        known = policy is None or split_name(policy)[0] in names
        _report(world, policy if known else ours, seed, png)


def _score(
    world: World,
    kinds: Sequence[str | None],
    policy: str | None,
    ours: Policy | None,
    episodes: int | None,
    seed: int,
    pool: Executor,
    file: str | None,
) -> None:
    """Measure a policy among each of the others, and the references that are missing; and print them."""
    from envsuite.evaluation import reference

    names = list(common.policy_specs(world))
    measure = partial(reference.measure, world, seed=seed, workers=pool, path=file)
    for others in kinds:
        rows = reference.reference_scores(world, others)
        count = rows[0].episodes if rows else None
        rows = [row for row in rows if row.policy != policy]  # a baseline is not compared with itself
        todo = [] if count else [name for name in names if name != policy]
        with common.progress(len(todo) + (ours is not None), "Measuring") as advance:
            for name in todo:
                advance(name, 0)
                rows.append(measure(name, others, episodes))
                advance()
            placed = None
            if ours is not None:
                advance(policy, 0)
                placed = measure(ours, others, episodes or count)
        _print_scores(world, rows, placed, policy or "", others)


def _roles(world: World) -> list[tuple[str, list[int]]]:
    """Agents with the same views and actions, with a name: their own, or what their names have in common."""
    groups: dict[Any, list[int]] = {}
    for a in range(len(world.agents)):
        # Of two agents, each has a group of its own: the first one to move may have an advantage.
        kind = a if len(world.agents) == 2 else (repr(world.observation_spaces[a]), world.action_names[a])
        groups.setdefault(kind, []).append(a)
    found = []
    for seats in groups.values():
        name = world.agents[seats[0]] if len(seats) == 1 else world.agents[seats[0]].rstrip("0123456789").rstrip("_")
        found.append((name, seats))
    return found


def _print_scores(world: World, rows: Sequence[Score], placed: Score | None, name: str, others: str | None) -> None:
    """The references from the best, with a policy in its place among them."""
    roles = _roles(world) if world.utility != "identical" or others is not None else []
    roles = roles if len(roles) > 1 else []
    what = "in all seats" if others is None else f"in each seat in turn, {others} in the others"
    title = f"{world.id}{', ' + what if len(world.agents) > 1 else ''}"
    hidden = [">performance"] if world.performance else []
    shown = table(
        "", "policy", ">mean return", ">from", ">to", *hidden, *(f">{role}" for role, _ in roles), title=title
    )
    shown.columns[0].justify = "right"
    listed = sorted([*rows, *([] if placed is None else [placed])], key=lambda row: -row.mean)
    place = 0
    for row in listed:
        mine = row is placed
        place += not mine
        means = (sum(row.returns[a] for a in seats) / len(seats) for _, seats in roles)
        performance = ["" if row.performance is None else f"{row.performance:.4g}" for _ in hidden]
        cells = (*_ends(row.interval().within(*world.return_range)), *performance, *(f"{mean:.4g}" for mean in means))
        rank = "▶" if mine else str(place)
        shown.add_row(rank, Text(name if mine else row.policy, "bold"), *cells, style="green" if mine else "")
    common.out.print(shown)
    if world.performance:
        _print_performance(world, listed)
    if placed is not None:
        better = sum(row.mean > placed.mean for row in rows)
        common.out.print(
            Text.assemble(
                (name, "bold"),
                f" is number {better + 1} of {len(rows) + 1}: {placed.interval().within(*world.return_range)} "
                f"in {placed.episodes} episodes{' for each seat' if others else ''}, 95% confidence",
            )
        )
    common.out.print()


def _print_performance(world: World, rows: Sequence[Score]) -> None:
    """What the hidden performance is, and how the policies' returns go with it."""
    from envsuite.evaluation.statistics import correlation

    common.out.print(f"Hidden performance: {world.performance}.", style="dim", soft_wrap=True)
    known = [(row.mean, row.performance) for row in rows if row.performance is not None]
    found = correlation(*zip(*known)) if len(known) > 1 else math.nan
    if not math.isnan(found):
        common.out.print(f"Correlation of return and performance over {len(known)} policies: {found:.2f}")


def _report(world: World, ours: Any, seed: int, png: str | None) -> None:
    """The world's own report, with a policy for the first agent or without."""
    from envsuite.render.frames import save_png

    chosen = {} if ours is None else {world.agents[0]: ours}
    with common.progress(None, "Reporting") as advance:
        before = 0

        def show(done: int, total: int) -> None:
            nonlocal before
            advance(steps=done - before, total=total)
            before = done

        found = registry.resolve(world.report)(world, chosen, seed=seed, progress=show)
    for rows in found.tables():
        common.out.print(rows)
    if png:
        save_png(found.scene(), png, 1600)
        common.out.print(Text.assemble("Wrote ", (png, "bold")), soft_wrap=True)
