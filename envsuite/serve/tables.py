"""Tables: episodes that people in browsers and policies play together, restored from their journals after a crash.

A table has a `Session`, and `Views` of it for its pages. An event is in the journal before any page hears of it. Where
it cannot be stored, the table pauses and tries again.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import logging
import math
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.core.errors import ActionError, EnvsuiteError, ParameterError
from envsuite.core.policy import CompiledPolicy, make_policy
from envsuite.episodes.replay import Replay, Start
from envsuite.episodes.session import ANSWERS, Session
from envsuite.models.agent import LanguageAgent
from envsuite.serve.blocked import Blocked
from envsuite.serve.chat import Chat, Draft, entry_of, lines_of
from envsuite.serve.choices import meant, rest
from envsuite.serve.journal import Journal, JournalError, StorageError, write_whole
from envsuite.serve.limits import Bucket
from envsuite.serve.painter import Painter
from envsuite.serve.settings import LANGUAGE, PERSON, Models, Settings, settings_of
from envsuite.serve.views import FAILED, PAUSED, Send, Views
from envsuite.talk.words import Line

#: Messages per second of a seat, from all its pages, and how many at once.
RATE, BURST = 20.0, 40.0

#: Seconds between two tries to store what could not be stored.
_AGAIN = 1.0

#: Seconds that people have to come back after a restart, before policies may play for them.
BACK = 5.0

#: The digest of a seat that nobody can open any more.
_NOBODY = ""

_log = logging.getLogger(__name__)


def digest(secret: str) -> str:
    """What a journal keeps of a secret."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


