"""Record MOMAland's MO-Ingenious, by the Python of tests/reference_environment.py momaland:

python tests/data/recorders/momaland_ingenious.py 0 1 > tests/data/Ingenious/momaland_ingenious.json

The numbers are a seed and how many games there are of each setting.
"""

import json
import sys
import zlib

import numpy as np
from momaland.envs.ingenious import ingenious_base as base
from momaland.envs.ingenious.ingenious import Ingenious

SOURCE = (
    "momaland 0.2.0 (PyPI), momaland.envs.ingenious.moingenious_v0, with pettingzoo 1.27.0, corrected as in the "
    "recorder. Each move is the one with the most points of 30 random ones, or with an odd seed a random one. They are "
    "numbered by first cell row by row, direction, tile. Draws by move, tiles as 7 * color + color; first the racks at "
    "the start. Before each move and at the end: the mover and checksums of the board int8, all racks int8, scores "
    "int16, the mask and the last rewards (agents, colors) int16."
)

#: Players, side, colors, tiles of a rack, mode, open racks.
SETTINGS = (
    (2, 6, 6, 6, "competitive", False), (3, 5, 6, 6, "competitive", True), (2, 3, 2, 2, "competitive", False),
    (2, 6, 2, 3, "competitive", True), (4, 5, 4, 3, "two_teams", False), (6, 4, 6, 2, "collaborative", False),
    (2, 6, 2, 4, "collaborative", True), (2, 4, 3, 4, "two_teams", True), (4, 6, 5, 2, "collaborative", False),
    (5, 3, 5, 2, "competitive", False), (5, 4, 6, 2, "competitive", False), (6, 9, 6, 2, "two_teams", False),
)  # fmt: skip


class Bag(list):
    """A bag that writes down what is drawn."""

    def pop(self, place):
        tile = super().pop(place)
        self.drawn.append(7 * tile[0] + tile[1])
        return tile


class Corrected(base.IngeniousBase):
    """With scores that stay at the cap, and first tiles that always have a place."""

    def tiles_bag_reset(self):
        super().tiles_bag_reset()
        self.tiles_bag = Bag(self.tiles_bag)
        self.tiles_bag.drawn = []

    def set_action_index(self, index):
        scores = self.score[self.agents[self.agent_selector]]
        self.full = {color for color, score in scores.items() if score == self.max_score}
        if self.first_round and not any(super().return_action_list()):
            self.first_round_pos.add(index)
        return super().set_action_index(index)

    def calculate_score_for_piece(self, start_hex, other_hex, color):
        """A color that was at the cap before the move scores nothing."""
        return 0 if color in self.full else super().calculate_score_for_piece(start_hex, other_hex, color)

    def exclude_position_first_round(self, pos):
        """All corners beside a tile are taken; it stops at the first one."""
        for k in range(6):
            corner = base.hex_neighbor(pos, k)
            if max(map(abs, corner)) == self.board_size - 1 and 0 in corner:
                for i in range(6):
                    near = base.hex_neighbor(corner, i)
                    self.first_round_pos -= {
                        action for action, cells in self.action_index_map.items() if near in cells[:2]
                    }

    def return_action_list(self):
        found = super().return_action_list()
        return found if any(found) else self.masked_action


def checksum(array):
    return f"{zlib.crc32(np.ascontiguousarray(array).tobytes()) & 0xFFFF:04x}"


def ordered(game):
    """MOMAland's number of each action, in our order."""
    pairs = [
        (base.Hex(q, r, -q - r), base.hex_neighbor(base.Hex(q, r, -q - r), k))
        for q in range(-game.board_size + 1, game.board_size)
        for r in range(-game.board_size + 1, game.board_size)
        for k in range(6)
    ]
    return [
        game.action_map[(*pair, tile)]
        for pair in pairs
        for tile in range(game.rack_size)
        if (*pair, 0) in game.action_map
    ]


def game(players, side, colors, rack, mode, open_racks, seed):
    env = Ingenious(players, rack, colors, side, mode, open_racks)
    env.game = Corrected(players, rack, colors, side, env.max_score)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    board, order = env.game, ordered(env.game)
    assert len(order) == board.action_size
    moves, sums, movers, paid = [], [], [], np.zeros((players, colors), np.int16)
    draws = [[7 * a + b for name in env.agents for a, b in board.p_tiles[name]]]
    while True:
        seen = env.observe(env.agent_selection)
        mask = np.array(seen["action_mask"], np.int8)[order]
        racks = np.array([board.p_tiles[name] for name in env.possible_agents], np.int8)
        scores = np.array([list(board.score[name].values()) for name in env.possible_agents], np.int16)
        own = racks if open_racks else racks[board.agent_selector]
        assert (seen["observation"]["racks"] == own).all() and (seen["observation"]["scores"] == scores).all()
        over = env.terminations[env.possible_agents[0]]
        parts = seen["observation"]["board"].astype(np.int8), racks, scores, mask * (not over), paid
        sums.append("".join(map(checksum, parts)))
        movers.append(board.agent_selector)
        if over:
            break
        options = rng.choice(np.flatnonzero(mask), 1 if seed % 2 else 30)
        moves.append(int(max(options, key=lambda k: worth(board, order[k]))))
        board.tiles_bag.drawn.clear()
        env.step(order[moves[-1]])
        draws.append(list(board.tiles_bag.drawn))
        assert len(set(env.terminations.values())) == 1 and not any(env.truncations.values())
        paid = np.array([env.rewards[name] for name in env.possible_agents], np.int16)
    return {
        "players": players, "side": side, "colors": colors, "rack": rack, "mode": mode, "open_racks": open_racks,
        "moves": moves, "draws": draws, "movers": movers, "sums": "".join(sums),
    }  # fmt: skip


def worth(board, action):
    """The points of a move by the cells beside it."""
    first, second, tile = board.action_index_map[action]
    halves = board.p_tiles[board.agents[board.agent_selector]][tile]
    score = super(Corrected, board).calculate_score_for_piece
    return score(first, second, halves[0]) + score(second, first, halves[1])


if __name__ == "__main__":
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    games = [game(*setting, 1000 * seed + 10 * k + i) for k, setting in enumerate(SETTINGS) for i in range(count)]
    print(json.dumps({"source": SOURCE, "games": games}, separators=(",", ":")))
