"""Record Melting Pot's factory_commons.

    python factory_commons.py FOLDER tests/data/FactoryCommons/factory_commons.json.gz

FOLDER holds google-deepmind/meltingpot, commit 81ee2e7: its lua files and the substrate's configuration run unchanged,
but for the map, the number of agents, and what they see: the whole map, so that the codes of sprites in it say what is
where. dmlab2d 1.0.2, ml_collections and immutabledict must be installed. Maps are our own, in our levels' letters.

Of each frame of an episode the file holds

- a: the actions,
- g: of each agent x, y, the facing (0 east, 1 south) and the stamina,
- c: the cells (width y + x) whose things have changed, and to what: the cube (0 none, 1 lies, 2 arrives, 4 and 3 falls)
  and the apple (0 none, 1 lies, 2 arrives),
- m: of each hopper, from the top, whether its mouth is open, moves or is closed,
- h: the agents with a hand on a thing: those that held one ahead at the beginning of the frame,
- r: the rewards, where they are not 0.

Starts differ from run to run, whatever the seed; the file holds one run.
"""

import copy
import importlib

import numpy as np
from melting_pot import arguments, opened, part, step, write

RENEWING = ("######", "#c.C.#", "#.hR.#", "#.mb.#", "#..s.#", "#..s.#", "######")
DOUBLING = ("#######", "#CCC..#", "#.hTCC#", "#.mb.C#", "#..s.C#", "#..s.C#", "#CCC..#", "#######")
TIGHT = ("#####", "#hR.#", "#mb.#", "#Cs.#", "#.s.#", "#####")
FACTORY = (
    "###################",
    "#..C.....#........#",
    "#.hR...........hT.#",
    "#.mb...........mb.#",
    "#..s..#.........s.#",
    "#..s............s.#",
    "###################",
)
#: Map, agents, frames, and the weight of actions that lead a thing somewhere; each is recorded several times.
EPISODES = (
    (TIGHT, 1, 400, 0.5),
    (TIGHT, 2, 400, 0.6),
    (RENEWING, 2, 400, 0.6),
    (RENEWING, 4, 400, 0.4),
    (DOUBLING, 3, 250, 0.6),
    (DOUBLING, 5, 250, 0.4),
    (FACTORY, 2, 500, 0.8),
)
REPEATED = 3
NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, GRASP = range(8)
#: The numbers of our actions in the substrate's list, and of chance moves.
NUMBERS = (0, 1, 2, 3, 4, 5, 6, 8)
WEIGHTS = np.array([1, 5, 2, 2, 2, 2, 2, 2]) / 18
WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))
PREFABS = {
    "#": ["tiled_floor", "wall_horizontal", "apple"],  # apples in store; it must not run out
    " ": ["tiled_floor", "apple", "spawn_point"],
    "c": ["tiled_floor", "blue_cube_wait", "blue_cube_live"],
    "C": ["tiled_floor", "blue_cube_wait", "blue_cube_live"],
    "h": ["tiled_floor", "hopper_body", "hopper_indicator_blue_cube"],
    "m": ["tiled_floor", "hopper_mouth"],
    "R": ["tiled_floor", "dispenser_body", "dispenser_indicator_cube_apple"],
    "T": ["tiled_floor", "dispenser_body", "dispenser_indicator_two_apples"],
    "b": ["tiled_floor", "dispenser_belt", "cube_apple_dispensing_animation"],
    "s": ["tiled_floor", "apple", "floor_marking_top"],
}
CUBES = {"blue_cube": 1, "blue_jump": 2, "blue_cube_drop_two": 3, "blue_cube_drop_one": 4}
APPLES = {"apple": 1, "apple_jump_sprite": 2}
MOUTHS = {"hopper_mouth_open": 0, "hopper_mouth_closing": 1, "hopper_mouth_closed": 2}


def start(folder, rows, players, seed):
    config = importlib.import_module("meltingpot.configs.substrates.factory_commons__either_or")
    settings = copy.deepcopy(config.build(("default",) * players, config.get_config()))
    simulation = settings["simulation"]
    doubles = any("T" in row for row in rows)
    # Where apples alone are dispensed, that is what the belt shows.
    shows = "apple_dispensing_animation" if doubles and not any("R" in row for row in rows) else PREFABS["b"][2]
    letters = {**PREFABS, "b": [*PREFABS["b"][:2], shows]}
    simulation["charPrefabMap"] = {k: {"type": "all", "list": names} for k, names in letters.items()}
    simulation["map"] = "\n" + "\n".join(rows).replace(".", " ") + "\n"
    reach, sprites = len(rows[0]), {"OutOfBounds", "OutOfView", "ShoveBeam", "holdBeam"}
    used = {name for row in rows for letter in row for name in letters[letter.replace(".", " ")]}
    for thing in [*simulation["gameObjects"], *(simulation["prefabs"][name] for name in sorted(used))]:
        sprites |= {state["sprite"] for state in part(thing, "StateManager")["stateConfigs"] if "sprite" in state}
        if thing["name"] == "avatar":
            ways = dict.fromkeys(("left", "right", "forward", "backward"), reach)
            part(thing, "Avatar")["view"] = {**ways, "centered": False}
            where = {"objectIsAvatar": True, "alsoReportOrientation": True}
            thing["components"].append({"component": "LocationObserver", "kwargs": where})
            sprites |= set(part(thing, "AdditionalSprites")["customSpriteNames"])
    sprites |= {f"{name}_{a + 1}" for name in ("hand", "grasp") for a in range(players)}
    scene = part(simulation["scene"], "StochasticIntervalEpisodeEnding")
    scene["minimumFramesPerEpisode"] = 1_000_000
    env = opened(settings, folder, seed)
    return env, config.base_config.ACTION_SET, sorted(sprites)


