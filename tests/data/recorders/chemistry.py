"""Record Melting Pot's chemistry.

    python tests/data/recorders/chemistry.py FOLDER tests/data/Chemistry/chemistry.json.gz

FOLDER holds google-deepmind/meltingpot, commit 81ee2e7: its lua files and the substrates' configurations run unchanged,
but for the map, the number of agents, the rates in some episodes, and what agents see: the whole map, so that the codes
of sprites in it say what is where. dmlab2d 1.0.2, ml_collections, immutabledict and networkx must be installed. Maps
are our own, with our letters.

Of each episode the file holds its reactions with their rates, as a level has them. Of each frame it holds

- a: the actions,
- g: of each agent x, y, the facing (0 east, 1 south) and the molecule that it carries,
- c: the cells (width y + x) that have changed, and to what,
- r: the rewards, where they are not 0,
- e: the names of the reactions that began.

Starts differ from run to run, whatever the seed; the file holds one run.
"""

import copy
import importlib

import numpy as np
from melting_pot import arguments, opened, part, step, write

#: The letter of each molecule.
LETTERS = {
    **{"empty": ".", "activated": "!", "ax": "a", "bx": "b", "cx": "c", "ay": "d", "by": "e", "cy": "f", "az": "g"},
    **{"bz": "h", "cz": "i", "x": "x", "y": "y", "ix": "u", "iy": "v", "food1": "1", "food2": "2", "food3": "3"},
    **{"distractor": "o", "energy": "*"},
}
SUBSTRATES = {
    "two": "chemistry__two_metabolic_cycles",
    "two_distractors": "chemistry__two_metabolic_cycles_with_distractors",
    "three": "chemistry__three_metabolic_cycles",
    "three_distractors": "chemistry__three_metabolic_cycles_with_plentiful_distractors",
}
#: Rates by reactivity (background, low, medium, high), on the ground and carried.
USUAL = ((0.00001, 0.005, 0.001, 0.9), (0.0, 0.0025, 0.25, 0.9))
QUICK = ((0.0005, 0.01, 0.03, 0.9), (0.0, 0.02, 0.25, 0.9))

POND = ("ab.*..", "...c.1", ".o..x.", "1..y..")
PAIR = ("..*...", ".ab.1.", "...o..", "2..xy.", "......")
TWO = ("a.b...d.", "..*c...e", "1.ab.*f.", "..*.x..y", ".ed.2..c")
THREE = ("g.h..x", "i**.y.", ".ab*de", "3..c.f", "..1.2.")
FULL = ("x.xyo", "uv*v1", ".ab*.", "12o.c")

#: How often each action is played: mostly walking, or mostly swaps.
WALKS, SWAPS = (2, 5, 2, 2, 2, 2, 2, 3), (2, 2, 1, 1, 1, 1, 1, 6)
#: Substrate, map, agents, frames, seed, weights of actions, rates.
EPISODES = (
    ("two_distractors", PAIR, 2, 500, 1, WALKS, USUAL),
    ("two_distractors", POND, 3, 400, 2, SWAPS, QUICK),
    ("two", TWO, 3, 500, 3, WALKS, QUICK),
    ("three_distractors", THREE, 3, 600, 4, SWAPS, USUAL),
    ("three", THREE, 2, 600, 5, WALKS, QUICK),
    ("three_distractors", FULL, 4, 600, 6, SWAPS, USUAL),
    ("two", TWO, 1, 400, 7, WALKS, USUAL),
)


