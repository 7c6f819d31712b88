"""Window: a scene with a panel of text beside it, for people who watch or play. Opened by the first `Window`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from envsuite.core.errors import RenderError
from envsuite.render.frames import paint, unit_pixels
from envsuite.render.scene import Circle, Scene
from envsuite.render.theme import AGENTS, rgba


@dataclass(frozen=True)
class Key:
    """A key was pressed; `name` is as pygame.key.name gives it. With a text box, only keys that write nothing."""

    name: str


@dataclass(frozen=True)
class Click:
    """The scene was clicked, at a point in its own units."""

    x: float
    y: float


@dataclass(frozen=True)
class Text:
    """A text was typed and entered, or its action was clicked in the panel's list."""

    text: str


@dataclass(frozen=True)
class Resize:
    """The window has a new size; it has redrawn itself."""

    width: int
    height: int


@dataclass(frozen=True)
class Quit:
    """The person closed the window."""


Event = Key | Click | Text | Resize | Quit

#: A line of the panel: a text, or a text and the name of its colour.
PanelLine = str | tuple[str, str]


def matching(actions: Sequence[str], typed: str) -> list[str]:
    """The actions that a typed text can mean: those that hold all its words; an exact name or beginning comes first."""
    wanted = typed.strip().casefold()
    found = [name for name in actions if all(word in name.casefold() for word in wanted.split())]
    return sorted(found, key=lambda name: (name.casefold() != wanted, not name.casefold().startswith(wanted)))


def _is_table(line: str) -> bool:
    """Whether a line looks like a row of a board, a map or numbers: then its letters stand at equal distances."""
    in_words = sum(len(word) for word in re.findall(r"[^\W\d_]{2,}", line))
    return len(line) >= 3 and in_words < 0.3 * len(line)


@dataclass
class _Content:
    """What is shown, kept so that the window can redraw itself."""

    scene: Scene | None = None
    title: str = ""
    turn: str = ""
    turn_color: str = "ink"
    text: str = ""
    lines: list[PanelLine] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    prompt: str = ""
    error: str = ""


