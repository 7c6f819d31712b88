"""Panel: the information beside and below the picture of a window, and its drawing; everything in pixels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envsuite.render.frames import paint
from envsuite.render.scene import Circle, Polygon, Rect, Scene, Shape
from envsuite.render.theme import AGENTS, rgba

#: Sizes of letters, and how far lines are apart.
SMALL, BODY, LINE = 13, 16, 22


@dataclass(frozen=True)
class Agent:
    """A row of the table of agents; `just_now` if its last action led to this step. Unknown values are ""."""

    name: str
    color: str
    player: str = ""
    total: str = ""
    action: str = ""
    chosen: bool = False
    just_now: bool = False


@dataclass(frozen=True)
class Quote:
    """A message of an agent."""

    name: str
    color: str
    words: str

    def __str__(self) -> str:
        return self.words if self.words.startswith(self.name) else f"{self.name}: {self.words}"


@dataclass(frozen=True)
class Numbers:
    """A part of an observation, an array, with the least and the largest number that it can hold."""

    name: str
    values: np.ndarray
    low: float
    high: float


#: A block of a panel's page: a text, of which a table keeps its columns; a quote; or numbers.
Block = str | Quote | Numbers


@dataclass
class Panel:
    """The content of a panel.

    Attributes:
        title: the heading.
        turn: the line that says whose turn it is, in `turn_color`.
        agents: a table of agents; a click on a row chooses the agent, a click on its player changes the player.
        pages: names of pages; one of them shows its `blocks`, and a click turns to another page.
        page: the name of the page that is shown.
        blocks: its content; the wheel scrolls it, from its end on if `from_end`.
        heading: the heading of the actions.
        actions: names of actions to choose from by a click, or, with a prompt, by typing.
        marked: the marked action.
        prompt: the prompt of the text box; without it there is no text box.
        error: the fault of the last input, in red.
    """

    title: str = ""
    turn: str = ""
    turn_color: str = "ink"
    agents: Sequence[Agent] = ()
    pages: Sequence[str] = ()
    page: str = ""
    blocks: Sequence[Block] = ()
    from_end: bool = False
    heading: str = "Legal actions"
    actions: Sequence[str] = ()
    marked: str = ""
    prompt: str = ""
    error: str = ""


@dataclass
class Bar:
    """The bar below a picture.

    Attributes:
        step: the step that is shown.
        last: the last one.
        playing: whether it plays by itself.
        speed: steps per second.
        note: a line of news; a long one is cut.
        curves: (T + 1, A) the values to plot over the steps, or None; nan is left out.
        recorded: the last step that comes from a recording; it is marked, and so are the steps after it.
    """

    step: int = 0
    last: int = 0
    playing: bool = False
    speed: float = 1.0
    note: str = ""
    curves: np.ndarray | None = field(default=None, repr=False)
    recorded: int | None = None


def matching(actions: Sequence[str], typed: str) -> list[str]:
    """The actions that a typed text can mean: those that hold all its words; an exact name or beginning comes first."""
    wanted = typed.strip().casefold()
    found = [name for name in actions if all(word in name.casefold() for word in wanted.split())]
    return sorted(found, key=lambda name: (name.casefold() != wanted, not name.casefold().startswith(wanted)))


def table_rows(lines: Sequence[str]) -> list[bool]:
    """Which lines are rows of a board or a map, whose letters stand at equal distances.

    A row has few letters in words, and a row of about its length beside it; of the same length, also one with a word or
    two. All else is prose, such as a line of numbers or a position in a notation.
    """
    words = [re.findall(r"[^\W\d_]{2,}", line) for line in lines]
    bare = [len(line) >= 3 and sum(map(len, found)) < 0.3 * len(line) for line, found in zip(lines, words)]
    few = [len(found) < 3 for found in words]
    beside = [[j for j in (k - 1, k + 1) if 0 <= j < len(lines)] for k in range(len(lines))]
    rows = [
        bare[k] and any(abs(len(lines[j]) - len(lines[k])) <= 2 and (bare[j] or few[j]) for j in beside[k])
        for k in range(len(lines))
    ]
    for k in [*range(len(lines)), *reversed(range(len(lines)))]:
        rows[k] = rows[k] or few[k] and any(rows[j] and len(lines[j]) == len(lines[k]) for j in beside[k])
    return rows


#: The keys by which actions are grouped: the first word, a square where a move starts, or a column.
_HEADS = (r"[^ ]+(?= )", r"[A-Za-z]+[0-9]+", r"[A-Za-z]+")


def grouped(names: Sequence[str]) -> dict[str, list[str]]:
    """Names in groups by how they begin, at most half as many groups as names; none if they cannot be grouped so."""
    for head in _HEADS:
        groups: dict[str, list[str]] = {}
        for name in names:
            found = re.match(head, name)
            groups.setdefault(found[0] if found else name, []).append(name)
        if 1 < len(groups) <= len(names) / 2:
            return groups
    return {}


_ICONS: dict[str, list[Shape]] = {
    "play": [Polygon([(0.22, 0.1), (0.9, 0.5), (0.22, 0.9)], "ink")],
    "pause": [Rect(0.2, 0.12, 0.22, 0.76, "ink"), Rect(0.58, 0.12, 0.22, 0.76, "ink")],
    "forward": [Polygon([(0.15, 0.15), (0.65, 0.5), (0.15, 0.85)], "ink"), Rect(0.68, 0.15, 0.14, 0.7, "ink")],
    "back": [Polygon([(0.85, 0.15), (0.35, 0.5), (0.85, 0.85)], "ink"), Rect(0.18, 0.15, 0.14, 0.7, "ink")],
    "last": [
        Polygon([(0.05, 0.2), (0.45, 0.5), (0.05, 0.8)], "ink"),
        Polygon([(0.45, 0.2), (0.85, 0.5), (0.45, 0.8)], "ink"),
        Rect(0.85, 0.2, 0.12, 0.6, "ink"),
    ],
    "first": [
        Polygon([(0.95, 0.2), (0.55, 0.5), (0.95, 0.8)], "ink"),
        Polygon([(0.55, 0.2), (0.15, 0.5), (0.55, 0.8)], "ink"),
        Rect(0.03, 0.2, 0.12, 0.6, "ink"),
    ],
}


class Pen:
    """Draws on a surface in the colors of a theme, and keeps the places that can be clicked.

    Attributes:
        spots: the places that can be clicked: a rectangle and the event that it means, the last ones on top.
        list_at: where the list of actions is, if it does not fit there.
        row: the first row of that list in view; None for the row of the marked action.
        group: which group of actions is open, or "".
    """

    def __init__(self, surface: Any, theme: str):
        import pygame

        from envsuite.render import letters as text

        self.surface, self.theme, self.pygame, self.text = surface, theme, pygame, text
        self.spots: list[tuple[Any, Any]] = []
        self.list_at: Any = None
        self.row: int | None = None
        self.group = ""
        self._icons: dict[tuple[str, int, str], Any] = {}
        self._plotted: tuple[Any, Any] = (None, None)

    # Primitives.

    def rgb(self, color: str) -> tuple[int, int, int]:
        """A color of the theme."""
        return rgba(color, self.theme)[:3]

    def fill(self, color: str, box: Any) -> None:
        """A rectangle."""
        self.surface.fill(self.rgb(color), box)

    def box(self, box: Any, fill: str, edge: str, thick: int = 1, radius: int = 5) -> None:
        """A rectangle with round corners and an edge."""
        self.pygame.draw.rect(self.surface, self.rgb(fill), box, border_radius=radius)
        self.pygame.draw.rect(self.surface, self.rgb(edge), box, thick, border_radius=radius)

    def write(
        self,
        text: str,
        x: float,
        y: float,
        size: int = BODY,
        color: str = "ink",
        bold: bool = False,
        room: float | None = None,
        align: str = "left",
    ) -> int:
        """A line of text with its middle at height `y`, cut to `room`; its width."""
        words = text if room is None else self.text.fit(text, 4 * size, bold, 4 * room)
        return self.text.write(self.surface, words, x, y, size, self.rgb(color), bold, align, smooth=True)

    def write_row(self, row: str, x: float, y: float, pitch: float) -> None:
        """A row of a board or a map: a letter in every `pitch` pixels."""
        for k, letter in enumerate(row):
            if letter != " ":
                self.write(letter, x + (k + 0.5) * pitch, y, min(BODY, round(1.6 * pitch)), align="center")

    def width(self, text: str, size: int = BODY) -> float:
        """The width of a line of text."""
        return self.text.width(text, 4 * size) / 4

    def wrap(self, text: str, room: float) -> list[str]:
        """The lines of a text, wrapped to the room."""
        return self.text.wrap(text, 4 * BODY, 4 * room)

    def laid_out(self, text: str, room: float) -> list[tuple[str, float]]:
        """The lines of a text; rows of a table with the distance of their letters, prose wrapped and with 0."""
        lines = text.splitlines()
        rows = table_rows(lines)
        longest = max((len(line) for line, is_row in zip(lines, rows) if is_row), default=1)
        pitch, found = min(0.62 * BODY, room / longest), []
        for line, is_row in zip(lines, rows):
            found += [(line, pitch)] if is_row else [(part, 0.0) for part in self.wrap(line, room) or [""]]
        return found

    def icon(self, name: str, x: int, y: int, size: int, color: str = "ink", ground: str = "panel") -> None:
        """A small picture with its top left corner at (x, y): one of `_ICONS`, or a disc."""
        key = (name, size, color + ground)
        if key not in self._icons:
            shapes = _ICONS.get(name, [Circle(0.5, 0.5, 0.5, color)])
            pixels = paint(Scene(1, 1, list(shapes), ground), size, self.theme)
            self._icons[key] = self.pygame.image.frombuffer(pixels, pixels.shape[1::-1], "RGB")
        self.surface.blit(self._icons[key], (x, y))

    def dot(self, x: int, y: int, size: int, color: str, ground: str = "panel") -> int:
        """A disc in the color of an agent, since letters in it may be hard to read; how much room it takes."""
        if color not in AGENTS:
            return 0
        self.icon("disc", x, y - size // 2, size, color, ground)
        return round(1.6 * size)

    def thumb(self, x: int, top: int, height: int, start: float, share: float) -> None:
        """A scroll bar: which part of a long content is in view."""
        draw = self.pygame.draw.rect
        draw(self.surface, self.rgb("line"), (x, top, 4, height), border_radius=2)
        draw(self.surface, self.rgb("muted"), (x, top + height * start, 4, max(height * share, 8)), border_radius=2)

    # Blocks.

    def block_height(self, block: Block, room: int) -> int:
        """The height of a block at this width."""
        if isinstance(block, str):
            return LINE * len(self.laid_out(block, room)) + 8
        if isinstance(block, Quote):
            return LINE * len(self.wrap(str(block), room - 24)) + 14
        _, size, rows, _ = self._tiles(block, room)
        return LINE + rows * size + 10

    def draw_block(self, block: Block, x: int, y: int, room: int) -> None:
        """Draw a block with its top left corner there."""
        if isinstance(block, str):
            for k, (line, pitch) in enumerate(self.laid_out(block, room)):
                at = y + LINE * k + LINE // 2
                self.write_row(line, x, at, pitch) if pitch else self.write(line, x, at)
        elif isinstance(block, Quote):
            lines = self.wrap(str(block), room - 24)
            box = self.pygame.Rect(x, y, room, LINE * len(lines) + 8)
            self.pygame.draw.rect(self.surface, self.rgb("paper"), box, border_radius=7)
            self.fill(block.color, (x, y + 4, 4, box.height - 8))
            for k, line in enumerate(lines):
                self.write(line, x + 14, y + LINE * k + LINE // 2 + 4)
        else:
            self._draw_numbers(block, x, y, room)

    def _tiles(self, block: Numbers, room: int) -> tuple[list[np.ndarray], int, int, int]:
        """Planes (h, w) of an array; pixels of a cell; rows of cells in all, with gaps; planes side by side."""
        planes = planes_of(block.values)
        height, width = planes[0].shape
        if width == 1 and len(planes) == 1:
            height, width = 1, height
            planes = [planes[0].T]
        most = max(1, int(room // 6))
        if height == 1 and width > 24:  # a long list continues in further lines
            width = min(width, 24 if width <= 240 else most)
            flat = planes[0].ravel()
            flat = np.concatenate([flat, np.full(-len(flat) % width, np.nan)])
            planes = [flat.reshape(-1, width)]
            height = len(planes[0])
        size = int(max(2, min(24, room // max(width, 1))))
        if len(planes) > 1:
            size = int(max(2, min(size, (room / min(len(planes), 3) - 8) // width)))
        across = max(1, int((room + 8) // (width * size + 8)))
        down = -(-len(planes) // across)
        return planes, size, down * height + -(-8 * (down - 1) // size), across

    def _draw_numbers(self, block: Numbers, x: int, y: int, room: int) -> None:
        planes, size, _, across = self._tiles(block, room)
        shape = " x ".join(map(str, block.values.shape)) or "one number"
        self.write(f"{block.name}  {shape}" if block.name else shape, x, y + LINE // 2, SMALL, "muted", True, room)
        height, width = planes[0].shape
        low, high = block.low, block.high
        if not (np.isfinite([low, high]).all() and high - low <= 1000):
            low, high = float(np.nanmin(block.values)), float(np.nanmax(block.values))
        for k, plane in enumerate(planes):
            left = x + k % across * (width * size + 8)
            top = y + LINE + k // across * (height * size + 8)
            pixels = self._tinted(plane, low, high)
            image = self.pygame.image.frombuffer(pixels.tobytes(), (width, height), "RGB")
            self.surface.blit(self.pygame.transform.scale(image, (width * size, height * size)), (left, top))
            whole = bool((plane[~np.isnan(plane)] % 1 == 0).all())
            if size >= 14 and (width * height <= 400):
                for (i, j), value in np.ndenumerate(plane):
                    words = "" if np.isnan(value) else f"{value:.0f}" if whole else f"{value:.2g}"
                    if words and len(words) * 7 <= size:
                        dark = sum(int(part) for part in pixels[i, j]) < 380
                        color = "white" if dark else "black"
                        at = (left + (j + 0.5) * size, top + (i + 0.5) * size)
                        self.write(words, *at, min(12, size - 3), color, align="center")

    def _tinted(self, plane: np.ndarray, low: float, high: float) -> np.ndarray:
        """Numbers as colors (h, w, 3) uint8: the largest blue, negative ones orange, none the panel's."""
        ground, blue, orange = (np.array(self.rgb(color), np.float64) for color in ("paper", "blue", "orange"))
        most = max(abs(low), abs(high), 1e-12)
        share = np.nan_to_num(np.clip(np.abs(plane) / most, 0, 1))[..., None]
        hue = np.where((plane < 0)[..., None], orange, blue)
        mixed = ground + (hue - ground) * np.sqrt(share)  # small numbers are to be seen beside large ones
        mixed[np.isnan(plane)] = self.rgb("panel")
        return mixed.astype(np.uint8)

    # The parts of a window.

    def draw_panel(self, panel: Panel, area: Any, typed: str, scroll: int, command: Any) -> int:
        """Draw a panel; `command(name, value)` makes the event of a click. How far it can be scrolled, and is.

        From the top: title, turn, agents, pages; from the bottom: text box, error, actions.
        """
        self.fill("panel", area)
        self.fill("line", (area.left, 0, 1, area.height) if area.left else (0, area.top, area.width, 1))
        inner = area.inflate(-44, -36)
        self.list_at = None
        self.surface.set_clip(area)
        top, bottom = inner.top, inner.bottom
        for text, size, hue in ((panel.title, 22, "ink"), (panel.turn, 17, panel.turn_color)):
            if text:
                start = self.dot(inner.left, top + size // 2, 13, hue)
                ink = "ink" if hue in AGENTS else hue
                self.write(text, inner.left + start, top + size // 2, size, ink, True, inner.width - start)
                top += round(1.7 * size)
        if panel.prompt:
            bottom = self._draw_box(panel.prompt, typed, inner, bottom)
        if panel.error:
            lines = self.wrap(panel.error, inner.width)[:5]
            for k, line in enumerate(lines):
                self.write(line, inner.left, bottom - LINE * (len(lines) - k) + LINE // 2, BODY, "bad")
            bottom -= LINE * len(lines) + 8
        if panel.agents:
            top = self._draw_agents(panel.agents, inner, top, (bottom - top) * 4 // 10, command) + 8
        if panel.actions:
            bottom = self._draw_actions(panel, typed, inner, top, bottom, bool(panel.blocks), command) - 8
        if len(panel.pages) > 1:
            top = self._draw_tabs(panel, inner, top, command)
        elif panel.blocks:
            self.fill("line", (inner.left, top, inner.width, 1))
            top += 8
        if panel.blocks and bottom > top:
            scroll = self._draw_page(panel, inner, area.right, top, bottom, scroll)
        self.surface.set_clip(None)
        return scroll

    def _draw_page(self, panel: Panel, inner: Any, right: int, top: int, bottom: int, scroll: int) -> int:
        heights = [self.block_height(block, inner.width) for block in panel.blocks]
        room, total = bottom - top, sum(heights)
        scroll = max(0, min(scroll, total - room))
        above = max(0, total - room) - scroll if panel.from_end else scroll
        clip = self.surface.get_clip()
        self.surface.set_clip(self.pygame.Rect(inner.left, top, inner.width, room))
        y = top - above
        for block, height in zip(panel.blocks, heights):
            if y + height > top and y < bottom:
                self.draw_block(block, inner.left, y, inner.width)
            y += height
        self.surface.set_clip(clip)
        if total > room:
            self.thumb(right - 14, top, room, above / total, room / total)
        return scroll

    def _draw_agents(self, agents: Sequence[Agent], inner: Any, top: int, room: int, command: Any) -> int:
        """The table; where it ends."""
        fits = max(2, room // LINE - 1)
        first = 0
        if len(agents) > fits:  # those around the chosen one
            chosen = next((k for k, agent in enumerate(agents) if agent.chosen), 0)
            first = max(0, min(chosen - fits // 2, len(agents) - fits))
        shown = list(enumerate(agents))[first : first + fits]
        names = min(max(self.width(agent.name) for _, agent in shown) + 30, inner.width * 0.45)
        played = max((self.width(agent.player, SMALL) for _, agent in shown), default=0)
        players = min(played + 24, inner.width * 0.3) if played else 0
        totals = inner.left + names + players + 62
        for heading, x, align in (
            ("return", totals, "right"),
            ("did last", totals + 14, "left"),
            ("played by", inner.left + names + 4, "left"),
        ):
            if heading != "played by" or players:
                self.write(heading, x, top + 8, 12, "muted", align=align)
        top += 18
        for k, agent in shown:
            row = self.pygame.Rect(inner.left - 8, top, inner.width + 16, LINE)
            ground = "panel"
            if agent.chosen:
                ground = "paper"
                self.pygame.draw.rect(self.surface, self.rgb("paper"), row, border_radius=5)
            self.spots.append((row, command("agent", k)))
            start = inner.left + self.dot(inner.left, top + LINE // 2, 12, agent.color, ground)
            self.write(agent.name, start, top + LINE // 2, 15, "ink", agent.chosen, names - (start - inner.left) - 4)
            if players:
                box = self.pygame.Rect(round(inner.left + names), top + 2, round(players - 6), LINE - 4)
                self.box(box, ground, "line", 1, 4)
                self.write(agent.player, box.left + 6, top + LINE // 2, SMALL, "ink", False, box.width - 8)
                self.spots.append((box, command("player", k)))
            self.write(agent.total, totals, top + LINE // 2, 15, "ink", align="right")
            room_left = inner.right - totals - 14
            ink = "ink" if agent.just_now else "muted"
            self.write(agent.action, totals + 14, top + LINE // 2, 14, ink, False, max(room_left, 0))
            top += LINE
        if len(shown) < len(agents):
            self.write(f"{len(agents)} agents; up and down go through them", inner.left, top + 9, 12, "muted")
            top += 18
        return top

    def _draw_tabs(self, panel: Panel, inner: Any, top: int, command: Any) -> int:
        x = inner.left
        self.fill("line", (inner.left, top + 26, inner.width, 1))
        for name in panel.pages:
            wide = round(self.width(name, 14)) + 20
            box = self.pygame.Rect(x, top, wide, 26)
            here = name == panel.page
            self.write(name, x + wide / 2, top + 12, 14, "ink" if here else "muted", here, align="center")
            if here:
                self.fill("blue", (x + 4, top + 24, wide - 8, 3))
            self.spots.append((box, command("page", name)))
            x += wide
        return top + 34

    def _draw_actions(
        self, panel: Panel, typed: str, inner: Any, top: int, bottom: int, shares: bool, command: Any
    ) -> int:
        """The actions that match, in as many columns as they need, above `bottom`; where they begin.

        Where there are more than fit, they come in groups that a click opens, and the wheel goes through them.
        """
        names = matching(panel.actions, typed)
        widest = max((self.width(name) for name in panel.actions[:200]), default=0) + 24
        columns = max(1, min(int(inner.width / widest), 4))
        most = max(1, ((bottom - top) * (45 if shares else 100) // 100 - 34) // 26)
        groups = grouped(panel.actions) if len(panel.actions) > most * columns else {}
        needed = max(len(groups), *(len(part) + 1 for part in groups.values())) if groups else len(panel.actions)
        rows = min(most, -(-needed // columns))  # as many while one types or opens a group: nothing jumps
        groups = {} if typed else groups
        entries: list[tuple[str, str, Any, bool]] = []  # text, what stands at its right, meaning, whether it is marked
        heading = f"{panel.heading} with \u201c{typed.strip()}\u201d" if typed else panel.heading
        if self.group in groups:
            heading = f"{panel.heading}: {self.group} \u2026"
            names = groups[self.group]
            entries.append(("all actions", "<", command("group", ""), False))
        elif groups:
            for head, part in groups.items():
                if len(part) > 1:
                    entries.append((f"{head} \u2026", str(len(part)), command("group", head), panel.marked in part))
                else:
                    entries.append((part[0], "", part[0], panel.marked in part))
            names = []
        entries += [(name, "", name, name == panel.marked) for name in names]
        start = bottom - rows * 26 - 30
        self.write(heading, inner.left, start + 16, 14, "muted", True, inner.width)
        if not entries:
            self.write("none", inner.left, start + 41, BODY, "muted")
        total = -(-len(entries) // columns)
        if self.row is None:
            self.row = next((k for k, (*_, marked) in enumerate(entries) if marked), 0) // columns
        self.row = max(0, min(self.row, total - rows))
        wide = inner.width // columns
        self.list_at = self.pygame.Rect(inner.left, start + 30, inner.width, rows * 26) if total > rows else None
        if self.list_at:
            self.thumb(inner.right + 8, start + 30, rows * 26 - 3, self.row / total, rows / total)
        for k, (text, beside, meant, marked) in enumerate(entries[self.row * columns : (self.row + rows) * columns]):
            box = self.pygame.Rect(inner.left + k % columns * wide, start + 30 + k // columns * 26, wide - 6, 23)
            first = bool(typed) and k == 0
            self.box(box, "blue" if marked else "paper", "blue" if first else "line", 2 if first else 1)
            ink, taken = "white" if marked else "ink", self.width(beside, SMALL) + 10 if beside else 0
            self.write(text, box.left + 9, box.centery, BODY, ink, False, box.width - 16 - taken)
            self.write(beside, box.right - 8, box.centery, SMALL, ink if marked else "muted", align="right")
            self.spots.append((box, meant))
        return start

    def _draw_box(self, prompt: str, typed: str, inner: Any, bottom: int) -> int:
        """The text box, above `bottom`; where it begins."""
        box = self.pygame.Rect(inner.left, bottom - 36, inner.width, 36)
        self.box(box, "paper", "blue", 2, 7)
        while self.width(typed, 18) > box.width - 28:  # the end of the typed text stays in view
            typed = typed[1:]
        if typed:
            wide = self.write(typed, box.left + 12, box.centery, 18)
        else:
            wide = 0
            self.write(prompt, box.left + 16, box.centery, 18, "muted", False, box.width - 28)
        self.fill("blue", (box.left + 13 + wide, box.top + 9, 2, 18))
        return box.top - 12

    def draw_bar(self, bar: Bar, area: Any, colors: Sequence[str], command: Any) -> Any:
        """Draw the bar below a picture; the rectangle of its slider."""
        self.fill("panel", area)
        self.fill("line", (area.left, area.top, area.width, 1))
        x, middle = area.left + 14, area.bottom - 22
        for name in ("first", "back", "pause" if bar.playing else "play", "forward", "last"):
            box = self.pygame.Rect(x, middle - 13, 28, 26)
            self.icon(name, x + 6, middle - 8, 16)
            self.spots.append((box, command("play" if name == "pause" else name, 0)))
            x += 32
        right = area.right - 14
        for words, name in (("?", "help"), ("+", "faster"), (f"{bar.speed:g}/s", ""), ("-", "slower")):
            wide = round(self.width(words, 15)) + 14 if name else 46
            right -= wide
            box = self.pygame.Rect(right, middle - 12, wide, 24)
            if name:
                self.box(box, "panel", "line")
                self.spots.append((box, command(name, 0)))
            self.write(words, box.centerx, middle, 15, "ink", align="center")
            right -= 4
        self.write(f"{bar.step} / {bar.last}", right - 8, middle, 15, align="right")
        right -= round(self.width(f"{bar.last} / {bar.last}", 15)) + 16
        slider = self.pygame.Rect(x + 12, middle - 12, max(right - x - 26, 10), 24)
        share = bar.step / max(bar.last, 1)
        track = self.pygame.Rect(slider.left, middle - 2, slider.width, 4)
        self.pygame.draw.rect(self.surface, self.rgb("line"), track, border_radius=2)
        self.pygame.draw.rect(
            self.surface, self.rgb("blue"), (*track.topleft, round(track.width * share), 4), border_radius=2
        )
        if bar.recorded is not None:
            end = round(slider.left + slider.width * bar.recorded / max(bar.last, 1))
            self.fill("orange", (end, middle - 2, track.right - end, 4))
            self.fill("orange", (end - 1, middle - 9, 3, 18))
        self.icon("disc", round(slider.left + slider.width * share) - 7, middle - 7, 14, "blue")
        if bar.note:
            self.write(bar.note, area.left + 18, area.top + 16, 14, "muted", False, area.width - 36)
        plot = self.pygame.Rect(slider.left, area.top + 30, slider.width, area.height - 80)
        if bar.curves is not None and plot.height > 12:
            self._draw_curves(bar, plot, colors)
            slider = slider.union(plot)
        return slider

    def _draw_curves(self, bar: Bar, plot: Any, colors: Sequence[str]) -> None:
        """The returns over time, and where the step that is shown is."""
        curves = bar.curves
        assert curves is not None
        seen = curves[:, ~np.isnan(curves).all(axis=0)]
        low, high = (float(np.nanmin(seen)), float(np.nanmax(seen))) if seen.size else (0.0, 0.0)
        if high - low < 1e-12:
            high = low + 1.0
        if self._plotted[0] is not curves or self._plotted[1].get_size() != plot.size:
            self._plotted = curves, self._plot(curves, plot.size, colors, low, high)
        self.surface.blit(self._plotted[1], plot.topleft)
        at = plot.left + bar.step * plot.width / max(bar.last, 1)
        self.fill("muted", (round(at), plot.top, 1, plot.height))
        self.write(f"{high:.4g}", plot.right + 6, plot.top + 5, 11, "muted")
        self.write(f"{low:.4g}", plot.right + 6, plot.bottom - 5, 11, "muted")

    def _plot(self, curves: np.ndarray, size: tuple[int, int], colors: Sequence[str], low: float, high: float) -> Any:
        """The curves as a picture: they stay the same while one goes through the steps."""
        width, height = size
        plot = self.pygame.Surface(size)
        plot.fill(self.rgb("panel"))
        if low <= 0 <= high:
            plot.fill(self.rgb("line"), (0, round(height - height * (0 - low) / (high - low)), width, 1))
        steps = np.unique(np.linspace(0, len(curves) - 1, min(len(curves), width)).astype(int))
        xs = steps * width / max(len(curves) - 1, 1)
        for a, color in enumerate(colors):
            if np.isnan(curves[:, a]).any():
                continue
            ys = (height - 2) * (1 - (curves[steps, a] - low) / (high - low))
            for below in (0, 1):
                points = list(zip(xs.tolist(), (ys + below).tolist()))
                if len(points) > 1:
                    self.pygame.draw.aalines(plot, self.rgb(color), False, points)
        return plot

    def draw_help(self, lines: Sequence[tuple[str, str]], area: Any) -> None:
        """A card over the picture: keys and their meanings."""
        keys = max(self.width(key, BODY) for key, _ in lines) + 28
        wide = round(min(keys + max(self.width(words) for _, words in lines) + 48, area.width - 16))
        rows = min(len(lines), max(1, (area.height - 80) // 24))
        card = self.pygame.Rect(0, 0, wide, 24 * rows + 62)
        card.center = area.center
        self.box(card, "panel", "muted", 1, 10)
        self.write("Keys", card.left + 24, card.top + 26, 18, "ink", True)
        for k, (key, words) in enumerate(lines[:rows]):
            y = card.top + 58 + 24 * k
            self.write(key, card.left + 24, y, 15, "ink", True, keys - 12, "left")
            self.write(words, card.left + 24 + keys, y, 15, "ink", False, card.right - card.left - keys - 40)


def planes_of(values: np.ndarray) -> list[np.ndarray]:
    """An array as planes (h, w) float64: a list is one row; of three axes those of like sizes are the plane's."""
    found = np.asarray(values, np.float64)
    if found.ndim <= 1:
        return [found.reshape(1, -1)]
    if found.ndim == 2:
        return [found]
    found = found.reshape(-1, *found.shape[-2:])
    if abs(found.shape[0] - found.shape[1]) < abs(found.shape[1] - found.shape[2]):
        found = np.moveaxis(found, -1, 0)
    return list(found)
