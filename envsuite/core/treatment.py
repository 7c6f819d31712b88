"""Conditions under which a world is compared with itself in an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Treatment:
    """A condition of an experiment with language agents.

        treatments = {"no_talk": Treatment("Villagers do not meet.", {"language": False})}

    Attributes:
        about: what it changes, in one sentence for researchers.
        params: the parameters of the world that it sets.
        told: what players read after the rules; "" where the page says it by the parameters.
    """

    about: str
    params: Mapping[str, Any] = field(default_factory=dict)
    told: str = ""
