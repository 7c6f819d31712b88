"""Words that people cannot say at a server's tables: each is replaced, and nothing else is changed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from os import PathLike
from pathlib import Path

from envsuite.core.errors import ParameterError
from envsuite.talk.words import clean

#: What stands in the place of a word.
REMOVED = "[removed]"

_PARTS = re.compile(r"(\w+)")


class Blocked:
    """The words that are replaced.

    Args:
        entries: words, in which ``*`` stands for any letters. Upper and lower case are the same.
    """

    def __init__(self, entries: Iterable[str] = ()):
        self._forms = [re.compile(translate(entry.casefold())) for entry in entries]

    def replaced(self, text: str) -> str:
        """A text with `REMOVED` for each of the words in it."""
        return "".join(REMOVED if self._fits(part) else part for part in _PARTS.split(text))

    def _fits(self, part: str) -> bool:
        return any(form.match(part.casefold()) for form in self._forms)


def load(path: str | PathLike[str]) -> Blocked:
    """The words of a file, one in a line; `ParameterError` names a line that is no word."""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeError) as problem:
        raise ParameterError(f"{path} cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    entries = [clean(line) for line in lines]
    for number, entry in enumerate(entries, 1):
        if entry and not re.fullmatch(r"\w*\*?\w[\w*]*", entry):
            raise ParameterError(f"{path}, line {number}: {entry!r:.60} must be one word of letters, digits and *")
    return Blocked(filter(None, entries))
