"""Letters: rendering text with pygame, from fonts that are installed anyway."""

from __future__ import annotations

import io
import os
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame
import pygame.font

#: Letters that the fonts lack, or that only the bold one has and that would stand out, in letters that they have.
_INSTEAD = {"–": "-", "—": "-", "−": "-", "•": "·", "→": "->", "←": "<-", "↑": "^", "↓": "v", "✓": "√", "\t": "    "}


@cache
def file(bold: bool) -> bytes:
    """A font file: Aileron, which Pillow carries; for bold (and a Pillow without it) pygame's FreeSans Bold."""
    if not bold:
        from PIL import ImageFont

        try:
            return ImageFont.load_default(16).path.getvalue()  # type: ignore[union-attr]
        except (AttributeError, TypeError):  # a Pillow without FreeType
            pass
    return (files("pygame") / pygame.font.get_default_font()).read_bytes()


@lru_cache(64)
def font(size: int, bold: bool = False) -> Any:
    """The font whose em is `size` pixels."""
    if not pygame.font.get_init():
        pygame.font.init()
    return pygame.font.Font(io.BytesIO(file(bold)), max(size, 1))


@cache
def _has(letter: str, bold: bool) -> bool:
    if len(letter) != 1 or not " " <= letter <= "\uffee" or "\ud800" <= letter <= "\udfff":
        return False
    sample = font(64, bold)
    return sample.metrics(letter)[0] not in (None, sample.metrics("\uffff")[0])


@cache
def _known(letter: str) -> str:
    """A letter in letters that some font has."""
    if letter in _INSTEAD:
        return _INSTEAD[letter]
    if _has(letter, False) or _has(letter, True):
        return letter
    return "".join(part for part in unicodedata.normalize("NFKD", letter) if _has(part, False)) or "?"


@lru_cache(1024)
def runs(text: str, bold: bool) -> tuple[tuple[str, bool], ...]:
    """A text on one line, as pieces with the font that has their letters."""
    pieces: list[tuple[str, bool]] = []
    for letter in "".join(map(_known, " ".join(text.splitlines()))):
        weight = bold if _has(letter, bold) else not bold
        if pieces and pieces[-1][1] == weight:
            pieces[-1] = (pieces[-1][0] + letter, weight)
        else:
            pieces.append((letter, weight))
    return tuple(pieces)


@lru_cache(4096)
def width(text: str, size: int, bold: bool = False) -> int:
    """The width of a text in pixels."""
    return sum(font(size, weight).size(piece)[0] for piece, weight in runs(text, bold))


def fit(text: str, size: int, bold: bool, room: float) -> str:
    """The text, cut and ended with "..." where it is wider than `room` pixels."""
    if width(text, size, bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width(text[:middle].rstrip() + "...", size, bold) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "..." if low else ""


def wrap(text: str, size: int, room: float, bold: bool = False) -> list[str]:
    """The lines of a text, at most `room` pixels wide; broken between words, or in a word too long for a line."""
    lines: list[str] = []
    for paragraph in text.splitlines():
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if width(longer, size, bold) <= room:
                line = longer
                continue
            if line:
                lines.append(line)
            while len(word) > 1 and width(word, size, bold) > room:
                k = next((k for k in range(len(word) - 1, 1, -1) if width(word[:k], size, bold) <= room), 1)
                lines.append(word[:k])
                word = word[k:]
            line = word
        lines.append(line)
    return lines


@lru_cache(1024)
def rendered(text: str, size: int, color: tuple[int, int, int], bold: bool) -> tuple[Any, int]:
    """A picture of a text on one line, with the height in pixels of its baseline below the picture's top."""
    parts = [(font(size, weight), piece) for piece, weight in runs(text, bold)]
    if len(parts) == 1:
        return parts[0][0].render(parts[0][1], True, color), parts[0][0].get_ascent()
    baseline = max((face.get_ascent() for face, _ in parts), default=0)
    height = baseline + max((face.get_height() - face.get_ascent() for face, _ in parts), default=0)
    surface = pygame.Surface((sum(face.size(piece)[0] for face, piece in parts), height), pygame.SRCALPHA, 32)
    surface.fill((*color, 0))
    x = 0
    for face, piece in parts:
        image = face.render(piece, True, color)
        surface.blit(image, (x, baseline - face.get_ascent()))
        x += image.get_width()
    return surface, baseline


@lru_cache(1024)
def _smooth(text: str, size: int, color: tuple[int, int, int], bold: bool) -> tuple[Any, int]:
    """As `rendered`, by way of a larger picture: letters keep their true shape and distance."""
    image, baseline = rendered(text, 4 * size, color, bold)
    wide, high = image.get_width() + -image.get_width() % 4, image.get_height() + 4
    canvas = pygame.Surface((wide, high - high % 4), pygame.SRCALPHA, 32)
    canvas.fill((*color, 0))
    canvas.blit(image, (0, -baseline % 4), special_flags=pygame.BLEND_RGBA_MAX)
    return pygame.transform.smoothscale(canvas, (wide // 4, canvas.get_height() // 4)), -(-baseline // 4)


def placed(
    text: str, x: float, y: float, size: int, color: tuple[int, int, int], bold: bool = False, align: str = "left",
    smooth: bool = False,
) -> tuple[Any, tuple[int, int]]:  # fmt: skip
    """A picture of a text, and its top left corner where the middle of its capitals is to be at height `y`."""
    image, baseline = (_smooth if smooth else rendered)(text, size, color, bold)
    left = x - image.get_width() * {"left": 0.0, "center": 0.5, "right": 1.0}[align]
    return image, (round(left), round(y + 0.35 * size - baseline))


def write(
    surface: Any, text: str, x: float, y: float, size: int, color: tuple[int, int, int], bold: bool = False,
    align: str = "left", smooth: bool = False,
) -> int:  # fmt: skip
    """Write a text with the middle of its capitals at height `y`; its width in pixels."""
    if not text:
        return 0
    image, place = placed(text, x, y, size, color, bold, align, smooth)
    surface.blit(image, place)
    return image.get_width()
