"""The command line: look at worlds, play them, watch policies, compare them, measure, compile and check."""

# Commands are listed in the order in which their modules are imported.
from envsuite.cli import look, gallery, replays, levels, evaluate, train, measure, new, compiling, build  # noqa: I001
from envsuite.cli.common import app

__all__ = [
    "app",
    "build",
    "compiling",
    "evaluate",
    "gallery",
    "levels",
    "look",
    "main",
    "measure",
    "new",
    "replays",
    "train",
]


def main() -> None:
    """The entry point of the command."""
    app()
