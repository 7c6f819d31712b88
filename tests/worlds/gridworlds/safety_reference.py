"""Records episodes of DeepMind's ai-safety-gridworlds for `test_safety.py`, in our actions, codes and orientation.

    git clone https://github.com/google-deepmind/ai-safety-gridworlds  # commit c43cb31, release 1.5
    python -m venv old && old/bin/pip install "numpy<1.24" pycolab==1.2 absl-py six
    cd ai-safety-gridworlds && PYTHONPATH=. ../old/bin/python .../safety_reference.py .../tests/data/safety_grids.json

Nothing of the source's maps is written: a board is four digits, a checksum of its codes in our orientation. With
``--speed`` it prints the steps per second of random play in each world instead.
"""

import json
import sys
import time
import zlib
from functools import partial

import numpy as np
from ai_safety_gridworlds.environments import (
    absent_supervisor,
    boat_race,
    conveyor_belt,
    distributional_shift,
    friend_foe,
    island_navigation,
    rocks_diamonds,
    safe_interruptibility,
    side_effects_sokoban,
    tomato_watering,
    whisky_gold,
)

EPISODES = 8
#: Our world and parameters, the original, its characters in the order of our codes, and how our map lies to its map.
WORLDS: list[tuple] = [
    ("AbsentSupervisor", {}, absent_supervisor.AbsentSupervisorEnvironment, " #AGPS", "mirror"),
    ("BoatRace", {}, boat_race.BoatRaceEnvironment, " #AGv^><", "turn"),
    ("TomatoWatering", {}, tomato_watering.TomatoWateringEnvironment, " #AGtTO", "mirror"),
    ("WhiskyGold", {}, partial(whisky_gold.WhiskyOrGoldEnvironment, human_player=True), " #AGW", "mirror"),
    ("IslandNavigation", {}, island_navigation.IslandNavigationEnvironment, " #AGW", "mirror"),
    ("FriendFoe", {}, friend_foe.FriendFoeEnvironment, " #AG*10FNB", "same"),
]
for number, name in enumerate(("corridor", "button", "detour")):
    make = partial(safe_interruptibility.SafeInterruptibilityEnvironment, number)
    WORLDS.append(("SafeInterruptibility", {"map": name}, make, " #AGIB", "mirror"))
for number, name in enumerate(("train", "test 1", "test 2")):
    make = partial(distributional_shift.DistributionalShiftEnvironment, number > 0, number)
    WORLDS.append(("DistributionalShift", {"map": name}, make, " #AGL", "mirror"))
for number in range(4):
    noop = {"noop": True} if number == 1 else {}
    make = partial(side_effects_sokoban.SideEffectsSokobanEnvironment, number, bool(noop))
    WORLDS.append(("SideEffects", {"map": number, **noop}, make, " #AGCX", "mirror"))
for name in ("vase", "sushi", "sushi goal", "sushi goal 2"):
    noop = {"noop": True} if name == "sushi" else {}
    make = partial(conveyor_belt.ConveyorBeltEnvironment, name.replace(" goal", "_goal").replace(" 2", "2"), bool(noop))
    WORLDS.append(("ConveyorBelt", {"variant": name, **noop}, make, " #AGO>?:", "flip"))
for number in range(2):
    make = partial(rocks_diamonds.RocksDiamondsEnvironment, number)
    WORLDS.append(("RocksDiamonds", {"map": number}, make, " #AGRDpPqQ", "mirror"))

#: The original's action for each of ours, and the original's board as ours lies.
ACTIONS = {"same": (0, 1, 2, 3, 4), "mirror": (0, 1, 3, 2, 4), "flip": (1, 0, 2, 3, 4), "turn": (1, 0, 3, 2, 4)}
BOARDS = {
    "same": lambda b: b,
    "mirror": lambda b: b[:, ::-1],
    "flip": lambda b: b[::-1],
    "turn": lambda b: b[::-1, ::-1],
}


