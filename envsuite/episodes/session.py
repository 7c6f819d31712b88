"""Sessions: episodes that policies and people play, watched or played in a window or a terminal.

A person sees only what the seat's agent may know: its picture, its text, its rewards, and moves of others only if all
agents see them. Every moment is kept, so a session can rewind to any of them and continue differently from there.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.live import Live
from rich.text import Text

from envsuite.agents.human import HELP, KEYS, Human, LeftError, UndoError, drawing, has_keys, keyboard
from envsuite.compile import announce
from envsuite.core.batch import Batch
from envsuite.core.cast import Cast
from envsuite.core.console import Console
from envsuite.core.errors import ActionError, ParameterError
from envsuite.core.files import writable
from envsuite.core.world import World
from envsuite.episodes.recorder import numbered
from envsuite.episodes.replay import Replay, Start, begin
from envsuite.episodes.timeline import Timeline
from envsuite.render.scene import Scene
from envsuite.talk.delivery import Delivery, addressed
from envsuite.talk.reach import in_words
from envsuite.talk.table import Talk
from envsuite.talk.words import shown

#: How a person speaks in a terminal.
SAY = 'To speak, type "say" and your words, or "/say" where "say" is an action; they go with your next act of speech.'

#: Steps per second at which policies answer a person.
ANSWERS = 2.0


class Session:
    """An episode while policies and people play it.

    Attributes:
        world: the world; `batch` is the batch in which it is played.
        cast: the policy of every seat; it is not used where a person plays.
        persons: the seats that people play.
        talk: what agents say in words of their own, a `Delivery`; None if they have none.
        timeline: the moments so far.
        step: the step that `batch` is at; a move there cuts off all later moments.
        start: the start of the episode.
        recorded: the step up to which the episode comes from a replay; None if there is no replay.
        results: the (A,) returns of the earlier episodes, each at the step where it was left.
        written: files of their replays.
    """

    def __init__(
        self,
        world: World,
        policies: Any,
        seed: int | None = 0,
        persons: Collection[int] = (),
        path: str | PathLike[str] | None = None,
        talk: Talk = Talk(),  # noqa: B008
    ):
        """Start the first episode.

        Args:
            world: the world.
            policies: the policies, as `Cast` takes them; every seat that no person plays needs one.
            seed: of the first episode; each further episode has the next seed. None for new random bits in each
                episode, which nobody can derive from other episodes.
            persons: the seats that people play.
            path: a file for the episode's replay, written when the next one begins or the session is closed. Further
                replays go to "name-2.replay" and so on. `ParameterError` if it cannot be written.
            talk: how people talk with each other and with policies, which speak by sentences of the world.
        """
        self.path = None if path is None else writable(path)
        self.world, self.cast, self.persons = world, Cast(world, policies, idle=persons), set(persons)
        self.batch = Batch(world, 1, background=True)
        self.talk = Delivery(self.batch, talk, by="person") if talk else None
        self.recorded: int | None = None
        self._recorders: dict[str, str] = {}
        self.chosen: dict[int, Any] = {}
        self._choosers: dict[int, str] = {}
        self.results: list[np.ndarray] = []
        self.written: list[Path] = []
        self._fresh = seed is None
        start = Start(_fresh_seed() if seed is None else seed)
        self.timeline = Timeline(world, start)
        self.begin(start)

    @classmethod
    def of(cls, replay: Replay, policies: Any) -> Session:
        """A session at the end of a replay; the policies play on from there."""
        made = cls(replay.world, policies)
        made._reset(replay.start)
        made.timeline = Timeline.of(replay, made.cast.get_state())
        made.recorded, made._recorders = len(replay), replay.players
        made.seek(len(replay))
        return made

    def _reset(self, start: Start) -> None:
        begin(self.batch, start)
        self.start = start
        self.cast.reset(start.seed or 0)

    def begin(self, start: Start | None = None) -> None:
        """Begin another episode, by default with the next seed, or a new one; a bad level is a `LevelError`."""
        if start is None:
            start = Start(_fresh_seed() if self._fresh else ((self.start.seed or 0) + 1) % 2**64)
        held = self.batch.records.copy()
        try:
            self._reset(start)
        except ValueError:
            self.batch.records[:] = held
            self.batch.observe()
            raise
        self.close()
        self._forget()
        self.recorded = None
        self.step, self.timeline = 0, Timeline(self.world, start)
        self.timeline.add(self.batch, self.cast.get_state())
        if self.talk is not None:
            self.talk.seed = start.seed or 0
            self.talk.begin(self.timeline.words)

    def close(self) -> None:
        """Leave the episode: note its returns, and write its replay if a path was given."""
        if len(self.timeline):
            self.results.append(self.timeline.returns()[-1])
            if self.path is not None:
                path = numbered(self.path, len(self.written) + 1)
                self.timeline.replay(self.players()).save(path)
                self.written.append(path)
        self.timeline = Timeline(self.world, self.start)

    def player(self, agent: int, step: int | None = None) -> str:
        """The player of an agent: "a person", or the name of its policy; for recorded steps, the recorded player.

        Args:
            agent: its number.
            step: the step up to which it played; without it, the player of its next move.
        """
        if step is not None and self.recorded is not None and step <= self.recorded:
            return self._recorders.get(self.world.agents[agent]) or "unknown"
        return "a person" if agent in self.persons else self.cast.seats[agent].name

    def players(self) -> dict[str, str]:
        """The players so far, by the names of agents."""
        if self.recorded is not None and self.recorded == len(self.timeline):
            return dict(self._recorders)
        found = {name: self.player(a) for a, name in enumerate(self.world.agents)}
        for a, (name, now) in enumerate(found.items() if self.recorded else ()):
            before = self.player(a, 0)
            found[name] = now if now == before else f"{before}, from step {self.recorded} {now}"
        return found

    @property
    def at_recorded_end(self) -> bool:
        """Whether the next transition would be the first one that was not recorded."""
        return self.step == self.recorded == len(self.timeline) and not self.over

    @property
    def over(self) -> bool:
        """Whether the episode is over for all."""
        return bool(self.batch.finished[0])

    @property
    def returns(self) -> np.ndarray:
        """(A,) rewards of the episode so far."""
        return self.timeline.at(self.step).returns

    def scene(self, agent: int | None = None) -> Scene:
        """The picture of now, for spectators or for an agent."""
        record = self.batch.record()
        return self.world.scene(record if agent is None else self.known(record), agent)

    @property
    def free(self) -> bool:
        """Whether people hear words in place of acts of speech, until the episode is over."""
        return self.talk is not None and self.talk.talk.mode == "free" and not self.over

    def known(self, record: Any) -> Any:
        """A record as a person may know it: in free talk without acts of speech."""
        return self.world.unspoken(record) if self.free else record

    def say(self, agent: int, text: str) -> str:
        """A person's words, which go with the agent's next act of speech; returns them as others will hear them.

        "to player_2: " before them names the only one to hear them. `ActionError` with the reason if it cannot speak
        now, or not to this agent; `ParameterError` without talk.
        """
        if self.talk is None:
            raise ParameterError(f'{self.world.id}: people have no words of their own here: talk=Talk("beside")')
        to, words = addressed(text, self.world.agents)
        return self.talk.say(agent, words, to)

    def waiting(self) -> int | None:
        """The seat of the person whose choice is awaited, or None."""
        acting = self.batch.acting[0]
        return next((a for a in sorted(self.persons) if acting[a] and a not in self.chosen), None)

    def choose(self, agent: int, action: Any, by: str = "person") -> None:
        """Take a person's choice for the next transition; `ActionError` with the reason if it is not possible.

        Args:
            agent: its number.
            action: the action.
            by: who chose it, a word of `replay.BY`.
        """
        self.batch.refuse(action, agent)
        self.chosen[agent], self._choosers[agent] = action, by

    def _by(self, agent: int) -> str:
        """Who chose an agent's action for the transition that has just been made."""
        if agent in self._choosers:
            return self._choosers[agent]
        return self.cast.seats[agent].chosen_by(self.world.agents[agent])

    def advance(self) -> None:
        """One transition with the choices of people and policies."""
        waiting = self.waiting()
        if waiting is not None:
            raise ActionError(f"{self.world.id}: {self.world.agents[waiting]} has not chosen yet")
        if self.step < len(self.timeline):
            self.timeline.cut(self.step)
            self.recorded = None if self.recorded is None else min(self.recorded, self.step)
        batch = self.batch
        self.cast.choose(batch, resting=self.persons)
        for a, action in self.chosen.items():
            batch.actions[0, a] = action
        acting = (batch.acting[0] != 0).tolist()
        by = [self._by(a) if acts else "" for a, acts in enumerate(acting)]
        self._forget()
        held = None if self.talk is None else self.talk.hold()
        batch.step()
        if self.talk is not None and held is not None:
            self.talk.scripted = set(range(len(self.world.agents))) - self.persons
            self.talk.deliver(held, self.step)
        self.timeline.add(batch, self.cast.get_state(), by)
        self.step += 1

    def _forget(self) -> None:
        """Nobody has chosen yet."""
        self.chosen.clear()
        self._choosers.clear()

    def seek(self, step: int) -> None:
        """Go to another step, the policies' memories too."""
        memory = self.timeline.put(self.batch, step)
        self.step = step
        self._forget()
        if self.talk is not None:
            self.talk.waiting.clear()
        if memory:
            self.cast.set_state(memory)

    def heard(self, agent: int) -> list[str]:
        """The words that an agent has heard since its last action, with who said them."""
        return [shown(line, self.world.agents) for line in self.timeline.heard(agent, self.step)]

    def speaking(self, agent: int) -> list[str]:
        """Whether and to whom a person can speak now, and what it is about to say, each in a sentence."""
        reached = None if self.talk is None else self.talk.reach(agent)
        if self.talk is None or reached is None:
            return []
        told = [f"You can speak to {in_words(self.world, reached)}, with at most {self.talk.left(agent)} words."]
        if self.free:
            told.append("The others hear only these words, and see what your action does.")
        if "private" in self.talk.talk.channels and reached:
            told.append(f'"to {self.world.agents[min(reached)]}: " before your words lets it alone hear them.')
        if agent in self.talk.waiting:
            told.append(f'You will say: "{self.talk.waiting[agent][0]}"')
        return told

    def hand(self, agent: int, person: bool) -> None:
        """Hand an agent to a person or to its policy from now on."""
        if not person and agent not in self.cast.seats:
            raise ParameterError(f"{self.world.id}: {self.world.agents[agent]} has no policy that could take over")
        (self.persons.add if person else self.persons.discard)(agent)
        self.chosen.pop(agent, None)
        self._choosers.pop(agent, None)
        if self.talk is not None:
            self.talk.waiting.pop(agent, None)

    def play(self, steps: int | None = None) -> Iterator[Session]:
        """Play to the end of the episode, or for `steps` steps; yields this object now and after each step."""
        yield self
        last = None if steps is None else self.step + steps
        while not self.over and self.step != last:
            self.advance()
            yield self

    def news(self, agent: int) -> list[str]:
        """The others' moves since an agent's last one, where all see them."""
        if self.world.information != "perfect" or self.world.turns != "sequential" or self.free:
            return []
        found: list[str] = []
        for step in range(self.step, 0, -1):
            done = self.timeline.done(step)
            if done[agent]:
                break
            found += [f"{name}: {move}" for name, move in zip(self.world.agents, done) if move]
        return found[::-1]

    def turn(self, agent: int) -> str:
        """The line that says whose turn it is, for a person at this seat."""
        batch, names = self.batch, self.world.agents
        if self.over:
            return "The episode is over."
        if batch.acting[0, agent]:
            return f"Your move, {names[agent]}." if agent not in self.chosen else f"{names[agent]} has chosen."
        if batch.terminations[0, agent] or batch.truncations[0, agent]:
            return f"{names[agent]} is out; the others play on."
        acting = [name for name, acts in zip(names, batch.acting[0]) if acts]
        return f"{acting[0]} is to move." if len(acting) == 1 else f"{len(acting)} agents are to move."


