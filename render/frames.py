"""Frames: scenes as arrays of pixels, PNG files and animated GIFs. No display is needed or started."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, hypot
from os import PathLike
from typing import Any

import numpy as np

from envsuite.core.errors import RenderError
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape
from envsuite.render.theme import rgba

#: Pixels of the longest side of a frame, at most.
SIZE = 640


def draw(scene: Scene, size: int | None = None, theme: str = "light") -> np.ndarray:
    """A scene as pixels (height, width, 3) uint8; its longest side is about `size` pixels, at most, and both are even.

    Scenes of one size give frames of one shape. Where a unit is at least 8 pixels it is a whole number of them, so
    that the cells of a grid are alike.
    """
    return paint(scene, unit_pixels(scene, size or SIZE, size or SIZE), theme)


def unit_pixels(scene: Scene, width: float, height: float) -> float:
    """How many pixels a unit gets so that the scene fits into `width` x `height` pixels."""
    if not (scene.width > 0 and scene.height > 0):
        raise RenderError(f"a scene of {scene.width} x {scene.height} units has nothing to show")
    unit = min(width / scene.width, height / scene.height)
    return float(int(unit)) if unit >= 8 else unit


def paint(scene: Scene, unit: float, theme: str = "light") -> np.ndarray:
    """A scene as pixels, `unit` of them to a unit; drawn larger and scaled down for smooth edges."""
    import pygame
    from PIL import Image

    from envsuite.render import text  # pygame, from here on

    width, height = (max(2, 2 * round(side * unit / 2)) for side in (scene.width, scene.height))
    factor = 3 if width * height < 800_000 else 2
    canvas = pygame.Surface((factor * width, factor * height), 0, 32)  # blue, green, red, unused
    canvas.fill(rgba(scene.background, theme)[:3])
    brush = _Brush(canvas, unit * factor, scene.width, text, theme)
    for shape in scene.shapes:
        brush.paint(shape)
    # Not pygame's smoothscale, which makes every pixel a little darker, and how much depends on the processor.
    large = Image.frombuffer("RGBX", canvas.get_size(), canvas.get_view("0"), "raw", "RGBX", 0, 1)
    return np.asarray(large.reduce(factor))[:, :, 2::-1].copy()


class _Brush:
    """Paints shapes on a surface, `scale` pixels to a unit."""

    def __init__(self, surface: Any, scale: float, room: float, text: Any, theme: str):
        import pygame

        self.surface, self.scale, self.room, self.text, self.pygame = surface, scale, room, text, pygame
        self.theme = theme

    def paint(self, shape: Shape) -> None:
        if isinstance(shape, Label):
            self.label(shape)
        elif isinstance(shape, Line):
            self.blend(shape, shape.color, self.line, shape.width)
        else:
            if shape.fill is not None:
                self.blend(shape, shape.fill, self.fill, 0.0)
            if shape.outline is not None:
                self.blend(shape, shape.outline, self.outline, shape.line)

    def blend(self, shape: Any, color: str, method: Any, margin: float) -> None:
        """Draw a shape in a colour, by way of a surface of its own where it is translucent."""
        *rgb, alpha = rgba(color, self.theme)
        if alpha == 1.0:
            method(self.surface, shape, rgb, 0, 0)
        elif alpha > 0.0:
            box = self.bounds(shape, margin).clip(self.surface.get_rect())
            if box.width and box.height:
                layer = self.pygame.Surface(box.size, self.pygame.SRCALPHA, 32)
                layer.fill((*rgb, 0))
                method(layer, shape, (*rgb, round(255 * alpha)), box.left, box.top)
                self.surface.blit(layer, box.topleft)

    def bounds(self, shape: Any, margin: float) -> Any:
        """The pixels that a shape can touch."""
        if isinstance(shape, Rect):
            return self.box(shape, 0, 0)
        if isinstance(shape, Circle):
            points = [
                (shape.x - shape.radius, shape.y - shape.radius),
                (shape.x + shape.radius, shape.y + shape.radius),
            ]
        else:
            points = list(shape.points)
        across, down = zip(*points)
        left, top = (floor((min(part) - margin) * self.scale) - 1 for part in (across, down))
        right, bottom = (ceil((max(part) + margin) * self.scale) + 2 for part in (across, down))
        return self.pygame.Rect(left, top, right - left, bottom - top)

    def box(self, shape: Rect, left: int, top: int) -> Any:
        """A rectangle in pixels. Its edges are rounded each for itself, so that neighbours meet without a seam."""
        x, y = round(shape.x * self.scale), round(shape.y * self.scale)
        right, bottom = round((shape.x + shape.width) * self.scale), round((shape.y + shape.height) * self.scale)
        return self.pygame.Rect(x - left, y - top, max(right - x, 1), max(bottom - y, 1))

    def fill(self, surface: Any, shape: Any, rgb: Any, left: int, top: int) -> None:
        if isinstance(shape, Rect):
            if shape.radius:
                self.pygame.draw.rect(
                    surface, rgb, self.box(shape, left, top), border_radius=round(shape.radius * self.scale)
                )
            else:
                surface.fill(rgb, self.box(shape, left, top))
        elif isinstance(shape, Circle):
            self.disc(surface, rgb, shape.x * self.scale - left, shape.y * self.scale - top, shape.radius * self.scale)
        else:
            self.pygame.draw.polygon(
                surface, rgb, [(x * self.scale - left, y * self.scale - top) for x, y in shape.points]
            )

    def outline(self, surface: Any, shape: Any, rgb: Any, left: int, top: int) -> None:
        """Rectangles have their outline inside their edge, circles and polygons along it."""
        thick = max(1, round(shape.line * self.scale))
        if isinstance(shape, Rect):
            self.pygame.draw.rect(
                surface, rgb, self.box(shape, left, top), thick, border_radius=round(shape.radius * self.scale)
            )
        elif isinstance(shape, Circle):
            centre = (shape.x * self.scale - left, shape.y * self.scale - top)
            self.pygame.draw.circle(surface, rgb, centre, shape.radius * self.scale + thick / 2, thick)
        else:
            self.stroke(surface, rgb, [*shape.points, shape.points[0]], thick, left, top)

    def line(self, surface: Any, shape: Line, rgb: Any, left: int, top: int) -> None:
        self.stroke(surface, rgb, shape.points, max(1, round(shape.width * self.scale)), left, top)

    def stroke(
        self, surface: Any, rgb: Any, points: Sequence[tuple[float, float]], thick: int, left: int, top: int
    ) -> None:
        """A line of `thick` pixels with round caps and joints."""
        pixels = [(x * self.scale - left, y * self.scale - top) for x, y in points]
        for (x0, y0), (x1, y1) in zip(pixels, pixels[1:]):
            length = hypot(x1 - x0, y1 - y0)
            if x0 == x1:
                surface.fill(rgb, (round(x0 - thick / 2), round(min(y0, y1)), thick, round(length)))
            elif y0 == y1:
                surface.fill(rgb, (round(min(x0, x1)), round(y0 - thick / 2), round(length), thick))
            else:
                across = (thick / 2 * (y1 - y0) / length, -thick / 2 * (x1 - x0) / length)
                corners = [(x0, y0, 1), (x1, y1, 1), (x1, y1, -1), (x0, y0, -1)]
                self.pygame.draw.polygon(surface, rgb, [(x + k * across[0], y + k * across[1]) for x, y, k in corners])
        if thick > 3:
            for x, y in pixels:
                self.disc(surface, rgb, x, y, thick / 2)

    def disc(self, surface: Any, rgb: Any, x: float, y: float, radius: float) -> None:
        self.pygame.draw.circle(surface, rgb, (x, y), max(radius, 0.5))

    def label(self, shape: Label) -> None:
        size = round(shape.size * self.scale)
        red, green, blue, alpha = rgba(shape.color, self.theme)
        room = min(shape.width or self.room, self.room) * self.scale
        words = self.text.fit(shape.text, size, shape.bold, room)
        x, y, rgb = shape.x * self.scale, shape.y * self.scale, (red, green, blue)
        self.text.write(self.surface, words, x, y, size, rgb, shape.bold, shape.align, alpha)


def save_png(
    picture: Scene | np.ndarray, path: str | PathLike[str], size: int | None = None, theme: str = "light"
) -> None:
    """Write a scene or an array of pixels as a PNG file."""
    from PIL import Image

    Image.fromarray(_pixels(picture, size, theme)).save(path, "PNG", optimize=True)


def save_gif(
    pictures: Iterable[Scene | np.ndarray],
    path: str | PathLike[str],
    fps: float = 8,
    size: int | None = None,
    theme: str = "light",
) -> None:
    """Write scenes or arrays of pixels as an endless animated GIF; the last picture stays for a second.

    All pictures share one palette: the commonest colours exactly, and others so that every colour has a near one.
    """
    from PIL import Image

    frames = _same_shape([_pixels(picture, size, theme) for picture in pictures], rgba("paper", theme)[:3])
    if not frames:
        raise RenderError("a GIF needs at least one picture")
    palette, indices = _palette(frames)
    images = []
    for frame in indices:
        image = Image.fromarray(frame, "P")
        image.putpalette(palette.tobytes())
        images.append(image)
    duration = max(20, 10 * round(100 / fps))  # players slow down below 20 ms
    durations = [duration] * (len(images) - 1) + [max(1000, duration)]
    images[0].save(
        path, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=False, disposal=1
    )


def _pixels(picture: Scene | np.ndarray, size: int | None, theme: str) -> np.ndarray:
    return draw(picture, size, theme) if isinstance(picture, Scene) else np.asarray(picture, np.uint8)


def _same_shape(frames: list[np.ndarray], paper: tuple[int, int, int]) -> list[np.ndarray]:
    """Frames padded to the largest height and width with the colour of paper."""
    shapes = {frame.shape for frame in frames}
    if len(shapes) < 2:
        return frames
    height, width = (max(shape[k] for shape in shapes) for k in (0, 1))
    padded = []
    for frame in frames:
        page = np.empty((height, width, 3), np.uint8)
        page[:] = paper
        page[: frame.shape[0], : frame.shape[1]] = frame
        padded.append(page)
    return padded


def _palette(frames: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """At most 256 colours for all frames, and the frames as indices into them."""
    packed = [frame.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32) for frame in frames]
    found: dict[int, int] = {}
    for frame in packed:
        for color, count in zip(*(part.tolist() for part in np.unique(frame, return_counts=True))):
            found[color] = found.get(color, 0) + count
    words = np.array(sorted(found, key=lambda color: (-found[color], color)), np.uint32)
    colors = np.stack([words >> 16, words >> 8 & 255, words & 255], axis=1).astype(np.int32)
    chosen = list(range(min(128, len(colors))))
    distances = np.full(len(colors), np.iinfo(np.int32).max, np.int32)
    nearest = np.zeros(len(colors), np.uint8)
    k = 0
    while k < len(chosen):
        away = ((colors - colors[chosen[k]]) ** 2).sum(axis=1, dtype=np.int32)
        nearer = away < distances
        nearest[nearer], distances[nearer] = k, away[nearer]
        k += 1
        if k == len(chosen) < 256 and distances.max() > 0:
            chosen.append(int(distances.argmax()))
    order = np.argsort(words)
    indices = [nearest[order[np.searchsorted(words, frame, sorter=order)]] for frame in packed]
    return colors[chosen].astype(np.uint8), indices
