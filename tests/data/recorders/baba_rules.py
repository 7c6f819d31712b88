"""Record episodes of Baba Is AI: python tests/data/recorders/baba_rules.py SOURCE tests/data/BabaRules/baba_rules.npz

SOURCE is a checkout of nacloos/baba-is-ai, commit ad466e0; gym 0.25.2, numpy below 2, matplotlib, opencv and pygame
must be installed. The file holds three episodes of each of its 53 environments, and episodes of crowded maps of our
own with all properties, colors, stacks and directions ("crowd").

"starts" are more first states of each environment, in the order of "names".

Of the three episodes, one plays a shortest solution, found by breadth-first search in the source; one plays random
actions and then some solution; the actions of the last are random, and often the last one again. Where a search sees
too many states, random actions take the place of the solution. The lengths of the shortest solutions are kept.

A piece is a byte: its code + 64 times its direction. The code is 1 border, 2 + 7 kind + color for things, 37 + word for
blocks. States are cells of up to DEPTH pieces, the lowest first, each state minus the one before. Rules are, for each
kind and property, 128 if there is one, plus bits of its colors.

The source raises an AttributeError when a piece that has never been on top acts for the first time in the middle of a
step; here it does not act in that step. An episode is cut off before a step in which one move makes more than MOST
others, among which are those that never end in the source.
"""

import sys
from heapq import heappop, heappush

import numpy as np

KINDS = ("baba", "fwall", "fball", "fkey", "fdoor")
COLORS = ("red", "green", "blue", "purple", "yellow", "grey", "white")
PROPERTIES = (
    "is_agent", "is_goal", "is_stop", "is_push", "is_pull", "is_move", "is_defeat", "is_open", "is_shut",
)  # fmt: skip
WORDS = (*KINDS, "is", *PROPERTIES, *COLORS)
DEPTH, MOST = 6, 128
STEPS, CROWDS, CROWD_STEPS, STARTS = 60, 420, 16, 60
#: The size of the largest map.
HEIGHT, WIDTH = 9, 13
#: The most states that a search sees.
SEEN = 6000

sys.path.insert(0, sys.argv[1])

from baba import make  # noqa: E402
from baba.grid import BabaIsYouEnv, BabaIsYouGrid  # noqa: E402
from baba.registration import registry  # noqa: E402
from baba.rule import extract_ruleset  # noqa: E402
from baba.world_object import (  # noqa: E402
    FlexibleWorldObj,
    RuleBlock,
    RuleColor,
    RuleIs,
    RuleObject,
    RuleProperty,
    Wall,
    make_obj,
)

FlexibleWorldObj.has_moved = True
BabaIsYouEnv.gen_obs = lambda env: None


class TooLong(Exception):
    """A move has made too many others."""


class FullMap(Exception):
    """There is no empty cell, for which the source would search for ever."""


def counted(move=BabaIsYouEnv.move):
    def run(env, pos, direction):
        env.deep = getattr(env, "deep", 0)
        env.count = env.count + 1 if env.deep else 1
        if env.count > MOST:
            raise TooLong
        env.deep += 1
        try:
            return move(env, pos, direction)
        finally:
            env.deep -= 1

    return run


BabaIsYouEnv.move = counted()


def word_of(block):
    for name in ("object", "property", "obj_color"):
        if hasattr(block, name):
            return WORDS.index(getattr(block, name))
    return WORDS.index("is")


def code(piece):
    if isinstance(piece, Wall):
        return 1
    if isinstance(piece, RuleBlock):
        return 37 + word_of(piece)
    return 2 + 7 * KINDS.index(piece.type) + COLORS.index(piece.color) + 64 * int(piece.dir)


