"""The folder of a server: one process at a time has it, and files that cannot be read are set aside."""

from __future__ import annotations

from pathlib import Path

from envsuite.core.errors import ParameterError
from envsuite.core.files import ClaimedError, claim, remove_drafts

#: What is claimed in the folder; there is no such file, only the lock beside it.
_WHOLE = "folder"


class Folder:
    """A folder that this process has until it closes it or ends.

    Args:
        path: the folder; made, for its owner's eyes only, if it is not there.

    Raises:
        ParameterError: another server has it, of this process or another one; the message says which.
    """

    def __init__(self, path: Path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        try:
            self._claim = claim(path / _WHOLE, alone=True)
        except ClaimedError as holder:
            raise ParameterError(
                f"{path} is in use by {holder}: stop that server, or choose another --folder"
            ) from None
        remove_drafts(path)  # of a server that was killed

    def close(self) -> None:
        """Leave the folder to other servers."""
        self._claim.free()


def set_aside(path: Path, why: str) -> Path:
    """Rename a file to one that no server reads; returns its new name, which ends with `why`."""
    names = (path.with_name(f"{path.name}.{why}{f'-{k}' if k else ''}") for k in range(10_000))
    new = next(name for name in names if not name.exists())
    path.rename(new)
    return new