class Table:
    """A table: its session, its seats, and the pages that look at them.

    Attributes:
        id: an id that cannot be guessed.
        people: the numbers of the seats for people.
        digests: the digest of the secret of each seat that has been given away.
        views: what its pages are sent.
        chat: what is said in words of people, models and policies.
        played: the number of episodes that are over.
        closed: whether it has been closed: a table of the lobby for good, one of a study before it began.
        paused: whether something could not be stored; nobody can do anything until it is.
        moving: whether a step is being taken, or is taken and not stored yet, so that nobody may see it.
        failed: whether its task has ended with an error.
        absent: since when the person of a seat has had no page, by `time.monotonic`; and of `None`, since when nobody
            has had one.
        record: the present record, a view.
    """

    def __init__(
        self,
        journal: Journal,
        models: Models | None = None,
        painter: Painter | None = None,
        blocked: Blocked = Blocked(),  # noqa: B008
    ):
        """Open the table of a journal, as its events left it."""
        if not journal.events or "settings" not in journal.events[0]:
            raise JournalError(f"{journal.path}, line 1: no settings of a table")
        first = journal.events[0]
        self.id, self.journal, self.maker = journal.path.stem, journal, first.get("maker")
        self.played, self.closed = 0, False
        self.paused = self.moving = self.failed = False
        self.settings = settings_of(first)
        self.world = world = self.settings.build()
        given = [self.settings.seats.get(agent, PERSON) for agent in world.agents]
        self.people = [a for a, name in enumerate(given) if name == PERSON]
        players = [self._player(self.settings.standin if name == PERSON else name, models or {}) for name in given]
        seed = first.get("seed", self.settings.seed)
        self.session = Session(world, players, seed, self.people)
        self.record = self.session.batch.record()
        if self.settings.level is not None:
            self.session.begin(Start(seed, self.settings.level))
        self.chat = Chat(self, blocked)
        self.rules = self._rules()
        self.digests: dict[int, str] = {}
        self.numbers: dict[int, int] = {}  # of each seat's last message
        self.last: dict[int, Any] = {}  # each seat's last action
        self.choices: dict[int, dict[str, Any]] = {}  # when each choice of this tick came, for the journal
        self.returns = np.zeros(len(world.agents))
        self.absent: dict[int | None, float] = {None: time.monotonic()}
        self.lock, self.wake = asyncio.Lock(), asyncio.Event()
        self.views = Views(self, painter or Painter())
        self._limits = {a: Bucket(RATE, BURST) for a in self.people}
        self._language = {a for a, one in self.session.cast.seats.items() if isinstance(one, LanguageAgent)}
        self._slow = not all(isinstance(one, CompiledPolicy) for one in self.session.cast.policies)
        self._owed: dict[str, Any] | None = None  # a step that has been taken and is not stored
        self._unsaved: dict[Path, Replay] = {}  # replays that are not stored
        self._late: set[int] = set()  # seats that could not be handed over
        for number, event in enumerate(journal.events[1:], 2):
            try:
                self.restore(event)
            except (EnvsuiteError, LookupError, TypeError, ValueError) as problem:
                raise JournalError(f"{journal.path}, line {number}: {problem}") from problem
        self._before = list(self.digests)  # the seats of people who were here before a restart

    @classmethod
    def create(
        cls,
        folder: Path,
        settings: Settings,
        models: Models | None = None,
        painter: Painter | None = None,
        maker: str | None = None,
        blocked: Blocked = Blocked(),  # noqa: B008
    ) -> Table:
        """A new table with its journal in a folder; `maker` is the digest of the secret of whoever may close it."""
        first: dict[str, Any] = {"settings": asdict(settings), **({} if maker is None else {"maker": maker})}
        if settings.seed is None:
            first["seed"] = _new_seed()
        journal = Journal(folder / f"{secrets.token_urlsafe(16)}.journal")
        journal.events.append(first)
        try:
            made = cls(journal, models, painter, blocked)
            journal.append(**first)
        except Exception:
            journal.close()
            journal.path.unlink()
            raise
        return made

    def _player(self, name: str, models: Models) -> Any:
        if not name.startswith(LANGUAGE):
            return make_policy(name, self.world)
        model = name.removeprefix(LANGUAGE)
        if model.startswith("python:") and model not in models:
            raise ParameterError(f"{name!r:.80}: files import no modules; name the function with --seats or --allow")
        try:
            return LanguageAgent(models[model], talk=self.settings.talked())
        except KeyError:
            has = ", ".join(models) or "none"
            raise ParameterError(f"there is no language model {model!r}; the server has: {has}") from None

    # Journal.

    def restore(self, event: Mapping[str, Any]) -> None:
        """Do again what an event of the journal says."""
        if "seat" in event:
            self._seated(event["seat"], event["digest"])
        elif "choose" in event:
            draft = Draft(event.get("words", ""), event.get("to", ""))
            self._choose(event["choose"], np.asarray(event["action"])[()], event["number"], draft)
        elif "step" in event:
            self._restore_step(event)
        elif "hand" in event:
            self._hand(event["hand"], event["person"])
        elif "closed" in event:
            self.closed = True
        elif "free" in event:
            self.digests.pop(event["free"])
            self.absent.pop(event["free"])
        elif "gone" in event:
            self.digests[event["gone"]] = _NOBODY
        elif "begin" in event:
            self._begin(event.get("seed"))
        else:
            raise JournalError(f"this version knows no event with {', '.join(event)}")

    def _restore_step(self, event: Mapping[str, Any]) -> None:
        session = self.session
        if session.over:
            raise JournalError("a step after the end of the episode")
        choosers = self.choosers(event)
        persons, session.persons = session.persons, session.persons | self._language
        for a, by in choosers.items():
            session.choose(a, np.asarray(event["step"][a])[()], by)
        self._advance(lines_of(event))
        session.persons = persons
        self.last |= {a: np.asarray(event["step"][a])[()] for a in event["chosen"]}
        self.numbers |= {int(a): number for a, number in event["numbers"].items()}

    def choosers(self, event: Mapping[str, Any]) -> dict[int, str]:
        """Who chose each agent's action in a step of the journal that is yet to be restored, a word of `replay.BY`."""
        found = dict.fromkeys(np.flatnonzero(self.session.batch.acting[0]).tolist(), "policy")
        for a in found:
            if a in self.session.persons:
                found[a] = "person" if a in event["chosen"] else "clock"
            elif a in self._language:
                found[a] = "fallback" if a in event.get("fallback", ()) else "model"
        return found

    def take(self, agent: int) -> str:
        """A new secret for a seat that nobody has."""
        secret = secrets.token_urlsafe(24)
        self.give(agent, digest(secret))
        return secret

    def give(self, agent: int, known: str) -> None:
        """Give a seat that nobody has to the owner of a secret with this digest."""
        if agent not in self.people or agent in self.digests or self.closed:
            raise ParameterError("this seat is taken")
        self.journal.append(seat=agent, digest=known)
        self._seated(agent, known)
        self.update()
        self.wake.set()

    def _seated(self, agent: int, known: str) -> None:
        self.digests[agent] = known
        self.absent[agent] = time.monotonic()
        self.chat.welcome(agent)

    def release(self, agent: int) -> None:
        """Take a seat from its owner; anybody may have it."""
        self.journal.append(free=agent)
        self.digests.pop(agent)
        self.absent.pop(agent, None)
        self.views.let_go(agent)
        self.update()

    def retire(self, agent: int) -> None:
        """Take a seat from its owner, who has left for good; nobody can have it."""
        if self.digests.get(agent) != _NOBODY:
            self.journal.append(gone=agent)
            self.digests[agent] = _NOBODY
            self.views.let_go(agent)

    def seat(self, secret: str) -> int | None:
        """The seat that a secret opens, or None; all seats are compared, in constant time."""
        wanted, found = digest(secret), None
        for agent, known in self.digests.items():
            if hmac.compare_digest(known, wanted):
                found = agent
        return found

    def allows(self, seat: int) -> bool:
        """Whether a seat may send another message now, from whichever page."""
        return self._limits[seat].take()

    # Play.

    @property
    def known(self) -> Any:
        """The record as pages may know it: in free talk, without acts of speech."""
        return self.chat.talk.known(self.world, self.record)

    @property
    def ready(self) -> bool:
        """Whether all seats for people have been taken, so that the episode can begin."""
        return all(a in self.digests for a in self.people)

    @property
    def done(self) -> bool:
        """Whether a table of a study has played and stored all its episodes, or the table was closed."""
        return self.closed or (0 < self.settings.episodes <= self.played and not self.moving)

    def close(self) -> None:
        """Close it: nothing happens at it any more."""
        if not self.closed:
            self.journal.append(closed=True)
            self.closed = True
            self.update()
            self.wake.set()

    def _choose(self, seat: int, action: Any, number: int, draft: Draft) -> None:
        self.session.choose(seat, action)
        self.last[seat], self.numbers[seat] = action, number
        self.chat.write(seat, draft)

    async def act(self, seat: int, message: Mapping[str, Any]) -> None:
        """Take the choice of a person, and what the person says with it; `ActionError` if that is impossible.

        Both are acknowledged when they are in the journal.
        """
        async with self.lock:
            session = self.session
            self._demand_play(seat)
            if not message.keys() & {"act", "click", "say"}:
                self._speak(seat, message)
                return
            if session.over or not session.batch.acting[0, seat]:
                raise ActionError("it is not your move")
            if seat in session.chosen and (not self.settings.tick or self.chat.settled(seat)):
                raise ActionError("you have chosen already")
            action = meant(self.world, self.record, session.batch.masks[0, seat], seat, message)
            session.batch.refuse(action, seat)
            draft = self.chat.draft(seat, message, action)
            timing = {"time": time.time(), **({"ms": message["ms"]} if "ms" in message else {})}
            if self.settings.tick:  # the step that it leads to is kept and acknowledges it
                self.choices[seat] = timing
            else:
                await self._append(
                    choose=seat, action=np.asarray(action).tolist(), number=message["n"], **draft.plain(), **timing
                )
            self._choose(seat, action, message["n"], draft)
            if not self.settings.tick:
                self.update()
                self.wake.set()

    def _demand_play(self, seat: int) -> None:
        """Raise `ActionError` if the person of a seat can do nothing now."""
        if not self.ready:
            raise ActionError("the episode begins when all seats are taken")
        if self.closed or self.failed or self.paused:
            raise ActionError("the table is closed" if self.closed else FAILED if self.failed else PAUSED)
        if seat not in self.session.persons:
            raise ActionError("a policy plays this seat: take it back first")

    def _speak(self, seat: int, message: Mapping[str, Any]) -> None:
        """Take words without a choice; the next step keeps and acknowledges them."""
        if not self.chat.at_any_time:
            raise ActionError("words go with an action: choose one")
        self.chat.write(seat, self.chat.draft(seat, message))
        self.numbers[seat] = message["n"]

    async def again(self) -> None:
        """Begin another episode when this one is over."""
        async with self.lock:
            if self.session.over and not self.done:
                seed = _new_seed() if self.settings.seed is None else None
                await self._append(begin=True, **({} if seed is None else {"seed": seed}))
                self._begin(seed)
                self.update()
                self.wake.set()

    def _begin(self, seed: int | None) -> None:
        """Begin an episode with a seed, by default the one after the last episode's."""
        start = self.session.start
        seed = ((start.seed or 0) + 1) % 2**64 if seed is None else seed
        self.session.begin(Start(seed, start.level))
        self.chat.begin()
        self.rules = self._rules()
        self.views.introduce()
        self.returns[:] = 0.0
        self.last.clear()

    def _rules(self) -> dict[int, str]:
        """The page for the player of each seat of people, as the episode begins; "" in a world without one."""
        if self.world.player_page is None:
            return dict.fromkeys(self.people, "")
        return {a: self.world.prompt(self.record, a) for a in self.people}

    async def hand(self, seat: int, person: bool) -> None:
        """Hand a seat to its policy, or back to its person."""
        async with self.lock:
            if (seat in self.session.persons) != person and not self.closed:
                await self._append(hand=seat, person=person)
                self._hand(seat, person)
                self.update()
                self.wake.set()

    def _hand(self, seat: int, person: bool) -> None:
        self.session.hand(seat, person)
        self.chat.drop(seat)

    def _advance(self, lines: Sequence[Line] | None = None) -> list[Line]:
        """Carry out one transition. Returns what was said in it: `lines`, if a journal has them already."""
        session = self.session
        session.advance()
        said = self.chat.lines() if lines is None else [*lines]
        self.chat.tell(said)
        self.returns += session.batch.rewards[0]
        self.played += session.over
        path = self.journal.path.with_name(f"{self.id}-{session.start.seed}.replay")
        if session.over and self.journal.write and not path.exists():
            replay = session.timeline.replay(session.players())
            replay.words = self.chat.words or None
            self._unsaved[path] = replay
        return said

    async def step(self) -> None:
        """One transition: carried out, on the disk, and only then shown."""
        async with self.lock:
            session, numbers = self.session, dict(self.numbers)
            if self.paused or self.closed or session.over:
                return
            if not self.settings.tick and session.waiting() is not None:
                return
            chosen = sorted(session.chosen)
            self._idle()
            self.moving = True
            said = await asyncio.to_thread(self._advance) if self._slow else self._advance()
            taken = session.timeline.actions[-1].tolist()
            self._owed = dict(step=taken, chosen=chosen, numbers=numbers, choices=self.choices, **entry_of(said))
            if failed := self._unanswered():
                self._owed["fallback"] = failed
            for a in self._language:  # or it grows for as long as the table is there
                model: Any = self.session.cast.seats[a]
                model.transcript.clear()
            self.choices = {}
            await self._store()

    def _unanswered(self) -> list[int]:
        """The seats whose language model gave no action in this step, so that a policy chose; each is logged."""
        found = [a for a, by in enumerate(self.session.timeline.by[-1]) if by == "fallback"]
        for a in found:
            model: Any = self.session.cast.seats[a]
            name = self.settings.seats.get(self.world.agents[a], self.settings.standin)
            problem = next(one.problem for one in reversed(model.transcript) if one.agent == self.world.agents[a])
            _log.warning("table %s, step %d: %s gave no action: %s", self.id, self.session.step, name, problem)
        return found

    async def _append(self, **event: Any) -> None:
        """Put an event into the journal, or pause the table and raise `ActionError`."""
        if self.paused:
            raise ActionError(PAUSED)
        try:
            await asyncio.to_thread(self.journal.append, **event)
        except StorageError as problem:
            self._pause(problem)
            raise ActionError(PAUSED) from None

    async def _store(self) -> None:
        """Put the last step and finished replays on the disk, and show them; pause where that fails."""
        try:
            if self._owed is not None:
                await asyncio.to_thread(self.journal.append, **self._owed)
                self._owed, self.moving = None, False
            for path, replay in list(self._unsaved.items()):
                await asyncio.to_thread(_save, path, replay)
                del self._unsaved[path]
        except StorageError as problem:
            self._pause(problem)
        else:
            self.paused = False
            self.update()

    def _pause(self, problem: StorageError) -> None:
        if not self.paused:
            _log.error("the table %s is paused: %s", self.id, problem)
        self.paused = True
        self.update()
        self.wake.set()

    async def _recover(self) -> None:
        """Try again what could not be stored."""
        async with self.lock:
            await self._store()
        while self._late and not self.paused:
            await self.attend(self._late.pop())

    def _idle(self) -> None:
        """In a ticked table: what the people do who have chosen nothing."""
        session = self.session
        while (seat := session.waiting()) is not None:
            last = self.last.get(seat) if self.settings.idle == "repeat" else None
            session.choose(seat, rest(self.world, session.batch.masks[0, seat], seat, last), "clock")

    async def run(self) -> None:
        """Play until the table is done; an error ends it, with a line in the log and on its pages."""
        try:
            await self._play()
        except Exception:
            _log.exception("the table %s has stopped: %s", self.id, self.world.id)
            self.failed = True
            self.update()

    async def _play(self) -> None:
        """Play, with the clock or whenever the people have chosen."""
        if self._unsaved:
            await self._recover()
        for seat in [seat for seat, known in self.digests.items() if known == _NOBODY]:
            await self.attend(seat)
        tick = self.settings.tick
        # The ticks of many tables are spread evenly over the time between two ticks.
        due = (math.floor(time.monotonic() * tick) + _places() % 1) / tick if tick else 0.0
        while not self.done or self.paused:
            if self.paused:
                await asyncio.sleep(_AGAIN)
                await self._recover()
                continue
            if tick:
                late = math.floor(max(0.0, time.monotonic() - due) * tick)
                due += max(1, late) / tick
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                if self.ready and any(self.views.pages.get(a) for a in self.people):
                    await self.step()
                continue
            waits = not self.ready or self.session.over or self.session.waiting() is not None
            if waits or not any(self.views.pages.values()):
                await self.wake.wait()
                self.wake.clear()
                continue
            people = bool(self.session.chosen)
            await self.step()
            await asyncio.sleep(0 if people else 1 / ANSWERS)

    # Pages.

    def update(self) -> None:
        """Send the present to all pages."""
        self.views.update()

    async def enter(self, viewer: int | None, page: Send) -> None:
        """A page opens; the first one of an absent person takes the seat back."""
        self.absent.pop(viewer, None)
        self.absent.pop(None, None)
        first = viewer is not None and not self.views.pages.get(viewer)
        self.views.add(viewer, page)
        if viewer is not None and first:
            await self.attend(viewer)
        self.update()
        self.wake.set()

    async def leave(self, viewer: int | None, page: Send) -> None:
        """A page has closed; without one, a person is absent."""
        self.views.remove(viewer, page)
        pages = self.views.pages
        if not any(pages.values()):
            self.absent[None] = time.monotonic()
        if viewer is not None and not pages[viewer]:
            self.absent[viewer] = time.monotonic()
            await self.attend(viewer)

    async def miss(self) -> None:
        """Treat those as absent who do not come back after a restart."""
        await asyncio.sleep(BACK)
        for seat in self._before:
            if seat in self.digests and not self.done and not self.views.pages.get(seat):
                await self.attend(seat)

    async def attend(self, seat: int) -> None:
        """Hand a seat to its policy or to its person: who has left does not play, nor may somebody who is absent."""
        gone = self.digests.get(seat) == _NOBODY
        if gone or self.settings.absent == "policy":
            try:
                await self.hand(seat, not gone and bool(self.views.pages.get(seat)))
            except ActionError:
                self._late.add(seat)


_tables = itertools.count()


def _places() -> float:
    """Multiples of the golden section: their fractions are spread evenly, however many there are."""
    return next(_tables) * 0.6180339887498949


def _new_seed() -> int:
    """A seed of as many random bits as a record's stream holds, which nobody can derive or guess."""
    return secrets.randbits(64)


def _save(path: Path, replay: Replay) -> None:
    write_whole(path, replay.to_bytes())
