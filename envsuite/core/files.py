"""Files that will be written: a path that would fail at the end of a long run is refused before the run begins."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

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
