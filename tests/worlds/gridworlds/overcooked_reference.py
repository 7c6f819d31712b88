"""Runs in a separate environment with `overcooked-ai` and numpy < 2; test_overcooked.py starts it.

``overcooked_reference.py levels NAME ...`` prints layouts of the package as levels, in JSON. ``play IN.npz OUT.npz``
plays recorded actions in them and writes every state, reward and shaped reward, and the planes of some states.
"""

import io
import json
import sys
from contextlib import redirect_stderr

import numpy as np

with redirect_stderr(io.StringIO()):  # gym's notice of its end of support
    from overcooked_ai_py.mdp.actions import Action, Direction
    from overcooked_ai_py.mdp.overcooked_mdp import OvercookedGridworld, Recipe

THINGS = {"onion": 1, "tomato": 2, "dish": 3}


class OldDynamics(OvercookedGridworld):
    """The rules with `old_dynamics` from the package's repository; release 1.1.0 does not have them.

    No interaction starts cooking. A soup of three parts starts by itself before soups cook on.
    """

    def soup_to_be_cooked_at_location(self, state, pos):
        return False

    def step_environment_effects(self, state):
        for soup in state.objects.values():
            if soup.name == "soup" and soup.is_idle and len(soup.ingredients) == 3:
                soup.begin_cooking()
        super().step_environment_effects(state)


def quick(mdp):
    """Skip what changes nothing: checks of states that the rules themselves made, and the log of events."""
    mdp._check_valid_state = lambda state: None
    mdp.log_object_pickup = mdp.log_object_drop = mdp.log_object_potting = lambda *_: None
    return mdp


def load(name, old=False):
    found = OvercookedGridworld.from_layout_name(name)
    if old:
        found.__class__ = OldDynamics
    return quick(found)


def level(name):
    """A layout as our level; its orders with their values, bonus included, and all soups with their times."""
    mdp = load(name)
    state = mdp.get_standard_start_state()
    rows = [list(row) for row in mdp.terrain_mtx]
    for a, (x, y) in enumerate(mdp.start_player_positions):
        rows[y][x] = str(a + 1)
    values, times = {}, {}
    for onions in range(4):
        for tomatoes in range(4 - onions):
            if onions + tomatoes:
                recipe = Recipe(["onion"] * onions + ["tomato"] * tomatoes)
                value = mdp.get_recipe_value(state, recipe)
                times["o" * onions + "t" * tomatoes] = int(recipe.time)
                if value:
                    values["o" * onions + "t" * tomatoes] = value
    return {"layout": ["".join(row) for row in rows], "values": values, "times": times}


def recipe(soup):
    return soup.ingredients.count("onion") + 4 * soup.ingredients.count("tomato")


def code(thing):
    """A thing as our code."""
    if thing is None:
        return 0
    return 16 + recipe(thing) if thing.name == "soup" else THINGS[thing.name]


def play(name, actions, planes, old):
    """The states, rewards and planes of episodes (N, T, A); planes (N, T) marks the states whose planes are wanted."""
    mdp = load(name, old)
    chefs, (width, height) = mdp.num_players, mdp.shape
    num, horizon = actions.shape[:2]
    out = {
        "at": np.zeros((num, horizon, chefs, 2), np.int8),
        "facing": np.zeros((num, horizon, chefs), np.int8),
        "held": np.zeros((num, horizon, chefs), np.uint8),
        "contents": np.zeros((num, horizon, height, width), np.uint8),
        "tick": np.full((num, horizon, height, width), -1, np.int16),
        "reward": np.zeros((num, horizon)),
        "shaped": np.zeros((num, horizon, chefs)),
        "planes": np.zeros((int(planes.sum()), chefs, height, width, 26), np.uint8),
    }
    pots, count = set(mdp.get_pot_locations()), 0
    for i in range(num):
        state = mdp.get_standard_start_state()
        for t in range(horizon):
            joint = [Action.INDEX_TO_ACTION[a] for a in actions[i, t]]
            state, infos = mdp.get_state_transition(state, joint)
            out["reward"][i, t] = sum(infos["sparse_reward_by_agent"])
            out["shaped"][i, t] = infos["shaped_reward_by_agent"]
            for a, player in enumerate(state.players):
                out["at"][i, t, a] = player.position[::-1]
                out["facing"][i, t, a] = Direction.DIRECTION_TO_INDEX[player.orientation]
                out["held"][i, t, a] = code(player.held_object)
            for (x, y), thing in state.objects.items():
                out["contents"][i, t, y, x] = recipe(thing) if (x, y) in pots else code(thing)
                if (x, y) in pots:
                    out["tick"][i, t, y, x] = thing._cooking_tick
            if planes[i, t]:
                encoded = encode(mdp, state, horizon)
                assert encoded.min() >= 0 and encoded.max() < 256
                out["planes"][count] = encoded
                count += 1
    return out


def encode(mdp, state, horizon):
    """The planes of all chefs. The package has none for more than two chefs: then only the first two are queried."""
    if mdp.num_players == 2:
        return np.transpose(mdp.lossless_state_encoding(state, horizon), (0, 2, 1, 3))
    chefs, mdp.num_players = mdp.num_players, 2
    players, state.players = state.players, state.players[:2]
    seen = np.transpose(mdp.lossless_state_encoding(state, horizon), (0, 2, 1, 3))
    mdp.num_players, state.players = chefs, players
    return np.concatenate([seen, np.zeros((chefs - 2, *seen.shape[1:]))])


def main():
    if sys.argv[1] == "levels":
        print(json.dumps({name: level(name) for name in sys.argv[2:]}))
        return
    given, results = np.load(sys.argv[2]), {}
    for key in [key[: -len("/actions")] for key in given.files if key.endswith("/actions")]:
        name, dynamics, _ = key.split("/")
        played = play(name, given[f"{key}/actions"], given[f"{key}/planes"], dynamics == "old")
        results.update({f"{key}/{part}": array for part, array in played.items()})
    np.savez(sys.argv[3], **results)


if __name__ == "__main__":
    main()
