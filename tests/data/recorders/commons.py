"""Record Melting Pot's substrates of avatars that walk, eat and fire beams.

    python tests/data/recorders/commons.py FOLDER tests/data/CleanUp/melting_pot.json.gz [FRAMES [SEED]]

FOLDER holds google-deepmind/meltingpot, commit 81ee2e7, or dm-meltingpot 2.4.1, from which Coins was recorded: its lua
files and the substrate's configuration run unchanged, but for the map, the number of agents, what "changed" of an
episode lists, and what agents see: the whole map, so that the codes of sprites in it say what is where. dmlab2d 1.0.2,
ml_collections and immutabledict must be installed. Maps are our own. The folder of the target names the world; FRAMES
are the most of an episode, and SEED is added to its seed. An episode ends before that when nobody is on the map to see
it.

An episode of the file has our world's parameters in "params" and, by its letters, our map in "map". Each frame holds

- a: the actions,
- g: of each agent x, y and the facing (0 east, 1 south), or null while it is away,
- c: the cells width * y + x that have changed, and to what, by the letters of `SUBSTRATES`,
- b: the cells with beams, by the letter of the beam,
- r: the rewards, where they are not 0,
- o: by name, what else agents observe, one entry for each.

Starts and the order of moves differ from run to run with the same seed; growth hardly does. The file holds one run.
"""

import copy
import dataclasses
import importlib
import pathlib
import sys
from dataclasses import dataclass, field

import numpy as np
from melting_pot import arguments, opened, part, step, write


def pocket(width, height, *inner):
    """A map of walls with these rows in its middle."""
    rows = [["#"] * width for _ in range(height)]
    top, left = (height - len(inner)) // 2, (width - len(inner[0])) // 2
    for y, row in enumerate(inner):
        rows[top + y][left : left + len(row)] = row
    return ["".join(row) for row in rows]


@dataclass
class Substrate:
    """How a substrate is changed and read."""

    config: str
    letters: dict[str, str]  # of our map, to those of its map
    things: dict[str, str]  # sprites, the first of them that lies on a cell, to letters of the file
    beams: dict[str, str]  # sprites of beams to letters of the file
    weights: tuple[float, ...]  # how often each action is played
    episodes: list[dict]
    observed: dict[str, tuple[str, float]] = field(default_factory=dict)  # names in the file: observation and unit
    owned: tuple[str, str] | None = None  # an avatar's component and setting: the sprite of what it owns, "1", "2", ...


WALKS = (1, 9, 3, 3, 3, 2, 2)

CLEAN_UP = Substrate(
    config="clean_up",
    letters={"#": "W", ".": " ", "w": "H", "d": "F", "a": "B", "s": "P"},
    things={"Wall": "#", "Apple": "a", "Dirt": "d"},
    beams={"BeamZap": "z", "BeamClean": "c"},
    weights=(*WALKS, 1, 6),
    observed={"ready": ("READY_TO_SHOOT", 1), "cleaners": ("NUM_OTHERS_WHO_CLEANED_THIS_STEP", 1)},
    episodes=[
        dict(
            map=pocket(30, 21, "dwwdww..", "wwdww.s.", ".....#.s", "s.s.....", "aaa#aaaa", "aaaaa#aa"),
            players=4, frames=500, seed=1, params={"zap_away": 6, "growth": 0.2},
            avatar={"Zapper": {"framesTillRespawn": 6}},
            prefabs={"potential_apple": {"AppleGrow": {"maxAppleGrowthRate": 0.2}}},
        ),
        dict(
            map=pocket(30, 21, "dwwwwwwwwd", "wwwwdwwwww", ".s.s.s.s..", "aaaa..aaaa", "aaaaaaaaaa"),
            players=4, frames=700, seed=2, params={},
        ),
        dict(
            map=pocket(30, 21, "ddw", "sss", "aaa"),
            players=3, frames=500, seed=3, params={"zap_away": 1}, avatar={"Zapper": {"framesTillRespawn": 1}},
        ),
    ],
)  # fmt: skip
#: Small mines, for worlds of 27 x 27 cells.
MINES = (
    pocket(27, 27, "oooooo", "os#oso", "oo#ooo", "ooooso"),
    pocket(27, 27, "oosoosoo", "oo##ooso", "ooooso#o", "soooooos", "oooo#ooo"),
)


