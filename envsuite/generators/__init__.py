"""Compiled, seeded generators of levels: `generate`, `generate_many`, `mutate`, `describe`, `picture`, `split_of`.

    level = generate("maze", seed=3, width=31, algorithm="wilson")
    mazes.reset(options={"level": generate_many("maze", 1024, split="train")})
    votes.reset(options={"level": generate_many("Voting", 1024, split="train", voters=7)})

A level is plain data that JSON can hold. A world of its kind takes it as ``options["level"]``. The id of a world stands
for the levels that the world draws itself, such as the rankings of voters. Importing this package does not import
Numba; making the first level does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envsuite.generators.kinds import KINDS

if TYPE_CHECKING:
    from envsuite.generators.base import describe, generate, generate_many, mutate, picture, split_of

__all__ = ["KINDS", "describe", "generate", "generate_many", "mutate", "picture", "split_of"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from envsuite.generators import base

        return getattr(base, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
