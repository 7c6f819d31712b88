"""`rware`'s own game from our level on, with the requests that ours drew."""

from functools import partial

import networkx
import pytest
from rware import warehouse as reference

FACINGS = {"east": "RIGHT", "south": "DOWN", "west": "LEFT", "north": "UP"}


def longest_path(robots, tree):
    """A longest path of a tree to its root; of chains of one length, that whose next robot has the lowest number."""

    def chain(cell):
        behind = [chain(other) for other in tree.predecessors(cell)]
        return [*max(behind, key=lambda one: (len(one), -robots[one[-1]]), default=[]), cell]

    return chain(next(cell for cell in tree if tree.out_degree(cell) == 0))


class Draws:
    """The reference's generator of random numbers: it draws the requests that ours drew."""

    def __init__(self, game):
        self.game, self.new = game, []

    def choice(self, candidates):
        shelf = self.game.shelfs[self.new.pop(0)]
        assert shelf in candidates
        return shelf


class Game(reference.Warehouse):
    """The reference with our parameters, from our level on."""

    def __init__(self, world, level):
        ours = world.parameters
        kinds = {"individual": "INDIVIDUAL", "global": "GLOBAL", "two_stage": "TWO_STAGE"}
        super().__init__(
            3, 8, 1, len(world.agents), ours["message_bits"], ours["radius"], len(level["requests"]), ours["patience"],
            ours["horizon"], reference.RewardType[kinds[ours["reward"]]], layout="\n".join(level["map"]),
            normalised_coordinates=ours["normalised"],
        )  # fmt: skip
        self.reset(seed=0)
        for agent, (y, x, direction) in zip(self.agents, level["robots"]):
            agent.x, agent.y, agent.dir = x, y, reference.Direction[FACINGS[direction]]
        self._recalc_grid()
        self.request_queue = [self.shelfs[k] for k in level["requests"]]
        self._np_random = Draws(self)

    def requests(self):
        return [shelf.id - 1 for shelf in self.request_queue]

    def play(self, actions, new, delivered):
        """One step; `new` are our requests after it, `delivered` the shelves that were, in the order of the goals."""
        requests, self._np_random.new = [shelf.id - 1 for shelf in self.request_queue], []
        for k, shelf in enumerate(delivered):
            place = requests.index(shelf)
            # One that another goal takes next without having been requested before was requested now.
            requests[place] = next((later for later in delivered[k + 1 :] if later not in requests), new[place])
            self._np_random.new.append(requests[place])
        bits, robots = self.msg_bits, {(agent.x, agent.y): agent.id for agent in self.agents}
        split = [[action % 5, *(action // 5 >> bits - 1 - k & 1 for k in range(bits))] for action in actions]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(networkx.algorithms, "dag_longest_path", partial(longest_path, robots))
            result = self.step(split if bits else [action for (action,) in split])
        assert [shelf.id - 1 for shelf in self.request_queue] == new and not self._np_random.new
        return result
