"""Names: the one reader of those that users write, ``name:first,other=value``, and those that are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envsuite.core.parameters import Parameter, read

#: The options of interfaces. No parameter of a world has such a name, so that none takes the other's value.
OPTIONS = (
    "agent", "autoreset", "background", "compiled", "copy", "curriculum", "disguise", "flat", "idle", "masks",
    "on_illegal", "opponents", "out", "pixels", "protocol", "render_mode", "threads", "transforms",
)  # fmt: skip

#: The hooks that `World` has or will have. No world has an attribute of such a name for something else.
HOOKS = ("customer_brief", "effect", "outcome", "outcomes", "reward_terms", "sees", "talk_teams")


def split_name(text: str) -> tuple[str, list[str]]:
    """A name and the texts of its parameters: ``constant:12,noise=0.1`` is "constant" and ["12", "noise=0.1"]."""
    name, _, tail = text.partition(":")
    return name, [part.strip() for part in tail.split(",") if part.strip()]


def read_values(declared: Mapping[str, Parameter], texts: Sequence[str], label: str) -> dict[str, Any]:
    """Parameters from the texts behind a name, yet to be checked. The first may be the value of the first parameter."""
    first = next((name for name in declared if name != "world"), None)
    if first and texts and "=" not in texts[0] and texts[0] not in declared:
        texts = [f"{first}={texts[0]}", *texts[1:]]
    return read(declared, texts, label)
