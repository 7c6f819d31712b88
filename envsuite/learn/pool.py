"""`Pool`: the policies that a learner meets: scripted ones, and its own older selves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.cast import seated
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import Between, Checked
from envsuite.core.policy import Policy
from envsuite.core.world import World


class Pool(metaclass=Checked):
    """Opponents of a learner. In an episode with an opponent, the learner has one seat and the opponent all others.

    Args:
        policies: names or policies that are always members.
        selves: the number of older selves, of which the oldest leaves when there are more; 0 for none.
        every: iterations of the learner from one self to the next.
        pick: "uniform", or "pfsp": members that the learner loses to are picked more often, with a weight of
            (1 - the learner's share of wins) squared (prioritized fictitious self-play, Vinyals et al., 2019).
        share: the share of episodes with an opponent; in the others the learner plays all its seats.

    Attributes:
        members: the policies that are met now, of which the first `fixed` stay; `added` selves have joined so far.
        wins: the learner's running share of wins against each member.
        parameters: all arguments.
    """

    parameters: dict[str, Any]

    def __init__(
        self,
        policies: Sequence[Any] = (),
        selves: Annotated[int, Between(0, 64)] = 0,
        every: Annotated[int, Between(1, 1_000_000)] = 10,
        pick: Literal["uniform", "pfsp"] = "uniform",
        share: Annotated[float, Between(0, 1)] = 1.0,
    ):
        if not (policies or selves):
            raise ParameterError("a pool needs policies, or selves of 1 or more")
        self.policies, self.selves, self.every, self.pick, self.share = policies, selves, every, pick, share
        self.members: list[Policy] = []
        self.fixed = self.added = 0
        self.wins = np.zeros(0)

    def enter(self, world: World, num: int, seed: int) -> None:
        """Start the members that stay, for `num` copies of a world."""
        self.members = seated(world, self.policies)
        self.fixed, self.added = len(self.members), 0
        self.wins = np.full(self.fixed, 0.5)
        for member in self.members:
            member.reset(seed, num)

    def add(self, policy: Policy, num: int, seed: int) -> None:
        """An older self joins; it takes the place of the oldest if there are too many."""
        place = self.fixed + self.added % self.selves
        policy.reset(seed, num)
        self.members[place : place + 1] = [policy]
        self.wins = np.append(self.wins[:place], [0.5, *self.wins[place + 1 :]])
        self.added += 1

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """The number of a member for each of `count` episodes, (count,); -1 for an episode without an opponent."""
        if not self.members:
            return np.full(count, -1)
        weights = (1 - self.wins) ** 2 + 1e-3 if self.pick == "pfsp" else np.ones(len(self.members))
        found = rng.choice(len(self.members), count, p=weights / weights.sum())
        return np.where(rng.random(count) < self.share, found, -1)

    def report(self, rivals: np.ndarray, won: np.ndarray) -> None:
        """Note the learner's results, (M,) from 0, lost, to 1, won, against the members (M,)."""
        for rival, result in zip(rivals.tolist(), won.tolist()):
            if 0 <= rival < len(self.wins):
                self.wins[rival] += 0.02 * (result - self.wins[rival])

    def act(self, batch: Batch, rivals: np.ndarray, theirs: np.ndarray) -> None:
        """Write the members' actions into a batch: member `rivals` (N,) acts for the agents at `theirs` (N, A)."""
        for k in np.unique(rivals[rivals >= 0]).tolist():
            at = theirs & (rivals == k)[:, None]
            seats = np.flatnonzero(at.any(axis=0)).tolist()
            if (batch.acting[:, seats] * at[:, seats]).any():
                actions = self.members[k].act_in(batch, seats, at[:, seats])
                batch.actions[:, seats] = np.where(at[:, seats], actions, batch.actions[:, seats])

    def refresh(self, over: np.ndarray) -> None:
        """The members forget the past in copies where an episode begins, (N,) bool."""
        for member in self.members:
            member.refresh(over)
