"""What a part of an answer means: names of actions in it, what is ruled out, numbers in order, a number alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from envsuite.core.digits import whole
from envsuite.core.errors import ActionError, suggest

#: A word: letters and digits, with the signs that tell names apart: -1, 0.5, a1-a4, a7a8=n, amber>=0.3, 2d2c+.
_WORD = re.compile(r"(?:[+-]\.?(?=\d)|\.(?=\d))?\w+(?:(?:[=+-]|\.(?=\d)|[<>=]=)\w+)*(?:\+(?!\w))?|[.;!?,()\n]")

#: Signs that belong to the word after them or to the words around them, though there are spaces.
_APART = re.compile(r"[ \t]?([<>=]=)[ \t]?(?=\w)|(?<=\d)[ \t]?(=)[ \t]?(?=\w)|(?<= )([+-])[ \t](?=\d)")

_THOUSANDS = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w,]|\.\d)")
_COMMA = re.compile(r"(?<![\w,.-])(\d+),(\d+)(?![\w,])")
_NOT = re.compile(r"n't\b")
_I = re.compile(r"\bi'(?:d|ll|m|ve)\b")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_OF_KIND = re.compile(r"([a-z]+)_(\d+)")

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

_COUNTED = {word: k for k, word in enumerate(_UNITS)} | {word: 10 * k for k, word in enumerate(_TENS, 2)}
_TEN, _UNIT = "|".join(_TENS), "|".join(sorted(_UNITS, key=len, reverse=True))
_WRITTEN = re.compile(rf"\b(?:({_TEN})(?:[ -]({'|'.join(_UNITS[1:10])}))?|({_UNIT}))\b", re.IGNORECASE)
#: A number of hundreds or thousands, and what is added to it.
_LARGE = re.compile(r"\b(\d{1,3}|a) (hundred|thousand)(?:,? (?:and )?(\d{1,3})(?! (?:hundred|thousand)))?\b")

#: Words that rule out what follows, up to the end of the clause.
_RULE_OUT = frozenset("not never cannot avoid avoiding except without neither nor".split())

#: Words that say nothing beside a number: 10 tons please.
_FILLERS = frozenset(
    "i i'd i'll id ill we would will like want to shall choose pick play take go with my the a an of it is s d ll let "
    "lets us please you me do think so then only just exactly unit units ton tons fish coin coins point points card "
    "cards percent percents tonight today now number no nr option action move answer choice and".split()
)

#: Words before which, in a world whose actions are letters, "I" is the speaker: I choose A.
_VERBS = frozenset("am would will shall should want like think guess say choose pick select play take go".split())

#: Characters of an answer that an error repeats; words of a text that is compared with names by its numbers.
_SHOWN, _SENTENCE, _TAGGED = 80, 60, 400


class Word(NamedTuple):
    """A word of a sentence, and whether it stands where something is ruled out, or in brackets."""

    word: str
    out: bool
    aside: bool


def shorten(text: str) -> str:
    """A text for an error, in quotes: its beginning if it is long."""
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}..."


def bare(text: str) -> str:
    """A text without the marks around it, and without words like "I play" before what it names."""
    words = text.strip(" \t\r\n*_`\"'.,;!").split()
    while len(words) > 1 and words[0].lower() in _FILLERS:
        words.pop(0)
    return " ".join(words)


def counted(text: str) -> str:
    """A text with numbers in place of number words: twenty-five, three hundred and ten."""

    def large(found: re.Match[str]) -> str:
        times = 100 if found[2] == "hundred" else 1000
        return str((1 if found[1] == "a" else int(found[1])) * times + int(found[3] or 0))

    text = _WRITTEN.sub(lambda found: str(sum(_COUNTED[word.lower()] for word in found.groups() if word)), text)
    return _LARGE.sub(large, _LARGE.sub(large, text)) if "hundred" in text or "thousand" in text else text


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; punctuation around them is dropped."""
    return [word for word in _pieces(text) if word not in _PUNCTUATION]


_PUNCTUATION = frozenset(".;!?,()\n")


def _pieces(text: str) -> list[str]:
    """Words and punctuation."""
    plain = counted(_I.sub("i would", _NOT.sub(" not", text.lower())))
    plain = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), plain).replace("->", " for ")
    plain = _COMMA.sub(r"\1.\2", plain)
    plain = _APART.sub(lambda found: found[1] or found[2] or found[3], plain)
    return [_normal(word) for word in _WORD.findall(plain)]


