"""Record TextArena's Coup: python3.12 tests/data/recorders/coup.py FOLDER tests/data/Coup/coup.json.gz

FOLDER is textarena/envs/Coup of LeonGuertler/TextArena at commit 0ce4609, which needs Python 3.12. Its game runs
unchanged; what it takes from the rest of its package, the state and the log of messages, is replaced by what it needs
of them here. Choices are random among those that its prompts offer. Of each moment the file holds the phase, the player
that is asked, coins, hands and lost cards, and the choice.
"""

import gzip
import importlib
import json
import random
import sys
import types

LETTERS = {"Duke": "D", "Assassin": "A", "Captain": "C", "Ambassador": "M", "Contessa": "N"}

GAMES = 8


class State:
    """What the game needs of its package's state."""

    def __init__(self, num_players, **_):
        self.num_players, self.current_player_id, self.winner = num_players, 0, None

    def reset(self, game_state, **_):
        self.game_state = game_state

    def manually_update_current_player(self, new_player_id):
        self.current_player_id = new_player_id

    def add_observation(self, **_):
        pass

    def set_invalid_move(self, player_id, reason):
        raise RuntimeError(reason)

    def set_winners(self, player_ids, reason):
        self.winner = player_ids[0]


def load(folder):
    package = types.ModuleType("textarena")
    package.Env, package.State, package.Info, package.GAME_ID, package.__path__ = object, State, dict, -1, []
    rich = types.ModuleType("rich.text")
    rich.Text = types.SimpleNamespace(from_ansi=lambda text: text)
    envs, coup = types.ModuleType("textarena.envs"), types.ModuleType("textarena.envs.Coup")
    envs.__path__, coup.__path__ = [], [folder]
    package.envs, envs.Coup = envs, coup
    for name, module in (("textarena", package), ("textarena.envs", envs), ("textarena.envs.Coup", coup),
                         ("rich", types.ModuleType("rich")), ("rich.text", rich)):  # fmt: skip
        sys.modules[name] = module
    return importlib.import_module("textarena.envs.Coup.env").CoupEnv


def offered(env):
    """The choices that the prompts offer to the current player."""
    g, me = env.state.game_state, env.state.current_player_id
    phase, coins = g["phase"].value, g["coins"]
    others = [a for a in range(env.state.num_players) if a != me and g["hidden_hand"][a]]
    if phase == "play":
        if coins[me] >= 10:
            return [f"[coup {a}]" for a in others]
        found = ["[income]", "[foreign aid]", "[tax]", "[exchange]"]
        found += [f"[coup {a}]" for a in others if coins[me] >= 7]
        found += [f"[assassinate {a}]" for a in others if coins[me] >= 3]
        return found + [f"[steal {a}]" for a in others if coins[a] >= 2]
    if phase == "query_which_to_keep":
        hand, count = g["hidden_hand"][me], 2 - len(g["revealed_hand"][me])
        pairs = [(i, j) for i in range(len(hand)) for j in range(i + 1, len(hand))] if count == 2 else [
            (i,) for i in range(len(hand))]  # fmt: skip
        return [f"[keep {' '.join(hand[i] for i in pair)}]" for pair in pairs]
    if phase == "query_to_challenge_the_blocker":
        return ["[pass]", "[bullshit]"]
    act, target = g["action_metadata"].action_type.value, g["action_metadata"].target_player_id
    found = ["[pass]"] + ["[bullshit]"] * (act != "foreign aid") + ["[block foreign aid]"] * (act == "foreign aid")
    if target == me and act == "steal":
        found += ["[block steal captain]", "[block steal ambassador]"]
    return found + ["[block assassinate]"] * (target == me and act == "assassinate")


def cards(hands):
    return ["".join(LETTERS[card] for card in hand) for hand in hands.values()]


def moment(env):
    g = env.state.game_state
    return [g["phase"].value, env.state.current_player_id, list(g["coins"].values()), cards(g["hidden_hand"]),
            cards(g["revealed_hand"])]  # fmt: skip


def record(CoupEnv, players, seed):
    random.seed(seed)
    env, rng = CoupEnv(), random.Random(seed)
    env.reset(players)
    moments = [moment(env)]
    while env.state.winner is None:
        choices = offered(env)
        mild = [choice for choice in choices if choice == "[pass]"]  # every second pass, so that acts take effect
        choice = mild[0] if mild and rng.random() < 0.5 else rng.choice(choices)
        env.step(choice)
        moments[-1].append(choice[1:-1])
        moments.append(moment(env))
    return {"players": players, "moments": moments, "winner": env.state.winner}


def main(folder, out):
    CoupEnv = load(folder)
    games = [record(CoupEnv, players, 100 * players + k) for players in range(2, 7) for k in range(GAMES)]
    with open(out, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(json.dumps(games, separators=(",", ":")).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
