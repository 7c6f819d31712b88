"""Frames: scenes as arrays of pixels, PNG files, animated GIFs and videos. No display is needed or started."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import fields
from functools import cached_property
from math import ceil, floor, hypot
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import numpy as np

from envsuite.core.errors import RenderError
from envsuite.core.files import drafted, replace
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape
from envsuite.render.theme import rgba

#: Containers of videos.
VIDEOS = (".mp4", ".mkv", ".mov")

#: Maximum pixels of the longest side of a frame.
SIZE = 640


def draw(scene: Scene, size: int | None = None, theme: str = "light") -> np.ndarray:
    """A scene as pixels (height, width, 3) uint8; its longest side is at most about `size` pixels, both sides are even.

    Scenes of one size give frames of one shape. If a unit is at least 8 pixels, it is a whole number of them, so all
    cells of a grid have the same size.
    """
    return paint(scene, unit_pixels(scene, size or SIZE, size or SIZE), theme)


def fitted(scene: Scene, height: int, width: int, theme: str = "light") -> np.ndarray:
    """A scene as exactly (height, width, 3) pixels, uint8: as large as fits, in the middle of its background."""
    drawn = paint(scene, unit_pixels(scene, width, height), theme)[:height, :width]
    frame = np.empty((height, width, 3), np.uint8)
    frame[:] = rgba(scene.background, theme)[:3]
    top, left = (height - drawn.shape[0]) // 2, (width - drawn.shape[1]) // 2
    frame[top : top + drawn.shape[0], left : left + drawn.shape[1]] = drawn
    return frame


def framed(scene: Scene, shape: tuple[int, ...] | None) -> np.ndarray:
    """A scene as a frame of the same shape as an earlier one, if there is one: videos need frames of one shape."""
    frame = draw(scene)
    return frame if shape is None or frame.shape == shape else fitted(scene, shape[0], shape[1])


def unit_pixels(scene: Scene, width: float, height: float) -> float:
    """How many pixels a unit gets so that the scene fits into `width` x `height` pixels."""
    if not (scene.width > 0 and scene.height > 0):
        raise RenderError(f"a scene of {scene.width} x {scene.height} units has nothing to show")
    unit = min(width / scene.width, height / scene.height)
    return float(int(unit)) if unit >= 8 else unit


def paint(scene: Scene, unit: float, theme: str = "light") -> np.ndarray:
    """A scene as pixels, `unit` of them to a unit; drawn larger and scaled down for smooth edges.

    Only differences from the last scene of this size and kind are painted; the pixels are the same as in a full paint.
    """
    width, height = (max(2, 2 * round(side * unit / 2)) for side in (scene.width, scene.height))
    kind = (width, height, unit, scene.width, scene.background, theme)
    # Taken out while in use: another thread makes its own, and a canvas that an error leaves half painted is dropped.
    canvas = _canvases.pop(kind, None) or _Canvas(*kind)
    pixels = canvas.show(scene.shapes)
    _canvases[kind] = canvas
    for old in list(_canvases)[:-_KEPT]:
        _canvases.pop(old, None)
    return pixels


class _Canvas:
    """A picture that goes from scene to scene."""

    def __init__(self, width: int, height: int, unit: float, room: float, background: str, theme: str):
        import pygame

        self.factor = 3 if width * height <= 512 * 512 else 2
        size = self.factor * width, self.factor * height
        self.surface = pygame.Surface(size, 0, 32)  # blue, green, red, unused
        self.brush = _Brush(self.surface, unit * self.factor, room, theme)
        self.ground = rgba(background, theme)[:3]
        self.pixels = np.empty((height, width, 3), np.uint8)
        self.keys: list[Hashable] | None = None  # of the last shapes
        self.covers: list[list[Any]] = []  # of each shape

    def show(self, shapes: Sequence[Shape]) -> np.ndarray:
        """The picture of these shapes."""
        areas = self.areas(self.changes(shapes))
        boxes = [box for cover in self.covers for box in cover]
        owners = [k for k, cover in enumerate(self.covers) for _ in cover]
        for area in areas:
            self.surface.set_clip(area)
            self.brush.block(self.surface, self.ground, area)
            for k in dict.fromkeys(owners[n] for n in area.collidelistall(boxes)):
                self.brush.paint(shapes[k], self.covers[k])
        view: Any = self.surface.get_view("0")
        large = np.frombuffer(view, np.uint32).reshape(self.surface.get_height(), -1)
        for area in areas:
            left, top, right, bottom = (side // self.factor for side in (*area.topleft, *area.bottomright))
            rows, columns = (slice(a * self.factor, b * self.factor) for a, b in ((top, bottom), (left, right)))
            scale_down(large[rows, columns], self.pixels[top:bottom, left:right], self.factor)
        return self.pixels.copy()

    def changes(self, shapes: Sequence[Shape]) -> list[Any] | None:
        """Boxes around all in which these shapes, the last ones from now on, differ from those before; None: all."""
        old, covers, cover = self.keys, self.covers, self.brush.cover
        self.keys = keys = [_key(shape) for shape in shapes]
        if old is None:
            self.covers = [cover(shape) for shape in shapes]
            return None
        most = min(len(old), len(keys))
        first = next((k for k in range(most) if old[k] != keys[k]), most)
        last = next((k for k in range(most - first) if old[-1 - k] != keys[-1 - k]), most - first)
        was, now = old[first : len(old) - last], keys[first : len(keys) - last]
        known = dict(zip(was, covers[first:]))
        same = known.keys() & set(now)
        if [key for key in was if key in same] != [key for key in now if key in same]:
            same = set()  # some are painted in another order
        middle = [known[key] if key in known else cover(shape) for key, shape in zip(now, shapes[first:])]
        changed = [(was, covers[first:]), (now, middle)]
        boxes = [box for kind in changed for key, cover in zip(*kind) if key not in same for box in cover]
        self.covers = [*covers[:first], *middle, *covers[len(covers) - last :]]
        return boxes

    def areas(self, boxes: list[Any] | None) -> list[Any]:
        """The areas to paint so that these boxes are up to date; boxes that share most of their room become one."""
        whole = self.surface.get_rect()
        if boxes is None:
            return [whole]
        areas: list[Any] = []
        for box in boxes:
            left, top = (side // self.factor * self.factor for side in box.topleft)
            right, bottom = (-(-side // self.factor) * self.factor for side in box.bottomright)
            area = box.move(0, 0)
            area.update(left, top, right - left, bottom - top)
            for k in reversed(area.inflate(_NEAR, _NEAR).collidelistall(areas)):
                both = area.union(areas[k])
                if _size(both) <= _size(area) + _size(areas[k]) + _AREA:
                    area = both
                    del areas[k]
            areas.append(area)
            if sum(map(_size, areas)) > 0.6 * _size(whole):
                return [whole]
        return areas


# Not pygame's smoothscale, which makes every pixel a little darker, and how much depends on the processor.
def scale_down(large: np.ndarray, small: np.ndarray, factor: int) -> None:
    """Make each pixel of `small` (h, w, 3) the mean of `factor` x `factor` (2 or 3) of `large`, rounded.

    `large` is uint32, of bytes blue, green, red and unused. Two of the bytes are added up at a time, 16 bits for each.
    """
    lanes = np.uint32(0x00FF00FF)
    for shift, targets in ((0, (2, 0)), (8, (1,))):
        total: Any = sum((row >> np.uint32(shift)) & lanes for row in (large[k::factor] for k in range(factor)))
        total = sum(total[:, k::factor] for k in range(1, factor)) + total[:, ::factor]
        for place, target in zip((0, 16), targets):
            part = (total >> np.uint32(place)) & np.uint32(0xFFFF)
            # 7282 / 65536 is 1 / 9 closely enough for sums of nine bytes.
            small[:, :, target] = (part + 2) >> 2 if factor == 2 else ((part + 4) * 7282) >> 16


#: Canvases by size and kind of scene, the last used one last; a window shows several scenes at a time.
_canvases: dict[tuple, _Canvas] = {}
_KEPT = 4

#: Pixels of the pieces into which a slanting line's box is cut.
_STRIP = 96

#: The cost of another area, in painted pixels.
_AREA = 20_000

#: Areas are joined only if they would overlap with this many more pixels of width and height.
_NEAR = 128


#: All attributes of the shapes of a class, in a form that is quick to read and to compare.
_FACTS = {cls: attrgetter(*(part.name for part in fields(cls))) for cls in get_args(Shape)}


def _key(shape: Shape) -> Hashable:
    """A key that identifies a shape; its points may be a list that its owner changes later."""
    kind = type(shape)
    facts = _FACTS[kind](shape)
    if isinstance(shape, (Line, Polygon)):
        return kind, tuple(map(tuple, facts[0])), *facts[1:]
    return kind, *facts


def _size(box: Any) -> int:
    return box.width * box.height


class _Brush:
    """Paints shapes on a surface, `scale` pixels to a unit, within its clip."""

    def __init__(self, surface: Any, scale: float, room: float, theme: str):
        import pygame

        from envsuite.render import letters as text  # pygame.font, from here on

        self.surface, self.scale, self.room, self.theme = surface, scale, room, theme
        self.pygame, self.text = pygame, text

    @cached_property
    def layer(self) -> Any:
        """Where translucent shapes are drawn first; clear at all other times."""
        return self.pygame.Surface(self.surface.get_size(), self.pygame.SRCALPHA, 32)

    def paint(self, shape: Shape, cover: Sequence[Any]) -> None:
        """Paint a shape, given the boxes that cover it."""
        if isinstance(shape, Label):
            image, place, alpha = self.written(shape)
            if alpha < 1.0:
                image = image.copy()
                image.set_alpha(round(255 * alpha))
            self.surface.blit(image, place)
        elif isinstance(shape, Line):
            self.blend(shape, shape.color, self.line, cover)
        else:
            if shape.fill is not None:
                self.blend(shape, shape.fill, self.fill, cover)
            if shape.outline is not None:
                self.blend(shape, shape.outline, self.outline, cover)

    def blend(self, shape: Any, color: str, method: Any, cover: Sequence[Any]) -> None:
        """Draw a shape in a color, by way of the layer where it is translucent."""
        *rgb, alpha = rgba(color, self.theme)
        if alpha == 1.0:
            method(self.surface, shape, rgb)
        elif alpha > 0.0:
            area = self.surface.get_clip()
            self.layer.set_clip(area)
            method(self.layer, shape, (*rgb, round(255 * alpha)))
            for k in area.collidelistall(cover):
                self.surface.blit(self.layer, cover[k].topleft, cover[k])
            method(self.layer, shape, (0, 0, 0, 0))

    def cover(self, shape: Shape) -> list[Any]:
        """Boxes of pixels outside of which a shape paints nothing; no two of them overlap."""
        if isinstance(shape, Label):
            image, place, _ = self.written(shape)
            box = self.pygame.Rect(place, image.get_size())
        elif isinstance(shape, Rect):
            box = self.box(shape)
        elif isinstance(shape, Circle):
            reach = shape.radius + (shape.line if shape.outline else 0.0)
            box = self.around((shape.x - reach, shape.x + reach), (shape.y - reach, shape.y + reach))
        else:
            across, down = zip(*shape.points)
            margin = shape.width if isinstance(shape, Line) else shape.line if shape.outline else 0.0
            box = self.around((min(across) - margin, max(across) + margin), (min(down) - margin, max(down) + margin))
        boxes = [box]
        if isinstance(shape, Line) and len(shape.points) == 2 and min(box.size) > 2 * _STRIP:
            boxes = self.strips(shape, box)
        boxes = [box.clip(self.surface.get_rect()) for box in boxes]
        return [box for box in boxes if box.width and box.height]

    def strips(self, shape: Line, box: Any) -> list[Any]:
        """Pieces of a slanting line's box, in which there is little but the line."""
        points, begin, end = shape.points, box.left, box.right
        wide = box.width >= box.height
        if not wide:  # the same with x and y exchanged
            points, begin, end = [(y, x) for x, y in points], box.top, box.bottom
        (x0, y0), (x1, y1) = points
        boxes = []
        for start in range(begin, end, _STRIP):
            stop = min(start + _STRIP, end)
            ends = [y0 + (x / self.scale - x0) * (y1 - y0) / (x1 - x0) for x in (start, stop)]
            low, high = floor((min(ends) - shape.width) * self.scale), ceil((max(ends) + shape.width) * self.scale)
            part = start, low - 1, stop - start, high - low + 3
            boxes.append(self.pygame.Rect(part if wide else (part[1], part[0], part[3], part[2])))
        return boxes

    def around(self, across: tuple[float, float], down: tuple[float, float]) -> Any:
        """The box of pixels from the one to the other, and a little more."""
        left, top = (floor(side[0] * self.scale) - 1 for side in (across, down))
        right, bottom = (ceil(side[1] * self.scale) + 2 for side in (across, down))
        return self.pygame.Rect(left, top, right - left, bottom - top)

    def box(self, shape: Rect) -> Any:
        """A rectangle in pixels. Its edges are rounded each for itself, so that neighbors meet without a seam."""
        x, y = round(shape.x * self.scale), round(shape.y * self.scale)
        right, bottom = round((shape.x + shape.width) * self.scale), round((shape.y + shape.height) * self.scale)
        return self.pygame.Rect(x, y, max(right - x, 1), max(bottom - y, 1))

    def fill(self, surface: Any, shape: Any, rgb: Any) -> None:
        if isinstance(shape, Rect):
            if shape.radius:
                radius = round(shape.radius * self.scale)
                self.pygame.draw.rect(surface, rgb, self.box(shape), border_radius=radius)
            else:
                self.block(surface, rgb, self.box(shape))
        elif isinstance(shape, Circle):
            self.disc(surface, rgb, shape.x * self.scale, shape.y * self.scale, shape.radius * self.scale)
        else:
            self.pygame.draw.polygon(surface, rgb, [(x * self.scale, y * self.scale) for x, y in shape.points])

    def block(self, surface: Any, rgb: Any, box: Any) -> None:
        """Fill a box of pixels; where rows are neither short nor long, `Surface.fill` takes several times longer."""
        if 8 <= box.width < 400 and box.height > 1:
            right, bottom = box.right - 1, box.bottom - 1
            corners = [box.topleft, (right, box.top), (right, bottom), (box.left, bottom)]
            self.pygame.draw.polygon(surface, rgb, corners)
        else:
            surface.fill(rgb, box)

    def outline(self, surface: Any, shape: Any, rgb: Any) -> None:
        """Rectangles have their outline inside their edge, circles and polygons along it."""
        thick = max(1, round(shape.line * self.scale))
        if isinstance(shape, Rect):
            self.pygame.draw.rect(surface, rgb, self.box(shape), thick, border_radius=round(shape.radius * self.scale))
        elif isinstance(shape, Circle):
            center = (shape.x * self.scale, shape.y * self.scale)
            self.pygame.draw.circle(surface, rgb, center, shape.radius * self.scale + thick / 2, thick)
        else:
            self.stroke(surface, rgb, [*shape.points, shape.points[0]], thick)

    def line(self, surface: Any, shape: Line, rgb: Any) -> None:
        self.stroke(surface, rgb, shape.points, max(1, round(shape.width * self.scale)))

    def stroke(self, surface: Any, rgb: Any, points: Sequence[tuple[float, float]], thick: int) -> None:
        """A line of `thick` pixels with round caps and joints."""
        pixels = [(x * self.scale, y * self.scale) for x, y in points]
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

    def written(self, shape: Label) -> tuple[Any, tuple[int, int], float]:
        """A label's picture, its top left pixel, and its opacity."""
        size = round(shape.size * self.scale)
        *rgb, alpha = rgba(shape.color, self.theme)
        room = min(shape.width or self.room, self.room) * self.scale
        words = self.text.fit(shape.text, size, shape.bold, room)
        image, place = self.text.placed(
            words, shape.x * self.scale, shape.y * self.scale, size, tuple(rgb), shape.bold, shape.align
        )
        return image, place, alpha


