"""The command line: look at worlds, play them, watch policies, compare them, measure, compile and check."""

# Commands are listed in the order in which their modules are imported.
from envsuite.cli import (  # noqa: I001
    look,
    gallery,
    replays,
    serving,
    levels,
    data_sets,
    evaluate,
    models,
    train,
    measure,
    scaling,
    new,
    compiling,
    build,
)
from envsuite.cli.common import app

__all__ = [
    "app",
    "build",
    "compiling",
    "data_sets",
    "evaluate",
    "gallery",
    "levels",
    "look",
    "main",
    "measure",
    "models",
    "new",
    "replays",
    "scaling",
    "serving",
    "train",
]


def main() -> None:
    """The entry point of the command."""
    app()
