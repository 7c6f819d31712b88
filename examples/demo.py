"""Plays an episode of every world with a baseline; prints returns and speed, writes GIFs to demo/; needs no display."""

import time
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

import envsuite
from envsuite import registry
from envsuite.cli.common import cast_of
from envsuite.cli.gallery import cast
from envsuite.episodes.session import Session
from envsuite.render.frames import draw, save_gif

FOLDER = Path("demo")
MAX_FRAMES = 60


def main() -> None:
    """Play, measure, draw."""
    console = Console()
    console.print("[dim]The first run compiles each world once; later runs start at once.[/]")
    FOLDER.mkdir(exist_ok=True)
    title = "an episode of each world; speed with 1,024 worlds on one core, random play"
    table = Table("world", "policy", "returns", "transitions/s", title=title)
    for id in track(registry.ids(), "playing", console=console, transient=True):
        world = registry.build(id)
        seats = cast(world)
        session = Session(world, cast_of(world, seats), seed=1)
        pictures = [draw(session.scene()) for _ in session.play() if session.step <= MAX_FRAMES]
        name = registry.short_name(world.id)
        save_gif(pictures, FOLDER / f"{name.lower()}.gif", fps=4)
        envs = envsuite.make_vec(id, 1024)
        envs.rollout("random", 10, seed=0)
        start = time.perf_counter()
        steps = envs.rollout("random", 200).steps
        rate = steps / (time.perf_counter() - start)
        shown = ", ".join(f"{value:.3g}" for value in session.returns)
        table.add_row(name, ", ".join(dict.fromkeys(seats.values())), shown, f"{rate:,.0f}")
    console.print(table)
    console.print(f"Pictures of the episodes: {FOLDER}/*.gif; envsuite gallery makes one of all worlds.")


if __name__ == "__main__":
    main()
