"""Settings of tables: what a table plays, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from envsuite import registry
from envsuite.core.errors import ParameterError
from envsuite.core.policy import make_policy
from envsuite.core.world import World
from envsuite.interfaces.single import check_seed
from envsuite.talk.table import Talk

#: The player of a seat for people.
PERSON = "person"

#: The player of a seat for a language model begins with this.
LANGUAGE = "language:"

#: A callable that answers a language agent's questions, by the name after "language:".
Models = Mapping[str, Callable[[str], str]]


@dataclass(frozen=True)
class Settings:
    """What a table plays, and how.

    Attributes:
        world: its id, or ``module:Class``.
        parameters: those of the world.
        seed: None for new random bits in each episode, which nobody can derive from other episodes. A number is for
            reproduction: it is the seed of the first episode, and each further one has the next seed. A player who
            knows it knows all hidden cards.
        level: a level for all episodes, or None.
        seats: for each agent ``"person"``, a policy's name, or ``"language:NAME"`` for a model that the server has.
            Agents without an entry are people.
        tick: steps per second; 0 for a table that waits for everybody.
        idle: what a person does in a tick without a choice: "noop" (or "stay", or else the first legal action), or
            "repeat" the last action where it is legal.
        absent: what a seat does while its person is not connected: "wait" (in a ticked table: as `idle`), or "policy".
        standin: the policy that plays for absent people.
        spectators: what visitors without a seat see: "nothing", "end", which is all once an episode is over, or "all".
            By default all where information is perfect, else the end.
        listed: whether anybody may take a free seat in the lobby; otherwise only links lead there.
        episodes: how many a table of a study plays, where people cannot hand their seats to policies; 0 for any other
            table.
        talk: how agents talk, as `Talk.of` reads it: "typed", "beside", "free", or such as "free:words=30".
    """

    world: str
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    level: dict[str, Any] | None = None
    seats: dict[str, str] = field(default_factory=dict)
    tick: float = 0.0
    idle: Literal["noop", "repeat"] = "noop"
    absent: Literal["wait", "policy"] = "wait"
    standin: str = "random"
    spectators: Literal["nothing", "end", "all"] | None = None
    listed: bool = True
    episodes: int = 0
    talk: str = "typed"

    def __post_init__(self) -> None:
        if self.seed is not None:
            check_seed(self.seed)
        if not 0 <= self.tick <= 60:
            raise ParameterError(f"tick={self.tick!r} must be from 0 to 60 steps per second")
        choices = {"idle": ("noop", "repeat"), "absent": ("wait", "policy")}
        for name, known in {**choices, "spectators": (None, "nothing", "end", "all")}.items():
            if getattr(self, name) not in known:
                raise ParameterError(f"{name}={getattr(self, name)!r} must be one of {', '.join(map(str, known))}")

    def build(self) -> World:
        """The world; an error if the seats do not fit it, or if it has no such policies."""
        world = registry.build_stored(self.world, self.parameters)
        for agent in self.seats:
            if agent not in world.agents:
                raise ParameterError(f"{world.id} has no agent {agent!r}; the agents are {', '.join(world.agents)}")
        for name in {self.standin, *self.seats.values()} - {PERSON}:
            if not name.startswith(LANGUAGE):
                make_policy(name, world)
        talk = self.talked()
        talk.demand(world)
        if talk.reading_model is not None:
            raise ParameterError(f"talk={self.talk!r}: at tables no model reads words: reader=own or reader=grammar")
        if talk and talk.in_rounds:
            raise ParameterError(f"talk={self.talk!r}: words go with actions at tables, which have no rounds of talk")
        return world

    def talked(self) -> Talk:
        """How the agents talk."""
        return Talk.of(self.talk)


def settings_of(first: Mapping[str, Any]) -> Settings:
    """The settings in the first event of a journal; `ParameterError` where another version wrote them."""
    try:
        found = Settings(**first["settings"])
    except TypeError as problem:
        raise ParameterError(f"the settings are those of another version: {problem}") from None
    if first.get("seed", found.seed) is None:
        raise ParameterError("the settings have no seed")
    return found
