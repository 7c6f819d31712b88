"""Record MOMAland's MO-SameGame, by the Python of tests/reference_environment.py momaland:

python tests/data/recorders/momaland_same_game.py 0 1 > tests/data/SameGame/momaland_same_game.json

The numbers are a seed and how many games there are of each setting.
"""

import json
import sys
import zlib

import numpy as np
from momaland.envs.samegame.same_game import MOSameGame

SOURCE = (
    "momaland 0.2.0 (PyPI), momaland.envs.samegame.mosame_game_v0, with pettingzoo 1.27.0. Random moves; squares are "
    "row * width + column. Start: numbers of colors from the top left, row by row. Before each move and at the end: "
    "checksums of all agents' observations (agents, height, width, colors) int8 and masks. Rewards other than 0 as "
    "[agent, objective, reward]."
)

#: Height, width, colors, agents, team rewards, rewards by color.
SETTINGS = (
    (15, 15, 5, 1, False, True), (8, 8, 3, 2, False, False), (5, 5, 3, 3, True, True), (3, 3, 2, 5, True, False),
    (3, 7, 2, 4, False, True), (9, 4, 4, 2, True, True), (30, 3, 10, 5, False, True), (4, 30, 6, 3, False, False),
)  # fmt: skip


class SameGame(MOSameGame):
    """With squares numbered as its documentation says; its own numbers are right on square boards only."""

    def _move_to_int(self, x, y):
        number = y * self.gameinfo["boardcols"] + x
        if self.gameinfo["boardcols"] == self.gameinfo["boardrows"]:
            assert number == super()._move_to_int(x, y)
        return number

    def _int_to_move(self, move):
        return move % self.gameinfo["boardcols"], move // self.gameinfo["boardcols"]


def checksum(array):
    return f"{zlib.crc32(np.ascontiguousarray(array).tobytes()) & 0xFFFF:04x}"


def game(height, width, colors, agents, team, color_rewards, seed):
    env = SameGame(width, height, colors, agents, team, color_rewards)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while not env.legal_moves:  # it would not end
        env.reset(seed=int(rng.integers(2**31)))
    names = list(env.possible_agents)
    moves, sums, rewards = [], [], []
    while True:
        seen = [env.observe(name) for name in names]
        planes = np.stack([part["observation"].transpose(1, 0, 2) for part in seen])
        sums.append(checksum(planes) + checksum(np.stack([part["action_mask"] for part in seen])))
        if not moves:
            start = (planes[0] * np.arange(1, colors + 1)).sum(axis=2)
        if env.terminations[names[0]]:
            break
        assert env.agent_selection == names[len(moves) % agents]
        moves.append(int(rng.choice(sorted(env.legal_moves))))
        env.step(moves[-1])
        assert len(set(env.terminations.values())) == 1 and not any(env.truncations.values())
        paid = np.array([env.rewards[name] for name in names])
        rewards.append([[int(k), int(part), float(paid[k, part])] for k, part in np.argwhere(paid)])
    return {
        "height": height, "width": width, "colors": colors, "agents": agents, "team": team,
        "color_rewards": color_rewards, "start": start.flatten().tolist(), "moves": moves, "sums": sums,
        "rewards": rewards,
    }  # fmt: skip


if __name__ == "__main__":
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    games = [game(*setting, 1000 * seed + 10 * k + i) for k, setting in enumerate(SETTINGS) for i in range(count)]
    print(json.dumps({"source": SOURCE, "games": games}, separators=(",", ":")))
