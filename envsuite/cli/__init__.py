"""The command line: look at worlds, play them, watch policies, compare them, measure, compile and check."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

#: The modules of the commands, in the order in which help lists them. A command imports its own alone.
MODULES = {
    "look": ("list", "info", "play", "watch"),
    "gallery": ("render", "gallery"),
    "replays": ("export", "replay"),
    "serving": ("serve", "study"),
    "levels": ("generate",),
    "data_sets": ("record", "data"),
    "evaluate": ("match", "tournament", "score"),
    "models": ("evaluate",),
    "train": ("train",),
    "measure": ("bench", "check"),
    "scaling": ("scale",),
    "new": ("new",),
    "compiling": ("warmup", "cache"),
    "build": ("build",),
}


def __getattr__(name: str) -> Any:
    if name == "app":
        return application()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def application(command: str | None = None) -> Any:
    """The application with the module of this command alone, or with all modules."""
    from envsuite.cli.common import app

    own = [module for module, names in MODULES.items() if command in names]
    for module in own or MODULES:
        import_module(f"envsuite.cli.{module}")
    places = [f"envsuite.cli.{module}" for module in MODULES]
    app.registered_commands.sort(key=lambda one: places.index(getattr(one.callback, "__module__", "")))
    return app


def contents() -> Any:
    """The application for a list of the commands, which imports none where the table knows what each does."""
    from envsuite.cli import listing
    from envsuite.cli.common import app

    known = listing.commands()
    for name, words in known.items():
        app.command(name, help=words)(lambda: None)
    return app if known else application()


def main() -> None:
    """The entry point of the command."""
    command = _command()
    (contents() if command in ("", "-h", "--help") else application(command))()


def _command() -> str:
    """The command that is given, or that the shell completes; "" if none is."""
    typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS")
    words = typed.split() if typed and "_ENVSUITE_COMPLETE" in os.environ else sys.argv
    return words[1] if len(words) > 1 else ""
