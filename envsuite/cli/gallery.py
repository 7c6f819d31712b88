"""Commands that write pictures: render, of one world, and gallery, of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from envsuite import registry
from envsuite.cli import common

if TYPE_CHECKING:
    import numpy as np

    from envsuite.core.world import World
    from envsuite.render.scene import Scene

#: Pixels of a picture in the sheet, of the gaps between them, and of the name below.
WIDTH, HEIGHT, GAP, CAPTION = 320, 280, 24, 30


@common.app.command(
    epilog=common.examples(
        "envsuite render Chess chess.svg --steps 20",
        "envsuite render Overcooked kitchen.png --size 1200 --theme dark",
        "envsuite render KuhnPoker card.pdf --agent player_0 --steps 0",
    )
)
def render(
    id: common.Id,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The .png, .svg or .pdf to write.", callback=common.to_write)
    ],
    steps: Annotated[
        int, typer.Option(min=0, max=common.MOST, metavar="N", help="Transitions to play before the picture.")
    ] = 0,
    agent: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Show only what this agent may see. Default: everything.")
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            min=16,
            max=10_000,
            metavar="PIXELS",
            help="Pixels of the longest side, 1/72 inch each in a PDF. Default: 640.",
        ),
    ] = None,
    policy: common.PolicyOption = None,
    param: common.Params = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the episode; the same seed repeats the picture.")] = 0,
    theme: common.Theme = "light",
) -> None:
    """Write one picture of a world as PNG, SVG or PDF, after its policies have played some steps."""
    from envsuite.episodes.session import Session
    from envsuite.interfaces.gym import seat_number
    from envsuite.render.frames import kind_of, save

    kind_of(file)  # before anything is played
    world = common.make(id, param)
    seat = None if agent is None else seat_number(world, agent)
    session = Session(
        world, common.cast_of(world, common.seats_of(world, policy, list(world.agents))), common.seed_or_any(seed)
    )
    for _ in session.play(steps):
        pass
    save(session.scene(seat), file, size, theme)
    common.out.print(
        Text.assemble("Wrote ", (file, "bold"), f", {world.id} after {session.step} steps"), soft_wrap=True
    )


@common.app.command(
    epilog=common.examples("envsuite gallery --png docs/worlds.png", "envsuite gallery Harvest Coins --theme dark")
)
def gallery(
    ids: common.Ids = None,
    png: Annotated[str, common.file_option("The PNG to write. Needs no display.")] = "worlds.png",
    columns: Annotated[int, typer.Option(min=1, max=common.MOST, metavar="N", help="Pictures per row.")] = 8,
    steps: Annotated[
        int, typer.Option(min=0, max=common.MOST, metavar="N", help="Transitions to play before each picture.")
    ] = 30,
    seed: Annotated[
        int, typer.Option(min=0, max=2**64 - 1, help="Seed of all episodes; the same seed repeats the pictures.")
    ] = 1,
    theme: common.Theme = "light",
) -> None:
    """Write one picture that shows all worlds, each in the middle of an episode."""
    from envsuite.render.frames import save_png

    names = ids or registry.ids()
    scenes = {}
    with common.progress(len(names), "Playing") as advance:
        for id in names:
            world = common.make(id)
            advance(world.id, 0)
            played = episode(world, cast(world), 2 * steps, seed)
            scenes[registry.short_name(world.id)] = played[len(played) // 2]
            advance()
    save_png(contact_sheet(scenes, min(columns, len(scenes)), theme), png)
    common.out.print(Text.assemble("Wrote ", (png, "bold"), f", {len(scenes)} worlds"), soft_wrap=True)


def cast(world: World) -> dict[str, str]:
    """The policies in a world's pictures: a name for each agent."""
    return common.seats_of(world, world.shown, list(world.agents))


def episode(world: World, seats: Mapping[str, str], steps: int, seed: int = 1) -> list[Scene]:
    """The pictures of an episode, or of its first `steps` transitions; `seats` are names of policies by agent."""
    from envsuite.episodes.session import Session

    session = Session(world, common.cast_of(world, seats), seed)
    return [session.scene() for _ in session.play(steps)]


def contact_sheet(scenes: Mapping[str, Scene], columns: int, theme: str = "light") -> np.ndarray:
    """Scenes by name as one picture (height, width, 3) uint8: each in the middle of its place, its name below."""
    import numpy as np

    from envsuite.render.frames import draw, paint
    from envsuite.render.scene import Label, Scene
    from envsuite.render.theme import rgba

    rows = -(-len(scenes) // columns)
    across, down = WIDTH + GAP, HEIGHT + CAPTION + GAP
    sheet = np.empty((rows * down + GAP, columns * across + GAP, 3), np.uint8)
    sheet[:] = rgba("paper", theme)[:3]
    for k, (name, scene) in enumerate(scenes.items()):
        row, column = divmod(k, columns)
        top, left = GAP + row * down, GAP + column * across
        scale = min(WIDTH / scene.width, HEIGHT / scene.height)
        caption = Scene(WIDTH / CAPTION, 1.0, [Label(WIDTH / CAPTION / 2, 0.5, name, 0.66, "ink")])
        for picture, y, height in (
            (draw(scene, int(scale * max(scene.width, scene.height)), theme), top, HEIGHT),
            (paint(caption, CAPTION, theme), top + HEIGHT, CAPTION),
        ):
            y += (height - picture.shape[0]) // 2
            x = left + (WIDTH - picture.shape[1]) // 2
            sheet[y : y + picture.shape[0], x : x + picture.shape[1]] = picture
    return sheet