def start(folder, substrate, rows, players, seed, rates):
    config = importlib.import_module("meltingpot.configs.substrates." + SUBSTRATES[substrate])
    config._ENABLE_DEBUG_OBSERVATIONS = True
    for place, numbers in zip(("ground", "vesicle"), rates):
        config.REACTIVITY_LEVELS[place] = dict(zip(("background", "low", "medium", "high"), numbers))
    graph, chars = config.make_graph(), {}
    for name, letter in LETTERS.items():
        if name in graph.nodes:
            chars[letter] = chr(ord("A") + len(chars))
    config.ASCII_MAP = "\n" + "\n".join("".join(chars[letter] for letter in row) for row in rows) + "\n"
    config.CHAR_PREFAB_MAP = {chars[letter]: name for name, letter in LETTERS.items() if letter in chars}
    settings = copy.deepcopy(config.build(("default",) * players, config.get_config()))
    reach = max(len(rows), len(rows[0]))
    for thing in settings["simulation"]["gameObjects"]:
        if any(part["component"] == "Avatar" for part in thing["components"]):
            sides = dict.fromkeys(("left", "right", "forward", "backward"), reach)
            part(thing, "Avatar").update(view={**sides, "centered": False}, spriteMap={})
    del settings["simulation"]["scene"]["components"][4:]  # the end by chance
    level = describe(graph, config, rates)
    env = opened(settings, folder, seed)
    sprites = {name for name in graph.nodes if not graph.nodes[name].get("reaction")}
    sprites |= {f"{name}_vesicle" for name in sprites} | {"OutOfBounds", "OutOfView", "SelfEmpty", "SelfHoldsOne"}
    sprites |= {f"Avatar_{a + 1}_{state}" for a in range(players) for state in ("empty", "holds_one")}
    return env, config.ACTION_SET, level, sorted(sprites), reach


def describe(graph, config, rates):
    """The reactions and rates as a level of our world."""
    reactions, named = [], {}
    for name, facts in graph.nodes.items():
        if facts.get("reaction"):
            before = "".join(LETTERS[edge[0]] for edge in graph.in_edges(name))
            after = "".join(LETTERS[edge[1]] for edge in graph.out_edges(name))
            reward = config.DEFAULT_REWARDING_REACTIONS.get(name, 0)
            reactions.append({"from": before, "to": after, "reward": reward})
            named[name] = len(reactions) - 1
    classes = ("background", "low", "medium", "high")
    usual = {
        LETTERS[name]: [numbers[classes.index(facts["reactivity"])] for numbers in rates]
        for name, facts in graph.nodes.items()
        if "reactivity" in facts and name in LETTERS
    }
    return {"reactions": reactions, "rates": usual, "names": named}


def look(seen, rows, players, sprites, reach, before):
    """What the file holds of a frame."""
    x, y = map(int, seen["1.POSITION"])
    layers = seen["1.LAYER"]
    grid = layers[reach - y :, reach - x :][: len(rows), : len(rows[0])]
    agents, cells = [None] * players, []
    for row in range(len(rows)):
        for column in range(len(rows[0])):
            here = [sprites[(int(code) - 1) // 4] if code else "" for code in grid[row, column]]
            cells.append(LETTERS[here[3]])
            if here[4]:
                a = int(here[4].split("_")[1]) - 1
                facing = (int(seen[f"{a + 1}.ORIENTATION"]) + 3) % 4
                assert [column, row] == list(map(int, seen[f"{a + 1}.POSITION"]))
                agents[a] = [column, row, facing, LETTERS[here[5].removesuffix("_vesicle")]]
    changed = [[k, letter] for k, letter in enumerate(cells) if before is None or letter != before[k]]
    frame = {"g": agents, "c": changed}
    rewards = [float(seen[f"{a + 1}.REWARD"]) for a in range(players)]
    return ({**frame, "r": rewards} if any(rewards) else frame), cells


def record(folder, substrate, rows, players, frames, seed, weights, rates):
    env, actions, level, sprites, reach = start(folder, substrate, rows, players, seed, rates)
    chance, names = np.random.default_rng(seed), level.pop("names")
    frame, cells = look(env.reset().observation, rows, players, sprites, reach, None)
    episode, count = [frame], 0
    for _ in range(frames):
        chosen = chance.choice(8, players, p=np.array(weights) / sum(weights)).tolist()
        frame, cells = look(step(env, actions, chosen).observation, rows, players, sprites, reach, cells)
        begun = [names[event[2].decode()] for name, event in env.events() if name == "reaction"]
        count += len(begun)
        episode.append({"a": chosen, **frame, **({"e": sorted(begun)} if begun else {})})
    print(substrate, players, "agents,", count, "reactions,", sum("r" in frame for frame in episode), "frames with pay")
    return {"map": list(rows), **level, "frames": episode}


if __name__ == "__main__":
    folder, target = arguments()
    write(target, [record(folder, *episode) for episode in EPISODES])
