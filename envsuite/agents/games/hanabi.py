"""Baselines of Hanabi."""

from envsuite.agents.games.hanabi_convention import convention
from envsuite.agents.games.hanabi_smart import smart

__all__ = ["convention", "smart"]
