"""What help desks share: an assistant with a desk's tools, a customer, and the talk that joins them.

In its turn, a side calls up to `budget` tools, one at a time. Then it says something, which passes the turn. Tools and
words are numbers: a world lists its tools, and the words of both sides. A call that fails is an error; after
`max_errors` errors the call is lost. A gold plan solves the task, and `envsuite.evaluation.reports` plays all tasks of
a desk for its pass^k and its communication gap.

A desk is a world whose record has the fields of `task_fields`, `turn_fields` and `call_fields`, and whose kernels are
made with those below. Its class is a subclass of `Desk`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import MANY, below, fixed, flag, within
from envsuite.core.record import copied
from envsuite.core.tools import Tool
from envsuite.core.world import World
from envsuite.render.scene import Label, Rect, Scene, text_width, wrap

ASSISTANT, CUSTOMER = range(2)
DUAL, SOLO, ORACLE_PLAN = range(3)
MODES = ("dual", "solo", "oracle_plan")
#: Kinds of calls.
READS, PREPARES, WRITES = range(3)
#: The customer's manner in a task.
PERSONAS = ("none", "easy", "hard")

#: The number of last words, and of last calls in this turn, that are kept, newest first. A call is the tool's number
#: plus one, negative for an error. A word is its number plus one, 0 for none; the assistant's words come first.
TALK = 8
#: The largest number of tools in a turn.
MOST = 200
#: The last word of both sides, where they have it. In `talk`, the assistant's comes after all other words, and then the
#: customer's.
SAY = Tool("say", "say", "Pass the turn; by itself it says nothing.")


def task_fields(tools: int, length: int) -> list[tuple]:
    """The fields of a gold plan of at most `length` of that many tools."""
    return [
        ("gold", within(np.int64, -1, tools - 1), (length,)),  # tools by number; -1 after the last
        ("gold_length", within(np.int64, 0, length)),
    ]


def number_of_words(words: int, says: bool) -> int:
    """The largest number in `talk`: that of the last of `words`, or of both sides' `SAY`, which come after them."""
    return words + 2 if says else words


def turn_fields(agents: int, words: int) -> list[tuple]:
    """The fields of a turn; `words` is the number of words of both sides."""
    return [
        ("turn", below(np.int64, agents)),  # ASSISTANT or CUSTOMER
        ("budget_left", within(np.int64, 0, MOST)),  # number of tools
        ("talk", within(np.int64, 0, words), (TALK,)),  # what was said, newest first
    ]


def call_fields(tools: int, violations: int) -> list[tuple]:
    """The fields that count what was done in a call; `violations` is the number of rules that can be broken."""
    count = within(np.int64, 0, MANY)
    return [
        ("errors", within(np.int64, 0, 1000)),
        ("violations", below(np.int64, 1 << violations)),  # a bit each
        ("reads", count, (2,)),  # number of calls that look, by side
        ("writes", count, (2,)),  # number of calls that change something, by side
        ("words", count),  # number of utterances
        ("transferred", flag(np.int64)),
        ("solved", flag(np.int64)),
        ("calls", within(np.int64, -tools, tools), (TALK,)),  # tools called in this turn, newest first
    ]


def call_params(budget: int, max_steps: int, max_errors: int) -> dict[str, Any]:
    """The limits of a call, as parameters of the record."""
    return {"budget": fixed(budget), "max_steps": fixed(max_steps), "max_errors": fixed(max_errors)}


def box(low: Any, high: Any, dtype: Any) -> Box:
    """A Box of integers with these bounds for each element."""
    return Box(np.array(low, dtype), np.array(high, dtype), dtype=dtype)


def talk_spaces(words: int, budget: int, max_steps: int, max_errors: int) -> dict[str, Box]:
    """The parts of an observation that `show_call` writes; `words` is 0 for an assistant that is alone."""
    return {
        "talk": box([0] * TALK, [words] * TALK, np.int8 if words < 128 else np.int16),
        "counters": box([0] * 4, [max_steps, budget, max_errors, 1], np.int16),
    }


