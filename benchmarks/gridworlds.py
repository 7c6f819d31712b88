"""The gridworlds against the same worlds of other suites, and against C, in one run on one core, printed as ratios.

    python benchmarks/gridworlds.py [--quick] [--only TEXT]

envsuite runs 1,024 worlds through `make_vec`: observations, masks and resets included, each array the caller's own.
Peers in JAX are 1,024 worlds in a compiled step with automatic resets; peers in Python are one world. Each runs in a
process of its own. A peer that cannot be installed beside envsuite has an environment of its own in .venv. Peers that
cannot be measured are listed with the reason.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import twin
from measure import Peer, PeerError, compare, judged, reset_rate, save, vector_rate
from rich.console import Console
from rich.table import Table

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from reference_environment import interpreter

REPEATS = 7

#: A suite's script, and its environment where it is not ours.
PACKAGES = {
    "minigrid": ("in_python.py", None),
    "lbforaging": ("in_python.py", None),
    "crafter": ("in_python.py", None),
    "pogema": ("in_python.py", "pogema"),
    "overcooked": ("in_python.py", "overcooked"),
    "navix": ("in_jax.py", "jax"),
    "xminigrid": ("in_jax.py", "jax"),
    "jumanji": ("in_jax.py", "jax"),
    "jaxmarl": ("in_jax.py", "jax"),
    "craftax": ("in_jax.py", "jax"),
}

#: How the two sides differ.
UNLIKE = """\
navix: its view sees through walls and has no direction; episodes of 100 steps, and so are ours beside it.
xminigrid: its view sees through walls, without a direction; its Memory has 8 x 7 cells, ours 9 x 9; its XLand has no
rules here, ours those of its default difficulty, and both see 7 x 7 cells.
jumanji: its Maze has 10 x 10 cells, ours 11 x 11 with the rim; its Sokoban has two levels, ours new ones.
crafter: draws pictures; "without pixels" it has no observation. Ours has symbols.
jaxmarl: its coin game has 3 x 3 cells and one-hot planes; its storms have 8 x 8 cells, ours 23 x 15; both 2 agents;
its SMAX computes in 32 bits, ours in 64.
craftax: one-hot floats for ours codes; a new episode starts from one of 64 levels made at each step.
pogema: its planes are floats, ours bytes.
Peers in Python are one world through `step`; their actions, where ours are the legal ones, are all."""


class Pair(NamedTuple):
    """A world of ours with its parameters, and a package's name of the same world."""

    world: str
    package: str
    name: str
    params: dict
    remark: str = ""


def minigrid(world: str, name: str) -> Pair:
    return Pair(world, "minigrid", f"MiniGrid-{name}-v0", {})


def navix(world: str, name: str, **params) -> Pair:
    return Pair(world, "navix", f"Navix-{name}-v0", {"horizon": 100, **params})


def xminigrid(world: str, name: str) -> Pair:
    return Pair(world, "xminigrid", f"MiniGrid-{name}", {})


PAIRS = [
    minigrid("DoorKey", "DoorKey-8x8"),
    minigrid("Empty", "Empty-8x8"),
    minigrid("FourRooms", "FourRooms"),
    minigrid("MultiRoom", "MultiRoom-N6"),
    minigrid("Unlock", "Unlock"),
    minigrid("UnlockPickup", "UnlockPickup"),
    minigrid("KeyCorridor", "KeyCorridorS6R3"),
    minigrid("LavaCrossing", "LavaCrossingS9N1"),
    minigrid("DynamicObstacles", "Dynamic-Obstacles-8x8"),
    minigrid("Memory", "MemoryS9"),
    navix("DoorKey", "DoorKey-Random-8x8"),
    navix("Empty", "Empty-8x8"),
    navix("FourRooms", "FourRooms"),
    navix("KeyCorridor", "KeyCorridorS6R3"),
    navix("LavaCrossing", "SimpleCrossingS9N1", obstacle="wall"),
    navix("DynamicObstacles", "Dynamic-Obstacles-8x8"),
    xminigrid("DoorKey", "DoorKey-8x8"),
    xminigrid("Empty", "Empty-8x8"),
    xminigrid("FourRooms", "FourRooms"),
    xminigrid("Unlock", "Unlock"),
    xminigrid("UnlockPickup", "UnlockPickUp"),
    xminigrid("Memory", "MemoryS8"),
    Pair("XLand", "xminigrid", "XLand-MiniGrid-R4-13x13", dict(size=13, rooms=4)),
    Pair("Maze", "jumanji", "Maze", dict(height=11, width=11, algorithm="division")),
    Pair("Sokoban", "jumanji", "Sokoban", dict(height=10, width=10, boxes=4)),
    Pair("Foraging", "jumanji", "LevelBasedForaging", dict(force_coop=True, horizon=100)),
    Pair("Foraging", "lbforaging", "Foraging-8x8-2p-2f-v3", {}),
    Pair("PathFinding", "pogema", "8", {}, "8 agents"),
    Pair("Overcooked", "overcooked", "cramped_room", dict(dynamics="new")),
    Pair("Overcooked", "jaxmarl", "overcooked", {}),
    Pair("Hanabi", "jaxmarl", "hanabi", {}),
    Pair("Coins", "jaxmarl", "coin_game", {}),
    Pair("Skirmish", "jaxmarl", "3m", {}),
    Pair("Particles", "jaxmarl", "MPE_simple_spread_v3", {}),
    Pair("MatrixInTheGrid", "jaxmarl", "storm", dict(form="repeated"), "storm"),
    Pair("MatrixInTheGrid", "jaxmarl", "storm_2p", dict(form="repeated"), "storm_2p"),
    Pair("MatrixInTheGrid", "jaxmarl", "storm_np", dict(form="repeated"), "storm_np"),
    Pair("Crafter", "crafter", "with pixels", {}, "with pixels"),
    Pair("Crafter", "crafter", "without pixels", {}, "without pixels"),
    Pair("Crafter", "craftax", "Craftax-Classic-Symbolic-v1", {}),
]

