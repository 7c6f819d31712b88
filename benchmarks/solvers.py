"""Solvers and search against OpenSpiel, measured in one run on one core and printed as ratios.

    python benchmarks/solvers.py [--quick]

Every comparison interleaves both sides several times and takes the median of the ratios, so that a machine whose speed
drifts does not decide. Trees are built before the clock starts, on both sides.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import cache

from measure import compare, judged  # isort: skip: before others start their threads

import pyspiel
from open_spiel.python.algorithms import cfr as python_cfr
from rich.console import Console
from rich.table import Table

from envsuite.core.batch import Batch
from envsuite.games.connect_four import ConnectFour
from envsuite.games.leduc_poker import LeducPoker
from envsuite.solvers.cfr import CFRPlus
from envsuite.solvers.game_tree import Tree
from envsuite.solvers.mcts import MCTS

REPEATS = 7


def rate(work: Callable[[], object], count: int) -> Callable[[], float]:
    """Measures the rate per second of `work`, which does `count` units; the first run compiles and does not count."""
    work()

    def measure() -> float:
        start = time.perf_counter()
        work()
        return count / (time.perf_counter() - start)

    return measure


@cache
def cfr_plus() -> Callable[[], float]:
    solver = CFRPlus(Tree(LeducPoker()))
    return rate(lambda: solver.run(2000), 2000)


def cfr_plus_in_python() -> Callable[[], float]:
    solver = python_cfr.CFRPlusSolver(pyspiel.load_game("leduc_poker"))
    return rate(solver.evaluate_and_update_policy, 1)


def cfr_plus_in_cpp() -> Callable[[], float]:
    solver = pyspiel.CFRPlusSolver(pyspiel.load_game("leduc_poker"))
    return rate(lambda: [solver.evaluate_and_update_policy() for _ in range(10)], 10)


#: Simulations of a search from ConnectFour's start; the rest of each is one random playout.
SIMULATIONS = 10_000


def mcts() -> Callable[[], float]:
    batch = Batch(ConnectFour(), 1)
    batch.start()
    planner = MCTS(batch.world, SIMULATIONS)
    return rate(lambda: planner.search(batch.records, 0), SIMULATIONS)


def mcts_in_cpp() -> Callable[[], float]:
    game = pyspiel.load_game("connect_four")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    # Constant 2, memory in MB, proven values off, seed, nothing printed.
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, SIMULATIONS, 1000, False, 0, False)
    state = game.new_initial_state()
    return rate(lambda: bot.step(state), SIMULATIONS)


#: The unit that is counted, the two sides, and the required ratio, if any.
ROWS = [
    ("CFR+, Leduc / OpenSpiel, Python", cfr_plus, cfr_plus_in_python, 20),
    ("CFR+, Leduc / OpenSpiel, C++", cfr_plus, cfr_plus_in_cpp, 0),
    ("MCTS, ConnectFour / OpenSpiel, C++", mcts, mcts_in_cpp, 0),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    repeats = 3 if parser.parse_args().quick else REPEATS
    console = Console()
    table = Table("what", "ours /s", "theirs", "ratio", "wanted", title="Solvers, one core")
    table.columns[0].no_wrap = True
    for what, ours, theirs, wanted in ROWS:
        with console.status(what):
            a, b, ratio = compare(ours(), theirs(), repeats)
        table.add_row(what, f"{a:,.0f}", f"{b:,.1f}", judged(ratio, wanted), f"{wanted:,}" if wanted else "-")
    console.print(table)


if __name__ == "__main__":
    main()
