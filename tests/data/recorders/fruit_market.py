"""Record Melting Pot's fruit_market.

    python tests/data/recorders/fruit_market.py FOLDER tests/data/FruitMarket/fruit_market.npz

FOLDER holds google-deepmind/meltingpot, commit 81ee2e7: its lua files and the substrate's configuration run unchanged,
but for the map, the number of agents, and what they see: the whole map, so that the codes of sprites in it say what is
where. dmlab2d 1.0.2, ml_collections and immutabledict must be installed. Maps are our own.

Of each of E episodes the file holds, with T frames after the first one, N agents and K trees in the order of the map,

- map_E: the rows of the map,
- actions_E: (T, N), in the order of the substrate's action set,
- agents_E: (T + 1, N, 12) for each agent x, y, facing (0 east, 1 south), stamina, steps since its last meal, apples,
  bananas, the two amounts of its public offer, the number of public offers that it sees, whether it can hold, and its
  looks (1 arms up, 2 held),
- rewards_E: (T, N),
- ripe_E: (T + 1, K) whether each tree is ripe,
- beams_E: (T, height, width) whether a hold beam is drawn.

Agents with even numbers farm apples. Starts differ from run to run, whatever the seed; the file holds one run. In some
episodes the harvests of a frame come before its trades, and in others after them, by the order of a table of Lua.
"""

import copy
import importlib
import types

import numpy as np
from melting_pot import arguments, opened, part, step

SUBSTRATE = "meltingpot.configs.substrates.fruit_market"
TREES = ("appleTreeHarvestableSprite", "bananaTreeHarvestableSprite", "appleTreeUnripeSprite", "bananaTreeUnripeSprite")

PEN = ("########", "#pabp~p#", "#a~#.pb#", "#b.p~ap#", "########")
ROW = ("#########", "#pbp.apb#", "#########")
YARD = (
    "##############",
    "#pa..b~~a.p..#",
    "#.b.a.~.b..a.#",
    "#a..#..ab.#..#",
    "#.p.#b....#bp#",
    "#~~...a~~...~#",
    "#b..a.b.~.a..#",
    "#..p.b..~b.ap#",
    "##############",
)
FIELD = (
    "#####################",
    "#p...a....b...p..a..#",
    "#..b....a......b....#",
    "#.~~~~~~~~~~~~~~~~~.#",
    "#.~..p..b....a...p~.#",
    "#a~...a...p....b..~b#",
    "#.~.b...ab..p..a..~.#",
    "#.~p...b......p..a~.#",
    "#.~~~~~~~.~~~~~~~~~.#",
    "#..a..p..b...a...p..#",
    "#b....b.p..a....b..p#",
    "#####################",
)
#: How often each action is played: walking, turning, eating, gripping, cancelling, and each offer.
BUSY, ROUGH, CALM = (1, 3, 1, 0.8, 0.8, 0.2, 0.7), (0.5, 3, 1, 0.3, 2.5, 0.2, 0.4), (6, 2, 1, 0.2, 0.3, 0.3, 0.8)
#: Map, agents, frames, seed, and the weights of actions.
EPISODES = (
    (PEN, 3, 400, 1, BUSY),
    (ROW, 3, 600, 2, ROUGH),
    (PEN, 4, 700, 3, ROUGH),
    (YARD, 6, 900, 4, BUSY),
    (YARD, 6, 600, 5, CALM),
    (FIELD, 12, 700, 6, CALM),
)


def start(folder, rows, players, seed):
    config = importlib.import_module(SUBSTRATE)
    config._ENABLE_DEBUG_OBSERVATIONS = True
    layout = types.SimpleNamespace(
        ascii_map="\n" + "\n".join(rows).replace(".", ",") + "\n",  # settings have no dots
        char_prefab_map={
            "#": "stone_wall",
            ",": "ground",
            "~": "river",
            "p": {"type": "all", "list": ["ground", "spawn_point"]},
            "a": {"type": "all", "list": ["ground", "apple_tree"]},
            "b": {"type": "all", "list": ["ground", "banana_tree"]},
        },
    )
    roles = ["apple_farmer" if a % 2 == 0 else "banana_farmer" for a in range(players)]
    settings = copy.deepcopy(config.build(roles, types.SimpleNamespace(layout=layout)))
    simulation = settings["simulation"]
    simulation["prefabs"]["apple_tree"] = config.get_potential_tree(0.0, 1.0, 0.0)
    simulation["prefabs"]["banana_tree"] = config.get_potential_tree(0.0, 0.0, 1.0)
    reach = dict.fromkeys(("left", "right", "forward", "backward"), len(rows[0]))
    for thing in simulation["gameObjects"]:
        if thing["name"] == "avatar":
            part(thing, "Avatar")["view"] = {**reach, "centered": False}
    return opened(settings, folder, seed), config.ACTION_SET


