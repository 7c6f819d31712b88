"""Viewer: the view of an episode in a window: the moment, the viewpoint, and the information beside the picture."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from envsuite.compile import announce
from envsuite.core.batch import Batch
from envsuite.core.errors import EnvsuiteError, RenderError
from envsuite.core.files import replace, writable
from envsuite.core.world import World
from envsuite.episodes.replay import Moment, Start
from envsuite.episodes.timeline import Timeline
from envsuite.registry import short_name
from envsuite.render.frames import draw, save_gif, save_png, save_video
from envsuite.render.panel import Agent, Bar, Block, Numbers, Panel, Quote
from envsuite.render.scene import Scene
from envsuite.render.theme import agent_color
from envsuite.render.window import Command, Event, Key, Quit, Text, Window
from envsuite.talk.words import Line, shown

#: The speeds that a user can choose, in steps per second.
SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)

#: The suffixes of saved pictures and videos, and the pixels of a video's longest side.
SUFFIXES, FILM_SIZE = (".png", ".gif", ".mp4", ".replay", ".html"), 480

KNOWS, SEES, CHAT, RULES = "Knows", "Observes", "Messages", "Rules"

#: The meaning of each key: the command, and a description.
KEYS: dict[str, tuple[Command, str]] = {
    "space": (Command("play"), "play, pause"),
    "left": (Command("back"), "one step back"),
    "right": (Command("forward"), "one step forward"),
    "home": (Command("first"), "to the first step"),
    "end": (Command("last"), "to the last step"),
    "-": (Command("slower"), "slower"),
    "+": (Command("faster"), "faster"),
    "up": (Command("neighbor", -1), "the agent above"),
    "down": (Command("neighbor", 1), "the agent below"),
    "v": (Command("own"), "the picture of all, or the agent's own"),
    "k": (Command("turn"), "the next page of the panel"),
    "s": (Command("save"), "save a picture, a film, a replay or a page"),
    "?": (Command("help"), "these keys"),
    "escape": (Command("leave"), "leave"),
}


class Viewer:
    """Shows a timeline in a window, and carries out the commands of the user.

    Attributes:
        window: the window.
        timeline: the timeline that is shown.
        step: the step that is shown.
        playing: whether it plays by itself; `speed` is in steps per second.
        focus: the number of the agent that is shown in detail.
        own: whether the picture is that agent's own.
        page: the page of the panel.
        asked: the name of the command for which the text box asks, or "".
        note, error: the result of the last command.
        released: whether the caller that drives the episode must continue.
    """

    keys = KEYS

    def __init__(self, window: Window, timeline: Timeline, speed: float = 8.0, focus: int = 0, own: bool = False):
        self.window, self.timeline, self.speed = window, timeline, speed
        self.focus, self.own, self.page = focus, own, KNOWS
        self.step, self.playing, self.helping = 0, True, False
        self.asked = self.note = self.error = ""
        self._kept: dict[str, tuple[Any, Any]] = {}  # the last results of `compute`, by name, with their keys
        self._due = 0.0
        self._repeated = 0.0  # when a held key last counted
        self.released = False

    @property
    def world(self) -> World:
        """The world of the timeline."""
        return self.timeline.world

    # The view.

    def _once(self, name: str, key: Any, compute: Callable[[], Any]) -> Any:
        """The result of `compute`, computed again only for a different key."""
        if name not in self._kept or self._kept[name][0] != key:
            self._kept[name] = key, compute()
        return self._kept[name][1]

    def changed(self) -> None:
        """The timeline is another one, or has been cut: forget all computed results."""
        self._kept.clear()

    @property
    def moment(self) -> Moment:
        """The moment that is shown."""
        ends = self.step == len(self.timeline)  # there actions can join it
        return self._once("moment", (self.step, ends), lambda: self.timeline.at(self.step))

    def knows(self, agent: int) -> bool:
        """Whether the viewer may know this agent's actions and rewards."""
        return True

    def player(self, agent: int) -> str:
        """The player of an agent, or "" if it is not known."""
        return ""

    def viewpoint(self) -> int | None:
        """The agent through whose eyes the picture is drawn, or None for all of it."""
        return self.focus if self.own else None

    def seen(self, record: Any) -> Any:
        """A record as the user may know it."""
        return record

    def scene(self) -> Scene:
        """The picture."""
        key = (self.step, self.viewpoint())
        return self._once("scene", key, lambda: self.world.scene(self.seen(self.moment.record), self.viewpoint()))

    def turn(self) -> tuple[str, str]:
        """The line that says whose turn it is, and its color."""
        moment, names = self.moment, self.world.agents
        acting = np.flatnonzero(moment.acting).tolist()
        if (moment.terminations | moment.truncations).all():
            return "The episode is over.", "muted"
        if len(acting) == 1:
            return f"{names[acting[0]]} is to move.", agent_color(acting[0])
        return ("All move at once." if len(acting) == len(names) else f"{len(acting)} agents move at once."), "muted"

    def actions(self) -> tuple[str, list[str], str]:
        """A heading, actions, and the one of them that is chosen."""
        moment, names = self.moment, self.world.action_names[self.focus]
        agent = self.world.agents[self.focus]
        if self.world.control_spaces:
            now = moment.actions if moment.acting[self.focus] else None
            rows = [f"{name} {now[self.focus, k]:.3f}" if now is not None else name for k, name in enumerate(names)]
            return f"{agent}: {len(names)} controls", rows, ""
        legal = [names[k] for k in np.flatnonzero(moment.masks[self.focus])]
        chosen = ""
        if moment.actions is not None and moment.acting[self.focus] and moment.actions[self.focus] >= 0:
            chosen = names[moment.actions[self.focus]]
            legal = sorted(legal, key=lambda name: name != chosen) if len(legal) > 40 else legal
        return f"{agent}: {len(legal)} of {len(names)} actions legal", legal, chosen

    def agents(self) -> list[Agent]:
        """The table of agents."""
        moment, done, rows = self.moment, self.timeline.last_done(self.step), []
        for a, name in enumerate(self.world.agents):
            total, action, now = (f"{moment.returns[a]:.4g}", *done[a]) if self.knows(a) else ("", "", False)
            rows.append(Agent(name, agent_color(a), self.player(a), total, action, a == self.focus, now))
        return rows

    def pages(self) -> list[str]:
        """The pages that the panel has."""
        chat = [CHAT] if self.timeline.messages or self.timeline.words else []
        rules = [] if self.world.player_page is None else [RULES]
        return [KNOWS, SEES, *chat, *rules]

    def blocks(self) -> list[Block]:
        """The content of the page."""
        if self.page == CHAT:
            said = sorted([*self.messages(), *self.lines()], key=lambda one: one[0])
            return [self.quote(a, words) for step, a, words in said if step <= self.step]
        if self.page == SEES:
            return list(observed(self.world, self.moment, self.focus))
        if self.page == RULES:
            return [self.world.prompt(self.moment.record, self.focus)]
        try:
            return [self.world.text(self.seen(self.moment.record), self.focus)]
        except NotImplementedError:
            return []

    def messages(self) -> list[tuple[int, int, str]]:
        """The messages that the user may know: the step, the number of the speaker, and the words."""
        return self.timeline.messages

    def lines(self) -> list[tuple[int, int, str]]:
        """What was said in words of agents' own, as far as the user may know it; as `messages`."""
        lines = [(self.known_at(line), line) for line in self.timeline.words.lines]
        return [(step, line.agent, shown(line, self.world.agents)) for step, line in lines if step is not None]

    def known_at(self, line: Line) -> int | None:
        """The step from which on the user may know what was said; None if it may not."""
        return line.step + 1

    def quote(self, agent: int, words: str) -> Quote:
        """What an agent said."""
        return Quote(self.world.agents[agent], agent_color(agent), words)

    def panel(self) -> Panel:
        """The panel."""
        turn, color = self.turn()
        if self.page not in self.pages():
            self.page = KNOWS
        heading, actions, marked = self.actions()
        panel = Panel(
            self.world.id, turn, color, self.agents(), self.pages(), self.page, heading=heading, actions=actions,
            marked=marked, error=self.error, from_end=self.page == CHAT,
        )  # fmt: skip
        key = (self.page, self.focus, self.own, self.step, len(self.timeline))
        panel.blocks = self._once("blocks", key, self.blocks)
        if self.asked == "save":
            panel.heading, panel.actions, panel.marked = "Save as", self._names(), ""
            panel.prompt = "a file: .png .gif .mp4 .replay .html"
        return panel

    def bar(self) -> Bar:
        """The bar."""
        curves = None
        if len(self.timeline):
            known = tuple(self.knows(a) for a in range(len(self.world.agents)))
            key = (len(self.timeline), known)
            curves = self._once("curves", key, lambda: np.where(known, self.timeline.returns(), np.nan))
        return Bar(self.step, len(self.timeline), self.playing, self.speed, self.note or announce.line(), curves)

    def show(self) -> None:
        """Draw it."""
        colors = [agent_color(a) for a in range(len(self.world.agents))]
        help = [(key, words) for key, (_, words) in self.keys.items()] if self.helping else ()
        self.window.show(self.scene(), self.panel(), self.bar(), colors, help)

    # The user's input.

    def taken(self) -> Iterable[str]:
        """Keys that mean something else now, unless control is held."""
        return ()

    def handle(self, event: Event) -> bool:
        """Carry out an event; whether the user wants to leave."""
        if isinstance(event, Key):
            if event.name == "=":  # a plus without shift
                event = Key("+", event.control)
            if event.name == "escape" and (self.helping or self.asked):
                self.helping, self.asked = False, ""
                self.tell()
            elif event.name in self.keys and (event.control or event.name not in self.taken()):
                return self.command(self.keys[event.name][0])
        elif isinstance(event, Command):
            return self.command(event)
        elif isinstance(event, Text) and self.asked:
            asked, self.asked = self.asked, ""
            self.tell()
            try:
                self.answer(asked, event.text)
            except (EnvsuiteError, OSError, ValueError) as problem:
                self.tell(error=str(problem))
        return False

    def command(self, command: Command) -> bool:
        """Carry out a command; whether it means to leave."""
        name, value, last = command.name, command.value, len(self.timeline)
        self.helping = name == "help" and not self.helping
        if name == "leave":
            return True
        if name == "play":
            self.playing = not self.playing
            if self.playing and self.step == last and self.ended():
                self.seek(0)
        elif name in ("first", "back", "forward", "last", "seek"):
            self.playing = False
            if name == "forward" and self.step == last:
                self.go_on()
            else:
                steps = {"first": 0, "back": self.step - 1, "forward": self.step + 1, "last": last}
                self.seek(round(value * last) if name == "seek" else steps[name])
        elif name in ("slower", "faster"):
            nearest = min(range(len(SPEEDS)), key=lambda k: abs(SPEEDS[k] - self.speed))
            self.speed = SPEEDS[min(max(nearest + (1 if name == "faster" else -1), 0), len(SPEEDS) - 1)]
        elif name == "agent":
            self.focus = value
        elif name == "neighbor":
            self.focus = (self.focus + value) % len(self.world.agents)
        elif name == "own":
            self.own = not self.own
        elif name == "page":
            self.page = value
        elif name == "turn":
            pages = self.pages()
            self.page = pages[(pages.index(self.page) + 1) % len(pages)]
        elif name == "save":
            self.ask("save")
        return False

    def ask(self, command: str) -> None:
        """Halt, and let the user type the text that a command needs."""
        self.asked, self.playing, self.error = command, False, ""

    def tell(self, note: str = "", error: str = "") -> None:
        """Show the result of the last command."""
        self.note, self.error = note, error

    def ended(self) -> bool:
        """Whether nothing comes after the last step."""
        return True

    def seek(self, step: int) -> None:
        """Show another step."""
        self.step = min(max(step, 0), len(self.timeline))

    def go_on(self) -> None:
        """At the last step: make the next one, if possible."""

    def forward(self) -> None:
        """Where it plays and the time has come: one step on."""
        now = time.monotonic()
        if self.playing and now >= self._due:
            self._due = max(self._due, now - 1 / self.speed) + 1 / self.speed
            if self.step < len(self.timeline):
                self.seek(self.step + 1)
            elif self.ended():
                self.playing = False
            else:
                self.go_on()

    def wait(self) -> list[Event]:
        """The next events; none if it is time for the next step. Keys that are held repeat at the speed shown."""
        seconds = max(self._due - time.monotonic(), 0.001) if self.playing else 1.0
        return [event for event in self.window.events(min(seconds, 1.0)) if self._counts(event)]

    def _counts(self, event: Event) -> bool:
        """Whether an event counts: it is not a repeat of a held key, or the repeat is due."""
        if not isinstance(event, Key):
            return True
        now, pace = time.monotonic(), 1 / self.speed
        if event.held and now < self._repeated + pace:
            return False
        self._repeated = max(self._repeated + pace, now - pace) if event.held else now
        return True

    def run(self) -> bool:
        """Show it until the user leaves, or the caller must continue; whether the user has left."""
        self.released = False
        with announce.displayed(self._compiling):
            while not self.released:
                self.show()
                for event in self.wait():
                    if isinstance(event, Quit) or self.handle(event):
                        return True
                self.forward()
        return False

    def _compiling(self, line: str) -> None:
        """Show below the picture that the episode waits for this to be compiled."""
        held, self.note = self.note, line
        self.show()
        self.note = held

    # Saving.

    def _names(self) -> list[str]:
        """Names of files to save as."""
        return [f"{short_name(self.world.id).lower()}{suffix}" for suffix in SUFFIXES]

    def players(self) -> dict[str, str]:
        """The players, by agent, for a replay."""
        return {name: self.player(a) for a, name in enumerate(self.world.agents) if self.player(a)}

    def answer(self, asked: str, text: str) -> None:
        """Take the text that was typed for a command."""
        if asked == "save":
            self.save(Path(text.strip()).expanduser())

    def save(self, path: Path) -> None:
        """Write the picture, the video of all steps, the replay or the page, by the suffix."""
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise RenderError(f"{path.name}: a file to save ends in one of {', '.join(SUFFIXES)}")
        writable(path)
        theme = self.window.theme
        if suffix == ".png":
            save_png(self.scene(), path, theme=theme)
        elif suffix in (".gif", ".mp4"):
            frames = []
            for step in range(len(self.timeline) + 1):
                record = self.timeline.at(step).record
                frames.append(draw(self.world.scene(self.seen(record), self.viewpoint()), FILM_SIZE, theme))
                if step % 20 == 0:
                    self.tell(f"Drawing {step} of {len(self.timeline)} steps")
                    self.show()
            (save_gif if suffix == ".gif" else save_video)(frames, path, self.speed, theme=theme)
        else:
            replay = self.timeline.replay(self.players())
            replay.verify()
            if suffix == ".replay":
                replay.save(path)
            else:
                from envsuite.render.page import page

                replace(path, page(replay))
        self.tell(f"Wrote {path}")


