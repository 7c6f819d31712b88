"""Commands of text worlds: every action is a verb with up to two things, such as `put apple on table`.

    COMMANDS = Commands((
        Verb("go", "go {direction}", "Leave the room.", {"direction": DIRECTIONS}, ("walk {direction}", "{direction}")),
        Verb("put", "put {item} on {place}", "Put a thing down.", {"item": ITEMS, "place": TABLES}),
        Verb("look", "look", "Look around."),
    ))
    GO, PUT, LOOK = range(3)
    TABLE = COMMANDS.table                          # for kernels: verb, first and second thing of every action

    words = COMMANDS.words(names)                   # with the names of the things
    self.tools = (words.tools,)                     # in the constructor, before `define(actions=words.names, ...)`
    self.synonyms = words.synonyms                  # other wordings in typed answers: "place the apple on the table"

Arguments are numbers of things, or words. In the table a word is its place in the list; an argument that a verb does
not take is 0. A world lists all actions that could be possible in any level, and `legal` says which are possible now.
`envsuite.reading` reads typed commands; its errors name the nearest possible ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.tools import Tool, names_of
from envsuite.kit.things import MOST


@dataclass(frozen=True)
class Verb:
    """A verb: one action for every choice of its arguments, of which the last changes fastest.

    Attributes:
        name: the name of its tool.
        label: the command, with a place for each argument: ``"put {item} on {place}"``.
        description: what it does, for language models.
        arguments: up to two; numbers of things, or words.
        others: other ways to say it, in the form of the label.
    """

    name: str
    label: str
    description: str
    arguments: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    others: tuple[str, ...] = ()


class Words(NamedTuple):
    """Commands with the names of their things: the tools of language models, all names, and other wordings."""

    tools: tuple[Tool, ...]
    names: tuple[str, ...]
    synonyms: dict[str, str]


class Commands:
    """The actions of a world, in the order of its verbs."""

    def __init__(self, verbs: Sequence[Verb]):
        self.verbs = tuple(verbs)

    @cached_property
    def table(self) -> np.ndarray:
        """(K, 3) int16: the verb of each action, and its first and second argument (0 where it has none)."""
        rows = []
        for number, verb in enumerate(self.verbs):
            for chosen in product(*(range(len(values)) for values in verb.arguments.values())):
                numbers = [values[k] for values, k in zip(verb.arguments.values(), chosen)]
                given = [k if isinstance(value, str) else value for value, k in zip(numbers, chosen)]
                rows.append([number, *given, 0, 0][:3])
        return np.array(rows, np.int16)

    def numbers(self, verb: int) -> np.ndarray:
        """The actions of a verb by its arguments, -1 where there is none: (64,) int16, or (64, 64) if it takes two."""
        wide = len(self.verbs[verb].arguments) == 2
        table = np.full((MOST, MOST) if wide else MOST, -1, np.int16)
        for action, (own, one, other) in enumerate(self.table.tolist()):
            if own == verb:
                table[(one, other) if wide else one] = action
        return table

    def words(self, names: Sequence[str]) -> Words:
        """The commands with these names of things."""
        tools: list[Tool] = []
        synonyms: dict[str, str] = {}
        for verb in self.verbs:
            named = {
                argument: [value if isinstance(value, str) else names[value] for value in values]
                for argument, values in verb.arguments.items()
            }
            tool = Tool(verb.name, verb.label, verb.description, named)
            tools.append(tool)
            for choice, name in zip(tool.choices, tool.actions):
                if not choice:
                    synonyms |= dict.fromkeys(verb.others, name)
                    continue
                things = {
                    k: word if isinstance(verb.arguments[k][0], str) else f"the {word}" for k, word in choice.items()
                }
                synonyms[verb.label.format(**things)] = name
                for other in verb.others:
                    synonyms[other.format(**choice)] = name
                    synonyms[other.format(**things)] = name
        found = names_of(tools)
        for name in found:
            synonyms.pop(name, None)
        return Words(tuple(tools), found, synonyms)
