"""Record Melting Pot's daycare: python tests/data/recorders/daycare.py FOLDER tests/data/Daycare/daycare.json.gz

FOLDER holds google-deepmind/meltingpot, commit 81ee2e7: its lua files and the substrate's configuration run unchanged,
but for the map, the numbers of steps, and how far agents see: the whole map, so that the codes of its sprites say what
is where. dmlab2d 1.0.2, ml_collections and immutabledict must be installed. Maps are our own.

Of each frame of an episode the file holds

- a: the actions of child and parent,
- g: of each x, y and the facing (0 east, 1 south), or null while it is away,
- c, p: the cells 20 y + x that have changed as the child and the parent see them, and to what: 1 tree, 2 shrub, 4 and 8
  an apple and a banana that hang, 16 and 32 ones that are picked, 64 and 128 the hand of child and parent; without c
  while the child is away,
- h: the steps until the child is out,
- w: x and y of the cell where a child that is away waits,
- r: the rewards, where they are not 0.

Starts differ from run to run, whatever the seed; the file holds one run.
"""

import copy
import importlib

import numpy as np
from melting_pot import arguments, opened, part, step, write

WIDTH, HEIGHT, REACH = 20, 13, 20
PLANTS = {"A": "appleTree", "a": "appleShrub", "B": "bananaTree", "b": "bananaShrub"}
SPRITES = sorted(
    "OutOfBounds OutOfView WallNorth groundSprite appleTreeSprite appleShrubSprite bananaTreeSprite bananaShrubSprite "
    "appleSprite appleInTreeSprite appleInShrubSprite bananaSprite bananaInTreeSprite bananaInShrubSprite "
    "avatarSprite1 avatarSprite2 grasp_1 grasp_2".split()
)
BITS = {"grasp_1": 64, "grasp_2": 128, "appleSprite": 16, "bananaSprite": 32}
for fruit, bit in (("apple", 4), ("banana", 8)):
    for height, plant in (("Tree", 1), ("Shrub", 2)):
        BITS[f"{fruit}{height}Sprite"], BITS[f"{fruit}In{height}Sprite"] = plant, bit


def walled(*inner):
    """A map of walls with these rows in its middle."""
    rows = [["#"] * WIDTH for _ in range(HEIGHT)]
    for y, row in enumerate(inner):
        rows[3 + y][6 : 6 + len(row)] = row
    return ["".join(row) for row in rows]


TINY = walled("sbAs", "BAab", "sbas")
ROW = walled("sBbAabs")
GARDEN = walled("s.Ab..a", ".b#A.B.", "Aa.s.bA", ".B.b#..", "s..A.bs")
MEADOW = (
    "####################",
    "#..A..b...A..A....B#",
    "#A...A.....b....A..#",
    "#...B...A.....A....#",
    "#.a....#..A..b...A.#",
    "#..A...#sss...A....#",
    "#.b..A..sss.B....A.#",
    "#....B..sss#....b..#",
    "#A.A.......#.A..A..#",
    "#...A..b..A....B...#",
    "#.B...A......A...b.#",
    "#a..A....B.A....A..#",
    "####################",
)
#: How often each action is played: noop, forward, backward, left, right, turns, eat, grasp.
LIVELY, STILL, GREEDY = (1, 7, 1, 1, 1, 2, 2, 1, 5), (3, 2, 1, 1, 1, 2, 2, 0.3, 8), (1, 9, 1, 1, 1, 2, 2, 3, 6)
#: Map, frames, steps until the child is out and until it and fruit return, seed, and the weights of actions.
EPISODES = (
    (TINY, 1200, 25, 4, 9, 1, STILL),
    (ROW, 900, 40, 3, 6, 2, LIVELY),
    (TINY, 900, 1000, 100, 3, 3, STILL),
    (GARDEN, 900, 60, 10, 20, 4, GREEDY),
    (MEADOW, 700, 200, 100, 50, 5, GREEDY),
)