def state(env):
    found = np.zeros((env.height, env.width, DEPTH), np.uint8)
    for k, cell in enumerate(env.grid.grid):
        for depth, piece in enumerate(cell[1:]):
            found[k // env.width, k % env.width, depth] = code(piece)
    return found


def deepest(env):
    return max(len(cell) - 1 for cell in env.grid.grid)


def rules(env):
    found = np.zeros((len(KINDS), len(PROPERTIES) + len(KINDS)), np.uint8)
    held = env.get_ruleset().ruleset_dict
    for p, name in enumerate(PROPERTIES):
        for k, kind in enumerate(KINDS):
            if held.get(name, {}).get(kind, False):
                found[k, p] = 128 + sum(1 << COLORS.index(c) for c in held[name].get(kind + "_color", ()))
    for a, b in held.get("replace", []):
        found[KINDS.index(a), len(PROPERTIES) + KINDS.index(b)] = 128
    return found


def keep(env):
    cells = [list(cell) for cell in env.grid.grid]
    things = [piece for cell in cells for piece in cell if isinstance(piece, FlexibleWorldObj)]
    pieces = {piece: (piece.dir, piece.has_moved) for piece in things}
    return cells, pieces, env.agent_pos, env.agent_dir, env.step_count


def restore(env, kept):
    cells, pieces, env.agent_pos, env.agent_dir, env.step_count = kept
    env.grid.grid = [list(cell) for cell in cells]
    for piece, (facing, moved) in pieces.items():
        piece.dir, piece.has_moved = facing, moved
    env._ruleset.set(extract_ruleset(env.grid))


def key(env):
    found = state(env)
    return (found & 63).tobytes()


def left(env):
    """About how many moves away a win is."""
    tops = [(k % env.width, k // env.width, piece) for k, piece in enumerate(env.grid) if piece is not None]
    own = [(x, y) for x, y, piece in tops if piece.is_agent()]
    won = [(x, y) for x, y, piece in tops if piece.is_goal()]

    def least(places, others):
        return min([abs(x - i) + abs(y - j) for x, y in places for i, j in others], default=60)

    if won:
        return least(own, won)
    ends = [(x - 2, y) for x, y, piece in tops if getattr(piece, "property", "") == "is_goal"]
    nouns = [(x, y) for x, y, piece in tops if hasattr(piece, "object") and piece.object != "baba"]
    return 10 + min([least([noun], ends) + least([noun], own) for noun in nouns], default=60)


def solve(env, greed):
    """A solution from here, or None if the search has seen too many states; the state is left as it was.

    With greed 0 the search is breadth-first, and the solution a shortest one.
    """
    first = keep(env)
    queue, seen = [(0, 0, first, ())], {key(env)}
    while queue:
        _, _, kept, way = heappop(queue)
        for action in range(1, 5):
            restore(env, kept)
            try:
                _, reward, done, _ = env.step(action)
            except TooLong:
                continue
            if reward > 0:
                restore(env, first)
                return [*way, action]
            found = key(env)
            if not done and found not in seen:
                if len(seen) >= SEEN:
                    restore(env, first)
                    return None
                seen.add(found)
                rank = len(way) + 1 + greed * (left(env) if greed else 0)
                heappush(queue, (rank, len(seen), keep(env), (*way, action)))
    restore(env, first)
    return None


def sticky(rng, steps, again=0.5):
    actions = rng.integers(0, 5, steps)
    for t in range(1, steps):
        if rng.random() < again:
            actions[t] = actions[t - 1]
    return actions.tolist()


class Crowd(BabaIsYouEnv):
    """A crowded map."""

    def __init__(self, rng):
        self.draw = rng
        super().__init__(width=int(rng.integers(6, 10)), height=int(rng.integers(6, 9)))

    def sentence(self, words, free):
        rng, length = self.draw, len(words)
        across = rng.random() < 0.5
        for _ in range(60):
            x, y = int(rng.integers(1, self.width - 1)), int(rng.integers(1, self.height - 1))
            cells = [(x + k * across, y + k * (not across)) for k in range(length)]
            if all(cell in free for cell in cells):
                for cell, word in zip(cells, words):
                    self.grid.set(*cell, word)
                    free.remove(cell)
                return

    def _gen_grid(self, width, height):
        rng = self.draw
        self.grid = BabaIsYouGrid(width, height)
        self.grid.wall_rect(0, 0, width, height)
        free = [(x, y) for x in range(1, width - 1) for y in range(1, height - 1)]
        kinds = [KINDS[k] for k in rng.choice(5, rng.integers(2, 4), replace=False)]
        colors = [COLORS[c] for c in rng.choice(7, 2, replace=False)]

        def noun():
            return RuleObject(str(rng.choice(kinds)))

        def color():
            return [RuleColor(str(rng.choice(colors)))] if rng.random() < 0.3 else []

        chances = np.array([1, 1, 2, 3, 3, 3, 1, 2, 2]) / 18
        self.sentence([*color(), RuleObject(kinds[0]), RuleIs(), RuleProperty("is_agent")], free)
        for _ in range(rng.integers(1, 5)):
            end = noun() if rng.random() < 0.12 else RuleProperty(str(rng.choice(PROPERTIES, p=chances)))
            self.sentence([*color(), noun(), RuleIs(), end], free)
        for _ in range(rng.integers(0, 3)):
            word = [noun(), RuleIs(), RuleProperty(str(rng.choice(PROPERTIES))), *color()]
            self.sentence([word[rng.integers(len(word))]], free)
        if rng.random() < 0.3:
            self.sentence([Wall()], free)
        for _ in range(rng.integers(2, 9)):
            x, y = free[rng.integers(len(free))] if free else (1, 1)
            kind = kinds[0] if rng.random() < 0.3 else str(rng.choice(kinds))
            piece = make_obj(kind if kind == "baba" else kind[1:], str(rng.choice(colors)))
            piece.dir = int(rng.integers(4))
            self.grid.set(x, y, piece)
        if all(piece is not None for piece in self.grid):
            raise FullMap


def play(env, actions):
    """Play actions from here: those played, rewards, ends, states and rules."""
    states, laws, rewards, ends, played = [state(env)], [rules(env)], [], [], []
    for action in actions:
        kept = keep(env)
        try:
            _, reward, done, _ = env.step(action)
        except TooLong:
            restore(env, kept)
            break
        if deepest(env) > DEPTH:
            break
        states.append(state(env))
        laws.append(rules(env))
        rewards.append(reward)
        ends.append(done)
        played.append(action)
        if done:
            break
    return played, rewards, ends, states, laws


def padded(found):
    """A state on the largest map."""
    now = np.zeros((HEIGHT, WIDTH, DEPTH), np.uint8)
    now[..., 0] = 1
    now[: found.shape[0], : found.shape[1]] = found
    return now


def starts():
    """First states of each environment."""
    np.random.seed(12)
    found = np.zeros((len(registry), STARTS, HEIGHT, WIDTH, DEPTH), np.uint8)
    for k, name in enumerate(registry):
        for n in range(STARTS):
            env = make(name)
            env.reset()
            found[k, n] = padded(state(env))
    names = [name.removeprefix("env/") for name in registry]
    return {"names": np.array(names), "starts": found[..., : int(found.any(axis=(0, 1, 2, 3)).sum())]}


def main(file):
    rng = np.random.default_rng(11)
    np.random.seed(11)
    names, episodes, lengths = [], [], []
    for _ in range(CROWDS):
        env = Crowd(rng)
        try:
            env.reset()
        except FullMap:
            continue
        if deepest(env) > DEPTH:
            continue
        episodes.append(play(env, sticky(rng, CROWD_STEPS, 0.4)))
        names.append("crowd")
        lengths.append(-1)
    for name in registry:
        for which in range(3):
            env = make(name)
            env.reset()
            begun = play(env, sticky(rng, int(rng.integers(3, 12))) if which == 1 else [])
            found = None
            if not any(begun[2]):
                found = solve(env, 2 * which) if which < 2 else None
                rest = play(env, sticky(rng, STEPS, 0.6) if found is None else found)
                begun = [begun[k] + rest[k][k > 2 :] for k in range(5)]
            episodes.append(begun)
            names.append(name.removeprefix("env/"))
            lengths.append(len(found) if found is not None and which == 0 else -1)
            print(names[-1], which, len(begun[0]), begun[1][-1:], lengths[-1], flush=True)
    held = {"name": np.array(names), "length": np.array(lengths, np.int16)}
    held["count"] = np.array([len(episode[0]) for episode in episodes], np.int16)
    held["actions"] = np.concatenate([episode[0] for episode in episodes]).astype(np.uint8)
    held["rewards"] = np.concatenate([episode[1] for episode in episodes]).astype(np.float64)
    held["ends"] = np.concatenate([episode[2] for episode in episodes]).astype(np.uint8)
    differences = []
    for episode in episodes:
        last = np.zeros((HEIGHT, WIDTH, DEPTH), np.uint8)
        for found in episode[3]:
            differences.append(padded(found) - last)
            last = padded(found)
    held["states"] = np.stack(differences)
    held["rules"] = np.stack([found for episode in episodes for found in episode[4]])
    np.savez_compressed(file, **held, **starts())
    crowd = held["name"] == "crowd"
    print(
        len(names),
        "episodes,",
        held["count"].sum(),
        "steps,",
        crowd.sum(),
        "crowds,",
        held["count"][crowd].sum(),
        "steps",
    )
    print("wins", (held["rewards"] > 0).sum(), "losses", (held["rewards"] < 0).sum())


if __name__ == "__main__":
    main(sys.argv[2])
