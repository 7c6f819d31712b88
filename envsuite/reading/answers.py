"""The parts of an answer that may name an action, in the order in which they are tried."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from typing import Any, NamedTuple

from envsuite.core.errors import ActionError

#: Signs that are written for others.
_SIGNS = {
    "\u2212": "-", "\u2011": "-", "\u2010": "-", "\u2013": "-", "\u2014": ", ", "\uff0d": "-", "\u2192": "->",
    "\uff1a": ":", "\uff08": "(", "\uff09": ")", "\uff0c": ",", "\uff0b": "+", "\uff1d": "=", "\u3002": ". ",
    "\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u00a0": " ", "\u202f": " ", "\u3000": " ",
}  # fmt: skip

#: Characters that show nothing: soft hyphens, zero widths, directions, and tags.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")

#: The beginning of a line that gives the action, and the marks around it and around what it says.
_TAG = re.compile(r"(?:(?:final|my|the|next) )?(?:action|answer|move|decision)[ \t*_`]*:", re.IGNORECASE)
_MARKS = " \t\r*_#>`"
_BULLET = re.compile(r"[-+][ \t]+")

#: The beginning of a line of free talk, which is no action, and to whom it is said.
SAYS = re.compile(r"[ \t*_>#`+-]*say(?:[ \t]+to[ \t]+(?P<to>[\w -]{1,40}))?[ \t*_`]{0,20}[:\uff1a]", re.IGNORECASE)

#: The ends of reasoning, of which some models write the last alone.
_THOUGHT = re.compile(r"<(/?)(?:think(?:ing)?|thought|reasoning)>", re.IGNORECASE)

_BOXED = re.compile(r"\\boxed\{([^{}\n]{1,200})\}")

#: The keys of a JSON object under which an action may stand.
_KEYS = ("action", "move", "answer")

#: Characters of a part that are read, of a JSON object, and lines that are read together.
_PART, _OBJECT, _LINES = 10_000, 5_000, 60


class CutOffError(ActionError):
    """An answer that ended before it named an action."""


class Part(NamedTuple):
    """A part of an answer; `tagged` if the answer says itself that this is the action."""

    text: str
    tagged: bool


@lru_cache(4096)
def _plain(sign: str) -> str:
    digit = unicodedata.decimal(sign, None)
    return _SIGNS.get(sign, sign) if digit is None else str(digit)


def plain(text: str) -> str:
    """A text with ASCII digits and signs, without characters that show nothing."""
    if text.isascii():
        return text
    return re.sub(r"[^\x00-\x7f]", lambda found: _plain(found[0]), _UNSEEN.sub("", text))


def spoken(answer: str) -> str | None:
    """What an answer says after its reasoning, which stands between think tags; None if this has no end."""
    tags = list(_THOUGHT.finditer(answer))
    if not tags:
        return answer
    return answer[tags[-1].end() :] if tags[-1][1] else None


def parts(answer: str, whole: bool = True) -> list[Part]:
    """The parts of an answer that may name an action, in order.

    Args:
        answer: the text.
        whole: False for an answer that was cut off. Then a JSON object or a tagged line counts only if it has ended.

    Raises:
        ActionError: it is no text.
        CutOffError: it is reasoning without an end, or it was cut off before it named an action.
    """
    if not isinstance(answer, str):
        raise ActionError(f"an answer is text, not {type(answer).__name__}")
    said = spoken(plain(answer))
    if said is None:
        raise CutOffError("it was cut off: its reasoning has no end")
    given = _of_json(said)
    if given is not None:
        return [Part(given[:_PART], True)]
    lines = [_unmarked(line) for line in said.splitlines()]
    tagged = _tagged(lines)
    if tagged is not None and (whole or tagged[0] < len(lines) - 1):
        return [Part(tagged[1][:_PART], True)]
    if not whole:
        raise CutOffError("it was cut off before it named an action")
    boxed = _BOXED.findall(said)
    if boxed:
        return [Part(boxed[-1], True)]
    kept = [line for line in lines if line and not SAYS.match(line)]
    together = "\n".join(kept[-_LINES:])[-_PART:]
    return [Part((kept or [""])[-1][:_PART], False), *([Part(together, False)] if len(kept) > 1 else [])]


def untagged(text: str) -> str:
    """A text without the lines that give an action."""
    return "\n".join(line for line in text.splitlines() if not _TAG.match(_unmarked(plain(line))))


def _unmarked(line: str) -> str:
    """A line without marks around it, and without the sign of a list; a minus stays."""
    line = line.strip(_MARKS)
    bullet = _BULLET.match(line)
    return line[bullet.end() :].strip(_MARKS) if bullet else line


def _tagged(lines: list[str]) -> tuple[int, str] | None:
    """The last line with a tag: the number of the line that ends it, and what it says, which may stand on the next."""
    for k in range(len(lines) - 1, -1, -1):
        found = _TAG.match(lines[k])
        if found:
            rest = lines[k][found.end() :].strip(_MARKS)
            if not rest:
                after = ((n, line) for n, line in enumerate(lines[k + 1 : k + 4], k + 1) if line)
                k, rest = next(after, (k, ""))
            return k, rest
    return None


def _of_json(said: str) -> str | None:
    """The action in the last JSON object of a text, if it has one."""
    found = last_object(said)
    if found is not None and isinstance(found.get("arguments"), dict) and "name" in found:
        found = found["arguments"]
    values = [found[key] for key in _KEYS if key in found] if found is not None else []
    if values and isinstance(values[0], (str, int, float)) and not isinstance(values[0], bool):
        return str(values[0])
    return None


def last_object(said: str) -> dict[str, Any] | None:
    """The last JSON object in a text; None if there is none."""
    end, depth = said.rfind("}"), 0
    for k in range(end, max(-1, end - _OBJECT), -1):
        depth += (said[k] == "}") - (said[k] == "{")
        if depth == 0:
            try:
                found = json.loads(said[k : end + 1])
            except (ValueError, RecursionError):
                return None
            return found if isinstance(found, dict) else None
    return None
