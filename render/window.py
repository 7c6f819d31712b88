"""Window: a scene, a bar below it and a panel beside it, for people who watch or play. Opened by the first `Window`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from envsuite.core.errors import RenderError
from envsuite.render.frames import paint, unit_pixels
from envsuite.render.panel import Bar, Panel, Pen, matching
from envsuite.render.scene import Scene


@dataclass(frozen=True)
class Key:
    """A key was pressed; `name` is as pygame.key.name gives it, or the sign that it writes if that is no letter.

    With a text box, only keys that write nothing. `control` is whether the control key was held, or command on a Mac;
    `held` whether the key is still down from before and repeats.
    """

    name: str
    control: bool = False
    held: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Click:
    """The scene was clicked, at a point in its own units; `up` is where a drag ended."""

    x: float
    y: float
    up: bool = False


@dataclass(frozen=True)
class Hover:
    """The mouse has moved to a point of the scene."""

    x: float
    y: float


@dataclass(frozen=True)
class Text:
    """A text was typed and entered, or its action was clicked in the panel's list."""

    text: str


@dataclass(frozen=True)
class Command:
    """A button of the bar or the panel: "first", "back", "play", "forward", "last", "slower", "faster", "help"; or
    "seek" to a share of the timeline, "agent" or "player" in a row of the table, "page" by its name."""

    name: str
    value: Any = 0


@dataclass(frozen=True)
class Resize:
    """The window has a new size; it has redrawn itself."""

    width: int
    height: int


@dataclass(frozen=True)
class Quit:
    """The user closed the window."""


Event = Key | Click | Hover | Text | Command | Resize | Quit

#: Height of the bar, in pixels, without and with curves.
BAR, BAR_WITH_CURVES = 62, 124


@contextmanager
def _quiet_wayland() -> Iterator[None]:
    """Without XDG_RUNTIME_DIR, Wayland's library writes an error of its own to the terminal."""
    missing = "XDG_RUNTIME_DIR" not in os.environ
    if missing:
        os.environ["XDG_RUNTIME_DIR"] = os.devnull
    try:
        yield
    finally:
        if missing:
            del os.environ["XDG_RUNTIME_DIR"]


