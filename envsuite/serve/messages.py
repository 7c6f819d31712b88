"""Messages: what pages may send, checked for size and form before anything else looks at it."""

from __future__ import annotations

import json
from typing import Any

from envsuite.core.errors import ParameterError
from envsuite.core.world import is_point

#: Bytes of a message or of a request's body, at most.
MOST_BYTES = 2048

#: Characters of what a person says at once, at most.
MOST_WORDS = 600


def checked(text: str) -> dict[str, Any]:
    """A message of a page, or `ParameterError`.

    ``{"join": secret}`` or ``{"watch": true}`` come first; then, with a number `n` that counts up, ``act``, a number;
    ``click``, two numbers; or ``say``, which is an action in words. They may have `ms`, the milliseconds since the page
    showed the state, and ``words``, what the person says with the action, with ``to``, the name of the agent for which
    alone they are. ``words`` may also stand without an action.
    ``{"hand": bool}``, ``{"again": true}``, ``{"text": bool}``, whether the page shows the text, and
    ``{"mean": words}``, which asks what act they may be, need no number.
    """
    if len(text.encode(errors="replace")) > MOST_BYTES:
        raise ParameterError("too long")
    message = parsed(text)
    words, to = message.get("words", ""), message.get("to", "")
    keys = message.keys() - {"n", "ms", *(("to",) if "words" in message else ())}
    acts = keys & {"act", "click", "say"}
    if len(keys) != 1 + bool(acts and "words" in keys) or ("n" in message) != bool(acts or "words" in keys):
        raise ParameterError("other keys")
    (key,) = acts or keys
    if "ms" in message and "n" not in message:
        raise ParameterError("other keys")
    value, number, ms = message[key], message.get("n", 1), message.get("ms", 0)
    fits = {
        "join": isinstance(value, str) and len(value) <= 64,
        "watch": value is True,
        "again": value is True,
        "hand": isinstance(value, bool),
        "text": isinstance(value, bool),
        "mean": isinstance(value, str) and len(value) <= MOST_WORDS,
        "act": type(value) is int and 0 <= value < 2**31,
        "say": isinstance(value, str) and len(value) <= 500,
        "click": is_point(value),
        "words": True,
    }
    if not (isinstance(words, str) and len(words) <= MOST_WORDS and isinstance(to, str) and len(to) <= 60):
        raise ParameterError("other words")
    if not (fits.get(key) and type(number) is type(ms) is int and 0 < number < 2**53 and 0 <= ms < 2**53):
        raise ParameterError("other values")
    return message


def parsed(text: str | bytes) -> dict[str, Any]:
    """A JSON object with all its texts cleaned, or `ParameterError`."""
    try:
        found = cleaned(json.loads(text))
    except (ValueError, RecursionError):
        raise ParameterError("no JSON") from None
    if not isinstance(found, dict):
        raise ParameterError("no object")
    return found


def cleaned(value: Any) -> Any:
    """A value of JSON whose texts can be written anywhere.

    The half of a character (a lone surrogate), which is no text, becomes U+FFFD; so does the null character.
    """
    if isinstance(value, str):
        halves = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return halves.replace("\0", "\ufffd")
    if isinstance(value, list):
        return [cleaned(part) for part in value]
    if isinstance(value, dict):
        return {cleaned(name): cleaned(part) for name, part in value.items()}
    return value
