"""Tables: episodes that people in browsers and policies play together, restored from their journals after a crash.

A table has a `Session`. What a seat is sent is made from what its agent may know: its picture, its text, its legal
actions, its return and whether it is its move. Nothing else of the episode leaves the table for a seat.
"""

from __future__ import annotations

import asyncio
import dis
import hashlib
import hmac
import itertools
import json
import math
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from envsuite import registry
from envsuite.agents.human import pushes, read
from envsuite.agents.language import LanguageAgent
from envsuite.core.errors import ActionError, ParameterError
from envsuite.core.policy import CompiledPolicy, make_policy
from envsuite.core.world import World
from envsuite.episodes.replay import Start
from envsuite.episodes.session import ANSWERS, Session
from envsuite.interfaces.single import padded
from envsuite.serve.journal import Journal, JournalError
from envsuite.serve.reel import Reel

#: The player of a seat for people.
PERSON = "person"

#: The player of a seat for a language model begins with this.
LANGUAGE = "language:"

#: A function that sends a message to a page.
Send = Callable[[str], None]

#: A callable that answers a language agent's questions, by the name after "language:".
Models = Mapping[str, Callable[[str], str]]


@dataclass(frozen=True)
class Settings:
    """What a table plays, and how.

    Attributes:
        world: its id, or ``module:Class``.
        parameters: those of the world.
        seed: of the first episode; each further one has the next seed.
        level: a level for all episodes, or None.
        seats: for each agent ``"person"``, a policy's name, or ``"language:NAME"`` for a model that the server has.
            Agents without an entry are people.
        tick: steps per second; 0 for a table that waits for everybody.
        idle: what a person does in a tick without a choice: "noop" (or "stay", or else the first legal action), or
            "repeat" the last action where it is legal.
        absent: what a seat does while its person is not connected: "wait" (in a ticked table: as `idle`), or "policy".
        standin: the policy that plays for absent people.
        spectators: what visitors without a seat see: "nothing", "end", which is all once an episode is over, or "all".
            By default all where information is perfect, else the end.
        listed: whether anybody may take a free seat in the lobby; otherwise only links lead there.
        episodes: how many a table of a study plays, where people cannot hand their seats to policies; 0 for any other
            table.
    """

    world: str
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    level: dict[str, Any] | None = None
    seats: dict[str, str] = field(default_factory=dict)
    tick: float = 0.0
    idle: Literal["noop", "repeat"] = "noop"
    absent: Literal["wait", "policy"] = "wait"
    standin: str = "random"
    spectators: Literal["nothing", "end", "all"] | None = None
    listed: bool = True
    episodes: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.tick <= 60:
            raise ParameterError(f"tick={self.tick!r} must be from 0 to 60 steps per second")
        choices = {"idle": ("noop", "repeat"), "absent": ("wait", "policy")}
        for name, known in {**choices, "spectators": (None, "nothing", "end", "all")}.items():
            if getattr(self, name) not in known:
                raise ParameterError(f"{name}={getattr(self, name)!r} must be one of {', '.join(map(str, known))}")

    def build(self) -> World:
        """The world; an error if the seats do not fit it, or if it has no such policies."""
        world = registry.build(self.world, self.parameters)
        for agent in self.seats:
            if agent not in world.agents:
                raise ParameterError(f"{world.id} has no agent {agent!r}; the agents are {', '.join(world.agents)}")
        for name in {self.standin, *self.seats.values()} - {PERSON}:
            if not name.startswith(LANGUAGE):
                make_policy(name, world)
        return world


