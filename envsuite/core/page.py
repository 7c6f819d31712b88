"""A world's page for players: its rules in plain English, with the numbers of the episode that is played.

    player_page = Page(
        role="You are {me}, one of {villagers:fisher} who share a lake.",
        goal="You earn one point for each ton that you catch.",
        rules=("Each month all ask at once.", When("language", "After each harvest you meet.")),
        acts={"catch {N}": "ask for N tons", "pass": When("language", "say nothing")},
        ends="It is over after {months:month}.",
    )

A text may have slots in braces: the world's parameters, what its method `page_slots` adds, ``me``, the agent's name,
``others``, the names of the others, and ``everyone``, the number of agents. ``{months:month}`` is "1 month" or
"12 months", ``{lives:life/lives}`` has its own plural, ``{share:.0%}`` is a format of Python's. Numbers are slots, so
that they are those of the game that is played; a number that no parameter changes stands in `constants`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class When:
    """A text that stands where a slot is true, and another where it is not: not None, 0, False or empty."""

    slot: str
    text: Text
    otherwise: Text = ""

    def chosen(self, slots: Mapping[str, Any]) -> Text:
        return self.text if slots[self.slot] else self.otherwise


@dataclass(frozen=True)
class Case:
    """One of several texts, by the value of a slot; `otherwise` for the values that are not named."""

    slot: str
    texts: Mapping[Any, Text]
    otherwise: Text = ""

    def chosen(self, slots: Mapping[str, Any]) -> Text:
        return self.texts.get(slots[self.slot], self.otherwise)


#: A sentence, a text that depends on a slot, or several of them, which become one paragraph.
Text = str | When | Case | Sequence["Text"]

#: The name of an action as a page shows it: a pattern, in which a word in capitals and braces stands for any text, or
#: several patterns with one meaning.
Pattern = str | tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """What a player must know to play, and nothing about how to play well.

    Attributes:
        role: who the player is.
        goal: what it is paid for, as the world pays it.
        rules: paragraphs.
        sees: what it learns in its turns, and what stays hidden.
        acts: by pattern, what an action does; one with an empty text is left out.
        ends: when the game is over.
        unsaid: parameters that players are not told, with the reason.
        constants: numbers in the texts that no parameter changes, as they stand there, with the reason.
        data: slots that hold a map or a table, which do not count in the length that a page may have.
    """

    role: Text = ""
    goal: Text = ""
    rules: Text = ()
    sees: Text = ""
    acts: Mapping[Pattern, Text] = field(default_factory=dict)
    ends: Text = ""
    unsaid: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    data: Sequence[str] = ()

    def text(self, slots: Mapping[str, Any]) -> str:
        """The page, with all slots filled."""
        rules = [self.rules] if isinstance(self.rules, str | When | Case) else self.rules
        acts = [f"- {', '.join(f'`{shown}`' for shown in names)}: {told}" for names, told in self.told_acts(slots)]
        paragraphs = [
            written((self.role, self.goal), slots),
            *(written(paragraph, slots) for paragraph in rules),
            written(self.sees, slots),
            "\n".join(["You can:", *acts]) if acts else "",
            written(self.ends, slots),
        ]
        return "\n\n".join(filter(None, paragraphs))

    def told_acts(self, slots: Mapping[str, Any]) -> Iterator[tuple[list[str], str]]:
        """The patterns of actions that the page shows, without braces, and what they mean."""
        for pattern, text in self.acts.items():
            told = written(text, slots)
            if told:
                yield [_FORM.vformat(WILD.sub(r"\1", name), (), slots) for name in _names(pattern)], told

    def patterns(self, slots: Mapping[str, Any]) -> list[tuple[re.Pattern[str], bool]]:
        """The patterns of actions as regular expressions for whole names, and whether the page shows them."""
        return [
            (re.compile(_pattern(name, slots)), bool(written(text, slots)))
            for names, text in self.acts.items()
            for name in _names(names)
        ]

    def raw(self) -> Iterator[str]:
        """All sentences, with their slots open."""
        for text in (self.role, self.goal, self.rules, self.sees, self.ends, *self.acts.values()):
            yield from _sentences(text)


#: A word in capitals and braces.
WILD = re.compile(r"\{([A-Z][A-Z_]*)\}")


def written(text: Text, slots: Mapping[str, Any]) -> str:
    """A text in words, as one paragraph."""
    if isinstance(text, When | Case):
        return written(text.chosen(slots), slots)
    if isinstance(text, str):
        return _FORM.vformat(text, (), slots)
    return " ".join(filter(None, (written(part, slots) for part in text)))


def listed(items: Iterable[Any], last: str = "and") -> str:
    """Items in a row: ``a, b and c``."""
    shown = [_shown(item) for item in items]
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def counted(count: int, noun: str) -> str:
    """A number of things: ``1 card``, ``2 cards``."""
    return f"{count} {noun if count == 1 else noun + 's'}"


def _names(pattern: Pattern) -> tuple[str, ...]:
    return (pattern,) if isinstance(pattern, str) else pattern


def _pattern(name: str, slots: Mapping[str, Any]) -> str:
    parts = WILD.split(name)
    return ".+".join(re.escape(_FORM.vformat(part, (), slots)) for part in parts[::2])


def _sentences(text: Text) -> Iterator[str]:
    if isinstance(text, str):
        yield text
    elif isinstance(text, When):
        yield from _sentences((text.text, text.otherwise))
    elif isinstance(text, Case):
        yield from _sentences((*text.texts.values(), text.otherwise))
    else:
        for part in text:
            yield from _sentences(part)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,g}"
    if isinstance(value, list | tuple):
        return listed(value)
    return str(value)


class _Form(string.Formatter):
    """Slots as a page shows them; after a colon, a noun is written with the number."""

    def format_field(self, value: Any, spec: str) -> str:
        if not re.fullmatch(r"[a-z][a-z' -]+(/[a-z' -]+)?", spec):
            return format(value, spec) if spec else _shown(value)
        one, _, many = spec.partition("/")
        return f"{_shown(value)} {one if value == 1 else many or one + 's'}"


_FORM = _Form()
