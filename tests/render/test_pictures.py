"""Pictures of all worlds against stored ones, in tests/data; `make pictures` makes them again.

They are the gallery's: the middle of an episode between its policies, from one seed. Look at what changed before
committing new ones.
"""

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from kit import DATA
from PIL import Image

from envsuite import registry
from envsuite.cli import gallery
from envsuite.render import frames
from envsuite.render import letters as text
from envsuite.render.frames import paint, save_png
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene

pytestmark = pytest.mark.slow

#: Pixels of a unit at least, so that a piece has enough of them, and of a picture's longest side.
UNIT, SIZE = 12, 160

#: Transitions of an episode from whose pictures the middle one is taken.
STEPS = 30

#: Stored on a dark page as well: a game, cards, a dilemma on a grid, a plot, a conversation.
DARK = ("Chess", "LeducPoker", "CleanUp", "Fishery", "Telecom")

#: What two pictures may differ in: their mean, in 255ths, and how many pixels may be off by more than `FAR`, each
#: averaged with its neighbours. Letters a third of a pixel away stay within, another colour of a small piece does not.
MEAN, FAR, COUNT = 3.0, 48, 8

KINDS = [(id, "light") for id in registry.ids()] + [(f"envsuite/{name}-v0", "dark") for name in DARK]


@cache
def scene(id: str) -> Scene:
    world = registry.build(id)
    played = gallery.episode(world, gallery.cast(world), STEPS)
    return played[len(played) // 2]


def picture(scene: Scene, theme: str = "light") -> np.ndarray:
    return paint(scene, max(UNIT, SIZE / max(scene.width, scene.height)), theme)


def file(id: str, theme: str) -> Path:
    return DATA / registry.short_name(id) / ("picture.png" if theme == "light" else "picture-dark.png")


def blurred(frame: np.ndarray) -> np.ndarray:
    """Each pixel averaged with its eight neighbours."""
    padded = np.pad(frame.astype(float), ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = frame.shape[:2]
    return sum(padded[i : i + height, j : j + width] for i in range(3) for j in range(3)) / 9


def difference(one: np.ndarray, other: np.ndarray) -> tuple[float, int]:
    """The mean difference of two pictures, and how many pixels are far off."""
    assert one.shape == other.shape
    apart = np.abs(blurred(one) - blurred(other)).max(axis=2)
    return float(apart.mean()), int((apart > FAR).sum())


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    mean, far = difference(one, other)
    return mean < MEAN and far < COUNT


@pytest.mark.parametrize(("id", "theme"), KINDS)
def test_picture(id, theme, tmp_path):
    path, now = file(id, theme), picture(scene(id), theme)
    assert path.exists(), f"{id} has no stored picture: `make pictures` makes it"
    stored = np.asarray(Image.open(path).convert("RGB"))
    if stored.shape != now.shape or not alike(stored, now):
        save_png(now, tmp_path / path.name)
        found = difference(stored, now) if stored.shape == now.shape else f"{now.shape}, not {stored.shape}"
        raise AssertionError(f"{path.name} is not what {id} looks like now, which is in {tmp_path}: {found}")


def test_no_picture_is_left_over_and_they_are_small_on_average():
    found = set(DATA.glob("*/*.png"))
    assert found == {file(*kind) for kind in KINDS}
    assert np.mean([path.stat().st_size for path in found]) < 8_000


# A difference that matters is found, and one that does not is not. Pieces are shapes within a cell.

PIECES = [
    ("envsuite/DoorKey-v0", "red"),
    ("envsuite/PathFinding-v0", "blue"),
    ("envsuite/Territory-v0", "blue"),
    ("envsuite/ConnectFour-v0", "blue"),
    ("envsuite/Overcooked-v0", "blue"),
]


def piece(scene: Scene, color: str) -> list[int]:
    """The shapes around the first disc or polygon of this colour that is smaller than a cell, and itself."""

    def middle(shape):
        if isinstance(shape, Polygon):
            return np.mean([np.min(shape.points, axis=0), np.max(shape.points, axis=0)], axis=0)
        if isinstance(shape, Rect):
            return np.array([shape.x + shape.width / 2, shape.y + shape.height / 2])
        return np.array([shape.x, shape.y])

    def small(shape):
        if isinstance(shape, Polygon):
            return np.ptp(shape.points, axis=0).max() < 1
        return isinstance(shape, Circle | Label) or isinstance(shape, Rect) and max(shape.width, shape.height) < 0.9

    found = [k for k, shape in enumerate(scene.shapes) if small(shape)]
    first = next(k for k in found if getattr(scene.shapes[k], "fill", None) == color)
    at = middle(scene.shapes[first])
    return [k for k in found if np.abs(middle(scene.shapes[k]) - at).max() < 0.5]


def moved(shape, x):
    if isinstance(shape, Polygon):
        return replace(shape, points=[(across + x, down) for across, down in shape.points])
    return replace(shape, x=shape.x + x)


def recoloured(shape, color):
    return replace(shape, fill="gold") if getattr(shape, "fill", None) == color else shape


def changed(scene: Scene, which: list[int], change) -> Scene:
    """A scene in which some shapes are changed, or gone where they change to None."""
    shapes = [change(shape) if k in which else shape for k, shape in enumerate(scene.shapes)]
    return replace(scene, shapes=[shape for shape in shapes if shape is not None])


@pytest.mark.parametrize(("id", "color"), PIECES)
def test_a_piece_that_moves_is_missing_or_has_another_colour_is_found(id, color):
    before = scene(id)
    which = piece(before, color)
    stored = picture(before)
    assert alike(stored, picture(replace(before)))
    for change in (lambda s: moved(s, 1), lambda s: moved(s, -1), lambda s: recoloured(s, color), lambda s: None):
        assert not alike(stored, picture(changed(before, which, change)))


@pytest.mark.parametrize("id", [id for id, _ in PIECES] + ["envsuite/Fishery-v0", "envsuite/Telecom-v0"])
def test_letters_a_third_of_a_pixel_away_are_alike(id, monkeypatch):
    before = picture(scene(id))
    placed = text.placed
    monkeypatch.setattr(text, "placed", lambda words, x, y, *rest: placed(words, x + 1, y + 1, *rest))
    monkeypatch.setattr(frames, "_canvases", {})  # else nothing is painted, for the scene is the same
    after = picture(scene(id))
    assert not np.array_equal(before, after) and alike(before, after)


def write(names: list[str]) -> None:
    """Store the pictures of these worlds as they are now; without names those of all, and no others."""
    if not names:
        for path in DATA.glob("*/*.png"):
            path.unlink()
    for id, theme in KINDS:
        if not names or registry.short_name(id) in names:
            file(id, theme).parent.mkdir(exist_ok=True)
            save_png(picture(scene(id), theme), file(id, theme))


if __name__ == "__main__":
    write(sys.argv[1:])
