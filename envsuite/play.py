"""Sessions: episodes that policies and persons play, watched or played in a window or a terminal.

A person sees what the seat's agent may know: its picture, its text, its rewards, and moves of others only where all see
them. Every moment is kept, so a session can go back to any and on from there in another way.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from envsuite.agents.human import HELP, Human, LeftError, drawing, key_action, named, read, shorten
from envsuite.core.batch import Batch
from envsuite.core.cast import Cast
from envsuite.core.errors import ActionError, ParameterError
from envsuite.core.world import World
from envsuite.interfaces.single import check_seed
from envsuite.interfaces.text import legal_names
from envsuite.render.panel import Bar, Panel
from envsuite.render.scene import Circle, Scene, Shape
from envsuite.render.theme import agent_color
from envsuite.render.viewer import KEYS, Viewer
from envsuite.render.window import Click, Command, Event, Hover, Key, Window
from envsuite.render.window import Text as Typed
from envsuite.replay import Replay, Start, begin, numbered
from envsuite.timeline import Timeline

#: Steps a second at which policies answer a person.
ANSWERS = 2.0

#: Seconds that the last picture of an episode stays when another one follows.
HOLD = 2.0


#: Seconds in which the places to click must be found, or they are not marked.
PATIENCE = 0.2


class Session:
    """An episode as it is played, by policies and persons.

    Attributes:
        world: the world, and `batch` where it is played.
        cast: the policy of every seat; it rests where a person plays.
        persons: the seats that persons play.
        timeline: the moments so far.
        step: the one that `batch` is at; a move there cuts off what lay after it.
        start: where the episode started.
        results: the (A,) returns of the episodes that were left, each where it was left.
        written: files of their replays.
    """

    def __init__(
        self,
        world: World,
        policies: Any,
        seed: int = 0,
        persons: Collection[int] = (),
        path: str | PathLike[str] | None = None,
    ):
        """Start the first episode.

        Args:
            world: the world.
            policies: who plays, as `Cast` takes it; every seat that no person plays needs one.
            seed: of the first episode; each further one has the next.
            persons: seats that persons play.
            path: a file for the episode's replay, written when the next one begins or the session is closed; further
                ones go to "name-2.replay" and so on.
        """
        self.world, self.cast, self.persons = world, Cast(world, policies, idle=persons), set(persons)
        self.batch, self.path = Batch(world, 1), None if path is None else Path(path)
        self.chosen: dict[int, int] = {}
        self.results: list[np.ndarray] = []
        self.written: list[Path] = []
        self.timeline = Timeline(world, Start(seed))
        self.begin(Start(seed))

    @classmethod
    def of(cls, replay: Replay, policies: Any) -> Session:
        """A session that stands at the end of a replay."""
        made = cls(replay.world, policies)
        made._reset(replay.start)
        made.timeline = Timeline.of(replay, made.cast.get_state())
        made.seek(len(replay))
        return made

    def _reset(self, start: Start) -> None:
        begin(self.batch, start)
        self.start = start
        self.cast.reset(start.seed or 0)

    def begin(self, start: Start | None = None) -> None:
        """Begin another episode, by default with the next seed; `LevelError`, with nothing changed, for a bad level."""
        if start is None:
            start = Start(((self.start.seed or 0) + 1) % 2**64)
        held = self.batch.records.copy()
        try:
            self._reset(start)
        except ValueError:
            self.batch.records[:] = held
            self.batch.observe()
            raise
        self.close()
        self.chosen.clear()
        self.step, self.timeline = 0, Timeline(self.world, start)
        self.timeline.add(self.batch, self.cast.get_state())

    def close(self) -> None:
        """Leave the episode: note its returns, and write its replay if a path was given."""
        if len(self.timeline):
            self.results.append(self.timeline.returns()[-1])
            if self.path is not None:
                path = numbered(self.path, len(self.written) + 1)
                self.timeline.replay(self.players()).save(path)
                self.written.append(path)
        self.timeline = Timeline(self.world, self.start)

    def player(self, agent: int) -> str:
        """Who plays an agent: "a person", or the name of its policy."""
        return "a person" if agent in self.persons else self.cast.seats[agent].name

    def players(self) -> dict[str, str]:
        """Who plays, by the names of agents."""
        return {name: self.player(a) for a, name in enumerate(self.world.agents)}

    @property
    def over(self) -> bool:
        """Whether the episode is over for all."""
        return bool(self.batch.finished[0])

    @property
    def returns(self) -> np.ndarray:
        """(A,) rewards of the episode so far."""
        return self.timeline.at(self.step).returns

    def scene(self) -> Scene:
        """The picture of now, for spectators."""
        return self.world.scene(self.batch.record())

    def waiting(self) -> int | None:
        """The seat of the person who is to choose, or None."""
        acting = self.batch.acting[0]
        return next((a for a in sorted(self.persons) if acting[a] and a not in self.chosen), None)

    def choose(self, agent: int, action: int) -> None:
        """A person's choice for the next transition, or `ActionError` that says why it cannot be."""
        self.batch.refuse(action, agent)
        self.chosen[agent] = action

    def advance(self) -> None:
        """One transition: what persons have chosen, and what the policies choose."""
        waiting = self.waiting()
        if waiting is not None:
            raise ActionError(f"{self.world.id}: {self.world.agents[waiting]} has not chosen yet")
        if self.step < len(self.timeline):
            self.timeline.cut(self.step)
        batch = self.batch
        self.cast.choose(batch, resting=self.persons)
        for a, action in self.chosen.items():
            batch.actions[0, a] = action
        self.chosen.clear()
        batch.step()
        self.timeline.add(batch, self.cast.get_state())
        self.step += 1

    def seek(self, step: int) -> None:
        """Go to another step, the policies' memories too."""
        memory = self.timeline.put(self.batch, step)
        self.step = step
        self.chosen.clear()
        if memory:
            self.cast.set_state(memory)

    def hand(self, agent: int, person: bool) -> None:
        """Let a person play an agent from now on, or its policy."""
        if not person and agent not in self.cast.seats:
            raise ParameterError(f"{self.world.id}: {self.world.agents[agent]} has no policy that could take over")
        (self.persons.add if person else self.persons.discard)(agent)
        self.chosen.pop(agent, None)

    def play(self, steps: int | None = None) -> Iterator[Session]:
        """Go on to the end of the episode, or for so many steps; this object itself comes now and after each."""
        yield self
        last = None if steps is None else self.step + steps
        while not self.over and self.step != last:
            self.advance()
            yield self

    def news(self, agent: int) -> list[str]:
        """The others' moves since an agent's last one, where all see them."""
        if self.world.information != "perfect" or self.world.turns != "sequential":
            return []
        found: list[str] = []
        for step in range(self.step, 0, -1):
            done = self.timeline.done(step)
            if done[agent]:
                break
            found += [f"{name}: {move}" for name, move in zip(self.world.agents, done) if move]
        return found[::-1]

    def turn(self, agent: int) -> str:
        """Whose turn it is, as a person at this seat is told."""
        batch, names = self.batch, self.world.agents
        if self.over:
            return "The episode is over."
        if batch.acting[0, agent]:
            return f"Your move, {names[agent]}." if agent not in self.chosen else f"{names[agent]} has chosen."
        if batch.terminations[0, agent] or batch.truncations[0, agent]:
            return f"{names[agent]} is out; the others play on."
        acting = [name for name, acts in zip(names, batch.acting[0]) if acts]
        return f"{acting[0]} is to move." if len(acting) == 1 else f"{len(acting)} agents are to move."


