"""Worlds as text: an agent's knowledge in words, its actions by name, and actions read from a written answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from envsuite.core.errors import ActionError, suggest
from envsuite.core.world import World


def _plain(text: str) -> str:
    """Lower case, one space between words; punctuation around the words is dropped."""
    return " ".join(re.findall(r"[\w.+=-]*\w", text.lower()))


@lru_cache(256)
def _numbers(names: tuple[str, ...], synonyms: tuple[tuple[str, str], ...]) -> tuple[dict[str, int], dict[str, int]]:
    """The number of each action by its name, and by other words for it."""
    by_name = {_plain(name): k for k, name in enumerate(names)}
    return by_name, {_plain(synonym): by_name[_plain(name)] for synonym, name in synonyms if _plain(name) in by_name}


def parse_action(
    names: Sequence[str], answer: str, legal: Iterable[int], synonyms: Mapping[str, str] = MappingProxyType({})
) -> int:
    """The action that a written answer names.

    An answer is an action's name, its number, or a sentence that names exactly one legal action; where one name
    contains another (``"catch 12"``, ``"catch 1"``) the longer counts. `synonyms` are other words for names.

    Raises:
        ActionError: when no action, or more than one, is named.
    """
    if not isinstance(answer, str):
        raise ActionError(f"an answer is text, not {type(answer).__name__}")
    wanted = _plain(answer)
    by_name, other = _numbers(tuple(names), tuple(synonyms.items()))
    for words in (by_name, other):
        if wanted in words:
            return words[wanted]
    if wanted.isdigit() and int(wanted) < len(names):
        return int(wanted)
    legal = set(legal)
    allowed = [(word, k) for words in (by_name, other) for word, k in words.items() if k in legal]
    found = [(name, k) for name, k in allowed if re.search(rf"(?<![\w=]){re.escape(name)}(?![\w=])", wanted)]
    found = [(name, k) for name, k in found if not any(name != other and name in other for other, _ in found)]
    meant = sorted({k for _, k in found})
    if len(meant) == 1:
        return meant[0]
    if found:
        raise ActionError(f"{answer!r} names more than one action: {', '.join(names[k] for k in meant)}")
    raise ActionError(f"{answer!r} names no action{suggest(wanted, [names[k] for k in sorted(legal)])}")


def parse_controls(world: World, agent: int, answer: str) -> np.ndarray:
    """The controls (D,) float32 that a written answer gives: all numbers in order, or ``left=0.5, up=1`` by name.

    A number that is not named is 0, or the bound nearest to 0.

    Raises:
        ActionError: when the answer is something else, or a number is not finite or outside its bounds.
    """
    names, box, who = world.action_names[agent], world.control_spaces[agent], world.agents[agent]
    if not isinstance(answer, str):
        raise ActionError(f"an answer is text, not {type(answer).__name__}")
    found = np.clip(np.zeros(len(names), np.float32), box.low, box.high)
    if "=" in answer:
        pairs = [part.split("=", 1) for part in re.split(r"[,;\n]", answer) if part.strip()]
    else:
        numbers = re.split(r"[\s,;]+", answer.strip(" \n()[]"))
        pairs = [list(pair) for pair in zip(names, numbers)] if len(numbers) == len(names) else []
    if not pairs or any(len(pair) == 1 for pair in pairs):
        raise ActionError(f"{who}: give {len(names)} numbers, or some as name=number: {', '.join(names)}")
    for name, number in ([word.strip() for word in pair] for pair in pairs):
        if name not in names:
            raise ActionError(f"{who} has no control {name!r}{suggest(name, names)}")
        k = names.index(name)
        try:
            found[k] = float(number)
        except ValueError:
            raise ActionError(f"{who}: {name}={number!r:.40} is no number") from None
        if not box.low[k] <= found[k] <= box.high[k]:
            raise ActionError(f"{who}: {name}={number:.40} is outside {box.low[k]:g} .. {box.high[k]:g}")
    return found


def rules(world: World) -> str:
    """A world's documentation page: rules, agents, observations, actions, rewards, ends."""
    return (type(world).__doc__ or "").strip()


def legal_names(world: World, agent: int, mask: np.ndarray) -> list[str]:
    """The names of the actions that a mask (K,) allows this agent."""
    return [world.action_names[agent][k] for k in np.flatnonzero(mask)]
