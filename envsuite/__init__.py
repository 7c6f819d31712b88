"""Multi-agent games, gridworlds, commons dilemmas and dual-control domains, compiled, behind one interface.

    import envsuite
    env = envsuite.make_parallel("envsuite/Harvest-v0")          # PettingZoo, simultaneous moves
    env = envsuite.make_aec("envsuite/ConnectFour-v0")           # PettingZoo, one agent at a time
    envs = envsuite.make_vec("envsuite/Harvest-v0", num_envs=1024)
    env = gymnasium.make("envsuite/DoorKey-v0")

Importing envsuite registers its ids with Gymnasium and PettingZoo; it imports neither numba nor pygame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envsuite.registry import __version__ as __version__
from envsuite.registry import ids, register, register_all, register_others, spec

if TYPE_CHECKING:
    from envsuite.agents import Policy
    from envsuite.interfaces.aec import AEC
    from envsuite.interfaces.parallel import Parallel
    from envsuite.interfaces.vector import Vector

__all__ = ["ids", "make_aec", "make_parallel", "make_policy", "make_vec", "policies", "register", "spec"]


def make_aec(id: str, **params: Any) -> AEC:
    """A PettingZoo AEC environment of this world; see `envsuite.interfaces.aec.AEC`."""
    from envsuite.interfaces.aec import AEC

    return AEC(id, **params)


def make_parallel(id: str, **params: Any) -> Parallel:
    """A PettingZoo parallel environment of this world; see `envsuite.interfaces.parallel.Parallel`."""
    from envsuite.interfaces.parallel import Parallel

    return Parallel(id, **params)


def make_vec(
    id: str, num_envs: int, threads: int = 1, autoreset: str = "next_step", copy: bool = True, **params: Any
) -> Vector:
    """Thousands of copies of this world, all agents of each; see `envsuite.interfaces.vector.Vector`."""
    from envsuite.interfaces.vector import Vector

    return Vector(id, num_envs, threads=threads, autoreset=autoreset, copy=copy, **params)


def make_policy(name: str, world: Any, **parameters: Any) -> Policy:
    """A baseline policy by name for a world (an id, a `World` or an environment); see `envsuite.agents`."""
    from envsuite.agents import make_policy

    return make_policy(name, world, **parameters)


def policies(id: str) -> list[str]:
    """The names of a world's baseline policies, "random" first."""
    from envsuite.agents import policies

    return list(policies(id))


register_all()
register_others()
