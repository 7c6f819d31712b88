"""All speed claims of envsuite, measured in one run on one core and printed as ratios; `make bench` installs the peers.

    python benchmarks/run.py [--quick] [--save]
    python benchmarks/run.py --only Backgammon HoldEm       # these games against their peers

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
from collections.abc import Callable, Iterable
from functools import partial

from measure import CORES, compare, judged, rollout_rate, save, vector_rate  # isort: skip: before JAX starts its threads

warnings.filterwarnings("ignore")
os.environ["JAX_PLATFORMS"] = "cpu"

import gymnasium  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import minigrid  # noqa: E402, F401
import numpy as np  # noqa: E402
import pgx  # noqa: E402
import pyspiel  # noqa: E402
from minatar import Environment as MinAtar  # noqa: E402
from pettingzoo.classic import (  # noqa: E402
    chess_v6,
    connect_four_v3,
    go_v5,
    hanabi_v5,
    leduc_holdem_v4,
    tictactoe_v3,
)
from pgx.experimental import auto_reset  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.progress import track  # noqa: E402
from rich.table import Table  # noqa: E402

import envsuite  # noqa: E402

REPEATS = 7


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


def random_aec_rate(env, moves: int) -> Callable:
    """Moves per second through PettingZoo's AEC loop, random legal moves; choosing them is not counted."""
    rng = np.random.default_rng(0)

    def measure() -> float:
        done, spent = 0, 0.0
        while done < moves:
            start = time.perf_counter()
            env.reset()
            spent += time.perf_counter() - start
            while env.agents:
                start = time.perf_counter()
                observation, _, ended, cut, _ = env.last()
                spent += time.perf_counter() - start
                action = None
                if not (ended or cut):
                    action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
                    done += 1
                start = time.perf_counter()
                env.step(action)
                spent += time.perf_counter() - start
        return done / spent

    return measure


def pgx_rate(name: str, num_envs: int = 1024, steps: int = 20) -> Callable:
    """Moves per second of Pgx with automatic reset on the CPU, random legal moves; choosing them is not counted."""
    env = pgx.make(name)
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    choose = jax.jit(lambda state, key: jax.random.categorical(key, jnp.log(state.legal_action_mask * 1.0)))
    keys = jax.random.split(jax.random.key(0), num_envs)
    state = jax.jit(jax.vmap(env.init))(keys)

    def measure() -> float:
        nonlocal state, keys
        spent = 0.0
        for k in range(steps):
            actions = jax.block_until_ready(choose(state, jax.random.key(k)))
            start = time.perf_counter()
            state = jax.block_until_ready(step(state, actions, keys))
            spent += time.perf_counter() - start
        return num_envs * steps / spent

    measure()
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
    players = game.num_players()

    def measure() -> float:
        moves, spent = 0, 0.0
        for _ in range(games):
            start = time.perf_counter()
            state = game.new_initial_state()
            spent += time.perf_counter() - start
            while not state.is_terminal():
                together = state.is_simultaneous_node()
                movers = range(players) if together else [state.current_player()]
                start = time.perf_counter()
                legal = [state.legal_actions(player) for player in movers]
                if not state.is_chance_node():
                    for player in movers:
                        state.information_state_tensor(player) if tensor else state.observation_tensor(player)
                    moves += 1
                spent += time.perf_counter() - start
                actions = [int(rng.choice(options)) for options in legal]
                start = time.perf_counter()
                state.apply_actions(actions) if together else state.apply_action(actions[0])
                spent += time.perf_counter() - start
        return moves / spent

    return measure


def minatar_rate(name: str, steps: int = 3000) -> Callable:
    """Steps per second of one of MinAtar's games with its planes, uniformly random actions, resets included."""
    env, actions = MinAtar(name), np.random.default_rng(0).integers(0, 6, steps).tolist()

    def measure() -> float:
        start = time.perf_counter()
        for action in actions:
            if env.act(action)[1]:
                env.reset()
            env.state()
        return steps / (time.perf_counter() - start)

    return measure


def arcade(name: str) -> tuple[dict, list[tuple[str, Callable, float]]]:
    """A game of MinAtar, and the same of Pgx."""
    return {}, [("MinAtar", partial(minatar_rate, name), 100), with_pgx(f"minatar-{name}", 3)]


def spiel(name: str, games: int, wanted: float = 1) -> tuple[str, Callable, float]:
    return "OpenSpiel", partial(spiel_rate, name, games), wanted


def with_pgx(name: str, wanted: float = 1) -> tuple[str, Callable, float]:
    return "Pgx", partial(pgx_rate, name), wanted


def zoo(make: Callable, moves: int, wanted: float = 1) -> tuple[str, Callable, float]:
    return "PettingZoo", lambda: random_aec_rate(make(), moves), wanted


#: OpenSpiel's name of heads-up limit hold'em with the blinds and stacks of ours.
HOLDEM = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=1 2,firstPlayer=1 2 2 2,numSuits=4,numRanks=13,"
    "numHoleCards=2,numBoardCards=0 3 1 1,stack=400 400,raiseSize=2 2 4 4,maxRaises=3 4 4 4)"
)

