"""The theme: names of colors that scenes use, and their values on a light and on a dark page.

Paper, panels, lines on them and ink, the color of text there, belong to the page and change with it. Things keep their
colors: text on a white, yellow or gold thing is "black", not "ink". Hues follow Okabe and Ito (2008),
safe for color-blind eyes.
"""

from __future__ import annotations

from functools import cache

from envsuite.core.errors import RenderError, suggest

Color = tuple[int, int, int]

_THINGS: dict[str, Color] = {
    "muted": (120, 122, 128),
    "white": (255, 255, 255),
    "black": (38, 42, 51),
    "shadow": (20, 24, 32),
    # terrain
    "floor": (233, 227, 214),
    "seam": (218, 211, 197),
    "wall": (86, 90, 102),
    "grass": (190, 209, 157),
    "leaf": (86, 138, 62),
    "soil": (217, 205, 183),
    "square": (196, 178, 145),
    "water": (140, 190, 219),
    "deep": (58, 110, 158),
    "felt": (43, 122, 98),
    # hues
    "blue": (0, 114, 178),
    "sky": (86, 180, 233),
    "green": (0, 158, 115),
    "yellow": (240, 215, 66),
    "gold": (230, 159, 0),
    "orange": (213, 94, 0),
    "pink": (204, 121, 167),
    "red": (200, 55, 60),
    "purple": (128, 96, 180),
    "grey": (150, 152, 158),
    "brown": (140, 100, 66),
    # meanings
    "good": (0, 158, 115),
    "bad": (200, 55, 60),
    "beam": (247, 223, 90),
    "highlight": (240, 228, 66),
}

#: The colors of the names in each theme.
THEMES: dict[str, dict[str, Color]] = {
    "light": {
        "paper": (250, 248, 243),
        "panel": (238, 234, 225),
        "line": (205, 200, 189),
        "ink": (38, 42, 51),
        **_THINGS,
    },
    "dark": {
        "paper": (22, 24, 29),
        "panel": (31, 34, 41),
        "line": (68, 72, 82),
        "ink": (228, 230, 235),
        **_THINGS,
    },
}
COLORS = THEMES["light"]

#: Colors of agents, in order; `agent_color` repeats them.
AGENTS = ("blue", "orange", "green", "pink", "gold", "sky", "purple", "red", "brown", "grey")


def agent_color(agent: int) -> str:
    """The name of an agent's color."""
    return AGENTS[agent % len(AGENTS)]


def agent_sign(agent: int) -> str:
    """One character that stands for an agent: its number, from 10 on a letter."""
    return "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[agent % 62]


@cache
def rgba(name: str, theme: str = "light") -> tuple[int, int, int, float]:
    """Red, green and blue (0 to 255) and opacity (0 to 1) of a scene's color, ``name`` or ``name@0.5``."""
    if theme not in THEMES:
        raise RenderError(f"there is no theme {theme!r}{suggest(theme, THEMES)}")
    colors = THEMES[theme]
    base, at, opacity = name.partition("@")
    if base not in colors:
        raise RenderError(f"the theme has no color {base!r}{suggest(base, colors)}")
    try:
        alpha = float(opacity) if at else 1.0
    except ValueError:
        alpha = -1.0
    if not 0.0 <= alpha <= 1.0:
        raise RenderError(f"the color {name!r} must have an opacity from 0 to 1 after the @")
    return (*colors[base], alpha)


def contrast(one: str, other: str, theme: str = "light") -> float:
    """The contrast ratio of two opaque colors, from 1 to 21, as WCAG 2 defines it."""
    first, second = (_luminance(rgba(name, theme)[:3]) for name in (one, other))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)


def _luminance(color: Color) -> float:
    parts = (part / 255 for part in color)
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@cache
def text_on(color: str) -> str:
    """The color of text on a thing of this color: "white" if that is readable, else "black"."""
    return "white" if contrast("white", color) >= 3 else "black"