def ores(iron, gold):
    return {"ore": {"FixedRateRegrow": {"liveRates": [iron, gold]}}}


COOP_MINING = Substrate(
    config="coop_mining",
    letters={"#": "W", "o": "O", "s": "P"},
    things={"Wall": "#", "ironRaw": "i", "goldRaw": "g", "goldPartial": "w"},
    beams={"beamMine": "m"},
    weights=(*WALKS, 9),
    observed={"ready": ("READY_TO_SHOOT", 1)},
    episodes=[
        dict(
            map=MINES[0],
            players=3,
            frames=400,
            seed=1,
            params={"iron_rate": 0.01, "gold_rate": 0.02},
            prefabs=ores(0.01, 0.02),
        ),
        dict(
            map=MINES[1],
            players=6,
            frames=400,
            seed=2,
            params={"iron_rate": 0.004, "gold_rate": 0.01},
            prefabs=ores(0.004, 0.01),
        ),
    ],
)
GIFT_REFINEMENTS = Substrate(
    config="gift_refinements",
    letters={"#": "W", "o": "T", "s": "P"},
    things={"Wall": "#", "coin": "t"},
    beams={"beamGift": "g"},
    weights=(*WALKS, 9, 0.5),
    observed={"ready": ("READY_TO_SHOOT", 1), "tokens": ("INVENTORY", 1)},
    episodes=[
        dict(
            map=MINES[0],
            players=3,
            frames=400,
            seed=1,
            params={"growth": 0.03},
            prefabs={"token": {"FixedRateRegrow": {"regrowRate": 0.03}}},
        ),
        dict(
            map=MINES[1],
            players=6,
            frames=400,
            seed=2,
            params={"growth": 0.01},
            prefabs={"token": {"FixedRateRegrow": {"regrowRate": 0.01}}},
        ),
    ],
)
HARVEST = Substrate(
    config="commons_harvest__open",
    letters={"#": "W", ".": " ", "a": "A", "r": "P", "i": "Q"},
    things={"Wall": "#", "Apple": "a"},
    beams={"BeamZap": "z"},
    weights=(*WALKS, 2),
    observed={"ready": ("READY_TO_SHOOT", 1)},
    episodes=[
        dict(
            map=pocket(24, 18, "aaaaaa.i", "aaa#aa..", "aaaaaa.i", "r.r.r.rr"),
            players=4,
            frames=500,
            seed=1,
            params={"regrowth": [0.0, 0.05, 0.1, 0.2]},
            prefabs={"apple": {"DensityRegrow": {"regrowthProbabilities": [0.0, 0.05, 0.1, 0.2]}}},
        ),
        dict(
            map=pocket(
                24, 18, ".a...a..i.", "aaa.aaa.i.", ".a...a....", "..#.....r.", ".a.r.r.#..", "aaa..r.r..", ".a...r.r.."
            ),
            players=6,
            frames=500,
            seed=2,
            params={},
        ),
    ],
)
#: Small islands, for a world of 17 x 17 cells.
ISLANDS = (pocket(17, 17, "s...", "....", "...s"), pocket(17, 17, "s....#.", "..#....", ".......", "...#..s"))
COINS = Substrate(
    config="coins",
    letters={"#": "W", ".": "C", "s": "_"},
    things={"Wall": "#"},
    beams={},
    weights=(*WALKS,),
    observed={"robbed": ("MISMATCHED_COIN_COLLECTED_BY_PARTNER", 1)},
    owned=("PlayerCoinType", "coinType"),
    episodes=[
        dict(
            map=rows, players=2, frames=280, seed=seed, params={"regrowth": rate},
            prefabs={"coin": {"ChoiceCoinRegrow": {"regrowRate": rate}}},
        )
        for seed, (rows, rate) in enumerate(zip(ISLANDS, (0.05, 0.02)), 1)
    ],
)  # fmt: skip
#: Small arenas with many agents, so that one of them is always on the map.
ARENAS = (
    pocket(23, 15, "s1s2", "1ss1", "2s1s"),
    pocket(23, 15, "s.1.1", "1.#2s", "s2s.2", "1.s1s"),
)
MATRIX = Substrate(
    config="prisoners_dilemma_in_the_matrix__repeated",
    letters={"#": "W", ".": " ", "s": "n", "1": "1", "2": "2"},
    things={"Wall": "#", "resource_class1_sprite": "1", "resource_class2_sprite": "2"},
    beams={"BeamInteraction": "i"},
    weights=(*WALKS, 4),
    observed={
        "ready": ("READY_TO_SHOOT", 1),
        "inventory": ("INVENTORY", 1),
        "interaction": ("INTERACTION_INVENTORIES", 1),
    },
    episodes=[
        dict(
            map=rows, players=players, frames=600, seed=players, params={},
            prefabs={f"resource_class{k}": {"Destroyable": {"initialHealth": 10**6}} for k in (1, 2)},
        )
        for players, rows in zip((4, 6), ARENAS)
    ],
)  # fmt: skip
MUSHROOM = ("FullInternalityZero", "HalfInternalityHalf", "ZeroInternalityFull", "NegativeInternalityNegative")
MUSHROOMS = Substrate(
    config="externality_mushrooms__dense",
    letters={"#": "|", ".": " ", "r": "R", "g": "G", "b": "B", "o": "O"},
    things={"WallEast": "#", **{f"{name}Externality": letter for name, letter in zip(MUSHROOM, "rgbo")}},
    beams={"BeamZap": "z"},
    weights=(*WALKS, 0.7),
    observed={"ready": ("READY_TO_SHOOT", 1)},
    episodes=[
        dict(map=pocket(23, 13, *rows), players=players, frames=600, seed=seed, params={"compat": "reference"})
        for seed, (players, rows) in enumerate(
            (
                (3, ("......r.", ".g......", "....b...", "..r.....", ".....g..", ".b....o.")),
                (5, ("..r........", ".....#...g.", ".b...#.....", ".....#.r...", "..o........", "....g...b..")),
            ),
            1,
        )
    ],
)
#: By the name of the folder of the file. Of MatrixInTheGrid and Mushrooms none is stored: tests have them played.
SUBSTRATES = {
    "CleanUp": CLEAN_UP,
    "Coins": COINS,
    "CoopMining": COOP_MINING,
    "GiftRefinements": GIFT_REFINEMENTS,
    "Harvest": HARVEST,
    "MatrixInTheGrid": MATRIX,
    "Mushrooms": MUSHROOMS,
}


