"""Game trees by batches: all successors of many records at once, for counts, exhaustive solving and exact averages."""

from fractions import Fraction

import numpy as np

from envsuite.core.batch import OBSERVE, SKIP, STEP, Batch


class Expander:
    """All successors of many records of a sequential world, with a batch of fixed size."""

    def __init__(self, world, chunk=4096):
        self.world, self.chunk = world, chunk
        self.batch = Batch(world, chunk)

    def start(self):
        """The first record, as an array of one."""
        self.batch.reset()
        return self.batch.records[:1].copy()

    def masks(self, records):
        """The mask of whoever moves, (N, K)."""
        batch, found = self.batch, []
        for first in range(0, len(records), self.chunk):
            part = records[first : first + self.chunk]
            batch.records[: len(part)] = part
            batch.commands[: len(part)], batch.commands[len(part) :] = OBSERVE, SKIP
            batch.run()
            found.append(batch.masks[: len(part)].max(axis=1))
        return np.concatenate(found)

    def __call__(self, records):
        """Chunk by chunk: the parents' indices, successors, rewards of the first player, whether the game is over."""
        batch = self.batch
        parents, actions = np.nonzero(self.masks(records))
        for first in range(0, len(parents), self.chunk):
            parent, action = parents[first : first + self.chunk], actions[first : first + self.chunk]
            num = len(parent)
            batch.records[:num] = records[parent]
            batch.commands[:num], batch.commands[num:] = OBSERVE, SKIP
            batch.run()
            batch.actions[:num] = action[:, None]
            batch.commands[:num], batch.commands[num:] = STEP, SKIP
            batch.run()
            yield parent, batch.records[:num].copy(), batch.rewards[:num, 0].copy(), batch.over()[:num]

    def all(self, records):
        """The same in one piece."""
        return [np.concatenate(parts) for parts in zip(*self(records))]


def perft(world, depth, chunk=4096):
    """Histories of 1 to `depth` plies; those of finished games are not continued."""
    expand = Expander(world, chunk)
    level, counts = expand.start(), []
    for _ in range(depth - 1):
        found = list(expand(level))
        counts.append(sum(len(records) for _, records, _, _ in found))
        level = np.concatenate([records[~over] for _, records, _, over in found])
    return (*counts, int(expand.masks(level).sum()))


class Positions:
    """All positions of a game, ply by ply, and its end games' results.

    Attributes:
        plies: for each ply the records of its positions.
        over: for each ply whether the game is over there.
        rewards: for each ply the first player's reward at the end.
        edges: for each ply the pairs (position, position of the next ply), one for each move.
    """

    def __init__(self, world, key, plies=None, start=None):
        """`key(records)` are rows (N, ...) equal for equal positions; `plies` bounds the depth."""
        expand = Expander(world)
        self.plies = [expand.start() if start is None else start]
        self.over, self.rewards, self.edges = [np.zeros(1, bool)], [np.zeros(1)], []
        while not self.over[-1].all() and len(self.plies) != plies:
            running = np.flatnonzero(~self.over[-1])
            parents, records, rewards, over = expand.all(self.plies[-1][running])
            rows = np.ascontiguousarray(key(records)).reshape(len(records), -1)
            rows = rows.view(np.dtype((np.void, rows.strides[0])))[:, 0]
            _, first, same = np.unique(rows, return_index=True, return_inverse=True)
            self.plies.append(records[first])
            self.over.append(over[first])
            self.rewards.append(rewards[first])
            self.edges.append((running[parents], same))

    def histories(self):
        """How many histories there are of each length; of these, how many are complete games; and games by result."""
        ways, counts, ended, games = np.ones(1, int), [1], [0], {}
        for ply, (parent, child) in enumerate(self.edges):
            ways = np.bincount(child, weights=ways[parent], minlength=len(self.plies[ply + 1])).astype(int)
            counts.append(int(ways.sum()))
            ended.append(int(ways[self.over[ply + 1]].sum()))
            for result in np.unique(self.rewards[ply + 1][self.over[ply + 1]]):
                chosen = self.over[ply + 1] & (self.rewards[ply + 1] == result)
                games[float(result)] = games.get(float(result), 0) + int(ways[chosen].sum())
        return counts, ended, games

    def back_up(self, ends, choose):
        """The start's value: `ends` has values for each ply's ends, `choose(ply, children)` makes one of several."""
        values = ends[-1]
        for ply in reversed(range(len(self.edges))):
            children = [[] for _ in self.plies[ply]]
            for parent, child in zip(*self.edges[ply]):
                children[parent].append(values[child])
            values = [choose(ply, found) if found else end for found, end in zip(children, ends[ply])]
        return values[0]

    def value(self, players, ends=None):
        """The first player's value with best play; `players[ply]` tells for each position who moves."""
        values = (self.rewards if ends is None else ends)[-1].astype(float)
        for ply in reversed(range(len(self.edges))):
            parent, child = self.edges[ply]
            sign = np.where(players(self.plies[ply]) == 0, 1.0, -1.0)
            best = np.full(len(self.plies[ply]), -np.inf)
            np.maximum.at(best, parent, sign[parent] * values[child])
            own = (self.rewards if ends is None else ends)[ply]
            values = np.where(self.over[ply], own, sign * best)
        return float(values[0])


def mean(values):
    """The exact mean of fractions."""
    return sum(values, Fraction(0)) / len(values)
