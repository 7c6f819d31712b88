"""All speed claims of envsuite, measured in one run on one core and printed as ratios.

    python benchmarks/run.py [--quick]

Every comparison interleaves both sides several times and takes the median of the ratios, so that a machine whose speed
drifts does not decide. Only time inside the environments is counted: actions are drawn outside, or recorded before.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial

warnings.filterwarnings("ignore")

import gymnasium  # noqa: E402
import minigrid  # noqa: E402, F401
import numpy as np  # noqa: E402
import pyspiel  # noqa: E402
from pettingzoo.classic import connect_four_v3  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.progress import track  # noqa: E402
from rich.table import Table  # noqa: E402

import envsuite  # noqa: E402
from envsuite.testing import random_actions  # noqa: E402

REPEATS = 7


def vector_rate(
    id: str, num_envs: int = 1024, steps: int = 200, threads: int = 1, copy: bool = True, **params
) -> Callable:
    """Transitions per second of `make_vec`, random legal actions, observations and masks included."""
    envs = envsuite.make_vec(id, num_envs, threads=threads, copy=copy, **params)
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)

    def measure() -> float:
        nonlocal infos
        spent = 0.0
        for _ in range(steps):
            actions = random_actions(infos["action_mask"], rng)
            start = time.perf_counter()
            *_, infos = envs.step(actions)
            spent += time.perf_counter() - start
        return num_envs * steps / spent

    measure()
    return measure


def rollout_rate(id: str, num_envs: int = 1024, steps: int = 200, threads: int = 1) -> Callable:
    """Transitions per second of `rollout` with the compiled random policy."""
    envs = envsuite.make_vec(id, num_envs, threads=threads)
    envs.reset(seed=0)
    envs.rollout("random", steps, seed=0)

    def measure() -> float:
        start = time.perf_counter()
        envs.rollout("random", steps)
        return num_envs * steps / (time.perf_counter() - start)

    return measure


def random_games(count: int) -> list[list[int]]:
    """Random games of Connect Four as lists of columns."""
    rng, games = np.random.default_rng(0), []
    env = envsuite.make_parallel("envsuite/ConnectFour-v0")
    for _ in range(count):
        env.reset(seed=0)
        games.append([])
        while env.agents:
            mover = next(agent for agent in env.agents if env.action_mask(agent).any())
            games[-1].append(int(rng.choice(np.flatnonzero(env.action_mask(mover)))))
            env.step({mover: games[-1][-1]})
    return games


def aec_rate(env, games: list[list[int]]) -> Callable:
    """Moves per second through PettingZoo's AEC loop, `last` and `step`, with the moves of recorded random games."""
    moves = sum(map(len, games))

    def measure() -> float:
        start = time.perf_counter()
        for game in games:
            env.reset()
            for column in game:
                env.last()
                env.step(column)
            while env.agents:
                env.last()
                env.step(None)
        return moves / (time.perf_counter() - start)

    return measure


def gym_rate(env, steps: int) -> Callable:
    """Steps per second of a Gymnasium environment, uniformly random actions, resets included."""
    actions = np.random.default_rng(0).integers(0, 7, steps).tolist()
    env.reset(seed=0)

    def measure() -> float:
        start = time.perf_counter()
        for action in actions:
            *_, ended, cut, _ = env.step(action)
            if ended or cut:
                env.reset()
        return steps / (time.perf_counter() - start)

    return measure


def spiel_rate(name: str, games: int) -> Callable:
    """Moves per second of OpenSpiel through its Python interface, random legal moves, with the mover's tensor."""
    game, rng = pyspiel.load_game(name), np.random.default_rng(0)
    tensor = game.get_type().provides_information_state_tensor

    def measure() -> float:
        moves, spent = 0, 0.0
        for _ in range(games):
            start = time.perf_counter()
            state = game.new_initial_state()
            spent += time.perf_counter() - start
            while not state.is_terminal():
                start = time.perf_counter()
                legal = state.legal_actions()
                if not state.is_chance_node():
                    state.information_state_tensor() if tensor else state.observation_tensor()
                    moves += 1
                spent += time.perf_counter() - start
                action = int(rng.choice(legal))
                start = time.perf_counter()
                state.apply_action(action)
                spent += time.perf_counter() - start
        return moves / spent

    return measure


