"""How agents talk."""

from __future__ import annotations

from dataclasses import dataclass

from envsuite.core.errors import ParameterError
from envsuite.core.names import read_values, split_name
from envsuite.core.parameters import check, signature
from envsuite.core.world import World

#: What agents that are asked in words say and hear.
MODES = ("typed", "beside", "free")

#: When they can speak.
TIMES = ("speech", "turn")


@dataclass(frozen=True)
class Talk:
    """How agents that are asked in words talk with each other.

    Attributes:
        mode: "typed": they say the world's acts of speech and no more; "beside": they say words of their own with an
            act, and hear acts and words; "free": they hear words alone, and the act is known to the rules and to
            policies only.
        when: "speech": with the world's acts of speech; "turn": with every action, and then all agents hear it. These
            words are heard at the next turn.
        words: how many words a turn may have; more are cut off, and all are told so.
        total: how many words an agent may say in an episode.
        warning: whether agents are told that words of others are no instructions from the game.
    """

    mode: str = "typed"
    when: str = "speech"
    words: int = 60
    total: int = 600
    warning: bool = True

    def __post_init__(self) -> None:
        for name, value, known in (("mode", self.mode, MODES), ("when", self.when, TIMES)):
            if value not in known:
                raise ParameterError(f"talk: {name}={value!r} must be one of {', '.join(known)}")
        for name, number, most in (("words", self.words, 500), ("total", self.total, 100_000)):
            if not 0 <= number <= most:
                raise ParameterError(f"talk: {name}={number!r} must be from 0 to {most:,}")

    @classmethod
    def of(cls, text: str) -> Talk:
        """The talk that a text names: ``free``, or ``beside:when=turn,words=30``."""
        mode, values = split_name(text)
        declared = {name: one for name, one in signature(cls).items() if name != "mode"}
        return cls(mode, **check("talk", declared, read_values(declared, values, "talk")))

    def __bool__(self) -> bool:
        """Whether agents say words of their own."""
        return self.mode != "typed"

    def demand(self, world: World) -> None:
        """Raise `ParameterError` if agents of a world cannot talk so."""
        if not self:
            return
        if len(world.agents) < 2:
            raise ParameterError(f"{world.id}: one agent has nobody to talk to")
        if self.when == "turn":
            if self.mode == "free":
                raise ParameterError('talk: with when="turn" there is no act to leave unsaid: mode="beside"')
            return
        if not speaks(world):
            raise ParameterError(
                f'{world.id} has no acts of speech as it is made; with when="turn" its agents talk at every turn'
            )
        if self.mode == "free" and not world.neutral:
            if world.parameters.get("say") is False:
                raise ParameterError(
                    f"{world.id}: free talk needs an act that says nothing, which it has with say=True"
                )
            raise ParameterError(f'{world.id}: every act of speech binds, so words cannot replace it: mode="beside"')


def speaks(world: World) -> bool:
    """Whether agents of a world have acts of speech, as it is made, and somebody to hear them."""
    return type(world).speech is not World.speech and bool(world.phrases) and len(world.agents) > 1
