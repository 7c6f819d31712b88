"""Levels as plain data: what every `set_level` demands of a level's parts, and levels that are fields of the record.

Every `what` is the name with which a message begins, such as ``"Nim: the level's stones"``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from envsuite.core.errors import LevelError, suggest
from envsuite.core.parameters import is_integer, is_number
from envsuite.core.ranges import Ranges

#: Fields of the record, as ``"start"`` or ``"start.board"``; the last name is that of the level's part. A mapping has
#: other names for the parts. With letters, the field's codes are texts: ``{"map": ("start.codes", "#.SG")}``.
LevelFields: TypeAlias = Sequence[str] | Mapping[str, str | tuple[str, str]]


def known_parts(name: str, level: Mapping[str, Any], parts: Collection[str]) -> None:
    """Raise `LevelError`, which begins with this name, if a level has a part besides these."""
    if unknown := sorted(map(str, set(level) - set(parts))):
        raise LevelError(f"{name}: the level has an unknown part {unknown[0]!r}")


def exact_parts(name: str, level: Mapping[str, Any], *parts: str, optional: Collection[str] = ()) -> None:
    """Raise `LevelError`, which begins with this name, unless a level has exactly these parts, and perhaps others.

    Generated levels have "kind", which is optional where it is meant.
    """
    if set(level) - set(optional) != set(parts):
        *others, last = map(repr, parts)
        wanted = f"{', '.join(others)} and {last}" if others else last
        if named := [part for part in optional if part != "kind"]:
            wanted += f" and perhaps {', '.join(map(repr, named))}"
        raise LevelError(f"{name}: a level has {wanted}, not {', '.join(map(repr, level)) or 'nothing'}")


def read_list(given: Any, what: str, least: int, most: int | None = None) -> list[Any]:
    """A list of `least` to `most` entries; `most` is `least` by default."""
    most = least if most is None else most
    if not isinstance(given, (list, tuple)) or not least <= len(given) <= most:
        size = f"{most}" if least == most else f"{least} to {most}" if least else f"at most {most}"
        raise LevelError(f"{what} must be a list of {size} {'entry' if most == 1 else 'entries'}")
    return list(given)


def read_integer(given: Any, what: str, low: Any, high: Any) -> int:
    """An integer from `low` to `high`."""
    return int(read_numbers(given, what, (), low, high, whole=True))


def read_name(given: Any, what: str, names: Sequence[str]) -> int:
    """The number of a name among these."""
    if not isinstance(given, str) or given not in names:
        raise LevelError(f"{what}={given!r:.60} is unknown{suggest(str(given), names)}")
    return list(names).index(given)


def read_numbers(
    given: Any, what: str, shape: tuple[Any, ...], low: Any, high: Any, *, whole: bool = False
) -> np.ndarray:
    """Nested lists of numbers from `low` to `high` as an array of this shape; a number for the shape ().

    Args:
        given: plain data from outside.
        what: see above.
        shape: what the lists must have; the first length may be a pair, the least and the most entries.
        low: a number, or an array that broadcasts to the shape.
        high: as `low`.
        whole: whether the numbers must be integers.
    """
    article, kind = ("an", "integer") if whole else ("a", "number")
    given = given.tolist() if isinstance(given, np.ndarray) else given
    if shape and isinstance(shape[0], tuple):
        shape = (len(read_list(given, what, *shape[0])), *shape[1:])
    entries = [given]
    for size in shape:
        if any(not isinstance(entry, (list, tuple)) or len(entry) != size for entry in entries):
            lists = "".join(f"{n} list{'s' * (n != 1)} of " for n in shape[:-1]) or "a list of "
            raise LevelError(f"{what} must be {lists}{shape[-1]} {kind}{'s' * (shape[-1] != 1)}{_between(low, high)}")
        entries = [part for entry in entries for part in entry]
    ends = (np.broadcast_to(end, shape).reshape(-1).tolist() for end in (low, high))
    for k, (entry, least, most) in enumerate(zip(entries, *ends)):
        if not (is_integer if whole else is_number)(entry) or not least <= entry <= most:
            where = "".join(f"[{i}]" for i in np.unravel_index(k, shape))
            raise LevelError(f"{what}{where}={entry!r:.60} must be {article} {kind}{_between(least, most)}")
    return np.array(entries).reshape(shape)


def _between(low: Any, high: Any) -> str:
    """Bounds in words; nothing where entries have different ones."""
    if np.ptp(low) or np.ptp(high):
        return ""
    least, most = (f"{end:g}" if isinstance(end, float) else end for end in (np.ravel(low)[0], np.ravel(high)[0]))
    return f" from {least} to {most}"


def read_letters(given: Any, what: str, shape: tuple[int, ...], letters: str) -> np.ndarray:
    """Texts as an array of numbers of `letters`, uint8: for the shape (n,) one text, for (m, n) a list of m texts."""
    *rows, width = shape
    texts = given if rows else [given]
    fits = isinstance(texts, (list, tuple)) and all(isinstance(text, str) and len(text) == width for text in texts)
    if not fits or rows not in ([], [len(texts)]):
        raise LevelError(f"{what} must be {f'{rows[0]} texts' if rows else 'a text'} of {width} letters")
    if wrong := sorted(set("".join(texts)) - set(letters)):
        raise LevelError(f"{what} has the letter {wrong[0]!r}; known: {' '.join(letters)}")
    return np.array([letters.index(letter) for text in texts for letter in text], np.uint8).reshape(shape)


def write_letters(codes: Any, letters: str) -> Any:
    """An array of numbers of letters as texts, see `read_letters`."""
    codes = np.asarray(codes)
    return "".join(letters[code] for code in codes) if codes.ndim == 1 else [write_letters(c, letters) for c in codes]


def write_fields(s: Any, fields: LevelFields) -> dict[str, Any]:
    """The level that these fields of a record are."""
    level = {}
    for part, path, letters in parts_of(fields):
        owner, own = _place(s, path)
        level[part] = write_letters(owner[own], letters) if letters else np.asarray(owner[own]).tolist()
    return level


def read_fields(s: Any, level: Mapping[str, Any], fields: LevelFields, ranges: Ranges, name: str) -> None:
    """Fill these fields of a record from a level that has exactly them, all in their ranges."""
    parts = parts_of(fields)
    exact_parts(name, level, *(part for part, _, _ in parts))
    for part, path, letters in parts:
        (owner, own), (low, high), what = _place(s, path), ranges.ends[path], f"{name}: the level's {part}"
        shape = np.shape(owner[own])
        if letters:
            owner[own] = read_letters(level[part], what, shape, letters)
        else:
            owner[own] = read_numbers(level[part], what, shape, low, high, whole=low.dtype.kind != "f")


def parts_of(fields: LevelFields) -> list[tuple[str, str, str]]:
    """The parts of a level that is fields: the name of each, the path of its field, and its letters."""
    if not isinstance(fields, Mapping):
        fields = {path.rpartition(".")[2]: path for path in fields}
    return [(part, field, "") if isinstance(field, str) else (part, *field) for part, field in fields.items()]


def _place(s: Any, path: str) -> tuple[Any, str]:
    """The record within a record that has a field, and the field's name there."""
    *outer, own = path.split(".")
    for name in outer:
        s = s[name]
    return s, own
