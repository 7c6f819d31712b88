"""Record Melting Pot's boat_race.

    python tests/data/recorders/rowing_race.py FOLDER tests/data/RowingRace/rowing_race.json.gz

FOLDER holds google-deepmind/meltingpot, commit 81ee2e7: its lua files and the substrate's configuration run unchanged,
but for the map, the number of agents, the lengths of the phases, and what agents see: the whole map, so that the codes
of sprites in it say what is where. dmlab2d 1.0.2, ml_collections and immutabledict must be installed. Maps are our own.

Of each frame of an episode the file holds

- a: the actions,
- g: of each agent x, y, the facing (0 east, 1 south) and whether it is in a boat, or null once it is out,
- b: of each boat the row of its seats, and its oars: 0 down, 1 row, 2 flail, left and right,
- l: the first letter of the lights' colour,
- n: whether the gates in the north, and those in the south, are open,
- c: the cells 26 y + x with apples that have changed, and whether there is one now,
- r: the rewards, where they are not 0.

An episode of the file has the choice of parameters of our world in "params". Starts, growth and flailing differ from
run to run, whatever the seed; the file holds one run.
"""

import copy
import importlib

import numpy as np
from melting_pot import arguments, opened, part, step, write

HEIGHT, WIDTH = 38, 26
REACH = HEIGHT + 1
SPRITES = (
    "Floor Wall apple red yellow green barrierOn barrierOff water_1 water_2 water_3 water_4 OutOfBounds OutOfView "
    "BoatFL BoatFR BoatRL BoatRR SeatL SeatR "
    "OarDownL OarDownR OarUpLRow OarUpRRow OarUpLFlail OarUpRFlail"
).split()
#: Layers of a view.
UPPER, OVERLAY, SUPER, LANE_APPLES = 4, 5, 7, 8
NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ROW, FLAIL = range(9)


def course(north, banks, length, lanes, starts, apples):
    """A map: the row of the northern docks, the depth of banks behind landings, the cells between docks, columns."""
    rows = [["#"] * WIDTH for _ in range(HEIGHT)]
    south, right = north + length, lanes[-1] + 3
    for y in [*range(north - 3 - banks, north), *range(south + 1, south + 4 + banks)]:
        rows[y][1:right] = "." * (right - 1)
    for y in range(north, south + 1):
        rows[y][1:right] = "~" * (right - 1)
    for x in lanes:
        for side in range(2):
            for y in range(north, south + 1):
                rows[y][x + side] = "o" if (y - north) % 3 == 2 and y < south - 1 else ","
            rows[north][x + side], rows[south][x + side] = "d", "b"
            rows[north - 2][x + side] = rows[south + 2][x + side] = "g"
        for y in (*range(north - 3, north), *range(south + 1, south + 4)):
            rows[y][x - 1] = rows[y][x + 2] = "l"
    for letter, places in (("p", starts), ("a", apples)):
        for x, y in places:
            rows[y][x] = letter
    return tuple("".join(row) for row in rows)


def box(left, top, right, bottom):
    return [(x, y) for x in range(left, right) for y in range(top, bottom)]


SMALL = course(9, 3, 4, (3, 8), box(2, 18, 9, 19), [*box(2, 3, 10, 6), *box(2, 17, 10, 18)])
TIGHT = course(9, 2, 6, (3, 7, 11), box(2, 20, 13, 21), [*box(2, 4, 13, 6), *box(3, 19, 11, 20)])
WHOLE = course(12, 8, 13, (4, 12, 20), box(3, 34, 22, 36), [*box(5, 2, 18, 6), *box(5, 30, 18, 34)])
#: Map, agents, frames, steps until the race and of the race, the seed, and how often agents do not follow their plan.
EPISODES = (
    (SMALL, 4, 300, 24, 60, 1, 0.02),
    (SMALL, 3, 300, 22, 70, 2, 0.05),
    (TIGHT, 6, 700, 26, 100, 3, 0.02),
    (TIGHT, 6, 350, 26, 80, 4, 0.02),
    (SMALL, 4, 320, 21, 120, 5, 0.15),
    (WHOLE, 6, 620, 75, 225, 6, 0.02),
)