def start(folder, rows, hungry, respawn, regrowth, seed):
    config = importlib.import_module("meltingpot.configs.substrates.daycare")
    config._ENABLE_DEBUG_OBSERVATIONS = True
    settings = copy.deepcopy(config.build(("child", "parent"), config.get_config()))
    simulation = settings["simulation"]
    simulation["map"] = "\n" + "\n".join(rows).replace(".", ",") + "\n"
    prefabs, ground = simulation["prefabs"], {"type": "all", "list": ["ground"]}
    kinds = {"#": "wall_north", ",": ground, "s": {"type": "all", "list": ["ground", "spawn_point"]}}
    for letter, plant in PLANTS.items():
        prefabs[plant] = copy.deepcopy(prefabs["tree"])
        part(prefabs[plant], "TreeType")["probabilities"] = {
            **dict.fromkeys(("empty", *PLANTS.values()), 0.0),
            plant: 1.0,
        }
        kinds[letter] = {"type": "all", "list": ["ground", plant, "fruit"]}
    part(prefabs["fruit"], "FruitType")["framesTillAppleRespawn"] = regrowth
    simulation["charPrefabMap"] = kinds
    for thing in simulation["gameObjects"]:
        part(thing, "Hunger")["framesTillHungry"] = hungry
        part(thing, "AvatarRespawn")["framesTillRespawn"] = respawn
        reach = dict.fromkeys(("left", "right", "forward", "backward"), REACH)
        part(thing, "Avatar")["view"] = {**reach, "centered": False}
    return opened(settings, folder, seed), config.ACTION_SET


def look(seen, hungry, before):
    """What the file holds of a frame; `before` are the last cells that each agent has seen, and changes."""
    frame = {"g": [None, None], "h": round(hungry * float(seen["1.HUNGER"]))}
    for a, letter in enumerate("cp"):
        layers = seen[f"{a + 1}.LAYER"]
        if "avatarSprite" not in names(layers[REACH, REACH]):
            continue
        x, y = map(int, seen[f"{a + 1}.POSITION"])
        grid = layers[REACH - y :, REACH - x :][:HEIGHT, :WIDTH]
        cells = [[sum(BITS.get(name, 0) for name in names(here).split()) for here in row] for row in grid]
        cells = np.array(cells).reshape(-1)
        frame["g"][a] = [x, y, (int(seen[f"{a + 1}.ORIENTATION"]) + 3) % 4]
        frame[letter] = [[int(k), int(cells[k])] for k in np.flatnonzero(cells != before[a])]
        before[a] = cells
    if frame["g"][0] is None:
        frame["w"] = [int(k) for k in seen["1.POSITION"]]
    rewards = [int(seen[f"{a + 1}.REWARD"]) for a in range(2)]
    return {**frame, "r": rewards} if any(rewards) else frame


def names(codes):
    return " ".join(SPRITES[(int(code) - 1) // 4] for code in codes if code)


def record(folder, rows, frames, hungry, respawn, regrowth, seed, weights):
    env, actions = start(folder, rows, hungry, respawn, regrowth, seed)
    chance, before = np.random.default_rng(seed), [np.zeros(WIDTH * HEIGHT, int) for _ in range(2)]
    frame = look(env.reset().observation, hungry, before)
    episode = [frame]
    for _ in range(frames):
        chosen = chance.choice(9, 2, p=np.array(weights) / sum(weights)).tolist()
        if frame["g"][0] is None:
            chosen[0] = 0
        frame = look(step(env, actions, chosen).observation, hungry, before)
        episode.append({"a": chosen, **frame})
    paid = np.sum([frame["r"] for frame in episode if "r" in frame], 0)
    print(len(episode), "frames, paid", paid, "away in", sum(frame["g"][0] is None for frame in episode))
    return {"map": list(rows), "hungry": hungry, "respawn": respawn, "regrowth": regrowth, "frames": episode}


if __name__ == "__main__":
    folder, target = arguments()
    write(target, [record(folder, *episode) for episode in EPISODES])