@kernel
def begin(s):
    """Start a call: nothing was said or called. Alone, the assistant has the turn."""
    s.turn = ASSISTANT if s.params.mode == SOLO else CUSTOMER
    s.budget_left = s.params.budget
    for k in range(TALK):
        s.talk[k] = 0
        s.calls[k] = 0
    s.errors = 0
    s.violations = 0
    for side in range(2):
        s.reads[side] = 0
        s.writes[side] = 0
    s.words = 0
    s.transferred = 0
    s.solved = 0


@kernel
def note_call(s, side, tool, kind, failed):
    """A side has called a tool, which reads, prepares a call, or may change something; an error counts."""
    if s.params.mode != SOLO and s.budget_left > 0:  # a transfer is possible without
        s.budget_left -= 1
    s.reads[side] += kind == READS
    s.writes[side] += kind == WRITES
    s.errors += failed
    for k in range(TALK - 1, 0, -1):
        s.calls[k] = s.calls[k - 1]
    s.calls[0] = -tool - 1 if failed else tool + 1


@kernel
def note_word(s, speaker, word):
    """A side has said something, which passes the turn; words count from 1."""
    for k in range(TALK - 1, 0, -1):
        s.talk[k] = s.talk[k - 1]
    s.talk[0] = word
    for k in range(TALK):
        s.calls[k] = 0
    s.words += 1
    s.turn = 1 - speaker
    s.budget_left = s.params.budget


@kernel
def lost(s):
    """Whether errors have ended the call."""
    return s.errors >= s.params.max_errors


@kernel
def settle(s, over, rewards):
    """End the transition; `over` says whether the call has ended, and `s.solved` whether it succeeded."""
    for a in range(rewards.shape[0]):
        rewards[a] = s.solved
        s.terminated[a] = over
        s.truncated[a] = not over and s.t >= s.params.max_steps


@kernel
def show_call(s, agent, out):
    """Observe talk and counters."""
    for k in range(TALK):
        out.talk[k] = s.talk[k]
    out.counters[0] = max(s.params.max_steps - s.t, 0)
    out.counters[1] = s.budget_left
    out.counters[2] = s.errors
    out.counters[3] = s.turn == agent


def dollars(cents: int) -> str:
    """An amount of money."""
    return f"${cents / 100:.2f}"


def shortened(lines: list[str], most: int) -> list[str]:
    """The first lines; the last of them shows if there were more."""
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]} ..."]