def digest(secret: str) -> str:
    """What a journal keeps of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Table:
    """A table: its session, its seats, and the pages that look at them.

    Attributes:
        id: an id that cannot be guessed.
        people: the numbers of the seats for people.
        digests: the digest of the secret of each seat that has been given away.
        pages: for each seat, and None for spectators, the functions that send a message to a page.
        played: the number of episodes that are over.
        closed: whether a table of a study was given up before it began.
        record: the present record, a view.
    """

    def __init__(self, journal: Journal, models: Models | None = None):
        """Open the table of a journal, as its events left it."""
        if not journal.events or "settings" not in journal.events[0]:
            raise JournalError(f"{journal.path} does not begin with the settings of a table")
        self.id, self.journal = journal.path.stem, journal
        self.played, self.closed = 0, False
        self.settings = Settings(**journal.events[0]["settings"])
        self.world = world = self.settings.build()
        given = [self.settings.seats.get(agent, PERSON) for agent in world.agents]
        self.people = [a for a, name in enumerate(given) if name == PERSON]
        players = [self._player(self.settings.standin if name == PERSON else name, models or {}) for name in given]
        self.session = Session(world, players, self.settings.seed, self.people)
        self.record = self.session.batch.record()
        if self.settings.level is not None:
            self.session.begin(Start(self.settings.seed, self.settings.level))
        self.digests: dict[int, str] = {}
        self.pages: dict[int | None, list[Send]] = {}
        self.numbers: dict[int, int] = {}  # of each seat's last message
        self.last: dict[int, Any] = {}  # each seat's last action
        self.choices: dict[int, dict[str, Any]] = {}  # when each choice of this tick came, for the journal
        self.returns = np.zeros(len(world.agents))
        self.lock, self.wake = asyncio.Lock(), asyncio.Event()
        self._language = {a for a, one in self.session.cast.seats.items() if isinstance(one, LanguageAgent)}
        self._slow = not all(isinstance(one, CompiledPolicy) for one in self.session.cast.policies)
        self._reels: dict[int | None, Reel] = {}
        self._sent: dict[int | None, Any] = {}
        self._readers: set[Send] = set()  # pages of a ticked table that show the text; it costs more than a picture
        self._based: set[Send] = set()  # pages that have the last picture of their viewer
        self._shared = _ignores_agent(type(world))
        for event in journal.events[1:]:
            self.restore(event)

    @classmethod
    def create(cls, folder: Path, settings: Settings, models: Models | None = None) -> Table:
        """A new table with its journal in a folder."""
        journal = Journal(folder / f"{secrets.token_urlsafe(16)}.journal")
        journal.events.append({"settings": asdict(settings)})
        try:
            made = cls(journal, models)
            journal.append(settings=asdict(settings))
        except Exception:
            journal.close()
            journal.path.unlink()
            raise
        return made

    def _player(self, name: str, models: Models) -> Any:
        if not name.startswith(LANGUAGE):
            return make_policy(name, self.world)
        model = name.removeprefix(LANGUAGE)
        try:
            return LanguageAgent(models[model])
        except KeyError:
            has = ", ".join(models) or "none"
            raise ParameterError(f"there is no language model {model!r}; the server has: {has}") from None

    # Journal.

    def restore(self, event: Mapping[str, Any]) -> None:
        """Do again what an event of the journal says."""
        session = self.session
        if "seat" in event:
            self.digests[event["seat"]] = event["digest"]
        elif "choose" in event:
            self._choose(event["choose"], np.asarray(event["action"])[()], event["number"])
        elif "step" in event:
            acting = np.flatnonzero(session.batch.acting[0]).tolist()
            persons, session.persons = session.persons, session.persons | self._language
            session.chosen = {a: np.asarray(event["step"][a])[()] for a in acting}
            self._advance()
            session.persons = persons
            self.last |= {a: np.asarray(event["step"][a])[()] for a in event["chosen"]}
            self.numbers |= {int(a): number for a, number in event["numbers"].items()}
        elif "hand" in event:
            session.hand(event["hand"], event["person"])
        elif "closed" in event:
            self.closed = True
        else:
            self._begin()

    def take(self, agent: int) -> str:
        """A new secret for a seat that nobody has."""
        secret = secrets.token_urlsafe(24)
        self.give(agent, digest(secret))
        return secret

    def give(self, agent: int, known: str) -> None:
        """Give a seat that nobody has to the owner of a secret with this digest."""
        if agent not in self.people or agent in self.digests:
            raise ParameterError("this seat is taken")
        self.journal.append(seat=agent, digest=known)
        self.digests[agent] = known
        self.update()
        self.wake.set()

    def seat(self, secret: str) -> int | None:
        """The seat that a secret opens, or None; all seats are compared, in constant time."""
        wanted, found = digest(secret), None
        for agent, known in self.digests.items():
            if hmac.compare_digest(known, wanted):
                found = agent
        return found

    # Play.

    @property
    def ready(self) -> bool:
        """Whether all seats for people have been taken, so that the episode can begin."""
        return all(a in self.digests for a in self.people)

    @property
    def done(self) -> bool:
        """Whether a table of a study has played all its episodes, or none because it was given up."""
        return self.closed or 0 < self.settings.episodes <= self.played

    def close(self) -> None:
        """Give up a table of a study that has not begun."""
        self.journal.append(closed=True)
        self.closed = True
        self.update()
        self.wake.set()

    def _choose(self, seat: int, action: Any, number: int) -> None:
        self.session.choose(seat, action)
        self.last[seat], self.numbers[seat] = action, number

    def meant(self, seat: int, message: Mapping[str, Any]) -> Any:
        """The action that a message means: a number, a click on the picture, or words; `ActionError` if none."""
        world, mask = self.world, self.session.batch.masks[0, seat]
        if "act" in message:
            action = message["act"]
            if not 0 <= action < len(world.action_names[seat]):
                raise ActionError("there is no such action")
            if not world.control_spaces:
                return action
            return padded(world, pushes(world, seat, action))
        if "click" in message:
            x, y = message["click"]
            found = None if world.control_spaces else world.click(self.record, seat, x, y)
            if found is None:
                raise ActionError("a click there means nothing")
            return int(found)
        return read(world, seat, mask, message["say"])

    async def act(self, seat: int, message: Mapping[str, Any]) -> None:
        """Take the choice of a person; it is acknowledged when it is in the journal. `ActionError` if impossible."""
        async with self.lock:
            session = self.session
            if not self.ready:
                raise ActionError("the episode begins when all seats are taken")
            if seat not in session.persons:
                raise ActionError("a policy plays this seat: take it back first")
            if session.over or not session.batch.acting[0, seat]:
                raise ActionError("it is not your move")
            if seat in session.chosen and not self.settings.tick:
                raise ActionError("you have chosen already")
            action = self.meant(seat, message)
            session.batch.refuse(action, seat)
            timing = {"time": time.time(), **({"ms": message["ms"]} if "ms" in message else {})}
            if self.settings.tick:  # the step that it leads to is kept and acknowledges it
                self.choices[seat] = timing
            else:
                await asyncio.to_thread(
                    self.journal.append, choose=seat, action=np.asarray(action).tolist(), number=message["n"], **timing
                )
            self._choose(seat, action, message["n"])
            if not self.settings.tick:
                self.update()
                self.wake.set()

    async def again(self) -> None:
        """Begin another episode when this one is over."""
        async with self.lock:
            if self.session.over and not self.done:
                self.journal.append(begin=True)
                self._begin()
                self.update()
                self.wake.set()

    def _begin(self) -> None:
        start = self.session.start
        self.session.begin(Start(((start.seed or 0) + 1) % 2**64, start.level))
        self.returns[:] = 0.0
        self.last.clear()

    async def hand(self, seat: int, person: bool) -> None:
        """Hand a seat to its policy, or back to its person."""
        async with self.lock:
            if (seat in self.session.persons) != person:
                self.journal.append(hand=seat, person=person)
                self.session.hand(seat, person)
                self.update()
                self.wake.set()

    def _advance(self) -> None:
        self.session.advance()
        self.returns += self.session.batch.rewards[0]
        self.played += self.session.over

    async def step(self) -> None:
        """One transition: carried out, in the journal, and only then shown."""
        async with self.lock:
            session, numbers = self.session, dict(self.numbers)
            if session.over or (not self.settings.tick and session.waiting() is not None):
                return
            chosen = sorted(session.chosen)
            self._idle()
            if self._slow:
                await asyncio.to_thread(self._advance)
            else:
                self._advance()
            await asyncio.to_thread(
                self.journal.append,
                step=session.timeline.actions[-1].tolist(), chosen=chosen, numbers=numbers, choices=self.choices,
            )  # fmt: skip
            self.choices = {}
            if session.over:
                path = self.journal.path.with_name(f"{self.id}-{session.start.seed}.replay")
                await asyncio.to_thread(session.timeline.replay(session.players()).save, path)
            self.update()

    def _idle(self) -> None:
        """In a ticked table: what the people do who have chosen nothing."""
        session = self.session
        mask, noop = session.batch.masks[0], self.world.noop
        while (seat := session.waiting()) is not None:
            last = self.last.get(seat) if self.settings.idle == "repeat" else None
            if self.world.control_spaces:
                zeros = np.zeros(self.world.num_actions, np.float32)
                session.chosen[seat] = np.clip(zeros, *self.world.bounds[:, seat]) if last is None else last
            elif last is not None and mask[seat, last]:
                session.chosen[seat] = last
            else:
                rest = next((n for n in (noop, _stay(self.world, seat)) if n >= 0 and mask[seat, n]), -1)
                session.chosen[seat] = rest if rest >= 0 else int(mask[seat].argmax())

    async def run(self) -> None:
        """Play, with the clock or whenever the people have chosen: for ever, or until the study is done with it."""
        tick = self.settings.tick
        # The ticks of many tables are spread evenly over the time between two ticks.
        due = (math.floor(time.monotonic() * tick) + _places() % 1) / tick if tick else 0.0
        while not self.done:
            if tick:
                late = math.floor(max(0.0, time.monotonic() - due) * tick)
                due += max(1, late) / tick
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                if self.ready and any(self.pages.get(a) for a in self.people):
                    await self.step()
                continue
            waits = not self.ready or self.session.over or self.session.waiting() is not None
            if waits or not any(self.pages.values()):
                await self.wake.wait()
                self.wake.clear()
                continue
            people = bool(self.session.chosen)
            await self.step()
            await asyncio.sleep(0 if people else 1 / ANSWERS)

    # What pages are sent.

    def content(self, seat: int) -> dict[str, Any]:
        """What a seat is sent, besides its picture: nothing that its agent may not know."""
        session, batch = self.session, self.session.batch
        texts = not self.settings.tick or not self._readers.isdisjoint(self.pages.get(seat, ()))
        return {
            **({"text": self._text(seat)} if texts else {}),
            "legal": [] if seat in session.chosen or not self.ready else np.flatnonzero(batch.masks[0, seat]).tolist(),
            "turn": self._turn(seat),
            "return": round(float(self.returns[seat]), 9),
            "over": session.over,
            "person": seat in session.persons,
            "number": self.numbers.get(seat, 0),
            "done": self.done,
        }

    def _text(self, seat: int) -> str:
        try:
            return self.world.text(self.record, seat)
        except NotImplementedError:
            return ""

    def _turn(self, seat: int) -> str:
        session = self.session
        if self.closed:
            return "Nobody else has come."
        if not self.ready:
            return "Waiting for the other people."
        ended = session.batch.terminations[0, seat] or session.batch.truncations[0, seat]
        if self.world.information == "perfect" or session.over or session.batch.acting[0, seat]:
            return session.turn(seat)
        return f"{self.world.agents[seat]} is out; the others play on." if ended else "Others are to move."

    def overview(self) -> dict[str, Any] | None:
        """What spectators are sent, besides the picture; None while they may see nothing."""
        usual = "all" if self.world.information == "perfect" else "end"
        allowed = self.settings.spectators or usual
        if allowed == "nothing" or (allowed == "end" and not self.session.over):
            return None
        pairs = zip(self.world.agents, np.round(self.returns, 9).tolist())
        return {"text": "\n".join(f"{agent}: {value:g}" for agent, value in pairs), "over": self.session.over}

    def update(self) -> None:
        """Send the present to all pages: as a difference to those that have the picture before, else all of it."""
        pictures: dict[int | None, tuple[Any, str, Reel]] = {}
        for viewer, pages in self.pages.items():
            content = (self.overview() if viewer is None else self.content(viewer)) if pages else None
            if content is None:
                for send in pages:
                    self._based.discard(send)
                    send('{"hidden":true}')
                continue
            view = None if self._shared else viewer
            if view not in pictures:
                reel = self._reels.setdefault(view, Reel())
                shown = reel.show(self.world.scene(self.record, view))
                pictures[view] = shown["frame"] or shown["ground"] or shown["fresh"], _json(shown), reel
            moved, picture, reel = pictures[view]
            known, rest = content == self._sent.get(viewer), _json(content)[1:]
            self._sent[viewer] = content
            for send in pages:
                if send not in self._based:
                    self._based.add(send)
                    send(f'{{"picture":{_json(reel.whole())},{rest}')
                elif moved or not known:
                    send(f'{{"picture":{picture},{rest}')

    def read(self, page: Send, wanted: bool) -> None:
        """A page shows the text of its seat, or hides it; tables that wait always send it."""
        (self._readers.add if wanted else self._readers.discard)(page)
        self.update()

    async def enter(self, viewer: int | None, page: Send) -> None:
        """A page opens; the first one of an absent person takes the seat back."""
        if viewer is not None and self.settings.absent == "policy" and not self.pages.get(viewer):
            await self.hand(viewer, True)
        async with self.lock:
            self.pages.setdefault(viewer, []).append(page)
            self.update()
        self.wake.set()

    async def leave(self, viewer: int | None, page: Send) -> None:
        """A page has closed; without one, a person is absent."""
        self.pages[viewer].remove(page)
        self._based.discard(page)
        self._readers.discard(page)
        if viewer is not None and self.settings.absent == "policy" and not self.pages[viewer]:
            await self.hand(viewer, False)


_tables = itertools.count()


def _places() -> float:
    """Multiples of the golden section: their fractions are spread evenly, however many there are."""
    return next(_tables) * 0.6180339887498949


def _json(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"))


def _ignores_agent(cls: type[World]) -> bool:
    """Whether a world's picture is the same for all: its code does not read who looks."""
    code: Any = cls.scene.__code__
    agent = code.co_varnames[2]
    return agent not in code.co_cellvars and all(step.argval != agent for step in dis.get_instructions(code))


def _stay(world: World, seat: int) -> int:
    """The action that leaves an agent where it is, or -1."""
    names = world.action_names[seat]
    return next((names.index(name) for name in ("stay", "wait", "pass") if name in names), -1)
