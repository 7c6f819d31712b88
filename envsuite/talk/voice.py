"""Words for policies, which choose acts of speech and have no words of their own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from envsuite.core.world import World
from envsuite.talk.words import clean


def phrase(world: World, s: Any, agent: int, action: int, seed: int, step: int) -> str:
    """A sentence for an act of speech, and what the act tells, `World.told`; "" where its world has no sentence.

    It depends on the act, the seed, the step and the agent alone, so it tells no more than the act, and no stream of
    random numbers is used. `s` is the record before the act.
    """
    found = sentences(world, world.action_names[agent][action])
    if not found:
        return ""
    digest = hashlib.blake2b(f"{seed}/{step}/{agent}".encode(), digest_size=8).digest()
    told = world.told(s, agent, action)
    return " ".join(filter(None, (found[int.from_bytes(digest, "big") % len(found)], clean(told))))


def is_neutral(world: World, name: str) -> bool:
    """Whether an action of this name is the world's act that says nothing, or one of them."""
    return world.neutral != "" and _pattern(world.neutral).fullmatch(name) is not None


@lru_cache(65536)
def sentences(world: World, name: str) -> Sequence[str]:
    """All sentences for an act of speech by its name."""
    for form, templates in world.phrases.items():
        slots = _pattern(form).fullmatch(name)
        if slots:
            return [clean(template.format(*slots.groups())) for template in templates]
    return ()


@lru_cache(4096)
def _pattern(form: str) -> re.Pattern[str]:
    """What the names of an act look like; ``{}`` in its form stands for a part of them."""
    return re.compile("(.+)".join(map(re.escape, form.split("{}"))))
