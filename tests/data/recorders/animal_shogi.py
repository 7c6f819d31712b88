"""Record games of Pgx's animal_shogi.

    python tests/data/recorders/animal_shogi.py tests/data/AnimalShogi/animal_shogi.json.gz

pgx 2.6.0 and jax must be installed. The file holds, of each game,

- style: how moves were chosen. "random"; "back": a player often takes its last move back, so that positions repeat;
  "long": moves that end the game are avoided.
- moves: Pgx's actions, two hexadecimal digits each.
- sums: of the start and of the position after each move, a checksum of what the player to move sees: Pgx's mask (132,)
  uint8, its ten planes (4, 3, 10) uint8 with the player's own first rank first, and both hands (6,) uint8.
- repeats: of each position after a move, how often Pgx says that it occurred before, one digit each.
- rewards: those of the last move, of the player that moved first, then of the other.
- found: "as Pgx" if Pgx found repetitions as they are. Its hashes are wrong after some captures and drops, so the game
  stops at the first position where it did not: "third" if this was the third time, otherwise "less".

"perft" has the numbers of sequences of 1, 2, 3, ... moves.
"""

import gzip
import json
import operator
import pathlib
import sys
import zlib

import jax
import numpy as np
import pgx

STYLES = {"random": 220, "back": 60, "long": 4}
DEPTH = 5

env = pgx.make("animal_shogi")
init, step = jax.jit(env.init), jax.jit(env.step)
steps = jax.jit(jax.vmap(env.step))


def checksum(state):
    planes = np.asarray(state.observation)[::-1, :, :10]
    parts = state.legal_action_mask, planes, np.asarray(state._hand).flatten()
    data = b"".join(np.ascontiguousarray(part).astype(np.uint8).tobytes() for part in parts)
    return f"{zlib.crc32(data) & 0xFFFF:04x}"


def position(state):
    return (int(state._turn), *np.asarray(state._board).tolist(), *np.asarray(state._hand).flatten().tolist())


def back(action):
    """The move that takes a move back, as its player sees it."""
    way, square = divmod(action, 12)
    if way >= 8:
        return None
    x, y = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))[way]
    return 12 * (7 - way) + square + 4 * x + y


def choose(style, state, last, rng):
    actions = np.flatnonzero(np.asarray(state.legal_action_mask)).tolist()
    if style == "back" and rng.random() < 0.7 and last is not None and back(last) in actions:
        return back(last)
    action = actions[rng.integers(len(actions))]
    for _ in range(20 * (style == "long")):
        if not step(state, action).terminated:
            break
        action = actions[rng.integers(len(actions))]
    return action


def record(style, seed):
    rng, state = np.random.default_rng(seed), init(jax.random.PRNGKey(seed))
    first, seen, moves, sums, repeats, found = (
        int(state.current_player),
        [position(state)],
        [],
        [checksum(state)],
        [],
        "",
    )
    while not state.terminated and not found:
        action = choose(style, state, moves[-2] if len(moves) > 1 else None, rng)
        state = step(state, action)
        now = position(state)
        times = seen.count(now)
        seen.append(now)
        moves.append(action)
        repeats.append(int(state._rep_history[0]))
        # Pgx clears nothing at the end, but allows all actions.
        sums.append("" if state.terminated else checksum(state))
        if repeats[-1] != times:
            found = "third" if times >= 2 else "less"
    rewards = np.asarray(state.rewards)[[first, 1 - first]].astype(int).tolist()
    return {
        "style": style,
        "moves": "".join(f"{action:02x}" for action in moves),
        "sums": "".join(sums),
        "repeats": "".join(map(str, repeats)),
        "rewards": rewards,
        "found": found or "as Pgx",
    }


def perft():
    level, counts = jax.tree.map(lambda x: x[None], init(jax.random.PRNGKey(0))), []
    for _ in range(DEPTH):
        parents, actions = np.nonzero(np.asarray(level.legal_action_mask) & ~np.asarray(level.terminated)[:, None])
        counts.append(len(actions))
        if len(counts) < DEPTH:
            level = steps(jax.tree.map(operator.itemgetter(parents), level), actions)
    return counts


if __name__ == "__main__":
    games = [record(style, 1000 * k + seed) for k, style in enumerate(STYLES) for seed in range(STYLES[style])]
    for style in STYLES:
        mine = [game for game in games if game["style"] == style]
        ends = [(tuple(game["rewards"]), game["found"]) for game in mine]
        print(
            style, len(mine), sum(len(game["moves"]) for game in mine) // 2, {end: ends.count(end) for end in set(ends)}
        )
    data = {"source": "pgx 2.6.0, animal_shogi v2", "perft": perft(), "games": games}
    print(data["perft"])
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 9, mtime=0)
    pathlib.Path(sys.argv[1]).write_bytes(packed)
