"""What is stored of a world, ``envsuite/scores/<World>.json``: two people who add worlds never meet in a file.

A file holds sections: "reference" of `envsuite.evaluation.reference`, "learned" of `envsuite.learn.tasks` and "suites"
of `envsuite.models.suites`. A section is a list of rows, and each row is a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from envsuite import registry
from envsuite.core.files import replace

#: The files that come with the package.
FOLDER = Path(registry.__file__).with_name("scores")


def file_of(world: str, folder: Path = FOLDER) -> Path:
    """The file of a world, by its id, whole or short."""
    return folder / f"{registry.short_name(world)}.json"


def rows(world: str, section: str, folder: Path = FOLDER) -> list[dict[str, Any]]:
    """The rows of a section of a world's file; none where there are none."""
    return _sections(file_of(world, folder)).get(section, [])


def all_rows(section: str, folder: Path = FOLDER) -> list[dict[str, Any]]:
    """The rows of a section of all files, in the order of the worlds' names."""
    found = (_sections(folder / f"{world}.json").get(section, []) for world in worlds(folder))
    return [row for listed in found for row in listed]


def worlds(folder: Path = FOLDER) -> list[str]:
    """The short names of the worlds that have a file."""
    return sorted(path.stem for path in folder.glob("*.json"))


def write(world: str, section: str, listed: Iterable[Mapping[str, Any]], folder: Path = FOLDER) -> None:
    """Write a section of a world's file; the others stay. Without rows the section goes, and with the last the file."""
    path = file_of(world, folder)
    sections: dict[str, list[Any]] = {**_sections(path), section: list(listed)}
    sections = {name: sections[name] for name in sorted(sections) if sections[name]}
    if sections:
        folder.mkdir(parents=True, exist_ok=True)
        replace(path, text(sections))
    else:
        path.unlink(missing_ok=True)


def text(sections: Mapping[str, Iterable[Any]]) -> str:
    """A file's text: a line for each row."""
    parts = []
    for name, listed in sections.items():
        lines = ",\n".join(map(json.dumps, listed))
        parts.append(f"{json.dumps(name)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _sections(path: Path) -> dict[str, list[Any]]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