#: Our world, its parameters, and the peers that have the same game: name, rate, wanted ratio.
GAMES: dict[str, tuple[dict, list[tuple[str, Callable, float]]]] = {
    "TicTacToe": ({}, [with_pgx("tic_tac_toe"), zoo(tictactoe_v3.env, 1000), spiel("tic_tac_toe", 300)]),
    "ConnectFour": ({}, [with_pgx("connect_four", 10), spiel("connect_four", 100)]),
    "Breakthrough": ({}, [spiel("breakthrough", 20)]),
    "Othello": ({}, [with_pgx("othello"), spiel("othello", 30)]),
    "Hex": ({}, [with_pgx("hex"), spiel("hex", 10)]),
    "Go": (
        {"size": 9},
        [with_pgx("go_9x9"), zoo(lambda: go_v5.env(board_size=9), 300), spiel("go(board_size=9)", 5)],
    ),
    "Chess": ({}, [with_pgx("chess", 20), zoo(chess_v6.env, 60, 200), spiel("chess", 1)]),
    "KuhnPoker": ({}, [with_pgx("kuhn_poker"), spiel("kuhn_poker", 500)]),
    "LeducPoker": ({}, [with_pgx("leduc_holdem"), zoo(leduc_holdem_v4.env, 500), spiel("leduc_poker", 300)]),
    "LiarsDice": ({}, [spiel("liars_dice", 500)]),
    "Goofspiel": ({}, [spiel("goofspiel", 50)]),
    "Hanabi": ({}, [zoo(hanabi_v5.env, 100), spiel("hanabi", 10)]),
    "MatrixGame": ({}, [spiel("matrix_pd", 500)]),
    "Game2048": ({}, [with_pgx("2048", 10), spiel("2048", 5)]),
    "Backgammon": ({}, [with_pgx("backgammon", 10), spiel("backgammon", 10)]),
    "AnimalShogi": ({}, [with_pgx("animal_shogi", 10)]),
    "GardnerChess": ({}, [with_pgx("gardner_chess")]),
    "Shogi": ({}, [("Pgx", partial(pgx_rate, "shogi", 64, 5), 10), spiel("shogi", 5)]),
    "HoldEm": ({}, [spiel(HOLDEM, 100, 50)]),
    "Asterix": arcade("asterix"),
    "Breakout": arcade("breakout"),
    "Freeway": arcade("freeway"),
    "Seaquest": arcade("seaquest"),
    "SpaceInvaders": arcade("space_invaders"),
}

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
    parser.add_argument("--save", action="store_true", help="write the tables to docs/speeds.json")
    parser.add_argument("--only", nargs="+", choices=GAMES, default=(), metavar="GAME", help="these games only")
    options = parser.parse_args()
    repeats = 3 if options.quick else REPEATS
    console = Console()
    table = Table("what", "ours /s", "theirs", "ratio", "wanted", title="Against other suites, steps per second")
    table.columns[0].no_wrap = True

    def row(what: str, ours: Callable, theirs: Callable, wanted: float) -> None:
        a, b, ratio = compare(ours, theirs, repeats)
        table.add_row(what, f"{a:,.0f}", f"{b:,.0f}", judged(ratio, wanted), f"{wanted:,.0f}")

    def compare_games(names: Iterable[str]) -> None:
        for name in names:
            params, peers = GAMES[name]
            ours = vector_rate(f"envsuite/{name}-v0", steps=20 if name in ("Chess", "Go") else 200, **params)
            for peer, rate, wanted in peers:
                row(f"{name} make_vec / {peer}", ours, rate(), wanted)

    if options.only:
        with console.status("peers"):
            compare_games(options.only)
        console.print(table)
        return

    plain = Table(
        "world",
        "transitions/s",
        "agent decisions/s",
        "rollout, compiled policy",
        title="Transitions per second, 1,024 worlds",
    )
    for id in track(envsuite.ids(), "worlds", console=console, transient=True):
        stepping, inside = vector_rate(id), rollout_rate(id)
        rate, inner = (statistics.median(measure() for _ in range(repeats)) for measure in (stepping, inside))
        totals = envsuite.make_vec(id, 64).rollout("random", 400, seed=0)
        share = totals.decisions / totals.steps
        plain.add_row(id.split("/")[1], f"{rate:,.0f}", f"{rate * share:,.0f}", f"{inner:,.0f}")
    console.print(plain)

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
        compare_games(GAMES)
    console.print(table)

    import harvest_c
    import twin

    speed = Table("what", "ours", "other", "ratio", "wanted", title="Against C (-O3 -march=native), ns per transition")
    for name, wanted, (ours, c) in (
        ("ConnectFour", 0.85, twin.measure(four, 1024, 200)),
        ("Harvest, 7 players", 0.8, harvest_c.measure(256, 200)),
    ):
        speed.add_row(name, f"{ours:.1f}", f"{c:.1f}", judged(c / ours, wanted, 2), str(wanted))
    console.print(speed)

    if CORES:
        os.sched_setaffinity(0, CORES)
    threads = Table("what", "one thread /s", "two threads /s", "ratio", "wanted", title="Two threads against one")
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
        threads.add_row(what, f"{one:,.0f}", f"{two:,.0f}", judged(ratio, wanted, 2), str(wanted or "-"))
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
    if options.save:
        save(plain, table, speed, threads, starts)


if __name__ == "__main__":
    main()