def translated(rows):
    """A map in the letters of the reference: boats and oars have letters of their own."""
    grid = [list(row) for row in rows]
    north = min(y for y, row in enumerate(rows) if "d" in row)
    letters = {"#": "W", ".": " ", ",": "{", "o": "A", "l": "S", "p": "_", "d": "g"}
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter == "a":
                grid[y][x] = "R" if y < north else "O"
            elif letter == "g":
                grid[y][x] = "%" if y < north else "-"
            elif letter in letters and grid[y][x] == letter:
                grid[y][x] = letters[letter]
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter == "b" and row[x - 1] != "b":
                grid[y - 1][x : x + 2], grid[y + 1][x : x + 2] = "/\\", "LJ"
                grid[y][x - 1 : x + 3] = "p;:q"
    return "\n" + "\n".join("".join(row) for row in grid) + "\n"


def start(folder, rows, players, choice, race, seed):
    config = importlib.import_module("meltingpot.configs.substrates.boat_race")
    config.MANDATED_NUM_PLAYERS = players
    settings = config.get_config()
    settings.num_races = 1
    settings = copy.deepcopy(config.build(("default",) * players, settings))
    simulation = settings["simulation"]
    simulation["map"], simulation["buildAvatars"] = translated(rows), True
    phases = part(simulation["scene"], "RaceManager")
    phases.update(raceStartTime=choice, raceDuration=race)
    tracker = part(simulation["scene"], "GlobalRaceTracker")
    tracker["numPlayers"] = 6
    avatar = simulation["prefabs"]["avatar"]
    sides = dict.fromkeys(("left", "right", "forward", "backward"), REACH)
    part(avatar, "Avatar")["view"] = {**sides, "centered": False}
    avatar["components"].append(
        {"component": "LocationObserver", "kwargs": {"objectIsAvatar": True, "alsoReportOrientation": True}}
    )
    return opened(settings, folder, seed), config.ACTION_SET


def names_of(players):
    return sorted([*SPRITES, *(f"Avatar{a + 1}" for a in range(players))])