def sprites(rows, players):
    """The names of all sprites, in the order of their codes."""
    names = ["OutOfBounds", "OutOfView", "ShoveBeam", "StoneWall", "groundSprite", "holdBeam", *TREES]
    names += [f"water_{k + 1}" for k in range(4)] if "~" in "".join(rows) else []
    names += [f"Avatar{looks}{a + 1}" for a in range(players) for looks in ("", "Grappling", "Grappled")]
    return sorted([*names, *(f"sprite_for_level_{k}" for k in range(19))])


def look(seen, rows, players):
    """What the file holds of a frame."""
    names, reach = sprites(rows, players), len(rows[0])
    x, y = map(int, seen["1.POSITION"])
    grid = seen["1.LAYER"][reach - y :, reach - x :][: len(rows), : len(rows[0])]
    here = [[[names[(int(code) - 1) // 4] if code else "" for code in cell] for cell in row] for row in grid]
    looks, ripe, beams = {}, [], np.zeros(grid.shape[:2], bool)
    for j, i in np.ndindex(grid.shape[:2]):
        kinds = [name.rstrip("0123456789") for name in here[j][i]]
        beams[j, i] = "holdBeam" in kinds
        for name in here[j][i]:
            if name.startswith("Avatar"):
                number = int("".join(filter(str.isdigit, name)))
                looks[number] = 1 if "Grappling" in name else 2 if "Grappled" in name else 0
                assert (i, j) == tuple(map(int, seen[f"{number}.POSITION"]))
            if name in TREES:
                assert rows[j][i] == name[0]
                ripe.append("Harvestable" in name)
    agents = []
    for a in range(1, players + 1):
        offers = seen[f"{a}.OFFERS"].reshape(-1, 2)
        agents.append(
            [
                *map(int, seen[f"{a}.POSITION"]),
                (int(seen[f"{a}.ORIENTATION"]) + 3) % 4,
                round(18 * float(seen[f"{a}.STAMINA"])),
                round(50 * float(seen[f"{a}.HUNGER"])),
                *seen[f"{a}.INVENTORY"],
                *seen[f"{a}.MY_OFFER"],
                offers.any(axis=1).sum(),
                float(seen[f"{a}.READY_TO_SHOOT"]),
                looks[a],
            ]
        )
    return agents, ripe, beams


def can_harvest(frame, rows, a):
    """Whether an agent stands on a tree of its own kind that has fruit."""
    agents, ripe, _ = frame
    x, y = agents[a][:2]
    before = "".join(rows[:y]) + rows[y][:x]
    return rows[y][x] == "ab"[a % 2] and ripe[before.count("a") + before.count("b")]


def record(folder, rows, players, frames, seed, weights):
    env, actions = start(folder, rows, players, seed)
    chance = np.random.default_rng(seed)
    rest, walk, turn, eat, grip, cancel, offer = weights
    odds = np.array([rest, *[walk] * 4, *[turn] * 2, *[eat] * 2, *[grip] * 3, cancel, *[offer] * 12])
    seen, played, rewards = [look(env.reset().observation, rows, players)], [], []
    for _ in range(frames):
        chosen = chance.choice(len(odds), players, p=odds / odds.sum())
        for a in range(players):
            if can_harvest(seen[-1], rows, a) and chance.random() < 0.4:
                chosen[a] = 13 + chance.integers(6) + 6 * (a % 2)
        observation = step(env, actions, chosen).observation
        seen.append(look(observation, rows, players))
        played.append(chosen)
        rewards.append([float(observation[f"{a + 1}.REWARD"]) for a in range(players)])
    agents, ripe, beams = zip(*seen)
    print(players, "agents,", int((np.array(rewards) > 0).sum()), "meals")
    return {
        "map": np.array(rows),
        "actions": np.array(played, np.int8),
        "agents": np.array(agents, np.int16),
        "rewards": np.array(rewards, np.int8),
        "ripe": np.packbits(np.array(ripe), axis=1),
        "beams": np.packbits(np.array(beams[1:]).reshape(frames, -1), axis=1),
    }


if __name__ == "__main__":
    folder, target = arguments()
    episodes = [record(folder, *episode) for episode in EPISODES]
    parts = {f"{name}_{k}": value for k, episode in enumerate(episodes) for name, value in episode.items()}
    np.savez_compressed(target, **parts)