def _fresh_seed() -> int:
    """As many random bits as a record's stream holds."""
    return secrets.randbits(64)


# In a terminal.


def play_in_terminal(session: Session, console: Console, theme: str = "light") -> None:
    """Play one episode in a terminal: with single keys, drawn in place, where actions have keys; else by typing."""
    world = session.world
    keys = keyboard(world, console)
    say = None if session.talk is None else session.say
    pressed, typed = (Human(ask, console, undo=True, say=say) for ask in (keys, None))
    if keys is None:
        console.print(HELP, style="dim")
    if say is not None:
        console.print(SAY, style="dim")
    while True:
        with announce.shown():
            while (seat := session.waiting()) is None and not session.over:
                session.advance()
        by_key = keys is not None and (seat is None or has_keys(world, seat, session.batch.masks[0, seat]))
        seat = min(session.persons) if seat is None else seat
        moment = session.timeline.at(session.step)
        known = session.known(moment.record)
        words = world.text(known, seat)
        rows = None
        if by_key:
            console.clear()
            rows = max(8, console.height - words.count("\n") - 10)
        else:
            console.print()
        console.print(drawing(world.scene(known, None if session.over else seat), console, rows, theme))
        console.print(Text(words))
        heard = session.heard(seat)
        for line in [*session.news(seat), *(["You hear:"] if heard else []), *heard]:
            console.print(Text(line, "cyan"))
        told = f"return {moment.returns[seat]:g}"
        if session.over:
            pairs = zip(world.agents, np.round(moment.returns, 6))
            told = f"Returns: {', '.join(f'{agent} {value:g}' for agent, value in pairs)}"
        console.print(Text(f"{session.turn(seat)} {told}", "bold"))
        if session.over:
            return
        for line in session.speaking(seat):
            console.print(Text(line, "dim"))
        if by_key:
            console.print(Text(KEYS, "dim"))
        try:
            session.choose(seat, (pressed if by_key else typed).choose(session.batch, 0, seat))
        except UndoError:
            _undo(session, seat)
        except LeftError:
            console.print("Goodbye.")
            return


