"""Record Melting Pot's paintball.

    python tests/data/recorders/paintball.py FOLDER tests/data/Paintball/paintball.json.gz

FOLDER holds google-deepmind/meltingpot, commit 81ee2e7: its lua files and the substrates' configurations run unchanged,
but for the map, the number of agents, the steps until they return, and what they see: the whole map, so that the codes
of sprites in it say what is where. dmlab2d 1.0.2, ml_collections and immutabledict must be installed. Maps are our own.

Of each frame of an episode the file holds

- a: the actions,
- g: of each agent x, y, the health that is shown and the facing (0 east, 1 south), or null while it is away,
- c: the cells 21 y + x that have changed, and to what: r and b paint, D and d a barrier and a damaged one, u rubble,
- r: the rewards, where they are not 0,
- t: the steps until each agent can shoot,
- f: for each flag on the map, whether it is carried, x and y,
- s: the first letter of the sign's colour,
- b: the cells with beams of red, and of blue.

Agents with even numbers are red. Starts differ from run to run, whatever the seed; the file holds one run.
"""

import copy
import importlib

import numpy as np
from melting_pot import arguments, opened, part, step, write

SIZE, SPRITES_OF_MODE = (
    21,
    {
        "flags": "BothIndicator NeitherIndicator CarriedFlag_blue CarriedFlag_red DroppedFlag_blue DroppedFlag_red "
        "HomeTileFrameblue HomeTileFramered",
        "hill": "RedHill BlueHill UncontrolledIndicator line_N line_S line_E line_W",
    },
)
SPRITES = (
    "BeamZap_blue BeamZap_red BlueGround BlueIndicator DamagedWall DestroyableWall InertFrame OutOfBounds OutOfView "
    "RedGround RedIndicator Rubble Wall"
)
PAINT = {"RedGround": "r", "BlueGround": "b", "RedHill": "r", "BlueHill": "b", "Rubble": "u"}
WALLS = {"Wall": "#", "DestroyableWall": "D", "DamagedWall": "d"}
LETTERS = str.maketrans("#.rbRBosdh", "W,PQFGGIDH")
SUBSTRATES = {"flags": "paintball__capture_the_flag", "hill": "paintball__king_of_the_hill"}


def walled(*inner):
    """A map of walls with these rows in its middle; one barrier is out of reach, since Lab2D lacks unused sprites."""
    rows = [["#"] * SIZE for _ in range(SIZE)]
    rows[18][18] = "d"
    for y, row in enumerate(inner):
        rows[6 + y][6 : 6 + len(row)] = row
    return ["".join(row) for row in rows]


FLAGS_YARD = (
    "#####################",
    "#rrrr......R.r..rrrr#",
    "#rrrr......r..r.rrrr#",
    "#rrr.............rrr#",
    "#...................#",
    "#......#d#.......#..#",
    "#..h#....h.###..###.#",
    "#..##..#...#.#...#..#",
    "#......#h#.#.#...d..#",
    "#...................#",
    "#.........s.........#",
    "#...................#",
    "#......#h#.#.#...d..#",
    "#..##..#...#.#...#..#",
    "#..h#....h.###..###.#",
    "#......#d#.......#..#",
    "#...................#",
    "#bbb.............bbb#",
    "#bbbb......b..b.bbbb#",
    "#bbbb......B.b..bbbb#",
    "#####################",
)
HILL_YARD = (
    "#####################",
    "#rrrr......r.r..rrrr#",
    "#rrrr......r..r.rrrr#",
    "#rrr.............rrr#",
    "#...................#",
    "#....###.#d...d#....#",
    "#....#..............#",
    "#....d.ooooooo.h....#",
    "#....#.ooooooo.d....#",
    "#......ooooooo......#",
    "#......ooosooo.#....#",
    "#......ooooooo......#",
    "#....#.ooooooo.d....#",
    "#....d.ooooooo.h....#",
    "#....#..............#",
    "#....###.#d...d#....#",
    "#...................#",
    "#bbb.............bbb#",
    "#bbbb......b..b.bbbb#",
    "#bbbb......b.b..bbbb#",
    "#####################",
)
TINY = walled("rR.r", "r..r", "b..b", "bB.b")
SMALL = walled("rrRr.", "r....", "..d..", "....b", "bbBb.")
HALL = walled("rrr...R.", "rr..d...", "....#..h", "..s...d.", "...h#...", "..d...bb", ".B...bbb", "........")
HILL = walled("rrrr..h.", "..d.....", "..oooo..", "..oosod.", "..oooo..", "....#...", "d..bbb.b", "........")
MOUND = walled("rrrr", "oooo", "ooso", "bbbb")
#: How often each action is played: mostly walking, or more shots.
LIVELY, WILD = (1, 9, 3, 3, 3, 2, 2, 1, 1), (1, 7, 1, 1, 1, 2, 2, 2.5, 2.5)
#: Mode, map, agents in all, frames, steps until they return, seed, and the weights of actions.
EPISODES = (
    ("flags", TINY, 4, 700, 0, 11, LIVELY),
    ("hill", MOUND, 4, 300, 1, 14, WILD),
    ("flags", TINY, 2, 1200, 1, 15, LIVELY),
    ("flags", SMALL, 6, 900, 1, 12, WILD),
    ("flags", HALL, 4, 500, 3, 1, WILD),
    ("flags", FLAGS_YARD, 8, 250, 10, 2, WILD),
    ("hill", HILL, 4, 700, 3, 3, WILD),
    ("hill", HILL_YARD, 8, 250, 10, 4, WILD),
)


