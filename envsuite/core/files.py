"""Files that are written: paths that would fail are refused before a long run, and files are replaced as a whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from envsuite.core.errors import ParameterError


def writable(path: str | PathLike[str]) -> Path:
    """The path of a file that can be written, new or again; `ParameterError` says why it cannot be."""
    shown, file, reason = str(path), Path(path), ""
    if not shown:
        raise ParameterError("'' is no name of a file")
    try:
        if file.is_dir():
            reason = "it is a folder"
        elif file.is_symlink() and not file.exists():
            reason = f"it is a link to {os.readlink(file)}, which does not exist"
        elif file.exists() and not file.is_file():
            reason = "it is not a regular file"
        elif file.exists():
            reason = "" if os.access(file, os.W_OK) else "it is write-protected"
        elif not file.parent.is_dir():
            reason = f"there is no folder {file.parent}"
        else:
            file.lstat()  # a name may be too long
    except FileNotFoundError:
        reason = "" if os.access(file.parent, os.W_OK | os.X_OK) else f"the folder {file.parent} is write-protected"
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
    if reason:
        raise ParameterError(f"{shown!r} cannot be written: {reason}")
    return file


def replace(path: Path, content: str | bytes) -> None:
    """Write a file as a whole: an interrupt leaves the file that was there."""
    draft = path.with_name(path.name + ".draft")
    draft.write_bytes(content.encode() if isinstance(content, str) else content)
    os.replace(draft, path)


def replace_rows(path: Path, rows: Iterable[Any]) -> None:
    """Write a table as JSON with a line for each row, as a whole."""
    lines = ",\n".join(map(json.dumps, rows))
    replace(path, f"[\n{lines}\n]\n")
