"""What an adversary costs a frozen victim: one seat is trained against a policy that does not change.

trainer = Trainer("KuhnPoker", agents=["player_0"], opponents="random", steps=50_000)
trainer.train()
found = attack("KuhnPoker", trainer.policy(), "player_0", "random", tree=Tree(trainer.world))
found.gain, found.bound
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.cast import seated
from envsuite.core.errors import ParameterError
from envsuite.core.policy import Policy
from envsuite.core.world import World
from envsuite.evaluation import matches
from envsuite.interfaces.gym import seat_number
from envsuite.interfaces.single import as_world
from envsuite.solvers.game_tree import Tree


class Attack(NamedTuple):
    """Mean returns with and without an adversary, in a world with A agents.

    Attributes:
        seat: the number of the adversary's agent.
        before: (A,) where the victim plays all agents.
        after: (A,) where the adversary plays its agent.
        best: the adversary's largest possible mean return against this victim; nan without a game tree.
    """

    seat: int
    before: np.ndarray
    after: np.ndarray
    best: float

    @property
    def gain(self) -> float:
        """How much more the adversary gets than the victim in its place."""
        return float(self.after[self.seat] - self.before[self.seat])

    @property
    def loss(self) -> float:
        """How much less the victim gets, in the mean over its seats, because of the adversary."""
        return float(np.delete(self.before - self.after, self.seat).mean())

    @property
    def bound(self) -> float:
        """The gain of an exact best response, which no adversary exceeds; nan without a game tree."""
        return self.best - float(self.before[self.seat])


def attack(
    world: World | str,
    adversary: Policy,
    agent: str,
    victim: Any,
    episodes: int = 1000,
    seed: int = 1_000_000,
    tree: Tree | None = None,
) -> Attack:
    """What an adversary costs a victim.

    Args:
        world: a world or its id.
        adversary: the policy of one agent.
        agent: its name.
        victim: a policy or its name, which plays all other agents.
        episodes: their number, from which means are estimated without a tree.
        seed: of the first episode.
        tree: the world's game tree, by which all numbers are exact. Then both policies must have a table, see
            `Tree.tabulated`; "random" has one too.
    """
    world = as_world(world, {})
    seat = seat_number(world, agent)
    if len(world.agents) < 2:
        raise ParameterError(f"{world.id} has one agent, so there is no victim")
    (frozen,) = seated(world, [victim])
    if tree is None:
        before = matches.play(world, frozen, episodes, seed).returns.mean(axis=0)
        seats = dict.fromkeys(world.agents, frozen) | {agent: adversary}
        return Attack(seat, before, matches.play(world, seats, episodes, seed).returns.mean(axis=0), math.nan)
    profile = tree.uniform() if victim == "random" else tree.tabulated(frozen)
    best, _ = tree.best_response(seat, profile)
    mixed, own = profile.copy(), tree.owned(seat)
    mixed[own] = tree.tabulated(adversary, [seat])[own]
    return Attack(seat, tree.values(profile), tree.values(mixed), best)
