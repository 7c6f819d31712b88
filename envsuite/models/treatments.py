"""The treatments of an evaluation: those that worlds declare, and those of all worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from envsuite import registry
from envsuite.core.errors import ParameterError
from envsuite.core.treatment import Treatment
from envsuite.core.world import World

#: The treatment that gives each agent a line of a file.
PERSONA = "persona:"

#: The treatments of all worlds.
GENERAL = {
    "goal:own": Treatment(
        "Each player is asked to earn as much as possible for itself.",
        told="Play so that you yourself earn as much as possible, whatever the others earn.",
    ),
    "goal:group": Treatment(
        "Each player is asked to earn as much as possible for all together.",
        told="Play so that all players together earn as much as possible, even if you yourself earn less.",
    ),
    "framing:neutral": Treatment(
        "Players are told that the names in the game are labels.",
        told="The names in this game are only labels; nothing counts but the rules and what you are paid.",
    ),
}


def demand_distinct(names: Sequence[str]) -> None:
    """Raise `ParameterError` for a general treatment that no world has, and for two of a kind."""
    kinds = [name.partition(":")[0] for name in names]
    twice = next((name for k, name in enumerate(names) if kinds[k] in kinds[:k]), None)
    if twice is not None:
        raise ParameterError(f"treatment {twice!r}: another one of its kind is given too")
    for name in names:
        if ":" in name and not name.startswith(PERSONA) and name not in GENERAL:
            raise ParameterError(f"there is no treatment {name!r}: all worlds have {', '.join(_listed({}))}")


def personas(names: Sequence[str]) -> tuple[str, ...]:
    """The lines of the file that is one of these treatments; none without it."""
    path = next((name.removeprefix(PERSONA) for name in names if name.startswith(PERSONA)), None)
    if path is None:
        return ()
    try:
        return tuple(line.strip() for line in Path(path).read_text("utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as problem:
        raise ParameterError(f"{PERSONA}{path} cannot be read: {problem}") from None


def treatments_of(world: World, names: Sequence[str]) -> list[Treatment]:
    """The treatments of a world by their names, without personas; `ParameterError` for an unknown one."""
    known = {**world.treatments, **GENERAL}
    for name in names:
        if name not in known and not name.startswith(PERSONA):
            raise ParameterError(f"{world.id} has no treatment {name!r}: it has {', '.join(_listed(world.treatments))}")
    return [known[name] for name in names if name in known]


def _listed(own: Mapping[str, Treatment]) -> list[str]:
    """The names of all treatments of a world with these of its own."""
    return [*own, *GENERAL, f"{PERSONA}FILE"]


def params_under(world: World, names: Sequence[str]) -> dict[str, Any]:
    """The parameters that treatments set in a world."""
    found: dict[str, Any] = {}
    for treatment in treatments_of(world, names):
        found |= treatment.params
    return found


def treated(world: World, names: Sequence[str]) -> World:
    """The world under treatments."""
    params = params_under(world, names)
    return registry.build_class(type(world), {**world.parameters, **params}) if params else world


def demand_treated(world: World, names: Sequence[str], lines: Sequence[str]) -> None:
    """Raise `ParameterError` if a world does not have treatments, was made without them, or lines do not fit."""
    for name, value in params_under(world, names).items():
        if world.parameters[name] != value:
            raise ParameterError(
                f"{world.id} is made with {name}={world.parameters[name]!r}, but the treatment needs {name}={value!r}"
            )
    if lines and len(lines) != len(world.agents):
        raise ParameterError(f"there are {len(lines)} personas, but {world.id} has {len(world.agents)} agents")


def told(world: World, agent: int, names: Sequence[str], lines: Sequence[str]) -> list[str]:
    """What an agent's player reads after the rules."""
    found = [treatment.told for treatment in treatments_of(world, names)]
    return [text for text in (*found, *lines[agent : agent + 1]) if text]
