"""The form of a world's documentation page, which is the same for all worlds."""

from __future__ import annotations

import inspect
import re
from typing import Any

from gymnasium import spaces

#: The sections of a page in their order. Those of `envsuite.testing.HEADINGS` are needed; more may stand between them.
ORDER = (
    "Rules", "Agents", "Observation", "Actions", "Window", "Rewards", "Ends", "Parameters", "Level", "Known values",
    "Differences", "Source",
)  # fmt: skip


def page_faults(world: Any) -> list[str]:
    """Where the page of a world departs from the form, in words that say what to change.

    Observations, actions and parameters are tables; each part of a Dict and each parameter has a row. Differences are a
    list or "None." What a click or a key does in the window stands under **Window.**
    """
    found = []
    text = inspect.cleandoc(type(world).__doc__ or "")
    heads = re.split(r"^\*\*([A-Z][\w ]*?)\.?\*\*", text, flags=re.MULTILINE)
    sections = dict(zip(heads[1::2], heads[2::2]))
    known = [name for name in sections if name in ORDER]
    if known != sorted(known, key=ORDER.index):
        found.append(f"the sections stand in the order {', '.join(known)}; it must be {', '.join(ORDER)}")

    dicts = any(isinstance(space, spaces.Dict) for space in world.observation_spaces)
    parts = {part for space in world.observation_spaces for part in getattr(space, "spaces", ())}
    for section, columns, needed in (
        ("Observation", ("part", "space", "content") if dicts else (), parts),
        ("Actions", ("action", "name"), ()),
        ("Parameters", ("name", "default", "meaning") if world.parameters else None, world.parameters),
    ):
        if columns is None:
            continue
        fitting = [rows for rows in _tables(sections.get(section, "")) if _in_order(columns, rows[0])]
        if not fitting:
            found.append(f"**{section}.** needs a table" + (f" with the columns {' | '.join(columns)}" * bool(columns)))
        listed = {name for rows in fitting for row in rows[1:] for name in re.split(r", ", row[0].replace("`", ""))}
        for name in sorted(needed):
            if fitting and name not in listed:
                found.append(f"the table of **{section}.** has no row for {name!r}")

    differences = sections.get("Differences", "").strip(" .\n")
    if not (re.search(r"^- ", differences, re.MULTILINE) or differences.startswith("None")):
        found.append('**Differences.** must be a list with "- " before each item, or "None."')
    for section, body in sections.items():
        if section != "Window" and re.search(r"\bin (a|the) window,", body, re.IGNORECASE):
            found.append(f"**{section}.** says what happens in the window: that belongs under **Window.**")
    return found


def _tables(text: str) -> list[list[list[str]]]:
    """The tables in a section: rows of cells, the header first."""
    found = []
    for block in re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.strip().splitlines()]
        found.append([row for row in rows if not re.fullmatch("-+", row[0])])
    return found


def _in_order(wanted: tuple[str, ...], header: list[str]) -> bool:
    """Whether a header has these columns in this order; others may stand between them."""
    left = iter(header)
    return all(column in left for column in wanted)