class Window:
    """A resizable window with a scene and a panel. One is open at a time: pygame has one display.

        window = Window("ConnectFour")
        window.show(scene, ["rewards  0  0"])
        for event in window.events(): ...

    With a `prompt` the panel has a text box; what is typed narrows the list of `actions`, tab completes it, and
    enter (or a click on an action) yields a `Text`. The wheel and the page keys scroll a long text.
    """

    def __init__(
        self, title: str = "envsuite", size: tuple[int, int] = (1120, 720), fps: float = 30, theme: str = "light"
    ):
        """Open a window of `size` pixels, or raise `RenderError` where there is no display."""
        self.title, self.size, self.fps, self.theme = title, size, fps, theme
        self.typed = ""
        self._scroll = 0
        self._content = _Content()
        self._scene_at = (0, 0, 1.0, 0.0, 0.0)  # left, top, pixels per unit, width and height in units
        self._actions_at: list[tuple[Any, str]] = []
        self._dots: dict[tuple[int, str], Any] = {}
        self._closed = False
        self._open()

    def _open(self) -> None:
        import pygame

        from envsuite.render import text

        self._pygame, self._text = pygame, text
        wanted = os.environ.get("SDL_VIDEODRIVER", "")
        try:
            pygame.display.init()
            # Without a display SDL falls back on drivers that show nothing; only those who ask for one want it.
            driver = pygame.display.get_driver()
            if driver in ("dummy", "offscreen") and driver not in wanted.split(","):
                pygame.display.quit()
                raise pygame.error("only an invisible one is available")
            pygame.display.set_caption(self.title)
            self._screen = pygame.display.set_mode(self.size, pygame.RESIZABLE)
        except pygame.error as problem:
            raise RenderError(
                f"no window can be opened here, for want of a display ({problem}). Without one: render_mode="
                '"rgb_array" or "ansi", `envsuite watch ID --gif FILE`, `envsuite play ID` in the terminal; or make a '
                "virtual display, for instance with `xvfb-run`."
            ) from None
        pygame.key.set_repeat(300, 40)
        self._clock = pygame.time.Clock()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def show(
        self,
        scene: Scene,
        lines: Sequence[PanelLine] = (),
        prompt: str = "",
        *,
        title: str = "",
        turn: str = "",
        turn_color: str = "ink",
        text: str = "",
        actions: Sequence[str] = (),
        error: str = "",
    ) -> None:
        """Show a scene and what the panel says about it; an empty panel is left away.

        Args:
            scene: the picture, scaled to the room that there is.
            lines: status lines, such as rewards; a pair is a text and its colour, that of an agent as a dot before it.
            prompt: what the text box asks for; without it there is no text box and every key is a `Key`.
            title: the heading of the panel.
            turn: who is to move, in `turn_color`.
            text: what the agent knows; long lines are wrapped.
            actions: names of the legal actions; only those that match the typed text are listed.
            error: what was wrong with the last input, in red.
        """
        if self._closed:
            raise RenderError("this window was closed")
        if not self._pygame.display.get_init():
            self._open()
        if text != self._content.text:
            self._scroll = 0
        if not prompt:
            self.typed = ""
        self._content = _Content(scene, title, turn, turn_color, text, list(lines), list(actions), prompt, error)
        self._draw()
        self._pygame.event.pump()  # else the system thinks that a window whose events nobody asks for hangs

    def tick(self, fps: float | None = None) -> None:
        """Wait until the next picture is due, at `fps` pictures a second."""
        self._clock.tick(fps or self.fps)

    def events(self, timeout: float = 0.0) -> list[Event]:
        """What happened since the last call; waits up to `timeout` seconds for the first event."""
        if self._closed or not self._pygame.display.get_init():
            return [Quit()]
        found: list[Event] = []
        end = self._pygame.time.get_ticks() + 1000 * timeout
        while True:
            for event in self._pygame.event.get():
                found.extend(self._translate(event))
            left = end - self._pygame.time.get_ticks()
            if found or left <= 0:
                return found
            event = self._pygame.event.wait(max(1, min(int(left), 1000)))
            if event.type != self._pygame.NOEVENT:
                found.extend(self._translate(event))

    def close(self) -> None:
        """Close the window; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._pygame.display.quit()

    # Input.

    def _translate(self, event: Any) -> list[Event]:
        pygame, content = self._pygame, self._content
        if event.type == pygame.QUIT:
            return [Quit()]
        if event.type == pygame.VIDEORESIZE:
            self.size = (max(event.w, 1), max(event.h, 1))
            self._screen = pygame.display.get_surface()
            self._draw()
            return [Resize(*self.size)]
        if event.type == pygame.VIDEOEXPOSE:
            self._draw()
        elif event.type == pygame.MOUSEWHEEL:
            self._scroll_by(-3 * event.y)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            return self._click(*event.pos)
        elif event.type == pygame.TEXTINPUT and content.prompt:
            self.typed += event.text
            self._draw()
        elif event.type == pygame.KEYDOWN:
            return self._key(event)
        return []

    def _click(self, x: int, y: int) -> list[Event]:
        for box, name in self._actions_at:
            if box.collidepoint(x, y):
                self.typed = ""
                return [Text(name)]
        left, top, unit, width, height = self._scene_at
        across, down = (x - left) / unit, (y - top) / unit
        return [Click(across, down)] if 0 <= across < width and 0 <= down < height else []

    def _key(self, event: Any) -> list[Event]:
        pygame, content = self._pygame, self._content
        if event.key in (pygame.K_PAGEUP, pygame.K_PAGEDOWN):
            self._scroll_by(8 if event.key == pygame.K_PAGEDOWN else -8)
            return []
        if not content.prompt:
            return [Key(pygame.key.name(event.key))]
        if event.key in (pygame.K_RETURN, pygame.K_KP_ENTER) and self.typed.strip():
            entered, self.typed = self.typed.strip(), ""
            self._draw()
            return [Text(entered)]
        if event.key == pygame.K_BACKSPACE:
            words = self.typed.rstrip().rpartition(" ")
            self.typed = words[0] + words[1] if event.mod & pygame.KMOD_CTRL else self.typed[:-1]
        elif event.key == pygame.K_ESCAPE and self.typed:
            self.typed = ""
        elif event.key == pygame.K_TAB and matching(content.actions, self.typed):
            self.typed = matching(content.actions, self.typed)[0]
        elif getattr(event, "unicode", "").isprintable() and getattr(event, "unicode", ""):
            return []  # comes as TEXTINPUT as well
        else:
            return [Key(pygame.key.name(event.key))]
        self._draw()
        return []

    def _scroll_by(self, lines: int) -> None:
        self._scroll = max(0, self._scroll + lines)
        self._draw()

    # Drawing.

    def _draw(self) -> None:
        content, screen = self._content, self._screen
        if content.scene is None or not self._pygame.display.get_init():
            return
        width, height = screen.get_size()
        screen.fill(self._rgb(content.scene.background))
        self._actions_at = []
        if any(
            (content.title, content.turn, content.text, content.lines, content.actions, content.prompt, content.error)
        ):
            if width >= 1.1 * height:  # a panel at the right, or below
                panel = self._pygame.Rect(0, 0, max(min(420, width // 2), width * 36 // 100), height)
                panel.right = width
                room = self._pygame.Rect(0, 0, panel.left, height)
            else:
                panel = self._pygame.Rect(0, height * 58 // 100, width, height - height * 58 // 100)
                room = self._pygame.Rect(0, 0, width, panel.top)
            self._draw_panel(panel)
        else:
            room = self._pygame.Rect(0, 0, width, height)
        self._draw_scene(room)
        self._pygame.display.flip()

    def _draw_scene(self, room: Any) -> None:
        scene = self._content.scene
        assert scene is not None
        margin = min(16, room.width // 10, room.height // 10)
        unit = unit_pixels(scene, max(room.width - 2 * margin, 2), max(room.height - 2 * margin, 2))
        pixels = paint(scene, unit, self.theme)
        picture = self._pygame.image.frombuffer(pixels, pixels.shape[1::-1], "RGB")
        place = picture.get_rect(center=room.center)
        self._screen.set_clip(room)
        self._screen.blit(picture, place)
        self._screen.set_clip(None)
        self._scene_at = (place.left, place.top, unit, scene.width, scene.height)

    def _draw_panel(self, panel: Any) -> None:
        """From the top: title, turn, status lines, text; from the bottom: text box, error, actions."""
        content = self._content
        self._screen.fill(self._rgb("panel"), panel)
        edge = (panel.left, 0, 1, panel.height) if panel.left else (0, panel.top, panel.width, 1)
        self._screen.fill(self._rgb("line"), edge)
        inner = panel.inflate(-48, -40)
        self._screen.set_clip(panel)
        top, bottom = inner.top, inner.bottom
        for text, size, hue in ((content.title, 24, "ink"), (content.turn, 18, content.turn_color)):
            if text:
                start = self._dot(inner.left, top + size // 2, 14, hue)
                ink = "ink" if hue in AGENTS else hue
                self._write(text, inner.left + start, top + size // 2, size, ink, True, inner.width - start)
                top += round(1.7 * size)
        if content.prompt:
            bottom = self._draw_box(inner, bottom)
        if content.error:
            lines = self._wrap(content.error, inner.width)[:4]
            for k, line in enumerate(lines):
                self._write(line, inner.left, bottom - 22 * (len(lines) - k) + 11, 16, "bad")
            bottom -= 22 * len(lines) + 10
        for entry in content.lines:
            words, color = (entry, "ink") if isinstance(entry, str) else entry
            start = inner.left + self._dot(inner.left, top + 11, 12, color)
            for part in self._wrap(words, inner.right - start) or [""]:
                if top + 22 <= bottom:
                    self._write(part, start, top + 11, 16, "ink" if color in AGENTS else color)
                    top += 22
        if content.lines:
            top += 10
        if content.text:
            wrapped = self._wrap(content.text, inner.width)
            room = bottom - top if not content.actions else (bottom - top) * 6 // 10
            fits = max(1, room // 22)
            self._scroll = min(self._scroll, max(0, len(wrapped) - fits))
            self._rule(inner, top)
            for k, line in enumerate(wrapped[self._scroll : self._scroll + fits - 1]):
                self._write(line, inner.left, top + 22 * k + 23, 16, "ink")
            shown = min(len(wrapped), fits - 1)
            if len(wrapped) > shown:
                self._draw_thumb(
                    panel.right - 16, top + 12, 22 * shown, self._scroll / len(wrapped), shown / len(wrapped)
                )
            top += 22 * shown + 24
        if content.actions:
            self._draw_actions(inner, top, bottom)
        self._screen.set_clip(None)

    def _draw_actions(self, inner: Any, top: int, bottom: int) -> None:
        """The legal actions that match, in as many columns as they need, the first of them marked while one types."""
        pygame, content = self._pygame, self._content
        names = matching(content.actions, self.typed)
        self._rule(inner, top)
        heading = "Legal actions" if not self.typed else f"Legal actions with \u201c{self.typed.strip()}\u201d"
        self._write(heading, inner.left, top + 22, 14, "muted", True, inner.width)
        top += 38
        if not names:
            self._write("none", inner.left, top + 11, 16, "muted")
            return
        widest = max(self._width(name, 16) for name in names[:200]) + 24
        columns = max(1, min(int(inner.width / widest), 4))
        rows = max(1, (bottom - top) // 26)
        shown = names if len(names) <= rows * columns else names[: rows * columns - 1]
        wide = inner.width // columns
        for k, name in enumerate(shown):
            box = pygame.Rect(inner.left + k % columns * wide, top + k // columns * 26, wide - 6, 23)
            marked = bool(self.typed) and k == 0
            pygame.draw.rect(self._screen, self._rgb("paper"), box, border_radius=5)
            pygame.draw.rect(
                self._screen, self._rgb("blue" if marked else "line"), box, 2 if marked else 1, border_radius=5
            )
            self._write(name, box.left + 9, box.centery, 16, "ink", False, box.width - 16)
            self._actions_at.append((box, name))
        if len(shown) < len(names):
            k = len(shown)
            more = f"and {len(names) - k} more"
            self._write(more, inner.left + k % columns * wide + 9, top + k // columns * 26 + 11, 16, "muted")

    def _draw_box(self, inner: Any, bottom: int) -> int:
        """The text box, above `bottom`; where it begins."""
        pygame = self._pygame
        box = pygame.Rect(inner.left, bottom - 36, inner.width, 36)
        pygame.draw.rect(self._screen, self._rgb("paper"), box, border_radius=7)
        pygame.draw.rect(self._screen, self._rgb("blue"), box, 2, border_radius=7)
        typed = self.typed
        while self._width(typed, 18) > box.width - 28:  # the end of what is typed stays in view
            typed = typed[1:]
        if typed:
            wide = self._write(typed, box.left + 12, box.centery, 18, "ink")
        else:
            wide = 0
            self._write(self._content.prompt, box.left + 16, box.centery, 18, "muted", False, box.width - 28)
        self._screen.fill(self._rgb("blue"), (box.left + 13 + wide, box.top + 9, 2, 18))
        return box.top - 12

    def _draw_thumb(self, x: int, top: int, height: int, start: float, share: float) -> None:
        """A scroll bar: which part of a long text is in view."""
        draw = self._pygame.draw.rect
        draw(self._screen, self._rgb("line"), (x, top, 4, height), border_radius=2)
        draw(self._screen, self._rgb("muted"), (x, top + height * start, 4, max(height * share, 8)), border_radius=2)

    def _dot(self, x: int, y: int, size: int, color: str) -> int:
        """A disc in the colour of an agent, since letters in it may be hard to read; how much room it takes."""
        if color not in AGENTS:
            return 0
        key = (size, color)
        if key not in self._dots:
            scene = Scene(1, 1, [Circle(0.5, 0.5, 0.5, color)], background="panel")
            pixels = paint(scene, size, self.theme)
            self._dots[key] = self._pygame.image.frombuffer(pixels, pixels.shape[1::-1], "RGB")
        self._screen.blit(self._dots[key], (x, y - size // 2))
        return round(1.6 * size)

    def _rgb(self, color: str) -> tuple[int, int, int]:
        return rgba(color, self.theme)[:3]

    def _rule(self, inner: Any, y: int) -> None:
        self._screen.fill(self._rgb("line"), (inner.left, y, inner.width, 1))

    def _write(
        self, text: str, x: float, y: float, size: int, color: str, bold: bool = False, room: float | None = None
    ) -> int:
        words = text if room is None else self._text.fit(text, 4 * size, bold, 4 * room)
        rgb = self._rgb(color)
        if _is_table(words):
            pitch = 0.62 * size
            for k, letter in enumerate(words):
                at = x + (k + 0.5) * pitch
                self._text.write(self._screen, letter, at, y, size, rgb, bold, "center", smooth=True)
            return round(len(words) * pitch)
        return self._text.write(self._screen, words, x, y, size, rgb, bold, smooth=True)

    def _width(self, text: str, size: int) -> float:
        return self._text.width(text, 4 * size) / 4

    def _wrap(self, text: str, room: float) -> list[str]:
        """The lines of a text of size 16, wrapped but for tables."""
        lines: list[str] = []
        for line in text.splitlines():
            lines.extend([line] if _is_table(line) else self._text.wrap(line, 64, 4 * room) or [""])
        return lines
