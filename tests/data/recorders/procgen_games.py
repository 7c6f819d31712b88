"""Record Procgen's levels and games: python tests/data/recorders/procgen_games.py tests/data/procgen.json.gz

procgen2 0.10.7 must be installed, with NumPy below 2. Its games run unchanged; levels and states are read from
`get_state`, whose fields come in the order of the `serialize` functions of openai/procgen. Of each level the file holds
the seed and the map; of each step the action, the reward and a checksum of the state after it. All maps have row 0 at
the top and are written with the codes of the worlds here. Players walk to the nearest thing of value, with random moves
in between, so that many games are won and lost.
"""

import gzip
import json
import struct
import sys
import zlib

import numpy as np
from procgen import ProcgenGym3Env

SPACE, WALL = 100, 51

#: A letter for each code of a map.
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

#: Entities are written as 31 numbers; these are their formats.
ENTITY = "<6f6i3f6if3i6f"


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        found = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return found

    def text(self):
        (size,) = self.take("<i")
        self.at += size

    def ints(self):
        (size,) = self.take("<i")
        return list(self.take(f"<{size}i"))


def state(env):
    """What a game's state holds of interest, `rest` being the reader at the fields of the game itself."""
    read = Reader(env.callmethod("get_state")[0])
    read.take("<i")
    read.text()
    read.take("<17i")
    for _ in range(2):  # random streams
        read.take("<i")
        read.text()
    read.take("<f8i")
    time = read.take("<if4i")[4]
    _, count = read.take("<2i")
    entities = [read.take(ENTITY) for _ in range(count)]
    read.take("<ii3fiii3f3f2f2i")
    word = read.take("<i")[0]
    read.take("<i")
    read.text()
    read.take("<3i6f")
    width, height = read.take("<ii")
    grid = np.array(read.ints()).reshape(height, width)
    return {"time": time, "entities": entities, "word": word, "grid": grid, "rest": read}


def made(game, mode, seed):
    return ProcgenGym3Env(num=1, env_name=game, distribution_mode=mode, start_level=seed, num_levels=1)


def checksum(*arrays):
    return f"{zlib.crc32(b''.join(np.ascontiguousarray(array).tobytes() for array in arrays)) & 0xFFFF:04x}"


def of_type(entities, kind):
    return [entity for entity in entities if entity[6] == kind]


def cell_of(entity, height):
    """Row from the top and column of an entity."""
    return height - 1 - int(np.floor(entity[1])), int(np.floor(entity[0]))


def seek(open_cells, start, goals):
    """The first step (down, right) on a shortest way to a goal, or None."""
    first, front = {start: None}, [start]
    for y, x in front:  # grows meanwhile
        for dy, dx in ((0, -1), (0, 1), (-1, 0), (1, 0)):
            near = (y + dy, x + dx)
            inside = 0 <= near[0] < open_cells.shape[0] and 0 <= near[1] < open_cells.shape[1]
            if inside and open_cells[near] and near not in first:
                first[near] = first[y, x] or (dy, dx)
                if goals[near]:
                    return first[near]
                front.append(near)
    return None


def action_of(step):
    """Procgen's number of a move (down, right)."""
    return 4 if step is None else 3 * (step[1] + 1) + 1 - step[0]


def reward_of(env):
    reward, _, first = env.observe()
    return round(float(reward[0]), 4), bool(first[0])


def miner_map(found):
    """The codes of a mine."""
    codes = np.zeros(found["grid"].shape, np.uint8)
    for theirs, ours in ((9, 1), (1, 2), (2, 3), (3, 4), (4, 5)):
        codes[found["grid"] == theirs] = ours
    codes = codes[::-1].copy()
    for kind, bit in ((6, 8), (0, 16)):
        (entity,) = of_type(found["entities"], kind)
        codes[cell_of(entity, len(codes))] |= bit
    return codes


def miner_move(found, rng):
    codes = miner_map(found)
    agent = tuple(np.argwhere(codes & 16)[0])
    things = codes & 7
    goals = things == 3 if (things == 3).any() else codes & 8 != 0
    return seek((things != 2) & (things != 4), agent, goals)


def heist_map(found):
    """The codes of a maze with doors."""
    codes = (found["grid"][::-1] == SPACE).astype(np.uint8)
    for kind, code in ((1, 2), (2, 5), (9, 8), (0, 9)):  # doors, keys, the gem, the agent
        for entity in of_type(found["entities"], kind):
            codes[cell_of(entity, len(codes))] = code + entity[8]
    return codes


def chaser_cells(found):
    """The codes of walls, free cells, orbs and power orbs."""
    codes = np.ones(found["grid"].shape, np.uint8)
    codes[found["grid"] == 5] = 0
    codes[found["grid"] == 1002] = 2
    codes = codes[::-1].copy()
    for entity in of_type(found["entities"], 2):
        codes[cell_of(entity, len(codes))] = 3
    return codes


def chaser_map(found):
    """The codes of a start, with the agent and eggs."""
    codes = chaser_cells(found)
    for kind, code in ((4, 4), (0, 5)):
        for entity in of_type(found["entities"], kind):
            codes[cell_of(entity, len(codes))] = code
    return codes


def placed(entity, height):
    """Place and speed of an entity in sixteenths, to the right and down."""
    x, y, right, up = (round(16 * value) for value in entity[:4])
    return [x, 16 * height - y, right, -up]