def prefabs(simulation, rows):
    """The prefabs that a map uses."""
    for letter in sorted(set("".join(rows)) & simulation["charPrefabMap"].keys()):
        entry = simulation["charPrefabMap"][letter]
        for name in [entry] if isinstance(entry, str) else entry["list"]:
            yield simulation["prefabs"][name]


def sprites(simulation, rows, beams):
    """The names of all sprites, in the order of their codes."""
    found = {"OutOfBounds", "OutOfView", *beams}
    for thing in [*prefabs(simulation, rows), *simulation["gameObjects"]]:
        found |= {state["sprite"] for state in part(thing, "StateManager")["stateConfigs"] if "sprite" in state}
    return sorted(found)


def start(folder, substrate, episode):
    config = importlib.import_module("meltingpot.configs.substrates." + substrate.config)
    settings = copy.deepcopy(config.build(("default",) * episode["players"], config.get_config()))
    simulation, rows = settings["simulation"], episode["map"]
    if hasattr(letters := simulation["charPrefabMap"], "to_dict"):
        simulation["charPrefabMap"] = letters.to_dict()
    simulation.pop("worldSpriteMap", None)
    theirs = ["".join(substrate.letters[letter] for letter in row) for row in rows]
    simulation["map"] = "\n" + "\n".join(theirs) + "\n"
    for name, changes in episode.get("prefabs", {}).items():
        for component, values in changes.items():
            part(simulation["prefabs"][name], component).update(values)
    reach = dict.fromkeys(("left", "right", "forward", "backward"), max(len(rows), len(rows[0])))
    for avatar in simulation["gameObjects"]:
        if not any(part["component"] == "Avatar" for part in avatar["components"]):
            continue
        part(avatar, "Avatar")["view"] = {**reach, "centered": False}
        part(avatar, "Avatar").pop("spriteMap", None)  # agents see themselves as others do
        for component, values in episode.get("avatar", {}).items():
            part(avatar, component).update(values)
        avatar["components"] = [part for part in avatar["components"] if part["component"] != "AdditionalSprites"]
        if not any(part["component"] == "LocationObserver" for part in avatar["components"]):
            avatar["components"].append(
                {"component": "LocationObserver", "kwargs": {"objectIsAvatar": True, "alsoReportOrientation": True}}
            )
    if substrate.owned:  # by lot
        owned, setting = substrate.owned
        avatars = [thing for thing in simulation["gameObjects"] if thing["name"] == "avatar"]
        things = {part(avatar, owned)[setting]: str(a + 1) for a, avatar in enumerate(avatars)}
        substrate = dataclasses.replace(substrate, things={**substrate.things, **things})
    names = sprites(simulation, theirs, substrate.beams)
    return opened(settings, folder, episode["seed"]), config.get_config().action_set, names, substrate