class Window:
    """A resizable window with a scene, a bar and a panel. One is open at a time: pygame has one display.

        window = Window("ConnectFour")
        window.show(scene, Panel("ConnectFour", turn="Your move"))
        for event in window.events(): ...

    With a prompt in the panel there is a text box. Typed text narrows the list of actions, tab completes it, and enter
    (or a click on an action) yields a `Text`. The wheel and the page keys scroll the panel. Over the actions, the wheel
    scrolls the actions.
    """

    def __init__(self, title: str = "envsuite", size: tuple[int, int] = (1200, 760), theme: str = "light"):
        """Open a window of `size` pixels, or raise `RenderError` where there is no display."""
        self.title, self.size, self.theme = title, size, theme
        self.typed = ""
        self._scene: Scene | None = None
        self._panel: Panel | None = None
        self._bar: Bar | None = None
        self._colors: Sequence[str] = ()
        self._help: Sequence[tuple[str, str]] = ()
        self._scroll = 0
        self._scene_at = (0, 0, 1.0, 0.0, 0.0)  # left, top, pixels per unit, width and height in units
        self._slider: Any = None
        self._held = ""  # the thing that the mouse holds: "slider", "scene" or nothing
        self._pressed = self._mouse = (0, 0)
        self._down: set[int] = set()  # keys
        self._interval = 0  # milliseconds between two repeats of a key that is held
        self._painted: tuple[Any, float, Any] = (None, 0.0, None)  # the last scene, pixels per unit, its picture
        self._closed = False
        self._open()

    def _open(self) -> None:
        import pygame

        self._pygame = pygame
        wanted = os.environ.get("SDL_VIDEODRIVER", "")
        try:
            with _quiet_wayland():
                pygame.display.init()
            # Without a display SDL falls back on drivers that show nothing; these are used only on request.
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
        self._interval = 0
        self._repeat(40)
        self._pen = Pen(self._screen, self.theme)

    def _repeat(self, interval: int) -> None:
        """Set how often a held key repeats; the caller of `events` decides which repeats count."""
        if interval != self._interval:
            self._interval = interval
            self._pygame.key.set_repeat(300, interval)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def show(
        self,
        scene: Scene,
        panel: Panel | None = None,
        bar: Bar | None = None,
        colors: Sequence[str] = (),
        help: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Show a picture, a panel and a bar.

        Args:
            scene: the picture, scaled to the available room; repainted only if it is another object.
            panel: the panel beside it, or None.
            bar: the bar below it, or None.
            colors: of the bar's curves.
            help: lines of a card over the picture, with keys and their meanings; without lines there is no card.
        """
        if self._closed:
            raise RenderError("this window was closed")
        if not self._pygame.display.get_init():
            self._open()
        if panel is None or self._panel is None or panel.page != self._panel.page:
            self._scroll = 0
        if panel is None or self._panel is None or list(panel.actions) != list(self._panel.actions):
            self._pen.group, self._pen.row = "", None
        if panel is None or not panel.prompt:
            self.typed = ""
        self._repeat(40 if bar is None else max(15, min(40, round(1000 / bar.speed))))
        self._scene, self._panel, self._bar, self._colors, self._help = scene, panel, bar, colors, help
        self._draw()
        self._pygame.event.pump()  # else the system thinks that the window hangs, because no code reads its events

    def events(self, timeout: float = 0.0) -> list[Event]:
        """The events since the last call; waits up to `timeout` seconds for the first event."""
        if self._closed or not self._pygame.display.get_init():
            return [Quit()]
        found: list[Event] = []
        end = time.monotonic() + timeout
        while True:
            for event in self._pygame.event.get():
                found.extend(self._translate(event))
            left = end - time.monotonic()
            if found or left <= 0:
                return found
            event = self._pygame.event.wait(max(1, min(int(1000 * left), 1000)))
            if event.type != self._pygame.NOEVENT:
                found.extend(self._translate(event))

    def close(self) -> None:
        """Close the window; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._pygame.display.quit()

    # Input.

    def _translate(self, event: Any) -> list[Event]:
        pygame = self._pygame
        if event.type == pygame.QUIT:
            return [Quit()]
        if event.type == pygame.VIDEORESIZE:
            self.size = (max(event.w, 1), max(event.h, 1))
            self._screen = self._pen.surface = pygame.display.get_surface()
            self._draw()
            return [Resize(*self.size)]
        if event.type == pygame.VIDEOEXPOSE:
            self._draw()
        elif event.type == pygame.MOUSEWHEEL and self._pen.list_at and self._pen.list_at.collidepoint(self._mouse):
            self._pen.row = (self._pen.row or 0) - event.y
            self._draw()
        elif event.type == pygame.MOUSEWHEEL:
            self._scroll_by(-3 * event.y)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            return self._press(*event.pos)
        elif event.type == pygame.MOUSEBUTTONUP and event.button == 1:
            held, self._held = self._held, ""
            far = max(abs(event.pos[0] - self._pressed[0]), abs(event.pos[1] - self._pressed[1]))
            if held == "scene" and far > max(8, self._scene_at[2] / 2):
                return [*self._at_scene(event.pos[0], event.pos[1], up=True)]
        elif event.type == pygame.MOUSEMOTION and self._held == "slider":
            return [self._seek(event.pos[0])]
        elif event.type == pygame.MOUSEMOTION:
            self._mouse = event.pos
            return [Hover(click.x, click.y) for click in self._at_scene(*event.pos)]
        elif event.type == pygame.TEXTINPUT and self._panel and self._panel.prompt:
            if self.typed or event.text != "?":  # which asks for help
                self.typed += event.text
                self._draw()
        elif event.type == pygame.KEYDOWN:
            return self._key(event)
        elif event.type == pygame.KEYUP:
            self._down.discard(event.key)
        return []

    def _press(self, x: int, y: int) -> list[Event]:
        for box, meant in reversed(self._pen.spots):
            if box.collidepoint(x, y):
                if isinstance(meant, Command) and meant.name == "group":
                    self._pen.group, self._pen.row = meant.value, 0
                    self._draw()
                    return []
                if isinstance(meant, Command):
                    return [meant]
                self.typed = ""
                return [Text(meant)]
        self._pressed = (x, y)
        if self._bar and self._slider.collidepoint(x, y):
            self._held = "slider"
            return [self._seek(x)]
        self._held = "scene"
        return [*self._at_scene(x, y)]

    def _seek(self, x: int) -> Event:
        return Command("seek", min(max((x - self._slider.left) / self._slider.width, 0.0), 1.0))

    def _at_scene(self, x: int, y: int, up: bool = False) -> list[Click]:
        left, top, unit, width, height = self._scene_at
        across, down = (x - left) / unit, (y - top) / unit
        return [Click(across, down, up)] if 0 <= across < width and 0 <= down < height else []

    def _key(self, event: Any) -> list[Event]:
        pygame = self._pygame
        sign = getattr(event, "unicode", "")
        held = event.key in self._down
        self._down.add(event.key)
        control = bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META))
        name = pygame.key.name(event.key)
        if len(sign) == 1 and sign.isprintable() and not sign.isalnum() and sign != " ":
            name = sign
        if event.key in (pygame.K_PAGEUP, pygame.K_PAGEDOWN):
            self._scroll_by(8 if event.key == pygame.K_PAGEDOWN else -8)
            return []
        if not (self._panel and self._panel.prompt):
            return [Key(name, control, held)]
        if event.key in (pygame.K_RETURN, pygame.K_KP_ENTER) and self.typed.strip():
            entered, self.typed = self.typed.strip(), ""
            self._draw()
            return [Text(entered)]
        if event.key == pygame.K_BACKSPACE:
            words = self.typed.rstrip().rpartition(" ")
            self.typed = words[0] + words[1] if control else self.typed[:-1]
        elif event.key == pygame.K_ESCAPE and self.typed:
            self.typed = ""
        elif event.key == pygame.K_TAB and matching(self._panel.actions, self.typed):
            self.typed = matching(self._panel.actions, self.typed)[0]
        elif sign.isprintable() and sign and not control and not (sign == "?" and not self.typed):
            return []  # comes as TEXTINPUT as well
        else:
            return [Key(name, control, held)]
        self._draw()
        return []

    def _scroll_by(self, lines: int) -> None:
        down = -1 if self._panel and self._panel.from_end else 1
        self._scroll = max(0, self._scroll + down * 22 * lines)
        self._draw()

    # Drawing.

    def _draw(self) -> None:
        scene, screen, pen = self._scene, self._screen, self._pen
        if scene is None or not self._pygame.display.get_init():
            return
        width, height = screen.get_size()
        screen.fill(pen.rgb(scene.background))
        pen.spots.clear()
        room = self._pygame.Rect(0, 0, width, height)
        if self._panel is not None:
            panel = room.copy()
            if width >= 1.1 * height:  # at the right, or below
                panel.width = max(min(420, width // 2), width * 36 // 100)
                panel.right = width
                room.width = panel.left
            else:
                room.height = height * 58 // 100
                panel.top, panel.height = room.bottom, height - room.height
            self._scroll = pen.draw_panel(self._panel, panel, self.typed, self._scroll, Command)
        if self._bar is not None:
            area = room.copy()
            area.height = min(BAR if self._bar.curves is None else BAR_WITH_CURVES, room.height // 2)
            area.bottom = room.bottom
            room.height -= area.height
            self._slider = pen.draw_bar(self._bar, area, self._colors, Command)
        self._draw_scene(scene, room)
        if self._help:
            pen.draw_help(self._help, room)
        self._pygame.display.flip()

    def _draw_scene(self, scene: Scene, room: Any) -> None:
        margin = min(16, room.width // 10, room.height // 10)
        unit = unit_pixels(scene, max(room.width - 2 * margin, 2), max(room.height - 2 * margin, 2))
        if self._painted[0] is not scene or self._painted[1] != unit:
            pixels = paint(scene, unit, self.theme)
            self._painted = scene, unit, self._pygame.image.frombuffer(pixels, pixels.shape[1::-1], "RGB")
        picture = self._painted[2]
        place = picture.get_rect(center=room.center)
        self._screen.set_clip(room)
        self._screen.blit(picture, place)
        self._screen.set_clip(None)
        self._scene_at = (place.left, place.top, unit, scene.width, scene.height)
