"""Record POPGym's games: python tests/data/recorders/card_memory.py tests/data/CardMemory/card_memory.npz

popgym 1.0.7 must be installed. Its environments run unchanged, with their own random numbers. For each of the 27 games
the file holds one episode (three of MineSweeper, which is short): what is hidden, the actions, observations, rewards
and ends. About half of the actions are right, as far as that can be said, and the others are random.
"""

import sys

import numpy as np

SHORT = {
    "RepeatFirst": "repeat_first", "RepeatPrevious": "repeat_previous", "Autoencode": "autoencode",
    "CountRecall": "count_recall", "HigherLower": "higher_lower", "Concentration": "concentration",
    "Battleship": "battleship", "MineSweeper": "minesweeper", "MultiarmedBandit": "multiarmed_bandit",
}  # fmt: skip


def made(name, difficulty):
    module = __import__(f"popgym.envs.{SHORT[name]}", fromlist=["x"])
    return getattr(module, name + difficulty.capitalize())()


def hidden(name, env):
    """What the game hides, as a level has it."""
    if name == "CountRecall":
        return {"cards": env.value_deck.idx[::-1] % 52, "queries": env.query_deck.idx[::-1] % 52}
    if name == "Concentration":
        return {"cards": env.deck.idx % 52}
    if hasattr(env, "deck"):
        return {"cards": env.deck.idx[::-1] % 52}
    if name == "Battleship":
        return {"board": env.board}
    return {"board": env.hidden_grid == 1} if name == "MineSweeper" else {"means": env.bandits}


def right(name, env, rng):
    """An action that is right or likely to be."""
    deck = getattr(env, "deck", None)
    if name == "RepeatFirst":
        return env.card
    if name == "RepeatPrevious" and deck.hand_size("player") >= env.k:
        return deck.suits_idx[deck["player"][-env.k]]
    if name == "Autoencode" and env.mode == 0:
        return deck.suits_idx[deck["system"][-1]]
    if name == "CountRecall":
        return env.counts[env.query]
    if name == "Concentration" and deck["in_play"]:
        values = env.deck_idx_type[deck.idx]
        fits = [k for k in range(len(values)) if values[k] == values[deck["in_play_idx"][0]]]
        return rng.choice([k for k in fits if k not in deck["face_up_idx"]])
    if name == "Battleship":
        return rng.choice(np.flatnonzero((env.board == 1) & (env.guesses == 0)))
    if name == "MineSweeper":
        return rng.choice(np.flatnonzero(env.hidden_grid == 0))
    return None


def count(env):
    space = env.action_space
    return int(np.prod(space.nvec)) if hasattr(space, "nvec") else int(space.n)


def main(file):
    rng, held = np.random.default_rng(0), {}
    for name in SHORT:
        for difficulty in ("easy", "medium", "hard"):
            for episode in range(3 if name == "MineSweeper" else 1):
                env, rows = made(name, difficulty), []
                first, _ = env.reset(seed=episode)
                level = {part: np.array(value) for part, value in hidden(name, env).items()}
                over = False
                while not over:
                    action = right(name, env, rng) if rng.random() < 0.6 else None
                    action = int(rng.integers(count(env)) if action is None else action)
                    given = (
                        np.array(divmod(action, env.action_space.nvec[1]))
                        if name in ("Battleship", "MineSweeper")
                        else action
                    )
                    seen, reward, terminated, truncated, _ = env.step(given)
                    rows.append((action, np.ravel(seen), reward, terminated, truncated))
                    over = terminated or truncated
                actions, seen, rewards, terminated, truncated = map(np.array, zip(*rows))
                parts = {
                    "actions": actions.astype(np.int16),
                    "rewards": rewards,
                    "ends": np.stack([terminated, truncated]),
                }
                parts["seen"] = np.concatenate([np.ravel(first)[None], seen]).astype(np.int8)
                for part, value in {**level, **parts}.items():
                    value = value if value.dtype.kind == "f" or part == "actions" else value.astype(np.int8)
                    held[f"{name}-{difficulty}-{episode}-{part}"] = value
    np.savez_compressed(file, **held)


if __name__ == "__main__":
    main(*sys.argv[1:])