def grid_of(seen, rows, names, players):
    """By cell, the sprites on it, as an agent that is there sees them; None if nobody is."""
    reach = max(len(rows), len(rows[0]))
    for a in range(players):
        layers, (x, y) = seen[f"{a + 1}.LAYER"], map(int, seen[f"{a + 1}.POSITION"])
        if any(code and agent_of(names[(int(code) - 1) // 4]) == a for code in layers[reach, reach]):
            cells = layers[reach - y :, reach - x :][: len(rows), : len(rows[0])]
            return [[names[(int(code) - 1) // 4] for code in cell if code] for row in cells for cell in row]
    return None


def agent_of(name):
    """The number of the agent whose sprite this is, or -1."""
    number = name.lower().removeprefix("avatar").removeprefix("sprite")
    return int(number) - 1 if name.lower().startswith("avatar") else -1


def look(seen, substrate, episode, names, before):
    """What the file holds of a frame, and the letters of all cells; None if nobody sees it."""
    rows, players = episode["map"], episode["players"]
    if (found := grid_of(seen, rows, names, players)) is None:
        return None, before
    cells, beams, agents = [], {letter: [] for letter in substrate.beams.values()}, [None] * players
    for k, here in enumerate(found):
        cells.append(next((letter for name, letter in substrate.things.items() if name in here), "."))
        for name in here:
            if name in substrate.beams:
                beams[substrate.beams[name]].append(k)
            if (a := agent_of(name)) >= 0:
                y, x = divmod(k, len(rows[0]))
                assert (x, y) == tuple(map(int, seen[f"{a + 1}.POSITION"]))
                agents[a] = [x, y, (int(seen[f"{a + 1}.ORIENTATION"]) + 3) % 4]
    before = before or "".join("#" if letter == "#" else "." for row in rows for letter in row)
    frame = {"g": agents, "c": [[k, now] for k, (was, now) in enumerate(zip(before, cells)) if was != now]}
    frame["b"] = {letter: lit for letter, lit in beams.items() if lit}
    rewards = [float(seen[f"{a + 1}.REWARD"]) for a in range(players)]
    frame |= {"r": rewards} if any(rewards) else {}
    frame["o"] = {
        name: [(np.asarray(seen[f"{a + 1}.{theirs}"]) * unit).round(6).tolist() for a in range(players)]
        for name, (theirs, unit) in substrate.observed.items()
    }
    return frame, cells


def record(folder, substrate, episode, limit):
    env, actions, names, substrate = start(folder, substrate, episode)
    chance, odds = np.random.default_rng(episode["seed"]), np.array(substrate.weights) / sum(substrate.weights)
    frame, cells = look(env.reset().observation, substrate, episode, names, None)
    frames = [frame]
    for _ in range(min(episode["frames"], limit)):
        chosen = chance.choice(len(odds), episode["players"], p=odds).tolist()
        after = step(env, actions, chosen)
        frame, cells = look(after.observation, substrate, episode, names, cells)
        if frame is None:
            break
        frames.append({"a": chosen, **frame})
    print(episode["players"], "agents,", sum("r" in frame for frame in frames), "frames with rewards")
    return {"map": episode["map"], "params": {"players": episode["players"], **episode["params"]}, "frames": frames}


if __name__ == "__main__":
    folder, target = arguments()
    substrate = SUBSTRATES[pathlib.Path(target).parent.name]
    limit, more = (*map(int, sys.argv[3:]), *(10**9, 0)[len(sys.argv) - 3 :])
    episodes = [{**episode, "seed": episode["seed"] + more} for episode in substrate.episodes]
    write(target, [record(folder, substrate, episode, limit) for episode in episodes])
