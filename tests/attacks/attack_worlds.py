"""Worlds and policies that are wrong, for the attacks on the command line."""

import numpy as np

from envsuite.agents import Policy
from envsuite.core.world import World
from envsuite.games.tic_tac_toe import TicTacToe

number = 3


class Plain:
    """No world, and no policy."""


class Unfinished(World):
    """A world that defines nothing."""

    def __init__(self):
        pass


class Empty(World):
    """A world without anything."""


class Failing(World):
    """A world that cannot be made."""

    def __init__(self, size: int = 3):
        self.half = size // 0


class Silent(TicTacToe):
    """A world without words."""

    def text(self, s, agent):
        raise KeyError("no words")


class Blind(TicTacToe):
    """A world without a picture."""

    def scene(self, s, agent=None):
        return s.nothing


class Fifth(Policy):
    """Always chooses the fifth action."""

    name = "fifth"

    def act(self, observation, mask, agent=0):
        return 4


class Shy(Policy):
    """Cannot be made."""

    def __init__(self, x: int = 1):
        raise RuntimeError("not today")


class Halves(Policy):
    """Chooses no integer."""

    def act(self, observation, mask, agent=0):
        return 0.5


class Far(Policy):
    """Chooses what there is not."""

    def act(self, observation, mask, agent=0):
        return 10**9


class Words(Policy):
    """Fails while it plays."""

    def act(self, observation, mask, agent=0):
        return {}["word"]


class Wide(Policy):
    """Chooses for too many."""

    def act_batch(self, observations, masks, agents):
        return np.zeros((1, 2, 3))