def save_png(
    picture: Scene | np.ndarray, path: str | PathLike[str], size: int | None = None, theme: str = "light"
) -> None:
    """Write a scene or an array of pixels as a PNG file."""
    from PIL import Image

    with drafted(path) as draft:
        Image.fromarray(_pixels(picture, size, theme)).save(draft, "PNG", optimize=True)


def save(scene: Scene, path: str | PathLike[str], size: int | None = None, theme: str = "light") -> None:
    """Write a scene as a file of the path's suffix: .png, or .svg or .pdf of shapes and letters."""
    kind = kind_of(path)
    if kind == ".svg":
        replace(path, scene.svg(size or SIZE, theme))
    elif kind == ".pdf":
        from envsuite.render.pdf import pdf

        replace(path, pdf(scene, size or SIZE, theme))
    else:
        save_png(scene, path, size, theme)


def kind_of(path: str | PathLike[str]) -> str:
    """The suffix of a picture's file, or `RenderError`."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".png", ".svg", ".pdf"):
        raise RenderError(f"a picture is a file that ends in .png, .svg or .pdf, not {str(path)!r}")
    return suffix


def save_gif(
    pictures: Iterable[Scene | np.ndarray],
    path: str | PathLike[str],
    fps: float = 8,
    size: int | None = None,
    theme: str = "light",
) -> None:
    """Write scenes or arrays of pixels as an endless animated GIF; the last picture stays for a second.

    All pictures share one palette: the commonest colors exactly, and others so that every color has a near one.
    """
    from PIL import Image

    frames = _film("a GIF", pictures, size, theme)
    palette, indices = _palette(frames)
    images = []
    for frame in indices:
        image = Image.fromarray(frame)
        image.putpalette(palette.tobytes())  # the mode becomes "P"
        images.append(image)
    duration = max(20, 10 * round(100 / fps))  # players slow down below 20 ms
    durations = [duration] * (len(images) - 1) + [max(1000, duration)]
    with drafted(path) as draft:
        images[0].save(
            draft, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=False,
            disposal=1,
        )  # fmt: skip


def video_writer() -> Any:
    """The function that writes videos: imageio's `imwrite`; or `RenderError`."""
    try:
        import imageio.v3 as imageio
        import imageio_ffmpeg  # noqa: F401
    except ImportError as problem:
        raise RenderError('a video needs imageio with FFmpeg: pip install "imageio[ffmpeg]"') from problem
    return imageio.imwrite


