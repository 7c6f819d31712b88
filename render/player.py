"""Sessions in a window: users watch policies, and play with keys, the mouse and typed actions."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.agents.human import key_action, named, read, shorten, words_in
from envsuite.core.digits import whole
from envsuite.core.errors import ActionError, ParameterError
from envsuite.core.world import World
from envsuite.episodes.replay import Start
from envsuite.episodes.session import Session
from envsuite.interfaces.single import check_seed
from envsuite.interfaces.text import legal_names
from envsuite.render.panel import Bar, Block, Panel
from envsuite.render.scene import Circle, Scene, Shape
from envsuite.render.theme import agent_color
from envsuite.render.viewer import KEYS, KNOWS, SEES, Viewer
from envsuite.render.window import Click, Command, Event, Hover, Key, Window
from envsuite.render.window import Text as Typed
from envsuite.talk.words import Line, shown

#: Seconds that the last picture of an episode stays when another one follows.
HOLD = 2.0

#: Seconds of the processor in which the places to click must be found, or they are not marked.
PATIENCE = 0.2


class Table(Viewer):
    """A session in a window: users watch policies, and play with keys, the mouse and typed actions.

    Args:
        session: the session.
        window: the window.
        speed: steps per second.
        episodes: the number of episodes; each after the first begins by itself.
        steps: the number of steps per episode that are played without a command.
    """

    keys = {
        **KEYS,
        "c": (Command("continue"), "beyond a replay's end: let the policies play on"),
        "o": (Command("hand"), "take over this agent, or hand it back to its policy"),
        "n": (Command("next"), "another episode, with the next seed"),
        "r": (Command("again"), "play this episode again from its start"),
        "g": (Command("start"), "an episode from a seed or a level's file"),
        "tab": (Command("box"), "type an action; part of its name will do"),
        "ctrl": (Command(""), "makes these keys work where they mean an action"),
    }

    def __init__(
        self, session: Session, window: Window, speed: float = 8.0, episodes: int = 1, steps: int | None = None
    ):
        super().__init__(window, session.timeline, speed, min(session.persons, default=0), bool(session.persons))
        if session.talk is not None:
            self.keys = {
                **self.keys,
                "t": (Command("say"), "say something; enter sends it with your next act of speech"),
            }
        self.session, self.episodes, self.steps = session, episodes, steps
        self.step = session.step
        self.typing = False
        self.begun: tuple[float, float] | None = None  # the first of two clicks
        self._acting = ""  # the key whose press was the last action
        self.hint = ""  # the effect of a click at the place of the mouse
        self._over_since = 0.0

    # The view.

    def knows(self, agent: int) -> bool:
        """Whether the user may see an agent: its own seat, or any if nothing is hidden or the episode is over."""
        session = self.session
        public = session.world.information == "perfect" and not session.free
        return not self.own or agent == self.focus or public or session.over

    def seen(self, record: Any) -> Any:
        return self.session.known(record) if self.own else record

    def pages(self) -> list[str]:
        pages = super().pages()
        return [page for page in pages if page != SEES] if self.own and self.session.free else pages

    def messages(self) -> list[tuple[int, int, str]]:
        return [] if self.own and self.session.free else super().messages()

    def known_at(self, line: Line) -> int | None:
        if not self.own or self.focus == line.agent or self.session.over:
            return super().known_at(line)
        return self.timeline.arrival(line, self.focus) if self.focus in line.to else None

    def player(self, agent: int) -> str:
        return "you" if agent in self.session.persons else self.session.player(agent, self.step)

    def players(self) -> dict[str, str]:
        return self.session.players()

    def viewpoint(self) -> int | None:
        return None if self.session.over and self.session.persons else super().viewpoint()

    def scene(self) -> Scene:
        """The picture, with marks on the places that can be clicked."""
        scene, seat = super().scene(), self.session.waiting()
        if seat is None:
            return scene
        marks = [ring for place in self._places(seat) or () for ring in _rings(*place)]
        if self.begun:
            marks.append(Circle(*self.begun, 0.2, "highlight@0.8", "black", 0.02, glyph=""))
        key = (self.step, self.viewpoint(), seat, self.begun)
        shapes = [*scene.shapes, *marks]
        return self._once("marked", key, lambda: Scene(scene.width, scene.height, shapes, scene.background))

    def _pointed(self, seat: int, point: tuple[float, float], up: bool = False, record: Any = None) -> int | None:
        """The action that a click at a point of the picture means now; `up` is where a drag ends."""
        world, action = self.world, None
        record = self.session.batch.record() if record is None else record
        if self.viewpoint() != seat and world.information == "imperfect":
            return None  # clicks are meant for the agent's own picture
        if self.begun is not None:
            action = world.pointed(record, seat, point, self.begun)
        if action is None and not up:
            action = world.pointed(record, seat, point)
        return action

    def _places(self, seat: int) -> list[tuple[float, float, float]] | None:
        """All places in the picture where a click means a legal action, except large parts: x, y, radius of a ring.

        None if there are too many points to try.
        """
        return self._once("places", (self.step, seat, self.begun), lambda: self._find_places(seat))

    def _find_places(self, seat: int) -> list[tuple[float, float, float]] | None:
        cls, scene, mask = type(self.world), super().scene(), self.session.batch.masks[0, seat]
        if (cls.click is World.click and cls.drag is World.drag) or scene.width * scene.height > 1000:
            return []
        found: dict[int, list[tuple[float, float]]] = {}
        apart, until = 0.25 if scene.width * scene.height <= 200 else 0.5, time.thread_time() + PATIENCE
        record = self.session.batch.record()

        def legal(x: float, y: float) -> int | None:
            action = self._pointed(seat, (x, y), record=record)
            return action if action is not None and mask[action] else None

        for y in np.arange(apart / 2, scene.height, apart).tolist():
            if time.thread_time() > until:  # a world that takes long to answer a click
                return None
            for x in np.arange(apart / 2, scene.width, apart).tolist():
                action = legal(x, y)
                if action is not None:
                    found.setdefault(action, []).append((x, y))
        places = []
        for action, points in found.items():
            (left, top), (right, bottom) = np.min(points, axis=0).tolist(), np.max(points, axis=0).tolist()
            if max(right - left, bottom - top) <= 1.25:
                x, y = min(points, key=lambda at: abs(2 * at[0] - left - right) + abs(2 * at[1] - top - bottom))
                for step in (apart / 2, apart / 4, apart / 8):  # its edges lie between two points
                    left, right = (end + way * step * (legal(end + way * step, y) == action) for end, way in
                                   ((left, -1), (right, 1)))  # fmt: skip
                    top, bottom = (end + way * step * (legal(x, end + way * step) == action) for end, way in
                                   ((top, -1), (bottom, 1)))  # fmt: skip
                places.append(((left + right) / 2, (top + bottom) / 2, 0.26 * min(right - left, bottom - top, 1.0)))
        return places

    def turn(self) -> tuple[str, str]:
        session, seat = self.session, self.session.waiting()
        if seat is not None:
            return session.turn(seat), agent_color(seat)
        if session.at_recorded_end:
            return "The recording ends here.", "ink"
        if session.recorded is not None and session.step > session.recorded and not session.over:
            return f"Not recorded: played on from step {session.recorded}.", "ink"
        return super().turn()

    def panel(self) -> Panel:
        panel = super().panel()
        seat = self.session.waiting()
        if self.page == KNOWS and self.own:
            panel.blocks = [*self._talk(), *panel.blocks]
        if self.asked == "start":
            panel.actions, panel.prompt = (), "a seed, or a level's file (.json)"
        elif self.asked == "say":
            panel.actions, panel.prompt = (), "your words"
        elif seat is not None and not self.asked:
            panel.heading, panel.marked = f"Legal actions of {self.world.agents[seat]}", ""
            panel.actions = named(self.world, legal_names(self.world, seat, self.session.batch.masks[0, seat]))
            if self.boxed():
                panel.prompt = "an action"
        return panel

    def _talk(self) -> Iterator[Block]:
        """What the agent has heard since its last action, and whether it can speak now."""
        heard = self.timeline.heard(self.focus, self.step)
        if heard:
            yield "You hear:"
        for line in heard:
            yield self.quote(line.agent, shown(line, self.world.agents))
        if self.session.waiting() == self.focus and (told := self._speaking(self.focus)):
            yield " ".join(told)

    def _speaking(self, seat: int) -> list[str]:
        """Whether a person can speak now, in sentences."""
        talk = self.session.talk
        key = (self.step, seat, talk and talk.waiting.get(seat))
        return self._once("speaking", key, lambda: self.session.speaking(seat))

    def bar(self) -> Bar:
        bar = super().bar()
        bar.note = bar.note or self._told()
        bar.recorded = self.session.recorded
        return bar

    def _told(self) -> str:
        session, seat = self.session, self.session.waiting()
        if self.asked == "say":
            return "Enter: say this with your next act of speech.   Escape: leave."
        if session.recorded is not None and session.step > session.recorded:
            return f"The recording ends at step {session.recorded}; this was played after it."
        if session.at_recorded_end and seat is None:
            return "The recording ends here, before the episode does. C lets the policies play on."
        if session.over and session.persons:
            return "The episode is over: N starts another one, R plays this one again."
        if session.persons and session.step < len(self.timeline):
            return f"Step {session.step} of {len(self.timeline)}: a move from here drops what came after it."
        if seat is None:
            return ""
        speak = ["Ctrl+T: say something"] if self._speaking(seat) else []
        return "   ".join(
            [f"A click: {self.hint}"] if self.hint else [*session.news(seat)[-3:], *speak, self._keys(seat)]
        )

    def _keys(self, seat: int) -> str:
        names = self.world.action_names[seat]
        keys = shorten([f"{key}: {name}" for key, name in self.world.keys.items() if name in names], 8)
        return f"{', '.join(keys)}   ?: all keys" if keys else "?: all keys"

    # The user's input.

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
        if isinstance(event, Key):
            if event.held and (self._acting == event.name) != self._plays(seat, event):
                return False  # what a key does while it is held is what its press did
            self._acting = event.name if self._plays(seat, event) else ""
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

    def _plays(self, seat: int | None, event: Key) -> bool:
        """Whether a key is an action now."""
        idle = seat is None or self.asked or self.helping or event.control
        return not idle and key_action(self.world, seat, event.name) is not None  # type: ignore[arg-type]

    def _meant(self, seat: int, event: Event) -> Any:
        """The action that an event means; clicks mean none where actions are controls."""
        world = self.world
        if isinstance(event, Typed):
            names = dict(zip(self.panel().actions, legal_names(world, seat, self.session.batch.masks[0, seat])))
            batch, words = self.session.batch, words_in(world, seat, event.text)
            if self.session.talk is not None and words is not None:
                self._say(seat, words)
                return None
            return read(world, seat, batch.masks[0, seat], names.get(event.text, event.text), batch.record())
        if isinstance(event, Key) and not event.control:
            action = key_action(world, seat, event.name)
            if action is None or not world.control_spaces:
                return action
            return read(world, seat, self.session.batch.masks[0, seat], world.action_names[seat][action])
        if isinstance(event, Click):
            point = event.x, event.y
            action = self._pointed(seat, point, event.up)
            self.begun = None
            if action is None and not event.up and type(world).drag is not World.drag:
                self.begun = point
                if self._places(seat) == []:  # no move starts there
                    self.begun = None
            return action
        return None

    def _say(self, seat: int, text: str) -> None:
        """Keep what a person says; `ActionError` if it cannot."""
        said = self.session.say(seat, text)
        self.tell(note=f'You will say: "{said}"' if said else "You say nothing.")

    def _advance(self) -> None:
        """One transition; the view follows it."""
        cut = self.session.step < len(self.timeline)
        self.session.advance()
        if cut:
            self.changed()
        self.step = self.session.step
        self._follow()

    def _follow(self) -> None:
        """If people play, show the agent whose turn it is."""
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
        elif name == "continue":
            if session.at_recorded_end:
                self.go_on(True)
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
        elif name == "say":
            self._ask_words()
        return super().command(command)

    def _ask_words(self) -> None:
        """Let a person type what it says, if it can speak now."""
        seat = self.session.waiting()
        if seat is None or not self._speaking(seat):
            self.tell(error="You cannot speak now.")
        else:
            self.window.typed, self.asked = "", "say"
            self.tell()

    def answer(self, asked: str, text: str) -> None:
        if asked == "start":
            self.session.begin(start_of(text))
            self._began()
        elif asked == "say":
            seat = self.session.waiting()
            if seat is not None:
                self._say(seat, text)
        else:
            super().answer(asked, text)

    def seek(self, step: int) -> None:
        super().seek(step)
        self.session.seek(self.step)
        self.begun = None
        self.tell()

    def ended(self) -> bool:
        return self.session.over or self.step == self.steps or self._recording()

    def _recording(self) -> bool:
        """Whether the whole recording has been shown, and no person plays."""
        return self.session.at_recorded_end and not self.session.persons

    def go_on(self, asked: bool = False) -> None:
        if not self.session.over and self.session.waiting() is None and (asked or not self._recording()):
            self.playing = self.playing or asked
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


def _rings(x: float, y: float, radius: float) -> list[Shape]:
    """A ring that is seen on any ground: dark, with a bright line in it."""
    return [
        Circle(x, y, radius, None, "black@0.75", 0.07, glyph=""),
        Circle(x, y, radius + 0.02, None, "highlight", 0.03, glyph=""),
    ]


def start_of(text: str) -> Start:
    """Where an episode starts: from a seed, or from the level in a file (of several the first), with seed 0."""
    seed = whole(text.strip(), 20)
    if seed is not None:
        return Start(check_seed(seed))
    try:
        level = json.loads(Path(text.strip()).expanduser().read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise ParameterError(f"{text!r} is neither a seed nor the file of a level: {problem}") from None
    level = level[0] if isinstance(level, list) and level else level
    if not isinstance(level, dict):
        raise ParameterError(f"{text!r} holds no level, which is an object in JSON")
    return Start(0, level)