class Desk(World):
    """A help desk: its facts, its words, and the picture of the talk. A subclass says what its numbers mean."""

    turns = "sequential"
    paid_at_end = True
    utility = "identical"
    report = "envsuite.evaluation.reports:report"

    #: The number of the customer's first word in `talk`, and of its last one but `SAY`.
    customer_speech: ClassVar[int]
    last_word: ClassVar[int]
    #: The first action of each side that is a word.
    first_words: ClassVar[tuple[int, int]]
    #: The numbers in `talk` of words that tell something and do nothing else, which free talk replaces.
    telling: ClassVar[Collection[int]]
    #: The names of all tools by number.
    tool_names: ClassVar[tuple[str, ...]]
    #: The owners of the tools: of the assistant's, then of the customer's if it has any.
    sides: ClassVar[tuple[str, ...]] = ("desk",)
    #: The customers that a report compares, and parameters of "workflow" by the ability that it lacks where they are 0.
    customers: ClassVar[tuple[str, ...]] = ()
    abilities: ClassVar[Mapping[str, str]] = {}
    #: By group of tasks its values in order, or None where they are numbers; "plan length" is one of the groups.
    groups: ClassVar[Mapping[str, Sequence[str] | None]] = {}

    # What a desk says of itself.

    def tasks(self) -> list[dict[str, Any]] | None:
        """All tasks of its split, as levels; None if they are drawn."""
        raise NotImplementedError

    def groups_of(self, level: Mapping[str, Any]) -> dict[str, list[str]]:
        """The groups that a task belongs to: for each of `groups`, its values."""
        raise NotImplementedError

    def utterance(self, s: Any, k: int) -> str:
        """What was said at this place of the talk, in words; 0 is the newest."""
        raise NotImplementedError

    def result(self, s: Any) -> str:
        """The result of the last call of a tool, in words."""
        raise NotImplementedError

    def contradiction(self, s: Any) -> str | None:
        over = (s.terminated | s.truncated) > 0
        if over.any() != over.all() or s.t >= s.params.max_steps and not over.all():
            return "the call is over"
        return None

    def named(self, level: Mapping[str, Any], key: str, names: Sequence[str], default: str | None) -> str:
        """One of these names from a level, or `LevelError`."""
        value = level[key] if default is None else level.get(key, default)
        if value not in names:
            raise LevelError(f"{self.id}: {key} {value!r} must be one of {', '.join(names)}")
        return value

    # Words.

    def _speaker(self, s: Any, k: int) -> int:
        return ASSISTANT if s.talk[k] < self.customer_speech else CUSTOMER

    def _told(self, s: Any, k: int) -> bool:
        """Whether there are words at this place of the talk: `SAY` has none."""
        return 0 < s.talk[k] <= self.last_word

    def messages(self, s: Any) -> list[tuple[int, str]]:
        spoken = [k for k in range(TALK - 1, -1, -1) if self._told(s, k)]
        return [(self._speaker(s, k), self.utterance(s, k)) for k in spoken]

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        """The other side hears all words."""
        return (1 - agent,) if len(self.agents) > 1 and action >= self.first_words[agent] else None

    def told(self, s: Any, agent: int, action: int) -> str:
        """What a customer reports or states, which is in no name: the words of typed talk."""
        if not self.action_names[agent][action].startswith(("report: ", "state: ", "second choice")):
            return ""
        after, actions = copied(s), np.zeros(len(self.agents), np.int64)
        actions[agent] = action
        self.kernels.step(after, actions, np.zeros(len(self.agents)))
        return self.utterance(after, 0)

    def unspoken(self, s: Any) -> Any:
        """Words that do something are known, such as offers, answers to these, and what ends a request."""
        if len(self.agents) == 1:
            return s
        quiet = copied(s)
        for k in range(TALK):
            if quiet.talk[k] in self.telling:
                quiet.talk[k] = 0
        self.forget(quiet)
        return quiet

    def forget(self, s: Any) -> None:
        """Remove from a record what the assistant knows from words of `telling` alone."""
        raise NotImplementedError

    def talk_lines(self, s: Any, agent: int) -> list[str]:
        """What was said, with its speakers as this agent calls them."""
        return [f"{'You' if by == agent else f'The {self.agents[by]}'}: {words}" for by, words in self.messages(s)]

    def limits(self, s: Any) -> str:
        """The limits of a call, for a prompt; alone, there are no turns."""
        budget, steps, errors = (int(s.params[name]) for name in ("budget", "max_steps", "max_errors"))
        turn = f"A tool keeps your turn, {budget} of them at most; what you say passes it on. "
        ends = f"The call is lost after {steps} steps of both or {errors} errors."
        return ends if s.params.mode == SOLO else turn + ends

    def reply(self, s: Any, agent: int) -> str:
        last = "" if s.calls[0] == 0 else f"{self.tool_names[abs(int(s.calls[0])) - 1]}: {self.result(s)}.\n"
        if s.terminated[0] or s.truncated[0]:
            end = "the problem is dealt with" if s.solved else "the problem is not solved"
            return f"{last if agent == s.turn else ''}The call is over: {end}."
        left = f"{int(s.params.max_steps - s.t)} steps are left"
        if s.params.mode == SOLO:
            return f"{last}{left[0].upper()}{left[1:]}, {s.errors} of {s.params.max_errors} errors made."
        if s.turn != agent:
            return f"It is the turn of the {self.agents[s.turn]}; {left}."
        if not last and self._told(s, 0):
            last = f"The {self.agents[1 - agent]}: {self.utterance(s, 0)}\n"
        if agent >= len(self.sides):  # without tools
            return f"{last}It is your turn; {left}."
        tools = "1 tool" if s.budget_left == 1 else f"{s.budget_left} tools"
        return f"{last}It is your turn: {tools} more, then say something; {left}."

    # The picture of the talk: from 7.3 to 15.9 across, and from .5 to 13.9 down.

    def draw_talk(self, scene: Scene, s: Any, agent: int | None, title: str, known: str) -> None:
        """The talk below a title and what is known, with the calls of this turn and the state of the call."""
        left, width = 7.3, 8.6
        solo = s.params.mode == SOLO
        over = bool(s.terminated[0] or s.truncated[0])
        scene.add(Rect(left, 0.5, width, 13.4, "panel", radius=0.3))
        scene.add(Label(left + 0.4, 1.05, title, 0.46, align="left", bold=True))
        scene.add(Label(left + 0.4, 1.7, known, 0.4, "muted", "left", width=width - 0.8))
        bottom = 12.85
        if agent is None or solo or s.turn == agent:
            bottom = self._draw_calls(scene, s, bottom)
        if solo:
            told = f"one agent: {s.reads.sum()} calls to look, {s.writes.sum()} to change"
            scene.add(Label(left + 0.4, 2.35, told, 0.4, "muted", "left"))
        self._draw_words(scene, s, bottom)
        if over:
            verdict, color = ("solved", "good") if s.solved else ("not solved", "bad")
            if s.transferred:
                verdict = f"transferred, {'rightly' if s.solved else 'wrongly'}"
        else:
            verdict, color = ("", "ink") if solo else (f"{self.agents[s.turn]}'s turn", "muted")
        scene.add(Label(left + 0.4, 13.3, verdict, 0.46, color, "left", bold=over))
        count = f"step {s.t} of {s.params.max_steps}"
        scene.add(Label(left + width - 0.4, 13.3, count, 0.42, "muted", "right"))

    def _draw_calls(self, scene: Scene, s: Any, bottom: float) -> float:
        """The calls of this turn, with the result of the last one; return where they begin."""
        left, width = 7.3, 8.6
        for k in range(TALK if s.params.mode == SOLO else 1):
            if s.calls[k]:
                lines = shortened(wrap(self.result(s), width - 1.1, 0.38), 5) if k == 0 else []
                tall = 0.66 + 0.48 * len(lines) + (0.12 if lines else 0)
                bottom -= tall
                color = "gold@0.25" if s.calls[k] > 0 else "bad@0.18"
                scene.add(Rect(left + 0.3, bottom, width - 0.6, tall, color, radius=0.2))
                called = self.tool_names[abs(int(s.calls[k])) - 1]
                scene.add(Label(left + 0.55, bottom + 0.33, called, 0.4, "ink", "left", bool(lines), width - 1.1))
                for n, line in enumerate(lines):
                    scene.add(Label(left + 0.55, bottom + 0.84 + 0.48 * n, line, 0.38, align="left"))
                bottom -= 0.19
        return bottom

    def _draw_words(self, scene: Scene, s: Any, bottom: float) -> None:
        """The last words that fit above, as bubbles."""
        left, width = 7.3, 8.6
        shown: list[tuple[int, list[str]]] = []
        room = bottom - 2.2
        for k in range(TALK):
            if not self._told(s, k):
                continue
            lines = shortened(wrap(self.utterance(s, k), 6.5, 0.42), 9)
            room -= 0.62 * len(lines) + 0.62
            if room < 0:
                break
            shown.append((self._speaker(s, k), lines))
        y = 2.2
        for by, lines in reversed(shown):
            wide = min(7.1, max(text_width(line, 0.42) for line in lines) + 0.6)
            tall = 0.62 * len(lines) + 0.3
            x = left + 0.4 if by == CUSTOMER else left + width - 0.4 - wide
            scene.add(Rect(x, y, wide, tall, "white" if by == CUSTOMER else "sky@0.35", "line", 0.03, 0.25))
            color = "black" if by == CUSTOMER else "ink"
            for k, line in enumerate(lines):
                scene.add(Label(x + 0.3, y + 0.46 + 0.62 * k, line, 0.42, color, "left"))
            y += tall + 0.32
