"""The errors of the package. Every message names the thing that is wrong and says what would be right."""

from __future__ import annotations

import contextlib
import difflib
import sys
import traceback
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymnasium.error import ResetNeeded


class EnvsuiteError(Exception):
    """The base of all errors that envsuite raises on purpose."""


class UnknownIdError(EnvsuiteError, LookupError):
    """No world, policy or agent has this name."""


class ParameterError(EnvsuiteError, ValueError):
    """A world, policy or interface was given a parameter that it does not have or cannot take."""


class ActionError(EnvsuiteError, ValueError):
    """An action has the wrong type or shape, is out of range, or is not legal now."""


class AgentError(EnvsuiteError, ValueError):
    """An agent acted, or was asked for, that is unknown, absent or not to move."""


if TYPE_CHECKING:

    class NotReadyError(EnvsuiteError, ResetNeeded):
        """The world was stepped before its first reset or after its end."""


def __getattr__(name: str) -> Any:
    if name == "NotReadyError":
        return _not_ready()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _not_ready() -> type:
    """`NotReadyError`, made when it is asked for: it is an error of Gymnasium too, whose import takes long."""
    from gymnasium.error import ResetNeeded

    words = "The world was stepped before its first reset or after its end."
    return type("NotReadyError", (EnvsuiteError, ResetNeeded), {"__doc__": words, "__module__": __name__})


class SharedError(EnvsuiteError, RuntimeError):
    """Two threads used one environment at once, or one of its own policies did while it was moving."""

    def __init__(self, id: str):
        super().__init__(
            f"{id}: another call is still running in this environment; one environment belongs to one thread at a "
            "time: give each thread its own, for example by clone()"
        )


class LevelError(EnvsuiteError, ValueError):
    """A level is not one that this world can start from."""


class SnapshotError(EnvsuiteError, ValueError):
    """A snapshot is damaged, or belongs to another world."""


class ReplayError(EnvsuiteError, ValueError):
    """A replay is damaged, belongs to another world or version, or does not play as it was recorded."""


class ResultsError(EnvsuiteError, ValueError):
    """A file of results cannot be continued: it is damaged or has been edited, or is of another configuration."""


class ScaleError(EnvsuiteError, RuntimeError):
    """Work cannot be shared with other processes, or they do not agree."""


class DataError(EnvsuiteError, ValueError):
    """A data set is damaged, unfinished, or of another world or version; or a library that writes it is missing."""


class RenderError(EnvsuiteError, RuntimeError):
    """A picture cannot be made or shown here."""


class KernelError(EnvsuiteError, TypeError):
    """A kernel cannot be compiled. The message names the file, the line, the kernel, and what is wrong there."""


#: The modules that call a user's code on behalf of envsuite, and that a user's code calls.
_LIBRARIES = frozenset("click envsuite gymnasium llvmlite numba numpy pettingzoo PIL pygame rich typer".split())


def located(error: BaseException) -> str:
    """An error in a user's code in one line: its kind, its message and, if it arose in a file of the user, the place.

    The place is the last line that runs in that code; "called by" names the function through which envsuite came there.
    """
    text = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    slots = getattr(getattr(error, "obj", None), "_slots", ())  # of a record, see envsuite.core.record
    if isinstance(error, AttributeError) and slots:
        text = f"the record has no field {error.name!r}{suggest(str(error.name), [name for name, _ in slots])}"
    frames = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__) if _foreign(frame)]
    if not frames:
        return text
    (first, _), (last, line) = frames[0], frames[-1]
    called = f", called by {first.f_code.co_name}" if first.f_code is not last.f_code else ""
    path = Path(last.f_code.co_filename)
    return f"{path.name}, line {line}, in {last.f_code.co_name}{called}: {text}"


def _foreign(frame: FrameType) -> bool:
    root = frame.f_globals.get("__name__", "").partition(".")[0]
    return bool(root) and root not in _LIBRARIES and root not in sys.stdlib_module_names


@contextlib.contextmanager
def reading(level: str) -> Iterator[None]:
    """While a user's level is read, any error becomes a `LevelError` that begins with this name of the level."""
    try:
        yield
    except LevelError:
        raise
    except KeyError as missing:
        raise LevelError(f"{level} lacks {missing}") from None
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        RecursionError,
        TypeError,
        ValueError,
    ) as problem:
        raise LevelError(f"{level} cannot be read: {problem}") from None


def shown(value: Any, most: int = 60) -> str:
    """A value from outside for an error: the beginning of its `repr`, or its type if it is nested too deeply."""
    try:
        return f"{value[:most] if isinstance(value, str) else value!r:.{most}}"
    except (RecursionError, ValueError):  # the latter for integers of thousands of digits
        return f"<{type(value).__name__}>"


def visible(text: str) -> str:
    """A text without signs that a terminal would act on: they become their escapes. Lines, tabs and spaces stay."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in "\n\t\xa0\u3000" else repr(sign)[1:-1] for sign in text)


#: The longest text that is compared with names, which takes time quadratic in its length.
LONGEST_NAME = 100


def suggest(name: str, known: Iterable[str]) -> str:
    """The tail of a message about an unknown name: near matches, or all names where they are few."""
    known = list(known)
    near = _near(name, known) if len(name) <= LONGEST_NAME else []
    if near:
        return f"; did you mean {' or '.join(repr(n) for n in near)}?"
    return f"; known: {', '.join(known)}" if 0 < len(known) <= 20 else ""


def _near(name: str, known: list[str]) -> list[str]:
    """Up to three names that are similar, or that contain or are contained in this one."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if not near:  # an id by its short name
        short = {k.rpartition("/")[2].partition("-v")[0].lower(): k for k in known}
        near = [short[n] for n in difflib.get_close_matches(name.lower(), short, n=3, cutoff=0.5)]
    if not near:
        lowered = name.lower()
        near = [k for k in known if lowered and (lowered in k.lower() or k.lower() in lowered)][:3]
    return near
