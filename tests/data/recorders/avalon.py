"""Record AvalonBench's engine: python tests/data/recorders/avalon.py ENGINE tests/data/Avalon/avalon.json

ENGINE is the file src/server/tasks/avalon/engine.py of jonathanmli/Avalon-LLM at commit 2439c6b; pydantic must be
installed. It runs unchanged. Teams, votes, quest cards and the assassin's choice are random. Of each game the file
holds the roles, the first leader, all choices, and after each choice the engine's phase, leader, quest and end.
"""

import contextlib
import io
import json
import sys
import types

import numpy as np

GAMES = 5


def load(path):
    """The engine's module; of its package it needs one exception only."""
    for name in ("strategist", "strategist.Avalon", "strategist.Avalon.avalon_exception"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["strategist.Avalon.avalon_exception"].AvalonEnvException = RuntimeError
    module = types.ModuleType("engine")
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), module.__dict__)
    return module


def record(engine, players, named, seed):
    np.random.seed(seed)
    rng = np.random.default_rng(seed)
    config = engine.AvalonBasicConfig.from_num_players(players, **dict.fromkeys(named, True))
    with contextlib.redirect_stdout(io.StringIO()):
        game = engine.AvalonGameEnvironment(config)
    evil = [not good for good in game.is_good]
    found = {
        "players": players,
        "named": named,
        "roles": [config.ROLES[int(role)] for role in game.roles],
        "first": int(game.quest_leader),
        "sides": [[int(side) for side in game.get_partial_sides(a)] for a in range(players)],
        "choices": [],
    }
    share = (0.35, 0.6)[seed % 2]  # of approvals: many rejections in some games
    while not game.done:
        if game.phase == 0:
            choice = sorted(rng.choice(players, game.get_team_size(), replace=False).tolist())
            game.choose_quest_team(frozenset(choice), game.quest_leader)
        elif game.phase == 1:
            choice = [int(rng.random() < share) for _ in range(players)]
            game.gather_team_votes(choice)
        elif game.phase == 2:
            team = sorted(game.quest_team)
            choice = [int(not evil[a] or rng.random() < 0.5) for a in team]
            game.gather_quest_votes(choice)
        else:
            choice = int(rng.choice([a for a in range(players) if not evil[a]]))
            game.choose_assassination_target(game.get_assassin(), choice)
        after = [game.phase, int(game.quest_leader), [int(won) for won in game.quest_results], int(game.done)]
        found["choices"].append([choice, after])
    found["good"] = int(game.good_victory)
    return found


def main(path, out):
    engine, games = load(path), []
    for players in range(5, 11):
        for seed in range(GAMES):
            named = [[], ["percival"], ["percival", "morgana"], ["mordred"], ["percival", "oberon"]][seed]
            games.append(record(engine, players, named, 100 * players + seed))
    with open(out, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(game, separators=(",", ":")) for game in games) + "\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