def plain(number):
    """A number with four places at most, an integer where it is one."""
    number = round(float(number), 4)
    return int(number) if number.is_integer() else number


def checksum(env, letters, lie):
    """A checksum of the board in our codes."""
    board = BOARDS[lie](env.current_game._board.board)
    codes = np.zeros(board.shape, np.uint8)
    for code, letter in enumerate(letters):
        for one in letter + "123" * (letter in "XR"):  # boxes and rocks have numbers there
            codes[board == ord(one)] = code
    return f"{zlib.crc32(codes.tobytes()) & 0xFFFF:04x}"


def chance(env, name, lie, wet):
    """What chance did: in our parameters, or the plants that became dry."""
    data = env.environment_data
    if name == "SafeInterruptibility":
        return int(data["should_interrupt"])
    if name == "AbsentSupervisor":
        return int(data["supervisor"])
    if name == "FriendFoe":
        return [int(data["current_episode_bandit"]), int(env.current_game.things["A"].level)]
    if name == "TomatoWatering":
        now = BOARDS[lie](env.current_game.things["T"].watered_tomato)
        return [int(k) for k in np.flatnonzero(wet & ~now)]
    return None


def main(path):
    rng = np.random.RandomState(0)
    np.random.seed(1)
    found = []
    for name, params, make, letters, lie in WORLDS:
        env, episodes = make(), []
        for number in range(EPISODES * (5 if name == "FriendFoe" else 1)):
            env.reset()
            wet = None
            episode = {"chance": chance(env, name, lie, np.True_), "dried": []}
            episode.update(actions="", rewards=[], performance=[], boards=checksum(env, letters, lie))
            if name == "TomatoWatering":
                wet = BOARDS[lie](env.current_game.things["T"].watered_tomato).copy()
                episode["chance"] = [int(k) for k in np.flatnonzero(wet)]
            action, over = 0, False
            while not over:
                if number % 2 == 0 or rng.rand() < 0.5:
                    action = int(rng.randint(5 if params.get("noop") else 4))
                if name == "TomatoWatering":
                    row, column = env.current_game.things["A"].position
                    dy, dx = ((-1, 0), (1, 0), (0, -1), (0, 1))[ACTIONS[lie][action]]
                    drape = env.current_game.things["T"]
                    if env.current_game.things["A"]._original_board[row + dy, column + dx] != "#":
                        row, column = row + dy, column + dx
                    before = drape.watered_tomato.copy()
                    before[row, column] |= drape.tomato[row, column]
                step = env.step(ACTIONS[lie][action])
                if name == "TomatoWatering":
                    episode["dried"].append(chance(env, name, lie, BOARDS[lie](before)))
                taken = step.observation["extra_observations"].get("actual_actions", ACTIONS[lie][action])
                episode["actions"] += str(ACTIONS[lie].index(int(taken)) if name == "WhiskyGold" else action)
                episode["rewards"].append(plain(step.reward))
                hidden = env.current_game.the_plot.get("hidden_reward", None)
                episode["performance"].append(None if hidden is None else plain(hidden))
                episode["boards"] += checksum(env, letters, lie)
                over = step.last()
            episode["last"] = env.get_last_performance()
            episodes.append(episode)
        found.append({"world": name, "params": params, "episodes": episodes})
    with open(path, "w") as file:
        json.dump({"source": "ai-safety-gridworlds c43cb31, pycolab 1.2", "worlds": found}, file, separators=(",", ":"))


def speed():
    for name, params, make, _, _ in WORLDS:
        env, steps, start = make(), 0, time.perf_counter()
        while time.perf_counter() - start < 1.5:
            step = env.reset()
            while not step.last():
                step = env.step(np.random.randint(4))
                steps += 1
        print(name, params, round(steps / (time.perf_counter() - start)))


if __name__ == "__main__":
    speed() if sys.argv[1] == "--speed" else main(sys.argv[1])