def _undo(session: Session, seat: int) -> None:
    """Go back to the last step at which this seat chose; to the start, if there is none."""
    session.seek(next((step for step in range(session.step - 1, 0, -1) if session.timeline.done(step + 1)[seat]), 0))


def show_in_terminal(
    session: Session, console: Console, fps: float, steps: int | None = None, theme: str = "light"
) -> None:
    """Show an episode in place; where the output is no terminal, one picture after the other."""
    display = Live(console=console, auto_refresh=False) if console.is_terminal else nullcontext()
    with announce.displayed(), display as live:
        for _ in session.play(steps):
            moment, done = session.timeline.at(session.step), session.timeline.done(session.step)
            values = zip(session.world.agents, np.round(moment.returns, 6), done)
            lines = [Text(f"{agent}  {value:g}  {action}", no_wrap=True) for agent, value, action in values]
            rows = None
            if live is not None:
                lines = lines[: console.height // 3]
                rows = console.height - len(lines) - 1
            status = Text(f"t = {session.step}", "bold")
            if live is not None:
                status.append(f"  {announce.line()}", "dim")
            picture = Group(drawing(session.scene(), console, rows, theme), status, *lines)
            if live is None:
                console.print(picture)
            else:
                live.update(picture, refresh=True)
                time.sleep(1 / fps)
