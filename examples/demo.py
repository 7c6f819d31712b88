"""Plays worlds with baselines: returns, speed, and GIFs in demo/. `--all` plays every world; needs no display."""

import argparse
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

import envsuite
from envsuite import Session, World, compiling, draw, registry, save_gif
from envsuite.cli.common import cast_of, progress
from envsuite.cli.gallery import cast

FOLDER = Path("demo")
STEPS, FRAMES = 300, 60

#: Two worlds of each family.
SHOWN = "ConnectFour", "Hanabi", "Overcooked", "Crafter", "Harvest", "AmongUs", "Handover", "Telecom"


def played(world: World, seats: dict[str, str]) -> tuple[str, str]:
    """Play an episode, draw its beginning; the number of steps and the returns."""
    session = Session(world, cast_of(world, seats), seed=1)
    pictures = [draw(session.scene()) for _ in session.play(STEPS) if session.step <= FRAMES]
    save_gif(pictures, FOLDER / f"{registry.short_name(world.id).lower()}.gif", fps=4)
    return str(session.step), ", ".join(f"{value:.3g}" for value in session.returns)


def speed(world: World) -> float:
    """Transitions per second of 1,024 worlds in machine code."""
    envs = envsuite.make_vec(world.id, 1024)
    envs.rollout("random", 10, seed=0)
    start = time.perf_counter()
    return envs.rollout("random", 100).steps / (time.perf_counter() - start)


def main() -> None:
    """Play, measure, draw; other processes compile meanwhile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="play every world")
    everything = parser.parse_args().all
    console = Console()
    begin = time.perf_counter()
    FOLDER.mkdir(exist_ok=True)
    worlds = [registry.build(id) for id in (registry.ids() if everything else SHOWN)]
    seats = {world.id: cast(world) for world in worlds}
    episodes, rates = {}, {}
    with progress(3 * len(worlds), "Playing") as advance, compiling([(one, ["random"]) for one in worlds]) as compiled:
        for done in compiled:
            done.add_done_callback(lambda _: advance())
        for world in worlds:
            advance(f"Playing {world.id}", 0)
            episodes[world.id] = played(world, seats[world.id])
            advance()
        advance("Waiting for machine code", 0)
        for done in compiled:
            done.result()
        for world in worlds:
            advance(f"Measuring {world.id}", 0)
            rates[world.id] = speed(world)
            advance()
    table = Table("world", "agents", "policy", "steps", "returns", "transitions/s")
    table.title = f"An episode of each, at most {STEPS} steps; speed of 1,024 worlds on one core, random play"
    for id, played_by in seats.items():
        policies = ", ".join(dict.fromkeys(played_by.values()))
        table.add_row(registry.short_name(id), str(len(played_by)), policies, *episodes[id], f"{rates[id]:,.0f}")
    console.print(table)
    console.print(f"{time.perf_counter() - begin:.0f} s. The episodes as pictures: {FOLDER}/*.gif")
    if not everything:
        console.print(
            f"These are {len(worlds)} of {len(registry.ids())} worlds: `make demo-all` plays all, `envsuite list` "
            "lists them, `envsuite watch ID` shows one in a window."
        )


if __name__ == "__main__":
    main()
