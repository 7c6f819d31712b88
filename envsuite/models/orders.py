"""Several decisions in one answer: its lines say which decision they are for, as `World.understand` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envsuite.core.world import World
from envsuite.reading.answers import parts, plain, spoken
from envsuite.reading.phrases import bare

#: Lines of an answer that count, from its end.
_LINES = 100


def lines_of(answer: str) -> list[str]:
    """What an answer says in lines that begin with ``Action:``, in order."""
    said = spoken(plain(answer)) or ""
    found = (parts(line)[0] for line in said.splitlines()[-_LINES:] if ":" in line)
    return [part.text for part in found if part.tagged]


def line_for_now(world: World, record: Any, agent: int, lines: Sequence[str]) -> str | None:
    """The last one of these lines that is for an agent's decision now; None if none is."""
    return next((line for line in reversed(lines) if _understood(world, record, agent, line)), None)


def _understood(world: World, record: Any, agent: int, line: str) -> bool:
    try:
        return world.understand(record, agent, bare(line)) is not None
    except Exception:  # of a notation that a world of the user's reads
        return False
