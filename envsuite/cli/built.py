"""Writes what is made from the worlds: the table that `envsuite list` reads, and the signatures that editors read.

    python -m envsuite.cli.built [FOLDER]    # the folder of a package; by default this one

The build of a wheel does this (see `setup.py`), so that nobody has to commit these files. A checkout needs neither: the
first command that needs the table makes it (see `envsuite.cli.listing`), and signatures are for an editor's comfort.
"""

from __future__ import annotations

import sys
from pathlib import Path

from envsuite.cli import catalog, listing, signatures
from envsuite.core.files import replace


def write(folder: Path) -> None:
    """Write both files into the folder of a package."""
    replace(folder / listing.BUILT.name, catalog.table())
    replace(folder / "__init__.pyi", signatures.stubs())


if __name__ == "__main__":
    write(Path(*sys.argv[1:2]) if len(sys.argv) > 1 else listing.PACKAGE)
