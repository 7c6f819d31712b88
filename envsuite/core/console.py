"""The terminal: what files, models and people wrote is shown there as text and never acted on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import console
from rich.segment import Segment

from envsuite.core.errors import visible


class Console(console.Console):
    """A console of rich for words from anywhere.

    Control characters in them, with which a terminal would move its cursor, open links or read from right to left, are
    shown as their escapes; square brackets in them are no markup, and words between colons are no emoji. Colors and
    moves of the cursor that rich makes itself stay.
    """

    def __init__(self, **options: Any):
        super().__init__(**{"highlight": False, "markup": False, "emoji": False, **options})

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        """All that is printed comes through here: the text and the style of each piece."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else Segment(visible(piece.text), piece.style)
