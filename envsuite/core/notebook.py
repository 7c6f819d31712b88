"""Tables for notebooks."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as a table of HTML."""
    lines = [("th", head), *(("td", row) for row in rows)]
    cells = ("".join(f"<{kind}>{escape(str(one))}</{kind}>" for one in row) for kind, row in lines)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"
