"""The ways in: `aec`, `parallel`, `gym`, `vector`, `text`, `tools`, derived from a `World` once, for all worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def pettingzoo_forms(world: type) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The functions `env`, `raw_env` and `parallel_env` that a PettingZoo module has, for one world."""

    def env(**params: Any) -> Any:
        """A PettingZoo AEC environment; takes the world's parameters and `render_mode`."""
        from envsuite.interfaces.aec import AEC

        return AEC(world, **params)

    def parallel_env(**params: Any) -> Any:
        """A PettingZoo parallel environment; takes the world's parameters and `render_mode`."""
        from envsuite.interfaces.parallel import Parallel

        return Parallel(world, **params)

    return env, env, parallel_env