def look(seen, rows, names, players, before):
    """What the file holds of a frame, and all things on the map."""
    height, width = len(rows), len(rows[0])
    x, y = map(int, seen["1.POSITION"])
    grid = seen["1.LAYER"][width - y :, width - x :][:height, :width]
    agents = []
    for a in range(1, players + 1):
        x, y = map(int, seen[f"{a}.POSITION"])
        facing = (int(seen[f"{a}.ORIENTATION"]) + 3) % 4
        agents.append([x, y, facing, round(18 * float(seen[f"{a}.STAMINA"]))])
    things, mouths, hands = {}, [], []
    for k in range(height * width):
        y, x = divmod(k, width)
        here = [names[(int(code) - 1) // 4] if code else "" for code in grid[y, x]]
        cube, apple = CUBES.get(here[4], 0), APPLES.get(here[5], 0)
        if cube or apple:
            things[k] = [cube, apple]
        if here[3] in MOUTHS:
            mouths.append(MOUTHS[here[3]])
        hands += [int(name[5:]) - 1 for name in here if name.startswith("hand_")]
    changed = [[k, *things.get(k, (0, 0))] for k in sorted({*things, *before}) if things.get(k) != before.get(k)]
    frame = {"g": agents, "c": changed, "m": mouths, "h": sorted(hands)}
    rewards = [int(seen[f"{a + 1}.REWARD"]) for a in range(players)]
    return ({**frame, "r": rewards} if any(rewards) else frame), things


def lead(chance, rows, a, frame, things):
    """An action of an agent that rests, takes the cube ahead, and brings it to a mouth or itself to a thing."""
    width = len(rows[0])
    x, y, facing, stamina = frame["g"][a]
    if stamina < 7 and chance.random() < 0.7:
        return NOOP
    ahead = (x + WAYS[facing][0], y + WAYS[facing][1])
    mouths = [(i, j) for j, row in enumerate(rows) for i, letter in enumerate(row) if letter == "m"]
    holds = a in frame["h"]
    if not holds and things.get(width * ahead[1] + ahead[0], [0, 0])[0] == 1:
        return GRASP
    if holds:
        goals, at = mouths, ahead
    else:
        goals, at = [(k % width, k // width) for k in things], (x, y)
    if not goals:
        return NOOP
    i, j = min(goals, key=lambda place: abs(place[0] - at[0]) + abs(place[1] - at[1]))
    ways = [w for w in range(4) if (i - at[0]) * WAYS[w][0] + (j - at[1]) * WAYS[w][1] > 0]
    if not ways:
        return GRASP
    turn = (int(chance.choice(ways)) - facing) % 4
    if holds or chance.random() < 0.5:
        return (FORWARD, STEP_RIGHT, BACKWARD, STEP_LEFT)[turn]
    return (FORWARD, TURN_RIGHT, TURN_RIGHT, TURN_LEFT)[turn]


def record(folder, rows, players, frames, purpose, seed):
    env, actions, names = start(folder, rows, players, seed)
    chance = np.random.default_rng(seed)
    frame, things = look(env.reset().observation, rows, names, players, {})
    episode = [frame]
    for _ in range(frames):
        chosen = [
            lead(chance, rows, a, frame, things) if chance.random() < purpose else int(chance.choice(8, p=WEIGHTS))
            for a in range(players)
        ]
        frame, things = look(step(env, actions, [NUMBERS[n] for n in chosen]).observation, rows, names, players, things)
        episode.append({"a": chosen, **frame})
    print(players, "agents,", sum(sum(frame.get("r", ())) for frame in episode), "apples eaten")
    return {"map": list(rows), "frames": episode}


if __name__ == "__main__":
    folder, target = arguments()
    episodes = [record(folder, *episode, seed) for seed in range(REPEATED) for episode in EPISODES]
    write(target, episodes)