#: Steps per second of Melting Pot 2 with its pixels, measured once on one core of the machine that the claims are for.
MELTING_POT = {"Harvest": 841, "CleanUp": 447, "Coins": 2594}

#: Level generation: MiniGrid's resets, and the required minimum ratio of our speed to theirs.
RESETS = [("DoorKey", "MiniGrid-DoorKey-8x8-v0", 500), ("MultiRoom", "MiniGrid-MultiRoom-N6-v0", 500)]


def measure(package: str, arguments: tuple[str, str], ours: Callable, repeats: int) -> tuple[float, float, float]:
    """Rates of both and their ratio; PeerError where there are none."""
    script, environment = PACKAGES[package]
    try:
        python = interpreter(environment) if environment else sys.executable
    except (OSError, subprocess.CalledProcessError) as problem:
        raise PeerError(f"it cannot be installed: {problem}") from None
    peer = Peer(python, script, *arguments)
    try:
        return compare(ours(), peer, repeats)
    finally:
        peer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, and one world of each package")
    parser.add_argument("--only", default="", metavar="TEXT", help="only comparisons with this text in their names")
    parser.add_argument("--save", action="store_true", help="write the table to docs/speeds.json")
    options = parser.parse_args()
    console = Console()
    title = "Gridworlds against other suites, 1,024 worlds, steps per second"
    table = Table("what", "ours /s", "theirs", "ratio", "wanted", title=title)
    table.columns[0].no_wrap = True
    missing = {}

    todo: list[tuple] = []
    for world, package, name, params, remark in PAIRS:
        if not options.quick or package not in [known for _, known, *_ in todo]:
            ours = partial(vector_rate, f"envsuite/{world}-v0", **params)
            todo.append((f"{world} / {package} {remark}".strip(), package, (package, name), ours, 1))
    for world, name, wanted in RESETS:
        ours = partial(reset_rate, f"envsuite/{world}-v0")
        todo.append((f"{world} / minigrid, resets", "minigrid", ("minigrid_resets", name), ours, wanted))
    for what, package, arguments, ours, wanted in todo:
        if options.only in what:
            with console.status(what):
                try:
                    a, b, ratio = measure(package, arguments, ours, 3 if options.quick else REPEATS)
                except PeerError as problem:
                    missing[what] = problem
                else:
                    table.add_row(what, f"{a:,.0f}", f"{b:,.0f}", judged(ratio, wanted), f"{wanted:,}")
    console.print(table)
    if options.save:
        save(table)
    for world, theirs in MELTING_POT.items():
        if options.only in f"{world} / Melting Pot":
            ours = vector_rate(f"envsuite/{world}-v0", 256)
            rate = statistics.median(ours() for _ in range(REPEATS))
            console.print(
                f"{world}, 256 worlds: {rate:,.0f} steps a second, symbols, {judged(rate / theirs, 1000)} times "
                f"Melting Pot's {theirs:,} with pixels (not run here), wanted 1,000"
            )
    for what, problem in missing.items():
        console.print(f"Not measured: {what}: {problem}", markup=False)
    console.print(UNLIKE, markup=False)

    if options.only in "DoorKey / C":
        ours, c = twin.measure("envsuite/DoorKey-v0", 1024, 500)
        ratio = judged(c / ours, 0.8, 2)
        console.print(
            f"DoorKey against C (-O3 -march=native): {ours:.1f} and {c:.1f} ns a step, ratio {ratio}, wanted 0.8"
        )


if __name__ == "__main__":
    main()