def save_video(
    pictures: Iterable[Scene | np.ndarray],
    path: str | PathLike[str],
    fps: float = 8,
    size: int | None = None,
    theme: str = "light",
) -> None:
    """Write scenes or arrays of pixels as a video: H.264 in the container of the path's suffix, such as .mp4.

    Needs imageio with FFmpeg, as `pip install "imageio[ffmpeg]"` installs it; raises `RenderError` without.
    """
    write = video_writer()
    frames = _film("a video", pictures, size, theme, even=True)
    with drafted(path) as draft:
        write(draft, frames, plugin="FFMPEG", fps=fps, codec="libx264", quality=8, macro_block_size=2)


def _pixels(picture: Scene | np.ndarray, size: int | None, theme: str) -> np.ndarray:
    return draw(picture, size, theme) if isinstance(picture, Scene) else np.asarray(picture, np.uint8)


def _film(
    what: str, pictures: Iterable[Scene | np.ndarray], size: int | None, theme: str, even: bool = False
) -> list[np.ndarray]:
    """Frames padded with paper to the largest height and width, which are made even where H.264 wants that."""
    frames = [_pixels(picture, size, theme) for picture in pictures]
    if not frames:
        raise RenderError(f"{what} needs at least one picture")
    shapes = {frame.shape for frame in frames}
    height, width = (max(shape[k] for shape in shapes) for k in (0, 1))
    if even:
        height, width = height + height % 2, width + width % 2
    if shapes == {(height, width, 3)}:
        return frames
    padded = []
    for frame in frames:
        page = np.empty((height, width, 3), np.uint8)
        page[:] = rgba("paper", theme)[:3]
        page[: frame.shape[0], : frame.shape[1]] = frame
        padded.append(page)
    return padded


def _palette(frames: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """At most 256 colors for all frames, and the frames as indices into them."""
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