def _normal(word: str) -> str:
    number = whole(word)
    return word if number is None else str(number)


def _scoped(pieces: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[Word]:
    """The words of a sentence with what is ruled out and what is aside; `spans` are the names in it.

    A word that is part of a name rules nothing out. What is ruled out ends with the sentence, or at a comma or a "but"
    after a name.
    """
    named = {k for first, last in spans for k in range(first, last)}
    found: list[Word] = []
    out, covered, depth, before, place = False, False, 0, "", 0
    for piece in pieces:
        if piece in _PUNCTUATION:
            depth = max(0, depth + (piece == "(") - (piece == ")"))
            if piece in ".;!?\n" or (piece == "," and covered):
                out = covered = False
            continue
        if place not in named:
            if piece == "but":
                out = before in ("anything", "everything", "all") or (out and not covered)
            elif piece in _RULE_OUT or piece == "than" or (piece == "of" and before == "instead"):
                out, covered = True, False
        found.append(Word(piece, out, depth > 0))
        covered = covered or (out and (place in named or _NUMBER.fullmatch(piece) is not None))
        before, place = piece, place + 1
    return found


def _speaker(words: Sequence[str], first: int, last: int) -> bool:
    """Whether a name in a sentence is the word "I" of who speaks."""
    return list(words[first:last]) == ["i"] and last < len(words) and words[last] in _VERBS


class Names:
    """The names of an agent's actions, and other wordings of them, as written answers use them.

    Attributes:
        names: of the actions.
        meanings: the actions that each sequence of words can mean, which is one unless two names differ in signs alone.
    """

    def __init__(self, names: Sequence[str], synonyms: Mapping[str, str]):
        self.names = names
        self._exact = {name: k for k, name in enumerate(names)}
        self._vocabulary: set[str] = set()  # all words of names
        self._kinds = {found[1] for name in names for found in _OF_KIND.finditer(name)}
        own: dict[str, set[int]] = {}
        for k, name in enumerate(names):
            own.setdefault(" ".join(self.words(name)), set()).add(k)
        other: dict[str, set[int]] = {}
        for synonym, name in synonyms.items():
            other.setdefault(" ".join(self.words(synonym)), set()).update(own.get(" ".join(self.words(name)), ()))
        self.meanings = {words: meant for words, meant in (other | own).items() if words and meant}
        self._vocabulary = {word for wording in self.meanings for word in wording.split(" ")}
        self._lengths: dict[str, list[int]] = {}  # of the wordings that begin with a word, the longest first
        self._forms: dict[tuple[str, ...], dict[tuple[str, ...], set[int]]] = {}  # by words with "#" for numbers
        self._numbered: dict[str, set[int]] = {}  # actions by the only number in their names
        for wording, meant in self.meanings.items():
            words = wording.split(" ")
            self._lengths.setdefault(words[0], []).append(len(words))
            form = tuple("#" if self._is_number(word) else word for word in words)
            numbers = tuple(word for word in words if self._is_number(word))
            if numbers:
                self._forms.setdefault(form, {}).setdefault(numbers, set()).update(meant)
            if len(numbers) == 1 and wording in own:
                self._numbered.setdefault(numbers[0], set()).update(meant)
        self._lengths = {first: sorted(set(found), reverse=True) for first, found in self._lengths.items()}

    def _is_number(self, word: str) -> bool:
        """Whether a word is a number, or a thing with a number such as player_2."""
        found = _OF_KIND.fullmatch(word)
        return _NUMBER.fullmatch(word) is not None or (found is not None and found[1] in self._kinds)

    def words(self, text: str) -> list[str]:
        """The words of a text, as they stand in names: "Player 4" is player_4, "bid + 1" is bid+1."""
        return [word for word in self._joined(_pieces(text)) if word not in _PUNCTUATION]

    def _joined(self, pieces: Sequence[str]) -> list[str]:
        found: list[str] = []
        for piece in pieces:
            if found and piece[0] in "+-" and found[-1] + piece in self._vocabulary:
                found[-1] += piece
                continue
            kind, sign, number = piece.partition("-")
            if sign and kind in self._kinds and whole(number) is not None:  # player-4
                piece = f"{kind}_{whole(number)}"
            elif found and found[-1] in self._kinds and whole(piece) is not None:
                piece = f"{found.pop()}_{piece}"
            found.append(piece)
        return found

    def read(self, text: str, legal: set[int], tagged: bool = True) -> int:
        """The action that a text means; it may be illegal if no legal one is named. `ActionError` if there is none.

        Args:
            text: a part of an answer.
            legal: the legal actions.
            tagged: whether the answer says that this part is its action: a long text that is not names none by its
                numbers.
        """
        if text.strip() in self._exact:
            return self._exact[text.strip()]
        pieces = self._joined(_pieces(text))
        words = [piece for piece in pieces if piece not in _PUNCTUATION]
        found = self.meanings.get(" ".join(words))
        if found is not None:
            return self._one(found, legal, text, words)
        spans = [span for span in self.named(words) if not _speaker(words, *span[:2])]
        scoped = _scoped(pieces, [(first, last) for first, last, _ in spans])
        kept = [span for span in spans if not scoped[span[0]].out]
        kept = [span for span in kept if not scoped[span[0]].aside] or kept
        if kept:
            return self._one(set().union(*(meant for *_, meant in kept)), legal, text, words)
        if spans:
            raise ActionError(f"{shorten(text)} names no action, it only rules some out")
        kept_words = [one for one in scoped if not one.out]
        said = [one.word for one in kept_words if not one.aside] or [one.word for one in kept_words]
        if len(said) <= (_TAGGED if tagged else _SENTENCE):
            found = self._by_numbers(said)
            found = self._by_number(said) if found is None else found
        return self._one(found or set(), legal, text, words)

    def _one(self, found: set[int], legal: set[int], text: str, words: Sequence[str]) -> int:
        found = found & legal or found
        if len(found) == 1:
            return min(found)
        if found:
            shown = ", ".join(self.names[k] for k in sorted(found)[:10])
            raise ActionError(f"{shorten(text)} names more than one action: {shown}{', ...' * (len(found) > 10)}")
        near = suggest(" ".join(words), [self.names[k] for k in sorted(legal)])
        raise ActionError(f"{shorten(text)} names no action{near}")

    def named(self, words: Sequence[str]) -> list[tuple[int, int, set[int]]]:
        """The names in a sentence: the places of their first words and after their last ones, and what they mean."""
        found: list[tuple[int, int, set[int]]] = []
        place = 0
        while place < len(words):
            for length in self._lengths.get(words[place], ()):
                meant = self.meanings.get(" ".join(words[place : place + length]))
                if meant and not self._goes_on(words[place + length - 1 : place + length + 2]):
                    found.append((place, place + length, meant))
                    place += length - 1
                    break
            place += 1
        return found

    def _goes_on(self, words: Sequence[str]) -> bool:
        """Whether the last word of a name is a number of several, or is changed by a sign: catch 10 or 11, bid +3."""
        if len(words) > 1 and words[1][0] in "+-" and words[1][1:].isalnum():
            return True
        return len(words) == 3 and words[1] in ("or", "to") and all(map(self._is_number, words[::2]))

    def _by_numbers(self, words: Sequence[str]) -> set[int] | None:
        """The actions whose names have these numbers, and their other words in this order, with others in between.

        None if the words are those of no name, whatever the numbers.
        """
        numbers = tuple(word for word in words if self._is_number(word))
        found: set[int] | None = None
        for form, meant in self._forms.items() if numbers else ():
            if len(form) > len(numbers) == form.count("#") and self._in_order(form, words):
                found = (found or set()) | meant.get(numbers, set())
        return found

    def _in_order(self, form: Sequence[str], words: Iterable[str]) -> bool:
        place = 0
        for word in words:
            if place < len(form) and (word == form[place] or (form[place] == "#" and self._is_number(word))):
                place += 1
        return place == len(form)

    def _by_number(self, words: Sequence[str]) -> set[int]:
        """The actions that have the only number of a text in their names, if it says nothing else."""
        numbers = {word for word in words if self._is_number(word)}
        if len(numbers) != 1 or not all(word in _FILLERS or word in numbers for word in words):
            return set()
        return self._numbered.get(numbers.pop(), set())


@lru_cache(256)
def names_of(names: tuple[str, ...], synonyms: tuple[tuple[str, str], ...] = ()) -> Names:
    """The names of actions, prepared for reading, once for equal ones."""
    return Names(names, dict(synonyms))
