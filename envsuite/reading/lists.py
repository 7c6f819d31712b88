"""Many names of actions in few words: ``offer N wood for M gold with N 1-10, M 1-10`` for a hundred of them.

A list is written so that it stands for exactly these names: `grouped` gives its lines, and a line's `names` gives the
names back.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from envsuite.core.digits import whole

#: Names that are listed one by one, at the most; and their characters together, about sixty tokens.
FEW, SHORT = 12, 180

NUMBER = re.compile(r"\d+(?:\.\d+)?")

#: How slots are called, in this order, unless the names use the letter.
LETTERS = "NMKLPQRSTUVWXYZABCDEFGHIJO"

#: The values of a slot, as they stand in names; and those of all slots, which combine freely.
Values = tuple[str, ...]
Block = tuple[Values, ...]


@dataclass(frozen=True)
class Line:
    """Names that differ in numbers only, or in one word too.

    Attributes:
        templates: texts between the slots, each of one name more than there are slots.
        blocks: values of the slots; each block allows every combination of its own.
    """

    templates: tuple[tuple[str, ...], ...]
    blocks: tuple[Block, ...]

    def names(self) -> Iterator[str]:
        """The names that it stands for."""
        for template in self.templates:
            for block in self.blocks:
                for values in itertools.product(*block):
                    yield _filled(template, values)

    def __str__(self) -> str:
        letters = self._letters()
        shown = " / ".join(_filled(template, letters) for template in self.templates)
        if not letters:
            return "; ".join(_filled(template, ()) for template in self.templates)
        common = [len(set(values)) == 1 and len(self.blocks) > 1 for values in zip(*self.blocks)]
        first = [f"{letter} {ranges(one)}" for letter, one, same in zip(letters, self.blocks[0], common) if same]
        ways = [
            ", ".join(f"{letter} {ranges(one)}" for letter, one, same in zip(letters, block, common) if not same)
            for block in self.blocks
        ]
        if len(ways) == 1:
            return f"{shown} with {ways[0]}"
        return f"{shown} with {', '.join([*first, 'and one of'] if first else ['one of'])}: {'; '.join(ways)}"

    def _letters(self) -> list[str]:
        used = {letter for template in self.templates for part in template for letter in part}
        free = [letter for letter in LETTERS if letter not in used]
        return free[: len(self.blocks[0])]


def listed(names: Sequence[str]) -> str:
    """Names in a row, or in lines with slots where that is shorter."""
    return _listed(tuple(names))


@lru_cache(4096)
def _listed(names: tuple[str, ...]) -> str:
    plain = "; ".join(names)
    if len(names) <= FEW or len(plain) <= SHORT:
        return plain
    short = "\n".join(f"- {line}" for line in grouped(names))
    return f"\n{short}" if len(short) < len(plain) else plain


def grouped(names: Iterable[str]) -> list[Line]:
    """Lines that stand for exactly these names, without repetitions, in the order in which each first occurs."""
    names = [*dict.fromkeys(names)]
    if words := _words(names):
        return [words]
    found: dict[tuple[str, ...], dict[Values, None]] = {}
    for name in names:
        values = tuple(NUMBER.findall(name))
        found.setdefault(tuple(NUMBER.split(name)), {})[values] = None
    lines: dict[tuple[Block, ...], list[tuple[str, ...]]] = {}
    for template, rows in found.items():
        blocks = tuple(_blocks([*rows]))
        if sum(len(block) for block in blocks) < len(rows) or len(rows) == 1 and len(template) > 1:
            lines.setdefault(blocks, []).append(template)
        else:
            lines.setdefault((), []).extend((_filled(template, values),) for values in rows)
    return _ordered(lines)


def _words(names: Sequence[str]) -> Line | None:
    """The line of names that combine words freely: their first words, their second ones, and so on."""
    rows = [tuple(name.split(" ")) for name in names]
    if len(set(map(len, rows))) != 1 or NUMBER.search("".join(names)):
        return None
    blocks = tuple(_blocks(rows))
    many = sum(len(values) > 1 for values in blocks[0])
    return Line((("", *[" "] * (len(rows[0]) - 1), ""),), blocks) if len(blocks) == 1 and many > 1 else None


def _ordered(lines: dict[tuple[Block, ...], list[tuple[str, ...]]]) -> list[Line]:
    """Lines with their templates; a line of one name alone is one of the plain ones."""
    plain = lines.pop((), [])
    found = []
    for blocks, templates in lines.items():
        if len(blocks) == 1 and all(len(values) == 1 for values in blocks[0]) and len(templates) == 1:
            plain.append((_filled(templates[0], [values[0] for values in blocks[0]]),))
        elif not blocks[0]:
            plain += templates
        else:
            found.append(Line(tuple(templates), blocks))
    return [*found, Line(tuple(plain), ((),))] if plain else found


def _blocks(rows: list[Values]) -> list[Block]:
    """Blocks whose combinations are exactly these rows, few of them."""
    columns = [tuple(dict.fromkeys(column)) for column in zip(*rows)]
    if not columns:
        return [()]
    size = 1
    for column in columns:
        size *= len(column)
    if size == len(rows):
        return [tuple(columns)]
    return min((_by(rows, k) for k in range(len(columns))), key=len)


def _by(rows: list[Values], k: int) -> list[Block]:
    """Blocks by the value of slot `k`: values with the same rows go together."""
    rests: dict[str, list[Values]] = {}
    for row in rows:
        rests.setdefault(row[k], []).append(row[:k] + row[k + 1 :])
    heads: dict[frozenset[Values], list[str]] = {}
    for head, rest in rests.items():
        heads.setdefault(frozenset(rest), []).append(head)
    return [(*block[:k], tuple(same), *block[k:]) for same in heads.values() for block in _blocks(rests[same[0]])]


def ranges(values: Sequence[str]) -> str:
    """Values in short: ``1-3, 7``, ``0-100 in steps of 5``."""
    read = [whole(value) for value in values]
    if any(str(number) != value for number, value in zip(read, values)):
        return ", ".join(values)
    numbers = sorted(number for number in read if number is not None)
    steps = {b - a for a, b in itertools.pairwise(numbers)}
    if len(numbers) > 3 and len(steps) == 1 and steps != {1}:
        return f"{numbers[0]}-{numbers[-1]} in steps of {min(steps)}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _filled(template: Sequence[str], values: Sequence[str]) -> str:
    return "".join(part for pair in itertools.zip_longest(template, values, fillvalue="") for part in pair)
