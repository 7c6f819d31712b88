"""Drawings without colours, of all worlds: every token is visible in them and shows its owner.

A token is a shape with a glyph. The pictures are the gallery's, over an episode between a world's policies.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from envsuite import registry
from envsuite.cli import gallery
from envsuite.render.scene import Label, Line, Polygon, Rect, Scene, Shape
from envsuite.render.terminal import terminal

#: Transitions of an episode, of whose pictures a test looks at the first and the last.
STEPS = 6

#: Glyphs in several colours: tokens beside a label, bids before the one with its own sign, agents whose opinion is a
#: number in their picture.
SHADED = {
    "envsuite/Hanabi-v0": "o",
    "envsuite/LiarsDice-v0": "·",
    "envsuite/Opinions-v0": "0123456789ABCDEFGHIJ",
}


def middle(shape: Shape) -> tuple[float, float]:
    if isinstance(shape, Rect):
        return shape.x + shape.width / 2, shape.y + shape.height / 2
    if isinstance(shape, Polygon):
        across, down = zip(*shape.points)
        return (min(across) + max(across)) / 2, (min(down) + max(down)) / 2
    return shape.x, shape.y


def tokens(scene: Scene) -> Iterator[tuple[int, Shape]]:
    """Shapes with a glyph, and their numbers; without those on whose place another one or a label is written."""
    taken: list[tuple[float, float]] = []
    for k, shape in reversed(list(enumerate(scene.shapes))):
        if isinstance(shape, Line) or not (shape.terminal if isinstance(shape, Label) else shape.glyph.strip()):
            continue
        x, y = middle(shape)
        if not isinstance(shape, Label) and all(abs(x - u) >= 0.5 or abs(y - v) >= 0.5 for u, v in taken):
            yield k, shape
        taken.append((x, y))


@pytest.mark.parametrize("id", registry.ids())
def test_every_token_is_seen_and_tells_its_owner(id):
    world = registry.build(id)
    scenes = gallery.episode(world, gallery.cast(world), STEPS)
    assert len({(scene.width, scene.height) for scene in scenes}) == 1
    colors: dict[str, set[str]] = {}
    for scene in (scenes[0], scenes[-1]):
        signs, shapes = {}, list(scene.shapes)
        for k, shape in tokens(scene):
            signs[chr(0x4DC0 + len(signs))] = shape
            shapes[k] = replace(shape, glyph=list(signs)[-1])
            color = shape.fill or shape.outline if not isinstance(shape, Label) else None
            if color and "●" not in shape.glyph:
                colors.setdefault(shape.glyph, set()).add(color.partition("@")[0])
        drawn = terminal(replace(scene, shapes=shapes), color=False)
        lost = [shape for sign, shape in signs.items() if sign not in drawn]
        assert not lost, f"{lost[:3]}, of {len(lost)}, cannot be seen in\n{terminal(scene, color=False)}"
    shared = {glyph: found for glyph, found in colors.items() if len(found) > 1 and glyph not in SHADED.get(id, "")}
    assert not shared, f"kinds or owners that only colour shows: {shared}"
