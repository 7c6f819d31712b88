"""What there is to list of each world, from a table, so that no world is imported to print its name.

The build makes the table from the worlds' classes, and a wheel brings it (see `envsuite.cli.built`). It holds a hash of
the sources that it was made from. Where it is missing or stale, as in a checkout, the first command that needs it makes
it, and keeps it in the user's cache folder. Nobody commits it: two people who add worlds do not meet in it. Worlds
of other packages are not in it; they are asked each time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from envsuite import registry
from envsuite.core.errors import EnvsuiteError
from envsuite.core.world_kinds import KINDS

PACKAGE = Path(__file__).resolve().parents[1]

#: The table that a wheel brings.
BUILT = PACKAGE / "facts.json"


def stored() -> dict[str, dict[str, Any]] | None:
    """The rows of the table by id; None where there is none that was made from the present sources."""
    return _read().get("worlds")


def commands() -> dict[str, str]:
    """The help of each command in the order of the list, as far as the table knows it."""
    return _read().get("commands", {})


def _read() -> dict[str, Any]:
    """The table, if there is one that was made from the present sources."""
    for path in (BUILT, kept()):
        with suppress(OSError, ValueError, LookupError, TypeError):
            found = json.loads(path.read_bytes())
            if found["sources"] == sources():
                return found
    return {}


def kept() -> Path:
    """Where the table of this installation is kept, if the package does not bring it."""
    from envsuite.compile.cache import cache_folder

    name = hashlib.blake2b(os.fsencode(PACKAGE), digest_size=8).hexdigest()
    return cache_folder() / "facts" / f"{name}.json"


@cache
def sources() -> str:
    """A hash of the sources of the package: 800 files, in about 35 ms."""
    digest = hashlib.blake2b(digest_size=16)
    for path in _sources(PACKAGE):
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()


def _sources(folder: Path) -> Iterator[str]:
    """The paths of all sources below a folder, in order."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            yield from _sources(Path(entry.path))
        elif entry.name.endswith(".py"):
            yield entry.path


# What the shell completes. It waits for nothing: without a table, no policies are known.


def complete_id(incomplete: str) -> list[str]:
    """Short names of worlds that begin like this."""
    return [name for name in map(registry.short_name, registry.ids()) if name.startswith(incomplete)]


def complete_kind(incomplete: str) -> list[str]:
    """Kinds of worlds that begin like this."""
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def complete_policy(ctx: Any, incomplete: str) -> list[str]:
    """Policies of the world that was named; what stands before the last "," or "=" stays."""
    start = incomplete[: max(incomplete.rfind(","), incomplete.rfind("=")) + 1]
    named = [ctx.params.get("id"), *ctx.args]  # the latter while an option still lacks its value
    known = (f"{start}{name}" for id in named if id for name in _policies(id))
    return [text for text in known if text.startswith(incomplete)]


def _policies(id: str) -> list[str]:
    """The policies of a world, as far as the table knows them."""
    with suppress(EnvsuiteError):
        return (stored() or {}).get(registry.spec(id).id, {}).get("policies", [])
    return []