class Follower(Viewer):
    """Shows an episode that a caller drives; the caller waits while the user halts it or looks back."""

    def __init__(self, window: Window, world: World, speed: float):
        super().__init__(window, Timeline(world, Start(None)), speed)
        self._last = b""

    def follow(self, batch: Batch) -> None:
        """Take in the moment that the first world of a batch is at, if it is a new one."""
        now, t, steps = batch.records.tobytes(), int(batch.records["t"][0]), len(self.timeline)
        if now == self._last:
            return
        self._last, at_end = now, self.step == steps
        if t == 0 or t not in (steps, steps + 1):
            self.timeline, at_end = Timeline(self.world, Start(None, state=now)), True
        self.timeline.add(batch)
        self.changed()
        if at_end:
            self.step = len(self.timeline)

    def present(self) -> None:
        """Show it until it is time for the next step, or for as long as the user wants."""
        if self.run():
            self.window.close()

    def ended(self) -> bool:
        return False

    def go_on(self) -> None:
        self.released = True


def observed(world: World, moment: Moment, agent: int) -> Iterable[Numbers]:
    """An agent's observation, part by part."""
    space = world.observation_spaces[agent]
    parts = dict(space.items()) if isinstance(space, spaces.Dict) else {"": space}
    for name, part in parts.items():
        values = np.asarray(moment.observations[agent][name] if name else moment.observations[agent])
        if isinstance(part, spaces.Box):
            yield Numbers(name, values, float(part.low.min()), float(part.high.max()))
        elif isinstance(part, spaces.Discrete):
            yield Numbers(name, values, float(part.start), float(part.start + part.n - 1))
