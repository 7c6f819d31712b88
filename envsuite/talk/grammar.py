"""What words amount to: the act of speech that they say, where they say it in a known form.

    grammar_of(world, agent).act("Let us keep it to ten each.", legal)

It knows the sentences of a world's policies with all that can stand in their slots, names of acts with their numbers in
order, and yes and no. Prose has many other forms, which it takes for no act. So this is for suggestions to people, for
what policies say, and for talk about what has a form, such as a number, a cell, or an answer to an offer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from envsuite.core.errors import ActionError
from envsuite.core.world import World
from envsuite.reading import read_action
from envsuite.reading.phrases import names_of
from envsuite.talk.voice import sentences

#: Where a sentence ends. A point within a number or a name ends none.
_END = re.compile(r"(?<=[.!?;])\s+|\n")

#: Questions and conditions name acts that nobody takes.
_NO_ACT = re.compile(r"\?\s*$|^\W*if\b|\bwould\b.*\bif\b", re.IGNORECASE)

#: Sentences that are read, and those that a policy says at once, at the most.
_MOST, _TOGETHER = 30, 4

_NUMBER = re.compile(r"\d+")

#: Words that begin a yes or a no, and the acts that these can be.
_YES = frozenset("yes yeah yep ok okay sure agreed accepted deal".split())
_NO = frozenset("no nope never rejected".split())
_AGREES, _REFUSES = ("accept", "agree", "confirm", "consent"), ("deny", "reject", "object", "refuse")


class Grammar:
    """What an agent can say in a world.

    Args:
        world: the world.
        agent: the number of the speaker.
    """

    def __init__(self, world: World, agent: int):
        self.names, self.synonyms = world.action_names[agent], world.synonyms
        self._words = names_of(tuple(self.names), tuple(world.synonyms.items())).words
        self._said: dict[str, set[int]] = {}  # acts by the words of a sentence
        for action, name in enumerate(self.names):
            for text in sentences(world, name):
                self._said.setdefault(self._key(text), set()).add(action)

    def _key(self, text: str) -> str:
        return " ".join(self._words(text))

    def act(self, text: str, legal: Collection[int]) -> int | None:
        """The act that words say, one of those that are legal; None if they say none, or more than one."""
        allowed = set(legal)
        parts = [part for part in _END.split(text) if part.strip()][:_MOST]
        found = self._known(parts, allowed)
        found = found or set().union(*(self._named(part, allowed) for part in (text, *parts)))
        found = found or set().union(*(self._answered(part, allowed) for part in parts))
        return found.pop() if len(found) == 1 else None

    def _known(self, parts: Sequence[str], legal: set[int]) -> set[int]:
        """The acts for which policies say some of these sentences, as many at once as they can."""
        found, first = set[int](), 0
        keys = [self._key(part) for part in parts]
        while first < len(keys):
            ends = range(min(len(keys), first + _TOGETHER), first, -1)
            said = ((end, self._said.get(" ".join(keys[first:end]), set()) & legal) for end in ends)
            end, acts = next(((end, acts) for end, acts in said if acts), (first + 1, set()))
            found, first = found | acts, end
        return found

    def _named(self, text: str, legal: set[int]) -> set[int]:
        """The act that a sentence names, if the act has every number of the sentence."""
        if _NO_ACT.search(text):
            return set()
        try:
            found = read_action(self.names, text, legal, self.synonyms)
        except ActionError:
            return set()
        numbers = set(_NUMBER.findall(self._key(text)))
        return {found} & legal if numbers <= set(_NUMBER.findall(self.names[found])) else set()

    def _answered(self, text: str, legal: set[int]) -> set[int]:
        """The only act that a yes or a no can be."""
        words = self._words(text)
        if not words or _NO_ACT.search(text) or _NUMBER.search(" ".join(words)):
            return set()
        return (
            self._among(_AGREES, legal) if words[0] in _YES else self._among(_REFUSES if words[0] in _NO else (), legal)
        )

    def _among(self, names: Sequence[str], legal: set[int]) -> set[int]:
        found = {action for action in legal if self.names[action] in names}
        return found if len(found) == 1 else set()


@lru_cache(256)
def grammar_of(world: World, agent: int) -> Grammar:
    """The grammar of an agent, made once."""
    return Grammar(world, agent)