def chaser_view(found):
    """The cells, the agent with the signs of its speeds, eggs and enemies in order, and the edible steps."""
    cells, rows = chaser_cells(found), []
    for entity in found["entities"]:
        if entity[6] in (4, 6) and not entity[10]:
            egg = entity[6] == 4
            rows.append([1 if egg else 2, *placed(entity, len(cells)), round(entity[26]) if egg else 0])
    agent = placed(of_type(found["entities"], 0)[0], len(cells))
    rest = found["rest"]
    rest.ints(), rest.ints()
    eaten = rest.take("<3i")[2]
    edible = max(0, 75 - (found["time"] - eaten))
    agent[2:] = np.sign(agent[2:])
    return [cells, np.array([*agent, *sum(sorted(rows), []), edible], np.int16)]


def chaser_move(found, rng):
    cells = chaser_cells(found)
    where = {kind: [cell_of(e, len(cells)) for e in of_type(found["entities"], kind)] for kind in (0, 6)}
    open_cells = cells != 0
    for y, x in where[6]:
        for cell in np.argwhere(open_cells):
            if abs(cell[0] - y) + abs(cell[1] - x) <= 2:
                open_cells[tuple(cell)] = False
    return seek(open_cells, where[0][0], cells > 1) or [(0, 1), (1, 0), (0, -1), (-1, 0)][rng.integers(4)]


def maze_map(found):
    """The codes of a maze, with walls around it."""
    codes = np.where(found["grid"] == 2, 2, found["grid"] == SPACE).astype(np.uint8)[::-1].copy()
    codes[cell_of(of_type(found["entities"], 0)[0], len(codes))] = 3
    return np.pad(codes, 1)


def maze_move(found, rng):
    codes = maze_map(found)
    return seek(codes != 0, tuple(np.argwhere(codes == 3)[0]), codes == 2)


MAPS = {"miner": miner_map, "heist": heist_map, "chaser": chaser_map, "maze": maze_map}
VIEWS = {"miner": lambda found: [miner_map(found)], "chaser": chaser_view, "maze": lambda found: [maze_map(found)]}
CHOICES = {"miner": miner_move, "chaser": chaser_move, "maze": maze_move}


def level(game, mode, seed):
    codes = MAPS[game](state(made(game, mode, seed)))
    return {"seed": seed, "map": ["".join(DIGITS[code] for code in row) for row in codes.tolist()]}


def played(game, mode, seed, most, noise, moves=range(9)):
    """A game until its end, or at most this many steps, with random ones of these moves in between."""
    env, rng = made(game, mode, seed), np.random.default_rng(seed)
    episode = {"seed": seed, "mode": mode, "actions": "", "rewards": [], "states": [], "over": False}
    while len(episode["actions"]) < most and not episode["over"]:
        action = action_of(CHOICES[game](state(env), rng)) if rng.random() > noise else int(rng.choice(moves))
        env.act(np.array([action]))
        reward, over = reward_of(env)
        episode["actions"] += str(action)
        episode["rewards"].append(reward)
        episode["over"] = over
        episode["states"].append("" if over else checksum(*VIEWS[game](state(env))))
    return episode


def levels_of(game, **seeds):
    """Levels of each mode, by their seeds."""
    return {mode: [level(game, mode, seed) for seed in some] for mode, some in seeds.items()}


def record_miner():
    easy = [played("miner", "easy", k % 60, 250, (0.0, 0.1, 0.3, 1.0)[k % 4 ^ k // 60]) for k in range(80)]
    hard = [played("miner", "hard", seed, 400, (0.05, 0.3)[seed % 2]) for seed in range(10)]
    games = [*easy, *hard, played("miner", "easy", 20, 1000, 0.0)]
    return {"levels": levels_of("miner", easy=range(60), hard=range(20), memory=range(5)), "games": games}


def record_heist():
    return {"levels": levels_of("heist", easy=range(60), hard=range(20), memory=range(6))}


def record_chaser():
    games = [played("chaser", "easy", seed, 400, (0.0, 0.02, 0.1, 0.3, 1.0)[seed % 5]) for seed in range(30)]
    games += [played("chaser", "hard", seed, 300, 0.05) for seed in range(8)]
    games += [played("chaser", "extreme", seed, 300, 0.05) for seed in range(6)]
    return {"levels": levels_of("chaser", easy=range(30), hard=range(20), extreme=range(8)), "games": games}


def record_maze():
    moves = [0, 1, 2, 3, 5, 6, 7, 8]  # all but waiting
    games = [played("maze", "easy", seed, 500, (0.3, 0.7, 1.0)[seed % 3], moves) for seed in range(30)]
    games += [played("maze", "hard", seed, 200, 0.5, moves) for seed in range(10)]
    return {"levels": levels_of("maze", easy=range(40), hard=range(12), memory=range(3)), "games": games}


if __name__ == "__main__":
    recorded = {
        "source": "procgen2 0.10.7",
        "miner": record_miner(),
        "heist": record_heist(),
        "chaser": record_chaser(),
        "maze": record_maze(),
    }
    data = json.dumps(recorded, separators=(",", ":")).encode()
    with open(sys.argv[1], "wb") as file:
        file.write(gzip.compress(data, 9, mtime=0))