def start(folder, mode, rows, players, respawn, seed):
    config = importlib.import_module("meltingpot.configs.substrates." + SUBSTRATES[mode])
    config._ENABLE_DEBUG_OBSERVATIONS = True
    settings = copy.deepcopy(config.build(("default",) * players, config.get_config()))
    framed = ["I" * (SIZE + 2), *("I" + row.translate(LETTERS) + "I" for row in rows), "I" * (SIZE + 2)]
    settings["simulation"]["map"] = "\n" + "\n".join(framed) + "\n"
    for thing in settings["simulation"]["gameObjects"]:
        part(thing, "ZappedByColor")["framesTillRespawn"] = respawn
        reach = dict.fromkeys(("left", "right", "forward", "backward"), SIZE + 2)
        part(thing, "Avatar")["view"] = {**reach, "centered": False}
    return opened(settings, folder, seed), config.ACTION_SET


def look(seen, mode, players, before):
    """What the file holds of a frame; nothing if nobody is there to see it."""
    names = [*SPRITES.split(), *SPRITES_OF_MODE[mode].split()]
    names = sorted([*names, *(f"avatarSprite{a + 1}Health{h}" for a in range(players) for h in (1, 2, 3))])
    reach, grid = SIZE + 2, None
    for a in range(1, players + 1):
        layers = seen[f"{a}.LAYER"]
        own = layers[reach, reach, 4]
        if own and names[(own - 1) // 4].startswith(f"avatarSprite{a}H"):
            x, y = map(int, seen[f"{a}.POSITION"])
            grid = layers[reach - y + 1 :, reach - x + 1 :][:SIZE, :SIZE]
            break
    if grid is None:
        raise SystemExit("nobody is there; choose another seed")
    agents, cells, beams, flags, sign = [None] * players, [], [set(), set()], {}, set()
    for y in range(SIZE):
        for x in range(SIZE):
            here = [names[(int(code) - 1) // 4] if code else "" for code in grid[y, x]]
            wall = WALLS.get(here[4], ".")
            cells.append(PAINT.get(here[1], ".") if wall == "." else wall)
            if here[4].startswith("avatar"):
                a = int(here[4][12]) - 1
                agents[a] = [x, y, int(here[4][-1]), (int(seen[f"{a + 1}.ORIENTATION"]) + 3) % 4]
            for layer, carried in ((3, False), (5, True)):
                if "Flag" in here[layer]:
                    flags["01"[here[layer].endswith("blue")]] = [carried, x, y]
            if "Indicator" in here[2]:
                sign.add(here[2][0])
            for beam in here[7:]:
                if beam:
                    beams[beam.endswith("blue")].add(SIZE * y + x)
    if before is None:
        changed = [[k, code] for k, code in enumerate(cells) if code not in "#."]
    else:
        changed = [[k, code] for k, code in enumerate(cells) if code != before[k]]
    frame = {"g": agents, "c": changed, "f": flags, "s": "".join(sorted(sign)), "b": [sorted(b) for b in beams]}
    frame["t"] = [round(2 * (1 - float(seen[f"{a + 1}.READY_TO_SHOOT"]))) for a in range(players)]
    rewards = [int(seen[f"{a + 1}.REWARD"]) for a in range(players)]
    return ({**frame, "r": rewards} if any(rewards) else frame), cells


def record(folder, mode, rows, players, frames, respawn, seed, weights):
    env, actions = start(folder, mode, rows, players, respawn, seed)
    chance = np.random.default_rng(seed)
    frame, cells = look(env.reset().observation, mode, players, None)
    episode = [frame]
    for _ in range(frames):
        chosen = chance.choice(9, players, p=np.array(weights) / sum(weights)).tolist()
        frame, cells = look(step(env, actions, chosen).observation, mode, players, cells)
        episode.append({"a": chosen, **frame})
    print(mode, players, "agents,", sum("r" in frame for frame in episode), "frames with rewards")
    return {"mode": mode, "map": list(rows), "team": players // 2, "respawn": respawn, "frames": episode}


if __name__ == "__main__":
    folder, target = arguments()
    write(target, [record(folder, *episode) for episode in EPISODES])