def compare(ours: Callable, theirs: Callable, repeats: int) -> tuple[float, float, float]:
    """Median rates of both and the median of their ratios, measured in turn."""
    pairs = [(ours(), theirs()) for _ in range(repeats)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


START = """
import time
import numba, gymnasium, pettingzoo
from envsuite.registry import spec
start = time.perf_counter()
import envsuite
envs = envsuite.make_vec({id!r}, 1)
envs.reset(seed=0)
envs.step(envs.batch.masks.argmax(axis=2))
print(time.perf_counter() - start)
"""


def start_seconds(id: str, cache: str) -> float:
    """Seconds from the import of envsuite to the end of the first step, in a new process; numba is imported before."""
    env = {**os.environ, "ENVSUITE_CACHE": cache}
    done = subprocess.run(
        [sys.executable, "-c", START.format(id=id)], env=env, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    repeats = 3 if parser.parse_args().quick else REPEATS
    console = Console()

    plain = Table(
        "world", "transitions/s", "agent decisions/s", "rollout, compiled policy", title="1,024 worlds, one core"
    )
    for id in track(envsuite.ids(), "worlds", console=console, transient=True):
        stepping, inside = vector_rate(id), rollout_rate(id)
        rate, inner = (statistics.median(measure() for _ in range(repeats)) for measure in (stepping, inside))
        totals = envsuite.make_vec(id, 64).rollout("random", 400, seed=0)
        share = totals.decisions / totals.steps
        plain.add_row(id.split("/")[1], f"{rate:,.0f}", f"{rate * share:,.0f}", f"{inner:,.0f}")
    console.print(plain)

    table = Table("what", "ours /s", "theirs", "ratio", "wanted", title="Against peers, one core, steps a second")

    table.columns[0].no_wrap = True

    def row(what: str, ours: Callable, theirs: Callable, wanted: float) -> None:
        a, b, ratio = compare(ours, theirs, repeats)
        color = "green" if ratio >= wanted else "red"
        table.add_row(what, f"{a:,.0f}", f"{b:,.0f}", f"[{color}]{ratio:,.1f}[/]", f"{wanted:,.0f}")

    four, door = "envsuite/ConnectFour-v0", "envsuite/DoorKey-v0"
    peers_door = gymnasium.make("MiniGrid-DoorKey-8x8-v0")
    games = random_games(100)
    with console.status("peers"):
        pettingzoo_four = aec_rate(connect_four_v3.env(), games[:15])
        minigrid_door = gym_rate(peers_door, 1500)
        row("ConnectFour make_vec / PettingZoo", vector_rate(four), pettingzoo_four, 1000)
        row("  the same, copy=False", vector_rate(four, copy=False), pettingzoo_four, 1000)
        row("ConnectFour AEC / PettingZoo", aec_rate(envsuite.make_aec(four), games), pettingzoo_four, 20)
        row("DoorKey make_vec / minigrid", vector_rate(door), minigrid_door, 1000)
        row("  the same, copy=False", vector_rate(door, copy=False), minigrid_door, 1000)
        row("DoorKey gym.make / minigrid", gym_rate(gymnasium.make(door), 20_000), minigrid_door, 20)
        row("ConnectFour make_vec / OpenSpiel", vector_rate(four), spiel_rate("connect_four", 100), 1)
        row("KuhnPoker make_vec / OpenSpiel", vector_rate("envsuite/KuhnPoker-v0"), spiel_rate("kuhn_poker", 500), 1)
    console.print(table)

    import connect_four_c
    import harvest_c

    speed = Table("what", "ours", "other", "ratio", "wanted", title="Against C (-O3 -march=native), ns a transition")
    for name, module, num in (("ConnectFour", connect_four_c, 1024), ("Harvest, 7 players", harvest_c, 256)):
        ours, c = module.measure(num, 200)
        color = "green" if c / ours >= 0.85 else "red"
        speed.add_row(name, f"{ours:.1f}", f"{c:.1f}", f"[{color}]{c / ours:.2f}[/]", "0.85")
    console.print(speed)

    threads = Table("what", "one thread /s", "two threads /s", "ratio", "wanted", title="Threads")
    harvest = "envsuite/Harvest-v0"
    # A step of ConnectFour is so short that waking a thread costs as much, or, in large batches, the memory bus is the
    # limit: no promise there.
    for what, rate, wanted in (
        ("Harvest, make_vec, 4,096 worlds", partial(vector_rate, harvest, 4096, 20, copy=False), 1.7),
        ("Harvest, rollout, 1,024 worlds", partial(rollout_rate, harvest, 1024, 20), 1.7),
        ("ConnectFour, rollout, 4,096 worlds", partial(rollout_rate, four, 4096, 100), 1.7),
        ("ConnectFour, make_vec, 16,384 worlds", partial(vector_rate, four, 16_384, 20, copy=False), 0),
    ):
        two, one, ratio = compare(rate(threads=2), rate(threads=1), repeats)
        color = "green" if ratio >= wanted else "red"
        threads.add_row(what, f"{one:,.0f}", f"{two:,.0f}", f"[{color}]{ratio:.2f}[/]", str(wanted or "-"))
    console.print(threads)

    starts = Table(
        "world", "cold, s", "warm, s", title="To the first step in a new process, numba's import not counted"
    )
    for id in track(envsuite.ids(), "starts", console=console, transient=True):
        with tempfile.TemporaryDirectory() as cache:
            cold = start_seconds(id, cache)
            warm = statistics.median(start_seconds(id, cache) for _ in range(3))
        marks = ["green" if cold <= 10 else "red", "green" if warm <= 0.7 else "red"]
        starts.add_row(id, f"[{marks[0]}]{cold:.1f}[/]", f"[{marks[1]}]{warm:.2f}[/]")
    console.print(starts)


if __name__ == "__main__":
    main()
