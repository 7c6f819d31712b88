"""The language of Instruct: clauses, descriptions, words, and missions read from text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.kit.rooms import BALL, BOX, CLOSED, COLOR, COLORS, DOOR, KEY, KIND, LOCKED, TYPES

#: Verbs.
NO_VERB, GO_TO, PICK_UP, OPEN, PUT_NEXT = range(5)
#: Shapes of missions: one part; two, the second of which is named second, or first.
SINGLE, THEN, AFTER = range(3)
#: Kinds in descriptions are those of things, and DOOR for all doors, and this for all things.
OBJECT = 8
#: No color, where a color of codes is expected.
ANY = -1
PLACES = ("", "in front of you", "behind you", "on your left", "on your right")

WORDS = (
    "", "go", "to", "pick", "up", "open", "put", "next", "the", "a", *COLORS, "box", "ball", "key", "door", "object",
    "in", "front", "of", "behind", "on", "your", "left", "right", "you", "and", "then", "after", ",",
)  # fmt: skip
#: The words of the longest mission.
LONGEST = 72

_GO, _TO, _PICK, _UP, _OPEN, _PUT, _NEXT, _THE, _A = (
    WORDS.index(word) for word in "go to pick up open put next the a".split()
)
_IN, _FRONT, _OF, _BEHIND, _ON, _YOUR, _LEFT, _RIGHT, _YOU = (
    WORDS.index(word) for word in "in front of behind on your left right you".split()
)
_AND, _THEN, _AFTER, _COMMA = (WORDS.index(word) for word in ("and", "then", "after", ","))
_RED = WORDS.index("red")
_KEY, _BALL, _BOX, _DOOR, _OBJECT = (WORDS.index(word) for word in "key ball box door object".split())


@kernel
def matching(code, kind, color):
    """Whether an object, as a code, is of a kind and color (0 for any) of a description."""
    found = code & KIND
    if found == CLOSED or found == LOCKED:
        found = DOOR
    if found < DOOR or found > BOX or (color > 0 and (code & COLOR) >> 4 != color - 1):
        return False
    return found == kind or (kind == OBJECT and found != DOOR)


@kernel
def write(s, n, word):
    """Write a word of the mission; return the number of words so far."""
    s.words[n] = word
    return n + 1


@large_kernel
def write_description(s, n, clause, which, alone):
    """Write a description, with "the" if it is `alone`."""
    kind, color, place = s.level.named[clause, which]
    n = write(s, n, _THE if alone else _A)
    if color > 0:
        n = write(s, n, _RED + color - 1)
    word = (
        _KEY if kind == KEY else _BALL if kind == BALL else _BOX if kind == BOX else _DOOR if kind == DOOR else _OBJECT
    )
    n = write(s, n, word)
    if place == 1:
        n = write(s, n, _IN)
        n = write(s, n, _FRONT)
        n = write(s, n, _OF)
        n = write(s, n, _YOU)
    elif place == 2:
        n = write(s, n, _BEHIND)
        n = write(s, n, _YOU)
    elif place > 2:
        n = write(s, n, _ON)
        n = write(s, n, _YOUR)
        n = write(s, n, _LEFT if place == 3 else _RIGHT)
    return n


@kernel
def write_clause(s, n, clause):
    """Write a clause."""
    verb = s.level.verbs[clause]
    if verb == OPEN:
        n = write(s, n, _OPEN)
    elif verb == PUT_NEXT:
        n = write(s, n, _PUT)
    else:
        n = write(s, n, _GO if verb == GO_TO else _PICK)
        n = write(s, n, _TO if verb == GO_TO else _UP)
    n = write_description(s, n, clause, 0, s.alone[clause, 0])
    if verb == PUT_NEXT:
        n = write(s, n, _NEXT)
        n = write(s, n, _TO)
        n = write_description(s, n, clause, 1, s.alone[clause, 1])
    return n


@kernel
def write_part(s, n, part):
    """Write one or two clauses."""
    n = write_clause(s, n, 2 * part)
    if s.level.verbs[2 * part + 1] != NO_VERB:
        n = write(s, n, _AND)
        n = write_clause(s, n, 2 * part + 1)
    return n


@kernel
def write_mission(s):
    """Write the mission of `s.level` as `s.words`; `s.alone` says which descriptions have one match."""
    n = 0
    if s.level.shape == AFTER:
        n = write_part(s, n, 1)
        n = write(s, n, _AFTER)
        n = write(s, n, _YOU)
        n = write_part(s, n, 0)
    else:
        n = write_part(s, n, 0)
        if s.level.shape == THEN:
            n = write(s, n, _COMMA)
            n = write(s, n, _THEN)
            n = write_part(s, n, 1)
    for k in range(n, LONGEST):
        s.words[k] = 0


def in_words(words: Sequence[int]) -> str:
    """A mission as text."""
    return " ".join(WORDS[word] for word in words if word).replace(" ,", ",")


class Clause(NamedTuple):
    """A clause: its verb and its two descriptions, each (kind, color, place); zeros for none."""

    verb: int
    first: tuple[int, int, int]
    second: tuple[int, int, int] = (0, 0, 0)


_NAMED = r"(?:the|a) (?:(?P<color>{}) )?(?P<kind>key|ball|box|door|object)(?: (?P<place>{}))?".format(
    "|".join(COLORS), "|".join(PLACES[1:])
)
_VERBS = {"go to ": GO_TO, "pick up ": PICK_UP, "open ": OPEN, "put ": PUT_NEXT}


def read_description(text: str, kinds: Sequence[str], name: str) -> tuple[int, int, int]:
    """The kind, color and place of a description; its article does not matter."""
    found = re.fullmatch(_NAMED, text)
    if not found or found["kind"] not in kinds or (found["kind"] == "object" and not found["color"]):
        raise LevelError(
            f"{name}: {text!r} must be 'the' or 'a', perhaps a color, one of {', '.join(kinds)}, and perhaps a place: "
            f"{', '.join(PLACES[1:])}; an object needs a color"
        )
    kind = OBJECT if found["kind"] == "object" else TYPES.index(found["kind"])
    color = COLORS.index(found["color"]) + 1 if found["color"] else 0
    return kind, color, PLACES.index(found["place"] or "")


def read_clause(text: str, name: str) -> Clause:
    """A clause from text."""
    for start, verb in _VERBS.items():
        if not text.startswith(start):
            continue
        rest = text[len(start) :]
        things = ("key", "ball", "box")
        if verb == PUT_NEXT:
            moved, between, fixed = rest.partition(" next to ")
            if not between:
                break
            return Clause(verb, read_description(moved, things, name), read_description(fixed, (*things, "door"), name))
        kinds = {GO_TO: (*things, "door"), PICK_UP: (*things, "object"), OPEN: ("door",)}[verb]
        return Clause(verb, read_description(rest, kinds, name))
    raise LevelError(f"{name}: the clause {text!r} must be 'go to', 'pick up', 'open' or 'put ... next to ...'")


def read_part(text: str, name: str) -> list[Clause]:
    """One or two clauses from text."""
    clauses = text.split(" and ")
    if len(clauses) > 2:
        raise LevelError(f"{name}: {text!r} has {len(clauses)} clauses joined by 'and'; two are the most")
    return [read_clause(clause, name) for clause in clauses]


def read_mission(text: Any, name: str) -> tuple[int, list[list[Clause]]]:
    """The shape of a mission, and its parts in the order in which they are to be done."""
    if not isinstance(text, str):
        raise LevelError(f"{name}: 'mission' must be text, not {text!r:.60}")
    for between, shape in ((", then ", THEN), (" after you ", AFTER)):
        parts = text.split(between)
        if len(parts) == 2:
            read = [read_part(part, name) for part in parts]
            return shape, read if shape == THEN else read[::-1]
    return SINGLE, [read_part(text, name)]
