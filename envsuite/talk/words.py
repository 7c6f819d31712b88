"""What is said in an episode, beside its record."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from envsuite.core.errors import ReplayError

#: Lines of an episode, and characters of one, that are kept.
MOST_LINES, MOST_CHARACTERS = 20_000, 4_000

#: What stands after words that were cut.
CUT = "[cut]"

#: Joiners of scripts and of emoji, which are left where they join.
_JOINERS = "\u200c\u200d"

#: How many combining marks a letter keeps.
_MARKS = 2

#: How words reach others: with an act of speech or an action, in a round of talk to all, to a team, or to one alone.
CHANNELS = ("public", "table", "team", "private")


class Line(NamedTuple):
    """Something that was said.

    Attributes:
        step: transitions before it.
        agent: the number of who said it.
        to: the numbers of those who heard it, without the speaker.
        text: the words, clean and on one line.
        act: the action that the rules took, in words; "" for words in a round of talk, which go with none.
        by: who chose the words: "model", "policy" or "person".
        channel: one of `CHANNELS`.
    """

    step: int
    agent: int
    to: tuple[int, ...]
    text: str
    act: str
    by: str
    channel: str = "public"

    @classmethod
    def of(cls, row: Sequence[Any]) -> Line:
        """The line of a row of plain data; `ValueError` or `TypeError` if it has not its parts."""
        step, agent, to, *rest = row
        return cls(step, agent, tuple(to), *rest)


class Words:
    """All that is said in an episode of some agents, in order.

    Attributes:
        agents: the number of agents.
        lines: what was said.
        held: lines that have yet to arrive: with a hearer, and the key at which it was said.
    """

    def __init__(self, agents: int, lines: Iterable[Line] = ()):
        self.agents = agents
        self.lines = list(lines)
        self._unread = [[line for line in self.lines if a in line.to] for a in range(agents)]
        self.held: list[tuple[Line, int, int]] = []

    def __len__(self) -> int:
        return len(self.lines)

    def say(self, line: Line, key: Callable[[int, int], int] | None = None) -> None:
        """Add a line, unless it is empty or the episode is full.

        Args:
            line: the line.
            key: a function of the speaker and a hearer. Words are held until what it gives is different; see `release`.
                Without it they are heard at once.
        """
        if not line.text or len(self.lines) >= MOST_LINES:
            return
        self.lines.append(line)
        for a in line.to:
            if key is None:
                self._unread[a].append(line)
            else:
                self.held.append((line, a, key(line.agent, a)))

    def release(self, key: Callable[[int, int], int]) -> None:
        """Let those lines be heard whose key has changed."""
        held, self.held = self.held, []
        for line, a, before in held:
            if key(line.agent, a) == before:
                self.held.append((line, a, before))
            else:
                self._unread[a].append(line)

    def new(self, agent: int) -> list[Line]:
        """The lines that an agent has heard since this was last asked."""
        found, self._unread[agent] = self._unread[agent], []
        return found

    def until(self, steps: int) -> Words:
        """What was said with the actions of the first steps, and before them."""
        return Words(self.agents, [line for line in self.lines if line.step < steps])

    def at(self, step: int) -> list[Line]:
        """The lines that were said with the actions of a step."""
        return [line for line in self.lines if line.step == step]

    def spent(self, agent: int) -> int:
        """The number of words that an agent has said."""
        return sum(count(line.text) for line in self.lines if line.agent == agent)

    def to_bytes(self) -> bytes:
        """As they stand in a replay."""
        rows = [line if line.channel != "public" else line[:-1] for line in self.lines]
        return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes, agents: int, steps: int, name: str) -> Words:
        """The words of a replay of some agents and steps; `ReplayError` names what cannot be."""
        try:
            rows = json.loads(data)
            lines = [Line.of(row) for row in rows]
        except (ValueError, TypeError, RecursionError) as problem:
            raise ReplayError(f"{name}: what was said cannot be read: {problem}") from None
        if len(lines) > MOST_LINES:
            raise ReplayError(f"{name}: {len(lines)} lines were said; {MOST_LINES} are the most")
        for k, line in enumerate(lines):
            fault = _fault(line, agents, steps, lines[k - 1].step if k else 0)
            if fault:
                raise ReplayError(f"{name}: line {k} of what was said has {fault}")
        return cls(agents, lines)


def _fault(line: Line, agents: int, steps: int, last: int) -> str | None:
    """What is wrong with a line that comes after one of step `last`."""
    numbers = (line.step, line.agent, *line.to)
    if any(type(number) is not int for number in numbers):
        return "numbers that are none"
    if not all(isinstance(part, str) and len(part) <= MOST_CHARACTERS for part in line[3:]):
        return "no text, or too much of it"
    if line.channel not in CHANNELS:
        return f"the channel {line.channel!r:.60}"
    if not last <= line.step < steps:
        return f"step {line.step} of {steps}"
    if not all(0 <= number < agents for number in numbers[1:]) or line.agent in line.to:
        return "agents that there are not"
    if not line.text or clean(line.text) != line.text:
        return "text that nobody can have said"
    return None


def clean(text: str) -> str:
    """Words on one line, without characters that hide, turn or pile up. What is clean stays as it is."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = " ".join(unicodedata.normalize("NFC", text).split())
    kept: list[str] = []
    marks = 0
    shown = [sign for sign in text if sign in _JOINERS or unicodedata.category(sign)[0] != "C"]
    for sign, after in zip(shown, [*shown[1:], ""]):
        if sign in _JOINERS and not all(_is_joined(other) for other in (kept[-1] if kept else "", after)):
            continue
        marks = marks + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        if marks <= _MARKS:
            kept.append(sign)
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))


def _is_joined(sign: str) -> bool:
    """Whether a sign can stand beside a joiner."""
    return sign != "" and sign not in _JOINERS and not sign.isascii()


def limited(text: str, words: int) -> str:
    """A clean text, cut to this number of words and to ten characters for each."""
    parts = text.split(" ")
    short = " ".join(parts[:words])[: min(10 * words, MOST_CHARACTERS - len(CUT) - 1)].rstrip()
    return text if short == text else f"{short} {CUT}" if short else ""


def count(text: str) -> int:
    """How many words somebody has said, of words that may have been cut."""
    return len(text.removesuffix(CUT).split())


def shown(line: Line, agents: Sequence[str]) -> str:
    """A line as others read it."""
    aside = "" if to_all(line, agents) else f" (to {', '.join(agents[a] for a in line.to)})"
    return f'{agents[line.agent]}{aside}: "{line.text}"'


def to_all(line: Line, agents: Sequence[str]) -> bool:
    """Whether something was said to all that there are, or to all at the table."""
    return line.channel == "table" or len(line.to) == len(agents) - 1