# In a terminal.


def play_in_terminal(session: Session, console: Console, theme: str = "light") -> None:
    """Play one episode by typing; "quit" or the end of the input leaves."""
    console.print(HELP, style="dim")
    person, world = Human(console=console), session.world
    while True:
        seat = session.waiting()
        if seat is None and not session.over:
            session.advance()
            continue
        seat = min(session.persons) if seat is None else seat
        moment = session.timeline.at(session.step)
        console.print()
        console.print(drawing(world.scene(moment.record, None if session.over else seat), console, theme=theme))
        console.print(Text(world.text(moment.record, seat)))
        for line in session.news(seat):
            console.print(Text(line, "cyan"))
        told = f"return {moment.returns[seat]:g}"
        if session.over:
            pairs = zip(world.agents, np.round(moment.returns, 6))
            told = f"Returns: {', '.join(f'{agent} {value:g}' for agent, value in pairs)}"
        console.print(Text(f"{session.turn(seat)} {told}", "bold"))
        if session.over:
            return
        try:
            session.choose(seat, person.choose(session.batch, 0, seat))
        except LeftError:
            console.print("Goodbye.")
            return


def show_in_terminal(
    session: Session, console: Console, fps: float, steps: int | None = None, theme: str = "light"
) -> None:
    """Show an episode in place; where the output is no terminal, one picture after the other."""
    with Live(console=console, auto_refresh=False) if console.is_terminal else nullcontext() as live:
        for _ in session.play(steps):
            moment, done = session.timeline.at(session.step), session.timeline.done(session.step)
            values = zip(session.world.agents, np.round(moment.returns, 6), done)
            lines = [Text(f"{agent}  {value:g}  {action}", no_wrap=True) for agent, value, action in values]
            rows = None
            if live is not None:
                lines = lines[: console.height // 3]
                rows = console.height - len(lines) - 1
            status = Text(f"t = {session.step}", "bold")
            picture = Group(drawing(session.scene(), console, rows, theme), status, *lines)
            if live is None:
                console.print(picture)
            else:
                live.update(picture, refresh=True)
                time.sleep(1 / fps)


# In a window.


class Table(Viewer):
    """A session in a window: policies are watched, persons play with keys, the mouse and typed actions.

    Args:
        session: the session.
        window: the window.
        speed: steps a second.
        episodes: begin so many further ones by itself.
        steps: go on by itself for so many steps an episode.
    """

    keys = {
        **KEYS,
        "o": (Command("hand"), "take over this agent, or hand it back to its policy"),
        "n": (Command("next"), "another episode, with the next seed"),
        "r": (Command("again"), "this episode from its start, played anew"),
        "g": (Command("start"), "an episode from a seed or a level's file"),
        "tab": (Command("box"), "type an action; part of its name will do"),
        "ctrl": (Command(""), "makes these keys work where they mean an action"),
    }

    def __init__(
        self, session: Session, window: Window, speed: float = 8.0, episodes: int = 1, steps: int | None = None
    ):
        super().__init__(window, session.timeline, speed, min(session.persons, default=0), bool(session.persons))
        self.session, self.episodes, self.steps = session, episodes, steps
        self.step = session.step
        self.typing = False
        self.begun: tuple[float, float] | None = None  # the first of two clicks
        self.hint = ""  # what a click would do where the mouse is
        self._over_since = 0.0

    # What is shown.

    def knows(self, agent: int) -> bool:
        """A person at the table knows the own seats, and the others' where all is open or the episode is over."""
        session = self.session
        return not self.own or agent == self.focus or session.world.information == "perfect" or session.over

    def player(self, agent: int) -> str:
        return "you" if agent in self.session.persons else self.session.player(agent)

    def players(self) -> dict[str, str]:
        return self.session.players()

    def viewpoint(self) -> int | None:
        return None if self.session.over and self.session.persons else super().viewpoint()

    def scene(self) -> Scene:
        """The picture, with marks on what can be clicked."""
        scene, seat = super().scene(), self.session.waiting()
        if seat is None:
            return scene
        marks: list[Shape] = [Circle(*self.begun, 0.2, "highlight@0.8", "black", 0.02)] if self.begun else []
        for x, y in self._places(seat):
            marks.append(Circle(x, y, 0.09, "highlight@0.75", "black@0.5", 0.02, glyph=""))
        key = (self.step, self.viewpoint(), seat, self.begun)
        shapes = [*scene.shapes, *marks]
        return self._once("marked", key, lambda: Scene(scene.width, scene.height, shapes, scene.background))

    def _pointed(self, seat: int, point: tuple[float, float], up: bool = False) -> int | None:
        """The action that a click at a point of the picture means now; `up` is where a drag ends."""
        world, record, action = self.world, self.session.batch.record(), None
        if self.begun is not None:
            action = world.drag(record, seat, self.begun, point)
        if action is None and not up:
            action = world.click(record, seat, *point)
        return None if action is None else int(action)

    def _places(self, seat: int) -> list[tuple[float, float]]:
        """The middles of all places in the picture where a click means a legal action; of large parts none."""
        return self._once("places", (self.step, seat, self.begun), lambda: self._find_places(seat))

    def _find_places(self, seat: int) -> list[tuple[float, float]]:
        cls, scene, mask = type(self.world), super().scene(), self.session.batch.masks[0, seat]
        if (cls.click is World.click and cls.drag is World.drag) or scene.width * scene.height > 1000:
            return []
        found: dict[int, list[tuple[float, float]]] = {}
        apart, until = 0.25 if scene.width * scene.height <= 200 else 0.5, time.monotonic() + PATIENCE
        for y in np.arange(apart / 2, scene.height, apart).tolist():
            if time.monotonic() > until:  # a world that thinks long about a click
                return []
            for x in np.arange(apart / 2, scene.width, apart).tolist():
                action = self._pointed(seat, (x, y))
                if action is not None and mask[action]:
                    found.setdefault(action, []).append((x, y))
        places = []
        for points in found.values():
            (left, top), (right, bottom) = np.min(points, axis=0).tolist(), np.max(points, axis=0).tolist()
            if max(right - left, bottom - top) <= 1.25:
                places.append(((left + right) / 2, (top + bottom) / 2))
        return places

    def turn(self) -> tuple[str, str]:
        seat = self.session.waiting()
        if seat is not None:
            return self.session.turn(seat), agent_color(seat)
        return super().turn()

    def panel(self) -> Panel:
        panel = super().panel()
        seat = self.session.waiting()
        if self.asked == "start":
            panel.actions, panel.prompt = (), "a seed, or a level's file (.json)"
        elif seat is not None and not self.asked:
            panel.heading, panel.marked = f"Legal actions of {self.world.agents[seat]}", ""
            panel.actions = named(self.world, legal_names(self.world, seat, self.session.batch.masks[0, seat]))
            if self.boxed():
                panel.prompt = "an action"
        return panel

    def bar(self) -> Bar:
        bar = super().bar()
        bar.note = bar.note or self._told()
        return bar

    def _told(self) -> str:
        session, seat = self.session, self.session.waiting()
        if session.over and session.persons:
            return "The episode is over: N begins another one, R plays this one anew."
        if session.persons and session.step < len(self.timeline):
            return f"Step {session.step} of {len(self.timeline)}: a move from here drops what came after it."
        if seat is None:
            return ""
        return "   ".join([f"A click: {self.hint}"] if self.hint else [*session.news(seat)[-3:], self._keys(seat)])

    def _keys(self, seat: int) -> str:
        names = self.world.action_names[seat]
        keys = shorten([f"{key}: {name}" for key, name in self.world.keys.items() if name in names], 8)
        return f"{', '.join(keys)}   ?: all keys" if keys else "?: all keys"

    # What a person wants.

    def boxed(self) -> bool:
        """Whether there is a text box for an action: it swallows letters and waits for a tab where these are keys."""
        seat = self.session.waiting()
        return seat is not None and (self.typing or not self._lettered(seat))

    def _lettered(self, seat: int) -> bool:
        """Whether some legal action has a key that writes something."""
        legal = self.session.batch.masks[0, seat]
        written = [key_action(self.world, seat, key) for key in self.world.keys if len(key) == 1 or key == "space"]
        return any(legal[action] for action in written if action is not None)

    def taken(self) -> Iterable[str]:
        seat = self.session.waiting()
        names = () if seat is None else self.world.action_names[seat]
        return {key for key, name in self.world.keys.items() if name in names}

    def handle(self, event: Event) -> bool:
        seat = self.session.waiting()
        if isinstance(event, Key) and event.name == "escape" and (self.typing or self.begun) and not self.asked:
            self.typing, self.begun = False, None
            return False
        if seat is None or self.asked or self.helping:
            return super().handle(event)
        if isinstance(event, Hover):
            action = self._pointed(seat, (event.x, event.y))
            legal = action is not None and self.session.batch.masks[0, seat, action]
            self.hint = self.world.action_names[seat][action] if legal else ""
            return False
        try:
            action = self._meant(seat, event)
            if action is None:
                return super().handle(event)
            self.session.choose(seat, action)
        except ActionError as problem:
            self.tell(error=str(problem))
            return False
        self.tell()
        self.hint, self.begun, self.playing = "", None, True
        self._due = time.monotonic() + 1 / self.speed
        if self.session.waiting() is None:
            self._advance()
        else:
            self._follow()
        return False

    def _meant(self, seat: int, event: Event) -> int | None:
        """The action that an event means."""
        world = self.world
        if isinstance(event, Typed):
            names = dict(zip(self.panel().actions, legal_names(world, seat, self.session.batch.masks[0, seat])))
            return read(world, seat, self.session.batch.masks[0, seat], names.get(event.text, event.text))
        if isinstance(event, Key) and not event.control:
            return key_action(world, seat, event.name)
        if isinstance(event, Click):
            point = event.x, event.y
            action = self._pointed(seat, point, event.up)
            self.begun = None
            if action is None and not event.up and type(world).drag is not World.drag:
                self.begun = point
                if not self._places(seat):  # no move starts there
                    self.begun = None
            return action
        return None

    def _advance(self) -> None:
        """One transition, and what is shown follows it."""
        cut = self.session.step < len(self.timeline)
        self.session.advance()
        if cut:
            self.changed()
        self.step = self.session.step
        self._follow()

    def _follow(self) -> None:
        """Whose turn it is decides of whom is told, if persons play."""
        seat = self.session.waiting()
        if seat is not None and self.own:
            self.focus = seat

    def _began(self) -> None:
        """Another episode has begun."""
        self.timeline = self.session.timeline
        self.step = 0
        self.tell()
        self.playing = True
        self.hint, self.begun, self._over_since = "", None, 0.0
        self.changed()
        self._follow()

    def command(self, command: Command) -> bool:
        name, session = command.name, self.session
        if name in ("hand", "player"):
            agent = self.focus if name == "hand" else command.value
            session.hand(agent, agent not in session.persons)
            self.focus = agent
            self.tell()
            if self.own != bool(session.persons):
                super().command(Command("own"))
            self.changed()
        elif name == "next":
            session.begin()
            self._began()
        elif name == "again":
            session.begin(session.start)
            self._began()
        elif name == "start":
            self.ask("start")
        elif name == "box":
            self.typing = True
        return super().command(command)

    def answer(self, asked: str, text: str) -> None:
        if asked == "start":
            self.session.begin(start_of(text))
            self._began()
        else:
            super().answer(asked, text)

    def seek(self, step: int) -> None:
        super().seek(step)
        self.session.seek(self.step)
        self.begun = None
        self.tell()

    def ended(self) -> bool:
        return self.session.over or self.step == self.steps

    def go_on(self) -> None:
        if not self.session.over and self.session.waiting() is None:
            self._advance()

    def forward(self) -> None:
        last = self.step == len(self.timeline)
        if self.playing and last and self.ended() and self.episodes > 1:
            self._over_since = self._over_since or time.monotonic()
            if time.monotonic() >= self._over_since + HOLD:
                self.episodes -= 1
                self.session.begin()
                self._began()
        elif not (last and self.session.waiting() is not None):
            super().forward()


def start_of(text: str) -> Start:
    """Where an episode starts: from a seed, or from the level in a file (of several the first), with seed 0."""
    if text.strip().isdecimal():
        return Start(check_seed(int(text)))
    try:
        level = json.loads(Path(text.strip()).expanduser().read_text("utf-8"))
    except (OSError, ValueError) as problem:
        raise ParameterError(f"{text!r} is neither a seed nor the file of a level: {problem}") from None
    level = level[0] if isinstance(level, list) and level else level
    if not isinstance(level, dict):
        raise ParameterError(f"{text!r} holds no level, which is an object in JSON")
    return Start(0, level)
