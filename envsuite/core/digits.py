"""Whole numbers in texts that people, models and files give."""

from __future__ import annotations


def whole(text: str, digits: int = 9) -> int | None:
    """The number that a text of up to that many ASCII digits gives; None for any other text.

    `str.isdigit` and `str.isdecimal` allow characters that `int` refuses or that are no digits of ours, and `int`
    refuses long texts, so a text from outside becomes a number here and nowhere else.
    """
    return int(text) if len(text) <= digits and text.isascii() and text.isdecimal() else None