def grid_of(seen, players, names):
    """(38, 26, layers) names of sprites, as the first agent that is there sees them."""
    for a in range(1, players + 1):
        layers, (x, y) = seen[f"{a}.LAYER"], map(int, seen[f"{a}.POSITION"])
        own = [int(code) for code in layers[REACH, REACH] if code]
        if any(names[(code - 1) // 4] == f"Avatar{a}" for code in own):
            cells = layers[REACH - y :, REACH - x :][:HEIGHT, :WIDTH]
            return [[[names[(int(c) - 1) // 4] if c else "" for c in cell] for cell in row] for row in cells]
    return None


def look(seen, lanes, players, before):
    """What the file holds of a frame."""
    grid = grid_of(seen, players, names_of(players))
    if grid is None:
        return None, before
    agents, oars, lights, gates = [None] * players, {}, set(), {}
    apples, rows = set(), {}
    for y, row in enumerate(grid):
        for x, cell in enumerate(row):
            for layer, name in enumerate(cell):
                if name.startswith("Avatar"):
                    a = int(name[6:])
                    facing = (int(seen[f"{a}.ORIENTATION"]) + 3) % 4
                    agents[a - 1] = [x, y, facing, int(layer == SUPER)]
                elif name.startswith("Oar"):
                    oars[x, y] = 0 if "Down" in name else 1 if "Row" in name else 2
                elif name == "SeatL":
                    rows[x] = y
                elif name in ("red", "yellow", "green"):
                    lights.add(name[0])
                elif name.startswith("barrier"):
                    gates.setdefault(y, set()).add(name == "barrierOff")
                elif name == "apple":
                    apples.add(WIDTH * y + x)
    assert len(lights) == 1 and all(len(states) == 1 for states in gates.values())
    boats = [[rows[x], oars[x - 1, rows[x]], oars[x + 2, rows[x]]] for x in lanes]
    frame = {
        "g": agents,
        "b": boats,
        "l": lights.pop(),
        "n": [int(gates[y].pop()) for y in sorted(gates)],
        "c": [[k, int(k in apples)] for k in sorted(apples ^ before)],
    }
    rewards = [float(seen[f"{a + 1}.REWARD"]) for a in range(players)]
    return ({**frame, "r": rewards} if any(rewards) else frame), apples


class Crew:
    """Agents that mostly go to a boat and cross in it in one of several styles; on the other side they walk about."""

    STYLES = ("together", "flail", "mixed", "eager", "idle")

    def __init__(self, rows, players, seed, slips):
        self.chance, self.slips, self.players = np.random.default_rng(seed), slips, players
        self.lanes = [x for row in rows for x, letter in enumerate(row) if letter == "b" and row[x - 1] != "b"]
        docks = [next(y for y, row in enumerate(rows) if letter in row) for letter in "db"]
        self.landings, self.light, self.t = (docks[0] - 3, docks[1] + 3), "", 0
        self.last = [None] * players

    def plan(self):
        """Before a race: seats, which two agents may both want, and the style of each boat."""
        self.goals = self.chance.permutation(2 * len(self.lanes))[: self.players].tolist()
        if self.chance.random() < 0.1:
            self.goals[0] = self.goals[-1]
        self.styles = self.chance.choice(self.STYLES, len(self.lanes), p=[0.5, 0.17, 0.25, 0.04, 0.04]).tolist()

    def act(self, frame):
        self.t += 1
        if frame["l"] == "r" != self.light:
            self.plan()
        self.light = frame["l"]
        return [self.one(a, frame) for a in range(self.players)]

    def one(self, a, frame):
        chance, agent = self.chance, frame["g"][a]
        if agent is None or chance.random() < self.slips:
            return int(chance.integers(9))
        x, y, facing, aboard = agent
        stuck, self.last[a] = self.last[a] == agent, agent
        if stuck and not aboard and chance.random() < 0.3:
            return int(chance.integers(1, 5))
        column = self.lanes[self.goals[a] // 2] + self.goals[a] % 2
        if aboard:
            style = self.styles[self.goals[a] // 2]
            stroke = ROW if style == "eager" or style == "mixed" and chance.random() < 0.5 else FLAIL
            if style == "together":
                stroke = ROW if self.t % 5 == 0 else FLAIL if self.t % 10 == 1 else NOOP
            return NOOP if style == "idle" and chance.random() < 0.8 else stroke
        north = 2 * y < sum(self.landings)
        inward, landing = (1, self.landings[0]) if north else (-1, self.landings[1])
        corridor = (y - landing) * inward >= 0
        if frame["l"] == "g" and not frame["n"][1 - north]:  # landed
            if corridor:
                way = 3 if north else 1
            else:
                way = int(chance.integers(4))
                if (y - landing) * inward == -1 and way == (1 if north else 3) or chance.random() < 0.1:
                    return int(chance.choice([TURN_LEFT, TURN_RIGHT]))
        elif x != column and corridor:
            way = 3 if north else 1
        elif x != column:
            way = 0 if column > x else 2
        else:
            way = 1 if north else 3
        return (FORWARD, STEP_RIGHT, BACKWARD, STEP_LEFT)[(way - facing) % 4]


def record(folder, rows, players, frames, choice, race, seed, slips):
    env, actions = start(folder, rows, players, choice, race, seed)
    crew = Crew(rows, players, seed, slips)
    frame, apples = look(env.reset().observation, crew.lanes, players, set())
    episode = [frame]
    for _ in range(frames):
        chosen = crew.act(frame)
        after = step(env, actions, chosen)
        frame, apples = look(after.observation, crew.lanes, players, apples)
        if frame is None:
            episode.append({"a": chosen, "last": after.last()})
            break
        episode.append({"a": chosen, **frame})
    print(players, "agents,", len(episode), "frames,", sum("r" in frame for frame in episode), "with rewards")
    params = {"players": players, "choice": choice, "race": race}
    return {"map": list(rows), "params": params, "frames": episode}


if __name__ == "__main__":
    folder, target = arguments()
    write(target, [record(folder, *episode) for episode in EPISODES])
