"""`lbforaging`'s own game with a world's parameters."""

import numpy as np
from gymnasium import spaces
from lbforaging.foraging import environment


class Reference(environment.ForagingEnv):
    """lbforaging's game with a world's parameters; its observation space is repaired where it is invalid."""

    def __init__(self, world):
        ours = world.parameters
        self.space = world.observation_spaces[0]
        same = ("players", "force_coop", "penalty", "normalize_reward", "observe_agent_levels")
        same += ("min_player_level", "max_player_level", "min_food_level", "max_food_level")
        super().__init__(
            field_size=(ours["size"], ours["size"]),
            max_num_food=ours["food"],
            sight=ours["size"] if ours["sight"] is None else ours["sight"],
            max_episode_steps=ours["horizon"],
            grid_observation=ours["observation"] == "grid",
            **{name: ours[name] for name in same},
        )

    def _get_observation_space(self):
        if self._grid_observation:
            return spaces.Box(self.space.low.astype(np.float32), self.space.high.astype(np.float32))
        return super()._get_observation_space()

    def start(self, seed):
        """A new episode; as in the first one, players may be in any cell."""
        for player in self.players:
            player.position = None
        self.reset(seed=seed)

    def level(self):
        players = [[*map(int, player.position), int(player.level)] for player in self.players]
        food = [[int(i), int(j), int(self.field[i, j])] for i, j in np.argwhere(self.field)]
        return {"players": players, "food": food}

    def take(self, level):
        """Start from this level instead."""
        for player, (row, column, its) in zip(self.players, level["players"]):
            player.setup((row, column), its, self.field_size)
        self.field[:] = 0
        for row, column, its in level["food"]:
            self.field[row, column] = its
        self._food_spawned = self.field.sum()
        self.current_step, self._game_over = 0, False
        self._gen_valid_moves()


class Numbered(environment.Player):
    """A player whose place in a set depends on its number, not on its address in memory."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def __hash__(self):
        return self.number
